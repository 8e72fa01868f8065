"""Rows are derived where cycles end, as long as that helps."""

import numpy as np

from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proof import forms_of
from rankagg.aggregation.kemeny.relaxation import Relaxation
from rankagg.aggregation.kemeny.strict_search import HALF_ROUNDS, CycleTightening
from rankagg.aggregation.kemeny.violated_rows import violated_cycles
from tests.tournaments import noisy_paley

NEVER = Deadline()


def rounds(problem: Problem, left: float, *, is_first: bool) -> tuple[list[float], list[int]]:
    """Tighten a case to its end; return its values, and how many rows each round derived."""
    relaxation = Relaxation(problem)
    margins = problem.margins.astype(float)
    tightening = CycleTightening(relaxation, NEVER, margins, is_first=is_first)
    values, derived = [], []
    while True:
        point = relaxation.solve(NEVER)
        values.append(point.value)
        present = len(relaxation.derived)
        goes_on = tightening.add_rows(point, left)
        new = relaxation.derived[present:]
        derived.append(len(new))
        if new:
            assert not len(violated_cycles(point.before, margins, NEVER))
        for form in forms_of(relaxation.derived)[present:]:
            assert form.counts @ point.before[form.tails, form.heads] < form.least
        if not goes_on:
            return values, derived


def test_rows_follow_cycles_and_raise_the_bound_until_they_close_too_little() -> None:
    problem = Problem.from_pairwise(noisy_paley(2))
    counts = []
    for is_first, left in ((True, 0.5), (True, 1e6), (True, 1e-3)):
        values, derived = rounds(problem, left, is_first=is_first)
        first = next(at for at, number in enumerate(derived) if number)
        assert values[-1] > values[first] + 1.5
        counts.append(np.count_nonzero(derived))
        assert derived[-1] == 0
    assert counts[0] > counts[1] == HALF_ROUNDS[True]
    assert counts[2] == counts[0], "less than a unit counts as one"


def test_an_order_needs_no_rows() -> None:
    costs = np.tril(np.ones((6, 6), dtype=int), -1)
    assert rounds(Problem(costs, 0, 1), 1.0, is_first=True) == ([0.0], [0])
