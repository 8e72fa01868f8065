"""Methods of confidence intervals: from units to bounds for every pair.

The numbers of units that approximate intervals need are from the coverage study
(`examples/long/coverage` and its page). Each is the smallest number of units of the study from
which on a method was wrong in at most 7 % of the tables of every distribution, at a nominal 5 %.
They are no proof for other data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import pi
from typing import Any, Literal, get_args

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from rankagg._typing import Bools, Floats, Generator, Integers64, RNGLike
from rankagg._validation import (
    as_generator,
    check_alpha,
    check_choice,
    check_flag,
    check_integer,
    check_number,
)
from rankagg.core import quantity, sentence
from rankagg.exceptions import InformationLostError, InvalidInputError
from rankagg.inference.decisions import least_number
from rankagg.inference.summed_units import SummedUnits
from rankagg.inference.units import Units, resample_counts

# The number of units that each approximate method needs.
HOLDS_FROM = {"max-t": 1000, "percentile": 500, "wilson": 100}

# Numbers of units, and the percentage of tables in which max-t was wrong at most from there on.
WRONG_IN = (6, 83), (8, 71), (12, 52), (20, 25), (50, 14), (100, 9)

# Means of shares that differ by less are equal.
ROUNDING = 1e-12
# Approximate numbers drawn in one call, and resampled means in memory.
DRAWN_AT_ONCE, MEANS_HELD = 20_000_000, 4_000_000
BINOMIAL = {"wilson": "wilson", "clopper-pearson": "beta"}


def _few_units(method: str, n: Floats, word: str) -> tuple[str, ...]:
    """Return a warning if an approximate method has too few units of some pair."""
    enough = HOLDS_FROM.get(method, 0)
    fewest = np.min(n[n > 0], initial=enough)
    if fewest >= enough:
        return ()
    how = "more often than stated"
    if method == "max-t" and fewest >= WRONG_IN[0][0]:
        share = [wrong for least, wrong in WRONG_IN if least <= fewest][-1]
        how = sentence("in up to {} % of tables", quantity(share, "tables measured to be wrong"))
    note = "with {} {} intervals were measured to be wrong {}; they hold from about {} on"
    units = quantity(int(fewest), "fewest units of a pair", noun=word)
    return (sentence(note, units, method, how, quantity(enough, "units measured to be enough")),)


Method = Literal["hoeffding", "wilson", "clopper-pearson", "percentile"]
Simultaneous = Literal["bonferroni", "max-t"]
Alternative = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True, eq=False)
class _PairBounds:
    """Lower and upper bounds of all pairs, with estimates and notes."""

    mean: Floats
    n: Floats
    shares: Floats
    lower: Floats
    upper: Floats
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class IntervalOptions:
    """Options of intervals, with the names of `PairwiseIntervals.from_data`."""

    method: Method
    alpha: float
    simultaneous: Simultaneous | None = None
    alternative: Alternative = "two-sided"
    anytime: bool = False
    n_resamples: int = 2000
    rng: RNGLike = field(default=0, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rng", as_generator(self.rng))
        check_choice(self.method, get_args(Method), "method")
        object.__setattr__(self, "alpha", check_alpha(self.alpha))
        check_choice(self.simultaneous, (None, *get_args(Simultaneous)), "simultaneous")
        check_choice(self.alternative, get_args(Alternative), "alternative")
        check_flag(self.anytime, "anytime")
        times = check_integer(self.n_resamples, "n_resamples", low=100)
        object.__setattr__(self, "n_resamples", times)
        if self.simultaneous == "max-t" and self.method != "percentile":
            remedy = "'max-t' is a bootstrap: `method='percentile'`."
            allowed = "None or 'bonferroni' with this method"
            raise InvalidInputError("simultaneous", allowed, "max-t", remedy)
        if self.anytime and self.method != "hoeffding":
            raise InvalidInputError("anytime", "False unless `method='hoeffding'`", True)

    @property
    def sides(self) -> int:
        """The number of bounds that share the probability of error."""
        return 2 if self.alternative == "two-sided" else 1

    @property
    def name(self) -> str:
        """The name of the method in notes."""
        return "max-t" if self.simultaneous == "max-t" else self.method

    def bounds(
        self, units: Units | SummedUnits, resamples: _Resamples | None = None
    ) -> _PairBounds:
        """Return the bounds of all pairs, within [0, 1]; pairs without data have [0, 1].

        Resamples are drawn if they are needed and not given.
        """
        n_pairs = len(units.pairs[0])
        if not n_pairs:
            nothing = np.zeros(0)
            return _PairBounds(nothing, nothing, nothing, nothing, nothing)
        alpha = self.alpha / n_pairs if self.simultaneous == "bonferroni" else self.alpha
        if self.method in BINOMIAL:
            bounds = _binomial(units, self, alpha)
        elif self.method == "percentile":
            given = resamples if resamples is None else iter([(slice(None), resamples)])
            bounds = _by_resamples(units, self, alpha, given or self.resamples(units))
        else:
            moments = units.moments
            level: Any = _anytime_alpha(alpha, moments.n) if self.anytime else alpha
            radius = radius_of_shares(moments.shares, level, self.sides)
            ends = moments.mean - radius, moments.mean + radius
            bounds = _PairBounds(moments.mean, moments.n, moments.shares, *ends)
        silent = bounds.n == 0
        lower = np.where(silent, 0.0, np.clip(bounds.lower, 0.0, 1.0))
        upper = np.where(silent, 1.0, np.clip(bounds.upper, 0.0, 1.0))
        if self.alternative == "greater":
            upper = np.ones_like(upper)
        elif self.alternative == "less":
            lower = np.zeros_like(lower)
        notes = (*bounds.notes, *units.notes)
        if silent.any():
            many = int(silent.sum())
            pairs = quantity(many, "pairs that no unit compares", noun="pair", of=n_pairs)
            silence = sentence("no {} compares {}: the interval is [0, 1]", units.unit, pairs)
            notes = (silence, *notes)
        return _PairBounds(bounds.mean, bounds.n, bounds.shares, lower, upper, notes)

    def resamples(self, units: Units | SummedUnits) -> Iterator[tuple[slice, _Resamples]]:
        """Yield bootstrap means, in blocks of pairs; all pairs at once for max-t."""
        if isinstance(units, SummedUnits):
            raise InformationLostError(
                f"method={self.name!r} needs rankings; a ScoreSummary does not hold them. Use "
                "'hoeffding', or read the scores with `read_scores`."
            )
        if len(units.stratum_weights) > 1:
            remedy = "Use 'hoeffding' for fixed tasks, or `unit='task'` for a sample of tasks."
            raise InvalidInputError("fixed_tasks", "False for a bootstrap", True, remedy)
        rng = as_generator(self.rng)
        size = len(units.pairs[0])
        if self.simultaneous != "max-t":
            size = min(size, MEANS_HELD // self.n_resamples)
        yield from _resampled_parts(units, self.n_resamples, rng, max(size, 1))

    def least_units(self, n_items: int) -> int | None:
        """Return the least number of agreeing units whose interval excludes 1/2."""
        n_pairs = n_items * (n_items - 1) // 2
        if not n_pairs:
            return None
        if self.method == "percentile":
            return 2  # Resamples of one unit do not vary.
        alpha = self.alpha / (n_pairs if self.simultaneous else 1)

        def decides(units: int) -> bool:
            tail = alpha / self.sides
            if self.method == "clopper-pearson":
                return bool(tail ** (1.0 / units) > 0.5)
            if self.method == "wilson":
                return bool(units > scipy.stats.norm.isf(tail) ** 2)
            level = _anytime_alpha(alpha, units) if self.anytime else alpha
            return bool(radius_of_shares(1.0 / units, level, self.sides) < 0.5)

        return least_number(decides)


def _binomial(units: Units | SummedUnits, options: IntervalOptions, alpha: float) -> _PairBounds:
    if not units.is_direct or units.unit != "ranking" or units.is_weighted:
        only = "Binomial intervals are for direct comparisons of equal weight, each ranking a unit."
        raise InvalidInputError("method", "'hoeffding' or a bootstrap here", options.method, only)
    first, ties, second = units.outcomes()
    n = first + second
    mean = np.where(n > 0, first / np.maximum(n, 1.0), np.nan)
    from statsmodels.stats.proportion import proportion_confint  # noqa: PLC0415

    lower, upper = proportion_confint(
        first, np.maximum(n, 1.0), alpha=2 * alpha / options.sides, method=BINOMIAL[options.method]
    )
    # statsmodels returns NaN for bounds at the end of the range.
    lower = np.where(first == 0, 0.0, lower)
    upper = np.where(second == 0, 1.0, upper)
    notes = _few_units(options.name, n, units.unit)
    if ties.any():
        many = quantity(int(ties.sum()), "ties left out")
        left_out = sentence("{} {} left out", many, "tie was" if many == "1" else "ties were")
        notes = (left_out, *notes)
    with np.errstate(divide="ignore"):
        return _PairBounds(mean, n, np.where(n > 0, 1.0 / n, 0.0), lower, upper, notes)


def _by_resamples(
    units: Units | SummedUnits,
    options: IntervalOptions,
    alpha: float,
    parts: Iterator[tuple[slice, _Resamples]],
) -> _PairBounds:
    moments = units.moments
    varies = np.zeros(len(moments.mean), dtype=bool)
    compared = moments.n > 0
    lower, upper = np.zeros_like(moments.mean), np.ones_like(moments.mean)
    # Without known bounds of values no mean can be excluded.
    if units.is_bounded:
        # By Markov's inequality a value is c or more with a probability of at most mean/c. So if
        # all n units have it, means below c alpha^(1/n) are excluded; likewise from above.
        together = len(lower) if options.simultaneous else 1
        root = (options.alpha / options.sides / together) ** (1.0 / moments.n[compared])
        lower[compared] = moments.mean[compared] * root
        upper[compared] = 1.0 - (1.0 - moments.mean[compared]) * root
    is_joint, tail = options.simultaneous == "max-t", (alpha, options.sides)
    for part, resamples in parts:
        varies[part] = resamples.varies
        if not varies[part].any():
            continue
        some = resamples.take(varies[part])
        ends = some.max_t(alpha, options.alternative) if is_joint else some.percentile(*tail)
        lower[part][varies[part]], upper[part][varies[part]] = ends
    # If all units agree the interval is exact, however few there are.
    notes = list(_few_units(options.name, moments.n[varies], units.unit))
    tails = options.n_resamples * alpha / options.sides
    if options.simultaneous != "max-t" and tails < 5:
        beyond = quantity(tails, "resamples beyond a bound", ".2g", "resample")
        notes.append(sentence("only {} expected beyond each bound: raise `n_resamples`", beyond))
    if constant := int((compared & ~varies).sum()):
        pairs = quantity(constant, "pairs on which all agree", noun="pair")
        agree = "all units agree on {}, so that resamples do not vary: the interval is {}"
        bound = "the exact one for units that agree" if units.is_bounded else "[0, 1]"
        notes.append(sentence(agree, pairs, bound))
    return _PairBounds(moments.mean, moments.n, moments.shares, lower, upper, tuple(notes))


# -- the bootstrap --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Resamples:
    """Means of all pairs in the sample and in its resamples."""

    # Shape (p,). In the sample.
    mean: Floats
    # Shape (B, p). In each resample; NaN if none of its units compares the pair.
    means: Floats

    @cached_property
    def varies(self) -> Bools:
        """Whether the mean of each pair differs between resamples, shape (p,)."""
        seen = np.isfinite(self.means)
        low = np.where(seen, self.means, np.inf).min(axis=0)
        return np.asarray(np.where(seen, self.means, -np.inf).max(axis=0) - low > ROUNDING)

    def take(self, chosen: Bools, kept: Bools | bool = True) -> _Resamples:
        """Return the resamples of some of the pairs, reversed if not kept."""
        parts = self.mean[chosen], self.means[:, chosen]
        return _Resamples(*(np.where(kept, part, 1.0 - part) for part in parts))

    def percentile(self, alpha: float, sides: int) -> tuple[Floats, Floats]:
        """Return the percentile interval of each mean."""
        tail = alpha / sides
        # `nanquantile` is slow, since it loops over pairs.
        quantile = np.quantile if np.isfinite(self.means).all() else np.nanquantile
        low, high = quantile(self.means, [tail, 1.0 - tail], axis=0)
        return _exact_half(low), _exact_half(high)

    def max_t(self, alpha: float, alternative: Alternative) -> tuple[Floats, Floats]:
        """Return simultaneous intervals from the largest studentized deviation.

        A lower bound alone (alternative "greater") depends on resampled means that are too large,
        an upper one on those that are too small. A resample without a pair adds no deviation.
        """
        error = np.nanstd(self.means, axis=0, ddof=1)
        deviation = np.nan_to_num((self.means - self.mean) / error)
        if alternative == "two-sided":
            deviation = np.abs(deviation)
        elif alternative == "less":
            deviation = -deviation
        radius = np.quantile(deviation.max(axis=1), 1.0 - alpha) * error
        return _exact_half(self.mean - radius), _exact_half(self.mean + radius)


def _exact_half(bounds: Floats) -> Floats:
    """Return bounds with 1/2 where they equal it up to rounding, which decides no pair."""
    return np.where(np.abs(bounds - 0.5) < ROUNDING, 0.5, bounds)


def _resampled_parts(
    units: Units, n_resamples: int, rng: Generator, size: int
) -> Iterator[tuple[slice, _Resamples]]:
    """Draw units with replacement, and yield the means in blocks of `size` pairs."""
    rows, n_pairs, many = units.drawn_rows(), len(units.pairs[0]), n_resamples
    together = np.zeros(len(rows.counts), dtype=np.intp)
    some = max(1, DRAWN_AT_ONCE // len(rows.counts))
    drawn: Iterable[Integers64] = (
        resample_counts(rows.counts, together, min(some, many - start), rng)
        for start in range(0, many, some)
    )
    if n_pairs > size:
        drawn = list(drawn)
    for start in range(0, max(n_pairs, 1), size):
        part = slice(start, start + size)
        first, mass = rows.first[:, part], rows.mass[:, part]
        means = np.concatenate([_ratios(counts, first, mass) for counts in drawn])
        yield part, _Resamples(_ratios(rows.counts[None, :], first, mass)[0], means)


def _ratios(counts: NDArray[np.generic], first: Floats, mass: Floats) -> Floats:
    """Return the mean of every pair in samples with these counts of rows; NaN without data."""
    times = counts.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        return times @ first / (times @ mass)


# -- radii ----------------------------------------------------------------------------------------


def _log_per_bound(alpha: ArrayLike, sides: int) -> Floats:
    """Return log(sides / alpha)."""
    count = check_integer(sides, "sides", low=1, high=2)
    levels = np.asarray(alpha, dtype=np.float64)
    wrong = ~((levels > 0) & (levels < 1))
    if wrong.any():
        raise InvalidInputError("alpha", "numbers in (0, 1)", float(levels[wrong].flat[0]))
    return np.log(count / levels)


def hoeffding_radius(
    n: ArrayLike, alpha: ArrayLike, sides: int = 2, *, weights: ArrayLike | None = None
) -> Floats:
    """Return Hoeffding's radius sqrt(log(sides/alpha)/(2 n)) for a mean of values in [0, 1].

    Parameters
    ----------
    n : array_like of float
        Number of independent values in the mean, at least 1.
    alpha : array_like of float
        Probability of error, in (0, 1).
    sides : {1, 2}, default 2
        One bound or two.
    weights : array_like of float, optional
        For a weighted mean of means: the weight w_t of the mean of each n_t values, along the
        last axis; they sum to 1. The radius is sqrt(log(sides/alpha)/2 * sum_t w_t^2/n_t). With
        `n=1` they are the weights of single values.

    References
    ----------
    Hoeffding (1963), "Probability inequalities for sums of bounded random variables",
    https://doi.org/10.1080/01621459.1963.10500830. Equation 4 of Himmi et al. (2023) is the
    one-sided radius.

    Examples
    --------
    >>> from rankagg import hoeffding_radius
    >>> float(hoeffding_radius(10, 0.05).round(4))
    0.4295
    >>> float(hoeffding_radius(100, 0.01, sides=1).round(8))
    0.15174271

    Two tasks of 80 and 120 instances, the second with three times the weight:

    >>> float(hoeffding_radius([80, 120], 0.05, weights=[0.25, 0.75]).round(4))
    0.1004
    """
    sizes = np.asarray(n, dtype=np.float64)
    wrong = ~((sizes >= 1) & np.isfinite(sizes))
    if wrong.any():
        raise InvalidInputError("n", "numbers of values, at least 1", float(sizes[wrong].flat[0]))
    shares = 1.0 / sizes
    if weights is not None:
        parts = np.asarray(weights, dtype=np.float64)
        if not (parts >= 0).all() or not np.allclose(parts.sum(axis=-1), 1.0, rtol=0.0, atol=1e-9):
            raise InvalidInputError("weights", "numbers of at least 0 that sum to 1", weights)
        shares = (parts**2 * shares).sum(axis=-1)
    radius = radius_of_shares(shares, alpha, sides)
    if (radius > 1).any():
        allowed = f"large enough for a radius of at most 1 (it would be {radius.max():.3g})"
        raise InvalidInputError("n", allowed, n, "Use more values or a larger `alpha`.")
    return radius


def radius_of_shares(shares: ArrayLike, alpha: ArrayLike, sides: int = 2) -> Floats:
    """Return Hoeffding's radius, however large, from the sum of squared shares of the values."""
    radius: Floats = np.sqrt(_log_per_bound(alpha, sides) / 2.0 * np.asarray(shares))
    return radius


def _anytime_alpha(alpha: float, n: ArrayLike) -> Floats:
    """Return the alpha spent after n observations, 6 alpha/(pi^2 n^2); the sum is alpha.

    Bounds at these levels hold at all sample sizes at once, so that sampling may stop at any time.
    """
    size = np.maximum(np.asarray(n, dtype=np.float64), 1.0)
    return 6.0 * check_alpha(alpha) / (pi**2 * size**2)


def comparisons_needed(margin: float, alpha: float, *, n_items: int = 2) -> int:
    """Return the number of comparisons that decide a pair with a given margin from 1/2.

    It is the least number whose two-sided Hoeffding radius is at most the margin.

    Parameters
    ----------
    margin : float
        Distance of the proportion from 1/2, above 0 and up to 1/2.
    alpha : float
        Probability of error, in (0, 1).
    n_items : int, default 2
        Number of items; all their pairs are decided at once, by Bonferroni.

    Returns
    -------
    int
        Independent comparisons for each pair.

    Examples
    --------
    >>> from rankagg.inference import comparisons_needed
    >>> comparisons_needed(0.1, 0.05)
    185
    >>> comparisons_needed(0.1, 0.05, n_items=20)
    447
    """
    gap = check_number(margin, "margin", low=1e-100, high=0.5)
    n = check_integer(n_items, "n_items", low=2)
    level = check_alpha(alpha) / (n * (n - 1) / 2)
    return int(np.ceil(np.log(2.0 / level) / (2.0 * gap**2)))
