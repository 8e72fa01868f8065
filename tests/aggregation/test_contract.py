"""The contract suite for every rule that is there."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.testing.aggregators import SETTINGS, AggregatorContract, rearranged

# Rules on votes meet a policy in the votes alone: Copeland and Kemeny go through all of them.
POLICIES = ("uniform", "ignore", "last")


class TestRules(AggregatorContract):
    rules = (
        ra.Mean(), ra.GeometricMean(), ra.HarmonicMean(), ra.Median(),
        *(ra.Borda(unranked=policy) for policy in POLICIES), ra.Bucklin(),
        ra.ReciprocalRankFusion(), ra.ReciprocalRankFusion(k=0), ra.CombSUM(), ra.CombMNZ(),
        *(ra.Copeland(unranked=policy) for policy in POLICIES), ra.Copeland(alpha=0.0),
        ra.PairwiseMajority(unranked="ignore"), ra.TwoLevel(ra.Borda(), ra.Borda()),
        ra.TwoLevel(ra.Borda(unranked="last"), ra.Copeland(unranked="last")),
        ra.TwoLevel(ra.Mean(), ra.Borda(), absent="unranked"), ra.Minimax(unranked="last"),
        ra.Schulze(unranked="ignore"), ra.RankedPairs(unranked="uniform"),
        ra.MC4(unranked="last"), ra.MC4(teleport=0.2),
        *(ra.Kemeny(unranked=policy) for policy in POLICIES), ra.Kemeny(tie_cost=0.5),
        ra.Kemeny(backend="naive"), ra.Dowdall(), ra.Positional("borda", unranked="ignore"),
        ra.Coombs(), ra.Coombs(majority=False, unranked="ignore"), ra.Baldwin(),
        ra.Nanson(unranked="last"), ra.Black(), ra.Dodgson(unranked="last"),
        ra.PlackettLuceRanking(), ra.PlackettLuceRanking(pseudo_rankings=2.0),
        ra.RankCentrality(), ra.RankCentrality(pseudo_wins=2.0, unranked="ignore"),
    )  # fmt: skip


class TestKemenyWithTies(AggregatorContract):
    rules = (
        ra.Kemeny(consensus_ties=True, tie_cost=0.5),
        ra.Kemeny(consensus_ties=True, tie_cost=1.0, consensus_tie_cost=0.25, unranked="last"),
    )


class TestKemenyUnderConstraints(AggregatorContract):
    rules = (ra.Kemeny(constraints=ra.Constraints()),)


class TestRulesOfManyResults(AggregatorContract):
    rules = (
        ra.InsertionSearch(),
        ra.InsertionSearch(start=ra.Copeland(unranked="last"), moves="adjacent"),
        ra.KwikSort(), ra.KwikSort(pivot="best", unranked="ignore"),
        *(ra.PickAPerm(unranked=policy) for policy in POLICIES),
        *(ra.FootruleOptimal(unranked=policy) for policy in POLICIES), ra.Slater(unranked="last"),
    )  # fmt: skip
    is_specific = False


class TestRulesOfAWinner(AggregatorContract):
    rules = (
        ra.Plurality(), ra.Approval(1, unranked="ignore"), ra.InstantRunoff(),
        ra.InstantRunoff(tie_breaking="parallel", unranked="last"), ra.Young(unranked="ignore"),
    )  # fmt: skip
    unanimity = "first"


class TestTopK(AggregatorContract):
    rules = (ra.TopK(k=1, tie_cost=0.25, consensus_tie_cost=1.0),)
    is_specific = False
    unanimity = "first"


class TestVeto(AggregatorContract):
    rules = (ra.Veto(unranked="last"),)
    unanimity = "last"


class TestMallowsRanking(AggregatorContract):
    rules = (ra.MallowsRanking(),)

    @SETTINGS
    @given(columns=st.lists(st.permutations(range(4)), min_size=1, max_size=4), data=st.data())
    def test_neutrality(self, rule, columns, data) -> None:
        """Without ties: which of several equally likely centers comes back is unspecified."""
        table = ra.ScoreTable(np.array(columns).T, higher_is_better=True)
        rows = data.draw(st.permutations(range(4)))
        other = rearranged(table, rows, list(range(table.n_tasks)))
        assert rule.aggregate(other).cost == rule.aggregate(table).cost


def test_every_public_rule_has_a_contract() -> None:
    tested = {type(rule) for suite in AggregatorContract.__subclasses__() for rule in suite.rules}
    public = {
        value
        for name in ra.__all__
        if isinstance(value := getattr(ra, name), type) and issubclass(value, ra.Aggregator)
    }
    assert public - {ra.Aggregator} == tested
