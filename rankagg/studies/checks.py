"""What the parameters of several studies must be."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rankagg.aggregation.base import Aggregator
from rankagg.core.scores.table import ScoreTable
from rankagg.exceptions import Described, InvalidInputError

__all__ = ["check_rules", "check_table", "several"]


def several(values: object, parameter: str) -> tuple[Any, ...]:
    """Return one or more different values; those with a name differ in it."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidInputError(parameter, "a list of one or more different values", values)
    given = tuple(values)
    if not given or len({getattr(value, "name", repr(value)) for value in given}) < len(given):
        raise InvalidInputError(
            parameter, "a list of one or more different values", Described(repr(list(given)))
        )
    return given


def check_rules(rules: Iterable[object]) -> None:
    """Refuse what is no rule."""
    for rule in rules:
        if not isinstance(rule, Aggregator):
            raise InvalidInputError("aggregators", "aggregator objects such as Borda()", rule)


def check_table(data: object, owner: str) -> None:
    """Refuse what is no table of scores."""
    if not isinstance(data, ScoreTable):
        raise InvalidInputError(
            f"data of {owner}", "a ScoreTable", data, "`read_scores` reads one."
        )
