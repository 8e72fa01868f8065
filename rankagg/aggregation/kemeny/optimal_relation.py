"""Pairs that all optima have, and a random optimum.

A pair is settled either by a proof that reversing it costs more, or by an optimum that reverses it.
Proofs come from the weights of the optimality proof, which bound all forced pairs at once, and
from those of an interior point. Optima come from moves that cost nothing. Each remaining pair is
reversed and solved again, near pairs first, because transitivity then settles far ones.

A solver returns the optimum that it happens to find first: one near its start, or one that has the
items in the order of their numbers. Over many problems that favours some items without a reason in
the votes. A random draw avoids this: a random ranking settles the open pairs one by one, in random
order. Each pair is settled as in the ranking if an optimum that agrees with the earlier pairs
allows it. The result depends only on the set of optima and the random numbers.

The solver is seldom needed: the current order, moved towards the ranking at no cost, settles most
pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from rankagg._typing import Bools, Generator, Positions
from rankagg.aggregation.deadline import NEVER, Deadline
from rankagg.aggregation.kemeny import orders as heuristics
from rankagg.aggregation.kemeny.certificate import Certificate
from rankagg.aggregation.kemeny.persistency import closed
from rankagg.aggregation.kemeny.problem import Problem, SubsetTable
from rankagg.aggregation.kemeny.proof import Proof, renumbered_row
from rankagg.aggregation.kemeny.relaxation import Live, Relaxation
from rankagg.aggregation.kemeny.strict_search import EARLY_FROM, Search
from rankagg.check_certificate import Derived, Enumeration
from rankagg.core import exact
from rankagg.core.graphs import connected_parts, strong_parts
from rankagg.exceptions import SolverError

#: Up to this number of items enumeration is faster than the relaxation.
ENUMERATED_UP_TO = 9

# With more cycles an interior point takes longer than the searches that it saves.
MOST_CYCLES = 20_000
WALKS = 200


def shown_in_all(
    problem: Problem, certificate: Certificate, deadline: Deadline = NEVER, live: Live | None = None
) -> Bools:
    """Return pairs that all optima have."""
    always = _by_proofs(problem, certificate)
    rows = [proof.rows for proof in certificate.proofs]
    return _more_in_all(problem, certificate.scaled_cost, always, rows, deadline, live=live)


def _by_proofs(problem: Problem, certificate: Certificate) -> Bools:
    """Return the pairs that follow from the weights of the proofs."""
    place = np.argsort(certificate.order)
    part = np.arange(problem.n)
    always = np.zeros((problem.n, problem.n), dtype=bool)
    for proof in certificate.proofs:
        items = np.array(proof.positions)
        part[items] = items[0]
        if Enumeration() in proof.nodes:
            continue
        inside = problem.restrict(items)
        best = inside.cost(np.argsort(place[items]))
        # Orders with the column before the row cost more than the optimum.
        always[np.ix_(items, items)] = (proof.forced_bounds(inside) > best).T
    np.fill_diagonal(always, False)
    # Each part costs its optimum, and each pair between parts its cheaper direction.
    always |= (problem.margins < 0) & (part[:, None] != part)
    found = closed(always)
    assert found is not None, "an optimum has all of them"
    return found


def _more_in_all(
    problem: Problem,
    best: int,
    always: Bools,
    rows: Iterable[Sequence[Derived]] = (),
    deadline: Deadline = NEVER,
    *,
    live: Live | None = None,
) -> Bools:
    """Add the pairs that follow from an interior point of all optimal weights.

    A vertex has few positive weights; an interior point has as many as possible. The weights are
    rounded and then count exactly, as in proofs.
    """
    if np.bincount(connected_parts(~(always | always.T))).max(initial=0) <= ENUMERATED_UP_TO:
        return always
    cycles = _open_cycles(always)
    if not 0 < len(cycles) <= MOST_CYCLES:
        return always
    relaxation = Relaxation(problem, live)
    relaxation.fix(always)
    relaxation.add_cycles(cycles)
    for derived in rows:
        first = len(relaxation.derived)
        relaxation.derive([renumbered_row(row, rows=first.__add__) for row in derived])
    try:
        point = relaxation.solve_inside(deadline)
    except SolverError:
        return always  # HiGHS does not always find an interior point
    found: Bools | None = Proof.fixed(problem, relaxation.weighting(point), always, best + 1)
    assert found is not None, "the optimum remains"
    return found


def _open_cycles(decided: Bools) -> Positions:
    """Return the cycles that an order with the decided pairs can violate."""
    n = len(decided)
    undecided = ~(decided | decided.T) & ~np.eye(n, dtype=bool)
    found = [np.zeros((0, 3), dtype=np.intp)]
    for first in range(n - 2):
        second = np.flatnonzero(~decided[first, first + 1 :]) + first + 1
        third = np.flatnonzero(~decided[first + 1 :, first]) + first + 1
        free = undecided[np.ix_(second, third)]
        number = free + undecided[first, second][:, None].astype(np.int8) + undecided[third, first]
        usable = ~decided[np.ix_(second, third)] & (second[:, None] != third) & (number >= 2)
        b, c = np.nonzero(usable)
        found.append(np.column_stack([np.full(len(b), first), second[b], third[c]]))
    return np.concatenate(found)


class Relation:
    """The relation "before in every optimum" of a problem with a known optimal order."""

    def __init__(self, problem: Problem, order: Positions, deadline: Deadline = NEVER) -> None:
        self._problem = problem
        place = np.argsort(order)
        self.always: Bools = place[:, None] < place[None, :]
        self.n_seen = 1
        # Weak components: between them every majority is strict, in every optimum.
        component = strong_parts(problem.margins <= 0)
        for number in np.unique(component):
            part = order[component[order] == number]
            if len(part) > 1:
                inside = _Component(problem.restrict(part), deadline)
                self.always[np.ix_(part, part)] = inside.always
                self.n_seen *= inside.n_seen
        self.always.flags.writeable = False


def is_beaten(problem: Problem, order: Positions, deadline: Deadline = NEVER) -> bool:
    """Return whether some order costs less than the given one."""
    majority = problem.margins < 0
    component = strong_parts(majority)
    place = np.argsort(order)
    uphill = majority & (place[:, None] > place)
    if (uphill & (component[:, None] != component)).any():
        return True
    for number in np.unique(component):
        part = order[component[order] == number]
        if len(part) > 1:
            inside = problem.restrict(part)
            own = inside.cost(np.arange(len(part)))
            search = Search(inside, deadline)
            search.run(until=own, known=own - 1)
            if search.upper < own:
                return True
    return False


def can_lead(problem: Problem, first: int, deadline: Deadline = NEVER) -> bool:
    """Return whether some optimal order begins with an item."""
    target = problem.cost(np.arange(problem.n)) - int(problem.costs[first].sum())
    search = Search(problem.restrict(np.delete(np.arange(problem.n), first)), deadline)
    search.run(until=target + 1, known=target)
    return search.upper <= target


class _Component:
    """The relation within one weak component; positions are places in the first optimum."""

    def __init__(self, problem: Problem, deadline: Deadline) -> None:
        self._problem = problem
        self._deadline = deadline
        n = problem.n
        self._best = problem.cost(np.arange(n))
        # possible[i, j]: some optimum found so far has i before j.
        self._possible = np.triu(np.ones((n, n), dtype=bool), k=1)
        self._seen: set[bytes] = {np.arange(n).tobytes()}
        # This skips the early search for pairs that every optimum has: the weights of the first
        # proof mostly show them at once. With more items the early search pays off.
        nothing = np.zeros((n, n), dtype=bool) if EARLY_FROM <= n <= 150 else None
        search = Search(problem, deadline, decided=nothing)
        search.run()
        self._relaxation = search.relaxation
        # Forcing j before i costs more than the optimum: i is always before j.
        always = closed((search.proof.forced_bounds(problem) > self._best).T & self._possible)
        assert always is not None, "an optimum has all of them"
        self.always: Bools = _more_in_all(problem, self._best, always, [search.rows], deadline)
        self._meet(search.order)
        self._walk([np.arange(n)])
        self._settle()
        self.n_seen = len(self._seen)

    def _meet(self, order: Positions) -> bool:
        key = order.tobytes()
        if key in self._seen:
            return False
        self._seen.add(key)
        place = np.argsort(order)
        self._possible |= place[:, None] < place[None, :]
        return True

    def _walk(self, orders: list[Positions]) -> None:
        """Follow a limited number of moves of single items that cost nothing."""
        queue = list(orders)
        for _ in range(WALKS):
            if not queue:
                return
            self._deadline.seconds_left()
            order = queue.pop()
            gains = heuristics.insertion_gains(self._problem.margins[np.ix_(order, order)])
            moves = (gains == 0) & self._informative_moves(order)
            for source, target in np.argwhere(moves).tolist():
                # Optima found since may have shown the same pairs.
                if self._is_informative(order, source, target):
                    neighbor = order[heuristics.moved(len(order), source, target)]
                    if self._meet(neighbor):
                        queue.append(neighbor)

    def _informative_moves(self, order: Positions) -> Bools:
        """Return which moves of single items give a pair a direction that no optimum had yet."""
        new = (~self._possible)[np.ix_(order, order)].astype(np.int64)
        # An item moved down is behind those it passes; an item moved up is before them.
        down = np.cumsum(new, axis=0).T
        up = np.zeros((len(order), len(order) + 1), dtype=np.int64)
        np.cumsum(new, axis=1, out=up[:, 1:])
        below = down - down.diagonal()[:, None]
        return np.triu(below, k=1) + np.tril(up.diagonal()[:, None] - up[:, :-1], k=-1) > 0

    def _is_informative(self, order: Positions, source: int, target: int) -> bool:
        """Return the same for one move."""
        item = order[source]
        if source < target:
            return not self._possible[order[source + 1 : target + 1], item].all()
        return not self._possible[item, order[target:source]].all()

    def _settle(self) -> None:
        n = self._problem.n
        for distance in range(1, n):
            for i in range(n - distance):
                j = i + distance
                if not self.always[i, j] and not self._possible[j, i]:
                    self._force(j, i)

    def _force(self, first: int, second: int) -> None:
        """Find an optimum with `first` before `second`, or prove that there is none."""
        decided = Proof.answered(self.always, first, second)
        assert decided is not None, "only pairs that are open are forced"
        search = Search(self._problem, self._deadline, decided=decided, relaxation=self._relaxation)
        search.run(until=self._best + 1, known=self._best)
        self._relaxation = search.relaxation
        if search.upper <= self._best:
            self._meet(search.order)
            self._walk([search.order])
        else:
            always = Proof.answered(self.always, second, first)
            assert always is not None, "an optimum respects what all optima agree on"
            self.always = always


Order = Positions


def draw_optimum(
    problem: Problem, order: Order, always: Bools, rng: Generator, deadline: Deadline = NEVER
) -> Order:
    """Return a random optimal order that does not depend on the given optimum."""
    n = problem.n
    rank = rng.permutation(n)
    wanted = rank[:, None] < rank[None, :]
    turn = rng.permutation(n * n).reshape(n, n)
    draw = _Draw(problem, order, always, wanted, deadline)
    draw.settle(np.where(np.triu(wanted | wanted.T), turn, turn.T))
    return draw.order


class _Draw:
    """The optimum that remains when all pairs are settled."""

    def __init__(
        self, problem: Problem, order: Order, always: Bools, wanted: Bools, deadline: Deadline
    ) -> None:
        self._problem, self._deadline = problem, deadline
        self._wanted = wanted
        # Pairs that all remaining optima have; the current order is one of these.
        self._settled = always
        self.order = order

    def settle(self, turns: Positions) -> None:
        """Settle all pairs in the order of their numbers."""
        while True:
            self._deadline.seconds_left()
            self._approach()
            pair = self._settle_until(turns)
            if pair is None:
                return
            self._settle_pair(*pair)

    def _settle_until(self, turns: Positions) -> tuple[int, int] | None:
        """Settle the pairs up to the first that the current order reverses, and return that one."""
        place = np.argsort(self.order)
        ahead = place[:, None] < place[None, :]
        left = ~(self._settled | self._settled.T) & self._wanted
        against = left & ~ahead
        if not against.any():
            return None
        first, second = divmod(int(np.where(against, turns, turns.size).argmin()), len(turns))
        sooner = closed(self._settled | (left & (turns < turns[first, second])))
        assert sooner is not None, "the current order has all of them"
        self._settled = sooner
        return first, second

    def _settle_pair(self, first: int, second: int) -> None:
        """Settle a pair as wanted if some remaining optimum has it, else reversed."""
        case = Proof.answered(self._settled, first, second)
        if case is None:
            return  # it follows from the pairs before
        # Items that open pairs connect are consecutive; their order affects no other item.
        block = connected_parts(~(self._settled | self._settled.T))
        where = np.flatnonzero(block[self.order] == block[first])
        items = self.order[where]
        found = self._solved(self._problem.restrict(items), case[np.ix_(items, items)])
        if found is None:
            case = Proof.answered(self._settled, second, first)
            assert case is not None, "the current order has it"
        else:
            self.order = self.order.copy()
            self.order[where] = items[found]
        self._settled = case

    def _solved(self, problem: Problem, case: Bools) -> Order | None:
        """Return an order of a case that costs no more than the present one; None if none does."""
        best = problem.cost(np.arange(problem.n))
        if problem.n <= ENUMERATED_UP_TO:
            # Settled pairs outweigh all costs.
            much = exact.sum_of(np.abs(problem.costs)) + 1
            costs = exact.combine(problem.costs, 1, case.T.astype(np.int64), 2 * much)
            table = SubsetTable(Problem(exact.fit(costs), 0, 1), self._deadline)
            return table.order() if table.cost <= best else None
        search = Search(problem, self._deadline, decided=case)
        search.run(until=best + 1, known=best)
        if search.upper <= best:
            return search.order
        assert search.lower > best, "a search ends with an order or a proof"
        return None

    def _approach(self) -> None:
        """Move single items at no cost so that more pairs are as wanted."""
        n = self._problem.n
        second = np.where(self._settled | self._settled.T, self._settled * n**2, self._wanted)
        # The first cost outweighs the second; ties within float precision change nothing.
        margins = self._problem.margins.astype(np.float64) * n**4 + (second.T - second)
        found = heuristics.improve(margins, self.order, self._deadline)
        place = np.argsort(found)
        broken = (self._settled & (place[:, None] > place[None, :])).any()
        if not broken and self._problem.cost(found) == self._problem.cost(self.order):
            self.order = found
