"""What no certificate of a list may state, and how one looks."""

from dataclasses import replace

import numpy as np
import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, VerificationError
from tests.aggregation.kemeny.placed_forging import least_of, specimens


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
        ({"version": 3}, "version"),
        ({"schema": "rankagg.certificate"}, "schema"),
        ({"status": "gap"}, "status"),
        ({"cost": "1"}, "cost"),
    ],
)
def test_what_no_file_may_hold(changes, words: str) -> None:
    plain = specimens()["a list"].plain
    with pytest.raises(DataFormatError, match=words):
        ra.PlacedCertificate.from_dict({**plain, **changes})


def test_what_is_not_so_is_said() -> None:
    plain, votes, *_ = specimens()["a list"]
    genuine = ra.PlacedCertificate.from_dict(plain)
    with pytest.raises(VerificationError, match="other votes"):
        genuine.verify(ra.PairwiseMatrix.from_wins(votes.wins + 1 - np.eye(5)))
    with pytest.raises(VerificationError, match="The list costs"):
        replace(genuine, placed=genuine.placed[::-1]).verify(votes)
    everything, optimum = least_of(plain, votes)
    worse = max(everything, key=everything.get)
    cost = int(everything[worse] * genuine.denominator)
    forged = replace(genuine, placed=worse, scaled_cost=cost, scaled_lower_bound=cost)
    with pytest.raises(VerificationError, match=f"The proofs show the bound {optimum}, not"):
        forged.verify(votes)


def test_how_it_looks() -> None:
    plain, votes, *_ = specimens()["weights"]
    certificate = ra.PlacedCertificate.from_dict(plain)
    frame = certificate.to_frame()
    assert list(frame) == ["rank", "item", "weight"]
    assert frame["weight"].tolist() == [1, 0.5, 0.1]
    assert tuple(frame["item"]) == tuple(bucket[0] for bucket in certificate.ranking.buckets[:3])
    assert "no list costs less than" in certificate.summary()
    assert certificate.verify(votes)
