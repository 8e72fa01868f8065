"""Axioms about what pays for voters: to stay away, and to vote for what they do not think."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import ClassVar

from rankagg.axioms.ballot_changes import changed_ballot
from rankagg.axioms.ballots import Ballots, difference, fewer, replaced, size
from rankagg.axioms.base import Axiom, Case, arrows, named
from rankagg.axioms.outcomes import Outcomes
from rankagg.axioms.set_preferences import SetPreference, check_extension, prefers
from rankagg.core.items import counted

__all__ = ["GroupStrategyproofness", "Participation", "Strategyproofness"]


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
