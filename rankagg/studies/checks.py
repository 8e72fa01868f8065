"""What grids of all studies must be."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rankagg.exceptions import Described, InvalidInputError

__all__ = ["several"]


def several(values: object, parameter: str) -> tuple[Any, ...]:
    """Return one or more different values; those with a name differ in it."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidInputError(parameter, "a list of one or more different values", values)
    found = tuple(values)
    if not found or len({getattr(value, "name", repr(value)) for value in found}) < len(found):
        raise InvalidInputError(
            parameter, "a list of one or more different values", Described(repr(list(found)))
        )
    return found
