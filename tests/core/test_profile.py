import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg import UNRANKED, ItemSet, PartialRanking, Permutation, Profile
from rankagg.exceptions import DataWarning, InvalidInputError, ItemMismatchError
from tests import oracles, strategies

NAN = float("nan")
ABC, BCA = Permutation.from_order("ABC"), Permutation.from_order("BCA")
TIED = PartialRanking.from_buckets([["A"], ["B", "C"]])
SHORT = PartialRanking.from_order("CA", items="ABC")
TOP = PartialRanking.from_top_k("B", items="ABC")


def make(**changes):
    """Return a profile with counts, weights and groups."""
    parts = {"counts": [3, 2, 1], "weights": [1, 0.5, 2], "groups": ["x", "y", "x"], **changes}
    return Profile([ABC, TIED, SHORT], **parts)


# -- the constructors -----------------------------------------------------------------------------


@given(strategies.profiles(groups=True))
def test_a_profile_returns_the_rankings_that_it_was_made_of(profile):
    rankings = list(profile)
    again = Profile(rankings, counts=profile.counts, weights=profile.weights, groups=profile.groups)
    assert again == profile
    assert hash(again) == hash(profile)
    assert [profile[t] for t in range(len(profile))] == rankings
    assert Profile(iter(rankings)).ranks.tolist() == profile.ranks.tolist()
    for ranking in rankings:
        assert (type(ranking) is Permutation) == (ranking.is_complete and ranking.is_strict)


@given(strategies.score_arrays(), st.booleans(), st.sampled_from([0.0, 0.25, 0.5]))
def test_a_row_of_scores_is_ranked_like_a_ranking_of_its_own(scores, higher, tolerance):
    profile = Profile.from_scores(scores, higher_is_better=higher, tolerance=tolerance)
    assert profile.items == ItemSet(range(scores.shape[1]))
    assert list(profile) == [
        PartialRanking.from_scores(row, higher_is_better=higher, tolerance=tolerance)
        for row in scores
    ]


@given(strategies.score_arrays(), st.sampled_from([0.0, 0.25]))
def test_from_ranks_is_from_scores_with_lower_better(numbers, tolerance):
    ranks = Profile.from_ranks(numbers, tolerance=tolerance)
    assert ranks == Profile.from_scores(numbers, higher_is_better=False, tolerance=tolerance)


def test_orders_are_read_best_first_and_may_be_short():
    profile = Profile.from_orders(["CAB", "BA"], counts=[2, 1])
    assert profile.items == ItemSet("ABC")
    assert profile.ranks.tolist() == [[1, 2, 0], [1, 0, UNRANKED]]
    assert profile.counts.tolist() == [2, 1]
    assert Profile.from_orders({"CAB": 2, ("B", "A"): 1}) == profile
    assert Profile.from_orders([[2, 1]], items=[1, 2, 3]).ranks.tolist() == [[1, 0, UNRANKED]]


def test_all_constructors_pass_counts_weights_and_groups_on():
    extra = {"counts": [3, 2], "weights": [0.5, 2.0], "groups": ["x", "y"]}
    direct = Profile([ABC, BCA], **extra)
    assert Profile.from_orders(["ABC", "BCA"], **extra) == direct
    assert Profile.from_ranks([[0, 1, 2], [2, 0, 1]], items="ABC", **extra) == direct
    scores = [[9, 8, 7], [7, 9, 8]]
    assert Profile.from_scores(scores, higher_is_better=True, items="ABC", **extra) == direct


# -- refusals -------------------------------------------------------------------------------------


def of_two(**changes):
    return Profile.from_orders(["AB", "BA"], **changes)


GAPS = Profile.from_orders(["AB", "BC"], items="ABC")
ANY_FLOATS = "integers from 0 on, or of any floats"
REFUSED = [
    (lambda: Profile([]), None),
    (lambda: Profile(["ABC"]), None),
    (lambda: Profile([[0, 1]]), None),
    (lambda: Profile([ABC, None]), None),
    (lambda: Profile([ABC, Permutation.from_order("ABD")]), "reindex"),
    (lambda: Profile([ABC, Permutation.from_order("ABC", items="BAC")]), "another order"),
    (lambda: Profile.from_orders([]), None),
    *((lambda x=x: Profile.from_orders(x), "`orders` must be") for x in (5, [1], [None], None)),
    (lambda: Profile.from_orders("ABC"), "into a list"),
    *((lambda x=x: Profile.from_orders(x), "`orders` must be orders, each a sequence")
      for x in ({"AB", "BA"}, ["AB", {"A", "B"}], [{"A": 1, "B": 2}], [frozenset("AB")])),
    (lambda: Profile.from_orders({"AB": 2}, counts=[3]), "`counts` must be left out"),
    (lambda: Profile({ABC: 2}), "a sequence of rankings, with `counts` if given"),
    (lambda: Profile.from_ranks([0, 1]), None),  # one row without its brackets
    (lambda: Profile.from_ranks([[[0, 1]]]), None),
    (lambda: Profile.from_ranks([[0, 1], [0]]), None),
    (lambda: Profile.from_ranks([[0, np.inf]]), None),
    (lambda: Profile.from_ranks([["x", "y"]]), None),
    (lambda: Profile.from_ranks(np.empty((0, 3))), None),
    (lambda: Profile.from_ranks(np.empty((3, 0))), None),
    (lambda: Profile.from_ranks([[0, 1]], items="ABC"), None),
    (lambda: Profile.from_ranks([[0, 1]], items="AA"), None),
    (lambda: Profile.from_ranks([[0, 1]], tolerance=-1), None),
    (lambda: Profile.from_ranks(GAPS.ranks, items="ABC"), ANY_FLOATS),
    (lambda: PartialRanking.from_ranks(GAPS[0].ranks, items="ABC"), ANY_FLOATS),
    (lambda: Profile.from_scores([[1, 2]], higher_is_better="yes"), None),
    (lambda: Profile.from_scores([[1, 2], [np.inf, 3]], higher_is_better=True),
     r"`scores`.*Got inf in row 1, column 0"),  # as it was given
    *((lambda x=x: make(counts=x), "`counts`") for x in ([1, 2], [1, 2.5, 1])),
    *((lambda x=x: of_two(counts=[x, 1]), "`counts` must be")
      for x in (2**53, 2**62, 2**63, 2**70, 10**400)),
    (lambda: make(weights=[1, 2]), "`weights`"),
    *((lambda x=x: of_two(weights=[x, 1]), "`weights` must be")
      for x in (1e-300, 1e300, 0.0, -1.0, NAN, np.inf, 10**400, 1j, None, "x")),
    *((lambda x=x: make(groups=x), "`groups`") for x in (["x", "y"], [])),
    *((lambda x=x: of_two(groups=x), "`groups` must be")
      for x in ([[1], [2]], [NAN] * 2, [None] * 2, [(1, 2)] * 2, [True, False], 3, [1.5, 2])),
    (Profile([ABC]).by_group, "`groups=`"),
    *((lambda x=x: make()[x], "at least one ranking") for x in ([], slice(0, 0), [False] * 3)),
    (lambda: Profile([ABC]).reindex("AC"), r"Got \['B'\].*restrict"),
    (lambda: Profile([ABC]).restrict("AD"), "one of the 3 items"),
    (lambda: Profile([ABC]) + Profile.from_orders(["AB"]), "only the first has C"),
    (lambda: make() + Profile([ABC]), "`groups`"),
    (lambda: Profile([ABC]) + make(), "`groups`"),
    *((lambda x=x: make().with_unranked(x), "'uniform' or 'ignore' or 'last'")
      for x in ("average", None, "Uniform", 1)),
]  # fmt: skip


def test_bad_profiles_and_operations_are_refused():
    for call, words in REFUSED:
        with pytest.raises((InvalidInputError, ItemMismatchError), match=words):
            call()
    with pytest.raises(TypeError):
        _ = Profile([ABC]) + ABC


# -- content --------------------------------------------------------------------------------------


def test_counts_are_observations_and_weights_are_importance():
    profile = make()
    assert len(profile) == 3
    assert profile.n_rankings == 6
    assert profile.n_items == 3
    assert profile.total_weight == 3 * 1 + 2 * 0.5 + 1 * 2
    assert make(weights=None).total_weight == 6
    assert make(counts=None).n_rankings == 3
    largest = 2**53 - 1  # whose sum leaves int64
    assert Profile([ABC] * 2000, counts=[largest] * 2000).n_rankings == 2000 * largest


@given(strategies.profiles())
def test_properties_describe_the_kinds_of_rankings(profile):
    rankings = list(profile)
    assert profile.is_complete == all(ranking.is_complete for ranking in rankings)
    assert profile.is_strict == all(ranking.is_strict for ranking in rankings)
    assert profile.has_unranked == any(ranking.unranked for ranking in rankings)
    assert profile.has_unlisted == any(ranking.unlisted for ranking in rankings)


def test_one_ranking_is_picked_by_its_number():
    profile = make()
    assert profile[0] == ABC
    assert profile[-1] == profile[np.int64(2)] == SHORT
    with pytest.raises(IndexError):
        profile[3]


@pytest.mark.parametrize(
    ("index", "rows"),
    [
        (slice(0, 2), [0, 1]),
        (slice(None, None, -1), [2, 1, 0]),
        ([2, 0], [2, 0]),
        (np.array([1, 1]), [1, 1]),
        ([True, False, True], [0, 2]),
        (np.array([False, True, False]), [1]),
    ],
    ids=str,
)
def test_rows_are_picked_with_all_that_belongs_to_them(index, rows):
    profile = make()
    part = profile[index]
    assert list(part) == [profile[row] for row in rows]
    assert part.counts.tolist() == [profile.counts[row] for row in rows]
    assert part.weights.tolist() == [profile.weights[row] for row in rows]
    assert part.groups == tuple(profile.groups[row] for row in rows)
    assert part.items == profile.items


# -- derived data ---------------------------------------------------------------------------------


def test_clusters_stay_with_their_rankings():
    profile = make(clusters=["ann", "bob", "ann"])
    assert profile[[2, 1]].clusters == ("ann", "bob")
    assert (profile + profile).clusters == profile.clusters * 2
    assert profile != make()
    assert profile == make().with_clusters(["ann", "bob", "ann"])
    twice = Profile.from_orders(["AB", "AB", "AB"]).with_clusters("xyx").compress()
    assert (twice.clusters, twice.counts.tolist()) == (("x", "y"), [2, 1])
    with pytest.raises(InvalidInputError, match="given in both profiles or in none"):
        profile + make()
    with pytest.raises(InvalidInputError, match="`clusters` must be one cluster per ranking"):
        make(clusters=["ann"])


@given(strategies.profiles(groups=True))
def test_groups_part_the_profile(profile):
    parts = profile.by_group()
    assert list(parts) == list(dict.fromkeys(profile.groups))
    assert sum(len(part) for part in parts.values()) == len(profile)
    for group, part in parts.items():
        assert set(part.groups) == {group}
        rows = [row for row, other in enumerate(profile.groups) if other == group]
        assert part == profile[rows]


@given(strategies.profiles(groups=True))
def test_compressing_loses_nothing(profile):
    small = profile.compress()
    rows = list(zip(small, small.weights.tolist(), small.groups, strict=True))
    assert len(set(rows)) == len(rows)
    assert set(rows) == set(zip(profile, profile.weights.tolist(), profile.groups, strict=True))
    assert small.n_rankings == profile.n_rankings
    assert small.compress() == small
    assert all(
        small.with_unranked(policy).pairwise() == profile.with_unranked(policy).pairwise()
        for policy in strategies.POLICIES
    )
    for group, part in profile.by_group().items():
        assert small.by_group()[group] == part.compress()


@given(strategies.profiles(groups=True), st.data())
def test_restricting_is_restricting_every_ranking(profile, data):
    subset = data.draw(st.lists(st.sampled_from(profile.items.labels), min_size=1, unique=True))
    expected = [ranking.restrict(subset) for ranking in profile]
    assert profile.restrict(subset) == Profile(
        expected, counts=profile.counts, weights=profile.weights, groups=profile.groups
    )


@given(strategies.profiles(groups=True), st.data())
def test_reindexing_is_reindexing_every_ranking(profile, data):
    longer = data.draw(st.permutations([*profile.items, "Z"]))
    expected = [ranking.reindex(longer) for ranking in profile]
    moved = profile.reindex(longer)
    assert moved == Profile(
        expected, counts=profile.counts, weights=profile.weights, groups=profile.groups
    )
    assert moved.restrict(profile.items) == profile


@given(st.data(), strategies.letters())
def test_adding_puts_one_profile_behind_the_other(data, items):
    first = data.draw(strategies.profiles(items, groups=True))
    second = data.draw(strategies.profiles(items, groups=True))
    both = first + second
    assert both[: len(first)] == first
    assert both[len(first) :] == second
    assert (Profile(list(first)) + Profile(list(second))).groups is None


@given(strategies.profiles(groups=True), st.integers(0, 2**32))
def test_drawn_permutations_are_compatible_row_by_row(profile, seed):
    drawn = profile.sample_compatible(rng=seed)
    assert drawn.is_complete
    assert drawn.is_strict
    for ranking, permutation in zip(profile, drawn, strict=True):
        places = tuple(permutation.ranks.tolist())
        assert places in oracles.compatible_permutations(ranking)
    assert drawn.groups == profile.groups
    assert drawn.counts.tolist() == profile.counts.tolist()
    assert drawn == profile.sample_compatible(rng=np.random.default_rng(seed))


def test_repr_states_size_and_kinds():
    assert repr(make()) == (
        "<Profile of 6 rankings (3 rows) of 3 items, with unranked items, with ties, 2 groups>"
    )
    assert repr(Profile([ABC, BCA])) == "<Profile of 2 rankings of 3 items, complete, strict>"
    assert "top-k lists" in repr(Profile([ABC, TOP]))


def test_groups_of_numpy_are_plain_labels() -> None:
    profile = ra.Profile.from_orders(["AB", "BA"], groups=np.array([1, 2]))
    assert profile.groups == (1, 2)
    assert {type(group) for group in profile.groups} == {int}
    assert list(ra.Profile.from_orders(["AB", "BA"], groups=iter("xy")).by_group()) == ["x", "y"]


def test_rules_take_the_largest_counts_and_the_farthest_weights() -> None:
    # 2**53 of nearly all the weight say B > C > A, against as many of next to none.
    profile = ra.Profile.from_orders(
        ["ABC", "BCA", "CAB"], counts=[2**53 - 1] * 3, weights=[1e-100, 1e100, 3.3]
    )
    even = ra.Profile.from_orders(["ABC", "BCA"], counts=[2**53 - 1, 2**53 - 2])
    for rule in (
        ra.Borda(), ra.Bucklin(), ra.Copeland(), ra.PairwiseMajority(), ra.Minimax(), ra.Schulze(),
        ra.RankedPairs(), ra.MC4(), ra.KwikSort(), ra.PickAPerm(), ra.FootruleOptimal(),
        ra.InsertionSearch(), ra.Kemeny(),
    ):  # fmt: skip
        consensus = rule.aggregate(profile, rng=0)
        assert consensus.order == ("B", "C", "A"), rule
        # Costs are right to within what the votes say of themselves.
        true = (2.0**53 - 1) * 2 * 3.3
        assert abs(consensus.cost - true) <= 6 * profile.pairwise().rounding
        assert rule.aggregate(even, rng=0).cost >= 2**53 - 2


# -- rank 0 ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ([[0, 1, 2], [2, 0, 1]], [[0, 1, 2], [2, 0, 1]]),
        ([[0, 0, 2], [0, 1, 1], [0.5, 0.5, 2]], [[0, 0, 2], [0, 1, 1], [0, 0, 2]]),
        ([[0, NAN, 2], [NAN, 1, 2], [2, 1, NAN]], [[0, -1, 1], [-1, 0, 1], [1, 0, -1]]),
        ([[0, 0.3, 7], [0, -1, 2]], [[0, 1, 2], [1, 0, 2]]),
        ([[0, 0, 0]], [[0, 0, 0]]),
    ],
)
def test_rank_0_is_read_as_the_best(ranks, expected):
    assert Profile.from_ranks(ranks).ranks.tolist() == expected


@pytest.mark.parametrize(
    ("ranks", "expected", "number"),
    [
        ([[1, 2, 0, 0]], [[0, 1, -1, -1]], "2 cells"),
        ([[1, 2, 0], [0, 0, 0], [1, 0, 0]], [[0, 1, -1], [-1, -1, -1], [0, -1, -1]], "6 cells"),
        ([[0, 1, 2], [3, 1, 2]], [[-1, 0, 1], [2, 0, 1]], "1 cell"),
        ([[1.5, 1.5, 0, 0], [1, 3, 0, 0]], [[0, 0, -1, -1], [0, 1, -1, -1]], "4 cells"),
        ([[1, 0, 0, NAN]], [[0, -1, -1, -1]], "2 cells"),
    ],
)
def test_rank_0_is_read_as_not_ranked(ranks, expected, number):
    with pytest.warns(DataWarning, match=f"{number} with rank 0 read as not ranked"):
        assert Profile.from_ranks(ranks).ranks.tolist() == expected


@pytest.mark.parametrize(
    "ranks",
    [
        [[0, 1, 1, 2]],
        [[0, 5, 10]],
        [[1, 0, 0], [2, 0, 0]],
        [[0, 1, 2]] * 30 + [[1, 1, 2]],
        [[0, 0, NAN, 3], [0, 1, 2, 3]],
        # Approvals of all but one, or ranks from 0.
        [[0, 1, 1], [0, 1, 1], [0, 1, 1]],
        [[0, 1]],
        np.array([[False, True, True]]),
    ],
)
def test_a_rank_0_that_may_be_either_is_refused(ranks):
    with pytest.raises(InvalidInputError, match="Add 1 to all ranks, or replace zeros by NaN"):
        Profile.from_ranks(ranks)
    scores = Profile.from_scores(ranks, higher_is_better=False)
    assert (scores.ranks[0] == 0).any()


@pytest.mark.parametrize("kind", [int, np.float32, float])
def test_masked_cells_are_missing(kind):
    cells = np.ma.array([[1, 2, 3], [3, 2, 1]], mask=[[0, 0, 1], [0, 0, 0]], dtype=kind)
    filled = cells.astype(float).filled(NAN)
    assert Profile.from_ranks(cells) == Profile.from_ranks(filled)
    made = [
        (of(part, higher_is_better=True) for part in (cells, filled))
        for of in (Profile.from_scores, ra.ScoreTable)
    ]
    assert all(masked == plain for masked, plain in made)
    assert PartialRanking.from_ranks(cells[0]).unranked == (2,)
    for size in (2, 2**60):
        wins = np.ma.array([[0, size], [1, 0]], mask=[[0, 1], [0, 0]])
        with pytest.raises(InvalidInputError, match=r"`wins`.*Got nan in row 0, column 1"):
            ra.PairwiseMatrix.from_wins(wins)
