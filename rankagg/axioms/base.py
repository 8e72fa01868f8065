"""What an axiom is: a name, a definition, its source, and a search for what breaks it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rankagg._typing import Label
from rankagg.aggregation.base import Aggregator
from rankagg.axioms.ballots import Ballots, Order, ballots_of
from rankagg.axioms.outcomes import Outcomes, check_aggregator
from rankagg.axioms.witness import Witness, witness_of
from rankagg.core.items import counted, listed, shortened
from rankagg.core.profile import Profile
from rankagg.exceptions import InvalidInputError

__all__ = ["Axiom", "Case", "arrows", "named"]


@dataclass(frozen=True)
class Case:
    """What an axiom speaks of: one or more profiles, and the items in question."""

    ballots: tuple[Ballots, ...]
    items: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Axiom(ABC):
    """A property of rules, judged by the winners or the rankings of profiles.

    Profiles are of complete strict rankings. A rule's winners are the first bucket of its
    ranking, tied ones all; those of an exact rule are the firsts of all its optima, and those of
    `Schulze` and `RankedPairs` the items that no path of majorities beats.

    A new axiom is a frozen dataclass that states `name`, `definition` and `source` and implements
    `_cases`, `_fits`, `_fails` and `_sentence`.

    Attributes
    ----------
    name : str
        As the literature says it.
    definition : str
        What it asks, with the convention for tied winners.
    source : str
        Where it comes from.
    """

    name: ClassVar[str]
    definition: ClassVar[str]
    source: ClassVar[str]
    #: With fewer items nothing can break it.
    fewest_items: ClassVar[int] = 2
    #: Of more it would have to compare too many orders; None where that does not matter.
    most_items: ClassVar[int | None] = None
    #: The same of ballots, in a search.
    most_rankings: ClassVar[int | None] = None

    def check(self, aggregator: Aggregator, profile: Profile) -> Witness | None:
        """Look whether a profile shows that a rule breaks the axiom.

        Parameters
        ----------
        aggregator : Aggregator
            The rule.
        profile : Profile
            Complete strict rankings without weights.

        Returns
        -------
        Witness or None
            None where this profile, with whatever the axiom compares it to, breaks nothing.

        Examples
        --------
        >>> import rankagg as ra
        >>> profile = ra.datasets.load("borda_fails_condorcet")
        >>> print(ra.axioms.CondorcetWinner().check(ra.Borda(), profile))
        Borda breaks the axiom "condorcet winner"
        profile    3 x A > B > C, 2 x B > C > A
        winners    B
        A beats every other item by a majority, and B wins.
        """
        rule, ballots = check_aggregator(aggregator), ballots_of(profile)
        if self.most_items is not None and profile.n_items > self.most_items:
            raise InvalidInputError(
                "profile", f"of at most {counted(self.most_items, 'item')} for {self.name!r}, "
                "which compares all their orders", profile,
                "`Profile.restrict` takes some of them.",
            )  # fmt: skip
        return self._first(ballots, Outcomes(rule, profile.items))

    def _first(self, ballots: Ballots, outcomes: Outcomes) -> Witness | None:
        for case in self._cases(ballots, outcomes):
            if self._fails(case, outcomes):
                return witness_of(self, case, outcomes)
        return None

    def _holds_against(self, case: Case, outcomes: Outcomes) -> bool:
        """Say whether a case breaks the axiom, with nothing taken from the search."""
        return self._fits(case) and self._fails(case, outcomes)

    @abstractmethod
    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        """Yield the cases of a profile in which the axiom could be broken."""

    @abstractmethod
    def _fits(self, case: Case) -> bool:
        """Say whether the axiom speaks of the case, whatever the outcomes."""

    @abstractmethod
    def _fails(self, case: Case, outcomes: Outcomes) -> bool:
        """Say whether the outcomes of a case that fits break the axiom."""

    @abstractmethod
    def _sentence(self, case: Case, outcomes: Outcomes) -> str:
        """Say what is wrong."""


def named(items: Sequence[int] | frozenset[int], labels: Sequence[Label]) -> str:
    """Return the labels of items in a sentence."""
    return listed([labels[item] for item in sorted(items)])


def arrows(order: Order, labels: Sequence[Label]) -> str:
    """Return an order in a sentence."""
    return " > ".join(shortened(labels[item]) for item in order)
