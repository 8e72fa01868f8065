"""Cast votes as rankings, and what became of every ballot and every choice on the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NamedTuple

import pandas as pd

from rankagg.core.items import counted, shortened
from rankagg.core.profile import Profile
from rankagg.core.results import Result, plain_rows

__all__ = ["CastVotes", "CleaningStep"]


class CleaningStep(NamedTuple):
    """A step in which ballots became rankings."""

    # What was met: "undervote", "skipped choice", "overvote", "write-in", "repeated item" or
    # "after the end".
    step: str
    # What was done about it; empty where there is no choice.
    treatment: str
    # Ballots on which it occurs.
    ballots: int
    # Choices in which it occurs.
    choices: int
    # Those of the choices that are in no ranking because of it.
    left_out: int


class CastVotes(Result):
    r"""Cast votes as rankings, with the number of ballots that each step of the cleaning touched.

    It has no plot. All numbers of ballots are sums of counts where the file has counts.
    `n_unchanged + n_changed + n_blank + n_emptied == n_ballots`, and the choices that are ranked
    and those that the steps left out are all choices: `n_ranked + sum(left_out) == n_choices`.

    Attributes
    ----------
    profile : Profile
        The rankings; ballots that became equal are one row with their count.
    n_ballots : int
        Ballots that were read.
    n_unchanged : int
        Ballots that are ranked as they were cast.
    n_changed : int
        Ballots of which a choice was left out or moved up.
    n_blank : int
        Ballots without any mark; they are in no ranking.
    n_emptied : int
        Ballots with marks of which nothing is left; they are in no ranking.
    n_choices : int
        Choices that the ballots offered: ballots times choices.
    n_ranked : int
        Choices that are in the rankings.
    steps : tuple
        For each step what `to_frame` has in a row, as attributes.
    spelled : tuple of (str, int)
        What was read as something else than the name of a candidate, as it is written, and in how
        many choices.

    Examples
    --------
    >>> from io import StringIO
    >>> from rankagg import read_cast_votes
    >>> text = "first,second,third\nAnn,Bob,\nAnn,overvote,Cid\nAnn,,Bob\n,,\n"
    >>> votes = read_cast_votes(StringIO(text))
    >>> votes.n_ballots, votes.n_unchanged, votes.n_changed, votes.n_blank
    (4, 1, 2, 1)
    """

    profile: Profile
    n_ballots: int
    n_unchanged: int
    n_changed: int
    n_blank: int
    n_emptied: int
    n_choices: int
    n_ranked: int
    steps: tuple[CleaningStep, ...]
    spelled: tuple[tuple[str, int], ...]

    _schema: ClassVar[str] = "rankagg.cast_votes"
    _row: ClassVar[str] = "step"

    def _facts(self) -> Iterable[str]:
        yield (
            f"{counted(self.n_ballots, 'cast ballot')}: {self.n_unchanged} as they were cast, "
            f"{self.n_changed} changed, {self.n_blank} blank, {self.n_emptied} with nothing left"
        )
        yield f"{counted(self.n_choices, 'choice')}: {self.n_ranked} ranked"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per step: treatment, ballots, choices, and choices left out.

        Returns
        -------
        pandas.DataFrame
        """
        return pd.DataFrame(self.steps, columns=CleaningStep._fields).set_index("step")

    def _below(self, rows: int | None = None) -> Iterable[str]:
        if self.spelled:
            shown = self.spelled if rows is None else self.spelled[:rows]
            more = len(self.spelled) - len(shown)
            told = ", ".join(f"{_quoted(text)} {number}" for text, number in shown)
            yield f"read as no names: {told}" + (f" ... and {more} more" if more else "")

    def lines(self) -> tuple[str, ...]:
        """Return what was read in a line for each step that met anything.

        Returns
        -------
        tuple of str
        """
        told = [
            f"{one.step}: {counted(one.ballots, 'ballot')}, {counted(one.choices, 'choice')}"
            + (f", {one.treatment}" if one.treatment else "")
            for one in self.steps
            if one.ballots
        ]
        return (*self._facts(), *told, *self._below())

    def _content(self) -> Mapping[str, Any]:
        names = (
            "n_ballots", "n_unchanged", "n_changed", "n_blank", "n_emptied", "n_choices",
            "n_ranked",
        )  # fmt: skip
        return {
            **{name: getattr(self, name) for name in names},
            "items": list(self.profile.items),
            "steps": plain_rows(self.to_frame().reset_index()),
            "spelled": dict(self.spelled),
        }


def _quoted(text: str) -> str:
    return repr(shortened(text)) if text else "empty"
