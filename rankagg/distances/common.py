"""What two rankings have in common: the ranks among the items that both observe."""

from __future__ import annotations

from typing import cast

import numpy as np

from rankagg._typing import Floats, Integers64, Ranks
from rankagg.core import UNRANKED, PartialRanking, Permutation, places
from rankagg.exceptions import Described, InvalidInputError

#: What a message about different items calls them.
COMPARED = "The compared rankings"


def common_ranks(first: PartialRanking, second: PartialRanking) -> Ranks:
    """Return the ranks of both among the items that both observe, shape (2, n)."""
    for parameter, ranking in (("first", first), ("second", second)):
        if not isinstance(ranking, PartialRanking):
            raise InvalidInputError(parameter, "a PartialRanking or Permutation", ranking)
    first.items.require_same(second.items, COMPARED)
    ranks = np.stack([first.ranks, second.ranks])
    kept = ranks[:, (ranks != UNRANKED).all(axis=0)]
    if kept.shape[1] == 0:
        raise InvalidInputError(
            "first and second", "rankings that observe an item in common", Described("none")
        )
    listed = np.where(kept >= 0, kept, np.nan).astype(np.float64)
    return cast(Ranks, np.where(kept < 0, kept, places.competition_ranks(listed)))


def common_mid_ranks(first: PartialRanking, second: PartialRanking) -> tuple[Floats, Floats]:
    """Return the mean ranks of both among the items that both observe."""
    mids = places.mid_ranks(common_ranks(first, second))
    return mids[0], mids[1]


def shared_items(ranks: Ranks, *, listed: bool = False) -> Floats:
    """Return for every k how many items are among both first k, ties broken at random, shape (n,).

    With `listed`, items that one of both does not list count nowhere; else their order is random.
    Time grows as n where no item is tied, and as n times the tied ones else.
    """
    n = ranks.shape[1]
    # Items with places of their own are there from the lower of their ranks on.
    alone = (places.mid_ranks(ranks) == ranks).all(axis=0)
    reached = np.bincount(ranks.max(axis=0)[alone], minlength=n)
    shared = np.cumsum(reached).astype(np.float64)
    tied = ~alone & ((ranks >= 0).all(axis=0) | (not listed))
    if tied.any():
        for k in range(1, n + 1):
            shares = places.top_k_shares(ranks, k)[:, tied]
            shared[k - 1] += float((shares[0] * shares[1]).sum())
    return shared


def mapping_of(first: Permutation, second: Permutation) -> Integers64:
    """Return the rank in the second ranking of each rank in the first."""
    first.items.require_same(second.items, COMPARED)
    mapping = np.empty(first.n_items, dtype=np.int64)
    mapping[first.ranks] = second.ranks
    return mapping


def of_largest(distance: float, largest: int, normalized: bool) -> float:
    """Return a distance, or its share of the largest one; NaN of nothing."""
    if not normalized:
        return float(distance)
    return distance / largest if largest else float("nan")


def correlation(covariance: float, scale: float) -> float:
    """Return the ratio, kept within [-1, 1] where rounding leaves it; NaN over nothing."""
    return min(1.0, max(-1.0, covariance / scale)) if scale else float("nan")
