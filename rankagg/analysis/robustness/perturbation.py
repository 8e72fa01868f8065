"""Consensuses of resampled or reduced data.

Consensuses of related data are similar, so an exact rule starts each search from the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Literal, TypeVar

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike

from rankagg._typing import Integers64, Label, Positions, Ranks, Tolerance
from rankagg._validation import check_jobs, table_remedy
from rankagg.aggregation import Aggregator, Consensus, Deadline, Evidence, as_data
from rankagg.aggregation.kemeny import Certificate, Kemeny
from rankagg.aggregation.kemeny.parts import Warm
from rankagg.core import (
    ItemSet,
    PairwiseMatrix,
    Profile,
    ScoreSummary,
    ScoreTable,
    as_tolerance,
    count_votes,
    counted,
    exact,
)
from rankagg.exceptions import Described, InformationLostError, InvalidInputError

#: The kind of unit left out.
Part = Literal["task", "system"]
_Result = TypeVar("_Result")


@dataclass(frozen=True, eq=False)
class Near:
    """A known consensus from which an exact rule starts with related data."""

    # The exact rule.
    rule: Kemeny
    # Shape (n,). The consensus of all data.
    ranks: Ranks
    # The cycles of its proof, and of later proofs for related data.
    warm: Warm

    @classmethod
    def of(cls, rule: Aggregator, whole: Consensus, items: ItemSet) -> Near | None:
        """Return the start given by a consensus; None where the rule cannot use it."""
        proof = whole.certificate
        if not (isinstance(rule, Kemeny) and rule.can_be_warm and isinstance(proof, Certificate)):
            return None
        warm = Warm.of(len(proof.items), proof.proofs)
        return cls(rule, whole.ranking.reindex(items).ranks, warm)

    def fork(self) -> Near:
        """Return a copy that learns by itself."""
        return replace(self, warm=self.warm.fork())

    def consensus(
        self, evidence: Evidence, deadline: Deadline, inside: Positions | None = None
    ) -> Consensus:
        """Aggregate related data with the items at some positions."""
        began = perf_counter()
        if inside is None:
            inside = np.arange(len(self.ranks))
        start, warm = np.argsort(self.ranks[inside]), self.warm.within(inside)
        outcome = self.rule.solve(evidence.votes, start=start, deadline=deadline, warm=warm)
        if outcome.interrupted:
            raise KeyboardInterrupt  # stop the complete analysis
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


@dataclass(frozen=True, eq=False, kw_only=True)
class Parts:
    """Data from which tasks or systems can be left out."""

    # The complete data; a summary can only lose tasks.
    data: ScoreTable | ScoreSummary | Profile
    tolerance: Tolerance
    unit: Part

    def __post_init__(self) -> None:
        if not isinstance(self.data, ScoreTable | ScoreSummary | Profile):
            raise InvalidInputError(
                "data", "a ScoreTable or a Profile", self.data, table_remedy(self.data)
            )
        if self.unit == "system" and isinstance(self.data, ScoreSummary):
            raise InformationLostError(
                "unit='system' needs rankings; a ScoreSummary does not hold them. Read the scores "
                "with `read_scores`, or take unit='task'."
            )

    @property
    def items(self) -> Any:
        """The systems."""
        return self.data.items if isinstance(self.data, Profile) else self.data.systems

    @property
    def units(self) -> tuple[Label, ...]:
        """The units that may be left out."""
        if self.unit == "system":
            return tuple(self.items)
        if not isinstance(self.data, Profile):
            return tuple(self.data.tasks)
        if self.data.groups is None:
            return tuple(range(len(self.data)))
        return tuple(dict.fromkeys(self.data.groups))

    @property
    def noun(self) -> str:
        """Plural name of the units."""
        if not isinstance(self.data, Profile):
            return f"{self.unit}s"
        if self.unit == "system":
            return "items"
        if len(self.units) < len(self.data):
            return "groups"
        return "rankings" if len(self.data) == self.data.n_rankings else "different rankings"

    def part(self, kept: Positions) -> Evidence:
        """Return the data of the units at some positions."""
        left_in = set(kept.tolist())
        return self.without({unit for k, unit in enumerate(self.units) if k not in left_in})

    def without(self, gone: set[Label]) -> Evidence:
        """Return the data without some units."""
        if not gone:
            return Evidence(self.data, self.tolerance)
        if isinstance(self.data, ScoreTable):
            return self._part_of_table(self.data, gone)
        if isinstance(self.data, ScoreSummary):
            tallies = {t: tally for t, tally in self.data.tallies.items() if t not in gone}
            return Evidence(self.data.with_tallies(tallies), self.tolerance)
        if self.unit == "system":
            left = [item for item in self.data.items if item not in gone]
            return Evidence(self.data.restrict(left))
        groups = range(len(self.data)) if self.data.groups is None else self.data.groups
        rows = [row for row, group in enumerate(groups) if group not in gone]
        return Evidence(self.data[np.array(rows)])

    def _part_of_table(self, table: ScoreTable, gone: set[Label]) -> Evidence:
        if self.unit == "task":
            part = table.drop(tasks=gone)
        else:
            # A task without scores of the remaining systems is left out.
            left = [k for k, system in enumerate(table.systems) if system not in gone]
            seen = {int(t) for t in table.unit_tasks[~table.missing[left].all(axis=0)]}
            empty = [task for k, task in enumerate(table.tasks) if k not in seen]
            part = table.drop(systems=gone, tasks=empty)
        return Evidence(part, as_tolerance(self.tolerance, table.tasks, part.tasks))


# -- resamples ------------------------------------------------------------------------------------


def resample_kemeny(
    profile: Profile, counts: ArrayLike, rule: Kemeny | None = None, *, n_jobs: int | None = None
) -> list[Consensus]:
    """Return the exact consensus of each of many versions of a profile.

    Parameters
    ----------
    profile : Profile
        m rankings; their own counts and weights multiply those of a version.
    counts : array_like of int, shape (B, m)
        Count of each ranking in each version; 0 leaves it out. A bootstrap draws the rows from
        a multinomial distribution.
    rule : Kemeny, optional
        The rule with its parameters; `Kemeny()` by default.
    n_jobs : int, optional
        Number of processes that joblib starts; -1 for all cores.

    Returns
    -------
    list of Consensus
        One per version, each with its certificate.

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
    return in_groups(_Resampler(profile, exact_rule).consensuses, versions, 8, check_jobs(n_jobs))


def in_groups(
    work: Callable[[Any], Iterable[_Result]], cases: Any, least: int, n_jobs: int | None
) -> list[_Result]:
    """Process cases in groups of a sixteenth of them, at least `least`, and join the results.

    Results do not depend on the number of processes, since each group has its own warm start.
    """
    size = max(len(cases) // 16, least)
    groups = [cases[start : start + size] for start in range(0, len(cases), size)]
    results = Parallel(n_jobs=n_jobs)(delayed(_results)(work, group) for group in groups)
    return [result for group in results for result in group]


def _results(work: Callable[[Any], Iterable[_Result]], cases: Any) -> list[_Result]:
    """Return a list, since generators cannot be sent to another process."""
    return list(work(cases))


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
    """The distinct rankings of a profile with their weights, and a start."""

    def __init__(self, profile: Profile, rule: Kemeny) -> None:
        self._items = profile.items
        keys = np.column_stack([profile.ranks, profile.weights.view(np.int64)])
        _, first, numbers = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        self._ranks, self._weights = profile.ranks[first], profile.weights[first]
        self._counts, self._row = profile.counts, numbers.ravel()
        self._unranked = profile.unranked
        warm = Warm(len(profile.items))
        order = rule.solve(profile.pairwise(), warm=warm).ranking
        assert order is not None, "the rule returns a ranking"
        self._near = Near(rule, order.ranks, warm)

    def consensuses(self, versions: Integers64) -> list[Consensus]:
        """Return the consensuses of some versions, each warm-started by those before it."""
        near = self._near.fork()
        return [near.consensus(Evidence(self._votes(row)), Deadline()) for row in versions]

    def _votes(self, counts: Integers64) -> PairwiseMatrix:
        times = exact.multiply(self._counts, counts)
        merged = exact.count_cells(self._row, times, len(self._ranks))
        kept = np.flatnonzero(merged)
        return count_votes(
            self._items, self._ranks[kept], merged[kept], self._weights[kept], self._unranked
        )
