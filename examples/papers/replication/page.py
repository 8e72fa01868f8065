"""One page of HTML with all rows, figures and explanations."""

from __future__ import annotations

import io
import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import escape
from matplotlib.axes import Axes

import rankagg as ra

#: The folder with the template, its style and its scripts.
FOLDER = Path(__file__).with_name("templates")
#: Stands for what is not known or does not apply.
UNKNOWN = "\N{EN DASH}"
# The page shows so many rows of a table; its file has all.
MOST_ROWS = 40


@dataclass(frozen=True)
class Cell:
    """A cell: its text, the number it is sorted by (None: by its text), and where it leads."""

    text: str
    key: float | None = None
    link: str = ""

    @property
    def key_text(self) -> str:
        """The key as browsers read numbers."""
        return "Infinity" if self.key == np.inf else repr(self.key)


@dataclass(frozen=True)
class Table:
    """A table that readers may sort by any column."""

    # The name and the look (number, long, name or nothing) of each column; the first names the row.
    columns: Sequence[tuple[str, str]]
    rows: Sequence[Sequence[Cell]]
    caption: str
    # What is not shown; empty where everything is.
    left_out: str = ""
    # Whether narrow screens have the cells of a row below each other, with the columns' names.
    stacked: bool = False

    @property
    def width(self) -> str:
        """How wide it is: as text where there are few columns, as the window where many."""
        wide = sum(2 if look in ("long", "name") else 1 for _, look in self.columns)
        return "text" if wide <= 4 else "figure" if wide <= 11 else "wide"


@dataclass(frozen=True)
class Figure:
    """A drawn plot."""

    svg: str
    caption: str


@dataclass
class Section:
    """A heading and what stands below it."""

    name: str
    title: str
    # What it comes to, in a few words beside the heading.
    finding: str = ""
    sentences: list[str] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    # Names to link to, titles and texts.
    explanations: list[tuple[str, str, str]] = field(default_factory=list)


def render(title: str, lead: Sequence[str], sections: Sequence[Section]) -> str:
    """Return the page."""
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["digest"] = _digest
    return environment.get_template("page.html").render(
        title=title,
        lead=lead,
        sections=sections,
        style=_text_of("page.css"),
        scripts=[_text_of("tables.js"), _text_of("chapters.js")],
        version=ra.__version__,
    )


def _text_of(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """Return the hash by which the page's policy allows a script or style."""
    return b64encode(sha256(text.encode()).digest()).decode()


def table_of(frame: pd.DataFrame, caption: str) -> Table:
    """Return a table of the first rows of a frame."""
    columns, cells, numbers = [], [], frame.select_dtypes("number").columns
    for name, values in frame.head(MOST_ROWS).items():
        if name in numbers:
            look = "number"
            cells.append([_number(value) for value in values])
        else:
            texts = [UNKNOWN if pd.isna(value) else str(value) for value in values]
            # Longer texts may be broken over lines, names on narrow screens; others stay whole.
            longest = max(map(len, texts), default=0)
            look = "" if longest <= 12 else "name" if longest <= 40 else "long"
            cells.append([Cell(text) for text in texts])
        columns.append((str(name), look))
    left = len(frame) - MOST_ROWS
    left_out = f"{left:,} more rows are not shown." if left > 0 else ""
    return Table(columns, list(zip(*cells, strict=True)), caption, left_out)


def _number(value: Any) -> Cell:
    if pd.isna(value):
        return Cell(UNKNOWN, np.inf)
    return Cell(f"{value:z.5g}", float(value))


def figure_of(draw: Callable[[], Axes], alternative: str, caption: str) -> Figure:
    """Draw a plot as SVG, whose letters stay letters.

    `alternative` says what it shows to those who do not see it.
    """
    target = io.StringIO()
    salt = sha256(caption.encode()).hexdigest()[:12]
    hidden = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    # Letters are drawn by the browser, which has fonts for scripts that are missing here.
    options = {"svg.fonttype": "none", "svg.hashsalt": salt}
    with ra.plotting.style("paper"), plt.rc_context(options):
        figure = draw().figure
        try:
            figure.savefig(target, format="svg", transparent=True, metadata=hidden)
        finally:
            plt.close(figure)
    return Figure(_inline(target.getvalue(), salt, alternative), caption)


def _inline(svg: str, salt: str, alternative: str) -> str:
    """Take a file's frame off an SVG, and keep its names apart from those of other plots."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<(metadata|style).*?</\1>", "", body, flags=re.DOTALL)
    body = re.sub(r' style="([^"]*)"', lambda m: _attributes(m[1]), body)
    used = set(re.findall(r'(?:url\(#|href="#)([^)"]+)', body))
    body = re.sub(r' id="([^"]*)"', lambda m: f' id="{salt}-{m[1]}"' if m[1] in used else "", body)
    body = re.sub(r'(url\(#|href="#)', rf"\g<1>{salt}-", body)
    label = escape(alternative)
    return re.sub(r"<svg ", f'<svg role="img" aria-label="{label}" ', body, count=1)


def _attributes(style: str) -> str:
    """Return the same look without a style attribute, which the page's policy does not allow."""
    found = []
    for rule in filter(None, map(str.strip, style.split(";"))):
        name, value = (part.strip() for part in rule.split(":", 1))
        if name == "font":
            # Weight and slant, size, families.
            look, size, families = re.fullmatch(r"(.*?)([\d.]+px) (.*)", value).groups()
            found += [("font-size", size), ("font-family", families)]
            found += [("font-weight", "bold")] * ("bold" in look or "700" in look)
            found += [("font-style", "italic")] * ("italic" in look or "oblique" in look)
        else:
            found.append((name, value))
    return "".join(f' {name}="{escape(value)}"' for name, value in found)
