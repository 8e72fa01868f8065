"""`rankagg experiment`: the papers' experiments on a leaderboard of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.deadline import Deadline
from rankagg.cli.exit_codes import DONE
from rankagg.cli.options.aggregators import made, methods_option
from rankagg.cli.options.exact import limited, time_limit_option
from rankagg.cli.options.inputs import Input, input_options
from rankagg.cli.options.names import OneOf
from rankagg.cli.options.output import json_option, plot_option, rows_options, save_plot
from rankagg.cli.options.studies import NAMES, StudyRun, study_options
from rankagg.cli.options.wording import options_named
from rankagg.core.scores import ScoreTable
from rankagg.studies.confidence.confidence import ConfidenceStudy
from rankagg.studies.missing_scores.missing_scores import MissingScoresStudy
from rankagg.studies.scores.score_models import ResampledTableModel, TableModel
from rankagg.studies.study import Study
from rankagg.studies.task_subsets.task_subsets import TaskSubsetStudy

__all__ = ["command"]

DEFAULT_METHODS = ("mean", "borda")


@click.command("experiment")
@input_options
@click.option(
    "--study",
    type=OneOf(["missing-scores", "task-subsets", "confidence"]),
    default="missing-scores",
    show_default=True,
    help="missing-scores: rank what is left when scores go missing. task-subsets: rank by random "
    "subsets of the tasks. confidence: resample instances, and see which pairs are decided.",
)
@methods_option("hold against themselves", default=", ".join(DEFAULT_METHODS))
@time_limit_option("each ranking")
@study_options("tables", "point")
@rows_options("rows")
@json_option
@plot_option("what the study found")
def command(
    given: Input,
    *,
    study: str,
    methods: tuple[str, ...],
    deadline: Deadline,
    run: StudyRun,
    rows: int | None,
    as_json: bool,
    plot: Path | None,
) -> int:
    """Run an experiment of the papers on a table of scores: how stable is its ranking.

    A proportion of the scores is removed at random, or of the tasks, and every method is held
    against what it says of all. The last line says which method stays nearest. For confidence,
    methods are intervals, and --method is not used.

    \b
        rankagg experiment scores.csv --plot missing.svg
        rankagg experiment scores.csv --study task-subsets --method mean --method kemeny
        rankagg experiment instances.csv --instance instance --study confidence
    """
    if not isinstance(given.data, ScoreTable):
        raise click.UsageError("An experiment needs scores; rankings and votes do not hold them.")
    if given.tolerance and study != "task-subsets":
        raise click.UsageError(f"--tolerance has no meaning for --study {study}.")
    if methods and study == "confidence":
        raise click.UsageError("--method has no meaning for --study confidence.")
    rules = limited(made(methods or DEFAULT_METHODS, given.unranked), deadline)
    with options_named({**NAMES, "models": "FILE", "data": "FILE"}):
        result = run.of(_study(study, given, rules, run))
    run.show(result, given.lines, as_json=as_json, rows=rows)
    save_plot(result.plot, plot)
    return DONE


def _study(name: str, given: Input, rules: Sequence[Aggregator], run: StudyRun) -> Study[Any, Any]:
    table = given.data
    assert isinstance(table, ScoreTable)
    if name == "missing-scores":
        return MissingScoresStudy(
            models=[TableModel(label=given.name, table=table)],
            aggregators=rules,
            n_repetitions=run.repetitions,
            seed=run.seed,
        )
    if name == "task-subsets":
        return TaskSubsetStudy(
            data=table,
            aggregators=rules,
            tolerance=given.tolerance,
            n_repetitions=run.repetitions,
            seed=run.seed,
        )
    return ConfidenceStudy(
        models=[ResampledTableModel(label=given.name, table=table)],
        n_repetitions=run.repetitions,
        seed=run.seed,
    )
