"""The first paper: its example, its random tables, its leaderboards and its instances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import combinations, permutations
from math import isnan
from typing import Any, Final

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

import rankagg as ra
from rankagg.distributions import LatentScores
from rankagg.inference import DispersionReport
from rankagg.plotting.sheet import PlotSheet
from rankagg.studies import (
    AdversarialScores,
    AgreementStudy,
    CorruptionStudy,
    LatentModel,
    RescaledScores,
    StudyResult,
    TaskSubsetStudy,
)
from replication.experiment import (
    Bench,
    ExperimentRun,
    as_order,
    beside,
    counted,
    experiment,
    frame_of,
    scores_of_items,
)
from replication.leaderboards import load_table
from replication.p1_as_run import (
    as_read,
    board_values,
    instance_taus,
    inverse_distances,
    tau_with_score,
)

# Means that differ by no more are equal.
ROUNDING = 1e-9
#: The rules by the paper's names.
PROCEDURES: Mapping[str, ra.Aggregator] = {
    "mean": ra.Mean(),
    "one level": ra.Borda(),
    "two levels": ra.TwoLevel(ra.Borda(), ra.Borda()),
}


# -- the example ----------------------------------------------------------------------------------


@experiment(
    "p1-table-1",
    "where pairwise rankings are paradoxical",
    *("Figure 1", "Figure 2", "Section 2", "Table 1"),
)
def toy(bench: Bench, found: ExperimentRun) -> None:
    """Rank the bundled table by the mean, majorities, Borda and the exact Kemeny rule."""
    table = load_table("toy_tasks")
    rules = {"the mean": ra.Mean(), "Borda": ra.Borda(), "Kemeny": ra.Kemeny()}
    ranked = {name: rule.aggregate(table) for name, rule in rules.items()}
    ranked["majorities"] = ra.PairwiseMajority().aggregate(table)
    for name, consensus in ranked.items():
        found.add("Table 1", {f"order by {name}": as_order(consensus.ranking)})
    found.add("Table 1", {"Kemeny cost": ranked["Kemeny"].cost})
    # Where lower is better, means are negated; Borda points count the systems that are worse, the
    # paper's ranks from 1.
    points, n_tasks = scores_of_items(ranked["Borda"]), table.n_tasks
    found.each("Table 1", "sum of scores", -n_tasks * scores_of_items(ranked["the mean"]))
    found.each("Table 1", "sum of ranks", n_tasks * table.n_systems - points)
    wins = table.rankings().pairwise().wins
    scores = dict(zip(table.systems, table.values, strict=True))
    for one, other in ("BA", "CB", "AC"):
        before = wins[table.systems.index(one), table.systems.index(other)]
        found.add("Table 1", {f"tasks with {one} before {other}": before})
        first, second = _lambda(scores[one], scores[other])
        better = one if first > second else other if second > first else "neither"
        said = f"better of {one} and {other} by lambda, as its formula has it"
        found.add("Section 2", {said: better})
    for name, number in zip("AB", _lambda(np.ones(n_tasks), np.ones(n_tasks)), strict=True):
        equal = {f"lambda of {name}": number}
        found.add("Section 2", equal, "two systems with equal scores on six tasks")
    found.add_sheet("p1-table-1", "Scores; lower is better.", frame_of(table))


def _lambda(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """Return both lambdas of section 2: a score that is as high counts for the first system."""
    first = float((one >= other).sum())
    return first, len(one) - first


# -- random tables --------------------------------------------------------------------------------


@experiment("p1-remark-1", "Gumbel scores and Plackett-Luce", "Remark 1")
def gumbel_rankings(_: Bench, found: ExperimentRun) -> None:
    """Compare shares of first places with both weights."""
    heights, n_instances = np.arange(1, 21), 200_000
    for step in (0.05, 0.1, 0.3):
        latent = LatentScores(step * heights)
        drawn = latent.sample(1, n_instances, rng=0).values.argmax(axis=0)
        shares = np.bincount(drawn, minlength=len(heights)) / n_instances
        fitting = []
        for name, weights in (("exp(phi n)", np.exp(step * heights)), ("phi n", step * heights)):
            expected = weights / weights.sum()
            errors = np.sqrt(expected * (1 - expected) / n_instances)
            if (np.abs(shares - expected) < 4.5 * errors).all():
                fitting.append(name)
        above = latent.ranking_distribution().pairwise_probabilities()[1, 0]
        values = {
            "weights that fit": " or ".join(fitting) or "neither",
            "share of first places of the best system": shares[-1],
            "chance that a system beats the one below it": above,
        }
        found.add("Remark 1", values, f"phi = {step:g}")


#: The models of the scores, by the paper's phi.
MODELS = {phi: LatentModel(step=phi) for phi in (0.05, 0.1, 0.3)}


#: The paper's rules, and the exact one on both levels.
LEVELS = [*PROCEDURES.values(), ra.Kemeny(), ra.TwoLevel(ra.Borda(), ra.Kemeny())]
FACTORS = range(1, 11)
#: The multiplied scores of section 4.3, as they are and reversed before.
SCALED = [
    RescaledScores(factor=factor, after=one)
    for one in (None, AdversarialScores())
    for factor in FACTORS
]


def figure_3(**size: Any) -> CorruptionStudy:
    """Return the study of more and more corrupted tasks."""
    models = [*MODELS.values()]
    return CorruptionStudy(
        data=models, corruptions=[AdversarialScores()], rules=LEVELS, rng=0, **size
    )


def figure_7(**size: Any) -> CorruptionStudy:
    """Return the study of one task whose scores are multiplied."""
    return CorruptionStudy(
        data=[*MODELS.values()], corruptions=SCALED, n_corrupted=[1], rng=0, **size
    )


@experiment("p1-figure-3", "robustness to corrupted tasks", "Section 4.2", "Figure 3")
def corrupted_tasks(bench: Bench, found: ExperimentRun) -> None:
    """Corrupt more and more tasks."""
    result = bench.run("p1-figure-3", figure_3(n_repetitions=bench.repetitions()))
    means = result.by_method()["mean_distance"].unstack("method").droplevel("corruption")
    broken = _breakdown(means)
    for phi, model in MODELS.items():
        case = f"phi = {phi:g}"
        for name, rule in PROCEDURES.items():
            said = f"corrupted tasks for an error above .75, {name}, {case}"
            found.add("Section 4.2", {said: broken[model.name, rule.name]})
        # With no task corrupted and with all of them there is nothing to bear.
        inner = means.loc[model.name][[rule.name for rule in PROCEDURES.values()]].to_numpy()[1:-1]
        times = int((inner[:, -1] < inner.min(axis=1) + ROUNDING).sum())
        often = "always" if times == len(inner) else f"for {times} of {len(inner)}"
        found.add("Figure 3", {"two levels err least": often}, case)
    # The paper's threshold is close to it.
    close = "error of the mean with 2 corrupted tasks, phi = 0.1"
    found.add("Section 4.2", {close: means["Mean"][MODELS[0.1].name, 2]})
    caption = (
        "Normalized distance to the true order as tasks are corrupted. The paper's figure has one "
        "panel; here each phi has its own, and the exact Kemeny rule is added."
    )
    _add_distances(found, result, caption)


@experiment("p1-figure-7", "robustness to scaling", "Section 4.3", "Figure 7")
def rescaled_task(bench: Bench, found: ExperimentRun) -> None:
    """Multiply the scores of one task, as it is and reversed."""
    result = bench.run("p1-figure-7", figure_7(n_repetitions=bench.repetitions()))
    errors = result.by_method()["mean_distance"].unstack("method").droplevel("n_corrupted")
    turned = errors.index.get_level_values("corruption").str.contains("after")
    depends = errors["Borda"].groupby([errors.index.get_level_values("model"), turned]).nunique()
    found.add("Figure 7", {"largest error of the mean, rescaled": errors["Mean"][~turned].max()})
    found.add("Figure 7", {"error of one level depends on the factor": depends.max() > 1})
    for phi, factor in ((0.05, 2), (0.3, 6), (0.3, 7)):
        for before, how in ((None, "rescaled"), (AdversarialScores(), "rescaled and reversed")):
            corruption = RescaledScores(factor=factor, after=before)
            error = errors["Mean"][MODELS[phi].name, corruption.name]
            case = how, f"phi = {phi:g}", f"factor {factor}"
            found.add("Figure 7", {"error of the mean": error}, *case)
            if factor != 6:
                found.add("Section 4.3", {"error of the mean above .9": error > 0.9}, *case)
    caption = (
        "Normalized distance to the true order as the scores of one task are multiplied: as the "
        "paper says (rescaled) and as its figure was made (after it was reversed, adversarial)."
    )
    _add_distances(found, result, caption)


def _breakdown(means: pd.DataFrame) -> Mapping[Any, Any]:
    """Return the fewest corrupted tasks with a mean distance above .75, by model and rule."""
    beyond = means.stack().rename("distance").reset_index()
    lost = beyond[beyond["distance"] > 0.75].groupby(["model", "method"])["n_corrupted"].min()
    every = pd.MultiIndex.from_product([means.index.unique("model"), means.columns])
    return lost.reindex(every).astype("Int64")


def _add_distances(found: ExperimentRun, result: StudyResult, caption: str) -> None:
    """Hand on the means and the plot of a study of corrupted tables."""
    name, table = found.experiment.name, result.by_method(quantiles=(0.05, 0.5, 0.95))
    table = table.drop(columns=["failed", "se_top1"]).rename(columns={"mean_top1": "top1"})
    about = "Distances to the true order, over all tables of each kind."
    found.add_sheet(name, about, table.reset_index())
    legend = "Borda is one level, TwoLevel(Borda, Borda) two levels, and the step is phi."
    found.add_picture(name, f"{caption} {legend}", partial(result.plot))


# -- leaderboards ---------------------------------------------------------------------------------

BOARDS = ("GLUE", "SuperGLUE", "XTREME")
#: The tables of instances, by what the paper calls them.
INSTANCE_TABLES: Mapping[str, str] = {
    "PC": "dialog_pc", "TC": "dialog_tc", "FLICKR": "flickr", "MLQE": "mlqe", "RSUM": "real_sum",
    "SEVAL": "sum_eval", "TAC08": "tac_08", "TAC09": "tac_09", "TAC11": "tac_11",
}  # fmt: skip
#: What the paper calls the systems, by leaderboard and the beginning of their names there.
CALLED: Mapping[str, Mapping[str, str]] = {
    "GLUE": {
        "Microsoft Alexander": "Ms Alex", "ERNIE Team": "ERNIE", "DeBERTa Team": "DEBERTA",
        "AliceMind & DIRL": "AliceMind", "PING-AN": "PING-AH", "HFL": "HFL", "T5 Team": "T5",
        "DIRL Team": "DIRL", "Zihang Dai": "Zihan", "ELECTRA Team": "ELECTRA",
    },
    "SuperGLUE": {
        "Liam Fedus": "Liam", "Microsoft Alexander": "Ms Alex", "ERNIE Team": "ERNIE",
        "SuperGLUE Human": "HUMAN", "DeBERTa Team": "DEBERTA", "Zirui Wang": "Zirui",
        "T5 Team": "T5", "Alibaba PAI": "Alibaba", "Anuar": "Anuar", "Huawei": "Huawei",
    },
    "XTREME": {
        "Turing ULR": "ULR", "CoFe": "CoFe", "InfoXLM": "InfoLXL", "VECO": "VECO",
        "Unicoder": "Unicoder", "Polyglot": "PolyGlot", "T-ULRv2 + StableTune": "ULR-v2",
        "HiCTL": "HiCTL", "ERNIE-M": "Ernie", "Anonymous3": "Anony", "Creative": "Creative",
    },
}  # fmt: skip


def instance_tables(bench: Bench) -> dict[str, ra.ScoreTable]:
    """Return those tables of instances that are there, by what the paper calls them."""
    there = bench.tables(*INSTANCE_TABLES.values())
    return {name: there[file] for name, file in INSTANCE_TABLES.items() if file in there}


@experiment("p1-tables-4-5", "sizes of the data", "Section 1", "Table 4", "Table 5")
def sizes_of_tables(bench: Bench, found: ExperimentRun) -> None:
    """Count."""
    found.add("Section 1", {"benchmarks": len(BOARDS) + len(INSTANCE_TABLES)})
    boards, tables = bench.tables(*BOARDS), instance_tables(bench)
    for name, table in boards.items():
        found.add("Table 4", {"systems": table.n_systems, "tasks": table.n_tasks}, name)
    if len(boards) == len(BOARDS):
        found.add("Table 4", {"scores": sum(table.values.size for table in boards.values())})
    for name, table in tables.items():
        n_systems, n_instances = table.n_systems, table.n_units // table.n_tasks
        numbers = {
            "metrics": table.n_tasks,
            "systems": n_systems,
            "instances": n_instances,
            "systems x instances": n_systems * n_instances,
        }
        found.add("Table 5", numbers, name)
    if len(tables) == len(INSTANCE_TABLES):
        total = sum(table.values.size for table in tables.values())
        found.add("Table 5", {"total of the sizes": total})


def rows_of(ranking: ra.PartialRanking) -> np.ndarray:
    """Return the rows of the systems, best first, ties in the order of the file."""
    return np.argsort(ranking.ranks, kind="stable")


def in_file_order(ranking: ra.PartialRanking) -> ra.Permutation:
    """Return a ranking with its ties broken by the order of the file."""
    return ra.Permutation.from_ranks(np.argsort(rows_of(ranking)), items=ranking.items)


def name_of(board: str, system: str | int) -> str:
    """Return what the paper calls a system; its own name where the paper does not have it."""
    short = (name for start, name in CALLED[board].items() if str(system).startswith(start))
    return next(short, str(system))


@experiment("p1-table-2", "agreement of the rankings", "Table 2")
def agreement_of_rules(bench: Bench, found: ExperimentRun) -> None:
    """Hold Borda against the mean on every leaderboard."""
    frames = {}
    tied = {"SuperGLUE": 5, "XTREME": 3}
    for board, table in bench.tables(*BOARDS).items():
        result = AgreementStudy(data=table, rules=(ra.Mean(), ra.Borda()), rng=0).run()
        agreed = result.to_frame().set_index("k")
        tau = agreed["tau"].iloc[0]
        ends = {
            f"{end}{k}": agreed[end].get(k, np.nan)
            for end in ("top", "last")
            for k in (1, 3, 5, 10)
        }
        frames[board] = pd.DataFrame([{"tau": tau} | ends])
        mean, borda = (rule.aggregate(table).ranking for rule in (ra.Mean(), ra.Borda()))
        one, other = rows_of(mean), rows_of(borda)
        for k in (1, 3, 5, 10):
            common = np.intersect1d(one[:k], other[:k])
            found.add("Table 2", {f"common share of the top {k}": len(common) / k}, board)
        for k in (3, 5, 10):
            common = np.intersect1d(one[-k:], other[-k:])
            found.add("Table 2", {f"common share of the last {k}": len(common) / k}, board)
        found.add("Table 2", {"tau": tau}, board)
        if board in tied:
            share = {f"common share of the top {tied[board]}": agreed.loc[tied[board], "top"]}
            found.add("Table 2", share, board, "ties broken at random")
        if board == "GLUE":
            parted = {"tau": ra.kendall_tau(in_file_order(mean), borda)}
            found.add("Table 2", parted, board, "the mean's tie in the order of the file")
    if len(frames) < len(BOARDS):
        return
    frame = pd.concat(frames, names=["leaderboard"]).reset_index("leaderboard")
    high = frame["tau"].between(0.8, 1.0).all()
    found.add("Table 2", {"all correlations are in [0.80, 1]": high})
    caption = "Agreement of Borda and the mean; ties at the cut are broken at random."
    found.add_sheet("p1-table-2", caption, frame)
    _add_their_run(bench, found, "Table 2")
    for board in ("GLUE", "SuperGLUE"):
        for scored in bench.tables(f"{board} with Score").values():
            tau = tau_with_score(bench.leaderboards[board].values, scored.values)
            found.add("Table 2", {"tau": tau}, board, as_run=True)


def _add_their_run(bench: Bench, found: ExperimentRun, *items: str) -> None:
    """Add what the authors' program makes of the leaderboards that are there."""
    for board, (table, values) in as_read(bench).items():
        called = [name_of(board, system) for system in table.systems]
        for item in items:
            found.add(item, dict(board_values(board, values, called)), as_run=True)


@experiment("p1-tables-3-6", "the ten best systems", "Table 3", "Table 6")
def best(bench: Bench, found: ExperimentRun) -> None:
    """Rank every leaderboard by Borda and the mean."""
    for board, table in bench.tables(*BOARDS).items():
        frame = by_both(table)
        values = dict(_of_board(board, frame))
        found.add("Table 6", values)
        if board != "SuperGLUE":
            found.add("Table 3", values)
        caption = f"The ten best systems of {board} by Borda, ranks from 0, ties in the order of "
        name = f"p1-table-6-{board.lower()}"
        found.add_sheet(name, f"{caption}the file.", frame.head(10))
    _add_their_run(bench, found, "Table 3", "Table 6")


def by_both(table: ra.ScoreTable) -> pd.DataFrame:
    """Return the systems, best first by Borda: points, mean, and their ranks by the mean from 0."""
    borda, mean = ra.Borda().aggregate(table), ra.Mean().aggregate(table)
    rows = rows_of(borda.ranking)
    columns = {
        "rank": range(len(rows)),
        "system": [str(table.systems[int(row)]) for row in rows],
        "points": scores_of_items(borda).to_numpy()[rows],
        "rank by the mean": in_file_order(mean.ranking).ranks[rows],
        "mean": scores_of_items(mean).to_numpy()[rows],
    }
    return pd.DataFrame(columns)


def _of_board(board: str, frame: pd.DataFrame) -> Iterator[tuple[str, object]]:
    for row in frame.to_dict("records"):
        name, by_mean = name_of(board, row["system"]), row["rank by the mean"]
        if row["rank"] < 10:
            yield f"Borda points, {board}, place {row['rank'] + 1}", row["points"]
            yield f"system, {board}, place {row['rank'] + 1}", name
        if name in CALLED[board].values():
            yield f"rank by the mean from 0, {board}, {name}", by_mean
        if by_mean <= 11:
            yield f"mean, {board}, place {by_mean + 1} by the mean", row["mean"]


# -- subsets of tasks -----------------------------------------------------------------------------


@experiment("p1-figure-8", "random subsets of tasks", "Figure 5", "Figure 8")
def subsets_of_tasks(bench: Bench, found: ExperimentRun) -> None:
    """Draw subsets of the tasks of the three leaderboards."""
    caption = "Figures 5 (a, f) and 8 of the paper draw the same."
    tables, rules = bench.tables(*BOARDS), [ra.Mean(), ra.Borda()]
    for board, means, _ in _on_subsets(bench, found, tables, rules, caption):
        lead = means["Borda"] - means["Mean"]
        if board != "SuperGLUE":
            # The shares between which the paper sees the greatest difference.
            share = float(lead.index[int(lead.argmax())]) / tables[board].n_tasks
            where = "25% to 75%" if 0.25 <= share <= 0.75 else f"{share:.0%}"
            said = {
                "correlation of Borda against the mean's": _sizes_where(lead, "higher"),
                "where Borda leads most": f"{where} of tasks",
            }
            found.add("Figure 5", said, board)
        ahead, behind = int((lead > ROUNDING).sum()), int((lead < -ROUNDING).sum())
        values = {
            "nearer to itself at more sizes": (
                "Borda" if ahead > behind else "mean" if behind > ahead else "neither"
            ),
            "sizes of subsets at which Borda is nearer": ahead,
            "sizes of subsets": len(lead),
        }
        found.add("Figure 8", values, board)


@experiment("p1-figure-9", "random subsets of metrics", "Figure 9")
def subsets_of_metrics(bench: Bench, found: ExperimentRun) -> None:
    """Draw subsets of the metrics of the tables of instances that are public."""
    names = {rule.name: name for name, rule in PROCEDURES.items()}
    caption = (
        "The data sets that are public; tasks are metrics here. Borda is one level, "
        "TwoLevel(Borda, Borda) two levels."
    )
    tables, rules = instance_tables(bench), [*PROCEDURES.values()]
    for data, means, spreads in _on_subsets(bench, found, tables, rules, caption):
        for rule in list(names)[1:]:
            higher = _sizes_where(means[rule] - means["Mean"], "higher")
            lower = _sizes_where(spreads["Mean"] - spreads[rule], "lower")
            found.add(
                "Figure 9", {f"correlation of {names[rule]} against the mean's": higher}, data
            )
            found.add("Figure 9", {f"spread of {names[rule]} against the mean's": lower}, data)


#: What the sheets call the columns of a study of subsets.
CALLED_ON_SUBSETS: Final = {
    "cells": "subsets", "mean_tau": "mean", "std_tau": "std", "mean_top1": "top1",
}  # fmt: skip


def _on_subsets(
    bench: Bench,
    found: ExperimentRun,
    tables: Mapping[str, ra.ScoreTable],
    rules: Sequence[ra.Aggregator],
    caption: str,
) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame]]:
    """Yield means and spreads of the rules' correlations by size on each table, and hand all on."""
    name, frames, plots = found.experiment.name, {}, {}
    for title, table in tables.items():
        study = TaskSubsetStudy(data=table, rules=rules, n_repetitions=bench.repetitions(), rng=0)
        result = bench.run(f"{name}-{title.lower()}", study)
        taus = result.to_frame().groupby(["size", "method"], sort=False)["tau"]
        frame = result.by_method(quantiles=(0.05, 0.5, 0.95)).rename(columns=CALLED_ON_SUBSETS)
        frames[title], plots[title] = frame.assign(defined=taus.count()), partial(result.plot)
        found.sentences.append(f"{title}: {result.headline()}.")
        yield title, frame["mean"].unstack("method"), frame["std"].unstack("method")
    if not frames:
        return
    sheet = pd.concat(frames, names=["data"]).reset_index().drop(columns=["failed", "unproved"])
    found.add_sheet(name, "Correlation with all tasks, by the size of subsets.", sheet)
    told = "Mean correlation of a rule on some tasks with itself on all. "
    found.add_picture(name, told + caption, partial(beside, plots))


def _sizes_where(lead: pd.Series[float], word: str) -> str:
    """Return a claim where it holds for every size, and else for how many it does."""
    holds = int((lead > ROUNDING).sum())
    return word if holds == len(lead) else f"{word} at {holds} of {len(lead)} sizes"


# -- instances ------------------------------------------------------------------------------------

#: The paper's pairs of procedures, in its order.
PAIRED = {
    " and ".join(pair): pair
    for pair in (("one level", "two levels"), ("mean", "two levels"), ("mean", "one level"))
}
#: Figure 6 has columns under the names of others, and the first and last row exchanged for PC.
COLUMN_OF = {"RSUM": "SEVAL", "SEVAL": "TAC08", "TAC08": "RSUM"}


@experiment(
    "p1-section-5.3",
    "procedures on instances",
    *("Section 5.3", "Figure 4", "Figure 6", "Figure 10", "Figure 11"),
)
def instances(bench: Bench, found: ExperimentRun) -> None:
    """Aggregate every table with the three procedures, as it is and with its axes exchanged."""
    tables = instance_tables(bench)
    taus: dict[str, pd.Series[float]] = {}
    winners, tops, curves, results = [], [], {}, {}
    for name, table in tables.items():
        ranked = {rule: PROCEDURES[rule].aggregate(table) for rule in PROCEDURES}
        # Points count the systems that are worse; the paper's ranks begin with 1.
        shift = {"one level": table.n_units, "two levels": table.n_tasks, "mean": 0}
        orders = {r: as_order(consensus.ranking, first=3) for r, consensus in ranked.items()}
        for rule, consensus in ranked.items():
            found.add("Section 5.3", {"first three": orders[rule]}, rule, name)
            scores = (scores_of_items(consensus) + shift[rule]).nlargest(3)
            for place, score in enumerate(scores, 1):
                found.add("Section 5.3", {"score": score}, rule, name, f"place {place}")
        firsts = [set(consensus.buckets[0]) for consensus in ranked.values()]
        winners.append(not any(one & other for one, other in combinations(firsts, 2)))
        tops.append(len(set(orders.values())) == 1)
        taus[name] = pd.Series(
            {
                pair: ra.kendall_tau(ranked[one].ranking, ranked[other].ranking)
                for pair, (one, other) in PAIRED.items()
            }
        )
        found.add("Figure 6", {f"tau of {pair}": tau for pair, tau in taus[name].items()}, name)
        results[name] = AgreementStudy(data=table, rules=[*PROCEDURES.values()], rng=0).run()
        curves[name] = by_k = _agreement_by_k(results[name])
        k = min(10, int(by_k.index.get_level_values("k").max()))
        for pair in PAIRED:
            share, tau = by_k["top"][pair, 3], by_k["top_tau"][pair, k]
            found.add("Figure 11", {"common share of the first 3": share}, pair, name)
            said = f"tau of {pair} among the common of the first {k}"
            found.add("Figure 10", {said: "undefined" if isnan(tau) else tau}, name)
    for printed in tables:
        if (source := tables.get(COLUMN_OF.get(printed, printed))) is not None:
            their = instance_taus(source)
            order = list(their.values())[:: -1 if printed == "PC" else 1]
            for pair, tau in zip(their, order, strict=True):
                found.add("Figure 6", {f"tau of {pair}": tau}, printed, as_run=True)
    if len(tables) == len(INSTANCE_TABLES):
        found.add("Section 5.3", {"data sets with three different winners": sum(winners)})
        found.add("Section 5.3", {"data sets with one order of the first three": sum(tops)})
        _together(found, pd.DataFrame(taus), curves, results)


def _agreement_by_k(result: StudyResult) -> pd.DataFrame:
    """Return the agreement on all instances, by pair of procedures and k."""
    called = {rule.name: name for name, rule in PROCEDURES.items()}
    frame = result.by_method().loc["instances"].reset_index()
    frame["pair"] = frame["first"].map(called) + " and " + frame["second"].map(called)
    return frame.set_index(["pair", "k"])


def _together(
    found: ExperimentRun,
    taus: pd.DataFrame,
    curves: Mapping[str, pd.DataFrame],
    results: Mapping[str, StudyResult],
) -> None:
    """Hand on what the text says of the global analysis."""
    every = pd.concat(curves, names=["data"])
    # Means and deviations over the data sets with more than k systems.
    most = every.groupby("data")["top"].transform("size") // len(PAIRED)
    groups = every[every.index.get_level_values("k") < most].groupby(["pair", "k"], sort=False)
    ends = groups[["top", "top_tau"]]
    table = pd.concat([ends.mean(), ends.std().add_prefix("std_")], axis=1)[groups.size() > 1]
    means, whole = table.groupby("pair")[["top", "top_tau"]].mean(), taus.mean(axis=1)
    closest = PAIRED[str(whole.idxmax())]
    values = {
        "pair with the most common first systems": means["top"].idxmax(),
        "procedure that disagrees with the other two": next(
            rule for rule in PROCEDURES if rule not in closest
        ),
    }
    found.add("Figure 4", values)
    found.each("Figure 4", "common share of the first k", means["top"])
    found.each("Figure 4", "tau among common first systems", means["top_tau"])
    found.each("Figure 4", "tau of all systems", whole)
    wide = taus.rename_axis("pair").reset_index()
    columns = ["data", "pair", "k", "top", "last", "top_tau"]
    found.add_sheet("p1-figure-6", "Tau of the procedures.", wide)
    found.add_sheet(
        "p1-figure-10", "Agreement on the first k systems.", every.reset_index()[columns]
    )
    public = "on the nine data sets, with systems for systems"
    found.add_picture(
        "p1-figure-4",
        f"Agreement on the first k systems {public}: means and standard deviations over the "
        "data sets with more than k systems.",
        partial(
            beside,
            {
                "(a) common share of the first k": partial(_draw_means, table, "top"),
                "(b) tau among the common": partial(_draw_means, table, "top_tau"),
            },
        ),
    )
    legend = "Mean is the mean, Borda one level, TwoLevel(Borda, Borda) two levels."
    kinds = {
        "p1-figure-10": ("top_tau", "Tau-b among the first k systems that two procedures share"),
        "p1-figure-11": ("top", "Share of the first k that two procedures have in common"),
    }
    for file, (curve, about) in kinds.items():
        plots = {
            name: partial(result.plot, y=curve, where={"scope": "instances"})
            for name, result in results.items()
        }
        found.add_picture(file, f"{about}, {public}. {legend}", partial(beside, plots))


# Curves of so many points have a marker at each, and so many numbers stand along the axis.
FEW = 12
# The look of each of the three pairs.
LOOKS = (
    {"color": "#0072B2", "ls": "-", "marker": "o", "mfc": "#0072B2"},
    {"color": "#D55E00", "ls": "--", "marker": "s", "mfc": "#D55E00"},
    {"color": "#009E73", "ls": "-.", "marker": "^", "mfc": "#009E73"},
)


def _draw_means(table: pd.DataFrame, column: str, ax: Axes) -> Axes:
    """Draw the mean of a column for each pair of procedures, in a band of one deviation."""
    sheet, thin = PlotSheet(ax, 32.0, 22.0), 0.5 * mpl.rcParams["lines.linewidth"]
    least = -1.0 if column == "top_tau" else 0.0
    curves, lowest, places = [], [], set()
    for number, (pair, look) in enumerate(zip(PAIRED, LOOKS, strict=True)):
        part = table.loc[pair].sort_index()
        at, mean, spread = part.index.to_numpy(float), part[column], part[f"std_{column}"]
        low, high = ((mean + sign * spread).clip(least, 1.0).to_numpy() for sign in (-1, 1))
        where = np.isfinite(low) & np.isfinite(high)
        shade = {"color": look["color"], "alpha": 0.18, "lw": 0, "zorder": 1}
        ax.fill_between(at, low, high, where=where, gid=f"band-{number}", **shade)
        # The ends of the bands, as they may cover each other; of few points with short bars.
        every = 1 if len(at) <= FEW else -(-len(at) // 8)
        ends = {"marker": "_" if len(at) <= FEW else "", "mew": thin, "lw": thin, "zorder": 2}
        ends |= {"color": look["color"], "ls": look["ls"], "clip_on": False}
        ax.plot(at, low, gid=f"low-{number}", **ends)
        ax.plot(at, high, gid=f"high-{number}", **ends)
        marks = {"markevery": (number % every, every), "zorder": 4 + number, "clip_on": False}
        curves += ax.plot(at, mean.to_numpy(), label=pair, gid=f"curve-{number}", **look, **marks)
        lowest += [low, mean]
        places |= set(at)
    if np.nanmin(np.concatenate(lowest)) < 0:
        ax.set_ylim(-1, 1)
        ax.set_yticks([-1, -0.5, 0, 0.5, 1])
        ax.axhline(0, color="#222222", lw=thin, zorder=0)
    else:
        ax.set_ylim(0, 1)
        ax.set_yticks(np.arange(6) * 0.2)
    ends = min(places), max(places)
    ax.set_xlim(*ends)
    ticks = MaxNLocator(nbins=8, integer=True, min_n_ticks=1).tick_values(*ends)
    few = sorted(places) if len(places) <= FEW else None
    ax.set_xticks(few or [tick for tick in ticks if ends[0] <= tick <= ends[1]])
    ax.grid(color="#e4e4e4", linewidth=thin)
    ax.set_axisbelow(True)
    return sheet.finish([], axis="k", handles=curves)


# -- dispersion -----------------------------------------------------------------------------------


@lru_cache(maxsize=3)
def _dispersion(table: ra.ScoreTable) -> tuple[DispersionReport, pd.DataFrame]:
    """Return how far rules are from the tasks, also by rule; several experiments ask for it."""
    report = ra.inference.dispersion_report(table, (ra.Borda(), ra.Mean(), ra.Kemeny()))
    return report, report.to_frame().set_index("rule")


@experiment("p1-section-3.2", "Borda as an approximation", "Section 3.2")
def approximation(bench: Bench, found: ExperimentRun) -> None:
    """Divide the cost of Borda by the least cost."""
    for name, table in bench.tables(*BOARDS).items():
        ratio = _dispersion(table)[1]["ratio"]["Borda"]
        found.add("Section 3.2", {"Borda costs at most 5 times the least": ratio <= 5}, name)
        found.add("Section 3.2", {"cost of Borda over the least": ratio}, name)


@experiment("p1-table-7", "dispersion of the consensuses", "Table 7")
def distances_to_tasks(bench: Bench, found: ExperimentRun) -> None:
    """Measure how far Borda, the mean, a random ranking and the exact optimum are from tasks."""
    frames = {}
    for name, table in bench.tables(*BOARDS).items():
        report, rows = _dispersion(table)
        # All tied costs what a random ranking costs on average.
        random = ra.PartialRanking(np.zeros(table.n_systems, dtype=np.int64), table.systems)
        strict = ra.Permutation.identity(table.systems)
        values = {
            "random ranking": ra.kendall_distance(random, strict, tie_cost=0.5),
            "random ranking, ties of tasks cost nothing": ra.dispersion(
                table, random, average=True
            ),
            "least total of all rankings": rows["total"]["Kemeny"],
            "least of all rankings, a task": rows["average"]["Kemeny"],
            "the least total is proved": report.exact is not None and report.exact.is_proved,
            "Borda": rows["discordant"]["Borda"],
            "Borda, cost": rows["average"]["Borda"],
            "mean": rows["discordant"]["Mean"],
            "mean, cost": rows["average"]["Mean"],
        }
        if name == "GLUE":
            parted = in_file_order(ra.Mean().aggregate(table).ranking)
            values["mean, its tie in the order of the file"] = ra.dispersion(
                table, parted, average=True, discordant=True
            )
        found.add("Table 7", values, name)
        frames[name] = report.to_frame()
    if not frames:
        return
    for board, (_, read) in as_read(bench).items():
        found.add("Table 7", inverse_distances(read), board, as_run=True)
    caption = (
        "Distances to the tasks: total and average cost (half for a pair that the consensus "
        "ties), its share of all judgments, discordant pairs on average, ratio to the least total."
    )
    frame = pd.concat(frames, names=["leaderboard"]).reset_index("leaderboard")
    found.add_sheet("p1-table-7", caption, frame)


@experiment(
    "p1-equation-3", "spread of the tasks, its bounds and its sampling", "Equation (3)", "Remark 2"
)
def spread_of_tasks(bench: Bench, found: ExperimentRun) -> None:
    """Sum the distances of all pairs of tasks, and hold the optimum against their mean."""
    for name, table in bench.tables(*BOARDS).items():
        report, rows = _dispersion(table)
        pairs = permutations(table.rankings(), 2)
        sums = {
            "sum over ordered pairs of tasks": ra.inference.spread(table),
            "the same pair by pair": sum(ra.kendall_distance(*pair) for pair in pairs),
            "mean distance of two tasks": report.average_spread,
        }
        found.add("Equation (3)", sums, name)
        share = rows["total"]["Kemeny"] / report.total_weight / report.average_spread
        bounds = {
            "least mean distance over that of two tasks": share,
            "it is from 1/2 to 1": 0.5 <= share <= 1,
            "the least total is at least": report.spread_bounds[0],
        }
        found.add("Remark 2", bounds, name)
    for table in bench.tables("SuperGLUE").values():
        profile = table.rankings()
        precision = 0.05 * ra.inference.spread(profile, average=True)
        fixed = ra.inference.HoeffdingEstimator(epsilon=precision, alpha=0.05)
        sampled = {
            "mean distance by Hoeffding's bound within 5 %": fixed.estimate(profile, rng=0).value,
            "pairs that Hoeffding's bound takes": fixed.n_samples(
                profile.n_items * (profile.n_items - 1) / 2
            ),
            "pairs of tasks that there are": profile.n_rankings * (profile.n_rankings - 1) / 2,
        }
        found.add("Equation (3)", sampled, "SuperGLUE")
        found.sentences.append(
            "The spread follows from one pass over the tasks; sampling looks at more pairs of "
            "tasks than there are."
        )


@experiment("p1-exact", "optima, and ranks that are decided", "Beyond: exact consensus")
def optima_and_ranks(bench: Bench, found: ExperimentRun) -> None:
    """Solve each leaderboard, count its optima, and bound the ranks of its systems."""
    for board, table in bench.tables(*BOARDS).items():
        ranks = ra.rank_intervals(table, alpha=0.05, rng=0)
        exact, borda = ra.Kemeny().aggregate(table), ra.Borda().aggregate(table)
        assert isinstance(exact.optima, ra.Optima), "it is strict, and no time limit was given"
        optima = exact.optima.within(30.0)
        best, worst = optima.rank_ranges()
        factor, n_pairs = borda.cost / exact.cost, table.n_systems * (table.n_systems - 1) // 2
        values = {
            "least cost": exact.cost,
            "it is proved": exact.is_proved,
            "cost of Borda over the least": factor,
            "pairs of systems": n_pairs,
        }
        by = ""
        # The optima of many systems take too long to count.
        if table.n_systems <= 30:
            number = optima.count()
            by = f" by {counted(number, 'ranking', ',')}"
            values |= {
                "it is the only optimum": optima.is_unique,
                "optima": number,
                "pairs on which optima differ": optima.n_undecided_pairs,
                "systems first in an optimum": (best == 1).sum(),
            }
        found.add("Beyond: exact consensus", values, board)
        found.sentences.append(
            f"{board}: the least cost is {exact.cost:g}{by}; that of Borda is greater by the "
            f"factor {factor:.3f}. Of {counted(n_pairs, 'pair')} of systems "
            f"{len(ranks.decisions.pairs)} are decided at 5 %."
        )
        bounds = ranks.to_frame().loc[list(table.systems)]
        frame = pd.DataFrame(
            {
                "system": [str(system) for system in table.systems],
                "rank by Borda": bounds["rank"].to_numpy(),
                "best rank in an optimum": best,
                "worst rank in an optimum": worst,
                "lower bound": bounds["best"].to_numpy(),
                "upper bound": bounds["worst"].to_numpy(),
            }
        )
        caption = (
            f"{board}: ranks by Borda, in the exact optima, and bounds that hold for all systems "
            "at once with probability 95 %, if the tasks are independent."
        )
        frame = frame.sort_values("rank by Borda", kind="stable")
        found.add_sheet(f"p1-exact-{board.lower()}", caption, frame)
        if board == "SuperGLUE":
            about = "bounds of all ranks by Borda points, at once, at 5 %; beyond the paper."
            draw = partial(ranks.plot)
            found.add_picture("p1-exact-superglue", f"{board}: {about}", draw)
