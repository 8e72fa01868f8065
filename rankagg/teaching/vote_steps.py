"""Steps of rules on pairwise votes: majorities, paths, and the least cost with its proof."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, groupby, pairwise, permutations

import networkx as nx
import numpy as np

from rankagg._typing import Floats
from rankagg.aggregation import (
    Consensus,
    Copeland,
    Evidence,
    Minimax,
    PairwiseMajority,
    RankedPairs,
    Schulze,
)
from rankagg.aggregation.kemeny import Certificate, Kemeny
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.check_certificate import WEIGHT_DENOMINATOR, Leaf
from rankagg.core import ItemSet, PairwiseMatrix, Permutation, as_ranking, counted
from rankagg.exceptions import Described, InvalidInputError, VerificationError
from rankagg.teaching.steps import (
    Cell,
    Step,
    Worked,
    as_text,
    number,
    rankings_step,
    scores_step,
    votes_step,
    work_out,
)

# Up to this number of items all orders are listed, at most 120.
MOST_ITEMS_LISTED = 5
Arcs = list[tuple[int, int]]


def _majority_step(votes: PairwiseMatrix) -> Step:
    """Return the majorities with their margins as a step."""
    rows = []
    for i, j in combinations(range(votes.n_items), 2):
        if votes.wins[i, j] < votes.wins[j, i]:
            i, j = j, i  # noqa: PLW2901
        margin = number(votes.margins[i, j])
        one, other = votes.items[i], votes.items[j]
        verdict = f"{one} beats {other}" if margin else "a draw"
        if votes.comparisons[i, j] == 0:
            verdict = "never compared"
        won, lost = number(votes.wins[i, j]), number(votes.wins[j, i])
        rows.append((f"{one}, {other}", won, lost, margin, verdict))
    return Step(
        "The majorities",
        ("Of two items, the one with more votes beats the other, by the margin.",),
        ("pair", "for", "against", "margin", "verdict"),
        tuple(rows),
    )


def _full_opening(evidence: Evidence) -> tuple[Step, ...]:
    """Return steps for the rankings, if there are some, the votes and the majorities."""
    votes = evidence.votes
    return (*rankings_step(evidence), votes_step(votes), _majority_step(votes))


def _verify(holds: bool, fault: str) -> None:
    """Raise `VerificationError` if a condition of the steps does not hold."""
    if not holds:
        raise VerificationError(f"{fault}; please report the data.")


@work_out.register
def _copeland_steps(rule: Copeland, consensus: Consensus, evidence: Evidence) -> Worked:
    """Count the items that each one beats, and its draws."""
    votes = evidence.votes
    seen = votes.comparisons > 0
    beats = (votes.margins > 0) & seen
    draws = ~beats & ~beats.T & ~np.eye(votes.n_items, dtype=bool)
    won, drawn, lost = beats.sum(axis=1), draws.sum(axis=1), beats.sum(axis=0)
    scores = won + rule.draw_points * drawn
    rows = [
        (str(item), *map(number, (won[i], drawn[i], lost[i], scores[i])))
        for i, item in enumerate(votes.items)
    ]
    text = f"A win is worth 1, a draw {as_text(rule.draw_points)}, a defeat nothing."
    step = Step("The score", (text,), ("item", "won", "drawn", "lost", "score"), tuple(rows))
    return Worked((*_full_opening(evidence), step), scores)


@work_out.register
def _minimax_steps(rule: Minimax, consensus: Consensus, evidence: Evidence) -> Worked:
    """List the defeats of each item, the worst first, and compare the lists."""
    votes = evidence.votes
    defeats = {
        i: sorted((max(0.0, m) for m in votes.margins[:, i]), reverse=True)
        for i in range(votes.n_items)
    }
    order = sorted(defeats, key=lambda i: defeats[i])
    different = sorted({tuple(row) for row in defeats.values()})
    scores = np.array([len(different) - different.index(tuple(row)) for row in defeats.values()])
    texts = [", ".join(as_text(m) for m in row if m) or "none" for row in defeats.values()]
    rows = [(str(votes.items[i]), texts[i], scores[i].item()) for i in order]
    step = Step(
        "The defeats",
        (
            "The margins of an item's defeats, the worst first: the smaller the worst, the better.",
            "Equal ones are compared by the next worst. The last has a score of 1, the one above "
            "it 2, and so on.",
        ),
        ("item", "defeats", "score"),
        tuple(rows),
    )
    return Worked((*_full_opening(evidence), step), scores.astype(np.float64))


@work_out.register
def _majority_steps(rule: PairwiseMajority, consensus: Consensus, evidence: Evidence) -> Worked:
    """Find the items that each item reaches by steps without a majority against."""
    votes = evidence.votes
    n = votes.n_items
    reached = votes.margins >= 0
    for k in range(n):
        reached = reached | (reached[:, [k]] & reached[[k], :])
    # Of two items at least one reaches the other; items that reach more are above.
    number_reached = reached.sum(axis=1)
    places = np.array([(number_reached > mine).sum() for mine in number_reached])
    ranking = as_ranking(places.astype(np.int32), votes.items)
    beaten, others = votes.margins > 0, reached & ~np.eye(n, dtype=bool)
    rows = [
        (str(item), _items_named(votes, beaten[i]), _items_named(votes, others[i]))
        for i, item in enumerate(votes.items)
    ]
    step = Step(
        "The items that each item reaches",
        (
            "An item reaches those that it beats or draws with, and those that they reach.",
            "The more it reaches, the higher it ranks; items that reach each other are tied.",
            _winner_sentence(votes),
        ),
        ("item", "beats", "reaches"),
        tuple(rows),
    )
    return Worked((*_full_opening(evidence), step), ranking=ranking)


def _winner_sentence(votes: PairwiseMatrix) -> str:
    """Return a sentence on the Condorcet winner."""
    n = votes.n_items
    winners = votes.items.where((votes.margins > 0).sum(axis=1) == n - 1)
    if n > 1 and winners:
        return f"{winners[0]} beats all others: it is the Condorcet winner."
    return "No item beats all others: there is no Condorcet winner."


def _items_named(votes: PairwiseMatrix, chosen: object) -> str:
    names = votes.items.where(np.asarray(chosen))
    return ", ".join(map(str, names)) or "none"


@work_out.register
def _schulze_steps(rule: Schulze, consensus: Consensus, evidence: Evidence) -> Worked:
    """Find a strongest path for each pair in both directions, and compare the two."""
    votes = evidence.votes
    items, margins = votes.items, votes.margins
    n = len(items)
    strength = np.zeros((n, n))
    rows: list[tuple[Cell, ...]] = []
    for i, j in permutations(range(n), 2):
        path = _strongest_path(margins, i, j)
        strength[i, j] = min((margins[arc] for arc in pairwise(path)), default=0)
        pair, size = f"{items[i]} to {items[j]}", number(strength[i, j])
        rows.append((pair, _path_text(path, margins, items), size))
    beats = strength > strength.T
    scores = (beats.sum(axis=1) - beats.sum(axis=0)).astype(np.float64)
    table = [
        (str(item), *("" if i == j else number(strength[i, j]) for j in range(n)))
        for i, item in enumerate(items)
    ]
    undefeated = ", ".join(map(str, items.where(~beats.any(axis=0))))
    steps = (
        *_full_opening(evidence),
        Step(
            "A strongest path for each pair",
            (
                "A path leads over majorities, and its strength is the smallest of them.",
                "The margin of each step is in parentheses.",
            ),
            ("pair", "path", "strength"),
            tuple(rows),
        ),
        Step(
            "The strengths",
            (
                "An item beats another if its path to it is stronger than the path back.",
                f"Unbeaten: {undefeated}.",
            ),
            ("from", *items),
            tuple(table),
        ),
        scores_step("The score", "Items beaten minus items that beat it.", items, scores),
    )
    return Worked(steps, scores)


def _strongest_path(margins: Floats, start: int, end: int) -> list[int]:
    """Return a shortest one of the strongest paths; empty if there is none."""
    for least in sorted({float(m) for m in margins[margins > 0]}, reverse=True):
        graph: nx.DiGraph[int] = nx.DiGraph(list(zip(*np.nonzero(margins >= least), strict=True)))
        if start in graph and end in graph and nx.has_path(graph, start, end):
            return [int(k) for k in nx.shortest_path(graph, start, end)]
    return []


def _path_text(path: list[int], margins: Floats, items: ItemSet) -> str:
    if not path:
        return "none"
    steps = [f"({as_text(margins[i, j])}) {items[j]}" for i, j in pairwise(path)]
    return " ".join([str(items[path[0]]), *steps])


@work_out.register
def _ranked_pairs_steps(rule: RankedPairs, consensus: Consensus, evidence: Evidence) -> Worked:
    """Lock the majorities, the largest first, equal ones together."""
    items, margins = evidence.items, evidence.votes.margins
    arcs = sorted(zip(*np.nonzero(margins > 0), strict=True), key=lambda arc: -margins[arc])
    locked: nx.DiGraph[int] = nx.DiGraph()
    locked.add_nodes_from(range(len(items)))
    rows: list[tuple[Cell, ...]] = []
    for margin, group in groupby(arcs, key=lambda arc: float(margins[arc])):
        equal = [(int(i), int(j)) for i, j in group]
        rows += _lock_equal(locked, equal, margin, items)
    below = {i: len(nx.descendants(locked, i)) for i in locked}
    above = {i: len(nx.ancestors(locked, i)) for i in locked}
    scores = np.array([below[i] - above[i] for i in range(len(items))], dtype=np.float64)
    steps = (
        *_full_opening(evidence),
        Step(
            "Locking",
            (
                "The majorities, the largest first. One that closes a cycle is left out.",
                "Those of equal margin are locked together: if they close a cycle with each "
                "other, all on it are left out.",
            ),
            ("majority", "margin", "verdict", "cycle"),
            tuple(rows),
        ),
        scores_step(
            "The score",
            "Items reached by locked majorities minus items that reach it.",
            items,
            scores,
        ),
    )
    return Worked(steps, scores)


def _lock_equal(
    locked: nx.DiGraph[int], arcs: Arcs, margin: float, items: ItemSet
) -> list[tuple[Cell, ...]]:
    """Lock majorities of equal margin except those on a cycle, and return their rows."""
    # One that contradicts locked paths takes no part in cycles with the others.
    against = [(i, j) for i, j in arcs if nx.has_path(locked, j, i)]
    tried = locked.copy()
    tried.add_edges_from(arc for arc in arcs if arc not in against)
    rows: list[tuple[Cell, ...]] = []
    kept = []
    for i, j in arcs:
        graph = locked if (i, j) in against else tried
        name = f"{items[i]} over {items[j]}"
        if nx.has_path(graph, j, i):
            path = [i, *nx.shortest_path(graph, j, i)]
            cycle = " > ".join(str(items[k]) for k in path)
            rows.append((name, number(margin), "left out", cycle))
        else:
            kept.append((i, j))
            rows.append((name, number(margin), "locked", ""))
    locked.add_edges_from(kept)
    return rows


def _certificate_step(
    certificate: Certificate, votes: PairwiseMatrix, cost: float
) -> tuple[Step, float]:
    """Return the proof of a certificate's bound as a step, and the bound in votes."""
    certificate.verify(votes)
    bound = certificate.lower_bound
    problem = Problem.from_pairwise(votes, certificate.tie_cost)
    text = ["Every pair costs at least its smaller number of votes: the floor."]
    cycles = _cycles(certificate)
    if cycles is None:
        text.append(
            f"This proof uses more than cycles ({certificate.summary()}); it has been verified, "
            "and its cases are in the certificate."
        )
        return Step("The proof", tuple(text)), bound
    rest = [[Fraction(int(cost)) for cost in row] for row in problem.costs]
    total = _floor(rest) + problem.constant
    rows: list[tuple[Cell, ...]] = [("floor", "", _votes(total, problem), _votes(total, problem))]
    total_weight = Fraction(0)
    for (a, b, c), weight in cycles:
        for i, j in ((a, b), (b, c), (c, a)):
            rest[i][j] -= weight
        total_weight += weight
        new = total_weight + _floor(rest) + problem.constant
        # Cycles of the proof are listed against the majorities, so reverse them.
        names = " beats ".join(str(votes.items[k]) for k in (a, c, b, a))
        rows.append(
            (names, _votes(weight, problem), _votes(new - total, problem), _votes(new, problem))
        )
        total = new
    raised = problem.next_attainable(total)
    proved_bound = Fraction(certificate.scaled_lower_bound, certificate.denominator)
    agrees = Fraction(raised, problem.denominator) == proved_bound
    _verify(agrees, "The steps of a proof give another bound than the proof")
    if raised != total:
        label = "the next cost that an order can have"
        rows.append((label, "", _votes(raised - total, problem), _votes(raised, problem)))
    if cycles:
        text.append(
            "Every order contradicts at least one majority of a cycle, so a weight may be "
            "subtracted from all three and counted once."
        )
    sums = f"The sum is {as_text(bound)}, and the answer costs {as_text(cost)}"
    proved = certificate.scaled_lower_bound == certificate.scaled_cost
    text.append(f"{sums}: {'no order is cheaper' if proved else 'the gap between is open'}.")
    columns = ("what", "weight", "adds", "sum")
    by = "cycles of majorities" if cycles else "the floor alone"
    return Step(f"The proof, by {by}", tuple(text), columns, tuple(rows)), bound


def _cycles(certificate: Certificate) -> list[tuple[tuple[int, int, int], Fraction]] | None:
    """Return weighted cycles in the units of the costs; None if a proof has more than these."""
    cycles = []
    for proof in certificate.proofs:
        (node, *others) = proof.nodes
        if others or not isinstance(node, Leaf) or node.rows:
            return None
        cycles += [
            (cycle, Fraction(weight, WEIGHT_DENOMINATOR))
            for cycle, weight in zip(node.triples, node.weights, strict=True)
        ]
    return cycles


def _floor(costs: list[list[Fraction]]) -> Fraction:
    pairs = combinations(range(len(costs)), 2)
    return sum((min(costs[i][j], costs[j][i]) for i, j in pairs), Fraction(0))


def _votes(scaled: Fraction | int, problem: Problem) -> int | float:
    return number(Fraction(scaled) / problem.denominator)


@work_out.register
def _kemeny_steps(rule: Kemeny, consensus: Consensus, evidence: Evidence) -> Worked:
    """Add up the contradicted votes, list all orders of few items, and prove the bound."""
    certificate = consensus.certificate
    if not isinstance(certificate, Certificate) or certificate.demands:
        raise InvalidInputError(
            "rule",
            "Kemeny over all strict orders, to be worked out in steps",
            Described(rule.name),
            "Leave out ties of the consensus and constraints.",
        )
    proof, bound = _certificate_step(certificate, consensus.pairwise, consensus.cost)
    steps, least = [_sum_of_pairs(consensus), proof], bound
    if len(consensus.items) <= MOST_ITEMS_LISTED:
        orders, least = _orders_step(consensus)
        _verify(bound <= least, "The proof of Kemeny claims more than its steps")
        steps.insert(1, orders)
    opening = (*rankings_step(evidence), votes_step(consensus.pairwise))
    return Worked((*opening, *steps), cost=least if consensus.is_proved else None)


def _sum_of_pairs(consensus: Consensus) -> Step:
    votes, order = consensus.pairwise, consensus.ranking.order
    places = votes.items.indices(order)
    items, wins = votes.items, votes.wins
    rows = [
        (f"{items[i]} above {items[j]}", number(wins[i, j]), number(wins[j, i]))
        for i, j in combinations(places, 2)
    ]
    text = [
        "An order costs the votes that it contradicts: those against, over all of its pairs.",
        f"{' + '.join(as_text(row[2]) for row in rows) or '0'} = "
        f"{as_text(sum(row[2] for row in rows))} for {' > '.join(map(str, order))}.",
    ]
    tied = sum(votes.ties[i, j] for i, j in combinations(places, 2)) * consensus.tie_cost
    if tied:
        text.append(f"Votes that tie two items add {as_text(tied)} to every order.")
    return Step("The cost of the answer", tuple(text), ("pair", "for", "against"), tuple(rows))


def _orders_step(consensus: Consensus) -> tuple[Step, float]:
    """Return the cost of each order as a step, and the least cost."""
    items = consensus.items
    costs = {
        order: consensus.cost_of(Permutation.from_order(order, items=items))
        for order in permutations(items)
    }
    least = min(costs.values())
    optima = sum(cost == least for cost in costs.values())
    cheapest = not consensus.is_proved or costs[consensus.ranking.order] == least
    _verify(cheapest, "Kemeny returned an order that is not the cheapest")
    rows = [
        (number(cost), " > ".join(map(str, order)), "least" if cost == least else "")
        for order, cost in sorted(costs.items(), key=lambda row: row[1])
    ]
    kind = "one of them costs" if optima == 1 else f"{optima} of them cost"
    text = f"There are {counted(len(costs), 'order')}, and {kind} least: {as_text(least)}."
    columns = ("cost", "order", "verdict")
    return Step("The costs of all orders", (text,), columns, tuple(rows)), least
