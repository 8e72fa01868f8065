"""A fitted Plackett-Luce distribution: comparisons of items, contrasts, tests."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
import scipy

from rankagg._typing import Label
from rankagg._validation import as_matrix, check_alpha, check_choice
from rankagg.core.items import counted
from rankagg.core.results import ROWS
from rankagg.distributions.fit_result import FitResult
from rankagg.distributions.plackett_luce.plackett_luce import PlackettLuce
from rankagg.distributions.plackett_luce.quasi_variances import QuasiVariances, quasi_variances
from rankagg.exceptions import Described, InvalidInputError

if TYPE_CHECKING:
    from statsmodels.stats.contrast import ContrastResults

__all__ = ["PlackettLuceFit"]


class PlackettLuceFit(FitResult):
    """A fitted Plackett-Luce distribution.

    Made by `PlackettLuce.fit`. The parameters are the log worths, with sum 0, and the logs of the
    tie weights. `plot` draws a `rankagg.plotting.worths_plot`.

    Attributes
    ----------
    gradient_norm : float
        The largest entry of the gradient at the end.
    log_likelihood_equal : float
        The greatest log likelihood with equal worths; NaN with pseudo-rankings or a ridge.
    """

    distribution: PlackettLuce
    gradient_norm: float = field(compare=False)
    log_likelihood_equal: float = field(compare=False)
    _scale: float = field(compare=False)
    _is_plain: bool = field(compare=False)

    _plot = "worths_plot"

    @property
    def _n(self) -> int:
        return self.distribution.n_items

    def quasi_variances(self) -> QuasiVariances:
        """Return one variance per item from which all errors of differences follow, nearly.

        Returns
        -------
        QuasiVariances
            With the worst relative error of a standard error.
        """
        return quasi_variances(self.covariance[: self._n, : self._n])

    def relative_to(self, reference: Label) -> pd.DataFrame:
        """Return log worths less that of a reference item, with their standard errors.

        Parameters
        ----------
        reference : str or int
            An item.

        Returns
        -------
        pandas.DataFrame
            estimate, std_err, z, p_value of "as good as the reference"; the tie weights follow.
        """
        at = self.distribution.items.index(reference)
        project = np.eye(len(self.estimates))
        project[: self._n, at] -= 1.0
        estimates = project @ self.estimates
        errors = np.sqrt(np.maximum(np.diag(project @ self.covariance @ project.T), 0.0))
        errors[at] = np.nan
        with np.errstate(invalid="ignore"):
            z = estimates / errors
        columns = {
            "estimate": estimates, "std_err": errors, "z": z,
            "p_value": 2.0 * scipy.stats.norm.sf(np.abs(z)),
        }  # fmt: skip
        return pd.DataFrame(columns, index=pd.Index(self.names, name="parameter"))

    def comparison_intervals(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return intervals from quasi standard errors: where two overlap little, they differ.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability of error of an interval taken for itself, in (0, 1).

        Returns
        -------
        pandas.DataFrame
            estimate, quasi_se, lower, upper; items by estimate.
        """
        radius = scipy.stats.norm.ppf(1.0 - check_alpha(alpha) / 2.0)
        errors = self.quasi_variances().standard_errors
        estimates = self.estimates[: self._n]
        frame = pd.DataFrame(
            {
                "estimate": estimates,
                "quasi_se": errors,
                "lower": estimates - radius * errors,
                "upper": estimates + radius * errors,
            },
            index=pd.Index(list(self.distribution.items), name="item"),
        )
        return frame.sort_values("estimate", ascending=False, kind="stable")

    # -- tests --------------------------------------------------------------------------------

    def wald_test(self, contrasts: Any) -> ContrastResults:
        """Test linear hypotheses about the parameters.

        Parameters
        ----------
        contrasts : array_like of float, shape (k, p)
            Each row times the estimates is 0 under the hypothesis; rows must sum to 0 over the
            items.

        Returns
        -------
        statsmodels.stats.contrast.ContrastResults
        """
        matrix = as_matrix(contrasts, "contrasts")
        if matrix.shape[1] != len(self.estimates):
            allowed = f"rows of {counted(len(self.estimates), 'number')}, one per parameter"
            raise InvalidInputError("contrasts", allowed, Described(f"shape {matrix.shape}"))
        if not np.allclose(matrix[:, : self._n].sum(axis=1), 0.0):
            raise InvalidInputError(
                "contrasts", "rows that sum to 0 over the items",
                Described("a row that does not"), "Only differences of log worths are determined.",
            )  # fmt: skip
        if not np.linalg.matrix_rank(matrix):
            raise InvalidInputError("contrasts", "rows that are not 0", Described("zeros"))
        value = matrix @ self.estimates
        spread = matrix @ self.covariance @ matrix.T
        rank = int(np.linalg.matrix_rank(matrix))
        statistic = float(value @ np.linalg.pinv(spread) @ value)
        return _chi_squared(statistic, rank)

    def test_equal_worths(self, method: Literal["lr", "wald"] = "lr") -> ContrastResults:
        """Test "all items have the same worth".

        Parameters
        ----------
        method : {"lr", "wald"}, default "lr"
            By likelihood ratio, or by Wald's statistic, the only one with pseudo-rankings or a
            ridge.

        Returns
        -------
        statsmodels.stats.contrast.ContrastResults
        """
        if check_choice(method, ("lr", "wald"), "method") == "lr" and not self._is_plain:
            raise InvalidInputError(
                "method", "'wald' with pseudo-rankings or a ridge", method,
                "The estimates do not maximize the likelihood of the data.",
            )  # fmt: skip
        if method == "wald":
            contrasts = np.zeros((self._n - 1, len(self.estimates)))
            contrasts[:, 0] = 1.0
            contrasts[np.arange(self._n - 1), np.arange(1, self._n)] = -1.0
            return self.wald_test(contrasts)
        statistic = 2.0 * (self.log_likelihood - self.log_likelihood_equal) * self._scale
        return _chi_squared(statistic, self._n - 1)

    # -- how it looks -------------------------------------------------------------------------

    def summary(
        self, *, alpha: float = 0.05, rows: int | None = ROWS, reference: Label | None = None
    ) -> str:
        """Return the fit as text, as statsmodels shows one.

        Parameters
        ----------
        alpha : float, default 0.05
            For the intervals.
        rows : int or None, default 30
            How many parameters to print at most; None prints all.
        reference : str or int, optional
            Show log worths less that of this item; by default they sum to 0.

        Returns
        -------
        str
        """
        if reference is None:
            return super().summary(alpha=alpha, rows=rows)
        level = check_alpha(alpha)
        frame = self.relative_to(reference)
        radius = scipy.stats.norm.ppf(1.0 - level / 2.0) * frame["std_err"]
        table = frame.assign(lower=frame["estimate"] - radius, upper=frame["estimate"] + radius)
        columns = self._coefficients(level).columns
        notes = (f"Log worths less that of {reference}.", *self.notes[1:])
        return self._as_statsmodels(table.rename_axis(None).set_axis(columns, axis=1), notes, rows)


def _chi_squared(statistic: float, df: int) -> ContrastResults:
    # statsmodels takes longer to load than most fits take.
    from statsmodels.stats.contrast import ContrastResults  # noqa: PLC0415

    return ContrastResults(statistic=statistic, df_denom=df, distribution="chi2")
