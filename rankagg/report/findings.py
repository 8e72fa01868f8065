"""Everything that a page tells, computed once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeVar

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Label, Positions, RNGLike, Tolerance
from rankagg.aggregation import (
    Aggregator,
    Consensus,
    Data,
    Deadline,
    Evidence,
    PairData,
    check_rule,
    time_limit_of,
)
from rankagg.aggregation.kemeny import Kemeny
from rankagg.analysis.comparison.agreement import Alternatives
from rankagg.analysis.comparison.compare import RuleComparison, compare_until
from rankagg.analysis.missing import MissingReport, missing_report
from rankagg.analysis.removal.removal_radius import RemovalRadius, radius_until
from rankagg.analysis.removal.removal_units import RemovalClasses
from rankagg.analysis.robustness.perturbation import Source
from rankagg.analysis.robustness.stability import Stability, leave_each_out
from rankagg.analysis.tournament import TournamentGraph
from rankagg.core import Profile, ScoreTable, level_of
from rankagg.exceptions import InvalidInputError, OutOfTimeError
from rankagg.inference import RankIntervals
from rankagg.inference.units import Unit
from rankagg.report.kinds.base import Kind

Computed = TypeVar("Computed")

# No intervals are drawn where an item may have more than this share of all ranks on average.
MOST_OPEN = 0.9
# Leaving out more tasks than this one by one takes long, and changes little.
TASKS = 60
# The fewest removals are looked for in so many seconds at most.
SECONDS_FOR_REMOVALS = 3.0


@dataclass(frozen=True)
class Findings:
    """What is known about a data set."""

    # The data, and what pages say of such data.
    kind: Kind
    # Of all rules, an exact one among them.
    comparison: RuleComparison
    exact: Consensus
    # By the rule whose order the page has throughout.
    lead: Consensus
    # What is known of all optima; None where none is proved, or nobody looked.
    alternatives: Alternatives | None
    graph: TournamentGraph
    # Intervals for ranks; None for votes without rankings, and where nothing is inferred.
    ranks: RankIntervals | None
    # What is missing; None for votes without rankings.
    missing: MissingReport | None
    # The exact consensus without single tasks; None where there are too few or too many, or there
    # was no time.
    stability: Stability | None
    # How few tasks or rankings have to go before another is first; None where that is not proved,
    # or there are too few or too many, or there was no time.
    removal: RemovalRadius | None
    # What the intervals took to be independent, and the error of all of them.
    unit: Unit
    alpha: float
    # The names of those above for which there was no time, and which are None therefore.
    late: frozenset[str]
    # Whether the user did not want to wait for all of it.
    interrupted: bool

    @classmethod
    def of(
        cls,
        kind: Kind,
        rules: Iterable[Aggregator] | None,
        *,
        tolerance: Tolerance,
        unit: Unit | None,
        alpha: float,
        time_limit: float | None,
        optima: bool,
        rng: RNGLike,
    ) -> Findings:
        """Compute all of it, as far as there is time."""
        deadline, data = Deadline.after(time_limit_of(time_limit)), kind.data
        rules = _rules(kind, rules)
        # Half for the proof, half of the rest for the other optima, the rest for leaving out.
        comparison = compare_until(deadline.share(2), Evidence(data, tolerance), rules, rng=rng)
        exact = comparison[rules[-1].name]
        lead = exact if kind.leader() is None else comparison[rules[0].name]
        # What is most plausibly independent, where nobody says it.
        is_fine = isinstance(data, ScoreTable) and data.is_instance_level
        chosen = unit or ("instance" if is_fine else "ranking")
        patience = _Patience(exact.interrupted)
        source = _source(data, rules[-1], tolerance) if kind.is_sample else None
        units = _units_to_remove(data, exact, tolerance) if lead is exact else None
        ranks, missing, alternatives, removal, stability = None, None, None, None, None
        if kind.infers:
            ranks = patience.quick(
                "ranks", lambda: kind.ranks(unit=chosen, alpha=alpha, tolerance=tolerance)
            )
        if kind.lacks and not isinstance(data, PairData):
            found = missing_report(data)
            missing = replace(found, unit=kind.in_words(found.unit))
        if optima and exact.is_proved and (known := exact.optima) is not None:
            alternatives = patience.slow(
                "alternatives", lambda: Alternatives.of(known, deadline.share(2), radius=True)
            )
        if units is not None:
            soon = deadline.share(4).sooner(SECONDS_FOR_REMOVALS)
            removal = patience.slow("removal", lambda: radius_until(soon, units, whole=exact))
        if source is not None:
            stability = patience.slow(
                "stability",
                lambda: leave_each_out(source, optima=optima, deadline=deadline, whole=exact),
            )
        if removal is not None:
            removal = replace(removal, noun=kind.in_words(removal.noun))
        return cls(
            kind=kind,
            comparison=comparison,
            exact=exact,
            lead=lead,
            graph=TournamentGraph(comparison.votes),
            unit=chosen,
            alpha=alpha,
            ranks=None if ranks is None else _in_words(ranks, kind),
            missing=missing,
            alternatives=alternatives,
            removal=removal,
            stability=stability,
            late=frozenset(patience.late),
            interrupted=patience.is_over,
        )

    @property
    def data(self) -> Data:
        """The data."""
        return self.kind.data

    @property
    def is_exact(self) -> bool:
        """Whether the page has the order of the exact consensus."""
        return self.lead is self.exact

    @property
    def noun(self) -> str:
        """What is ranked, in the singular."""
        return self.kind.words.item

    @cached_property
    def order(self) -> Positions:
        """The items of the page by their positions, the best first."""
        return np.argsort(self.lead.ranking.ranks, kind="stable")

    def rows(self) -> pd.DataFrame:
        """Return a row for each item in the order of the page: its place and its name."""
        names = [str(self.exact.items[i]) for i in self.order.tolist()]
        return pd.DataFrame({"Place": np.arange(1, len(names) + 1), self.noun.capitalize(): names})

    @property
    def has_shared_votes(self) -> bool:
        """Whether a unit that lacks an item has a share of a vote for it."""
        votes = self.comparison.votes
        return votes.unranked == "uniform" and not votes.is_decided

    @cached_property
    def shares(self) -> Floats:
        """The share of votes with row above column, NaN where nobody compared the two."""
        votes = self.comparison.votes
        return np.where(votes.comparisons > 0, votes.proportion, np.nan)

    @cached_property
    def won(self) -> Floats:
        """Each item's share of the votes against others, every opponent alike."""
        known = ~np.isnan(self.shares)
        np.fill_diagonal(known, False)
        with np.errstate(invalid="ignore"):
            won: Floats = np.where(known, self.shares, 0.0).sum(axis=1) / known.sum(axis=1)
        return won

    @property
    def level(self) -> str:
        """The level of the intervals, as text; empty where there are none."""
        return "" if self.ranks is None else level_of(self.ranks.decisions.alpha)

    @property
    def has_decisions(self) -> bool:
        """Whether the order of any two items is decided."""
        return self.ranks is not None and bool(self.ranks.decisions.above.any())

    @property
    def has_bars(self) -> bool:
        """Whether intervals for ranks exclude enough to be worth a picture."""
        return self.has_decisions and self.openness <= MOST_OPEN

    @property
    def openness(self) -> float:
        """Which share of the ranks of others an item may have, on average; 1 where unknown."""
        if self.ranks is None:
            return 1.0
        others = max(len(self.ranks.items) - 1, 1)
        return float((self.ranks.worst - self.ranks.best).mean() / others)

    @property
    def is_proved(self) -> bool:
        """Whether the exact consensus is proved optimal."""
        return bool(self.exact.is_proved)

    @property
    def kemeny(self) -> str:
        """The Kemeny consensus, or what there is of it."""
        return "the exact consensus" if self.is_proved else "the best order that was found"

    @property
    def winners(self) -> tuple[Label, ...]:
        """The first item of the exact consensus, or of all optima where they are known."""
        known = None if self.alternatives is None else self.alternatives.winners
        return known or self.exact.buckets[0]

    @property
    def is_complete(self) -> bool:
        """Whether there was time for all of it."""
        if self.alternatives is not None and not self.alternatives.is_complete:
            return False
        return not self.late and (self.stability is None or not self.stability.undecided)


def _rules(kind: Kind, rules: Iterable[Aggregator] | None) -> list[Aggregator]:
    """Return the rule whose order the page has, others, and the exact one; each once."""
    given = kind.rules() if rules is None else list(rules)
    for rule in given:
        check_rule(rule, "rules")
        if isinstance(rule, Kemeny) and rule.consensus_ties:
            allowed = "rules beside the strict Kemeny rule of the page"
            raise InvalidInputError("rules", allowed, rule, "`compare` takes it.")
    leader = kind.leader()
    first = [] if leader is None else [leader]
    others = [rule for rule in given if not isinstance(rule, Kemeny) and rule not in first]
    return [*first, *others, Kemeny()]


def _in_words(ranks: RankIntervals, kind: Kind) -> RankIntervals:
    """Return intervals that call their units what the kind of data calls them."""
    decisions = ranks.decisions
    basis = decisions.basis
    if basis is not None:
        basis = replace(basis, word=kind.in_words(basis.word))
    told = replace(decisions, how=kind.in_words(decisions.how), basis=basis)
    # A warning is told of, in these words.
    notes = tuple(note for note in ranks.notes if note != decisions.warning)
    return replace(ranks, decisions=told, notes=notes)


def _source(data: Data, rule: Aggregator, tolerance: Tolerance) -> Source | None:
    """Return what tasks can be left out of, where they are neither too few nor too many."""
    if isinstance(data, PairData):
        return None
    source = Source(data=data, tolerance=tolerance, unit="task", rule=rule)
    return source if 2 <= len(source.units) <= TASKS else None


def _units_to_remove(data: Data, exact: Consensus, tolerance: Tolerance) -> RemovalClasses | None:
    """Return what tasks or rankings may go before another than the proved consensus is first."""
    if not isinstance(data, ScoreTable | Profile) or not exact.is_proved:
        return None
    has_tasks = isinstance(data, ScoreTable) or data.groups is not None
    unit: Literal["ranking", "task"] = "task" if has_tasks else "ranking"
    units = RemovalClasses(data=data, rule=exact.rule, tolerance=tolerance, unit=unit)
    n_rows = data.n_units if isinstance(data, ScoreTable) else len(data)
    return units if n_rows * len(exact.items) ** 2 <= 20_000_000 and units.total > 1 else None


class _Patience:
    """Does one thing after the other until the user interrupts, and then what is quick only."""

    def __init__(self, is_over: bool) -> None:
        self.is_over = is_over
        self.late: list[str] = []

    def slow(self, name: str, compute: Callable[[], Computed]) -> Computed | None:
        """Return the result; None where the user does not want to wait, or not any longer."""
        if self.is_over:
            self.late.append(name)
            return None
        return self.quick(name, compute)

    def quick(self, name: str, compute: Callable[[], Computed]) -> Computed | None:
        """Return the result although the user waits no more; a second interruption ends it."""
        try:
            return compute()
        except OutOfTimeError:
            self.late.append(name)
            return None
        except KeyboardInterrupt:
            if self.is_over:
                raise
            self.is_over = True
            self.late.append(name)
            return None
