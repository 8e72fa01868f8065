"""Methods of confidence intervals: from units to bounds for every pair.

The figures from how many units on approximate intervals were measured to hold what they promise
are those of the coverage study (`examples/long/coverage` and the page about it): the smallest
number of units of the study at and above which a method was wrong in no more than 7 % of the tables
of any distribution, where 5 % are promised. They are no proof for other data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import pi
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import scipy
from numpy.typing import ArrayLike

from rankagg._typing import Bools, Floats, RNGLike
from rankagg._validation import (
    as_generator,
    check_alpha,
    check_choice,
    check_flag,
    check_integer,
    check_number,
)
from rankagg.core import said, stated
from rankagg.exceptions import InformationLostError, InvalidInputError
from rankagg.inference.decisions import least_number
from rankagg.inference.intervals.bootstrap import (
    MEANS_HELD,
    Resamples,
    few_groups,
    resampled_parts,
)
from rankagg.inference.pair_values import Moments
from rankagg.inference.summed_units import WITH_GROUPS, SummedUnits
from rankagg.inference.units import Units

# Method or kind of joint interval: units. "normal" is not here: it was never wrong so often,
# because it is not made where units are too few (`normal._is_near_normal`).
HOLDS_FROM = {"max-t": 1000, "percentile": 500, "wilson": 100}

# From how many units on max-t was wrong in at most so many per cent of tables.
WRONG_IN = (6, 83), (8, 71), (12, 52), (20, 25), (50, 14), (100, 9)

# Of several fixed tasks the fewest degrees of freedom that were measured: six tasks of 2, 3 and 4.
LEAST_FREEDOM = 7.0
# The largest logarithm of the factor by which a tail may be off, by the number of bounds. Of two
# tails one is too heavy where the other is too light. With these the coverage study found
# intervals wrong in no more than 7 % of all cases where 5 % are promised.
LIMITS = {1: 0.15, 2: 0.3}
BINOMIAL = {"wilson": "wilson", "clopper-pearson": "beta"}


def _few_units(method: str, n: Floats, word: str) -> tuple[str, ...]:
    """Return what must be said of an approximate method with n units for each pair, if any are."""
    enough = HOLDS_FROM.get(method, 0)
    fewest = np.min(n[n > 0], initial=enough)
    if fewest >= enough:
        return ()
    how = "more often than they say"
    if method == "max-t" and fewest >= WRONG_IN[0][0]:
        share = [wrong for least, wrong in WRONG_IN if least <= fewest][-1]
        how = said("in up to {} % of tables", stated(share, "tables measured to be wrong"))
    told = "with {} {} intervals were measured to be wrong {}; they hold from about {} on"
    units = stated(int(fewest), "fewest units of a pair", noun=word)
    return (said(told, units, method, how, stated(enough, "units measured to be enough")),)


def _little_freedom(freedom: Floats) -> tuple[str, ...]:
    """Return what must be said of resamples within fixed tasks that know a variance so badly."""
    least = float(np.min(freedom, initial=np.inf))
    if least >= LEAST_FREEDOM:
        return ()
    told = (
        "within these tasks the variance of some pair has {} degrees of freedom; intervals were "
        "measured to hold from {} on"
    )
    enough = stated(LEAST_FREEDOM, "freedom measured to be enough", "g")
    return (said(told, stated(least, "least degrees of freedom", ".2g"), enough),)


Method: TypeAlias = Literal[
    "hoeffding", "bernstein", "normal", "wilson", "clopper-pearson", "percentile"
]
Simultaneous: TypeAlias = Literal["bonferroni", "max-t"]
Alternative: TypeAlias = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True)
class IntervalOptions:
    """How intervals are to be made; the names are those of `PairwiseIntervals.from_data`."""

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
        """The method, as notes name it."""
        return "max-t" if self.simultaneous == "max-t" else self.method


@dataclass(frozen=True, eq=False)
class PairBounds:
    """Lower and upper bounds of all pairs, their estimates, and what must be said."""

    mean: Floats
    n: Floats
    shares: Floats
    lower: Floats
    upper: Floats
    notes: tuple[str, ...] = ()


def bounds_of(
    units: Units | SummedUnits, options: IntervalOptions, resamples: Resamples | None = None
) -> PairBounds:
    """Return the bounds of all pairs: within [0, 1], and all of it where nothing was compared.

    Resamples are drawn where they are needed and not given.
    """
    n_pairs = len(units.pairs[0])
    if not n_pairs:
        nothing = np.zeros(0)
        return PairBounds(nothing, nothing, nothing, nothing, nothing)
    alpha = options.alpha / n_pairs if options.simultaneous == "bonferroni" else options.alpha
    if options.method in BINOMIAL:
        bounds = _binomial(units, options, alpha)
    elif options.method == "percentile":
        given = resamples if resamples is None else iter([(slice(None), resamples)])
        bounds = _by_resamples(units, options, alpha, given or resamples_of(units, options))
    else:
        bounds = _concentration(units, options, alpha)
    silent = bounds.n == 0
    lower = np.where(silent, 0.0, np.clip(bounds.lower, 0.0, 1.0))
    upper = np.where(silent, 1.0, np.clip(bounds.upper, 0.0, 1.0))
    if options.alternative == "greater":
        upper = np.ones_like(upper)
    elif options.alternative == "less":
        lower = np.zeros_like(lower)
    notes = (*bounds.notes, *units.notes)
    if silent.any():
        pairs = stated(int(silent.sum()), "pairs not told of", noun="pair", of=n_pairs)
        notes = (said("no {} tells of {}: the interval is [0, 1]", units.unit, pairs), *notes)
    return PairBounds(bounds.mean, bounds.n, bounds.shares, lower, upper, notes)


def resamples_of(
    units: Units | SummedUnits, options: IntervalOptions
) -> Iterator[tuple[slice, Resamples]]:
    """Draw units again, or groups of them where only their sums are known.

    Yields the means of some pairs after the others, or of all where one bound is for all together.
    """
    if isinstance(units, SummedUnits) and units.groups is None:
        raise InformationLostError(
            f"method={options.name!r} needs rankings; a ScoreSummary does not hold them. Take "
            f"'hoeffding', 'bernstein' or 'normal', {WITH_GROUPS}, or read the scores with "
            "`read_scores`."
        )
    rng = as_generator(options.rng)
    size = len(units.pairs[0])
    if options.simultaneous != "max-t":
        size = min(size, MEANS_HELD // options.n_resamples)
    yield from resampled_parts(units, options.n_resamples, rng, max(size, 1))


def _concentration(
    units: Units | SummedUnits, options: IntervalOptions, alpha: float
) -> PairBounds:
    moments = units.moments
    level: Any = _anytime_alpha(alpha, moments.n) if options.anytime else alpha
    if options.method == "hoeffding":
        return _symmetric(moments, radius_of_shares(moments.shares, level, options.sides))
    if units.is_weighted:
        allowed = "'hoeffding' or a bootstrap where units differ in weight"
        raise InvalidInputError("method", allowed, options.method)
    radius = _bernstein_radius(moments.variance, moments.n, alpha, options.sides)
    if options.method == "bernstein":
        return _symmetric(moments, radius)
    near = _is_near_normal(moments.mean, moments.variance, moments.n, alpha, options.sides)
    normal = _normal_radius(moments.variance, moments.n, alpha, options.sides)
    radius = np.where(near, normal, radius)
    far = int(((moments.n > 0) & ~near).sum())
    if not far:
        return _symmetric(moments, radius)
    note = (
        f"on {far} pair{'s' * (far > 1)} {units.unit}s are too few, or agree too nearly, for a "
        "normal interval at this level: the interval is that of method 'bernstein'"
    )
    return _symmetric(moments, radius, (note,))


def _symmetric(moments: Moments, radius: Floats, notes: tuple[str, ...] = ()) -> PairBounds:
    mean = moments.mean
    return PairBounds(mean, moments.n, moments.shares, mean - radius, mean + radius, notes)


def _binomial(units: Units | SummedUnits, options: IntervalOptions, alpha: float) -> PairBounds:
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
    # statsmodels leaves NaN where the bound is the end of the range.
    lower = np.where(first == 0, 0.0, lower)
    upper = np.where(second == 0, 1.0, upper)
    notes = _few_units(options.name, n, units.unit)
    if ties.any():
        many = stated(int(ties.sum()), "ties left out")
        notes = (said("{} {} left out", many, "tie was" if many == "1" else "ties were"), *notes)
    with np.errstate(divide="ignore"):
        return PairBounds(mean, n, np.where(n > 0, 1.0 / n, 0.0), lower, upper, notes)


def _by_resamples(
    units: Units | SummedUnits,
    options: IntervalOptions,
    alpha: float,
    parts: Iterator[tuple[slice, Resamples]],
) -> PairBounds:
    moments = units.moments
    varies, single = np.zeros((2, len(moments.mean)), dtype=bool)
    freedom = np.full(len(varies), np.inf)
    told = moments.n > 0
    agreed = told if units.groups is None else told & units.groups.agreed
    lower, upper = np.zeros_like(moments.mean), np.ones_like(moments.mean)
    # Values without known bounds, and tasks whose means may differ, refute nothing.
    is_refuting = units.is_bounded and not units.fixed_tasks
    if is_refuting:
        # By Markov's inequality a unit has the value c or more with a chance of mean/c at most, so
        # where all n units have it means below c alpha^(1/n) are refuted; likewise from above.
        together = len(lower) if options.simultaneous else 1
        root = (options.alpha / options.sides / together) ** (1.0 / moments.n[agreed])
        lower[agreed] = moments.mean[agreed] * root
        upper[agreed] = 1.0 - (1.0 - moments.mean[agreed]) * root
    is_joint, tail = options.simultaneous == "max-t", (alpha, options.sides)
    for part, resamples in parts:
        varies[part], single[part] = resamples.varies, resamples.single
        if resamples.freedom is not None:
            freedom[part] = resamples.freedom
        if not varies[part].any():
            continue
        some = resamples.take(varies[part])
        ends = some.max_t(alpha, options.alternative) if is_joint else some.percentile(*tail)
        lower[part][varies[part]], upper[part][varies[part]] = ends
    # Where all units agree the interval is exact, and so few are no harm.
    if len(units.stratum_weights) > 1:
        notes = list(_little_freedom(freedom[varies]))
    else:
        notes = list(_few_units(options.name, moments.n[varies], units.unit))
    if units.groups is not None:
        notes += few_groups(options.name, units.groups, moments.n, varies)
    tails = options.n_resamples * alpha / options.sides
    if options.simultaneous != "max-t" and tails < 5:
        beyond = stated(tails, "resamples beyond a bound", ".2g", "resample")
        notes.append(said("only {} to be expected beyond each bound: raise `n_resamples`", beyond))
    single &= told
    if single.any():
        drawn = units.unit if units.groups is None else "group of units"
        pairs = stated(int(single.sum()), "pairs with a single unit in a task", noun="pair")
        alone = (
            "on {} a fixed task has one {} alone, which does not tell how it varies: the interval "
            "is [0, 1]; leave such tasks out, or take 'hoeffding'"
        )
        notes.append(said(alone, pairs, drawn))
    for alike, who in ((agreed, "units"), (~agreed, "groups")):
        constant = int((told & ~varies & ~single & alike).sum())
        if constant:
            exact = who == "units" and is_refuting
            pairs = stated(constant, "pairs on which all agree", noun="pair")
            agree = (
                "all {} agree on {}, and so do resamples, which then say nothing about how certain "
                "that is: the interval is {}"
            )
            bound = "the exact one for units that agree" if exact else "[0, 1]"
            notes.append(said(agree, who, pairs, bound))
    return PairBounds(moments.mean, moments.n, moments.shares, lower, upper, tuple(notes))


def by_intervals(options: IntervalOptions, n_items: int) -> int | None:
    """Return the least T for which an interval of T units that all agree leaves 1/2 outside."""
    n_pairs = n_items * (n_items - 1) // 2
    if not n_pairs:
        return None
    if options.method == "percentile":
        return 2  # Resamples of one unit do not vary.
    alpha = options.alpha / (n_pairs if options.simultaneous else 1)

    def decides(units: int) -> bool:
        tail = alpha / options.sides
        if options.method == "clopper-pearson":
            return bool(tail ** (1.0 / units) > 0.5)
        if options.method == "wilson":
            return bool(units > scipy.stats.norm.isf(tail) ** 2)
        if options.method in ("bernstein", "normal"):
            found = bool(_bernstein_radius(0.0, units, alpha, options.sides) < 0.5)
            return found or (options.method == "normal" and _normal(units, alpha, options.sides))
        level = _anytime_alpha(alpha, units) if options.anytime else alpha
        return bool(radius_of_shares(1.0 / units, level, options.sides) < 0.5)

    return least_number(decides)


def _normal(units: int, alpha: float, sides: int) -> bool:
    """Say whether some mean and variance of so many units have a normal interval above 1/2."""
    if units < 2:
        return False
    mean = np.linspace(0.5, 1.0, 201)[1:-1, None]
    variance = mean * (1.0 - mean) * units / (units - 1) * np.geomspace(1e-6, 1.0, 200)
    outside = mean - _normal_radius(variance, units, alpha, sides) > 0.5
    return bool((outside & _is_near_normal(mean, variance, units, alpha, sides)).any())


# -- radii ----------------------------------------------------------------------------------------


def _log_per_bound(alpha: ArrayLike, sides: int, factor: float = 1.0) -> Floats:
    """Return log(factor sides / alpha)."""
    count = check_integer(sides, "sides", low=1, high=2)
    levels = np.asarray(alpha, dtype=np.float64)
    wrong = ~((levels > 0) & (levels < 1))
    if wrong.any():
        raise InvalidInputError("alpha", "numbers in (0, 1)", float(levels[wrong].flat[0]))
    logarithm: Floats = np.log(factor * count / levels)
    return logarithm


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

    Two tasks of 80 and 120 instances, of which the second counts three times as much:

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
        raise InvalidInputError("n", allowed, n, "Take more values or a larger `alpha`.")
    return radius


def radius_of_shares(shares: ArrayLike, alpha: ArrayLike, sides: int = 2) -> Floats:
    """Return Hoeffding's radius, of any size, by the sum of squared shares of the values."""
    radius: Floats = np.sqrt(_log_per_bound(alpha, sides) / 2.0 * np.asarray(shares))
    return radius


def hoeffding_p_value(mean: ArrayLike, shares: ArrayLike) -> Floats:
    """Return an upper bound of the chance of such a mean or more if it is 1/2 at most."""
    above = np.maximum(np.asarray(mean, dtype=np.float64) - 0.5, 0.0)
    p_value: Floats = np.exp(-2.0 * above**2 / np.asarray(shares))
    return p_value


def _bernstein_radius(
    variance: ArrayLike, n_units: ArrayLike, alpha: ArrayLike, sides: int = 2
) -> Floats:
    """Return the empirical Bernstein radius, infinite below 2 units.

    Maurer and Pontil (2009), "Empirical Bernstein bounds and sample variance penalization",
    theorem 4, https://doi.org/10.48550/arXiv.0907.3740.
    """
    size, log = np.asarray(n_units, dtype=np.float64), _log_per_bound(alpha, sides, 2.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        radius = np.sqrt(2.0 * np.asarray(variance) * log / size) + 7.0 * log / (3.0 * (size - 1.0))
    result: Floats = np.where(size < 2, np.inf, radius)
    return result


def _anytime_alpha(alpha: float, n: ArrayLike) -> Floats:
    """Return what of alpha is spent after n observations: 6 alpha/(pi^2 n^2), alpha in all.

    Bounds at these levels hold at all sample sizes at once, so one may look at any time.
    """
    size = np.maximum(np.asarray(n, dtype=np.float64), 1.0)
    return 6.0 * check_alpha(alpha) / (pi**2 * size**2)


def comparisons_needed(margin: float, alpha: float, *, n_items: int = 2) -> int:
    """Return how many comparisons decide a pair whose proportion is off 1/2 by a margin.

    Hoeffding's two-sided radius is no more than the margin from this number on.

    Parameters
    ----------
    margin : float
        Distance of the proportion from 1/2, above 0 and up to 1/2.
    alpha : float
        Probability of error, in (0, 1).
    n_items : int, default 2
        Decide all pairs of so many items at once, by Bonferroni.

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


def _normal_radius(variance: ArrayLike, n_units: ArrayLike, alpha: float, sides: int = 2) -> Floats:
    """Return the radius of the normal (Wald) interval, z sqrt(variance/n_units)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = np.sqrt(np.asarray(variance, dtype=np.float64) / np.asarray(n_units))
    radius: Floats = -scipy.special.ndtri(alpha / sides) * deviation
    return radius


def _largest_skewness(mean: ArrayLike, deviation: ArrayLike) -> Floats:
    """Return the largest absolute skewness of values in [0, 1], NaN where it is not known."""
    center, spread = np.asarray(mean, dtype=np.float64), np.asarray(deviation, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        # By the inequality of Cauchy and Schwarz: reached where values other than 0, or than 1,
        # are all the same.
        least = spread / center - center / spread
        largest = (1.0 - center) / spread - spread / (1.0 - center)
    skewness: Floats = np.maximum(np.abs(least), np.abs(largest))
    return skewness


def _is_near_normal(
    mean: ArrayLike, variance: ArrayLike, n_units: ArrayLike, alpha: float, sides: int = 2
) -> Bools:
    """Say where a mean, divided by its estimated error, is near enough to normal for a level.

    The first term of Edgeworth's expansion says that the tail of a studentized mean at z is off by
    a factor of about exp(z^3 |g| / (3 sqrt(n))), where g is the skewness; estimating the variance
    adds z^4/(2n) to the exponent. Of values in [0, 1] mean and variance bound the skewness; where
    all are 0 or 1 they determine it.

    Hall (1987), "Edgeworth expansion for Student's t statistic under minimal moment conditions",
    https://doi.org/10.1214/aop/1176992073.
    """
    center, n = np.asarray(mean, dtype=np.float64), np.asarray(n_units, dtype=np.float64)
    z = abs(float(scipy.special.ndtri(alpha / sides)))
    with np.errstate(divide="ignore", invalid="ignore"):
        skewness = _largest_skewness(center, np.sqrt(np.asarray(variance) * (n - 1.0) / n))
        error = z**3 * skewness / (3.0 * np.sqrt(n)) + z**4 / (2.0 * n)
        return error <= LIMITS[sides]
