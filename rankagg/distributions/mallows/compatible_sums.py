"""Sums over the compatible permutations of partial and tied rankings under Kendall's distance.

The columns of all arrays are in the order of the center. A ranking is a sequence of buckets; a
strict place is a bucket of one, the unlisted items are the last. Pairs in different buckets are
unlike the center or not, whatever completes the ranking; a bucket of s items, in any order, adds
the normaliser of s items. Only unranked items need a sum that does not factor: it runs over the
places where they may be inserted, by dynamic programming over which of them are placed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats, Ranks
from rankagg.core.rankings import places
from rankagg.core.rankings.compatible import compatible_ranks, count_compatible
from rankagg.core.rankings.places import UNRANKED
from rankagg.distributions.mallows.gaps import LARGEST_GAP, lattice_pairs, lattice_sums
from rankagg.distributions.mallows.kendall_distances import pair_stays, stage_log_normalizers
from rankagg.exceptions import Described, InvalidInputError

__all__ = ["break_ties", "can_sum", "expected_votes", "log_sums"]

# Ways to break the ties of one ranking that are gone through.
MOST_WAYS = 5040


def can_sum(ranks: Ranks) -> bool:
    """Say whether sums over the compatible permutations of all rows can be taken exactly."""
    missing = (ranks == UNRANKED).sum(axis=1)
    if (missing > LARGEST_GAP).any():
        return False
    gaps = ranks[missing > 0]
    return all(count_compatible(row[row != UNRANKED]) <= MOST_WAYS for row in gaps)


def log_sums(ranks: Ranks, theta: float) -> Floats:
    """Return log sum exp(-theta d) over the compatible permutations of every row.

    Parameters
    ----------
    ranks : ndarray of int32, shape (m, n)
        Places with codes; columns in the order of the center.
    theta : float
        Not negative.

    Returns
    -------
    ndarray of float, shape (m,)

    Raises
    ------
    InvalidInputError
        If a row has too many unranked items, or too many ties beside them.
    """
    result = np.empty(len(ranks))
    missing = (ranks == UNRANKED).sum(axis=1)
    whole = missing == 0
    if whole.any():
        result[whole] = _bucket_sums(ranks[whole], theta)
    if not whole.all():
        strict, owner = break_ties(ranks[~whole])
        sums = lattice_sums(strict, theta)
        result[~whole] = _log_totals(sums, owner)
    return result


def _bucket_sums(ranks: Ranks, theta: float) -> Floats:
    """Return the sums of rankings without unranked items."""
    place = places.comparable(ranks)
    n = ranks.shape[1]
    unlike = np.zeros(len(ranks))
    for j in range(1, n):
        unlike += (place[:, :j] > place[:, [j]]).sum(axis=1)
    # The log normaliser of a bucket of s is the sum of those of stages of 1 to s: the item that
    # has r others of its bucket before it in the center adds that of a stage of r + 1.
    stages = stage_log_normalizers(np.arange(1, n + 1), theta)
    within = np.zeros(len(ranks))
    for j in range(1, n):
        within += stages[(place[:, :j] == place[:, [j]]).sum(axis=1)]
    with np.errstate(over="ignore", invalid="ignore"):
        result: Floats = np.where(unlike > 0, within - theta * unlike, within)
    return result


def expected_votes(ranks: Ranks, weights: Floats, theta: float) -> Floats:
    """Return the weight of row before column, expected among compatible permutations.

    Parameters
    ----------
    ranks : ndarray of int32, shape (m, n)
        Places with codes; columns in the order of the center.
    weights : ndarray of float, shape (m,)
        Of the rankings.
    theta : float
        Each permutation weighs exp(-theta d).

    Returns
    -------
    ndarray of float, shape (n, n)
    """
    whole = (ranks != UNRANKED).all(axis=1)
    votes = _bucket_votes(ranks[whole], weights[whole], theta)
    if not whole.all():
        strict, owner = break_ties(ranks[~whole])
        sums, before = lattice_pairs(strict, theta)
        shares = np.exp(sums - _log_totals(sums, owner)[owner])
        votes += np.tensordot(weights[~whole][owner] * shares, before, axes=1)
    return votes


def _log_totals(sums: Floats, owner: NDArray[np.intp]) -> Floats:
    """Return the log of the sums of exponentials of each owner."""
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    totals: Floats = np.logaddexp.reduceat(sums, starts)
    return totals


def _bucket_votes(ranks: Ranks, weights: Floats, theta: float) -> Floats:
    """Return the votes of rankings without unranked items."""
    m, n = ranks.shape
    place = places.comparable(ranks)
    stays = pair_stays(n, theta)
    inside = np.zeros((m, n), dtype=np.intp)  # how many of its bucket each has before it
    votes = np.zeros((n, n))
    for j in range(1, n):
        same = place[:, :j] == place[:, [j]]
        inside[:, j] = same.sum(axis=1)
        apart = np.where(same, inside[:, [j]] - inside[:, :j], 1)
        before = np.where(same, stays[apart], place[:, :j] < place[:, [j]])
        votes[:j, j] = weights @ before
        votes[j, :j] = weights @ (1.0 - before)
    return votes


def break_ties(ranks: Ranks) -> tuple[Ranks, NDArray[np.intp]]:
    """Break the ties of every row in all ways; unranked items stay.

    Parameters
    ----------
    ranks : ndarray of int32, shape (m, n)
        Places with codes.

    Returns
    -------
    strict : ndarray of int32, shape (k, n)
        All ways to order the observed items of each row.
    owner : ndarray of int, shape (k,)
        The row of each.
    """
    rows, owners = [], []
    for owner, row in enumerate(ranks):
        observed = row != UNRANKED
        ways = count_compatible(row[observed])
        if ways > MOST_WAYS:
            raise InvalidInputError(
                "profile", f"rankings with at most {MOST_WAYS} ways to break their ties where "
                "items are unranked too", Described(f"one with {ways}"),
            )  # fmt: skip
        for broken in compatible_ranks(row[observed]):
            strict = row.copy()
            strict[observed] = broken
            rows.append(strict)
            owners.append(owner)
    return np.array(rows, dtype=np.int32), np.array(owners, dtype=np.intp)
