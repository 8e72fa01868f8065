"""Which rules have steps, and what works them out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.condorcet import Copeland, PairwiseMajority
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.margins import Minimax, RankedPairs, Schulze
from rankagg.aggregation.means import Mean, Median
from rankagg.aggregation.positional import Borda
from rankagg.aggregation.result import Consensus
from rankagg.aggregation.voting.instant_runoff import InstantRunoff
from rankagg.teaching.rules.borda import borda_steps
from rankagg.teaching.rules.eliminations import instant_runoff_steps
from rankagg.teaching.rules.kemeny import kemeny_steps
from rankagg.teaching.rules.majorities import copeland_steps, majority_steps, minimax_steps
from rankagg.teaching.rules.ranked_pairs import ranked_pairs_steps
from rankagg.teaching.rules.schulze import schulze_steps
from rankagg.teaching.rules.scores import mean_steps, median_steps
from rankagg.teaching.worked import Worked

__all__ = ["STEPS"]

STEPS: Final[Mapping[type[Aggregator], Callable[[Consensus], Worked]]] = MappingProxyType(
    {
        Borda: borda_steps,
        Copeland: copeland_steps,
        InstantRunoff: instant_runoff_steps,
        Kemeny: kemeny_steps,
        Mean: mean_steps,
        Median: median_steps,
        Minimax: minimax_steps,
        PairwiseMajority: majority_steps,
        RankedPairs: ranked_pairs_steps,
        Schulze: schulze_steps,
    }
)
