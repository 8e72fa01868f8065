"""Forged certificates: accepted ones are true, and the two checkers agree."""

import json
from dataclasses import fields, replace
from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pytest

import rankagg as ra
from rankagg import check_certificate
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proof import Proof
from rankagg.check_certificate import Branch, Fixing, Leaf
from rankagg.exceptions import DataFormatError, VerificationError
from tests.aggregation.kemeny import forging as strict
from tests.aggregation.kemeny import weak_forging as weak
from tests.conftest import seeds

KINDS = (
    "majorities alone", "one cycle", "cycles", "ties that cost", "rounded weights",
    "integers beyond doubles", "cases", "a gap", "enumeration", "fixings", "rows of rows",
    "every optimum", "constraints", "quotas",
)  # fmt: skip
WEAK_KINDS = (
    "pairs alone", "rows", "two prices", "rounded weights", "integers beyond doubles", "cases",
    "a gap", "fixings",
)  # fmt: skip
KITS = ((strict, KINDS), (weak, WEAK_KINDS))
EVERY = [(kit, kind) for kit, kinds in KITS for kind in kinds]


def certificates(kit, *kinds: str) -> list:
    return [(kit, kind) for kind in kinds]


def slow_ones(kit, *kinds: str) -> list:
    return [pytest.param(kit, kind, marks=pytest.mark.slow) for kind in kinds]


@pytest.mark.parametrize(("kit", "kind"), EVERY)
def test_genuine_certificates_are_accepted(kit, kind: str) -> None:
    case = kit.specimens()[kind]
    assert kit.holds(case.plain, case)
    assert strict.holds_alone(case.plain, case)
    assert kit.is_true(case.plain, case)
    again = kit.Kind.from_dict(case.plain)
    assert json.loads(json.dumps(again.to_dict())) == case.plain


@pytest.mark.parametrize("many", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("kit", "kind"), EVERY)
def test_false_mutants_are_refused(kit, kind: str, many: bool) -> None:
    count = (300 if many else 5) if kind == "cases" else 2_000 if many else 15
    rng = Random(f"slow {kind}" if many else kind)
    assert strict.judge(kit, kit.specimens()[kind], rng, count)[False] > count / 2


@pytest.mark.parametrize(
    ("kit", "kind"),
    certificates(strict, "fixings")
    + certificates(weak, "fixings")
    + slow_ones(strict, "one cycle", "every optimum"),
)
def test_mutated_bytes_prove_nothing_false(kit, kind: str) -> None:
    case = kit.specimens()[kind]
    rng = Random(7)
    text = json.dumps(case.plain)
    for _ in range(100):
        cut = rng.randrange(len(text))
        put = rng.choice(["", "NaN", "1e3", "-", "0", "9" * 2000, "true", '"', "[" * 9999, "\x00"])
        forged = text[:cut] + put + text[cut + rng.randrange(4) :]
        try:
            verdict = kit.Kind.from_json(forged).verify(case.votes)
        except (DataFormatError, VerificationError):
            verdict = False
        try:
            alone = strict.holds_alone(check_certificate._parse(forged), case)
        except check_certificate.RefusedError:
            alone = False
        assert verdict == alone, forged
        assert not verdict or kit.is_true(json.loads(forged), case), forged


def genuine_leaf(votes: ra.PairwiseMatrix) -> Leaf:
    nodes = [
        node for proof in ra.Kemeny().aggregate(votes).certificate.proofs for node in proof.nodes
    ]
    return next((node for node in nodes if isinstance(node, Leaf)), Leaf())


@pytest.mark.parametrize("seed", seeds(8, 60))
def test_both_checkers_prove_the_same_bound(seed: int) -> None:
    rng = Random(seed)
    wins = [
        [rng.choice((1, 2)) * rng.randrange(6) for _ in range(strict.N)] for _ in range(strict.N)
    ]
    votes = ra.PairwiseMatrix.from_wins(wins)
    problem = Problem.from_pairwise(votes)
    order = rng.sample(range(strict.N), strict.N)
    threshold = problem.floor + rng.randrange(-1, 12) * max(problem.step, 1)
    good = genuine_leaf(votes)
    rows = strict.random_rows(rng)
    chain = strict.early_chain(rng, problem) if rng.random() < 0.7 else ()
    tree = tuple(
        replace(node, leaf=good) if isinstance(node, Fixing) and rng.random() < 0.5 else node
        for node in strict.random_tree(rng, max(threshold, 0), len(rows), len(chain))
    )
    proof = Proof(tuple(range(strict.N)), (*chain, *tree), rows)
    certificate = ra.Certificate.build(votes, order, [proof])
    case = strict.of_certificate(certificate, votes)
    assert strict.is_true(case.plain, case)
    assert strict.holds(case.plain, case)
    assert strict.holds_alone(case.plain, case)
    if certificate.gap:
        more = replace(certificate, scaled_lower_bound=certificate.scaled_lower_bound + 1)
        assert not strict.holds(more.to_dict(), case)
        assert not strict.holds_alone(more.to_dict(), case)


def test_the_checker_fixes_no_more_than_the_package() -> None:
    """Thresholds from the optimum on, by good weights: what is fixed decides what is left."""
    for seed in range(12):
        rng = Random(seed)
        wins = [[rng.choice((1, 2)) * rng.randrange(6) for _ in range(5)] for _ in range(5)]
        votes = ra.PairwiseMatrix.from_wins(wins)
        good, step = genuine_leaf(votes), max(Problem.from_pairwise(votes).step, 1)
        cost = ra.Kemeny().aggregate(votes).certificate.scaled_cost
        for threshold in range(cost, cost + 4 * step, step):
            proof = Proof(tuple(range(5)), (Fixing(good, threshold, 1), good))
            found = ra.Certificate.build(votes, rng.sample(range(5), 5), [proof])
            case = strict.of_certificate(found, votes)
            assert strict.holds_alone(case.plain, case)
            if found.gap:
                more = replace(found, scaled_lower_bound=found.scaled_lower_bound + 1)
                assert not strict.holds_alone(more.to_dict(), case)


# -- objects that no reader has seen --------------------------------------------------------------

NO_VALUES = (
    float("nan"), float("inf"), True, None, -1, 10**1000, 10**5000, 0.5, "x", "0", (), [], {},
    np.int64(1), np.array([0, 1, 2]), (float("nan"),), ((0, 1, 2),), Fraction(1, 3), Leaf(),
    Fraction(-1), Fraction(10**5000), (True, False, 2), object(), range(3), b"x",
    ((0,), (1,), (2,), (3, 4)), ([0, 1, 2, 3, 4],), ((1, 0, 2, 3, 4),),
)  # fmt: skip


def refused(certificate, kit, case) -> None:
    try:
        certificate.verify(case.votes)
    except VerificationError:
        return
    assert kit.is_true(certificate.to_dict(), case), certificate


@pytest.mark.parametrize(
    ("kit", "kind"),
    certificates(strict, "fixings", "every optimum")
    + certificates(weak, "fixings")
    + slow_ones(strict, "one cycle", "rounded weights", "enumeration")
    + slow_ones(weak, "rows"),
)
def test_verify_checks_every_field_given_to_the_constructor(kit, kind: str) -> None:
    case = kit.specimens()[kind]
    genuine = kit.Kind.from_dict(case.plain)
    for field in fields(genuine):
        for value in NO_VALUES:
            refused(replace(genuine, **{field.name: value}), kit, case)
    (proof,) = genuine.proofs
    changed = [replace(proof, **{f.name: value}) for f in fields(proof) for value in NO_VALUES]
    for at, node in enumerate(proof.nodes):
        nodes = [replace(node, **{f.name: value}) for f in fields(node) for value in NO_VALUES]
        if isinstance(node, Fixing):
            leaves = product(fields(node.leaf), NO_VALUES)
            nodes += [replace(node, leaf=replace(node.leaf, **{f.name: v})) for f, v in leaves]
        before, behind = proof.nodes[:at], proof.nodes[at + 1 :]
        changed += [replace(proof, nodes=(*before, other, *behind)) for other in nodes]
    for other in changed:
        refused(replace(genuine, proofs=(other,)), kit, case)


def test_numpy_integers_and_floats_are_no_certificate() -> None:
    case = strict.specimens()["one cycle"]
    genuine = ra.Certificate.from_dict(case.plain)
    for changes in (
        {"order": tuple(np.array(genuine.order))}, {"tolerance": 0.0}, {"tie_cost": 0.5},
        {"scaled_cost": np.int64(76)}, {"proofs": 1},
    ):  # fmt: skip
        with pytest.raises(VerificationError, match=r"must be|cannot be written to a file"):
            replace(genuine, **changes).verify(case.votes)


# -- files that are made to be slow ---------------------------------------------------------------


@pytest.mark.parametrize(("kit", "kind"), [(strict, "one cycle"), (weak, "rows")])
def test_a_deep_tree_is_walked_without_recursion(kit, kind: str) -> None:
    case = kit.specimens()[kind]
    genuine = kit.Kind.from_dict(case.plain)
    (proof,) = genuine.proofs
    leaf, depth = proof.nodes[-1], 600
    nodes: list = []
    for at in range(0, 2 * depth, 2):
        nodes += [Branch(*proof.positions[:2], at + 2, at + 1), leaf]
    deep = replace(genuine, proofs=(replace(proof, nodes=(*nodes, leaf)),))
    assert deep.verify(case.votes)
    assert strict.holds_alone(deep.to_dict(), case)


def test_a_node_has_one_parent() -> None:
    case = strict.specimens()["one cycle"]
    levels = 60  # two to the sixtieth paths
    nodes = [{"pair": [0, 1], "before": at + 1, "after": at + 1} for at in range(levels)]
    tree = [*nodes, {"cycles": [], "rows": []}]
    data = {**case.plain, "proofs": [{"positions": [0, 1, 2], "rows": [], "nodes": tree}]}
    with pytest.raises(DataFormatError, match=r"nodes\[0\].after` must be a node that is not the"):
        ra.Certificate.from_dict(data)
    assert not strict.holds_alone(data, case)
