"""Quasi variances: one number per item, from which the errors of all differences follow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.optimize import least_squares

from rankagg._typing import Floats, Label, Positions
from rankagg.core import ItemSet, Result, counted, plain_rows, square_labels
from rankagg.exceptions import Described, InvalidInputError


class QuasiVariances(Result):
    """Quasi variances and how well they do.

    Made by `quasi_variances`, or by `PlackettLuceFit.quasi_variances`; they have no plot.

    Attributes
    ----------
    items : ItemSet
        The items.
    variances : ndarray of float, shape (n,)
        q, with q_i + q_j close to the variance of the difference of i and j; one of them may be
        negative.
    worst_error : float
        The largest relative error of a standard error of a difference: 0.02 is 2 %.
    """

    items: ItemSet
    variances: Floats
    worst_error: float
    # Shape (n,). Positions in the order in which items are shown.
    _order: Positions

    _schema = "rankagg.quasi_variances"
    _number = "{:z.4g}"

    @property
    def standard_errors(self) -> Floats:
        """Their square roots; NaN where negative."""
        roots: Floats = np.sqrt(np.where(self.variances > 0, self.variances, np.nan))
        return roots

    def to_frame(self) -> pd.DataFrame:
        """Return one row per item, of a fit by estimate: quasi_variance, quasi_se."""
        columns = {"quasi_variance": self.variances, "quasi_se": self.standard_errors}
        frame = pd.DataFrame(columns, index=pd.Index(list(self.items), name="item"))
        return frame.iloc[self._order]

    def _content(self) -> dict[str, Any]:
        return {
            "worst_error": self.worst_error,
            "items": plain_rows(self.to_frame().reset_index()),
        }

    def _facts(self) -> list[str]:
        return [
            f"{counted(len(self.variances), 'item')}; standard errors of differences are right "
            f"within {100 * self.worst_error:.3g} %"
        ]


def quasi_variances(
    covariance: ArrayLike | pd.DataFrame, *, items: Iterable[Label] | None = None
) -> QuasiVariances:
    """Return the numbers q for which q_i + q_j is closest to var(i - j), relatively.

    Parameters
    ----------
    covariance : array_like or DataFrame of float, shape (n, n)
        Of estimates of which only differences matter; n >= 3.
    items : iterable of str or int, optional
        The items; by default those of a DataFrame, or else 0, 1, ..., n - 1.

    Returns
    -------
    QuasiVariances

    Raises
    ------
    InvalidInputError
        For two items, which have one difference; or where some difference has no positive finite
        variance.

    References
    ----------
    Firth and de Menezes (2004), "Quasi-variances", https://doi.org/10.1093/biomet/91.1.65: the
    sum of squared logs of (q_i + q_j)/var(i - j) is minimized.
    """
    items = square_labels(covariance, items, "covariance")
    covariance = np.asarray(covariance, dtype=np.float64)
    if covariance.ndim != 2 or covariance.shape[0] != covariance.shape[1]:
        raise InvalidInputError(
            "covariance", "a square table of numbers", Described(f"shape {covariance.shape}")
        )
    n = len(covariance)
    if n < 3:
        allowed = "that of three or more items"
        remedy = "Two items have one difference, whose standard error says all."
        raise InvalidInputError("covariance", allowed, Described(counted(n, "item")), remedy)
    known = ItemSet.numbered(n) if items is None else ItemSet.coerce(items, ())
    if len(known) != n:
        raise InvalidInputError("items", counted(n, "label"), known)
    first, second = np.triu_indices(n, k=1)
    # In a unit in which squares are floats.
    unit = float(np.abs(covariance).max())
    shares = covariance / unit if unit > 0 and np.isfinite(unit) else covariance
    diagonal = np.diag(shares)
    differences = diagonal[first] + diagonal[second] - 2.0 * shares[first, second]
    if not (np.isfinite(differences) & (differences > 0)).all():
        at = int(np.argmin(np.isfinite(differences) & (differences > 0)))
        allowed = "finite, with a positive variance of every difference"
        told = Described(
            f"{differences[at] * unit:g} for items {known[first[at]]!r} and {known[second[at]]!r}"
        )
        raise InvalidInputError("covariance", allowed, told)
    target = np.log(differences)

    def residuals(q: Floats) -> Floats:
        sums = q[first] + q[second]
        # A sum that is not positive is infinitely wrong; a large number keeps the search away.
        logs: Floats = np.where(sums > 0, np.log(np.maximum(sums, 1e-300)), -700.0)
        return logs - target

    # Differences v_ij = q_i + q_j solve exactly for q where there are three items.
    variance = np.exp(target)
    total = np.zeros(n)
    np.add.at(total, first, variance)
    np.add.at(total, second, variance)
    linear = (total - total.sum() / (2.0 * (n - 1))) / (n - 2)
    safe = (linear[first] + linear[second] > 0).all()
    start = linear if safe else np.full(n, variance.mean() / 2.0)
    found = least_squares(residuals, start, x_scale="jac", xtol=1e-15, ftol=1e-15, gtol=1e-15)
    errors = np.abs(np.expm1(residuals(found.x) / 2.0))
    return QuasiVariances(
        items=known,
        variances=found.x * unit,
        worst_error=float(errors.max()),
        _order=np.arange(n),
    )
