"""Tables of scores as the files that a scan reads."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import rankagg as ra

NAN = float("nan")


def write_summary(summary, path):
    """Write sums of scores as `rankagg scan --out` does."""
    Path(path).write_text(json.dumps(summary.to_dict()), encoding="utf-8")


def drawn(seed=0, *, n=4, m=40, tasks="xyz", gaps=0.3):
    """Return a table with ties, gaps, whole tasks without a system, and both directions."""
    rng = np.random.default_rng(seed)
    names = [tasks[int(t)] for t in rng.integers(0, len(tasks), m)]
    values = rng.choice([0.0, 0.1, 0.25, -3.5, 7.0, 1e-3], (n, m))
    values[rng.random((n, m)) < gaps] = NAN
    values[1, [name == tasks[0] for name in names]] = NAN
    values[0, np.isnan(values).all(axis=0)] = 1.0
    return ra.ScoreTable(
        values,
        systems=[f"s{i}" for i in range(n)],
        tasks=names,
        instances=[f"i{u}" for u in range(m)],
        higher_is_better={name: name != tasks[-1] for name in dict.fromkeys(names)},
        task_weights={names[0]: 0.5},
    )


def wide(table):
    """Return a row per unit and a column per system."""
    frame = pd.DataFrame(table.values.T.copy(), columns=list(table.systems))
    frame.insert(0, "task", [table.tasks[t] for t in table.unit_tasks])
    frame.insert(1, "id", table.instances)
    return frame


def long(table):
    """Return a row per score that is there."""
    frame = wide(table).melt(["task", "id"], var_name="system", value_name="score")
    frame["unit"] = np.tile(np.arange(table.n_units), table.n_systems)
    frame = frame.sort_values("unit", kind="stable").drop(columns="unit")
    return frame.dropna().reset_index(drop=True)


def write(frame, path, *, rows=None, **options):
    """Write a frame as the file that its name says; `rows` to a row group."""
    name = path.name
    if name.endswith(".parquet"):
        table = pa.Table.from_pandas(frame, preserve_index=False)
        pq.write_table(table, path, row_group_size=rows or max(len(frame), 1), **options)
    else:
        frame.to_csv(path, index=False, sep="\t" if ".tsv" in name else ",")
    return path


WIDE = {"task": "task", "instance": "id"}
LONG = {**WIDE, "system": "system", "score": "score"}


def scan(sources, table, names=None, **options):
    """Scan files of a table with its directions and weights, and in its order of systems."""
    if names is LONG and "systems" not in options:
        options["systems"] = list(table.systems)
    return ra.io.scan_scores(
        sources, higher_is_better=dict(table.higher_is_better),
        task_weights=dict(table.task_weights), **(WIDE if names is None else names), **options,
    )  # fmt: skip
