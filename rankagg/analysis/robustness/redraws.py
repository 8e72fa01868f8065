"""Resamples of data, and the ranks of every item in each of them.

A rule whose scores are sums over rankings or tasks ranks all resamples at once: counts times
points. Others aggregate one resample after the other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

import numpy as np

from rankagg._typing import (
    Bools,
    Floats,
    Generator,
    Integers,
    Integers64,
    Label,
    Positions,
    Ranks,
    Tolerance,
)
from rankagg._validation import check_choice, check_flag
from rankagg.aggregation import Aggregator, Consensus, Evidence, Mean, ranking_points
from rankagg.aggregation.kemeny import Kemeny
from rankagg.aggregation.kemeny.top_k import TopK
from rankagg.analysis.robustness.perturbation import in_groups, resample_kemeny
from rankagg.core import (
    ItemSet,
    PairwiseMatrix,
    Profile,
    ScoreSummary,
    ScoreTable,
    as_tolerance,
    canonical_profile,
    exact,
    places,
    rounding_error,
)
from rankagg.core.comparisons import Comparisons
from rankagg.exceptions import InformationLostError, InvalidInputError
from rankagg.inference.ranks.comparison_ranks import ComparisonUnit, unit_of
from rankagg.inference.ranks.rank_results import RankUnit
from rankagg.inference.units import Unit, Units, rankings_of, resample_counts
from rankagg.kernels.counting import doubled_places

#: Ranks by resample, and whether they are certain; None for rules that are not sums.
RanksAtOnce = tuple[Ranks, Bools] | None

# Sums below it are exact enough to be ranked without rounding.
EXACT_POINTS = 2**46
# Approximate number of ranks held at a time.
RANKS_AT_ONCE = 2_000_000


def ranks_in_resamples(
    data: Any,
    rule: Aggregator,
    times: int,
    rng: Generator,
    *,
    unit: RankUnit,
    fixed_tasks: bool,
    tolerance: Tolerance,
    instances: Sequence[Label] | None,
    n_jobs: int | None,
) -> tuple[ItemSet, RankUnit, Positions, Positions, Bools]:
    """Return the items, the resampled unit, and the ranks of every item in each resample.

    These are the first and the last of every item, from 1, each of shape (B, n), with 0 where an
    item has none; and False, shape (B,), where an exact rule did not prove its result.
    """
    redraw: _Redraws
    if isinstance(data, Comparisons):
        unit = unit_of(data, unit)
        _check_silent(fixed_tasks=(fixed_tasks, False), tolerance=(tolerance, 0.0))
        _check_silent(instances=(instances, None))
        redraw = comparisons = _RedrawComparisons.of(data, rule, unit)
        rows = comparisons.draw(times, rng)
    elif isinstance(data, ScoreSummary):
        Evidence(data, tolerance)  # checks that a summary has no tolerance
        if instances is not None:
            raise InvalidInputError("instances", "left out for a ScoreSummary", instances)
        if check_choice(unit, get_args(Unit)[:3], "unit") != "task":
            raise InformationLostError(
                f"unit={unit!r} needs rankings; a ScoreSummary does not hold them. Read the scores "
                "with `read_scores`, or draw tasks with unit='task'."
            )
        if check_flag(fixed_tasks, "fixed_tasks"):
            raise InvalidInputError("fixed_tasks", "False unless `unit='ranking'`", fixed_tasks)
        redraw = _RedrawSums(data.systems, rule, data)
        ones, strata = np.ones(data.n_tasks), np.zeros(data.n_tasks, dtype=np.intp)
        rows = resample_counts(ones, strata, times, rng)
    else:
        if unit in ("comparison", "cluster"):
            allowed = "'ranking', 'instance' or 'task' but of Comparisons"
            raise InvalidInputError("unit", allowed, unit)
        profile, known = rankings_of(data, tolerance, instances)
        units = Units.of(profile, unit=unit, fixed_tasks=fixed_tasks, instances=known)
        rows = units.resampled_rows(times, rng)
        # Units are tasks, or single rankings that are one of each task.
        single = profile.groups is not None and len(set(profile.groups)) == profile.n_rankings
        unit = units.unit
        draws_tasks = unit == "task" or (unit != "instance" and single and not fixed_tasks)
        redraw = _Redraw(profile.items, rule, data, profile, tolerance, draws_tasks)
    rule.aggregate(Evidence(data, tolerance))  # raises at once if the rule cannot take the data
    # One process takes all resamples at once.
    spans = _Spans.joined(in_groups(redraw.parts, rows, times if n_jobs == 1 else 64, n_jobs))
    return redraw.items, unit, spans.best, spans.worst, spans.is_proved


def _check_silent(**options: tuple[object, object]) -> None:
    """Raise if an option that comparisons do not use differs from its default."""
    for name, (value, silent) in options.items():
        differs = value != silent
        # Arrays and tables compare cell by cell.
        if value is not silent and (not isinstance(differs, bool | np.bool_) or differs):
            raise InvalidInputError(name, f"{silent!r} for Comparisons", value)


@dataclass(frozen=True, eq=False)
class _Spans:
    """First and last ranks of every item in each result, from 1; 0 for none."""

    # Shape (B, n). The first and the last.
    best: Positions
    worst: Positions
    # Shape (B,). False where an exact rule did not prove its result.
    is_proved: Bools

    @classmethod
    def of_ranks(cls, ranks: Ranks, *, is_proved: bool = True) -> _Spans:
        """Return the spans of rankings in rows."""
        start = np.where(ranks == places.UNLISTED, (ranks >= 0).sum(axis=1, keepdims=True), ranks)
        doubled = doubled_places(ranks)
        best = np.where(doubled > 0, start + 1, 0)
        worst = np.where(doubled > 0, doubled - 1 - start, 0)
        return cls(best, worst, np.full(len(ranks), is_proved))

    @classmethod
    def of(cls, consensus: Consensus) -> _Spans:
        """Return the spans of one result."""
        certificate = consensus.certificate
        is_list = isinstance(consensus.rule, TopK)
        if not is_list and (certificate is None or certificate.status != "optimal"):
            return cls.of_ranks(consensus.ranking.ranks[None, :], is_proved=certificate is None)
        optima = consensus.optima
        if optima is None:
            is_held = getattr(consensus.rule, "constraints", None) is not None
            remedy = "Leave out `top` and `quotas` of the constraints." if is_held else ""
            allowed = "a rule whose set of optima is known"
            raise InvalidInputError("rule", allowed, consensus.rule, remedy)
        best, worst = (ends[None, :] for ends in optima.rank_ranges())
        return cls(best, worst, np.ones(1, dtype=bool))

    @classmethod
    def joined(cls, parts: Iterable[_Spans]) -> _Spans:
        """Return the spans of several results, one after the other."""
        each = [(part.best, part.worst, part.is_proved) for part in parts]
        return cls(*map(np.concatenate, zip(*each, strict=True)))


@dataclass(frozen=True, eq=False)
class _Redraws(ABC):
    """Data that are resampled and aggregated by a rule."""

    # The ranked items.
    items: ItemSet
    rule: Aggregator

    @abstractmethod
    def resampled(self, counts: Integers64) -> Evidence | None:
        """Return a resample; None if no score was drawn."""

    def ranks(self, rows: Integers64) -> RanksAtOnce:
        """Return the ranks in all resamples at once, if the scores of the rule are sums."""
        return None

    def parts(self, rows: Integers64) -> Iterator[_Spans]:
        """Yield the ranks of every item in resamples, some of them at a time."""
        size = max(RANKS_AT_ONCE // len(self.items), 1)
        for start in range(0, len(rows), size):
            yield from self._spans(rows[start : start + size])

    def _spans(self, rows: Integers64) -> Iterator[_Spans]:
        together = self.ranks(rows)
        if together is None:
            yield from map(self._span, rows)
            return
        ranks, is_certain = together
        spans = _Spans.of_ranks(ranks)
        for row in np.flatnonzero(~is_certain).tolist():
            one = self._span(rows[row])
            spans.best[row], spans.worst[row] = one.best[0], one.worst[0]
            spans.is_proved[row] = one.is_proved[0]
        yield spans

    def _span(self, counts: Integers64) -> _Spans:
        drawn = self.resampled(counts)
        if drawn is None:
            return _Spans.of_ranks(np.full((1, len(self.items)), places.UNRANKED, dtype=np.int32))
        return _Spans.of(self.rule.aggregate(drawn))


def _rank_strictly(scores: Floats, doubt: Floats) -> tuple[Ranks, Bools]:
    """Return the ranks by scores in rows, and whether all scores differ by more than a doubt."""
    rows = np.arange(len(scores))[:, None]
    order = np.argsort(-scores, axis=1)
    ranks = np.empty(order.shape, dtype=np.int32)
    ranks[rows, order] = np.arange(order.shape[1], dtype=np.int32)
    steps = -np.diff(scores[rows, order], axis=1)
    # No comparison with NaN is true.
    return ranks, steps.min(axis=1, initial=np.inf) > doubt


def _rank_by_means(table: ScoreTable | ScoreSummary, counts: Integers64) -> RanksAtOnce:
    """Rank by means over tasks with counts; None if scores are too large or small."""
    scores, sizes, shift = table.scaled_means(signed=True)
    if shift:
        return None
    present = ~np.isnan(scores)
    weights = counts * table.weight_vector
    filled, large = (np.where(present, part, 0.0).T for part in (scores, sizes))
    mass = weights @ present.T.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        means, size = weights @ filled / mass, weights @ large / mass
    # The tolerance for ties of exact means, and the rounding error of these sums.
    return _rank_strictly(means, 4.0 * rounding_error(size.max(axis=1), 2 * len(filled)))


@dataclass(frozen=True, eq=False)
class _Redraw(_Redraws):
    """The data with other frequencies of their rankings, aggregated again.

    A task that is drawn several times weighs several times as much; other units are repeated.
    """

    data: Profile | ScoreTable
    profile: Profile
    tolerance: Tolerance
    # Whether whole tasks are drawn.
    draws_tasks: bool

    def parts(self, rows: Integers64) -> Iterator[_Spans]:
        """Yield the ranks of every item in resamples, some of them at a time."""
        if not isinstance(self.rule, Kemeny):
            return super().parts(rows)
        base = self._rows(self.profile, weights=self.profile.weights)
        return map(_Spans.of, resample_kemeny(base, rows, self.rule))

    def ranks(self, rows: Integers64) -> RanksAtOnce:
        """Return the ranks in all resamples at once, if the scores of the rule are sums."""
        if type(self.rule) is Mean and isinstance(self.data, ScoreTable):
            if not self.draws_tasks:
                return None
            firsts = np.unique(self.data.unit_tasks, return_index=True)[1]
            return _rank_by_means(self.data, rows[:, firsts])
        if self._points is None:
            return None
        points, largest = self._points
        sums = rows.astype(np.float64) @ points
        # Larger than any score, including a part that all items have in common.
        size = 4.0 * largest * rows.sum(axis=1)
        if len(self.items) * size.max() < EXACT_POINTS:
            return places.competition_ranks(-sums), np.ones(len(rows), dtype=bool)
        return _rank_strictly(sums, 4.0 * rounding_error(size, 2 * len(points)))

    @cached_property
    def _points(self) -> tuple[Floats, float] | None:
        """Points of each item from every ranking, up to a factor, and the largest."""
        weights = exact.as_rational(self.profile.weights)
        if weights.step:
            return None
        points = ranking_points(self.rule, self.profile)
        if points is None:
            return None
        numerators = weights.numerators.astype(np.float64)
        largest = numerators.max() * float(np.abs(points).max())
        return numerators[:, None] * points.astype(np.float64), largest

    def resampled(self, counts: Integers64) -> Evidence | None:
        """Return a resample; None if no score was drawn."""
        if self.rule.needs == "scores" and isinstance(self.data, ScoreTable):
            table = self._table(self.data, counts)
            if table is None:
                return None
            return Evidence(table, as_tolerance(self.tolerance, self.data.tasks, table.tasks))
        kept = np.flatnonzero(counts)
        profile = self.profile[kept]
        times, weights = counts[kept], profile.weights
        if self.draws_tasks:
            times, weights = profile.counts, weights * (times / profile.counts)
        return Evidence(self._rows(profile, groups=profile.groups, counts=times, weights=weights))

    def _rows(self, profile: Profile, **columns: Any) -> Profile:
        return canonical_profile(profile.items, profile.ranks, unranked=profile.unranked, **columns)

    def _table(self, table: ScoreTable, counts: Integers64) -> ScoreTable | None:
        scored = ~table.missing.all(axis=0)
        times = np.where(scored, np.minimum(counts, 1) if self.draws_tasks else counts, 0)
        columns = np.repeat(np.arange(table.n_units), times)
        if not len(columns):
            return None
        tasks = table.tasks.at(table.unit_tasks[columns])
        drawn = {task: float(counts[u]) for task, u in zip(tasks, columns, strict=True)}
        return ScoreTable(
            table.values[:, columns],
            systems=table.systems,
            tasks=tasks,
            instances=None if table.instances is None else range(len(columns)),
            higher_is_better={task: table.higher_is_better[task] for task in drawn},
            task_weights={
                task: table.task_weights[task] * (times if self.draws_tasks else 1.0)
                for task, times in drawn.items()
            },
        )


@dataclass(frozen=True, eq=False)
class _RedrawComparisons(_Redraws):
    """Sums of equal comparisons, each with the unit that it is drawn with."""

    # Shape (r,). Winner times n plus loser of each sum, and n * n more if they tied.
    cells: Positions
    # Shape (r,). The unit that each sum is drawn with.
    owners: Positions
    # Shape (r,). Votes of each sum if its unit is drawn once, times `denominator`.
    votes: Integers
    # Probability of each unit in a draw.
    shares: Floats
    # Number of draws of a resample.
    size: int
    denominator: int

    @classmethod
    def of(cls, data: Comparisons, rule: Aggregator, unit: ComparisonUnit) -> _RedrawComparisons:
        """Prepare to draw comparisons or clusters."""
        n, m = data.n_items, len(data)
        forward = data.outcomes >= 0
        above = np.where(forward, data.first, data.second)
        below = np.where(forward, data.second, data.first)
        cells = above * n + below + np.where(data.outcomes == 0, n * n, 0)
        weights = np.ones(m) if data.weights is None else data.weights
        distinct, kind = np.unique(weights, return_inverse=True)
        # All weights are read together, so that their values do not depend on the draw.
        importance = exact.as_rational(distinct)
        key = cells * len(distinct) + kind
        if unit == "comparison" or data.clusters is None:
            found, times = np.unique(key, return_counts=True)
            owners, shares, size = np.arange(len(found)), times / m, m
            times = np.ones(len(found), dtype=np.int64)
        else:
            present, members = np.unique(data.clusters, return_inverse=True)
            width = 2 * n * n * len(distinct)
            together, times = np.unique(members * width + key, return_counts=True)
            owners, found = together // width, together % width
            size = len(present)
            shares = np.full(size, 1.0 / size)
        return cls(
            items=data.items,
            rule=rule,
            cells=found // len(distinct),
            owners=owners,
            votes=exact.multiply(times, importance.numerators[found % len(distinct)]),
            shares=shares,
            size=size,
            denominator=importance.denominator,
        )

    def draw(self, times: int, rng: Generator) -> Integers64:
        """Return how often each unit is drawn in each resample, shape (times, units)."""
        return rng.multinomial(self.size, self.shares, size=times)

    def resampled(self, counts: Integers64) -> Evidence:
        """Return the votes of a resample."""
        n = len(self.items)
        weights = exact.multiply(counts[self.owners], self.votes)
        both = exact.count_cells(self.cells, weights, 2 * n * n).reshape(2, n, n)
        won, tied = both[0], exact.combine(both[1], 1, both[1].T, 1)
        votes = PairwiseMatrix(items=self.items, wins=won, ties=tied, denominator=self.denominator)
        return Evidence(votes)


@dataclass(frozen=True, eq=False)
class _RedrawSums(_Redraws):
    """Sums of scores with other frequencies of their tasks, aggregated again."""

    summary: ScoreSummary

    def ranks(self, rows: Integers64) -> RanksAtOnce:
        """Return the ranks in all resamples at once, if the scores of the rule are sums."""
        return _rank_by_means(self.summary, rows) if type(self.rule) is Mean else None

    def resampled(self, counts: Integers64) -> Evidence:
        """Return a resample."""
        whole, drawn = self.summary, zip(self.summary.tallies, counts.tolist(), strict=True)
        times = {task: many for task, many in drawn if many}
        weights = {task: whole.task_weights[task] * many for task, many in times.items()}
        return Evidence(whole.with_tallies({task: whole.tallies[task] for task in times}, weights))
