"""Items without a rating yet, whose comparisons do not change the ratings of the others."""

from __future__ import annotations

from math import ceil

import numpy as np
import pandas as pd

from rankagg.core import quantity, sentence
from rankagg.core.comparisons import Comparisons

# Fewer comparisons than these, and than this share of the median of all items, are too few.
_FEW, _SHARE = 10, 0.1


def without_newcomers(data: Comparisons) -> tuple[Comparisons, pd.DataFrame]:
    """Return the comparisons of items that can be rated, and a row for each newcomer.

    The rated items are the largest set joined by chains of wins and ties in both directions, each
    with enough comparisons. If these are at most half of all items, no item is a newcomer. A row
    counts the battles of a newcomer with rated items, and gives the reason.
    """
    least = min(float(_FEW), _SHARE * float(np.median(data.counts.sum(axis=1))))
    rated = data
    while True:
        kept = {*sorted(rated.connectivity().groups, key=len)[-1]}
        if len(kept) == rated.n_items:
            kept = set(rated.items.where(rated.counts.sum(axis=1) >= least))
        if len(kept) == rated.n_items or 2 * len(kept) <= data.n_items:
            break
        rated = rated.restrict([item for item in rated.items if item in kept])
    if len(kept) < rated.n_items:
        rated = data
    columns, rows = ["battles", "wins", "ties", "losses", "reason"], {}
    for item in data.items:
        if item not in rated.items:
            counts = data.restrict([*rated.items, item]).connectivity()
            wins, ties, losses = counts.wins[-1], counts.ties[-1], counts.losses[-1]
            met = int(wins + ties + losses)
            rows[item] = [met, wins, ties, losses, _reason(met, wins, least)]
    return rated, pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("item")


def _reason(met: int, wins: int, least: float) -> str:
    if not met:
        return "no battle with a rated item"
    if met < least:
        return sentence("fewer than {} battles", quantity(ceil(least), "battles for a rating"))
    return "won every battle: no finite rating" if wins else "lost every battle: no finite rating"
