"""A certificate proves what it states, and nothing else passes."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation.kemeny.proof import Proof
from rankagg.check_certificate import Branch, Leaf, RefusedError, check
from rankagg.exceptions import (
    DataFormatError,
    InvalidInputError,
    TooLargeError,
    VerificationError,
)
from rankagg.io.json_files import votes_to_dict
from tests.tournaments import PALEY, proved_paley

CYCLE = ra.datasets.load("condorcet_1785")
VOTES = CYCLE.pairwise()
CERTIFICATE = ra.Kemeny().aggregate(VOTES).certificate


@pytest.fixture(scope="module")
def branched() -> ra.Certificate:
    certificate = proved_paley(11).certificate
    assert any(isinstance(node, Branch) for node in certificate.proofs[0].nodes)
    return certificate


# -- false statements -----------------------------------------------------------------------------


def test_certificate_of_other_votes_is_refused() -> None:
    others = ra.Profile(list(CYCLE), counts=CYCLE.counts + 1).pairwise()
    theirs, ours = others.fingerprint[:8], VOTES.fingerprint[:8]
    text = rf"other votes: their fingerprint is {theirs}\.\.\., the certificate has {ours}\.\.\.$"
    with pytest.raises(VerificationError, match=text):
        CERTIFICATE.verify(others)
    # Ties cost every order the same, so that the certificate would be as true.
    tied = ra.PairwiseMatrix.from_wins(VOTES.wins, items="ABC", ties=1 - np.eye(3))
    with pytest.raises(VerificationError, match="other votes"):
        CERTIFICATE.verify(tied)
    renamed = ra.PairwiseMatrix.from_wins(VOTES.wins, items="XYZ")
    with pytest.raises(
        VerificationError, match="only the votes have X, Y, Z and only the certificate has A, B, C"
    ):
        CERTIFICATE.verify(renamed)
    turned = ra.PairwiseMatrix.from_wins(VOTES.wins, items="CBA")
    with pytest.raises(VerificationError, match="they have them in another order"):
        CERTIFICATE.verify(turned)
    wanted = (
        r"^`votes` must be a PairwiseMatrix\. Got <Profile.*>\. `Profile\.pairwise` counts one\.$"
    )
    with pytest.raises(InvalidInputError, match=wanted):
        CERTIFICATE.verify(CYCLE)


def test_unserializable_certificates_are_refused() -> None:
    (proof,) = CERTIFICATE.proofs
    bare = replace(proof, nodes=(replace(proof.nodes[0], weights=()),))
    unweighted = replace(CERTIFICATE, proofs=(bare,))
    with pytest.raises(ValueError, match="shorter"):
        unweighted.to_dict()
    with pytest.raises(VerificationError, match=r"cannot be written to a file: zip\(\) argument 2"):
        unweighted.verify(VOTES)
    empty = ra.Certificate.build(VOTES, CERTIFICATE.order, [Proof(())])
    with pytest.raises(VerificationError, match=r"^`proofs\[0\]\.positions` must be two"):
        empty.verify(VOTES)


def test_files_of_other_versions_are_refused() -> None:
    votes = ra.datasets.load("condorcet_1785").pairwise()
    for rule in (ra.Kemeny(), ra.Kemeny(consensus_ties=True, tie_cost=0.5)):
        certificate = rule.aggregate(votes).certificate
        for version in (0, 2, 4, True, 1.0, "1"):
            other = {**certificate.to_dict(), "version": version}
            with pytest.raises(DataFormatError, match="version"):
                type(certificate).from_dict(other)
            with pytest.raises(RefusedError):
                check(other, votes_to_dict(votes))


# -- statements -----------------------------------------------------------------------------------


@pytest.mark.parametrize("tie_cost", [0.1, 0.5, 1, Fraction(1, 3), Fraction(10**7 + 1, 2 * 10**7)])
def test_tie_cost_is_kept_exactly(tie_cost: float | Fraction) -> None:
    votes = ra.PairwiseMatrix.from_wins([[0, 2], [1, 0]], ties=[[0, 3], [3, 0]])
    certificate = ra.Certificate.build(votes, [0, 1], [], tie_cost=tie_cost)
    expected = Fraction(str(tie_cost))
    assert certificate.tie_cost == expected
    assert Fraction(certificate.scaled_cost, certificate.denominator) == 1 + 3 * expected
    again = ra.Certificate.from_json(json.dumps(certificate.to_dict()))
    assert again == certificate
    assert again.verify(votes)
    other = replace(certificate, tie_cost=expected / 2)
    with pytest.raises(VerificationError, match=r"The votes are over|The ranking costs"):
        other.verify(votes)
    for wrong in (1 + tie_cost, -tie_cost, True):
        with pytest.raises(InvalidInputError, match="tie_cost"):
            ra.Certificate.build(votes, [0, 1], [], tie_cost=wrong)


def test_tolerance_sums_the_rounding_of_all_pairs() -> None:
    votes = ra.Profile.from_orders(["ABC", "BCA"], weights=[2**0.5, 3**0.5]).pairwise()
    certificate = ra.Kemeny().aggregate(votes).certificate
    # Three pairs, and two numbers for each.
    assert certificate.tolerance == 6 * Fraction(votes.rounding) > 0
    assert "to within" in certificate.summary()
    assert certificate.verify(votes)
    for wrong in (Fraction(0), certificate.tolerance / 2, certificate.tolerance * 2):
        with pytest.raises(VerificationError, match="to within"):
            replace(certificate, tolerance=wrong).verify(votes)
    halves = ra.PairwiseMatrix.from_wins([[0, 2.5], [1, 0]])
    certificate = ra.Kemeny().aggregate(halves).certificate
    assert (certificate.tolerance, certificate.denominator) == (0, 2)
    assert certificate.summary().endswith(", exact)")
    with pytest.raises(VerificationError, match="within 0, not 1/10 as stated"):
        replace(certificate, tolerance=Fraction(1, 10)).verify(halves)
    with pytest.raises(VerificationError, match="costs 1, not 3/2 as stated"):
        replace(certificate, scaled_cost=3).verify(halves)


def test_the_gap_is_stated_with_its_share_of_the_cost() -> None:
    # Cheaper directions cost 27 + 18 + 25 = 70; every order breaks the cycle A > B > C > A at
    # its weakest majority at least, 33 to 27: 6 votes more.
    assert CERTIFICATE.lower_bound == 76 == CERTIFICATE.cost
    assert CERTIFICATE.n_cycles == CERTIFICATE.n_cases == 1
    modest = replace(CERTIFICATE, scaled_lower_bound=70)
    assert modest.verify(VOTES)
    assert modest.status == "gap"
    open_ = replace(CERTIFICATE, scaled_lower_bound=57)
    assert (open_.gap, open_.relative_gap, open_.status) == (19.0, 0.25, "gap")
    assert (CERTIFICATE.gap, CERTIFICATE.relative_gap, CERTIFICATE.status) == (0, 0, "optimal")
    nothing = replace(CERTIFICATE, scaled_cost=0, scaled_lower_bound=0)
    assert nothing.relative_gap == 0.0
    assert "25 % below" in open_.summary()


def test_summary_counts_cycles_rows_and_cases_of_the_proof(branched) -> None:
    assert "by 1 weighted 3-cycle, exact" in CERTIFICATE.summary()
    rows = f"{branched.n_rows} rows derived from them"
    words = f"{branched.n_cycles} weighted 3-cycles and {rows} in {branched.n_cases} cases"
    assert words in str(branched)
    assert "by majorities alone, exact" in replace(CERTIFICATE, proofs=()).summary()
    leaves = [node for node in branched.proofs[0].nodes if isinstance(node, Leaf)]
    assert branched.n_cases == len(leaves)
    enumerated = ra.Kemeny(backend="subset-dp").aggregate(PALEY).certificate
    assert "by enumeration of subsets, exact" in enumerated.summary()
    assert enumerated.n_cycles == enumerated.n_cases == 0


# -- certificates that ask for too much -----------------------------------------------------------

LIMITS = {"time_limit": 0.05, "memory_limit": 2.0**26}


def drawn(n: int, high: int = 9, seed: int = 0) -> ra.PairwiseMatrix:
    """Return votes without any pattern."""
    wins = np.random.default_rng(seed).integers(0, high, size=(n, n))
    return ra.PairwiseMatrix.from_wins(wins.astype(object) * (1 - np.eye(n, dtype=int)))


def claimed(votes: ra.PairwiseMatrix, **parts) -> dict:
    """Return a certificate that states the bound 1 with other proofs or constraints."""
    plain = ra.Certificate.build(votes, range(votes.n_items), []).to_dict()
    denominator = plain["denominator"]
    bound = {
        "scaled_lower_bound": 1,
        "lower_bound": "1" if denominator == 1 else f"1/{denominator}",
    }
    return plain | bound | {"status": "gap"} | parts


def proof(positions, nodes, rows=()) -> dict:
    return {"positions": list(positions), "rows": list(rows), "nodes": list(nodes)}


def large_numbers() -> tuple[ra.PairwiseMatrix, dict]:
    """All subsets of 20 items, with costs that no machine integer holds."""
    votes = drawn(20)
    votes = ra.PairwiseMatrix.from_wins(votes.scaled_wins.astype(object) * 10**98)
    return votes, claimed(votes, proofs=[proof(range(20), [{"enumeration": True}])])


def enumerations() -> tuple[ra.PairwiseMatrix, dict]:
    """Ten parts of 20 items."""
    votes = drawn(200)
    parts = [range(start, start + 20) for start in range(0, 200, 20)]
    return votes, claimed(votes, proofs=[proof(part, [{"enumeration": True}]) for part in parts])


def doubling_rows() -> tuple[ra.PairwiseMatrix, dict]:
    """Rows that are each a sum of the one before, taken a thousand times, over most arcs."""
    n = 60
    arcs = [[1, [i, j]] for i in range(n) for j in range(i)]
    rows = [{"terms": arcs, "divisor": 1}]
    rows += [{"terms": [[1, at]] * 1000, "divisor": 1000} for at in range(40)]
    return (votes := drawn(n)), claimed(votes, proofs=[proof(range(n), [LEAF], rows)])


def repeated_rows() -> tuple[ra.PairwiseMatrix, dict]:
    """A row over most arcs that one case weighs ten thousand times."""
    n = 60
    rows = [{"terms": [[1, [i, j]] for i in range(n) for j in range(i)], "divisor": 1}]
    nodes = [{"cycles": [], "rows": [[0, 1]] * 10_000}]
    return (votes := drawn(n)), claimed(votes, proofs=[proof(range(n), nodes, rows)])


def repeated_pairs() -> tuple[ra.PairwiseMatrix, dict]:
    """One pair of a cut, thousands of times."""
    n = 120
    orders = [range(n), range(n), range(n - 1, -1, -1)]
    votes = ra.Profile.from_orders(orders, items=range(n)).pairwise()
    cut = {"above": list(range(n // 2)), "cut": [[0, n - 1]] * 20_000, "rest": 1}
    return votes, claimed(votes, proofs=[proof(range(n), [cut, LEAF])])


def many_cases() -> tuple[ra.PairwiseMatrix, dict]:
    """A tree that keeps thousands of cases waiting, each with what is known of all pairs."""
    n, m = 300, 8000
    nodes = [
        {"pair": [150 + at // 150, at % 150], "before": m + 1 + at, "after": at + 1}
        for at in range(m)
    ] + [LEAF] * (m + 1)
    return (votes := drawn(n)), claimed(votes, proofs=[proof(range(n), nodes)])


LEAF = {"cycles": [], "rows": []}
BOMBS = {
    bomb.__name__: bomb
    for bomb in (
        large_numbers, enumerations, doubling_rows, repeated_rows, repeated_pairs, many_cases,
    )
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_checks_beyond_the_budget_raise_too_large(name: str) -> None:
    votes, plain = BOMBS[name]()
    with pytest.raises(TooLargeError, match=r"Not checked within the budget: it takes more than"):
        ra.Certificate.from_dict(json.loads(json.dumps(plain))).verify(votes, **LIMITS)


def test_limits_are_numbers_or_none_for_no_limit() -> None:
    votes = drawn(60)
    certificate = ra.Certificate.build(votes, range(60), [])
    with pytest.raises(TooLargeError, match=r"more than 0\.38147 MiB"):
        certificate.verify(votes, memory_limit=400_000)
    assert certificate.verify(votes, time_limit=None, memory_limit=None)
    for name in ("time_limit", "memory_limit"):
        for value in (-1, float("nan"), "60", True):
            with pytest.raises(InvalidInputError, match=rf"^`{name}` must be "):
                certificate.verify(votes, **{name: value})


@pytest.mark.parametrize("hidden", ["a\x1bb", "a\nb", "a\u202eb"])
def test_names_with_hidden_signs_are_proved(hidden: str) -> None:
    items = [hidden, "c", "d"]
    profile = ra.Profile.from_orders([items, items[1:] + items[:1], items[2:] + items[:2]])
    quota = ra.Quota([hidden, "c"], within=1, at_least=1)
    for rule in (
        ra.Kemeny(),
        ra.Kemeny(consensus_ties=True, tie_cost=0.5),
        ra.Kemeny(constraints=ra.Constraints(quotas=[quota])),
    ):
        found = rule.aggregate(profile)
        assert found.certificate.verify(found.pairwise)
        written = json.loads(json.dumps(found.certificate.to_dict()))
        assert type(found.certificate).from_dict(written).verify(found.pairwise)
