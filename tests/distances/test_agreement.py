import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankagg import PartialRanking, Permutation
from rankagg.distances import last_k_agreement, top_k_agreement
from rankagg.distances.agreement import overlaps
from rankagg.exceptions import InvalidInputError
from tests import oracles, strategies
from tests.distances.test_common import have_common_items

NAN = float("nan")

ABC = Permutation.from_order("ABC")


@given(
    strategies.ranking_pairs(max_size=4).filter(lambda both: have_common_items(*both)), st.data()
)
@strategies.quick
def test_agreement_is_its_mean_over_all_ways_to_break_ties(both, data):
    n = len(oracles.common(*both)[0])
    k = data.draw(st.integers(1, n))
    assert top_k_agreement(*both, k) == pytest.approx(float(oracles.top_k_overlap(*both, k)))
    assert last_k_agreement(*both, k) == pytest.approx(float(oracles.last_k_overlap(*both, k)))


@pytest.mark.parametrize("k", [0, -1, 4, 1.5, NAN, "1", None, True])
def test_k_is_a_number_of_items(k):
    for measure in (top_k_agreement, last_k_agreement):
        with pytest.raises(InvalidInputError, match="`k` must be an integer of at least 1 and at"):
            measure(ABC, ABC, k)


def test_k_counts_items_that_both_observe():
    short = PartialRanking.from_order("AB", items="ABC")
    with pytest.raises(InvalidInputError, match="at most 2"):
        top_k_agreement(ABC, short, 3)


@given(strategies.ranking_pairs().filter(lambda both: have_common_items(*both)))
@strategies.quick
def test_overlaps_are_the_agreement_at_every_depth(pair):
    for from_top, agreement in ((True, top_k_agreement), (False, last_k_agreement)):
        shares = overlaps(*pair, from_top=from_top)
        expected = [agreement(*pair, k=k) for k in range(1, len(shares) + 1)]
        assert shares == pytest.approx(expected, abs=1e-12)
