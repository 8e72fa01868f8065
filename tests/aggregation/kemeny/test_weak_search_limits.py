"""Time limits, interruptions and solvers that fail: what comes back is true, or an error."""

import logging
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation.kemeny import parts, tied_optima, weak_search
from rankagg.aggregation.kemeny.weak_search import _WeakRelaxation
from tests.aggregation.kemeny.weak_brute import rule
from tests.tournaments import PALEY

WHOLE = (Fraction(1), Fraction(1))
HALF = (Fraction(1, 2), Fraction(1, 2))
TIED = ra.Profile.from_ranks(np.random.default_rng(0).integers(1, 5, (7, 12))).pairwise()


def test_ctrl_c_before_anything(monkeypatch) -> None:
    def stop(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(tied_optima, "WeakSearch", stop)
    found = rule(HALF).aggregate(TIED)
    assert found.interrupted
    assert found.certificate.verify(TIED)


@pytest.mark.parametrize("factor", [3.0, float("nan")])
def test_a_solver_that_lies_about_weights_proves_nothing_false(monkeypatch, factor: float) -> None:
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


def test_a_point_that_is_wrong_costs_time_and_no_truth(monkeypatch) -> None:
    real = _WeakRelaxation.solve

    def turned(self, deadline):
        point = real(self, deadline)
        return replace(point, before=point.before.T.copy())

    monkeypatch.setattr(_WeakRelaxation, "solve", turned)
    small = ra.datasets.load("condorcet_1785").pairwise()
    found = rule(HALF).aggregate(small)
    assert found.certificate.verify(small)
    assert found.certificate.lower_bound <= 76 <= found.cost


def test_progress_is_told_to_the_logger(monkeypatch, caplog) -> None:
    monkeypatch.setattr(parts, "SECONDS_BETWEEN_LINES", 0.0)
    with caplog.at_level(logging.INFO, logger="rankagg.kemeny"):
        rule(WHOLE).aggregate(PALEY)
    assert caplog.messages
    assert all(m.startswith("bound ") and "part of 11 items" in m for m in caplog.messages)
