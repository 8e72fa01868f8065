"""Whether a likelihood of log worths has a finite maximum: what separates outcomes for ever."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from rankagg._typing import Bools, Floats
from rankagg.core import (
    UNRANKED,
    ItemSet,
    PairwiseMatrix,
    Profile,
    canonical_profile,
    counted,
    listed,
)
from rankagg.core.graphs import connected_parts, ordered_parts
from rankagg.exceptions import Described, InvalidInputError, NotIdentifiedError

# How far a direction of entries up to 1 may be off a constraint.
DIRECTION_SLACK = 1e-7


def unweighted_votes(profile: Profile) -> PairwiseMatrix:
    """Return the votes of rankings that count alike, so that none is rounded away."""
    return canonical_profile(profile.items, profile.ranks).direct_pairwise()


def beats_graph(profile: Profile) -> Bools:
    """Return who is above whom, or tied with it, in some ranking, shape (n, n)."""
    votes = unweighted_votes(profile)
    return np.asarray(votes.wins + votes.ties > 0)


def is_linked(together: Floats) -> bool:
    """Say whether chains of common sets link all items; a matrix of how often two were in one."""
    return bool((connected_parts(together > 0) == 0).all())


def check_observed(profile: Profile) -> None:
    """Raise where some item is in no ranking."""
    unseen = (profile.ranks == UNRANKED).all(axis=0)
    if unseen.any():
        names = listed(profile.items.where(unseen))
        remedy = "Leave items out with `profile.restrict(...)`."
        allowed = "rankings that observe every item somewhere"
        raise InvalidInputError("data", allowed, Described(names), remedy)


def check_connected(
    beats: Bools,
    items: ItemSet,
    *,
    words: Sequence[str] = ("never compared", "never beaten", "never above another"),
    loses: str = "loses to a later one",
    remedy: str = "Use `pseudo_rankings=0.5`, a `ridge`, or drop items until one group is left.",
    camps: bool = False,
) -> None:
    """Raise where worths have no finite maximum-likelihood estimate.

    It exists exactly where no two groups of the items are such that the one never loses to the
    other (Ford 1957).
    """
    parts = ordered_parts(beats)
    if len(parts) <= 1:
        return
    met = beats | beats.T
    seen = met.any(axis=1)
    kinds = (~seen, seen & ~beats.any(axis=0), seen & ~beats.any(axis=1))
    facts = [
        f"{what}: {listed(items.where(who))}"
        for what, who in zip(words, kinds, strict=True)
        if who.any()
    ]
    apart = ordered_parts(met)
    if camps and sum(len(part) > 1 for part in apart) > 1:
        named = [part for part in apart[:4] if len(part) > 1]
        facts.append(f"camps that never met: {_shown_groups(named, items)}")
    more = f" | ... {counted(len(parts), 'group')} in all" if len(parts) > 8 else ""
    told = "; ".join(facts) + ". " if facts else ""
    raise NotIdentifiedError(
        f"The worths have no finite maximum: no group here {loses} "
        f"({_shown_groups(parts[:8], items)}{more}). {told}{remedy}"
    )


def _shown_groups(parts: Sequence[Any], items: ItemSet) -> str:
    return " | ".join(listed([items[int(i)] for i in part]) for part in parts)


def whole_directions(direction: Floats) -> Iterator[Floats]:
    """Go through the multiples of a direction whose entries are nearly whole, rounded."""
    for denominator in range(1, 841):
        whole = np.rint(direction * denominator)
        if np.abs(direction * denominator - whole).max() <= 1e-5:
            yield whole


def rises_for_ever(
    worths: Floats, items: ItemSet, beside: Callable[[int], list[str]], remedy: str
) -> NotIdentifiedError:
    """Return the error that says along what; `beside` names what moves upwards or downwards."""
    told = []
    for sign, verb in ((1, "grow"), (-1, "fall")):
        moving = items.where(worths[: len(items)] * sign > DIRECTION_SLACK)
        worth = "worths" if len(moving) > 1 else "worth"
        parts = [f"the {worth} of {listed(moving)}"] if moving else []
        if parts := parts + beside(sign):
            are_many = len(parts) > 1 or parts[0].split()[1].endswith("s")
            told.append(f"{' and '.join(parts)} {verb if are_many else verb + 's'}")
    return NotIdentifiedError(
        f"The likelihood has no finite maximum: it rises for ever as {' and '.join(told)}. {remedy}"
    )
