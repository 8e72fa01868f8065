"""A kind of data: what a page about it calls things, shows first, and has chapters on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

import numpy as np

from rankagg._typing import Floats, Label, Tolerance
from rankagg.aggregation import Aggregator, Data
from rankagg.aggregation.two_level import default_rules
from rankagg.analysis.comparison.sentences import decided_of, first_of
from rankagg.core import Profile, Sentence, Words, counted, said, stated
from rankagg.inference import RankIntervals
from rankagg.inference.ranks.rank_intervals import rank_intervals
from rankagg.inference.units import Unit, tied_rankings

if TYPE_CHECKING:
    from rankagg.report.findings import Findings
    from rankagg.report.sections import Section

#: Stands for what is not known or does not apply.
NOTHING = "\N{EN DASH}"


@dataclass(frozen=True)
class Strip:
    """What is drawn in a row, in per cent of its width."""

    # Where the mark stands.
    at: float | None
    # From where to where the bar goes.
    bar: tuple[float, float] | None = None
    # "first" where the item may be first, "outside" where its mark lies outside its bar.
    mark: str = "dot"
    # Where thin strokes stand.
    strokes: tuple[float, ...] = ()

    @property
    def link(self) -> tuple[float, float] | None:
        """From where to where a thin line joins the bar and a mark outside it."""
        if self.mark != "outside" or self.bar is None or self.at is None:
            return None
        return (self.at, self.bar[0]) if self.at < self.bar[0] else (self.bar[1], self.at)


class QuietColumn(NamedTuple):
    """A column of numbers at the right of the first figure."""

    heading: str
    texts: Sequence[str]


class RowDrawing(NamedTuple):
    """What a kind draws in the rows of the first figure, in the order of the items."""

    strips: Sequence[Strip]
    ticks: tuple[tuple[float, str], ...]
    # The marks of the key (their kind, and whether with a bar), and what each means.
    key: tuple[tuple[str, bool, str], ...]
    # The sentence below.
    caption: str


@dataclass(frozen=True)
class Told:
    """What the user says of data besides."""

    # Of all of them, by name: a date, a version, a licence, a link.
    facts: Mapping[str, str] = field(default_factory=dict)
    # What clusters of battles are called, in the singular.
    cluster: str = "cluster"
    # The category of each task.
    categories: Mapping[Label, str] = field(default_factory=dict)
    # Where names of items lead, and what stands behind them.
    links: Mapping[Label, str] = field(default_factory=dict)
    notes: Mapping[Label, str] = field(default_factory=dict)


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

    def in_words(self, text: str) -> str:
        """Return a text of another room, without names of items, in the words of this kind."""

        def turned(one: str) -> str:
            return re.sub(r"\w+?(?=s?\b)", lambda word: self.renamed.get(word[0], word[0]), one)

        numbers = [replace(one, text=turned(one.text)) for one in getattr(text, "numbers", ())]
        return Sentence(turned(text), numbers)

    @property
    def renamed(self) -> Mapping[str, str]:
        """Words of other rooms, in the singular, by what this kind says instead."""
        return {"ranking": self.words.unit}

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

    def duels(self, findings: Findings) -> tuple[str, Floats, Floats]:
        """Return what is won between two items, and how often row won and tied, (n, n) each."""
        weights = getattr(self.data, "weights", None)
        is_weighted = weights is not None and bool((weights != 1).any())
        whole = not (is_weighted or findings.has_shared_votes)
        word = self.words.unit if whole else self.words.vote
        return word, findings.comparison.votes.wins, findings.comparison.votes.ties


def number(value: int, noun: str, what: str) -> tuple[str, str]:
    """Return a number of the first screen, and what it counts."""
    return stated(value, what, ","), counted(value, noun).split(" ", 1)[1]


def fact(name: str, value: int, what: str = "") -> tuple[str, object]:
    """Return a name and a number for a list of facts."""
    return name, stated(value, what or name.lower(), ",")


def _per_cents(shares: Floats) -> list[str]:
    """Return shares in per cent; a dash where there is none."""
    return [NOTHING if np.isnan(share) else f"{100 * share:.0f} %" for share in shares]


def at_place(place: float, n: int) -> float:
    """Return where a place of n stands, in per cent of the width."""
    return 100 * (place - 0.5) / n


def ticks(n: int) -> tuple[tuple[float, str], ...]:
    """Return where numbers stand above places, and which.

    Examples
    --------
    >>> [text for _, text in ticks(24)]
    ['1', '5', '10', '15', '20', '24']
    """
    if n <= 12:
        chosen = list(range(1, n + 1))
    else:
        step = 5
        for factor in (2, 2, 2.5, 2, 2, 2.5, 2, 2, 2.5):
            if n / step > 6:
                step = round(step * factor)
        inner = [k for k in range(step, n, step) if n - k > 0.4 * step]
        chosen = [1, *inner, n]
    return tuple((at_place(place, n), f"{place:,}") for place in chosen)


def marked_shares() -> tuple[tuple[float, str], ...]:
    """Return where numbers stand above shares, and the numbers."""
    texts = ("0", "25", "50", "75", "100 %")
    return tuple((at_share(k / 4), text) for k, text in enumerate(texts))


def at_share(share: Any) -> Any:
    """Return where a share of one, or each of several, stands, in per cent of the width."""
    return 2 + 96 * share
