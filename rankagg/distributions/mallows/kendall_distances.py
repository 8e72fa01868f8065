"""Kendall distances under Mallows: stages of insertion, their moments, counts and normalizers."""

from __future__ import annotations

from collections.abc import Iterable
from math import factorial

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bernoulli

from rankagg._typing import Floats, Generator, Label, Ranks
from rankagg._validation import check_integer, check_number
from rankagg.core import PartialRanking, Permutation
from rankagg.exceptions import Described, InvalidInputError

# Of series in j theta: below this they are exact to rounding and closed forms are not.
SERIES_BELOW = 0.5
EVEN = np.arange(2, 21, 2)
# B_2/2!, B_4/4!, ...
COEFFICIENTS = bernoulli(20)[2::2] / np.array([float(factorial(int(k))) for k in EVEN])


def discordant_pairs(places: NDArray[np.integer]) -> Floats:
    """Return for each row how many pairs have the later item at the smaller place."""
    found = np.zeros(len(places))
    for j in range(1, places.shape[1]):
        found += (places[:, :j] > places[:, [j]]).sum(axis=1)
    return found


def sample_stages(thetas: Floats, size: int, rng: Generator) -> NDArray[np.int32]:
    """Draw how many items each stage passes over, many times."""
    n = len(thetas) + 1
    stages = np.empty((n - 1, size), dtype=np.int32)
    for k, theta in enumerate(thetas):
        left = n - k
        if theta == 0.0:
            stages[k] = rng.integers(0, left, size)
            continue
        # Invert P(v >= x) = (e^(-theta x) - e^(-theta left))/(1 - e^(-theta left)).
        with np.errstate(over="ignore"):
            tail = np.log1p(rng.random(size) * np.expm1(-theta * left))
        stages[k] = np.minimum(tail / -theta, left - 1)
    return stages


def orders_from_stages(stages: NDArray[np.integer]) -> Ranks:
    """Return which item of the center is at each place, shape (n, size).

    Read from the last place to the first, place k takes the item with v unplaced ones before it:
    inserting that number at the front raises those at and above it.
    """
    n, size = len(stages) + 1, stages.shape[1]
    kind = np.int8 if n < 127 else np.int32
    orders = np.zeros((n, size), dtype=kind)
    for k in reversed(range(n - 1)):
        passed = stages[k].astype(kind)
        orders[k + 1 :] += orders[k + 1 :] >= passed
        orders[k] = passed
    return orders.astype(np.int32)


def choice_probabilities(theta: float, left: int) -> Floats:
    """Return the probabilities of passing over 0 to left - 1 items."""
    weights = np.exp(-theta * np.arange(left))
    chances: Floats = weights / weights.sum()
    return chances


def place_probabilities(thetas: Floats) -> Floats:
    """Return the chance of every place for every item of the center, shape (n, n).

    An item with a items before it that are left is chosen with the chance of passing over a; it
    has one fewer before it where a smaller number is passed over.
    """
    n = len(thetas) + 1
    table = np.zeros((n, n))
    ahead = np.eye(n)  # P(item i is left, with a items before it)
    for k in range(n - 1):
        left = n - k
        chance = choice_probabilities(thetas[k], left)
        table[:, k] = ahead[:, :left] @ chance
        below = np.concatenate([[0.0], np.cumsum(chance)[:-1]])  # P(fewer than a are passed)
        above = 1.0 - np.cumsum(chance)
        moved = np.zeros((n, n))
        moved[:, : left - 1] = ahead[:, 1:left] * below[1:]
        moved[:, :left] += ahead[:, :left] * above
        ahead = moved
    table[:, n - 1] = ahead[:, 0]
    return table


def kendall_distance_counts(n_items: int) -> list[int]:
    """Count the permutations at every Kendall distance from a given one.

    Parameters
    ----------
    n_items : int
        At least 1.

    Returns
    -------
    list of int
        For each distance from 0 to n(n - 1)/2 the exact number (the Mahonian numbers).

    Examples
    --------
    >>> from rankagg.distributions import kendall_distance_counts
    >>> kendall_distance_counts(4)
    [1, 3, 5, 6, 5, 3, 1]
    """
    n = check_integer(n_items, "n_items", low=1)
    counts = [1]
    for size in range(2, n + 1):
        # Multiply by 1 + x + ... + x^(size - 1).
        total, longer = 0, []
        for d in range(len(counts) + size - 1):
            total += counts[d] if d < len(counts) else 0
            total -= counts[d - size] if d >= size else 0
            longer.append(total)
        counts = longer
    return counts


def stage_log_normalizers(sizes: ArrayLike, thetas: ArrayLike) -> Floats:
    """Return log(1 + exp(-theta) + ... + exp(-(j - 1) theta)) for stages of sizes j."""
    j, theta = _broadcast(sizes, thetas)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.expm1(-j * theta) / np.expm1(-theta)
    result: Floats = np.log(np.where(theta == 0, j, ratio))
    return result


def stage_means(sizes: ArrayLike, thetas: ArrayLike) -> Floats:
    """Return the expected values 1/(e^theta - 1) - j/(e^(j theta) - 1); (j - 1)/2 at 0."""
    j, theta = _broadcast(sizes, thetas)
    # x/(e^x - 1) = 1 - x/2 + sum_k B_2k x^2k/(2k)!
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        powers = theta[..., None] ** (EVEN - 1) * (1.0 - j[..., None] ** EVEN)
        series = (j - 1.0) / 2.0 + (COEFFICIENTS * powers).sum(axis=-1)
        closed = 1.0 / np.expm1(theta) - j / np.expm1(j * theta)
    with np.errstate(over="ignore"):
        result: Floats = np.where(j * theta < SERIES_BELOW, series, closed)
    return result


def stage_variances(sizes: ArrayLike, thetas: ArrayLike) -> Floats:
    """Return the variances; (j^2 - 1)/12 at 0."""
    j, theta = _broadcast(sizes, thetas)
    # The derivative of the series of the mean, with its sign turned.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        powers = (EVEN - 1) * theta[..., None] ** (EVEN - 2) * (j[..., None] ** EVEN - 1.0)
        series = (COEFFICIENTS * powers).sum(axis=-1)
        closed = 0.25 / np.sinh(theta / 2.0) ** 2 - (j / 2.0 / np.sinh(j * theta / 2.0)) ** 2
    with np.errstate(over="ignore"):
        result: Floats = np.where(j * theta < SERIES_BELOW, series, closed)
    return result


def _broadcast(sizes: ArrayLike, thetas: ArrayLike) -> tuple[Floats, Floats]:
    j, theta = np.broadcast_arrays(
        np.asarray(sizes, dtype=np.float64), np.asarray(thetas, dtype=np.float64)
    )
    return j, theta


def pair_stays(n_items: int, theta: float) -> Floats:
    """Return the chance that two items, 1 to n - 1 places apart, stay in the order of the center.

    It is h(k + 1) - h(k) for k places, with h(k) = k/(1 - exp(-k theta)), and depends on nothing
    else. Entry 0 is NaN.
    """
    # The mean of a stage of j is 1/(e^theta - 1) + j - h(j), so this is one more than the
    # difference of two means, which are exact at theta = 0 too.
    means = stage_means(np.arange(1, n_items + 1), theta)
    stays: Floats = np.full(n_items, np.nan)
    stays[1:] = 1.0 + means[:-1] - means[1:]
    return stays


def mallows_log_normalizer(n_items: int, theta: float) -> float:
    """Return the log of the sum of exp(-theta d) over all permutations, d the Kendall distance.

    Parameters
    ----------
    n_items : int
        At least 1.
    theta : float
        The dispersion parameter, not negative; phi = exp(-theta). The result is log n! at 0.

    Examples
    --------
    >>> from rankagg.distributions import mallows_log_normalizer
    >>> round(mallows_log_normalizer(10, 0.3), 9)
    9.696410084
    """
    n = check_integer(n_items, "n_items", low=1)
    at = check_number(theta, "theta", low=0)
    return float(stage_log_normalizers(np.arange(1, n + 1), at).sum())


def as_center(
    center: PartialRanking | Iterable[Label], items: Iterable[Label] | None = None
) -> Permutation:
    """Return a center as a complete strict ranking."""
    if isinstance(center, PartialRanking):
        if not isinstance(center, Permutation):
            allowed = "complete and strict"
            remedy = "Break the ties first: a tied center is several distributions."
            raise InvalidInputError("center", allowed, Described(repr(center)), remedy)
        return center
    return Permutation.from_order(center, items=items)
