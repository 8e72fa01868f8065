"""The steps of Dodgson's and Young's rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, prod
from typing import TypeAlias

import numpy as np

from rankagg._typing import Ranks, Unranked
from rankagg.aggregation.result import Consensus
from rankagg.aggregation.voting.nearest_winner import Young
from rankagg.core.items import ItemSet, counted
from rankagg.core.profile import Profile
from rankagg.core.rankings.partial import as_ranking
from rankagg.core.rankings.places import UNLISTED, UNRANKED
from rankagg.exceptions import Described, InvalidInputError
from rankagg.teaching.opening import (
    Worked,
    by_number,
    distinct_rankings,
    full_opening,
    margins_of,
)
from rankagg.teaching.steps import Step, number, told


def leads_of_ballots(ranks: Ranks, items: ItemSet, unranked: Unranked) -> list[list[list[int]]]:
    """Return per ballot what it says for the row above the column, over one denominator."""
    margins = [margins_of(Profile([as_ranking(row, items)]).pairwise(unranked)) for row in ranks]
    over = lcm(*(one.denominator for ballot in margins for line in ballot for one in line))
    return [[[int(one * over) for one in line] for line in ballot] for ballot in margins]


def units_of(weights: Sequence[Fraction]) -> tuple[list[int], int]:
    """Return whole numbers of the smallest ballot, and how many of these make one of weight 1."""
    over = lcm(*(weight.denominator for weight in weights))
    return [int(weight * over) for weight in weights], over


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
    found = np.array([float(one) for one in scores])
    return Worked((*full_opening(consensus), step), found, ranking=by_number(scores, items))


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


# Choices that are tried for one item.
MOST_CHOICES = 500_000


@dataclass(frozen=True)
class BallotKind:
    """Ballots that say the same for an item: how many units, what they say, which ones."""

    units: int
    leads: tuple[int, ...]
    ballots: tuple[int, ...]


def young_steps(consensus: Consensus) -> Worked:
    """Try for each item every choice of ballots to leave out that could help it."""
    rule, evidence, policy = consensus.aggregator, consensus._evidence, consensus.unranked
    assert isinstance(rule, Young), "the registry says so"
    assert policy is not None, "the rule has one"
    items, goal = evidence.items, 0 if rule.weak else 1
    ranks, weights = distinct_rankings(evidence.profile)
    units, over = units_of(weights)
    leads = leads_of_ballots(ranks, items, policy)
    names = [as_ranking(row, items)._arrows() for row in ranks]
    rows, kept = [], []
    for i, item in enumerate(items):
        others = [j for j in range(len(items)) if j != i]
        mine = [tuple(ballot[i][j] for j in others) for ballot in leads]
        out = _fewest(mine, units, goal)
        kept.append(Fraction(0 if out is None else sum(units) - sum(out), over))
        beaten = _beaten(mine, units, goal, [str(items[j]) for j in others])
        what = "no choice is enough" if out is None else _named(out, over, names)
        rows.append((str(item), beaten, what, number(kept[-1])))
    wanted = "no majority is against it" if rule.weak else "it beats all others"
    text = [
        f"For each item the fewest ballots are left out so that {wanted}; its score is what is "
        "kept.",
        "Every choice was tried of ballots with some other item above it; to leave out others "
        "helps nothing.",
    ]
    if over > 1:
        text.append(f"A part of a ballot may be left out, in steps of 1/{over}.")
    against = "beaten by" if rule.weak else "does not beat"
    step = Step("What is left out", tuple(text), ("item", against, "left out", "score"),
                tuple(rows))  # fmt: skip
    scores = np.array([float(one) for one in kept])
    return Worked((*full_opening(consensus), step), scores, ranking=by_number(kept, items))


def _fewest(leads: Sequence[tuple[int, ...]], units: Sequence[int], goal: int) -> list[int] | None:
    """Return how many units of each ballot to leave out; None where no choice is enough."""
    kinds = [
        BallotKind(
            sum(units[b] for b, row in enumerate(leads) if row == one), one,
            tuple(b for b, row in enumerate(leads) if row == one),
        )
        for one in dict.fromkeys(leads)
    ]  # fmt: skip
    kinds = [kind for kind in kinds if min(kind.leads, default=0) < 0]
    table = np.array(leads, dtype=np.int64).reshape(len(units), -1)
    sums = np.array(units, dtype=object) @ table.astype(object)
    out = [0] * len(units)
    if min(sums, default=goal) >= goal:
        return out
    if not kinds:
        return None
    sizes = [kind.units + 1 for kind in kinds]
    choices = prod(sizes)
    if choices > MOST_CHOICES:
        raise InvalidInputError(
            "data",
            f"rankings with at most {MOST_CHOICES:,} ways to leave some out for an item, to be "
            "worked out in steps",
            Described(counted(f"{choices:,}", "way")),
            "`Young().aggregate` finds the answer by an integer program.",
        )
    tried = np.stack(np.unravel_index(np.arange(choices), sizes), axis=1)
    # What the largest choice is, fits: there are few of them.
    left = sums.astype(np.int64) - tried @ np.array([kind.leads for kind in kinds])
    enough = np.flatnonzero((left >= goal).all(axis=1) & (tried.sum(axis=1) < sum(units)))
    if not len(enough):
        return list(units) if goal == 0 else None
    best = tried[enough[tried[enough].sum(axis=1).argmin()]]
    for kind, many in zip(kinds, best.tolist(), strict=True):
        for ballot in kind.ballots:
            out[ballot] = min(many, units[ballot])
            many -= out[ballot]  # noqa: PLW2901
    return out


def _beaten(
    leads: Sequence[tuple[int, ...]], units: Sequence[int], goal: int, others: Sequence[str]
) -> str:
    sums = [sum(u * row[k] for u, row in zip(units, leads, strict=True))
            for k in range(len(others))]  # fmt: skip
    return ", ".join(name for name, one in zip(others, sums, strict=True) if one < goal) or "nobody"


def _named(out: Sequence[int], over: int, names: ItemSet | Sequence[str]) -> str:
    parts = [
        f"{told(Fraction(many, over))} of {name}"
        for many, name in zip(out, names, strict=True) if many
    ]  # fmt: skip
    return ", ".join(parts) or "nothing"
