"""A sampling estimator of the mean distance of two different rankings.

Where the exact mean is cheap (Kendall's distance: `spread`, `dispersion`) it is not needed.
Pairs are drawn independently, with replacement, from all pairs of different rankings; where a fixed
number of draws would be no fewer than these, all are evaluated instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from math import ceil, log
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Generator, Positions, Ranks, RNGLike
from rankagg._validation import (
    as_generator,
    check_alpha,
    check_number,
)
from rankagg.aggregation import Held, as_data
from rankagg.core import PartialRanking, Profile, Result, counted
from rankagg.exceptions import Described, InvalidInputError
from rankagg.inference.pair_values import order_shares

# Numbers held at one time while pairs of items are compared.
CELLS_HELD = 4_000_000

Distance = Callable[[PartialRanking, PartialRanking], float]


# Choices that are drawn and evaluated at one time.
CHOICES_HELD = 50_000
# How often choices with one ranking twice are drawn again.
REDRAWS = 10_000


class Estimate(Result):
    """An estimated mean and what is guaranteed of it.

    Made by `HoeffdingEstimator.estimate`; it has no plot.

    Attributes
    ----------
    value : float
        The estimate.
    lower, upper : float
        The mean over all choices is within these with probability 1 - alpha; the mean itself
        where all choices were evaluated.
    alpha : float
        The probability of error.
    n_samples : int
        Choices of rankings that were evaluated, in order; equal rankings count once.
    is_exact : bool
        All choices were evaluated.
    """

    value: float
    lower: float
    upper: float
    alpha: float
    n_samples: int
    is_exact: bool

    _schema = "rankagg.estimate"
    _prints_table = False
    _intervals: ClassVar[Mapping[str, tuple[str, str]]] = {"value": ("lower", "upper")}

    def to_frame(self) -> pd.DataFrame:
        """Return one row with the attributes as columns."""
        return pd.DataFrame([self._content()])

    def _content(self) -> dict[str, Any]:
        return asdict(self)

    def _facts(self) -> list[str]:
        bounds = f"from {self.lower:.6g} to {self.upper:.6g} with probability {1 - self.alpha:g}"
        pairs = f"{counted(self.n_samples, 'pair')} of rankings"
        return [
            f"mean {self.value:.6g}, {'exact' if self.is_exact else bounds}",
            f"evaluated: {pairs}, which are all" if self.is_exact else f"drawn: {pairs}",
        ]


@dataclass(frozen=True, kw_only=True)
class HoeffdingEstimator:
    """The mean within `epsilon`, from a number of samples that is fixed beforehand.

    Where there are no more pairs of rankings than samples, all are evaluated, and the mean is
    exact.

    Parameters
    ----------
    epsilon : float
        The estimate is within epsilon of the mean, in units of the distance.
    alpha : float
        Except with this probability.

    References
    ----------
    Hoeffding (1963), https://doi.org/10.1080/01621459.1963.10500830.

    Examples
    --------
    >>> import rankagg as ra
    >>> estimator = ra.inference.HoeffdingEstimator(epsilon=0.3, alpha=0.05)
    >>> profile = ra.cultures.ImpartialCulture().sample(5, 200, rng=0)
    >>> estimate = estimator.estimate(profile, rng=0)
    >>> estimate.n_samples, abs(estimate.value - ra.inference.spread(profile, average=True)) < 0.3
    (2050, True)
    >>> print(estimator.estimate(ra.Profile.from_orders(["ABC", "BCA"], counts=[300, 200])))
    mean 0.961924, exact
    evaluated: 4 pairs of rankings, which are all
    """

    epsilon: float
    alpha: float

    def __post_init__(self) -> None:
        check_number(self.epsilon, "epsilon", low=0, open_low=True)
        check_alpha(self.alpha)

    def n_samples(self, high: float) -> int:
        """Return the number of samples that the guarantee takes.

        Parameters
        ----------
        high : float
            The largest distance possible.

        Returns
        -------
        int
            ceil(high^2 log(2/alpha) / (2 epsilon^2)).
        """
        return ceil((high / self.epsilon) ** 2 * log(2.0 / self.alpha) / 2.0)

    def estimate(
        self,
        data: Held,
        distance: Distance | None = None,
        *,
        high: float | None = None,
        rng: RNGLike = None,
    ) -> Estimate:
        """Estimate the mean distance over all pairs of different rankings.

        Parameters
        ----------
        data : Profile, or orders
            The rankings; a count is so many different ones, and weights multiply: a pair has the
            product of its rankings' weights.
        distance : callable, optional
            Takes two `PartialRanking` and returns a number from 0 to `high`; by default Kendall's
            distance, whose mean `spread(profile, average=True)` gives exactly.
        high : float, optional
            The largest distance possible; needed with `distance`.
        rng : int or numpy.random.Generator, optional
            A seed or a generator.
        """
        profile = as_data(data)
        if not isinstance(profile, Profile):
            raise InvalidInputError("data", "a Profile, or orders", data)
        if profile.n_rankings < 2:
            few = Described(counted(profile.n_rankings, "ranking"))
            raise InvalidInputError("data", "2 rankings or more", few)
        if distance is None and high is None:
            # Of Kendall's distance.
            high = profile.n_items * (profile.n_items - 1) / 2
        elif not callable(distance):
            raise InvalidInputError("distance", "a function of two rankings, with `high`", distance)
        high = check_number(high, "high", low=0, open_low=True)
        sampler, size = _Sampler(profile, distance, high, as_generator(rng)), self.n_samples(high)
        radius, is_exact = self.epsilon, sampler.n_choices <= size
        if is_exact:
            (value, size), radius = sampler.mean_of_all(), 0.0
        else:
            # Only the sum is kept.
            value = sum(float(chunk.sum()) for chunk in sampler.chunks(size)) / size
        return Estimate(
            value=value,
            lower=max(value - radius, 0.0),
            upper=min(value + radius, high),
            alpha=self.alpha,
            n_samples=size,
            is_exact=is_exact,
        )


class _Sampler:
    """Distances of independently drawn pairs of different rankings."""

    def __init__(
        self, profile: Profile, distance: Distance | None, high: float, rng: Generator
    ) -> None:
        self.high = high
        self._distance = distance
        self._profile = profile
        self._rng = rng
        # Observation o is a copy of the row whose range of observations holds it.
        self._ends = np.cumsum(profile.counts)
        mass = np.cumsum(profile.counts * profile.weights)
        self._mass = mass / mass[-1]

    def chunks(self, size: int) -> Iterator[Floats]:
        """Draw so many distances, some at a time."""
        for start in range(0, size, CHOICES_HELD):
            yield self._values(self._choices(min(CHOICES_HELD, size - start)))

    def mean_of_all(self) -> tuple[float, int]:
        """Return the exact mean, and the number of pairs of rows that it takes."""
        counts = self._profile.counts
        weights = self._profile.weights / self._profile.weights.max()
        total, mass, number = 0.0, 0.0, 0
        for start in range(0, self.n_choices, CHOICES_HELD):
            flat = np.arange(start, min(start + CHOICES_HELD, self.n_choices))
            first, second = np.divmod(flat, len(counts))
            shares = counts[first] * weights[first]
            # Copies of the second that are not in the pair yet.
            shares = shares * (counts[second] - (first == second)) * weights[second]
            rows, shares = np.column_stack([first, second])[shares > 0], shares[shares > 0]
            if len(rows):
                total += float(shares @ self._values(rows))
            mass, number = mass + float(shares.sum()), number + len(rows)
        return total / mass, number

    @property
    def n_choices(self) -> int:
        """The number of pairs of rows, in order, with those of a row with itself."""
        return int(len(self._profile.counts) ** 2)

    def _choices(self, size: int) -> Positions:
        """Draw rows of pairs; a pair with one observation twice is drawn again."""
        rows = np.empty((size, 2), dtype=np.intp)
        todo = np.arange(size)
        for _ in range(REDRAWS):
            # Uniform on [0, 1): which row by its mass, which of its copies by an integer.
            drawn = np.searchsorted(self._mass, self._rng.random((len(todo), 2)), "right")
            drawn = np.minimum(drawn, len(self._mass) - 1)
            copies = self._rng.integers(0, self._profile.counts[drawn])
            observation = self._ends[drawn] - copies
            rows[todo] = drawn
            todo = todo[observation[:, 0] == observation[:, 1]]
            if not len(todo):
                return rows
        twice = Described("one in which nearly every pair holds a ranking twice")
        raise InvalidInputError("data", "rankings with more rankings of like weight", twice)

    def _values(self, rows: Positions) -> Floats:
        """Return the distances of pairs of rows, shape (b,)."""
        if self._distance is None:
            ranks = self._profile.ranks
            size = max(1, CELLS_HELD // ranks.shape[1] ** 2)
            parts = [rows[start : start + size] for start in range(0, len(rows), size)]
            return np.concatenate([_kendall(ranks[one[:, 0]], ranks[one[:, 1]]) for one in parts])
        rankings = {int(row): self._profile[int(row)] for row in np.unique(rows)}
        values = np.array([self._distance(*(rankings[int(r)] for r in row)) for row in rows])
        slack = 1e-9 * self.high
        outside = ~((values >= -slack) & (values <= self.high + slack))
        if outside.any():
            found = Described(f"a distance of {values[outside][0]:g}, outside 0 to {self.high:g}")
            raise InvalidInputError("high", "the largest distance possible", found)
        return values


def _kendall(first: Ranks, second: Ranks) -> Floats:
    pairs = np.triu_indices(first.shape[1], k=1)
    mine, theirs = (order_shares(ranks, pairs, shared=True) for ranks in (first, second))
    distance: Floats = (mine.first * theirs.second + mine.second * theirs.first).sum(axis=1)
    return distance
