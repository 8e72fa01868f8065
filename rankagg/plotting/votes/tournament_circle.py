"""Few items on a circle, with an arrow for every majority."""

from __future__ import annotations

from typing import cast

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch

from rankagg._typing import Floats, Ranks
from rankagg.core.items import ItemSet
from rankagg.plotting.style.letters import widest
from rankagg.plotting.style.margins import name_letters
from rankagg.plotting.style.theme import INK, NO_RANK, canvas, plot_labels
from rankagg.plotting.votes.tournament_links import BAND, LOOKS, Link, band_width

__all__ = ["draw_circle"]

# All lengths are in letters.
NODE = 1.0
NUMBER = 0.85  # size of margins beside other text
SHARES = np.concatenate([[0.5], np.linspace(0.48, 0.16, 33)])  # of the way from winner to loser


def draw_circle(
    items: ItemSet, ranks: Ranks, links: list[Link], ax: Axes | None, *, room: tuple[float, float]
) -> Axes:
    """Draw items clockwise from the top in the order of their ranks, and all links.

    Parameters
    ----------
    items : ItemSet
        The items.
    ranks : ndarray of int32, shape (n,)
        Their places.
    links : list of Link
        What to draw between them.
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
    radius = max(8.0, n * (1.4 + 0.3 * widest((link.text for link in links), NUMBER)))
    angles = np.pi / 2 - 2 * np.pi * np.arange(n) / n
    points = np.empty((n, 2))
    points[order] = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    names = plot_labels(items, name_letters(ax, share=0.2))
    # How far names reach to the left and to the right of the center.
    left, right = NODE + 1, NODE + 1
    for point, name in zip(points, names, strict=True):
        length, side, start = widest([name]), _side(point), _beside(point)[0]
        left = max(left, 1 - start + (1 - side) / 2 * length)
        right = max(right, 1 + start + (1 + side) / 2 * length)
    right = max(right, room[0] - left)
    low, high = points[:, 1].min() - NODE - 2, points[:, 1].max() + NODE + 2
    ax = canvas(ax, left + right + 1, high - low + room[1] + 1)
    # The layout measures legends from the corner of the place of the axes, which a circle keeps.
    ax.set_aspect("equal", anchor="NW")
    ax.set_xlim(-left, right)
    ax.set_ylim(low, high)
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_visible(False)
    for item, (point, rank) in enumerate(zip(points, ranks.tolist(), strict=True)):
        _node(ax, item, point, names[item], str(rank + 1) if rank >= 0 else NO_RANK)
    for link in links:
        _arrow(ax, link, points[link.first], points[link.second])
    _margins(ax, [link for link in links if link.text], points)
    return ax


def _node(ax: Axes, item: int, point: Floats, name: str, place: str) -> None:
    size = float(mpl.rcParams["font.size"])
    ax.plot(
        *point, "o", ms=2 * NODE * size, mfc="white", mec=INK, mew=0.1 * size, zorder=4,
        gid=f"item-{item}",
    )  # fmt: skip
    x, y = point
    ax.text(
        x, y, place, ha="center", va="center", zorder=5, fontsize=0.9 * size,
        gid=f"rank-{item}",
    )  # fmt: skip
    align = {1: "left", 0: "center", -1: "right"}[_side(point)]
    rise = point[1] / np.hypot(*point)
    height = "center" if abs(rise) < 0.7 else ("bottom" if rise > 0 else "top")
    x, y = _beside(point)
    ax.text(x, y, name, ha=align, va=height, parse_math=False, zorder=5, gid=f"name-{item}")


def _beside(point: Floats) -> Floats:
    """Return where the name of a point starts: a little further out."""
    return cast(Floats, point * (1 + (NODE + 0.4) / np.hypot(*point)))


def _side(point: Floats) -> int:
    """Return on which side of its point a name stands: 1 is right, 0 above or below."""
    return int(np.sign(round(point[0], 6)))


def _arrow(ax: Axes, link: Link, start: Floats, end: Floats) -> None:
    size, base = float(mpl.rcParams["font.size"]), float(mpl.rcParams["lines.linewidth"])
    look = LOOKS[link.kind]
    if link.differs:
        ax.plot(
            *np.column_stack([start, end]), color=BAND, linewidth=band_width(), zorder=1,
            gid=f"differs-{link.first}-{link.second}",
        )  # fmt: skip
    gap = 1.1 * NODE * size
    ax.add_patch(
        FancyArrowPatch(
            tuple(start), tuple(end), arrowstyle="-" if link.margin is None else "-|>",
            mutation_scale=size, shrinkA=gap, shrinkB=gap, color=look.color, linestyle=look.line,
            linewidth=look.width * base, zorder=3 if link.is_notable else 2, gid=link.mark,
        )
    )  # fmt: skip


def _margins(ax: Axes, links: list[Link], points: Floats) -> None:
    """Write every margin on its arrow, where it hides neither another one nor a crossing."""
    size = NUMBER * float(mpl.rcParams["font.size"])
    for link, share in zip(links, _label_shares(links, points), strict=True):
        look = LOOKS[link.kind]
        x, y = points[link.first] + share * (points[link.second] - points[link.first])
        ax.text(
            x, y, link.text,
            ha="center", va="center", fontsize=size, zorder=6, color=look.color,
            weight="bold" if link.is_notable else "normal",
            gid=f"margin-{link.first}-{link.second}",
            bbox={"boxstyle": "square,pad=0.1", "fc": "white", "lw": 0},
        )  # fmt: skip


def _label_shares(links: list[Link], points: Floats) -> list[float]:
    """Return how far along its arrow each margin stands, at best halfway.

    Short arrows leave least choice and choose first; then all choose again, until none moves.
    """
    if not links:
        return []
    starts = np.array([[points[link.first]] for link in links])
    ends = np.array([[points[link.second]] for link in links])
    spots = starts + SHARES[None, :, None] * (ends - starts)
    half = np.array([[0.4 + widest([link.text], NUMBER), 1.5 * NUMBER] for link in links]) / 2
    fixed = np.array([_crossings(spots[k], starts, ends, k) for k in range(len(links))])
    fixed = fixed + 3 * (0.5 - SHARES)
    chosen: dict[int, int] = {}
    lengths = np.hypot(*(ends - starts)[:, 0].T)
    for _ in range(6):
        before = dict(chosen)
        for k in np.argsort(lengths, kind="stable").tolist():
            others = [other for other in chosen if other != k]
            cost = fixed[k].copy()
            for other in others:
                apart = np.abs(spots[k] - spots[other, chosen[other]])
                room = half[k] + half[other]
                cost += 100.0 * (apart < room).all(axis=1)
            chosen[k] = int(np.argmin(cost))
        if chosen == before:
            break
    return [float(SHARES[chosen[k]]) for k in range(len(links))]


def _crossings(spots: Floats, starts: Floats, ends: Floats, own: int) -> Floats:
    """Return how many other arrows run under a label at each spot."""
    total = np.zeros(len(spots))
    for k, (start, end) in enumerate(zip(starts[:, 0], ends[:, 0], strict=True)):
        if k == own:
            continue
        way = end - start
        along = np.clip((spots - start) @ way / (way @ way), 0, 1)
        apart = np.hypot(*(spots - start - along[:, None] * way).T)
        total += np.clip(1.5 - apart / 0.9, 0, 1)
    return total
