"""Whether a maximum of a likelihood exists, and equations of information matrices."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_solve

from rankagg._typing import Bools, Floats, Ranks
from rankagg.core.graphs import connected_parts, ordered_parts
from rankagg.core.items import ItemSet, counted, listed
from rankagg.core.profile import Profile
from rankagg.core.rankings import places
from rankagg.core.rankings.places import UNRANKED
from rankagg.exceptions import Described, InvalidInputError, NotIdentifiedError

__all__ = [
    "beats_graph",
    "check_connected",
    "check_observed",
    "components",
    "is_linked",
    "solve_definite",
]


def solve_definite(matrix: Floats, right: Floats) -> Floats | None:
    """Solve linear equations whose matrix is positive definite; None where rounding hides that.

    Parameters are scaled to a curvature of 1, since their weights may differ by any factor.
    """
    diagonal = np.diag(matrix)
    if not (np.isfinite(matrix).all() and (diagonal > 0).all()):
        return None
    scale = 1.0 / np.sqrt(diagonal)
    scaled = scale[:, None] * matrix * scale
    try:
        lower = np.linalg.cholesky(scaled)
    except np.linalg.LinAlgError:
        return None
    # By its factor: nearly singular matrices have one where other ways to solve give up.
    found = cho_solve((lower, True), (right.T * scale).T)
    solved: Floats = (scale * found.T).T
    return solved


def components(beats: Bools) -> list[list[int]]:
    """Return the strongly connected components of a graph, sources first."""
    return [part.tolist() for part in ordered_parts(beats)]


def beats_graph(ranks: Ranks) -> Bools:
    """Return who stands right above whom in some ranking, shape (n, n).

    That is enough to know who is above whom through others. Tied items are above each other.
    """
    n = ranks.shape[1]
    place = places.comparable(ranks)
    order = np.argsort(place, axis=1, kind="stable")
    place = np.take_along_axis(place, order, axis=1)
    beats = np.zeros((n, n), dtype=bool)
    above = order[:, 0].copy()  # the last listed item so far
    for q in range(1, n):
        seen = place[:, q] <= n  # listed or unlisted, not unranked
        level = seen & (place[:, q] == place[:, q - 1]) & (place[:, q] < n)
        led = seen & (place[:, 0] < n)
        beats[above[led], order[led, q]] = True
        beats[order[level, q], order[level, q - 1]] = True
        beats[order[level, q - 1], order[level, q]] = True
        listed_here = place[:, q] < n
        above[listed_here] = order[listed_here, q]
    np.fill_diagonal(beats, False)
    return beats


def is_linked(together: Floats) -> bool:
    """Say whether chains of common sets link all items; a matrix of how often two were in one."""
    return bool((connected_parts(together > 0) == 0).all())


def check_observed(profile: Profile) -> None:
    """Raise where some item is in no ranking."""
    unseen = (profile.ranks == UNRANKED).all(axis=0)
    if unseen.any():
        names = listed(profile.items.where(unseen))
        raise InvalidInputError(
            "profile", "rankings that observe every item somewhere", Described(names),
            "Leave items out with `profile.restrict(...)`.",
        )  # fmt: skip


def check_connected(beats: Bools, items: ItemSet) -> None:
    """Raise where worths have no finite maximum-likelihood estimate.

    It exists exactly where no two groups of the items are such that the one never loses to the
    other (Ford 1957).
    """
    parts = components(beats)
    if len(parts) <= 1:
        return
    seen = beats.any(axis=1) | beats.any(axis=0)
    kinds = {
        "never compared": ~seen,
        "never beaten": seen & ~beats.any(axis=0),
        "never above another": seen & ~beats.any(axis=1),
    }
    facts = [
        f"{what}: {listed(items.where(which))}" for what, which in kinds.items() if which.any()
    ]
    groups = " | ".join(listed([items[i] for i in part]) for part in parts[:8])
    more = f" | ... {counted(len(parts), 'group')} in all" if len(parts) > 8 else ""
    raise NotIdentifiedError(
        f"The worths have no finite maximum: no group here loses to a later one ({groups}{more}). "
        f"{'; '.join(facts) + '. ' if facts else ''}"
        "Use `pseudo_rankings=0.5`, a `ridge`, or drop items until one group is left."
    )
