"""Plurality: first places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from rankagg.aggregation.voting.place_points import PlacePoints

__all__ = ["Plurality", "plurality_weights"]


@dataclass(frozen=True, kw_only=True)
class Plurality(PlacePoints):
    """Plurality: one point for first place; tied items share it.

    Parameters
    ----------
    unranked : {"uniform", "ignore", "last"}, optional
        The policy for unranked items, as for `Positional`; by default "uniform".

    References
    ----------
    Brandt et al. (2016), Handbook of Computational Social Choice, chapter 2,
    https://doi.org/10.1017/CBO9781107446984.

    Examples
    --------
    >>> from rankagg import Plurality, Profile
    >>> Plurality().aggregate(Profile.from_orders(["ABC", "BCA", "CBA"], counts=[4, 3, 2]))
    <Consensus by Plurality: A > B > C>
    """

    def _weights(self, n_items: int) -> Sequence[Fraction]:
        return plurality_weights(n_items)


def plurality_weights(n_items: int) -> list[Fraction]:
    """Return 1, 0, ..., 0."""
    return [Fraction(1), *[Fraction(0)] * (n_items - 1)]
