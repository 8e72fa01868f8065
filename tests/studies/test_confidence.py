"""The study of confidence: against slow loops, exact sums and the paper's figure 4."""

from itertools import combinations, product
from math import log, sqrt

import numpy as np
import pytest
import scipy.stats

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from tests import oracles
from tests.studies.test_sources import metrics

EQUATION, FIGURE = (ra.studies.PrintedRadius(radius=name) for name in ("equation 4", "figure 4"))
HOEFFDING = ra.studies.IntervalMethod()
ALL_PAIRS = ra.studies.IntervalMethod(simultaneous="bonferroni")
ANYTIME = ra.studies.IntervalMethod(simultaneous="bonferroni", anytime=True)
EXACT = ra.studies.IntervalMethod(method="clopper-pearson")
HOLM = ra.studies.IntervalMethod(holm=True)
SIGNS = ra.studies.IntervalMethod(method="clopper-pearson", holm=True)


def latent(step, number, n_systems=10):
    return ra.studies.LatentModel(step=step, n_systems=n_systems, n_tasks=1, n_instances=number)


def make(**changes):
    settings = {
        "data": [latent(0.4, 30, 4)], "methods": [EQUATION, HOEFFDING, HOLM],
        "alphas": [0.05], "proportions": [0, 0.3], "n_repetitions": 3, "rng": 4,
    }  # fmt: skip
    return ra.studies.ConfidenceStudy(**(settings | changes))


def flat(result):
    return result.by_method().reset_index()


# -- rows against a loop over the scores -----------------------------------------------------------


def loop(values, alpha, radius):
    """Return (M, z, lower, upper) of every pair, from the words of the paper."""
    n, m = values.shape
    shares = np.zeros((n, n))
    for column in values.T:
        seen = [score for score in column if not np.isnan(score)]
        places = [None if np.isnan(s) else sum(other > s for other in seen) for s in column]
        ways = oracles.compatible_permutations(places)
        for i, j in product(range(n), repeat=2):
            shares[i, j] += sum(way[i] < way[j] for way in ways) / len(ways) / m
    there = ~np.isnan(values)
    rows = {}
    for i, j in combinations(range(n), 2):
        z = int((there[i] & there[j]).sum())
        c = 1.0 if not z else {
            "equation 4": lambda z: sqrt(log(1 / alpha) / (2 * z)),
            "figure 4": lambda z: sqrt(log(4 * n * z**2 / alpha) / (2 * z)),
        }[radius](z)  # fmt: skip
        rows[i, j] = shares[i, j], z, max(shares[i, j] - c, 0), min(shares[i, j] + c, 1)
    return rows


@pytest.mark.parametrize("method", [EQUATION, FIGURE])
def test_printed_rows_agree_with_a_loop_over_the_scores(method):
    model = latent(1.5, 40, 4)
    removals = [ra.studies.RandomRemoval(), ra.studies.RemovalByScore(strength=3)]
    study = make(data=[model], methods=[method], proportions=[0, 0.4], alphas=[0.3, 0.6],
                 removals=removals)  # fmt: skip
    frame = study.run().to_frame().set_index(["removal", "proportion", "repetition", "alpha"])
    decided = 0
    for cell in study.cells():
        table = model.sample(rng=cell.generator(study.rng, "data"))
        rng = cell.generator(study.rng, "missing")
        left = cell.removal.remove(table, cell.proportion, whole_tasks=False, rng=rng)
        assert left.n_missing == round(cell.proportion * 160)
        heights = 1.5 * np.array(list(left.systems))
        truth = scipy.stats.logistic.cdf(np.subtract.outer(heights, heights))
        for alpha in study.alphas:
            rows = loop(left.values, alpha, method.radius)
            row = frame.loc[cell.removal.name, cell.proportion, cell.repetition, alpha]
            assert row["pairs"] == 6
            assert row["comparisons"] == pytest.approx(np.mean([z for _, z, *_ in rows.values()]))
            assert row["width"] == pytest.approx(np.mean([u - o for *_, o, u in rows.values()]))
            assert row["decided"] == sum(o > 0.5 or u < 0.5 for *_, o, u in rows.values())
            assert row["wrong"] == sum(
                (o > 0.5 and truth[pair] < 0.5) or (u < 0.5 and truth[pair] > 0.5)
                for pair, (*_, o, u) in rows.items()
            )
            assert row["covered"] == sum(o <= truth[p] <= u for p, (*_, o, u) in rows.items())
            decided += row["decided"]
    assert decided > 0


def test_methods_of_the_package_are_its_own_intervals():
    model = latent(0.7, 25, 5)
    methods = [HOEFFDING, ALL_PAIRS, ANYTIME, EXACT, HOLM, SIGNS,
               ra.studies.IntervalMethod(method="percentile", simultaneous="max-t")]  # fmt: skip
    study = make(data=[model], methods=methods, proportions=[0.3], alphas=[0.2])
    frame = study.run().to_frame().set_index(["repetition", "method"])
    for cell in study.cells():
        table = cell.incomplete(cell.complete(study.rng), study.rng)
        for method in methods:
            options = {
                name: getattr(method, name) for name in ("method", "simultaneous", "anytime")
            }
            rng = cell.generator(study.rng, f"{method!r} 0.2")
            intervals = ra.PairwiseIntervals.from_data(table, alpha=0.2, rng=rng, **options)
            row = frame.loc[cell.repetition, method.name]
            if method.holm:
                assert row["decided"] == len(intervals.decisions().pairs)
                assert np.isnan(row["width"])
                continue
            expected = intervals.to_frame()
            assert row["decided"] == expected["outside"].sum()
            assert row["width"] == pytest.approx((expected["upper"] - expected["lower"]).mean())
    assert frame["decided"].sum() > 0


# -- exact expectations ----------------------------------------------------------------------------


# -- summaries -------------------------------------------------------------------------------------


def test_mechanisms_are_named():
    result = make(
        removals=[ra.studies.RandomRemoval(), ra.studies.RemovalByScore(strength=3)]
    ).run()
    assert "removed: completely at random; low scores first, strength = 3\n" in result.summary()


LEADERBOARD = ra.datasets.load("superglue_human")
BY_INSTANCE = ra.studies.IntervalMethod(unit="instance")


def test_metrics_of_an_instance_are_not_independent():
    model = ra.studies.ResampledData(label="m", data=metrics(n_metrics=12), n_rankings=40)
    methods = [EQUATION, HOEFFDING, HOLM, BY_INSTANCE]
    study = make(data=[model], methods=methods, proportions=[0], n_repetitions=20)
    table = flat(study.run()).set_index("method")
    assert table.loc["hoeffding", "coverage"] < 0.75
    assert table.loc["hoeffding, by instance", "coverage"] > 0.95
    assert table.loc["hoeffding", "comparisons"] == 480
    assert table.loc["hoeffding, by instance", "comparisons"] == 40


def test_a_fixed_table_has_no_known_truth():
    model = ra.studies.ObservedData(label="SuperGLUE", data=LEADERBOARD)
    result = make(data=[model], methods=None, proportions=[0.2]).run()
    frame = result.to_frame()
    assert frame["decided"].notna().all()
    assert frame[["wrong", "covered"]].isna().all(axis=None)
    assert "true proportions are not known" in result.summary()
    with pytest.raises(InvalidInputError, match="must be a column with known values"):
        result.plot(y="any_wrong")


# -- methods ---------------------------------------------------------------------------------------


def test_a_method_that_cannot_judge_a_table_is_counted():
    table = ra.ScoreTable(
        [[1, 5, 3], [2, 2, 1], [3, 4, 2]], systems="ABC", higher_is_better=True,
        task_weights={0: 1, 1: 2, 2: 3},
    )  # fmt: skip
    weighted = ra.studies.ObservedData(label="weighted", data=table)
    result = make(data=[weighted], methods=[EXACT, HOEFFDING, BY_INSTANCE]).run()
    table = flat(result).set_index("method")
    assert (table.loc["clopper-pearson", "failed"] == 3).all()
    assert (table.loc["hoeffding, by instance", "failed"] == 3).all()
    assert (table.loc["hoeffding", "failed"] == 0).all()
    errors = result.to_frame().dropna(subset="error").groupby("method")["error"].unique()
    assert "equal weight" in errors["clopper-pearson"][0]
    assert "no instances" in errors["hoeffding, by instance"][0]
    assert "methods failed 12 times" in result.summary()


# -- input -----------------------------------------------------------------------------------------


def test_one_system_has_no_pairs():
    table = ra.ScoreTable([[1.0, 2.0]], systems="A", higher_is_better=True)
    with pytest.raises(InvalidInputError, match="two or more systems"):
        make(data=[ra.studies.ObservedData(label="one", data=table)])
    with pytest.raises(InvalidInputError, match="radius of PrintedRadius"):
        ra.studies.PrintedRadius(radius="equation 5")
