"""What solves of related problems share, such as resamples of the same rankings.

Rows that are valid for one problem are valid for every other of the same items, whatever its votes:
those that counted in earlier problems are tried first. So is the consensus of the whole, which is
near that of most versions. The solver is kept, too. Nothing is taken for proved because it was
proved of a related problem: every answer has a proof of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rankagg.aggregation.kemeny.proof import Proof
    from rankagg.aggregation.kemeny.relaxation import Live

__all__ = ["Warm", "WarmPart"]

Cycles = NDArray[np.intp]

#: Cycles that are kept: the first ones that counted, which are those that count most often.
MOST = 20_000


class Warm:
    """Cycles that counted in related problems, and a solver for all of them.

    Positions are those of all items, which are the same in all problems.
    """

    def __init__(self, n: int) -> None:
        self._n = n
        self._numbers: set[int] = set()
        self._cycles: Cycles = np.zeros((0, 3), dtype=np.intp)
        self._live: Live | None = None

    @classmethod
    def of(cls, n: int, proofs: Iterable[Proof]) -> Warm:
        """Return what proofs about n items teach."""
        warm = cls(n)
        used = chain.from_iterable(leaf.triples for proof in proofs for leaf in proof.leaves())
        cycles = np.array(list(used), dtype=np.intp).reshape(-1, 3)
        turns = np.argmin(cycles, axis=1)[:, None] + np.arange(3)
        warm.learn(np.unique(np.take_along_axis(cycles, turns % 3, axis=1), axis=0))
        return warm

    def fork(self) -> Warm:
        """Return one that knows the same, and learns for itself."""
        other = Warm(self._n)
        other._numbers, other._cycles = set(self._numbers), self._cycles
        other._live = self._live
        return other

    def __getstate__(self) -> dict[str, Any]:
        """Leave the solver out: another process has its own."""
        return self.__dict__ | {"_live": None}

    @property
    def live(self) -> Live:
        """The solver."""
        from rankagg.aggregation.kemeny.relaxation import Live  # noqa: PLC0415 - solvers load late

        if self._live is None:
            self._live = Live()
        return self._live

    def within(self, part: NDArray[np.intp]) -> WarmPart:
        """Return what is known of the items of one part."""
        return WarmPart(self, part)

    def cycles_within(self, part: NDArray[np.intp]) -> Cycles:
        """Return the known cycles among the items of a part, as positions within it."""
        where = np.full(self._n, -1)
        where[part] = np.arange(len(part))
        cycles: Cycles = where[self._cycles]
        inside: Cycles = cycles[cycles.min(axis=1, initial=0) >= 0]
        return inside

    def learn(self, cycles: Cycles) -> None:
        """Keep cycles that counted, over all items and with the least position first."""
        numbers = (cycles @ np.array([self._n**2, self._n, 1])).tolist()
        new = [at for at, number in enumerate(numbers) if number not in self._numbers]
        new = new[: MOST - len(self._numbers)]
        if new:
            self._numbers.update(numbers[at] for at in new)
            self._cycles = np.concatenate([self._cycles, cycles[new]])


class WarmPart:
    """What is known of the items of one part, with positions within it."""

    def __init__(self, warm: Warm, part: NDArray[np.intp]) -> None:
        self._warm = warm
        self._part = part

    @property
    def live(self) -> Live:
        """The solver."""
        return self._warm.live

    def within(self, part: NDArray[np.intp]) -> WarmPart:
        """Return what is known of some of the items."""
        return WarmPart(self._warm, self._part[part])

    @property
    def cycles(self) -> Cycles:
        """The known cycles, the least position of each first."""
        return self._warm.cycles_within(self._part)

    def learn(self, cycles: Cycles) -> None:
        """Keep cycles that counted, the least position of each first."""
        self._warm.learn(self._part[cycles])
