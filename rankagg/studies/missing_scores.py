"""A study of missing scores: rankings of incomplete scores against those of all scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import comb, isfinite, nan
from typing import Any, cast

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Ranks, RNGLike, Unranked
from rankagg._validation import check_flag, check_kind, check_number, check_unranked
from rankagg.aggregation import Aggregator, Borda, Evidence, Mean
from rankagg.core import UNRANKED, PartialRanking, ScoreTable, counted, places
from rankagg.cultures import DataSource, checked
from rankagg.distances import kendall_tau
from rankagg.exceptions import RankaggError
from rankagg.studies.corruption import RescaledScores
from rankagg.studies.measures import Curve, Measures
from rankagg.studies.removal import MECHANISM, RANDOM_REMOVAL, GapCell, ScoreRemoval
from rankagg.studies.study import ROUNDING, Row, Study, StudyResult

#: Measures that compare two methods on the same table.
PAIR_MEASURES = ("tau", "top1", "top3", "same_top3")
# Binomial coefficients of any size.
_choices = np.frompyfunc(comb, 2, 1)

# A method's ranking of a table, or None if it failed; whether the ranking of an exact method is
# proved optimal; and the message of a failure.
_Attempt = tuple[PartialRanking | None, bool | None, str | None]


@dataclass(frozen=True)
class _RemovalCell(GapCell):
    """One table of the grid."""

    model: DataSource
    # The factor of the scores of one task.
    scale: float = checked(check_number, low=0, open_low=True)
    proportion: float = checked(check_number, low=0, high=1, open_high=True)
    removal: ScoreRemoval = checked(check_kind, **MECHANISM)
    repetition: int = 0


@dataclass(frozen=True, kw_only=True)
class MissingScoresStudy(Study[_RemovalCell]):
    """Study of rankings of incomplete scores, compared with those of the full data.

    From every table a proportion of the scores is removed, many times, and every method ranks the
    rest. Its ranking is compared with the same method's ranking of the full data, with the true
    ranking if there is one, and with the other methods.

    Parameters
    ----------
    data : DataSource, ScoreTable or a list of them
        Sources of scores: the table of a leaderboard, `LatentModel` for drawn scores, or your own.
        They should be complete: for a table with gaps the full data are the present scores, and
        results note this.
    rules : sequence of Aggregator, default (Mean(), Borda())
        The rules.
    policies : sequence of {"uniform", "ignore", "last"}, optional
        Policies for missing scores: each rule that depends on the policy is a separate method with
        each of them. By default the policy of each table.
    proportions : sequence of float, default (0, 0.1, ..., 0.9)
        Proportions of the entries removed, rounded to whole entries, in [0, 1). Entries that are
        missing from the start do not count.
    removals : sequence of ScoreRemoval, default (RandomRemoval(),)
        Mechanisms of removal: `RandomRemoval`, `RemovalBySystem`, `RemovalByTask`,
        `RemovalByScore`, `RemovalByAge`, `RemovalOfBlocks` or your own.
    scales : sequence of float, default (1,)
        Positive factors for the scores of one task, which is drawn for every table. The ranking of
        the full data is that of the unscaled scores.
    whole_tasks : bool, default True
        An entry consists of all scores of a system on a task, as in the papers; else it is a single
        score. Without instances both are the same.
    n_repetitions : int, default 100
        Tables for each combination.
    rng : int, numpy.random.Generator or None, optional
        A seed; by default, and from a generator, one is drawn and kept.

    Notes
    -----
    Rows: tau, tau-b with the same method's ranking of the full data, over all systems; top1 and
    top3, the expected share of the first and of the first three that are the same; same_top3, the
    probability that the first three are the same set; tau_ranked over the systems that both rank;
    tau_true, tau with the true ranking; "tau with Borda" and so on, the same with another method
    on the same table; unranked: systems without a rank; lost_systems and lost_tasks: those without
    any score left; proved: whether the rankings of an exact rule are proved; error: the message of
    a rule that could not rank the table. Statistics: mean_tau with se_tau and quantiles, and
    further means.

    The correlation is tau-b over all systems. If a method leaves systems unranked, as means do with
    those that lost all their scores, its ranking represents all compatible permutations. Then the
    mean order of every pair is correlated; `tau_ranked` is over the ranked systems.

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
                for name in PAIR_MEASURES[1:]
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
        if self.policies is not None:
            self._set_checked("policies", check_unranked)
        whole = check_flag(self.whole_tasks, "whole_tasks of MissingScoresStudy")
        for table, removal in product(self._tables(), self.removals):
            removal.remove(table, max(self.proportions), whole_tasks=whole, rng=0)

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """The names of the methods: the rule, and its policy for missing scores."""
        return tuple(
            rule.name if policy is None else f"{rule.name}, {policy}"
            for rule, policy in self._variants
        )

    @cached_property
    def _variants(self) -> tuple[tuple[Aggregator, Unranked | None], ...]:
        """The rule of each method, with its policy if one is given."""
        policies: Sequence[Unranked | None] = self.policies or [None]
        return tuple(
            (rule, policy)
            for rule in self.rules
            for policy in (policies if rule.reads_unranked == "by policy" else [None])
        )

    @cached_property
    def _pairs(self) -> list[str]:
        """The fields that compare a method with another."""
        return [f"{measure} with {one}" for one in self.methods for measure in PAIR_MEASURES]

    @cached_property
    def _fields(self) -> dict[str, str]:
        numbers = *PAIR_MEASURES, "tau_ranked", "tau_true", *self._pairs
        kinds = {"method": "str", "unranked": "Int64", "proved": "boolean", "error": "str"}
        kinds |= dict.fromkeys(("lost_systems", "lost_tasks"), "int64")
        return kinds | dict.fromkeys(numbers, "float64")

    def _prepared(self, deadline: object) -> Mapping[str, Sequence[_Attempt]]:
        """Return the rankings of full tables that are the same in every cell."""
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
        full = prepared.get(cell.model.identity) or self._ranked(table, cell, "full data")
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
            cells = values.astype(object)
            # A missing ranking has no agreement.
            cells[~(np.isfinite(values) & np.outer(there, there))] = None
            tables[measure] = cells.tolist()
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
        """Return the ranking or the error of every method on a table."""
        evidence, attempts = Evidence(data), list[_Attempt]()
        for (rule, policy), label in zip(self._variants, self.methods, strict=True):
            given = evidence if policy is None else evidence.with_unranked(policy)
            one = self._attempt(rule, given, cell.generator(self._seed, purpose + label))
            if isinstance(one, RankaggError):
                attempts.append((None, None, f"{purpose}: {one}" if purpose else str(one)))
            else:
                attempts.append((one.ranking, one.is_proved, None))
        return attempts

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
            times = counted(unranked, "time")
            yield f"methods left systems unranked {times}; tau treats those as randomly placed"
        if undefined := int((frame["tau"].isna() & frame["unranked"].notna()).sum()):
            yield f"tau is not defined {counted(undefined, 'time')}"

    def _below(self, frame: pd.DataFrame) -> Iterable[str]:
        """Yield for every model the method that stays nearest to its ranking of the full data."""
        cases, several = [n for n in self._grid if n != "proportion"], len(self.scales) > 1
        for case, part in frame[frame["proportion"] > 0].groupby(cases, sort=False):
            means = part.groupby("method", sort=False)["tau"].mean().dropna()
            if len(means) < 2:
                continue
            values = (one for one in case if several or not isinstance(one, float))
            where = ", ".join(f"scale {x:g}" if isinstance(x, float) else str(x) for x in values)
            yield (
                f"{where}: over all proportions removed, {means.idxmax()} stays nearest to its "
                f"ranking of the full data (mean tau {means.max():.2f}), {means.idxmin()} farthest "
                f"({means.min():.2f})"
            )


def _agreements(ranks: Ranks) -> dict[str, Floats]:
    """Return the agreement of each two rankings, by every measure."""
    first, three = (places.top_k_shares(ranks, k) for k in (1, 3))
    overlaps = _products(first), _products(three) / min(3, ranks.shape[1])
    values = _taus(ranks), *overlaps, _same_sets(three)
    return dict(zip(PAIR_MEASURES, values, strict=True))


def _taus(ranks: Ranks) -> Floats:
    """Return tau-b of each two rankings, over all systems.

    A ranking that leaves systems out represents all compatible permutations: the mean order of
    every pair is correlated, so that all rankings are compared on the same pairs.
    """
    above, below = np.triu_indices(ranks.shape[1], 1)
    mids = places.mid_ranks(ranks)
    # The probability that an unranked system is before one with this rank.
    before = (mids + 1.0) / ((ranks != UNRANKED).sum(axis=1, keepdims=True) + 1.0)
    one, other = before[:, above], before[:, below]
    shares = np.where(np.isnan(other), 1.0 - one, 0.5 * (1.0 + np.sign(other - one)))
    shares = np.where(np.isnan(one), other, shares)
    orders = np.where(np.isnan(shares), 0.0, 2.0 * shares - 1.0)
    # Only ranked systems can be tied, as permutations have no ties.
    tied = (ranks[:, above] == ranks[:, below]) & (ranks[:, above] != UNRANKED)
    untied = (~tied).sum(axis=1).astype(np.float64)
    scale = np.sqrt(np.outer(untied, untied))
    with np.errstate(invalid="ignore"):
        return np.clip(_products(orders) / scale, -1.0, 1.0)


def _same_sets(shares: Floats) -> Floats:
    """Return the probability that each two top-k sets are equal, ties broken at random."""
    inside, possible = shares > 1 - ROUNDING, shares > ROUNDING
    sizes = np.rint(shares.sum(axis=1)).astype(int)
    must, may = inside[:, None] | inside, possible[:, None] & possible
    # The sets that both may have, and those that each may have.
    left = sizes[:, None] - must.sum(axis=2)
    is_free = (sizes[:, None] == sizes) & ~(must & ~may).any(axis=2) & (left >= 0)
    alike = np.where(is_free, _choices((may & ~must).sum(axis=2), np.maximum(left, 0)), 0)
    ways = _choices((possible & ~inside).sum(axis=1), sizes - inside.sum(axis=1))
    return np.asarray(alike / np.multiply.outer(ways, ways), dtype=np.float64)


def _products(rows: Floats) -> Floats:
    """Return the scalar products of each two rows, bit by bit the same in every process."""
    # The memory layout decides the order of summation.
    rows = np.ascontiguousarray(rows)
    return np.asarray(np.einsum("ip,jp->ij", rows, rows, optimize=False))


def _tau_ranked(
    full: PartialRanking | None, found: PartialRanking | None, tau: float | None
) -> float | None:
    """Return tau over the systems that both rank; `tau` is over all systems."""
    if full is None or found is None:
        return None
    if min(full.ranks.min(), found.ranks.min()) >= 0:
        return tau
    both = (full.ranks != UNRANKED) & (found.ranks != UNRANKED)
    ranked = kendall_tau(found, full) if both.any() else nan
    return ranked if isfinite(ranked) else None
