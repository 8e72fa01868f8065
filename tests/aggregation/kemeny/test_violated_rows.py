"""Ladders and fences on six items are facets; where a point violates one, it is found."""

from functools import cache
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny import violated_rows
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proof import Form
from rankagg.aggregation.kemeny.relaxation import Relaxation
from rankagg.aggregation.kemeny.violated_rows import (
    _violated_fences,
    _violated_ladders,
)

NEVER = Deadline()
# The arcs of a ladder (an order uses three of them) and of a fence (an order uses two).
LADDER = "ab ad bc be ca dc df ea ed fa fb"
FENCE = "ab cd ef bc be da de fa fc"
ORDERS = np.array([np.argsort(order) for order in permutations(range(6))])


def arcs_of(text: str, *, turned: bool = False) -> list[tuple[int, int]]:
    arcs = [("abcdef".index(arc[0]), "abcdef".index(arc[1])) for arc in text.split()]
    return [(j, i) for i, j in arcs] if turned else arcs


FACETS = {
    "ladder": (arcs_of(LADDER), 3, _violated_ladders),
    "ladder, turned": (arcs_of(LADDER, turned=True), 3, _violated_ladders),
    "fence": (arcs_of(FENCE), 2, _violated_fences),
}


def used(form: Form, before: np.ndarray) -> float:
    return float(form.counts @ before[form.tails, form.heads])


@cache
def all_facets(name: str) -> np.ndarray:
    """Return the arcs of a kind with the items in all orders, as zeros and ones."""
    arcs = FACETS[name][0]
    kinds = {frozenset((p[i], p[j]) for i, j in arcs) for p in permutations(range(6))}
    facets = np.zeros((len(kinds), 6, 6))
    for facet, kind in zip(facets, kinds, strict=True):
        facet[tuple(np.transpose(list(kind)))] = 1.0
    return facets


@pytest.mark.parametrize("name", FACETS)
def test_arcs_define_a_facet(name: str) -> None:
    tails, heads = np.transpose(FACETS[name][0])
    counts = (ORDERS[:, tails] < ORDERS[:, heads]).sum(axis=1)
    assert counts.min() == FACETS[name][1]
    first, second = np.triu_indices(6, 1)
    face = (ORDERS[:, first] < ORDERS[:, second])[counts == counts.min()].astype(int)
    # Fifteen pairs: a facet has dimension fourteen.
    assert np.linalg.matrix_rank(face[1:] - face[0]) == 14


@pytest.mark.parametrize("name", FACETS)
def test_the_relaxation_is_closed_by_one_row(name: str) -> None:
    arcs, least, violated = FACETS[name]
    costs = np.zeros((6, 6), dtype=int)
    costs[tuple(np.transpose(arcs))] = 1
    relaxation = Relaxation(Problem(costs, 0, 1))
    relaxation.add_cycles(np.array(list(permutations(range(6), 3))))
    point = relaxation.solve(NEVER)
    assert point.value == pytest.approx(least - 0.5)
    rows = violated(point.before, 1, NEVER)
    (form,) = Form.of_rows(rows)
    found = list(zip(form.tails.tolist(), form.heads.tolist(), strict=True))
    assert sorted(found) == sorted(arcs)
    assert form.counts.tolist() == [1] * len(arcs)
    assert form.least == least
    relaxation.derive(rows)
    assert relaxation.solve(NEVER).value == pytest.approx(least)


@st.composite
def vertices(draw: st.DrawFn, n_items: st.SearchStrategy[int]) -> np.ndarray:
    """Draw points of the relaxation: optima for random costs, many of them fractional."""
    n = draw(n_items)
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    arcs, *_ = FACETS[draw(st.sampled_from(sorted(FACETS)))]
    costs = rng.integers(0, 3, (n, n))
    np.fill_diagonal(costs, 0)
    order = rng.permutation(n)[:6]
    tails, heads = order[np.transpose(arcs)]
    costs[tails, heads] += 4
    relaxation = Relaxation(Problem(costs, 0, 1))
    relaxation.add_cycles(np.array(list(permutations(range(n), 3))))
    return relaxation.solve(NEVER).before


LADDERS = ("ladder", "ladder, turned")


def missing(name: str, before: np.ndarray) -> float:
    """Return what a point on six items is short of in the facet that it violates most."""
    return float(FACETS[name][1] - (all_facets(name) * before).sum(axis=(1, 2)).min())


@given(vertices(st.just(6)))
def test_a_facet_is_found_where_one_is_violated(before: np.ndarray) -> None:
    for violated, names in ((_violated_ladders, LADDERS), (_violated_fences, ("fence",))):
        short = max(missing(name, before) for name in names)
        rows = violated(before, 1, NEVER)
        if short > 0.011:
            (form,) = Form.of_rows(rows)
            assert form.least - used(form, before) == pytest.approx(short)
        else:
            assert not rows


@given(vertices(st.integers(6, 9)))
def test_rows_are_violated_and_hold_for_every_order(before: np.ndarray) -> None:
    for violated in (_violated_ladders, _violated_fences):
        forms = Form.of_rows(violated(before, 20, NEVER))
        short = [form.least - used(form, before) for form in forms]
        assert all(each > 0.005 for each in short)
        assert short == sorted(short, reverse=True)
        for form in forms:
            items = np.unique(np.concatenate([form.tails, form.heads]))
            tails, heads = (np.searchsorted(items, ends) for ends in (form.tails, form.heads))
            assert len(items) == 6
            assert ((ORDERS[:, tails] < ORDERS[:, heads]) @ form.counts).min() == form.least


# -- halves of sums of cycles ---------------------------------------------------------------------

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


def orders(n: int) -> list[np.ndarray]:
    return [np.argsort(order)[:, None] < np.argsort(order) for order in permutations(range(n))]


@given(points())
def test_halves_are_violated_and_hold_for_every_order(before: np.ndarray) -> None:
    for form in Form.of_rows(violated_rows._violated_walks(before, 100, NEVER)):
        assert used(form, before) < form.least - 0.9 * violated_rows.LEAST_VIOLATION
        assert all(used(form, order) >= form.least for order in orders(len(before)))


@given(points(), st.lists(st.permutations(range(6)), min_size=1, max_size=12))
def test_the_violation_of_halves_is_that_of_their_forms(before: np.ndarray, drawn: list) -> None:
    n = len(before)
    cycles = np.array([[i for i in order if i < n][:3] for order in drawn])
    group = np.sort(np.arange(len(cycles)) % 3)
    found = violated_rows._halves_of(before, group, cycles)
    for form, violation in zip(Form.of_rows(found), found.values(), strict=True):
        assert form.least - used(form, before) == pytest.approx(violation, abs=TOLERANCE)


# -- use in proofs -------------------------------------------------------------------------------


def test_the_most_violated_rows_come_first() -> None:
    rng = np.random.default_rng(0)
    before = point_of(list(rng.choice([0.0, 1.0, 0.5, 0.5], size=45)), 10)
    np.fill_diagonal(before, 0.0)
    rows = violated_rows._violated_walks(before, 1000, NEVER)
    short = [form.least - used(form, before) for form in Form.of_rows(rows)]
    assert len(short) > 10
    assert short == sorted(short, reverse=True)
    assert len(violated_rows._violated_walks(before, 7, NEVER)) == 7
