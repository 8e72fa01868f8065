"""The ranking of least summed footrule distance, as an assignment of items to ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from scipy.special import gammaln

from rankagg._typing import Floats, Integers, Ranks, Unranked
from rankagg.aggregation.base import Aggregator, Guarantee, Needs, Outcome
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.place_sums import doubled_place_counts
from rankagg.core.arithmetic import exact
from rankagg.core.rankings import places
from rankagg.core.rankings.partial import Permutation
from rankagg.core.rankings.places import UNRANKED

__all__ = ["FootruleOptimal"]


@dataclass(frozen=True, kw_only=True)
class FootruleOptimal(Aggregator):
    """The strict ranking whose ranks are nearest to those of all rankings, in sum.

    On complete strict rankings its Kendall cost is at most twice the optimum, since the footrule
    is between once and twice Kendall's distance. Tied items have the mean rank of their bucket,
    and unlisted ones that of the ranks below the list: the distance is to these mean ranks, and
    not the expected one when ties are broken at random. Which of several optima comes back is
    unspecified.

    Parameters
    ----------
    unranked : {"uniform", "ignore", "last"}, default "uniform"
        "uniform": the expected distance to a compatible permutation. "ignore": an unranked item
        has no rank to be far from, and ranks are those among the ranked ones, stretched over
        all. "last": unranked items share the ranks below all others.

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
    unranked: Unranked = "uniform"

    def _aggregate(self, evidence: Evidence, rng: np.random.Generator) -> Outcome:
        profile = evidence.profile
        costs = footrule_costs(profile.ranks, profile.counts, profile.weights, self.unranked)
        items, assigned = linear_sum_assignment(costs)
        ranks = np.empty(profile.n_items, dtype=np.int32)
        ranks[items] = assigned
        return Outcome(ranking=Permutation(ranks, profile.items))


def footrule_costs(ranks: Ranks, counts: Integers, weights: Floats, unranked: Unranked) -> Floats:
    """Return the weighted distance of every item at every rank to all rankings, shape (n, n).

    The rankings are counted by item and rank first, so that memory is a few n x n numbers and
    their order changes no bit.
    """
    n = ranks.shape[1]
    votes, denominator = exact.as_votes(counts, weights)
    if unranked == "last":
        ranks = places.unranked_last(ranks)
    seen = (ranks != UNRANKED).sum(axis=1)
    costs = np.zeros((n, n))
    for k in np.unique(seen).tolist():
        rows = np.flatnonzero(seen == k)
        placed = doubled_place_counts(ranks[rows], votes[rows])
        if k == n:
            doubled = distances(placed[:, :-1])[:, ::2]
            costs += _divided(doubled, 2 * denominator)
            continue
        table = _expected_distances(n, k) if unranked == "uniform" else _stretched_distances(n, k)
        known = _divided(np.delete(placed, np.s_[2 * k : -1], axis=1), denominator)
        costs += cast(Floats, sparse.csr_array(known) @ table)
    return costs


def _divided(numbers: Integers, denominator: int) -> Floats:
    if numbers.dtype == object:
        # Python divides large integers without overflow.
        return np.array([value / denominator for value in numbers.ravel()]).reshape(numbers.shape)
    result: Floats = numbers / denominator
    return result


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
    top = np.asarray(n, dtype=np.float64)
    return gammaln(top + 1.0) - gammaln(k + 1.0) - gammaln(top - k + 1.0)
