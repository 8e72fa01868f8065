"""The steps of Kemeny's and Slater's rules: what orders cost, and how a certificate proves."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, permutations

from rankagg.aggregation.kemeny.aggregator import Kemeny, Slater
from rankagg.aggregation.kemeny.certificate import Certificate
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proof_nodes import WEIGHT_DENOMINATOR, Leaf
from rankagg.aggregation.result import Consensus
from rankagg.core.items import counted
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.rankings.partial import Permutation
from rankagg.exceptions import Described, InvalidInputError, VerificationError
from rankagg.teaching.opening import Worked, full_opening, rankings_step, votes_step
from rankagg.teaching.steps import Cell, Step, number, told

Cycle = tuple[int, int, int]

FLOOR = "Every pair costs its smaller number of votes at least: the floor."


def certificate_step(
    certificate: Certificate, votes: PairwiseMatrix, cost: float, floor: str = FLOOR
) -> tuple[Step, float]:
    """Return how a certificate proves its bound as a step, and that bound in votes."""
    certificate.verify(votes)
    bound = certificate.lower_bound
    problem = Problem.from_pairwise(votes, certificate.tie_cost)
    text = [floor]
    cycles = _cycles(certificate)
    if cycles is None:
        text.append(
            f"This proof goes on by more than cycles ({certificate.summary()}); it has been "
            "verified, and its cases are in the certificate."
        )
        return Step("The proof", tuple(text)), bound
    rest = [[Fraction(int(cost)) for cost in row] for row in problem.costs]
    total = _floor(rest) + problem.constant
    rows: list[tuple[Cell, ...]] = [("floor", "", _votes(total, problem), _votes(total, problem))]
    taken = Fraction(0)
    for (a, b, c), weight in cycles:
        for i, j in ((a, b), (b, c), (c, a)):
            rest[i][j] -= weight
        taken += weight
        new = taken + _floor(rest) + problem.constant
        # An order before its cycle is walked the other way: who beats whom.
        names = " beats ".join(str(votes.items[k]) for k in (a, c, b, a))
        rows.append((names, _votes(weight, problem), _votes(new - total, problem),
                     _votes(new, problem)))  # fmt: skip
        total = new
    raised = problem.next_attainable(total)
    if Fraction(raised, problem.denominator) != Fraction(
        certificate.scaled_lower_bound, certificate.denominator
    ):
        raise VerificationError(
            "The steps of a proof come to another bound than the proof; please report the data."
        )
    if raised != total:
        rows.append(("the next cost that an order can have", "",
                     _votes(raised - total, problem), _votes(raised, problem)))  # fmt: skip
    if cycles:
        text.append(
            "No order agrees with all majorities of a cycle: it contradicts at least one of them, "
            "so a weight may be taken off all three and counted once."
        )
    said = f"The sum is {told(bound)}, and the answer costs {told(cost)}"
    proved = certificate.scaled_lower_bound == certificate.scaled_cost
    text.append(f"{said}: {'no order is cheaper' if proved else 'what lies between is open'}.")
    columns = ("what", "weight", "adds", "sum")
    by = counted(len(cycles), "cycle") if cycles else "the floor alone"
    return Step(f"The proof, by {by}", tuple(text), columns,
                tuple(rows)), bound  # fmt: skip


def _cycles(certificate: Certificate) -> list[tuple[Cycle, Fraction]] | None:
    """Return weighted cycles in the units of the costs; None where a proof is more than these."""
    found = []
    for proof in certificate.proofs:
        (node, *others) = proof.nodes
        if others or not isinstance(node, Leaf) or node.rows:
            return None
        found += [
            (cycle, Fraction(weight, WEIGHT_DENOMINATOR))
            for cycle, weight in zip(node.triples, node.weights, strict=True)
        ]
    return found


def _floor(costs: list[list[Fraction]]) -> Fraction:
    pairs = combinations(range(len(costs)), 2)
    return sum((min(costs[i][j], costs[j][i]) for i, j in pairs), Fraction(0))


def _votes(scaled: Fraction | int, problem: Problem) -> int | float:
    return number(Fraction(scaled) / problem.denominator)


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
    proof, bound = certificate_step(certificate, consensus.pairwise, consensus.cost)
    steps, least = _with_orders(consensus, [_sum_of_pairs(consensus), proof], bound)
    opening = (*rankings_step(consensus._evidence), votes_step(consensus.pairwise))
    return Worked((*opening, *steps), cost=least if consensus.is_proved else None)


def _with_orders(
    consensus: Consensus,
    steps: list[Step],
    bound: float,
    cost_of: Callable[[Permutation], float] | None = None,
) -> tuple[list[Step], float]:
    """Put what all orders of few items cost before the proof, whose bound none may undercut."""
    if len(consensus.items) > MOST_LISTED:
        return steps, bound
    orders, least = all_orders(cost_of or consensus.cost_of, consensus)
    if bound > least:
        raise VerificationError(
            f"The proof of {consensus.aggregator.name} claims more than its steps; please report "
            "the data."
        )
    return [*steps[:-1], orders, steps[-1]], least


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
    """Return what each order costs as a step, and the least cost."""
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


SLATER_FLOOR = "The majority of any one pair can be kept: the floor is 0."


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
    proof, bound = certificate_step(certificate, tournament, contradicted, SLATER_FLOOR)
    if certificate.cost != contradicted:
        raise VerificationError(
            "The certificate of Slater's rule speaks of another cost than its steps; please report "
            "the data."
        )
    steps, _ = _with_orders(consensus, [of_answer, proof], bound, tournament.cost)
    return Worked((*full_opening(consensus), *steps), ranking=consensus.ranking)
