"""The bootstrap over independent units: means of all pairs under resampled units."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats
from rankagg.inference.intervals.freedom import freedom_of, joint_floor, widened
from rankagg.inference.units import Block, Units

__all__ = [
    "Resamples", "resample_counts", "resample_rows", "resampled_means", "stratified_means",
]  # fmt: skip

# Numbers that are drawn at one time.
CHUNK = 20_000_000


@dataclass(frozen=True, eq=False)
class Resamples:
    """Means of all pairs in the sample and in its resamples.

    Attributes
    ----------
    mean : ndarray of float, shape (p,)
        In the sample.
    means : ndarray of float, shape (B, p)
        In each resample; NaN where it holds no unit that tells of the pair.
    skewness : ndarray of float, shape (p,)
        The acceleration constant of BCa.
    freedom : ndarray of float, shape (p,), or None
        With several fixed tasks the degrees of freedom of the variance of each mean, 0 where some
        task has one unit alone that tells of the pair; its resampled means are all the same then.
        None where no tasks are fixed, or one.
    """

    mean: Floats
    means: Floats
    skewness: Floats
    freedom: Floats | None = None

    @cached_property
    def varies(self) -> Bools:
        """True for pairs of which different resamples say different things, shape (p,)."""
        seen = np.isfinite(self.means)
        low = np.where(seen, self.means, np.inf).min(axis=0)
        high = np.where(seen, self.means, -np.inf).max(axis=0)
        varies: Bools = high - low > 1e-12
        return varies

    def take(self, chosen: Bools) -> Resamples:
        """Return what is known of some of the pairs."""
        freedom = None if self.freedom is None else self.freedom[chosen]
        return Resamples(self.mean[chosen], self.means[:, chosen], self.skewness[chosen], freedom)

    @property
    def single(self) -> Bools:
        """True for pairs of which a fixed task has one unit alone that tells, shape (p,)."""
        none: Bools = np.zeros(len(self.mean), dtype=bool)
        return none if self.freedom is None else self.freedom == 0

    def percentile(self, alpha: float, sides: int) -> tuple[Floats, Floats]:
        """Return the percentile interval of each mean, with fixed tasks as wide as t makes it.

        References
        ----------
        Hesterberg (2015), "What teachers should know about the bootstrap",
        https://doi.org/10.1080/00031305.2015.1089789, for percentiles that t makes wider.
        """
        tail = alpha / sides
        low, high = np.nanquantile(self.means, [tail, 1.0 - tail], axis=0)
        if self.freedom is not None:
            normal = abs(float(scipy.stats.norm.isf(tail)))
            wider = widened(normal, self.freedom) / normal if normal > 0 else 1.0
            low, high = (self.mean + wider * (bound - self.mean) for bound in (low, high))
        return low, high

    def bca(self, alpha: float, sides: int) -> tuple[Floats, Floats]:
        """Return the bias-corrected and accelerated interval of each mean.

        References
        ----------
        Efron (1987), "Better bootstrap confidence intervals",
        https://doi.org/10.1080/01621459.1987.10478410.
        """
        valid = np.isfinite(self.means)
        close = valid & np.isclose(self.means, self.mean, rtol=0.0, atol=1e-12)
        below = (valid & ~close & (self.means < self.mean)).sum(axis=0)
        equal = close.sum(axis=0)
        total = np.maximum(valid.sum(axis=0), 1)
        share = np.clip((below + equal / 2.0) / total, 0.5 / total, 1.0 - 0.5 / total)
        bias = scipy.stats.norm.ppf(share)
        tail = alpha / sides
        bounds = [self._at(bias, scipy.stats.norm.ppf(level)) for level in (tail, 1.0 - tail)]
        return bounds[0], bounds[1]

    def _at(self, bias: Floats, normal: float) -> Floats:
        """Return each pair's own quantile of its resampled means."""
        shifted = bias + normal
        level = scipy.stats.norm.cdf(bias + shifted / (1.0 - self.skewness * shifted))
        columns = range(self.means.shape[1])
        return np.array([np.nanquantile(self.means[:, p], level[p]) for p in columns])

    def max_t(
        self, alpha: float, alternative: Literal["two-sided", "greater", "less"]
    ) -> tuple[Floats, Floats]:
        """Return simultaneous intervals from the largest studentized deviation.

        A lower bound alone (alternative "greater") must hold against resampled means that are too
        large, an upper one against those that are too small. A resample that tells nothing of a
        pair says nothing of how far it may be off. With several fixed tasks the quantile is made
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
            floor = joint_floor(alpha, 1 + (alternative == "two-sided"), self.freedom)
            quantile = widened(max(float(quantile), floor), self.freedom)
        radius = quantile * error
        return self.mean - radius, self.mean + radius


def resampled_means(units: Units, n_resamples: int, rng: np.random.Generator) -> Resamples:
    """Draw units with replacement and take the mean of every pair, many times.

    Of several fixed tasks each draws one unit less than it has: means of k draws of k units vary
    by (k - 1)/k of what means of k units do, and those of k - 1 draws by all of it.

    References
    ----------
    Rao and Wu (1988), "Resampling inference with complex survey data",
    https://doi.org/10.1080/01621459.1988.10478591.
    """
    fixed = len(units.stratum_weights) > 1
    block = units.whole()
    present = ~np.isnan(block.values)
    # Units that agree up to rounding agree.
    center = units.moments().mean
    same = np.abs(block.values - center) <= units.errors
    values = np.where(present, np.where(same, center, block.values), 0.0)
    weights = block.weights[:, None]
    means = np.empty((n_resamples, values.shape[1]))
    size = max(1, CHUNK // len(values))
    for start in range(0, n_resamples, size):
        rows = slice(start, min(start + size, n_resamples))
        times = rows.stop - rows.start
        counts = resample_counts(block.counts, block.strata, times, rng, one_less=fixed)
        means[rows] = _means(units, block, counts, values * weights, present * weights)
    mean = _means(units, block, block.counts[None, :], values * weights, present * weights)[0]
    # Influence of each unit on the mean, for the acceleration.
    influence = np.where(present, (values - mean) * weights, 0.0)
    squares = block.counts @ influence**2
    with np.errstate(invalid="ignore", divide="ignore"):
        skewness = np.where(squares > 0, block.counts @ influence**3 / (6.0 * squares**1.5), 0.0)
    if not fixed:
        return Resamples(mean, means, skewness)
    freedom = freedom_of(
        block.strata, units.stratum_weights, block.counts, values * weights, present * weights
    )
    means[:, freedom == 0] = mean[freedom == 0]
    return Resamples(mean, means, skewness, freedom)


def resample_counts(
    counts: Floats,
    strata: NDArray[np.intp],
    times: int,
    rng: np.random.Generator,
    *,
    one_less: bool = False,
) -> NDArray[np.int64]:
    """Draw how often each unit occurs in each resample, within its fixed task.

    Parameters
    ----------
    counts : ndarray of float, shape (u,)
        How often each unit was observed.
    strata : ndarray of int, shape (u,)
        Its fixed task.
    times : int
        Resamples.
    rng : numpy.random.Generator
        Where from.
    one_less : bool, default False
        Draw one unit less than a task has, but one at least.

    Returns
    -------
    ndarray of int64, shape (times, u)
    """
    drawn = np.zeros((times, len(counts)), dtype=np.int64)
    for s in np.unique(strata):
        inside = np.flatnonzero(strata == s)
        have = counts[inside]
        size = max(int(have.sum()) - one_less, 1)
        drawn[:, inside] = rng.multinomial(size, have / have.sum(), size=times)
    return drawn


def resample_rows(units: Units, times: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw how often each ranking occurs in each resample of the units, shape (times, m)."""
    if units.clusters is None:
        return resample_counts(units.counts, units.strata, times, rng)
    drawn = resample_counts(np.ones(units.n_units), units.unit_strata, times, rng)
    rows: NDArray[np.int64] = drawn[:, units.clusters] * units.counts.astype(np.int64)
    return rows


def _means(
    units: Units, block: Block, counts: NDArray[np.generic], values: Floats, present: Floats
) -> Floats:
    return stratified_means(block.strata, units.stratum_weights, counts, values, present)


def stratified_means(
    strata: NDArray[np.intp],
    stratum_weights: Floats,
    counts: NDArray[np.generic],
    values: Floats,
    present: Floats,
) -> Floats:
    """Return the mean of every pair in samples that hold rows so often.

    Parameters
    ----------
    strata : ndarray of int, shape (u,)
        The fixed task of each row.
    stratum_weights : ndarray of float, shape (s,)
        The weights of the fixed tasks.
    counts : ndarray, shape (B, u)
        How often each sample holds each row.
    values, present : ndarray of float, shape (u, p)
        Weighted values, 0 where a row does not tell, and the weight of what it tells.

    Returns
    -------
    ndarray of float, shape (B, p)
        NaN where no row tells.
    """
    total = np.zeros((len(counts), values.shape[1]))
    mass = np.zeros_like(total)
    for s, weight in enumerate(stratum_weights):
        inside = strata == s
        drawn = counts[:, inside].astype(np.float64)
        told = drawn @ present[inside]
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(told > 0, drawn @ values[inside] / told, 0.0)
        total += weight * mean
        mass += weight * (told > 0)
    with np.errstate(invalid="ignore"):
        means: Floats = np.where(mass > 0, total / mass, np.nan)
    return means
