"""Agreement of rankings in which the top matters more: rank-biased overlap, weighted tau."""

from __future__ import annotations

import numpy as np
import scipy

from rankagg._validation import check_number
from rankagg.core.rankings import places
from rankagg.core.rankings.partial import PartialRanking
from rankagg.distances.common import common_ranks, shared_items


def rank_biased_overlap(
    first: PartialRanking, second: PartialRanking, *, persistence: float = 0.9
) -> float:
    """Average the overlap of the first k items over all k, early ones counting more.

    Parameters
    ----------
    first, second : PartialRanking
        Rankings of the same items; only those that both observe take part. Where there is a tie
        at rank k, the overlap is the expected one when it is broken at random.
    persistence : float, default 0.9
        p in (0, 1): the overlap of the first k items weighs (1 - p) p**(k - 1). See the notes for
        what that makes of a rank.

    Returns
    -------
    float
        Between 0 and 1. Both rankings are seen to the end, so the overlap beyond is 1 and nothing
        is extrapolated.

    Notes
    -----
    Two weights are easily mixed up. The depths 1 to d together weigh 1 - p**d: 65.1 % for ten
    depths at p = 0.9. The rank j takes part in all depths from j on, a k-th of each, and weighs
    the sum of (1 - p) p**(k - 1) / k over k >= j: the first ten ranks weigh 85.6 % at p = 0.9
    (equation 21 of Webber et al.), and the first one 69.3 % at p = 0.5, where the first depth
    weighs 50 %.

    Time grows as n without ties, and as n^2 where there are some.

    References
    ----------
    Webber, Moffat and Zobel (2010), "A similarity measure for indefinite rankings",
    https://doi.org/10.1145/1852102.1852106.

    Examples
    --------
    >>> from rankagg import Permutation
    >>> from rankagg.distances import rank_biased_overlap
    >>> abc = Permutation.from_order("ABC")
    >>> round(rank_biased_overlap(abc, Permutation.from_order("ACB"), persistence=0.5), 3)
    0.875

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
    ranks = common_ranks(first, second)
    n = ranks.shape[1]
    overlap = shared_items(ranks) / np.arange(1, n + 1)
    weights = (1.0 - p) * p ** np.arange(n)
    return float(weights @ overlap + p**n)


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
