"""Exact consensuses of many reweighted versions of the same rankings.

The votes of a version are counted from the places of the rankings that it holds, equal rankings
together, so that no more than the profile and one matrix is kept. Solving starts from the consensus
of the whole profile, which is near that of most versions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, TypeVar

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike

from rankagg._typing import Integers64, Positions, Ranks
from rankagg._validation import check_jobs
from rankagg.aggregation import Aggregator, Consensus
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import Evidence, as_data
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.kemeny.certificate import Certificate
from rankagg.aggregation.kemeny.parts import Warm
from rankagg.core import ItemSet, PairwiseMatrix, Profile, counted, exact
from rankagg.exceptions import Described, InvalidInputError

_Found = TypeVar("_Found")


def resample_kemeny(
    profile: Profile, counts: ArrayLike, rule: Kemeny | None = None, *, n_jobs: int | None = None
) -> list[Consensus]:
    """Return the exact consensus of each of many versions of a profile.

    Parameters
    ----------
    profile : Profile
        m rankings; their own counts and weights multiply those of a version.
    counts : array_like of int, shape (B, m)
        How often each ranking occurs in each version; 0 leaves it out. A bootstrap draws the
        rows from a multinomial distribution.
    rule : Kemeny, optional
        The rule with its parameters; `Kemeny()` by default.
    n_jobs : int, optional
        Processes that joblib starts; -1 for all cores.

    Returns
    -------
    list of Consensus
        One per version, each with its certificate.

    Raises
    ------
    InvalidInputError
        If a version has no ranking, or counts are not whole numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from rankagg import Profile
    >>> from rankagg.analysis import resample_kemeny
    >>> profile = Profile.from_orders(["ABC", "BCA", "CAB"])
    >>> [" ".join(c.order) for c in resample_kemeny(profile, [[2, 1, 0], [0, 0, 3]])]
    ['A B C', 'C A B']
    """
    profile = as_data(profile, "profile")
    exact_rule = Kemeny() if rule is None else rule
    if not isinstance(exact_rule, Kemeny):
        raise InvalidInputError("rule", "a Kemeny rule", rule)
    versions = _check_counts(counts, len(profile))
    jobs = check_jobs(n_jobs)
    return in_groups(_Resampler(profile, exact_rule).consensuses, versions, 8, jobs)


def in_groups(
    work: Callable[[Any], Iterable[_Found]], cases: Any, least: int, n_jobs: int | None
) -> list[_Found]:
    """Work on groups of cases, of a sixteenth of them or `least`, and join what is found.

    What a case teaches the next one of its group is the same whatever the number of processes.
    """
    size = max(len(cases) // 16, least)
    groups = [cases[start : start + size] for start in range(0, len(cases), size)]
    found = Parallel(n_jobs=n_jobs)(delayed(_listed)(work, group) for group in groups)
    return [one for group in found for one in group]


def _listed(work: Callable[[Any], Iterable[_Found]], cases: Any) -> list[_Found]:
    """Return all that is found: what a generator yields cannot come from another process."""
    return list(work(cases))


@dataclass(frozen=True, eq=False)
class Near:
    """What helps an exact rule with related data, once the consensus of all is known."""

    # A rule that can use it.
    rule: Kemeny
    # Shape (n,). The consensus of all data.
    ranks: Ranks
    # What its proof used, and those of related data that were solved since.
    warm: Warm

    @classmethod
    def of(cls, rule: Aggregator, whole: Consensus, items: ItemSet) -> Near | None:
        """Return what the consensus of all teaches; None where the rule cannot use it."""
        proof = whole.certificate
        if not (isinstance(rule, Kemeny) and rule.can_be_warm and isinstance(proof, Certificate)):
            return None
        warm = Warm.of(len(proof.items), proof.proofs)
        return cls(rule, whole.ranking.reindex(items).ranks, warm)

    def fork(self) -> Near:
        """Return the same, to learn for itself."""
        return replace(self, warm=self.warm.fork())

    def consensus(
        self, evidence: Evidence, deadline: Deadline, inside: Positions | None = None
    ) -> Consensus:
        """Aggregate related data, whose items are those at some positions."""
        began = perf_counter()
        if inside is None:
            inside = np.arange(len(self.ranks))
        start, warm = np.argsort(self.ranks[inside]), self.warm.within(inside)
        outcome = self.rule.solve(evidence.votes, start=start, deadline=deadline, warm=warm)
        if outcome.interrupted:
            raise KeyboardInterrupt  # it stops all of them, not this one
        assert outcome.ranking is not None, "the rule returns a ranking"
        return Consensus(
            ranking=outcome.ranking,
            scores=None,
            rule=self.rule,
            unranked=evidence.unranked,
            certificate=outcome.certificate,
            _optima=outcome.optima,
            notes=outcome.notes,
            runtime=perf_counter() - began,
            evidence=evidence,
        )


def _check_counts(counts: ArrayLike, m: int) -> Integers64:
    values = np.asarray(counts)
    if values.ndim != 2 or values.shape[1] != m:
        allowed = f"one row of {counted(m, 'count')} per version"
        raise InvalidInputError("counts", allowed, Described(f"shape {values.shape}"))
    whole = np.issubdtype(values.dtype, np.integer) and (values >= 0).all()
    if not whole or not values.any(axis=1).all():
        allowed = "whole numbers from 0, with one above 0 in every row"
        raise InvalidInputError("counts", allowed, Described(f"dtype {values.dtype}"))
    return values.astype(np.int64)


class _Resampler:
    """The distinct rankings of a profile with their weights, and where to start."""

    def __init__(self, profile: Profile, rule: Kemeny) -> None:
        self._items = profile.items
        keys = np.column_stack([profile.ranks, profile.weights.view(np.int64)])
        _, first, where = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        self._ranks, self._weights = profile.ranks[first], profile.weights[first]
        self._counts, self._row = profile.counts, where.ravel()
        self._unranked = profile.unranked
        warm = Warm(len(profile.items))
        order = rule.solve(profile.pairwise(), warm=warm).ranking
        assert order is not None, "the rule returns a ranking"
        self._near = Near(rule, order.ranks, warm)

    def consensuses(self, versions: Integers64) -> list[Consensus]:
        """Return the consensuses of some versions, each of which learns from those before it."""
        near = self._near.fork()
        return [near.consensus(Evidence(self._votes(row)), Deadline()) for row in versions]

    def _votes(self, counts: Integers64) -> PairwiseMatrix:
        times = exact.multiply(self._counts, counts)
        merged = exact.count_cells(self._row, times, len(self._ranks))
        kept = np.flatnonzero(merged)
        return PairwiseMatrix._of_ranks(
            self._items, self._ranks[kept], merged[kept], self._weights[kept], self._unranked
        )
