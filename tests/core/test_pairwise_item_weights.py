"""Weights of items: what every ranking costs, the exact optimum, and what is refused."""

from fractions import Fraction
from itertools import permutations
from random import Random

import numpy as np
import pytest

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from tests.aggregation.kemeny.constrained_brute import random_votes


@pytest.mark.parametrize("seed", range(25))
def test_a_pair_costs_the_product_of_its_weights(seed: int) -> None:
    items, votes = random_votes(seed)
    rng = Random(seed)
    weights = {item: rng.choice([0.1, 0.5, 1.5, 2, 3]) for item in items if rng.random() < 0.7}
    exact = {item: Fraction(weights.get(item, 1)).limit_denominator(10) for item in items}
    heavy = ra.weigh_items(votes, weights)
    over = votes.denominator
    costs = {}
    for order in permutations(items):
        costs[order] = sum(
            Fraction(int(votes.scaled_wins[items.index(b), items.index(a)]), over)
            * exact[a] * exact[b]
            for at, a in enumerate(order)
            for b in order[at + 1 :]
        )  # fmt: skip
        ranking = ra.Permutation.from_order(order, items=votes.items)
        assert heavy.exact_cost(ranking) == costs[order]
    consensus = ra.Kemeny(unranked=votes.unranked).aggregate(heavy)
    assert heavy.exact_cost(consensus.ranking) == min(costs.values())
    assert consensus.certificate.verify(heavy)
    assert heavy.rounding == votes.rounding == 0


def test_equal_weights_change_nothing_but_the_scale() -> None:
    votes = ra.datasets.load("condorcet_1785").pairwise()
    assert ra.weigh_items(votes, {}).wins.tolist() == votes.wins.tolist()
    twice = ra.weigh_items(votes, dict.fromkeys(votes.items, 2))
    assert twice.wins.tolist() == (4 * votes.wins).tolist()
    assert twice.squared_weights.tolist() == (16 * votes.squared_weights).tolist()


def test_irrational_weights_state_by_how_much_they_are_off() -> None:
    votes = ra.datasets.load("tennessee").pairwise()
    weights = dict(zip(votes.items, np.sqrt([2.0, 3.0, 5.0, 7.0]), strict=True))
    heavy = ra.weigh_items(votes, weights)
    vector = [Fraction(weight) for weight in weights.values()]
    for i, j in permutations(range(4), 2):
        true = vector[i] * vector[j] * int(votes.scaled_wins[i, j]) / votes.denominator
        own = Fraction(int(heavy.scaled_wins[i, j]), heavy.denominator)
        assert abs(true - own) <= Fraction(heavy.rounding)
    consensus = ra.Kemeny().aggregate(heavy)
    assert consensus.certificate.verify(heavy)


@pytest.mark.parametrize(
    ("votes", "weights", "words"),
    [
        (None, {}, "a PairwiseMatrix"),
        ("votes", [1, 2], "a mapping"),
        ("votes", {"Memphs": 2}, "Did you mean 'Memphis'"),
        ("votes", {"Memphis": 0}, "weight of Memphis"),
        ("votes", {"Memphis": float("nan")}, "weight of Memphis"),
    ],
)
def test_malformed_weights_are_refused(votes: object, weights: object, words: str) -> None:
    given = ra.datasets.load("tennessee").pairwise() if votes == "votes" else votes
    with pytest.raises(InvalidInputError, match=words):
        ra.weigh_items(given, weights)
