"""How a certificate proves: the floor, what each cycle adds, and the sum against the cost."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proofs.certificate import Certificate
from rankagg.aggregation.kemeny.proofs.nodes import WEIGHT_DENOMINATOR, Leaf
from rankagg.core.items import counted
from rankagg.core.votes.pairwise import PairwiseMatrix
from rankagg.exceptions import VerificationError
from rankagg.teaching.step import Cell, Step, number, told

__all__ = ["certificate_step"]

Cycle = tuple[int, int, int]

FLOOR = "Every pair costs its smaller number of votes at least: the floor."


def certificate_step(
    certificate: Certificate, votes: PairwiseMatrix, cost: float, floor: str = FLOOR
) -> tuple[Step, float]:
    """Return how a certificate proves its bound as a step, and that bound in votes.

    Parameters
    ----------
    certificate : Certificate
        It is verified again.
    votes : PairwiseMatrix
        What it speaks of.
    cost : float
        What the answer costs in these votes.
    floor : str, optional
        A sentence that says what every order costs at least.
    """
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
            for cycle, weight in zip(node.cycles, node.weights, strict=True)
        ]
    return found


def _floor(costs: list[list[Fraction]]) -> Fraction:
    pairs = combinations(range(len(costs)), 2)
    return sum((min(costs[i][j], costs[j][i]) for i, j in pairs), Fraction(0))


def _votes(scaled: Fraction | int, problem: Problem) -> int | float:
    return number(Fraction(scaled) / problem.denominator)
