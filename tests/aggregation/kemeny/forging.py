"""Real certificates of every kind, and what a forger may do to them."""

import json
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import permutations
from random import Random
from typing import Any, NamedTuple

import numpy as np

import rankagg as ra
from rankagg import check_certificate
from rankagg.aggregation.kemeny.persistency import Persistence, all_by_cut, closed
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proof import Proof
from rankagg.check_certificate import (
    WEIGHT_DENOMINATOR,
    Branch,
    Cut,
    Derived,
    Fixing,
    Leaf,
    Node,
    Persistent,
)
from rankagg.exceptions import DataFormatError, VerificationError
from rankagg.io.json_files import votes_to_dict
from tests.tournaments import PALEY, proved_paley

N = 5
WISH = ra.Constraints(above=[(5, 0), (2, 1)], last=[4])
QUOTAS = ra.Constraints(
    above=[(2, 5)],
    quotas=[
        ra.Quota([2, 1], within=4, at_least=2),
        ra.Quota([0, 1, 2, 5], within=1, at_least=1),
        ra.Quota(range(6), 3, at_least=1),
    ],
)

Kind = ra.Certificate


class Specimen(NamedTuple):
    """A genuine certificate as plain data, its votes, and the least cost that any order has."""

    plain: dict[str, Any]
    votes: ra.PairwiseMatrix
    votes_plain: dict[str, Any]
    optimum: Fraction


def specimen(votes: ra.PairwiseMatrix, **options: Any) -> Specimen:
    certificate = ra.Kemeny(**options).aggregate(votes).certificate
    return of_certificate(certificate, votes)


def of_certificate(certificate: ra.Certificate, votes: ra.PairwiseMatrix) -> Specimen:
    plain = json.loads(json.dumps(certificate.to_dict()))
    if votes.n_items <= 6:
        problem = Problem.from_pairwise(votes, certificate.tie_cost)
        costs = (problem.cost(np.array(order)) for order in permutations(range(votes.n_items)))
        optimum = Fraction(min(costs), problem.denominator)
    else:
        best = certificate
        if best.status == "gap":
            best = ra.Kemeny(tie_cost=float(certificate.tie_cost)).aggregate(votes).certificate
        assert best.status == "optimal"
        optimum = Fraction(best.scaled_cost, best.denominator)
    return Specimen(plain, votes, votes_to_dict(votes), optimum)


@cache
def specimens() -> dict[str, Specimen]:
    """Return certificates of every kind: each field of the format occurs in some of them."""
    found = {**quick_specimens()}
    found["cases"] = of_certificate(proved_paley(11).certificate, PALEY)
    exact = ra.Certificate.from_dict(found["cases"].plain)
    (proof,) = exact.proofs
    root = replace(proof, nodes=(next(proof.leaves()),))
    gap = ra.Certificate.build(PALEY, exact.order, [root]).to_dict()
    found["a gap"] = found["cases"]._replace(plain=json.loads(json.dumps(gap)))
    assert found["a gap"].plain["status"] == "gap"
    return found


@cache
def quick_specimens() -> dict[str, Specimen]:
    """Return those that take no time to be found."""
    rng = np.random.default_rng(5)
    tied = ra.Profile.from_ranks(rng.integers(1, 4, size=(7, 6)), items="ABCDEF").pairwise()
    cycles = ra.PairwiseMatrix.from_wins(rng.integers(0, 9, size=(6, 6)))
    irrational = ra.Profile.from_orders(
        ["ABCDE", "BCADE", "CABED"], weights=[2**0.5, 3**0.5, 5**0.5]
    ).pairwise()
    huge = ra.PairwiseMatrix.from_wins(rng.integers(0, 9, size=(5, 5)) * 1e25, items=range(5))
    found = {
        "majorities alone": specimen(ra.datasets.load("tennessee").pairwise()),
        "one cycle": specimen(ra.datasets.load("condorcet_1785").pairwise()),
        "cycles": specimen(cycles),
        "ties that cost": specimen(tied, tie_cost=0.3),
        "rounded weights": specimen(irrational),
        "integers beyond doubles": specimen(huge),
        "enumeration": specimen(cycles, backend="subset-dp"),
        "fixings": of_certificate(*fixing()),
        "rows of rows": of_certificate(*derived()),
        "every optimum": of_certificate(*early()),
        "constraints": specimen(cycles, constraints=WISH),
        "quotas": specimen(cycles, constraints=QUOTAS),
    }
    assert '"ahead"' in json.dumps(found["quotas"].plain["proofs"])
    assert found["rounded weights"].plain["tolerance"] != "0"
    assert found["ties that cost"].plain["tie_cost"] == "3/10"
    return found


def fixing() -> tuple[ra.Certificate, ra.PairwiseMatrix]:
    """Return a proof of five items that fixes pairs twice and branches between."""
    votes = ra.PairwiseMatrix.from_wins(np.random.default_rng(2).integers(0, 9, size=(5, 5)))
    problem = Problem.from_pairwise(votes)
    best = min(permutations(range(5)), key=lambda order: problem.cost(np.array(order)))
    cost = problem.cost(np.array(best))
    (leaf,) = ra.Kemeny().aggregate(votes).certificate.proofs[0].nodes
    assert leaf.triples
    i, j = leaf.triples[0][:2]
    some = Leaf(leaf.triples[:1], leaf.weights[:1])
    tree = (Fixing(some, cost, 1), Branch(i, j, 2, 3), Fixing(leaf, cost, 4), leaf, leaf)
    positions = ra.Kemeny().aggregate(votes).certificate.proofs[0].positions
    return ra.Certificate.build(votes, best, [Proof(positions, tree)]), votes


def derived() -> tuple[ra.Certificate, ra.PairwiseMatrix]:
    """Return a proof of five items whose rows use each other, and that nothing else proves.

    Each item beats the next two; of any two 3-cycles that follow each other, half is rounded up.
    """
    wins = [[int((j - i) % 5 in (1, 2)) for j in range(5)] for i in range(5)]
    votes = ra.PairwiseMatrix.from_wins(np.array(wins) * 2 + 3)
    against = [tuple((at - step) % 5 for step in (0, 1, 2, 3, 4)) for at in range(5)]
    cycles = [(a, b, d) for a, b, _, d, _ in against]
    rows = (
        Derived(tuple((1, cycle) for cycle in cycles[:3])),
        Derived(((1, 0), *((1, cycle) for cycle in cycles[3:])), 2),
        Derived(((2, 1), (1, cycles[0]), (1, (0, 1))), 2),
    )
    weight = WEIGHT_DENOMINATOR
    tree = (Leaf((cycles[0],), (weight // 4,), ((1, weight), (2, weight // 2))),)
    certificate = ra.Certificate.build(votes, range(5), [Proof(tuple(range(5)), tree, rows)])
    floor = ra.Certificate.build(votes, range(5), [])
    assert certificate.scaled_lower_bound > floor.scaled_lower_bound
    return certificate, votes


def early() -> tuple[ra.Certificate, ra.PairwiseMatrix]:
    """Return a proof of five items that decides pairs by exchanges and cuts, and then branches."""
    rng = Random(4)
    while True:
        wins = [[rng.randrange(9) for _ in range(N)] for _ in range(N)]
        votes = ra.PairwiseMatrix.from_wins(wins)
        problem = Problem.from_pairwise(votes)
        chain = early_chain(rng, problem)
        kinds = [type(node).__name__ for node in chain]
        if {"Exchange", "Cut"} <= set(kinds) and len(kinds) >= 3:
            break
    best = min(permutations(range(N)), key=lambda order: problem.cost(np.array(order)))
    leaf = Leaf(((0, 1, 2),), (WEIGHT_DENOMINATOR,))
    at = len(chain)
    tree = (*chain, Branch(*rng.sample(range(N), 2), at + 1, at + 2), leaf, Leaf())
    return ra.Certificate.build(votes, best, [Proof(tuple(range(N)), tree)]), votes


# -- proofs that nobody searched for --------------------------------------------------------------


def random_rows(rng: Random) -> tuple[Derived, ...]:
    """Return rows that use arcs, cycles and each other."""
    rows = []
    for at in range(rng.randrange(5)):
        terms = []
        for _ in range(rng.randrange(1, 6)):
            items = tuple(rng.sample(range(N), rng.choice((2, 3, 3, 4))))
            source = rng.randrange(at) if at and rng.random() < 0.3 else items
            terms.append((rng.randrange(1, 4), source))
        rows.append(Derived(tuple(terms), rng.choice((1, 2, 2, 3))))
    return tuple(rows)


def random_leaf(rng: Random, n_rows: int = 0) -> Leaf:
    cycles = tuple(tuple(rng.sample(range(N), 3)) for _ in range(4))
    weights = tuple(rng.randrange(1, 3 * WEIGHT_DENOMINATOR) for _ in cycles)
    rows = [rng.randrange(n_rows) for _ in range(rng.randrange(4))] if n_rows else []
    return Leaf(
        cycles, weights, tuple((row, rng.randrange(1, 2 * WEIGHT_DENOMINATOR)) for row in rows)
    )


def random_tree(rng: Random, threshold: int, n_rows: int = 0, start: int = 0) -> tuple[Node, ...]:
    """Return fixings and branches in every mixture, with children behind their parents."""
    first, second = rng.sample(range(N), 2)
    leaves = [random_leaf(rng, n_rows) for _ in range(3)]
    return (
        Fixing(random_leaf(rng, n_rows), threshold, start + 1),
        Branch(first, second, start + 2, start + 3),
        Fixing(random_leaf(rng, n_rows), threshold + rng.randrange(3), start + 4),
        leaves[0],
        Branch(*rng.sample(range(N), 2), start + 5, start + 6),
        *leaves[1:],
    )


def early_chain(rng: Random, problem: Problem) -> tuple[Persistent, ...]:
    """Return some of what is found, and cuts that hold, where any do: most decide nothing more."""
    found = Persistence(problem).nodes
    chain: list[Persistent] = list(found[: rng.randrange(len(found) + 1)])
    known = np.zeros((N, N), dtype=bool)
    for node in chain:
        known[tuple(np.array(node.pairs).T)] = True
    known = closed(known)
    for _ in range(6):
        above = tuple(rng.sample(range(N), rng.randrange(1, N)))
        lower = sorted(set(range(N)) - set(above))
        pairs = tuple(
            (x, y)
            for x in above
            for y in lower
            if all_by_cut(problem, known, np.array(above), pair(x, y))
        )
        if pairs:
            chain.append(Cut(above, pairs, len(chain) + 1))
            known[tuple(np.array(pairs).T)] = True
            known = closed(known)
    return tuple(chain)


def pair(x: int, y: int) -> np.ndarray:
    return np.array([[x, y]])


# -- mutations ------------------------------------------------------------------------------------


def junk(value: Any, rng: Random) -> Any:
    """Return something else to replace a value."""
    nested: Any = 0
    for _ in range(100):
        nested = [nested]
    choices = [
        float("nan"), float("inf"), float("-inf"), True, False, None, "", "x", "0", "1/2", "-1",
        0.0, 0.5, -1, 0, 1, 2, 10**30, 10**999, 10**1000, -(10**1000), 10**5000, [], {}, [value],
        {"enumeration": True}, {"cycles": []}, nested, (1, 2), b"x",
    ]  # fmt: skip
    if type(value) is int:
        choices += [value + 1, value - 1, -value, 2 * value, value // 2]
        choices += [float(value), str(value)] if abs(value) < 10**300 else []
    if type(value) is list:
        choices += [value + value, value[:-1], value[1:], value[::-1]]
    return rng.choice(choices)


def places(data: Any, path: tuple = ()) -> list[tuple]:
    """Return the paths of everything inside plain data."""
    found = [path] if path else []
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            found += places(value, (*path, key))
    return found


def holder(data: Any, path: tuple) -> Any:
    for key in path[:-1]:
        data = data[key]
    return data


def change(data: dict[str, Any], rng: Random) -> None:
    """Change one thing, anywhere."""
    paths = places(data)
    # Fields at the top and inside of cycles are met alike often.
    depth = rng.choice(sorted({len(path) for path in paths}))
    path = rng.choice([path for path in paths if len(path) == depth])
    where, key = holder(data, path), path[-1]
    action = rng.randrange(6)
    if action == 0:
        del where[key]
    elif action == 1 and isinstance(where, list):
        where.insert(rng.randrange(len(where) + 1), deepcopy(where[key]))
    elif action == 2:
        other = rng.choice(paths)
        where[key] = deepcopy(holder(data, other)[other[-1]])
    elif action == 3 and isinstance(where, dict):
        where[
            rng.choice(
                ["more", "threshold", "enumeration", "pair", "cycles", "exchange", "cut", "ahead"]
            )
        ] = 0
    elif action == 4 and isinstance(where, list):
        rng.shuffle(where)
    else:
        where[key] = junk(where[key], rng)


def restate(data: dict[str, Any], case: Specimen, rng: Random) -> None:
    """State any order as optimal, with all that is printed in agreement."""
    n = case.votes.n_items
    order = rng.sample(range(n), n)
    share = Fraction(case.plain["tie_cost"])
    cost = Problem.from_pairwise(case.votes, share).cost(np.array(order))
    data["order"] = order
    claim(data, cost, cost - rng.choice((0, 0, 0, 1)), case.plain["denominator"])


def claim(data: dict[str, Any], cost: int, bound: int, over: int) -> None:
    """State a cost and a bound, with all that is printed in agreement."""
    data.update(
        scaled_cost=cost,
        scaled_lower_bound=bound,
        cost=str(Fraction(cost, over)),
        lower_bound=str(Fraction(bound, over)),
        status="optimal" if bound == cost else "gap",
    )


def mutant(case: Specimen, rng: Random) -> dict[str, Any]:
    """Return a certificate with one to three changes, half of the time one that claims a lot."""
    return forged(case, rng, restate)


def forged(case: Any, rng: Random, restate: Callable) -> dict[str, Any]:
    data = deepcopy(case.plain)
    for _ in range(rng.choice((1, 1, 2, 3))):
        if data:
            change(data, rng)
    if rng.random() < 0.4:
        restate(data, case, rng)
    return data


# -- expected verdicts ----------------------------------------------------------------------------


def holds_as(kind: type) -> Callable[[Any, Any], bool]:
    """Return a check that `verify` accepts a kind; it lets pass no error but the two refusals."""

    def holds(data: Any, case: Any) -> bool:
        try:
            kind.from_dict(data).verify(case.votes, time_limit=None, memory_limit=None)
            return True
        except (DataFormatError, VerificationError):
            return False

    return holds


holds = holds_as(Kind)


def holds_alone(data: Any, case: Specimen) -> bool:
    """Return whether the stand-alone checker accepts a certificate."""
    try:
        check_certificate.check(data, case.votes_plain)
    except check_certificate.RefusedError:
        return False
    return True


def is_true(data: dict[str, Any], case: Specimen) -> bool:
    """Return whether every statement of a certificate is true, whatever proves it."""
    problem = Problem.from_pairwise(case.votes, Fraction(data["tie_cost"]))
    cost = Fraction(problem.cost(np.array(data["order"])), problem.denominator)
    optimum = case.optimum
    if data["tie_cost"] != case.plain["tie_cost"]:
        ties = Fraction(int(np.triu(case.votes.scaled_ties).sum()), case.votes.denominator)
        optimum += (Fraction(data["tie_cost"]) - Fraction(case.plain["tie_cost"])) * ties
    if "constraints" in data:
        kept = [order for order in permutations(range(case.votes.n_items)) if keeps(data, order)]
        costs = [problem.cost(np.array(order)) for order in kept]
        if tuple(data["order"]) not in kept:
            return False
        optimum = Fraction(min(costs), problem.denominator)
    every = sorted(data["order"]) == list(range(case.votes.n_items))
    return every and is_printed(data, case, cost, optimum)


def is_printed(data: dict[str, Any], case: Any, cost: Fraction, optimum: Fraction) -> bool:
    """Return whether the cost is stated, with a bound that is none too high, and nothing new."""
    bound = Fraction(data["scaled_lower_bound"], data["denominator"])
    same = ("schema", "version", "tolerance", "fingerprint", "items", "weight_denominator")
    return (
        Fraction(data["scaled_cost"], data["denominator"]) == cost
        and data["cost"] == str(cost)
        and data["lower_bound"] == str(bound)
        and bound <= optimum
        and data["status"] == ("optimal" if bound == cost else "gap")
        and all(data.get(key) == case.plain.get(key) for key in same)
    )


def keeps(data: dict[str, Any], order: tuple[int, ...]) -> bool:
    """Return whether an order keeps the constraints that are stated."""
    stated = data["constraints"]
    first, last = stated["first"], stated["last"]
    return (
        all(order.index(a) < order.index(b) for a, b in stated["above"])
        and set(order[: len(first)]) == set(first)
        and set(order[len(order) - len(last) :]) == set(last)
        and all(
            len(set(order[: count["within"]]) & set(count["items"])) >= count["at_least"]
            for count in stated["counts"]
        )
    )


def judge(kit: Any, case: Any, rng: Random, count: int) -> Counter:
    """Check that nothing false passes and that both checkers agree; count the verdicts."""
    verdicts: Counter = Counter()
    for _ in range(count):
        data = kit.mutant(case, rng)
        verdict = kit.holds(data, case)
        assert verdict == holds_alone(data, case), data
        assert not verdict or kit.is_true(data, case), data
        verdicts[verdict] += 1
    return verdicts
