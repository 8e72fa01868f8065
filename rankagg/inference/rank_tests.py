"""Rank tests of whether items rank alike: Friedman, Kendall's W, Nemenyi, Skillings and Mack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, cast

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
    Ranks,
    RNGLike,
    Tolerance,
)
from rankagg._validation import as_generator, check_alpha, check_integer
from rankagg.core import (
    ROWS,
    UNLISTED,
    UNRANKED,
    Direction,
    ItemSet,
    Profile,
    Result,
    ScoreTable,
    are_level,
    counted,
    frozen_array,
    listed,
    p_text,
    places,
    said,
    stated,
)
from rankagg.core.graphs import Parts, connected_parts
from rankagg.exceptions import Described, InvalidInputError
from rankagg.inference.units import Unit, Units, rankings_of

# Eigenvalues below this share of the largest one are 0 but for rounding.
NULL_SHARE = 1e-12


class _AverageRanks(NamedTuple):
    """What Friedman's test needs to know of some rankings."""

    # Shape (n,). The average mid-rank of each item, from 1; read-only.
    values: Floats
    # How many rankings, repeated ones included.
    n_rankings: int
    # Kendall's W with its correction for ties; NaN where every ranking ties all items.
    kendall_w: float


def average_ranks(ranks: Ranks, counts: Integers64) -> _AverageRanks:
    """Average the mid-ranks of complete rankings."""
    n, size = ranks.shape[1], sum(counts.tolist())
    # Twice the distance from the middle: sums of whole numbers are exact.
    offsets = 2.0 * places.mid_ranks(ranks) - (n - 1)
    means = counts @ offsets / size
    # Its squares hold the correction for ties.
    squares = float(counts @ (offsets**2).sum(axis=1)) / size
    concordance = float(means @ means) / squares if squares else float("nan")
    return _AverageRanks(cast(Floats, frozen_array((n + 1 + means) / 2)), size, concordance)


def alike_in_order(ranks: Floats, apart: Bools) -> tuple[Positions, ...]:
    """Return the largest sets of items next to each other by rank, no two of them told apart."""
    order = np.argsort(ranks, kind="stable")
    n = len(order)
    told = np.triu(apart[np.ix_(order, order)], k=1)
    first = np.where(told.any(axis=1), told.argmax(axis=1), n)
    ends = np.minimum.accumulate(first[::-1])[::-1]
    # A set that ends where the one before it ends is part of that one.
    starts = np.flatnonzero(np.diff(ends, prepend=0))
    return tuple(order[start : ends[start]] for start in starts)


def _unit_mid_ranks(values: Floats) -> Floats:
    """Return mid-ranks from 1 of the numbers of each row, NaN where there is none."""
    mid = scipy.stats.rankdata(np.round(values, 9), axis=1, nan_policy="omit")
    return np.where(np.isnan(values), np.nan, mid)


def _told_ranks(profile: Profile) -> Floats:
    """Return mid-ranks from 1, NaN where an item is not ranked; unlisted items tie at the end."""
    ranks = np.where(profile.ranks == UNLISTED, profile.ranks.max() + 1.0, profile.ranks)
    return _unit_mid_ranks(np.where(profile.ranks == UNRANKED, np.nan, ranks))


def _averaged_units(ranks: Floats, counts: Integers64, units: Positions) -> Floats:
    """Return the average mid-rank of each item in each unit, NaN where it is in none of it."""
    mid = _unit_mid_ranks(ranks)
    told = ~np.isnan(mid)
    sums, often = np.zeros((2, int(units.max()) + 1, mid.shape[1]))
    np.add.at(sums, units, np.where(told, mid, 0.0) * counts[:, None])
    np.add.at(often, units, told * counts[:, None])
    total = np.bincount(units, weights=counts)[:, None]
    if ((often > 0) & (often < total)).any():
        found = Described("items that only some rankings of a unit have")
        remedy = (
            "Average ranks among different items are not comparable: leave these items out of "
            "the unit, or take `unit='ranking'` where rankings are independent."
        )
        allowed = "rankings of the same items within every unit"
        raise InvalidInputError("data", allowed, found, remedy)
    with np.errstate(invalid="ignore"):
        return sums / often


def _ranked_units(
    data: Profile | ScoreTable, unit: Unit, tolerance: Tolerance
) -> tuple[Profile, Units]:
    """Return rankings of equal weight of two items or more, and their two units or more."""
    profile, known = rankings_of(data, tolerance)
    if profile.n_items < 2:
        raise InvalidInputError("data", "rankings of two items or more", profile)
    if not are_level(profile.weights):
        spread = Described(f"weights from {profile.weights.min():g} to {profile.weights.max():g}")
        remedy = (
            "Make them equal (a ScoreTable's with `with_task_weights({})`), or make "
            "`PairwiseIntervals`, which take weights."
        )
        raise InvalidInputError("data", "rankings of equal weight for this test", spread, remedy)
    units = Units.of(profile, unit=unit, instances=known)
    if units.n_units < 2:
        found = Described(counted(units.n_units, units.unit))
        raise InvalidInputError("data", f"two {units.unit}s or more", found)
    return profile, units


class FriedmanTest(Result):
    """Friedman's test: whether all items rank alike in independent complete rankings.

    Made by `friedman`; `plot` draws a `rankagg.plotting.critical_difference_diagram`.

    Attributes
    ----------
    items : ItemSet
        The k items.
    average_ranks : ndarray of float, shape (k,)
        The mean rank of each item, from 1, with mid-ranks for ties.
    n_rankings : int
        N, the number of independent rankings: one per unit, repeated ones included.
    kendall_w : float
        Kendall's coefficient of concordance W, corrected for ties: 1 where all rankings are
        equal, 0 where all average ranks are.
    unit : {"ranking", "instance", "task"}
        What was taken to be independent.
    notes : tuple of str
        What the reader must know.
    """

    items: ItemSet
    average_ranks: Floats
    n_rankings: int
    kendall_w: float
    unit: Unit
    notes: tuple[str, ...]

    _schema = "rankagg.friedman"
    _plot = "critical_difference_diagram"
    _best: ClassVar[Mapping[str, Direction]] = {"average_rank": "lowest"}

    # -- whether all are alike ----------------------------------------------------------------

    @property
    def df(self) -> int:
        """Degrees of freedom of the chi-square distribution, k - 1."""
        return len(self.items) - 1

    @property
    def statistic(self) -> float:
        """Friedman's chi-square, corrected for ties: N(k - 1)W."""
        return self.n_rankings * self.df * self.kendall_w

    @property
    def p_value(self) -> float:
        """The chance of so large a chi-square if all items rank alike, for many rankings."""
        return float(scipy.stats.chi2.sf(self.statistic, self.df))

    @property
    def f_df(self) -> tuple[int, int]:
        """Degrees of freedom of the F distribution, k - 1 and (k - 1)(N - 1)."""
        return self.df, self.df * (self.n_rankings - 1)

    @property
    def f_statistic(self) -> float:
        """The F of Iman and Davenport, (N - 1)W/(1 - W); infinite where all rankings are equal."""
        rest = 1.0 - self.kendall_w
        return (self.n_rankings - 1) * self.kendall_w / rest if rest > 0 else float("inf")

    @property
    def f_p_value(self) -> float:
        """The chance of so large an F if all items rank alike; for few rankings the better one."""
        return float(scipy.stats.f.sf(self.f_statistic, *self.f_df))

    # -- which are not ------------------------------------------------------------------------

    def critical_difference(self, alpha: float = 0.05) -> float:
        """Return Nemenyi's critical difference, q sqrt(k(k + 1)/(6N)), in ranks.

        q is the upper quantile of the range of k normal variables, divided by sqrt(2). With
        probability `alpha` two average ranks differ by more if all items rank alike.
        Ties would make the difference smaller; they are not looked at.

        Parameters
        ----------
        alpha : float, default 0.05
            The family-wise error rate, in (0, 1).
        """
        level = 1.0 - check_alpha(alpha)
        quantile = float(scipy.stats.studentized_range.ppf(level, len(self.items), np.inf))
        return quantile * self._scale

    @property
    def _scale(self) -> float:
        """The standard deviation of an average rank without ties, times sqrt(k/(k - 1)).

        Average ranks sum to a constant; this is what they would have as independent numbers.
        """
        k = len(self.items)
        return float(np.sqrt(k * (k + 1) / (12.0 * self.n_rankings)))

    def groups(self, alpha: float = 0.05) -> tuple[tuple[Label, ...], ...]:
        """Return the sets of items that the critical difference does not tell apart.

        They are the largest sets of items, next to each other by average rank, in which no two
        differ by more; the best first. They may overlap. A critical-difference diagram draws a bar
        for each set of two items or more.

        Parameters
        ----------
        alpha : float, default 0.05
            The family-wise error rate, in (0, 1).
        """
        gaps = np.abs(self.average_ranks[:, None] - self.average_ranks)
        sets = alike_in_order(self.average_ranks, gaps > self.critical_difference(alpha))
        return tuple(tuple(self.items.at(of)) for of in sets)

    def p_values(self) -> pd.DataFrame:
        """Return Nemenyi's p-value of each pair, adjusted for all pairs: items by items.

        It is below alpha where two average ranks differ by more than the critical difference.
        """
        return _nemenyi(self.items, self.average_ranks, np.full((1, 1), self._scale))

    # -- how it looks -------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return one row per item with its average rank, the best first."""
        index = pd.Index(list(self.items), name="item")
        frame = pd.DataFrame({"average_rank": self.average_ranks}, index=index)
        return frame.sort_values("average_rank", kind="stable")

    def _content(self) -> dict[str, Any]:
        what = self._plain("items", "average_ranks", "n_rankings", "unit", "kendall_w", "statistic")
        return what | self._plain("df", "p_value", "f_statistic", "f_df", "f_p_value", "notes")

    def summary(self, *, alpha: float = 0.05, rows: int | None = ROWS) -> str:
        """Return the test as text.

        Parameters
        ----------
        alpha : float, default 0.05
            The family-wise error rate, in (0, 1).
        rows : int or None, default 30
            How many items, and how many groups, to print at most; None prints all.
        """
        return self._text(self._facts(alpha, rows), rows)

    def _facts(self, alpha: float = 0.05, rows: int | None = ROWS) -> list[str]:
        groups = [listed(group) for group in self.groups(alpha) if len(group) > 1]
        items = stated(len(self.items), "items", noun="item")
        rankings = stated(self.n_rankings, "rankings", noun="ranking")
        chi2, f = stated(self.statistic, "chi-square", ".4g"), stated(self.f_statistic, "F", ".4g")
        p, p_of_f = (
            stated(self.p_value, "p-value", p_text),
            stated(self.f_p_value, "p of F", p_text),
        )
        df, rest = stated(self.df, "freedom"), stated(self.f_df[1], "freedom of the rest")
        critical = stated(self.critical_difference(alpha), "critical difference", ".4g")
        level, w = stated(alpha, "alpha", "g"), stated(self.kendall_w, "Kendall's W", ".4g")
        return [
            said("{} in {}; independent: {}s", items, rankings, self.unit),
            *(said("note: {}", note) for note in self.notes),
            said("Friedman         chi-square {}, df {}, p {}", chi2, df, p),
            said("Iman, Davenport  F {}, df {} and {}, p {}", f, df, rest, p_of_f),
            said("Kendall          W {}", w),
            said("Nemenyi          critical difference {} at alpha {}", critical, level),
            *(f"not told apart   {group}" for group in groups[:rows]),
        ]

    def __repr__(self) -> str:
        return (
            f"<FriedmanTest of {counted(len(self.items), 'item')} in "
            f"{counted(self.n_rankings, 'ranking')}: "
            f"chi-square {self.statistic:.4g}, p {p_text(self.p_value)}, W = {self.kendall_w:.3g}>"
        )


def friedman(
    data: Profile | ScoreTable,
    *,
    unit: Unit = "ranking",
    tolerance: Tolerance = 0.0,
) -> FriedmanTest:
    """Test whether all items rank alike, from independent complete rankings.

    Parameters
    ----------
    data : Profile or ScoreTable
        Complete rankings, ties allowed; counts are independent repetitions. Or scores that rank.
    unit : {"ranking", "instance", "task"}, default "ranking"
        What is independent: each ranking, or each instance or task. Then the items of a unit are
        ranked once, by their average rank in its rankings.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied; see `ScoreTable.rankings`.

    Notes
    -----
    With R_i the average mid-rank of item i of k in N rankings, and t over the sizes of groups of
    tied items in all of them, Kendall's W is

        12 N^2 sum_i (R_i - (k + 1)/2)^2 / (N^2 (k^3 - k) - N sum_t (t^3 - t)),

    chi-square is N(k - 1)W and F is (N - 1)W/(1 - W). These distributions hold for many rankings.

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
    complete = (profile.ranks >= 0).all(axis=1)
    if not complete.all():
        gaps = int(profile.counts[~complete].sum(dtype=object))
        found = Described(f"{gaps} incomplete ones of {profile.n_rankings}")
        remedy = (
            "Leave out these rankings or the items that they lack, take `skillings_mack`, or make "
            "`PairwiseIntervals`, which compare the two items of a pair where both are ranked."
        )
        raise InvalidInputError("data", "complete rankings for Friedman's test", found, remedy)
    ranks, counts = profile.ranks, profile.counts
    if units.clusters is not None:
        averages = _averaged_units(ranks.astype(np.float64), counts, units.clusters)
        ranks, counts = places.competition_ranks(averages), np.ones(len(averages), dtype=np.int64)
    values, n_rankings, w = average_ranks(ranks, counts)
    if np.isnan(w):
        found = Described(f"a tie of all in every {unit}")
        raise InvalidInputError("data", "rankings that tell items apart", found)
    return FriedmanTest(
        items=profile.items,
        average_ranks=values,
        n_rankings=n_rankings,
        kendall_w=w,
        unit=units.unit,
        notes=units.notes,
    )


def _nemenyi(items: ItemSet, ranks: Floats, scales: Floats) -> pd.DataFrame:
    """Return p-values of pairs by the range of as many normal variables, items by items."""
    labels = pd.Index(list(items), name="item")
    with np.errstate(invalid="ignore"):
        gaps = np.abs(ranks[:, None] - ranks) / scales
    distinct, where = np.unique(gaps, return_inverse=True)
    tails = scipy.stats.studentized_range.sf(distinct, len(items), np.inf)
    values = np.clip(tails, 0.0, 1.0)[where].reshape(gaps.shape)
    values[np.isnan(gaps)] = 1.0
    np.fill_diagonal(values, 1.0)
    return pd.DataFrame(values, index=labels, columns=labels.rename(None))


class SkillingsMackTest(Result):
    """Skillings and Mack's test: whether all items rank alike in rankings that may lack some.

    Made by `skillings_mack`; `plot` draws a `rankagg.plotting.critical_difference_diagram`.

    Attributes
    ----------
    items : ItemSet
        The k items.
    average_points : ndarray of float, shape (k,)
        The points of each item per unit that ranks it, above 0 where it ranks better than by
        chance; NaN where none does.
    average_ranks : ndarray of float, shape (k,)
        Average ranks adjusted by least squares for whom each item is ranked with: those of
        Friedman's test where nothing is missing. NaN for an item that is ranked with no other.
    errors : ndarray of float, shape (k, k)
        The standard errors of their differences if all items rank alike; NaN between items that
        no chain of units links.
    n_ranked : ndarray of int, shape (k,)
        In how many units it is ranked.
    n_rankings : int
        The number of independent units.
    statistic : float
        Skillings and Mack's; Friedman's chi-square where nothing is missing.
    df : int
        Degrees of freedom: items less parts that no chain of units links.
    p_value : float
        By random orders within units, the observed one among them, or by the chi-square
        distribution, for many units.
    n_resamples : int
        How many orders there were; 0 by the chi-square distribution.
    unit : {"ranking", "instance", "task"}
        What was taken to be independent.
    notes : tuple of str
        What the reader must know.
    """

    items: ItemSet
    average_points: Floats
    average_ranks: Floats
    errors: Floats
    n_ranked: Positions
    n_rankings: int
    statistic: float
    df: int
    p_value: float
    n_resamples: int
    unit: Unit
    notes: tuple[str, ...]

    _schema = "rankagg.skillings_mack"
    _plot = "critical_difference_diagram"

    def p_values(self) -> pd.DataFrame:
        """Return p-values of each pair, adjusted for all pairs: items by items.

        As Nemenyi's, by the difference of the average ranks over its own standard error; these
        are Nemenyi's where nothing is missing and no ranks are tied.
        """
        return _nemenyi(self.items, self.average_ranks, self.errors / np.sqrt(2.0))

    def groups(self, alpha: float = 0.05) -> tuple[tuple[Label, ...], ...]:
        """Return the largest sets of items next to each other by average rank, none told apart.

        Parameters
        ----------
        alpha : float, default 0.05
            The family-wise error rate, in (0, 1).
        """
        apart = self.p_values().to_numpy() < check_alpha(alpha)
        return tuple(tuple(self.items.at(of)) for of in alike_in_order(self.average_ranks, apart))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per item: points per unit, and the units, the best first."""
        columns = {"average_points": self.average_points, "n_ranked": self.n_ranked}
        frame = pd.DataFrame(columns, index=pd.Index(list(self.items), name="item"))
        return frame.sort_values("average_points", ascending=False, kind="stable")

    def _content(self) -> dict[str, Any]:
        what = self._plain("items", "average_points", "n_ranked", "n_rankings", "unit")
        return what | self._plain("statistic", "df", "p_value", "n_resamples", "notes")

    def _facts(self) -> list[str]:
        items = stated(len(self.items), "items", noun="item")
        units = stated(self.n_rankings, "rankings", noun="ranking")
        value, df = stated(self.statistic, "Skillings-Mack", ".4g"), stated(self.df, "freedom")
        p_value, how = stated(self.p_value, "p-value", p_text), "by chi-square"
        if self.n_resamples:
            p_value = stated(self.p_value, "simulated p-value", p_text)
            draws = stated(self.n_resamples, "draws", noun="draw")
            how = said("by {} of orders within {}s", draws, self.unit)
        return [
            said("{} in {}; independent: {}s", items, units, self.unit),
            *(said("note: {}", note) for note in self.notes),
            said("Skillings, Mack  {}, df {}, p {} {}", value, df, p_value, how),
        ]

    def __repr__(self) -> str:
        how = "simulated" if self.n_resamples else "chi-square"
        return (
            f"<SkillingsMackTest of {counted(len(self.items), 'item')} in "
            f"{counted(self.n_rankings, 'ranking')}: {self.statistic:.4g}, df {self.df}, "
            f"p {p_text(self.p_value)} ({how})>"
        )


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
        Rankings, or scores that rank; which items a ranking lacks must not depend on how good they
        are. Counts are independent repetitions.
    unit : {"ranking", "instance", "task"}, default "ranking"
        What is independent. Of an instance or a task the items are ranked once, by their average
        rank in those of its rankings that have them, which must have the same items.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied; see `ScoreTable.rankings`.
    n_resamples : int, optional
        Draws for the p-value, what was observed among them: the observed ranks of each unit in
        random order. By default 10,000 with up to 50 units, and above none: chi-square.
    rng : int or numpy.random.Generator, optional
        For the draws.

    Notes
    -----
    An item of a unit with k of them counts sqrt(12/(k + 1)) ((k + 1)/2 - r), r its mid-rank; one
    that is lacking counts nothing. The statistic is A' S^- A, with A the sums of the items and S
    their covariance if all orders are as likely. Ties make S smaller, by 1 - sum (t^3 - t)/(k^3 -
    k) in a unit; without gaps the statistic is then Friedman's chi-square. Items that no chain of
    units links are compared within their parts only, with fewer degrees of freedom.

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
    ranks, counts = _told_ranks(profile), profile.counts
    if units.clusters is not None:
        ranks = _averaged_units(ranks, counts, units.clusters)
        counts = np.ones(len(ranks), dtype=np.int64)
    ranks, where = np.unique(_unit_mid_ranks(ranks), axis=0, return_inverse=True)
    counts = np.bincount(where.ravel(), weights=counts).astype(np.int64)
    points, spread = _centered_points(ranks)
    if not spread.any():
        found = Described(f"a tie, or one item alone, in every {units.unit}")
        raise InvalidInputError("data", "rankings that tell two items apart", found)
    told = ~np.isnan(ranks)
    covariance = _spread_of_sums(told, spread * counts)
    linked = connected_parts(covariance < 0)
    inverse = cast(Floats, np.linalg.pinv(covariance, NULL_SHARE, hermitian=True))
    sums = counts @ points
    statistic = float(sums @ inverse @ sums)
    df = len(profile.items) - len(np.unique(linked))
    times = 10_000 if units.n_units <= 50 else 0
    if n_resamples is not None:
        times = check_integer(n_resamples, "n_resamples", low=100)
    p_value = float(scipy.stats.chi2.sf(statistic, df))
    if times:
        each = np.repeat(np.where(told, points, np.nan), counts, axis=0)
        p_value = _simulated_p_value(each, inverse, statistic, times, as_generator(rng))
    n_ranked = (told.T @ counts).astype(np.intp)
    with np.errstate(invalid="ignore"):
        average_points = sums / n_ranked
    k = len(profile.items)
    # What a point is in ranks of a unit that has all items; ties change errors alone.
    solved = cast(Floats, np.linalg.pinv(_spread_of_sums(told, counts), NULL_SHARE, hermitian=True))
    solved *= k * np.sqrt((k + 1.0) / 12.0)
    alone = np.bincount(linked)[linked] == 1
    average_ranks = np.where(alone, np.nan, (k + 1.0) / 2.0 - solved @ sums)
    known = solved @ covariance @ solved
    errors = np.sqrt(np.maximum(np.diag(known)[:, None] + np.diag(known) - 2.0 * known, 0.0))
    return SkillingsMackTest(
        items=profile.items,
        average_points=average_points,
        average_ranks=average_ranks,
        errors=np.where(linked[:, None] == linked, errors, np.nan),
        n_ranked=n_ranked,
        n_rankings=units.n_units,
        statistic=statistic,
        df=df,
        p_value=p_value,
        n_resamples=times,
        unit=units.unit,
        notes=(*units.notes, *_link_notes(linked)),
    )


def _centered_points(ranks: Floats) -> tuple[Floats, Floats]:
    """Return what items count in each unit, and the variance of that over k - 1, 0 if all tie.

    Without ties the sum of the squares of the points is k(k - 1), and the covariance in a unit
    k times the identity less one.
    """
    told = ~np.isnan(ranks)
    k = told.sum(axis=1, keepdims=True)
    points = np.where(told, np.sqrt(12.0 / (k + 1.0)) * ((k + 1.0) / 2.0 - ranks), 0.0)
    most = (k * (k - 1.0))[:, 0]
    squares = (points**2).sum(axis=1)
    return points, np.divide(squares, most, out=np.zeros(len(ranks)), where=most > 0)


def _spread_of_sums(told: Bools, weights: Floats | Integers64) -> Floats:
    """Return the covariance of the sums of points, by the weight of each unit."""
    together = (told * weights[:, None]).T @ told.astype(np.float64)
    np.fill_diagonal(together, 0.0)
    return np.asarray(np.diag(together.sum(axis=1)) - together, dtype=np.float64)


def _simulated_p_value(
    points: Floats, inverse: Floats, statistic: float, times: int, rng: Generator
) -> float:
    """Return how often points in random order give as large a statistic, the observed one too."""
    n = points.shape[1]
    reached, done = 1, 1
    while done < times:
        # Two million numbers at one time, about.
        some = min(max(1, 2 * 10**6 // n), times - done)
        sums = np.zeros((some, n))
        for row in points:
            at = np.flatnonzero(~np.isnan(row))
            sums[:, at] += rng.permuted(np.broadcast_to(row[at], (some, len(at))), axis=1)
        drawn = ((sums @ inverse) * sums).sum(axis=1)
        # What differs by less, as a share, is equal.
        reached += int((drawn >= statistic * (1.0 - 1e-9)).sum())
        done += some
    return reached / times


def _link_notes(linked: Parts) -> tuple[str, ...]:
    parts = np.unique(linked, return_counts=True)[1]
    alone, several = int((parts == 1).sum()), int((parts > 1).sum())
    notes: tuple[str, ...] = ()
    if several > 1:
        told = "no chain of rankings links {} of the items, which are compared within each"
        notes += (said(told, stated(several, "parts that nothing links", noun="part")),)
    if alone:
        items = stated(alone, "items told from no other", noun="item", of=len(linked))
        notes += (said("{} {} told from no other", items, "is" if alone == 1 else "are"),)
    return notes
