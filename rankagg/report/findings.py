"""What a page tells: of which kind the data are, and everything that is computed, once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeVar, cast

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
from rankagg.aggregation.two_level import default_rules
from rankagg.analysis.comparison.agreement import Alternatives
from rankagg.analysis.comparison.compare import RuleComparison, compare
from rankagg.analysis.comparison.sentences import decided_of, first_of, proof_of
from rankagg.analysis.missing import MissingReport, missing_report
from rankagg.analysis.removal.removal_radius import RemovalRadius, radius_until
from rankagg.analysis.removal.removal_units import RemovalClasses
from rankagg.analysis.robustness.perturbation import Parts
from rankagg.analysis.robustness.stability import Stability, leave_each_out
from rankagg.analysis.table_changes import TableChanges
from rankagg.analysis.tournament import TournamentGraph
from rankagg.core import Profile, ScoreTable, Words, level_of, said
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

# No intervals are drawn where an item may have more than this share of all ranks on average.
MOST_OPEN = 0.9
# Leaving out more tasks than this one by one takes long, and changes little.
TASKS = 60
# Each number of fewest removals has so many solves of one item, as larger ones take longer, but at
# least the least; the same on every machine, unless it is too slow for all of them.
SOLVES_FOR_REMOVALS = 1000
LEAST_SOLVES = 10
SECONDS_FOR_REMOVALS = 60.0


class QuietColumn(NamedTuple):
    """A column of numbers at the right of the first figure."""

    heading: str
    texts: Sequence[str]


@dataclass(frozen=True)
class Told:
    """What the user says of data besides."""

    # Of all of them, by name: a date, a version, a licence, a link.
    facts: Mapping[str, str] = field(default_factory=dict)
    # What clusters of battles are called, in the singular.
    cluster: str = "cluster"
    # The category of each task, or the battles of each category.
    categories: Mapping[Any, Any] = field(default_factory=dict)
    # The item whose rating is stated, and that rating; empty where none is.
    anchor: Mapping[Label, float] = field(default_factory=dict)
    # Whether the clusters are judges whose reliability is estimated.
    judges: bool = False
    # What is said of items, and where their names lead.
    cards: Cards = field(default_factory=Cards)


@dataclass(frozen=True)
class Kind:
    """Rankings that are a sample; other kinds say what is otherwise."""

    data: Data
    told: Told

    name: ClassVar[str] = "rankings"
    # The types of such data.
    holds: ClassVar[Any] = Profile
    words: ClassVar[Words] = Words()
    # Whether the data are a sample, and whether ranks beyond it are inferred.
    is_sample: ClassVar[bool] = True
    infers: ClassVar[bool] = True
    # Whether those who are tied have one place in the first figure.
    shares_places: ClassVar[bool] = False
    # Why the order of the page, where it is not the exact one, can go against a majority.
    against: ClassVar[str] = ""
    # Whether what a unit leaves out is missing.
    lacks: ClassVar[bool] = True
    # What could be added that says something of all items.
    whole: ClassVar[str] = "complete ranking"

    # -- what is computed -----------------------------------------------------------------------

    def rules(self) -> list[Aggregator]:
        """Return what is held against the exact consensus, unless it is asked otherwise."""
        return default_rules(self.data)

    def leader(self) -> Aggregator | None:
        """Return the rule whose order the page has throughout; None stands for the exact one."""
        return None

    @property
    def leads(self) -> str:
        """What the order of the page is by, where it is not the exact one."""
        return ""

    def ranks(self, *, unit: Unit, alpha: float, tolerance: Tolerance) -> RankIntervals | None:
        """Return intervals for ranks; None where the data tell none."""
        how: dict[str, Any] = {"unit": unit, "alpha": alpha, "rng": 0}
        if unit != "instance":
            return rank_intervals(tied_rankings(self.data, tolerance), **how)
        found = rank_intervals(cast(Any, self.data), **how)
        if tied_rankings(self.data, tolerance) is self.data:
            return found
        untied = "scores of instances that differ by the tolerance or less are not tied here"
        return replace(found, notes=(*found.notes, untied))

    def word_of(self, unit: str) -> str:
        """Return what this kind calls a unit of other rooms, in the singular."""
        return self.words.unit if unit == "ranking" else unit

    def ranked(self) -> Self:
        """Return the same with data of all that can be ranked."""
        return self

    def why_above(self, upper: int, lower: int) -> str:
        """Say why one is above another against a majority, where that is not the exact order."""
        return self.against

    # -- the first screen -----------------------------------------------------------------------

    def result(self, findings: Findings) -> str:
        """Say who is first, without a stop."""
        known = None if findings.alternatives is None else findings.alternatives.winners
        return first_of(findings.exact, known, self.words)

    def certainty(self, findings: Findings) -> str:
        """Say what the data decide; empty where that is no question."""
        return "" if findings.ranks is None else decided_of(findings.ranks.decisions)

    def numbers(self, findings: Findings) -> list[tuple[str, str]]:
        """Return what was observed: numbers, and what they count."""
        return [number(self.data.n_rankings, self.words.unit, "rankings")]  # type: ignore[union-attr]

    def columns(self, findings: Findings) -> tuple[QuietColumn, ...]:
        """Return the columns of numbers in the first figure."""
        return (QuietColumn("Votes won", _per_cents(findings.won)),)

    def drawing(self, findings: Findings) -> RowDrawing:
        """Draw places with their intervals; shares won where these exclude too little."""
        ranks, n = findings.ranks, len(findings.exact.items)
        order = f"by {self.leads}"
        if findings.is_exact:
            order = f"in {findings.kemeny} (Kemeny)"
        if ranks is None or not findings.has_bars:
            won = f"share of {self.words.vote}s won"
            return RowDrawing(
                [Strip(None if np.isnan(share) else at_share(share)) for share in findings.won],
                marked_shares(),
                (("dot", False, won),),
                f"Places are those {order}. Dots: the {won} against others, every opponent alike.",
            )
        strips = {}
        for place, i in enumerate(findings.order.tolist(), 1):
            best, worst = ranks.best[i], ranks.worst[i]
            mark = "first" if findings.exact.items[i] in ranks.first else "dot"
            mark = mark if best <= place <= worst else "outside"
            strips[i] = Strip(at_place(place, n), (at_place(best, n), at_place(worst, n)), mark)
        meanings = {
            "dot": said("place, and places left open at {}", findings.level),
            "first": "may be first",
            "outside": "place outside its bar: the two are by different rules",
        }
        marks = {"dot", *(strip.mark for strip in strips.values())}
        told = (
            "Marks: places {}. Bars: the ranks by {} that remain open, for all at once at {}, by "
            "{}."
        )
        return RowDrawing(
            [strips[i] for i in range(n)],
            ticks(n),
            tuple((mark, mark != "outside", meanings[mark]) for mark in meanings if mark in marks),
            said(told, order, ranks.by, findings.level, ranks.decisions.how),
        )

    # -- chapters -------------------------------------------------------------------------------

    def shape(self, findings: Findings) -> list[tuple[str, object]]:
        """Return names and numbers of what was read."""
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
        """Say what the columns of numbers are, where their headings do not."""
        return []

    def caveat(self, findings: Findings) -> str:
        """Say what would make the uncertainty larger than it looks."""
        return "Voters who follow each other would make the true uncertainty larger."

    def opening(self, findings: Findings) -> list[Section]:
        """Return the chapters that stand first and are open."""
        return []

    def embedded(self) -> tuple[dict[str, str], list[str]]:
        """Return blocks of JSON by their ids, and the files of scripts that use them."""
        return {}, []

    def duels(self, findings: Findings) -> tuple[str, Floats, Floats]:
        """Return what is won between two items, and how often row won and tied, (n, n) each."""
        weights = getattr(self.data, "weights", None)
        is_weighted = weights is not None and bool((weights != 1).any())
        whole = not (is_weighted or findings.has_shared_votes)
        word = self.words.unit if whole else self.words.vote
        return word, findings.comparison.votes.wins, findings.comparison.votes.ties


def _per_cents(shares: Floats) -> list[str]:
    """Return shares in per cent; a dash where there is none."""
    return [UNKNOWN if np.isnan(share) else f"{100 * share:.0f} %" for share in shares]


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
    # What changed since the version before; None without one, and where there was no time.
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
        """Compute all of it, as far as there is time."""
        deadline, data = Deadline.after(time_limit_of(time_limit)), kind.data
        rules = _rules(kind, rules)
        # Half for the proof, half of the rest for the other optima, the rest for leaving out.
        limit, evidence = deadline.share(2).time_limit, Evidence(data, tolerance)
        comparison = compare(evidence, rules, time_limit=limit, rng=rng)
        exact = comparison[rules[-1].name]
        lead = exact if kind.leader() is None else comparison[rules[0].name]
        # What is most plausibly independent, where nobody says it.
        is_fine = isinstance(data, ScoreTable) and data.is_instance_level
        chosen = unit or ("instance" if is_fine else "ranking")
        patience, parts, units = _Patience(exact.interrupted), None, None
        if kind.is_sample and not isinstance(data, PairData):
            parts = Parts(data=data, tolerance=tolerance, unit="task")
        if lead is exact and exact.is_proved and isinstance(data, ScoreTable | Profile):
            units = _units_to_remove(data, rules[-1], tolerance)
        ranks, missing, alternatives, removal, stability, changes = (None,) * 6
        if kind.infers:
            options: dict[str, Any] = {"unit": chosen, "alpha": alpha, "tolerance": tolerance}
            ranks = patience.result("ranks", lambda: kind.ranks(**options), is_quick=True)
        if kind.lacks and not isinstance(data, PairData):
            found = missing_report(data)
            missing = replace(found, unit=kind.word_of(found.unit))
        if optima and exact.is_proved and (known := exact.optima) is not None:
            alternatives = patience.result(
                "alternatives", lambda: Alternatives.of(known, deadline.share(2), radius=True)
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
            removal = replace(removal, noun=kind.word_of(removal.noun))
        if ranks is not None and (basis := ranks.decisions.basis) is not None:
            basis = replace(basis, word=kind.word_of(basis.word))
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
        """Say what is proved of the exact consensus, and whether others are as good."""
        looked = self.alternatives is not None or "alternatives" in self.late
        return proof_of(self.exact, self.alternatives, self.kind.words, searched=looked, **words)

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


def _units_to_remove(
    data: ScoreTable | Profile, rule: Aggregator, tolerance: Tolerance
) -> RemovalClasses | None:
    """Return what tasks or rankings may go before another is first, if not too many."""
    has_tasks = isinstance(data, ScoreTable) or data.groups is not None
    unit: Literal["ranking", "task"] = "task" if has_tasks else "ranking"
    units = RemovalClasses(data=data, rule=rule, tolerance=tolerance, unit=unit)
    n_rows = data.n_units if isinstance(data, ScoreTable) else len(data)
    return units if n_rows * len(units.items) ** 2 <= 20_000_000 and units.total > 1 else None


class _Patience:
    """Does one thing after the other until the user interrupts, and then what is quick only."""

    def __init__(self, is_over: bool) -> None:
        self.is_over = is_over
        self.late: list[str] = []

    def result(
        self, name: str, compute: Callable[[], Computed], *, is_quick: bool = False
    ) -> Computed | None:
        """Return the result; None where there is no time, or the user does not want to wait.

        What is quick is computed even then; a second interruption ends it.
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
