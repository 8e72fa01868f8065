"""`rankagg study`: how near rules come to the exact optimum, on drawn data."""

from __future__ import annotations

from pathlib import Path

import click

from rankagg._typing import Unranked
from rankagg.cli.exit_codes import DONE, UNPROVED
from rankagg.cli.options.aggregators import made, methods_option
from rankagg.cli.options.models import MODELS, model_options
from rankagg.cli.options.names import SECONDS, Number, OneOf
from rankagg.cli.options.output import json_option, plot_option, save_plot
from rankagg.cli.options.studies import NAMES, StudyRun, sizes_options, study_options
from rankagg.cli.options.wording import options_named
from rankagg.cultures import StudyModel
from rankagg.studies.approximation.approximation import ApproximationStudy

__all__ = ["command"]

DEFAULT_METHODS = ("borda", "copeland", "mc4", "kwiksort", "borda-kemenized")


@click.command("study")
@model_options
@sizes_options((10,), (10,), most_items=10**4)
@click.option(
    "--missing",
    multiple=True,
    type=Number(0, 1, open_high=True),
    default=(0.0,),
    show_default=True,
    help="Shares of items that every ranking loses at random.",
)
@click.option(
    "--unranked",
    type=OneOf(["uniform", "ignore", "last"]),
    default="uniform",
    show_default=True,
    help="What a ranking says of items that it does not rank.",
)
@methods_option("hold against the optimum", default=", ".join(DEFAULT_METHODS))
@study_options("data sets", "combination")
@click.option(
    "--time-limit", type=SECONDS, metavar="SECONDS", help="For the exact optimum of one data set."
)
@click.option("--nearest", is_flag=True, help="Find the nearest of all optima too; slow.")
@json_option
@plot_option("the ratios of every method")
def command(
    *,
    models: list[StudyModel],
    items: tuple[int, ...],
    rankings: tuple[int, ...],
    missing: tuple[float, ...],
    unranked: Unranked,
    methods: tuple[str, ...],
    run: StudyRun,
    time_limit: float | None,
    nearest: bool,
    as_json: bool,
    plot: Path | None,
) -> int:
    """Draw many data sets and say how near each method comes to the proved optimum.

    Options that name models, sizes and methods may be given several times; every combination is
    drawn. The exit code is 3 where an optimum was not proved within --time-limit.

    \b
        rankagg study --mallows 0.8 --mallows 0.9 --items 10 --items 30
        rankagg study --culture walsh --culture urn=0.1 --items 10
        rankagg study --gumbel 0.1 --method mean --method borda --missing 0.2
        rankagg study --plackett-luce 1 --items 100 --jobs -1 --journal study.jsonl --out rows.csv
    """
    if not models:
        raise click.UsageError("Give a model: --mallows, --plackett-luce, --gumbel or --culture.")
    with options_named({**NAMES, "missing": "--missing", "models": MODELS}):
        study = ApproximationStudy(
            aggregators=made(methods or DEFAULT_METHODS, unranked),
            models=models,
            n_items=items,
            n_rankings=rankings,
            missing=missing,
            n_repetitions=run.repetitions,
            seed=run.seed,
            time_limit=time_limit,
            nearest=nearest,
        )
        result = run.of(study)
    run.show(result, as_json=as_json)
    save_plot(result.plot, plot)
    return UNPROVED if result.n_unproved else DONE
