"""Thurstone's case V: items with normal values, of one variance, in the order of these."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import cache
from typing import Any

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import ArrayLike
from scipy.special import log_ndtr, ndtr

from rankagg._typing import Floats, Generator, Label, Ranks
from rankagg.core import (
    UNLISTED,
    Permutation,
    array_key,
    frozen_array,
    permutation_of,
)
from rankagg.distributions.base import RankingDistribution, labelled_numbers

# Of a single value, so that a difference of two has the variance 1.
DEVIATION = 0.5**0.5
FURTHEST = 1000.0
# Densities are known at Gauss's nodes of panels of this width, and beyond the outermost locations.
NODES, WIDTH, MARGIN = 16, 1.0, 6.5
POINTS_HELD = 2_000_000
_NODES, _ = legendre.leggauss(NODES)


@cache
def _integrals() -> Floats:
    """Return what values at the nodes are multiplied with: integrals up to each, and up to 1."""
    polynomials = [legendre.Legendre.basis(k).integ(lbnd=-1) for k in range(NODES)]
    ends = np.stack([each(np.append(_NODES, 1.0)) for each in polynomials], axis=1)
    integrals: Floats = ends @ np.linalg.inv(legendre.legvander(_NODES, NODES - 1))
    return integrals


class Thurstone(RankingDistribution):
    """Items in the order of independent normal values: i is above j with Phi(l_i - l_j).

    What an item is worth varies from one ranking to the next, with variance 1/2. A ranking has the
    probability that the values of the items that it observes are in its order, and those of
    unlisted ones below; of ties it is 0. It is integrated by Gauss's rule, with an error near
    1e-14.

    Parameters
    ----------
    locations : array_like of float, shape (n,)
        The mean of each item, up to 1000 in size; only differences matter.
    items : iterable of str or int, optional
        The items; 0, ..., n - 1 by default.

    Attributes
    ----------
    locations : ndarray of float, shape (n,)
        With sum 0.

    References
    ----------
    Thurstone (1927), https://doi.org/10.1037/h0070288.

    Examples
    --------
    >>> import rankagg as ra
    >>> values = ra.distributions.Thurstone([0.5, 0.0, -0.5], items="ABC")
    >>> values.pairwise_probabilities()[0].round(3)
    array([0.   , 0.691, 0.841])
    >>> round(values.prob(ra.Permutation.from_order("ABC")), 3)
    0.419
    """

    locations: Floats

    def __init__(self, locations: ArrayLike, *, items: Iterable[Label] | None = None) -> None:
        known, values = labelled_numbers(locations, items, "locations", FURTHEST)
        self._set(items=known, locations=frozen_array(values - values.mean()))

    def _key(self) -> tuple[Hashable, ...]:
        return self.items, array_key(self.locations)

    def _parameters(self) -> dict[str, Any]:
        return {"locations": self.locations.tolist()}

    def _log_probs(self, ranks: Ranks) -> Floats:
        low, high = self.locations.min() - MARGIN, self.locations.max() + MARGIN
        at = (np.arange(low, high, WIDTH)[:, None] + WIDTH * (_NODES + 1.0) / 2.0).ravel()
        number = max(POINTS_HELD // len(at), 1)
        parts = [ranks[begin : begin + number] for begin in range(0, len(ranks), number)]
        return np.concatenate([np.zeros(0), *(self._integrated(part, at) for part in parts)])

    def _integrated(self, ranks: Ranks, at: Floats) -> Floats:
        """Return the log probabilities, from the worst listed item up to the best."""
        scaled = (at - self.locations[:, None]) / DEVIATION
        densities = np.exp(-(scaled**2) / 2.0) / (DEVIATION * (2.0 * np.pi) ** 0.5)
        # The chance that all that is below is in order and no more than each point.
        below = np.exp((ranks == UNLISTED).astype(np.float64) @ log_ndtr(scaled))
        logs = np.zeros(len(ranks))
        for place in range(ranks.shape[1] - 1, -1, -1):
            rows, item = np.nonzero(ranks == place)
            alone = np.bincount(rows, minlength=len(ranks))[rows] == 1
            logs[rows[~alone]] = -np.inf
            rows, item = rows[alone], item[alone]
            steps = below[rows] * densities[item]
            panels = (
                steps.reshape(len(rows), len(at) // NODES, NODES) @ _integrals().T * (WIDTH / 2.0)
            )
            before = np.cumsum(panels[:, :, -1], axis=1) - panels[:, :, -1]
            sums = (panels[:, :, :-1] + before[:, :, None]).reshape(steps.shape)
            total = before[:, -1:] + panels[:, -1:, -1]
            with np.errstate(divide="ignore", invalid="ignore"):
                logs[rows] += np.minimum(np.log(total[:, 0]), 0.0)
                below[rows] = np.nan_to_num(sums / total)
        return logs

    def _sample(self, size: int, rng: Generator) -> Ranks:
        values = self.locations + DEVIATION * rng.standard_normal((size, self.n_items))
        return np.argsort(np.argsort(-values, axis=1), axis=1).astype(np.int32)

    @property
    def mode(self) -> Permutation:
        """The order of the locations; those that are equal stand as the items do."""
        return permutation_of(np.argsort(np.argsort(-self.locations, kind="stable")), self.items)

    def pairwise_probabilities(self) -> Floats:
        """Return P(row before column), shape (n, n); 0 on the diagonal."""
        before = ndtr(self.locations[:, None] - self.locations)
        np.fill_diagonal(before, 0.0)
        return before
