"""How few rankings or tasks have to go before the result is another: table and text."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from rankagg._typing import Label
from rankagg.aggregation.result import Consensus
from rankagg.analysis.robustness.removal.units import RemovalUnit
from rankagg.core.names import listing, named, said, stated
from rankagg.core.results import Result, plain_rows
from rankagg.core.value import Value

__all__ = ["Removal", "RemovalRadius"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Removal(Value):
    """The fewest units whose removal makes one change.

    Attributes
    ----------
    lower : int
        Proved: fewer do not do it. All units where nothing does it: one has to stay.
    taken : tuple of (label, int), or None
        What to remove, and how many copies; None where nothing was found.
    rankings : tuple of str
        What the rankings among these say; empty where tasks are removed.
    first : tuple
        Who is first then, perhaps tied, or in some optimum; empty where `taken` is None.
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
        """How many units `taken` are; None where nothing was found."""
        return None if self.taken is None else sum(number for _, number in self.taken)

    @property
    def is_impossible(self) -> bool:
        """Whether it is proved that no removal does it."""
        return self.lower >= self.n_units

    @property
    def is_proved(self) -> bool:
        """Whether the least number is known, or that there is none."""
        return self.is_impossible or self.upper == self.lower

    @property
    def number(self) -> int | None:
        """The least number; None where it is not proved, or nothing does it."""
        return self.upper if self.is_proved else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        taken = None if self.taken is None else [
            {"unit": label, "count": number} for label, number in self.taken
        ]  # fmt: skip
        return {
            "number": self.number,
            "is_proved": self.is_proved,
            "is_impossible": self.is_impossible,
            "lower": self.lower,
            "upper": self.upper,
            "removed": taken,
            "first": list(self.first),
        }

    def __repr__(self) -> str:
        if self.is_impossible:
            return "<Removal: impossible>"
        upper = "?" if self.upper is None else self.upper
        return f"<Removal: {self.number if self.is_proved else f'{self.lower} to {upper}'}>"


class RemovalRadius(Result):
    """The fewest rankings or tasks whose removal changes the first place, or a pair's order.

    Made by `removal_radius`; it has no plot.

    Attributes
    ----------
    consensus : Consensus
        Of all data.
    first : tuple
        Who is first now, perhaps tied, or in some optimum; empty where that is not known.
    pair : tuple of two labels, or None
        The pair that is asked about, the upper item first; None for the first place.
    unit : {"ranking", "task"}
        What is removed.
    noun : str
        What the units are called: "rankings", "tasks", or "groups" (of rankings).
    n_units : int
        How many there are.
    level : Removal
        The fewest that leave who is first not alone first (0 where several are first now), or the
        upper item not above the lower.
    overtaken : Removal
        The fewest that leave none of the present firsts first, or put the lower item above the
        upper.
    notes : tuple of str
        What a reader should know.
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
        """Return what to remove.

        Returns
        -------
        pandas.DataFrame
            change: "level" or "overtaken"; removed: the task, or the row of the profile of
            rankings from 0; count: how many copies of it; ranking: what it says, where rankings
            are removed.
        """
        rows = [
            (name, label, number, ranking)
            for name, removal in (("level", self.level), ("overtaken", self.overtaken))
            for (label, number), ranking in zip(
                removal.taken or (),
                removal.rankings or [""] * len(removal.taken or ()),
                strict=True,
            )
        ]
        frame = pd.DataFrame(rows, columns=["change", "removed", "count", "ranking"])
        return frame if self.unit == "ranking" else frame.drop(columns="ranking")

    def headline(self) -> str:
        """Return in one sentence how many have to go before another is first, or above."""
        if not self.first:
            return "who is first is not proved, so nothing is known of what changes it"
        if self.pair is not None:
            upper, lower = map(named, self.pair)
            return self._sentence(self.overtaken, f"put {lower} above {upper}")
        if len(self.first) == len(self.consensus.items):
            only = "there is no other item"
            if len(self.first) > 1:
                only = f"as it is, {self._now} share the first place"
            return f"{only}, so no removal can put another first"
        others = listing(self.overtaken.first) if self.overtaken.first else "another"
        return self._sentence(self.overtaken, f"put {others} first in place of {self._now}")

    @property
    def _now(self) -> str:
        return listing(self.first)

    def _on_level(self) -> str:
        if self.level.upper == 0:
            if self.pair is not None:
                return "as it is, {} is not above {}".format(*map(named, self.pair))
            return f"as it is, {self._now} share the first place"
        if self.pair is not None:
            change = "leave {} no longer above {}".format(*map(named, self.pair))
        else:
            change = f"leave {self._now} no longer alone in first place"
        return self._sentence(self.level, change)

    def _sentence(self, removal: Removal, change: str) -> str:
        noun = self.noun.removesuffix("s")
        units = stated(self.n_units, "units that may go", ",", noun)
        fewer = stated(removal.lower, "removals that are proved to be needed", of=self.n_units)
        if removal.is_impossible:
            return said("no removal would {}: one of {} has to stay", change, units)
        if removal.upper is None:
            found = said("of the {} none were found whose removal would {}", units, change)
            if removal.lower <= 1:
                return found
            return said("{}; removing fewer than {} would not", found, fewer)
        which = ""
        if self.unit == "task" and removal.taken:
            which = f" ({listing([label for label, _ in removal.taken])})"
        taken = stated(removal.upper, "units removed", ",", of=self.n_units)
        told = said("removing {} of {}{} would {}", taken, units, which, change)
        if removal.is_proved:
            return told
        if removal.lower <= 1:
            return said("{}; that fewer would not is not proved", told)
        return said("{}; it is proved that fewer than {} would not", told, fewer)

    def _content(self) -> dict[str, Any]:
        return {
            "aggregator": self.consensus.aggregator.name,
            "unit": self.unit,
            "units": self.noun,
            "n_units": self.n_units,
            "pair": None if self.pair is None else list(self.pair),
            "first": list(self.first),
            "level": self.level.to_dict(),
            "overtaken": self.overtaken.to_dict(),
            "removed": plain_rows(self.to_frame()),
            "notes": list(self.notes),
        }

    @property
    def lines(self) -> tuple[str, ...]:
        """The headline, and a sentence on being level where that says more."""
        is_all = self.pair is None and len(self.first) == len(self.consensus.items)
        if not self.first or self.level == self.overtaken or is_all:
            return (self.headline(),)
        return self.headline(), self._on_level()

    def _facts(self) -> list[str]:
        first, *others = self.lines
        name = self.consensus.aggregator.name
        return [said("{}: {}", name, first), *others, *(f"note: {note}" for note in self.notes)]

    def __repr__(self) -> str:
        what = "the first place" if self.pair is None else f"{self.pair[0]} above {self.pair[1]}"
        return (
            f"<RemovalRadius of {what} by {self.consensus.aggregator.name}: "
            f"{self.overtaken!r} of {self.n_units} {self.noun}>"
        )
