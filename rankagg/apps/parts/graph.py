"""The majority graph as a picture that follows light and dark."""

from __future__ import annotations

from html import escape
from math import cos, hypot, pi, sin

import rankagg as ra
from rankagg._typing import Label
from rankagg.core.items import counted, shortened

__all__ = ["majority_graph"]

WIDTH, HEIGHT, RADIUS = 640, 500, 180
NODE = 24
# With more items numbers on arrows would hide each other.
NUMBERED = 5


def majority_graph(votes: ra.PairwiseMatrix, order: tuple[Label, ...]) -> str:
    """Draw who beats whom by how much; majorities against an order are dashed.

    Parameters
    ----------
    votes : PairwiseMatrix
        The votes on pairs.
    order : tuple of str or int
        All items, best first; majorities against it stand out.

    Returns
    -------
    str
        HTML with one SVG picture, which says the same to those who do not see it.
    """
    n = len(votes.items)
    spots = {
        item: (
            WIDTH / 2 + RADIUS * sin(2 * pi * k / n) * 1.25,
            HEIGHT / 2 - RADIUS * cos(2 * pi * k / n) + (40 if n == 3 else 0),
        )
        for k, item in enumerate(votes.items)
    }
    place = {item: k for k, item in enumerate(order)}
    parts, told = [], []
    for above, below, margin in _arcs(votes):
        against = place[above] > place[below]
        told.append(f"{above} beats {below} by {margin:g}{' (contradicted)' if against else ''}")
        parts.append(
            _arrow(spots[above], spots[below], against, f"{margin:g}" if n <= NUMBERED else "")
        )
    for item, (x, y) in spots.items():
        # Names stand outside of the circle of items.
        lower = y > HEIGHT / 2 + 1
        name = escape(shortened(item, 16))
        half = min(len(name), 16) * 7.5
        left = min(max(x, half), WIDTH - half)
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{NODE}" fill="var(--ra-ground)" '
            'stroke="var(--ra-text)" stroke-width="3"/>'
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="26" text-anchor="middle" '
            f'dominant-baseline="central">{place[item] + 1}</text>'
            f'<text x="{left:.1f}" y="{y + (NODE + 28 if lower else -NODE - 10):.1f}" '
            'font-size="26" font-weight="650" text-anchor="middle" stroke="var(--ra-ground)" '
            f'stroke-width="6" paint-order="stroke">{name}</text>'
        )
    label = f"Majorities among {counted(n, 'item')}: {'; '.join(told) or 'none'}."
    return (
        f'<div class="ra"><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(label)}">{"".join(parts)}</svg></div>'
    )


def _arcs(votes: ra.PairwiseMatrix) -> list[tuple[Label, Label, float]]:
    """Return each majority with its margin."""
    margins, items = votes.margins, votes.items
    return [
        (items[i], items[j], float(margins[i, j]))
        for i in range(len(items))
        for j in range(len(items))
        if margins[i, j] > 0
    ]


def _arrow(start: tuple[float, float], end: tuple[float, float], against: bool, number: str) -> str:
    """Draw an arrow between the rims of two circles, with a number upon it."""
    length = hypot(end[0] - start[0], end[1] - start[1])
    ux, uy = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    ax, ay = start[0] + ux * NODE, start[1] + uy * NODE
    tip = end[0] - ux * (NODE + 3), end[1] - uy * (NODE + 3)
    neck = tip[0] - ux * 20, tip[1] - uy * 20
    look = "var(--ra-warm)" if against else "var(--ra-strong)"
    dashed = ' stroke-dasharray="12 9"' if against else ""
    sides = [(neck[0] - 11 * s * uy, neck[1] + 11 * s * ux) for s in (1, -1)]
    wings = " ".join(f"{x:.1f},{y:.1f}" for x, y in (tip, *sides))
    drawn = (
        f'<line class="{"against" if against else "with"}" x1="{ax:.1f}" y1="{ay:.1f}" '
        f'x2="{neck[0]:.1f}" y2="{neck[1]:.1f}" stroke="{look}" stroke-width="5"{dashed}/>'
        f'<polygon points="{wings}" fill="{look}"/>'
    )
    if number:
        # A little towards the start, so that numbers of crossing arrows stand apart.
        x, y = (ax * 0.58 + tip[0] * 0.42), (ay * 0.58 + tip[1] * 0.42)
        drawn += (
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="26" font-weight="650" text-anchor="middle" '
            'dominant-baseline="central" stroke="var(--ra-ground)" stroke-width="9" '
            f'paint-order="stroke">{number}</text>'
        )
    return drawn
