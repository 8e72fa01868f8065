"""Pairs that have the same order in every optimum, told from the votes alone.

Let g(a, b) be what an order gains that has a before b in place of b before a. Suppose that some
optimal order has y before x, and let K be the items between them: y K x.

Exchange
    To move x up before y gains g(x, y), and g(x, k) for every k in K. To move y down behind x gains
    g(x, y), and g(k, y). An optimum gains by neither, so not by `up` times the one and `down` times
    the other together. Hence, if

        (up + down) g(x, y) + sum over all k of min(0, up g(x, k) + down g(k, y)) > 0,

    x is before y in every optimum. What is known of every optimum helps: no k can be in K that is
    known before y, or behind x. (None is known to be in K: y before k before x has y before x.)

Cut
    Let U hold x and not y. To put x and those of K in U before y and the others, both in the order
    that they had, gains g(x, y), and g(u, v) for every u in U and v not in U that were the other
    way round. Hence, if

        g(x, y) + sum over all other u in U, v not in U of min(0, g(u, v)) > 0,

    x is before y in every optimum. Only items count that can be in K, and a pair counts nothing
    where u is known before v.

Gains are strict, so no optimum is left out, whatever weights, ties and gaps the votes have. Among
complete strict rankings, g(x, k) + g(k, y) is twice the number of those that have k between x and
y, x first, less twice the number of those with y first. So an exchange with equal multipliers says
what the Major Order Theorem says, and rounds of it, what its iterated version says.

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
# Equal ones decide most among rankings, single moves among weights that differ a lot.
MOVES_COUNTED = ((1, 1), (1, 0), (0, 1), (2, 1), (1, 2))
# Entries between two looks at the clock.
BETWEEN_LOOKS = 2**24
# Cuts add a tenth where weights differ a lot, and next to nothing among hundreds of items. They are
# tried for some pairs that keep at least this share of their gain when other items are set apart.
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
    """Say whether x is before y in every optimum, by an exchange, for all of some pairs."""
    gains = -problem.margins
    largest = int(np.abs(gains).max(initial=0)) + 1
    # Numbers, and what bars items, stay below four times the largest product.
    fits = 8 * (problem.n + 1) * largest * (up + down + 1) < exact.INT64_SAFE
    return bool(_passing(gains.astype(np.int64 if fits else object), known, pairs, up, down).all())


def _passing(gains: NDArray[Any], known: Bools, pairs: Pairs, up: int, down: int) -> Bools:
    """Return for which pairs the sum of an exchange is positive."""
    # x and y themselves, and items that cannot be between, gain so much that they count nothing.
    bar = (up + down) * int(np.abs(gains).max(initial=0)) + 1
    barred = known | np.eye(len(known), dtype=bool)
    moved_up = np.where(barred, bar, up * gains).astype(gains.dtype)
    moved_down = np.where(barred, bar, down * gains).T.astype(gains.dtype)
    own = (up + down) * gains[pairs[:, 0], pairs[:, 1]]
    return _left_over(own, np.add, moved_up, moved_down, pairs) > 0


def _left_over(
    own: NDArray[Any], combine: np.ufunc, firsts: NDArray[Any], seconds: NDArray[Any], pairs: Pairs
) -> NDArray[Any]:
    """Return `own` plus the sum of min(0, combine(firsts[x], seconds[y])), where it is positive.

    It only falls as items are added, so elsewhere it is not known by how much it is below.
    """
    width, step = 64, 2**10  # what is worked on at once stays in the cache
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
    """Say whether x is before y in every optimum, by a cut, for all of some pairs."""
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
        if gain + total <= 0:  # a gain above 0 is not among what is lost
            return False
    return True


def _may_be_cut(gains: NDArray[Any], known: Bools, pairs: Pairs) -> Floats:
    """Return which share of its gain a pair keeps at most, whatever the cut; see `_passing`.

    A cut parts every other item from x or from y, and pays for the cheaper of the two.
    """
    lost = np.where(known | np.eye(len(known), dtype=bool), 0, np.minimum(gains, 0))
    own = gains[pairs[:, 0], pairs[:, 1]]
    left = _left_over(own, np.maximum, lost, lost.T, pairs)
    return left.astype(np.float64) / own.astype(np.float64)


def _small_cuts(
    gains: NDArray[Any], known: Bools, pairs: Pairs, size: int
) -> tuple[Bools, NDArray[np.float32]]:
    """Return for each pair the items of U of a cut that loses little, and what it loses.

    U, or else all that is not in it, grows item by item to a size, the least loss first. Numbers
    are rounded, so what comes out must be checked.
    """
    lost = np.where(known, 0, np.maximum(-gains, 0)).astype(np.float32)
    between = ~(known[:, pairs[:, 1]].T | known[pairs[:, 0]])
    upper, loss = _grown(lost, between, pairs, size)
    lower, other = _grown(lost.T, between, pairs[:, ::-1], size)
    cut: Bools = np.where((loss <= other)[:, None], upper, between & ~lower)
    return cut, np.minimum(loss, other)


def _grown(
    lost: NDArray[np.float32], between: Bools, pairs: Pairs, size: int
) -> tuple[Bools, NDArray[np.float32]]:
    """Return good sets that hold the first item of a pair, not the second, and their losses."""
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
    """What is known of every optimum of a part, and by which lines of a proof."""

    def __init__(self, problem: Problem, deadline: Deadline = NEVER) -> None:
        n = problem.n
        self._problem = problem
        self._deadline = deadline
        self._gains = _machine_gains(-problem.margins)
        self.known: Bools = np.zeros((n, n), dtype=bool)
        self.nodes: list[Persistent] = []
        # What was known when pairs were last tried with these multipliers.
        self._tried: dict[tuple[int, int], Bools] = {}
        while self._exchange() or self._cut():
            pass

    def _exchange(self) -> bool:
        """Try all multipliers, and say whether a pair was found."""
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
        """Try cuts for the most promising pairs, and say whether a pair was found."""
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
        """Return open pairs for which more is known than when they were tried last."""
        is_open = (self._gains > 0) & ~self.known & ~self.known.T
        if (up, down) in self._tried:
            new = self.known & ~self._tried[up, down]
            is_open &= np.logical_or.outer(new.any(axis=1), new.any(axis=0))
        self._tried[up, down] = self.known
        return np.argwhere(is_open)

    def _add(self, found: Pairs) -> tuple[tuple[int, int], ...]:
        """Add pairs, and return those from which the others follow."""
        pairs = np.zeros_like(self.known)
        pairs[tuple(found.T)] = True
        more = closed(self.known | pairs)
        assert more is not None, "an optimum has all of these pairs"
        steps = more.astype(np.float32)
        self.known = more
        needed = np.argwhere(pairs & ~(steps @ steps > 0)).tolist()
        return tuple((x, y) for x, y in needed)


def _machine_gains(gains: Integers) -> NDArray[Any]:
    """Return gains in machine integers: rounded down, if need be, which proves less at most."""
    largest = int(np.abs(gains).max(initial=0)) + 1
    room = 8 * (len(gains) + 1) * (max(map(sum, MOVES_COUNTED)) + 1)
    if room * largest < 2**31:
        return gains.astype(np.int32)
    # Whatever is rounded, an exchange that passes passes with the exact gains.
    return (gains >> max((room * largest).bit_length() - 62, 0)).astype(np.int64)
