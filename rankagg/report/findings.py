"""Kinds of pages, and the results that a page shows, each computed once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeVar, cast

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Label, Positions, Ranks, RNGLike, Tolerance
from rankagg.aggregation import (
    Aggregator,
    Consensus,
    Data,
    Evidence,
    PairData,
    check_rule,
    deadline_of,
)
from rankagg.aggregation.kemeny import Kemeny
from rankagg.aggregation.two_level import default_rules
from rankagg.analysis import MissingReport, TableChanges, missing_report
from rankagg.analysis.comparison.agreement import Alternatives
from rankagg.analysis.comparison.compare import RuleComparison, compare
from rankagg.analysis.comparison.sentences import decided_of, first_of, proof_of
from rankagg.analysis.removal.removal_radius import RemovalRadius, radius_until
from rankagg.analysis.removal.removal_units import RemovalClasses
from rankagg.analysis.robustness.perturbation import Parts
from rankagg.analysis.robustness.stability import Stability, leave_each_out
from rankagg.analysis.tournament import TournamentGraph
from rankagg.core import Profile, ScoreTable, Words, level_of, sentence
from rankagg.exceptions import InvalidInputError, OutOfTimeError
from rankagg.inference import RankIntervals
from rankagg.inference.ranks.rank_intervals import rank_intervals
from rankagg.inference.units import Unit, tied_rankings
from rankagg.report.cards import Cards
from rankagg.report.changes import changes_since
from rankagg.report.sections import (
    UNKNOWN,
    RowDrawing,
    Section,
    Strip,
    at_place,
    at_share,
    fact,
    marked_shares,
    number,
    ticks,
)

Computed = TypeVar("Computed")

# No intervals are drawn if they cover more than this share of the ranks on average.
MOST_OPEN = 0.9
# Most tasks to leave out one by one: more take long, and change little.
TASKS = 60
# Solves, times items, for each number of fewest removals: larger problems take longer. The number
# is the same on every machine, unless the seconds are over.
SOLVES_FOR_REMOVALS = 1000
LEAST_SOLVES = 10
SECONDS_FOR_REMOVALS = 60.0


class QuietColumn(NamedTuple):
    """A column of numbers at the right of the first figure."""

    heading: str
    texts: Sequence[str]


@dataclass(frozen=True)
class About:
    """Metadata from the user."""

    # Facts on the data by name: a date, a version, a licence, a link.
    facts: Mapping[str, str] = field(default_factory=dict)
    # Noun for a cluster of battles.
    cluster: str = "cluster"
    # The category of each task, or the battles of each category.
    categories: Mapping[Any, Any] = field(default_factory=dict)
    # Item with a fixed rating, and that rating; empty without one.
    anchor: Mapping[Label, float] = field(default_factory=dict)
    # Whether the clusters are judges whose reliability is estimated.
    judges: bool = False
    cards: Cards = field(default_factory=Cards)


@dataclass(frozen=True)
class Kind:
    """Rankings that are a sample; subclasses are the other kinds."""

    data: Data
    about: About

    name: ClassVar[str] = "rankings"
    # Types of the data.
    holds: ClassVar[Any] = Profile
    words: ClassVar[Words] = Words()
    # Whether the data are a sample, and whether ranks are inferred from it.
    is_sample: ClassVar[bool] = True
    infers: ClassVar[bool] = True
    # Why an order other than the exact one can go against a majority.
    against: ClassVar[str] = ""
    # Whether items that a unit leaves out are missing.
    lacks: ClassVar[bool] = True
    # Noun for a unit with all items.
    complete_unit: ClassVar[str] = "complete ranking"

    # -- computation -----------------------------------------------------------------------

    def rules(self) -> list[Aggregator]:
        """Return the default rules to compare with the exact consensus."""
        return default_rules(self.data)

    def leader(self) -> Aggregator | None:
        """Return the rule that orders the page; None for the exact one."""
        return None

    @property
    def leader_name(self) -> str:
        """Name of that rule; empty for the exact one."""
        return ""

    def ranks(self, *, unit: Unit, alpha: float, tolerance: Tolerance) -> RankIntervals | None:
        """Return intervals for ranks, or None."""
        how: dict[str, Any] = {"unit": unit, "alpha": alpha, "rng": 0}
        if unit != "instance":
            return rank_intervals(tied_rankings(self.data, tolerance), **how)
        ranks = rank_intervals(cast(Any, self.data), **how)
        if tied_rankings(self.data, tolerance) is self.data:
            return ranks
        untied = "scores of instances that differ by the tolerance or less are not tied here"
        return replace(ranks, notes=(*ranks.notes, untied))

    def unit_word(self, unit: str) -> str:
        """Return the noun of this kind for a unit of an analysis."""
        return self.words.unit if unit == "ranking" else unit

    def ranked(self) -> Self:
        """Return the kind with the items that can be ranked."""
        return self

    def why_above(self, upper: int, lower: int) -> str:
        """Explain a place above an item against a majority, in an order that is not exact."""
        return self.against

    # -- the first screen -----------------------------------------------------------------------

    def result(self, findings: Findings) -> str:
        """State who is first, without a full stop."""
        winners = None if findings.alternatives is None else findings.alternatives.winners
        return first_of(findings.exact, winners, self.words)

    def certainty(self, findings: Findings) -> str:
        """State what the data decide; empty without inference."""
        return "" if findings.ranks is None else decided_of(findings.ranks.decisions)

    def numbers(self, findings: Findings) -> list[tuple[str, str]]:
        """Return numbers of observations with their nouns."""
        return [number(self.data.n_rankings, self.words.unit, "rankings")]  # type: ignore[union-attr]

    def columns(self, findings: Findings) -> tuple[QuietColumn, ...]:
        """Return the columns of numbers in the first figure."""
        won = [UNKNOWN if np.isnan(share) else f"{100 * share:.0f} %" for share in findings.won]
        return (QuietColumn("Votes won", won),)

    def drawing(self, findings: Findings) -> RowDrawing:
        """Draw places with intervals, or shares won if these exclude too little."""
        ranks, n = findings.ranks, len(findings.exact.items)
        order = f"by {self.leader_name}"
        if findings.is_exact:
            order = f"in {findings.kemeny} (Kemeny)"
        if ranks is None or not findings.has_bars:
            won = f"share of {self.words.vote}s won"
            return RowDrawing(
                [Strip(None if np.isnan(share) else at_share(share)) for share in findings.won],
                marked_shares(),
                (("dot", False, won),),
                f"Places are those {order}. Dots: {won}, as a mean over opponents.",
            )
        strips = list[Strip]()
        for i, place in enumerate(findings.places.tolist()):
            best, worst = ranks.best[i], ranks.worst[i]
            mark = "first" if findings.exact.items[i] in ranks.first else "dot"
            mark = mark if best <= place <= worst else "outside"
            bar = (at_place(best, n), at_place(worst, n))
            strips.append(Strip(at_place(place, n), bar, mark))
        meanings = {
            "dot": sentence("place and {} interval", findings.level),
            "first": "may be first",
            "outside": "place outside its interval, which is by another rule",
        }
        marks = {"dot", *(strip.mark for strip in strips)}
        caption = "Marks: places {}. Bars: simultaneous {} intervals of the ranks by {}, from {}."
        return RowDrawing(
            strips,
            ticks(n),
            tuple((mark, mark != "outside", meanings[mark]) for mark in meanings if mark in marks),
            sentence(caption, order, findings.level, ranks.by, ranks.decisions.how),
        )

    # -- chapters -------------------------------------------------------------------------------

    def shape(self, findings: Findings) -> list[tuple[str, object]]:
        """Return facts on the data that were read."""
        data: Any = self.data
        unit = self.words.unit
        facts = [fact(f"{unit.capitalize()}s", data.n_rankings, "rankings")]
        different = len(np.unique(data.ranks, axis=0))
        if different < data.n_rankings:
            facts.append(fact(f"Different {unit}s", different, "different rankings"))
        facts.append(("Complete", "yes" if data.is_complete else "no: some leave items out"))
        facts.append(("Strict", "yes" if data.is_strict else "no: some tie items"))
        return facts

    def caption(self, findings: Findings) -> list[str]:
        """Explain the columns of numbers."""
        return []

    def caveat(self, findings: Findings) -> str:
        """Name a dependence that would make the uncertainty larger."""
        return "Voters who follow each other would make the true uncertainty larger."

    def opening(self, findings: Findings) -> list[Section]:
        """Return the first chapters, which are open."""
        return []

    def embedded(self) -> tuple[dict[str, str], list[str]]:
        """Return blocks of JSON by id, and names of the scripts that use them."""
        return {}, []

    def duels(self, findings: Findings) -> tuple[str, Floats, Floats]:
        """Return the noun for a win, and matrices of wins and of ties."""
        weights = getattr(self.data, "weights", None)
        is_weighted = weights is not None and bool((weights != 1).any())
        is_fractional = is_weighted or findings.has_shared_votes
        word = self.words.vote if is_fractional else self.words.unit
        return word, findings.comparison.votes.wins, findings.comparison.votes.ties


@dataclass(frozen=True)
class Findings:
    """Results on a data set."""

    kind: Kind
    # All rules, with an exact one.
    comparison: RuleComparison
    exact: Consensus
    # The consensus that orders the page.
    lead: Consensus
    # All optima; None unless one is proved and others were searched for.
    alternatives: Alternatives | None
    graph: TournamentGraph
    # Intervals for ranks; None for votes without rankings, and without inference.
    ranks: RankIntervals | None
    # Missing cells; None for votes without rankings.
    missing: MissingReport | None
    # The exact consensus without each task; None with too few or many, or out of time.
    stability: Stability | None
    # Fewest removals that put another first; None without a proof, with too few or many, or out
    # of time.
    removal: RemovalRadius | None
    # The independent unit of the intervals, and their family-wise error rate.
    unit: Unit
    alpha: float
    # Names of the results above that are None for lack of time.
    late: frozenset[str]
    # Whether the user interrupted the computation.
    interrupted: bool
    # Changes since the last version; None without one, or out of time.
    changes: TableChanges | None = None

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
        before: ScoreTable | None = None,
    ) -> Findings:
        """Compute all results within the time limit."""
        deadline, data = deadline_of(time_limit), kind.data
        rules = _rules(kind, rules)
        # Half for the proof, half of the rest for other optima, the rest for removals.
        limit, evidence = deadline.share(2).time_limit, Evidence(data, tolerance)
        comparison = compare(evidence, rules, time_limit=limit, rng=rng)
        exact = comparison[rules[-1].name]
        lead = exact if kind.leader() is None else comparison[rules[0].name]
        # The most plausible independent unit by default.
        is_fine = isinstance(data, ScoreTable) and data.is_instance_level
        chosen = unit or ("instance" if is_fine else "ranking")
        patience, parts, units = _Patience(exact.interrupted), None, None
        if kind.is_sample and not isinstance(data, PairData):
            parts = Parts(data=data, tolerance=tolerance, unit="task")
        if lead is exact and exact.is_proved and isinstance(data, ScoreTable | Profile):
            units = _units_to_remove(data, rules[-1], tolerance)
        ranks, missing, alternatives, removal, stability, changes = (None,) * 6
        if kind.infers:
            ranks = patience.result(
                "ranks",
                lambda: kind.ranks(unit=chosen, alpha=alpha, tolerance=tolerance),
                is_quick=True,
            )
        if kind.lacks and not isinstance(data, PairData):
            missing = missing_report(data)
            missing = replace(missing, unit=kind.unit_word(missing.unit))
        if optima and exact.is_proved and (found := exact.optima) is not None:
            alternatives = patience.result(
                "alternatives", lambda: Alternatives.of(found, deadline.share(2), radius=True)
            )
        if units is not None:
            soon = deadline.share(4).sooner(SECONDS_FOR_REMOVALS)
            solves = max(SOLVES_FOR_REMOVALS // len(units.items), LEAST_SOLVES)
            removal = patience.result(
                "removal", lambda: radius_until(soon, units, whole=exact, solves=solves)
            )
        if parts is not None and 2 <= len(parts.units) <= TASKS:
            stability = patience.result(
                "stability",
                lambda: leave_each_out(
                    parts, rules[-1], optima=optima, deadline=deadline, whole=exact
                ),
            )
        if isinstance(before, ScoreTable) and isinstance(data, ScoreTable):
            changes = patience.result(
                "changes", lambda: changes_since(before, data, alpha, deadline)
            )
        if removal is not None:
            removal = replace(removal, noun=kind.unit_word(removal.noun))
        if ranks is not None and (basis := ranks.decisions.basis) is not None:
            basis = replace(basis, word=kind.unit_word(basis.word))
            ranks = replace(ranks, decisions=replace(ranks.decisions, basis=basis))
        return cls(
            kind=kind,
            comparison=comparison,
            exact=exact,
            lead=lead,
            graph=TournamentGraph(comparison.votes),
            unit=chosen,
            alpha=alpha,
            ranks=ranks,
            missing=missing,
            alternatives=alternatives,
            removal=removal,
            stability=stability,
            late=frozenset(patience.late),
            interrupted=patience.is_over,
            changes=changes,
        )

    @property
    def data(self) -> Data:
        """The data."""
        return self.kind.data

    def proof_sentence(self, **words: Any) -> str:
        """State the proof of the exact consensus, and whether others are as good."""
        looked = self.alternatives is not None or "alternatives" in self.late
        return proof_of(self.exact, self.alternatives, self.kind.words, searched=looked, **words)

    @property
    def is_exact(self) -> bool:
        """Whether the exact consensus orders the page."""
        return self.lead is self.exact

    @property
    def noun(self) -> str:
        """Noun for an item."""
        return self.kind.words.item

    @cached_property
    def order(self) -> Positions:
        """Positions of the items, the best first."""
        return np.argsort(self.lead.ranking.ranks, kind="stable")

    @property
    def places(self) -> Ranks:
        """Places of the items from 1; tied ones share a place."""
        return self.lead.ranking.ranks + 1

    def rows(self) -> pd.DataFrame:
        """Return a frame of places and names in the order of the page."""
        names = [str(self.exact.items[i]) for i in self.order.tolist()]
        return pd.DataFrame({"Place": self.places[self.order], self.noun.capitalize(): names})

    @property
    def has_shared_votes(self) -> bool:
        """Whether a missing item counts as a share of a vote."""
        votes = self.comparison.votes
        return votes.unranked == "uniform" and not votes.is_decided

    @cached_property
    def shares(self) -> Floats:
        """Share of votes with row above column; NaN for pairs never compared."""
        votes = self.comparison.votes
        return np.where(votes.comparisons > 0, votes.proportion, np.nan)

    @cached_property
    def won(self) -> Floats:
        """Mean share of votes won by each item, over its opponents."""
        compared = ~np.isnan(self.shares)
        np.fill_diagonal(compared, False)
        with np.errstate(invalid="ignore"):
            won: Floats = np.where(compared, self.shares, 0.0).sum(axis=1) / compared.sum(axis=1)
        return won

    @property
    def level(self) -> str:
        """Level of the intervals as text; empty without any."""
        return "" if self.ranks is None else level_of(self.ranks.decisions.alpha)

    @property
    def has_decisions(self) -> bool:
        """Whether the order of any two items is decided."""
        return self.ranks is not None and bool(self.ranks.decisions.above.any())

    @property
    def has_bars(self) -> bool:
        """Whether intervals for ranks exclude enough to be drawn."""
        return self.has_decisions and self.openness <= MOST_OPEN

    @property
    def openness(self) -> float:
        """Mean share of other ranks inside the intervals; 1 without any."""
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
        """Name of the Kemeny consensus, or of the best order found."""
        return "the exact consensus" if self.is_proved else "the best order found"

    @property
    def winners(self) -> tuple[Label, ...]:
        """First items of all optima, or else of the exact consensus."""
        winners = None if self.alternatives is None else self.alternatives.winners
        return winners or self.exact.buckets[0]

    @property
    def is_complete(self) -> bool:
        """Whether all results were computed in time."""
        if self.alternatives is not None and not self.alternatives.is_complete:
            return False
        return not self.late and (self.stability is None or not self.stability.undecided)


def _rules(kind: Kind, rules: Iterable[Aggregator] | None) -> list[Aggregator]:
    """Return the rule that orders the page, others, and the exact one; each once."""
    given = kind.rules() if rules is None else list(rules)
    for rule in given:
        check_rule(rule, "rules")
        if isinstance(rule, Kemeny) and rule.consensus_ties:
            allowed = "rules other than Kemeny with ties"
            raise InvalidInputError("rules", allowed, rule, "`compare` takes it.")
    leader = kind.leader()
    first = [] if leader is None else [leader]
    others = [rule for rule in given if not isinstance(rule, Kemeny) and rule not in first]
    return [*first, *others, Kemeny()]


def _units_to_remove(
    data: ScoreTable | Profile, rule: Aggregator, tolerance: Tolerance
) -> RemovalClasses | None:
    """Return the tasks or rankings whose removal is searched, unless too many."""
    has_tasks = isinstance(data, ScoreTable) or data.groups is not None
    unit: Literal["ranking", "task"] = "task" if has_tasks else "ranking"
    units = RemovalClasses(data=data, rule=rule, tolerance=tolerance, unit=unit)
    n_rows = data.n_units if isinstance(data, ScoreTable) else len(data)
    return units if n_rows * len(units.items) ** 2 <= 20_000_000 and units.total > 1 else None


class _Patience:
    """Runs computations; after an interruption, only quick ones."""

    def __init__(self, is_over: bool) -> None:
        self.is_over = is_over
        self.late: list[str] = []

    def result(
        self, name: str, compute: Callable[[], Computed], *, is_quick: bool = False
    ) -> Computed | None:
        """Return the result; None out of time, or after an interruption unless it is quick.

        A second interruption is raised.
        """
        try:
            if is_quick or not self.is_over:
                return compute()
        except OutOfTimeError:
            pass
        except KeyboardInterrupt:
            if self.is_over:
                raise
            self.is_over = True
        self.late.append(name)
        return None
