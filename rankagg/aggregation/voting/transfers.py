"""The single transferable vote, by the Scottish rules or by Meek's method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import ClassVar, Literal, NamedTuple, get_args

import numpy as np

from rankagg._typing import Bools, Generator, Integers, Integers64, Label, RNGLike
from rankagg._validation import as_generator, check_choice, check_integer
from rankagg.aggregation.evidence import Data, Evidence
from rankagg.aggregation.voting.rounds import (
    BY_DATA,
    BY_GIVEN,
    BY_LOT,
    CountRound,
    ElectionCount,
    ballots_of,
    by_favor,
    checked_tie_order,
    distinct_ballots,
)
from rankagg.core import ItemSet, Profile, counted, exact, listed
from rankagg.exceptions import Described, InvalidInputError, TiedRankingError
from rankagg.kernels.counting import strict_rows

Counting = Literal["scottish", "meek"]
QuotaName = Literal["droop", "hare"]
Lot = Literal["order", "lot", "refuse"]

# Most ways of breaking ties that are followed.
MOST_WAYS = 100
# Votes times the units of a vote must fit into 64 bits.
MOST_VOTES = 2**32


@dataclass(frozen=True)
class STV:
    """The single transferable vote (STV): several seats, with transfers of votes.

    A candidate whose votes reach the quota is elected, and the surplus is transferred to the next
    candidates on the ballots. If no surplus is left, the candidate with the fewest votes is
    eliminated. Once as many candidates remain as seats, they are elected without the quota.

    Parameters
    ----------
    seats : int
        Number of candidates to elect.
    counting : {"scottish", "meek"}, default "scottish"
        "scottish": the weighted inclusive Gregory method of Scotland's council elections, the
        largest surplus first; transfer values are cut to five decimals. "meek": every elected
        candidate keeps the same part of each ballot that reaches it, such that it has the quota,
        which falls as ballots are exhausted; nine decimals.
    quota : {"droop", "hare"}, default "droop"
        For v votes and s seats "droop" is the least number that at most s candidates can reach:
        v/(s + 1) without its decimals, plus 1 (Meek: plus one in the last decimal). "hare" is v/s.
    tie_breaking : {"order", "lot", "refuse"}, default "order"
        If candidates tie, "order" favors the first one in `tie_order`, by default the first one in
        the data, and "lot" draws by the `rng` of `count`; a note names the tie. "refuse" raises
        `TiedRankingError`. The Scottish rules first compare the votes in the last earlier round in
        which they differed.
    tie_order : sequence of str or int, optional
        With "order": the candidates that may tie, the most favored first, such as a lot drawn in
        public.

    Notes
    -----
    Sums are integers: hundred-thousandths of a vote, or with Meek's method billionths, as in the
    reference rule of the Proportional Representation Foundation: keep values are rounded up, a
    round ends with an election or with surpluses below a millionth of a vote, and candidates are
    tied if their votes differ by at most these surpluses. Rounded-off fractions count as exhausted,
    and so does a ballot whose listed candidates are all elected or eliminated. Unranked candidates
    are treated as unlisted. Ballots with ties are refused.

    References
    ----------
    The Scottish Local Government Elections Order, SSI 2007/42, schedule 1, rules 45 to 52,
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
    tie_order: Sequence[Label] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "seats", check_integer(self.seats, "seats of STV", low=1))
        for name, allowed in (("counting", Counting), ("quota", QuotaName), ("tie_breaking", Lot)):
            check_choice(getattr(self, name), get_args(allowed), f"{name} of STV")
        order = checked_tie_order(self.tie_order, self.tie_breaking, "STV")
        object.__setattr__(self, "tie_order", order)

    def __repr__(self) -> str:
        """Return the constructor call, defaults omitted."""
        others = (f for f in fields(self)[1:] if getattr(self, f.name) != f.default)
        given = (str(self.seats), *(f"{f.name}={getattr(self, f.name)!r}" for f in others))
        return f"STV({', '.join(given)})"

    def count(self, data: Data | Evidence, *, rng: RNGLike = None) -> ElectionCount:
        """Count the ballots round by round.

        Parameters
        ----------
        data : Profile, ScoreTable or Evidence
            The ballots, without ties and with whole weights.
        rng : int, numpy.random.Generator or None, optional
            A seed or a generator for lots.

        Raises
        ------
        InformationLostError
            If the data are not rankings.
        TiedRankingError
            If a ballot ties candidates, or candidates tie and `tie_breaking` is "refuse".
        InvalidInputError
            If there are fewer candidates than seats, or weights are not whole.
        """
        profile = ballots_of(data, "STV")
        items = profile.items
        if self.seats > len(items):
            allowed = f"at most {len(items)}, one for each candidate"
            raise InvalidInputError("seats of STV", allowed, self.seats)
        kind, piles = _Scottish if self.counting == "scottish" else _Meek, _Piles.of(profile)
        count = kind(piles, items, self, as_generator(rng))
        stages, notes = tuple(count.stages()), (*count.notes, *Evidence(profile).gaps_of_ballots())
        return ElectionCount(
            rule=str(self),
            candidates=items.labels,
            order=count.order,
            stages=stages,
            tied=self._tied(kind, piles, items, count.ways),
            notes=notes,
        )

    def _tied(
        self, kind: type[_Count], piles: _Piles, items: ItemSet, ways: list[tuple[int, int]]
    ) -> tuple[Label, ...] | None:
        """Return the candidates that only some ways of breaking ties elect; None of too many."""
        waiting: list[list[int]] = [[]] if ways else []
        n_ways, always, ever = 0, {*items}, set[Label]()
        while waiting:
            chosen = waiting.pop()
            other = kind(piles, items, self, as_generator(0), chosen=tuple(chosen))
            for _ in other.stages():
                pass
            elected = items.at(other.elected)
            always, ever, n_ways = always & {*elected}, ever | {*elected}, n_ways + 1
            taken = [at for at, _ in other.ways]
            for k in range(len(chosen), len(taken)):
                waiting += [[*taken[:k], at] for at in range(other.ways[k][1]) if at != taken[k]]
            if n_ways + len(waiting) > MOST_WAYS:
                return None
        return tuple(label for label in items if label in ever - always)


class _Piles(NamedTuple):
    """Distinct ballots, best candidate first, and their numbers of votes."""

    # Shape (m, n + 1). After the last candidate of a ballot comes n.
    orders: Integers64
    votes: Integers

    @classmethod
    def of(cls, profile: Profile) -> _Piles:
        """Return the ballots of a profile; raises if they cannot be counted."""
        ranks, strict = profile.ranks, strict_rows(profile.ranks)
        if not strict.all():
            raise TiedRankingError(
                f"STV counts ballots without ties; ranking {int(np.argmin(strict))} has some. "
                "InstantRunoff shares such votes."
            )
        m, n = ranks.shape
        orders = np.full((m, n + 1), n)
        row, item = np.nonzero(ranks >= 0)
        orders[row, ranks[row, item]] = item
        rows, votes, over = distinct_ballots(orders, profile)
        if over != 1 or exact.sum_of(votes) > MOST_VOTES:
            value = "weights with decimals" if over != 1 else counted(exact.sum_of(votes), "vote")
            remedy = f"Multiply all weights by {over}: then they are whole." if over != 1 else ""
            allowed = f"whole ballots, {MOST_VOTES} at most"
            raise InvalidInputError("data", allowed, Described(value), remedy)
        return cls(rows, votes)


@dataclass
class _Count(ABC):
    """The state of a count: hopeful and elected candidates, votes, and notes on ties."""

    piles: _Piles
    items: ItemSet
    rule: STV
    rng: Generator
    notes: list[str] = field(default_factory=list)
    # Prescribed choices at the first ties, to follow another way of breaking them.
    chosen: tuple[int, ...] = ()
    # For each tie that earlier rounds do not break: the choice, and the number of tied candidates.
    ways: list[tuple[int, int]] = field(default_factory=list)

    # Units of a vote, and of the precision of the quota; whether earlier rounds break ties.
    unit: ClassVar[int]
    step: ClassVar[int]
    looks_back: ClassVar[bool]

    def __post_init__(self) -> None:
        self.hopeful: Bools = np.append(np.ones(len(self.items), dtype=np.bool_), False)
        self.elected, self.eliminated = list[int](), list[int]()
        # Votes of every candidate in each round, in units.
        self.history: list[list[int]] = []
        # How a tie of this round was broken.
        self.tie = ""
        # The quota, and the surplus not transferred yet: candidates within it tie.
        self.quota, self.slack = 0, 0

    @abstractmethod
    def tally(self) -> None:
        """Count the votes of every candidate, and set the quota."""

    @abstractmethod
    def passing(self, new: list[int]) -> list[int]:
        """Return the candidates whose surplus is transferred, before anybody is eliminated."""

    @abstractmethod
    def transfer(self, source: int) -> None:
        """Transfer the votes of an eliminated candidate, or a surplus."""

    def stages(self) -> Iterator[CountRound]:
        """Count round by round until all seats are filled."""
        at, total = self.items.at, exact.sum_of(self.piles.votes)
        while True:
            self.tally()
            self.tie, gone = "", {*self.eliminated}
            new, out, surplus = self.elect(), list[int](), list[int]()
            if self.vacancies and not (surplus := self.passing(new)):
                out = [self.eliminate()]
                new += self.elect() if self.hopeful.sum() == self.vacancies else []
            have = [Fraction(parts, self.unit) for parts in self.history[-1]]
            votes = tuple(None if item in gone else got for item, got in enumerate(have))
            quota, exhausted = Fraction(self.quota, self.unit), total - sum(have, Fraction(0))
            yield CountRound(votes, exhausted, quota, at(new), at(out), at(surplus), self.tie)
            if not self.vacancies:
                return
            for source in out or surplus:
                self.transfer(source)

    @property
    def order(self) -> tuple[Label, ...]:
        """All candidates: the elected, the remaining by their votes, then the eliminated."""
        votes, remain = self.history[-1], np.flatnonzero(self.hopeful).tolist()
        remain.sort(key=lambda item: -votes[item])
        return self.items.at([*self.elected, *remain, *self.eliminated[::-1]])

    def quota_of(self, total: int) -> int:
        """Return the quota of a total of votes, both in units."""
        seats = self.rule.seats
        if self.rule.quota == "hare":
            return total // seats
        return (total // ((seats + 1) * self.step) + 1) * self.step

    @property
    def vacancies(self) -> int:
        """The number of seats not filled."""
        return self.rule.seats - len(self.elected)

    def elect(self) -> list[int]:
        """Elect the candidates with the quota, or all that remain for the last seats."""
        votes, new = self.history[-1], np.flatnonzero(self.hopeful).tolist()
        if len(new) > self.vacancies:
            new = [item for item in new if votes[item] >= self.quota]
        new.sort(key=lambda item: -votes[item])
        self.elected += new
        self.hopeful[new] = False
        return new

    def eliminate(self) -> int:
        """Eliminate the candidate with the fewest votes, up to the slack."""
        votes, hopeful = self.history[-1], np.flatnonzero(self.hopeful).tolist()
        most = min(votes[item] for item in hopeful) + self.slack
        out = self.choose([item for item in hopeful if votes[item] <= most], min)
        self.hopeful[out] = False
        self.eliminated.append(out)
        return out

    def choose(self, tied: list[int], edge: Callable[..., int]) -> int:
        """Break a tie by earlier rounds, then by `tie_breaking`; `edge` is max or min."""
        if len(tied) == 1:
            return tied[0]
        tie = f"round {len(self.history)}: {listed(self.items.at(tied))} tie"
        decided = 0
        for k in range(len(self.history) - 1, 0, -1) if self.looks_back else ():
            votes = self.history[k - 1]
            best = edge(votes[item] for item in tied)
            before, tied = len(tied), [item for item in tied if votes[item] == best]
            decided = k if len(tied) < before else decided
        if len(tied) > 1 and self.rule.tie_breaking == "refuse":
            raise TiedRankingError(f"STV breaks no tie. In {tie}; choose another `tie_breaking`.")
        ways = [f"by the votes of round {decided}"] if decided else []
        if len(tied) > 1:
            is_lot, k = self.rule.tie_breaking == "lot", len(self.ways)
            ways += [BY_LOT if is_lot else BY_GIVEN if self.rule.tie_order else BY_DATA]
            order = by_favor(tied, self.items, self.rule.tie_order, "STV")[
                :: 1 if edge is max else -1
            ]
            at = int(self.rng.integers(len(order))) if is_lot else 0
            at = self.chosen[k] if k < len(self.chosen) else at
            self.ways.append((at, len(order)))
            tied = [order[at]]
        self.tie = " and ".join(ways)
        effect = "transfers its surplus first" if edge is max else "is eliminated"
        self.notes.append(f"{tie}; {self.tie} {self.items[tied[0]]} {effect}")
        return tied[0]


class _Scottish(_Count):
    """Ballots with a transfer value; each is held by one candidate."""

    unit, step, looks_back = 10**5, 10**5, True

    def __post_init__(self) -> None:
        super().__post_init__()
        self.at = np.zeros(len(self.piles.votes), dtype=np.intp)
        self.value: Integers = np.full(len(self.at), self.unit)
        self.holder = self.piles.orders[:, 0].copy()
        # Votes kept after a transfer of the surplus, and candidates with surpluses left.
        self.kept, self.waiting = dict[int, int](), list[int]()

    def tally(self) -> None:
        """Sum the values of the ballots that every candidate holds."""
        n, values = len(self.items), exact.multiply(self.value, self.piles.votes)
        held = exact.count_cells(self.holder, values, n + 1).tolist()
        self.history.append([self.kept.get(item, held[item]) for item in range(n)])
        self.quota = self.quota or self.quota_of(sum(held[:n]))

    def passing(self, new: list[int]) -> list[int]:
        """Return the candidate with the largest surplus."""
        votes = self.history[-1]
        self.waiting += [item for item in new if votes[item] > self.quota]
        if not self.waiting:
            return []
        most = max(votes[item] for item in self.waiting)
        return [self.choose([item for item in sorted(self.waiting) if votes[item] == most], max)]

    def transfer(self, source: int) -> None:
        """Transfer the ballots to the next hopeful candidate on each."""
        rows, votes = np.flatnonzero(self.holder == source), self.history[-1][source]
        if source in self.waiting:
            self.value[rows] = exact.multiply(self.value[rows], votes - self.quota) // votes
            self.kept[source] = self.quota
            self.waiting.remove(source)
        stays = np.append(self.hopeful[:-1], True)
        while len(rows := rows[~stays[self.holder[rows]]]):
            self.at[rows] += 1
            self.holder[rows] = self.piles.orders[rows, self.at[rows]]


class _Meek(_Count):
    """Ballots divided among their candidates by keep values."""

    unit, step, looks_back = 10**9, 1, False
    # Surpluses below this end a round.
    least = 10**3

    def __post_init__(self) -> None:
        super().__post_init__()
        self.keep = [*[self.unit] * len(self.items), 0]

    def tally(self) -> None:
        """Lower keep values until the elected have the quota, or another candidate reaches it."""
        before = exact.sum_of(self.piles.votes) * self.unit
        while True:
            votes = self._shared()
            self.quota = self.quota_of(sum(votes))
            self.slack = max(sum(votes[item] - self.quota for item in self.elected), 0)
            new = any(votes[item] >= self.quota for item in np.flatnonzero(self.hopeful))
            if new or self.slack < self.least or self.slack >= before:
                self.history.append(votes)
                return
            before = self.slack
            for item in self.elected:
                part = -(-self.keep[item] * self.quota // self.unit)
                self.keep[item] = -(-part * self.unit // votes[item])

    def passing(self, new: list[int]) -> list[int]:
        """Return all elected candidates if one was elected in this round."""
        return list(self.elected) if new else []

    def transfer(self, source: int) -> None:
        """Set the keep value of an eliminated candidate to 0."""
        self.keep[source] *= source not in self.eliminated

    def _shared(self) -> list[int]:
        """Return the votes of every candidate by the keep values."""
        orders, numbers = self.piles
        votes, left = np.zeros(len(self.keep), dtype=np.int64), np.full(len(numbers), self.unit)
        keep, rows = np.array(self.keep), np.arange(len(numbers))
        for item in orders.T:
            kept = -(-left[rows] * keep[item[rows]] // self.unit)
            np.add.at(votes, item[rows], kept * numbers[rows])
            left[rows] -= kept
            rows = rows[left[rows] > 0]
        shared: list[int] = votes[:-1].tolist()
        return shared
