"""What rules take, give and promise, as they say it themselves."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from rankagg.aggregation.base import Aggregator
from rankagg.exceptions import InvalidInputError

__all__ = ["capabilities"]


def capabilities(aggregators: Iterable[Aggregator]) -> pd.DataFrame:
    """Return one row per rule: what it needs, how it treats gaps and ties, what is proved of it.

    All rules take ties and weights; what they make of them is in their documentation.

    Parameters
    ----------
    aggregators : iterable of Aggregator
        The rules.

    Returns
    -------
    pandas.DataFrame
        rule: its name; needs: "scores", "rankings" or "votes"; unranked: its policy for unranked
        items, "as observed" where it takes only what is there; ties: whether its consensus
        "may" tie items or "never" does; guarantee: the factor by which its Kendall cost can
        exceed the optimum on complete strict rankings, NaN where none is stated;
        in_expectation: whether that is said of its mean only.

    Raises
    ------
    InvalidInputError
        If one is not an aggregator.

    Examples
    --------
    >>> import rankagg as ra
    >>> ra.capabilities([ra.Mean(), ra.KwikSort(), ra.Kemeny()])
           rule   needs     unranked   ties  guarantee  in_expectation
    0      Mean  scores  as observed    may        NaN           False
    1  KwikSort   votes      uniform  never        2.0            True
    2    Kemeny   votes      uniform  never        1.0           False
    """
    rows = []
    for rule in aggregators:
        if not isinstance(rule, Aggregator):
            raise InvalidInputError("aggregators", "aggregator objects such as Borda()", rule)
        bound = rule.guarantee
        rows.append(
            {
                "rule": rule.name,
                "needs": rule.needs,
                "unranked": rule.policy or "as observed",
                "ties": "never" if rule.is_strict else "may",
                "guarantee": float("nan") if bound is None else bound.factor,
                "in_expectation": bound is not None and bound.in_expectation,
            }
        )
    return pd.DataFrame(rows)
