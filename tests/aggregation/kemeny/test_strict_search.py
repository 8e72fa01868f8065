"""Related problems share work to save time, and never proofs."""

import pickle
from typing import Any

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny import strict_search
from rankagg.aggregation.kemeny.parts import Warm
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.check_certificate import Enumeration
from tests.tournaments import PALEY


def votes_of(rng: np.random.Generator, n: int, m: int) -> ra.PairwiseMatrix:
    """Votes of m uniform orders of n items."""
    return ra.Profile.from_orders([rng.permutation(n) for _ in range(m)]).pairwise()


@pytest.mark.parametrize("small", [2, 10])
@pytest.mark.parametrize("n", [6, 9])
def test_costs_are_those_of_fresh_solves(monkeypatch: Any, n: int, small: int) -> None:
    monkeypatch.setattr(strict_search, "TABLE_UP_TO", small)
    rng = np.random.default_rng(n)
    warm = Warm(n)
    for _ in range(10):
        margins = rng.integers(-6, 7, (n, n))
        votes = ra.PairwiseMatrix.from_wins(np.maximum(np.triu(margins, 1) - np.tril(margins), 0))
        found = ra.Kemeny().solve(votes, warm=warm).certificate
        assert found.cost == ra.Kemeny(backend="subset-dp").solve(votes).certificate.cost
        assert found.status == "optimal"
        assert found.verify(votes)


def test_problems_that_cycles_leave_open_are_proved_by_other_rows() -> None:
    rng = np.random.default_rng(0)
    warm, went_on = Warm(22), 0
    for _ in range(2):
        margins = np.triu(rng.integers(-9, 10, (22, 22)), 1)
        votes = ra.PairwiseMatrix.from_wins(np.maximum(margins - margins.T, 0))
        found = ra.Kemeny().solve(votes, warm=warm).certificate
        assert found.status == "optimal"
        assert found.verify(votes)
        assert found.cost == ra.Kemeny().solve(votes).certificate.cost
        went_on += sum(len(p.nodes) > 1 or len(p.rows) > 0 for p in found.proofs)
    assert went_on > 0


def test_the_smallest_parts_are_enumerated() -> None:
    votes = ra.Profile.from_orders(["ABC", "BCA", "CAB"]).pairwise()
    found = ra.Kemeny().solve(votes, warm=Warm(3)).certificate
    assert [proof.nodes for proof in found.proofs] == [(Enumeration(),)]


def test_few_items_with_weak_rows_are_enumerated(monkeypatch) -> None:
    monkeypatch.setattr(strict_search, "ENUMERATE_FROM", 3)
    exact = ra.Kemeny().aggregate(PALEY)
    assert exact.is_proved
    assert exact.certificate.proofs[0].nodes == (Enumeration(),)


@pytest.mark.parametrize("stop", [0.0, None])
def test_a_limit_leaves_an_order_and_a_bound(monkeypatch, stop) -> None:
    votes = votes_of(np.random.default_rng(0), 40, 5)
    if stop is None:  # after the first relaxation
        at = [False]
        monkeypatch.setattr(
            strict_search, "violated_cycles", _stopping(at, strict_search.violated_cycles)
        )
    found = ra.Kemeny().solve(votes, warm=Warm(40), deadline=Deadline.after(stop)).certificate
    best = ra.Kemeny().solve(votes).certificate.cost
    assert found.status == "gap"
    assert found.verify(votes)
    assert found.lower_bound <= best <= found.cost
    floor = Problem.from_pairwise(votes)
    assert (found.scaled_lower_bound > floor.floor) == (stop is None)


def _stopping(called: list[bool], inner: Any) -> Any:
    def stops(*given: Any) -> Any:
        if called[0]:
            raise ra.exceptions.OutOfTimeError
        called[0] = True
        return inner(*given)

    return stops


def test_copies_learn_separately_and_pickles_drop_the_solver() -> None:
    warm = Warm(4)
    assert warm.live is warm.fork().live
    warm.learn(np.array([[0, 1, 2]]))
    other = warm.fork()
    other.learn(np.array([[0, 1, 2], [1, 2, 3]]))
    assert warm.cycles.tolist() == [[0, 1, 2]]
    part = np.array([1, 2, 3])
    assert other.within(part).cycles.tolist() == [[0, 1, 2]]
    sent = pickle.loads(pickle.dumps(other))
    assert sent.cycles.tolist() == [[0, 1, 2], [1, 2, 3]]
    assert sent.live is not warm.live
