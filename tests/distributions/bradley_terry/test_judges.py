"""Worths and reliabilities of judges: the maximum, its errors, and the named judges."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

import rankagg as ra
from rankagg.exceptions import InvalidInputError, NotIdentifiedError
from rankagg.inference import rank_sets


def judged(seed, n=6, k=5, each=150, ties=0.1):
    """Comparisons by judges of known reliability; the first contradicts the others."""
    rng = np.random.default_rng(seed)
    worths = rng.normal(size=n)
    worths -= worths.mean()
    reliabilities = np.exp(rng.normal(0, 0.5, k)) * np.where(np.arange(k) == 0, -1, 1)
    reliabilities /= np.sqrt((reliabilities**2).mean())
    judge = np.repeat(np.arange(k), each)
    first = rng.integers(0, n, k * each)
    second = (first + rng.integers(1, n, k * each)) % n
    chance = expit(reliabilities[judge] * (worths[first] - worths[second]))
    outcomes = np.where(rng.random(k * each) < chance, 1, -1)
    outcomes[rng.random(k * each) < ties] = 0
    data = ra.Comparisons(
        [f"i{each}" for each in range(n)], first, second, outcomes, clusters=judge,
        cluster_labels=[f"judge {each}" for each in range(k)],
    )  # fmt: skip
    return data, worths, reliabilities


def log_likelihood(data, worths, reliabilities):
    total = 0.0
    rows = zip(data.first, data.second, data.outcomes, data.clusters, strict=True)
    weights = np.ones(len(data)) if data.weights is None else data.weights
    for (one, other, outcome, judge), weight in zip(rows, weights, strict=True):
        chance = expit(reliabilities[judge] * (worths[one] - worths[other]))
        points = (1 + outcome) / 2
        total += weight * (points * np.log(chance) + (1 - points) * np.log(1 - chance))
    return total


@pytest.mark.parametrize("seed", [0, 1])
def test_no_other_parameters_are_as_likely(seed):
    data, _, _ = judged(seed, n=4, k=3, each=40)
    fit = ra.BradleyTerry.fit(data, judges=True)
    n = data.n_items

    def less(parameters):
        return -log_likelihood(data, parameters[:n], parameters[n:])

    assert fit.converged
    assert fit.log_likelihood == pytest.approx(-less(fit.estimates))
    for start in (fit.estimates, np.r_[np.zeros(n), np.ones(3)] + 0.1 * fit.estimates):
        assert minimize(less, start, method="BFGS").fun >= -fit.log_likelihood - 1e-6
    assert fit.log_worths.sum() == pytest.approx(0, abs=1e-12)
    factors = fit.reliabilities()["estimate"]
    assert (factors**2).mean() == pytest.approx(1, abs=1e-12)


def test_a_ridge_is_that_of_its_definition():
    data, _, _ = judged(3, n=4, k=3, each=40)
    n, ridge = data.n_items, 0.7
    middle = np.repeat([0.0, 1.0], [n, 3])

    def less(parameters):
        penalty = ridge / 2 * ((parameters - middle) ** 2).sum()
        return penalty - log_likelihood(data, parameters[:n], parameters[n:])

    found = minimize(less, middle, method="BFGS").x
    size = np.sqrt((found[n:] ** 2).mean())
    fit = ra.BradleyTerry.fit(data, judges=True, ridge=ridge)
    expected = np.r_[(found[:n] - found[:n].mean()) * size, found[n:] / size]
    np.testing.assert_allclose(fit.estimates, expected, atol=1e-4)


def test_weights_are_numbers_of_comparisons():
    data, _, _ = judged(2)
    twice = ra.Comparisons(
        data.items, data.first, data.second, data.outcomes, clusters=data.clusters,
        weights=np.full(len(data), 2.0),
    )  # fmt: skip
    one, other = (ra.BradleyTerry.fit(each, judges=True) for each in (data, twice))
    np.testing.assert_allclose(one.estimates, other.estimates, atol=1e-7)
    np.testing.assert_allclose(one.covariance, other.covariance, atol=1e-7)


def test_intervals_cover_and_worths_are_nearer_than_without_judges():
    covered, sums = [], np.zeros(2)
    for seed in range(40):
        data, worths, reliabilities = judged(seed, ties=0)
        fit = ra.BradleyTerry.fit(data, judges=True)
        truth = np.r_[worths, reliabilities]
        bounds = fit.conf_int()
        covered.append((bounds["lower"] <= truth) & (truth <= bounds["upper"]))
        plain = ra.BradleyTerry.fit(data)
        for at, each in enumerate((fit, plain)):
            sums[at] += np.corrcoef(each.log_worths, worths)[0, 1]
    assert 0.925 < np.mean(covered) < 0.975
    assert sums[0] > sums[1]


def test_a_random_judge_does_not_change_the_order():
    """What is not known of that reliability is no error of the others' worths."""
    rng = np.random.default_rng(0)
    worths, judge = np.linspace(1.5, -1.5, 8), np.repeat(np.arange(5), 200)
    first = rng.integers(0, 8, 1000)
    second = (first + rng.integers(1, 8, 1000)) % 8
    chance = expit((judge < 4) * (worths[first] - worths[second]))
    outcomes = np.where(rng.random(1000) < chance, 1, -1)
    data = ra.Comparisons("ABCDEFGH", first, second, outcomes, clusters=judge)
    fit = ra.BradleyTerry.fit(data, judges=True)
    four = ra.BradleyTerry.fit(data.take(np.flatnonzero(judge < 4)), judges=True)
    assert abs(fit.reliabilities()["estimate"][4]) < 0.2
    assert fit.compare("A", "H")["z"] == pytest.approx(four.compare("A", "H")["z"], rel=0.05)
    assert list(rank_sets(fit).to_frame()["worst"]) == list(rank_sets(four).to_frame()["worst"])


def test_contradicting_judges_are_named_and_ranks_have_bounds():
    data, worths, _ = judged(3)
    fit = ra.BradleyTerry.fit(data, judges=True)
    assert fit.judges == tuple(f"judge {each}" for each in range(5))
    named = [note for note in fit.notes if "contradict" in note]
    assert named == ["Judges who contradict the others (negative reliability): judge 0."]
    frame = rank_sets(fit).to_frame().loc[list(data.items)]
    ranks = (-worths).argsort().argsort() + 1
    assert ((frame["best"] <= ranks) & (ranks <= frame["worst"])).all()
    assert fit.effects().empty
    assert fit.elo(anchor={"i0": 1000})["elo"]["i0"] == 1000


def test_ties_are_left_out_or_count_half():
    data, _, _ = judged(4)
    left = ra.BradleyTerry.fit(data, judges=True, ties="ignore")
    without = ra.BradleyTerry.fit(data.take(np.flatnonzero(data.outcomes)), judges=True)
    np.testing.assert_array_equal(left.estimates, without.estimates)
    assert f"Ties ({data.n_ties}): left out." in left.notes


def certain(data):
    """The same, but the last judge always says what the others mean."""
    worths = ra.BradleyTerry.fit(data, judges=True).log_worths
    sure = np.sign(worths[data.first] - worths[data.second]).astype(int)
    outcomes = np.where(data.clusters == data.clusters.max(), sure, data.outcomes)
    return ra.Comparisons(
        data.items, data.first, data.second, outcomes, clusters=data.clusters,
        cluster_labels=data.cluster_labels,
    )  # fmt: skip


def test_a_judge_without_errors_is_named_with_the_remedy():
    data = certain(judged(5)[0])
    with pytest.raises(NotIdentifiedError, match=r"judge 4.*ridge=0\.1"):
        ra.BradleyTerry.fit(data, judges=True)
    fit = ra.BradleyTerry.fit(data, judges=True, ridge=0.1)
    assert fit.converged
    assert fit.reliabilities()["estimate"].idxmax() == "judge 4"


def test_an_item_that_always_wins_is_named():
    data, _, _ = judged(6, ties=0)
    signs = np.where(data.clusters == 0, -1, 1)
    outcomes = np.where(data.first == 2, signs, np.where(data.second == 2, -signs, data.outcomes))
    lone = ra.Comparisons(data.items, data.first, data.second, outcomes, clusters=data.clusters)
    with pytest.raises(NotIdentifiedError, match="i2"):
        ra.BradleyTerry.fit(lone, judges=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"side": True}, "`judges` must be False with `side`"),
        ({"ties": "davidson"}, "`judges` must be False with `side`"),
        ({"judges": 1}, "judges"),
    ],
)
def test_options_that_exclude_judges_are_refused(options, message):
    data, _, _ = judged(0)
    with pytest.raises(InvalidInputError, match=message):
        ra.BradleyTerry.fit(data, **{"judges": True, **options})


def test_judges_are_clusters_of_comparisons():
    data, _, _ = judged(0)
    plain = ra.Comparisons(data.items, data.first, data.second, data.outcomes)
    with pytest.raises(InvalidInputError, match="State the judge of each comparison"):
        ra.BradleyTerry.fit(plain, judges=True)
    with pytest.raises(InvalidInputError, match="two or more judges"):
        ra.BradleyTerry.fit(data.take(np.flatnonzero(data.clusters == 0)), judges=True)
    with pytest.raises(InvalidInputError, match="`judges` must be True"):
        ra.BradleyTerry.fit(data).reliabilities()


def test_ties_alone_are_refused():
    data = judged(0)[0]
    ties = ra.Comparisons(
        data.items, data.first, data.second, 0 * data.outcomes, clusters=data.clusters
    )
    with pytest.raises(NotIdentifiedError, match="All log worths are 0"):
        ra.BradleyTerry.fit(ties, judges=True)
    for judges in (False, True):
        with pytest.raises(InvalidInputError, match="Ties are no results"):
            ra.BradleyTerry.fit(ties, judges=judges, ties="ignore")
