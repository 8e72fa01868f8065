"""Axioms about voters: two electorates, what it pays to stay away or to vote for something else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import permutations, product
from math import prod
from typing import ClassVar, Literal, TypeAlias, get_args

from rankagg._validation import check_choice
from rankagg.axioms.agendas import changed_ballot
from rankagg.axioms.ballots import Ballots, Order, difference, fewer, replaced, size, together
from rankagg.axioms.base import Axiom, Case, arrows, named
from rankagg.axioms.outcomes import Outcomes, Winners, strict_orders
from rankagg.core.items import counted
from rankagg.exceptions import Described, InvalidInputError

__all__ = [
    "EXTENSIONS",
    "GroupStrategyproofness",
    "Participation",
    "RankingReinforcement",
    "Reinforcement",
    "SetPreference",
    "Strategyproofness",
    "check_extension",
    "prefers",
]

SetPreference: TypeAlias = Literal["fishburn", "gardenfors", "kelly", "optimist", "pessimist"]
EXTENSIONS: tuple[SetPreference, ...] = get_args(SetPreference)


def _above(first: set[int], second: set[int]) -> bool:
    """Say whether all places of the first set are better than all of the second."""
    return not first or not second or max(first) < min(second)


def _fishburn(one: set[int], other: set[int]) -> bool:
    mine, both, yours = one - other, one & other, other - one
    return _above(mine, both) and _above(mine, yours) and _above(both, yours)


def _gardenfors(one: set[int], other: set[int]) -> bool:
    mine, both, yours = one - other, one & other, other - one
    if not mine:
        return _above(both, yours)
    if not yours:
        return _above(mine, both)
    return _above(mine, yours)


_RULES: dict[SetPreference, Callable[[set[int], set[int]], bool]] = {
    "fishburn": _fishburn,
    "gardenfors": _gardenfors,
    "kelly": lambda one, other: max(one) <= min(other),
    "optimist": lambda one, other: min(one) < min(other),
    "pessimist": lambda one, other: max(one) < max(other),
}


def check_extension(value: object, parameter: str) -> None:
    """Raise unless the value names an extension."""
    check_choice(value, EXTENSIONS, parameter)


def prefers(order: Order, one: Winners, other: Winners, extension: SetPreference) -> bool:
    """Say whether a voter with an order strictly prefers one set of winners to another."""
    if one == other:
        return False
    place = {item: at for at, item in enumerate(order)}
    return _RULES[extension]({place[item] for item in one}, {place[item] for item in other})


# How many divisions of one electorate are looked at.
DIVISIONS = 100_000


@dataclass(frozen=True, kw_only=True)
class Reinforcement(Axiom):
    """What two electorates both choose is what they choose together."""

    name: ClassVar[str] = "reinforcement"
    definition: ClassVar[str] = (
        "Where two electorates have winners in common, tied ones counted, these and no others win "
        "in both together."
    )
    source: ClassVar[str] = "Young (1975), https://doi.org/10.1137/0128067"
    # They divide in 2**16 ways at most.
    most_rankings: ClassVar[int | None] = 16

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        number = prod(count + 1 for _, count in ballots)
        if number > DIVISIONS:
            raise InvalidInputError(
                "profile", f"such that it divides into two in at most {DIVISIONS:,} ways",
                Described(counted(number, "way", ",")), "Take fewer ballots.",
            )  # fmt: skip
        for taken in product(*(range(count + 1) for _, count in ballots)):
            rows = list(zip(ballots, taken, strict=True))
            one = tuple((order, here) for (order, _), here in rows if here)
            other = tuple((order, count - here) for (order, count), here in rows if count > here)
            if one and other and (size(one), one) <= (size(other), other):
                yield Case((ballots, one, other))

    def _fits(self, case: Case) -> bool:
        whole, one, other = case.ballots
        return together(one, other) == whole

    def _fails(self, case: Case, outcomes: Outcomes) -> bool:
        one, other = map(outcomes.winners, case.ballots[1:])
        return bool(one & other) and outcomes.winners(case.ballots[0]) != one & other

    def _sentence(self, case: Case, outcomes: Outcomes) -> str:
        one, other = map(outcomes.winners, case.ballots[1:])
        whole = outcomes.winners(case.ballots[0])
        return (
            f"The two parts have {named(one & other, outcomes.labels)} in common among their "
            f"winners, and together they choose {named(whole, outcomes.labels)}."
        )


@dataclass(frozen=True, kw_only=True)
class RankingReinforcement(Reinforcement):
    """A ranking that two electorates both choose is what they choose together."""

    name: ClassVar[str] = "reinforcement of rankings"
    definition: ClassVar[str] = (
        "Where two electorates have strict rankings in common, these and no others are those of "
        "both together; a ranking with ties stands for all that break them, and an exact rule has "
        "all its optima."
    )
    source: ClassVar[str] = "Young and Levenglick (1978), https://doi.org/10.1137/0135023"
    most_items: ClassVar[int | None] = 6

    def _fails(self, case: Case, outcomes: Outcomes) -> bool:
        whole, one, other = (strict_orders(outcomes.rankings(part)) for part in case.ballots)
        return bool(one & other) and whole != one & other

    def _sentence(self, case: Case, outcomes: Outcomes) -> str:
        whole, one, other = (strict_orders(outcomes.rankings(part)) for part in case.ballots)
        common = one & other
        added = whole - common
        if min(common) in whole and added:
            more = arrows(min(added), outcomes.labels)
            return f"Together they choose {more} too, which is not common to both parts."
        lost = arrows(min(common - whole), outcomes.labels)
        return f"Both parts choose {lost}, and together they do not."


@dataclass(frozen=True, kw_only=True)
class _Preference(Axiom):
    """An axiom that needs to know which of two sets of winners a voter prefers."""

    extension: SetPreference = "fishburn"

    def __post_init__(self) -> None:
        check_extension(self.extension, f"extension of {type(self).__name__}")


@dataclass(frozen=True, kw_only=True)
class Participation(_Preference):
    """No voter does better by staying away.

    Parameters
    ----------
    extension : {"fishburn", "gardenfors", "kelly", "optimist", "pessimist"}, default "fishburn"
        How a voter compares sets of tied winners: "kelly", nothing in the one is worse than
        anything in the other; "fishburn", moreover what only the one has is better than what both
        have, and that than what only the other has; "gardenfors", the same of a set and a part of
        it, else without regard to what both have; "optimist" and "pessimist", by the best and by
        the worst winner.

    References
    ----------
    Fishburn and Brams (1983), https://doi.org/10.2307/2689808;
    Moulin (1988), https://doi.org/10.1016/0022-0531(88)90253-0; for sets of winners
    Brandl, Brandt, Geist and Hofbauer (2019), Journal of Artificial Intelligence Research 66.
    """

    name: ClassVar[str] = "participation"
    definition: ClassVar[str] = (
        "No voter prefers the winners without the own ballot to those with it; sets of tied "
        "winners are compared by Fishburn's extension unless another is asked for."
    )
    source: ClassVar[str] = "Moulin (1988), https://doi.org/10.1016/0022-0531(88)90253-0"

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        if size(ballots) > 1:
            for order, _ in ballots:
                yield Case((ballots, fewer(ballots, order)))

    def _fits(self, case: Case) -> bool:
        gone, come = difference(*case.ballots)
        return sum(gone.values()) == 1 and not come

    def _fails(self, case: Case, outcomes: Outcomes) -> bool:
        gone, _ = difference(*case.ballots)
        present, absent = map(outcomes.winners, case.ballots)
        return prefers(next(iter(gone)), absent, present, self.extension)

    def _sentence(self, case: Case, outcomes: Outcomes) -> str:
        gone, _ = difference(*case.ballots)
        order = next(iter(gone))
        present, absent = (named(outcomes.winners(one), outcomes.labels) for one in case.ballots)
        return (
            f"A voter with {arrows(order, outcomes.labels)} stays away, and gets {absent} in place "
            f"of {present}."
        )


@dataclass(frozen=True, kw_only=True)
class GroupStrategyproofness(_Preference):
    """No voters of one opinion do better by casting another ballot.

    Parameters
    ----------
    extension : {"fishburn", "gardenfors", "kelly", "optimist", "pessimist"}, default "fishburn"
        As for `Participation`.

    References
    ----------
    Gibbard (1973), https://doi.org/10.2307/1914083; Satterthwaite (1975),
    https://doi.org/10.1016/0022-0531(75)90050-2; for sets of winners Gärdenfors (1976),
    https://doi.org/10.1016/0022-0531(76)90016-8.
    """

    name: ClassVar[str] = "group strategyproofness"
    definition: ClassVar[str] = (
        "No group of voters with equal ballots prefers the winners that there are once all of them "
        "cast another ballot, the same; sets of tied winners are compared by Fishburn's extension "
        "unless another is asked for."
    )
    source: ClassVar[str] = "Gärdenfors (1976), https://doi.org/10.1016/0022-0531(76)90016-8"
    most_items: ClassVar[int | None] = 6

    #: Of how many voters a group has at most; None for any number.
    _largest: ClassVar[int | None] = None

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        for order, count in ballots:
            for copies in range(1, 1 + min(count, self._largest or count)):
                for other in permutations(sorted(order)):
                    if other != order:
                        yield Case((ballots, replaced(ballots, order, other, copies)))

    def _fits(self, case: Case) -> bool:
        change = changed_ballot(*case.ballots)
        return change is not None and change[2] <= (self._largest or change[2])

    def _fails(self, case: Case, outcomes: Outcomes) -> bool:
        change = changed_ballot(*case.ballots)
        assert change is not None, "the case fits"
        honest, other = map(outcomes.winners, case.ballots)
        return prefers(change[0], other, honest, self.extension)

    def _sentence(self, case: Case, outcomes: Outcomes) -> str:
        change = changed_ballot(*case.ballots)
        assert change is not None, "the case fits"
        old, new = (arrows(order, outcomes.labels) for order in change[:2])
        honest, other = (named(outcomes.winners(one), outcomes.labels) for one in case.ballots)
        voters = counted(change[2], "voter")
        cast, get = ("casts", "gets") if change[2] == 1 else ("cast", "get")
        return f"{voters} with {old} {cast} {new}, and {get} {other} in place of {honest}."


@dataclass(frozen=True, kw_only=True)
class Strategyproofness(GroupStrategyproofness):
    """No single voter does better by casting another ballot.

    Parameters
    ----------
    extension : {"fishburn", "gardenfors", "kelly", "optimist", "pessimist"}, default "fishburn"
        As for `Participation`.

    References
    ----------
    Gibbard (1973), https://doi.org/10.2307/1914083; Satterthwaite (1975),
    https://doi.org/10.1016/0022-0531(75)90050-2.
    """

    name: ClassVar[str] = "strategyproofness"
    definition: ClassVar[str] = (
        "No single voter prefers the winners that there are once the own ballot is another; sets "
        "of tied winners are compared by Fishburn's extension unless another is asked for."
    )
    source: ClassVar[str] = "Gibbard (1973), https://doi.org/10.2307/1914083"
    _largest: ClassVar[int | None] = 1
