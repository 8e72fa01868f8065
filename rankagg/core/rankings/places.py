"""Places as arrays: every function works on m rankings of n items at once, shape (m, n).

A place counts from 0, the best. Ties share the best place of their bucket (0, 1, 1, 3).
Two negative codes say why an item has no place of its own:

* `UNRANKED`: the item was not observed; nothing is known about it.
* `UNLISTED`: the item was left off a top-k list; it stands below every listed item, and
  nothing is known about unlisted items among themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations, permutations, product
from math import factorial, prod
from typing import Final

import numpy as np

from rankagg._typing import Bools, Floats, Generator, Positions, Ranks
from rankagg.kernels.placing import doubled_places

UNRANKED: Final = -1
UNLISTED: Final = -2


def competition_ranks(
    values: Floats, tolerance: Floats | float = 0.0, errors: Floats | None = None
) -> Ranks:
    """Turn numbers, smaller is better, into places; NaN becomes `UNRANKED`.

    A new bucket starts where the step between neighbors in sorted order exceeds `tolerance`
    (a number, or one per row with shape (m, 1)), or the errors of both, shape (m, n).
    """
    m, n = values.shape
    if errors is None and np.ndim(tolerance) == 0 and tolerance == 0 and _are_permutations(values):
        return values.astype(np.int32) - np.int32(1)
    rows = np.arange(m)[:, None]
    order = np.argsort(values, axis=1, kind="stable")  # NaN sorts last
    ordered = values[rows, order]
    starts = np.zeros((m, n), dtype=np.int32)
    if errors is not None:
        errors = errors[rows, order]
        tolerance = errors[:, :-1] + errors[:, 1:]
    with np.errstate(invalid="ignore", over="ignore"):  # a step may be too large for a float
        steps = ordered[:, 1:] - ordered[:, :-1] > tolerance
    starts[:, 1:] = np.where(steps, np.arange(1, n, dtype=np.int32), 0)
    ranks = np.empty((m, n), dtype=np.int32)
    ranks[rows, order] = np.maximum.accumulate(starts, axis=1)
    ranks[np.isnan(values)] = UNRANKED
    return ranks


def _are_permutations(values: Floats | Ranks) -> bool:
    """Say whether every row holds 1, 2, ..., n; False without looking where n is above 56."""
    n = values.shape[1]
    # NaN fails the first comparison, so that all values can be made integers.
    if n > 56 or not (values.size and values.min() == 1 and values.max() == n):
        return False
    whole = values.astype(np.int64)
    # n powers of two have this sum only if they are n different ones.
    sums = (np.int64(1) << whole).sum(axis=1)
    return bool((sums == 2 ** (n + 1) - 2).all() and (whole == values).all())


def all_listed(ranks: Ranks) -> bool:
    """Say whether every ranking has a place for every item."""
    return int(ranks.min(initial=0)) >= 0


def comparable(ranks: Ranks) -> Ranks:
    """Return places that compare: unlisted items get n, unranked ones n + 1.

    Only pairs of observed items may be read from the result; two unlisted items look tied. It may
    be the array itself.
    """
    n = ranks.shape[1]
    if all_listed(ranks):
        return ranks.astype(np.int32, copy=False)
    return np.where(ranks >= 0, ranks, np.where(ranks == UNLISTED, n, n + 1)).astype(np.int32)


def pair_signs(ranks: Ranks) -> Ranks:
    """Return 1 where row is above column, -1 where below, 0 where tied or one is not listed."""
    listed = (ranks[:, None] >= 0) & (ranks >= 0)
    signs: Ranks = np.where(listed, np.sign(ranks - ranks[:, None]), 0)
    return signs


def discordances(ranks: Ranks) -> Positions:
    """Count the pairs of every row that are in the reverse order of the columns."""
    pairs = np.zeros(len(ranks), dtype=np.intp)
    for j in range(1, ranks.shape[1]):
        pairs += (ranks[:, :j] > ranks[:, [j]]).sum(axis=1)
    return pairs


def unranked_last(ranks: Ranks) -> Ranks:
    """Read unranked items as unlisted: below all listed ones, not compared."""
    return np.where(ranks == UNRANKED, np.int32(UNLISTED), ranks)


def are_canonical(ranks: Ranks) -> Bools:
    """Say for each row whether it holds competition ranks and valid codes only."""
    if _are_permutations(ranks + 1):
        return np.ones(len(ranks), dtype=np.bool_)
    listed = np.where(ranks >= 0, ranks.astype(np.float64), np.nan)
    same = (competition_ranks(listed) == ranks) | (ranks < 0)
    canonical: Bools = ((ranks >= UNLISTED) & same).all(axis=1)
    return canonical


def mid_ranks(ranks: Ranks) -> Floats:
    """Return the mean place of each item's bucket; NaN where unranked.

    Unlisted items share the mean of the places below the listed ones: that is where a uniformly
    random order of them puts each on average.
    """
    doubled = doubled_places(ranks)
    mids = doubled / 2.0 - 1.0
    mids[doubled == 0] = np.nan
    return mids


def sample_compatible(ranks: Ranks, rng: Generator) -> Ranks:
    """Draw for each row a strict complete ranking, uniformly among the compatible ones.

    Every item gets a place of a uniformly random order. The unranked items keep theirs; the
    observed ones share the remaining places out according to their ranking, ties and unlisted
    items in random order. Each of the n!/k! (times factorials of buckets) outcomes is equally
    likely; the fair-coin shuffle of Himmi et al. (2023, Algorithm 1) is not uniform.
    """
    m, n = ranks.shape
    drawn = np.argsort(rng.random((m, n)), axis=1).astype(np.int64)
    observed = ranks != UNRANKED
    free = np.sort(np.where(observed, drawn, n), axis=1)
    # The order of the drawn places among observed items is independent of which places they are,
    # so it breaks the ties.
    key = np.where(observed, comparable(ranks).astype(np.int64) * n + drawn, (n + 2) * n)
    position = np.argsort(np.argsort(key, axis=1), axis=1)
    places = np.where(observed, np.take_along_axis(free, position, axis=1), drawn)
    return places.astype(np.int32)


def top_k_shares(ranks: Ranks, k: int) -> Floats:
    """Return each item's chance to be among the first k when ties are broken at random.

    Unranked items get 0; unlisted ones share what the listed leave.
    """
    listed = ranks >= 0
    start = np.where(ranks == UNLISTED, listed.sum(axis=1, keepdims=True), ranks)
    sizes = 2 * (mid_ranks(ranks) - start) + 1
    shares = np.clip((k - start) / sizes, 0.0, 1.0)
    shares[ranks == UNRANKED] = 0.0
    return shares


def _tied_positions(ranks: Ranks) -> list[list[int]]:
    """Return positions of tied items, best bucket first, unlisted items last."""
    buckets = [np.flatnonzero(ranks == place) for place in np.unique(ranks[ranks >= 0])]
    unlisted = np.flatnonzero(ranks == UNLISTED)
    return [bucket.tolist() for bucket in (*buckets, unlisted) if len(bucket)]


def count_compatible(ranks: Ranks) -> int:
    """Return the number of compatible permutations."""
    ways = prod(factorial(len(bucket)) for bucket in _tied_positions(ranks))
    observed = int((ranks != UNRANKED).sum())
    return ways * factorial(len(ranks)) // factorial(observed)


def compatible_ranks(ranks: Ranks) -> Iterator[Ranks]:
    """Yield the places of every compatible permutation."""
    n = len(ranks)
    unranked = np.flatnonzero(ranks == UNRANKED).tolist()
    buckets = _tied_positions(ranks)
    for slots in combinations(range(n), len(unranked)):
        rest = [slot for slot in range(n) if slot not in slots]
        for newcomers in permutations(unranked):
            for broken in product(*(permutations(bucket) for bucket in buckets)):
                result = np.empty(n, dtype=np.int32)
                result[list(newcomers)] = slots
                result[list(chain.from_iterable(broken))] = rest
                yield result
