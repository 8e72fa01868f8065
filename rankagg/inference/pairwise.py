"""Confidence intervals for the proportion in which one item is above another, and decisions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from rankagg._typing import Floats, Integers64, Label, RNGLike
from rankagg._validation import check_choice
from rankagg.aggregation.evidence import as_data
from rankagg.core import (
    ItemSet,
    Profile,
    Result,
    ScoreSummary,
    ScoreTable,
    counted,
    level_of,
    plain_rows,
    said,
)
from rankagg.exceptions import InvalidInputError
from rankagg.inference.decisions import Basis, Decisions, by_p_values, tarone
from rankagg.inference.pair_bounds import (
    BINOMIAL,
    Alternative,
    IntervalOptions,
    Method,
    Simultaneous,
)
from rankagg.inference.summed_units import SummedUnits
from rankagg.inference.units import Unit, Units, square


def p_values(intervals: PairwiseIntervals) -> tuple[Floats, Floats]:
    """Return one-sided p-values, and the smallest ones that so many units could have given."""
    n, compared = intervals.n_units.astype(np.float64), intervals.n_units > 0
    mean = np.where(compared, intervals.estimate, 0.5)
    if intervals.method in BINOMIAL:
        values = scipy.stats.binom.sf(np.rint(mean * n) - 1, np.maximum(n, 1), 0.5)
        least = 0.5**n
    else:
        shares = np.where(compared, intervals.shares, 1.0)
        values, least = _hoeffding_p_value(mean, shares), _hoeffding_p_value(1.0, shares)
    np.fill_diagonal(compared, False)
    return np.where(compared, values, 1.0), np.where(compared, least, 1.0)


def _hoeffding_p_value(mean: ArrayLike, shares: ArrayLike) -> Floats:
    """Return an upper bound of the chance of such a mean or more if it is 1/2 at most."""
    above = np.maximum(np.asarray(mean, dtype=np.float64) - 0.5, 0.0)
    p_value: Floats = np.exp(-2.0 * above**2 / np.asarray(shares))
    return p_value


def _by_holm(intervals: PairwiseIntervals) -> Decisions:
    """Decide by Holm's procedure, with Tarone's count where p-values are exact."""
    if intervals.anytime:
        remedy = "Holm's procedure is for one look at the data."
        raise InvalidInputError("how", "'intervals' for anytime intervals", "holm", remedy)
    exact = intervals.method in BINOMIAL
    n, alpha = len(intervals.items), intervals.alpha
    off = ~np.eye(n, dtype=bool)
    values, least = (part[off] for part in p_values(intervals))
    count = least if exact else np.zeros_like(least)
    above = np.zeros_like(off)
    above[off] = tarone(values, count, alpha)
    name = "sign-test" if exact else "hoeffding"
    enough = by_p_values(alpha, n, 0.5 if exact else float(np.exp(-0.5)))
    possible = bool(tarone(least, count, alpha).any())
    basis = Basis(name, intervals.unit, intervals.total_units, enough, possible)
    how = "exact sign tests (Holm, Tarone)" if exact else "Holm's procedure on Hoeffding p-values"
    return Decisions(items=intervals.items, above=above, alpha=alpha, how=how, basis=basis)


def _by_intervals_of_pairs(intervals: PairwiseIntervals) -> Decisions:
    """Decide where 1/2 is outside of a simultaneous interval."""
    if intervals.simultaneous is None:
        remedy = "Make the intervals with it, or decide by Holm's procedure."
        allowed = "'bonferroni' or 'max-t' for decisions by intervals"
        raise InvalidInputError("simultaneous", allowed, None, remedy)
    above = intervals.lower > 0.5
    np.fill_diagonal(above, False)
    names = ("method", "alpha", "simultaneous", "alternative", "anytime")
    options = IntervalOptions(*(getattr(intervals, name) for name in names))
    enough = options.least_units(len(intervals.items))
    possible = enough is not None and int(intervals.n_units.max()) >= enough
    basis = Basis(options.name, intervals.unit, intervals.total_units, enough, possible)
    return Decisions(
        items=intervals.items,
        above=above,
        alpha=intervals.alpha,
        how=f"{intervals.simultaneous} {intervals.method} intervals",
        basis=basis,
    )


class PairwiseIntervals(Result):
    """For every two items: in what proportion row is above column, and how sure that is.

    The proportion is the chance that row is above column in a unit that compares the two, given
    which units do. A tie counts half for each; the binomial methods leave ties out. Which
    observations are independent and what the level covers are part of the result, because the
    numbers mean nothing without.

    Made by `from_data`; `plot` draws a `rankagg.plotting.pair_intervals_plot`; there is an
    `intervals_heatmap` of all pairs, too.

    Attributes
    ----------
    items : ItemSet
        The items of rows and columns.
    estimate, lower, upper : ndarray of float, shape (n, n)
        The proportion and its interval; NaN and [0, 1] where nothing was compared. Rows and
        columns swap to 1 - estimate, 1 - upper, 1 - lower.
    n_units : ndarray of int, shape (n, n)
        Independent units that tell of the pair.
    total_units : int
        Independent units, whatever they tell.
    shares : ndarray of float, shape (n, n)
        Sum of their squared shares in the estimate: 1/n_units where all weigh the same.
    unit : {"ranking", "instance", "task"}
        What was taken to be independent.
    fixed_tasks : bool
        True where the tasks are those of interest and not a sample.
    method : str
        How the intervals were made.
    alpha : float
        The probability of error: of each pair, or of any pair where `simultaneous` is set.
    simultaneous : {"bonferroni", "max-t"} or None
        How the level covers all pairs at once; None: it covers each pair alone.
    alternative : {"two-sided", "greater", "less"}
        "greater": only `lower` is a bound, for rows against columns (first item against second).
    anytime : bool
        True where the level also covers looking after every unit.
    notes : tuple of str
        What the reader must know.

    References
    ----------
    Himmi et al. (2023), "Towards more robust NLP system evaluation: handling missing scores in
    benchmarks", https://doi.org/10.48550/arXiv.2305.10284, gives the Hoeffding interval.
    """

    items: ItemSet
    estimate: Floats
    lower: Floats
    upper: Floats
    n_units: Integers64
    total_units: int
    shares: Floats
    unit: Unit
    fixed_tasks: bool
    method: Method
    alpha: float
    simultaneous: Simultaneous | None
    alternative: Alternative
    anytime: bool
    notes: tuple[str, ...]

    _schema = "rankagg.intervals"
    _plot = "pair_intervals_plot"
    _row = "pair"
    _named_rows = False
    _intervals: ClassVar[Mapping[str, tuple[str, str]]] = {"estimate": ("lower", "upper")}

    # -- constructors -------------------------------------------------------------------------

    @classmethod
    def from_data(
        cls,
        data: ScoreTable | ScoreSummary | Profile,
        *,
        method: Method = "hoeffding",
        alpha: float = 0.05,
        simultaneous: Simultaneous | None = None,
        unit: Unit = "ranking",
        fixed_tasks: bool = False,
        alternative: Alternative = "two-sided",
        anytime: bool = False,
        n_resamples: int = 2000,
        rng: RNGLike = None,
    ) -> PairwiseIntervals:
        """Make the intervals of scores or rankings.

        Parameters
        ----------
        data : ScoreTable, ScoreSummary or Profile
            Rankings, of which counts are independent repetitions and weights importance; or
            scores, which are ranked first, those that differ tie where `data.rankings(tolerance)`
            is given in their place. Of a summary no unit is an instance of several tasks,
            and units cannot be resampled unless they are tasks.
        method : str, default "hoeffding"
            "hoeffding" holds for any independent units. "wilson" and "clopper-pearson" are for
            comparisons without weights, each ranking a unit, and leave ties out. "percentile"
            resamples units and holds for many of them only.
        alpha : float, default 0.05
            Probability of error, in (0, 1).
        simultaneous : {"bonferroni", "max-t"}, optional
            Cover all n(n - 1)/2 pairs at once; "max-t" goes with method "percentile".
        unit : {"ranking", "instance", "task"}, default "ranking"
            What is independent: each ranking, or each instance or task, whose rankings are
            averaged first; where a profile has clusters, or a table families of tasks, these in
            place of rankings and tasks. See :doc:`/howto/items_in_tasks`.
        fixed_tasks : bool, default False
            The groups are the tasks of interest ("hoeffding" only): average over each, then by
            their weights.
        alternative : {"two-sided", "greater", "less"}, default "two-sided"
            Bound from both sides, or only from below or from above.
        anytime : bool, default False
            Cover every number of units at once ("hoeffding" only), so that one may look after
            each and stop.
        n_resamples : int, default 2000
            For "percentile".
        rng : int or numpy.random.Generator, optional
            For "percentile".

        Examples
        --------
        >>> import rankagg as ra
        >>> ballots = ra.datasets.load("condorcet_1785")
        >>> intervals = ra.PairwiseIntervals.from_data(ballots, method="wilson")
        >>> intervals.to_frame()[["above", "below", "estimate", "lower", "upper"]].round(3)
          above below  estimate  lower  upper
        0     A     B     0.550  0.425  0.669
        1     C     A     0.583  0.457  0.699
        2     B     C     0.700  0.575  0.801
        """
        options = IntervalOptions(
            method, alpha, simultaneous, alternative, anytime, n_resamples, rng
        )
        data = as_data(data)
        if isinstance(data, ScoreSummary):
            return intervals_of(SummedUnits.of_pairs(data, unit, fixed_tasks), options)
        return intervals_of(Units.of(data, unit=unit, fixed_tasks=fixed_tasks), options)

    # -- what they say ------------------------------------------------------------------------

    @property
    def never_compared(self) -> tuple[tuple[Label, Label], ...]:
        """The pairs of which no unit tells anything; their interval is [0, 1]."""
        return self.items.pairs_where(np.triu(self.n_units == 0, k=1))

    def p_values(self) -> Floats:
        """Return one-sided p-values of "row is above column in half of the units at most".

        Exact binomial ones where the intervals are binomial, else those of Hoeffding's
        inequality, which are too large rather than too small.

        Returns
        -------
        ndarray of float, shape (n, n)
            1 on the diagonal and where nothing was compared.
        """
        return p_values(self)[0]

    def decisions(self, how: Literal["holm", "intervals"] = "holm") -> Decisions:
        """Decide pairs with one probability of error, `alpha`, for all decisions together.

        Parameters
        ----------
        how : {"holm", "intervals"}, default "holm"
            "holm": Holm's procedure over the n(n - 1) one-sided hypotheses; with binomial
            p-values those that cannot be rejected do not count (Tarone 1990). "intervals": 1/2 is
            outside the interval; they must be simultaneous.
        """
        choice = check_choice(how, ("holm", "intervals"), "how")
        return _by_holm(self) if choice == "holm" else _by_intervals_of_pairs(self)

    # -- how they look ------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair, the item with the larger proportion as "above".

        Returns
        -------
        pandas.DataFrame
            above, below, estimate, lower, upper, n_units, outside: whether 1/2 is outside the
            interval. Pairs in the order of the items.
        """
        i, j = np.triu_indices(len(self.items), k=1)
        turned = self.estimate[i, j] < 0.5
        at = np.where(turned, j, i), np.where(turned, i, j)
        lower, upper = self.lower[at], self.upper[at]
        columns = {
            "above": list(self.items.at(at[0])),
            "below": list(self.items.at(at[1])),
            "estimate": self.estimate[at],
            "lower": lower,
            "upper": upper,
            "n_units": self.n_units[at],
            "outside": (lower > 0.5) | (upper < 0.5),
        }
        return pd.DataFrame(columns)

    def _content(self) -> dict[str, Any]:
        what = self._plain("items", "unit", "fixed_tasks", "method", "alpha")
        how = self._plain("simultaneous", "alternative", "anytime", "notes")
        return {**what, **how, "pairs": plain_rows(self.to_frame())}

    def describe(self) -> str:
        """Return one sentence: what is estimated, from what, and what the level covers."""
        what = f"P(above) among {self.unit}s that compare the two"
        kind = "marginal" if self.simultaneous is None else "simultaneous"
        how = self.method if self.simultaneous is None else f"{self.method}, {self.simultaneous}"
        extra = ", fixed tasks" if self.fixed_tasks else ""
        extra += ", at all sample sizes" if self.anytime else ""
        extra += "" if self.alternative == "two-sided" else f", one-sided ({self.alternative})"
        told = "{}; {} {} confidence intervals ({}{}); independent: {}s"
        return said(told, what, kind, level_of(self.alpha), how, extra, self.unit)

    def _facts(self) -> list[str]:
        return [self.describe(), *(said("note: {}", note) for note in self.notes)]

    def __repr__(self) -> str:
        return f"<PairwiseIntervals of {counted(len(self.items), 'item')}: {self.describe()}>"


def intervals_of(units: Units | SummedUnits, options: IntervalOptions) -> PairwiseIntervals:
    """Return the intervals of all pairs of some units, which know their moments from then on."""
    bounds = options.bounds(units)
    return PairwiseIntervals(
        items=units.items,
        estimate=square(len(units.items), bounds.mean, 1.0 - bounds.mean, 0.5),
        lower=square(len(units.items), bounds.lower, 1.0 - bounds.upper, 0.5),
        upper=square(len(units.items), bounds.upper, 1.0 - bounds.lower, 0.5),
        n_units=np.rint(square(len(units.items), bounds.n, bounds.n, 0.0)).astype(np.int64),
        total_units=units.n_units,
        shares=square(len(units.items), bounds.shares, bounds.shares, np.nan),
        unit=units.unit,
        fixed_tasks=units.fixed_tasks,
        method=options.method,
        alpha=options.alpha,
        simultaneous=options.simultaneous,
        alternative=options.alternative,
        anytime=options.anytime,
        notes=bounds.notes,
    )
