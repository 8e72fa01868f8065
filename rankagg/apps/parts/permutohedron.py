"""All rankings of three or four items, those next to each other joined: one swap apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import permutations
from math import sqrt

import numpy as np

import rankagg as ra
from rankagg.exceptions import InvalidInputError

__all__ = ["Vertex", "all_orders", "permutohedron"]

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
    # What is said of it where the pointer rests.
    told: str
    # Whether it stands out.
    ringed: bool = False


def all_orders(center: Sequence[str]) -> list[tuple[str, ...]]:
    """Return all orders of the items, the nearest to the center first.

    Examples
    --------
    >>> from rankagg.apps.parts.permutohedron import all_orders
    >>> ["".join(order) for order in all_orders("ABC")]
    ['ABC', 'ACB', 'BAC', 'BCA', 'CAB', 'CBA']
    """
    if len(center) not in WEIGHTS:
        raise InvalidInputError("center", "three or four items", center)
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
            f"<title>{escape(' > '.join(order))}: {escape(vertex.told)}</title>"
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.2f}" '
            f'fill="{LOOKS[vertex.look]}"{ring}/>'
            f'<text x="{x:.1f}" y="{y + LARGEST + 26:.1f}" font-size="29" text-anchor="middle" '
            f'stroke="var(--ra-ground)" stroke-width="6" paint-order="stroke">{escape(name)}</text>'
            "</g>"
        )
    label = f"The permutohedron: {' > '.join(center)} on top, a row for each number of swaps."
    return (
        f'<div class="ra"><svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" '
        f'aria-label="{escape(label)}">{"".join(parts)}</svg></div>'
    )


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
