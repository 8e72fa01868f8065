"""What chance does: distributions over all rankings, and boards whose tasks are drawn again."""

from __future__ import annotations

from functools import cache
from html import escape

import numpy as np

import rankagg as ra
from page import counted, shortened
from pictures import Vertex, all_orders, svg


def make_model(model: str, center: str, strength: float) -> ra.Mallows | ra.PlackettLuce:
    """Return a distribution that is uniform at 0 and concentrates as the parameter grows.

    Examples
    --------
    >>> probabilities(make_model("Mallows", "ABC", 0.0), "ABC").round(3)
    array([0.167, 0.167, 0.167, 0.167, 0.167, 0.167])
    """
    if model == "Mallows":
        return ra.Mallows(center, strength)
    return ra.PlackettLuce([-strength * place for place in range(len(center))], items=center)


def probabilities(model: ra.Mallows | ra.PlackettLuce, center: str) -> np.ndarray:
    """Return the probability of each order, as `all_orders` lists them."""
    orders = all_orders(center)
    found: np.ndarray = np.exp(model.log_probs(ra.Profile.from_orders(orders)))
    return found


def vertices(model: ra.Mallows | ra.PlackettLuce, center: str) -> dict[tuple[str, ...], Vertex]:
    """Return how each order is drawn: area in proportion to probability, the most probable full."""
    shares = probabilities(model, center)
    return {
        order: Vertex(share / shares.max(), "strong", f"probability {share:.3g}")
        for order, share in zip(all_orders(center), shares, strict=True)
    }


def model_told(model: ra.Mallows | ra.PlackettLuce, center: str) -> tuple[str, str]:
    """Say where the probability is, and what the model is."""
    shares = probabilities(model, center)
    top = ra.Permutation.from_order(center)
    away = np.array(
        [ra.kendall_distance(ra.Permutation.from_order(one), top) for one in all_orders(center)]
    )
    last = f"{' > '.join(reversed(center))} has {shares[-1]:.2%}"
    text = (
        f"{' > '.join(center)} has probability {shares[0]:.1%} and {last}; a ranking is "
        f"{float(shares @ away):.2f} swaps from the top on average."
    )
    if isinstance(model, ra.Mallows):
        return text, (
            "Mallows: each swap multiplies the probability by exp(-theta), which is "
            f"{model.phi:.2f}, so all rankings of a row are equal."
        )
    ratio = float(model.worths[0] / model.worths[1])
    return text, (
        "Plackett-Luce: choose the first, then the next of those left, in proportion to worth. "
        f"Each item has the worth of the next by the factor {ratio:.2f}; rankings of a row differ."
    )


DRAWS = 200
ROW, LEFT, CELL = 62, 280, 92


@cache
def board(name: str) -> ra.Profile:
    """Return a bundled table of scores as one ranking a task."""
    table = ra.datasets.load(name)
    assert isinstance(table, ra.ScoreTable), "a table of scores is offered"
    return table.rankings()


def _drawn(profile: ra.Profile, n_tasks: int, seed: int) -> ra.Profile:
    chosen = np.random.default_rng([seed, n_tasks]).integers(len(profile), size=n_tasks)
    ranks = np.where(profile.ranks == ra.UNRANKED, np.nan, profile.ranks + 1)[chosen]
    return ra.Profile.from_ranks(ranks, items=profile.items)


def draw_tasks(profile: ra.Profile, n_tasks: int, seed: int) -> ra.inference.RankIntervals:
    """Draw tasks with replacement, rank by Borda, and bound the ranks from the draw alone.

    Examples
    --------
    >>> draw = draw_tasks(board("superglue_human"), 40, seed=1)
    >>> bool(((draw.best <= draw.rank) & (draw.rank <= draw.worst)).all())
    True
    """
    return ra.rank_intervals(_drawn(profile, n_tasks, seed), rng=0)


def shares_of_ranks(profile: ra.Profile, n_tasks: int) -> np.ndarray:
    """Return how often each item takes each rank by Borda, in `DRAWS` draws of tasks."""
    counts = np.zeros((len(profile.items), len(profile.items)))
    rule, rows = ra.Borda(), np.arange(len(profile.items))
    for seed in range(DRAWS):
        ranks = rule.aggregate(_drawn(profile, n_tasks, seed)).ranking.ranks
        # Those that tie share the rank that is one more than the number above them.
        counts[rows, (ranks[:, None] > ranks).sum(axis=1)] += 1
    return counts / DRAWS


def ranks_chart(
    profile: ra.Profile,
    truth: np.ndarray,
    draw: ra.inference.RankIntervals,
    shares: np.ndarray,
) -> str:
    """Draw the ranks: shares of all draws as squares, of one draw a dot and its interval."""
    n = len(profile.items)
    cell = min(CELL, 640 / n)
    width, height = LEFT + cell * n + 10, ROW * (n + 1)
    parts = [f'<text x="0" y="{ROW * 0.55:.1f}" font-size="32" fill-opacity=".8">Rank</text>']
    parts += [
        f'<text x="{LEFT + cell * (k + 0.5):.1f}" y="{ROW * 0.55:.1f}" font-size="32" '
        f'text-anchor="middle">{k + 1}</text>'
        for k in range(n)
    ]
    for row, item in enumerate(np.argsort(truth, kind="stable")):
        y = ROW * (row + 1)
        name = profile.items[int(item)]
        parts.append(
            f'<text x="0" y="{y + ROW / 2:.1f}" font-size="32" dominant-baseline="central">'
            f"{escape(shortened(name, 15))}</text>"
        )
        parts += [
            f'<rect x="{LEFT + cell * k + 2:.1f}" y="{y + 2}" width="{cell - 4:.1f}" '
            f'height="{ROW - 4}" rx="5" fill="var(--ra-strong)" fill-opacity="{share * 0.75:.3f}" '
            f'stroke="var(--ra-faint)">'
            f"<title>rank {k + 1} in {share:.0%} of the draws</title></rect>"
            for k, share in enumerate(shares[item])
        ]
        start, end = (LEFT + cell * (rank - 0.5) for rank in (draw.best[item], draw.worst[item]))
        x, middle = LEFT + cell * (draw.rank[item] - 0.5), y + ROW / 2
        missed = not draw.best[item] <= truth[item] <= draw.worst[item]
        look = "var(--ra-warm)" if missed else "var(--ra-text)"
        parts.append(
            f'<g data-item="{escape(str(name))}" data-rank="{draw.rank[item]}" '
            f'data-best="{draw.best[item]}" data-worst="{draw.worst[item]}">'
            f'<line x1="{start - 12:.1f}" y1="{middle}" x2="{end + 12:.1f}" y2="{middle}" '
            f'stroke="{look}" stroke-width="5" stroke-linecap="round"/>'
            f'<circle cx="{x:.1f}" cy="{middle}" r="13" fill="{look}" stroke="var(--ra-ground)" '
            'stroke-width="3"/></g>'
        )
    label = f"Ranks of {counted(n, 'item')}, best first: one draw with intervals, over all draws."
    return svg(f"0 0 {width:.0f} {height}", label, parts)


def true_ranks(profile: ra.Profile) -> np.ndarray:
    """Return the ranks by all tasks, from 1, as Borda has them."""
    ranks = ra.Borda().aggregate(profile).ranking.ranks
    found: np.ndarray = 1 + (ranks[:, None] > ranks).sum(axis=1)
    return found


def draw_told(
    profile: ra.Profile,
    truth: np.ndarray,
    draw: ra.inference.RankIntervals,
    shares: np.ndarray,
) -> str:
    """Say what a draw shows."""
    first = int(np.argmin(truth))
    moved = int((draw.rank != truth).sum())
    covered = int(((draw.best <= truth) & (truth <= draw.worst)).sum())
    n = len(profile.items)
    kept = f"{profile.items[first]} is first in {shares[first, 0]:.0%} of {DRAWS} draws"
    return (
        f"In this draw {moved} of {counted(n, 'item')} changed rank, and {covered} of {n} "
        f"intervals hold the rank by all tasks; {kept}."
    )
