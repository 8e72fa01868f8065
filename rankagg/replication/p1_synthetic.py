"""Section 4, Figures 3 and 7: Gumbel scores, corrupted tasks, and a task on another scale."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from rankagg._typing import Floats
from rankagg.distributions.latent_scores import LatentScores
from rankagg.replication.experiment import (
    Bench,
    Experiment,
    Found,
    Picture,
    Sheet,
    Values,
    number_at,
)
from rankagg.studies.corruption import (
    PRINTED,
    CorruptionResult,
    ManipulationResult,
    ManipulationStudy,
    ScalingStudy,
)

REMARK = "Remark 1"
STEPS = (0.05, 0.1, 0.3)
N_SYSTEMS, N_INSTANCES = 20, 200_000
#: Shares that are off by more standard errors than this are others.
ERRORS = 4.5
REPETITIONS = 100
#: The paper's names of the rules.
SAID = {"Mean": "mean", "Borda": "one level", "TwoLevel(Borda, Borda)": "two levels"}
#: What the figures say otherwise than the paper.
LEGEND = "Borda is one level, TwoLevel(Borda, Borda) two levels, and the step is phi."
PAPERS = tuple(rule.name for rule in PRINTED)
#: What the paper calls a large error.
LARGE = 0.9
#: Errors that differ by less are equal.
EQUAL = 1e-9


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


def gumbel_rankings(_: Bench) -> Found:
    """Compare shares of first places with both weights."""
    values: Values = {}
    heights = np.arange(1, N_SYSTEMS + 1)
    for step in STEPS:
        shares = _first_shares(step)
        weights = {"exp(phi n)": np.exp(step * heights), "phi n": step * heights}
        fitting = [name for name, weight in weights.items() if _fits(shares, weight)]
        rankings = LatentScores(step * heights).ranking_distribution()
        best, above = float(shares[-1]), float(rankings.pairwise_probabilities()[1, 0])
        values |= {
            (REMARK, f"weights that fit, phi = {step:g}"): " or ".join(fitting) or "neither",
            (REMARK, f"share of first places of the best system, phi = {step:g}"): best,
            (REMARK, f"chance that a system beats the one below it, phi = {step:g}"): above,
        }
    return Found(values)


def corrupted_tasks(bench: Bench) -> Found:
    """Corrupt more and more tasks."""
    study = ManipulationStudy(n_repetitions=bench.repetitions(REPETITIONS))
    result = bench.run("p1-figure-3", study)
    values: Values = {}
    broken = result.breakdown()
    for row in broken[broken["method"].isin(PAPERS)].to_dict("records"):
        quantity = f"corrupted tasks for an error above .75, {SAID[row['method']]}, phi = "
        values["Section 4.2", f"{quantity}{row['step']:g}"] = float(row["n_corrupted"])
    # The paper's threshold is close to it.
    values["Section 4.2", "error of the mean with 2 corrupted tasks, phi = 0.1"] = number_at(
        result.by_method(), (0.1, 2, "Mean"), "mean_distance"
    )
    for step in study.steps:
        values["Figure 3", f"two levels err least, phi = {step:g}"] = _least(result, step)
    caption = (
        "Normalized distance to the true order as tasks are corrupted. The paper's figure has the "
        "mean, one level and two levels in one panel; here each phi has its own, there are bands, "
        f"and the exact Kemeny rule is added. {LEGEND}"
    )
    return Found(
        values,
        sheets=(_sheet(result, "p1-figure-3"),),
        pictures=(Picture("p1-figure-3", caption, partial(result.plot)),),
    )


def _least(result: ManipulationResult, step: float) -> str:
    """Say whether two levels err least of the paper's rules wherever some tasks are corrupted."""
    errors = result.by_method()["mean_distance"].unstack("method").loc[step][list(PAPERS)]
    # With no task corrupted and with all of them there is nothing to bear.
    inner = errors.to_numpy(float)[1:-1]
    times = int((inner[:, -1] < inner.min(axis=1) + EQUAL).sum())
    return "always" if times == len(inner) else f"for {times} of {len(inner)}"


def rescaled_task(bench: Bench) -> Found:
    """Multiply the scores of one task, as it is and reversed."""
    study = ScalingStudy(n_repetitions=bench.repetitions(REPETITIONS))
    result = bench.run("p1-figure-7", study)
    errors = result.by_method()["mean_distance"].xs("Mean", level="method")
    values: Values = {
        ("Figure 7", "largest error of the mean, rescaled"): float(errors.loc[False].max()),
        ("Figure 7", "error of one level depends on the factor"): _depends(result),
    }
    for step, factor in ((0.05, 2), (0.3, 6), (0.3, 7)):
        for is_reversed, how in ((False, "rescaled"), (True, "rescaled and reversed")):
            error = float(errors.loc[is_reversed, step, factor])
            where = f"phi = {step:g}, factor {factor}"
            values["Figure 7", f"error of the mean, {how}, {where}"] = error
            if factor != 6:
                claim = f"error of the mean above .9, {how}, {where}"
                values["Section 4.3", claim] = "yes" if error > LARGE else "no"
    caption = (
        "Normalized distance to the true order as the scores of one task are multiplied: as the "
        "paper says (rescaled) and as its figure was made (reversed as well). The paper's figure "
        f"has one panel, phi = 0.05 and 0.3, and factors from 2. {LEGEND}"
    )
    return Found(
        values,
        sheets=(_sheet(result, "p1-figure-7"),),
        pictures=(Picture("p1-figure-7", caption, partial(result.plot)),),
    )


def _depends(result: CorruptionResult) -> str:
    errors = result.by_method()["mean_distance"].xs("Borda", level="method").unstack("factor")
    return "yes" if (errors.nunique(axis=1) > 1).any() else "no"


def _sheet(result: CorruptionResult, name: str) -> Sheet:
    table = result.by_method().reset_index()
    columns: list[str] = [
        str(column) for column in table if column not in ("median_runtime", "failed", "se_top1")
    ]
    frame: pd.DataFrame = table[columns]
    return Sheet(name, "Distances to the true order, over all tables of each kind.", frame)


EXPERIMENTS = (
    Experiment("p1-remark-1", "Gumbel scores and Plackett-Luce", (REMARK,), gumbel_rankings),
    Experiment(
        "p1-figure-3", "robustness to corrupted tasks", ("Section 4.2", "Figure 3"),
        corrupted_tasks,
    ),
    Experiment(
        "p1-figure-7", "robustness to scaling", ("Section 4.3", "Figure 7"), rescaled_task
    ),
)  # fmt: skip
