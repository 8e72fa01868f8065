"""3-fences: three arcs, and the six that lead from the end of one to the start of another.

Each two of the arcs u -> v lie on a cycle u -> v -> u' -> v' -> u. Half of the sum of these three
cycles counts nine arcs once, and an order uses two of them at least (Grötschel, Jünger and
Reinelt 1985, "Facets of the linear ordering polytope", Mathematical Programming 33, 43-60).
"""

from __future__ import annotations

import numpy as np

from rankagg._typing import Floats
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.proofs.rows import Derived

__all__ = ["violated_fences"]

FRACTIONAL = 1e-6
VIOLATION = 0.01
# Time and memory grow with the squares of these.
ARCS, STARTS = 2000, 2000
STARTS_AT_ONCE = 200


def violated_fences(before: Floats, limit: int, deadline: Deadline) -> list[Derived]:
    """Return rows of 3-fences that a point violates, at most `limit`, the worst first.

    Parameters
    ----------
    before : ndarray of float, shape (n, n)
        The point: how much row stands before column; it should violate no cycle.
    limit : int
    deadline : Deadline
        Raises `OutOfTimeError` where it passes.

    Returns
    -------
    list of Derived
        Each is violated by the point.
    """
    starts, ends = np.nonzero(np.minimum(before, before.T) > FRACTIONAL)
    if len(starts) > ARCS:
        chosen = np.random.default_rng(0).permutation(len(starts))[:ARCS]
        starts, ends = starts[chosen], ends[chosen]
    # A fence is short of half of what the weights of its three pairs are short of 1.
    own = before[starts, ends]
    back = before[np.ix_(ends, starts)]
    weights = own[:, None] + own + 2.0 * (back + back.T) - 1.0
    touch = (starts[:, None] == starts) | (ends[:, None] == ends)
    touch |= (starts[:, None] == ends) | (ends[:, None] == starts)
    weights[touch] = np.inf
    # The lightest of three is below a third.
    one, two = np.nonzero(np.triu(weights < (1.0 - 2.0 * VIOLATION) / 3.0, 1))
    light = np.argsort(weights[one, two], kind="stable")[:STARTS]
    one, two = one[light], two[light]
    found: dict[tuple[int, ...], float] = {}
    for at in range(0, len(one), STARTS_AT_ONCE):
        deadline.seconds_left()
        p, q = one[at : at + STARTS_AT_ONCE], two[at : at + STARTS_AT_ONCE]
        both = weights[p] + weights[q]
        r = np.argmin(both, axis=1)
        missing = (1.0 - weights[p, q] - both[np.arange(len(p)), r]) / 2.0
        for k in np.flatnonzero(missing > VIOLATION).tolist():
            found[tuple(sorted((int(p[k]), int(q[k]), int(r[k]))))] = float(missing[k])
    worst = sorted(found, key=lambda arcs: -found[arcs])[:limit]
    return [_row([(int(starts[k]), int(ends[k])) for k in arcs]) for arcs in worst]


def _row(arcs: list[tuple[int, int]]) -> Derived:
    p, q, r = arcs
    return Derived(tuple((1, (*one, *two)) for one, two in ((p, q), (q, r), (r, p))), 2)
