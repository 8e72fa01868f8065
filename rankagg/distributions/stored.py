"""Distributions read from the plain data that their `to_dict` gives."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import inf, isfinite
from typing import Any, cast

from rankagg._typing import Label
from rankagg.core import ItemSet, Permutation, counted
from rankagg.distributions.base import SCHEMA, RankingDistribution, Uniform
from rankagg.distributions.bradley_terry.bradley_terry import BradleyTerry
from rankagg.distributions.mallows.generalized import GeneralizedMallows
from rankagg.distributions.mallows.mallows import Mallows
from rankagg.distributions.mixture import Mixture
from rankagg.distributions.plackett_luce.plackett_luce import PlackettLuce
from rankagg.exceptions import DataFormatError, InvalidInputError, shown
from rankagg.io.strict_json import Field

# Sizes of buckets are written without signs, zeros or blanks.
SIZE = re.compile(r"[2-9]|[1-9][0-9]{1,8}")


def _number(field: Field, low: float = -inf) -> float:
    """Return a finite number; integers that a float holds nearly are numbers too."""
    value = field.value
    # Integers beyond have no float.
    if type(value) is int and abs(value) <= 10**300:
        value = float(value)
    if type(value) is not float or not isfinite(value) or value < low:
        field.refuse("a finite number" + ("" if low == -inf else f" of at least {low:g}"))
    return value


def _numbers(field: Field, length: int, low: float = -inf) -> list[float]:
    numbers = [_number(element, low) for element in field.elements()]
    if len(numbers) != length:
        field.refuse(f"a list of {counted(length, 'number')}")
    return numbers


def _items(field: Field) -> ItemSet:
    """Return texts or integers; which of them go together, the ItemSet says."""
    for element in field.elements():
        if type(element.value) is not int and not isinstance(element.value, str):
            element.refuse("a text or an integer")
    return ItemSet(cast("list[Label]", field.value))


def _center(items: ItemSet, field: Field) -> Permutation:
    labels = [element.value for element in field.elements()]
    kinds, own = (
        {str if isinstance(one, str) else type(one) for one in x} for x in (labels, items)
    )
    if kinds != own or sorted(labels) != sorted(items):
        field.refuse("a list of all items, each once")
    return Permutation.from_order(cast("list[Label]", labels), items=items)


def _log_ties(items: ItemSet, field: Field) -> dict[int, float]:
    if type(field.value) is not dict:
        field.refuse("an object")
    ties = {}
    for size, value in field.value.items():
        known = type(size) is str and SIZE.fullmatch(size) is not None
        if not known or int(size) > max(len(items), 2):
            field.refuse(f"an object whose keys are texts from '2' to '{len(items)}'")
        ties[int(size)] = _number(Field(value, f"log_ties[{size}]"))
    return ties


def _components(items: ItemSet, field: Field) -> list[RankingDistribution]:
    parts = []
    for element in field.elements():
        if isinstance(element.value, Mapping) and element.value.get("model") == "Mixture":
            element.refuse("no mixture")
        try:
            parts.append(distribution_from_dict(element.value))
        except DataFormatError as error:
            raise DataFormatError(f"`{element.path}`: {error}") from None
        if parts[-1].items != items:
            element.refuse("a distribution of the same items")
    return parts


# What reads each parameter of some items.
READERS: dict[str, Callable[[ItemSet, Field], Any]] = {
    "center": _center,
    "components": _components,
    "distance": lambda _, field: field.value,
    "log_ties": _log_ties,
    "log_worths": lambda items, field: _numbers(field, len(items)),
    "theta": lambda _, field: _number(field, 0.0),
    "thetas": lambda items, field: _numbers(field, len(items) - 1, 0.0),
    "weights": lambda _, field: [_number(element, 0.0) for element in field.elements()],
}
# The parameters of each model.
MODELS: dict[str, tuple[Callable[..., RankingDistribution], tuple[str, ...]]] = {
    "Uniform": (Uniform, ()),
    "Mallows": (Mallows, ("center", "theta")),
    "GeneralizedMallows": (GeneralizedMallows, ("center", "thetas")),
    "PlackettLuce": (PlackettLuce, ("log_worths", "log_ties")),
    "Mixture": (Mixture, ("weights", "components")),
    "BradleyTerry": (BradleyTerry, ("log_worths", "log_ties")),
}


def distribution_from_dict(facts: Mapping[str, Any]) -> RankingDistribution:
    """Return the distribution whose `to_dict` gave these facts.

    It is read strictly: nothing is converted, nothing may be missing, and nothing may be there
    that is not read.

    Parameters
    ----------
    facts : mapping
        Plain data.

    Returns
    -------
    RankingDistribution

    Raises
    ------
    DataFormatError
        If something is missing, unknown or no distribution; it names the field.

    Examples
    --------
    >>> import rankagg as ra
    >>> facts = ra.Mallows("AB", theta=1.0).to_dict()
    >>> ra.distributions.distribution_from_dict({**facts, "theta": "1"})
    Traceback (most recent call last):
        ...
    rankagg.exceptions.DataFormatError: `theta` must be a finite number of at least 0. Got '1'.
    """
    if not isinstance(facts, Mapping):
        raise DataFormatError(f"A stored distribution is an object. Got {shown(facts)}.")
    stated = tuple(facts.get(name) for name in ("schema", "version", "model"))
    known = stated[:2] == (SCHEMA, 1) and type(stated[1]) is int
    if not known or type(stated[2]) is not str or stated[2] not in MODELS:
        schema, version, model = map(shown, stated)
        raise DataFormatError(
            f"This is no distribution of schema {SCHEMA!r}, version 1: it says "
            f"{schema}, {version}, model {model}."
        )
    create, names = MODELS[stated[2]]
    if "center" in names and "distance" in facts:
        names = (*names, "distance")
    fields = Field(dict(facts), "").members("schema", "version", "model", "items", *names)
    try:
        items = _items(fields[3])
        read = {
            name: READERS[name](items, field) for name, field in zip(names, fields[4:], strict=True)
        }
        # A center and components have items.
        own = {} if {"center", "components"} & set(names) else {"items": items}
        return create(**own, **read)
    except InvalidInputError as error:
        # What the classes ask for, beyond the kinds of values.
        raise DataFormatError(f"No {stated[2]} distribution is stored here: {error}") from None
