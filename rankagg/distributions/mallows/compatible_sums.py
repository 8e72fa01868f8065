"""Sums over the compatible permutations of partial rankings."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from rankagg._typing import Floats, Integers64, Positions, Ranks
from rankagg.core import UNRANKED, compatible_ranks, count_compatible, places
from rankagg.distributions.mallows.distances import DistanceName, pair_stays, stage_log_normalizers
from rankagg.exceptions import Described, InvalidInputError

# Most unranked items, since their subsets are enumerated.
LARGEST_GAP = 14
# Most states of all rankings in memory.
STATES = 2_000_000
# Most ways to break the ties of a ranking.
WAYS_OF_TIES = 5040


def _lattice_sums(ranks: Ranks, theta: float) -> Floats:
    """Return log sum exp(-theta d) over all insertions of the unranked items of every row."""
    result = np.empty(len(ranks))
    for rows, lattice in _lattices(ranks, theta):
        result[rows] = lattice.forward()[-1][:, -1]
    return result


def _lattice_pairs(ranks: Ranks, theta: float) -> tuple[Floats, Floats]:
    """Return the sums, and for every row P(item before item) among all insertions."""
    m, n = ranks.shape
    sums, before = np.empty(m), np.empty((m, n, n))
    for rows, lattice in _lattices(ranks, theta):
        sums[rows], before[rows] = lattice.pairs()
    return sums, before


def _lattices(ranks: Ranks, theta: float) -> Iterator[tuple[Positions, _Lattice]]:
    missing = (ranks == UNRANKED).sum(axis=1)
    for number in np.unique(missing):
        rows = np.flatnonzero(missing == number)
        size = max(1, STATES // ((ranks.shape[1] + 1) << int(number)))
        for start in range(0, len(rows), size):
            part = rows[start : start + size]
            yield part, _Lattice(ranks[part], int(number), theta)


def _bits(u: int) -> Integers64:
    """Return the members of every subset of u items as 0 and 1, shape (2^u, u)."""
    return (np.arange(1 << u)[:, None] >> np.arange(u)) & 1


@cache
def _moves(u: int) -> list[tuple[int, Positions, Positions]]:
    """Return each unranked item with the subsets without and with it, small ones first."""
    bits = _bits(u)
    moves = []
    for count in range(u):
        for x in range(u):
            source = np.flatnonzero((bits.sum(axis=1) == count) & (bits[:, x] == 0))
            moves.append((x, source, source | (1 << x)))
    return moves


class _Lattice:
    """States of m rankings with u unranked items each: the subset of those placed so far."""

    def __init__(self, ranks: Ranks, u: int, theta: float) -> None:
        self.m, self.n = ranks.shape
        self.u, self.k, self.theta = u, self.n - u, theta
        gone = ranks == UNRANKED
        # Positions in the center: of the unranked items, ascending; of the observed ones, in order.
        self.missing = np.nonzero(gone)[1].reshape(self.m, u)
        # A lone unlisted item has place n.
        self.observed = np.argsort(np.where(gone, self.n + 1, ranks), axis=1)[:, : self.k]
        bits = _bits(u)
        # unplaced[t, M]: number of the first t unranked items that are not in M.
        placed = np.concatenate([np.zeros((1 << u, 1), dtype=int), np.cumsum(bits, axis=1)], axis=1)
        self.unplaced = np.arange(u + 1)[:, None] - placed.T
        self.bits = bits.astype(bool)

    def observed_cost(self, q: int) -> Floats:
        """Return the log weight of placing the q-th observed item, shape (m, 2^u)."""
        here = self.observed[:, [q]]
        behind = (self.observed[:, q + 1 :] < here).sum(axis=1)
        ahead = (self.missing < here).sum(axis=1)
        return np.asarray(-self.theta * (behind[:, None] + self.unplaced[ahead]))

    def missing_cost(self, q: int, x: int) -> Floats:
        """Return the log weight of placing the x-th unranked item, shape (m, 2^u)."""
        behind = (self.observed[:, q:] < self.missing[:, [x]]).sum(axis=1)
        return np.asarray(-self.theta * (behind[:, None] + self.unplaced[x]))

    def forward(self) -> list[Floats]:
        """Return the total log weight of the paths to every state: a list over q of (m, 2^u)."""
        levels = []
        level = np.full((self.m, 1 << self.u), -np.inf)
        level[:, 0] = 0.0
        for q in range(self.k + 1):
            costs = [self.missing_cost(q, x) for x in range(self.u)]
            for x, source, target in _moves(self.u):
                step = level[:, source] + costs[x][:, source]
                level[:, target] = np.logaddexp(level[:, target], step)
            levels.append(level)
            if q < self.k:
                level = level + self.observed_cost(q)
        return levels

    def backward(self) -> list[Floats]:
        """Return the total log weight of the paths from every state to the end."""
        levels = []
        level = np.full((self.m, 1 << self.u), -np.inf)
        level[:, -1] = 0.0
        for q in reversed(range(self.k + 1)):
            if q < self.k:
                level = level + self.observed_cost(q)
            costs = [self.missing_cost(q, x) for x in range(self.u)]
            for x, source, target in reversed(_moves(self.u)):
                step = level[:, target] + costs[x][:, source]
                level[:, source] = np.logaddexp(level[:, source], step)
            levels.append(level)
        return levels[::-1]

    def pairs(self) -> tuple[Floats, Floats]:
        """Return the sums, and P(before) for all pairs of items of the center."""
        ahead, behind = self.forward(), self.backward()
        total = ahead[-1][:, -1]
        rows = np.arange(self.m)
        before = np.zeros((self.m, self.n, self.n))
        for q in range(self.k):
            # All later observed items are unplaced when the q-th is placed.
            for later in range(q + 1, self.k):
                before[rows, self.observed[:, q], self.observed[:, later]] = 1.0
        for q in range(self.k + 1):
            for x in range(self.u):
                source = np.flatnonzero(~self.bits[:, x])
                flow = ahead[q][:, source] + self.missing_cost(q, x)[:, source]
                flow = np.exp(flow + behind[q][:, source | (1 << x)] - total[:, None])
                placed_here = flow.sum(axis=1)
                for later in range(q, self.k):
                    before[rows, self.missing[:, x], self.observed[:, later]] += placed_here
                for y in range(self.u):
                    if y != x:
                        share = flow[:, ~self.bits[source, y]].sum(axis=1)
                        before[rows, self.missing[:, x], self.missing[:, y]] += share
        for x in range(self.u):
            for later in range(self.k):
                chance = before[rows, self.missing[:, x], self.observed[:, later]]
                before[rows, self.observed[:, later], self.missing[:, x]] = 1.0 - chance
        # Rounding may take sums of probabilities beyond 1.
        return total, np.clip(before, 0.0, 1.0)


def check_sums(ranks: Ranks, distance: DistanceName = "kendall") -> None:
    """Raise if compatible permutations are not supported or are too many."""
    if distance != "kendall":
        if (np.sort(ranks, axis=1) == np.arange(ranks.shape[1])).all():
            return
        allowed = f"complete strict rankings for the distance {distance!r}"
        remedy = "The Kendall distance takes ties and gaps."
        raise InvalidInputError("data", allowed, Described("ties or gaps"), remedy)
    missing = (ranks == UNRANKED).sum(axis=1)
    allowed = f"rankings with at most {LARGEST_GAP} unranked items"
    got = f"one with {int(missing.max(initial=0))}"
    if (missing <= LARGEST_GAP).all():
        counts = (count_compatible(row[row != UNRANKED]) for row in ranks[missing > 0])
        ways = max(counts, default=1)
        allowed = f"rankings with gaps that have at most {WAYS_OF_TIES} ways to break their ties"
        got = f"one with {ways}"
        if ways <= WAYS_OF_TIES:
            return
    remedy = "Leave such rankings or some items out; `PlackettLuce.fit` takes any number of gaps."
    raise InvalidInputError("data", allowed, Described(got), remedy)


def log_sums(ranks: Ranks, theta: float) -> Floats:
    """Return log sum exp(-theta d) over the compatible permutations of every row."""
    result = np.empty(len(ranks))
    observed = (ranks != UNRANKED).all(axis=1)
    if observed.any():
        result[observed] = _bucket_sums(ranks[observed], theta)
    if not observed.all():
        strict, owner = _break_ties(ranks[~observed])
        result[~observed] = _log_totals(_lattice_sums(strict, theta), owner)
    return result


def _bucket_sums(ranks: Ranks, theta: float) -> Floats:
    """Return the sums of rankings without unranked items."""
    place = places.comparable(ranks)
    n = ranks.shape[1]
    unlike = places.discordances(place)
    # The log normalizer of a bucket of s is the sum over stages of 1 to s: an item with r others
    # of its bucket before it in the center adds that of a stage of r + 1.
    stages = stage_log_normalizers(np.arange(1, n + 1), theta)
    within = np.zeros(len(ranks))
    for j in range(1, n):
        within += stages[(place[:, :j] == place[:, [j]]).sum(axis=1)]
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(unlike > 0, within - theta * unlike, within)


def expected_votes(ranks: Ranks, weights: Floats, theta: float) -> Floats:
    """Return the expected weight of row before column among compatible permutations."""
    observed = (ranks != UNRANKED).all(axis=1)
    votes = _bucket_votes(ranks[observed], weights[observed], theta)
    if not observed.all():
        strict, owner = _break_ties(ranks[~observed])
        sums, before = _lattice_pairs(strict, theta)
        shares = np.exp(sums - _log_totals(sums, owner)[owner])
        votes += np.tensordot(weights[~observed][owner] * shares, before, axes=1)
    return votes


def _log_totals(sums: Floats, owner: Positions) -> Floats:
    """Return the log of the sum of exponentials of each owner."""
    return np.logaddexp.reduceat(sums, np.flatnonzero(np.diff(owner, prepend=-1)))


def _bucket_votes(ranks: Ranks, weights: Floats, theta: float) -> Floats:
    """Return the votes of rankings without unranked items."""
    m, n = ranks.shape
    place = places.comparable(ranks)
    stays = pair_stays(n, theta)
    inside = np.zeros((m, n), dtype=np.intp)  # number of items of its bucket before each item
    votes = np.zeros((n, n))
    for j in range(1, n):
        same = place[:, :j] == place[:, [j]]
        inside[:, j] = same.sum(axis=1)
        apart = np.where(same, inside[:, [j]] - inside[:, :j], 1)
        before = np.where(same, stays[apart], place[:, :j] < place[:, [j]])
        votes[:j, j] = weights @ before
        votes[j, :j] = weights @ (1.0 - before)
    return votes


def _break_ties(ranks: Ranks) -> tuple[Ranks, Positions]:
    """Return all ways to break the ties of every row, and the row of each way."""
    place = np.where(ranks == UNRANKED, UNRANKED, places.comparable(ranks)).astype(np.int32)
    ordered = np.sort(place, axis=1)
    tied = ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != UNRANKED)).any(axis=1)
    if not tied.any():
        return place, np.arange(len(ranks))
    rows, owners = [], []
    for owner, row in enumerate(ranks):
        observed = row != UNRANKED
        for broken in compatible_ranks(row[observed]):
            strict = row.copy()
            strict[observed] = broken
            rows.append(strict)
            owners.append(owner)
    return np.array(rows, dtype=np.int32), np.array(owners, dtype=np.intp)
