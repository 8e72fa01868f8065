"""Numbers and labels at the ends of what is allowed: a right answer, or an error of the package."""

from decimal import Decimal
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from tests.strategies import quick

NAN = float("nan")
pytestmark = pytest.mark.filterwarnings("error")
LARGE = ra.ScoreTable(
    [[1e308, 1.7e308, -1e308], [1.2e308, 1.5e308, NAN]], systems="AB", higher_is_better=True
)
SMALL = ra.ScoreTable([[1e-310, 5e-324], [2e-310, 1e-323]], systems="AB", higher_is_better=True)


# -- scores ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("digits", ["7", 0, -3, 2.5, 16, 10**400, None, True, NAN])
def test_digits_are_a_whole_number_that_floats_hold(digits: object) -> None:
    with pytest.raises(InvalidInputError, match="`digits` must be an integer of at least 1 and at"):
        LARGE.near_ties(digits)


def near_ties(rows: list[list[float]], digits: int) -> int:
    """Pairs of one unit whose decimals agree when rounded, and that are not equal."""
    found = 0
    for column in zip(*rows, strict=True):
        shown = [Decimal(f"{Decimal(score):.{digits - 1}E}") for score in column]
        for i, j in combinations(range(len(column)), 2):
            found += column[i] != column[j] and shown[i] == shown[j]
    return found


@quick
@given(data=st.data(), digits=st.integers(1, 12))
def test_near_ties_are_those_of_rounded_decimals(data: st.DataObject, digits: int) -> None:
    bases = st.sampled_from([1.0, 9.99999, 1e-310, 1.7e308, -3.0, 0.0, 1e5, 123456.0])
    noise = st.sampled_from([0.0, 1e-9, 1e-4, 0.03, -2e-6])
    cell = st.builds(lambda base, off: base * (1 - off), bases, noise)
    rows = data.draw(st.lists(st.lists(cell, min_size=2, max_size=2), min_size=1, max_size=4))
    table = ra.ScoreTable(rows, higher_is_better=True)
    assert table.near_ties(digits) == near_ties(rows, digits)


def test_near_ties_leave_out_what_is_missing() -> None:
    table = ra.ScoreTable(
        [[1.0, NAN], [1.0 + 1e-12, 2.0], [NAN, NAN], [1.1, 2.0]], higher_is_better=True
    )
    assert table.near_ties() == 1
    assert table.near_ties(15) == 0
    assert table.near_ties(1) == 3


@pytest.mark.parametrize("by", ["system", "task", "cell"])
def test_summaries_of_the_largest_floats_are_those_of_smaller_ones(by: str) -> None:
    scaled = ra.ScoreTable(LARGE.values * 2.0**-600, systems="AB", higher_is_better=True)
    found, expected = LARGE.describe(by), scaled.describe(by)
    for column in ("count", "missing"):
        assert found[column].tolist() == expected[column].tolist()
    for column in ("mean", "std"):
        np.testing.assert_allclose(found[column] * 2.0**-600, expected[column], rtol=1e-14)
    assert not np.isinf(found[["mean", "std"]].to_numpy()).any()
    assert LARGE.describe("system").loc["A", "sum"] == 1.7e308
    assert LARGE.describe("system").loc["B", "sum"] == np.inf


def test_means_of_extreme_scores_are_right() -> None:
    assert ra.Mean().aggregate(LARGE).scores.tolist() == [
        pytest.approx(1.7e308 / 3), pytest.approx(1.35e308),
    ]  # fmt: skip
    assert ra.Median().aggregate(LARGE).scores.tolist() == [1e308, pytest.approx(1.35e308)]
    assert ra.Median().aggregate(SMALL).order == ("B", "A")
    for rule in (ra.Mean(), ra.GeometricMean(), ra.HarmonicMean()):
        assert rule.aggregate(SMALL).order == ("B", "A")
    assert ra.HarmonicMean().aggregate(SMALL).scores[0] == pytest.approx(1e-323, abs=1e-323)


def test_ratios_that_are_no_floats_are_refused() -> None:
    table = ra.ScoreTable([[1e-308, 1.0], [1e308, 2.0]], systems="AB", higher_is_better=True)
    with pytest.raises(InvalidInputError, match=r"1e-308 beside 1e\+308 on 0"):
        table.relative_to("A")
    assert table.relative_to("B").values[0].tolist() == [0.0, 0.5]


# -- labels ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "groups", [[[1], [2]], [NAN, NAN], [None, None], [(1, 2), (1, 2)], [True, False], 3, [1.5, 2]]
)
def test_groups_are_labels(groups: object) -> None:
    with pytest.raises(InvalidInputError, match="`groups` must be"):
        ra.Profile.from_orders(["AB", "BA"], groups=groups)


def test_groups_of_numpy_are_plain_labels() -> None:
    profile = ra.Profile.from_orders(["AB", "BA"], groups=np.array([1, 2]))
    assert profile.groups == (1, 2)
    assert {type(group) for group in profile.groups} == {int}
    assert list(ra.Profile.from_orders(["AB", "BA"], groups=iter("xy")).by_group()) == ["x", "y"]


@pytest.mark.parametrize("parameter", ["tasks", "instances"])
@pytest.mark.parametrize("labels", [[["a"], ["b"]], [None, 1], [NAN, NAN], 5, [b"a", b"b"]])
def test_tasks_and_instances_are_labels(parameter: str, labels: object) -> None:
    given = {"tasks": ["t", "t"], "instances": [0, 1], parameter: labels}
    with pytest.raises(InvalidInputError, match=f"`{parameter}` must be"):
        ra.ScoreTable([[1.0, 2.0]], higher_is_better=True, **given)


@pytest.mark.parametrize("orders", [5, [1, 2], [None], None])
def test_orders_are_sequences_of_labels(orders: object) -> None:
    with pytest.raises(InvalidInputError, match="`orders` must be orders"):
        ra.Profile.from_orders(orders)


# -- counts and weights ---------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2**53, 2**62, 2**63, 2**70, 10**400])
def test_counts_that_no_float_holds_are_refused(count: int) -> None:
    with pytest.raises(InvalidInputError, match="`counts` must be"):
        ra.Profile.from_orders(["AB", "BA"], counts=[count, 1])


@pytest.mark.parametrize("weight", [1e-300, 1e300, 0.0, -1.0, NAN, np.inf, 10**400, 1j, None, "x"])
def test_weights_that_make_no_sense_are_refused(weight: object) -> None:
    with pytest.raises(InvalidInputError, match="`weights` must be"):
        ra.Profile.from_orders(["AB", "BA"], weights=[weight, 1])


@pytest.mark.parametrize(
    "rule",
    [
        ra.Borda(), ra.Bucklin(), ra.Copeland(), ra.PairwiseMajority(), ra.Minimax(), ra.Schulze(),
        ra.RankedPairs(), ra.MC4(), ra.KwikSort(), ra.PickAPerm(), ra.FootruleOptimal(),
        ra.InsertionSearch(), ra.Kemeny(),
    ],
    ids=repr,
)  # fmt: skip
def test_rules_take_the_largest_counts_and_the_farthest_weights(rule: ra.Aggregator) -> None:
    # 2**53 of nearly all the weight say B > C > A, against as many of next to none.
    profile = ra.Profile.from_orders(
        ["ABC", "BCA", "CAB"], counts=[2**53 - 1] * 3, weights=[1e-100, 1e100, 3.3]
    )
    consensus = rule.aggregate(profile, rng=0)
    assert consensus.order == ("B", "C", "A")
    # Costs are right to within what the votes say of themselves.
    true = (2.0**53 - 1) * 2 * 3.3
    assert abs(consensus.cost - true) <= 6 * profile.pairwise().rounding
    even = ra.Profile.from_orders(["ABC", "BCA"], counts=[2**53 - 1, 2**53 - 2])
    assert rule.aggregate(even, rng=0).cost >= 2**53 - 2


def test_resampled_counts_may_be_of_any_size() -> None:
    profile = ra.Profile.from_orders(["AB", "BA"], counts=[2**52, 1], weights=[1e90, 0.1])
    (consensus,) = ra.resample_kemeny(profile, [[2**62, 3]])
    assert consensus.order == ("A", "B")
    votes = profile[[1]].pairwise()
    (other,) = ra.resample_kemeny(profile, [[0, 2**40]])
    assert other.pairwise.wins[1, 0] == pytest.approx(2**40 * votes.wins[1, 0])


def test_steps_that_are_too_large_for_a_float_are_ranked_in_silence():
    table = ra.ScoreTable([[1.7e308], [-1.7e308], [0.0]], higher_is_better=True)
    assert table.rankings().ranks.tolist() == [[0, 2, 1]]
    assert table.rankings(1e300).ranks.tolist() == [[0, 2, 1]]
