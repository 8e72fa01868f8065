"""Pairs that have the same order in every optimum, derived from the votes alone.

Let g(a, b) be the gain of an order with a before b over one with b before a. Suppose that some
optimal order has y before x, and let K be the items between them: y K x.

Exchange
    Moving x up before y gains g(x, y), and g(x, k) for every k in K. Moving y down behind x gains
    g(x, y), and g(k, y) for every k in K. Neither improves an optimum, so neither does `up` times
    the one plus `down` times the other. Hence, if

        (up + down) g(x, y) + sum over all k of min(0, up g(x, k) + down g(k, y)) > 0,

    x is before y in every optimum. Known pairs of every optimum help: no k in K is known before y
    or behind x. (No k is known to be in K: y before k before x implies y before x.)

Cut
    Let U contain x and not y. Move x and the members of K in U before y and the others, both in
    their former order. That gains g(x, y), and g(u, v) for every reversed pair of u in U and v
    not in U. Hence, if

        g(x, y) + sum over all other u in U, v not in U of min(0, g(u, v)) > 0,

    x is before y in every optimum. Only items that can be in K count, and a pair with u known
    before v counts nothing.

Gains are strict, so the result holds for every optimum, with any weights, ties and gaps of the
votes. Among complete strict rankings, g(x, k) + g(k, y) is twice the number of rankings with k
between x and y, x first, minus twice the number of those with y first. So an exchange with equal
multipliers is the Major Order Theorem, and rounds of it are its iterated version.

References
----------
Milosz and Hamel (2016), https://doi.org/10.1007/978-3-319-29221-2_23; Phung and Hamel (2025),
https://arxiv.org/abs/2506.15097; cuts: Stein, Irmai and Andres (2026),
https://arxiv.org/abs/2602.17346.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Integers, Positions
from rankagg.aggregation.deadline import NEVER, Deadline
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.check_certificate import Cut, Exchange, Persistent
from rankagg.core import exact

#: Positions of x and of y, one row per pair.
Pairs = Positions
# Equal multipliers decide most pairs of rankings; single moves help if weights differ a lot.
MOVES_COUNTED = ((1, 1), (1, 0), (0, 1), (2, 1), (1, 2))
# Entries between two checks of the clock.
BETWEEN_LOOKS = 2**24
# Cuts decide a tenth more pairs if weights differ a lot, and few among hundreds of items. They are
# tried for pairs that may keep at least the share PROMISING of their gain.
CUTS_UP_TO, CUT_SIZE, CUTS_PER_ITEM, PROMISING = 150, 6, 4, 0.5


def closed(before: Bools) -> Bools | None:
    """Close a relation under transitivity; None if it contradicts itself."""
    while True:
        steps = before.astype(np.float32)
        more = before | (steps @ steps > 0)
        if more.diagonal().any():
            return None
        if np.array_equal(more, before):
            return more
        before = more


def all_by_exchange(problem: Problem, known: Bools, pairs: Pairs, up: int, down: int) -> bool:
    """Return whether an exchange proves x before y in every optimum, for all given pairs."""
    gains = -problem.margins
    largest = int(np.abs(gains).max(initial=0)) + 1
    # All numbers, also those that exclude items, stay below four times the largest product.
    fits = 8 * (problem.n + 1) * largest * (up + down + 1) < exact.INT64_SAFE
    return bool(_passing(gains.astype(np.int64 if fits else object), known, pairs, up, down).all())


def _passing(gains: NDArray[Any], known: Bools, pairs: Pairs, up: int, down: int) -> Bools:
    """Return the pairs for which the sum of an exchange is positive."""
    # Give x, y and items that cannot be between a large gain, so that they count nothing.
    bar = (up + down) * int(np.abs(gains).max(initial=0)) + 1
    barred = known | np.eye(len(known), dtype=bool)
    moved_up = np.where(barred, bar, up * gains).astype(gains.dtype)
    moved_down = np.where(barred, bar, down * gains).T.astype(gains.dtype)
    own = (up + down) * gains[pairs[:, 0], pairs[:, 1]]
    return _remaining_gain(own, np.add, moved_up, moved_down, pairs) > 0


def _remaining_gain(
    own: NDArray[Any], combine: np.ufunc, firsts: NDArray[Any], seconds: NDArray[Any], pairs: Pairs
) -> NDArray[Any]:
    """Return `own` plus the sum of min(0, combine(firsts[x], seconds[y])), exact if positive.

    The sum only falls as items are added, so a sum is not completed once it is not positive.
    """
    width, step = 64, 2**10  # blocks fit in the cache
    blocks = [slice(start, start + width) for start in range(0, len(firsts), width)]
    firsts_in = [np.ascontiguousarray(firsts[:, block]) for block in blocks]
    seconds_in = [np.ascontiguousarray(seconds[:, block]) for block in blocks]
    total = own.copy()
    left = np.flatnonzero(own > 0)
    for start in range(0, len(left), step):
        chunk = left[start : start + step]
        for first, second in zip(firsts_in, seconds_in, strict=True):
            sums = first[pairs[chunk, 0]]
            combine(sums, second[pairs[chunk, 1]], out=sums)
            np.minimum(sums, 0, out=sums)
            total[chunk] += sums.sum(axis=1, dtype=sums.dtype)
            chunk = chunk[total[chunk] > 0]
            if len(chunk) == 0:
                break
    return total


def all_by_cut(problem: Problem, known: Bools, above: Positions, pairs: Pairs) -> bool:
    """Return whether a cut proves x before y in every optimum, for all given pairs."""
    inside = np.zeros(problem.n, dtype=bool)
    inside[above] = True
    if not inside[pairs[:, 0]].all() or inside[pairs[:, 1]].any():
        return False
    upper, lower = np.flatnonzero(inside), np.flatnonzero(~inside)
    lost = np.minimum(-problem.margins[np.ix_(upper, lower)], 0)
    lost[known[np.ix_(upper, lower)]] = 0
    for x, y in pairs.tolist():
        between = ~(known[:, y] | known[x])
        gain = -int(problem.margins[x, y])
        total = exact.sum_of(lost[np.ix_(between[upper], between[lower])])
        if gain + total <= 0:  # the pair itself, with a gain above 0, loses nothing
            return False
    return True


def _may_be_cut(gains: NDArray[Any], known: Bools, pairs: Pairs) -> Floats:
    """Bound the share of its gain that each pair keeps in any cut; see `_passing`.

    A cut separates every other item from x or from y, and at best loses the smaller amount.
    """
    lost = np.where(known | np.eye(len(known), dtype=bool), 0, np.minimum(gains, 0))
    own = gains[pairs[:, 0], pairs[:, 1]]
    left = _remaining_gain(own, np.maximum, lost, lost.T, pairs)
    return left.astype(np.float64) / own.astype(np.float64)


def _small_cuts(
    gains: NDArray[Any], known: Bools, pairs: Pairs, size: int
) -> tuple[Bools, NDArray[np.float32]]:
    """Return for each pair the items of U of a cut with a small loss, and the loss.

    U, or else its complement, grows item by item to a size, the least loss first. Numbers are
    rounded, so results must be checked.
    """
    lost = np.where(known, 0, np.maximum(-gains, 0)).astype(np.float32)
    between = ~(known[:, pairs[:, 1]].T | known[pairs[:, 0]])
    upper, loss = _grown(lost, between, pairs, size)
    lower, other = _grown(lost.T, between, pairs[:, ::-1], size)
    cut = np.where((loss <= other)[:, None], upper, between & ~lower)
    return cut, np.minimum(loss, other)


def _grown(
    lost: NDArray[np.float32], between: Bools, pairs: Pairs, size: int
) -> tuple[Bools, NDArray[np.float32]]:
    """Return good sets that contain the first item of a pair but not the second, with losses."""
    each = np.arange(len(pairs))
    inside = np.zeros_like(between)
    inside[each, pairs[:, 0]] = True
    within = between.astype(np.float32)
    loss = (within * lost[pairs[:, 0]]).sum(axis=1)
    best, least = inside.copy(), loss.copy()
    for _ in range(size - 1):
        members = inside.astype(np.float32)
        more = (within - members) @ lost.T - members @ lost
        more[inside | ~between] = np.inf
        more[each, pairs[:, 1]] = np.inf
        added = more.argmin(axis=1)
        inside[each, added] = True
        loss = loss + more[each, added]
        better = loss < least
        best[better], least[better] = inside[better], loss[better]
    return best, least


class Persistence:
    """Pairs that every optimum of a part has, with the nodes that prove them."""

    def __init__(self, problem: Problem, deadline: Deadline = NEVER) -> None:
        n = problem.n
        self._problem = problem
        self._deadline = deadline
        self._gains = _machine_gains(-problem.margins)
        self.known: Bools = np.zeros((n, n), dtype=bool)
        self.nodes: list[Persistent] = []
        # The known pairs when these multipliers were last tried.
        self._tried: dict[tuple[int, int], Bools] = {}
        while self._exchange() or self._cut():
            pass

    def _exchange(self) -> bool:
        """Try all multipliers, and return whether a pair was found."""
        before = len(self.nodes)
        for up, down in MOVES_COUNTED:
            pairs = self._pairs_to_try(up, down)
            step = max(BETWEEN_LOOKS // len(self.known), 1)
            for start in range(0, len(pairs), step):
                if self._deadline.is_over:
                    return False
                some = pairs[start : start + step]
                some = some[~self.known[tuple(some.T)]]
                found = some[_passing(self._gains, self.known, some, up, down)]
                if len(found):
                    rest = len(self.nodes) + 1
                    self.nodes.append(Exchange(self._add(found), up, down, rest))
        return len(self.nodes) > before

    def _cut(self) -> bool:
        """Try cuts for the most promising pairs, and return whether a pair was found."""
        n = len(self.known)
        if n > CUTS_UP_TO or self._deadline.is_over:
            return False
        before = len(self.nodes)
        pairs = np.argwhere((self._gains > 0) & ~self.known & ~self.known.T)
        share = _may_be_cut(self._gains, self.known, pairs)
        first = np.argsort(-share, kind="stable")[: CUTS_PER_ITEM * n]
        pairs = pairs[first[share[first] > PROMISING]]
        cuts, loss = _small_cuts(self._gains, self.known, pairs, CUT_SIZE)
        for at in np.flatnonzero(loss < self._gains[tuple(pairs.T)]):
            pair, above = pairs[at : at + 1], np.flatnonzero(cuts[at])
            if not self.known[tuple(pair[0])] and all_by_cut(
                self._problem, self.known, above, pair
            ):
                rest = len(self.nodes) + 1
                self.nodes.append(Cut(tuple(above.tolist()), self._add(pair), rest))
        return len(self.nodes) > before

    def _pairs_to_try(self, up: int, down: int) -> Pairs:
        """Return open pairs affected by known pairs added since they were last tried."""
        is_open = (self._gains > 0) & ~self.known & ~self.known.T
        if (up, down) in self._tried:
            new = self.known & ~self._tried[up, down]
            is_open &= np.logical_or.outer(new.any(axis=1), new.any(axis=0))
        self._tried[up, down] = self.known
        return np.argwhere(is_open)

    def _add(self, found: Pairs) -> tuple[tuple[int, int], ...]:
        """Add pairs, and return those that imply the others."""
        pairs = np.zeros_like(self.known)
        pairs[tuple(found.T)] = True
        more = closed(self.known | pairs)
        assert more is not None, "an optimum has all of these pairs"
        steps = more.astype(np.float32)
        self.known = more
        return tuple((x, y) for x, y in np.argwhere(pairs & ~(steps @ steps > 0)).tolist())


def _machine_gains(gains: Integers) -> NDArray[Any]:
    """Return gains in machine integers, rounded down if necessary, which only weakens proofs."""
    largest = int(np.abs(gains).max(initial=0)) + 1
    room = 8 * (len(gains) + 1) * (max(map(sum, MOVES_COUNTED)) + 1)
    if room * largest < 2**31:
        return gains.astype(np.int32)
    # An exchange that passes with rounded gains passes with the exact gains.
    return (gains >> max((room * largest).bit_length() - 62, 0)).astype(np.int64)
