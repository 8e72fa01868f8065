"""The exact consensus among weak orders against all of them."""

import logging
from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.aggregation.kemeny import parts, weak_search
from rankagg.aggregation.kemeny.weak_proof import WeakProblem
from rankagg.aggregation.kemeny.weak_search import _WeakRelaxation
from rankagg.exceptions import InvalidInputError
from tests.aggregation.kemeny import weak_brute
from tests.aggregation.kemeny.random_votes import random_votes
from tests.aggregation.kemeny.weak_brute import rule
from tests.conftest import seeds
from tests.strategies import policies, profiles
from tests.tournaments import PALEY, proved_paley

HALF = (Fraction(1, 2), Fraction(1, 2))
prices_of_all_kinds = st.sampled_from(weak_brute.PRICES)


def check(votes: ra.PairwiseMatrix, prices, **options) -> ra.Consensus:
    """Hold a consensus against all weak orders."""
    exact = weak_brute.rule(prices, **options).aggregate(votes)
    least, best = weak_brute.optima(votes, prices)
    assert weak_brute.levels_of(exact.ranking) in best
    assert Fraction(exact.certificate.scaled_cost, exact.certificate.denominator) == least
    assert exact.certificate.status == "optimal"
    assert exact.certificate.verify(votes)
    assert exact.certificate.ranking == exact.ranking
    return exact


@settings(max_examples=15)
@given(profile=profiles(max_size=5), unranked=policies, prices=prices_of_all_kinds)
def test_profiles_of_every_kind(profile: ra.Profile, unranked: str, prices) -> None:
    data = profile.with_unranked(unranked)
    exact = check(data.pairwise(), prices)
    assert exact.cost == pytest.approx(exact.certificate.cost)
    again = weak_brute.rule(prices).aggregate(data)
    assert again.certificate.scaled_cost == exact.certificate.scaled_cost


@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 1000), marks=pytest.mark.slow)])
def test_optima_of_up_to_six_items_equal_brute_force(seeds) -> None:
    for seed in seeds:
        rng = Random(seed)
        n = 6 if seed < 6 else rng.choice((2, 3, 4, 5, 5, 6))
        check(random_votes(rng, n), rng.choice(weak_brute.PRICES))


LIGHT = [prices for prices in weak_brute.PRICES if prices[1] in (0, 1, Fraction(1, 4))]


@pytest.mark.parametrize(
    "prices",
    [
        pytest.param(prices, marks=() if prices in LIGHT[:1] else pytest.mark.slow)
        for prices in weak_brute.PRICES
    ],
)
def test_relaxations_that_are_weak_are_branched_on(prices) -> None:
    """Eleven items with cyclic symmetry, compared with the strict rule where it is the same."""
    votes = PALEY
    exact = weak_brute.rule(prices).aggregate(votes)
    assert exact.certificate.status == "optimal"
    if prices[1] >= HALF[1]:
        # Without tied votes a tie costs no less than the cheaper of two ways to break it.
        assert exact.certificate.cost == proved_paley(11).cost == 20
        assert exact.certificate.n_cases > 1
    else:
        # 55 pairs, every one of them with one vote.
        assert exact.certificate.cost == float(55 * prices[1])
        assert weak_brute.levels_of(exact.ranking) == (0,) * 11


# -- splitting --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", seeds(5, 50))
def test_groups_keep_an_optimum_and_strict_groups_keep_all(seed: int) -> None:
    """Also where costs are no penalties at all: the proof asks nothing of them."""
    rng = Random(seed)
    n = rng.choice((3, 4, 5))
    above = np.array([[rng.randrange(4) * (i != j) for j in range(n)] for i in range(n)])
    half = np.array([[rng.randrange(4) * (i < j) for j in range(n)] for i in range(n)])
    problem = WeakProblem(above, half + half.T, 1)
    costs = {w: problem.cost(np.array(w)) for w in weak_brute.weak_orders(n)}
    best = [w for w, c in costs.items() if c == min(costs.values())]

    def keeps(levels, parts) -> bool:
        return all(
            max(levels[i] for i in earlier) < min(levels[i] for i in later)
            for at, earlier in enumerate(parts)
            for later in parts[at + 1 :]
        )

    assert any(keeps(w, problem.groups()) for w in best)
    assert all(keeps(w, problem.groups(all_optima=True)) for w in best)
    parts = problem.groups()
    least = sum(
        min(problem.restrict(part).cost(np.array(w)) for w in weak_brute.weak_orders(len(part)))
        for part in parts
    )
    across = sum(
        int(problem.cheapest[i, j])
        for at, part in enumerate(parts)
        for later in parts[at + 1 :]
        for i in part
        for j in later
    )
    assert least + across == min(costs.values())


# -- costs ------------------------------------------------------------------------------------


@given(profile=profiles(max_size=5), prices=prices_of_all_kinds, data=st.data())
def test_costs_of_any_weak_order(profile: ra.Profile, prices, data: st.DataObject) -> None:
    votes = profile.pairwise()
    levels = data.draw(st.sampled_from(weak_brute.weak_orders(votes.n_items)))
    ranking = ra.PartialRanking.from_ranks(levels, items=votes.items)
    cost = votes.exact_cost(ranking, tie_cost=float(prices[0]), consensus_tie_cost=float(prices[1]))
    assert cost == weak_brute.cost(levels, votes, prices)
    assert votes.cost(ranking, tie_cost=0.5, consensus_tie_cost=None) == votes.cost(
        ranking, tie_cost=0.5
    )


# -- prices, guarantees and faults of the solver ----------------------------------------------


def test_inconsistent_tie_costs_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="tie_cost of Kemeny` must be above 0"):
        ra.Kemeny(consensus_ties=True)
    with pytest.raises(InvalidInputError, match="None for a strict consensus"):
        ra.Kemeny(consensus_tie_cost=0.5)
    with pytest.raises(InvalidInputError, match="consensus_tie_cost of Kemeny"):
        ra.Kemeny(consensus_ties=True, consensus_tie_cost=1.5)
    with pytest.raises(InvalidInputError, match="'cuts' where the consensus may tie"):
        ra.Kemeny(consensus_ties=True, tie_cost=0.5, backend="subset-dp")
    assert ra.Kemeny(consensus_ties=True, tie_cost=0.5).price_of_ties == 0.5
    assert ra.Kemeny(consensus_ties=True, consensus_tie_cost=0.25).price_of_ties == 0.25
    assert ra.Kemeny(tie_cost=0.5).price_of_ties is None


@pytest.mark.parametrize("prices", weak_brute.PRICES[::3])
def test_the_guarantee_holds_with_ties_broken_at_random(prices) -> None:
    rng = np.random.default_rng(1)
    exact_rule = weak_brute.rule(prices)
    assert not exact_rule.is_strict
    if prices[1] == 0:
        assert exact_rule.guarantee is None
        return
    for _ in range(4):
        votes = ra.Profile.from_orders([rng.permutation(5) for _ in range(3)]).pairwise()
        least = ra.Kemeny().aggregate(votes).cost
        at_random = votes.cost(exact_rule.aggregate(votes).ranking)
        assert at_random <= exact_rule.guarantee.factor * least + 1e-9


# -- limits, interruptions, solvers that fail -----------------------------------------------------

WHOLE = (Fraction(1), Fraction(1))
TIED = ra.Profile.from_ranks(np.random.default_rng(0).integers(1, 5, (7, 12))).pairwise()


def test_ctrl_c_before_the_search_leaves_a_valid_result(monkeypatch) -> None:
    def stop(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(weak_search, "WeakSearch", stop)
    found = rule(HALF).aggregate(TIED)
    assert found.interrupted
    assert found.certificate.verify(TIED)


@pytest.mark.parametrize("factor", [3.0, float("nan")])
def test_wrong_weights_of_a_solver_prove_nothing_false(monkeypatch, factor: float) -> None:
    """Weights are a help, and the bound is computed without the solver."""
    real = _WeakRelaxation.solve
    honest = rule(WHOLE).aggregate(TIED).cost

    def lying(self, deadline):
        point = real(self, deadline)
        with np.errstate(invalid="ignore", over="ignore"):
            return replace(point, value=point.value * 2, duals=point.duals * factor)

    monkeypatch.setattr(_WeakRelaxation, "solve", lying)
    # Without bounds a search would branch to the end.
    monkeypatch.setattr(weak_search.WeakSearch, "_divide", lambda self, at, point: _stop())
    found = rule(WHOLE).aggregate(TIED)
    assert found.certificate.verify(TIED)
    assert found.certificate.lower_bound <= honest <= found.cost


def _stop():
    raise KeyboardInterrupt


def test_a_wrong_point_of_a_solver_proves_nothing_false(monkeypatch) -> None:
    real = _WeakRelaxation.solve

    def turned(self, deadline):
        point = real(self, deadline)
        return replace(point, before=point.before.T.copy())

    monkeypatch.setattr(_WeakRelaxation, "solve", turned)
    small = ra.datasets.load("condorcet_1785").pairwise()
    found = rule(HALF).aggregate(small)
    assert found.certificate.verify(small)
    assert found.certificate.lower_bound <= 76 <= found.cost


def test_progress_is_logged(monkeypatch, caplog) -> None:
    monkeypatch.setattr(parts, "SECONDS_BETWEEN_LINES", 0.0)
    with caplog.at_level(logging.INFO, logger="rankagg.kemeny"):
        rule(WHOLE).aggregate(PALEY)
    assert caplog.messages
    assert all(m.startswith("bound ") and "part of 11 items" in m for m in caplog.messages)
