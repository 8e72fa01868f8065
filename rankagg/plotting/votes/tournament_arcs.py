"""Many items on a line in the order of a ranking, with arcs where majorities do not follow it."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, PathPatch
from matplotlib.path import Path

from rankagg._typing import Ranks
from rankagg.core.items import ItemSet
from rankagg.plotting.style.letters import widest
from rankagg.plotting.style.theme import INK, NO_RANK, canvas, plot_labels
from rankagg.plotting.votes.tournament_links import BAND, LOOKS, Link, band_width

__all__ = ["draw_arcs"]

ROW = 1.4  # letters
NUMBER = 0.85  # size of margins beside other text
START = 0.7  # where arcs begin, right of the points


def draw_arcs(
    items: ItemSet, ranks: Ranks, links: list[Link], ax: Axes | None, *, room: tuple[float, float]
) -> Axes:
    """Draw items from top to bottom in the order of their ranks, and arcs for the links.

    Arcs over equally many items reach equally far to the right, and others by at least the width
    of a margin less or more, so that no two margins meet.

    Parameters
    ----------
    items : ItemSet
        The items.
    ranks : ndarray of int32, shape (n,)
        Their places.
    links : list of Link
        The pairs that get an arc.
    ax : matplotlib.axes.Axes or None
        Where to draw.
    room : tuple of float
        Width and height of what stands above and below, in letters.

    Returns
    -------
    matplotlib.axes.Axes
    """
    n = len(items)
    order = np.argsort(np.where(ranks >= 0, ranks, n), kind="stable")
    row = np.empty(n, dtype=int)
    row[order] = np.arange(n)
    spans = sorted({abs(int(row[link.first] - row[link.second])) for link in links})
    step = 1.4 + widest((link.text for link in links), NUMBER)
    reach = {span: START + 1.5 + step * (1 + k) for k, span in enumerate(spans)}
    names = plot_labels(items)
    width = max([room[0], *(far + step for far in reach.values())])
    margin = 4 + widest(names)
    ax = canvas(ax, margin + width, room[1] + 2 + ROW * n)
    ax.set_xlim(-0.5, width)
    ax.set_ylim(n - 0.4, -0.6)
    ax.set_xticks([])
    size = float(mpl.rcParams["font.size"])
    for item in range(n):
        ax.plot(
            0, row[item], "o", ms=0.5 * size, mfc=INK, mec=INK, gid=f"item-{item}", clip_on=False
        )
    for link in links:
        far = reach[abs(int(row[link.first] - row[link.second]))]
        _arc(ax, link, float(row[link.first]), float(row[link.second]), far)
    places = [str(rank + 1) if rank >= 0 else NO_RANK for rank in ranks[order].tolist()]
    labels = [f"{place}  {names[i]}" for place, i in zip(places, order, strict=True)]
    ax.set_yticks(range(n), labels, parse_math=False)
    ax.tick_params(axis="y", length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return ax


def _arc(ax: Axes, link: Link, start: float, end: float, far: float) -> None:
    size, base = float(mpl.rcParams["font.size"]), float(mpl.rcParams["lines.linewidth"])
    look = LOOKS[link.kind]
    # A cubic curve comes three quarters of the way to its control points.
    control = START + (far - START) * 4 / 3
    path = Path(
        [(START, start), (control, start), (control, end), (START, end)],
        [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4],
    )
    if link.differs:
        ax.add_patch(
            PathPatch(
                path, fc="none", ec=BAND, lw=band_width(), zorder=1,
                gid=f"differs-{link.first}-{link.second}",
            )
        )  # fmt: skip
    ax.add_patch(
        FancyArrowPatch(
            path=path, arrowstyle="-" if link.margin is None else "-|>", mutation_scale=0.9 * size,
            color=look.color, linestyle=look.line, linewidth=look.width * base, gid=link.mark,
            zorder=3 if link.margin is not None else 2, fill=False if link.margin is None else None,
        )
    )  # fmt: skip
    if link.text:
        ax.text(
            far, (start + end) / 2, link.text, ha="center", va="center", fontsize=NUMBER * size,
            color=look.color, zorder=6, gid=f"margin-{link.first}-{link.second}",
            bbox={"boxstyle": "square,pad=0.1", "fc": "white", "lw": 0},
        )  # fmt: skip
