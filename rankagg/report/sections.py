"""Sections of a page, their tables, marks in rows, and HTML."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from rankagg import __version__
from rankagg.core import amount, counted, is_blank, joined, quantity, sentence, unsigned
from rankagg.exceptions import visible, visible_json

SCRIPTS = ("tables.js", "chapters.js")
STYLES = ("tokens.css", "page.css", "ranking.css", "figures.css", "tables.css", "print.css")
# Table cells, and fewest rows, that a page has without its script.
CELLS, LEAST_ROWS = 3_000, 20
#: Text for unknown values, and those that do not apply.
UNKNOWN = "\N{EN DASH}"


class _SectionPart(NamedTuple):
    """Paragraph, list, table or figure, of a kind in `parts.html`."""

    kind: str
    content: Any


@dataclass
class Section:
    """Heading with the content below it."""

    name: str
    title: str
    # Result in a few words, next to the heading.
    finding: str = ""
    # Whether it is open at first.
    is_open: bool = False
    parts: list[_SectionPart] = field(default_factory=list)

    def add(self, kind: str, content: Any) -> Self:
        """Add a part of a kind in the template."""
        self.parts.append(_SectionPart(kind, content))
        return self

    def text(self, *sentences: str) -> Self:
        """Add a paragraph."""
        return self.add("text", joined(sentences))

    def unknown(self, sentence: str) -> Self:
        """Add a sentence on a missing result, marked as such."""
        return self.add("unknown", sentence)

    def items(self, lines: Iterable[str], most: int | None = None) -> Self:
        """Add a list unless it is empty; lines beyond `most` are counted."""
        shown = list(lines)
        if most is not None and len(shown) > most:
            shown[most:] = [f"and {len(shown) - most:,} more"]
        return self.add("list", tuple(shown)) if shown else self

    def facts(self, pairs: Iterable[tuple[str, object]]) -> Self:
        """Add names with their values."""
        return self.add("facts", tuple((name, sentence("{}", value)) for name, value in pairs))

    def table(self, table: PageTable) -> Self:
        """Add a table."""
        return self.add("table", table)

    def headline(self, finding: str) -> Self:
        """State the result next to the heading."""
        self.finding = finding
        return self


# -- tables ---------------------------------------------------------------------------------------


class _PageColumn(NamedTuple):
    """Column: heading, look (number, long, name, bar or empty), meaning."""

    name: str
    look: str = "number"
    meaning: str = ""
    # Category that readers filter columns by.
    category: str = ""


@dataclass(frozen=True)
class _PageCell:
    """Cell: text, sort key (None: the text), length of its bar in per cent."""

    text: str
    key: float | None = None
    is_best: bool = False
    bar: float = 0.0


class PageTable(NamedTuple):
    """Table that readers can sort by any column; the first column names the row."""

    columns: tuple[_PageColumn, ...]
    rows: tuple[tuple[_PageCell, ...], ...]
    caption: str
    # Sentence on rows that are not shown; empty if all are.
    left_out: str = ""

    @property
    def n_drawn(self) -> int:
        """Number of rows that the page has without its script."""
        columns = len(self.columns)
        is_small = len(self.rows) * columns <= CELLS
        return len(self.rows) if is_small else max(CELLS // columns, LEAST_ROWS)

    @property
    def width(self) -> Literal["text", "figure", "wide"]:
        """Width: that of text for few columns, that of the window for many."""
        wide = sum(2 if column.look in ("long", "name", "bar") else 1 for column in self.columns)
        return "text" if wide <= 4 else "figure" if wide <= 11 else "wide"

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """Names of columns with a meaning; columns of equal meaning share one."""
        named: dict[str, list[str]] = {}
        for column in self.columns:
            if column.meaning:
                named.setdefault(column.meaning, []).append(column.name)
        return tuple((", ".join(names), meaning) for meaning, names in named.items())


def page_table(
    frame: pd.DataFrame,
    caption: str,
    *,
    formats: Mapping[str, str] | None = None,
    headings: Mapping[str, str] | None = None,
    meanings: Mapping[str, str] | None = None,
    text: Iterable[str] = (),
    bars: Iterable[str] = (),
    cells: Mapping[str, Mapping[str, Sequence[Any]]] | None = None,
    categories: Mapping[str, str] | None = None,
    limit: int | None = None,
    what: str = "rows",
) -> PageTable:
    """Make a table from a frame; `cells` holds fields of cells by column."""
    shown, words, barred = frame.head(limit or len(frame)), set(text), set(bars)
    columns, rows = [], []
    for name in map(str, shown.columns):
        values, style, look = shown[name], (formats or {}).get(name, ""), ""
        given = dict((cells or {}).get(name, {}))
        if name not in words:
            look = "bar" if name in barred else "number"
        # Long texts break over lines, names do on narrow screens, short texts never.
        elif len(values) and (longest := values.map(lambda value: len(str(value))).max()) > 12:
            look = "name" if longest <= 40 else "long"
        heading, meaning = (headings or {}).get(name, name), (meanings or {}).get(name, "")
        columns.append(_PageColumn(heading, look, meaning, (categories or {}).get(name, "")))
        made = [_text(one) if name in words else _number(one, style) for one in values]
        if name in barred:
            given["bar"] = 100 * values / max(frame[name].max(), 1)
        for part, each in given.items():
            made = [replace(cell, **{part: one}) for cell, one in zip(made, each, strict=False)]
        rows.append(made)
    left = len(frame) - len(shown)
    more = f"{left:,} more {what} are not shown." if left else ""
    return PageTable(tuple(columns), tuple(zip(*rows, strict=True)), caption, more)


def _text(value: Any) -> _PageCell:
    return _PageCell(UNKNOWN if pd.isna(value) else str(value))


def _number(value: Any, style: str) -> _PageCell:
    if value is None or value is pd.NA or np.isnan(value):
        return _PageCell(UNKNOWN, np.inf)
    return _PageCell(unsigned(format(value, style) if style else amount(value)), float(value))


def number(value: int, noun: str, what: str) -> tuple[str, str]:
    """Return a number of the first screen and the noun it counts."""
    return quantity(value, what, ","), counted(value, noun).split(" ", 1)[1]


def fact(name: str, value: int, what: str = "") -> tuple[str, object]:
    """Return a name and a number for a list of facts."""
    return name, quantity(value, what or name.lower(), ",")


# -- marks in rows --------------------------------------------------------------------------------


class Strip(NamedTuple):
    """Marks of a row, at per cents of its width."""

    # Position of the mark, and ends of the bar.
    at: float | None
    bar: tuple[float, float] | None = None
    # "first" if the item may be first, "outside" if the mark lies outside the bar.
    mark: str = "dot"
    # Positions of thin strokes.
    strokes: tuple[float, ...] = ()

    @property
    def link(self) -> tuple[float, float] | None:
        """Ends of the thin line from the bar to a mark outside it."""
        if self.mark != "outside" or self.bar is None or self.at is None:
            return None
        return (self.at, self.bar[0]) if self.at < self.bar[0] else (self.bar[1], self.at)


class RowDrawing(NamedTuple):
    """Marks in the rows of the first figure, in the order of the items."""

    strips: Sequence[Strip]
    ticks: tuple[tuple[float, str], ...]
    # Key: kind of mark, whether it has a bar, and meaning.
    key: tuple[tuple[str, bool, str], ...]
    caption: str


def at_place(place: float, n: int) -> float:
    """Return the position of a place among n, in per cent of the width."""
    return 100 * (place - 0.5) / n


def ticks(n: int) -> tuple[tuple[float, str], ...]:
    """Return positions and labels of an axis of places.

    Examples
    --------
    >>> [text for _, text in ticks(24)]
    ['1', '5', '10', '15', '20', '24']
    """
    chosen = list(range(1, n + 1))
    # Eight labels fit on a narrow page.
    if n > 8:
        step = 5
        for factor in (2, 2, 2.5, 2, 2, 2.5, 2, 2, 2.5):
            if n / step > 6:
                step = round(step * factor)
        chosen = [1, *(k for k in range(step, n, step) if n - k > 0.4 * step), n]
    return tuple((at_place(place, n), f"{place:,}") for place in chosen)


def marked_shares() -> tuple[tuple[float, str], ...]:
    """Return positions and labels of an axis of shares; every other label leaves room."""
    labels = ("0", "", "50", "", "100 %")
    return tuple((at_share(k / 4), label) for k, label in enumerate(labels))


def at_share(share: Any) -> Any:
    """Return the position of a share, or of several, in per cent of the width."""
    return 2 + 96 * share


# -- HTML -----------------------------------------------------------------------------------------


def render_page(
    title: str,
    sections: Sequence[Section],
    *,
    screen: Any = None,
    facts: Mapping[str, str] | None = None,
    lead: Sequence[str] = (),
    scripts: Sequence[str] = (),
    blocks: Mapping[str, str] | None = None,
) -> str:
    """Return a page as HTML; `screen` is from `first_screen`, `blocks` are JSON by id."""
    return render(
        "report.html",
        STYLES,
        [*map(resource, SCRIPTS), *scripts],
        title=title,
        screen=screen,
        facts=facts or {},
        lead=lead,
        sections=sections,
        # Keep labels from ending the element.
        blocks=[
            (name, Markup(visible_json(text).replace("<", "\\u003c")))
            for name, text in (blocks or {}).items()
        ],
    )


def render(
    template: str, styles: Sequence[str], scripts: Sequence[str] = (), **content: Any
) -> str:
    """Fill in a template; the page's policy allows the scripts and the style by their hashes.

    Control characters, such as changes of direction, are escaped as in Python.
    """
    return visible(
        _environment()
        .get_template(template)
        .render(
            style=_inline("\n".join(map(resource, styles))),
            scripts=list(map(_inline, scripts)),
            version=__version__,
            **content,
        )
    )


def _inline(text: str) -> dict[str, str]:
    return {"text": Markup(text), "digest": b64encode(sha256(text.encode()).digest()).decode()}


def resource(name: str) -> str:
    """Return the text of a style sheet or script."""
    return (files("rankagg.report") / "templates" / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    """Return the template environment, which escapes labels."""
    made = Environment(
        loader=PackageLoader("rankagg.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # A length in per cent, rounded to visible digits.
    made.filters["share"] = lambda per_cent: f"{per_cent:.2f}".rstrip("0").rstrip(".") + "%"
    made.filters["sortable"] = lambda key: "Infinity" if key == np.inf else repr(key)
    # Elements as JSON that cannot end its script.
    made.filters["as_json"] = lambda text: Markup(
        json.dumps(visible(text), ensure_ascii=False)
        .replace("</", "<\\/")
        .replace("<!", "<\\u0021")
    )
    made.tests["blank"] = is_blank
    return made
