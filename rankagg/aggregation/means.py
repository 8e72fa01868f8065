"""Rules that average scores, as leaderboards do, or add them up, as search engines do."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from rankagg._typing import Bools, Floats, Generator, Label
from rankagg.aggregation.base import Aggregator, Needs, ReadsUnranked, rank_by_scores
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.outcome import Outcome
from rankagg.core import (
    FLOAT_PLACES,
    ScoreSummary,
    ScoreTable,
    exact,
    listed,
    named,
    restored,
    rounding_error,
    sum_rows,
    weighted_mean,
)
from rankagg.core.graphs import connected_parts
from rankagg.exceptions import Described, InvalidInputError

# Two tasks are on different scales if their scores differ by this factor.
OTHER_SCALE = 10.0
# Effects of standardized scores that differ by less are tied.
SAME_EFFECT = 1e-10


def other_scale(table: ScoreTable | ScoreSummary) -> tuple[Label, ...]:
    """Return the tasks of the largest and the smallest scores, if their scales differ."""
    sizes = np.fmax.reduce(np.abs(table.task_scores()), axis=0, initial=0.0)
    # A task of zeros has no scale.
    small, large = int(np.where(sizes > 0.0, sizes, np.inf).argmin()), int(sizes.argmax())
    differ = sizes[large] / OTHER_SCALE > sizes[small]
    return (table.tasks[large], table.tasks[small]) if differ else ()


def unlike_tasks(table: ScoreTable | ScoreSummary, *, scales: bool = True) -> list[str]:
    """Return reasons why a mean over tasks is hard to interpret: scales or directions."""
    notes, tasks = [], other_scale(table) if scales else ()
    if tasks:
        large, small = map(named, tasks)
        size = f"scores on {large} are over ten times as large as on {small}"
        notes.append(f"{size}: a mean of both is hard to interpret")
    if len(set(table.higher_is_better.values())) > 1:
        notes.append(
            "higher is better on some tasks, and lower on others: the mean is hard to interpret"
        )
    return notes


def cautions(table: ScoreTable | ScoreSummary, *, scales: bool = True) -> list[str]:
    """Return cautions on a mean over the tasks that each system has."""
    gaps = np.isnan(table.task_scores())
    partly = table.systems.where(gaps.any(axis=1) & ~gaps.all(axis=1))
    present = [f"over the tasks that are present for {listed(partly)}"] if partly else []
    return [*unlike_tasks(table, scales=scales), *present]


@dataclass(frozen=True, kw_only=True)
class _ScoreAggregator(Aggregator):
    """A rule that summarizes each system's task scores in one number.

    Instances are averaged within a task first. Missing tasks are left out of a system's summary
    and the weights of the others are rescaled; a system without any score is unranked.
    """

    needs: ClassVar[Needs] = "scores"
    reads_unranked: ClassVar[ReadsUnranked] = "as observed"
    #: Whether tasks with larger scores weigh more.
    _adds_scores: ClassVar[bool] = False

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        table = evidence.means
        scores, sizes, shift = self._task_scores(table)
        present = ~np.isnan(scores)
        summary, size = np.full((2, table.n_systems), np.nan)
        scored = present.any(axis=1)
        weights = np.where(present, table.weight_vector, 0.0)[scored]
        scores, sizes = (np.where(present, part, 1.0)[scored] for part in (scores, sizes))
        summary[scored], size[scored] = self._summarize(scores, sizes, weights)
        summary *= self._sign(table)
        # Rank before restoring the scale, which can overflow or underflow.
        ranking, ties = rank_by_scores(summary, table.systems, rounding_error(size))
        notes = (*cautions(table, scales=self._adds_scores), *ties)
        return Outcome(restored(summary, shift), ranking, notes=notes)

    def _task_scores(self, table: ScoreTable | ScoreSummary) -> tuple[Floats, Floats, int]:
        return table.scaled_means(signed=True)

    def _sign(self, table: ScoreTable | ScoreSummary) -> float:
        return 1.0

    @abstractmethod
    def _summarize(self, scores: Floats, sizes: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """Return one number per row, and its size; entries of weight 0 are missing."""


@dataclass(frozen=True, kw_only=True)
class Mean(_ScoreAggregator):
    """Arithmetic mean over tasks of the mean over instances.

    Lower-is-better tasks are negated. Tasks on different scales should not be averaged; the rule
    is included because leaderboards use it.

    Examples
    --------
    >>> from rankagg import Mean, ScoreTable
    >>> table = ScoreTable([[1., 2.], [3., 1.]], systems="AB", higher_is_better=True)
    >>> Mean().aggregate(table)
    <Consensus by Mean: B > A>
    """

    command_names: ClassVar = {"mean": {}}
    _adds_scores = True

    def _summarize(self, scores: Floats, sizes: Floats, weights: Floats) -> tuple[Floats, Floats]:
        means = weighted_mean(np.vstack([scores, sizes]), np.vstack([weights, weights]))
        return means[: len(scores)], means[len(scores) :]


@dataclass(frozen=True, kw_only=True)
class _RatioMean(_ScoreAggregator):
    """A mean that is defined for positive ratios or rates only."""

    def _task_scores(self, table: ScoreTable | ScoreSummary) -> tuple[Floats, Floats, int]:
        name = type(self).__name__
        if len(set(table.higher_is_better.values())) > 1:
            mixed = Described("mixed directions")
            remedy = "Leave out the tasks of the other direction."
            raise InvalidInputError(f"data of {name}", "tasks of one direction", mixed, remedy)
        scores, sizes, shift = table.scaled_means(signed=False)
        bad = scores <= 0
        if bad.any():
            system, task = np.argwhere(bad)[0]
            where = f"{restored(scores, shift)[system, task]:g} of {table.systems[int(system)]!r}"
            got = Described(f"{where} on {table.tasks[int(task)]!r}")
            remedy = "Leave that task out, or use Mean or a rule on rankings."
            raise InvalidInputError(f"data of {name}", "positive scores", got, remedy)
        return scores, sizes, shift

    def _sign(self, table: ScoreTable | ScoreSummary) -> float:
        return 1.0 if all(table.higher_is_better.values()) else -1.0


@dataclass(frozen=True, kw_only=True)
class GeometricMean(_RatioMean):
    """Geometric mean over tasks of the mean over instances, for normalized positive scores.

    Refuses mixed directions and scores that are not positive. If lower is better on all tasks,
    `scores` holds the negated means.

    References
    ----------
    Fleming and Wallace (1986), doi:10.1145/5666.5673.
    """

    command_names: ClassVar = {"geometric-mean": {}}

    def _summarize(self, scores: Floats, sizes: Floats, weights: Floats) -> tuple[Floats, Floats]:
        # Split off powers of two, so that scaling all scores by one changes no digit.
        parts, powers = np.frexp(scores)
        top = int(powers.max(initial=-FLOAT_PLACES))
        logs = np.log(parts) + (powers - top) * np.log(2.0)
        log = weighted_mean(logs, weights)
        whole = np.floor(log / np.log(2.0))
        means = np.ldexp(np.exp(log - whole * np.log(2.0)), whole.astype(np.int64) + top)
        return means, means * (1.0 + weighted_mean(np.abs(logs), weights))


@dataclass(frozen=True, kw_only=True)
class HarmonicMean(_RatioMean):
    """Harmonic mean over tasks of the mean over instances, for positive rates.

    Refuses mixed directions and scores that are not positive. If lower is better on all tasks,
    `scores` holds the negated means.

    References
    ----------
    Smith (1988), doi:10.1145/63039.63043.
    """

    command_names: ClassVar = {"harmonic-mean": {}}

    def _summarize(self, scores: Floats, sizes: Floats, weights: Floats) -> tuple[Floats, Floats]:
        # Inverses of scores near 0 overflow; inverses of multiples of the least score do not.
        least = scores.min(axis=1, keepdims=True)
        means = least[:, 0] / weighted_mean(least / scores, weights)
        return means, means


@dataclass(frozen=True, kw_only=True)
class Median(_ScoreAggregator):
    """Weighted median over tasks of the mean over instances.

    Lower-is-better tasks are negated. If the weights split evenly, the two middle scores are
    averaged.
    """

    command_names: ClassVar = {"median": {}}

    def _summarize(self, scores: Floats, sizes: Floats, weights: Floats) -> tuple[Floats, Floats]:
        order = np.argsort(scores, axis=1)
        # Integer weights make the comparison with one half exact.
        shares = exact.as_rational(weights).numerators
        running = np.cumsum(np.take_along_axis(shares, order, axis=1), axis=1)
        total = running[:, -1:]
        lower = np.argmax(2 * running >= total, axis=1)
        upper = np.argmax(2 * running > total, axis=1)
        at = np.take_along_axis(order, np.stack([lower, upper], axis=1), axis=1)
        middle = partial(np.take_along_axis, indices=at, axis=1)
        return middle(scores).mean(axis=1), middle(sizes).mean(axis=1)


@dataclass(frozen=True, kw_only=True)
class CombSUM(Aggregator):
    """Sum of the scores of all runs, each rescaled to [0, 1]: score fusion of search engines.

    In every task (a run, for one topic) the least score becomes 0 and the largest 1; if all are
    equal, all become 1. A missing score counts 0. Scores are multiplied by the task weights.

    Notes
    -----
    A missing score counts as the least score of its task, so this is no mean: items with few
    scores rank low. For leaderboards with gaps `Mean` and rules on rankings are fairer.

    References
    ----------
    Fox and Shaw (1994), "Combination of multiple searches", TREC-2; rescaled by task as in Lee
    (1997), "Analyses of multiple evidence combination", https://doi.org/10.1145/258525.258587.

    Examples
    --------
    >>> from rankagg import CombSUM, ScoreTable
    >>> runs = ScoreTable([[9, .2], [7, .8], [5, None]], systems="ABC", higher_is_better=True)
    >>> CombSUM().aggregate(runs).scores
    array([1. , 1.5, 0. ])
    """

    needs: ClassVar[Needs] = "scores"
    reads_unranked: ClassVar[ReadsUnranked] = "as observed"
    command_names: ClassVar = {"combsum": {}}

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        table = evidence.means
        scores, _, _ = table.scaled_means(signed=True)
        low, high = np.nanmin(scores, axis=0), np.nanmax(scores, axis=0)
        step = high - low
        stretched = np.where(step > 0, (scores - low) / np.where(step > 0, step, 1.0), 1.0)
        found = ~np.isnan(scores)
        gained = np.where(found, stretched, 0.0) * table.weight_vector
        totals = sum_rows(gained) * self._factors(found * table.weight_vector)
        totals[~found.any(axis=1)] = np.nan
        return Outcome(scores=totals)

    def _factors(self, found: Floats) -> Floats | float:
        """Return the factor of each item's sum, given the weights of the runs that found it."""
        return 1.0


@dataclass(frozen=True, kw_only=True)
class CombMNZ(CombSUM):
    """The sums of `CombSUM`, times the number of runs that found the item.

    A run of weight 2 counts as two runs.

    References
    ----------
    Fox and Shaw (1994), "Combination of multiple searches", TREC-2; Lee (1997),
    https://doi.org/10.1145/258525.258587.

    Examples
    --------
    >>> from rankagg import CombMNZ, ScoreTable
    >>> runs = ScoreTable([[9, .2], [7, .8], [5, None]], systems="ABC", higher_is_better=True)
    >>> CombMNZ().aggregate(runs).scores
    array([2., 3., 0.])
    """

    command_names: ClassVar = {"combmnz": {}}

    def _factors(self, found: Floats) -> Floats | float:
        return sum_rows(found)


@dataclass(frozen=True, kw_only=True)
class AdjustedMean(Aggregator):
    """Mean of standardized scores, adjusted for the difficulty of each system's tasks.

    The scores of each task, negated if lower is better, are standardized over the systems that
    have one. Then ``score = system + task`` is fitted by least squares with the weights of the
    tasks, and the effects of the systems are ranked. A system scored on easy tasks only has no
    advantage. Without gaps the effects are the means of the standardized scores.

    Notes
    -----
    The standard deviation is over the systems present, with their number as the divisor; a task
    on which all are equal adds nothing. Systems that no chain of tasks joins are placed as if their
    tasks were equally hard on average, and a note reports it. Effects that differ by less than
    1e-10 are tied.

    References
    ----------
    The additive model of a two-way table with unequal numbers: Yates (1934),
    https://doi.org/10.1080/01621459.1934.10502686.

    Examples
    --------
    >>> import rankagg as ra
    >>> nan = float("nan")
    >>> scores = [[95, 50, 45], [85, nan, nan], [80, 40, 35]]  # B has the easy task alone
    >>> table = ra.ScoreTable(scores, systems="ABC", higher_is_better=True)
    >>> ra.Mean().aggregate(table).ranking, ra.AdjustedMean().aggregate(table).ranking
    (<Permutation B > A > C>, <Permutation A > B > C>)
    """

    needs: ClassVar[Needs] = "scores"
    reads_unranked: ClassVar[ReadsUnranked] = "as observed"
    command_names: ClassVar = {"adjusted-mean": {}}

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        table = evidence.means
        scores, sizes, _ = table.scaled_means(signed=True)
        present = ~np.isnan(scores)
        scored = present.any(axis=1)
        effects = np.full(table.n_systems, np.nan)
        effects[scored] = _system_effects(
            _standardized(scores, sizes)[scored], present[scored], table.weight_vector
        )
        errors = np.full(table.n_systems, SAME_EFFECT / 2)
        ranking, ties = rank_by_scores(effects, table.systems, errors)
        return Outcome(effects, ranking, notes=ties)


def _standardized(scores: Floats, sizes: Floats) -> Floats:
    """Return scores standardized by task: mean 0, standard deviation 1; 0 if missing."""
    present = ~np.isnan(scores)
    off = np.where(present, scores - np.nanmean(scores, axis=0), 0.0)
    # Scores that differ only by rounding are equal.
    same = np.nanmax(np.abs(off), axis=0) <= 2 * rounding_error(np.nanmax(sizes, axis=0))
    largest = np.where(same, 1.0, np.abs(off).max(axis=0))
    off = np.where(same, 0.0, off / largest)  # squares of large scores do not overflow
    deviation = np.sqrt((off**2).sum(axis=0) / present.sum(axis=0))
    return off / np.where(same, 1.0, deviation)


def _system_effects(scores: Floats, present: Bools, weights: Floats) -> Floats:
    """Return least-squares effects of the rows of a table with gaps whose columns sum to 0."""
    # Eliminating the task effects, each the mean residual of its systems, leaves the normal
    # equations of the systems. They determine the effects up to a constant for each part.
    cells = (present * weights).sum(axis=1)
    part = connected_parts(present @ present.T)
    together = part[:, None] == part
    # Divided by the roots of the weights of both systems, equations do not depend on the size of
    # weights; the added matrix makes the weighted mean of the effects of each part 0.
    roots = np.sqrt(np.outer(cells, cells))
    normal = (np.diag(cells) - (present * weights / present.sum(axis=0)) @ present.T) / roots
    normal += together * roots / (together @ cells)
    scaled = np.linalg.solve(normal, (scores * weights).sum(axis=1) / np.sqrt(cells))
    return np.asarray(scaled / np.sqrt(cells))
