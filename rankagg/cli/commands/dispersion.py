"""`rankagg dispersion`: how far consensuses are from the data, and the data from each other."""

from __future__ import annotations

import click

from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import PairData
from rankagg.aggregation.two_level import default_aggregators
from rankagg.cli.options.aggregators import made, methods_option
from rankagg.cli.options.exact import Ties, exact_options, exit_code, with_exact_options
from rankagg.cli.options.inputs import AnyInput, any_input_options
from rankagg.cli.options.output import echo_result, json_option
from rankagg.cli.options.told import pairs_only
from rankagg.inference.dispersion_report import dispersion_report

__all__ = ["command"]


@click.command("dispersion")
@any_input_options
@methods_option("measure")
@exact_options
@json_option
def command(
    given: AnyInput,
    *,
    methods: tuple[str, ...],
    ties: Ties,
    deadline: Deadline,
    as_json: bool,
) -> int:
    """Measure the distance of consensuses to the rankings, and of the rankings to each other.

    The mean distance of two rankings bounds what any consensus can reach; the exact one shows
    what is reached, or found within 60 seconds where --time-limit says nothing else.

    \b
        rankagg dispersion scores.csv
        rankagg dispersion sums.json
        rankagg dispersion election.soc --method borda --method kemeny --json
    """
    if isinstance(given.data, PairData):
        raise click.UsageError(
            f"Dispersion needs rankings or scores; {pairs_only(given.data)} not hold them."
        )
    rules = made(methods, given.unranked) or default_aggregators(given.data, given.unranked)
    rules = with_exact_options(rules, ties=ties, deadline=deadline)
    limit = {} if deadline == Deadline() else {"time_limit": deadline.time_limit}
    report = dispersion_report(
        given.data,
        rules,
        unranked=given.unranked,
        tolerance=given.tolerance,
        **limit,
    )
    echo_result(report, given.lines, as_json=as_json)
    return exit_code(report.consensuses)
