"""The outcome of a rule's hook, and the consensus that `aggregate` returns."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Label, Ranks, Unranked
from rankagg.aggregation.evidence import MOST_ITEMS, Evidence
from rankagg.core import (
    ItemSet,
    PairwiseMatrix,
    PartialRanking,
    Result,
    amount,
    as_ranking,
    counted,
    shortened,
)
from rankagg.core.comparisons import Comparisons
from rankagg.exceptions import InformationLostError

if TYPE_CHECKING:
    from rankagg.aggregation.base import Aggregator
    from rankagg.aggregation.kemeny.certificate import Certificate, TiedCertificate
    from rankagg.aggregation.kemeny.optima import Optima
    from rankagg.aggregation.kemeny.tied_optima import TiedOptima


@dataclass(frozen=True)
class Outcome:
    """The result of a rule's hook: scores to rank by, or a ranking, or both.

    Attributes
    ----------
    scores : ndarray of float, shape (n,), or None
        Higher is better; NaN leaves an item unranked.
    ranking : PartialRanking or None
        The consensus; None lets the base class rank by the scores.
    certificate : Certificate, TiedCertificate or None
        The proof of an exact rule.
    optima : Optima, TiedOptima or None
        The set of all optima of an exact rule.
    notes : tuple of str
        Notes for the reader.
    interrupted : bool
        True if the user interrupted the rule; the ranking is the best one so far.
    winners : tuple of str or int, or None
        The winners, if they differ from the first bucket or the first items of all optima.
    """

    scores: Floats | None = None
    ranking: PartialRanking | None = None
    certificate: Certificate | TiedCertificate | None = None
    optima: Optima | TiedOptima | None = None
    notes: tuple[str, ...] = ()
    interrupted: bool = False
    winners: tuple[Label, ...] | None = None


class Consensus(Result):
    """The ranking of a rule, with its scores, its cost and, if exact, its proof.

    Returned by `Aggregator.aggregate`; it has no plot. Equality compares the ranking, the scores,
    the rule and the policy, not `cost` and `runtime`.

    Attributes
    ----------
    ranking : PartialRanking
        The consensus; a `Permutation` if it is complete and strict.
    scores : ndarray of float, shape (n,), or None
        The scores of the rule, higher is better, NaN for an unranked item; None for rules
        without scores.
    rule : Aggregator
        The rule with its parameters.
    unranked : {"uniform", "ignore", "last"} or None
        The policy of the data for unranked items; None for comparisons and plain votes.
    certificate : Certificate, TiedCertificate or None
        The proof of an exact rule.
    notes : tuple of str
        Notes for the reader: ties, cycles, pairs never compared, unranked items.
    interrupted : bool
        True if the user interrupted the rule; the ranking is the best one so far.
    runtime : float
        Run time of the rule in seconds.
    evidence : Evidence
        The data.
    """

    ranking: PartialRanking
    scores: Floats | None
    rule: Aggregator
    unranked: Unranked | None
    certificate: Certificate | TiedCertificate | None = field(compare=False)
    notes: tuple[str, ...] = field(compare=False)
    runtime: float = field(compare=False)
    evidence: Evidence = field(compare=False)
    interrupted: bool = field(default=False, compare=False)
    _optima: Optima | TiedOptima | None = field(compare=False)
    _winners: tuple[Label, ...] | None = field(default=None, compare=False)

    _schema = "rankagg.consensus"
    _named_rows = False
    _formats: ClassVar = {"score": amount}
    _best: ClassVar = {"score": "highest"}

    # -- the ranking --------------------------------------------------------------------------

    @property
    def items(self) -> ItemSet:
        """The ranked items."""
        return self.ranking.items

    @property
    def order(self) -> tuple[Label, ...]:
        """The labels, best first; raises `TiedRankingError` if some are tied."""
        return self.ranking.order

    @property
    def buckets(self) -> tuple[tuple[Label, ...], ...]:
        """The labels, best bucket first; labels within one bucket are tied."""
        return self.ranking.buckets

    @property
    def is_proved(self) -> bool | None:
        """Whether the ranking is proved optimal; None for rules that are not exact."""
        return None if self.certificate is None else self.certificate.status == "optimal"

    @property
    def optima(self) -> Optima | TiedOptima | None:
        """The set of all optima of an exact rule; None for other rules.

        Also None if constraints count places, because the optima of one block then depend on other
        blocks.

        Raises
        ------
        InformationLostError
            If the ranking is not proved optimal.
        """
        if self.certificate is not None and not self.is_proved:
            raise InformationLostError(
                "The optima are known only where one is proved; this ranking has a "
                f"{self.certificate.summary()}."
            )
        return self._optima

    @property
    def winners(self) -> tuple[Label, ...]:
        """All winners as the authors of the rule define them.

        They are the first bucket; for an exact rule the first items of all optima; for `Schulze`
        and `RankedPairs` the items that no path of majorities beats.
        """
        if self._winners is not None:
            return self._winners
        optima = self.optima
        return next(iter(self.buckets), ()) if optima is None else optima.winners()

    # -- its cost -----------------------------------------------------------------------------

    @cached_property
    def pairwise(self) -> PairwiseMatrix:
        """The pairwise votes that define the cost."""
        return self.evidence.votes

    @property
    def tie_cost(self) -> float:
        """Cost of a tied vote: the rule's own parameter, or 0."""
        return float(getattr(self.rule, "tie_cost", 0.0))

    @property
    def consensus_tie_cost(self) -> float | None:
        """Cost of a vote that orders two items tied in the ranking.

        The parameter of a rule that has one; None means the mean cost of breaking ties at random.
        """
        return getattr(self.rule, "price_of_ties", None)

    @cached_property
    def cost(self) -> float:
        """The summed Kendall distance to the rankings, in votes; see `PairwiseMatrix.cost`.

        NaN for more than 5,000 items, whose pairwise votes are not counted.
        """
        return self.cost_of(self.ranking) if self.evidence.counts_pairs else nan

    def cost_of(self, ranking: PartialRanking, votes: PairwiseMatrix | None = None) -> float:
        """Return the cost of another ranking, with the same costs of ties.

        Parameters
        ----------
        ranking : PartialRanking
            A ranking of the same items.
        votes : PairwiseMatrix, optional
            The votes that define the cost; by default `pairwise`.

        Returns
        -------
        float
            The cost in votes.
        """
        return (votes or self.pairwise).cost(
            ranking, tie_cost=self.tie_cost, consensus_tie_cost=self.consensus_tie_cost
        )

    # -- output -------------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return one row per item, best first.

        Returns
        -------
        pandas.DataFrame
            Columns rank (from 1, missing if unranked), item and, if the rule has scores, score.
        """
        ranks = self.ranking.ranks
        order = np.argsort(np.where(ranks >= 0, ranks, len(ranks)), kind="stable")
        numbers = [int(ranks[i]) + 1 if ranks[i] >= 0 else pd.NA for i in order]
        columns = {"rank": pd.array(numbers, dtype="Int64"), "item": self.items.at(order)}
        if self.scores is not None:
            columns["score"] = self.scores[order]
        return pd.DataFrame(columns)

    def _content(self) -> dict[str, Any]:
        return {
            "rule": repr(self.rule),
            "unranked_policy": self.unranked,
            "items": list(self.items),
            "ranks": [int(rank) + 1 if rank >= 0 else None for rank in self.ranking.ranks],
            **self._plain("buckets", "scores", "cost", "tie_cost", "consensus_tie_cost"),
            "certificate": None if self.certificate is None else self.certificate.to_dict(),
            **self._plain("notes", "runtime"),
        }

    def summary(self, *, rows: int | None = None) -> str:
        """Return the result as text: rule, policy, cost, proof, notes and the ranking.

        Parameters
        ----------
        rows : int or None, optional
            The largest number of items to print; all by default.
        """
        return self._text(self._facts(), rows)

    def _facts(self) -> list[str]:
        counted_by = self.evidence.read_by(self.rule).unranked
        observed = self.rule.reads_unranked == "as observed"
        policy = "none: only present items count" if observed else (counted_by or "none")
        price, vote = self.consensus_tie_cost, self.evidence.words.vote
        tied = "" if price is None else f", a {vote} on a tied pair {price:g}"
        cost = f"not counted for more than {MOST_ITEMS:,} items"
        if self.evidence.counts_pairs:
            counted_as = self.unranked if observed or counted_by != self.unranked else None
            policy_text = f"unranked items: {counted_as}; " if counted_as else ""
            prices = f"({policy_text}a tied {vote} costs {self.tie_cost:g}{tied})"
            cost = f"{counted(amount(self.cost), vote)} contradicted {prices}"
        lines = [
            f"{self.rule.name} consensus of {counted(len(self.items), 'item')}",
            f"rule         {self.rule}",
            *([] if isinstance(self.evidence.data, Comparisons) else [f"unranked     {policy}"]),
            f"cost         {cost}",
        ]
        if self.certificate is not None:
            lines.append(f"certificate  {self.certificate.summary()}")
        return [*lines, *(f"note         {note}" for note in self.notes), ""]

    def _printed(self, table: pd.DataFrame) -> str:
        names = [shortened(item) for item in table["item"]]
        width = max(map(len, names))
        ranks = table["rank"].astype(object).fillna("-")
        padded = table.assign(rank=ranks, item=[name.ljust(width) for name in names])
        return super()._printed(padded)

    def __repr__(self) -> str:
        return f"<Consensus by {self.rule.name}: {self.ranking.to_text()}>"


def proved_outcome(
    certificate: Any, solved: Any, effort: Any, optima: Any = None, noun: str = "ranking"
) -> Outcome:
    """Return the outcome of an exact rule, with a note if its proof is not complete.

    Cost and bound are computed in integers from the order and the proofs. The certificate is read
    as a checker reads it, to ensure that its proofs are trees over disjoint parts.
    """
    type(certificate).from_dict(certificate.to_dict())
    is_open = certificate.status != "optimal"
    best = f"interrupted: the best {noun} so far, not proved optimal"
    why = best if solved.interrupted else effort.unproved
    return Outcome(
        ranking=certificate.ranking,
        certificate=certificate,
        optima=optima,
        notes=(why,) if is_open else (),
        interrupted=solved.interrupted and is_open,
    )


def by_points(points: Sequence[Fraction], items: ItemSet, notes: tuple[str, ...] = ()) -> Outcome:
    """Rank items by points, higher is better; only equal points tie."""
    scores = np.array([float(number) for number in points])
    ranks = by_places([-number for number in points])
    return Outcome(scores=scores, ranking=as_ranking(ranks, items), notes=notes)


def by_places(values: Sequence[Fraction] | Sequence[int]) -> Ranks:
    """Return ranks by exact numbers, smaller is better."""
    ordered = sorted(values)
    return np.array([bisect_left(ordered, value) for value in values], dtype=np.int32)
