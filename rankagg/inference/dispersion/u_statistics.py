"""Means over all choices of different rankings, of a bounded function of them.

The spread of some rankings is one: the mean distance of two different ones. With m rankings and a
function of k of them the exact mean takes m^k evaluations; `sampling` estimates it from few.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats, Ranks, Unranked
from rankagg._validation import check_integer, check_number, check_unranked
from rankagg.core.profile import Profile
from rankagg.core.rankings import places
from rankagg.core.rankings.partial import PartialRanking
from rankagg.core.rankings.places import UNLISTED, UNRANKED
from rankagg.exceptions import Described, InvalidInputError

__all__ = ["UStatistic", "distance_to", "mean_distance"]

# Numbers held at one time while pairs of items are compared.
BLOCK = 4_000_000


@dataclass(frozen=True, kw_only=True)
class UStatistic:
    """A bounded function of some different rankings, whose mean is wanted.

    Parameters
    ----------
    kernel : callable
        Takes `degree` PartialRankings over the same items and returns a number.
    degree : int, default 2
        How many different rankings it looks at.
    low, high : float
        It never leaves this range.
    batch : callable, optional
        The same for many at once: takes `degree` arrays of places (see `Profile.ranks`), each of
        shape (b, n), and returns shape (b,). Used instead of `kernel` where given.

    Examples
    --------
    >>> import rankagg as ra
    >>> footrule = ra.UStatistic(kernel=ra.spearman_footrule, low=0, high=4)
    >>> profile = ra.Profile.from_orders(["ABC", "BCA"], counts=[300, 200])
    >>> estimate = ra.HoeffdingEstimator(epsilon=0.1, alpha=0.05).estimate(profile, footrule, rng=0)
    >>> 1.8 < estimate.value < 2.1
    True
    """

    kernel: Callable[..., float] | None = None
    degree: int = 2
    low: float
    high: float
    batch: Callable[..., Floats] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "degree", check_integer(self.degree, "degree", low=1))
        low = check_number(self.low, "low")
        if not check_number(self.high, "high") > low:
            raise InvalidInputError("high", f"a number above low ({low:g})", self.high)
        if not (callable(self.kernel) or callable(self.batch)):
            raise InvalidInputError("kernel", "a function of rankings", self.kernel)

    @property
    def width(self) -> float:
        """The length of the range."""
        return self.high - self.low

    def values(self, profile: Profile, rows: NDArray[np.intp]) -> Floats:
        """Evaluate it on choices of rankings.

        Parameters
        ----------
        profile : Profile
            The rankings.
        rows : ndarray of int, shape (b, degree)
            Rows of the profile.

        Returns
        -------
        ndarray of float, shape (b,)

        Raises
        ------
        InvalidInputError
            If a value is outside the stated range.
        """
        if self.batch is not None:
            arrays = [profile.ranks[column] for column in rows.T]
            values = np.asarray(self.batch(*arrays), dtype=np.float64)
        else:
            assert self.kernel is not None, "checked when it was made"
            rankings = {int(row): profile[int(row)] for row in np.unique(rows)}
            values = np.array([self.kernel(*(rankings[int(r)] for r in row)) for row in rows])
        slack = 1e-9 * self.width
        outside = ~((values >= self.low - slack) & (values <= self.high + slack))
        if outside.any():
            raise InvalidInputError(
                "low and high", "a range that holds every value of the kernel",
                Described(f"a value of {values[outside][0]:g}, outside {self.low:g} to "
                          f"{self.high:g}"),
            )  # fmt: skip
        return values


def mean_distance(
    n_items: int, *, normalized: bool = False, p: float = 0.0, unranked: Unranked = "uniform"
) -> UStatistic:
    """Return the mean Kendall distance of two different rankings, which `spread` gives exactly.

    Parameters
    ----------
    n_items : int
        Items of the rankings.
    normalized : bool, default False
        Divide by n(n - 1)/2.
    p : float, default 0
        What a pair costs that exactly one of the rankings ties.
    unranked : {"uniform", "ignore", "last"}, default "uniform"
        What a ranking says of items that it does not rank; see `spread`.

    Returns
    -------
    UStatistic
    """
    n = check_integer(n_items, "n_items", low=2)
    penalty = check_number(p, "p", low=0, high=1)
    policy = check_unranked(unranked)
    pairs = n * (n - 1) / 2
    scale = pairs if normalized else 1.0

    def batch(first: Ranks, second: Ranks) -> Floats:
        size = max(1, BLOCK // n**2)
        parts = [
            _kendall(first[start : start + size], second[start : start + size], penalty, policy)
            for start in range(0, len(first), size)
        ]
        distances: Floats = np.concatenate(parts) / scale
        return distances

    return UStatistic(degree=2, low=0.0, high=pairs / scale, batch=batch)


def distance_to(ranking: PartialRanking, distance: Callable[..., float], high: float) -> UStatistic:
    """Return the mean distance of the rankings to a given one, as a statistic of degree 1.

    Parameters
    ----------
    ranking : PartialRanking
        The given one.
    distance : callable
        Takes two rankings; for Kendall's distance `dispersion` is exact and quick.
    high : float
        It never exceeds this.

    Returns
    -------
    UStatistic
    """
    if not isinstance(ranking, PartialRanking):
        raise InvalidInputError("ranking", "a PartialRanking or Permutation", ranking)
    return UStatistic(kernel=lambda other: distance(ranking, other), degree=1, low=0.0, high=high)


def _kendall(first: Ranks, second: Ranks, p: float, unranked: Unranked) -> Floats:
    mine, theirs = (_order_shares(ranks, unranked) for ranks in (first, second))
    # Each pair of items is seen from both sides, which is how often it disagrees.
    distance = np.einsum("bij,bji->b", mine.above, theirs.above)
    if p:
        judged = theirs.above + theirs.above.transpose(0, 2, 1)
        mutual = mine.above + mine.above.transpose(0, 2, 1)
        once = (mine.tied * judged).sum(axis=(1, 2)) + (theirs.tied * mutual).sum(axis=(1, 2))
        distance = distance + p * once / 2.0
    result: Floats = distance
    return result


@dataclass(frozen=True, eq=False)
class _OrderShares:
    """The share of each ranking's orders with row above column, and whether it ties the two."""

    above: Floats
    tied: Floats


def _order_shares(ranks: Ranks, unranked: Unranked) -> _OrderShares:
    ranks = places.unranked_last(ranks) if unranked == "last" else ranks
    place = places.comparable(ranks)
    observed = ranks != UNRANKED
    off = ranks == UNLISTED
    both = observed[:, :, None] & observed[:, None, :] & ~(off[:, :, None] & off[:, None, :])
    above = ((place[:, :, None] < place[:, None, :]) & both).astype(np.float64)
    tied = ((place[:, :, None] == place[:, None, :]) & both).astype(np.float64)
    diagonal: Any = np.arange(ranks.shape[1])
    if unranked == "uniform":
        seen = observed.sum(axis=1, keepdims=True)
        ahead = np.where(observed, (places.mid_ranks(ranks) + 1.0) / (seen + 1.0), 0.0)
        # Row unobserved and column observed, the reverse, and nothing known at all.
        above += np.where(~observed[:, :, None] & observed[:, None, :], ahead[:, None, :], 0.0)
        above += np.where(observed[:, :, None] & ~observed[:, None, :], 1 - ahead[:, :, None], 0.0)
        above += 0.5 * (off[:, :, None] & off[:, None, :])
        above += 0.5 * (~observed[:, :, None] & ~observed[:, None, :])
    above[:, diagonal, diagonal] = 0.0
    tied[:, diagonal, diagonal] = 0.0
    return _OrderShares(above, tied)
