"""Counts of elections round by round: who has how many votes, and who is elected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

from rankagg import _pandas as pd
from rankagg._typing import Label
from rankagg.aggregation.evidence import Data, Evidence
from rankagg.core.items import counted
from rankagg.core.profile import Profile
from rankagg.core.results import Result, plain_rows
from rankagg.exceptions import InformationLostError


class CountRound(NamedTuple):
    """A round of a count: what it counts, and what that decides; fractions are exact."""

    # Of each candidate, in the order of the data; None for those who were eliminated before.
    votes: tuple[Fraction | None, ...]
    # Votes that count for nobody.
    exhausted: Fraction
    # The votes that elect; None where no number does.
    quota: Fraction | None
    # The candidates that the round elects, most votes first, and those that it eliminates.
    elected: tuple[Label, ...] = ()
    eliminated: tuple[Label, ...] = ()
    # Those whose surplus goes on to the next round.
    surplus: tuple[Label, ...] = ()


# Of more rounds the first and the last ones are printed.
ROUNDS_PRINTED = 8


class ElectionCount(Result):
    """A count round by round: votes, transfers, exhausted ballots, and who is elected.

    In every round `sum(votes) + exhausted` is the number of ballots. It has no plot.

    Attributes
    ----------
    rule : str
        The rule that counted.
    candidates : tuple of str or int
        In the order of the data.
    stages : tuple
        For each round, as attributes: `votes` of the candidates in their order, exact fractions
        (None for those who were eliminated before), `exhausted`, `quota`, and the candidates
        that are `elected`, are `eliminated`, or pass on a `surplus`.
    notes : tuple of str
        How ties were broken that the rule leaves to a lot.

    Examples
    --------
    >>> from rankagg import InstantRunoff, Profile
    >>> ballots = Profile.from_orders(["ABC", "BCA", "CBA"], counts=[4, 2, 3])
    >>> count = InstantRunoff().count(ballots)
    >>> count.elected, count.margin
    (('C',), 1)
    >>> print(count.rounds.to_string(index=False))
     round candidate  votes  transfer     status
         1         A      4         0    hopeful
         1         B      2         0 eliminated
         1         C      3         0    hopeful
         2         A      4         0 eliminated
         2         C      5         2    elected
    """

    rule: str
    candidates: tuple[Label, ...]
    stages: tuple[CountRound, ...]
    notes: tuple[str, ...] = ()

    _schema: ClassVar[str] = "rankagg.election_count"
    _row: ClassVar[str] = "candidate"
    _number: ClassVar[str] = "{:z.12g}"

    @property
    def elected(self) -> tuple[Label, ...]:
        """The candidates that are elected, in the order of their election."""
        return tuple(label for stage in self.stages for label in stage.elected)

    @property
    def order(self) -> tuple[Label, ...]:
        """All candidates: the elected in their order, then who stays longest, with most votes."""
        rows = self.rounds.drop_duplicates("candidate", keep="last")
        last = rows.sort_values(["round", "votes"])["candidate"]
        return tuple(dict.fromkeys([*self.elected, *last[::-1]]))

    @property
    def exhausted(self) -> tuple[float, ...]:
        """In each round the votes that count for nobody."""
        return tuple(_number(stage.exhausted) for stage in self.stages)

    @property
    def quota(self) -> float | None:
        """The votes that elect, in the last round; None where no number does."""
        quota = self.stages[-1].quota
        return None if quota is None else _number(quota)

    @property
    def margin(self) -> float | None:
        """The margin of the last round: its last elected candidate over the next one.

        None where nobody else remains.
        """
        last = dict(zip(self.candidates, self.stages[-1].votes, strict=True))
        others = [votes for label, votes in last.items() if label not in self.elected]
        left = [votes for votes in others if votes is not None]
        least = min(last[label] or Fraction(0) for label in self.stages[-1].elected)
        return _number(least - max(left)) if left else None

    @property
    def rounds(self) -> pd.DataFrame:
        """One row per round and candidate who is not eliminated yet; see `to_frame`."""
        rows, before, elected = [], dict[Label, Fraction](), set[Label]()
        for number, stage in enumerate(self.stages, start=1):
            elected.update(stage.elected)
            for label, votes in zip(self.candidates, stage.votes, strict=True):
                if votes is not None:
                    out = "eliminated" if label in stage.eliminated else "hopeful"
                    status = "elected" if label in elected else out
                    rows.append((number, label, votes, votes - before.get(label, votes), status))
                    before[label] = votes
        frame = pd.DataFrame(rows, columns=["round", "candidate", "votes", "transfer", "status"])
        for name in ("votes", "transfer"):
            whole = all(number.denominator == 1 for number in frame[name])
            frame[name] = frame[name].map(int if whole else float)
        return frame

    def to_frame(self) -> pd.DataFrame:
        """Return one row per round and candidate who is not eliminated yet.

        Returns
        -------
        pandas.DataFrame
            The round from 1, the candidate, its votes, what it has more than in the round before,
            and its status: elected, eliminated, or hopeful.
        """
        return self.rounds

    def _facts(self) -> Iterable[str]:
        names = ", ".join(map(str, self.elected))
        yield f"{self.rule} elects {names} in {counted(len(self.stages), 'round')}"
        first, last = self.stages[0], self.stages[-1]
        n_votes = sum((votes for votes in first.votes if votes is not None), first.exhausted)
        said = "" if self.quota is None else f", quota {self.quota:.12g}"
        exhausted = f"{_number(last.exhausted):.12g} exhausted in the last round"
        yield f"{counted(_number(n_votes), 'ballot', '.12g')}{said}, {exhausted}"
        if self.margin is not None:
            yield f"margin of the last round: {counted(self.margin, 'vote', '.12g')}"
        yield from self.notes

    def _table(self) -> pd.DataFrame:
        """Return one row per candidate: first the elected, then who stays longest."""
        rows = self.rounds
        votes = rows.pivot_table("votes", "candidate", "round", sort=False)
        decided = rows[rows["status"] != "hopeful"].drop_duplicates("candidate")
        told = decided["status"] + " in round " + decided["round"].astype(str)
        outcomes = dict(zip(decided["candidate"], told, strict=True))
        shown = [*votes.columns]
        if len(shown) > ROUNDS_PRINTED:
            shown = [shown[0], *shown[1 - ROUNDS_PRINTED :]]
        order = list(self.order)
        table = votes.loc[order, shown].rename(columns="round {}".format).rename_axis(columns=None)
        return table.assign(outcome=[outcomes.get(label, "not elected") for label in order])

    def _below(self, rows: int | None = None) -> Iterable[str]:
        between = len(self.stages) - ROUNDS_PRINTED
        if between > 0:
            yield f"rounds 2 to {between + 1} are not shown; JSON and the frame have them"

    def _content(self) -> Mapping[str, Any]:
        names = ("rule", "candidates", "elected", "quota", "margin", "exhausted", "notes")
        return {**self._plain(*names), "rounds": plain_rows(self.rounds)}


def _number(exact: Fraction) -> float:
    return exact.numerator if exact.denominator == 1 else float(exact)


def ballots_of(data: Data | Evidence, name: str) -> Profile:
    """Return the rankings that a rule of some name counts, or say that there are none."""
    try:
        return Evidence.of(data).profile
    except InformationLostError as error:
        raise InformationLostError(f"{name} {error}") from None
