"""A sampling estimator of the mean distance of two different rankings.

It is for distances without a fast exact mean; Kendall's distance has `spread` and `dispersion`.
Pairs are drawn independently, with replacement, from all pairs of different rankings. If there are
no more pairs than draws, all are evaluated instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from math import ceil, log
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Generator, Positions, Ranks, RNGLike
from rankagg._validation import as_generator, check_alpha, check_number
from rankagg.aggregation import Held, as_data
from rankagg.core import PartialRanking, Profile, Result, counted
from rankagg.exceptions import Described, InvalidInputError
from rankagg.inference.pair_values import order_shares

# Numbers in memory while pairs of items are compared.
CELLS_HELD = 4_000_000

Distance = Callable[[PartialRanking, PartialRanking], float]


# Pairs that are drawn and evaluated in one call.
CHOICES_HELD = 50_000
# Most redraws of pairs that have one ranking twice.
REDRAWS = 10_000


class Estimate(Result):
    """An estimated mean with its guaranteed bounds.

    Made by `HoeffdingEstimator.estimate`; it has no plot.

    Attributes
    ----------
    value : float
        The estimate.
    lower, upper : float
        Bounds of the mean over all pairs, with probability 1 - alpha; the mean itself if all
        pairs were evaluated.
    alpha : float
        The probability of error.
    n_samples : int
        Ordered pairs of rankings that were evaluated; equal rankings count once.
    is_exact : bool
        True if all pairs were evaluated.
    """

    value: float
    lower: float
    upper: float
    alpha: float
    n_samples: int
    is_exact: bool

    _schema = "rankagg.estimate"
    _prints_table = False
    _intervals: ClassVar = {"value": ("lower", "upper")}

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
            f"evaluated: all {pairs}" if self.is_exact else f"drawn: {pairs}",
        ]


@dataclass(frozen=True, kw_only=True)
class HoeffdingEstimator:
    """Estimator of the mean within `epsilon`, from a number of samples fixed in advance.

    If there are no more pairs of rankings than samples, all are evaluated, and the mean is exact.

    Parameters
    ----------
    epsilon : float
        The estimate is within epsilon of the mean, in units of the distance.
    alpha : float
        Probability of a larger error.

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
    evaluated: all 4 pairs of rankings
    """

    epsilon: float
    alpha: float

    def __post_init__(self) -> None:
        check_number(self.epsilon, "epsilon", low=0, open_low=True)
        check_alpha(self.alpha)

    def n_samples(self, high: float) -> int:
        """Return the number of samples that the guarantee needs.

        Parameters
        ----------
        high : float
            The largest possible distance.

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
            The rankings, with counts as repetitions; the weight of a pair is the product of the
            weights of its rankings.
        distance : callable, optional
            Takes two `PartialRanking` and returns a number from 0 to `high`; by default Kendall's
            distance, for which `spread(profile, average=True)` returns the exact mean.
        high : float, optional
            The largest possible distance; required with `distance`.
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
            high = profile.n_items * (profile.n_items - 1) / 2
        elif not callable(distance):
            raise InvalidInputError("distance", "a function of two rankings, with `high`", distance)
        high = check_number(high, "high", low=0, open_low=True)
        sampler, size = _Sampler(profile, distance, high, as_generator(rng)), self.n_samples(high)
        radius, is_exact = self.epsilon, sampler.n_choices <= size
        if is_exact:
            (value, size), radius = sampler.mean_of_all(), 0.0
        else:
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
        # Copies of rows are numbered consecutively; row k ends before number _ends[k].
        self._ends = np.cumsum(profile.counts)
        mass = np.cumsum(profile.counts * profile.weights)
        self._mass = mass / mass[-1]

    def chunks(self, size: int) -> Iterator[Floats]:
        """Draw distances in chunks."""
        for start in range(0, size, CHOICES_HELD):
            yield self._values(self._choices(min(CHOICES_HELD, size - start)))

    def mean_of_all(self) -> tuple[float, int]:
        """Return the exact mean, and the number of pairs of rows in it."""
        counts = self._profile.counts
        weights = self._profile.weights / self._profile.weights.max()
        total, mass, number = 0.0, 0.0, 0
        for start in range(0, self.n_choices, CHOICES_HELD):
            flat = np.arange(start, min(start + CHOICES_HELD, self.n_choices))
            first, second = np.divmod(flat, len(counts))
            shares = counts[first] * weights[first]
            # A copy is not paired with itself.
            shares = shares * (counts[second] - (first == second)) * weights[second]
            rows, shares = np.column_stack([first, second])[shares > 0], shares[shares > 0]
            if len(rows):
                total += float(shares @ self._values(rows))
            mass, number = mass + float(shares.sum()), number + len(rows)
        return total / mass, number

    @property
    def n_choices(self) -> int:
        """The number of ordered pairs of rows, including those of a row with itself."""
        return int(len(self._profile.counts) ** 2)

    def _choices(self, size: int) -> Positions:
        """Draw pairs of rows; a pair of a copy with itself is redrawn."""
        rows = np.empty((size, 2), dtype=np.intp)
        todo = np.arange(size)
        for _ in range(REDRAWS):
            # Draw a row by its mass, then one of its copies.
            drawn = np.searchsorted(self._mass, self._rng.random((len(todo), 2)), "right")
            drawn = np.minimum(drawn, len(self._mass) - 1)
            observation = self._ends[drawn] - self._rng.integers(0, self._profile.counts[drawn])
            rows[todo] = drawn
            todo = todo[observation[:, 0] == observation[:, 1]]
            if not len(todo):
                return rows
        twice = Described("one ranking with nearly all of the weight")
        raise InvalidInputError("data", "several rankings of similar weight", twice)

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
            got = Described(f"a distance of {values[outside][0]:g}, outside 0 to {self.high:g}")
            raise InvalidInputError("high", "the largest possible distance", got)
        return values


def _kendall(first: Ranks, second: Ranks) -> Floats:
    pairs = np.triu_indices(first.shape[1], k=1)
    mine, theirs = (order_shares(ranks, pairs, shared=True) for ranks in (first, second))
    return np.asarray((mine.first * theirs.second + mine.second * theirs.first).sum(axis=1))
