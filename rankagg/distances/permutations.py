"""Distances between permutations that count moves: Cayley, Hamming, Ulam."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import numpy as np

from rankagg._typing import Integers64
from rankagg.core import Permutation
from rankagg.distances.common import mapping_of, of_largest
from rankagg.exceptions import InvalidInputError


def cayley_distance(first: Permutation, second: Permutation, *, normalized: bool = False) -> float:
    """Count the exchanges of two items, anywhere, that turn one ranking into the other.

    Parameters
    ----------
    first, second : Permutation
        Complete strict rankings of the same items; ties and missing items are refused.
    normalized : bool, default False
        Divide by the largest value, n - 1.

    Returns
    -------
    float
        n less the number of cycles of the permutation that leads from one to the other.

    References
    ----------
    Cayley (1849), "Note on the theory of permutations", Philosophical Magazine 34, 527-529;
    Diaconis (1988), "Group representations in probability and statistics", chapter 6.

    Examples
    --------
    >>> from rankagg import Permutation
    >>> from rankagg.distances import cayley_distance
    >>> cayley_distance(Permutation.from_order("ABC"), Permutation.from_order("CBA"))
    1.0
    """
    mapping = _mapping(first, second)
    n = len(mapping)
    seen = np.zeros(n, dtype=bool)
    cycles = 0
    for start in range(n):
        if not seen[start]:
            cycles += 1
            at = start
            while not seen[at]:
                seen[at] = True
                at = int(mapping[at])
    return of_largest(n - cycles, n - 1, normalized)


def hamming_distance(first: Permutation, second: Permutation, *, normalized: bool = False) -> float:
    """Count the items that have another rank.

    Parameters
    ----------
    first, second : Permutation
        Complete strict rankings of the same items; ties and missing items are refused.
    normalized : bool, default False
        Divide by n.

    Returns
    -------
    float

    References
    ----------
    Diaconis (1988), "Group representations in probability and statistics", chapter 6.

    Examples
    --------
    >>> from rankagg import Permutation
    >>> from rankagg.distances import hamming_distance
    >>> hamming_distance(Permutation.from_order("ABC"), Permutation.from_order("CBA"))
    2.0
    """
    mapping = _mapping(first, second)
    n = len(mapping)
    return of_largest(int((mapping != np.arange(n)).sum()), n, normalized)


def ulam_distance(first: Permutation, second: Permutation, *, normalized: bool = False) -> float:
    """Count the items that must be taken out and put in elsewhere.

    Parameters
    ----------
    first, second : Permutation
        Complete strict rankings of the same items; ties and missing items are refused.
    normalized : bool, default False
        Divide by the largest value, n - 1.

    Returns
    -------
    float
        n less the length of the longest sequence of items in the order of both; O(n log n).

    References
    ----------
    Ulam (1972), "Some ideas and prospects in biomathematics"; Diaconis (1988), "Group
    representations in probability and statistics", chapter 6.

    Examples
    --------
    >>> from rankagg import Permutation
    >>> from rankagg.distances import ulam_distance
    >>> ulam_distance(Permutation.from_order("ABCD"), Permutation.from_order("BCDA"))
    1.0
    """
    mapping = _mapping(first, second)
    # The least last element of an increasing sequence of every length.
    ends: list[int] = []
    for value in mapping.tolist():
        at = bisect_left(ends, value)
        ends[at : at + 1] = [value]
    return of_largest(len(mapping) - len(ends), len(mapping) - 1, normalized)


def _mapping(first: Any, second: Any) -> Integers64:
    """Return the rank in the second ranking of each rank in the first."""
    for parameter, ranking in (("first", first), ("second", second)):
        if not isinstance(ranking, Permutation):
            allowed = "a complete strict ranking, a Permutation"
            remedy = "`kendall_distance` and `spearman_footrule` take ties and missing items."
            raise InvalidInputError(parameter, allowed, ranking, remedy)
    return mapping_of(first, second)
