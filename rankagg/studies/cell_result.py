"""Results of studies by cell, checks of parameters, and names of rules with their policy."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import field, fields, replace
from typing import Any

import pandas as pd

from rankagg._typing import Unranked
from rankagg.aggregation.base import Aggregator
from rankagg.core.results import Result
from rankagg.core.scores import ScoreTable
from rankagg.exceptions import Described, InvalidInputError
from rankagg.studies.study import Rows, Study

__all__ = ["CellResult", "check_rules", "check_table", "several", "with_policy"]


class CellResult(Result):
    """The rows of every cell of a study, and what follows from them."""

    study: Study[Any, Any]
    _rows: Rows[Any] = field(compare=False)

    _named_rows = False

    def _key(self) -> tuple[Hashable, ...]:
        # Every digit counts, but how long it took is no part of what was found.
        told = self._frame.drop(columns=["runtime", "exact_runtime"], errors="ignore")
        return self.study, told.to_json(double_precision=15)

    @property
    @abstractmethod
    def _frame(self) -> pd.DataFrame:
        """One row per cell and rule; a cached property, of `_table_of`."""

    def _table_of(self, names: Sequence[str]) -> pd.DataFrame:
        """Return one line per cell and row: the values of its key under some names, then the row.

        Where a rule may fail, the column `error` is of texts although there may be none.
        """
        frame = pd.DataFrame(
            [
                {**dict(zip(names, cell.key, strict=True)), **row}
                for cell, found in self._rows.items()
                for row in found
            ]
        )
        return frame.astype({"error": "str"}) if "error" in frame else frame

    @property
    def n_cells(self) -> int:
        """The number of data sets that were drawn."""
        return len(self._rows)


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


def with_policy(rule: Aggregator, unranked: Unranked) -> Aggregator:
    """Return a rule, and the rules in it, with the policy stated that it takes by default.

    Random numbers and journals know a rule by what it says of itself.
    """
    changes: dict[str, Any] = {}
    for name in (one.name for one in fields(rule)):
        value = getattr(rule, name)
        if isinstance(value, Aggregator):
            changes[name] = with_policy(value, unranked)
        elif name == "unranked" and value is None:
            changes[name] = unranked
    return replace(rule, **changes) if changes else rule
