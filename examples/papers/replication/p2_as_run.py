"""The experiment on tasks as it was run, which the printed numbers rest on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import factorial
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

import rankagg as ra

Entry = TypeVar("Entry")
RUN_LEVELS = tuple(level / 19 for level in range(20))
#: The levels that the text calls medium.
MEDIUM = (0.05, 0.4)


def by_proportions(rankings: ra.Profile) -> ra.PartialRanking:
    """Rank by the sums of proportions of compatible permutations, which is the definition."""
    return ra.Borda().aggregate(rankings).ranking


def by_counts(rankings: ra.Profile) -> ra.PartialRanking:
    """Rank by the sums of their numbers, as the program does on tasks."""
    return by_proportions(counted_profile(rankings))


def counted_profile(rankings: ra.Profile) -> ra.Profile:
    """Count each ranking as often as it has compatible permutations, N!/k! for k of N systems."""
    n, absent = len(rankings.items), rankings.ranks == ra.UNRANKED
    counts = [factorial(n) // factorial(n - int(number)) for number in absent.sum(axis=1)]
    ranks = np.where(absent, np.nan, rankings.ranks + 1)
    return ra.Profile.from_ranks(ranks, items=rankings.items, counts=counts)


SUMMED: Mapping[str, Callable[[ra.Profile], ra.PartialRanking]] = MappingProxyType(
    {"proportions": by_proportions, "counts": by_counts}
)


@dataclass(frozen=True)
class AsRun:
    """What one form of the one-level rule gave beside the mean, over all levels."""

    # Mean and standard deviation of tau between both rankings of a table.
    tau: float
    spread: float
    # The share of tables where the same system is last, and third from the end.
    last: float
    third_last: float
    # Mean tau of each rule with its own ranking of the full table, at the medium levels.
    one_level: float
    mean: float


def run_again(
    table: ra.ScoreTable, n_repetitions: int, *, sums: Sequence[str] = tuple(SUMMED), seed: int = 0
) -> dict[str, AsRun]:
    """Run it on a table without gaps."""
    rng = np.random.default_rng(seed)
    rules = [SUMMED[name] for name in sums]
    full = [ra.Mean().aggregate(table).ranking, *(rule(table.rankings()) for rule in rules)]
    tied = ra.PartialRanking(np.zeros(table.n_systems, dtype=int), table.systems)
    rows = []
    for level in RUN_LEVELS * n_repetitions:
        left = _remove(table, level, rng)
        mean = _rank_by_mean(left, list(table.systems), rng)
        ones = [tied if left is None else rule(left.rankings()) for rule in rules]
        for one, own in zip(ones, full[1:], strict=True):
            same = [_same(one, mean, place) for place in (0, 2)]
            rows.append((level, _tau(one, mean), *same, _tau(one, own), _tau(mean, full[0])))
    found = np.array(rows, dtype=float).reshape(-1, len(sums), 6)
    return {name: _summary(found[:, at]) for at, name in enumerate(sums)}


def as_shipped(content: Mapping[str, Any]) -> AsRun:
    """Return what a file of the authors' run has, from its rankings; 0 is the worst system."""
    noise = content["results"]["robustness"]["noise"]
    runs = [noise[rule] for rule in ("one_level", "mean")]
    one, mean = (np.array([found["ranking"] for found in run]) for run in runs)
    own = [[found["correlation"] for found in run] for run in runs]
    # A repetition goes through all levels.
    level = np.resize(content["etas"], len(one))
    places = [(one == place, mean == place) for place in (0, 2)]
    same = [(a == b).all(axis=1) & (a.sum(axis=1) == 1) for a, b in places]
    rows = np.array([level, taus_of_rows(one, mean), *same, *own], dtype=float)
    return _summary(np.nan_to_num(rows.T))


def pooled_as_shipped(runs: Sequence[np.ndarray]) -> np.ndarray:
    """Return what each two of three rules share over all data sets, as the authors pool them.

    It is the mean of tau, its standard deviation, and how often the same systems are last and
    third last. The runs are those of `Leaderboards.rankings`.
    """
    # The program leaves the last table of each data set out.
    shared = np.concatenate([_shared(ranks[:, :-1]) for ranks in runs], axis=2)
    found: np.ndarray = np.insert(shared.mean(axis=2), 1, shared[0].std(axis=1), axis=0).T
    return found


def _shared(ranks: np.ndarray) -> np.ndarray:
    found = [[taus_of_rows(a, b) for a, b in combinations(ranks, 2)]]
    for place in (0, 2):
        there = ranks == place
        # Where one of the three has no system in a place, it is the same in no two of them.
        taken = there.any(axis=2).all(axis=0)
        found.append([(a == b).all(axis=1) & taken for a, b in combinations(there, 2)])
    return np.array(found)


def taus_of_rows(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return tau-b of ranks with those in the same row, 0 where it is undefined."""
    above, below = np.triu_indices(one.shape[1], 1)
    a, b = (np.sign(ranks[:, above] - ranks[:, below]) for ranks in (one, other))
    untied = (a != 0).sum(axis=1) * (b != 0).sum(axis=1)
    taus: np.ndarray = (a * b).sum(axis=1) / np.sqrt(np.maximum(untied, 1))
    return taus


def _tau(one: ra.PartialRanking, other: ra.PartialRanking) -> float:
    """Return tau-b of two rankings; one that ties all systems agrees with none."""
    return float(taus_of_rows(one.ranks[None], other.ranks[None])[0])


def _summary(rows: np.ndarray) -> AsRun:
    level, tau, last, third, one, mean = rows.T
    medium = (level >= MEDIUM[0]) & (level <= MEDIUM[1])
    shares = tau.mean(), tau.std(), last.mean(), third.mean()
    return AsRun(*map(float, (*shares, one[medium].mean(), mean[medium].mean())))


def _remove(table: ra.ScoreTable, level: float, rng: np.random.Generator) -> ra.ScoreTable | None:
    """Remove each score with a probability; None where none is left."""
    gone = rng.random(table.values.shape) < level
    if gone.all():
        return None
    # A task that keeps no score is none.
    kept = ~gone.all(axis=0)
    return ra.ScoreTable(
        np.where(gone, np.nan, table.values)[:, kept],
        systems=table.systems,
        tasks=table.tasks.where(kept),
        higher_is_better=True,
    )


def _rank_by_mean(
    left: ra.ScoreTable | None, systems: list[str | int], rng: np.random.Generator
) -> ra.PartialRanking:
    """Rank by the mean, and put systems without a score in by Algorithm 1, from the first on."""
    if left is None:
        drawn = [systems[at] for at in rng.permutation(len(systems))]
        return ra.PartialRanking.from_order(drawn, items=systems)
    ranking = ra.Mean().aggregate(left).ranking
    absent = [(ranking.unranked[at],) for at in rng.permutation(len(ranking.unranked))]
    return ra.PartialRanking.from_buckets(shuffle(ranking.buckets, absent, rng), items=systems)


def _same(one: ra.PartialRanking, other: ra.PartialRanking, place: int) -> bool:
    """Whether the same system stands in a place, counted from the end, alone."""
    system = _alone_in(one, place)
    return system is not None and system == _alone_in(other, place)


def _alone_in(ranking: ra.PartialRanking, place: int) -> str | int | None:
    below = 0
    for bucket in reversed(ranking.buckets):
        if (below, len(bucket)) == (place, 1):
            return bucket[0]
        below += len(bucket)
    return None


def shuffle(
    first: Sequence[Entry], second: Sequence[Entry], rng: np.random.Generator
) -> list[Entry]:
    """Merge two lists: each next entry is of the one or the other by the toss of a coin."""
    a, b, merged = list(first), list(second), []
    while a and b:
        merged.append((a if rng.random() > 0.5 else b).pop(0))
    return [*merged, *a, *b]


@cache
def chance_of(word: str) -> Fraction:
    """Return the chance that `shuffle` makes a word of its A's and its B's.

    Examples
    --------
    >>> [str(chance_of(word)) for word in ("ABB", "BAB", "BBA")]
    ['1/2', '1/4', '1/4']
    """
    if len(set(word)) < 2:
        return Fraction(1)  # one list is left, and no coin is tossed
    return chance_of(word[1:]) / 2
