"""A few comparisons that decide who is first: found, verified, compared with all choices."""

from itertools import combinations

import numpy as np
import pytest

import rankagg as ra
from rankagg.analysis import removal_radius
from rankagg.analysis.removal.comparison_radius import _influence
from rankagg.exceptions import InvalidInputError


def battles(seed, n=4, size=400, weights=None):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n, size)
    second = (first + rng.integers(1, n, size)) % n
    chance = 1 / (1 + np.exp((first - second) * 0.3))
    outcomes = np.where(rng.random(size) < chance, 1, -1)
    outcomes[rng.random(size) < 0.1] = 0
    return ra.Comparisons("ABCDEF"[:n], first, second, outcomes, weights=weights)


@pytest.mark.parametrize("weighted", [False, True])
def test_influence_is_the_derivative_by_the_weight(weighted):
    weights = np.random.default_rng(9).uniform(0.5, 2, 400) if weighted else np.ones(400)
    data = battles(0, weights=weights)
    fit = ra.BradleyTerry.fit(data, cov_type="model")
    found = _influence(data, fit, 0, 1)
    for row in (0, 7, 100):
        gaps = []
        for step in (1e-4, -1e-4):
            changed = weights.copy()
            changed[row] *= 1 + step
            moved = ra.BradleyTerry.fit(battles(0, weights=changed), tol=1e-13).log_worths
            gaps.append(moved[0] - moved[1])
        assert found[row] == pytest.approx((gaps[0] - gaps[1]) / 2e-4, rel=1e-4, abs=1e-7)


@pytest.mark.parametrize("pair", [None, ("D", "B")])
def test_a_refit_without_the_removed_comparisons_confirms_the_change(pair):
    data = battles(1)
    found = removal_radius(data, pair=pair)
    upper, lower = found.pair
    if pair is not None:
        assert {upper, lower} == set(pair)
    rest = data.take(np.delete(np.arange(len(data)), found.removed))
    assert len(rest) == len(data) - found.n_removed
    worths = ra.BradleyTerry.fit(rest).distribution.log_worths
    # All but the last of them do not turn it.
    fewer = data.take(np.delete(np.arange(len(data)), found.removed[:-1]))
    level = ra.BradleyTerry.fit(fewer).log_worths
    before, items = found.fit.log_worths, data.items
    assert level[items.index(upper)] >= level[items.index(lower)]
    assert before[items.index(upper)] > before[items.index(lower)]
    assert worths[items.index(upper)] < worths[items.index(lower)]
    del found.to_frame()["first"]
    assert found.to_frame().index.tolist() == found.removed.tolist()
    assert "first" in found.to_frame()
    assert f"removing {found.n_removed} of 400 comparisons" in found.headline()
    assert found.to_dict()["n_removed"] == found.n_removed


def fewest(data, most):
    """Try all choices of up to so many comparisons."""
    first = int(np.argmax(ra.BradleyTerry.fit(data, cov_type="model").log_worths))
    every = np.arange(len(data))
    for number in range(1, most + 1):
        for taken in combinations(every, number):
            try:
                fit = ra.BradleyTerry.fit(data.take(np.delete(every, taken)), cov_type="model")
            except ValueError:
                continue
            if fit.log_worths.argmax() != first and np.ptp(np.sort(fit.log_worths)[-2:]) > 1e-9:
                return number
    return most + 1


@pytest.mark.slow
def test_the_number_found_is_near_the_least_for_small_data():
    equal = 0
    for seed in range(12):
        data = battles(seed, n=3, size=24)
        found = removal_radius(data)
        if found.n_removed is None or found.n_removed > 3:
            assert fewest(data, 2) > 2
            continue
        least = fewest(data, 3)
        assert least <= found.n_removed
        equal += least == found.n_removed
    assert equal >= 5


def test_a_leader_that_cannot_be_overtaken_is_reported():
    sure = ra.Comparisons.from_arrays("AAAAAAB", "BBBBBBA", [1, 1, 1, 1, 1, 1, 1])
    found = removal_radius(sure)
    assert found.n_removed is None
    assert "was found that would put B above A" in found.headline()
    assert found.to_frame().empty
    assert found.to_dict()["removed"] == []


def test_other_options_are_refused():
    with pytest.raises(InvalidInputError, match="without `rule`"):
        removal_radius(battles(0), ra.Borda())
    with pytest.raises(InvalidInputError, match="items"):
        removal_radius(battles(0), pair=("A", "Z"))
    with pytest.raises(InvalidInputError, match="two different items"):
        removal_radius(battles(0), pair=("A", "A"))
