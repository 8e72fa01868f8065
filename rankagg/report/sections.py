"""Sections of a page, their tables, and the HTML that they become."""

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
from rankagg.core import amount, is_blank, joined, said, unsigned
from rankagg.exceptions import visible, visible_json
from rankagg.report.first_screen import FirstScreen

SCRIPTS = ("tables.js", "chapters.js")
STYLES = ("tokens.css", "page.css", "ranking.css", "figures.css", "tables.css", "print.css")
#: Stands for what is not known or does not apply.
UNKNOWN = "\N{EN DASH}"


class _SectionPart(NamedTuple):
    """One paragraph, list, table or figure."""

    # text, unknown, assumed, list, facts, heading, table, folded, flow, pairs, proved or
    # figure.
    kind: str
    content: Any


@dataclass
class Section:
    """A heading and what stands below it."""

    name: str
    title: str
    # What it comes to, in a few words beside the heading.
    finding: str = ""
    # Whether it stands open when the page is opened.
    is_open: bool = False
    # What was added, in that order.
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

    def items(self, lines: Iterable[str]) -> Self:
        """Add a list, where there is something in it."""
        known = tuple(lines)
        return self.add("list", known) if known else self

    def facts(self, pairs: Iterable[tuple[str, object]]) -> Self:
        """Add names with their values."""
        return self.add("facts", tuple((name, said("{}", value)) for name, value in pairs))

    def table(self, table: PageTable) -> Self:
        """Add a table."""
        return self.add("table", table)

    def told(self, finding: str) -> Self:
        """Say beside the heading what the section comes to."""
        self.finding = finding
        return self


@dataclass(frozen=True)
class Inline:
    """A script or style of the page, and the hash by which the page's policy allows it."""

    text: Markup
    digest: str

    @classmethod
    def read(cls, *names: str) -> Inline:
        """Read files of this package."""
        return cls.of("\n".join(map(_resource, names)))

    @classmethod
    def of(cls, text: str) -> Inline:
        """Return a text of this package; it may not hold the end of its own element."""
        return cls(Markup(text), b64encode(sha256(text.encode()).digest()).decode())


def render_page(
    title: str,
    sections: Sequence[Section],
    *,
    screen: FirstScreen | None = None,
    facts: Mapping[str, str] | None = None,
    lead: Sequence[str] = (),
    scripts: Sequence[str] = (),
    blocks: Mapping[str, str] | None = None,
) -> str:
    """Return a page as HTML."""
    return (
        environment()
        .get_template("report.html")
        .render(
            title=title,
            screen=screen,
            facts=facts or {},
            lead=lead,
            sections=sections,
            style=Inline.read(*STYLES),
            scripts=[Inline.of(text) for text in (*map(_resource, SCRIPTS), *scripts)],
            blocks=[(name, _json_text(text)) for name, text in (blocks or {}).items()],
            version=__version__,
        )
    )


def _json_text(text: str) -> Markup:
    """Return JSON that cannot end its element, whatever names it holds."""
    json.loads(text)
    return Markup(visible_json(text).replace("<", "\\u003c"))


def _resource(name: str) -> str:
    return (files("rankagg.report") / "templates" / name).read_text(encoding="utf-8")


@cache
def environment() -> Environment:
    """Return what fills in the templates of this package; names are escaped."""
    options: dict[str, Any] = {"trim_blocks": True, "lstrip_blocks": True}
    made = Environment(
        loader=PackageLoader("rankagg.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        **options,
    )
    made.filters["share"] = _share
    made.tests["blank"] = is_blank
    return made


def _visible(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _share(per_cent: float) -> str:
    """Return a length in per cent as SVG has it, with no more digits than can be seen."""
    return f"{per_cent:.2f}".rstrip("0").rstrip(".") + "%"


@dataclass(frozen=True)
class _PageColumn:
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

    @property
    def key_text(self) -> str:
        """The key as browsers read numbers."""
        return "Infinity" if self.key == np.inf else repr(self.key)


@dataclass(frozen=True)
class PageTable:
    """A table that readers may sort by any column."""

    # The columns; the first names the row.
    columns: tuple[_PageColumn, ...]
    rows: tuple[tuple[_PageCell, ...], ...]
    caption: str
    # What was not shown; empty where everything is.
    left_out: str = ""

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


def bullets(lines: Sequence[str], limit: int) -> tuple[str, ...]:
    """Return the first lines, and one that says how many follow."""
    left = len(lines) - limit
    return (*lines[:limit], *([f"and {left:,} more"] if left > 0 else []))
