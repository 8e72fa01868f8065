"""Maps of the page: who beats whom around one half, and where items are missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from rankagg._typing import Label
from rankagg.analysis.missing import MissingReport
from rankagg.core.items import counted
from rankagg.report.findings import Findings
from rankagg.report.first_screen import compared_shares

__all__ = ["Cell", "PairMap", "PairRow", "gaps_of", "pair_map_of"]

# Items that are drawn, and how many leave room for numbers.
SHOWN, NUMBERED = 40, 14
# Steps of color on either side of one half.
STEPS = 8


@dataclass(frozen=True)
class Cell:
    """Two items: the step of color (empty: nothing to show), the share, whether it is decided."""

    step: str
    text: str
    is_decided: bool = False


@dataclass(frozen=True)
class PairRow:
    """An item against all others."""

    place: int
    name: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class PairMap:
    """The map, in the order of the consensus."""

    rows: tuple[PairRow, ...]
    # Whether numbers are seen; otherwise they are there for copying and reading aloud.
    is_numbered: bool
    # What it shows, and how to read it.
    alternative: str
    caption: str


def pair_map_of(findings: Findings) -> PairMap:
    """Return the map of the first items."""
    exact, votes = findings.exact, findings.comparison.votes
    n = len(exact.items)
    order = np.argsort(exact.ranking.ranks, kind="stable")[:SHOWN]
    shares = compared_shares(votes)[np.ix_(order, order)]
    above = np.zeros(shares.shape, dtype=bool)
    if findings.ranks is not None:
        above = findings.ranks.decisions.above[np.ix_(order, order)]
    rows = tuple(
        PairRow(place + 1, str(exact.items[int(i)]), tuple(_cells(place, shares, above)))
        for place, i in enumerate(order.tolist())
    )
    which = f"The first {SHOWN} of {counted(n, 'item')}. " if n > SHOWN else ""
    decided = ""
    if above.any():
        by = "" if findings.ranks is None else f" at {findings.level}"
        decided = f" Outlined: pairs whose order is decided{by}."
    upper = np.triu(np.ones(shares.shape, dtype=bool), 1)
    never = " Empty: never compared." if np.isnan(shares[upper]).any() else ""
    against = int((shares[upper] < 0.5).sum())
    found = (
        f"{counted(against, 'pair')} above the diagonal with fewer than half: there the consensus "
        "goes against a majority."
        if against else "Above the diagonal nobody has fewer than half."
    )  # fmt: skip
    return PairMap(
        rows=rows,
        is_numbered=len(order) <= NUMBERED,
        alternative=f"{which}Share of votes for the row against the column. {found}",
        caption=f"{which}Share of votes, in per cent, with the row above the column, in the order "
        f"of the consensus. {found}{decided}{never}",
    )  # fmt: skip


def _cells(row: int, shares: np.ndarray, above: np.ndarray) -> list[Cell]:
    cells = []
    for column, share in enumerate(shares[row].tolist()):
        if column == row:
            cells.append(Cell("self", ""))
        elif np.isnan(share):
            cells.append(Cell("", ""))
        else:
            step = round(2 * STEPS * share) - STEPS
            # Nothing that is won or lost looks even.
            if step == 0 and share != 0.5:
                step = 1 if share > 0.5 else -1
            name = f"{'l' if step < 0 else 'w'}{abs(step)}"
            cells.append(Cell(name, _per_cent(share), bool(above[row, column])))
    return cells


def _per_cent(share: float) -> str:
    """Return a share in whole per cent; 50 only where it is even, 0 and 100 where there is none."""
    rounded = round(100 * share)
    if rounded == 50 and share != 0.5:
        rounded = 51 if share > 0.5 else 49
    if rounded == 0 and share:
        rounded = 1
    if rounded == 100 and share != 1:
        rounded = 99
    return str(rounded)


# Tasks that are drawn, side by side.
TASKS = 200


def gaps_of(
    report: MissingReport, items: Sequence[Label]
) -> list[tuple[tuple[float, float, str], ...]]:
    """Return for every item where it is missing; nothing where there are no tasks, or too many."""
    if report.missing_by_task is None or not 0 < len(report.tasks or ()) <= TASKS:
        return []
    some, every = report.missing_by_task > 0, report.absent
    looks = [
        ["all" if every[i, t] else "part" if some[i, t] else "" for t in range(some.shape[1])]
        for i in report.items.indices(items)
    ]
    return [_runs(row) for row in looks]


def _runs(looks: Sequence[str]) -> tuple[tuple[float, float, str], ...]:
    """Join neighbors that look alike."""
    width, start, found = 100 / len(looks), 0, []
    for look, run in groupby(looks):
        end = start + len(list(run))
        if look:
            found.append((start * width, end * width, look))
        start = end
    return tuple(found)
