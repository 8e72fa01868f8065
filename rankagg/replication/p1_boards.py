"""Leaderboards of the first paper: its example, its task-level tables, and their sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg._typing import Floats, Label
from rankagg.aggregation.condorcet import PairwiseMajority
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.means import Mean
from rankagg.aggregation.positional import Borda
from rankagg.core.rankings.partial import PartialRanking, Permutation
from rankagg.core.scores import ScoreTable
from rankagg.distances.kendall import kendall_tau
from rankagg.replication.experiment import (
    Bench,
    Experiment,
    Found,
    Sheet,
    Values,
    as_order,
    scores_of,
)
from rankagg.replication.leaderboards import load_table
from rankagg.replication.p1_as_run import as_read, board_values, tau_with_score
from rankagg.replication.published import Value
from rankagg.studies.agreement import AgreementResult, AgreementStudy

TABLE, PAIRED = "Table 1", "Section 2"
#: Figures without a quantity.
SHOWN = ("Figure 1", "Figure 2")
PAIRS = (("B", "A"), ("C", "B"), ("A", "C"))


def run_toy(bench: Bench) -> Found:
    """Rank the bundled table by the mean, majorities, Borda and the exact Kemeny rule."""
    toy = load_table("toy_tasks")
    n_tasks, n_systems = toy.n_tasks, toy.n_systems
    mean, borda, kemeny = (rule.aggregate(toy) for rule in (Mean(), Borda(), Kemeny()))
    votes = toy.rankings().pairwise()
    values: dict[tuple[str, str], Value] = {}
    # Where lower is better, means are negated; Borda points count the systems that are worse, the
    # paper's ranks from 1.
    sums_of_scores = -n_tasks * scores_of(mean)
    sums_of_ranks = n_tasks * n_systems - scores_of(borda)
    for at, system in enumerate(toy.systems):
        values[TABLE, f"sum of scores, {system}"] = float(sums_of_scores[at])
        values[TABLE, f"sum of ranks, {system}"] = float(sums_of_ranks[at])
    for better, worse in PAIRS:
        pair = toy.systems.index(better), toy.systems.index(worse)
        values[TABLE, f"tasks with {better} before {worse}"] = float(votes.wins[pair])
    values |= {
        (TABLE, "order by the mean"): as_order(mean.ranking),
        (TABLE, "order by majorities"): as_order(PairwiseMajority().aggregate(toy).ranking),
        (TABLE, "order by Borda"): as_order(borda.ranking),
        (TABLE, "order by Kemeny"): as_order(kemeny.ranking),
        (TABLE, "Kemeny cost"): float(kemeny.cost),
    }
    scores = dict(zip(toy.systems, toy.values, strict=True))
    for first, second in PAIRS:
        one, other = _lambda(scores[first], scores[second])
        said = first if one > other else second if other > one else "neither"
        values[PAIRED, f"better of {first} and {second} by lambda, as its formula has it"] = said
    for name, number in zip("AB", _lambda(np.ones(n_tasks), np.ones(n_tasks)), strict=True):
        values[PAIRED, f"lambda of {name}, two systems with equal scores on six tasks"] = number
    frame = toy.to_frame().rename_axis("system").reset_index()
    return Found(values, sheets=(Sheet("p1-table-1", "Scores; lower is better.", frame),))


def _lambda(one: Floats, other: Floats) -> tuple[float, float]:
    """Return both lambdas of section 2: a score that is as high counts for the first system."""
    first = float((one >= other).sum())
    return first, len(one) - first


TOY_EXPERIMENTS = (
    Experiment(
        "p1-table-1", "where pairwise rankings are paradoxical", (*SHOWN, PAIRED, TABLE), run_toy
    ),
)


#: What they are called here.
BOARDS = ("GLUE", "SuperGLUE", "XTREME")
AGREEMENT = "Table 2"
TOP, LAST = (1, 3, 5, 10), (3, 5, 10)
RULES = (Mean(), Borda())
DEPTH = 10
#: What the paper calls high correlations.
HIGH = (0.8, 1.0)
#: Which leaderboards a table of the best ten has.
BEST: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"Table 3": ("GLUE", "XTREME"), "Table 6": BOARDS}
)
#: What the paper calls the systems, by leaderboard and the beginning of their names there.
NAMES: Mapping[str, Mapping[str, str]] = MappingProxyType({
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
})  # fmt: skip


def rows_of(ranking: PartialRanking) -> NDArray[np.intp]:
    """Return the rows of the systems, best first, ties in the order of the file."""
    return np.argsort(ranking.ranks, kind="stable")


def in_file_order(ranking: PartialRanking) -> Permutation:
    """Return a ranking with its ties broken by the order of the file."""
    return Permutation(np.argsort(rows_of(ranking)), ranking.items)


def name_of(board: str, system: Label) -> str:
    """Return what the paper calls a system; its own name where the paper does not have it."""
    for start, name in NAMES[board].items():
        if str(system).startswith(start):
            return name
    return str(system)


# -- agreement ------------------------------------------------------------------------------------


def agreement(bench: Bench) -> Found:
    """Hold Borda against the mean on every leaderboard."""
    values: Values = {}
    frames = []
    for board, table in bench.tables(*BOARDS).items():
        result = AgreementStudy(data=table, aggregators=RULES).run()
        row = result.to_frame().iloc[0]
        found = _by_file(result, board) | {f"tau, {board}": float(row["tau"])}
        for k, tied in ((5, "SuperGLUE"), (3, "XTREME")):
            if board == tied:
                drawn = f"common share of the top {k}, {board}, ties broken at random"
                found[drawn] = float(row[f"top{k}"])
        if board == "GLUE":
            mean, borda = (rule.aggregate(table).ranking for rule in RULES)
            parted = kendall_tau(in_file_order(mean), borda)
            found[f"tau, {board}, the mean's tie in the order of the file"] = parted
        values |= {(AGREEMENT, quantity): value for quantity, value in found.items()}
        frames.append(result.to_frame().assign(leaderboard=board))
    if len(frames) < len(BOARDS):
        return Found(values)
    frame = pd.concat(frames).set_index("leaderboard")
    high = "yes" if frame["tau"].between(*HIGH).all() else "no"
    values[AGREEMENT, "all correlations are in [0.80, 1]"] = high
    frame = frame.drop(columns=["scope", "task", "first", "second", "n_ranked"]).reset_index()
    caption = "Agreement of Borda and the mean; ties at the cut are broken at random."
    return Found(values, _agreement_as_run(bench), (Sheet("p1-table-2", caption, frame),))


def _by_file(result: AgreementResult, board: str) -> dict[str, Value]:
    """Return the agreement where ties at the cut are broken by the order of the file."""
    compared = result.comparisons[0].comparison
    mean, borda = (rows_of(compared[rule.name].ranking) for rule in RULES)
    values: dict[str, Value] = {}
    for k in TOP:
        common = np.intersect1d(mean[:k], borda[:k])
        values[f"common share of the top {k}, {board}"] = len(common) / k
    for k in LAST:
        common = np.intersect1d(mean[-k:], borda[-k:])
        values[f"common share of the last {k}, {board}"] = len(common) / k
    return values


def _agreement_as_run(bench: Bench) -> Values:
    found = _as_run(bench, AGREEMENT)
    for board in ("GLUE", "SuperGLUE"):
        file, scored = bench.leaderboards[board], bench.tables(f"{board} with Score")
        for table in scored.values():
            found[AGREEMENT, f"tau, {board}"] = tau_with_score(file.values, table.values)
    return found


def _as_run(bench: Bench, *items: str) -> Values:
    """Return what the authors' program makes of the leaderboards that are there."""
    return {
        (item, quantity.format(board)): value
        for board, (table, values) in as_read(bench).items()
        for quantity, value in board_values(
            values, [name_of(board, system) for system in table.systems], DEPTH
        )
        for item in items
    }


# -- the best ten ---------------------------------------------------------------------------------


def by_both(table: ScoreTable) -> pd.DataFrame:
    """Return the systems, best first by Borda: points, mean, and their ranks by the mean from 0."""
    borda, mean = Borda().aggregate(table), Mean().aggregate(table)
    rows = rows_of(borda.ranking)
    columns = {
        "rank": range(len(rows)),
        "system": [str(table.systems[int(row)]) for row in rows],
        "points": scores_of(borda)[rows],
        "rank by the mean": in_file_order(mean.ranking).ranks[rows],
        "mean": scores_of(mean)[rows],
    }
    return pd.DataFrame(columns)


def _of_board(board: str, frame: pd.DataFrame) -> Iterator[tuple[str, Value]]:
    for row in frame.to_dict("records"):
        name, by_mean = name_of(board, row["system"]), int(row["rank by the mean"])
        if row["rank"] < DEPTH:
            yield f"Borda points, {board}, place {row['rank'] + 1}", row["points"]
            yield f"system, {board}, place {row['rank'] + 1}", name
        if name in NAMES[board].values():
            yield f"rank by the mean from 0, {board}, {name}", float(by_mean)
        if by_mean <= DEPTH + 1:
            yield f"mean, {board}, place {by_mean + 1} by the mean", row["mean"]


def best(bench: Bench) -> Found:
    """Rank every leaderboard by Borda and the mean."""
    frames = {board: by_both(table) for board, table in bench.tables(*BOARDS).items()}
    values = {
        (item, quantity): value
        for item, boards in BEST.items()
        for board in boards
        for quantity, value in (_of_board(board, frames[board]) if board in frames else ())
    }
    caption = "The ten best systems of {} by Borda, ranks from 0, ties in the order of the file."
    sheets = (
        Sheet(f"p1-table-6-{board.lower()}", caption.format(board), frame.head(DEPTH))
        for board, frame in frames.items()
    )
    return Found(values, _as_run(bench, *BEST), tuple(sheets))


BOARD_EXPERIMENTS = (
    Experiment("p1-table-2", "agreement of the rankings", (AGREEMENT,), agreement),
    Experiment("p1-tables-3-6", "the ten best systems", tuple(BEST), best),
)


OUTLINE, TASKS, INSTANCES = "Section 1", "Table 4", "Table 5"
#: The tables of instances, by what the paper calls them.
DATA_SETS: Mapping[str, str] = MappingProxyType({
    "PC": "dialog_pc", "TC": "dialog_tc", "FLICKR": "flickr", "MLQE": "mlqe", "RSUM": "real_sum",
    "SEVAL": "sum_eval", "TAC08": "tac_08", "TAC09": "tac_09", "TAC11": "tac_11",
})  # fmt: skip


def instance_tables(bench: Bench) -> dict[str, ScoreTable]:
    """Return those tables of instances that are there, by what the paper calls them."""
    there = bench.tables(*DATA_SETS.values())
    return {name: there[file] for name, file in DATA_SETS.items() if file in there}


def run_sizes(bench: Bench) -> Found:
    """Count."""
    values: Values = {(OUTLINE, "benchmarks"): float(len(BOARDS) + len(DATA_SETS))}
    boards, tables = bench.tables(*BOARDS), instance_tables(bench)
    for name, table in boards.items():
        values[TASKS, f"systems, {name}"] = float(table.n_systems)
        values[TASKS, f"tasks, {name}"] = float(table.n_tasks)
    if len(boards) == len(BOARDS):
        values[TASKS, "scores"] = float(sum(table.values.size for table in boards.values()))
    for name, table in tables.items():
        units = table.n_units // table.n_tasks
        values |= {
            (INSTANCES, f"metrics, {name}"): float(table.n_tasks),
            (INSTANCES, f"systems, {name}"): float(table.n_systems),
            (INSTANCES, f"instances, {name}"): float(units),
            (INSTANCES, f"systems x instances, {name}"): float(table.n_systems * units),
        }
    if len(tables) == len(DATA_SETS):
        total = sum(table.values.size for table in tables.values())
        values[INSTANCES, "total of the sizes"] = float(total)
    return Found(values)


SIZES_EXPERIMENTS = (
    Experiment("p1-tables-4-5", "sizes of the data", (OUTLINE, TASKS, INSTANCES), run_sizes),
)
