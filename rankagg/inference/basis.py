"""What decisions rest on: the method, its assumption, and how many units it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy

from rankagg.core.names import level_of, said, stated
from rankagg.inference.intervals.bounds import (
    anytime_alpha,
    bernstein_radius,
    hoeffding_radius,
    is_near_normal,
    normal_radius,
)
from rankagg.inference.intervals.methods import Options

__all__ = ["Basis", "assumption", "by_intervals", "by_p_values", "by_sign_flips", "unit_word"]

FAR = 10**9


@dataclass(frozen=True, kw_only=True)
class Basis:
    """What decisions rest on."""

    # How pairs were decided.
    method: str
    # What must be true for the level to hold, for the reader.
    assumes: str
    # What is independent, in the singular.
    word: str
    # How many of these there are.
    n_units: int
    # With how many units, all alike and each telling of all pairs, anything could be decided at
    # all; None where there is no pair.
    decidable_from: int | None
    # False where no outcome of these units would have decided anything.
    is_possible: bool

    def counted(self) -> str:
        """Return the units and their number, and what would be needed."""
        units = stated(self.n_units, "independent units", noun=self.word)
        if self.decidable_from is None:
            return units
        if self._is_by_pair:
            return said("{} ({} can decide a pair that they order)", units, self._enough())
        return said("{} (decisions are possible from {} on)", units, self._enough())

    @property
    def _is_by_pair(self) -> bool:
        """Whether fewer units may do where other pairs have too few to count (Tarone)."""
        return self.method == "sign-test"

    def _enough(self) -> str:
        assert self.decidable_from is not None, "asked only where there are pairs"
        return stated(self.decidable_from, "units that are enough")

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return asdict(self)

    def warning(self, alpha: float) -> str | None:
        """Return a sentence where nothing could have been decided."""
        if self.is_possible or self.decidable_from is None:
            return None
        level, enough = level_of(alpha), self._enough()
        units = stated(self.n_units, "independent units", noun=self.word)
        needed = "{} that order a pair could" if self._is_by_pair else "at least {} are needed"
        told = f"with {{}} no pair can be decided at {{}}; {needed}"
        if self.n_units >= self.decidable_from:
            apart = "no two items are told apart by the {} {}s that it takes"
            return said(f"no pair can be decided at {{}}: {apart}", level, enough, self.word)
        return said(told, units, level, enough)


def assumption(method: str, word: str) -> str:
    """Return what must be true for the level of a method to hold."""
    draws = f"{word}s are independent draws"
    if method == "sign-flips":
        return (
            f"{word}s are independent, and the differences of all items in one are, together, "
            "symmetric about their center"
        )
    if method in ("sign-test", "clopper-pearson", "wilson"):
        return f"{draws}, and ties of some items say nothing of the order of others"
    if method in ("max-t", "percentile", "bca", "normal"):
        return f"{draws}, and many"
    return draws


def unit_word(unit: str, *, is_task: bool) -> str:
    """Return what a unit is; a ranking by the scores of one task is a task."""
    return "task" if unit == "ranking" and is_task else unit


def by_sign_flips(alpha: float) -> int:
    """Return the least T with 2^(1 - T) <= alpha."""
    return _least(lambda units: 2.0 ** (1 - units) <= alpha)


def by_p_values(alpha: float, n_items: int, per_unit: float) -> int | None:
    """Return the least T whose smallest p-value, per_unit^T, passes Holm's procedure."""
    hypotheses = n_items * (n_items - 1)
    if not hypotheses:
        return None
    return _least(lambda units: per_unit**units <= alpha / hypotheses)


def by_intervals(options: Options, n_items: int) -> int | None:
    """Return the least T for which an interval of T units that all agree leaves 1/2 outside."""
    n_pairs = n_items * (n_items - 1) // 2
    if not n_pairs:
        return None
    if options.simultaneous == "max-t" or options.method in ("percentile", "bca"):
        return 2  # Resamples of one unit do not vary.
    alpha = options.alpha / (n_pairs if options.simultaneous else 1)

    def decides(units: int) -> bool:
        tail = alpha / options.sides
        if options.method == "clopper-pearson":
            return bool(tail ** (1.0 / units) > 0.5)
        if options.method == "wilson":
            return bool(units > scipy.stats.norm.isf(tail) ** 2)
        if options.method in ("bernstein", "normal"):
            found = bool(bernstein_radius(0.0, units, alpha, options.sides) < 0.5)
            return found or (options.method == "normal" and _normal(units, alpha, options.sides))
        level = anytime_alpha(alpha, units) if options.anytime else alpha
        return bool(hoeffding_radius(1.0 / units, level, options.sides) < 0.5)

    return _least(decides)


def _normal(units: int, alpha: float, sides: int) -> bool:
    """Say whether some mean and variance of so many units have a normal interval above 1/2."""
    if units < 2:
        return False
    mean = np.linspace(0.5, 1.0, 201)[1:-1, None]
    variance = mean * (1.0 - mean) * units / (units - 1) * np.geomspace(1e-6, 1.0, 200)
    outside = mean - normal_radius(variance, units, alpha, sides) > 0.5
    return bool((outside & is_near_normal(mean, variance, units, alpha, sides)).any())


def _least(decides: Callable[[int], bool]) -> int:
    """Return the smallest number from which on something is true."""
    high = 1
    while not decides(high) and high < FAR:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if decides(middle) else (middle, high)
    return high
