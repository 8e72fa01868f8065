"""How far rules agree on one table: pair by pair, and rank by rank."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import nan
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from rankagg._typing import Label
from rankagg.aggregation.two_level import TwoLevel
from rankagg.analysis.comparison.agreement import overlap_curves
from rankagg.analysis.comparison.compare import Comparison
from rankagg.core.items import counted, listed
from rankagg.core.rankings.partial import PartialRanking
from rankagg.core.rankings.places import UNLISTED, UNRANKED
from rankagg.core.results import Result, plain_rows
from rankagg.distances import kendall_tau

if TYPE_CHECKING:
    from rankagg.studies.agreement.agreement import AgreementStudy

__all__ = ["AgreementResult", "Compared", "Scope"]

Scope: TypeAlias = Literal["tasks", "instances", "within"]
PAIR = ["scope", "first", "second"]
MEASURES = ["top", "last", "top_tau"]
SAID = {"tasks": "on tasks", "instances": "on all instances", "within": "within a task, on average"}


@dataclass(frozen=True)
class Compared:
    """The rules on one part of the data."""

    # Tasks, or their averages; all instances; the instances of one task.
    scope: Scope
    task: Label | None
    comparison: Comparison


class AgreementResult(Result):
    """How far rules agree on the first, on the last and on all systems.

    Made by `AgreementStudy.run`; `plot` draws a `rankagg.plotting.agreement_plot`.

    Attributes
    ----------
    study : AgreementStudy
        What was asked.
    comparisons : tuple of Compared
        The consensuses of all rules, part by part.
    """

    study: AgreementStudy
    comparisons: tuple[Compared, ...]

    _schema = "rankagg.agreement_result"
    _plot = "agreement_plot"
    _row = "pair"
    _named_rows = False

    def _key(self) -> tuple[Hashable, ...]:
        return self.study, self.comparisons

    @cached_property
    def _pairs(self) -> tuple[_Pair, ...]:
        return tuple(
            _pair(part, first, second)
            for part in self.comparisons
            for first, second in combinations(part.comparison.methods, 2)
        )

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """Where the rules are compared."""
        return tuple(dict.fromkeys(part.scope for part in self.comparisons))

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
        depths = [int(depth) for depth in self.study.depths if depth <= most]
        rows = []
        for pair in self._pairs:
            ends = pair.curves.reindex(depths)
            rows.append(
                {
                    **pair.place, "n_ranked": len(pair.curves), "tau": pair.tau,
                    **{f"top{k}": top for k, top in zip(depths, ends["top"], strict=True)},
                    **{f"last{k}": last for k, last in zip(depths, ends["last"], strict=True)},
                }
            )  # fmt: skip
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
        parts = [pair.curves.reset_index().assign(**pair.place) for pair in self._pairs]
        frame = pd.concat([part.astype({"task": object}) for part in parts], ignore_index=True)
        return frame[["scope", "task", "first", "second", "k", *MEASURES]]

    def by_scope(self) -> pd.DataFrame:
        """Return what `to_frame` says on average over tasks.

        Returns
        -------
        pandas.DataFrame
            Index: scope, first, second. tables: 1, or the number of tasks; defined: those with a
            tau; tau and std_tau (with n - 1); the means of top1, top3, ... and last1, last3, ...
        """
        frame = self.to_frame()
        groups = frame.groupby(PAIR, sort=False)
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
            and std_top_tau, missing where there is but one table.
        """
        groups = self.curves().groupby([*PAIR, "k"], sort=False)
        table: dict[str, Any] = {"tables": groups.size()}
        for name in MEASURES:
            table |= {name: groups[name].mean(), f"std_{name}": groups[name].std()}
        return pd.DataFrame(table)

    def headline(self) -> str:
        """Return in one sentence how far the first two rules agree."""
        table = self.by_scope().reset_index()
        first = table.drop_duplicates("scope")
        parts = [f"{row['tau']:.3f} {SAID[row['scope']]}" for row in first.to_dict("records")]
        lead = first.iloc[0]
        return f"tau of {lead['first']} and {lead['second']}: {', '.join(parts)}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        notes = []
        frame = self.to_frame()
        partly = int((frame["n_ranked"] < self.study.data.n_systems).sum())
        if partly:
            rows = counted(len(frame), "comparison")
            notes.append(f"{partly} of {rows} are over the systems that both rules rank")
        every = [c for part in self.comparisons for c in part.comparison.consensuses]
        unproved = sum(c.is_proved is False for c in every)
        if unproved:
            notes.append(
                f"{unproved} of {counted(len(every), 'consensus')} "
                f"{'is' if unproved == 1 else 'are'} not proved optimal"
            )
        left_out = [rule.name for rule in self.study.rules if isinstance(rule, TwoLevel)]
        if left_out and self.scopes != ("instances",):
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
        table = self.by_scope().reset_index()
        return table.drop(
            columns=["defined", "std_tau"] if len(table) == table["tables"].sum() else []
        )

    def _facts(self) -> list[str]:
        return [
            f"{counted(len(self.study.rules), 'rule')} on "
            f"{counted(self.study.data.n_systems, 'system')} and "
            f"{counted(self.study.data.n_tasks, 'task')}",
            self.headline(),
            *(f"note: {note}" for note in self.notes),
        ]


@dataclass(frozen=True, eq=False)
class _Pair:
    """Two rules on one part of the data: where that is, tau, and the curves by k."""

    place: dict[str, Any]
    tau: float
    curves: pd.DataFrame


def _pair(part: Compared, first: str, second: str) -> _Pair:
    one, two = part.comparison[first].ranking, part.comparison[second].ranking
    both = (one.ranks != UNRANKED) & (two.ranks != UNRANKED)
    left = one.items.where(both)
    one, two = one.restrict(left), two.restrict(left)
    curves = pd.DataFrame(
        {
            "top": overlap_curves({"top": one}, two)["top"],
            "last": overlap_curves({"last": one}, two, from_top=False)["last"],
        }
    )
    curves["top_tau"] = [_tau_of_first(one, two, int(k)) for k in curves.index]
    return _Pair(
        {"scope": part.scope, "task": part.task, "first": first, "second": second},
        float(part.comparison.agreement()[second][first]),
        curves.astype(np.float64),
    )


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
