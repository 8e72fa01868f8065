"""The steps of Slater's rule: the majorities that every order contradicts, and the proof."""

from __future__ import annotations

from itertools import combinations

from rankagg.aggregation.kemeny.proofs.certificate import Certificate
from rankagg.aggregation.kemeny.slater import Slater
from rankagg.aggregation.result import Consensus
from rankagg.core.items import counted
from rankagg.exceptions import VerificationError
from rankagg.teaching.rules.certificate import certificate_step
from rankagg.teaching.rules.kemeny import MOST_LISTED, all_orders
from rankagg.teaching.rules.opening import majority_step, rankings_step, votes_step
from rankagg.teaching.step import Step
from rankagg.teaching.worked import Worked

__all__ = ["slater_steps"]

FLOOR = "The majority of any one pair can be kept: the floor is 0."


def slater_steps(consensus: Consensus) -> Worked:
    """Count the majorities that the answer contradicts, list all orders, and prove the bound."""
    votes, certificate = consensus.pairwise, consensus.certificate
    assert isinstance(certificate, Certificate), "the rule is exact"
    tournament = Slater.tournament(votes)
    order = consensus.order
    rows = []
    for i, j in combinations(votes.items.indices(order), 2):
        margin = votes.scaled_wins[i, j] - votes.scaled_wins[j, i]
        verdict = "kept" if margin > 0 else "contradicted" if margin < 0 else "a draw"
        rows.append((f"{votes.items[i]} above {votes.items[j]}", verdict))
    contradicted = sum(verdict == "contradicted" for _, verdict in rows)
    of_answer = Step(
        "The majorities of the answer",
        (
            "An order costs the number of majorities that it contradicts, whatever their margins.",
            f"{' > '.join(map(str, order))} contradicts {counted(contradicted, 'majority')}.",
        ),
        ("pair", "majority"),
        tuple(rows),
    )
    proof, bound = certificate_step(certificate, tournament, contradicted, FLOOR)
    if certificate.cost != contradicted:
        raise VerificationError(
            "The certificate of Slater's rule speaks of another cost than its steps; please report "
            "the data."
        )
    steps = [
        *rankings_step(consensus._evidence), votes_step(votes), majority_step(votes), of_answer,
        proof,
    ]  # fmt: skip
    if len(votes.items) <= MOST_LISTED:
        listed, least = all_orders(tournament.cost, consensus)
        steps.insert(-1, listed)
        if bound > least:
            raise VerificationError(
                "The proof of Slater's rule claims more than its steps; please report the data."
            )
    return Worked(tuple(steps), ranking=consensus.ranking)
