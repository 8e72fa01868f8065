"""Rows that are half of a sum of 3-cycles: odd closed walks.

Take 3-cycles a -> b -> c -> a, each of which an order uses once at least, and bounds: an arc is
used no less than never, and an arc and its reverse together once. Where such rows count every pair
evenly and demand an odd number in all, half of them, rounded up, is a row too, and it cuts off a
point whose slacks in them sum up to less than 1.

A 3-cycle and the bound of one of its pairs count two pairs oddly. So what counts every pair evenly
is a closed walk in the graph whose nodes are pairs and whose edges are 3-cycles; a bound alone
leads to a node of its own, the ground. A walk whose demands sum up to an odd number ends, in two
copies of the graph between which odd edges change over, in the other copy of the pair where it
began. So lightest ones are shortest paths (Caprara and Fischetti 1996,
https://doi.org/10.1007/BF02592196).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from rankagg._typing import Bools, Floats
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.proofs.rows import Derived
from rankagg.aggregation.kemeny.separation.halves import halves_of

__all__ = ["violated_walks"]

Ints = NDArray[np.intp]

FRACTIONAL = 1e-6
# Of a walk. Half of what is missing to 1 is cut off.
LARGEST_SLACK = 0.98
# Of walks with the same slack, the one with the fewest edges.
STEP = 1e-4
EDGES = 500_000
SOURCES_AT_ONCE = 32

OTHER_WALKS = 2
NO_NODE = -9999  # of SciPy


class Graph(NamedTuple):
    """The pairs that a point leaves open, i < j; node k + 1 after them is the ground.

    `links` are the weights between the nodes and their copies, which follow after all of them.
    """

    first: Ints
    second: Ints
    links: csr_array

    @property
    def n_nodes(self) -> int:
        return len(self.first) + 1


def violated_walks(before: Floats, limit: int, deadline: Deadline) -> list[Derived]:
    """Return rows of odd closed walks that a point violates, at most `limit`, the worst first.

    Parameters
    ----------
    before : ndarray of float, shape (n, n)
        The point: how much row stands before column.
    limit : int
        The search ends at a few more.
    deadline : Deadline
        Raises `OutOfTimeError` where it passes.

    Returns
    -------
    list of Derived
        Each is violated by the point.
    """
    graph = _graph(before)
    found: dict[Derived, float] = {}
    for walks in _closed_walks(graph, deadline):
        found.update(_rows_of(before, walks))
        if len(found) >= limit:
            break
    return sorted(found, key=lambda row: -found[row])[:limit]


def _graph(before: Floats) -> Graph:
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
        # Without the 3-cycle, two bounds do the same at this weight.
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
    return Graph(first, second, _twice(k + 1, *map(np.concatenate, (tails, heads, weights, odd))))


def _edge(before: Floats, a: Ints | int, b: Ints, c: Ints) -> tuple[Floats, Bools]:
    """Return the slack of the better cycle through b, a, c with the bound of the pair of b and c.

    That is b -> a -> c -> b, or the reverse where the second result says so.
    """
    slack = before[b, a] + before[a, c] + 2.0 * before[c, b] - 1.0
    return np.maximum(np.minimum(slack, 2.0 - slack), 0.0), slack > 1.0


def _twice(n: int, tails: Ints, heads: Ints, weights: Floats, odd: Bools) -> csr_array:
    """Return both copies of an undirected graph; odd edges lead to the other copy."""
    over = n * odd
    rows = np.concatenate([tails, tails + n, heads + over, heads + n - over])
    columns = np.concatenate([heads + over, heads + n - over, tails, tails + n])
    places = rows.astype(np.int32), columns.astype(np.int32)  # SciPy's paths know no others
    return csr_array((np.tile(weights + STEP, 4), places), shape=(2 * n, 2 * n))


class Walks(NamedTuple):
    """Edges of walks: the number of the walk, and the pairs at both ends."""

    walk: Ints
    a: Ints
    b: Ints
    c: Ints


def _closed_walks(graph: Graph, deadline: Deadline) -> Iterator[Walks]:
    """Yield the 3-cycles of light odd walks, those through some pairs at a time.

    From each pair that is the lightest walk, and some that are the lightest through another pair.
    """
    n = graph.n_nodes
    rng = np.random.default_rng(0)
    sources = rng.permutation(n - 1)
    for start in range(0, n - 1, SOURCES_AT_ONCE):
        deadline.seconds_left()
        chunk = sources[start : start + SOURCES_AT_ONCE]
        distance, previous = dijkstra(
            graph.links, indices=chunk, limit=LARGEST_SLACK, return_predecessors=True
        )
        at, through = _turns(distance, chunk, rng)
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
            yield _cycles(graph, *map(np.concatenate, zip(*steps, strict=True)))


def _turns(distance: Floats, chunk: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Return places in the chunk and pairs that a light odd walk goes through."""
    n = distance.shape[1] // 2
    slack = distance[:, : n - 1] + distance[:, n : 2 * n - 1]
    at, through = np.nonzero(slack < LARGEST_SLACK)
    order = rng.permutation(len(at))
    at, through = at[order], through[order]
    order = np.argsort(at, kind="stable")
    at, through = at[order], through[order]
    rank = np.arange(len(at)) - np.searchsorted(at, at)
    chosen = (rank < OTHER_WALKS) | (through == chunk[at])
    return at[chosen], through[chosen]


def _cycles(graph: Graph, walk: Ints, here: Ints, there: Ints) -> Walks:
    """Return the items of the edges between pairs; those to the ground have no 3-cycle."""
    inner = (here < len(graph.first)) & (there < len(graph.first))
    here, there = here[inner], there[inner]
    first, second = graph.first, graph.second
    is_first = (first[here] == first[there]) | (first[here] == second[there])
    a = np.where(is_first, first[here], second[here])
    b, c = first[here] + second[here] - a, first[there] + second[there] - a
    return Walks(walk[inner], a, b, c)


def _rows_of(before: Floats, walks: Walks) -> dict[Derived, float]:
    walk, a, b, c = walks
    _, reverse = _edge(before, a, b, c)
    cycles = np.column_stack([np.where(reverse, c, b), a, np.where(reverse, b, c)])
    return halves_of(before, walk, cycles)
