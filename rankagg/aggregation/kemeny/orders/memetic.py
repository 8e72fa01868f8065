"""A memetic search for a good order: local optima, recombined, kept apart while there is time.

After the memetic algorithm of Schiavinotto and Stützle (2004), "The linear ordering problem:
instances, search space analysis and algorithms", https://doi.org/10.1023/B:JMMA.0000049426.06305.d8,
with cycle crossover and the replacement of Lugo, Segura and Miranda (2022), "A diversity-aware
memetic algorithm for the linear ordering problem", https://doi.org/10.1007/s12293-022-00378-5: who
survives must be some distance from all better survivors, and that distance falls to zero.

It falls over a number of generations, not over time, so that the orders met depend on the seed and
the steps taken alone. Then it begins anew with other orders, for some more generations: where the
best order of a population is not the best of all, it seldom leaves it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Integers
from rankagg.kernels.local_search import Numbers, Searches

__all__ = ["Memetic", "order_costs"]

Orders = NDArray[np.intp]

POPULATION = 16
#: From so many items on a single search takes all the time: a generation would be too long.
LARGE = 300
#: Steps of a search in a generation, per item: the way to a local optimum and some kicks.
STEPS = 20
#: The first orders are further from one.
FIRST_STEPS = 60
#: Items that a kick moves, and how far where the items are many.
STRENGTH, REACH = 2, 150
#: Generations of the first population; how much longer each next one lives; and which ones begin
#: with the best orders that earlier ones ended in, instead of random ones alone.
GENERATIONS, GROWTH, MERGE_EVERY = 32, 1.25, 3
#: The distance to keep at first, in mean distances of the first population.
APART = 1.0
#: Margins that are summed at a time.
BLOCK = 100_000


@dataclass(eq=False)
class Memetic:
    """A population of orders, and the search that makes it better.

    Parameters
    ----------
    margins : ndarray of int64 or float64, shape (n, n)
        Cost of row before column less that of the reverse; n at least 2.
    parents : ndarray of int, shape (k, n)
        Good orders to begin with; random ones join them, and what is too many is left out.
    rng : Generator
        All that is random.
    threshold : float, default 0
        Gains up to this are rounding.

    Attributes
    ----------
    order : ndarray of int, shape (n,)
        The best order so far.
    cost : number
        The sum of its margins: its cost, less that of the reverse.
    steps : int
        Looks at an item so far, over all orders.
    size : int
        Orders that are searched from at a time.
    to_come : int
        Steps that will be taken about, where the caller knows.
    may_load : bool
        Whether there is time to load compiled loops, should the work become worth it.
    """

    margins: Numbers
    parents: Orders
    rng: np.random.Generator
    threshold: float = 0
    order: NDArray[np.intp] = field(init=False)
    cost: float = field(init=False)
    steps: int = field(init=False, default=0)
    size: int = field(init=False)
    to_come: int = field(init=False, default=0)
    may_load: bool = field(init=False, default=True)

    def __post_init__(self) -> None:
        self.order = np.array(self.parents[0], dtype=np.intp)
        self.cost = order_costs(self.margins, self.order[None])[0].item()
        self.size = 1 if len(self.margins) > LARGE else POPULATION
        self._generations = GENERATIONS
        self._ends: list[tuple[float, NDArray[np.intp]]] = []
        self._begin(self.parents)

    def advance(self, steps: int) -> None:
        """Take so many steps with each order of the population, whatever generation that reaches.

        Parameters
        ----------
        steps : int
            Items to look at.
        """
        n = len(self.margins)
        while steps > 0:
            now = min(steps, self._left)
            # What has been done, or is to come, says whether compiled loops are worth loading.
            work = max(self.steps + now * self.size, self.to_come * self.size) * n
            self._searches.advance(now, work if self.may_load else now * self.size * n)
            self._left -= now
            steps -= now
            self.steps += now * self.size
            self._notice(self._searches.kept, self._costs - 2 * self._searches.saved)
            if self._left == 0:
                self._end_generation()

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
        self._costs = order_costs(self.margins, orders)
        self._searches = Searches(self.margins, orders, self.rng, STRENGTH, REACH, self.threshold)
        self._left = steps

    def _end_generation(self) -> None:
        n = len(self.margins)
        if self.size == 1:
            self._left = STEPS * n  # the same search goes on
            return
        found, values = self._searches.kept, self._costs - 2 * self._searches.saved
        places = np.argsort(np.concatenate([self._population, found]), axis=1)
        distances = footrules(places)
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
        stay = survivors(together, distances, self.size, apart)
        self._population = np.argsort(places[stay], axis=1)
        self._values = together[stay]
        self._search(self._children(), STEPS * n)

    def _children(self) -> Orders:
        """Return as many children, each of two that were the better of two drawn."""
        pairs = self.rng.integers(self.size, size=(2, self.size, 2))
        chosen = np.where(
            self._values[pairs[..., 0]] <= self._values[pairs[..., 1]], pairs[..., 0], pairs[..., 1]
        )
        return crossed(self._population[chosen[0]], self._population[chosen[1]], self.rng)

    def _notice(self, found: Orders, values: Numbers) -> None:
        best = int(np.argmin(values))
        if values[best] < self.cost:
            self.order, self.cost = found[best].copy(), values[best].item()


def crossed(first: Orders, second: Orders, rng: np.random.Generator) -> Orders:
    """Return children of cycle crossover: each place has the item of one parent or of the other.

    Places are exchanged in cycles, so that each item occurs once; a coin decides for each cycle.

    Parameters
    ----------
    first, second : ndarray of int, shape (k, n)
        The parents, pair by pair.
    rng : Generator
        Throws the coins.
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


def survivors(values: Numbers, distances: Integers, size: int, apart: float) -> list[int]:
    """Return which orders survive: the best ones that are far enough from all better survivors.

    Where none is, the one that is furthest from them.

    Parameters
    ----------
    values : ndarray, shape (k,)
        Costs.
    distances : ndarray, shape (k, k)
        Between the orders; 0 means equal.
    size : int
        How many survive.
    apart : float
        The distance that is far enough; equal orders never are.
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


def order_costs(margins: Numbers, orders: Orders) -> Numbers:
    """Return each order's sum of the margins of its pairs, some rows of them at a time."""
    k, n = orders.shape
    costs = np.zeros(k, dtype=margins.dtype)
    rows = max(1, BLOCK // (k * n))
    for start in range(0, n, rows):
        some = orders[:, start : start + rows]
        cells = some[:, :, None] * n + orders[:, None, start:]
        below = np.tri(some.shape[1], n - start, dtype=bool)
        found = margins.take(cells)
        found[:, below] = 0
        costs += found.reshape(k, -1).sum(axis=1)
    return costs


def footrules(places: Orders) -> Integers:
    """Return the sums of differences of places between orders."""
    return np.array([np.abs(places - row).sum(axis=1) for row in places])
