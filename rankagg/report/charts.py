"""Charts of the page: rank flows between methods, maps of pairs, strips of missing tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Label
from rankagg.analysis.comparison.agreement import flow_slots, moves
from rankagg.analysis.comparison.compare import RuleComparison
from rankagg.analysis.missing import MissingReport
from rankagg.core.names import capital, in_words, letters, listing, named, part_of, said, stated
from rankagg.report.findings import Findings
from rankagg.report.first_screen import compared_shares

# Items that are drawn, and how many of them are told apart by color.
MOST_LINES, COLORED = 30, 6
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


def flow_of(comparison: RuleComparison) -> Flow:
    """Return the chart of all methods, of the first items where there are many."""
    exact, names = comparison.exact, comparison.methods
    assert exact is not None, "the page holds all methods against an exact one"
    total = comparison.votes.n_items
    order = np.argsort(exact.ranking.ranks, kind="stable")[:MOST_LINES]
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
        drawn = part_of(len(order), "items drawn", total, "items", "item", form=",")
        which = said("The first {}. ", drawn)
    told = said("{}Ranks from method to method. {}", which, _moving(items, width, colored))
    ties = tuple(_ties(columns, ranks, heights))
    return Flow(
        methods=columns,
        head=head,
        width=min(row, max(LEVEL, STEP * (len(names) - 1))),
        lines=tuple(sorted(lines, key=lambda line: line.look != "quiet")),
        ties=ties,
        height=float(heights.max()) + ROW,
        alternative=told,
        caption=said("{}{}", told, " Thick bars join ties." * bool(ties)),
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
    which = listing([items[k] for k in colored], COLORED)
    by = stated(int(width[colored[0]]), "ranks moved", noun="rank")
    text = said("In color, those that move most, by up to {}: {}.", by, which)
    rest = np.delete(width, colored)
    if not rest.any():
        return text
    many = int((rest > 0).sum())
    others = stated(many, "others that move", partial(in_words, noun="other"))
    move = "moves" if many == 1 else "move"
    by = stated(int(rest.max()), "ranks that others move", noun="rank")
    return said("{} {} {} by {} at most.", text, capital(others), move, by)


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


# Items that are drawn, and how many leave room for numbers.
MOST_IN_MAP, NUMBERED = 40, 14
CAPTION = (
    "{}Share of votes, in per cent, with the row above the column, in the order of the consensus. "
    "{}{}{}"
)
# Steps of color on either side of one half.
STEPS = 8


@dataclass(frozen=True)
class PairCell:
    """Two items: the step of color (empty: nothing to show), the share, whether it is decided."""

    step: str
    text: str
    is_decided: bool = False


@dataclass(frozen=True)
class PairRow:
    """An item against all others."""

    place: int
    name: str
    cells: tuple[PairCell, ...]


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
    order = np.argsort(exact.ranking.ranks, kind="stable")[:MOST_IN_MAP]
    shares = compared_shares(votes)[np.ix_(order, order)]
    above = np.zeros(shares.shape, dtype=bool)
    if findings.ranks is not None:
        above = findings.ranks.decisions.above[np.ix_(order, order)]
    rows = tuple(
        PairRow(place + 1, str(exact.items[int(i)]), tuple(_cells(place, shares, above)))
        for place, i in enumerate(order.tolist())
    )
    drawn = part_of(MOST_IN_MAP, "items drawn", n, "items", "item")
    which = said("The first {}. ", drawn) if n > MOST_IN_MAP else ""
    outlined = said(" Outlined: pairs whose order is decided at {}.", findings.level)
    upper = np.triu(np.ones(shares.shape, dtype=bool), 1)
    never = " Empty: never compared." if np.isnan(shares[upper]).any() else ""
    against = int((shares[upper] < 0.5).sum())
    found = "Above the diagonal nobody has fewer than half."
    if against:
        number = stated(against, "majorities against the order drawn", noun="pair")
        told = "{} above the diagonal with fewer than half: there the consensus goes against {}."
        found = said(told, number, "a majority" if against == 1 else "majorities")
    return PairMap(
        rows=rows,
        is_numbered=len(order) <= NUMBERED,
        alternative=said("{}Share of votes for the row against the column. {}", which, found),
        caption=said(CAPTION, which, found, outlined if above.any() else "", never),
    )


def _cells(row: int, shares: np.ndarray, above: np.ndarray) -> list[PairCell]:
    cells = []
    for column, share in enumerate(shares[row].tolist()):
        if column == row:
            cells.append(PairCell("self", ""))
        elif np.isnan(share):
            cells.append(PairCell("", ""))
        else:
            step = round(2 * STEPS * share) - STEPS
            # Nothing that is won or lost looks even.
            if step == 0 and share != 0.5:
                step = 1 if share > 0.5 else -1
            name = f"{'l' if step < 0 else 'w'}{abs(step)}"
            cells.append(PairCell(name, _per_cent(share), bool(above[row, column])))
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
