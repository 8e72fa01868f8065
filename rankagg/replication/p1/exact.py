"""Beyond the paper: the exact consensus of its leaderboards, and what the tasks decide."""

from __future__ import annotations

from functools import partial

import pandas as pd

from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.kemeny.optimal.optima import Optima
from rankagg.aggregation.positional import Borda
from rankagg.core.items import counted
from rankagg.core.scores.table import ScoreTable
from rankagg.exceptions import BlockTooLargeError, OutOfTimeError
from rankagg.inference.ranks.rank_intervals import rank_intervals
from rankagg.inference.ranks.result import RankIntervals
from rankagg.replication.experiment import Bench, Experiment, Found, Picture, Sheet
from rankagg.replication.p1.boards import BOARDS
from rankagg.replication.verdicts import Value

__all__ = ["EXPERIMENTS"]

ITEM = "Beyond: exact consensus"
ALPHA = 0.05
#: Seconds for counting optima.
PATIENCE = 30.0


def run(bench: Bench) -> Found:
    """Solve each leaderboard, count its optima, and bound the ranks of its systems."""
    values: dict[tuple[str, str], Value] = {}
    sheets, sentences, intervals = [], [], {}
    for board, table in bench.tables(*BOARDS).items():
        intervals[board] = rank_intervals(table, alpha=ALPHA)
        found, frame = _solved(table, intervals[board])
        values |= {(ITEM, f"{quantity}, {board}"): value for quantity, value in found.items()}
        caption = (
            f"{board}: the ranks of every system by Borda, in the exact optima, and the bounds of "
            "its rank that hold for all systems at once with probability 95 %, if the tasks are "
            "independent."
        )
        sentences.append(_sentence(board, found))
        sheets.append(Sheet(f"p1-exact-{board.lower()}", caption, frame))
    return Found(values, tuple(sheets), _pictures(intervals), tuple(sentences))


def _solved(table: ScoreTable, ranks: RankIntervals) -> tuple[dict[str, Value], pd.DataFrame]:
    exact, borda = Kemeny().aggregate(table), Borda().aggregate(table)
    assert isinstance(exact.optima, Optima), "it is strict, and no time limit was given"
    optima = exact.optima.within(PATIENCE)
    best, worst = optima.rank_ranges()
    found: dict[str, Value] = {
        "least cost": float(exact.cost),
        "it is proved": "yes" if exact.is_proved else "no",
        "it is the only optimum": "yes" if optima.is_unique else "no",
        "optima": _count(optima),
        "pairs on which optima differ": float(optima.n_undecided_pairs),
        "systems first in an optimum": float((best == 1).sum()),
        "cost of Borda over the least": borda.cost / exact.cost,
        "pairs of systems that are decided at 5 %": float(len(ranks.decisions.pairs)),
        "pairs of systems": float(table.n_systems * (table.n_systems - 1) / 2),
        "systems that may be first at 5 %": float(len(ranks.first)),
    }
    bounds = ranks.to_frame().loc[list(table.systems)]
    frame = pd.DataFrame({
        "system": [str(system) for system in table.systems],
        "rank by Borda": bounds["rank"].to_numpy(),
        "best rank in an optimum": best, "worst rank in an optimum": worst,
        "lower bound": bounds["best"].to_numpy(), "upper bound": bounds["worst"].to_numpy(),
    })  # fmt: skip
    return found, frame.sort_values("rank by Borda", kind="stable")


def _sentence(board: str, found: dict[str, Value]) -> str:
    optima = found["optima"]
    number = optima if isinstance(optima, str) else counted(int(optima), "ranking", ",")
    decided, pairs = (
        float(found[key])
        for key in ("pairs of systems that are decided at 5 %", "pairs of systems")
    )
    return (
        f"{board}: the least cost is {found['least cost']:g}, reached by {number}; that of Borda "
        f"is greater by the factor {found['cost of Borda over the least']:.3f}. Of "
        f"{counted(int(pairs), 'pair')} of systems {decided:g} are decided at 5 %."
    )


def _count(optima: Optima) -> Value:
    try:
        return float(optima.count())
    except (BlockTooLargeError, OutOfTimeError):
        return "more than can be counted"


def _pictures(intervals: dict[str, RankIntervals]) -> tuple[Picture, ...]:
    if "SuperGLUE" not in intervals:
        return ()
    caption = "SuperGLUE: bounds of all ranks by Borda points, at once, at 5 %; beyond the paper."
    return (Picture("p1-exact-superglue", caption, partial(intervals["SuperGLUE"].plot)),)


EXPERIMENTS = (Experiment("p1-exact", "optima, and ranks that are decided", (ITEM,), run),)
