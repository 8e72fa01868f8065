"""Which rules have steps, and what works them out; and why others have none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.condorcet import Copeland, PairwiseMajority
from rankagg.aggregation.footrule import FootruleOptimal
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.kemeny.placed.place_weights import PlaceWeightedKemeny
from rankagg.aggregation.kemeny.placed.top_k import TopK
from rankagg.aggregation.kemeny.slater import Slater
from rankagg.aggregation.margins import Minimax, Schulze
from rankagg.aggregation.markov import MC4
from rankagg.aggregation.means import GeometricMean, HarmonicMean, Mean, Median
from rankagg.aggregation.positional import Borda, Bucklin
from rankagg.aggregation.ranked_pairs import RankedPairs
from rankagg.aggregation.reciprocal import ReciprocalRankFusion
from rankagg.aggregation.result import Consensus
from rankagg.aggregation.searches import InsertionSearch, KwikSort, PickAPerm
from rankagg.aggregation.two_level import TwoLevel
from rankagg.aggregation.voting.approval import Approval
from rankagg.aggregation.voting.baldwin import Baldwin
from rankagg.aggregation.voting.black import Black
from rankagg.aggregation.voting.coombs import Coombs
from rankagg.aggregation.voting.dodgson import Dodgson
from rankagg.aggregation.voting.dowdall import Dowdall
from rankagg.aggregation.voting.instant_runoff import InstantRunoff
from rankagg.aggregation.voting.nanson import Nanson
from rankagg.aggregation.voting.plurality import Plurality
from rankagg.aggregation.voting.positional import Positional
from rankagg.aggregation.voting.veto import Veto
from rankagg.aggregation.voting.young import Young
from rankagg.distributions.ranking_rules import MallowsRanking, PlackettLuceRanking
from rankagg.teaching.rules.black import black_steps
from rankagg.teaching.rules.borda import borda_steps
from rankagg.teaching.rules.bucklin import bucklin_steps
from rankagg.teaching.rules.dodgson import dodgson_steps
from rankagg.teaching.rules.eliminations import baldwin_steps, coombs_steps, instant_runoff_steps
from rankagg.teaching.rules.kemeny import kemeny_steps
from rankagg.teaching.rules.majorities import copeland_steps, majority_steps, minimax_steps
from rankagg.teaching.rules.nanson import nanson_steps
from rankagg.teaching.rules.pick_a_perm import pick_a_perm_steps
from rankagg.teaching.rules.positions import fusion_steps, place_steps
from rankagg.teaching.rules.ranked_pairs import ranked_pairs_steps
from rankagg.teaching.rules.ratio_means import geometric_mean_steps, harmonic_mean_steps
from rankagg.teaching.rules.schulze import schulze_steps
from rankagg.teaching.rules.scores import mean_steps, median_steps
from rankagg.teaching.rules.slater import slater_steps
from rankagg.teaching.rules.young import young_steps
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
