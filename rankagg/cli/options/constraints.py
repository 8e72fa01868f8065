"""Options that say what the consensus must keep to."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click

from rankagg._typing import Label
from rankagg.aggregation.kemeny.constrained.constraints import Constraints, Quota
from rankagg.cli.options.names import labels_of
from rankagg.core.items import ItemSet
from rankagg.exceptions import InvalidInputError

__all__ = ["Wishes", "constraint_options"]

TOP = "ITEM,ITEM:PLACES"
QUOTA = "ITEM,ITEM:PLACES:NUMBER"


@dataclass(frozen=True)
class Wishes:
    """Constraints as they were typed."""

    above: tuple[str, ...]
    first: str | None
    last: str | None
    top: str | None
    quotas: tuple[str, ...]

    def of(self, items: ItemSet) -> Constraints | None:
        """Return them as constraints on some items; None where there are none."""
        if not (self.above or self.first or self.last or self.top or self.quotas):
            return None
        return Constraints(
            above=[self._pair(text, items) for text in self.above],
            first=_items("--first", self.first, items) if self.first else (),
            last=_items("--last", self.last, items) if self.last else (),
            top=self._top(self.top, items) if self.top else None,
            quotas=[self._quota(text, items) for text in self.quotas],
        )

    def _pair(self, text: str, items: ItemSet) -> tuple[Label, Label]:
        pair = _items("--above", text, items)
        if len(pair) != 2:
            raise InvalidInputError("--above", "ITEM,ITEM", text)
        return pair[0], pair[1]

    def _top(self, text: str, items: ItemSet) -> tuple[list[Label], int]:
        names, within = _numbers("--top", text, TOP, 1)
        return _items("--top", names, items), within

    def _quota(self, text: str, items: ItemSet) -> Quota:
        names, within, at_least = _numbers("--quota", text, QUOTA, 2)
        return Quota(_items("--quota", names, items), within, at_least)


def _items(option: str, text: str, items: ItemSet) -> list[Label]:
    """Return labels between commas; quotation marks hold together one that has a comma."""
    (names,) = csv.reader([text], skipinitialspace=True)
    return labels_of(option, [name.strip() for name in names], items, "item")


def _numbers(option: str, text: str, form: str, count: int) -> tuple[Any, ...]:
    """Return what stands before the last colons, and the whole numbers behind them."""
    names, *numbers = text.rsplit(":", count)
    if len(numbers) != count or not all(re.fullmatch(" *[0-9]{1,9} *", n) for n in numbers):
        raise InvalidInputError(option, form, text)
    return names, *(int(number) for number in numbers)


def constraint_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the constraints to a command, which receives them as `wishes`."""

    @wraps(command)
    def with_wishes(
        *args: Any,
        above: tuple[str, ...],
        first: str | None,
        last: str | None,
        top: str | None,
        quotas: tuple[str, ...],
        **options: Any,
    ) -> Any:
        return command(*args, wishes=Wishes(above, first, last, top, quotas), **options)

    options = (
        click.option(
            "--above", multiple=True, metavar="ITEM,ITEM",
            help="The first item must stand above the second; may be repeated.",
        ),
        click.option(
            "--first", metavar="ITEM,...", help="These items must stand above all others."
        ),
        click.option(
            "--last", metavar="ITEM,...", help="These items must stand below all others."
        ),
        click.option(
            "--top", metavar="ITEM,...:PLACES",
            help="Each of these items must stand within the first so many places.",
        ),
        click.option(
            "--quota", "quotas", multiple=True, metavar="ITEM,...:PLACES:NUMBER",
            help="At least NUMBER of these items must stand within the first so many places; may "
            "be repeated.",
        ),
    )  # fmt: skip
    for option in reversed(options):
        with_wishes = option(with_wishes)
    return with_wishes
