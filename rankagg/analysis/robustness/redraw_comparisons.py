"""Comparisons, or clusters of them, drawn again and aggregated anew."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Integers
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.evidence import Evidence
from rankagg.analysis.robustness.redraw import Span, span_of
from rankagg.core.arithmetic import exact
from rankagg.core.comparisons.comparisons import Comparisons
from rankagg.core.votes.pairwise import PairwiseMatrix
from rankagg.inference.ranks.comparison_units import ComparisonUnit

__all__ = ["RedrawComparisons"]


@dataclass(frozen=True, eq=False)
class RedrawComparisons:
    """Sums of equal comparisons, and with which others they are drawn.

    Attributes
    ----------
    data : Comparisons
        The comparisons.
    rule : Aggregator
        What aggregates.
    cells : ndarray of int, shape (r,)
        The winner times n and the loser of each sum; with n * n more where they tied.
    owners : ndarray of int, shape (r,)
        What each sum is drawn with.
    votes : ndarray of int, shape (r,)
        What it counts if that is drawn once, times `denominator`.
    shares : ndarray of float
        How likely each owner is drawn.
    size : int
        How many draws make a resample.
    denominator : int
        Of the votes.
    """

    data: Comparisons
    rule: Aggregator
    cells: NDArray[np.intp]
    owners: NDArray[np.intp]
    votes: Integers
    shares: NDArray[np.float64]
    size: int
    denominator: int

    @classmethod
    def of(cls, data: Comparisons, rule: Aggregator, unit: ComparisonUnit) -> RedrawComparisons:
        """Prepare to draw comparisons or clusters."""
        n, m = data.n_items, len(data)
        forward = data.outcomes >= 0
        above = np.where(forward, data.first, data.second)
        below = np.where(forward, data.second, data.first)
        cells = above * n + below + np.where(data.outcomes == 0, n * n, 0)
        distinct = np.ones(1) if data.weights is None else np.unique(data.weights)
        # What a weight is read as does not depend on which ones are drawn.
        importance = exact.as_rational(distinct)
        kind = np.zeros(m, dtype=np.intp)
        if data.weights is not None:
            kind = np.searchsorted(distinct, data.weights)
        key = cells * len(distinct) + kind
        if unit == "comparison" or data.clusters is None:
            found, times = np.unique(key, return_counts=True)
            owners, shares, size = np.arange(len(found)), times / m, m
            times = np.ones(len(found), dtype=np.int64)
        else:
            present, members = np.unique(data.clusters, return_inverse=True)
            width = 2 * n * n * len(distinct)
            together, times = np.unique(members * width + key, return_counts=True)
            owners, found = together // width, together % width
            size = len(present)
            shares = np.full(size, 1.0 / size)
        return cls(
            data=data,
            rule=rule,
            cells=found // len(distinct),
            owners=owners,
            votes=exact.multiply(times, importance.numerators[found % len(distinct)]),
            shares=shares,
            size=size,
            denominator=importance.denominator,
        )

    def whole(self) -> Evidence:
        """Return the comparisons as they are."""
        return Evidence(self.data)

    def draw(self, times: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw how often each owner occurs in each resample, shape (times, owners)."""
        return rng.multinomial(self.size, self.shares, size=times)

    def spans(self, rows: NDArray[np.int64]) -> list[Span]:
        """Return the ranks of every item in each resample."""
        return [span_of(self.rule.aggregate(self.resampled(counts))) for counts in rows]

    def resampled(self, counts: NDArray[np.int64]) -> PairwiseMatrix:
        """Return the votes of a resample."""
        n = self.data.n_items
        weights = exact.multiply(counts[self.owners], self.votes)
        both = exact.count_cells(self.cells, weights, 2 * n * n).reshape(2, n, n)
        won, tied = both[0], exact.combine(both[1], 1, both[1].T, 1)
        against = exact.combine(won, 1, won.T, 1)
        return PairwiseMatrix(
            items=self.data.items,
            scaled_wins=won,
            scaled_ties=tied,
            scaled_comparisons=exact.combine(against, 1, tied, 1),
            denominator=self.denominator,
        )
