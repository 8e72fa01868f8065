"""Scores of items with the covariance of their errors, and the order that differences decide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
import scipy

from rankagg._typing import Bools, Floats, Generator, Positions
from rankagg.inference.ranks.rank_results import Families

#: With fewer units the largest studentized difference is not known well enough.
FEWEST = 20
# The fewest degrees of freedom, with which hardly anything is decided.
LEAST_DEGREES = 0.1
# So many units for each item tell how the differences of all pairs hang together.
UNITS_PER_ITEM = 5
# A variance of a difference that is less, in parts of those of both items, comes from rounding.
ROUNDED = 2.0**-40
# How often errors are drawn: less often, but no less than the second, where draws of all pairs
# would be more than the third.
DRAWS, FEWEST_DRAWS, PAIRS_DRAWN = 10_000, 1_000, 5 * 10**8


# The largest errors of what is open, in some draws.
Again: TypeAlias = Callable[[Bools, Positions], Floats]


@dataclass(frozen=True, eq=False)
class ScoredItems:
    """Scores of items, and the covariance of their errors."""

    # Shape (n,). Shares of wins, a tie half; or log worths; or estimates of any other kind.
    scores: Floats
    # Shape (n, n). Of the scores, from what units move them by.
    covariance: Floats
    # Shape (n,). How many units of one size would tell as much of each item: their shares of it
    # squared, (sum a)^2 / sum a^2, after Carter, Schnepel and Steigerwald (2017),
    # https://doi.org/10.1162/REST_a_00639. Infinite where the covariance is known.
    effective: Floats
    # How many units there are.
    n_units: int

    def errors(self) -> Floats:
        """Return the standard error of row less column."""
        own = self.covariance.diagonal()
        both = own[:, None] + own
        variance = both - 2.0 * self.covariance
        return np.sqrt(np.where(variance > ROUNDED * both, variance, 0.0))

    def studentized(self) -> Floats:
        """Return row less column in standard errors, as normal as the number of units allows.

        A quotient that is as far out as one of Student's t is made a normal one as far out. Without
        an error it is infinite where the covariance is known, and 0 where that is an estimate.
        """
        difference, error = self.scores[:, None] - self.scores, self.errors()
        freedom = np.minimum(self.effective[:, None], self.effective) - 1.0
        known = np.where(
            np.isinf(freedom) & (difference != 0), np.copysign(np.inf, difference), 0.0
        )
        quotient = np.divide(difference, error, out=known, where=error > 0)
        tail = scipy.stats.t.sf(np.abs(quotient), np.maximum(freedom, LEAST_DEGREES))
        return np.asarray(np.sign(quotient) * scipy.stats.norm.isf(tail), dtype=np.float64)

    def bonferroni(self, alpha: float, n_hypotheses: int) -> float:
        """Return what one of some studentized differences exceeds with probability alpha at most.

        Minus infinity where the units are so many that they tell how differences hang together.
        """
        if self.effective.min() >= UNITS_PER_ITEM * len(self.scores) or not n_hypotheses:
            return -np.inf
        return float(scipy.stats.norm.isf(alpha / n_hypotheses))

    def drawn(self, times: int, rng: Generator) -> Floats:
        """Draw normal errors with the covariance, which may be singular, shape (n, times)."""
        own, normal = self.covariance.diagonal(), rng.standard_normal((times, len(self.scores)))
        if np.array_equal(self.covariance, np.diag(own)):
            return np.ascontiguousarray((normal * np.sqrt(own)).T)
        values, vectors = np.linalg.eigh(self.covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        return np.ascontiguousarray((normal @ root.T).T)


def draws_of(n_items: int) -> int:
    """Return how often errors are drawn, unless somebody says."""
    return min(DRAWS, max(FEWEST_DRAWS, PAIRS_DRAWN // n_items**2))


def by_largest(found: ScoredItems, alpha: float, n_draws: int, rng: Generator) -> Families:
    """Decide by the largest studentized difference, among all pairs and those of each item.

    A hypothesis is that row is not above column, so that each pair has two. What passes the largest
    difference of those that are open is decided, and the others are compared again until none does.
    Units get independent normal weights, so that what they add up to is normal with the estimated
    covariance.

    Romano and Wolf (2005), "Exact and approximate stepdown methods for multiple hypothesis
    testing", https://doi.org/10.1198/016214504000000539.
    """
    n, errors, seen = len(found.scores), found.errors(), found.studentized()
    scale = np.divide(1.0, errors, out=np.zeros_like(errors), where=errors > 0)
    draws = _ErrorDraws(found, alpha, found.drawn(n_draws, rng), scale)
    others, every = ~np.eye(n, dtype=bool), np.full(n_draws, -np.inf)
    alone, led = np.zeros((n, n), dtype=np.int8), np.zeros(n, dtype=bool)
    for i in range(n):
        steps = draws.steps(i)
        highest, lowest = steps.max(axis=0), steps.min(axis=0)
        np.maximum(every, highest, out=every)
        # The item above each other one, and each other one above the item.
        sizes, largest = np.stack([seen[i], seen[:, i]]), np.maximum(highest, -lowest)
        again = partial(_largest_of_item, steps)
        above, below = draws.stepped(sizes, others[[i, i]], largest, again)
        alone[i] = above.astype(np.int8) - below
        led[i] = draws.passing(sizes[1], others[i], -lowest).any()
    return Families(draws.stepped(seen, others, every, draws.largest), alone, led)


@dataclass(frozen=True, eq=False)
class _ErrorDraws:
    """Drawn errors, and what the largest of them lets pass."""

    found: ScoredItems
    alpha: float
    # Shape (n, times).
    drawn: Floats
    # Shape (n, n). What differences are multiplied by; nought where they have no error.
    scale: Floats

    def steps(self, i: int, chosen: slice | Positions = slice(None)) -> Floats:
        """Return how far the error of an item is above each, in some draws, shape (n, draws)."""
        drawn = self.drawn[:, chosen]
        differences = drawn[i] - drawn
        differences *= self.scale[i][:, None]
        return np.asarray(differences)

    def largest(self, open_: Bools, chosen: Positions) -> Floats:
        """Return the largest error of the open differences, row less column, in some draws."""
        largest = np.full(len(chosen), -np.inf)
        for i in np.flatnonzero(open_.any(axis=1)).tolist():
            np.maximum(largest, self.steps(i, chosen)[open_[i]].max(axis=0), out=largest)
        return largest

    def passing(self, sizes: Floats, open_: Bools, largest: Floats) -> Bools:
        """Return which of the open hypotheses the largest errors of them seldom pass."""
        bar = self.found.bonferroni(self.alpha, int(open_.sum()))
        return open_ & (sizes > max(float(np.quantile(largest, 1.0 - self.alpha)), bar))

    def stepped(self, sizes: Floats, open_: Bools, largest: Floats, again: Again) -> Bools:
        """Decide what passes, and compare the others again until none does."""
        left, largest = open_, largest.copy()
        while (new := self.passing(sizes, left, largest)).any() and (left != new).any():
            left = left & ~new
            self._lower(largest, partial(again, left))
        return open_ & ~(left & ~new)

    def _lower(self, largest: Floats, again: Callable[[Positions], Floats]) -> None:
        """Find the largest errors again where they are so large that they tell the quantile."""
        many = min(int(self.alpha * len(largest)) + 2, len(largest))
        before = np.ones(len(largest), dtype=bool)
        while before[top := np.argpartition(largest, -many)[-many:]].any():
            chosen = top[before[top]]
            largest[chosen], before[chosen] = again(chosen), False


def _largest_of_item(steps: Floats, open_: Bools, chosen: Positions) -> Floats:
    """Return the largest error of the open differences of an item, above others and below."""
    above, below = open_
    some = steps[:, chosen]
    most = some[above].max(axis=0, initial=-np.inf)
    return np.asarray(np.maximum(most, -some[below].min(axis=0, initial=np.inf)))
