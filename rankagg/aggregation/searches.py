"""Rules that look for a cheap ranking without a proof: insertion search, KwikSort, pick-a-perm."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from rankagg._typing import Floats, Generator, Positions
from rankagg._validation import check_choice
from rankagg.aggregation.base import Aggregator, Guarantee, Needs, SearchingRule
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.kemeny.orders import improve
from rankagg.aggregation.outcome import Outcome
from rankagg.aggregation.positional import Borda, points
from rankagg.core import PairwiseMatrix, as_ranking, competition_ranks, permutation_of
from rankagg.exceptions import InvalidInputError

Order = Positions


@dataclass(frozen=True, kw_only=True)
class InsertionSearch(SearchingRule):
    """Improve another rule's ranking by moves of single items until none makes it cheaper.

    Ties of the start are broken in the order of the items, and of equally good moves any is made;
    which of several results comes back is unspecified. `InsertionSearch(start=Borda())` is Borda,
    locally Kemenized.

    Parameters
    ----------
    start : Aggregator, default Borda()
        The rule whose ranking is improved.
    moves : {"insert", "adjacent"}, default "insert"
        Any item to any rank, or exchanges of neighbors only: then no majority between
        neighbors is contradicted (local Kemenization).

    References
    ----------
    Dwork, Kumar, Naor and Sivakumar (2001), https://doi.org/10.1145/371920.372165, for neighbors;
    Schiavinotto and Stützle (2004), https://doi.org/10.1023/B:JMMA.0000049426.06305.d8.

    Examples
    --------
    >>> from rankagg import InsertionSearch, Profile
    >>> InsertionSearch().aggregate(Profile.from_orders(["ABC", "BCA"], counts=[3, 2]))
    <Consensus by InsertionSearch: A > B > C>
    """

    needs: ClassVar[Needs] = "votes"
    is_strict: ClassVar[bool] = True
    command_names: ClassVar = {"borda-kemenized": {}}
    start: Aggregator = field(default_factory=Borda)
    moves: Literal["insert", "adjacent"] = "insert"

    def __post_init__(self) -> None:
        if not isinstance(self.start, Aggregator):
            raise InvalidInputError("start of InsertionSearch", "a rule", self.start)
        check_choice(self.moves, ("insert", "adjacent"), "moves of InsertionSearch")

    @property
    def guarantee(self) -> Guarantee | None:
        """That of the start, which the search only makes cheaper."""
        return self.start.guarantee

    @property
    def name(self) -> str:
        """The class name, with the start and the moves where they are not the defaults."""
        start = "" if self.start == Borda() else f"start={self.start.name}"
        moves = "" if self.moves == "insert" else f"moves={self.moves!r}"
        shown = ", ".join(part for part in (start, moves) if part)
        return f"InsertionSearch({shown})" if shown else "InsertionSearch"

    def _aggregate_within(self, evidence: Evidence, rng: Generator, deadline: Deadline) -> Outcome:
        votes = evidence.votes
        ranks = self.start.aggregate(evidence, rng=rng, deadline=deadline).ranking.ranks
        # What the start does not rank goes last.
        order = np.argsort(np.where(ranks < 0, len(ranks), ranks), kind="stable")
        costs = _costs(votes)
        better = improve(costs, order) if self.moves == "insert" else _neighbors(costs, order)
        return Outcome(ranking=permutation_of(np.argsort(better), votes.items))


def _costs(votes: PairwiseMatrix) -> Floats:
    """Return the cost of row before column less that of the reverse."""
    against = votes.scaled_wins.T - votes.scaled_wins
    return against.astype(np.float64)


def _neighbors(costs: Floats, order: Order) -> Order:
    """Exchange neighbors against the majority until there are none, from the front."""
    result = order.tolist()
    k = 1
    while k < len(result):
        if k > 0 and costs[result[k - 1], result[k]] > 0:
            result[k - 1 : k + 1] = result[k], result[k - 1]
            k -= 1
        else:
            k += 1
    return np.array(result, dtype=np.intp)


@dataclass(frozen=True, kw_only=True)
class KwikSort(Aggregator):
    """Sort as quicksort does, by majorities with a pivot item.

    On complete strict rankings it costs at most twice the optimum, in expectation where the pivot
    is drawn; the better of that and `PickAPerm` at most 11/7. Items without a majority against the
    pivot fall to either side by chance.

    Parameters
    ----------
    pivot : {"random", "best"}, default "random"
        Draw the pivot, or take the one for which the pairs that it separates cost least, as a
        multiple of their cheaper sides; then no random numbers are used, ties fall behind the
        pivot, and which of equally good pivots is taken is unspecified. Time grows as n log n
        beside reading the votes with a drawn pivot, and as n^3 with the best one (two products of
        matrices).

    References
    ----------
    Ailon, Charikar and Newman (2008), https://doi.org/10.1145/1411509.1411513; for the best pivot
    van Zuylen and Williamson (2009), https://doi.org/10.1287/moor.1090.0385.

    Examples
    --------
    >>> from rankagg import KwikSort, Profile
    >>> KwikSort().aggregate(Profile.from_orders(["ABC", "BCA"], counts=[3, 2]), rng=0)
    <Consensus by KwikSort: A > B > C>
    """

    needs: ClassVar[Needs] = "votes"
    is_strict: ClassVar[bool] = True
    command_names: ClassVar = {"kwiksort": {"pivot": "best"}}
    pivot: Literal["random", "best"] = "random"

    def __post_init__(self) -> None:
        check_choice(self.pivot, ("random", "best"), "pivot of KwikSort")

    @property
    def guarantee(self) -> Guarantee:
        """Twice the optimum; in expectation where the pivot is drawn."""
        return Guarantee(2, in_expectation=self.pivot == "random")

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        votes = evidence.votes
        costs = _costs(votes)
        wins = votes.wins
        order: list[int] = []
        stack = [np.arange(votes.n_items)]
        while stack:
            part = stack.pop()
            if len(part) < 2:
                order += part.tolist()
                continue
            pivot = self._pivot(wins, part, rng)
            others = part[part != pivot]
            lead = costs[others, pivot] < 0
            if self.pivot == "random":
                lead |= (costs[others, pivot] == 0) & (rng.random(len(others)) < 0.5)
            stack += [others[~lead], np.array([pivot]), others[lead]]
        return Outcome(ranking=permutation_of(np.argsort(order), votes.items))

    def _pivot(self, wins: Floats, part: Order, rng: Generator) -> int:
        if self.pivot == "random":
            return int(rng.choice(part))
        inside = wins[np.ix_(part, part)]
        # Of each pivot: who comes before it, and who after.
        lead = (inside > inside.T).T.astype(np.float64)
        behind = 1.0 - lead
        np.fill_diagonal(behind, 0.0)
        # What the pairs that the pivot separates cost, over the cheaper side of each.
        total = ((lead @ inside.T) * behind).sum(axis=1)
        floor = ((lead @ np.minimum(inside, inside.T)) * behind).sum(axis=1)
        free = np.where(total == 0, 1.0, np.inf)
        ratios = np.divide(total, floor, out=free, where=floor > 0)
        return int(part[int(np.argmin(ratios))])


@dataclass(frozen=True, kw_only=True)
class PickAPerm(Aggregator):
    """The ranking among the given ones that costs least.

    On complete strict rankings it costs at most twice the optimum. An unranked item has its
    expected rank among the compatible permutations ("uniform", "ignore") or is tied for the last
    ("last"). Of several cheapest the one whose ranks come first is taken.

    References
    ----------
    Ailon, Charikar and Newman (2008), https://doi.org/10.1145/1411509.1411513.

    Examples
    --------
    >>> from rankagg import PickAPerm, Profile
    >>> PickAPerm().aggregate(Profile.from_orders(["ABC", "BCA", "BAC"]))
    <Consensus by PickAPerm: B > A > C>
    """

    needs: ClassVar[Needs] = "rankings"
    guarantee: ClassVar[Guarantee] = Guarantee(2)
    command_names: ClassVar = {"pick-a-perm": {}}

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        votes, profile = evidence.votes, evidence.profile
        filled = competition_ranks(-points(profile.ranks), 1e-9)
        candidates = [as_ranking(row, profile.items) for row in np.unique(filled, axis=0)]
        costs = [votes.exact_cost(candidate) for candidate in candidates]
        return Outcome(ranking=candidates[costs.index(min(costs))])
