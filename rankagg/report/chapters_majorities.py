"""What the page says of the majorities: who beats whom, and where they run in circles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from rankagg._typing import Bools, Label
from rankagg.core.items import counted
from rankagg.core.names import amount, listing, named, said, stated
from rankagg.core.votes.pairwise import PairwiseMatrix
from rankagg.report.findings import Findings
from rankagg.report.pairs import pair_map_of
from rankagg.report.sections import Section
from rankagg.report.tables import bullets, table_of

__all__ = ["majorities"]

GROUPS, AGAINST = 20, 10
# Members of a cycle whose majorities are all stated.
STATED, SHORT = 6, 32


def majorities(findings: Findings) -> Section:
    """Say who beats whom, and where there are Condorcet cycles."""
    graph, exact = findings.graph, findings.exact
    section, n = Section("majorities", "Who beats whom"), len(exact.items)
    winner, loser = graph.condorcet_winner, graph.condorcet_loser
    against = graph.feedback_arcs(exact.ranking)
    groups = graph.cyclic_components()
    pairs = n * (n - 1) // 2
    beaten = int(graph.beats.sum())
    what = "majorities against the consensus"
    contradicted = said("{} against the consensus", stated(len(against), what, ",", "majority"))
    section.told(contradicted if len(against) else "no cycles")
    if groups:
        section.text(
            "Condorcet cycles: majorities run in a circle, and no ranking agrees with all of them."
        )
        section.items(bullets([_circle(findings, group) for group in groups], GROUPS))
    else:
        section.text("There is no Condorcet cycle: the exact consensus agrees with all majorities.")
    section.pairs(pair_map_of(findings))
    section.facts(
        [
            ("Condorcet winner", "none" if winner is None else winner),
            ("Condorcet loser", "none" if loser is None else loser),
            ("Smith set", listing(graph.smith_set())),
            ("Pairs with a majority", stated(beaten, "pairs with a majority", ",", of=pairs)),
            ("Pairs without a majority", stated(pairs - beaten, "pairs without a majority", ",")),
            ("Majorities against the consensus", stated(len(against), what, ",")),
        ]
    )
    return _against(section, against) if len(against) else section


def _circle(findings: Findings, group: Sequence[Label]) -> str:
    """Say who is on cycles, and state the shortest one with its votes."""
    items = findings.exact.items
    first = min(items.indices(list(group)))
    cycle = [items[k] for k in _shortest(findings.graph.beats, first)]
    if len(cycle) > STATED:
        return f"{counted(len(group), 'item', ',')}: {listing(group, width=SHORT)}."
    votes = findings.comparison.votes
    steps = [_beats(votes, a, b) for a, b in zip(cycle, [*cycle[1:], cycle[0]], strict=True)]
    stated = f"{', '.join(steps[:-1])}, and {steps[-1]}."
    if len(group) == len(cycle):
        return stated
    names = listing(group, width=SHORT)
    return f"{counted(len(group), 'item', ',')} ({names}); for example {stated}"


def _shortest(beats: Bools, first: int) -> list[int]:
    """Return a shortest cycle through an item that is on one, as positions."""
    before = np.full(len(beats), -1)
    level, back = [first], np.array([], dtype=np.intp)
    while not len(back):
        following: list[int] = []
        for item in level:
            found = np.flatnonzero(beats[item] & (before < 0))
            before[found] = item
            following += found.tolist()
        level = following
        back = np.intersect1d(level, np.flatnonzero(beats[:, first]))
    cycle = [int(back[0])]
    while cycle[-1] != first:
        cycle.append(int(before[cycle[-1]]))
    return cycle[::-1]


def _beats(votes: PairwiseMatrix, winner: Label, loser: Label) -> str:
    i, j = votes.items.indices([winner, loser])
    counts = f"{amount(votes.wins[i, j])} to {amount(votes.wins[j, i])}"
    return f"{named(winner, SHORT)} beats {named(loser, SHORT)} ({counts})"


def _against(section: Section, frame: pd.DataFrame) -> Section:
    """List the majorities that the consensus contradicts, the largest first."""
    ordered = frame.sort_values("margin", ascending=False, kind="stable")
    return section.table(
        table_of(
            ordered[["above", "below", "votes_for", "votes_against"]],
            "Majorities that the consensus goes against, the largest first",
            headings={
                "above": "Majority has above", "below": "below",
                "votes_for": "votes for", "votes_against": "votes against",
            },
            text=["above", "below"],
            limit=AGAINST,
            what="majorities",
        )
    )  # fmt: skip
