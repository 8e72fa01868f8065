"""The result of a rule: one ranking and what is known about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Label, Ranks, Unranked
from rankagg.aggregation.evidence import MOST_ITEMS, Evidence, words_of
from rankagg.core import (
    UNRANKED,
    Direction,
    Form,
    ItemSet,
    PairwiseMatrix,
    PartialRanking,
    Permutation,
    Result,
    Words,
    amount,
    as_ranking,
    counted,
    listed,
    places,
    rounding_error,
    shortened,
    stated,
)
from rankagg.core.comparisons import Comparisons
from rankagg.exceptions import NotProvedError

if TYPE_CHECKING:
    from rankagg.aggregation.base import Aggregator
    from rankagg.aggregation.kemeny.certificate import Certificate, TiedCertificate
    from rankagg.aggregation.kemeny.optima import Optima
    from rankagg.aggregation.kemeny.tied_optima import TiedOptima


class Consensus(Result):
    """The ranking that a rule found, with its scores, its cost and, if exact, its proof.

    Made by `Aggregator.aggregate`; it has no plot. Equality looks at the ranking, the scores, the
    rule and the policy; `cost` and `runtime` are no part of it.

    Attributes
    ----------
    ranking : PartialRanking
        The consensus; a `Permutation` where it is complete and strict.
    scores : ndarray of float, shape (n,), or None
        What the rule ranked by, higher is better, NaN for an unranked item; None for rules
        without scores.
    rule : Aggregator
        The rule with its parameters.
    unranked : {"uniform", "ignore", "last"} or None
        The policy of the data for unranked items; None for comparisons and plain votes.
    certificate : Certificate, TiedCertificate or None
        The proof of an exact rule.
    notes : tuple of str
        What a reader should know: ties, cycles, pairs never compared, unranked items.
    interrupted : bool
        True where the user stopped the rule, and this is the best that was there.
    runtime : float
        Seconds that the rule took.
    """

    ranking: PartialRanking
    scores: Floats | None
    rule: Aggregator
    unranked: Unranked | None
    certificate: Certificate | TiedCertificate | None = field(compare=False)
    notes: tuple[str, ...] = field(compare=False)
    runtime: float = field(compare=False)
    interrupted: bool = field(default=False, compare=False)
    _optima: Optima | TiedOptima | None = field(compare=False)
    _evidence: Evidence = field(compare=False)

    _schema = "rankagg.consensus"
    _named_rows = False
    _formats: ClassVar[Mapping[str, Callable[[Any], str]]] = {"score": amount}
    _best: ClassVar[Mapping[str, Direction]] = {"score": "highest"}

    # -- the ranking --------------------------------------------------------------------------

    @property
    def items(self) -> ItemSet:
        """The ranked items."""
        return self.ranking.items

    @property
    def order(self) -> tuple[Label, ...]:
        """The labels, best first; raises `TiedRankingError` where some are tied."""
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

        None too where constraints count places: what optima choose in one block then depends on
        other blocks.

        Raises
        ------
        NotProvedError
            If the ranking is not proved optimal.
        """
        if self.certificate is not None and not self.is_proved:
            raise NotProvedError(
                "The optima are known only where one is proved; this ranking has a "
                f"{self.certificate.summary()}."
            )
        return self._optima

    # -- its cost -----------------------------------------------------------------------------

    @cached_property
    def pairwise(self) -> PairwiseMatrix:
        """The one-level votes that the cost is measured on."""
        return self._evidence.votes

    @property
    def _words(self) -> Words:
        """What sentences call what is in the data."""
        return words_of(self._evidence.data)

    @property
    def _is_fought(self) -> bool:
        """Whether it is of battles, where no items are unranked."""
        return isinstance(self._evidence.data, Comparisons)

    def _votes_told(
        self, number: float, what: str, form: Form = amount, noun: str | None = None
    ) -> str:
        """Return a number of votes on pairs as text, which states the policy of this consensus."""
        noun = self._words.vote if noun is None else noun
        return stated(number, what, form, noun, policy=self.pairwise.unranked, weighted=True)

    @property
    def tie_cost(self) -> float:
        """What a tied vote costs: the rule's own parameter, or 0."""
        return float(getattr(self.rule, "tie_cost", 0.0))

    @property
    def consensus_tie_cost(self) -> float | None:
        """What a vote costs that orders two items which the ranking ties.

        The price of the rule whose ties have one, or None: what breaking them at random costs.
        """
        return getattr(self.rule, "price_of_ties", None)

    @cached_property
    def cost(self) -> float:
        """The summed Kendall distance to the rankings, in votes; see `PairwiseMatrix.cost`.

        NaN of more than 5,000 items, whose votes are not counted for it.
        """
        return self.cost_of(self.ranking) if self._evidence.counts_pairs else nan

    def cost_of(self, ranking: PartialRanking, votes: PairwiseMatrix | None = None) -> float:
        """Return what another ranking costs at the same prices of ties.

        Parameters
        ----------
        ranking : PartialRanking
            A ranking of the same items.
        votes : PairwiseMatrix, optional
            What it is held against; by default `pairwise`.

        Returns
        -------
        float
            In votes.
        """
        return (votes or self.pairwise).cost(
            ranking, tie_cost=self.tie_cost, consensus_tie_cost=self.consensus_tie_cost
        )

    # -- how it looks -------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return one row per item, best first.

        Returns
        -------
        pandas.DataFrame
            Columns rank (from 1, missing where unranked), item and, where the rule has them,
            score.
        """
        ranks = self.ranking.ranks
        order = np.lexsort((np.arange(len(ranks)), np.where(ranks >= 0, ranks, len(ranks))))
        numbers = [int(ranks[i]) + 1 if ranks[i] >= 0 else pd.NA for i in order]
        ranked = pd.array(numbers, dtype="Int64")
        columns: dict[str, Any] = {"rank": ranked, "item": self.items.at(order)}
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
            How many items to print at most; all by default.

        Returns
        -------
        str
        """
        return self._text(self._facts(), rows)

    def _facts(self) -> list[str]:
        counted_by = self.rule.read(self._evidence).unranked
        observed = self.rule.reads_unranked == "as observed"
        policy = "none: what is present counts" if observed else (counted_by or "none")
        price, vote = self.consensus_tie_cost, self._words.vote
        tied = "" if price is None else f", a {vote} on a tied pair {price:g}"
        cost = f"not counted for more than {MOST_ITEMS:,} items"
        if self._evidence.counts_pairs:
            is_other = observed or counted_by != self.unranked
            counted_as = self.unranked if is_other else None
            policy_told = f"unranked items: {counted_as}; " if counted_as else ""
            prices = f"({policy_told}a tied {vote} costs {self.tie_cost:g}{tied})"
            cost = f"{counted(amount(self.cost), vote)} contradicted {prices}"
        lines = [
            f"{self.rule.name} consensus of {counted(len(self.items), 'item')}",
            f"rule         {self.rule}",
            *([] if self._is_fought else [f"unranked     {policy}"]),
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
        return f"<Consensus by {self.rule.name}: {self.ranking._arrows()}>"


def ranks_by_scores(scores: Floats, errors: Floats | None = None) -> Ranks:
    """Return the places that scores give, one ranking a row; see `rank_by_scores`."""
    if errors is None:
        known = np.abs(scores, where=~np.isnan(scores), out=np.zeros_like(scores))
        errors = rounding_error(np.broadcast_to(known.max(axis=1, keepdims=True), scores.shape))
    return places.competition_ranks(-scores, errors=errors)


def rank_by_scores(
    scores: Floats, items: ItemSet, errors: Floats | None = None
) -> tuple[PartialRanking, tuple[str, ...]]:
    """Rank items by scores, higher is better; NaN is unranked.

    Scores that are equal up to rounding are tied.

    Parameters
    ----------
    scores : ndarray of float, shape (n,)
        One score per item.
    items : ItemSet
        The items.
    errors : ndarray of float, shape (n,), optional
        How far rounding can have moved each score; by default 2**-48 of the largest one.

    Returns
    -------
    ranking : PartialRanking
        The ranking.
    notes : tuple of str
        Says which scores were tied although not equal to the last digit, and what is unranked.
    """
    ranks = ranks_by_scores(scores[None, :], None if errors is None else errors[None, :])[0]
    ranking = as_ranking(ranks, items)
    if isinstance(ranking, Permutation):
        return ranking, ()
    distinct = places.competition_ranks(-scores[None, :])[0]
    notes = []
    for place in np.unique(ranks[ranks != distinct]):
        names = " = ".join(str(items[int(i)]) for i in np.flatnonzero(ranks == place))
        notes.append(f"scores equal up to rounding are tied: {names}")
    if (ranks == UNRANKED).any():
        notes.append(f"without any score, so unranked: {listed(ranking.unranked)}")
    return ranking, tuple(notes)
