"""Choices that commands write down are those of the functions that receive them."""

import inspect
import sys
from collections.abc import Iterator
from typing import get_args

import click
import pytest

import rankagg as ra
from rankagg.axioms.search import NAMES
from rankagg.cli.app import app
from rankagg.cli.options.typed import OneOf
from rankagg.core.grouped_tally import MOST_GROUPS
from rankagg.io.scan.scan_scores import ScoreScan


def allowed(function, parameter: str) -> set[str]:
    """Return the words of a parameter's type, `none` for None."""
    function = inspect.unwrap(function)
    told = inspect.signature(function).parameters[parameter].annotation
    kinds = eval(told, vars(sys.modules[function.__module__])) if isinstance(told, str) else told
    return set(words(kinds))


def words(kind) -> Iterator[str]:
    for part in get_args(kind):
        if isinstance(part, str):
            yield part
        else:
            yield from words(part)


READERS = {
    "--unranked": (ra.Borda, "unranked"),
    "--errors": (ra.read_scores, "errors"),
    "--by": (ra.Evaluations.select, "by"),
    "--runs": (ra.Evaluations.select, "runs"),
    "--left-out": (ra.read_ballots, "left_out"),
    "--overvotes": (ra.read_cast_votes, "overvotes"),
    "--skipped": (ra.read_cast_votes, "skipped"),
    "--write-ins": (ra.read_cast_votes, "write_ins"),
    "--outcome-is": (ra.read_comparisons, "outcome_is"),
}
SCANS = {"--scattered": (ra.scan_scores, "scattered"), "--engine": (ScoreScan.summarize, "engine")}
OWN = {
    "solve": {"--backend": (ra.Kemeny, "backend")},
    "steps": {"--tie-breaking": (ra.Coombs, "tie_breaking")},
    "compare": {**SCANS, "--decide": (ra.paired_tests, "unit")},
    "scan": SCANS,
    "report": {"--unit": (ra.make_report, "unit")},
    "test": {"--method": (ra.paired_tests, "method"), "--unit": (ra.paired_tests, "unit")},
    "power": {"--unit": (ra.paired_tests, "unit")},
    "stability": {"--over": (ra.stability, "over")},
    "removals": {"--unit": (ra.removal_radius, "unit")},
    "intervals": {
        "--ranks": (ra.rank_intervals, "of"),
        "--method": (ra.rank_intervals, "method"),
        "--unit": (ra.rank_intervals, "unit"),
        "--ties": (ra.rank_intervals, "ties"),
        "--pairs": (ra.PairwiseIntervals.from_data, "method"),
        "--simultaneous": (ra.PairwiseIntervals.from_data, "simultaneous"),
        "--estimand": (ra.PairwiseIntervals.from_data, "estimand"),
    },
    "fit": {
        "--ties": (ra.fit_bradley_terry, "ties"),
        "--errors-by": (ra.fit_bradley_terry, "cov_type"),
    },
}
# What does not decide ranks is refused with the option that it is for.
REFUSED = {("intervals", "--method"): allowed(ra.PairwiseIntervals.from_data, "method")}
# Names of this side: what is made of them is tested by its results.
NAMED_HERE = {"--method", "--format", "--as", "--decimal", "--model", "--study", "--measure"}


def written_down() -> Iterator[tuple[str, str, OneOf]]:
    """Return commands, options and their choices."""
    for name in app.list_commands(click.Context(app)):
        command = app.get_command(click.Context(app), name)
        for one in command.params:
            if isinstance(one, click.Option) and isinstance(one.type, OneOf):
                yield name, one.opts[0], one.type


@pytest.mark.parametrize(
    ("command", "option", "choices"),
    [pytest.param(*case, id=" ".join(case[:2])) for case in written_down()],
)
def test_choices_are_those_of_the_package(command, option, choices) -> None:
    known = {**READERS, **OWN.get(command, {})}
    if option == "--axiom":
        assert set(choices.choices) == set(NAMES)
    elif option in known:
        more = REFUSED.get((command, option), set())
        assert set(choices.choices) - {"none"} == allowed(*known[option]) | more
    else:
        assert option in NAMED_HERE


def test_a_scan_takes_as_many_groups_as_sums_do() -> None:
    scan = app.get_command(click.Context(app), "scan")
    (groups,) = (one for one in scan.params if one.name == "n_groups")
    assert groups.type.high == MOST_GROUPS
