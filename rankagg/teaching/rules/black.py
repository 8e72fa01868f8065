"""The steps of Black's rule: the Condorcet winner, else Borda."""

from __future__ import annotations

from dataclasses import replace

from rankagg.aggregation.result import Consensus, rank_by_scores
from rankagg.teaching.rules.borda import borda_steps
from rankagg.teaching.rules.majorities import winner_sentence
from rankagg.teaching.rules.opening import by_number, majority_step, margins_of, votes_step
from rankagg.teaching.step import Step
from rankagg.teaching.worked import Worked

__all__ = ["black_steps"]


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
