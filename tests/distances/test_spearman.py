from hypothesis import given
from hypothesis import strategies as st

from rankagg import kendall_distance
from rankagg.distances import spearman_footrule, spearman_rho
from tests import oracles, strategies
from tests.distances.test_common import assert_same, have_common_items


@given(strategies.ranking_pairs().filter(lambda both: have_common_items(*both)))
def test_footrule_and_rho_follow_their_definitions(both):
    footrule = oracles.footrule(*both)
    assert spearman_footrule(*both) == footrule
    n = len(oracles.common(*both)[0])
    assert_same(spearman_footrule(*both, normalized=True), footrule / (n * n // 2) if n > 1 else
                float("nan"))  # fmt: skip
    assert_same(spearman_rho(*both), oracles.spearman_rho(*both))


@given(st.data(), strategies.letters())
def test_diaconis_and_graham_bound_the_footrule_by_kendall(data, items):
    first, second = (data.draw(strategies.strict_rankings(items)) for _ in range(2))
    kendall = kendall_distance(first, second)
    assert kendall <= spearman_footrule(first, second) <= 2 * kendall
