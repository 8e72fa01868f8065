"""The bootstrap over groups of units, of which sums are known: groups are drawn, not units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats
from rankagg.inference.intervals.bootstrap import (
    CHUNK,
    Resamples,
    resample_counts,
    stratified_means,
)
from rankagg.inference.intervals.freedom import freedom_of

__all__ = ["GROUPS_HOLD_FROM", "GroupSums", "few_groups", "grouped_means"]

#: From how many groups on intervals were measured to hold what they promise; see the page about
#: coverage. They are no proof for other data.
GROUPS_HOLD_FROM = {"percentile": 100, "bca": 100, "max-t": 200}


@dataclass(frozen=True, eq=False)
class GroupSums:
    """Sums over the units of each group.

    Attributes
    ----------
    first, told : ndarray of float, shape (g, p)
        For each group and pair the weighted sum of the values of its units, and the weight of
        those that tell.
    strata : ndarray of int, shape (g,)
        The fixed task of each group; all 0 where tasks are not fixed.
    stratum_weights : ndarray of float, shape (s,)
        The weights of the fixed tasks.
    agreed : ndarray of bool, shape (p,)
        Whether all units that tell of a pair have the same value.
    """

    first: Floats
    told: Floats
    strata: NDArray[np.intp]
    stratum_weights: Floats
    agreed: Bools

    @classmethod
    def of(
        cls,
        sums: Sequence[tuple[NDArray[np.intp], Floats, Floats]],
        weights: Floats,
        agreed: Bools,
        *,
        fixed_tasks: bool,
        shared: bool,
    ) -> GroupSums:
        """Put the sums of all tasks together.

        Parameters
        ----------
        sums : sequence of three arrays, a task each
            The numbers of its groups, and for each group and pair how many units tell, and the
            sum of their values.
        weights : ndarray of float, shape (t,)
            The weights of the tasks.
        agreed : ndarray of bool, shape (p,)
            See the attribute.
        fixed_tasks : bool
            Whether the tasks are those of interest.
        shared : bool
            Whether a group is one in all tasks, or one in each.
        """
        numbers, told, first = (np.concatenate(part) for part in zip(*sums, strict=True))
        tasks = np.repeat(np.arange(len(sums)), [len(part[0]) for part in sums])
        if fixed_tasks:
            return cls(first, told, tasks, weights, agreed)
        told, first = told * weights[tasks, None], first * weights[tasks, None]
        if shared:
            found, where = np.unique(numbers, return_inverse=True)
            order = np.argsort(where, kind="stable")
            starts = np.searchsorted(where[order], np.arange(len(found)))
            told, first = (np.add.reduceat(part[order], starts, axis=0) for part in (told, first))
        return cls(first, told, np.zeros(len(first), dtype=np.intp), np.ones(1), agreed)

    @property
    def n_telling(self) -> NDArray[np.int64]:
        """How many groups tell of each pair, shape (p,)."""
        telling: NDArray[np.int64] = (self.told > 0).sum(axis=0)
        return telling


def grouped_means(sums: GroupSums, n_resamples: int, rng: np.random.Generator) -> Resamples:
    """Draw groups with replacement, as many as there are, and take the mean of every pair.

    Of several fixed tasks each draws one group less than it has; see `resampled_means`.

    A group of independent units is itself one of as many independent and alike observations, the
    mean is a ratio of their sums, and so the distribution of the resampled means comes near
    that of the mean as the number of groups grows, however many units each has.

    Parameters
    ----------
    sums : GroupSums
        What the groups add up to.
    n_resamples : int
        How often.
    rng : numpy.random.Generator
        Where from.

    Returns
    -------
    Resamples

    References
    ----------
    Field and Welsh (2007), "Bootstrapping clustered data",
    https://doi.org/10.1111/j.1467-9868.2007.00593.x, for drawing whole groups;
    Præstgaard and Wellner (1993), "Exchangeably weighted bootstraps of the general empirical
    process", https://doi.org/10.1214/aop/1176989011, for such weights in general.
    """
    fixed = len(sums.stratum_weights) > 1
    ones = np.ones(len(sums.first))
    means = np.empty((n_resamples, sums.first.shape[1]))
    size = max(1, CHUNK // max(sums.first.shape))
    for start in range(0, n_resamples, size):
        rows = slice(start, min(start + size, n_resamples))
        times = rows.stop - rows.start
        counts = resample_counts(ones, sums.strata, times, rng, one_less=fixed)
        means[rows] = _means(sums, counts)
    mean = _means(sums, ones[None, :])[0]
    # Influence of each group on the mean, for the acceleration.
    influence = sums.first - mean * sums.told
    squares = (influence**2).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        cubes = (influence**3).sum(axis=0)
        skewness = np.where(squares > 0, cubes / (6.0 * squares**1.5), 0.0)
    if not fixed:
        return Resamples(mean, means, skewness)
    freedom = freedom_of(sums.strata, sums.stratum_weights, ones, sums.first, sums.told)
    means[:, freedom == 0] = mean[freedom == 0]
    return Resamples(mean, means, skewness, freedom)


def _means(sums: GroupSums, counts: NDArray[np.generic]) -> Floats:
    return stratified_means(sums.strata, sums.stratum_weights, counts, sums.first, sums.told)


def few_groups(method: str, sums: GroupSums, n: Floats, varies: Bools) -> tuple[str, ...]:
    """Return a note where fewer groups were drawn than intervals were measured to need.

    Parameters
    ----------
    method : str
        A key of `GROUPS_HOLD_FROM`.
    sums : GroupSums
        What was drawn.
    n : ndarray of float, shape (p,)
        The units that tell of each pair.
    varies : ndarray of bool, shape (p,)
        The pairs whose intervals are resampled.
    """
    telling, enough = sums.n_telling, GROUPS_HOLD_FROM[method]
    rough = varies & (telling < enough) & (telling < n)
    if not rough.any():
        return ()
    least = int(telling[rough].min())
    return (
        f"resamples draw groups, and {least} tell of some pair: {method} intervals were measured "
        f"to hold from about {enough} on",
    )
