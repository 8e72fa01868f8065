"""By how much each ballot puts one item above each other one, in whole numbers."""

from __future__ import annotations

from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Ranks, Unranked
from rankagg.core.rankings import places
from rankagg.core.rankings.places import UNRANKED
from rankagg.kernels.placing import doubled_places
from rankagg.kernels.rows import row_sums

__all__ = ["leads_of"]

# Whole numbers from here on are those of Python.
LARGE = 2**40


def leads_of(ranks: Ranks, item: int, unranked: Unranked) -> NDArray[Any]:
    """Return what each ballot says for an item against each other one.

    Parameters
    ----------
    ranks : ndarray of int32, shape (t, n)
        Places with codes.
    item : int
        The position of the item.
    unranked : {"uniform", "ignore", "last"}
        The policy; see `Profile.pairwise`.

    Returns
    -------
    ndarray of int, shape (t, n - 1)
        The chance to be above less that to be below, over one denominator for all; Python
        integers where that is large.
    """
    if unranked == "last":
        ranks = places.unranked_last(ranks)
    codes = places.comparable(ranks)
    leads: NDArray[Any] = np.sign(codes - codes[:, [item]]).astype(np.int64)
    here = ranks != UNRANKED
    both = here & here[:, [item]]
    leads[~both] = 0
    if unranked == "uniform" and not here.all():
        known = row_sums(here)[:, None]
        over = lcm(*np.unique(known[known < ranks.shape[1]] + 1).tolist())
        kind = np.int64 if over < LARGE else object
        # An unranked item is above the place r of k with probability (r + 1)/(k + 1).
        more = doubled_places(ranks).astype(np.int64) - known - 1
        imputed = np.where(here, more, -more[:, [item]])
        imputed[here == here[:, [item]]] = 0
        leads = leads.astype(kind) * over + imputed.astype(kind) * over // (known + 1)
    return np.delete(leads, item, axis=1)
