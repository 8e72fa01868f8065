"""All rules in the order of lists, with their input and guarantees."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from rankagg.aggregation import (
    Aggregator,
    check_rule,
    condorcet,
    means,
    positional,
    searches,
    two_level,
)
from rankagg.aggregation.kemeny import aggregator, top_k
from rankagg.aggregation.voting import elimination_rules, graded, nearest_winner, positional_rules
from rankagg.distributions import ranking_rules

#: Every public rule; its class states everything else.
RULES: tuple[type[Aggregator], ...] = (
    means.Mean,
    means.GeometricMean,
    means.HarmonicMean,
    means.Median,
    means.AdjustedMean,
    positional.Borda,
    positional_rules.ReciprocalRankFusion,
    means.CombSUM,
    means.CombMNZ,
    positional_rules.Positional,
    positional_rules.Plurality,
    positional_rules.Veto,
    positional_rules.Dowdall,
    positional_rules.Approval,
    positional_rules.Bucklin,
    graded.STAR,
    graded.MajorityJudgment,
    elimination_rules.InstantRunoff,
    elimination_rules.Coombs,
    elimination_rules.Baldwin,
    elimination_rules.Nanson,
    condorcet.Black,
    two_level.TwoLevel,
    condorcet.Copeland,
    condorcet.PairwiseMajority,
    condorcet.Minimax,
    condorcet.Schulze,
    condorcet.RankedPairs,
    searches.MC4,
    ranking_rules.RankCentrality,
    searches.PickAPerm,
    searches.FootruleOptimal,
    searches.KwikSort,
    searches.InsertionSearch,
    ranking_rules.PlackettLuceRanking,
    ranking_rules.MallowsRanking,
    nearest_winner.Young,
    nearest_winner.Dodgson,
    aggregator.Slater,
    aggregator.Kemeny,
    top_k.TopK,
)


def named_rules(kinds: Iterable[type[Aggregator]] = RULES) -> dict[str, Aggregator]:
    """Return the rules by their command-line names."""
    return {
        name: kind(**parameters)
        for kind in kinds
        for name, parameters in kind.command_names.items()
    }


def capabilities(rules: Iterable[Aggregator] | None = None) -> pd.DataFrame:
    """Return one row per rule: input, treatment of gaps and ties, and approximation guarantee.

    All rules take ties and weights, as their documentation says.

    Parameters
    ----------
    rules : iterable of Aggregator, optional
        The rules; by default those that ``rankagg list rules`` lists.

    Returns
    -------
    pandas.DataFrame
        rule: its name; needs: "scores", "rankings" or "votes"; unranked: how unranked items
        count, "by policy" of the data, "last", or "as observed"; ties: whether its consensus
        "may" tie items or "never" does; guarantee: the factor by which its Kendall cost can
        exceed the optimum on complete strict rankings, NaN where none is stated;
        in_expectation: whether it bounds only the expected cost.

    Examples
    --------
    >>> import rankagg as ra
    >>> ra.analysis.capabilities([ra.Mean(), ra.KwikSort(), ra.Kemeny()])
           rule   needs     unranked   ties  guarantee  in_expectation
    0      Mean  scores  as observed    may        NaN           False
    1  KwikSort   votes    by policy  never        2.0            True
    2    Kemeny   votes    by policy  never        1.0           False
    """
    rows = []
    for rule in named_rules().values() if rules is None else rules:
        check_rule(rule, "rules")
        bound = rule.guarantee
        rows.append(
            {
                "rule": rule.name,
                "needs": rule.needs,
                "unranked": rule.reads_unranked,
                "ties": "never" if rule.is_strict else "may",
                "guarantee": float("nan") if bound is None else bound.factor,
                "in_expectation": bound is not None and bound.in_expectation,
            }
        )
    return pd.DataFrame(rows)
