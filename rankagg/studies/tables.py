"""Studies of one table: subsets of its tasks, and agreement of rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import isnan, nan
from typing import ClassVar, Literal

import numpy as np
import pandas as pd

from rankagg._typing import Label, Positions, RNGLike, Tolerance
from rankagg._validation import check_integer
from rankagg.aggregation import Aggregator, Borda, Consensus, Evidence, Mean
from rankagg.aggregation.two_level import TwoLevel
from rankagg.analysis.comparison.agreement import agreement_of, averaged_tasks, overlap_curves
from rankagg.analysis.comparison.compare import DEPTHS
from rankagg.analysis.robustness.perturbation import Parts
from rankagg.core import (
    UNLISTED,
    UNRANKED,
    PartialRanking,
    ScoreTable,
    as_tolerance,
    counted,
    listed,
)
from rankagg.cultures import checked
from rankagg.distances import kendall_tau
from rankagg.exceptions import Described, InvalidInputError, RankaggError
from rankagg.studies.measures import Cell, Curve, Measures
from rankagg.studies.study import ROUNDING, Row, Study, StudyResult

# A rule's ranking of all tasks, and False if an exact rule did not prove it in time.
_FullRanking = tuple[PartialRanking, bool]
_Scope = Literal["tasks", "instances", "within"]


def _check_table(data: object, owner: str) -> None:
    if not isinstance(data, ScoreTable):
        allowed = "a ScoreTable"
        raise InvalidInputError(f"data of {owner}", allowed, data, "`read_scores` reads one.")


# -- subsets of tasks -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _SubsetCell(Cell):
    """One random subset of tasks."""

    # The number of tasks.
    size: int = checked(check_integer, low=1)
    repetition: int = 0

    def tasks(self, n_tasks: int, seed: int) -> Positions:
        """Return the positions of the drawn tasks among all."""
        return np.sort(self.generator(seed, "tasks").choice(n_tasks, self.size, replace=False))


@dataclass(frozen=True, kw_only=True)
class TaskSubsetStudy(Study[_SubsetCell]):
    """Study of the correlation of consensuses on subsets of tasks with that on all tasks.

    For every size, `n_repetitions` subsets are drawn independently with equal probability; every
    rule aggregates the same subsets. A rule with a higher and less variable correlation depends
    less on the choice of tasks. `stability` examines one rule, the effect of single tasks, and
    different subsets, all of them if they are few.

    Parameters
    ----------
    data : ScoreTable
        The scores. Instances stay with their task.
    rules : sequence of Aggregator, default (Mean(), Borda())
        The rules.
    sizes : sequence of int, optional
        Sizes of the subsets; by default every number from 1 to all but one.
    n_repetitions : int, default 100
        Subsets of each size.
    rng : int, numpy.random.Generator or None, optional
        A seed; by default, and from a generator, one is drawn and kept.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by at most this much are tied; see `ScoreTable.rankings`.

    Notes
    -----
    Rows: tau: tau-b of the consensus on the subset with that on all tasks, missing if one ties all
    systems; distance between them in pairs, half for a tie in one; top1: the probability of the
    same first system; n_ranked: number of systems that both rank, over which all of these are
    computed; proved: False if an exact rule did not prove both in time, which leaves the numbers
    missing; error: the message of a rule that could not rank the subset.

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
    _fields: ClassVar = {
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
            got = Described(counted(total, "task"))
            raise InvalidInputError(f"data {owner}", "a table with at least two tasks", got)
        if self.sizes is None:
            self._set("sizes", range(1, total))
        super().__post_init__()
        for size in self.sizes or ():
            check_integer(size, f"sizes {owner}", low=1, high=total)
        self._set("tolerance", as_tolerance(self.tolerance, self.data.tasks))

    def _prepared(self, deadline: object) -> tuple[Parts, list[_FullRanking]]:
        """Return the tasks, and every rule's ranking of all tasks."""
        parts = Parts(data=self.data, tolerance=self.tolerance, unit="task")
        total = self.data.n_tasks
        evidence, everything, rankings = parts.part(np.arange(total)), _SubsetCell(total, 0), []
        for rule, text in zip(self.rules, self._texts, strict=True):
            consensus = self._aggregate(rule, evidence, everything.generator(self._seed, text))
            rankings.append((consensus.ranking, consensus.is_proved is not False))
        return parts, rankings

    def _try(self, cell: _SubsetCell, prepared: tuple[Parts, list[_FullRanking]]) -> list[Row]:
        """Draw a subset and aggregate it with every rule."""
        parts, rankings = prepared
        results = self._attempts(parts.part(cell.tasks(len(parts.units), self._seed)), cell)
        return [self._row(*one) for one in zip(self.rules, results, rankings, strict=True)]

    def _row(
        self, rule: Aggregator, result: Consensus | RankaggError, all_tasks: _FullRanking
    ) -> Row:
        full, full_is_proved = all_tasks
        unknown: Row = {"method": rule.name, "tau": None, "distance": None, "top1": None}
        if isinstance(result, RankaggError):
            return {**unknown, "n_ranked": 0, "proved": True, "error": str(result)}
        proved = full_is_proved and result.is_proved is not False
        common = (result.ranking.ranks != UNRANKED) & (full.ranks != UNRANKED)
        row = {**unknown, "n_ranked": int(common.sum()), "proved": proved, "error": None}
        if proved:
            values = agreement_of(full, result.ranking)
            row |= {name: None if isnan(value) else value for name, value in values.items()}
        return row

    def _headline(self, result: StudyResult) -> str:
        """Return on how many sizes each rule has the highest correlation."""
        names = [rule.name for rule in self.rules]
        means = result.by_method()["mean_tau"].unstack("method")[names]
        best = means.max(axis=1)
        known = best.notna()
        if len(names) == 1 or not known.any():
            return f"mean tau of {listed(names)} with its ranking of all tasks"
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
    """Study of the agreement of rules on the first, the last and all systems of one table.

    On a table of tasks the rules aggregate the tasks. On a table of instances they are compared
    three times: on the averages of each task ("tasks"), on all instances together ("instances"),
    and on the instances of each single task ("within"). Only rules may use random numbers.

    Parameters
    ----------
    data : ScoreTable
        The scores, of tasks or of their instances.
    rules : sequence of Aggregator, optional
        At least two rules; by default `Mean()` and `Borda()`, and `TwoLevel(Borda(), Borda())` if
        there are instances. A `TwoLevel` takes part only on all instances, as elsewhere there is
        one level.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by at most this much are tied; see `ScoreTable.rankings`.
    rng : int, numpy.random.Generator or None, optional
        A seed for rules that draw; by default, and from a generator, one is drawn and kept.

    Notes
    -----
    Rows, for every k: top and last, the expected share that the first and the last k have in
    common, ties at rank k broken at random; top_tau: tau-b over the systems that both have among
    their first k, including all that tie at rank k, missing for fewer than two systems or if one
    rule ties them all; n_ranked: number of systems that both rank; tau: tau-b over these; proved:
    whether both consensuses of exact rules are proved. Statistics are means and standard deviations
    over tasks; at_random is the share of the first k that random rankings have in common.

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
    _dimensions: ClassVar = {}
    _fields: ClassVar = {
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
            got = Described(repr(list(self._compared)))
            allowed = "two or more rules with one level"
            raise InvalidInputError("rules of AgreementStudy", allowed, got)
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
            table = self.data if cell.scope == "instances" else averaged_tasks(self.data)
            evidence = Evidence(table, self.tolerance)
        rules = self._compared if cell.scope == "instances" else self._one_level
        results = {
            rule.name: self._aggregate(rule, evidence, cell.generator(self._seed, repr(rule)))
            for rule in rules
        }
        rows = list[Row]()
        for first, second in combinations(results, 2):
            one, two = results[first].ranking, results[second].ranking
            curves, tau = _curves(one, two), kendall_tau(one, two)
            pair = {
                "first": first,
                "second": second,
                "n_ranked": len(curves),
                "tau": None if isnan(tau) else tau,
                "proved": not any(results[name].is_proved is False for name in (first, second)),
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
        """Return the agreement of the first two rules."""
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
