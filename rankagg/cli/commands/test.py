"""`rankagg test`: whether other systems are better than one, on the same units."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import click

from rankagg.cli.options.inputs import Input, input_options
from rankagg.cli.options.names import OneOf, Whole, alpha_option, labels_of, seed_option
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
from rankagg.inference.paired_results import PairedMethod
from rankagg.inference.paired_test import paired_tests
from rankagg.inference.units import Unit

__all__ = ["command"]

OPTIONS = {
    "reference": "--reference",
    "second": "--against",
    "systems": "--against",
    "method": "--method",
    "unit": "--unit",
    "alpha": "--alpha",
    "midp": "--mid-p",
    "n_resamples": "--resamples",
}


@click.command("test")
@input_options
@click.option(
    "--reference",
    required=True,
    metavar="SYSTEM",
    help="The system that others are tested against, chosen without looking at the scores.",
)
@click.option(
    "--against",
    multiple=True,
    metavar="SYSTEM",
    help="One of the others, once for each; by default all are tested.",
)
@click.option(
    "--method",
    type=OneOf(get_args(PairedMethod)),
    help="mcnemar counts the units in which only one is right, and is the default for scores of 0 "
    "and 1; sign-flip, the default elsewhere, tests the mean difference; wilcoxon its signed "
    "ranks; sign how many units have the one above.",
)
@click.option(
    "--unit",
    type=OneOf(get_args(Unit)),
    default="ranking",
    show_default=True,
    help="What is independent: each column, or all columns of an instance or of a task, which are "
    "averaged first.",
)
@alpha_option()
@click.option(
    "--mid-p",
    "midp",
    is_flag=True,
    help="For mcnemar and sign: count what was observed half; less careful.",
)
@click.option(
    "--resamples",
    type=Whole(100, 10**6),
    default=10_000,
    show_default=True,
    help="Sign vectors, where there are more than these.",
)
@seed_option()
@rows_options("systems")
@json_option
@as_option
@plot_option("the effects with their intervals")
def command(
    given: Input,
    *,
    reference: str,
    against: tuple[str, ...],
    rows: int | None,
    as_json: bool,
    pasted: str | None,
    plot: Path | None,
    **options: Any,
) -> None:
    """Test whether other systems are better than one on the same tasks or instances.

    Every test states its effect with an interval. Holm's procedure bounds the probability that
    any decision is wrong.

    \b
        rankagg test scores.csv --reference baseline
        rankagg test instances.csv --instance id --reference A --against B --method mcnemar
        rankagg test instances.csv --instance id --reference A --unit task
    """
    if not isinstance(given.data, ScoreTable):
        raise click.UsageError(
            "Tests of two systems need their scores; these data do not hold them. "
            "`rankagg intervals` says how often one is above the other."
        )
    systems = given.data.systems
    (one,) = labels_of("--reference", [reference], systems, "system")
    others = labels_of("--against", against, systems, "system") or None
    with options_named(OPTIONS):
        found = paired_tests(
            given.data,
            one,
            others,
            method=options["method"],
            unit=options["unit"],
            alpha=options["alpha"],
            midp=options["midp"],
            n_resamples=options["resamples"],
            rng=options["seed"],
        )
    save_plot(found.plot, plot)
    echo_result(found, given.lines, as_json=as_json, pasted=pasted, rows=rows)
