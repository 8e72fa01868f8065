"""Exact consensuses of many reweighted versions of the same rankings.

The votes of a version are counted from the places of the rankings that it holds, equal rankings
together, so that no more than the profile and one matrix is kept. Solving starts from the consensus
of the whole profile, which is near that of most versions.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike

from rankagg._typing import Integers64
from rankagg._validation import check_jobs
from rankagg.aggregation.evidence import Evidence, as_data
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.kemeny.parts import Warm
from rankagg.aggregation.result import Consensus
from rankagg.core import PairwiseMatrix, Profile, counted, exact
from rankagg.exceptions import Described, InvalidInputError


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
        One per version, each with its verified certificate.

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
    resampler = _Resampler(profile, exact_rule)
    # Some versions a task: the profile travels once with each, and what one version teaches the
    # next is the same whatever the number of processes.
    chunks = np.array_split(versions, max(min(len(versions) // 8, 16), 1))
    if jobs == 1:
        return [consensus for chunk in chunks for consensus in resampler.consensuses(chunk)]
    results = Parallel(n_jobs=jobs)(delayed(resampler.consensuses)(chunk) for chunk in chunks)
    return [consensus for chunk in results for consensus in chunk]


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
        self._rule = rule
        keys = np.column_stack([profile.ranks, profile.weights.view(np.int64)])
        _, first, where = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        self._ranks, self._weights = profile.ranks[first], profile.weights[first]
        self._counts, self._row = profile.counts, where.ravel()
        self._unranked = profile.unranked
        self._warm = Warm(len(profile.items))
        order = rule.solve(profile.pairwise(), warm=self._warm).ranking
        assert order is not None, "the rule returns a ranking"
        self._start = np.argsort(order.ranks)

    def consensuses(self, versions: Integers64) -> list[Consensus]:
        """Return the consensuses of some versions, each of which learns from those before it."""
        warm = self._warm.fork()
        return [self._consensus(row, warm) for row in versions]

    def _consensus(self, counts: Integers64, warm: Warm) -> Consensus:
        start = perf_counter()
        votes = self._votes(counts)
        outcome = self._rule.solve(votes, start=self._start, warm=warm)
        if outcome.interrupted:
            raise KeyboardInterrupt  # it stops the whole series, not one version of it
        assert outcome.ranking is not None, "the rule returns a ranking"
        return Consensus(
            ranking=outcome.ranking,
            scores=None,
            rule=self._rule,
            unranked=self._unranked,
            certificate=outcome.certificate,
            _optima=outcome.optima,
            notes=outcome.notes,
            runtime=perf_counter() - start,
            _evidence=Evidence(votes),
        )

    def _votes(self, counts: Integers64) -> PairwiseMatrix:
        times = exact.multiply(self._counts, counts)
        merged = exact.count_cells(self._row, times, len(self._ranks))
        kept = np.flatnonzero(merged)
        return PairwiseMatrix._of_ranks(
            self._items, self._ranks[kept], merged[kept], self._weights[kept], self._unranked
        )
