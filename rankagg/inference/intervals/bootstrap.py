"""The bootstrap over independent units and groups of units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
import scipy
from numpy.random import Generator
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Integers64, Positions
from rankagg.core import rounding_error, said, stated
from rankagg.inference.units import DrawnRows, Units

if TYPE_CHECKING:
    from rankagg.inference.summed_units import SummedUnits

# So many degrees of freedom for each item tell how the means of all pairs hang together.
KNOWN_PER_ITEM = 2
#: From how many groups on intervals were measured to hold what they promise; see the page about
#: coverage. They are no proof for other data.
GROUPS_HOLD_FROM = {"percentile": 100, "max-t": 200}


def _freedom_of(rows: DrawnRows) -> Floats:
    """Return the degrees of freedom of the variance of each pair's mean over fixed tasks.

    Satterthwaite (1946), "An approximate distribution of estimates of variance components",
    https://doi.org/10.2307/3002019.
    """
    values, present = rows.first, rows.told
    n_pairs = values.shape[1]
    variance, doubt = np.zeros(n_pairs), np.zeros(n_pairs)
    single = np.zeros(n_pairs, dtype=bool)
    for s, weight in enumerate(rows.stratum_weights):
        inside = rows.strata == s
        often, value, told = rows.counts[inside], values[inside], present[inside]
        n, mass = often @ (told > 0), often @ told
        single |= n == 1
        more = np.maximum(n - 1.0, 1.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            residual = value - np.where(mass > 0, often @ value / mass, 0.0) * told
            spread = np.where(mass > 0, n / more * (often @ residual**2) / mass**2, 0.0)
        part = np.where(spread > rounding_error(1.0, len(values)) ** 2, weight**2 * spread, 0.0)
        variance += part
        doubt += part**2 / more
    freedom: Floats = np.full(n_pairs, np.inf)
    np.divide(variance**2, doubt, out=freedom, where=doubt > 0)
    freedom[single] = 0.0
    return freedom


def _widened(quantile: float, freedom: Floats) -> Floats:
    """Return the quantiles of Student's t that are as far out as one of the normal distribution."""
    known = (freedom > 0) & np.isfinite(freedom)
    wide = np.full(len(freedom), quantile)
    tail = scipy.stats.norm.sf(abs(quantile))
    wide[known] = np.copysign(scipy.stats.t.isf(tail, freedom[known]), quantile)
    return wide


def _joint_floor(alpha: float, sides: int, freedom: Floats) -> float:
    """Return the least normal quantile for the largest of some deviations: Bonferroni's.

    Few units of a task have few resamples, whose largest deviation is bounded; then they do not
    tell how far out it may be.
    """
    items = np.sqrt(2.0 * len(freedom))
    if freedom.min() >= KNOWN_PER_ITEM * items:
        return -np.inf
    return float(scipy.stats.norm.isf(alpha / sides / len(freedom)))


# Numbers that are drawn at one time, about, and resampled means that are held.
DRAWN_AT_ONCE, MEANS_HELD = 20_000_000, 4_000_000


@dataclass(frozen=True, eq=False)
class Resamples:
    """Means of all pairs in the sample and in its resamples."""

    # Shape (p,). In the sample.
    mean: Floats
    # Shape (B, p). In each resample; NaN where it holds no unit that tells of the pair.
    means: Floats
    # Shape (p,). With several fixed tasks the degrees of freedom of the variance of each mean, 0
    # where some task has one unit alone that tells of the pair; its resampled means are all the
    # same then. None where no tasks are fixed, or one.
    freedom: Floats | None = None

    @property
    def single(self) -> Bools:
        """True for pairs of which a fixed task has one unit alone that tells, shape (p,)."""
        return np.zeros(len(self.mean), dtype=bool) if self.freedom is None else self.freedom == 0

    @cached_property
    def varies(self) -> Bools:
        """True for pairs of which different resamples say different things, shape (p,)."""
        seen = np.isfinite(self.means)
        low = np.where(seen, self.means, np.inf).min(axis=0)
        return np.asarray(np.where(seen, self.means, -np.inf).max(axis=0) - low > 1e-12)

    def take(self, chosen: Bools, kept: Bools | bool = True) -> Resamples:
        """Return what is known of some of the pairs, of second against first where not kept."""
        mean, means = (
            np.where(kept, part, 1.0 - part) for part in (self.mean[chosen], self.means[:, chosen])
        )
        freedom = None if self.freedom is None else self.freedom[chosen]
        return Resamples(mean, means, freedom)

    def percentile(self, alpha: float, sides: int) -> tuple[Floats, Floats]:
        """Return the percentile interval of each mean, with fixed tasks as wide as t makes it.

        References
        ----------
        Hesterberg (2015), "What teachers should know about the bootstrap",
        https://doi.org/10.1080/00031305.2015.1089789, for percentiles that t makes wider.
        """
        tail = alpha / sides
        # The other one goes through pairs one by one.
        quantile = np.quantile if np.isfinite(self.means).all() else np.nanquantile
        low, high = quantile(self.means, [tail, 1.0 - tail], axis=0)
        if self.freedom is not None:
            normal = abs(float(scipy.stats.norm.isf(tail)))
            wider = _widened(normal, self.freedom) / normal if normal > 0 else 1.0
            low, high = (self.mean + wider * (bound - self.mean) for bound in (low, high))
        return low, high

    def max_t(
        self, alpha: float, alternative: Literal["two-sided", "greater", "less"]
    ) -> tuple[Floats, Floats]:
        """Return simultaneous intervals from the largest studentized deviation.

        A lower bound alone (alternative "greater") must hold against resampled means that are too
        large, an upper one against those that are too small. A resample that tells nothing about a
        pair says nothing about how far it may be off. With several fixed tasks the quantile is made
        one of Student's t that is as far out, and where degrees of freedom are few Bonferroni's.
        """
        error = np.nanstd(self.means, axis=0, ddof=1)
        deviation = (self.means - self.mean) / error
        deviation = np.where(np.isnan(deviation), 0.0, deviation)
        if alternative == "two-sided":
            deviation = np.abs(deviation)
        elif alternative == "less":
            deviation = -deviation
        quantile = np.quantile(deviation.max(axis=1), 1.0 - alpha)
        if self.freedom is not None:
            floor = _joint_floor(alpha, 1 + (alternative == "two-sided"), self.freedom)
            quantile = _widened(max(float(quantile), floor), self.freedom)
        radius = quantile * error
        return self.mean - radius, self.mean + radius


def resampled_parts(
    units: Units | SummedUnits, n_resamples: int, rng: Generator, size: int
) -> Iterator[tuple[slice, Resamples]]:
    """Draw units, or groups, with replacement, and yield the means of `size` pairs at a time.

    Of several fixed tasks each draws one row less than it has: means of k draws of k units vary
    by (k - 1)/k of what means of k units do, and those of k - 1 draws by all of it. The mean is a
    ratio of sums over groups, so only their number must be large, however many units each has.

    Rao and Wu (1988), "Resampling inference with complex survey data",
    https://doi.org/10.1080/01621459.1988.10478591; for whole groups Field and Welsh (2007),
    "Bootstrapping clustered data", https://doi.org/10.1111/j.1467-9868.2007.00593.x.
    """
    rows, n_pairs = units.drawn_rows(), len(units.pairs[0])
    fixed = len(rows.stratum_weights) > 1
    drawn: Iterable[Integers64] = (
        resample_counts(
            rows.counts, rows.strata, min(part.stop, n_resamples) - part.start, rng, one_less=fixed
        )
        for part in _slices_held(n_resamples, len(rows.first))
    )
    if n_pairs > size:
        drawn = list(drawn)
    for start in range(0, max(n_pairs, 1), size):
        part = slice(start, start + size)
        some = rows._replace(first=rows.first[:, part], told=rows.told[:, part])
        yield part, _means_of(some, drawn, n_resamples)


def _means_of(rows: DrawnRows, drawn: Iterable[Integers64], n_resamples: int) -> Resamples:
    means, done = np.empty((n_resamples, rows.first.shape[1])), 0
    for counts in drawn:
        means[done : done + len(counts)] = _stratified_means(rows, counts)
        done += len(counts)
    mean = _stratified_means(rows, rows.counts[None, :])[0]
    if len(rows.stratum_weights) < 2:
        return Resamples(mean, means)
    freedom = _freedom_of(rows)
    means[:, freedom == 0] = mean[freedom == 0]
    return Resamples(mean, means, freedom)


def resample_counts(
    counts: Floats, strata: Positions, times: int, rng: Generator, *, one_less: bool = False
) -> Integers64:
    """Draw how often each unit occurs in each resample, within its fixed task."""
    drawn = np.zeros((times, len(counts)), dtype=np.int64)
    for s in np.unique(strata):
        inside = np.flatnonzero(strata == s)
        have = counts[inside]
        size = max(int(have.sum()) - one_less, 1)
        drawn[:, inside] = rng.multinomial(size, have / have.sum(), size=times)
    return drawn


def resample_rows(units: Units, times: int, rng: Generator) -> Integers64:
    """Draw how often each ranking occurs in each resample of the units, shape (times, m)."""
    if units.clusters is None:
        return resample_counts(units.counts, units.strata, times, rng)
    drawn = resample_counts(np.ones(units.n_units), units.unit_strata, times, rng)
    return drawn[:, units.clusters] * units.counts.astype(np.int64)


def _stratified_means(rows: DrawnRows, counts: NDArray[np.generic]) -> Floats:
    """Return the mean of every pair in samples that hold rows so often."""
    total = np.zeros((len(counts), rows.first.shape[1]))
    mass = np.zeros_like(total)
    for s, weight in enumerate(rows.stratum_weights):
        inside = rows.strata == s
        drawn = counts[:, inside].astype(np.float64)
        mean, told = _means_told(drawn, rows.first[inside], rows.told[inside])
        total += weight * mean
        mass += weight * told
    with np.errstate(invalid="ignore"):
        means: Floats = np.where(mass > 0, total / mass, np.nan)
    return means


def few_groups(method: str, groups: DrawnRows, n: Floats, varies: Bools) -> tuple[str, ...]:
    """Return a note where fewer groups were drawn than intervals were measured to need."""
    telling, enough = (groups.told > 0).sum(axis=0), GROUPS_HOLD_FROM[method]
    rough = varies & (telling < enough) & (telling < n)
    if not rough.any():
        return ()
    told = (
        "resamples draw groups, and {} tell of some pair: {} intervals were measured to hold from "
        "about {} on"
    )
    least = int(telling[rough].min())
    return (said(told, stated(least, "fewest groups of a pair"), method, enough),)


def _slices_held(length: int, width: int) -> Iterator[slice]:
    """Yield parts of so many rows that they can be held."""
    size = max(1, DRAWN_AT_ONCE // width)
    return (slice(start, start + size) for start in range(0, length, size))


def _means_told(often: Floats, values: Floats, told: Floats) -> tuple[Floats, Bools]:
    """Return the mean of every pair in samples of rows, 0 where none tells, and where some do."""
    mass = often @ told
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(mass > 0, often @ values / mass, 0.0), mass > 0
