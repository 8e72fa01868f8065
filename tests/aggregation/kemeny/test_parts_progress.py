"""What a search says on its way, and processes for its parts."""

import os
import pickle
import signal
from dataclasses import replace

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny import cuts, parts
from rankagg.aggregation.kemeny.branch_and_bound import Search
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.check_certificate import Enumeration
from tests.tournaments import PALEY, noisy_paley, paley


def hard(n: int = 60, m: int = 10, seed: int = 2) -> ra.PairwiseMatrix:
    rng = np.random.default_rng(seed)
    return ra.Profile.from_orders([rng.permutation(n).tolist() for _ in range(m)]).pairwise()


def two_parts(n: int) -> ra.PairwiseMatrix:
    """Return votes with two parts of n items, the first unanimously above the second."""
    rng = np.random.default_rng(5)
    orders = [[*rng.permutation(n).tolist(), *(n + rng.permutation(n)).tolist()] for _ in range(9)]
    return ra.Profile.from_orders(orders).pairwise()


@pytest.mark.parametrize("options", [{}, {"consensus_ties": True, "tie_cost": 0.5}])
def test_the_listener_hears_costs_that_hold(options) -> None:
    heard: list[tuple[float, float]] = []
    votes = hard(16)
    exact = ra.Kemeny(on_progress=lambda *both: heard.append(both), **options).aggregate(votes)
    assert heard
    assert all(bound <= exact.cost <= best for best, bound in heard)
    assert heard[-1] == (exact.cost, exact.cost)


def test_the_listener_stops_the_search() -> None:
    calls = []

    def listen(best: float, bound: float) -> bool:
        calls.append((best, bound))
        return bound < best

    votes = hard(100)
    stopped = ra.Kemeny(on_progress=listen).aggregate(votes)
    assert stopped.certificate.status == "gap"
    assert stopped.certificate.verify(votes)
    assert any("stopped by `on_progress`" in note for note in stopped.notes)
    assert sum(bound < best for best, bound in calls) == 1


def test_what_a_listener_raises_comes_out_and_rules_are_equal_whoever_listens() -> None:
    with pytest.raises(ZeroDivisionError):
        ra.Kemeny(on_progress=lambda best, bound: 1 / 0).aggregate(hard(16))
    assert ra.Kemeny(on_progress=print) == ra.Kemeny()
    assert ra.Kemeny(on_progress=print).name == "Kemeny"


def pickled(function, items, n_jobs: int) -> list:
    """Do in this process what others would."""
    sent = [pickle.dumps((function, item)) for item in items]
    return [function(item) for function, item in map(pickle.loads, sent)]


@pytest.mark.parametrize("real", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_processes_change_no_cost(monkeypatch, real: bool) -> None:
    if not real:
        monkeypatch.setattr(parts, "in_processes", pickled)
    votes = two_parts(30)
    one, two = (ra.Kemeny(n_jobs=n_jobs).aggregate(votes) for n_jobs in (1, 2))
    assert len(one.certificate.proofs) == 2
    assert two.cost == one.cost
    assert two.is_proved
    assert two.certificate.verify(votes)


def test_cases_that_processes_have_searched_make_one_proof(monkeypatch) -> None:
    monkeypatch.setattr(cuts, "CASES_PER_JOB", 1)
    monkeypatch.setattr(cuts, "in_processes", pickled)
    problem = Problem.from_pairwise(PALEY)
    search = Search(problem)
    cuts._run_together(search, 2, [])
    proof = search.proof
    assert search.is_done
    assert search.upper == proof.bound(problem) == 20
    assert proof.n_cases > 2
    assert proof.rows


SOLVE = cuts._search_elsewhere


def solve_too_late(case: cuts._OpenCase) -> object:
    """Begin a case when the time is over, as on a slow machine."""
    return SOLVE(replace(case, deadline=Deadline(0.0)))


def test_processes_that_run_out_of_time_leave_the_bound_that_was_known(monkeypatch) -> None:
    monkeypatch.setattr(cuts, "CASES_PER_JOB", 1)
    monkeypatch.setattr(cuts, "ENUMERABLE", 0)  # no enumeration
    monkeypatch.setattr(cuts, "_search_elsewhere", solve_too_late)
    monkeypatch.setattr(cuts, "in_processes", pickled)
    votes = paley(19)
    stopped = ra.Kemeny(n_jobs=2).aggregate(votes).certificate
    assert stopped.status == "gap"
    assert stopped.lower_bound >= 57  # the relaxation gives a third of all pairs
    assert stopped.verify(votes)


def die(task: object) -> None:
    """End the process that was asked to do something, as where memory is short."""
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
def test_a_lost_process_costs_time_and_is_told(monkeypatch) -> None:
    through = parts.in_processes
    monkeypatch.setattr(parts, "in_processes", lambda _, items, n: through(die, items, n))
    votes = two_parts(30)
    exact = ra.Kemeny(n_jobs=2).aggregate(votes)
    assert exact.is_proved
    assert exact.certificate.verify(votes)
    assert exact.notes == (parts.PROCESS_LOST,)


def test_cases_of_a_lost_process_are_searched_by_one(monkeypatch) -> None:
    monkeypatch.setattr(cuts, "CASES_PER_JOB", 1)
    monkeypatch.setattr(cuts, "ENUMERABLE", 0)  # no enumeration
    monkeypatch.setattr(cuts, "in_processes", lambda *_: None)  # as where one was lost
    monkeypatch.setattr(parts, "in_processes", cuts.in_processes)
    for votes in (noisy_paley(2), two_parts(30)):
        exact = ra.Kemeny(n_jobs=2).aggregate(votes)
        assert exact.is_proved
        assert exact.notes == (parts.PROCESS_LOST,)


def test_few_items_that_rows_say_little_about_are_enumerated(monkeypatch) -> None:
    monkeypatch.setattr(cuts, "ENUMERATE_FROM", 3)
    exact = ra.Kemeny().aggregate(PALEY)
    assert exact.is_proved
    assert exact.certificate.proofs[0].nodes == (Enumeration(),)
