"""Positional rules: points for places, summed without rounding."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise, starmap
from math import lcm
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np

from rankagg._typing import Generator, Integers
from rankagg._validation import LARGEST_WEIGHT, check_choice, check_integer, check_number
from rankagg.aggregation.base import Aggregator, Needs
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.outcome import Outcome, by_points
from rankagg.aggregation.positional import POINTS_KEEP, Starts, place_counts
from rankagg.core import UNRANKED, Profile, canonical_profile, counted, exact
from rankagg.exceptions import Described, InvalidInputError
from rankagg.kernels.counting import row_sums

PlaceWeights = Callable[[int], Sequence[Fraction]]
PARAMETER = "weights of Positional"
FALLING_WEIGHTS = "numbers that never rise from place to place, a function of n_items, or a name"


@dataclass(frozen=True, kw_only=True)
class PlacePoints(Aggregator):
    """A rule that gives points for places; `_weights` says how many."""

    needs: ClassVar[Needs] = "rankings"

    @abstractmethod
    def _weights(self, n_items: int) -> Sequence[Fraction]:
        """Return the points of the places of a ranking of so many items, best first."""

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        points = _place_points(evidence.profile, self._weights)
        return by_points(points, evidence.items, self._notes(evidence.items))

    def _ranking_points(self, profile: Profile) -> Integers:
        distinct, which = np.unique(profile.ranks, axis=0, return_inverse=True)
        given = [
            _place_points(
                canonical_profile(profile.items, row[None, :], unranked=profile.unranked),
                self._weights,
            )
            for row in distinct
        ]
        over = lcm(*(number.denominator for row in given for number in row))
        whole = [
            [number.numerator * (over // number.denominator) for number in row] for row in given
        ]
        return exact.fit(np.array(whole, dtype=object))[which.ravel()]

    def _notes(self, items: Sequence[object]) -> tuple[str, ...]:
        return ()


def _place_points(profile: Profile, weights: PlaceWeights) -> list[Fraction]:
    """Return every item's points in all rankings together.

    Items of a bucket share the mean of the places that it covers, unlisted ones that of the places
    below the list.
    """
    votes, denominator = exact.as_votes(profile.counts, profile.weights)
    ranks, ignoring = profile.ranks, profile.unranked == "ignore"
    sizes = row_sums(ranks != UNRANKED)
    points = [Fraction(0)] * profile.n_items
    wanted = set(np.unique(sizes).tolist())
    for k, given, absent in _given(profile.n_items, weights, wanted, ignoring=ignoring):
        rows = sizes == k
        counts = place_counts(ranks[rows], votes[rows])
        sums = _summed(profile.n_items, counts, given, absent, exact.sum_of(votes[rows]))
        points = [before + more for before, more in zip(points, sums, strict=True)]
    return [number / denominator for number in points]


def _given(
    n: int, weights: PlaceWeights, wanted: set[int], *, ignoring: bool
) -> Iterator[tuple[int, list[Fraction], Fraction]]:
    """Yield for each number k of ranked items what their places and unranked items get."""
    if ignoring:
        for k in sorted(wanted - {0}):
            given = list(weights(k))
            mean = sum(given, Fraction(0)) / k
            yield k, [number - mean for number in given], Fraction(0)
        return
    given = list(weights(n))
    mean = sum(given, Fraction(0)) / n
    for k in range(n, min(wanted) - 1, -1):
        if k in wanted:
            yield k, given, mean
        # One more unranked item stands above the place r of k - 1 with probability (r + 1)/k.
        given = [
            Fraction(r + 1, k) * given[r + 1] + Fraction(k - r - 1, k) * given[r]
            for r in range(k - 1)
        ]


def _summed(
    n: int, counts: dict[int, Starts], given: list[Fraction], absent: Fraction, whole: int
) -> list[Fraction]:
    """Return the points of every item in rankings that rank equally many items."""
    over = lcm(*(number.denominator for number in [*given, absent]))
    below = [0, *accumulate(number.numerator * (over // number.denominator) for number in given)]
    shared = lcm(*counts)
    seen, total = np.zeros((2, n), dtype=object)
    for size, starts in counts.items():
        used, where = np.unique(starts.places, return_inverse=True)
        worth = [(below[at + size] - below[at]) * (shared // size) for at in used.tolist()]
        points, weights = np.array(worth, dtype=object), starts.weights.astype(object)
        bounds = [*exact.starts_of(starts.items).tolist(), len(where)]
        # Points may have thousands of digits: products of one item at a time.
        for rows in starmap(slice, pairwise(bounds)):
            item = starts.items[rows.start]
            total[item] += weights[rows] @ points[where[rows]]
            seen[item] += weights[rows].sum()
    return [
        Fraction(int(some), over * shared) + absent * int(whole - ranked)
        for some, ranked in zip(total, seen, strict=True)
    ]


@dataclass(frozen=True, kw_only=True)
class Plurality(PlacePoints):
    """Plurality: one point for first place; tied items share it.

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

    command_names: ClassVar = {"plurality": {}}
    keeps: ClassVar = {
        **POINTS_KEEP,
        "majority": "Felsenthal (2012)",
        "pareto": "who is below another on all ballots has no first place",
        "later-no-harm": "Woodall (1997)",
    }

    def _weights(self, n_items: int) -> Sequence[Fraction]:
        return [Fraction(1), *[Fraction(0)] * (n_items - 1)]


@dataclass(frozen=True, kw_only=True)
class Veto(PlacePoints):
    """Veto, or anti-plurality: one point for every place but the last; tied items share it.

    References
    ----------
    Brandt et al. (2016), Handbook of Computational Social Choice, chapter 2,
    https://doi.org/10.1017/CBO9781107446984.

    Examples
    --------
    >>> from rankagg import Profile, Veto
    >>> Veto().aggregate(Profile.from_orders(["ABC", "BCA", "CBA"], counts=[4, 3, 2]))
    <Consensus by Veto: B > C > A>
    """

    command_names: ClassVar = {"veto": {}}
    keeps: ClassVar = POINTS_KEEP
    breaks: ClassVar = {"condorcet loser": "Fishburn and Gehrlein (1976)"}

    def _weights(self, n_items: int) -> Sequence[Fraction]:
        # A single item has nothing below it and gets 0.
        return [*[Fraction(1)] * (n_items - 1), Fraction(0)]


@dataclass(frozen=True, kw_only=True)
class Dowdall(PlacePoints):
    """Dowdall's rule, as in Nauru: 1 point for first place, 1/2 for second, 1/3 for third.

    References
    ----------
    Fraenkel and Grofman (2014), https://doi.org/10.1080/10361146.2014.900530.

    Examples
    --------
    >>> from rankagg import Dowdall, Profile
    >>> Dowdall().aggregate(Profile.from_orders(["ABC", "BCA"], counts=[3, 2])).scores
    array([3.66666667, 3.5       , 2.        ])
    """

    command_names: ClassVar = {"dowdall": {}}
    keeps: ClassVar = {
        **POINTS_KEEP,
        "pareto": "a place above has more points",
    }
    breaks: ClassVar = {"condorcet loser": "Fishburn and Gehrlein (1976)"}
    counterexamples: ClassVar = {
        "condorcet loser": "2 ABC, 1 ACB, 2 BCA, 2 CBA",
        "condorcet winner": "2 ABC, 1 BAC, 1 BCA, 1 CAB",
        "majority": "4 ABC, 3 BCA",
        "smith": "2 ABC, 1 BAC, 1 BCA, 1 CAB",
    }

    def _weights(self, n_items: int) -> Sequence[Fraction]:
        return [Fraction(1, place) for place in range(1, n_items + 1)]


Named: TypeAlias = Literal["plurality", "veto", "borda", "dowdall"]


def _borda_weights(n_items: int) -> list[Fraction]:
    return [Fraction(n_items - 1 - place) for place in range(n_items)]


NAMED: dict[str, PlaceWeights] = {
    "plurality": Plurality()._weights,
    "veto": Veto()._weights,
    "borda": _borda_weights,
    "dowdall": Dowdall()._weights,
}


@dataclass(frozen=True)
class Positional(PlacePoints):
    """A positional scoring rule: every place has its points, and the sum decides.

    Parameters
    ----------
    weights : sequence of float, callable, or {"plurality", "veto", "borda", "dowdall"}
        The points of each place, best first, as many as there are items; or a function that
        returns them for a number of items. They may be equal, but never rise.

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

    keeps: ClassVar = POINTS_KEEP
    weights: Sequence[float] | Named | Callable[[int], Sequence[float]]

    def __post_init__(self) -> None:
        if isinstance(self.weights, str):
            check_choice(self.weights, get_args(Named), PARAMETER)
        elif not callable(self.weights):
            object.__setattr__(self, "weights", _falling(self.weights))

    def _weights(self, n_items: int) -> Sequence[Fraction]:
        if isinstance(self.weights, str):
            return NAMED[self.weights](n_items)
        given = _falling(self.weights(n_items) if callable(self.weights) else self.weights)
        if len(given) != n_items:
            raise InvalidInputError(
                PARAMETER,
                f"{counted(n_items, 'number')}, one for each place of a ranking of that many items",
                Described(counted(len(given), "number")),
                "Give a function of the number of items where that differs.",
            )
        return [exact.as_fraction(float(number)) for number in given]


def _falling(weights: object) -> tuple[float, ...]:
    if isinstance(weights, str | bytes | dict | set):
        raise InvalidInputError(PARAMETER, FALLING_WEIGHTS, weights)
    try:
        given = list(weights)  # type: ignore[call-overload]
    except TypeError:
        raise InvalidInputError(PARAMETER, FALLING_WEIGHTS, weights) from None
    numbers = tuple(
        check_number(number, PARAMETER, low=-LARGEST_WEIGHT, high=LARGEST_WEIGHT)
        for number in given
    )
    if not numbers or any(a < b for a, b in pairwise(numbers)):
        raise InvalidInputError(PARAMETER, FALLING_WEIGHTS, weights)
    return numbers


@dataclass(frozen=True)
class Approval(PlacePoints):
    """k-approval: one point for each of the first k places; items tied across them share.

    Parameters
    ----------
    k : int
        How many places get the point, at least 1. Where there are no more items than that, every
        place counts alike, and the result says so.

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

    command_names: ClassVar = {"approval-2": {"k": 2}, "approval-3": {"k": 3}}
    keeps: ClassVar = POINTS_KEEP
    k: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", check_integer(self.k, "k of Approval", low=1))

    def _weights(self, n_items: int) -> Sequence[Fraction]:
        return [Fraction(place < self.k) for place in range(n_items)]

    def _notes(self, items: Sequence[object]) -> tuple[str, ...]:
        if len(items) > self.k:
            return ()
        return (f"no item has a place below {self.k}: {counted(len(items), 'place')} count alike",)
