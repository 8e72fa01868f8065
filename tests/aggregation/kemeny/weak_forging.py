"""Real certificates of weak orders of every kind, and what a forger may do to them."""

import json
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any, NamedTuple

import numpy as np

import rankagg as ra
from rankagg.aggregation.kemeny.weak_proof import WeakProblem, WeakProof
from rankagg.check_certificate import WEIGHT_DENOMINATOR, Branch, Fixing, Leaf
from rankagg.io.json_files import votes_to_dict
from tests.aggregation.kemeny.forging import claim, forged, holds_as, is_printed
from tests.aggregation.kemeny.weak_brute import optima, rule
from tests.tournaments import PALEY

N = 5
HALF = (Fraction(1, 2), Fraction(1, 2))


Kind = ra.TiedCertificate


class Specimen(NamedTuple):
    """A genuine certificate as plain data, its votes, and what they and ties allow."""

    plain: dict[str, Any]
    votes: ra.PairwiseMatrix
    votes_plain: dict[str, Any]
    least: dict[tuple[Fraction, Fraction], Fraction]

    def optimum(self, prices: tuple[Fraction, Fraction]) -> Fraction:
        """Return the least cost that any weak order has."""
        prices = matter(prices, self.votes)
        if prices not in self.least:
            assert self.votes.n_items <= N
            self.least[prices] = optima(self.votes, (prices[0] or Fraction(0), prices[1]))[0]
        return self.least[prices]


def matter(prices, votes: ra.PairwiseMatrix):
    """Return prices without that of tied votes where there are none."""
    return prices if votes.scaled_ties.any() else (None, prices[1])


def of_certificate(certificate: ra.TiedCertificate, votes: ra.PairwiseMatrix) -> Specimen:
    plain = json.loads(json.dumps(certificate.to_dict()))
    least = {}
    if votes.n_items > N:
        assert certificate.status == "optimal"
        prices = (certificate.tie_cost, certificate.consensus_tie_cost)
        least[matter(prices, votes)] = Fraction(certificate.scaled_cost, certificate.denominator)
    return Specimen(plain, votes, votes_to_dict(votes), least)


def specimen(votes: ra.PairwiseMatrix, prices=HALF, **options: Any) -> Specimen:
    certificate = rule(prices, **options).aggregate(votes).certificate
    return of_certificate(certificate, votes)


def tangled(seed: int = 52) -> ra.PairwiseMatrix:
    """Return votes with cycles and ties that hold all items together."""
    rng = np.random.default_rng(seed)
    ties = np.triu(rng.integers(0, 4, size=(N, N)), k=1)
    return ra.PairwiseMatrix.from_wins(rng.integers(0, 9, size=(N, N)), ties=ties + ties.T)


@cache
def specimens() -> dict[str, Specimen]:
    """Return certificates of every kind: each field of the format occurs in some of them."""
    irrational = ra.Profile.from_ranks(
        [[1, 1, 2, 3, 3], [3, 1, 2, 2, 3], [2, 3, 1, 3, 3]], items="ABCDE",
        weights=[2**0.5, 3**0.5, 5**0.5],
    ).pairwise()  # fmt: skip
    huge = ra.PairwiseMatrix.from_wins(tangled().wins * 1e25, ties=tangled().ties * 1e25)
    third, whole = Fraction(1, 3), Fraction(1)
    found = {
        "pairs alone": specimen(ra.datasets.load("tennessee").pairwise()),
        "rows": specimen(tangled(), (whole, whole)),
        "two prices": specimen(tangled(24), (third, Fraction(3, 4))),
        "rounded weights": specimen(irrational),
        "integers beyond doubles": specimen(huge, (third, Fraction(3, 4))),
        "cases": specimen(PALEY, (whole, whole)),
        "a gap": specimen(tangled(), (whole, whole), time_limit=0),
        "fixings": of_certificate(*fixing()),
    }
    assert found["rounded weights"].plain["tolerance"] != "0"
    assert found["a gap"].plain["status"] == "gap"
    assert any(proof["nodes"][0]["rows"] for proof in found["rows"].plain["proofs"])
    assert len(found["cases"].plain["proofs"][0]["nodes"]) > 1
    return found


def genuine_leaf(votes: ra.PairwiseMatrix, prices=(Fraction(1), Fraction(1))) -> Leaf:
    nodes = [
        node
        for proof in rule(prices).aggregate(votes).certificate.proofs
        for node in proof.nodes
        if isinstance(node, Leaf)
    ]
    return max(nodes, key=lambda leaf: len(leaf.triples), default=Leaf())


def fixing() -> tuple[ra.TiedCertificate, ra.PairwiseMatrix]:
    """Return a proof of five items that fixes statements twice and branches between."""
    votes = tangled()
    exact = rule((Fraction(1), Fraction(1))).aggregate(votes)
    (proof,) = exact.certificate.proofs
    (leaf,) = proof.nodes
    assert leaf.triples
    cost = exact.certificate.scaled_cost
    i, j = leaf.triples[0][:2]
    some = Leaf(leaf.triples[:1], leaf.weights[:1])
    tree = (Fixing(some, cost, 1), Branch(i, j, 2, 3), Fixing(leaf, cost, 4), leaf, leaf)
    certificate = build(votes, exact.ranking.ranks, [WeakProof(proof.positions, tree)])
    return certificate, votes


def build(votes, levels, proofs, prices=(Fraction(1), Fraction(1))) -> ra.TiedCertificate:
    return ra.TiedCertificate.build(
        votes, np.array(levels), proofs, tie_cost=prices[0], consensus_tie_cost=prices[1]
    )


# -- proofs that nobody searched for --------------------------------------------------------------


def random_leaf(rng: Random) -> Leaf:
    rows = tuple(tuple(rng.sample(range(N), 3)) for _ in range(4))
    return Leaf(rows, tuple(rng.randrange(1, 3 * WEIGHT_DENOMINATOR) for _ in rows))


def random_tree(rng: Random, threshold: int) -> tuple:
    """Return fixings and branches in every mixture, with children behind their parents."""
    leaves = [random_leaf(rng) for _ in range(3)]
    return (
        Fixing(random_leaf(rng), threshold, 1),
        Branch(*rng.sample(range(N), 2), 2, 3),
        Fixing(random_leaf(rng), threshold + rng.randrange(3), 4),
        leaves[0],
        Branch(*rng.sample(range(N), 2), 5, 6),
        *leaves[1:],
    )


# -- mutations ------------------------------------------------------------------------------------


def restate(data: dict[str, Any], case: Specimen, rng: Random) -> None:
    """State any weak order as optimal, with all that is printed in agreement."""
    n = case.votes.n_items
    levels = np.array([rng.randrange(n) for _ in range(n)])
    shares = [Fraction(case.plain[key]) for key in ("tie_cost", "consensus_tie_cost")]
    cost = WeakProblem.from_pairwise(case.votes, *shares).cost(levels)
    data["buckets"] = [np.flatnonzero(levels == level).tolist() for level in np.unique(levels)]
    claim(data, cost, cost - rng.choice((0, 0, 0, 1)), case.plain["denominator"])


def mutant(case: Specimen, rng: Random) -> dict[str, Any]:
    """Return a certificate with one to three changes, often one that claims a lot."""
    return forged(case, rng, restate)


# -- expected verdicts ----------------------------------------------------------------------------


holds = holds_as(Kind)


def is_true(data: dict[str, Any], case: Specimen) -> bool:
    """Return whether every statement of a certificate is true, whatever proves it."""
    prices = (Fraction(data["tie_cost"]), Fraction(data["consensus_tie_cost"]))
    problem = WeakProblem.from_pairwise(case.votes, *prices)
    levels = np.zeros(case.votes.n_items, dtype=int)
    for at, bucket in enumerate(data["buckets"]):
        levels[bucket] = at
    cost = Fraction(problem.cost(levels), problem.denominator)
    every = sorted(position for bucket in data["buckets"] for position in bucket)
    whole = every == list(range(case.votes.n_items))
    return whole and is_printed(data, case, cost, case.optimum(prices))
