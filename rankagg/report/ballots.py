"""Pages of elections, ranked lists, and matrices of votes."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from io import StringIO
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Generator, RNGLike
from rankagg.aggregation import Aggregator, Evidence, Needs, Outcome
from rankagg.aggregation.base import ReadsUnranked
from rankagg.aggregation.voting.elimination_rules import InstantRunoff
from rankagg.aggregation.voting.rounds import BY_DATA, ElectionCount
from rankagg.aggregation.voting.transfers import STV
from rankagg.core import (
    PairwiseMatrix,
    PartialRanking,
    Profile,
    Words,
    amount,
    are_level,
    canonical_profile,
    counted,
    joined,
    listing,
    named,
    part_of,
    percent,
    quantity,
    sentence,
)
from rankagg.exceptions import InvalidInputError, visible
from rankagg.inference import robust_rank_aggregation
from rankagg.io.ballots import write_ballots
from rankagg.io.blt import blt_text
from rankagg.io.cast_votes import CastVotes
from rankagg.report.findings import Findings, Kind, QuietColumn
from rankagg.report.sections import (
    UNKNOWN,
    PageTable,
    RowDrawing,
    Section,
    Strip,
    at_place,
    at_share,
    fact,
    marked_shares,
    number,
    page_table,
    ticks,
)

#: Rules that count an election.
ElectionRule = STV | InstantRunoff
#: Default rule for one seat; ties are broken as by `rankagg count`.
USUAL = InstantRunoff(tie_breaking="order")
# Format of votes, with all decimals; most rows of the table of lists, and most lists with p-values,
# which then take a second or two.
VOTES, ROWS, MOST_LISTS = ",.15g", 200, 50
# Columns of text in the table of rounds.
TEXTS = ("elected", "surplus passed on by", "eliminated", "tie broken")
# Most characters of ballots that a page embeds.
MOST_CHARACTERS = 4_000_000
P_VALUES = (
    "A p-value is the probability of such high ranks in random lists, by robust rank aggregation "
    "(Kolde et al.), adjusted for all {} (Holm). It assumes independent lists, and that no other "
    "items could have been listed: among more items, the same ranks would be less likely."
)


@dataclass(frozen=True, kw_only=True)
class Counted(Aggregator):
    """Rank by a count; candidates tied for a seat stay tied."""

    needs: ClassVar[Needs] = "rankings"
    reads_unranked: ClassVar[ReadsUnranked] = "last"
    rule: ElectionRule
    count: ElectionCount = field(repr=False, compare=False)

    @property
    def name(self) -> str:
        """Name of the counting rule."""
        return "STV" if isinstance(self.rule, STV) else "Instant runoff"

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        if self.rule.tie_breaking == "together" and isinstance(self.rule, Aggregator):
            return Outcome(ranking=self.rule.aggregate(evidence).ranking)
        order, tied = self.count.order, (self.count.is_tied and self.count.tied) or ()
        ahead = [x for x in order if x in self.count.elected and x not in tied]
        behind = [x for x in order if x not in tied and x not in ahead]
        buckets = [[x] for x in ahead] + [[*tied]] * bool(tied) + [[x] for x in behind]
        return Outcome(ranking=PartialRanking.from_buckets(buckets, items=evidence.items))


@dataclass(frozen=True)
class ElectionKind(Kind):
    """All ballots of an election, and the rule that counts them."""

    data: Profile
    rule: ElectionRule = USUAL
    # Ballots before cleaning, if known.
    cast: CastVotes | None = None
    rng: RNGLike = None
    name: ClassVar[str] = "election"
    words: ClassVar[Words] = Words("candidate", "ballot", "vote")
    is_sample: ClassVar[bool] = False
    infers: ClassVar[bool] = False
    lacks: ClassVar[bool] = False
    complete_unit: ClassVar[str] = "complete ballot"
    against: ClassVar[str] = "ahead in the count: elected earlier, more votes, or out later"

    # -- results -----------------------------------------------------------------------

    def leader(self) -> Aggregator | None:
        """Return the count."""
        return Counted(rule=self.rule, count=self.count)

    @property
    def leader_name(self) -> str:
        """Name of the count."""
        return "STV" if isinstance(self.rule, STV) else "instant runoff"

    @cached_property
    def count(self) -> ElectionCount:
        """The count."""
        return self.rule.count(self.data, rng=self.rng)

    @property
    def _ends(self) -> tuple[Floats, Floats, float]:
        """First preferences, votes in the last round of each candidate, number of ballots."""
        votes = self.count.summary_parts()[1].drop(columns="outcome").ffill(axis=1).to_numpy()
        of = votes[np.argsort(self.data.items.indices(list(self.count.order)))]
        return of[:, 0], of[:, -1], float(votes[:, 0].sum())

    # -- the first screen -----------------------------------------------------------------------

    def result(self, findings: Findings) -> str:
        """Return a sentence on who is elected or tied, and after how many rounds."""
        count = self.count
        level = count.elected if count.is_level else count.tied or ()
        rounds = quantity(len(count.stages), "rounds", noun="round")
        sure = [x for x in count.elected if x not in level]
        if count.is_tied and not sure:
            return sentence("{} are tied after {} of {}", listing(level), rounds, self.leader_name)
        names = sure or list(count.elected)
        verb = "is" if len(names) == 1 else "are"
        won = f"{verb} elected by STV" if isinstance(self.rule, STV) else "wins the instant runoff"
        text = sentence("{} {} after {}", listing(names), won, rounds)
        if count.is_tied:
            seats = counted(len(count.elected) - len(names), "other seat")
            return sentence("{}; {} are tied for {}", text, listing(level), seats)
        if level:
            others = [x for x in count.elected if x not in names]
            also = f"and {listing(others)} " if others else ""
            by = f"{also}{count.tie_broken}"
            text = sentence("{}, {}: {} were tied", text, by, listing(level))
        return text

    def certainty(self, findings: Findings) -> str:
        """Return sentences on broken ties, the margin, and the Condorcet winner."""
        winner, lines = findings.graph.condorcet_winner, list[str]()
        if self.count.tied is None:
            lines.append("Ties can be broken in too many ways to follow: others may be elected.")
        elif self.count.is_tied and not self.count.is_level:
            who = listing([x for x in self.count.elected if x in (self.count.tied or ())])
            lines.append(f"Only the order of the data elects {who}: a lot has to decide.")
        ways: dict[str, list[int]] = {}
        for k, stage in enumerate(self.count.stages, 1):
            if stage.tie:
                ways.setdefault(stage.tie, []).append(k)
        for way, rounds in ways.items():
            which = joined((quantity(k, "rounds with a tie") for k in rounds), ", ")
            one = "A tie in round {} was" if len(rounds) == 1 else "Ties in rounds {} were"
            lines.append(sentence(f"{one} broken {way}.", which))
        if self.count.margin is not None:
            margin = quantity(self.count.margin, "margin of the last round", VOTES, "vote")
            lines.append(sentence("The margin of the last round is {}.", margin))
        if winner is None:
            lines.append("Nobody beats every other candidate in pairs.")
        else:
            also = "also " if winner in self.count.elected else ""
            lines.append(f"{named(winner)} {also}beats every other candidate in pairs.")
        return joined(lines)

    def numbers(self, findings: Findings) -> list[tuple[str, str]]:
        """Return the number of ballots, and the share exhausted at the end."""
        ballots = self._ends[-1]
        lost = float(self.count.exhausted[-1]) / ballots
        share = quantity(lost, "share of exhausted ballots", percent, of=ballots)
        read = number(self.data.n_rankings, "ballot", "rankings")
        if self.cast is not None:
            cast = quantity(self.cast.n_ballots, "ballots cast", ",")
            read = read[0], sentence("{} read, of {} cast", read[1], cast)
        return [read, (share, "exhausted")]

    def columns(self, findings: Findings) -> tuple[QuietColumn, ...]:
        """Return first preferences, and votes in the last round of each candidate."""
        first, final = ([f"{one:{VOTES}}" for one in votes] for votes in self._ends[:2])
        return QuietColumn("First votes", first), QuietColumn("Last round", final)

    def drawing(self, findings: Findings) -> RowDrawing:
        """Draw the shares of ballots in the first and the last round."""
        first, final, ballots = self._ends
        at, ends = at_share(first / ballots), at_share(final / ballots)
        key = [("dot", True, "votes in the first round (bar) and the last (dot)")]
        lines: tuple[float, ...] = ()
        if (quota := self.count.quota) is not None:
            lines = (at_share(quota / ballots),)
            key.append(("stroke", False, sentence("quota, {}", self._quota)))
        return RowDrawing(
            [
                Strip(end, (at_share(0), start), strokes=lines)
                for start, end in np.column_stack([at, ends]).tolist()
            ],
            marked_shares(),
            tuple(key),
            "Shares of all ballots: first preferences, and the votes of each candidate, with "
            "transfers, in the last round before its elimination.",
        )

    # -- chapters -------------------------------------------------------------------------------

    def shape(self, findings: Findings) -> list[tuple[str, object]]:
        """Return the numbers of ballots by the candidates they name."""
        named_by = (self.data.ranks >= 0).sum(axis=1)
        sizes = np.bincount(named_by, weights=self.data.counts).astype(int).tolist()
        what = "ballots that name so many"
        cast = []
        if (votes := self.cast) is not None:
            cast = [
                fact("Ballots cast", votes.n_ballots),
                fact("Blank ballots", votes.n_blank),
                fact("Spoilt ballots (no valid choice left)", votes.n_emptied, "spoilt ballots"),
                fact("Ballots changed", votes.n_changed),
            ]
        return [
            *cast,
            fact("Ballots read" if cast else "Ballots", self.data.n_rankings, "rankings"),
            *(fact(f"Ballots that name {k}", many, what) for k, many in enumerate(sizes) if many),
            ("Candidates left out", "count as below all that a ballot lists"),
        ]

    def opening(self, findings: Findings) -> list[Section]:
        """Return the count round by round, and its rule."""
        rounds, frame = len(self.count.stages), self.count.summary_parts()[1]
        section = Section("count", "The count", is_open=True)
        section.headline(quantity(rounds, "rounds", noun="round"))
        section.facts(self._how(findings)).table(_rounds(frame, "Votes by rounds"))
        if rounds > 1:
            votes = frame.drop(columns="outcome")
            # An eliminated candidate loses its votes once.
            gone = votes.isna() & votes.isna().shift(axis=1, fill_value=False)
            moved = votes.fillna(0).diff(axis=1).round(9).mask(gone).drop(columns="round 1")
            table = _rounds(moved.assign(outcome=frame["outcome"]), "Votes that each round adds")
            section.add("folded", ("Transfers", table))
        formats = dict.fromkeys(("quota", "exhausted"), VOTES)
        section.table(
            page_table(self._decided(), "What each round decides", formats=formats, text=TEXTS)
        )
        section.items(self.count.notes)
        if (block := self._block()) is None:
            section.text("This page has no room for the ballots: see `rankagg count --ballots`.")
        else:
            section.add("ballots", json.loads(block)["file"])
        return [section]

    def _decided(self) -> pd.DataFrame:
        """Return a row for each round with its decisions."""
        rows = [
            {
                "Round": k,
                "elected": ", ".join(map(str, stage.elected)),
                "surplus passed on by": ", ".join(map(str, stage.surplus)),
                "eliminated": ", ".join(map(str, stage.eliminated)),
                "tie broken": stage.tie,
                "quota": None if stage.quota is None else float(stage.quota),
                "exhausted": float(stage.exhausted),
            }
            for k, stage in enumerate(self.count.stages, 1)
        ]
        frame = pd.DataFrame(rows)
        unused = [name for name in TEXTS if not frame[name].any()]
        return frame.drop(columns=[*unused, *["quota"] * (frame["quota"].nunique() < 2)])

    def _block(self) -> str | None:
        """Return the ballots as read, with the data of a recount, as JSON; None if too many."""
        profile = canonical_profile(
            self.data.items, self.data.ranks, counts=self.data.counts, weights=self.data.weights
        ).compress()
        seats, counting = getattr(self.rule, "seats", 1), getattr(self.rule, "counting", "irv")
        try:
            name, text = "ballots.blt", blt_text(profile, seats=seats)
        except InvalidInputError:  # names that BLT cannot hold
            counting, stream = "", StringIO()
            write_ballots(profile, stream)
            name, text = "ballots.csv", stream.getvalue()
        if len(text) > MOST_CHARACTERS:
            return None
        is_countable = (profile.weights == 1).all() and profile.is_strict
        at = self.data.items.indices
        parts = {
            "file": name,
            "text": text,
            "candidates": [visible(str(label)) for label in self.data.items],
            "counting": counting if is_countable and self.rule.tie_breaking != "together" else "",
            "quota": getattr(self.rule, "quota", ""),
            # Candidates chosen in each round, which settles ties.
            "taken": [list(map(int, at([*x.surplus, *x.eliminated]))) for x in self.count.stages],
        }
        return json.dumps(parts, ensure_ascii=False, separators=(",", ":"))

    def embedded(self) -> tuple[dict[str, str], list[str]]:
        """Return the ballots, and the script that recounts them."""
        block = self._block()
        return ({}, []) if block is None else ({"ballots": block}, ["recount.js"])

    @property
    def _quota(self) -> str:
        """The quota of the last round, in words."""
        return quantity(self.count.quota or 0, "quota", VOTES, "vote")

    def _how(self, findings: Findings) -> list[tuple[str, object]]:
        """Return the rule with its quota, or with the closest rival of a single winner."""
        rule, ways = self.rule, {"order": self.count.tie_broken or BY_DATA}
        ties = ways.get(rule.tie_breaking, rule.tie_breaking).removeprefix("by ")
        if not isinstance(rule, STV):
            closest = [] if self.count.is_tied else [self._closest(findings)]
            return [("Counted by", "instant runoff"), ("Ties broken by", ties), *closest]
        seats = sentence(
            "{}, by {} rules", quantity(rule.seats, "seats"), rule.counting.capitalize()
        )
        quota = sentence("{} ({})", self._quota, rule.quota.capitalize())
        ties = f"earlier rounds, then {ties}" if rule.counting == "scottish" else ties
        return [("Seats", seats), ("Quota", quota), ("Ties broken by", ties)]

    def _closest(self, findings: Findings) -> tuple[str, object]:
        """Return the candidate with the smallest margin against the winner."""
        first, *others = findings.order.tolist()
        margins = findings.graph.margins[first]
        closest = min(others, key=lambda k: abs(margins[k]))
        by = quantity(abs(margins[closest]), "margin of a pair", amount, "vote")
        way = "behind" if margins[closest] < 0 else "ahead of"
        text = sentence("{} {} {}", by, way, named(self.data.items[closest]))
        return "Closest pair of the winner", text


def _rounds(frame: pd.DataFrame, caption: str) -> PageTable:
    """Return a table of candidates by rounds."""
    table = frame.rename_axis("Candidate").reset_index()
    formats = dict.fromkeys(map(str, table), VOTES)
    return page_table(table, caption, formats=formats, text=["Candidate", "outcome"])


@dataclass(frozen=True)
class ListsKind(Kind):
    """Lists that each name some items in order."""

    data: Profile
    name: ClassVar[str] = "lists"
    words: ClassVar[Words] = Words("item", "list", "vote")
    complete_unit: ClassVar[str] = "complete list"
    infers: ClassVar[bool] = False

    @cached_property
    def _ranks(self) -> pd.DataFrame:
        """Ranks from 1, a row for each list; NaN for items it does not name."""
        ranks = np.repeat(self.data.ranks, self.data.counts, axis=0) + 1.0
        return pd.DataFrame(np.where(ranks > 0, ranks, np.nan))

    # -- the first screen -----------------------------------------------------------------------

    def result(self, findings: Findings) -> str:
        """Return a sentence on the first item, and the lists that name it."""
        if len(findings.winners) > 1:
            return super().result(findings)
        some, total = int(self._ranks[findings.order[0]].count()), len(self._ranks)
        many = part_of(some, "lists that name the first", total, "lists", "list", form=",")
        return sentence("{}; {} name it", super().result(findings), many)

    def numbers(self, findings: Findings) -> list[tuple[str, str]]:
        """Return the number of lists, and their lengths."""
        lengths = self._ranks.count(axis=1)
        shortest = quantity(int(lengths.min()), "shortest list")
        longest = quantity(int(lengths.max()), "longest list")
        span = shortest if shortest == longest else sentence("{}\N{EN DASH}{}", shortest, longest)
        return [number(len(self._ranks), "list", "lists"), (span, "items in each")]

    def columns(self, findings: Findings) -> tuple[QuietColumn, ...]:
        """Return the number of lists that name an item, and its median rank in them."""
        middle = [UNKNOWN if np.isnan(rank) else f"{rank:g}" for rank in self._ranks.median()]
        named_by = [f"{some:,}" for some in self._ranks.count()]
        return QuietColumn("Lists", named_by), QuietColumn("Median rank", middle)

    def drawing(self, findings: Findings) -> RowDrawing:
        """Draw the rank of an item in each list that names it."""
        longest = int(self._ranks.count(axis=1).max())
        strips = []
        for _, ranks in self._ranks.items():
            places = np.unique(ranks.dropna()).tolist()
            strips.append(Strip(None, strokes=tuple(at_place(k, longest) for k in places)))
        return RowDrawing(
            strips,
            ticks(longest),
            (("stroke", False, "rank in a list that names it"),),
            f"Places are those in {findings.kemeny} (Kemeny): a list counts its items above those "
            "it leaves out, and does not compare two that it leaves out.",
        )

    # -- chapters -------------------------------------------------------------------------------

    def shape(self, findings: Findings) -> list[tuple[str, object]]:
        """Return the numbers of lists, and of items by the lists that name them."""
        some = self._ranks.count()
        return [
            fact("Lists", len(self._ranks)),
            fact("Items that only one list names", int((some == 1).sum())),
            fact("Items that all lists name", int((some == len(self._ranks)).sum())),
        ]

    def opening(self, findings: Findings) -> list[Section]:
        """Return the number of lists that name each item, its ranks in them, and p-values."""
        frame, ranks = findings.rows(), self._ranks[findings.order]
        section = Section("lists", "Lists that name each item", is_open=True)
        section.headline(quantity(len(ranks), "lists", ",", "list"))
        frame["lists"] = ranks.count().to_numpy()
        for name, of in (("best", "min"), ("median", "median"), ("worst", "max")):
            frame[name] = ranks.agg(of).to_numpy()
        if len(ranks) <= MOST_LISTS and are_level(self.data.weights):
            tested = robust_rank_aggregation(self.data)
            frame["p-value"] = tested.p_holm[findings.order]
            section.text(sentence(P_VALUES, quantity(tested.n_items, "items tested", ",", "item")))
        else:
            section.unknown(f"P-values need lists of equal weight, at most {MOST_LISTS}.")
        table = page_table(
            frame,
            "Number of lists that name an item, and its ranks in them",
            formats={"p-value": ".2g"},
            text=["Item"],
            bars=["lists"],
            limit=ROWS,
            what="items",
        )
        return [section.table(table)]


@dataclass(frozen=True)
class VotesKind(Kind):
    """Matrix of votes."""

    data: PairwiseMatrix
    name: ClassVar[str] = "votes"
    holds: ClassVar[Any] = PairwiseMatrix
    words: ClassVar[Words] = Words(unit="vote")

    def ranks(self, **options: Any) -> None:
        """Return None, as the rankings are unknown."""

    def certainty(self, findings: Findings) -> str:
        """State that the uncertainty is unknown."""
        return "Counts of votes do not show the uncertainty of the order."

    def numbers(self, findings: Findings) -> list[tuple[str, str]]:
        """Return the number of votes, and the share of pairs without any."""
        n = self.data.n_items
        cast = float(np.triu(self.data.comparisons, 1).sum())
        votes = quantity(cast, "votes on pairs", ",.6g", weighted=True)
        numbers = [(votes, "vote on pairs" if cast == 1 else "votes on pairs")]
        pairs = n * (n - 1) // 2
        if pairs:
            share = len(self.data.never_compared) / pairs
            never = quantity(share, "share of pairs never compared", percent, of=pairs)
            numbers.append((never, "of pairs never compared"))
        return numbers

    def shape(self, findings: Findings) -> list[tuple[str, object]]:
        """Describe the counts."""
        return [("Votes", "counts for pairs only, without the items that rankings left out")]
