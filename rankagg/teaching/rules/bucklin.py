"""The steps of Bucklin's rule: how deep one must go for a majority."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from rankagg.aggregation.result import Consensus
from rankagg.core.rankings.places import UNLISTED, UNRANKED
from rankagg.teaching.rules.opening import distinct_rankings, rankings_step, scored
from rankagg.teaching.step import Formula, Step, number, told
from rankagg.teaching.worked import Worked

__all__ = ["bucklin_steps"]


def bucklin_steps(consensus: Consensus) -> Worked:
    """Count the rankings that have listed an item up to every depth."""
    evidence = consensus._evidence
    items = evidence.items
    n = len(items)
    ranks, weights = distinct_rankings(evidence.profile)
    whole = sum(weights, Fraction(0))
    votes = [[Fraction(0)] * n for _ in items]
    for row, weight in zip(ranks.tolist(), weights, strict=True):
        for i in range(n):
            for depth in range(1, n + 1):
                votes[i][depth - 1] += weight * _share(row, i, depth)
    rows, scores = [], []
    for i, item in enumerate(items):
        reached = [depth for depth in range(1, n + 1) if 2 * votes[i][depth - 1] > whole]
        depth = reached[0] if reached else n
        there = bool((ranks[:, i] != UNRANKED).any())
        scores.append(float(n - depth + votes[i][depth - 1] / whole) if there else np.nan)
        share = f"{told(votes[i][depth - 1])}/{told(whole)}"
        sum_of = Formula(f"{n} - {depth} + {share}") if there else "none"
        rows.append((str(item), *map(number, votes[i]), reached[0] if reached else "none", sum_of))
    text = [
        f"At depth k an item has the votes of the rankings with it among their first k. A majority "
        f"is more than half of {told(whole)}.",
        "The score is the number of items, less the depth of the majority (the last where there is "
        "none), and the share of votes there.",
    ]
    if not evidence.is_complete_and_strict:
        text.append(
            "Tied items share their places; a ranking never votes for an item that it leaves "
            "unranked."
        )
    heads = [f"depth {depth}" for depth in range(1, n + 1)]
    step = Step("The depths", tuple(text), ("item", *heads, "majority at", "score"), tuple(rows))
    last = scored("The scores", "The higher, the better.", items, np.array(scores))
    return Worked((*rankings_step(evidence), step, last), np.array(scores))


def _share(row: Sequence[int], item: int, depth: int) -> Fraction:
    """Return which part of its bucket's places is among the first ones."""
    if row[item] == UNRANKED:
        return Fraction(0)
    size = sum(other == row[item] for other in row)
    listed = sum(other not in (UNLISTED, UNRANKED) for other in row)
    start = listed if row[item] == UNLISTED else row[item]
    return min(Fraction(1), max(Fraction(0), Fraction(depth - start, size)))
