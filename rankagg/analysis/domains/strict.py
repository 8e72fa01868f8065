"""What is recognized: the different rankings of a complete strict profile."""

from __future__ import annotations

import numpy as np

from rankagg._typing import Ranks
from rankagg.core.profiles.profile import Profile
from rankagg.exceptions import Described, InvalidInputError

__all__ = ["different_rankings"]


def different_rankings(profile: object) -> Ranks:
    """Return the ranks of the different rankings, in the order in which they first occur."""
    if not isinstance(profile, Profile):
        raise InvalidInputError("profile", "a Profile", profile)
    if not (profile.is_complete and profile.is_strict):
        raise InvalidInputError(
            "profile", "complete and strict", Described(repr(profile)),
            "`sample_compatible` draws the ties and gaps; the answer is then that of the draw.",
        )  # fmt: skip
    _, first = np.unique(profile.ranks, axis=0, return_index=True)
    rows: Ranks = profile.ranks[np.sort(first)]
    return rows
