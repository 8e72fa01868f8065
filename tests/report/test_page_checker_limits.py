"""Inequalities of the checker at their limits: certificates that are just valid or invalid.

A certificate that states the least bound depends on every step of its proof; one that
states what is proved, or one more, with the numbers of them.
"""

import json
from collections import Counter
from itertools import chain, combinations, permutations
from random import Random

import numpy as np

import rankagg as ra
from rankagg.aggregation.kemeny.persistency import all_by_cut, all_by_exchange
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proof import Proof
from rankagg.check_certificate import WEIGHT_DENOMINATOR, Branch, Derived, Fixing, Leaf
from rankagg.exceptions import VerificationError
from rankagg.io.json_files import votes_to_dict
from tests.aggregation.kemeny.forging import N, quick_specimens
from tests.report.checking import judge, stated

PLACES = tuple(range(N))
TIMES = ((1, 1), (1, 0), (0, 1), (2, 1), (1, 3))
NOTHING = np.zeros((N, N), dtype=bool)


def some_votes(rng, high=4):
    """Return votes of few values, so that sums often vanish."""
    wins = [[rng.randrange(high) * (i != j) for i in PLACES] for j in PLACES]
    return ra.PairwiseMatrix.from_wins(wins)


def pair_of(x, y):
    return np.array([[x, y]])


def known_of(pairs):
    known = NOTHING.copy()
    for x, y in pairs:
        known[x, y] = True
    return known


def plain_text(votes, nodes, **more):
    """Return the texts of votes and of a certificate that states what needs no proof."""
    certificate = ra.Certificate.build(votes, PLACES, []).to_dict()
    proof = {"positions": list(PLACES), "rows": [], "nodes": nodes}
    return json.dumps(votes_to_dict(votes)), json.dumps({**certificate, "proofs": [proof], **more})


def every_step():
    """Return every exchange and cut of one pair, as plain nodes."""
    for x, y in permutations(PLACES, 2):
        for up, down in TIMES:
            yield {"exchange": [[x, y]], "up": up, "down": down}
        rest = [k for k in PLACES if k not in (x, y)]
        for others in chain.from_iterable(combinations(rest, size) for size in range(N - 1)):
            yield {"above": [x, *others], "cut": [[x, y]]}


def pair_in(node):
    return node.get("exchange", node.get("cut"))[0]


def holds(problem, node, known=NOTHING):
    """Return whether a node proves its pair where some pairs are known."""
    pair = pair_of(*pair_in(node))
    if "cut" in node:
        return all_by_cut(problem, known, np.array(node["above"]), pair)
    return all_by_exchange(problem, known, pair, node["up"], node["down"])


STEPS = list(every_step())
LEAF = {"cycles": [], "rows": []}


def test_known_pairs_at_the_limit_get_the_same_verdict(blank) -> None:
    rng, texts, kinds = Random(11), [], Counter()
    while min(kinds[k] for k in KINDS) < 6:
        votes = some_votes(rng)
        problem = Problem.from_pairwise(votes)
        alone = [node for node in STEPS if holds(problem, node)]
        others = [node for node in STEPS if node not in alone]
        # By itself, and where one more vote would do: a sum of nothing is not above nothing.
        for some in (alone, others):
            for node in rng.sample(some, min(4, len(some))):
                kinds["exchange" in node, some is alone] += 1
                texts.append(plain_text(votes, [{**node, "rest": 1}, LEAF]))
        if not alone:
            continue
        before = rng.choice(alone)
        first, known = pair_in(before), known_of([pair_in(before)])
        needed = [
            node for node in others if {*pair_in(node)} != {*first} and holds(problem, node, known)
        ]
        for node in rng.sample(needed, min(3, len(needed))):
            kinds["exchange" in node, "by what is known"] += 1
            texts.append(plain_text(votes, [{**before, "rest": 1}, {**node, "rest": 2}, LEAF]))
    counted = judge(blank, texts)
    assert min(counted[True], counted[False]) > 20


KINDS = [(kind, when) for kind in (True, False) for when in (True, False, "by what is known")]


def exact_texts(rng, count, make):
    """Return texts of certificates whose bound is what is proved, one more and one less."""
    texts = []
    while len(texts) < count:
        votes = some_votes(rng, 9)
        problem = Problem.from_pairwise(votes)
        try:
            proof = make(rng, problem)
            if proof.bound(problem) > problem.floor:
                texts += stated(votes, rng.sample(PLACES, N), [proof])
        except VerificationError:
            continue
    return texts


def whole_leaf(rng, size=2, rows=()):
    """Return cycles whose weights are whole votes or halves, so that limits are met."""
    cycles = tuple(tuple(rng.sample(PLACES, 3)) for _ in range(size))
    weights = tuple(rng.randrange(1, 7) * WEIGHT_DENOMINATOR // 2 for _ in cycles)
    return Leaf(cycles, weights, rows)


def fixing_proof(rng, problem):
    leaf = whole_leaf(rng)
    threshold = problem.floor + rng.randrange(12)
    i, j = rng.sample(PLACES, 2)
    tree = (Fixing(leaf, threshold, 1), Branch(i, j, 2, 3), whole_leaf(rng), whole_leaf(rng))
    return Proof(PLACES, tree if rng.random() < 0.5 else (Fixing(leaf, threshold, 1), leaf))


def row_proof(rng, problem):
    """Return a proof by a row that counts arcs both ways, and reaches less than nothing."""
    del problem
    pairs = rng.sample(list(combinations(PLACES, 2)), rng.randrange(1, 4))
    terms = [(rng.randrange(1, 4), pair[::way]) for pair in pairs for way in (1, -1)]
    terms += [(rng.randrange(1, 3), tuple(rng.sample(PLACES, 3))) for _ in range(rng.randrange(2))]
    rows = (Derived(tuple(terms), rng.randrange(1, 5)),)
    rows += (Derived(((2, 0), (1, tuple(rng.sample(PLACES, 3)))), 2),)
    used = tuple((row, WEIGHT_DENOMINATOR // 2) for row in range(rng.randrange(1, 3)))
    return Proof(PLACES, (whole_leaf(rng, 2, used),), rows)


def test_limits_of_fixing_are_met_to_the_last_unit(blank) -> None:
    counted = judge(blank, exact_texts(Random(12), 80, fixing_proof))
    assert min(counted[True], counted[False]) > 20


def test_rows_with_both_directions_get_the_same_verdict(blank) -> None:
    counted = judge(blank, exact_texts(Random(13), 40, row_proof))
    assert min(counted[True], counted[False]) > 10


def test_nodes_under_constraints_get_the_same_verdict(blank) -> None:
    texts = []
    for kind in ("constraints", "quotas"):
        case = quick_specimens()[kind]
        for positions in chain.from_iterable(combinations(range(6), k) for k in (2, 3)):
            x, y = positions[:2]
            swaps = [[list(pair)] for pair in ((x, y), (y, x))]
            for nodes in (
                [{"enumeration": True}],
                [LEAF],
                *([{"exchange": swap, "up": 1, "down": 1, "rest": 1}, LEAF] for swap in swaps),
                [{"above": [x], "cut": [[x, y]], "rest": 1}, LEAF],
            ):
                proofs = [{"positions": list(positions), "rows": [], "nodes": nodes}]
                least = {**case.plain, "proofs": proofs, **low(case.plain)}
                texts.append((json.dumps(case.votes_plain), json.dumps(least)))
    counted = judge(blank, Random(14).sample(texts, 150))
    assert min(counted[True], counted[False]) > 20


def low(plain):
    """Return the bound that every votes have."""
    assert plain["scaled_cost"] > 0
    return {"scaled_lower_bound": 0, "lower_bound": "0", "status": "gap"}


def test_exchanges_and_cuts_after_other_nodes_get_the_same_verdict(blank) -> None:
    rng, texts = Random(15), []
    while len(texts) < 60:
        votes = some_votes(rng, 9)
        problem = Problem.from_pairwise(votes)
        holding = [node for node in STEPS if holds(problem, node)]
        if not holding:
            continue
        node = rng.choice(holding)
        pair = {"pair": pair_in(node)}
        fix = {**LEAF, "threshold": problem.floor + 20, "rest": 1}
        for nodes in (
            [{**node, "rest": 1}, LEAF],
            [fix, {**node, "rest": 2}, LEAF],
            [{**pair, "before": 1, "after": 2}, {**node, "rest": 3}, LEAF, LEAF],
            [{**pair, "before": 2, "after": 1}, {**node, "rest": 3}, LEAF, LEAF],
            [{**node, "rest": 1}, {**fix, "rest": 2}, {**node, "rest": 3}, LEAF],
            [{**node, "rest": 1}, {**node, "rest": 2}, {**fix, "rest": 3}, LEAF],
        ):
            texts.append(plain_text(votes, nodes))
    counted = judge(blank, texts)
    assert min(counted[True], counted[False]) > 20


def cut_sums(gain, known, above, x, y):
    """Return what is left of the gain of a cut, by the rule and by rules that are nearly it."""
    upper = set(above)

    def left(*, counts_known=False, by_y=True, by_x=True, inside=False, ends=all, free=0):
        out = [(by_y and known[k, y]) or (by_x and known[x, k]) for k in PLACES]
        return gain[x, y] + sum(
            gain[u, v]
            for u in upper
            for v in PLACES
            if gain[u, v] < -free
            and (inside or v not in upper)
            and (counts_known or not known[u, v])
            and ends((not out[u], not out[v]))
        )

    return left(), {
        "known pairs count": left(counts_known=True),
        "pairs inside count": left(inside=True),
        "above y": left(by_y=False),
        "below x": left(by_x=False),
        "either end": left(ends=any),
        "the upper end": left(ends=lambda both: both[0]),
        "the lower end": left(ends=lambda both: both[1]),
        "nothing is enough": left() or 1,
        "one vote is free": left(free=1),
    }


def test_costs_of_cuts_get_the_same_verdict(blank) -> None:
    rng, texts, counts = Random(7), [], Counter()
    rules = cut_sums(NOTHING * 0, NOTHING, [0], 0, 1)[1]
    while min(counts[rule] for rule in rules) < 2:
        # The first is known to be above the third, against a majority, where both are known to
        # be on their side of the second.
        wins = [[rng.randrange(3) * (i != j) for j in PLACES] for i in PLACES]
        wins[0][1], wins[1][2], wins[2][0] = 9, 9, 2
        votes = ra.PairwiseMatrix.from_wins(wins)
        problem, known = Problem.from_pairwise(votes), NOTHING.copy()
        nodes = []
        for x in rng.sample((0, 1), rng.randrange(3)):
            if all_by_exchange(problem, NOTHING, pair_of(x, x + 1), 1, 1):
                nodes.append({"exchange": [[x, x + 1]], "up": 1, "down": 1, "rest": len(nodes) + 1})
                known[x, x + 1] = True
        known |= (known @ known).astype(bool)
        for x, y in permutations(PLACES, 2):
            rest = [k for k in PLACES if k not in (x, y)]
            above = [x, *(k for k in rest if rng.random() < 0.5)]
            if known[x, y] or known[y, x]:
                continue
            rule, others = cut_sums(-np.asarray(problem.margins), known, above, x, y)
            assert (rule > 0) == all_by_cut(problem, known, np.array(above), pair_of(x, y))
            wrong = [name for name, left in others.items() if (left > 0) != (rule > 0)]
            if any(counts[name] < 2 for name in wrong):
                counts.update(wrong)
                cut = {"above": above, "cut": [[x, y]], "rest": len(nodes) + 1}
                texts.append(plain_text(votes, [*nodes, cut, LEAF]))
    assert min(judge(blank, texts).values()) >= 4
