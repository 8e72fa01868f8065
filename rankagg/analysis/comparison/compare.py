"""Comparing rules: several on the same data, measured with the same votes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rankagg._typing import Directions, RNGLike, Tolerance
from rankagg._validation import as_generator, check_flag, check_integer
from rankagg.aggregation import (
    Aggregator,
    Deadline,
    Evidence,
    Guarantee,
    Held,
    check_rule,
    time_limit_of,
)
from rankagg.aggregation.two_level import default_rules
from rankagg.analysis.comparison.agreement import (
    Alternatives,
)
from rankagg.analysis.comparison.sentences import comparison_text, details_of, head_of, sentences_of
from rankagg.analysis.comparison.tables import ComparisonTables
from rankagg.core import (
    ROWS,
    counted,
)
from rankagg.exceptions import InvalidInputError

if TYPE_CHECKING:
    from rankagg.inference import Decisions


class RuleComparison(ComparisonTables):
    """The consensuses of several rules, measured with the same one-level votes.

    Made by `compare`; `plot` draws a `rankagg.plotting.bump_chart`.

    Attributes
    ----------
    consensuses : tuple of Consensus
        One per rule, in the order given.
    unranked : {"uniform", "ignore", "last"} or None
        The policy of the data for unranked items; None for comparisons and plain votes.
    """

    _schema = "rankagg.comparison"

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
            How many items and disagreeing pairs to print at most; None prints all.
        optima : bool, default False
            Say how many exact optima there are, and where there are several how far each rule is
            from the nearest and the farthest; for large problems with many that takes long.
        time_limit : float, optional
            Seconds for the optima.
        decisions : Decisions, optional
            Say of the disagreeing pairs which are decided; see `disagreements`.

        Returns
        -------
        str
        """
        if rows is not None:
            check_integer(rows, "rows", low=1)
        deadline = Deadline.after(time_limit_of(time_limit))
        known = self.alternatives(deadline) if check_flag(optima, "optima") else None
        return comparison_text(self, rows, alternatives=known, decisions=decisions)

    def sentences(
        self,
        *,
        optima: bool = True,
        time_limit: float | None = None,
        decisions: Decisions | None = None,
    ) -> tuple[str, ...]:
        """Return the results in words: sentences of a paragraph, to be edited.

        Parameters
        ----------
        optima : bool, default True
            Look whether others are as good; for large problems with many that takes long.
        time_limit : float, optional
            Seconds for that.
        decisions : Decisions, optional
            What is decided of the same items, as `rank_intervals(data).decisions`.

        Returns
        -------
        tuple of str
            What was compared; the exact consensus, who is first, what is proved, and how many
            others are as good; how every other rule differs; what is decided. Plain text: names
            are not escaped.

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
        looked = check_flag(optima, "optima")
        known = self.alternatives(Deadline.after(time_limit_of(time_limit))) if looked else None
        return sentences_of(self, known, decisions, looked=looked)

    def alternatives(self, deadline: Deadline) -> Alternatives | None:
        """Return what is found of all optima by a deadline; None where none is proved.

        Parameters
        ----------
        deadline : Deadline
            When to stop looking.

        Returns
        -------
        Alternatives or None
        """
        if self.exact is None or not self.exact.is_proved or self.exact.optima is None:
            return None
        return Alternatives.of(self.exact.optima, deadline)

    def _facts(self) -> list[str]:
        return head_of(self)

    def _below(self, rows: int | None = ROWS) -> list[str]:
        return details_of(self, rows)

    def __repr__(self) -> str:
        items = counted(len(self.consensuses[0].items), "item")
        return f"<RuleComparison of {', '.join(self.rules)} on {items}>"


def compare(
    data: Held,
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
        The data. Orders of labels, best first, are taken as a list or as a mapping from order to
        count; a DataFrame of scores with its direction.
    rules : iterable of Aggregator, optional
        The rules; by default those of `default_rules`.
    higher_is_better : bool, mapping or Series from task to bool, optional
        The direction of scores in a DataFrame; it goes with nothing else.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied; see `ScoreTable.rankings`.
    time_limit : float, optional
        Seconds for all rules together; exact ones return the best ranking that they have then.
    rng : int, numpy.random.Generator or None, optional
        A seed or a generator for rules that draw random numbers; they share it, in the
        order given.

    Returns
    -------
    RuleComparison

    Raises
    ------
    InvalidInputError
        If two rules are equal.

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
    limit = Deadline.after(time_limit_of(time_limit))
    evidence = Evidence.of(data, tolerance, higher_is_better)
    return compare_until(limit, evidence, rules, rng=rng)


def compare_until(
    deadline: Deadline,
    evidence: Evidence,
    rules: Iterable[Aggregator] | None,
    *,
    rng: RNGLike,
) -> RuleComparison:
    """Compare as `compare` does, with a deadline that others may share."""
    rules = default_rules(evidence.data) if rules is None else list(rules)
    for rule in rules:
        check_rule(rule, "rules")
    if not rules or len(set(rules)) < len(rules):
        raise InvalidInputError("rules", "one or more rules, each once", rules)
    if evidence.counts_pairs:
        _ = evidence.votes  # which the rules share
    generator = as_generator(rng)
    # Fair shares for the rules that look at the clock; the others take what they take.
    exact = [rule.guarantee == Guarantee(1) for rule in rules]
    found = [
        rule.aggregate(
            evidence, rng=generator, deadline=deadline.share(sum(exact[k:]) + (not exact[k]))
        )
        for k, rule in enumerate(rules)
    ]
    return RuleComparison(consensuses=tuple(found), unranked=evidence.unranked)
