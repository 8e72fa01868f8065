"""The contract suite for every rule that is there."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.testing.aggregators import SETTINGS, AggregatorContract, rearranged

# Rules on votes meet a policy in the votes alone: Copeland and Kemeny go through all of them.
POLICIES = ("uniform", "ignore", "last")


class TestMean(AggregatorContract):
    rules = (ra.Mean(),)


class TestGeometricMean(AggregatorContract):
    rules = (ra.GeometricMean(),)


class TestHarmonicMean(AggregatorContract):
    rules = (ra.HarmonicMean(),)


class TestMedian(AggregatorContract):
    rules = (ra.Median(),)


class TestBorda(AggregatorContract):
    rules = tuple(ra.Borda(unranked=policy) for policy in POLICIES)


class TestBucklin(AggregatorContract):
    rules = (ra.Bucklin(),)


class TestReciprocalRankFusion(AggregatorContract):
    rules = (ra.ReciprocalRankFusion(), ra.ReciprocalRankFusion(k=0))


class TestCombSUM(AggregatorContract):
    rules = (ra.CombSUM(),)


class TestCombMNZ(AggregatorContract):
    rules = (ra.CombMNZ(),)


class TestCopeland(AggregatorContract):
    rules = (*(ra.Copeland(unranked=policy) for policy in POLICIES), ra.Copeland(alpha=0.0))


class TestPairwiseMajority(AggregatorContract):
    rules = (ra.PairwiseMajority(unranked="ignore"),)


class TestTwoLevel(AggregatorContract):
    rules = (
        ra.TwoLevel(ra.Borda(), ra.Borda()),
        ra.TwoLevel(ra.Borda(unranked="last"), ra.Copeland(unranked="last")),
        ra.TwoLevel(ra.Mean(), ra.Borda(), absent="unranked"),
    )


class TestMinimax(AggregatorContract):
    rules = (ra.Minimax(unranked="last"),)


class TestSchulze(AggregatorContract):
    rules = (ra.Schulze(unranked="ignore"),)


class TestRankedPairs(AggregatorContract):
    rules = (ra.RankedPairs(unranked="uniform"),)


class TestMC4(AggregatorContract):
    rules = (ra.MC4(unranked="last"), ra.MC4(teleport=0.2))


class TestInsertionSearch(AggregatorContract):
    rules = (
        ra.InsertionSearch(),
        ra.InsertionSearch(start=ra.Copeland(unranked="last"), moves="adjacent"),
    )
    is_specific = False


class TestKwikSort(AggregatorContract):
    rules = (ra.KwikSort(), ra.KwikSort(pivot="best", unranked="ignore"))
    is_specific = False


class TestPickAPerm(AggregatorContract):
    rules = tuple(ra.PickAPerm(unranked=policy) for policy in POLICIES)
    is_specific = False


class TestFootruleOptimal(AggregatorContract):
    rules = tuple(ra.FootruleOptimal(unranked=policy) for policy in POLICIES)
    is_specific = False


class TestKemeny(AggregatorContract):
    rules = (
        *(ra.Kemeny(unranked=policy) for policy in POLICIES),
        ra.Kemeny(tie_cost=0.5),
        ra.Kemeny(backend="naive"),
    )


class TestKemenyWithTies(AggregatorContract):
    rules = (
        ra.Kemeny(consensus_ties=True, tie_cost=0.5),
        ra.Kemeny(consensus_ties=True, tie_cost=1.0, consensus_tie_cost=0.25, unranked="last"),
    )


class TestKemenyUnderConstraints(AggregatorContract):
    rules = (ra.Kemeny(constraints=ra.Constraints()),)


class TestSlater(AggregatorContract):
    rules = (ra.Slater(unranked="last"),)
    is_specific = False


class TestPlurality(AggregatorContract):
    rules = (ra.Plurality(),)
    unanimity = "first"


class TestApproval(AggregatorContract):
    rules = (ra.Approval(1, unranked="ignore"),)
    unanimity = "first"


class TestVeto(AggregatorContract):
    rules = (ra.Veto(unranked="last"),)
    unanimity = "last"


class TestDowdall(AggregatorContract):
    rules = (ra.Dowdall(),)


class TestPositional(AggregatorContract):
    rules = (ra.Positional("borda", unranked="ignore"),)


class TestInstantRunoff(AggregatorContract):
    rules = (ra.InstantRunoff(), ra.InstantRunoff(tie_breaking="parallel", unranked="last"))
    unanimity = "first"


class TestCoombs(AggregatorContract):
    rules = (ra.Coombs(), ra.Coombs(majority=False, unranked="ignore"))


class TestBaldwin(AggregatorContract):
    rules = (ra.Baldwin(),)


class TestNanson(AggregatorContract):
    rules = (ra.Nanson(unranked="last"),)


class TestBlack(AggregatorContract):
    rules = (ra.Black(),)


class TestYoung(AggregatorContract):
    rules = (ra.Young(unranked="ignore"),)
    unanimity = "first"


class TestDodgson(AggregatorContract):
    rules = (ra.Dodgson(unranked="last"),)


class TestTopK(AggregatorContract):
    rules = (ra.TopK(k=1, tie_cost=0.25, consensus_tie_cost=1.0),)
    is_specific = False
    unanimity = "first"


class TestPlaceWeightedKemeny(AggregatorContract):
    rules = (ra.PlaceWeightedKemeny(weights=[3, 3, 1, 0.5, 0.1, 0.1], unranked="last"),)
    is_specific = False


class TestPlackettLuceRanking(AggregatorContract):
    rules = (ra.PlackettLuceRanking(), ra.PlackettLuceRanking(pseudo_rankings=2.0))


class TestRankCentrality(AggregatorContract):
    rules = (ra.RankCentrality(), ra.RankCentrality(pseudo_wins=2.0, unranked="ignore"))


class TestMallowsRanking(AggregatorContract):
    rules = (ra.MallowsRanking(),)

    @SETTINGS
    @given(columns=st.lists(st.permutations(range(4)), min_size=1, max_size=4), data=st.data())
    def test_neutrality(
        self, rule: ra.Aggregator, columns: list[list[int]], data: st.DataObject
    ) -> None:
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
