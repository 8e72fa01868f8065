"""Which rule breaks which axiom, each cell with what shows it."""

from __future__ import annotations

from collections.abc import Iterable
from types import UnionType
from typing import Any, NamedTuple

from rankagg import _pandas as pd
from rankagg._validation import check_integer
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.deadline import Deadline, time_limit_of
from rankagg.axioms.ballots import ballots_of, written
from rankagg.axioms.base import Axiom, Witness
from rankagg.axioms.outcomes import check_aggregator
from rankagg.axioms.references import Theorem, theorem_on
from rankagg.axioms.search import AXIOMS, as_axiom, search_all
from rankagg.core.items import counted
from rankagg.core.profile import Profile
from rankagg.core.results import ROWS, Result
from rankagg.exceptions import InvalidInputError

# D loses to each of A, B and C by one ballot, and each of these to another by three, or by five.
CYCLE_ABOVE_A_LOSER = "2 DABC, 1 DBCA, 1 DCAB, 1 ABCD, 2 BCAD, 2 CABD"
WIDER_CYCLE = "2 DABC, 3 ABCD, 2 DBCA, 3 BCAD, 3 DCAB, 2 CABD"
# Each of A, B, C and D loses to another in a cycle.
LONG_CYCLE = "1 ABCD, 1 BCDA, 1 CDAB"

#: By the class of a rule and the name of an axiom; `larger_witness` asks the rule again.
LARGER: dict[tuple[str, str], str] = {
    ("Bucklin", "condorcet loser"): "2 ABC, 2 CBA, 1 ACB, 1 CAB",
    ("Bucklin", "condorcet winner"): "2 ABC, 1 BAC, 1 BCA, 1 CAB",
    ("Bucklin", "smith"): "2 ABC, 1 BAC, 1 BCA, 1 CAB",
    ("Copeland", "participation"): "2 ABCD, 1 BCDA, 1 CDAB",
    ("Minimax", "clone independence"): LONG_CYCLE,
    ("Minimax", "condorcet loser"): CYCLE_ABOVE_A_LOSER,
    ("Minimax", "participation"): (
        "4 CDBA, 3 ABCD, 3 ADCB, 2 BACD, 2 BDCA, 1 ABDC, 1 BDAC, 1 CABD, 1 DBAC, 1 DBCA, 1 DCBA"
    ),
    ("Minimax", "reversal symmetry"): "3 ADCB, 3 CBDA, 2 DBAC, 1 BADC, 1 BCAD",
    ("Minimax", "smith"): CYCLE_ABOVE_A_LOSER,
    ("Schulze", "participation"): "3 DBAC, 2 ADCB, 2 CBAD, 2 CBDA, 1 BADC",
    # A > D > E > B > F can lock with both clones; with one of them A > D > E > A is a cycle.
    ("RankedPairs", "clone independence"): (
        "4 EGCABFD, 3 ABDGFCE, 2 DFCGEAB, 2 ECABGDF, 2 FDECGAB, 1 ABGCFDE, 1 ABGDFCE, 1 CGFABDE, "
        "1 DECFABG, 1 DFCEABG, 1 DFECABG, 1 EGABFCD, 1 GCABFDE"
    ),
    # Taken together; in every order none breaks it.
    ("RankedPairs", "monotonicity"): "2 ACBD, 3 BADC, 1 CBAD, 3 DCBA",
    ("RankedPairs", "participation"): "3 ADCB, 2 BCAD, 2 DBAC, 1 CBDA, 1 DCBA",
    ("Kemeny", "clone independence"): LONG_CYCLE,
    ("Kemeny", "participation"): LONG_CYCLE,
    ("Dowdall", "condorcet loser"): "2 ABC, 1 ACB, 2 BCA, 2 CBA",
    ("Dowdall", "condorcet winner"): "2 ABC, 1 BAC, 1 BCA, 1 CAB",
    ("Dowdall", "majority"): "4 ABC, 3 BCA",
    ("Dowdall", "smith"): "2 ABC, 1 BAC, 1 BCA, 1 CAB",
    ("InstantRunoff", "monotonicity"): "3 ABC, 3 BAC, 2 CAB, 1 CBA",
    ("InstantRunoff", "participation"): "2 ABC, 1 BAC, 2 CBA",
    ("InstantRunoff", "reversal symmetry"): "2 ABC, 2 BCA, 1 CAB",
    ("Coombs", "condorcet winner"): "3 ABC, 1 ACB, 1 BCA, 2 CAB, 2 CBA",
    ("Coombs", "monotonicity"): "1 ABCD, 1 ABDC, 1 BCDA, 1 CADB",
    ("Coombs", "participation"): "2 ABDC, 2 CBAD, 1 DACB, 2 DCAB",
    ("Coombs", "reversal symmetry"): "1 ABCD, 1 BCAD, 1 CADB, 1 DBCA",
    ("Coombs", "smith"): "3 ABC, 1 ACB, 1 BCA, 2 CAB, 2 CBA",
    ("Baldwin", "clone independence"): "2 ABCD, 1 CDAB, 1 DABC",
    ("Baldwin", "monotonicity"): "2 ABC, 1 BCA, 1 CAB, 1 CBA",
    ("Baldwin", "participation"): "2 ABCD, 1 BCDA, 1 CDAB, 1 DCAB",
    ("Baldwin", "reversal symmetry"): "2 ABC, 2 BCA, 1 CAB",
    ("Nanson", "monotonicity"): "1 ABDC, 1 BCAD, 2 CDBA, 1 DBCA",
    ("Nanson", "participation"): "1 ACBD, 2 BDAC, 2 DABC",
    ("Black", "participation"): "2 ABCD, 1 BCDA, 1 CABD",
    ("Black", "reinforcement"): "2 ABC, 1 BAC, 1 BCA, 1 CAB",
    ("Black", "reinforcement of rankings"): "2 ABC, 1 BAC, 1 BCA, 1 CAB",
    ("Black", "smith"): "3 CBDA, 4 ADCB, 1 DACB",
    ("Young", "clone independence"): "1 ABCD, 1 BCAD, 1 DCAB",
    ("Young", "condorcet loser"): "1 ABCD, 1 BCAD, 1 DCAB",
    ("Young", "participation"): "1 ABCD, 2 ACBD, 1 CABD, 1 CBAD, 1 CDAB, 1 CDBA, 3 DBAC",
    ("Young", "reversal symmetry"): "1 ABCD, 1 ACDB, 1 DBCA",
    ("Young", "smith"): "1 ABCD, 1 BCAD, 1 DCAB",
    ("Dodgson", "condorcet loser"): WIDER_CYCLE,
    ("Dodgson", "monotonicity"): "1 CBAD, 1 CDAB, 1 BCDA, 3 ABCD",
    ("Dodgson", "participation"): "2 ABCD, 1 BCDA, 1 CDAB",
    ("Dodgson", "reversal symmetry"): "2 ABCD, 2 CADB, 1 DBAC, 2 DBCA",
    ("Dodgson", "smith"): WIDER_CYCLE,
}


def larger_witness(aggregator: Aggregator, axiom: Axiom) -> Witness | None:
    """Return a witness of which the rule was asked, where a profile for it is known."""
    ballots = LARGER.get((type(aggregator).__name__, axiom.name))
    if ballots is None:
        return None
    rows = [row.split() for row in ballots.split(", ")]
    counts, orders = zip(*rows, strict=True)
    return axiom.check(aggregator, Profile.from_orders(orders, counts=list(map(int, counts))))


# A long name is shortened as all do.
IIA, SHORT = "independence of irrelevant alternatives", "IIA"


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
        For every axiom and every rule the smallest one; None where no profile that was looked at
        breaks it.
    larger : tuple of tuple of (Witness or None)
        Where that is so, a larger profile that is known to break it, if there is one.
    """

    aggregators: tuple[Aggregator, ...]
    axioms: tuple[Axiom, ...]
    n_items: int
    n_rankings: int
    witnesses: tuple[tuple[Witness | None, ...], ...]
    larger: tuple[tuple[Witness | None, ...], ...]

    _schema = "rankagg.axiom_table"
    _row = "axiom"

    def __getitem__(self, cell: tuple[str, str]) -> Witness | None:
        """Return the witness of a rule and an axiom, given by their names, also a larger one."""
        rule, axiom = cell
        rules = [one.name for one in self.aggregators]
        axioms = [one.name for one in self.axioms]
        if rule not in rules or axiom not in axioms:
            raise KeyError(cell)
        at, column = axioms.index(axiom), rules.index(rule)
        return self.witnesses[at][column] or self.larger[at][column]

    @property
    def searched(self) -> str:
        """What has been looked at."""
        return (
            f"all profiles of up to {counted(self.n_items, 'item')} and "
            f"{counted(self.n_rankings, 'ranking')}"
        )

    def _cells(self) -> Iterable[_Cell]:
        for at, axiom in enumerate(self.axioms):
            for column, rule in enumerate(self.aggregators):
                found = self.witnesses[at][column]
                reference = theorem_on(rule, axiom)
                yield _Cell(axiom, rule, found, self.larger[at][column], reference)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per axiom and rule.

        Returns
        -------
        pandas.DataFrame
            axiom; rule; broken: whether a profile shows it; ballots: that profile; shown: what is
            wrong with it, or how far none was found; proved: whether it is proved that the rule
            "keeps" or "breaks" the axiom, None where nothing is stated; source: where or how.
        """
        rows = []
        for axiom, rule, found, larger, reference in self._cells():
            witness = found or larger
            none = f"none among {self.searched}"
            if witness is not None:
                none = witness.sentence if found else f"{witness.sentence} ({none})"
            rows.append(
                {
                    "axiom": axiom.name,
                    "rule": rule.name,
                    "broken": witness is not None,
                    "ballots": None if witness is None else _ballots(witness),
                    "shown": none,
                    "proved": None if reference is None else _verb(reference),
                    "source": None if reference is None else reference.source,
                }
            )
        columns = ["axiom", "rule", "broken", "ballots", "shown", "proved", "source"]
        return pd.DataFrame(rows, columns=columns)

    def _content(self) -> dict[str, Any]:
        rows = []
        for axiom, rule, found, larger, reference in self._cells():
            rows.append(
                {
                    "axiom": axiom.name,
                    "rule": rule.name,
                    "witness": None if found is None else found.to_dict(),
                    "larger": None if larger is None else larger.to_dict(),
                    "reference": None
                    if reference is None
                    else {"holds": reference.holds, "source": reference.source},
                }
            )
        return {"n_items": self.n_items, "n_rankings": self.n_rankings, "cells": rows}

    def _facts(self) -> list[str]:
        lines = [
            f"{counted(len(self.aggregators), 'rule')} and "
            f"{counted(len(self.axioms), 'axiom')}, {self.searched}",
            "a number: broken, and where below, with * by a larger profile",
            "keeps, breaks: proved for profiles of every size; -: open, none among these profiles",
        ]
        for rule, head in self._heads().items():
            if head != rule:
                lines.append(f"{head}: {rule}")
        if any(IIA in axiom.name for axiom in self.axioms):
            lines.append(f"{SHORT}: {IIA}")
        return lines

    def _heads(self) -> dict[str, str]:
        """Return the names of rules in the table: classes, where that tells them apart."""
        kinds = [type(rule).__name__ for rule in self.aggregators]
        return {
            rule.name: kind if kinds.count(kind) == 1 else rule.name
            for rule, kind in zip(self.aggregators, kinds, strict=True)
        }

    def _table(self) -> pd.DataFrame:
        numbers = {id(witness): at for at, witness in enumerate(self._found(), 1)}
        heads = self._heads()
        marks: dict[str, list[str]] = {head: [] for head in heads.values()}
        for _, rule, found, larger, reference in self._cells():
            witness = found or larger
            mark = "-" if reference is None else _verb(reference)
            if witness is not None:
                number = f"{numbers[id(witness)]}{'' if found else '*'}"
                # A proof that it is kept would be wrong, which is not to be hidden.
                doubt = reference is not None and reference.holds
                mark = f"{number} ({mark})" if doubt else number
            marks[heads[rule.name]].append(mark)
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

    def _found(self) -> list[Witness]:
        shown = (cell.found or cell.larger for cell in self._cells())
        return [witness for witness in shown if witness is not None]

    def _below(self, rows: int | None = ROWS) -> Iterable[str]:
        found, heads = self._found(), self._heads()
        shown = found if rows is None else found[:rows]
        for at, witness in enumerate(shown, 1):
            rule = heads[witness.aggregator.name]
            yield (
                f"{at}. {rule}, {_short(witness.axiom)}: {_ballots(witness)}. {witness.sentence}"
            )
        if len(found) > len(shown):
            yield f"... and {counted(len(found) - len(shown), 'more witness')}"
        cited = [
            f"{heads[cell.rule.name]} {_verb(cell.reference)} {_short(cell.axiom)}: "
            f"{cell.reference.source}"
            for cell in self._cells()
            if cell.reference is not None
        ]
        if cited:
            yield "proved for profiles of every size:"
        yield from cited if rows is None else cited[:rows]
        if rows is not None and len(cited) > rows:
            yield f"... and {counted(len(cited) - rows, 'more proof')}"


class _Cell(NamedTuple):
    axiom: Axiom
    rule: Aggregator
    found: Witness | None
    larger: Witness | None
    reference: Theorem | None


def _verb(reference: Theorem) -> str:
    return "keeps" if reference.holds else "breaks"


def _short(axiom: Axiom) -> str:
    return axiom.name.replace(IIA, SHORT)


def _ballots(witness: Witness) -> str:
    labels = witness.profile.items
    return written(ballots_of(witness.profile), labels)


def axiom_table(
    aggregators: Iterable[Aggregator],
    axioms: Iterable[Axiom | str] = AXIOMS,
    *,
    n_items: int = 3,
    n_rankings: int = 5,
    time_limit: float | None = None,
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
    time_limit : float, optional
        Seconds for all rules together, after which `OutOfTimeError` says how many profiles have
        been looked at.

    Returns
    -------
    AxiomTable

    Raises
    ------
    InvalidInputError
        If there are more than 3,000,000 profiles to look at.
    OutOfTimeError
        If the time limit passes before the table is full.

    Examples
    --------
    >>> import rankagg as ra
    >>> rules = [ra.Borda(), ra.Schulze()]
    >>> print(ra.axioms.axiom_table(rules, ["majority", "reinforcement"], n_rankings=4))
    2 rules and 2 axioms, all profiles of up to 3 items and 4 rankings
    a number: broken, and where below, with * by a larger profile
    keeps, breaks: proved for profiles of every size; -: open, none among these profiles
                   Borda Schulze
    majority           1   keeps
    reinforcement  keeps       2
    1. Borda, majority: 2 x A > B > C, 1 x B > C > A. More than half of the ballots have A first, and A, B win.
    2. Schulze, reinforcement: 1 x A > B > C, 1 x A > C > B, 1 x B > A > C, 1 x C > B > A. The two parts have A in common among their winners, and together they choose A, B.
    proved for profiles of every size:
    Schulze keeps majority: Schulze (2011), https://doi.org/10.1007/s00355-010-0475-4
    Borda keeps reinforcement: points add up; Young (1975), https://doi.org/10.1137/0128067
    """  # noqa: E501
    listed = _listed(aggregators, Aggregator, "aggregators", "aggregator objects such as Borda()")
    rules = tuple(check_aggregator(rule, "aggregators") for rule in listed)
    if not rules:
        raise InvalidInputError("aggregators", "at least one aggregator", rules)
    names = [rule.name for rule in rules]
    if len(set(names)) < len(names):
        raise InvalidInputError("aggregators", "rules of different names", names)
    given = _listed(axioms, str | Axiom, "axioms", "axioms or their names")
    asked = tuple(as_axiom(axiom, "axioms") for axiom in given)
    if not asked or len({axiom.name for axiom in asked}) < len(asked):
        raise InvalidInputError("axioms", "at least one, each once", [one.name for one in asked])
    most_items = check_integer(n_items, "n_items", low=1)
    most_rankings = check_integer(n_rankings, "n_rankings", low=1)
    deadline = Deadline.after(time_limit_of(time_limit))
    found = [search_all(rule, asked, most_items, most_rankings, deadline) for rule in rules]
    larger = [
        [
            None if witness is not None else larger_witness(rule, axiom)
            for axiom, witness in zip(asked, row, strict=True)
        ]
        for rule, row in zip(rules, found, strict=True)
    ]
    return AxiomTable(
        aggregators=rules,
        axioms=asked,
        n_items=most_items,
        n_rankings=most_rankings,
        witnesses=tuple(zip(*found, strict=True)),
        larger=tuple(zip(*larger, strict=True)),
    )


def _listed(value: object, one: type | UnionType, parameter: str, allowed: str) -> list[object]:
    if isinstance(value, one):
        return [value]
    if not isinstance(value, Iterable):
        raise InvalidInputError(parameter, allowed, value)
    return list(value)
