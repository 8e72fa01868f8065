"""Which pairs the intervals of all pairs decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy

from rankagg._typing import Bools, Floats
from rankagg.exceptions import InvalidInputError
from rankagg.inference.basis import Basis, assumption, by_intervals, by_p_values
from rankagg.inference.decisions import Decisions, tarone
from rankagg.inference.intervals.bounds import hoeffding_p_value
from rankagg.inference.intervals.methods import BINOMIAL, RESAMPLING, Options

if TYPE_CHECKING:
    from rankagg.inference.intervals.pairwise import PairwiseIntervals

__all__ = ["by_holm", "by_intervals_of_pairs", "least_p_values", "p_values"]


def p_values(intervals: PairwiseIntervals) -> Floats:
    """Return the p-values of `PairwiseIntervals.p_values`."""
    compared = intervals.n_units > 0
    mean = np.where(compared, intervals.estimate, 0.5)
    if intervals.method in BINOMIAL:
        wins = np.rint(mean * intervals.n_units)
        values = scipy.stats.binom.sf(wins - 1, np.maximum(intervals.n_units, 1), 0.5)
    else:
        values = hoeffding_p_value(mean, np.where(compared, intervals.shares, 1.0))
    return _off_diagonal(np.where(compared, values, 1.0))


def least_p_values(intervals: PairwiseIntervals) -> Floats:
    """Return the smallest p-values that so many units could have given."""
    compared = intervals.n_units > 0
    if intervals.method in BINOMIAL:
        values = 0.5 ** intervals.n_units.astype(np.float64)
    else:
        values = hoeffding_p_value(1.0, np.where(compared, intervals.shares, 1.0))
    return _off_diagonal(np.where(compared, values, 1.0))


def by_holm(intervals: PairwiseIntervals) -> Decisions:
    """Decide by Holm's procedure, with Tarone's count where p-values are exact."""
    if intervals.anytime:
        raise InvalidInputError(
            "how", "'intervals' for anytime intervals", "holm",
            "Holm's procedure is for one look at the data.",
        )  # fmt: skip
    exact = intervals.method in BINOMIAL
    n, alpha = len(intervals.items), intervals.alpha
    off = ~np.eye(n, dtype=bool)
    least = least_p_values(intervals)[off]
    count = least if exact else np.zeros_like(least)
    above = np.zeros_like(off)
    above[off] = tarone(p_values(intervals)[off], count, alpha)
    name = "sign-test" if exact else "hoeffding"
    basis = Basis(
        method=name,
        assumes=assumption(name, intervals.unit),
        word=intervals.unit,
        n_units=intervals.total_units,
        decidable_from=by_p_values(alpha, n, 0.5 if exact else float(np.exp(-0.5))),
        is_possible=bool(tarone(least, count, alpha).any()),
    )
    how = "exact sign tests (Holm, Tarone)" if exact else "Holm's procedure on Hoeffding p-values"
    return Decisions(items=intervals.items, above=above, alpha=alpha, how=how, basis=basis)


def by_intervals_of_pairs(intervals: PairwiseIntervals) -> Decisions:
    """Decide where 1/2 is outside of a simultaneous interval."""
    if intervals.simultaneous is None:
        raise InvalidInputError(
            "simultaneous", "'bonferroni' or 'max-t' for decisions by intervals", None,
            "Make the intervals with it, or decide by Holm's procedure.",
        )  # fmt: skip
    above: Bools = intervals.lower > 0.5
    np.fill_diagonal(above, False)
    options = Options(
        intervals.method, intervals.alpha, intervals.simultaneous, intervals.alternative,
        intervals.anytime, "half", 100,
    )  # fmt: skip
    name = "max-t" if intervals.simultaneous == "max-t" else intervals.method
    enough = by_intervals(options, len(intervals.items))
    basis = Basis(
        method=name,
        assumes=assumption(name, intervals.unit),
        word=intervals.unit,
        n_units=intervals.total_units,
        decidable_from=enough,
        is_possible=enough is not None and int(intervals.n_units.max()) >= enough,
    )
    return Decisions(
        items=intervals.items,
        above=above,
        alpha=intervals.alpha,
        how=f"{intervals.simultaneous} {intervals.method} intervals"
        + ", tasks and then their instances drawn" * intervals.hierarchical,
        is_approximate=intervals.method in (*RESAMPLING, "wilson", "normal"),
        basis=basis,
    )


def _off_diagonal(values: Floats) -> Floats:
    np.fill_diagonal(values, 1.0)
    return values
