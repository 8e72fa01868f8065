"""Positional rules with any points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

from rankagg._validation import LARGEST_WEIGHT, check_choice, check_number
from rankagg.aggregation.voting.dowdall import dowdall_weights
from rankagg.aggregation.voting.place_points import PlacePoints, PlaceWeights
from rankagg.aggregation.voting.plurality import plurality_weights
from rankagg.aggregation.voting.veto import veto_weights
from rankagg.core.arithmetic import exact
from rankagg.core.items import counted
from rankagg.exceptions import Described, InvalidInputError

__all__ = ["Positional"]

Named: TypeAlias = Literal["plurality", "veto", "borda", "dowdall"]

PARAMETER = "weights of Positional"
ALLOWED = "numbers that never rise from one place to the next, a function of n_items, or a name"


def _borda_weights(n_items: int) -> list[Fraction]:
    return [Fraction(n_items - 1 - place) for place in range(n_items)]


NAMED: dict[str, PlaceWeights] = {
    "plurality": plurality_weights,
    "veto": veto_weights,
    "borda": _borda_weights,
    "dowdall": dowdall_weights,
}


@dataclass(frozen=True)
class Positional(PlacePoints):
    """A positional scoring rule: every place has its points, and the sum decides.

    Parameters
    ----------
    weights : sequence of float, callable, or {"plurality", "veto", "borda", "dowdall"}
        The points of each place, best first, as many as there are items; or a function that
        returns them for a number of items. They may be equal, but never rise.
    unranked : {"uniform", "ignore", "last"}, optional
        By default "uniform": an item has the mean of its points over all compatible
        permutations. "ignore": a ranking is one of the items that it ranks, and gives their
        points less the mean of these, so that an unranked item neither gains nor loses; points
        must be known for that number of items. "last": unranked items share the places below
        all others.

    Notes
    -----
    Tied items share the mean of the places that they cover, unlisted items that of the places
    below the list. Points are summed in fractions: floats are read as the simplest fraction that
    rounds to them, and only equal sums tie.

    References
    ----------
    Young (1975), "Social choice scoring functions", https://doi.org/10.1137/0128067.

    Examples
    --------
    >>> from rankagg import Positional, Profile
    >>> ballots = Profile.from_orders(["ABC", "BCA"], counts=[3, 2])
    >>> Positional([5, 2, 0]).aggregate(ballots).scores
    array([15., 16.,  4.])
    >>> Positional(lambda n: [4**-place for place in range(n)]).aggregate(ballots).order
    ('A', 'B', 'C')
    """

    weights: Sequence[float] | Named | Callable[[int], Sequence[float]]

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.weights, str):
            check_choice(self.weights, get_args(Named), PARAMETER)
        elif not callable(self.weights):
            object.__setattr__(self, "weights", _checked(self.weights))

    def _weights(self, n_items: int) -> Sequence[Fraction]:
        if isinstance(self.weights, str):
            return NAMED[self.weights](n_items)
        given = _checked(self.weights(n_items) if callable(self.weights) else self.weights)
        if len(given) != n_items:
            raise InvalidInputError(
                PARAMETER,
                f"{counted(n_items, 'number')}, one for each place of a ranking of that many items",
                Described(counted(len(given), "number")),
                "Give a function of the number of items where that differs.",
            )
        return [exact.as_fraction(float(number)) for number in given]


def _checked(weights: object) -> tuple[float, ...]:
    if isinstance(weights, str | bytes | dict | set):
        raise InvalidInputError(PARAMETER, ALLOWED, weights)
    try:
        given = list(weights)  # type: ignore[call-overload]
    except TypeError:
        raise InvalidInputError(PARAMETER, ALLOWED, weights) from None
    numbers = tuple(
        check_number(number, PARAMETER, low=-LARGEST_WEIGHT, high=LARGEST_WEIGHT)
        for number in given
    )
    if not numbers or any(a < b for a, b in pairwise(numbers)):
        raise InvalidInputError(PARAMETER, ALLOWED, weights)
    return numbers
