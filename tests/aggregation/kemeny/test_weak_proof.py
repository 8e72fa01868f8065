"""Proofs against brute force: no bound is too high for any weights, cases and thresholds."""

import json
from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation.kemeny import weak_proof
from rankagg.aggregation.kemeny.proof import Weighting
from rankagg.aggregation.kemeny.weak_proof import Known, WeakProblem, WeakProof
from rankagg.check_certificate import Fixing
from rankagg.exceptions import DataFormatError, VerificationError
from tests.aggregation.kemeny import weak_forging
from tests.aggregation.kemeny.forging import holds_alone
from tests.aggregation.kemeny.weak_brute import PRICES, weak_orders
from tests.aggregation.kemeny.weak_forging import N, random_leaf, random_tree
from tests.conftest import seeds


def random_problem(rng: Random, n: int = N) -> weak_proof.WeakProblem:
    step = rng.choice((1, 1, 2, 5))
    above = np.array([[step * rng.randrange(6) * (i != j) for j in range(n)] for i in range(n)])
    half = np.array([[step * rng.randrange(6) * (i < j) for j in range(n)] for i in range(n)])
    return weak_proof.WeakProblem(above, half + half.T, 1)


def costs_of(problem: weak_proof.WeakProblem) -> dict[tuple[int, ...], int]:
    return {w: problem.cost(np.array(w)) for w in weak_orders(problem.n)}


@pytest.mark.parametrize("seed", seeds(5, 30))
def test_made_up_trees_bound_every_weak_order(seed: int) -> None:
    rng = Random(seed)
    problem = random_problem(rng)
    least = min(costs_of(problem).values())
    threshold = least + rng.randrange(-2, 8)
    proof = weak_proof.WeakProof(tuple(range(N)), random_tree(rng, max(threshold, 0)))
    try:
        assert proof.bound(problem) <= least
    except VerificationError:
        pytest.fail("some case holds a weak order")


@pytest.mark.parametrize("seed", seeds(3, 30))
def test_orders_set_aside_cost_at_least_the_threshold(seed: int) -> None:
    rng = Random(seed)
    problem = random_problem(rng)
    costs = costs_of(problem)
    weighting = Weighting.of(random_leaf(rng), np.arange(N))
    threshold = min(costs.values()) + rng.randrange(0, 12)
    known = random_known(rng)
    fixed = WeakProof.fixed(problem, weighting, known, threshold)
    for levels, cost in costs.items():
        z = np.less_equal.outer(levels, levels)
        if known.holds(z):
            assert WeakProof.least(problem, weighting, known) <= cost
            if cost < threshold:
                assert fixed is not None
                assert fixed.holds(z)


def random_known(rng: Random, n: int = N) -> weak_proof.Known:
    known = WeakProof.nothing(n)
    for _ in range(rng.randrange(4)):
        more = WeakProof.answered(known, *rng.sample(range(n), 2), holds=rng.random() >= 0.5)
        known = known if more is None else more
    return known


@pytest.mark.parametrize("seed", seeds(15, 60))
def test_known_pairs_are_closed_and_exclude_no_weak_order(seed: int) -> None:
    rng = Random(seed)
    n = 4
    known, claims = WeakProof.nothing(n), []
    for _ in range(rng.randrange(1, 6)):
        i, j = rng.sample(range(n), 2)
        below = rng.random() < 0.5
        claims.append((i, j, below))
        left = [
            w for w in weak_orders(n) if all((w[a] > w[b]) == is_below for a, b, is_below in claims)
        ]
        more = WeakProof.answered(known, i, j, holds=not below)
        assert (more is None) == (not left)
        if more is None:
            return
        # What all that are left have in common is what is known, and `consequences` finds the same.
        z = np.array([np.less_equal.outer(w, w) for w in left])
        assert np.array_equal(more.not_below, z.all(axis=0))
        assert np.array_equal(more.above, ~z.any(axis=0).T)
        not_below, above = np.zeros((2, n, n), dtype=bool)
        for a, b, is_below in claims:
            (above if is_below else not_below)[(b, a) if is_below else (a, b)] = True
        again = Known.following(not_below, above)
        assert np.array_equal(again.not_below, more.not_below)
        assert np.array_equal(again.above, more.above)
        known = more


# -- certificates of made-up trees ----------------------------------------------------------------


@pytest.mark.parametrize("seed", seeds(5, 40))
def test_both_checkers_prove_the_same_bound_of_made_up_trees(seed: int) -> None:
    rng = Random(seed)
    step = rng.choice((1, 2))
    wins = [[step * rng.randrange(6) for _ in range(weak_forging.N)] for _ in range(weak_forging.N)]
    ties = np.triu(
        [[step * rng.randrange(4) for _ in range(weak_forging.N)] for _ in range(weak_forging.N)],
        k=1,
    )
    votes = ra.PairwiseMatrix.from_wins(wins, ties=ties + ties.T)
    prices = rng.choice(PRICES)
    problem = WeakProblem.from_pairwise(votes, *prices)
    levels = [rng.randrange(weak_forging.N) for _ in range(weak_forging.N)]
    threshold = problem.floor + rng.randrange(-1, 12) * max(problem.step, 1)
    good = weak_forging.genuine_leaf(votes, prices)
    tree = tuple(
        replace(node, leaf=good) if isinstance(node, Fixing) and rng.random() < 0.5 else node
        for node in weak_forging.random_tree(rng, max(threshold, 0))
    )
    certificate = weak_forging.build(
        votes, levels, [WeakProof(tuple(range(weak_forging.N)), tree)], prices
    )
    case = weak_forging.of_certificate(certificate, votes)
    if not 0 <= certificate.scaled_lower_bound <= certificate.scaled_cost:
        return  # no file states a bound above the cost
    assert weak_forging.is_true(case.plain, case)
    assert weak_forging.holds(case.plain, case)
    assert holds_alone(case.plain, case)
    if certificate.gap:
        more = replace(certificate, scaled_lower_bound=certificate.scaled_lower_bound + 1)
        assert not weak_forging.holds(more.to_dict(), case)
        assert not holds_alone(more.to_dict(), case)


def test_certificates_of_strict_orders_are_of_another_kind() -> None:
    case = weak_forging.specimens()["rows"]
    strict = ra.Kemeny(tie_cost=0.5).aggregate(case.votes).certificate.to_dict()
    with pytest.raises(DataFormatError, match=r"must be 'rankagg\.weak_certificate'"):
        ra.TiedCertificate.from_dict(strict)
    with pytest.raises(DataFormatError, match=r"must be 'rankagg\.certificate'"):
        ra.Certificate.from_dict(case.plain)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"fingerprint": "0" * 64}, "for other votes"),
        ({"denominator": 7, "cost": "0", "lower_bound": "0"}, "malformed|over 1, not 7"),
        ({"tolerance": "1/8"}, "known to within"),
        ({"items": ["V", "W", "X", "Y", "Z"]}, "The votes and the certificate"),
        ({"buckets": [[0, 1, 2, 3, 4]]}, "The weak order costs"),
    ],
)
def test_each_false_statement_is_named(changes, words: str) -> None:
    case = weak_forging.specimens()["rows"]
    data = {**case.plain, **changes}
    data["cost"] = str(Fraction(data["scaled_cost"], data["denominator"]))
    data["lower_bound"] = str(Fraction(data["scaled_lower_bound"], data["denominator"]))
    with pytest.raises(VerificationError, match=words):
        ra.TiedCertificate.from_dict(data).verify(case.votes)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("buckets", 0), [], r"`buckets\[0\]` must be a list of one or more positions"),
        (("buckets", 0), [1, 0], r"`buckets\[0\]` must be a list of one or more positions"),
        (("buckets",), [[0, 1], [3, 4]], "each of the positions 0 to 4 once"),
        (("consensus_tie_cost",), "3/2", "`consensus_tie_cost` must be at most 1"),
        (("version",), 3, "`version` must be 1"),
        (("proofs", 0, "nodes", 0, "rows", 0), [0, 1, 0, 5], "three different positions"),
        (("proofs", 0, "nodes", 0, "rows", 0), [0, 1, 2, 0], "a weight of at least 1"),
    ],
)
def test_each_fault_of_form_is_named(path, value, words: str) -> None:
    data = json.loads(json.dumps(weak_forging.specimens()["rows"].plain))
    where = data
    for key in path[:-1]:
        where = where[key]
    where[path[-1]] = value
    with pytest.raises(DataFormatError, match=words):
        ra.TiedCertificate.from_dict(data)
