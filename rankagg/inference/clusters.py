"""To which cluster and which fixed task each ranking belongs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats, Label
from rankagg.core.items import counted
from rankagg.core.names import said, stated
from rankagg.core.profile import Profile
from rankagg.exceptions import Described, InvalidInputError

__all__ = [
    "check_nested", "clusters_of", "instances_within", "one_stratum", "pooled",
    "pooled_rankings", "strata_of", "summed",
]  # fmt: skip


def check_nested(clusters: NDArray[np.intp], strata: NDArray[np.intp]) -> None:
    """Raise where an instance is of several tasks."""
    first = np.zeros(int(clusters.max()) + 1, dtype=np.intp)
    first[clusters] = strata
    if (first[clusters] != strata).any():
        raise InvalidInputError(
            "fixed_tasks", "False unless `unit='ranking'`, where tasks share instances", True,
            "Average over tasks with `unit='instance'` alone, or name instances of each task.",
        )  # fmt: skip


def instances_within(
    profile: Profile, clusters: NDArray[np.intp] | None, instances: Sequence[Label] | None
) -> NDArray[np.intp]:
    """Return the number of the instance of each ranking, another in each task."""
    assert clusters is not None, "tasks are clusters"
    if instances is None:
        return np.arange(len(profile))
    labels = clusters_of(profile, "instance", instances)
    assert labels is not None, "instances are clusters"
    _, where = np.unique(np.column_stack([clusters, labels]), axis=0, return_inverse=True)
    return where.ravel()


def clusters_of(
    profile: Profile, unit: str, instances: Sequence[Label] | None
) -> NDArray[np.intp] | None:
    """Return the number of the unit of each ranking, or None where each is its own."""
    if unit == "ranking":
        return None
    labels = instances if unit == "instance" else profile.groups
    if labels is None:
        remedy = (
            "A ScoreTable with instances has them; for a Profile give `instances=`."
            if unit == "instance"
            else "Give the profile `groups=`, or use `unit='ranking'`."
        )
        raise InvalidInputError(
            "unit", f"a unit that the data know; they have no {unit}s", unit, remedy
        )
    if len(labels) != len(profile):
        allowed = f"one instance per ranking ({len(profile)} of them)"
        raise InvalidInputError("instances", allowed, Described(counted(len(labels), "instance")))
    return _numbered(labels)


def _numbered(labels: Sequence[Label]) -> NDArray[np.intp]:
    numbers: dict[Label, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.intp)


def pooled(unit: str, n_tasks: int, n_units: int) -> tuple[str, ...]:
    """Return a note where several units of a task count as independent, beside those of others."""
    if unit == "task" or n_tasks < 2 or n_units <= n_tasks:
        return ()
    told = (
        "{0}s of {1} are taken for independent, so this is about other {0}s of these tasks; "
        "`unit='task'` is about other tasks"
    )
    return (said(told, unit, stated(n_tasks, "tasks", noun="task")),)


def pooled_rankings(
    profile: Profile, unit: str, clusters: NDArray[np.intp] | None
) -> tuple[str, ...]:
    """Return that note for rankings in groups; none for instances that are of several tasks."""
    tasks = _numbered(profile.groups or ())
    n_units = int(profile.counts.sum()) if clusters is None else int(clusters.max()) + 1
    many = 0 if clusters is None else len(set(zip(clusters.tolist(), tasks.tolist(), strict=False)))
    return () if many > n_units else pooled(unit, len(np.unique(tasks)), n_units)


def strata_of(profile: Profile) -> tuple[NDArray[np.intp], Floats]:
    """Return the number of the fixed task of each ranking, and the weights of the tasks."""
    if profile.groups is None:
        raise InvalidInputError(
            "fixed_tasks", "False for rankings without groups", True, "Give the profile `groups=`."
        )
    strata = _numbered(profile.groups)
    counts = profile.counts.astype(np.float64)
    return strata, summed(strata, counts * profile.weights) / summed(strata, counts)


def summed(cells: NDArray[np.intp], values: Floats) -> Floats:
    """Return the sum of the values of each cell."""
    return np.bincount(cells, weights=values).astype(np.float64)


def one_stratum(profile: Profile) -> tuple[NDArray[np.intp], Floats]:
    """Return what `strata_of` does where no task is fixed."""
    return np.zeros(len(profile), dtype=np.intp), np.ones(1)
