"""The steps of the Borda count."""

from __future__ import annotations

import numpy as np

from rankagg._typing import Floats, Ranks
from rankagg.aggregation.positional import points
from rankagg.aggregation.result import Consensus
from rankagg.core.items import ItemSet
from rankagg.core.rankings.partial import as_ranking
from rankagg.teaching.rules.opening import distinct_rankings, rankings_step, scored, votes_step
from rankagg.teaching.step import Formula, Step, number, told
from rankagg.teaching.worked import Worked

__all__ = ["borda_steps"]


def borda_steps(consensus: Consensus) -> Worked:
    """Count how often each item has each rank, or what each ranking gives it, and add up."""
    evidence = consensus._evidence
    if not evidence.has_rankings:
        return _from_votes(consensus)
    ranks, weights = distinct_rankings(evidence.profile)
    policy = consensus.unranked
    assert policy is not None, "the rule has one"
    given = points(ranks, policy)
    heavy = np.array(weights, dtype=np.float64)
    scores = (heavy[:, None] * given).sum(axis=0)
    plain = evidence.is_complete_and_strict and policy != "ignore"
    step = (_by_rank if plain else _by_ranking)(ranks, heavy, given, evidence.items)
    last = scored("The sums", "The more points, the better.", evidence.items, scores)
    return Worked((*rankings_step(evidence), step, last), scores)


def _by_rank(ranks: Ranks, weights: Floats, given: Floats, items: ItemSet) -> Step:
    n = len(items)
    rows = []
    for i, item in enumerate(items):
        often = [weights[ranks[:, i] == rank].sum() for rank in range(n)]
        parts = [f"{told(count)}*{n - 1 - rank}" for rank, count in enumerate(often) if count]
        total = (weights * given[:, i]).sum()
        points_of = Formula(f"{' + '.join(parts)} = {told(total)}")
        rows.append((str(item), *map(number, often), points_of))
    heads = [f"rank {rank + 1} ({n - 1 - rank})" for rank in range(n)]
    return Step(
        "The points",
        (
            f"First place is worth {n - 1}, each next one 1 less, the last 0.",
            "A row holds how often its item has each rank, and its points.",
        ),
        ("item", *heads, "points"),
        tuple(rows),
    )


def _by_ranking(ranks: Ranks, weights: Floats, given: Floats, items: ItemSet) -> Step:
    rows = [
        (number(weight), as_ranking(row, items)._arrows(), *map(number, each))
        for row, weight, each in zip(ranks, weights, given, strict=True)
    ]
    return Step(
        "The points",
        (
            "Points are for ranks; tied items share theirs, and the policy says what unranked "
            "ones get.",
            "A row holds what one ranking gives each item; it counts as often as the count says.",
        ),
        ("count", "ranking", *items),
        tuple(rows),
    )


def _from_votes(consensus: Consensus) -> Worked:
    """From votes alone: wins less losses, or the points that they come to."""
    votes = consensus.pairwise
    won, lost = votes.wins.sum(axis=1), votes.wins.sum(axis=0)
    columns, scores = ["item", "won", "lost", "won less lost"], won - lost
    text = "The sum of a row is what its item won, that of its column what it lost."
    rows = [
        [str(item), *map(number, (won[i], lost[i], scores[i]))]
        for i, item in enumerate(votes.items)
    ]
    if votes.exact_weight is not None and consensus.unranked != "ignore":
        whole = (votes.n_items - 1) * float(votes.exact_weight)
        scores = np.asarray((whole + scores) / 2)
        columns.append(f"points = ({told(whole)} + it)/2")
        rows = [[*row, number(score)] for row, score in zip(rows, scores, strict=True)]
        text += " A win is a point, and a tie half of one."
    step = Step("Won and lost", (text,), tuple(columns), tuple(map(tuple, rows)))
    last = scored("The sums", "The more, the better.", votes.items, scores)
    return Worked((votes_step(votes), step, last), scores)
