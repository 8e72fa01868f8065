"""Independent units whose values are known by their sums only: those of a `ScoreSummary`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, TypeAlias, cast, get_args

import numpy as np

from rankagg._typing import Floats, Label, Unranked
from rankagg._validation import check_choice, check_flag
from rankagg.aggregation import summed_points
from rankagg.core import ItemSet, ScoreSummary, TaskTally, are_level, rounding_error
from rankagg.exceptions import InformationLostError, InvalidInputError
from rankagg.inference.pair_values import Moments, Pairs, PairSums, PairValues
from rankagg.inference.units import DrawnRows, Unit, Units, pooled

#: What to do where instances are to be drawn again.
WITH_GROUPS = "add the scores up with `n_groups=200`"
MANY_TIMES = (
    "not every instance is in all tasks: one counts as often as it has rankings that tell of a "
    "pair, and n_units is the number in the task with most"
)


# For each pair the units that tell, and the sums of their values and squares.
PairTotals: TypeAlias = tuple[Floats, Floats, Floats]


@dataclass(frozen=True, eq=False)
class SummedUnits:
    """The instances of all tasks, each an independent unit, by their sums."""

    items: ItemSet
    # What the scores add up to.
    summary: ScoreSummary
    # Shape (t, p). For each task and pair the units that tell, and the sums of their values and
    # squares.
    sums: PairTotals
    # True where a value is 1, 1/2 or 0.
    is_direct: bool
    # Whether the tasks are those of interest.
    fixed_tasks: bool
    # What is independent: the ranking of every instance of a task, or all rankings of an instance
    # together.
    unit: Unit = "ranking"
    # The sums of groups of units, which can be drawn again; None where they are not known.
    groups: DrawnRows | None = None
    # What the reader must know.
    notes: tuple[str, ...] = ()

    #: No value is outside [0, 1], and single rankings are not known.
    is_bounded: ClassVar[bool] = True

    @cached_property
    def pairs(self) -> Pairs:
        """Positions of the first and the second item of each pair, first < second."""
        first, second = np.triu_indices(len(self.items), k=1)
        return first, second

    @property
    def n_units(self) -> int:
        """The number of independent observations; of instances, how many there are at least."""
        if self.unit == "instance":
            return max(tally.n_units for tally in self.summary.tallies.values())
        return self.summary.n_units

    @property
    def stratum_weights(self) -> Floats:
        """The weights of fixed tasks; one where they are not fixed."""
        return self.summary.weight_vector if self.fixed_tasks else np.ones(1)

    @property
    def is_weighted(self) -> bool:
        """True where units differ in weight, or may, or tasks are fixed."""
        weights = self.summary.weight_vector
        if self.unit == "instance":
            return True
        if self.fixed_tasks:
            return len(weights) > 1
        return not are_level(weights)

    @property
    def errors(self) -> Floats:
        """How far rounding can have moved the mean value of each pair: sums are integers."""
        return np.full(len(self.pairs[0]), rounding_error(1.0))

    def outcomes(self) -> tuple[Floats, Floats, Floats]:
        """Return for each pair the units with the first above, tied, and the second above."""
        tallies, policy = self.summary.tallies.values(), self.summary.unranked
        wins = np.sum([tally.judged(policy)[0] for tally in tallies], axis=0)
        ties = np.sum([tally.ties for tally in tallies], axis=0)
        first, second = self.pairs
        result = wins[first, second], ties[first, second], wins[second, first]
        return cast(tuple[Floats, Floats, Floats], tuple(part.astype(float) for part in result))

    def drawn_rows(self) -> DrawnRows:
        """Return the groups that resamples draw."""
        assert self.groups is not None, "asked only of sums of groups"
        return self.groups

    @cached_property
    def moments(self) -> Moments:
        """The moments of all pairs."""
        n, first, _ = self.sums
        if self.unit == "instance":
            return _moments_of_instances(n, first, self.summary.weight_vector)
        if self.fixed_tasks:
            together = PairSums(n, n, n, first)
        else:
            w = self.summary.weight_vector[:, None]
            parts = (n, w * n, w**2 * n, w * first)
            together = PairSums(*(part.sum(axis=0, keepdims=True) for part in parts))
        return together.moments(self.stratum_weights)

    @staticmethod
    def of_pairs(summary: ScoreSummary, unit: object, fixed_tasks: object) -> Units | SummedUnits:
        """Return the independent units of scores; tasks have means, which are known one by one."""
        kind = cast(Unit, check_choice(unit, get_args(Unit)[:3], "unit"))
        fixed = check_fixed(fixed_tasks, kind)
        if kind == "instance" and summary.n_groups is None:
            raise InformationLostError(
                "unit='instance' needs rankings, or groups of instances; this ScoreSummary does "
                f"not hold them. Read the scores with `read_scores`, {WITH_GROUPS}, or take "
                "unit='ranking' where no instance is in two tasks."
            )
        pairs = np.triu_indices(summary.n_systems, k=1)

        def of(task: Label, tally: TaskTally) -> PairTotals:
            return _totals(tally, pairs, summary.unranked)

        if kind != "task":
            return _of_tallies(summary, of, kind, fixed, is_direct=True)
        n, first, _ = _stacked(of(*entry) for entry in summary.tallies.items())
        with np.errstate(invalid="ignore"):
            means = first / n
        # Each task a cluster of one: resamples draw them in the order that they have in a table.
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
        """Return units whose values are differences of Borda points, as shares of the largest."""
        kind = cast(Unit, check_choice(unit, get_args(Unit)[:3], "unit"))
        has_groups = summary.n_groups is not None
        methods = (None, "hoeffding", "max-t")[: 3 if has_groups else 2]
        kinds = ("ranking", "instance")[: 2 if has_groups else 1]
        if of != "borda" or method not in methods or kind not in kinds:
            more = f" (or 'max-t', and unit='instance', {WITH_GROUPS})" * (not has_groups)
            raise InformationLostError(
                f"of={of!r} with method={method!r} and unit={unit!r} needs rankings; a "
                "ScoreSummary does not hold them. Read the scores with `read_scores`, or take "
                "of='pairwise', or of='borda' with "
                f"method={' or '.join(repr(m) for m in methods[1:])} and "
                f"unit={' or '.join(repr(k) for k in kinds)}{more}."
            )
        fixed = check_fixed(fixed_tasks, kind)
        first, second = np.triu_indices(summary.n_systems, k=1)
        largest = max(summary.n_systems - 1, 1) * (2.0 if summary.unranked == "ignore" else 1.0)

        def of_tally(task: Label, tally: TaskTally) -> PairTotals:
            better = summary.higher_is_better[task]
            part = ScoreSummary(summary.systems, {task: tally}, higher_is_better=better)
            points = summed_points(part.with_unranked(summary.unranked))
            values = tally.n_units / 2 + (points[first] - points[second]) / (2.0 * largest)
            # Of a square the points of two systems together are needed.
            return np.full(len(first), float(tally.n_units)), values, np.full(len(first), np.nan)

        return _of_tallies(summary, of_tally, kind, fixed, is_direct=False)


def _moments_of_instances(n: Floats, first: Floats, weights: Floats) -> Moments:
    """Return the moments of instances of which each counts as often as it has rankings.

    There are as many as the task with most has, at least. None has a larger share than one that is
    in every task, and shares sum to 1, so their squares sum to no more than that.
    """
    w = weights[:, None]
    mass = (w * n).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (w * first).sum(axis=0) / mass
        shares = (w * (n > 0)).sum(axis=0) / mass
    return Moments(n.max(axis=0), mean, shares)


@dataclass(frozen=True, eq=False)
class _TaskMeans(PairValues):
    """Mean values of the pairs of n items in every task: rows are values themselves."""

    n_systems: int

    @property
    def n_items(self) -> int:
        return self.n_systems

    def values(self) -> Floats:
        return cast(Floats, self.rows)


def check_fixed(fixed_tasks: object, unit: object) -> bool:
    """Return whether tasks are fixed, which goes with single rankings as units only."""
    fixed = check_flag(fixed_tasks, "fixed_tasks")
    if fixed and unit != "ranking":
        raise InvalidInputError("fixed_tasks", "False unless `unit='ranking'`", fixed)
    return fixed


def _stacked(parts: Iterable[PairTotals]) -> PairTotals:
    n, first, second = (np.stack(part) for part in zip(*parts, strict=True))
    return n, first, second


def _of_tallies(
    summary: ScoreSummary,
    of: Callable[[Label, TaskTally], PairTotals],
    unit: Unit,
    fixed_tasks: bool,
    *,
    is_direct: bool,
) -> SummedUnits:
    """Return the units whose values add up to `of` a task, with the sums of groups if known."""
    summary = summary.sorted_by_task()
    tallies = summary.tallies
    sums = _stacked(of(*entry) for entry in tallies.items())
    units = SummedUnits(summary.systems, summary, sums, is_direct, fixed_tasks, unit)
    if unit == "ranking" and not fixed_tasks:
        units = replace(units, notes=pooled("ranking", len(tallies), summary.n_units))
    if summary.n_groups is None:
        return units
    numbers, told, first = [], [], []
    for task, grouped in summary.grouped.items():
        scored = {g: tally for g, tally in grouped.parts.items() if tally.n_units}
        n, values, _ = _stacked(of(task, tally) for tally in scored.values())
        numbers.append(np.array(list(scored)))
        told.append(n)
        first.append(values)
    notes = units.notes
    if unit == "instance" and not all(
        np.array_equal(numbers[0], other) and np.array_equal(told[0], times)
        for other, times in zip(numbers, told, strict=True)
    ):
        notes = (MANY_TIMES, *notes)
    n, values, squares = (part.sum(axis=0) for part in units.sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        alike = squares / n == (values / n) ** 2
    agreed = (values == 0) | (values == n) | alike
    tasks = np.repeat(np.arange(len(told)), [len(part) for part in told])
    values, mass, weights = np.concatenate(first), np.concatenate(told), summary.weight_vector
    values, mass = values * weights[tasks, None], mass * weights[tasks, None]
    if unit == "instance":
        # The group of an instance is drawn in all tasks together.
        found, where = np.unique(np.concatenate(numbers), return_inverse=True)
        order = np.argsort(where, kind="stable")
        starts = np.searchsorted(where[order], np.arange(len(found)))
        values, mass = (np.add.reduceat(part[order], starts, axis=0) for part in (values, mass))
    groups = DrawnRows(values, mass, np.ones(len(values)), agreed)
    return replace(units, groups=groups, notes=notes)


def _totals(tally: TaskTally, pairs: Pairs, unranked: Unranked) -> PairTotals:
    """Return for each pair the units that tell, and the sums of their values and squares."""
    wins, told = (part.astype(np.float64) for part in tally.judged(unranked))
    return told[pairs], (wins + tally.ties / 2)[pairs], (wins + tally.ties / 4)[pairs]
