"""Needed numbers of units, against statsmodels and simulation."""

import numpy as np
import pytest
import scipy
from statsmodels.stats.power import TTestPower

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from rankagg.inference.ranks.rank_results import ranks_from_decisions


@pytest.mark.parametrize("effect", [0.1, 0.5, 1.2, 2.5])
@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (0.01, 0.7)])
def test_needed_units_of_scores_equal_statsmodels(effect, alpha, power):
    needed = ra.inference.units_needed(3 * effect, spread=3.0, alpha=alpha, power=power)
    assert TTestPower().power(effect, needed, alpha) >= power - 1e-5
    if needed > 3:
        assert TTestPower().power(effect, needed - 1, alpha) < power + 1e-5


def test_needed_units_of_answers_follow_the_formula():
    z, y = scipy.stats.norm.isf(0.025), scipy.stats.norm.isf(0.2)
    expected = (z * np.sqrt(0.2) + y * np.sqrt(0.2 - 0.05**2)) ** 2 / 0.05**2
    for difference in (0.05, -0.05):
        assert ra.inference.units_needed(difference, differing=0.2) == np.ceil(expected)
    assert ra.inference.units_needed(0.3, spread=1, n_tests=10) == ra.inference.units_needed(
        0.3, spread=1, alpha=0.005
    )


@pytest.mark.parametrize(
    ("call", "options", "message"),
    [
        (ra.inference.units_needed, {"difference": 0, "spread": 1}, "1e-100 or more in size"),
        (ra.inference.units_needed, {"difference": 1e-9, "spread": 1e100}, "1 or more in size"),
        (ra.inference.units_needed, {"difference": 0.1}, "or `differing` in its place"),
        (
            ra.inference.units_needed,
            {"difference": 0.1, "spread": 1, "differing": 0.2},
            "in its place",
        ),
        (
            ra.inference.units_needed,
            {"difference": 0.3, "differing": 0.2},
            "at least the difference",
        ),
        (ra.inference.units_needed, {"difference": 0.3, "spread": -1}, "spread"),
        (
            ra.inference.units_needed,
            {"difference": 0.3, "spread": 1, "power": 0.01},
            "more than the level",
        ),
    ],
)
def test_bad_input_is_named(call, options, message):
    with pytest.raises(InvalidInputError, match=message):
        call(**options)


@pytest.mark.parametrize("difference", [1e-7, 1e-9, 1e-60])
def test_numbers_for_small_differences_are_those_of_normal_quantiles(difference):
    z, y = scipy.stats.norm.isf(0.025), scipy.stats.norm.isf(0.2)
    found = ra.inference.units_needed(difference, spread=1)
    assert found == pytest.approx(((z + y) / difference) ** 2, rel=1e-4)


def test_without_spread_two_units_are_enough():
    assert ra.inference.units_needed(0.1, spread=0) == 2


# -- tables ---------------------------------------------------------------------------------------


def test_each_system_is_compared_with_the_next():
    values = np.random.default_rng(0).normal(size=(4, 30)) + np.array([[0], [2], [1], [-3]])
    scores = ra.ScoreTable(values, systems="ABCD", higher_is_better=True)
    found = ra.inference.separation(scores, power=0.9)
    assert found.order == ("B", "C", "A", "D")
    d = values[1] - values[2]
    assert found.difference[0] == pytest.approx(d.mean())
    assert found.spread[0] == pytest.approx(d.std(ddof=1))
    options = {"spread": d.std(ddof=1), "power": 0.9, "n_tests": 3}
    assert found.needed[0] == ra.inference.units_needed(d.mean(), **options)
    more = {**options, "alpha": 0.05}
    assert ra.inference.units_needed(found.detectable[0] * (1 + 1e-9), **more) == 30


def test_answers_are_those_of_mcnemar():
    values = np.random.default_rng(0).random((3, 400)) < np.array([[0.7], [0.5], [0.6]])
    found = ra.inference.separation(
        ra.ScoreTable(values.astype(float), higher_is_better=True), n_tests=1
    )
    a, b = values[0].astype(float), values[2].astype(float)
    options = {"differing": ((a - b) ** 2).mean(), "n_tests": 1}
    assert found.order == (0, 2, 1)
    assert found.needed[0] == ra.inference.units_needed((a - b).mean(), **options)
    assert "McNemar" in str(found)


@pytest.mark.parametrize("values", [
    [[1, 1, 1], [1, 1, 1]], [[1.5, 1.5], [1.5, 1.5]], [[1.0], [2.0]],
    [[1, np.nan, 2], [np.nan, 3, np.nan]], [[1, np.nan, np.nan, 0], [np.nan, 3, 3, 4]],
])  # fmt: skip
def test_inseparable_systems_need_infinitely_many_units(values):
    found = ra.inference.separation(ra.ScoreTable(values, higher_is_better=True))
    assert np.isinf(found.needed).all()
    assert "0 of 1 pair have" in str(found)
    assert found.to_dict()["pairs"][0]["needed"] is None


def test_the_system_ahead_on_shared_tasks_is_above():
    values = [[9, 1, 5, 1], [np.nan, 3, 2, 3], [0, 0, 0, 0]]
    found = ra.inference.separation(ra.ScoreTable(values, systems="ABC", higher_is_better=True))
    assert found.order == ("A", "B", "C")
    assert (found.above, found.below) == (("B", "B"), ("A", "C"))
    assert found.difference == pytest.approx([1 / 3, 8 / 3])
    assert found.to_frame()[["above", "below"]].values.tolist() == [["B", "A"], ["B", "C"]]
    (note,) = [note for note in found.notes if "lower mean" in note]
    assert note.startswith("in 1 of 2 pairs the system with the lower mean is above")


def test_systems_not_separated_from_the_first_are_listed():
    level = np.array([[0], [0.05], [0.1], [3], [4]])
    values = np.random.default_rng(0).normal(size=(5, 40)) - level
    scores = ra.ScoreTable(values, systems="ABCDE", higher_is_better=True)
    ranks = ra.rank_intervals(scores, of="mean")
    leader = ranks.items[int(np.argmin(ranks.rank))]
    separated = {below for above, below in ranks.decisions.pairs if above == leader}
    assert set(ranks.tied_with_first) == set("ABCDE") - separated
    assert {"D", "E"} <= separated
    apart = np.array([[0.0], [-3], [-6]]) + np.random.default_rng(1).normal(size=(3, 9))
    ranks = ra.rank_intervals(ra.ScoreTable(apart, systems="ABC", higher_is_better=True))
    assert ranks.tied_with_first == ("A",)
    # Two items are first, or one; C is separated from B alone.
    above = np.array([[0, 0, 0], [0, 0, 1], [0, 0, 0]]) > 0
    decided = ra.inference.Decisions(items=ra.ItemSet("ABC"), above=above, alpha=0.05, how="hand")
    for place, tied in (([0, 0, 1], "AB"), ([0, 1, 2], "ABC")):
        ahead = np.array(place)[:, None] < place
        ranks = ranks_from_decisions("mean", "task", ahead, decided, ())
        assert ranks.tied_with_first == tuple(tied)


def test_a_table_of_at_least_two_systems_is_required():
    with pytest.raises(InvalidInputError, match="two systems or more"):
        ra.inference.separation(ra.ScoreTable([[1, 2]], higher_is_better=True))
    with pytest.raises(InvalidInputError, match="a ScoreTable"):
        ra.inference.separation(ra.Profile.from_orders(["AB"]))
