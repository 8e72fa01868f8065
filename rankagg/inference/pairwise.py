"""Confidence intervals for the proportion of units with one item above another."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from rankagg._typing import Floats, Integers64, Label, RNGLike
from rankagg._validation import check_choice
from rankagg.aggregation import as_data
from rankagg.core import (
    ItemSet,
    Profile,
    Result,
    ScoreSummary,
    ScoreTable,
    counted,
    level_of,
    plain_rows,
    sentence,
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
    """Return one-sided p-values, and the smallest possible ones for these numbers of units."""
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
    """Return Hoeffding's bound of the probability of such a mean if the expectation is 1/2."""
    above = np.maximum(np.asarray(mean, dtype=np.float64) - 0.5, 0.0)
    return np.asarray(np.exp(-2.0 * above**2 / np.asarray(shares)))


def _by_holm(intervals: PairwiseIntervals) -> Decisions:
    """Decide by Holm's procedure, with Tarone's count if p-values are exact."""
    if intervals.anytime:
        remedy = "Holm's procedure is for a single analysis of the data."
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


def _by_intervals(intervals: PairwiseIntervals) -> Decisions:
    """Decide the pairs whose simultaneous interval excludes 1/2."""
    if intervals.simultaneous is None:
        remedy = "Compute simultaneous intervals, or decide by Holm's procedure."
        allowed = "'bonferroni' or 'max-t' for decisions by intervals"
        raise InvalidInputError("simultaneous", allowed, None, remedy)
    above = intervals.lower > 0.5
    np.fill_diagonal(above, False)
    names = ("method", "alpha", "simultaneous", "alternative", "anytime")
    options = IntervalOptions(*(getattr(intervals, name) for name in names))
    enough = options.least_units(len(intervals.items))
    possible = enough is not None and int(intervals.n_units.max()) >= enough
    return Decisions(
        items=intervals.items,
        above=above,
        alpha=intervals.alpha,
        how=f"{intervals.simultaneous} {intervals.method} intervals",
        basis=Basis(options.name, intervals.unit, intervals.total_units, enough, possible),
    )


class PairwiseIntervals(Result):
    """Confidence intervals for the proportion of units with row above column, for all pairs.

    The proportion is the probability that row is above column in a unit that compares the two,
    given the set of such units. A tie counts half for each; the binomial methods leave ties out.
    The result states the independent units and the coverage of the level, since the numbers have
    no meaning without them.

    Made by `from_data`; `plot` draws a `rankagg.plotting.pair_intervals_plot`, and
    `rankagg.plotting.intervals_heatmap` shows all pairs.

    Attributes
    ----------
    items : ItemSet
        The items of rows and columns.
    estimate, lower, upper : ndarray of float, shape (n, n)
        The proportion and its interval; NaN and [0, 1] for pairs never compared. Exchanging row
        and column gives 1 - estimate, 1 - upper, 1 - lower.
    n_units : ndarray of int, shape (n, n)
        Independent units that compare the pair.
    total_units : int
        All independent units.
    shares : ndarray of float, shape (n, n)
        Sum of the squared shares of the units in the estimate: 1/n_units for equal weights.
    unit : {"ranking", "instance", "task"}
        The independent unit.
    fixed_tasks : bool
        True if the tasks are fixed, not a sample.
    method : str
        The method of the intervals.
    alpha : float
        The probability of error: of each pair, or of any pair if `simultaneous` is set.
    simultaneous : {"bonferroni", "max-t"} or None
        How the level covers all pairs at once; None if it covers each pair alone.
    alternative : {"two-sided", "greater", "less"}
        "greater": only `lower` is a bound, for rows against columns (first item against second).
    anytime : bool
        True if the level also covers an analysis after every unit.
    notes : tuple of str
        Caveats.

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
    _intervals: ClassVar = {"estimate": ("lower", "upper")}

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
        """Return the intervals for scores or rankings.

        Parameters
        ----------
        data : ScoreTable, ScoreSummary or Profile
            Rankings, with counts as independent repetitions and weights as importance; or scores,
            which are ranked first. Pass `data.rankings(tolerance)` to tie scores that differ by
            little. For a summary the unit cannot be "instance", and only tasks can be resampled.
        method : str, default "hoeffding"
            "hoeffding" holds for any independent units. "wilson" and "clopper-pearson" are for
            comparisons without weights, each ranking a unit, and leave ties out. "percentile"
            resamples units and holds only for many of them.
        alpha : float, default 0.05
            Probability of error, in (0, 1).
        simultaneous : {"bonferroni", "max-t"}, optional
            Cover all n(n - 1)/2 pairs at once; "max-t" goes with method "percentile".
        unit : {"ranking", "instance", "task"}, default "ranking"
            The independent unit: rankings, or instances or tasks, whose rankings are averaged
            first. Clusters of a profile, or families of tasks of a table, replace rankings and
            tasks. See :doc:`/howto/items_in_tasks`.
        fixed_tasks : bool, default False
            Whether the groups are the tasks of interest ("hoeffding" only): average over each,
            then by their weights.
        alternative : {"two-sided", "greater", "less"}, default "two-sided"
            Bound from both sides, or only from below or from above.
        anytime : bool, default False
            Cover every number of units at once ("hoeffding" only), so that sampling may stop
            after any unit.
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

    # -- decisions ----------------------------------------------------------------------------

    @property
    def never_compared(self) -> tuple[tuple[Label, Label], ...]:
        """The pairs that no unit compares; their interval is [0, 1]."""
        return self.items.pairs_where(np.triu(self.n_units == 0, k=1))

    def p_values(self) -> Floats:
        """Return one-sided p-values of "row is above column in at most half of the units".

        They are exact binomial p-values for binomial intervals, and otherwise those of Hoeffding's
        inequality, which are conservative.

        Returns
        -------
        ndarray of float, shape (n, n)
            1 on the diagonal and for pairs never compared.
        """
        return p_values(self)[0]

    def decisions(self, how: Literal["holm", "intervals"] = "holm") -> Decisions:
        """Decide pairs with one probability of error, `alpha`, for all decisions together.

        Parameters
        ----------
        how : {"holm", "intervals"}, default "holm"
            "holm": Holm's procedure over the n(n - 1) one-sided hypotheses; with binomial
            p-values those that cannot be rejected do not count (Tarone 1990). "intervals": pairs
            whose simultaneous interval excludes 1/2.
        """
        choice = check_choice(how, ("holm", "intervals"), "how")
        return _by_holm(self) if choice == "holm" else _by_intervals(self)

    # -- tables and texts ---------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair, the item with the larger proportion as "above".

        Returns
        -------
        pandas.DataFrame
            above, below, estimate, lower, upper, n_units, and outside (whether 1/2 is outside the
            interval), with pairs in the order of the items.
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
        units = self._plain("items", "unit", "fixed_tasks", "method", "alpha")
        options = self._plain("simultaneous", "alternative", "anytime", "notes")
        return {**units, **options, "pairs": plain_rows(self.to_frame())}

    def describe(self) -> str:
        """Return one sentence on the estimate, the intervals and the independent units."""
        target = f"P(above) among {self.unit}s that compare the two"
        kind = "marginal" if self.simultaneous is None else "simultaneous"
        how = self.method if self.simultaneous is None else f"{self.method}, {self.simultaneous}"
        extra = ", fixed tasks" if self.fixed_tasks else ""
        extra += ", at all sample sizes" if self.anytime else ""
        extra += "" if self.alternative == "two-sided" else f", one-sided ({self.alternative})"
        template = "{}; {} {} confidence intervals ({}{}); independent: {}s"
        return sentence(template, target, kind, level_of(self.alpha), how, extra, self.unit)

    def _facts(self) -> list[str]:
        return [self.describe(), *(sentence("note: {}", note) for note in self.notes)]

    def __repr__(self) -> str:
        return f"<PairwiseIntervals of {counted(len(self.items), 'item')}: {self.describe()}>"


def intervals_of(units: Units | SummedUnits, options: IntervalOptions) -> PairwiseIntervals:
    """Return the intervals of all pairs from independent units."""
    n, bounds = len(units.items), options.bounds(units)
    return PairwiseIntervals(
        items=units.items,
        estimate=square(n, bounds.mean, 1.0 - bounds.mean, 0.5),
        lower=square(n, bounds.lower, 1.0 - bounds.upper, 0.5),
        upper=square(n, bounds.upper, 1.0 - bounds.lower, 0.5),
        n_units=np.rint(square(n, bounds.n, bounds.n, 0.0)).astype(np.int64),
        total_units=units.n_units,
        shares=square(n, bounds.shares, bounds.shares, np.nan),
        unit=units.unit,
        fixed_tasks=units.fixed_tasks,
        method=options.method,
        alpha=options.alpha,
        simultaneous=options.simultaneous,
        alternative=options.alternative,
        anytime=options.anytime,
        notes=bounds.notes,
    )
