"""Sign flips of single pairs: p-values of mean differences, and the intervals that go with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankagg._typing import Floats
from rankagg.core.arithmetic.exact_sum import rounding_error

__all__ = ["EXACT", "FlipTests", "flip_tests"]

# Sign vectors that are gone through at least, where these are all there are.
EXACT = 4096
# Numbers held at one time, about.
BLOCK = 4_000_000


@dataclass(frozen=True, eq=False)
class FlipTests:
    """What sign flips say of the mean difference of p pairs.

    Attributes
    ----------
    mean, p_value, lower, upper : ndarray of float, shape (p,)
        The weighted mean difference (NaN where no unit tells, 0 up to rounding), its two-sided
        p-value, and its interval, infinite where so few units exclude nothing.
    n_vectors : int
        Sign vectors that were gone through, that observed among them.
    is_exact : bool
        True where these are all there are, but for the opposite ones.
    """

    mean: Floats
    p_value: Floats
    lower: Floats
    upper: Floats
    n_vectors: int
    is_exact: bool

    def of(self, pair: int) -> tuple[float, float, float, float, bool, int]:
        """Return mean, ends, p-value, whether it is exact, and the direction, of one pair."""
        mean, ends = float(self.mean[pair]), (float(self.lower[pair]), float(self.upper[pair]))
        direction = int(mean > 0) - int(mean < 0)
        return mean, *ends, float(self.p_value[pair]), self.is_exact, direction


def flip_tests(
    differences: Floats,
    weights: Floats,
    alpha: float,
    n_vectors: int,
    rng: np.random.Generator,
    *,
    sizes: Floats | None = None,
) -> FlipTests:
    """Compare mean differences with what they would be under other signs of whole units.

    Parameters
    ----------
    differences : ndarray of float, shape (u, p)
        One for each unit and pair; NaN where the unit does not tell.
    weights : ndarray of float, shape (u,)
        The weights of the units.
    alpha : float
        Probability that an interval misses.
    n_vectors : int
        Sign vectors to draw where there are more, that observed among them.
    rng : numpy.random.Generator
        Where from.
    sizes : ndarray of float, shape (u, p), optional
        How large the numbers are whose differences these are; by default the differences.

    Returns
    -------
    FlipTests

    Notes
    -----
    With signs s and weights w, a center c of the differences d is rejected where
    abs(sum s w (d - c)) reaches abs(sum w (d - c)) for a share of alpha of all s at most. For one s
    that holds between the mean of the units that are turned and the mean of those that are not, so
    the interval ends at quantiles of such means and holds exactly what the test does not reject. It
    is exact for independent units whose differences are symmetric about their center (Hartigan
    1969). With drawn signs the observed ones count as one of them.

    References
    ----------
    Hartigan (1969), "Using subsample values as typical values",
    https://doi.org/10.1080/01621459.1969.10501057.
    """
    told = ~np.isnan(differences)
    weight = told * weights[:, None]
    values = np.where(told, differences, 0.0) * weights[:, None]
    total, mass = values.sum(axis=0), weight.sum(axis=0)
    terms = np.where(told, np.abs(differences if sizes is None else sizes), 0.0)
    least = rounding_error((terms * weights[:, None]).sum(axis=0), len(differences))
    signs = _Signs(len(differences), n_vectors, rng)
    width = values.shape[1]
    reached = np.zeros(width)
    ends = np.empty((2, signs.n_vectors, width))
    start = 0
    for block in signs.blocks():
        rows = slice(start, start + len(block))
        start = rows.stop
        turned_sum, turned_mass = block @ values, block @ weight
        reached += (np.abs(turned_sum) >= np.abs(total) - 2.0 * least).sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            stay = (total + turned_sum) / (mass + turned_mass)
            turned = (total - turned_sum) / (mass - turned_mass)
        # All of a pair on one side: every center is as likely.
        whole = (mass - np.abs(turned_mass)) <= rounding_error(mass, len(differences))
        ends[0, rows] = np.where(whole, -np.inf, np.minimum(stay, turned))
        ends[1, rows] = np.where(whole, np.inf, np.maximum(stay, turned))
    cut = int(np.floor(alpha * signs.n_vectors + 1e-9))
    lower = np.partition(ends[0], cut, axis=0)[cut]
    upper = np.partition(ends[1], signs.n_vectors - 1 - cut, axis=0)[signs.n_vectors - 1 - cut]
    with np.errstate(invalid="ignore"):
        mean = np.where(np.abs(total) <= least, 0.0, total) / mass
    return FlipTests(mean, reached / signs.n_vectors, lower, upper, signs.n_vectors, signs.is_exact)


class _Signs:
    """All sign vectors of so many units, but for the opposite ones, or some that are drawn."""

    def __init__(self, n_units: int, n_vectors: int, rng: np.random.Generator) -> None:
        self.n_units, self.rng = n_units, rng
        self.free = max(n_units - 1, 0)
        self.is_exact = 2.0 ** min(self.free, 64) <= max(EXACT, n_vectors)
        self.n_vectors = 2**self.free if self.is_exact else n_vectors

    def blocks(self) -> Iterator[Floats]:
        """Go through sign vectors, shape (some, u); the first one is that observed."""
        size = max(1, BLOCK // max(self.n_units, 1))
        for start in range(0, self.n_vectors, size):
            stop = min(start + size, self.n_vectors)
            signs = np.ones((stop - start, self.n_units))
            if self.is_exact:
                number = np.arange(start, stop)[:, None]
                signs[:, 1:] = 1.0 - 2.0 * ((number >> np.arange(self.free)) & 1)
            else:
                bits = np.frombuffer(self.rng.bytes(signs.size), dtype=np.uint8)
                signs = 1.0 - 2.0 * (bits & 1).reshape(signs.shape)
                if start == 0:
                    signs[0] = 1.0
            yield signs
