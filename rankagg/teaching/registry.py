"""Which rules have steps, and what works them out; and why others have none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.condorcet import Copeland, Minimax, PairwiseMajority, Schulze
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.kemeny.placed_rules import PlaceWeightedKemeny, TopK
from rankagg.aggregation.kemeny.slater import Slater
from rankagg.aggregation.means import GeometricMean, HarmonicMean, Mean, Median
from rankagg.aggregation.metasearch import MC4, FootruleOptimal, ReciprocalRankFusion
from rankagg.aggregation.positional import Borda, Bucklin
from rankagg.aggregation.ranked_pairs import RankedPairs
from rankagg.aggregation.result import Consensus
from rankagg.aggregation.searches import InsertionSearch, KwikSort, PickAPerm
from rankagg.aggregation.two_level import TwoLevel
from rankagg.aggregation.voting.elimination_rules import Baldwin, Coombs, InstantRunoff, Nanson
from rankagg.aggregation.voting.nearest_winner import Black, Dodgson, Young
from rankagg.aggregation.voting.positional_rules import (
    Approval,
    Dowdall,
    Plurality,
    Positional,
    Veto,
)
from rankagg.distributions.ranking_rules import MallowsRanking, PlackettLuceRanking
from rankagg.teaching.rules.averages import (
    geometric_mean_steps,
    harmonic_mean_steps,
    mean_steps,
    median_steps,
)
from rankagg.teaching.rules.eliminations import (
    baldwin_steps,
    coombs_steps,
    instant_runoff_steps,
    nanson_steps,
)
from rankagg.teaching.rules.exact import kemeny_steps, slater_steps
from rankagg.teaching.rules.majorities import (
    black_steps,
    copeland_steps,
    majority_steps,
    minimax_steps,
    schulze_steps,
)
from rankagg.teaching.rules.nearest_winner import dodgson_steps, young_steps
from rankagg.teaching.rules.points import (
    borda_steps,
    bucklin_steps,
    fusion_steps,
    pick_a_perm_steps,
    place_steps,
)
from rankagg.teaching.rules.ranked_pairs import ranked_pairs_steps
from rankagg.teaching.worked import Worked

__all__ = ["STEPS", "WITHOUT"]

STEPS: Final[Mapping[type[Aggregator], Callable[[Consensus], Worked]]] = MappingProxyType(
    {
        Approval: place_steps,
        Baldwin: baldwin_steps,
        Black: black_steps,
        Borda: borda_steps,
        Bucklin: bucklin_steps,
        Coombs: coombs_steps,
        Copeland: copeland_steps,
        Dodgson: dodgson_steps,
        Dowdall: place_steps,
        GeometricMean: geometric_mean_steps,
        HarmonicMean: harmonic_mean_steps,
        InstantRunoff: instant_runoff_steps,
        Kemeny: kemeny_steps,
        Mean: mean_steps,
        Median: median_steps,
        Minimax: minimax_steps,
        Nanson: nanson_steps,
        PairwiseMajority: majority_steps,
        PickAPerm: pick_a_perm_steps,
        Plurality: place_steps,
        Positional: place_steps,
        RankedPairs: ranked_pairs_steps,
        ReciprocalRankFusion: fusion_steps,
        Schulze: schulze_steps,
        Slater: slater_steps,
        Veto: place_steps,
        Young: young_steps,
    }
)

#: Rules that nobody works out by hand, and what they rest on.
WITHOUT: Final[Mapping[type[Aggregator], str]] = MappingProxyType(
    {
        FootruleOptimal: "an assignment of items to places by a program",
        InsertionSearch: "a search that tries many moves",
        KwikSort: "a search that splits around one item after the other",
        MC4: "the stationary distribution of a Markov chain",
        MallowsRanking: "a fitted distribution, whose center is Kemeny's ranking: see its steps",
        PlaceWeightedKemeny: "an exact search with a certificate of its own kind",
        PlackettLuceRanking: "a fitted distribution, whose maximum is found by iterations",
        TopK: "an exact search over lists, with a certificate of its own kind",
        TwoLevel: "other rules inside each task and over the tasks: see their steps",
    }
)
