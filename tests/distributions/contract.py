"""What every distribution promises. A new one is tested by a line in `laws` of a subclass:

class TestMyLaw(DistributionContract):
    laws = (MyLaw("CAB"), MyLaw("CAB", parameter=2))

Laws that draw ties set `ties = True`. All summaries are held against the probabilities of all
rankings, so laws are of 6 items at most, of 4 or 5 with ties.
"""

import copy
import pickle
from functools import cache
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy import stats

import rankagg as ra
from rankagg.exceptions import InvalidInputError, ItemMismatchError
from tests.distributions.enumeration import discordant, strict_places, weak_places

DRAWS = 20_000
ERROR = 1e-6


@cache
def support(n: int, ties: bool, labels: tuple[Any, ...]) -> ra.Profile:
    """Return every complete ranking once."""
    rows = weak_places(n) if ties else strict_places(n)
    return ra.Profile([ra.PartialRanking(row, labels) for row in rows])


@cache
def probabilities(law: ra.RankingDistribution, ties: bool) -> Any:
    """Return the probabilities of all complete rankings."""
    return np.exp(law.log_probs(support(law.n_items, ties, law.items.labels)))


@cache
def draws(law: ra.RankingDistribution) -> ra.Profile:
    """Return one sample for all tests."""
    return law.sample(DRAWS, rng=20240613)


def assert_in_bands(counts: Any, chances: Any) -> None:
    """Hold counts of draws against binomial bands that are wrong with a chance of 1e-6 in all."""
    chances = np.clip(chances, 0.0, 1.0)
    low, high = stats.binom.interval(1.0 - ERROR / np.size(chances), DRAWS, chances)
    inside = (counts >= low) & (counts <= high)
    assert inside.all(), (np.asarray(counts)[~inside], DRAWS * chances[~inside])


class DistributionContract:
    """Subclass it and set `laws`, and `ties` where draws may have them."""

    laws: ClassVar[tuple[ra.RankingDistribution, ...]]
    ties: ClassVar[bool] = False

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "law" in metafunc.fixturenames:
            metafunc.parametrize("law", self.laws, ids=repr)

    def rankings(self, law: ra.RankingDistribution) -> ra.Profile:
        return support(law.n_items, self.ties, law.items.labels)

    def chances(self, law: ra.RankingDistribution) -> Any:
        return probabilities(law, self.ties)

    # -- probabilities --------------------------------------------------------------------------

    def test_probabilities_sum_to_one(self, law: ra.RankingDistribution) -> None:
        assert self.chances(law).sum() == pytest.approx(1.0, abs=1e-12)

    def test_prob_is_exp_of_log_prob(self, law: ra.RankingDistribution) -> None:
        for k, ranking in enumerate(self.rankings(law)[:10]):
            assert law.prob(ranking) == pytest.approx(self.chances(law)[k], rel=1e-12)
            assert law.prob(ranking) == np.exp(law.log_prob(ranking))

    def test_profile_counts_every_ranking_by_count_and_weight(
        self, law: ra.RankingDistribution
    ) -> None:
        best = law.mode
        rows = [best, *law.sample(2, rng=0)]
        profile = ra.Profile(rows, counts=[1, 3, 2], weights=[0.5, 1.0, 2.0])
        expected = 0.5 * law.log_prob(rows[0]) + 3 * law.log_prob(rows[1])
        assert law.log_prob(profile) == pytest.approx(expected + 4 * law.log_prob(rows[2]))
        np.testing.assert_allclose(law.log_probs(profile), [law.log_prob(row) for row in rows])
        assert law.prob(profile) == pytest.approx(np.exp(law.log_prob(profile)))

    def test_mode_is_most_probable(self, law: ra.RankingDistribution) -> None:
        assert law.mode.is_complete
        assert law.prob(law.mode) == pytest.approx(self.chances(law).max(), rel=1e-9)

    # -- samples --------------------------------------------------------------------------------

    def test_draws_are_as_frequent_as_probable(self, law: ra.RankingDistribution) -> None:
        rows, number = np.unique(draws(law).ranks, axis=0, return_counts=True)
        found = dict(zip(map(tuple, rows.tolist()), number, strict=True))
        counts = [found.pop(tuple(row), 0) for row in self.rankings(law).ranks.tolist()]
        assert not found, "a ranking that cannot be"
        assert_in_bands(np.array(counts), self.chances(law))

    def test_draws_have_the_pairwise_and_place_probabilities(
        self, law: ra.RankingDistribution
    ) -> None:
        ranks = draws(law).ranks
        above = (ranks[:, :, None] < ranks[:, None, :]).sum(axis=0)
        assert_in_bands(above, law.pairwise_probabilities())
        at = (ranks[:, :, None] == np.arange(law.n_items)).sum(axis=0)
        assert_in_bands(at, law.rank_probabilities())

    def test_draws_are_complete_and_strict_without_ties(self, law: ra.RankingDistribution) -> None:
        assert draws(law).is_complete
        assert draws(law).is_strict is not self.ties

    def test_same_seed_same_draws(self, law: ra.RankingDistribution) -> None:
        assert law.sample(20, rng=7) == law.sample(20, rng=7)
        assert law.sample(20, rng=7) == law.sample(20, rng=np.random.default_rng(7))

    def test_a_generator_goes_on(self, law: ra.RankingDistribution) -> None:
        generator = np.random.default_rng(7)
        before = generator.bit_generator.state
        law.sample(20, rng=generator)
        assert law.n_items == 1 or generator.bit_generator.state != before
        assert len(law.sample(3)) == 3

    @pytest.mark.parametrize("size", [0, -1, 2.5, True, "3", None, float("nan")])
    def test_bad_size_is_refused(self, law: ra.RankingDistribution, size: Any) -> None:
        with pytest.raises(InvalidInputError, match="`size` must be an integer of at least 1"):
            law.sample(size)

    def test_bad_seed_is_refused(self, law: ra.RankingDistribution) -> None:
        with pytest.raises(InvalidInputError, match="`rng` must be"):
            law.sample(1, rng="seed")

    # -- summaries ------------------------------------------------------------------------------

    def test_pairwise_probabilities_are_those_of_enumeration(
        self, law: ra.RankingDistribution
    ) -> None:
        ranks = self.rankings(law).ranks
        above = np.tensordot(self.chances(law), ranks[:, :, None] < ranks[:, None, :], axes=1)
        np.testing.assert_allclose(law.pairwise_probabilities(), above, atol=1e-12)

    def test_pairwise_probabilities_and_ties_sum_to_one(self, law: ra.RankingDistribution) -> None:
        ranks = self.rankings(law).ranks
        level = np.tensordot(self.chances(law), ranks[:, :, None] == ranks[:, None, :], axes=1)
        before = law.pairwise_probabilities()
        off = ~np.eye(law.n_items, dtype=bool)
        np.testing.assert_allclose((before + before.T + level)[off], 1.0, atol=1e-12)
        assert (np.diag(before) == 0).all()
        assert ((before >= 0) & (before <= 1)).all()

    def test_rank_probabilities_are_those_of_enumeration(self, law: ra.RankingDistribution) -> None:
        ranks = self.rankings(law).ranks
        at = np.tensordot(self.chances(law), ranks[:, :, None] == np.arange(law.n_items), axes=1)
        table = law.rank_probabilities()
        np.testing.assert_allclose(table, at, atol=1e-12)
        assert ((table >= 0) & (table <= 1)).all()

    def test_every_item_has_some_place_and_every_place_some_item(
        self, law: ra.RankingDistribution
    ) -> None:
        table = law.rank_probabilities()
        np.testing.assert_allclose(table.sum(axis=1), 1.0, atol=1e-12)
        if not self.ties:
            np.testing.assert_allclose(table.sum(axis=0), 1.0, atol=1e-12)

    def test_expected_distance_is_that_of_enumeration(self, law: ra.RankingDistribution) -> None:
        rows = self.rankings(law).ranks.tolist()
        others = [
            law.mode,
            law.mode.reverse(),
            ra.PartialRanking(np.arange(law.n_items) // 2 * 2, law.items),
        ]
        for other in others:
            distances = [discordant(tuple(row), tuple(other.ranks)) for row in rows]
            expected = self.chances(law) @ distances
            assert law.expected_distance(other) == pytest.approx(expected, abs=1e-12)
        assert law.expected_distance() == law.expected_distance(law.mode)

    def test_entropy_is_that_of_enumeration(self, law: ra.RankingDistribution) -> None:
        possible = self.chances(law)[self.chances(law) > 0]
        expected = -(possible @ np.log(possible))
        assert law.entropy() == pytest.approx(expected, rel=1e-10, abs=1e-12)

    # -- items ----------------------------------------------------------------------------------

    def test_labels_travel(self, law: ra.RankingDistribution) -> None:
        assert law.n_items == len(law.items)
        assert law.mode.items == law.items
        assert law.sample(1, rng=0).items == law.items

    def test_other_items_are_refused(self, law: ra.RankingDistribution) -> None:
        strangers = [f"other {label}" for label in law.items]
        other_order = law.items.labels[::-1]
        for items in (strangers, other_order)[: law.n_items]:
            ranking = ra.Permutation.identity(items)
            with pytest.raises(ItemMismatchError):
                law.log_prob(ranking)
            with pytest.raises(ItemMismatchError):
                law.log_probs(ra.Profile([ranking]))
            with pytest.raises(ItemMismatchError):
                law.expected_distance(ranking)

    def test_what_is_no_ranking_is_refused(self, law: ra.RankingDistribution) -> None:
        places: Any = list(range(law.n_items))
        with pytest.raises(InvalidInputError, match="`data` must be a ranking or a Profile"):
            law.log_prob(places)
        with pytest.raises(InvalidInputError, match="`ranking` must be a PartialRanking"):
            law.expected_distance(places)

    def test_distance_to_an_incomplete_ranking_is_refused(
        self, law: ra.RankingDistribution
    ) -> None:
        partial = ra.PartialRanking(np.full(law.n_items, ra.UNRANKED), law.items)
        with pytest.raises(InvalidInputError, match="`ranking` must be complete"):
            law.expected_distance(partial)

    # -- values ---------------------------------------------------------------------------------

    def test_equal_to_its_copies_and_to_nothing_else(self, law: ra.RankingDistribution) -> None:
        for again in (pickle.loads(pickle.dumps(law)), copy.copy(law), copy.deepcopy(law)):
            assert again == law
            assert hash(again) == hash(law)
            assert type(again) is type(law)
            assert again.log_prob(law.mode) == law.log_prob(law.mode)
        assert law != law.items
        others = [other for other in self.laws if type(other) is type(law) and other is not law]
        assert law not in others

    def test_summaries_in_use_do_not_change_what_it_is(self, law: ra.RankingDistribution) -> None:
        fresh = pickle.loads(pickle.dumps(law))
        law.rank_probabilities()
        assert law == fresh
        assert hash(law) == hash(fresh)
        np.testing.assert_array_equal(fresh.rank_probabilities(), law.rank_probabilities())

    def test_is_immutable(self, law: ra.RankingDistribution) -> None:
        for copied in (law, pickle.loads(pickle.dumps(law))):
            with pytest.raises(AttributeError):
                copied.items = None
            with pytest.raises(AttributeError):
                del copied.items
            arrays = [value for value in vars(copied).values() if isinstance(value, np.ndarray)]
            assert not any(array.flags.writeable for array in arrays)

    def test_changing_a_summary_changes_nothing_else(self, law: ra.RankingDistribution) -> None:
        for summary in (law.pairwise_probabilities, law.rank_probabilities):
            before = summary().copy()
            table = summary()
            if table.flags.writeable:
                table[:] = 7.0
            np.testing.assert_array_equal(summary(), before)

    def test_repr_names_the_class(self, law: ra.RankingDistribution) -> None:
        assert type(law).__name__ in repr(law)
