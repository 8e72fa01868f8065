"""Which rule breaks which axiom, each cell with what shows it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, fields
from types import UnionType
from typing import Any, NamedTuple, TypeAlias

import pandas as pd

from rankagg._validation import check_integer
from rankagg.aggregation import (
    Aggregator,
    Borda,
    Bucklin,
    Copeland,
    Deadline,
    Minimax,
    Schulze,
    check_rule,
    time_limit_of,
)
from rankagg.aggregation.kemeny import Kemeny
from rankagg.aggregation.ranked_pairs import RankedPairs
from rankagg.aggregation.voting.elimination_rules import (
    Baldwin,
    Coombs,
    Elimination,
    InstantRunoff,
    Nanson,
)
from rankagg.aggregation.voting.nearest_winner import Black, Dodgson, Young
from rankagg.aggregation.voting.positional_rules import (
    Approval,
    Dowdall,
    Plurality,
    Positional,
    Veto,
)
from rankagg.axioms.ballots import ballots_of, written
from rankagg.axioms.base import Axiom, Witness
from rankagg.axioms.search import AXIOMS, as_axiom, search_all
from rankagg.core import ROWS, Profile, Result, counted
from rankagg.exceptions import InvalidInputError

BRANDT = "Brandt (2009), https://doi.org/10.1002/malq.200810017"
FELSENTHAL = "Felsenthal (2012), https://doi.org/10.1007/978-3-642-20441-8_3"
FISHBURN = "Fishburn (1977), https://doi.org/10.1137/0133030"
FISHBURN_BRAMS = "Fishburn and Brams (1983), https://doi.org/10.2307/2689808"
FISHBURN_GEHRLEIN = "Fishburn and Gehrlein (1976), Public Choice 28, 79-88"
MOULIN = "Moulin (1988), https://doi.org/10.1016/0022-0531(88)90253-0"
SCHULZE = "Schulze (2011), https://doi.org/10.1007/s00355-010-0475-4"
SMITH = "Smith (1973), https://doi.org/10.2307/1914033"
TIDEMAN = "Tideman (1987), https://doi.org/10.1007/BF00433944"
WOODALL = "Woodall (1997), https://doi.org/10.1016/S0166-218X(96)00100-X"
YOUNG = "Young (1975), https://doi.org/10.1137/0128067"
YOUNG_LEVENGLICK = "Young and Levenglick (1978), https://doi.org/10.1137/0135023"

# Moulin's theorem is of one winner; that sets of winners break it too is shown by profiles.
NO_SHOW = f"so does every choice of one of its tied winners; {MOULIN}"
ZAVIST = "Zavist and Tideman (1989), https://doi.org/10.1007/BF00303170"

FROM_SMITH = "it keeps smith"
FROM_CONDORCET = "it keeps condorcet winner"
TURNED_POINTS = "points change sides of their mean, and who wins alone has more than the mean"
# Eliminations by Borda counts never lose the Smith set.
LAST_OF_SMITH = (
    "the last item of the Smith set that remains beats all others that do, so that its count is "
    f"above the average; {FISHBURN}"
)

#: Ranked pairs that take equal majorities together; the class stands for those in every order.
TAKEN_TOGETHER = RankedPairs(tie_breaking="together")
RANKED_PAIRS = (RankedPairs, TAKEN_TOGETHER)
#: Positional rules, whatever the points.
OF_POINTS = (Approval, Borda, Dowdall, Plurality, Positional, Veto)

Proofs: TypeAlias = dict[str, dict[str, tuple[type[Aggregator] | Aggregator, ...]]]

#: Of every axiom the proofs that rules keep it.
KEPT: Proofs = {
    "condorcet winner": {
        FISHBURN: (Black, Copeland, Dodgson, Minimax, Young),
        SCHULZE: (Schulze,),
        YOUNG_LEVENGLICK: (Kemeny,),
        FROM_SMITH: (Baldwin, Nanson, *RANKED_PAIRS),
    },
    "condorcet loser": {
        FELSENTHAL: (Black, Copeland, Kemeny),
        FISHBURN_GEHRLEIN: (Borda,),
        SCHULZE: (Schulze,),
        FROM_SMITH: (Baldwin, Nanson, *RANKED_PAIRS),
        "who has a majority of first places beats some item": (Coombs,),
        "in the last round of two items it loses": (InstantRunoff,),
    },
    "smith": {
        FISHBURN: (Copeland, Kemeny),
        SCHULZE: (Schulze,),
        LAST_OF_SMITH: (Baldwin, Nanson),
        "no majority leads back into the Smith set, so that those out of it lock": RANKED_PAIRS,
    },
    "majority": {
        FELSENTHAL: (Bucklin, Coombs, Copeland, InstantRunoff, Kemeny, Minimax, Plurality),
        SCHULZE: (Schulze,),
        FROM_SMITH: (Baldwin, Nanson),
        FROM_CONDORCET: (Black, Dodgson, Young, *RANKED_PAIRS),
    },
    "pareto": {
        FELSENTHAL: (Black, Borda, Copeland, Kemeny),
        SCHULZE: (Schulze,),
        "who is above another on all ballots has more than half at a smaller depth": (Bucklin,),
        "who is below another on all ballots loses by all, and somebody does not": (Minimax,),
        "what all agree on has no cycle, and is locked first": RANKED_PAIRS,
        "who is below another on all ballots has no first place": (Plurality,),
        "a place above has more points": (Dowdall,),
        "who is below another on all ballots has no first place while that remains, and what has "
        "none goes out before what has some": (InstantRunoff,),
        "who is above another on all ballots is last on none while that remains": (Coombs,),
        "who is above another on all ballots has the higher count, and stays on": (Baldwin, Nanson),
        "who is below another on all ballots can keep none": (Young,),
        "who is above another on all ballots gets wherever that does with fewer swaps": (Dodgson,),
    },
    "monotonicity": {
        FELSENTHAL: (Black, Bucklin, Copeland, Kemeny),
        SCHULZE: (Schulze,),
        "who rises gets no fewer points, and no other gets more": OF_POINTS,
        "who rises loses to nobody by more, and no other loses by less": (Minimax,),
        "who rises can keep what it kept, and no other can keep more": (Young,),
        "who comes out first still does, as its majorities grow and no path between others passes "
        f"it; {TIDEMAN}": (RankedPairs,),
    },
    "participation": {f"a ballot gives the most to what it has highest; {MOULIN}": OF_POINTS},
    "reinforcement": {f"points add up; {YOUNG}": OF_POINTS},
    "reinforcement of rankings": {
        f"points add up; {SMITH}": OF_POINTS,
        YOUNG_LEVENGLICK: (Kemeny,),
    },
    "clone independence": {
        SCHULZE: (Schulze,),
        TIDEMAN: (InstantRunoff,),
        "a path through clones is one through any of them, so that outside of them the same "
        "majorities lock however many there are": (TAKEN_TOGETHER,),
    },
    "reversal symmetry": {
        SCHULZE: (Schulze,),
        TURNED_POINTS: (Borda, Copeland),
        f"a Condorcet winner becomes the Condorcet loser; else {TURNED_POINTS}": (Black,),
        "who wins alone is above the average at first, and so below it after": (Nanson,),
        "optima turn round, and who is first in all is last in none": (Kemeny,),
        "an order that comes out does in reverse of the reverse ballots, and who is first in all "
        "is last in none": (RankedPairs,),
        "all arrows turn round, and what alone none leads to has one that leaves it": (
            TAKEN_TOGETHER,
        ),
    },
    "later-no-harm": {WOODALL: (InstantRunoff, Plurality)},
}

#: Of every axiom the proofs that rules break it.
BROKEN: Proofs = {
    "condorcet loser": {
        FELSENTHAL: (Minimax,),
        FISHBURN_GEHRLEIN: (Dowdall, Veto),
        BRANDT: (Dodgson,),
    },
    "smith": {FISHBURN: (Black, Dodgson, Minimax, Young)},
    "monotonicity": {SMITH: (InstantRunoff,), FISHBURN: (Dodgson, Nanson)},
    "participation": {
        FISHBURN_BRAMS: (InstantRunoff,),
        NO_SHOW: (
            *RANKED_PAIRS,
            *(Baldwin, Black, Copeland, Dodgson, Kemeny, Minimax, Nanson, Schulze, Young),
        ),
    },
    "clone independence": {ZAVIST: (RankedPairs,), TIDEMAN: (Kemeny,), BRANDT: (Dodgson,)},
}

# They change no outcome of complete strict ballots that is found.
WITHOUT_EFFECT = frozenset(["unranked", "time_limit", "verify", "n_jobs", "backend"])
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


class Theorem(NamedTuple):
    """What is proved: whether a rule keeps an axiom, and why or who says so."""

    holds: bool
    source: str


PROVED = {
    (rule, axiom): Theorem(holds, source)
    for holds, proofs in ((True, KEPT), (False, BROKEN))
    for axiom, sources in proofs.items()
    for source, rules in sources.items()
    for rule in rules
}


def theorem_on(rule: Aggregator, axiom: Axiom) -> Theorem | None:
    """Return what is proved of a rule and an axiom, both as they are by default.

    But eliminations follow parallel universes, ranked pairs take equal majorities in every order
    or together, and places may have any points.
    """
    if axiom != type(axiom)() or not _is_usual(rule):
        return None
    together = isinstance(rule, RankedPairs) and rule.tie_breaking == "together"
    return PROVED.get((TAKEN_TOGETHER if together else type(rule), axiom.name))


def _is_usual(rule: Aggregator) -> bool:
    usual = {
        field.name: field.default
        for field in fields(rule)
        if field.compare and field.default is not MISSING and field.name not in WITHOUT_EFFECT
    }
    if isinstance(rule, Elimination):
        usual["tie_breaking"] = "parallel"
    if isinstance(rule, RankedPairs):
        del usual["tie_breaking"]
    return all(getattr(rule, name) == value for name, value in usual.items())


def larger_witness(rule: Aggregator, axiom: Axiom) -> Witness | None:
    """Return a witness of which the rule was asked, where a profile for it is known."""
    ballots = LARGER.get((type(rule).__name__, axiom.name))
    if ballots is None:
        return None
    rows = [row.split() for row in ballots.split(", ")]
    counts, orders = zip(*rows, strict=True)
    return axiom.check(rule, Profile.from_orders(orders, counts=list(map(int, counts))))


# A long name is shortened as all do.
IIA, SHORT = "independence of irrelevant alternatives", "IIA"


class AxiomTable(Result):
    """For every rule and axiom a witness, or how far none was found, and what is proved.

    Made by `axiom_table`; it has no plot.

    Attributes
    ----------
    rules : tuple of Aggregator
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

    rules: tuple[Aggregator, ...]
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
        rules = [one.name for one in self.rules]
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
            for column, rule in enumerate(self.rules):
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
        return pd.DataFrame(rows)

    def _content(self) -> dict[str, Any]:
        rows = []
        for axiom, rule, found, larger, reference in self._cells():
            rows.append(
                {
                    "axiom": axiom.name,
                    "rule": rule.name,
                    "witness": None if found is None else found.to_dict(),
                    "larger": None if larger is None else larger.to_dict(),
                    "reference": None if reference is None else reference._asdict(),
                }
            )
        return {"n_items": self.n_items, "n_rankings": self.n_rankings, "cells": rows}

    def _facts(self) -> list[str]:
        lines = [
            f"{counted(len(self.rules), 'rule')} and "
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
        kinds = [type(rule).__name__ for rule in self.rules]
        return {
            rule.name: kind if kinds.count(kind) == 1 else rule.name
            for rule, kind in zip(self.rules, kinds, strict=True)
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
            rule = heads[witness.rule.name]
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
    rules: Iterable[Aggregator],
    axioms: Iterable[Axiom | str] = AXIOMS,
    *,
    n_items: int = 3,
    n_rankings: int = 5,
    time_limit: float | None = None,
) -> AxiomTable:
    """Look for every rule and axiom through all profiles up to a size.

    Parameters
    ----------
    rules : iterable of Aggregator
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
    listed = _listed(rules, Aggregator, "rules", "a list of rules such as Borda()")
    rules = tuple(check_rule(rule, "rules") for rule in listed)
    if not rules:
        raise InvalidInputError("rules", "at least one rule", rules)
    names = [rule.name for rule in rules]
    if len(set(names)) < len(names):
        raise InvalidInputError("rules", "rules of different names", names)
    given = _listed(axioms, str | Axiom, "axioms", "axioms or their names")
    asked = tuple(as_axiom(axiom, "axioms") for axiom in given)
    if not asked or len({axiom.name for axiom in asked}) < len(asked):
        raise InvalidInputError("axioms", "at least one, each once", [one.name for one in asked])
    most_items = check_integer(n_items, "n_items", low=1)
    most_rankings = check_integer(n_rankings, "n_rankings", low=1)
    deadline = Deadline.after(time_limit_of(time_limit))
    found = [search_all(rule, asked, most_items, most_rankings, deadline) for rule in rules]
    witnesses = tuple(zip(*found, strict=True))
    larger = [
        tuple(
            None if one else larger_witness(rule, axiom)
            for rule, one in zip(rules, row, strict=True)
        )
        for axiom, row in zip(asked, witnesses, strict=True)
    ]
    return AxiomTable(
        rules=rules,
        axioms=asked,
        n_items=most_items,
        n_rankings=most_rankings,
        witnesses=witnesses,
        larger=tuple(larger),
    )


def _listed(value: object, one: type | UnionType, parameter: str, allowed: str) -> list[object]:
    if isinstance(value, one):
        return [value]
    if not isinstance(value, Iterable):
        raise InvalidInputError(parameter, allowed, value)
    return list(value)
