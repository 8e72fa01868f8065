"""The steps of rules that look for the least: Kemeny, Slater, Dodgson, Young."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations
from math import lcm, prod
from typing import TypeAlias

import numpy as np

from rankagg._typing import Ranks, Unranked
from rankagg.aggregation import Consensus, Evidence
from rankagg.aggregation.kemeny import Certificate, Kemeny, Slater
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.voting.nearest_winner import Dodgson, Young
from rankagg.check_certificate import WEIGHT_DENOMINATOR, Leaf
from rankagg.core import (
    UNLISTED,
    UNRANKED,
    ItemSet,
    PairwiseMatrix,
    Permutation,
    Profile,
    as_ranking,
    counted,
)
from rankagg.exceptions import Described, InvalidInputError
from rankagg.teaching.steps import (
    Cell,
    Step,
    Worked,
    by_number,
    distinct_rankings,
    full_opening,
    margins_of,
    number,
    rankings_step,
    told,
    too_many_to_show,
    verify,
    votes_step,
    work_out,
)

Cycle = tuple[int, int, int]

FLOOR = "Every pair costs its smaller number of votes at least: the floor."
# All orders of so many items are listed: 120.
MOST_ITEMS_LISTED = 5
SLATER_FLOOR = "The majority of any one pair can be kept: the floor is 0."
BY_A_PROGRAM = "`{}().aggregate` finds the answer by an integer program."
# Situations that are looked at for one item.
MOST_SITUATIONS = 1_000_000
# Choices that are tried for one item.
MOST_CHOICES = 500_000


def _certificate_step(
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
        rows.append(
            (names, _votes(weight, problem), _votes(new - total, problem), _votes(new, problem))
        )
        total = new
    raised = problem.next_attainable(total)
    proved_bound = Fraction(certificate.scaled_lower_bound, certificate.denominator)
    agrees = Fraction(raised, problem.denominator) == proved_bound
    verify(agrees, "The steps of a proof come to another bound than the proof")
    if raised != total:
        what = "the next cost that an order can have"
        rows.append((what, "", _votes(raised - total, problem), _votes(raised, problem)))
    if cycles:
        text.append(
            "No order agrees with all majorities of a cycle: it contradicts at least one of them, "
            "so a weight may be taken off all three and counted once."
        )
    said = f"The sum is {told(bound)}, and the answer costs {told(cost)}"
    proved = certificate.scaled_lower_bound == certificate.scaled_cost
    text.append(f"{said}: {'no order is cheaper' if proved else 'what lies between is open'}.")
    columns = ("what", "weight", "adds", "sum")
    by = "cycles of majorities" if cycles else "the floor alone"
    return Step(f"The proof, by {by}", tuple(text), columns, tuple(rows)), bound


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


@work_out.register
def _kemeny_steps(rule: Kemeny, consensus: Consensus, evidence: Evidence) -> Worked:
    """Add up what the answer contradicts, list all orders of few items, and prove the bound."""
    certificate = consensus.certificate
    if not isinstance(certificate, Certificate) or certificate.demands:
        raise InvalidInputError(
            "rule",
            "Kemeny over all strict orders, to be worked out in steps",
            Described(rule.name),
            "Leave out ties of the consensus and constraints.",
        )
    proof, bound = _certificate_step(certificate, consensus.pairwise, consensus.cost)
    steps, least = _with_orders(consensus, [_sum_of_pairs(consensus), proof], bound)
    opening = (*rankings_step(evidence), votes_step(consensus.pairwise))
    return Worked((*opening, *steps), cost=least if consensus.is_proved else None)


def _with_orders(
    consensus: Consensus,
    steps: list[Step],
    bound: float,
    cost_of: Callable[[Permutation], float] | None = None,
) -> tuple[list[Step], float]:
    """Put what all orders of few items cost before the proof, whose bound none may undercut."""
    if len(consensus.items) > MOST_ITEMS_LISTED:
        return steps, bound
    orders, least = _orders_step(cost_of or consensus.cost_of, consensus)
    verify(bound <= least, f"The proof of {consensus.rule.name} claims more than its steps")
    return [*steps[:-1], orders, steps[-1]], least


def _sum_of_pairs(consensus: Consensus) -> Step:
    votes, order = consensus.pairwise, consensus.ranking.order
    places = votes.items.indices(order)
    rows = [
        (
            f"{votes.items[i]} above {votes.items[j]}",
            number(votes.wins[i, j]),
            number(votes.wins[j, i]),
        )
        for i, j in combinations(places, 2)
    ]
    text = [
        "An order costs the votes that it contradicts: those against, over all of its pairs.",
        f"{' + '.join(told(row[2]) for row in rows) or '0'} = "
        f"{told(sum(row[2] for row in rows))} for {' > '.join(map(str, order))}.",
    ]
    tied = sum(votes.ties[i, j] for i, j in combinations(places, 2)) * consensus.tie_cost
    if tied:
        text.append(f"Votes that tie two items add {told(tied)} to every order.")
    return Step("The cost of the answer", tuple(text), ("pair", "for", "against"), tuple(rows))


def _orders_step(
    cost_of: Callable[[Permutation], float], consensus: Consensus
) -> tuple[Step, float]:
    """Return what each order costs as a step, and the least cost."""
    items = consensus.items
    costs = {
        order: cost_of(Permutation.from_order(order, items=items)) for order in permutations(items)
    }
    least = min(costs.values())
    optima = sum(cost == least for cost in costs.values())
    cheapest = not consensus.is_proved or costs[consensus.ranking.order] == least
    verify(cheapest, f"{consensus.rule.name} returned an order that is not the cheapest")
    rows = [
        (number(cost), " > ".join(map(str, order)), "least" if cost == least else "")
        for order, cost in sorted(costs.items(), key=lambda row: row[1])
    ]
    kind = "one of them costs" if optima == 1 else f"{optima} of them cost"
    text = f"There are {counted(len(costs), 'order')}, and {kind} least: {told(least)}."
    columns = ("cost", "order", "verdict")
    return Step("The costs of all orders", (text,), columns, tuple(rows)), least


@work_out.register
def _slater_steps(rule: Slater, consensus: Consensus, evidence: Evidence) -> Worked:
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
    proof, bound = _certificate_step(certificate, tournament, contradicted, SLATER_FLOOR)
    agrees = certificate.cost == contradicted
    verify(agrees, "The certificate of Slater's rule speaks of another cost than its steps")
    steps, _ = _with_orders(consensus, [of_answer, proof], bound, tournament.cost)
    return Worked((*full_opening(evidence), *steps), ranking=consensus.ranking)


def _leads_of_ballots(ranks: Ranks, items: ItemSet, unranked: Unranked) -> list[list[list[int]]]:
    """Return per ballot what it says for the row above the column, over one denominator."""
    alone = [Profile([as_ranking(row, items)]).with_unranked(unranked) for row in ranks]
    margins = [margins_of(one.pairwise()) for one in alone]
    over = lcm(*(one.denominator for ballot in margins for line in ballot for one in line))
    return [[[int(one * over) for one in line] for line in ballot] for ballot in margins]


def _whole_ballots(weights: Sequence[Fraction]) -> tuple[list[int], int]:
    """Return whole numbers of the smallest ballot, and how many of these make one of weight 1."""
    over = lcm(*(weight.denominator for weight in weights))
    return [int(weight * over) for weight in weights], over


# What is lacking against each item that is not beaten yet.
Lacking: TypeAlias = tuple[int, ...]
# Half swaps, and the lifts that were taken: the ballot and the half swaps in it, and those before.
Way: TypeAlias = tuple[int, "tuple[int, int, Way | None] | None"]
Lift: TypeAlias = tuple[int, tuple[int, ...]]


@work_out.register
def _dodgson_steps(rule: Dodgson, consensus: Consensus, evidence: Evidence) -> Worked:
    """Find for each item the fewest swaps, by going through the ballots one by one."""
    items = evidence.items
    ranks, weights = distinct_rankings(evidence.profile)
    units, over = _whole_ballots(weights)
    off = (UNLISTED, UNRANKED)
    codes = [[len(row) if place in off else place for place in row] for row in ranks.tolist()]
    names = [as_ranking(row, items).to_text() for row in ranks]
    rows, scores = [], []
    for i, item in enumerate(items):
        others = [j for j in range(len(items)) if j != i]
        margins = [
            sum(
                u * ((row[j] > row[i]) - (row[j] < row[i]))
                for u, row in zip(units, codes, strict=True)
            )
            for j in others
        ]
        behind = [j for j, margin in zip(others, margins, strict=True) if margin <= 0]
        lacking = tuple(1 - margin for margin in margins if margin <= 0)
        halves, lifts = _cheapest([_lifts_of(row, i, behind) for row in codes], units, lacking)
        scores.append(Fraction(-halves, 2 * over))
        told_lifts = [
            f"{told(Fraction(many, over))} of {names[ballot]} by "
            f"{counted(told(Fraction(half, 2)), 'swap')}"
            for (ballot, half), many in lifts.items()
        ]
        who = ", ".join(str(items[j]) for j in behind) or "nobody"
        rows.append((str(item), who, ", ".join(told_lifts) or "nothing", number(scores[-1])))
    text = [
        "For each item the fewest swaps of neighbors are found that make it beat all others; its "
        "score is minus their number.",
        "Only lifts of the item itself help. They were compared ballot by ballot: of several ways "
        "to the same lead the cheapest goes on.",
    ]
    if any(len(set(row)) < len(row) for row in codes):
        text.append("To pass tied items takes a swap for each, to leave a tie half of one.")
    if over > 1:
        text.append(f"A part of a ballot may change, in steps of 1/{over}.")
    step = Step("The swaps", tuple(text), ("item", "does not beat", "lifts", "score"), tuple(rows))
    found = np.array([float(one) for one in scores])
    return Worked((*full_opening(evidence), step), found, ranking=by_number(scores, items))


def _lifts_of(row: Sequence[int], item: int, behind: Sequence[int]) -> list[Lift]:
    """Return the lifts of an item in a ballot: half swaps, and the gain over each one behind."""
    own = row[item]
    tied = sum(place == own for place in row) - 1
    found = []
    # Out of its own bucket, then over one bucket after the other.
    for top in sorted({place for place in row if place <= own}, reverse=True):
        above = sum(top <= place < own for place in row)
        gains = tuple(2 if top <= row[j] < own else int(row[j] == own) for j in behind)
        if tied + 2 * above and any(gains):
            found.append((tied + 2 * above, gains))
    return found


def _cheapest(
    lifts: Sequence[Sequence[Lift]], units: Sequence[int], lacking: Lacking
) -> tuple[int, dict[tuple[int, int], int]]:
    """Return the fewest half swaps, and how many units of which ballot are lifted by how many."""
    ways: dict[Lacking, Way] = {lacking: (0, None)}
    done = (0,) * len(lacking)
    looked_at = 0
    for ballot, (options, many) in enumerate(zip(lifts, units, strict=True)):
        for _ in range(many if options else 0):
            reached = dict(ways)
            for state, (cost, taken) in ways.items():
                for half, gains in options:
                    after = tuple(max(0, a - b) for a, b in zip(state, gains, strict=True))
                    if after not in reached or cost + half < reached[after][0]:
                        reached[after] = (cost + half, (ballot, half, (cost, taken)))
            looked_at += len(ways) * len(options)
            if looked_at > MOST_SITUATIONS:
                what = (
                    f"rankings with at most {MOST_SITUATIONS:,} situations to compare for an item"
                )
                raise too_many_to_show(what, "more than that", BY_A_PROGRAM.format("Dodgson"))
            ways = reached
    cost, taken = ways[done]
    lifted: dict[tuple[int, int], int] = {}
    while taken is not None:
        ballot, half, before = taken
        lifted[ballot, half] = lifted.get((ballot, half), 0) + 1
        assert before is not None, "a lift follows on something"
        taken = before[1]
    return cost, dict(sorted(lifted.items()))


@dataclass(frozen=True)
class _BallotKind:
    """Ballots that say the same for an item: how many units, what they say, which ones."""

    units: int
    leads: tuple[int, ...]
    ballots: tuple[int, ...]


@work_out.register
def _young_steps(rule: Young, consensus: Consensus, evidence: Evidence) -> Worked:
    """Try for each item every choice of ballots to leave out that could help it."""
    policy = evidence.unranked
    assert policy is not None, "the rule has one"
    items, goal = evidence.items, 0 if rule.weak else 1
    ranks, weights = distinct_rankings(evidence.profile)
    units, over = _whole_ballots(weights)
    leads = _leads_of_ballots(ranks, items, policy)
    names = [as_ranking(row, items).to_text() for row in ranks]
    rows, kept = [], []
    for i, item in enumerate(items):
        others = [j for j in range(len(items)) if j != i]
        mine = [tuple(ballot[i][j] for j in others) for ballot in leads]
        out = _left_out(mine, units, goal)
        kept.append(Fraction(0 if out is None else sum(units) - sum(out), over))
        beaten = _beaten(mine, units, goal, [str(items[j]) for j in others])
        what = "no choice is enough" if out is None else _ballots_named(out, over, names)
        rows.append((str(item), beaten, what, number(kept[-1])))
    wanted = "no majority is against it" if rule.weak else "it beats all others"
    text = [
        f"For each item the fewest ballots are left out so that {wanted}; its score is what is "
        "kept.",
        "Every choice was tried of ballots with some other item above it; to leave out others "
        "helps nothing.",
    ]
    if over > 1:
        text.append(f"A part of a ballot may be left out, in steps of 1/{over}.")
    against = "beaten by" if rule.weak else "does not beat"
    step = Step(
        "What is left out", tuple(text), ("item", against, "left out", "score"), tuple(rows)
    )
    scores = np.array([float(one) for one in kept])
    return Worked((*full_opening(evidence), step), scores, ranking=by_number(kept, items))


def _left_out(
    leads: Sequence[tuple[int, ...]], units: Sequence[int], goal: int
) -> list[int] | None:
    """Return how many units of each ballot to leave out; None where no choice is enough."""
    kinds = []
    for one in (one for one in dict.fromkeys(leads) if min(one, default=0) < 0):
        ballots = tuple(b for b, row in enumerate(leads) if row == one)
        kinds.append(_BallotKind(sum(units[b] for b in ballots), one, ballots))
    table = np.array(leads, dtype=np.int64).reshape(len(units), -1)
    sums = np.array(units, dtype=object) @ table.astype(object)
    out = [0] * len(units)
    if min(sums, default=goal) >= goal:
        return out
    if not kinds:
        return None
    sizes = [kind.units + 1 for kind in kinds]
    choices = prod(sizes)
    if choices > MOST_CHOICES:
        what = f"rankings with at most {MOST_CHOICES:,} ways to leave some out for an item"
        raise too_many_to_show(what, counted(f"{choices:,}", "way"), BY_A_PROGRAM.format("Young"))
    tried = np.stack(np.unravel_index(np.arange(choices), sizes), axis=1)
    # What the largest choice is, fits: there are few of them.
    left = sums.astype(np.int64) - tried @ np.array([kind.leads for kind in kinds])
    enough = np.flatnonzero((left >= goal).all(axis=1) & (tried.sum(axis=1) < sum(units)))
    if not len(enough):
        return list(units) if goal == 0 else None
    best = tried[enough[tried[enough].sum(axis=1).argmin()]]
    for kind, many in zip(kinds, best.tolist(), strict=True):
        for ballot in kind.ballots:
            out[ballot] = min(many, units[ballot])
            many -= out[ballot]  # noqa: PLW2901
    return out


def _beaten(
    leads: Sequence[tuple[int, ...]], units: Sequence[int], goal: int, others: Sequence[str]
) -> str:
    sums = [
        sum(u * row[k] for u, row in zip(units, leads, strict=True)) for k in range(len(others))
    ]
    return ", ".join(name for name, one in zip(others, sums, strict=True) if one < goal) or "nobody"


def _ballots_named(out: Sequence[int], over: int, names: ItemSet | Sequence[str]) -> str:
    parts = [
        f"{told(Fraction(many, over))} of {name}"
        for many, name in zip(out, names, strict=True)
        if many
    ]
    return ", ".join(parts) or "nothing"
