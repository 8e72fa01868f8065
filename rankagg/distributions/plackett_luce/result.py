"""Fits of worths, and that of Plackett-Luce: comparisons of items, contrasts, tests."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Label
from rankagg._validation import as_matrix, check_alpha, check_choice
from rankagg.core import ROWS, counted
from rankagg.distributions.fit_result import FitResult, with_intervals
from rankagg.distributions.plackett_luce.plackett_luce import PlackettLuce
from rankagg.distributions.plackett_luce.quasi_variances import QuasiVariances, quasi_variances
from rankagg.exceptions import Described, InvalidInputError

if TYPE_CHECKING:
    from statsmodels.stats.contrast import ContrastResults


class WorthsFit(FitResult):
    """A fit of log worths, of which only differences are determined, and of other parameters."""

    _plot = "worths_plot"

    @property
    def log_worths(self) -> Floats:
        """The fitted log worth of each item, in the order of the items, with sum 0."""
        return cast(PlackettLuce, self.distribution).log_worths

    @property
    def _n(self) -> int:
        return self.distribution.n_items

    def _student_of(self, *which: Any) -> Any:
        """Return the distribution of differences of the parameters there, over their errors."""
        return self._student

    def quasi_variances(self) -> QuasiVariances:
        """Return one variance per item from which all errors of differences follow, nearly.

        Returns
        -------
        QuasiVariances
            With the worst relative error of a standard error (Firth and de Menezes 2004).
        """
        n, items = self._n, self.distribution.items
        order = np.argsort(-self.estimates[:n], kind="stable")
        return replace(quasi_variances(self.covariance[:n, :n], items=items), _order=order)

    def relative_to(self, reference: Label, alpha: float = 0.05) -> pd.DataFrame:
        """Return log worths less that of a reference item, with their standard errors.

        Parameters
        ----------
        reference : str or int
            An item.
        alpha : float, default 0.05
            For the intervals.

        Returns
        -------
        pandas.DataFrame
            estimate, std_err, z, p_value of "as good as the reference", lower, upper; the other
            parameters follow.
        """
        at, every = self.distribution.items.index(reference), np.arange(len(self.estimates))
        project = np.eye(len(every))
        project[: self._n, at] -= 1.0
        variances = np.diag(project @ self.covariance @ project.T)
        frame = with_intervals(
            project @ self.estimates,
            np.sqrt(np.maximum(variances, 0.0)),
            self._student_of(every, np.where(every < self._n, at, every)),
            check_alpha(alpha),
        )
        frame.iloc[at, 1:] = np.nan
        return frame.set_axis(pd.Index(self.names, name="parameter"))

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
        errors = self.quasi_variances().standard_errors
        estimates = self.estimates[: self._n]
        radius = self._student_of(slice(self._n)).ppf(1.0 - check_alpha(alpha) / 2.0) * errors
        columns = {"estimate": estimates, "quasi_se": errors}
        columns |= {"lower": estimates - radius, "upper": estimates + radius}
        index = pd.Index(list(self.distribution.items), name="item")
        frame = pd.DataFrame(columns, index=index)
        return frame.sort_values("estimate", ascending=False, kind="stable")

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
        table = self.relative_to(reference, check_alpha(alpha))
        columns = self._coefficients(alpha).columns
        notes = (f"Log worths less that of {reference}.", *self.notes[1:])
        return self._as_statsmodels(table.rename_axis(None).set_axis(columns, axis=1), notes, rows)


class PlackettLuceFit(WorthsFit):
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
    _score: float = field(compare=False)

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
            allowed = "rows that sum to 0 over the items"
            remedy = "Only differences of log worths are determined."
            told = Described("a row that does not")
            raise InvalidInputError("contrasts", allowed, told, remedy)
        if not np.linalg.matrix_rank(matrix):
            raise InvalidInputError("contrasts", "rows that are not 0", Described("zeros"))
        value = matrix @ self.estimates
        spread = matrix @ self.covariance @ matrix.T
        rank = int(np.linalg.matrix_rank(matrix))
        return _chi_squared(float(value @ np.linalg.pinv(spread) @ value), rank)

    def test_equal_worths(
        self, method: Literal["score", "lr", "wald"] = "score"
    ) -> ContrastResults:
        """Test "all items have the same worth".

        Parameters
        ----------
        method : {"score", "lr", "wald"}, default "score"
            By the score at equal worths (Rao 1948), by likelihood ratio, or by Wald's statistic.
            The score of strict rankings has an exact covariance where all orders are as likely, so
            that the level holds with few rankings too, where the likelihood ratio rejects too
            often. With a ridge or pseudo-rankings there is no likelihood ratio, and with ties
            neither.

        Returns
        -------
        statsmodels.stats.contrast.ContrastResults

        References
        ----------
        Rao (1948), https://doi.org/10.1017/S0305004100023987; in complete rankings each place has
        the score of Savage (1956), https://doi.org/10.1214/aoms/1177728170.
        """
        known = {"score": self._score, "lr": self.log_likelihood_equal, "wald": 0.0}
        if np.isnan(known[check_choice(method, tuple(known), "method")]):
            allowed = "'wald' with pseudo-rankings or a ridge"
            remedy = "The estimates do not maximize the likelihood of the data."
            if not np.isnan(self._score):
                allowed = "'score' or " + allowed
            raise InvalidInputError("method", allowed, method, remedy)
        if method == "score":
            return _chi_squared(self._score, self._n - 1)
        if method == "wald":
            contrasts = np.zeros((self._n - 1, len(self.estimates)))
            contrasts[:, 0] = 1.0
            contrasts[np.arange(self._n - 1), np.arange(1, self._n)] = -1.0
            return self.wald_test(contrasts)
        statistic = 2.0 * (self.log_likelihood - self.log_likelihood_equal)
        return _chi_squared(statistic, self._n - 1)


def _chi_squared(statistic: float, df: int) -> ContrastResults:
    # statsmodels takes longer to load than most fits take.
    from statsmodels.stats.contrast import ContrastResults  # noqa: PLC0415

    return ContrastResults(statistic=statistic, df_denom=df, distribution="chi2")
