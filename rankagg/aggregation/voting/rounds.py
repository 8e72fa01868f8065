"""Counts of elections round by round, with votes, transfers and the elected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import pandas as pd

from rankagg._typing import Integers, Label
from rankagg.aggregation.evidence import Data, Evidence
from rankagg.core import ItemSet, Profile, Result, counted, exact, listed, plain_rows
from rankagg.exceptions import InformationLostError, InvalidInputError

#: Unit of a count.
CountedUnit = Literal["votes", "last places", "points"]


class CountRound(NamedTuple):
    """A round of a count: votes as exact fractions, elected and eliminated candidates."""

    # Votes of each candidate in the order of the data; None after elimination.
    counts: tuple[Fraction | None, ...]
    # Exhausted votes.
    exhausted: Fraction
    # Votes needed for election; None without a quota.
    quota: Fraction | None
    # Elected candidates, most votes first, and eliminated ones.
    elected: tuple[Label, ...] = ()
    eliminated: tuple[Label, ...] = ()
    # Candidates whose surplus is transferred.
    surplus: tuple[Label, ...] = ()
    # How a tie was broken, such as "by lot".
    tie: str = ""


# Ways of breaking a tie.
BY_DATA, BY_GIVEN, BY_LOT = "by the order of the data", "by the given order", "by lot"
# Largest number of printed rounds, the first and the last ones; label of exhausted votes.
ROUNDS_SHOWN, EXHAUSTED = 8, "exhausted"


class ElectionCount(Result):
    """Votes of each candidate by round, exhausted ballots, and the elected candidates.

    If votes are counted, `sum(counts) + exhausted` is the number of ballots in every round. Counts
    of last places and points have no exhausted ballots. It has no plot.

    Attributes
    ----------
    rule : str
        The constructor call of the rule, defaults omitted.
    counted : {"votes", "last places", "points"}
        Unit of the count. The most last places are eliminated, or the fewest votes or points.
    candidates : tuple of str or int
        In the order of the data.
    order : tuple of str or int
        All candidates: first the elected, then the others, the last eliminated first. Candidates
        who remain at the end are ordered by votes (`STV`) or by further rounds (`Coombs`).
    stages : tuple
        For each round, as attributes: `counts` of the candidates in their order as exact
        fractions (None after elimination), `exhausted`, `quota`, and the candidates that are
        `elected`, are `eliminated`, or transfer a `surplus`.
    tied : tuple of str or int, or None
        Candidates that are elected by some ways of breaking ties and not by others. None if there
        are too many ways to follow.
    notes : tuple of str
        How ties were broken, and a majority of first places.

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
    counted: CountedUnit = "votes"
    candidates: tuple[Label, ...]
    order: tuple[Label, ...]
    stages: tuple[CountRound, ...]
    tied: tuple[Label, ...] | None = ()
    notes: tuple[str, ...] = ()

    _schema: ClassVar[str] = "rankagg.election_count"
    _row: ClassVar[str] = "candidate"
    _number: ClassVar[str] = "{:z.12g}"

    @property
    def elected(self) -> tuple[Label, ...]:
        """Elected candidates, in the order of their election."""
        return tuple(label for stage in self.stages for label in stage.elected)

    @property
    def exhausted(self) -> tuple[float, ...]:
        """Exhausted votes in each round."""
        return tuple(_number(stage.exhausted) for stage in self.stages)

    @property
    def quota(self) -> float | None:
        """Votes needed for election in the last round; None without a quota."""
        quota = self.stages[-1].quota
        return None if quota is None else _number(quota)

    @property
    def margin(self) -> float | None:
        """Margin of the last elected candidate over the next one in the last round.

        None if no other candidate remains, or a majority of first places decided.
        """
        stage, sign = self.stages[-1], -1 if self.counted == "last places" else 1
        pairs = zip(self.candidates, stage.counts, strict=True)
        last = {label: sign * got for label, got in pairs if got is not None}
        left = [got for label, got in last.items() if label not in self.elected]
        if not left or not (stage.eliminated or self.counted == "votes"):
            return None
        return _number(min(last[label] for label in stage.elected) - max(left))

    @property
    def rounds(self) -> pd.DataFrame:
        """One row per round and candidate not eliminated before."""
        rows, before, elected = [], dict[Label, Fraction](), set[Label]()
        for number, stage in enumerate(self.stages, start=1):
            elected.update(stage.elected)
            for label, got in zip(self.candidates, stage.counts, strict=True):
                if got is not None:
                    out = "eliminated" if label in stage.eliminated else "hopeful"
                    status = "elected" if label in elected else out
                    rows.append((number, label, got, got - before.get(label, got), status))
                    before[label] = got
        unit = self.counted.replace(" ", "_")
        frame = pd.DataFrame(rows, columns=["round", "candidate", unit, "transfer", "status"])
        for name in (unit, "transfer"):
            whole = all(number.denominator == 1 for number in frame[name])
            frame[name] = frame[name].map(int if whole else float)
        return frame if unit == "votes" else frame.drop(columns="transfer")

    @property
    def is_tied(self) -> bool:
        """Whether the election is tied, or only the order of the data breaks its tie."""
        return self.is_level or (bool(self.tied) and self.tie_broken == BY_DATA)

    @property
    def tie_broken(self) -> str:
        """The way in which ties were broken, such as "by lot"; empty without ties."""
        ways = [stage.tie for stage in self.stages]
        return next((x for x in (BY_DATA, BY_GIVEN, BY_LOT) for way in ways if x in way), "")

    @property
    def is_level(self) -> bool:
        """Whether several candidates are tied for a single seat."""
        return self.quota is None and len(self.elected) > 1

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each round and remaining candidate, and for exhausted votes.

        Returns
        -------
        pandas.DataFrame
            Columns round (from 1), candidate, votes (or last_places, points), transfer (the change
            of votes since the round before), and status: elected, eliminated, or hopeful. If votes
            are counted, the last row of each round has the exhausted votes.
        """
        lost, number = self.exhausted, range(1, len(self.stages) + 1)
        more = {"votes": lost, "transfer": np.diff(lost, prepend=lost[:1]), "status": EXHAUSTED}
        rows = pd.DataFrame({"round": number, "candidate": EXHAUSTED, **more})
        both = pd.concat([self.rounds, *[rows] * (self.counted == "votes")])
        return both.sort_values("round", kind="stable", ignore_index=True)

    def _facts(self) -> Iterable[str]:
        rule, rounds = self.rule.partition("(")[0], counted(len(self.stages), "round")
        names = ", ".join(map(str, self.elected))
        level = ", ".join(map(str, self.elected if self.is_level else self.tied or ()))
        if self.is_tied:
            then = "" if self.is_level else f"; {BY_DATA} it elects {names}"
            yield f"{rule} leaves {level} tied after {rounds}{then}"
        else:
            how = f", {self.tie_broken}: {level} were tied" if level else ""
            how = ", and other ways of breaking ties may elect others" if self.tied is None else how
            yield f"{rule} elects {names} in {rounds}{how}"
        first, last = self.stages[0], self.stages[-1]
        n_votes = sum((votes for votes in first.counts if votes is not None), first.exhausted)
        quota = "" if self.quota is None else f", quota {self.quota:.12g}"
        exhausted = f"{_number(last.exhausted):.12g} exhausted in the last round"
        ballots = f"{counted(_number(n_votes), 'ballot', '.12g')}{quota}, {exhausted}"
        yield ballots if self.counted == "votes" else f"each round counts {self.counted}"
        if self.margin is not None:
            noun = self.counted.removesuffix("s")
            yield f"margin of the last round: {counted(self.margin, noun, '.12g')}"
        yield from self.notes

    def _table(self) -> pd.DataFrame:
        """Return votes by candidate and round, the elected first, with outcomes.

        The last row has exhausted votes.
        """
        order, outcomes, cells = list(self.order), dict[Label, str](), {}
        for k, stage in enumerate(self.stages, start=1):
            cells[f"round {k}"] = [*stage.counts, stage.exhausted]
            verb = "tied" if self.is_level else "elected"
            outcomes |= dict.fromkeys(stage.elected, f"{verb} in round {k}")
            how = f", {stage.tie}" if stage.tie else ""
            outcomes |= dict.fromkeys(stage.eliminated, f"eliminated in round {k}{how}")
        table = pd.DataFrame(cells, [*self.candidates, EXHAUSTED], dtype=float)
        at = [self.candidates.index(label) for label in order]
        table = table.iloc[[*at, *[len(order)] * (self.counted == "votes")]]
        for label in {*(self.tied or ())} & {*self.elected}:
            outcomes[label] += f", {self.tie_broken}"
        ends = [*(outcomes.get(label, "not elected") for label in order), "-"]
        return table.assign(outcome=ends[: len(table)])

    def _cut(self, table: pd.DataFrame, rows: int | None) -> tuple[pd.DataFrame, int]:
        """Return the first rows, exhausted votes, and the first and the last rounds."""
        if rows is None:
            return table, 0
        n = len(self.order)
        at = [k for k in range(len(table)) if not rows <= k < n]
        return table.iloc[at].drop(columns=table.columns[1:-ROUNDS_SHOWN]), max(n - rows, 0)

    def _below(self, rows: int | None = None) -> Iterable[str]:
        last = len(self.stages) - ROUNDS_SHOWN + 1
        if rows is not None and last > 1:
            yield (
                f"rounds 2 to {last} are not shown; `to_frame` has them, and of a command --all, "
                "--csv FILE and --json"
            )

    def _to_paste(self) -> pd.DataFrame:
        return self._table().rename_axis("candidate")

    def _content(self) -> Mapping[str, Any]:
        names = ("rule", "counted", "candidates", "order", "elected", "tied", "quota", "margin")
        return {**self._plain(*names, "exhausted", "notes"), "rounds": plain_rows(self.rounds)}


def _number(votes: Fraction) -> float:
    return votes.numerator if votes.denominator == 1 else float(votes)


def checked_tie_order(
    tie_order: Sequence[Label], tie_breaking: str, rule: str
) -> tuple[Label, ...]:
    """Return a checked order of candidates that breaks ties."""
    order = () if isinstance(tie_order, str | bytes) else tuple(tie_order)
    if isinstance(tie_order, str | bytes) or len(set(order)) < len(order):
        allowed = "candidates, the most favored first, each once"
        raise InvalidInputError(f"tie_order of {rule}", allowed, tie_order)
    if order and tie_breaking != "order":
        remedy = "Leave one of them out, or take tie_breaking='order'."
        raise InvalidInputError(
            f"tie_breaking of {rule}", "'order' with a tie_order", tie_breaking, remedy
        )
    return order


def by_favor(
    tied: Sequence[int], items: ItemSet, tie_order: Sequence[Label], rule: str
) -> list[int]:
    """Return tied candidates by the given order, or by the order of the data, best first."""
    if not tie_order:
        return sorted(tied)
    at = {label: place for place, label in enumerate(tie_order)}
    if any(items[item] not in at for item in tied):
        allowed = f"an order of all who tie ({listed(items.at(tied))})"
        raise InvalidInputError(f"tie_order of {rule}", allowed, list(tie_order))
    return sorted(tied, key=lambda item: at[items[item]])


def distinct_ballots(rows: Any, profile: Profile) -> tuple[Any, Integers, int]:
    """Merge equal rows of ballots; return them, their summed votes, and the units of a vote."""
    votes, unit = exact.as_votes(profile.counts, profile.weights)
    distinct, where = np.unique(rows, axis=0, return_inverse=True)
    return distinct, exact.count_cells(where.ravel(), votes, len(distinct)), unit


def ballots_of(data: Data | Evidence, name: str) -> Profile:
    """Return the ballots in data, with candidates left out below all others."""
    try:
        return Evidence.of(data).with_unranked("last").profile
    except InformationLostError as error:
        raise InformationLostError(f"{name} {error}") from None
