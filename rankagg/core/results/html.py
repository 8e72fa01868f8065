"""Tables for notebooks, of labels that may hold anything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["html_table"]


def html_table(head: Sequence[object], rows: Iterable[Sequence[object]], *, named: bool) -> str:
    """Return a table with escaped cells; where rows are named, their first cell is a heading."""
    first = "th" if named else "td"
    body = "".join(
        f"<tr><{first}>{escape(str(lead))}</{first}>"
        + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells)
        + "</tr>"
        for lead, *cells in rows
    )
    top = "".join(f"<th>{escape(str(cell))}</th>" for cell in head)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
