"""What votes a ranking contradicts, counted in integers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from rankagg._typing import Integers
from rankagg.core import exact
from rankagg.core.rankings import PartialRanking, Permutation

__all__ = ["contradicted"]


def contradicted(wins: Integers, ranking: PartialRanking) -> Fraction:
    """Return the votes against a ranking; see `PairwiseMatrix.cost`.

    Parameters
    ----------
    wins : ndarray of int, shape (n, n)
        Votes for row above column.
    ranking : PartialRanking
        Of the same items; what it leaves open costs what breaking it at random does on average.

    Returns
    -------
    fractions.Fraction
    """
    if isinstance(ranking, Permutation):
        order = np.argsort(ranking.ranks)
        against = np.tril(wins[np.ix_(order, order)], k=-1)
        return Fraction(exact.sum_of(against))
    # P(i before j) is a whole number over 2(k + 1).
    over = 2 * (ranking.n_observed + 1)
    before = np.rint(ranking.pairwise_probabilities() * over).astype(np.int64)
    return Fraction(int((before.astype(object) * wins.T.astype(object)).sum()), over)
