"""Differences of estimates, with their errors: tables of them, and the scale of Elo."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg.core.items import ItemSet

__all__ = ["all_differences", "compared", "elo_table"]


def compared(estimates: Floats, covariance: Floats, student: Any, alpha: float) -> pd.DataFrame:
    """Return estimates with errors, tests of "it is 0", and intervals.

    Parameters
    ----------
    estimates : ndarray of float, shape (k,)
        Contrasts.
    covariance : ndarray of float, shape (k, k)
        Theirs.
    student : scipy.stats distribution
        Of an estimate less its true value, over its standard error.
    alpha : float
        Of the intervals.

    Returns
    -------
    pandas.DataFrame
        estimate, std_err, z, p_value, lower, upper.
    """
    return _rows(estimates, np.sqrt(np.maximum(np.diag(covariance), 0.0)), student, alpha)


def _rows(estimates: Floats, errors: Floats, student: Any, alpha: float) -> pd.DataFrame:
    with np.errstate(divide="ignore", invalid="ignore"):
        z = estimates / errors
    radius = student.ppf(1.0 - alpha / 2.0) * errors
    return pd.DataFrame(
        {
            "estimate": estimates,
            "std_err": errors,
            "z": z,
            "p_value": 2.0 * student.sf(np.abs(z)),
            "lower": estimates - radius,
            "upper": estimates + radius,
        }
    )


def all_differences(
    log_worths: Floats,
    covariance: Floats,
    pairs: tuple[NDArray[np.intp], NDArray[np.intp]],
    items: ItemSet,
    *,
    student: Any,
    alpha: float,
) -> pd.DataFrame:
    """Return the differences of pairs; see `BradleyTerryFit.pairs`."""
    # statsmodels takes longer to load than most fits take.
    from statsmodels.stats.multitest import multipletests  # noqa: PLC0415

    first, second = pairs
    variances = np.diag(covariance)
    spread = variances[first] + variances[second] - 2.0 * covariance[first, second]
    frame = _rows(
        log_worths[first] - log_worths[second], np.sqrt(np.maximum(spread, 0.0)), student, alpha
    )
    frame.insert(0, "first", list(items.at(first)))
    frame.insert(1, "second", list(items.at(second)))
    frame.insert(6, "p_holm", multipletests(frame["p_value"], method="holm")[1])
    return frame


def elo_table(
    log_worths: Floats,
    covariance: Floats,
    items: ItemSet,
    student: Any,
    *,
    at: int | None,
    rating: float,
    points: float,
    alpha: float,
) -> pd.DataFrame:
    """Return ratings with their errors; see `BradleyTerryFit.elo`."""
    unit = points / np.log(10.0)
    project = np.eye(len(log_worths))
    if at is not None:
        project[:, at] -= 1.0
    ratings = rating + unit * (project @ log_worths)
    errors = unit * np.sqrt(np.maximum(np.diag(project @ covariance @ project.T), 0.0))
    if at is not None:
        errors[at] = np.nan
    radius = student.ppf(1.0 - alpha / 2.0) * errors
    columns = {
        "elo": ratings, "std_err": errors, "lower": ratings - radius, "upper": ratings + radius,
    }  # fmt: skip
    frame = pd.DataFrame(columns, index=pd.Index(list(items), name="item"))
    return frame.sort_values("elo", ascending=False, kind="stable")
