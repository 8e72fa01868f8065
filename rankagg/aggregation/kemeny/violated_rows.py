"""Rows violated by fractional points: 3-cycles, 3-fences, Möbius ladders, closed walks.

In a 3-fence any two of its arcs u -> v lie on a cycle u -> v -> u' -> v' -> u. Half of the sum of
these three cycles counts nine arcs once, and an order uses at least two of them (Grötschel, Jünger
and Reinelt 1985, "Facets of the linear ordering polytope", Mathematical Programming 33, 43-60).

In a Möbius ladder the 3-cycles a -> b -> c -> a, a -> b -> e -> a, a -> d -> c -> a and a -> d -> f
-> a and the cycle b -> e -> d -> f -> b form a ring in which each shares one arc with the next.
Half of their sum counts eleven arcs once; an order uses at least three of them. These rows, and
those with all arcs reversed, are facets (Reinelt 1985, "The linear ordering problem: algorithms
and applications"). Given a, b, d, the other three are chosen independently, so the search is fast.
At a point that violates no cycle, a row is violated only if the pairs a, b and a, d are open.

Halves of sums of 3-cycles correspond to odd closed walks. Take 3-cycles, whose arcs sum to at least
1, and bounds: an arc is at least 0, and an arc and its reverse sum to 1. If a sum of such rows has
even coefficients for every pair and an odd right side, half of it, rounded up, is a valid row. It
cuts off a point whose slacks in them sum to less than 1. A 3-cycle and the bound of one of its
pairs have odd coefficients for two pairs. So a sum with even coefficients is a closed walk in the
graph whose nodes are pairs and whose edges are 3-cycles; a bound alone leads to a separate node,
the ground. Take two copies of the graph, and let odd edges lead to the other copy. A walk with an
odd right side then ends in the other copy of its first pair. So lightest walks are shortest paths
(Caprara and Fischetti 1996, https://doi.org/10.1007/BF02592196).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy

from rankagg._typing import Bools, Floats, Generator, Positions
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.proof import least_first
from rankagg.aggregation.kemeny.relaxation import Cycles
from rankagg.check_certificate import Derived

CYCLE_VIOLATION = 1e-6

# Weight of a margin relative to a violation, and of a pair without one relative to a margin.
PREFERENCE, NO_MARGIN = 1e-2, 1e-3
ROWS_PER_ARC = 4
FRACTIONAL = 1e-6
LEAST_VIOLATION = 0.01
STARTS_AT_ONCE = 200
# Time and memory grow with the squares of these.
ARCS, STARTS = 2000, 2000
# Most rows per round and family. Ladders come first, as they cost least time.
LADDERS, WALKS, FENCES, FEW_LADDERS = 400, 400, 100, 100
# Number of best items tried for each of c, e, f, which must differ.
TRIED_ITEMS = 3
# Largest slack of a walk, whose row is violated by half of the slack's difference from 1.
LARGEST_SLACK = 0.98
# Weight added per edge, so that among walks of equal slack the shortest is found.
LEAST_STEP = 1e-4
EDGES = 500_000
SOURCES_AT_ONCE = 32
OTHER_WALKS = 2
NO_NODE = -9999  # of SciPy


def violated_cycles(before: Floats, margins: Floats, deadline: Deadline) -> Cycles:
    """Return cycles that a point violates, the best first, as many as a round adds.

    An order uses at most two arcs of the reverse a -> b -> c -> a. For every arc of it the third
    item gives the largest violation; large margins break ties, because a row raises the bound by at
    most its least margin. Rows that share an arc add little to each other, so each arc is in a few
    rows only.
    """
    n = len(before)
    weights = np.abs(margins)
    weights /= max(float(weights.max(initial=0.0)), 1.0)
    cycles, over = _worst_of_arcs(before, before + PREFERENCE * weights, deadline)
    turned = least_first(cycles)
    _, unique = np.unique(turned @ np.array([n * n, n, 1]), return_index=True)
    turned, over = turned[unique], over[unique]
    arcs = [(turned[:, k], turned[:, (k + 1) % 3]) for k in range(3)]
    least = np.minimum.reduce([weights[arc] for arc in arcs])
    turned = turned[np.argsort(-over * (least + NO_MARGIN), kind="stable")]
    keys = turned * n + np.roll(turned, -1, axis=1)
    rows = turned[(_times_before(keys.ravel()).reshape(-1, 3) < ROWS_PER_ARC).all(axis=1)]
    return rows[: 40 * n][:, [0, 2, 1]]


def _worst_of_arcs(before: Floats, preferred: Floats, deadline: Deadline) -> tuple[Cycles, Floats]:
    """Return the worst violated cycle of each arc, reversed, and the violation."""
    n = len(before)
    found, excess = [], []
    # [a, b, c]: the arcs b -> c and c -> a, for a block of a.
    block = max(2**17 // n**2, 1)  # fits in the cache
    for start in range(0, n, block):
        deadline.seconds_left()
        firsts = np.arange(start, min(start + block, n))
        used = preferred[None, :, :] + preferred.T[firsts, None, :]
        used[:, np.arange(n), np.arange(n)] = -np.inf
        used[np.arange(len(firsts)), :, firsts] = -np.inf
        third = np.argmax(used, axis=2)
        over = before[firsts] + before[np.arange(n), third] - 2.0
        over += np.take_along_axis(before.T[firsts], third, axis=1)
        over[third == firsts[:, None]] = -1.0
        over[third == np.arange(n)] = -1.0
        over[np.arange(len(firsts)), firsts] = -1.0
        first, second = np.nonzero(over > CYCLE_VIOLATION)
        found.append(np.column_stack([firsts[first], second, third[first, second]]))
        excess.append(over[first, second])
    return np.concatenate(found), np.concatenate(excess)


def _times_before(keys: Positions) -> Positions:
    """Return how often each key occurs before."""
    order = np.argsort(keys, kind="stable")
    sorted_keys = keys[order]
    starts = np.flatnonzero(np.r_[True, sorted_keys[1:] != sorted_keys[:-1]])
    lengths = np.diff(np.r_[starts, len(keys)])
    times = np.empty_like(order)
    times[order] = np.arange(len(keys)) - np.repeat(starts, lengths)
    return times


def violated_halves(before: Floats, deadline: Deadline) -> list[Derived]:
    """Return violated halves of sums of cycles, as many as a round adds."""
    rows = _violated_ladders(before, LADDERS, deadline)
    if len(rows) < FEW_LADDERS:
        rows += _violated_walks(before, WALKS, deadline)
        rows += _violated_fences(before, FENCES, deadline)
    return rows


def _violated_fences(before: Floats, limit: int, deadline: Deadline) -> list[Derived]:
    """Return rows of 3-fences that a point violates, at most `limit`, the worst first."""
    starts, ends = np.nonzero(np.minimum(before, before.T) > FRACTIONAL)
    if len(starts) > ARCS:
        chosen = np.random.default_rng(0).permutation(len(starts))[:ARCS]
        starts, ends = starts[chosen], ends[chosen]
    # The violation of a fence is half the difference between 1 and the weights of its three pairs.
    own = before[starts, ends]
    back = before[np.ix_(ends, starts)]
    weights = own[:, None] + own + 2.0 * (back + back.T) - 1.0
    touch = (starts[:, None] == starts) | (ends[:, None] == ends)
    touch |= (starts[:, None] == ends) | (ends[:, None] == starts)
    weights[touch] = np.inf
    # The lightest of three is below a third.
    one, two = np.nonzero(np.triu(weights < (1.0 - 2.0 * LEAST_VIOLATION) / 3.0, 1))
    light = np.argsort(weights[one, two], kind="stable")[:STARTS]
    one, two = one[light], two[light]
    found: dict[tuple[int, ...], float] = {}
    for at in range(0, len(one), STARTS_AT_ONCE):
        deadline.seconds_left()
        p, q = one[at : at + STARTS_AT_ONCE], two[at : at + STARTS_AT_ONCE]
        both = weights[p] + weights[q]
        r = np.argmin(both, axis=1)
        missing = (1.0 - weights[p, q] - both[np.arange(len(p)), r]) / 2.0
        for k in np.flatnonzero(missing > LEAST_VIOLATION).tolist():
            found[tuple(sorted((int(p[k]), int(q[k]), int(r[k]))))] = float(missing[k])
    worst = sorted(found, key=lambda arcs: -found[arcs])[:limit]
    return [_fence_row([(int(starts[k]), int(ends[k])) for k in arcs]) for arcs in worst]


def _fence_row(arcs: list[tuple[int, int]]) -> Derived:
    p, q, r = arcs
    return Derived(tuple((1, (*one, *two)) for one, two in ((p, q), (q, r), (r, p))), 2)


def _violated_ladders(before: Floats, limit: int, deadline: Deadline) -> list[Derived]:
    """Return rows of ladders that a point violates, at most `limit`, the worst first."""
    if len(before) < 6:
        return []
    found, short, turns = [], [], []
    for turn, arcs in ((False, before), (True, before.T)):
        for a in range(len(arcs)):
            deadline.seconds_left()
            items, missing = _ladders_around(np.ascontiguousarray(arcs), a)
            found.append(items)
            short.append(missing)
            turns.append(np.full(len(items), turn))
    missing = np.concatenate(short)
    worst = np.argsort(-missing, kind="stable")[:limit]
    ladders, is_turned = np.concatenate(found)[worst], np.concatenate(turns)[worst]
    return [
        _ladder_row(ladder, turned=turned)
        for ladder, turned in zip(ladders.tolist(), is_turned.tolist(), strict=True)
    ]


def _ladders_around(arcs: Floats, a: int) -> tuple[Positions, Floats]:
    """Return violated ladders around an item, as a to f, and their violations."""
    near = np.flatnonzero(np.minimum(arcs[a], arcs[:, a]) > FRACTIONAL)
    # Without violated cycles, no row with c, e or f entirely before a is violated.
    some = np.flatnonzero(arcs[:, a] < 1.0 - FRACTIONAL)
    some = some[some != a]
    if len(some) < 5:
        return np.empty((0, 6), dtype=np.intp), np.empty(0)
    first, second = np.triu_indices(len(near), 1)  # swapping b, e with d, f gives the same ladder
    b, d = near[first], near[second]
    ahead, behind = arcs[np.ix_(near, some)], arcs[np.ix_(some, near)].T
    behind += arcs[some, a]
    others = np.stack([
        (ahead + arcs[some, a])[first] + ahead[second],  # c: b -> c, c -> a, d -> c
        ahead[first] + behind[second],  # e: b -> e, e -> a, e -> d
        ahead[second] + behind[first],  # f: d -> f, f -> a, f -> b
    ])  # fmt: skip
    rows = np.arange(len(b))
    others[:, rows, np.searchsorted(some, b)] = others[:, rows, np.searchsorted(some, d)] = np.inf
    missing = 3.0 - arcs[a, b] - arcs[a, d] - others.min(axis=2).sum(axis=0)
    short = np.flatnonzero(missing > LEAST_VIOLATION)
    b, d, others = b[short], d[short], others[:, short]
    best = np.argpartition(others, TRIED_ITEMS - 1, axis=2)[:, :, :TRIED_ITEMS]
    prices = np.take_along_axis(others, best, axis=2)
    c, e, f = best[0][:, :, None, None], best[1][:, None, :, None], best[2][:, None, None, :]
    sums = prices[0][:, :, None, None] + prices[1][:, None, :, None] + prices[2][:, None, None, :]
    sums = np.where((c == e) | (c == f) | (e == f), np.inf, sums).reshape(-1, TRIED_ITEMS**3)
    chosen = np.argmin(sums, axis=1)
    rows = np.arange(len(b))
    missing = 3.0 - arcs[a, b] - arcs[a, d] - sums[rows, chosen]
    at = np.unravel_index(chosen, (TRIED_ITEMS,) * 3)
    third, fifth, sixth = (some[best[which][rows, place]] for which, place in enumerate(at))
    items = np.column_stack([np.full(len(b), a), b, third, d, fifth, sixth])
    keep = missing > LEAST_VIOLATION
    return items[keep], missing[keep]


def _ladder_row(items: list[int], *, turned: bool) -> Derived:
    a, b, c, d, e, f = items
    cycles = [(a, b, c), (a, b, e), (a, d, c), (a, d, f), (b, e, d, f)]
    terms = [(1, cycle[::-1] if turned else cycle) for cycle in cycles]
    return Derived(tuple(terms), 2)


def _halves_of(before: Floats, group: Positions, cycles: Positions) -> dict[Derived, float]:
    """Return half of the sum of the 3-cycles of each group, if a point violates it.

    For a pair with an odd coefficient, its arc is rounded up, or the reverse is added first: the
    choice that the point violates more. Two copies of a 3-cycle in a group cancel.
    """
    n = len(before)
    group, cycles = _once(n, group, cycles)
    if not len(group):
        return {}
    tails, heads = cycles.ravel(), np.roll(cycles, -1, axis=1).ravel()
    pairs = np.minimum(tails, heads) * n + np.maximum(tails, heads)
    keys, inverse = np.unique(np.repeat(group, 3) * n**2 + pairs, return_inverse=True)
    signs = np.where(tails < heads, 1.0, -1.0)
    owner, (low, high) = keys // n**2, np.divmod(keys % n**2, n)
    # In terms of the pairs i < j: the sum of `counts` times `before` is at least `least`.
    counts = np.bincount(inverse, signs).astype(np.intp)
    size = int(group[-1]) + 1
    demanded = np.bincount(group, minlength=size) - np.bincount(
        np.repeat(group, 3), signs < 0, size
    )
    x = before[low, high]
    is_odd = counts % 2 == 1
    # Bounds: x >= 0, or -x >= -1, which lowers the right side by one.
    at_one = is_odd & (x > 0.5)
    least = demanded - np.bincount(owner, at_one, size)
    slack = np.bincount(owner, counts * x + np.where(is_odd, np.minimum(x, 1.0 - x), 0.0), size)
    slack -= demanded
    # The right side must be odd: otherwise take the other bound of one pair.
    price = np.where(is_odd, np.abs(2.0 * x - 1.0), np.inf)
    cheapest = np.lexsort((price, owner))[np.flatnonzero(np.diff(owner, prepend=-1))]
    cheapest = cheapest[least[owner[cheapest]] % 2 == 0]
    slack[owner[cheapest]] += price[cheapest]
    at_one[cheapest] ^= True
    violation = (1.0 - slack) / 2.0
    added = is_odd & (at_one == (counts > 0))
    rows: dict[Derived, float] = {}
    pair_starts = np.searchsorted(owner, np.arange(size + 1))
    cycle_starts = np.searchsorted(group, np.arange(size + 1))
    for at in np.flatnonzero(violation >= LEAST_VIOLATION).tolist():
        if cycle_starts[at] == cycle_starts[at + 1]:
            continue
        terms: list[tuple[int, Any]] = [
            (1, (a, b, c)) for a, b, c in cycles[cycle_starts[at] : cycle_starts[at + 1]].tolist()
        ]
        for k in range(pair_starts[at], pair_starts[at + 1]):
            if added[k]:
                arc = (int(low[k]), int(high[k]))
                terms.append((1, arc[::-1] if counts[k] > 0 else arc))
        rows[Derived(tuple(terms), 2)] = float(violation[at])
    return rows


def _once(n: int, group: Positions, cycles: Positions) -> tuple[Positions, Positions]:
    """Return the cycles with an odd number of copies in a group, once each, sorted."""
    numbers = group * n**3 + least_first(cycles) @ np.array([n * n, n, 1])
    unique, times = np.unique(numbers, return_counts=True)
    group, rest = np.divmod(unique[times % 2 == 1], n**3)
    a, rest = np.divmod(rest, n * n)
    return group, np.column_stack([a, *np.divmod(rest, n)])


class _Graph(NamedTuple):
    """The pairs i < j that a point leaves open, and after them the ground.

    `links` are the weights between the nodes and their copies, which come after all nodes.
    """

    first: Positions
    second: Positions
    links: scipy.sparse.csr_array

    @property
    def n_nodes(self) -> int:
        """The number of nodes, including the ground."""
        return len(self.first) + 1


def _violated_walks(before: Floats, limit: int, deadline: Deadline) -> list[Derived]:
    """Return rows of odd closed walks that a point violates, at most `limit`, the worst first."""
    found: dict[Derived, float] = {}
    for walks in _closed_walks(_graph(before), deadline):
        found.update(_halved_walks(before, walks))
        if len(found) >= limit:
            break
    return sorted(found, key=lambda row: -found[row])[:limit]


def _graph(before: Floats) -> _Graph:
    n = len(before)
    is_open = np.minimum(before, before.T) > FRACTIONAL
    first, second = np.nonzero(np.triu(is_open))
    k = len(first)
    number = np.zeros((n, n), dtype=np.intp)
    number[first, second] = number[second, first] = np.arange(k)
    tails, heads, weights, odd = [], [], [], []
    for a in range(n):
        others = np.flatnonzero(is_open[a])
        low, high = np.triu_indices(len(others), 1)
        b, c = others[low], others[high]
        weight, _ = _edge(before, a, b, c)
        # Two bounds give the same at this weight without the 3-cycle.
        bounds = 1.0 - np.abs(before[b, a] - before[a, c])
        light = np.flatnonzero(weight < np.minimum(LARGEST_SLACK, bounds - FRACTIONAL))
        if len(light) > EDGES // n:
            light = light[np.argpartition(weight[light], EDGES // n)[: EDGES // n]]
        b, c = b[light], c[light]
        tails.append(number[a, b])
        heads.append(number[a, c])
        weights.append(weight[light])
        odd.append((b < a) & (a < c))
    x = before[first, second]
    ground = np.full(k, k)
    for weight, is_odd in ((x, False), (1.0 - x, True)):
        tails.append(np.arange(k))
        heads.append(ground)
        weights.append(weight)
        odd.append(np.full(k, is_odd))
    return _Graph(first, second, _twice(k + 1, *map(np.concatenate, (tails, heads, weights, odd))))


def _edge(before: Floats, a: Positions | int, b: Positions, c: Positions) -> tuple[Floats, Bools]:
    """Return the slack of the better cycle through b, a, c with the bound of the pair b, c.

    The cycle is b -> a -> c -> b, or its reverse if the second result is true.
    """
    slack = before[b, a] + before[a, c] + 2.0 * before[c, b] - 1.0
    return np.maximum(np.minimum(slack, 2.0 - slack), 0.0), slack > 1.0


def _twice(
    n: int, tails: Positions, heads: Positions, weights: Floats, odd: Bools
) -> scipy.sparse.csr_array:
    """Return both copies of an undirected graph; odd edges lead to the other copy."""
    over = n * odd
    rows = np.concatenate([tails, tails + n, heads + over, heads + n - over])
    columns = np.concatenate([heads + over, heads + n - over, tails, tails + n])
    places = rows.astype(np.int32), columns.astype(np.int32)  # SciPy's paths need int32
    return scipy.sparse.csr_array((np.tile(weights + LEAST_STEP, 4), places), shape=(2 * n, 2 * n))


class _Walks(NamedTuple):
    """Edges of walks: the number of the walk, and the pairs at both ends."""

    walk: Positions
    a: Positions
    b: Positions
    c: Positions


def _closed_walks(graph: _Graph, deadline: Deadline) -> Iterator[_Walks]:
    """Yield the 3-cycles of light odd walks, for a block of pairs at a time.

    For each pair, these are the lightest walk through it and some lightest ones through a second
    pair.
    """
    n = graph.n_nodes
    rng = np.random.default_rng(0)
    sources = rng.permutation(n - 1)
    for start in range(0, n - 1, SOURCES_AT_ONCE):
        deadline.seconds_left()
        chunk = sources[start : start + SOURCES_AT_ONCE]
        distance, previous = scipy.sparse.csgraph.dijkstra(
            graph.links, indices=chunk, limit=LARGEST_SLACK, return_predecessors=True
        )
        at, through = _turning_points(distance, chunk, rng)
        walk = np.arange(len(at))
        # Back to the source from both copies of the pair.
        walk, at = np.tile(walk, 2), np.tile(at, 2)
        node = np.concatenate([through, through + n])
        steps = []
        while True:
            parent = previous[at, node].astype(np.intp)
            going = parent != NO_NODE
            walk, at, node, parent = walk[going], at[going], node[going], parent[going]
            if not len(walk):
                break
            steps.append((walk, node % n, parent % n))
            node = parent
        if steps:
            yield _cycles_of_edges(graph, *map(np.concatenate, zip(*steps, strict=True)))


def _turning_points(
    distance: Floats, chunk: Positions, rng: Generator
) -> tuple[Positions, Positions]:
    """Return places in the chunk and the second pairs of light odd walks."""
    n = distance.shape[1] // 2
    at, through = np.nonzero(distance[:, : n - 1] + distance[:, n : 2 * n - 1] < LARGEST_SLACK)
    order = rng.permutation(len(at))
    at, through = at[order], through[order]
    order = np.argsort(at, kind="stable")
    at, through = at[order], through[order]
    rank = np.arange(len(at)) - np.searchsorted(at, at)
    chosen = (rank < OTHER_WALKS) | (through == chunk[at])
    return at[chosen], through[chosen]


def _cycles_of_edges(graph: _Graph, walk: Positions, here: Positions, there: Positions) -> _Walks:
    """Return the items of the edges between pairs; edges to the ground have no 3-cycle."""
    inner = (here < len(graph.first)) & (there < len(graph.first))
    here, there = here[inner], there[inner]
    first, second = graph.first, graph.second
    is_first = (first[here] == first[there]) | (first[here] == second[there])
    a = np.where(is_first, first[here], second[here])
    b, c = first[here] + second[here] - a, first[there] + second[there] - a
    return _Walks(walk[inner], a, b, c)


def _halved_walks(before: Floats, walks: _Walks) -> dict[Derived, float]:
    walk, a, b, c = walks
    _, reverse = _edge(before, a, b, c)
    cycles = np.column_stack([np.where(reverse, c, b), a, np.where(reverse, b, c)])
    return _halves_of(before, walk, cycles)
