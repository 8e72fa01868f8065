"""Numbers out of range are refused by name before any work; choices are those of functions."""

import inspect
import math
import sys
from collections.abc import Iterator
from typing import get_args

import click
import pytest

import rankagg as ra
from rankagg.aggregation.voting.elimination import Elimination
from rankagg.axioms.search import NAMES
from rankagg.cli.app import COMMANDS, app
from rankagg.cli.options import PROBABILITY, Number, OneOf, Whole
from rankagg.exceptions import InvalidInputError
from rankagg.report.page import KINDS

ABSURD = [
    "0", "-1", str(10**18), "-" + "9" * 40, "nan", "inf", "-inf", "1e400", "", "x", "9" * 5000,
]  # fmt: skip


def options_of(*kinds) -> Iterator[tuple[str, click.Parameter, click.ParamType]]:
    """Yield commands, options and their types; what several share, of the first one."""
    seen = set()
    for name in COMMANDS:
        command = app.get_command(click.Context(app), name)
        assert command is not None
        for one in command.params:
            if id(one) not in seen:
                seen.add(id(one))
                for kind in getattr(one.type, "types", [one.type]):
                    if isinstance(kind, kinds):
                        yield name, one, kind


NUMERIC = [*options_of(Number, Whole)]


def test_all_numeric_options_have_a_range() -> None:
    assert len(NUMERIC) > 40
    bare = options_of(click.types.IntParamType, click.types.FloatParamType)
    assert [kind for *_, kind in bare if not isinstance(kind, Number | Whole)] == []


def reads(kind: click.ParamType, text: str) -> bool:
    """Say whether a value is one that the option takes, by the words of its message alone."""
    try:
        value = float(text)
    except ValueError:
        return False
    if not math.isfinite(value):
        return False
    assert isinstance(kind, Number | Whole)
    if isinstance(kind, Number):
        low = value > kind.low if kind.open_low else value >= kind.low
        return low and (value < kind.high if kind.open_high else value <= kind.high)
    return kind.low <= value <= kind.high


def test_absurd_values_are_refused_in_one_sentence(refused) -> None:
    seen = set()
    for command, one, kind in NUMERIC:
        absurd = [text for text in ABSURD if not reads(kind, text)]
        assert len(absurd) >= 6
        # All of them for the first option of a range, and two for every other one.
        for text in absurd[-2:] if kind.allowed in seen else absurd:
            line = refused(command, one.opts[0], text, *["1"] * (one.nargs - 1))
            assert one.opts[0] in line
            assert "must be" in line
            assert len(line) < 250
        seen.add(kind.allowed)


def test_ranges_are_stated_and_enforced() -> None:
    cases = [
        (Number(), "a finite number", [-1e300, 0], [math.nan, math.inf, -math.inf]),
        (Number(0), "a number of at least 0", [0, 1e300], [-1e-9, math.inf]),
        (Number(0, 1), "a number of at least 0 and at most 1", [0, 1, 0.5], [-0.1, 1.1]),
        (Number(0, 1, open_low=True), "a number above 0 and at most 1", [1, 1e-9], [0]),
        (Number(0, 1, open_high=True), "a number of at least 0 and below 1", [0], [1]),
        (PROBABILITY, "a number above 0 and below 1", [0.5], [0, 1]),
        (Whole(2, 5), "a whole number from 2 to 5", [2, 5], [1, 6]),
    ]
    for kind, words, inside, outside in cases:
        assert kind.allowed == words
        for value in inside:
            assert kind.convert(repr(value), None, None) == value
        for value in outside:
            with pytest.raises(InvalidInputError, match="must be"):
                kind.convert(repr(value), None, None)


def test_draws_too_large_for_memory_are_refused(refused) -> None:
    message = refused("sample --items A,B,C --size 100000000")
    assert "--size must be at most 33333333 for 3 items. Got 100000000." in message


# -- choices --------------------------------------------------------------------------------------


def allowed(function, parameter: str) -> set[str]:
    """Return the words of a parameter's type, `none` for None."""
    function = inspect.unwrap(function)
    hint = inspect.signature(function).parameters[parameter].annotation
    kinds = eval(hint, vars(sys.modules[function.__module__])) if isinstance(hint, str) else hint
    return set(words(kinds))


def words(kind) -> Iterator[str]:
    for part in get_args(kind):
        if isinstance(part, str):
            yield part
        else:
            yield from words(part)


def at(function, **names):
    """Return where choices are defined: by option, the function and its parameter."""
    return {f"--{x.replace('_', '-')}": (function, parameter) for x, parameter in names.items()}


def same(function, *names):
    return at(function, **{name: name for name in names})


READERS = {
    **same(ra.read_scores, "errors"),
    **same(ra.read_ballots, "unranked"),
    **same(ra.read_cast_votes, "overvotes", "skipped", "write_ins"),
    **same(ra.read_comparisons, "outcome_is"),
}
SCANS = same(ra.io.scan_scores, "scattered")
OWN = {
    "count": same(ra.STV, "quota", "tie_breaking"),
    "steps": same(Elimination, "tie_breaking"),
    "scan": SCANS,
    "report": same(ra.make_report, "unit") | same(ra.STV, "tie_breaking"),
    "test": same(ra.inference.paired_tests, "method", "unit"),
    "stability": same(ra.stability, "unit"),
    "intervals": at(ra.rank_intervals, ranks="of")
    | same(ra.rank_intervals, "method")
    | same(ra.rank_shares, "unit"),
    "fit": same(ra.Mallows.fit, "distance") | same(ra.BradleyTerry.fit, "ties"),
}
# What does not decide ranks is refused with the option that it is for, and so is what readers or
# rules of other data take.
REFUSED = {
    ("compare", "--errors"): allowed(ra.read_preflib, "errors"),
    ("count", "--tie-breaking"): {"together"},
    # With --removals.
    ("stability", "--unit"): {"ranking"},
}
# Names of this side: what is made of them is tested by its results.
NAMED_HERE = [
    "--method", "--rule", "--format", "--as", "--decimal", "--model", "--counting",
]  # fmt: skip


def test_choices_are_those_of_the_package() -> None:
    chosen = [
        (name, one.opts[0], set(kind.choices))
        for name, one, kind in options_of(OneOf)
        if isinstance(one, click.Option)
    ]
    assert len(chosen) > 20
    for command, name, choices in chosen:
        known = {**READERS, **OWN.get(command, {})}
        if name == "--axiom":
            assert choices == set(NAMES)
        elif name == "--kind":
            assert choices == set(KINDS)
        elif name in known:
            more = REFUSED.get((command, name), set())
            # Clusters are what is independent where data have them, without being asked for.
            asked = allowed(*known[name])
            if known[name] in ((ra.inference.paired_tests, "unit"), (ra.make_report, "unit")):
                asked -= {"cluster"}
            if command == "steps":  # follows one way
                asked -= {"parallel", "lot"}
            assert choices - {"none"} == asked | more, (command, name)
        else:
            assert name in NAMED_HERE
