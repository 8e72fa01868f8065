"""Exact consensuses of many reweighted versions of the same rankings.

Counting is done once per ranking: the votes of a version are a weighted sum of those. Solving
starts from the consensus of the whole profile, which is near that of most versions.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray

from rankagg._typing import Integers
from rankagg._validation import check_integer
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.result import Consensus
from rankagg.core import exact
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.profile import Profile
from rankagg.exceptions import Described, InvalidInputError

__all__ = ["resample_kemeny"]


def resample_kemeny(
    profile: Profile, counts: ArrayLike, rule: Kemeny | None = None, *, n_jobs: int = 1
) -> list[Consensus]:
    """Return the exact consensus of each of many versions of a profile.

    Parameters
    ----------
    profile : Profile
        m rankings; their own counts and weights multiply those of a version. The votes of each
        are kept apart, m matrices of n x n numbers.
    counts : array_like of int, shape (B, m)
        How often each ranking occurs in each version; 0 leaves it out. A bootstrap draws the
        rows from a multinomial distribution.
    rule : Kemeny, optional
        The rule with its parameters; `Kemeny()` by default.
    n_jobs : int, default 1
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
    >>> from rankagg import Profile, resample_kemeny
    >>> profile = Profile.from_orders(["ABC", "BCA", "CAB"])
    >>> [" ".join(c.order) for c in resample_kemeny(profile, [[2, 1, 0], [0, 0, 3]])]
    ['A B C', 'C A B']
    """
    exact_rule = Kemeny() if rule is None else rule
    if not isinstance(exact_rule, Kemeny):
        raise InvalidInputError("rule", "a Kemeny rule", rule)
    versions = _check_counts(counts, len(profile))
    jobs = -1 if n_jobs == -1 else check_integer(n_jobs, "n_jobs", low=1)
    resampler = _Resampler(profile, exact_rule)
    if jobs == 1:
        return [resampler.consensus(row) for row in versions]
    # Some versions a task: the profile travels once with each.
    chunks = np.array_split(versions, min(len(versions), 64))
    results = Parallel(n_jobs=jobs)(delayed(resampler.consensuses)(chunk) for chunk in chunks)
    return [consensus for chunk in results for consensus in chunk]


def _check_counts(counts: ArrayLike, m: int) -> NDArray[np.int64]:
    values = np.asarray(counts)
    if values.ndim != 2 or values.shape[1] != m:
        allowed = f"one row of {m} counts per version"
        raise InvalidInputError("counts", allowed, Described(f"shape {values.shape}"))
    whole = np.issubdtype(values.dtype, np.integer) and (values >= 0).all()
    if not whole or not values.any(axis=1).all():
        allowed = "whole numbers from 0, with one above 0 in every row"
        raise InvalidInputError("counts", allowed, Described(f"dtype {values.dtype}"))
    return values.astype(np.int64)


class _Resampler:
    """The votes of every single ranking over one denominator, and where to start."""

    def __init__(self, profile: Profile, rule: Kemeny) -> None:
        self._profile = profile
        self._rule = rule
        singles = [profile[[t]].pairwise(rule.unranked) for t in range(len(profile))]
        whole = profile.pairwise(rule.unranked)
        self._denominator = int(
            np.lcm.reduce([single.denominator for single in singles], dtype=object)
        )
        self._wins = self._stack([single.scaled_wins for single in singles], singles)
        self._ties = self._stack([single.scaled_ties for single in singles], singles)
        self._comparisons = self._stack([single.scaled_comparisons for single in singles], singles)
        self._squares = np.stack([single.squared_weights for single in singles])
        self._weights = profile.counts * profile.weights
        self._rounding = max(single.rounding for single in singles)
        order = rule.solve(whole).ranking
        assert order is not None, "the rule returns a ranking"
        self._start = np.argsort(order.ranks)

    def _stack(self, parts: list[Integers], singles: list[PairwiseMatrix]) -> Integers:
        factors = [self._denominator // single.denominator for single in singles]
        return exact.fit(
            np.stack([part.astype(object) * f for part, f in zip(parts, factors, strict=True)])
        )

    def consensuses(self, versions: NDArray[np.int64]) -> list[Consensus]:
        return [self.consensus(row) for row in versions]

    def consensus(self, counts: NDArray[np.int64]) -> Consensus:
        start = perf_counter()
        votes = self._votes(counts)
        outcome = self._rule.solve(votes, start=self._start)
        if outcome.interrupted:
            raise KeyboardInterrupt  # it stops the whole series, not one version of it
        assert outcome.ranking is not None, "the rule returns a ranking"
        return Consensus(
            ranking=outcome.ranking,
            scores=None,
            aggregator=self._rule,
            unranked=self._rule.unranked,
            certificate=outcome.certificate,
            optima=outcome.optima,
            notes=outcome.notes,
            runtime=perf_counter() - start,
            evidence=Evidence(votes),
        )

    def _votes(self, counts: NDArray[np.int64]) -> PairwiseMatrix:
        return PairwiseMatrix(
            items=self._profile.items,
            scaled_wins=_weighted_sum(self._wins, counts),
            scaled_ties=_weighted_sum(self._ties, counts),
            scaled_comparisons=_weighted_sum(self._comparisons, counts),
            denominator=self._denominator,
            squared_weights=np.tensordot(counts.astype(np.float64), self._squares, axes=1),
            unranked=self._rule.unranked,
            total_weight=float(self._weights @ counts),
            rounding=self._rounding * int(counts.sum()),
        )


def _weighted_sum(stack: Integers, counts: NDArray[np.int64]) -> Integers:
    """Return the sum of matrices times counts, without overflow."""
    largest = int(np.abs(stack).max(initial=0)) * int(counts.sum())
    if stack.dtype != object and largest < exact.INT64_SAFE:
        total: Integers = np.tensordot(counts, stack.astype(np.int64), axes=1)
        return total
    return exact.fit(np.tensordot(counts.astype(object), stack.astype(object), axes=1))
