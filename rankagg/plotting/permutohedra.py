"""All orders of a few items as a graph, with what each one costs."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Final

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from rankagg._typing import Label, Ranks
from rankagg.aggregation.result import Consensus
from rankagg.core.items import counted, shortened
from rankagg.core.rankings.partial import Permutation
from rankagg.exceptions import Described, InvalidInputError
from rankagg.plotting.sheet import add_height, note_height, widest, write_below
from rankagg.plotting.theme import ACCENTS, GRAY, INK, SHARES, canvas
from rankagg.teaching.steps import Steps

#: Five items have 120 orders, which nobody tells apart in a picture.
MOST_ITEMS: Final = 4

Order = tuple[int, ...]


def permutohedron_plot(consensus: Consensus | Steps, *, ax: Axes | None = None) -> Axes:
    """Draw all orders of up to four items with their Kemeny costs; a line is a swap of neighbors.

    The cheapest order stands at the bottom, and the others above it by how many pairs they have
    the other way round. Darker orders cost more. Optima have a thick frame, and below what the
    rule returned is a triangle.

    Parameters
    ----------
    consensus : Consensus or Steps
        Of any rule; costs are those of its votes.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If the steps are of no rule, or there are more than four items.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> steps = ra.show_steps(ra.Kemeny(), ra.datasets.load("condorcet_1785"))
    >>> ax = plotting.permutohedron_plot(steps)
    >>> [text.get_text().split() for text in ax.texts if text.get_gid() == "order"][0]
    ['ABC', '80']
    """
    consensus = _consensus_of(consensus)
    n = len(consensus.items)
    costs = {
        order: consensus.cost_of(
            Permutation.from_order(consensus.items.at(order), items=consensus.items)
        )
        for order in permutations(range(n))
    }
    names, key = _names(consensus.items.labels)
    best = min(costs, key=lambda order: (costs[order], order))
    spots = _spots(costs, best)
    labels = {order: _label(order, names, cost) for order, cost in costs.items()}
    notes = _notes(consensus, key)
    across = max(sum(y == level for _, y in spots.values()) for level in range(n * n))
    step = widest([line for label in labels.values() for line in label.split("\n")]) + 3.0
    width, height = step * (max(across, 2) + 0.5), 4.2 * (n * (n - 1) // 2 + 1)
    new = ax is None
    ax = canvas(ax, max(width, 22), height)
    _draw_swaps(ax, spots)
    _draw_orders(ax, spots, labels, costs)
    _mark_answers(ax, consensus, spots)
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set_xlim(-across / 2 - 0.25, across / 2 + 0.25)
    ax.set_ylim(-0.8, n * (n - 1) / 2 + 0.6)
    if new:
        add_height(ax, note_height(notes, max(width, 22)))
    write_below(ax, notes, max(width, 22) if new else None)
    return ax


def _consensus_of(given: object) -> Consensus:
    consensus = given.consensus if isinstance(given, Steps) else given
    if not isinstance(consensus, Consensus):
        raise InvalidInputError(
            "consensus",
            "a Consensus, or Steps of a rule",
            given,
            "`rankagg.show_steps` makes some.",
        )
    n = len(consensus.items)
    if n > MOST_ITEMS:
        raise InvalidInputError(
            "consensus", f"of at most {MOST_ITEMS} items", Described(counted(n, "item")),
            "`profile.restrict` leaves some out.",
        )  # fmt: skip
    return consensus


def _names(labels: tuple[Label, ...]) -> tuple[list[str], str]:
    """Return a letter or two for each item, and what they stand for where they are not labels."""
    texts = [" ".join(str(label).split()) for label in labels]
    if all(0 < len(text) <= 2 for text in texts):
        return texts, ""
    letters = [text[:1].upper() for text in texts]
    if len(set(letters)) < len(letters) or not all(letter.isalpha() for letter in letters):
        letters = list("ABCD"[: len(texts)])
    parts = (f"{a} {shortened(b, 24)}" for a, b in zip(letters, texts, strict=True))
    return letters, ", ".join(parts)


def _label(order: Order, names: list[str], cost: float) -> str:
    between = "" if all(len(name) == 1 for name in names) else " "
    return f"{between.join(names[i] for i in order)}\n{cost:.6g}"


def _spots(costs: dict[Order, float], best: Order) -> dict[Order, tuple[float, int]]:
    """Put orders as high as their distance to the best, side by side as their neighbors are."""
    place = {item: at for at, item in enumerate(best)}
    levels: dict[int, list[tuple[int, list[int], Order]]] = {}
    for order in costs:
        seen = [place[item] for item in order]
        turned = sum(a > b for a, b in combinations(seen, 2))
        # A look from the side on which the fewest lines cross: none of three items, eight of four.
        look = seen.index(0) + seen.index(len(seen) - 1)
        levels.setdefault(turned, []).append((look, seen, order))
    return {
        order: (at - (len(level) - 1) / 2, height)
        for height, level in levels.items()
        for at, (*_, order) in enumerate(sorted(level))
    }


def _draw_swaps(ax: Axes, spots: dict[Order, tuple[float, int]]) -> None:
    for order, spot in spots.items():
        for k in range(len(order) - 1):
            other = (*order[:k], order[k + 1], order[k], *order[k + 2 :])
            if order < other:
                ax.plot(*zip(spot, spots[other], strict=True), color=GRAY, zorder=1, gid="swap")


def _draw_orders(
    ax: Axes,
    spots: dict[Order, tuple[float, int]],
    labels: dict[Order, str],
    costs: dict[Order, float],
) -> None:
    width, least = float(mpl.rcParams["lines.linewidth"]), min(costs.values())
    span = max(costs.values()) - least
    for order, spot in spots.items():
        # No darker than ink is read on.
        shade = SHARES(0.42 * (costs[order] - least) / span if span else 0.0)
        is_least = costs[order] == least
        ax.annotate(
            labels[order], spot, ha="center", va="center", color=INK, gid="order",
            parse_math=False, zorder=3,
            bbox={
                "boxstyle": "round,pad=0.3", "facecolor": shade,
                "edgecolor": ACCENTS[1] if is_least else GRAY,
                "linewidth": 2 * width if is_least else 0.6 * width,
            },
        )  # fmt: skip


def _mark_answers(ax: Axes, consensus: Consensus, spots: dict[Order, tuple[float, int]]) -> None:
    for order, (x, y) in spots.items():
        if _is_answer(consensus.ranking.ranks, order):
            ax.plot(
                [x], [y - 0.44], marker="^", color=ACCENTS[0], linestyle="", zorder=4, gid="answer"
            )


def _is_answer(ranks: Ranks, order: Order) -> bool:
    """Say whether an order breaks the ties of a ranking of all items; all do where none is."""
    along = ranks[list(order)]
    return bool((along >= 0).all() and (np.diff(along) >= 0).all())


def _notes(consensus: Consensus, key: str) -> list[str]:
    name = consensus.aggregator.name
    ranking = consensus.ranking
    if not ranking.is_complete:
        told = f"{name} leaves items out, so no order is marked as its own."
    elif ranking.is_strict:
        told = f"Triangle: what {name} returns."
    else:
        told = f"Triangles: the orders that break the ties of {name}."
    return [
        "Orders, best first, and the votes that each contradicts; thick frames: the least. "
        "A line swaps two neighbors.",
        told, key,
    ]  # fmt: skip
