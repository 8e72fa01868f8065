"""What all second opinions need: numbers of samples, and decisions by sign flips.

A second opinion says what a sheet or a figure of an experiment should hold: every number again,
from the papers' words. Ranks, means, votes, distances and optima are those of `independent`; drawn
tables, subsets and removed entries are those of the studies.
"""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np

from tests.examples.papers import independent as own

#: As many repetitions as a quick run has.
TIMES = 3


def quantile(numbers, level):
    """Return the quantile between two numbers next to each other, in proportion."""
    return np.quantile(numbers, level) if numbers else np.nan


def deviation(numbers):
    """Return the standard deviation of a sample."""
    return np.std(numbers, ddof=1) if len(numbers) > 1 else np.nan


def known(numbers):
    return [x for x in numbers if not np.isnan(x)]


def mean(numbers):
    return sum(numbers) / len(numbers) if len(numbers) else np.nan


def decided_by_signs(differences, level=0.05):
    """Return which systems are decided to be above which others, all pairs at once.

    If two are equal, a task is as likely to have all its differences the other way round. The
    largest sum of all pairs is compared with those of all choices of signs; decided pairs leave,
    and the others are compared with theirs. Sums are divided by the root of the number of tasks
    that tell of a pair, or by that of the sum of squares, where so many tasks tell two systems
    apart that all agreeing by luck is rare, and their differences are not of one size.
    """
    there = ~np.isnan(differences)
    differences = np.where(there, differences, 0.0)
    n_tasks, squares = there.sum(axis=2), (differences**2).sum(axis=2)
    rare = 2.0 ** (1 - (differences != 0).sum(axis=2)) * comb(len(there), 2) <= 0.05
    rare &= np.abs(differences).sum(axis=2) ** 2 <= 0.95 * n_tasks * squares
    parts = [np.sqrt(np.maximum(n_tasks, 1)), np.where(rare, np.sqrt(squares), np.inf)]
    signs = np.array([(1, *rest) for rest in product((1, -1), repeat=there.shape[2] - 1)])
    sums = np.abs(np.einsum("ijt,st->sij", differences, signs))
    most = int(level * len(signs) + 1e-9)
    open_ = ~np.eye(len(there), dtype=bool)
    while True:
        kinds = [np.where(open_, sums / part, 0.0) for part in parts]
        largest = np.stack([sums_of.max(axis=(1, 2)) for sums_of in kinds])
        falling = -np.sort(-largest, axis=1)
        # Both bars are passed by as many choices of signs, one or both by few.
        bars = [row + 1e-9 for row in falling.T[: most + 1]]
        bar = [one for one in bars if (largest > one[:, None]).any(axis=0).sum() <= most][-1]
        new = np.any([kind[0] > height for kind, height in zip(kinds, bar, strict=True)], axis=0)
        if not new.any():
            return ~open_ & (differences.sum(axis=2) > 1e-9)
        open_ &= ~new


def leads_of(values, units=None):
    """Return how many expected places one is ahead of another, (n, n, units); NaN if unknown.

    By default each column is a unit; else the mean of those that rank both.
    """
    places = np.where(np.isnan(values), np.nan, -own.expected_all(values))
    leads = places[:, None] - places[None]
    if units is None:
        return leads
    parts = [leads[..., units == unit] for unit in dict.fromkeys(units)]
    counts = [(~np.isnan(part)).sum(axis=2) for part in parts]
    means = [
        np.nansum(part, axis=2) / np.where(number, number, np.nan)
        for part, number in zip(parts, counts, strict=True)
    ]
    return np.stack(means, axis=2)


def competition_ranks(scores):
    return [1 + int((scores > own_score).sum()) for own_score in scores]


def bounds_of(leads):
    """Return rank, best and worst of all systems: by mean leads, and by what is decided."""
    above = decided_by_signs(leads)
    ahead = np.nansum(leads, axis=2) > 1e-9
    return 1 + ahead.sum(axis=0), 1 + above.sum(axis=0), len(above) - above.sum(axis=1)


def as_is(table):
    """Return the scores of a table, which nothing is computed from."""
    for system, scores in zip(table.systems, table.values, strict=True):
        yield {"system": system} | dict(zip(map(str, table.tasks), scores, strict=True))


def split_name(quantity, names):
    """Return what a quantity is of, and the longest of some names that ends it."""
    name = max((name for name in names if quantity.endswith(f", {name}")), key=len)
    return quantity.removesuffix(f", {name}"), name


def panels_of(rows, panel, height):
    """Return the heights of curves, by panel and then by method, each of several or of one."""
    panels = {}
    for answers in rows:
        several = answers if isinstance(answers, list) else [answers]
        key = tuple(several[0][name] for name in panel)
        curve = panels.setdefault(key, {}).setdefault(several[0]["method"], [])
        curve.append([row[height] for row in several])
    return [list(curves.values()) for curves in panels.values()]
