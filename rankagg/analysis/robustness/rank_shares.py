"""Bootstrap rank shares: how often each item takes each rank in resamples of the data.

Such shares describe how robust a result is to single units. They are no confidence levels: the
bootstrap of a discrete choice such as "who is first" has no coverage to promise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast, get_args

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray

from rankagg._typing import Floats, Integers, Label, RNGLike, Tolerance
from rankagg._validation import as_generator, check_choice, check_integer
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.kemeny.resampling import resample_kemeny
from rankagg.aggregation.result import Consensus
from rankagg.core.arithmetic import exact
from rankagg.core.comparisons import Comparisons
from rankagg.core.items import ItemSet, counted
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.profile import Profile
from rankagg.core.rankings import places
from rankagg.core.rankings.partial import PartialRanking
from rankagg.core.rankings.places import UNLISTED, UNRANKED
from rankagg.core.results import Direction, Result, plain_rows
from rankagg.core.score_summary import ScoreSummary
from rankagg.core.scores import ScoreTable, tolerance_within
from rankagg.core.task_tally import TaskTally
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
    best: NDArray[np.intp]
    worst: NDArray[np.intp]
    # Shape (n,). Whether the item is first, perhaps tied, or in some optimum.
    can_win: NDArray[np.bool_]
    # False where an exact rule did not prove its result.
    is_proved: bool = True


@dataclass(frozen=True, eq=False)
class Redraw:
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

    def whole(self) -> Evidence:
        """Return the data as they are."""
        return Evidence(self.data, self.tolerance)

    def spans(self, rows: NDArray[np.int64]) -> list[Span]:
        """Return the ranks of every item in each resample."""
        if isinstance(self.rule, Kemeny):
            base = Profile._trusted(
                self.profile.items, self.profile.ranks, weights=self.profile.weights
            )
            return [span_of(c) for c in resample_kemeny(base, rows, self.rule)]
        return [self._span(counts) for counts in rows]

    def _span(self, counts: NDArray[np.int64]) -> Span:
        evidence = self._evidence(counts)
        if evidence is None:
            nowhere = np.zeros(self.profile.n_items, dtype=np.intp)
            return Span(nowhere, nowhere, nowhere > 0)
        return span_of(self.rule.aggregate(evidence))

    def _evidence(self, counts: NDArray[np.int64]) -> Evidence | None:
        """Return a resample; None where no score was drawn at all."""
        if self.rule.needs == "scores" and isinstance(self.data, ScoreTable):
            table = self._table(self.data, counts)
            if table is None:
                return None
            steps = tolerance_within(self.tolerance, self.data.tasks, table.tasks)
            return Evidence(table, steps)
        kept = np.flatnonzero(counts)
        profile = self.profile[kept]
        times = counts[kept]
        if self.draws_tasks:
            own = profile.counts
            copies = {"counts": own, "weights": profile.weights * (times / own)}
        else:
            copies = {"counts": times, "weights": profile.weights}
        return Evidence(
            Profile._trusted(profile.items, profile.ranks, groups=profile.groups, **copies)
        )

    def _table(self, table: ScoreTable, counts: NDArray[np.int64]) -> ScoreTable | None:
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
    if certificate is None or certificate.status != "optimal":
        return _span_of_ranking(consensus.ranking, is_proved=certificate is None)
    optima = consensus.optima
    if optima is None:
        is_held = getattr(consensus.aggregator, "constraints", None) is not None
        raise InvalidInputError(
            "aggregator", "a rule whose set of optima is known", consensus.aggregator,
            "Leave out `top` and `quotas` of the constraints." if is_held else "",
        )  # fmt: skip
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
class RedrawComparisons:
    """Sums of equal comparisons, and with which others they are drawn."""

    data: Comparisons
    rule: Aggregator
    # Shape (r,). The winner times n and the loser of each sum; with n * n more where they tied.
    cells: NDArray[np.intp]
    # Shape (r,). What each sum is drawn with.
    owners: NDArray[np.intp]
    # Shape (r,). What it counts if that is drawn once, times `denominator`.
    votes: Integers
    # How likely each owner is drawn.
    shares: NDArray[np.float64]
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
        distinct = np.ones(1) if data.weights is None else np.unique(data.weights)
        # What a weight is read as does not depend on which ones are drawn.
        importance = exact.as_rational(distinct)
        kind = np.zeros(m, dtype=np.intp)
        if data.weights is not None:
            kind = np.searchsorted(distinct, data.weights)
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

    def whole(self) -> Evidence:
        """Return the comparisons as they are."""
        return Evidence(self.data)

    def draw(self, times: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw how often each owner occurs in each resample, shape (times, owners)."""
        return rng.multinomial(self.size, self.shares, size=times)

    def spans(self, rows: NDArray[np.int64]) -> list[Span]:
        """Return the ranks of every item in each resample."""
        return [span_of(self.rule.aggregate(self.resampled(counts))) for counts in rows]

    def resampled(self, counts: NDArray[np.int64]) -> PairwiseMatrix:
        """Return the votes of a resample."""
        n = self.data.n_items
        weights = exact.multiply(counts[self.owners], self.votes)
        both = exact.count_cells(self.cells, weights, 2 * n * n).reshape(2, n, n)
        won, tied = both[0], exact.combine(both[1], 1, both[1].T, 1)
        against = exact.combine(won, 1, won.T, 1)
        return PairwiseMatrix(
            items=self.data.items,
            scaled_wins=won,
            scaled_ties=tied,
            scaled_comparisons=exact.combine(against, 1, tied, 1),
            denominator=self.denominator,
        )


@dataclass(frozen=True, eq=False)
class RedrawSums:
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

    def in_order(self) -> RedrawSums:
        """Return the same with one order of tasks, as that in files must change no draw.

        Tasks that are drawn keep theirs: so they are the same as those of a table.
        """
        if self.unit == "task":
            return self
        return replace(self, summary=self.summary.sorted_by_task())

    def whole(self) -> Evidence:
        """Return the sums as they are."""
        return Evidence(self.summary)

    def draw(self, times: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw how often each task, or each group of each task, occurs in each resample."""
        tasks = self.summary.n_tasks
        if self.unit == "task":
            return _drawn(np.zeros(tasks, dtype=np.intp), times, rng)
        n_groups = self.summary.n_groups
        assert n_groups is not None, "it was checked"
        scored = np.zeros((tasks, n_groups), dtype=bool)
        for row, grouped in zip(scored, self.summary.grouped.values(), strict=True):
            row[[group for group, tally in grouped.parts.items() if tally.n_units]] = True
        counts = np.zeros((times, tasks, n_groups), dtype=np.int64)
        if self.unit == "instance":
            some = np.flatnonzero(scored.any(axis=0))
            counts[:, :, some] = _drawn(np.zeros(len(some), dtype=np.intp), times, rng)[:, None, :]
            return counts
        task, group = np.nonzero(scored)
        counts[:, task, group] = _drawn(task if self.fixed_tasks else task * 0, times, rng)
        return counts

    def spans(self, rows: NDArray[np.int64]) -> list[Span]:
        """Return the ranks of every item in each resample."""
        return [self._span(counts) for counts in rows]

    def _span(self, counts: NDArray[np.int64]) -> Span:
        drawn = self._drawn_tasks(counts) if self.unit == "task" else self._drawn_groups(counts)
        if drawn is None:
            nowhere = np.zeros(self.summary.n_systems, dtype=np.intp)
            return Span(nowhere, nowhere, nowhere > 0)
        return span_of(self.rule.aggregate(Evidence(drawn)))

    def _drawn_tasks(self, counts: NDArray[np.int64]) -> ScoreSummary:
        weights = self.summary.task_weights
        times = dict(zip(self.summary.tasks, counts.tolist(), strict=True))
        tallies = {task: self.summary.tallies[task] for task, many in times.items() if many}
        return self._of(tallies, {task: weights[task] * times[task] for task in tallies})

    def _drawn_groups(self, counts: NDArray[np.int64]) -> ScoreSummary | None:
        """Return a resample; None where no score was drawn at all."""
        drawn = {
            task: grouped.drawn(times)
            for (task, grouped), times in zip(self.summary.grouped.items(), counts, strict=True)
        }
        tallies = {task: tally for task, tally in drawn.items() if tally is not None}
        return self._of(tallies, self.summary.task_weights) if tallies else None

    def _of(
        self, tallies: Mapping[Label, TaskTally], weights: Mapping[Label, float]
    ) -> ScoreSummary:
        directions = self.summary.higher_is_better
        return ScoreSummary(
            self.summary.systems,
            tallies,
            higher_is_better={task: directions[task] for task in tallies},
            task_weights={task: weights[task] for task in tallies},
        )


def _drawn(strata: NDArray[np.intp], times: int, rng: np.random.Generator) -> NDArray[np.int64]:
    return resample_counts(np.ones(len(strata)), strata, times, rng)


def rank_shares(
    data: Profile | ScoreTable | ScoreSummary | Comparisons,
    aggregator: Aggregator | None = None,
    *,
    n_resamples: int = 1000,
    unit: RankUnit = "ranking",
    fixed_tasks: bool = False,
    tolerance: Tolerance = 0.0,
    instances: Sequence[Label] | None = None,
    rng: RNGLike = None,
    n_jobs: int = 1,
) -> RankShares:
    """Aggregate many resamples of the data, and count who takes which rank.

    Units are drawn with replacement, as many as there are; each resample is aggregated anew.

    Parameters
    ----------
    data : Profile, ScoreTable, ScoreSummary or Comparisons
        Rankings, scores, or results of pairs. Of a summary tasks can be drawn, and groups of
        instances where it has some; see `ScoreScan.summarize`.
    aggregator : Aggregator, optional
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
    n_jobs : int, default 1
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
    rule = Kemeny() if aggregator is None else aggregator
    if not isinstance(rule, Aggregator):
        raise InvalidInputError("aggregator", "an aggregator such as Borda()", rule)
    times = check_integer(n_resamples, "n_resamples", low=1)
    jobs = -1 if n_jobs == -1 else check_integer(n_jobs, "n_jobs", low=1)
    redraw: Redraw | RedrawSums | RedrawComparisons
    if isinstance(data, Comparisons):
        unit = unit_of(data, unit)
        check_silent(fixed_tasks=(fixed_tasks, False), tolerance=(tolerance, 0.0),
                     instances=(instances, None))  # fmt: skip
        redraw = RedrawComparisons.of(data, rule, unit)
        items, rows = data.items, redraw.draw(times, as_generator(rng))
    elif isinstance(data, ScoreSummary):
        check_no_more(data, tolerance, instances)
        items, kind = data.systems, cast(Unit, check_choice(unit, get_args(Unit), "unit"))
        redraw = RedrawSums(data, rule, kind, check_fixed(fixed_tasks, kind)).in_order()
        rows = redraw.draw(times, as_generator(rng))
    else:
        unit = cast(Unit, check_unit(unit))
        profile, known = rankings_of(data, tolerance, instances)
        units = units_of(profile, unit=unit, fixed_tasks=fixed_tasks, instances=known)
        items, rows = profile.items, resample_rows(units, times, as_generator(rng))
        redraw = Redraw(data, profile, rule, tolerance, _draws_tasks(profile, unit, fixed_tasks))
    rule.aggregate(redraw.whole())  # what the rule cannot take is said before anything is drawn
    chunks = [rows] if jobs == 1 else np.array_split(rows, min(times, 64))
    parts = Parallel(n_jobs=jobs)(delayed(redraw.spans)(chunk) for chunk in chunks)
    spans = [span for part in parts for span in part]
    return RankShares.from_spans(items, rule, unit, spans, fixed_tasks=fixed_tasks)


def _draws_tasks(profile: Profile, unit: Unit, fixed_tasks: bool) -> bool:
    """Say whether whole tasks are drawn: those of units that are tasks, or of one ranking each."""
    if unit == "task":
        return True
    single = profile.groups is not None and len(set(profile.groups)) == profile.n_rankings
    return unit == "ranking" and single and not fixed_tasks


class RankShares(Result):
    """How often each item takes each rank among resamples of the data.

    Made by `rank_shares`; `plot` draws a `rankagg.plotting.rank_distribution_plot`. These are
    shares of resamples, not confidence levels.

    Attributes
    ----------
    items : ItemSet
        The items.
    aggregator : Aggregator
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
    aggregator: Aggregator
    unit: RankUnit
    fixed_tasks: bool
    best: NDArray[np.intp]
    worst: NDArray[np.intp]
    can_win: NDArray[np.bool_]
    notes: tuple[str, ...]

    _schema = "rankagg.rank_shares"
    _version = 2
    _plot = "rank_distribution_plot"
    _best: ClassVar[Mapping[str, Direction]] = {
        "first_in_every": "highest", "first_in_some": "highest", "mean_rank": "lowest",
    }  # fmt: skip

    @classmethod
    def from_spans(
        cls,
        items: ItemSet,
        aggregator: Aggregator,
        unit: RankUnit,
        spans: Sequence[Span],
        *,
        fixed_tasks: bool = False,
    ) -> RankShares:
        """Return the shares of resamples of which each leaves these ranks.

        Parameters
        ----------
        items : ItemSet
            The items.
        aggregator : Aggregator
            The rule.
        unit : {"ranking", "instance", "task", "comparison", "cluster"}
            What was drawn.
        spans : sequence of Span
            The ranks that the result on each resample leaves every item.
        fixed_tasks : bool, default False
            True where it was drawn within each task.

        Returns
        -------
        RankShares
        """
        best = np.stack([span.best for span in spans])
        worst = np.stack([span.worst for span in spans])
        unproved = sum(not span.is_proved for span in spans)
        return cls(
            items=items,
            aggregator=aggregator,
            unit=unit,
            fixed_tasks=fixed_tasks,
            best=best,
            worst=worst,
            can_win=np.stack([span.can_win for span in spans]),
            notes=_notes(best, worst, unproved, aggregator),
        )

    @property
    def n_resamples(self) -> int:
        """The number of resamples."""
        return len(self.best)

    @property
    def first_in_every(self) -> Floats:
        """Share in which each item is first alone (in every optimum), shape (n,)."""
        share: Floats = (self.worst == 1).mean(axis=0)
        return share

    @property
    def first_in_some(self) -> Floats:
        """Share in which each item is first, perhaps tied (in some optimum), shape (n,)."""
        share: Floats = self.can_win.mean(axis=0)
        return share

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
        columns = {
            "first_in_every": self.first_in_every,
            "first_in_some": self.first_in_some,
            "mean_rank": self._mean_rank(),
        }
        return pd.DataFrame(columns, index=self._index()).iloc[self._order()]

    def _mean_rank(self) -> Floats:
        ranked = self.best > 0
        middle = np.where(ranked, (self.best + self.worst) / 2.0, 0.0).sum(axis=0)
        times = ranked.sum(axis=0)
        mean: Floats = np.where(times > 0, middle / np.maximum(times, 1), np.nan)
        return mean

    def _order(self) -> NDArray[np.intp]:
        return np.argsort(self._mean_rank(), kind="stable")

    def _index(self) -> pd.Index[Any]:
        return pd.Index(list(self.items), name="item")

    def _content(self) -> dict[str, Any]:
        what = self._plain("unit", "fixed_tasks", "n_resamples", "notes")
        items = plain_rows(self.to_frame().reset_index())
        return {"aggregator": self.aggregator.name, **what, "items": items}

    def _facts(self) -> list[str]:
        within = " within tasks" if self.fixed_tasks else ""
        return [
            f"{self.aggregator.name} on {counted(self.n_resamples, 'resample')} of "
            f"{self.unit}s{within}; shares of resamples, not confidence",
            *(f"note: {note}" for note in self.notes),
        ]

    def __repr__(self) -> str:
        return (
            f"<RankShares of {counted(len(self.items), 'item')} by {self.aggregator.name} "
            f"on {counted(self.n_resamples, 'resample')}>"
        )


def _notes(
    best: NDArray[np.intp], worst: NDArray[np.intp], unproved: int, rule: Aggregator
) -> tuple[str, ...]:
    times = len(best)
    several = int((best != worst).any(axis=1).sum())
    what = "more than one optimum" if isinstance(rule, Kemeny) else "ties"
    without = int((best == 0).any(axis=1).sum())
    notes = [
        (
            several,
            f"{several} of {counted(times, 'resample')} {'has' if several == 1 else 'have'} {what}",
        ),
        (
            unproved,
            f"{unproved} of {counted(times, 'resample')} {'is' if unproved == 1 else 'are'} not "
            "proved optimal: one ranking counts",
        ),
        (without, f"in {without} of {counted(times, 'resample')} some item has no rank"),
    ]
    return tuple(text for number, text in notes if number)
