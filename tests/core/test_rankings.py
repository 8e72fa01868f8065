from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankagg import UNLISTED, UNRANKED, ItemSet, PartialRanking, Permutation, Profile
from rankagg.exceptions import InvalidInputError, ItemMismatchError, TiedRankingError
from tests import oracles, strategies

NAN = float("nan")


def judgments(ranking):
    """Return what a ranking says of every two labels, whatever the order of its items."""
    places = oracles.as_places(ranking)
    labels = ranking.items.labels
    return {
        (labels[i], labels[j]): oracles.judgment(places, i, j)
        for i, j in oracles.ordered_pairs(len(labels))
    }


# -- the constructors -----------------------------------------------------------------------------


def test_items_default_to_sorted_labels():
    assert PartialRanking.from_order("CAB").items == ItemSet("ABC")
    assert PartialRanking.from_buckets([[10], [9]]).items == ItemSet([9, 10])
    assert PartialRanking.from_ranks([3, 1]).items == ItemSet([0, 1])
    assert PartialRanking([1, 0]).items == ItemSet([0, 1])


def test_labels_left_out_of_an_order_are_unranked_and_those_of_a_list_unlisted():
    ranking = PartialRanking.from_order("CA", items="ABCD")
    assert ranking.ranks.tolist() == [1, UNRANKED, 0, UNRANKED]
    assert ranking.ranks.dtype == np.int32
    top = PartialRanking.from_top_k("CA", items="ABCD")
    assert top.ranks.tolist() == [1, UNLISTED, 0, UNLISTED]
    for one in (ranking, top, Permutation.from_top_k("CA", items="AC")):
        assert one.order == ("C", "A")
    nothing = PartialRanking.from_order([], items="AB")
    assert (nothing.unranked, nothing.n_observed, nothing.buckets) == (("A", "B"), 0, ())


@pytest.mark.parametrize(("higher", "best"), [(True, "B"), (False, "A")])
def test_from_scores_takes_the_direction_from_the_caller(higher, best):
    ranking = PartialRanking.from_scores([0.2, 0.9, NAN], higher_is_better=higher, items="ABC")
    assert ranking.order[0] == best
    assert ranking.unranked == ("C",)


def test_mappings_are_read_by_label():
    numbers = {"B": 2.0, "A": 1.0, "D": NAN}
    assert PartialRanking.from_ranks(numbers).buckets == (("A",), ("B",))
    assert PartialRanking.from_ranks(numbers, items="DCBA").ranks.tolist() == [-1, -1, 1, 0]
    assert PartialRanking.from_scores(numbers, higher_is_better=True).buckets == (("B",), ("A",))


def test_a_new_bucket_starts_where_a_step_exceeds_the_tolerance():
    # Steps of 0.5, 0.5 and 0.75: tied through a chain, and the bound itself still ties.
    ranking = PartialRanking.from_ranks([0.0, 0.5, 1.0, 1.75], tolerance=0.5)
    assert ranking.ranks.tolist() == [0, 0, 0, 3]
    scores = PartialRanking.from_scores([0.0, 0.5, 1.0, 1.75], higher_is_better=True, tolerance=0.5)
    assert scores.ranks.tolist() == [1, 1, 1, 0]
    assert PartialRanking.from_ranks([0.1 + 0.2, 0.3]).is_strict  # by default any step does
    assert PartialRanking.from_scores([0.1 + 0.2, 0.3], higher_is_better=True).is_strict
    assert Profile.from_ranks([[0.1 + 0.2, 0.3]])[0].is_strict


@given(strategies.rankings(unlisted=False))
def test_buckets_and_items_make_the_same_ranking_again(ranking):
    assert PartialRanking.from_buckets(ranking.buckets, items=ranking.items) == ranking


@given(strategies.score_arrays(rows=1), st.booleans())
def test_a_place_counts_the_better_scores(scores, higher):
    ranking = PartialRanking.from_scores(scores[0], higher_is_better=higher)
    sign = -1 if higher else 1
    numbers = [sign * score for score in scores[0]]
    assert ranking.ranks.tolist() == [
        UNRANKED if np.isnan(number) else sum(other < number for other in numbers)
        for number in numbers
    ]


def test_constructors_return_the_class_they_are_called_on():
    assert type(PartialRanking.from_order("AB")) is PartialRanking
    assert type(Permutation.from_order("AB")) is Permutation
    assert type(Permutation.from_ranks([2, 1])) is Permutation
    assert type(Permutation.from_scores([2, 1], higher_is_better=True)) is Permutation
    assert type(Permutation.from_buckets(["A", "B"])) is Permutation


# -- refusals -------------------------------------------------------------------------------------


def test_bad_competition_ranks_are_refused():
    for ranks in (
        [1, 2],  # no best place
        [0, 1, 1, 2],  # dense instead of competition ranks
        [0, -3],
        [0.0, 1.0],
        [True, False],
        [[0, 1]],
        [[0], [1, 0]],
        [0, 2**32 + 1],  # would be 1 in 32 bits
        [0, NAN],
        None,
    ):
        with pytest.raises(InvalidInputError) as caught:
            PartialRanking(ranks)
        assert caught.value.parameter == "ranks"


ABC, TOP = Permutation.from_order("ABC"), PartialRanking.from_top_k("A", items="ABC")
NO_PERMUTATION = r"complete and strict.*`PartialRanking`"
REFUSED = {
    "ranks as an order": (lambda: Permutation.from_order({"C": 1}), "`order`.*`from_ranks`"),
    "a set as an order": (lambda: Permutation.from_order({"A"}), "`order`.*`from_ranks`"),
    "ranks as buckets": (lambda: PartialRanking.from_buckets({"C": 1}), "`buckets`.*`from_ranks`"),
    "a masked rank": (lambda: PartialRanking(np.ma.array([0, 1], mask=[0, 1])), "flat sequence"),
    "twice in an order": (lambda: PartialRanking.from_order("ABA"), None),
    "empty order": (lambda: PartialRanking.from_order([]), None),
    "mixed labels": (lambda: PartialRanking.from_order(["A", 1]), None),
    "a float as label": (lambda: PartialRanking.from_order(["A", 1.5]), None),
    "items twice": (lambda: PartialRanking.from_order("AB", items="ABB"), None),
    "buckets as an order": (lambda: PartialRanking.from_order([["A"], ["B", "C"]]), None),
    "twice in a bucket": (lambda: PartialRanking.from_buckets([["A", "A"]]), None),
    "empty bucket": (lambda: PartialRanking.from_buckets([["A"], []]), None),
    "unknown in a bucket": (lambda: PartialRanking.from_buckets([["D"]], items="ABC"), None),
    "twice in a list": (lambda: PartialRanking.from_top_k("AA", items="ABC"), None),
    "infinite rank": (lambda: PartialRanking.from_ranks([1.0, np.inf]), None),
    "no places": (lambda: PartialRanking(np.array([], dtype=int)), "at least one label"),
    "two of three places": (lambda: PartialRanking([0, 1], "ABC"), r"\(3 of them\)\. Got 2"),
    "two of three ranks": (
        lambda: PartialRanking.from_ranks([0, 1], items="ABC"), r"\(3 of them\)\. Got 2"
    ),
    "empty mapping": (lambda: PartialRanking.from_ranks({}), None),
    "unknown in a mapping": (
        lambda: PartialRanking.from_ranks({"A": 1.0, "D": 2.0}, items="ABC"), None
    ),
    "infinite score": (  # as it was given
        lambda: PartialRanking.from_scores([1, np.inf], higher_is_better=True), "`scores`.*Got inf"
    ),
    "words as scores": (lambda: PartialRanking.from_scores(["x"], higher_is_better=True), None),
    "word in a mapping of scores": (
        lambda: PartialRanking.from_scores({"A": "x", "B": 1.0}, higher_is_better=True), None
    ),
    "tie": (lambda: Permutation.from_ranks([0, 0]), NO_PERMUTATION),
    "short order": (lambda: Permutation("AB", "ABC"), NO_PERMUTATION),
    "short list": (lambda: Permutation.from_top_k("A", items="AB"), NO_PERMUTATION),
    "bucket of two": (lambda: Permutation.from_buckets([["A", "B"]]), NO_PERMUTATION),
    "nan rank": (lambda: Permutation.from_ranks([1.0, NAN]), NO_PERMUTATION),
    "equal scores": (
        lambda: Permutation.from_scores([1.0, 1.0], higher_is_better=True), NO_PERMUTATION
    ),
    "rank of an unknown item": (lambda: ABC.rank("F"), "one of the 3 items"),
    "without an unlisted item": (lambda: TOP.reindex("AB"), None),
    "part with an unknown item": (lambda: ABC.restrict("AD"), "one of the 3 items"),
    "part with an item twice": (lambda: ABC.restrict("AA"), "distinct"),
    "reverse of a list": (TOP.reverse, "unlisted"),
    "other items": (lambda: ABC.compose(Permutation.from_order("ABD")), "only the first has C"),
    **{
        f"size {size}": (lambda size=size: EXAMPLE.sample_compatible(size, rng=1), "`size`")
        for size in (-1, 1.5, "3", None, True)
    },
    **{
        f"rng {rng}": (lambda rng=rng: EXAMPLE.sample_compatible(1, rng=rng), "`rng`")
        for rng in (-1, "seed", 1.5)
    },
    "rng of a profile": (lambda: Profile([ABC]).sample_compatible(rng=-1), "`rng`"),
}  # fmt: skip


def test_bad_rankings_are_refused():
    for call, words in REFUSED.values():
        with pytest.raises((InvalidInputError, ItemMismatchError), match=words):
            call()


def test_a_tied_ranking_has_no_order_and_names_the_buckets():
    with pytest.raises(TiedRankingError, match=r"B = C.*`\.buckets`"):
        _ = PartialRanking.from_buckets(["A", "BC"]).order


def test_scores_have_no_default_direction():
    for kind in (PartialRanking, Profile):
        with pytest.raises(TypeError, match="higher_is_better"):
            kind.from_scores([1.0, 2.0])


# -- output ---------------------------------------------------------------------------------------


def test_rank_of_a_label_counts_from_one():
    assert (UNRANKED, UNLISTED) == (-1, -2)
    ranking = PartialRanking([1, 0, 1, UNRANKED, UNLISTED], "ABCDE")
    assert [ranking.rank(label) for label in "ABCDE"] == [2, 1, 2, None, None]


def test_text_shows_labels_and_places_from_one():
    ranking = PartialRanking([0, 1, 1, 3, UNLISTED, UNRANKED], "ABCDEF")
    assert str(ranking) == "1. A\n2. B = C\n4. D\nunlisted: E\nunranked: F"
    assert repr(ranking) == "<PartialRanking A > B = C > D; unlisted: E; unranked: F>"
    assert repr(Permutation.from_order("BA")) == "<Permutation B > A>"


# -- the same order on other items ----------------------------------------------------------------


@given(strategies.rankings(), st.data())
def test_reindexing_changes_positions_and_no_judgment(ranking, data):
    shuffled = data.draw(st.permutations([*ranking.items, "Y", "Z"]))
    moved = ranking.reindex(shuffled)
    assert moved.items == ItemSet(shuffled)
    assert {"Y", "Z"} <= set(moved.unranked)
    there = judgments(moved)
    assert all(there[pair] == judged for pair, judged in judgments(ranking).items())
    assert moved.reindex(ranking.items) == ranking
    assert type(moved) is PartialRanking


def test_reindexing_drops_unobserved_items_only():
    ranking = PartialRanking.from_order("BA", items="ABC")
    kept = ranking.reindex("BA")
    assert kept == Permutation.from_order("BA", items="BA")
    assert type(kept) is Permutation
    with pytest.raises(InvalidInputError, match=r"restrict") as caught:
        ranking.reindex("BC")
    assert caught.value.value == ["A"]


@given(strategies.rankings(), st.data())
def test_restricting_keeps_every_judgment_of_the_rest(ranking, data):
    subset = data.draw(st.lists(st.sampled_from(ranking.items.labels), min_size=1, unique=True))
    part = ranking.restrict(subset)
    assert part.items == ItemSet(subset)
    whole = judgments(ranking)
    assert judgments(part) == {
        pair: judged for pair, judged in whole.items() if set(pair) <= set(subset)
    }
    assert (type(part) is Permutation) == (part.is_complete and part.is_strict)


@given(strategies.rankings(unlisted=False))
def test_reversing_inverts_every_judgment(ranking):
    turned = judgments(ranking.reverse())
    assert all(turned[second, first] == judged for (first, second), judged in
               judgments(ranking).items())  # fmt: skip
    assert ranking.reverse().reverse() == ranking


# -- permutations as maps -------------------------------------------------------------------------


def test_inverse_and_composition_follow_their_formulas():
    sigma, tau = Permutation("CAB"), Permutation("ACB")
    assert sigma.inverse().ranks.tolist() == [2, 0, 1]
    # First tau, then sigma: 0 -> 0 -> 1, 1 -> 2 -> 0, 2 -> 1 -> 2.
    assert sigma.compose(tau).ranks.tolist() == [1, 0, 2]
    assert tau.compose(sigma).ranks.tolist() == [2, 1, 0]


@given(st.data(), strategies.letters())
def test_permutations_are_a_group(data, items):
    a, b, c = (data.draw(strategies.strict_rankings(items)) for _ in range(3))
    identity = Permutation.identity(items)
    assert identity.order == items.labels
    assert a.compose(a.inverse()) == a.inverse().compose(a) == identity
    assert a.compose(identity) == identity.compose(a) == a
    assert a.compose(b).compose(c) == a.compose(b.compose(c))
    assert a.compose(b).inverse() == b.inverse().compose(a.inverse())
    assert a.reverse().order == a.order[::-1]


# -- compatible permutations ----------------------------------------------------------------------


# Chance that a correct sampler fails a test, had the seed not been fixed.
ALPHA = 1e-6
DRAWS = 24_000
SEED = 20_240_229

# Items A, B, C, D with places None, 0, 1, None: B before C, A and D not observed.
EXAMPLE = PartialRanking.from_order("BC", items="ABCD")


# -- their number ---------------------------------------------------------------------------------


@given(strategies.rankings())
def test_compatible_permutations_are_listed_once_and_counted(ranking):
    found = list(ranking.compatible_permutations())
    drawn = ranking.sample_compatible(5, rng=1)
    assert all(type(p) is Permutation and p.items == ranking.items for p in (*found, *drawn))
    listed = [tuple(p.ranks.tolist()) for p in found]
    assert sorted(listed) == sorted(oracles.compatible_permutations(ranking))
    assert len(listed) == ranking.n_compatible_permutations
    assert len(drawn) == 5
    assert set(drawn) <= set(found)


# -- averages -------------------------------------------------------------------------------------


@given(strategies.rankings())
def test_probabilities_and_expected_ranks_are_those_of_an_enumeration(ranking):
    before = np.array(oracles.probability_before(ranking), dtype=float)
    np.testing.assert_allclose(ranking.pairwise_probabilities(), before, rtol=0, atol=1e-14)
    expected = np.array(oracles.expected_places(ranking), dtype=float)
    np.testing.assert_allclose(ranking.expected_ranks(), expected, rtol=0, atol=1e-13)


@given(strategies.rankings(max_size=40))
def test_probabilities_and_expected_ranks_agree_for_any_size(ranking):
    n = ranking.n_items
    before = ranking.pairwise_probabilities()
    np.testing.assert_allclose(before + before.T, 1.0 - np.eye(n), atol=1e-14)
    np.testing.assert_allclose(before.sum(axis=0), ranking.expected_ranks(), atol=1e-11)


# -- drawing them ---------------------------------------------------------------------------------


def draw_rows(*rankings):
    """Draw many compatible permutations of each ranking at once, in turns."""
    rows = np.arange(DRAWS * len(rankings)) % len(rankings)
    return Profile(rankings)[rows].sample_compatible(rng=SEED).ranks


def count_each(ranking, drawn):
    counted = Counter(map(tuple, drawn))
    possible = oracles.compatible_permutations(ranking)
    assert set(counted) <= set(possible)
    return [counted[places] for places in possible]


def assert_equally_likely(counts):
    statistic = stats.chisquare(counts).statistic
    assert statistic < stats.chi2.isf(ALPHA, df=len(counts) - 1)
    # Too even to be random is wrong as well.
    assert statistic > stats.chi2.ppf(ALPHA, df=len(counts) - 1)


@pytest.mark.parametrize(
    "places",
    [
        [0, 1, -1],  # a shuffle that tosses a fair coin for the next item gives 1/2, 1/4 and 1/4
        [1, -1, 0, -1, -2],
    ],
    ids=str,
)
def test_all_compatible_permutations_are_equally_likely(places):
    ranking = PartialRanking(places)
    assert_equally_likely(count_each(ranking, draw_rows(ranking).tolist()))


def test_rows_of_a_profile_are_drawn_independently():
    row = PartialRanking.from_buckets([["B"], ["C", "D"]], items="ABCD")
    top = PartialRanking.from_top_k("A", items="ABCD")
    drawn = draw_rows(row, top)
    assert_equally_likely(count_each(row, drawn[::2].tolist()))
    assert_equally_likely(count_each(top, drawn[1::2].tolist()))
    both = Counter(zip(drawn[::2, 0].tolist(), drawn[1::2, 1].tolist(), strict=True))
    assert_equally_likely([both[a, b] for a in range(4) for b in range(1, 4)])


def test_a_seed_or_a_generator_decides_the_draws():
    assert EXAMPLE.sample_compatible(0, rng=1) == []
    first = EXAMPLE.sample_compatible(20, rng=7)
    assert first == EXAMPLE.sample_compatible(20, rng=7)
    assert first == EXAMPLE.sample_compatible(20, rng=np.random.default_rng(7))
    assert first != EXAMPLE.sample_compatible(20, rng=8)
    generator = np.random.default_rng(7)
    assert EXAMPLE.sample_compatible(20, rng=generator) == first
    assert EXAMPLE.sample_compatible(20, rng=generator) != first


def test_labels_instead_of_ranks_are_pointed_to_orders():
    with pytest.raises(InvalidInputError, match="`from_order` takes items, best first"):
        PartialRanking(["A", "B"])
