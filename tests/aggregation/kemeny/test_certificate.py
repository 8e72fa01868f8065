"""A certificate proves what it states, and nothing else passes."""

import dataclasses
import json
import random

import numpy as np
import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, ItemMismatchError, VerificationError

CYCLE = ra.datasets.load("condorcet_1785")


@pytest.fixture
def votes() -> ra.PairwiseMatrix:
    return CYCLE.pairwise()


@pytest.fixture
def certificate(votes: ra.PairwiseMatrix) -> ra.Certificate:
    certificate = ra.Kemeny().aggregate(votes).certificate
    assert len(certificate.cycles) == 1
    return certificate


def test_by_hand(votes: ra.PairwiseMatrix, certificate: ra.Certificate) -> None:
    # Cheaper directions cost 27 + 18 + 25 = 70; every order breaks the cycle A > B > C > A at
    # its weakest majority at least, 33 to 27: 6 votes more.
    assert certificate.lower_bound == 76 == certificate.cost
    assert certificate.verify(votes)


def test_json_round_trip(votes: ra.PairwiseMatrix, certificate: ra.Certificate) -> None:
    text = json.dumps(certificate.to_dict())
    again = ra.Certificate.from_dict(json.loads(text))
    assert again == certificate
    assert again.verify(votes)


def corruptions(certificate: ra.Certificate) -> dict[str, ra.Certificate]:
    a, b, c, weight = certificate.cycles[0]
    changed = {
        "cost too low": {"scaled_cost": certificate.scaled_cost - 1},
        "bound too high": {"scaled_lower_bound": certificate.scaled_lower_bound + 6},
        "cost and bound too low": {"scaled_cost": 70, "scaled_lower_bound": 70},
        "order repeats an item": {"order": (0, 0, 1)},
        "order leaves an item out": {"order": certificate.order[:2]},
        "order is another": {"order": certificate.order[::-1]},
        "cycle is no cycle": {"cycles": ((a, b, b, weight),)},
        "cycle outside": {"cycles": ((a, b, 7, weight),)},
        "cycle turned round": {"cycles": ((c, b, a, weight),)},
        "weight negative": {"cycles": ((a, b, c, -weight),)},
        "weight too large": {"cycles": ((a, b, c, 10 * weight),)},
        "cycle gone": {"cycles": ()},
        "weights over nothing": {"weight_denominator": 0},
        "weights over less": {"weight_denominator": certificate.weight_denominator // 2},
        "other scale": {"denominator": 2},
        "ties are not free": {"tie_cost": 0.5},
    }
    return {name: dataclasses.replace(certificate, **fields) for name, fields in changed.items()}


NAMES = list(corruptions(ra.Kemeny().aggregate(CYCLE).certificate))


@pytest.mark.parametrize("name", NAMES)
def test_corrupted_certificate_is_refused(
    votes: ra.PairwiseMatrix, certificate: ra.Certificate, name: str
) -> None:
    with pytest.raises(VerificationError):
        corruptions(certificate)[name].verify(votes)


def test_certificate_of_other_votes_is_refused(certificate: ra.Certificate) -> None:
    others = ra.Profile(list(CYCLE), counts=CYCLE.counts + 1).pairwise()
    with pytest.raises(VerificationError, match="costs"):
        certificate.verify(others)
    renamed = ra.PairwiseMatrix.from_wins(np.ones((3, 3)), items="XYZ")
    with pytest.raises(ItemMismatchError):
        certificate.verify(renamed)


def test_wrong_duals_weaken_the_bound_and_never_make_it_false() -> None:
    rng = random.Random(3)
    for _ in range(200):
        wins = [[rng.randrange(5) for _ in range(5)] for _ in range(5)]
        votes = ra.PairwiseMatrix.from_wins(wins)
        optimum = ra.Kemeny().aggregate(votes)
        noise = [(*rng.sample(range(5), 3), rng.uniform(-2, 5)) for _ in range(6)]
        order = rng.sample(range(5), 5)
        certificate = ra.Certificate.build(votes, order, noise)
        assert certificate.verify(votes)
        assert certificate.lower_bound <= optimum.cost <= certificate.cost


def test_stated_gap_may_be_larger_than_the_proved_one(
    votes: ra.PairwiseMatrix, certificate: ra.Certificate
) -> None:
    modest = dataclasses.replace(certificate, scaled_lower_bound=70)
    assert modest.verify(votes)
    assert modest.status == "gap"


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"schema": "rankagg.certificate", "version": 2},
        {"schema": "rankagg.certificate", "version": 1},
    ],
)
def test_what_is_no_certificate_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(DataFormatError, match="certificate"):
        ra.Certificate.from_dict(data)
