"""Sections of a page, their tables, the marks in its rows, and the HTML that they become."""

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
from rankagg.core import amount, counted, is_blank, joined, said, stated, unsigned
from rankagg.exceptions import visible, visible_json

SCRIPTS = ("tables.js", "chapters.js")
STYLES = ("tokens.css", "page.css", "ranking.css", "figures.css", "tables.css", "print.css")
# Cells of a table, and rows at least, that a page has without its script.
CELLS, LEAST_ROWS = 3_000, 20
#: Stands for what is not known or does not apply.
UNKNOWN = "\N{EN DASH}"


class _SectionPart(NamedTuple):
    """One paragraph, list, table or figure, of a kind that `parts.html` knows."""

    kind: str
    content: Any


@dataclass
class Section:
    """A heading and what stands below it."""

    name: str
    title: str
    # What it comes to, in a few words next to the heading.
    finding: str = ""
    # Whether it is open when the page is opened.
    is_open: bool = False
    parts: list[_SectionPart] = field(default_factory=list)

    def add(self, kind: str, content: Any) -> Self:
        """Add a part of a kind that the template knows."""
        self.parts.append(_SectionPart(kind, content))
        return self

    def text(self, *sentences: str) -> Self:
        """Add a paragraph."""
        return self.add("text", joined(sentences))

    def unknown(self, sentence: str) -> Self:
        """Add what is not known, as visibly as what is."""
        return self.add("unknown", sentence)

    def items(self, lines: Iterable[str], most: int | None = None) -> Self:
        """Add a list, where there is something in it; of more than `most` lines how many follow."""
        known = list(lines)
        if most is not None and len(known) > most:
            known[most:] = [f"and {len(known) - most:,} more"]
        return self.add("list", tuple(known)) if known else self

    def facts(self, pairs: Iterable[tuple[str, object]]) -> Self:
        """Add names with their values."""
        return self.add("facts", tuple((name, said("{}", value)) for name, value in pairs))

    def table(self, table: PageTable) -> Self:
        """Add a table."""
        return self.add("table", table)

    def told(self, finding: str) -> Self:
        """Say next to the heading what the section comes to."""
        self.finding = finding
        return self


# -- tables ---------------------------------------------------------------------------------------


class _PageColumn(NamedTuple):
    """A column: its heading, how it looks (number, long, name, bar or empty), its meaning."""

    name: str
    look: str = "number"
    meaning: str = ""
    # What columns are chosen by.
    category: str = ""


@dataclass(frozen=True)
class _PageCell:
    """A cell: its text, the number it is sorted by (None: by its text), its bar in per cent."""

    text: str
    key: float | None = None
    is_best: bool = False
    bar: float = 0.0


class PageTable(NamedTuple):
    """A table that readers may sort by any column; the first column names the row."""

    columns: tuple[_PageColumn, ...]
    rows: tuple[tuple[_PageCell, ...], ...]
    caption: str
    # What was not shown; empty where everything is.
    left_out: str = ""

    @property
    def n_drawn(self) -> int:
        """How many rows the page has without its script."""
        columns = len(self.columns)
        is_small = len(self.rows) * columns <= CELLS
        return len(self.rows) if is_small else max(CELLS // columns, LEAST_ROWS)

    @property
    def width(self) -> Literal["text", "figure", "wide"]:
        """How wide it is: as text where there are few columns, as the window where many."""
        wide = sum(2 if column.look in ("long", "name", "bar") else 1 for column in self.columns)
        return "text" if wide <= 4 else "figure" if wide <= 11 else "wide"

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """What columns mean, where that is not plain from their headings; the same is said once."""
        told: dict[str, list[str]] = {}
        for column in self.columns:
            if column.meaning:
                told.setdefault(column.meaning, []).append(column.name)
        return tuple((", ".join(names), meaning) for meaning, names in told.items())


def table_of(
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
    """Make a table from a frame, column by column; `cells` gives fields of cells by column."""
    shown, words, barred = frame.head(limit or len(frame)), set(text), set(bars)
    columns, rows = [], []
    for name in map(str, shown.columns):
        values, style, look = shown[name], (formats or {}).get(name, ""), ""
        given = dict((cells or {}).get(name, {}))
        if name not in words:
            look = "bar" if name in barred else "number"
        # Longer texts may be broken over lines, names on narrow screens; shorter ones stay whole.
        elif len(values) and (longest := values.map(lambda value: len(str(value))).max()) > 12:
            look = "name" if longest <= 40 else "long"
        told = (headings or {}).get(name, name), look, (meanings or {}).get(name, "")
        columns.append(_PageColumn(*told, (categories or {}).get(name, "")))
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
    """Return a number of the first screen, and what it counts."""
    return stated(value, what, ","), counted(value, noun).split(" ", 1)[1]


def fact(name: str, value: int, what: str = "") -> tuple[str, object]:
    """Return a name and a number for a list of facts."""
    return name, stated(value, what or name.lower(), ",")


# -- marks in rows --------------------------------------------------------------------------------


class Strip(NamedTuple):
    """What is drawn in a row, in per cent of its width."""

    # Where the mark is, and the ends of the bar.
    at: float | None
    bar: tuple[float, float] | None = None
    # "first" where the item may be first, "outside" where its mark lies outside its bar.
    mark: str = "dot"
    # Where thin strokes are.
    strokes: tuple[float, ...] = ()

    @property
    def link(self) -> tuple[float, float] | None:
        """The ends of the thin line that joins the bar and a mark outside it."""
        if self.mark != "outside" or self.bar is None or self.at is None:
            return None
        return (self.at, self.bar[0]) if self.at < self.bar[0] else (self.bar[1], self.at)


class RowDrawing(NamedTuple):
    """What is drawn in the rows of the first figure, in the order of the items."""

    strips: Sequence[Strip]
    ticks: tuple[tuple[float, str], ...]
    # The marks of the key (their kind, and whether with a bar), and what each means.
    key: tuple[tuple[str, bool, str], ...]
    # The sentence below.
    caption: str


def at_place(place: float, n: int) -> float:
    """Return the position of a place of n, in per cent of the width."""
    return 100 * (place - 0.5) / n


def ticks(n: int) -> tuple[tuple[float, str], ...]:
    """Return where numbers stand above places, and which.

    Examples
    --------
    >>> [text for _, text in ticks(24)]
    ['1', '5', '10', '15', '20', '24']
    """
    chosen = list(range(1, n + 1))
    # Eight numbers fit on a narrow page.
    if n > 8:
        step = 5
        for factor in (2, 2, 2.5, 2, 2, 2.5, 2, 2, 2.5):
            if n / step > 6:
                step = round(step * factor)
        chosen = [1, *(k for k in range(step, n, step) if n - k > 0.4 * step), n]
    return tuple((at_place(place, n), f"{place:,}") for place in chosen)


def marked_shares() -> tuple[tuple[float, str], ...]:
    """Return where numbers stand above shares, and the numbers."""
    return tuple((at_share(k / 4), f"{25 * k}{' %' * (k == 4)}") for k in range(5))


def at_share(share: Any) -> Any:
    """Return the position of a share of one, or of each of several, in per cent of the width."""
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
    """Return a page as HTML; `screen` is of `first_screen`, and `blocks` are JSON by the id."""
    return render(
        "report.html",
        STYLES,
        [*map(resource, SCRIPTS), *scripts],
        title=title,
        screen=screen,
        facts=facts or {},
        lead=lead,
        sections=sections,
        # No name may end the element.
        blocks=[
            (name, Markup(visible_json(text).replace("<", "\\u003c")))
            for name, text in (blocks or {}).items()
        ],
    )


def render(
    template: str, styles: Sequence[str], scripts: Sequence[str] = (), **content: Any
) -> str:
    """Fill in a template; the page's policy allows the scripts and the style by their hashes.

    Signs that steer a text, such as turns of its direction, are written as Python writes them.
    """
    style = _inline("\n".join(map(resource, styles)))
    inline = {"style": style, "scripts": list(map(_inline, scripts)), "version": __version__}
    return visible(_environment().get_template(template).render(**inline, **content))


def _inline(text: str) -> dict[str, str]:
    digest = b64encode(sha256(text.encode()).digest()).decode()
    return {"text": Markup(text), "digest": digest}


def resource(name: str) -> str:
    """Return the text of a style or a script of pages."""
    return (files("rankagg.report") / "templates" / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    """Return what fills in the templates of this package; names are escaped."""
    made = Environment(
        loader=PackageLoader("rankagg.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # A length in per cent, with no more digits than can be seen.
    made.filters["share"] = lambda per_cent: f"{per_cent:.2f}".rstrip("0").rstrip(".") + "%"
    # A number as browsers read it.
    made.filters["sortable"] = lambda key: "Infinity" if key == np.inf else repr(key)
    # Elements as a JSON text that does not end its script.
    made.filters["as_json"] = lambda text: Markup(
        json.dumps(visible(text), ensure_ascii=False)
        .replace("</", "<\\/")
        .replace("<!", "<\\u0021")
    )
    made.tests["blank"] = is_blank
    return made
