"""What the numbers are, slowly: from rankings one by one, in fractions, over all orders."""

import re
from fractions import Fraction
from itertools import combinations, permutations
from math import comb

import numpy as np
from scipy import stats

HALF = Fraction(1, 2)


def sides(places, i, j, policy):
    """Return what one ranking says of two items: first above, second above, tied; nothing as 0."""
    one, two = places[i], places[j]
    if one is not None and two is not None:
        return (Fraction(one < two), Fraction(two < one), Fraction(one == two))
    if policy == "ignore":
        return (Fraction(0),) * 3
    if policy == "last":
        return (Fraction(one is not None), Fraction(two is not None), Fraction(0))
    if one is None and two is None:
        return (HALF, HALF, Fraction(0))
    if one is None:
        above, below, tied = sides(places, j, i, policy)
        return below, above, tied
    # The other goes into any gap of the ranking alike; of a bucket every order is as likely.
    seen = [p for p in places if p is not None]
    before = sum(p < one for p in seen) + Fraction(sum(p == one for p in seen) - 1, 2)
    share = (len(seen) - before) / (len(seen) + 1)
    return share, 1 - share, Fraction(0)


def votes(plain, policy):
    """Return wins and ties, as lists of lists."""
    n = plain.n
    wins, ties = ([[Fraction(0)] * n for _ in range(n)] for _ in range(2))
    for ballot in plain.ballots:
        for i, j in plain.pairs:
            above, below, tied = sides(ballot.places, i, j, policy)
            wins[i][j] += ballot.weight * above
            wins[j][i] += ballot.weight * below
            ties[i][j] += ballot.weight * tied
            ties[j][i] += ballot.weight * tied
    return wins, ties


def cost(plain, places, wins):
    """Return the votes that a ranking contradicts; what it leaves open is open either way."""
    total = Fraction(0)
    for i, j in plain.pairs:
        above, below, tied = sides(places, i, j, "uniform")
        total += above * wins[j][i] + below * wins[i][j] + tied * (wins[i][j] + wins[j][i]) / 2
    return total


def orders(plain):
    """Return all orders, as places of the items."""
    return list(permutations(range(plain.n)))


def optima(plain, wins):
    """Return the least cost, and the orders that have it."""
    costs = {order: cost(plain, order, wins) for order in orders(plain)}
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
    told = [
        (w, v) for w, v in zip(plain.weights, plain.scores[system], strict=True) if v is not None
    ]
    return sum(w * v for w, v in told) / sum(w for w, _ in told) if told else None


def aside_of_mean(found, sign, values):
    """Return how many differences of the pair that a note names lie above (1) or below (-1) it.

    Values are those of an item in each unit, None where there is none.
    """
    (note,) = (note for note in found.notes if "not symmetric" in note)
    names = re.search(r": of (\S+) less (\S+) ", note).groups()
    rows = zip(*(values(name) for name in names), strict=True)
    told = [one - two for one, two in rows if None not in (one, two)]
    return sum(sign * (d - sum(told) / len(told)) > 0 for d in told), len(told)


def correlation_of_gaps(scores):
    """Return the rank correlation of gaps with levels of units, by least squares; a row a unit."""
    unit, system = np.nonzero(~np.isnan(scores))
    columns = np.hstack([np.eye(len(scores))[unit], np.eye(scores.shape[1])[system]])
    level = np.linalg.lstsq(columns, scores[unit, system], rcond=None)[0][: len(scores)]
    return stats.spearmanr(np.isnan(scores).sum(axis=1), np.round(level, 9)).statistic


def points(ballot, k, n, policy):
    """Return Borda points of an item in one ranking, by the table of the conventions."""
    seen = [p for p in ballot.places if p is not None]
    mine = ballot.places[k]
    if mine is None:
        if policy == "uniform":
            return Fraction(n - 1, 2)
        return Fraction(0) if policy == "ignore" else Fraction(n - len(seen) - 1, 2)
    r = sum(p < mine for p in seen) + Fraction(sum(p == mine for p in seen) - 1, 2)
    if policy == "uniform":
        return n - (r + 1) * (n + 1) / (len(seen) + 1)
    return len(seen) - 1 - 2 * r if policy == "ignore" else n - 1 - r


def copy_without(plain, task):
    """Return the ballots without those of one task."""
    return [ballot for ballot in plain.ballots if ballot.task != task]
