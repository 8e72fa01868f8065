"""The contract suite for every public rule."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.aggregation import ReadsUnranked
from rankagg.analysis.rules import RULES
from rankagg.testing.aggregators import SETTINGS, AggregatorContract, _rearranged
from tests.rules import falling


@dataclass(frozen=True, kw_only=True)
class ListedDodgson(ra.Dodgson):
    """Dodgson's rule, which refuses unranked items, of lists."""

    reads_unranked: ClassVar[ReadsUnranked] = "last"


@dataclass(frozen=True, kw_only=True)
class ListedFootrule(ra.FootruleOptimal):
    """The footrule optimum, which refuses unranked items, of lists."""

    reads_unranked: ClassVar[ReadsUnranked] = "last"


@dataclass(frozen=True)
class Falling(ra.Positional):
    """A positional rule whose function of places is no part of its text."""

    weights: Callable[[int], Sequence[float]] = field(default=falling, repr=False)


class TestRules(AggregatorContract):
    rules = (
        ra.Mean(), ra.GeometricMean(), ra.HarmonicMean(), ra.Median(),
        ra.AdjustedMean(), ra.STAR(), ra.MajorityJudgment(),
        ra.Borda(), ra.Bucklin(), ra.ReciprocalRankFusion(), ra.ReciprocalRankFusion(k=0),
        ra.CombSUM(), ra.CombMNZ(), ra.Copeland(), ra.Copeland(draw_points=0.0),
        ra.PairwiseMajority(),
        ra.TwoLevel(ra.Borda(), ra.Borda()), ra.TwoLevel(ra.Borda(), ra.Copeland()),
        ra.TwoLevel(ra.Mean(), ra.Borda(), absent="unranked"), ra.Minimax(), ra.Schulze(),
        ra.RankedPairs(), ra.MC4(), ra.Kemeny(), ra.Kemeny(tie_cost=0.5),
        ra.Kemeny(backend="subset-dp"), ra.Dowdall(), Falling(), ra.Coombs(),
        ra.Baldwin(), ra.Nanson(), ra.Black(), ListedDodgson(),
        ra.distributions.PlackettLuceRanking(),
        ra.distributions.PlackettLuceRanking(pseudo_rankings=2.0),
        ra.RankCentrality(), ra.RankCentrality(pseudo_wins=2.0),
    )  # fmt: skip


class TestKemenyWithTies(AggregatorContract):
    rules = (
        ra.Kemeny(consensus_ties=True, tie_cost=0.5),
        ra.Kemeny(consensus_ties=True, tie_cost=1.0, consensus_tie_cost=0.25),
    )


class TestKemenyUnderConstraints(AggregatorContract):
    rules = (ra.Kemeny(constraints=ra.Constraints()),)
    # All optima are known only without constraints.
    is_specific = False


class TestRulesOfManyResults(AggregatorContract):
    rules = (
        ra.InsertionSearch(), ra.InsertionSearch(start=ra.Copeland()),
        ra.KwikSort(), ra.KwikSort(pivot="best"), ra.PickAPerm(), ListedFootrule(),
        ra.Slater(),
    )  # fmt: skip
    is_specific = False


class TestRulesOfAWinner(AggregatorContract):
    rules = (
        ra.Plurality(), ra.Approval(1), ra.InstantRunoff(),
        ra.InstantRunoff(tie_breaking="parallel"), ra.Young(),
    )  # fmt: skip
    unanimity = "first"


class TestTopK(AggregatorContract):
    rules = (ra.TopK(1, tie_cost=0.25, consensus_tie_cost=1.0),)
    is_specific = False
    unanimity = "first"


class TestVeto(AggregatorContract):
    rules = (ra.Veto(),)
    unanimity = "last"


class TestMallowsRanking(AggregatorContract):
    rules = (ra.distributions.MallowsRanking(),)

    @SETTINGS
    @given(columns=st.lists(st.permutations(range(4)), min_size=1, max_size=4), data=st.data())
    def test_neutrality(self, rule, columns, data) -> None:
        """Without ties: which of several equally likely centers comes back is unspecified."""
        table = ra.ScoreTable(np.array(columns).T, higher_is_better=True)
        rows = data.draw(st.permutations(range(4)))
        other = _rearranged(table, rows, list(range(table.n_tasks)))
        assert rule.aggregate(other).cost == rule.aggregate(table).cost


def test_every_public_rule_has_a_contract() -> None:
    rules = [rule for suite in AggregatorContract.__subclasses__() for rule in suite.rules]
    tested = {kind for rule in rules for kind in type(rule).__mro__}
    public = {
        value
        for module in (ra, ra.distributions)
        for name in module.__all__
        if isinstance(value := getattr(module, name), type) and issubclass(value, ra.Aggregator)
    }
    assert public - {ra.Aggregator} == set(RULES)
    assert set(RULES) <= tested
