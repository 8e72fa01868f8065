"""`rankagg explain`: why one item stands above another."""

from __future__ import annotations

import click

from rankagg._typing import Label
from rankagg.aggregation.deadline import Deadline
from rankagg.analysis.explanation import explain_until
from rankagg.cli.options.aggregators import make, method_option
from rankagg.cli.options.exact import exact_options, exit_code, with_exact_options
from rankagg.cli.options.inputs import Input, input_options
from rankagg.cli.options.output import echo_json, json_option
from rankagg.core.items import ItemSet

__all__ = ["command"]


@click.command("explain")
@input_options
@click.option(
    "--pair", nargs=2, required=True, metavar="ITEM ITEM", help="The two items, in any order."
)
@method_option
@exact_options
@json_option
def command(
    given: Input,
    *,
    pair: tuple[str, str],
    method: str,
    tie_cost: float | None,
    deadline: Deadline,
    as_json: bool,
) -> int:
    """Say why one item stands above another: votes, circle, scores, and what a swap costs.

    \b
        rankagg explain scores.csv --pair BERT GPT --method borda
        rankagg explain --dataset borda_fails_condorcet --pair A B
    """
    (rule,) = with_exact_options(
        [make(method, given.unranked)], tie_cost=tie_cost, deadline=deadline
    )
    consensus = rule.aggregate(given.data, tolerance=given.tolerance, deadline=deadline.share(2))
    explanation = explain_until(
        deadline, consensus, *(_label(name, consensus.items) for name in pair)
    )
    if as_json:
        echo_json({**explanation.to_dict(), "input": list(given.lines)})
    else:
        click.echo("\n".join([*given.lines, explanation.summary()]))
    return exit_code([consensus], explanation)


def _label(name: str, items: ItemSet) -> Label:
    """Return the label that is written so; numbers in a file are numbers."""
    return next((item for item in items if str(item) == name), name)
