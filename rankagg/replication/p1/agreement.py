"""Table 2: how far Borda and the mean agree on the first, the last and all systems."""

from __future__ import annotations

import numpy as np
import pandas as pd

from rankagg.aggregation.means import Mean
from rankagg.aggregation.positional import Borda
from rankagg.core.scores.table import ScoreTable
from rankagg.distances.kendall import kendall_tau
from rankagg.replication.experiment import Bench, Experiment, Found, Sheet
from rankagg.replication.p1.boards import as_read_and_filed, in_file_order, rows_of
from rankagg.replication.verdicts import Value
from rankagg.studies.agreement.agreement import AgreementStudy
from rankagg.studies.agreement.agreement_result import AgreementResult

__all__ = ["EXPERIMENTS"]

TABLE = "Table 2"
TOP, LAST = (1, 3, 5, 10), (3, 5, 10)
RULES = (Mean(), Borda())


def _with_score(bench: Bench) -> dict[str, ScoreTable]:
    """Return the leaderboards with their score as one more task."""
    tables = bench.tables("GLUE with Score", "SuperGLUE with Score", "XTREME", "XTREME Score")
    score, file = tables.pop("XTREME Score", None), tables.pop("XTREME", None)
    boards = {name.removesuffix(" with Score"): table for name, table in tables.items()}
    if score is not None and file is not None:
        boards["XTREME"] = ScoreTable(
            np.column_stack([score.values, file.values]), systems=file.systems,
            tasks=[*score.tasks, *file.tasks], higher_is_better=True,
        )  # fmt: skip
    return boards


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


def run(bench: Bench) -> Found:
    """Hold Borda against the mean on every leaderboard, without and with its score."""
    values: dict[tuple[str, str], Value] = {}
    frames = []
    for board, table in as_read_and_filed(bench).items():
        result = AgreementStudy(data=table, aggregators=RULES).run()
        row = result.to_frame().iloc[0]
        found = _by_file(result, board)
        found[f"tau, {board}"] = float(row["tau"])
        if board == "SuperGLUE":
            found[f"common share of the top 5, {board}, ties broken at random"] = float(row["top5"])
        if board == "GLUE":
            mean, borda = (rule.aggregate(table).ranking for rule in RULES)
            parted = kendall_tau(in_file_order(mean), borda)
            found[f"tau, {board}, the mean's tie in the order of the file"] = parted
        values |= {(TABLE, quantity): value for quantity, value in found.items()}
        frames.append(_frame(board, result))
    for board, table in _with_score(bench).items():
        result = AgreementStudy(data=table, aggregators=RULES).run()
        tau = float(result.to_frame()["tau"].iloc[0])
        values[TABLE, f"tau, {board}, with the leaderboard's score as a task"] = tau
        frames.append(_frame(f"{board} with its score", result))
    if not frames:
        return Found(values)
    caption = "Agreement of Borda and the mean; ties at the cut are broken at random."
    return Found(values, sheets=(Sheet("p1-table-2", caption, pd.concat(frames)),))


def _frame(name: str, result: AgreementResult) -> pd.DataFrame:
    frame = result.to_frame().drop(columns=["scope", "task", "first", "second", "n_ranked"])
    return frame.assign(leaderboard=name)[["leaderboard", *frame.columns]]


EXPERIMENTS = (Experiment("p1-table-2", "agreement of the rankings", (TABLE,), run),)
