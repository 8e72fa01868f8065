"""First and last places among the items that remain, ballot by ballot, from the definition."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from rankagg._typing import Ranks, Unranked
from rankagg.core.rankings.places import UNLISTED, UNRANKED

__all__ = ["EndCount", "ends"]


class EndCount(NamedTuple):
    """What each remaining item has of the first or the last places.

    Attributes
    ----------
    got : dict from int to Fraction
        What each one has.
    whole : Fraction
        What the ballots that count have to give.
    """

    got: dict[int, Fraction]
    whole: Fraction


def ends(
    ranks: Ranks,
    weights: Sequence[Fraction],
    inside: Sequence[int],
    unranked: Unranked,
    *,
    last: bool = False,
    plain: bool = False,
) -> EndCount:
    """Go through the ballots and share each one's first or last place.

    Parameters
    ----------
    ranks : ndarray of int32, shape (t, n)
        Places with codes.
    weights : sequence of Fraction, length t
        The weight of each ballot.
    inside : sequence of int
        The items that remain.
    unranked : {"uniform", "ignore", "last"}
        See `InstantRunoff`.
    last : bool, default False
        Whether last places are counted.
    plain : bool, default False
        Whether the ranked items give nothing under "ignore".
    """
    got, whole = dict.fromkeys(inside, Fraction(0)), Fraction(0)
    for row, weight in zip(ranks.tolist(), weights, strict=True):
        # Unlisted items share the bucket below all listed ones.
        off = (UNLISTED, UNRANKED) if unranked == "last" else (UNLISTED,)
        place = {i: len(row) if row[i] in off else row[i] for i in inside}
        known = [i for i in inside if place[i] != UNRANKED]
        absent = [i for i in inside if place[i] == UNRANKED]
        edge = (max if last else min)((place[i] for i in known), default=0)
        at_end = [i for i in known if place[i] == edge]
        if unranked == "ignore":
            whole += weight if known else 0
            for i in at_end:
                got[i] += weight / len(at_end)
            for i in [] if plain else known:
                got[i] -= weight / len(known)
        else:
            whole += weight
            for i in at_end:
                got[i] += weight * Fraction(len(known), len(inside)) / len(at_end)
            for i in absent:
                got[i] += weight / len(inside)
    return EndCount(got, whole)
