"""What it gains to move one item of an order to another place: O(n^2) for all moves."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Positions


def best_moves(permuted: Floats) -> tuple[Floats, Positions]:
    """Return what the best move of each item gains, and to which place it goes.

    Examples
    --------
    >>> import numpy as np
    >>> best_moves(np.array([[0., 1., 2.], [-1., 0., -3.], [-2., 3., 0.]]))
    (array([3., 1., 0.]), array([2, 0, 2]))
    """
    told = insertion_gains(permuted)
    targets = np.argmax(told, axis=1)
    return told[np.arange(len(permuted)), targets], targets


def insertion_gains(permuted: NDArray[Any]) -> NDArray[Any]:
    """Return how much cheaper the order gets when the item at place p moves to place q.

    Passing an item that stood behind gains `permuted[p, k]`, one that stood before loses it.
    """
    n = len(permuted)
    # The sum up to each place, without it and with it: the item itself adds nothing.
    sums = np.zeros((n, n + 1), dtype=permuted.dtype)
    np.cumsum(permuted, axis=1, out=sums[:, 1:])
    gains = np.where(_before(n), sums[:, :-1], sums[:, 1:])
    gains -= sums.diagonal()[:, None]
    return gains


@lru_cache(maxsize=64)
def _before(n: int) -> Bools:
    """Return where the column is a smaller place than the row."""
    mask: Bools = np.tri(n, k=-1, dtype=bool)
    mask.flags.writeable = False
    return mask
