"""How many corrupted tasks a rule bears before it loses the true order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import pandas as pd

from rankagg._validation import check_integer, check_number
from rankagg.aggregation.base import Aggregator
from rankagg.core.results.result import plain_rows
from rankagg.core.scores.table import ScoreTable
from rankagg.studies.checks import several
from rankagg.studies.corruption.corruption import (
    EXACT,
    PRINTED,
    CorruptedCell,
    CorruptionResult,
    CorruptionStudy,
    Drawing,
)
from rankagg.studies.journal import NUMBER, Layout
from rankagg.studies.study import Rows

__all__ = ["BROKEN", "ManipulationCell", "ManipulationResult", "ManipulationStudy"]

#: The normalized distance beyond which the paper calls an order lost.
BROKEN = 0.75


@dataclass(frozen=True)
class ManipulationCell(CorruptedCell):
    """One table with corrupted tasks.

    Attributes
    ----------
    step : float
        How far apart the systems are.
    n_corrupted : int
        On so many tasks the true order is reversed.
    repetition : int
        Its number among its like.
    """

    step: float
    n_corrupted: int
    repetition: int

    @property
    def key(self) -> tuple[float, int, int]:
        """What tells it apart, as plain data."""
        return self.step, self.n_corrupted, self.repetition

    def table(self, drawing: Drawing, seed: int) -> ScoreTable:
        """Return the corrupted scores."""
        return drawing.table(self.n_corrupted, seed)


class ManipulationResult(CorruptionResult):
    """How far from the true order rules end as more and more tasks are corrupted.

    Made by `ManipulationStudy.run`; `plot` draws a `rankagg.plotting.manipulation_plot`.

    Attributes
    ----------
    study : ManipulationStudy
        What was asked.
    """

    _schema = "rankagg.manipulation_result"
    _plot = "manipulation_plot"
    _grid = ["step", "n_corrupted"]  # noqa: RUF012

    study: ManipulationStudy

    def breakdown(self, threshold: float = BROKEN) -> pd.DataFrame:
        """Return the breakdown points: the fewest corrupted tasks that make a rule wrong.

        Parameters
        ----------
        threshold : float, default 0.75
            A rule is wrong where its mean distance to the true order is greater, from 0 to below
            1. With 0.5 it is nearer to the opposite.

        Returns
        -------
        pandas.DataFrame
            One row per step and method. n_corrupted: the breakdown point, missing where no number
            of the study reaches it; mean_distance there, with its standard error se_distance.
        """
        check_number(threshold, "threshold", low=0, high=1, open_high=True)
        table = self.by_method().reset_index()
        beyond = table[table["mean_distance"] > threshold]
        keys = ["step", "method"]
        first = beyond.sort_values("n_corrupted", kind="stable").groupby(keys).head(1)
        all_keys = table[keys].drop_duplicates()
        columns = [*keys, "n_corrupted", "mean_distance", "se_distance"]
        points = all_keys.merge(first[columns], how="left", on=keys)
        return points.astype({"n_corrupted": "Int64"})

    def _table(self) -> pd.DataFrame:
        return self.breakdown()

    def _facts(self) -> Iterable[str]:
        yield from super()._facts()
        yield f"corrupted tasks from which the mean distance to the true order is above {BROKEN}:"

    def _content(self) -> dict[str, Any]:
        return {
            **super()._content(),
            "threshold": BROKEN,
            "breakdown": plain_rows(self.breakdown()),
        }


@dataclass(frozen=True, kw_only=True)
class ManipulationStudy(CorruptionStudy[ManipulationCell, ManipulationResult]):
    """How many corrupted tasks rules bear.

    The score of the n-th of N systems on every instance of a task is `step` n plus Gumbel noise;
    on a corrupted task it is -n plus noise, so that the true order is reversed there. For each step
    and number of corrupted tasks `n_repetitions` tables are drawn, and every rule is held
    against the true order. Tables that differ in nothing but the number of corrupted tasks share
    their noise.

    Parameters
    ----------
    aggregators : sequence of Aggregator, optional
        The rules. By default the mean, Borda's rule on all instances (one level) and first within
        tasks (two levels), and in both of these places the exact Kemeny rule.
    steps : sequence of float, default (0.05, 0.1, 0.3)
        How far apart the systems are: positive, in units of the noise's scale.
    n_corrupted : sequence of int, optional
        Numbers of corrupted tasks; by default all from 0 to `n_tasks`.
    n_systems, n_tasks, n_instances : int, default 20
        The size of the tables; instances are those of each task.
    n_repetitions : int, default 100
        Tables for each combination.
    seed : int, default 0
        Of all random numbers.
    time_limit : float, optional
        Seconds for a rule that searches, on one table; none by default. What is not proved in time
        is counted.

    Raises
    ------
    InvalidInputError
        If a parameter is out of its range, or two rules are alike.

    References
    ----------
    Colombo et al. (2022), section 4.2 and figure 3, https://doi.org/10.48550/arXiv.2202.03799.
    Their dispersion is the step.

    Examples
    --------
    >>> import rankagg as ra
    >>> study = ra.ManipulationStudy(steps=[0.3], n_corrupted=[4, 8, 12], n_repetitions=2)
    >>> study.run().breakdown()[["method", "n_corrupted"]]
                         method  n_corrupted
    0                      Mean            8
    1                     Borda           12
    2    TwoLevel(Borda, Borda)           12
    3                    Kemeny           12
    4   TwoLevel(Borda, Kemeny)           12
    """

    _schema: ClassVar[str] = "rankagg.manipulation_study"

    aggregators: Sequence[Aggregator] = PRINTED + EXACT
    steps: Sequence[float] = (0.05, 0.1, 0.3)
    n_corrupted: Sequence[int] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        name = "n_corrupted of ManipulationStudy"
        given = range(self.n_tasks + 1) if self.n_corrupted is None else self.n_corrupted
        numbers = several(given, name)
        for number in numbers:
            check_integer(number, name, low=0, high=self.n_tasks)
        object.__setattr__(self, "n_corrupted", several(map(int, numbers), name))

    def cells(self) -> Iterator[ManipulationCell]:
        """Iterate over the tables of the grid, in the order of the results."""
        grid = product(self.steps, self.n_corrupted or (), range(self.n_repetitions))
        for step, n_corrupted, repetition in grid:
            yield ManipulationCell(step, n_corrupted, repetition)

    def _layout(self) -> Layout:
        return self._layout_of(NUMBER, (int,), (int,))

    def _result(self, rows: Rows[ManipulationCell]) -> ManipulationResult:
        return ManipulationResult(study=self, _rows=rows)
