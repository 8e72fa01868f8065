"""`rankagg cycles`: how often majorities are cyclic, and Borda and Kemeny disagree."""

from __future__ import annotations

from pathlib import Path

import click

from rankagg.cli.exit_codes import DONE
from rankagg.cli.options.models import MODELS, model_options
from rankagg.cli.options.names import OneOf
from rankagg.cli.options.numbers import JOBS, SEED, Whole
from rankagg.cli.options.output import echo_json, json_option, rows_options, write_frame
from rankagg.cli.options.plots import plot_option, save_plot
from rankagg.cli.options.targets import FILE
from rankagg.cli.options.wording import options_named
from rankagg.distributions.cultures.urns import ImpartialCulture
from rankagg.distributions.study_model import StudyModel
from rankagg.studies.cycles.cycles import CycleStudy

__all__ = ["command"]

NAMES = {
    "journal": "--journal",
    "models": MODELS,
    "n_items": "--items",
    "n_rankings": "--rankings",
    "n_repetitions": "--repetitions",
}


@click.command("cycles")
@model_options
@click.option(
    "--items",
    multiple=True,
    type=Whole(2, 1000),
    default=(3,),
    show_default=True,
    help="Numbers of items.",
)
@click.option(
    "--rankings",
    multiple=True,
    type=Whole(1, 10**6),
    default=(3, 11, 101),
    show_default=True,
    help="Numbers of rankings.",
)
@click.option(
    "--repetitions",
    type=Whole(1, 10**6),
    default=1000,
    show_default=True,
    help="Profiles for each combination.",
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="For the random numbers.")
@click.option(
    "--jobs", type=JOBS, default=1, show_default=True, help="Processes; -1 for all cores."
)
@click.option(
    "--journal",
    type=FILE,
    metavar="FILE",
    help="Note finished profiles here, and go on from it.",
)
@click.option("--out", type=FILE, metavar="FILE", help="Write all rows here as CSV.")
@rows_options("sizes")
@json_option
@plot_option("the share of --measure by the number of rankings")
@click.option(
    "--measure",
    type=OneOf(["cycle", "winner", "optimal"]),
    default="cycle",
    show_default=True,
    help="What --plot shows: Condorcet cycles, Condorcet winners, or how often Borda's ranking is "
    "a Kemeny optimum.",
)
def command(
    *,
    models: list[StudyModel],
    items: tuple[int, ...],
    rankings: tuple[int, ...],
    repetitions: int,
    seed: int,
    jobs: int,
    journal: Path | None,
    out: Path | None,
    rows: int | None,
    as_json: bool,
    plot: Path | None,
    measure: str,
) -> int:
    """Say how often majorities of drawn profiles are cyclic, and Borda and Kemeny disagree.

    Probabilities that are known exactly stand beside the shares. Options that name models and
    sizes may be given several times; every combination is drawn. Without a model it is the
    impartial culture, in which every ranking is equally likely.

    \b
        rankagg cycles
        rankagg cycles --culture impartial --culture anonymous --rankings 25
        rankagg cycles --culture urn=0.1 --items 4 --items 5 --repetitions 200 --plot cycles.png
        rankagg cycles --mallows 0.8 --items 5 --journal cycles.jsonl --jobs -1
    """
    with options_named(NAMES):
        study = CycleStudy(
            models=models or [ImpartialCulture()],
            n_items=items,
            n_rankings=rankings,
            n_repetitions=repetitions,
            seed=seed,
        )
        result = study.run(n_jobs=jobs, journal=journal)
    if out is not None:
        write_frame(result.to_frame(), out)
    if as_json:
        echo_json(result.to_dict())
    else:
        click.echo(result.summary(rows=rows))
    save_plot(lambda: result.plot(measure=measure), plot)
    return DONE
