"""The Borda count, and sums over rankings by place.

Sums are in integers, so the order of the rankings does not change a single bit. Rankings are
processed in blocks, so that memory is bounded by that of the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Generator, Integers, Integers64, Ranks
from rankagg._validation import EXACT_LIMIT
from rankagg.aggregation.base import Aggregator, Guarantee, Needs
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.outcome import Outcome
from rankagg.core import (
    UNRANKED,
    PairwiseMatrix,
    Profile,
    ScoreSummary,
    exact,
    places,
    weighted_sum,
)
from rankagg.kernels.counting import ENTRIES_AT_ONCE, Doubled, doubled_places, row_sums

# Cells processed at a time.
BLOCK = 200_000
TURNED_POINTS = "points are mirrored about their mean, and a sole winner has more than the mean"
#: Axioms that all rules with points for places keep.
POINTS_KEEP = {
    "monotonicity": "an item that rises gets no fewer points, and no other gets more",
    "participation": "a ballot gives the most points to its highest item; Moulin (1988)",
    "reinforcement": "points add up; Young (1975)",
    "reinforcement of rankings": "points add up; Smith (1973)",
}
# With more rankings per key, each key is summed separately.
RANKINGS_OF_A_KEY = 64


def row_slices(m: int, n: int) -> Iterator[slice]:
    """Yield slices of the rows of a table, small enough to limit memory."""
    size = max(1, BLOCK // n, n)
    for start in range(0, m, size):
        yield slice(start, start + size)


def _borda_points(profile: Profile, groups: Integers64) -> Floats:
    """Return the points of every item in the rankings of each group; see `Borda`."""
    votes, denominator = exact.as_votes(profile.counts, profile.weights)
    points = np.empty((int(groups[-1]) + 1, profile.n_items))
    # There are sums for every number of observed items: at most n for each group and item.
    size = max(1, BLOCK // profile.n_items**2)
    for first in range(0, len(points), size):
        some = slice(first, first + size)
        rows = slice(*np.searchsorted(groups, [some.start, some.stop]))
        here = profile.ranks[rows], votes[rows], denominator, groups[rows] - first
        points[some] = _points(*here, ignoring=profile.unranked == "ignore")
    return points


def _points(
    ranks: Ranks, votes: Integers, denominator: int, groups: Integers64, *, ignoring: bool
) -> Floats:
    n = ranks.shape[1]
    # Division rounds once for integers that floats hold; Python integers have no limit.
    kind = np.int64 if 4 * (n + 1) * max(int(votes.sum()), denominator) < EXACT_LIMIT else object
    seen, placed = _sums_by_size(ranks, votes, groups, kind)
    # An item at the mean place r of k adds 2r + 2 to `placed`.
    if ignoring:
        lead = sum((k + 1) * seen[k] - placed[k] for k in seen)
        return np.asarray(lead / denominator, dtype=np.float64)
    # Twice the points: 2n - (2r + 2)(n + 1)/(k + 1), or n - 1 for an unranked item.
    total = np.add.reduceat(votes, exact.starts_of(groups)).astype(kind)[:, None]
    return _expected_points(n, (n - 1) * total + (n + 1) * sum(seen.values()), placed, denominator)


def summed_points(summary: ScoreSummary) -> Floats:
    """Return the points of every system on all instances; see `_borda_points`."""
    tallies = list(summary.tallies.values())
    ones = np.ones(len(tallies), dtype=np.int64)
    weighted, denominator = exact.as_votes(ones, summary.weight_vector)
    votes = [int(vote) for vote in weighted]
    n = summary.n_systems
    wins = weighted_sum([tally.wins for tally in tallies], votes).astype(object)
    lead = wins.sum(axis=1) - wins.sum(axis=0)
    if summary.unranked == "ignore":
        return np.asarray(lead / denominator, dtype=np.float64)
    pairs = zip(votes, tallies, strict=True)
    total = (n - 1) * sum(vote * int(tally.n_units) for vote, tally in pairs)
    if summary.unranked == "last":
        missed = weighted_sum([tally.missed for tally in tallies], votes).astype(object)
        lead = lead + missed.sum(axis=1) - missed.sum(axis=0)
        return np.asarray((total + lead) / (2 * denominator), dtype=np.float64)
    # An item at the mean place r of k adds 2r + 2 to `placed`.
    placed = {n: weighted_sum([tally.all_placed for tally in tallies], votes).astype(object)}
    for tally, vote in zip(tallies, votes, strict=True):
        for k, sums in zip(tally.sizes.tolist(), tally.placed.astype(object), strict=True):
            placed[k] = placed.get(k, 0) + sums * vote
    seen = weighted_sum([tally.observed for tally in tallies], votes).astype(object)
    return _expected_points(n, total + (n + 1) * seen, placed, denominator)


def _expected_points(
    n: int, most: Integers, placed: dict[int, Integers], denominator: int
) -> Floats:
    """Return half of `most` minus (2r + 2)(n + 1)/(k + 1) for every place r among k."""
    over = lcm(*(k + 1 for k in placed))
    if max(2 * denominator, int(most.max())) * over >= EXACT_LIMIT:
        most, placed = most.astype(object), {k: placed[k].astype(object) for k in placed}
    less = (n + 1) * sum(placed[k] * (over // (k + 1)) for k in placed)
    return np.asarray((most * over - less) / (2 * over * denominator), dtype=np.float64)


def _sums_by_size(
    ranks: Ranks, votes: Integers, groups: Integers64, kind: type
) -> tuple[dict[int, Integers], dict[int, Integers]]:
    """Return sums of weights and of places for each number k of observed items.

    For each group and item: the weight of the rankings of that size that observe it, and the
    weighted sum of 2r + 2 for its mean places r in them.
    """
    shape = int(groups[-1]) + 1, ranks.shape[1]
    seen: dict[int, Integers] = {}
    placed: dict[int, Integers] = {}
    for block in row_slices(*ranks.shape):
        doubled = doubled_places(ranks[block])
        pairs = groups[block] * (shape[1] + 1) + row_sums(doubled > 0)
        occurring, keys = pairs[:1], np.zeros_like(pairs)
        if (pairs != pairs[0]).any():
            occurring, keys = np.unique(pairs, return_inverse=True)
        for weights, scale in _int64_parts(votes[block], 2 * shape[1]):
            parts = _place_sums(keys, weights, doubled)
            group, sizes = np.divmod(occurring, shape[1] + 1)
            for k in sorted(set(sizes.tolist())):
                here = sizes == k
                for sums, part in zip((seen, placed), parts, strict=True):
                    total = sums.setdefault(k, np.zeros(shape, dtype=kind))
                    total[group[here]] += part[here].astype(kind) * scale
    return seen, placed


def _int64_parts(votes: Integers, largest: int) -> Iterator[tuple[Integers64, int]]:
    """Yield int64 parts with scales, as `limbs`, whose products with `largest` sum in int64."""
    if int(votes.sum()) * largest < exact.INT64_SAFE:
        yield votes.astype(np.int64), 1
    else:
        for digits, scale in exact.limbs(votes, largest):
            yield digits.astype(np.int64), scale


def divided(numbers: Integers, denominator: int) -> Floats:
    """Return integers over a denominator as floats, rounded once."""
    # Python divides integers beyond int64.
    wide = numbers if denominator < exact.INT64_SAFE else numbers.astype(object)
    return np.asarray(wide / denominator, dtype=np.float64)


def points(ranks: Ranks, *, ignoring: bool = False) -> Floats:
    """Return the points of every item in every ranking; see `Borda`."""
    n = ranks.shape[1]
    mids = places.mid_ranks(ranks)
    observed = (ranks != UNRANKED).sum(axis=1, keepdims=True)
    if ignoring:
        given, fallback = observed - 1 - 2 * mids, 0.0
    else:
        given, fallback = n - (mids + 1) * (n + 1) / (observed + 1), (n - 1) / 2
    return np.where(np.isnan(given), fallback, given)


@dataclass(frozen=True, kw_only=True)
class Borda(Aggregator):
    """Borda count: n - 1 points for first place down to 0 for the last, mean points for ties.

    The order is that of the sum of ranks in the papers. With unranked items the points are
    expected ones, in closed form and without a matrix, O(n) per ranking.

    Notes
    -----
    With the policy "uniform" an item's points are their mean over all compatible permutations:
    N - (r + 1)(N + 1)/(k + 1) for the item at the 0-based (mean) rank r of k, and (N - 1)/2 for an
    unranked one. "ignore": wins minus losses over the pairs that a ranking compares. "last":
    unranked items share the ranks below all others.

    Scores are points, except under "ignore" and for plain matrices, where they are wins minus
    losses. For a `PairwiseMatrix` the same scores follow from its row sums. They are summed in
    integers and rounded once, so the order of the rankings does not change a single bit. On
    complete strict rankings the Kendall cost is at most five times the optimum.

    References
    ----------
    Borda (1784); for partial rankings Himmi et al. (2023), whose sum over an N x N matrix this
    replaces; for the guarantee Coppersmith, Fleischer and Rudra (2010),
    https://doi.org/10.1145/1798596.1798608.

    Examples
    --------
    >>> from rankagg import Borda, Profile
    >>> ballots = Profile.from_orders(["ABC", "BCA"], counts=[3, 2])
    >>> Borda().aggregate(ballots).scores
    array([6., 7., 2.])
    """

    needs: ClassVar[Needs] = "votes"
    guarantee: ClassVar[Guarantee] = Guarantee(5)
    command_names: ClassVar = {"borda": {}}
    keeps: ClassVar = {
        **POINTS_KEEP,
        "condorcet loser": "Fishburn and Gehrlein (1976)",
        "pareto": "Felsenthal (2012)",
        "reversal symmetry": TURNED_POINTS,
    }

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        if evidence.has_rankings:
            profile = evidence.profile
            return Outcome(scores=_borda_points(profile, np.zeros(len(profile), dtype=np.int64))[0])
        if evidence.summary is not None:
            return Outcome(scores=summed_points(evidence.summary))
        return Outcome(scores=self._from_votes(evidence.votes))

    def _scores_by_group(self, profile: Profile, groups: Integers64) -> Floats | None:
        if exact.as_rational(profile.weights).step:
            return None  # the rational value of a weight depends on the other weights
        return _borda_points(profile, groups)

    def _ranking_points(self, profile: Profile) -> Integers:
        # The doubled points minus their mean: k + 1 - d at the doubled place d of k, times
        # (n + 1)/(k + 1) except for "ignore".
        doubled = doubled_places(profile.ranks).astype(np.int64)
        sizes = row_sums(doubled > 0)[:, None] + 1
        given = np.where(doubled > 0, sizes - doubled, 0)
        if profile.unranked == "ignore" or (sizes > profile.n_items).all():
            return given
        over = lcm(*np.unique(sizes).tolist())
        return exact.fit(given.astype(object) * (over // sizes.astype(object)))

    def _from_votes(self, votes: PairwiseMatrix) -> Floats:
        margins = exact.combine(votes.scaled_wins, 1, votes.scaled_wins.T, -1)
        net = np.array([Fraction(int(lead), votes.denominator) for lead in margins.sum(axis=1)])
        if votes.exact_weight is not None and votes.unranked != "ignore":
            net = ((votes.n_items - 1) * votes.exact_weight + net) / 2
        return net.astype(np.float64)


def _place_sums(
    keys: Integers64, weights: Integers64, doubled: Doubled
) -> tuple[Integers64, Integers64]:
    """Return sums of weights and of places for each key and item: O(m n)."""
    m, n = doubled.shape
    shape = int(keys.max(initial=-1)) + 1, n
    seen, placed = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    starts = np.zeros(min(m, 1), dtype=np.intp)
    if shape[0] > 1:
        order = np.argsort(keys, kind="stable")
        keys, weights, doubled = keys[order], weights[order], doubled[order]
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
    if len(starts) * RANKINGS_OF_A_KEY > m:
        here = keys[starts]
        placed[here] = np.add.reduceat(weights[:, None] * doubled, starts, axis=0)
        seen[here] = np.add.reduceat(weights[:, None] * (doubled > 0), starts, axis=0)
        return seen, placed
    for start, stop in pairwise([*starts.tolist(), m]):
        rows, key = slice(start, stop), keys[start]
        placed[key] = _dot(weights[rows], doubled[rows])
        there = doubled[rows] > 0
        seen[key] = weights[rows].sum() if there.all() else _dot(weights[rows], there)
    return seen, placed


def _dot(weights: Integers64, values: NDArray[np.int32] | Bools) -> Integers64:
    """Return the weighted sum of the rows."""
    if int(weights.sum()) * int(values.max(initial=0)) >= 2**53:
        return weights @ values.astype(np.int64)
    total = np.zeros(values.shape[1])
    size = max(1, ENTRIES_AT_ONCE // values.shape[1])
    for start in range(0, len(values), size):
        rows = slice(start, start + size)
        total += weights[rows].astype(np.float64) @ values[rows].astype(np.float64)
    return total.astype(np.int64)
