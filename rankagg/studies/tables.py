"""Studies of tables of scores: what removed, corrupted, fewer or single tasks do to rankings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import combinations, product
from math import comb, isfinite, isnan, nan
from typing import Any, ClassVar, Final, Literal, TypeAlias, cast

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Generator, Label, Positions, Ranks, RNGLike, Tolerance, Unranked
from rankagg._validation import check_flag, check_integer, check_kind, check_number, check_unranked
from rankagg.aggregation import Aggregator, Borda, Consensus, Deadline, Evidence, Mean
from rankagg.aggregation.two_level import TwoLevel
from rankagg.analysis.comparison.agreement import agreement_of, averaged_tasks, overlap_curves
from rankagg.analysis.comparison.compare import DEPTHS
from rankagg.analysis.robustness.perturbation import Parts, draw_subset
from rankagg.core import (
    UNLISTED,
    UNRANKED,
    PartialRanking,
    ScoreTable,
    as_tolerance,
    counted,
    listed,
    places,
)
from rankagg.cultures import DataSource, checked
from rankagg.distances import kendall_distance, kendall_tau
from rankagg.exceptions import Described, InvalidInputError, RankaggError
from rankagg.studies.mechanisms import (
    MECHANISM,
    RANDOM_REMOVAL,
    Corruption,
    GapCell,
    RescaledScores,
    ReversedScores,
    ScoreRemoval,
)
from rankagg.studies.study import (
    ROUNDING,
    Cell,
    Curve,
    Measures,
    Row,
    Study,
    StudyResult,
    attempt,
    different_checked,
    finished,
)

#: How two methods are compared on the same table.
PAIR_MEASURES: Final = ("tau", "top1", "top3", "same_top3")
TOP_MEASURES: Final = PAIR_MEASURES[1:]
#: The normalized distance beyond which Colombo et al. (2022) call an order lost.
LOST = 0.75
# A table has so many numbers of corrupted tasks at most.
MOST_COLUMNS = 7
# Whole numbers of any size.
_choices = np.frompyfunc(comb, 2, 1)

# What a method made of a table: None where it could not rank it, whether the ranking of an exact
# method is proved optimal, and what the method said that could not.
_Attempt: TypeAlias = tuple[PartialRanking | None, bool | None, str | None]
# What a rule says of all tasks, and False where an exact rule did not prove that in time.
_Whole: TypeAlias = tuple[PartialRanking, bool]
_Scope: TypeAlias = Literal["tasks", "instances", "within"]


def _check_table(data: object, owner: str) -> None:
    if not isinstance(data, ScoreTable):
        allowed = "a ScoreTable"
        raise InvalidInputError(f"data of {owner}", allowed, data, "`read_scores` reads one.")


# -- missing scores -------------------------------------------------------------------------------


@dataclass(frozen=True)
class _RemovalCell(GapCell):
    """One table of the grid."""

    model: DataSource
    # What the scores of one of its tasks are multiplied by.
    scale: float = checked(check_number, low=0, open_low=True)
    proportion: float = checked(check_number, low=0, high=1, open_high=True)
    removal: ScoreRemoval = checked(check_kind, **MECHANISM)
    repetition: int = 0


@dataclass(frozen=True, kw_only=True)
class MissingScoresStudy(Study[_RemovalCell]):
    """How near rankings of incomplete scores come to those of the full data.

    From every table a proportion of the scores is removed, many times, and every method ranks what
    is left. Its ranking is held against what the same method makes of the full data,
    against the true ranking where there is one, and against the other methods. The random numbers
    of a table depend on the seed and on its cell of the grid alone: a study gives the same figures
    whatever the number of workers, and a cell stays what it is when the grid grows.

    Parameters
    ----------
    data : DataSource, ScoreTable or a list of them
        Where scores come from: the table of a leaderboard, `LatentModel` for scores that are drawn,
        or your own. They should be complete: the full data of a table with gaps are those that are
        there, as results say.
    rules : sequence of Aggregator, default (Mean(), Borda())
        The rules.
    policies : sequence of {"uniform", "ignore", "last"}, optional
        Policies for missing scores: with each a rule that goes by it is a method of its own.
        By default that of each table.
    proportions : sequence of float, default (0, 0.1, ..., 0.9)
        Proportions of the entries that are removed, rounded to whole entries, in [0, 1). Entries
        that are missing from the start do not count.
    removals : sequence of ScoreRemoval, default (RandomRemoval(),)
        Which entries go: `RandomRemoval`, `RemovalBySystem`, `RemovalByTask`, `RemovalByScore`,
        `RemovalByAge`, `RemovalOfBlocks` or your own.
    scales : sequence of float, default (1,)
        Positive factors for the scores of one task, drawn anew for every table. The ranking of
        the full data is that of the scores before.
    whole_tasks : bool, default True
        An entry is all that a system scored on a task, as in the papers; else it is a single
        score. Without instances both are the same.
    n_repetitions : int, default 100
        Tables for each combination.
    rng : int, numpy.random.Generator or None, optional
        A seed of all random numbers; by default, and from a generator, one is drawn and kept.

    Raises
    ------
    InvalidInputError
        If a parameter is out of its range, two data, methods or removals are alike, or a
        proportion leaves no score, or more than may go.

    Notes
    -----
    Rows: tau, tau-b with what the same method makes of the full data, over all systems; top1 and
    top3, the expected share of the first and of the first three that are the same; same_top3, the
    chance that the first three are the same set; tau_ranked over the systems that both rank;
    tau_true, tau with the true ranking; "tau with Borda" and so on, the same with another method
    on the same table; unranked: systems without a rank; lost_systems and lost_tasks: those without
    any score left; proved: whether the rankings of an exact rule are; error: what a rule said that
    could not rank the table. Statistics: mean_tau with se_tau and quantiles, and further means.

    The correlation is tau-b over all systems. Where a method leaves systems unranked, as means do
    with those that lost all their scores, its ranking stands for all compatible permutations, and
    the mean order of every pair is correlated; `tau_ranked` is over what it ranks.

    References
    ----------
    Himmi et al. (2023), "Towards more robust NLP system evaluation: handling missing scores in
    benchmarks": sections 3.2, 4.2 and 4.3.

    Examples
    --------
    >>> import rankagg as ra
    >>> leaderboard = ra.datasets.load("superglue_human")
    >>> study = ra.studies.MissingScoresStudy(
    ...     data=leaderboard, proportions=[0, 0.2, 0.4], n_repetitions=5, rng=0
    ... )
    >>> result = study.run()
    """

    _cell = _RemovalCell
    _measures = Measures(
        statistics=(
            *("mean_tau", "se_tau", "mean_tau_ranked", "mean_top1", "mean_top3", "mean_same_top3"),
            *("mean_tau_true", "se_tau_true"),
        ),
        quantiles="tau",
        curves={
            "mean_tau": Curve(
                "tau-b with the same method's\nranking of the full data",
                ends=("tau_0.25", "tau_0.75"),
                band="middle half of the tables",
                least=-1.0,
            ),
            "mean_tau_true": Curve("tau-b with the true ranking", "se_tau_true", least=-1.0),
            **{
                f"mean_{name}": Curve(f"agreement with the full data: {name}")
                for name in TOP_MEASURES
            },
        },
        usual_x=("proportion",),
        noun="table",
        compared="method",
    )

    data: Any
    rules: Sequence[Aggregator] = (Mean(), Borda())
    policies: Sequence[Unranked] | None = None
    proportions: Sequence[float] = tuple(tenth / 10 for tenth in range(10))
    removals: Sequence[ScoreRemoval] = (RANDOM_REMOVAL,)
    scales: Sequence[float] = (1.0,)
    whole_tasks: bool = True
    n_repetitions: int = 100
    rng: RNGLike = None

    def __post_init__(self) -> None:
        super().__post_init__()
        owner = "of MissingScoresStudy"
        if self.policies is not None:
            policies = different_checked(check_unranked, self.policies, f"policies {owner}")
            self._set("policies", policies)
        whole = check_flag(self.whole_tasks, f"whole_tasks {owner}")
        for table, removal in product(self._tables(), self.removals):
            removal.remove(table, max(self.proportions), whole_tasks=whole, rng=0)

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """What the methods are called: the rule, and its policy for missing scores."""
        return tuple(
            rule.name if policy is None else f"{rule.name}, {policy}" for rule, policy in self._ways
        )

    @cached_property
    def _ways(self) -> tuple[tuple[Aggregator, Unranked | None], ...]:
        """The rule of each method, and the policy that is stated for it."""
        stated: Sequence[Unranked | None] = self.policies or [None]
        return tuple(
            (rule, policy)
            for rule in self.rules
            for policy in (stated if rule.reads_unranked == "by policy" else [None])
        )

    @cached_property
    def _pairs(self) -> list[str]:
        """The fields that compare a method with another."""
        return [_pair_field(measure, other) for other in self.methods for measure in PAIR_MEASURES]

    @cached_property
    def _fields(self) -> dict[str, str]:
        numbers = *PAIR_MEASURES, "tau_ranked", "tau_true", *self._pairs
        kinds = {"method": "str", "unranked": "Int64", "proved": "boolean", "error": "str"}
        kinds |= dict.fromkeys(("lost_systems", "lost_tasks"), "int64")
        return kinds | dict.fromkeys(numbers, "float64")

    def _prepared(self, deadline: object) -> Mapping[str, Sequence[_Attempt]]:
        """Return what the methods make of full tables that are the same in every cell."""
        return {
            model.identity: self._ranked(
                model.sample(), _RemovalCell(model, 1.0, 0.0, RANDOM_REMOVAL, -1), "full data"
            )
            for model in self._sources
            if model.is_fixed
        }

    def _try(self, cell: _RemovalCell, prepared: Mapping[str, Sequence[_Attempt]]) -> list[Row]:
        """Remove scores and rank with every method."""
        table = cast("ScoreTable", cell.model.sample(rng=cell.generator(self._seed, "data")))
        full = prepared.get(cell.model.identity)
        if full is None:
            full = self._ranked(table, cell, "full data")
        rng = cell.generator(self._seed, "missing")
        scaled = self._scaled(table, cell)
        left = cell.removal.remove(scaled, cell.proportion, whole_tasks=self.whole_tasks, rng=rng)
        found = self._ranked(left, cell, "")
        lost = left.missing.all(axis=1) & ~table.missing.all(axis=1)
        shared = {"lost_systems": int(lost.sum()), "lost_tasks": table.n_tasks - left.n_tasks}
        truth = cell.model.true_ranking
        rankings = [ranking for ranking, _, _ in (*found, *full)]
        rankings.append(truth and truth.reindex(table.systems))
        none, there = np.full(table.n_systems, UNRANKED), [one is not None for one in rankings]
        ranks = np.stack([none if one is None else one.ranks for one in rankings])
        tables = {}
        for measure, values in _agreements(ranks).items():
            told = values.astype(object)
            # What is no ranking agrees with none.
            told[~(np.isfinite(values) & np.outer(there, there))] = None
            tables[measure] = told.tolist()
        count, rows = len(self.methods), []
        for at, label in enumerate(self.methods):
            (ranking, is_proved, error), (before, was_proved, failed) = found[at], full[at]
            tau = tables["tau"][at][at + count]
            known = is_proved is not None and was_proved is not None
            row = {
                "method": label,
                **{measure: tables[measure][at][at + count] for measure in PAIR_MEASURES},
                "tau_ranked": _tau_ranked(before, ranking, tau),
                "tau_true": tables["tau"][at][2 * count],
                "unranked": None if ranking is None else int((ranking.ranks == UNRANKED).sum()),
                **shared,
                "proved": is_proved and was_proved if known else None,
                "error": error or failed,
            }
            pairs = (tables[one][at][other] for other in range(count) for one in PAIR_MEASURES)
            rows.append(row | dict(zip(self._pairs, pairs, strict=True)))
        return rows

    def _ranked(self, data: Any, cell: _RemovalCell, purpose: str) -> list[_Attempt]:
        """Return what every method makes of a table."""
        evidence, found = Evidence(data), list[_Attempt]()
        for (rule, policy), label in zip(self._ways, self.methods, strict=True):
            given = evidence if policy is None else evidence.with_unranked(policy)
            rng = cell.generator(self._seed, purpose + label)
            one = attempt(rule, given, rng)
            if isinstance(one, RankaggError):
                found.append((None, None, f"{purpose}: {one}" if purpose else str(one)))
            else:
                found.append((one.ranking, one.is_proved, None))
        return found

    def _scaled(self, table: ScoreTable, cell: _RemovalCell) -> ScoreTable:
        if cell.scale == 1:
            return table
        task = table.tasks[int(cell.generator(self._seed, "task").integers(table.n_tasks))]
        return RescaledScores(factor=cell.scale).corrupt(table, [task])

    @property
    def _compared(self) -> tuple[str, ...]:
        return self.methods

    def _table(self, result: StudyResult) -> pd.DataFrame:
        means = result.by_method()["mean_tau"].unstack("proportion", sort=False)
        shares = {share: f"{100 * share:g} %" for share in self.proportions}
        table = means[list(shares)].rename(columns=shares)
        table = table.rename_axis(columns=None).reset_index()
        return table if len(self.scales) > 1 else table.drop(columns="scale")

    def _about(self, result: StudyResult) -> Iterable[str]:
        how = "; ".join(removal.name for removal in self.removals)
        yield (
            f"a proportion of entries removed, all scores of a system on a task at once: {how}"
            if self.whole_tasks
            else f"a proportion of single scores removed: {how}"
        )
        yield "mean tau-b with the ranking of the full data by the same method"

    def _notes(self, frame: pd.DataFrame) -> Iterable[str]:
        each = frame.drop_duplicates([*self._grid, "repetition"])
        for noun in ("system", "task"):
            if lost := int((each[f"lost_{noun}s"] > 0).sum()):
                yield f"a {noun} lost all its scores in {lost} of {counted(len(each), 'table')}"
        if unranked := int((frame["unranked"] > 0).sum()):
            told = counted(unranked, "time")
            yield f"methods left systems unranked {told}; tau takes those for randomly placed"
        if undefined := int((frame["tau"].isna() & frame["unranked"].notna()).sum()):
            yield f"tau is not defined {counted(undefined, 'time')}"

    def _below(self, frame: pd.DataFrame) -> Iterable[str]:
        """Say for every model which method stays nearest to its own ranking of the full data."""
        cases, several = [n for n in self._grid if n != "proportion"], len(self.scales) > 1
        for case, part in frame[frame["proportion"] > 0].groupby(cases, sort=False):
            means = part.groupby("method", sort=False)["tau"].mean().dropna()
            if len(means) < 2:
                continue
            told = (one for one in case if several or not isinstance(one, float))
            where = ", ".join(f"scale {x:g}" if isinstance(x, float) else str(x) for x in told)
            yield (
                f"{where}: over all proportions removed, {means.idxmax()} stays nearest to its "
                f"ranking of the full data (mean tau {means.max():.2f}), {means.idxmin()} farthest "
                f"({means.min():.2f})"
            )


def _agreements(ranks: Ranks) -> dict[str, Floats]:
    """Return how much each two of some rankings agree, by every measure."""
    first, three = (places.top_k_shares(ranks, k) for k in (1, 3))
    overlaps = _products(first), _products(three) / min(3, ranks.shape[1])
    values = _taus(ranks), *overlaps, _same_sets(three)
    return dict(zip(PAIR_MEASURES, values, strict=True))


def _taus(ranks: Ranks) -> Floats:
    """Return tau-b of each two rankings, over all systems.

    Where a ranking leaves systems out, it stands for all permutations that are compatible with
    it: what is correlated is the mean order of every pair, so that every ranking is held against
    the others on the same pairs.
    """
    above, below = np.triu_indices(ranks.shape[1], 1)
    mids = places.mid_ranks(ranks)
    # How likely it is that a system without a rank is before one with this rank.
    before = (mids + 1.0) / ((ranks != UNRANKED).sum(axis=1, keepdims=True) + 1.0)
    one, other = before[:, above], before[:, below]
    shares = np.where(np.isnan(other), 1.0 - one, 0.5 * (1.0 + np.sign(other - one)))
    shares = np.where(np.isnan(one), other, shares)
    orders = np.where(np.isnan(shares), 0.0, 2.0 * shares - 1.0)
    # Only what was observed can be tied: a permutation ties nothing.
    tied = (ranks[:, above] == ranks[:, below]) & (ranks[:, above] != UNRANKED)
    untied = (~tied).sum(axis=1).astype(np.float64)
    scale = np.sqrt(np.outer(untied, untied))
    with np.errstate(invalid="ignore"):
        return np.clip(_products(orders) / scale, -1.0, 1.0)


def _same_sets(shares: Floats) -> Floats:
    """Return the chance that each two top-k sets are the same, ties at rank k broken at random."""
    inside, possible = shares > 1 - ROUNDING, shares > ROUNDING
    sizes = np.rint(shares.sum(axis=1)).astype(int)
    must, may = inside[:, None] | inside, possible[:, None] & possible
    # The sets that both may have, and those that each may have.
    left = sizes[:, None] - must.sum(axis=2)
    is_free = (sizes[:, None] == sizes) & ~(must & ~may).any(axis=2) & (left >= 0)
    alike = np.where(is_free, _choices((may & ~must).sum(axis=2), np.maximum(left, 0)), 0)
    ways = _choices((possible & ~inside).sum(axis=1), sizes - inside.sum(axis=1))
    found: Floats = (alike / np.multiply.outer(ways, ways)).astype(np.float64)
    return found


def _products(rows: Floats) -> Floats:
    """Return the scalar product of each two rows; to the bit the same in every process."""
    # How numbers lie in memory decides in which order they are added.
    rows = np.ascontiguousarray(rows)
    found: Floats = np.einsum("ip,jp->ij", rows, rows, optimize=False)
    return found


def _pair_field(measure: str, other: str) -> str:
    """Return the field of a row that compares its method with another."""
    return f"{measure} with {other}"


def _tau_ranked(
    full: PartialRanking | None, found: PartialRanking | None, tau: float | None
) -> float | None:
    """Correlate over the systems that both rank; `tau` is that over all."""
    if full is None or found is None:
        return None
    if min(full.ranks.min(), found.ranks.min()) >= 0:
        return tau
    both = (full.ranks != UNRANKED) & (found.ranks != UNRANKED)
    ranked = kendall_tau(found, full) if both.any() else nan
    return ranked if isfinite(ranked) else None


# -- corrupted tasks ------------------------------------------------------------------------------


@dataclass(frozen=True)
class _CorruptionCell(Cell):
    """One table with corrupted tasks."""

    model: DataSource
    corruption: Corruption = checked(check_kind, kind=Corruption, example="`ReversedScores()`")
    # So many of its tasks are corrupted.
    n_corrupted: int = checked(check_integer, low=0)
    repetition: int = 0

    @cached_property
    def _alike(self) -> _CorruptionCell:
        return replace(self, corruption=ReversedScores(), n_corrupted=0)

    def shared(self, seed: int, purpose: str) -> Generator:
        """Return the random numbers of all tables that differ in their corruption alone."""
        return self._alike.generator(seed, purpose)


@dataclass(frozen=True, kw_only=True)
class CorruptionStudy(Study[_CorruptionCell]):
    """How far rules are led astray when tasks are corrupted.

    In every repetition some tasks are corrupted, and every rule is held against the true order of
    the model, or where none is known against what it says itself of the scores before. Tables that
    differ in their corruption alone share the rest: the scores, the order of the systems, which is
    random, that in which tasks are corrupted, so that those of a smaller number are among those of
    a larger one, and the random numbers of corruptions.

    Parameters
    ----------
    data : DataSource, ScoreTable or a list of them
        Where scores come from: `LatentModel` for scores that are drawn, the table of a
        leaderboard, `ResampledData`, or your own.
    corruptions : sequence of Corruption
        What befalls tasks: `ReversedScores`, `AdversarialScores`, `RescaledScores`, `CopiedScores`,
        `NoisyScores`, or your own.
    n_corrupted : sequence of int, optional
        Numbers of corrupted tasks; by default all from 0 to those that every model has.
    rules : sequence of Aggregator, optional
        The rules. By default the mean, and Borda's rule on all instances (one level) and first
        within tasks (two levels).
    n_repetitions : int, default 100
        Tables for each combination.
    rng : int, numpy.random.Generator or None, optional
        A seed of all random numbers; by default, and from a generator, one is drawn and kept.
    time_limit : float, optional
        Seconds for a rule that searches, on one table; none by default. What is not proved in time
        is counted.

    Raises
    ------
    InvalidInputError
        If a parameter is out of its range, two rules, data or corruptions are alike, data have
        fewer tasks, or missing scores that a corruption needs.

    Notes
    -----
    Rows: distance: normalized Kendall distance, 0 to 1, a pair that one of the two ties counting
    half; top1: the chance that both have the same system first, ties broken at random; proved:
    False where a search for an exact optimum ended without proof; error: what a rule said that
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
    _fields: ClassVar[Mapping[str, str]] = {
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
        """Corrupt tasks of a table, and hold every rule against the truth, or against itself."""
        table = cast("ScoreTable", cell.model.sample(rng=cell.shared(self._seed, "data")))
        before, known, rows = Evidence(table), cell.model.true_ranking, list[Row]()
        # So that no rule gains from how it ties.
        order = cell.shared(self._seed, "systems").permutation(table.n_systems)
        shuffled = ScoreTable(
            table.to_frame().iloc[order],
            higher_is_better=table.higher_is_better,
            task_weights=table.task_weights,
        ).with_unranked(table.unranked)
        order = cell.shared(self._seed, "tasks").permutation(table.n_tasks)
        tasks = table.tasks.at(order[: cell.n_corrupted])
        truth = None if known is None else known.reindex(shuffled.systems)

        @cache
        def corrupted(against: PartialRanking) -> Evidence:
            rng = cell.shared(self._seed, "corruption")
            return Evidence(cell.corruption.corrupt(shuffled, tasks, against, rng=rng))

        for rule, text in zip(self.rules, self._texts, strict=True):
            row: Row = dict.fromkeys(self._fields) | {"method": rule.name, "proved": True}
            rows.append(row)
            try:
                own = (
                    self._says(rule, before, cell.shared(self._seed, text))
                    if truth is None
                    else None
                )
                ranking = own.ranking.reindex(shuffled.systems) if own else truth
                against = cast("PartialRanking", ranking)
                found = self._says(rule, corrupted(against), cell.generator(self._seed, text))
            except RankaggError as error:
                row["error"] = str(error)
                continue
            one, other = set(against.buckets[0]), set(found.buckets[0])
            # Both as if ties were broken at random.
            row["distance"] = kendall_distance(
                against, found.ranking, tie_cost=0.5, normalized=True
            )
            row["top1"] = len(one & other) / (len(one) * len(other))
            # A rule of two levels has no certificate, but says so too.
            notes = found.notes + (own.notes if own else ())
            row["proved"] = not any("not proved" in note for note in notes)
        return rows

    def _says(self, rule: Aggregator, scores: Evidence, rng: Generator) -> Consensus:
        deadline = Deadline.after(self.time_limit)
        return finished(rule.aggregate(scores, rng=rng, deadline=deadline))

    def _table(self, result: StudyResult) -> pd.DataFrame:
        """Return the mean distances, in columns for some of the numbers of corrupted tasks."""
        numbers = np.sort(self.n_corrupted or ())
        at = np.linspace(0, len(numbers) - 1, min(len(numbers), MOST_COLUMNS)).round()
        means = result.by_method()["mean_distance"]
        table = means.unstack("n_corrupted", sort=False)[numbers[at.astype(int)]]
        table = table.rename(columns=str).rename_axis(columns=None)
        lost = means[means > LOST].reset_index("n_corrupted")["n_corrupted"]
        if len(lost):
            table["breakdown"] = lost.groupby(list(table.index.names)).min().astype("Int64")
        whole: pd.DataFrame = table.reset_index()
        return whole

    def _about(self, result: StudyResult) -> Iterable[str]:
        own = "what the rule says of the uncorrupted scores"
        known = {model.true_ranking is not None for model in self._sources}
        either = f"the true order, or where none is known to {own}"
        reference = either if len(known) > 1 else "the true order" if True in known else own
        yield f"mean normalized Kendall distance to {reference}"
        yield f"by the number of corrupted tasks; breakdown: first above {LOST}"


# -- subsets of tasks -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _SubsetCell(Cell):
    """One random subset of tasks."""

    # How many tasks it has.
    size: int = checked(check_integer, low=1)
    repetition: int = 0

    def tasks(self, n_tasks: int, seed: int) -> Positions:
        """Return the positions of its tasks among so many."""
        return draw_subset(n_tasks, self.size, self.generator(seed, "tasks"))


@dataclass(frozen=True, kw_only=True)
class TaskSubsetStudy(Study[_SubsetCell]):
    """How near each rule's consensus on random subsets of tasks is to its own on all tasks.

    For every size, `n_repetitions` subsets are drawn, independently and each with equal chance;
    every rule aggregates the same subsets. A rule whose correlation is higher and spreads less
    depends less on which tasks a benchmark happens to have. `stability` looks at one rule, at what
    single tasks do, and at different subsets, all where they are few.

    Parameters
    ----------
    data : ScoreTable
        The scores. Instances stay with their task.
    rules : sequence of Aggregator, default (Mean(), Borda())
        The rules.
    sizes : sequence of int, optional
        How many tasks subsets have; by default every number from 1 to all but one.
    n_repetitions : int, default 100
        Subsets of each size.
    rng : int, numpy.random.Generator or None, optional
        A seed of all random numbers; by default, and from a generator, one is drawn and kept.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied; see `ScoreTable.rankings`.

    Raises
    ------
    InvalidInputError
        If a parameter is out of its range, two rules are alike, or there are fewer than two tasks.

    Notes
    -----
    Rows: tau: tau-b of the consensus on the subset with that on all tasks, missing where one ties
    all systems; distance between them in pairs, half for a tie in one; top1: the chance of the
    same first system; n_ranked: how many systems both rank, over which all of these are; proved:
    False where an exact rule did not prove both in time, which leaves the numbers
    missing; error: what a rule said that could not rank the subset.

    References
    ----------
    Colombo et al. (2022), "What are the best systems? New perspectives on NLP benchmarking",
    https://doi.org/10.48550/arXiv.2202.03799, section 5.2, figures 5, 8 and 9.

    Examples
    --------
    >>> import rankagg as ra
    >>> table = ra.datasets.load("xtreme_human")
    >>> result = ra.studies.TaskSubsetStudy(data=table, n_repetitions=20, rng=0).run()
    >>> result.by_method()[["mean_tau", "std_tau"]].round(2)
                 mean_tau  std_tau
    size method
    1    Mean        0.84     0.14
         Borda       0.70     0.13
    2    Mean        0.78     0.17
         Borda       0.80     0.08
    3    Mean        0.97     0.08
         Borda       0.95     0.07
    """

    _cell = _SubsetCell
    _fields: ClassVar[Mapping[str, str]] = {
        "method": "str",
        **dict.fromkeys(("tau", "distance", "top1"), "float64"),
        "n_ranked": "int64",
        "proved": "bool",
        "error": "str",
    }
    _measures = Measures(
        statistics=("mean_tau", "std_tau", "mean_top1"),
        quantiles="tau",
        printed=("mean_tau", "std_tau", "tau_0.05", "tau_0.5", "tau_0.95", "mean_top1"),
        curves={
            "mean_tau": Curve(
                "tau-b with the same rule's\nconsensus on all tasks", "std_tau", least=-1.0
            ),
            "mean_top1": Curve("chance of the same first system"),
        },
        noun="subset",
    )

    data: ScoreTable
    rules: Sequence[Aggregator] = (Mean(), Borda())
    sizes: Sequence[int] | None = None
    n_repetitions: int = 100
    rng: RNGLike = None
    tolerance: Tolerance = field(default=0.0, hash=False)

    def __post_init__(self) -> None:
        owner = "of TaskSubsetStudy"
        _check_table(self.data, "TaskSubsetStudy")
        total = self.data.n_tasks
        if total < 2:
            found = Described(counted(total, "task"))
            raise InvalidInputError(f"data {owner}", "a table with at least two tasks", found)
        if self.sizes is None:
            self._set("sizes", range(1, total))
        super().__post_init__()
        for size in self.sizes or ():
            check_integer(size, f"sizes {owner}", low=1, high=total)
        self._set("tolerance", as_tolerance(self.tolerance, self.data.tasks))

    def _prepared(self, deadline: object) -> tuple[Parts, list[_Whole]]:
        """Return the tasks, and what every rule says of all of them."""
        parts = Parts(data=self.data, tolerance=self.tolerance, unit="task")
        total = self.data.n_tasks
        evidence, everything, wholes = parts.part(np.arange(total)), _SubsetCell(total, 0), []
        for rule, text in zip(self.rules, self._texts, strict=True):
            rng = everything.generator(self._seed, text)
            found = finished(rule.aggregate(evidence, rng=rng))
            wholes.append((found.ranking, found.is_proved is not False))
        return parts, wholes

    def _try(self, cell: _SubsetCell, prepared: tuple[Parts, list[_Whole]]) -> list[Row]:
        """Draw a subset and aggregate it with every rule."""
        parts, wholes = prepared
        results = self._attempts(parts.part(cell.tasks(len(parts.units), self._seed)), cell)
        return [self._row(*one) for one in zip(self.rules, results, wholes, strict=True)]

    def _row(self, rule: Aggregator, found: Consensus | RankaggError, all_tasks: _Whole) -> Row:
        whole, whole_is_proved = all_tasks
        unknown: Row = {"method": rule.name, "tau": None, "distance": None, "top1": None}
        if isinstance(found, RankaggError):
            return {**unknown, "n_ranked": 0, "proved": True, "error": str(found)}
        proved = whole_is_proved and found.is_proved is not False
        common = (found.ranking.ranks != UNRANKED) & (whole.ranks != UNRANKED)
        row = {**unknown, "n_ranked": int(common.sum()), "proved": proved, "error": None}
        if proved:
            known = agreement_of(whole, found.ranking)
            row |= {name: None if isnan(value) else value for name, value in known.items()}
        return row

    def _headline(self, result: StudyResult) -> str:
        """Say whose correlation is higher on how many sizes."""
        names = [rule.name for rule in self.rules]
        means = result.by_method()["mean_tau"].unstack("method")[names]
        best = means.max(axis=1)
        known = best.notna()
        if len(names) == 1 or not known.any():
            return f"mean tau of {listed(names)} with what it says of all tasks"
        leads = means.ge(best - ROUNDING, axis=0)[known]
        alone = leads[leads.sum(axis=1) == 1]
        parts = [f"{name} at {int(alone[name].sum())}" for name in names]
        shared = len(leads) - len(alone)
        return (
            f"of {counted(len(leads), 'size')} of subsets, the highest mean tau with all tasks: "
            f"{', '.join(parts)}" + f", several at {shared}" * bool(shared)
        )

    def _notes(self, frame: pd.DataFrame) -> Iterable[str]:
        ranked = frame[frame["error"].isna()]
        undefined = int((ranked["proved"] & ranked["tau"].isna()).sum())
        partly = int((ranked["n_ranked"] < self.data.n_systems).sum())
        rows = f"of {counted(len(frame), 'consensus')} of subsets"
        if undefined:
            yield f"{undefined} {rows} have no tau: one of the two ties all systems that both rank"
        if partly:
            yield f"{partly} {rows} rank only some of the systems; tau is over those"


# -- agreement of rules ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _PartCell(Cell):
    """One part of the data."""

    # Tasks, or their averages; all instances; the instances of one task.
    scope: _Scope
    task: Label | None = None
    repetition: int = 0


@dataclass(frozen=True, kw_only=True)
class AgreementStudy(Study[_PartCell]):
    """How far rules agree on the first, on the last and on all systems of one table.

    On a table of tasks the rules aggregate the tasks. On a table of instances they are compared
    thrice: on the averages of each task ("tasks"), on all instances at once
    ("instances"), and on the instances of each single task ("within"). Nothing is drawn, unless a
    rule does.

    Parameters
    ----------
    data : ScoreTable
        The scores, of tasks or of their instances.
    rules : sequence of Aggregator, optional
        At least two rules; by default `Mean()` and `Borda()`,
        and `TwoLevel(Borda(), Borda())` where there are instances. A `TwoLevel` takes part on
        all instances only: elsewhere there is one level.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied; see `ScoreTable.rankings`.
    rng : int, numpy.random.Generator or None, optional
        A seed for rules that draw; by default, and from a generator, one is drawn and kept.

    Raises
    ------
    InvalidInputError
        If a parameter is out of its range, or there are fewer than two rules to compare.

    Notes
    -----
    Rows, for every k: top and last, the expected share that the first and the last k have in
    common, ties at rank k broken at random; top_tau: tau-b over the systems that both have among
    their first k, all of them where several tie at rank k, missing where that is fewer than two or
    one rule ties them all; n_ranked: how many systems both rank; tau: tau-b over these; proved:
    whether both consensuses of exact rules are. Statistics are means and standard deviations over
    tasks; at_random is the share of the first k that random rankings have in common.

    References
    ----------
    Colombo et al. (2022), "What are the best systems? New perspectives on NLP benchmarking",
    https://doi.org/10.48550/arXiv.2202.03799, table 2, figures 4, 10 and 11. Their ties at rank k
    are broken by the order of the file; here agreement is what random breaking gives on average.

    Examples
    --------
    >>> import rankagg as ra
    >>> table = ra.datasets.load("xtreme_human")
    >>> result = ra.studies.AgreementStudy(data=table).run()
    >>> result.by_method()[["tau", "top", "last"]].xs(3, level="k").round(3)
                         tau    top   last
    scope first second
    tasks Mean  Borda  0.867  0.667  0.667
    """

    _cell = _PartCell
    _dimensions: ClassVar[dict[Any, str]] = {}
    _fields: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("first", "second"), "str"),
        **dict.fromkeys(("k", "n_ranked"), "int64"),
        **dict.fromkeys(("top", "last", "top_tau", "tau"), "float64"),
        "proved": "bool",
    }
    _measures = Measures(
        statistics=(
            *("tau", "std_tau", "top", "std_top", "last", "std_last", "top_tau", "std_top_tau"),
        ),
        over=("task",),
        points=("k",),
        lines=("first", "second"),
        curves={
            **{
                name: Curve(
                    f"expected share of the {of} k\nthat both rules have",
                    f"std_{name}",
                    dotted="at_random",
                    dotted_is="at random",
                )
                for name, of in (("top", "first"), ("last", "last"))
            },
            "top_tau": Curve(
                "tau-b over the systems that both\nrules have among their first k",
                "std_top_tau",
                least=-1.0,
            ),
        },
        usual_x=("k",),
        noun="table",
    )

    data: ScoreTable
    rules: Sequence[Aggregator] | None = None
    tolerance: Tolerance = field(default=0.0, hash=False)
    n_repetitions: int = field(default=1, init=False)
    rng: RNGLike = None

    def __post_init__(self) -> None:
        _check_table(self.data, "AgreementStudy")
        if self.rules is None:
            two_levels = [TwoLevel(Borda(), Borda())] * self.data.is_instance_level
            self._set("rules", (Mean(), Borda(), *two_levels))
        super().__post_init__()
        several = self.data.is_instance_level and len(self._compared) > 1
        if len(self._one_level) < 2 and not several:
            found = Described(repr(list(self._compared)))
            allowed = "two or more rules with one level"
            raise InvalidInputError("rules of AgreementStudy", allowed, found)
        self._set("tolerance", as_tolerance(self.tolerance, self.data.tasks))

    @property
    def _grid(self) -> list[str]:
        return ["scope", "task"]

    @property
    def _one_level(self) -> tuple[Aggregator, ...]:
        return tuple(rule for rule in self._compared if not isinstance(rule, TwoLevel))

    def cells(self) -> Iterator[_PartCell]:
        """Iterate over the parts of the data."""
        several = len(self._one_level) > 1
        if several:
            yield _PartCell("tasks")
        if self.data.is_instance_level:
            yield _PartCell("instances")
        if self.data.is_instance_level and several:
            yield from (_PartCell("within", task) for task in self.data.tasks)

    def _try(self, cell: _PartCell, prepared: None) -> list[Row]:
        """Aggregate one part with every rule, and compare each two."""
        if cell.scope == "within":
            number = [*self.data.tasks].index(cell.task)
            parts = Parts(data=self.data, tolerance=self.tolerance, unit="task")
            evidence = parts.part(np.array([number]))
        else:
            whole = self.data if cell.scope == "instances" else averaged_tasks(self.data)
            evidence = Evidence(whole, self.tolerance)
        rules = self._compared if cell.scope == "instances" else self._one_level
        found = {
            rule.name: finished(
                rule.aggregate(evidence, rng=cell.generator(self._seed, repr(rule)))
            )
            for rule in rules
        }
        rows = list[Row]()
        for first, second in combinations(found, 2):
            one, two = found[first].ranking, found[second].ranking
            curves, tau = _curves(one, two), kendall_tau(one, two)
            pair = {
                "first": first,
                "second": second,
                "n_ranked": len(curves),
                "tau": None if isnan(tau) else tau,
                "proved": not any(found[name].is_proved is False for name in (first, second)),
            }
            points = curves.reset_index().to_dict("records")
            rows += [pair | {str(name): value for name, value in row.items()} for row in points]
        return rows

    def _completed(self, table: pd.DataFrame) -> pd.DataFrame:
        return table.assign(at_random=table.index.get_level_values("k") / self.data.n_systems)

    def _table(self, result: StudyResult) -> pd.DataFrame:
        table = result.by_method()[["tau", "top", "last"]].reset_index()
        return table[table["k"].isin(DEPTHS)]

    def _headline(self, result: StudyResult) -> str:
        """Say how far the first two rules agree."""
        lead = result.by_method().reset_index().drop_duplicates("scope")
        where = {"tasks": "on tasks", "instances": "on all instances"}
        where["within"] = "within a task, on average"
        parts = [f"{row['tau']:.3f} {where[row['scope']]}" for row in lead.to_dict("records")]
        first = lead.iloc[0]
        return f"tau of {first['first']} and {first['second']}: {', '.join(parts)}"

    def _notes(self, frame: pd.DataFrame) -> Iterable[str]:
        pairs = frame.drop_duplicates(["scope", "task", "first", "second"])
        if partly := int((pairs["n_ranked"] < self.data.n_systems).sum()):
            rows = counted(len(pairs), "comparison")
            yield f"{partly} of {rows} are over the systems that both rules rank"
        left_out = [rule.name for rule in self._compared if isinstance(rule, TwoLevel)]
        if left_out and set(pairs["scope"]) != {"instances"}:
            yield f"{listed(left_out)}: on all instances only"


def _curves(one: PartialRanking, two: PartialRanking) -> pd.DataFrame:
    """Return the agreement of two rankings over the items that both rank, for every k."""
    left = one.items.where((one.ranks != UNRANKED) & (two.ranks != UNRANKED))
    one, two = one.restrict(left), two.restrict(left)
    top = overlap_curves({"top": one}, two)
    curves = top.join(overlap_curves({"last": one}, two, from_top=False))
    curves["top_tau"] = [_tau_of_first(one, two, int(k)) for k in curves.index]
    return curves.astype(np.float64)


def _tau_of_first(one: PartialRanking, two: PartialRanking, k: int) -> float:
    """Return tau-b over the items that both have among their first k."""
    among = np.ones(one.n_items, dtype=bool)
    for ranking in (one, two):
        listed_items = int((ranking.ranks >= 0).sum())
        among &= np.where(ranking.ranks == UNLISTED, listed_items, ranking.ranks) < k
    if among.sum() < 2:
        return nan
    first = one.items.where(among)
    return kendall_tau(one.restrict(first), two.restrict(first))
