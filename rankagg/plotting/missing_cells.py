"""Where scores or ranks are missing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path

from rankagg._frames import table_remedy
from rankagg._typing import Floats
from rankagg.analysis.missing import MissingReport, missing_report
from rankagg.core import UNRANKED, Profile, ScoreTable, counted
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.heatmaps import SIDES, cell_number, color_bar, percent_told
from rankagg.plotting.sheet import PlotSheet, open_frame
from rankagg.plotting.theme import INK, SHARE_COLORS, letter, plot_labels, plot_of

# More columns than so many are merged into patterns, of which so many are drawn; cells of so many
# columns hold the share that is missing as a number.
MOST_COLUMNS: Final = 60
MOST_PATTERNS: Final = 40
MOST_NUMBERED: Final = 20
BORDER: Final = "#d0d0d0"


@dataclass(frozen=True, eq=False)
class _MissingGrid:
    """Shares of units that are missing, the items that miss most first."""

    # Shape (n, k). In [0, 1].
    shares: Floats
    # What is written beside them.
    rows: list[str]
    columns: list[str]
    # What a reader should know.
    notes: list[str]

    @property
    def is_partial(self) -> bool:
        """True where some cell is missing in part."""
        return bool(((self.shares > 0) & (self.shares < 1)).any())


def _missing_grid(
    report: MissingReport, profile: Profile | None, letters: int = 32
) -> _MissingGrid:
    """Choose what fits: a column for each task, each ranking, or each pattern."""
    order = np.argsort(-report.missing, kind="stable")
    names = plot_labels(report.items.at(order), letters)
    gone = [f"{report.missing[i]} of {report.n_units}" for i in order]
    rows = [f"{name}  {number}" for name, number in zip(names, gone, strict=True)]
    if report.tasks is not None and len(report.tasks) <= MOST_COLUMNS:
        shares, columns, extra = _task_columns(report, letters)
    elif report.tasks is None and profile is not None and len(profile) <= MOST_COLUMNS:
        shares = (profile.ranks == UNRANKED).T.astype(np.float64)
        times = [f" ({counted(k, 'time')})" if k > 1 else "" for k in profile.counts.tolist()]
        columns = [f"{number}{often}" for number, often in enumerate(times, start=1)]
        extra = ["a column is a ranking"]
    else:
        shares, columns, extra = _pattern_columns(report)
    never = len(report.never_compared)
    pairs, verb = counted(math.comb(len(order), 2), "pair"), "was" if never == 1 else "were"
    extra.append(f"{never} of {pairs} of items {verb} never compared" if never else "")
    return _MissingGrid(shares[order], rows, columns, [_how_much(report), *extra])


def _task_columns(report: MissingReport, letters: int) -> tuple[Floats, list[str], list[str]]:
    assert report.tasks is not None, "only data with tasks come here"
    shares = report.by_task().to_numpy(dtype=np.float64)
    names = plot_labels(report.tasks, letters)
    if np.isin(shares, (0, 1)).all():
        counts, total = shares.sum(axis=0).astype(int), len(report.items)
        names = [f"{name}  {k} of {total}" for name, k in zip(names, counts, strict=True)]
    return shares, names, []


def _pattern_columns(report: MissingReport) -> tuple[Floats, list[str], list[str]]:
    patterns, unit = report.patterns(), report.unit
    shown, rest = patterns.head(MOST_PATTERNS), patterns["units"].iloc[MOST_PATTERNS:]
    shares = np.zeros((len(report.items), len(shown)))
    for column, gone in enumerate(shown["missing"]):
        shares[report.items.indices(gone), column] = 1
    notes = [f"a column: {unit}s that lack the same items, with their number"]
    if len(rest):
        rarer = counted(len(rest), "rarer pattern")
        notes.append(f"not drawn: {rarer}, of {rest.sum()} {unit}s together")
    return shares, [str(units) for units in shown["units"]], notes


def _how_much(report: MissingReport) -> str:
    cells, missing = counted(report.n_cells, "cell"), report.n_missing
    if not missing:
        return f"nothing is missing: all {cells} are observed"
    verb = "is" if missing == 1 else "are"
    return f"{missing} of {cells} {verb} missing ({100 * missing / report.n_cells:.3g} %)"


@plot_of()
def missingness_map(data: ScoreTable | Profile | MissingReport, *, ax: Axes | None = None) -> Axes:
    """Draw items in rows and tasks in columns, dark where something is missing.

    Items that miss most stand first. Of tasks with instances, and of groups of rankings, the shade
    is the share that is missing. Up to 60 rankings without groups have a column each; of more,
    and of more than 60 tasks, a column is one pattern: all that lack the same items.

    Parameters
    ----------
    data : ScoreTable, Profile or MissingReport
        The data, or what `missing_report` says of them. Items left off a top-k list are not
        missing: it is known that they are below the listed ones.

    Raises
    ------
    InvalidInputError
        If the data are of another kind.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> nan = float("nan")
    >>> table = ra.ScoreTable([[.9, .8, .7], [.7, nan, .6], [nan, nan, .8]], systems="ABC",
    ...                       tasks=["x", "y", "z"], higher_is_better=True)
    >>> ax = plotting.missingness_map(table)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['C  2 of 3', 'B  1 of 3', 'A  0 of 3']
    """
    if not isinstance(data, ScoreTable | Profile | MissingReport):
        raise InvalidInputError(
            "data", "a ScoreTable, a Profile or a MissingReport", data, table_remedy(data)
        )
    report = data if isinstance(data, MissingReport) else missing_report(data)
    profile = data if isinstance(data, Profile) else None
    grid = _missing_grid(report, profile)
    n, k = grid.shares.shape
    is_numbered = grid.is_partial and k <= MOST_NUMBERED
    cell = max(2.6 if k <= MOST_NUMBERED else 1.5, 8 / k)
    room = max(cell * k, 26.0)
    sheet = PlotSheet(ax, room, max(1.7 * n, 9.0 if grid.is_partial else 2.0))
    ax = sheet.ax
    if not sheet.is_new:
        grid = _missing_grid(report, profile, sheet.letters(0.3))
    notes = [
        *grid.notes,
        "items left off a top-k list are not missing: they are below the listed ones"
        if profile is not None and profile.has_unlisted
        else "",
        "numbers: percent missing" if is_numbered else "",
    ]
    colors: dict[str, Any] = {"cmap": SHARE_COLORS, "vmin": 0, "vmax": 1, "edgecolors": BORDER}
    sides = np.arange(k + 1) - 0.5, np.arange(n + 1) - 0.5
    mesh = ax.pcolormesh(*sides, grid.shares, lw=letter(0.05), gid="cells", **colors)
    ax.set_yticks(range(n), grid.rows, parse_math=False)
    ax.set_xticks(range(k), grid.columns, rotation=90, parse_math=False)
    ax.tick_params(length=0)
    # Few columns would be wider than high.
    ax.set_xlim(-0.5, max(k, room / cell) - 0.5)
    ax.set_ylim(n - 0.5, -0.5)
    open_frame(ax, SIDES, "")
    handles: list[Artist] = [Patch(fc=SHARE_COLORS(0.0), ec=BORDER, label="observed")]
    part: dict[str, Any] = {"marker": "o", "ms": letter(0.3), "ls": "none"}
    whole: dict[str, Any] = {"fc": SHARE_COLORS(1.0), "label": "missing"}
    if grid.is_partial:
        whole |= {"ec": "white", "hatch": "////", "label": "missing in all"}
        _mark(ax, grid.shares, part, is_numbered=is_numbered)
        if not is_numbered:
            handles.append(Line2D([], [], color=INK, label="missing in part", **part))
        color_bar(ax, mesh, f"share of {report.unit}s missing", aspect=12)
    if (grid.shares == 1).any():
        handles.append(Patch(**whole))
    if not report.n_missing:
        text = ax.text((k - 1) / 2, (n - 1) / 2, "nothing is missing", gid="nothing")
        text.set(ha="center", va="center")
        text.set_bbox({"fc": "white", "ec": INK, "boxstyle": "round"})
    return sheet.finish(notes, handles=handles, columns=3)


def _mark(ax: Axes, shares: Floats, dots: dict[str, Any], *, is_numbered: bool) -> None:
    """Hatch what is missing altogether, and tell what is missing in part from what is not."""
    if (shares == 1).any():
        look: dict[str, Any] = {"fc": "none", "ec": "white", "hatch": "////", "lw": 0}
        corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]) - 0.5
        squares = [corners + cell[::-1] for cell in np.argwhere(shares == 1)]
        codes = [Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY] * len(squares)
        ax.add_patch(PathPatch(Path(np.concatenate(squares), codes), gid="full", **look))
    for row, column in np.argwhere((shares > 0) & (shares < 1)):
        share, where = float(shares[row, column]), f"{row}-{column}"
        if is_numbered:
            told, on_dark = percent_told(share), share > 0.6
            gid = f"share-{where}"
            cell_number(ax, (column, row), told, size=0.8, on_dark=on_dark, gid=gid)
        else:
            color = "white" if share > 0.6 else INK
            ax.plot(column, row, color=color, mew=0, gid=f"part-{where}", **dots)
