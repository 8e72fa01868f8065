"""Ranks: methods and their notes, single items, and the candidates for the first place."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from rankagg.inference.decisions import tarone
from rankagg.inference.pair_values import Differences
from rankagg.inference.ranks.rank_intervals import RANK_METHODS
from rankagg.inference.ranks.sign_flips import VECTORS, sign_flips
from rankagg.inference.units import Units
from tests import strategies
from tests.inference.test_bootstrap import resampled_means

NAN = float("nan")
HUMANS = ra.datasets.load("superglue_human")
GROUPED = ra.Profile.from_orders(["ABC"] * 6 + ["BAC"], groups="xxxxyyy")
EVERY = [(of, method) for of, methods in RANK_METHODS.items() for method in methods]


def ranked(seed, m, spread, n=4):
    """Return a table of m tasks."""
    scores = np.random.default_rng(seed).normal(size=(n, m)) + spread * np.arange(n)[::-1, None]
    return ra.ScoreTable(scores, systems="ABCDEFGH"[:n], higher_is_better=True)


def intervals_of(data, of, method, **more):
    return ra.rank_intervals(data, of=of, method=method, n_resamples=200, rng=0, **more)


# -- which method decides -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "options", "method"),
    [
        (HUMANS, {}, "sign-flips"),
        (HUMANS, {"of": "mean"}, "sign-flips"),
        (HUMANS, {"of": "pairwise"}, "sign-test"),
        (GROUPED, {"of": "pairwise", "unit": "task"}, "hoeffding"),
        (GROUPED, {"unit": "task"}, "sign-flips"),
        (GROUPED, {"fixed_tasks": True}, "hoeffding"),
        (GROUPED, {"fixed_tasks": True, "of": "pairwise"}, "hoeffding"),
        (ra.Profile.from_orders(["AB", "BA"], weights=[1, 2]), {"of": "pairwise"}, "hoeffding"),
        (ra.Profile.from_orders(["AB", "BA"], groups="xx"), {"fixed_tasks": True}, "sign-flips"),
    ],
    ids=str,
)
def test_the_default_method_is_valid_for_few_units(data, options, method):
    result = ra.rank_intervals(data, n_resamples=100, **options)
    assert result.method == result.decisions.basis.method == method
    note = any("tasks are fixed, so that signs cannot be flipped" in n for n in result.notes)
    assert note == ("fixed_tasks" in options and result.of != "pairwise" and method != "sign-flips")


@pytest.mark.parametrize(
    ("data", "options"),
    [
        (GROUPED, {"unit": "task"}),
        (GROUPED, {"fixed_tasks": True}),
        (ra.Profile.from_orders(["AB", "BA"], weights=[1, 2]), {}),
    ],
    ids=str,
)
def test_sign_tests_of_other_units_are_refused_by_their_name(data, options):
    message = r"^`method` must be 'hoeffding' here\. Got 'sign-test'"
    with pytest.raises(InvalidInputError, match=message):
        ra.rank_intervals(data, of="pairwise", method="sign-test", **options)


@pytest.mark.parametrize("of", ["borda", "mean"])
def test_pairs_are_decided_where_sign_flips_reach_the_level(of):
    data = ranked(1, 11, 0.8)
    result = ra.rank_intervals(data, of=of, alpha=0.1)
    profile = data.rankings()
    source = Differences.of_points(profile) if of == "borda" else Differences(data.values.T, 100.0)
    units = Units.of_values(profile, source, unit="ranking", fixed_tasks=False, instances=None)
    flips = sign_flips(units, VECTORS, np.random.default_rng(0))
    expected = flips.ahead & flips.decided(0.1)[0]
    assert 0 < expected.sum() < 6
    np.testing.assert_array_equal(result.decisions.above, expected)
    alone = flips.families(0.1).alone
    assert result.marginal_best.tolist() == [1 + int((row == -1).sum()) for row in alone]
    assert result.marginal_worst.tolist() == [4 - int((row == 1).sum()) for row in alone]
    assert result.first == tuple(np.array(list("ABCD"))[~(alone == -1).any(axis=1)].tolist())


def test_many_sign_vectors_are_seeded():
    table = ranked(1, 30, 0.3)
    first, again = (ra.rank_intervals(table, of="mean", n_resamples=150, rng=0) for _ in range(2))
    assert first == again
    assert first.decisions.how == "Monte Carlo sign-flip tests of differences of scores"

    def decided():
        found = (
            ra.rank_intervals(table, of="mean", n_resamples=150, rng=seed) for seed in range(6)
        )
        return [result.decisions.above.sum() for result in found]

    other = decided()
    assert other == decided()
    assert len(set(other)) > 1
    few = ra.rank_intervals(table, alpha=0.01, n_resamples=150)
    assert few.notes[0] == "only 150 sign vectors for a level of 0.01: raise `n_resamples`"
    assert not any("sign vectors" in n for n in ra.rank_intervals(table, n_resamples=1000).notes)


# -- missing data ---------------------------------------------------------------------------------

# B is above C in all tasks that have both; C has the better ones of the others.
GAPS = ra.ScoreTable(
    [[9, 9, 9, 9, 9, 9, 9], [2, 2, 2, 2, 2, 2, NAN], [1, 1, 1, 1, 1, 1, 8]], systems="ABC",
    higher_is_better=True,
)  # fmt: skip


@pytest.mark.parametrize("of", ["borda", "mean"])
def test_two_items_are_compared_on_units_with_both(of):
    result = ra.rank_intervals(GAPS, of=of)
    assert result.rank.tolist() == [1, 2, 3]
    (note,) = result.notes
    assert note.startswith("1 of 21 " + ("ranks are missing" if of == "borda" else "scores are"))
    assert ("B", "C") in result.decisions.pairs
    # Metrics of one task are next to each other.
    assert ["neighboring" in note for note in ra.rank_intervals(HUMANS, of=of).notes] == [True]


# -- basis of decisions ---------------------------------------------------------------------------


def unanimous(size, n):
    return ra.Profile.from_orders(["ABCDEFGH"[:n]], counts=[size])


@pytest.mark.parametrize(("of", "method"), EVERY)
@pytest.mark.parametrize(("n", "alpha"), [(2, 0.3), (5, 0.05)])
def test_the_stated_number_of_units_is_the_least_that_decides(of, method, n, alpha):
    def data(size):
        if of != "mean":
            return unanimous(size, n)
        columns = np.repeat(np.arange(n)[::-1, None], size, axis=1)
        return ra.ScoreTable(columns, systems="ABCDEFGH"[:n], higher_is_better=True)

    options = {"of": of, "method": method, "alpha": alpha, "n_resamples": 100}
    enough = ra.rank_intervals(data(3), **options).decidable_from
    if method == "max-t":
        assert enough == 2
        return
    found = ra.rank_intervals(data(enough), **options)
    assert found.decisions.pairs
    assert not any("no pair can be" in note for note in found.notes)
    before = ra.rank_intervals(data(enough - 1), **options)
    assert not before.decisions.pairs
    assert before.decidable_from == enough
    (note,) = (note for note in before.notes if "no pair can be decided" in note)
    needed = f"at least {enough} are needed"
    if before.method == "sign-test":
        needed = f"{enough} that order a pair could"
    assert note.endswith(f"; {needed}")


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        (ranked(0, 4, 1), {}, "with 4 tasks no pair can be decided at 95 %; at least 6"),
        (ranked(0, 1, 1), {}, "with 1 task no pair can be decided at 95 %; at least 6"),
        (unanimous(5, 3), {"alpha": 0.01}, "with 5 rankings no pair can be decided at 99 %; at le"),
        (GROUPED, {"unit": "task"}, "with 2 tasks no pair can be decided at 95 %; at least 6"),
        (ra.Profile.from_orders(["AB"] * 5 + ["BC"] * 5 + ["CA"] * 5, items="ABC"), {},
         "no pair can be decided at 95 %: no two items are ordered by the 6 rankings"),
    ],
    ids=lambda value: None,
)  # fmt: skip
def test_every_output_states_that_nothing_can_be_decided(data, options, words):
    result = ra.rank_intervals(data, **options)
    assert result.notes[0].startswith(words)
    assert f"note: {words}" in result.summary()
    assert result.decisions.warning == result.to_dict()["notes"][0]
    assert f"too few      {words}" in result.decisions.summary()
    assert result.decisions.to_dict()["warning"] == result.decisions.warning
    assert not result.decisions.pairs


def test_fewer_units_decide_if_other_pairs_cannot_be_decided():
    """Seven are enough for any of three pairs; six are where no other can be decided (Tarone)."""
    six = ra.Profile.from_orders(["AB"] * 6 + ["C"], items="ABC")
    battles = ra.Comparisons.from_arrays("AAAAAAB", "BBBBBBC", [1] * 7)
    for result in (
        ra.rank_intervals(six, of="pairwise"),
        ra.inference.comparison_rank_intervals(battles, of="pairwise"),
    ):
        assert result.decidable_from == 7 == result.n_units
        assert result.decisions.pairs == (("A", "B"),)
        assert result.decisions.warning is None


def test_the_first_place_can_be_decided_where_no_pair_is():
    result = ra.rank_intervals(unanimous(5, 2), of="pairwise")
    assert not result.decisions.pairs
    assert "no pair can be decided at 95 %; 6 that order a pair could" in str(result)
    assert "may be first: A (for the first place alone)" in str(result)


# -- single items and the first -------------------------------------------------------------------


@given(strategies.profiles(max_size=4), st.sampled_from(EVERY[:6]), st.sampled_from([0.1, 0.6]))
@settings(max_examples=15)
def test_bounds_for_one_item_are_within_those_for_all(profile, how, alpha):
    of, method = how
    try:
        result = intervals_of(profile, of, method, alpha=alpha)
    except InvalidInputError:
        # Weights, for methods that have none.
        assert method == "sign-test"
        return
    assert (result.best <= result.marginal_best).all()
    assert (result.marginal_worst <= result.worst).all()
    nested = [set(result.first), *(set(result.top(k)) for k in range(1, profile.n_items + 1))]
    assert all(small <= large for small, large in itertools.pairwise(nested))
    assert nested[-1] == set(profile.items)
    assert result.top(1) == tuple(
        item for item, best in zip(profile.items, result.best, strict=True) if best == 1
    )


def test_the_first_k_are_a_number_of_items():
    result = ra.rank_intervals(HUMANS)
    for k in (0, 7, 1.5):
        with pytest.raises(InvalidInputError, match="`k` must be an integer"):
            result.top(k)
    with pytest.raises(InvalidInputError, match="`simultaneous`"):
        result.to_frame(simultaneous="no")


@pytest.mark.parametrize(
    ("method", "design"), [("sign-test", (6, 40, 0.2)), ("hoeffding", (4, 40, 0.4))]
)
def test_single_items_are_decided_within_their_pairs(method, design):
    profile = ranked(*design).rankings()
    found = ra.PairwiseIntervals.from_data(
        profile, method="clopper-pearson" if method == "sign-test" else method, alpha=0.2
    )
    p_values, n = found.p_values(), 4
    result = ra.rank_intervals(profile, of="pairwise", method=method, alpha=0.2)
    differs = False
    for i in range(n):
        others = [j for j in range(n) if j != i]
        mine = np.concatenate([p_values[others, i], p_values[i, others]])
        below, above = np.split(tarone(mine, np.zeros(6), 0.2), 2)
        assert result.marginal_best[i] == 1 + below.sum()
        assert result.marginal_worst[i] == n - above.sum()
        led = tarone(p_values[others, i], np.zeros(3), 0.2).any()
        assert (profile.items[i] in result.first) != led
        differs |= result.marginal_best[i] != result.best[i]
    assert differs


@pytest.mark.parametrize("seed", [4])
def test_the_largest_deviation_of_a_single_item_is_among_its_pairs(seed):
    profile = ranked(seed, 60, 0.35).rankings()
    alpha = 0.2
    result = ra.rank_intervals(profile, method="max-t", alpha=alpha, n_resamples=500, rng=7)
    source = Differences.of_points(profile)
    units = Units.of_values(profile, source, unit="ranking", fixed_tasks=False, instances=None)
    drawn = resampled_means(units, 500, np.random.default_rng(7))
    first, second = units.pairs
    wins, losses, led = np.zeros((3, 4), dtype=int)
    for i in range(4):
        mine = (first == i) | (second == i)
        sign = np.where(second[mine] == i, 1.0, -1.0)
        mean = (drawn.mean[mine] - 0.5) * sign
        means = (drawn.means[:, mine] - 0.5) * sign
        error = means.std(axis=0, ddof=1)
        deviation = (means - mean) / error
        both = np.quantile(np.abs(deviation).max(axis=1), 1 - alpha) * error
        one = np.quantile(deviation.max(axis=1), 1 - alpha) * error
        losses[i] = (mean - both > 0).sum()
        wins[i] = (mean + both < 0).sum()
        led[i] = (mean - one > 0).any()
    assert result.marginal_best.tolist() == (1 + losses).tolist()
    assert result.marginal_worst.tolist() == (4 - wins).tolist()
    assert [item not in result.first for item in "ABCD"] == led.astype(bool).tolist()
    assert (result.marginal_best > result.best).any()
    # For all items at once it is the largest of all pairs.
    mean, means = drawn.mean - 0.5, drawn.means - 0.5
    error = means.std(axis=0, ddof=1)
    radius = np.quantile(np.abs((means - mean) / error).max(axis=1), 1 - alpha) * error
    above = np.zeros((4, 4), dtype=bool)
    above[first, second], above[second, first] = mean - radius > 0, mean + radius < 0
    assert result.decisions.above.tolist() == above.tolist()


# -- output ---------------------------------------------------------------------------------------


@given(strategies.profiles(min_size=2))
def test_tiers_and_neighbors_are_those_of_the_decisions(profile):
    result = ra.rank_intervals(profile, of="pairwise", alpha=0.4)
    frame, above = result.to_frame(), set(result.decisions.pairs)
    for tier, items in enumerate(result.decisions.tiers, start=1):
        assert (frame.loc[list(items), "tier"] == tier).all()
    # Tiers go with ranks, and so does the order of rows.
    assert frame["tier"].is_monotonic_increasing
    rows = list(frame.index)
    assert frame["separable"].tolist() == [
        *((one, other) in above for one, other in itertools.pairwise(rows)), False
    ]  # fmt: skip
    text = result.summary(rows=None)
    assert ("tiers: " in text) == (frame["tier"].max() > 1)
    assert text.count("above the next") == frame["separable"].sum()
    for k in range(1, len(rows) + 1):
        last = {item for item in rows if sum(item == a for a, _ in above) < k}
        assert set(result.bottom(k)) == last


def test_bounds_of_one_item_use_intervals_of_its_own_pairs():
    # A is above B by half of the largest difference, so that the value is 3/4: the radius of two
    # pairs is below 1/4 with 37 units, and that of three is not.
    agreed = ra.Profile.from_orders(["ABC"], counts=[37])
    assert ra.hoeffding_radius(37, 0.05 / 2) < 1 / 4 < ra.hoeffding_radius(37, 0.05 / 3)
    result = ra.rank_intervals(agreed, method="hoeffding")
    assert result.best.tolist() == [1, 1, 2]
    assert result.marginal_best.tolist() == [1, 2, 3]
