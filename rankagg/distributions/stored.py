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
from rankagg.distributions.mixtures.mixture import Mixture
from rankagg.distributions.plackett_luce.plackett_luce import PlackettLuce
from rankagg.distributions.thurstone import Thurstone
from rankagg.exceptions import DataFormatError, InvalidInputError, shown
from rankagg.io.strict_json import Field

# Sizes of buckets are written without signs, zeros or blanks.
SIZE = re.compile(r"[2-9]|[1-9][0-9]{1,8}")


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
    if not known or type(stated[2]) is not str or stated[2] not in READERS:
        schema, version, model = map(shown, stated)
        raise DataFormatError(
            f"This is no distribution of schema {SCHEMA!r}, version 1: it says "
            f"{schema}, {version}, model {model}."
        )
    own, read = READERS[stated[2]]
    if stated[2] in ("Mallows", "GeneralizedMallows") and "distance" in facts:
        own = (*own, "distance")
    fields = Field(dict(facts), "").members("schema", "version", "model", "items", *own)
    try:
        return read(_stored_items(fields[3]), *fields[4:])
    except InvalidInputError as error:
        # What the classes ask for, beyond the kinds of values.
        raise DataFormatError(f"No {stated[2]} distribution is stored here: {error}") from None


def _stored_items(field: Field) -> ItemSet:
    """Return texts or integers; which of them go together, the ItemSet says."""
    for element in field.elements():
        if type(element.value) is not int and not isinstance(element.value, str):
            element.refuse("a text or an integer")
    return ItemSet(cast("list[Label]", field.value))


def _stored_number(field: Field, low: float = -inf) -> float:
    """Return a finite number; integers that a float holds nearly are numbers too."""
    value = field.value
    allowed = "a finite number" + ("" if low == -inf else f" of at least {low:g}")
    # Integers beyond have no float.
    if type(value) is int and abs(value) <= 10**300:
        value = float(value)
    if type(value) is not float or not isfinite(value) or value < low:
        field.refuse(allowed)
    return value


def _stored_numbers(field: Field, length: int, low: float = -inf) -> list[float]:
    numbers = [_stored_number(element, low) for element in field.elements()]
    if len(numbers) != length:
        field.refuse(f"a list of {counted(length, 'number')}")
    return numbers


def _center(items: ItemSet, field: Field) -> Permutation:
    labels = [element.value for element in field.elements()]
    kinds, own = (
        {str if isinstance(one, str) else type(one) for one in x} for x in (labels, items)
    )
    if kinds != own or sorted(labels) != sorted(items):
        field.refuse("a list of all items, each once")
    return Permutation.from_order(cast("list[Label]", labels), items=items)


def _mallows(items: ItemSet, center: Field, theta: Field, distance: Field | None = None) -> Mallows:
    kind: Any = "kendall" if distance is None else distance.value
    return Mallows(_center(items, center), _stored_number(theta, 0.0), kind)


def _generalized(
    items: ItemSet, center: Field, thetas: Field, distance: Field | None = None
) -> GeneralizedMallows:
    kind: Any = "kendall" if distance is None else distance.value
    numbers = _stored_numbers(thetas, len(items) - 1, 0.0)
    return GeneralizedMallows(_center(items, center), numbers, kind)


def _worths(kind: type[PlackettLuce]) -> Callable[..., PlackettLuce]:
    def read(items: ItemSet, log_worths: Field, log_ties: Field) -> PlackettLuce:
        if type(log_ties.value) is not dict:
            log_ties.refuse("an object")
        ties = {}
        for size, value in log_ties.value.items():
            known = type(size) is str and SIZE.fullmatch(size) is not None
            if not known or int(size) > max(len(items), 2):
                log_ties.refuse(f"an object whose keys are texts from '2' to '{len(items)}'")
            ties[int(size)] = _stored_number(Field(value, f"log_ties[{size}]"))
        return kind(_stored_numbers(log_worths, len(items)), items=items, log_ties=ties)

    return read


def _thurstone(items: ItemSet, locations: Field) -> Thurstone:
    return Thurstone(_stored_numbers(locations, len(items)), items=items)


def _mixture(items: ItemSet, weights: Field, components: Field) -> Mixture:
    parts = []
    for element in components.elements():
        if isinstance(element.value, Mapping) and element.value.get("model") == "Mixture":
            element.refuse("no mixture")
        try:
            parts.append(distribution_from_dict(element.value))
        except DataFormatError as error:
            raise DataFormatError(f"`{element.path}`: {error}") from None
        if parts[-1].items != items:
            element.refuse("a distribution of the same items")
    return Mixture(parts, _stored_numbers(weights, len(parts), 0.0))


# For each model what is stored of it beside the items, and what reads that.
READERS: dict[str, tuple[tuple[str, ...], Callable[..., RankingDistribution]]] = {
    "Uniform": ((), Uniform),
    "Mallows": (("center", "theta"), _mallows),
    "GeneralizedMallows": (("center", "thetas"), _generalized),
    "PlackettLuce": (("log_worths", "log_ties"), _worths(PlackettLuce)),
    "Mixture": (("weights", "components"), _mixture),
    "Thurstone": (("locations",), _thurstone),
    "BradleyTerry": (("log_worths", "log_ties"), _worths(BradleyTerry)),
}
