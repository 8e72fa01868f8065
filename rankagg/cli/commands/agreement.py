"""`rankagg agreement`: how far tasks order systems alike, and whether at all."""

from __future__ import annotations

from pathlib import Path

import click

from rankagg.analysis.robustness.task_agreement import averaged_tasks, task_agreement
from rankagg.cli.options.inputs import Input, input_options
from rankagg.cli.options.names import Whole, seed_option
from rankagg.cli.options.output import (
    as_option,
    echo_json,
    echo_pasted,
    json_option,
    plot_option,
    rows_options,
    save_plot,
)
from rankagg.cli.options.wording import options_named
from rankagg.core.scores import ScoreTable
from rankagg.inference.skillings_mack import skillings_mack

__all__ = ["command"]

OPTIONS = {"n_resamples": "--resamples", "tolerance": "--tolerance", "data": "FILE"}
UNWEIGHTED = "the test lets every task count the same, whatever its weight"


@click.command("agreement")
@input_options
@click.option(
    "--resamples",
    type=Whole(100, 10**6),
    help="Draws for the p-value; by default 10,000 with up to 50 tasks, and above none.",
)
@seed_option()
@rows_options("tasks")
@json_option
@as_option
@plot_option("how far tasks agree")
def command(
    given: Input,
    *,
    resamples: int | None,
    seed: int,
    rows: int | None,
    as_json: bool,
    pasted: str | None,
    plot: Path | None,
) -> None:
    """Say how far tasks order systems alike, and test whether they do so at all.

    Kendall's tau of each task with the others and with the ranking by the rest; Kendall's W of all;
    and Skillings and Mack's test of chance, which is Friedman's where no score is missing. Of a
    task with instances the average scores are ranked.

    \b
        rankagg agreement scores.csv
        rankagg agreement instances.csv --instance id --json
        rankagg agreement scores.csv --as latex
    """
    if not isinstance(given.data, ScoreTable):
        raise click.UsageError(
            "Agreement of tasks needs the scores of systems; these data do not hold them. "
            "`rankagg dispersion` says how far rankings are from each other."
        )
    with options_named(OPTIONS):
        found = task_agreement(given.data, tolerance=given.tolerance)
        alike = averaged_tasks(given.data).with_task_weights({})
        test = skillings_mack(alike, tolerance=given.tolerance, n_resamples=resamples, rng=seed)
    save_plot(found.plot, plot)
    weights = set(given.data.task_weights.values())
    lines = [*given.lines, *([UNWEIGHTED] if len(weights) > 1 else [])]
    if pasted:
        beside = [*lines, *test.summary(rows=1).splitlines()[:1]]
        echo_pasted(found, pasted, beside, as_json=as_json, rows=rows)
    elif as_json:
        echo_json({**found.to_dict(), "test": test.to_dict(), "input": lines})
    else:
        parts = [found.summary(rows=rows), "", test.summary(rows=rows)]
        click.echo("\n".join([*lines, *parts]))
