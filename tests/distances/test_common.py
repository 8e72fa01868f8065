from functools import partial
from math import isnan

import pytest

import rankagg as ra
import rankagg.distances
from rankagg import PartialRanking, Permutation, kendall_distance, kendall_tau
from rankagg.distances import spearman_footrule, spearman_rho, top_k_agreement
from rankagg.exceptions import InvalidInputError, ItemMismatchError
from rankagg.testing.distributions import DistanceContract
from tests import oracles

ABC = Permutation.from_order("ABC")

ALL = [kendall_distance, kendall_tau, spearman_footrule, spearman_rho]


def have_common_items(first, second):
    return len(oracles.common(first, second)[0]) > 0


def assert_same(computed, expected):
    """Compare numbers of which either both or none are NaN."""
    if isnan(expected):
        assert isnan(computed)
    else:
        assert computed == pytest.approx(float(expected), rel=0, abs=1e-12)


@pytest.mark.parametrize(
    "other",
    [Permutation.from_order("ABD"), Permutation.from_order("AB"), ABC.reindex("CBA")],
    ids=["other items", "fewer items", "another order"],
)
def test_rankings_of_other_items_are_refused(other):
    for measure in ALL:
        with pytest.raises(ItemMismatchError, match="reindex"):
            measure(ABC, other)
    with pytest.raises(ItemMismatchError, match="reindex"):
        top_k_agreement(ABC, other, 1)


def test_rankings_share_an_observed_item():
    first = PartialRanking.from_order("A", items="ABC")
    second = PartialRanking.from_order("BC", items="ABC")
    for measure in ALL:
        with pytest.raises(InvalidInputError, match="observe an item in common"):
            measure(first, second)


# -- the contract suite for every distance and measure of agreement -------------------------------


class TestMetrics(DistanceContract):
    distances = (
        ra.kendall_distance, ra.distances.spearman_footrule, ra.distances.cayley_distance,
        ra.distances.hamming_distance, ra.distances.ulam_distance,
    )  # fmt: skip


class TestCorrelations(DistanceContract):
    kind = "similarity"
    distances = (
        ra.kendall_tau, ra.distances.spearman_rho, ra.distances.weighted_kendall_tau,
        ra.distances.tau_ap, ra.distances.tau_x,
    )  # fmt: skip


class TestAgreement(DistanceContract):
    kind = "similarity"
    separates = False
    distances = (
        partial(ra.distances.top_k_agreement, k=2),
        partial(ra.distances.last_k_agreement, k=3),
        ra.distances.rank_biased_overlap,
    )


def test_every_public_distance_has_a_contract() -> None:
    suites = DistanceContract.__subclasses__()
    tested = {getattr(one, "func", one).__name__ for suite in suites for one in suite.distances}
    assert tested == set(rankagg.distances.__all__)
