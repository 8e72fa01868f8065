"""Aggregating again without single tasks or systems, and on subsets of every size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, islice
from math import comb
from typing import TypeAlias

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from rankagg._typing import RNGLike, Tolerance
from rankagg._validation import as_generator, check_choice, check_flag, check_integer
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.deadline import Deadline, time_limit_of
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.result import Consensus
from rankagg.analysis.robustness.parts import Found, Over, Source, draw_subset
from rankagg.analysis.robustness.stability_result import Stability
from rankagg.core.items import counted
from rankagg.core.profile import Profile
from rankagg.core.score_summary import ScoreSummary
from rankagg.core.scores import ScoreTable
from rankagg.exceptions import Described, InvalidInputError

__all__ = ["Stability", "leave_each_out", "stability"]

# Groups of parts that learn from each other; a group is solved in one process.
CHUNKS = 16

#: A size, and the units that a subset of it keeps.
Subset: TypeAlias = tuple[int, NDArray[np.intp]]


def stability(
    data: ScoreTable | ScoreSummary | Profile,
    aggregator: Aggregator | None = None,
    *,
    over: Over = "tasks",
    sizes: Iterable[int] | None = None,
    n_samples: int = 50,
    tolerance: Tolerance = 0.0,
    optima: bool = True,
    time_limit: float | None = None,
    rng: RNGLike = None,
    n_jobs: int = 1,
) -> Stability:
    """Aggregate again without single tasks or systems, and on subsets of every size.

    Parameters
    ----------
    data : ScoreTable, ScoreSummary or Profile
        Tasks are those of the table or summary, the groups of the profile, or its rows, with all
        their copies, where it has no groups.
    aggregator : Aggregator, optional
        Any rule; the exact `Kemeny()` by default.
    over : {"tasks", "systems"}, default "tasks"
        What is left out.
    sizes : iterable of int, optional
        How many tasks, or systems, subsets keep; by default every number from 1 (2 for systems)
        to all but one; an empty list leaves single ones out only.
    n_samples : int, default 50
        Subsets of each size, drawn at random without repetition; all of them where there are no
        more.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied.
    optima : bool, default True
        With an exact rule, count as changed only what differs between all optima of all data and
        all optima without the unit. Where False, one optimum of each is compared, and whether
        there are others is not looked at.
    time_limit : float, optional
        Seconds for all of it. What an exact rule does not prove in time is not decided, and
        missing in the tables.
    rng : int or numpy.random.Generator, optional
        A seed or a generator.
    n_jobs : int, default 1
        Processes that joblib starts; -1 for all cores.

    Returns
    -------
    Stability

    Raises
    ------
    InvalidInputError
        If there are fewer than two tasks, or three systems.
    InformationLostError
        If systems are to be left out of a summary.

    Examples
    --------
    >>> import rankagg as ra
    >>> table = ra.datasets.load("superglue_human")
    >>> result = ra.stability(table, ra.Borda(), n_samples=20, rng=0)
    >>> result.influence().head(3).round(3)
              distance  tau  top1 winner
    left_out
    BoolQ          0.0  1.0   1.0  Human
    CB             0.0  1.0   1.0  Human
    COPA           0.0  1.0   1.0  Human
    """
    rule = Kemeny() if aggregator is None else aggregator
    if not isinstance(rule, Aggregator):
        raise InvalidInputError("aggregator", "an aggregator such as Borda()", rule)
    kind: Over = "tasks" if check_choice(over, ("tasks", "systems"), "over") == "tasks" else over
    times = check_integer(n_samples, "n_samples", low=1)
    jobs = -1 if n_jobs == -1 else check_integer(n_jobs, "n_jobs", low=1)
    source = Source(data=data, tolerance=tolerance, over=kind, rule=rule)
    subsets = _subsets(source, sizes, times, as_generator(rng))
    return leave_each_out(
        source, subsets, optima=check_flag(optima, "optima"), n_jobs=jobs,
        deadline=Deadline.after(time_limit_of(time_limit)),
    )  # fmt: skip


def leave_each_out(
    source: Source,
    subsets: Sequence[Subset] = (),
    *,
    optima: bool,
    deadline: Deadline,
    n_jobs: int = 1,
    whole: Consensus | None = None,
) -> Stability:
    """Aggregate again without each unit, and on subsets, as far as there is time."""
    total = len(source.units)
    if whole is None:
        whole = source.consensus(np.arange(total), deadline.share(2))
    known = source.known(whole, deadline.share(2), optima=optima)
    kept = [np.delete(np.arange(total), unit) for unit in range(total)]
    kept += [units for _, units in subsets]
    asked = [optima] * total + [False] * len(subsets)
    if known.is_proved:
        workers = effective_n_jobs(n_jobs)
        parts = list(zip(range(len(kept), 0, -1), kept, asked, strict=True))
        near = source.beside(whole)
        # Parts learn from those before them in a chunk, whatever the number of processes.
        size = max(len(parts) // CHUNKS, 1)
        chunks = [parts[start : start + size] for start in range(0, len(parts), size)]
        every = Parallel(n_jobs=n_jobs)(
            delayed(_found)(near.fork(), chunk, deadline, workers) for chunk in chunks
        )
        results = [found for chunk in every for found in chunk]
    else:
        # Nothing can be held against what is not proved.
        results = [Found.nothing(len(source.items))] * len(kept)
    return Stability(
        consensus=whole,
        over=source.over,
        units=tuple(source.units),
        noun=source.noun,
        _known=known,
        _without=tuple(results[:total]),
        _sizes=tuple(size for size, _ in subsets),
        _on_subsets=tuple(results[total:]),
        # Optima that may tie items are not compared.
        _optima=optima and whole.is_proved is not None and whole.aggregator.is_strict,
    )


def _found(
    source: Source,
    parts: list[tuple[int, NDArray[np.intp], bool]],
    deadline: Deadline,
    workers: int,
) -> list[Found]:
    """Return what is known of parts, each given with how many are left and what is asked."""
    # Shares are set when a part is begun, so what one does not need is for the others.
    return [
        source.found(part, deadline.share(max(left / workers, 1)), optima=look)
        for left, part, look in parts
    ]


def _sizes(sizes: Iterable[int] | None, low: int, high: int, noun: str) -> list[int]:
    if sizes is None:
        return list(range(low, high + 1))
    return [
        check_integer(size, f"sizes of subsets of {noun}", low=low, high=high) for size in sizes
    ]


def _subsets(
    source: Source, sizes: Iterable[int] | None, times: int, rng: np.random.Generator
) -> list[Subset]:
    """Return sizes and kept units: all subsets where they are few, else different random ones."""
    total, noun = len(source.units), source.noun
    least = 1 if source.over == "tasks" else 2
    if total <= least:
        raise InvalidInputError(
            "data",
            f"at least {least + 1} {noun}",
            Described(counted(total, noun.removesuffix("s"))),
        )
    found: list[Subset] = []
    for size in _sizes(sizes, least, total - 1, noun):
        if comb(total, size) <= times:
            found += [(size, np.array(kept)) for kept in combinations(range(total), size)]
            continue
        seen: set[tuple[int, ...]] = set()
        while len(seen) < times:
            seen.add(tuple(draw_subset(total, size, rng).tolist()))
        found += [(size, np.array(kept)) for kept in islice(sorted(seen), times)]
    return found
