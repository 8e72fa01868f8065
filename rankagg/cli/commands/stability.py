"""`rankagg stability`: what is left of a ranking when tasks or systems are left out."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click

from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import PairData
from rankagg.analysis.robustness.parts import Over
from rankagg.analysis.robustness.stability import stability
from rankagg.cli.exit_codes import DONE, UNPROVED
from rankagg.cli.options.aggregators import make, method_option
from rankagg.cli.options.exact import show_progress, time_limit_option
from rankagg.cli.options.inputs import AnyInput, any_input_options
from rankagg.cli.options.names import OneOf, Whole, jobs_option, seed_option
from rankagg.cli.options.output import (
    echo_result,
    json_option,
    plot_option,
    rows_options,
    save_plot,
)
from rankagg.cli.options.told import pairs_only
from rankagg.cli.options.wording import options_named

__all__ = ["command"]


@click.command("stability")
@any_input_options
@method_option
@click.option(
    "--over",
    type=OneOf(get_args(Over)),
    default="tasks",
    show_default=True,
    help="What is left out; tasks are the groups of ballots, or the ballots, where there are no "
    "scores, and systems the items.",
)
@click.option(
    "--samples",
    type=Whole(1, 10**6),
    default=50,
    show_default=True,
    help="Subsets of each size.",
)
@seed_option("the subsets")
@jobs_option()
@time_limit_option("the whole analysis")
@rows_options("tasks or systems")
@json_option
@plot_option("how near subsets come to the consensus of all")
def command(
    given: AnyInput,
    *,
    method: str,
    over: Over,
    samples: int,
    seed: int,
    jobs: int,
    deadline: Deadline,
    rows: int | None,
    as_json: bool,
    plot: Path | None,
) -> int:
    """Rank again without single tasks or systems, and on subsets of every size.

    \b
        rankagg stability scores.csv --method borda
        rankagg stability scores.csv --over systems --jobs -1
        rankagg stability sums.json
    """
    if isinstance(given.data, PairData):
        raise click.UsageError(
            f"Stability needs rankings or scores; {pairs_only(given.data)} not hold them."
        )
    show_progress()
    with options_named({"over": "--over"}):
        found = stability(
            given.data,
            make(method, given.unranked),
            over=over,
            n_samples=samples,
            tolerance=given.tolerance,
            rng=seed,
            n_jobs=jobs,
            time_limit=deadline.time_limit,
        )
    echo_result(found, given.lines, as_json=as_json, rows=rows)
    save_plot(found.plot, plot)
    return UNPROVED if found.unproved or found.undecided else DONE
