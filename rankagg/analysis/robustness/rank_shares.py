"""How often each item takes each place when the data are drawn again from themselves.

Bootstrap shares describe how much a result hangs on single units. They are no confidence levels:
the bootstrap of a discrete choice such as "who is first" has no coverage to promise.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray

from rankagg._typing import Floats, Label, RNGLike
from rankagg._validation import as_generator, check_integer
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.kemeny.resampling import resample_kemeny
from rankagg.aggregation.result import Consensus
from rankagg.core import places
from rankagg.core.items import ItemSet, counted, shortened
from rankagg.core.places import UNLISTED, UNRANKED
from rankagg.core.profile import Profile
from rankagg.core.rankings import PartialRanking
from rankagg.core.scores import ScoreTable
from rankagg.core.value import Value, array_key, frozen_array
from rankagg.exceptions import InvalidInputError
from rankagg.inference.intervals.bootstrap import resample_rows
from rankagg.inference.units import Unit, rankings_of, units_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["RankShares", "rank_shares"]

SCHEMA = "rankagg.rank_shares"


def rank_shares(
    data: Profile | ScoreTable,
    aggregator: Aggregator | None = None,
    *,
    n_resamples: int = 1000,
    unit: Unit = "ranking",
    fixed_tasks: bool = False,
    tolerance: float | Mapping[Label, float] = 0.0,
    instances: Sequence[Label] | None = None,
    rng: RNGLike = None,
    n_jobs: int = 1,
) -> RankShares:
    """Aggregate many resamples of the data, and count who takes which place.

    Units are drawn with replacement, as many as there are; each resample is aggregated anew.

    Parameters
    ----------
    data : Profile or ScoreTable
        Rankings, or scores.
    aggregator : Aggregator, optional
        Any rule; the exact `Kemeny()` by default.
    n_resamples : int, default 1000
        The number of resamples.
    unit : {"ranking", "instance", "task"}, default "ranking"
        What is independent, and so what is drawn; see `PairwiseIntervals`.
    fixed_tasks : bool, default False
        Draw within each task.
    tolerance : float or mapping from task to float, default 0
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

    Examples
    --------
    >>> import rankagg as ra
    >>> profile = ra.Profile.from_orders(["ABC", "ACB", "BAC"], counts=[4, 3, 3])
    >>> shares = ra.rank_shares(profile, ra.Borda(), n_resamples=200, rng=0)
    >>> shares.to_frame().round(2)
          first_in_every  first_in_some  mean_place
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
    profile, known = rankings_of(data, tolerance, instances)
    units = units_of(profile, unit=unit, fixed_tasks=fixed_tasks, instances=known)
    rows = resample_rows(units, times, as_generator(rng))
    redraw = _Redraw(data, profile, rule, tolerance, _draws_tasks(profile, unit, fixed_tasks))
    rule.aggregate(redraw.whole())  # what the rule cannot take is said before anything is drawn
    chunks = [rows] if jobs == 1 else np.array_split(rows, min(times, 64))
    parts = Parallel(n_jobs=jobs)(delayed(redraw.spans)(chunk) for chunk in chunks)
    spans = [span for part in parts for span in part]
    return RankShares(profile.items, rule, unit, fixed_tasks, spans)


def _draws_tasks(profile: Profile, unit: Unit, fixed_tasks: bool) -> bool:
    """Say whether whole tasks are drawn: those of units that are tasks, or of one ranking each."""
    if unit == "task":
        return True
    single = profile.groups is not None and len(set(profile.groups)) == profile.n_rankings
    return unit == "ranking" and single and not fixed_tasks


@dataclass(frozen=True, eq=False)
class _Span:
    """The places that one result leaves every item, from 1; 0 for an item without any."""

    best: NDArray[np.intp]
    worst: NDArray[np.intp]
    can_win: NDArray[np.bool_]
    is_proved: bool = True


@dataclass(frozen=True, eq=False)
class _Redraw:
    """The data with other frequencies of their rankings, aggregated again.

    A task that is drawn several times weighs several times as much; other units are repeated.
    """

    data: Profile | ScoreTable
    profile: Profile
    rule: Aggregator
    tolerance: float | Mapping[Label, float]
    draws_tasks: bool

    def whole(self) -> Evidence:
        """Return the data as they are."""
        return Evidence(self.data, self.tolerance)

    def spans(self, rows: NDArray[np.int64]) -> list[_Span]:
        """Return the places of every item in each resample."""
        if isinstance(self.rule, Kemeny):
            base = Profile._trusted(
                self.profile.items, self.profile.ranks, weights=self.profile.weights
            )
            return [_span(c) for c in resample_kemeny(base, rows, self.rule)]
        return [self._span(counts) for counts in rows]

    def _span(self, counts: NDArray[np.int64]) -> _Span:
        evidence = self._evidence(counts)
        if evidence is None:
            nowhere = np.zeros(self.profile.n_items, dtype=np.intp)
            return _Span(nowhere, nowhere, nowhere > 0)
        return _span(self.rule.aggregate(evidence))

    def _evidence(self, counts: NDArray[np.int64]) -> Evidence | None:
        """Return a resample; None where no score was drawn at all."""
        if self.rule.needs == "scores" and isinstance(self.data, ScoreTable):
            table = self._table(self.data, counts)
            return None if table is None else Evidence(table, self._tolerance(table))
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

    def _tolerance(self, table: ScoreTable) -> float | Mapping[Label, float]:
        if not isinstance(self.tolerance, Mapping):
            return self.tolerance
        return {task: step for task, step in self.tolerance.items() if task in table.tasks}

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


def _span(consensus: Consensus) -> _Span:
    certificate = consensus.certificate
    if certificate is None or certificate.status != "optimal":
        return _span_of_ranking(consensus.ranking, is_proved=certificate is None)
    optima = consensus.optima
    assert optima is not None, "an exact rule has a set of optima"
    best, worst = optima.place_ranges()
    return _Span(best, worst, best == 1)


def _span_of_ranking(ranking: PartialRanking, *, is_proved: bool) -> _Span:
    ranks = ranking.ranks[None, :]
    listed = int((ranks >= 0).sum())
    start = np.where(ranks == UNLISTED, listed, ranks)[0]
    size = 2 * (places.mid_ranks(ranks)[0] - start) + 1
    ranked = ranking.ranks != UNRANKED
    best = np.where(ranked, start + 1, 0)
    worst = np.where(ranked, start + size, 0).astype(np.intp)
    return _Span(best, worst, best == 1, is_proved)


class RankShares(Value):
    """How often each item takes each place among resamples of the data.

    Made by `rank_shares`. These are shares of resamples, not confidence levels.

    Attributes
    ----------
    items : ItemSet
        The items.
    aggregator : Aggregator
        The rule.
    unit : {"ranking", "instance", "task"}
        What was drawn.
    fixed_tasks : bool
        True where it was drawn within each task.
    best, worst : ndarray of int, shape (B, n)
        The first and the last place, from 1, that the result of a resample leaves an item: those
        of its bucket where it is tied, and those of the optima of an exact rule
        (`Optima.place_ranges`); 0 where it has no place.
    can_win : ndarray of bool, shape (B, n)
        The item is first, or among those tied at the first place, or first in some optimum.
    notes : tuple of str
        What the reader must know.
    """

    items: ItemSet
    aggregator: Aggregator
    unit: Unit
    fixed_tasks: bool
    best: NDArray[np.intp]
    worst: NDArray[np.intp]
    can_win: NDArray[np.bool_]
    notes: tuple[str, ...]

    def __init__(
        self,
        items: ItemSet,
        aggregator: Aggregator,
        unit: Unit,
        fixed_tasks: bool,
        spans: list[_Span],
    ) -> None:
        best = np.stack([span.best for span in spans])
        worst = np.stack([span.worst for span in spans])
        can_win = np.stack([span.can_win for span in spans])
        unproved = sum(not span.is_proved for span in spans)
        self._set(
            items=items,
            aggregator=aggregator,
            unit=unit,
            fixed_tasks=fixed_tasks,
            best=frozen_array(best),
            worst=frozen_array(worst),
            can_win=frozen_array(can_win),
            notes=_notes(best, worst, unproved, aggregator),
        )

    def _key(self) -> tuple[Hashable, ...]:
        return (
            self.items, self.aggregator, self.unit, self.fixed_tasks, array_key(self.best),
            array_key(self.worst), array_key(self.can_win), self.notes,
        )  # fmt: skip

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

    def places(self) -> pd.DataFrame:
        """Return the share of every place for every item.

        Where a resample leaves an item several places, each has an equal part: exact for ties
        broken at random, a convention for several optima.

        Returns
        -------
        pandas.DataFrame
            Index: items; columns: places from 1. Rows sum to 1 where the item always has a place.
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
        placed = self.best > 0
        columns = {
            "in_every": (placed & (self.worst <= depth)).mean(axis=0),
            "in_some": (placed & (self.best <= depth)).mean(axis=0),
        }
        return pd.DataFrame(columns, index=self._index()).iloc[self._order()]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per item, the best mean place first.

        Returns
        -------
        pandas.DataFrame
            first_in_every, first_in_some, mean_place (of the middle of what a resample leaves).
        """
        columns = {
            "first_in_every": self.first_in_every,
            "first_in_some": self.first_in_some,
            "mean_place": self._mean_place(),
        }
        return pd.DataFrame(columns, index=self._index()).iloc[self._order()]

    def _mean_place(self) -> Floats:
        ranked = self.best > 0
        middle = np.where(ranked, (self.best + self.worst) / 2.0, 0.0).sum(axis=0)
        times = ranked.sum(axis=0)
        mean: Floats = np.where(times > 0, middle / np.maximum(times, 1), np.nan)
        return mean

    def _order(self) -> NDArray[np.intp]:
        return np.argsort(self._mean_place(), kind="stable")

    def _index(self) -> pd.Index[Any]:
        return pd.Index(list(self.items), name="item")

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with `schema` and `version`."""
        frame = self.to_frame().reset_index()
        return {
            "schema": SCHEMA,
            "version": 1,
            "aggregator": self.aggregator.name,
            "unit": self.unit,
            "fixed_tasks": self.fixed_tasks,
            "n_resamples": self.n_resamples,
            "notes": list(self.notes),
            "items": frame.astype(object).where(frame.notna(), None).to_dict("records"),
        }

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw items by places; see `rankagg.plotting.rank_distribution_plot`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from rankagg.plotting.rankings.rank_distribution import rank_distribution_plot  # noqa: PLC0415

        return rank_distribution_plot(self, ax=ax)

    def summary(self, *, rows: int | None = 30) -> str:
        """Return the shares as text.

        Parameters
        ----------
        rows : int or None, default 30
            How many items to print at most; None prints all.

        Returns
        -------
        str
        """
        frame = self.to_frame()
        shown = frame if rows is None else frame.head(check_integer(rows, "rows", low=1))
        within = " within tasks" if self.fixed_tasks else ""
        lines = [
            f"{self.aggregator.name} on {counted(self.n_resamples, 'resample')} of "
            f"{self.unit}s{within}; shares of resamples, not confidence",
            *(f"note: {note}" for note in self.notes),
        ]
        table = shown.rename(index=shortened).rename_axis(None)
        lines.append(table.to_string(float_format="{:.3f}".format, na_rep="-"))
        if len(frame) > len(shown):
            lines.append(f"... and {counted(len(frame) - len(shown), 'more item')}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return (
            f"<RankShares of {counted(len(self.items), 'item')} by {self.aggregator.name} "
            f"on {counted(self.n_resamples, 'resample')}>"
        )

    def _repr_html_(self) -> str:
        return self.to_frame().to_html(escape=True, na_rep="")


def _notes(
    best: NDArray[np.intp], worst: NDArray[np.intp], unproved: int, rule: Aggregator
) -> tuple[str, ...]:
    times = len(best)
    several = int((best != worst).any(axis=1).sum())
    what = "more than one optimum" if isinstance(rule, Kemeny) else "ties"
    unplaced = int((best == 0).any(axis=1).sum())
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
        (unplaced, f"in {unplaced} of {counted(times, 'resample')} some item has no place"),
    ]
    return tuple(text for number, text in notes if number)
