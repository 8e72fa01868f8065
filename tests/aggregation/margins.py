"""Margins without ballots, and ranked pairs by graphs: the second program."""

import networkx as nx
import numpy as np

import rankagg as ra


def margins_of(pairs):
    """Return the margins of row over column from those of all pairs i < j."""
    n = next(n for n in range(1, 99) if n * (n - 1) // 2 == len(pairs))
    margins = np.zeros((n, n), dtype=np.int64)
    margins[np.triu_indices(n, k=1)] = pairs
    return margins - margins.T


def votes_of(margins):
    both = np.add.outer(*[3 * np.arange(len(margins))] * 2)
    return ra.PairwiseMatrix.from_wins(np.maximum(margins, 0) + both)


def locking(margins):
    """Lock majorities by their size; of equal ones, those that close a cycle are left out."""
    locked = nx.empty_graph(len(margins), create_using=nx.DiGraph)
    for size in sorted({int(m) for m in margins.flat if m > 0}, reverse=True):
        arcs = np.argwhere(margins == size).tolist()
        group = [(i, j) for i, j in arcs if not nx.has_path(locked, j, i)]
        both = nx.compose(locked, nx.DiGraph(group))
        locked.add_edges_from((i, j) for i, j in group if not nx.has_path(both, j, i))
    return locked
