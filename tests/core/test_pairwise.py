from fractions import Fraction
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg import PairwiseMatrix, PartialRanking, Permutation, Profile
from rankagg.core import tally
from rankagg.core.exact import fit, narrow
from rankagg.core.pairwise import _fingerprint
from rankagg.exceptions import InvalidInputError, ItemMismatchError
from tests import oracles, strategies
from tests.strategies import POLICIES

NAN = float("nan")
ABC, BCA = Permutation.from_order("ABC"), Permutation.from_order("BCA")

# Whole numbers and fractions far apart: sums leave int64, or floats, or both.
huge_weights = st.sampled_from([1.0, 1 / 3, 0.1, 1e15, 2.0**53, 2.0**58, 2.0**61, 1e20])
any_weights = st.one_of(strategies.weights, st.floats(1e-3, 1e3))
exact_weights = st.one_of(strategies.weights, huge_weights)


def fractions(votes, name):
    """Return a matrix of votes as fractions, from its integers."""
    scaled = getattr(votes, f"scaled_{name}")
    return [[Fraction(int(value), votes.denominator) for value in row] for row in scaled]


def all_fractions(votes):
    return tuple(fractions(votes, name) for name in ("wins", "ties", "comparisons"))


# -- counting -------------------------------------------------------------------------------------


@given(strategies.profiles(weights=exact_weights), strategies.policies)
def test_votes_are_those_of_an_enumeration(profile, policy):
    expected = oracles.pairwise_votes(profile, policy)
    profile = profile.with_unranked(policy)
    votes = profile.pairwise()
    assert all_fractions(votes) == expected
    assert votes.is_exact
    assert votes.rounding == 0
    assert votes.unranked == policy
    assert votes.items == profile.items
    assert votes.total_weight == profile.total_weight
    expected = oracles.squared_weights(profile, profile.counts, profile.weights)
    for i, j in oracles.ordered_pairs(profile.n_items):
        assert votes.squared_weights[i, j] == pytest.approx(float(expected[i][j]), rel=1e-12, abs=0)


@pytest.mark.parametrize("weight", [1e-100, 1e-20, 1e20, 1e100])
def test_every_positive_weight_can_be_counted(weight):
    votes = Profile([ABC], weights=[weight]).pairwise()
    assert votes.wins[0, 1] / weight == pytest.approx(1)
    assert votes.cost(BCA) / weight == pytest.approx(2)


@pytest.mark.parametrize(
    ("weights", "counts", "denominator"),
    [([0.1, 1], [10, 1], 1), ([0.5, 1.5], None, 2), ([2.5, 1.5], [2, 2], 1)],
)
def test_integers_share_no_factor_with_their_denominator(weights, counts, denominator):
    votes = Profile([ABC, BCA], weights=weights, counts=counts).pairwise()
    assert votes.denominator == denominator


@given(strategies.profiles(weights=exact_weights), strategies.policies)
def test_many_rankings_of_few_weights_are_counted_like_few(profile, policy):
    # Rows of equal weight are counted together where there are enough of them.
    times = 100
    many = profile[np.tile(np.arange(len(profile)), times)]
    for held, expected in zip(
        all_fractions(many.with_unranked(policy).pairwise()),
        oracles.pairwise_votes(profile, policy),
        strict=True,
    ):
        assert held == [[times * votes for votes in row] for row in expected]


@given(strategies.profiles(), strategies.policies)
def test_floats_are_the_fractions_rounded_once(profile, policy):
    votes = profile.with_unranked(policy).pairwise()
    for name in ("wins", "ties", "comparisons"):
        exact = [[float(value) for value in row] for row in fractions(votes, name)]
        assert getattr(votes, name).tolist() == exact
    wins = fractions(votes, "wins")
    n = len(wins)
    margins = [[float(wins[i][j] - wins[j][i]) for j in range(n)] for i in range(n)]
    assert votes.margins.tolist() == margins


@given(profile=strategies.profiles(), policy=strategies.policies, block=st.integers(1, 12))
def test_counting_in_blocks_changes_nothing(profile, policy, block):
    whole = profile.with_unranked(policy).pairwise()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tally, "PLACES_AT_ONCE", block)
        assert profile.with_unranked(policy).pairwise() == whole


# -- proportions ----------------------------------------------------------------------------------


@given(strategies.profiles(), strategies.policies)
def test_a_proportion_splits_ties_and_is_nan_without_votes(profile, policy):
    votes = profile.with_unranked(policy).pairwise()
    wins, ties = fractions(votes, "wins"), fractions(votes, "ties")
    for i, j in oracles.ordered_pairs(profile.n_items):
        total = wins[i][j] + wins[j][i] + ties[i][j]
        share = (wins[i][j] + ties[i][j] / 2) / total if total else NAN
        assert votes.proportion[i, j] == pytest.approx(float(share), abs=1e-15, nan_ok=True)


def test_pairs_that_no_ranking_compares_are_named():
    short = Profile.from_orders(["AB", "BC"], items="ABCD")
    top = Profile([PartialRanking.from_top_k("B", items="ABC")])
    missed = (("A", "C"), ("A", "D"), ("B", "D"), ("C", "D"))
    for policy in POLICIES:
        expected = () if policy == "last" else missed
        assert short.with_unranked(policy).pairwise().never_compared == expected
        assert top.with_unranked(policy).pairwise().never_compared == (("A", "C"),)
    assert Profile([ABC]).pairwise().never_compared == ()


# -- sums -----------------------------------------------------------------------------------------


@given(st.data(), strategies.letters(max_size=5), strategies.policies)
def test_the_matrices_of_two_parts_add_up_exactly(data, items, policy):
    drawn = strategies.profiles(items, weights=exact_weights)
    first, second = (data.draw(drawn) for _ in range(2))
    summed = first.with_unranked(policy).pairwise() + second.with_unranked(policy).pairwise()
    whole = (first + second).with_unranked(policy).pairwise()
    assert summed == whole
    assert all_fractions(summed) == all_fractions(whole)
    assert hash(summed) == hash(whole)
    assert summed.total_weight == pytest.approx(whole.total_weight)
    np.testing.assert_allclose(summed.squared_weights, whole.squared_weights, rtol=1e-12)


def test_plain_matrices_add_up():
    second = PairwiseMatrix.from_wins([[0, 1 / 3], [2, 0]], ties=[[0, 1], [1, 0]])
    both = PairwiseMatrix.from_wins([[0, 1], [0.5, 0]]) + second
    assert fractions(both, "wins") == [[0, Fraction(4, 3)], [Fraction(5, 2), 0]]
    assert fractions(both, "ties") == [[0, 1], [1, 0]]
    assert both.total_weight is None
    assert both.unranked is None


@pytest.mark.parametrize("policy", POLICIES)
def test_sums_are_decided_if_both_parts_are(policy):
    parts = Profile([ABC, BCA]), Profile.from_orders(["A"], items="ABC")
    decided, not_decided = (part.with_unranked(policy).pairwise() for part in parts)
    assert decided.is_decided
    assert not not_decided.is_decided
    assert (decided + decided).is_decided
    for summed in (decided + not_decided, not_decided + decided, not_decided + not_decided):
        assert not summed.is_decided
    assert not PairwiseMatrix.from_wins(np.eye(3)).is_decided


def test_exact_weights_add_up():
    tenths = Profile([ABC] * 3, weights=[0.1] * 3).pairwise()
    assert tenths.exact_weight == Fraction(3, 10)
    assert tenths.total_weight == 0.3
    assert (tenths + Profile([BCA]).pairwise()).exact_weight == Fraction(13, 10)
    assert (tenths + Profile([BCA], weights=[np.pi]).pairwise()).exact_weight == (
        Fraction(3, 10) + Fraction(np.pi)
    )


VOTES, TENNESSEE = Profile([ABC]).pairwise(), ra.datasets.load("tennessee").pairwise()
AB = Permutation.from_order("AB")
REFUSED = [
    (lambda: VOTES + Profile([AB]).pairwise(), "only the first has C"),
    (lambda: VOTES + VOTES.with_unranked("ignore"), "the same policy in both .*Got 'ignore'"),
    (lambda: VOTES + PairwiseMatrix.from_wins(np.ones((3, 3)), items="ABC"), "policy"),
    (lambda: VOTES.cost(Permutation.from_order("ABC", items="CBA")), "another order"),
    (lambda: VOTES.cost(AB), "only the first has C"),
    *((lambda x=x: VOTES.cost(ABC, tie_cost=x), r"`tie_cost` must be a number in \[0, 1\]")
      for x in (-0.1, 1.1, NAN, "half", None, True)),
]  # fmt: skip


def test_bad_operations_are_refused():
    for call, words in REFUSED:
        with pytest.raises((InvalidInputError, ItemMismatchError), match=words):
            call()
    with pytest.raises(TypeError):
        _ = VOTES + VOTES.wins


# -- rounding -------------------------------------------------------------------------------------


@given(strategies.profiles(max_size=4, weights=any_weights), strategies.policies)
def test_votes_are_within_their_stated_rounding(profile, policy):
    votes = profile.with_unranked(policy).pairwise()
    true_weights = [
        int(count) * Fraction(weight)
        for count, weight in zip(profile.counts, profile.weights, strict=True)
    ]
    expected = oracles.pairwise_votes(list(profile), policy, true_weights)
    # A float such as 0.1 is read as 1/10, which is less than an ulp away.
    ulp = Fraction(2) ** -52 * sum(true_weights)
    for held, true in zip(all_fractions(votes), expected, strict=True):
        for i, j in oracles.ordered_pairs(profile.n_items):
            assert abs(held[i][j] - true[i][j]) <= Fraction(votes.rounding) + ulp


# -- any non-negative matrix ----------------------------------------------------------------------


@given(strategies.profiles(unranked=False, unlisted=False))
def test_the_votes_of_a_profile_can_be_given_as_a_plain_matrix(profile):
    votes = profile.pairwise()
    plain = PairwiseMatrix.from_wins(votes.wins, ties=votes.ties, items=profile.items)
    assert all_fractions(plain) == all_fractions(votes)


@given(st.lists(st.floats(0, 100), min_size=9, max_size=9), st.floats(0, 100))
def test_a_plain_matrix_is_within_its_stated_rounding(cells, tied):
    wins = np.array(cells).reshape(3, 3)
    np.fill_diagonal(wins, 0)
    ties = tied * (1 - np.eye(3))
    votes = PairwiseMatrix.from_wins(wins, ties=ties)
    bound = votes.rounding * (1 + 1e-9) + 1e-12 * (not votes.rounding)
    assert np.abs(votes.wins - wins).max() <= bound
    assert np.abs(votes.ties - ties).max() <= bound
    assert np.abs(votes.comparisons - (wins + wins.T + ties)).max() <= bound


NO_MATRICES = [
    ({"wins": [[0, 1]]}, "wins"),
    ({"wins": 5}, "wins"),
    ({"wins": np.zeros((2, 2, 2))}, "wins"),
    ({"wins": [[0, 1], [0]]}, "wins"),
    ({"wins": [[0, "x"], [1, 0]]}, "wins"),
    ({"wins": [[0, -1], [1, 0]]}, "wins` .*-1 in row 0, column 1.*Adding a constant"),
    ({"wins": [[0, NAN], [1, 0]]}, "wins"),
    ({"wins": [[0, 2 * 10**100], [1, 0]]}, "wins` .*2e\\+100 in row 0.*Divide all entries"),
    ({"wins": [[0, np.inf], [1, 0]]}, "wins"),
    ({"wins": np.zeros((0, 0))}, "items"),
    ({"wins": np.eye(2), "ties": [[0, 1], [2, 0]]}, "ties"),
    ({"wins": np.eye(2), "ties": np.eye(3)}, "ties"),
    ({"wins": np.eye(2), "ties": [[0, -1], [-1, 0]]}, "ties"),
    ({"wins": np.eye(2), "items": "ABC"}, "items"),
    ({"wins": np.eye(2), "items": "AA"}, "items"),
    ({"wins": np.eye(2), "items": ["A", 1]}, "items"),
]


def test_bad_matrices_of_votes_are_refused():
    for arguments, words in NO_MATRICES:
        with pytest.raises(InvalidInputError, match=f"^`{words}"):
            PairwiseMatrix.from_wins(**arguments)


# -- costs ----------------------------------------------------------------------------------------


@given(st.data(), strategies.profiles(weights=exact_weights), strategies.policies)
def test_the_cost_of_any_ranking_is_its_expected_cost(data, profile, policy):
    ranking = data.draw(strategies.rankings(profile.items))
    votes = profile.with_unranked(policy).pairwise()
    wins, _, _ = oracles.pairwise_votes(profile, policy)
    assert votes.exact_cost(ranking) == oracles.cost(ranking, wins)
    assert votes.cost(ranking) == float(votes.exact_cost(ranking))


@given(st.data(), strategies.profiles(max_size=4))
def test_under_uniform_the_cost_is_the_expected_distance_to_compatible_permutations(data, profile):
    # Ties of the votes are broken at random too, which is what a tie cost of 1/2 says.
    ranking = data.draw(strategies.strict_rankings(profile.items))
    expected = Fraction(0)
    for places, weight in oracles.as_votes(profile):
        compatible = oracles.compatible_permutations(places)
        distances = [oracles.kendall_distance(ranking, candidate) for candidate in compatible]
        expected += weight * sum(distances) / len(distances)
        off = places.count(oracles.OFF_LIST)  # two of these are not compared, at no cost
        expected -= weight * Fraction(off * (off - 1), 4)
    assert profile.pairwise().exact_cost(ranking, tie_cost=0.5) == expected


def test_ties_inside_the_votes_cost_nothing_unless_asked():
    votes = PairwiseMatrix.from_wins([[0, 3], [2, 0]], ties=[[0, 4], [4, 0]], items="AB")
    order = Permutation.from_order("AB")
    assert votes.cost(order) == 2
    assert votes.cost(order, tie_cost=0.5) == 4
    tied = PartialRanking([0, 0], "AB")
    assert votes.cost(tied, tie_cost=1) == 6.5
    # Then a vote that ties the pair too costs nothing.
    assert votes.cost(tied, tie_cost=1, consensus_tie_cost=0.25) == 5 * 0.25
    nothing = PartialRanking([ra.UNRANKED] * 2, "AB")  # which ties no two
    assert votes.cost(nothing, tie_cost=1, consensus_tie_cost=0.25) == 6.5


@given(
    st.data(), strategies.profiles(unranked=False, unlisted=False), st.sampled_from([0.25, 0.5, 1])
)
def test_with_a_price_of_its_own_ties_the_cost_is_the_distance_of_weak_rankings(data, profile, p):
    ranking = data.draw(strategies.weak_rankings(profile.items))
    expected = sum(
        weight * oracles.kendall_distance(ranking, places, Fraction(p))
        for places, weight in oracles.as_votes(profile)
    )
    votes = profile.pairwise()
    assert votes.exact_cost(ranking, tie_cost=p, consensus_tie_cost=p) == expected


# -- fingerprints ---------------------------------------------------------------------------------


def by_hand(*lines: str | bytes) -> str:
    texts = [f"{line}\n".encode() if isinstance(line, str) else line for line in lines]
    return sha256(b"".join(texts)).hexdigest()


def test_the_fingerprint_hashes_the_documented_bytes() -> None:
    votes = ra.PairwiseMatrix.from_wins(
        [[0, 2.5, 1], [0, 0, 3], [1, 2, 0]],
        items=["a b", "ü", ""],
        ties=[[0, 0.5, 0], [0.5, 0, 0], [0, 0, 0]],
    )
    numbers = bytes([0, 5, 2, 0, 0, 6, 2, 4, 0]), bytes([0, 1, 0, 1, 0, 0, 0, 0, 0])
    labels = "s3:a b", "s2:ü", "s0:"
    assert votes.fingerprint == by_hand(
        "rankagg.votes 1", "3 2", *labels, "1", numbers[0], "1", numbers[1]
    )


def test_the_fingerprint_covers_integer_items_and_large_counts() -> None:
    assert ra.PairwiseMatrix.from_wins(np.eye(2), items=["\ud800", "b"]).fingerprint  # no error
    votes = ra.PairwiseMatrix.from_wins([[0, 1e25], [0, 0]], items=[-7, 10**30])
    row = bytes(11) + int(1e25).to_bytes(11, "little")
    heads = "rankagg.votes 1", "2 1", "i-7", f"i{10**30}"
    assert votes.fingerprint == by_hand(*heads, "11", row, bytes(22), "0")


@pytest.mark.parametrize(("n", "largest"), [(1, 1), (3, 256), (40, 127), (3, 2**63), (3, 10**20)])
def test_fingerprints_write_numbers_of_any_size_alike(n: int, largest: int) -> None:
    rng = np.random.default_rng(n)
    wins = rng.integers(0, min(largest, 2**40) + 1, (n, n)).astype(object)
    wins[0, -1] = largest
    np.fill_diagonal(wins, 0)
    heads = [f"{n} 7", *(f"i{i}" for i in range(n))]
    width = (int(wins.max()).bit_length() + 7) // 8
    numbers = b"".join(x.to_bytes(width, "little") for x in wins.ravel().tolist())
    for held in (fit, narrow):
        votes = range(n), held(wins), held(0 * wins), 7
        assert _fingerprint(*votes) == by_hand("rankagg.votes 1", *heads, f"{width}", numbers, "0")


@pytest.mark.parametrize("kind", ["i1", ">i2", "u8", "f2", "f8", "O"])
def test_votes_do_not_depend_on_the_type_of_the_matrix(kind: str) -> None:
    wins = np.random.default_rng(0).integers(0, 100, (40, 40))
    np.fill_diagonal(wins, 0)
    expected = ra.PairwiseMatrix.from_wins(wins.tolist())
    given = wins.astype(kind)
    np.fill_diagonal(given, np.nan if given.dtype.kind == "f" else 7)
    before = given.tobytes()
    votes = ra.PairwiseMatrix.from_wins(given)
    assert votes == expected
    assert given.tobytes() == before
    assert votes.scaled_wins.dtype == votes.scaled_comparisons.dtype == np.int64
    assert (votes.scaled_comparisons == wins + wins.T).all()
    assert (votes.squared_weights == wins + wins.T).all()
    for wrong in (-1, np.nan) if given.dtype.kind == "f" else (-1,) if kind in ("i1", "i8") else ():
        given[3, 5] = wrong
        with pytest.raises(InvalidInputError):
            ra.PairwiseMatrix.from_wins(given)
