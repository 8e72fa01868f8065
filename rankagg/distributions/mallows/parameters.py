"""The parameters of a Mallows distribution, and the numbers that follow from them alone."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rankagg._typing import Label
from rankagg._validation import check_integer, check_number
from rankagg.core.rankings.partial import PartialRanking, Permutation
from rankagg.distributions.mallows.kendall_distances import stage_log_normalizers, stage_variances
from rankagg.exceptions import Described, InvalidInputError

__all__ = ["as_center", "check_theta", "distance_variance", "mallows_log_normalizer"]


def mallows_log_normalizer(n_items: int, theta: float) -> float:
    """Return the log of the sum of exp(-theta d) over all permutations, d the Kendall distance.

    Parameters
    ----------
    n_items : int
        At least 1.
    theta : float
        The dispersion parameter, not negative; phi = exp(-theta). The result is log n! at 0.

    Returns
    -------
    float

    Examples
    --------
    >>> from rankagg import mallows_log_normalizer
    >>> round(mallows_log_normalizer(10, 0.3), 9)
    9.696410084
    """
    n = check_integer(n_items, "n_items", low=1)
    return float(stage_log_normalizers(np.arange(1, n + 1), check_theta(theta)).sum())


def check_theta(theta: object, parameter: str = "theta") -> float:
    """Return a finite number that is not negative."""
    return check_number(theta, parameter, low=0)


def as_center(
    center: PartialRanking | Iterable[Label], items: Iterable[Label] | None = None
) -> Permutation:
    """Return a center as a complete strict ranking."""
    if isinstance(center, PartialRanking):
        if not isinstance(center, Permutation):
            raise InvalidInputError(
                "center", "complete and strict", Described(repr(center)),
                "Break the ties first: a tied center is several distributions.",
            )  # fmt: skip
        return center
    return Permutation.from_order(center, items=items)


def distance_variance(n_items: int, theta: float) -> float:
    """Return the variance of the Kendall distance to the center."""
    return float(stage_variances(np.arange(1, n_items + 1), theta).sum())
