"""How likely every Kendall distance to the center is under a Mallows distribution."""

from __future__ import annotations

import numpy as np

from rankagg._typing import Floats, Ranks
from rankagg.core.rankings import places
from rankagg.core.rankings.places import UNRANKED

__all__ = ["distance_probabilities", "known_distances", "spread_distances"]


def distance_probabilities(n_items: int, theta: float) -> Floats:
    """Return the chance of every Kendall distance to the center.

    Parameters
    ----------
    n_items : int
        At least 1.
    theta : float
        Not negative.

    Returns
    -------
    ndarray of float, shape (n(n - 1)/2 + 1,)
        Exact but for rounding, 1e-12 or so.
    """
    # The distance is a sum of independent stages, so its Fourier transform is the
    # product of theirs: mean powers of z with weights exp(-theta v), v from 0 to size - 1.
    length = n_items * (n_items - 1) // 2 + 1
    angles = -2j * np.pi * np.arange(length // 2 + 1) / length
    product = np.ones(len(angles), dtype=np.complex128)
    for size in range(2, n_items + 1):
        total = np.exp(-theta * np.arange(size)).sum()
        with np.errstate(invalid="ignore", divide="ignore"):
            sums = np.expm1(size * (angles - theta)) / np.expm1(angles - theta)
        sums[angles == theta] = size  # only at 0
        product *= sums / total
    result: Floats = np.maximum(np.fft.irfft(product, length), 0.0)
    return result


def known_distances(ranks: Ranks, weights: Floats) -> Floats:
    """Return the weight at every distance of the complete strict rankings among some.

    Parameters
    ----------
    ranks : ndarray of int32, shape (m, n)
        Ranks with codes; columns in the order of the center.
    weights : ndarray of float, shape (m,)
        Of the rankings.

    Returns
    -------
    ndarray of float, shape (n(n - 1)/2 + 1,)
    """
    n = ranks.shape[1]
    strict = (np.sort(ranks, axis=1) == np.arange(n)).all(axis=1)
    counted: Floats = np.bincount(
        _unlike(ranks[strict]), weights=weights[strict], minlength=n * (n - 1) // 2 + 1
    ).astype(np.float64)
    return counted


def spread_distances(ranks: Ranks, weights: Floats, theta: float) -> Floats | None:
    """Return the weight at every distance of the other rankings, shared out by the distribution.

    Under a Mallows distribution the items of a bucket have a Mallows distribution of their own, and
    so do unlisted ones: what they add to the distance of the buckets is independent of it.

    Parameters
    ----------
    ranks : ndarray of int32, shape (m, n)
        Ranks with codes; columns in the order of the center.
    weights : ndarray of float, shape (m,)
        Of the rankings.
    theta : float
        Not negative.

    Returns
    -------
    ndarray of float, shape (n(n - 1)/2 + 1,), or None
        None where some ranking has unranked items, which have no such distribution.
    """
    if (ranks == UNRANKED).any():
        return None
    n = ranks.shape[1]
    partial = (np.sort(ranks, axis=1) != np.arange(n)).any(axis=1)
    rows = places.comparable(ranks[partial])
    result = np.zeros(n * (n - 1) // 2 + 1)
    known: dict[tuple[int, ...], Floats] = {}
    for row, start, weight in zip(rows, _unlike(rows), weights[partial], strict=True):
        sizes = tuple(sorted(np.unique(row, return_counts=True)[1].tolist()))
        if sizes not in known:
            expected = np.ones(1)
            for size in (size for size in sizes if size > 1):
                expected = np.convolve(expected, distance_probabilities(size, theta))
            known[sizes] = expected
        result[start : start + len(known[sizes])] += weight * known[sizes]
    return result


def _unlike(rows: Ranks) -> np.ndarray[tuple[int, ...], np.dtype[np.intp]]:
    """Count the pairs of every row that are in the reverse order of the columns."""
    unlike = np.zeros(len(rows), dtype=np.intp)
    for j in range(1, rows.shape[1]):
        unlike += (rows[:, :j] > rows[:, [j]]).sum(axis=1)
    return unlike
