"""Figure 2, tables 1 and 2: scores of whole tasks go missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from matplotlib.axes import Axes

from rankagg.core.scores import ScoreTable
from rankagg.replication.experiment import Bench, Experiment, Found, Picture, Sheet, Values
from rankagg.replication.p2.as_run import LEVELS as RUN_LEVELS
from rankagg.replication.p2.as_run import MEDIUM, REPETITIONS, AsRun, as_shipped, run_again
from rankagg.replication.panels import beside
from rankagg.studies.missing_scores import MissingScoresResult, MissingScoresStudy
from rankagg.studies.sources import Observed

__all__ = ["EXPERIMENTS"]

NAME = "p2-figure-2"
FIGURE, TAUS, TOPS = "Figure 2", "Table 1", "Table 2"
ITEMS = (FIGURE, TAUS, TOPS)
#: How many systems the run took of each leaderboard, from the first on.
FIRST: Final = {"GLUE": 14, "SuperGLUE": 10, "XTREME": 10, "GEM": 5}
#: What rows call a run again, by whether the leaderboard's own average is a task, and the sums.
FORMS: Final = {
    (True, "proportions"): ", run again by proportions",
    (True, "counts"): ", run again by counts",
    (False, "proportions"): ", run again without Score",
}
#: The files of rankings that the authors' run left behind.
SHIPPED: Final = {"GLUE": "glue", "SuperGLUE": "superglue", "XTREME": "xtrem", "GEM": "gem"}
RANKINGS = "authors/p2/task_level_correlations/{}_filtered.json"
LEVELS = tuple(level / 20 for level in range(20))
MEAN, ONE_LEVEL = "Mean", "Borda, uniform"
AGAIN = (
    "The run of the paper again: tau of one level and the mean with its standard deviation, the "
    "share with the same last and third last system, and tau of each rule with the full data."
)


def run(bench: Bench) -> Found:
    """Run the experiment as it is described, and hold the authors' run beside it."""
    again = _run_again(bench)
    values: Values = {
        (FIGURE, "levels of the run that are medium, as printed"): _between(*reversed(MEDIUM)),
        (FIGURE, "levels of the run that are medium, the other way round"): _between(*MEDIUM),
    }
    for label, found in again.items():
        values |= _rows(label, found)
    shipped = {
        name: as_shipped(content)
        for name, file in SHIPPED.items()
        if (content := bench.leaderboards.content_of(RANKINGS.format(file))) is not None
    }
    as_run: Values = {}
    for name, found in shipped.items():
        as_run |= _rows(name, found)
        as_run[FIGURE, f"one level ahead of the mean, {name}"] = _ahead(
            found.one_level - found.mean
        )
    # Of GEM with all its metrics there is only the authors' run.
    values |= {key: value for key, value in as_run.items() if key[1].endswith(", GEM")}
    tables = bench.tables("GLUE", "SuperGLUE", "XTREME", "GEM BLEU")
    if not tables:
        return Found(values, as_run)
    study = MissingScoresStudy(
        models=[Observed(label=name, data=table) for name, table in tables.items()],
        proportions=LEVELS,
        n_repetitions=bench.repetitions(100),
    )
    result = bench.run(NAME, study)
    caption = (
        "Tau with the ranking of the full data while scores are removed, all systems. The paper "
        "shows the first 14 systems of GLUE, 10 of SuperGLUE and XTREME and 5 of GEM, removes each "
        "score with a probability, and goes on to 1, where nothing is left to rank. GEM is that of "
        "its BLEU scores here, which have gaps from the start."
    )
    return Found(
        values | _all_systems(result),
        as_run,
        sheets=(
            Sheet("p2-tables-1-2", AGAIN, _frame({**shipped, **again})),
            Sheet("p2-table-1-all-systems", "One level and the mean, all systems.", _pairs(result)),
        ),
        pictures=(Picture(NAME, caption, partial(draw, result)),),
        sentences=tuple(result.summary().splitlines()[-len(tables) :]),
    )


def _between(low: float, high: float) -> float:
    return float(sum(low <= level <= high for level in RUN_LEVELS))


def _ahead(lead: float) -> str:
    return "more than .10" if lead > 0.1 else f"{lead:.2f}"


def draw(result: MissingScoresResult) -> Axes:
    """Draw a panel for each leaderboard."""
    names = [model.name for model in result.study.models]
    return beside([partial(result.plot, model=name) for name in names])


def _run_again(bench: Bench) -> dict[str, AsRun]:
    """Run it again with the leaderboard's own average as a task, by both sums, and without."""
    tables = {
        (name, with_score): table
        for name in FIRST
        for with_score in (True, False)
        if (with_score or name != "GEM") and (table := _first(bench, name, with_score)) is not None
    }
    found = Parallel(n_jobs=bench.n_jobs)(
        delayed(run_again)(
            table,
            bench.repetitions(REPETITIONS),
            sums=[sums for score, sums in FORMS if score == with_score],
        )
        for (_, with_score), table in tables.items()
    )
    return {
        f"{name}{FORMS[with_score, sums]}": one
        for (name, with_score), by_sums in zip(tables, found, strict=True)
        for sums, one in by_sums.items()
    }


def _first(bench: Bench, name: str, with_score: bool) -> ScoreTable | None:
    """Return the systems that the run took, with the leaderboard's own average as a task or not."""
    needed = [name] if not with_score else _with_score(name)
    tables = bench.tables(*needed)
    if len(tables) < len(needed):
        return None
    values = np.hstack([tables[part].values for part in needed])
    table = tables[needed[0]]
    return ScoreTable(
        values[: FIRST[name]],
        systems=table.systems.labels[: FIRST[name]],
        tasks=[task for part in needed for task in tables[part].tasks],
        higher_is_better=True,
    )


def _with_score(name: str) -> list[str]:
    parts = {"XTREME": ["XTREME Score", "XTREME"], "GEM": ["GEM"]}
    return parts.get(name, [f"{name} with Score"])


def _rows(label: str, found: AsRun) -> Values:
    return {
        (TAUS, f"tau of one level and the mean, {label}"): found.tau,
        (TAUS, f"standard deviation of tau, {label}"): found.spread,
        (TOPS, f"top 1, {label}"): found.last,
        (TOPS, f"top 3, {label}"): found.third_last,
        (FIGURE, f"tau with the full data, one level, {label}"): found.one_level,
        (FIGURE, f"tau with the full data, mean, {label}"): found.mean,
    }


def _all_systems(result: MissingScoresResult) -> Values:
    values: Values = {}
    pairs = result.by_pair(pooled=True).reset_index()
    for row in pairs.to_dict("records"):
        name = row["model"]
        values |= {
            (TAUS, f"tau of one level and the mean, {name}"): row["mean_tau"],
            (TAUS, f"standard deviation of tau, {name}"): row["sd_tau"],
            (TOPS, f"top 1, {name}"): row["mean_top1"],
            (TOPS, f"top 1, {name}, that differ, as the text says"): 1 - row["mean_top1"],
            (TOPS, f"top 3, {name}"): row["mean_same_top3"],
        }
    frame = result.to_frame()
    medium = frame[frame["proportion"].between(*MEDIUM)]
    means = medium.groupby(["model", "method"])["tau"].mean()
    nothing = frame[frame["proportion"] == 0].groupby("model")["tau"].min()
    for model in result.study.models:
        lead = float(means[model.name, ONE_LEVEL] - means[model.name, MEAN])
        values[FIGURE, f"one level ahead of the mean, {model.name}"] = _ahead(lead)
        for rule, method in (("one level", ONE_LEVEL), ("mean", MEAN)):
            quantity = f"tau with the full data, {rule}, {model.name}"
            values[FIGURE, quantity] = float(means[model.name, method])
        values[FIGURE, f"tau with the full data, nothing removed, {model.name}"] = float(
            nothing[model.name]
        )
    return values


def _frame(again: Mapping[str, AsRun]) -> pd.DataFrame:
    return pd.DataFrame([{"table": label, **asdict(found)} for label, found in again.items()])


def _pairs(result: MissingScoresResult) -> pd.DataFrame:
    frame = result.by_pair(pooled=True).reset_index()
    return frame.drop(columns=["scale", "method", "other"]).rename(columns={"model": "table"})


EXPERIMENTS = (Experiment(NAME, "scores of tasks go missing", ITEMS, run),)
