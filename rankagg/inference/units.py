"""Independent units, and their values for every pair of items.

Confidence statements need independent observations. Rankings often are not independent: the
metrics of one instance rank the same answers. So rankings within a unit are first averaged into
one value in [0, 1] for each pair. Units are independent, and resampled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, Self, cast, get_args

import numpy as np
import scipy

from rankagg._typing import Floats, Generator, Integers64, Label, Positions, Ranks, Tolerance
from rankagg._validation import check_choice, check_flag, table_remedy
from rankagg.aggregation import as_data
from rankagg.core import (
    ItemSet,
    Profile,
    ScoreSummary,
    ScoreTable,
    are_level,
    counted,
    label_numbers,
    quantity,
    rounding_error,
    sentence,
)
from rankagg.exceptions import Described, InformationLostError, InvalidInputError
from rankagg.inference.pair_values import Moments, PairSums, PairValues, order_shares

# Approximate number of values of pairs in memory, in each of a few arrays.
VALUES_HELD = 1_000_000
# Test of columns that are like their neighbors: the level, the fewest columns, and the most scores.
ALIKE, FEWEST_COLUMNS, SCORES_COMPARED = 0.01, 6, 200_000


def _clusters_of(
    profile: Profile, unit: str, instances: Sequence[Label] | None
) -> Positions | None:
    """Return the number of the unit of each ranking, or None if each is its own unit."""
    if unit == "ranking":
        return None
    labels_of = {"instance": instances, "task": profile.groups, "cluster": profile.clusters}
    if (labels := labels_of[unit]) is None:
        name = "clusters" if unit == "cluster" else "groups"
        remedy = f"Give the profile its {name}, or use `unit='ranking'`."
        if unit == "instance":
            remedy = "A ScoreTable with instances has them; a Profile has `clusters=`."
        allowed = f"a unit of the data; they have no {unit}s"
        raise InvalidInputError("unit", allowed, unit, remedy)
    if len(labels) != len(profile):
        allowed = f"one instance per ranking ({len(profile)} of them)"
        raise InvalidInputError("instances", allowed, Described(counted(len(labels), "instance")))
    return label_numbers(labels)


def pooled(unit: str, n_tasks: int, n_units: int) -> tuple[str, ...]:
    """Return a note if several units per task of several tasks count as independent."""
    if unit in ("task", "cluster") or n_tasks < 2 or n_units <= n_tasks:
        return ()
    note = (
        "{0}s of {1} are assumed independent, so this is about other {0}s of these tasks; "
        "`unit='task'` is about other tasks"
    )
    return (sentence(note, unit, quantity(n_tasks, "tasks", noun="task")),)


def _pooled_rankings(profile: Profile, unit: str, clusters: Positions | None) -> tuple[str, ...]:
    """Return that note for rankings in groups; none if instances belong to several tasks."""
    tasks = label_numbers(profile.groups or ())
    n_units = int(profile.counts.sum()) if clusters is None else int(clusters.max()) + 1
    many = 0 if clusters is None else len(set(zip(clusters.tolist(), tasks.tolist(), strict=False)))
    return () if many > n_units else pooled(unit, len(np.unique(tasks)), n_units)


def _strata_of(profile: Profile) -> tuple[Positions, Floats]:
    """Return the number of the fixed task of each ranking, and the weights of the tasks."""
    if profile.groups is None:
        raise InvalidInputError(
            "fixed_tasks", "False for rankings without groups", True, "Give the profile `groups=`."
        )
    strata = label_numbers(profile.groups)
    counts = profile.counts.astype(np.float64)
    return strata, _cell_sums(strata, counts * profile.weights) / _cell_sums(strata, counts)


def _cell_sums(cells: Positions, values: Floats) -> Floats:
    """Return the sum of the values of each cell."""
    return np.bincount(cells, weights=values).astype(np.float64)


Unit = Literal["ranking", "instance", "task", "cluster"]


class Block(NamedTuple):
    """A block of units."""

    # Shape (u, p). Value of each unit and pair: 1 if the first item is above the second, 0 below,
    # 1/2 tied, in between for averages of rankings; NaN if the unit does not compare them.
    values: Floats
    # Shape (u,). Number of observations of each unit.
    counts: Floats
    # Shape (u,). Importance of one observation.
    weights: Floats
    # Shape (u,). The fixed task of each unit; all 0 if tasks are not fixed.
    strata: Positions


class _DrawnRows(NamedTuple):
    """Rows that a bootstrap resamples."""

    # Shape (r, p). For each row and pair the weighted value, and the weight; 0 without a value.
    first: Floats
    mass: Floats
    # Shape (r,). Number of observations of each row.
    counts: Floats


@dataclass(frozen=True, eq=False)
class _RankingValues(PairValues):
    """Rankings as values of the pairs they compare, or of all by compatible permutations."""

    rows: Ranks
    is_direct: bool = True

    def values(self) -> Floats:
        """Return the share of orders with the first above, a tie half; NaN if not compared."""
        shares = order_shares(self.rows, self.pairs, shared=not self.is_direct)
        values = shares.first + shares.tied / 2
        values[~(shares.tied | (shares.first + shares.second > 0))] = np.nan
        return values


@dataclass(frozen=True, eq=False)
class Units:
    """The independent units of some rankings."""

    items: ItemSet
    unit: Unit
    # The pair values of m rankings, or columns of scores.
    source: PairValues
    # Shape (m,). Of the rankings.
    counts: Floats
    weights: Floats
    # Shape (m,). The unit of each ranking; None if each is its own unit.
    clusters: Positions | None
    # Shape (m,). The fixed task of each ranking; all 0 if tasks are not fixed.
    strata: Positions
    # Shape (s,). The weights of the fixed tasks.
    stratum_weights: Floats
    # True if tasks are fixed, even a single one.
    fixed_tasks: bool
    # Caveats.
    notes: tuple[str, ...] = ()

    #: Units are resampled, not groups of them.
    groups: ClassVar[None] = None

    @property
    def pairs(self) -> tuple[Positions, Positions]:
        """Positions of the first and the second item of each pair, first < second."""
        return self.source.pairs

    @property
    def is_bounded(self) -> bool:
        """True if no possible value is outside [0, 1]."""
        return self.source.is_bounded

    @property
    def n_units(self) -> int:
        """The number of independent observations."""
        if self.clusters is None:
            return int(self.counts.sum())
        return int(self.clusters.max()) + 1

    @property
    def n_rows(self) -> int:
        """The number of rows of all blocks together."""
        return len(self.source) if self.clusters is None else self.n_units

    @property
    def is_weighted(self) -> bool:
        """True if units differ in weight, or if several tasks are fixed."""
        return len(self.stratum_weights) > 1 or not are_level(self.unit_weights)

    @cached_property
    def unit_weights(self) -> Floats:
        """The weight of each unit, shape (u,), without the weights of fixed tasks."""
        if self.clusters is None:
            return self.weights
        if self.unit == "instance":
            return np.ones(self.n_units)
        sums = _cell_sums(self.clusters, self.counts * self.weights)
        if self.unit == "cluster":
            # Then means over clusters equal means over rankings.
            return sums
        return sums / _cell_sums(self.clusters, self.counts)

    @property
    def unit_strata(self) -> Positions:
        """The fixed task of each unit; all 0 if tasks are not fixed."""
        if self.clusters is None:
            return self.strata
        strata = np.zeros(self.n_units, dtype=np.intp)
        strata[self.clusters] = self.strata
        return strata

    # -- values -------------------------------------------------------------------------------

    def blocks(self) -> Iterator[Block]:
        """Yield all units in blocks."""
        size = max(1, VALUES_HELD // max(len(self.pairs[0]), 1))
        if self.clusters is None:
            for start in range(0, len(self.source), size):
                rows = slice(start, start + size)
                kept = (self.counts[rows], self.weights[rows], self.strata[rows])
                yield Block(self.source.take(rows).values(), *kept)
            return
        order = np.argsort(self.clusters, kind="stable")
        starts = np.flatnonzero(np.diff(self.clusters[order], prepend=-1))
        ends = np.append(starts[1:], len(order))
        weights, strata = self.unit_weights, self.unit_strata
        done = 0
        while done < len(starts):
            # As many complete units as fit, and at least one.
            upto = int(np.searchsorted(ends, starts[done] + size, side="right"))
            some = slice(done, max(upto, done + 1))
            members = order[starts[done] : ends[some.stop - 1]]
            total, mass = self.sums_in(members, starts[some] - starts[done])
            with np.errstate(invalid="ignore"):
                values = total / mass
            yield Block(values, np.ones(len(values)), weights[some], strata[some])
            done = some.stop

    def whole(self) -> Block:
        """Return all units at once; equal rankings are one row with a count."""
        return self.compressed().all_blocks()

    def all_blocks(self) -> Block:
        """Return all units at once, row by row."""
        return Block(*map(np.concatenate, zip(*self.blocks(), strict=True)))

    def compressed(self) -> Units:
        """Return the same units, equal rankings as one row with a count."""
        if self.clusters is not None:
            return self
        rows = np.column_stack([self.source.rows, self.strata, self.weights])
        _, first, where = np.unique(rows, True, True, axis=0, equal_nan=False)
        return replace(
            self,
            source=self.source.take(first),
            counts=_cell_sums(where.ravel(), self.counts),
            weights=self.weights[first],
            strata=self.strata[first],
        )

    def sums_in(self, rows: Positions, starts: Positions) -> tuple[Floats, Floats]:
        """Return weighted sums of the values of rows from each start to the next, and weights."""
        values = self.source.take(rows).values()
        present = ~np.isnan(values)
        weights = (self.counts * self.weights)[rows][:, None]
        total = np.add.reduceat(np.where(present, values, 0.0) * weights, starts, axis=0)
        return total, np.add.reduceat(present * weights, starts, axis=0)

    # -- sums ---------------------------------------------------------------------------------

    @cached_property
    def moments(self) -> Moments:
        """The moments of all pairs."""
        shape = (4, len(self.stratum_weights), len(self.pairs[0]))
        n, mass, squared_mass, first = sums = np.zeros(shape)
        for block in self.blocks():
            present = (~np.isnan(block.values)).astype(np.float64)
            values = np.where(np.isnan(block.values), 0.0, block.values)
            for s in np.unique(block.strata):
                counts = np.where(block.strata == s, block.counts, 0.0)
                weighted = counts * block.weights
                n[s] += counts @ present
                mass[s] += weighted @ present
                squared_mass[s] += (weighted * block.weights) @ present
                first[s] += weighted @ values
        return PairSums(*sums).moments(self.stratum_weights)

    @cached_property
    def sizes(self) -> Floats:
        """The mean size of the terms of the values of each pair, at least 1."""
        weights = self.counts * self.weights
        if self.clusters is not None:
            weights = weights / _cell_sums(self.clusters, weights)[self.clusters]
            weights *= self.unit_weights[self.clusters]
        weights = weights / _cell_sums(self.strata, weights)[self.strata]
        return self.source.sizes(weights * self.stratum_weights[self.strata])

    @property
    def errors(self) -> Floats:
        """The rounding error of the mean value of each pair."""
        return cast(Floats, rounding_error(self.sizes, self.n_rows))

    def drawn_rows(self) -> _DrawnRows:
        """Return the units as rows for resampling; equal rankings are one row with a count."""
        block = self.whole()
        center, weights = self.moments.mean, block.weights[:, None]
        present = ~np.isnan(block.values)
        # Ignore differences by rounding.
        same = np.abs(block.values - center) <= self.errors
        values = np.where(present, np.where(same, center, block.values), 0.0)
        return _DrawnRows(values * weights, present * weights, block.counts)

    def neighbor_notes(self, data: ScoreTable) -> tuple[str, ...]:
        """Return a note if tasks that count as independent are like their neighbors.

        There is none for instances, since files often sort them by their outcome.
        """
        if data.is_instance_level or self.clusters is not None or self.fixed_tasks:
            return ()
        return _neighbor_note((data.values * data.signs).T)

    def resampled_rows(self, times: int, rng: Generator) -> Integers64:
        """Draw the count of each ranking in each resample of the units, shape (times, m)."""
        if self.clusters is None:
            return resample_counts(self.counts, self.strata, times, rng)
        drawn = resample_counts(np.ones(self.n_units), self.unit_strata, times, rng)
        return drawn[:, self.clusters] * self.counts.astype(np.int64)

    # -- outcomes -----------------------------------------------------------------------------

    @property
    def is_direct(self) -> bool:
        """True if every value of a ranking is 1, 1/2 or 0."""
        return isinstance(self.source, _RankingValues) and self.source.is_direct

    def outcomes(self) -> tuple[Floats, Floats, Floats]:
        """Return for each pair the numbers of units with the first above, tied, second above."""
        first, ties, second = (np.zeros(len(self.pairs[0])) for _ in range(3))
        for block in self.blocks():
            first += block.counts @ (block.values == 1.0)
            ties += block.counts @ (block.values == 0.5)
            second += block.counts @ (block.values == 0.0)
        return first, ties, second

    @classmethod
    def of(
        cls,
        data: Profile | ScoreTable,
        *,
        unit: object = "ranking",
        fixed_tasks: object = False,
        instances: Sequence[Label] | None = None,
        is_direct: bool = True,
    ) -> Self:
        """Return the independent units of rankings, with their pair values."""
        profile, labels = rankings_of(data, instances=instances)
        source = _RankingValues(profile.ranks, is_direct=is_direct)
        return cls.of_values(profile, source, unit, fixed_tasks, labels)

    @classmethod
    def of_values(
        cls,
        profile: Profile,
        source: PairValues,
        unit: object,
        fixed_tasks: object = False,
        instances: Sequence[Label] | None = None,
    ) -> Self:
        """Return the units of observations, one for each row of a profile."""
        kind = check_choice(unit, get_args(Unit), "unit")
        if profile.clusters is not None and kind != "instance":
            # If clusters are given, rankings and tasks are not independent.
            kind = "cluster"
        fixed = check_flag(fixed_tasks, "fixed_tasks")
        if fixed and kind in ("task", "cluster"):
            allowed = "False unless `unit='ranking'` or 'instance'"
            remedy = "Only units within fixed tasks are random."
            raise InvalidInputError("fixed_tasks", allowed, fixed, remedy)
        strata, stratum_weights = np.zeros(len(profile), dtype=np.intp), np.ones(1)
        if fixed:
            strata, stratum_weights = _strata_of(profile)
        clusters = _clusters_of(profile, kind, instances)
        if fixed and clusters is not None:
            first = np.unique(clusters, return_index=True)[1]
            if (strata[first][clusters] != strata).any():
                allowed = "False unless `unit='ranking'`, since tasks share instances"
                remedy = "Use `unit='instance'` alone, or name the instances of each task apart."
                raise InvalidInputError("fixed_tasks", allowed, True, remedy)
        weights = np.ones(len(profile)) if fixed else profile.weights
        notes = () if fixed else _pooled_rankings(profile, kind, clusters)
        parts = (clusters, strata, stratum_weights, fixed, notes)
        return cls(profile.items, kind, source, profile.counts.astype(np.float64), weights, *parts)


def resample_counts(counts: Floats, strata: Positions, times: int, rng: Generator) -> Integers64:
    """Draw the count of each unit in each resample, within its fixed task."""
    drawn = np.zeros((times, len(counts)), dtype=np.int64)
    for s in np.unique(strata):
        inside = np.flatnonzero(strata == s)
        have = counts[inside]
        drawn[:, inside] = rng.multinomial(int(have.sum()), have / have.sum(), size=times)
    return drawn


def rankings_of(
    data: object, tolerance: Tolerance = 0.0, instances: Sequence[Label] | None = None
) -> tuple[Profile, Sequence[Label] | None]:
    """Return the rankings of the data, and their instances; those of a table by default."""
    data = as_data(data)
    if isinstance(data, ScoreTable):
        if instances is not None and len(instances) != data.n_units:
            allowed = f"one for each column of the table ({data.n_units} of them)"
            given = Described(counted(len(instances), "instance"))
            remedy = "Leave them out to use those of the table."
            raise InvalidInputError("instances", allowed, given, remedy)
        return data.rankings(tolerance), data.instances if instances is None else instances
    if isinstance(data, Profile):
        return data, instances
    if isinstance(data, ScoreSummary):
        raise InformationLostError(
            "This needs rankings; a ScoreSummary does not hold them. Read the scores with "
            "`read_scores`, or use `PairwiseIntervals`, which need only sums."
        )
    raise InvalidInputError("data", "a ScoreTable or a Profile", data, table_remedy(data))


def tied_rankings(data: Any, tolerance: Tolerance) -> Any:
    """Return the rankings of a table with a tolerance for ties, or the data if it is 0."""
    if isinstance(tolerance, float | int | Mapping) and not tolerance:
        return data
    if not isinstance(data, ScoreTable):
        raise InvalidInputError("tolerance", "0 for data without single scores", tolerance)
    return data.rankings(tolerance)


def _neighbor_note(scores: Floats) -> tuple[str, ...]:
    """Return a note if columns are more like their neighbors than in a random order.

    System means are removed. The mean correlation of each column of a table with the next one is
    compared with its mean and variance under all orders of the columns, at a level of 1 %. Scores
    have a row per column of the table.
    """
    n = len(scores)
    if n < FEWEST_COLUMNS:
        return ()
    scores = scores[:, :: max(1, -(-scores.size // SCORES_COMPARED))]
    present = ~np.isnan(scores)
    rows = np.where(present, scores, 0.0)
    rows /= np.abs(rows).max(axis=1, keepdims=True) + (rows == 0).all(axis=1, keepdims=True)
    for axis in (1, 0):
        means = rows.sum(axis=axis, keepdims=True) / np.fmax(present.sum(axis, keepdims=True), 1)
        rows = np.where(present, rows - means, 0.0)
        length = np.sqrt((rows**2).sum(axis=1, keepdims=True))
        rows = np.divide(rows, length, out=np.zeros_like(rows), where=length > rounding_error(1.0))
    # Mean and mean square of the correlations of all pairs of columns, from sums.
    own, pairs = (rows**2).sum(axis=1), n * (n - 1)
    mean = ((rows.sum(axis=0) ** 2).sum() - own.sum()) / pairs
    square = (((rows.T @ rows) ** 2).sum() - (own**2).sum()) / pairs
    correlation = (rows[:-1] * rows[1:]).sum() / (n - 1)
    error = np.sqrt(max(square - mean**2, 0.0) / (n - 1))
    if not correlation - mean > scipy.special.ndtri(1.0 - ALIKE) * error + rounding_error(1.0, n):
        return ()
    note = (
        "neighboring tasks of the table are alike (mean correlation {}): if they depend on each "
        "other, declare families of tasks, or decisions are wrong more often than stated"
    )
    return (sentence(note, quantity(float(correlation), "correlation of neighbors", ".2f")),)


def square(n_items: int, above: Floats, below: Floats, diagonal: float) -> Floats:
    """Return a matrix of the values of all pairs, in both directions."""
    matrix = np.full((n_items, n_items), diagonal)
    first, second = np.triu_indices(n_items, k=1)
    matrix[first, second] = above
    matrix[second, first] = below
    return matrix
