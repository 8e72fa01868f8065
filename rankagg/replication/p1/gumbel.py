"""Section 4.1, Remark 1: rankings of Gumbel scores are Plackett-Luce, but with other weights."""

from __future__ import annotations

import numpy as np

from rankagg._typing import Floats
from rankagg.distributions.latent_scores import LatentScores
from rankagg.replication.experiment import Bench, Experiment, Found
from rankagg.replication.verdicts import Value

__all__ = ["EXPERIMENTS"]

ITEM = "Remark 1"
STEPS = (0.05, 0.1, 0.3)
N_SYSTEMS, N_INSTANCES = 20, 100_000
#: Shares that are off by more standard errors than this are others.
ERRORS = 4.5


def _first_shares(step: float) -> Floats:
    """Draw instances, and return the share of them that each system is first on."""
    heights = np.arange(1, N_SYSTEMS + 1)
    table = LatentScores(step * heights).sample(1, N_INSTANCES, rng=0)
    wins = np.bincount(table.values.argmax(axis=0), minlength=N_SYSTEMS)
    return wins / N_INSTANCES


def _fits(shares: Floats, weights: Floats) -> bool:
    expected = weights / weights.sum()
    error = np.sqrt(expected * (1 - expected) / N_INSTANCES)
    return bool((np.abs(shares - expected) < ERRORS * error).all())


def run(_: Bench) -> Found:
    """Compare shares of first places with both weights."""
    values: dict[tuple[str, str], Value] = {}
    heights = np.arange(1, N_SYSTEMS + 1)
    for step in STEPS:
        shares = _first_shares(step)
        weights = {"exp(phi n)": np.exp(step * heights), "phi n": step * heights}
        fitting = [name for name, weight in weights.items() if _fits(shares, weight)]
        rankings = LatentScores(step * heights).ranking_distribution()
        above = float(rankings.pairwise_probabilities()[1, 0])
        values |= {
            (ITEM, f"weights that fit, phi = {step:g}"): " or ".join(fitting) or "neither",
            (ITEM, f"share of first places of the best system, phi = {step:g}"): float(shares[-1]),
            (ITEM, f"chance that a system beats the one below it, phi = {step:g}"): above,
        }
    return Found(values)


EXPERIMENTS = (Experiment("p1-remark-1", "Gumbel scores and Plackett-Luce", (ITEM,), run),)
