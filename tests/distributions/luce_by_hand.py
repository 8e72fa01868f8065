"""Choices and their likelihood by loops over buckets and subsets, for few items."""

from collections import Counter
from functools import partial
from itertools import combinations
from math import exp, inf, log

import numpy as np
import pytest
from hypothesis import strategies as st

import rankagg as ra
from rankagg.distributions.plackett_luce.choices import Choices
from tests.oracles import OFF_LIST, as_places, is_listed


def choices_by_hand(ranking):
    """Return pairs (alternatives, chosen) of frozensets, best bucket first."""
    places = as_places(ranking)
    found = []
    for level in sorted({place for place in places if is_listed(place)}):
        chosen = frozenset(i for i, place in enumerate(places) if place == level)
        below = {
            i
            for i, place in enumerate(places)
            if place == OFF_LIST or (is_listed(place) and place > level)
        }
        if len(chosen | below) > 1:
            found.append((chosen | below, chosen))
    return found


def bucket_log_weight(bucket, log_worths, log_ties):
    """Return the log weight of a bucket, -inf for a size that is not possible."""
    size = len(bucket)
    bonus = 0.0 if size == 1 else log_ties.get(size, -inf)
    return bonus + sum(log_worths[i] for i in bucket) / size


def log_prob_by_hand(ranking, log_worths, log_ties=None):
    """Return the log probability of a ranking: every choice against all subsets."""
    ties = log_ties or {}
    total = 0.0
    for alternatives, chosen in choices_by_hand(ranking):
        every = _buckets(alternatives, ties)
        weights = [exp(bucket_log_weight(bucket, log_worths, ties)) for bucket in every]
        total += bucket_log_weight(chosen, log_worths, ties) - log(sum(weights))
    return total


def log_likelihood_by_hand(profile, log_worths, log_ties=None):
    """Return the weighted log likelihood of a profile."""
    return sum(
        count * weight * log_prob_by_hand(ranking, log_worths, log_ties)
        for ranking, count, weight in zip(profile, profile.counts, profile.weights, strict=True)
    )


def features(bucket, n, sizes):
    """Return what a bucket multiplies log worths and log tie weights by."""
    row = np.zeros(n + len(sizes))
    row[list(bucket)] = 1.0 / len(bucket)
    if len(bucket) > 1:
        row[n + sizes.index(len(bucket))] = 1.0
    return row


def log_likelihood_function(profile, sizes=()):
    """Return the same as a function of log worths and log tie weights: subsets are listed once."""
    row = partial(features, n=profile.n_items, sizes=sizes)
    masses = Counter()
    for ranking, count, weight in zip(profile, profile.counts, profile.weights, strict=True):
        for choice in choices_by_hand(ranking):
            masses[choice] += count * weight
    terms = [
        (mass, row(chosen), np.array([row(b) for b in _buckets(alternatives, sizes)]))
        for (alternatives, chosen), mass in masses.items()
    ]

    def value(parameters):
        return sum(
            mass * (own @ parameters - np.log(np.exp(every @ parameters).sum()))
            for mass, own, every in terms
        )

    return value


def _buckets(alternatives, sizes):
    return [bucket for size in (1, *sizes) for bucket in combinations(sorted(alternatives), size)]


def gathered(profile):
    """Return the choices that a fit of a profile would see."""
    return Choices.of(profile.ranks, profile.counts * profile.weights)


def numerical_gradient(function, at, step=1e-6):
    """Return central differences of a function of a vector; of a vector-valued one, by rows."""
    moved = np.eye(len(at)) * step
    return np.array([(function(at + d) - function(at - d)) / (2 * step) for d in moved])


def from_rows(rows, items="ABCDE", **more):
    """Make a profile of rows such as "A=B>C" (others unranked) or "A>B>..." (others unlisted)."""
    return ra.Profile([from_row(row, items) for row in rows], **more)


def from_row(row, items="ABCDE"):
    """Make a ranking of a row such as "A=B>C" or "A>B>..."."""
    open_end = row.endswith(">...")
    buckets = [bucket.split("=") for bucket in row.removesuffix(">...").split(">")]
    ranking = ra.PartialRanking.from_buckets(buckets, items=items)
    if not open_end:
        return ranking
    ranks = np.where(ranking.ranks == ra.UNRANKED, ra.UNLISTED, ranking.ranks)
    return ra.PartialRanking(ranks, items)


log_worth = st.floats(-3, 3)


DATA = {
    "complete": from_rows(
        ["A>B>C>D", "B>A>D>C", "D>C>A>B", "C>A>B>D", "A>D>B>C"], "ABCD", counts=[5, 3, 2, 2, 1]
    ),
    "partial": from_rows(
        ["A>B", "B>C", "C>D>A", "D>B", "B>A>D", "C>B"], "ABCD", counts=[4, 3, 1, 2, 2, 1]
    ),
    "top": from_rows(
        ["A>...", "B>C>...", "D>...", "C>A>...", "B>...", "A>D>..."], "ABCD",
        counts=[5, 2, 1, 3, 2, 1],
    ),
    "ties of 2": from_rows(
        ["A=B>C>D", "B>A>C=D", "D>C>A>B", "C>A=D", "A>B>...", "D>B"], "ABCD",
        counts=[3, 2, 1, 2, 4, 2],
    ),
    "ties of 2 and 3": from_rows(
        ["A=B>C>D", "B>A=C=D", "D>C>A>B", "C>A=D", "A=B=D>C", "D>B", "A>B>C"], "ABCD",
        counts=[3, 2, 1, 2, 1, 2, 3],
    ),
}  # fmt: skip


every_kind = pytest.mark.parametrize("kind", DATA)


def likelihood_of(profile, fit):
    """Return the log likelihood by hand as a function of the parameters of a fit."""
    return log_likelihood_function(profile, [*fit.distribution.log_ties])


def centered_inverse(information, n):
    """Return the covariance of log worths with sum 0, by bordering the information with that."""
    p = len(information)
    border = np.zeros((p + 1, p + 1))
    border[:p, :p] = information
    border[p, :n] = border[:n, p] = 1.0
    return np.linalg.inv(border)[:p, :p]


def curvature(value, at):
    """Return minus the second derivatives of a function."""
    return -numerical_gradient(lambda x: numerical_gradient(value, x, 1e-4), at, 1e-4)
