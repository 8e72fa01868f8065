"""The fingerprint is that of the documented bytes, and of nothing that is no vote."""

from hashlib import sha256
from itertools import combinations

import numpy as np
import pytest

import rankagg as ra
from rankagg.core.arithmetic.exact import fit
from rankagg.core.pairwise import fingerprint


def by_hand(*lines: str) -> str:
    return sha256("".join(line + "\n" for line in lines).encode()).hexdigest()


def test_documented_bytes() -> None:
    votes = ra.PairwiseMatrix.from_wins(
        [[0, 2.5, 1], [0, 0, 3], [1, 2, 0]],
        items=["a b", "ü", ""],
        ties=[[0, 0.5, 0], [0.5, 0, 0], [0, 0, 0]],
    )
    assert votes.fingerprint == by_hand(
        "rankagg.votes 1", "3 2", "s3:a b", "s2:ü", "s0:", "0 5 2", "0 0 6", "2 4 0", "0 1 0",
        "1 0 0", "0 0 0",
    )  # fmt: skip


def test_numbers_as_items_and_beyond_doubles() -> None:
    votes = ra.PairwiseMatrix.from_wins([[0, 1e25], [0, 0]], items=[-7, 10**30])
    assert votes.fingerprint == by_hand(
        "rankagg.votes 1", "2 1", "i-7", f"i{10**30}", f"0 {int(1e25)}", "0 0", "0 0", "0 0"
    )


def test_half_a_surrogate_pair_is_no_error() -> None:
    votes = ra.PairwiseMatrix.from_wins([[0, 1], [0, 0]], items=["\ud800", "b"])
    assert len(votes.fingerprint) == 64


def test_other_votes_have_other_fingerprints() -> None:
    wins = np.array([[0, 3, 1], [1, 0, 2], [2, 2, 0]])
    others = [
        ra.PairwiseMatrix.from_wins(wins, items="ABC"),
        ra.PairwiseMatrix.from_wins(wins, items="ACB"),
        ra.PairwiseMatrix.from_wins(wins),
        ra.PairwiseMatrix.from_wins(wins, items="012"),
        ra.PairwiseMatrix.from_wins(wins.T, items="ABC"),
        ra.PairwiseMatrix.from_wins(2 * wins, items="ABC"),
        ra.PairwiseMatrix.from_wins(wins / 2, items="ABC"),
        ra.PairwiseMatrix.from_wins(wins, items="ABC", ties=1 - np.eye(3)),
        ra.PairwiseMatrix.from_wins(wins[:2, :2], items="AB"),
        ra.PairwiseMatrix.from_wins(1 - np.eye(3), items="ABC", ties=wins + wins.T),
        ra.PairwiseMatrix.from_wins(wins + wins.T, items="ABC", ties=1 - np.eye(3)),
    ]
    for one, other in combinations(others, 2):
        assert one.fingerprint != other.fingerprint


def test_the_way_of_counting_is_no_part_of_it() -> None:
    profile = ra.Profile.from_orders(["ABC", "BCA"], counts=[3, 2])
    plain = ra.PairwiseMatrix.from_wins(profile.pairwise().wins, items="ABC")
    assert profile.pairwise().fingerprint == plain.fingerprint
    assert profile.pairwise(unranked="ignore").fingerprint == plain.fingerprint


@pytest.mark.parametrize("largest", [1, 9, 10, 99, 2**16, 10**20])
@pytest.mark.parametrize("n", [1, 3, 40])
def test_numbers_are_written_alike_whatever_their_size(n: int, largest: int) -> None:
    rng = np.random.default_rng(n)
    wins = rng.integers(0, min(largest, 2**40) + 1, (n, n)).astype(object)
    wins[0, -1] = largest
    np.fill_diagonal(wins, 0)
    lines = [" ".join(map(str, row)) for matrix in (wins, 0 * wins) for row in matrix.tolist()]
    heads = [f"rankagg.votes 1\n{n} 7", *(f"i{i}" for i in range(n))]
    assert fingerprint(range(n), fit(wins), fit(0 * wins), 7) == by_hand(*heads, *lines)
