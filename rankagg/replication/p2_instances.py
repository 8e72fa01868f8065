"""Instances of the second paper: missing ones, confidence, and the sizes of its data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import combinations

import pandas as pd
from matplotlib.axes import Axes

from rankagg.core.scores import ScoreTable
from rankagg.inference.intervals.bounds import hoeffding_radius
from rankagg.plotting.heatmaps import confidence_heatmap
from rankagg.replication.experiment import Bench, Experiment, Found, Picture, Sheet
from rankagg.replication.p2_tasks import RULES
from rankagg.replication.panels import beside
from rankagg.replication.published import Value
from rankagg.studies.confidence import ConfidenceResult, ConfidenceStudy
from rankagg.studies.missing_scores import MissingScoresResult, MissingScoresStudy
from rankagg.studies.pair_methods import IntervalMethod, PrintedRadius
from rankagg.studies.sources import LatentModel, Observed

INSTANCE_NAME = "p2-figure-5"
INSTANCE_FIGURE, INSTANCE_MORE, TAUS, TOPS, WORDS = (
    "Figure 5",
    "Figure 10",
    "Table 3",
    "Table 4",
    "Section 4.3",
)
INSTANCE_ITEMS = (INSTANCE_FIGURE, INSTANCE_MORE, TAUS, TOPS, WORDS)
DATA_SETS = ("dialog_pc", "dialog_tc", "flickr", "sum_eval", "tac_08")
LEVELS = tuple(level / 10 for level in range(10))
#: Which of the data sets a figure of the paper may have.
SHOWN = {INSTANCE_FIGURE: DATA_SETS[2:], INSTANCE_MORE: DATA_SETS[:2]}


def metrics_of(table: ScoreTable) -> ScoreTable:
    """Return the automatic metrics; human judgments are what those are measured by."""
    return table.drop(tasks=[task for task in table.tasks if str(task).startswith("H:")])


def run_instance(bench: Bench) -> Found:
    """Remove a system's scores on a metric, on the data sets that are here."""
    tables = bench.tables(*DATA_SETS)
    if not tables:
        return Found({})
    study = MissingScoresStudy(
        models=[Observed(label=name, data=metrics_of(table)) for name, table in tables.items()],
        aggregators=tuple(RULES.values()),
        proportions=LEVELS,
        n_repetitions=bench.repetitions(100),
    )
    result = bench.run(INSTANCE_NAME, study)
    caption = (
        "Tau with the ranking of the full data while systems lose all scores on a metric. The "
        "paper's figures are of other data sets, most of them translations."
    )
    pairs = result.by_pair(pooled=True).reset_index().drop(columns="scale")
    return Found(
        _robustness(result) | _agreement(result),
        sheets=(Sheet("p2-table-3", "Agreement of the rules, by data set.", pairs),),
        pictures=tuple(
            Picture(_file_of(figure), caption, partial(draw_instance, result, shown))
            for figure, names in SHOWN.items()
            if (shown := tuple(name for name in names if name in tables))
        ),
        sentences=tuple(result.summary().splitlines()[-len(tables) :]),
    )  # fmt: skip


def _file_of(figure: str) -> str:
    return f"p2-{figure.lower().replace(' ', '-')}"


def draw_instance(result: MissingScoresResult, names: tuple[str, ...]) -> Axes:
    """Draw a panel for each data set."""
    return beside([partial(result.plot, model=name) for name in names])


def _robustness(result: MissingScoresResult) -> dict[tuple[str, str], Value]:
    frame = result.to_frame()
    frame = frame[frame["proportion"] > 0]
    means = frame.groupby(["model", "method"])["tau"].mean()
    rules = dict(zip(RULES, result.study.methods, strict=True))
    values: dict[tuple[str, str], Value] = {}
    for figure, names in SHOWN.items():
        for name in names:
            if name in means:
                values |= {
                    (figure, f"tau with the full data, {rule}, {name}"): float(means[name, method])
                    for rule, method in rules.items()
                }
    overall = {rule: means.xs(method, level="method").mean() for rule, method in rules.items()}
    values[WORDS, "the most robust rule"] = max(overall, key=lambda rule: float(overall[rule]))
    for rule, tau in overall.items():
        values[WORDS, f"tau with the full data, {rule}"] = float(tau)
    return values


def _agreement(result: MissingScoresResult) -> dict[tuple[str, str], Value]:
    """Pool all data sets and proportions, as the paper's tables do."""
    methods = dict(zip(result.study.methods, RULES, strict=True))
    pairs = result.by_pair().reset_index()
    pairs["square"] = pairs["sd_tau"] ** 2 * (pairs["defined"] - 1)
    values: dict[tuple[str, str], Value] = {}
    for one, other in combinations(methods, 2):
        part = pairs[(pairs["method"] == one) & (pairs["other"] == other)]
        label = f"{methods[one]} and {methods[other]}"
        weights = part["defined"] / part["defined"].sum()
        tau = float((weights * part["mean_tau"]).sum())
        # Within the cells of the grid, and between them.
        within = part["square"].sum() / part["defined"].sum()
        between = (weights * (part["mean_tau"] - tau) ** 2).sum()
        values |= {
            (TAUS, f"tau, {label}"): tau,
            (TAUS, f"standard deviation of tau, {label}"): float((within + between) ** 0.5),
            (TOPS, f"top 1, {label}"): float(part["mean_top1"].mean()),
            (TOPS, f"top 3, {label}"): float(part["mean_same_top3"].mean()),
        }
    return values


INSTANCE_EXPERIMENTS = (
    Experiment(INSTANCE_NAME, "scores of instances go missing", INSTANCE_ITEMS, run_instance),
)


EQUATION, CONFIDENCE_FIGURE, HEAT, CONFIDENCE_MORE = (
    "Equation 4",
    "Figure 4",
    "Figure 6",
    "Figure 11",
)
CONFIDENCE_NAME = "p2-figure-4"
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


def run_confidence(bench: Bench) -> Found:
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
    result = bench.run(CONFIDENCE_NAME, study)
    table = result.by_method()
    for (size, step), model in models.items():
        case = f"m = {size}, phi = {step:g}"
        for method, label in ((DRAWN, "its radius"), (BOUND, "Eq. 4")):
            at = model.name, 0.0, ALPHA, method.name
            values[CONFIDENCE_FIGURE, f"share decided by {label}, {case}"] = float(
                table["decided"][at]
            )
            if step == 0:
                wrong = float(table["any_wrong"][at])
                values[CONFIDENCE_FIGURE, f"tables with a wrong decision, {label}, {case}"] = wrong
    of = {model.name: case for case, model in models.items()}
    frame = _short(result, "any_wrong", "coverage", "covers_all")
    frame.insert(0, "m", [of[name][0] for name in frame["model"]])
    frame.insert(1, "phi", [of[name][1] for name in frame["model"]])
    sheet = Sheet(
        CONFIDENCE_NAME, "Decided pairs, wrong decisions and coverage.", frame.drop(columns="model")
    )
    picture = Picture(CONFIDENCE_NAME, CURVES, partial(result.plot, alpha=ALPHA))
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
    result = bench.run(f"{CONFIDENCE_NAME}-tables", study)
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
            yield Picture(name, CELLS, partial(draw_confidence, result, few))
        if MANY in shown:
            yield Picture(f"{name}-{MANY}", CELLS, partial(confidence_heatmap, result, model=MANY))


def _shown(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return which data sets stand in for those of each figure."""
    names = tuple(names)
    return {
        HEAT: tuple(name for name in names if name == "sum_eval"),
        CONFIDENCE_MORE: tuple(name for name in names if name != "sum_eval"),
    }


def draw_confidence(result: ConfidenceResult, names: tuple[str, ...]) -> Axes:
    """Draw the cells of each data set."""
    if len(names) == 1:
        return confidence_heatmap(result, model=names[0])
    return beside([partial(confidence_heatmap, result, model=name) for name in names])


CONFIDENCE_EXPERIMENTS = (
    Experiment(
        CONFIDENCE_NAME,
        "how surely a system is better",
        (EQUATION, CONFIDENCE_FIGURE, HEAT, CONFIDENCE_MORE),
        run_confidence,
    ),
)


SYSTEMS, SENTENCES, PER_SYSTEM, SIZE = "Figure 7", "Figure 8", "Figure 9", "Section 4.1"
LEADERBOARDS, EFFORT = "Appendix B.1", "Computing time"
STATISTIC_ITEMS = ("Figure 1", SIZE, LEADERBOARDS, SYSTEMS, SENTENCES, PER_SYSTEM, EFFORT)


def run_statistic(bench: Bench) -> Found:
    """Count systems, sentences and scores of what is here."""
    values: dict[tuple[str, str], Value] = {}
    for name, table in bench.tables("GLUE", "SuperGLUE", "XTREME", "GEM of 22").items():
        values[LEADERBOARDS, f"systems, {name.split()[0]}"] = float(table.n_systems)
    for table in bench.tables("dialogue with gaps").values():
        # Variants of a metric have its name and one of their own.
        kinds = {str(task).lower().split("_")[0] for task in table.tasks}
        values[SIZE, "kinds of metrics, dialogue"] = float(len(kinds))
        values[SIZE, "metrics with their variants, dialogue"] = float(table.n_tasks)
    sizes = {name: _size(table) for name, table in bench.tables(*DATA_SETS).items()}
    for name, size in sizes.items():
        values |= {
            (SYSTEMS, f"systems, {name}"): size["systems"],
            (SENTENCES, f"sentences, {name}"): size["sentences"],
            (PER_SYSTEM, f"sentences per system, {name}"): size["sentences per system"],
        }
    if len(sizes) < len(DATA_SETS):
        return Found(values)
    systems = [size["systems"] for size in sizes.values()]
    values |= {
        (SYSTEMS, "fewest systems of a data set"): min(systems),
        (SYSTEMS, "most systems of a data set"): max(systems),
        (SIZE, "scores of instances that are here"): sum(size["scores"] for size in sizes.values()),
    }
    frame = pd.DataFrame(sizes).T.rename_axis("data set").reset_index()
    caption = "Sizes of the data sets that are here; scores of automatic metrics."
    return Found(values, sheets=(Sheet("p2-sizes", caption, frame),))


def _size(table: ScoreTable) -> dict[str, float]:
    metrics = metrics_of(table)
    instances = metrics.n_units // metrics.n_tasks
    return {
        "systems": float(metrics.n_systems),
        "sentences": float(metrics.n_systems * instances),
        "sentences per system": float(instances),
        "metrics": float(metrics.n_tasks),
        "scores": float(metrics.values.size - metrics.n_missing),
    }


STATISTIC_EXPERIMENTS = (
    Experiment("p2-figure-7", "how large the data are", STATISTIC_ITEMS, run_statistic),
)
