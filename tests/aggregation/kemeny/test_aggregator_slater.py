"""Slater's rule against all orders, and its proof."""

from itertools import permutations

import pytest

import rankagg as ra
from rankagg.exceptions import VerificationError
from tests.aggregation.kemeny.constrained_brute import random_votes
from tests.tournaments import PALEY


def contradicted(votes: ra.PairwiseMatrix, order: tuple[int, ...]) -> int:
    wins = votes.scaled_wins
    return sum(wins[b, a] > wins[a, b] for at, a in enumerate(order) for b in order[at + 1 :])


@pytest.mark.parametrize("seed", range(8))
def test_the_fewest_majorities_are_contradicted(seed: int) -> None:
    items, votes = random_votes(seed)
    consensus = ra.Slater().aggregate(votes)
    numbers = {order: contradicted(votes, order) for order in permutations(range(len(items)))}
    least = min(numbers.values())
    found = tuple(votes.items.indices(consensus.order))
    assert numbers[found] == least == consensus.certificate.cost
    assert consensus.is_proved
    assert consensus.certificate.verify(ra.Slater.tournament(votes))
    best = {order for order, number in numbers.items() if number == least}
    assert {tuple(votes.items.indices(one.order)) for one in consensus.optima} == best


def test_the_proof_is_of_the_tournament() -> None:
    votes = ra.datasets.load("condorcet_1785").pairwise()
    certificate = ra.Slater().aggregate(votes).certificate
    with pytest.raises(VerificationError, match="other votes"):
        certificate.verify(votes)
    stopped = ra.Slater(time_limit=0).aggregate(PALEY)
    assert stopped.certificate.status == "gap"
    assert stopped.notes == ("not proved optimal within the time limit of 0 s",)


def test_it_is_no_yardstick() -> None:
    table = ra.datasets.load("tennessee")
    compared = ra.compare(table, [ra.Slater(), ra.Borda()])
    assert compared.exact is None
    compared = ra.compare(table, [ra.Slater(), ra.Kemeny()])
    assert isinstance(compared.exact.rule, ra.Kemeny)
