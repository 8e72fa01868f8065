"""Rankings as sequences of choices: each bucket is chosen from all that are not ranked better.

An item that a ranking did not observe is no alternative in it. Unlisted items are alternatives of
every choice and are never chosen; nothing is said of them among themselves. The choice from a
single alternative says nothing and is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Ranks
from rankagg.core.rankings import places
from rankagg.core.rankings.places import UNRANKED
from rankagg.distributions.plackett_luce.choice_sets import Chain, ChainSets, ChoiceSets, MergedSets

__all__ = ["Choices", "choices_of", "stage_masks"]

# Sets of so few items fit the bits of an integer, and equal ones are merged.
BITS = 62
# Marks that are held at one time.
BLOCK = 20_000_000


@dataclass(frozen=True, eq=False)
class Choices:
    """What the likelihood of choices depends on.

    Attributes
    ----------
    sets : ChoiceSets
        The sets that something was chosen from.
    weights : ndarray of float, shape (s,)
        Summed weights of the choices from each.
    won : ndarray of float, shape (n,)
        Weight of the choices of each item; an item of a bucket of d has its d-th part.
    tied : dict from int to float
        Weight of the choices of buckets of each size.
    """

    sets: ChoiceSets
    weights: Floats
    won: Floats
    tied: dict[int, float]

    @property
    def n_items(self) -> int:
        """The number of items."""
        return int(self.won.shape[0])

    def with_ghost(self, votes: float) -> Choices:
        """Add an item that wins and loses so many votes against every other one."""
        n = self.n_items
        tied = dict(self.tied)
        tied[1] = tied.get(1, 0.0) + 2.0 * votes * n
        return Choices(
            self.sets.with_ghost(),
            np.concatenate([self.weights, np.full(n, 2.0 * votes)]),
            np.append(self.won + votes, votes * n),
            tied,
        )


def stage_masks(ranks: Ranks) -> Iterator[tuple[NDArray[np.intp], Bools, Bools]]:
    """Go through the choices of rankings: rows, alternatives and chosen items.

    Parameters
    ----------
    ranks : ndarray of int32, shape (m, n)
        Places with codes.

    Yields
    ------
    rows : ndarray of int, shape (k,)
        The ranking of each choice.
    alternatives, chosen : ndarray of bool, shape (k, n)
        The set and what is chosen from it.
    """
    m, n = ranks.shape
    size = max(1, BLOCK // n)
    for start in range(0, m, size):
        part = ranks[start : start + size]
        place = places.comparable(part)
        observed = part != UNRANKED
        for item in range(n):
            here = place[:, [item]]
            # A bucket is told by its first item.
            leads = (part[:, item] >= 0) & ~(place[:, :item] == here).any(axis=1)
            rows = np.flatnonzero(leads)
            alternatives = observed[rows] & (place[rows] >= here[rows])
            several = alternatives.sum(axis=1) > 1
            rows, alternatives = rows[several], alternatives[several]
            if len(rows):
                yield start + rows, alternatives, place[rows] == here[rows]


def choices_of(ranks: Ranks, weights: Floats) -> Choices:
    """Return the choices of weighted rankings, equal sets merged where that is cheap.

    Parameters
    ----------
    ranks : ndarray of int32, shape (m, n)
        Places with codes.
    weights : ndarray of float, shape (m,)
        Of the rankings.

    Returns
    -------
    Choices
    """
    n = ranks.shape[1]
    collected = _Collected(n)
    length = (ranks != UNRANKED).sum(axis=1)
    for k in np.unique(length[length > 1]).tolist():
        rows = np.flatnonzero(length == k)
        size = max(1, BLOCK // (n * k))
        for start in range(0, len(rows), size):
            part = rows[start : start + size]
            collected.add(ranks[part], weights[part], k)
    return collected.choices()


class _Collected:
    """The choices of rankings of equal length, one length after another."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.won = np.zeros(n)
        self.tied: dict[int, float] = {}
        self.codes: list[NDArray[np.int64]] = []
        self.chains: list[Chain] = []
        self.weights: list[Floats] = []

    def add(self, ranks: Ranks, weights: Floats, k: int) -> None:
        """Add rankings that observe k items each."""
        place = places.comparable(ranks)
        order = np.argsort(place, axis=1)[:, :k].astype(np.int32)
        sorted_places = np.take_along_axis(place, order, axis=1)
        # A bucket starts where the place changes; unlisted items are never chosen.
        starts = sorted_places[:, : k - 1] < self.n
        starts[:, 1:] &= sorted_places[:, 1 : k - 1] != sorted_places[:, : k - 2]
        for q in range(k - 1):
            rows = np.flatnonzero(starts[:, q])
            bucket = sorted_places[rows, q:] == sorted_places[rows, q : q + 1]
            size = bucket.sum(axis=1)
            shares = np.where(bucket, (weights[rows] / size)[:, None], 0.0)
            chosen = order[rows, q:].ravel()
            self.won += np.bincount(chosen, weights=shares.ravel(), minlength=self.n)
            for d in np.unique(size).tolist():
                self.tied[d] = self.tied.get(d, 0.0) + float(weights[rows][size == d].sum())
        masses: Floats = np.broadcast_to(weights[:, None], starts.shape)[starts]
        if self.n > BITS:
            self.chains.append(Chain(order, starts))
            self.weights.append(masses)
            return
        # The items from each place on, as the bits of a number.
        bits = np.int64(1) << order.astype(np.int64)
        codes = np.cumsum(bits[:, ::-1], axis=1)[:, ::-1][:, : k - 1][starts]
        distinct, where = np.unique(codes, return_inverse=True)
        self.codes.append(distinct)
        merged = np.bincount(where, weights=masses, minlength=len(distinct))
        self.weights.append(merged.astype(np.float64))

    def choices(self) -> Choices:
        """Return all that was added."""
        weights = np.concatenate([np.zeros(0), *self.weights])
        if self.n > BITS:
            return Choices(ChainSets(self.n, tuple(self.chains)), weights, self.won, self.tied)
        codes = np.concatenate([np.zeros(0, dtype=np.int64), *self.codes])
        distinct, where = np.unique(codes, return_inverse=True)
        inside = ((distinct[:, None] >> np.arange(self.n)) & 1).astype(np.float64)
        merged = np.bincount(where, weights=weights, minlength=len(distinct)).astype(np.float64)
        return Choices(MergedSets(inside), merged, self.won, self.tied)
