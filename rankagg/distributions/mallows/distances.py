"""Distances of rankings to the center of a Mallows distribution, and their distributions.

Rankings are rows of places: the place of each item, with items in the order of the center. So the
center is 0, 1, ..., n - 1. The distances do not depend on labels, so that their distribution
depends only on the number of items and on theta.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache, lru_cache
from itertools import permutations
from math import factorial, inf, log
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import bernoulli, logsumexp

from rankagg._typing import Floats, Generator, Ranks
from rankagg._validation import check_integer, check_number
from rankagg.core import discordances
from rankagg.exceptions import InvalidInputError

DistanceName = Literal["kendall", "footrule", "spearman"]
# Below this j theta, series are exact to rounding and closed forms are not.
SERIES_BELOW = 0.5
EVEN = np.arange(2, 21, 2)
# B_2/2!, B_4/4!, ...
COEFFICIENTS = bernoulli(20)[2::2] / np.array([float(factorial(int(k))) for k in EVEN])
# Most items for counts of rankings by their distance.
MOST_FOOTRULE_COUNTED, MOST_SPEARMAN_COUNTED = 100, 8
# Most items whose subsets are enumerated.
MOST_IN_SETS = 16


class DistanceMoments(NamedTuple):
    """The logarithm of Z(theta) = sum exp(-theta d), and the mean and variance of d."""

    log_normalizer: float
    mean: float
    variance: float


class ModelDistance(ABC):
    """A distance to the center and its distribution, without state."""

    name: ClassVar[DistanceName]

    @abstractmethod
    def of(self, places: Ranks) -> Floats:
        """Return the distance of each row to the center."""

    @abstractmethod
    def log_counts(self, n: int) -> tuple[Floats, Floats]:
        """Return distances, and the log of the number of rankings at each.

        Raise if there are too many items to count.
        """

    @abstractmethod
    def moments(self, n: int, theta: float) -> DistanceMoments:
        """Return the normalizer, mean and variance."""

    def theta_at(self, n: int, mean: float, *, agree: float = 1e-12) -> float:
        """Return the theta with the given expected distance.

        0 if the distance is larger than at any theta, infinite if it is at most `agree`.
        """

        def excess(theta: float) -> float:
            return self.moments(n, theta).mean - mean

        if mean <= agree:
            return inf
        if excess(0.0) <= 1e-12 * max(n * n, 1):
            return 0.0
        high = 1.0
        while excess(high) > 0:
            high *= 2.0
        return float(brentq(excess, 0.0, high, xtol=1e-14, rtol=1e-14))

    @abstractmethod
    def sample(self, n: int, theta: float, size: int, rng: Generator) -> Ranks:
        """Draw rows of places."""

    def pairs(self, n: int, theta: float) -> Floats | None:
        """Return P(row before column) for items of the center; None without a closed form."""
        return None

    def places(self, n: int, theta: float) -> Floats | None:
        """Return P(item has place) for items of the center; None without a recursion."""
        return None


# -- Kendall --------------------------------------------------------------------------------------


class _KendallDistance(ModelDistance):
    """Number of discordant pairs."""

    name = "kendall"

    def of(self, places: Ranks) -> Floats:
        return discordances(places).astype(np.float64)

    def log_counts(self, n: int) -> tuple[Floats, Floats]:
        """Return the Mahonian numbers."""
        counts = kendall_distance_counts(n)
        return np.arange(len(counts), dtype=np.float64), np.array([log(x) for x in counts])

    def moments(self, n: int, theta: float) -> DistanceMoments:
        parts = (stage_log_normalizers, stage_means, _stage_variances)
        return DistanceMoments(*(float(part(np.arange(1, n + 1), theta).sum()) for part in parts))

    def sample(self, n: int, theta: float, size: int, rng: Generator) -> Ranks:
        """Draw by stages of insertion."""
        # A permutation and its inverse are equally probable, so orders are places.
        return _sample_orders(n, theta, size, rng).T

    def pairs(self, n: int, theta: float) -> Floats:
        """Return P(row before column) in closed form."""
        stays, table = pair_stays(n, theta), np.zeros((n, n))
        first, second = np.triu_indices(n, k=1)
        table[first, second] = stays[second - first]
        table[second, first] = 1.0 - stays[second - first]
        return table

    def places(self, n: int, theta: float) -> Floats:
        """Return P(item has place) by a recursion over the stages."""
        return _place_probabilities(n, theta)


def _sample_orders(n: int, theta: float, size: int, rng: Generator) -> Ranks:
    """Draw the item of the center at each place, shape (n, size).

    Stage k skips some of the n - k remaining items and places the next one. From the last stage to
    the first, the number of skipped items is inserted at the front, which raises the numbers at
    and above it.
    """
    stages = np.empty((n - 1, size), dtype=np.int32)
    for k in range(n - 1):
        left = n - k
        if theta == 0.0:
            stages[k] = rng.integers(0, left, size)
            continue
        # Invert P(v >= x) = (e^(-theta x) - e^(-theta left))/(1 - e^(-theta left)).
        with np.errstate(over="ignore"):
            tail = np.log1p(rng.random(size) * np.expm1(-theta * left))
        stages[k] = np.minimum(tail / -theta, left - 1)
    kind = np.int8 if n < 127 else np.int32
    orders = np.zeros((n, size), dtype=kind)
    for k in reversed(range(n - 1)):
        passed = stages[k].astype(kind)
        orders[k + 1 :] += orders[k + 1 :] >= passed
        orders[k] = passed
    return orders.astype(np.int32)


def _place_probabilities(n: int, theta: float) -> Floats:
    """Return the probability of every place for every item of the center, shape (n, n).

    An item with `a` remaining items before it is placed if `a` items are skipped. It has one fewer
    before it if a smaller number is skipped.
    """
    table = np.zeros((n, n))
    ahead = np.eye(n)  # P(item i remains, with a items before it)
    for k in range(n - 1):
        left = n - k
        weights = np.exp(-theta * np.arange(left))
        chance = weights / weights.sum()
        table[:, k] = ahead[:, :left] @ chance
        below = np.concatenate([[0.0], np.cumsum(chance)[:-1]])  # P(fewer than a are skipped)
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
        The exact number for each distance from 0 to n(n - 1)/2 (the Mahonian numbers).

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


def stage_log_normalizers(sizes: ArrayLike, theta: float) -> Floats:
    """Return log(1 + exp(-theta) + ... + exp(-(j - 1) theta)) for stages of j."""
    j = np.asarray(sizes, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.expm1(-j * theta) / np.expm1(-theta)
    return np.log(np.where(theta == 0, j, ratio))


def stage_means(sizes: ArrayLike, theta: float) -> Floats:
    """Return the expected values 1/(e^theta - 1) - j/(e^(j theta) - 1); (j - 1)/2 at 0."""
    j = np.asarray(sizes, dtype=np.float64)
    # x/(e^x - 1) = 1 - x/2 + sum_k B_2k x^2k/(2k)!
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        powers = theta ** (EVEN - 1) * (1.0 - j[..., None] ** EVEN)
        series = (j - 1.0) / 2.0 + (COEFFICIENTS * powers).sum(axis=-1)
        closed = 1.0 / np.expm1(theta) - j / np.expm1(j * theta)
        result: Floats = np.where(j * theta < SERIES_BELOW, series, closed)
    return result


def _stage_variances(sizes: ArrayLike, theta: float) -> Floats:
    """Return the variances of the stages; (j^2 - 1)/12 at 0."""
    j = np.asarray(sizes, dtype=np.float64)
    # Minus the derivative of the series of the mean.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        powers = (EVEN - 1) * theta ** (EVEN - 2) * (j[..., None] ** EVEN - 1.0)
        series = (COEFFICIENTS * powers).sum(axis=-1)
        closed = 0.25 / np.sinh(theta / 2.0) ** 2 - (j / 2.0 / np.sinh(j * theta / 2.0)) ** 2
        result: Floats = np.where(j * theta < SERIES_BELOW, series, closed)
    return result


def pair_stays(n_items: int, theta: float) -> Floats:
    """Return the probability that items k = 1 to n - 1 places apart keep their order.

    It is h(k + 1) - h(k), with h(k) = k/(1 - exp(-k theta)). Entry 0 is NaN.
    """
    # The mean of a stage of j is 1/(e^theta - 1) + j - h(j). So this is 1 plus a difference of two
    # means, which are exact at theta = 0 too.
    means = stage_means(np.arange(1, n_items + 1), theta)
    stays = np.full(n_items, np.nan)
    stays[1:] = 1.0 + means[:-1] - means[1:]
    return stays


def mallows_log_normalizer(n_items: int, theta: float) -> float:
    """Return the log of the sum of exp(-theta d) over permutations, d the Kendall distance.

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


# -- footrule -------------------------------------------------------------------------------------


class _FootruleDistance(ModelDistance):
    """Sum of the displacements of the items.

    Across the cut between ranks k and k + 1 as many items move down as up. With c open items and c
    open ranks the cut adds 2c to the distance. The next rank and item are matched to each other,
    to open ones, or stay open: c becomes c + 1 in one way, c in 2c + 1 ways, c - 1 in c^2 ways.

    Guay-Paquet and Petersen (2014), https://doi.org/10.37236/4214, for the generating function.
    """

    name = "footrule"

    def of(self, places: Ranks) -> Floats:
        apart = np.abs(places - np.arange(places.shape[1], dtype=np.float64))
        return np.asarray(apart.sum(axis=1))

    def log_counts(self, n: int) -> tuple[Floats, Floats]:
        """Return counts by paths of open items."""
        if n > MOST_FOOTRULE_COUNTED:
            allowed = f"{MOST_FOOTRULE_COUNTED} items at most to count rankings by their footrule"
            raise InvalidInputError("center", allowed, n)
        return _footrule_counts(n)

    def moments(self, n: int, theta: float) -> DistanceMoments:
        logs, means, variances = _empty_path(n), np.zeros(n // 2 + 1), np.zeros(n // 2 + 1)
        cut = 2.0 * np.arange(len(logs))
        for _ in range(n):
            ways = _extend_paths(logs)
            logs = logsumexp(ways, axis=0)
            # Mixture moments of the paths that meet in a state.
            shares = np.exp(ways - np.where(np.isfinite(logs), logs, 0.0))
            own = np.stack([_shifted(means, by, 0.0) for by in (1, 0, -1)])
            spread = np.stack([_shifted(variances, by, 0.0) for by in (1, 0, -1)])
            means = (shares * own).sum(axis=0)
            variances = (shares * (spread + (own - means) ** 2)).sum(axis=0)
            logs, means = logs - theta * cut, means + cut
        return DistanceMoments(float(logs[0]), float(means[0]), float(variances[0]))

    def sample(self, n: int, theta: float, size: int, rng: Generator) -> Ranks:
        """Draw a path of open items backwards, then match items with ranks."""
        path = _footrule_path(n, theta, size, rng)
        rows, places = np.arange(size), np.zeros((size, n), dtype=np.int32)
        items, ranks = np.zeros((2, size, n // 2 + 2), dtype=np.int32)
        for k in range(n):
            c, after = path[k], path[k + 1]
            one, other = ((rng.random(size) * np.maximum(c, 1)).astype(np.intp) for _ in range(2))
            kind = rng.random(size) * (2 * c + 1)
            down, up, stays = after < c, after > c, after == c
            alone = stays & (kind < 1)
            # Item k takes an open rank, or an open item takes rank k.
            item_joins = down | (stays & ~alone & (kind < 1 + c))
            rank_joins = down | (stays & ~alone & ~item_joins)
            places[alone, k] = k
            at = rows[item_joins]
            places[at, k] = ranks[at, one[at]]
            ranks[at, one[at]] = ranks[at, c[at] - 1]
            at = rows[rank_joins]
            places[at, items[at, other[at]]] = k
            items[at, other[at]] = items[at, c[at] - 1]
            at = rows[up | (rank_joins & ~down)]
            items[at, after[at] - 1] = k
            at = rows[up | (item_joins & ~down)]
            ranks[at, after[at] - 1] = k
        return places


def _empty_path(n: int) -> Floats:
    """Return the log number of paths of length 0 to each number of open items."""
    logs = np.full(n // 2 + 1, -np.inf)
    logs[0] = 0.0
    return logs


def _shifted(values: Floats, by: int, fill: float) -> Floats:
    """Return values shifted along the first axis."""
    moved = np.roll(values, by, axis=0)
    if by:
        moved[0 if by > 0 else -1] = fill
    return moved


def _extend_paths(logs: Floats) -> Floats:
    """Return log numbers of longer paths, from one open item fewer, as many, and one more."""
    open_items = np.arange(len(logs)).reshape(-1, *(1,) * (logs.ndim - 1))
    less, more = _shifted(logs, 1, -np.inf), _shifted(logs, -1, -np.inf)
    same = logs + np.log1p(2.0 * open_items)
    return np.stack([less, same, more + 2.0 * np.log1p(open_items)])


@cache
def _footrule_counts(n: int) -> tuple[Floats, Floats]:
    most = n * n // 4 + 1
    state = np.full((n // 2 + 1, most), -np.inf)
    state[0, 0] = 0.0
    for _ in range(n):
        state = np.logaddexp.reduce(_extend_paths(state), axis=0)
        for open_items in range(1, len(state)):
            state[open_items, open_items:] = state[open_items, : most - open_items]
            state[open_items, :open_items] = -np.inf
    return 2.0 * np.arange(most, dtype=np.float64), state[0]


def _footrule_path(n: int, theta: float, size: int, rng: Generator) -> Ranks:
    """Draw the number of open items after each rank, shape (n + 1, size)."""
    ways, logs = [], _empty_path(n)
    for _ in range(n):
        ways.append(_extend_paths(logs))
        logs = logsumexp(ways[-1], axis=0) - 2.0 * theta * np.arange(len(logs))
    path = np.zeros((n + 1, size), dtype=np.int32)
    for k in range(n - 1, 0, -1):
        to = path[k + 1]
        own = ways[k][:, to]
        shares = np.cumsum(np.exp(own - own.max(axis=0)), axis=0)
        path[k] = to - 1 + (rng.random(size) * shares[-1] >= shares[:2]).sum(axis=0)
    return path


# -- squared Spearman -----------------------------------------------------------------------------


class _SpearmanDistance(ModelDistance):
    """Sum of the squared displacements of the items; distributions by sums over subsets."""

    name = "spearman"

    def of(self, places: Ranks) -> Floats:
        apart = places - np.arange(places.shape[1], dtype=np.float64)
        return np.asarray((apart**2).sum(axis=1))

    def log_counts(self, n: int) -> tuple[Floats, Floats]:
        """Return counts over all rankings."""
        if n > MOST_SPEARMAN_COUNTED:
            allowed = f"{MOST_SPEARMAN_COUNTED} items at most to count rankings by squared Spearman"
            raise InvalidInputError("center", allowed, n)
        every = np.array(list(permutations(range(n))))
        distances, counts = np.unique(self.of(every), return_counts=True)
        return distances, np.log(counts)

    def moments(self, n: int, theta: float) -> DistanceMoments:
        one, first, second = _subset_sums(n, theta)[:, -1].tolist()
        mean = first / one
        return DistanceMoments(log(one), mean, max(second / one - mean**2, 0.0))

    def sample(self, n: int, theta: float, size: int, rng: Generator) -> Ranks:
        """Draw the places of the items one by one, from the last."""
        sums, places = _subset_sums(n, theta)[0], np.zeros((size, n), dtype=np.int32)
        left = np.full(size, (1 << n) - 1)
        bits = 1 << np.arange(n)
        for item in range(n - 1, -1, -1):
            ways = np.where((left[:, None] & bits) > 0, sums[left[:, None] & ~bits], 0.0)
            ways *= np.exp(-theta * (item - np.arange(n)) ** 2)
            shares = np.cumsum(ways, axis=1)
            at = (rng.random(size)[:, None] * shares[:, -1:] < shares).argmax(axis=1)
            places[:, item], left = at, left & ~bits[at]
        return places


@lru_cache(maxsize=64)
def _subset_sums(n: int, theta: float) -> Floats:
    """Return weighted sums of 1, d and d^2 for each set of places of the first items.

    The last set is of all places. Shape (3, 2^n).
    """
    if n > MOST_IN_SETS:
        allowed = f"{MOST_IN_SETS} items at most for the squared Spearman distance"
        raise InvalidInputError("center", allowed, n, "Kendall and footrule distances take more.")
    sums = np.zeros((3, 1 << n))
    sums[0, 0] = 1.0
    sets = np.arange(1 << n)
    sizes = sum((sets >> place) & 1 for place in range(n))
    for item in range(n):
        of_size = sets[sizes == item + 1]
        for place in range(n):
            into = of_size[(of_size >> place) & 1 == 1]
            one, first, second = sums[:, into ^ (1 << place)]
            far = float((item - place) ** 2)
            more = np.array([one, first + far * one, second + far * (2 * first + far * one)])
            sums[:, into] += np.exp(-theta * far) * more
    return sums


DISTANCES: dict[DistanceName, ModelDistance] = {
    distance.name: distance
    for distance in (_KendallDistance(), _FootruleDistance(), _SpearmanDistance())
}
