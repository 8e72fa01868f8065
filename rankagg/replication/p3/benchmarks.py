"""The leaderboards of the paper: which columns its means are of, and which its averages are of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankagg._typing import Label
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.means import GeometricMean, HarmonicMean, Mean
from rankagg.aggregation.result import Consensus
from rankagg.core.scores import ScoreTable
from rankagg.replication.leaderboards import load_table

__all__ = ["HUMAN", "MEANS", "Benchmark", "benchmarks", "means", "metrics", "place"]

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
