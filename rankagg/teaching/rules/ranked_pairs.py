"""The steps of ranked pairs: what is locked, and what would close which cycle."""

from __future__ import annotations

from itertools import groupby, product
from typing import TypeAlias

import networkx as nx
import numpy as np

from rankagg.aggregation.ranked_pairs import RankedPairs
from rankagg.aggregation.result import Consensus
from rankagg.core.items import ItemSet, counted
from rankagg.exceptions import Described, InvalidInputError
from rankagg.teaching.rules.opening import (
    by_number,
    majority_step,
    rankings_step,
    scored,
    votes_step,
)
from rankagg.teaching.step import Cell, Step, number
from rankagg.teaching.worked import Worked

__all__ = ["ranked_pairs_steps"]


# More ways than this are counted and not listed, and many more are not followed.
MOST_LISTED = 24
MOST_WAYS = 2_000

# Majorities of equal margin, the clearest first.
Groups: TypeAlias = list[tuple[float, list[tuple[int, int]]]]
# Locked pairs of items, with all that follow from them.
Locked: TypeAlias = frozenset[tuple[int, int]]


def ranked_pairs_steps(consensus: Consensus) -> Worked:
    """Go through the majorities, the clearest first."""
    rule, votes = consensus.aggregator, consensus.pairwise
    assert isinstance(rule, RankedPairs), "the registry says so"
    opening = (*rankings_step(consensus._evidence), votes_step(votes), majority_step(votes))
    margins = votes.margins
    arcs = sorted(zip(*np.nonzero(margins > 0), strict=True), key=lambda arc: -margins[arc])
    groups = [
        (float(margin), [(int(i), int(j)) for i, j in group])
        for margin, group in groupby(arcs, key=lambda arc: margins[arc])
    ]
    work = _together if rule.tie_breaking == "together" else _in_every_order
    return work(opening, groups, votes.items)


def _together(opening: tuple[Step, ...], groups: Groups, items: ItemSet) -> Worked:
    locked: nx.DiGraph[int] = nx.DiGraph()
    locked.add_nodes_from(range(len(items)))
    rows: list[tuple[Cell, ...]] = []
    for margin, group in groups:
        rows += _taken_together(locked, group, margin, items)
    below = {i: len(nx.descendants(locked, i)) for i in locked}
    above = {i: len(nx.ancestors(locked, i)) for i in locked}
    scores = np.array([below[i] - above[i] for i in range(len(items))], dtype=np.float64)
    steps = (
        *opening,
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


def _in_every_order(opening: tuple[Step, ...], groups: Groups, items: ItemSet) -> Worked:
    """Take equal majorities one after the other, in every order."""
    ways: set[Locked] = {frozenset()}
    for _, group in groups:
        ways = set().union(*(_orders_of(locked, group) for locked in ways))
        _check_ways(ways)
    majorities = [arc for _, group in groups for arc in group]
    rows = []
    best = [len(items)] * len(items)
    for locked in sorted(ways, key=lambda way: [arc not in way for arc in majorities]):
        above = [sum((j, i) in locked for j in range(len(items))) for i in range(len(items))]
        best = list(map(min, best, above))
        out = [f"{items[i]} over {items[j]}" for i, j in majorities if (i, j) not in locked]
        wins = [str(item) for item, count in zip(items, above, strict=True) if not count]
        rows.append((", ".join(out) or "nothing", ", ".join(wins)))
    text = [
        "The majorities, the clearest first. One that closes a cycle is left out.",
        "Those of equal margin are taken in every order; "
        f"that leads to {counted(len(rows), 'way')} of leaving some out.",
    ]
    ranked = sorted(range(len(items)), key=lambda item: best[item])
    locking = Step("Locking, every way", (*text, "These are too many to list."))
    if len(rows) <= MOST_LISTED:
        columns = ("left out", "nothing above")
        locking = Step("Locking, every way", tuple(text), columns, tuple(rows))
    steps = (
        *opening,
        locking,
        Step(
            "The best ranks",
            ("An item has the best rank that some way gives it, right after those above it.",),
            ("item", "best rank"),
            tuple((str(items[item]), best[item] + 1) for item in ranked),
        ),
    )
    return Worked(steps, ranking=by_number([-place for place in best], items))


def _orders_of(start: Locked, group: list[tuple[int, int]]) -> set[Locked]:
    """Return what can be locked after equal majorities, each order of them followed."""
    seen, ways, ended = {start}, [start], set()
    while ways:
        locked = ways.pop()
        fresh = [(i, j) for i, j in group if (i, j) not in locked and (j, i) not in locked]
        if not fresh:
            ended.add(locked)
        for i, j in fresh:
            before = [i, *(k for k, end in locked if end == i)]
            after = [j, *(k for start, k in locked if start == j)]
            more = locked | set(product(before, after))
            if more not in seen:
                seen.add(more)
                ways.append(more)
                _check_ways(seen)
    return ended


def _check_ways(ways: set[Locked]) -> None:
    if len(ways) > MOST_WAYS:
        raise InvalidInputError(
            "data", f"with at most {MOST_WAYS} ways to take equal majorities", Described("more"),
            "RankedPairs() takes them together, and fewer items have fewer ways.",
        )  # fmt: skip
