"""The ranking of least summed footrule distance, as an assignment of items to places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import gammaln

from rankagg._typing import Floats, Ranks, Unranked
from rankagg.aggregation.base import Aggregator, Guarantee, Needs, Outcome
from rankagg.aggregation.evidence import Evidence
from rankagg.core import places
from rankagg.core.places import UNRANKED
from rankagg.core.rankings import Permutation

__all__ = ["FootruleOptimal"]


@dataclass(frozen=True, kw_only=True)
class FootruleOptimal(Aggregator):
    """The strict ranking whose places are nearest to those of all rankings, in sum.

    On complete strict rankings its Kendall cost is at most twice the optimum, since the footrule
    is between once and twice Kendall's distance. Tied and unlisted items have the mean place of
    their bucket. Which of several optima comes back is unspecified.

    Parameters
    ----------
    unranked : {"uniform", "ignore", "last"}, default "uniform"
        "uniform": the expected distance to a compatible permutation. "ignore": an unranked item
        has no place to be far from, and places are those among the ranked ones, stretched over
        all. "last": unranked items share the places below all others.

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

    def __post_init__(self) -> None:
        self._check_policy()

    def _aggregate(self, evidence: Evidence, rng: np.random.Generator) -> Outcome:
        profile = evidence.profile
        costs = footrule_costs(profile.ranks, profile.counts * profile.weights, self.unranked)
        items, assigned = linear_sum_assignment(costs)
        ranks = np.empty(profile.n_items, dtype=np.int32)
        ranks[items] = assigned
        return Outcome(ranking=Permutation(ranks, profile.items))


def footrule_costs(ranks: Ranks, weights: Floats, unranked: Unranked) -> Floats:
    """Return the weighted distance of every item at every place to all rankings, shape (n, n)."""
    n = ranks.shape[1]
    if unranked == "last":
        ranks = places.unranked_last(ranks)
    mids = places.mid_ranks(ranks)
    observed = ranks != UNRANKED
    seen = observed.sum(axis=1)
    costs = np.zeros((n, n))
    for k in np.unique(seen).tolist():
        rows = seen == k
        if unranked == "uniform" and k < n:
            table = _expected_distances(n, k)
            inside = np.where(observed[rows], 2 * mids[rows], 2 * k).astype(np.int64)
            far = table[inside]
        else:
            stretched = (mids[rows] + 0.5) * n / max(k, 1) - 0.5 if unranked == "ignore" else (
                mids[rows]
            )  # fmt: skip
            far = np.abs(stretched[:, :, None] - np.arange(n))
            far = np.where(observed[rows][:, :, None], far, 0.0)
        costs += np.tensordot(weights[rows], far, axes=1)
    return costs


def _expected_distances(n: int, k: int) -> Floats:
    """Return E|place - p| for an item at the doubled place 0, ..., 2(k - 1) of k, and unobserved.

    Row 2r + 1 is for the mean of the places r and r + 1; row 2k is for an unobserved item.
    """
    at = np.arange(n)
    chances = np.zeros((2 * k + 1, n))
    for r in range(k):
        # The r-th of k chosen places of n is q.
        valid = (at >= r) & (n - 1 - at >= k - 1 - r)
        q = at[valid]
        logs = _log_binomial(q, r) + _log_binomial(n - 1 - q, k - 1 - r) - _log_binomial(n, k)
        chances[2 * r, valid] = np.exp(logs)
    chances[1 : 2 * k - 1 : 2] = (chances[0 : 2 * k - 2 : 2] + chances[2 : 2 * k : 2]) / 2.0
    chances[2 * k] = 1.0 / n
    distances: Floats = chances @ np.abs(at[:, None] - at)
    return distances


def _log_binomial(n: Any, k: int) -> Any:
    top = np.asarray(n, dtype=np.float64)
    return gammaln(top + 1.0) - gammaln(k + 1.0) - gammaln(top - k + 1.0)
