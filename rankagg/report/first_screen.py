"""First screen: the result, its certainty, three numbers, one figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import NamedTuple
from unicodedata import category, name

from rankagg.analysis.comparison.agreement import LATE, Alternatives
from rankagg.analysis.comparison.sentences import units_of
from rankagg.core import (
    ScoreTable,
    capital,
    in_words,
    joined,
    letters,
    listing,
    named,
    percent,
    quantity,
    sentence,
)
from rankagg.report.cards import CardColumn
from rankagg.report.findings import Findings
from rankagg.report.sections import UNKNOWN, RowDrawing, Strip, number

# Rows shown at first.
FOLDED = 40
# Wider names, or cards, may be cut on the screen; a box then shows them in full.
WIDE, WIDE_CARD = 34, 18
# Rows that the page has without its script, which draws the others on demand.
DRAWN = 250
# First words of the Unicode names of letters for which every machine has a font.
EVERYWHERE = frozenset({"LATIN", "GREEK", "CYRILLIC", "FEMININE", "MASCULINE", "MICRO", "MODIFIER"})


class _PlaceRow(NamedTuple):
    """Row of an item; its position is that among the items of the votes."""

    place: int
    position: int
    name: str
    strip: Strip
    interval: str
    # One for each heading.
    numbers: tuple[str, ...]
    # Address of the name; empty without one.
    link: str = ""
    # Cards: texts with their sort keys.
    cards: tuple[tuple[str, float | None], ...] = ()


class _PlaceGroup(NamedTuple):
    """Consecutive rows; of an open group the votes leave the order undecided."""

    rows: tuple[_PlaceRow, ...]
    is_open: bool


@dataclass(frozen=True)
class _FirstScreen:
    """Content of the first screen."""

    # Sentence of the result, and sentences of its certainty.
    result: str
    certainty: str
    # Numbers with the nouns they count.
    numbers: tuple[tuple[str, str], ...]
    # Rows of the figure, the best first, their marks, and the sentences below.
    blocks: tuple[_PlaceGroup, ...]
    drawing: RowDrawing
    caption: tuple[str, ...]
    # Headings of the columns; without a level there are no intervals.
    noun: str
    level: str
    headings: tuple[str, ...]
    # Whether the rows are in the proved order, and the noun of its cost.
    is_proved_order: bool = True
    vote: str = "vote"
    cards: tuple[CardColumn, ...] = ()

    @property
    def rows(self) -> tuple[_PlaceRow, ...]:
        """All rows."""
        return tuple(row for block in self.blocks for row in block.rows)

    @property
    def fold_after(self) -> int:
        """Number of rows shown at first; 0 for all."""
        return FOLDED if len(self.rows) > FOLDED + 5 else 0

    @property
    def has_groups(self) -> bool:
        """Whether the order of some rows is undecided, for the key."""
        return any(block.is_open for block in self.blocks)

    @property
    def has_long_names(self) -> bool:
        """Whether some names or cards may be cut on the screen."""
        return any(
            letters(row.name) > WIDE or any(letters(text) > WIDE_CARD for text, _ in row.cards)
            for row in self.rows
        )

    @property
    def n_drawn(self) -> int:
        """Number of rows that the page has without its script."""
        return min(len(self.rows), DRAWN)

    def slice_blocks(self, start: int, end: int) -> list[_PlaceGroup]:
        """Return the groups of a slice of the rows."""
        groups, first = [], 0
        for block in self.blocks:
            rows = block.rows[max(start - first, 0) : max(end - first, 0)]
            first += len(block.rows)
            groups += [_PlaceGroup(rows, block.is_open)] if rows else []
        return groups


def first_screen(findings: Findings) -> _FirstScreen:
    """Return the first screen."""
    kind, items = findings.kind, findings.exact.items
    columns, drawing = kind.columns(findings), kind.drawing(findings)
    cards = kind.about.cards
    ranks = findings.ranks if findings.has_decisions else None
    rows = [
        _PlaceRow(
            place=int(findings.places[i]),
            position=i,
            name=str(items[i]),
            strip=drawing.strips[i],
            interval="" if ranks is None else span(ranks.best[i], ranks.worst[i]),
            numbers=tuple(column.texts[i] for column in columns),
            link=cards.links.get(items[i], ""),
            cards=tuple((c.texts.get(items[i], UNKNOWN), c.key(items[i])) for c in cards.columns),
        )
        for i in findings.order.tolist()
    ]
    blocks = _optimum_groups(rows, findings.alternatives if findings.is_exact else None)
    certain, caption = list[str](), list[str]()
    if len(items) > 1:
        evidence = findings.exact.evidence
        gaps = evidence.gaps() if kind.name != "election" else evidence.gaps_of_ballots()
        proved = findings.proof_sentence(group="shaded group") if findings.is_exact else ""
        certain = [*(f"{capital(gap)}." for gap in gaps), proved, _decided(findings)]
        caption = _caption(findings, drawing, has_groups=any(block.is_open for block in blocks))
    return _FirstScreen(
        result=_result(findings),
        certainty=joined(filter(None, certain)),
        numbers=tuple(_numbers(findings)),
        blocks=blocks,
        drawing=drawing,
        caption=tuple(caption),
        noun=findings.noun.capitalize(),
        level="" if ranks is None else findings.level,
        headings=tuple(column.heading for column in columns),
        cards=cards.columns,
        is_proved_order=findings.is_exact,
        vote=kind.words.vote,
    )


def span(best: int, worst: int, to: str = "\N{EN DASH}") -> str:
    """Return an interval of ranks as text."""
    return f"{best:,}" if best == worst else f"{best:,}{to}{worst:,}"


def _optimum_groups(
    rows: Sequence[_PlaceRow], alternatives: Alternatives | None
) -> tuple[_PlaceGroup, ...]:
    """Return the groups that optima order differently, and runs of other rows between."""
    sizes = [1] * len(rows)
    if alternatives is not None and alternatives.is_unique is False:
        sizes = [len(block) for block in alternatives.optima.blocks]
    groups = [k if size > 1 else -1 for k, size in enumerate(sizes) for _ in range(size)]
    parts = groupby(zip(groups, rows, strict=True), key=lambda pair: pair[0])
    return tuple(_PlaceGroup(tuple(row for _, row in part), is_open=k >= 0) for k, part in parts)


# -- sentences ------------------------------------------------------------------------------------


def _result(findings: Findings) -> str:
    """State who is first, and who else may be."""
    if len(findings.exact.items) == 1:
        return f"There is one {findings.noun}, {named(findings.exact.order[0])}: nothing to rank."
    is_alone = findings.is_proved and len(findings.winners) == 1
    rivals = _rivals(findings) if is_alone or not findings.is_exact else ""
    return sentence("{}{}.", findings.kind.result(findings), rivals)


def _rivals(findings: Findings) -> str:
    """State who else may be first, as the end of a sentence."""
    ranks, noun, leader = findings.ranks, findings.noun, findings.exact.items[findings.order[0]]
    if ranks is None:
        return ""
    units = units_of(ranks.decisions)
    if not findings.has_decisions:
        which = f"any two {noun}s" if len(ranks.items) > 2 else "the two"
        return sentence(", but {} cannot tell {} apart", units, which)
    may = ranks.first
    rest = [item for item in may if item != leader]
    if len(rest) == len(may):
        return f", although by {ranks.by} only {listing(may, 3)} may be first"
    if not rest:
        return sentence(
            ", and no other {} may be first, at {}{}", noun, findings.level, ranks.first_note
        )
    if 1 < len(rest) == len(ranks.items) - 1:
        return sentence(", but so may be any other {}: {} cannot tell", noun, units)
    others = quantity(len(rest), "others that may be first", partial(in_words, noun="other"))
    who = named(rest[0]) if len(rest) == 1 else others
    return sentence(", but {} may be first too: {} cannot tell them apart", who, units)


def _decided(findings: Findings) -> str:
    """State which places are decided."""
    if "ranks" in findings.late:
        return f"The certainty of places was {LATE}."
    return findings.kind.certainty(findings)


def _numbers(findings: Findings) -> Iterator[tuple[str, str]]:
    missing = findings.missing
    yield number(len(findings.exact.items), findings.noun, f"{findings.noun}s")
    yield from findings.kind.numbers(findings)
    if missing is not None and (findings.kind.infers or missing.n_missing):
        what = "missing" if findings.noun == "system" else "unranked"
        share = missing.n_missing / missing.n_cells
        yield quantity(share, "share of cells missing", percent, of=missing.n_cells), what


def _caption(findings: Findings, drawing: RowDrawing, *, has_groups: bool) -> list[str]:
    lines = [drawing.caption]
    if has_groups:
        vote = findings.kind.words.vote
        lines.append(f"Shaded: groups whose order can change without contradicting more {vote}s.")
    if findings.has_bars and findings.ranks and findings.ranks.first_note:
        lines.append("“May be first” tests the first place alone, which bars of others can reach.")
    lines += findings.kind.caption(findings)
    tasks = findings.data.tasks if isinstance(findings.data, ScoreTable) else ()
    if any(_has_other_letters(str(label)) for label in (*findings.exact.items, *tasks)):
        lines.append("Some names need a font that has their letters; without it, boxes appear.")
    return lines


def _has_other_letters(text: str) -> bool:
    """Return whether a text has letters for which a machine may lack a font."""
    return any(
        category(letter)[0] == "L" and name(letter, "").partition(" ")[0] not in EVERYWHERE
        for letter in text
        if not letter.isascii()
    )
