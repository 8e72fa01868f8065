"""`rankagg power`: how many units would tell each system from the next one."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import click

from rankagg.cli.options.inputs import Input, input_options
from rankagg.cli.options.names import ALPHA, OneOf, Whole, alpha_option
from rankagg.cli.options.output import (
    as_option,
    echo_result,
    json_option,
    plot_option,
    rows_options,
    save_plot,
)
from rankagg.cli.options.wording import options_named
from rankagg.core.scores import ScoreTable
from rankagg.inference.power import separation
from rankagg.inference.units import Unit

__all__ = ["command"]

OPTIONS = {"unit": "--unit", "alpha": "--alpha", "power": "--power", "n_tests": "--tests"}


@click.command("power")
@input_options
@click.option(
    "--unit",
    type=OneOf(get_args(Unit)),
    default="ranking",
    show_default=True,
    help="What is independent, and of what more would be taken: columns, instances, or tasks.",
)
@alpha_option()
@click.option(
    "--power", type=ALPHA, default=0.8, show_default=True, help="Probability to decide a pair."
)
@click.option(
    "--tests",
    type=Whole(1, 10**9),
    help="How many tests share alpha; one for each two neighbors by default.",
)
@rows_options("pairs")
@json_option
@as_option
@plot_option("how many units would tell neighbors apart")
def command(
    given: Input,
    *,
    rows: int | None,
    as_json: bool,
    pasted: str | None,
    plot: Path | None,
    **options: Any,
) -> None:
    """Say how many units would tell each system from the next one by mean scores.

    And which difference the units at hand detect. As true it takes what was seen.

    \b
        rankagg power scores.csv
        rankagg power instances.csv --instance id --unit task --power 0.9
    """
    if not isinstance(given.data, ScoreTable):
        raise click.UsageError("Power needs the scores of systems; these data do not hold them.")
    with options_named(OPTIONS):
        found = separation(
            given.data,
            unit=options["unit"],
            alpha=options["alpha"],
            power=options["power"],
            n_tests=options["tests"],
        )
    save_plot(found.plot, plot)
    echo_result(found, given.lines, as_json=as_json, pasted=pasted, rows=rows)
