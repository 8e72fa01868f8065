"""Independent units of a `ScoreSummary`, which holds only sums of their values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, cast, get_args

import numpy as np

from rankagg._typing import Floats, Label
from rankagg._validation import check_choice, check_flag
from rankagg.aggregation import summed_points
from rankagg.core import ItemSet, ScoreSummary, TaskTally, are_level, rounding_error
from rankagg.exceptions import InformationLostError, InvalidInputError
from rankagg.inference.pair_values import Moments, Pairs, PairSums, PairValues
from rankagg.inference.units import Unit, Units, pooled

# For each pair the number of units, and the sums of their values and squares.
PairTotals = tuple[Floats, Floats, Floats]


@dataclass(frozen=True, eq=False)
class SummedUnits:
    """The instances of all tasks, each an independent unit, by their sums."""

    items: ItemSet
    # The sums of the scores.
    summary: ScoreSummary
    # Shape (t, p). For each task and pair the number of units, and the sums of their values and
    # squares.
    sums: PairTotals
    # True if every value is 1, 1/2 or 0.
    is_direct: bool
    # Whether the tasks are fixed, not a sample.
    fixed_tasks: bool
    # Caveats.
    notes: tuple[str, ...] = ()

    #: The independent unit is the ranking of every instance of a task.
    unit: ClassVar[Unit] = "ranking"
    #: No value is outside [0, 1].
    is_bounded: ClassVar[bool] = True

    @cached_property
    def pairs(self) -> Pairs:
        """Positions of the first and the second item of each pair, first < second."""
        first, second = np.triu_indices(len(self.items), k=1)
        return first, second

    @property
    def n_units(self) -> int:
        """The number of independent observations."""
        return self.summary.n_units

    @property
    def stratum_weights(self) -> Floats:
        """The weights of fixed tasks; a single 1 if tasks are not fixed."""
        return self.summary.weight_vector if self.fixed_tasks else np.ones(1)

    @property
    def is_weighted(self) -> bool:
        """True if units differ in weight, or if several tasks are fixed."""
        weights = self.summary.weight_vector
        return len(weights) > 1 if self.fixed_tasks else not are_level(weights)

    @property
    def errors(self) -> Floats:
        """The rounding error of the mean value of each pair; sums are exact integers."""
        return np.full(len(self.pairs[0]), rounding_error(1.0))

    def outcomes(self) -> tuple[Floats, Floats, Floats]:
        """Return for each pair the numbers of units with the first above, tied, second above."""
        tallies, policy = self.summary.tallies.values(), self.summary.unranked
        wins = np.sum([tally.judged(policy)[0] for tally in tallies], axis=0)
        ties = np.sum([tally.ties for tally in tallies], axis=0)
        first, second = self.pairs
        result = wins[first, second], ties[first, second], wins[second, first]
        return tuple(part.astype(float) for part in result)

    @cached_property
    def moments(self) -> Moments:
        """The moments of all pairs."""
        n, first, _ = self.sums
        if self.fixed_tasks:
            together = PairSums(n, n, n, first)
        else:
            w = self.summary.weight_vector[:, None]
            parts = (n, w * n, w**2 * n, w * first)
            together = PairSums(*(part.sum(axis=0, keepdims=True) for part in parts))
        return together.moments(self.stratum_weights)

    @staticmethod
    def of_pairs(summary: ScoreSummary, unit: object, fixed_tasks: object) -> Units | SummedUnits:
        """Return the units of the pairwise values; tasks are `Units`, by their means."""
        kind = check_choice(unit, get_args(Unit)[:3], "unit")
        fixed = check_flag(fixed_tasks, "fixed_tasks")
        if fixed and kind != "ranking":
            raise InvalidInputError("fixed_tasks", "False unless `unit='ranking'`", fixed)
        if kind == "instance":
            raise InformationLostError(
                "unit='instance' needs rankings; a ScoreSummary does not hold them. Read the "
                "scores with `read_scores`, or use unit='ranking' if no instance is in two tasks."
            )
        pairs = np.triu_indices(summary.n_systems, k=1)

        def of(task: Label, tally: TaskTally) -> PairTotals:
            wins, judged = (part.astype(np.float64) for part in tally.judged(summary.unranked))
            return judged[pairs], (wins + tally.ties / 2)[pairs], (wins + tally.ties / 4)[pairs]

        if kind != "task":
            return _of_tallies(summary, of, fixed, is_direct=True)
        n, first, _ = _stacked(of(*entry) for entry in summary.tallies.items())
        with np.errstate(invalid="ignore"):
            means = first / n
        # Each task is a cluster of one, so that resamples draw them in the order of a table.
        numbers = np.arange(len(means))
        source, ones, tasks = _TaskMeans(means, summary.n_systems), np.ones(len(means)), numbers * 0
        weights = summary.weight_vector
        return Units(
            summary.systems, "task", source, ones, weights, numbers, tasks, np.ones(1), False
        )

    @staticmethod
    def of_points(
        summary: ScoreSummary,
        of: str,
        method: str | None,
        *,
        unit: object,
        fixed_tasks: object,
    ) -> SummedUnits:
        """Return units with scaled differences of Borda points as values."""
        kind = check_choice(unit, get_args(Unit)[:3], "unit")
        if of != "borda" or method not in (None, "hoeffding") or kind != "ranking":
            raise InformationLostError(
                f"of={of!r} with method={method!r} and unit={unit!r} needs rankings; a "
                "ScoreSummary does not hold them. Read the scores with `read_scores`, or use "
                "of='pairwise', or of='borda' with method='hoeffding' and unit='ranking'."
            )
        fixed = check_flag(fixed_tasks, "fixed_tasks")
        first, second = np.triu_indices(summary.n_systems, k=1)
        largest = max(summary.n_systems - 1, 1) * (2.0 if summary.unranked == "ignore" else 1.0)

        def of_tally(task: Label, tally: TaskTally) -> PairTotals:
            better = summary.higher_is_better[task]
            part = ScoreSummary(summary.systems, {task: tally}, higher_is_better=better)
            points = summed_points(part.with_unranked(summary.unranked))
            values = tally.n_units / 2 + (points[first] - points[second]) / (2.0 * largest)
            # Sums of squares would need the joint points of two systems.
            return np.full(len(first), float(tally.n_units)), values, np.full(len(first), np.nan)

        return _of_tallies(summary, of_tally, fixed, is_direct=False)


@dataclass(frozen=True, eq=False)
class _TaskMeans(PairValues):
    """Mean values of the pairs of n items in every task; rows are the values."""

    n_systems: int

    @property
    def n_items(self) -> int:
        return self.n_systems

    def values(self) -> Floats:
        return cast(Floats, self.rows)


def _stacked(parts: Iterable[PairTotals]) -> PairTotals:
    n, first, second = (np.stack(part) for part in zip(*parts, strict=True))
    return n, first, second


def _of_tallies(
    summary: ScoreSummary,
    of: Callable[[Label, TaskTally], PairTotals],
    fixed_tasks: bool,
    *,
    is_direct: bool,
) -> SummedUnits:
    """Return the units whose sums per task are given by `of`."""
    summary = summary.sorted_by_task()
    tallies = summary.tallies
    sums = _stacked(of(*entry) for entry in tallies.items())
    notes = () if fixed_tasks else pooled("ranking", len(tallies), summary.n_units)
    return SummedUnits(summary.systems, summary, sums, is_direct, fixed_tasks, notes)
