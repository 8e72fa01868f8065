"""`rankagg explain`: why one item stands above another."""

from __future__ import annotations

import click

from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import Evidence
from rankagg.analysis.explanation import explain_until
from rankagg.cli.options.aggregators import make, method_option
from rankagg.cli.options.exact import Ties, exact_options, exit_code, with_exact_options
from rankagg.cli.options.inputs import AnyInput, any_input_options
from rankagg.cli.options.names import labels_of
from rankagg.cli.options.output import echo_result, json_option
from rankagg.exceptions import InvalidInputError

__all__ = ["command"]


@click.command("explain")
@any_input_options
@click.option(
    "--pair", nargs=2, required=True, metavar="ITEM ITEM", help="The two items, in any order."
)
@method_option
@exact_options
@json_option
def command(
    given: AnyInput,
    *,
    pair: tuple[str, str],
    method: str,
    ties: Ties,
    deadline: Deadline,
    as_json: bool,
) -> int:
    """Say why one item stands above another: votes, cycle, scores, and what a swap costs.

    \b
        rankagg explain scores.csv --pair BERT GPT --method borda
        rankagg explain sums.json --pair BERT GPT
        rankagg explain --dataset borda_fails_condorcet --pair A B
    """
    (rule,) = with_exact_options([make(method, given.unranked)], ties=ties, deadline=deadline)
    evidence = Evidence(given.data, given.tolerance)
    first, second = labels_of("--pair", pair, evidence.items, "item")
    if first == second:
        raise InvalidInputError("--pair", "two different items", first)
    consensus = rule.aggregate(evidence, deadline=deadline.share(2))
    explanation = explain_until(deadline, consensus, first, second)
    echo_result(explanation, given.lines, as_json=as_json)
    return exit_code([consensus], explanation)
