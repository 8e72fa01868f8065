"""What the numbers are, slowly: from rankings one by one, in fractions, over all orders."""

import re
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from math import comb

import numpy as np
from scipy import stats

from tests import oracles

HALF = Fraction(1, 2)


@cache
def sides(places, i, j, policy):
    """Return what one ranking says of two items: first above, second above, tied; nothing as 0."""
    wins, ties, _ = oracles.pairwise_votes([places], policy)
    return wins[i][j], wins[j][i], ties[i][j]


def votes(plain, policy):
    """Return wins and ties, as lists of lists."""
    rankings, weights = zip(*((b.places, b.weight) for b in plain.ballots), strict=True)
    return oracles.pairwise_votes(rankings, policy, weights)[:2]


def points(ballot, k, n, policy):
    """Return Borda points of an item in one ranking."""
    return oracles.borda([ballot.places], policy)[k]


def orders(plain):
    """Return all orders, as places of the items."""
    return list(permutations(range(plain.n)))


def optima(plain, wins):
    """Return the least cost, and the orders that have it."""
    costs = {order: oracles.cost_of_permutation(order, wins) for order in orders(plain)}
    least = min(costs.values())
    # Weights that are no simple fractions are rounded once.
    near = least + Fraction(1, 10**9) * max(1, least)
    return least, [order for order, each in costs.items() if each <= near]


def least_to_turn(plain, i, j, policy):
    """Return how few rankings must turn a pair round for another majority: all choices."""
    leads = []
    for ballot in plain.ballots:
        above, below, _ = sides(ballot.places, i, j, policy)
        leads.append(ballot.weight * (above - below))
    margin = sum(leads)
    for number in range(1, len(leads) + 1):
        for turned in combinations(leads, number):
            left = margin - 2 * sum(turned)
            if left * margin < 0:
                return number
    return None


def sign_test(won, lost):
    """Return the p-value of "the first is above in half of the units at most"."""
    n = won + lost
    return Fraction(sum(comb(n, k) for k in range(won, n + 1)), 2**n)


def decided_by_signs(n, won, alpha):
    """Return how many pairs Tarone's procedure over exact sign tests decides."""
    wins = [(won(i, j), won(j, i)) for i, j in permutations(range(n), 2)]
    tests = [(sign_test(*two), Fraction(1, 2 ** sum(two))) for two in wins]
    return sum(by_tarone(tests, alpha))


def enough(method, n, alpha):
    """Return how many units that all agree decide anything."""
    each = float(alpha) / (n * (n - 1))
    decides = {
        "sign-flips": lambda t: 2.0 ** (1 - t) <= alpha,
        "sign-test": lambda t: 0.5**t <= each,
        "hoeffding": lambda t: np.exp(-t / 2) <= each,
        "max-t": lambda t: t >= 20,
    }[method]
    return next(t for t in range(1, 999) if decides(t))


def by_tarone(tests, alpha):
    """Return which of (p-value, smallest p-value) Tarone's procedure rejects, step by step."""
    rejected = [False] * len(tests)
    while True:
        left = [least for (_, least), done in zip(tests, rejected, strict=True) if not done]
        k = next(
            (k for k in range(1, len(left) + 1) if sum(p <= alpha / k for p in left) <= k), None
        )
        new = [
            not done and k and p <= alpha / k for (p, _), done in zip(tests, rejected, strict=True)
        ]
        if not any(new):
            return rejected
        rejected = [done or bool(more) for done, more in zip(rejected, new, strict=True)]


def mean(plain, system):
    """Return the weighted mean of a system's scores; None without any."""
    scores = [
        (w, v) for w, v in zip(plain.weights, plain.scores[system], strict=True) if v is not None
    ]
    return sum(w * v for w, v in scores) / sum(w for w, _ in scores) if scores else None


def aside_of_mean(found, sign, values):
    """Return how many differences of the pair that a note names lie above (1) or below (-1) it.

    Values are those of an item in each unit, None where there is none.
    """
    (note,) = (note for note in found.notes if "not symmetric" in note)
    names = re.search(r": of (\S+) less (\S+) ", note).groups()
    rows = zip(*(values(name) for name in names), strict=True)
    deltas = [one - two for one, two in rows if None not in (one, two)]
    return sum(sign * (d - sum(deltas) / len(deltas)) > 0 for d in deltas), len(deltas)


def correlation_of_gaps(scores):
    """Return the rank correlation of gaps with levels of units, by least squares; a row a unit."""
    unit, system = np.nonzero(~np.isnan(scores))
    columns = np.hstack([np.eye(len(scores))[unit], np.eye(scores.shape[1])[system]])
    level = np.linalg.lstsq(columns, scores[unit, system], rcond=None)[0][: len(scores)]
    return stats.spearmanr(np.isnan(scores).sum(axis=1), np.round(level, 9)).statistic


def copy_without(plain, task):
    """Return the ballots without those of one task."""
    return [ballot for ballot in plain.ballots if ballot.task != task]
