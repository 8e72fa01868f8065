"""`rankagg stability`: what is left of a ranking when tasks or systems are left out."""

from __future__ import annotations

from typing import get_args

import click

from rankagg.analysis.stability import Over, stability
from rankagg.cli.inputs import Input, input_options
from rankagg.cli.methods import METHODS, make
from rankagg.cli.output import echo_json
from rankagg.core.pairwise import PairwiseMatrix

__all__ = ["command"]


@click.command("stability")
@input_options
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    default="kemeny",
    show_default=True,
    help="The method.",
)
@click.option(
    "--over",
    type=click.Choice(get_args(Over)),
    default="tasks",
    show_default=True,
    help="What is left out; ballots are tasks.",
)
@click.option(
    "--samples",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Subsets of each size.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="For the subsets.")
@click.option("--jobs", type=int, default=1, show_default=True, help="Processes; -1 for all cores.")
@click.option(
    "--rows",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Tasks or systems to print at most.",
)
@click.option("--all", "everything", is_flag=True, help="Print all tasks or systems.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def command(
    given: Input,
    *,
    method: str,
    over: Over,
    samples: int,
    seed: int,
    jobs: int,
    rows: int,
    everything: bool,
    as_json: bool,
) -> None:
    """Rank again without single tasks or systems, and on subsets of every size.

    \b
        rankagg stability scores.csv --method borda
        rankagg stability scores.csv --over systems --jobs -1
    """
    if isinstance(given.data, PairwiseMatrix):
        raise click.UsageError("Stability needs rankings or scores; a matrix does not hold them.")
    found = stability(
        given.data,
        make(method, given.unranked),
        over=over,
        n_samples=samples,
        tolerance=given.tolerance,
        rng=seed,
        n_jobs=jobs,
    )
    if as_json:
        echo_json({**found.to_dict(), "input": list(given.lines)})
    else:
        text = found.summary(rows=None if everything else rows)
        click.echo("\n".join([*given.lines, text]))
