"""How far rankings are from the center of a Mallows distribution, by each distance there is.

Rankings are rows of places here: the place of each item, items in the order of the center. A
distance is then to 0, 1, ..., n - 1, and as it is the same however items are called, how it is
distributed depends on their number and on theta alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache, lru_cache
from math import log
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from rankagg._typing import Floats, Generator, Positions, Ranks
from rankagg.distributions.base import all_places
from rankagg.distributions.mallows.kendall_distances import (
    discordant_pairs,
    kendall_distance_counts,
    orders_from_stages,
    pair_stays,
    place_probabilities,
    sample_stages,
    stage_log_normalizers,
    stage_means,
    stage_variances,
)
from rankagg.exceptions import InvalidInputError

DistanceName = Literal["kendall", "cayley", "hamming", "ulam", "footrule", "spearman"]
# Items whose Young diagrams are gone through: 204,226 of them.
MOST_DIAGRAMS = 50
# Above all places.
NOWHERE = 2**30
# Items whose displacements are counted one by one.
MOST_FOOTRULE_COUNTED, MOST_SPEARMAN_COUNTED = 100, 8
# Items whose sets are gone through for a sum over all rankings.
MOST_IN_SETS = 16


class DistanceMoments(NamedTuple):
    """The logarithm of Z(theta) = sum exp(-theta d), and the mean and variance of d."""

    log_normalizer: float
    mean: float
    variance: float


class ModelDistance(ABC):
    """What is known of a distance and the center. It has no state."""

    name: ClassVar[DistanceName]

    @abstractmethod
    def of(self, places: Ranks) -> Floats:
        """Return the distance of each row to the center."""

    @abstractmethod
    def log_counts(self, n: int) -> tuple[Floats, Floats]:
        """Return the distances that there are, and the logarithms of how many rankings have each.

        Refused where they are too many to count.
        """

    def moments(self, n: int, theta: float) -> DistanceMoments:
        """Return the normalizer, mean and variance."""
        distances, counts = self.log_counts(n)
        terms = counts - theta * distances
        total = float(logsumexp(terms))
        chances = np.exp(terms - total)
        mean = float(chances @ distances)
        return DistanceMoments(total, mean, float(chances @ (distances - mean) ** 2))

    @abstractmethod
    def sample(self, n: int, theta: float, size: int, rng: Generator) -> Ranks:
        """Draw rows of places."""

    def pairs(self, n: int, theta: float) -> Floats | None:
        """Return P(row before column) for items of the center; None where no formula is known."""
        return None

    def places(self, n: int, theta: float) -> Floats | None:
        """Return P(item has place) for items of the center; None where no formula is known."""
        return None


class _KendallDistance(ModelDistance):
    """Pairs in another order."""

    name = "kendall"

    def of(self, places: Ranks) -> Floats:
        return discordant_pairs(places)

    def log_counts(self, n: int) -> tuple[Floats, Floats]:
        """Return the Mahonian numbers."""
        counts = kendall_distance_counts(n)
        return np.arange(len(counts), dtype=np.float64), np.array([log(x) for x in counts])

    def moments(self, n: int, theta: float) -> DistanceMoments:
        parts = (stage_log_normalizers, stage_means, stage_variances)
        return DistanceMoments(*(float(part(np.arange(1, n + 1), theta).sum()) for part in parts))

    def sample(self, n: int, theta: float, size: int, rng: Generator) -> Ranks:
        """Draw by stages of insertion."""
        # A permutation and its inverse are as probable, so orders are places.
        return orders_from_stages(sample_stages(np.full(n - 1, theta), size, rng)).T

    def pairs(self, n: int, theta: float) -> Floats:
        """Return a closed form."""
        stays, table = pair_stays(n, theta), np.zeros((n, n))
        first, second = np.triu_indices(n, k=1)
        table[first, second] = stays[second - first]
        table[second, first] = 1.0 - stays[second - first]
        return table

    def places(self, n: int, theta: float) -> Floats:
        """Return a recursion over the stages."""
        return place_probabilities(np.full(n - 1, theta))


class _ByCycles(ModelDistance):
    """A distance that depends on the cycles that lead from the center to a ranking alone.

    So all items are alike, whatever their place in the center.
    """

    @abstractmethod
    def _fixed(self, n: int, theta: float) -> tuple[float, float, float]:
        """Return the chances that one item stays, that two do, and that two change places."""

    def places(self, n: int, theta: float) -> Floats:
        """Return one chance for the own place, and one for every other."""
        stays = self._fixed(n, theta)[0]
        table = np.full((n, n), (1.0 - stays) / max(n - 1, 1))
        np.fill_diagonal(table, stays)
        return table

    def pairs(self, n: int, theta: float) -> Floats:
        """Return sums over where two items go: to each other's place, their own, or elsewhere."""
        one, both, swap = self._fixed(n, theta)
        a, b = np.arange(n)[:, None], np.arange(n)[None, :]
        stays, onto = one - both, (1.0 - one) / max(n - 1, 1) - swap
        rest = 1.0 - both - swap - 2.0 * stays - 2.0 * onto
        # Shares of the other n - 2 places that are above a, and below b.
        above, below = (a / max(n - 2, 1), (n - 1 - b) / max(n - 2, 1))
        late, early = 1.0 - above, 1.0 - below
        before = both + stays * (late + early) + onto * (below + above) + rest / 2.0
        return np.triu(before, 1) + np.tril(1.0 - before.T, -1)


class _CayleyDistance(_ByCycles):
    """The least number of exchanges of two items: n less the number of cycles."""

    name = "cayley"

    def of(self, places: Ranks) -> Floats:
        n = places.shape[1]
        distances: Floats = n - (lowest_of_cycles(places) == np.arange(n)).sum(axis=1).astype(float)
        return distances

    def log_counts(self, n: int) -> tuple[Floats, Floats]:
        """Return the Stirling numbers of the first kind."""
        counts = np.zeros(1)
        for size in range(1, n):
            # The next item stands alone, or after one of those that are there.
            longer = np.full(size + 1, -np.inf)
            longer[:size] = counts
            longer[1:] = np.logaddexp(longer[1:], counts + log(size))
            counts = longer
        return np.arange(n, dtype=np.float64), counts

    def moments(self, n: int, theta: float) -> DistanceMoments:
        odds = np.arange(1, n) * np.exp(-theta)
        moved = odds / (1.0 + odds)
        return DistanceMoments(
            float(np.log1p(odds).sum()), float(moved.sum()), float((moved * (1 - moved)).sum())
        )

    def sample(self, n: int, theta: float, size: int, rng: Generator) -> Ranks:
        """Let one item after another change places with one before it, or stay."""
        rows, drawn = np.arange(size), np.tile(np.arange(n, dtype=np.int32), (size, 1))
        for item in range(1, n):
            odds = item * np.exp(-theta)
            moves = rng.random(size) < odds / (1.0 + odds)
            other = np.where(moves, rng.integers(0, item, size), item)
            drawn[rows, item], drawn[rows, other] = drawn[rows, other], drawn[rows, item]
        return drawn

    def _fixed(self, n: int, theta: float) -> tuple[float, float, float]:
        phi = np.exp(-theta)
        one = 1.0 / (1.0 + (n - 1) * phi)
        both = one / (1.0 + (n - 2) * phi) if n > 1 else 0.0
        return float(one), float(both), float(phi * both)


class _HammingDistance(_ByCycles):
    """Items that have another rank."""

    name = "hamming"

    def of(self, places: Ranks) -> Floats:
        moved = places != np.arange(places.shape[1])
        distances: Floats = moved.sum(axis=1, dtype=np.float64)
        return distances

    def log_counts(self, n: int) -> tuple[Floats, Floats]:
        """Return the choices of so many items, times their derangements."""
        distances = np.arange(n + 1, dtype=np.float64)
        chosen = gammaln(n + 1.0) - gammaln(distances + 1.0) - gammaln(n - distances + 1.0)
        return distances, chosen + _log_derangements(n)

    def sample(self, n: int, theta: float, size: int, rng: Generator) -> Ranks:
        """Draw how many items move, which, and a derangement of these."""
        distances, counts = self.log_counts(n)
        terms = counts - theta * distances
        numbers = rng.choice(n + 1, size, p=np.exp(terms - logsumexp(terms)))
        drawn = np.tile(np.arange(n, dtype=np.int32), (size, 1))
        left = np.arange(size)
        chosen = np.argsort(rng.random((size, n)), axis=1)
        while len(left := left[numbers[left] > 0]):
            # One in e is a derangement.
            loose = np.arange(n) >= numbers[left, None]
            keys = np.where(loose, 1.0 + np.arange(n), rng.random((len(left), n)))
            mixed = np.take_along_axis(chosen[left], np.argsort(keys, axis=1), axis=1)
            is_one = ((mixed != chosen[left]) | loose).all(axis=1)
            drawn[left[is_one, None], chosen[left[is_one]]] = mixed[is_one]
            left = left[~is_one]
        return drawn

    def _fixed(self, n: int, theta: float) -> tuple[float, float, float]:
        distances, counts = self.log_counts(n)
        terms = counts - theta * distances
        chances, stay = np.exp(terms - logsumexp(terms)), n - distances
        pairs, logs = max(n * (n - 1), 1), _log_derangements(n)
        # The others of a derangement in which two change places are a derangement.
        swaps = np.zeros(n + 1)
        swaps[2:] = np.exp(logs[:-2] - logs[2:])
        both = float(chances @ (stay * (stay - 1))) / pairs
        swap = float(chances @ (distances * (distances - 1) * swaps)) / pairs
        return float(chances @ stay) / n, both, swap


@cache
def _log_derangements(n: int) -> Floats:
    """Return the logarithms of the numbers of derangements of 0 to n items; -inf for one."""
    logs = np.full(n + 1, -np.inf)
    logs[0] = 0.0
    for k in range(2, n + 1):
        logs[k] = log(k - 1) + np.logaddexp(logs[k - 1], logs[k - 2])
    return logs


# -- Ulam -----------------------------------------------------------------------------------------


class _UlamDistance(ModelDistance):
    """Items that must be taken out and put in elsewhere: n less the longest common order."""

    name = "ulam"

    def of(self, places: Ranks) -> Floats:
        distances: Floats = places.shape[1] - longest_increasing(places)[:, -1].astype(np.float64)
        return distances

    def log_counts(self, n: int) -> tuple[Floats, Floats]:
        """Return sums over Young diagrams: pairs of tableaux are rankings (Schensted)."""
        diagrams, logs = _young_diagrams(n)
        longest = diagrams[:, 0]
        distances = np.arange(n, dtype=np.float64)
        counts = [logsumexp(2.0 * logs[longest == n - int(d)]) for d in distances]
        return distances, np.array(counts)

    def sample(self, n: int, theta: float, size: int, rng: Generator) -> Ranks:
        """Draw a Young diagram and two of its tableaux, which are one ranking."""
        diagrams, logs = _young_diagrams(n)
        terms = 2.0 * logs - theta * (n - diagrams[:, 0])
        rows = rng.choice(len(diagrams), size, p=np.exp(terms - logsumexp(terms)))
        drawn = [_from_tableaux(diagrams[row], rng) for row in rows]
        return np.array(drawn, dtype=np.int32)


def lowest_of_cycles(places: Ranks) -> Positions:
    """Return for each place of each row the lowest place of its cycle."""
    n = places.shape[1]
    step, lowest = places.astype(np.intp), np.broadcast_to(np.arange(n), places.shape)
    for _ in range(max(n - 1, 1).bit_length()):
        # The lowest of twice as long a stretch of the cycle.
        lowest = np.minimum(lowest, np.take_along_axis(lowest, step, axis=1))
        step = np.take_along_axis(step, step, axis=1)
    return lowest


def longest_increasing(places: Ranks) -> Positions:
    """Return the lengths of the longest increasing sequences of the first 0, 1, ... of each row.

    What is `NOWHERE` is in none of them.
    """
    m, n = places.shape
    # The least last place of an increasing sequence of every length.
    ends, rows = np.full((m, n + 1), NOWHERE), np.arange(m)
    lengths = np.zeros((m, n + 1), dtype=np.intp)
    for k, at in enumerate(places.T, 1):
        length = (ends < at[:, None]).sum(axis=1)
        ends[rows, length] = at
        lengths[:, k] = np.maximum(lengths[:, k - 1], np.where(at < NOWHERE, length + 1, 0))
    return lengths


@lru_cache(maxsize=4)
def _young_diagrams(n: int) -> tuple[NDArray[np.int8], Floats]:
    """Return all diagrams of n boxes, a row each, and the log numbers of their tableaux."""
    if n > MOST_DIAGRAMS:
        allowed = f"{MOST_DIAGRAMS} items at most for the Ulam distance"
        remedy = "Kendall, Cayley, Hamming and footrule distances take more."
        raise InvalidInputError("center", allowed, n, remedy)
    diagrams = np.array([rows + [0] * (n - len(rows)) for rows in _partitions(n)], dtype=np.int8)
    # Frobenius: n! times the differences of l_i = rows + n - i, over the factorials of these.
    lengths = diagrams + np.arange(n - 1, -1, -1)
    table = np.concatenate([[-np.inf], np.log(np.arange(1, 2 * n + 1))])
    logs = gammaln(n + 1.0) - gammaln(lengths + 1.0).sum(axis=1)
    for row in range(n - 1):
        logs += table[lengths[:, [row]] - lengths[:, row + 1 :]].sum(axis=1)
    return diagrams, logs


def _partitions(n: int, largest: int | None = None) -> Iterator[list[int]]:
    if n == 0:
        yield []
    for first in range(min(n, largest or n), 0, -1):
        for rest in _partitions(n - first, first):
            yield [first, *rest]


def _tableau(diagram: NDArray[np.int8], rng: Generator) -> list[int]:
    """Return the row of each number, from the last one down, in a uniform standard tableau.

    Greene, Nijenhuis and Wilf (1979), https://doi.org/10.1016/0001-8708(79)90023-9.
    """
    rows = [int(length) for length in diagram if length]
    found = []
    for _ in range(sum(rows)):
        # From a random box to random ones of its hook, until it ends in a corner.
        at = int(rng.integers(sum(rows)))
        row = 0
        while at >= rows[row]:
            at -= rows[row]
            row += 1
        while hook := rows[row] - 1 - at + sum(length > at for length in rows[row + 1 :]):
            step = int(rng.integers(hook))
            right = rows[row] - 1 - at
            row, at = (row, at + 1 + step) if step < right else (row + 1 + step - right, at)
        found.append(row)
        rows[row] -= 1
        rows = rows[: len(rows) - (rows[-1] == 0)]
    return found


def _from_tableaux(diagram: NDArray[np.int8], rng: Generator) -> list[int]:
    """Draw two tableaux and undo Schensted's insertions: the last that was put in comes out."""
    n = int(diagram.sum())
    table: list[list[int]] = [[] for _ in range(n)]
    for value, row in zip(range(n), reversed(_tableau(diagram, rng)), strict=True):
        table[row].append(value)
    places = [0] * n
    for at, last in zip(range(n - 1, -1, -1), _tableau(diagram, rng), strict=True):
        value = table[last].pop()
        for above in reversed(table[:last]):
            spot = bisect_left(above, value) - 1
            above[spot], value = value, above[spot]
        places[at] = value
    return places


# -- footrule -------------------------------------------------------------------------------------


class _FootruleDistance(ModelDistance):
    """How many ranks items are displaced, in sum.

    Between ranks k and k + 1 as many items go down as up, and each adds 1 on either side: with c
    of both, that cut adds 2c. The next rank and its item are joined to each other or to what is
    open, which takes c to c + 1 in one way, to c in 2c + 1 and to c - 1 in c^2.

    Guay-Paquet and Petersen (2014), https://doi.org/10.37236/4214, for the generating function.
    """

    name = "footrule"

    def of(self, places: Ranks) -> Floats:
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


class _SpearmanDistance(ModelDistance):
    """The squared displacements of the items, in sum; sums over all rankings go over sets."""

    name = "spearman"

    def of(self, places: Ranks) -> Floats:
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
        one, first, second = _over_sets(n, theta)[:, -1].tolist()
        mean = first / one
        return DistanceMoments(log(one), mean, max(second / one - mean**2, 0.0))

    def sample(self, n: int, theta: float, size: int, rng: Generator) -> Ranks:
        """Draw the place of one item after another, from the last."""
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
    if n > MOST_IN_SETS:
        allowed = f"{MOST_IN_SETS} items at most for the squared Spearman distance"
        remedy = "Kendall, Cayley, Hamming, Ulam and footrule distances take more."
        raise InvalidInputError("center", allowed, n, remedy)
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
    for distance in (
        _KendallDistance(),
        _CayleyDistance(),
        _HammingDistance(),
        _UlamDistance(),
        _FootruleDistance(),
        _SpearmanDistance(),
    )
}
