"""How items move between methods: lines, gray but for those that move most."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rankagg.analysis.comparison.agreement import flow_slots, moves
from rankagg.analysis.comparison.comparison import Comparison
from rankagg.core.items import counted
from rankagg.core.names import in_words, letters, listing, named

__all__ = ["Flow", "Line", "flow_of"]

# Items that are drawn, and how many of them are told apart by color.
SHOWN, COLORED = 30, 6
# Pixels: the height of a row, and where the first one stands.
ROW, TOP = 22, 44
WIDTH = 22
# Letters of a name and its rank that half of the room beside the chart holds.
NARROW = 14
# Pixels: of a letter of a method's name, how wide names may be in one row, and the least from a
# column to the next where names do not fit and stand steeply instead.
LETTER, LEVEL, STEP = 8.2, 430.0, 44.0


@dataclass(frozen=True)
class Line:
    """An item: how it looks, the height in every column, the texts at both ends."""

    look: str
    heights: tuple[float, ...]
    left: str
    right: str


@dataclass(frozen=True)
class Flow:
    """A chart of lines, a column for each method."""

    # Where columns stand, in per cent, and their names.
    methods: tuple[tuple[float, str], ...]
    # Where names of methods stand steeply, since one row is too short for them: how high that is,
    # in pixels; else 0.
    head: float
    # How wide it is at least, in pixels.
    width: float
    lines: tuple[Line, ...]
    # Bars that join ties: the column, in per cent, and from where to where.
    ties: tuple[tuple[float, float, float], ...]
    height: float
    # What it shows, and how to read it.
    alternative: str
    caption: str

    @property
    def has_short_names(self) -> bool:
        """Whether no name needs more than half of the room beside the chart."""
        return max(letters(line.left) for line in self.lines) <= NARROW

    def steps(self, line: Line) -> Iterator[tuple[float, float, float, float]]:
        """Return the pieces of a line: from where to where."""
        points = [(x, y) for (x, _), y in zip(self.methods, line.heights, strict=True)]
        for (x, y), (to_x, to_y) in pairwise(points):
            yield x, y, to_x, to_y


def flow_of(comparison: Comparison) -> Flow:
    """Return the chart of all methods, of the first items where there are many."""
    exact, names = comparison.exact, comparison.methods
    assert exact is not None, "the page holds all methods against an exact one"
    total = comparison.votes.n_items
    order = np.argsort(exact.ranking.ranks, kind="stable")[:SHOWN]
    all_ranks = np.stack([comparison[name].ranking.ranks for name in names])
    ranks = all_ranks[:, order]
    width = moves(all_ranks)[order]
    row = _row_of(names)
    # At 45 degrees names are as high as they are wide.
    head = 0.7 * LETTER * max(map(letters, names)) if row > LEVEL else 0.0
    heights = head + TOP + ROW * flow_slots(ranks)
    colored = [int(i) for i in np.argsort(-width, kind="stable")[:COLORED] if width[i]]
    items = [str(item) for item in exact.items.at(order)]
    lines = [
        Line(
            look=f"m{colored.index(k) + 1}" if k in colored else "quiet",
            heights=tuple(heights[:, k].tolist()),
            left=f"{named(item, WIDTH)} \N{EN SPACE}{_rank(ranks[0, k])}",
            right=f"{_rank(ranks[-1, k])} \N{EN SPACE}{named(item, WIDTH)}",
        )
        for k, item in enumerate(items)
    ]
    last = max(len(names) - 1, 1)
    columns = tuple((100 * k / last, name) for k, name in enumerate(names))
    which = ""
    if total > len(order):
        which = f"The first {len(order)} of {counted(total, 'item', ',')}. "
    told = _moving(items, width, colored)
    ties = tuple(_ties(columns, ranks, heights))
    return Flow(
        methods=columns,
        head=head,
        width=min(row, max(LEVEL, STEP * (len(names) - 1))),
        lines=tuple(sorted(lines, key=lambda line: line.look != "quiet")),
        ties=ties,
        height=float(heights.max()) + ROW,
        alternative=f"{which}Ranks from method to method. {told}",
        caption=f"{which}Ranks from method to method. {told}"
        + " Thick bars join ties." * bool(ties),
    )


def _row_of(names: tuple[str, ...]) -> float:
    """Return how wide a chart is whose columns are as far apart as their names need, in pixels."""
    widths = [LETTER * letters(name) for name in names]
    return max((a + b) / 2 + LETTER for a, b in pairwise([*widths, 0.0])) * (len(names) - 1)


def _rank(rank: int) -> str:
    return "\N{EN DASH}" if rank < 0 else f"{rank + 1:,}"


def _moving(items: list[str], width: NDArray[np.intp], colored: list[int]) -> str:
    """Say who moves, and by how much."""
    if not colored:
        return "No item moves."
    far = int(width[colored[0]])
    which = listing([items[k] for k in colored], COLORED)
    by = counted(far, "rank")
    text = f"In color, those that move most, by up to {by}: {which}."
    rest = np.delete(width, colored)
    if rest.any():
        others = in_words(int((rest > 0).sum()), "other")
        move = "moves" if others.startswith("one ") else "move"
        by = counted(int(rest.max()), "rank")
        return f"{text} {others[0].upper()}{others[1:]} {move} by {by} at most."
    return text


def _ties(
    columns: tuple[tuple[float, str], ...],
    ranks: NDArray[np.integer],
    heights: NDArray[np.float64],
) -> Iterator[tuple[float, float, float]]:
    for (x, _), places, height in zip(columns, ranks, heights, strict=True):
        for place in np.unique(places[places >= 0]):
            tied = height[places == place]
            if len(tied) > 1:
                yield x, float(tied.min()), float(tied.max())
