"""Bootstrap rank shares: how often each item takes each rank in resamples of the data.

Such shares describe how robust a result is to single units. They are no confidence levels: the
bootstrap of a discrete choice such as "who is first" has no coverage to promise.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast, get_args

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from rankagg._typing import (
    Bools,
    Floats,
    Generator,
    Integers,
    Integers64,
    Label,
    Positions,
    RNGLike,
    Tolerance,
)
from rankagg._validation import as_generator, check_choice, check_integer, check_jobs
from rankagg.aggregation import Aggregator, Consensus, Evidence, check_rule
from rankagg.aggregation.evidence import as_data
from rankagg.aggregation.kemeny import Kemeny
from rankagg.aggregation.kemeny.resampling import resample_kemeny
from rankagg.aggregation.kemeny.top_k import TopK
from rankagg.core import (
    UNLISTED,
    UNRANKED,
    Direction,
    ItemSet,
    PairwiseMatrix,
    PartialRanking,
    Profile,
    Result,
    ScoreSummary,
    ScoreTable,
    counted,
    exact,
    places,
    plain_rows,
    tolerance_within,
)
from rankagg.core.comparisons import Comparisons
from rankagg.exceptions import InformationLostError, InvalidInputError
from rankagg.inference.intervals.bootstrap import resample_counts, resample_rows
from rankagg.inference.ranks.comparison_ranks import (
    ComparisonUnit,
    check_silent,
    check_unit,
    unit_of,
)
from rankagg.inference.ranks.rank_results import RankUnit
from rankagg.inference.summed_units import WITH_GROUPS, check_fixed, check_no_more
from rankagg.inference.units import Unit, rankings_of, units_of


@dataclass(frozen=True, eq=False)
class Span:
    """The ranks that one result leaves every item, from 1; 0 for an item without any."""

    # Shape (n,). The first and the last.
    best: Positions
    worst: Positions
    # Shape (n,). Whether the item is first, perhaps tied, or in some optimum.
    can_win: Bools
    # False where an exact rule did not prove its result.
    is_proved: bool = True


class Redraws(ABC):
    """Data whose resamples a rule aggregates."""

    rule: Aggregator

    @abstractmethod
    def resampled(self, counts: Integers64) -> Evidence | None:
        """Return a resample; None where no score was drawn at all."""

    def spans(self, rows: Integers64) -> list[Span | None]:
        """Return the ranks of every item in each resample; None where nothing was drawn."""
        drawn = (self.resampled(counts) for counts in rows)
        return [None if one is None else span_of(self.rule.aggregate(one)) for one in drawn]


@dataclass(frozen=True, eq=False)
class Redraw(Redraws):
    """The data with other frequencies of their rankings, aggregated again.

    A task that is drawn several times weighs several times as much; other units are repeated.
    """

    data: Profile | ScoreTable
    profile: Profile
    rule: Aggregator
    # Scores that differ by no more are tied.
    tolerance: Tolerance
    # Whether whole tasks are drawn.
    draws_tasks: bool

    def spans(self, rows: Integers64) -> list[Span | None]:
        """Return the ranks of every item in each resample; None where nothing was drawn."""
        if not isinstance(self.rule, Kemeny):
            return super().spans(rows)
        profile = self.profile
        base = Profile._trusted(profile.items, profile.ranks, weights=profile.weights)
        return [span_of(c) for c in resample_kemeny(base, rows, self.rule)]

    def resampled(self, counts: Integers64) -> Evidence | None:
        """Return a resample; None where no score was drawn at all."""
        if self.rule.needs == "scores" and isinstance(self.data, ScoreTable):
            table = self._table(self.data, counts)
            if table is None:
                return None
            steps = tolerance_within(self.tolerance, self.data.tasks, table.tasks)
            return Evidence(table, steps)
        kept = np.flatnonzero(counts)
        profile = self.profile[kept]
        times, weights = counts[kept], profile.weights
        if self.draws_tasks:
            times, weights = profile.counts, weights * (times / profile.counts)
        drawn: dict[str, Any] = {"groups": profile.groups, "counts": times, "weights": weights}
        return Evidence(Profile._trusted(profile.items, profile.ranks, **drawn))

    def _table(self, table: ScoreTable, counts: Integers64) -> ScoreTable | None:
        scored = ~table.missing.all(axis=0)
        times = np.where(scored, np.minimum(counts, 1) if self.draws_tasks else counts, 0)
        columns = np.repeat(np.arange(table.n_units), times)
        if not len(columns):
            return None
        tasks = [table.tasks[int(table.unit_tasks[u])] for u in columns]
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


def span_of(consensus: Consensus) -> Span:
    """Return the ranks that a result leaves."""
    certificate = consensus.certificate
    is_list = isinstance(consensus.rule, TopK)
    if not is_list and (certificate is None or certificate.status != "optimal"):
        return _span_of_ranking(consensus.ranking, is_proved=certificate is None)
    optima = consensus.optima
    if optima is None:
        is_held = getattr(consensus.rule, "constraints", None) is not None
        remedy = "Leave out `top` and `quotas` of the constraints." if is_held else ""
        allowed = "a rule whose set of optima is known"
        raise InvalidInputError("rule", allowed, consensus.rule, remedy)
    best, worst = optima.rank_ranges()
    return Span(best, worst, best == 1)


def _span_of_ranking(ranking: PartialRanking, *, is_proved: bool) -> Span:
    ranks = ranking.ranks[None, :]
    listed = int((ranks >= 0).sum())
    start = np.where(ranks == UNLISTED, listed, ranks)[0]
    size = 2 * (places.mid_ranks(ranks)[0] - start) + 1
    ranked = ranking.ranks != UNRANKED
    best = np.where(ranked, start + 1, 0)
    worst = np.where(ranked, start + size, 0).astype(np.intp)
    return Span(best, worst, best == 1, is_proved)


@dataclass(frozen=True, eq=False)
class RedrawComparisons(Redraws):
    """Sums of equal comparisons, and with which others they are drawn."""

    data: Comparisons
    rule: Aggregator
    # Shape (r,). The winner times n and the loser of each sum; with n * n more where they tied.
    cells: Positions
    # Shape (r,). What each sum is drawn with.
    owners: Positions
    # Shape (r,). What it counts if that is drawn once, times `denominator`.
    votes: Integers
    # How likely each owner is drawn.
    shares: Floats
    # How many draws make a resample.
    size: int
    denominator: int

    @classmethod
    def of(cls, data: Comparisons, rule: Aggregator, unit: ComparisonUnit) -> RedrawComparisons:
        """Prepare to draw comparisons or clusters."""
        n, m = data.n_items, len(data)
        forward = data.outcomes >= 0
        above = np.where(forward, data.first, data.second)
        below = np.where(forward, data.second, data.first)
        cells = above * n + below + np.where(data.outcomes == 0, n * n, 0)
        weights = np.ones(m) if data.weights is None else data.weights
        distinct, kind = np.unique(weights, return_inverse=True)
        # What a weight is read as does not depend on which ones are drawn.
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
            data=data,
            rule=rule,
            cells=found // len(distinct),
            owners=owners,
            votes=exact.multiply(times, importance.numerators[found % len(distinct)]),
            shares=shares,
            size=size,
            denominator=importance.denominator,
        )

    def draw(self, times: int, rng: Generator) -> Integers64:
        """Draw how often each owner occurs in each resample, shape (times, owners)."""
        return rng.multinomial(self.size, self.shares, size=times)

    def resampled(self, counts: Integers64) -> Evidence:
        """Return the votes of a resample."""
        n = self.data.n_items
        weights = exact.multiply(counts[self.owners], self.votes)
        both = exact.count_cells(self.cells, weights, 2 * n * n).reshape(2, n, n)
        won, tied = both[0], exact.combine(both[1], 1, both[1].T, 1)
        votes = PairwiseMatrix(
            items=self.data.items,
            scaled_wins=won,
            scaled_ties=tied,
            denominator=self.denominator,
        )
        return Evidence(votes)


@dataclass(frozen=True, eq=False)
class RedrawSums(Redraws):
    """Sums of scores with other frequencies of their groups or tasks, aggregated again."""

    # The sums; those of groups unless tasks are drawn.
    summary: ScoreSummary
    rule: Aggregator
    # What is independent: a group stands for its instances in one task, or in all of them.
    unit: Unit
    # Whether groups are drawn within each task.
    fixed_tasks: bool

    def __post_init__(self) -> None:
        if self.unit != "task" and self.summary.n_groups is None:
            raise InformationLostError(
                f"unit={self.unit!r} needs rankings, or groups of instances; this ScoreSummary "
                f"does not hold them. Read the scores with `read_scores`, {WITH_GROUPS}, or draw "
                "tasks with unit='task'."
            )

    def draw(self, times: int, rng: Generator) -> Integers64:
        """Draw how often each task, or each group of each task, occurs in each resample."""
        tasks = self.summary.n_tasks
        if self.unit == "task":
            return resample_counts(np.ones(tasks), np.zeros(tasks, dtype=np.intp), times, rng)
        n_groups = self.summary.n_groups
        assert n_groups is not None, "it was checked"
        scored = np.zeros((tasks, n_groups), dtype=bool)
        for row, grouped in zip(scored, self.summary.grouped.values(), strict=True):
            row[[group for group, tally in grouped.parts.items() if tally.n_units]] = True
        counts = np.zeros((times, tasks, n_groups), dtype=np.int64)
        if self.unit == "instance":
            some = np.flatnonzero(scored.any(axis=0))
            drawn = resample_counts(np.ones(len(some)), np.zeros_like(some), times, rng)
            counts[:, :, some] = drawn[:, None, :]
            return counts
        task, group = np.nonzero(scored)
        strata = task if self.fixed_tasks else task * 0
        counts[:, task, group] = resample_counts(np.ones(len(task)), strata, times, rng)
        return counts

    def resampled(self, counts: Integers64) -> Evidence | None:
        """Return a resample; None where no score was drawn at all."""
        times, whole = dict(zip(self.summary.tasks, counts, strict=True)), self.summary
        weights = dict(whole.task_weights)
        if self.unit == "task":
            tallies = {task: whole.tallies[task] for task, many in times.items() if many}
            weights = {task: weights[task] * times[task] for task in tallies}
        else:
            drawn = {task: part.drawn(times[task]) for task, part in whole.grouped.items()}
            tallies = {task: tally for task, tally in drawn.items() if tally is not None}
        return Evidence(whole._with(tallies, weights)) if tallies else None


def rank_shares(
    data: Profile | ScoreTable | ScoreSummary | Comparisons,
    rule: Aggregator | None = None,
    *,
    n_resamples: int = 1000,
    unit: RankUnit = "ranking",
    fixed_tasks: bool = False,
    tolerance: Tolerance = 0.0,
    instances: Sequence[Label] | None = None,
    rng: RNGLike = None,
    n_jobs: int | None = None,
) -> RankShares:
    """Aggregate many resamples of the data, and count who takes which rank.

    Units are drawn with replacement, as many as there are; each resample is aggregated anew.

    Parameters
    ----------
    data : Profile, ScoreTable, ScoreSummary or Comparisons
        Rankings, scores, or results of pairs. Of a summary tasks can be drawn, and groups of
        instances where it has some; see `ScoreScan.summarize`.
    rule : Aggregator, optional
        Any rule; the exact `Kemeny()` by default.
    n_resamples : int, default 1000
        The number of resamples.
    unit : {"ranking", "instance", "task", "comparison", "cluster"}, default "ranking"
        What is independent, and so what is drawn; see `PairwiseIntervals`. Of comparisons by
        default the clusters, where there are any.
    fixed_tasks : bool, default False
        Draw within each task.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied.
    instances : sequence, length m, optional
        The instance of each ranking of a Profile, for `unit="instance"`.
    rng : int or numpy.random.Generator, optional
        A seed or a generator.
    n_jobs : int, optional
        Processes that joblib starts; -1 for all cores.

    Returns
    -------
    RankShares

    Raises
    ------
    InvalidInputError
        If the data do not hold what the unit or the rule needs.
    InformationLostError
        If the data are a summary without groups, and the unit is not "task".

    Examples
    --------
    >>> import rankagg as ra
    >>> profile = ra.Profile.from_orders(["ABC", "ACB", "BAC"], counts=[4, 3, 3])
    >>> shares = ra.rank_shares(profile, ra.Borda(), n_resamples=200, rng=0)
    >>> shares.to_frame().round(2)
          first_in_every  first_in_some  mean_rank
    item
    A               0.96           0.98        1.03
    B               0.02           0.04        2.02
    C               0.00           0.00        2.96
    """
    data = as_data(data)
    rule = Kemeny() if rule is None else check_rule(rule)
    times = check_integer(n_resamples, "n_resamples", low=1)
    jobs = check_jobs(n_jobs)
    redraw: Redraws
    if isinstance(data, Comparisons):
        unit = unit_of(data, unit)
        given = {"fixed_tasks": (fixed_tasks, False), "tolerance": (tolerance, 0.0)}
        check_silent(**given, instances=(instances, None))
        redraw = comparisons = RedrawComparisons.of(data, rule, unit)
        items, rows = data.items, comparisons.draw(times, as_generator(rng))
    elif isinstance(data, ScoreSummary):
        check_no_more(data, tolerance, instances)
        items, kind = data.systems, cast(Unit, check_choice(unit, get_args(Unit)[:3], "unit"))
        # The order of tasks in files must change no draw; tasks that are drawn are as in a table.
        there = data if kind == "task" else data.sorted_by_task()
        redraw = sums = RedrawSums(there, rule, kind, check_fixed(fixed_tasks, kind))
        rows = sums.draw(times, as_generator(rng))
    else:
        unit = check_unit(unit)
        profile, known = rankings_of(data, tolerance, instances)
        units = units_of(profile, unit=unit, fixed_tasks=fixed_tasks, instances=known)
        items, rows = profile.items, resample_rows(units, times, as_generator(rng))
        # Units are tasks, or single rankings that are one of each task.
        single = profile.groups is not None and len(set(profile.groups)) == profile.n_rankings
        unit = units.unit
        draws_tasks = unit == "task" or (unit != "instance" and single and not fixed_tasks)
        redraw = Redraw(data, profile, rule, tolerance, draws_tasks)
    rule.aggregate(Evidence(data, tolerance))  # what it cannot take is said before all else
    chunks = [rows] if jobs == 1 else np.array_split(rows, min(times, 64))
    parts = Parallel(n_jobs=jobs)(delayed(redraw.spans)(chunk) for chunk in chunks)
    spans = [span for part in parts for span in part]
    return RankShares._of_spans(items, rule, unit, spans, fixed_tasks=fixed_tasks)


class RankShares(Result):
    """How often each item takes each rank among resamples of the data.

    Made by `rank_shares`; `plot` draws a `rankagg.plotting.rank_distribution_plot`. These are
    shares of resamples, not confidence levels.

    Attributes
    ----------
    items : ItemSet
        The items.
    rule : Aggregator
        The rule.
    unit : {"ranking", "instance", "task", "comparison", "cluster"}
        What was drawn.
    fixed_tasks : bool
        True where it was drawn within each task.
    best, worst : ndarray of int, shape (B, n)
        The first and the last rank, from 1, that the result of a resample leaves an item: those
        of its bucket where it is tied, and those of the optima of an exact rule
        (`Optima.rank_ranges`); 0 where it has no rank.
    can_win : ndarray of bool, shape (B, n)
        The item is first, or among those tied at the first rank, or first in some optimum.
    notes : tuple of str
        What the reader must know.
    """

    items: ItemSet
    rule: Aggregator
    unit: RankUnit
    fixed_tasks: bool
    best: Positions
    worst: Positions
    can_win: Bools
    notes: tuple[str, ...]

    _schema = "rankagg.rank_shares"
    _plot = "rank_distribution_plot"
    _best: ClassVar[Mapping[str, Direction]] = {
        **dict.fromkeys(("first_in_every", "first_in_some"), "highest"),
        "mean_rank": "lowest",
    }

    @classmethod
    def _of_spans(
        cls,
        items: ItemSet,
        rule: Aggregator,
        unit: RankUnit,
        spans: Sequence[Span | None],
        *,
        fixed_tasks: bool = False,
    ) -> RankShares:
        """Return the shares of resamples of which each leaves these ranks."""
        no_ranks = np.zeros(len(items), dtype=np.intp)
        known = [Span(no_ranks, no_ranks, no_ranks > 0) if s is None else s for s in spans]
        best, worst = (np.stack([getattr(s, end) for s in known]) for end in ("best", "worst"))
        times = counted(len(known), "resample")
        several, without = (int(odd.any(axis=1).sum()) for odd in (best != worst, best == 0))
        unproved = sum(not span.is_proved for span in known)
        what = "more than one optimum" if isinstance(rule, Kemeny) else "ties"
        notes = [
            f"{several} of {times} {'has' if several == 1 else 'have'} {what}" if several else "",
            f"{unproved} of {times} {'is' if unproved == 1 else 'are'} not proved optimal: one "
            "ranking counts"
            if unproved
            else "",
            f"in {without} of {times} some item has no rank" if without else "",
        ]
        return cls(
            items=items,
            rule=rule,
            unit=unit,
            fixed_tasks=fixed_tasks,
            best=best,
            worst=worst,
            can_win=np.stack([span.can_win for span in known]),
            notes=tuple(filter(None, notes)),
        )

    @property
    def n_resamples(self) -> int:
        """The number of resamples."""
        return len(self.best)

    @property
    def first_in_every(self) -> Floats:
        """Share in which each item is first alone (in every optimum), shape (n,)."""
        return np.asarray((self.worst == 1).mean(axis=0))

    @property
    def first_in_some(self) -> Floats:
        """Share in which each item is first, perhaps tied (in some optimum), shape (n,)."""
        return np.asarray(self.can_win.mean(axis=0))

    def ranks(self) -> pd.DataFrame:
        """Return the share of every rank for every item.

        Where a resample leaves an item several ranks, each has an equal part: exact for ties
        broken at random, a convention for several optima.

        Returns
        -------
        pandas.DataFrame
            Index: items; columns: ranks from 1. Rows sum to 1 where the item always has a rank.
        """
        n = len(self.items)
        width = np.where(self.best > 0, self.worst - self.best + 1, 1)
        steps = np.zeros((n, n + 2))
        index = np.broadcast_to(np.arange(n), self.best.shape)
        ranked = self.best > 0
        np.add.at(steps, (index[ranked], self.best[ranked]), 1.0 / width[ranked])
        np.add.at(steps, (index[ranked], self.worst[ranked] + 1), -1.0 / width[ranked])
        shares = np.clip(np.cumsum(steps, axis=1)[:, 1 : n + 1] / self.n_resamples, 0.0, 1.0)
        frame = pd.DataFrame(shares, index=self._index(), columns=range(1, n + 1))
        return frame.iloc[self._order()]

    def within(self, k: int) -> pd.DataFrame:
        """Return the share of resamples in which each item is among the first k.

        Parameters
        ----------
        k : int
            From 1 to the number of items.

        Returns
        -------
        pandas.DataFrame
            in_every: surely (in every optimum, however ties are broken); in_some: possibly.
        """
        depth = check_integer(k, "k", low=1, high=len(self.items))
        known = self.best > 0
        columns = {
            "in_every": (known & (self.worst <= depth)).mean(axis=0),
            "in_some": (known & (self.best <= depth)).mean(axis=0),
        }
        return pd.DataFrame(columns, index=self._index()).iloc[self._order()]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per item, the best mean rank first.

        Returns
        -------
        pandas.DataFrame
            first_in_every, first_in_some, mean_rank (of the middle of what a resample leaves).
        """
        columns = {"first_in_every": self.first_in_every, "first_in_some": self.first_in_some}
        frame = pd.DataFrame({**columns, "mean_rank": self._mean_rank()}, index=self._index())
        return frame.iloc[self._order()]

    def _mean_rank(self) -> Floats:
        times = (self.best > 0).sum(axis=0)
        middle = ((self.best + self.worst) / 2.0).sum(axis=0)
        return np.where(times > 0, middle / np.maximum(times, 1), np.nan)

    def _order(self) -> Positions:
        return np.argsort(self._mean_rank(), kind="stable")

    def _index(self) -> pd.Index[Any]:
        return pd.Index(list(self.items), name="item")

    def _content(self) -> dict[str, Any]:
        what = self._plain("unit", "fixed_tasks", "n_resamples", "notes")
        items = plain_rows(self.to_frame().reset_index())
        return {"rule": self.rule.name, **what, "items": items}

    def _facts(self) -> list[str]:
        within = " within tasks" if self.fixed_tasks else ""
        return [
            f"{self.rule.name} on {counted(self.n_resamples, 'resample')} of "
            f"{self.unit}s{within}; shares of resamples, not confidence",
            *(f"note: {note}" for note in self.notes),
        ]

    def __repr__(self) -> str:
        return (
            f"<RankShares of {counted(len(self.items), 'item')} by {self.rule.name} "
            f"on {counted(self.n_resamples, 'resample')}>"
        )
