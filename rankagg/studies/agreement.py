"""Agreement: how far rules agree over all tasks, over all instances, and within each task."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from math import nan
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from rankagg._typing import Label, RNGLike, Tolerance
from rankagg._validation import as_generator, check_integer
from rankagg.aggregation import Aggregator, Borda, Evidence, Mean
from rankagg.aggregation.two_level import TwoLevel
from rankagg.analysis.comparison.agreement import averaged_tasks, overlap_curves
from rankagg.analysis.comparison.compare import RuleComparison, compare
from rankagg.analysis.comparison.tables import DEPTHS
from rankagg.analysis.robustness.stability import Parts
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
from rankagg.studies.study import Paged, check_rules, check_table, finished, several, several_of

Scope: TypeAlias = Literal["tasks", "instances", "within"]
CURVES_OF_PAIRS = ["top", "last", "top_tau"]


@dataclass(frozen=True)
class Compared:
    """The rules on one part of the data."""

    # Tasks, or their averages; all instances; the instances of one task.
    scope: Scope
    task: Label | None
    comparison: RuleComparison


class AgreementResult(Paged):
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

    def _key(self) -> tuple[Hashable, ...]:
        return self.study, self.comparisons

    @cached_property
    def _pairs(self) -> list[tuple[dict[str, Any], float, pd.DataFrame]]:
        """Two rules on one part of the data each: where that is, tau, and the curves by k."""
        found = []
        for part in self.comparisons:
            taus = part.comparison.agreement()
            for first, second in combinations(part.comparison.rules, 2):
                place = {"scope": part.scope, "task": part.task, "first": first, "second": second}
                rankings = (part.comparison[name].ranking for name in (first, second))
                found.append((place, float(taus[second][first]), _curves(*rankings)))
        return found

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
        for place, tau, curves in self._pairs:
            ends = curves.reindex(depths)
            row = {**place, "n_ranked": len(curves), "tau": tau}
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
        parts = [curves.reset_index().assign(**place) for place, _, curves in self._pairs]
        frame = pd.concat([part.astype({"task": object}) for part in parts], ignore_index=True)
        return frame[["scope", "task", "first", "second", "k", *CURVES_OF_PAIRS]]

    def by_scope(self) -> pd.DataFrame:
        """Return what `to_frame` says on average over tasks.

        Returns
        -------
        pandas.DataFrame
            Index: scope, first, second. tables: 1, or the number of tasks; defined: those with a
            tau; tau and std_tau (with n - 1); the means of top1, top3, ... and last1, last3, ...
        """
        frame = self.to_frame()
        groups = frame.groupby(["scope", "first", "second"], sort=False)
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
        groups = self.curves().groupby(["scope", "first", "second", "k"], sort=False)
        table: dict[str, Any] = {"tables": groups.size()}
        for name in CURVES_OF_PAIRS:
            table |= {name: groups[name].mean(), f"std_{name}": groups[name].std()}
        return pd.DataFrame(table)

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
        frame = self.to_frame()
        partly = int((frame["n_ranked"] < self.study.data.n_systems).sum())
        if partly:
            rows = counted(len(frame), "comparison")
            notes.append(f"{partly} of {rows} are over the systems that both rules rank")
        every = [c for part in self.comparisons for c in part.comparison.consensuses]
        unproved = sum(c.is_proved is False for c in every)
        if unproved:
            share = f"{unproved} of {counted(len(every), 'consensus')}"
            notes.append(f"{share} {'is' if unproved == 1 else 'are'} not proved optimal")
        left_out = [rule.name for rule in self.study._known_rules if isinstance(rule, TwoLevel)]
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
        single = len(table) == table["tables"].sum()
        return table.drop(columns=["defined", "std_tau"] if single else [])

    def _facts(self) -> list[str]:
        data, rules = self.study.data, counted(len(self.study._known_rules), "rule")
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


@dataclass(frozen=True, kw_only=True)
class AgreementStudy:
    """How far rules agree on the first, on the last and on all systems of one table.

    On a table of tasks the rules aggregate the tasks. On a table of instances they are held
    against each other thrice: on the averages of each task ("tasks"), on all instances at once
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

    data: ScoreTable
    rules: Sequence[Aggregator] | None = None
    depths: Sequence[int] = DEPTHS
    tolerance: Tolerance = field(default=0.0, hash=False)

    def __post_init__(self) -> None:
        owner = "of AgreementStudy"
        check_table(self.data, "AgreementStudy")
        rules: object = self.rules
        if rules is None:
            two_levels = [TwoLevel(Borda(), Borda())] * self.data.is_instance_level
            rules = (Mean(), Borda(), *two_levels)
        given = check_rules(several(rules, f"rules {owner}"), f"rules {owner}")
        object.__setattr__(self, "rules", given)
        if len(self._one_level) < 2 and not (self.data.is_instance_level and len(given) > 1):
            allowed, found = "two or more rules with one level", Described(repr(list(given)))
            raise InvalidInputError(f"rules {owner}", allowed, found)
        depths = several_of(check_integer, self.depths, f"depths {owner}", low=1)
        object.__setattr__(self, "depths", depths)
        object.__setattr__(self, "tolerance", as_tolerance(self.tolerance, self.data.tasks))

    @property
    def _known_rules(self) -> tuple[Aggregator, ...]:
        """The rules, also where none were stated."""
        assert self.rules is not None, "set on creation"
        return tuple(self.rules)

    @property
    def _one_level(self) -> tuple[Aggregator, ...]:
        return tuple(rule for rule in self._known_rules if not isinstance(rule, TwoLevel))

    def run(self, *, rng: RNGLike = 0) -> AgreementResult:
        """Aggregate with every rule, and compare.

        Parameters
        ----------
        rng : int or numpy.random.Generator, default 0
            A seed or a generator for rules that draw random numbers.

        Returns
        -------
        AgreementResult
        """
        generator = as_generator(rng)
        found = []
        for scope, task, evidence, rules in self._parts():
            table, tolerance = evidence.data, evidence.tolerance
            compared = compare(table, rules, tolerance=tolerance, rng=generator)
            for consensus in compared.consensuses:
                finished(consensus)
            found.append(Compared(scope, task, compared))
        return AgreementResult(study=self, comparisons=tuple(found))

    def _parts(self) -> Iterator[tuple[Scope, Label | None, Evidence, tuple[Aggregator, ...]]]:
        """Iterate over what is compared: where, of which task, the scores, and the rules."""
        several_rules = len(self._one_level) > 1
        if several_rules:
            means = Evidence(averaged_tasks(self.data), self.tolerance)
            yield "tasks", None, means, self._one_level
        if not self.data.is_instance_level:
            return
        yield "instances", None, Evidence(self.data, self.tolerance), self._known_rules
        if several_rules:
            parts = Parts(data=self.data, tolerance=self.tolerance, over="tasks")
            for number, task in enumerate(self.data.tasks):
                yield "within", task, parts.part(np.array([number])), self._one_level
