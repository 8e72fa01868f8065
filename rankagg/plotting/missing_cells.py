"""Where scores or ranks are missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path

from rankagg._pandas import table_remedy
from rankagg._typing import Bools, Floats
from rankagg.analysis.missing import MissingReport, missing_report
from rankagg.core.items import counted
from rankagg.core.profile import Profile
from rankagg.core.rankings.places import UNRANKED
from rankagg.core.scores import ScoreTable
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.sheet import legend_above, name_letters, widest, write_below
from rankagg.plotting.theme import INK, SHARES, canvas, plot_labels

# More columns than so many are merged into patterns, of which so many are drawn.
COLUMNS: Final = 60
PATTERNS: Final = 40


@dataclass(frozen=True, eq=False)
class MissingGrid:
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


def missing_grid(report: MissingReport, profile: Profile | None, letters: int = 32) -> MissingGrid:
    """Choose what fits: a column for each task, each ranking, or each pattern."""
    order = np.argsort(-report.missing, kind="stable")
    names = plot_labels(report.items.at(order), letters)
    rows = [
        f"{name}  {report.missing[i]} of {report.n_units}"
        for name, i in zip(names, order, strict=True)
    ]
    if report.tasks is not None and len(report.tasks) <= COLUMNS:
        shares, columns, extra = _tasks(report, letters)
    elif report.tasks is None and profile is not None and len(profile) <= COLUMNS:
        shares, columns, extra = _rankings(profile)
    else:
        shares, columns, extra = _patterns(report)
    notes = [_head(report), *extra, *_pairs(report)]
    return MissingGrid(shares[order], rows, columns, notes)


def _tasks(report: MissingReport, letters: int) -> tuple[Floats, list[str], list[str]]:
    assert report.tasks is not None, "only data with tasks come here"
    shares = report.by_task().to_numpy(dtype=np.float64)
    names = plot_labels(report.tasks, letters)
    if np.isin(shares, (0, 1)).all():
        counts = shares.sum(axis=0).astype(int)
        total = len(report.items)
        names = [f"{name}  {k} of {total}" for name, k in zip(names, counts, strict=True)]
    return shares, names, []


def _rankings(profile: Profile) -> tuple[Floats, list[str], list[str]]:
    shares = (profile.ranks == UNRANKED).T.astype(np.float64)
    copies = [
        f" ({counted(count, 'time')})" if count > 1 else "" for count in profile.counts.tolist()
    ]
    names = [f"{number}{copy}" for number, copy in enumerate(copies, start=1)]
    return shares, names, ["a column is a ranking"]


def _patterns(report: MissingReport) -> tuple[Floats, list[str], list[str]]:
    found = report.patterns()
    shown = found.head(PATTERNS)
    shares = np.zeros((len(report.items), len(shown)))
    for column, gone in enumerate(shown["missing"]):
        shares[report.items.indices(gone), column] = 1
    notes = [f"a column: {report.unit}s that lack the same items, with their number"]
    rest = found["units"].iloc[PATTERNS:]
    if len(rest):
        notes.append(
            f"not drawn: {counted(len(rest), 'rarer pattern')}, of {rest.sum()} {report.unit}s "
            "together"
        )
    return shares, [str(units) for units in shown["units"]], notes


def _head(report: MissingReport) -> str:
    if not report.n_missing:
        return f"nothing is missing: all {counted(report.n_cells, 'cell')} are observed"
    share = 100 * report.n_missing / report.n_cells
    return (
        f"{report.n_missing} of {counted(report.n_cells, 'cell')} "
        f"{'is' if report.n_missing == 1 else 'are'} missing ({share:.3g} %)"
    )


def _pairs(report: MissingReport) -> list[str]:
    never, n = len(report.never_compared), len(report.items)
    if not never:
        return []
    return [
        f"{never} of {counted(n * (n - 1) // 2, 'pair')} of items "
        f"{'was' if never == 1 else 'were'} never compared"
    ]


# Cells of so many columns hold the share that is missing as a number.
NUMBERED = 20
ROW, NARROW, WIDE = 1.4, 1.5, 2.6
EDGE = "#d0d0d0"
FULL = SHARES(1.0)


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
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

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
    report = data if isinstance(data, MissingReport) else _report(data)
    grid = missing_grid(
        report, data if isinstance(data, Profile) else None, name_letters(ax, share=0.3)
    )
    notes = list(grid.notes)
    if isinstance(data, Profile) and data.has_unlisted:
        notes.append("items left off a top-k list are not missing: they are below the listed ones")
    n, k = grid.shares.shape
    is_numbered = grid.is_partial and k <= NUMBERED
    if is_numbered:
        notes.append("numbers: percent missing")
    cell = max(WIDE if k <= NUMBERED else NARROW, 8 / k)
    room = max(cell * k, 26.0)
    new = ax is None
    ax = canvas(
        ax, room + widest(grid.rows) + (9 if grid.is_partial else 3),
        max(ROW * n, 9.0 if grid.is_partial else 2.0) + widest(grid.columns) + 2 * len(notes) + 7,
    )  # fmt: skip
    mesh = ax.pcolormesh(
        np.arange(k + 1) - 0.5, np.arange(n + 1) - 0.5, grid.shares, cmap=SHARES, vmin=0, vmax=1,
        edgecolors=EDGE, linewidth=0.05 * float(mpl.rcParams["font.size"]), gid="cells",
    )  # fmt: skip
    ax.set_yticks(range(n), grid.rows, parse_math=False)
    ax.set_xticks(range(k), grid.columns, rotation=90, parse_math=False)
    ax.tick_params(length=0)
    # Few columns would be wider than high.
    ax.set_xlim(-0.5, max(k, room / cell) - 0.5)
    ax.set_ylim(n - 0.5, -0.5)
    for spine in ax.spines.values():
        spine.set_visible(False)
    write_below(ax, notes, room if new else None)
    handles: list[Artist] = [Patch(fc=SHARES(0.0), ec=EDGE, label="observed")]
    if grid.is_partial:
        _mark(ax, grid, is_numbered=is_numbered)
        if not is_numbered:
            handles.append(
                Line2D([], [], color=INK, marker="o", ms=_dot(), ls="none", label="missing in part")
            )
        bar = ax.figure.colorbar(mesh, ax=ax, fraction=0.04, pad=0.02, aspect=12)
        bar.set_label(f"share of {report.unit}s missing")
        bar.outline.set_visible(False)
    if (grid.shares == 1).any():
        handles.append(_full_handle(hatched=grid.is_partial))
    if not report.n_missing:
        ax.text(
            (k - 1) / 2, (n - 1) / 2, "nothing is missing", ha="center", va="center", gid="nothing",
            bbox={"fc": "white", "ec": INK, "boxstyle": "round"},
        )  # fmt: skip
    legend_above(ax, handles, new=new, columns=3)
    return ax


def _full_handle(*, hatched: bool) -> Patch:
    if hatched:
        return Patch(fc=FULL, ec="white", hatch="////", label="missing in all")
    return Patch(fc=FULL, label="missing")


def _report(data: object) -> MissingReport:
    if not isinstance(data, ScoreTable | Profile):
        raise InvalidInputError(
            "data", "a ScoreTable, a Profile or a MissingReport", data, table_remedy(data)
        )
    return missing_report(data)


def _mark(ax: Axes, grid: MissingGrid, *, is_numbered: bool) -> None:
    """Hatch what is missing altogether, and tell what is missing in part from what is not."""
    size = float(mpl.rcParams["font.size"])
    if (grid.shares == 1).any():
        ax.add_patch(
            PathPatch(
                _squares(grid.shares == 1), fc="none", ec="white", hatch="////", lw=0, gid="full"
            )
        )
    for row, column in np.argwhere((grid.shares > 0) & (grid.shares < 1)):
        share = float(grid.shares[row, column])
        color = "white" if share > 0.6 else INK
        if is_numbered:
            ax.text(
                column, row, _percent(share), ha="center", va="center", fontsize=0.8 * size,
                color=color, gid=f"share-{row}-{column}",
            )  # fmt: skip
        else:
            ax.plot(column, row, "o", ms=_dot(), mew=0, color=color, gid=f"part-{row}-{column}")


def _dot() -> float:
    return 0.3 * float(mpl.rcParams["font.size"])


def _percent(share: float) -> str:
    """Return a share in percent; nothing is rounded to none or to all."""
    if share < 0.005:
        return "<1"
    return ">99" if share > 0.995 else f"{100 * share:.0f}"


def _squares(where: Bools) -> Path:
    """Return the outline of all cells that are true, as one path."""
    corners = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5]])
    squares = [corners + cell[::-1] for cell in np.argwhere(where)]
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    return Path(np.concatenate(squares), codes * len(squares))
