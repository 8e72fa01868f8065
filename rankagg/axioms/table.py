"""A table of rules and axioms with witnesses and proofs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, fields
from types import UnionType
from typing import Any, NamedTuple

import pandas as pd

from rankagg._validation import check_integer
from rankagg.aggregation import Aggregator, check_rule, deadline_of
from rankagg.aggregation.base import Statements
from rankagg.axioms.ballots import Ballots
from rankagg.axioms.base import Axiom, Witness
from rankagg.axioms.search import AXIOMS, as_axiom, search_all
from rankagg.core import ROWS, Profile, Result, counted, plain_rows
from rankagg.exceptions import InvalidInputError

#: Addresses of the works that rules cite.
ADDRESSES = {
    "Brandt (2009)": "https://doi.org/10.1002/malq.200810017",
    "Felsenthal (2012)": "https://doi.org/10.1007/978-3-642-20441-8_3",
    "Fishburn (1977)": "https://doi.org/10.1137/0133030",
    "Fishburn and Brams (1983)": "https://doi.org/10.2307/2689808",
    "Fishburn and Gehrlein (1976)": "Public Choice 28, 79-88",
    "Moulin (1988)": "https://doi.org/10.1016/0022-0531(88)90253-0",
    "Schulze (2011)": "https://doi.org/10.1007/s00355-010-0475-4",
    "Smith (1973)": "https://doi.org/10.2307/1914033",
    "Tideman (1987)": "https://doi.org/10.1007/BF00433944",
    "Woodall (1997)": "https://doi.org/10.1016/S0166-218X(96)00100-X",
    "Young (1975)": "https://doi.org/10.1137/0128067",
    "Young and Levenglick (1978)": "https://doi.org/10.1137/0135023",
    "Zavist and Tideman (1989)": "https://doi.org/10.1007/BF00303170",
}
# Axioms that follow from others.
IMPLIED_BY = {
    "condorcet winner": ("smith",),
    "condorcet loser": ("smith",),
    "majority": ("smith", "condorcet winner"),
}
# Moulin's theorem is for single winners; profiles show that sets of winners break it too.
NO_SHOW = "so does every choice of one of its tied winners; Moulin (1988)"
# Parameters that change no statement about complete strict ballots; `k` is that of Approval.
WITHOUT_EFFECT = frozenset(["time_limit", "verify", "n_jobs", "backend", "k"])
# A long name and its usual abbreviation.
IIA, SHORT = "independence of irrelevant alternatives", "IIA"


class _Theorem(NamedTuple):
    """A proof that a rule keeps or breaks an axiom, with its source."""

    holds: bool
    source: str


def _find_theorem(rule: Aggregator, axiom: Axiom) -> _Theorem | None:
    """Return the theorem on a rule and an axiom with its defaults, if there is one.

    It comes from statements of the rule's class, or from Moulin's theorem: a rule that elects every
    Condorcet winner breaks participation.
    """
    if axiom != type(axiom)() or not _is_usual(rule):
        return None
    name, kept, broken = axiom.name, _stated(rule, "keeps"), _stated(rule, "breaks")
    stronger = [other for other in IMPLIED_BY.get(name, ()) if other in kept]
    if stronger:
        kept = {name: f"it keeps {stronger[0]}", **kept}
    if name == "participation" and not kept.keys().isdisjoint(["condorcet winner", "smith"]):
        broken = {name: NO_SHOW, **broken}
    proof = kept.get(name) or broken.get(name)
    if proof is None:
        return None
    address = ADDRESSES.get(proof.rpartition("; ")[2])
    return _Theorem(name in kept, f"{proof}, {address}" if address else proof)


def _stated(rule: Aggregator, name: str) -> Statements:
    """Return the statements of the class itself, since a subclass may be another rule."""
    stated: Statements = getattr(rule, name) if name in vars(type(rule)) else {}
    return stated


def _is_usual(rule: Aggregator) -> bool:
    """Return whether statements of the class hold for its parameters.

    Parameters must be the defaults, with ties broken in all ways, unless a property checks them.
    """
    if isinstance(vars(type(rule)).get("keeps"), property):
        return True
    usual = {
        field.name: field.default
        for field in fields(rule)
        if field.compare and field.default is not MISSING and field.name not in WITHOUT_EFFECT
    }
    if "tie_breaking" in usual:
        usual["tie_breaking"] = "parallel"
    return all(getattr(rule, name) == value for name, value in usual.items())


def _larger_witness(rule: Aggregator, axiom: Axiom) -> Witness | None:
    """Return a witness from the class's own counterexample, if it has one."""
    ballots = _stated(rule, "counterexamples").get(axiom.name)
    if ballots is None:
        return None
    rows = [row.split() for row in ballots.split(", ")]
    counts, orders = zip(*rows, strict=True)
    return axiom.check(rule, Profile.from_orders(orders, counts=list(map(int, counts))))


class AxiomTable(Result):
    """Witnesses and proofs for every rule and axiom.

    Made by `axiom_table`; it has no plot.

    Attributes
    ----------
    rules : tuple of Aggregator
        The rules.
    axioms : tuple of Axiom
        The axioms.
    n_items : int
        The maximum number of items of searched profiles.
    n_rankings : int
        The maximum number of ballots.
    witnesses : tuple of tuple of (Witness or None)
        For every axiom and every rule the smallest witness. If no searched profile breaks the
        axiom, a known larger witness, or None.
    """

    rules: tuple[Aggregator, ...]
    axioms: tuple[Axiom, ...]
    n_items: int
    n_rankings: int
    witnesses: tuple[tuple[Witness | None, ...], ...]

    _schema = "rankagg.axiom_table"
    _row = "axiom"

    def __getitem__(self, cell: tuple[str, str]) -> Witness | None:
        """Return the witness, searched or larger, of a rule and an axiom, given by their names."""
        rule, axiom = cell
        rules = [one.name for one in self.rules]
        axioms = [one.name for one in self.axioms]
        if rule not in rules or axiom not in axioms:
            raise KeyError(cell)
        return self.witnesses[axioms.index(axiom)][rules.index(rule)]

    @property
    def searched(self) -> str:
        """The searched profiles, in words."""
        return (
            f"all profiles of up to {counted(self.n_items, 'item')} and "
            f"{counted(self.n_rankings, 'ranking')}"
        )

    def _cells(self) -> Iterable[_Cell]:
        for axiom, row in zip(self.axioms, self.witnesses, strict=True):
            for rule, witness in zip(self.rules, row, strict=True):
                profile = None if witness is None else witness.profile
                is_larger = profile is not None and (
                    profile.n_items > self.n_items or profile.n_rankings > self.n_rankings
                )
                yield _Cell(axiom, rule, witness, is_larger, _find_theorem(rule, axiom))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per axiom and rule.

        Returns
        -------
        pandas.DataFrame
            axiom; rule; broken: whether there is a witness; ballots: its profile; shown: its
            sentence, or the searched profiles without one; proved: "keeps" or "breaks" by a
            theorem, or None; source: of the theorem.
        """
        rows = []
        for cell in self._cells():
            witness, reference, shown = cell.witness, cell.reference, f"none among {self.searched}"
            if witness is not None:
                shown = f"{witness.sentence} ({shown})" if cell.is_larger else witness.sentence
            rows.append(
                {
                    "axiom": cell.axiom.name,
                    "rule": cell.rule.name,
                    "broken": witness is not None,
                    "ballots": None if witness is None else _ballots(witness),
                    "shown": shown,
                    "proved": None if reference is None else _verb(reference),
                    "source": None if reference is None else reference.source,
                }
            )
        return pd.DataFrame(rows)

    def _content(self) -> dict[str, Any]:
        cells = plain_rows(self.to_frame())
        return {"n_items": self.n_items, "n_rankings": self.n_rankings, "cells": cells}

    def _facts(self) -> list[str]:
        lines = [
            f"{counted(len(self.rules), 'rule')} and "
            f"{counted(len(self.axioms), 'axiom')}, {self.searched}",
            "a number: broken, with the number of the witness below; *: by a larger profile",
            "keeps, breaks: proved for profiles of every size; -: open, no witness found",
        ]
        for rule, head in self._heads().items():
            if head != rule:
                lines.append(f"{head}: {rule}")
        if any(IIA in axiom.name for axiom in self.axioms):
            lines.append(f"{SHORT}: {IIA}")
        return lines

    def _heads(self) -> dict[str, str]:
        """Return the column names of rules: their classes if these differ."""
        kinds = [type(rule).__name__ for rule in self.rules]
        return {
            rule.name: kind if kinds.count(kind) == 1 else rule.name
            for rule, kind in zip(self.rules, kinds, strict=True)
        }

    def _table(self) -> pd.DataFrame:
        number, heads = 0, self._heads()
        marks: dict[str, list[str]] = {head: [] for head in heads.values()}
        for cell in self._cells():
            mark = "-" if cell.reference is None else _verb(cell.reference)
            if cell.witness is not None:
                number += 1
                # A witness against a proof is printed, since one of both is wrong.
                doubt = f" ({mark})" if cell.reference is not None and cell.reference.holds else ""
                mark = f"{number}{'*' * cell.is_larger}{doubt}"
            marks[heads[cell.rule.name]].append(mark)
        return pd.DataFrame(marks, index=[_short(axiom) for axiom in self.axioms])

    def _printed(self, table: pd.DataFrame) -> str:
        """Return the columns in blocks that fit on a line."""
        first, longest = max(map(len, table.index)), 100
        blocks: list[list[str]] = []
        width = longest
        for head in table.columns:
            needed = 2 + max(len(head), *map(len, table[head]))
            if width + needed > longest:
                blocks.append([])
                width = first
            blocks[-1].append(head)
            width += needed
        return "\n\n".join(super(AxiomTable, self)._printed(table[block]) for block in blocks)

    def _below(self, rows: int | None = ROWS) -> Iterable[str]:
        heads, witnesses, proofs = self._heads(), list[str](), list[str]()
        for cell in self._cells():
            rule, axiom, witness = heads[cell.rule.name], _short(cell.axiom), cell.witness
            if witness is not None:
                at = len(witnesses) + 1
                witnesses.append(f"{at}. {rule}, {axiom}: {_ballots(witness)}. {witness.sentence}")
            if cell.reference is not None:
                proofs.append(f"{rule} {_verb(cell.reference)} {axiom}: {cell.reference.source}")
        yield from _first(witnesses, rows, "more witness")
        if proofs:
            yield "proved for profiles of every size:"
        yield from _first(proofs, rows, "more proof")


def _first(lines: list[str], rows: int | None, noun: str) -> list[str]:
    """Return at most `rows` lines, and a line that counts the rest."""
    shown = lines[:rows]
    left = len(lines) - len(shown)
    return [*shown, *[f"... and {counted(left, noun)}"] * bool(left)]


class _Cell(NamedTuple):
    axiom: Axiom
    rule: Aggregator
    witness: Witness | None
    is_larger: bool
    reference: _Theorem | None


def _verb(reference: _Theorem) -> str:
    return "keeps" if reference.holds else "breaks"


def _short(axiom: Axiom) -> str:
    return axiom.name.replace(IIA, SHORT)


def _ballots(witness: Witness) -> str:
    return Ballots.of_profile(witness.profile).text(witness.profile.items)


def axiom_table(
    rules: Iterable[Aggregator],
    axioms: Iterable[Axiom | str] = AXIOMS,
    *,
    n_items: int = 3,
    n_rankings: int = 5,
    time_limit: float | None = None,
) -> AxiomTable:
    """Search all profiles up to a size for witnesses of every rule and axiom.

    Parameters
    ----------
    rules : iterable of Aggregator
        The rules.
    axioms : iterable of Axiom or str, optional
        The axioms or their names; all by default.
    n_items : int, default 3
        The maximum number of items.
    n_rankings : int, default 5
        The maximum number of ballots; see `find_counterexample`.
    time_limit : float, optional
        Seconds for all rules until `OutOfTimeError`, which states the number of searched profiles.

    Raises
    ------
    InvalidInputError
        If there are more than 3,000,000 profiles to search.
    OutOfTimeError
        If the time limit passes before the table is full.

    Examples
    --------
    >>> import rankagg as ra
    >>> rules = [ra.Borda(), ra.Schulze()]
    >>> print(ra.axioms.axiom_table(rules, ["majority", "reinforcement"], n_rankings=4))
    2 rules and 2 axioms, all profiles of up to 3 items and 4 rankings
    a number: broken, with the number of the witness below; *: by a larger profile
    keeps, breaks: proved for profiles of every size; -: open, no witness found
                   Borda Schulze
    majority           1   keeps
    reinforcement  keeps       2
    1. Borda, majority: 2 x A > B > C, 1 x B > C > A. More than half of the ballots have A first, and A, B win.
    2. Schulze, reinforcement: 1 x A > B > C, 1 x A > C > B, 1 x B > A > C, 1 x C > B > A. The common winners of the two parts are A, and together they choose A, B.
    proved for profiles of every size:
    Schulze keeps majority: Schulze (2011), https://doi.org/10.1007/s00355-010-0475-4
    Borda keeps reinforcement: points add up; Young (1975), https://doi.org/10.1137/0128067
    """  # noqa: E501
    listed = _listed(rules, Aggregator, "rules", "a list of rules such as Borda()")
    rules = tuple(check_rule(rule, "rules") for rule in listed)
    if not rules:
        raise InvalidInputError("rules", "at least one rule", rules)
    names = [rule.name for rule in rules]
    if len(set(names)) < len(names):
        raise InvalidInputError("rules", "rules of different names", names)
    given = _listed(axioms, str | Axiom, "axioms", "axioms or their names")
    chosen = tuple(as_axiom(axiom, "axioms") for axiom in given)
    if not chosen or len({axiom.name for axiom in chosen}) < len(chosen):
        raise InvalidInputError("axioms", "at least one, each once", [one.name for one in chosen])
    n_items = check_integer(n_items, "n_items", low=1)
    n_rankings = check_integer(n_rankings, "n_rankings", low=1)
    deadline = deadline_of(time_limit)
    columns = [search_all(rule, chosen, n_items, n_rankings, deadline) for rule in rules]
    witnesses = tuple(
        tuple(one or _larger_witness(rule, axiom) for rule, one in zip(rules, row, strict=True))
        for axiom, row in zip(chosen, zip(*columns, strict=True), strict=True)
    )
    return AxiomTable(
        rules=rules, axioms=chosen, n_items=n_items, n_rankings=n_rankings, witnesses=witnesses
    )


def _listed(value: object, one: type | UnionType, parameter: str, allowed: str) -> list[object]:
    if isinstance(value, one):
        return [value]
    if not isinstance(value, Iterable):
        raise InvalidInputError(parameter, allowed, value)
    return list(value)
