"""Choice of a model: scores by hand, errors of probabilities, failed models, the verdict."""

import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config

import rankagg as ra
from rankagg.core import canonical_profile
from rankagg.core.places import UNLISTED
from rankagg.distributions.model_checks import NAMED_MODELS, _calibration
from rankagg.exceptions import InvalidInputError, NotIdentifiedError

LUCE = ra.PlackettLuce([1.5, 0.5, -0.5, -1.5], items="ABCD")
KENDALL = ra.Mallows("ABCDE", theta=0.8)


def compared(profile, models=None, **options):
    return ra.distributions.compare_models(
        profile, models, **{"n_resamples": 0, "rng": 0, **options}
    )


def recorded(fitter):
    """Return a function that fits, and the list of what it was given."""
    seen = []

    def fit(profile):
        seen.append(profile)
        return fitter(profile)

    return fit, seen


@pytest.mark.parametrize(("number", "folds"), [(4, 2), (9, 4), (10, 5), (53, 5)])
def test_few_rankings_have_fewer_folds_unless_asked_for(number, folds):
    rankings = LUCE.sample(number, rng=1)
    assert compared(rankings, ["uniform"]).n_folds == folds
    with pytest.raises(InvalidInputError, match="`n_folds` must be"):
        compared(rankings, ["uniform"], n_folds=number // 2 + 1)


@pytest.mark.parametrize("folds", [2, 5])
def test_scores_are_those_of_fits_without_the_fold(folds):
    rankings = LUCE.sample(53, rng=1).compress()
    fitter, seen = recorded(ra.PlackettLuce.fit)
    found = compared(rankings, [("mine", fitter), "mallows-kendall"], n_folds=folds)
    whole, *parts = seen
    assert len(parts) == folds
    assert whole.n_rankings == 53

    def tally(profile):
        return {tuple(r.order): int(c) for r, c in zip(profile, profile.counts, strict=True)}

    total, scores, sizes = tally(rankings), [], []
    for part in parts:
        inside, fit = tally(part), ra.PlackettLuce.fit(part).distribution
        out = {order: count - inside.get(order, 0) for order, count in total.items()}
        assert min(out.values()) >= 0
        sizes.append(sum(out.values()))
        for order, count in out.items():
            ranking = ra.Permutation.from_order([bucket for bucket in order], items="ABCD")
            scores += [fit.log_prob(ranking)] * count
    assert sum(sizes) == 53
    assert max(sizes) - min(sizes) <= 1
    row = found.to_frame().loc["mine"]
    assert row["log_score"] == pytest.approx(np.mean(scores))
    assert row["log_score_error"] == pytest.approx(np.std(scores, ddof=1) / 53**0.5)
    fit = ra.PlackettLuce.fit(rankings)
    columns = ["log_likelihood", "n_parameters", "aic", "bic"]
    np.testing.assert_allclose(row[columns].astype(float), [getattr(fit, key) for key in columns])


def test_differences_are_of_the_same_rankings():
    found = compared(KENDALL.sample(80, rng=1), ["uniform", "mallows-kendall", "plackett-luce"])
    frame = found.to_frame()
    assert list(frame["log_score"]) == sorted(frame["log_score"], reverse=True)
    for k, name in enumerate(found.models):
        steps = found.scores[k] - found.scores[0]
        assert frame.loc[name, "difference"] == pytest.approx(steps.mean())
        assert frame.loc[name, "difference_error"] == pytest.approx(steps.std(ddof=1) / 80**0.5)
    assert frame.loc["uniform", "log_score"] == pytest.approx(-np.log(120))


def test_weights_apply_to_the_mean():
    rankings = ra.Profile(list(LUCE.sample(40, rng=1)), weights=np.linspace(0.5, 2, 40))
    found = compared(rankings, ["plackett-luce"])
    row = found.to_frame().iloc[0]
    shares = found.weights / found.weights.sum()
    mean = shares @ found.scores[0]
    assert row["log_score"] == pytest.approx(mean)
    number = 1 / (shares**2).sum()
    square = shares**2 @ (found.scores[0] - mean) ** 2 * number / (number - 1)
    assert row["log_score_error"] == pytest.approx(square**0.5)


@pytest.mark.parametrize("drawn", [None, 10])  # rankings in place of sums over all of them
def test_errors_of_probabilities_exceed_sampling_error(drawn, monkeypatch):
    if drawn:
        file = import_module("rankagg.distributions.model_checks")
        monkeypatch.setattr(file, "MOST_ENUMERATED", 0)
        monkeypatch.setattr(file, "N_DRAWN", drawn)
    # The fold of a model that is right has no error on average, and that of another has its own.
    other = ra.PlackettLuce([0.5, 0.5, -0.5, -0.5], items="ABCD")
    rng = np.random.default_rng(0)
    found = [
        [_calibration(made, LUCE.sample(25, rng=s), rng) for s in range(100)]
        for made in (LUCE, other)
    ]
    means, spread = np.mean(found, axis=1), np.std(found, axis=1) / 10
    off = np.triu_indices(4, 1)
    pairs = (LUCE.pairwise_probabilities() - other.pairwise_probabilities())[off]
    firsts = (LUCE.rank_probabilities() - other.rank_probabilities())[:, 0]
    true = np.array([[0.0, 0.0], [(pairs**2).mean(), (firsts**2).mean()]])
    assert (np.abs(means - true) < 4 * spread).all()
    assert (means[1] > 5 * spread[1]).all()


def test_gaps_have_scores_and_no_errors_of_chances():
    even = ra.PlackettLuce([0.5, 0.2, -0.2, -0.5], items="ABCD")
    ranks = even.sample(60, rng=1).ranks.copy()
    ranks[ranks >= 2] = UNLISTED
    models = ["uniform", "mallows-kendall", "plackett-luce", "mallows-footrule"]
    found = compared(canonical_profile(even.items, ranks), models, n_resamples=19)
    frame = found.to_frame()
    assert not found.tests
    scored = frame[frame["failure"] == ""]
    assert set(scored.index) == set(models[:3])
    assert scored.loc["uniform", "log_score"] == pytest.approx(-np.log(12))
    assert scored[["pair_error", "first_error"]].isna().all().all()
    assert "complete strict" in frame.loc["mallows-footrule", "failure"]
    assert "mallows-footrule failed" in found.summary()


def test_a_model_that_fails_is_a_row_with_its_reason():
    def never(profile):
        raise NotIdentifiedError("there is none")

    def seldom(profile):
        if profile.n_rankings < 40:
            raise NotIdentifiedError("too few")
        return ra.Mallows.fit(profile)

    found = compared(LUCE.sample(40, rng=1), ["uniform", ("never", never), ("seldom", seldom)])
    frame = found.to_frame()
    assert found.models[0] == "uniform"
    assert frame.loc["never", "failure"] == "there is none"
    assert frame.loc["seldom", "failure"] == "without fold 1: too few"
    assert frame.loc["seldom", "log_likelihood"] < 0
    assert np.isnan(frame.loc["never", "log_likelihood"])
    assert frame.loc[["never", "seldom"], "log_score"].isna().all()
    with pytest.raises(InvalidInputError, match="never: there is none"):
        compared(LUCE.sample(40, rng=1), [("never", never)])


def test_mistakes_of_a_function_are_not_hidden():
    def broken(profile):
        raise KeyError("a mistake")

    with pytest.raises(KeyError, match="a mistake"):
        compared(LUCE.sample(40, rng=1), [("broken", broken)])


def test_a_ranking_without_a_chance_puts_a_model_last():
    class Never(ra.distributions.Uniform):
        def _log_probs(self, ranks):
            return np.where(ranks[:, 0] == 0, -np.inf, super()._log_probs(ranks))

    rankings = LUCE.sample(60, rng=1)

    def narrow(profile):
        fit = NAMED_MODELS["uniform"](profile)
        return type(fit)(**{**vars(fit), "distribution": Never(profile.items)})

    frame = compared(rankings, [("narrow", narrow), "uniform"]).to_frame()
    assert list(frame.index) == ["uniform", "narrow"]
    assert frame.loc["narrow", "difference"] == -np.inf


def test_the_verdict_names_the_models_that_fit():
    both = KENDALL.sample(200, rng=1)
    options = {"n_folds": 2, "n_resamples": 19, "rng": 1}
    found = ra.distributions.compare_models(
        both, ["uniform", "mallows-kendall", "mallows-spearman"], **options
    )
    assert found.models[0] == "mallows-kendall"
    assert [test.model for test in found.tests] == ["mallows-kendall"]
    assert found.verdict.startswith("No evidence against mallows-kendall")
    near, options["n_resamples"] = ra.Mallows("ABCD", 1.5).sample(200, rng=1), 39
    found = ra.distributions.compare_models(near, ["uniform"], **options)
    assert found.verdict == "No model fits: uniform rejected."
    assert "was not tested" in compared(both, ["uniform"]).verdict


@pytest.mark.parametrize("backend", ["threading", pytest.param("loky", marks=pytest.mark.slow)])
def test_workers_change_no_result(backend):
    rankings = ra.Mallows(range(7), theta=0.3).sample(20, rng=1)
    models = ["mallows-footrule", "plackett-luce"]
    with parallel_config(backend):
        assert compared(rankings, models, n_jobs=2) == compared(rankings, models)


def test_bad_input_is_refused():
    rankings = LUCE.sample(20, rng=1)
    tied = ra.Profile([ra.PartialRanking.from_buckets([["A", "B"], ["C"]])] * 20)
    for profile, models, options, words in (
        (rankings, ["placket-luce"], {}, "plackett-luce"),
        (rankings, ["uniform", "uniform"], {}, "different names"),
        (rankings, [], {}, "one or more"),
        (rankings, [("a", 3)], {}, "takes a profile and returns a fit"),
        (rankings, [("a", lambda profile: 3)], {}, "takes a profile and returns a fit"),
        (rankings, None, {"n_folds": 11}, "`n_folds` must be"),
        (tied, None, {}, "without ties"),
        ("ABC", None, {}, "`data` must be"),
        (
            rankings[[0]] + ra.Profile([rankings[0]], counts=[10**7]),
            None,
            {},
            "at most 10,000,000 rankings.*Got <Profile of 10000001 rankings",
        ),
        (ra.Profile.from_orders(["ABC"]), None, {}, r"four rankings or more\. Got 1 ranking"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            compared(profile, models, **options)


# -- the kept simulation --------------------------------------------------------------------------

ROOT = Path(__file__).parents[2]
LONG = ROOT / "examples" / "long" / "model_choice.py"


def test_the_page_states_the_results_of_the_stored_simulation():
    page = (ROOT / "docs" / "howto" / "which_model.rst").read_text(encoding="utf-8")
    page = page[page.index("How often it is right") :]
    table = page[: page.index("The true model was within")]
    rows = [re.findall(r"(\d+) %", line) for line in table.splitlines() if "%" in line]
    kept = pd.read_csv(LONG.with_suffix(".csv"))
    drawn = kept[kept["p"].isna()]
    assert len(rows) == drawn["case"].nunique()
    for row, (case, part) in zip(rows, drawn.groupby("case", sort=False), strict=True):
        shares = [100 * (part[by] == case).mean() for by in ("held_out", "bic", "aic")]
        assert row == [f"{share:.0f}" for share in shares]
        assert len(part) == 200
    assert (drawn["near"].astype(str) == "False").sum() == 1
    tested = kept.dropna(subset="p").groupby("case", sort=False)["p"]
    refuted = [f"{100 * (p <= 0.05).mean():.0f} %" for _, p in tested]
    assert re.findall(r"\d+ %", page[page.index("``goodness_of_fit``") :]) == refuted
