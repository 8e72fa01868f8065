"""The single transferable vote: surpluses and eliminated candidates pass votes on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Integers, RNGLike
from rankagg._validation import as_generator, check_choice, check_integer
from rankagg.aggregation.evidence import Data, Evidence
from rankagg.aggregation.voting.rounds import CountRound, ElectionCount, tie_told
from rankagg.core.arithmetic import exact
from rankagg.core.items import ItemSet
from rankagg.core.profile import Profile
from rankagg.exceptions import (
    Described,
    InformationLostError,
    InvalidInputError,
    TiedRankingError,
)
from rankagg.kernels.rows import strict_rows

Counting: TypeAlias = Literal["scottish", "meek"]
QuotaName: TypeAlias = Literal["droop", "hare"]
Lot: TypeAlias = Literal["order", "lot", "refuse"]

# Votes times the units of a vote must fit into 64 bits.
MOST_VOTES = 2**32


@dataclass(frozen=True)
class STV:
    """The single transferable vote (STV): several seats, and votes that are passed on.

    A candidate whose votes reach the quota is elected, and the votes beyond it go on to the next
    candidates on the ballots. Where no surplus is left, the candidate with the fewest votes is
    eliminated. The last candidates who remain for as many seats are elected without the quota.

    Parameters
    ----------
    seats : int
        How many candidates are elected.
    counting : {"scottish", "meek"}, default "scottish"
        "scottish": the weighted inclusive Gregory method as Scotland's councils are elected, the
        largest surplus first; what a ballot passes on is cut to five decimals. "meek": every
        elected candidate keeps the same part of each ballot that reaches it, just so much that
        it has the quota, which falls as ballots are exhausted; nine decimals.
    quota : {"droop", "hare"}, default "droop"
        Of v votes for s seats "droop" is the least number that only s candidates can have: v/(s +
        1) without its decimals, and 1 more (Meek: the last decimal more). "hare" is v/s.
    tie_breaking : {"order", "lot", "refuse"}, default "order"
        Where candidates tie: "order" favors who stands first among the items of the data, "lot"
        draws by the `rng` of `count`, both with a note in the result, and "refuse" raises
        `TiedRankingError`. The Scottish rules look first at the last earlier round in which the
        tied had different numbers of votes.

    Notes
    -----
    Sums are integers: hundred-thousandths of a vote, or with Meek's method billionths, as in the
    reference rule of the Proportional Representation Foundation: what candidates keep is rounded
    up, a round ends with an election or with less than a millionth of a vote in surpluses, and
    candidates that so little could bring level are tied. What is cut off counts as exhausted, and
    so does a ballot whose listed candidates are all elected or eliminated; unranked candidates
    are as unlisted ones. Ballots with ties are refused.

    References
    ----------
    The Scottish Local Government Elections Order 2007, schedule 1, rules 45 to 52,
    https://www.legislation.gov.uk/ssi/2007/42/schedule/1/made; Hill, Wichmann and Woodall (1987),
    "Algorithm 123: single transferable vote by Meek's method",
    https://doi.org/10.1093/comjnl/30.3.277.

    Examples
    --------
    >>> from rankagg import STV, Profile
    >>> ballots = Profile.from_orders(["ABCD", "CDAB", "BA"], counts=[60, 25, 15])
    >>> count = STV(2).count(ballots)
    >>> count.elected, count.quota
    (('A', 'B'), 34)
    >>> STV(2, counting="meek").count(ballots).elected
    ('A', 'B')
    """

    seats: int
    counting: Counting = field(default="scottish", kw_only=True)
    quota: QuotaName = field(default="droop", kw_only=True)
    tie_breaking: Lot = field(default="order", kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "seats", check_integer(self.seats, "seats of STV", low=1))
        check_choice(self.counting, get_args(Counting), "counting of STV")
        check_choice(self.quota, get_args(QuotaName), "quota of STV")
        check_choice(self.tie_breaking, get_args(Lot), "tie_breaking of STV")

    def count(self, data: Data | Evidence, *, rng: RNGLike = None) -> ElectionCount:
        """Count the ballots round by round.

        Parameters
        ----------
        data : Profile, ScoreTable or Evidence
            The ballots, without ties and without weights that are no whole numbers.
        rng : int, numpy.random.Generator or None, optional
            A seed or a generator for lots.

        Returns
        -------
        ElectionCount

        Raises
        ------
        InformationLostError
            If the data are no rankings.
        TiedRankingError
            If a ballot ties candidates, or candidates tie and `tie_breaking` is "refuse".
        InvalidInputError
            If there are fewer candidates than seats, or ballots cannot be counted as whole ones.
        """
        evidence = Evidence.of(data)
        items = evidence.items
        if self.seats > len(items):
            allowed = f"at most {len(items)}, one for each candidate"
            raise InvalidInputError("seats of STV", allowed, self.seats)
        try:
            piles = _Piles.of(evidence.profile)
        except InformationLostError as error:
            raise InformationLostError(f"STV {error}") from None
        kind = _Scottish if self.counting == "scottish" else _Meek
        work = kind(piles, items, self, as_generator(rng))
        stages = tuple(work.stages())
        notes = tuple(work.notes)
        return ElectionCount(rule=str(self), candidates=items.labels, stages=stages, notes=notes)

    def __str__(self) -> str:
        """Return the call that makes the rule, without what is so by default."""
        options = {"counting": "scottish", "quota": "droop", "tie_breaking": "order"}
        changed = [f"{k}={v!r}" for k, usual in options.items() if (v := getattr(self, k)) != usual]
        return f"STV({', '.join([f'seats={self.seats}', *changed])})"


class _Piles(NamedTuple):
    """Distinct ballots: the candidates of each, best first, and how often it was cast."""

    # Shape (m, n + 1). Behind the last candidate stands n, who is nobody.
    orders: NDArray[np.int64]
    votes: Integers

    @classmethod
    def of(cls, profile: Profile) -> _Piles:
        """Return the ballots of a profile, or say why they cannot be counted."""
        ranks = profile.ranks
        if not strict_rows(ranks).all():
            raise TiedRankingError(
                f"STV counts ballots without ties; ranking {int(np.argmin(strict_rows(ranks)))} "
                "has some. InstantRunoff shares such votes."
            )
        votes, over = exact.as_votes(profile.counts, profile.weights)
        total = exact.sum_of(votes)
        if over != 1 or total > MOST_VOTES:
            found = f"{total / over:g} votes" if over == 1 else "weights with decimals"
            allowed = f"whole ballots, {MOST_VOTES} at most"
            raise InvalidInputError("data", allowed, Described(found))
        m, n = ranks.shape
        orders = np.full((m, n + 1), n)
        row, item = np.nonzero(ranks >= 0)
        orders[row, ranks[row, item]] = item
        rows, where = np.unique(orders, axis=0, return_inverse=True)
        return cls(rows, exact.count_cells(where.ravel(), votes, len(rows)))

    def advance(self, rows: NDArray[np.intp], at: NDArray[np.intp], stays: Bools) -> None:
        """Move on, for some ballots, to the next candidate of those who stay; nobody does."""
        while len(rows := rows[~stays[self.orders[rows, at[rows]]]]):
            at[rows] += 1


@dataclass
class _Work(ABC):
    """A count that goes on: who is hopeful, who is elected, and what is to be said of ties."""

    piles: _Piles
    items: ItemSet
    rule: STV
    rng: np.random.Generator
    notes: list[str] = field(default_factory=list)

    # How many parts a vote has.
    unit: ClassVar[int]

    def __post_init__(self) -> None:
        n = len(self.items)
        self.hopeful: Bools = np.ones(n + 1, dtype=np.bool_)
        self.hopeful[n] = False
        self.elected: list[int] = []
        self.eliminated: set[int] = set()
        self.history: list[list[int]] = []

    @abstractmethod
    def stages(self) -> Iterator[CountRound]:
        """Count round by round."""

    def vacancies(self) -> int:
        """Return how many seats nobody has."""
        return self.rule.seats - len(self.elected)

    def elect(self, quota: int) -> list[int]:
        """Elect who has the quota, or whoever remains for the last seats."""
        votes, hopeful = self.history[-1], np.flatnonzero(self.hopeful).tolist()
        if len(hopeful) > self.vacancies():
            hopeful = [item for item in hopeful if votes[item] >= quota]
        new = sorted(hopeful, key=lambda item: -votes[item])
        self.elected += new
        self.hopeful[new] = False
        return new

    def eliminate(self, slack: int = 0) -> int:
        """Eliminate who has the fewest votes."""
        votes, hopeful = self.history[-1], np.flatnonzero(self.hopeful).tolist()
        least = min(votes[item] for item in hopeful)
        out = self.choose([item for item in hopeful if votes[item] <= least + slack], largest=False)
        self.hopeful[out] = False
        self.eliminated.add(out)
        return out

    def choose(self, tied: list[int], *, largest: bool) -> int:
        """Return the one of those who tie that has most, or least, where they last differed."""
        for votes in reversed(self.earlier()):
            edge = (max if largest else min)(votes[item] for item in tied)
            tied = [item for item in tied if votes[item] == edge]
        if len(tied) == 1:
            return tied[0]
        number, names = len(self.history), self.items.at(tied)
        if self.rule.tie_breaking == "refuse":
            raise TiedRankingError(
                f"STV breaks no tie: {tie_told(number, names, 'choose another `tie_breaking`.')}"
            )
        by_lot = self.rule.tie_breaking == "lot"
        found = int(self.rng.choice(tied)) if by_lot else tied[0 if largest else -1]
        how = "by lot" if by_lot else "by the order of the data"
        what = "passes on its surplus first" if largest else "is eliminated"
        self.notes.append(tie_told(number, names, f"{how} {self.items[found]} {what}"))
        return found

    def earlier(self) -> list[list[int]]:
        """Return the votes of earlier rounds, which break ties."""
        return []

    def stage(self, quota: int, new: list[int], out: list[int], surplus: list[int]) -> CountRound:
        """Return the round that was counted last."""
        votes = self.history[-1]
        gone = self.eliminated - set(out)
        total = exact.sum_of(self.piles.votes)
        return CountRound(
            votes=tuple(
                None if item in gone else Fraction(number, self.unit)
                for item, number in enumerate(votes)
            ),
            exhausted=total - Fraction(sum(votes), self.unit),
            quota=Fraction(quota, self.unit),
            elected=self.items.at(new),
            eliminated=self.items.at(out),
            surplus=self.items.at(surplus),
        )


class _Scottish(_Work):
    """Whole ballots move: each has a value, and belongs to one candidate."""

    unit = 10**5

    def stages(self) -> Iterator[CountRound]:
        """Pass on one surplus, or the ballots of one eliminated candidate, in each round."""
        n, (orders, votes) = len(self.items), self.piles
        at, value = np.zeros(len(votes), dtype=np.intp), np.full(len(votes), self.unit)
        kept, waiting = [0] * n, list[int]()
        holder = orders[:, 0].copy()
        valid = exact.sum_of(votes[holder < n])
        whole = valid // (self.rule.seats + 1) + 1
        quota = whole * self.unit
        if self.rule.quota == "hare":
            quota = valid * self.unit // self.rule.seats
        while True:
            held = exact.count_cells(holder, exact.multiply(value, votes), n + 1).tolist()
            now = [kept[item] or held[item] for item in range(n)]
            self.history.append(now)
            new = self.elect(quota)
            if not self.vacancies():
                yield self.stage(quota, new, [], [])
                return
            waiting += [item for item in new if now[item] > quota]
            if waiting:
                most = max(now[item] for item in waiting)
                source = self.choose([i for i in waiting if now[i] == most], largest=True)
                waiting.remove(source)
                yield self.stage(quota, new, [], [source])
                rows = np.flatnonzero(holder == source)
                value[rows] = exact.multiply(value[rows], most - quota) // most
                kept[source] = quota
            else:
                source = self.eliminate()
                if int(self.hopeful.sum()) == self.vacancies():
                    new += self.elect(quota)
                yield self.stage(quota, new, [source], [])
                if not self.vacancies():
                    return
                rows = np.flatnonzero(holder == source)
            self.piles.advance(rows, at, np.append(self.hopeful[:n], True))
            holder[rows] = orders[rows, at[rows]]

    def earlier(self) -> list[list[int]]:
        """Return the votes of all rounds before this one."""
        return self.history[:-1]


class _Level(NamedTuple):
    """Ballots that come to a candidate after the same elected ones."""

    # Which ones of the level above they are, whom they come to, and how many they are.
    parent: NDArray[np.intp]
    item: NDArray[np.intp]
    votes: Integers


class _Meek(_Work):
    """Every ballot is shared by its candidates as far as they keep what comes to them."""

    unit = 10**9
    # What is left of surpluses when a round ends.
    least = 10**3

    def stages(self) -> Iterator[CountRound]:
        """Elect, or eliminate one candidate, in each round."""
        keep = np.full(len(self.items) + 1, self.unit)
        while True:
            levels = list(self._levels())
            before, surplus = exact.sum_of(self.piles.votes) * self.unit, 0
            while True:
                votes = self._shared(levels, keep)
                self.history.append(votes)
                quota = sum(votes) // (self.rule.seats + 1) + 1
                if self.rule.quota == "hare":
                    quota = -(-sum(votes) // self.rule.seats)
                new = self.elect(quota)
                surplus = max(sum(votes[item] - quota for item in self.elected), 0)
                if new or surplus < self.least or surplus >= before:
                    break
                self.history.pop()
                before = surplus
                for item in self.elected:
                    part = -(-int(keep[item]) * quota // self.unit)
                    keep[item] = -(-part * self.unit // votes[item])
            out = []
            if not new:
                out = [self.eliminate(surplus)]
                keep[out] = 0
                if int(self.hopeful.sum()) == self.vacancies():
                    new = self.elect(quota)
            ended = not self.vacancies()
            yield self.stage(quota, new, out, [] if ended else list(self.elected))
            if ended:
                return

    def _levels(self) -> Iterator[_Level]:
        """Put ballots together that come to the same hopeful one after the same elected ones."""
        n, (orders, votes) = len(self.items), self.piles
        stays = np.ones(n + 1, dtype=np.bool_)
        stays[list(self.eliminated)] = False
        rows, parent = np.arange(len(votes)), np.zeros(len(votes), dtype=np.intp)
        at = np.zeros(len(votes), dtype=np.intp)
        while len(rows):
            self.piles.advance(rows, at, stays)
            item = orders[rows, at[rows]]
            rows, parent, item = (part[item < n] for part in (rows, parent, item))
            paths, parent = np.unique(parent * n + item, return_inverse=True)
            yield _Level(paths // n, paths % n, exact.count_cells(parent, votes[rows], len(paths)))
            on = ~self.hopeful[item]
            rows, parent = rows[on], parent[on]
            at[rows] += 1

    def _shared(self, levels: list[_Level], keep: NDArray[np.int64]) -> list[int]:
        """Return what every candidate has if each keeps its part of what comes to it."""
        votes, left = np.zeros(len(self.items), dtype=np.int64), np.array([self.unit])
        for parent, item, number in levels:
            kept = -(-left[parent] * keep[item] // self.unit)
            np.add.at(votes, item, kept * number)
            left = left[parent] - kept
        return votes.tolist()
