"""Score tables drawn from latent scores."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

import rankagg as ra
from rankagg.distributions import LatentScores
from rankagg.exceptions import InvalidInputError, RankaggError

LOCATIONS = [0.0, 0.7, 1.2]


def band(chance, size):
    """Return five standard errors of a share."""
    return 5 * np.sqrt(chance * (1 - chance) / size)


# -- sampling -------------------------------------------------------------------------------------


@pytest.mark.parametrize("noise", ["gumbel", "normal"])
def test_a_table_has_systems_tasks_and_instances(noise):
    table = LatentScores(LOCATIONS, noise=noise, systems="ABC").sample(4, 5, rng=0)
    assert table.values.shape == (3, 20)
    assert (tuple(table.systems), tuple(table.tasks)) == (("A", "B", "C"), (0, 1, 2, 3))
    assert table.is_instance_level
    assert table.unit_tasks.tolist() == np.repeat(range(4), 5).tolist()
    assert table.n_missing == 0
    assert set(table.higher_is_better.values()) == {True}


def test_a_table_without_instances_has_one_score_per_task():
    table = LatentScores(LOCATIONS).sample(4, rng=0)
    assert table.values.shape == (3, 4)
    assert not table.is_instance_level
    assert tuple(table.systems) == (0, 1, 2)


def test_every_task_may_have_locations_of_its_own():
    law = LatentScores([[0.0, 100.0], [100.0, 0.0]], scale=0.01)
    table = law.sample(n_instances=3, rng=0)
    assert (table.values > 50).tolist() == [[False] * 3 + [True] * 3, [True] * 3 + [False] * 3]
    assert law.sample(2, 3, rng=0) == table


@pytest.mark.parametrize(
    ("noise", "law"), [("gumbel", stats.gumbel_r), ("normal", stats.norm)], ids=["gumbel", "normal"]
)
def test_noise_is_location_and_scale(noise, law):
    values = LatentScores([0.0, 3.0], noise=noise, scale=2.0).sample(4000, rng=1).values
    for row, location in zip(values, (0.0, 3.0), strict=True):
        assert stats.kstest(row, law(location, 2.0).cdf).pvalue > 1e-4
    assert abs(np.corrcoef(values)[0, 1]) < 0.08


def test_rankings_have_the_law_of_gumbel_noise():
    size = 10_000
    scores = LatentScores(LOCATIONS, scale=2.5, systems="ABC")
    law = scores.ranking_distribution()
    ranks = scores.sample(size, rng=2).rankings().ranks
    for order in permutations("ABC"):
        ranking = ra.Permutation.from_order(order)
        share = (ranks == ranking.ranks).all(axis=1).mean()
        assert abs(share - law.prob(ranking)) < band(law.prob(ranking), size)


def test_locations_that_differ_by_task_have_no_one_distribution_of_rankings():
    with pytest.raises(InvalidInputError, match="`locations` must be the same on every task"):
        LatentScores([[0.0, 1], [1, 0]]).ranking_distribution()
    with pytest.raises(InvalidInputError, match="`noise` must be 'gumbel' for a distribution"):
        LatentScores(LOCATIONS, noise="normal").ranking_distribution()


@pytest.mark.parametrize(
    ("locations", "options", "words"),
    [
        ([], {}, "at least one system"),
        (np.zeros((2, 0)), {}, "at least one system"),
        ([0.0, np.nan], {}, "finite"),
        (np.ma.array([0.0, 1.0], mask=[0, 1]), {}, "finite"),
        ([0.0, np.inf], {}, "finite"),
        (np.zeros((2, 2, 2)), {}, "two-dimensional"),
        (3.0, {}, "two-dimensional"),
        (["a", "b"], {}, "numbers"),
        ([[0.0], [1.0, 2.0]], {}, "locations"),
        ([1e101, 0.0], {}, "`locations` must be at most 1e"),
        ([10**400, 0], {}, "`locations` must be numbers"),
        (LOCATIONS, {"noise": "cauchy"}, "'gumbel' or 'normal'"),
        *((LOCATIONS, {"scale": scale}, "`scale` must be a number in")
          for scale in (0.0, np.inf, 1e101, 1e-101)),
        (LOCATIONS, {"systems": "AB"}, "one label per location"),
        (LOCATIONS, {"systems": "AAB"}, "A"),
    ],
)  # fmt: skip
def test_parameters_are_checked(locations, options, words):
    with pytest.raises(RankaggError, match=words):
        LatentScores(locations, **options)


@pytest.mark.parametrize(
    ("locations", "arguments", "words"),
    [
        (LOCATIONS, {}, "n_tasks"),
        (LOCATIONS, {"n_tasks": 0}, "n_tasks"),
        (LOCATIONS, {"n_tasks": 2, "n_instances": 0}, "n_instances"),
        ([[0.0, 1.0]], {"n_tasks": 3}, "2, the columns of the locations"),
        (LOCATIONS, {"n_tasks": 2, "rng": -1}, "rng"),
    ],
)
def test_sizes_are_checked(locations, arguments, words):
    with pytest.raises(InvalidInputError, match=words):
        LatentScores(locations).sample(**arguments)
