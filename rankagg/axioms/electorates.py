"""Axioms about two electorates: what both choose, they choose together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import ClassVar

from rankagg.axioms.ballots import Ballots, size, together
from rankagg.axioms.base import Axiom, Case, arrows, named
from rankagg.axioms.outcomes import Outcomes, strict_orders
from rankagg.core.items import counted
from rankagg.exceptions import Described, InvalidInputError

__all__ = ["RankingReinforcement", "Reinforcement"]

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
