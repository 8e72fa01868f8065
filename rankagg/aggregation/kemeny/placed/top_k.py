"""The exact top-k consensus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from rankagg._validation import check_integer, check_number
from rankagg.aggregation.kemeny.placed.rule import PlacedRule
from rankagg.exceptions import InvalidInputError

__all__ = ["TopK"]

# Kemeny and Snell's, and the neutral one of Fagin's.
HALF = 0.5


@dataclass(frozen=True, kw_only=True)
class TopK(PlacedRule):
    """The exact top-k list: the first k places and all else tied behind, of least summed distance.

    Of all weak orders that put k items on a place each and tie the rest, it is one that costs
    least, proved by a certificate that is verified before it is returned. Where the proof is not
    complete, the certificate says "gap" instead of "optimal".

    It is not the beginning of Kemeny's ranking. On complete strict rankings the best list of one
    item is Borda's winner, and with more places majorities within the list count more and more; k
    one less than the number of items is Kemeny's rule.

    Parameters
    ----------
    k : int
        How many items are listed, at most as many as there are.
    unranked : {"uniform", "ignore", "last"}, optional
        The policy for unranked items; by default that of the matrix where the data are one, and
        "uniform" otherwise. "last" reads rankings that are top-k lists themselves as such.
    tie_cost : float, default 0.5
        What a vote that judges two items equal costs where the list does not, 0 to 1.
    consensus_tie_cost : float, optional
        What a vote that orders two items costs where neither is listed, 0 to 1; by default the
        `tie_cost`. p for both is K^(p) of Fagin, Kumar and Sivakumar.
    time_limit : float, optional
        Seconds after which the best list so far comes back, with its bound and status "gap".
        Ctrl-C does the same.
    verify : bool, default True
        Check the certificate before it is returned.
    on_progress : callable, optional
        Called as ``on_progress(best, bound)`` some times a second, in votes. Where it returns
        true, the search stops as it does under a time limit.

    Notes
    -----
    On complete strict rankings the prices of ties change no optimum: all lists tie equally many
    votes. Which of several optima comes back is unspecified.

    The search goes through beginnings of lists, and leaves out those that a bound or an exchange
    of two items rules out. Where votes agree on much, that takes milliseconds with a hundred
    items. With up to 20 items it always ends with a proof; beyond, memory ends it with a gap where
    votes agree on little.

    References
    ----------
    Fagin, Kumar and Sivakumar (2003), doi:10.1137/S0895480102412856.

    Examples
    --------
    >>> from rankagg import Profile, TopK
    >>> votes = Profile.from_orders(["ABCD", "BCDA"], counts=[3, 2])
    >>> for k in (1, 3):
    ...     found = TopK(k=k).aggregate(votes)
    ...     print(found.buckets, found.cost)
    (('B',), ('A', 'C', 'D')) 10.5
    (('A',), ('B',), ('C',), ('D',)) 6.0
    """

    k: int
    tie_cost: float = HALF
    consensus_tie_cost: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer(self.k, "k of TopK", low=1)
        if self.consensus_tie_cost is not None:
            check_number(self.consensus_tie_cost, "consensus_tie_cost of TopK", low=0, high=1)

    @property
    def price_of_ties(self) -> float:
        """What a vote costs that orders two items of which neither is listed."""
        return self.tie_cost if self.consensus_tie_cost is None else self.consensus_tie_cost

    @property
    def _price(self) -> float:
        return self.price_of_ties

    def _weights(self, n_items: int) -> Sequence[Fraction]:
        if self.k > n_items:
            raise InvalidInputError("k of TopK", f"at most the number of items, {n_items}", self.k)
        return [Fraction(1)] * min(self.k, n_items - 1)
