"""Figures 5 and 10, tables 3 and 4: all scores of a system on a task go missing."""

from __future__ import annotations

from functools import partial
from itertools import combinations

from matplotlib.axes import Axes

from rankagg.core.scores import ScoreTable
from rankagg.replication.experiment import Bench, Experiment, Found, Picture, Sheet
from rankagg.replication.p2.drawn import RULES
from rankagg.replication.panels import beside
from rankagg.replication.verdicts import Value
from rankagg.studies.missing_scores import MissingScoresResult, MissingScoresStudy
from rankagg.studies.sources import Observed

__all__ = ["DATA_SETS", "EXPERIMENTS", "metrics_of"]

NAME = "p2-figure-5"
FIGURE, MORE, TAUS, TOPS, WORDS = "Figure 5", "Figure 10", "Table 3", "Table 4", "Section 4.3"
ITEMS = (FIGURE, MORE, TAUS, TOPS, WORDS)
DATA_SETS = ("dialog_pc", "dialog_tc", "flickr", "sum_eval", "tac_08")
LEVELS = tuple(level / 10 for level in range(10))
#: Which of the data sets a figure of the paper may have.
SHOWN = {FIGURE: DATA_SETS[2:], MORE: DATA_SETS[:2]}


def metrics_of(table: ScoreTable) -> ScoreTable:
    """Return the automatic metrics; human judgments are what those are measured by."""
    return table.drop(tasks=[task for task in table.tasks if str(task).startswith("H:")])


def run(bench: Bench) -> Found:
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
    result = bench.run(NAME, study)
    caption = (
        "Tau with the ranking of the full data while systems lose all scores on a metric. The "
        "paper's figures are of other data sets, most of them translations."
    )
    pairs = result.by_pair(pooled=True).reset_index().drop(columns="scale")
    return Found(
        _robustness(result) | _agreement(result),
        sheets=(Sheet("p2-table-3", "Agreement of the rules, by data set.", pairs),),
        pictures=tuple(
            Picture(f"p2-{figure.lower().replace(' ', '-')}", caption, partial(draw, result, shown))
            for figure, names in SHOWN.items()
            if (shown := tuple(name for name in names if name in tables))
        ),
        sentences=tuple(result.summary().splitlines()[-len(tables) :]),
    )  # fmt: skip


def draw(result: MissingScoresResult, names: tuple[str, ...]) -> Axes:
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


EXPERIMENTS = (Experiment(NAME, "scores of instances go missing", ITEMS, run),)
