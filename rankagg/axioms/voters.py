"""Axioms about voters: two electorates, what it pays to stay away or to vote for something else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations, product
from math import prod
from typing import Literal, TypeAlias, get_args

from rankagg._validation import check_choice
from rankagg.axioms.agendas import changed_ballot
from rankagg.axioms.ballots import Ballots, Order, difference, fewer, replaced, size
from rankagg.axioms.base import Axiom, Case
from rankagg.axioms.outcomes import Outcomes, Winners, strict_orders
from rankagg.core import counted
from rankagg.exceptions import Described, InvalidInputError

SetPreference: TypeAlias = Literal["fishburn", "gardenfors", "kelly", "optimist", "pessimist"]
EXTENSIONS: tuple[SetPreference, ...] = get_args(SetPreference)
# How many divisions of one electorate are looked at.
DIVISIONS = 100_000


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


def prefers(order: Order, one: Winners, other: Winners, extension: SetPreference) -> bool:
    """Say whether a voter with an order strictly prefers one set of winners to another."""
    if one == other:
        return False
    place = {item: at for at, item in enumerate(order)}
    mine, yours = {place[item] for item in one}, {place[item] for item in other}
    match extension:
        case "fishburn":
            return _fishburn(mine, yours)
        case "gardenfors":
            return _gardenfors(mine, yours)
        case "kelly":
            return max(mine) <= min(yours)
        case "optimist":
            return min(mine) < min(yours)
        case "pessimist":
            return max(mine) < max(yours)


@dataclass(frozen=True, kw_only=True)
class Reinforcement(Axiom):
    """What two electorates both choose is what they choose together."""

    name = "reinforcement"
    definition = (
        "Where two electorates have winners in common, tied ones counted, these and no others win "
        "in both together."
    )
    source = "Young (1975), https://doi.org/10.1137/0128067"
    # They divide in 2**16 ways at most.
    most_rankings = 16

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        number = prod(count + 1 for _, count in ballots)
        if number > DIVISIONS:
            allowed = f"such that it divides into two in at most {DIVISIONS:,} ways"
            ways = Described(counted(number, "way", ","))
            raise InvalidInputError("profile", allowed, ways, "Take fewer ballots.")
        for taken in product(*(range(count + 1) for _, count in ballots)):
            rows = list(zip(ballots, taken, strict=True))
            one = tuple((order, here) for (order, _), here in rows if here)
            other = tuple((order, count - here) for (order, count), here in rows if count > here)
            if one and other and (size(one), one) <= (size(other), other):
                yield Case((ballots, one, other))

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        one, other = map(outcomes.winners, case.ballots[1:])
        common = one & other
        if not common or (whole := outcomes.winners(case.ballots[0])) == common:
            return None
        return (
            f"The two parts have {outcomes.listed(common)} in common among their winners, and "
            f"together they choose {outcomes.listed(whole)}."
        )


@dataclass(frozen=True, kw_only=True)
class RankingReinforcement(Reinforcement):
    """A ranking that two electorates both choose is what they choose together."""

    name = "reinforcement of rankings"
    definition = (
        "Where two electorates have strict rankings in common, these and no others are those of "
        "both together; a ranking with ties stands for all that break them, and an exact rule has "
        "all its optima."
    )
    source = "Young and Levenglick (1978), https://doi.org/10.1137/0135023"
    most_items = 6

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        whole, one, other = (strict_orders(outcomes.rankings(part)) for part in case.ballots)
        common = one & other
        if not common or whole == common:
            return None
        added = whole - common
        if min(common) in whole and added:
            more = outcomes.arrows(min(added))
            return f"Together they choose {more} too, which is not common to both parts."
        lost = outcomes.arrows(min(common - whole))
        return f"Both parts choose {lost}, and together they do not."


@dataclass(frozen=True, kw_only=True)
class _Preference(Axiom):
    """An axiom that needs to know which of two sets of winners a voter prefers."""

    extension: SetPreference = "fishburn"

    def __post_init__(self) -> None:
        check_choice(self.extension, EXTENSIONS, f"extension of {type(self).__name__}")


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

    name = "participation"
    definition = (
        "No voter prefers the winners without the own ballot to those with it; sets of tied "
        "winners are compared by Fishburn's extension unless another is asked for."
    )
    source = "Moulin (1988), https://doi.org/10.1016/0022-0531(88)90253-0"

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        if size(ballots) > 1:
            for order, _ in ballots:
                yield Case((ballots, fewer(ballots, order)))

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        ((order,), _) = difference(*case.ballots)
        present, absent = map(outcomes.winners, case.ballots)
        if not prefers(order, absent, present, self.extension):
            return None
        return (
            f"A voter with {outcomes.arrows(order)} stays away, and gets "
            f"{outcomes.listed(absent)} in place of {outcomes.listed(present)}."
        )


@dataclass(frozen=True, kw_only=True)
class Strategyproofness(_Preference):
    """No single voter does better by casting another ballot.

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

    name = "strategyproofness"
    definition = (
        "No single voter prefers the winners that there are once the own ballot is another; sets "
        "of tied winners are compared by Fishburn's extension unless another is asked for."
    )
    source = "Gibbard (1973), https://doi.org/10.2307/1914083"
    most_items = 6

    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        for order, _ in ballots:
            for other in permutations(sorted(order)):
                if other != order:
                    yield Case((ballots, replaced(ballots, order, other)))

    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        old, new = changed_ballot(*case.ballots)
        honest, other = map(outcomes.winners, case.ballots)
        if not prefers(old, other, honest, self.extension):
            return None
        return (
            f"1 voter with {outcomes.arrows(old)} casts {outcomes.arrows(new)}, and gets "
            f"{outcomes.listed(other)} in place of {outcomes.listed(honest)}."
        )
