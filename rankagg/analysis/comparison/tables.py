"""Tables of what several rules found in the same data, measured with the same votes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from rankagg._typing import Unranked
from rankagg.aggregation import (
    Consensus,
)
from rankagg.analysis.comparison.agreement import (
    Measure,
    agreement_matrix,
    distances_to_optima,
    is_yardstick,
    overlap_curves,
)
from rankagg.core import (
    Direction,
    PairwiseMatrix,
    PartialRanking,
    Result,
    amount,
    listed,
    pair_signs,
    plain_rows,
)
from rankagg.distances import kendall_distance, kendall_tau, top_k_agreement
from rankagg.exceptions import Described, InvalidInputError, nearest

if TYPE_CHECKING:
    from rankagg.inference import Decisions


DEPTHS = (1, 3, 5, 10)


class ComparisonTables(Result):
    """Tables of the consensuses of several rules, measured with the same one-level votes."""

    consensuses: tuple[Consensus, ...]
    unranked: Unranked | None

    _plot = "bump_chart"
    _named_rows = False
    _formats: ClassVar[Mapping[str, Callable[[Any], str]]] = {
        **dict.fromkeys(("cost", "excess", "distance", "nearest", "farthest"), amount),
        "ratio": "{:z.4f}".format,
        "guarantee": "{:zg}".format,
        "runtime": "{:z.3f} s".format,
    }
    _best: ClassVar[Mapping[str, Direction]] = {
        **dict.fromkeys(("cost", "excess", "ratio", "distance"), "lowest"),
        **dict.fromkeys(("tau", *(f"top{k}" for k in DEPTHS)), "highest"),
    }

    @cached_property
    def votes(self) -> PairwiseMatrix:
        """The votes that all costs are measured on; refused of more than 5,000 items."""
        return self.consensuses[0].evidence.votes

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of the rules."""
        return tuple(consensus.rule.name for consensus in self.consensuses)

    @property
    def exact(self) -> Consensus | None:
        """The consensus of the exact rule; None where there is none among the rules."""
        return next(filter(is_yardstick, self.consensuses), None)

    def __getitem__(self, rule: str) -> Consensus:
        """Return the consensus of the rule of that name, or the only one of that class."""
        if rule in self.rules:
            return self.consensuses[self.rules.index(rule)]
        of_class = [c for c in self.consensuses if type(c.rule).__name__ == rule]
        if len(of_class) == 1:
            return of_class[0]
        known = [c.rule.name for c in of_class] or self.rules
        raise InvalidInputError("rule", f"one of {listed(known)}", rule, nearest(rule, known))

    @cached_property
    def _costs(self) -> tuple[float, ...]:
        # Ties cost what the exact rule says, so that the ratio is to its optimum.
        exact = self.exact or self.consensuses[0]
        if not exact.evidence.counts_pairs:
            return (np.nan,) * len(self.consensuses)
        return tuple(exact.cost_of(c.ranking, self.votes) for c in self.consensuses)

    def _cost_of(self, consensus: Consensus) -> float:
        return self._costs[self.consensuses.index(consensus)]

    @cached_property
    def _have_guarantees(self) -> bool:
        # They are of complete strict rankings, with ties of a consensus broken at random.
        price = None if self.exact is None else self.exact.consensus_tie_cost
        plain = self.consensuses[0].evidence.is_complete_and_strict
        return plain and price in (None, 0.5)

    # -- tables -------------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return one row per rule.

        Returns
        -------
        pandas.DataFrame
            rule; ranking as text; cost, in votes; excess over the exact cost and ratio to it
            (a constant shifts the ratio, not the excess); guarantee: what the ratio is proved
            never to exceed (of a randomized rule, on average), NaN where nothing is, or the data
            are not complete strict rankings; distance to the exact consensus in
            pairs, ties broken at random; tau (tau-b with it); top1, top3, ... (expected overlap
            with its first k); runtime in seconds. Without an exact rule among the rules the
            columns that need it are NaN.
        """
        return pd.DataFrame([self._measures(i) for i in range(len(self.consensuses))])

    def _measures(self, i: int) -> dict[str, Any]:
        consensus, cost, exact = self.consensuses[i], self._costs[i], self.exact
        optimum = np.nan if exact is None else self._cost_of(exact)
        bound = consensus.rule.guarantee if self._have_guarantees else None
        both = None if exact is None else (consensus.ranking, exact.ranking)
        row: dict[str, Any] = {
            "rule": self.rules[i],
            "ranking": consensus.ranking.to_text(),
            "cost": cost,
            "excess": cost - optimum,
            "ratio": cost / optimum if optimum else (1.0 if cost == 0 else np.inf),
            "guarantee": np.nan if bound is None else bound.factor,
            "distance": np.nan if both is None else kendall_distance(*both, tie_cost=0.5),
            "tau": np.nan if both is None else kendall_tau(*both),
        }
        for k in DEPTHS:
            if k <= min(c.ranking.n_observed for c in self.consensuses):
                row[f"top{k}"] = np.nan if both is None else top_k_agreement(*both, k=k)
        row["runtime"] = consensus.runtime
        return row

    def ranks(self) -> pd.DataFrame:
        """Return each item's rank (from 1) under every rule, in the order of the exact one.

        Returns
        -------
        pandas.DataFrame
            Index: items; columns: rules; missing where a rule leaves an item unranked.
        """
        lead = (self.exact or self.consensuses[0]).ranking.ranks
        order = np.argsort(np.where(lead >= 0, lead, len(lead)), kind="stable")
        columns = {name: ranking.ranks[order] + 1 for name, ranking in self._rankings.items()}
        labels = pd.Index(self.consensuses[0].items.at(order), name="item")
        frame = pd.DataFrame(columns, index=labels, dtype="Int64")
        return frame.where(frame > 0)

    def disagreements(
        self, first: str, second: str, *, decisions: Decisions | None = None
    ) -> pd.DataFrame:
        """Return the pairs of items that two rules order differently, with the votes on each.

        Parameters
        ----------
        first, second : str
            Names of two of the `rules`.
        decisions : Decisions, optional
            What `PairwiseIntervals.decisions` decided of the same items.

        Returns
        -------
        pandas.DataFrame
            above and below, as the first rule has them; other: how the second has them,
            "reversed", "tied", or "above" where the first ties them; votes_for above over below,
            votes_against, ties, margin: for less against. With `decisions` also decided: "as
            above", "reversed", or "no". Closest votes first.

        Raises
        ------
        ItemMismatchError
            If the decisions are on other items.
        """
        ranks = self[first].ranking.ranks, self[second].ranking.ranks
        mine, theirs = map(pair_signs, ranks)
        both = (ranks[0] >= 0) & (ranks[1] >= 0)
        picked = ((mine > 0) & (theirs <= 0)) | ((mine == 0) & (theirs > 0))
        above, below = np.nonzero(picked & both[:, None] & both)
        labels, wins, ties = self.votes.items, self.votes.wins, self.votes.ties
        ways = [mine[above, below] == 0, theirs[above, below] == 0]
        columns = {
            "above": labels.at(above),
            "below": labels.at(below),
            "other": np.select(ways, ["above", "tied"], "reversed"),
            "votes_for": wins[above, below],
            "votes_against": wins[below, above],
            "ties": ties[above, below],
            "margin": wins[above, below] - wins[below, above],
        }
        if decisions is not None:
            labels.require_same(decisions.items, "A comparison and the decisions on its pairs")
            sure = [decisions.above[above, below], decisions.above[below, above]]
            columns["decided"] = np.select(sure, ["as above", "reversed"], "no")
        frame = pd.DataFrame(columns)
        return frame.sort_values("margin", key=abs, kind="stable", ignore_index=True)

    def agreement(self, measure: Measure | None = None) -> pd.DataFrame:
        """Return how alike the rules' rankings are, all with all.

        Parameters
        ----------
        measure : callable, optional
            A function of two rankings, such as those of `rankagg.distances`; tau-b by default.

        Returns
        -------
        pandas.DataFrame
            Index and columns: the rules.
        """
        return agreement_matrix(self._rankings, kendall_tau if measure is None else measure)

    def overlap_curves(self) -> pd.DataFrame:
        """Return for every k the expected overlap of each rule's first k with the exact one's.

        Returns
        -------
        pandas.DataFrame
            Index: k; columns: the rules.

        Raises
        ------
        InvalidInputError
            If no exact rule is among the rules.
        """
        return overlap_curves(self._rankings, self._require_exact().ranking)

    def distances_to_optima(self) -> pd.DataFrame:
        """Return each rule's Kendall distance to the nearest and to the farthest exact optimum.

        The distance in `to_frame` is that to the one optimum that the exact rule returned.

        Returns
        -------
        pandas.DataFrame
            Index: the rules; columns: nearest, farthest, in pairs, ties broken at random.

        Raises
        ------
        InvalidInputError
            If no exact rule is among the rules.
        NotProvedError
            If its consensus is not proved.
        """
        optima = self._require_exact().optima
        assert optima is not None, "an exact rule knows its optima"
        return distances_to_optima(self._rankings, optima)

    @property
    def _rankings(self) -> dict[str, PartialRanking]:
        return {c.rule.name: c.ranking for c in self.consensuses}

    def _require_exact(self) -> Consensus:
        if self.exact is None:
            told = Described(listed(self.rules))
            raise InvalidInputError("rules", "rules with an exact one", told, "Add Kemeny().")
        return self.exact

    def _to_paste(self) -> pd.DataFrame:
        return self._figures().drop(columns="runtime")

    def _figures(self) -> pd.DataFrame:
        """Return the table without the rankings, and without guarantees where there are none."""
        frame = self.to_frame().drop(columns="ranking")
        return frame.drop(columns="guarantee") if frame["guarantee"].isna().all() else frame

    def _content(self) -> dict[str, Any]:
        return {
            "unranked_policy": self.unranked,
            "rules": plain_rows(self.to_frame().drop(columns="ranking")),
            "consensuses": [consensus.to_dict() for consensus in self.consensuses],
        }
