"""Agreement: how far rules agree over all tasks, over all instances, and within each task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import isnan, nan
from types import MappingProxyType
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import pandas as pd

from rankagg._typing import Label, RNGLike, Tolerance
from rankagg._validation import check_integer
from rankagg.aggregation import Aggregator, Borda, Evidence, Mean
from rankagg.aggregation.two_level import TwoLevel
from rankagg.analysis.comparison.agreement import averaged_tasks, overlap_curves
from rankagg.analysis.comparison.compare import DEPTHS
from rankagg.analysis.robustness.leave_out import Parts
from rankagg.core import (
    UNLISTED,
    UNRANKED,
    PartialRanking,
    ScoreTable,
    as_tolerance,
    counted,
    listed,
    plain_rows,
)
from rankagg.distances import kendall_tau
from rankagg.exceptions import Described, InvalidInputError
from rankagg.studies.study import (
    Cell,
    Curve,
    Fields,
    Row,
    Study,
    StudyResult,
    check_table,
    finished,
    several_of,
)

Scope: TypeAlias = Literal["tasks", "instances", "within"]
CURVES_OF_PAIRS = ["top", "last", "top_tau"]
PAIR = ["first", "second"]
SHARED = "expected share of the {} k\nthat both rules have"


class AgreementResult(StudyResult):
    """How far rules agree on the first, on the last and on all systems.

    Made by `AgreementStudy.run`; `plot` draws a `rankagg.plotting.study_plot`.

    Attributes
    ----------
    study : AgreementStudy
        The study.
    """

    study: AgreementStudy

    _schema = "rankagg.agreement_result"
    _row = "pair"
    _summed = "by_scope"
    _curves = MappingProxyType(
        {
            name: Curve(
                SHARED.format(of),
                deviation=f"std_{name}",
                band="one standard deviation either way",
                dotted="at_random",
                dotted_is="at random",
            )
            for name, of in (("top", "first"), ("last", "last"))
        }
        | {
            "top_tau": Curve(
                "tau-b over the systems that both\nrules have among their first k",
                deviation="std_top_tau",
                band="one standard deviation either way",
                least=-1.0,
            )
        }
    )
    _usual_x = ("k",)
    _counts = ("tables", "table")

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair of rules, on all tasks, on all instances and within each task.

        Returns
        -------
        pandas.DataFrame
            scope: "tasks" (of instances, their averages), "instances" (all at once) or "within"
            (those of one task); task: that task; first and second: the rules; n_ranked: how many
            systems both rank; tau: tau-b; top1, top3, ... and last1, last3, ...: the expected
            share that the first and the last k have in common, ties at rank k broken at random,
            missing where fewer are ranked.
        """
        most = self.study.data.n_systems
        depths = [depth for depth in self.study.depths if depth <= most]
        rows = []
        for _, part in self._frame.groupby([*self._grid, *PAIR], sort=False, dropna=False):
            curves = part.set_index("k")
            row = curves.iloc[0][[*self._grid, *PAIR, "n_ranked", "tau"]].to_dict()
            ends = curves.reindex(depths)
            for end in ("top", "last"):
                row |= {f"{end}{k}": share for k, share in zip(depths, ends[end], strict=True)}
            rows.append(row)
        return pd.DataFrame(rows).astype({"task": object})

    def curves(self) -> pd.DataFrame:
        """Return the agreement of every pair of rules for every k.

        Returns
        -------
        pandas.DataFrame
            scope, task, first, second: as in `to_frame`; k; top and last: the expected share that
            the first and the last k have in common; top_tau: tau-b over the systems that both
            have among their first k, all of them where several tie at rank k, missing where that
            is fewer than two or one rule ties them all.
        """
        columns = [*self._grid, *PAIR, "k", *CURVES_OF_PAIRS]
        return self._frame[columns].astype({"task": object})

    def by_scope(self) -> pd.DataFrame:
        """Return what `to_frame` says on average over tasks.

        Returns
        -------
        pandas.DataFrame
            Index: scope, first, second. tables: 1, or the number of tasks; defined: those with a
            tau; tau and std_tau (with n - 1); the means of top1, top3, ... and last1, last3, ...
        """
        frame = self.to_frame()
        groups = frame.groupby(["scope", *PAIR], sort=False)
        ends = [name for name in map(str, frame) if name.startswith(("top", "last"))]
        table = {
            "tables": groups.size(),
            "defined": groups["tau"].count(),
            "tau": groups["tau"].mean(),
            "std_tau": groups["tau"].std(),
            **{name: groups[name].mean() for name in ends},
        }
        return pd.DataFrame(table)

    def by_k(self) -> pd.DataFrame:
        """Return what `curves` says on average over tasks.

        Returns
        -------
        pandas.DataFrame
            Index: scope, first, second, k. tables: how many rank as many as k systems; the means
            of top, last and top_tau, and their standard deviations (with n - 1) std_top, std_last
            and std_top_tau, missing where there is but one table;
            at_random: the share of the first k that random rankings have in common.
        """
        groups = self._frame.groupby(["scope", *PAIR, "k"], sort=False)
        table: dict[str, Any] = {"tables": groups.size()}
        for name in CURVES_OF_PAIRS:
            table |= {name: groups[name].mean(), f"std_{name}": groups[name].std()}
        found = pd.DataFrame(table)
        total = self.study.data.n_systems
        return found.assign(at_random=found.index.get_level_values("k") / total)

    @property
    def _points(self) -> list[str]:
        return ["scope", "k"]

    def _drawn(self) -> pd.DataFrame:
        table = self.by_k().reset_index()
        return table.assign(method=table["first"] + " / " + table["second"])

    def headline(self) -> str:
        """Return in one sentence how far the first two rules agree."""
        table = self.by_scope().reset_index()
        first = table.drop_duplicates("scope")
        where = {"tasks": "on tasks", "instances": "on all instances"}
        where["within"] = "within a task, on average"
        parts = [f"{row['tau']:.3f} {where[row['scope']]}" for row in first.to_dict("records")]
        lead = first.iloc[0]
        return f"tau of {lead['first']} and {lead['second']}: {', '.join(parts)}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        notes = []
        pairs = self._frame.drop_duplicates([*self._grid, *PAIR])
        rows = counted(len(pairs), "comparison")
        if partly := int((pairs["n_ranked"] < self.study.data.n_systems).sum()):
            notes.append(f"{partly} of {rows} are over the systems that both rules rank")
        if unproved := int((~pairs["proved"]).sum()):
            notes.append(f"{unproved} of {rows} are with a consensus that is not proved optimal")
        left_out = [rule.name for rule in self.study.ways if isinstance(rule, TwoLevel)]
        if left_out and set(pairs["scope"]) != {"instances"}:
            notes.append(f"{listed(left_out)}: on all instances only")
        return tuple(notes)

    def _content(self) -> dict[str, Any]:
        return {
            "headline": self.headline(),
            "notes": list(self.notes),
            "agreement": plain_rows(self.to_frame()),
            "curves": plain_rows(self.by_k().reset_index()),
        }

    def _table(self) -> pd.DataFrame:
        table = self._results()
        single = len(table) == table["tables"].sum()
        return table.drop(columns=["defined", "std_tau"] if single else [])

    def _facts(self) -> list[str]:
        data, rules = self.study.data, counted(len(self.study.ways), "rule")
        size = f"{counted(data.n_systems, 'system')} and {counted(data.n_tasks, 'task')}"
        return [f"{rules} on {size}", self.headline(), *(f"note: {note}" for note in self.notes)]


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


@dataclass(frozen=True)
class _PartCell(Cell):
    """One part of the data."""

    # Tasks, or their averages; all instances; the instances of one task.
    scope: Scope
    task: Label | None = None
    repetition: int = 0


@dataclass(frozen=True, kw_only=True)
class AgreementStudy(Study[_PartCell, AgreementResult]):
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
    depths : sequence of int, default (1, 3, 5, 10)
        For how many of the first and of the last systems the tables state the agreement.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied; see `ScoreTable.rankings`.
    rng : int, numpy.random.Generator or None, optional
        A seed for rules that draw; by default, and from a generator, one is drawn and kept.

    Raises
    ------
    InvalidInputError
        If a parameter is out of its range, or there are fewer than two rules to compare.

    References
    ----------
    Colombo et al. (2022), "What are the best systems? New perspectives on NLP benchmarking",
    https://doi.org/10.48550/arXiv.2202.03799, table 2, figures 4, 10 and 11. Their ties at rank k
    are broken by the order of the file; here agreement is what random breaking gives on average.

    Examples
    --------
    >>> import rankagg as ra
    >>> table = ra.datasets.load("xtreme_human")
    >>> result = ra.studies.AgreementStudy(data=table, depths=[1, 3]).run()
    >>> result.to_frame()[["first", "second", "tau", "top1", "top3", "last1", "last3"]].round(3)
      first second    tau  top1   top3  last1  last3
    0  Mean  Borda  0.867   1.0  0.667    1.0  0.667
    """

    _cell = _PartCell
    _found = AgreementResult
    _dimensions: ClassVar[dict[Any, str]] = {}
    _fields: ClassVar[Fields] = {
        **dict.fromkeys(("first", "second"), "str"),
        **dict.fromkeys(("k", "n_ranked"), "int64"),
        **dict.fromkeys((*CURVES_OF_PAIRS, "tau"), "float64"),
        "proved": "bool",
    }
    data: ScoreTable
    rules: Sequence[Aggregator] | None = None
    depths: Sequence[int] = DEPTHS
    tolerance: Tolerance = field(default=0.0, hash=False)
    n_repetitions: int = field(default=1, init=False)
    rng: RNGLike = None

    def __post_init__(self) -> None:
        owner = "of AgreementStudy"
        check_table(self.data, "AgreementStudy")
        if self.rules is None:
            two_levels = [TwoLevel(Borda(), Borda())] * self.data.is_instance_level
            self._set("rules", (Mean(), Borda(), *two_levels))
        super().__post_init__()
        if len(self._one_level) < 2 and not (self.data.is_instance_level and len(self.ways) > 1):
            allowed, found = "two or more rules with one level", Described(repr(list(self.ways)))
            raise InvalidInputError(f"rules {owner}", allowed, found)
        depths = several_of(check_integer, self.depths, f"depths {owner}", low=1)
        self._set("depths", depths)
        self._set("tolerance", as_tolerance(self.tolerance, self.data.tasks))

    @property
    def ways(self) -> tuple[Aggregator, ...]:
        """The rules, also where none were stated."""
        return tuple(self.rules or ())

    @property
    def _grid(self) -> list[str]:
        return ["scope", "task"]

    @property
    def _one_level(self) -> tuple[Aggregator, ...]:
        return tuple(rule for rule in self.ways if not isinstance(rule, TwoLevel))

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
            parts = Parts(data=self.data, tolerance=self.tolerance, over="tasks")
            evidence = parts.part(np.array([number]))
        else:
            whole = self.data if cell.scope == "instances" else averaged_tasks(self.data)
            evidence = Evidence(whole, self.tolerance)
        rules = self.ways if cell.scope == "instances" else self._one_level
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
