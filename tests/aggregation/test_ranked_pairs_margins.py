"""Ranked pairs over margins, of which there are fewer than profiles.

Margins that are all even, or all odd, belong to some profile (Debord 1987), also one with a given
ballot: two opposite ballots change no margin. So a winner that rises above the next item moves one
margin by two, and clones have the same margin with everybody else.
"""

import re
from functools import cache
from itertools import combinations, combinations_with_replacement, islice, permutations, product

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation.ranked_pairs import locked_paths


def matrix(pairs, n):
    """Return the margins of row over column from those of each pair."""
    margins = np.zeros((n, n), dtype=np.int64)
    for (i, j), value in zip(combinations(range(n), 2), pairs, strict=True):
        margins[i, j], margins[j, i] = value, -value
    return margins


def locking(margins):
    """Return who wins, a path at a time: the second program."""
    n = len(margins)
    locked = set()

    def leads(arcs, start, end):
        seen, ends = {start}, [start]
        while ends:
            here = ends.pop()
            for i, j in arcs:
                if i == here and j not in seen:
                    seen.add(j)
                    ends.append(j)
        return end in seen

    for size in sorted({int(m) for m in margins.flat if m > 0}, reverse=True):
        group = {
            (i, j) for i, j in permutations(range(n), 2)
            if margins[i, j] == size and not leads(locked, j, i)
        }  # fmt: skip
        locked |= {(i, j) for i, j in group if not leads(locked | group, j, i)}
    return {x for x in range(n) if all(j != x for _, j in locked)}


def winners(margins):
    return set(np.flatnonzero(~locked_paths(margins).any(axis=0)).tolist())


def with_clones(margins, inside):
    """Return margins in which the last item is several with these margins between them."""
    n = len(margins) + len(inside) - 1
    of = np.minimum(np.arange(n), len(margins) - 1)
    cloned = margins[np.ix_(of, of)]
    cloned[len(margins) - 1 :, len(margins) - 1 :] = inside
    return cloned


def clones_change_nothing(margins, inside):
    last = len(margins) - 1
    cloned = with_clones(margins, inside)
    return {min(x, last) for x in winners(cloned)} == winners(margins)


def test_clones_change_nothing_under_ranked_pairs() -> None:
    rng = np.random.default_rng(8)
    for _ in range(400):
        n, k, most = rng.integers([2, 2, 1], [6, 5, 5])
        base, inside = (
            matrix(rng.integers(-most, most + 1, size=m * (m - 1) // 2), m) for m in (n, k)
        )
        assert clones_change_nothing(base, inside), (base, inside)
        both = with_clones(base, inside)
        assert winners(both) == locking(both)
        consensus = ra.RankedPairs().aggregate(ra.PairwiseMatrix.from_wins(np.maximum(both, 0)))
        told = ",".join([*map(str, consensus.buckets[0]), *consensus.notes])
        assert set(map(int, re.findall(r"\d+", told))) == locking(both)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("base", "clones", "most"), [(3, 2, 4), (2, 3, 4), (4, 2, 2), (3, 3, 2)]
)  # fmt: skip
def test_no_margins_make_clones_matter(base, clones, most) -> None:
    # Four margins of four sizes are all there is of four items: only their order matters.
    values = range(-most, most + 1)
    pairs = [m * (m - 1) // 2 for m in (base, clones)]
    for outside in product(values, repeat=pairs[0]):
        for inside in product(values, repeat=pairs[1]):
            assert clones_change_nothing(matrix(outside, base), matrix(inside, clones))


@cache
def won(pairs, n):
    found = winners(matrix(pairs, n))
    assert found == locking(matrix(pairs, n))
    return found


@cache
def risers(pairs, n):
    """Return who would lose by rising above whom."""
    found = set()
    for at, (i, j) in enumerate(combinations(range(n), 2)):
        for x, y, step in ((i, j, 2), (j, i, -2)):
            after = (*pairs[:at], pairs[at] + step, *pairs[at + 1 :])
            if x in won(pairs, n) and x not in won(after, n):
                found.add((x, y))
    return found


@pytest.mark.slow
def test_no_three_items_break_monotonicity_under_ranked_pairs() -> None:
    # Three margins and zero, two apart or more, have all orders within 14, before and after.
    for values in (range(-14, 15, 2), range(-15, 16, 2)):
        assert not any(risers(one, 3) for one in product(values, repeat=3))


@pytest.mark.slow
@pytest.mark.parametrize("m", [7, 8, 9])
def test_nine_ballots_are_the_fewest_of_four_items_that_break_monotonicity(m) -> None:
    orders = list(permutations(range(4)))
    votes = np.array(
        [[1 if o.index(i) < o.index(j) else -1 for i, j in combinations(range(4), 2)]
         for o in orders]
    )  # fmt: skip
    next_to = [{(o[k + 1], o[k]) for k in range(3)} for o in orders]
    # Some order is the first one, under some names; fewer ballots with opposite ones are these.
    rest = combinations_with_replacement(range(24), m - 1)
    while chunk := list(islice(rest, 100_000)):
        chosen = np.array(chunk, dtype=np.int64).reshape(len(chunk), m - 1)
        sums = votes[0] + votes[chosen].sum(axis=1)
        _, first, number = np.unique(
            sums @ 20 ** np.arange(6), return_index=True, return_inverse=True
        )
        lost = [risers(tuple(one), 4) for one in sums[first].tolist()]
        for at in np.flatnonzero(np.array(list(map(bool, lost)))[number]).tolist():
            if any(lost[number[at]] & next_to[o] for o in (0, *chunk[at])):
                assert m == 9
                return
    assert m < 9
