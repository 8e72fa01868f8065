"""From how many units on approximate intervals were measured to hold what they promise.

The figures are those of the coverage study (`examples/long/coverage` and the page about it): the
smallest number of units of the study at and above which a method was wrong in no more than 7 % of
the tables of any distribution, where 5 % are promised. They are no proof for other data.
"""

from __future__ import annotations

import numpy as np

from rankagg._typing import Floats
from rankagg.core.names import said, stated

__all__ = ["HOLDS_FROM", "LEAST_FREEDOM", "few_units", "little_freedom"]

# Method or kind of joint interval: units. "normal" is not here: it was never wrong so often,
# because it is not made where units are too few (`normal.is_near_normal`).
HOLDS_FROM = {"max-t": 1000, "percentile": 500, "bca": 50, "wilson": 100}

# Of several fixed tasks the fewest degrees of freedom that were measured: six tasks of 2, 3 and 4.
LEAST_FREEDOM = 7.0


def few_units(method: str, n_units: int, word: str) -> str | None:
    """Return what must be said of an approximate method with so few units; None where nothing.

    Parameters
    ----------
    method : str
        A key of `HOLDS_FROM`; nothing is said of other methods.
    n_units : int
        The fewest units that tell of a pair.
    word : str
        What a unit is: "ranking", "task" or "instance".
    """
    enough = HOLDS_FROM.get(method)
    if enough is None or not 0 < n_units < enough:
        return None
    told = (
        "with {} {} intervals were measured to be wrong more often than they say; they hold from "
        "about {} on"
    )
    fewest = stated(n_units, "fewest units of a pair", noun=word)
    return said(told, fewest, method, stated(enough, "units measured to be enough"))


def little_freedom(freedom: Floats) -> tuple[str, ...]:
    """Return what must be said of resamples within fixed tasks that know a variance so badly.

    Parameters
    ----------
    freedom : ndarray of float
        Degrees of freedom of the variance of each pair's mean.
    """
    least = float(np.min(freedom, initial=np.inf))
    if least >= LEAST_FREEDOM:
        return ()
    told = (
        "within these tasks the variance of some pair has {} degrees of freedom; intervals were "
        "measured to hold from {} on"
    )
    enough = stated(LEAST_FREEDOM, "freedom measured to be enough", "g")
    return (said(told, stated(least, "least degrees of freedom", ".2g"), enough),)
