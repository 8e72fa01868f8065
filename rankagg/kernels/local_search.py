"""Iterated insertion search from several orders.

One step of a search checks one item. Cumulative sums of the margins along the order give the gain
of every place for it, in time n; the item moves to the best place. Items that it passes are checked
again, from the first place on. Without an unchecked item, the order is kept if it is no worse than
the one kept last, and discarded otherwise. Some items are then moved to random places (a kick), and
the search continues.

The searches are independent. NumPy takes one step of all searches at a time, the compiled loops one
search after the other; random numbers, sums and choices between equals are the same. Numba is
loaded if it is installed and NumPy would take longer than loading it.
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

# The combined generator of L'Ecuyer (1988), https://doi.org/10.1145/62959.62969. Its products need
# at most 53 bits, so they are exact in NumPy and numba.
MODULI = 2147483563, 2147483399
#: Seconds of a step in NumPy, and of each margin that it adds.
STEP, ADDITION = 2e-5, 5e-9
#: The environment variable that disables numba if it is "numpy".
VARIABLE = "RANKAGG_KERNELS"
#: Processor seconds to load numba and its loops.
LOADING = 2.0


@cache
def _is_wanted() -> bool:
    """Return whether numba is installed and not disabled."""
    return os.environ.get(VARIABLE, "numba") != "numpy" and find_spec("numba") is not None


@cache
def _load() -> ModuleType:
    return import_module("rankagg.kernels.loops")


def _compiled(seconds: float) -> ModuleType | None:
    """Return the compiled loops if numba is wanted and NumPy takes longer than loading it."""
    if not _is_wanted():
        return None
    is_loaded = _load.cache_info().currsize > 0
    return _load() if is_loaded or seconds > LOADING else None


def described() -> str:
    """Return the name and version of the library that runs the inner loops.

    Examples
    --------
    >>> described().split()[0] in ("numba", "NumPy")
    True
    """
    try:
        return f"numba {version('numba')}" if _is_wanted() else f"NumPy {version('numpy')}"
    except PackageNotFoundError:  # importable, but not installed as a distribution
        return "numba"


@dataclass(eq=False)
class Searches:
    """Searches from several orders, each with its own random numbers."""

    margins: Numbers
    orders: Positions
    rng: Generator
    strength: int = 2
    reach: int = 0
    threshold: float = 0
    # Shape (P, n). The last order that each search kept, its best one.
    kept: Order = field(init=False)
    # Shape (P,). The cost of the initial order minus that of the kept one.
    saved: Numbers = field(init=False)

    def __post_init__(self) -> None:
        n = len(self.margins)
        self.margins = np.ascontiguousarray(self.margins)
        self.orders = np.array(self.orders, dtype=np.intp, order="C")
        self.kept = self.orders.copy()
        self.reach = min(self.reach or n, n - 1)
        self.saved = np.zeros(len(self.orders), dtype=self.margins.dtype)
        # The cost of the kept order minus that of the present one.
        self._ahead = self.saved.copy()
        self._unchecked: Bools = np.ones(self.orders.shape, dtype=bool)
        self._seeds = self.rng.integers(1, MODULI[1], size=(len(self.orders), 2))
        # Cumulative sums with a leading zero, and the flat position of each search's row.
        self._sums = np.zeros((len(self.orders), n + 1), dtype=self.margins.dtype)
        self._starts = np.arange(len(self.orders)) * n

    @property
    def is_over(self) -> bool:
        """True if no search has an item left to check."""
        return not self._unchecked.any()

    @property
    def gained(self) -> Numbers:
        """The cost of the initial orders minus that of the present ones."""
        return self.saved + self._ahead

    def recheck(self) -> None:
        """Mark every item as unchecked."""
        self._unchecked[:] = True

    @property
    def seconds_of_step(self) -> float:
        """Approximate seconds of NumPy for a step of all searches."""
        return STEP + ADDITION * self.orders.size

    def advance(self, steps: int, *, of: int | None = None) -> None:
        """Take `steps` steps in each search; numba is loaded if all `of` steps are worth it."""
        if loops := _compiled((steps if of is None else of) * self.seconds_of_step):
            state = self.orders, self.kept, self.saved, self._ahead, self._unchecked, self._seeds
            threshold = self.margins.dtype.type(self.threshold)
            kicks = self.strength, self.reach
            loops.search_steps(self.margins, state, steps, kicks, threshold)
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
        orders, unchecked, sums = self.orders.ravel(), self._unchecked.ravel(), self._sums.ravel()
        places = self._unchecked.argmax(axis=1)
        positions = self._starts + places
        is_busy = unchecked[positions]
        if not is_busy.all():
            for at in np.flatnonzero(~is_busy).tolist():
                self._keep(at)
                if self.strength:
                    self._kick(at)
            places = self._unchecked.argmax(axis=1)
            positions = self._starts + places
            is_busy = unchecked[positions]
        row = self.margins.take(orders[positions][:, None] * n + self.orders)
        np.cumsum(row, axis=1, out=self._sums[:, 1:])
        gaps = self._sums.argmax(axis=1)
        starts = self._starts + np.arange(len(gaps))  # rows of sums have one more entry
        gains = sums[starts + gaps] - sums[starts + places]
        unchecked[positions] = False
        # Without kicks a search stays in its local optimum.
        for at in np.flatnonzero((gains > self.threshold) & is_busy).tolist():
            place, gap = int(places[at]), int(gaps[at])
            self._move(at, place, gap if gap <= place else gap - 1)
            self._ahead[at] += gains[at]

    def _keep(self, at: int) -> None:
        """Keep a local optimum that is no worse than the kept one, or return to the kept one."""
        if self._ahead[at] >= 0:
            self.saved[at] += self._ahead[at]
            self.kept[at] = self.orders[at]
        else:
            self.orders[at] = self.kept[at]
        self._ahead[at] = 0

    def _kick(self, at: int) -> None:
        """Move random items by random distances, reflected at the ends."""
        n, order = self.orders.shape[1], self.orders[at]
        for _ in range(self.strength):
            place = self._draw(at) % n
            step = 1 + self._draw(at) % (2 * self.reach)
            target = place - step if step <= self.reach else place + step - self.reach
            if not 0 <= target < n:
                target = min(max(2 * place - target, 0), n - 1)
            row = self.margins[order[place]]
            if place < target:
                self._ahead[at] += row[order[place + 1 : target + 1]].cumsum()[-1]
            else:
                self._ahead[at] -= row[order[target:place]].cumsum()[-1]
            self._move(at, place, target)
            self._unchecked[at, target] = True

    def _move(self, at: int, place: int, target: int) -> None:
        """Move an item; mark it as checked, and the items that it passes as unchecked."""
        order, unchecked = self.orders[at], self._unchecked[at]
        item = order[place]
        if place < target:
            order[place:target] = order[place + 1 : target + 1].copy()
            unchecked[place:target] = True
        else:
            order[target + 1 : place + 1] = order[target:place].copy()
            unchecked[target + 1 : place + 1] = True
        order[target], unchecked[target] = item, False

    def _draw(self, at: int) -> int:
        """Return a random integer from 0, below 2**31."""
        first = 40014 * int(self._seeds[at, 0]) % MODULI[0]
        second = 40692 * int(self._seeds[at, 1]) % MODULI[1]
        self._seeds[at] = first, second
        return (first - second) % (MODULI[0] - 1)
