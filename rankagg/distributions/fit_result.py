"""Results of a fit: estimates, standard errors, and a summary in the style of statsmodels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import reduce
from math import log
from typing import Any

import numpy as np
import pandas as pd
import scipy

from rankagg._typing import Floats, Label
from rankagg._validation import check_alpha, check_integer
from rankagg.core import ROWS, Result, counted, p_text, plain_rows
from rankagg.distributions.base import RankingDistribution


def holm(p_values: Floats) -> Floats:
    """Return adjusted p-values; those of at most alpha are rejected at level alpha.

    Holm (1979), "A simple sequentially rejective multiple test procedure", Scandinavian Journal
    of Statistics 6.
    """
    # The function of statsmodels collects garbage at each call, which takes most of a test's time.
    order = np.argsort(p_values, kind="stable")
    steps = np.maximum.accumulate(p_values[order] * np.arange(len(order), 0, -1))
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


def _with_intervals(estimates: Floats, errors: Floats, student: Any, alpha: float) -> pd.DataFrame:
    """Return estimates with their standard errors, tests against 0, and intervals."""
    with np.errstate(divide="ignore", invalid="ignore"):
        z = estimates / errors
    radius = student.ppf(1.0 - alpha / 2.0) * errors
    columns = {
        "estimate": estimates,
        "std_err": errors,
        "z": z,
        "p_value": 2.0 * student.sf(np.abs(z)),
        "lower": estimates - radius,
        "upper": estimates + radius,
    }
    return pd.DataFrame(columns)


class FitResult(Result):
    """A fitted distribution with its estimates and their errors.

    Made by `fit` of a distribution; `plot` draws a `rankagg.plotting.parameters_plot`.

    Attributes
    ----------
    distribution : RankingDistribution
        The fitted distribution.
    names : tuple of str
        The names of the parameters, in the order of `estimates`.
    estimates : ndarray of float, shape (p,)
        Of the continuous parameters.
    covariance : ndarray of float, shape (p, p)
        Of the estimates, from the observed information, or between clusters.
    log_likelihood : float
        At the maximum. Weights are scaled to sum to `n_observations`, so that criteria and tests
        do not depend on their unit.
    n_parameters : int
        Free continuous parameters.
    n_observations : float
        Effective number of independent rankings, (sum w)^2/sum w^2; their number if weights are
        equal.
    converged : bool
        True if the maximum was reached within the tolerance.
    n_iterations : int
        Of the fit.
    notes : tuple of str
        Caveats.
    """

    distribution: RankingDistribution
    names: tuple[str, ...]
    estimates: Floats
    covariance: Floats
    log_likelihood: float
    n_parameters: int = field(compare=False)
    n_observations: float
    converged: bool
    n_iterations: int = field(compare=False)
    notes: tuple[str, ...] = ()

    _schema = "rankagg.fit"
    _plot = "parameters_plot"
    _row = "parameter"
    _number = "{:z.4f}"

    # -- numbers ------------------------------------------------------------------------------

    @property
    def _student(self) -> Any:
        """The distribution of an estimation error divided by its standard error."""
        return scipy.stats.norm

    @property
    def _statistic(self) -> str:
        """The letter of that quotient in the header of statsmodels."""
        return "z"

    @property
    def _tests_zero(self) -> bool:
        """Whether z and p_value test that a parameter is 0."""
        return True

    @property
    def standard_errors(self) -> Floats:
        """Square roots of the variances of the estimates."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    @property
    def aic(self) -> float:
        """Akaike's criterion, 2 p - 2 log likelihood."""
        return 2.0 * self.n_parameters - 2.0 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz's criterion, p log(n) - 2 log likelihood."""
        return self.n_parameters * log(self.n_observations) - 2.0 * self.log_likelihood

    def conf_int(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return intervals for the parameters: Wald's, unless the class says otherwise.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability of error of each interval, in (0, 1).

        Returns
        -------
        pandas.DataFrame
            Index: names. Columns lower and upper.
        """
        return self._bounds(check_alpha(alpha))

    def _bounds(self, alpha: float) -> pd.DataFrame:
        return self._all_columns(alpha)[["lower", "upper"]]

    def _all_columns(self, alpha: float) -> pd.DataFrame:
        frame = _with_intervals(self.estimates, self.standard_errors, self._student, alpha)
        return frame.set_axis(pd.Index(self.names, name="parameter"))

    def to_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return one row per parameter.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability of error of each interval, in (0, 1).

        Returns
        -------
        pandas.DataFrame
            estimate, std_err, z and p_value of the test against 0, lower, upper. z and p_value
            are NaN if that test is invalid, as for a dispersion around an estimated center.
        """
        frame = self._all_columns(check_alpha(alpha))
        frame[["lower", "upper"]] = self.conf_int(alpha)
        if not self._tests_zero:
            frame[["z", "p_value"]] = np.nan
        return frame

    def to_dict(self, alpha: float = 0.05) -> dict[str, Any]:
        """Return plain data for JSON, with `schema` and `version`.

        Parameters
        ----------
        alpha : float, default 0.05
            As for `to_frame`.
        """
        return {"schema": self._schema, "version": self._version, **self._content(alpha)}

    def _content(self, alpha: float = 0.05) -> dict[str, Any]:
        return {
            "model": type(self.distribution).__name__,
            "items": list(self.distribution.items),
            **self._plain("log_likelihood", "aic", "bic", "n_observations"),
            **self._plain("converged", "n_iterations"),
            "notes": list(self.notes),
            "parameters": plain_rows(self.to_frame(alpha).reset_index()),
        }

    # -- how it looks -------------------------------------------------------------------------

    def _head(self) -> dict[str, str]:
        """Return the entries above the table of parameters."""
        return {
            "Model:": type(self.distribution).__name__,
            "No. Items:": str(self.distribution.n_items),
            "No. Observations:": f"{self.n_observations:g}",
            "Log-Likelihood:": f"{self.log_likelihood:.5g}",
            "AIC:": f"{self.aic:.6g}",
            "BIC:": f"{self.bic:.6g}",
            "Converged:": "yes" if self.converged else "no",
            "Iterations:": str(self.n_iterations),
        }

    def _facts(self) -> list[str]:
        return [f"{name} {value}" for name, value in self._head().items()]

    def _coefficients(self, alpha: float) -> pd.DataFrame:
        """Return the parameters under the column names of statsmodels."""
        z, bounds = self._statistic, [f"[{alpha / 2:g}", f"{1 - alpha / 2:g}]"]
        columns = ["coef", "std err", z, f"P>|{z}|", *bounds]
        table = self.to_frame(alpha).rename_axis(None).set_axis(columns, axis=1)
        return table if self._tests_zero else table.drop(columns=columns[2:4])

    def _table(self) -> pd.DataFrame:
        return self._coefficients(0.05)

    def _below(self, rows: int | None = ROWS) -> tuple[str, ...]:
        return self.notes

    def summary(self, *, alpha: float = 0.05, rows: int | None = ROWS) -> str:
        """Return the fit as text in the layout of statsmodels.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability of error of each interval, in (0, 1).
        rows : int or None, default 30
            Most items to print, or most parameters if none belongs to an item; None prints all.
        """
        return self._as_statsmodels(self._coefficients(check_alpha(alpha)), self.notes, rows)

    def _as_statsmodels(self, table: pd.DataFrame, notes: Sequence[str], rows: int | None) -> str:
        # statsmodels takes longer to load than most fits take.
        from statsmodels.iolib.summary2 import Summary  # noqa: PLC0415

        limit = len(table) if rows is None else check_integer(rows, "rows", low=1)
        # Parameters of no item, such as weights of ties, come last and are never cut off.
        is_cut = table.index.isin(list(map(str, self.distribution.items)))
        is_cut = is_cut if is_cut.any() else np.ones(len(table), dtype=bool)
        is_shown = ~is_cut | (np.cumsum(is_cut) <= limit)
        left = int((~is_shown).sum())
        summary = Summary()
        summary.add_title(f"{type(self.distribution).__name__} fit")
        summary.add_dict(self._head())
        summary.add_df(table[is_shown], float_format="%.4f")
        for note in [self._left_out(left)] * bool(left) + [*notes]:
            summary.add_text(note)
        return str(summary)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.distribution!r}>"


class SimulatedTest(Result):
    """A test of uniformity by samples of equally likely permutations.

    Made by `MallowsFit.test_uniform`; it has no plot.

    Attributes
    ----------
    statistic : float
        The mean distance of the rankings to their center.
    expected : float
        The mean statistic of the samples.
    p_value : float
        Share of samples, including the rankings, with a statistic as extreme.
    n_resamples : int
        Simulated samples.
    """

    statistic: float
    expected: float
    p_value: float
    n_resamples: int

    _schema = "rankagg.simulated_test"
    _prints_table = False

    def to_frame(self) -> pd.DataFrame:
        """Return one row with the attributes as columns."""
        return pd.DataFrame([self._content()])

    def _content(self) -> dict[str, Any]:
        return self._plain("statistic", "expected", "p_value", "n_resamples")

    def _facts(self) -> list[str]:
        samples = counted(self.n_resamples, "simulated sample")
        return [
            f"mean distance to the center: {self.statistic:.4g}, p {p_text(self.p_value)}",
            f"expected if all permutations are equally likely: {self.expected:.4g}, from {samples}",
        ]


class WorthsFit(FitResult):
    """A fit of log worths, identified up to a constant, and of other parameters."""

    unit: str | None
    n_units: int
    _degrees_of_freedom: Floats

    _plot = "worths_plot"

    @property
    def log_worths(self) -> Floats:
        """The fitted log worth of each item, in the order of the items, with sum 0."""
        return self.estimates[: self._n]

    @property
    def _n(self) -> int:
        return self.distribution.n_items

    @property
    def degrees_of_freedom(self) -> Floats:
        """Degrees of freedom of each error, by the units that compare an item; else infinite.

        Comparisons with different weights are a unit each. A difference has the smaller number of
        its items.
        """
        return self._degrees_of_freedom

    @property
    def _student(self) -> Any:
        return self._student_of(slice(None))

    @property
    def _statistic(self) -> str:
        return "t" if np.isfinite(self.degrees_of_freedom).any() else "z"

    def _student_of(self, *which: Any) -> Any:
        """Return the distribution of the errors of differences over their standard errors."""
        return scipy.stats.t(reduce(np.minimum, (self.degrees_of_freedom[each] for each in which)))

    def _differences(
        self, estimates: Floats, variances: Floats, student: Any, alpha: float
    ) -> pd.DataFrame:
        """Return differences of parameters with standard errors, tests against 0, and intervals."""
        errors = np.sqrt(np.maximum(variances, 0.0))
        return _with_intervals(estimates, errors, student, check_alpha(alpha))

    def relative_to(self, reference: Label, alpha: float = 0.05) -> pd.DataFrame:
        """Return log worths minus that of a reference item, with standard errors.

        Parameters
        ----------
        reference : str or int
            An item.
        alpha : float, default 0.05
            Probability of error of each interval, in (0, 1).

        Returns
        -------
        pandas.DataFrame
            estimate, std_err, z and p_value of the test of equal worths, lower, upper; the other
            parameters follow.
        """
        at, every = self.distribution.items.index(reference), np.arange(len(self.estimates))
        project = np.eye(len(every))
        project[: self._n, at] -= 1.0
        variances = np.diag(project @ self.covariance @ project.T)
        student = self._student_of(every, np.where(every < self._n, at, every))
        frame = self._differences(project @ self.estimates, variances, student, alpha)
        frame.iloc[at, 1:] = np.nan
        return frame.set_axis(pd.Index(self.names, name="parameter"))

    def summary(
        self, *, alpha: float = 0.05, rows: int | None = ROWS, reference: Label | None = None
    ) -> str:
        """Return the fit as text in the layout of statsmodels.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability of error of each interval, in (0, 1).
        rows : int or None, default 30
            Most parameters to print; None prints all.
        reference : str or int, optional
            Show log worths minus that of this item; by default they sum to 0.
        """
        if reference is None:
            return super().summary(alpha=alpha, rows=rows)
        table = self.relative_to(reference, check_alpha(alpha))
        columns = self._coefficients(alpha).columns
        notes = (f"Log worths less that of {reference}.", *self.notes[1:])
        return self._as_statsmodels(table.rename_axis(None).set_axis(columns, axis=1), notes, rows)
