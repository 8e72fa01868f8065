"""`rankagg cycles`: how often majorities are cyclic, and Borda and Kemeny disagree."""

from __future__ import annotations

from pathlib import Path

import click

from rankagg.aggregation.deadline import Deadline
from rankagg.cli.exit_codes import DONE
from rankagg.cli.options.exact import BEGUN, time_limit_option
from rankagg.cli.options.models import MODELS, model_options
from rankagg.cli.options.names import OneOf
from rankagg.cli.options.output import json_option, plot_option, rows_options, save_plot
from rankagg.cli.options.studies import NAMES, StudyRun, sizes_options, study_options
from rankagg.cli.options.wording import options_named
from rankagg.cultures import ImpartialCulture, StudyModel
from rankagg.studies.cycles.cycles import CycleStudy

__all__ = ["command"]


@click.command("cycles")
@model_options
@sizes_options((3,), (3, 11, 101), most_items=1000)
@study_options("profiles", "combination", 1000)
@time_limit_option("the whole command", BEGUN)
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
    run: StudyRun,
    deadline: Deadline,
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
    with options_named({**NAMES, "models": MODELS}):
        study = CycleStudy(
            models=models or [ImpartialCulture()],
            n_items=items,
            n_rankings=rankings,
            n_repetitions=run.repetitions,
            seed=run.seed,
        )
        result = run.of(study, time_limit=deadline.time_limit)
    run.show(result, as_json=as_json, rows=rows)
    save_plot(lambda: result.plot(measure=measure), plot)
    return DONE
