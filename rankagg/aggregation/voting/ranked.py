"""A ranking from exact numbers, which no rounding ties."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from rankagg._typing import Ranks
from rankagg.aggregation.base import Outcome
from rankagg.core.items import ItemSet
from rankagg.core.rankings.partial import as_ranking
from rankagg.exceptions import InvalidInputError

__all__ = ["by_places", "by_points", "too_many_outcomes"]


def by_points(points: Sequence[Fraction], items: ItemSet, notes: tuple[str, ...] = ()) -> Outcome:
    """Rank items by points, higher is better; only equal points tie."""
    scores = np.array([float(number) for number in points])
    ranks = by_places([-number for number in points])
    return Outcome(scores=scores, ranking=as_ranking(ranks, items), notes=notes)


def by_places(values: Sequence[Fraction] | Sequence[int]) -> Ranks:
    """Return the ranks that exact numbers give, smaller is better."""
    ordered = sorted(values)
    return np.array([bisect_left(ordered, value) for value in values], dtype=np.int32)


def too_many_outcomes(limit: int) -> InvalidInputError:
    """Return the error of a list of all outcomes that would be longer than `limit`."""
    return InvalidInputError(
        "limit", "at least the number of outcomes, which is larger", limit,
        "Raise it, or take tie_breaking='parallel' for the best rank of each.",
    )  # fmt: skip
