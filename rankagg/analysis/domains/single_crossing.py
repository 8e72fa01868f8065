"""Whether a profile is single-crossing, and in which order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Ranks
from rankagg.analysis.domains.strict import different_rankings
from rankagg.core.items import ItemSet
from rankagg.core.profiles.profile import Profile

__all__ = ["single_crossing_order"]

# Pairs that are compared at a time.
BATCH = 2**22


def single_crossing_order(profile: Profile) -> Profile | None:
    """Return the different rankings so that on the way every two items change places at most once.

    Majorities are then transitive where no two items tie: the middle ranking is that of the
    majority. Time is proportional to rankings times squared items.

    Parameters
    ----------
    profile : Profile
        Complete and strict. Counts and weights play no part.

    Returns
    -------
    Profile or None
        Every different ranking once, from one end to the other; the reverse is such an order too,
        and there is no third. None where there is none.

    Raises
    ------
    InvalidInputError
        If a ranking has ties or gaps.

    References
    ----------
    Gans and Smart (1996), https://doi.org/10.1016/0047-2727(95)01503-5; Elkind, Lackner and Peters
    (2022), "Preference restrictions in computational social choice: a survey",
    https://doi.org/10.48550/arXiv.2205.09092.

    Examples
    --------
    >>> import rankagg as ra
    >>> profile = ra.Profile.from_orders(["BAC", "CBA", "ABC", "BCA", "BAC"])
    >>> ["".join(ranking.order) for ranking in ra.single_crossing_order(profile)]
    ['CBA', 'BCA', 'BAC', 'ABC']
    >>> ra.single_crossing_order(ra.Profile.from_orders(["ABC", "BCA", "CAB"])) is None
    True
    """
    ranks = different_rankings(profile)
    # Along such an order distances add up, so that the farthest from any ranking is an end of it.
    end = int(np.argmax(_distances(ranks, ranks[0])))
    from_end = _distances(ranks, ranks[end])
    ordered = ranks[np.argsort(from_end, kind="stable")]
    steps = sum(
        int(_distances(ordered[k : k + 1], ordered[k - 1])[0]) for k in range(1, len(ranks))
    )
    if steps != from_end.max():
        return None
    return Profile._trusted(ItemSet(profile.items), ordered)


def _distances(ranks: Ranks, center: Ranks) -> NDArray[np.int64]:
    """Count for every row the pairs that it has the other way."""
    first, second = np.triu_indices(len(center), k=1)
    turned = center[first] > center[second]
    size = max(1, BATCH // max(len(first), 1))
    found = np.empty(len(ranks), dtype=np.int64)
    for start in range(0, len(ranks), size):
        part = ranks[start : start + size]
        found[start : start + size] = ((part[:, first] > part[:, second]) != turned).sum(axis=1)
    return found
