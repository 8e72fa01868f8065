"""Tables 4 and 5: how many scores there are."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rankagg.core.scores.table import ScoreTable
from rankagg.replication.experiment import Bench, Experiment, Found
from rankagg.replication.p1.boards import BOARDS
from rankagg.replication.published import published
from rankagg.replication.verdicts import Value

__all__ = ["DATA_SETS", "EXPERIMENTS", "instance_tables"]

TASKS, INSTANCES = "Table 4", "Table 5"
#: The tables of instances that are public, by what the paper calls them.
DATA_SETS: Mapping[str, str] = MappingProxyType({
    "PC": "dialog_pc", "TC": "dialog_tc", "FLICKR": "flickr", "SEVAL": "sum_eval",
    "TAC08": "tac_08",
})  # fmt: skip


def instance_tables(bench: Bench) -> dict[str, ScoreTable]:
    """Return those tables of instances that are there, by what the paper calls them."""
    there = bench.tables(*DATA_SETS.values())
    return {name: there[file] for name, file in DATA_SETS.items() if file in there}


def _printed_total() -> float:
    """Return what the sizes in print multiply and add up to."""
    rows = {row.quantity: row.printed for row in published("P1") if row.item == INSTANCES}
    sets = [name.removeprefix("metrics, ") for name in rows if name.startswith("metrics, ")]
    pairs = [(rows[f"metrics, {name}"], rows[f"systems x instances, {name}"]) for name in sets]
    return sum(float(metrics) * float(rankings) for metrics, rankings in pairs)


def run(bench: Bench) -> Found:
    """Count."""
    values: dict[tuple[str, str], Value] = {(INSTANCES, "total of the sizes"): _printed_total()}
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
        values[INSTANCES, "scores of the data sets that are public"] = float(total)
    return Found(values)


EXPERIMENTS = (Experiment("p1-tables-4-5", "sizes of the data", (TASKS, INSTANCES), run),)
