"""Tables 4 and 5: how many scores there are."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rankagg.core.scores import ScoreTable
from rankagg.replication.experiment import Bench, Experiment, Found, Values
from rankagg.replication.p1.boards import BOARDS

__all__ = ["DATA_SETS", "EXPERIMENTS", "instance_tables"]

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


def run(bench: Bench) -> Found:
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


EXPERIMENTS = (Experiment("p1-tables-4-5", "sizes of the data", (OUTLINE, TASKS, INSTANCES), run),)
