"""`rankagg removals`: how few rankings or tasks have to go before another is first."""

from __future__ import annotations

from typing import get_args

import click

from rankagg.aggregation.deadline import Deadline
from rankagg.analysis.removal.removal_radius import removal_radius
from rankagg.analysis.removal.removal_units import RemovalUnit
from rankagg.cli.exit_codes import DONE, UNPROVED
from rankagg.cli.options.aggregators import make, method_option
from rankagg.cli.options.exact import show_progress, time_limit_option
from rankagg.cli.options.inputs import Input, input_options
from rankagg.cli.options.names import OneOf, labels_of
from rankagg.cli.options.output import echo_result, json_option, rows_options
from rankagg.cli.options.wording import options_named
from rankagg.core.profile import Profile
from rankagg.core.scores import ScoreTable
from rankagg.exceptions import InvalidInputError

__all__ = ["command"]


@click.command("removals")
@input_options
@method_option
@click.option(
    "--pair",
    nargs=2,
    metavar="ITEM ITEM",
    help="Ask about the order of two items and not about the first place.",
)
@click.option(
    "--unit",
    type=OneOf(get_args(RemovalUnit)),
    help="What is removed: single ballots, or whole tasks (groups of ballots); by default tasks "
    "where there are some.",
)
@time_limit_option("the whole search")
@rows_options("rankings or tasks")
@json_option
def command(
    given: Input,
    *,
    method: str,
    pair: tuple[str, str] | None,
    unit: RemovalUnit | None,
    deadline: Deadline,
    rows: int | None,
    as_json: bool,
) -> int:
    """Find the fewest ballots or tasks without which another is first, or a pair turns round.

    \b
        rankagg removals scores.csv --method borda
        rankagg removals election.soc --pair A B
    """
    if not isinstance(given.data, ScoreTable | Profile):
        raise click.UsageError("Removals need rankings or scores; these data do not hold them.")
    items = given.data.systems if isinstance(given.data, ScoreTable) else given.data.items
    chosen = None
    if pair is not None:
        upper, lower = labels_of("--pair", pair, items, "item")
        if upper == lower:
            raise InvalidInputError("--pair", "two different items", upper)
        chosen = upper, lower
    show_progress()
    with options_named({"unit": "--unit", "pair": "--pair", "aggregator": "--method"}):
        found = removal_radius(
            given.data,
            make(method, given.unranked),
            pair=chosen,
            unit=unit,
            tolerance=given.tolerance,
            time_limit=deadline.time_limit,
        )
    echo_result(found, given.lines, as_json=as_json, rows=rows)
    return DONE if found.is_proved else UNPROVED
