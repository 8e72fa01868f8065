"""Tests of average ranks: Friedman with Kendall's W and Nemenyi, and Skillings and Mack."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, cast

import numpy as np
import pandas as pd
import scipy

from rankagg._typing import (
    Bools,
    Floats,
    Generator,
    Integers64,
    Label,
    Positions,
    RNGLike,
    Tolerance,
)
from rankagg._validation import as_generator, check_alpha, check_integer
from rankagg.core import (
    ROWS,
    ItemSet,
    Profile,
    Result,
    ScoreTable,
    are_level,
    counted,
    listed,
    p_text,
    places,
    quantity,
    sentence,
)
from rankagg.core.graphs import Parts, connected_parts
from rankagg.exceptions import Described, InvalidInputError
from rankagg.inference.units import Unit, Units, rankings_of

# Eigenvalues below this share of the largest one are 0 but for rounding.
NULL_SHARE = 1e-12
# Statistics that differ by less are equal, as 0 is.
ROUNDING = 1e-12
# Points that are held in random orders at a time.
NUMBERS_HELD = 2_000_000


def average_ranks(ranks: Floats, counts: Integers64) -> tuple[Floats, float]:
    """Average complete mid-ranks from 1; return Kendall's W too, NaN if every row ties all."""
    middle, size = (ranks.shape[1] + 1) / 2.0, sum(counts.tolist())
    # Halves of integers: their sums are exact.
    offsets = ranks - middle
    means = counts @ offsets / size
    # The sum of squares includes the correction for ties.
    squares = float(counts @ (offsets**2).sum(axis=1)) / size
    return middle + means, float(means @ means) / squares if squares else float("nan")


def neighbor_groups(ranks: Floats, differ: Bools) -> tuple[Positions, ...]:
    """Return the largest sets of items adjacent in rank in which no two items differ."""
    order = np.argsort(ranks, kind="stable")
    differs = np.triu(differ[np.ix_(order, order)], k=1)
    first = np.where(differs.any(axis=1), differs.argmax(axis=1), len(order))
    ends = np.minimum.accumulate(first[::-1])[::-1]
    # A set that ends where the previous one ends is part of it.
    return tuple(order[start : ends[start]] for start in np.flatnonzero(np.diff(ends, prepend=0)))


def _ranked_units(
    data: Profile | ScoreTable, unit: Unit, tolerance: Tolerance
) -> tuple[Profile, Units]:
    """Return at least two units of equal weight with rankings of at least two items."""
    profile, instances = rankings_of(data, tolerance)
    if profile.n_items < 2:
        raise InvalidInputError("data", "rankings of two items or more", profile)
    if not are_level(profile.weights):
        spread = Described(f"weights from {profile.weights.min():g} to {profile.weights.max():g}")
        remedy = (
            "Make them equal (a ScoreTable's with `with_task_weights({})`), or make "
            "`PairwiseIntervals`, which take weights."
        )
        raise InvalidInputError("data", "rankings of equal weight for this test", spread, remedy)
    units = Units.of(profile, unit=unit, instances=instances)
    if units.n_units < 2:
        size = Described(counted(units.n_units, units.unit))
        raise InvalidInputError("data", f"two {units.unit}s or more", size)
    return profile, units


def _mid_ranks(profile: Profile, units: Units) -> tuple[Floats, Integers64]:
    """Return the mid-ranks from 1 in each unit (NaN: unranked), and how often each row occurs.

    Unlisted items tie at the end. A unit of several rankings ranks items by their average rank.
    """
    ranks, counts = places.mid_ranks(profile.ranks) + 1.0, profile.counts
    clusters = units.clusters
    if clusters is None:
        return ranks, counts
    is_ranked = ~np.isnan(ranks)
    sums, numbers = np.zeros((2, int(clusters.max()) + 1, profile.n_items))
    np.add.at(sums, clusters, np.where(is_ranked, ranks, 0.0) * counts[:, None])
    np.add.at(numbers, clusters, is_ranked * counts[:, None])
    if ((numbers > 0) & (numbers < np.bincount(clusters, weights=counts)[:, None])).any():
        problem = Described("items that only some rankings of a unit have")
        raise InvalidInputError(
            "data",
            "rankings of the same items within every unit",
            problem,
            "Average ranks among different items are not comparable: leave these items out of "
            "the unit, or take `unit='ranking'` where rankings are independent.",
        )
    with np.errstate(invalid="ignore"):
        averages = np.round(sums / numbers, 9)
    ranks = places.mid_ranks(places.competition_ranks(averages)) + 1.0
    return ranks, np.ones(len(ranks), dtype=np.int64)


class _AverageRankTest(Result):
    """A test of whether all items have the same average rank, with comparisons of pairs."""

    items: ItemSet
    average_ranks: Floats
    n_rankings: int
    unit: Unit
    notes: tuple[str, ...]

    _plot = "critical_difference_diagram"

    @property
    @abstractmethod
    def _errors(self) -> Floats:
        """Standard errors of the differences of average ranks, of a shape that broadcasts."""

    @property
    @abstractmethod
    def _result(self) -> str:
        """The statistic and its p-value, for `repr`."""

    @property
    def _ranges(self) -> Floats:
        """Differences of average ranks, in units of the studentized range, shape (k, k)."""
        gaps = np.abs(self.average_ranks[:, None] - self.average_ranks)
        with np.errstate(invalid="ignore"):
            ranges: Floats = gaps / (self._errors / np.sqrt(2.0))
        return np.nan_to_num(ranges, nan=0.0, posinf=np.inf)

    def _quantile(self, alpha: float) -> float:
        level = 1.0 - check_alpha(alpha)
        return float(scipy.stats.studentized_range.ppf(level, len(self.items), np.inf))

    def groups(self, alpha: float = 0.05) -> tuple[tuple[Label, ...], ...]:
        """Return the largest sets of items, adjacent by average rank, without a difference.

        The best comes first; sets may overlap. A critical-difference diagram draws a bar for each
        set of two or more items.

        Parameters
        ----------
        alpha : float, default 0.05
            Family-wise error rate, in (0, 1).
        """
        sets = neighbor_groups(self.average_ranks, self._ranges > self._quantile(alpha))
        return tuple(tuple(self.items.at(each)) for each in sets)

    def p_values(self) -> pd.DataFrame:
        """Return p-values by Nemenyi's method, adjusted for all pairs: items by items."""
        distinct, where = np.unique(self._ranges, return_inverse=True)
        tails = scipy.stats.studentized_range.sf(distinct, len(self.items), np.inf)
        values = np.clip(tails, 0.0, 1.0)[where].reshape([len(self.items)] * 2)
        np.fill_diagonal(values, 1.0)
        labels = pd.Index(list(self.items), name="item")
        return pd.DataFrame(values, index=labels, columns=labels.rename(None))

    def _lines(self, *results: str) -> list[str]:
        items = quantity(len(self.items), "items", noun="item")
        rankings = quantity(self.n_rankings, "rankings", noun="ranking")
        first = sentence("{} in {}; independent: {}s", items, rankings, self.unit)
        return [first, *(sentence("note: {}", note) for note in self.notes), *results]

    def __repr__(self) -> str:
        size = f"{counted(len(self.items), 'item')} in {counted(self.n_rankings, 'ranking')}"
        return f"<{type(self).__name__} of {size}: {self._result}>"


class FriedmanTest(_AverageRankTest):
    """Friedman's test: whether all items rank alike in independent complete rankings.

    Made by `friedman`; `plot` draws a `rankagg.plotting.critical_difference_diagram`.

    Attributes
    ----------
    items : ItemSet
        The k items.
    average_ranks : ndarray of float, shape (k,)
        Mean rank of each item, from 1, with mid-ranks for ties.
    n_rankings : int
        N, the number of independent rankings: one per unit, repetitions included.
    kendall_w : float
        Kendall's coefficient of concordance W, corrected for ties: 1 where all rankings are
        equal, 0 where all average ranks are.
    unit : {"ranking", "instance", "task"}
        The independent unit.
    notes : tuple of str
        Remarks on the data.
    """

    kendall_w: float

    _schema = "rankagg.friedman"
    _best: ClassVar = {"average_rank": "lowest"}

    @property
    def df(self) -> int:
        """Degrees of freedom of chi-square, k - 1."""
        return len(self.items) - 1

    @property
    def statistic(self) -> float:
        """Friedman's chi-square, corrected for ties: N(k - 1)W."""
        return self.n_rankings * self.df * self.kendall_w

    @property
    def p_value(self) -> float:
        """Asymptotic p-value of chi-square."""
        return float(scipy.stats.chi2.sf(self.statistic, self.df))

    @property
    def f_df(self) -> tuple[int, int]:
        """Degrees of freedom of F, k - 1 and (k - 1)(N - 1)."""
        return self.df, self.df * (self.n_rankings - 1)

    @property
    def f_statistic(self) -> float:
        """Iman and Davenport's F, (N - 1)W/(1 - W); infinite where all rankings are equal."""
        rest = 1.0 - self.kendall_w
        return (self.n_rankings - 1) * self.kendall_w / rest if rest > 0 else float("inf")

    @property
    def f_p_value(self) -> float:
        """P-value of F, more accurate than that of chi-square for few rankings."""
        return float(scipy.stats.f.sf(self.f_statistic, *self.f_df))

    def critical_difference(self, alpha: float = 0.05) -> float:
        """Return Nemenyi's critical difference, q sqrt(k(k + 1)/(6N)), in ranks.

        q is the upper quantile of the range of k normal variables, divided by sqrt(2). If all
        items rank alike, some two average ranks differ by more with probability `alpha`. Ties,
        which would make it smaller, are ignored.

        Parameters
        ----------
        alpha : float, default 0.05
            Family-wise error rate, in (0, 1).
        """
        return float(self._quantile(alpha) * self._errors / np.sqrt(2.0))

    @property
    def _errors(self) -> Floats:
        k = len(self.items)
        return np.asarray(np.sqrt(k * (k + 1) / (6.0 * self.n_rankings)))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per item with its average rank, the best first."""
        return pd.DataFrame(
            {"average_rank": self.average_ranks}, index=pd.Index(list(self.items), name="item")
        ).sort_values("average_rank", kind="stable")

    def _content(self) -> dict[str, Any]:
        data = self._plain("items", "average_ranks", "n_rankings", "unit", "kendall_w", "statistic")
        return data | self._plain("df", "p_value", "f_statistic", "f_df", "f_p_value", "notes")

    def summary(self, *, alpha: float = 0.05, rows: int | None = ROWS) -> str:
        """Return the test as text.

        Parameters
        ----------
        alpha : float, default 0.05
            Family-wise error rate of the groups, in (0, 1).
        rows : int or None, default 30
            How many items, and how many groups, to print at most; None prints all.
        """
        return self._text(self._facts(alpha, rows), rows)

    def _facts(self, alpha: float = 0.05, rows: int | None = ROWS) -> list[str]:
        groups = [listed(group) for group in self.groups(alpha) if len(group) > 1]
        chi2 = quantity(self.statistic, "chi-square", ".4g")
        f = quantity(self.f_statistic, "F", ".4g")
        p = quantity(self.p_value, "p-value", p_text)
        p_of_f = quantity(self.f_p_value, "p of F", p_text)
        df, rest = quantity(self.df, "freedom"), quantity(self.f_df[1], "freedom of the rest")
        critical = quantity(self.critical_difference(alpha), "critical difference", ".4g")
        level, w = quantity(alpha, "alpha", "g"), quantity(self.kendall_w, "Kendall's W", ".4g")
        return self._lines(
            sentence("Friedman         chi-square {}, df {}, p {}", chi2, df, p),
            sentence("Iman, Davenport  F {}, df {} and {}, p {}", f, df, rest, p_of_f),
            sentence("Kendall          W {}", w),
            sentence("Nemenyi          critical difference {} at alpha {}", critical, level),
            *(f"not separated    {group}" for group in groups[:rows]),
        )

    @property
    def _result(self) -> str:
        p = p_text(self.p_value)
        return f"chi-square {self.statistic:.4g}, p {p}, W = {self.kendall_w:.3g}"


def friedman(
    data: Profile | ScoreTable, *, unit: Unit = "ranking", tolerance: Tolerance = 0.0
) -> FriedmanTest:
    """Test whether all items rank alike, from independent complete rankings.

    Parameters
    ----------
    data : Profile or ScoreTable
        Complete rankings, ties allowed, or scores; counts are independent repetitions.
    unit : {"ranking", "instance", "task"}, default "ranking"
        The independent unit: a ranking, or all rankings of an instance or task, which then rank
        the items once, by average rank.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied; see `ScoreTable.rankings`.

    Notes
    -----
    With R_i the average mid-rank of item i of k in N rankings, and t over the sizes of groups of
    tied items in all of them, Kendall's W is

        12 N^2 sum_i (R_i - (k + 1)/2)^2 / (N^2 (k^3 - k) - N sum_t (t^3 - t)),

    chi-square is N(k - 1)W and F is (N - 1)W/(1 - W). The p-values are asymptotic in N.

    References
    ----------
    Friedman (1937), https://doi.org/10.1080/01621459.1937.10503522; Kendall and Babington Smith
    (1939), https://doi.org/10.1214/aoms/1177732186; Iman and Davenport (1980),
    https://doi.org/10.1080/03610928008827904; Nemenyi (1963), "Distribution-free multiple
    comparisons", thesis, Princeton University; and for all of them Demšar (2006), "Statistical
    comparisons of classifiers over multiple data sets", Journal of Machine Learning Research 7.

    Examples
    --------
    >>> import rankagg as ra
    >>> test = ra.inference.friedman(ra.datasets.load("superglue_human"))
    >>> test
    <FriedmanTest of 6 items in 10 rankings: chi-square 25.92, p 9.25e-05, W = 0.518>
    >>> round(test.critical_difference(alpha=0.05), 3)
    2.384
    >>> test.groups(alpha=0.05)[1:]
    (('T5 + Meena', 'T5', 'PAI Albert'), ('T5', 'PAI Albert', 'NEZHA Plus'))
    """
    profile, units = _ranked_units(data, unit, tolerance)
    is_complete = (profile.ranks >= 0).all(axis=1)
    if not is_complete.all():
        gaps = int(profile.counts[~is_complete].sum(dtype=object))
        problem = Described(f"{gaps} incomplete ones of {profile.n_rankings}")
        remedy = (
            "Leave out these rankings or the items that they lack, take `skillings_mack`, or make "
            "`PairwiseIntervals`, which compare the two items of a pair where both are ranked."
        )
        raise InvalidInputError("data", "complete rankings for Friedman's test", problem, remedy)
    ranks, counts = _mid_ranks(profile, units)
    averages, w = average_ranks(ranks, counts)
    if np.isnan(w):
        problem = Described(f"a tie of all in every {unit}")
        raise InvalidInputError("data", "rankings that order some items", problem)
    return FriedmanTest(
        items=profile.items,
        average_ranks=averages,
        n_rankings=int(counts.sum(dtype=object)),
        kendall_w=w,
        unit=units.unit,
        notes=units.notes,
    )


class SkillingsMackTest(_AverageRankTest):
    """Skillings and Mack's test: whether all items rank alike in rankings that may lack some.

    Made by `skillings_mack`; `plot` draws a `rankagg.plotting.critical_difference_diagram`.

    Attributes
    ----------
    items : ItemSet
        The k items.
    average_points : ndarray of float, shape (k,)
        Points of each item per unit that ranks it: above 0 for ranks better than by chance; NaN
        where no unit ranks it.
    average_ranks : ndarray of float, shape (k,)
        Average ranks, adjusted by least squares for the items that each is ranked with; Friedman's
        where nothing is missing. NaN for an item that is never ranked with another.
    errors : ndarray of float, shape (k, k)
        Standard errors of differences of average ranks, if all items rank alike; NaN between items
        that no chain of units connects.
    n_ranked : ndarray of int, shape (k,)
        Number of units that rank each item.
    n_rankings : int
        Number of independent units.
    statistic : float
        The test statistic; Friedman's chi-square where nothing is missing.
    df : int
        Degrees of freedom: items less connected parts.
    p_value : float
        By random orders within units, or by the chi-square distribution.
    n_resamples : int
        Number of random orders, the observed one included; 0 for chi-square.
    unit : {"ranking", "instance", "task"}
        The independent unit.
    notes : tuple of str
        Remarks on the data.
    """

    average_points: Floats
    errors: Floats
    n_ranked: Positions
    statistic: float
    df: int
    p_value: float
    n_resamples: int

    _schema = "rankagg.skillings_mack"

    @property
    def _errors(self) -> Floats:
        return self.errors

    def to_frame(self) -> pd.DataFrame:
        """Return one row per item: points per unit and number of units, the best first."""
        columns = {"average_points": self.average_points, "n_ranked": self.n_ranked}
        frame = pd.DataFrame(columns, index=pd.Index(list(self.items), name="item"))
        return frame.sort_values("average_points", ascending=False, kind="stable")

    def _content(self) -> dict[str, Any]:
        data = self._plain("items", "average_points", "n_ranked", "n_rankings", "unit")
        return data | self._plain("statistic", "df", "p_value", "n_resamples", "notes")

    def _facts(self) -> list[str]:
        value, df = quantity(self.statistic, "Skillings-Mack", ".4g"), quantity(self.df, "freedom")
        p_value, method = quantity(self.p_value, "p-value", p_text), "by chi-square"
        if self.n_resamples:
            p_value = quantity(self.p_value, "simulated p-value", p_text)
            draws = quantity(self.n_resamples, "draws", noun="draw")
            method = sentence("by {} of orders within {}s", draws, self.unit)
        return self._lines(
            sentence("Skillings, Mack  {}, df {}, p {} {}", value, df, p_value, method)
        )

    @property
    def _result(self) -> str:
        method = "simulated" if self.n_resamples else "chi-square"
        return f"{self.statistic:.4g}, df {self.df}, p {p_text(self.p_value)} ({method})"


def skillings_mack(
    data: Profile | ScoreTable,
    *,
    unit: Unit = "ranking",
    tolerance: Tolerance = 0.0,
    n_resamples: int | None = None,
    rng: RNGLike = None,
) -> SkillingsMackTest:
    """Test whether all items rank alike, from independent rankings that may lack items.

    Parameters
    ----------
    data : Profile or ScoreTable
        Rankings, or scores; which items are missing must not depend on how good they are. Counts
        are independent repetitions.
    unit : {"ranking", "instance", "task"}, default "ranking"
        The independent unit: a ranking, or all rankings of an instance or task, which then rank
        their items once, by average rank, and must have the same items.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied; see `ScoreTable.rankings`.
    n_resamples : int, optional
        Random orders of the ranks within units for the p-value, the observed one included. By
        default 10,000 with up to 50 units; with more units none, and chi-square.
    rng : int or numpy.random.Generator, optional
        For the random orders.

    Notes
    -----
    An item with mid-rank r among the k of a unit gets sqrt(12/(k + 1)) ((k + 1)/2 - r) points, a
    missing one none. The statistic is A' S^- A, with A the sums of points and S their covariance
    if all orders are equally likely. Ties reduce S by 1 - sum (t^3 - t)/(k^3 - k) in a unit;
    without gaps the statistic is then Friedman's chi-square. Items that no chain of units connects
    are compared within their parts only, with fewer degrees of freedom.

    `p_value` by random orders is exact for independent units. `SkillingsMackTest.p_values`, of
    pairs, is asymptotic in the units. In 4,000 simulated tables each without any difference, with
    12 items and half of the scores missing, the family-wise error rate at 0.05 was
    .006, .017, .043 and .048 with 6, 10, 20 and 40 units.

    References
    ----------
    Skillings and Mack (1981), "On the use of a Friedman-type statistic in balanced and unbalanced
    block designs", https://doi.org/10.1080/00401706.1981.10486261; Chatfield and Mander (2009),
    "The Skillings-Mack test (Friedman test when there are missing data)",
    https://doi.org/10.1177/1536867X0900900208, for simulated p-values.

    Examples
    --------
    >>> import rankagg as ra
    >>> ra.inference.skillings_mack(ra.datasets.load("superglue_human"), rng=0)
    <SkillingsMackTest of 6 items in 10 rankings: 25.92, df 5, p 0.0001 (simulated)>
    >>> ra.inference.friedman(ra.datasets.load("superglue_human")).statistic.__round__(2)
    25.92
    """
    profile, units = _ranked_units(data, unit, tolerance)
    ranks, counts = _mid_ranks(profile, units)
    ranks, where = np.unique(ranks, axis=0, return_inverse=True)
    counts = np.bincount(where.ravel(), weights=counts).astype(np.int64)
    points, spread = _centered_points(ranks)
    if not spread.any():
        problem = Described(f"a tie, or one item alone, in every {units.unit}")
        raise InvalidInputError("data", "rankings that order two items", problem)
    is_ranked, k = ~np.isnan(ranks), len(profile.items)
    covariance = _covariance(is_ranked, spread * counts)
    parts = connected_parts(covariance < 0)
    inverse = cast(Floats, np.linalg.pinv(covariance, NULL_SHARE, hermitian=True))
    sums = counts @ points
    statistic, df = float(sums @ inverse @ sums), k - len(np.unique(parts))
    times = 10_000 if units.n_units <= 50 else 0
    if n_resamples is not None:
        times = check_integer(n_resamples, "n_resamples", low=100)
    p_value = float(scipy.stats.chi2.sf(statistic, df))
    if times:
        rows = np.repeat(np.where(is_ranked, points, np.nan), counts, axis=0)
        p_value = _simulated_p_value(rows, inverse, statistic, times, as_generator(rng))
    n_ranked = (is_ranked.T @ counts).astype(np.intp)
    with np.errstate(invalid="ignore"):
        average_points = sums / n_ranked
    # Points as ranks in a unit with all items; ties change only the errors.
    solved = np.linalg.pinv(_covariance(is_ranked, counts), NULL_SHARE, hermitian=True)
    solved *= k * np.sqrt((k + 1.0) / 12.0)
    is_alone = np.bincount(parts)[parts] == 1
    of_ranks = solved @ covariance @ solved
    variances = np.diag(of_ranks)[:, None] + np.diag(of_ranks) - 2.0 * of_ranks
    return SkillingsMackTest(
        items=profile.items,
        average_points=average_points,
        average_ranks=np.where(is_alone, np.nan, (k + 1.0) / 2.0 - solved @ sums),
        errors=np.where(parts[:, None] == parts, np.sqrt(np.maximum(variances, 0.0)), np.nan),
        n_ranked=n_ranked,
        n_rankings=units.n_units,
        statistic=statistic,
        df=df,
        p_value=p_value,
        n_resamples=times,
        unit=units.unit,
        notes=(*units.notes, *_part_notes(parts)),
    )


def _centered_points(ranks: Floats) -> tuple[Floats, Floats]:
    """Return the points in each unit, and their variance over k - 1, 0 if all are tied.

    Without ties the sum of squared points is k(k - 1), and the covariance in a unit is k times
    the identity less one.
    """
    is_ranked = ~np.isnan(ranks)
    k = is_ranked.sum(axis=1, keepdims=True)
    points = np.where(is_ranked, np.sqrt(12.0 / (k + 1.0)) * ((k + 1.0) / 2.0 - ranks), 0.0)
    untied = (k * (k - 1.0))[:, 0]
    squares = (points**2).sum(axis=1)
    return points, np.divide(squares, untied, out=np.zeros(len(ranks)), where=untied > 0)


def _covariance(is_ranked: Bools, weights: Floats | Integers64) -> Floats:
    """Return the covariance of the sums of points, by the weight of each unit."""
    together = (is_ranked * weights[:, None]).T @ is_ranked.astype(np.float64)
    np.fill_diagonal(together, 0.0)
    return np.asarray(np.diag(together.sum(axis=1)) - together, dtype=np.float64)


def _simulated_p_value(
    points: Floats, inverse: Floats, statistic: float, times: int, rng: Generator
) -> float:
    """Return the share of random orders with as large a statistic, the observed one included."""
    n, reached, done = points.shape[1], 1, 1
    while done < times:
        size = min(max(1, NUMBERS_HELD // n), times - done)
        sums = np.zeros((size, n))
        for row in points:
            at = np.flatnonzero(~np.isnan(row))
            sums[:, at] += rng.permuted(np.broadcast_to(row[at], (size, len(at))), axis=1)
        drawn = ((sums @ inverse) * sums).sum(axis=1)
        # Equal up to rounding counts as reached.
        reached += int((drawn >= statistic * (1.0 - 1e-9) - ROUNDING).sum())
        done += size
    return reached / times


def _part_notes(parts: Parts) -> Iterator[str]:
    sizes = np.unique(parts, return_counts=True)[1]
    alone, several = int((sizes == 1).sum()), int((sizes > 1).sum())
    if several > 1:
        text = "no chain of rankings links {} of the items, which are compared within each"
        yield sentence(text, quantity(several, "parts that nothing links", noun="part"))
    if alone:
        items = quantity(alone, "items compared with no other", noun="item", of=len(parts))
        yield sentence("{} {} compared with no other", items, "is" if alone == 1 else "are")
