"""`rankagg solve`: the exact optimum, its proof, and how alone it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import Evidence, PairData
from rankagg.aggregation.kemeny.aggregator import BACKENDS, Kemeny
from rankagg.aggregation.result import Consensus
from rankagg.analysis.comparison.alternatives import Alternatives
from rankagg.cli.options.exact import (
    Places,
    Ties,
    Wishes,
    constraint_options,
    exact_options,
    exit_code,
    place_options,
    with_exact_options,
)
from rankagg.cli.options.inputs import AnyInput, any_input_options
from rankagg.cli.options.names import OneOf, labels_of, numbers_of
from rankagg.cli.options.output import (
    FILE,
    echo_json,
    json_option,
    plot_option,
    save_plot,
    write_json,
)
from rankagg.core.pairwise import weigh_items
from rankagg.io.json_files import write_votes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["command"]


@click.command("solve")
@any_input_options
@exact_options
@constraint_options
@place_options
@click.option(
    "--backend",
    type=OneOf(list(BACKENDS)),
    default="cuts",
    show_default=True,
    help="How to solve: cuts and branch and bound in HiGHS, lazy rows or the full integer "
    "program in CBC, or dynamic programming over subsets.",
)
@click.option(
    "--certificate",
    type=FILE,
    metavar="FILE",
    help="Write the proof as JSON.",
)
@click.option(
    "--votes",
    type=FILE,
    metavar="FILE",
    help="Write the votes that the proof speaks of as JSON.",
)
@click.option(
    "--item-weight",
    "item_weights",
    multiple=True,
    metavar="ITEM=NUMBER",
    help="How much an item matters: a pair counts as often as the product of its weights; 1 for "
    "items that are not named. May be repeated.",
)
@click.option("--one", is_flag=True, help="Do not look at the other optima.")
@json_option
@plot_option("who beats whom how often, in the order of the consensus,")
def command(
    given: AnyInput,
    *,
    ties: Ties,
    wishes: Wishes,
    places: Places,
    deadline: Deadline,
    backend: Any,
    certificate: Path | None,
    votes: Path | None,
    item_weights: tuple[str, ...],
    one: bool,
    as_json: bool,
    plot: Path | None,
) -> int:
    """Find the exact Kemeny consensus, prove it, and count the optima.

    FILE may be a table of scores, ballots, or a linear ordering matrix (the number n, then n x n
    numbers, row above column).

    \b
        rankagg solve election.soc --certificate proof.json
        rankagg solve matrix.lop --time-limit 60
        rankagg solve --dataset condorcet_1785
        rankagg solve election.soc --above A,B --last Z --quota A,B,C:5:2
        rankagg solve election.soc --top-k 3
    """
    evidence = Evidence.of(given.data, given.tolerance)
    items = evidence.items
    constraints = wishes.of(items)
    rule: Aggregator
    if places.given:
        if constraints is not None or backend != "cuts":
            other = "constraints" if constraints is not None else "--backend"
            raise click.UsageError(f"{places.given} does not go with {other}.")
        rule = places.rule(given.unranked, ties)
    else:
        (rule,) = with_exact_options(
            [Kemeny(unranked=given.unranked, backend=backend, constraints=constraints)],
            ties=ties,
            deadline=deadline,
        )
    consensus = rule.aggregate(
        _weighed(evidence, given, item_weights), deadline=deadline.share(1 if one else 2)
    )
    known = None
    if not one and consensus.is_proved and consensus.optima is not None:
        known = Alternatives.of(consensus.optima, deadline)
    held = isinstance(rule, Kemeny) and rule.constraints is not None
    optima = None if known is None else _describe(known)
    if as_json:
        echo_json({**consensus.to_dict(), "optima": optima, "input": list(given.lines)})
    else:
        lines = [*given.lines, *_sum_above(consensus, given)]
        if optima is not None:
            lines.append(f"optima       {optima['text']}")
        elif held and not one and consensus.is_proved:
            lines.append("optima       not looked for where constraints count places")
        click.echo("\n".join([*lines, consensus.summary()]))
    save_plot(lambda: _heatmap(consensus), plot)
    if certificate is not None and consensus.certificate is not None:
        write_json(consensus.certificate.to_dict(), certificate)
    if votes is not None:
        write_votes(consensus.pairwise, votes)
    return exit_code([consensus], known)


def _weighed(evidence: Evidence, given: AnyInput, typed: tuple[str, ...]) -> Evidence:
    """Return the data, or their votes with the weights of items that were typed."""
    if not typed:
        return evidence
    numbers = numbers_of("--item-weight", typed, "ITEM=NUMBER")
    labels = labels_of("--item-weight", numbers, evidence.items, "item")
    weights = dict(zip(labels, numbers.values(), strict=True))
    return Evidence(weigh_items(evidence.votes(given.unranked), weights))


def _heatmap(consensus: Consensus) -> Axes:
    from rankagg.plotting.heatmaps import pairwise_heatmap  # noqa: PLC0415

    return pairwise_heatmap(consensus.pairwise, consensus)


def _sum_above(consensus: Consensus, given: AnyInput) -> list[str]:
    if not isinstance(given.data, PairData) or not consensus.aggregator.is_strict:
        return []
    total = consensus.pairwise.wins.sum() - consensus.cost
    return [f"sum above the diagonal in the order found: {total:.12g}"]


def _describe(known: Alternatives) -> dict[str, Any]:
    """Return plain data for JSON; what there was no time for is None."""
    if known.is_unique is None:
        unknown = dict.fromkeys(("is_unique", "count", "undecided_pairs", "blocks"))
        return {"text": known.summary(), **unknown}
    return {
        "text": known.summary(),
        "is_unique": known.is_unique,
        "count": known.count,
        "undecided_pairs": known.optima.n_undecided_pairs,
        "blocks": [list(block) for block in known.optima.blocks],
    }
