"""The exact rules for places: top-k lists, and weights of places."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import count, pairwise
from time import monotonic
from typing import ClassVar

import numpy as np

from rankagg._typing import Generator, Positions, Unranked
from rankagg._validation import check_integer, check_number
from rankagg.aggregation.base import Needs, Outcome, SearchingRule, checked_outcome
from rankagg.aggregation.deadline import NEVER, Deadline, until_stopped
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.kemeny import orders
from rankagg.aggregation.kemeny.aggregator import Kemeny, check_exact
from rankagg.aggregation.kemeny.parts import Effort, Listener, Progress
from rankagg.aggregation.kemeny.placed_lists import (
    PlacedCertificate,
    PlacedProblem,
    enumerate_below,
    first_bound,
    keys,
    layer_width,
)
from rankagg.core import PairwiseMatrix, exact
from rankagg.exceptions import InvalidInputError

# Beginnings that the first beam keeps, and how much wider each is than the one before it.
NARROW, WIDER = 64, 16


@dataclass(frozen=True, eq=False)
class Searched:
    """A list, and what no list costs less than."""

    # Shape (k,). The positions on the first places.
    placed: Positions
    bound: int
    # True where the user stopped it, or where whoever was told of its progress did.
    interrupted: bool = False
    is_stopped: bool = False
    # True where it ended for lack of room.
    is_full: bool = False
    # What else the reader of the result must know.
    notes: tuple[str, ...] = ()


def search(problem: PlacedProblem, deadline: Deadline, progress: Progress) -> Searched:
    """Look for a cheapest list, and prove that none is cheaper."""
    report, began = progress.of_part(problem), monotonic()
    bound = first_bound(problem, NEVER)
    # Verifying starts with it, too.
    deadline = deadline.later(-2 * (monotonic() - began))
    placed = min(_starts(problem, deadline.share(4)), key=problem.cost)
    cost = problem.cost(placed)
    bound = min(bound, cost)
    is_full = False
    with until_stopped() as stop:
        for power in count():
            report(bound, cost)
            if bound == cost or is_full:
                break
            width = NARROW * WIDER**power
            # To verify a bound takes no longer than to find it.
            found = enumerate_below(problem, cost, deadline.share(2), width)
            if found.placed is not None:
                placed = found.placed
                cost = problem.cost(placed)
            bound = max(bound, min(found.bound, cost))
            is_full = width >= layer_width(problem.n) and not found.is_complete
    is_full = is_full and bound < cost
    return Searched(placed, bound, stop.by_user, progress.is_stopped, is_full)


def _starts(problem: PlacedProblem, deadline: Deadline) -> list[Positions]:
    """Return good lists: by single sums, these in a better order, and the best of all items."""
    order = keys(problem.gains)
    first = order[: problem.k]
    margins = (problem.gains - problem.gains.T).astype(np.float64)
    inside = orders.improve(margins[np.ix_(first, first)], np.arange(problem.k), deadline)
    lists = [first, first[inside]]
    if 2 * problem.k > problem.n:  # Kemeny's ranking begins much like the list
        lists.append(orders.improve(margins, order, deadline)[: problem.k])
    return lists


def solve_placed(
    votes: PairwiseMatrix,
    weights: Sequence[Fraction],
    *,
    tie_cost: float,
    consensus_tie_cost: float,
    effort: Effort,
) -> Outcome:
    """Solve the problem of pairwise votes among lists."""
    problem, effort = effort.stated(
        lambda: PlacedProblem.from_pairwise(votes, weights, tie_cost, consensus_tie_cost)
    )
    found = search(problem, effort.deadline, Progress(problem, effort.listener))
    prices = {"tie_cost": tie_cost, "consensus_tie_cost": consensus_tie_cost}
    certificate = PlacedCertificate.build(
        votes, found.placed, found.bound, weights=weights, problem=problem, **prices
    )
    if found.is_full:
        why = "not proved optimal: there are more beginnings of lists than memory is used for"
        effort = replace(effort, unproved=why)
    return checked_outcome(certificate, votes, found, effort)


@dataclass(frozen=True, kw_only=True)
class PlacedRule(SearchingRule):
    """A rule whose consensus is a list: some first places, and all other items tied behind."""

    needs: ClassVar[Needs] = "votes"
    unranked: Unranked | None = None
    tie_cost: float = 0.0
    time_limit: float | None = None
    verify: bool = True
    on_progress: Listener | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_exact(self)

    @abstractmethod
    def _weights(self, n_items: int) -> Sequence[Fraction]:
        """Return the weights of the places of so many items, none larger than the one before."""

    def _aggregate_within(self, evidence: Evidence, rng: Generator, deadline: Deadline) -> Outcome:
        votes = evidence.votes(self._stated_policy)
        weights = self._weights(votes.n_items)
        if list(weights) == [1] * (votes.n_items - 1):  # Kemeny's rule
            shared = ("unranked", "tie_cost", "time_limit", "verify", "on_progress")
            kemeny = Kemeny(**{name: getattr(self, name) for name in shared})
            return kemeny.solve(votes, deadline=deadline)
        effort = Effort(deadline.sooner(self.time_limit), self.on_progress, self.verify)
        # What a vote costs that orders two items which are tied behind the list.
        behind = getattr(self, "price_of_ties", 0.0)
        prices = {"tie_cost": self.tie_cost, "consensus_tie_cost": behind}
        return solve_placed(votes, weights, effort=effort, **prices)


@dataclass(frozen=True, kw_only=True)
class PlaceWeightedKemeny(PlacedRule):
    """The exact consensus where a contradicted vote costs the weight of a place of the consensus.

    A vote that has the lower of two items above counts as often as the weight of the place that
    the upper one takes in the consensus. All weights equal to 1 make it Kemeny's rule. The least
    such sum is proved by a certificate; `Consensus.cost` counts votes without weights, as for
    any rule, and `certificate.cost` with them.

    Parameters
    ----------
    weights : sequence of float
        The weights of the first, second, ... place, none larger than the one before it. Places
        after the last one have weight 0, and so has the last of all items, which is above none.
        Items on places of weight 0 are tied at the end.
    unranked : {"uniform", "ignore", "last"}, optional
        The policy for unranked items; by default that of the matrix where the data are one, and
        "uniform" otherwise.
    tie_cost : float, default 0
        What a vote that judges two items equal costs, 0 to 1, times the weight.
    time_limit : float, optional
        Seconds after which the best ranking so far comes back, with its bound and status "gap".
        Ctrl-C does the same.
    verify : bool, default True
        Check the certificate before it is returned.
    on_progress : callable, optional
        Called as ``on_progress(best, bound)`` some times a second, in votes. Where it returns
        true, the search stops as it does under a time limit.

    Notes
    -----
    It is found as `TopK` finds its list. Which of several optima comes back is unspecified.

    García-Lapresta and Pérez-Román weigh a pair by its upper place in one of two rankings, and
    take the mean of both ways; here the one of the two is the consensus. Kumar and Vassilvitskii
    weigh an inversion by how far both its items are displaced between two rankings.

    References
    ----------
    García-Lapresta and Pérez-Román (2010), "Consensus measures generated by weighted Kemeny
    distances on linear orders" (COMSOC); Kumar and Vassilvitskii (2010),
    doi:10.1145/1772690.1772749.

    Examples
    --------
    >>> from rankagg import PlaceWeightedKemeny, Profile
    >>> votes = Profile.from_orders(["ABCD", "BCDA"], counts=[3, 2])
    >>> consensus = PlaceWeightedKemeny(weights=[1, 0.25, 0.1]).aggregate(votes)
    >>> consensus.order, consensus.certificate.cost, consensus.cost
    (('B', 'C', 'A', 'D'), 3.95, 8.0)
    """

    weights: Sequence[float]

    def __post_init__(self) -> None:
        super().__post_init__()
        parameter = "weights of PlaceWeightedKemeny"
        given = self.weights if isinstance(self.weights, Iterable) else ()
        numbers = () if isinstance(given, str | bytes | dict | set) else tuple(given)
        weights = tuple(check_number(number, parameter, low=0) for number in numbers)
        if not weights or weights[0] == 0 or any(a < b for a, b in pairwise(weights)):
            allowed = "numbers from 0 up, none larger than the one before it, the first above 0"
            raise InvalidInputError(parameter, f"one or more {allowed}", self.weights)
        object.__setattr__(self, "weights", weights)

    def _weights(self, n_items: int) -> Sequence[Fraction]:
        heard = (exact.as_fraction(weight) for weight in self.weights if weight > 0)
        return list(heard)[: n_items - 1]


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
    tie_cost: float = 0.5
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

    def _weights(self, n_items: int) -> Sequence[Fraction]:
        if self.k > n_items:
            raise InvalidInputError("k of TopK", f"at most the number of items, {n_items}", self.k)
        return [Fraction(1)] * min(self.k, n_items - 1)
