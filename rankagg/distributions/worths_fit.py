"""What fits of log worths have in common: log worths less that of a reference item."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Label
from rankagg._validation import check_alpha
from rankagg.core import ROWS
from rankagg.distributions.fit_result import FitResult, with_intervals


class WorthsFit(FitResult):
    """A fit of log worths, of which only differences are determined, and of other parameters."""

    _plot = "worths_plot"

    @property
    def log_worths(self) -> Floats:
        """The fitted log worth of each item, in the order of the items, with sum 0."""
        return self.estimates[: self._n]

    @property
    def _n(self) -> int:
        return self.distribution.n_items

    def _student_of(self, *which: Any) -> Any:
        """Return the distribution of differences of the parameters there, over their errors."""
        return self._student

    def relative_to(self, reference: Label, alpha: float = 0.05) -> pd.DataFrame:
        """Return log worths less that of a reference item, with their standard errors.

        Parameters
        ----------
        reference : str or int
            An item.
        alpha : float, default 0.05
            Probability of error of each interval, in (0, 1).

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

    def summary(
        self, *, alpha: float = 0.05, rows: int | None = ROWS, reference: Label | None = None
    ) -> str:
        """Return the fit as text, as statsmodels shows one.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability of error of each interval, in (0, 1).
        rows : int or None, default 30
            How many parameters to print at most; None prints all.
        reference : str or int, optional
            Show log worths less that of this item; by default they sum to 0.
        """
        if reference is None:
            return super().summary(alpha=alpha, rows=rows)
        table = self.relative_to(reference, check_alpha(alpha))
        columns = self._coefficients(alpha).columns
        notes = (f"Log worths less that of {reference}.", *self.notes[1:])
        return self._as_statsmodels(table.rename_axis(None).set_axis(columns, axis=1), notes, rows)
