"""What independent units say of each pair together: number, mean, variance and asymmetry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankagg._typing import Floats, Label
from rankagg.core.arithmetic.exact_sum import rounding_error

__all__ = ["Moments", "PairSums", "asymmetry_note", "moments_of"]

# Differences that asymmetry is looked for in at most, and how often their signs are turned.
LOOKED_AT, TIMES = 200_000, 256
# Numbers held at one time, about.
BLOCK = 1_000_000
# The share of tables of symmetric differences that are called asymmetric, about, and the distance
# of the middle from the mean, as a share of the mean, that does no harm.
LEVEL, NEAR = 0.02, 0.25


class PairSums(NamedTuple):
    """Sums over the units of each stratum; arrays of shape (s, p)."""

    # Number, weight and squared weight of the units that tell of each pair.
    n: Floats
    mass: Floats
    squared_mass: Floats
    # Weighted sums of their values and of the squares of these.
    first: Floats
    second: Floats


@dataclass(frozen=True, eq=False)
class Moments:
    """What all units together say of each pair; arrays of shape (p,)."""

    # Units that tell something of the pair.
    n: Floats
    # Weighted mean value; NaN where n is 0.
    mean: Floats
    # Unbiased sample variance of the values; NaN where n is less than 2 or units are weighted.
    variance: Floats
    # Sum of the squared shares that the units have in the mean: 1/n where all weigh the same.
    shares: Floats


def moments_of(sums: PairSums, stratum_weights: Floats, *, is_weighted: bool) -> Moments:
    """Return the moments that sums over units make."""
    n, mass, squared_mass, first, second = sums
    share = stratum_weights[:, None] * (n > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = share / share.sum(axis=0)
        means = np.where(n > 0, first / mass, 0.0)
        mean = (share * means).sum(axis=0)
        shares = (share**2 * np.where(n > 0, squared_mass / mass**2, 0.0)).sum(axis=0)
        total = n.sum(axis=0)
        spread = np.maximum((second / mass).sum(axis=0) - mean**2, 0.0)
        variance = np.where(total > 1, spread * total / (total - 1), np.nan)
    if is_weighted:
        variance = np.full_like(mean, np.nan)
    return Moments(total, mean, variance, shares)


def asymmetry_note(
    differences: Floats, pairs: Sequence[tuple[Label, Label]], remedy: str
) -> tuple[str, ...]:
    """Return a note where differences contradict that those of each pair are symmetric.

    The mean of the middle half of the differences of a pair is held against the mean of all, in
    standard deviations; the sum of the squares of all pairs against those under other signs of
    whole units, turned about the middle. Large differences stay large under all signs, so that
    heavy tails and tasks on different scales are no contradiction.
    """
    step = max(1, -(-differences.size // LOOKED_AT))
    told = differences[:, ::step].T
    if not 0 < told.size <= LOOKED_AT:
        return ()
    there, error = ~np.isnan(told), rounding_error(1.0, len(differences))
    told = np.where(there, told, 0.0)
    told = told / (np.abs(told).max(axis=1, keepdims=True) + (told == 0).all(axis=1)[:, None])
    means = told.sum(axis=1, keepdims=True) / np.fmax(there.sum(axis=1, keepdims=True), 1)
    rows = np.where(there, told - means, 0.0)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(TIMES, len(differences)))
    signs[0] = 1.0
    middle = _middle(rows)
    turned, many = rows - middle[:, None], max(1, BLOCK // rows.size)
    parts = (signs[start : start + many, None] for start in range(0, TIMES, many))
    lean = np.concatenate([_lean(turned * part) for part in parts])
    sums = (lean**2).sum(axis=1)
    pair = int(np.argmax(np.abs(lean[0])))
    if (sums >= sums[0] - error).mean() > LEVEL or abs(middle[pair]) <= NEAR * abs(means[pair, 0]):
        return ()
    first, second = pairs[pair * step]
    above, below = ((sign * rows[pair] > error).sum() for sign in (1.0, -1.0))
    return (
        f"the differences are not symmetric, as the level assumes: of {first} less {second} "
        f"{above} lie above their mean and {below} below it, so that decisions may be wrong more "
        f"often than they say; {remedy}",
    )


def _middle(values: Floats) -> Floats:
    """Return the mean of the middle half of each row."""
    n = values.shape[-1]
    parts = np.partition(values, [n // 4, n - 1 - n // 4], axis=-1)
    means: Floats = parts[..., n // 4 : n - n // 4].mean(axis=-1)
    return means


def _lean(values: Floats) -> Floats:
    """Return for each row how far the middle is from the mean, in standard deviations."""
    off, spread = _middle(values) - values.mean(axis=-1), values.std(axis=-1)
    lean: Floats = off / np.where(spread > rounding_error(1.0), spread, np.inf)
    return lean
