"""Every backend against brute force on small problems of every kind."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import InvalidInputError, VerificationError
from tests import oracles
from tests.aggregation.kemeny.constrained_brute import random_votes
from tests.strategies import policies, profiles
from tests.tournaments import PALEY, paley, proved_paley

BACKENDS = ("cuts", "subset-dp")


def best_cost(votes: ra.PairwiseMatrix) -> tuple[Fraction, list[tuple[int, ...]]]:
    scaled = votes.scaled_wins.tolist()
    cost, optima = oracles.kemeny(scaled)
    return cost / votes.denominator, optima


@given(profile=profiles(), unranked=policies)
def test_profiles_of_every_kind(profile: ra.Profile, unranked: str) -> None:
    data = profile.with_unranked(unranked)
    votes = data.pairwise()
    cost, optima = best_cost(votes)
    for backend in BACKENDS:
        exact = ra.Kemeny(backend=backend).aggregate(data)
        assert votes.exact_cost(exact.ranking) == cost
        assert profile.items.indices(exact.order) in [list(order) for order in optima]
        assert exact.certificate.status == "optimal"
        assert exact.certificate.verify(votes)


@st.composite
def integer_matrices(draw: st.DrawFn, sizes: tuple[int, ...] = (1, 3, 10**6)) -> ra.PairwiseMatrix:
    n = draw(st.integers(2, 6))
    largest = draw(st.sampled_from(sizes))
    cells = draw(st.lists(st.integers(0, largest), min_size=n * n, max_size=n * n))
    return ra.PairwiseMatrix.from_wins(np.array(cells, dtype=object).reshape(n, n))


def test_cost_of_tied_votes_shifts_the_optimum_by_a_constant() -> None:
    votes = ra.Profile(
        [ra.PartialRanking.from_buckets(["AB", "C"]), ra.PartialRanking.from_order("CAB")]
    ).pairwise()
    free, half = (ra.Kemeny(tie_cost=cost).aggregate(votes) for cost in (0, 0.5))
    assert half.cost == free.cost + 0.5
    assert half.certificate.lower_bound == free.certificate.lower_bound + 0.5
    level = ra.Kemeny().aggregate(ra.PairwiseMatrix.from_wins(np.ones((4, 4))))
    assert (level.cost, level.certificate.status, level.certificate.proofs) == (6, "optimal", ())


@pytest.mark.parametrize("prime", [7, 11])
def test_branching_proves_optima_that_the_relaxation_leaves_open(prime: int) -> None:
    votes = paley(prime)
    exact = proved_paley(prime)
    assert exact.certificate.status == "optimal"
    assert exact.certificate.verify(votes)
    assert exact.cost == ra.Kemeny(backend="subset-dp").aggregate(votes).cost
    if prime > 7:
        assert exact.certificate.n_cases > 1
        assert f"in {exact.certificate.n_cases} cases" in exact.certificate.summary()


@pytest.mark.parametrize(
    "parameters",
    [
        {"backend": "fast"}, {"tie_cost": 2}, {"backend": True},
        *({"time_limit": value} for value in (-1, float("nan"), "5", True)),
    ],
)  # fmt: skip
def test_bad_parameters_are_refused(parameters: dict[str, object]) -> None:
    name = next(iter(parameters))
    with pytest.raises(InvalidInputError, match=f"`{name} of Kemeny`"):
        ra.Kemeny(**parameters)
    if name == "time_limit":
        with pytest.raises(InvalidInputError, match="`time_limit"):
            ra.Kemeny().aggregate(ra.datasets.load("tennessee")).optima.within(parameters[name])


def test_large_denominators_leave_int64_and_stay_exact() -> None:
    # Partial rankings of many lengths: the common denominator is lcm(2(k + 1)) over k.
    rng = np.random.default_rng(5)
    n = 45
    scores = 4 * rng.random((43, n)) + np.arange(n)
    for row, observed in zip(scores, range(2, n), strict=True):
        row[rng.permutation(n)[observed:]] = np.nan
    profile = ra.Profile.from_scores(scores, higher_is_better=True)
    votes = profile.pairwise()
    assert votes.denominator > 2**63
    assert votes.is_exact
    borda = ra.Borda().aggregate(profile)
    certificate = ra.Kemeny().aggregate(votes).certificate
    assert certificate.verify(votes)
    assert certificate.lower_bound <= certificate.cost <= votes.cost(borda.ranking)


# -- Slater's rule --------------------------------------------------------------------------------


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


def test_slater_is_not_used_as_the_exact_reference() -> None:
    table = ra.datasets.load("tennessee")
    compared = ra.compare(table, [ra.Slater(), ra.Borda()])
    assert compared.exact is None
    compared = ra.compare(table, [ra.Slater(), ra.Kemeny()])
    assert isinstance(compared.exact.rule, ra.Kemeny)
