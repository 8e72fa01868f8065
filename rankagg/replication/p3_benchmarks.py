"""Benchmarks of the third paper: their tables, leaders and metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from rankagg._typing import Label
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.means import GeometricMean, HarmonicMean, Mean
from rankagg.aggregation.result import Consensus
from rankagg.core.scores import ScoreTable
from rankagg.replication.experiment import Bench, Experiment, Found, Sheet, as_order, scores_of
from rankagg.replication.leaderboards import load_table
from rankagg.replication.published import Value

HUMAN = "Human"
MEANS: Mapping[str, Aggregator] = {
    "arithmetic": Mean(),
    "geometric": GeometricMean(),
    "harmonic": HarmonicMean(),
}
# What benchmarks average into one task.
METRICS: Mapping[str, Mapping[Label, Sequence[Label]]] = {
    "GLUE": {
        "MRPC": ("MRPC F1", "MRPC accuracy"),
        "STS-B": ("STS-B Pearson", "STS-B Spearman"),
        "QQP": ("QQP F1", "QQP accuracy"),
    },
    "SuperGLUE": {
        "CB": ("CB F1", "CB accuracy"),
        "MultiRC": ("MultiRC F1", "MultiRC accuracy"),
        "ReCoRD": ("ReCoRD F1", "ReCoRD accuracy"),
    },
}
DIAGNOSTICS = ("AX-b", "AX-g")
GENERATION = ("OG", "NTG")
# How many of XTREME's nine tasks each group of them has.
SIZES: Mapping[Label, float] = {
    "Sentence-pair Classification": 2,
    "Structured Prediction": 2,
    "Question Answering": 3,
    "Sentence Retrieval": 2,
}


@dataclass(frozen=True)
class Benchmark:
    """A leaderboard of the paper."""

    # The name of the benchmark, and the table with its scores.
    name: str
    item: str
    # The columns that the printed geometric and harmonic means are of. Where a score is missing
    # they are over the others.
    means_of: ScoreTable
    # The columns, weighted, that the leaderboard's own average is of.
    average_of: ScoreTable
    # Columns that all systems have scores on, by what they are.
    fixed: Mapping[str, ScoreTable]
    # What the printed rows are told apart by, where a table has two parts.
    part: str = ""

    @property
    def has_humans(self) -> bool:
        """Whether humans are among the systems."""
        return HUMAN in self.means_of.systems

    def named(self, quantity: str, system: object = None) -> tuple[str, str]:
        """Return the key of a quantity, of the benchmark or of one system."""
        words = (quantity, "" if system is None else str(system), self.part)
        return self.item, ", ".join(word for word in words if word)


def benchmarks() -> tuple[Benchmark, ...]:
    """Return GLUE, SuperGLUE, XTREME, and XGLUE's understanding and generation tasks."""
    return (_glue(), _superglue(), _xtreme(), *_xglue())


def place(consensus: Consensus, system: Label = HUMAN) -> int:
    """Return the rank of a system, from 1."""
    rank = consensus.ranking.rank(system)
    assert rank is not None
    return rank


def metrics(name: str) -> tuple[ScoreTable, Mapping[Label, Sequence[Label]]]:
    """Return a benchmark's table of single metrics, and which of them make a task."""
    return load_table(f"{name.lower()}_metrics"), METRICS[name]


def means(table: ScoreTable) -> dict[str, Consensus]:
    """Return the consensus by each of the three means."""
    return {name: rule.aggregate(table) for name, rule in MEANS.items()}


def _glue() -> Benchmark:
    table, groups = metrics("GLUE")
    eleven = table.group_tasks(groups)
    ten = eleven.drop(tasks=["AX"])
    return Benchmark(
        "GLUE", "Table 1", eleven, ten.group_tasks({"MNLI": ("MNLI-m", "MNLI-mm")}),
        {
            "the same ten tasks": ten,
            "the ten tasks and AX, humans' from SuperGLUE": borrowed(eleven),
        },
    )  # fmt: skip


def borrowed(glue: ScoreTable) -> ScoreTable:
    """Return GLUE's table with the humans' score on SuperGLUE's AX-b as theirs on AX."""
    other = load_table("superglue_human")
    values = np.array(glue.values)
    at = glue.systems.index(HUMAN), glue.tasks.index("AX")
    values[at] = other.values[other.systems.index(HUMAN), other.tasks.index("AX-b")]
    return ScoreTable(values, systems=glue.systems, tasks=glue.tasks.labels, higher_is_better=True)


def _superglue() -> Benchmark:
    table, groups = metrics("SuperGLUE")
    ten = table.group_tasks(groups)
    eight = ten.drop(tasks=DIAGNOSTICS)
    return Benchmark(
        "SuperGLUE", "Table 2", ten, eight,
        {"the same eight tasks": eight, "the eight tasks and two diagnostics": ten},
    )  # fmt: skip


def _xtreme() -> Benchmark:
    table = load_table("xtreme_human")
    three = table.drop(tasks=["Sentence Retrieval"])
    return Benchmark(
        "XTREME", "Table 3", table, table.with_task_weights(SIZES),
        {"the same three groups of tasks": three},
    )  # fmt: skip


def _xglue() -> tuple[Benchmark, Benchmark]:
    table = load_table("xglue")
    nine = table.drop(tasks=GENERATION)
    two = table.drop(tasks=nine.tasks.labels, systems=["FILTER"])
    return (
        Benchmark("XGLUE", "Table 4", nine, nine, {}),
        Benchmark("XGLUE", "Table 4", two, two, {}, "generation"),
    )


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


def run_leader(bench: Bench, *, item: str) -> Found:
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


LEADER_EXPERIMENTS = tuple(
    Experiment(f"p3-table-{number}", title, (item,), partial(run_leader, item=item))
    for number, (item, title) in enumerate(TITLES.items(), start=1)
)


ITEMS = {"Table 7": "GLUE", "Table 8": "SuperGLUE"}


def run_metric(bench: Bench, *, item: str) -> Found:
    """Average metrics into tasks, tasks into means, and hold both against Tables 1 and 2."""
    benchmark = next(one for one in benchmarks() if one.name == ITEMS[item])
    single, groups = metrics(benchmark.name)
    table = benchmark.means_of
    values: dict[tuple[str, str], Value] = {}
    for task in groups:
        column = table.values[:, table.tasks.index(task)]
        for system, score in zip(table.systems, column, strict=True):
            values[item, f"mean of the metrics of {task}, {system}"] = float(score)
    rules = {
        "geometric mean": GeometricMean().aggregate(table),
        "arithmetic mean": Mean().aggregate(table),
        "leaderboard average": Mean().aggregate(benchmark.average_of),
    }
    for name, consensus in rules.items():
        for system, mean in zip(consensus.items, scores_of(consensus), strict=True):
            values[item, f"{name}, {system}"] = float(mean)
    values[item, f"tasks whose column in {benchmark.item} is another"] = float(
        len(_other_columns(benchmark))
    )
    frame = single.to_frame().rename_axis("system").reset_index()
    sheet = Sheet(f"p3-{item.lower().replace(' ', '-')}", f"{benchmark.name} by metrics.", frame)
    return Found(values, sheets=(sheet,))


def _other_columns(benchmark: Benchmark) -> list[object]:
    """Return the tasks on which averaged metrics are not the scores of Tables 1 and 2."""
    averaged, printed = benchmark.means_of, load_table(f"{benchmark.name.lower()}_human")
    return [
        task
        for task, scores in zip(printed.tasks, printed.values.T, strict=True)
        if not np.allclose(
            averaged.values[:, averaged.tasks.index(task)], scores, rtol=0, atol=1e-9
        )
    ]


METRIC_EXPERIMENTS = tuple(
    Experiment(
        f"p3-{item.lower().replace(' ', '-')}", f"{name} by single metrics", (item,),
        partial(run_metric, item=item),
    )
    for item, name in ITEMS.items()
)  # fmt: skip
