"""What one ranking, or one column of scores, says of every pair of items.

A value is how far the first item is above the second: 1 all the way, 0 the reverse, 1/2 neither,
NaN nothing. Intervals, tests and bootstraps work on such values, whatever they mean.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
import scipy
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Label, Positions, Ranks
from rankagg.aggregation import points
from rankagg.core import UNLISTED, UNRANKED, Profile, places, rounding_error, said, stated

#: Positions of the first and of the second item of each pair.
Pairs: TypeAlias = tuple[Positions, Positions]


@dataclass(frozen=True, eq=False)
class PairValues(ABC):
    """Rows of m observations of n items that tell of pairs."""

    # Shape (m, n). The observations.
    rows: NDArray[Any]

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, index: Positions | slice) -> Self:
        """Return some of the rows."""
        return replace(self, rows=self.rows[index])

    @property
    def is_bounded(self) -> bool:
        """True where no possible value is outside [0, 1]."""
        return True

    @property
    def n_items(self) -> int:
        """The number of items that rows tell of."""
        return int(self.rows.shape[1])

    @cached_property
    def pairs(self) -> Pairs:
        """Positions of the first and the second item of each pair, first < second."""
        first, second = np.triu_indices(self.n_items, k=1)
        return first, second

    @abstractmethod
    def values(self) -> Floats:
        """Return the values of all rows and pairs, shape (m, p)."""

    def sizes(self, weights: Floats) -> Floats:
        """Return for each pair the weighted mean size of what values come from, 1 at least."""
        return np.ones(len(self.pairs[0]))


class _OrderShares(NamedTuple):
    """Shares of the orders of each ranking with either item of a pair above; ties are apart."""

    # Shape (m, p).
    first: Floats
    second: Floats
    tied: Bools


def order_shares(ranks: Ranks, pairs: Pairs, *, shared: bool) -> _OrderShares:
    """Return the shares of a ranking's compatible orders with either item of a pair above.

    Nothing is said of unranked items unless the shares of orders are theirs, and of two unlisted
    ones in no case.
    """
    (one, two), place = pairs, places.comparable(ranks)
    seen, off = ranks != UNRANKED, ranks == UNLISTED
    both = seen[:, one] & seen[:, two] & ~(off[:, one] & off[:, two])
    first = ((place[:, one] < place[:, two]) & both).astype(np.float64)
    second = ((place[:, one] > place[:, two]) & both).astype(np.float64)
    if shared:
        # P(unobserved before observed) = (place + 1)/(k + 1).
        ahead = (places.mid_ranks(ranks) + 1.0) / (seen.sum(axis=1, keepdims=True) + 1.0)
        level = ~(seen[:, one] | seen[:, two])
        for mine, other, share, rest in ((one, two, first, second), (two, one, second, first)):
            alone = seen[:, mine] & ~seen[:, other]
            share[alone], rest[alone] = 1.0 - ahead[:, mine][alone], ahead[:, mine][alone]
            share[level] = 0.5
    return _OrderShares(first, second, both & (place[:, one] == place[:, two]))


@dataclass(frozen=True, eq=False)
class RankingValues(PairValues):
    """Rankings that tell of the pairs they compare, or of all by their compatible permutations."""

    rows: Ranks
    is_direct: bool = True

    def values(self) -> Floats:
        """Return the share of orders with the first above, a tie half; NaN where nothing tells."""
        shares = order_shares(self.rows, self.pairs, shared=not self.is_direct)
        values = shares.first + shares.tied / 2
        values[~(shares.tied | (shares.first + shares.second > 0))] = np.nan
        return values


@dataclass(frozen=True, eq=False)
class Differences(PairValues):
    """Numbers that tell of a pair by their difference, as a share of the largest possible."""

    # No difference exceeds it; those of the data only, where values are not bounded.
    scale: float
    # From rows to numbers, higher is better; the rows themselves by default.
    numbers: Callable[[NDArray[Any]], Floats] | None = None
    # True where the scale holds for all possible observations.
    is_bounded: bool = True

    @property
    def is_complete(self) -> bool:
        """True where every row tells of every pair."""
        # A million numbers at one time.
        size = max(1, 10**6 // max(self.rows.shape[1], 1))
        starts = range(0, len(self.rows), size)
        return not any(np.isnan(self._of(self.rows[at : at + size])).any() for at in starts)

    def _of(self, rows: NDArray[Any]) -> Floats:
        return rows if self.numbers is None else self.numbers(rows)

    def values(self) -> Floats:
        """Return (1 + difference/scale)/2; NaN where one of the numbers is."""
        first, second = self.pairs
        numbers = self._of(self.rows)
        return 0.5 + (numbers[:, first] - numbers[:, second]) / (2.0 * self.scale)

    def sizes(self, weights: Floats) -> Floats:
        """Return 1 for points, which are exact; of scores what two weigh without their signs."""
        first, second = self.pairs
        if self.numbers is not None:
            return np.ones(len(first))
        told = ~np.isnan(self.rows)
        whole = (told * weights[:, None]).T
        both = (whole * np.abs(np.where(told, self.rows, 0.0) / self.scale).T) @ told
        with np.errstate(invalid="ignore"):
            means = (both + both.T) / (whole @ told)
        sizes: Floats = np.fmax(means[first, second], 1.0)
        return sizes


def point_differences(profile: Profile, *, only_ranked: bool = False) -> Differences:
    """Return the differences of Borda points as values of pairs.

    With `only_ranked` a ranking that does not rank an item tells nothing about its pairs.
    """
    ignoring = profile.unranked == "ignore"
    largest = max(profile.n_items - 1, 1) * (2.0 if ignoring else 1.0)

    def numbers(rows: Ranks) -> Floats:
        is_silent = (rows == UNRANKED) & only_ranked
        return np.where(is_silent, np.nan, points(rows, ignoring=ignoring))

    return Differences(profile.ranks, largest, numbers)


# Differences that asymmetry is looked for in at most, and how often their signs are turned.
LOOKED_AT, TIMES = 200_000, 256
# The share of tables of symmetric differences that are called asymmetric, about, and the distance
# of the middle from the mean, as a share of the mean, that does no harm.
LEVEL, NEAR = 0.02, 0.25
# Of gaps that follow what others score: the level, the fewest units that can tell, and how often
# levels of units and of systems are taken from each other.
SELECTED, FEWEST_UNITS, SWEEPS = 0.01, 8, 20
# Of columns that are like their neighbors: the level, and the fewest that can tell.
ALIKE, FEWEST_COLUMNS = 0.01, 6


class PairSums(NamedTuple):
    """Sums over the units of each stratum; arrays of shape (s, p)."""

    # Number, weight and squared weight of the units that tell of each pair.
    n: Floats
    mass: Floats
    squared_mass: Floats
    # Weighted sums of their values.
    first: Floats


@dataclass(frozen=True, eq=False)
class Moments:
    """What all units together say of each pair; arrays of shape (p,)."""

    # Units that tell something of the pair.
    n: Floats
    # Weighted mean value; NaN where n is 0.
    mean: Floats
    # Sum of the squared shares that the units have in the mean: 1/n where all weigh the same.
    shares: Floats


def moments_of(sums: PairSums, stratum_weights: Floats) -> Moments:
    """Return the moments that sums over units make."""
    n, mass, squared_mass, first = sums
    share = stratum_weights[:, None] * (n > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = share / share.sum(axis=0)
        mean = (share * np.where(n > 0, first / mass, 0.0)).sum(axis=0)
        shares = (share**2 * np.where(n > 0, squared_mass / mass**2, 0.0)).sum(axis=0)
    return Moments(n.sum(axis=0), mean, shares)


def asymmetry_note(
    differences: Floats, pairs: Sequence[tuple[Label, Label]], remedy: str
) -> tuple[str, ...]:
    """Return a note where differences contradict that those of each pair are symmetric.

    The mean of the middle half of the differences of a pair is held against the mean of all, in
    standard deviations; the sum of the squares of all pairs against those under other signs of
    whole units, turned about the middle. Large differences stay large under all signs, so that
    heavy tails and tasks on different scales are no contradiction.
    """
    step = max(1, -(-differences.size // LOOKED_AT))
    told = differences[:, ::step].T
    if not 0 < told.size <= LOOKED_AT:
        return ()
    there, error = ~np.isnan(told), rounding_error(1.0, len(differences))
    told = np.where(there, told, 0.0)
    told = told / (np.abs(told).max(axis=1, keepdims=True) + (told == 0).all(axis=1)[:, None])
    means = told.sum(axis=1, keepdims=True) / np.fmax(there.sum(axis=1, keepdims=True), 1)
    rows = np.where(there, told - means, 0.0)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(TIMES, len(differences)))
    signs[0] = 1.0
    middle = _middle_mean(rows)
    turned, many = rows - middle[:, None], max(1, 10**6 // rows.size)
    observed = _lean(turned)
    pair, reached = int(np.argmax(np.abs(observed))), 0
    if abs(middle[pair]) <= NEAR * abs(means[pair, 0]):
        return ()
    for start in range(0, TIMES, many):
        lean = _lean(turned * signs[start : start + many, None])
        reached += int(((lean**2).sum(axis=1) >= (observed**2).sum() - error).sum())
        if reached > LEVEL * TIMES:
            return ()
    first, second = pairs[pair * step]
    many = int(there[pair].sum())
    above = stated(int((rows[pair] > error).sum()), "differences above their mean", of=many)
    below = stated(int((rows[pair] < -error).sum()), "differences below it", of=many)
    note = (
        "the differences are not symmetric, as the level assumes: of {} less {} {} lie above their "
        "mean and {} below it, so that decisions may be wrong more often than they say; {}"
    )
    return (said(note, first, second, above, below, remedy),)


def selection_note(scores: Floats) -> tuple[str, ...]:
    """Return a note where scores are missing more often in units in which others do worse.

    The numbers of scores missing are held against how well the others do there, after what is
    each system's own, by rank correlation at a level of 1 %; scores have a row per unit, and the
    larger are better.
    """
    scores = scores[~np.isnan(scores).all(axis=1)]
    there = ~np.isnan(scores)
    missing = (~there).sum(axis=1)
    if len(scores) < FEWEST_UNITS:
        return ()
    known, own = np.where(there, scores, 0.0), np.zeros(scores.shape[1])
    known /= np.abs(known).max() or 1.0
    for _ in range(SWEEPS):
        level = ((known - own) * there).sum(axis=1) / there.sum(axis=1)
        own = ((known - level[:, None]) * there).sum(axis=0) / np.fmax(there.sum(axis=0), 1)
    level = np.round(level / (np.abs(level).max() or 1.0), 9)
    if np.ptp(missing) == 0 or np.ptp(level) == 0:
        return ()
    from scipy import stats  # noqa: PLC0415

    found = stats.spearmanr(missing, level, alternative="less")
    if not found.pvalue < SELECTED:
        return ()
    note = (
        "scores are missing more often where the others do worse (rank correlation {}): who leaves "
        "out what would go badly looks better than it is, and decisions may be wrong more often "
        "than they say"
    )
    return (said(note, stated(float(found.statistic), "rank correlation of gaps", ".2f")),)


def neighbor_note(scores: Floats) -> tuple[str, ...]:
    """Return a note where columns are more like their neighbors than in a random order.

    The mean correlation of each column of a table with the next one, after what is each system's
    own, is compared with its mean and its variance under all orders of the columns, at a level of
    1 %; scores have a row per column of the table.
    """
    n = len(scores)
    if n < FEWEST_COLUMNS:
        return ()
    scores = scores[:, :: max(1, -(-scores.size // LOOKED_AT))]
    there = ~np.isnan(scores)
    rows = np.where(there, scores, 0.0)
    rows /= np.abs(rows).max(axis=1, keepdims=True) + (rows == 0).all(axis=1, keepdims=True)
    for axis in (1, 0):
        means = rows.sum(axis=axis, keepdims=True) / np.fmax(there.sum(axis, keepdims=True), 1)
        rows = np.where(there, rows - means, 0.0)
        length = np.sqrt((rows**2).sum(axis=1, keepdims=True))
        varies = length > rounding_error(1.0)
        rows = np.divide(rows, length, out=np.zeros_like(rows), where=varies)
    # Of the correlations of all pairs of columns, whose sums need no pair.
    own, pairs = (rows**2).sum(axis=1), n * (n - 1)
    mean = ((rows.sum(axis=0) ** 2).sum() - own.sum()) / pairs
    square = (((rows.T @ rows) ** 2).sum() - (own**2).sum()) / pairs
    found = (rows[:-1] * rows[1:]).sum() / (n - 1)
    error = np.sqrt(max(square - mean**2, 0.0) / (n - 1))
    if not found - mean > scipy.special.ndtri(1.0 - ALIKE) * error + rounding_error(1.0, n):
        return ()
    note = (
        "neighboring tasks of the table are alike (mean correlation {}), and their order means "
        "nothing here: if they depend on each other, declare families of tasks, or decisions are "
        "wrong more often than stated"
    )
    return (said(note, stated(float(found), "correlation of neighbors", ".2f")),)


def _middle_mean(values: Floats) -> Floats:
    """Return the mean of the middle half of each row."""
    n = values.shape[-1]
    means: Floats = np.sort(values, axis=-1)[..., n // 4 : n - n // 4].mean(axis=-1)
    return means


def _lean(values: Floats) -> Floats:
    """Return for each row how far the middle is from the mean, in standard deviations."""
    off, spread = _middle_mean(values) - values.mean(axis=-1), values.std(axis=-1)
    lean: Floats = off / np.where(spread > rounding_error(1.0), spread, np.inf)
    return lean
