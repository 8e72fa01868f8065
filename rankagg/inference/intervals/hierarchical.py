"""The bootstrap of tasks, and of the instances within each that is drawn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg.inference.intervals.bootstrap import Resamples
from rankagg.inference.units import Units

__all__ = ["hierarchical_means"]

# Numbers that are held at one time, about.
BLOCK = 10_000_000


def hierarchical_means(units: Units, n_resamples: int, rng: np.random.Generator) -> Resamples:
    """Draw tasks with replacement, instances of each, and take the mean of every pair.

    A task that is drawn twice has other instances each time. Means of tasks vary by their
    instances too, so these count twice: with T tasks of n instances, and variances b between and w
    within tasks, resampled means vary by (b + w/n)(T - 1)/T^2 + w(n - 1)/(n^2 T), against
    (b + w/n)/T in truth. So intervals are wider than those of tasks alone, and too wide where w/n
    is large against b.

    Parameters
    ----------
    units : Units
        Tasks, with the instance of each ranking.
    n_resamples : int
        How often.
    rng : numpy.random.Generator
        Where from.

    Returns
    -------
    Resamples
        Of means over tasks; without the acceleration of BCa.

    References
    ----------
    Davison and Hinkley (1997), Bootstrap Methods and their Application, section 3.8,
    https://doi.org/10.1017/CBO9780511802843; Field and Welsh (2007), "Bootstrapping clustered
    data", https://doi.org/10.1111/j.1467-9868.2007.00593.x.
    """
    assert units.clusters is not None, "tasks are clusters"
    n_pairs = len(units.pairs[0])
    drawn = rng.multinomial(units.n_units, np.full(units.n_units, 1 / units.n_units), n_resamples)
    weights = units.unit_weights
    total, mass = (np.zeros((n_resamples, n_pairs)) for _ in range(2))
    for task in range(units.n_units):
        values, told = _sums(units, np.flatnonzero(units.clusters == task))
        if told[0, 0] > 0 and (told == told[0, 0]).all():
            # All draws of the task have the same number of instances: their sums will do.
            scale = weights[task] / (told[0, 0] * len(values))
            for rows in _slices(n_resamples, max(n_pairs, len(values))):
                chosen = _counts(len(values), drawn[rows, task], rng)
                total[rows] += scale * (chosen @ values)
            mass += weights[task] * drawn[:, [task]]
            continue
        # The resample of each draw of this task.
        into = np.repeat(np.arange(n_resamples), drawn[:, task])
        for rows in _slices(len(into), max(n_pairs, len(values))):
            chosen = _counts(len(values), np.ones_like(into[rows]), rng)
            mean, present = _means(chosen, values, told)
            first, begins = np.unique(into[rows], return_index=True)
            total[first] += weights[task] * np.add.reduceat(mean, begins, axis=0)
            mass[first] += weights[task] * np.add.reduceat(present, begins, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(mass > 0, total / mass, np.nan)
    moments = units.moments()
    # Of one task alone nothing follows for others, however its instances vary.
    alone = moments.n < 2
    means[:, alone] = moments.mean[alone]
    return Resamples(moments.mean, means, np.zeros(n_pairs))


def _slices(length: int, width: int) -> Iterator[slice]:
    """Yield parts of so many rows that they can be held."""
    size = max(1, BLOCK // width)
    return (slice(start, start + size) for start in range(0, length, size))


def _counts(n_instances: int, times: NDArray[np.intp], rng: np.random.Generator) -> Floats:
    """Draw how often each instance of a task occurs where the task was drawn so many times."""
    chances = np.full(n_instances, 1 / n_instances)
    return rng.multinomial(n_instances * times, chances).astype(np.float64)


def _sums(units: Units, rows: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Return the sums of the values of each instance of a task, and how many rankings tell."""
    assert units.inner is not None, "instances are drawn"
    rows = rows[np.argsort(units.inner[rows], kind="stable")]
    starts = np.flatnonzero(np.diff(units.inner[rows], prepend=-1))
    values = units.source.take(rows).values()
    present = ~np.isnan(values)
    often = (units.counts * units.weights)[rows][:, None]
    first = np.add.reduceat(np.where(present, values, 0.0) * often, starts, axis=0)
    return first, np.add.reduceat(present * often, starts, axis=0)


def _means(often: Floats, values: Floats, told: Floats) -> tuple[Floats, Floats]:
    """Return the mean of every pair in samples of instances, 0 where none tells, and whether."""
    mass = often @ told
    present = (mass > 0).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(mass > 0, often @ values / mass, 0.0), present
