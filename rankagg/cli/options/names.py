"""Names that are typed on the command line: those of a list, those of the data, and NAME=VALUE."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from rankagg._numbers import ascii_number
from rankagg._typing import Label
from rankagg.core.items import ItemSet, counted, listed, written
from rankagg.exceptions import InvalidInputError, nearest

__all__ = ["OneOf", "labels_of", "numbers_of", "split", "task_weights"]


class OneOf(click.Choice):  # type: ignore[type-arg]
    """One of some names; for another the nearest is suggested."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name, or name the option and what was meant."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            meant = nearest(value, self.choices)
            self.fail(f"{error.message} {meant}".rstrip(), param, ctx)


def labels_of(option: str, names: Iterable[str], items: ItemSet, noun: str) -> list[Label]:
    """Return the labels that are written so; numbers in a file are numbers.

    Parameters
    ----------
    option : str
        The option that named them.
    names : iterable of str
        What was typed.
    items : ItemSet
        The labels that there are.
    noun : str
        What they are, in the singular.
    """
    known: dict[str, Label] = {written(label): label for label in items}
    found = []
    for name in names:
        if name not in known:
            allowed = f"one of the {counted(len(items), noun)} ({listed(items.labels)})"
            raise InvalidInputError(option, allowed, name, nearest(name, items))
        found.append(known[name])
    return found


def split(option: str, texts: Iterable[str], form: str, *, last: bool = True) -> dict[str, str]:
    """Return names and values of texts NAME=VALUE, each name once; the last "=" or the first."""
    found: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.rpartition("=") if last else text.partition("=")
        if not sign or not name:
            raise InvalidInputError(option, form, text)
        if name in found:
            raise InvalidInputError(option, f"{form}, each name once", text)
        found[name] = value
    return found


def numbers_of(option: str, texts: Iterable[str], form: str) -> dict[str, float]:
    """Return names and numbers of texts NAME=NUMBER, each name once."""
    found = {}
    for name, value in split(option, texts, form).items():
        try:
            found[name] = float(ascii_number(value))
        except ValueError:
            raise InvalidInputError(option, form, f"{name}={value}") from None
    return found


def task_weights(option: str, texts: Iterable[str], tasks: ItemSet) -> dict[Label, float]:
    """Return tasks and weights of texts TASK=NUMBER."""
    weights = numbers_of(option, texts, "TASK=NUMBER")
    return dict(zip(labels_of(option, weights, tasks, "task"), weights.values(), strict=True))
