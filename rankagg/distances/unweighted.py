"""Distances and correlations of two rankings with equal weights of all ranks."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from math import sqrt
from typing import Any, Literal, NamedTuple, cast

import numpy as np

from rankagg._typing import Floats, Integers64, Ranks
from rankagg._validation import check_choice, check_number
from rankagg.core import UNRANKED, PartialRanking, Permutation, places
from rankagg.exceptions import Described, InvalidInputError

# The subject of messages about different items.
COMPARED = "The compared rankings"
# Groups of 2**LAST values are compared pair by pair, which is faster than four more splits.
LAST = 4
# Up to this number of values, insertion is faster than NumPy.
FEW = 64


def common_ranks(first: PartialRanking, second: PartialRanking) -> Ranks:
    """Return the ranks among the items that both rankings observe, shape (2, n)."""
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
    """Return the mean ranks among the items that both rankings observe."""
    mids = places.mid_ranks(common_ranks(first, second))
    return mids[0], mids[1]


def _rank_map(first: PartialRanking, second: PartialRanking) -> Integers64:
    """Return the rank in the second ranking of each rank in the first."""
    first.items.require_same(second.items, COMPARED)
    mapping = np.empty(first.n_items, dtype=np.int64)
    mapping[first.ranks] = second.ranks
    return mapping


def _scaled(distance: float, largest: int, normalized: bool) -> float:
    """Return a distance, or its share of the largest one, NaN if that is 0."""
    if not normalized:
        return float(distance)
    return distance / largest if largest else float("nan")


def correlation(covariance: float, scale: float) -> float:
    """Return the ratio, clipped to [-1, 1]; NaN if the scale is 0."""
    return min(1.0, max(-1.0, covariance / scale)) if scale else float("nan")


class _PairCounts(NamedTuple):
    """Counts of the pairs of items that two rankings compare."""

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
    first: PartialRanking,
    second: PartialRanking,
    *,
    tie_cost: float = 0.0,
    normalized: bool = False,
) -> float:
    """Count the pairs of items that two rankings order differently, each pair once.

    Parameters
    ----------
    first, second : PartialRanking
        Rankings of the same items.
    tie_cost : float, default 0
        The cost of a pair that exactly one of the rankings ties, 0 to 1. 1/2 is the expected
        distance if the tie is broken at random; the distance is a metric from 1/2 on.
    normalized : bool, default False
        Divide by the number of compared pairs, n(n - 1)/2 for complete rankings.

    Returns
    -------
    float
        NaN if normalized without a compared pair.

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
    >>> kendall_distance(abc, PartialRanking.from_buckets(["A", "BC"]), tie_cost=0.5)
    0.5
    """
    penalty = check_number(tie_cost, "tie_cost", low=0, high=1)
    counts = _count_pairs(first, second)
    once = counts.tied_first + counts.tied_second - 2 * counts.tied_both
    return _scaled(counts.discordant + penalty * once, counts.compared, normalized)


def kendall_tau(
    first: PartialRanking, second: PartialRanking, *, variant: Literal["a", "b"] = "b"
) -> float:
    """Return Kendall's tau of two rankings.

    Parameters
    ----------
    first, second : PartialRanking
        Rankings of the same items.
    variant : {"b", "a"}, default "b"
        "a": (concordant - discordant) / pairs; "b" corrects the denominator for ties, as in SciPy.

    Returns
    -------
    float
        Between -1 and 1; NaN if no pair is compared, or (for "b") one ranking ties all.

    References
    ----------
    Kendall (1945), doi:10.1093/biomet/33.3.239. Computed in O(n log n).

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
        pairs = sqrt(untied_first * (counts.compared - counts.tied_second))
    return correlation(counts.concordant - counts.discordant, pairs)


def tau_x(first: PartialRanking, second: PartialRanking) -> float:
    """Return the tau extension of Emond and Mason, in which equal ties agree.

    Parameters
    ----------
    first, second : PartialRanking
        Rankings of the same items; pairs that both compare count.

    Returns
    -------
    float
        Between -1 and 1; NaN if no pair is compared. It is 1 - 2d, with d the normalized
        `kendall_distance` at `tie_cost` 1/2. A ranking has the largest mean tau_x with others
        exactly if it has the least Kemeny distance with ties.

    References
    ----------
    Emond and Mason (2002), "A new rank correlation coefficient with application to the consensus
    ranking problem", https://doi.org/10.1002/mcda.313; for missing items Moreno-Centeno and
    Escobedo (2016), "Axiomatic aggregation of incomplete rankings",
    https://doi.org/10.1080/0740817X.2015.1109737.

    Examples
    --------
    >>> from rankagg import PartialRanking
    >>> from rankagg.distances import tau_x
    >>> tied = PartialRanking.from_buckets(["A", "BC"])
    >>> tau_x(tied, tied), round(tau_x(tied, PartialRanking.from_buckets("ABC")), 4)
    (1.0, 0.6667)
    """
    return 1.0 - 2.0 * kendall_distance(first, second, tie_cost=0.5, normalized=True)


def _count_pairs(first: PartialRanking, second: PartialRanking) -> _PairCounts:
    if isinstance(first, Permutation) and isinstance(second, Permutation):
        theirs = _rank_map(first, second)
        n = len(theirs)
        return _PairCounts(n * (n - 1) // 2, _inversions(theirs), 0, 0, 0)
    ranks = common_ranks(first, second)
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
        # Equal values keep their order, so they make no inversions.
        discordant=_inversions(_as_permutation(theirs[np.lexsort((theirs, mine))])),
        tied_first=_pairs_alike(mine[~my_gap]) - _pairs_alike(mine[~my_gap & their_gap]),
        tied_second=_pairs_alike(theirs[~their_gap]) - _pairs_alike(theirs[~their_gap & my_gap]),
        tied_both=_pairs_alike(both[~my_gap & ~their_gap]),
    )


def _pairs_alike(values: Integers64) -> int:
    # Counting small places is faster than sorting.
    are_small = len(values) and int(values.max()) < 64 * len(values)
    sizes = np.bincount(values) if are_small else np.unique(values, return_counts=True)[1]
    return int((sizes * (sizes - 1) // 2).sum())


def _as_permutation(values: Integers64) -> Integers64:
    """Return the position of each value in a stable sort."""
    places = np.empty(len(values), dtype=np.int64)
    places[np.argsort(values, kind="stable")] = np.arange(len(values))
    return places


def spearman_footrule(
    first: PartialRanking, second: PartialRanking, *, normalized: bool = False
) -> float:
    """Return the summed absolute differences of ranks; tied items have their mean rank.

    Parameters
    ----------
    first, second : PartialRanking
        Rankings of the same items; ranks are those among the items that both observe.
    normalized : bool, default False
        Divide by the largest value for n items, floor(n**2 / 2).

    Returns
    -------
    float

    References
    ----------
    Diaconis and Graham (1977), doi:10.1111/j.2517-6161.1977.tb01624.x.

    Examples
    --------
    >>> from rankagg import Permutation
    >>> from rankagg.distances import spearman_footrule
    >>> spearman_footrule(Permutation.from_order("ABC"), Permutation.from_order("CBA"))
    4.0
    """
    mine, theirs = common_mid_ranks(first, second)
    return _scaled(float(np.abs(mine - theirs).sum()), len(mine) ** 2 // 2, normalized)


def spearman_rho(first: PartialRanking, second: PartialRanking) -> float:
    """Return Spearman's correlation of ranks; tied items have their mean rank.

    Parameters
    ----------
    first, second : PartialRanking
        Rankings of the same items; ranks are those among the items that both observe.

    Returns
    -------
    float
        Between -1 and 1; NaN if one ranking ties all items.

    References
    ----------
    Spearman (1904), doi:10.2307/1412159.
    """
    mine, theirs = (mids - mids.mean() for mids in common_mid_ranks(first, second))
    scale = float(np.sqrt((mine**2).sum() * (theirs**2).sum()))
    return correlation(float((mine * theirs).sum()), scale)


def cayley_distance(first: Permutation, second: Permutation, *, normalized: bool = False) -> float:
    """Return the minimum number of exchanges of two items that make two rankings equal.

    Parameters
    ----------
    first, second : Permutation
        Complete strict rankings of the same items; ties and missing items are refused.
    normalized : bool, default False
        Divide by the largest value, n - 1.

    Returns
    -------
    float
        n minus the number of cycles of the permutation that maps one to the other.

    References
    ----------
    Cayley (1849), "Note on the theory of permutations", Philosophical Magazine 34, 527-529;
    Diaconis (1988), "Group representations in probability and statistics", chapter 6.

    Examples
    --------
    >>> from rankagg import Permutation
    >>> from rankagg.distances import cayley_distance
    >>> cayley_distance(Permutation.from_order("ABC"), Permutation.from_order("CBA"))
    1.0
    """
    mapping = _checked_map(first, second)
    n = len(mapping)
    seen = np.zeros(n, dtype=bool)
    cycles = 0
    for start in range(n):
        if not seen[start]:
            cycles += 1
            at = start
            while not seen[at]:
                seen[at] = True
                at = int(mapping[at])
    return _scaled(n - cycles, n - 1, normalized)


def hamming_distance(first: Permutation, second: Permutation, *, normalized: bool = False) -> float:
    """Return the number of items with different ranks.

    Parameters
    ----------
    first, second : Permutation
        Complete strict rankings of the same items; ties and missing items are refused.
    normalized : bool, default False
        Divide by n.

    Returns
    -------
    float

    References
    ----------
    Diaconis (1988), "Group representations in probability and statistics", chapter 6.

    Examples
    --------
    >>> from rankagg import Permutation
    >>> from rankagg.distances import hamming_distance
    >>> hamming_distance(Permutation.from_order("ABC"), Permutation.from_order("CBA"))
    2.0
    """
    mapping = _checked_map(first, second)
    n = len(mapping)
    return _scaled(int((mapping != np.arange(n)).sum()), n, normalized)


def ulam_distance(first: Permutation, second: Permutation, *, normalized: bool = False) -> float:
    """Return the minimum number of items to move to make two rankings equal.

    Parameters
    ----------
    first, second : Permutation
        Complete strict rankings of the same items; ties and missing items are refused.
    normalized : bool, default False
        Divide by the largest value, n - 1.

    Returns
    -------
    float
        n minus the length of the longest common subsequence; O(n log n).

    References
    ----------
    Ulam (1972), "Some ideas and prospects in biomathematics"; Diaconis (1988), "Group
    representations in probability and statistics", chapter 6.

    Examples
    --------
    >>> from rankagg import Permutation
    >>> from rankagg.distances import ulam_distance
    >>> ulam_distance(Permutation.from_order("ABCD"), Permutation.from_order("BCDA"))
    1.0
    """
    mapping = _checked_map(first, second)
    # The least last element of an increasing subsequence of each length.
    ends: list[int] = []
    for value in mapping.tolist():
        at = bisect_left(ends, value)
        ends[at : at + 1] = [value]
    return _scaled(len(mapping) - len(ends), len(mapping) - 1, normalized)


def _checked_map(first: Any, second: Any) -> Integers64:
    """Return `_rank_map` of two complete strict rankings; raise for others."""
    for parameter, ranking in (("first", first), ("second", second)):
        is_whole = isinstance(ranking, PartialRanking) and ranking.is_complete
        if not (is_whole and ranking.is_strict):
            remedy = "`kendall_distance` and `spearman_footrule` take ties and missing items."
            raise InvalidInputError(parameter, "a complete strict ranking", ranking, remedy)
    return _rank_map(first, second)


def _inversions(values: Integers64) -> int:
    """Count the pairs in which the earlier value is the larger.

    Values are split by their binary digits, from the highest. Values that agree in all higher
    digits form a group, in their original order. A pair of a group is an inversion if the earlier
    value has a 1 and the later a 0. Every value occurs once. After padding to a power of two, each
    group thus has as many zeros as ones, and groups are the rows of a matrix. The inversions of a
    digit follow from the sum of the positions of its zeros.
    """
    n = len(values)
    if n <= FEW:
        return _inversions_by_insertion(values.tolist())
    digits = max(LAST, (n - 1).bit_length())
    size = 1 << digits
    left = np.arange(size, dtype=_unsigned_type(digits))  # the padding is in order
    left[:n] = values
    total = 0
    for digit in reversed(range(LAST, digits)):
        # The position implies the higher digits, so a narrower type suffices.
        left = left.astype(_unsigned_type(digit + 1), copy=False)
        half, groups = 1 << digit, size >> (digit + 1)
        ones = (left & left.dtype.type(half)).astype(bool)
        zeros = np.flatnonzero(~ones)
        # In group g the i-th zero follows 2 half g + i values other than the group's ones.
        before = 2 * half * half * (groups * (groups - 1) // 2) + groups * (half * (half - 1) // 2)
        total += int(zeros.sum()) - before
        split = np.empty((groups, 2 * half), dtype=left.dtype)
        split[:, :half] = left[zeros].reshape(groups, half)
        split[:, half:] = left[ones].reshape(groups, half)
        left = split.reshape(-1)
    last = left & left.dtype.type((1 << LAST) - 1)
    places = np.ascontiguousarray(last.astype(np.uint8).reshape(-1, 1 << LAST).T)
    return total + sum(
        int(np.count_nonzero(places[at] > places[at + 1 :])) for at in range((1 << LAST) - 1)
    )


def _inversions_by_insertion(values: list[int]) -> int:
    """Count the inversions in an insertion sort."""
    before: list[int] = []
    total = 0
    for value in values:
        total += len(before) - bisect_right(before, value)
        insort(before, value)
    return total


def _unsigned_type(digits: int) -> np.dtype[Any]:
    """Return the smallest type for numbers with this many binary digits."""
    return np.min_scalar_type((1 << digits) - 1)
