"""Tables 3 and 6: the ten best systems by Borda, and where the mean has them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pandas as pd

from rankagg._typing import Label
from rankagg.aggregation.means import Mean
from rankagg.aggregation.positional import Borda
from rankagg.core.scores.table import ScoreTable
from rankagg.replication.experiment import Bench, Experiment, Found, Sheet
from rankagg.replication.p1.boards import BOARDS, FILED, as_read_and_filed, rows_of
from rankagg.replication.reading import scores_of
from rankagg.replication.verdicts import Value

__all__ = ["EXPERIMENTS", "name_of", "names_of"]

DEPTH = 10
#: Which leaderboards a table has.
ITEMS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "Table 3": ("GLUE", "XTREME"),
    "Table 6": (*BOARDS, FILED),
})  # fmt: skip
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


def names_of(board: str) -> Mapping[str, str]:
    """Return what the paper calls the systems of a leaderboard, by the beginning of their names."""
    return NAMES["XTREME" if board == FILED else board]


def name_of(board: str, system: Label) -> str:
    """Return what the paper calls a system; its own name where the paper does not have it."""
    for start, name in names_of(board).items():
        if str(system).startswith(start):
            return name
    return str(system)


def best_ten(board: str, table: ScoreTable) -> pd.DataFrame:
    """Return the ten best systems by Borda: points, mean, and their ranks by the mean from 0."""
    borda, mean = Borda().aggregate(table), Mean().aggregate(table)
    rows = rows_of(borda.ranking)[:DEPTH]
    ranks = {int(row): rank for rank, row in enumerate(rows_of(mean.ranking))}
    return pd.DataFrame({
        "leaderboard": board,
        "rank": range(len(rows)),
        "system": [str(table.systems[int(row)]) for row in rows],
        "points": scores_of(borda)[rows],
        "rank by the mean": [ranks[int(row)] for row in rows],
        "mean": scores_of(mean)[rows],
    })  # fmt: skip


def _values(board: str, table: ScoreTable) -> dict[str, Value]:
    top = best_ten(board, table)
    values: dict[str, Value] = {}
    for place, (points, system) in enumerate(zip(top["points"], top["system"], strict=True), 1):
        values[f"Borda points, {board}, place {place}"] = float(points)
        values[f"system, {board}, place {place}"] = name_of(board, system)
    mean = Mean().aggregate(table)
    for rank, row in enumerate(rows_of(mean.ranking)):
        name = name_of(board, table.systems[int(row)])
        if name in names_of(board).values():
            values[f"rank by the mean from 0, {board}, {name}"] = float(rank)
        if rank <= DEPTH + 1:
            values[f"mean, {board}, place {rank + 1} by the mean"] = float(scores_of(mean)[row])
    return values


def run(bench: Bench) -> Found:
    """Rank every leaderboard by Borda and the mean."""
    tables = as_read_and_filed(bench)
    found = {board: _values(board, table) for board, table in tables.items()}
    values = {
        (item, quantity): value
        for item, boards in ITEMS.items()
        for board in boards
        for quantity, value in found.get(board, {}).items()
    }
    sheets = [
        Sheet(
            f"p1-table-6-{board.lower().replace(' ', '-')}",
            f"The ten best systems of {board} by Borda, ranks from 0, ties in the order of the "
            "file.",
            best_ten(board, table).drop(columns="leaderboard"),
        )
        for board, table in tables.items()
    ]
    return Found(values, sheets=tuple(sheets))


EXPERIMENTS = (Experiment("p1-tables-3-6", "the ten best systems", tuple(ITEMS), run),)
