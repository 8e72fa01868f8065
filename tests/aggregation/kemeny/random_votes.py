"""Votes of few items of every kind."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from random import Random

import numpy as np

import rankagg as ra


def random_votes(
    rng: Random, n: int, items: Iterable[int | str] | None = None
) -> ra.PairwiseMatrix:
    """Return votes of any kind: rankings with gaps, ties and weights, or plain matrices."""
    if rng.random() < 0.3:
        wins = [[rng.randrange(6) for _ in range(n)] for _ in range(n)]
        ties = [[0] * n for _ in range(n)]
        for i, j in combinations(range(n), 2):
            ties[i][j] = ties[j][i] = rng.randrange(4)
        return ra.PairwiseMatrix.from_wins(wins, ties=ties, items=items)
    levels = rng.choice((2, n, n))
    rows = [
        [float("nan") if rng.random() < 0.15 else 1 + rng.randrange(levels) for _ in range(n)]
        for _ in range(rng.randrange(1, 8))
    ]
    rows = [row if not np.isnan(row).all() else [1.0] * n for row in rows]
    weights = [rng.choice((1.0, 2.0, 0.5, 1 / 3, 0.1)) for _ in rows]
    profile = ra.Profile.from_ranks(rows, weights=weights, items=items)
    return profile.with_unranked(rng.choice(("uniform", "ignore", "last"))).pairwise()
