"""The chapter on neighbors: why each item stands where it does."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd

from rankagg.analysis.explanation import shortest_cycle
from rankagg.core import listing, said, stated
from rankagg.report.findings import Findings
from rankagg.report.sections import Section, table_of

# Neighbors that the table has.
ROWS = 200


def neighbors(findings: Findings) -> Section:
    """Say of each place why it is not the one before, in what was won and lost."""
    order, items = findings.order, findings.exact.items
    word, wins, ties = findings.kind.duels(findings)
    shared = findings.has_shared_votes
    upper, lower = np.array(list(pairwise(order.tolist()))).T
    against = int((wins[upper, lower] < wins[lower, upper]).sum())
    section = Section("why", "Why place 3 and not 2?" if len(order) > 2 else "Why place 2?")
    frame = pd.DataFrame({"Place": np.arange(2, len(order) + 1)})
    frame[findings.noun.capitalize()] = [str(item) for item in items.at(lower)]
    frame["behind"] = [str(item) for item in items.at(upper)]
    for name, at in (("lost", (upper, lower)), ("won", (lower, upper))):
        frame[f"{word}s {name}"] = wins[at]
    if ties.any():
        frame[f"{word}s tied"] = ties[upper, lower]
    words = [findings.noun.capitalize(), "behind", "although"]
    if findings.has_decisions and findings.ranks is not None:
        frame["decided"] = np.where(findings.ranks.decisions.above[upper, lower], "yes", "no")
        words.append("decided")
    if against:
        frame["although"] = [
            _although(findings, i, j) if wins[i, j] < wins[j, i] else ""
            for i, j in zip(upper.tolist(), lower.tolist(), strict=True)
        ]
        told = stated(against, "neighbors against a majority", ",", "place")
        section.told(said("{} against a majority", told))
    section.text(
        f"Each {findings.noun} beside the one a place before it: the {word}s that it lost to that "
        "one, and those that it won."
        + f" Where one of the two is missing, it is a share of a {word}, by the policy “uniform”."
        * shared
    )
    table = table_of(
        frame,
        "Neighbors in the order of the page",
        formats=dict.fromkeys([f"{word}s lost", f"{word}s won"], ".2f") if shared else None,
        text=words,
        meanings={"decided": f"whether the order of the two is decided at {findings.level}"},
        limit=ROWS,
        what="places",
    )
    return section.table(table)


def _although(findings: Findings, upper: int, lower: int) -> str:
    """Say why one stands behind another although it won more."""
    if not findings.is_exact:
        return findings.kind.against
    cycle = shortest_cycle(findings.graph.beats, upper, lower)
    if not cycle:
        return "the whole order contradicts fewer"
    names = [findings.exact.items[k] for k in (*cycle, cycle[0])]
    return f"majorities run in a circle: {' > '.join(listing([name], 1, 24) for name in names)}"
