"""What each ballot says for one item against each other one, in the smallest units."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

from rankagg._typing import Ranks, Unranked
from rankagg.core.items import ItemSet
from rankagg.core.profiles.profile import Profile
from rankagg.core.rankings.partial import as_ranking
from rankagg.teaching.rules.opening import margins_of

__all__ = ["leads_of_ballots", "units_of"]


def leads_of_ballots(ranks: Ranks, items: ItemSet, unranked: Unranked) -> list[list[list[int]]]:
    """Return per ballot what it says for the row above the column, over one denominator."""
    margins = [margins_of(Profile([as_ranking(row, items)]).pairwise(unranked)) for row in ranks]
    over = lcm(*(one.denominator for ballot in margins for line in ballot for one in line))
    return [[[int(one * over) for one in line] for line in ballot] for ballot in margins]


def units_of(weights: Sequence[Fraction]) -> tuple[list[int], int]:
    """Return whole numbers of the smallest ballot, and how many of these make one of weight 1."""
    over = lcm(*(weight.denominator for weight in weights))
    return [int(weight * over) for weight in weights], over
