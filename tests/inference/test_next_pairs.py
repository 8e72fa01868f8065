"""Which items to compare next: against draws, and against every pair tried out."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from rankagg.inference import next_pairs
from tests.distributions.battles import battles, derivatives, log_probability

WINS = [[0, 6, 9, 3], [5, 0, 9, 2], [1, 2, 0, 4], [0, 1, 2, 0]]
VOTES = ra.PairwiseMatrix.from_wins(WINS, items="ABCD")
FITS = {
    "votes": ra.BradleyTerry.fit(VOTES),
    "ridge": ra.BradleyTerry.fit(VOTES, ridge=0.25),
    "rankings": ra.PlackettLuce.fit(ra.Profile.from_orders(["ABCD", "BADC", "ACDB", "DCAB"])),
    "half": ra.BradleyTerry.fit(battles(60, 4, 1), side=True),
    "davidson": ra.BradleyTerry.fit(battles(60, 4, 2), ties="davidson"),
}
TARGETS = [{}, {"k": 1}, {"k": 2}, {"pair": ("C", "A")}]
QUICK = [("rankings", {"k": 2}), *((kind, TARGETS[3]) for kind in FITS)]


def wrong(d, v, u):
    """Return the chance that the truth and an estimate are on two sides of 0."""
    both = multivariate_normal([d, d], [[v, v], [v, v + u]], allow_singular=True)
    below = both.cdf([0, 0])
    one, other = (multivariate_normal(d, s).cdf(0) for s in (v, v + u))
    return one + other - 2 * below


def told_by(fit, odds):
    """Return the variance of the slope of one comparison, outcome by outcome."""
    ties, tie = getattr(fit, "ties", "half"), getattr(fit, "tie", None) or 0.0
    outcomes = (1, -1) if ties == "half" else (1, 0, -1)
    chances = [np.exp(log_probability(ties, odds, tie, outcome)) for outcome in outcomes]
    slopes = [derivatives(ties, odds, tie, outcome)[0][0] for outcome in outcomes]
    return np.dot(chances, np.square(slopes))


def risk(fit, covariance, target):
    """Return the expected number of pairs in the wrong order, pair by pair."""
    worths, own = fit.estimates[:4], fit.covariance
    order = np.argsort(-worths, kind="stable").tolist()
    pairs = list(combinations(order, 2))
    if "k" in target:
        pairs = [(i, j) for i in order[: target["k"]] for j in order[target["k"] :]]
    if "pair" in target:
        pairs = [tuple("ABCD".index(item) for item in target["pair"])]
    total = 0.0
    for i, j in pairs:
        v, u = (c[i, i] + c[j, j] - 2 * c[i, j] for c in (own, covariance))
        total += wrong(worths[i] - worths[j], v, u)
    return total


def after(fit, covariance, i, j):
    """Return the covariance after one more comparison, by its inverse."""
    row = np.eye(4)[i] - np.eye(4)[j]
    told = told_by(fit, fit.estimates[i] - fit.estimates[j])
    if np.linalg.matrix_rank(covariance, tol=1e-8) == 4:
        return np.linalg.inv(np.linalg.inv(covariance) + told * np.outer(row, row))
    return np.linalg.pinv(np.linalg.pinv(covariance, rcond=1e-8) + told * np.outer(row, row))


@pytest.mark.parametrize(
    ("kind", "target"),
    [pytest.param(kind, target, marks=[pytest.mark.slow] * ((kind, target) not in QUICK))
     for kind in FITS for target in TARGETS],
    ids=str,
)  # fmt: skip
def test_the_pairs_gain_nearly_as_much_as_the_best_would(kind, target):
    fit = FITS[kind]
    covariance = fit.covariance[:4, :4]
    now = risk(fit, covariance, target)
    frame = next_pairs(fit, 3, **target)
    for row in frame.itertuples():
        best = max(now - risk(fit, after(fit, covariance, *pair), target)
                   for pair in combinations(range(4), 2))  # fmt: skip
        i, j = "ABCD".index(row.first), "ABCD".index(row.second)
        assert fit.estimates[i] >= fit.estimates[j]
        covariance = after(fit, covariance, i, j)
        left = risk(fit, covariance, target)
        assert row.left == pytest.approx(left, abs=1e-5)
        assert row.gain == pytest.approx(now - left, abs=2e-5)
        assert row.gain >= 0.9 * best - 2e-5
        now = left
    assert next_pairs(fit, **target).equals(frame.head(1))


def test_equal_items_and_decided_ones_have_a_next_comparison():
    level = [[0, 3, 9], [3, 0, 9], [2, 2, 0]]
    equal = ra.BradleyTerry.fit(ra.PairwiseMatrix.from_wins(level, items="ABC"))
    row = next_pairs(equal, pair=("A", "B")).iloc[0]
    assert {row["first"], row["second"]} == {"A", "B"}
    assert row["above"] == pytest.approx(0.5)
    clear = ra.PairwiseMatrix.from_wins([[0, 90_000, 99_000], [9_000, 0, 90_000], [999, 9_000, 0]])
    rows = next_pairs(ra.BradleyTerry.fit(clear), 2)
    assert (rows["first"] != rows["second"]).all()
    assert rows["gain"].to_numpy() == pytest.approx(0)


def test_the_leaders_are_compared_to_learn_who_is_first():
    worths = np.linspace(1, -1, 10)
    wins = 8 / (1 + np.exp(worths - worths[:, None]))
    np.fill_diagonal(wins, 0)
    fit = ra.BradleyTerry.fit(ra.PairwiseMatrix.from_wins(wins, items=range(10)))
    assert next_pairs(fit, 20, k=1)[["first", "second"]].to_numpy().max() <= 3
    assert next_pairs(fit, 20, k=5)["second"].min() >= 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"k": 4}, "`k` must be an integer of at least 1 and at most 3"),
        ({"k": 1, "pair": ("A", "B")}, "`k` must be None where a pair is given"),
        ({"pair": "AB"}, "`pair` must be two different items. Got 'AB'"),
        ({"pair": ("A", "A")}, "`pair` must be two different items"),
        ({"pair": ("A", "Z")}, "'Z'"),
        ({"n_pairs": 0}, "`n_pairs`"),
        ({"fit": VOTES}, "`fit` must be a fit of Bradley-Terry or Plackett-Luce"),
    ],
)
def test_what_is_refused(options, words):
    with pytest.raises((InvalidInputError, KeyError), match=words):
        next_pairs(**{"fit": FITS["votes"], **options})
