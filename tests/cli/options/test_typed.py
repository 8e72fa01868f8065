"""Every numeric option of every command: absurd values are refused by name, before any work."""

import math

import click
import pytest

from rankagg.cli import main
from rankagg.cli.app import COMMANDS, app
from rankagg.cli.options.typed import PROBABILITY, Jobs, Number, Whole

ABSURD = [
    "0",
    "-1",
    str(10**18),
    "-" + "9" * 40,
    "nan",
    "inf",
    "-inf",
    "1e400",
    "",
    "x",
    "9" * 5000,
]


def numeric_options() -> list[tuple[str, str, click.ParamType]]:
    """Return commands, options and their types; what several share, of the first one."""
    found, seen = [], set()
    context = click.Context(app)
    for name in COMMANDS:
        command = app.get_command(context, name)
        assert command is not None
        for parameter in command.params:
            types = getattr(parameter.type, "types", [parameter.type])
            if id(parameter) in seen:
                continue
            seen.add(id(parameter))
            found += [(name, parameter.opts[0], kind) for kind in types if is_numeric(kind)]
    return found


def is_numeric(kind: click.ParamType) -> bool:
    numbers = (Number, Whole, click.types.IntParamType, click.types.FloatParamType)
    return isinstance(kind, numbers)


OPTIONS = numeric_options()


def test_there_are_many_and_all_have_a_range() -> None:
    assert len(OPTIONS) > 40
    bare = [
        (name, option) for name, option, kind in OPTIONS if not isinstance(kind, Number | Whole)
    ]
    assert bare == []


def reads(kind: click.ParamType, text: str) -> bool:
    """Say whether a value is one that the option takes, by the words of its message alone."""
    try:
        value = float(text)
    except ValueError:
        return False
    if not math.isfinite(value):
        return False
    assert isinstance(kind, Number | Whole)
    if isinstance(kind, Jobs) and value == -1:
        return True
    if isinstance(kind, Number):
        low = value > kind.low if kind.open_low else value >= kind.low
        return low and (value < kind.high if kind.open_high else value <= kind.high)
    return kind.low <= value <= kind.high


@pytest.mark.parametrize(
    ("command", "option", "kind"), OPTIONS, ids=[f"{name} {option}" for name, option, _ in OPTIONS]
)
def test_absurd_values_are_refused_in_one_sentence(capsys, command, option, kind) -> None:
    refused = 0
    for text in ABSURD:
        if reads(kind, text):
            continue
        refused += 1
        values = [text, "1"] if option == "--score-range" else [text]
        with pytest.raises(SystemExit) as stop:
            main([command, option, *values])
        told = capsys.readouterr()
        assert (stop.value.code, told.out) == (2, "")
        (line,) = [line for line in told.err.splitlines() if line.startswith("Error: ")]
        assert option in line
        assert "must be" in line
        assert len(line) < 250
    assert refused >= 6


def test_ranges_are_said_and_kept() -> None:
    cases = [
        (Number(), "a finite number", [-1e300, 0], [math.nan, math.inf, -math.inf]),
        (Number(0), "a number of 0 or more", [0, 1e300], [-1e-9, math.inf]),
        (Number(0, 1), "a number of 0 to 1", [0, 1, 0.5], [-0.1, 1.1]),
        (Number(0, 1, open_low=True), "a number above 0 to 1", [1, 1e-9], [0]),
        (Number(0, 1, open_high=True), "a number of 0 and below 1", [0], [1]),
        (PROBABILITY, "a number above 0 and below 1", [0.5], [0, 1]),
        (Whole(2, 5), "a whole number from 2 to 5", [2, 5], [1, 6]),
        (Jobs(), "-1 for all cores, or a whole number from 1 to 1024", [-1, 1, 1024], [0, -2]),
    ]
    for kind, words, inside, outside in cases:
        assert kind.allowed == words
        for value in inside:
            assert kind.convert(repr(value), None, None) == value
        for value in outside:
            with pytest.raises(click.BadParameter, match="must be"):
                kind.convert(repr(value), None, None)


def test_draws_that_no_memory_holds_are_refused(capsys) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["sample", "--items", "A,B,C", "--size", str(10**8)])
    assert stop.value.code == 2
    assert (
        "'--size': must be at most 33333333 for 3 items. Got 100000000." in capsys.readouterr().err
    )
