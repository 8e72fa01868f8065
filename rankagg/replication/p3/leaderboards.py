"""Tables 1 to 4: three means of every system, and the orders that follow from them."""

from __future__ import annotations

from functools import partial

import pandas as pd

from rankagg.aggregation.means import Mean
from rankagg.replication.experiment import Bench, Experiment, Found, Sheet
from rankagg.replication.p3.benchmarks import HUMAN, Benchmark, benchmarks, means, place
from rankagg.replication.reading import as_order, scores_of
from rankagg.replication.verdicts import Value

__all__ = ["EXPERIMENTS"]

TITLES = {
    "Table 1": "GLUE by three means",
    "Table 2": "SuperGLUE by three means",
    "Table 3": "XTREME by three means",
    "Table 4": "XGLUE by three means",
}
SENTENCES = {
    "Table 1": (
        "The geometric and harmonic means are those of the print, with the leaderboard's column AX "
        "for models, which the table leaves out, and without it for humans. The arithmetic means "
        "in print are averages of nine other columns, so the three cannot be compared.",
    ),
    "Table 2": (
        "The geometric and harmonic means are those of the print, over ten columns. The arithmetic "
        "means in print are over eight, without the diagnostics, so the three cannot be compared.",
    ),
    "Table 3": (
        "The geometric and harmonic means are those of the print: of three groups of tasks for "
        "humans, who have no score on the fourth, and of four for models. The arithmetic means in "
        "print are averages of nine tasks for models, and below their harmonic means, which no "
        "mean of the same numbers is.",
    ),
    "Table 4": (
        "The three means are over the same columns here, in print too, and keep the order. The "
        "geometric mean of the generation tasks is misprinted.",
    ),
}


def run(bench: Bench, *, item: str) -> Found:
    """Take the three means over the columns that the printed means are over."""
    parts = [benchmark for benchmark in benchmarks() if benchmark.item == item]
    values: dict[tuple[str, str], Value] = {}
    for benchmark in parts:
        values |= _means(benchmark) | _leaderboard(benchmark)
    values |= _unscored(parts[0])
    name = f"p3-{item.lower().replace(' ', '-')}"
    caption = f"{item}: means over the columns shown, and the leaderboard's own average."
    sheet = Sheet(name, caption, pd.concat([_frame(part) for part in parts]))
    return Found(values, sheets=(sheet,), sentences=SENTENCES[item])


def _means(benchmark: Benchmark) -> dict[tuple[str, str], Value]:
    values: dict[tuple[str, str], Value] = {}
    for name, consensus in means(benchmark.means_of).items():
        for system, mean in zip(consensus.items, scores_of(consensus), strict=True):
            values[benchmark.named(f"{name} mean", system)] = float(mean)
        if len(consensus.items) > 1:
            values[benchmark.named(f"order by the {name} mean")] = as_order(consensus.ranking)
    return values


def _leaderboard(benchmark: Benchmark) -> dict[tuple[str, str], Value]:
    consensus = Mean().aggregate(benchmark.average_of)
    values: dict[tuple[str, str], Value] = {}
    for system, average in zip(consensus.items, scores_of(consensus), strict=True):
        values[benchmark.named("leaderboard average", system)] = float(average)
        values[benchmark.named("place on the leaderboard", system)] = float(
            place(consensus, system)
        )
    if benchmark.name == "GLUE":
        values[benchmark.named("order on the leaderboard")] = as_order(consensus.ranking)
    return values


def _unscored(benchmark: Benchmark) -> dict[tuple[str, str], Value]:
    """Return what stands for a missing score in print."""
    if benchmark.name != "XTREME":
        return {}
    table = benchmark.means_of
    task = "Sentence Retrieval"
    assert table.missing[table.systems.index(HUMAN), table.tasks.index(task)]
    return {benchmark.named(task, HUMAN): "not scored"}


def _frame(benchmark: Benchmark) -> pd.DataFrame:
    columns = {f"{name} mean": scores_of(one) for name, one in means(benchmark.means_of).items()}
    average = scores_of(Mean().aggregate(benchmark.average_of))
    frame = benchmark.means_of.to_frame().rename_axis("system").reset_index()
    for at, (name, column) in enumerate({**columns, "leaderboard average": average}.items()):
        frame.insert(1 + at, name, column)
    return frame


EXPERIMENTS = tuple(
    Experiment(f"p3-table-{number}", title, (item,), partial(run, item=item))
    for number, (item, title) in enumerate(TITLES.items(), start=1)
)
