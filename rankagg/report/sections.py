"""The parts of a page, and how a section is put together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self

from rankagg.core.names import joined, said
from rankagg.report.flow import Flow
from rankagg.report.pairs import PairMap
from rankagg.report.tables import Table

if TYPE_CHECKING:
    from rankagg.report.figures import Figure

__all__ = ["Part", "Section"]

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
    """A heading and what stands below it.

    Attributes
    ----------
    name : str
        What links point to.
    title : str
        The heading.
    finding : str
        What it comes to, in a few words beside the heading.
    parts : list of Part
        What was added, in that order.
    """

    name: str
    title: str
    finding: str = ""
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
