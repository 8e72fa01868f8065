"""Obvious versions, ballot by ballot and permutation by permutation."""

from fractions import Fraction
from itertools import permutations, product

from rankagg.core.exact import as_fraction
from rankagg.core.places import UNLISTED, UNRANKED
from tests import oracles


def ballots(profile, policy):
    """Return (row, weight) for every ranking; "last" makes unranked items unlisted."""
    rows = profile.ranks.tolist()
    if policy == "last":
        rows = [[UNLISTED if place == UNRANKED else place for place in row] for row in rows]
    sizes = zip(profile.counts.tolist(), profile.weights.tolist(), strict=True)
    weights = [count * as_fraction(weight) for count, weight in sizes]
    return list(zip(rows, weights, strict=True))


def compatible(row, inside):
    """Return the orders of some items that a ballot does not contradict."""
    return [order for order in permutations(inside) if agrees(row, order)]


def agrees(row, order):
    ranked = [row[item] for item in order if row[item] != UNRANKED]
    levels = [len(row) if place == UNLISTED else place for place in ranked]
    return levels == sorted(levels)


def place_points(profile, policy, weights):
    """Return the mean points of every item over compatible permutations, summed."""
    return points_inside(profile, policy, weights, range(profile.n_items))


def points_inside(profile, policy, weights, inside):
    points = dict.fromkeys(inside, Fraction(0))
    for row, size in ballots(profile, policy):
        ranked = [i for i in inside if policy != "ignore" or row[i] != UNRANKED]
        if not ranked:
            continue
        given = [Fraction(number) for number in weights(len(ranked))]
        mean = sum(given) / len(ranked) if policy == "ignore" else 0
        orders = compatible(row, ranked)
        for order in orders:
            for item, number in zip(order, given, strict=True):
                points[item] += size * (number - mean) / len(orders)
    return points


def first(n):
    return [1] + [0] * (n - 1)


def not_last(n):
    return [1] * (n - 1) + [0]


def all_outcomes(n, decide):
    """Return every order that breaking ties leads to; `decide` gives (items, is first)."""
    found = set()

    def go(inside, above, below):
        if not inside:
            found.add(tuple(above + below))
            return
        tied, is_first = decide(inside)
        for item in tied:
            rest = [other for other in inside if other != item]
            if is_first:
                go(rest, [*above, item], below)
            else:
                go(rest, above, [item, *below])

    go(list(range(n)), [], [])
    return found


def ends(decide, n, tied_rank):
    """Return the ranks where tied items go out at once, or only the last of them."""
    ranks, inside, above = [0] * n, list(range(n)), 0
    while inside:
        tied, is_first = decide(inside)
        gone = list(tied) if tied_rank == "together" or is_first else [max(tied)]
        for item in gone:
            ranks[item] = above if is_first else above + len(inside) - len(gone)
        inside = [item for item in inside if item not in gone]
        above += is_first
    return ranks


def least(points):
    low = min(points.values())
    return [item for item, number in points.items() if number == low], False


def units(profile):
    """Return the ballots one smallest ballot at a time, and how many make a weight of 1."""
    sizes = {}
    for row, size in ballots(profile, "uniform"):
        sizes[tuple(row)] = sizes.get(tuple(row), 0) + size
    denominator = 1
    while any((size * denominator).denominator > 1 for size in sizes.values()):
        denominator += 1
    rows = [row for row, size in sizes.items() for _ in range(int(size * denominator))]
    return rows, denominator


def margin(row, i, j, policy):
    """Return the chance of i above j less that of j above i over compatible permutations."""
    wins, *_ = oracles.pairwise_votes([oracles.coded(row)], policy)
    return wins[i][j] - wins[j][i]


def young(profile, item, policy):
    rows, denominator = units(profile)
    n = profile.n_items
    kinds = [[margin(row, item, j, policy) for j in range(n) if j != item] for row in rows]
    best = 0
    for kept in product([0, 1], repeat=len(rows)):
        sums = [
            sum(k * lead[at] for k, lead in zip(kept, kinds, strict=True)) for at in range(n - 1)
        ]
        if all(total >= 0 for total in sums) and any(kept):
            best = max(best, sum(kept))
    return Fraction(best, denominator)


def dodgson(profile, item):
    """Try every lift of the item in every smallest ballot."""
    rows, denominator = units(profile)
    n = profile.n_items
    choices = [lifts([n if p < 0 else p for p in row], item) for row in rows]
    costs = []
    for chosen in product(*choices):
        totals = [sum(row[j] for _, row in chosen) for j in range(n)]
        if all(total > 0 for j, total in enumerate(totals) if j != item):
            costs.append(sum(cost for cost, _ in chosen))
    return Fraction(min(costs), denominator)


def lifts(row, item):
    """Return (swaps, what the ballot then says for the item against each other one)."""
    signs = [(row[j] > row[item]) - (row[j] < row[item]) for j in range(len(row))]
    found = [(Fraction(0), signs)]
    for level in sorted({p for p in row if p <= row[item]}):
        now = [1 if row[j] >= level and j != item else s for j, s in enumerate(signs)]
        if now != signs:
            cost = sum(Fraction(b - a, 2) for a, b in zip(signs, now, strict=True))
            found.append((cost, now))
    return found
