"""The best order found so far, and a memetic search for a better one.

After the memetic algorithm of Schiavinotto and Stützle (2004), "The linear ordering problem:
instances, search space analysis and algorithms", https://doi.org/10.1023/B:JMMA.0000049426.06305.d8,
with cycle crossover and the replacement of Lugo, Segura and Miranda (2022), "A diversity-aware
memetic algorithm for the linear ordering problem", https://doi.org/10.1007/s12293-022-00378-5:
survivors must keep a distance from all better survivors. That distance falls to zero over a number
of generations, not over time, so the orders found depend only on the seed and the number of steps.
Then the search restarts with other orders for more generations, because a population seldom leaves
a local optimum.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from math import inf
from operator import itemgetter
from time import monotonic

import numpy as np

from rankagg._typing import Bools, Floats, Generator, Integers, Positions
from rankagg.aggregation.deadline import NEVER, Deadline
from rankagg.aggregation.kemeny import orders as heuristics
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.kernels.local_search import Numbers, Searches

Orders = Positions

POPULATION = 16
#: From this number of items on there is a single search, as a generation would take too long.
ONE_SEARCH_FROM = 300
#: Steps per item of a search in a generation: to a local optimum, with some kicks.
STEPS_OF_ITEM = 20
#: Steps per item in the first generation, whose orders are further from a local optimum.
FIRST_STEPS = 60
#: Number of items that a kick moves, and how far at most.
STRENGTH, REACH = 2, 40
#: Generations of the first population, growth of their number with each restart, and the interval
#: of restarts that begin with the best orders of earlier populations instead of random ones only.
GENERATIONS, GROWTH, MERGE_EVERY = 32, 1.25, 3
#: The search is given up after this multiple of the steps to the best order without a better one.
VAIN = 20
#: The first distance between survivors, in mean distances of the first population.
APART = 0.3
#: Margins that are summed at a time.
SUMMED_MARGINS = 100_000
#: Least seconds of a search: most problems are solved before it is due.
WORTH_SECONDS = 0.02
#: Most seconds before the first relaxation if there is no time limit.
MOST_SECONDS_FIRST = 10.0
#: Seconds that loading the compiled loops may take, including the first compilation.
LOADING = 5.0
#: Additions between two checks of the clock.
BETWEEN_CLOCKS = 300_000
PARENTS, NOISE = 20, 3.0

# The first order may exceed the deadline by GRACE seconds, and take one FIRST_SHARE-th of the time.
GRACE, FIRST_SHARE = 0.25, 3

#: Share of the time for the memetic search during the relaxation, and the share if the bound
#: stalls. It stalls if, at its speed in the latter half of its time, it would close less than
#: NOTICEABLE of the gap in the time left. The documentation states the shares.
SHARE, STALLED_SHARE, NOTICEABLE = 0.2, 0.8, 0.5
#: Expected seconds of the first relaxation, per n**2 and per pair that the order has against its
#: majority, within a factor of five; and the expected number of rounds.
EXPECTED, ROUNDS = 5e-7, 20


@dataclass(eq=False)
class _Memetic:
    """A population of orders, and the search that improves it."""

    margins: Numbers
    parents: Orders
    rng: Generator
    threshold: float = 0
    # Shape (n,). The best order so far.
    order: Positions = field(init=False)
    # The sum of its margins: its cost minus that of its reverse.
    cost: float = field(init=False)
    # Steps so far, over all orders; a step examines one item.
    steps: int = field(init=False, default=0)
    # Number of simultaneous searches.
    size: int = field(init=False)
    # Expected number of steps, if the caller knows.
    to_come: int = field(init=False, default=0)
    # Whether there is time to load compiled loops if the work justifies it.
    may_load: bool = field(init=False, default=True)

    def __post_init__(self) -> None:
        self.order = np.array(self.parents[0], dtype=np.intp)
        self.cost = _order_costs(self.margins, self.order[None])[0].item()
        self.size = 1 if len(self.margins) > ONE_SEARCH_FROM else POPULATION
        self._generations = GENERATIONS
        self._ends: list[tuple[float, Positions]] = []
        self._found_at = 0  # in steps
        self._begin(self.parents)

    def advance(self, steps: int) -> None:
        """Take a number of steps with each order of the population."""
        while steps > 0:
            now = min(steps, self._left)
            # The total number of steps decides whether compiled loops are worth loading.
            total = max(self.steps // self.size + now, self.to_come)
            self._searches.advance(now, of=total if self.may_load else now)
            self._left -= now
            steps -= now
            self.steps += now * self.size
            self._notice(self._searches.kept, self._costs - 2 * self._searches.saved)
            if self._left == 0:
                self._end_generation()

    @property
    def is_vain(self) -> bool:
        """Whether a population has ended and the best order was found long ago."""
        return bool(self._ends) and self.steps > VAIN * self._found_at

    @property
    def seconds_of_step(self) -> float:
        """Approximate seconds of NumPy for one step with each order."""
        return self._searches.seconds_of_step

    # -- generations ---------------------------------------------------------------------------

    def _begin(self, parents: Orders) -> None:
        """Begin a new population with given parents and random orders."""
        n = len(self.margins)
        drawn = self.rng.permuted(np.tile(np.arange(n), (self.size, 1)), axis=1)
        parents = parents.reshape(-1, n)
        self._population: Orders = np.empty((0, n), dtype=np.intp)
        self._values: Numbers = np.zeros(0, dtype=self.margins.dtype)
        self._generation, self._apart = -1, 0.0
        self._search(np.concatenate([parents, drawn])[: self.size], FIRST_STEPS * n)

    def _begin_anew(self) -> None:
        """Restart with random orders, and at times with the best orders of earlier populations."""
        self._generations = int(GENERATIONS * GROWTH ** len(self._ends))
        merges = len(self._ends) % MERGE_EVERY == MERGE_EVERY - 1
        best = sorted(self._ends, key=lambda end: end[0])[: self.size // 2] if merges else []
        self._begin(np.array([order for _, order in best], dtype=np.intp))

    def _search(self, orders: Orders, steps: int) -> None:
        self._costs = _order_costs(self.margins, orders)
        self._searches = Searches(self.margins, orders, self.rng, STRENGTH, REACH, self.threshold)
        self._left = steps

    def _end_generation(self) -> None:
        n = len(self.margins)
        if self.size == 1:
            self._left = STEPS_OF_ITEM * n  # continue the same search
            return
        found, values = self._searches.kept, self._costs - 2 * self._searches.saved
        places = np.argsort(np.concatenate([self._population, found]), axis=1)
        distances = np.array([np.abs(places - row).sum(axis=1) for row in places])  # footrules
        if self._generation < 0:
            self._apart = APART * float(distances.sum()) / (self.size * (self.size - 1))
        self._generation += 1
        together = np.concatenate([self._values, values])
        if self._generation == self._generations:
            best = int(np.argmin(together))
            self._ends.append((together[best].item(), np.argsort(places[best])))
            self._begin_anew()
            return
        apart = self._apart * (1 - self._generation / self._generations)
        stay = _survivors(together, distances, self.size, apart)
        self._population = np.argsort(places[stay], axis=1)
        self._values = together[stay]
        self._search(self._children(), STEPS_OF_ITEM * n)

    def _children(self) -> Orders:
        """Return children of parents chosen by binary tournaments."""
        pairs = self.rng.integers(self.size, size=(2, self.size, 2))
        chosen = np.where(
            self._values[pairs[..., 0]] <= self._values[pairs[..., 1]], pairs[..., 0], pairs[..., 1]
        )
        return _crossed(self._population[chosen[0]], self._population[chosen[1]], self.rng)

    def _notice(self, found: Orders, values: Numbers) -> None:
        best = int(np.argmin(values))
        if values[best] < self.cost:
            self.order, self.cost = found[best].copy(), values[best].item()
            self._found_at = self.steps


def _crossed(first: Orders, second: Orders, rng: Generator) -> Orders:
    """Return children of cycle crossover: each place has the item of either parent.

    Places are exchanged in cycles, so that each item occurs once; each cycle is chosen at random.
    """
    k, n = first.shape
    rows = np.arange(k)[:, None]
    # The place in the first parent of the second parent's item, and the cycles of this map.
    ways = np.argsort(first, axis=1)[rows, second]
    cycles = np.tile(np.arange(n), (k, 1))
    for _ in range(max(n - 1, 1).bit_length()):
        cycles = np.minimum(cycles, cycles[rows, ways])
        ways = ways[rows, ways]
    coins = rng.random((k, n)) < 0.5
    return np.where(coins[rows, cycles], first, second)


def _survivors(values: Numbers, distances: Integers, size: int, apart: float) -> list[int]:
    """Return the survivors: the best orders that are far enough from all better survivors.

    If none is far enough, the furthest one survives.
    """
    stay = [int(np.argmin(values))]
    nearest = distances[stay[0]].astype(np.float64)
    nearest[stay[0]] = -1.0
    while len(stay) < size:
        far = np.flatnonzero((nearest >= apart) & (nearest > 0))
        at = int(far[np.argmin(values[far])]) if len(far) else int(np.argmax(nearest))
        stay.append(at)
        nearest = np.minimum(nearest, distances[at])
        nearest[at] = -1.0
    return stay


def _order_costs(margins: Numbers, orders: Orders) -> Numbers:
    """Return the sum of the margins of each order's pairs, in blocks of rows."""
    k, n = orders.shape
    costs = np.zeros(k, dtype=margins.dtype)
    rows = max(1, SUMMED_MARGINS // (k * n))
    for start in range(0, n, rows):
        some = orders[:, start : start + rows]
        cells = some[:, :, None] * n + orders[:, None, start:]
        below = np.tri(some.shape[1], n - start, dtype=bool)
        found = margins.take(cells)
        found[:, below] = 0
        costs += found.reshape(k, -1).sum(axis=1)
    return costs


def _descended(
    margins: Numbers, order: Positions, deadline: Deadline = NEVER, threshold: float = 0
) -> Positions:
    """Improve an order item by item, without a matrix of moves, for many items."""
    unused = np.random.default_rng(0)
    search = Searches(margins, order[None], unused, strength=0, threshold=threshold)
    steps, before = 0, None
    # The search skips items that no move has passed, so examine all of them at the end.
    while before is None or search.gained[0] > before:
        before = search.gained[0]
        search.recheck()
        while not (search.is_over or deadline.is_over):
            some = max(1, BETWEEN_CLOCKS // len(order))
            steps += some
            search.advance(some, of=steps)
        if deadline.is_over:
            break
    found: Positions = search.orders[0]
    return found


def _evolved(
    margins: Numbers,
    parents: list[Positions],
    rng: Generator,
    patience: int,
    deadline: Deadline = NEVER,
) -> Positions:
    """Recombine local optima until `patience` children in a row fail, or the deadline.

    A child keeps half of the places of one parent and fills the others in the order of a second
    parent. It is improved and replaces the worst order, unless it is already in the population.
    """
    population = {order.tobytes(): order for order in parents}
    costs = {key: _order_costs(margins, order[None])[0] for key, order in population.items()}
    waiting = 0
    while waiting < patience and len(population) > 1 and not deadline.is_over:
        keys = list(population)
        first, second = rng.choice(len(keys), size=2, replace=False)
        child = _recombined(population[keys[first]], population[keys[second]], rng)
        child = heuristics.improve(margins, child, deadline)
        key = child.tobytes()
        waiting += 1
        if key in population:
            child = heuristics.improve(
                margins, heuristics.kicked(child, rng, max(2, len(child) // 12)), deadline
            )
            key = child.tobytes()
        worst = max(costs, key=lambda k: costs[k])
        cost = _order_costs(margins, child[None])[0]
        if key in population or cost > costs[worst]:
            continue
        if cost < min(costs.values()):
            waiting = 0
        del population[worst], costs[worst]
        population[key], costs[key] = child, cost
    return population[min(costs, key=lambda k: costs[k])]


def _recombined(first: Positions, second: Positions, rng: Generator) -> Positions:
    """Return the first order with the items of half its places sorted as in the second."""
    n = len(first)
    places = np.sort(rng.choice(n, size=n // 2, replace=False))
    items = first[places]
    child = first.copy()
    child[places] = items[np.argsort(np.argsort(second)[items])]
    return child


class Incumbent:
    """The best order so far of one part that respects the decided pairs."""

    def __init__(
        self,
        problem: Problem,
        unit: int,
        decided: Bools,
        start: Positions | None = None,
        deadline: Deadline = NEVER,
    ) -> None:
        self._problem = problem
        self._decided = decided if decided.any() else None
        # When the search ends at the latest.
        self.ends = deadline
        first = deadline if deadline.is_over else deadline.share(FIRST_SHARE)
        self._deadline = first.later(GRACE)
        self.margins = _biased_margins(problem, unit, decided)
        self._threshold = heuristics.threshold_of(self.margins)
        # For few items matrices of moves are faster.
        self._floats = self.margins.astype(np.float64) if problem.n <= ONE_SEARCH_FROM else None
        self._rng = np.random.default_rng(0)
        self._last_rounded: Positions | None = None
        near = heuristics.starting_orders(self.margins) if start is None else [start]
        # The first order must respect the decided pairs.
        self.order = extension(decided, near[0])
        self.cost = problem.cost(self.order)
        self._memetic: _Memetic | None = None
        self._expected, self._owed = 0.0, 0.0
        # End of the last search, seconds spent on the bound, and the bounds at earlier times.
        self._left, self._worked = monotonic(), 0.0
        self._proved: list[tuple[float, int | None]] = []
        # Expected seconds of the first relaxation; the bound cannot stall before.
        self._due = inf
        self._is_stalled = False
        for candidate in (self.order, *near):
            self.offer(candidate)
        self._deadline = deadline.later(GRACE)

    @property
    def steps(self) -> int:
        """The number of steps of the memetic search, over all its orders."""
        return 0 if self._memetic is None else self._memetic.steps

    def offer(self, order: Positions) -> None:
        """Improve an order by moves of single items, and keep it if it is the best so far."""
        self._keep(self._improved(order))

    def _improved(self, order: Positions) -> Positions:
        if self._floats is None:
            return _descended(self.margins, order, self._deadline, self._threshold)
        return heuristics.improve(self._floats, order, self._deadline)

    def _keep(self, order: Positions) -> None:
        if self._decided is not None and np.tril(self._decided[np.ix_(order, order)]).any():
            return
        cost = self._problem.cost(order)
        if cost < self.cost:
            self.order, self.cost = order, cost

    def round(self, before: Floats) -> None:
        """Offer the order of a fractional point's row sums."""
        order = np.argsort(-before.sum(axis=1), kind="stable")
        if self._last_rounded is None or not np.array_equal(order, self._last_rounded):
            self._last_rounded = order
            self.offer(order)

    def recombine(self, before: Floats) -> None:
        """Recombine orders near a fractional point into a better one."""
        scores = before.sum(axis=1)
        noise = self._rng.normal(0.0, NOISE, (PARENTS, self._problem.n))
        population = [self.order, *[self._improved(np.argsort(row)) for row in noise - scores]]
        margins = self.margins if self._floats is None else self._floats
        self.offer(_evolved(margins, population, self._rng, 400, self._deadline))

    # -- the memetic search --------------------------------------------------------------------

    def prepare(self) -> None:
        """Search before the first relaxation, for a share of its expected time."""
        n = self._problem.n
        if SHARE * EXPECTED * n**4 / 2 < WORTH_SECONDS:  # for any order
            return
        self._expected = EXPECTED * _n_against(self.margins, self.order) * n * n
        left = self.ends.time_limit
        if left is None:
            self._search_as_if(SHARE * min(self._expected, MOST_SECONDS_FIRST))
        else:
            self._is_stalled = self._expected > left
            self._due = self._worked + (0.0 if self._is_stalled else self._expected)
            self.search_for(SHARE * min(self._expected, left))

    def search(self, proved: int | None = None) -> None:
        """Spend the search time accrued since the last call.

        With a time limit that is a share of the elapsed seconds, a larger one if the proved bound
        stalls; among cases the bound is not judged. Without a limit it is a share of the expected
        time of relaxations, so that the work is reproducible.
        """
        left = self.ends.time_limit
        if left is None:
            self._owed += SHARE * self._expected / ROUNDS
            if self._owed >= WORTH_SECONDS:
                self._search_as_if(self._owed)
                self._owed = 0.0
        else:
            self._proved.append((self._worked + monotonic() - self._left, proved))
            self._is_stalled = self._stalls(left)
            self.keep_pace()

    def keep_pace(self) -> None:
        """Spend the accrued search time under a limit; also called during long relaxations."""
        if self.ends.time_limit is None:
            return
        since = monotonic() - self._left
        self._worked += since
        is_vain = self._memetic is not None and self._memetic.is_vain
        share = STALLED_SHARE if self._is_stalled and not is_vain else SHARE
        self._owed += since * share / (1 - share)
        self._left += since
        self.search_for(self._owed)

    def _stalls(self, left: float) -> bool:
        """Return whether the bound would close too little of the gap in the time left."""
        worked, now = self._proved[-1]
        at = bisect_right(self._proved, worked / 2, key=itemgetter(0)) - 1
        if at < 0 or worked < self._due:
            return False
        since, before = self._proved[at]
        if before is None or now is None:
            return False
        return (now - before) * left < NOTICEABLE * (self.cost - now) * (worked - since)

    def search_for(self, seconds: float) -> None:
        """Search for some seconds, and deduct them from the accrued time."""
        if seconds < WORTH_SECONDS:
            return
        is_first = self._memetic is None
        left = self.ends.time_limit or 0.0
        coming = STALLED_SHARE * left if self._is_stalled else seconds
        self._population.to_come = self._steps_in(coming)
        if is_first and not self.ends.is_over:
            self._advance(self._chunk)  # the share excludes loading compiled loops
        began = now = monotonic()
        while now - began < seconds and not self.ends.is_over:
            self._advance(self._chunk)
            now = monotonic()
        self._owed -= now - began
        self._left = now

    def _search_as_if(self, seconds: float) -> None:
        """Take the number of steps that NumPy takes in some seconds."""
        if seconds < WORTH_SECONDS:
            return
        steps = self._population.to_come = self._steps_in(seconds)
        while steps > 0:
            self._advance(min(steps, self._chunk))
            steps -= self._chunk

    def _steps_in(self, seconds: float) -> int:
        """Return the number of steps that NumPy takes in some seconds."""
        return int(seconds / self._population.seconds_of_step)

    @property
    def _chunk(self) -> int:
        return max(1, BETWEEN_CLOCKS // (self._population.size * self._problem.n))

    @property
    def _population(self) -> _Memetic:
        if self._memetic is None:
            rng = np.random.default_rng(0)
            self._memetic = _Memetic(self.margins, self.order[None], rng, self._threshold)
        return self._memetic

    def _advance(self, steps: int) -> None:
        search = self._population
        left = self.ends.time_limit
        search.may_load = left is None or left > LOADING
        before = search.cost
        search.advance(steps)
        if search.cost < before:
            self._keep(search.order)


def _n_against(margins: Numbers, order: Positions) -> int:
    """Return the number of pairs that an order has against their majorities."""
    pairs = 0
    for start in range(0, len(order), ONE_SEARCH_FROM):
        rows = margins[np.ix_(order[start : start + ONE_SEARCH_FROM], order[start:])]
        pairs += int(np.count_nonzero(np.triu(rows > 0)))
    return pairs


def _biased_margins(problem: Problem, unit: int, decided: Bools) -> Numbers:
    """Return margins with penalties, so that reversing a decided pair never pays."""
    margins: Numbers
    if unit == 1 and problem.margins.dtype == np.int64:
        margins = problem.margins
    elif problem.step % unit == 0:
        margins = (problem.margins // unit).astype(np.int64)
    else:
        margins = (problem.margins / unit).astype(np.float64)
    if decided.any():
        penalty = np.abs(margins).sum().item() + 1
        # Sums along a row must fit.
        fits = len(margins) * penalty < np.iinfo(np.int64).max
        margins = margins.copy() if fits else margins.astype(np.float64)
        margins[decided] = -penalty
        margins[decided.T] = penalty
    return margins


def extension(decided: Bools, order: Positions) -> Positions:
    """Return an order near another one that respects the decided pairs."""
    inside = decided[np.ix_(order, order)]
    # Next is the first item that has no remaining predecessor.
    waits = inside.sum(axis=0)
    result = np.empty_like(order)
    for place in range(len(order)):
        head = int(np.argmax(waits == 0))
        result[place] = order[head]
        waits -= inside[head]
        waits[head] = len(order)
    return result
