"""Parts of large problems are those of small ones, however they are found."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rankagg.aggregation.kemeny.parts import majority_components
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.core.graphs import strong_parts


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
    parts = majority_components(problem)
    assert sorted(tuple(part.tolist()) for part in parts) == sorted(expected)
    for k, upper in enumerate(parts):
        for lower in parts[k + 1 :]:
            assert (problem.margins[np.ix_(upper, lower)] <= 0).all()
