"""Top-weighted agreement: top k, overlap, weighted tau, average precision."""

from __future__ import annotations

from typing import Literal

import numpy as np
import scipy

from rankagg._typing import Floats, Integers64, Ranks
from rankagg._validation import check_choice, check_integer, check_number
from rankagg.core import PartialRanking, places
from rankagg.distances.unweighted import common_ranks, correlation
from rankagg.exceptions import Described, InvalidInputError


def top_k_agreement(first: PartialRanking, second: PartialRanking, k: int) -> float:
    """Return the expected share of items that two top-k sets have in common.

    A tie at rank k is broken at random, independently in both rankings. The order in which items
    are stored does not matter.

    Parameters
    ----------
    first, second : PartialRanking
        Rankings of the same items; only items that both observe count.
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
    shared = _shared_items(common_ranks(first, second))
    depths = np.arange(1, len(shared) + 1)
    if not from_top:
        # Items in neither top n - k are in both last k.
        shared = 2.0 * depths - len(shared) + np.concatenate([shared[-2::-1], [0.0]])
    return shared / depths


def _shared_items(ranks: Ranks, *, listed: bool = False) -> Floats:
    """Return the expected number of items in both top k for every k, shape (n,).

    Ties are broken at random. With `listed`, items that one ranking does not list do not count;
    otherwise their order is random. Time grows as n without ties, and as n times the number of
    tied items otherwise.
    """
    n = ranks.shape[1]
    # An untied item is shared from the larger of its two ranks on.
    untied = (places.mid_ranks(ranks) == ranks).all(axis=0)
    shared = np.cumsum(np.bincount(ranks.max(axis=0)[untied], minlength=n)).astype(np.float64)
    tied = ~untied & ((ranks >= 0).all(axis=0) | (not listed))
    if tied.any():
        for k in range(1, n + 1):
            shares = places.top_k_shares(ranks, k)[:, tied]
            shared[k - 1] += float((shares[0] * shares[1]).sum())
    return shared


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


def rank_biased_overlap(
    first: PartialRanking,
    second: PartialRanking,
    *,
    persistence: float = 0.9,
    variant: Literal["extrapolated", "least", "residual"] = "extrapolated",
) -> float:
    """Return the mean overlap of the first k items over all k, weighted toward small k.

    The overlap of top-k lists (those with unlisted items) is unknown beyond their ends; it is
    extrapolated, or bounded from below.

    Parameters
    ----------
    first, second : PartialRanking
        Rankings of the same items; only items that both observe count. Lists may have different
        lengths.
    persistence : float, default 0.9
        p in (0, 1): the overlap of the first k items has weight (1 - p) p**(k - 1). The notes
        give the weight of a rank.
    variant : {"extrapolated", "least", "residual"}, default "extrapolated"
        For lists: RBO_ext extrapolates their observed agreement (equation 32 of Webber et al.).
        RBO_min assumes no further shared items (equation 11). RBO_res is the largest possible
        value minus RBO_min (equation 30). For complete rankings the first two are equal, and the
        residual is 0.

    Returns
    -------
    float
        Between 0 and 1; NaN if an empty list is to be extrapolated.

    Notes
    -----
    Weights of depths and of ranks differ. The depths 1 to d together have weight 1 - p**d: 65.1 %
    for ten depths at p = 0.9. The rank j is a k-th of every depth k >= j, and has the weight
    sum of (1 - p) p**(k - 1) / k over k >= j. The first ten ranks have 85.6 % at p = 0.9
    (equation 21 of Webber et al.). At p = 0.5 the first rank has 69.3 %, the first depth 50 %.

    With ties the result is the mean over all ways of breaking them (RBO^a of Corsi and Urbano).
    Webber et al. place all tied items at the first of their ranks instead (RBO^w).

    Time grows as n without ties, and as n^2 with ties.

    References
    ----------
    Webber, Moffat and Zobel (2010), "A similarity measure for indefinite rankings",
    https://doi.org/10.1145/1852102.1852106; ties: Corsi and Urbano (2024), "The treatment of ties
    in rank-biased overlap", https://doi.org/10.1145/3626772.3657700.

    Examples
    --------
    >>> from rankagg import PartialRanking, Permutation
    >>> from rankagg.distances import rank_biased_overlap
    >>> abc = Permutation.from_order("ABC")
    >>> round(rank_biased_overlap(abc, Permutation.from_order("ACB"), persistence=0.5), 3)
    0.875

    Two lists of four of six items, which share their last item and another one:

    >>> lists = [PartialRanking.from_top_k(top, items="ACGHMN") for top in ("NHMA", "CGNA")]
    >>> variants = ("extrapolated", "least", "residual")
    >>> [round(rank_biased_overlap(*lists, variant=variant), 4) for variant in variants]
    [0.3915, 0.1947, 0.5117]

    The weights of the first ten depths and of the first ten ranks at 0.9, with 1000 items:

    >>> import numpy as np
    >>> depth = 0.1 * 0.9 ** np.arange(1000)
    >>> rank = (depth / np.arange(1, 1001))[::-1].cumsum()[::-1]
    >>> print(f"{depth[:10].sum():.3f} {rank[:10].sum():.3f}")
    0.651 0.856

    If rankings share the first ten ranks, and as little as possible of the rest, the overlap is
    the weight of these ranks:

    >>> order = np.arange(1000)
    >>> reversed_tail = np.concatenate([order[:10], order[:9:-1]])
    >>> round(rank_biased_overlap(Permutation(order), Permutation(reversed_tail)), 3)
    0.856
    """
    p = check_number(persistence, "persistence", low=0, high=1, open_low=True, open_high=True)
    choice = check_choice(variant, ("extrapolated", "least", "residual"), "variant")
    ranks = common_ranks(first, second)
    n = ranks.shape[1]
    short, long = np.sort((ranks >= 0).sum(axis=1)).tolist()
    depths = np.arange(1, n + 1)
    # At each depth from 0: the number of shared items, and the weight of each of them.
    shared = np.concatenate([[0.0], _shared_items(ranks, listed=True)])[: long + 1]
    weights = np.concatenate([[0.0], (1.0 - p) * p ** (depths - 1) / depths])
    observed = float(weights[: long + 1] @ shared)
    if short == n:
        return 0.0 if choice == "residual" else observed + p**n
    in_both = shared[long]
    if choice == "extrapolated":
        if short == 0:
            return float("nan")
        agreement = shared[short] / short
        tail = float(weights[short : long + 1] @ np.arange(long - short + 1))
        agreement_at_end = (in_both - shared[short]) / long + agreement
        return float(observed + tail * agreement + agreement_at_end * p**long)
    # The weight of an item that is shared at all depths.
    always = -(1.0 - p) / p * np.log1p(-p)
    if choice == "least":
        return float(observed + in_both * max(always - weights[: long + 1].sum(), 0.0))
    # The least depth at which all items of both lists can be shared.
    last = round(short + long - in_both)
    outside = (
        short * weights[short + 1 : last + 1].sum() + long * weights[long + 1 : last + 1].sum()
    )
    beyond = in_both * max(always - weights[: last + 1].sum(), 0.0)
    return float(p**short + p**long - p**last - outside - beyond)


def weighted_kendall_tau(
    first: PartialRanking, second: PartialRanking, *, additive: bool = True
) -> float:
    """Return Kendall's tau with more weight on pairs near the top.

    A pair of items at the ranks r and s (from 0) has the weight 1/(r + 1) + 1/(s + 1), or the
    product of both terms. The result is the mean over the weights by either ranking.

    Parameters
    ----------
    first, second : PartialRanking
        Rankings of the same items; only items that both observe count.
    additive : bool, default True
        Add the two terms, or multiply them.

    Returns
    -------
    float
        Between -1 and 1; NaN if one ranking ties all items.

    References
    ----------
    Vigna (2015), "A weighted correlation index for rankings with ties",
    https://doi.org/10.1145/2736277.2741088; computed by SciPy.

    Examples
    --------
    >>> from rankagg import Permutation
    >>> from rankagg.distances import weighted_kendall_tau
    >>> abc = Permutation.from_order("ABC")
    >>> round(weighted_kendall_tau(abc, Permutation.from_order("BAC")), 3)
    0.182
    """
    mids = places.mid_ranks(common_ranks(first, second))
    return float(
        scipy.stats.weightedtau(-mids[0], -mids[1], rank=True, additive=additive).statistic
    )


def tau_ap(
    first: PartialRanking, second: PartialRanking, *, variant: Literal["a", "b"] = "b"
) -> float:
    """Return the average precision correlation of two rankings.

    For every item but the first, it takes the share of the items above it that are also above it
    in the other ranking. The mean of these shares is rescaled from [0, 1] to [-1, 1]. Unlike in
    Kendall's tau, an exchange at the top counts more than one further down.

    Parameters
    ----------
    first, second : PartialRanking
        Rankings of the same items; only items that both observe count. Unlisted items share the
        last rank.
    variant : {"b", "a"}, default "b"
        "b" is the agreement of two rankings, the mean over both directions. "a" is the accuracy
        of `first` for a true ranking `second` without ties. Without ties in `first`, "a" is the
        coefficient of Yilmaz et al., which is not symmetric.

    Returns
    -------
    float
        Between -1 and 1; NaN for one item, and (for "b") if one ranking ties all.

    Raises
    ------
    InvalidInputError
        If `second` ties items that `first` observes, and the variant is "a".

    Notes
    -----
    Ties follow Urbano and Marrero. Under "a" the ties of `first` are measurement errors, and the
    result is the mean over all ways of breaking them. Under "b" ties are intended. Items of the
    first bucket have no items above them and are left out. An item above another one in one
    ranking, but tied with it in the other, is not a shared one. Computed in O(n log n).

    References
    ----------
    Yilmaz, Aslam and Robertson (2008), "A new rank correlation coefficient for information
    retrieval", https://doi.org/10.1145/1390334.1390435; with ties, Urbano and Marrero (2017), "The
    treatment of ties in AP correlation", https://doi.org/10.1145/3121050.3121106.

    Examples
    --------
    An exchange at the top counts more than one at the bottom:

    >>> from rankagg import PartialRanking, Permutation
    >>> from rankagg.distances import tau_ap
    >>> true = Permutation.from_order("ABCD")
    >>> top, bottom = Permutation.from_order("BACD"), Permutation.from_order("ABDC")
    >>> round(tau_ap(top, true), 3), round(tau_ap(bottom, true), 3)
    (0.333, 0.778)

    A tie at the top is broken at random:

    >>> tied = PartialRanking.from_buckets(["AB", "C", "D"])
    >>> round(tau_ap(tied, true, variant="a"), 3)
    0.667
    """
    choice = check_choice(variant, ("a", "b"), "variant")
    # Unlisted items look tied below all others.
    mine, theirs = places.comparable(common_ranks(first, second))
    if choice == "a":
        if len(np.unique(theirs)) < len(theirs):
            allowed = 'a true ranking without ties, for `variant="a"`'
            remedy = '`variant="b"` takes ties in both.'
            raise InvalidInputError("second", allowed, Described("tied items"), remedy)
        return _accuracy(mine, theirs)
    return (_one_sided(mine, theirs) + _one_sided(theirs, mine)) / 2


def _accuracy(ranks: Ranks, truth: Ranks) -> float:
    """Return the mean accuracy over all ways of breaking the ties of `ranks`."""
    n = len(ranks)
    starts = np.flatnonzero(np.diff(np.sort(ranks), prepend=-1))
    sizes = np.diff(starts, append=n)
    right = np.add.reduceat(_shared_above(ranks, truth)[np.argsort(ranks, kind="stable")], starts)
    # On average half of the tied items that are placed above an item are truly above it.
    mates = np.arange(n) - np.repeat(starts, sizes)
    expected = np.repeat(right / sizes, sizes) + mates / 2
    return correlation(2 * float((expected[1:] / np.arange(1, n)).sum()) - (n - 1), n - 1)


def _one_sided(ranks: Ranks, others: Ranks) -> float:
    """Return the mean precision above each item of the first ranking, in [-1, 1]."""
    below = ranks > ranks.min()
    # The number of items above; for unlisted items it differs from the rank.
    above = np.searchsorted(np.sort(ranks), ranks[below])
    number = int(below.sum())
    shared = _shared_above(ranks, others)[below]
    return correlation(2 * float((shared / above).sum()) - number, number)


def _shared_above(ranks: Ranks, others: Ranks) -> Integers64:
    """Count for every item the items above it in both rankings."""
    n = len(ranks)
    # Items tied in either do not count, so the earlier one gets the larger number.
    order = np.lexsort((-others, ranks))
    values = np.empty(n, dtype=np.int64)
    values[np.lexsort((-np.arange(n), others[order]))] = np.arange(n)
    counts = np.empty(n, dtype=np.int64)
    counts[order] = _count_smaller_before(values)
    return counts


def _count_smaller_before(values: Integers64) -> Integers64:
    """Count the smaller earlier values of every value.

    Values are split by their binary digits, as in `_inversions`. Values that agree in all higher
    digits form a group, which starts at the smallest of them. For every 1, the zeros before it in
    its group are smaller and earlier.
    """
    n = len(values)
    counts, at, left = np.zeros(n, dtype=np.int64), np.arange(n), values.astype(np.int64)
    for digit in reversed(range((n - 1).bit_length())):
        ones = (left >> digit & 1).astype(bool)
        start = left >> (digit + 1) << (digit + 1)
        zeros = np.concatenate([[0], np.cumsum(~ones)])
        before = zeros[:-1] - zeros[start]
        counts[at[ones]] += before[ones]
        # The zeros of a group first and then its ones, each in their order.
        rank = np.where(ones, np.arange(n) - start - before, before)
        place = (left >> digit << digit) + rank
        moved, moved_at = np.empty_like(left), np.empty_like(at)
        moved[place], moved_at[place] = left, at
        left, at = moved, moved_at
    return counts
