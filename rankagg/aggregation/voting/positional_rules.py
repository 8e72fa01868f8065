"""Positional rules with exact sums of points, Bucklin, and reciprocal rank fusion."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from math import lcm
from typing import ClassVar, NamedTuple

import numpy as np

from rankagg._typing import Generator, Integers, Integers64, Ranks
from rankagg._validation import LARGEST_WEIGHT, check_integer, check_number
from rankagg.aggregation.base import Aggregator, Needs, ReadsUnranked, Statements
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.outcome import Outcome, by_points
from rankagg.aggregation.positional import POINTS_KEEP, divided, row_slices
from rankagg.core import (
    UNLISTED,
    UNRANKED,
    Profile,
    canonical_profile,
    counted,
    exact,
    places,
    row_blocks,
    sum_by_group,
)
from rankagg.exceptions import Described, InvalidInputError
from rankagg.kernels.counting import row_sums

PlaceWeights = Callable[[int], Sequence[Fraction]]
PARAMETER = "weights of Positional"
FALLING_WEIGHTS = "numbers that never rise from place to place, or a function of n_items"


class _Buckets(NamedTuple):
    """Weights of items in buckets of a size that start at a place, sorted by item."""

    items: Integers64
    sizes: Integers64
    places: Integers64
    weights: Integers

    def of(self, items: slice) -> _Buckets:
        """Return the weights of some items."""
        rows = slice(*np.searchsorted(self.items, [items.start, items.stop]))
        return _Buckets(self.items[rows], self.sizes[rows], self.places[rows], self.weights[rows])


def _buckets_of(ranks: Ranks, votes: Integers) -> _Buckets:
    n = ranks.shape[1]
    cells, sums = np.zeros(0, dtype=np.int64), votes[:0]
    for rows in row_slices(*ranks.shape):
        block = ranks[rows]
        row, item = np.nonzero(block != UNRANKED)
        place, n_listed = block[row, item], (block >= 0).sum(axis=1)
        start = np.where(place >= 0, place, n_listed[row])
        sizes = np.rint(2 * (places.mid_ranks(block)[row, item] - start)).astype(np.int64) + 1
        cells = np.concatenate([cells, (item * (n + 1) + sizes) * n + start])
        weights = np.concatenate([sums, votes[rows][row]])
        cells, where = np.unique(cells, return_inverse=True)
        sums = exact.count_cells(where, weights, len(cells))
    rest, starts = np.divmod(cells, n)
    return _Buckets(*np.divmod(rest, n + 1), starts, sums)


@dataclass(frozen=True, kw_only=True)
class PlacePoints(Aggregator):
    """A positional scoring rule with the points of `place_weights`."""

    needs: ClassVar[Needs] = "rankings"

    @abstractmethod
    def place_weights(self, n_items: int) -> Sequence[Fraction]:
        """Return the points of the places of a ranking, best first.

        Parameters
        ----------
        n_items : int
            Number of ranked items.
        """

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        points = _place_points(evidence.profile, self.place_weights)
        return by_points(points, evidence.items, self._notes(evidence.items))

    def _ranking_points(self, profile: Profile) -> Integers:
        distinct, which = np.unique(profile.ranks, axis=0, return_inverse=True)
        given = [
            _place_points(
                canonical_profile(profile.items, row[None, :], unranked=profile.unranked),
                self.place_weights,
            )
            for row in distinct
        ]
        over = lcm(*(number.denominator for row in given for number in row))
        whole = [[int(number * over) for number in row] for row in given]
        return exact.fit(np.array(whole, dtype=object))[which.ravel()]

    def _notes(self, items: Sequence[object]) -> tuple[str, ...]:
        return ()


def _place_points(profile: Profile, weights: PlaceWeights) -> list[Fraction]:
    """Return the points of every item, summed over the rankings.

    Items of a bucket get the mean of its places, unlisted items that of the places below the list.
    """
    votes, denominator = exact.as_votes(profile.counts, profile.weights)
    ranks, ignoring = profile.ranks, profile.unranked == "ignore"
    sizes = row_sums(ranks != UNRANKED)
    points = [Fraction(0)] * profile.n_items
    wanted = set(np.unique(sizes).tolist())
    for k, given, absent in _given(profile.n_items, weights, wanted, ignoring=ignoring):
        rows = sizes == k
        buckets = _buckets_of(ranks[rows], votes[rows])
        sums = _summed(profile.n_items, buckets, given, absent, exact.sum_of(votes[rows]))
        points = [before + more for before, more in zip(points, sums, strict=True)]
    return [number / denominator for number in points]


def _given(
    n: int, weights: PlaceWeights, wanted: set[int], *, ignoring: bool
) -> Iterator[tuple[int, list[Fraction], Fraction]]:
    """Yield numbers k of ranked items, the points of their places, and of unranked items."""
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
        # One more unranked item is above place r of k - 1 with probability (r + 1)/k.
        given = [
            Fraction(r + 1, k) * given[r + 1] + Fraction(k - r - 1, k) * given[r]
            for r in range(k - 1)
        ]


def _summed(
    n: int, buckets: _Buckets, given: list[Fraction], absent: Fraction, whole: int
) -> list[Fraction]:
    """Return the points of every item in rankings that rank equally many items."""
    over = lcm(*(number.denominator for number in [*given, absent]))
    below = np.array([0, *accumulate(int(number * over) for number in given)], dtype=object)
    shared = lcm(*buckets.sizes.tolist())
    points = []
    # Points may have thousands of digits: products of one item at a time.
    for item in range(n):
        _, sizes, starts, weights = buckets.of(slice(item, item + 1))
        gains = (below[starts + sizes] - below[starts]) * (shared // sizes.astype(object))
        total, unranked = weights.astype(object) @ gains, whole - exact.sum_of(weights)
        points.append(Fraction(int(total), over * shared) + absent * unranked)
    return points


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
        "pareto": "an item below another on all ballots has no first place",
        "later-no-harm": "Woodall (1997)",
    }

    def place_weights(self, n_items: int) -> Sequence[Fraction]:  # noqa: D102
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

    def place_weights(self, n_items: int) -> Sequence[Fraction]:  # noqa: D102
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

    def place_weights(self, n_items: int) -> Sequence[Fraction]:  # noqa: D102
        return [Fraction(1, place) for place in range(1, n_items + 1)]


@dataclass(frozen=True)
class Positional(PlacePoints):
    """A positional scoring rule: rank by the sum of the points of places.

    Parameters
    ----------
    weights : sequence of float or callable
        Points of each place, best first, one for each item; or a function that returns them for a
        number of items. They may be equal, but never rise.

    Notes
    -----
    Tied items get the mean of their places, unlisted items that of the places below the list.
    Points are summed as fractions: a float is the simplest fraction that rounds to it, and only
    equal sums tie.

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
    weights: Sequence[float] | Callable[[int], Sequence[float]]

    def __post_init__(self) -> None:
        if not callable(self.weights):
            object.__setattr__(self, "weights", _falling(self.weights))

    def place_weights(self, n_items: int) -> Sequence[Fraction]:  # noqa: D102
        given = _falling(self.weights(n_items) if callable(self.weights) else self.weights)
        if len(given) != n_items:
            raise InvalidInputError(
                PARAMETER,
                f"{counted(n_items, 'number')}, one for each place of a ranking of that many items",
                Described(counted(len(given), "number")),
                "Pass a function of the number of items if that number varies.",
            )
        return [exact.as_fraction(float(number)) for number in given]


def _falling(weights: object) -> tuple[float, ...]:
    refused = InvalidInputError(PARAMETER, FALLING_WEIGHTS, weights)
    if isinstance(weights, str | bytes | dict | set):
        raise refused
    try:
        given = list(weights)  # type: ignore[call-overload]
    except TypeError:
        raise refused from None
    numbers = tuple(
        check_number(number, PARAMETER, low=-LARGEST_WEIGHT, high=LARGEST_WEIGHT)
        for number in given
    )
    if not numbers or any(a < b for a, b in pairwise(numbers)):
        raise refused
    return numbers


@dataclass(frozen=True)
class Approval(PlacePoints):
    """Approval: one point for each approved item; with k, for each of the first k places.

    Without k a ballot has two levels: the approved items are tied above all others, which it leaves
    out or ties below.

    Parameters
    ----------
    k : int, optional
        Number of places that get the point, at least 1; items tied across them share it. With k or
        fewer items every place gets it, with a note in the result.

    Notes
    -----
    Without k ballots with more than two levels are refused. A ballot that ties all items approves
    all of them. Unranked items are not approved, whatever the policy.

    References
    ----------
    Brams and Fishburn (1978), "Approval voting", https://doi.org/10.2307/1955105; for k Brandt et
    al. (2016), Handbook of Computational Social Choice, chapter 2,
    https://doi.org/10.1017/CBO9781107446984.

    Examples
    --------
    >>> from rankagg import Approval, Profile
    >>> marks = Profile.from_ranks([[1, 1, None], [None, 1, None]], items="ABC", counts=[3, 2])
    >>> Approval().aggregate(marks).scores
    array([3., 5., 0.])
    >>> Approval(2).aggregate(Profile.from_orders(["ABC", "BCA"], counts=[3, 2])).scores
    array([3., 5., 2.])
    """

    command_names: ClassVar = {"approval-2": {"k": 2}, "approval-3": {"k": 3}, "approval": {}}
    k: int | None = None

    def __post_init__(self) -> None:
        if self.k is not None:
            object.__setattr__(self, "k", check_integer(self.k, "k of Approval", low=1))

    @property
    def keeps(self) -> Statements:
        """The axioms that points for places keep, for every k."""
        return POINTS_KEEP

    @property
    def reads_unranked(self) -> ReadsUnranked:
        """Policy for unranked items: "last" without k, as they are not approved."""
        return "last" if self.k is None else "by policy"

    def place_weights(self, n_items: int) -> Sequence[Fraction]:  # noqa: D102
        if self.k is None:
            raise InvalidInputError("k of Approval", "a number, where places get points", None)
        return [Fraction(place < self.k) for place in range(n_items)]

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        if self.k is not None:
            return super()._aggregate(evidence, rng)
        profile = evidence.profile
        votes, unit = exact.as_votes(profile.counts, profile.weights)
        points = votes.astype(object) @ _approvals(profile).astype(object)
        return by_points([Fraction(int(got), unit) for got in points], evidence.items)

    def _ranking_points(self, profile: Profile) -> Integers:
        return super()._ranking_points(profile) if self.k is not None else _approvals(profile)

    def _notes(self, items: Sequence[object]) -> tuple[str, ...]:
        if self.k is None or len(items) > self.k:
            return ()
        return (f"no item has a place below {self.k}: {counted(len(items), 'place')} count alike",)


def _approvals(profile: Profile) -> Integers:
    """Return 1 for each approved item of a ballot, else 0."""
    ordered = np.sort(np.where(profile.ranks < 0, profile.n_items, profile.ranks), axis=1)
    more = (np.diff(ordered, axis=1) > 0).sum(axis=1) > 1
    if more.any():
        n, of = exact.sum_of(profile.counts[more]), exact.sum_of(profile.counts)
        raise InvalidInputError(
            "data",
            "ballots of two levels, the approved items above the rest",
            Described(f"{n:,} of {counted(of, 'ballot', ',')} with more levels"),
            "Approval(k) gives the point to the first k places.",
        )
    return np.asarray((profile.ranks == 0).astype(np.int64))


@dataclass(frozen=True, kw_only=True)
class Bucklin(Aggregator):
    """Bucklin: rank by the depth at which more than half of all rankings list an item.

    At depth k an item has the votes of the rankings that have it among their first k. Items that
    reach a majority at the same depth are ranked by their votes at that depth. Items without a
    majority come last, by all their votes. Tied items share the ranks of their bucket evenly,
    unlisted items those below the list. A ranking counts in the total of votes even for items that
    are unranked in it. The score is n - depth + share of votes at that depth.

    References
    ----------
    Hoag and Hallett (1926), Proportional Representation; as a rule for one winner in Brams and
    Fishburn (2002), https://doi.org/10.1016/S1574-0110(02)80008-X.

    Examples
    --------
    >>> from rankagg import Bucklin, Profile
    >>> ballots = Profile.from_orders(["ABCD", "BCDA", "CDBA"], counts=[4, 3, 2])
    >>> Bucklin().aggregate(ballots)
    <Consensus by Bucklin: B > C > D > A>
    """

    needs: ClassVar[Needs] = "rankings"
    reads_unranked: ClassVar[ReadsUnranked] = "as observed"
    command_names: ClassVar = {"bucklin": {}}
    keeps: ClassVar = {
        "majority": "Felsenthal (2012)",
        "pareto": "an item above another on all ballots has a majority at a smaller depth",
        "monotonicity": "Felsenthal (2012)",
    }
    counterexamples: ClassVar = {
        "condorcet loser": "2 ABC, 2 CBA, 1 ACB, 1 CAB",
        "condorcet winner": "2 ABC, 1 BAC, 1 BCA, 1 CAB",
        "smith": "2 ABC, 1 BAC, 1 BCA, 1 CAB",
    }

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        profile = evidence.profile
        n = profile.n_items
        votes, _ = exact.as_votes(profile.counts, profile.weights)
        buckets = _buckets_of(profile.ranks, votes)
        # A bucket of s items adds 1/s at every depth that it reaches into.
        over = lcm(*buckets.sizes.tolist())
        whole = over * int(votes.sum())
        depth, shares = np.empty(n, dtype=np.int64), np.empty(n)
        for items in row_blocks(n):
            listed = _listed(buckets.of(items), items, n, over, whole)
            majority = listed > whole // 2
            majority[:, -1] = True
            depth[items] = reached = majority.argmax(axis=1)
            shares[items] = [int(row[at]) / whole for row, at in zip(listed, reached, strict=True)]
        scores = n - 1 - depth + shares
        scores[(profile.ranks == UNRANKED).all(axis=0)] = np.nan
        return Outcome(scores=scores)


def _listed(buckets: _Buckets, items: slice, n: int, over: int, whole: int) -> Integers:
    """Return the weight, times `over`, that some items have among the first k, for every k."""
    kind = np.int64 if 2 * whole < exact.INT64_SAFE else object
    steps = np.zeros((len(range(n)[items]), n + 1), dtype=kind)
    rows, sizes = buckets.items - items.start, buckets.sizes
    shares = buckets.weights.astype(kind) * (over // sizes.astype(kind))
    np.add.at(steps, (rows, buckets.places), shares)
    np.add.at(steps, (rows, buckets.places + sizes), -shares)
    return np.cumsum(np.cumsum(steps[:, :n], axis=1), axis=1)


@dataclass(frozen=True, kw_only=True)
class ReciprocalRankFusion(Aggregator):
    """Reciprocal rank fusion, used by search engines: sum 1/(k + rank) over the rankings.

    Ranks begin at 1. The smaller k is, the more the top of a ranking counts. An item gets nothing
    from a ranking in which it is unlisted or unranked; an item that is unranked in every ranking
    has no rank. Tied items get the mean of their places, their expected gain if ties are broken at
    random.

    Parameters
    ----------
    k : float, default 60
        At least 0; larger values make the places more alike. At 60 the first place gives 1/61, the
        second 1/62.

    Notes
    -----
    An item left out counts as one ranked far below all others. Items that few rankings observe are
    therefore low; rules with a policy for unranked items are fairer to them. Places are counted in
    integers, so that the order of the rankings changes no bit.

    References
    ----------
    Cormack, Clarke and Büttcher (2009), "Reciprocal rank fusion outperforms Condorcet and
    individual rank learning methods", https://doi.org/10.1145/1571941.1572114.

    Examples
    --------
    >>> from rankagg import Profile, ReciprocalRankFusion
    >>> lists = Profile.from_orders(["ABC", "ACB", "BCA", "BCA"])
    >>> ReciprocalRankFusion().aggregate(lists)
    <Consensus by ReciprocalRankFusion: B > A > C>
    >>> ReciprocalRankFusion(k=0).aggregate(lists).scores.round(2)
    array([2.67, 2.83, 1.83])
    """

    needs: ClassVar[Needs] = "rankings"
    reads_unranked: ClassVar[ReadsUnranked] = "as observed"
    command_names: ClassVar = {"rrf": {}}
    k: float = 60

    def __post_init__(self) -> None:
        check_number(self.k, "k of ReciprocalRankFusion", low=0)

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        profile = evidence.profile
        votes, denominator = exact.as_votes(profile.counts, profile.weights)
        listed = np.where(profile.ranks == UNLISTED, np.int32(UNRANKED), profile.ranks)
        gains = 1.0 / (float(self.k) + np.arange(1, profile.n_items + 1))
        items, sizes, starts, weights = _buckets_of(listed, votes)
        shares = np.zeros(len(items))
        for size in np.unique(sizes).tolist():
            means = np.lib.stride_tricks.sliding_window_view(gains, size).mean(axis=1)
            shares[sizes == size] = means[starts[sizes == size]]
        gained = divided(weights, denominator) * shares
        scores = np.zeros(profile.n_items)
        found, groups = np.unique(items, return_inverse=True)
        scores[found] = sum_by_group(gained[None], groups, len(found))[0]
        scores[(profile.ranks == UNRANKED).all(axis=0)] = np.nan
        return Outcome(scores=scores)
