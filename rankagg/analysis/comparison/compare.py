"""Several rules on the same data, under one policy and one limit of time."""

from __future__ import annotations

from collections.abc import Iterable

from rankagg._typing import RNGLike, Tolerance, Unranked
from rankagg._validation import as_generator, check_unranked
from rankagg.aggregation.base import Aggregator, Guarantee
from rankagg.aggregation.deadline import Deadline, time_limit_of
from rankagg.aggregation.defaults import default_aggregators
from rankagg.aggregation.evidence import Data, Evidence
from rankagg.analysis.comparison.comparison import Comparison
from rankagg.exceptions import InvalidInputError

__all__ = ["compare", "compare_until"]

EXACT = Guarantee(1)


def compare(
    data: Data,
    aggregators: Iterable[Aggregator] | None = None,
    *,
    unranked: Unranked | None = None,
    tolerance: Tolerance = 0.0,
    time_limit: float | None = None,
    rng: RNGLike = None,
) -> Comparison:
    """Aggregate the same data with several rules and measure them with the same votes.

    Parameters
    ----------
    data : ScoreTable, ScoreSummary, Profile, PairwiseMatrix or Comparisons
        The data.
    aggregators : iterable of Aggregator, optional
        The rules; by default those of `default_aggregators`.
    unranked : {"uniform", "ignore", "last"}, optional
        The policy for unranked items. All rules must share it; by default it is theirs, that of
        votes that were counted under one, or "uniform".
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied; see `ScoreTable.rankings`.
    time_limit : float, optional
        Seconds for all rules together; exact ones return the best ranking that they have then.
    rng : int, numpy.random.Generator or None, optional
        A seed or a generator for rules that draw random numbers (SPEC 7); they share it, in the
        order given.

    Returns
    -------
    Comparison

    Raises
    ------
    InvalidInputError
        If two rules are equal, or their policies differ from each other or from `unranked`.

    Examples
    --------
    >>> import rankagg as ra
    >>> ballots = ra.datasets.load("borda_fails_condorcet")
    >>> comparison = ra.compare(ballots, [ra.Borda(), ra.Kemeny()])
    >>> comparison.to_frame()[["method", "ranking", "cost", "excess"]]
       method    ranking  cost  excess
    0   Borda  B > A > C   5.0     1.0
    1  Kemeny  A > B > C   4.0     0.0
    """
    limit = Deadline.after(time_limit_of(time_limit))
    return compare_until(limit, data, aggregators, unranked=unranked, tolerance=tolerance, rng=rng)


def compare_until(
    deadline: Deadline,
    data: Data,
    aggregators: Iterable[Aggregator] | None,
    *,
    unranked: Unranked | None,
    tolerance: Tolerance,
    rng: RNGLike,
) -> Comparison:
    """Compare as `compare` does, with a deadline that others may share."""
    evidence = Evidence(data, tolerance)
    if unranked is not None:
        check_unranked(unranked)
    rules = default_aggregators(data, unranked) if aggregators is None else list(aggregators)
    policy = _common_policy(rules, unranked, evidence)
    votes = evidence.votes(policy)
    generator = as_generator(rng)
    # Fair shares for the rules that look at the clock; the others take what they take.
    left = [sum(rule.guarantee == EXACT for rule in rules[k:]) for k in range(len(rules))]
    found = [
        rule.aggregate(
            evidence,
            rng=generator,
            deadline=deadline.share(n if rule.guarantee == EXACT else n + 1),
        )
        for rule, n in zip(rules, left, strict=True)
    ]
    return Comparison(consensuses=tuple(found), votes=votes, unranked=policy)


def _common_policy(
    rules: list[Aggregator], unranked: Unranked | None, evidence: Evidence
) -> Unranked:
    for rule in rules:
        if not isinstance(rule, Aggregator):
            raise InvalidInputError("aggregators", "aggregator objects such as Borda()", rule)
    if not rules or len(set(rules)) < len(rules):
        raise InvalidInputError("aggregators", "one or more rules, each once", rules)
    policies = {rule._policy_for(evidence) for rule in rules} - {None}
    if unranked is not None:
        policies.add(unranked)
    if len(policies) > 1:
        raise InvalidInputError(
            "aggregators", "rules with one policy for unranked items",
            sorted(map(str, policies)), "Give all of them the same `unranked=`.",
        )  # fmt: skip
    return evidence.policy(policies.pop() if policies else None)
