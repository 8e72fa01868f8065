"""Whatever a solver does, no false optimum is claimed."""

import signal
import subprocess
import sys
from typing import Any

import highspy
import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny import relaxation
from rankagg.aggregation.kemeny.relaxation import Point
from rankagg.exceptions import SolverError

CYCLE = ra.datasets.load("condorcet_1785")


# -- the live HiGHS object ------------------------------------------------------------------------


def patch_highs(monkeypatch: pytest.MonkeyPatch, method: str, replacement: Any) -> None:
    """Replace a method of HiGHS from the first solve on rows on, PuLP's own solve being over."""
    original = relaxation.Relaxation.solve

    def solve(self: relaxation.Relaxation, deadline: Deadline) -> Point:
        monkeypatch.setattr(highspy.Highs, method, replacement)
        return original(self, deadline)

    monkeypatch.setattr(relaxation.Relaxation, "solve", solve)


@pytest.mark.parametrize("status", ["kInfeasible", "kUnknown", None])
def test_status_short_of_optimal_is_an_error(monkeypatch, status) -> None:
    if status is None:  # a run that fails, although the model says optimal
        patch_highs(monkeypatch, "run", lambda self: highspy.HighsStatus.kError)
    else:
        value = getattr(highspy.HighsModelStatus, status)
        patch_highs(monkeypatch, "getModelStatus", lambda self: value)
    with pytest.raises(SolverError, match="HiGHS did not reach an optimum"):
        ra.Kemeny().aggregate(CYCLE)


class Spoiled:
    """A solution whose numbers were changed on the way."""

    def __init__(self, solution: Any, values: Any, duals: Any) -> None:
        self.col_value = values(np.array(solution.col_value))
        self.row_dual = duals(np.array(solution.row_dual))


def keep(numbers: np.ndarray) -> np.ndarray:
    return numbers


SPOILERS = {
    "values stale": (np.zeros_like, keep),
    "values turned round": (lambda x: 1 - x, keep),
    "values fractional": (lambda x: np.full_like(x, 0.5), keep),
    "values outside": (lambda x: x + 7, keep),
    "duals too large": (keep, lambda y: 1000 * y),
    "duals turned round": (keep, lambda y: -y),
    "duals infinite": (keep, lambda y: y - np.inf),
    "duals nan": (keep, lambda y: y * np.nan),
    "duals gone": (keep, lambda y: 0 * y),
}


@pytest.mark.parametrize("name", SPOILERS)
def test_spoiled_numbers_prove_no_false_optimum(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    original = highspy.Highs.getSolution
    spoil = SPOILERS[name]
    patch_highs(monkeypatch, "getSolution", lambda self: Spoiled(original(self), *spoil))
    try:
        exact = ra.Kemeny(time_limit=1).aggregate(CYCLE)
    except SolverError:
        return
    votes = CYCLE.pairwise()
    assert exact.certificate.verify(votes)
    assert exact.certificate.lower_bound <= 76 <= exact.cost
    if exact.cost > 76:
        assert exact.certificate.status == "gap"


@pytest.mark.slow
def test_another_number_of_threads_in_the_process_proves_no_false_optimum() -> None:
    # HiGHS refuses to run with a number of threads that differs from the first one it saw.
    script = """
import highspy, rankagg as ra
first = highspy.Highs()
first.setOptionValue("output_flag", False)
first.setOptionValue("threads", 2)
first.addVar(0, 1)
first.run()
try:
    exact = ra.Kemeny().aggregate(ra.datasets.load("condorcet_1785"))
    print("proved", exact.certificate.cost, exact.certificate.status)
except ra.exceptions.SolverError as error:
    print("error", error)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(("proved 76.0 optimal", "error"))


# -- stopping early -------------------------------------------------------------------------------


def test_no_time_gives_a_ranking_a_bound_and_a_gap() -> None:
    exact = ra.Kemeny(time_limit=0).aggregate(CYCLE)
    assert exact.certificate.status == "gap"
    assert exact.certificate.lower_bound == 70
    assert exact.certificate.verify(CYCLE.pairwise())
    assert exact.notes == ("not proved optimal within the time limit of 0 s",)


def test_interruption_gives_the_best_ranking_so_far(monkeypatch) -> None:
    def interrupt(*_):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(relaxation.Relaxation, "solve", interrupt)
    exact = ra.Kemeny().aggregate(CYCLE)
    assert exact.certificate.status == "gap"
    assert exact.notes == ("interrupted: the best ranking so far, not proved optimal",)
    assert exact.cost >= 76
