"""Kinds of ballots: elections, which are counted in full, lists of the first items, and votes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rankagg import _pandas as pd
from rankagg._typing import Floats, Label, Unranked
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.voting.elimination_rules import InstantRunoff
from rankagg.aggregation.voting.rounds import ElectionCount
from rankagg.core.names import Words, amount, joined, listing, named, part_of, percent, said, stated
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.profile import Profile
from rankagg.exceptions import InvalidInputError
from rankagg.report.findings import Findings
from rankagg.report.kinds import base
from rankagg.report.kinds.base import NOTHING, Kind, QuietColumn, RowDrawing, Strip, fact, number
from rankagg.report.sections import PageTable, Section, table_of

# Of more rounds the tables have the first and the last ones; and rows of the table of lists.
MOST_ROUNDS, ROWS = 8, 200


@dataclass(frozen=True)
class ElectionKind(Kind):
    """Ballots, all of them."""

    data: Profile
    name: ClassVar[str] = "election"
    words: ClassVar[Words] = Words("candidate", "ballot", "vote")
    unranked: ClassVar[Unranked] = "last"
    is_sample: ClassVar[bool] = False
    infers: ClassVar[bool] = False
    whole: ClassVar[str] = "complete ballot"
    against: ClassVar[str] = "stayed longer in the count"

    # -- what is computed -----------------------------------------------------------------------

    def leader(self, unranked: Unranked) -> Aggregator | None:
        """Return instant runoff."""
        if unranked != "last" and self.data.has_unranked:
            allowed = "'last' for an election, where ballots leave candidates out"
            raise InvalidInputError("unranked", allowed, unranked)
        return InstantRunoff(unranked=unranked)

    @cached_property
    def count(self) -> ElectionCount:
        """The count by instant runoff."""
        return InstantRunoff(unranked="last").count(self.data)

    @cached_property
    def _votes(self) -> Floats:
        """Votes by rounds, shape (rounds, n); NaN for who has gone out."""
        cells = [[np.nan if v is None else float(v) for v in s.votes] for s in self.count.stages]
        return np.array(cells)

    @cached_property
    def _ballots(self) -> float:
        return float(np.nansum(self._votes[0])) + float(self.count.exhausted[0])

    def _final(self) -> Floats:
        """Return the votes of each candidate in its last round."""
        last = (~np.isnan(self._votes)).sum(axis=0) - 1
        votes: Floats = self._votes[last, np.arange(self._votes.shape[1])]
        return votes

    # -- the first screen -----------------------------------------------------------------------

    def result(self, findings: Findings) -> str:
        """Say who is elected, and when."""
        names, rounds = self.count.elected, stated(len(self.count.stages), "rounds", noun="round")
        verb = "wins" if len(names) == 1 else "tie for winning"
        return said("{} {} the instant runoff after {}", listing(names), verb, rounds)

    def certainty(self, findings: Findings) -> str:
        """Say how close it was, and who wins in pairs."""
        winner, told = findings.graph.condorcet_winner, []
        if self.count.margin is not None:
            margin = stated(self.count.margin, "margin of the last round", amount, "vote")
            told.append(said("The margin of the last round is {}.", margin))
        if winner is None:
            told.append("In pairs nobody beats every other candidate.")
        else:
            also = "also " if (winner,) == self.count.elected else ""
            told.append(f"In pairs {named(winner)} {also}beats every other candidate.")
        return joined(told)

    def numbers(self, findings: Findings) -> list[tuple[str, str]]:
        """Return ballots, and those that are exhausted in the end."""
        lost = float(self.count.exhausted[-1]) / self._ballots
        share = stated(lost, "share of exhausted ballots", percent, of=self._ballots)
        told = number(self.data.n_rankings, "ballot", "rankings")
        return [told, (share, "exhausted")]

    def columns(self, findings: Findings) -> tuple[QuietColumn, ...]:
        """Return first preferences, and votes in the last round that a candidate was in."""
        first, final = (list(map(amount, votes)) for votes in (self._votes[0], self._final()))
        return QuietColumn("First votes", first), QuietColumn("In the end", final)

    def drawing(self, findings: Findings) -> RowDrawing:
        """Draw the shares of ballots at first and in the end."""
        first, final = self._votes[0] / self._ballots, self._final() / self._ballots
        step = 0.1 if final.max() > 0.3 else 0.05
        most = step * np.ceil(final.max() / step + 1e-9)
        shares = np.arange(0, most + step / 2, step)
        return RowDrawing(
            [
                Strip(100 * b / most, (0.0, 100 * a / most))
                for a, b in zip(first.tolist(), final.tolist(), strict=True)
            ],
            tuple((100 * share / most, f"{100 * share:.0f} %") for share in shares.tolist()),
            (("dot", True, "first preferences (bar), and votes in the last round (dot)"),),
            "Shares of all ballots: first preferences, and the votes that each candidate had in "
            "the last round before it went out, transfers included.",
        )

    # -- chapters -------------------------------------------------------------------------------

    def shape(self, findings: Findings) -> list[tuple[str, object]]:
        """Return ballots, and how many candidates they name."""
        listed = (self.data.ranks >= 0).sum(axis=1)
        sizes = np.bincount(listed, weights=self.data.counts)
        facts = [fact("Ballots", self.data.n_rankings, "rankings")]
        what = "ballots that name so many"
        return facts + [
            (f"that name {size}", stated(int(many), what, ","))
            for size, many in enumerate(sizes.tolist())
            if many
        ]

    def opening(self, findings: Findings) -> list[Section]:
        """Return the count round by round, with margins."""
        count, rounds = self.count, len(self.count.stages)
        shown, stays = [*range(rounds)], findings.order.tolist()
        if rounds > MOST_ROUNDS:
            shown = [0, *shown[1 - MOST_ROUNDS :]]
            stays = [i for i in stays if not np.isnan(self._votes[shown[1], i])]
        exhausted = np.array(count.exhausted, dtype=float)
        moved = np.diff(self._votes, axis=0, prepend=self._votes[:1])
        lost = np.diff(exhausted, prepend=exhausted[:1])
        section = Section("count", "The count", is_open=True)
        section.told(stated(rounds, "rounds", noun="round"))
        section.table(self._rounds(stays, self._votes, exhausted, shown, "Votes by rounds"))
        if len(stays) < len(self.data.items):
            gone = stated(
                len(self.data.items) - len(stays), "candidates out before", "", "candidate"
            )
            section.text(said("{} went out in the rounds that are not shown.", gone))
        if rounds > 1:
            table = self._rounds(stays, moved, lost, shown[1:], "Votes that each round adds")
            section.add("folded", ("Transfers", table))
        return [section.facts(self._margins(findings)).items(count.notes)]

    def _rounds(
        self, stays: list[int], votes: Floats, exhausted: Floats, shown: list[int], caption: str
    ) -> PageTable:
        """Return a table of candidates by rounds."""
        frame = pd.DataFrame({"Candidate": [*map(str, self.data.items.at(stays)), "Exhausted"]})
        for k in shown:
            frame[f"round {k + 1}"] = [*votes[k, stays], exhausted[k]]
        frame["outcome"] = [*map(self._outcome, self.data.items.at(stays)), ""]
        return table_of(frame, caption, text=["Candidate", "outcome"])

    def _outcome(self, candidate: Label) -> str:
        for k, stage in enumerate(self.count.stages, 1):
            if candidate in stage.elected:
                return f"elected in round {k}"
            if candidate in stage.eliminated:
                return f"out in round {k}"
        return ""

    def _margins(self, findings: Findings) -> list[tuple[str, object]]:
        facts: list[tuple[str, object]] = []
        if self.count.margin is not None:
            margin = stated(self.count.margin, "margin of the last round", amount, "vote")
            facts.append(("Margin of the last round", margin))
        margins, items = findings.graph.margins, self.data.items
        first = int(findings.order[0])
        others = np.delete(np.arange(len(items)), first)
        closest = int(others[margins[first, others].argmin()])
        lead = margins[first, closest]
        way = "ahead of" if lead > 0 else "behind" if lead < 0 else "level with"
        by = stated(abs(lead), "margin of a pair", amount, "vote")
        told = said("{} {} {}", by, way, named(items[closest]))
        facts.append(("Closest pair of the winner", told))
        return facts


@dataclass(frozen=True)
class ListsKind(Kind):
    """Lists, each of which names some items in order."""

    data: Profile
    name: ClassVar[str] = "lists"
    words: ClassVar[Words] = Words("item", "list", "vote")
    whole: ClassVar[str] = "complete list"
    unranked: ClassVar[Unranked] = "last"
    infers: ClassVar[bool] = False

    @cached_property
    def _ranks(self) -> NDArray[np.float64]:
        """The ranks from 1 of items in lists, NaN where a list does not name one."""
        ranks = np.repeat(self.data.ranks, self.data.counts, axis=0).astype(np.float64) + 1.0
        return np.where(ranks > 0, ranks, np.nan)

    @property
    def _named(self) -> NDArray[np.intp]:
        """How many lists name each item."""
        named: NDArray[np.intp] = np.isfinite(self._ranks).sum(axis=0)
        return named

    @property
    def _lengths(self) -> NDArray[np.intp]:
        lengths: NDArray[np.intp] = np.isfinite(self._ranks).sum(axis=1)
        return lengths

    # -- the first screen -----------------------------------------------------------------------

    def result(self, findings: Findings) -> str:
        """Say who is first, and how many lists name it."""
        if len(findings.winners) > 1:
            return super().result(findings)
        some, total = int(self._named[findings.order[0]]), len(self._ranks)
        many = part_of(some, "lists that name the first", total, "lists", "list", form=",")
        return said("{}; {} name it", super().result(findings), many)

    def numbers(self, findings: Findings) -> list[tuple[str, str]]:
        """Return lists, and how long they are."""
        low, high = int(self._lengths.min()), int(self._lengths.max())
        longest = stated(high, "longest list", ",")
        span = longest if low == high else said(
            "{}\N{EN DASH}{}", stated(low, "shortest list", ","), longest
        )  # fmt: skip
        return [number(len(self._ranks), "list", "lists"), (span, "items in each")]

    def columns(self, findings: Findings) -> tuple[QuietColumn, ...]:
        """Return how many lists name an item, and its median rank there."""
        middle = [
            f"{np.median(column[np.isfinite(column)]):g}" if some else NOTHING
            for column, some in zip(self._ranks.T, self._named, strict=True)
        ]
        return (
            QuietColumn("Lists", [f"{some:,}" for some in self._named.tolist()]),
            QuietColumn("Median rank", middle),
        )

    def drawing(self, findings: Findings) -> RowDrawing:
        """Draw the rank of an item in each list that names it."""
        longest = int(self._lengths.max())
        places = [np.unique(column[np.isfinite(column)]) for column in self._ranks.T]
        strips = [
            Strip(None, strokes=tuple(base.at_place(rank, longest) for rank in each.tolist()))
            for each in places
        ]
        return RowDrawing(
            strips,
            base.ticks(longest),
            (("stroke", False, "rank in a list that names it"),),
            "Places are those of the exact consensus (Kemeny): listed items are above those that "
            "a list leaves out, and between two that it leaves out it says nothing.",
        )

    # -- chapters -------------------------------------------------------------------------------

    def shape(self, findings: Findings) -> list[tuple[str, object]]:
        """Return lists and their lengths."""
        alone = int((self._named == 1).sum())
        return [
            fact("Lists", len(self._ranks)),
            fact("Items that only one list names", alone),
            fact("Items that all lists name", int((self._named == len(self._ranks)).sum())),
        ]

    def opening(self, findings: Findings) -> list[Section]:
        """Return how many lists name an item, and where."""
        order, ranks = findings.order, self._ranks
        frame = findings.rows()
        frame["lists"] = self._named[order]
        some = self._named > 0
        for name, of in (("best", np.nanmin), ("median", np.nanmedian), ("worst", np.nanmax)):
            found = np.full(len(order), np.nan)
            found[some] = of(ranks[:, some], axis=0)
            frame[name] = found[order]
        table = table_of(
            frame,
            "How many lists name an item, and its ranks there",
            text=["Item"],
            bars=["lists"],
            limit=ROWS,
            what="items",
        )
        told = stated(len(ranks), "lists", ",", "list")
        return [Section("lists", "In which lists", is_open=True).told(told).table(table)]


@dataclass(frozen=True)
class VotesKind(Kind):
    """A matrix of votes."""

    data: PairwiseMatrix
    name: ClassVar[str] = "votes"
    words: ClassVar[Words] = Words(unit="vote")

    def certainty(self, findings: Findings) -> str:
        """Say that nothing is known of it."""
        return "Counts of votes do not tell how sure it is."

    def numbers(self, findings: Findings) -> list[tuple[str, str]]:
        """Return votes, and the share of pairs without any."""
        n = self.data.n_items
        cast = float(np.triu(self.data.comparisons, 1).sum())
        votes = stated(cast, "votes on pairs", ",.6g", weighted=True)
        told = [(votes, "vote on pairs" if cast == 1 else "votes on pairs")]
        pairs = n * (n - 1) // 2
        if pairs:
            share = len(self.data.never_compared) / pairs
            never = stated(share, "share of pairs never compared", percent, of=pairs)
            told.append((never, "of pairs never compared"))
        return told

    def shape(self, findings: Findings) -> list[tuple[str, object]]:
        """Say what they are."""
        return [("Votes", "counts for pairs only")]
