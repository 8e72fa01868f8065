"""How many items the first or the last ranks of two rankings have in common."""

from __future__ import annotations

import numpy as np

from rankagg._typing import Floats
from rankagg._validation import check_integer
from rankagg.core.rankings import places
from rankagg.core.rankings.partial import PartialRanking
from rankagg.distances.common import common_ranks, shared_items


def top_k_agreement(first: PartialRanking, second: PartialRanking, k: int) -> float:
    """Return the expected share of items that two top-k sets have in common.

    A tie at rank k is broken at random, independently in both rankings; nothing depends on the
    order in which items happen to be stored.

    Parameters
    ----------
    first, second : PartialRanking
        Rankings of the same items; only those that both observe take part.
    k : int
        At least 1, at most the number of items that both observe.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> from rankagg import PartialRanking, Permutation
    >>> from rankagg.distances import top_k_agreement
    >>> tied = PartialRanking.from_buckets([["A"], ["B", "C"]])
    >>> top_k_agreement(Permutation.from_order("ABC"), tied, k=2)
    0.75
    """
    return _expected_share(first, second, k, from_top=True)


def last_k_agreement(first: PartialRanking, second: PartialRanking, k: int) -> float:
    """Return the expected share of items that the last k of two rankings have in common.

    Parameters
    ----------
    first, second, k
        As for `top_k_agreement`.

    Returns
    -------
    float
        Between 0 and 1.
    """
    return _expected_share(first, second, k, from_top=False)


def overlaps(first: PartialRanking, second: PartialRanking, *, from_top: bool) -> Floats:
    """Return `top_k_agreement`, or `last_k_agreement`, for every k from 1, shape (n,)."""
    shared = shared_items(common_ranks(first, second))
    depths = np.arange(1, len(shared) + 1)
    if not from_top:
        # Of n items, those of neither first n - k are in both last k.
        shared = 2.0 * depths - len(shared) + np.concatenate([shared[-2::-1], [0.0]])
    result: Floats = shared / depths
    return result


def _expected_share(
    first: PartialRanking, second: PartialRanking, k: int, *, from_top: bool
) -> float:
    ranks = common_ranks(first, second)
    n = ranks.shape[1]
    depth = check_integer(k, "k", low=1, high=n)
    if from_top:
        shares = places.top_k_shares(ranks, depth)
    else:
        shares = 1.0 - places.top_k_shares(ranks, n - depth)
    return float((shares[0] * shares[1]).sum()) / depth
