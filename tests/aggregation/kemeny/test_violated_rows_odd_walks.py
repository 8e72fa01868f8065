"""Halves of sums of cycles hold for every order, and are violated by their point."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny import violated_rows
from rankagg.aggregation.kemeny.proof import Form, forms_of

NEVER = Deadline()
TOLERANCE = 1e-9


def point_of(values: list[float], n: int) -> np.ndarray:
    before = np.zeros((n, n))
    before[np.triu_indices(n, 1)] = values
    before.T[np.triu_indices(n, 1)] = 1.0 - before[np.triu_indices(n, 1)]
    return before


@st.composite
def points(draw: st.DrawFn) -> np.ndarray:
    """Draw points with many values that solvers return: 0, 1, halves, and others."""
    n = draw(st.integers(3, 6))
    value = st.sampled_from([0.0, 1.0, 0.5, 0.5, 0.5, 1 / 3, 2 / 3]) | st.floats(0.0, 1.0)
    values = draw(st.lists(value, min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2))
    before = point_of(values, n)
    np.fill_diagonal(before, 0.0)
    return before


def used(form: Form, before: np.ndarray) -> float:
    return float(form.counts @ before[form.tails, form.heads])


def orders(n: int) -> list[np.ndarray]:
    return [np.argsort(order)[:, None] < np.argsort(order) for order in permutations(range(n))]


@given(points())
def test_rows_are_violated_and_hold_for_every_order(before: np.ndarray) -> None:
    for form in forms_of(violated_rows.violated_walks(before, 100, NEVER)):
        assert used(form, before) < form.least - 0.9 * violated_rows.LEAST_VIOLATION
        assert all(used(form, order) >= form.least for order in orders(len(before)))


@given(points(), st.lists(st.permutations(range(6)), min_size=1, max_size=12))
def test_the_violation_of_halves_is_that_of_their_forms(before: np.ndarray, drawn: list) -> None:
    n = len(before)
    cycles = np.array([[i for i in order if i < n][:3] for order in drawn])
    group = np.sort(np.arange(len(cycles)) % 3)
    found = violated_rows._halves_of(before, group, cycles)
    for form, violation in zip(forms_of(found), found.values(), strict=True):
        assert form.least - used(form, before) == pytest.approx(violation, abs=TOLERANCE)


# -- against all bounds that there are ----------------------------------------------------------


def least_slack_of_a_sum(before: np.ndarray, cycles: list[tuple[int, ...]]) -> float:
    """Try all bounds of all pairs: the least slack of a sum that is even in pairs, odd in all."""
    n = len(before)
    counts = np.zeros((n, n), dtype=int)
    for cycle in cycles:
        for i, j in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
            counts[i, j] += 1
    slack, demanded, odd = -float(len(cycles)), len(cycles), []
    slack += float((counts * before).sum())
    for i, j in combinations(range(n), 2):
        if (counts[i, j] + counts[j, i]) % 2:
            odd.append((i, j))
        # i before j and j before i together are once: what is left points one way.
        demanded -= int(min(counts[i, j], counts[j, i]))
    best = np.inf
    for choice in range(2 ** len(odd)):
        ways = [(j, i) if choice >> k & 1 else (i, j) for k, (i, j) in enumerate(odd)]
        against = sum(counts[j, i] > counts[i, j] for i, j in ways)
        if (demanded - against) % 2:
            best = min(best, slack + sum(before[way] for way in ways))
    return best


@given(points(), st.lists(st.permutations(range(6)), min_size=1, max_size=5, unique_by=tuple))
def test_halves_take_the_best_bounds(before: np.ndarray, drawn: list) -> None:
    n = len(before)
    cycles = {tuple(i for i in order if i < n)[:3] for order in drawn}
    cycles = {
        cycle[cycle.index(min(cycle)) :] + cycle[: cycle.index(min(cycle))] for cycle in cycles
    }
    groups = np.zeros(len(cycles), dtype=int)
    found = violated_rows._halves_of(before, groups, np.array(sorted(cycles)))
    violation = (1.0 - least_slack_of_a_sum(before, sorted(cycles))) / 2.0
    if violation > violated_rows.LEAST_VIOLATION + TOLERANCE:
        assert list(found.values()) == [pytest.approx(violation, abs=TOLERANCE)]
    elif violation < violated_rows.LEAST_VIOLATION - TOLERANCE:
        assert not found


# -- against a graph that is written down row by row --------------------------------------------


# -- what they are for ---------------------------------------------------------------------------


def test_the_worst_come_first() -> None:
    rng = np.random.default_rng(0)
    before = point_of(list(rng.choice([0.0, 1.0, 0.5, 0.5], size=45)), 10)
    np.fill_diagonal(before, 0.0)
    rows = violated_rows.violated_walks(before, 1000, NEVER)
    short = [form.least - used(form, before) for form in forms_of(rows)]
    assert len(short) > 10
    assert short == sorted(short, reverse=True)
    assert len(violated_rows.violated_walks(before, 7, NEVER)) == 7
