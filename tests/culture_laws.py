"""The laws of cultures the slow way: the probability of every profile of a few rankings."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb, exp, factorial, prod


def rankings(n):
    """Return all rankings of n items as tuples of ranks."""
    return list(permutations(range(n)))


def impartial(n, m):
    everything = rankings(n)
    return {p: Fraction(1, len(everything) ** m) for p in product(everything, repeat=m)}


def anonymous(n, m):
    """Return the law under which all ways to share m rankings out among the kinds are alike."""
    kinds = factorial(n)
    law = {}
    for profile in product(rankings(n), repeat=m):
        arrangements = factorial(m) // prod(factorial(c) for c in Counter(profile).values())
        law[profile] = Fraction(1, comb(m + kinds - 1, m) * arrangements)
    return law


def urn(n, m, contagion):
    """Draw from the urn, ball by ball."""
    kinds = factorial(n)
    law = {}
    for profile in product(rankings(n), repeat=m):
        chance = 1.0
        for k, ranking in enumerate(profile):
            inside = 1 + contagion * kinds * profile[:k].count(ranking)
            chance *= inside / (kinds + k * contagion * kinds)
        law[profile] = chance
    return law


def independent(marginals, m):
    """Return the law of m rankings that are independent given one of equally probable laws."""
    law = defaultdict(Fraction)
    for marginal in marginals:
        for profile in product(marginal, repeat=m):
            law[profile] += prod(marginal[ranking] for ranking in profile) / len(marginals)
    return law


def relabelled(marginal, n):
    """Return a law under every naming of the items."""
    return [
        {tuple(ranking[k] for k in names): chance for ranking, chance in marginal.items()}
        for names in permutations(range(n))
    ]


def has_no_valley(ranking, axis):
    return not any(
        ranking[b] > ranking[a] and ranking[b] > ranking[c] for a, b, c in combinations(axis, 3)
    )


def walsh(n):
    peaked = [ranking for ranking in rankings(n) if has_no_valley(ranking, range(n))]
    return {ranking: Fraction(1, len(peaked)) for ranking in peaked}


def conitzer(n):
    """Walk from every peak, with a coin wherever there are two ways to go."""
    law = defaultdict(Fraction)

    def walk(order, chance):
        low, high = min(order), max(order)
        ways = [k for k in (low - 1, high + 1) if 0 <= k < n]
        if not ways:
            law[tuple(order.index(k) for k in range(n))] += chance
        for k in ways:
            walk([*order, k], chance / len(ways))

    for peak in range(n):
        walk([peak], Fraction(1, n))
    return dict(law)


def swaps(ranking):
    return sum(ranking[i] > ranking[j] for i, j in combinations(range(len(ranking)), 2))


def mallows(n, theta):
    heights = {ranking: exp(-theta * swaps(ranking)) for ranking in rankings(n)}
    return {ranking: height / sum(heights.values()) for ranking, height in heights.items()}


def normalized_mallows(n, norm_phi):
    """Find theta by halving, with the expected distance from all rankings."""
    low, high = 0.0, 60.0
    for _ in range(80):
        theta = (low + high) / 2
        mean = sum(w * swaps(ranking) for ranking, w in mallows(n, theta).items())
        low, high = (theta, high) if mean > norm_phi * n * (n - 1) / 4 else (low, theta)
    return mallows(n, low)


def on_a_line():
    """Return the law of two voters and three candidates that are uniform on [0, 1].

    Sorted, the candidates leave four spacings, whose products have the mean 1/20, of squares 2/20;
    where a voter ranks them so and so is a stretch between two midpoints, or an end.
    """
    half = Fraction(1, 2)
    # In spacings: up to the first midpoint ABC, then BAC, BCA and CBA, as ranks of A, B, C.
    stretches = {
        (0, 1, 2): (1, half, 0, 0), (1, 0, 2): (0, 0, half, 0), (2, 0, 1): (0, half, 0, 0),
        (2, 1, 0): (0, 0, half, 1),
    }  # fmt: skip
    law = defaultdict(Fraction)
    for names in permutations(range(3)):
        for one, other in product(stretches, repeat=2):
            mean = sum(
                a * b * Fraction(2 if i == j else 1, 20)
                for i, a in enumerate(stretches[one])
                for j, b in enumerate(stretches[other])
            )
            law[tuple(tuple(r[k] for k in names) for r in (one, other))] += mean / 6
    return law
