"""Sets of winners by margins: who is undefeated under Split Cycle, and who is essential.

Both take integer margins of row over column, a skew-symmetric matrix, and say of each item
whether it is in the set. What they say is exact: floats only guess, and integers check.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from rankagg._typing import Bools, Floats, Integers

__all__ = ["essential_items", "undefeated_items"]

# Integers of any size.
Whole = NDArray[np.object_]

# Free numbers of a null vector are rounded to this part of the largest.
GRID = 2**60


# -- Split Cycle ----------------------------------------------------------------------------------


def undefeated_items(margins: Integers) -> Bools:
    """Return the items that no other one defeats under Split Cycle.

    A majority for a over b is a defeat unless it is a weakest one of some majority cycle:
    unless a path of majorities that are all as clear leads from b to a.

    Parameters
    ----------
    margins : ndarray of int, shape (n, n)
        Row over column.

    Returns
    -------
    ndarray of bool, shape (n,)
        At least one is True.

    References
    ----------
    Holliday and Pacuit (2023), "Split Cycle: a new Condorcet-consistent voting method independent
    of clones and immune to spoilers", Public Choice 197,
    https://doi.org/10.1007/s11127-023-01042-3.

    Examples
    --------
    >>> import numpy as np
    >>> undefeated_items(np.array([[0, 1, -5], [-1, 0, 3], [5, -3, 0]]))
    array([False,  True, False])
    """
    majorities = np.maximum(margins, 0)
    # A path is as strong as its weakest majority; 0 where there is none.
    strength = majorities
    for k in range(len(margins)):
        through = np.minimum(strength[:, [k]], strength[[k], :])
        strength = np.maximum(strength, through)
    defeats = np.asarray(majorities > strength.T)
    undefeated: Bools = defeats.sum(axis=0) == 0
    return undefeated


# -- the essential set ----------------------------------------------------------------------------


def essential_items(margins: Integers) -> Bools:
    """Return the items that some optimal mixed strategy of the margin game plays.

    Two players name an item each, and the first gains the margin of his item over the other. The
    game is symmetric: a strategy x is optimal where its gains x' margins are not negative.

    Parameters
    ----------
    margins : ndarray of int, shape (n, n)
        Row over column.

    Returns
    -------
    ndarray of bool, shape (n,)
        At least one is True.

    Notes
    -----
    There are x >= 0 with gains y >= 0 and x + y >= 1. Then x'y = 0, so for each item one of x and
    y is 0 and the other is 1 at least; the items with x > 0 are the set, since no optimal
    strategy plays an item with y > 0. HiGHS finds such numbers in floats. They are taken for what
    they say (x > 1/2) only if integers with the same signs exist, which elimination shows.
    Otherwise, which happens where margins differ much in size, the simplex method finds them in
    integers; that takes a second for fifty items.

    References
    ----------
    Dutta and Laslier (1999), "Comparison functions and choice correspondences", Social Choice and
    Welfare 16, https://doi.org/10.1007/s003550050158. For the numbers Tucker (1956), "Dual systems
    of homogeneous linear relations", in Linear inequalities and related systems.

    Examples
    --------
    >>> import numpy as np
    >>> essential_items(np.array([[0, 1, -5], [-1, 0, 3], [5, -3, 0]]))
    array([ True,  True,  True])
    """
    whole: Whole = margins.astype(object)
    guess = _in_floats(whole)
    if guess is not None and _is_proved(whole, guess):
        return guess > 0.5
    return _in_integers(whole) > 0


def _in_floats(margins: Whole) -> Floats | None:
    """Return x >= 0 with x' margins >= 0 and x + x' margins >= 1, or None where HiGHS fails."""
    n, largest = len(margins), max(abs(margins).max(), 1)
    # Python divides integers that are larger than any float.
    gains = (margins.T / largest).astype(np.float64)
    found = linprog(
        np.ones(n),
        A_ub=-np.vstack([gains, gains + np.eye(n)]),
        b_ub=np.concatenate([np.zeros(n), -np.ones(n)]),
        bounds=(0, None),
        method="highs",
    )
    return None if found.x is None else np.asarray(found.x, dtype=np.float64)


def _is_proved(margins: Whole, guess: Floats) -> bool:
    """Say whether an exact strategy plays these items, gains 0 by them and more by all others."""
    inside, outside = np.flatnonzero(guess > 0.5), np.flatnonzero(guess <= 0.5)
    if not len(inside):
        return False
    strategy = _null_vector(margins[np.ix_(inside, inside)], guess[inside])
    gains = strategy @ margins[np.ix_(inside, outside)]
    return bool((strategy > 0).all() and (gains > 0).all())


def _null_vector(square: Whole, near: Floats) -> Whole:
    """Return integers x with x' square = 0, near a multiple of some floats; 0 if only 0 is one."""
    table, n = square.T.copy(), len(square)
    pivots: list[int] = []
    last = 1
    for column in range(n):
        row = len(pivots)
        below = np.flatnonzero(table[row:, column])
        if len(below):
            table[[row, row + below[0]]] = table[[row + below[0], row]]
            last = _pivot(table, row, column, last)
            pivots.append(column)
    vector: Whole = np.zeros(n, dtype=object)
    free = np.setdiff1d(np.arange(n), pivots)
    if len(free):
        chosen = np.array([int(part * GRID) for part in near[free] / near[free].max()], object)
        vector[free] = chosen * last
        vector[pivots] = -(table[: len(pivots), free] @ chosen)
    return vector if last > 0 else -vector


def _in_integers(margins: Whole) -> Whole:
    """Return a multiple of some x >= 0 with x' margins >= 0 and x + x' margins >= 1.

    The sum of x is as small as it can be. The dual program is solved: its slack variables start,
    and their final prices are x. Bland's rule ends.
    """
    n = len(margins)
    unit: Whole = np.eye(n, dtype=np.int64).astype(object)
    ones: Whole = np.ones((n, 1), dtype=np.int64).astype(object)
    zeros = np.zeros((1, n), dtype=object)
    prices = np.hstack([zeros, -ones.T, zeros, [[0]]])
    table: Whole = np.vstack([np.hstack([margins, margins + unit, unit, ones]), prices])
    basis = np.arange(2 * n, 3 * n)
    last = 1
    while len(entering := np.flatnonzero(table[n, :-1] < 0)):
        column = int(entering[0])
        row = _leaving(table[:n, column], table[:n, -1], basis)
        last = _pivot(table, row, column, last)
        basis[row] = column
    solution: Whole = table[n, 2 * n : 3 * n]
    return solution


def _leaving(column: Whole, amounts: Whole, basis: NDArray[np.int64]) -> int:
    """Return the row of the least ratio of amount to column, of the first variable if several."""
    rows = np.flatnonzero(column > 0).tolist()
    best = rows[0]
    for row in rows[1:]:
        ahead = amounts[row] * column[best] - amounts[best] * column[row]
        if ahead < 0 or (ahead == 0 and basis[row] < basis[best]):
            best = row
    return int(best)


def _pivot(table: Whole, row: int, column: int, last: int) -> int:
    """Clear a column but for one row, without fractions; return what all pivots are now.

    Divided by the pivot before, as Bareiss does, the numbers stay determinants.
    """
    pivot: int = table[row, column]
    others = np.arange(len(table)) != row
    crossed = np.outer(table[others, column], table[row])
    table[others] = (table[others] * pivot - crossed) // last
    return pivot
