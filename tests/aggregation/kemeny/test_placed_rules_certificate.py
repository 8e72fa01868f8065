"""Whatever is done to a certificate of a list, what passes is true, and the two checkers agree."""

import json
from collections import Counter
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from functools import cache
from random import Random

import numpy as np
import pytest

import rankagg as ra
from rankagg import check_certificate
from rankagg.exceptions import DataFormatError, VerificationError
from rankagg.io.json_files import votes_to_dict
from tests.aggregation.kemeny.forging import change
from tests.aggregation.kemeny.placed_brute import costs

KINDS = (
    "a list", "two prices", "weights", "rounded weights", "integers beyond doubles", "a gap",
    "cycles",
)  # fmt: skip


@cache
def specimens() -> dict[str, tuple[dict, ra.PairwiseMatrix]]:
    """Return certificates of every kind as plain data, with their votes."""
    rng = np.random.default_rng(3)
    ties = np.triu(rng.integers(0, 3, size=(5, 5)), k=1)
    tangled = ra.PairwiseMatrix.from_wins(rng.integers(0, 9, size=(5, 5)), ties=ties + ties.T)
    irrational = ra.Profile.from_ranks(
        [[0, 0, 1, 2, 2], [2, 0, 1, 1, 2], [1, 2, 0, 2, 2]], items="ABCDE",
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
        found[name] = (json.loads(json.dumps(certificate.to_dict())), votes)
    assert found["a gap"][0]["status"] == "gap"
    assert found["rounded weights"][0]["tolerance"] != "0"
    assert found.keys() == set(KINDS)
    return found


def holds(data, votes) -> bool:
    """Return whether `verify` says so; no other error than the two may come out."""
    try:
        ra.PlacedCertificate.from_dict(data)._check(votes)
        return True
    except (DataFormatError, VerificationError):
        return False


def holds_alone(data, votes) -> bool:
    try:
        sentence = check_certificate.check(data, votes_to_dict(votes))
    except check_certificate.RefusedError:
        return False
    return sentence.startswith("The proof holds: ")


@cache
def least(votes: ra.PairwiseMatrix, weights, tied, agreed) -> tuple[dict, Fraction]:
    everything = costs(votes, weights, tied, agreed)
    return everything, min(everything.values())


def is_true(data, votes) -> bool:
    """Return whether all that a certificate says is so, by all lists."""
    weights = tuple(Fraction(weight) for weight in data["weights"])
    prices = Fraction(data["tie_cost"]), Fraction(data["consensus_tie_cost"])
    everything, optimum = least(votes, weights, *prices)
    cost, bound = Fraction(data["cost"]), Fraction(data["lower_bound"])
    over = data["denominator"]
    return (
        everything[tuple(data["placed"])] == cost == Fraction(data["scaled_cost"], over)
        and bound == Fraction(data["scaled_lower_bound"], over) <= optimum
        and data["status"] == ("optimal" if bound == cost else "gap")
        and data["items"] == list(votes.items)
    )


def mutant(plain, votes, rng: Random):
    """Return a certificate with one to three changes, often one that claims a lot."""
    data = deepcopy(plain)
    for _ in range(rng.choice((0, 1, 1, 2))):
        if data:
            change(data, rng)
    if rng.random() < 0.6:
        restate(data, plain, votes, rng)
    return data


def restate(data, plain, votes, rng: Random) -> None:
    """State any list as optimal, or nearly, with all that is printed in agreement."""
    prices = Fraction(plain["tie_cost"]), Fraction(plain["consensus_tie_cost"])
    everything, _ = least(votes, tuple(map(Fraction, plain["weights"])), *prices)
    placed = rng.choice(list(everything))
    over = plain["denominator"]
    cost = int(everything[placed] * over)
    bound = cost - rng.choice((0, 0, 1, 2, 5))
    data.update(
        placed=list(placed), scaled_cost=cost, scaled_lower_bound=bound,
        cost=str(Fraction(cost, over)), lower_bound=str(Fraction(bound, over)),
        status="optimal" if bound == cost else "gap",
    )  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_genuine_certificates_hold(kind: str) -> None:
    plain, votes = specimens()[kind]
    assert holds(plain, votes)
    assert holds_alone(plain, votes)
    assert is_true(plain, votes)
    again = ra.PlacedCertificate.from_dict(plain)
    assert json.loads(json.dumps(again.to_dict())) == plain


def judge(kind: str, seed: int, count: int) -> Counter:
    """Check that nothing false passes and that both checkers agree; count the verdicts."""
    plain, votes = specimens()[kind]
    rng = Random(seed)
    verdicts: Counter = Counter()
    for _ in range(count):
        data = mutant(plain, votes, rng)
        verdict = holds(data, votes)
        assert verdict == holds_alone(data, votes), data
        assert not verdict or is_true(data, votes), data
        verdicts[verdict] += 1
    return verdicts


@pytest.mark.parametrize("kind", KINDS)
def test_no_forgery_passes(kind: str) -> None:
    assert judge(kind, 1, 30)[False] > 10


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_forgery_of_thousands_passes(kind: str) -> None:
    verdicts = judge(kind, 2, 3000)
    assert min(verdicts[False], verdicts[True]) > 100


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"weights": ["1", "2"]}, "no weight larger than the one before it"),
        ({"weights": ["1", "0"]}, "free of zeros"),
        ({"weights": ["1"]}, "a weight for each position"),
        ({"weights": ["2", "1"]}, "consensus_tie_cost"),
        ({"placed": [0, 0]}, "different positions"),
        ({"placed": [0, 9]}, "at most 4"),
        ({"placed": [0, 1, 2, 3, 4]}, "at most 4 different positions"),
        ({"version": 2}, "version"),
        ({"schema": "rankagg.certificate"}, "schema"),
        ({"status": "gap"}, "status"),
        ({"cost": "1"}, "cost"),
    ],
)
def test_what_no_file_may_hold(changes, words: str) -> None:
    plain, _ = specimens()["a list"]
    with pytest.raises(DataFormatError, match=words):
        ra.PlacedCertificate.from_dict({**plain, **changes})


def test_what_is_not_so_is_said() -> None:
    plain, votes = specimens()["a list"]
    genuine = ra.PlacedCertificate.from_dict(plain)
    with pytest.raises(VerificationError, match="other votes"):
        genuine.verify(ra.PairwiseMatrix.from_wins(votes.wins + 1 - np.eye(5)))
    with pytest.raises(VerificationError, match="The list costs"):
        replace(genuine, placed=genuine.placed[::-1]).verify(votes)
    everything, optimum = least(votes, genuine.weights, Fraction(1, 2), Fraction(1, 2))
    worse = max(everything, key=everything.get)
    cost = int(everything[worse] * genuine.denominator)
    forged = replace(genuine, placed=worse, scaled_cost=cost, scaled_lower_bound=cost)
    with pytest.raises(VerificationError, match=f"The proofs show the bound {optimum}, not"):
        forged.verify(votes)


def test_how_it_looks() -> None:
    plain, votes = specimens()["weights"]
    certificate = ra.PlacedCertificate.from_dict(plain)
    frame = certificate.to_frame()
    assert list(frame) == ["rank", "item", "weight"]
    assert frame["weight"].tolist() == [1, 0.5, 0.1]
    assert tuple(frame["item"]) == tuple(bucket[0] for bucket in certificate.ranking.buckets[:3])
    assert "no list costs less than" in certificate.summary()
    assert certificate.verify(votes)
