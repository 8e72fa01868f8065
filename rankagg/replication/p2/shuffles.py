"""Algorithm 1: two lists merged by a fair coin, which is not uniform."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import TypeVar

import numpy as np

__all__ = ["chance_of", "shuffle"]

T = TypeVar("T")


def shuffle(first: Sequence[T], second: Sequence[T], rng: np.random.Generator) -> list[T]:
    """Merge two lists: each next entry is of the one or the other by the toss of a coin.

    Parameters
    ----------
    first, second : sequence
        The lists; each keeps its order.
    rng : numpy.random.Generator
        The coin.

    Returns
    -------
    list
    """
    a, b, merged = list(first), list(second), []
    while a and b:
        merged.append((a if rng.random() > 0.5 else b).pop(0))
    return [*merged, *a, *b]


@cache
def chance_of(word: str) -> Fraction:
    """Return the chance that `shuffle` makes a word of its A's and its B's.

    Parameters
    ----------
    word : str
        Letters A for entries of the first list and B for those of the second.

    Returns
    -------
    Fraction

    Examples
    --------
    >>> [str(chance_of(word)) for word in ("ABB", "BAB", "BBA")]
    ['1/2', '1/4', '1/4']
    """
    if len(set(word)) < 2:
        return Fraction(1)  # one list is left, and no coin is tossed
    return chance_of(word[1:]) / 2
