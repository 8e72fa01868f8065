"""Half of a sum of cycles, rounded up to a row, with the bounds that suit a point best."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg.aggregation.kemeny.proofs.rows import Derived, Source

__all__ = ["LEAST_VIOLATION", "halves_of"]

Ints = NDArray[np.intp]

LEAST_VIOLATION = 0.01


def halves_of(before: Floats, group: Ints, cycles: Ints) -> dict[Derived, float]:
    """Return half of the sum of the 3-cycles of each group, where that cuts off a point.

    Where a pair is counted oddly, its arc is rounded up, or the reverse is added first: what the
    point violates more. A 3-cycle that a group has twice is left out, since it adds nothing.

    Parameters
    ----------
    before : ndarray of float, shape (n, n)
        The point: how much row stands before column.
    group : ndarray of int, shape (m,)
        The number of the group that each cycle belongs to.
    cycles : ndarray of int, shape (m, 3)

    Returns
    -------
    dict
        Rows, and how much the point is short of what they demand.
    """
    n = len(before)
    group, cycles = _once(n, group, cycles)
    if not len(group):
        return {}
    tails, heads = cycles.ravel(), np.roll(cycles, -1, axis=1).ravel()
    pairs = np.minimum(tails, heads) * n + np.maximum(tails, heads)
    keys, inverse = np.unique(np.repeat(group, 3) * n**2 + pairs, return_inverse=True)
    signs = np.where(tails < heads, 1.0, -1.0)
    of, (low, high) = keys // n**2, np.divmod(keys % n**2, n)
    # In terms of the pairs i < j: the sum of `counts` times `before` reaches `least`.
    counts = np.bincount(inverse, signs).astype(np.intp)
    size = int(group[-1]) + 1
    demanded = np.bincount(group, minlength=size) - np.bincount(
        np.repeat(group, 3), signs < 0, size
    )
    x = before[low, high]
    is_odd = counts % 2 == 1
    # Bounds: x >= 0, or -x >= -1, which lowers what is demanded by one.
    at_one = is_odd & (x > 0.5)
    least = demanded - np.bincount(of, at_one, size)
    slack = np.bincount(of, counts * x + np.where(is_odd, np.minimum(x, 1.0 - x), 0.0), size)
    slack -= demanded
    # What is demanded has to be odd in all: otherwise take the other bound of one pair.
    price = np.where(is_odd, np.abs(2.0 * x - 1.0), np.inf)
    starts = np.flatnonzero(np.diff(of, prepend=-1))
    order = np.lexsort((price, of))
    cheapest = order[starts]
    cheapest = cheapest[least[of[cheapest]] % 2 == 0]
    slack[of[cheapest]] += price[cheapest]
    at_one[cheapest] ^= True
    violation = (1.0 - slack) / 2.0
    added = is_odd & (at_one == (counts > 0))
    rows: dict[Derived, float] = {}
    bounds_of = np.searchsorted(of, np.arange(size + 1))
    cycles_of = np.searchsorted(group, np.arange(size + 1))
    for at in np.flatnonzero(violation >= LEAST_VIOLATION).tolist():
        if cycles_of[at] == cycles_of[at + 1]:
            continue
        terms: list[tuple[int, Source]] = [
            (1, (a, b, c)) for a, b, c in cycles[cycles_of[at] : cycles_of[at + 1]].tolist()
        ]
        for k in range(bounds_of[at], bounds_of[at + 1]):
            if added[k]:
                arc = (int(low[k]), int(high[k]))
                terms.append((1, arc[::-1] if counts[k] > 0 else arc))
        rows[Derived(tuple(terms), 2)] = float(violation[at])
    return rows


def _once(n: int, group: Ints, cycles: Ints) -> tuple[Ints, Ints]:
    """Return the cycles that a group has an odd number of times, once each, sorted."""
    first = np.argmin(cycles, axis=1)
    turned = np.take_along_axis(cycles, (first[:, None] + np.arange(3)) % 3, axis=1)
    keys = group * n**3 + turned @ np.array([n * n, n, 1])
    unique, times = np.unique(keys, return_counts=True)
    group, rest = np.divmod(unique[times % 2 == 1], n**3)
    a, rest = np.divmod(rest, n * n)
    return group, np.column_stack([a, *np.divmod(rest, n)])
