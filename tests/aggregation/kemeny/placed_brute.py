"""Lists where places count, by brute force: the costs of all lists of few items, in fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations
from math import lcm
from random import Random

import numpy as np

import rankagg as ra
from tests.aggregation.kemeny.random_votes import random_votes as drawn

PRICES = (0.0, 0.1, 0.25, 0.5, 1.0)
WEIGHTS = (0.0, 0.0, 0.1, 0.5, 1.0, 2.0, 3.0, 1e6)


def share(number) -> Fraction:
    """Return what the author of a number such as 0.1 meant."""
    return number if isinstance(number, Fraction) else Fraction(str(number))


def costs(votes: ra.PairwiseMatrix, weights, tie_cost, consensus_tie_cost=0) -> dict:
    """Return every list with its cost; weights of 0 and of places that there are not are left out.

    A pair at a time, and nothing but the definition. The price of ties is for weights of 1 alone.
    """
    n = votes.n_items
    wins, ties, scale = votes.lowest_terms
    wins, ties = wins.tolist(), ties.tolist()
    heard = [share(weight) for weight in weights if weight][: n - 1]
    voted, agreed = share(tie_cost), share(consensus_tie_cost)
    # Everything is counted in the same small part of a vote, in integers.
    unit = lcm(voted.denominator, agreed.denominator)
    places = lcm(*(weight.denominator for weight in heard))
    whole = [int(weight * places) for weight in heard]

    def cost(placed) -> Fraction:
        total = 0
        behind = set(range(n))
        for item, weight in zip(placed, whole, strict=True):
            behind.remove(item)
            for other in behind:
                total += weight * unit * wins[other][item]
                total += weight * int(voted * unit) * ties[item][other]
        for one, other in combinations(behind, 2):
            total += places * int(agreed * unit) * (wins[one][other] + wins[other][one])
        return Fraction(total, scale * unit * places)

    return {placed: cost(placed) for placed in permutations(range(n), len(heard))}


def random_votes(seed: int, most: int = 6, least: int = 1) -> ra.PairwiseMatrix:
    """Return votes of some items."""
    rng = Random(seed)
    return drawn(rng, rng.randint(least, most))


def random_weights(rng: np.random.Generator, n: int) -> list[float]:
    """Return weights that do not grow, the first above 0, fewer or more than places."""
    drawn = rng.choice(WEIGHTS, size=int(rng.integers(1, n + 2)))
    drawn[0] = rng.choice(WEIGHTS[2:])
    return sorted(drawn.tolist(), reverse=True)


def exact(consensus: ra.Consensus) -> Fraction:
    """Return the cost that the certificate states."""
    return Fraction(consensus.certificate.scaled_cost, consensus.certificate.denominator)
