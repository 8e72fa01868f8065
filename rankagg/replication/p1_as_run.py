"""The authors' program, run again: its sort, its columns, and distances of inverse permutations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg.core.rankings.partial import Permutation
from rankagg.core.scores import ScoreTable
from rankagg.distances.kendall import kendall_distance, kendall_tau
from rankagg.replication.experiment import Bench
from rankagg.replication.published import Value

Order = NDArray[np.intp]
#: Parts of the sort no longer than this are sorted by insertion.
SHORT = 16
#: Its rows and columns of Figure 6: what is printed as one pair of procedures is that of another,
#: on another data set.
PRINTED_PAIRS: Mapping[str, tuple[str, str]] = {
    "one level and two levels": ("mean", "two levels"),
    "mean and two levels": ("one level", "two levels"),
    "mean and one level": ("mean", "one level"),
}


def unstable_order(scores: Floats) -> Order:
    """Return positions, lowest score first, as the quicksort of NumPy 1.19 leaves them."""
    value = scores.tolist()
    at, stack = list(range(len(value))), [(0, len(value) - 1)]
    while stack:
        low, high = stack.pop()
        if high - low < SHORT:
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


def _ranks(scores: Floats) -> Floats:
    """Return ranks from 0, the higher the better."""
    return unstable_order(unstable_order(scores).astype(float)).astype(float)


def _sums(values: Floats) -> Floats:
    total: Floats = sum(map(_ranks, values.T), np.zeros(len(values)))
    return total


def _permutation(scores: Floats, *, inverse: bool = False) -> Permutation:
    ranks = _ranks(scores).astype(int)
    return Permutation(np.argsort(ranks) if inverse else ranks, range(len(ranks)))


def as_read(bench: Bench) -> dict[str, tuple[ScoreTable, Floats]]:
    """Return the leaderboards that are there with the columns that are tasks to the authors."""
    tables = bench.tables("GLUE", "SuperGLUE", "XTREME", "XTREME Score")
    score = tables.pop("XTREME Score", None)
    found = {name: (table, table.values) for name, table in tables.items()}
    if "XTREME" in found:
        table, values = found.pop("XTREME")
        if score is not None:
            found["XTREME"] = table, np.column_stack([score.values, values[:, :-1]])
    return found


def board_values(values: Floats, names: list[str], depth: int) -> Iterator[tuple[str, Value]]:
    """Yield what Tables 2, 3 and 6 have: points, names, means, and what is common."""
    by_mean = np.argsort(-values.mean(axis=1), kind="stable")
    values, names = values[by_mean], [names[row] for row in by_mean]
    means, sums = values.mean(axis=1), _sums(values)
    borda = unstable_order(sums)[::-1]
    for place, row in enumerate(borda[:depth], 1):
        yield f"Borda points, {{}}, place {place}", float(sums[row])
        yield f"system, {{}}, place {place}", names[row]
    for rank, (name, mean) in enumerate(zip(names, means, strict=True)):
        yield f"rank by the mean from 0, {{}}, {name}", float(rank)
        yield f"mean, {{}}, place {rank + 1} by the mean", float(mean)
    mean = unstable_order(means)[::-1]
    for end, step in (("top", 1), ("last", -1)):
        for k in (1, 3, 5, 10):
            common = np.intersect1d(borda[::step][:k], mean[::step][:k])
            yield f"common share of the {end} {k}, {{}}", len(common) / k


def tau_with_score(values: Floats, with_score: Floats) -> float:
    """Return the tau of Table 2: the score is a task, and permutations are inverse."""
    rows = with_score[np.argsort(-values.mean(axis=1), kind="stable")]
    one, other = (_permutation(x, inverse=True) for x in (_sums(rows), rows.mean(axis=1)))
    return kendall_tau(one, other)


def distances(values: Floats) -> dict[str, float]:
    """Return the mean distances of Table 7, between inverse permutations."""
    tasks = [_permutation(task, inverse=True) for task in values.T]
    return {
        rule: float(
            np.mean([kendall_distance(_permutation(scores, inverse=True), task) for task in tasks])
        )
        for rule, scores in (("Borda", _sums(values)), ("mean", values.mean(axis=1)))
    }


def instance_taus(table: ScoreTable) -> dict[str, float]:
    """Return the taus of Figure 6: systems stand for instances, permutations are inverse."""
    tasks = [table.values[:, table.unit_tasks == task].T for task in range(table.n_tasks)]
    sums = [_sums(task) for task in tasks]
    scores = {
        "one level": sum(sums, np.zeros(len(sums[0]))),
        "two levels": _sums(np.column_stack(sums)),
        "mean": np.mean([task.mean(axis=1) for task in tasks], axis=0),
    }
    found = {rule: _permutation(score, inverse=True) for rule, score in scores.items()}
    return {
        label: kendall_tau(found[one], found[other])
        for label, (one, other) in PRINTED_PAIRS.items()
    }
