"""Friedman's test of whether items rank alike, Kendall's W, and Nemenyi's comparison of all pairs.

Two items differ where their average ranks differ by more than the largest of all differences would
with probability alpha if all items ranked alike. It is a studentized range, for many rankings.
Nothing is corrected for ties, which makes the comparison more careful and not less.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike, NDArray

from rankagg._typing import Floats, Integers, Label, Ranks, Tolerance
from rankagg._validation import as_numbers, check_alpha, check_integer
from rankagg.core.arithmetic.exact import INT64_SAFE
from rankagg.core.arithmetic.exact_sum import are_level
from rankagg.core.items import ItemSet, counted, listed
from rankagg.core.names import said, stated
from rankagg.core.pandas_labels import axis_labels
from rankagg.core.profile import Profile
from rankagg.core.rankings import places
from rankagg.core.results import ROWS, Direction, Result
from rankagg.core.scores import ScoreTable
from rankagg.core.value import frozen_array
from rankagg.exceptions import Described, InvalidInputError
from rankagg.inference.units import Unit, rankings_of, units_of

# Cells looked at in one go.
BLOCK = 1_000_000
# Printed average ranks are off by this at most: one decimal.
ROUNDING = 0.05


@dataclass(frozen=True, eq=False)
class AverageRanks:
    """What Friedman's test needs to know of some rankings."""

    # Shape (n,). The average mid-rank of each item, from 1; read-only.
    values: Floats
    # How many rankings, repeated ones included.
    n_rankings: int
    # Kendall's W with its correction for ties; NaN where every ranking ties all items.
    kendall_w: float


def average_ranks(ranks: Ranks, counts: NDArray[np.int64]) -> AverageRanks:
    """Average the mid-ranks of complete rankings."""
    n = ranks.shape[1]
    sums, squares = np.zeros(n, dtype=object), 0
    for rows in _blocks(ranks):
        # Twice the distance from the middle; its squares hold the correction for ties.
        offsets = np.rint(2 * places.mid_ranks(ranks[rows])).astype(np.int64) - (n - 1)
        sums += _weighted_sum(counts[rows], offsets)
        squares += int(_weighted_sum(counts[rows], (offsets**2).sum(axis=1)))
    size = int(counts.sum(dtype=object))
    # Python's integers divide without overflow and round once.
    values = np.array([(size * (n + 1) + int(s)) / (2 * size) for s in sums])
    between = sum(int(s) ** 2 for s in sums)
    concordance = between / (size * squares) if squares else float("nan")
    return AverageRanks(cast(Floats, frozen_array(values)), size, concordance)


def rank_units(ranks: Ranks, counts: NDArray[np.int64], units: NDArray[np.intp]) -> Ranks:
    """Rank the items of each unit by their average rank in its rankings."""
    sums = np.zeros((int(units.max()) + 1, ranks.shape[1]))
    for rows in _blocks(ranks):
        # Halves add up without rounding, so equal averages are tied.
        np.add.at(sums, units[rows], counts[rows, None] * places.mid_ranks(ranks[rows]))
    return places.competition_ranks(sums)


def check_average_ranks(given: ArrayLike) -> Floats:
    """Return average ranks that strict rankings can have, as far as these are rounded."""
    values = as_numbers(given, "average_ranks")
    number = np.arange(1, len(values) + 1)
    if len(values) < 2 or np.isnan(values).any():
        raise InvalidInputError("average_ranks", "two finite numbers or more", values.tolist())
    sums, least = np.cumsum(np.sort(values)), np.cumsum(number)
    if abs(sums[-1] - least[-1]) > ROUNDING * len(values):
        raise InvalidInputError(
            "average_ranks", f"average ranks from 1, which sum to n(n + 1)/2 = {least[-1]}",
            Described(f"the sum {sums[-1]:g}"),
        )  # fmt: skip
    low = sums < least - ROUNDING * number
    if low.any():
        best = int(np.argmax(low))
        raise InvalidInputError(
            "average_ranks",
            f"average ranks from 1, the {best + 1} smallest of which sum to {least[best]} at least",
            Described(f"the sum {sums[best]:g} of these"),
        )
    return cast(Floats, frozen_array(values))


def concordance_without_ties(values: Floats) -> float:
    """Return Kendall's W of rankings without ties from their average ranks."""
    n = len(values)
    # Rounded average ranks have another mean than (n + 1)/2.
    between = float(((values - values.mean()) ** 2).sum())
    return min(12.0 * between / (n**3 - n), 1.0)


def _blocks(ranks: Ranks) -> Iterator[slice]:
    size = max(1, BLOCK // ranks.shape[1])
    return (slice(start, start + size) for start in range(0, len(ranks), size))


def _weighted_sum(counts: NDArray[np.int64], values: NDArray[np.int64]) -> Integers:
    """Return `counts @ values` as Python integers where int64 might end."""
    largest = int(np.abs(values).max(initial=0))
    if int(counts.sum(dtype=object)) * largest < INT64_SAFE:
        small: NDArray[np.int64] = counts @ values
        return small
    large: NDArray[np.object_] = counts.astype(object) @ values.astype(object)
    return large


def critical_difference(n_items: int, n_rankings: int, alpha: float) -> float:
    """Return the difference of average ranks that is exceeded with probability alpha."""
    quantile = float(scipy.stats.studentized_range.ppf(1.0 - alpha, n_items, np.inf))
    return quantile * _scale(n_items, n_rankings)


def pair_p_values(average_ranks: Floats, n_rankings: int) -> Floats:
    """Return the adjusted p-value of each pair, shape (n, n); 1 on the diagonal."""
    n = len(average_ranks)
    gaps = np.abs(average_ranks[:, None] - average_ranks) / _scale(n, n_rankings)
    distinct, where = np.unique(gaps, return_inverse=True)
    tails = np.clip(scipy.stats.studentized_range.sf(distinct, n, np.inf), 0.0, 1.0)
    values: Floats = tails[where].reshape(n, n)
    np.fill_diagonal(values, 1.0)
    return values


def alike(average_ranks: Floats, difference: float) -> list[list[int]]:
    """Return the largest sets of neighbors by average rank that differ by no more, best first."""
    order = np.argsort(average_ranks, kind="stable")
    ranks = average_ranks[order]
    ends = np.searchsorted(ranks, ranks + difference, side="right")
    # A set that ends where the one before it ends is part of that one.
    starts = np.flatnonzero(np.diff(ends, prepend=0))
    return [order[start : ends[start]].tolist() for start in starts]


def _scale(n_items: int, n_rankings: int) -> float:
    """Return the standard deviation of an average rank without ties, times sqrt(k/(k - 1)).

    Average ranks sum to a constant; this is what they would have as independent numbers.
    """
    return float(np.sqrt(n_items * (n_items + 1) / (12.0 * n_rankings)))


NO_TIES = "from average ranks alone, as those of rankings without ties"


class FriedmanTest(Result):
    """Friedman's test: whether all items rank alike in independent complete rankings.

    Made by `friedman`, or by `from_average_ranks` from printed numbers. `plot` draws a
    `rankagg.plotting.critical_difference_diagram`.

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

    @classmethod
    def from_average_ranks(
        cls, average_ranks: ArrayLike, n_rankings: int, items: Iterable[Label] | None = None
    ) -> FriedmanTest:
        """Test average ranks that are printed somewhere, as those of rankings without ties.

        Parameters
        ----------
        average_ranks : array_like of float, shape (k,)
            From 1, the best. They sum to k(k + 1)/2, up to rounding.
        n_rankings : int
            The number of rankings, at least 2.
        items : iterable of str or int, optional
            The items; 0, 1, ..., k - 1 by default.

        Returns
        -------
        FriedmanTest
            A note says that no ties are assumed. With ties the statistics would be larger.

        Raises
        ------
        InvalidInputError
            If no rankings have these average ranks.

        Examples
        --------
        >>> import rankagg as ra
        >>> test = ra.FriedmanTest.from_average_ranks([3.143, 2.0, 2.893, 1.964], 14)
        >>> round(test.statistic, 2), round(test.f_statistic, 2)
        (9.28, 3.69)
        >>> round(test.critical_difference(0.05), 2), round(test.critical_difference(0.1), 2)
        (1.25, 1.12)
        """
        items = axis_labels(average_ranks, 0, items, "items")
        ranks = check_average_ranks(average_ranks)
        names = ItemSet.numbered(len(ranks)) if items is None else ItemSet.coerce(items, ())
        if len(names) != len(ranks):
            raise InvalidInputError("items", counted(len(ranks), "label"), names)
        size = check_integer(n_rankings, "n_rankings", low=2)
        return cls(
            items=names, average_ranks=ranks, n_rankings=size,
            kendall_w=concordance_without_ties(ranks), unit="ranking", notes=(NO_TIES,),
        )  # fmt: skip

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
        """Return Nemenyi's critical difference, q sqrt(k(k + 1)/(6N)).

        q is the upper quantile of the range of k normal variables, divided by sqrt(2). Ties would
        make the difference smaller; they are not looked at.

        Parameters
        ----------
        alpha : float, default 0.05
            The family-wise error rate: the probability that two average ranks differ by more if
            all items rank alike, in (0, 1).

        Returns
        -------
        float
            In ranks.
        """
        level = check_alpha(alpha)
        return critical_difference(len(self.items), self.n_rankings, level)

    def groups(self, alpha: float = 0.05) -> tuple[tuple[Label, ...], ...]:
        """Return the sets of items that the critical difference does not tell apart.

        Parameters
        ----------
        alpha : float, default 0.05
            See `critical_difference`.

        Returns
        -------
        tuple of tuple
            The largest sets of items, next to each other by average rank, in which no two differ
            by more; the best first. They may overlap. A critical-difference diagram draws a bar
            for each set of two items or more.
        """
        found = alike(self.average_ranks, self.critical_difference(alpha))
        return tuple(tuple(self.items[i] for i in group) for group in found)

    def p_values(self) -> pd.DataFrame:
        """Return Nemenyi's p-value of each pair, adjusted for all pairs.

        Returns
        -------
        pandas.DataFrame
            Items by items, 1 on the diagonal. It is below alpha where two average ranks differ by
            more than the critical difference.
        """
        labels = pd.Index(list(self.items), name="item")
        values = pair_p_values(self.average_ranks, self.n_rankings)
        return pd.DataFrame(values, index=labels, columns=labels.rename(None))

    # -- how it looks -------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return one row per item with its average rank, the best first."""
        index = pd.Index(list(self.items), name="item")
        frame = pd.DataFrame({"average_rank": self.average_ranks}, index=index)
        return frame.sort_values("average_rank", kind="stable")

    def _content(self) -> dict[str, Any]:
        return {
            "items": list(self.items),
            "average_ranks": self.average_ranks.tolist(),
            "n_rankings": self.n_rankings,
            "unit": self.unit,
            "kendall_w": self.kendall_w,
            "statistic": self.statistic,
            "df": self.df,
            "p_value": self.p_value,
            "f_statistic": self.f_statistic if np.isfinite(self.f_statistic) else None,
            "f_df": list(self.f_df),
            "f_p_value": self.f_p_value,
            "notes": list(self.notes),
        }

    def summary(self, *, alpha: float = 0.05, rows: int | None = ROWS) -> str:
        """Return the test as text.

        Parameters
        ----------
        alpha : float, default 0.05
            For the critical difference.
        rows : int or None, default 30
            How many items, and how many groups, to print at most; None prints all.

        Returns
        -------
        str
        """
        return self._text(self._facts(alpha, rows), rows)

    def _facts(self, alpha: float = 0.05, rows: int | None = ROWS) -> list[str]:
        groups = [listed(group) for group in self.groups(alpha) if len(group) > 1]
        items = stated(len(self.items), "items", noun="item")
        rankings = stated(self.n_rankings, "rankings", noun="ranking")
        chi2, f = stated(self.statistic, "chi-square", ".4g"), stated(self.f_statistic, "F", ".4g")
        p, p_of_f = stated(self.p_value, "p-value", ".3g"), stated(self.f_p_value, "p of F", ".3g")
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
            f"chi-square {self.statistic:.4g}, p = {self.p_value:.3g}, W = {self.kendall_w:.3g}>"
        )


def friedman(
    data: Profile | ScoreTable,
    *,
    unit: Unit = "ranking",
    tolerance: Tolerance = 0.0,
    instances: Sequence[Label] | None = None,
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
    instances : sequence, length m, optional
        The instance of each ranking of a Profile, for `unit="instance"`.

    Returns
    -------
    FriedmanTest

    Raises
    ------
    InvalidInputError
        If a ranking is incomplete, weights differ, all rankings tie all items, or there are less
        than two items or units.

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
    >>> test = ra.friedman(ra.datasets.load("superglue_human"))
    >>> test
    <FriedmanTest of 6 items in 10 rankings: chi-square 25.92, p = 9.25e-05, W = 0.518>
    >>> round(test.critical_difference(alpha=0.05), 3)
    2.384
    >>> test.groups(alpha=0.05)[1:]
    (('T5 + Meena', 'T5', 'PAI Albert'), ('T5', 'PAI Albert', 'NEZHA Plus'))
    """
    profile, known = rankings_of(data, tolerance, instances)
    _check(profile)
    units = units_of(profile, unit=unit, instances=known)
    ranks, counts = profile.ranks, profile.counts
    if units.clusters is not None:
        ranks = rank_units(ranks, counts, units.clusters)
        counts = np.ones(len(ranks), dtype=np.int64)
    if units.n_units < 2:
        raise InvalidInputError(
            "data", f"two {units.unit}s or more", Described(f"{units.n_units} {units.unit}")
        )
    found = average_ranks(ranks, counts)
    if np.isnan(found.kendall_w):
        raise InvalidInputError(
            "data", "rankings that tell items apart", Described(f"a tie of all in every {unit}")
        )
    return FriedmanTest(
        items=profile.items, average_ranks=found.values, n_rankings=found.n_rankings,
        kendall_w=found.kendall_w, unit=units.unit, notes=units.notes,
    )  # fmt: skip


def _check(profile: Profile) -> None:
    """Raise unless a profile has what Friedman's test is about."""
    if profile.n_items < 2:
        raise InvalidInputError("data", "rankings of two items or more", profile)
    complete = (profile.ranks >= 0).all(axis=1)
    if not complete.all():
        gaps = int(profile.counts[~complete].sum(dtype=object))
        raise InvalidInputError(
            "data", "complete rankings for Friedman's test",
            Described(f"{gaps} incomplete ones of {profile.n_rankings}"),
            "Leave out these rankings or the items that they lack, take `skillings_mack`, or make "
            "`PairwiseIntervals`, which compare the two items of a pair where both are ranked.",
        )  # fmt: skip
    if not are_level(profile.weights):
        low, high = profile.weights.min(), profile.weights.max()
        raise InvalidInputError(
            "data", "rankings of equal weight for Friedman's test",
            Described(f"weights from {low:g} to {high:g}"),
            "Make them equal (a ScoreTable's with `with_task_weights({})`), or make "
            "`PairwiseIntervals`, which take weights.",
        )  # fmt: skip
