"""The bootstrap over independent units: means of all pairs under resampled units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from rankagg._typing import Floats
from rankagg.inference.units import Block, Units

__all__ = ["Resamples", "resample_counts", "resampled_means"]

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
    """

    mean: Floats
    means: Floats
    skewness: Floats

    def percentile(self, delta: float, sides: int) -> tuple[Floats, Floats]:
        """Return the percentile interval of each mean."""
        tail = delta / sides
        low, high = np.nanquantile(self.means, [tail, 1.0 - tail], axis=0)
        return low, high

    def bca(self, delta: float, sides: int) -> tuple[Floats, Floats]:
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
        bias = stats.norm.ppf(share)
        tail = delta / sides
        bounds = [self._at(bias, stats.norm.ppf(level)) for level in (tail, 1.0 - tail)]
        return bounds[0], bounds[1]

    def _at(self, bias: Floats, normal: float) -> Floats:
        """Return each pair's own quantile of its resampled means."""
        shifted = bias + normal
        level = stats.norm.cdf(bias + shifted / (1.0 - self.skewness * shifted))
        columns = range(self.means.shape[1])
        return np.array([np.nanquantile(self.means[:, p], level[p]) for p in columns])

    def max_t(self, delta: float, sides: int) -> tuple[Floats, Floats, Floats]:
        """Return simultaneous intervals from the largest studentized deviation, and the radii.

        Pairs whose resampled means do not vary at all have no say and no width.
        """
        error = np.nanstd(self.means, axis=0, ddof=1)
        varies = error > 1e-12
        with np.errstate(invalid="ignore", divide="ignore"):
            deviation = (self.means - self.mean) / error
        deviation = np.where(varies, deviation, 0.0)
        deviation = np.abs(deviation) if sides == 2 else deviation
        largest = np.nanmax(deviation, axis=1)
        radius = np.quantile(largest, 1.0 - delta) * error
        return self.mean - radius, self.mean + radius, radius


def resampled_means(units: Units, n_resamples: int, rng: np.random.Generator) -> Resamples:
    """Draw units with replacement and take the mean of every pair, many times."""
    block = units.whole()
    present = ~np.isnan(block.values)
    values = np.where(present, block.values, 0.0)
    weights = block.weights[:, None]
    means = np.empty((n_resamples, values.shape[1]))
    size = max(1, CHUNK // len(values))
    for start in range(0, n_resamples, size):
        rows = slice(start, min(start + size, n_resamples))
        counts = resample_counts(block, rows.stop - rows.start, rng)
        means[rows] = _means(units, block, counts, values * weights, present * weights)
    mean = _means(units, block, block.counts[None, :], values * weights, present * weights)[0]
    # Influence of each unit on the mean, for the acceleration.
    influence = np.where(present, (values - mean) * weights, 0.0)
    squares = block.counts @ influence**2
    with np.errstate(invalid="ignore", divide="ignore"):
        skewness = np.where(squares > 0, block.counts @ influence**3 / (6.0 * squares**1.5), 0.0)
    return Resamples(mean, means, skewness)


def resample_counts(block: Block, times: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw how often each unit occurs in each resample, within its fixed task."""
    counts = np.zeros((times, len(block.counts)), dtype=np.int64)
    for s in np.unique(block.strata):
        inside = np.flatnonzero(block.strata == s)
        have = block.counts[inside]
        counts[:, inside] = rng.multinomial(int(have.sum()), have / have.sum(), size=times)
    return counts


def _means(
    units: Units, block: Block, counts: NDArray[np.generic], values: Floats, present: Floats
) -> Floats:
    total = np.zeros((len(counts), values.shape[1]))
    mass = np.zeros_like(total)
    for s, weight in enumerate(units.stratum_weights):
        inside = block.strata == s
        drawn = counts[:, inside].astype(np.float64)
        told = drawn @ present[inside]
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(told > 0, drawn @ values[inside] / told, 0.0)
        total += weight * mean
        mass += weight * (told > 0)
    with np.errstate(invalid="ignore"):
        means: Floats = np.where(mass > 0, total / mass, np.nan)
    return means
