"""Steps of rules: which rules have some, and how to show them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from rankagg._typing import Tolerance
from rankagg.aggregation import (
    Aggregator,
    Borda,
    Bucklin,
    Consensus,
    Copeland,
    Evidence,
    GeometricMean,
    HarmonicMean,
    Mean,
    Median,
    Minimax,
    PairwiseMajority,
    Schulze,
    WholeData,
    check_rule,
    metasearch,
)
from rankagg.aggregation.kemeny import Kemeny, Slater
from rankagg.aggregation.kemeny.top_k import TopK
from rankagg.aggregation.metasearch import MC4, FootruleOptimal, ReciprocalRankFusion
from rankagg.aggregation.ranked_pairs import RankedPairs
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
from rankagg.core import ScoreSummary, counted
from rankagg.distributions.ranking_rules import MallowsRanking, PlackettLuceRanking, RankCentrality
from rankagg.exceptions import Described, InvalidInputError
from rankagg.teaching import elimination_steps, least_steps, majority_steps, sum_steps
from rankagg.teaching.steps import Steps, Worked

#: More do not fit into tables that one reads.
MOST_ITEMS: Final = 8

# A function as Python prints it; its own name stands behind the last point.
FUNCTION = re.compile(r"<function (?:\S*\.)?(\S+) at 0x[0-9a-f]+>")
STEPS: Final[Mapping[type[Aggregator], Callable[[Consensus], Worked]]] = MappingProxyType(
    {
        Approval: sum_steps.place_steps,
        Baldwin: elimination_steps.baldwin_steps,
        Black: majority_steps.black_steps,
        Borda: sum_steps.borda_steps,
        Bucklin: sum_steps.bucklin_steps,
        Coombs: elimination_steps.coombs_steps,
        Copeland: majority_steps.copeland_steps,
        Dodgson: least_steps.dodgson_steps,
        Dowdall: sum_steps.place_steps,
        GeometricMean: sum_steps.geometric_mean_steps,
        HarmonicMean: sum_steps.harmonic_mean_steps,
        InstantRunoff: elimination_steps.instant_runoff_steps,
        Kemeny: least_steps.kemeny_steps,
        Mean: sum_steps.mean_steps,
        Median: sum_steps.median_steps,
        Minimax: majority_steps.minimax_steps,
        Nanson: elimination_steps.nanson_steps,
        PairwiseMajority: majority_steps.majority_steps,
        PickAPerm: sum_steps.pick_a_perm_steps,
        Plurality: sum_steps.place_steps,
        Positional: sum_steps.place_steps,
        RankedPairs: majority_steps.ranked_pairs_steps,
        ReciprocalRankFusion: sum_steps.fusion_steps,
        Schulze: majority_steps.schulze_steps,
        Slater: least_steps.slater_steps,
        Veto: sum_steps.place_steps,
        Young: least_steps.young_steps,
    }
)
#: Rules that nobody works out by hand, and what they rest on.
WITHOUT: Final[Mapping[type[Aggregator], str]] = MappingProxyType(
    {
        FootruleOptimal: "an assignment of items to places by a program",
        metasearch.CombSUM: "scores that are stretched from 0 to 1, and added up",
        metasearch.CombMNZ: "scores that are stretched from 0 to 1, and added up",
        InsertionSearch: "a search that tries many moves",
        KwikSort: "a search that splits around one item after the other",
        MC4: "the stationary distribution of a Markov chain",
        MallowsRanking: "a fitted distribution, whose center is Kemeny's ranking: see its steps",
        PlackettLuceRanking: "a fitted distribution, whose maximum is found by iterations",
        RankCentrality: "the stationary distribution of a Markov chain",
        TopK: "an integer program over lists",
        TwoLevel: "other rules inside each task and over the tasks: see their steps",
    }
)


def show_steps(rule: Aggregator, data: WholeData, *, tolerance: Tolerance = 0.0) -> Steps:
    """Show how a rule reaches its answer, in tables that one can follow by hand.

    The steps are computed from the definition of the rule, not by the code that finds its answer,
    and held against what it returns.

    Parameters
    ----------
    rule : Aggregator
        A rule: Approval, Baldwin, Black, Borda, Bucklin, Coombs, Copeland, Dodgson, Dowdall,
        GeometricMean, HarmonicMean, InstantRunoff, Kemeny, Mean, Median, Minimax, Nanson,
        PairwiseMajority, PickAPerm, Plurality, Positional, RankedPairs, ReciprocalRankFusion,
        Schulze, Slater, Veto or Young.
    data : ScoreTable, Profile, PairwiseMatrix or Comparisons
        The data, with at most eight items.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied; see `ScoreTable.rankings`.

    Returns
    -------
    Steps

    Raises
    ------
    InvalidInputError
        If there are more items, or the rule has no steps.
    InformationLostError
        If the rule needs more than the data hold.
    VerificationError
        If the steps come to something else than the rule; that is a fault of one of the two.

    Examples
    --------
    >>> import rankagg as ra
    >>> cycle = ra.Profile.from_orders(["ABC", "BCA", "CAB"], counts=[4, 3, 2])
    >>> steps = ra.teaching.show_steps(ra.RankedPairs(), cycle)
    >>> steps[3].to_frame()
      majority  margin   verdict          cycle
    0 B over C       5    locked
    1 A over B       3    locked
    2 C over A       1  left out  C > A > B > C
    >>> steps.answer
    'A > B > C'
    """
    work = STEPS.get(type(check_rule(rule)))
    if work is None:
        names = ", ".join(rule.__name__ for rule in STEPS)
        why = WITHOUT.get(type(rule))
        raise InvalidInputError(
            "rule",
            f"a rule with steps ({names})",
            Described(rule.name),
            "" if why is None else f"{type(rule).__name__} rests on {why}.",
        )
    if isinstance(data, ScoreSummary):
        raise InvalidInputError(
            "data", "scores, rankings or votes", data, "Read the scores with `read_scores`."
        )
    evidence = Evidence.of(data, tolerance)
    n_items = len(evidence.items)
    if n_items > MOST_ITEMS:
        raise InvalidInputError(
            "data",
            f"of at most {MOST_ITEMS} items",
            Described(counted(n_items, "item")),
            "`profile.restrict`, or `table.drop(systems=...)`, leaves some out.",
        )
    consensus = rule.aggregate(evidence)
    worked = work(consensus)
    worked.check(consensus)
    return Steps(
        title=f"{_name(rule)}, step by step",
        steps=worked.steps,
        answer=consensus.ranking._arrows(),
        consensus=consensus,
    )


def _name(rule: Aggregator) -> str:
    """Return the name of a rule, with its functions by theirs and without their place in memory."""
    return FUNCTION.sub(
        lambda found: "a function" if found[1] == "<lambda>" else found[1], rule.name
    )
