"""Speed of rules on two levels, as a ratio to the same rule task by task.

    pytest -o addopts='' tests/benchmarks/test_two_level.py --benchmark-json=figures.json

The ratio is in the extra information of the benchmark.
"""

from statistics import median
from time import perf_counter

import pytest

import rankagg as ra


def task_by_task(table: ra.ScoreTable) -> ra.Consensus:
    """Rank inside each task by itself, then the rankings of the tasks."""
    inside = [
        ra.Borda().aggregate(table.drop(tasks=[other for other in table.tasks if other != task]))
        for task in table.tasks
    ]
    return ra.Borda().aggregate(ra.Profile([consensus.ranking for consensus in inside]))


def seconds(call) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


# Those of the papers' simulations, and of a table of summaries.
@pytest.mark.parametrize("sizes", [(20, 20, 20), (62, 15, 48)])
def test_two_level_borda_against_task_by_task(benchmark, sizes: tuple[int, int, int]) -> None:
    n_systems, n_tasks, n_instances = sizes
    model = ra.studies.LatentModel(
        step=0.1, n_systems=n_systems, n_tasks=n_tasks, n_instances=n_instances
    )
    table = model.draw(rng=0)
    rule = ra.TwoLevel(ra.Borda(), ra.Borda())
    consensus = benchmark(rule.aggregate, table)
    assert consensus.scores.tolist() == task_by_task(table).scores.tolist()
    slow = median(seconds(lambda: task_by_task(table)) for _ in range(15))
    benchmark.extra_info.update(task_by_task=slow, ratio=slow / benchmark.stats.stats.median)
