"""Instances and subsets of tasks of the first paper."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations
from math import isnan

import numpy as np
import pandas as pd

from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.means import Mean
from rankagg.aggregation.positional import Borda
from rankagg.aggregation.result import Consensus
from rankagg.aggregation.two_level import TwoLevel
from rankagg.core.scores import ScoreTable
from rankagg.distances.kendall import kendall_tau
from rankagg.replication.experiment import (
    Bench,
    Experiment,
    Found,
    Picture,
    Sheet,
    Values,
    as_order,
    number_at,
    scores_of,
)
from rankagg.replication.p1_as_run import instance_taus
from rankagg.replication.p1_boards import BOARDS, DATA_SETS, instance_tables
from rankagg.replication.panels import bands_of, draw_panels
from rankagg.replication.published import Value
from rankagg.studies.agreement import AgreementStudy
from rankagg.studies.task_subsets import TaskSubsetResult, TaskSubsetStudy

RULES = {"one level": Borda(), "two levels": TwoLevel(Borda(), Borda()), "mean": Mean()}
#: The paper's pairs, in its order.
PAIRS = (("one level", "two levels"), ("mean", "two levels"), ("mean", "one level"))
SAID = {pair: " and ".join(pair) for pair in PAIRS}
NAMES = {name: name for name in SAID.values()}
#: The first systems that rows speak of, and that averages over data sets take.
FIRST, DEPTH = 3, 10
ITEMS = ("Section 5.3", "Figure 4", "Figure 6", "Figure 10", "Figure 11")
#: Figure 6 has columns under the names of others, and the first and last row exchanged for PC.
PRINTED_COLUMNS = {"RSUM": "SEVAL", "SEVAL": "TAC08", "TAC08": "RSUM"}


def _aggregate(table: ScoreTable) -> dict[str, Consensus]:
    return {name: rule.aggregate(table) for name, rule in RULES.items()}


def _taus(found: dict[str, Consensus]) -> dict[tuple[str, str], float]:
    return {pair: kendall_tau(*(found[name].ranking for name in pair)) for pair in PAIRS}


def _tops(name: str, found: dict[str, Consensus], table: ScoreTable) -> dict[str, Value]:
    """Return the first systems of each procedure and their scores; ranks count from 1."""
    # Points count the systems that are worse; the paper's ranks begin with 1.
    shift = {"one level": table.n_units, "two levels": table.n_tasks, "mean": 0}
    values: dict[str, Value] = {}
    for rule, consensus in found.items():
        values[f"first three, {rule}, {name}"] = as_order(consensus.ranking, first=FIRST)
        scores = np.sort(scores_of(consensus) + shift[rule])[::-1]
        for place, score in enumerate(scores[:FIRST], 1):
            values[f"score, {rule}, {name}, place {place}"] = float(score)
    return values


def _curves(table: ScoreTable) -> pd.DataFrame:
    """Return top, tau and common number by pair of procedures and k."""
    study = AgreementStudy(data=table, aggregators=list(RULES.values()))
    by_k = study.run().by_k().loc["instances"].sort_index()
    of_rule = {rule.name: name for name, rule in RULES.items()}
    parts: dict[str, pd.DataFrame] = {}
    for first, second in dict.fromkeys(key[:2] for key in by_k.index):
        ours = {of_rule[first], of_rule[second]}
        pair = next(pair for pair in PAIRS if set(pair) == ours)
        parts[SAID[pair]] = by_k.loc[first, second]
    return pd.concat(parts, names=["pair"])


def run(bench: Bench) -> Found:
    """Aggregate every table with the three procedures, as it is and with its axes exchanged."""
    tables = instance_tables(bench)
    values: Values = {}
    taus, winners, tops, curves = [], 0, 0, {}
    for name, table in tables.items():
        found = _aggregate(table)
        values |= {("Section 5.3", q): value for q, value in _tops(name, found, table).items()}
        firsts = [set(consensus.buckets[0]) for consensus in found.values()]
        winners += not any(first & second for first, second in combinations(firsts, 2))
        tops += len({as_order(consensus.ranking, first=FIRST) for consensus in found.values()}) == 1
        for pair, tau in _taus(found).items():
            values["Figure 6", f"tau of {SAID[pair]}, {name}"] = tau
            taus.append({"data": name, "pair": SAID[pair], "tau": tau})
        curves[name] = _curves(table)
        values |= _at_depth(name, curves[name])
    as_run = dict(_as_run(tables))
    if len(tables) < len(DATA_SETS):
        return Found(values, as_run)
    values["Section 5.3", "data sets with three different winners"] = float(winners)
    values["Section 5.3", "data sets with one order of the first three"] = float(tops)
    every = pd.concat(curves, names=["data"])
    together = _together(every)
    values |= _global(together, pd.DataFrame(taus))
    return Found(values, as_run, _sheets(taus, every), _pictures(curves, together))


def _as_run(tables: dict[str, ScoreTable]) -> Iterator[tuple[tuple[str, str], Value]]:
    """Yield the taus of the authors' run where they are printed."""
    for printed in tables:
        source = tables.get(PRINTED_COLUMNS.get(printed, printed))
        if source is None:
            continue
        found = instance_taus(source)
        taus = list(found.values())
        for label, tau in zip(found, taus[::-1] if printed == "PC" else taus, strict=True):
            yield ("Figure 6", f"tau of {label}, {printed}"), tau


def _at_depth(name: str, curves: pd.DataFrame) -> Values:
    values: Values = {}
    k = min(DEPTH, int(curves.index.get_level_values("k").max()))
    for pair in NAMES:
        share = number_at(curves, (pair, FIRST), "top")
        values["Figure 11", f"common share of the first {FIRST}, {pair}, {name}"] = share
        tau = number_at(curves, (pair, k), "top_tau")
        values["Figure 10", f"tau of {pair} among the common of the first {k}, {name}"] = (
            "undefined" if isnan(tau) else tau
        )
    return values


def _together(every: pd.DataFrame) -> pd.DataFrame:
    """Return means and deviations over the data sets with more than k systems."""
    every = every.assign(most=every.groupby("data")["top"].transform("size") // len(PAIRS))
    smaller = every[every.index.get_level_values("k") < every["most"]]
    groups = smaller.groupby(["pair", "k"], sort=False)[["top", "top_tau"]]
    table = pd.concat([groups.mean(), groups.std().add_prefix("std_")], axis=1)
    found: pd.DataFrame = table[groups.size() > 1]
    return found


def _global(together: pd.DataFrame, taus: pd.DataFrame) -> Values:
    """Return what the text says of the global analysis."""
    means = together.groupby("pair")[["top", "top_tau"]].mean()
    whole = taus.groupby("pair")["tau"].mean()
    values: Values = {
        ("Figure 4", "pair with the most common first systems"): str(means["top"].idxmax()),
        ("Figure 4", "procedure that disagrees with the other two"): _alone(whole),
    }
    for pair in NAMES:
        values |= {
            ("Figure 4", f"common share of the first k, {pair}"): number_at(means, pair, "top"),
            ("Figure 4", f"tau among common first systems, {pair}"): number_at(
                means, pair, "top_tau"
            ),
            ("Figure 4", f"tau of all systems, {pair}"): float(whole[pair]),
        }
    return values


def _alone(whole: pd.Series[float]) -> str:
    """Return the procedure that the pair which agrees most leaves out."""
    closest = next(pair for pair in PAIRS if SAID[pair] == whole.idxmax())
    return next(rule for rule in RULES if rule not in closest)


def _sheets(taus: list[dict[str, object]], every: pd.DataFrame) -> tuple[Sheet, ...]:
    wide = pd.DataFrame(taus).pivot(index="pair", columns="data", values="tau")
    wide = wide.loc[list(NAMES), list(DATA_SETS)].reset_index()
    columns = ["data", "pair", "k", "top", "last", "top_tau"]
    return (
        Sheet("p1-figure-6", "Tau of the procedures.", wide),
        Sheet("p1-figure-10", "Agreement on the first k systems.", every.reset_index()[columns]),
    )


def _pictures(curves: dict[str, pd.DataFrame], together: pd.DataFrame) -> tuple[Picture, ...]:
    both = {
        "(a) common share of the first k": bands_of(together, NAMES, "top", "std_top", 0.0),
        "(b) tau among the common": bands_of(together, NAMES, "top_tau", "std_top_tau", -1.0),
    }
    single = {
        column: {
            name: bands_of(table, NAMES, column, f"std_{column}", -1.0)
            for name, table in curves.items()
        }
        for column in ("top", "top_tau")
    }
    public = "on the nine data sets, with systems for systems"
    return (
        Picture(
            "p1-figure-4",
            f"Agreement on the first k systems {public}: means and standard deviations over the "
            "data sets with more than k systems.",
            partial(draw_panels, both, "k", "", alike=False),
        ),
        Picture(
            "p1-figure-10",
            f"Tau-b among the systems that two procedures have in common in their first k, {public}"
            ". The paper joins data sets of a kind in one panel.",
            partial(draw_panels, single["top_tau"], "k", "tau-b among the common of the first k"),
        ),
        Picture(
            "p1-figure-11",
            f"Share of the first k that two procedures have in common, {public}.",
            partial(draw_panels, single["top"], "k", "common share of the first k", start=0.0),
        ),
    )


INSTANCE_EXPERIMENTS = (Experiment("p1-section-5.3", "procedures on instances", ITEMS, run),)


REPETITIONS = 100
ON_TASKS: tuple[Aggregator, ...] = (Mean(), Borda())
ON_INSTANCES: tuple[Aggregator, ...] = (*ON_TASKS, TwoLevel(Borda(), Borda()))
TASK_NAMES = {"Mean": "mean", "Borda": "Borda"}
INSTANCE_NAMES = {"Mean": "mean", "Borda": "one level", "TwoLevel(Borda, Borda)": "two levels"}
#: Means and deviations that differ by less are equal.
EQUAL = 1e-9
#: The shares of tasks between which the paper sees the greatest difference.
RANGE = (0.25, 0.75)
UPRIGHT = "tau-b with the same rule on all tasks"


def on_tasks(bench: Bench) -> Found:
    """Draw subsets of the tasks of the three leaderboards."""
    values: Values = {}
    results = {}
    for board, table in bench.tables(*BOARDS).items():
        study = TaskSubsetStudy(
            data=table, aggregators=ON_TASKS, n_repetitions=bench.repetitions(REPETITIONS)
        )
        result = results[board] = bench.run(f"p1-figure-8-{board.lower()}", study)
        lead = _leads(result, "Borda", "mean")
        if board != "SuperGLUE":
            values["Figure 5", f"correlation of Borda against the mean's, {board}"] = _said(
                lead, "higher"
            )
            values["Figure 5", f"where Borda leads most, {board}"] = _where(lead, table.n_tasks)
        ahead, behind = int((lead > EQUAL).sum()), int((lead < -EQUAL).sum())
        nearer = "Borda" if ahead > behind else "mean" if behind > ahead else "neither"
        values |= {
            ("Figure 8", f"nearer to itself at more sizes, {board}"): nearer,
            ("Figure 8", f"sizes of subsets at which Borda is nearer, {board}"): float(ahead),
            ("Figure 8", f"sizes of subsets, {board}"): float(len(lead)),
        }
    caption = (
        "Mean correlation of a rule on some tasks with itself on all, in a band of one standard "
        "deviation either way. Figures 5 (a, f) and 8 of the paper draw the same."
    )
    return _found(values, results, TASK_NAMES, name="p1-figure-8", drawn="tasks", caption=caption)


def on_instances(bench: Bench) -> Found:
    """Draw subsets of the metrics of the tables of instances that are public."""
    values: Values = {}
    results = {}
    for name, table in instance_tables(bench).items():
        study = TaskSubsetStudy(
            data=table, aggregators=ON_INSTANCES, n_repetitions=bench.repetitions(REPETITIONS)
        )
        result = results[name] = bench.run(f"p1-figure-9-{name.lower()}", study)
        for rule in ON_INSTANCES[1:]:
            said = INSTANCE_NAMES[rule.name]
            values |= {
                ("Figure 9", f"correlation of {said} against the mean's, {name}"): _said(
                    _leads(result, rule.name, "mean"), "higher"
                ),
                ("Figure 9", f"spread of {said} against the mean's, {name}"): _said(
                    -_leads(result, rule.name, "std"), "lower"
                ),
            }
    caption = (
        "Mean correlation of a procedure on some metrics with itself on all, in a band of one "
        "standard deviation either way, on the data sets of Figures 5 and 9 that are public."
    )
    return _found(
        values, results, INSTANCE_NAMES, name="p1-figure-9", drawn="metrics", caption=caption
    )


def _leads(result: TaskSubsetResult, rule: str, column: str) -> pd.Series[float]:
    """Return by how much a rule is above the mean, for every size."""
    table = result.by_size()[column].unstack("method")
    return table[rule] - table["Mean"]


def _said(lead: pd.Series[float], word: str) -> str:
    """Return a claim where it holds for every size, and else for how many it does."""
    holds = int((lead > EQUAL).sum())
    return word if holds == len(lead) else f"{word} at {holds} of {len(lead)} sizes"


def _where(lead: pd.Series[float], n_tasks: int) -> str:
    low, high = RANGE
    share = float(lead.index[int(lead.argmax())]) / n_tasks
    if low <= share <= high:
        return f"{low:.0%} to {high:.0%} of tasks"
    return f"{share:.0%} of tasks"


def _found(
    values: Values,
    results: dict[str, TaskSubsetResult],
    names: dict[str, str],
    *,
    name: str,
    drawn: str,
    caption: str,
) -> Found:
    if not results:
        return Found(values)
    frames = {title: result.by_size() for title, result in results.items()}
    sheet = pd.concat(frames, names=["data"]).reset_index().drop(columns=["failed", "unproved"])
    panels = {
        title: bands_of(frame.swaplevel(), names, "mean", "std", -1.0)
        for title, frame in frames.items()
    }
    draw = partial(draw_panels, panels, f"{drawn} drawn at random", UPRIGHT)
    return Found(
        values,
        sheets=(Sheet(name, "Correlation with all tasks, by the size of subsets.", sheet),),
        pictures=(Picture(name, caption, draw),),
        sentences=tuple(f"{title}: {result.headline()}." for title, result in results.items()),
    )


SUBSET_EXPERIMENTS = (
    Experiment("p1-figure-8", "random subsets of tasks", ("Figure 5", "Figure 8"), on_tasks),
    Experiment("p1-figure-9", "random subsets of metrics", ("Figure 9",), on_instances),
)
