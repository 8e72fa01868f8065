"""The rules that suit some data, where nobody says which."""

from __future__ import annotations

from rankagg._typing import Unranked
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.condorcet import Copeland
from rankagg.aggregation.evidence import Data
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.means import Mean
from rankagg.aggregation.positional import Borda
from rankagg.aggregation.two_level import TwoLevel
from rankagg.core.score_summary import ScoreSummary
from rankagg.core.scores import ScoreTable

__all__ = ["default_aggregators"]


def default_aggregators(data: Data, unranked: Unranked | None = None) -> list[Aggregator]:
    """Return the rules that make sense for the data: means, Borda, Copeland, exact Kemeny."""
    borda = Borda(unranked=unranked)
    has_scores = isinstance(data, ScoreTable | ScoreSummary)
    rules: list[Aggregator] = [Mean()] if has_scores else []
    rules.append(borda)
    if isinstance(data, ScoreSummary) or (isinstance(data, ScoreTable) and data.is_instance_level):
        rules.append(TwoLevel(borda, borda))
    return [*rules, Copeland(unranked=unranked), Kemeny(unranked=unranked)]
