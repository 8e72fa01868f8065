"""Sampling estimators of U-statistics: means over all choices of different rankings.

The spread of some rankings is one: the mean distance of two different ones. With m rankings and a
function of k of them the exact mean takes m^k evaluations, and is estimated here from few, with a
guarantee. Where the exact mean is cheap (Kendall's distance: `spread`, `dispersion`) that is not
needed. Choices are drawn independently, with replacement, from all choices of different rankings;
where a fixed number of draws would be no fewer than these, all are evaluated instead.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from math import ceil, log, sqrt
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Generator, Positions, Ranks, RNGLike, Unranked
from rankagg._validation import (
    as_generator,
    check_alpha,
    check_integer,
    check_number,
    check_unranked,
)
from rankagg.core import PartialRanking, Profile, Result, counted
from rankagg.exceptions import Described, InvalidInputError
from rankagg.inference.pair_values import order_shares

# Numbers held at one time while pairs of items are compared.
CELLS_HELD = 4_000_000


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
    >>> footrule = ra.inference.UStatistic(kernel=ra.distances.spearman_footrule, low=0, high=4)
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

    def values(self, profile: Profile, rows: Positions) -> Floats:
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
            allowed, found = "a range that holds every value of the kernel", values[outside][0]
            told = Described(f"a value of {found:g}, outside {self.low:g} to {self.high:g}")
            raise InvalidInputError("low and high", allowed, told)
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
        size = max(1, CELLS_HELD // n**2)
        slices = [slice(start, start + size) for start in range(0, len(first), size)]
        parts = [_kendall(first[part], second[part], penalty, policy) for part in slices]
        return np.concatenate(parts) / scale

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
    pairs = np.triu_indices(first.shape[1], k=1)
    mine, theirs = (order_shares(ranks, pairs, unranked) for ranks in (first, second))
    distance: Floats = (mine.first * theirs.second + mine.second * theirs.first).sum(axis=1)
    if p:
        once = mine.tied * (theirs.first + theirs.second) + theirs.tied * (mine.first + mine.second)
        distance = distance + p * once.sum(axis=1)
    return distance


# Choices that are drawn and evaluated at one time.
CHOICES_HELD = 50_000
# Looks of the stopping rule: the first, and by how much each is later than the one before.
FIRST_LOOK, GROWTH = 32, 1.1
# How often choices with one ranking twice are drawn again.
REDRAWS = 10_000

STOPPED = {
    "all": "these are all that there are, so the mean is exact",
    "fixed": "their number was fixed beforehand",
    "relative": "the relative precision was reached",
    "absolute": "the absolute precision was reached",
    "max_samples": "no more were allowed, before a precision was reached",
}


class Estimate(Result):
    """An estimated mean and what is guaranteed of it.

    Made by `SamplingEstimator.estimate`; it has no plot.

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
    stopped : {"all", "fixed", "relative", "absolute", "max_samples"}
        Why it ended: all choices were evaluated; the number was fixed beforehand; the relative or
        the absolute precision was reached; or there were no more samples allowed, and only
        `lower` and `upper` are promised.
    """

    value: float
    lower: float
    upper: float
    alpha: float
    n_samples: int
    stopped: Literal["all", "fixed", "relative", "absolute", "max_samples"]

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
        is_exact = self.stopped == "all"
        done = "evaluated" if is_exact else "drawn"
        return [
            f"mean {self.value:.6g}, {'exact' if is_exact else bounds}",
            f"{self.n_samples} choices of rankings were {done}; {STOPPED[self.stopped]}",
        ]


class SamplingEstimator(ABC):
    """What the estimators share: drawing choices of different rankings and evaluating them."""

    def estimate(
        self, profile: Profile, statistic: UStatistic | None = None, *, rng: RNGLike = None
    ) -> Estimate:
        """Estimate the mean of a function over all choices of different rankings.

        Parameters
        ----------
        profile : Profile
            The rankings; a count is so many different ones, and weights multiply: a choice has
            the product of its rankings' weights.
        statistic : UStatistic, optional
            The function; by default the mean Kendall distance of two rankings, which
            `spread(profile, average=True)` gives exactly.
        rng : int or numpy.random.Generator, optional
            A seed or a generator.

        Returns
        -------
        Estimate

        Raises
        ------
        InvalidInputError
            If there are fewer rankings than the function looks at.
        """
        if not isinstance(profile, Profile):
            raise InvalidInputError("profile", "a Profile", profile)
        chosen = mean_distance(profile.n_items) if statistic is None else statistic
        if not isinstance(chosen, UStatistic):
            raise InvalidInputError("statistic", "a UStatistic", statistic)
        if profile.n_rankings < chosen.degree:
            allowed = f"{counted(chosen.degree, 'ranking')} or more for this statistic"
            few = Described(counted(profile.n_rankings, "ranking"))
            raise InvalidInputError("profile", allowed, few)
        return self._estimate(_Sampler(profile, chosen, as_generator(rng)))

    @abstractmethod
    def _estimate(self, sampler: _Sampler) -> Estimate: ...


class _Sampler:
    """Values of a function on independently drawn choices of different rankings."""

    def __init__(self, profile: Profile, statistic: UStatistic, rng: Generator) -> None:
        self.statistic = statistic
        self._profile = profile
        self._rng = rng
        # Observation o is a copy of the row whose range of observations holds it.
        self._ends = np.cumsum(profile.counts)
        mass = np.cumsum(profile.counts * profile.weights)
        self._mass = mass / mass[-1]

    def chunks(self, size: int) -> Iterator[Floats]:
        """Draw so many values, some at a time."""
        for start in range(0, size, CHOICES_HELD):
            choices = self._choices(min(CHOICES_HELD, size - start))
            yield self.statistic.values(self._profile, choices)

    def mean_of_all(self) -> tuple[float, int]:
        """Return the exact mean, and the number of choices of rows that it takes."""
        counts, degree = self._profile.counts, self.statistic.degree
        weights = self._profile.weights / self._profile.weights.max()
        total, mass, number = 0.0, 0.0, 0
        for start in range(0, self.n_choices, CHOICES_HELD):
            flat = np.arange(start, min(start + CHOICES_HELD, self.n_choices))
            rows = np.stack(np.unravel_index(flat, (len(counts),) * degree), axis=1)
            shares = np.ones(len(rows))
            for j in range(degree):
                row = rows[:, j]
                # Copies that are not in the choice yet.
                left = counts[row] - (rows[:, :j] == row[:, None]).sum(axis=1)
                shares *= left * weights[row]
            rows, shares = rows[shares > 0], shares[shares > 0]
            if len(rows):
                total += float(shares @ self.statistic.values(self._profile, rows))
            mass, number = mass + float(shares.sum()), number + len(rows)
        return total / mass, number

    @property
    def n_choices(self) -> int:
        """The number of choices of rows, in order, with those that hold a row too often."""
        return int(len(self._profile.counts) ** self.statistic.degree)

    def _choices(self, size: int) -> Positions:
        """Draw rows of choices; a choice with an observation twice is drawn again."""
        degree = self.statistic.degree
        rows = np.empty((size, degree), dtype=np.intp)
        todo = np.arange(size)
        for _ in range(REDRAWS):
            # Uniform on [0, 1): which row by its mass, which of its copies by an integer.
            drawn = np.searchsorted(self._mass, self._rng.random((len(todo), degree)), "right")
            drawn = np.minimum(drawn, len(self._mass) - 1)
            copies = self._rng.integers(0, self._profile.counts[drawn])
            observation = np.sort(self._ends[drawn] - copies, axis=1)
            rows[todo] = drawn
            todo = todo[(np.diff(observation, axis=1) == 0).any(axis=1)]
            if not len(todo):
                return rows
        allowed = f"a profile with many more rankings of like weight than {degree}"
        twice = Described("one in which nearly every choice holds a ranking twice")
        raise InvalidInputError("profile", allowed, twice)


@dataclass(frozen=True, kw_only=True)
class HoeffdingEstimator(SamplingEstimator):
    """The mean within `epsilon`, from a number of samples that is fixed beforehand.

    Where there are no more choices of rankings than samples, all are evaluated, and the mean is
    exact.

    Parameters
    ----------
    epsilon : float
        The estimate is within epsilon of the mean, in units of the function.
    alpha : float
        Except with this probability.

    References
    ----------
    Hoeffding (1963), https://doi.org/10.1080/01621459.1963.10500830.

    Examples
    --------
    >>> import rankagg as ra
    >>> estimator = ra.HoeffdingEstimator(epsilon=0.3, alpha=0.05)
    >>> profile = ra.cultures.ImpartialCulture().draw(5, 200, rng=0)
    >>> estimate = estimator.estimate(profile, rng=0)
    >>> estimate.n_samples, abs(estimate.value - ra.spread(profile, average=True)) < 0.3
    (2050, True)
    >>> print(estimator.estimate(ra.Profile.from_orders(["ABC", "BCA"], counts=[300, 200])))
    mean 0.961924, exact
    4 choices of rankings were evaluated; these are all that there are, so the mean is exact
    """

    epsilon: float
    alpha: float

    def __post_init__(self) -> None:
        check_number(self.epsilon, "epsilon", low=0, open_low=True)
        check_alpha(self.alpha)

    def n_samples(self, statistic: UStatistic) -> int:
        """Return the number of samples that the guarantee takes.

        Parameters
        ----------
        statistic : UStatistic
            The function.

        Returns
        -------
        int
            ceil(width^2 log(2/alpha) / (2 epsilon^2)).
        """
        return ceil((statistic.width / self.epsilon) ** 2 * log(2.0 / self.alpha) / 2.0)

    def _estimate(self, sampler: _Sampler) -> Estimate:
        size, radius = self.n_samples(sampler.statistic), self.epsilon
        is_exact = sampler.n_choices <= size
        if is_exact:
            (value, size), radius = sampler.mean_of_all(), 0.0
        else:
            # Only the sum is kept.
            value = sum(float(chunk.sum()) for chunk in sampler.chunks(size)) / size
        return Estimate(
            value=value,
            lower=max(value - radius, sampler.statistic.low),
            upper=min(value + radius, sampler.statistic.high),
            alpha=self.alpha,
            n_samples=size,
            stopped="all" if is_exact else "fixed",
        )


@dataclass(frozen=True, kw_only=True)
class EmpiricalBernsteinStopping(SamplingEstimator):
    """The mean within a share `epsilon` of itself, from as few samples as the variance allows.

    Samples are drawn until the empirical Bernstein interval, looked at after a geometrically
    growing number of samples, says that the precision is reached. A mean of 0 has no relative
    precision, so an absolute one is enough too, and there is a limit.

    Parameters
    ----------
    epsilon : float
        The estimate is within epsilon times the mean of it, in (0, 1).
    alpha : float
        Except with this probability.
    floor : float, default 0.001
        As a share of the function's range: an estimate within floor times the range is enough.
    max_samples : int, default 10_000_000
        Stop after so many samples in any case.

    Notes
    -----
    After t samples with variance V (divisor t) the mean is within
    sqrt(2 V log(3/d)/t) + 3 R log(3/d)/t, R the range, with probability 1 - d. The k-th look
    spends d_k = alpha/(k(k + 1)), alpha in all.

    References
    ----------
    Mnih, Szepesvári and Audibert (2008), "Empirical Bernstein stopping",
    https://doi.org/10.1145/1390156.1390241.

    Examples
    --------
    >>> import rankagg as ra
    >>> profile = ra.Profile.from_orders(["ABC", "BCA"], counts=[300, 200])
    >>> rule = ra.inference.EmpiricalBernsteinStopping(epsilon=0.1, alpha=0.05)
    >>> estimate = rule.estimate(profile, rng=0)
    >>> estimate.stopped, abs(estimate.value / ra.spread(profile, average=True) - 1) < 0.1
    ('relative', True)
    """

    epsilon: float
    alpha: float
    floor: float = 0.001
    max_samples: int = 10_000_000

    def __post_init__(self) -> None:
        check_number(self.epsilon, "epsilon", low=0, high=1, open_low=True, open_high=True)
        check_alpha(self.alpha)
        check_number(self.floor, "floor", low=0, high=1, open_low=True)
        most = check_integer(self.max_samples, "max_samples", low=10)
        object.__setattr__(self, "max_samples", most)

    def _estimate(self, sampler: _Sampler) -> Estimate:
        statistic, epsilon = sampler.statistic, self.epsilon
        size, look = 0, 0
        total = squares = 0.0
        lower, upper = statistic.low, statistic.high
        stopped: Literal["relative", "absolute", "max_samples"] | None = None
        while stopped is None:
            look += 1
            upto = min(max(ceil(size * GROWTH), FIRST_LOOK), self.max_samples)
            values = np.concatenate(list(sampler.chunks(upto - size))) - statistic.low
            total += float(values.sum())
            squares += float((values**2).sum())
            size = upto
            mean = statistic.low + total / size
            variance = max(squares / size - (total / size) ** 2, 0.0)
            term = log(3.0 * look * (look + 1) / self.alpha) / size
            radius = sqrt(2.0 * variance * term) + 3.0 * statistic.width * term
            lower, upper = max(lower, mean - radius), min(upper, mean + radius)
            value = (lower + upper) / 2
            # The least and the largest absolute value in the interval.
            least, largest = sorted((abs(lower), abs(upper)))
            least = 0.0 if lower <= 0.0 <= upper else least
            if (1.0 + epsilon) * least >= (1.0 - epsilon) * largest:
                stopped = "relative"
                # Within epsilon of every mean in the interval, relatively.
                far = ((1.0 + epsilon) * least + (1.0 - epsilon) * largest) / 2.0
                value = far if upper > 0 else -far
            elif upper - lower <= 2.0 * self.floor * statistic.width:
                stopped = "absolute"
            elif size >= self.max_samples:
                stopped = "max_samples"
        return Estimate(
            value=min(max(value, lower), upper),
            lower=lower,
            upper=upper,
            alpha=self.alpha,
            n_samples=size,
            stopped=stopped,
        )
