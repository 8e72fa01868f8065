"""Equation 4, figures 4, 6 and 11: how surely one system is better than another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import pandas as pd
from matplotlib.axes import Axes

from rankagg.inference.intervals.bounds import hoeffding_radius
from rankagg.plotting.heatmaps import confidence_heatmap
from rankagg.replication.experiment import Bench, Experiment, Found, Picture, Sheet
from rankagg.replication.p2.instance_level import DATA_SETS, metrics_of
from rankagg.replication.panels import beside
from rankagg.replication.verdicts import Value
from rankagg.studies.confidence import ConfidenceResult, ConfidenceStudy
from rankagg.studies.pair_methods import IntervalMethod, PrintedRadius
from rankagg.studies.sources import LatentModel, Observed

__all__ = ["EXPERIMENTS"]

EQUATION, FIGURE, HEAT, MORE = "Equation 4", "Figure 4", "Figure 6", "Figure 11"
NAME = "p2-figure-4"
DRAWN, BOUND = PrintedRadius(radius="figure 4"), PrintedRadius(radius="equation 4")
ALL_PAIRS = IntervalMethod(simultaneous="bonferroni", anytime=True)
HOLM = IntervalMethod(method="clopper-pearson", holm=True)
BY_INSTANCE = IntervalMethod(unit="instance", holm=True)
ALPHA, REMOVED = 0.01, 0.2
#: A data set of 62 systems.
MANY = "tac_08"
#: Figure 4's drawing has steps up to .8; equal systems are added.
STEPS = (0.0, 0.01, 0.142, 0.273, 0.405, 0.537, 0.668, 0.8)
SIZES = (100, 500)
CURVES = (
    "Share of the pairs that are decided, 10 systems, against how far apart they are. The paper "
    'names Eq. 4, and draws the radius that is called "figure 4" here; equal systems, Eq. 4, '
    "bounds for all pairs and Holm's procedure are added."
)
CELLS = (
    "Estimated proportions with 20 % of the scores removed at random; dots are pairs decided by "
    "Eq. 4 at .01. The paper shows other data sets, and how far the interval is from 1/2."
)  # fmt: skip


def run(bench: Bench) -> Found:
    """Bound one proportion, draw figure 4, and decide pairs of the tables that are here."""
    values: dict[tuple[str, str], Value] = {
        (EQUATION, "radius, delta = .01, z = 100"): float(hoeffding_radius(1 / 100, 0.01, sides=1)),
        (EQUATION, "radius on both sides, delta = .01, z = 100"): float(
            hoeffding_radius(1 / 100, 0.01)
        ),
    }
    models = {
        (size, step): LatentModel(step=step, n_systems=10, n_tasks=1, n_instances=size)
        for size in SIZES
        for step in STEPS
    }
    study = ConfidenceStudy(
        models=tuple(models.values()),
        methods=(DRAWN, BOUND, ALL_PAIRS, HOLM),
        n_repetitions=bench.repetitions(100),
    )
    result = bench.run(NAME, study)
    table = result.by_method()
    for (size, step), model in models.items():
        case = f"m = {size}, phi = {step:g}"
        for method, label in ((DRAWN, "its radius"), (BOUND, "Eq. 4")):
            at = model.name, 0.0, ALPHA, method.name
            values[FIGURE, f"share decided by {label}, {case}"] = float(table["decided"][at])
            if step == 0:
                wrong = float(table["any_wrong"][at])
                values[FIGURE, f"tables with a wrong decision, {label}, {case}"] = wrong
    of = {model.name: case for case, model in models.items()}
    frame = _short(result, "any_wrong", "coverage", "covers_all")
    frame.insert(0, "m", [of[name][0] for name in frame["model"]])
    frame.insert(1, "phi", [of[name][1] for name in frame["model"]])
    sheet = Sheet(NAME, "Decided pairs, wrong decisions and coverage.", frame.drop(columns="model"))
    picture = Picture(NAME, CURVES, partial(result.plot, alpha=ALPHA))
    of_tables = _of_tables(bench)
    return Found(
        {**values, **of_tables.values},
        sheets=(sheet, *of_tables.sheets),
        pictures=(picture, *of_tables.pictures),
    )


def _short(result: ConfidenceResult, *more: str) -> pd.DataFrame:
    """Return the shares and widths by model, level and method."""
    table = result.by_method().reset_index()
    return table[["model", "alpha", "method", "decided", "width", *more]]


def _of_tables(bench: Bench) -> Found:
    tables = bench.tables(*DATA_SETS)
    if not tables:
        return Found({})
    study = ConfidenceStudy(
        models=[Observed(label=name, data=metrics_of(table)) for name, table in tables.items()],
        methods=(BOUND, BY_INSTANCE),
        alphas=(ALPHA,),
        proportions=(REMOVED,),
        n_repetitions=bench.repetitions(20),
    )
    result = bench.run(f"{NAME}-tables", study)
    decided = result.by_method()["decided"]
    values: dict[tuple[str, str], Value] = {
        (item, f"share of pairs decided by Eq. 4, {name}"): float(
            decided[name, REMOVED, ALPHA, BOUND.name]
        )
        for item, shown in _shown(tables).items()
        for name in shown
    }
    return Found(
        values,
        sheets=(
            Sheet("p2-figure-11", "Decided pairs by data set.", _short(result, "comparisons")),
        ),
        pictures=tuple(_pictures(result, tuple(tables))),
    )


def _pictures(result: ConfidenceResult, names: tuple[str, ...]) -> Iterator[Picture]:
    """Yield the figures; one of many systems stands alone."""
    for item, shown in _shown(names).items():
        few = tuple(name for name in shown if name != MANY)
        name = f"p2-{item.lower().replace(' ', '-')}"
        if few:
            yield Picture(name, CELLS, partial(draw, result, few))
        if MANY in shown:
            yield Picture(f"{name}-{MANY}", CELLS, partial(confidence_heatmap, result, model=MANY))


def _shown(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return which data sets stand in for those of each figure."""
    names = tuple(names)
    return {
        HEAT: tuple(name for name in names if name == "sum_eval"),
        MORE: tuple(name for name in names if name != "sum_eval"),
    }


def draw(result: ConfidenceResult, names: tuple[str, ...]) -> Axes:
    """Draw the cells of each data set."""
    if len(names) == 1:
        return confidence_heatmap(result, model=names[0])
    return beside([partial(confidence_heatmap, result, model=name) for name in names])


EXPERIMENTS = (
    Experiment(NAME, "how surely a system is better", (EQUATION, FIGURE, HEAT, MORE), run),
)
