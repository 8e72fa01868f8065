"""Tables 7 and 8: single metrics, the tasks they average to, and the means of these."""

from __future__ import annotations

from functools import partial

import numpy as np

from rankagg.aggregation.means import GeometricMean, Mean
from rankagg.replication.experiment import Bench, Experiment, Found, Sheet
from rankagg.replication.leaderboards import load_table
from rankagg.replication.p3.benchmarks import Benchmark, benchmarks, metrics
from rankagg.replication.reading import scores_of
from rankagg.replication.verdicts import Value

__all__ = ["EXPERIMENTS"]

ITEMS = {"Table 7": "GLUE", "Table 8": "SuperGLUE"}


def run(bench: Bench, *, item: str) -> Found:
    """Average metrics into tasks, tasks into means, and hold both against Tables 1 and 2."""
    benchmark = next(one for one in benchmarks() if one.name == ITEMS[item])
    single, groups = metrics(benchmark.name)
    table = benchmark.means_of
    values: dict[tuple[str, str], Value] = {}
    for task in groups:
        column = table.values[:, table.tasks.index(task)]
        for system, score in zip(table.systems, column, strict=True):
            values[item, f"mean of the metrics of {task}, {system}"] = float(score)
    rules = {
        "geometric mean": GeometricMean().aggregate(table),
        "arithmetic mean": Mean().aggregate(table),
        "leaderboard average": Mean().aggregate(benchmark.average_of),
    }
    for name, consensus in rules.items():
        for system, mean in zip(consensus.items, scores_of(consensus), strict=True):
            values[item, f"{name}, {system}"] = float(mean)
    values[item, f"tasks whose column in {benchmark.item} is another"] = float(
        len(_other_columns(benchmark))
    )
    frame = single.to_frame().rename_axis("system").reset_index()
    sheet = Sheet(f"p3-{item.lower().replace(' ', '-')}", f"{benchmark.name} by metrics.", frame)
    return Found(values, sheets=(sheet,))


def _other_columns(benchmark: Benchmark) -> list[object]:
    """Return the tasks on which averaged metrics are not the scores of Tables 1 and 2."""
    averaged, printed = benchmark.means_of, load_table(f"{benchmark.name.lower()}_human")
    return [
        task
        for task, scores in zip(printed.tasks, printed.values.T, strict=True)
        if not np.allclose(
            averaged.values[:, averaged.tasks.index(task)], scores, rtol=0, atol=1e-9
        )
    ]


EXPERIMENTS = tuple(
    Experiment(
        f"p3-{item.lower().replace(' ', '-')}", f"{name} by single metrics", (item,),
        partial(run, item=item),
    )
    for item, name in ITEMS.items()
)  # fmt: skip
