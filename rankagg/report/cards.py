"""Cards of items: columns, links, and messages on unused rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

import pandas as pd

from rankagg._typing import Label
from rankagg._validation import as_frame, ascii_number
from rankagg.core import ItemSet, counted, listed
from rankagg.exceptions import Described, InvalidInputError, escaped

# Headings of links, in lower case.
LINKS = ("link", "url")
# Most values of a column that readers filter by.
MOST_CHOICES = 20


class CardColumn(NamedTuple):
    """Column of the cards."""

    heading: str
    texts: Mapping[Label, str]
    # Whether all are numbers, which then sort the rows.
    is_number: bool
    # Values to filter by: a few, shared by items.
    choices: tuple[str, ...]

    def key(self, item: Label) -> float | None:
        """Return the sort key of an item; unknown numbers are last."""
        text = self.texts.get(item)
        return None if not self.is_number else float("inf") if text is None else _number(text)


class Cards(NamedTuple):
    """Columns, links by item, and messages on unused rows and items without one."""

    columns: tuple[CardColumn, ...] = ()
    links: Mapping[Label, str] = {}
    lines: tuple[str, ...] = ()


def read_cards(table: pd.DataFrame | None, items: ItemSet, tasks: Iterable[Label] = ()) -> Cards:
    """Read the rows of items of the data; count the others.

    Columns of tasks are left out, as in a file of scores and cards.
    """
    if table is None:
        return Cards()
    table = as_frame(table)
    if not isinstance(table, pd.DataFrame):
        raise InvalidInputError("about_items", "a DataFrame whose index has the items", table)
    others = [label for label in table.index if label not in items]
    known = table.loc[[label in items for label in table.index]]
    if len(table) and not len(known):
        allowed = "a table with rows of items of the data"
        remedy = "Labels are the index of a DataFrame, and the first column of a file."
        raise InvalidInputError("about_items", allowed, Described(listed(others)), remedy)
    if known.index.has_duplicates:
        twice = known.index[known.index.duplicated()][0]
        raise InvalidInputError("about_items", "a row for each item", twice)
    by_heading: dict[str, dict[Label, str]] = {}
    for position, name in enumerate(known.columns):
        heading = "link" if is_link(name) else str(name)
        if heading in by_heading:
            what = "one column of links" if heading == "link" else "columns of different names"
            raise InvalidInputError("about_items", what, list(map(str, known.columns)))
        values = known.iloc[:, position].dropna()
        by_heading[heading] = {cast(Label, item): _text(x) for item, x in values.items()}
    scored = [task for task in map(str, tasks) if by_heading.pop(task, None)]
    links = by_heading.pop("link", {})
    for link in links.values():
        check_link(link, "about_items")
    lacking = [label for label in items if label not in known.index]
    lines = [
        f"about items: {counted(len(labels), noun, ',')} {kind} ({listed(labels)})"
        for labels, noun, kind in (
            (others, "row", "of no item of the data, left out"),
            (lacking, "item", "of the data without a row"),
            (scored, "column", "of tasks of the data, left out"),
        )
        if labels and len(table)
    ]
    return Cards(tuple(_column(*one) for one in by_heading.items() if one[1]), links, tuple(lines))


def is_link(name: object) -> bool:
    """Return whether a heading is that of links."""
    return str(name).strip().lower() in LINKS


def check_link(link: object, parameter: str) -> None:
    """Raise unless a link is a web address: others could run as scripts."""
    if urlsplit(str(link)).scheme not in ("http", "https"):
        raise InvalidInputError(
            parameter, "links that begin with http:// or https://", Described(repr(link))
        )


def _column(heading: str, texts: Mapping[Label, str]) -> CardColumn:
    is_number = all(_number(text) is not None for text in texts.values())
    different = set(texts.values())
    is_shared = 1 < len(different) <= MOST_CHOICES and len(different) < len(texts)
    sort: Any = _number if is_number else str.casefold
    choices = sorted(different, key=sort) if is_shared else []
    return CardColumn(heading, texts, is_number, tuple(choices))


def _number(text: str) -> float | None:
    """Return the number in a text, or None."""
    try:
        number = float(ascii_number(text))
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None


def _text(value: Any) -> str:
    # Whole numbers with gaps are floats in a DataFrame; pages show runs of blanks as one.
    return f"{value:.15g}" if isinstance(value, float) else escaped(" ".join(str(value).split()))
