"""The steps of ranked pairs: what is locked, and what would close which cycle."""

from __future__ import annotations

from itertools import groupby
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

Arcs: TypeAlias = list[tuple[int, int]]
# Majorities of equal margin, the clearest first.
Groups: TypeAlias = list[tuple[float, Arcs]]
# Of each item, as bits, those that locked majorities lead to.
Locked: TypeAlias = tuple[int, ...]


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
    locked: nx.DiGraph[int], arcs: Arcs, margin: float, items: ItemSet
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
    ways: set[Locked] = {(0,) * len(items)}
    for _, group in groups:
        ways = set().union(*(_orders_of(locked, group) for locked in ways))
        _check_ways(ways)
    majorities = [arc for _, group in groups for arc in group]
    rows = []
    best = [len(items)] * len(items)
    for locked in sorted(ways, key=lambda way: [not _leads(way, *arc) for arc in majorities]):
        above = [sum(_leads(locked, j, i) for j in range(len(items))) for i in range(len(items))]
        best = list(map(min, best, above))
        out = [f"{items[i]} over {items[j]}" for i, j in majorities if not _leads(locked, i, j)]
        wins = [str(item) for item, count in zip(items, above, strict=True) if not count]
        rows.append((", ".join(out) or "nothing", ", ".join(wins)))
    text = [
        "The majorities, the clearest first. One that closes a cycle is left out.",
        "Those of equal margin are taken in every order; "
        f"that leads to {counted(len(rows), 'way')} to lock majorities.",
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


def _orders_of(start: Locked, group: Arcs) -> set[Locked]:
    """Return what can be locked after equal majorities: each is taken in, and then left out."""
    ended: set[Locked] = set()
    ways: list[tuple[Locked, Arcs, Arcs]] = [(start, group, [])]
    while ways:
        locked, rest, out = ways.pop()
        rest = [(i, j) for i, j in rest if not (_leads(locked, i, j) or _leads(locked, j, i))]
        # Out stays only what closes a cycle with others in the end.
        if out:
            most = _with_paths(locked, rest)
            if not all(_leads(most, j, i) for i, j in out):
                continue
        if not rest:
            ended.add(locked)
            _check_ways(ended)
            continue
        ways.append((locked, rest[1:], [*out, rest[0]]))
        ways.append((_with_paths(locked, rest[:1]), rest[1:], out))
    return ended


def _leads(locked: Locked, i: int, j: int) -> bool:
    return bool(locked[i] >> j & 1)


def _with_paths(locked: Locked, arcs: Arcs) -> Locked:
    """Return who leads to whom once there are these majorities too."""
    reach = list(locked)
    for i, j in arcs:
        after = reach[j] | 1 << j
        reach = [row | after if k == i or row >> i & 1 else row for k, row in enumerate(reach)]
    return tuple(reach)


def _check_ways(ways: set[Locked]) -> None:
    if len(ways) > MOST_WAYS:
        raise InvalidInputError(
            "data",
            f"votes with at most {MOST_WAYS:,} ways to take equal majorities, to be worked out in "
            "steps",
            Described("more than that"),
            "`RankedPairs()` takes them together.",
        )
