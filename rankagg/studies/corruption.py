"""Corrupted tasks (reversed, rescaled, copied or noisy scores), and their study."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product
from typing import Any, ClassVar, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from rankagg._typing import Floats, Generator, Label, RNGLike
from rankagg._validation import as_generator, check_integer, check_kind, check_number
from rankagg.aggregation import Aggregator, Borda, Consensus, Deadline, Evidence, Mean
from rankagg.aggregation.two_level import TwoLevel
from rankagg.core import PartialRanking, ScoreTable, counted, places
from rankagg.cultures import DataSource, Named, checked
from rankagg.distances import kendall_distance
from rankagg.exceptions import Described, InvalidInputError, RankaggError
from rankagg.studies.measures import Cell, Curve, Measures
from rankagg.studies.study import Row, Study, StudyResult

#: The scores of tasks, each of shape (n_systems, n_instances).
Tasks = Sequence[Floats]
#: The normalized distance beyond which Colombo et al. (2022) call an order lost.
LOST = 0.75
# The most columns of a table, each for a number of corrupted tasks.
MOST_COLUMNS = 7


@dataclass(frozen=True, kw_only=True)
class Corruption(Named, ABC):
    """A change of the scores of corrupted tasks.

    A new one is a frozen dataclass that implements `_corrupted`. That gets the scores of the
    corrupted tasks only, signed so that higher is better.

    Parameters
    ----------
    after : Corruption, optional
        A corruption that is applied first.

    Attributes
    ----------
    needs_all : bool
        Whether tables with missing scores are refused. A class that sets it to False may get NaN;
        missing scores stay missing.

    Examples
    --------
    >>> import rankagg as ra
    >>> table = ra.ScoreTable([[3, 9], [1, 5]], systems="AB", tasks="xy", higher_is_better=True)
    >>> loud = ra.studies.RescaledScores(factor=10, after=ra.studies.ReversedScores())
    >>> loud.corrupt(table, ["y"]).values.tolist()
    [[3.0, 50.0], [1.0, 90.0]]
    >>> loud.name
    'rescaled, after reversed, factor = 10'
    """

    needs_all: ClassVar[bool] = True
    after: Corruption | None = None

    def corrupt(
        self,
        table: ScoreTable,
        tasks: Iterable[Label],
        ranking: PartialRanking | None = None,
        *,
        rng: RNGLike = None,
    ) -> ScoreTable:
        """Return a table with some tasks corrupted.

        Parameters
        ----------
        table : ScoreTable
            The table.
        tasks : iterable of str or int
            Tasks of the table; the order may matter, for instance if all copy the first.
        ranking : PartialRanking, optional
            The order of the systems that a corruption may oppose; by default that of Borda's rule.
        rng : int, numpy.random.Generator or None, optional
            A seed or a generator.

        Returns
        -------
        ScoreTable
            The table with other tasks, directions, weights and missing scores unchanged.
        """
        chosen, generator = list(tasks), as_generator(rng)
        order = Borda().aggregate(table).ranking if ranking is None else ranking
        if self.after is not None:
            table = self.after.corrupt(table, chosen, order, rng=generator)
        if self.needs_all and table.n_missing:
            allowed = f"complete for scores that are {self.name}"
            raise InvalidInputError(
                "table",
                allowed,
                Described(counted(table.n_missing, "missing score")),
                "`ScoreTable.drop` leaves systems or tasks out; `ReversedScores()` allows gaps.",
            )
        (middles,) = places.mid_ranks(order.reindex(table.systems).ranks[None])
        # Unranked systems are below all others.
        heights = np.nan_to_num(table.n_systems - middles)
        units = [
            np.flatnonzero(table.unit_tasks == t)
            for t in table.tasks.indices(chosen, parameter="tasks", noun="task")
        ]
        given = [table.values[:, at] * table.signs[at] for at in units]
        values = table.values.copy()
        made = self._corrupted(given, heights, generator) if given else ()
        for at, old, new in zip(units, given, made, strict=True):
            scores, gaps = np.asarray(new, np.float64), np.isnan(old)
            if scores.shape != old.shape or not np.isfinite(scores[~gaps]).all():
                allowed = f"finite scores of shape {old.shape}, as were given"
                raise InvalidInputError(f"scores of {type(self).__name__}", allowed, new)
            values[:, at] = np.where(gaps, np.nan, scores) * table.signs[at]
        return table.with_values(values)

    @abstractmethod
    def _corrupted(self, tasks: Tasks, heights: Floats, rng: Generator) -> Iterable[ArrayLike]:
        """Return new scores for each corrupted task, each of shape (n_systems, n_instances).

        `heights`, of shape (n_systems,), is the number of systems not above each system in the
        reference order. Draw task by task, so that more tasks do not change earlier ones.
        """


@dataclass(frozen=True, kw_only=True)
class ReversedScores(Corruption):
    """Scores mirrored about the middle between best and worst, on every instance.

    The best system becomes the worst; ranges and ties do not change.

    Parameters
    ----------
    after : Corruption, optional
        A corruption that is applied first.
    """

    _kind = "reversed"
    _identity = "Reversed"
    needs_all = False

    def _corrupted(self, tasks: Tasks, heights: Floats, rng: Generator) -> Iterable[ArrayLike]:
        return [np.fmax.reduce(task) + np.fmin.reduce(task) - task for task in tasks]


@dataclass(frozen=True, kw_only=True)
class AdversarialScores(Corruption):
    """Scores redrawn around the reverse of the true order, with Gumbel noise.

    The n-th system from below has the location -`step` n on every instance.

    Parameters
    ----------
    step : float, default 1
        The distance between neighbors, at least 0, in units of the noise's scale.
    after : Corruption, optional
        A corruption that is applied first.

    References
    ----------
    Colombo et al. (2022), section 4.2, https://doi.org/10.48550/arXiv.2202.03799.
    """

    _kind = "adversarial"
    _identity = "Adversarial"
    needs_all = False
    step: float = checked(check_number, default=1.0, low=0, high=1e9)

    def _corrupted(self, tasks: Tasks, heights: Floats, rng: Generator) -> Iterable[ArrayLike]:
        return [rng.gumbel(-self.step * heights[:, None], size=task.shape) for task in tasks]


@dataclass(frozen=True, kw_only=True)
class RescaledScores(Corruption):
    """Scores multiplied by a factor, like a change of units; no ranking of a task changes.

    Parameters
    ----------
    factor : float
        The positive factor.
    after : Corruption, optional
        A corruption that is applied first.

    References
    ----------
    Colombo et al. (2022), section 4.3, https://doi.org/10.48550/arXiv.2202.03799. Their figure 7
    has it after `AdversarialScores`.
    """

    _kind = "rescaled"
    _identity = "Rescaled"
    needs_all = False
    factor: float = checked(check_number, low=0, high=1e9, open_low=True)

    def _corrupted(self, tasks: Tasks, heights: Floats, rng: Generator) -> Iterable[ArrayLike]:
        return [self.factor * task for task in tasks]


@dataclass(frozen=True, kw_only=True)
class CopiedScores(Corruption):
    """Copies of the first corrupted task, which thus counts many times.

    A task with more instances than the first repeats them cyclically.

    Parameters
    ----------
    after : Corruption, optional
        A corruption that is applied first.
    """

    _kind = "copied"
    _identity = "Copied"

    def _corrupted(self, tasks: Tasks, heights: Floats, rng: Generator) -> Iterable[ArrayLike]:
        return [np.take(tasks[0], range(task.shape[1]), axis=1, mode="wrap") for task in tasks]


@dataclass(frozen=True, kw_only=True)
class NoisyScores(Corruption):
    """Scores with a proportion of their variance replaced by noise, at the same spread.

    Parameters
    ----------
    proportion : float, default 1
        From 0, for unchanged scores, to 1, for normal noise that is independent of the systems.
    after : Corruption, optional
        A corruption that is applied first.
    """

    _kind = "noisy"
    _identity = "Noisy"
    needs_all = False
    proportion: float = checked(check_number, default=1.0, low=0, high=1)

    def _corrupted(self, tasks: Tasks, heights: Floats, rng: Generator) -> Iterable[ArrayLike]:
        for task in tasks:
            middle, noise = np.nanmean(task), np.nanstd(task) * rng.standard_normal(task.shape)
            kept = (1 - self.proportion) ** 0.5 * (task - middle)
            yield middle + kept + self.proportion**0.5 * noise


# -- the study ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _CorruptionCell(Cell):
    """One table with corrupted tasks."""

    model: DataSource
    corruption: Corruption = checked(check_kind, kind=Corruption, example="`ReversedScores()`")
    # The number of corrupted tasks.
    n_corrupted: int = checked(check_integer, low=0)
    repetition: int = 0

    @cached_property
    def _alike(self) -> _CorruptionCell:
        return replace(self, corruption=ReversedScores(), n_corrupted=0)

    def shared(self, seed: int, purpose: str) -> Generator:
        """Return the random generator shared by tables that differ only in their corruption."""
        return self._alike.generator(seed, purpose)


@dataclass(frozen=True, kw_only=True)
class CorruptionStudy(Study[_CorruptionCell]):
    """Study of the distance between rankings and the truth when tasks are corrupted.

    In every repetition some tasks are corrupted, and every rule is compared with the true order of
    the model, or if none is known with its own ranking of the uncorrupted scores. Tables that
    differ only in their corruption share the scores, the random order of the systems, the random
    numbers, and the order in which tasks are corrupted, so that the corrupted tasks are nested.

    Parameters
    ----------
    data : DataSource, ScoreTable or a list of them
        Sources of scores: `LatentModel` for drawn scores, the table of a leaderboard,
        `ResampledData`, or your own.
    corruptions : sequence of Corruption
        The corruptions: `ReversedScores`, `AdversarialScores`, `RescaledScores`, `CopiedScores`,
        `NoisyScores`, or your own.
    n_corrupted : sequence of int, optional
        Numbers of corrupted tasks; by default all from 0 to the smallest number of tasks.
    rules : sequence of Aggregator, optional
        The rules. By default the mean, and Borda's rule on all instances (one level) and first
        within tasks (two levels).
    n_repetitions : int, default 100
        Tables for each combination.
    rng : int, numpy.random.Generator or None, optional
        A seed; by default, and from a generator, one is drawn and kept.
    time_limit : float, optional
        Seconds for a rule that searches, on one table; none by default. Missing proofs are counted.

    Notes
    -----
    Rows: distance: normalized Kendall distance, 0 to 1, where a pair tied in one of the two counts
    half; top1: the probability that both have the same system first, ties broken at random; proved:
    False if a search for an exact optimum ended without proof; error: the message of a rule that
    could not rank the data. Statistics: mean_distance with se_distance and quantiles, top1 with
    se_top1. The breakdown point is the fewest corrupted tasks with a mean distance above 0.75.

    References
    ----------
    Colombo et al. (2022), sections 4.2 and 4.3, figures 3 and 7,
    https://doi.org/10.48550/arXiv.2202.03799.

    Examples
    --------
    >>> import rankagg as ra
    >>> study = ra.studies.CorruptionStudy(
    ...     data=ra.datasets.load("superglue_human"),
    ...     corruptions=[ra.studies.ReversedScores(), ra.studies.RescaledScores(factor=100)],
    ...     rules=[ra.Mean(), ra.Borda()],
    ...     n_corrupted=[1],
    ...     n_repetitions=20,
    ...     rng=0,
    ... )
    >>> print(study.run().to_markdown(decimals=2).rstrip())
    | model   | corruption             | method   |    1 |
    |:--------|:-----------------------|:---------|-----:|
    | table 1 | reversed               | Mean     | 0.04 |
    | table 1 | reversed               | Borda    | 0.05 |
    | table 1 | rescaled, factor = 100 | Mean     | 0.12 |
    | table 1 | rescaled, factor = 100 | Borda    | 0.00 |
    """

    _cell = _CorruptionCell
    _fields: ClassVar = {
        "method": "str",
        **dict.fromkeys(("distance", "top1"), "float64"),
        "proved": "bool",
        "error": "str",
    }
    _measures = Measures(
        statistics=("mean_distance", "se_distance", "mean_top1", "se_top1"),
        quantiles="distance",
        curves={
            "mean_distance": Curve(
                "normalized Kendall distance",
                ends=("distance_0.05", "distance_0.95"),
                band="5 % to 95 % of tables",
                dotted=LOST,
                dotted_is=f"{LOST:g}, beyond which a rule has broken down",
            ),
            "mean_top1": Curve("chance of the same first system", "se_top1"),
        },
        noun="table",
    )

    data: Any
    corruptions: Sequence[Corruption]
    n_corrupted: Sequence[int] | None = None
    rules: Sequence[Aggregator] = (Mean(), Borda(), TwoLevel(Borda(), Borda()))
    n_repetitions: int = 100
    rng: RNGLike = None
    time_limit: float | None = None

    def __post_init__(self) -> None:
        numbers = self.n_corrupted
        self._set("n_corrupted", (0,) if numbers is None else numbers)
        super().__post_init__()
        tables = self._tables()
        fewest = min(table.n_tasks for table in tables)
        if numbers is None:
            self._set("n_corrupted", tuple(range(fewest + 1)))
        most = max(self.n_corrupted or ())
        check_integer(most, "n_corrupted of CorruptionStudy", low=0, high=fewest)
        for table, corruption in product(tables, self.corruptions):
            corruption.corrupt(table, table.tasks.at(range(most)), rng=0)

    def _try(self, cell: _CorruptionCell, prepared: None) -> list[Row]:
        """Corrupt tasks of a table, and compare every rule with the truth, or with itself."""
        table = cast("ScoreTable", cell.model.sample(rng=cell.shared(self._seed, "data")))
        before, true_ranking, rows = Evidence(table), cell.model.true_ranking, list[Row]()
        # Shuffle, so that no rule gains from the way it breaks ties.
        order = cell.shared(self._seed, "systems").permutation(table.n_systems)
        shuffled = ScoreTable(
            table.to_frame().iloc[order],
            higher_is_better=table.higher_is_better,
            task_weights=table.task_weights,
        ).with_unranked(table.unranked)
        order = cell.shared(self._seed, "tasks").permutation(table.n_tasks)
        tasks = table.tasks.at(order[: cell.n_corrupted])
        truth = None if true_ranking is None else true_ranking.reindex(shuffled.systems)

        @cache
        def corrupted(against: PartialRanking) -> Evidence:
            rng = cell.shared(self._seed, "corruption")
            return Evidence(cell.corruption.corrupt(shuffled, tasks, against, rng=rng))

        for rule, text in zip(self.rules, self._texts, strict=True):
            row = dict.fromkeys(self._fields) | {"method": rule.name, "proved": True}
            rows.append(row)
            try:
                own = None
                if truth is None:
                    own = self._ranked(rule, before, cell.shared(self._seed, text))
                ranking = own.ranking.reindex(shuffled.systems) if own else truth
                against = cast("PartialRanking", ranking)
                found = self._ranked(rule, corrupted(against), cell.generator(self._seed, text))
            except RankaggError as error:
                row["error"] = str(error)
                continue
            one, other = set(against.buckets[0]), set(found.buckets[0])
            # Both measures are means over random breaking of ties.
            row["distance"] = kendall_distance(
                against, found.ranking, tie_cost=0.5, normalized=True
            )
            row["top1"] = len(one & other) / (len(one) * len(other))
            # A rule of two levels has no certificate, but a note.
            notes = found.notes + (own.notes if own else ())
            row["proved"] = not any("not proved" in note for note in notes)
        return rows

    def _ranked(self, rule: Aggregator, scores: Evidence, rng: Generator) -> Consensus:
        return self._aggregate(rule, scores, rng, Deadline.after(self.time_limit))

    def _table(self, result: StudyResult) -> pd.DataFrame:
        """Return the mean distances, in columns for some numbers of corrupted tasks."""
        numbers = np.sort(self.n_corrupted or ())
        at = np.linspace(0, len(numbers) - 1, min(len(numbers), MOST_COLUMNS)).round()
        means = result.by_method()["mean_distance"]
        table: pd.DataFrame = means.unstack("n_corrupted", sort=False)[numbers[at.astype(int)]]
        table = table.rename(columns=str).rename_axis(columns=None)
        lost = means[means > LOST].reset_index("n_corrupted")["n_corrupted"]
        if len(lost):
            table["breakdown"] = lost.groupby(list(table.index.names)).min().astype("Int64")
        return table.reset_index()

    def _about(self, result: StudyResult) -> Iterable[str]:
        own = "the rule's own ranking of the uncorrupted scores"
        known = {model.true_ranking is not None for model in self._sources}
        either = f"the true order, or where none is known to {own}"
        reference = either if len(known) > 1 else "the true order" if True in known else own
        yield f"mean normalized Kendall distance to {reference}"
        yield f"by the number of corrupted tasks; breakdown: first above {LOST}"
