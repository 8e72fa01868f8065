"""What sums over scores must satisfy, whatever the scores: a file may hold any numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankagg.core.arithmetic.exact import INT64_SAFE
from rankagg.core.votes.shares import EXACT_ITEMS, grid

if TYPE_CHECKING:
    from rankagg.core.sums.task_tally import TaskTally

__all__ = ["check_sums"]

# A float is a whole number of 2**-1074 below 2**(1074 + 1024).
LARGEST_SCORE = 2**2098


def check_sums(tally: TaskTally) -> None:
    """Raise ValueError for sums that no scores have.

    Parameters
    ----------
    tally : TaskTally
        Sums of any origin.
    """
    units = tally.n_units
    _need(units >= 0 and tally.n_empty >= 0, "the numbers of units")
    # No sum below is larger.
    _need(4 * len(tally) ** 2 * units < INT64_SAFE, "the numbers of units")
    _check_pairs(tally)
    _check_sizes(tally)
    if tally.shares is not None:
        _check_shares(tally, tally.shares, tally.squares)
    _check_grid(tally)
    for total, times in zip(tally.sums, tally.observed.tolist(), strict=True):
        _need(abs(total) <= times * LARGEST_SCORE, "a sum of scores")


def _need(holds: Any, what: str) -> None:
    if not np.all(holds):
        raise ValueError(f"no scores have these sums: {what}")


def _check_pairs(tally: TaskTally) -> None:
    wins, both, there = tally.wins, tally.both, tally.observed
    _need((wins >= 0) & (both >= 0) & (both <= tally.n_units), "counts of units")
    _need(both == both.T, "who is there with whom")
    _need(both <= np.minimum(there, there[:, None]), "who is there with whom")
    _need(wins + wins.T <= both, "who is above whom")
    _need(np.diagonal(wins) == 0, "who is above whom")
    _need(tally.neither >= 0, "who is absent with whom")


def _check_sizes(tally: TaskTally) -> None:
    n, sizes, units = len(tally), tally.sizes, tally.units_of_size
    _need((sizes > 0) & (sizes < n), "numbers of systems")
    _need(np.diff(sizes) > 0, "numbers of systems")
    _need((units > 0) & (units <= tally.n_units), "units by number of systems")
    complete = tally.n_units - int(units.sum())
    _need(complete >= 0, "units by number of systems")
    there = int((sizes * units).sum()) + n * complete
    _need(int(tally.observed.sum()) == there, "units by number of systems")
    # 2r + 2 is 2 to 2k, and k(k + 1) in all of a unit.
    most = 2 * (sizes * units)[:, None]
    _need((tally.placed >= 0) & (tally.placed <= most), "places")
    _need(tally.placed.sum(axis=1) == sizes * (sizes + 1) * units, "places")
    whole = tally.all_placed
    _need((whole >= 2 * complete) & (whole <= 2 * n * complete), "places of complete units")


def _check_shares(tally: TaskTally, shares: Any, squares: Any) -> None:
    n, sizes = len(tally), tally.sizes
    k = sizes[:, None, None]
    most = 2 * k * tally.units_of_size[:, None, None]
    _need((shares >= 0) & (shares <= most), "places beside absent systems")
    # Every unit of k systems counts its places once for each of the n - k others.
    _need(shares.sum(axis=1) == (n - sizes)[:, None] * tally.placed, "places beside absent systems")
    absent, rest = np.divmod(shares.sum(axis=2), (sizes * (sizes + 1))[:, None])
    _need((rest == 0) & (absent <= tally.units_of_size[:, None]), "places beside absent systems")
    _need(absent.sum(axis=0) == tally.n_units - tally.observed, "places beside absent systems")
    _need(np.diagonal(shares, axis1=1, axis2=2) == 0, "places beside absent systems")
    _need((squares >= 2 * shares) & (squares <= 2 * k * shares), "squares of places")


def _check_grid(tally: TaskTally) -> None:
    n = len(tally)
    parts = (tally.on_grid, tally.squares_on_grid)
    _need([(part is None) == (n <= EXACT_ITEMS) for part in parts], "shares on the grid")
    if tally.on_grid is None or tally.squares_on_grid is None:
        return
    most = tally.missed.T.astype(object) * grid(n)
    on_grid, squares = (part.astype(object) for part in parts if part is not None)
    _need((on_grid >= 0) & (on_grid <= most), "shares on the grid")
    # A square is rounded by itself, so it may be half a step above its share.
    _need((squares >= 0) & (squares <= on_grid + tally.missed.T), "shares on the grid")
