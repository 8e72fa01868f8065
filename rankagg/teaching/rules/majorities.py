"""Steps of Copeland, pairwise majority, Minimax, Schulze and Black: who beats whom."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, permutations

import networkx as nx
import numpy as np

from rankagg._typing import Floats
from rankagg.aggregation.condorcet import Copeland
from rankagg.aggregation.result import Consensus, rank_by_scores
from rankagg.core.items import ItemSet
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.rankings.partial import as_ranking
from rankagg.teaching.rules.opening import (
    by_number,
    majority_step,
    margins_of,
    rankings_step,
    scored,
    votes_step,
)
from rankagg.teaching.rules.points import borda_steps
from rankagg.teaching.step import Cell, Step, number, told
from rankagg.teaching.worked import Worked

__all__ = [
    "black_steps",
    "copeland_steps",
    "majority_steps",
    "minimax_steps",
    "schulze_steps",
    "winner_sentence",
]


def copeland_steps(consensus: Consensus) -> Worked:
    """Count the items that each one beats, and its draws."""
    rule, votes = consensus.aggregator, consensus.pairwise
    assert isinstance(rule, Copeland), "the registry says so"
    seen = votes.comparisons > 0
    beats = (votes.margins > 0) & seen
    draws = ~beats & ~beats.T & ~np.eye(votes.n_items, dtype=bool)
    won, drawn, lost = beats.sum(axis=1), draws.sum(axis=1), beats.sum(axis=0)
    scores = won + rule.alpha * drawn
    rows = [
        (str(item), *map(number, (won[i], drawn[i], lost[i], scores[i])))
        for i, item in enumerate(votes.items)
    ]
    text = f"A win is worth 1, a draw {told(rule.alpha)}, a defeat nothing."
    step = Step("The score", (text,), ("item", "won", "drawn", "lost", "score"), tuple(rows))
    return Worked((*_opening(consensus), step), scores)


def minimax_steps(consensus: Consensus) -> Worked:
    """List the defeats of each item, the worst first, and compare the lists."""
    votes = consensus.pairwise
    defeats = {
        i: sorted((max(0.0, m) for m in votes.margins[:, i]), reverse=True)
        for i in range(votes.n_items)
    }
    order = sorted(defeats, key=lambda i: defeats[i])
    different = sorted({tuple(row) for row in defeats.values()})
    scores = np.array([len(different) - different.index(tuple(defeats[i])) for i in sorted(order)])
    rows = [(str(votes.items[i]), _defeats(defeats[i]), number(scores[i])) for i in order]
    step = Step(
        "The defeats",
        (
            "The margins of an item's defeats, the worst first: the smaller the worst, the better.",
            "Equal ones are told apart by the next worst. The last has a score of 1, the one "
            "above it 2, and so on.",
        ),
        ("item", "defeats", "score"),
        tuple(rows),
    )
    return Worked((*_opening(consensus), step), scores.astype(np.float64))


def majority_steps(consensus: Consensus) -> Worked:
    """See whom each item reaches by steps that no majority is against."""
    votes = consensus.pairwise
    n = votes.n_items
    reached = votes.margins >= 0
    for k in range(n):
        reached = reached | (reached[:, [k]] & reached[[k], :])
    # Of two items one reaches the other; those that reach more are above.
    number_reached = reached.sum(axis=1)
    places = np.array([(number_reached > mine).sum() for mine in number_reached])
    ranking = as_ranking(places.astype(np.int32), votes.items)
    rows = [
        (
            str(item),
            _named(votes, (votes.margins[i] > 0)),
            _named(votes, reached[i] & (np.arange(n) != i)),
        )
        for i, item in enumerate(votes.items)
    ]
    step = Step(
        "Whom each item reaches",
        (
            "An item reaches those that it beats or draws with, and those that they reach.",
            "The more it reaches, the higher it stands; items that reach each other are tied.",
            winner_sentence(votes),
        ),
        ("item", "beats", "reaches"),
        tuple(rows),
    )
    return Worked((*_opening(consensus), step), ranking=ranking)


def winner_sentence(votes: PairwiseMatrix) -> str:
    """Say who beats all others, or that nobody does."""
    n = votes.n_items
    winners = votes.items.where((votes.margins > 0).sum(axis=1) == n - 1)
    if n > 1 and winners:
        return f"{winners[0]} beats all others: it is the Condorcet winner."
    return "No item beats all others: there is no Condorcet winner."


def _opening(consensus: Consensus) -> tuple[Step, ...]:
    votes = consensus.pairwise
    return (*rankings_step(consensus._evidence), votes_step(votes), majority_step(votes))


def _named(votes: PairwiseMatrix, chosen: object) -> str:
    names = votes.items.where(np.asarray(chosen))
    return ", ".join(map(str, names)) or "none"


def _defeats(margins: list[float]) -> str:
    return ", ".join(told(margin) for margin in margins if margin) or "none"


def schulze_steps(consensus: Consensus) -> Worked:
    """Find a strongest path for each pair, either way, and compare the two."""
    votes = consensus.pairwise
    items, margins = votes.items, votes.margins
    n = len(items)
    strength = np.zeros((n, n))
    rows: list[tuple[Cell, ...]] = []
    for i, j in permutations(range(n), 2):
        path = _strongest_path(margins, i, j)
        strength[i, j] = min((margins[arc] for arc in pairwise(path)), default=0)
        rows.append((f"{items[i]} to {items[j]}", _told(path, margins, items), strength[i, j]))
    beats = strength > strength.T
    scores = (beats.sum(axis=1) - beats.sum(axis=0)).astype(np.float64)
    table = [
        (str(item), *("" if i == j else number(strength[i, j]) for j in range(n)))
        for i, item in enumerate(items)
    ]
    undefeated = ", ".join(map(str, items.where(~beats.any(axis=0))))
    steps = (
        *rankings_step(consensus._evidence),
        votes_step(votes),
        majority_step(votes),
        Step(
            "A strongest path for each pair",
            (
                "A path leads over majorities, and is as strong as its weakest one.",
                "The margin of each step stands in parentheses.",
            ),
            ("pair", "path", "strength"),
            tuple((pair, path, number(size)) for pair, path, size in rows),
        ),
        Step(
            "The strengths",
            (
                "An item beats another where its path to it is stronger than the path back.",
                f"Beaten by nobody: {undefeated}.",
            ),
            ("from", *items),
            tuple(table),
        ),
        scored(
            "The score", "How many items it beats, less how many beat it.", items, scores
        ),
    )  # fmt: skip
    return Worked(steps, scores)


def _strongest_path(margins: Floats, start: int, end: int) -> list[int]:
    """Return a shortest one of the strongest paths; empty where there is none."""
    for least in sorted({float(m) for m in margins[margins > 0]}, reverse=True):
        graph: nx.DiGraph[int] = nx.DiGraph(list(zip(*np.nonzero(margins >= least), strict=True)))
        if start in graph and end in graph and nx.has_path(graph, start, end):
            return [int(k) for k in nx.shortest_path(graph, start, end)]
    return []


def _told(path: list[int], margins: Floats, items: ItemSet) -> str:
    if not path:
        return "none"
    steps = [f"({told(margins[i, j])}) {items[j]}" for i, j in pairwise(path)]
    return " ".join([str(items[path[0]]), *steps])


def black_steps(consensus: Consensus) -> Worked:
    """Look for an item that beats all others, and order the rest by points."""
    votes, points = consensus.pairwise, borda_steps(consensus)
    assert points.scores is not None, "Borda has them"
    items, margins = votes.items, margins_of(votes)
    n = len(items)
    ranking, _ = rank_by_scores(points.scores, items)
    winners = [i for i in range(n) if all(margins[i][j] > 0 for j in range(n) if j != i)]
    majorities = majority_step(votes)
    text = (*majorities.sentences, winner_sentence(votes))
    majorities = replace(majorities, sentences=text)
    places = ranking.ranks.tolist()
    said = "All items stand by their points."
    if winners:
        (winner,) = winners
        said = f"{items[winner]} stands first, and all others by their points."
        places[winner] = -1
    first = () if points.steps[0].heading == votes_step(votes).heading else (votes_step(votes),)
    steps = (*points.steps[:1], *first, majorities, *points.steps[1:], Step("The order", (said,)))
    return Worked(steps, ranking=by_number([-place for place in places], items))
