"""Correlation by average precision: of those above every item, how many belong there."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats, Ranks
from rankagg._validation import check_choice
from rankagg.core.rankings import places
from rankagg.core.rankings.partial import PartialRanking
from rankagg.distances.common import common_ranks, correlation
from rankagg.exceptions import Described, InvalidInputError
from rankagg.kernels.inversions import smaller_before


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
    ordered = np.sort(ranks)
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    sizes = np.diff(starts, append=n)
    right = np.add.reduceat(_right_above(ranks, truth)[np.argsort(ranks, kind="stable")], starts)
    # On average half of the bucket's items that come to stand above belong there.
    mates = np.arange(n) - np.repeat(starts, sizes)
    expected: Floats = np.repeat(right / sizes, sizes) + mates / 2
    above = np.arange(1, n)
    return correlation(2 * float((expected[1:] / above).sum()) - (n - 1), n - 1)


def _one_sided(ranks: Ranks, others: Ranks) -> float:
    """Return what the items above each say, by the first of both rankings."""
    below = ranks > ranks.min()
    # The rank is the number of items above, but for those that are not listed.
    above = np.searchsorted(np.sort(ranks), ranks[below])
    number = int(below.sum())
    right = _right_above(ranks, others)[below]
    return correlation(2 * float((right / above).sum()) - number, number)


def _right_above(ranks: Ranks, others: Ranks) -> NDArray[np.int64]:
    """Count for every item those that are above it in both rankings."""
    n = len(ranks)
    # Those tied in either must not count: of them the earlier one gets the larger number.
    order = np.lexsort((-others, ranks))
    values = np.empty(n, dtype=np.int64)
    values[np.lexsort((-np.arange(n), others[order]))] = np.arange(n)
    found = np.empty(n, dtype=np.int64)
    found[order] = smaller_before(values)
    return found
