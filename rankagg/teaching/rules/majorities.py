"""The steps of rules that look at who beats whom: Copeland, pairwise majority, Minimax."""

from __future__ import annotations

import numpy as np

from rankagg.aggregation.condorcet import Copeland
from rankagg.aggregation.result import Consensus
from rankagg.core.rankings.partial import as_ranking
from rankagg.core.votes.pairwise import PairwiseMatrix
from rankagg.teaching.rules.opening import majority_step, rankings_step, votes_step
from rankagg.teaching.step import Step, number, told
from rankagg.teaching.worked import Worked

__all__ = ["copeland_steps", "majority_steps", "minimax_steps", "winner_sentence"]


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
