"""Rules that turn scores, rankings or votes into one ranking."""

# Other packages import from here; rules that load more are imported from their files.
from rankagg.aggregation.base import (
    Aggregator,
    Guarantee,
    Needs,
    ReadsUnranked,
    check_rule,
    rank_by_scores,
    ranking_points,
)
from rankagg.aggregation.condorcet import (
    Copeland,
    Minimax,
    PairwiseMajority,
    RankedPairs,
    Schulze,
    widest_paths,
)
from rankagg.aggregation.deadline import Deadline, deadline_of
from rankagg.aggregation.evidence import (
    FOUGHT,
    MOST_ITEMS,
    SCORED,
    Data,
    Evidence,
    Held,
    PairData,
    WholeData,
    as_data,
)
from rankagg.aggregation.means import (
    GeometricMean,
    HarmonicMean,
    Mean,
    Median,
    cautions,
    other_scale,
    unlike_tasks,
)
from rankagg.aggregation.outcome import Consensus, Outcome
from rankagg.aggregation.positional import Borda, points, summed_points

# What authors of rules need; rules themselves are at the top level.
__all__ = ["Deadline", "Evidence", "Guarantee", "Outcome", "rank_by_scores"]
