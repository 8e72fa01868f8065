"""The fewest removals that change the exact consensus.

Items that stay below (or above) whatever is removed are left out first: where every item of a
part beats every item below by so many votes that no removal of the size turns a majority, the
exact consensus of all is that of the part, followed by that of the rest.

Removals are then looked for that let one order of a rival prevail, which gives an upper bound.
Where few choices are left below it, all are tried, each solved exactly; else a program in whole
numbers with an unknown order (`OrderProgram`) is solved, to which the exact engine adds the orders
that have to be beaten.

Deciding whether so many removals suffice is hard in general: Bartholdi, Tovey and Trick (1992),
doi:10.1016/0895-7177(92)90085-Y, for deleting voters; the fewest changes of ballots are the margin
of victory of Magrino, Rivest, Shen and Wagner (2011) and Xia (2012), doi:10.1145/2229012.2229086.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import cast

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Integers
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.programs.integer_program import IntegerProgram
from rankagg.analysis.robustness.removal.bracket import Bracket, Question
from rankagg.analysis.robustness.removal.contest import FEW, Contest, Order
from rankagg.analysis.robustness.removal.fewest import fewest
from rankagg.analysis.robustness.removal.order_program import OrderProgram
from rankagg.analysis.robustness.removal.rivals import Merged, each_rival
from rankagg.analysis.robustness.removal.units import Units
from rankagg.core.arithmetic import exact
from rankagg.core.graphs import strong_parts

__all__ = ["search_orders"]

# Programs of more items or numbers take too long; so many choices are all tried.
ITEMS, TERMS, SUBSETS = 30, 300_000, 20_000
ROUNDS = 4


def search_orders(units: Units, question: Question, bracket: Bracket, deadline: Deadline) -> None:
    """Find the fewest removals that change the exact consensus, as far as that can be proved.

    Parameters
    ----------
    units : Units
        What may go.
    question, bracket, deadline
        What to change, what is known, and when to stop.
    """
    thresholds = _thresholds(units, deadline)
    bracket.raise_to(_joined_from(thresholds, question, bracket.total))
    if bracket.is_closed():
        return
    contest = Contest(units, question, _part(thresholds, question, bracket.upper - 1))
    pool = _Pool(contest)
    _approach(contest, pool, bracket, deadline)
    if bracket.is_closed():
        return
    smaller = _part(thresholds, question, bracket.upper - 1)
    if len(smaller) < contest.size:
        contest = Contest(units, question, smaller)
        pool = _Pool(contest)
    if contest.size <= FEW:
        _order_by_order(contest, pool, bracket, deadline)
    elif _n_tries(contest.merged.counts, bracket) <= SUBSETS:
        _try_all(contest, bracket, deadline)
    elif contest.size <= ITEMS and OrderProgram.size_of(contest) <= TERMS:
        _program(contest, pool, bracket, deadline)


def _n_tries(counts: NDArray[np.int64], bracket: Bracket) -> int:
    """Return how many choices of units are smaller than the best, or more than `SUBSETS`."""
    most = bracket.upper - 1
    if most > SUBSETS:
        return SUBSETS + 1
    ways = [1] + [0] * most
    for count in counts.tolist():
        sums = [0, *accumulate(ways)]
        ways = [sums[k + 1] - sums[max(k - count, 0)] for k in range(most + 1)]
    return min(sum(ways[bracket.lower :]), SUBSETS + 1)


def _choices(counts: list[int], size: int) -> Iterator[list[int]]:
    """Yield all ways to choose so many units of classes."""
    if not counts:
        if not size:
            yield []
        return
    rest = sum(counts[1:])
    for many in range(max(size - rest, 0), min(counts[0], size) + 1):
        yield from ([many, *others] for others in _choices(counts[1:], size - many))


# -- what no removal of a size can change ---------------------------------------------------------


def _thresholds(units: Units, deadline: Deadline) -> NDArray[np.int64]:
    """Return how many removals it takes that row has no majority over column any longer."""
    n = len(units.items)
    found = np.zeros((n, n), dtype=np.int64)
    for item in range(n):
        deadline.seconds_left()
        others = np.delete(np.arange(n), item)
        leads = units.leads(item, others)
        margins = units.counts.astype(object) @ leads.astype(object)
        if leads.dtype != object and all(abs(int(margin)) < 2**62 for margin in margins):
            margins = margins.astype(np.int64)
        found[item, others] = fewest(margins, leads, units.counts)
    return found


def _part(thresholds: NDArray[np.int64], question: Question, size: int) -> NDArray[np.intp]:
    """Return the items that may stand with the tops once so many units are removed."""
    # Column may be level with row, or ahead of it.
    parts = strong_parts(thresholds.T <= size)  # noqa: SIM300
    return np.flatnonzero(parts == parts[question.tops[0]])


def _joined_from(thresholds: NDArray[np.int64], question: Question, total: int) -> int:
    """Return with how many removals some rival may stand with the tops."""
    sizes = np.unique(thresholds[thresholds < total]).tolist()
    low, high = 0, len(sizes)
    while low < high:
        middle = (low + high) // 2
        part = _part(thresholds, question, sizes[middle])
        if np.isin(part, question.rivals).any():
            high = middle
        else:
            low = middle + 1
    return sizes[low] if low < len(sizes) else total


# -- upper bounds ---------------------------------------------------------------------------------


class _Pool:
    """Orders that rivals have to beat, each once."""

    def __init__(self, contest: Contest) -> None:
        self._contest = contest
        self.vectors: list[NDArray[np.int64]] = []

    def add(self, order: Order) -> bool:
        """Take an order; say whether it is new."""
        vector = self._contest.vector(order)
        if any(np.array_equal(vector, known) for known in self.vectors):
            return False
        self.vectors.append(vector)
        return True


def _approach(contest: Contest, pool: _Pool, bracket: Bracket, deadline: Deadline) -> None:
    """Find removals for an order that is near to prevailing, then for the best one without them."""
    margins = contest.whole
    pool.add(contest.best_top(margins, deadline))
    seen: set[bytes] = set()
    for _ in range(ROUNDS):
        deadline.seconds_left()
        order = contest.best_rival(margins, deadline)
        if order.tobytes() in seen or bracket.is_closed():
            break
        seen.add(order.tobytes())
        _, removed = _for_order(contest, order, pool, bracket, deadline)
        if removed is None:
            break
        bracket.offer(contest.merged.spread(removed))
        margins = contest.margins(removed)
    if not bracket.is_closed():
        _one_by_one(contest, bracket, deadline)


def _one_by_one(contest: Contest, bracket: Bracket, deadline: Deadline) -> None:
    """Remove what speaks most for the best order of the others against the best of the rivals.

    Both orders are found anew each time; what turns out not to be needed is put back.
    """
    counts, strict = contest.merged.counts, int(contest.question.strict)
    removed = np.zeros(len(counts), dtype=np.int64)
    while True:
        deadline.seconds_left()
        margins = contest.margins(removed)
        top, rival = contest.best_top(margins, deadline), contest.best_rival(margins, deadline)
        gap = contest.value(top, margins) - contest.value(rival, margins) + strict
        if gap <= 0:
            break
        ahead = contest.vector(top) - contest.vector(rival)
        gains = contest.sums(ahead) * ((counts - removed) > 0)
        best = int(np.argmax(gains))
        if gains[best] <= 0:
            return
        # Half of what this class could do alone: the orders change under way.
        many = max(min(-(-gap // (2 * int(gains[best]))), int(counts[best] - removed[best])), 1)
        removed[best] += many
        if int(removed.sum()) >= contest.units.total:
            return
    bracket.offer(contest.merged.spread(removed))
    for k in np.flatnonzero(removed).tolist():
        deadline.seconds_left()
        fewer = removed.copy()
        fewer[k] -= 1
        if contest.does_it(fewer, deadline):
            removed = fewer
            bracket.offer(contest.merged.spread(removed))


def _for_order(
    contest: Contest, order: Order, pool: _Pool, bracket: Bracket, deadline: Deadline
) -> tuple[int, NDArray[np.int64] | None]:
    """Find the fewest removals that let one order prevail, fewer than the best so far.

    Returns
    -------
    bound : int
        It takes so many at least, or as many as the best so far.
    removed : ndarray of int, or None
        What to remove of each merged class; None where that is not found.
    """
    strict = int(contest.question.strict)
    vector = contest.vector(order)
    # What a unit says for each order of the pool and against this one.
    gains: list[Integers] = []
    targets: list[int] = []
    while True:
        for rival in pool.vectors[len(gains) :]:
            ahead = rival - vector
            gains.append(contest.sums(ahead))
            targets.append(int((contest.whole.astype(object) * ahead).sum()) + strict)
        # Classes that say the same of these orders are one.
        merged = Merged(cast(Integers, np.stack(gains, axis=1)), contest.merged.counts)
        program = IntegerProgram()
        columns = program.columns(merged.counts.tolist(), cost=1).tolist()
        for k, target in enumerate(targets):
            program.at_least(dict(zip(columns, merged.gains[:, k].tolist(), strict=True)), target)
        optimum = program.solve(deadline, below=bracket.upper)
        if optimum.values is None:
            return optimum.bound, None
        removed = merged.spread(optimum.values)
        margins = contest.margins(removed)
        best = contest.best_top(margins, deadline)
        if contest.value(order, margins) >= contest.value(best, margins) + strict:
            return optimum.bound, removed
        if not pool.add(best):
            return optimum.bound, None  # the solver is not as exact as that


# -- all of it ------------------------------------------------------------------------------------


def _order_by_order(contest: Contest, pool: _Pool, bracket: Bracket, deadline: Deadline) -> None:
    """Find the fewest removals for every order in which a rival prevails.

    Each has to beat every order of the others, and the removals that it needs against one of them
    bound what it needs.
    """
    rivals, tops = contest.sides
    counts, strict = contest.merged.counts, int(contest.question.strict)
    theirs = contest.sums(tops.T)
    values = contest.whole.astype(object) @ tops.T.astype(object)
    bounds = np.zeros(len(rivals), dtype=np.int64)
    for at, order in enumerate(rivals):
        deadline.seconds_left()
        mine = contest.sums(contest.vector(order))[:, None]
        each = cast(Integers, np.broadcast_to(mine, theirs.shape))
        gains = exact.combine(theirs, 1, each, -1)
        targets = exact.fit(values - contest.value(order, contest.whole) + strict)
        bounds[at] = fewest(targets, gains, counts).max()

    def solve(at: int) -> int:
        bound, removed = _for_order(contest, rivals[at], pool, bracket, deadline)
        if removed is not None:
            bracket.offer(contest.merged.spread(removed))
        return bound

    each_rival(bracket, tuple(range(len(rivals))), bounds, solve)


def _try_all(contest: Contest, bracket: Bracket, deadline: Deadline) -> None:
    """Solve without every set of units, the small ones first."""
    counts = contest.merged.counts.tolist()
    for size in range(bracket.lower, bracket.upper):
        for chosen in _choices(counts, size):
            deadline.seconds_left()
            removed = np.array(chosen, dtype=np.int64)
            if contest.does_it(removed, deadline):
                bracket.offer(contest.merged.spread(removed))
                bracket.raise_to(size)
                return
        bracket.raise_to(size + 1)


def _program(contest: Contest, pool: _Pool, bracket: Bracket, deadline: Deadline) -> None:
    """Solve the program with an unknown order, adding orders that have to be beaten."""
    if not pool.vectors:
        pool.add(contest.best_top(contest.whole, deadline))
    model = OrderProgram(contest)
    strict = int(contest.question.strict)
    used = 0
    while not bracket.is_closed():
        for vector in pool.vectors[used:]:
            model.must_beat(vector)
        used = len(pool.vectors)
        optimum = model.program.solve(deadline, below=bracket.upper)
        bracket.raise_to(optimum.bound)
        if optimum.values is None:
            return
        removed, order = model.read(optimum.values)
        margins = contest.margins(removed)
        best = contest.best_top(margins, deadline)
        value = contest.value(order, margins)
        if contest.is_rival(order) and value >= contest.value(best, margins) + strict:
            bracket.offer(contest.merged.spread(removed))
        elif not pool.add(best):
            return  # the solver is not as exact as that
