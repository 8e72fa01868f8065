"""The parts of a page, and how they become one that needs nothing else."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal, Self

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from rankagg import __version__
from rankagg.core.names import is_blank, joined, said
from rankagg.exceptions import visible, visible_json
from rankagg.report.first_screen import FirstScreen
from rankagg.report.flow import Flow
from rankagg.report.pairs import PairMap
from rankagg.report.tables import Table

if TYPE_CHECKING:
    from rankagg.report.figures import Figure

__all__ = ["Inline", "Part", "Section", "environment", "json_text", "render_page"]

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
