"""Krippendorff's alpha against printed values and a slow count of pairs of ratings."""

from functools import partial
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from tests.conftest import seeds

# Each call draws alike.
krippendorff_alpha = partial(ra.inference.krippendorff_alpha, rng=0)

NAN = float("nan")
# Krippendorff (2011), section E.
RATINGS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]
PRINTED = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849, "ratio": 0.797}


def slow(ratings, metric):
    """Return alpha by all pairs of ratings of an item, and of all items."""
    columns = [[x for x in column if not np.isnan(x)] for column in zip(*ratings, strict=True)]
    columns = [column for column in columns if len(column) > 1]
    every = [x for column in columns for x in column]

    def apart(a, b):
        if metric == "nominal":
            return float(a != b)
        if metric == "ordinal":
            low, high = min(a, b), max(a, b)
            ends = every.count(low) + every.count(high)
            return (sum(low <= x <= high for x in every) - ends / 2) ** 2 if low < high else 0.0
        return (a - b) ** 2 / ((a + b) ** 2 if metric == "ratio" and a + b else 1)

    observed = sum(
        sum(apart(a, b) for a, b in permutations(column, 2)) / (len(column) - 1)
        for column in columns
    )
    expected = sum(apart(a, b) for a, b in permutations(every, 2)) / (len(every) - 1)
    return 1 - observed / expected


@pytest.mark.parametrize("metric", PRINTED)
def test_alpha_equals_published_values(metric):
    found = krippendorff_alpha(RATINGS, metric=metric)
    assert round(found.value, 3) == PRINTED[metric]
    assert (found._n_raters, found.n_items, found._n_ratings) == (4, 11, 40)
    assert found.lower < found.value < found.upper <= 1


@pytest.mark.parametrize("metric", PRINTED)
@pytest.mark.parametrize("seed", seeds(2, 5))
def test_alpha_is_that_of_all_pairs(metric, seed):
    rng = np.random.default_rng(seed)
    ratings = rng.integers(0, 5, (4, 9)).astype(float)
    ratings[rng.random(ratings.shape) < 0.3] = NAN
    found = krippendorff_alpha(ratings, metric=metric)
    assert found.value == pytest.approx(slow(ratings.tolist(), metric), rel=1e-12)


def test_ratings_may_be_text_or_frames():
    texts = [["yes", "no", "yes", None], ["yes", "no", "no", "no"]]
    expected = krippendorff_alpha([[1, 0, 1, NAN], [1, 0, 0, 0]]).value
    assert krippendorff_alpha(texts).value == krippendorff_alpha(pd.DataFrame(texts)).value
    assert krippendorff_alpha(texts).value == pytest.approx(expected)


@pytest.mark.parametrize(("n", "is_warned"), [(99, True), (100, False)])
def test_the_interval_of_few_items_is_called_too_short(n, is_warned):
    found = krippendorff_alpha(np.tile([0, 1], (2, n))[:, :n], n_resamples=100)
    assert ("by resampled items, too short for few items" in str(found)) == is_warned


@pytest.mark.parametrize("n", [30, pytest.param(300, marks=pytest.mark.slow)])
def test_intervals_cover_alpha(n):
    # Two raters say the same as a third of an item's truth by chance: alpha is known by draws.
    def drawn(rng, m):
        truth, errs = rng.integers(0, 3, m), rng.random((3, m)) < 0.3
        return np.where(errs, rng.integers(0, 3, (3, m)), truth)

    rng = np.random.default_rng(0)
    true = krippendorff_alpha(drawn(rng, 400 * n), n_resamples=100).value
    inside = 0
    for _ in range(n):
        found = krippendorff_alpha(drawn(rng, 60), n_resamples=200, rng=rng)
        inside += found.lower <= true <= found.upper
    assert inside >= stats.binom.ppf(0.001, n, 0.93)


@pytest.mark.parametrize(
    ("ratings", "options", "message"),
    [
        ([1, 2, 3], {}, "one row a rater and one column an item"),
        ("abc", {}, "one row a rater and one column an item"),
        ([[1, NAN], [NAN, 2]], {}, "items that two raters or more rated"),
        ([["a"], ["b"]], {"metric": "ordinal"}, "numbers. Got .* metric='nominal' for texts"),
        ([[1, -1], [1, 1]], {"metric": "ratio"}, "numbers from 0 on"),
        ([[1, np.inf], [1, 1]], {"metric": "interval"}, "finite numbers"),
        ([[1, 2], [1, 2]], {"metric": "cardinal"}, "`metric` must be 'nominal' or"),
    ],
)
def test_ratings_without_an_alpha_are_refused(ratings, options, message):
    with pytest.raises(InvalidInputError, match=message):
        krippendorff_alpha(ratings, **options)
