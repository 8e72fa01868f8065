"""Votes in which some items matter more than others."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from rankagg._typing import Label
from rankagg._validation import check_number
from rankagg.core.arithmetic import exact
from rankagg.core.votes.pairwise import PairwiseMatrix
from rankagg.exceptions import Described, InvalidInputError, nearest

__all__ = ["weigh_items"]

SMALLEST, LARGEST = 1e-9, 1e9


def weigh_items(votes: PairwiseMatrix, weights: Mapping[Label, float]) -> PairwiseMatrix:
    """Return the votes with those on two items counted as often as the product of their weights.

    What a ranking costs by these votes is the Kendall distance with weights of items of Kumar and
    Vassilvitskii: a pair i, j in the wrong order costs ``w_i * w_j`` for each vote. All that takes
    votes takes these; the exact rule proves its optimum, and the certificate speaks of them.

    Parameters
    ----------
    votes : PairwiseMatrix
        Any votes.
    weights : mapping from item to float
        From 1e-9 to 1e9; 1 for items that are not named. A float is read as the simplest fraction
        that rounds to it.

    Returns
    -------
    PairwiseMatrix
        Without a `total_weight`: pairs have no common one.

    References
    ----------
    Kumar and Vassilvitskii (2010), https://doi.org/10.1145/1772690.1772749.

    Examples
    --------
    >>> import rankagg as ra
    >>> votes = ra.Profile.from_orders(["ABC", "BCA", "CAB"], counts=[3, 2, 2]).pairwise()
    >>> ra.Kemeny().aggregate(votes).order
    ('A', 'B', 'C')
    >>> heavy = ra.weigh_items(votes, {"C": 5})
    >>> consensus = ra.Kemeny().aggregate(heavy)
    >>> consensus.order, consensus.certificate.verify(heavy)
    (('B', 'C', 'A'), True)
    """
    if not isinstance(votes, PairwiseMatrix):
        raise InvalidInputError(
            "votes", "a PairwiseMatrix", votes, "`Profile.pairwise` counts one."
        )
    if not isinstance(weights, Mapping):
        raise InvalidInputError("weights", "a mapping from item to number", weights)
    vector = np.ones(len(votes.items))
    for label, weight in weights.items():
        if label not in votes.items:
            remedy = nearest(label, votes.items)
            raise InvalidInputError("weights", "of items of the votes", label, remedy)
        owner = f"weight of {Described(label)}"
        vector[votes.items.index(label)] = check_number(weight, owner, low=SMALLEST, high=LARGEST)
    own = exact.as_rational(vector)
    times = exact.multiply(own.numerators[:, None], own.numerators[None, :])
    scaled = (votes.scaled_wins, votes.scaled_ties, votes.scaled_comparisons)
    wins, ties, comparisons = (exact.multiply(part, times) for part in scaled)
    # By how much weights, and so their products, are off where they are no simple fractions.
    largest, off = Fraction(float(vector.max())), Fraction(own.step) / 2
    most = Fraction(int(votes.scaled_comparisons.max(initial=0)), votes.denominator)
    rounding = Fraction(votes.rounding) * (largest + off) ** 2 + off * (2 * largest + off) * most
    return PairwiseMatrix(
        items=votes.items,
        scaled_wins=wins,
        scaled_ties=ties,
        scaled_comparisons=comparisons,
        denominator=votes.denominator * own.denominator**2,
        squared_weights=votes.squared_weights * np.multiply.outer(vector, vector) ** 2,
        unranked=votes.unranked,
        rounding=exact.float_above(rounding) if rounding else 0.0,
        is_decided=votes.is_decided,
    )
