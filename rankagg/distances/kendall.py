"""Distance and correlation by pairs that two rankings order differently."""

from __future__ import annotations

from math import sqrt
from typing import Literal, NamedTuple

import numpy as np

from rankagg._typing import Integers64
from rankagg._validation import check_choice, check_number
from rankagg.core import PartialRanking, Permutation, places
from rankagg.distances.common import common_ranks, correlation, mapping_of, of_largest
from rankagg.kernels.counting import inversions


class _PairCounts(NamedTuple):
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
    >>> kendall_distance(abc, PartialRanking.from_buckets(["A", "BC"]), tie_cost=0.5)
    0.5
    """
    penalty = check_number(tie_cost, "tie_cost", low=0, high=1)
    counts = _count_pairs(first, second)
    once = counts.tied_first + counts.tied_second - 2 * counts.tied_both
    return of_largest(counts.discordant + penalty * once, counts.compared, normalized)


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
    """Correlate two rankings so that a tie agrees with a tie, and with an order by half.

    Parameters
    ----------
    first, second : PartialRanking
        Rankings of the same items; pairs that both compare count.

    Returns
    -------
    float
        Between -1 and 1; NaN where no pair is compared. It is 1 - 2d, with d the normalized
        `kendall_distance` at `tie_cost` 1/2, so its mean over rankings is largest where Kemeny's
        distance with ties is least.

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
        theirs = mapping_of(first, second)
        n = len(theirs)
        return _PairCounts(n * (n - 1) // 2, inversions(theirs), 0, 0, 0)
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
        # Equal values stay in their order, so they are no inversions once they are told apart.
        discordant=inversions(_as_permutation(theirs[np.lexsort((theirs, mine))])),
        tied_first=_pairs_alike(mine[~my_gap]) - _pairs_alike(mine[~my_gap & their_gap]),
        tied_second=_pairs_alike(theirs[~their_gap]) - _pairs_alike(theirs[~their_gap & my_gap]),
        tied_both=_pairs_alike(both[~my_gap & ~their_gap]),
    )


def _pairs_alike(values: Integers64) -> int:
    # Places are small, so that counting them is faster than sorting.
    few = len(values) and int(values.max()) < 64 * len(values)
    sizes = np.bincount(values) if few else np.unique(values, return_counts=True)[1]
    return int((sizes * (sizes - 1) // 2).sum())


def _as_permutation(values: Integers64) -> Integers64:
    """Return the position of each value in sorted order, equal ones in their order."""
    places = np.empty(len(values), dtype=np.int64)
    places[np.argsort(values, kind="stable")] = np.arange(len(values))
    return places
