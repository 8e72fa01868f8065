"""The second paper: compatible rankings, missing scores, confidence, and what gaps decide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import partial
from itertools import combinations, product
from math import factorial
from typing import Any, Final

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

import rankagg as ra
from rankagg.plotting import confidence_heatmap
from rankagg.studies import (
    ConfidenceStudy,
    IntervalMethod,
    LatentModel,
    MissingScoresStudy,
    ObservedData,
    PrintedRadius,
    StudyResult,
)
from replication.experiment import (
    Bench,
    ExperimentRun,
    as_order,
    beside,
    counted,
    experiment,
    frame_of,
    proved,
    scores_of_items,
)
from replication.leaderboards import load_table
from replication.p2_as_run import (
    MEDIUM,
    RUN_LEVELS,
    AsRun,
    as_shipped,
    by_counts,
    chance_of,
    counted_profile,
    pooled_as_shipped,
    run_again,
)
from replication.published import as_text

#: The rules by the paper's names.
IMPUTING: Final = {
    "mean": ra.Mean(),
    "one level": ra.Borda(),
    "two levels": ra.TwoLevel(ra.Borda(), ra.Borda()),
}
#: What a missing score may count as.
POLICIES: Final = ("uniform", "ignore", "last")
#: The tables of instances.
INSTANCES_OF = ("dialog_pc", "dialog_tc", "flickr", "sum_eval", "tac_08")


# -- compatible rankings --------------------------------------------------------------------------


@experiment(
    "p2-equation-6",
    "compatible permutations",
    *("Section 2.2.1", "Equation 5", "Equation 6", "Theorem 1", "Algorithm 1", "Algorithm 2"),
    *("Remark 1", "Remark 2", "Remark 3"),
)
def compatible_rankings(_: Bench, found: ExperimentRun) -> None:
    """Hold closed forms against all compatible permutations, and draw some of them."""
    # Two ranked items, two unranked ones, and one of each.
    chances = _ranking(4, 2).pairwise_probabilities()
    matrix = {
        "M of i before j, both ranked": chances[0, 1],
        "M of i before j, neither ranked": chances[2, 3],
        "permutations compatible with two ranked of three": _n_compatible(3, 2),
    }
    found.add("Section 2.2.1", matrix)
    for k in (1, 2, 3):
        chances = _ranking(5, k).pairwise_probabilities()
        before = {f"chance before rank {r} of {k}": chances[4, r] for r in range(k)}
        found.add("Equation 6", before, "n = 5")
    expected = _ranking(5, 3).expected_ranks() + 1
    ranks = {f"expected rank of place {place} of 3": expected[place - 1] for place in (1, 2, 3)}
    ranks["expected rank of an unranked system"] = expected[4]
    found.add("Equation 6", ranks, "n = 5")
    _enumerate(found)
    _sample(found)
    gaps, complete = load_table("xtreme_gaps"), load_table("toy_tasks")
    order = gaps.systems.at(np.argsort(_compatible_sums(gaps), kind="stable"))
    ranking = ra.PartialRanking.from_order(order, items=gaps.systems)
    apart = _apart(_compatible_sums(gaps), np.asarray(_sums_of_ranks(gaps), dtype=np.float64))
    found.add("Equation 5", {"order by the column sums": as_order(ranking)}, "Table 5")
    found.add("Equation 5", {"largest difference from sums of expected ranks": apart}, "Table 5")
    ranks_of_toy: np.ndarray = complete.rankings().ranks.sum(axis=0).astype(float)
    apart = _apart(_compatible_sums(complete), ranks_of_toy)
    found.add("Remark 1", {"largest difference from sums of ranks": apart}, "nothing missing")
    order_of_toy = as_order(ra.Borda().aggregate(complete).ranking)
    found.add("Remark 2", {"order by the sums of ranks": order_of_toy}, "nothing missing")


def _ranking(n: int, k: int) -> ra.PartialRanking:
    """Rank the first k of n items, and leave the others unranked."""
    return ra.PartialRanking([*range(k), *[ra.UNRANKED] * (n - k)], ra.ItemSet(range(n)))


def _n_compatible(n: int, k: int) -> int:
    return _ranking(n, k).n_compatible_permutations


def _enumerate(found: ExperimentRun) -> None:
    """Count all compatible permutations of small rankings, and compare."""
    apart, miscounted, moved = 0.0, 0, 0.0
    for k, n in combinations(range(7), 2):
        ranking = _ranking(n, k)
        every = np.array([other.ranks for other in ranking.compatible_permutations()])
        before = (every[:, :, None] < every[:, None, :]).mean(axis=0)
        chances = ranking.pairwise_probabilities().copy()
        np.fill_diagonal(before, 0)
        np.fill_diagonal(chances, 0)
        apart = max(apart, _apart(before, chances))
        miscounted = max(miscounted, abs(_n_compatible(n, k) - len(every)))
        # What does not depend on n needs no table of it.
        smallest = _ranking(k + 1, k).pairwise_probabilities()[k, :k]
        moved = max([moved, *np.abs(chances[n - 1, :k] - smallest).tolist()])
    found.add("Equation 6", {"largest difference from enumeration, n to 6": apart})
    error = "largest error of the number of permutations, n to 6"
    found.add("Theorem 1", {error: miscounted})
    numbers = {f"{k} of {n}": _n_compatible(n, k) for n, k in ((5, 2), (10, 4), (15, 12))}
    found.add("Theorem 1", {f"permutations compatible with {k}": x for k, x in numbers.items()})
    found.add("Remark 3", {"largest change of p(n, k, r) with n, to 6": moved})


def _sample(found: ExperimentRun) -> None:
    """Add the distribution of a fair coin, and shares of uniform draws."""
    n_draws = 60_000
    places = _sampled(ra.PartialRanking.from_order("BC", items="ABC"), n_draws)[:, 0]
    shares = np.bincount(places, minlength=3) / n_draws
    for word, share in zip(("ABB", "BAB", "BBA"), shares, strict=True):
        found.add("Algorithm 1", {f"chance of {word} by the coin": chance_of(word)})
        found.add("Algorithm 1", {f"share of {word}, drawn uniformly": share})
    kinds = np.unique(_sampled(_ranking(5, 2), n_draws), axis=0, return_counts=True)[1]
    uniform = 1 / (factorial(5) // factorial(2))
    error = (uniform * (1 - uniform) / n_draws) ** 0.5
    # None is missing, and none is off by 4.5 standard errors.
    near = (abs(kinds / n_draws - uniform) < 4.5 * error).all()
    alike = bool(kinds.size * uniform > 1 - error and near)
    found.add("Algorithm 2", {"60 permutations are drawn as often, 2 of 5 ranked": alike})


def _sampled(ranking: ra.PartialRanking, n_draws: int) -> np.ndarray:
    ranks = np.where(ranking.ranks == ra.UNRANKED, np.nan, ranking.ranks + 1)
    profile = ra.Profile.from_ranks(np.tile(ranks, (n_draws, 1)), items=ranking.items)
    return profile.sample_compatible(rng=0).ranks


def _compatible_sums(table: ra.ScoreTable) -> np.ndarray:
    """Sum over the columns how often the others are before a system: its rank, from 0."""
    sums: np.ndarray = table.rankings().pairwise().wins.sum(axis=0)
    return sums


def _sums_of_ranks(
    table: ra.ScoreTable, rule: ra.Borda | ra.TwoLevel | None = None
) -> pd.Series[float]:
    """Sum expected ranks from 0, as the columns of M do; of two levels those of tasks."""
    units = table.n_tasks if isinstance(rule, ra.TwoLevel) else table.n_units
    points = scores_of_items((rule or ra.Borda()).aggregate(table))
    return units * (table.n_systems - 1) - points


def _apart(one: np.ndarray, other: np.ndarray) -> float:
    # Less than the twelfth decimal is rounding.
    return round(float(np.abs(one - other).max()), 12)


# -- confidence -----------------------------------------------------------------------------------

#: A level that rows speak of, as the bound of equation 4 has it.
LEVEL, BOUND = 0.01, PrintedRadius(radius="equation 4")


@experiment(
    "p2-figure-4",
    "how surely a system is better",
    *("Equation 4", "Figure 4", "Figure 6", "Figure 11"),
)
def confidence(bench: Bench, found: ExperimentRun) -> None:
    """Bound one proportion, draw figure 4, and decide pairs of the tables that are here."""
    radii = {
        "radius": ra.hoeffding_radius(100, LEVEL, sides=1),
        "radius on both sides": ra.hoeffding_radius(100, LEVEL),
    }
    found.add("Equation 4", radii, "delta = .01", "z = 100")
    drawn = PrintedRadius(radius="figure 4")
    every_pair = IntervalMethod(simultaneous="bonferroni", anytime=True)
    holm = IntervalMethod(method="clopper-pearson", holm=True)
    # By default its models are those of Figure 4, and equal systems.
    study = ConfidenceStudy(
        methods=(drawn, BOUND, every_pair, holm), n_repetitions=bench.repetitions(), rng=0
    )
    result = bench.run("p2-figure-4", study)
    table = result.by_method().xs(LEVEL, level="alpha")
    for model in study.data:
        case = f"m = {model.n_instances}", f"phi = {model.step:g}"
        for method, label in ((drawn, "its radius"), (BOUND, "Eq. 4")):
            at = model.name, 0.0, method.name
            found.add("Figure 4", {f"share decided by {label}": table["decided"][at]}, *case)
            if model.step == 0:
                wrong = table["any_wrong"][at]
                found.add("Figure 4", {"tables with a wrong decision": wrong}, label, *case)
    frame = _shares_decided(result, "any_wrong", "coverage", "covers_all")
    of = {model.name: model for model in study.data}
    frame.insert(0, "m", [of[name].n_instances for name in frame["model"]])
    frame.insert(1, "phi", [of[name].step for name in frame["model"]])
    frame = frame.drop(columns="model")
    found.add_sheet("p2-figure-4", "Decided pairs, wrong decisions and coverage.", frame)
    caption = (
        "Share of the pairs that are decided, 10 systems, against how far apart they are. The "
        'paper names Eq. 4, and draws the radius that is called "figure 4" here.'
    )
    draw = partial(result.plot, where={"alpha": LEVEL})
    found.add_picture("p2-figure-4", caption, draw)
    _decide_tables(bench, found)


def _shares_decided(result: StudyResult, *more: str) -> pd.DataFrame:
    """Return the shares and widths by model, level and method."""
    table = result.by_method().reset_index()
    return table[["model", "alpha", "method", "decided", "width", *more]]


def _decide_tables(bench: Bench, found: ExperimentRun) -> None:
    """Decide pairs of the tables that are here, with a fifth of their scores removed."""
    models = _metrics_of(bench)
    if not models:
        return
    study = ConfidenceStudy(
        data=models,
        methods=(BOUND, IntervalMethod(unit="instance", holm=True)),
        alphas=(LEVEL,),
        proportions=(0.2,),
        n_repetitions=bench.repetitions(20),
        rng=0,
    )
    result = bench.run("p2-figure-4-tables", study)
    decided = result.by_method()["decided"]
    caption = (
        "Estimated proportions with 20 % of the scores removed at random; dots are pairs decided "
        "by Eq. 4 at .01. The paper shows other data sets."
    )
    names = [model.name for model in models]
    figures = {
        "Figure 6": [name for name in names if name == "sum_eval"],
        "Figure 11": [name for name in names if name != "sum_eval"],
    }
    for item, shown in figures.items():
        shares = {name: decided[name, 0.2, LEVEL, BOUND.name] for name in shown}
        found.each(item, "share of pairs decided by Eq. 4", shares)
        plots = {name: partial(confidence_heatmap, result, model=name) for name in shown}
        # A data set of 62 systems stands alone.
        alone, file = plots.pop("tac_08", None), f"p2-{item.lower().replace(' ', '-')}"
        if plots:
            found.add_picture(file, caption, partial(beside, plots))
        if alone is not None:
            found.add_picture(f"{file}-tac_08", caption, alone)
    frame = _shares_decided(result, "comparisons")
    found.add_sheet("p2-figure-11", "Decided pairs by data set.", frame)


def metrics_of(table: ra.ScoreTable) -> ra.ScoreTable:
    """Return the automatic metrics; human judgments are what those are measured by."""
    return table.drop(tasks=[task for task in table.tasks if str(task).startswith("H:")])


def _metrics_of(bench: Bench) -> list[ObservedData]:
    tables = bench.tables(*INSTANCES_OF)
    return [ObservedData(label=name, data=metrics_of(table)) for name, table in tables.items()]


# -- scores of tasks go missing -------------------------------------------------------------------


#: How many systems the run took of each leaderboard, from the first on.
FIRST: Final = {"GLUE": 14, "SuperGLUE": 10, "XTREME": 10, "GEM": 5}
#: What rows call a run again, by whether the leaderboard's own average is a task, and the sums.
RERUNS: Final = {
    (True, "proportions"): "run again by proportions",
    (True, "counts"): "run again by counts",
    (False, "proportions"): "run again without Score",
}
#: The files of rankings that the authors' run left behind.
SHIPPED: Final = {"GLUE": "glue", "SuperGLUE": "superglue", "XTREME": "xtrem", "GEM": "gem"}


TOPS: Final = ("top1", "top3", "same_top3")


@experiment("p2-figure-2", "scores of tasks go missing", "Figure 2", "Table 1", "Table 2")
def missing_tasks(bench: Bench, found: ExperimentRun) -> None:
    """Run the experiment as it is described, and hold the authors' run beside it."""
    for low, high, how in ((*MEDIUM[::-1], "as printed"), (*MEDIUM, "the other way round")):
        medium = sum(low <= level <= high for level in RUN_LEVELS)
        found.add("Figure 2", {"levels of the run that are medium": medium}, how)
    again = _run_again(bench)
    for label, run in again.items():
        _add_run(found, label, run)
    shipped = {}
    for name, file in SHIPPED.items():
        path = f"{file}_filtered.json"
        if (content := bench.leaderboards.content_of(path)) is not None:
            shipped[name] = run = as_shipped(content)
            _add_run(found, name, run, as_run=True)
            lead = {"one level ahead of the mean": _ahead(run.one_level - run.mean)}
            found.add("Figure 2", lead, name, as_run=True)
    # Of GEM with all its metrics there is only the authors' run.
    found.values |= {key: x for key, x in found.as_run.items() if key[1].endswith(", GEM")}
    tables = bench.tables("GLUE", "SuperGLUE", "XTREME", "GEM BLEU")
    if not tables:
        return
    study = MissingScoresStudy(
        data=[ObservedData(label=name, data=table) for name, table in tables.items()],
        policies=("uniform",),
        proportions=tuple(level / 20 for level in range(20)),
        n_repetitions=bench.repetitions(),
        rng=0,
    )
    result = bench.run("p2-figure-2", study)
    _add_all_systems(found, result)
    about = (
        "The run of the paper again: tau of one level and the mean, the share with the same last "
        "and third last system, and tau of each rule with the full data."
    )
    runs = pd.DataFrame(
        [{"table": label, **asdict(run)} for label, run in {**shipped, **again}.items()]
    )
    pairs = _by_pair(result).reset_index().drop(columns=["method", "other"])
    pairs = pairs.rename(columns={"model": "table"})
    found.add_sheet("p2-tables-1-2", about, runs)
    found.add_sheet("p2-table-1-all-systems", "One level and the mean, all systems.", pairs)
    caption = (
        "Tau with the ranking of the full data while scores are removed, all systems. The paper "
        "shows the first 14 systems of GLUE, 10 of SuperGLUE and XTREME and 5 of GEM, and removes "
        "each score with a probability. GEM is that of its BLEU scores here."
    )
    _add_curves(found, "p2-figure-2", caption, result, model=tables)
    found.sentences += result.summary().splitlines()[-len(tables) :]


def _by_pair(result: StudyResult) -> pd.DataFrame:
    """Return how much each two methods agree on the same tables, over all proportions."""
    frame, parts = result.to_frame(), {}
    for one, other in combinations(result.study.methods, 2):
        groups = frame[frame["method"] == one].groupby("model", sort=False)
        tau = groups[f"tau with {other}"]
        parts[one, other] = pd.DataFrame(
            {"tables": groups.size(), "defined": tau.count(), "mean_tau": tau.mean()}
            | {"sd_tau": tau.std()}
            | {f"mean_{k}": groups[f"{k} with {other}"].mean() for k in TOPS}
        )
    return pd.concat(parts, names=["method", "other"]).swaplevel(0, 2).swaplevel(1, 2)


def _add_curves(
    found: ExperimentRun, name: str, caption: str, result: StudyResult, **by: Iterable[Any]
) -> None:
    """Hand on plots of a study beside each other, one for each of some models or scales."""
    ((keyword, values),) = by.items()
    plots = {
        f"{keyword} {x}".removeprefix("model "): partial(result.plot, where={keyword: x})
        for x in values
    }
    found.add_picture(name, caption, partial(beside, plots))


def _ahead(lead: float) -> str:
    return "more than .10" if lead > 0.1 else f"{lead:.2f}"


def _run_again(bench: Bench) -> dict[str, AsRun]:
    """Run it again with the leaderboard's own average as a task, by both sums, and without."""
    tables = {
        (name, with_score): table
        for name in FIRST
        for with_score in (True, False)
        if (with_score or name != "GEM") and (table := _cut(bench, name, with_score)) is not None
    }
    runs = Parallel(n_jobs=bench.n_jobs)(
        delayed(run_again)(
            table,
            bench.repetitions(200),
            sums=[sums for score, sums in RERUNS if score == with_score],
        )
        for (_, with_score), table in tables.items()
    )
    return {
        f"{name}, {RERUNS[with_score, sums]}": run
        for (name, with_score), by_sums in zip(tables, runs, strict=True)
        for sums, run in by_sums.items()
    }


def _cut(bench: Bench, name: str, with_score: bool) -> ra.ScoreTable | None:
    """Return the systems that the run took, with the leaderboard's own average as a task or not."""
    scored = {"XTREME": ["XTREME Score", "XTREME"], "GEM": ["GEM"]}
    needed = scored.get(name, [f"{name} with Score"]) if with_score else [name]
    tables = bench.tables(*needed)
    if len(tables) < len(needed):
        return None
    return ra.ScoreTable(
        np.hstack([tables[part].values for part in needed])[: FIRST[name]],
        systems=tables[needed[0]].systems.labels[: FIRST[name]],
        tasks=[task for part in needed for task in tables[part].tasks],
        higher_is_better=True,
    )


def _add_run(found: ExperimentRun, label: str, run: AsRun, *, as_run: bool = False) -> None:
    taus = {"tau of one level and the mean": run.tau, "standard deviation of tau": run.spread}
    found.add("Table 1", taus, label, as_run=as_run)
    found.add("Table 2", {"top 1": run.last, "top 3": run.third_last}, label, as_run=as_run)
    for rule, tau in (("one level", run.one_level), ("mean", run.mean)):
        found.add("Figure 2", {"tau with the full data": tau}, rule, label, as_run=as_run)


def _add_all_systems(found: ExperimentRun, result: StudyResult) -> None:
    for row in _by_pair(result).reset_index().to_dict("records"):
        taus = {
            "tau of one level and the mean": row["mean_tau"],
            "standard deviation of tau": row["sd_tau"],
        }
        found.add("Table 1", taus, row["model"])
        tops = {"top 1": row["mean_top1"], "top 3": row["mean_same_top3"]}
        found.add("Table 2", tops, row["model"])
        differ = {"top 1": 1 - row["mean_top1"]}
        found.add("Table 2", differ, row["model"], "that differ, as the text says")
    frame = result.to_frame()
    medium = frame[frame["proportion"].between(*MEDIUM)]
    means = medium.groupby(["model", "method"])["tau"].mean().unstack("method")
    means.columns = pd.Index(["one level", "mean"])
    nothing = frame[frame["proportion"] == 0].groupby("model")["tau"].min()
    for model, taus_of in zip(means.index.astype(str), means.to_dict("records"), strict=True):
        lead = _ahead(taus_of["one level"] - taus_of["mean"])
        found.add("Figure 2", {"one level ahead of the mean": lead}, model)
        taus_of["nothing removed"] = nothing[model]
        for what, tau in taus_of.items():
            found.add("Figure 2", {"tau with the full data": tau}, str(what), model)


@experiment("p2-figure-3", "missing scores and a task on another scale", "Figure 3")
def drawn_scores(bench: Bench, found: ExperimentRun) -> None:
    """Draw scores of 20 systems, tasks and instances, scale a task, and remove scores."""
    step = 0.1
    study = MissingScoresStudy(
        data=[LatentModel(step=step)],
        rules=tuple(IMPUTING.values()),
        policies=("uniform",),
        proportions=(0.0, 0.2, 0.4, 0.6, 0.8),
        scales=(1.0, 3.0, 10.0, 30.0),
        n_repetitions=bench.repetitions(),
        rng=0,
    )
    result = bench.run("p2-figure-3", study)
    table = result.by_method()["mean_tau"].droplevel("model")
    for factor, share in product(study.scales, (0.0, 0.4)):
        for rule, method in zip(IMPUTING, study.methods, strict=True):
            case = rule, f"factor {factor:g}", f"{share:.0%} removed"
            found.add("Figure 3", {"tau": table[factor, share, method]}, *case)
    frame = table.unstack("proportion").reset_index()
    frame.columns = pd.Index([str(name) for name in frame.columns])
    found.add_sheet("p2-figure-3", "Mean tau by factor, rule and proportion removed.", frame)
    caption = (
        f"Tau with the ranking of the full and unscaled data, step {step:g}, while scores are "
        "removed and those of one task are multiplied, as the text says. The paper's run also "
        "reversed that task."
    )
    _add_curves(found, "p2-figure-3", caption, result, scale=study.scales)
    found.sentences += result.summary().splitlines()[-len(study.scales) :]


# -- scores of instances go missing ---------------------------------------------------------------


@experiment(
    "p2-figure-5",
    "scores of instances go missing",
    *("Figure 5", "Figure 10", "Table 3", "Table 4", "Section 4.3"),
)
def missing_instances(bench: Bench, found: ExperimentRun) -> None:
    """Remove a system's scores on a metric, on the data sets that are here."""
    if runs := bench.leaderboards.rankings:
        for pair, shared in zip(combinations(IMPUTING, 2), pooled_as_shipped(runs), strict=True):
            _add_shared(found, shared, " and ".join(pair), "34 data sets")
    models = _metrics_of(bench)
    if not models:
        return
    study = MissingScoresStudy(
        data=models,
        rules=tuple(IMPUTING.values()),
        policies=("uniform",),
        proportions=tuple(level / 10 for level in range(10)),
        n_repetitions=bench.repetitions(),
        rng=0,
    )
    result = bench.run("p2-figure-5", study)
    frame = result.to_frame()
    means = frame[frame["proportion"] > 0].groupby(["model", "method"])["tau"].mean()
    table = means.unstack("method")[list(study.methods)].set_axis(list(IMPUTING), axis=1)
    caption = (
        "Tau with the ranking of the full data while systems lose all scores on a metric. The "
        "paper's figures are of other data sets."
    )
    # Which of the data sets a figure of the paper may have.
    for figure, names in (("Figure 5", INSTANCES_OF[2:]), ("Figure 10", INSTANCES_OF[:2])):
        shown = [name for name in names if name in table.index]
        for name in shown:
            found.each(figure, "tau with the full data", table.loc[name], name)
        if shown:
            file = f"p2-{figure.lower().replace(' ', '-')}"
            _add_curves(found, file, caption, result, model=shown)
    overall = table.mean()
    found.add("Section 4.3", {"the most robust rule": overall.idxmax()})
    found.each("Section 4.3", "tau with the full data", overall)
    _pool(found, result)
    pairs = _by_pair(result).reset_index()
    found.add_sheet("p2-table-3", "Agreement of the rules, by data set.", pairs)
    found.sentences += result.summary().splitlines()[-len(models) :]


def _pool(found: ExperimentRun, result: StudyResult) -> None:
    """Pool all data sets and proportions, as the paper's tables do."""
    methods = dict(zip(result.study.methods, IMPUTING, strict=True))
    pairs = _by_pair(result)
    for one, other in combinations(methods, 2):
        by_model = pairs.xs((one, other), level=("method", "other"))
        number, means = by_model["defined"], by_model["mean_tau"]
        tau = np.average(means, weights=number)
        squares = (number - 1) * by_model["sd_tau"] ** 2 + number * (means - tau) ** 2
        spread = np.sqrt(squares.sum() / number.sum())
        tops = by_model[["mean_top1", "mean_same_top3"]]
        shared = tau, spread, *np.average(tops, axis=0, weights=by_model["tables"])
        _add_shared(found, shared, f"{methods[one]} and {methods[other]}")


def _add_shared(found: ExperimentRun, shared: Iterable[float], *of: str) -> None:
    tau, spread, *tops = shared
    found.add("Table 3", {"tau": tau, "standard deviation of tau": spread}, *of)
    found.add("Table 4", dict(zip(("top 1", "top 3"), tops, strict=True)), *of)


# -- tables with gaps -----------------------------------------------------------------------------

XTREME, DIALOGUE = "Example: xtreme_missing", "Example: DIALOGUE_pc_missing"


@experiment("p2-table-5", "tables with gaps", "Table 5", "Appendix C.1", XTREME, DIALOGUE)
def tables_with_gaps(bench: Bench, found: ExperimentRun) -> None:
    """Rank tables with gaps by sums of proportions, by sums of counts and by means."""
    gaps = load_table("xtreme_gaps")
    missing = gaps.n_missing
    numbers = {
        "systems": gaps.n_systems,
        "missing scores": missing,
        "proportion of missing scores": missing / gaps.values.size,
    }
    found.add("Table 5", numbers)
    mean = ra.Mean().aggregate(gaps).ranking
    orders = {
        "order by one level": as_order(ra.Borda().aggregate(gaps).ranking),
        "order by the mean": as_order(mean),
        "systems without a mean": ", ".join(map(str, mean.unranked)),
        "order by sums of counts": as_order(by_counts(gaps.rankings())),
    }
    found.add("Appendix C.1", orders)
    found.each("Appendix C.1", "sum of ranks", _sums_of_ranks(gaps))
    for table in bench.tables("XTREME with gaps").values():
        _add_xtreme(found, table)
    for table in bench.tables("dialogue with gaps").values():
        _add_dialogue(found, table)
    caption = "XTREME with 10 systems, 18 of 40 scores missing; higher is better."
    found.add_sheet("p2-table-5", caption, frame_of(gaps))


def _add_xtreme(found: ExperimentRun, table: ra.ScoreTable) -> None:
    counts = counted_profile(table.rankings())
    by_count = ra.Borda().aggregate(counts)
    columns = {
        "sum of ranks": _sums_of_ranks(table),
        "sum of ranks without Score": _sums_of_ranks(table.drop(tasks=["Score"])),
        "mean": scores_of_items(ra.Mean().aggregate(table)),
        "sum of ranks by counts": (
            counts.n_rankings * (table.n_systems - 1) - scores_of_items(by_count)
        ),
    }
    for what, column in columns.items():
        found.each(XTREME, what, {f"row {row}": x for row, x in enumerate(column)})
    tau = ra.kendall_tau(by_count.ranking, ra.Borda().aggregate(table).ranking)
    found.add(XTREME, {"tau of sums by counts and by proportions": tau})


def _add_dialogue(found: ExperimentRun, table: ra.ScoreTable) -> None:
    ties = sum(not ranking.is_strict for ranking in table.rankings())
    found.add(DIALOGUE, {"rankings": table.n_units, "rankings with ties": ties})
    unranked = ra.TwoLevel(ra.Borda(), ra.Borda(), absent="unranked")
    ways: dict[str, ra.Borda | ra.TwoLevel] = {
        "one level": ra.Borda(),
        "two levels": ra.TwoLevel(ra.Borda(), ra.Borda(), absent="ranked"),
        "two levels, absent systems unranked": unranked,
    }
    for what, rule in ways.items():
        found.each(DIALOGUE, f"sum of ranks, {what}", _sums_of_ranks(table, rule))


# -- sizes ----------------------------------------------------------------------------------------


@experiment(
    "p2-figure-7",
    "how large the data are",
    *("Figure 1", "Section 4.1", "Appendix B.1"),
    *("Figure 7", "Figure 8", "Figure 9", "Computing time"),
)
def sizes_of_data(bench: Bench, found: ExperimentRun) -> None:
    """Count systems, sentences and scores of what is here."""
    for name, table in bench.tables("GLUE", "SuperGLUE", "XTREME", "GEM of 22").items():
        found.add("Appendix B.1", {"systems": table.n_systems}, name.split()[0])
    for table in bench.tables("dialogue with gaps").values():
        # Variants of a metric have its name and one of their own.
        kinds = {str(task).lower().split("_")[0] for task in table.tasks}
        numbers = {"kinds of metrics": len(kinds), "metrics with their variants": table.n_tasks}
        found.add("Section 4.1", numbers, "dialogue")
    if runs := bench.leaderboards.rankings:
        _add_ends(found, [run.shape[2] for run in runs], "all data sets")
    tables = bench.tables(*INSTANCES_OF).items()
    sizes = {name: _sizes_of(metrics_of(table)) for name, table in tables}
    frame = pd.DataFrame(sizes, dtype=float).T
    items = {"Figure 7": "systems", "Figure 8": "sentences", "Figure 9": "sentences per system"}
    for item, what in items.items() if len(frame) else ():
        found.each(item, what, frame[what])
    if len(frame) < len(INSTANCES_OF):
        return
    _add_ends(found, frame["systems"])
    found.add("Section 4.1", {"scores of instances that are here": frame["scores"].sum()})
    caption = "Sizes of the data sets that are here; scores of automatic metrics."
    found.add_sheet("p2-sizes", caption, frame.rename_axis("data set").reset_index())


def _add_ends(found: ExperimentRun, sizes: Iterable[float], *of: str) -> None:
    ends = {"fewest systems of a data set": min(sizes), "most systems of a data set": max(sizes)}
    found.add("Figure 7", ends, *of)


def _sizes_of(metrics: ra.ScoreTable) -> dict[str, int]:
    n_instances = metrics.n_units // metrics.n_tasks
    return {
        "systems": metrics.n_systems,
        "sentences": metrics.n_systems * n_instances,
        "sentences per system": n_instances,
        "metrics": metrics.n_tasks,
        "scores": metrics.values.size - metrics.n_missing,
    }


# -- policies for missing scores ------------------------------------------------------------------


@experiment("p2-policies", "what depends on the policy for missing scores", "Beyond: policies")
def policies(bench: Bench, found: ExperimentRun) -> None:
    """Solve every table exactly under each policy, and bound ranks."""
    there = bench.tables("XTREME with gaps", "GEM BLEU", "dialogue with gaps")
    tables = {"Table 5": load_table("xtreme_gaps"), **there}
    if (xtreme := tables.get("XTREME with gaps")) is not None:
        tables["XTREME with gaps, without Score"] = xtreme.drop(tasks=["Score"])
    caption = (
        "Simultaneous 95 % confidence intervals of ranks by Borda points. The paper bounds single "
        "pairs only, and takes metrics of one instance for independent."
    )
    columns = {}
    for name, table in tables.items():
        exact = {policy: proved(table, policy) for policy in POLICIES}
        values = found.add("Beyond: policies", _decided_by_policy(table, exact), name)
        columns[name] = {quantity: as_text(value) for quantity, value in values.items()}
        first = []
        for policy, (consensus, optima) in exact.items():
            may = optima.rank_ranges()[0] == 1
            many = f"any of {counted(int(may.sum()), 'system')}"
            first.append(f"{policy}: {_listed(consensus, may) if may.sum() < 3 else many}")
        said = "; ".join(first)
        found.sentences.append(f"{name}: first in an exact consensus are, {said}.")
        # The others have too few tasks for anything to be decided.
        if name in ("GEM BLEU", "dialogue with gaps"):
            # Several metrics of an instance are no independent units.
            unit = "instance" if table.is_instance_level else "ranking"
            draw = ra.rank_intervals(table, unit=unit, rng=0).plot
            file = f"p2-policies-{name.split()[0].lower()}"
            found.add_picture(file, caption, draw)
    wide = pd.DataFrame(columns).rename_axis("quantity").reset_index()
    found.add_sheet("p2-policies", "Exact consensus by policy, and what is decided.", wide)


def _decided_by_policy(
    table: ra.ScoreTable, exact: Mapping[str, tuple[ra.Consensus, ra.Optima]]
) -> dict[str, object]:
    values: dict[str, object] = {}
    uniform = exact["uniform"][1].relation()
    for policy, (consensus, optima) in exact.items():
        assert consensus.certificate is not None
        best, worst = optima.rank_ranges()
        found = {
            "Kemeny cost": consensus.cost,
            "proof": consensus.certificate.status,
            "only optimum": optima.is_unique,
            "first in an optimal order": _listed(consensus, best == 1),
            "among the first three of every optimal order": _listed(consensus, worst <= 3),
        }
        if policy != "uniform":
            turned = "pairs in another order than uniform, whatever the optimum"
            found[turned] = (optima.relation() & uniform.T).sum()
        values |= {f"{quantity}, {policy}": value for quantity, value in found.items()}
    report = ra.analysis.missing_report(table)
    pairs = ra.analysis.sensitivity(table, n_samples=1, rng=0).to_frame(everything=True)
    differ = pairs[list(exact)].nunique(axis=1) > 1
    return values | {
        "pairs never compared": len(report.never_compared),
        "groups that no comparison connects": len(report.groups),
        "pairs that depend on the policy, Borda": differ.sum(),
    }


def _listed(consensus: ra.Consensus, chosen: np.ndarray) -> str:
    return ", ".join(map(str, consensus.items.where(chosen))) or "none"
