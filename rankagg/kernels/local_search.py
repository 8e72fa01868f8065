"""Iterated insertion search over several orders.

One step of a search looks at one item. The costs of passing all the others, summed along the order,
give what every place for it gains, in time n and with no matrix but that of the margins; the best
one is taken. What a move passes is looked at again, from the first place on. Where nothing is left
to look at, the order is kept if it is no worse than the one kept last, or else given up; some items
are moved to random places (a kick), and it goes on from there.

The searches do not meet. NumPy takes a step of all of them at a time, the compiled loops one search
after the other; random numbers, sums and choices between equals are the same. Numba is loaded where
it is installed and NumPy would take longer than that.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Generator, Positions

Order = Positions
#: int64 or float64.
Numbers: TypeAlias = NDArray[Any]

# The combined generator of L'Ecuyer (1988), https://doi.org/10.1145/62959.62969: it needs no more
# than 53 bits, so that every path multiplies exactly.
MODULI = 2147483563, 2147483399
#: Seconds of a step in NumPy, and of each margin that it adds up.
STEP, ADDITION = 2e-5, 5e-9
#: Set to "numpy", it keeps numba out.
VARIABLE = "RANKAGG_KERNELS"
#: Processor seconds to load numba and its loops.
LOADING = 2.0


@cache
def _is_wanted() -> bool:
    """Say whether numba is installed and not kept out."""
    return os.environ.get(VARIABLE, "numba") != "numpy" and find_spec("numba") is not None


@cache
def _load() -> ModuleType:
    return import_module("rankagg.kernels.loops")


def _compiled(seconds: float) -> ModuleType | None:
    """Return the compiled loops, where they are there and NumPy takes longer than their loading."""
    if not _is_wanted():
        return None
    is_loaded = _load.cache_info().currsize > 0
    return _load() if is_loaded or seconds > LOADING else None


def described() -> str:
    """Return what the inner loops run on, for people.

    Examples
    --------
    >>> described().split()[0] in ("numba", "NumPy")
    True
    """
    try:
        name, found = ("numba", version("numba")) if _is_wanted() else ("NumPy", version("numpy"))
    except PackageNotFoundError:  # found, but not installed as a distribution
        return "numba"
    return f"{name} {found}"


@dataclass(eq=False)
class Searches:
    """Some orders that are searched from, each with its own random numbers."""

    margins: Numbers
    orders: Positions
    rng: Generator
    strength: int = 2
    reach: int = 0
    threshold: float = 0
    # Shape (P, n). The last order of each search that was kept, its best one.
    kept: Order = field(init=False)
    # Shape (P,). How much less it costs than the one begun with.
    saved: Numbers = field(init=False)

    def __post_init__(self) -> None:
        n = len(self.margins)
        self.margins = np.ascontiguousarray(self.margins)
        self.orders = np.array(self.orders, dtype=np.intp, order="C")
        self.kept = self.orders.copy()
        self.reach = min(self.reach or n, n - 1)
        self.saved = np.zeros(len(self.orders), dtype=self.margins.dtype)
        # What the present order costs less than the one kept last.
        self._ahead = self.saved.copy()
        self._unsure: Bools = np.ones(self.orders.shape, dtype=bool)
        self._seeds = self.rng.integers(1, MODULI[1], size=(len(self.orders), 2))
        # Sums up to each place, after a zero; and where the row of each search begins.
        self._sums = np.zeros((len(self.orders), n + 1), dtype=self.margins.dtype)
        self._starts = np.arange(len(self.orders)) * n

    @property
    def is_over(self) -> bool:
        """True where no search has an item left to look at."""
        return not self._unsure.any()

    @property
    def gained(self) -> Numbers:
        """How much less the present orders cost than those begun with."""
        return self.saved + self._ahead

    def look_again(self) -> None:
        """Let every item be looked at."""
        self._unsure[:] = True

    @property
    def seconds_of_step(self) -> float:
        """How long NumPy takes about for a step of all searches."""
        return STEP + ADDITION * self.orders.size

    def advance(self, steps: int, *, of: int | None = None) -> None:
        """Take so many steps in each search; how many there will be says what they run on."""
        if fast := _compiled((steps if of is None else of) * self.seconds_of_step):
            state = self.orders, self.kept, self.saved, self._ahead, self._unsure, self._seeds
            threshold = self.margins.dtype.type(self.threshold)
            kicks = self.strength, self.reach
            fast.search_steps(self.margins, state, steps, kicks, threshold)
            return
        for _ in range(steps):
            if self.strength == 0 and self.is_over:
                for at in range(len(self.orders)):
                    self._keep(at)
                break
            self._step()

    # -- a step in NumPy -----------------------------------------------------------------------

    def _step(self) -> None:
        n = self.orders.shape[1]
        orders, unsure, sums = self.orders.ravel(), self._unsure.ravel(), self._sums.ravel()
        places = self._unsure.argmax(axis=1)
        looked = self._starts + places
        busy = unsure[looked]
        if not busy.all():
            for at in np.flatnonzero(~busy).tolist():
                self._keep(at)
                if self.strength:
                    self._kick(at)
            places = self._unsure.argmax(axis=1)
            looked = self._starts + places
            busy = unsure[looked]
        row = self.margins.take(orders[looked][:, None] * n + self.orders)
        np.cumsum(row, axis=1, out=self._sums[:, 1:])
        gaps = self._sums.argmax(axis=1)
        begins = self._starts + np.arange(len(gaps))  # rows of sums have one more
        gains = sums[begins + gaps] - sums[begins + places]
        unsure[looked] = False
        # Without kicks a search is not busy in its local optimum.
        for at in np.flatnonzero((gains > self.threshold) & busy).tolist():
            place, gap = int(places[at]), int(gaps[at])
            self._move(at, place, gap if gap <= place else gap - 1)
            self._ahead[at] += gains[at]

    def _keep(self, at: int) -> None:
        """Keep a local optimum that is no worse than the last, or return to that."""
        if self._ahead[at] >= 0:
            self.saved[at] += self._ahead[at]
            self.kept[at] = self.orders[at]
        else:
            self.orders[at] = self.kept[at]
        self._ahead[at] = 0

    def _kick(self, at: int) -> None:
        """Move some random items some random places up or down, mirrored at the ends."""
        n, order = self.orders.shape[1], self.orders[at]
        for _ in range(self.strength):
            place = self._draw(at) % n
            way = 1 + self._draw(at) % (2 * self.reach)
            target = place - way if way <= self.reach else place + way - self.reach
            if not 0 <= target < n:
                target = min(max(2 * place - target, 0), n - 1)
            row = self.margins[order[place]]
            if place < target:
                self._ahead[at] += row[order[place + 1 : target + 1]].cumsum()[-1]
            else:
                self._ahead[at] -= row[order[target:place]].cumsum()[-1]
            self._move(at, place, target)
            self._unsure[at, target] = True

    def _move(self, at: int, place: int, target: int) -> None:
        """Move an item; all that it passes is to be looked at again, it is not."""
        order, unsure = self.orders[at], self._unsure[at]
        item = order[place]
        if place < target:
            order[place:target] = order[place + 1 : target + 1].copy()
            unsure[place:target] = True
        else:
            order[target + 1 : place + 1] = order[target:place].copy()
            unsure[target + 1 : place + 1] = True
        order[target], unsure[target] = item, False

    def _draw(self, at: int) -> int:
        """Return a random whole number from 0, below 2**31."""
        first = 40014 * int(self._seeds[at, 0]) % MODULI[0]
        second = 40692 * int(self._seeds[at, 1]) % MODULI[1]
        self._seeds[at] = first, second
        return (first - second) % (MODULI[0] - 1)
