"""Rules and axioms written a second time, on lists of ballots, as slowly and plainly as can be.

Nothing here knows the package: ballots are tuples of labels, best first.
"""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product


def margin(ballots, x, y):
    return sum(1 if b.index(x) < b.index(y) else -1 for b in ballots)


def by_key(items, key):
    """Return buckets, the largest key first."""
    values = {x: key(x) for x in items}
    return tuple(
        tuple(x for x in items if values[x] == value)
        for value in sorted(set(values.values()), reverse=True)
    )


def reachable(arcs, items):
    reach = set(arcs)
    for k, i, j in product(items, repeat=3):  # Warshall: k is the outer loop
        if (i, k) in reach and (k, j) in reach:
            reach.add((i, j))
    return reach


def borda(ballots, items):
    return by_key(items, lambda x: -sum(b.index(x) for b in ballots))


def positional(points):
    def rule(ballots, items):
        given = points(len(items))
        return by_key(items, lambda x: sum(given[b.index(x)] for b in ballots))

    return rule


def copeland(ballots, items):
    def points(x):
        leads = [margin(ballots, x, y) for y in items if y != x]
        return sum(2 if lead > 0 else 1 if lead == 0 else 0 for lead in leads)

    return by_key(items, points)


def minimax(ballots, items):
    def worst_first(x):
        leads = [min(0, margin(ballots, x, y)) for y in items if y != x]
        return tuple(sorted(leads))

    return by_key(items, worst_first)


def bucklin(ballots, items):
    def depth(x):
        for k in range(1, len(items) + 1):
            votes = sum(b.index(x) < k for b in ballots)
            if 2 * votes > len(ballots):
                return (-k, votes)
        raise AssertionError

    return by_key(items, depth)


def schulze_beats(ballots, items):
    strength = {(x, y): max(0, margin(ballots, x, y)) for x, y in permutations(items, 2)}
    for k, i, j in product(items, repeat=3):
        if len({i, j, k}) == 3:
            strength[i, j] = max(strength[i, j], min(strength[i, k], strength[k, j]))
    return {(x, y) for x, y in permutations(items, 2) if strength[x, y] > strength[y, x]}


def ranked_pairs(ballots, items):
    """Lock majorities one at a time, in every order of equal ones."""
    margins = {(x, y): margin(ballots, x, y) for x, y in permutations(items, 2)}
    ways = {frozenset()}
    for size in sorted({m for m in margins.values() if m > 0}, reverse=True):
        group = [pair for pair, m in margins.items() if m == size]
        ended, seen, queue = set(), set(ways), list(ways)
        while queue:
            locked = queue.pop()
            fresh = [(x, y) for x, y in group if not {(x, y), (y, x)} & locked]
            if not fresh:
                ended.add(locked)
            more = {frozenset(reachable(locked | {pair}, items)) for pair in fresh} - seen
            seen |= more
            queue += more
        ways = ended
    return by_key(items, lambda x: -min(sum(y == x for _, y in way) for way in ways))


def universes(ballots, items, decide):
    """Return the orders that all ways of breaking ties lead to; `decide` gives (tied, first)."""
    if len(items) == 1:
        return {items}
    found = set()
    tied, first = decide(tuple(tuple(x for x in b if x in items) for b in ballots), items)
    for x in tied:
        rest = tuple(y for y in items if y != x)
        for order in universes(ballots, rest, decide):
            found.add((x, *order) if first else (*order, x))
    return found


def fewest(items, key):
    return [x for x in items if key(x) == min(map(key, items))], False


def runoff(ballots, items):
    return fewest(items, lambda x: sum(b[0] == x for b in ballots))


def coombs(ballots, items):
    for x in items:
        if 2 * sum(b[0] == x for b in ballots) > len(ballots):
            return [x], True
    return fewest(items, lambda x: -sum(b[-1] == x for b in ballots))


def baldwin(ballots, items):
    return fewest(items, lambda x: -sum(b.index(x) for b in ballots))


def best_places(orders, items):
    return by_key(items, lambda x: -min(order.index(x) for order in orders))


def nanson(ballots, items):
    """Return buckets; of what goes out in a round, those with more points are above."""
    below = ()
    while items:
        left = [tuple(x for x in b if x in items) for b in ballots]
        points = {x: sum(len(b) - 1 - 2 * b.index(x) for b in left) for x in items}
        out = tuple(x for x in items if points[x] <= 0)
        below = (*by_key(out, points.get), *below)
        items = tuple(x for x in items if points[x] > 0)
    return below


def black(ballots, items):
    for x in items:
        if all(margin(ballots, x, y) > 0 for y in items if y != x):
            rest = borda(ballots, items)
            return ((x,), *[b for b in (tuple(y for y in b if y != x) for b in rest) if b])
    return borda(ballots, items)


def young(ballots, items):
    """The largest part of the ballots, of all of them, in which no majority is against an item."""

    def kept(x):
        return next(
            size
            for size in range(len(ballots), -1, -1)
            for part in set(combinations(ballots, size))
            if all(margin(part, x, y) >= 0 for y in items if y != x)
        )

    return by_key(items, kept)


def dodgson(ballots, items):
    """The fewest swaps, ballot by ballot, for every state of who is still to be passed."""

    def swaps(x):
        others = [y for y in items if y != x]
        need = tuple(
            max(0, len(ballots) // 2 + 1 - sum(b.index(x) < b.index(y) for b in ballots))
            for y in others
        )
        costs = {need: 0}
        for b in ballots:
            after = {}
            for left, cost in costs.items():
                for up in range(b.index(x) + 1):
                    passed = b[b.index(x) - up : b.index(x)]
                    state = tuple(
                        max(0, k - (y in passed)) for k, y in zip(left, others, strict=True)
                    )
                    after[state] = min(cost + up, after.get(state, cost + up))
            costs = after
        return costs[(0,) * len(others)]

    return by_key(items, lambda x: -swaps(x))


def net(beats, items):
    def score(x):
        return sum((x, y) in beats for y in items) - sum((y, x) in beats for y in items)

    return by_key(items, score)


@cache
def outcome(rule, ballots):
    """Return the winners, and the set of rankings, of sorted ballots."""
    items = tuple(sorted(ballots[0]))
    if rule == "Kemeny":
        costs = {
            order: sum(margin(ballots, y, x) for x, y in combinations(order, 2))
            for order in permutations(items)
        }
        best = [order for order, cost in costs.items() if cost == min(costs.values())]
        return frozenset(o[0] for o in best), frozenset(tuple((x,) for x in o) for o in best)
    if rule == "Schulze":
        beats = schulze_beats(ballots, items)
        unbeaten = frozenset(y for y in items if not any((x, y) in beats for x in items))
        return unbeaten, frozenset([net(beats, items)])
    ranking = PLAIN[rule](ballots, items)
    return frozenset(ranking[0]), frozenset([ranking])


PLAIN = {
    "Borda": borda, "Copeland": copeland, "Minimax": minimax, "Bucklin": bucklin,
    "Plurality": positional(lambda n: [1] + [0] * (n - 1)),
    "Veto": positional(lambda n: [1] * (n - 1) + [0]),
    "Dowdall": positional(lambda n: [Fraction(1, k) for k in range(1, n + 1)]),
    "Approval": positional(lambda n: [1, 1, *[0] * n][:n]),
    "InstantRunoff": lambda b, items: best_places(universes(b, items, runoff), items),
    "Coombs": lambda b, items: best_places(universes(b, items, coombs), items),
    "Baldwin": lambda b, items: best_places(universes(b, items, baldwin), items),
    "RankedPairs": ranked_pairs, "Nanson": nanson, "Black": black, "Young": young,
    "Dodgson": dodgson,
}  # fmt: skip


def winners(rule, ballots):
    return outcome(rule, tuple(sorted(ballots)))[0]


def rankings(rule, ballots):
    return outcome(rule, tuple(sorted(ballots)))[1]


def linear(found):
    return {
        tuple(x for part in parts for x in part)
        for ranking in found
        for parts in product(*[permutations(bucket) for bucket in ranking])
    }


def prefers(ballot, one, other):
    """Fishburn's extension, pair by pair."""
    return one != other and all(
        ballot.index(x) < ballot.index(y)
        for x in one
        for y in other
        if x != y and not (x in other and y in one)
    )


def changed(ballots):
    """Yield every ballot, its replacement, and the profile after it."""
    for at, old in enumerate(ballots):
        for new in permutations(sorted(old)):
            if new != old:
                yield old, new, (*ballots[:at], new, *ballots[at + 1 :])


def without(ballots, x):
    return tuple(tuple(y for y in b if y != x) for b in ballots)


def groups(ballots):
    for old, count in Counter(ballots).items():
        rest = [b for b in ballots if b != old]
        for size in range(1, count + 1):
            for new in permutations(sorted(old)):
                yield old, (*rest, *[old] * (count - size), *[new] * size)


def smith(ballots, items):
    for size in range(1, len(items) + 1):
        for inside in combinations(items, size):
            outside = [y for y in items if y not in inside]
            if all(margin(ballots, x, y) > 0 for x in inside for y in outside):
                return set(inside)
    raise AssertionError


def broken(axiom, rule, ballots):  # noqa: PLR0911, PLR0912 (one case each)
    """Say whether ballots break an axiom under a rule."""
    ballots, items = tuple(ballots), tuple(sorted(ballots[0]))
    won = winners(rule, ballots)
    beats_all = [
        x for x in items if all(margin(ballots, x, y) > 0 for y in items if y != x)
    ]  # fmt: skip
    match axiom:
        case "condorcet winner":
            return any(won != {x} for x in beats_all)
        case "condorcet loser":
            return any(
                x in won and all(margin(ballots, x, y) < 0 for y in items if y != x)
                for x in items
                if len(items) > 1
            )
        case "smith":
            return not won <= smith(ballots, items)
        case "majority":
            return any(
                won != {x} for x in items if 2 * sum(b[0] == x for b in ballots) > len(ballots)
            )
        case "pareto":
            return any(
                y in won and all(b.index(x) < b.index(y) for b in ballots)
                for x, y in permutations(items, 2)
            )
        case "monotonicity":
            return any(
                without([old], x) == without([new], x)
                and new.index(x) < old.index(x)
                and x not in winners(rule, after)
                for old, new, after in changed(ballots)
                for x in won
            )
        case "later-no-harm":
            return any(
                old[: old.index(x) + 1] == new[: old.index(x) + 1] and x not in winners(rule, after)
                for old, new, after in changed(ballots)
                for x in won
            )
        case "participation":
            return len(ballots) > 1 and any(
                prefers(b, winners(rule, (*ballots[:at], *ballots[at + 1 :])), won)
                for at, b in enumerate(ballots)
            )
        case "reinforcement" | "reinforcement of rankings":
            read = (
                winners if axiom == "reinforcement" else lambda r, b: linear(rankings(r, b))
            )  # fmt: skip
            for signs in product([0, 1], repeat=len(ballots)):
                one = [b for b, s in zip(ballots, signs, strict=True) if s]
                other = [b for b, s in zip(ballots, signs, strict=True) if not s]
                if one and other:
                    common = read(rule, one) & read(rule, other)
                    if common and read(rule, ballots) != common:
                        return True
            return False
        case "clone independence":
            for size in range(2, len(items)):
                for clones in combinations(items, size):
                    together = all(
                        set(b[b.index(max(clones, key=lambda c: -b.index(c))) :][:size])
                        == set(clones)
                        for b in ballots
                    )
                    for gone in clones if together else ():
                        after = winners(rule, without(ballots, gone))
                        if any((x in won) != (x in after) for x in items if x not in clones):
                            return True
                        if any(x in won for x in clones) != any(x in after for x in clones):
                            return True
            return False
        case "reversal symmetry":
            back = winners(rule, [b[::-1] for b in ballots])
            return len(won) == 1 and len(items) > 1 and won <= back
        case "independence of irrelevant alternatives (winners)":
            return any(winners(rule, without(ballots, x)) != won for x in items if x not in won)
        case "independence of irrelevant alternatives (rankings)":
            return any(
                (old.index(x) < old.index(y)) == (new.index(x) < new.index(y))
                and relation(rule, ballots, x, y) != relation(rule, after, x, y)
                for old, new, after in changed(ballots)
                for x, y in combinations(items, 2)
            )
        case "strategyproofness":
            return any(
                prefers(old, winners(rule, after), won) for old, _, after in changed(ballots)
            )
        case "group strategyproofness":
            return any(prefers(old, winners(rule, after), won) for old, after in groups(ballots))
    raise AssertionError(axiom)


def relation(rule, ballots, x, y):
    signs = set()
    for ranking in rankings(rule, ballots):
        place = {z: at for at, bucket in enumerate(ranking) for z in bucket}
        signs.add((place[x] > place[y]) - (place[x] < place[y]))
    return signs.pop() if len(signs) == 1 else 0
