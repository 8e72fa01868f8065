"""Agreement in which the top matters more: top k, overlap, weighted tau, average precision."""

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
    shared = _shared_items(common_ranks(first, second))
    depths = np.arange(1, len(shared) + 1)
    if not from_top:
        # Of n items, those of neither first n - k are in both last k.
        shared = 2.0 * depths - len(shared) + np.concatenate([shared[-2::-1], [0.0]])
    return shared / depths


def _shared_items(ranks: Ranks, *, listed: bool = False) -> Floats:
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
    """Average the overlap of the first k items over all k, early ones counting more.

    Complete rankings are seen to the end. Of top-k lists (those with unlisted items) the overlap
    beyond their ends is unknown: it is extrapolated, or bounded from below.

    Parameters
    ----------
    first, second : PartialRanking
        Rankings of the same items; only those that both observe take part. Lists may have
        different lengths.
    persistence : float, default 0.9
        p in (0, 1): the overlap of the first k items weighs (1 - p) p**(k - 1). See the notes for
        what that makes of a rank.
    variant : {"extrapolated", "least", "residual"}, default "extrapolated"
        Of lists: RBO_ext, as if they continued to agree as they do as far as they go (equation 32
        of Webber et al.); RBO_min, if they shared nothing more (equation 11); or RBO_res, by how
        much the largest possible value is above that (equation 30). Of complete rankings the
        first two are the same, and nothing is left over.

    Returns
    -------
    float
        Between 0 and 1; NaN if it is to be extrapolated from a list that lists nothing.

    Notes
    -----
    Two weights are easily mixed up. The depths 1 to d together weigh 1 - p**d: 65.1 % for ten
    depths at p = 0.9. The rank j takes part in all depths from j on, a k-th of each, and weighs
    the sum of (1 - p) p**(k - 1) / k over k >= j: the first ten ranks weigh 85.6 % at p = 0.9
    (equation 21 of Webber et al.), and the first one 69.3 % at p = 0.5, where the first depth
    weighs 50 %.

    With ties the result is the mean over all ways of breaking them (RBO^a of Corsi and Urbano).
    Webber et al. place all tied items at the first of their ranks instead (RBO^w).

    Time grows as n without ties, and as n^2 where there are some.

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

    Two lists of four of six items, which share their last one and one more:

    >>> lists = [PartialRanking.from_top_k(top, items="ACGHMN") for top in ("NHMA", "CGNA")]
    >>> variants = ("extrapolated", "least", "residual")
    >>> [round(rank_biased_overlap(*lists, variant=variant), 4) for variant in variants]
    [0.3915, 0.1947, 0.5117]

    What the first ten depths and the first ten ranks weigh at 0.9, of 1000 items:

    >>> import numpy as np
    >>> depth = 0.1 * 0.9 ** np.arange(1000)
    >>> rank = (depth / np.arange(1, 1001))[::-1].cumsum()[::-1]
    >>> print(f"{depth[:10].sum():.3f} {rank[:10].sum():.3f}")
    0.651 0.856

    Rankings that share the first ten ranks, and as little as they can of the rest, agree by the
    weight of these ranks:

    >>> order = np.arange(1000)
    >>> turned = np.concatenate([order[:10], order[:9:-1]])
    >>> round(rank_biased_overlap(Permutation(order), Permutation(turned)), 3)
    0.856
    """
    p = check_number(persistence, "persistence", low=0, high=1, open_low=True, open_high=True)
    choice = check_choice(variant, ("extrapolated", "least", "residual"), "variant")
    ranks = common_ranks(first, second)
    n = ranks.shape[1]
    short, long = np.sort((ranks >= 0).sum(axis=1)).tolist()
    depths = np.arange(1, n + 1)
    # At depth d, the number 0 included: the items shared, and what each of them weighs.
    shared = np.concatenate([[0.0], _shared_items(ranks, listed=True)])[: long + 1]
    weights = np.concatenate([[0.0], (1.0 - p) * p ** (depths - 1) / depths])
    seen = float(weights[: long + 1] @ shared)
    if short == n:
        return 0.0 if choice == "residual" else seen + p**n
    in_both = shared[long]
    if choice == "extrapolated":
        if short == 0:
            return float("nan")
        agreed = shared[short] / short
        behind = float(weights[short : long + 1] @ np.arange(long - short + 1))
        agreed_at_end = (in_both - shared[short]) / long + agreed
        return float(seen + behind * agreed + agreed_at_end * p**long)
    # What one item weighs that is shared at all depths.
    always = -(1.0 - p) / p * np.log1p(-p)
    if choice == "least":
        return float(seen + in_both * max(always - weights[: long + 1].sum(), 0.0))
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
    """Correlate two rankings by pairs that weigh more the nearer they are to the top.

    A pair of items at the ranks r and s (from 0) weighs 1/(r + 1) + 1/(s + 1), or their product;
    the result is the mean of that by the ranks of either ranking.

    Parameters
    ----------
    first, second : PartialRanking
        Rankings of the same items; only those that both observe take part.
    additive : bool, default True
        Add the two weights, or multiply them.

    Returns
    -------
    float
        Between -1 and 1; NaN where one ranking ties all items.

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
    """Correlate two rankings by the share of items above each that both have above it.

    Of every item but the first, the share of the items above it that belong there is taken, and
    the mean of these shares is brought from the range 0 to 1 to -1 to 1. An exchange at the top
    spoils more shares than one further down, which is what tells it from Kendall's tau.

    Parameters
    ----------
    first, second : PartialRanking
        Rankings of the same items; only those that both observe take part. Unlisted items share
        the last rank.
    variant : {"b", "a"}, default "b"
        "b" is the agreement of two rankings: the mean of what each says of the other. "a" is the
        accuracy of `first`, held against a true ranking `second` in which nothing is tied; without
        ties in `first` it is the coefficient of Yilmaz et al., which is not symmetric.

    Returns
    -------
    float
        Between -1 and 1; NaN for one item, and (for "b") where one ranking ties all.

    Raises
    ------
    InvalidInputError
        If `second` ties items that `first` observes, and the variant is "a".

    Notes
    -----
    Ties are those of Urbano and Marrero. Under "a" the ties of `first` are errors of measurement:
    the result is the mean over all ways of breaking them. Under "b" they are meant: items of the
    first bucket have nobody above them and are left out, the others have the buckets above them,
    and what only the other ranking ties does not belong there. Computed in O(n log n).

    References
    ----------
    Yilmaz, Aslam and Robertson (2008), "A new rank correlation coefficient for information
    retrieval", https://doi.org/10.1145/1390334.1390435; with ties, Urbano and Marrero (2017), "The
    treatment of ties in AP correlation", https://doi.org/10.1145/3121050.3121106.

    Examples
    --------
    An exchange at the top costs more than one at the bottom:

    >>> from rankagg import PartialRanking, Permutation
    >>> from rankagg.distances import tau_ap
    >>> true = Permutation.from_order("ABCD")
    >>> top, bottom = Permutation.from_order("BACD"), Permutation.from_order("ABDC")
    >>> round(tau_ap(top, true), 3), round(tau_ap(bottom, true), 3)
    (0.333, 0.778)

    What a tie at the top is worth when it is broken at random:

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
    """Average over all ways of breaking ties in the first of both."""
    n = len(ranks)
    starts = np.flatnonzero(np.diff(np.sort(ranks), prepend=-1))
    sizes = np.diff(starts, append=n)
    right = np.add.reduceat(_right_above(ranks, truth)[np.argsort(ranks, kind="stable")], starts)
    # On average half of the bucket's items that come to stand above belong there.
    mates = np.arange(n) - np.repeat(starts, sizes)
    expected = np.repeat(right / sizes, sizes) + mates / 2
    return correlation(2 * float((expected[1:] / np.arange(1, n)).sum()) - (n - 1), n - 1)


def _one_sided(ranks: Ranks, others: Ranks) -> float:
    """Return what the items above each say, by the first of both rankings."""
    below = ranks > ranks.min()
    # The rank is the number of items above, but for those that are not listed.
    above = np.searchsorted(np.sort(ranks), ranks[below])
    number = int(below.sum())
    right = _right_above(ranks, others)[below]
    return correlation(2 * float((right / above).sum()) - number, number)


def _right_above(ranks: Ranks, others: Ranks) -> Integers64:
    """Count for every item those that are above it in both rankings."""
    n = len(ranks)
    # Those tied in either must not count: of them the earlier one gets the larger number.
    order = np.lexsort((-others, ranks))
    values = np.empty(n, dtype=np.int64)
    values[np.lexsort((-np.arange(n), others[order]))] = np.arange(n)
    found = np.empty(n, dtype=np.int64)
    found[order] = _smaller_before(values)
    return found


def _smaller_before(values: Integers64) -> Integers64:
    """Count for every value the earlier ones that are smaller.

    Values are split by their binary digits, as in `inversions`: what agrees in all higher digits
    stands together, from the first of these numbers on, and every 1 has the zeros before it as
    earlier and smaller ones.
    """
    n = len(values)
    found, at, left = np.zeros(n, dtype=np.int64), np.arange(n), values.astype(np.int64)
    for digit in reversed(range((n - 1).bit_length())):
        ones = (left >> digit & 1).astype(bool)
        start = left >> (digit + 1) << (digit + 1)
        zeros = np.concatenate([[0], np.cumsum(~ones)])
        before = zeros[:-1] - zeros[start]
        found[at[ones]] += before[ones]
        # In their order, the zeros of a group first and then its ones.
        rank = np.where(ones, np.arange(n) - start - before, before)
        place = (left >> digit << digit) + rank
        moved, moved_at = np.empty_like(left), np.empty_like(at)
        moved[place], moved_at[place] = left, at
        left, at = moved, moved_at
    return found
