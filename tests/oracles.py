"""Slow, obvious twins of the package's fast paths, for few items.

A ranking is a list of places, one per item, 0 the best: `None` for an item that was not observed,
`OFF_LIST` for one left off a top-k list. Ties share a number; which numbers are used does not
matter beyond their order. Everything is counted by loops over pairs and permutations, in
fractions where the answer is rational. Every function takes rankagg rankings and profiles too.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from math import nan, sqrt

OFF_LIST = "off the list"

ABOVE, TIED, BELOW, NOT_COMPARED = "above", "tied", "below", "not compared"


# -- plain data -----------------------------------------------------------------------------------


def as_places(ranking):
    """Return a rankagg ranking, or any sequence of places, as a tuple of places."""
    return coded(ranking.ranks) if hasattr(ranking, "ranks") else tuple(ranking)


def coded(ranks):
    """Return ranks with the codes of rankagg as places."""
    codes = {-1: None, -2: OFF_LIST}
    return tuple(codes.get(int(rank), int(rank)) for rank in ranks)


def as_votes(rankings, weights=None):
    """Return pairs of places and weight (counts times weights, as a fraction)."""
    rows = [as_places(ranking) for ranking in rankings]
    if weights is None and hasattr(rankings, "counts"):
        weights = [
            int(count) * as_fraction(weight)
            for count, weight in zip(rankings.counts, rankings.weights, strict=True)
        ]
    if weights is None:
        weights = [1] * len(rows)
    return list(zip(rows, [as_fraction(weight) for weight in weights], strict=True))


def as_fraction(weight):
    """Return what the author of a float such as 0.1 or 1/3 meant."""
    return weight if isinstance(weight, Fraction) else Fraction(weight).limit_denominator(1000)


def is_listed(place):
    return place is not None and place != OFF_LIST


def judgment(ranking, i, j):
    """Say whether a ranking puts i above, level with or below j, or does not compare them."""
    mine, other = ranking[i], ranking[j]
    if mine is None or other is None:
        return NOT_COMPARED
    if mine == OFF_LIST and other == OFF_LIST:
        return NOT_COMPARED
    if other == OFF_LIST:
        return ABOVE
    if mine == OFF_LIST:
        return BELOW
    if mine == other:
        return TIED
    return ABOVE if mine < other else BELOW


def pairs(n):
    return list(combinations(range(n), 2))


def ordered_pairs(n):
    return [(i, j) for i in range(n) for j in range(n) if i != j]


# -- compatible permutations ----------------------------------------------------------------------


def compatible_permutations(ranking):
    """Return every complete strict ranking that keeps all strict judgments of `ranking`."""
    return list(_compatible(as_places(ranking)))


@cache
def _compatible(ranking):
    n = len(ranking)
    strict = [(i, j) for i, j in ordered_pairs(n) if judgment(ranking, i, j) == ABOVE]
    return tuple(
        candidate
        for candidate in permutations(range(n))
        if all(candidate[i] < candidate[j] for i, j in strict)
    )


@cache
def _probability_before(ranking):
    n = len(ranking)
    compatible = _compatible(ranking)
    before = [[Fraction(0)] * n for _ in range(n)]
    for i, j in ordered_pairs(n):
        count = sum(candidate[i] < candidate[j] for candidate in compatible)
        before[i][j] = Fraction(count, len(compatible))
    return before


def probability_before(ranking):
    """Return P(row before column) over all compatible permutations, 0 on the diagonal."""
    return [list(row) for row in _probability_before(as_places(ranking))]


def expected_places(ranking):
    """Return each item's mean place over all compatible permutations."""
    compatible = compatible_permutations(ranking)
    return [Fraction(sum(places), len(compatible)) for places in zip(*compatible, strict=True)]


def with_unranked_last(ranking):
    """Put unranked items below all others, not compared with each other nor with unlisted ones."""
    return tuple(OFF_LIST if place is None else place for place in as_places(ranking))


# -- votes ----------------------------------------------------------------------------------------


def pairwise_votes(rankings, unranked="uniform", weights=None):
    """Return wins, ties and comparisons for row against column, as matrices of fractions."""
    votes = as_votes(rankings, weights)
    if unranked == "last":
        votes = [(with_unranked_last(ranking), weight) for ranking, weight in votes]
    n = len(votes[0][0])
    wins, ties, comparisons = ([[Fraction(0)] * n for _ in range(n)] for _ in range(3))
    for ranking, weight in votes:
        for i, j in ordered_pairs(n):
            judged = judgment(ranking, i, j)
            if judged != NOT_COMPARED:
                comparisons[i][j] += weight
                wins[i][j] += weight * (judged == ABOVE)
                ties[i][j] += weight * (judged == TIED)
            elif unranked == "uniform" and None in (ranking[i], ranking[j]):
                wins[i][j] += weight * _probability_before(ranking)[i][j]
    return wins, ties, comparisons


def squared_weights(rankings, counts, weights):
    """Return for each pair the sum of squared weights of the rankings that compare it."""
    rows = [as_places(ranking) for ranking in rankings]
    n = len(rows[0])
    total = [[Fraction(0)] * n for _ in range(n)]
    for ranking, count, weight in zip(rows, counts, weights, strict=True):
        for i, j in ordered_pairs(n):
            if judgment(ranking, i, j) != NOT_COMPARED:
                total[i][j] += int(count) * as_fraction(weight) ** 2
    return total


def borda(rankings, unranked="uniform", weights=None):
    """Return Borda scores: expected points 0 to n - 1, or wins less losses under "ignore"."""
    votes = as_votes(rankings, weights)
    n = len(votes[0][0])
    scores = [Fraction(0)] * n
    for ranking, weight in votes:
        if unranked == "ignore":
            for i, j in ordered_pairs(n):
                judged = judgment(ranking, i, j)
                scores[i] += weight * ((judged == ABOVE) - (judged == BELOW))
        else:
            read = with_unranked_last(ranking) if unranked == "last" else ranking
            for i, place in enumerate(expected_places(read)):
                scores[i] += weight * (n - 1 - place)
    return scores


# -- costs ----------------------------------------------------------------------------------------


def cost_of_permutation(places, wins):
    """Return the votes that a complete strict ranking contradicts."""
    return sum(
        (Fraction(wins[j][i]) for i, j in ordered_pairs(len(wins)) if places[i] < places[j]),
        Fraction(0),
    )


def cost(ranking, wins):
    """Return the mean cost of the permutations that are compatible with `ranking`."""
    compatible = compatible_permutations(ranking)
    return sum(cost_of_permutation(places, wins) for places in compatible) / len(compatible)


def kemeny(wins):
    """Return the lowest cost and every order (item positions, best first) that has it."""
    best, optima = None, []
    for order in permutations(range(len(wins))):
        votes = (Fraction(wins[low][high]) for high, low in combinations(order, 2))
        price = sum(votes, Fraction(0))
        if best is None or price < best:
            best, optima = price, []
        if price == best:
            optima.append(order)
    return best, optima


# -- distances ------------------------------------------------------------------------------------


def judged_pairs(first, second):
    """Return the two judgments of each pair of items that both rankings compare."""
    first, second = as_places(first), as_places(second)
    judged = [(judgment(first, i, j), judgment(second, i, j)) for i, j in pairs(len(first))]
    return [both for both in judged if NOT_COMPARED not in both]


def is_discordant(mine, theirs):
    return mine != theirs and TIED not in (mine, theirs)


def is_concordant(mine, theirs):
    return mine == theirs and mine != TIED


def kendall_distance(first, second, tie_cost=Fraction(0)):
    """Count discordant pairs, and `p` for each pair that exactly one ranking ties."""
    distance = Fraction(0)
    for mine, theirs in judged_pairs(first, second):
        if is_discordant(mine, theirs):
            distance += 1
        elif (mine == TIED) != (theirs == TIED):
            distance += tie_cost
    return distance


def kendall_tau_a(first, second):
    """Return concordant less discordant pairs over all pairs."""
    judged = judged_pairs(first, second)
    if not judged:
        return nan
    return Fraction(_concordant_less_discordant(judged), len(judged))


def kendall_tau_b(first, second):
    """Return concordant less discordant pairs over the geometric mean of the untied pairs."""
    judged = judged_pairs(first, second)
    untied_first = sum(mine != TIED for mine, _ in judged)
    untied_second = sum(theirs != TIED for _, theirs in judged)
    if untied_first * untied_second == 0:
        return nan
    return _concordant_less_discordant(judged) / sqrt(untied_first * untied_second)


def _concordant_less_discordant(judged):
    return sum(is_concordant(*both) for both in judged) - sum(
        is_discordant(*both) for both in judged
    )


def common(first, second):
    """Return both rankings on the items that both observe."""
    first, second = as_places(first), as_places(second)
    kept = [
        i for i in range(len(first)) if first[i] is not None and second[i] is not None
    ]  # fmt: skip
    return tuple(first[i] for i in kept), tuple(second[i] for i in kept)


def mean_places(ranking):
    """Return each item's place, halfway through the items level with it."""
    n = len(ranking)
    result = []
    for i in range(n):
        judged = [judgment(ranking, i, j) for j in range(n) if j != i]
        level = judged.count(TIED) + judged.count(NOT_COMPARED)
        result.append(judged.count(BELOW) + Fraction(level, 2))
    return result


def footrule(first, second):
    """Sum the absolute differences of mean places among the items that both observe."""
    mine, theirs = (mean_places(ranking) for ranking in common(first, second))
    return sum((abs(a - b) for a, b in zip(mine, theirs, strict=True)), Fraction(0))


def spearman_rho(first, second):
    """Return Pearson's correlation of mean places."""
    mine, theirs = (mean_places(ranking) for ranking in common(first, second))
    n = len(mine)
    mine = [a - sum(mine) / n for a in mine]
    theirs = [b - sum(theirs) / n for b in theirs]
    scale = sum(a * a for a in mine) * sum(b * b for b in theirs)
    if scale == 0:
        return nan
    return sum(a * b for a, b in zip(mine, theirs, strict=True)) / sqrt(scale)


def top_k_overlap(first, second, k):
    """Return the mean share of common items of two top-k sets over all ways to break ties."""
    return _overlap(first, second, lambda place, n: place < k, k)


def last_k_overlap(first, second, k):
    """Return the mean share of common items of two last-k sets over all ways to break ties."""
    return _overlap(first, second, lambda place, n: place >= n - k, k)


def _overlap(first, second, chosen, k):
    mine, theirs = (compatible_permutations(ranking) for ranking in common(first, second))
    total = Fraction(0)
    for a in mine:
        for b in theirs:
            n = len(a)
            total += sum(chosen(a[i], n) and chosen(b[i], n) for i in range(n))
    return total / (len(mine) * len(theirs) * k)
