"""What becomes of rules when the scores of one task are multiplied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import pandas as pd

from rankagg._validation import check_flag
from rankagg.aggregation.base import Aggregator
from rankagg.core.scores.table import ScoreTable
from rankagg.distributions.latent_scores import rescale_tasks
from rankagg.studies.checks import several
from rankagg.studies.corruption.corruption import (
    PRINTED,
    CorruptedCell,
    CorruptionResult,
    CorruptionStudy,
    Drawing,
)
from rankagg.studies.journal import FLAG, NUMBER, Layout
from rankagg.studies.study import Rows

__all__ = ["ScalingCell", "ScalingResult", "ScalingStudy"]


@dataclass(frozen=True)
class ScalingCell(CorruptedCell):
    """One table with a rescaled task.

    Attributes
    ----------
    reversed : bool
        Whether the true order is reversed on that task.
    step : float
        How far apart the systems are.
    factor : float
        What the scores of that task are multiplied with.
    repetition : int
        Its number among its like.
    """

    reversed: bool
    step: float
    factor: float
    repetition: int

    @property
    def key(self) -> tuple[bool, float, float, int]:
        """What tells it apart, as plain data."""
        return self.reversed, self.step, self.factor, self.repetition

    def table(self, drawing: Drawing, seed: int) -> ScoreTable:
        """Return the corrupted scores."""
        drawn = drawing.table(int(self.reversed), seed)
        return rescale_tasks(drawn, {drawn.tasks[0]: self.factor})


class ScalingResult(CorruptionResult):
    """How far from the true order rules end when one task is rescaled.

    Made by `ScalingStudy.run`; `plot` draws a `rankagg.plotting.scaling_plot`.

    Attributes
    ----------
    study : ScalingStudy
        What was asked.
    """

    _schema = "rankagg.scaling_result"
    _plot = "scaling_plot"
    _grid = ["reversed", "step", "factor"]  # noqa: RUF012

    study: ScalingStudy

    def _table(self) -> pd.DataFrame:
        """Return the mean distances, a column for each factor."""
        means = self.by_method()["mean_distance"].unstack("factor", sort=False)
        return means.reset_index().rename_axis(columns=None)

    def _facts(self) -> Iterable[str]:
        yield from super()._facts()
        yield "mean distance to the true order, by the factor of one task:"


@dataclass(frozen=True, kw_only=True)
class ScalingStudy(CorruptionStudy[ScalingCell, ScalingResult]):
    """What becomes of rules when the scores of one task are multiplied.

    Scores are those of `ManipulationStudy`. Those of one task are multiplied with a factor: as
    they are, or after the true order was reversed on that task. A factor changes no
    ranking, so rules on rankings give the same whatever it is; in the mean the task gains weight.
    Tables that differ in nothing but the factor share their noise.

    Parameters
    ----------
    aggregators : sequence of Aggregator, optional
        The rules. By default the mean, and Borda's rule on all instances (one level) and first
        within tasks (two levels).
    steps : sequence of float, default (0.05, 0.1, 0.3)
        How far apart the systems are: positive, in units of the noise's scale.
    factors : sequence of float, default (1, 2, ..., 10)
        What the scores of the task are multiplied with; positive.
    reversed : sequence of bool, default (False, True)
        Whether the true order is reversed on that task.
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
    Colombo et al. (2022), section 4.3 and figure 7, https://doi.org/10.48550/arXiv.2202.03799.
    Their text has positive factors alone; their figure comes from a task that is reversed as well.

    Examples
    --------
    >>> import rankagg as ra
    >>> study = ra.ScalingStudy(steps=[0.05], factors=[1, 2, 10], n_repetitions=3)
    >>> print(study.run().summary())
    3 rules on 18 tables of 20 systems, 20 tasks, 20 instances; seed 0
    mean distance to the true order, by the factor of one task:
     reversed  step                 method   1.0   2.0  10.0
        False 0.050                   Mean 0.058 0.063 0.086
        False 0.050                  Borda 0.056 0.056 0.056
        False 0.050 TwoLevel(Borda, Borda) 0.060 0.060 0.060
         True 0.050                   Mean 0.519 0.947 0.996
         True 0.050                  Borda 0.068 0.068 0.068
         True 0.050 TwoLevel(Borda, Borda) 0.054 0.054 0.054
    """

    _schema: ClassVar[str] = "rankagg.scaling_study"

    aggregators: Sequence[Aggregator] = PRINTED
    steps: Sequence[float] = (0.05, 0.1, 0.3)
    factors: Sequence[float] = tuple(range(1, 11))
    reversed: Sequence[bool] = (False, True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set_numbers("factors")
        name = "reversed of ScalingStudy"
        flags = tuple(check_flag(flag, name) for flag in several(self.reversed, name))
        object.__setattr__(self, "reversed", flags)

    def cells(self) -> Iterator[ScalingCell]:
        """Iterate over the tables of the grid, in the order of the results."""
        grid = product(self.reversed, self.steps, self.factors, range(self.n_repetitions))
        for reverse, step, factor, repetition in grid:
            yield ScalingCell(reverse, step, factor, repetition)

    def _layout(self) -> Layout:
        return self._layout_of(FLAG, NUMBER, NUMBER, (int,))

    def _result(self, rows: Rows[ScalingCell]) -> ScalingResult:
        return ScalingResult(study=self, _rows=rows)
