"""The steps of pick-a-perm: what each of the given rankings costs."""

from __future__ import annotations

from rankagg._typing import Unranked
from rankagg.aggregation.positional import points
from rankagg.aggregation.result import Consensus
from rankagg.core.rankings.partial import as_ranking
from rankagg.core.rankings.places import competition_ranks
from rankagg.exceptions import VerificationError
from rankagg.teaching.rules.opening import distinct_rankings, rankings_step, votes_step
from rankagg.teaching.step import Step, number
from rankagg.teaching.worked import Worked

__all__ = ["pick_a_perm_steps"]


def pick_a_perm_steps(consensus: Consensus) -> Worked:
    """Add up what each of the given rankings contradicts."""
    evidence, votes = consensus._evidence, consensus.pairwise
    ranks, _ = distinct_rankings(evidence.profile)
    # Unranked items stand where they are expected.
    policy: Unranked = "last" if consensus.unranked == "last" else "uniform"
    filled = competition_ranks(-points(ranks, policy), 1e-9)
    costs = {}
    for row in filled:
        ranking = as_ranking(row, evidence.items)
        costs[ranking] = votes.exact_cost(ranking)
    least = min(costs.values())
    if costs.get(consensus.ranking) != least:
        raise VerificationError(
            "The steps of PickAPerm come to something else than the rule; please report the data."
        )
    rows = [
        (number(cost), ranking._arrows(), "picked" if ranking == consensus.ranking else "")
        for ranking, cost in sorted(costs.items(), key=lambda one: one[1])
    ]
    text = ["A ranking costs the votes that it contradicts; the cheapest of the given is picked."]
    if not evidence.is_complete_and_strict:
        text.append("An item that a ranking leaves out stands where it is expected.")
    if list(costs.values()).count(least) > 1:
        text.append("Of several cheapest ones the one whose ranks come first is picked.")
    step = Step("The costs", tuple(text), ("cost", "ranking", "is"), tuple(rows))
    return Worked((*rankings_step(evidence), votes_step(votes), step), ranking=consensus.ranking)
