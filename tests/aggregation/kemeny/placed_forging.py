"""Real certificates of lists of every kind, and what a forger may do to them."""

import json
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import numpy as np

import rankagg as ra
from rankagg.io.json_files import votes_to_dict
from tests.aggregation.kemeny.forging import Specimen, claim, forged, holds_as, is_printed
from tests.aggregation.kemeny.placed_brute import costs

Kind = ra.PlacedCertificate
holds = holds_as(Kind)


@cache
def specimens() -> dict[str, Specimen]:
    """Return certificates of every kind."""
    rng = np.random.default_rng(3)
    ties = np.triu(rng.integers(0, 3, size=(5, 5)), k=1)
    tangled = ra.PairwiseMatrix.from_wins(rng.integers(0, 9, size=(5, 5)), ties=ties + ties.T)
    irrational = ra.Profile.from_ranks(
        [[1, 1, 2, 3, 3], [3, 1, 2, 2, 3], [2, 3, 1, 3, 3]], items="ABCDE",
        weights=[2**0.5, 3**0.5, 5**0.5],
    ).pairwise()  # fmt: skip
    huge = ra.PairwiseMatrix.from_wins(tangled.wins * 1e25, ties=tangled.ties * 1e25)
    cyclic = ra.PairwiseMatrix.from_wins(
        [[int((j - i) % 5 in (1, 2)) for j in range(5)] for i in range(5)]
    )
    rules = {
        "a list": (ra.TopK(k=2), tangled),
        "two prices": (ra.TopK(k=3, tie_cost=0.25, consensus_tie_cost=0.75), tangled),
        "weights": (ra.PlaceWeightedKemeny(weights=[1, 0.5, 0.1], tie_cost=0.5), tangled),
        "rounded weights": (ra.PlaceWeightedKemeny(weights=[3, 1]), irrational),
        "integers beyond doubles": (ra.TopK(k=2), huge),
        "a gap": (ra.TopK(k=3, time_limit=0), tangled),
        "cycles": (ra.TopK(k=3), cyclic),
    }
    found = {}
    for name, (rule, votes) in rules.items():
        certificate = rule.aggregate(votes).certificate
        plain = json.loads(json.dumps(certificate.to_dict()))
        found[name] = Specimen(plain, votes, votes_to_dict(votes), least_of(plain, votes)[1])
    assert found["a gap"].plain["status"] == "gap"
    assert found["rounded weights"].plain["tolerance"] != "0"
    return found


def least_of(plain: dict[str, Any], votes: ra.PairwiseMatrix) -> tuple[dict, Fraction]:
    """Return what every list costs under what a certificate states, and the least of it."""
    prices = Fraction(plain["tie_cost"]), Fraction(plain["consensus_tie_cost"])
    return _least(votes, tuple(map(Fraction, plain["weights"])), *prices)


@cache
def _least(votes: ra.PairwiseMatrix, weights, tied, agreed) -> tuple[dict, Fraction]:
    everything = costs(votes, weights, tied, agreed)
    return everything, min(everything.values())


def restate(data: dict[str, Any], case: Specimen, rng: Random) -> None:
    """State any list as optimal, or nearly, with all that is printed in agreement."""
    everything, _ = least_of(case.plain, case.votes)
    placed = rng.choice(list(everything))
    over = case.plain["denominator"]
    cost = int(everything[placed] * over)
    data["placed"] = list(placed)
    claim(data, cost, cost - rng.choice((0, 0, 1, 2, 5)), over)


def mutant(case: Specimen, rng: Random) -> dict[str, Any]:
    """Return a certificate with one to three changes, often one that claims a lot."""
    return forged(case, rng, restate)


def is_true(data: dict[str, Any], case: Specimen) -> bool:
    """Return whether all that a certificate says is so, by all lists."""
    everything, optimum = least_of(data, case.votes)
    return is_printed(data, case, everything[tuple(data["placed"])], optimum)
