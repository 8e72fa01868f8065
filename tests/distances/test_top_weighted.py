"""Agreement at the top, against definitions and all ways of breaking ties."""

from itertools import combinations, permutations, product
from math import isnan

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import rankagg as ra
from rankagg import PartialRanking, Permutation
from rankagg.distances import last_k_agreement, rank_biased_overlap, tau_ap, top_k_agreement
from rankagg.distances.top_weighted import _count_smaller_before, overlaps
from rankagg.exceptions import InvalidInputError
from tests import oracles, strategies
from tests.distances.test_unweighted import PAIRS, have_common_items
from tests.strategies import ranking_pairs, weak_rankings

NAN = float("nan")

ABC = Permutation.from_order("ABC")


@given(
    strategies.ranking_pairs(max_size=4).filter(lambda both: have_common_items(*both)), st.data()
)
def test_agreement_is_its_mean_over_all_ways_to_break_ties(both, data):
    k = data.draw(st.integers(1, len(oracles.common(*both)[0])))
    assert top_k_agreement(*both, k) == pytest.approx(float(oracles.top_k_overlap(*both, k)))
    assert last_k_agreement(*both, k) == pytest.approx(float(oracles.last_k_overlap(*both, k)))


@pytest.mark.parametrize("k", [0, -1, 4, 1.5, NAN, "1", None, True])
def test_k_is_a_number_of_items(k):
    for measure in (top_k_agreement, last_k_agreement):
        with pytest.raises(InvalidInputError, match="`k` must be an integer of at least 1 and at"):
            measure(ABC, ABC, k)
    with pytest.raises(InvalidInputError, match="at most 2"):  # of items that both observe
        top_k_agreement(ABC, PartialRanking.from_order("AB", items="ABC"), 3)


@given(PAIRS)
def test_overlaps_are_the_agreement_at_every_depth(pair):
    for from_top, agreement in ((True, top_k_agreement), (False, last_k_agreement)):
        shares = overlaps(*pair, from_top=from_top)
        expected = [agreement(*pair, k=k) for k in range(1, len(shares) + 1)]
        assert shares == pytest.approx(expected, abs=1e-12)


PERSISTENCES = st.sampled_from([0.1, 0.5, 0.9, 0.99])


@given(pair=ranking_pairs(unlisted=False), persistence=PERSISTENCES)
def test_rank_biased_overlap_averages_the_overlap_of_the_first_k(pair, persistence):
    first, second = pair
    both = (first.ranks != ra.UNRANKED) & (second.ranks != ra.UNRANKED)
    if not both.any():
        with pytest.raises(InvalidInputError, match="in common"):
            rank_biased_overlap(first, second)
        return
    n = int(both.sum())
    overlap = [top_k_agreement(first, second, k) for k in range(1, n + 1)]
    expected = sum((1 - persistence) * persistence**k * a for k, a in enumerate(overlap))
    found = rank_biased_overlap(first, second, persistence=persistence)
    assert found == pytest.approx(expected + persistence**n)
    assert 0 <= found <= 1 + 1e-12
    least = rank_biased_overlap(first, second, persistence=persistence, variant="least")
    residual = rank_biased_overlap(first, second, persistence=persistence, variant="residual")
    assert (least, residual) == (found, 0)


def test_rank_biased_overlap_of_equal_and_of_reversed_rankings():
    assert rank_biased_overlap(ABC, ABC) == pytest.approx(1)
    low = rank_biased_overlap(ABC, ABC.reverse(), persistence=0.5)
    assert low == pytest.approx(0.5 * 0 + 0.25 * 0.5 + 0.125 + 0.125)
    for wrong in (0, 1, -1, "x"):
        with pytest.raises(InvalidInputError, match="persistence"):
            rank_biased_overlap(ABC, ABC, persistence=wrong)
    with pytest.raises(InvalidInputError, match="variant"):
        rank_biased_overlap(ABC, ABC, variant="min")


def lists(*tops, items="ABCDEFGHMN"):
    return [PartialRanking.from_top_k(top, items=items) for top in tops]


# The third: equation 32 by hand, for lists of 4 and 7.
@pytest.mark.parametrize(
    ("tops", "extrapolated"),
    [(("CABE", "CABE"), 1), (("ABC", "DEFG"), 0), (("NHMA", "CGNA"), 0.3915),
     (("NDAE", "ABCDEFG"), 0.49038)],
)  # fmt: skip
def test_known_overlaps_of_lists(tops, extrapolated):
    assert rank_biased_overlap(*lists(*tops)) == pytest.approx(extrapolated, abs=5e-6)
    more = lists(*tops, items=[*"ABCDEFGHMN", *map(str, range(50))])  # other items change nothing
    assert rank_biased_overlap(*more) == pytest.approx(extrapolated, abs=5e-6)


def by_the_paper(short, long, p):
    """Return RBO_ext by equation 32, RBO_min and RBO_res from lists continued to depth 400."""
    short, long = sorted((short, long), key=len)
    s, t = len(short), len(long)

    def x(d):
        return len(set(short[:d]) & set(long[:d]))

    def total(overlap, depths):
        return sum((1 - p) * p ** (d - 1) * overlap(d) / d for d in depths)

    extrapolated = total(x, range(1, t + 1))
    extrapolated += total(lambda d: x(s) * (d - s) / s, range(s + 1, t + 1))
    extrapolated += ((x(t) - x(s)) / t + x(s) / s) * p**t
    least = total(x, range(1, 15)) + x(t) * total(lambda _: 1, range(15, 400))
    # As much as can be shared: first what the other list has, then new ones, the same for both.
    mine = [*short, *(i for i in long if i not in short), *range(14)]
    theirs = [*long, *(i for i in short if i not in long), *range(14)]
    most = total(lambda d: len(set(mine[:d]) & set(theirs[:d])), range(1, 15)) + p**14
    return extrapolated, least, most - least


@given(
    tops=st.tuples(*[st.lists(st.sampled_from("ABCDEFG"), unique=True, min_size=1)] * 2),
    cuts=st.tuples(*[st.lists(st.booleans(), min_size=7, max_size=7)] * 2),
    p=st.sampled_from([0.3, 0.9]),
)
@example(tops=("ABCD", "DCBAE"), cuts=([True] * 7,) * 2, p=0.9)
@example(tops=("ABCD", "DCBAE"), cuts=([False] * 7,) * 2, p=0.9)
def test_overlaps_average_the_definition_over_broken_ties(tops, cuts, p):
    grouped = []
    for top, cut in zip(tops, cuts, strict=True):
        buckets = []
        for k, label in enumerate(top):
            if not k or cut[k] or len(buckets[-1]) == 2:
                buckets.append([])
            buckets[-1].append(label)
        grouped.append(buckets)
    expected = np.mean([by_the_paper(*both, p) for both in product(*map(broken, grouped))], axis=0)
    seen = [PartialRanking.from_buckets(b, items="ABCDEFGXYZ") for b in grouped]
    both = [PartialRanking(np.where(one.ranks < 0, ra.UNLISTED, one.ranks), one.items)
            for one in seen]  # fmt: skip
    variants = ("extrapolated", "least", "residual")
    found = [rank_biased_overlap(*both, persistence=p, variant=variant) for variant in variants]
    assert found == pytest.approx(expected, abs=1e-9)


def test_an_empty_list_cannot_be_extrapolated():
    empty, full = lists("", "ABC")
    assert isnan(rank_biased_overlap(empty, full))
    assert rank_biased_overlap(empty, full, variant="least") == 0
    assert rank_biased_overlap(empty, full, variant="residual") == pytest.approx(1)


@given(orders=st.lists(st.permutations(range(6)), min_size=2, max_size=2), additive=st.booleans())
def test_weighted_tau_sums_over_pairs(orders, additive):
    first, second = (ra.Permutation.from_order(order) for order in orders)

    def by_places_of(lead):
        total = weight_sum = 0.0
        for i, j in combinations(range(6), 2):
            r, s = 1 / (lead.ranks[i] + 1), 1 / (lead.ranks[j] + 1)
            weight = r + s if additive else r * s
            agree = (first.ranks[i] < first.ranks[j]) == (second.ranks[i] < second.ranks[j])
            total += weight * (1 if agree else -1)
            weight_sum += weight
        return total / weight_sum

    assert ra.distances.weighted_kendall_tau(first, second, additive=additive) == pytest.approx(
        (by_places_of(first) + by_places_of(second)) / 2
    )


# The vectors of the example in the manual of ircor, an R package by Urbano, and what it prints.
X = (0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54)
Y = (0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84)


def by_scores(scores):
    return ra.PartialRanking.from_scores(scores, higher_is_better=True)


def directed(order, truth):
    """Return the coefficient of Yilmaz et al., word by word."""
    shares = [
        sum(truth[above] < truth[item] for above in order[:place]) / place
        for place, item in enumerate(order)
        if place
    ]
    return 2 * sum(shares) / (len(order) - 1) - 1


def broken(buckets):
    for orders in product(*map(permutations, buckets)):
        yield [item for order in orders for item in order]


@given(ranking=weak_rankings(min_size=2, max_size=5), data=st.data())
def test_accuracy_averages_over_all_ways_of_breaking_ties(ranking, data):
    labels = data.draw(st.permutations(list(ranking.items)))
    truth = ra.Permutation.from_order(labels, items=ranking.items)
    true = {label: place for place, label in enumerate(labels)}
    ways = [directed(order, true) for order in broken(ranking.buckets)]
    assert tau_ap(ranking, truth, variant="a") == pytest.approx(np.mean(ways), abs=1e-12)


def direction(ranks, others):
    """Return the mean share of those above an item that truly are, on the scale from -1 to 1."""
    above = ranks[None, :] < ranks[:, None]
    counted = above.any(axis=1)
    right = (above & (others[None, :] < others[:, None])).sum(axis=1)[counted]
    return 2 * (right / above.sum(axis=1)[counted]).mean() - 1 if len(right) else float("nan")


MANY = tuple(by_scores(np.random.default_rng(seed).integers(0, 200, 300)) for seed in (5, 6))


@example(pair=MANY)
@given(pair=ranking_pairs(unranked=False, unlisted=False))
def test_agreement_is_the_mean_of_both_directions(pair):
    one, two = (ranking.ranks for ranking in pair)
    expected = (direction(one, two) + direction(two, one)) / 2
    for both in (pair, pair[::-1]):
        assert tau_ap(*both) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(pair=ranking_pairs())
def test_gaps_are_left_out_and_unlisted_items_share_the_last_rank(pair):
    common = [k for k in range(len(pair[0].ranks)) if all(r.ranks[k] != ra.UNRANKED for r in pair)]
    if not common:
        with pytest.raises(InvalidInputError, match="observe an item in common"):
            tau_ap(*pair)
        return
    plain = [
        ra.PartialRanking.from_scores(
            [-r.ranks[k] if r.ranks[k] >= 0 else -99.0 for k in common], higher_is_better=True
        )
        for r in pair
    ]
    assert tau_ap(*pair) == pytest.approx(tau_ap(*plain), abs=1e-12, nan_ok=True)


def test_published_values_with_ties_are_reproduced():
    true, coarse = by_scores(X), by_scores(np.round(Y, 1))
    assert tau_ap(by_scores(Y), true, variant="a") == pytest.approx(0.3928571, abs=5e-8)
    assert tau_ap(coarse, true, variant="a") == pytest.approx(0.39903, abs=5e-6)
    assert tau_ap(true, coarse) == pytest.approx(0.3317019, abs=5e-8)
    assert tau_ap(by_scores(np.round(X, 1)), coarse) == pytest.approx(0.339418, abs=5e-7)


def test_ties_in_a_true_ranking_are_refused():
    tied = ra.PartialRanking.from_buckets(["A", "BC"])
    for variant, words in (
        ("a", r'`second` must be a true ranking.*variant="b"'),
        ("c", "variant"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            tau_ap(ABC, tied, variant=variant)


def test_coefficients_without_comparable_pairs_are_nan():
    one, tied = ra.Permutation.from_order("A"), ra.PartialRanking.from_buckets(["ABC"])
    assert isnan(tau_ap(one, one))
    assert isnan(tau_ap(one, one, variant="a"))
    assert isnan(tau_ap(tied, tied))
    assert tau_ap(tied, ra.Permutation.from_order("ABC"), variant="a") == 0


@given(values=st.permutations(range(13)), size=st.integers(0, 13))
def test_smaller_numbers_before_each_are_counted(values, size):
    values = [value for value in values if value < size]
    found = _count_smaller_before(np.array(values, dtype=np.int64))
    assert found.tolist() == [sum(a < b for a in values[:k]) for k, b in enumerate(values)]
