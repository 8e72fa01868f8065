"""The best order that a search has met, and a memetic search for a better one.

After the memetic algorithm of Schiavinotto and Stützle (2004), "The linear ordering problem:
instances, search space analysis and algorithms", https://doi.org/10.1023/B:JMMA.0000049426.06305.d8,
with cycle crossover and the replacement of Lugo, Segura and Miranda (2022), "A diversity-aware
memetic algorithm for the linear ordering problem", https://doi.org/10.1007/s12293-022-00378-5: who
survives must be some distance from all better survivors, and that distance falls to zero over a
number of generations, not over time, so that the orders met depend on the seed and the steps taken
alone. Then it begins anew with other orders, for some more generations: where the best order of a
population is not the best of all, it seldom leaves it.
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
#: From so many items on a single search takes all the time: a generation would be too long.
ONE_SEARCH_FROM = 300
#: Steps of a search in a generation, per item: the way to a local optimum and some kicks.
STEPS_OF_ITEM = 20
#: The first orders are further from one.
FIRST_STEPS = 60
#: Items that a kick moves, and how far where the items are many.
STRENGTH, REACH = 2, 40
#: Generations of the first population; how much longer each next one lives; and which ones begin
#: with the best orders that earlier ones ended in, instead of random ones alone.
GENERATIONS, GROWTH, MERGE_EVERY = 32, 1.25, 3
#: The search is vain where so many times the steps to the best order brought no better one.
VAIN = 20
#: The distance to keep at first, in mean distances of the first population.
APART = 0.3
#: Margins that are summed at a time.
SUMMED_MARGINS = 100_000
#: Seconds that are worth beginning with: most problems are solved before they owe so much.
WORTH_SECONDS = 0.02
#: Without a limit, no more than so many seconds before the first relaxation.
MOST_SECONDS_FIRST = 10.0
#: Loading the compiled loops may take so many seconds, compiling them for the first time included.
LOADING = 5.0
#: Additions between two looks at the clock.
BETWEEN_CLOCKS = 300_000
PARENTS, NOISE = 20, 3.0

# A first good order is worth a moment more than there is, and of more time one part in three.
GRACE, FIRST_SHARE = 0.25, 3

#: Of the time, for the memetic search beside the relaxation; and where the bound stalls, because as
#: fast as in the latter half of its time it would not close so much of the gap in the time left.
#: The documentation states the shares.
SHARE, STALLED_SHARE, NOTICEABLE = 0.2, 0.8, 0.5
#: What the first relaxation takes about: so many seconds for each square of n and each pair that
#: the order puts against its majority; it needs about so many rounds. Within a factor of five.
EXPECTED, ROUNDS = 5e-7, 20


@dataclass(eq=False)
class _Memetic:
    """A population of orders, and the search that makes it better."""

    margins: Numbers
    parents: Orders
    rng: Generator
    threshold: float = 0
    # Shape (n,). The best order so far.
    order: Positions = field(init=False)
    # The sum of its margins: its cost, less that of the reverse.
    cost: float = field(init=False)
    # Looks at an item so far, over all orders.
    steps: int = field(init=False, default=0)
    # Orders that are searched from at a time.
    size: int = field(init=False)
    # Steps that will be taken about, where the caller knows.
    to_come: int = field(init=False, default=0)
    # Whether there is time to load compiled loops, should the work become worth it.
    may_load: bool = field(init=False, default=True)

    def __post_init__(self) -> None:
        self.order = np.array(self.parents[0], dtype=np.intp)
        self.cost = _order_costs(self.margins, self.order[None])[0].item()
        self.size = 1 if len(self.margins) > ONE_SEARCH_FROM else POPULATION
        self._generations = GENERATIONS
        self._ends: list[tuple[float, Positions]] = []
        self._found_at = 0  # so many steps
        self._begin(self.parents)

    def advance(self, steps: int) -> None:
        """Take so many steps with each order of the population."""
        while steps > 0:
            now = min(steps, self._left)
            # What has been done, or is to come, says whether compiled loops are worth loading.
            in_all = max(self.steps // self.size + now, self.to_come)
            self._searches.advance(now, of=in_all if self.may_load else now)
            self._left -= now
            steps -= now
            self.steps += now * self.size
            self._notice(self._searches.kept, self._costs - 2 * self._searches.saved)
            if self._left == 0:
                self._end_generation()

    @property
    def is_vain(self) -> bool:
        """Whether populations end, and the best order was found long ago."""
        return bool(self._ends) and self.steps > VAIN * self._found_at

    @property
    def seconds_of_step(self) -> float:
        """How long NumPy takes about for a step with each order."""
        return self._searches.seconds_of_step

    # -- generations ---------------------------------------------------------------------------

    def _begin(self, parents: Orders) -> None:
        """Begin with a new population: the parents given, and random orders."""
        n = len(self.margins)
        drawn = self.rng.permuted(np.tile(np.arange(n), (self.size, 1)), axis=1)
        parents = parents.reshape(-1, n)
        self._population: Orders = np.empty((0, n), dtype=np.intp)
        self._values: Numbers = np.zeros(0, dtype=self.margins.dtype)
        self._generation, self._apart = -1, 0.0
        self._search(np.concatenate([parents, drawn])[: self.size], FIRST_STEPS * n)

    def _begin_anew(self) -> None:
        """Begin with random orders, and now and then with what earlier populations ended in."""
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
            self._left = STEPS_OF_ITEM * n  # the same search goes on
            return
        found, values = self._searches.kept, self._costs - 2 * self._searches.saved
        places = np.argsort(np.concatenate([self._population, found]), axis=1)
        distances = _footrules(places)
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
        """Return as many children, each of two that were the better of two drawn."""
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
    """Return children of cycle crossover: each place has the item of one parent or of the other.

    Places are exchanged in cycles, so that each item occurs once; a coin decides for each cycle.
    """
    k, n = first.shape
    rows = np.arange(k)[:, None]
    # The place in the first parent of the item that the second has there; its cycles.
    ways = np.argsort(first, axis=1)[rows, second]
    cycles = np.tile(np.arange(n), (k, 1))
    for _ in range(max(n - 1, 1).bit_length()):
        cycles = np.minimum(cycles, cycles[rows, ways])
        ways = ways[rows, ways]
    coins = rng.random((k, n)) < 0.5
    return np.where(coins[rows, cycles], first, second)


def _survivors(values: Numbers, distances: Integers, size: int, apart: float) -> list[int]:
    """Return which orders survive: the best ones that are far enough from all better survivors.

    Where none is, the one that is furthest from them.
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
    """Return each order's sum of the margins of its pairs, some rows of them at a time."""
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


def _footrules(places: Orders) -> Integers:
    """Return the sums of differences of places between orders."""
    return np.array([np.abs(places - row).sum(axis=1) for row in places])


def _descended(
    margins: Numbers, order: Positions, deadline: Deadline = NEVER, threshold: float = 0
) -> Positions:
    """Improve an order item by item: for many items, whose moves no matrix should hold."""
    unused = np.random.default_rng(0)
    search = Searches(margins, order[None], unused, strength=0, threshold=threshold)
    steps, before = 0, None
    # What no move has passed is not looked at again, so in the end everything is.
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
    """Recombine local optima until `patience` children in a row bring no cheaper order.

    The deadline ends it too.

    A child keeps half of the places of one parent and fills the others in the order of a second
    parent; it is improved and takes the place of the worst order, unless it is there already.

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
    rank = np.empty(n, dtype=np.intp)
    rank[second] = np.arange(n)
    items = first[places]
    child = first.copy()
    child[places] = items[np.argsort(rank[items])]
    return child


class Incumbent:
    """The best order so far of one part, under what is decided about it."""

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
        # When the search is to end, at most.
        self.ends = deadline
        first = deadline if deadline.is_over else deadline.share(FIRST_SHARE)
        self._deadline = first.later(GRACE)
        self.margins = _biased_margins(problem, unit, decided)
        self._threshold = heuristics.threshold_of(self.margins)
        # Matrices of moves are quicker where they are small.
        self._floats = self.margins.astype(np.float64) if problem.n <= ONE_SEARCH_FROM else None
        self._rng = np.random.default_rng(0)
        self._last_rounded: Positions | None = None
        near = heuristics.starting_orders(self.margins) if start is None else [start]
        # The first order must be sound: one that respects what is decided.
        self.order = extension(decided, near[0])
        self.cost = problem.cost(self.order)
        self._memetic: _Memetic | None = None
        self._expected, self._owed = 0.0, 0.0
        # When the search was last left, the seconds of the bound so far, and what was proved then.
        self._left, self._worked = monotonic(), 0.0
        self._proved: list[tuple[float, int | None]] = []
        # Of these seconds, after how many the first relaxation is expected; no bound stalls before.
        self._due = inf
        self._is_stalled = False
        for candidate in (self.order, *near):
            self.offer(candidate)
        self._deadline = deadline.later(GRACE)

    @property
    def steps(self) -> int:
        """Steps that the memetic search has taken, over all its orders."""
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
        """Look for a better order among mixtures of those near a fractional point."""
        scores = before.sum(axis=1)
        noise = self._rng.normal(0.0, NOISE, (PARENTS, self._problem.n))
        parents = [self._improved(np.argsort(row)) for row in noise - scores]
        population = [self.order, *parents]
        margins = self.margins if self._floats is None else self._floats
        self.offer(_evolved(margins, population, self._rng, 400, self._deadline))

    # -- the memetic search --------------------------------------------------------------------

    def prepare(self) -> None:
        """Search before the first relaxation, in proportion to what that is expected to take."""
        n = self._problem.n
        if SHARE * EXPECTED * n**4 / 2 < WORTH_SECONDS:  # however tangled
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
        """Search for what is owed of the share since the last time.

        With a limit that is a share of the seconds that have passed: a large one where what is
        proved says that the bound stalls, which among cases it does not say. Without a limit it is
        a share of what relaxations are expected to take, so that the work is the same each time.
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
        """Search for what is owed where there is a limit; also while a relaxation takes long."""
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
        """Say whether the bound would not come much closer in the time left, but an order might."""
        worked, now = self._proved[-1]
        at = bisect_right(self._proved, worked / 2, key=itemgetter(0)) - 1
        if at < 0 or worked < self._due:
            return False
        since, before = self._proved[at]
        if before is None or now is None:
            return False
        return (now - before) * left < NOTICEABLE * (self.cost - now) * (worked - since)

    def search_for(self, seconds: float) -> None:
        """Search for some seconds, which are owed less then."""
        if seconds < WORTH_SECONDS:
            return
        is_first = self._memetic is None
        left = self.ends.time_limit or 0.0
        coming = STALLED_SHARE * left if self._is_stalled else seconds
        self._begun.to_come = self._steps_in(coming)
        if is_first and not self.ends.is_over:
            self._advance(self._chunk)  # loading compiled loops is not of the share
        began = now = monotonic()
        while now - began < seconds and not self.ends.is_over:
            self._advance(self._chunk)
            now = monotonic()
        self._owed -= now - began
        self._left = now

    def _search_as_if(self, seconds: float) -> None:
        """Take as many steps as NumPy takes in some seconds."""
        if seconds < WORTH_SECONDS:
            return
        steps = self._begun.to_come = self._steps_in(seconds)
        while steps > 0:
            self._advance(min(steps, self._chunk))
            steps -= self._chunk

    def _steps_in(self, seconds: float) -> int:
        """Return how many steps NumPy takes in some seconds."""
        return int(seconds / self._begun.seconds_of_step)

    @property
    def _chunk(self) -> int:
        return max(1, BETWEEN_CLOCKS // (self._begun.size * self._problem.n))

    @property
    def _begun(self) -> _Memetic:
        if self._memetic is None:
            rng = np.random.default_rng(0)
            self._memetic = _Memetic(self.margins, self.order[None], rng, self._threshold)
        return self._memetic

    def _advance(self, steps: int) -> None:
        search = self._begun
        left = self.ends.time_limit
        search.may_load = left is None or left > LOADING
        before = search.cost
        search.advance(steps)
        if search.cost < before:
            self._keep(search.order)


def _n_against(margins: Numbers, order: Positions) -> int:
    """Return how many pairs an order has against their majorities: how tangled they are."""
    pairs = 0
    for start in range(0, len(order), ONE_SEARCH_FROM):
        rows = margins[np.ix_(order[start : start + ONE_SEARCH_FROM], order[start:])]
        pairs += int(np.count_nonzero(np.triu(rows > 0)))
    return pairs


def _biased_margins(problem: Problem, unit: int, decided: Bools) -> Numbers:
    """Return margins in which no decided pair is worth turning round."""
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
    """Return an order that respects what is decided, near another one."""
    inside = decided[np.ix_(order, order)]
    # The first item that waits for none of those that are left comes next.
    waits = inside.sum(axis=0)
    result = np.empty_like(order)
    for place in range(len(order)):
        head = int(np.argmax(waits == 0))
        result[place] = order[head]
        waits -= inside[head]
        waits[head] = len(order)
    return result
