"""Comparison of several rules on the same data, measured with the same votes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from rankagg._typing import Directions, RNGLike, Tolerance, Unranked
from rankagg._validation import as_generator, check_flag, check_integer
from rankagg.aggregation import (
    MOST_ITEMS,
    Aggregator,
    Consensus,
    Deadline,
    Evidence,
    Guarantee,
    Held,
    check_rule,
    deadline_of,
)
from rankagg.aggregation.base import votes_text
from rankagg.aggregation.kemeny import Slater
from rankagg.aggregation.two_level import default_rules
from rankagg.analysis.comparison.agreement import Alternatives, overlap_curves
from rankagg.analysis.comparison.sentences import sentences_of
from rankagg.core import (
    ROWS,
    PairwiseMatrix,
    PartialRanking,
    Result,
    amount,
    counted,
    joined,
    listed,
    pair_signs,
    plain_rows,
    quantity,
    sentence,
    shortened,
)
from rankagg.distances import kendall_distance, kendall_tau, top_k_agreement
from rankagg.exceptions import (
    Described,
    InvalidInputError,
    OutOfTimeError,
    TooLargeError,
    nearest,
    visible,
)

if TYPE_CHECKING:
    from rankagg.inference import Decisions

DEPTHS = (1, 3, 5, 10)
# Formats of the columns.
FORMATS: Mapping[str, Callable[[Any], str]] = {
    **dict.fromkeys(("cost", "excess", "distance", "nearest", "farthest"), amount),
    "ratio": "{:z.4f}".format,
    "guarantee": "{:zg}".format,
    "runtime": "{:z.3f} s".format,
}
# Pairs with as many votes for as against that are printed of each rule.
LEVEL_PAIRS = 3

Measure = Callable[[PartialRanking, PartialRanking], float]


class RuleComparison(Result):
    """The consensuses of several rules, measured with the same one-level votes.

    Made by `compare`; `plot` draws a `rankagg.plotting.bump_chart`.

    Attributes
    ----------
    consensuses : tuple of Consensus
        One per rule, in the order given.
    unranked : {"uniform", "ignore", "last"} or None
        The policy of the data for unranked items; None for comparisons and plain votes.
    """

    consensuses: tuple[Consensus, ...]
    unranked: Unranked | None

    _schema = "rankagg.comparison"
    _plot = "bump_chart"
    _named_rows = False
    _formats = FORMATS
    _best: ClassVar = {
        **dict.fromkeys(("cost", "excess", "ratio", "distance"), "lowest"),
        **dict.fromkeys(("tau", *(f"top{k}" for k in DEPTHS)), "highest"),
    }

    @cached_property
    def votes(self) -> PairwiseMatrix:
        """The votes that define all costs; an error for more than 5,000 items."""
        return self.consensuses[0].evidence.votes

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of the rules."""
        return tuple(consensus.rule.name for consensus in self.consensuses)

    @property
    def exact(self) -> Consensus | None:
        """The consensus of the exact rule; None if no rule is exact."""
        for consensus in self.consensuses:
            rule = consensus.rule
            is_held = getattr(rule, "constraints", None) is not None
            if consensus.certificate is not None and not (is_held or isinstance(rule, Slater)):
                return consensus
        return None

    def __getitem__(self, rule: str) -> Consensus:
        """Return the consensus of the rule with a name, or of the only rule of a class."""
        if rule in self.rules:
            return self.consensuses[self.rules.index(rule)]
        of_class = [c for c in self.consensuses if type(c.rule).__name__ == rule]
        if len(of_class) == 1:
            return of_class[0]
        known = [c.rule.name for c in of_class] or self.rules
        raise InvalidInputError("rule", f"one of {listed(known)}", rule, nearest(rule, known))

    @cached_property
    def _costs(self) -> tuple[float, ...]:
        # The cost of ties is that of the exact rule, whose optimum is the denominator.
        exact = self.exact or self.consensuses[0]
        if not exact.evidence.counts_pairs:
            return (np.nan,) * len(self.consensuses)
        return tuple(exact.cost_of(c.ranking, self.votes) for c in self.consensuses)

    @cached_property
    def _have_guarantees(self) -> bool:
        # They hold for complete strict rankings, with ties of a consensus broken at random.
        price = None if self.exact is None else self.exact.consensus_tie_cost
        return self.consensuses[0].evidence.is_complete_and_strict and price in (None, 0.5)

    # -- tables -------------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return one row per rule.

        Returns
        -------
        pandas.DataFrame
            rule; ranking as text; cost, in votes; excess over the exact cost and ratio to it
            (a constant shifts the ratio, not the excess); guarantee: proved upper bound of the
            ratio (of its mean for a randomized rule), NaN without a proof, or if the data are not
            complete strict rankings; distance to the exact consensus in pairs, ties broken at
            random; tau (tau-b with it); top1, top3, ... (expected overlap with its first k);
            runtime in seconds. Columns that need an exact rule are NaN without one.
        """
        return pd.DataFrame([self._measures(i) for i in range(len(self.consensuses))])

    def _measures(self, i: int) -> dict[str, Any]:
        consensus, cost, exact = self.consensuses[i], self._costs[i], self.exact
        optimum = np.nan if exact is None else self._costs[self.consensuses.index(exact)]
        bound = consensus.rule.guarantee if self._have_guarantees else None
        both = None if exact is None else (consensus.ranking, exact.ranking)
        row = {
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
        """Return the rank of each item, from 1, under every rule, in the order of the exact one.

        Returns
        -------
        pandas.DataFrame
            Index: items; columns: rules; missing if a rule leaves an item unranked.
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
        """Return the pairs of items that two rules order differently, with their votes.

        Parameters
        ----------
        first, second : str
            Names of two of the `rules`.
        decisions : Decisions, optional
            Decisions on the same items, such as `PairwiseIntervals.decisions`.

        Returns
        -------
        pandas.DataFrame
            above and below, in the order of the first rule; other: their order by the second,
            "reversed", "tied", or "above" if the first ties them; votes_for above over below,
            votes_against, ties, margin (for minus against). With `decisions` also decided: "as
            above", "reversed", or "no". The smallest margins come first.

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
        """Return the agreement of the rankings of all pairs of rules.

        Parameters
        ----------
        measure : callable, optional
            A function of two rankings, such as those of `rankagg.distances`; tau-b by default.
        """
        chosen: Any = kendall_tau if measure is None else measure
        if not callable(chosen):
            allowed = "a function of two rankings, such as rankagg.kendall_tau"
            raise InvalidInputError("measure", allowed, measure)
        rankings = self._rankings.values()
        rows = np.array([[chosen(a, b) for b in rankings] for a in rankings])
        names = pd.Index(self.rules, name="rule")
        return pd.DataFrame(rows, index=names, columns=names.rename(None))

    def overlap_curves(self) -> pd.DataFrame:
        """Return the expected overlap of each rule's first k items with the exact one's, by k.

        Index: k; columns: the rules, one of them exact.
        """
        if self.exact is None:
            names = Described(listed(self.rules))
            raise InvalidInputError("rules", "rules with an exact one", names, "Add Kemeny().")
        return overlap_curves(self._rankings, self.exact.ranking)

    @property
    def _rankings(self) -> dict[str, PartialRanking]:
        return {c.rule.name: c.ranking for c in self.consensuses}

    def _to_paste(self) -> pd.DataFrame:
        return _without_empty(self.to_frame()).drop(columns="runtime")

    def _content(self) -> dict[str, Any]:
        return {
            "unranked_policy": self.unranked,
            "rules": plain_rows(self.to_frame().drop(columns="ranking")),
            "consensuses": [consensus.to_dict() for consensus in self.consensuses],
        }

    # -- text ---------------------------------------------------------------------------------

    def summary(
        self,
        *,
        rows: int | None = ROWS,
        optima: bool = False,
        time_limit: float | None = None,
        decisions: Decisions | None = None,
    ) -> str:
        """Return the comparison as text.

        Parameters
        ----------
        rows : int or None, default 30
            Maximum number of items and of disagreeing pairs printed; None prints all.
        optima : bool, default False
            Count the exact optima and, if there are several, give the distance of each rule from
            the nearest and the farthest; slow for large problems with many optima.
        time_limit : float, optional
            Seconds for the search of the optima.
        decisions : Decisions, optional
            Mark the disagreeing pairs that are decided; see `disagreements`.
        """
        deadline = deadline_of(time_limit)
        known = self.alternatives(deadline) if check_flag(optima, "optima") else None
        return self.text(rows, optima=known, decisions=decisions)

    def text(
        self,
        rows: int | None = ROWS,
        *,
        optima: Alternatives | None = None,
        decisions: Decisions | None = None,
    ) -> str:
        """Return the comparison as text, with optima that are already computed.

        Parameters
        ----------
        rows : int or None, default 30
            As for `summary`.
        optima : Alternatives, optional
            The result of `alternatives`.
        decisions : Decisions, optional
            As for `summary`.
        """
        if rows is not None:
            check_integer(rows, "rows", low=1)
        frame = _without_empty(self.to_frame())
        if optima is not None and optima.is_unique is False:
            with suppress(TooLargeError, OutOfTimeError):
                for name in ("farthest", "nearest"):
                    find = getattr(optima.optima, name)
                    distances = [
                        kendall_distance(ranking, find(ranking), tie_cost=0.5)
                        for ranking in self._rankings.values()
                    ]
                    frame.insert(list(frame.columns).index("distance") + 1, name, distances)
        rules = frame.to_string(
            index=False, na_rep="-", formatters=FORMATS, float_format="{:z.3f}".format
        )
        head = "\n".join(self._facts(optima, decisions))
        return visible("\n\n".join([head, rules, *self._below(rows, decisions)]))

    def sentences(
        self,
        *,
        optima: bool = True,
        time_limit: float | None = None,
        decisions: Decisions | None = None,
    ) -> tuple[str, ...]:
        """Return the results as the sentences of a paragraph, to be edited.

        Parameters
        ----------
        optima : bool, default True
            Search for other optima; slow for large problems with many of them.
        time_limit : float, optional
            Seconds for the search of the optima.
        decisions : Decisions, optional
            Decisions on the same items, such as `rank_intervals(data).decisions`.

        Returns
        -------
        tuple of str
            The data and rules; the exact consensus, its winner, the proof, and the number of other
            optima; the difference of every other rule; the decided pairs. Plain text: names are
            not escaped.

        Raises
        ------
        ItemMismatchError
            If the decisions are on other items.

        Examples
        --------
        >>> import rankagg as ra
        >>> ballots = ra.datasets.load("borda_fails_condorcet")
        >>> sentences = ra.compare(ballots, [ra.Borda(), ra.Kemeny()]).sentences()
        >>> print(" ".join(sentences[2:4]))
        A is ranked first. The consensus is proved optimal, and no other is as good.
        """
        searched = check_flag(optima, "optima")
        known = self.alternatives(deadline_of(time_limit)) if searched else None
        return sentences_of(self, known, decisions, searched=searched)

    def alternatives(self, deadline: Deadline) -> Alternatives | None:
        """Return the optima found by a deadline; None if none is proved.

        Parameters
        ----------
        deadline : Deadline
            The time to stop.
        """
        if self.exact is None or not self.exact.is_proved or self.exact.optima is None:
            return None
        return Alternatives.of(self.exact.optima, deadline)

    def _facts(
        self, alternatives: Alternatives | None = None, decisions: Decisions | None = None
    ) -> list[str]:
        """Return the lines on the data, the proof and the notes."""
        lead = self.exact or self.consensuses[0]
        price, vote = lead.consensus_tie_cost, lead.evidence.words.vote
        tied = "" if price is None else f", a {vote} on a tied pair {price:g}"
        rules = quantity(len(self.rules), "rules", noun="rule")
        items = quantity(len(lead.items), "items", noun="item")
        policy = "" if self.unranked is None else f"unranked items: {self.unranked}; "
        text = "{} on {}; {}a tied {} costs {:g}{}"
        lines = [sentence(text, rules, items, policy, vote, lead.tie_cost, tied)]
        if not lead.evidence.counts_pairs:
            lines.append(f"cost         not counted for more than {MOST_ITEMS:,} items")
        elif self.exact is None or self.exact.certificate is None:
            lines.append("no rule is exact: add Kemeny() for ratios and distances")
        else:
            lines.append(f"certificate  {self.exact.certificate.summary()}")
            if alternatives is not None:
                lines.append(f"optima       {alternatives.summary()}")
        if decisions is not None:
            lines.append(decisions.summary_parts()[0][0])
        lines += [f"note         {note}" for note in lead.evidence.gaps()]
        for rule, consensus in zip(self.rules, self.consensuses, strict=True):
            shared = consensus.evidence.gaps()
            own = [note for note in consensus.notes if note not in shared]
            lines += [sentence("note         {}: {}", rule, note) for note in own]
        return lines

    def _below(self, rows: int | None = ROWS, decisions: Decisions | None = None) -> list[str]:
        """Return the ranks, and the pairs that rules order differently, as text."""
        return [self._ranks_text(rows), self._pairs_text(rows, decisions)]

    def _ranks_text(self, rows: int | None) -> str:
        frame = self.ranks()
        shown = frame.iloc[:rows].astype(object).fillna("-")
        shown.index = pd.Index([shortened(label) for label in shown.index])
        shown.index = shown.index.str.ljust(max(map(len, shown.index)))
        left = len(frame) - len(shown)
        text = "ranks\n" + shown.to_string()
        return f"{text}\n... and {counted(left, 'more item')}" if left else text

    def _pairs_text(self, rows: int | None, decisions: Decisions | None) -> str:
        if self.exact is None:
            return ""
        base = self.exact.rule.name
        parts = []
        for rule in (name for name in self.rules if name != base):
            frame = self.disagreements(base, rule, decisions=decisions)
            if frame.empty:
                parts.append(f"{rule} orders every pair as {base} does")
                continue
            against = (frame["other"] == "reversed") & (frame["margin"] > 0)
            ordered = pd.concat([frame[against].iloc[::-1], frame[~against]])
            shown = ordered
            if rows is not None:
                # Pairs without a majority are all alike.
                level = ordered.index[~against[ordered.index] & (ordered["margin"] == 0)]
                shown = ordered.drop(level[LEVEL_PAIRS:]).head(rows)
            pairs = quantity(len(frame), "pairs ordered differently", noun="pair")
            text = "{} disagrees with {} on {}, against majorities first, then the closest:"
            head = sentence(text, rule, base, pairs)
            rows_shown = shown.itertuples(index=False)
            lines = [head, *(_pair_line(self.exact, pair, rule) for pair in rows_shown)]
            if len(frame) > len(shown):
                left = quantity(len(frame) - len(shown), "pairs not listed", noun="more pair")
                lines.append(sentence("  ... and {}", left))
            parts.append(joined(lines, "\n"))
        return joined(parts, "\n\n")

    def __repr__(self) -> str:
        items = counted(len(self.consensuses[0].items), "item")
        return f"<RuleComparison of {', '.join(self.rules)} on {items}>"


def _without_empty(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a comparison without its rankings, and without a column of missing guarantees."""
    frame = frame.drop(columns="ranking")
    return frame.drop(columns="guarantee") if frame["guarantee"].isna().all() else frame


def _pair_line(exact: Consensus, pair: Any, rule: str) -> str:
    sure = {"as above": ", decided", "reversed": ", decided the other way", "no": ", not decided"}
    hints = {"tied": f" ({rule} ties them)", "above": f" (only {rule} has an order)"}
    hint = hints.get(pair.other, "") + sure.get(getattr(pair, "decided", ""), "")
    names = shortened(pair.above), shortened(pair.below)
    votes = votes_text(exact, pair.votes_for, "votes for a pair")
    against = votes_text(exact, pair.votes_against, "votes against a pair", noun="")
    tied = votes_text(exact, pair.ties, "votes that tie a pair", noun="")
    ties = sentence(", {} tied", tied) if pair.ties else ""
    return sentence("  {} above {}: {} for, {} against{}{}", *names, votes, against, ties, hint)


def compare(
    data: Held | Evidence,
    rules: Iterable[Aggregator] | None = None,
    *,
    higher_is_better: Directions | None = None,
    tolerance: Tolerance = 0.0,
    time_limit: float | None = None,
    rng: RNGLike = None,
) -> RuleComparison:
    """Aggregate the same data with several rules and measure them with the same votes.

    Parameters
    ----------
    data : ScoreTable, ScoreSummary, Profile, PairwiseMatrix or Comparisons
        The data. Orders of labels, best first, may be a list, or a mapping from order to count. A
        DataFrame of scores needs their direction.
    rules : iterable of Aggregator, optional
        The rules; by default those of `default_rules`.
    higher_is_better : bool, mapping or Series from task to bool, optional
        The direction of scores in a DataFrame; only allowed for a DataFrame.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by at most this much are tied; see `ScoreTable.rankings`.
    time_limit : float, optional
        Seconds for all rules together; exact ones then return the best ranking found.
    rng : int, numpy.random.Generator or None, optional
        A seed or a generator, shared by the rules that draw random numbers, in the order given.

    Examples
    --------
    >>> import rankagg as ra
    >>> ballots = ra.datasets.load("borda_fails_condorcet")
    >>> comparison = ra.compare(ballots, [ra.Borda(), ra.Kemeny()])
    >>> comparison.to_frame()[["rule", "ranking", "cost", "excess"]]
       rule    ranking  cost  excess
    0   Borda  B > A > C   5.0     1.0
    1  Kemeny  A > B > C   4.0     0.0
    """
    deadline = deadline_of(time_limit)
    evidence = Evidence.of(data, tolerance, higher_is_better)
    given = default_rules(evidence.data) if rules is None else rules
    rules = [check_rule(rule, "rules") for rule in given]
    if not rules or len(set(rules)) < len(rules):
        raise InvalidInputError("rules", "one or more rules, each once", rules)
    if evidence.counts_pairs:
        _ = evidence.votes  # computed once for all rules
    generator = as_generator(rng)
    # Equal shares for rules with a time limit; the others run to their end.
    exact = [rule.guarantee == Guarantee(1) for rule in rules]
    consensuses = tuple(
        rule.aggregate(
            evidence, rng=generator, deadline=deadline.share(sum(exact[k:]) + (not exact[k]))
        )
        for k, rule in enumerate(rules)
    )
    return RuleComparison(consensuses=consensuses, unranked=evidence.unranked)
