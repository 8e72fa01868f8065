"""Two distances that sum over items how far each is displaced: footrule, Spearman."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from math import lgamma, log

import numpy as np
from scipy.special import logsumexp

from rankagg._typing import Floats, Generator, Ranks
from rankagg.distributions.base import all_places
from rankagg.distributions.mallows.model_distances import (
    CayleyDistance,
    DistanceMoments,
    DistanceName,
    HammingDistance,
    KendallDistance,
    ModelDistance,
    UlamDistance,
)
from rankagg.exceptions import InvalidInputError

# Items whose displacements are counted one by one.
MOST_FOOTRULE_COUNTED, MOST_SPEARMAN_COUNTED = 100, 8
# Items whose sets are gone through for a sum over all rankings.
MOST_IN_SETS = 16
# Beyond this theta hardly anything but exchanges of neighbors is left.
LAST_THETA = 4.0


class _FootruleDistance(ModelDistance):
    """How many ranks items are displaced, in sum.

    Between ranks k and k + 1 as many items go down as up, and each adds 1 on either side: with c
    of both, that cut adds 2c. The next rank and its item are joined to each other or to what is
    open, which takes c to c + 1 in one way, to c in 2c + 1 and to c - 1 in c^2.

    Guay-Paquet and Petersen (2014), https://doi.org/10.37236/4214, for the generating function.
    """

    name = "footrule"

    def of(self, places: Ranks) -> Floats:
        """Return the sum of the displacements."""
        apart = np.abs(places - np.arange(places.shape[1], dtype=np.float64))
        distances: Floats = apart.sum(axis=1)
        return distances

    def log_counts(self, n: int) -> tuple[Floats, Floats]:
        """Return what the paths of open items count."""
        if n > MOST_FOOTRULE_COUNTED:
            allowed = f"{MOST_FOOTRULE_COUNTED} items at most to count rankings by their footrule"
            raise InvalidInputError("center", allowed, n)
        return _footrule_counts(n)

    def moments(self, n: int, theta: float) -> DistanceMoments:
        """Return sums over the paths of open items, with both derivatives in theta."""
        logs, means, variances = _no_paths(n), np.zeros(n // 2 + 1), np.zeros(n // 2 + 1)
        cut = 2.0 * np.arange(len(logs))
        for _ in range(n):
            ways = _one_more(logs)
            logs = logsumexp(ways, axis=0)
            # Of the paths that meet here: the mean of their means, and of their squares.
            shares = np.exp(ways - np.where(np.isfinite(logs), logs, 0.0))
            own = np.stack([_shifted(means, by, 0.0) for by in (1, 0, -1)])
            spread = np.stack([_shifted(variances, by, 0.0) for by in (1, 0, -1)])
            means = (shares * own).sum(axis=0)
            variances = (shares * (spread + (own - means) ** 2)).sum(axis=0)
            logs, means = logs - theta * cut, means + cut
        return DistanceMoments(float(logs[0]), float(means[0]), float(variances[0]))

    def sample(self, n: int, theta: float, size: int, rng: Generator) -> Ranks:
        """Draw a path of open items backwards, and then who is joined to whom."""
        path = _footrule_path(n, theta, size, rng)
        rows, places = np.arange(size), np.zeros((size, n), dtype=np.int32)
        items, ranks = np.zeros((2, size, n // 2 + 2), dtype=np.int32)
        for k in range(n):
            c, after = path[k], path[k + 1]
            one, other = ((rng.random(size) * np.maximum(c, 1)).astype(np.intp) for _ in range(2))
            kind = rng.random(size) * (2 * c + 1)
            down, up, stays = after < c, after > c, after == c
            alone = stays & (kind < 1)
            # Item k takes an open rank, or rank k is taken by an open item.
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


def _no_paths(n: int) -> Floats:
    """Return the logarithms of how many paths there are to each number of open items: one, to 0."""
    logs = np.full(n // 2 + 1, -np.inf)
    logs[0] = 0.0
    return logs


def _shifted(values: Floats, by: int, fill: float) -> Floats:
    """Return values so many places on, along the first axis."""
    moved = np.roll(values, by, axis=0)
    if by:
        moved[0 if by > 0 else -1] = fill
    return moved


def _one_more(logs: Floats) -> Floats:
    """Return the paths one rank on, by whether they had one open item less, as many, one more."""
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
        state = np.logaddexp.reduce(_one_more(state), axis=0)
        for open_items in range(1, len(state)):
            state[open_items, open_items:] = state[open_items, : most - open_items]
            state[open_items, :open_items] = -np.inf
    return 2.0 * np.arange(most, dtype=np.float64), state[0]


def _footrule_path(n: int, theta: float, size: int, rng: Generator) -> Ranks:
    """Draw how many items are open after each rank, shape (n + 1, size)."""
    ways, logs = [], _no_paths(n)
    for _ in range(n):
        ways.append(_one_more(logs))
        logs = logsumexp(ways[-1], axis=0) - 2.0 * theta * np.arange(len(logs))
    path = np.zeros((n + 1, size), dtype=np.int32)
    for k in range(n - 1, 0, -1):
        to = path[k + 1]
        own = ways[k][:, to]
        shares = np.cumsum(np.exp(own - own.max(axis=0)), axis=0)
        path[k] = to - 1 + (rng.random(size) * shares[-1] >= shares[:2]).sum(axis=0)
    return path


# -- squared Spearman -----------------------------------------------------------------------------

# Chains, exchanges of many pairs of each at a theta, and the standard deviation of the log weights
# that a step to the next one adds.
CHAINS, SWEEPS, STEP = 500, 30, 0.4


class _SpearmanDistance(ModelDistance):
    """The squared displacements of the items, in sum.

    Sums over all rankings of up to 16 items are taken over sets; of more they are estimated, with
    a fixed seed, by annealed importance sampling, and their standard error is given.

    Neal (2001), "Annealed importance sampling", https://doi.org/10.1023/A:1008923215028.
    """

    name = "spearman"

    def of(self, places: Ranks) -> Floats:
        """Return the sum of the squared displacements."""
        apart = places - np.arange(places.shape[1], dtype=np.float64)
        distances: Floats = (apart**2).sum(axis=1)
        return distances

    def log_counts(self, n: int) -> tuple[Floats, Floats]:
        """Return counts over all rankings."""
        if n > MOST_SPEARMAN_COUNTED:
            allowed = f"{MOST_SPEARMAN_COUNTED} items at most to count rankings by squared Spearman"
            raise InvalidInputError("center", allowed, n)
        found, counts = np.unique(self.of(all_places(n)), return_counts=True)
        return found, np.log(counts)

    def moments(self, n: int, theta: float) -> DistanceMoments:
        """Return sums over sets of items, or estimates."""
        if n <= MOST_IN_SETS:
            one, first, second = _over_sets(n, theta)[:, -1].tolist()
            mean = first / one
            return DistanceMoments(log(one), mean, max(second / one - mean**2, 0.0))
        if theta > LAST_THETA:
            # Neighbors change places now and then, and nothing else happens.
            swaps = (n - 1) * float(np.exp(-2.0 * theta))
            return DistanceMoments(swaps, 2.0 * swaps, 4.0 * swaps)
        thetas, heights, means, variances, errors = _ladder(n).T
        # Means and variances fall as exponentials do.
        mean, variance = (np.exp(np.interp(theta, thetas, np.log(of))) for of in (means, variances))
        height, error = (float(np.interp(theta, thetas, of)) for of in (heights, errors))
        return DistanceMoments(height, float(mean), float(variance), error)

    def sample(self, n: int, theta: float, size: int, rng: Generator) -> Ranks:
        """Draw exactly up to 16 items, and else by chains that are cooled down to theta."""
        if n > MOST_IN_SETS:
            *_, (_, chains, _) = _cooled(n, theta, size, rng)
            return chains
        sums, places = _over_sets(n, theta)[0], np.zeros((size, n), dtype=np.int32)
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
def _over_sets(n: int, theta: float) -> Floats:
    """Return for each set of places, which the first items take, sums of 1, d and d^2 by weight.

    The last set is of all places. Shape (3, 2^n).
    """
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


def _cooled(
    n: int, theta: float, size: int, rng: Generator
) -> Iterator[tuple[float, Ranks, Floats]]:
    """Yield thetas from 0 to the last, chains at each, and the distances that they went through."""
    places = np.argsort(rng.random((size, n)), axis=1).astype(np.int32)
    at, items, rows = 0.0, np.arange(n), np.arange(size)[:, None]
    distances = np.square(places - items).sum(axis=1).astype(np.float64)
    yield at, places, distances[None]
    while at < theta:
        at = min(at + STEP / max(distances.std(), 2.0), theta)
        seen = np.empty((SWEEPS, size))
        for sweep in range(SWEEPS):
            # Items so far apart change places in pairs, where chance allows it.
            far = int(min(n // 2, 3.0 / at**0.5 + 1.0) ** rng.random() + 0.5)
            first = np.flatnonzero((items - rng.integers(2 * far)) // far % 2 == 0)
            first = first[first + far < n]
            one, other = places[:, first], places[:, first + far]
            more = 2.0 * far * (other - one)
            takes = np.log(rng.random(more.shape)) < -at * more
            places[rows, first] = np.where(takes, other, one)
            places[rows, first + far] = np.where(takes, one, other)
            distances = distances + np.where(takes, more, 0.0).sum(axis=1)
            seen[sweep] = distances
        yield at, places, seen


@lru_cache(maxsize=8)
def _ladder(n: int) -> Floats:
    """Return theta, log Z, mean, variance and the error of log Z, a row each.

    The derivative of log Z is minus the mean, whose integral every chain estimates.
    """
    start = (0.0, lgamma(n + 1), n * (n * n - 1) / 6, n * n * (n - 1) * (n + 1) ** 2 / 36, 0.0)
    found, integrals, means = [start], np.zeros(CHAINS), np.full(CHAINS, start[2])
    for theta, _, seen in _cooled(n, LAST_THETA, CHAINS, np.random.default_rng(0)):
        if theta == 0:
            continue
        (before, *_, last_variance, _), settled = found[-1], seen[SWEEPS // 2 :]
        step, variance = theta - before, float(settled.var())
        # The trapezoid, corrected by the slopes at its ends.
        ends, means = means, settled.mean(axis=0)
        integrals += step / 2 * (ends + means) + step**2 / 12 * (variance - last_variance)
        error = float(integrals.std()) / CHAINS**0.5
        height = start[1] - float(integrals.mean())
        mean = max(float(means.mean()), 1e-9)
        found.append((theta, height, mean, max(variance, 1e-9), error))
    rungs = np.array(found)
    # Where the ladder ends log Z is known, so that errors are those of a bridge.
    share = (rungs[:, 4] / rungs[-1, 4]) ** 2
    rungs[:, 1] += share * ((n - 1) * np.exp(-2.0 * LAST_THETA) - rungs[-1, 1])
    rungs[:, 4] *= np.sqrt(np.maximum(1.0 - share, 0.0))
    return rungs


DISTANCES: dict[DistanceName, ModelDistance] = {
    distance.name: distance
    for distance in (
        KendallDistance(),
        CayleyDistance(),
        HammingDistance(),
        UlamDistance(),
        _FootruleDistance(),
        _SpearmanDistance(),
    )
}
