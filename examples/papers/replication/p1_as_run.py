"""The authors' program, run again: its sort, its columns, and distances of inverse permutations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

import rankagg as ra
from replication.experiment import Bench

#: Its rows and columns of Figure 6: what is printed as one pair of procedures is that of another,
#: on another data set.
PRINTED_PAIRS: Mapping[str, tuple[str, str]] = {
    "one level and two levels": ("mean", "two levels"),
    "mean and two levels": ("one level", "two levels"),
    "mean and one level": ("mean", "one level"),
}


def unstable_order(scores: np.ndarray) -> np.ndarray:
    """Return positions, lowest score first, as the quicksort of NumPy 1.19 leaves them."""
    value = scores.tolist()
    at, stack = list(range(len(value))), [(0, len(value) - 1)]
    while stack:
        low, high = stack.pop()
        if high - low < 16:  # sorted by insertion
            at[low : high + 1] = sorted(at[low : high + 1], key=value.__getitem__)
            continue
        middle = low + (high - low) // 2
        for one, other in ((low, middle), (middle, high), (low, middle)):
            if value[at[other]] < value[at[one]]:
                at[one], at[other] = at[other], at[one]
        pivot, left, right = value[at[middle]], low, high - 1
        at[middle], at[right] = at[right], at[middle]
        while left < right:
            left = next(k for k in range(left + 1, high + 1) if value[at[k]] >= pivot)
            right = next(k for k in range(right - 1, low - 1, -1) if value[at[k]] <= pivot)
            if left < right:
                at[left], at[right] = at[right], at[left]
        at[left], at[high - 1] = at[high - 1], at[left]
        stack += [(low, left - 1), (left + 1, high)]
    return np.array(at)


def unstable_ranks(scores: np.ndarray) -> np.ndarray:
    """Return ranks from 0, the higher the better."""
    return unstable_order(unstable_order(scores).astype(float)).astype(float)


def rank_sums(values: np.ndarray) -> np.ndarray:
    """Return the sum of the ranks over tasks."""
    sums: np.ndarray = np.add.reduce([unstable_ranks(task) for task in values.T])
    return sums


def inverse_permutation(scores: np.ndarray) -> ra.Permutation:
    """Return the order of systems where their ranks should stand."""
    order = np.argsort(unstable_ranks(scores))
    return ra.Permutation.from_ranks(order, items=range(len(order)))


def as_read(bench: Bench) -> dict[str, tuple[ra.ScoreTable, np.ndarray]]:
    """Return the leaderboards that are there with the columns that are tasks to the authors."""
    tables = bench.tables("GLUE", "SuperGLUE", "XTREME", "XTREME Score")
    score = tables.pop("XTREME Score", None)
    found = {name: (table, table.values) for name, table in tables.items()}
    if "XTREME" in found:
        table, values = found.pop("XTREME")
        if score is not None:
            found["XTREME"] = table, np.column_stack([score.values, values[:, :-1]])
    return found


def board_values(
    board: str, values: np.ndarray, names: list[str]
) -> Iterator[tuple[str, float | str]]:
    """Yield what Tables 2, 3 and 6 have: points, names, means, and what is common."""
    by_mean = np.argsort(-values.mean(axis=1), kind="stable")
    values, names = values[by_mean], [names[row] for row in by_mean]
    means, sums = values.mean(axis=1), rank_sums(values)
    borda, mean = (unstable_order(scores)[::-1] for scores in (sums, means))
    for place, row in enumerate(borda[:10], 1):
        yield f"Borda points, {board}, place {place}", float(sums[row])
        yield f"system, {board}, place {place}", names[row]
    for rank, name in enumerate(names):
        yield f"rank by the mean from 0, {board}, {name}", float(rank)
        yield f"mean, {board}, place {rank + 1} by the mean", float(means[rank])
    for end, step in (("top", 1), ("last", -1)):
        for k in (1, 3, 5, 10):
            common = np.intersect1d(borda[::step][:k], mean[::step][:k])
            yield f"common share of the {end} {k}, {board}", len(common) / k


def tau_with_score(values: np.ndarray, with_score: np.ndarray) -> float:
    """Return the tau of Table 2: the score is a task, and permutations are inverse."""
    rows = with_score[np.argsort(-values.mean(axis=1), kind="stable")]
    one, other = map(inverse_permutation, (rank_sums(rows), rows.mean(axis=1)))
    return ra.kendall_tau(one, other)


def inverse_distances(values: np.ndarray) -> dict[str, float]:
    """Return the mean distances of Table 7, between inverse permutations."""
    borda, mean, *tasks = (
        inverse_permutation(scores)
        for scores in (rank_sums(values), values.mean(axis=1), *values.T)
    )
    return {
        rule: sum(ra.kendall_distance(consensus, task) for task in tasks) / len(tasks)
        for rule, consensus in (("Borda", borda), ("mean", mean))
    }


def instance_taus(table: ra.ScoreTable) -> dict[str, float]:
    """Return the taus of Figure 6: systems stand for instances, permutations are inverse."""
    tasks = [table.values[:, table.unit_tasks == task].T for task in range(table.n_tasks)]
    sums = [rank_sums(task) for task in tasks]
    scores = {
        "one level": np.add.reduce(sums),
        "two levels": rank_sums(np.column_stack(sums)),
        "mean": np.mean([task.mean(axis=1) for task in tasks], axis=0),
    }
    found = {rule: inverse_permutation(score) for rule, score in scores.items()}
    return {
        label: ra.kendall_tau(found[one], found[other])
        for label, (one, other) in PRINTED_PAIRS.items()
    }
