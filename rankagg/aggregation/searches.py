"""Heuristic rules without a proof: searches, sorting, a random walk, an assignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast

import numpy as np

from rankagg._typing import Floats, Generator, Integers, Positions
from rankagg._validation import check_choice
from rankagg.aggregation.base import Aggregator, Guarantee, Needs, SearchingRule, check_rule
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.kemeny.orders import improve
from rankagg.aggregation.outcome import Outcome
from rankagg.aggregation.positional import Borda, divided, points, row_slices
from rankagg.core import (
    PairwiseMatrix,
    PartialRanking,
    Profile,
    as_ranking,
    competition_ranks,
    exact,
    permutation_of,
)
from rankagg.exceptions import InvalidInputError
from rankagg.kernels.counting import doubled_places

Order = Positions
# Shares of time that differ by at most this much, relative to 1/n, are equal.
EQUAL = 1e-9
# Probability of a restart at each step.
TELEPORT = 0.05
BORDA = Borda()


@dataclass(frozen=True, kw_only=True)
class InsertionSearch(SearchingRule):
    """Local search by moves of single items, from the ranking of another rule.

    Ties of the start are broken in the order of the items. Among equally good moves the choice is
    arbitrary, so which of several results is returned is unspecified.
    `InsertionSearch(start=Borda())` is Borda, locally Kemenized: no majority between neighbors is
    contradicted.

    Parameters
    ----------
    start : Aggregator, default Borda()
        The rule whose ranking is improved.

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
    command_names: ClassVar = {"insertion-search": {}}
    start: Aggregator = BORDA

    def __post_init__(self) -> None:
        check_rule(self.start, "start of InsertionSearch")

    @property
    def guarantee(self) -> Guarantee | None:
        """The guarantee of the start, as the search never raises the cost."""
        return self.start.guarantee

    def _aggregate_within(self, evidence: Evidence, rng: Generator, deadline: Deadline) -> Outcome:
        votes = evidence.votes
        ranks = self.start.aggregate(evidence, rng=rng, deadline=deadline).ranking.ranks
        # Items that the start does not rank go last.
        order = np.argsort(np.where(ranks < 0, len(ranks), ranks), kind="stable")
        return Outcome(
            ranking=permutation_of(np.argsort(improve(_costs(votes), order)), votes.items)
        )


def _costs(votes: PairwiseMatrix) -> Floats:
    """Return the cost of row before column minus that of the reverse."""
    return (votes.scaled_wins.T - votes.scaled_wins).astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class KwikSort(Aggregator):
    """Quicksort by majorities against a pivot item.

    On complete strict rankings it costs at most twice the optimum, in expectation if the pivot is
    random; the better of that and `PickAPerm` at most 11/7. Items without a majority against the
    random pivot go to either side at random.

    Parameters
    ----------
    pivot : {"random", "best"}, default "random"
        "random": draw the pivot. Apart from reading the votes, time grows as n log n. "best": the
        pivot whose separated pairs cost least, as a multiple of their cheaper sides. Then no random
        numbers are used, ties go behind the pivot, and the choice among equally good pivots is
        unspecified. Time grows as n^3 (two matrix products).

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
        """Twice the optimum; in expectation if the pivot is random."""
        return Guarantee(2, in_expectation=self.pivot == "random")

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        votes = evidence.votes
        costs = _costs(votes)
        wins = votes.wins
        order = []
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
        # For each pivot (row): the items before it, and those after.
        lead = (inside > inside.T).T.astype(np.float64)
        behind = 1.0 - lead
        np.fill_diagonal(behind, 0.0)
        # Cost of the pairs that the pivot separates, and of their cheaper sides.
        total = ((lead @ inside.T) * behind).sum(axis=1)
        floor = ((lead @ np.minimum(inside, inside.T)) * behind).sum(axis=1)
        free = np.where(total == 0, 1.0, np.inf)
        ratios = np.divide(total, floor, out=free, where=floor > 0)
        return int(part[int(np.argmin(ratios))])


@dataclass(frozen=True, kw_only=True)
class PickAPerm(Aggregator):
    """The given ranking of least cost.

    On complete strict rankings it costs at most twice the optimum. An unranked item has its
    expected rank among the compatible permutations ("uniform", "ignore") or is tied for last place
    ("last"). Among several cheapest rankings, the one with the lexicographically first ranks wins.

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


@dataclass(frozen=True, kw_only=True)
class MC4(Aggregator):
    """Ranking by the share of time of a random walk at each item, which moves to better items.

    At every step another item is drawn. The walk moves there if a majority prefers it, with
    probability 1/2 if there is no majority, and stays otherwise. One step in 20 restarts at a
    random item, so that the walk never gets stuck. The scores are shares of time, from a linear
    system; those that differ by at most 1e-9 of their mean are tied.

    References
    ----------
    Dwork, Kumar, Naor and Sivakumar (2001), "Rank aggregation methods for the web",
    https://doi.org/10.1145/371920.372165.

    Examples
    --------
    >>> from rankagg import MC4, Profile
    >>> MC4().aggregate(Profile.from_orders(["ABC", "BCA"], counts=[3, 2]))
    <Consensus by MC4: A > B > C>
    """

    needs: ClassVar[Needs] = "votes"
    command_names: ClassVar = {"mc4": {}}

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        votes = evidence.votes
        n = votes.n_items
        beaten = (votes.scaled_wins < votes.scaled_wins.T).astype(np.float64)
        level = (votes.scaled_wins == votes.scaled_wins.T).astype(np.float64)
        moves = (beaten + level / 2.0) / n
        np.fill_diagonal(moves, 0.0)
        np.fill_diagonal(moves, 1.0 - moves.sum(axis=1))
        # time = (1 - t) time @ moves + t/n, with time summing to 1
        time = np.linalg.solve(np.eye(n) - (1.0 - TELEPORT) * moves.T, np.full(n, TELEPORT / n))
        ranking = PartialRanking.from_scores(
            time, higher_is_better=True, tolerance=EQUAL / n, items=votes.items
        )
        return Outcome(scores=time, ranking=as_ranking(ranking.ranks, votes.items))


@dataclass(frozen=True, kw_only=True)
class FootruleOptimal(Aggregator):
    """The strict ranking of least summed footrule distance to the rankings.

    On complete strict rankings its Kendall cost is at most twice the optimum, since the footrule
    is between once and twice Kendall's distance. Tied items have the mean rank of their bucket,
    and unlisted ones the mean of the ranks below the list. The distance is to these mean ranks,
    not the expected one with ties broken at random. Unranked items are refused except under the
    policy "last". Which of several optima is returned is unspecified.

    References
    ----------
    Dwork, Kumar, Naor and Sivakumar (2001), https://doi.org/10.1145/371920.372165; Diaconis and
    Graham (1977), https://doi.org/10.1111/j.2517-6161.1977.tb01624.x.

    Examples
    --------
    >>> from rankagg import FootruleOptimal, Profile
    >>> FootruleOptimal().aggregate(Profile.from_orders(["ABC", "BCA"], counts=[3, 2]))
    <Consensus by FootruleOptimal: A > B > C>
    """

    needs: ClassVar[Needs] = "rankings"
    is_strict: ClassVar[bool] = True
    guarantee: ClassVar[Guarantee] = Guarantee(2)
    command_names: ClassVar = {"footrule": {}}

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        # SciPy's optimizers load late.
        from scipy.optimize import linear_sum_assignment  # noqa: PLC0415

        profile = evidence.profile
        if profile.has_unranked:
            allowed = "'last' where rankings leave items unranked"
            remedy = "The footrule is of all places; `with_unranked` states the policy."
            raise InvalidInputError("unranked of the data", allowed, profile.unranked, remedy)
        items, assigned = linear_sum_assignment(_footrule_costs(profile))
        ranks = np.empty(profile.n_items, dtype=np.int32)
        ranks[items] = assigned
        return Outcome(ranking=permutation_of(ranks, profile.items))


def _footrule_costs(profile: Profile) -> Floats:
    """Return the weighted distance of every item at every rank to all rankings, shape (n, n).

    The rankings are counted by item and rank first. So memory is a few n x n numbers, and the order
    of the rankings does not change a single bit.
    """
    n = profile.n_items
    votes, denominator = exact.as_votes(profile.counts, profile.weights)
    weights: Any = np.zeros(n * (2 * n - 1), dtype=np.int64)
    for rows in row_slices(len(profile), n):
        cells = doubled_places(profile.ranks[rows]) - 2 + (2 * n - 1) * np.arange(n)
        each = cast(Integers, np.repeat(votes[rows], n))
        weights = exact.combine(weights, 1, exact.count_cells(cells.ravel(), each, len(weights)), 1)
    # Summed distances in each row from all half places to each column.
    weights = weights.reshape(n, 2 * n - 1)
    up_to = np.cumsum(weights, axis=1)
    # One step to the right adds 1 for each place passed and saves 1 for each of the others.
    steps = 2 * up_to[:, :-1] - up_to[:, -1:]
    first = (weights * np.arange(2 * n - 1)).sum(axis=1, keepdims=True)
    return divided(np.cumsum(np.column_stack([first, steps]), axis=1)[:, ::2], 2 * denominator)
