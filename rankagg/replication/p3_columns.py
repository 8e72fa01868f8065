"""Columns of the third paper: rankings by rule, their spread and ratios of scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd

from rankagg.aggregation.means import Mean
from rankagg.aggregation.result import Consensus
from rankagg.core.rankings.partial import PartialRanking
from rankagg.core.scores import ScoreTable
from rankagg.distances.kendall import kendall_distance
from rankagg.replication.experiment import (
    Bench,
    Experiment,
    Found,
    Picture,
    Sheet,
    Values,
    as_order,
    scores_of,
)
from rankagg.replication.leaderboards import load_table
from rankagg.replication.p3_benchmarks import HUMAN, Benchmark, benchmarks, borrowed, means, place
from rankagg.replication.panels import Column, Panel, draw_flows
from rankagg.replication.published import Value

SECTION = "Section 4"
WORDS = "Sections 1 and 4"
#: Systems that the introduction calls 1.5 to 2 % worse than humans, by benchmark.
BEST = {"GLUE": ("DeBERTa", "MacAlbert + DKM"), "SuperGLUE": ("DeBERTa", "T5 + Meena")}
AS_PRINTED = "as in print"
SHORT = {"arithmetic": "AM", "geometric": "GM", "harmonic": "HM"}
PRINTED_COLUMNS = "the columns of the printed geometric mean"
CAPTION = (
    "Places among the systems in print by arithmetic, geometric and harmonic means (AM, GM, HM), "
    "humans in color. On the left as in print, where AM is the leaderboard's average, over other "
    "columns than GM and HM; elsewhere the three means are over the same columns. The paper has "
    "tables only."
)
COLUMN_SENTENCES = (
    "In print the arithmetic mean is over other columns than the two others, and on GLUE the means "
    "of humans leave out the diagnostic AX, on which models score 51 to 53. Over GLUE's ten tasks "
    "humans are last by each of the three means; over SuperGLUE's eight they are third, third and "
    "fourth, and over its ten columns first by each. So which columns are included moves humans "
    "to the first place, not the kind of mean.",
    "The kind of mean is not without effect where a column is far from the others: with a score on "
    "AX borrowed from SuperGLUE, as in Table 6, humans are last by the arithmetic mean and first "
    "by the harmonic one.",
)


@dataclass(frozen=True)
class Case:
    """Three means over some columns."""

    benchmark: str
    columns: str
    by_mean: dict[str, Consensus]


def run_column(bench: Bench) -> Found:
    """Rank by three means over the columns in print, and over the same columns for all."""
    found = [(one, list(_cases(one))) for one in benchmarks() if one.has_humans]
    cases = [case for _, several in found for case in several]
    values: dict[tuple[str, str], Value] = {}
    for case in cases:
        values |= _places(case) | _moves(case)
    values |= _below_humans(cases)
    (xglue,) = (one for one in benchmarks() if one.name == "XGLUE" and not one.part)
    told = "extrapolated" if xglue.has_humans else "not provided"
    values[WORDS, "scores of humans, XGLUE"] = told
    panels = tuple(_panel(one, several) for one, several in found)
    return Found(
        values,
        sheets=(Sheet("p3-columns", "Orders by mean and columns.", _frame(cases)),),
        pictures=(Picture("p3-columns", CAPTION, partial(draw_flows, panels)),),
        sentences=COLUMN_SENTENCES,
    )


def _cases(benchmark: Benchmark) -> Iterator[Case]:
    printed = means(benchmark.means_of)
    average = {"arithmetic": Mean().aggregate(benchmark.average_of)}
    yield Case(benchmark.name, AS_PRINTED, {**printed, **average})
    if benchmark.means_of.n_missing:
        yield Case(benchmark.name, PRINTED_COLUMNS, printed)
    for columns, table in benchmark.fixed.items():
        yield Case(benchmark.name, columns, means(table))


def _places(case: Case) -> dict[tuple[str, str], Value]:
    return {
        (SECTION, f"place of humans, {case.benchmark}, {mean} mean, {case.columns}"): float(
            place(consensus)
        )
        for mean, consensus in case.by_mean.items()
    }


def _below_humans(cases: list[Case]) -> dict[tuple[str, str], Value]:
    """Return by how much the best models are worse than humans, over the columns in print."""
    values: dict[tuple[str, str], Value] = {}
    for case in cases:
        for system in BEST.get(case.benchmark, ()) if case.columns == AS_PRINTED else ():
            for mean in ("geometric", "harmonic"):
                consensus = case.by_mean[mean]
                scores = dict(zip(consensus.items, scores_of(consensus), strict=True))
                quantity = f"per cent below humans, {mean} mean, {case.benchmark}, {system}"
                values[WORDS, quantity] = float(100 * (1 - scores[system] / scores[HUMAN]))
    low, high = min(values.values()), max(values.values())
    values[WORDS, "the best models are worse than humans by"] = f"{low:.1f} to {high:.1f} %"
    return values


def _moves(case: Case) -> dict[tuple[str, str], Value]:
    """Return how many pairs of systems two means order differently."""
    return {
        (
            SECTION,
            f"pairs on which the {one} and the {other} mean differ, {case.benchmark}, "
            f"{case.columns}",
        ): float(kendall_distance(case.by_mean[one].ranking, case.by_mean[other].ranking))
        for one, other in combinations(case.by_mean, 2)
    }


def _frame(cases: list[Case]) -> pd.DataFrame:
    rows = []
    for case in cases:
        for mean, consensus in case.by_mean.items():
            scores = scores_of(consensus)
            human = consensus.items.index(HUMAN)
            rows.append({
                "benchmark": case.benchmark, "columns": case.columns, "mean": mean,
                "place of humans": place(consensus), "humans": scores[human],
                "best model": np.delete(scores, human).max(),
                "order": as_order(consensus.ranking),
            })  # fmt: skip
    return pd.DataFrame(rows)


def _panel(benchmark: Benchmark, cases: list[Case]) -> Panel:
    columns = tuple(
        Column(case.columns, SHORT[mean], tuple(place(consensus, item) for item in consensus.items))
        for case in cases
        for mean, consensus in case.by_mean.items()
    )
    return Panel(benchmark.name, benchmark.means_of.systems.labels, HUMAN, columns)


COLUMN_EXPERIMENTS = (
    Experiment(
        "p3-section-4", "columns held fixed under three means", (WORDS, SECTION), run_column
    ),
)


SPREAD_TABLE = "Table 5"
SPREAD_SHOWN = ("Human", "DeBERTa", "T5 + Meena")
STATISTICS = {"sum": "sum", "variance": "variance", "standard deviation": "std"}


def run_spread(bench: Bench) -> Found:
    """Describe the scores of the first three systems on ten columns."""
    table = load_table("superglue_human")
    table = table.drop(systems=[system for system in table.systems if system not in SPREAD_SHOWN])
    described = table.describe(by="system")
    frame = described[list(STATISTICS.values())].set_axis(list(STATISTICS), axis=1)
    for name, consensus in means(table).items():
        frame.insert(0, f"{name} mean", scores_of(consensus))
    values: dict[tuple[str, str], Value] = {
        (SPREAD_TABLE, f"{quantity}, {system}"): float(number)
        for quantity, column in frame.to_dict().items()
        for system, number in column.items()
    }
    for quantity in STATISTICS:
        ranking = PartialRanking.from_scores(
            frame[quantity].to_numpy(), higher_is_better=True, items=table.systems
        )
        values[SPREAD_TABLE, f"order by {quantity}, largest first"] = as_order(ranking)
    shown = frame.rename_axis("system").reset_index()
    sheet = Sheet("p3-table-5", "Statistics of ten columns.", shown)
    sentence = (
        "The sum of ten columns puts humans first, and so must their arithmetic mean. That it does "
        "not in print is because the print's is over eight."
    )
    return Found(values, sheets=(sheet,), sentences=(sentence,))


SPREAD_EXPERIMENTS = (
    Experiment(
        "p3-table-5", "statistics of three systems on SuperGLUE", (SPREAD_TABLE,), run_spread
    ),
)


RATIO_TABLE = "Table 6"
RATIO_SHOWN = {
    "SuperGLUE": ("DeBERTa", "T5 + Meena", "T5"),
    "GLUE": ("DeBERTa", "MacAlbert + DKM", "T5"),
}
RATIO_SENTENCES = (
    "The printed means of GLUE's ratios are of eleven: the humans' score on AX is that on "
    "SuperGLUE's AX-b, which the table does not say. Here they are of the ten that it shows.",
    "Humans are 1 by each mean. With the borrowed score the harmonic mean puts them before all "
    "models of GLUE, and the arithmetic mean behind them; without it they are behind by each.",
)


def run_ratio(bench: Bench) -> Found:
    """Divide by the humans' scores, then average."""
    tables = {one.name: one.means_of for one in benchmarks() if one.name in RATIO_SHOWN}
    values: Values = {}
    as_run: Values = {}
    frames = []
    for name, shown in RATIO_SHOWN.items():
        table = tables[name]
        values |= _of_humans(name, table)
        if name == "GLUE":
            as_run |= _named(name, _ratios(borrowed(table)).loc[[*shown]])
            # A ratio to a missing score is none.
            table = table.drop(tasks=["AX"])
        frame = _ratios(table).loc[[HUMAN, *shown]]
        values |= _named(name, frame.drop(index=HUMAN))
        frame = frame.rename_axis("system").reset_index()
        frame.insert(0, "benchmark", name)
        frames.append(frame)
    sheets = tuple(
        Sheet(f"p3-table-6-{frame['benchmark'][0].lower()}", "Ratios to the humans' scores.", frame)
        for frame in frames
    )
    return Found(values, as_run, sheets, sentences=RATIO_SENTENCES)


def _named(name: str, frame: pd.DataFrame) -> Values:
    return {
        (RATIO_TABLE, f"{column}, {name}, {system}"): float(ratio)
        for column, ratios in frame.to_dict().items()
        for system, ratio in ratios.items()
    }


def _of_humans(name: str, table: ScoreTable) -> dict[tuple[str, str], Value]:
    at = table.systems.index(HUMAN)
    return {
        (RATIO_TABLE, f"{mean} mean, {name}, {HUMAN}"): float(scores_of(consensus)[at])
        for mean, consensus in means(table).items()
    }


def _ratios(table: ScoreTable) -> pd.DataFrame:
    relative = table.relative_to(HUMAN)
    frame = relative.to_frame().add_prefix("ratio on ")
    for at, (name, consensus) in enumerate(means(relative).items()):
        frame.insert(at, f"{name} mean of ratios", scores_of(consensus))
    return frame


RATIO_EXPERIMENTS = (
    Experiment("p3-table-6", "scores relative to humans", (RATIO_TABLE,), run_ratio),
)
