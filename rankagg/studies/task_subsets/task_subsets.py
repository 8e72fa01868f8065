"""Random subsets of tasks: how near every rule stays to what it says of all tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import isnan

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Tolerance
from rankagg._validation import check_integer
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.means import Mean
from rankagg.aggregation.positional import Borda
from rankagg.analysis.comparison.agreement import agreement_of
from rankagg.analysis.robustness.parts import Parts, draw_subset
from rankagg.core.items import counted
from rankagg.core.rankings.partial import PartialRanking
from rankagg.core.rankings.places import UNRANKED
from rankagg.core.scores import ScoreTable, as_tolerance
from rankagg.exceptions import Described, InvalidInputError, RankaggError
from rankagg.studies.cell_result import check_rules, check_table, several
from rankagg.studies.journal import FLAG, MISSING, NUMBER, TEXT, Kinds, Layout, Row
from rankagg.studies.scores.score_models import table_digest
from rankagg.studies.study import Cell, Rows, Study
from rankagg.studies.task_subsets.task_subset_result import TaskSubsetResult

__all__ = ["Reference", "SubsetCell", "SubsetTrial", "TaskSubsetStudy"]

#: What a row holds, and the kinds of its values.
FIELDS: dict[str, Kinds] = {
    "method": TEXT,
    "tau": NUMBER + MISSING,
    "distance": NUMBER + MISSING,
    "top1": NUMBER + MISSING,
    "n_ranked": (int,),
    "proved": FLAG,
    "error": TEXT + MISSING,
}


@dataclass(frozen=True)
class SubsetCell(Cell):
    """One random subset of tasks."""

    # How many tasks it has.
    size: int
    # Its number among those of that size.
    repetition: int

    @property
    def key(self) -> tuple[int, int]:
        """What tells it apart, as plain data."""
        return self.size, self.repetition

    def tasks(self, n_tasks: int, seed: int) -> NDArray[np.intp]:
        """Return the positions of its tasks among so many."""
        return draw_subset(n_tasks, self.size, self.generator(seed, "tasks"))


@dataclass(frozen=True, eq=False)
class Reference:
    """What a rule says of all tasks."""

    rule: Aggregator
    ranking: PartialRanking
    # False where an exact rule did not prove it in time.
    is_proved: bool


@dataclass(frozen=True, eq=False)
class SubsetTrial:
    """What is tried on every subset."""

    parts: Parts
    # The rules, each with what it is held against.
    references: tuple[Reference, ...]
    # Of all random numbers.
    seed: int

    def run(self, cell: SubsetCell) -> list[Row]:
        """Draw a subset and aggregate it with every rule."""
        evidence = self.parts.part(cell.tasks(len(self.parts.units), self.seed))
        return [self._row(reference, evidence, cell) for reference in self.references]

    def _row(self, reference: Reference, evidence: Evidence, cell: SubsetCell) -> Row:
        rule, whole = reference.rule, reference.ranking
        unknown: Row = {"method": rule.name, "tau": None, "distance": None, "top1": None}
        try:
            found = rule.aggregate(evidence, rng=cell.generator(self.seed, repr(rule)))
        except RankaggError as error:
            # The study goes on, and counts it.
            return {**unknown, "n_ranked": 0, "proved": True, "error": str(error)}
        if found.interrupted:
            raise KeyboardInterrupt
        proved = reference.is_proved and found.is_proved is not False
        common = (found.ranking.ranks != UNRANKED) & (whole.ranks != UNRANKED)
        row = {**unknown, "n_ranked": int(common.sum()), "proved": proved, "error": None}
        if proved:
            known = agreement_of(whole, found.ranking)
            row |= {name: None if isnan(value) else value for name, value in known.items()}
        return row


@dataclass(frozen=True, kw_only=True)
class TaskSubsetStudy(Study[SubsetCell, TaskSubsetResult]):
    """How near each rule's consensus on random subsets of tasks is to its own on all tasks.

    For every size, `n_repetitions` subsets are drawn, independently and each with equal chance;
    every rule aggregates the same subsets. A rule whose correlation is higher and spreads less
    depends less on which tasks a benchmark happens to have. `stability` looks at one rule, at what
    single tasks do, and at different subsets, all where they are few.

    Parameters
    ----------
    data : ScoreTable
        The scores. Instances stay with their task.
    aggregators : sequence of Aggregator, default (Mean(), Borda())
        The rules.
    sizes : sequence of int, optional
        How many tasks subsets have; by default every number from 1 to all but one.
    n_repetitions : int, default 100
        Subsets of each size.
    seed : int, default 0
        Of all random numbers.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied; see `ScoreTable.rankings`.

    Raises
    ------
    InvalidInputError
        If a parameter is out of its range, two rules are alike, or there are fewer than two tasks.

    References
    ----------
    Colombo et al. (2022), "What are the best systems? New perspectives on NLP benchmarking",
    https://doi.org/10.48550/arXiv.2202.03799, section 5.2, figures 5, 8 and 9.

    Examples
    --------
    >>> import rankagg as ra
    >>> table = ra.datasets.load("xtreme_human")
    >>> result = ra.studies.TaskSubsetStudy(data=table, n_repetitions=20).run()
    >>> result.by_size()[["subsets", "mean", "std"]].round(2)
                 subsets  mean   std
    size method
    1    Mean         20  0.84  0.14
         Borda        20  0.70  0.13
    2    Mean         20  0.78  0.17
         Borda        20  0.80  0.08
    3    Mean         20  0.97  0.08
         Borda        20  0.95  0.07
    """

    data: ScoreTable
    aggregators: Sequence[Aggregator] = (Mean(), Borda())
    sizes: Sequence[int] | None = None
    n_repetitions: int = 100
    seed: int = 0
    tolerance: Tolerance = field(default=0.0, hash=False)

    def __post_init__(self) -> None:
        owner = "of TaskSubsetStudy"
        check_table(self.data, "TaskSubsetStudy")
        total = self.data.n_tasks
        if total < 2:
            raise InvalidInputError(
                f"data {owner}", "a table with at least two tasks",
                Described(counted(total, "task")),
            )  # fmt: skip
        sizes = range(1, total) if self.sizes is None else self.sizes
        object.__setattr__(self, "sizes", several(sizes, f"sizes {owner}"))
        object.__setattr__(self, "aggregators", several(self.aggregators, f"aggregators {owner}"))
        check_rules(self.aggregators)
        for size in self.grid:
            check_integer(size, f"sizes {owner}", low=1, high=total)
        check_integer(self.n_repetitions, f"n_repetitions {owner}", low=1)
        super().__post_init__()
        object.__setattr__(self, "tolerance", as_tolerance(self.tolerance, self.data.tasks))

    @property
    def grid(self) -> tuple[int, ...]:
        """The sizes, also where none were stated."""
        assert self.sizes is not None, "set on creation"
        return tuple(self.sizes)

    def cells(self) -> Iterator[SubsetCell]:
        """Iterate over the subsets, in the order of the results."""
        for size, repetition in product(self.grid, range(self.n_repetitions)):
            yield SubsetCell(int(size), repetition)

    def _trial(self) -> SubsetTrial:
        parts = Parts(data=self.data, tolerance=self.tolerance, over="tasks")
        total = self.data.n_tasks
        evidence = parts.part(np.arange(total))
        everything = SubsetCell(total, 0)
        references = []
        for rule in self.aggregators:
            found = rule.aggregate(evidence, rng=everything.generator(self.seed, repr(rule)))
            if found.interrupted:
                raise KeyboardInterrupt
            references.append(Reference(rule, found.ranking, found.is_proved is not False))
        return SubsetTrial(parts, tuple(references), self.seed)

    def _layout(self) -> Layout:
        trial = {
            "rules": [repr(rule) for rule in self.aggregators],
            "data": table_digest(self.data),
            "tolerance": self.data._tolerances(self.tolerance).tolist(),
            "seed": self.seed,
        }
        return Layout(
            schema="rankagg.task_subset_study",
            trial=trial,
            cell=((int,), (int,)),
            fields=FIELDS,
            label="method",
            labels=tuple(rule.name for rule in self.aggregators),
        )

    def _result(self, rows: Rows[SubsetCell]) -> TaskSubsetResult:
        return TaskSubsetResult(study=self, _rows=rows)
