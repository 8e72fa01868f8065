"""Steps of rules of majorities: Copeland, Minimax, Schulze, Black, ranked pairs."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby, pairwise, permutations
from typing import TypeAlias

import networkx as nx
import numpy as np

from rankagg._typing import Floats
from rankagg.aggregation import (
    Borda,
    Consensus,
    Copeland,
    Evidence,
    Minimax,
    PairwiseMajority,
    Schulze,
    rank_by_scores,
)
from rankagg.aggregation.ranked_pairs import RankedPairs
from rankagg.aggregation.voting.nearest_winner import Black
from rankagg.core import ItemSet, PairwiseMatrix, as_ranking, counted
from rankagg.teaching.steps import (
    Cell,
    Step,
    Worked,
    best_ranks,
    by_number,
    full_opening,
    majority_step,
    margins_of,
    number,
    rankings_step,
    scored,
    told,
    too_many_to_show,
    votes_step,
    work_out,
)
from rankagg.teaching.sum_steps import borda_steps

# More ways than this are counted and not listed, and many more are not followed.
MOST_LISTED = 24
MOST_WAYS = 2_000


@work_out.register
def _copeland_steps(rule: Copeland, consensus: Consensus, evidence: Evidence) -> Worked:
    """Count the items that each one beats, and its draws."""
    votes = evidence.votes
    seen = votes.comparisons > 0
    beats = (votes.margins > 0) & seen
    draws = ~beats & ~beats.T & ~np.eye(votes.n_items, dtype=bool)
    won, drawn, lost = beats.sum(axis=1), draws.sum(axis=1), beats.sum(axis=0)
    scores = won + rule.draw_points * drawn
    rows = [
        (str(item), *map(number, (won[i], drawn[i], lost[i], scores[i])))
        for i, item in enumerate(votes.items)
    ]
    text = f"A win is worth 1, a draw {told(rule.draw_points)}, a defeat nothing."
    step = Step("The score", (text,), ("item", "won", "drawn", "lost", "score"), tuple(rows))
    return Worked((*full_opening(evidence), step), scores)


@work_out.register
def _minimax_steps(rule: Minimax, consensus: Consensus, evidence: Evidence) -> Worked:
    """List the defeats of each item, the worst first, and compare the lists."""
    votes = evidence.votes
    defeats = {
        i: sorted((max(0.0, m) for m in votes.margins[:, i]), reverse=True)
        for i in range(votes.n_items)
    }
    order = sorted(defeats, key=lambda i: defeats[i])
    different = sorted({tuple(row) for row in defeats.values()})
    scores = np.array([len(different) - different.index(tuple(defeats[i])) for i in sorted(order)])
    rows = [(str(votes.items[i]), _defeats(defeats[i]), number(scores[i])) for i in order]
    step = Step(
        "The defeats",
        (
            "The margins of an item's defeats, the worst first: the smaller the worst, the better.",
            "Equal ones are told apart by the next worst. The last has a score of 1, the one "
            "above it 2, and so on.",
        ),
        ("item", "defeats", "score"),
        tuple(rows),
    )
    return Worked((*full_opening(evidence), step), scores.astype(np.float64))


@work_out.register
def majority_steps(rule: PairwiseMajority, consensus: Consensus, evidence: Evidence) -> Worked:
    """See whom each item reaches by steps that no majority is against."""
    votes = evidence.votes
    n = votes.n_items
    reached = votes.margins >= 0
    for k in range(n):
        reached = reached | (reached[:, [k]] & reached[[k], :])
    # Of two items one reaches the other; those that reach more are above.
    number_reached = reached.sum(axis=1)
    places = np.array([(number_reached > mine).sum() for mine in number_reached])
    ranking = as_ranking(places.astype(np.int32), votes.items)
    rows = [
        (
            str(item),
            _items_named(votes, (votes.margins[i] > 0)),
            _items_named(votes, reached[i] & (np.arange(n) != i)),
        )
        for i, item in enumerate(votes.items)
    ]
    step = Step(
        "Whom each item reaches",
        (
            "An item reaches those that it beats or draws with, and those that they reach.",
            "The more it reaches, the higher it stands; items that reach each other are tied.",
            _winner_sentence(votes),
        ),
        ("item", "beats", "reaches"),
        tuple(rows),
    )
    return Worked((*full_opening(evidence), step), ranking=ranking)


def _winner_sentence(votes: PairwiseMatrix) -> str:
    """Say who beats all others, or that nobody does."""
    n = votes.n_items
    winners = votes.items.where((votes.margins > 0).sum(axis=1) == n - 1)
    if n > 1 and winners:
        return f"{winners[0]} beats all others: it is the Condorcet winner."
    return "No item beats all others: there is no Condorcet winner."


def _items_named(votes: PairwiseMatrix, chosen: object) -> str:
    names = votes.items.where(np.asarray(chosen))
    return ", ".join(map(str, names)) or "none"


def _defeats(margins: list[float]) -> str:
    return ", ".join(told(margin) for margin in margins if margin) or "none"


@work_out.register
def _schulze_steps(rule: Schulze, consensus: Consensus, evidence: Evidence) -> Worked:
    """Find a strongest path for each pair, either way, and compare the two."""
    votes = evidence.votes
    items, margins = votes.items, votes.margins
    n = len(items)
    strength = np.zeros((n, n))
    rows: list[tuple[Cell, ...]] = []
    for i, j in permutations(range(n), 2):
        path = _strongest_path(margins, i, j)
        strength[i, j] = min((margins[arc] for arc in pairwise(path)), default=0)
        rows.append((f"{items[i]} to {items[j]}", _path_told(path, margins, items), strength[i, j]))
    beats = strength > strength.T
    scores = (beats.sum(axis=1) - beats.sum(axis=0)).astype(np.float64)
    table = [
        (str(item), *("" if i == j else number(strength[i, j]) for j in range(n)))
        for i, item in enumerate(items)
    ]
    undefeated = ", ".join(map(str, items.where(~beats.any(axis=0))))
    steps = (
        *rankings_step(evidence),
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
        scored("The score", "How many items it beats, less how many beat it.", items, scores),
    )
    return Worked(steps, scores)


def _strongest_path(margins: Floats, start: int, end: int) -> list[int]:
    """Return a shortest one of the strongest paths; empty where there is none."""
    for least in sorted({float(m) for m in margins[margins > 0]}, reverse=True):
        graph: nx.DiGraph[int] = nx.DiGraph(list(zip(*np.nonzero(margins >= least), strict=True)))
        if start in graph and end in graph and nx.has_path(graph, start, end):
            return [int(k) for k in nx.shortest_path(graph, start, end)]
    return []


def _path_told(path: list[int], margins: Floats, items: ItemSet) -> str:
    if not path:
        return "none"
    steps = [f"({told(margins[i, j])}) {items[j]}" for i, j in pairwise(path)]
    return " ".join([str(items[path[0]]), *steps])


@work_out.register
def _black_steps(rule: Black, consensus: Consensus, evidence: Evidence) -> Worked:
    """Look for an item that beats all others, and order the rest by points."""
    votes, points = evidence.votes, borda_steps(Borda(), consensus, evidence)
    assert points.scores is not None, "Borda has them"
    items, margins = votes.items, margins_of(votes)
    n = len(items)
    ranking, _ = rank_by_scores(points.scores, items)
    winners = [i for i in range(n) if all(margins[i][j] > 0 for j in range(n) if j != i)]
    majorities = majority_step(votes)
    text = (*majorities.sentences, _winner_sentence(votes))
    majorities = replace(majorities, sentences=text)
    places = ranking.ranks.tolist()
    said = "All items stand by their points."
    if winners:
        (winner,) = winners
        said = f"{items[winner]} stands first, and all others by their points."
        places[winner] = -1
    first = () if points.steps[0].heading == votes_step(votes).heading else (votes_step(votes),)
    steps = (*points.steps[:1], *first, majorities, *points.steps[1:], Step("The order", (said,)))
    return Worked(steps, ranking=by_number([-place for place in places], items))


Arcs: TypeAlias = list[tuple[int, int]]
# Majorities of equal margin, the clearest first.
Groups: TypeAlias = list[tuple[float, Arcs]]
# Of each item, as bits, those that locked majorities lead to.
Locked: TypeAlias = tuple[int, ...]


@work_out.register
def _ranked_pairs_steps(rule: RankedPairs, consensus: Consensus, evidence: Evidence) -> Worked:
    """Go through the majorities, the clearest first."""
    votes = evidence.votes
    margins = votes.margins
    arcs = sorted(zip(*np.nonzero(margins > 0), strict=True), key=lambda arc: -margins[arc])
    groups = [
        (float(margin), [(int(i), int(j)) for i, j in group])
        for margin, group in groupby(arcs, key=lambda arc: margins[arc])
    ]
    work = _equal_together if rule.tie_breaking == "together" else _in_every_order
    return work(full_opening(evidence), groups, votes.items)


def _equal_together(opening: tuple[Step, ...], groups: Groups, items: ItemSet) -> Worked:
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
    ways = {(0,) * len(items)}
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
    locking = Step("Locking, every way", (*text, "These are too many to list."))
    if len(rows) <= MOST_LISTED:
        columns = ("left out", "nothing above")
        locking = Step("Locking, every way", tuple(text), columns, tuple(rows))
    said = "An item has the best rank that some way gives it, right after those above it."
    steps = *opening, locking, best_ranks(best, items, said)
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
            most = _locked_with(locked, rest)
            if not all(_leads(most, j, i) for i, j in out):
                continue
        if not rest:
            ended.add(locked)
            _check_ways(ended)
            continue
        ways.append((locked, rest[1:], [*out, rest[0]]))
        ways.append((_locked_with(locked, rest[:1]), rest[1:], out))
    return ended


def _leads(locked: Locked, i: int, j: int) -> bool:
    return bool(locked[i] >> j & 1)


def _locked_with(locked: Locked, arcs: Arcs) -> Locked:
    """Return who leads to whom once there are these majorities too."""
    reach = list(locked)
    for i, j in arcs:
        after = reach[j] | 1 << j
        reach = [row | after if k == i or row >> i & 1 else row for k, row in enumerate(reach)]
    return tuple(reach)


def _check_ways(ways: set[Locked]) -> None:
    if len(ways) > MOST_WAYS:
        what = f"votes with at most {MOST_WAYS:,} ways to take equal majorities"
        raise too_many_to_show(what, "more than that", "`RankedPairs()` takes them together.")
