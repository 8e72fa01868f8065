"""The steps of Schulze's rule: strongest paths, and one for each pair."""

from __future__ import annotations

from itertools import pairwise, permutations

import networkx as nx
import numpy as np

from rankagg._typing import Floats
from rankagg.aggregation.result import Consensus
from rankagg.core.items import ItemSet
from rankagg.teaching.rules.opening import majority_step, rankings_step, scored, votes_step
from rankagg.teaching.step import Cell, Step, number, told
from rankagg.teaching.worked import Worked

__all__ = ["schulze_steps"]


def schulze_steps(consensus: Consensus) -> Worked:
    """Find a strongest path for each pair, either way, and compare the two."""
    votes = consensus.pairwise
    items, margins = votes.items, votes.margins
    n = len(items)
    strength = np.zeros((n, n))
    rows: list[tuple[Cell, ...]] = []
    for i, j in permutations(range(n), 2):
        path = _strongest_path(margins, i, j)
        strength[i, j] = min((margins[arc] for arc in pairwise(path)), default=0)
        rows.append((f"{items[i]} to {items[j]}", _told(path, margins, items), strength[i, j]))
    beats = strength > strength.T
    scores = (beats.sum(axis=1) - beats.sum(axis=0)).astype(np.float64)
    table = [
        (str(item), *("" if i == j else number(strength[i, j]) for j in range(n)))
        for i, item in enumerate(items)
    ]
    undefeated = ", ".join(map(str, items.where(~beats.any(axis=0))))
    steps = (
        *rankings_step(consensus._evidence),
        votes_step(votes),
        majority_step(votes),
        Step(
            "A strongest path for each pair",
            (
                "A path leads over majorities, and is as strong as its weakest one.",
                "The margin of each step stands in parentheses.",
            ),
            ("pair", "path", "strength"),
            tuple((pair, path, number(size)) for pair, path, size in rows),
        ),
        Step(
            "The strengths",
            (
                "An item beats another where its path to it is stronger than the path back.",
                f"Beaten by nobody: {undefeated}.",
            ),
            ("from", *items),
            tuple(table),
        ),
        scored(
            "The score", "How many items it beats, less how many beat it.", items, scores
        ),
    )  # fmt: skip
    return Worked(steps, scores)


def _strongest_path(margins: Floats, start: int, end: int) -> list[int]:
    """Return a shortest one of the strongest paths; empty where there is none."""
    for least in sorted({float(m) for m in margins[margins > 0]}, reverse=True):
        graph: nx.DiGraph[int] = nx.DiGraph(list(zip(*np.nonzero(margins >= least), strict=True)))
        if start in graph and end in graph and nx.has_path(graph, start, end):
            return [int(k) for k in nx.shortest_path(graph, start, end)]
    return []


def _told(path: list[int], margins: Floats, items: ItemSet) -> str:
    if not path:
        return "none"
    steps = [f"({told(margins[i, j])}) {items[j]}" for i, j in pairwise(path)]
    return " ".join([str(items[path[0]]), *steps])
