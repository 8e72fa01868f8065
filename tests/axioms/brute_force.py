"""Axioms written a second time, on lists of ballots, as slowly and plainly as can be.

Ballots are tuples of labels, best first.
"""

from functools import cache
from itertools import combinations, combinations_with_replacement, permutations, product

import pytest

import rankagg as ra

PARALLEL = {"tie_breaking": "parallel"}
RULES = (
    ra.Borda(), ra.Plurality(), ra.Veto(), ra.Dowdall(), ra.Approval(2), ra.Bucklin(),
    ra.InstantRunoff(**PARALLEL), ra.Coombs(**PARALLEL), ra.Baldwin(**PARALLEL), ra.Nanson(),
    ra.Black(), ra.Copeland(), ra.Minimax(), ra.Schulze(), ra.RankedPairs(), ra.Young(),
    ra.Dodgson(), ra.Kemeny(),
)  # fmt: skip
NAMES = [axiom.name for axiom in ra.axioms.AXIOMS]


def plain(rule):
    return type(rule).__name__


def of(name):
    return next(rule for rule in RULES if plain(rule) == name)


def ballots(profile):
    """Return the ballots of a profile one by one."""
    return [
        ranking.order
        for ranking, count in zip(profile, profile.counts, strict=True)
        for _ in range(count)
    ]


def all_profiles(n, m):
    return combinations_with_replacement(list(permutations("ABCD"[:n])), m)


def some_slow(*every_run):
    """Return all rules as parameters: those named are tried in every run."""
    return [
        pytest.param(one, marks=() if plain(one) in every_run else pytest.mark.slow, id=plain(one))
        for one in RULES
    ]


def margin(ballots, x, y):
    return sum(1 if b.index(x) < b.index(y) else -1 for b in ballots)


@cache
def outcome(rule, ballots):
    """Return the winners, and the set of rankings, of sorted ballots.

    Rules are compared with slow twins of their own in `tests/aggregation`.
    """
    consensus = of(rule).aggregate(ra.Profile.from_orders(ballots, items=sorted(ballots[0])))
    if consensus.optima is not None:
        orders = [one.buckets for one in consensus.optima]
        return frozenset(order[0][0] for order in orders), frozenset(orders)
    also = [
        note.rpartition(": ")[2].split(", ") for note in consensus.notes if "also winners" in note
    ]
    return frozenset(consensus.buckets[0]).union(*also), frozenset([consensus.buckets])


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
    raise AssertionError(axiom)


def relation(rule, ballots, x, y):
    signs = set()
    for ranking in rankings(rule, ballots):
        place = {z: at for at, bucket in enumerate(ranking) for z in bucket}
        signs.add((place[x] > place[y]) - (place[x] < place[y]))
    return signs.pop() if len(signs) == 1 else 0
