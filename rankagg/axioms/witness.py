"""A profile that shows how a rule breaks an axiom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from rankagg._typing import Label
from rankagg.aggregation.base import Aggregator
from rankagg.axioms.ballots import ballots_of, profile_of, written
from rankagg.axioms.outcomes import Outcomes
from rankagg.core.items import listed
from rankagg.core.profile import Profile
from rankagg.core.results import Result, plain_rows

if TYPE_CHECKING:
    from rankagg.axioms.base import Axiom, Case

__all__ = ["Witness", "witness_of"]


class Witness(Result):
    """Profiles whose outcomes break an axiom.

    Made by `find_counterexample` and `Axiom.check`; it has no plot.

    Attributes
    ----------
    axiom : Axiom
        What is broken.
    aggregator : Aggregator
        By which rule.
    profiles : tuple of Profile
        The profile, and those that the axiom compares it to: after a change, or its two parts.
    winners : tuple of tuple of str or int
        Who wins in each of them.
    items : tuple of str or int
        The items in question.
    sentence : str
        What is wrong.
    """

    axiom: Axiom
    aggregator: Aggregator
    profiles: tuple[Profile, ...]
    winners: tuple[tuple[Label, ...], ...]
    items: tuple[Label, ...]
    sentence: str

    _schema = "rankagg.witness"
    _prints_table = False

    @property
    def profile(self) -> Profile:
        """The profile itself."""
        return self.profiles[0]

    def verify(self) -> bool:
        """Ask the rule again, and say whether its outcomes break the axiom by its definition.

        Returns
        -------
        bool
            True unless rule, axiom or profiles are others than those that were found.

        Examples
        --------
        >>> import rankagg as ra
        >>> witness = ra.axioms.find_counterexample(ra.Borda(), "majority", n_items=3, n_rankings=5)
        >>> witness.verify()
        True
        """
        from rankagg.axioms.base import Case  # noqa: PLC0415  (axioms make witnesses)

        labels = self.profile.items
        ballots = tuple(ballots_of(profile, labels) for profile in self.profiles)
        case = Case(ballots, tuple(labels.indices(self.items)))
        outcomes = Outcomes(self.aggregator, labels)
        found = tuple(labels.at(sorted(outcomes.winners(one))) for one in ballots)
        return found == self.winners and self.axiom._holds_against(case, outcomes)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per kind of ballot.

        Returns
        -------
        pandas.DataFrame
            profile: its number, from 0; count: how many ballots; order: the labels, best first;
            winners: those of the profile.
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
                for order, count in ballots_of(profile, labels)
            ]
        )

    def _content(self) -> dict[str, Any]:
        return {
            "axiom": self.axiom.name,
            "rule": self.aggregator.name,
            "items": list(self.items),
            "winners": [list(labels) for labels in self.winners],
            "sentence": self.sentence,
            "ballots": plain_rows(self.to_frame()),
        }

    def _facts(self) -> list[str]:
        labels = self.profile.items
        lines = [f'{self.aggregator.name} breaks the axiom "{self.axiom.name}"']
        heads = ("profile", "compared", "and")
        for number, profile in enumerate(self.profiles):
            lines += [
                f"{heads[number]:<10} {written(ballots_of(profile, labels), labels)}",
                f"{'winners':<10} {listed(self.winners[number])}",
            ]
        return [*lines, self.sentence]


def witness_of(axiom: Axiom, case: Case, outcomes: Outcomes) -> Witness:
    """Return the witness that a case is."""
    labels = outcomes.labels
    return Witness(
        axiom=axiom,
        aggregator=outcomes.aggregator,
        profiles=tuple(profile_of(ballots, labels) for ballots in case.ballots),
        winners=tuple(
            tuple(labels[item] for item in sorted(outcomes.winners(ballots)))
            for ballots in case.ballots
        ),
        items=tuple(labels[item] for item in case.items),
        sentence=axiom._sentence(case, outcomes),
    )
