"""Holm's procedure against statsmodels, Tarone's against its definition and its level."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from rankagg.inference.decisions import holm, tarone

few = settings(max_examples=50)
chances = st.lists(
    st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 0.0125, 0.05, 1.0])), min_size=1,
    max_size=12,
)  # fmt: skip


@pytest.mark.parametrize("size", [1, 2, 7, 40])
def test_holm_is_that_of_statsmodels(size):
    p_values = np.random.default_rng(size).random(size) ** 4
    p_values[: size // 3] = p_values[-1]
    np.testing.assert_allclose(
        holm(p_values), multipletests(p_values, method="holm")[1], atol=1e-15
    )
    rejected = multipletests(p_values, 0.05, "holm")[0]
    assert tarone(p_values, np.zeros(size), 0.05).tolist() == rejected.tolist()


def slow_holm(p_values, alpha):
    """Reject the smallest p-values as long as each is small enough for those that are left."""
    rejected = [False] * len(p_values)
    for rank, i in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        if p_values[i] > alpha / (len(p_values) - rank):
            break
        rejected[i] = True
    return rejected


@given(chances, st.sampled_from([0.01, 0.05, 0.3]))
@few
def test_tarone_with_tests_that_can_give_anything_is_holm(p_values, alpha):
    found = tarone(np.array(p_values), np.zeros(len(p_values)), alpha)
    assert found.tolist() == slow_holm(p_values, alpha)


def slow_tarone(p_values, least, alpha):
    """Reject by the definition, one round after the other."""
    left, rejected = set(range(len(p_values))), set()
    while left:
        k = next(
            k for k in range(1, len(left) + 1) if sum(least[i] <= alpha / k for i in left) <= k
        )
        new = {i for i in left if p_values[i] <= alpha / k}
        if not new:
            break
        left, rejected = left - new, rejected | new
    return [i in rejected for i in range(len(p_values))]


@given(st.data())
@few
def test_tarone_is_its_definition(data):
    size = data.draw(st.integers(1, 10))
    tosses = data.draw(st.lists(st.integers(0, 12), min_size=size, max_size=size))
    heads = [data.draw(st.integers(0, n)) for n in tosses]
    p_values = stats.binom.sf(np.array(heads) - 1, tosses, 0.5)
    least = 0.5 ** np.array(tosses, dtype=float)
    alpha = data.draw(st.sampled_from([0.05, 0.2, 0.5]))
    found = tarone(p_values, least, alpha)
    assert found.tolist() == slow_tarone(p_values, least, alpha)
    assert (found >= np.array(slow_holm(p_values, alpha))).all()


def test_what_cannot_be_rejected_costs_nothing():
    # Six heads of six at 2^-6, beside ten coins that were tossed twice.
    p_values, least = np.array([2**-6] + [0.25] * 10), np.array([2**-6] + [0.25] * 10)
    assert tarone(p_values, least, 0.05).tolist() == [True] + [False] * 10
    assert tarone(p_values, least, 2**-6).tolist() == [True] + [False] * 10
    assert not tarone(p_values, least, 2**-6.01).any()
    assert not any(slow_holm(p_values, 0.05))


@pytest.mark.parametrize("tosses", [(5, 6, 2), (7, 3, 3), (1, 1, 1)], ids=str)
def test_true_hypotheses_are_rejected_as_seldom_as_promised(tosses):
    # All heads and tails of independent fair coins, by their chances.
    heads = list(product(*(range(n + 1) for n in tosses)))
    chance = np.array([np.prod(stats.binom.pmf(h, tosses, 0.5)) for h in heads])
    least = 0.5 ** np.array(tosses, dtype=float)
    for alpha in (0.05, 0.3):
        wrong = [
            tarone(stats.binom.sf(np.array(h) - 1, tosses, 0.5), least, alpha).any() for h in heads
        ]
        assert chance[np.array(wrong)].sum() <= alpha


def test_no_hypothesis_is_no_rejection():
    assert tarone(np.zeros(0), np.zeros(0), 0.05).size == 0
    assert holm(np.zeros(0)).size == 0
