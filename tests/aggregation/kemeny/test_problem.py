"""Floors and steps of problems are those of all pairs."""

from fractions import Fraction
from math import gcd

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankagg.aggregation.kemeny.problem import Problem
from rankagg.core import pairwise
from rankagg.core.exact import fit, narrow
from rankagg.core.graphs import strong_parts


@given(
    st.integers(0, 10**6),
    st.sampled_from([1, 2, 7, 127, 128, 2**15, 2**62, 10**30]),
    st.integers(1, 9),
)
@settings(deadline=None, max_examples=80)
def test_floor_and_step_are_those_of_all_pairs(seed: int, largest: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    costs = rng.integers(0, min(largest, 2**62), (n, n), endpoint=True).astype(object)
    costs *= int(rng.choice([1, 2, 3, 4, 6])) * max(largest // 2**62, 1)
    np.fill_diagonal(costs, 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairwise, "PAIRS_AT_ONCE", size)
        pairs = [(i, j) for i in range(n) for j in range(i)]
        for held in (fit(costs), narrow(costs), narrow(costs.T).T):
            found = Problem(held, 3, 1)
            assert found.floor == 3 + sum(min(costs[i, j], costs[j, i]) for i, j in pairs)
            assert found.step == gcd(*(int(costs[i, j] - costs[j, i]) for i, j in pairs))
            third = found.floor + 3 * found.step
            assert found.last_below(third) == third - found.step
            assert found.last_below(third + 1) == found.next_attainable(Fraction(third)) == third
            assert found.next_attainable(third - Fraction(1, 2)) == third
            assert found.cost(np.arange(n)) == 3 + sum(costs[j, i] for i, j in pairs)
            assert found.costs.dtype == found.margins.dtype == fit(costs).dtype
            assert (found.majority == (costs < costs.T)).all()
            inside = found.restrict(np.arange(n)[::-1])
            assert (inside.costs == costs[::-1, ::-1]).all()


# -- parts ----------------------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.integers(1, 12), st.sampled_from([0.0, 0.05, 0.3, 0.7]))
@settings(deadline=None, max_examples=40)
def test_parts_are_those_of_the_majorities_best_first(seed: int, n: int, noise: float) -> None:
    rng = np.random.default_rng(seed)
    against = rng.choice([-1, 0, 1], size=(n, n), p=[noise / 2, noise / 2, 1 - noise])
    margins = np.triu(against, k=1)
    costs = np.maximum(margins, 0).T + np.maximum(-margins, 0)
    shuffled = rng.permutation(n)
    problem = Problem(costs[np.ix_(shuffled, shuffled)], 0, 1)
    label = strong_parts(problem.margins < 0)
    expected = {tuple(np.flatnonzero(label == part).tolist()) for part in set(label.tolist())}
    parts = problem.components()
    assert sorted(tuple(part.tolist()) for part in parts) == sorted(expected)
    for k, upper in enumerate(parts):
        for lower in parts[k + 1 :]:
            assert (problem.margins[np.ix_(upper, lower)] <= 0).all()
