"""Sections of a page, their tables, and the HTML that they become."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from rankagg import __version__
from rankagg.core.names import amount, is_blank, joined, said, unsigned
from rankagg.exceptions import visible, visible_json
from rankagg.report.charts import Flow, PairMap
from rankagg.report.first_screen import FirstScreen

if TYPE_CHECKING:
    from rankagg.report.figures import Figure

Kind = Literal[
    "text", "unknown", "assumed", "list", "facts", "heading", "anchor", "table", "folded", "flow",
    "pairs", "figure",
]  # fmt: skip


@dataclass(frozen=True)
class Part:
    """One paragraph, list, table or figure."""

    kind: Kind
    content: Any


@dataclass
class Section:
    """A heading and what stands below it."""

    name: str
    title: str
    # What it comes to, in a few words beside the heading.
    finding: str = ""
    # What was added, in that order.
    parts: list[Part] = field(default_factory=list)

    def text(self, *sentences: str) -> Self:
        """Add a paragraph."""
        self.parts.append(Part("text", joined(sentences)))
        return self

    def unknown(self, sentence: str) -> Self:
        """Add what is not known, as visibly as what is."""
        self.parts.append(Part("unknown", sentence))
        return self

    def assumed(self, sentence: str) -> Self:
        """Add what the statements around it rest on."""
        self.parts.append(Part("assumed", sentence))
        return self

    def items(self, lines: Iterable[str]) -> Self:
        """Add a list, where there is something in it."""
        if found := tuple(lines):
            self.parts.append(Part("list", found))
        return self

    def facts(self, pairs: Iterable[tuple[str, object]]) -> Self:
        """Add names with their values."""
        self.parts.append(Part("facts", tuple((name, said("{}", value)) for name, value in pairs)))
        return self

    def heading(self, text: str) -> Self:
        """Add a smaller heading."""
        self.parts.append(Part("heading", text))
        return self

    def anchor(self, name: str, text: str) -> Self:
        """Add a smaller heading that links lead to."""
        self.parts.append(Part("anchor", (name, text)))
        return self

    def table(self, table: Table) -> Self:
        """Add a table."""
        self.parts.append(Part("table", table))
        return self

    def folded(self, heading: str, table: Table) -> Self:
        """Add a table that opens below a smaller heading."""
        self.parts.append(Part("folded", (heading, table)))
        return self

    def flow(self, flow: Flow) -> Self:
        """Add a chart of how items move between methods."""
        self.parts.append(Part("flow", flow))
        return self

    def pairs(self, pairs: PairMap) -> Self:
        """Add a map of who beats whom."""
        self.parts.append(Part("pairs", pairs))
        return self

    def figure(self, figure: Figure) -> Self:
        """Add a plot."""
        self.parts.append(Part("figure", figure))
        return self

    def told(self, finding: str) -> Self:
        """Say beside the heading what the section comes to."""
        self.finding = finding
        return self


SCRIPTS = ("tables.js", "chapters.js")
STYLES = ("tokens.css", "page.css", "ranking.css", "figures.css", "tables.css", "print.css")


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
        return cls(Markup(text), _digest(text))


def render_page(
    title: str,
    sections: Sequence[Section],
    *,
    screen: FirstScreen | None = None,
    lead: Sequence[str] = (),
    scripts: Sequence[str] = (),
    blocks: Mapping[str, str] | None = None,
) -> str:
    """Return a page as HTML."""
    return environment().get_template("report.html").render(
        title=title,
        screen=screen,
        lead=lead,
        sections=sections,
        style=Inline.read(*STYLES),
        scripts=[Inline.of(text) for text in (*map(_resource, SCRIPTS), *scripts)],
        blocks=[(name, json_text(text)) for name, text in (blocks or {}).items()],
        version=__version__,
    )  # fmt: skip


def json_text(text: str) -> Markup:
    """Return JSON that cannot end its element, whatever names it holds."""
    json.loads(text)
    return Markup(visible_json(text).replace("<", "\\u003c"))


def _digest(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


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


#: Stands for what is not known or does not apply.
UNKNOWN = "\N{EN DASH}"

Look = Literal["number", "long", "bar", "strip", ""]

# Longer texts may be broken over lines; shorter ones stay whole.
LONG = 12


@dataclass(frozen=True)
class Column:
    """A column: its heading, how it looks, and what it means."""

    name: str
    look: Look = "number"
    meaning: str = ""


@dataclass(frozen=True)
class Cell:
    """A cell: its text, the number it is sorted by (None: by its text), its link, its drawing.

    Rectangles are from where to where in per cent of the width; light ones are partly there.
    """

    text: str
    key: float | None = None
    link: str = ""
    drawn: tuple[tuple[float, float, str], ...] = ()

    @property
    def key_text(self) -> str:
        """The key as browsers read numbers."""
        return "Infinity" if self.key == np.inf else repr(self.key)


@dataclass(frozen=True)
class Table:
    """A table that readers may sort by any column."""

    # The columns; the first names the row.
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str
    # What was not shown; empty where everything is.
    left_out: str = ""
    # Whether narrow screens have the cells of a row below each other, with the columns' names.
    stacked: bool = False

    @property
    def width(self) -> Literal["text", "figure"]:
        """How wide it is: as text where there are few columns."""
        wide = sum(2 if column.look in ("long", "bar", "strip") else 1 for column in self.columns)
        return "text" if wide <= 4 else "figure"

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
    drawn: Mapping[str, Sequence[tuple[tuple[float, float, str], ...]]] | None = None,
    limit: int | None = None,
    what: str = "rows",
) -> Table:
    """Make a table from a frame, column by column."""
    words, pictures = set(text), dict(drawn or {})
    titles, notes, styles = headings or {}, meanings or {}, formats or {}
    shown = frame if limit is None else frame.head(limit)
    for name in bars:
        top = float(frame[name].max()) if len(frame) else 0.0
        ends = [100 * float(value) / top if top > 0 else 0.0 for value in shown[name]]
        pictures[name] = [((0.0, end, ""),) for end in ends]
    columns = tuple(
        Column(titles.get(name, name), look, notes.get(name, ""))
        for name in map(str, frame.columns)
        for look in [_look(shown[name], name in words, name in (drawn or {}), name in pictures)]
    )
    rows = tuple(
        tuple(
            _cell(value, name in words, styles.get(name, ""), pictures.get(name, ()), k)
            for name, value in zip(frame.columns, row, strict=True)
        )
        for k, row in enumerate(shown.itertuples(index=False, name=None))
    )
    left = len(frame) - len(shown)
    return Table(columns, rows, caption, f"{left:,} more {what} are not shown." if left else "")


def _cell(
    value: Any,
    is_text: bool,
    style: str,
    pictures: Sequence[tuple[tuple[float, float, str], ...]],
    row: int,
) -> Cell:
    cell = _text(value) if is_text else _number(value, style)
    return replace(cell, drawn=pictures[row]) if pictures else cell


def _look(values: pd.Series[Any], is_text: bool, is_strip: bool, is_bar: bool) -> Look:
    if is_strip:
        return "strip"
    if is_bar:
        return "bar"
    if not is_text:
        return "number"
    return "long" if values.map(lambda value: len(str(value))).max() > LONG else ""


def _text(value: Any) -> Cell:
    return Cell(UNKNOWN if pd.isna(value) else str(value))


def _number(value: Any, style: str) -> Cell:
    if value is None or value is pd.NA or np.isnan(value):
        return Cell(UNKNOWN, np.inf)
    text = format(value, style) if style else amount(value)
    return Cell(unsigned(text), float(value))


def bullets(lines: Sequence[str], limit: int) -> tuple[str, ...]:
    """Return the first lines, and one that says how many follow."""
    left = len(lines) - limit
    return (*lines[:limit], *([f"and {left:,} more"] if left > 0 else []))
