"""Power analysis: required numbers of units, and detectable differences."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
import scipy

from rankagg._typing import Floats, Label, Positions
from rankagg._validation import check_alpha, check_integer, check_number, table_remedy
from rankagg.aggregation import cautions
from rankagg.core import (
    Result,
    ScoreTable,
    part_of,
    plain_rows,
    quantity,
    rounding_error,
    scaled,
    sentence,
    weighted_mean,
)
from rankagg.exceptions import InvalidInputError
from rankagg.inference.decisions import least_number
from rankagg.inference.one_pair import PairedSample, checked_table, paired_sample
from rankagg.inference.paired_test import TESTS
from rankagg.inference.units import Unit

# Columns of each pair of neighbors.
FIGURES = ("difference", "spread", "n_units", "detectable", "needed")


def units_needed(
    difference: float,
    spread: float | None = None,
    *,
    differing: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    n_tests: int = 1,
) -> int:
    """Return the number of units that a paired test needs to detect a difference.

    Parameters
    ----------
    difference : float
        The true mean difference of the two systems in a unit, or of their proportions; not 0.
    spread : float, optional
        The standard deviation of the differences of units.
    differing : float, optional
        For right and wrong answers, instead of `spread`: the share of units in which only one of
        the two is right; at least the difference, up to 1.
    power : float, default 0.8
        The probability that the test decides, in (0, 1).
    alpha : float, default 0.05
        The two-sided level of the test, in (0, 1).
    n_tests : int, default 1
        Number of tests that share the level, by Bonferroni.

    Returns
    -------
    int
        Independent units that have the scores of both.

    Notes
    -----
    With a spread the number is for the paired t-test, by the noncentral t distribution. Sign flips
    and Wilcoxon's test need about as many for nearly normal differences. For answers it is
    (z sqrt(p) + y sqrt(p - d^2))^2/d^2 for McNemar's test, with normal quantiles z of the level
    and y of the power. The exact test needs a few more, since its level is below alpha.

    References
    ----------
    Miettinen (1968), "The matched pairs design in the case of all-or-none responses",
    https://doi.org/10.2307/2528039; Connor (1987), "Sample size for testing differences in
    proportions for the paired-sample design", https://doi.org/10.2307/2531961.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg.inference import units_needed
    >>> units_needed(0.5, spread=1.0)
    34
    >>> units_needed(0.02, differing=0.2), units_needed(0.02, differing=0.2, n_tests=133)
    (3923, 9668)
    """
    gap = abs(check_number(difference, "difference"))
    wide = 1.0 if spread is None else check_number(spread, "spread", low=0)
    if gap < (least := 1e-100 * max(wide, 1.0)):
        remedy = "No number of units detects a difference of 0."
        raise InvalidInputError("difference", f"{least:g} or more in size", difference, remedy)
    level, chance = _test_levels(alpha, power, n_tests)
    if (spread is None) == (differing is None):
        allowed = "given, or `differing` in its place"
        remedy = "Give the standard deviation of differences, or the share of units with one right "
        raise InvalidInputError("spread", allowed, spread, remedy + "answer.")
    if spread is not None:
        return _least_units(gap, wide, level, chance)
    share = check_number(differing, "differing", low=0, high=1, open_low=True)
    if share < gap:
        allowed = f"a share of at least the difference ({gap:g})"
        remedy = "The difference of proportions cannot exceed the share of units that differ."
        raise InvalidInputError("differing", allowed, differing, remedy)
    return int(np.ceil(_answers_needed(gap, share, level, chance)))


def _test_levels(alpha: object, power: object, n_tests: object) -> tuple[float, float]:
    chance = check_number(power, "power", low=0, high=1, open_low=True, open_high=True)
    level = check_alpha(alpha) / check_integer(n_tests, "n_tests", low=1)
    if chance <= level:
        raise InvalidInputError("power", f"more than the level of the test ({level:g})", power)
    return level, chance


# -- scores ---------------------------------------------------------------------------------------


def _t_power(gap: float, spread: float, n: float, level: float) -> float:
    """Return the power of the paired t-test of n units.

    It is that of a normal test, averaged over the sampling distribution of the spread.
    """
    if n < 2:
        return 0.0
    if spread <= 0:
        return 1.0
    far, critical = gap / spread * float(np.sqrt(n)), -scipy.special.stdtrit(n - 1, level / 2)
    # SciPy returns NaN for the far tail on the other side, which is 0.
    other = np.nan_to_num(scipy.special.nctdtr(n - 1, far, -critical))
    return float(scipy.stats.nct.sf(critical, n - 1, far) + other)


def _least_units(gap: float, spread: float, level: float, chance: float) -> int:
    """Return the smallest number of units that gives the paired t-test the power."""
    return least_number(lambda n: _t_power(gap, spread, float(n), level) >= chance, 10**300)


def _t_detectable(spread: float, n: float, level: float, chance: float) -> float:
    """Return the difference that the paired t-test of n units detects."""
    if n < 2:
        return np.inf
    if spread <= 0:
        return 0.0
    high = spread
    while _t_power(high, spread, n, level) < chance:
        high *= 2
    root = scipy.optimize.brentq(lambda gap: _t_power(gap, spread, n, level) - chance, 0.0, high)
    return float(root)


# -- answers --------------------------------------------------------------------------------------


def _answers_needed(gap: float, share: float, level: float, chance: float) -> float:
    """Return the number of units that McNemar's test needs."""
    z, y = scipy.stats.norm.isf(level / 2), scipy.stats.norm.ppf(chance)
    rest = float(np.sqrt(max(share - gap**2, 0.0)))
    return float((z * np.sqrt(share) + y * rest) ** 2 / gap**2)


def _answers_detectable(share: float, n: float, level: float, chance: float) -> float:
    """Return the difference that McNemar's test of n units detects; infinite if none."""
    if share <= 0 or _answers_needed(share, share, level, chance) > n:
        return np.inf

    def off(gap: float) -> float:
        return float(np.log(_answers_needed(gap, share, level, chance) / n))

    return float(scipy.optimize.brentq(off, share * 1e-9, share))


def separation(
    data: ScoreTable,
    *,
    unit: Unit = "ranking",
    alpha: float = 0.05,
    power: float = 0.8,
    n_tests: int | None = None,
) -> Separation:
    """Return the number of units needed to separate each system from the next by mean scores.

    Parameters
    ----------
    data : ScoreTable
        The scores.
    unit : {"ranking", "instance", "task"}, default "ranking"
        The independent unit, whose number is computed; see `paired_test`.
    alpha : float, default 0.05
        The family-wise error rate of all tests, in (0, 1).
    power : float, default 0.8
        The probability that a pair is decided.
    n_tests : int, optional
        Number of tests that share alpha, by Bonferroni; by default one for each pair of neighbors.

    Notes
    -----
    The observed difference and spread are assumed true, although they are uncertain: the number for
    a small difference is an order of magnitude. For single scores of 0 and 1 as units it is for
    McNemar's test, otherwise for the t-test; see `units_needed`. Weighted units count as
    n (sum w)^2/(n sum w^2) of equal weight.

    Examples
    --------
    >>> import rankagg as ra
    >>> separation = ra.inference.separation(ra.datasets.load("superglue_human"))
    >>> separation.to_frame()[["above", "below", "difference", "detectable", "needed"]].round(2)
            above       below  difference  detectable  needed
    0       Human     DeBERTa        1.18        6.85   224.0
    1     DeBERTa  T5 + Meena        0.53        1.85    84.0
    2  T5 + Meena          T5        0.54        2.02    98.0
    3          T5  PAI Albert        0.88        6.85   398.0
    4  PAI Albert  NEZHA Plus        3.11       10.34    77.0
    """
    data = checked_table(data, "all systems")
    if data.n_systems < 2:
        raise InvalidInputError("data", "a table of two systems or more", data, table_remedy(data))
    tests = data.n_systems - 1 if n_tests is None else check_integer(n_tests, "n_tests", low=1)
    level, chance = _test_levels(alpha, power, tests)
    names = [data.systems[int(i)] for i in _order(data)]
    sample = paired_sample(data, list(pairwise(names)), unit)
    rows = [_figures(sample, pair, level, chance) for pair in range(len(names) - 1)]
    figures = dict(zip(FIGURES, map(np.array, zip(*rows, strict=True)), strict=True))
    turned = figures["difference"] < 0
    figures["difference"] = np.abs(figures["difference"])
    neighbors = zip(pairwise(names), turned, strict=True)
    above, below = zip(*(pair[::-1] if turn else pair for pair, turn in neighbors), strict=True)
    notes = cautions(data)
    if turned.any():
        note = "in {} the system with the lower mean is above: it is ahead in the {}s with both"
        number = part_of(int(turned.sum()), "pairs turned", len(turned), "neighbors", "pair")
        notes.append(sentence(note, number, sample.unit))
    return Separation(
        order=tuple(names),
        above=above,
        below=below,
        unit=sample.unit,
        alpha=float(alpha),
        power=chance,
        n_tests=tests,
        method="mcnemar" if sample.is_answers else "t",
        notes=tuple(notes),
        **figures,
    )


def _order(table: ScoreTable) -> Positions:
    """Return the systems by mean score, weighted by task, the best first."""
    weights = np.where(table.missing, 0.0, table.weight_vector[table.unit_tasks])
    scored, means = weights.any(axis=1), np.full(table.n_systems, -np.inf)
    values, _ = scaled(np.where(table.missing, 0.0, table.values * table.signs))
    means[scored] = weighted_mean(values[scored], weights[scored])
    return np.argsort(-means, kind="stable")


def _figures(sample: PairedSample, pair: int, level: float, chance: float) -> tuple[float, ...]:
    """Return the figures of one pair."""
    present = ~np.isnan(sample.differences[:, pair])
    d, weights = sample.differences[present, pair], sample.weights[present]
    n = len(d)
    # In units of the largest difference, so that no square overflows or vanishes.
    scale = float(np.abs(d).max(initial=0.0)) or 1.0
    parts, one = d / scale, float(np.ldexp(scale, -sample.shift))
    if n < 2:
        return one * float(parts[0]) if n else np.nan, np.nan, n, np.inf, np.inf
    mean = float(np.average(parts, weights=weights))
    variance = float(np.average((parts - mean) ** 2, weights=weights)) * n / (n - 1)
    spread = float(np.sqrt(variance))
    factor = n * float((weights**2).sum() / weights.sum() ** 2)
    rounded = rounding_error(float(sample.sizes[present, pair].max()) / scale, n)
    # Set rounding errors to 0.
    mean = mean if abs(mean) > rounded else 0.0
    gap = abs(mean)
    needed = np.inf
    if sample.is_answers:
        share = float((d**2).mean())
        detectable = _answers_detectable(share, n, level, chance)
        if gap:
            needed = _answers_needed(gap, share, level, chance)
    elif np.abs(parts - mean).max() <= rounded:
        detectable, needed = np.nan, np.nan if gap else np.inf
    else:
        detectable = _t_detectable(spread, n / factor, level, chance)
        if gap:
            needed = factor * _least_units(gap, spread, level, chance)
    return one * mean, one * spread, n, one * detectable, float(np.ceil(needed - 1e-9))


class Separation(Result):
    """Difference of each system to the next one, and number of units needed to detect it.

    Made by `separation`; `plot` draws a `rankagg.plotting.separation_plot`.

    Attributes
    ----------
    order : tuple of labels
        The systems by mean score, the best first.
    above, below : tuple of labels, length n - 1
        Pairs of neighbors in that order: the system that is ahead in the units that have both
        scores, and the other.
    unit : {"instance", "task", "cluster"}
        The independent unit; a column of a table of tasks is a task.
    alpha, power : float
        The family-wise error rate, and the probability that a pair is decided.
    n_tests : int
        Number of tests that share alpha.
    method : {"mcnemar", "t"}
        The test: McNemar's for right and wrong answers, otherwise the t-test.
    difference, spread : ndarray of float, shape (n - 1,)
        For each pair the mean difference in the units that have both scores, at least 0, and the
        standard deviation of these differences.
    n_units : ndarray of int, shape (n - 1,)
        Units that have both scores.
    detectable : ndarray of float, shape (n - 1,)
        The smallest difference that so many units detect; infinite if none, NaN if all units
        agree, so that the spread is unknown.
    needed : ndarray of float, shape (n - 1,)
        Units that the observed difference needs, if it is the true one; infinite if it is 0, NaN
        if all units agree on another one.
    notes : tuple of str
        Reasons against an order by mean scores.
    """

    order: tuple[Label, ...]
    above: tuple[Label, ...]
    below: tuple[Label, ...]
    unit: str
    alpha: float
    power: float
    n_tests: int
    method: Literal["mcnemar", "t"]
    difference: Floats
    spread: Floats
    n_units: Positions
    detectable: Floats
    needed: Floats
    notes: tuple[str, ...] = ()

    _schema = "rankagg.separation"
    _plot = "separation_plot"
    _row = "pair"
    _named_rows = False
    _number = "{:z.4g}"
    _formats: ClassVar = {"needed": "{:z.0f}".format}

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each system and the next one.

        Returns
        -------
        pandas.DataFrame
            above, below, difference, spread, n_units, detectable, needed.
        """
        names = {"above": list(self.above), "below": list(self.below)}
        return pd.DataFrame(names | {figure: getattr(self, figure) for figure in FIGURES})

    def _content(self) -> dict[str, Any]:
        level = self._plain("unit", "alpha", "power", "n_tests", "method", "notes")
        return {**level, "pairs": plain_rows(self.to_frame())}

    def _facts(self) -> list[str]:
        enough = int((self.needed <= self.n_units).sum())
        agreed = int(np.isnan(self.detectable).sum())
        systems = quantity(len(self.order), "items", noun="system")
        pairs = part_of(enough, "pairs with as many units", len(self.needed), "neighbors", "pair")
        power, rate = quantity(100 * self.power, "power", "g"), quantity(self.alpha, "alpha", "g")
        test = TESTS.get(self.method, "t")
        template = "power {} % of {} tests, {} with a family-wise error rate of {}"
        agree = quantity(agreed, "pairs on which all agree", noun="pair")
        unknown = sentence("note: all {}s agree on {}, whose spread is unknown", self.unit, agree)
        by = "{} by mean score, each against the next one; independent: {}s"
        return [
            sentence(by, systems, self.unit),
            sentence(template, power, test, quantity(self.n_tests, "tests"), rate),
            "needed: units, if the observed differences and spreads are the true ones",
            sentence("{} {} as many", pairs, "has" if enough == 1 else "have"),
            *[unknown] * bool(agreed),
            *(sentence("note: {}", note) for note in self.notes),
        ]
