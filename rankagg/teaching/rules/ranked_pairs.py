"""The steps of ranked pairs: what is locked, and what would close which cycle."""

from __future__ import annotations

from itertools import groupby

import networkx as nx
import numpy as np

from rankagg.aggregation.result import Consensus
from rankagg.core.items import ItemSet
from rankagg.teaching.rules.opening import majority_step, rankings_step, scored, votes_step
from rankagg.teaching.step import Cell, Step, number
from rankagg.teaching.worked import Worked

__all__ = ["ranked_pairs_steps"]


def ranked_pairs_steps(consensus: Consensus) -> Worked:
    """Go through the majorities, the clearest first."""
    votes = consensus.pairwise
    items, margins = votes.items, votes.margins
    locked: nx.DiGraph[int] = nx.DiGraph()
    locked.add_nodes_from(range(len(items)))
    rows: list[tuple[Cell, ...]] = []
    arcs = sorted(zip(*np.nonzero(margins > 0), strict=True), key=lambda arc: -margins[arc])
    for margin, group in groupby(arcs, key=lambda arc: margins[arc]):
        rows += _taken_together(locked, [(int(i), int(j)) for i, j in group], margin, items)
    below = {i: len(nx.descendants(locked, i)) for i in locked}
    above = {i: len(nx.ancestors(locked, i)) for i in locked}
    scores = np.array([below[i] - above[i] for i in range(len(items))], dtype=np.float64)
    steps = (
        *rankings_step(consensus._evidence),
        votes_step(votes),
        majority_step(votes),
        Step(
            "Locking",
            (
                "The majorities, the clearest first. One that closes a cycle is left out.",
                "Those of equal margin are taken together: if they close a cycle with each "
                "other, all on it are left out.",
            ),
            ("majority", "margin", "verdict", "cycle"),
            tuple(rows),
        ),
        scored(
            "The score",
            "How many items are reached over what is locked, less how many reach the item.",
            items,
            scores,
        ),
    )
    return Worked(steps, scores)


def _taken_together(
    locked: nx.DiGraph[int], arcs: list[tuple[int, int]], margin: float, items: ItemSet
) -> list[tuple[Cell, ...]]:
    """Lock majorities of equal margin but for those on a cycle, and say which."""
    # One against what is locked already takes no part in cycles with the others.
    against = [(i, j) for i, j in arcs if nx.has_path(locked, j, i)]
    tried = locked.copy()
    tried.add_edges_from(arc for arc in arcs if arc not in against)
    rows: list[tuple[Cell, ...]] = []
    kept = []
    for i, j in arcs:
        graph = locked if (i, j) in against else tried
        name = f"{items[i]} over {items[j]}"
        if nx.has_path(graph, j, i):
            path = [i, *nx.shortest_path(graph, j, i)]
            cycle = " > ".join(str(items[k]) for k in path)
            rows.append((name, number(margin), "left out", cycle))
        else:
            kept.append((i, j))
            rows.append((name, number(margin), "locked", ""))
    locked.add_edges_from(kept)
    return rows
