"""The steps of Young's rule: the fewest ballots to leave out, by trying every choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np

from rankagg.aggregation.result import Consensus
from rankagg.aggregation.voting.young import Young
from rankagg.core.items import ItemSet, counted
from rankagg.core.rankings.partial import as_ranking
from rankagg.exceptions import Described, InvalidInputError
from rankagg.teaching.rules.ballot_leads import leads_of_ballots, units_of
from rankagg.teaching.rules.opening import (
    by_number,
    distinct_rankings,
    majority_step,
    rankings_step,
    votes_step,
)
from rankagg.teaching.step import Step, number, told
from rankagg.teaching.worked import Worked

__all__ = ["young_steps"]

# Choices that are tried for one item.
MOST_CHOICES = 500_000


@dataclass(frozen=True)
class Kind:
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
    votes = consensus.pairwise
    opening = (*rankings_step(evidence), votes_step(votes), majority_step(votes))
    scores = np.array([float(one) for one in kept])
    return Worked((*opening, step), scores, ranking=by_number(kept, items))


def _fewest(leads: Sequence[tuple[int, ...]], units: Sequence[int], goal: int) -> list[int] | None:
    """Return how many units of each ballot to leave out; None where no choice is enough."""
    kinds = [
        Kind(
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
