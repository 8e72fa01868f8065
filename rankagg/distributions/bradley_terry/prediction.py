"""Probabilities of the outcomes of a comparison, with intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from rankagg._typing import Floats
from rankagg.distributions.bradley_terry.ties import Ties, chances, terms_of

__all__ = ["predicted"]

OUTCOMES = ("first wins", "tie", "second wins")


def predicted(
    ties: Ties,
    row: Floats,
    estimates: Floats,
    covariance: Floats,
    student: Any,
    *,
    tie: float | None,
    alpha: float,
) -> pd.DataFrame:
    """Return the probabilities of a comparison; see `BradleyTerryFit.predict`.

    Parameters
    ----------
    ties : {"half", "davidson", "rao-kupper"}
        The model of ties.
    row : ndarray of float, shape (p,)
        What the log odds of the first side are made of.
    estimates, covariance
        The parameters.
    student : scipy.stats distribution
        Of an estimate less its true value, over its standard error.
    tie : float or None
        The tie parameter, the last one.
    alpha : float
        Of the intervals.

    Returns
    -------
    pandas.DataFrame
    """
    odds = np.array([row @ estimates])
    probabilities = chances(ties, odds, tie)[:, 0]
    terms = terms_of(ties, odds, tie)
    # Of a log probability; along the log odds of the contest, and along the tie parameter.
    slopes = terms.slope[:, :1] * row
    if tie is not None:
        slopes[:, -1] += terms.tie_slope[:, 0]
    lower, upper = np.zeros(3), np.zeros(3)
    quantile = float(np.ravel(student.ppf(1.0 - alpha / 2.0))[0])
    for at in np.flatnonzero(probabilities > 0):
        rest = float(np.delete(probabilities, at).sum())
        if not rest:
            lower[at] = upper[at] = 1.0
            continue
        # The derivative of the log odds of a probability is that of its log over what is left.
        slope = slopes[at] / rest
        error = np.sqrt(max(float(slope @ covariance @ slope), 0.0))
        radius = quantile * error
        center = np.log(probabilities[at]) - np.log(rest)
        lower[at], upper[at] = expit(center - radius), expit(center + radius)
    columns = {"probability": probabilities, "lower": lower, "upper": upper}
    return pd.DataFrame(columns, index=pd.Index(OUTCOMES, name="outcome"))
