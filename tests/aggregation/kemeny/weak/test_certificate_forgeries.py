"""Whatever is done to a certificate, what passes is true, and the two checkers agree."""

import json
from collections import Counter
from dataclasses import fields, replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest

import rankagg as ra
from rankagg import check_certificate
from rankagg.aggregation.kemeny.proof_nodes import Branch, Fixing, Leaf
from rankagg.aggregation.kemeny.weak_proof import WeakProblem, WeakProof
from rankagg.exceptions import DataFormatError, VerificationError
from tests.aggregation.kemeny.forging import junk, places
from tests.aggregation.kemeny.weak.brute import PRICES
from tests.aggregation.kemeny.weak.forging import (
    N,
    build,
    genuine_leaf,
    holds,
    holds_alone,
    is_true,
    mutant,
    of_certificate,
    random_tree,
    restate,
    specimens,
    tangled,
)

KINDS = (
    "pairs alone", "rows", "two prices", "rounded weights", "integers beyond doubles", "cases",
    "a gap", "fixings",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_genuine_certificates_hold(kind: str) -> None:
    case = specimens()[kind]
    assert holds(case.plain, case)
    assert holds_alone(case.plain, case)
    assert is_true(case.plain, case)


def judge(case, rng: Random, count: int) -> Counter:
    """Check that nothing false passes and that both checkers agree; count the verdicts."""
    verdicts: Counter = Counter()
    for _ in range(count):
        data = mutant(case, rng)
        verdict = holds(data, case)
        assert verdict == holds_alone(data, case), data
        assert not verdict or is_true(data, case), data
        verdicts[verdict] += 1
    return verdicts


@pytest.mark.parametrize("kind", KINDS)
def test_no_mutant_passes_that_is_false(kind: str) -> None:
    count = 6 if kind == "cases" else 40
    verdicts = judge(specimens()[kind], Random(kind), count)
    assert verdicts[False] > count / 2


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_thousands_of_mutants(kind: str) -> None:
    count = 300 if kind == "cases" else 2_500
    verdicts = judge(specimens()[kind], Random(f"slow {kind}"), count)
    assert verdicts[False] > count / 2


@pytest.mark.parametrize("kind", ["rows", "fixings", "two prices"])
def test_every_field_with_every_kind_of_junk(kind: str) -> None:
    case = specimens()[kind]
    rng = Random(1)
    text = json.dumps(case.plain)
    for path in places(case.plain):
        for _ in range(4):
            data = json.loads(text)
            where = data
            for key in path[:-1]:
                where = where[key]
            where[path[-1]] = junk(where[path[-1]], rng)
            verdict = holds(data, case)
            assert verdict == holds_alone(data, case), (path, where[path[-1]])
            assert not verdict or is_true(data, case), (path, where[path[-1]])


@pytest.mark.parametrize("kind", ["rows", "fixings"])
def test_mutated_bytes(kind: str) -> None:
    case = specimens()[kind]
    rng = Random(7)
    text = json.dumps(case.plain)
    for _ in range(100):
        cut = rng.randrange(len(text))
        put = rng.choice(["", "NaN", "1e3", "-", "0", "9" * 2000, "true", '"', "[" * 9999, "\x00"])
        forged = text[:cut] + put + text[cut + rng.randrange(4) :]
        try:
            verdict = ra.WeakCertificate.from_json(forged).verify(case.votes)
        except (DataFormatError, VerificationError):
            verdict = False
        try:
            alone = holds_alone(check_certificate.parse(forged), case)
        except check_certificate.RefusedError:
            alone = False
        assert verdict == alone, forged
        assert not verdict or is_true(json.loads(forged), case), forged


@pytest.mark.parametrize("seed", range(40))
def test_both_checkers_prove_the_same_bound_of_made_up_trees(seed: int) -> None:
    rng = Random(seed)
    step = rng.choice((1, 2))
    wins = [[step * rng.randrange(6) for _ in range(N)] for _ in range(N)]
    ties = np.triu([[step * rng.randrange(4) for _ in range(N)] for _ in range(N)], k=1)
    votes = ra.PairwiseMatrix.from_wins(wins, ties=ties + ties.T)
    prices = rng.choice(PRICES)
    problem = WeakProblem.from_pairwise(votes, *prices)
    levels = [rng.randrange(N) for _ in range(N)]
    threshold = problem.floor + rng.randrange(-1, 12) * max(problem.step, 1)
    good = genuine_leaf(votes, prices)
    tree = tuple(
        replace(node, leaf=good) if isinstance(node, Fixing) and rng.random() < 0.5 else node
        for node in random_tree(rng, max(threshold, 0))
    )
    certificate = build(votes, levels, [WeakProof(tuple(range(N)), tree)], prices)
    case = of_certificate(certificate, votes)
    if not 0 <= certificate.scaled_lower_bound <= certificate.scaled_cost:
        return  # no file states a bound above the cost
    assert is_true(case.plain, case)
    assert holds(case.plain, case)
    assert holds_alone(case.plain, case)
    if certificate.gap:
        more = replace(certificate, scaled_lower_bound=certificate.scaled_lower_bound + 1)
        assert not holds(more.to_dict(), case)
        assert not holds_alone(more.to_dict(), case)


def test_two_true_statements_that_are_not_the_genuine_one() -> None:
    case = specimens()["rows"]
    modest = {**case.plain, "scaled_lower_bound": 29, "lower_bound": "29", "status": "gap"}
    assert case.plain["scaled_lower_bound"] > 29
    assert holds(modest, case)
    assert holds_alone(modest, case)
    assert is_true(modest, case)
    worse = json.loads(json.dumps(case.plain))
    restate(worse, case, Random(1))
    assert worse["buckets"] != case.plain["buckets"]
    assert not holds(worse, case)
    assert not holds_alone(worse, case)
    assert not is_true(worse, case)


def test_the_certificate_of_a_strict_order_is_another() -> None:
    case = specimens()["rows"]
    strict = ra.Kemeny(tie_cost=0.5).aggregate(case.votes).certificate.to_dict()
    with pytest.raises(DataFormatError, match=r"must be 'rankagg\.weak_certificate'"):
        ra.WeakCertificate.from_dict(strict)
    with pytest.raises(DataFormatError, match=r"must be 'rankagg\.certificate'"):
        ra.Certificate.from_dict(case.plain)


# -- objects that no reader has seen --------------------------------------------------------------

NO_VALUES = (
    float("nan"), float("inf"), True, None, -1, 10**1000, 10**5000, 0.5, "x", "0", (), [], {},
    np.int64(1), np.array([0, 1, 2]), (float("nan"),), ((0, 1, 2),), Fraction(1, 3), Leaf(),
    Fraction(-1), Fraction(10**5000), (True, False, 2), object(), range(3), b"x",
    ((0,), (1,), (2,), (3, 4)), ([0, 1, 2, 3, 4],), ((1, 0, 2, 3, 4),),
)  # fmt: skip


def refused(certificate: ra.WeakCertificate, case) -> None:
    try:
        certificate.verify(case.votes)
    except VerificationError:
        return
    assert is_true(certificate.to_dict(), case), certificate


@pytest.mark.parametrize("kind", ["rows", "fixings"])
def test_verify_relies_on_nothing_that_the_constructor_was_given(kind: str) -> None:
    case = specimens()[kind]
    genuine = ra.WeakCertificate.from_dict(case.plain)
    for field in fields(genuine):
        for value in NO_VALUES:
            refused(replace(genuine, **{field.name: value}), case)
    (proof,) = genuine.proofs
    for field in fields(proof):
        for value in NO_VALUES:
            refused(replace(genuine, proofs=(replace(proof, **{field.name: value}),)), case)
    for at, node in enumerate(proof.nodes):
        parts = [*fields(node), *(fields(node.leaf) if isinstance(node, Fixing) else ())]
        for field in parts:
            for value in NO_VALUES:
                if hasattr(node, field.name):
                    changed = replace(node, **{field.name: value})
                else:
                    changed = replace(node, leaf=replace(node.leaf, **{field.name: value}))
                nodes = (*proof.nodes[:at], changed, *proof.nodes[at + 1 :])
                refused(replace(genuine, proofs=(replace(proof, nodes=nodes),)), case)


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
    case = specimens()["rows"]
    data = {**case.plain, **changes}
    data["cost"] = str(Fraction(data["scaled_cost"], data["denominator"]))
    data["lower_bound"] = str(Fraction(data["scaled_lower_bound"], data["denominator"]))
    with pytest.raises(VerificationError, match=words):
        ra.WeakCertificate.from_dict(data).verify(case.votes)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("buckets", 0), [], r"`buckets\[0\]` must be a list of one or more positions"),
        (("buckets", 0), [1, 0], r"`buckets\[0\]` must be a list of one or more positions"),
        (("buckets",), [[0, 1], [3, 4]], "each of the positions 0 to 4 once"),
        (("consensus_tie_cost",), "3/2", "`consensus_tie_cost` must be at most 1"),
        (("version",), 2, "`version` must be 1"),
        (("proofs", 0, "nodes", 0, "rows", 0), [0, 1, 0, 5], "three different positions"),
        (("proofs", 0, "nodes", 0, "rows", 0), [0, 1, 2, 0], r"rows\[0\]\[3\]` must be an int"),
        (("proofs", 0, "nodes", 0, "rows", 0), [0, 1, 2], "three positions and a weight"),
    ],
)
def test_each_fault_of_form_is_named(path, value, words: str) -> None:
    data = json.loads(json.dumps(specimens()["rows"].plain))
    where = data
    for key in path[:-1]:
        where = where[key]
    where[path[-1]] = value
    with pytest.raises(DataFormatError, match=words):
        ra.WeakCertificate.from_dict(data)


# -- files that are made to be slow ---------------------------------------------------------------


def test_a_deep_tree_is_walked_without_recursion() -> None:
    votes = tangled()
    nodes: list = []
    for at in range(0, 2_500, 2):
        nodes += [Branch(0, 1, at + 2, at + 1), Leaf()]
    deep = build(votes, range(N), [WeakProof(tuple(range(N)), (*nodes, Leaf()))])
    case = of_certificate(deep, votes)
    assert deep.verify(votes)
    assert holds_alone(case.plain, case)


def test_a_node_has_one_parent() -> None:
    case = specimens()["rows"]
    nodes = [{"pair": [0, 1], "not_below": at + 1, "below": at + 1} for at in range(60)]
    proof = {"positions": [0, 1, 2], "nodes": [*nodes, {"rows": []}]}
    data = {**case.plain, "proofs": [proof]}
    with pytest.raises(DataFormatError, match=r"nodes\[0\].below` must be a node that is not the"):
        ra.WeakCertificate.from_dict(data)
    assert not holds_alone(data, case)
