"""The best top-k list against all lists."""

from fractions import Fraction
from itertools import combinations, permutations
from random import Random

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation.kemeny import top_k
from rankagg.aggregation.kemeny.pulp_programs import IntegerProgram, _Optimum
from rankagg.exceptions import InvalidInputError, OutOfTimeError, SolverError
from tests.aggregation.kemeny.random_votes import random_votes
from tests.tournaments import PALEY, paley

PRICES = (0.0, 0.1, 0.25, 0.5, 1.0)


def costs(votes: ra.PairwiseMatrix, k: int, tie_cost, consensus_tie_cost) -> dict:
    """Return every list of k items with its cost: a pair at a time, nothing but the definition."""
    wins, ties, scale = votes.lowest_terms
    wins, ties = wins.tolist(), ties.tolist()
    voted, agreed = Fraction(str(tie_cost)), Fraction(str(consensus_tie_cost))

    def cost(placed) -> Fraction:
        total, behind = Fraction(0), set(range(votes.n_items))
        for item in placed:
            behind.remove(item)
            total += sum(wins[other][item] + voted * ties[item][other] for other in behind)
        pairs = combinations(behind, 2)
        total += sum(agreed * (wins[one][other] + wins[other][one]) for one, other in pairs)
        return total / scale

    return {placed: cost(placed) for placed in permutations(range(votes.n_items), k)}


def listed(consensus: ra.Consensus, k: int) -> tuple[int, ...]:
    """Return the positions on the first k places."""
    return tuple(np.argsort(consensus.ranking.ranks, kind="stable")[:k].tolist())


@pytest.mark.parametrize("seeds", [range(5), pytest.param(range(5, 200), marks=pytest.mark.slow)])
def test_no_list_costs_less(seeds) -> None:
    for seed in seeds:
        rng = Random(seed)
        votes = random_votes(rng, rng.randint(1, 6))
        n = votes.n_items
        for k in range(1, n + 1):
            tied, agreed = rng.choice(PRICES), rng.choice(PRICES)
            found = ra.TopK(k, tie_cost=tied, consensus_tie_cost=agreed).aggregate(votes)
            everything = costs(votes, k, tied, agreed)
            least = min(everything.values())
            assert everything[listed(found, k)] == least, (seed, k, tied, agreed)
            assert found.cost == pytest.approx(float(least))
            assert [len(bucket) for bucket in found.buckets] == [1] * k + [n - k] * (k < n)
            assert (found.certificate, found.is_proved, found.optima) == (None, None, None)


@pytest.mark.parametrize("at_once", [0, pytest.param(20, marks=pytest.mark.slow)])
def test_rows_exclude_cycles(monkeypatch, at_once: int) -> None:
    """Without these rows the program would count each pair of a cycle for the majority."""
    votes = paley(7)
    monkeypatch.setattr(top_k, "ALL_AT_ONCE", at_once)
    for k in (3, 4):
        everything = costs(votes, k, 0.5, 0.5)
        found = ra.TopK(k).aggregate(votes)
        assert everything[listed(found, k)] == min(everything.values())
        assert found.cost == float(min(everything.values()))


def test_huge_votes_are_exact() -> None:
    wins = np.random.default_rng(0).integers(0, 9, (5, 5)) * (1 - np.eye(5))
    many = ra.PairwiseMatrix.from_wins(wins * 2.0**100)
    for k in range(1, 6):
        found = ra.TopK(k).aggregate(many)
        everything = costs(many, k, 0.5, 0.5)
        assert everything[listed(found, k)] == min(everything.values())
        assert not found.notes


def test_the_note_bounds_the_inaccuracy_of_the_solver() -> None:
    wins = np.random.default_rng(0).random((6, 6)) * 1e9
    np.fill_diagonal(wins, 0)
    votes = ra.PairwiseMatrix.from_wins(wins)
    found = ra.TopK(3).aggregate(votes)
    (note,) = found.notes
    assert note.endswith(
        "votes more than the cheapest one: the solver's numbers hold no more digits"
    )
    bound = float(note.split("at most ")[1].split(" votes")[0].replace(",", ""))
    everything = costs(votes, 3, 0.5, 0.5)
    least = float(min(everything.values()))
    assert 0 < bound < 1e-6 * least
    assert float(everything[listed(found, 3)]) <= least + 1.1 * bound


def test_costs_of_top_k_lists_of_leaderboards_are_known(data) -> None:
    for name, k, cost in (("superglue", 5, 922.5), ("superglue", 10, 585.5)):
        table = ra.read_scores(data(f"tasks/{name}.csv"), higher_is_better=True)
        assert ra.TopK(k).aggregate(table).cost == cost


def test_without_time_an_error_is_raised() -> None:
    with pytest.raises(OutOfTimeError, match="TopK"):
        ra.TopK(3, time_limit=0).aggregate(PALEY)


def test_a_solver_that_breaks_a_row_is_refused(monkeypatch) -> None:
    def nothing(self, deadline):
        return _Optimum(0, np.zeros(11 + 110, dtype=np.int64))

    monkeypatch.setattr(IntegerProgram, "solve", nothing)
    with pytest.raises(SolverError, match="broke a row"):
        ra.TopK(3).aggregate(PALEY)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ra.TopK(0), "`k of TopK`"),
        (lambda: ra.TopK(k=2.5), "`k of TopK`"),
        (lambda: ra.TopK(True), "`k of TopK`"),
        (lambda: ra.TopK(1, tie_cost=2), "`tie_cost of TopK`"),
        (lambda: ra.TopK(1, consensus_tie_cost=-1), "`consensus_tie_cost of TopK`"),
        (lambda: ra.TopK(1, time_limit=-1), "`time_limit of TopK`"),
        (lambda: ra.TopK(5).aggregate(ra.Profile.from_orders(["ABC"])), "number of items, 3"),
    ],
)
def test_bad_parameters_are_refused_in_one_sentence(make, words: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        make()
    assert words in str(refused.value)


def test_lists_are_not_used_as_the_exact_reference() -> None:
    table = ra.datasets.load("glue_human")
    assert ra.compare(table, [ra.TopK(2), ra.Borda()]).exact is None
    comparison = ra.compare(table, [ra.TopK(2), ra.Kemeny()])
    assert isinstance(comparison.exact.rule, ra.Kemeny)
    with pytest.raises(InvalidInputError, match="set of optima is known"):
        ra.rank_shares(table, ra.TopK(2), n_resamples=2, rng=0)
