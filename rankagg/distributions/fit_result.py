"""What a fit returns: estimates, their errors, and a summary as statsmodels users know it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import scipy

from rankagg._typing import Floats
from rankagg._validation import check_alpha
from rankagg.core.value import Value, array_key, frozen_array
from rankagg.distributions.base import RankingDistribution

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from statsmodels.iolib.summary2 import Summary

__all__ = ["FitResult"]


class FitResult(Value):
    """A fitted distribution, with what is known of its parameters.

    Made by `fit` of a distribution.

    Attributes
    ----------
    distribution : RankingDistribution
        The fitted distribution.
    names : tuple of str
        The names of the parameters, in the order of `estimates`.
    estimates : ndarray of float, shape (p,)
        Of the continuous parameters.
    covariance : ndarray of float, shape (p, p)
        Of the estimates, from the observed information.
    log_likelihood : float
        At the maximum; weighted rankings count with their weight.
    n_parameters : int
        Free continuous parameters.
    n_observations : float
        Independent rankings: their number where weights are equal, and (sum w)^2/sum w^2 with
        them.
    converged : bool
        True where the maximum was reached within the tolerance.
    n_iterations : int
        Of the fit.
    notes : tuple of str
        What the reader must know.
    """

    distribution: RankingDistribution
    names: tuple[str, ...]
    estimates: Floats
    covariance: Floats
    log_likelihood: float
    n_parameters: int
    n_observations: float
    converged: bool
    n_iterations: int
    notes: tuple[str, ...]

    def __init__(
        self,
        *,
        distribution: RankingDistribution,
        names: Sequence[str],
        estimates: Floats,
        covariance: Floats,
        log_likelihood: float,
        n_parameters: int,
        n_observations: float,
        converged: bool,
        n_iterations: int,
        notes: Sequence[str] = (),
        **more: Any,
    ) -> None:
        self._set(
            distribution=distribution,
            names=tuple(names),
            estimates=frozen_array(np.asarray(estimates, dtype=np.float64)),
            covariance=frozen_array(np.asarray(covariance, dtype=np.float64)),
            log_likelihood=float(log_likelihood),
            n_parameters=n_parameters,
            n_observations=float(n_observations),
            converged=converged,
            n_iterations=n_iterations,
            notes=tuple(notes),
            **more,
        )

    def _key(self) -> tuple[Hashable, ...]:
        return (
            self.distribution, self.names, array_key(self.estimates), array_key(self.covariance),
            self.log_likelihood, self.n_observations, self.converged, self.notes,
        )  # fmt: skip

    # -- numbers ------------------------------------------------------------------------------

    @property
    def standard_errors(self) -> Floats:
        """Square roots of the variances of the estimates."""
        errors: Floats = np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        return errors

    @property
    def aic(self) -> float:
        """Akaike's criterion, 2 p - 2 log likelihood."""
        return 2.0 * self.n_parameters - 2.0 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz's criterion, p log(n) - 2 log likelihood."""
        return self.n_parameters * log(self.n_observations) - 2.0 * self.log_likelihood

    def conf_int(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return Wald intervals for the parameters.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability of error of each, in (0, 1).

        Returns
        -------
        pandas.DataFrame
            Index: names. Columns lower and upper.
        """
        level = check_alpha(alpha)
        radius = scipy.stats.norm.ppf(1.0 - level / 2.0) * self.standard_errors
        return pd.DataFrame(
            {"lower": self.estimates - radius, "upper": self.estimates + radius},
            index=pd.Index(self.names, name="parameter"),
        )

    def to_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return one row per parameter.

        Parameters
        ----------
        alpha : float, default 0.05
            For the intervals.

        Returns
        -------
        pandas.DataFrame
            estimate, std_err, z and p_value of "it is 0", lower, upper.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            z = self.estimates / self.standard_errors
        columns = {
            "estimate": self.estimates,
            "std_err": self.standard_errors,
            "z": z,
            "p_value": 2.0 * scipy.stats.norm.sf(np.abs(z)),
        }
        frame = pd.DataFrame(columns, index=pd.Index(self.names, name="parameter"))
        return frame.join(self.conf_int(alpha))

    def to_dict(self, alpha: float = 0.05) -> dict[str, Any]:
        """Return plain data for JSON, with `schema` and `version`.

        Parameters
        ----------
        alpha : float, default 0.05
            For the intervals.

        Returns
        -------
        dict
        """
        frame = self.to_frame(alpha).reset_index()
        finite = frame.drop(columns="parameter").map(np.isfinite).assign(parameter=True)
        return {
            "schema": "rankagg.fit",
            "version": 1,
            "model": type(self.distribution).__name__,
            "items": list(self.distribution.items),
            "log_likelihood": self.log_likelihood,
            "aic": self.aic,
            "bic": self.bic,
            "n_observations": self.n_observations,
            "converged": self.converged,
            "n_iterations": self.n_iterations,
            "notes": list(self.notes),
            "parameters": frame.astype(object).where(finite, None).to_dict("records"),
        }

    # -- how it looks -------------------------------------------------------------------------

    def _facts(self) -> dict[str, str]:
        """Return what stands above the table of parameters."""
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

    def _table(self, alpha: float) -> pd.DataFrame:
        columns = ["coef", "std err", "z", "P>|z|", f"[{alpha / 2:g}", f"{1 - alpha / 2:g}]"]
        return self.to_frame(alpha).rename_axis(None).set_axis(columns, axis=1)

    def plot(self, *, alpha: float = 0.05, ax: Axes | None = None) -> Axes:
        """Draw the estimates with their intervals; see `rankagg.plotting.fit_plot`.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability of error of the intervals, in (0, 1).
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from rankagg.plotting.distributions.fit import parameters_plot  # noqa: PLC0415

        return parameters_plot(self, alpha=alpha, ax=ax)

    def summary(self, *, alpha: float = 0.05) -> Summary:
        """Return the fit as a statsmodels summary; `print` shows it.

        Parameters
        ----------
        alpha : float, default 0.05
            For the intervals.

        Returns
        -------
        statsmodels.iolib.summary2.Summary
        """
        from statsmodels.iolib.summary2 import Summary  # noqa: PLC0415

        summary = Summary()
        summary.add_title(f"{type(self.distribution).__name__} fit")
        summary.add_dict(self._facts())
        summary.add_df(self._table(check_alpha(alpha)), float_format="%.4f")
        for note in self.notes:
            summary.add_text(note)
        return summary

    def __str__(self) -> str:
        return str(self.summary())

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.distribution!r}>"

    def _repr_html_(self) -> str:
        html: str = self.summary().as_html()
        return html
