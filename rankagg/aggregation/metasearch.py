"""Rules of metasearch: fusion by ranks and by scores, the chain MC4, the optimal footrule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from rankagg._typing import Floats, Generator, Integers
from rankagg._validation import check_number
from rankagg.aggregation.base import Aggregator, Guarantee, Needs, ReadsUnranked
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.outcome import Outcome
from rankagg.aggregation.positional import doubled_place_counts, place_counts
from rankagg.core import (
    UNLISTED,
    UNRANKED,
    PartialRanking,
    Profile,
    as_ranking,
    exact,
    permutation_of,
    sum_by_group,
    sum_rows,
)

# Shares of time that differ by no more, relatively to 1/n, are equal.
EQUAL = 1e-9


@dataclass(frozen=True, kw_only=True)
class ReciprocalRankFusion(Aggregator):
    """Sum 1/(k + rank) over the rankings, ranks from 1: what search engines merge lists by.

    The top of a ranking counts most, the more so the smaller k is. An item gets nothing from a
    ranking that leaves it out, whether it is off the list or was not observed, and is unranked
    where no ranking has observed it. Tied items get the mean of what their places give, which is
    what each gets on average when the tie is broken at random.

    Parameters
    ----------
    k : float, default 60
        At least 0. How little the first place stands out: at 60 it gives 1/61, the second 1/62.

    Notes
    -----
    What is left out counts as little as a rank far below all others: items that few rankings
    observe come out low, and rules with a policy for unranked items are fairer to them. Places
    are counted in integers, so that the order of the rankings changes no bit.

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
        scores = np.zeros(profile.n_items)
        for size, starts in sorted(place_counts(listed, votes).items()):
            shares = np.lib.stride_tricks.sliding_window_view(gains, size).mean(axis=1)
            times = _divided(starts.weights, denominator)
            items, where = np.unique(starts.items, return_inverse=True)
            gained = (times * shares[starts.places])[None]
            scores[items] += sum_by_group(gained, where, len(items))[0]
        scores[(profile.ranks == UNRANKED).all(axis=0)] = np.nan
        return Outcome(scores=scores)


@dataclass(frozen=True, kw_only=True)
class CombSUM(Aggregator):
    """Sum the scores of all runs, each stretched from 0 to 1: what search engines fuse scores by.

    In every task (a run, for one topic) the least score becomes 0 and the largest 1; where all are
    equal, all become 1. A missing score counts 0. Weights of tasks multiply.

    Notes
    -----
    A missing score counts as the least one of its task does, so this is no mean: items that few
    tasks score come out low. For leaderboards with gaps `Mean` and rules on rankings are fairer.

    References
    ----------
    Fox and Shaw (1994), "Combination of multiple searches", TREC-2; stretched by task as in Lee
    (1997), "Analyses of multiple evidence combination", https://doi.org/10.1145/258525.258587.

    Examples
    --------
    >>> from rankagg import CombSUM, ScoreTable
    >>> runs = ScoreTable([[9, .2], [7, .8], [5, None]], systems="ABC", higher_is_better=True)
    >>> CombSUM().aggregate(runs).scores
    array([1. , 1.5, 0. ])
    """

    needs: ClassVar[Needs] = "scores"
    reads_unranked: ClassVar[ReadsUnranked] = "as observed"
    command_names: ClassVar = {"combsum": {}}

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        table = evidence.means
        scores, _, _ = table._task_means(signed=True)
        low, high = np.nanmin(scores, axis=0), np.nanmax(scores, axis=0)
        step = high - low
        stretched = np.where(step > 0, (scores - low) / np.where(step > 0, step, 1.0), 1.0)
        found = ~np.isnan(scores)
        gained = np.where(found, stretched, 0.0) * table.weight_vector
        totals = sum_rows(gained) * self._times(found * table.weight_vector)
        totals[~found.any(axis=1)] = np.nan
        return Outcome(scores=totals)

    def _times(self, found: Floats) -> Floats | float:
        """Return what the sum of each item is multiplied by, given the weights of what found it."""
        return 1.0


@dataclass(frozen=True, kw_only=True)
class CombMNZ(CombSUM):
    """The sums of `CombSUM`, times the number of runs that found the item.

    A run of weight 2 is a run that is there twice, and counts as two.

    References
    ----------
    Fox and Shaw (1994), "Combination of multiple searches", TREC-2; Lee (1997),
    https://doi.org/10.1145/258525.258587.

    Examples
    --------
    >>> from rankagg import CombMNZ, ScoreTable
    >>> runs = ScoreTable([[9, .2], [7, .8], [5, None]], systems="ABC", higher_is_better=True)
    >>> CombMNZ().aggregate(runs).scores
    array([2., 3., 0.])
    """

    command_names: ClassVar = {"combmnz": {}}

    def _times(self, found: Floats) -> Floats | float:
        return sum_rows(found)


@dataclass(frozen=True, kw_only=True)
class MC4(Aggregator):
    """Rank by the time that a walk spends at each item, which moves to items that beat it.

    At every step another item is drawn; the walk goes there if a majority puts it above, and
    stays otherwise (with half a chance to go where there is no majority). Now and then it starts
    anew anywhere, so that it never gets stuck. The scores are shares of time, from a linear
    system; those that differ by no more than 1e-9 of their mean are tied.

    Parameters
    ----------
    teleport : float, default 0.05
        The chance of a fresh start at each step, in (0, 1).

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
    teleport: float = 0.05

    def __post_init__(self) -> None:
        check_number(self.teleport, "teleport of MC4", low=0, high=1, open_low=True, open_high=True)

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        votes = evidence.votes
        n = votes.n_items
        beaten = (votes.scaled_wins < votes.scaled_wins.T).astype(np.float64)
        level = (votes.scaled_wins == votes.scaled_wins.T).astype(np.float64)
        moves = (beaten + level / 2.0) / n
        np.fill_diagonal(moves, 0.0)
        np.fill_diagonal(moves, 1.0 - moves.sum(axis=1))
        # time = (1 - t) time @ moves + t/n, with time summing to 1
        system = np.eye(n) - (1.0 - self.teleport) * moves.T
        time = np.linalg.solve(system, np.full(n, self.teleport / n))
        ranking = PartialRanking.from_scores(
            time, higher_is_better=True, tolerance=EQUAL / n, items=votes.items
        )
        return Outcome(scores=time, ranking=as_ranking(ranking.ranks, votes.items))


@dataclass(frozen=True, kw_only=True)
class FootruleOptimal(Aggregator):
    """The strict ranking whose ranks are nearest to those of all rankings, in sum.

    On complete strict rankings its Kendall cost is at most twice the optimum, since the footrule
    is between once and twice Kendall's distance. Tied items have the mean rank of their bucket,
    and unlisted ones that of the ranks below the list: the distance is to these mean ranks, and
    not the expected one when ties are broken at random. Which of several optima comes back is
    unspecified.

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
        # SciPy is loaded by the rule that needs it.
        from scipy.optimize import linear_sum_assignment  # noqa: PLC0415

        profile = evidence.profile
        costs = _footrule_costs(profile)
        items, assigned = linear_sum_assignment(costs)
        ranks = np.empty(profile.n_items, dtype=np.int32)
        ranks[items] = assigned
        return Outcome(ranking=permutation_of(ranks, profile.items))


def _footrule_costs(profile: Profile) -> Floats:
    """Return the weighted distance of every item at every rank to all rankings, shape (n, n).

    The rankings are counted by item and rank first, so that memory is a few n x n numbers and
    their order changes no bit.
    """
    from scipy import sparse  # noqa: PLC0415

    ranks, n = profile.ranks, profile.n_items
    votes, denominator = exact.as_votes(profile.counts, profile.weights)
    seen = (ranks != UNRANKED).sum(axis=1)
    costs = np.zeros((n, n))
    for k in np.unique(seen).tolist():
        rows = np.flatnonzero(seen == k)
        placed = doubled_place_counts(ranks[rows], votes[rows])
        if k == n:
            doubled = distances(placed[:, :-1])[:, ::2]
            costs += _divided(doubled, 2 * denominator)
            continue
        distances_of = _stretched_distances if profile.unranked == "ignore" else _expected_distances
        table = distances_of(n, k)
        known = _divided(np.delete(placed, np.s_[2 * k : -1], axis=1), denominator)
        costs += cast(Floats, sparse.csr_array(known) @ table)
    return costs


def _divided(numbers: Integers, denominator: int) -> Floats:
    # Python divides integers that are none of NumPy's.
    whole = numbers if denominator < exact.INT64_SAFE else numbers.astype(object)
    return np.asarray(whole / denominator, dtype=np.float64)


def distances(weights: Any) -> Any:
    """Return the summed distance of every column to all columns, weighted; row by row."""
    columns = np.arange(weights.shape[1])
    up_to = np.cumsum(weights, axis=1)
    total = up_to[:, -1:]
    # One step to the right adds 1 for what is left behind and saves 1 for the rest.
    steps = 2 * up_to[:, :-1] - total
    first = (weights * columns).sum(axis=1, keepdims=True)
    return np.cumsum(np.column_stack([first, steps]), axis=1)


def _expected_distances(n: int, k: int) -> Floats:
    """Return E|rank - p| for an item at the doubled rank 0, ..., 2(k - 1) of k, and unobserved.

    Row 2r + 1 is for the mean of the ranks r and r + 1; row 2k is for an unobserved item.
    """
    at = np.arange(n)
    chances = np.zeros((2 * k + 1, n))
    for r in range(k):
        # The r-th of k chosen ranks of n is q.
        valid = (at >= r) & (n - 1 - at >= k - 1 - r)
        q = at[valid]
        logs = _log_binomial(q, r) + _log_binomial(n - 1 - q, k - 1 - r) - _log_binomial(n, k)
        chances[2 * r, valid] = np.exp(logs)
    chances[1 : 2 * k - 1 : 2] = (chances[0 : 2 * k - 2 : 2] + chances[2 : 2 * k : 2]) / 2.0
    chances[2 * k] = 1.0 / n
    expected: Floats = distances(chances)
    return expected


def _stretched_distances(n: int, k: int) -> Floats:
    """Return |rank - p| where the doubled ranks of k are stretched over n; 0 for unobserved."""
    stretched = (np.arange(2 * k) + 1.0) * n / (2.0 * max(k, 1)) - 0.5
    table = np.abs(stretched[:, None] - np.arange(n))
    return np.concatenate([table, np.zeros((1, n))])


def _log_binomial(n: Any, k: int) -> Any:
    from scipy.special import gammaln  # noqa: PLC0415

    top = np.asarray(n, dtype=np.float64)
    return gammaln(top + 1.0) - gammaln(k + 1.0) - gammaln(top - k + 1.0)
