"""Figure 3: scores go missing, and one task is on another scale."""

from __future__ import annotations

from functools import partial
from typing import Final

from matplotlib.axes import Axes

from rankagg.aggregation.means import Mean
from rankagg.aggregation.positional import Borda
from rankagg.aggregation.two_level import TwoLevel
from rankagg.replication.experiment import Bench, Experiment, Found, Picture, Sheet
from rankagg.replication.panels import beside
from rankagg.replication.verdicts import Value
from rankagg.studies.missing_scores import MissingScoresResult, MissingScoresStudy
from rankagg.studies.sources import LatentModel

__all__ = ["EXPERIMENTS", "RULES"]

NAME, FIGURE = "p2-figure-3", "Figure 3"
RULES: Final = {
    "mean": Mean(),
    "one level": Borda(unranked="uniform"),
    "two levels": TwoLevel(Borda(unranked="uniform"), Borda(unranked="uniform")),
}
STEP = 0.1
FACTORS = (1.0, 3.0, 10.0, 30.0)
LEVELS = (0.0, 0.2, 0.4, 0.6, 0.8)
SHOWN = (0.0, 0.4)


def run(bench: Bench) -> Found:
    """Draw scores of 20 systems, tasks and instances, scale a task, and remove scores."""
    study = MissingScoresStudy(
        models=[LatentModel(step=STEP)],
        aggregators=tuple(RULES.values()),
        proportions=LEVELS,
        scales=FACTORS,
        n_repetitions=bench.repetitions(100),
    )
    result = bench.run(NAME, study)
    table = result.by_method()["mean_tau"].droplevel("model")
    values: dict[tuple[str, str], Value] = {
        (FIGURE, f"tau, {rule}, factor {factor:g}, {share:.0%} removed"): float(
            table[factor, share, method]
        )
        for factor in FACTORS
        for share in SHOWN
        for rule, method in zip(RULES, study.methods, strict=True)
    }
    frame = table.unstack("proportion").reset_index()
    frame.columns = [str(name) for name in frame.columns]
    caption = (
        f"Tau with the ranking of the full and unscaled data, step {STEP:g}, while scores are "
        "removed and those of one task are multiplied by a positive factor, as the text says. The "
        "paper's figure has no numbers, and its run also reversed that task."
    )
    return Found(
        values,
        sheets=(Sheet(NAME, "Mean tau by factor, rule and proportion removed.", frame),),
        pictures=(Picture(NAME, caption, partial(draw, result)),),
        sentences=tuple(result.summary().splitlines()[-len(FACTORS) :]),
    )


def draw(result: MissingScoresResult) -> Axes:
    """Draw a panel for each factor."""
    return beside([partial(result.plot, scale=factor) for factor in FACTORS])


EXPERIMENTS = (Experiment(NAME, "missing scores and a task on another scale", (FIGURE,), run),)
