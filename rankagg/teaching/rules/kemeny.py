"""The steps of Kemeny's rule: the cost of every order, and the proof that none is cheaper."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, permutations

from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.kemeny.proofs.certificate import Certificate
from rankagg.aggregation.result import Consensus
from rankagg.core.items import counted
from rankagg.core.rankings.partial import Permutation
from rankagg.exceptions import Described, InvalidInputError, VerificationError
from rankagg.teaching.rules.certificate import certificate_step
from rankagg.teaching.rules.opening import rankings_step, votes_step
from rankagg.teaching.step import Step, number, told
from rankagg.teaching.worked import Worked

__all__ = ["MOST_LISTED", "all_orders", "kemeny_steps"]

# All orders of so many items are listed: 120.
MOST_LISTED = 5


def kemeny_steps(consensus: Consensus) -> Worked:
    """Add up what the answer contradicts, list all orders of few items, and prove the bound."""
    rule, certificate = consensus.aggregator, consensus.certificate
    assert isinstance(rule, Kemeny), "the registry says so"
    if not isinstance(certificate, Certificate) or certificate.demands:
        raise InvalidInputError(
            "aggregator", "Kemeny over all strict orders, to be worked out in steps",
            Described(rule.name), "Leave out ties of the consensus and constraints.",
        )  # fmt: skip
    summed = _sum_of_pairs(consensus)
    proof, bound = certificate_step(certificate, consensus.pairwise, consensus.cost)
    steps = [*rankings_step(consensus._evidence), votes_step(consensus.pairwise), summed, proof]
    least = bound
    if len(consensus.items) <= MOST_LISTED:
        orders, least = all_orders(consensus.cost_of, consensus)
        steps.insert(-1, orders)
    if bound > least:
        raise VerificationError(
            f"The proof of {rule.name} claims more than its steps; please report the data."
        )
    return Worked(tuple(steps), cost=least if consensus.is_proved else None)


def _sum_of_pairs(consensus: Consensus) -> Step:
    votes, order = consensus.pairwise, consensus.ranking.order
    places = votes.items.indices(order)
    rows = [
        (
            f"{votes.items[i]} above {votes.items[j]}",
            number(votes.wins[i, j]), number(votes.wins[j, i]),
        )
        for i, j in combinations(places, 2)
    ]  # fmt: skip
    text = [
        "An order costs the votes that it contradicts: those against, over all of its pairs.",
        f"{' + '.join(told(row[2]) for row in rows) or '0'} = "
        f"{told(sum(row[2] for row in rows))} for {' > '.join(map(str, order))}.",
    ]
    tied = sum(votes.ties[i, j] for i, j in combinations(places, 2)) * consensus.tie_cost
    if tied:
        text.append(f"Votes that tie two items add {told(tied)} to every order.")
    return Step("The cost of the answer", tuple(text), ("pair", "for", "against"), tuple(rows))


def all_orders(cost_of: Callable[[Permutation], float], consensus: Consensus) -> tuple[Step, float]:
    """Return what each order costs as a step, and the least cost.

    Parameters
    ----------
    cost_of : callable
        What an order costs.
    consensus : Consensus
        The answer, which must be one of the cheapest where it is proved.
    """
    items = consensus.items
    costs = {
        order: cost_of(Permutation.from_order(order, items=items)) for order in permutations(items)
    }
    least = min(costs.values())
    optima = sum(cost == least for cost in costs.values())
    if consensus.is_proved and costs[consensus.ranking.order] != least:
        raise VerificationError(
            f"{consensus.aggregator.name} returned an order that is not the cheapest; please "
            "report the data."
        )
    rows = [
        (number(cost), " > ".join(map(str, order)), "least" if cost == least else "")
        for order, cost in sorted(costs.items(), key=lambda row: row[1])
    ]
    kind = "one of them costs" if optima == 1 else f"{optima} of them cost"
    text = f"There are {counted(len(costs), 'order')}, and {kind} least: {told(least)}."
    return Step("The costs of all orders", (text,), ("cost", "order", "is"), tuple(rows)), least
