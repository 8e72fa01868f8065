"""Integer programs with whole numbers only, solved by HiGHS and checked in integers."""

from __future__ import annotations

from math import ceil, inf
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankagg.exceptions import OutOfTimeError, SolverError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["least_cost"]

# The solver works to 1e-6; whole numbers below 2**20 keep clear of that.
SLACK = 1e-3
TIMED_OUT = 1


def least_cost(
    costs: NDArray[np.int64],
    rows: NDArray[np.int64] | csr_array,
    least: NDArray[np.int64],
    upper: NDArray[np.int64],
    *,
    time_limit: float = inf,
) -> int:
    """Return the least cost of whole numbers from 0 to `upper` that keep all rows.

    The solver's numbers are rounded, and held against every row in integers; that none cost less
    is the solver's bound, rounded up to a whole number.

    Parameters
    ----------
    costs : ndarray of int64, shape (v,)
        What each costs.
    rows : ndarray or sparse array of int64, shape (r, v)
        The sums that are bounded.
    least : ndarray of int64, shape (r,)
        What each must reach.
    upper : ndarray of int64, shape (v,)
        The largest value of each.
    time_limit : float, optional
        Seconds.

    Returns
    -------
    int

    Raises
    ------
    SolverError
        If the solver fails, or its answer does not stand the check.
    OutOfTimeError
        If the time limit passes before the proof.
    """
    # It takes a while to load, and few need it.
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415
    from scipy.sparse import csr_array  # noqa: PLC0415

    found = milp(
        costs.astype(np.float64),
        integrality=np.ones(len(costs), dtype=np.int64),
        bounds=Bounds(np.zeros(len(costs)), upper.astype(np.float64)),
        constraints=LinearConstraint(
            csr_array(rows.astype(np.float64)), least.astype(np.float64), np.inf
        ),
        options={"mip_rel_gap": 0.0, "time_limit": time_limit},
    )
    if found.status == TIMED_OUT:
        raise OutOfTimeError
    if found.x is None:
        raise SolverError(f"HiGHS gave no answer: {found.message}")
    numbers = np.rint(found.x).astype(np.int64)
    sums = rows @ numbers
    cost = int(costs @ numbers)
    if (sums < least).any() or (numbers < 0).any() or (numbers > upper).any():
        raise SolverError("HiGHS gave whole numbers that break a row.")
    if ceil(found.mip_dual_bound - SLACK) < cost:
        raise SolverError(f"HiGHS proved {found.mip_dual_bound} and gave {cost}.")
    return cost
