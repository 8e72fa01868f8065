"""The contract of rules finds rules that break it."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

import rankagg as ra
from rankagg.aggregation import Aggregator, Needs, Outcome
from rankagg.testing.aggregators import AggregatorContract


@dataclass(frozen=True, kw_only=True)
class Deaf(Aggregator):
    """Counts first places, which no policy changes."""

    needs: ClassVar[Needs] = "rankings"

    def _aggregate(self, evidence, rng):
        return Outcome(scores=(evidence.profile.ranks == 0).sum(axis=0).astype(float))


def test_a_rule_that_ignores_the_policy_is_found():
    contract = AggregatorContract()
    contract.test_policies_for_unranked_items_are_not_all_alike(ra.Borda())
    with pytest.raises(AssertionError, match="Deaf ignores the policy"):
        contract.test_policies_for_unranked_items_are_not_all_alike(Deaf())
