"""Contract suites of distributions over rankings and of distances, on all rankings."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from functools import cache
from html import escape
from itertools import permutations, product
from math import isclose
from typing import Any, ClassVar, Literal

import numpy as np
import pytest
from scipy import stats

import rankagg as ra
from rankagg import RankingDistribution as Distribution
from rankagg.exceptions import InvalidInputError, ItemMismatchError

__all__ = ["DistanceContract", "DistributionContract"]

SAMPLE_SIZE = 20_000
_LABELS = ("D", "B", "A", "C")
_ORDERS = [ra.Permutation.from_order(order, items=_LABELS) for order in permutations(_LABELS)]


@cache
def _strict_ranks(n: int) -> tuple[tuple[int, ...], ...]:
    """Return the ranks, from 0, of all permutations."""
    return tuple(permutations(range(n)))


@cache
def _weak_ranks(n: int) -> tuple[tuple[int, ...], ...]:
    """Return the ranks, from 0, of all complete rankings, ties included."""
    rows = product(range(n), repeat=n)
    return tuple({tuple(sum(b < a for b in row) for a in row) for row in rows})


def _discordant(first: tuple[int, ...], second: tuple[int, ...]) -> int:
    """Count the pairs that two complete rankings have in opposite order."""
    n = len(first)
    return sum(
        (first[i] - first[j]) * (second[i] - second[j]) < 0 for i in range(n) for j in range(i)
    )


@cache
def _support(n: int, ties: bool, labels: tuple[Any, ...]) -> ra.Profile:
    """Return all complete rankings."""
    rows = _weak_ranks(n) if ties else _strict_ranks(n)
    return ra.Profile([ra.PartialRanking(row, labels) for row in rows])


@cache
def _chances_of(distribution: Distribution, ties: bool) -> Any:
    """Return the probabilities of all complete rankings."""
    return np.exp(
        distribution.log_probs(_support(distribution.n_items, ties, distribution.items.labels))
    )


@cache
def _draws(distribution: Distribution) -> ra.Profile:
    """Return one sample for all tests."""
    return distribution.sample(SAMPLE_SIZE, rng=20240613)


def _assert_in_bands(counts: Any, chances: Any) -> None:
    """Compare counts of draws with binomial bands of total error probability 1e-6."""
    chances = np.clip(chances, 0.0, 1.0)
    low, high = stats.binom.interval(1.0 - 1e-6 / np.size(chances), SAMPLE_SIZE, chances)
    inside = (counts >= low) & (counts <= high)
    assert inside.all(), (np.asarray(counts)[~inside], SAMPLE_SIZE * chances[~inside])


class DistributionContract:
    """Tests of all figures that a distribution reports.

    Subclass it and set `distributions`: of at most 6 items, 4 or 5 with ties, because every summary
    is compared with the probabilities of all rankings. Set `ties = True` if draws may have ties.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg.testing.distributions import DistributionContract
    >>> class TestMallows(DistributionContract):
    ...     distributions = (ra.Mallows("CAB", theta=0.5), ra.Mallows("CAB", theta=2.0))
    """

    distributions: ClassVar[tuple[Distribution, ...]]
    ties: ClassVar[bool] = False

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run every test with every distribution."""
        if "distribution" in metafunc.fixturenames:
            metafunc.parametrize("distribution", self.distributions, ids=repr)

    def rankings(self, distribution: Distribution) -> ra.Profile:
        """Return all complete rankings of the items."""
        return _support(distribution.n_items, self.ties, distribution.items.labels)

    def chances(self, distribution: Distribution) -> Any:
        """Return the probabilities of all complete rankings."""
        return _chances_of(distribution, self.ties)

    # -- probabilities --------------------------------------------------------------------------

    def test_probabilities_sum_to_one(self, distribution: Distribution) -> None:
        assert self.chances(distribution).sum() == pytest.approx(1.0, abs=1e-12)

    def test_prob_is_exp_of_log_prob(self, distribution: Distribution) -> None:
        ranking = self.rankings(distribution)[0]
        assert distribution.prob(ranking) == np.exp(distribution.log_prob(ranking))
        assert distribution.prob(ranking) == pytest.approx(self.chances(distribution)[0], rel=1e-12)

    def test_profile_counts_every_ranking_by_count_and_weight(
        self, distribution: Distribution
    ) -> None:
        best = distribution.mode
        rows = [best, *distribution.sample(2, rng=0)]
        profile = ra.Profile(rows, counts=[1, 3, 2], weights=[0.5, 1.0, 2.0])
        expected = 0.5 * distribution.log_prob(rows[0]) + 3 * distribution.log_prob(rows[1])
        assert distribution.log_prob(profile) == pytest.approx(
            expected + 4 * distribution.log_prob(rows[2])
        )
        np.testing.assert_allclose(
            distribution.log_probs(profile), [distribution.log_prob(row) for row in rows]
        )
        assert distribution.prob(profile) == pytest.approx(np.exp(distribution.log_prob(profile)))

    def test_mode_is_most_probable(self, distribution: Distribution) -> None:
        assert distribution.mode.is_complete
        assert distribution.prob(distribution.mode) == pytest.approx(
            self.chances(distribution).max(), rel=1e-9
        )

    # -- samples --------------------------------------------------------------------------------

    def test_draws_are_as_frequent_as_probable(self, distribution: Distribution) -> None:
        rows, number = np.unique(_draws(distribution).ranks, axis=0, return_counts=True)
        found = dict(zip(map(tuple, rows.tolist()), number, strict=True))
        counts = [found.pop(tuple(row), 0) for row in self.rankings(distribution).ranks.tolist()]
        assert not found, "a ranking that cannot be"
        _assert_in_bands(np.array(counts), self.chances(distribution))

    def test_draws_have_the_pairwise_and_place_probabilities(
        self, distribution: Distribution
    ) -> None:
        ranks = _draws(distribution).ranks
        above = (ranks[:, :, None] < ranks[:, None, :]).sum(axis=0)
        _assert_in_bands(above, distribution.pairwise_probabilities())
        at = (ranks[:, :, None] == np.arange(distribution.n_items)).sum(axis=0)
        _assert_in_bands(at, distribution.rank_probabilities())

    def test_draws_are_complete_and_strict_without_ties(self, distribution: Distribution) -> None:
        assert distribution.n_items == len(distribution.items)
        assert distribution.mode.items == _draws(distribution).items == distribution.items
        assert _draws(distribution).is_complete
        assert _draws(distribution).is_strict is not self.ties

    def test_the_seed_decides_and_a_generator_goes_on(self, distribution: Distribution) -> None:
        generator = np.random.default_rng(7)
        before = generator.bit_generator.state
        drawn = distribution.sample(20, rng=generator)
        assert distribution.sample(20, rng=7) == drawn
        assert distribution.n_items == 1 or generator.bit_generator.state != before
        assert len(distribution.sample(3)) == 3

    def test_bad_sizes_and_seeds_are_refused(self, distribution: Distribution) -> None:
        bad: tuple[Any, ...] = (0, -1, 2.5, True, "3", None, float("nan"))
        for size in bad:
            with pytest.raises(InvalidInputError, match="`size` must be an integer of at least 1"):
                distribution.sample(size)
        with pytest.raises(InvalidInputError, match="`rng` must be"):
            distribution.sample(1, rng="seed")  # type: ignore[arg-type]

    # -- summaries ------------------------------------------------------------------------------

    def test_pairwise_probabilities_are_those_of_enumeration(
        self, distribution: Distribution
    ) -> None:
        ranks = self.rankings(distribution).ranks
        above = np.tensordot(
            self.chances(distribution), ranks[:, :, None] < ranks[:, None, :], axes=1
        )
        before = distribution.pairwise_probabilities()
        np.testing.assert_allclose(before, above, atol=1e-12)
        assert (np.diag(before) == 0).all()
        assert ((before >= 0) & (before <= 1)).all()

    def test_rank_probabilities_are_those_of_enumeration(self, distribution: Distribution) -> None:
        ranks = self.rankings(distribution).ranks
        at = np.tensordot(
            self.chances(distribution), ranks[:, :, None] == np.arange(distribution.n_items), axes=1
        )
        table = distribution.rank_probabilities()
        np.testing.assert_allclose(table, at, atol=1e-12)
        assert ((table >= 0) & (table <= 1)).all()

    def test_expected_distance_is_that_of_enumeration(self, distribution: Distribution) -> None:
        rows = self.rankings(distribution).ranks.tolist()
        others = [
            distribution.mode,
            distribution.mode.reverse(),
            ra.PartialRanking(np.arange(distribution.n_items) // 2 * 2, distribution.items),
        ]
        for other in others:
            distances = [_discordant(tuple(row), tuple(other.ranks)) for row in rows]
            expected = self.chances(distribution) @ distances
            assert distribution.expected_distance(other) == pytest.approx(expected, abs=1e-12)
        assert distribution.expected_distance() == distribution.expected_distance(distribution.mode)

    def test_entropy_is_that_of_enumeration(self, distribution: Distribution) -> None:
        possible = self.chances(distribution)[self.chances(distribution) > 0]
        expected = -(possible @ np.log(possible))
        assert distribution.entropy() == pytest.approx(expected, rel=1e-10, abs=1e-12)

    # -- items ----------------------------------------------------------------------------------

    def test_other_items_are_refused(self, distribution: Distribution) -> None:
        strangers = [f"other {label}" for label in distribution.items]
        other_order = distribution.items.labels[::-1]
        for items in (strangers, other_order)[: distribution.n_items]:
            ranking = ra.Permutation.identity(items)
            with pytest.raises(ItemMismatchError):
                distribution.log_prob(ranking)
            with pytest.raises(ItemMismatchError):
                distribution.log_probs(ra.Profile([ranking]))
            with pytest.raises(ItemMismatchError):
                distribution.expected_distance(ranking)

    def test_what_is_no_ranking_is_refused(self, distribution: Distribution) -> None:
        places: Any = list(range(distribution.n_items))
        with pytest.raises(InvalidInputError, match="`data` must be a ranking or a Profile"):
            distribution.log_prob(places)
        with pytest.raises(InvalidInputError, match="`ranking` must be a PartialRanking"):
            distribution.expected_distance(places)

    def test_distance_to_an_incomplete_ranking_is_refused(self, distribution: Distribution) -> None:
        partial = ra.PartialRanking(np.full(distribution.n_items, ra.UNRANKED), distribution.items)
        with pytest.raises(InvalidInputError, match="`ranking` must be complete"):
            distribution.expected_distance(partial)

    # -- values ---------------------------------------------------------------------------------

    def test_equal_to_its_copies_and_to_nothing_else(self, distribution: Distribution) -> None:
        for again in (
            pickle.loads(pickle.dumps(distribution)),
            copy.copy(distribution),
            copy.deepcopy(distribution),
        ):
            assert again == distribution
            assert hash(again) == hash(distribution)
            assert type(again) is type(distribution)
            assert again.log_prob(distribution.mode) == distribution.log_prob(distribution.mode)
        assert distribution != distribution.items
        assert self.distributions.count(distribution) == 1

    def test_summaries_in_use_do_not_change_what_it_is(self, distribution: Distribution) -> None:
        fresh = pickle.loads(pickle.dumps(distribution))
        for summary in (distribution.pairwise_probabilities, distribution.rank_probabilities):
            before = summary().copy()
            if (table := summary()).flags.writeable:
                table[:] = 7.0
            np.testing.assert_array_equal(summary(), before)
        assert distribution == fresh
        assert hash(distribution) == hash(fresh)

    def test_is_immutable(self, distribution: Distribution) -> None:
        for copied in (distribution, pickle.loads(pickle.dumps(distribution))):
            with pytest.raises(AttributeError):
                copied.items = None
            with pytest.raises(AttributeError):
                del copied.items
            arrays = [value for value in vars(copied).values() if isinstance(value, np.ndarray)]
            assert not any(array.flags.writeable for array in arrays)

    def test_a_notebook_shows_what_the_repr_says(self, distribution: Distribution) -> None:
        assert type(distribution).__name__ in repr(distribution)
        shown = distribution._repr_html_()
        assert escape(repr(distribution)) in shown
        assert "<script" not in shown


@cache
def _distances(distance: Callable[..., float]) -> np.ndarray[Any, Any]:
    return np.array([[distance(one, other) for other in _ORDERS] for one in _ORDERS])


class DistanceContract:
    """Tests of the axioms of distances, on all pairs of rankings of four items.

    Subclass it and set `distances`, functions of two rankings. Say with `kind` whether they are
    metrics, distances that need not satisfy the triangle inequality, or similarities, which are 1
    for equal rankings and less for others unless `separates` is False.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg.testing.distributions import DistanceContract
    >>> class TestFootrule(DistanceContract):
    ...     distances = (ra.distances.spearman_footrule,)
    """

    distances: ClassVar[tuple[Callable[..., float], ...]]
    kind: ClassVar[Literal["metric", "distance", "similarity"]] = "metric"
    #: Whether different rankings always have a positive distance; top-k distances do not.
    separates: ClassVar[bool] = True

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run every test with every distance."""
        if "distance" in metafunc.fixturenames:
            metafunc.parametrize("distance", self.distances)

    def test_is_a_number(self, distance: Callable[..., float]) -> None:
        assert type(distance(_ORDERS[0], _ORDERS[5])) in {int, float}

    def test_is_least_for_equal_rankings(self, distance: Callable[..., float]) -> None:
        table = _distances(distance)
        same = np.eye(len(_ORDERS), dtype=bool)
        table = 1.0 - table if self.kind == "similarity" else table
        np.testing.assert_allclose(table[same], 0.0, atol=1e-12)
        assert (table >= -1e-12).all()
        if self.separates:
            assert (table[~same] > 1e-12).all()

    def test_is_symmetric(self, distance: Callable[..., float]) -> None:
        table = _distances(distance)
        np.testing.assert_allclose(table, table.T, atol=1e-12)

    def test_satisfies_the_triangle_inequality(self, distance: Callable[..., float]) -> None:
        if self.kind == "metric":
            table = _distances(distance)
            detour = (table[:, :, None] + table[None, :, :]).min(axis=1)
            assert (table <= detour + 1e-12).all()

    def test_names_do_not_matter(self, distance: Callable[..., float]) -> None:
        """Right-invariance: renaming the items changes nothing."""
        renamed: dict[Any, str] = dict(zip(_LABELS, "CADB", strict=True))
        for other in _ORDERS:
            first, second = (
                ra.Permutation.from_order([renamed[label] for label in one.order], items=_LABELS)
                for one in (_ORDERS[7], other)
            )
            assert isclose(distance(first, second), distance(_ORDERS[7], other), abs_tol=1e-12)

    def test_other_items_are_refused(self, distance: Callable[..., float]) -> None:
        with pytest.raises(ItemMismatchError):
            distance(_ORDERS[0], ra.Permutation.from_order("WXYZ"))

    def test_what_is_no_ranking_is_refused(self, distance: Callable[..., float]) -> None:
        with pytest.raises(InvalidInputError):
            distance(_ORDERS[0], [0, 1, 2, 3])
