"""Agreement of raters beyond chance: Krippendorff's alpha."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from rankagg._typing import Floats, Positions, RNGLike
from rankagg._validation import as_frame, as_generator, check_alpha, check_choice, check_integer
from rankagg.core import Result, level_of, quantity, sentence
from rankagg.exceptions import Described, InvalidInputError

Metric = Literal["nominal", "ordinal", "interval", "ratio"]

# Most distinct ratings, since all pairs of them are in memory.
MOST_VALUES = 3000
# From so many items on, coverage was near the nominal one unless most ratings were equal.
MANY_ITEMS = 100


class KrippendorffAlpha(Result):
    """Krippendorff's alpha: 1 for perfect agreement, 0 for chance agreement, below 0 for less.

    Made by `krippendorff_alpha`. It has no plot.

    Attributes
    ----------
    value : float
        1 minus the ratio of observed to expected disagreement; NaN if all ratings are equal.
    lower, upper : float
        Ends of the percentile interval by resampled items.
    metric : {"nominal", "ordinal", "interval", "ratio"}
        The distance of two ratings.
    n_items : int
        Items with two ratings or more; others are left out.
    alpha : float
        The approximate probability that the interval misses, with many items. Below 100 items,
        or if most ratings are equal, it misses more often.
    """

    value: float
    lower: float
    upper: float
    metric: Metric
    n_items: int
    alpha: float
    _n_raters: int
    # Ratings of these items.
    _n_ratings: int

    _schema = "rankagg.krippendorff_alpha"

    def to_frame(self) -> pd.DataFrame:
        """Return one row: value, lower, upper."""
        return pd.DataFrame([self._plain("value", "lower", "upper")])

    def _content(self) -> dict[str, Any]:
        return self._plain("metric", "value", "lower", "upper", "alpha", "n_items")

    def _facts(self) -> list[str]:
        raters = quantity(self._n_raters, "raters", noun="rater")
        items = quantity(self.n_items, "items with two ratings or more", noun="item")
        ratings = quantity(self._n_ratings, "ratings of these", ",", "rating")
        few = ", too short for few items" * (self.n_items < MANY_ITEMS)
        return [
            sentence("{} distances of {} of {} by {}", self.metric, ratings, items, raters),
            sentence("interval: {}, by resampled items{}", level_of(self.alpha), few),
        ]


def krippendorff_alpha(
    data: ArrayLike | pd.DataFrame,
    *,
    metric: Metric = "nominal",
    alpha: float = 0.05,
    n_resamples: int = 1000,
    rng: RNGLike = 0,
) -> KrippendorffAlpha:
    """Measure the agreement of any number of raters, with or without missing ratings.

    Parameters
    ----------
    data : array_like or DataFrame, shape (raters, items)
        NaN or None if a rater did not rate an item; texts are for "nominal".
    metric : {"nominal", "ordinal", "interval", "ratio"}, default "nominal"
        The disagreement of two ratings: 1 if they differ; the squared number of ratings between
        them; their squared difference; the same, relative to their squared sum.
    alpha : float, default 0.05
        Error probability of the interval, in (0, 1).
    n_resamples : int, default 1000
        Resamples of the items.
    rng : int or numpy.random.Generator, default 0
        For the resamples.

    References
    ----------
    Krippendorff (2011), "Computing Krippendorff's alpha-reliability",
    https://repository.upenn.edu/handle/20.500.14332/2089.

    Examples
    --------
    >>> import rankagg as ra
    >>> ratings = [[1, 2, 3, 3, 2, 1], [1, 2, 3, 3, 2, 2], [None, 3, 3, 3, 2, 3]]
    >>> agreement = ra.inference.krippendorff_alpha(ratings, metric="ordinal", rng=0)
    >>> round(agreement.value, 3), agreement.n_items
    (0.593, 6)
    """
    kind = check_choice(metric, get_args(Metric), "metric")
    level, times = check_alpha(alpha), check_integer(n_resamples, "n_resamples", low=100)
    table, values = _coded(data, kind)
    n_raters = len(table)
    # Counts of each value of each item; items with one rating cannot disagree.
    table = table[:, (table >= 0).sum(axis=0) > 1]
    if not table.size:
        raise InvalidInputError("data", "items that two raters or more rated", Described("none"))
    items = np.broadcast_to(np.arange(table.shape[1]), table.shape)
    counts = np.zeros((table.shape[1], len(values)))
    np.add.at(counts, (items[table >= 0], table[table >= 0]), 1.0)
    value = _agreement(counts, np.ones(len(counts)), values, kind)
    draws = as_generator(rng).multinomial(len(counts), np.full(len(counts), 1 / len(counts)), times)
    drawn = np.array([_agreement(counts, w.astype(float), values, kind) for w in draws])
    ends = [np.nan] * 2
    if not np.isnan(drawn).all():
        ends = np.nanquantile(drawn, [level / 2, 1 - level / 2]).tolist()
    return KrippendorffAlpha(
        value=value,
        lower=ends[0],
        upper=ends[1],
        metric=kind,
        n_items=len(counts),
        alpha=level,
        _n_raters=n_raters,
        _n_ratings=int(counts.sum()),
    )


def _coded(ratings: Any, metric: str) -> tuple[Positions, Floats]:
    """Return the code of each rating, -1 for missing, and the values of the codes."""
    ratings = as_frame(ratings)
    if np.ndim(ratings) != 2:
        allowed = "a table, one row a rater and one column an item"
        raise InvalidInputError("data", allowed, ratings)
    frame = pd.DataFrame(ratings)
    if metric != "nominal":
        try:
            frame = frame.astype(float)
        except (TypeError, ValueError):
            remedy = "Use metric='nominal' for texts."
            raise InvalidInputError("data", "numbers", ratings, remedy) from None
    codes, values = pd.factorize(frame.to_numpy().ravel(), sort=metric != "nominal")
    if len(values) > MOST_VALUES:
        allowed = f"at most {MOST_VALUES} different ratings"
        raise InvalidInputError("data", allowed, len(values))
    if metric == "nominal":
        values = np.arange(float(len(values)))
    elif np.isinf(values).any() or (metric == "ratio" and (values < 0).any()):
        allowed = "numbers from 0 on for metric='ratio'" if metric == "ratio" else "finite numbers"
        raise InvalidInputError("data", allowed, values.tolist())
    return codes.reshape(frame.shape), np.asarray(values, dtype=float)


def _squared_distances(values: Floats, counts: Floats, metric: str) -> Floats:
    """Return the squared distances of all pairs of values."""
    if metric == "nominal":
        return 1.0 - np.eye(len(values))
    if metric == "ordinal":
        # The number of ratings between two values, with half of those at either value.
        middle = np.cumsum(counts) - counts / 2
        return np.subtract.outer(middle, middle) ** 2
    squares = np.subtract.outer(values, values) ** 2
    if metric == "ratio":
        sums = np.add.outer(values, values)
        squares = np.divide(squares, sums**2, out=np.zeros_like(squares), where=sums > 0)
    return np.asarray(squares)


def _agreement(counts: Floats, times: Floats, values: Floats, metric: str) -> float:
    """Return Krippendorff's alpha, with each item repeated so many times."""
    total = times @ counts
    squares, n = _squared_distances(values, total, metric), total.sum()
    expected = total @ squares @ total / (n - 1.0)
    within = ((counts @ squares) * counts).sum(axis=1) / (counts.sum(axis=1) - 1.0)
    return float(1.0 - times @ within / expected) if expected > 0 else float("nan")
