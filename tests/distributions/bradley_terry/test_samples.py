"""Rankings and score tables: their comparisons, and errors by independent units."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.special import expit
from scipy.stats import binom

import rankagg as ra
from rankagg.core import places
from rankagg.distributions.bradley_terry import samples
from tests.conftest import slow_but
from tests.distributions.battles import MODELS
from tests.distributions.luce_by_hand import from_rows


def some_rankings(m, n, seed, **options):
    """Return rankings with ties and gaps; every third one is a list without the other items."""
    rng, rows = np.random.default_rng(seed), []
    for number in range(m):
        values = rng.gumbel(-np.linspace(0, 1, n))
        chosen = np.argsort(-values)[rng.random(n) < 0.75]
        labels = ["ABCDEFGH"[item] for item in (chosen if len(chosen) > 1 else range(n))]
        signs = rng.choice([">", "="], len(labels) - 1, p=[0.75, 0.25])
        row = "".join(a + b for a, b in zip(labels, [*signs, ""], strict=True))
        rows.append(row + ">..." * (number % 3 == 0))
    return from_rows(rows, "ABCDEFGH"[:n], **options)


def pair_by_pair(profile, clusters):
    """Return the comparisons of rankings, each in the cluster of its ranking."""
    rows, items = [], range(profile.n_items)
    place = places.comparable(profile.ranks)
    numbers = zip(place, profile.ranks, profile.counts, profile.weights, clusters, strict=True)
    for at, ranks, count, weight, cluster in numbers:
        for copy in range(count):
            own = cluster if isinstance(cluster, str) else (cluster, copy)
            for i in items:
                for j in items[i + 1 :]:
                    both = set(ranks[[i, j]].tolist())
                    if ra.UNRANKED not in both and both != {ra.UNLISTED}:
                        rows.append((i, j, np.sign(at[j] - at[i]), weight, str(own)))
    first, second, outcomes, weights, names = zip(*rows, strict=True)
    labels = list(profile.items)
    return ra.Comparisons.from_arrays(
        [labels[i] for i in first], [labels[j] for j in second], outcomes, items=labels,
        weights=None if (profile.weights == 1).all() else weights, clusters=names,
    )  # fmt: skip


WEIGHTS = np.random.default_rng(8).uniform(0.5, 2, 24).round(2)
COUNTS = np.random.default_rng(9).integers(1, 4, 24)
DATA = {
    "plain": some_rankings(24, 5, 1),
    "counted": some_rankings(24, 5, 2, counts=COUNTS),
    "weighted": some_rankings(24, 5, 3, weights=WEIGHTS),
}


@pytest.mark.parametrize("options", [{"ties": ties} for ties in MODELS])
@pytest.mark.parametrize("name", slow_but(["weighted"], DATA))
def test_rankings_are_their_comparisons_with_a_cluster_each(name, options, monkeypatch):
    profile = DATA[name]
    fit = ra.BradleyTerry.fit(profile, **options)
    slow = ra.BradleyTerry.fit(pair_by_pair(profile, range(24)), **options)
    assert (fit.unit, fit.n_units) == ("ranking", slow.n_units)
    for value in ("estimates", "covariance", "degrees_of_freedom"):
        assert getattr(fit, value) == pytest.approx(getattr(slow, value), rel=1e-7, abs=1e-9)
    assert fit.n_observations == pytest.approx(slow.n_observations, rel=0.02)
    # Some rankings at a time give the same.
    monkeypatch.setattr(samples, "CONTESTS_HELD", 40)
    parts = ra.BradleyTerry.fit(profile, **options)
    assert parts.covariance == pytest.approx(fit.covariance, rel=1e-9, abs=1e-12)


def test_rankings_of_a_rater_are_one_cluster():
    raters = [f"rater {k % 7}" for k in range(24)]
    for profile in DATA.values():
        rated = profile.with_clusters(raters)
        fit = ra.BradleyTerry.fit(rated)
        slow = ra.BradleyTerry.fit(pair_by_pair(profile, raters))
        assert (fit.unit, fit.n_units) == ("cluster", 7)
        assert fit.covariance == pytest.approx(slow.covariance, rel=1e-7)
        assert fit.degrees_of_freedom == pytest.approx(slow.degrees_of_freedom)


def test_complete_rankings_have_the_sandwich_of_statsmodels_but_for_its_factor():
    profile = ra.PlackettLuce(np.linspace(0, 1.5, 6)).sample(40, rng=0)
    fit = ra.BradleyTerry.fit(profile)
    data = pair_by_pair(profile, range(40))
    rows = np.zeros((len(data), 6))
    rows[np.arange(len(data)), data.first] += 1.0
    rows[np.arange(len(data)), data.second] -= 1.0
    peer = sm.GLM(data.outcomes > 0, rows[:, 1:], family=sm.families.Binomial()).fit(
        cov_type="cluster", cov_kwds={"groups": np.asarray(data.clusters)}, tol=1e-14
    )
    against = fit.relative_to(0).iloc[1:]
    assert against["estimate"].to_numpy() == pytest.approx(peer.params, abs=1e-8)
    # Every ranking leaves 39/40 of what is known, which makes the factor 40/39 for both; that of
    # statsmodels is also (N - 1)/(N - K).
    factor = (len(data) - 1) / (len(data) - 5)
    assert against["std_err"].to_numpy() ** 2 * factor == pytest.approx(peer.bse**2, rel=1e-8)


def test_counts_equal_repeated_rankings():
    profile = some_rankings(24, 5, 2)
    twice = some_rankings(24, 5, 2, counts=[2] * 24)
    one, other = ra.BradleyTerry.fit(twice), ra.BradleyTerry.fit(profile + profile)
    assert other.covariance == pytest.approx(one.covariance, rel=1e-9)
    assert one.n_units == other.n_units == 48


@pytest.mark.parametrize("options", [{"ridge": 0.5}, {"pseudo_rankings": 0.5}])
def test_a_prior_is_one_more_source_of_variance(options):
    profile = DATA["plain"]
    fit = ra.BradleyTerry.fit(profile, **options)
    by_model = ra.BradleyTerry.fit(profile, **options, cov_type="model")
    assert fit.estimates.tolist() == by_model.estimates.tolist()
    n, own = 5, pair_by_pair(profile, range(24))
    odds = fit.log_worths[own.first] - fit.log_worths[own.second]
    rows = np.zeros((len(own), n))
    rows[np.arange(len(own)), own.first] += 1.0
    rows[np.arange(len(own)), own.second] -= 1.0
    share = expit(odds)
    information = rows.T @ (rows * (share * (1 - share))[:, None])
    if "ridge" in options:
        prior = 0.5 * np.eye(n)
        # By the mean of equations of the estimates.
        score = rows.T @ ((own.outcomes + 1) / 2 - share)
        assert score == pytest.approx(0.5 * fit.log_worths, abs=1e-8)
        center = np.eye(n) - 1 / n
        inverse = np.linalg.inv(information + prior)
        assert by_model.covariance == pytest.approx(center @ inverse @ center)
        meat = np.zeros((n, n))
        for cluster in np.unique(own.clusters):
            mine = own.clusters == cluster
            known = rows[mine].T @ (rows[mine] * (share * (1 - share))[mine, None])
            score = rows[mine].T @ ((own.outcomes[mine] + 1) / 2 - share[mine])
            freed = np.linalg.solve(np.eye(n) - known @ inverse, score)
            meat += np.outer(freed, freed)
        number = len(np.unique(own.clusters))
        expected = inverse @ ((number - 1) / number * meat + prior) @ inverse
        assert fit.covariance == pytest.approx(center @ expected @ center, abs=1e-9)
    unbeaten = ra.Profile.from_orders(["ABC", "ACB"] * 6, items="ABC")
    assert np.isfinite(ra.BradleyTerry.fit(unbeaten, **options).covariance).all()
    # An item that nobody compared is as uncertain as the prior says.
    alone = unbeaten.reindex("ABCD")
    error = ra.BradleyTerry.fit(alone, **options).standard_errors
    assert error[3] > 2 * error[1]


# -- score tables ---------------------------------------------------------------------------------


def scores(seed, n=4, t=12, **options):
    values = np.random.default_rng(seed).normal(np.arange(n)[:, None] / 4, 1, (n, t)).round(1)
    return ra.ScoreTable(values, systems="ABCD"[:n], higher_is_better=True, **options)


def test_tasks_are_the_units_of_scores():
    table = scores(1)
    fit = ra.BradleyTerry.fit(table)
    assert (fit.unit, fit.n_units) == ("task", 12)
    by_ranking = ra.BradleyTerry.fit(table.rankings())
    assert fit.covariance == pytest.approx(by_ranking.covariance, rel=1e-9)
    assert list(fit.elo().index) == list(by_ranking.elo().index)
    tied = ra.BradleyTerry.fit(table, tolerance=0.5)
    assert tied.log_worths == pytest.approx(ra.BradleyTerry.fit(table.rankings(0.5)).log_worths)


def test_instances_of_several_tasks_count_by_task_and_of_one_by_themselves():
    tasks = [f"task {k // 3}" for k in range(12)]
    table = scores(2, tasks=tasks, instances=[k % 3 for k in range(12)])
    fit = ra.BradleyTerry.fit(table)
    assert (fit.unit, fit.n_units) == ("task", 4)
    by_task = ra.BradleyTerry.fit(pair_by_pair(table.rankings(), tasks))
    assert fit.covariance == pytest.approx(by_task.covariance, rel=1e-7)
    assert fit.degrees_of_freedom == pytest.approx(3)
    single = scores(2, tasks=["one"] * 12, instances=range(12))
    fit = ra.BradleyTerry.fit(single)
    assert (fit.unit, fit.n_units) == ("instance", 12)
    families = scores(2, task_families={k: k // 2 for k in range(12)})
    fit = ra.BradleyTerry.fit(families)
    assert (fit.unit, fit.n_units) == ("cluster", 6)


def test_two_tasks_have_ratings_and_no_errors():
    tasks = [f"task {k // 6}" for k in range(12)]
    table = scores(2, tasks=tasks, instances=[k % 6 for k in range(12)])
    fit = ra.BradleyTerry.fit(table)
    assert "Errors are unknown. With 2 tasks the variance between tasks cannot be estimated." in (
        " ".join(fit.notes)
    )
    # What holds for instances of these tasks can be had: they are rankings then.
    assert np.isfinite(ra.BradleyTerry.fit(table.rankings()).covariance).all()


# -- how often equal items are ordered ------------------------------------------------------------


def drawn(kind, rng):
    """Return data of equal items."""
    if kind == "judges":
        judge, taste = np.repeat(np.arange(10), 60), 0.7 * rng.normal(size=(10, 6))
        first = rng.integers(0, 6, 600)
        second = (first + rng.integers(1, 6, 600)) % 6
        won = rng.random(600) < expit(taste[judge, first] - taste[judge, second])
        return ra.Comparisons(range(6), first, second, np.where(won, 1, -1), clusters=judge)
    if kind == "tasks":
        values = rng.normal(size=(10, 40))
        return ra.ScoreTable(values, systems=range(10), higher_is_better=True)
    m, n = kind
    return ra.Profile.from_ranks(np.argsort(rng.random((m, n)), axis=1))


KINDS = [(30, 4), (30, 8), (30, 12), (30, 20), (15, 6), "tasks", "judges"]


def claimed(fit_of, kind, times):
    """Return in how many data sets of equal items some order is claimed."""
    found = 0
    for seed in range(times):
        fit = fit_of(drawn(kind, np.random.default_rng([7, seed])))
        found += bool(ra.inference.rank_sets(fit, n_resamples=1000).decisions.above.any())
    return found


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_equal_items_are_seldom_ordered(kind):
    assert claimed(ra.BradleyTerry.fit, kind, 200) <= binom.ppf(0.999, 200, 0.05)
