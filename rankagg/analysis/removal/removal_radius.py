"""Removal radius: the fewest rankings or tasks whose removal changes the result."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import zip_longest
from time import monotonic
from typing import Any, get_args

import numpy as np
import pandas as pd

from rankagg._typing import Label, Tolerance
from rankagg._validation import check_choice, table_remedy
from rankagg.aggregation import (
    Aggregator,
    Borda,
    Consensus,
    Copeland,
    Deadline,
    Mean,
    as_data,
    deadline_of,
)
from rankagg.aggregation.kemeny import Kemeny
from rankagg.analysis.removal.comparison_radius import ComparisonRadius, radius_of_comparisons
from rankagg.analysis.removal.removal_units import Bracket, RemovalClasses, RemovalUnit, Searched
from rankagg.core import (
    ItemSet,
    Profile,
    Result,
    ScoreTable,
    Value,
    counted,
    listing,
    named,
    plain_rows,
    quantity,
    sentence,
)
from rankagg.core.comparisons import Comparisons
from rankagg.exceptions import Described, InvalidInputError, OutOfTimeError


@dataclass(frozen=True, eq=False, kw_only=True)
class Removal(Value):
    """The fewest units whose removal makes one change.

    Attributes
    ----------
    lower : int
        Proved lower bound; all units if no removal suffices, since one has to stay.
    taken : tuple of (label, int), or None
        The removed units, with copies; None if nothing was found.
    rankings : tuple of str
        The removed rankings as text; empty if tasks are removed.
    first : tuple
        The winners after the removal, perhaps tied, or of some optimum; empty if `taken` is None.
    n_units : int
        The number of all units.
    """

    lower: int
    taken: tuple[tuple[Label, int], ...] | None
    rankings: tuple[str, ...] = ()
    first: tuple[Label, ...]
    n_units: int

    def _key(self) -> tuple[Hashable, ...]:
        return self.lower, self.taken, self.first, self.n_units

    @property
    def upper(self) -> int | None:
        """Number of units in `taken`; None if nothing was found."""
        return None if self.taken is None else sum(number for _, number in self.taken)

    @property
    def is_impossible(self) -> bool:
        """Whether it is proved that no removal suffices."""
        return self.lower >= self.n_units

    @property
    def is_proved(self) -> bool:
        """Whether the smallest number is proved, or that there is none."""
        return self.is_impossible or self.upper == self.lower

    @property
    def number(self) -> int | None:
        """The smallest number; None if it is not proved, or no removal suffices."""
        return self.upper if self.is_proved else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        taken = [{"unit": label, "count": number} for label, number in self.taken or ()]
        return {
            "number": self.number,
            "is_proved": self.is_proved,
            "is_impossible": self.is_impossible,
            "lower": self.lower,
            "upper": self.upper,
            "removed": None if self.taken is None else taken,
            "first": list(self.first),
        }

    def __repr__(self) -> str:
        if self.is_impossible:
            return "<Removal: impossible>"
        upper = "?" if self.upper is None else self.upper
        return f"<Removal: {self.number if self.is_proved else f'{self.lower} to {upper}'}>"


class RemovalRadius(Result):
    """The smallest removal of rankings or tasks that changes the winner or reverses a pair.

    Made by `removal_radius`; it has no plot.

    Attributes
    ----------
    consensus : Consensus
        The consensus of all data.
    first : tuple
        The current winners, perhaps tied, or of some optimum; empty if not known.
    pair : tuple of two labels, or None
        The pair in question, the upper item first; None for the first place.
    unit : {"ranking", "task"}
        The removed unit.
    noun : str
        Plural name of the units: "rankings", "tasks", or "groups" (of rankings).
    n_units : int
        Number of units.
    level : Removal
        Fewest removals after which the winner is not the only one (0 if there are several now), or
        the upper item is not above the lower.
    overtaken : Removal
        Fewest removals after which none of the current winners is first, or the lower item is
        above the upper.
    notes : tuple of str
        Remarks on the search.
    """

    consensus: Consensus
    first: tuple[Label, ...]
    pair: tuple[Label, Label] | None
    unit: RemovalUnit
    noun: str
    n_units: int
    level: Removal
    overtaken: Removal
    notes: tuple[str, ...] = field(default=(), compare=False)

    _schema = "rankagg.removal_radius"
    _row = "unit"
    _named_rows = False

    @property
    def is_proved(self) -> bool:
        """Whether both numbers are known."""
        return self.level.is_proved and self.overtaken.is_proved

    def to_frame(self) -> pd.DataFrame:
        """Return the removed units.

        Returns
        -------
        pandas.DataFrame
            change: "level" or "overtaken"; removed: the task, or the row of the profile, from 0;
            count: number of copies; ranking: its text, if rankings are removed.
        """
        rows = [
            (name, *taken, ranking)
            for name, removal in (("level", self.level), ("overtaken", self.overtaken))
            # Of tasks no rankings are known.
            for taken, ranking in zip_longest(removal.taken or (), removal.rankings)
        ]
        frame = pd.DataFrame(rows, columns=["change", "removed", "count", "ranking"])
        return frame if self.unit == "ranking" else frame.drop(columns="ranking")

    def headline(self) -> str:
        """Return a sentence on the removals that change the winner or reverse the pair."""
        if not self.first:
            return "the winner is not proved, so the removals that change it are not known"
        if self.pair is not None:
            upper, lower = map(named, self.pair)
            return self._sentence(self.overtaken, f"put {lower} above {upper}")
        if len(self.first) == len(self.consensus.items):
            only = "there is no other item"
            if len(self.first) > 1:
                only = f"{self._now} share the first place"
            return f"{only}, so no removal can change the winner"
        others = listing(self.overtaken.first) if self.overtaken.first else "another"
        return self._sentence(self.overtaken, f"put {others} first in place of {self._now}")

    @property
    def _now(self) -> str:
        return listing(self.first)

    def _on_level(self) -> str:
        if self.level.upper == 0:
            if self.pair is not None:
                return "with all data, {} is not above {}".format(*map(named, self.pair))
            return f"with all data, {self._now} share the first place"
        change = f"leave {self._now} no longer alone in first place"
        if self.pair is not None:
            change = "leave {} no longer above {}".format(*map(named, self.pair))
        return self._sentence(self.level, change)

    def _sentence(self, removal: Removal, change: str) -> str:
        units = quantity(self.n_units, "units that may go", ",", self.noun.removesuffix("s"))
        fewer = quantity(removal.lower, "removals that are proved to be needed", of=self.n_units)
        if removal.is_impossible:
            return sentence("no removal would {}: one of {} has to stay", change, units)
        if removal.upper is None:
            none = sentence("no removal among the {} was found that would {}", units, change)
            if removal.lower <= 1:
                return none
            return sentence("{}; removing fewer than {} would not", none, fewer)
        which = ""
        if self.unit == "task" and removal.taken:
            which = f" ({listing([label for label, _ in removal.taken])})"
        taken = quantity(removal.upper, "units removed", ",", of=self.n_units)
        effect = sentence("removing {} of {}{} would {}", taken, units, which, change)
        if removal.is_proved:
            return effect
        if removal.lower <= 1:
            return sentence("{}; fewer may suffice", effect)
        return sentence("{}; it is proved that fewer than {} would not", effect, fewer)

    def _content(self) -> dict[str, Any]:
        return {
            "rule": self.consensus.rule.name,
            "unit": self.unit,
            "units": self.noun,
            **self._plain("n_units", "pair", "first"),
            "level": self.level.to_dict(),
            "overtaken": self.overtaken.to_dict(),
            "removed": plain_rows(self.to_frame()),
            "notes": list(self.notes),
        }

    @property
    def lines(self) -> tuple[str, ...]:
        """The headline, and a sentence on the tie if its removals differ."""
        is_all = self.pair is None and len(self.first) == len(self.consensus.items)
        if not self.first or self.level == self.overtaken or is_all:
            return (self.headline(),)
        return self.headline(), self._on_level()

    def _facts(self) -> list[str]:
        first, *others = self.lines
        notes = (sentence("note: {}", note) for note in self.notes)
        return [sentence("{}: {}", self.consensus.rule.name, first), *others, *notes]

    def __repr__(self) -> str:
        what = "the first place" if self.pair is None else f"{self.pair[0]} above {self.pair[1]}"
        return (
            f"<RemovalRadius of {what} by {self.consensus.rule.name}: "
            f"{self.overtaken!r} of {self.n_units} {self.noun}>"
        )


def removal_radius(
    data: ScoreTable | Profile | Comparisons,
    rule: Aggregator | None = None,
    *,
    pair: tuple[Label, Label] | None = None,
    unit: RemovalUnit | None = None,
    tolerance: Tolerance = 0.0,
    time_limit: float | None = None,
) -> RemovalRadius | ComparisonRadius:
    """Find the fewest rankings or tasks whose removal changes the winner or reverses a pair.

    There are two numbers: the fewest removals after which the winner is not the only one (or the
    upper item of the pair is not above the lower), and after which none of the current winners is
    first (or the lower item is above the upper). One ranking or task has to stay.

    Parameters
    ----------
    data : ScoreTable, Profile or Comparisons
        Comparisons are rated by `BradleyTerry.fit`; all options except `pair` then keep their
        defaults.
    rule : Aggregator, optional
        `Borda`, `Copeland`, `Kemeny` or `Mean` (of tasks); the exact `Kemeny()` by default. With
        several optima, an item is first if it is first in some optimum, and above another if it is
        above it in all.
    pair : tuple of two labels, optional
        Two items; the first place by default. If the consensus ties the two, the first of them is
        to be overtaken.
    unit : {"ranking", "task"}, optional
        The removed unit: single ballots, where each copy counts as one whatever its weight, or all
        ballots of a task of a table or a group of a profile. By default tasks or groups, if any.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by at most this much are tied.
    time_limit : float, optional
        Seconds in total. A number that is not proved by then is an interval.

    Returns
    -------
    RemovalRadius
        For comparisons a `ComparisonRadius`, whose `n_removed` is verified by a fit of the others;
        fewer may suffice.

    Notes
    -----
    The numbers are exact for sums of points, by sorting, and for Copeland's rule, by an integer
    program. For Kemeny's rule, removals that move another item up are searched. All smaller
    choices are tried if there are at most 2,000, or excluded by majorities; otherwise the number is
    an upper bound of an interval. Every removal is checked by aggregating the rest.

    Comparisons are removed by their influence on the difference of two log worths, to first order,
    and then by that on the fit of the rest, until the pair is reversed (Huang, Shen, Wei and
    Broderick 2025).

    Borda points and means are compared exactly, with scores read as decimal numbers; a note says if
    the rule itself ties scores that are equal up to rounding.

    References
    ----------
    Control by deleting voters: Bartholdi, Tovey and Trick (1992),
    https://doi.org/10.1016/0895-7177(92)90085-Y; against the current winner: Hemaspaandra,
    Hemaspaandra and Rothe (2007), https://doi.org/10.1016/j.artint.2007.01.005. If ballots are
    changed and not removed, the number is the margin of victory: Xia (2012),
    https://doi.org/10.1145/2229012.2229086. For ratings: Huang, Shen, Wei and Broderick (2025),
    https://doi.org/10.48550/arXiv.2508.11847.

    Examples
    --------
    >>> import rankagg as ra
    >>> ballots = ra.Profile.from_orders(["ABC", "BCA", "CBA"], counts=[5, 2, 1])
    >>> found = ra.analysis.removal_radius(ballots, ra.Kemeny())
    >>> found.level.number, found.overtaken.number
    (2, 3)
    >>> found.overtaken.taken
    ((0, 3),)
    >>> ra.analysis.removal_radius(ballots, ra.Borda(), pair=("A", "C"))
    <RemovalRadius of A above C by Borda: <Removal: 4> of 8 rankings>
    """
    if isinstance(data, Comparisons):
        if rule is not None or unit is not None or tolerance != 0 or time_limit is not None:
            allowed = "Comparisons without `rule`, `unit`, `tolerance` and `time_limit`"
            raise InvalidInputError("data", allowed, data)
        return radius_of_comparisons(data, _checked_pair(pair, data.items))
    data = as_data(data)
    rule = Kemeny() if rule is None else rule
    deadline = deadline_of(time_limit)
    return radius_until(deadline, _removal_classes(data, rule, unit, tolerance), pair=pair)


def _checked_pair(pair: tuple[Label, Label] | None, items: ItemSet) -> tuple[Label, Label] | None:
    if pair is None:
        return None
    if not isinstance(pair, tuple | list) or len(pair) != 2 or pair[0] == pair[1]:
        raise InvalidInputError("pair", "two different items", pair)
    items.indices(list(pair))
    return pair[0], pair[1]


def radius_until(
    deadline: Deadline,
    units: RemovalClasses,
    *,
    pair: tuple[Label, Label] | None = None,
    whole: Consensus | None = None,
    solves: int | None = None,
) -> RemovalRadius:
    """Find the fewest removals, with at most `solves` solves for each of the two numbers."""
    pair = _checked_pair(pair, units.items)
    began = monotonic()
    if whole is None:
        whole = units.rule.aggregate(units.evidence, deadline=deadline)
    brackets = (Bracket(units.total, solves=solves), Bracket(units.total, solves=solves))
    first: tuple[Label, ...] = ()
    notes = ["the consensus of all data is not proved within the limit"]
    try:
        searched = Searched.of(units, whole, pair, deadline)
    except OutOfTimeError:
        pass
    else:
        first, pair, notes = searched.first, searched.pair, searched.notes
        _answer(searched, brackets, deadline, monotonic() - began)
    # Reasons why a mean of scores is hard to interpret.
    cautions = whole.notes if whole.rule.needs == "scores" else ()
    level, overtaken = (
        Removal(
            lower=bracket.lower,
            taken=None if bracket.removed is None else units.taken(bracket.removed),
            rankings=() if bracket.removed is None else units.shown(bracket.removed),
            first=bracket.first,
            n_units=units.total,
        )
        for bracket in brackets
    )
    return RemovalRadius(
        consensus=whole,
        first=first,
        pair=pair,
        unit=units.unit,
        noun=units.noun,
        n_units=units.total,
        level=level,
        overtaken=overtaken,
        notes=tuple(dict.fromkeys([*cautions, *notes])),
    )


def _answer(
    searched: Searched, brackets: tuple[Bracket, Bracket], deadline: Deadline, seconds: float
) -> None:
    """Narrow both brackets until the deadline; the consensus of all data took some seconds."""
    # The solvers are loaded when something is solved.
    from rankagg.analysis.removal.searches import search  # noqa: PLC0415

    level, overtaken = brackets
    for bracket, question in zip(brackets, searched.questions, strict=True):
        bracket.raise_to(level.lower)  # an overtaken item is level, too
        # Two solves check the removals, each with a search of all optima.
        share = deadline.later(-3 * seconds).share(2 if bracket is level else 1)
        if question is None:
            bracket.offer(np.zeros(len(searched.units.counts), dtype=np.int64))
        else:
            searched.notes.extend(search(searched, question, bracket, share))
        searched.check(bracket, question, deadline)
    if overtaken.removed is not None and overtaken.upper < level.upper:
        level.offer(overtaken.removed)
        level.first = overtaken.first


def _removal_classes(
    data: Any, rule: Any, unit: RemovalUnit | None, tolerance: Tolerance
) -> RemovalClasses:
    if not isinstance(data, ScoreTable | Profile):
        allowed = "a ScoreTable, a Profile or Comparisons"
        raise InvalidInputError("data", allowed, data, table_remedy(data))
    if type(rule) not in (Borda, Copeland, Kemeny, Mean):
        raise InvalidInputError("rule", "Borda, Copeland, Kemeny or Mean", rule)
    if isinstance(rule, Kemeny) and (rule.consensus_ties or rule.constraints is not None):
        allowed = "Kemeny() without `consensus_ties` and `constraints`"
        raise InvalidInputError("rule", allowed, rule)
    if isinstance(rule, Mean) and isinstance(data, ScoreTable) and data.n_missing:
        gaps = Described(f"{data.n_missing} of {counted(data.values.size, 'score')} missing")
        remedy = "Drop systems or tasks with gaps, or take a rule on rankings such as Borda()."
        raise InvalidInputError("data", "a table without missing scores for Mean", gaps, remedy)
    has_tasks = isinstance(data, ScoreTable) or data.groups is not None
    if unit is None:
        unit = "task" if has_tasks else "ranking"
    check_choice(unit, get_args(RemovalUnit), "unit")
    if unit == "task" and not has_tasks:
        remedy = "In Python, give groups to the constructor of the profile."
        raise InvalidInputError("unit", "'ranking' for rankings without groups", unit, remedy)
    if unit == "ranking" and isinstance(rule, Mean):
        raise InvalidInputError("unit", f"'task' for {rule.name}, which averages tasks", unit)
    return RemovalClasses(data=data, rule=rule, tolerance=tolerance, unit=unit)
