"""How far raters agree on the same items, beyond chance: Krippendorff's alpha, Kendall's W."""

from __future__ import annotations

from itertools import permutations
from math import factorial
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from rankagg._frames import as_frame
from rankagg._typing import Bools, Floats, Integers64, Positions, RNGLike, Tolerance
from rankagg._validation import as_generator, check_alpha, check_choice, check_integer
from rankagg.core import ItemSet, Profile, Result, ScoreTable, level_of, p_text, said, stated
from rankagg.exceptions import Described, InvalidInputError
from rankagg.inference.rank_tests import check_rankings, simulated_p_value, told_ranks
from rankagg.inference.units import rankings_of

Metric: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]

# Numbers of pairs of values that are held at one time.
MOST_VALUES = 3000
# Sums of ranks that are held at one time, and raters from which on W is taken for chi-square.
MOST_SUMS, MANY = 200_000, 51


class KrippendorffAlpha(Result):
    """Krippendorff's alpha: 1 where raters agree, 0 where they do as by chance, below where less.

    Made by `krippendorff_alpha`. It has no plot.

    Attributes
    ----------
    value : float
        1 less observed over expected disagreement; NaN where all ratings are equal.
    lower, upper : float
        Ends of the interval by resampled items, by percentiles.
    metric : {"nominal", "ordinal", "interval", "ratio"}
        How far two ratings are apart.
    n_raters, n_items, n_ratings : int
        Raters; items with two ratings or more, and their ratings: others say nothing.
    alpha : float
        The probability that the interval misses, about, with many items.
    """

    value: float
    lower: float
    upper: float
    metric: Metric
    n_raters: int
    n_items: int
    n_ratings: int
    alpha: float

    _schema = "rankagg.krippendorff_alpha"

    def to_frame(self) -> pd.DataFrame:
        """Return one row: value, lower, upper."""
        return pd.DataFrame([self._plain("value", "lower", "upper")])

    def _content(self) -> dict[str, Any]:
        names = ("metric", "value", "lower", "upper", "alpha", "n_raters", "n_items", "n_ratings")
        return self._plain(*names)

    def _facts(self) -> list[str]:
        raters = stated(self.n_raters, "raters", noun="rater")
        items = stated(self.n_items, "items with two ratings or more", noun="item")
        ratings = stated(self.n_ratings, "ratings of these", ",", "rating")
        level = level_of(self.alpha)
        return [
            said("{} distances of {} of {} by {}", self.metric, ratings, items, raters),
            said("interval: {}, by resampled items", level),
        ]


def krippendorff_alpha(
    ratings: ArrayLike | pd.DataFrame,
    *,
    metric: Metric = "nominal",
    alpha: float = 0.05,
    n_resamples: int = 1000,
    rng: RNGLike = 0,
) -> KrippendorffAlpha:
    """Measure how far raters agree, whatever their number, and where ratings are missing.

    Parameters
    ----------
    ratings : array_like or DataFrame, shape (raters, items)
        NaN or None where a rater did not rate an item; texts are for "nominal".
    metric : {"nominal", "ordinal", "interval", "ratio"}, default "nominal"
        What counts between two ratings: that they differ; how many ratings lie between them; the
        square of their difference; the same, relative to their sum.
    alpha : float, default 0.05
        One less the level of the interval, in (0, 1).
    n_resamples : int, default 1000
        Resamples of the items.
    rng : int or numpy.random.Generator, default 0
        For these.

    Returns
    -------
    KrippendorffAlpha

    Raises
    ------
    InvalidInputError
        If no item has two ratings, or ratings are no numbers where these are needed.

    References
    ----------
    Krippendorff (2011), "Computing Krippendorff's alpha-reliability",
    https://repository.upenn.edu/handle/20.500.14332/2089.

    Examples
    --------
    >>> import rankagg as ra
    >>> ratings = [[1, 2, 3, 3, 2, 1], [1, 2, 3, 3, 2, 2], [None, 3, 3, 3, 2, 3]]
    >>> found = ra.inference.krippendorff_alpha(ratings, metric="ordinal", rng=0)
    >>> round(found.value, 3), found.n_items
    (0.593, 6)
    """
    kind = check_choice(metric, get_args(Metric), "metric")
    level, times = check_alpha(alpha), check_integer(n_resamples, "n_resamples", low=100)
    table, values = _coded(ratings, kind)
    n_raters = len(table)
    # How often each item has each value; items with one rating cannot disagree.
    table = table[:, (table >= 0).sum(axis=0) > 1]
    if not table.size:
        allowed = "items that two raters or more rated"
        raise InvalidInputError("ratings", allowed, Described("none"))
    items = np.broadcast_to(np.arange(table.shape[1]), table.shape)
    counts = np.zeros((table.shape[1], len(values)))
    np.add.at(counts, (items[table >= 0], table[table >= 0]), 1.0)
    found = _alpha_of(counts, np.ones(len(counts)), values, kind)
    draws = as_generator(rng).multinomial(len(counts), np.full(len(counts), 1 / len(counts)), times)
    drawn = np.array([_alpha_of(counts, w.astype(float), values, kind) for w in draws])
    ends = [np.nan] * 2
    if not np.isnan(drawn).all():
        ends = np.nanquantile(drawn, [level / 2, 1 - level / 2]).tolist()
    return KrippendorffAlpha(
        value=found,
        lower=ends[0],
        upper=ends[1],
        metric=kind,
        n_raters=n_raters,
        n_items=len(counts),
        n_ratings=int(counts.sum()),
        alpha=level,
    )


def _rated(ratings: Any, metric: str, parameter: str) -> pd.DataFrame:
    """Return ratings with a row per rater and a column per item, numbers unless nominal."""
    ratings = as_frame(ratings)
    if np.ndim(ratings) != 2:
        allowed = "a table, one row a rater and one column an item"
        raise InvalidInputError(parameter, allowed, ratings)
    frame = pd.DataFrame(ratings)
    if metric == "nominal":
        return frame
    try:
        return frame.astype(float)
    except (TypeError, ValueError):
        remedy = "Texts are for `krippendorff_alpha` with metric='nominal'."
        raise InvalidInputError(parameter, "numbers", ratings, remedy) from None


def _coded(ratings: Any, metric: str) -> tuple[Positions, Floats]:
    """Return the code of each rating, -1 where there is none, and what codes stand for."""
    frame = _rated(ratings, metric, "ratings")
    codes, values = pd.factorize(frame.to_numpy().ravel(), sort=metric != "nominal")
    if len(values) > MOST_VALUES:
        raise InvalidInputError("ratings", f"at most {MOST_VALUES} different ones", len(values))
    if metric == "nominal":
        values = np.arange(float(len(values)))
    elif np.isinf(values).any() or (metric == "ratio" and (values < 0).any()):
        allowed = "numbers from 0 on for metric='ratio'" if metric == "ratio" else "finite numbers"
        raise InvalidInputError("ratings", allowed, values.tolist())
    return codes.reshape(frame.shape), np.asarray(values, dtype=float)


def _apart(values: Floats, often: Floats, metric: str) -> Floats:
    """Return how far any two values are apart, squared."""
    if metric == "nominal":
        return 1.0 - np.eye(len(values))
    if metric == "ordinal":
        # What lies between two values, each of them by half.
        middle = np.cumsum(often) - often / 2
        return np.asarray(np.subtract.outer(middle, middle) ** 2)
    squares = np.subtract.outer(values, values) ** 2
    if metric == "ratio":
        sums = np.add.outer(values, values)
        squares = np.divide(squares, sums**2, out=np.zeros_like(squares), where=sums > 0)
    return np.asarray(squares)


def _alpha_of(counts: Floats, times: Floats, values: Floats, metric: str) -> float:
    """Return alpha where each item counts so many times."""
    often = times @ counts
    apart, n = _apart(values, often, metric), often.sum()
    expected = often @ apart @ often / (n - 1.0)
    within = ((counts @ apart) * counts).sum(axis=1) / (counts.sum(axis=1) - 1.0)
    return float(1.0 - times @ within / expected) if expected > 0 else float("nan")


class KendallW(Result):
    """Kendall's W, the coefficient of concordance: how far raters rank items alike.

    Made by `kendall_w`. It has no plot.

    Attributes
    ----------
    items : ItemSet
        The n items.
    rank_sums : ndarray of float, shape (n,)
        The sum of the mid-ranks of each item, from 1.
    kendall_w : float
        1 where raters agree, 0 where all items have the same sum.
    mean_spearman : float
        The average of Spearman's correlation over all pairs of raters that tell items apart; NaN
        where rankings lack items.
    n_raters, n_ranked : int
        The raters, and how many items each of them ranks.
    statistic : float
        Friedman's chi-square, or Durbin's where rankings lack items, corrected for ties.
    p_value : float
        The chance of so large a W if each rater's ranks were in random order.
    how : {"exact", "simulated", "chi-square"}
        Where the p-value is from.
    n_resamples : int
        Draws for it; 0 where nothing was drawn.
    """

    items: ItemSet
    rank_sums: Floats
    kendall_w: float
    mean_spearman: float
    n_raters: int
    n_ranked: int
    statistic: float
    p_value: float
    how: str
    n_resamples: int

    _schema = "rankagg.kendall_w"

    @property
    def df(self) -> int:
        """Degrees of freedom of the chi-square distribution, n - 1."""
        return len(self.items) - 1

    def to_frame(self) -> pd.DataFrame:
        """Return one row per item with its sum of ranks, the best first."""
        sums = pd.Series(self.rank_sums, index=pd.Index(list(self.items), name="item"))
        return sums.sort_values(kind="stable").to_frame("rank_sum")

    def _content(self) -> dict[str, Any]:
        what = self._plain("items", "rank_sums", "kendall_w", "mean_spearman", "n_raters")
        return what | self._plain("n_ranked", "statistic", "df", "p_value", "how", "n_resamples")

    def _facts(self) -> list[str]:
        raters = stated(self.n_raters, "raters", ",", "rater")
        items = stated(self.n_ranked, "items that each ranks", ",", of=len(self.items))
        w, chi2 = stated(self.kendall_w, "W", ".4g"), stated(self.statistic, "chi-square", ".4g")
        rho, df = stated(self.mean_spearman, "mean rho", "z.4g"), stated(self.df, "freedom")
        p_value = stated(self.p_value, "p-value", p_text)
        two = "" if np.isnan(self.mean_spearman) else said(", mean Spearman of two raters {}", rho)
        return [
            said(
                "{}, each ranks {} of {} items",
                raters,
                items,
                stated(len(self.items), "items", ","),
            ),
            said("Kendall  W {}{}", w, two),
            said("test     chi-square {}, df {}, p {} ({})", chi2, df, p_value, self.how),
        ]


def kendall_w(
    data: Profile | ScoreTable | ArrayLike | pd.DataFrame,
    *,
    tolerance: Tolerance = 0.0,
    n_resamples: int = 10_000,
    rng: RNGLike = 0,
) -> KendallW:
    """Measure and test how far raters rank items alike.

    Parameters
    ----------
    data : Profile, ScoreTable, array_like or DataFrame
        One ranking per rater, or scores that rank; or numbers as `krippendorff_alpha` takes them,
        one row a rater and one column an item, of which the smallest ranks first; NaN where there
        is none. Ties are allowed, and unlisted items tie at the end. Rankings may lack items where
        the design is balanced: each has as many, and every two items are together in as many
        rankings.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied; see `ScoreTable.rankings`.
    n_resamples : int, default 10,000
        Draws for the p-value where it is simulated, what was observed among them.
    rng : int or numpy.random.Generator, default 0
        For these.

    Returns
    -------
    KendallW

    Raises
    ------
    InvalidInputError
        If there are less than two items or raters, no ranking tells items apart, weights differ,
        rankings depend on each other by clusters, or the design is not balanced.

    Notes
    -----
    With S the sum of the squared deviations of the n sums of ranks from their mean, W is S over
    the largest possible: m^2 (n^3 - n)/12 - m sum (t^3 - t)/12 for m complete rankings with ties
    of t items; lambda^2 (n^3 - n)/12 in a balanced design with lambda rankings for every two
    items, without a correction for ties, which would lead above 1. The p-value is that of all
    orders of the ranks of each ranking where these can be counted, which few items or raters
    allow; else by random ones up to 50 raters, and by chi-square above.

    References
    ----------
    Kendall and Babington Smith (1939), https://doi.org/10.1214/aoms/1177732186; for balanced
    designs Durbin (1951), https://doi.org/10.1111/j.2044-8317.1951.tb00310.x.

    Examples
    --------
    >>> import rankagg as ra
    >>> found = ra.inference.kendall_w(ra.Profile.from_orders(["ABCD", "ABDC", "BACD"]), rng=0)
    >>> print(found)
    3 raters, each ranks 4 of 4 items
    Kendall  W 0.8222, mean Spearman of two raters 0.7333
    test     chi-square 7.4, df 3, p 0.033 (exact)
       rank_sum
    A     4.000
    B     5.000
    C    10.000
    D    11.000
    """
    if not isinstance(data, Profile | ScoreTable) and np.ndim(as_frame(data)) == 2:
        data = ScoreTable(_rated(data, "ordinal", "data").T, higher_is_better=False)
    profile, _ = rankings_of(data, tolerance, None)
    check_rankings(profile)
    if profile.clusters is not None or profile.n_rankings < 2:
        remedy = "`friedman` ranks the items of each cluster once."
        raise InvalidInputError("data", "two rankings or more, without clusters", profile, remedy)
    times, generator = check_integer(n_resamples, "n_resamples", low=100), as_generator(rng)
    counts, m, n, ranks = profile.counts, profile.n_rankings, profile.n_items, told_ranks(profile)
    ranked, together = _design(~np.isnan(ranks), counts)
    offsets = ranks - (ranked + 1.0) / 2.0
    sums, squares = np.nansum([counts[:, None] * offsets, counts[:, None] * offsets**2], axis=1)
    if not squares.any():
        raise InvalidInputError("data", "rankings that tell items apart", Described("ties alone"))
    deviation, spread = float(sums @ sums), float(squares.sum())
    most = m * spread if ranked == n else together**2 * (n**3 - n) / 12.0
    statistic = (n - 1) * deviation / spread
    p_value, how = float(scipy.stats.chi2.sf(statistic, n - 1)), "chi-square"
    if m < MANY:
        each = np.repeat(offsets, counts, axis=0)
        p_value, how = _exact_p_value(each, deviation), "exact"
        if np.isnan(p_value):
            p_value = simulated_p_value(each, np.eye(n), deviation, times, generator)
            how = "simulated"
    return KendallW(
        items=profile.items,
        rank_sums=sums + (ranked + 1.0) / 2.0 * (counts @ ~np.isnan(ranks)),
        kendall_w=min(deviation / most, 1.0),
        mean_spearman=_mean_spearman(offsets, counts),
        n_raters=m,
        n_ranked=ranked,
        statistic=statistic,
        p_value=p_value,
        how=how,
        n_resamples=times if how == "simulated" else 0,
    )


def _design(told: Bools, counts: Integers64) -> tuple[int, int]:
    """Return how many items each ranking has, and how many rankings every two items."""
    sizes, pairs = np.unique(told.sum(axis=1)), np.triu_indices(told.shape[1], 1)
    often = np.unique(((told * counts[:, None]).T @ told)[pairs])
    if len(sizes) > 1 or len(often) > 1:
        allowed = "rankings of as many items each, and of every two as often"
        remedy = "Take `krippendorff_alpha` with metric='ordinal', or `skillings_mack` for a test."
        raise InvalidInputError("data", allowed, Described("other gaps"), remedy)
    return int(sizes[0]), int(often[0])


def _mean_spearman(offsets: Floats, counts: Integers64) -> float:
    """Return the average correlation of two rankings that tell items apart; NaN with gaps."""
    lengths = np.sqrt((offsets**2).sum(axis=1))
    m = int(counts[lengths > 0].sum())
    if np.isnan(lengths).any() or m < 2:
        return float("nan")
    total = (counts / np.where(lengths > 0, lengths, np.inf)) @ offsets
    return (float(total @ total) - m) / (m * (m - 1.0))


def _exact_p_value(offsets: Floats, deviation: float) -> float:
    """Return the chance of so large a sum of squares; NaN with gaps, or too many sums.

    The ranks of the next ranking are in any order, so that sums of items may be sorted.
    """
    n = offsets.shape[1]
    if np.isnan(offsets).any() or factorial(n) > MOST_SUMS:
        return float("nan")
    rows, orders = np.round(2.0 * offsets).astype(int), np.array(list(permutations(range(n))))
    sums, chances = np.sort(rows[:1], axis=1), np.array([1.0])
    for row in rows[1:]:
        arranged = np.unique(row[orders], axis=0)
        if len(sums) * len(arranged) > MOST_SUMS:
            return float("nan")
        every = np.sort((sums[:, None] + arranged).reshape(-1, n), axis=1)
        shares = np.repeat(chances / len(arranged), len(arranged))
        sums, where = np.unique(every, axis=0, return_inverse=True)
        chances = np.asarray(np.bincount(where.ravel(), weights=shares))
    return min(float(chances[(sums**2).sum(axis=1) >= round(4.0 * deviation)].sum()), 1.0)
