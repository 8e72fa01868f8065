"""What is decided of all pairs at once, and what within the pairs of one item."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats
from rankagg.inference.decisions import tarone
from rankagg.inference.intervals.bootstrap import Resamples
from rankagg.inference.intervals.methods import Bounds, Options, bounds_of, resamples_of
from rankagg.inference.ranks.sign_flips import SignFlips
from rankagg.inference.summed_units import SummedUnits
from rankagg.inference.units import Units

__all__ = ["Families", "decided_by_intervals"]


@dataclass(frozen=True, eq=False)
class Families:
    """Decisions with one probability of error in several families of pairs."""

    # Shape (n, n). Row is decided to be above column, all pairs at once.
    together: Bools
    # Shape (n, n). 1 where row is decided to be above column, -1 where column is above row, in
    # the family of the pairs of the row's item; 0 elsewhere.
    alone: NDArray[np.int8]
    # Shape (n,). Some item is decided to be above this one, in the family of the others above it,
    # or of all its pairs.
    led: Bools

    @classmethod
    def at_once(cls, together: Bools) -> Families:
        """Return decisions on all pairs, which hold in every smaller family."""
        alone = together.astype(np.int8) - together.T
        return cls(together, alone, np.any(together, axis=0, keepdims=True)[0])

    @classmethod
    def from_flips(cls, flips: SignFlips, alpha: float) -> Families:
        """Decide by sign flips."""
        direction = flips.ahead.astype(np.int8) - flips.ahead.T
        alone = np.where(flips.alone <= alpha, direction, 0).astype(np.int8)
        led = np.any(alone < 0, axis=1, keepdims=True)[:, 0]
        return cls(flips.ahead & (flips.together <= alpha), alone, led)

    @classmethod
    def from_p_values(cls, p_values: Floats, least: Floats, alpha: float) -> Families:
        """Decide by Holm's procedure with Tarone's count."""
        n = len(p_values)
        off = ~np.eye(n, dtype=bool)
        together = np.zeros((n, n), dtype=bool)
        together[off] = tarone(p_values[off], least[off], alpha)
        alone, led = np.zeros((n, n), dtype=np.int8), np.zeros(n, dtype=bool)
        for i in range(n):
            others = off[i]
            mine = np.concatenate([p_values[i, others], p_values[others, i]])
            floor = np.concatenate([least[i, others], least[others, i]])
            up, down = np.split(tarone(mine, floor, alpha), 2)
            alone[i, others] = up.astype(np.int8) - down
            led[i] = tarone(p_values[others, i], least[others, i], alpha).any()
        return cls(together, alone, led)


def decided_by_intervals(
    units: Units | SummedUnits, options: Options, rng: np.random.Generator
) -> tuple[Families, tuple[str, ...]]:
    """Decide where 1/2 is outside an interval; also return what must be said of these."""
    resamples = None
    if options.simultaneous == "max-t":
        resamples = resamples_of(units, options, rng)
    bounds = bounds_of(units, options, rng, resamples)
    together = _outside(units, bounds)
    if len(units.items) < 3:
        return Families.at_once(together), bounds.notes
    if resamples is not None:
        return _from_resamples(units, together, resamples, options.alpha), bounds.notes
    alone = replace(options, simultaneous=None, alpha=options.alpha / (len(units.items) - 1))
    mine = _outside(units, bounds_of(units, alone, rng)).astype(np.int8)
    led = np.zeros(len(units.items), dtype=bool)
    for alternative in ("greater", "less"):
        one_sided = bounds_of(units, replace(alone, alternative=alternative), rng)
        led |= _outside(units, one_sided).any(axis=0)
    return Families(together, mine - mine.T, led), bounds.notes


def _outside(units: Units | SummedUnits, bounds: Bounds) -> Bools:
    first, second = units.pairs
    n = len(units.items)
    above = np.zeros((n, n), dtype=bool)
    above[first, second], above[second, first] = bounds.lower > 0.5, bounds.upper < 0.5
    return above


def _from_resamples(
    units: Units | SummedUnits, together: Bools, resamples: Resamples, alpha: float
) -> Families:
    """Decide within the pairs of each item by the largest deviation there.

    What all units agree on does not vary; it is decided as for all pairs.
    """
    families = Families.at_once(together)
    alone, led = families.alone.copy(), families.led.copy()
    first, second = units.pairs
    for i in range(len(units.items)):
        mine = ((first == i) | (second == i)) & resamples.varies
        if not mine.any():
            continue
        other = (first + second - i)[mine]
        # How far the other item is above this one.
        towards = second[mine] == i
        turned = Resamples(
            np.where(towards, resamples.mean[mine], 1.0 - resamples.mean[mine]),
            np.where(towards, resamples.means[:, mine], 1.0 - resamples.means[:, mine]),
            resamples.skewness[mine],
            None if resamples.freedom is None else resamples.freedom[mine],
        )
        lower, upper = turned.max_t(alpha, "two-sided")
        alone[i, other] = (upper < 0.5).astype(np.int8) - (lower > 0.5)
        led[i] |= bool((turned.max_t(alpha, "greater")[0] > 0.5).any())
    return Families(together, alone, led)
