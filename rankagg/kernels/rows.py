"""Sums along rankings."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Integers64, Ranks


def row_sums(table: NDArray[Any]) -> Integers64:
    """Return the sum of each row of truth values, or of places of one ranking: O(m n).

    NumPy's own sum is slow on rows as short as rankings are.

    Examples
    --------
    >>> import numpy as np
    >>> row_sums(np.array([[True, True], [False, True]]))
    array([2, 1])
    """
    # The largest sum is that of the places 0, ..., n - 1.
    kind = np.int32 if table.shape[1] < 2**16 else np.int64
    sums: Integers64 = np.einsum("ij->i", table.astype(kind, copy=False)).astype(np.int64)
    return sums


def strict_rows(ranks: Ranks) -> Bools:
    """Say of each ranking whether all its listed items have places of their own: O(m n).

    Examples
    --------
    >>> import numpy as np
    >>> strict_rows(np.array([[0, 1, -1], [0, 0, 2], [0, -2, -2]], dtype=np.int32))
    array([ True, False,  True])
    """
    # Places count the items above, so only without ties do they add up to 0 + ... + k - 1.
    if int(ranks.min(initial=0)) >= 0:
        k = ranks.shape[1]
        strict: Bools = row_sums(ranks) == k * (k - 1) // 2
    else:
        listed = row_sums(ranks >= 0)
        strict = row_sums(np.maximum(ranks, 0)) == listed * (listed - 1) // 2
    return strict
