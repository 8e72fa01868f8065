"""Votes times a number of any size: the same orders, costs times the number, proofs that hold.

No array of integers may hold a scalar of NumPy, which wraps at 64 bits, or a float, which rounds.
"""

import json
from fractions import Fraction
from itertools import permutations
from random import Random

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.core import exact
from tests.aggregation.kemeny import forging

KINDS = ("plain", "ties", "above", "quotas", "all within")
SIZES = (2**31, 2**53, 2**60, 2**63, 10**99)
FACTORS = (2**31 - 1, 2**53 + 1, 3 * 2**60 + 7, 2**63, 10**90)


def rule(kind: str, n: int, rng: Random) -> ra.Aggregator:
    """Return an exact rule of a kind for n items, which are numbers."""
    items = rng.sample(range(n), n)
    k = rng.randrange(1, n)
    if kind == "ties":
        return ra.Kemeny(consensus_ties=True, consensus_tie_cost=rng.choice([0.1, 0.25, 0.3, 0.5]))
    some = rng.sample(items, rng.randrange(1, n + 1))
    wishes = {
        "plain": None,
        "above": ra.Constraints(above=[items[:2]], last=[items[2]]),
        "quotas": ra.Constraints(quotas=[ra.Quota(some, k, rng.randrange(min(k, len(some))) + 1)]),
        "all within": ra.Constraints(quotas=[ra.Quota(items[:k], k, k)]),
    }
    return ra.Kemeny(constraints=wishes[kind])


def check_scales(kind: str, seed: int, most: int) -> None:
    """Check that a factor changes nothing but the cost, and that both programs say so."""
    rng = Random(f"{kind} {seed}")
    n = rng.randrange(3, most + 1)
    wins = [[rng.randrange(9) * (i != j) for j in range(n)] for i in range(n)]
    exact_rule = rule(kind, n, rng)
    found = exact_rule.aggregate(ra.PairwiseMatrix.from_wins(wins))
    cost = found.certificate.scaled_cost
    for factor in FACTORS:
        # A vote more keeps the factor from being divided out again.
        scaled = [[factor * wins[i][j] for j in range(n)] for i in range(n)]
        ties = [[int({i, j} == {0, 1}) for j in range(n)] for i in range(n)]
        votes = ra.PairwiseMatrix.from_wins(np.array(scaled, dtype=object), ties=ties)
        other = exact_rule.aggregate(votes)
        certificate = other.certificate
        assert certificate.verify(votes)
        assert certificate.status == "optimal"
        if kind == "ties":  # where ties cost, one vote counts
            bare = ra.PairwiseMatrix.from_wins(np.array(scaled, dtype=object))
            certificate = exact_rule.aggregate(bare).certificate
            assert certificate.verify(bare)
        else:
            assert other.ranking == found.ranking
        share = Fraction(certificate.scaled_cost, certificate.denominator)
        assert share == factor * Fraction(cost, found.certificate.denominator)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [0, pytest.param(300, marks=pytest.mark.slow)])
def test_votes_of_every_size_have_valid_certificates(kind: str, seed: int) -> None:
    for each in range(300) if seed == 300 else [seed]:
        check_scales(kind, each, 9 if seed == 300 else 6)


# -- forgeries ------------------------------------------------------------------------------------


def large(size: int, **options) -> forging.Specimen:
    """Return a genuine certificate under constraints, of votes around a size."""
    rng = np.random.default_rng(size % 1000)
    votes = rng.integers(0, 6, size=(6, 6)).astype(object)
    numbers = rng.integers(0, 9, size=(6, 6)) + votes * size
    return forging.specimen(ra.PairwiseMatrix.from_wins(numbers), **options)


@pytest.mark.parametrize("count", [8, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("wish", [forging.WISH, forging.QUOTAS], ids=["pairs", "counts"])
@pytest.mark.parametrize("size", SIZES[2::2])
def test_false_mutants_under_constraints_are_refused(size: int, wish, count: int) -> None:
    case = large(size, constraints=wish)
    assert case.plain["scaled_cost"] > size
    assert forging.holds(case.plain, case)
    assert forging.holds_alone(case.plain, case)
    verdicts = forging.judge(forging, case, Random(f"{size} {count}"), count)
    assert count == 8 or verdicts[False] > 250


@pytest.mark.parametrize("size", [2**59, 2**61])
def test_sums_beyond_64_bits_prove_no_false_bound(size: int) -> None:
    """A count that says nothing, two nodes, a threshold, and sums that pass 64 bits."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        ones = rng.integers(0, 2, size=(5, 5)) * (1 - np.eye(5, dtype=int))
        wins = ones.astype(object) * size + np.array([[0, 1, 0, 0, 0], *[[0] * 5] * 4])
        votes = ra.PairwiseMatrix.from_wins(wins)
        problem = Problem.from_pairwise(votes)
        costs = {order: problem.cost(np.array(order)) for order in permutations(range(5))}
        least = min(costs.values())
        for order, cost in list(costs.items())[::17]:
            plain = ra.Certificate.build(votes, order, []).to_dict()
            count = {"items": [0, 1, 2, 3, 4], "within": 1, "at_least": 1}
            fixing = {"cycles": [], "rows": [], "threshold": least, "rest": 1}
            nodes = [fixing, {"cycles": [], "rows": []}]
            forged = plain | {
                "scaled_lower_bound": cost, "lower_bound": plain["cost"], "status": "optimal",
                "constraints": {"above": [], "first": [], "last": [], "counts": [count]},
                "proofs": [{"positions": list(range(6)), "rows": [], "nodes": nodes}],
            }  # fmt: skip
            case = forging.Specimen(forged, votes, {}, Fraction(least))
            verdict = forging.holds(json.loads(json.dumps(forged)), case)
            assert not verdict or cost == least


# -- types of numbers -----------------------------------------------------------------------------


def test_exact_arrays_hold_no_numpy_scalars_and_no_floats() -> None:
    mixed = np.array([2**70, np.int64(3), np.uint8(4), True], dtype=object)
    assert {type(x) for x in exact.fit(mixed)} == {int}
    assert {type(x) for x in exact.widen(np.arange(3))} == {int}
    assert exact.fit(np.array([np.int64(3)], dtype=object)).dtype == np.int64
    for bad in ([2**70, 0.5], [1.0], ["1"], [None]):
        with pytest.raises(TypeError):
            exact.fit(bad)
    with pytest.raises(TypeError):
        exact.fit(np.array([1.0]))
