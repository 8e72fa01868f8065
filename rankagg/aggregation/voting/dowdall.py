"""Dowdall's points: 1, 1/2, 1/3, ..."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from rankagg.aggregation.voting.place_points import PlacePoints

__all__ = ["Dowdall", "dowdall_weights"]


@dataclass(frozen=True, kw_only=True)
class Dowdall(PlacePoints):
    """Dowdall's rule, as in Nauru: 1 point for first place, 1/2 for second, 1/3 for third.

    Parameters
    ----------
    unranked : {"uniform", "ignore", "last"}, optional
        The policy for unranked items, as for `Positional`; by default "uniform".

    References
    ----------
    Fraenkel and Grofman (2014), https://doi.org/10.1080/10361146.2014.900530.

    Examples
    --------
    >>> from rankagg import Dowdall, Profile
    >>> Dowdall().aggregate(Profile.from_orders(["ABC", "BCA"], counts=[3, 2])).scores
    array([3.66666667, 3.5       , 2.        ])
    """

    def _weights(self, n_items: int) -> Sequence[Fraction]:
        return dowdall_weights(n_items)


def dowdall_weights(n_items: int) -> list[Fraction]:
    """Return 1, 1/2, ..., 1/n."""
    return [Fraction(1, place) for place in range(1, n_items + 1)]
