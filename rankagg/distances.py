"""Distances and agreement between two rankings of the same items.

Pairs are counted once, and over the items that both rankings observe; two items that are both
unlisted in one of them were not compared there and do not count.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Literal, cast

import numpy as np

from rankagg._typing import Floats, Ranks
from rankagg._validation import check_choice, check_integer, check_number
from rankagg.core import places
from rankagg.core.places import UNRANKED
from rankagg.core.rankings import PartialRanking
from rankagg.exceptions import Described, InvalidInputError

__all__ = [
    "kendall_distance",
    "kendall_tau",
    "last_k_agreement",
    "spearman_footrule",
    "spearman_rho",
    "top_k_agreement",
]


@dataclass(frozen=True)
class _PairCounts:
    """How two rankings judge the pairs of items that both compare."""

    compared: int
    discordant: int
    tied_first: int  # in the first only, or in both
    tied_second: int
    tied_both: int

    @property
    def concordant(self) -> int:
        tied = self.tied_first + self.tied_second - self.tied_both
        return self.compared - self.discordant - tied


def kendall_distance(
    first: PartialRanking, second: PartialRanking, *, p: float = 0.0, normalized: bool = False
) -> float:
    """Count the pairs of items that two rankings order differently, each pair once.

    Parameters
    ----------
    first, second : PartialRanking
        Rankings of the same items.
    p : float, default 0
        What a pair costs that exactly one of the rankings ties, 0 to 1. 1/2 is the expected
        distance when the tie is broken at random; from 1/2 on the distance is a metric.
    normalized : bool, default False
        Divide by the number of compared pairs, n(n - 1)/2 for complete rankings.

    Returns
    -------
    float
        NaN when normalized over no pair.

    References
    ----------
    Kendall (1938), doi:10.1093/biomet/30.1-2.81; with ties, Fagin et al. (2006),
    doi:10.1137/05063088X. Computed in O(n log n).

    Examples
    --------
    >>> from rankagg import PartialRanking, Permutation, kendall_distance
    >>> abc, bca = Permutation.from_order("ABC"), Permutation.from_order("BCA")
    >>> kendall_distance(abc, bca), kendall_distance(abc, abc.reverse(), normalized=True)
    (2.0, 1.0)
    >>> kendall_distance(abc, PartialRanking.from_buckets(["A", "BC"]), p=0.5)
    0.5
    """
    penalty = check_number(p, "p", low=0, high=1)
    counts = _count_pairs(first, second)
    once = counts.tied_first + counts.tied_second - 2 * counts.tied_both
    distance = counts.discordant + penalty * once
    if not normalized:
        return float(distance)
    return distance / counts.compared if counts.compared else float("nan")


def kendall_tau(
    first: PartialRanking, second: PartialRanking, *, variant: Literal["a", "b"] = "b"
) -> float:
    """Correlate two rankings by their concordant and discordant pairs.

    Parameters
    ----------
    first, second : PartialRanking
        Rankings of the same items.
    variant : {"b", "a"}, default "b"
        "a": (concordant - discordant) / pairs; "b" corrects the denominator for ties and is what
        SciPy computes.

    Returns
    -------
    float
        Between -1 and 1; NaN where no pair is compared, or (for "b") one ranking ties all.

    References
    ----------
    Kendall (1945), doi:10.1093/biomet/33.3.239.

    Examples
    --------
    >>> from rankagg import Permutation, kendall_tau
    >>> round(kendall_tau(Permutation.from_order("ABC"), Permutation.from_order("ACB")), 4)
    0.3333
    """
    choice = check_choice(variant, ("a", "b"), "variant")
    counts = _count_pairs(first, second)
    if choice == "a":
        pairs = float(counts.compared)
    else:
        untied_first = counts.compared - counts.tied_first
        untied_second = counts.compared - counts.tied_second
        pairs = sqrt(untied_first * untied_second)
    return _correlation(counts.concordant - counts.discordant, pairs)


def spearman_footrule(
    first: PartialRanking, second: PartialRanking, *, normalized: bool = False
) -> float:
    """Sum the absolute differences of places; tied items have their bucket's mean place.

    Parameters
    ----------
    first, second : PartialRanking
        Rankings of the same items; places are counted among the items that both observe.
    normalized : bool, default False
        Divide by the largest value for that many items, floor(n**2 / 2).

    Returns
    -------
    float

    References
    ----------
    Diaconis and Graham (1977), doi:10.1111/j.2517-6161.1977.tb01624.x.

    Examples
    --------
    >>> from rankagg import Permutation, spearman_footrule
    >>> spearman_footrule(Permutation.from_order("ABC"), Permutation.from_order("CBA"))
    4.0
    """
    mine, theirs = _common_mid_ranks(first, second)
    distance = float(np.abs(mine - theirs).sum())
    if not normalized:
        return distance
    largest = len(mine) ** 2 // 2
    return distance / largest if largest else float("nan")


def spearman_rho(first: PartialRanking, second: PartialRanking) -> float:
    """Correlate places; tied items have their bucket's mean place.

    Parameters
    ----------
    first, second : PartialRanking
        Rankings of the same items; places are counted among the items that both observe.

    Returns
    -------
    float
        Between -1 and 1; NaN where one ranking ties all items.

    References
    ----------
    Spearman (1904), doi:10.2307/1412159.
    """
    mine, theirs = (mids - mids.mean() for mids in _common_mid_ranks(first, second))
    scale = float(np.sqrt((mine**2).sum() * (theirs**2).sum()))
    return _correlation(float((mine * theirs).sum()), scale)


def _correlation(covariance: float, scale: float) -> float:
    """Return the ratio, kept within [-1, 1] where rounding leaves it; NaN over nothing."""
    return min(1.0, max(-1.0, covariance / scale)) if scale else float("nan")


def top_k_agreement(first: PartialRanking, second: PartialRanking, k: int) -> float:
    """Return the expected share of items that two top-k sets have in common.

    A tie at place k is broken at random, independently in both rankings; nothing depends on the
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
    >>> from rankagg import PartialRanking, Permutation, top_k_agreement
    >>> tied = PartialRanking.from_buckets([["A"], ["B", "C"]])
    >>> top_k_agreement(Permutation.from_order("ABC"), tied, k=2)
    0.75
    """
    return _agreement(first, second, k, from_top=True)


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
    return _agreement(first, second, k, from_top=False)


def _agreement(first: PartialRanking, second: PartialRanking, k: int, *, from_top: bool) -> float:
    ranks = _common_ranks(first, second)
    n = ranks.shape[1]
    depth = check_integer(k, "k", low=1, high=n)
    if from_top:
        shares = places.top_k_shares(ranks, depth)
    else:
        shares = 1.0 - places.top_k_shares(ranks, n - depth)
    return float((shares[0] * shares[1]).sum()) / depth


def _common_ranks(first: PartialRanking, second: PartialRanking) -> Ranks:
    """Return the places of both among the items that both observe, shape (2, n)."""
    for parameter, ranking in (("first", first), ("second", second)):
        if not isinstance(ranking, PartialRanking):
            raise InvalidInputError(parameter, "a PartialRanking or Permutation", ranking)
    first.items.require_same(second.items, "The compared rankings")
    ranks = np.stack([first.ranks, second.ranks])
    kept = ranks[:, (ranks != UNRANKED).all(axis=0)]
    if kept.shape[1] == 0:
        raise InvalidInputError(
            "first and second", "rankings that observe an item in common", Described("none")
        )
    listed = np.where(kept >= 0, kept, np.nan).astype(np.float64)
    return cast(Ranks, np.where(kept < 0, kept, places.competition_ranks(listed)))


def _common_mid_ranks(first: PartialRanking, second: PartialRanking) -> tuple[Floats, Floats]:
    mids = places.mid_ranks(_common_ranks(first, second))
    return mids[0], mids[1]


def _count_pairs(first: PartialRanking, second: PartialRanking) -> _PairCounts:
    ranks = _common_ranks(first, second)
    mine, theirs = places.comparable(ranks).astype(np.int64)
    n = len(mine)
    my_gap, their_gap = ranks < 0  # unlisted items look tied in `comparable`
    both = mine * (n + 2) + theirs
    uncompared = (
        _pairs_alike(mine[my_gap])
        + _pairs_alike(theirs[their_gap])
        - _pairs_alike(both[my_gap & their_gap])
    )
    return _PairCounts(
        compared=n * (n - 1) // 2 - uncompared,
        discordant=_inversions(theirs[np.lexsort((theirs, mine))]),
        tied_first=_pairs_alike(mine[~my_gap]) - _pairs_alike(mine[~my_gap & their_gap]),
        tied_second=_pairs_alike(theirs[~their_gap]) - _pairs_alike(theirs[~their_gap & my_gap]),
        tied_both=_pairs_alike(both[~my_gap & ~their_gap]),
    )


def _pairs_alike(values: np.ndarray[tuple[int], np.dtype[np.int64]]) -> int:
    _, sizes = np.unique(values, return_counts=True)
    return int((sizes * (sizes - 1) // 2).sum())


def _inversions(values: np.ndarray[tuple[int], np.dtype[np.int64]]) -> int:
    """Count the pairs in which the earlier value is the larger, in O(n log n).

    One pass per binary digit, from the highest: among values that agree in all higher digits
    (they stand together, in their original order) a pair is an inversion if the earlier has a 1
    and the later a 0. Then each group is split stably by the digit.
    """
    total = 0
    prefix = np.zeros(len(values), dtype=np.int64)
    for digit in reversed(range(int(values.max(initial=0)).bit_length())):
        bits = (values >> digit) & 1
        ones = np.cumsum(bits) - bits
        starts = np.searchsorted(prefix, prefix)  # where each one's group begins
        total += int(((ones - ones[starts]) * (1 - bits)).sum())
        prefix = 2 * prefix + bits
        order = np.argsort(prefix, kind="stable")
        values, prefix = values[order], prefix[order]
    return total
