"""Distributions read from the plain data of their `to_dict`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rankagg.core import ItemSet, Permutation
from rankagg.distributions.base import SCHEMA, RankingDistribution, Uniform
from rankagg.distributions.bradley_terry.bradley_terry import BradleyTerry
from rankagg.distributions.mallows.mallows import Mallows
from rankagg.distributions.mixture import Mixture
from rankagg.distributions.plackett_luce.plackett_luce import PlackettLuce
from rankagg.exceptions import DataFormatError, RankaggError, shown

# The parameters of each model, besides the items.
MODELS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "Uniform": (Uniform, ()),
    "Mallows": (Mallows, ("center", "theta")),
    "PlackettLuce": (PlackettLuce, ("log_worths", "log_ties")),
    "BradleyTerry": (BradleyTerry, ("log_worths", "log_ties")),
    "Mixture": (Mixture, ("weights", "components")),
}
NUMBERS = ("theta", "log_worths", "log_ties", "weights")
HEAD = ("schema", "version", "model", "items")
# Sizes of buckets are written without signs, zeros or blanks.
SIZE = re.compile("[1-9][0-9]{0,8}")


def distribution_from_dict(facts: Mapping[str, Any]) -> RankingDistribution:
    """Return the distribution that `to_dict` wrote as these facts.

    Reading is strict: no value is converted, and no key may be missing or unknown.

    Parameters
    ----------
    facts : mapping
        Plain data.

    Raises
    ------
    DataFormatError
        If a key is missing or unknown, or a value is invalid; the message names the key.

    Examples
    --------
    >>> import rankagg as ra
    >>> facts = ra.Mallows("AB", theta=1.0).to_dict()
    >>> ra.distributions.distribution_from_dict({**facts, "theta": "1"})
    Traceback (most recent call last):
        ...
    rankagg.exceptions.DataFormatError: `theta` must be a finite number. Got '1'.
    """
    if not isinstance(facts, Mapping):
        raise DataFormatError(f"A stored distribution is an object. Got {shown(facts)}.")
    schema, version, model = (facts.get(name) for name in HEAD[:3])
    is_known = schema == SCHEMA and version == 1 and type(version) is int
    if not is_known or type(model) is not str or model not in MODELS:
        raise DataFormatError(
            f"This is no distribution of schema {SCHEMA!r}, version 1: it says "
            f"{shown(schema)}, {shown(version)}, model {shown(model)}."
        )
    create, names = MODELS[model]
    names += ("distance",) * (model == "Mallows" and "distance" in facts)
    for name in (*HEAD, *names):
        if name not in facts:
            raise DataFormatError(f"`{name}` is missing.")
    for name in facts:
        if name not in (*HEAD, *names):
            keys = ", ".join((*HEAD, *names))
            raise DataFormatError(f"{shown(name)} is no key; the keys are {keys}.")
    for name in NUMBERS:
        _check_numbers(facts.get(name, 0), name)
    try:
        return create(**_arguments(facts, names))  # type: ignore[no-any-return]
    except DataFormatError:
        raise
    except RankaggError as error:
        raise DataFormatError(f"No {model} distribution is stored here: {error}") from None


def _check_numbers(value: object, path: str) -> None:
    """Raise unless a value is a finite number, or a list or object of such values."""
    if isinstance(value, dict | list):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            _check_numbers(each, f"{path}[{key}]")
    elif type(value) not in (int, float) or not abs(value) <= 1e300:  # type: ignore[arg-type]
        raise DataFormatError(f"`{path}` must be a finite number. Got {shown(value)}.")


def _arguments(facts: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Return the arguments of the constructor."""
    for name in ("items", "center", "components"):
        if not isinstance(facts.get(name, []), list):
            raise DataFormatError(f"`{name}` must be a list. Got {shown(facts[name])}.")
    items, given = ItemSet(facts["items"]), {name: facts[name] for name in names}
    if "center" in given:
        # Compare types too: False is not 0.
        if sorted(map(repr, given["center"])) != sorted(map(repr, items)):
            got = shown(given["center"])
            raise DataFormatError(f"`center` must be a list of all items, each once. Got {got}.")
        return {**given, "center": Permutation.from_order(given["center"], items=items)}
    if "components" in given:
        return {**given, "components": _components(given["components"], items)}
    if "log_ties" in given:
        ties = given["log_ties"]
        if not (isinstance(ties, dict) and all(SIZE.fullmatch(str(size)) for size in ties)):
            allowed = "an object whose keys are sizes, such as '2'"
            raise DataFormatError(f"`log_ties` must be {allowed}. Got {shown(ties)}.")
        given["log_ties"] = {int(size): value for size, value in ties.items()}
    return {**given, "items": items}


def _components(stored: list[Any], items: ItemSet) -> list[RankingDistribution]:
    parts = []
    for at, one in enumerate(stored):
        if isinstance(one, Mapping) and one.get("model") == "Mixture":
            raise DataFormatError(f"`components[{at}]` must be no mixture.")
        try:
            parts.append(distribution_from_dict(one))
        except DataFormatError as error:
            raise DataFormatError(f"`components[{at}]`: {error}") from None
        if parts[-1].items != items:
            raise DataFormatError(f"`components[{at}]` must be a distribution of the same items.")
    return parts
