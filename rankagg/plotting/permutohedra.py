"""All orders of a few items as a graph, with what each one costs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes

from rankagg._typing import Label
from rankagg.aggregation import Consensus
from rankagg.core import Permutation, counted, shortened
from rankagg.exceptions import Described, InvalidInputError
from rankagg.plotting.heatmaps import SIDES
from rankagg.plotting.sheet import PlotSheet, open_frame, text_width
from rankagg.plotting.theme import ACCENTS, GRAY, INK, SHARE_COLORS, plot_of, stroke
from rankagg.teaching import Steps

#: Five items have 120 orders, which nobody tells apart in a picture.
MOST_PERMUTED: Final = 4

Order = tuple[int, ...]


@plot_of()
def permutohedron_plot(consensus: Consensus | Steps, *, ax: Axes | None = None) -> Axes:
    """Draw all orders of up to four items with their Kemeny costs; a line is a swap of neighbors.

    The cheapest order stands at the bottom, and the others above it by how many pairs they have
    the other way round. Darker orders cost more. Optima have a thick frame, and below what the
    rule returned is a triangle.

    Parameters
    ----------
    consensus : Consensus or Steps
        Of any rule; costs are those of its votes.

    Raises
    ------
    InvalidInputError
        If the steps are of no rule, or there are more than four items.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> steps = ra.teaching.show_steps(ra.Kemeny(), ra.datasets.load("condorcet_1785"))
    >>> ax = plotting.permutohedron_plot(steps)
    >>> [text.get_text().split() for text in ax.texts if text.get_gid() == "order"][0]
    ['BCA', '76']
    """
    consensus = _consensus_of(consensus)
    items, n = consensus.items, len(consensus.items)
    costs = {
        order: consensus.cost_of(Permutation.from_order(items.at(order), items=items))
        for order in permutations(range(n))
    }
    names, key = _item_letters(items.labels)
    best = min(costs, key=lambda order: (costs[order], order))
    spots = _order_spots(best)
    between = "" if all(len(name) == 1 for name in names) else " "
    labels = {
        order: f"{between.join(names[i] for i in order)}\n{cost:.6g}"
        for order, cost in costs.items()
    }
    levels = [height for _, height in spots.values()]
    across = max(levels.count(level) for level in levels)
    width = (text_width(labels.values()) + 3.0) * (max(across, 2) + 0.5)
    sheet = PlotSheet(ax, max(width, 22.0), 4.2 * (max(levels) + 1))
    ax = sheet.ax
    for order, spot in spots.items():
        for k in range(n - 1):
            other = (*order[:k], order[k + 1], order[k], *order[k + 2 :])
            if order < other:
                ax.plot(*zip(spot, spots[other], strict=True), color=GRAY, zorder=1, gid="swap")
    least = min(costs.values())
    span = max(costs.values()) - least or 1.0
    for order, (x, y) in spots.items():
        # No darker than ink is read on.
        shade = SHARE_COLORS(0.42 * (costs[order] - least) / span)
        edge, width = (ACCENTS[1], stroke(2)) if costs[order] == least else (GRAY, stroke(0.6))
        box: dict[str, Any] = {"boxstyle": "round,pad=0.3", "fc": shade, "ec": edge, "lw": width}
        text = ax.annotate(labels[order], (x, y), color=INK, zorder=3, bbox=box)
        text.set(ha="center", va="center", parse_math=False, gid="order")
        # It breaks the ties of a ranking of all items; all do where none is.
        along = consensus.ranking.ranks[list(order)]
        if (along >= 0).all() and (np.diff(along) >= 0).all():
            ax.plot(x, y - 0.44, "^", color=ACCENTS[0], zorder=4, gid="answer")
    ax.set_xticks([])
    ax.set_yticks([])
    open_frame(ax, SIDES, "")
    ax.set_xlim(-across / 2 - 0.25, across / 2 + 0.25)
    ax.set_ylim(-0.8, max(levels) + 0.6)
    name, ranking = consensus.rule.name, consensus.ranking
    told = f"Triangles: the orders that break the ties of {name}."
    if not ranking.is_complete:
        told = f"{name} leaves items out, so no order is marked as its own."
    elif ranking.is_strict:
        told = f"Triangle: what {name} returns."
    orders = "Orders, best first, and the votes that each contradicts; thick frames: the least."
    return sheet.finish([f"{orders} A line swaps two neighbors.", told, key])


def _consensus_of(given: object) -> Consensus:
    consensus = given.consensus if isinstance(given, Steps) else given
    if not isinstance(consensus, Consensus):
        remedy = "`rankagg.teaching.show_steps` makes some."
        raise InvalidInputError("consensus", "a Consensus, or Steps of a rule", given, remedy)
    n = len(consensus.items)
    if n > MOST_PERMUTED:
        allowed, got = f"of at most {MOST_PERMUTED} items", Described(counted(n, "item"))
        raise InvalidInputError("consensus", allowed, got, "`profile.restrict` leaves some out.")
    return consensus


def _item_letters(labels: tuple[Label, ...]) -> tuple[list[str], str]:
    """Return a letter or two for each item, and what they stand for where they are not labels."""
    texts = [" ".join(str(label).split()) for label in labels]
    if all(0 < len(text) <= 2 for text in texts):
        return texts, ""
    letters = [text[:1].upper() for text in texts]
    if len(set(letters)) < len(letters) or not all(letter.isalpha() for letter in letters):
        letters = list("ABCD"[: len(texts)])
    parts = (f"{a} {shortened(b, 24)}" for a, b in zip(letters, texts, strict=True))
    return letters, ", ".join(parts)


def _order_spots(best: Sequence[Any]) -> dict[Any, tuple[float, int]]:
    """Put orders as high as their distance to the best, side by side as their neighbors are."""
    levels: dict[int, list[tuple[int, list[int], Any]]] = {}
    for order in permutations(best):
        seen = [best.index(item) for item in order]
        turned = sum(a > b for a, b in combinations(seen, 2))
        # A look from the side on which the fewest lines cross: none of three items, eight of four.
        look = seen.index(0) + seen.index(len(seen) - 1)
        levels.setdefault(turned, []).append((look, seen, order))
    return {
        order: (at - (len(level) - 1) / 2, height)
        for height, level in levels.items()
        for at, (*_, order) in enumerate(sorted(level))
    }
