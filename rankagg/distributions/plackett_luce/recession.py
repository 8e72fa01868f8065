"""Whether a likelihood of choices with ties rises for ever: by linear programs, checked exactly.

A concave function has a maximum exactly where it falls in the end along every direction that does
not leave it constant. The log likelihood of choices falls along a direction unless no choice that
was observed has a value below that of another one from the same set, the value of a bucket of d
items being the mean of their log worths plus log delta_d (Rockafellar 1970, "Convex analysis",
section 27). Such directions are a cone without a line. One linear program finds one of them, or
that there is none; constraints are added as they are violated, since a set has very many buckets.
What is found is rounded and checked in integers before anything is said of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import lcm

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from rankagg._typing import Bools, Floats, Ranks
from rankagg.distributions.plackett_luce.choices import stage_masks

__all__ = ["Observed", "endless_direction"]

# Rounds of added constraints, and how far a direction may be off one of them.
ROUNDS, SLACK = 200, 1e-7
# What the objective of a direction is at least, entries being at most 1.
LEAST = 1e-4
# Denominators that are tried for the entries of a direction.
DENOMINATORS = 840


@dataclass(frozen=True, eq=False)
class Observed:
    """Different choices: from which alternatives, and what."""

    # Shape (k, n). A row per choice.
    alternatives: Bools
    chosen: Bools

    @classmethod
    def of(cls, tables: Iterable[tuple[Bools, Bools]], n: int) -> Observed:
        """Return the different rows of some tables of alternatives and chosen items."""
        parts = [np.zeros((0, 2 * n), dtype=bool)]
        parts += [np.unique(np.hstack(both), axis=0) for both in tables]
        rows = np.unique(np.concatenate(parts), axis=0)
        return cls(rows[:, :n], rows[:, n:])

    @classmethod
    def of_ranks(cls, ranks: Ranks) -> Observed:
        """Return the choices of rankings; places with codes, shape (m, n)."""
        return cls.of(((sets, chosen) for _, sets, chosen in stage_masks(ranks)), ranks.shape[1])

    def with_ghost(self) -> Observed:
        """Add an item that was chosen once against every other one, and once not."""
        k, n = self.alternatives.shape
        none, own = np.zeros((k, 1), dtype=bool), np.eye(n, dtype=bool)
        yes, no = np.ones((n, 1), dtype=bool), np.zeros((n, 1), dtype=bool)
        pairs = np.hstack([own, yes])
        ghost = np.hstack([np.zeros_like(own), yes])
        return Observed(
            np.vstack([np.hstack([self.alternatives, none]), pairs, pairs]),
            np.vstack([np.hstack([self.chosen, none]), np.hstack([own, no]), ghost]),
        )


def endless_direction(
    observed: Observed, sizes: tuple[int, ...], *, worths: bool = True, ties: bool = True
) -> NDArray[np.int64] | None:
    """Return a direction in which the likelihood rises for ever; None where none was found."""
    n = observed.alternatives.shape[1]
    bounds = [(-1.0, 1.0) if worths else (0.0, 0.0)] * n
    bounds += [(-1.0, 1.0) if ties else (0.0, 0.0)] * len(sizes)
    if worths:
        bounds[0] = (0.0, 0.0)  # a constant says nothing
    own = _features(observed.chosen, sizes)
    objective = _gains(observed, own, sizes)
    rows = np.zeros((0, n + len(sizes)))
    direction = objective / max(float(np.abs(objective).max()), 1.0)
    for _ in range(ROUNDS):
        cuts = _violated(observed, own, sizes, direction)
        if len(rows) and not len(cuts):
            return _exact(observed, sizes, direction)
        rows = np.unique(np.vstack([rows, cuts, -np.zeros((1, rows.shape[1]))]), axis=0)
        found = linprog(-objective, A_ub=rows, b_ub=np.zeros(len(rows)), bounds=bounds)
        if found.x is None or float(objective @ found.x) <= LEAST:
            return None
        direction = np.asarray(found.x, dtype=np.float64)
    return None


def _features(chosen: Bools, sizes: tuple[int, ...]) -> Floats:
    """Return what log worths and log tie weights are multiplied with in the value of buckets."""
    size = chosen.sum(axis=1)
    tied = size[:, None] == np.array(sizes, dtype=np.int64)
    return np.hstack([chosen / size[:, None], tied.astype(np.float64)])


def _gains(observed: Observed, own: Floats, sizes: tuple[int, ...]) -> Floats:
    """Return the sum over choices and sizes of the value of a choice less the mean of the others.

    Along a direction without a loss it is 0 only where nothing is gained.
    """
    number = observed.alternatives.sum(axis=1)
    total = np.zeros(own.shape[1])
    for k, d in enumerate((1, *sizes)):
        possible = number >= d
        mean = np.zeros((int(possible.sum()), own.shape[1]))
        mean[:, : observed.alternatives.shape[1]] = (
            observed.alternatives[possible] / number[possible, None]
        )
        if k:
            mean[:, observed.alternatives.shape[1] + k - 1] = 1.0
        total += (own[possible] - mean).sum(axis=0)
    return total


def _best(
    observed: Observed, sizes: tuple[int, ...], worths: Floats | NDArray[np.int64]
) -> Iterator[tuple[int, Bools, Bools]]:
    """Go through the sizes: number, where they are possible, and the best bucket of each set."""
    order = np.argsort(-worths, kind="stable")
    sorted_sets = observed.alternatives[:, order]
    rank = np.cumsum(sorted_sets, axis=1)
    for k, d in enumerate((1, *sizes)):
        best = np.zeros_like(sorted_sets)
        best[:, order] = sorted_sets & (rank <= d)
        yield k, rank[:, -1] >= d, best


def _violated(observed: Observed, own: Floats, sizes: tuple[int, ...], direction: Floats) -> Floats:
    """Return the rows g that a direction breaks, where g times it must not exceed 0."""
    n = observed.alternatives.shape[1]
    cuts = [np.zeros((0, len(direction)))]
    for _, possible, best in _best(observed, sizes, direction[:n]):
        rows = _features(best[possible], sizes) - own[possible]
        cuts.append(rows[rows @ direction > SLACK])
    return np.concatenate(cuts)


def _exact(
    observed: Observed, sizes: tuple[int, ...], direction: Floats
) -> NDArray[np.int64] | None:
    """Return a direction as whole numbers that were checked."""
    for denominator in range(1, DENOMINATORS + 1):
        whole = np.rint(direction * denominator)
        if np.abs(direction * denominator - whole).max() > 1e-5:
            continue
        candidate = whole.astype(np.int64)
        if _is_endless(observed, sizes, candidate):
            return candidate
    return None


def _is_endless(observed: Observed, sizes: tuple[int, ...], whole: NDArray[np.int64]) -> bool:
    """Say in integers whether no choice loses along a direction, and some gain."""
    n = observed.alternatives.shape[1]
    unit = lcm(1, *sizes)
    worths = whole[:n]

    # Integers of any size: many sizes of buckets have a large common multiple.
    share = np.array([unit // d if d in (1, *sizes) else 0 for d in range(max(sizes) + 1)], object)
    bonus = dict(zip(sizes, (int(weight) * unit for weight in whole[n:]), strict=True))
    bonuses = np.array([bonus.get(d, 0) for d in range(max(sizes) + 1)], object)

    def values(buckets: Bools) -> NDArray[np.object_]:
        size = buckets.sum(axis=1)
        summed: NDArray[np.object_] = (buckets @ worths).astype(object)
        total: NDArray[np.object_] = summed * share[size] + bonuses[size]
        return total

    chosen = values(observed.chosen)
    gains = False
    for _, possible, best in _best(observed, sizes, worths):
        if (values(best[possible]) > chosen[possible]).any():
            return False
    for _, possible, worst in _best(observed, sizes, -worths):
        gains |= bool((values(worst[possible]) < chosen[possible]).any())
    return gains
