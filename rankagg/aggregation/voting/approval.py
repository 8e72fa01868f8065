"""Approval of the first k places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from rankagg._validation import check_integer
from rankagg.aggregation.voting.place_points import PlacePoints
from rankagg.core.items import counted

__all__ = ["Approval"]


@dataclass(frozen=True)
class Approval(PlacePoints):
    """k-approval: one point for each of the first k places; items tied across them share.

    Parameters
    ----------
    k : int
        How many places get the point, at least 1. Where there are no more items than that, every
        place counts alike, and the result says so.
    unranked : {"uniform", "ignore", "last"}, optional
        The policy for unranked items, as for `Positional`; by default "uniform".

    References
    ----------
    Brandt et al. (2016), Handbook of Computational Social Choice, chapter 2,
    https://doi.org/10.1017/CBO9781107446984.

    Examples
    --------
    >>> from rankagg import Approval, Profile
    >>> Approval(2).aggregate(Profile.from_orders(["ABC", "BCA"], counts=[3, 2])).scores
    array([3., 5., 2.])
    """

    k: int

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "k", check_integer(self.k, "k of Approval", low=1))

    def _weights(self, n_items: int) -> Sequence[Fraction]:
        return [Fraction(place < self.k) for place in range(n_items)]

    def _notes(self, items: Sequence[object]) -> tuple[str, ...]:
        if len(items) > self.k:
            return ()
        return (f"no item has a place below {self.k}: {counted(len(items), 'place')} count alike",)
