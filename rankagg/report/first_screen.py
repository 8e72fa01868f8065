"""What readers see first: the result, how sure it is, three numbers, one figure."""

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
    said,
    stated,
)
from rankagg.report.cards import CardColumn
from rankagg.report.findings import Findings
from rankagg.report.sections import UNKNOWN, RowDrawing, Strip, number

# Rows that are shown when the page is opened.
FOLDED = 40
# Names wider than this may be cut on the screen; then they can be shown in full.
WIDE, WIDE_CARD = 34, 18
# Rows that the page has without its script; others are drawn when they are asked for.
DRAWN = 250
# Scripts whose letters every machine has a font for; the first word of a letter's name tells.
EVERYWHERE = frozenset({"LATIN", "GREEK", "CYRILLIC", "FEMININE", "MASCULINE", "MICRO", "MODIFIER"})


class _PlaceRow(NamedTuple):
    """An item: its place, its position among the items of the votes, its name, the rest."""

    place: int
    position: int
    name: str
    strip: Strip
    interval: str
    # One for each heading.
    numbers: tuple[str, ...]
    # Where its name leads; empty where nothing is.
    link: str = ""
    # What is said of it besides, and the numbers it is sorted by.
    cards: tuple[tuple[str, float | None], ...] = ()


class _PlaceGroup(NamedTuple):
    """Rows that stand together; where it is open, the votes do not say in which order."""

    rows: tuple[_PlaceRow, ...]
    is_open: bool


@dataclass(frozen=True)
class _FirstScreen:
    """What readers see first."""

    # The sentence of the result, and those of how sure it is.
    result: str
    certainty: str
    # Numbers, and what they count.
    numbers: tuple[tuple[str, str], ...]
    # All rows of the figure, the best first, what their strips show, and the sentences below.
    blocks: tuple[_PlaceGroup, ...]
    drawing: RowDrawing
    caption: tuple[str, ...]
    # Headings of the columns; no intervals are there where the level is empty.
    noun: str
    level: str
    headings: tuple[str, ...]
    # Whether the rows are the order that the proof is of, and what that counts.
    is_proved_order: bool = True
    vote: str = "vote"
    # What is said of items, a column each.
    cards: tuple[CardColumn, ...] = ()

    @property
    def rows(self) -> tuple[_PlaceRow, ...]:
        """All rows."""
        return tuple(row for block in self.blocks for row in block.rows)

    @property
    def fold_after(self) -> int:
        """How many rows are shown at first; 0 where all are."""
        return FOLDED if len(self.rows) > FOLDED + 5 else 0

    @property
    def has_groups(self) -> bool:
        """Whether some rows stand together, for the key."""
        return any(block.is_open for block in self.blocks)

    @property
    def has_long_names(self) -> bool:
        """Whether some names, or what is said of them, may be cut on the screen."""
        return any(
            letters(row.name) > WIDE or any(letters(text) > WIDE_CARD for text, _ in row.cards)
            for row in self.rows
        )

    @property
    def n_drawn(self) -> int:
        """How many rows the page has without its script."""
        return min(len(self.rows), DRAWN)

    def blocks_of(self, start: int, end: int) -> list[_PlaceGroup]:
        """Return the groups of the rows from one to another."""
        found, first = [], 0
        for block in self.blocks:
            rows = block.rows[max(start - first, 0) : max(end - first, 0)]
            first += len(block.rows)
            found += [_PlaceGroup(rows, block.is_open)] if rows else []
        return found


def first_screen(findings: Findings) -> _FirstScreen:
    """Return what readers see first."""
    kind, items = findings.kind, findings.exact.items
    columns, drawing = kind.columns(findings), kind.drawing(findings)
    cards = kind.told.cards
    ranks = findings.ranks if findings.has_decisions else None
    rows = [
        _PlaceRow(
            place=int(findings.lead.ranking.ranks[i]) + 1 if kind.shares_places else place,
            position=i,
            name=str(items[i]),
            strip=drawing.strips[i],
            interval="" if ranks is None else span(ranks.best[i], ranks.worst[i]),
            numbers=tuple(column.texts[i] for column in columns),
            link=cards.links.get(items[i], ""),
            cards=tuple((c.texts.get(items[i], UNKNOWN), c.key(items[i])) for c in cards.columns),
        )
        for place, i in enumerate(findings.order.tolist(), 1)
    ]
    blocks = _groups_of(rows, findings.alternatives if findings.is_exact else None)
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
    """Return from which rank to which an item may stand."""
    return f"{best:,}" if best == worst else f"{best:,}{to}{worst:,}"


def _groups_of(rows: Sequence[_PlaceRow], known: Alternatives | None) -> tuple[_PlaceGroup, ...]:
    """Return groups of optima of several rows, and between them those that stand alone together."""
    sizes = [1] * len(rows)
    if known is not None and known.is_unique is False:
        sizes = [len(block) for block in known.optima.blocks]
    groups = [k if size > 1 else -1 for k, size in enumerate(sizes) for _ in range(size)]
    parts = groupby(zip(groups, rows, strict=True), key=lambda pair: pair[0])
    return tuple(_PlaceGroup(tuple(row for _, row in part), is_open=k >= 0) for k, part in parts)


# -- sentences ------------------------------------------------------------------------------------


def _result(findings: Findings) -> str:
    """Say who is first, and who else may be."""
    if len(findings.exact.items) == 1:
        return f"There is one {findings.noun}, {named(findings.exact.order[0])}: nothing to rank."
    is_alone = findings.is_proved and len(findings.winners) == 1
    rivals = _rivals(findings) if is_alone or not findings.is_exact else ""
    return said("{}{}.", findings.kind.result(findings), rivals)


def _rivals(findings: Findings) -> str:
    """Say who else may be first, as the rest of a sentence."""
    ranks, noun, leader = findings.ranks, findings.noun, findings.exact.items[findings.order[0]]
    if ranks is None:
        return ""
    units = units_of(ranks.decisions)
    if not findings.has_decisions:
        which = f"any two {noun}s" if len(ranks.items) > 2 else "the two"
        return said(", but {} cannot tell {} apart", units, which)
    may = ranks.first
    rest = [item for item in may if item != leader]
    if len(rest) == len(may):
        return f", although by {ranks.by} only {listing(may, 3)} may be first"
    if not rest:
        return said(
            ", and no other {} may be first, at {}{}", noun, findings.level, ranks.first_note
        )
    if 1 < len(rest) == len(ranks.items) - 1:
        return said(", but so may be any other {}: {} cannot tell", noun, units)
    others = stated(len(rest), "others that may be first", partial(in_words, noun="other"))
    who = named(rest[0]) if len(rest) == 1 else others
    return said(", but {} may be first too: {} cannot tell them apart", who, units)


def _decided(findings: Findings) -> str:
    """Say what is decided of the places."""
    if "ranks" in findings.late:
        return f"How sure the places are was {LATE}."
    return findings.kind.certainty(findings)


def _numbers(findings: Findings) -> Iterator[tuple[str, str]]:
    missing = findings.missing
    yield number(len(findings.exact.items), findings.noun, f"{findings.noun}s")
    yield from findings.kind.numbers(findings)
    if missing is not None and (findings.kind.infers or missing.n_missing):
        what = "missing" if findings.noun == "system" else "unranked"
        share, cells = missing.n_missing / missing.n_cells, missing.n_cells
        yield stated(share, "share of cells missing", percent, of=cells), what


def _caption(findings: Findings, drawing: RowDrawing, *, has_groups: bool) -> list[str]:
    told = [drawing.caption]
    if has_groups:
        vote = findings.kind.words.vote
        told.append(f"Shaded: groups whose order can change without contradicting one {vote} more.")
    if findings.has_bars and findings.ranks and findings.ranks.first_note:
        told.append("Who may be first is asked of that place alone: bars of others can reach it.")
    told += findings.kind.caption(findings)
    tasks = findings.data.tasks if isinstance(findings.data, ScoreTable) else ()
    if any(_has_other_letters(str(label)) for label in (*findings.exact.items, *tasks)):
        told.append(
            "Some names need a font that has their letters; where a box stands for a letter, this "
            "machine has none."
        )
    return told


def _has_other_letters(text: str) -> bool:
    """Say whether a text has letters of scripts that a plain machine may have no font for."""
    return any(
        category(letter)[0] == "L" and name(letter, "").partition(" ")[0] not in EVERYWHERE
        for letter in text
        if not letter.isascii()
    )
