"""Axioms, and witnesses: profiles on which a rule breaks an axiom."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from rankagg._typing import Label
from rankagg.aggregation import Aggregator, check_rule
from rankagg.axioms.ballots import Ballots, NotNeutralError, Outcomes
from rankagg.core import Profile, Result, counted, listed, plain_rows
from rankagg.exceptions import InvalidInputError


@dataclass(frozen=True)
class Case:
    """A case of an axiom: one or more profiles, and the items in question."""

    ballots: tuple[Ballots, ...]
    items: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Axiom(ABC):
    """A property of rules that the winners or the rankings of profiles can break.

    Profiles are of complete strict rankings. A rule's winners are the first bucket of its ranking,
    including ties. The winners of an exact rule are the first items of all its optima; those of
    `Schulze` and `RankedPairs` are the items that no path of majorities beats.

    A new axiom is a frozen dataclass that defines `name`, `definition`, `source`, `_cases` and
    `_fault`.

    Attributes
    ----------
    name : str
        The name in the literature.
    definition : str
        The definition, with the convention for tied winners.
    source : str
        The publication that it comes from.
    """

    name: ClassVar[str]
    definition: ClassVar[str]
    source: ClassVar[str]
    #: The least number of items with which it can be broken.
    fewest_items: ClassVar[int] = 2
    #: The most items whose orders it can compare; None without a limit.
    most_items: ClassVar[int | None] = None

    def check(self, rule: Aggregator, profile: Profile) -> Witness | None:
        """Check whether a rule breaks the axiom on a profile.

        Parameters
        ----------
        rule : Aggregator
            The rule.
        profile : Profile
            Complete strict rankings without weights.

        Returns
        -------
        Witness or None
            None if neither this profile nor its changes by the axiom break it.

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
        rule, ballots = check_rule(rule), Ballots.of_profile(profile)
        if self.most_items is not None and profile.n_items > self.most_items:
            most = f"of at most {counted(self.most_items, 'item')} for {self.name!r}"
            allowed = f"{most}, which compares all their orders"
            remedy = "`Profile.restrict` keeps some of them."
            raise InvalidInputError("profile", allowed, profile, remedy)
        outcomes = Outcomes(rule, profile.items)
        for case, fault in _faults(self, ballots, outcomes):
            return _make_witness(self, case, fault, outcomes)
        return None

    @abstractmethod
    def _cases(self, ballots: Ballots, outcomes: Outcomes) -> Iterator[Case]:
        """Yield the cases of a profile in which the axiom could be broken."""

    @abstractmethod
    def _fault(self, case: Case, outcomes: Outcomes) -> str | None:
        """Return a sentence if the outcomes of a case break the axiom, otherwise None."""


class Witness(Result):
    """Profiles whose outcomes break an axiom.

    Made by `find_counterexample` and `Axiom.check`; it has no plot.

    Attributes
    ----------
    axiom : Axiom
        The broken axiom.
    rule : Aggregator
        The rule that breaks it.
    profiles : tuple of Profile
        The profile, and those that the axiom compares it with: the changed one, or its two parts.
    winners : tuple of tuple of str or int
        The winners of each profile.
    items : tuple of str or int
        The items in question.
    sentence : str
        How the outcomes break the axiom.
    """

    axiom: Axiom
    rule: Aggregator
    profiles: tuple[Profile, ...]
    winners: tuple[tuple[Label, ...], ...]
    items: tuple[Label, ...]
    sentence: str

    _schema = "rankagg.witness"
    _prints_table = False

    @property
    def profile(self) -> Profile:
        """The first profile."""
        return self.profiles[0]

    def verify(self) -> bool:
        """Return whether newly computed outcomes of the rule break the axiom.

        Returns
        -------
        bool
            True unless the rule, the axiom or the profiles were changed.

        Examples
        --------
        >>> import rankagg as ra
        >>> witness = ra.axioms.find_counterexample(ra.Borda(), "majority", n_items=3, n_rankings=5)
        >>> witness.verify()
        True
        """
        labels = self.profile.items
        ballots = tuple(Ballots.of_profile(profile, labels) for profile in self.profiles)
        case = Case(ballots, tuple(labels.indices(self.items)))
        outcomes = Outcomes(self.rule, labels)
        winners = tuple(labels.at(sorted(outcomes.winners(one))) for one in ballots)
        return winners == self.winners and _confirmed(self.axiom, case, outcomes) is not None

    def to_frame(self) -> pd.DataFrame:
        """Return one row per profile and distinct ballot.

        Returns
        -------
        pandas.DataFrame
            profile: its number, from 0; count: the number of ballots; order: the labels, best
            first; winners: those of the profile.
        """
        labels = self.profile.items
        return pd.DataFrame(
            [
                {
                    "profile": number,
                    "count": count,
                    "order": " > ".join(str(labels[item]) for item in order),
                    "winners": ", ".join(map(str, self.winners[number])),
                }
                for number, profile in enumerate(self.profiles)
                for order, count in Ballots.of_profile(profile, labels)
            ]
        )

    def _content(self) -> dict[str, Any]:
        return {
            "axiom": self.axiom.name,
            "rule": self.rule.name,
            "items": list(self.items),
            "winners": [list(labels) for labels in self.winners],
            "sentence": self.sentence,
            "ballots": plain_rows(self.to_frame()),
        }

    def _facts(self) -> list[str]:
        labels = self.profile.items
        lines = [f'{self.rule.name} breaks the axiom "{self.axiom.name}"']
        heads = ("profile", "compared", "and")
        for number, profile in enumerate(self.profiles):
            lines += [
                f"{heads[number]:<10} {Ballots.of_profile(profile, labels).text(labels)}",
                f"{'winners':<10} {listed(self.winners[number])}",
            ]
        return [*lines, self.sentence]


def _faults(axiom: Axiom, ballots: Ballots, outcomes: Outcomes) -> Iterator[tuple[Case, str]]:
    """Yield the cases of a profile that break an axiom, each with its sentence."""
    for case in axiom._cases(ballots, outcomes):
        fault = axiom._fault(case, outcomes)
        if fault is not None:
            yield case, fault


def _confirmed(axiom: Axiom, case: Case, outcomes: Outcomes) -> str | None:
    """Return the fault of a case, checked independently of the search."""
    cases = axiom._cases(case.ballots[0], outcomes)
    return axiom._fault(case, outcomes) if case in cases else None


def _make_witness(axiom: Axiom, case: Case, fault: str, outcomes: Outcomes) -> Witness:
    """Return the witness of a case."""
    labels = outcomes.labels
    return Witness(
        axiom=axiom,
        rule=outcomes.rule,
        profiles=tuple(ballots.profile(labels) for ballots in case.ballots),
        winners=tuple(
            tuple(labels[item] for item in sorted(outcomes.winners(ballots)))
            for ballots in case.ballots
        ),
        items=tuple(labels[item] for item in case.items),
        sentence=fault,
    )


def confirmed_witness(axiom: Axiom, ballots: Ballots, outcomes: Outcomes) -> Witness | None:
    """Return a witness, confirmed by new calls of the rule, if the ballots break the axiom."""
    for case, _ in _faults(axiom, ballots, outcomes):
        direct = Outcomes(outcomes.rule, outcomes.labels)
        fault = _confirmed(axiom, case, direct)
        if fault is None and outcomes.neutral:
            raise NotNeutralError
        if fault is None:
            allowed = "a rule that gives equal ballots the same outcome each time"
            remedy = "Draw random numbers from the given generator only."
            raise InvalidInputError("rule", allowed, outcomes.rule, remedy)
        return _make_witness(axiom, case, fault, direct)
    return None
