"""Pictures that follow light and dark: majority graphs and permutohedra."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import permutations
from math import cos, hypot, pi, sin, sqrt

import numpy as np

import rankagg as ra
from page import counted, shortened

GRAPH_WIDTH, WIDE, HIGH = 640, 215, 185
NODE, MARGIN = 24, 70
GRAPH_CAPTION = (
    "Arrows: who beats whom, and by how many votes. Circles: the place that Kemeny gives; it "
    "contradicts the majorities that are dashed."
)
# With more items numbers on arrows would hide each other.
NUMBERED = 5


def svg(box: str, label: str, parts: Sequence[str]) -> str:
    """Return a picture of some parts, with the words for those who do not see it."""
    return (
        f'<div class="ra"><svg viewBox="{box}" role="img" aria-label="{escape(label)}">'
        f"{''.join(parts)}</svg></div>"
    )


def majority_graph(votes: ra.PairwiseMatrix, order: tuple[Hashable, ...]) -> str:
    """Draw who beats whom by how much; majorities against an order are dashed."""
    n = len(votes.items)
    spots = _graph_spots(votes)
    top = min(y for _, y in spots.values()) - MARGIN
    height = max(y for _, y in spots.values()) + MARGIN - top
    place = {item: k for k, item in enumerate(order)}
    parts, hint = [], []
    for i, j in np.argwhere(votes.margins > 0).tolist():
        above, below, margin = votes.items[i], votes.items[j], votes.margins[i, j]
        against = place[above] > place[below]
        hint.append(f"{above} beats {below} by {margin:g}{' (contradicted)' if against else ''}")
        number = f"{margin:g}" if n <= NUMBERED else ""
        parts.append(_arrow(spots[above], spots[below], against, number, 0.3 if n == 4 else 0.5))
    for item, (x, y) in spots.items():
        # Names stand outside of the circle of items.
        lower = y > 1
        name = escape(shortened(item, 16))
        half = min(len(str(item)), 16) * 8.6
        # Names lean outwards, away from arrows, as far as there is room.
        lean = (x > 1) - (x < -1)
        room = GRAPH_WIDTH / 2 - half
        left = min(max(x + lean * max(half - NODE, 0), -room), room)
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{NODE}" fill="var(--ra-ground)" '
            'stroke="var(--ra-text)" stroke-width="3"/>'
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="26" text-anchor="middle" '
            f'dominant-baseline="central">{place[item] + 1}</text>'
            f'<text x="{left:.1f}" y="{y + (NODE + 28 if lower else -NODE - 10):.1f}" '
            'font-size="26" font-weight="650" text-anchor="middle" stroke="var(--ra-ground)" '
            f'stroke-width="6" paint-order="stroke">{name}</text>'
        )
    label = f"Majorities among {counted(n, 'item')}: {'; '.join(hint) or 'none'}."
    return svg(f"{-GRAPH_WIDTH // 2} {top:.0f} {GRAPH_WIDTH} {height:.0f}", label, parts)


def _graph_spots(votes: ra.PairwiseMatrix) -> dict[Hashable, tuple[float, float]]:
    """Return where each item stands, around 0, as wide and as high as there is room."""
    n = len(votes.items)
    # No item stands at half height, where an arrow would meet its name.
    angles = [2 * pi * (k + (0.5 if n % 4 == 0 else 0.0)) / n for k in range(n)]
    across, up = [sin(angle) for angle in angles], [cos(angle) for angle in angles]
    # Two items stand above each other.
    wide, high = WIDE / max(*map(abs, across), 0.5), HIGH / max(map(abs, up))
    return {item: (wide * x, -high * y) for item, x, y in zip(votes.items, across, up, strict=True)}


def _arrow(
    start: tuple[float, float], end: tuple[float, float], against: bool, number: str, along: float
) -> str:
    """Draw an arrow between the rims of two circles, with a number so far along it."""
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
        x, y = ax + along * (tip[0] - ax), ay + along * (tip[1] - ay)
        half = 8 * len(number) + 6
        drawn += (
            f'<rect x="{x - half:.1f}" y="{y - 16:.1f}" width="{2 * half}" height="32" '
            'fill="var(--ra-ground)"/>'
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="26" font-weight="650" text-anchor="middle" '
            f'dominant-baseline="central">{number}</text>'
        )
    return drawn


WIDTH, ROW, LARGEST = 760, 100, 28
# Where rows are sorted by these weights of the places, few edges cross.
WEIGHTS = {3: (0.1, -0.1, 0.6), 4: (-1.3, 1.5, 1.3, 0.8)}
LOOKS = {"strong": "var(--ra-strong)", "warm": "var(--ra-warm)", "faint": "var(--ra-faint)"}


@dataclass(frozen=True)
class Vertex:
    """How a ranking is drawn."""

    # The area of its circle, from 0 to 1 of the largest.
    share: float
    look: str
    # The text that the pointer shows.
    hint: str
    # Whether it stands out.
    ringed: bool = False


def all_orders(center: Sequence[str]) -> list[tuple[str, ...]]:
    """Return all orders of the items, the nearest to the center first.

    Examples
    --------
    >>> ["".join(order) for order in all_orders("ABC")]
    ['ABC', 'ACB', 'BAC', 'BCA', 'CAB', 'CBA']
    """
    if len(center) not in WEIGHTS:
        raise ValueError(f"center has to be three or four items, not {len(center)}.")
    return sorted(permutations(center), key=lambda order: _distance(order, center))


def _distance(order: Sequence[str], center: Sequence[str]) -> int:
    first, second = ra.Permutation.from_order(order), ra.Permutation.from_order(center)
    return int(ra.kendall_distance(first, second))


def permutohedron(center: Sequence[str], vertices: Mapping[tuple[str, ...], Vertex]) -> str:
    """Draw all rankings in rows, by the number of swaps from the center, which is on top."""
    spots = _spots(center)
    height = ROW * (max(y for _, y in spots.values()) + 0.95)
    at = {order: (WIDTH / 2 + x, ROW * (y + 0.32)) for order, (x, y) in spots.items()}
    parts = []
    for order, (x, y) in at.items():
        for k in range(len(order) - 1):
            other = (*order[:k], order[k + 1], order[k], *order[k + 2 :])
            if at[other][1] > y:
                to = at[other]
                parts.append(
                    f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to[0]:.1f}" y2="{to[1]:.1f}" '
                    'stroke="var(--ra-faint)" stroke-width="2"/>'
                )
    for order, (x, y) in at.items():
        vertex, name = vertices[order], "".join(item[:1] for item in order)
        radius = max(2.0, LARGEST * sqrt(vertex.share))
        ring = ' stroke="var(--ra-text)" stroke-width="6"' if vertex.ringed else ""
        parts.append(
            f'<g data-order="{escape(name)}" data-look="{vertex.look}">'
            f"<title>{escape(' > '.join(order))}: {escape(vertex.hint)}</title>"
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.2f}" '
            f'fill="{LOOKS[vertex.look]}"{ring}/>'
            f'<text x="{x:.1f}" y="{y + LARGEST + 26:.1f}" font-size="29" text-anchor="middle" '
            f'stroke="var(--ra-ground)" stroke-width="6" paint-order="stroke">{escape(name)}</text>'
            "</g>"
        )
    label = f"The permutohedron: {' > '.join(center)} on top, a row for each number of swaps."
    return svg(f"0 0 {WIDTH} {height:.0f}", label, parts)


def _spots(center: Sequence[str]) -> dict[tuple[str, ...], tuple[float, int]]:
    """Return where each order stands: right of the middle, and in which row."""
    weights = np.array(WEIGHTS[len(center)])
    rows: dict[int, list[tuple[float, tuple[str, ...]]]] = {}
    for order in all_orders(center):
        places = [order.index(item) for item in center]
        rows.setdefault(_distance(order, center), []).append((float(weights @ places), order))
    step = (WIDTH - 90) / (max(len(row) for row in rows.values()) - 1)
    step = min(step, 220)
    spots = {}
    for y, row in rows.items():
        for k, (_, order) in enumerate(sorted(row)):
            spots[order] = (step * (k - (len(row) - 1) / 2), y)
    return spots
