"""The steps of Dodgson's rule: the cheapest lifts of an item, ballot after ballot."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from rankagg.aggregation.result import Consensus
from rankagg.core.items import counted
from rankagg.core.rankings.partial import as_ranking
from rankagg.core.rankings.places import UNLISTED, UNRANKED
from rankagg.exceptions import Described, InvalidInputError
from rankagg.teaching.rules.ballot_leads import units_of
from rankagg.teaching.rules.opening import (
    by_number,
    distinct_rankings,
    majority_step,
    rankings_step,
    votes_step,
)
from rankagg.teaching.step import Step, number, told
from rankagg.teaching.worked import Worked

__all__ = ["dodgson_steps"]

# Situations that are looked at for one item.
MOST_SITUATIONS = 1_000_000

# What is lacking against each item that is not beaten yet.
Lacking: TypeAlias = tuple[int, ...]
# Half swaps, and the lifts that were taken: the ballot and the half swaps in it, and those before.
Way: TypeAlias = tuple[int, "tuple[int, int, Way | None] | None"]
Lift: TypeAlias = tuple[int, tuple[int, ...]]


def dodgson_steps(consensus: Consensus) -> Worked:
    """Find for each item the fewest swaps, by going through the ballots one by one."""
    evidence = consensus._evidence
    items = evidence.items
    ranks, weights = distinct_rankings(evidence.profile)
    units, over = units_of(weights)
    off = (UNLISTED, UNRANKED)
    codes = [[len(row) if place in off else place for place in row] for row in ranks.tolist()]
    names = [as_ranking(row, items)._arrows() for row in ranks]
    rows, scores = [], []
    for i, item in enumerate(items):
        others = [j for j in range(len(items)) if j != i]
        margins = [
            sum(u * ((row[j] > row[i]) - (row[j] < row[i]))
                for u, row in zip(units, codes, strict=True))
            for j in others
        ]  # fmt: skip
        behind = [j for j, margin in zip(others, margins, strict=True) if margin <= 0]
        lacking = tuple(1 - margin for margin in margins if margin <= 0)
        halves, lifts = _cheapest([_lifts(row, i, behind) for row in codes], units, lacking)
        scores.append(Fraction(-halves, 2 * over))
        told_lifts = [
            f"{told(Fraction(many, over))} of {names[ballot]} by "
            f"{counted(told(Fraction(half, 2)), 'swap')}"
            for (ballot, half), many in lifts.items()
        ]
        who = ", ".join(str(items[j]) for j in behind) or "nobody"
        rows.append((str(item), who, ", ".join(told_lifts) or "nothing", number(scores[-1])))
    text = [
        "For each item the fewest swaps of neighbors are found that make it beat all others; its "
        "score is minus their number.",
        "Only lifts of the item itself help. They were compared ballot by ballot: of several ways "
        "to the same lead the cheapest goes on.",
    ]
    if any(len(set(row)) < len(row) for row in codes):
        text.append("To pass tied items takes a swap for each, to leave a tie half of one.")
    if over > 1:
        text.append(f"A part of a ballot may change, in steps of 1/{over}.")
    step = Step("The swaps", tuple(text), ("item", "does not beat", "lifts", "score"), tuple(rows))
    votes = consensus.pairwise
    opening = (*rankings_step(evidence), votes_step(votes), majority_step(votes))
    found = np.array([float(one) for one in scores])
    return Worked((*opening, step), found, ranking=by_number(scores, items))


def _lifts(row: Sequence[int], item: int, behind: Sequence[int]) -> list[Lift]:
    """Return the lifts of an item in a ballot: half swaps, and the gain over each one behind."""
    own = row[item]
    tied = sum(place == own for place in row) - 1
    found = []
    # Out of its own bucket, then over one bucket after the other.
    for top in sorted({place for place in row if place <= own}, reverse=True):
        above = sum(top <= place < own for place in row)
        gains = tuple(2 if top <= row[j] < own else int(row[j] == own) for j in behind)
        if tied + 2 * above and any(gains):
            found.append((tied + 2 * above, gains))
    return found


def _cheapest(
    lifts: Sequence[Sequence[Lift]], units: Sequence[int], lacking: Lacking
) -> tuple[int, dict[tuple[int, int], int]]:
    """Return the fewest half swaps, and how many units of which ballot are lifted by how many."""
    ways: dict[Lacking, Way] = {lacking: (0, None)}
    done = (0,) * len(lacking)
    looked_at = 0
    for ballot, (options, many) in enumerate(zip(lifts, units, strict=True)):
        for _ in range(many if options else 0):
            reached = dict(ways)
            for state, (cost, taken) in ways.items():
                for half, gains in options:
                    after = tuple(max(0, a - b) for a, b in zip(state, gains, strict=True))
                    if after not in reached or cost + half < reached[after][0]:
                        reached[after] = (cost + half, (ballot, half, (cost, taken)))
            looked_at += len(ways) * len(options)
            if looked_at > MOST_SITUATIONS:
                raise InvalidInputError(
                    "data",
                    f"rankings with at most {MOST_SITUATIONS:,} situations to compare for an item, "
                    "to be worked out in steps",
                    Described("more than that"),
                    "`Dodgson().aggregate` finds the answer by an integer program.",
                )
            ways = reached
    cost, taken = ways[done]
    lifted: dict[tuple[int, int], int] = {}
    while taken is not None:
        ballot, half, before = taken
        lifted[ballot, half] = lifted.get((ballot, half), 0) + 1
        assert before is not None, "a lift follows on something"
        taken = before[1]
    return cost, dict(sorted(lifted.items()))
