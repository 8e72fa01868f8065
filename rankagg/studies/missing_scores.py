"""Missing scores: how far rankings move when scores are removed from tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import comb, isfinite, nan
from types import MappingProxyType
from typing import Any, Final, TypeAlias, cast

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Ranks, RNGLike, Unranked
from rankagg._validation import check_flag, check_kind, check_number, check_unranked
from rankagg.aggregation import Aggregator, Borda, Evidence, Mean
from rankagg.core import ROWS, UNRANKED, PartialRanking, ScoreTable, counted, places, plain_rows
from rankagg.cultures import DataSource, checked
from rankagg.distances import kendall_tau
from rankagg.exceptions import RankaggError
from rankagg.studies.corruptions import RescaledScores
from rankagg.studies.removal import MECHANISM, RANDOM_REMOVAL, GapCell, ScoreRemoval
from rankagg.studies.sources import gap_notes, listed_values, tables_of
from rankagg.studies.study import (
    ROUNDING,
    Curve,
    Row,
    Study,
    StudyResult,
    consensus_of,
    several,
)

#: How two methods are compared on the same table.
PAIR_MEASURES: Final = ("tau", "top1", "top3", "same_top3")
TOP_MEASURES: Final = PAIR_MEASURES[1:]


def _agreements(ranks: Ranks) -> dict[str, Floats]:
    """Return how much each two of some rankings agree, by every measure."""
    first, three = (places.top_k_shares(ranks, k) for k in (1, 3))
    overlaps = _products(first), _products(three) / min(3, ranks.shape[1])
    values = taus(ranks), *overlaps, _same_sets(three)
    return dict(zip(PAIR_MEASURES, values, strict=True))


def taus(ranks: Ranks) -> Floats:
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


# Whole numbers of any size.
_choices = np.frompyfunc(comb, 2, 1)


def _products(rows: Floats) -> Floats:
    """Return the scalar product of each two rows; to the bit the same in every process."""
    # How numbers lie in memory decides in which order they are added.
    rows = np.ascontiguousarray(rows)
    found: Floats = np.einsum("ip,jp->ij", rows, rows, optimize=False)
    return found


def _pair_field(measure: str, other: str) -> str:
    """Return the field of a row that compares its method with another."""
    return f"{measure} with {other}"


class MissingScoresResult(StudyResult):
    """How near rankings of incomplete scores came to those of the full data.

    Made by `MissingScoresStudy.run`; `plot` draws a `rankagg.plotting.study_plot`.

    Attributes
    ----------
    study : MissingScoresStudy
        The study.
    """

    study: MissingScoresStudy

    _schema = "rankagg.missing_scores_result"
    _row = "method"
    _curves = MappingProxyType(
        {
            "mean_tau": Curve(
                "tau-b with the same method's\nranking of the full data",
                "tau_0.25",
                "tau_0.75",
                band="middle half of the tables",
                least=-1.0,
            ),
            "mean_tau_true": Curve(
                "tau-b with the true ranking",
                deviation="se_tau_true",
                times=2,
                band="two standard errors either way",
                least=-1.0,
            ),
            **{
                f"mean_{name}": Curve(f"agreement with the full data: {name}")
                for name in TOP_MEASURES
            },
        }
    )
    _usual_x = ("proportion",)
    _formats = MappingProxyType({"scale": "{:zg}".format})
    _counts = ("tables", "table")
    _stated = MappingProxyType(
        {"whole_tasks": "study.whole_tasks", "tables": "n_cells", "methods": "study.methods"}
    )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per table and method.

        Returns
        -------
        pandas.DataFrame
            model, scale, proportion, removal (where that is not completely at random throughout),
            repetition: the table; method: the rule and its policy. Held against the ranking of the
            full data by the same method: tau, tau-b over all systems, those that are left unranked
            at random places; top1 and top3, the expected share of the first and of the first three
            that are the same; same_top3, the chance that the first three are the same set;
            tau_ranked, tau-b over the systems that both rank.
            tau_true: tau with the true ranking, where there is one. unranked: systems without a
            rank; lost_systems and lost_tasks: those without any score left; proved: whether the
            rankings of an exact rule are proved optimal; error: what a rule said that could not
            rank the table. What is not defined is missing, as tau is where all systems tie.
        """
        return self._frame.drop(columns=self.study._pairs)

    def by_method(self, quantiles: Sequence[float] = (0.05, 0.25, 0.5, 0.75, 0.95)) -> pd.DataFrame:
        """Return what the repetitions say of every method at every proportion.

        Parameters
        ----------
        quantiles : sequence of float, default (0.05, 0.25, 0.5, 0.75, 0.95)
            Which quantiles of tau to give, in [0, 1].

        Returns
        -------
        pandas.DataFrame
            Index: model, scale, proportion, removal as in `to_frame`, method. tables; failed: those
            that the method could not rank; undefined: those it ranked, where tau is not defined;
            unranked: those in which it left systems unranked; mean_tau with its standard error
            se_tau and a column tau_q for each quantile q; mean_tau_ranked, mean_top1, mean_top3 and
            mean_same_top3; mean_tau_true with se_tau_true.
        """
        levels = [check_number(q, "quantiles", low=0, high=1) for q in quantiles]
        groups = self._groups("method")
        tables = groups.size()
        ranked = groups["unranked"].count()
        taus = groups["tau"]
        table = {
            "tables": tables,
            "failed": tables - ranked,
            "undefined": ranked - taus.count(),
            "unranked": groups["unranked"].agg(lambda number: int((number > 0).sum())),
            "mean_tau": taus.mean(),
            "se_tau": taus.sem(),
            **{f"tau_{q:g}": taus.quantile(q) for q in levels},
            **{
                f"mean_{name}": groups[name].mean()
                for name in ("tau_ranked", *TOP_MEASURES, "tau_true")
            },
            "se_tau_true": groups["tau_true"].sem(),
        }
        return pd.DataFrame(table)

    def by_pair(self, *, pooled: bool = False) -> pd.DataFrame:
        """Return how much each two methods agree on the same tables.

        Parameters
        ----------
        pooled : bool, default False
            Take the tables of all proportions together, as the papers' tables do.

        Returns
        -------
        pandas.DataFrame
            Index: model, scale, proportion unless pooled, removal as in `to_frame`, method, other.
            tables; mean_tau with its standard deviation sd_tau, over the tables where it is
            defined, which `defined` counts; mean_top1, mean_top3, mean_same_top3.
        """
        place = self._cases if check_flag(pooled, "pooled") else self._grid
        methods = self.study.methods
        parts = []
        for one, other in combinations(methods, 2):
            rows = self._frame[self._frame["method"] == one]
            fields = {_pair_field(measure, other): measure for measure in PAIR_MEASURES}
            part = rows[[*place, *fields]].rename(columns=fields)
            parts.append(part.assign(method=one, other=other))
        columns = [*place, "method", "other", *PAIR_MEASURES]
        together = pd.concat(parts) if parts else pd.DataFrame(columns=columns)
        groups = together.groupby([*place, "method", "other"], sort=False)
        table = {
            "tables": groups.size(),
            "defined": groups["tau"].count(),
            "mean_tau": groups["tau"].mean(),
            "sd_tau": groups["tau"].std(),
            **{f"mean_{measure}": groups[measure].mean() for measure in TOP_MEASURES},
        }
        return pd.DataFrame(table)

    @property
    def _cases(self) -> list[str]:
        """The dimensions of the grid but the proportion."""
        return [name for name in self._grid if name != "proportion"]

    def _content(self) -> dict[str, Any]:
        return super()._content() | {"pairs": plain_rows(self.by_pair().reset_index())}

    def _table(self) -> pd.DataFrame:
        means = self._groups("method")["tau"].mean().unstack("proportion", sort=False)
        shares = {share: f"{100 * share:g} %" for share in self.study.proportions}
        table = means[list(shares)].rename(columns=shares)
        table = table.rename_axis(columns=None).reset_index()
        return table if len(self.study.scales) > 1 else table.drop(columns="scale")

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        number = self.by_method()[["unranked", "undefined", "failed"]].sum().astype(int)
        unranked = self._times("methods left systems unranked", number["unranked"])
        undefined = self._times("tau is not defined", number["undefined"])
        failed = self._times("methods could not rank the table", number["failed"])
        unproved = int((self._frame["proved"] == False).sum())  # noqa: E712
        late = self._times("exact rankings are not proved optimal", unproved)
        placed = (f"{line}; tau takes those for randomly placed" for line in unranked)
        gaps = gap_notes(self.study._sources)
        return (*gaps, *placed, *undefined, *failed, *late)

    def _facts(self) -> Iterable[str]:
        study, tables = self.study, counted(self.n_cells, "table")
        yield f"{counted(len(study.methods), 'method')} on {tables}, seed {study.rng}"
        how = "; ".join(removal.name for removal in study.removals)
        yield (
            f"a proportion of entries removed, all scores of a system on a task at once: {how}"
            if study.whole_tasks
            else f"a proportion of single scores removed: {how}"
        )
        yield "mean tau-b with the ranking of the full data by the same method"
        each = self._frame.drop_duplicates([*self._grid, "repetition"])
        for noun in ("system", "task"):
            if lost := int((each[f"lost_{noun}s"] > 0).sum()):
                yield f"at least one {noun} lost all its scores in {lost} of {tables}"
        yield from self.notes

    def _below(self, rows: int | None = ROWS) -> Iterable[str]:
        """Say for every model which method stays nearest to its own ranking of the full data."""
        frame = self._frame[self._frame["proportion"] > 0]
        lines, several = [], len(self.study.scales) > 1
        for case, part in frame.groupby(self._cases, sort=False):
            means = part.groupby("method", sort=False)["tau"].mean().dropna()
            if len(means) < 2:
                continue
            told = (one for one in case if several or not isinstance(one, float))
            where = ", ".join(f"scale {x:g}" if isinstance(x, float) else str(x) for x in told)
            lines.append(
                f"{where}: over all proportions removed, {means.idxmax()} stays nearest to its "
                f"ranking of the full data (mean tau {means.max():.2f}), {means.idxmin()} farthest "
                f"({means.min():.2f})"
            )
        return lines[:rows]


@dataclass(frozen=True)
class _RemovalCell(GapCell):
    """One table of the grid."""

    # Where its scores come from.
    model: DataSource
    # What the scores of one of its tasks are multiplied by.
    scale: float = checked(check_number, low=0, open_low=True)
    proportion: float = checked(check_number, low=0, high=1, open_high=True)
    removal: ScoreRemoval = checked(check_kind, **MECHANISM)
    # Its number among its like.
    repetition: int = 0


#: What a method made of a table: None where it could not rank it, whether the ranking of an exact
#: method is proved optimal, and what the method said that could not.
Attempt: TypeAlias = tuple[PartialRanking | None, bool | None, str | None]


@dataclass(frozen=True, kw_only=True)
class MissingScoresStudy(Study[_RemovalCell, MissingScoresResult]):
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
    _found = MissingScoresResult

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
            parameter = f"policies {owner}"
            given = listed_values(self.policies, parameter)
            self._set(
                "policies", several([check_unranked(one, parameter) for one in given], parameter)
            )
        whole = check_flag(self.whole_tasks, f"whole_tasks {owner}")
        for table, removal in product(tables_of(self._sources), self.removals):
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

    def _prepared(self, deadline: object) -> Mapping[str, Sequence[Attempt]]:
        """Return what the methods make of full tables that are the same in every cell."""
        return {
            model.identity: self._ranked(
                model.sample(), _RemovalCell(model, 1.0, 0.0, RANDOM_REMOVAL, -1), "full data"
            )
            for model in self._sources
            if model.is_fixed
        }

    def _try(self, cell: _RemovalCell, prepared: Mapping[str, Sequence[Attempt]]) -> list[Row]:
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

    def _ranked(self, data: Any, cell: _RemovalCell, purpose: str) -> list[Attempt]:
        """Return what every method makes of a table."""
        evidence, found = Evidence(data), list[Attempt]()
        for (rule, policy), label in zip(self._ways, self.methods, strict=True):
            given = evidence if policy is None else evidence.with_unranked(policy)
            rng = cell.generator(self._seed, purpose + label)
            one = consensus_of(rule, given, rng)
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
