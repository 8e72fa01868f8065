"""Which rule breaks which axiom, each cell with what shows it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from rankagg._validation import check_integer
from rankagg.aggregation.base import Aggregator
from rankagg.axioms.ballots import ballots_of, written
from rankagg.axioms.base import Axiom
from rankagg.axioms.names import AXIOMS, as_axiom
from rankagg.axioms.outcomes import Outcomes, check_aggregator
from rankagg.axioms.references import Reference, reference_for
from rankagg.axioms.search import labels_for, search_all
from rankagg.axioms.witness import Witness
from rankagg.core.items import counted
from rankagg.core.result import ROWS, Result
from rankagg.exceptions import InvalidInputError

__all__ = ["AxiomTable", "axiom_table"]


class AxiomTable(Result):
    """For every rule and axiom a witness, or how far none was found, and what is proved.

    Made by `axiom_table`; it has no plot.

    Attributes
    ----------
    aggregators : tuple of Aggregator
        The rules.
    axioms : tuple of Axiom
        The axioms.
    n_items : int
        The most items of a profile that was looked at.
    n_rankings : int
        The most ballots.
    witnesses : tuple of tuple of (Witness or None)
        For every axiom and every rule; None where no profile breaks it.
    """

    aggregators: tuple[Aggregator, ...]
    axioms: tuple[Axiom, ...]
    n_items: int
    n_rankings: int
    witnesses: tuple[tuple[Witness | None, ...], ...]

    _schema = "rankagg.axiom_table"
    _row = "axiom"

    def __getitem__(self, cell: tuple[str, str]) -> Witness | None:
        """Return the witness of a rule and an axiom, given by their names.

        Raises
        ------
        KeyError
            If the table has no such rule or axiom.
        """
        rule, axiom = cell
        rules = [one.name for one in self.aggregators]
        axioms = [one.name for one in self.axioms]
        if rule not in rules or axiom not in axioms:
            raise KeyError(cell)
        return self.witnesses[axioms.index(axiom)][rules.index(rule)]

    @property
    def searched(self) -> str:
        """What has been looked at."""
        return (
            f"all profiles of up to {counted(self.n_items, 'item')} and "
            f"{counted(self.n_rankings, 'ranking')}"
        )

    def _cells(self) -> Iterable[tuple[Axiom, Aggregator, Witness | None, Reference | None]]:
        for axiom, row in zip(self.axioms, self.witnesses, strict=True):
            for rule, witness in zip(self.aggregators, row, strict=True):
                yield axiom, rule, witness, reference_for(rule, axiom)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per axiom and rule.

        Returns
        -------
        pandas.DataFrame
            axiom; rule; broken: whether a profile shows it; ballots: that profile; shown: what is
            wrong with it, or how far none was found; proved: whether the literature proves that
            the rule "keeps" or "breaks" the axiom, None where nothing is cited; source: where.
        """
        rows = []
        for axiom, rule, witness, reference in self._cells():
            proved = None if reference is None else "keeps" if reference.holds else "breaks"
            rows.append(
                {
                    "axiom": axiom.name,
                    "rule": rule.name,
                    "broken": witness is not None,
                    "ballots": None if witness is None else _ballots(witness),
                    "shown": f"none among {self.searched}" if witness is None else witness.sentence,
                    "proved": proved,
                    "source": None if reference is None else reference.source,
                }
            )
        columns = ["axiom", "rule", "broken", "ballots", "shown", "proved", "source"]
        return pd.DataFrame(rows, columns=columns)

    def _content(self) -> dict[str, Any]:
        rows = []
        for axiom, rule, witness, reference in self._cells():
            rows.append(
                {
                    "axiom": axiom.name,
                    "rule": rule.name,
                    "witness": None if witness is None else witness.to_dict(),
                    "reference": None
                    if reference is None
                    else {"holds": reference.holds, "source": reference.source},
                }
            )
        return {"n_items": self.n_items, "n_rankings": self.n_rankings, "cells": rows}

    def _facts(self) -> list[str]:
        return [
            f"{counted(len(self.aggregators), 'rule')} and "
            f"{counted(len(self.axioms), 'axiom')}, {self.searched}",
            "a number: broken, and where below; -: none among these profiles; what is proved for "
            "all: (keeps), (breaks)",
        ]

    def _table(self) -> pd.DataFrame:
        numbers = {id(witness): at for at, witness in enumerate(self._found(), 1)}
        marks: dict[str, list[str]] = {rule.name: [] for rule in self.aggregators}
        for _, rule, witness, reference in self._cells():
            mark = "-" if witness is None else str(numbers[id(witness)])
            if reference is not None and (witness is None or reference.holds):
                mark += " (keeps)" if reference.holds else " (breaks)"
            marks[rule.name].append(mark)
        return pd.DataFrame(marks, index=[axiom.name for axiom in self.axioms])

    def _found(self) -> list[Witness]:
        return [witness for row in self.witnesses for witness in row if witness is not None]

    def _below(self, rows: int | None = ROWS) -> Iterable[str]:
        found = self._found()
        shown = found if rows is None else found[:rows]
        for at, witness in enumerate(shown, 1):
            yield (
                f"{at}. {witness.aggregator.name}, {witness.axiom.name}: {_ballots(witness)}. "
                f"{witness.sentence}"
            )
        if len(found) > len(shown):
            yield f"... and {counted(len(found) - len(shown), 'more witness')}"
        cited = [
            f"{rule.name} {'keeps' if reference.holds else 'breaks'} {axiom.name}: "
            f"{reference.source}"
            for axiom, rule, _, reference in self._cells()
            if reference is not None
        ]
        if cited:
            yield "proved for profiles of every size:"
        yield from cited if rows is None else cited[:rows]
        if rows is not None and len(cited) > rows:
            yield f"... and {counted(len(cited) - rows, 'more reference')}"


def _ballots(witness: Witness) -> str:
    labels = witness.profile.items
    return written(ballots_of(witness.profile), labels)


def axiom_table(
    aggregators: Iterable[Aggregator],
    axioms: Iterable[Axiom | str] = AXIOMS,
    *,
    n_items: int = 3,
    n_rankings: int = 5,
) -> AxiomTable:
    """Look for every rule and axiom through all profiles up to a size.

    Parameters
    ----------
    aggregators : iterable of Aggregator
        The rules.
    axioms : iterable of Axiom or str, optional
        The axioms or their names; all by default.
    n_items : int, default 3
        The most items.
    n_rankings : int, default 5
        The most ballots; see `find_counterexample`.

    Returns
    -------
    AxiomTable

    Raises
    ------
    InvalidInputError
        If there are more than 3,000,000 profiles to look at.

    Examples
    --------
    >>> import rankagg as ra
    >>> rules = [ra.Borda(), ra.Schulze()]
    >>> print(ra.axiom_table(rules, ["majority", "reinforcement"], n_rankings=4))
    2 rules and 2 axioms, all profiles of up to 3 items and 4 rankings
    a number: broken, and where below; -: none among these profiles; what is proved for all: (keeps), (breaks)
                       Borda    Schulze
    majority               1  - (keeps)
    reinforcement  - (keeps)          2
    1. Borda, majority: 2 x A > B > C, 1 x B > C > A. More than half of the ballots have A first, and A, B win.
    2. Schulze, reinforcement: 1 x A > B > C, 1 x A > C > B, 1 x B > A > C, 1 x C > B > A. The two parts have A in common among their winners, and together they choose A, B.
    proved for profiles of every size:
    Schulze keeps majority: Schulze (2011), https://doi.org/10.1007/s00355-010-0475-4
    Borda keeps reinforcement: Young (1975), https://doi.org/10.1137/0128067
    """  # noqa: E501
    rules = tuple(check_aggregator(rule, "aggregators") for rule in _listed(aggregators))
    if not rules:
        raise InvalidInputError("aggregators", "at least one aggregator", rules)
    names = [rule.name for rule in rules]
    if len(set(names)) < len(names):
        raise InvalidInputError("aggregators", "rules of different names", names)
    given = [axioms] if isinstance(axioms, str | Axiom) else list(axioms)
    asked = tuple(as_axiom(axiom, "axioms") for axiom in given)
    if not asked or len({axiom.name for axiom in asked}) < len(asked):
        raise InvalidInputError("axioms", "at least one, each once", [one.name for one in asked])
    most_items = check_integer(n_items, "n_items", low=1)
    most_rankings = check_integer(n_rankings, "n_rankings", low=1)
    labels = labels_for(most_items)
    found = [
        search_all(Outcomes(rule, labels, neutral=True), asked, most_items, most_rankings)
        for rule in rules
    ]
    return AxiomTable(
        aggregators=rules,
        axioms=asked,
        n_items=most_items,
        n_rankings=most_rankings,
        witnesses=tuple(zip(*found, strict=True)),
    )


def _listed(aggregators: object) -> list[object]:
    if isinstance(aggregators, Aggregator):
        return [aggregators]
    if not isinstance(aggregators, Iterable):
        raise InvalidInputError("aggregators", "aggregator objects such as Borda()", aggregators)
    return list(aggregators)
