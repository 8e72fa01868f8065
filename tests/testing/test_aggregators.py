"""The contract of rules: what it finds in rules that break it."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

import rankagg as ra
from rankagg.aggregation.base import Aggregator, Needs, Outcome
from rankagg.testing.aggregators import AggregatorContract


@dataclass(frozen=True, kw_only=True)
class Deaf(Aggregator):
    """Takes a policy, and counts as if it had none."""

    needs: ClassVar[Needs] = "rankings"
    unranked: str = "uniform"

    def _aggregate(self, evidence, rng):
        return Outcome(scores=evidence.votes("uniform").margins.sum(axis=1))


def test_a_rule_that_ignores_its_policy_is_found():
    contract = AggregatorContract()
    contract.test_policies_for_unranked_items_are_not_all_alike(ra.Borda())
    with pytest.raises(AssertionError, match="Deaf does not look at its `unranked`"):
        contract.test_policies_for_unranked_items_are_not_all_alike(Deaf())
