"""Stages of generalized Mallows distributions, one a rank, and the search for their center."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import permutations
from operator import attrgetter
from typing import ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from rankagg._typing import Floats, Generator, Integers64, Ranks
from rankagg.aggregation import Borda
from rankagg.aggregation.kemeny import Kemeny
from rankagg.distributions.base import all_places
from rankagg.distributions.mallows.center import MallowsData
from rankagg.distributions.mallows.kendall_distances import (
    places_from_stages,
    sample_stages,
    stage_log_normalizers,
    stage_means,
    stage_variances,
    stages_from_places,
)

StagedName: TypeAlias = Literal["kendall", "cayley"]
# Items of which all centers are tried.
MOST_CENTERS_TRIED = 6


class KendallStages:
    """Of each rank: how many items of the center that are left the chosen one passes over."""

    name: ClassVar[StagedName] = "kendall"

    def of(self, places: Ranks) -> Integers64:
        """Return the stages of each row of places, shape (m, n - 1)."""
        return stages_from_places(places)

    def log_normalizers(self, sizes: ArrayLike, thetas: ArrayLike) -> Floats:
        """Return the logarithm of the sum over each stage."""
        return stage_log_normalizers(sizes, thetas)

    def means(self, sizes: ArrayLike, thetas: ArrayLike) -> Floats:
        """Return the mean of each stage."""
        return stage_means(sizes, thetas)

    def variances(self, sizes: ArrayLike, thetas: ArrayLike) -> Floats:
        """Return the variance of each stage."""
        return stage_variances(sizes, thetas)

    def sample(self, thetas: Floats, size: int, rng: Generator) -> Ranks:
        """Draw rows of places."""
        return places_from_stages(sample_stages(thetas, size, rng)).T


class _CayleyStages(KendallStages):
    """Of each rank: whether a later one is in its cycle, so that an exchange is counted for it."""

    name = "cayley"

    def of(self, places: Ranks) -> Integers64:
        """Return 1 for each rank that is not the last one of its cycle."""
        n = places.shape[1]
        step, latest = places.astype(np.intp), np.broadcast_to(np.arange(n), places.shape)
        for _ in range(max(n - 1, 1).bit_length()):
            latest = np.maximum(latest, np.take_along_axis(latest, step, axis=1))
            step = np.take_along_axis(step, step, axis=1)
        moved: Integers64 = (latest != np.arange(n))[:, :-1].astype(np.int64)
        return moved

    def log_normalizers(self, sizes: ArrayLike, thetas: ArrayLike) -> Floats:
        """Return log(1 + (s - 1) exp(-theta)) for stages of s ranks that are left."""
        result: Floats = np.log1p((np.asarray(sizes) - 1.0) * np.exp(-np.asarray(thetas)))
        return result

    def means(self, sizes: ArrayLike, thetas: ArrayLike) -> Floats:
        """Return the chance of an exchange."""
        odds = (np.asarray(sizes) - 1.0) * np.exp(-np.asarray(thetas))
        result: Floats = odds / (1.0 + odds)
        return result

    def variances(self, sizes: ArrayLike, thetas: ArrayLike) -> Floats:
        """Return the variance of that."""
        means = self.means(sizes, thetas)
        return means * (1.0 - means)

    def sample(self, thetas: Floats, size: int, rng: Generator) -> Ranks:
        """Let one rank after another, from the last, change places with a later one, or stay."""
        n = len(thetas) + 1
        rows, drawn = np.arange(size), np.tile(np.arange(n, dtype=np.int32), (size, 1))
        for at in range(n - 2, -1, -1):
            moves = rng.random(size) < self.means(n - at, thetas[at])
            other = np.where(moves, rng.integers(at + 1, n, size), at)
            drawn[rows, at], drawn[rows, other] = drawn[rows, other], drawn[rows, at]
        return drawn


STAGES: dict[StagedName, KendallStages] = {
    stages.name: stages for stages in (KendallStages(), _CayleyStages())
}


@dataclass(frozen=True, eq=False)
class Candidate:
    """A center with the thetas that are best for it."""

    order: tuple[int, ...]
    means: Floats  # items passed over
    thetas: Floats
    log_likelihood: float


@dataclass(eq=False)
class StagedSearch:
    """The search for a center by the likelihood of its best thetas."""

    data: MallowsData
    stages: KendallStages
    bound: float
    n_tried: int = 0

    def _try_order(self, order: tuple[int, ...]) -> Candidate:
        self.data.deadline.seconds_left()
        self.n_tried += 1
        total = self.data.total
        means = self.data.weights @ self.stages.of(self.data.ranks[:, list(order)]) / total
        sizes = np.arange(len(order), 1, -1)
        thetas = np.array(list(map(self._theta, sizes.tolist(), means.tolist())))
        logs = self.stages.log_normalizers(sizes, thetas)
        return Candidate(order, means, thetas, -total * float(thetas @ means + logs.sum()))

    @cached_property
    def _theta(self) -> Callable[[int, float], float]:
        """The theta of a size and a mean; many orders share the few that there are."""

        @cache
        def theta_of(size: int, mean: float) -> float:
            def excess(theta: float) -> float:
                return float(self.stages.means(size, theta)) - mean

            if excess(0.0) <= 0:
                return 0.0
            if excess(self.bound) >= 0:
                return self.bound
            return float(brentq(excess, 0.0, self.bound, xtol=1e-13))

        return theta_of

    def best(self) -> Candidate:
        """Return the best of all centers, or of those that climbs reach."""
        profile = self.data.profile
        height = attrgetter("log_likelihood")
        if profile.n_items <= MOST_CENTERS_TRIED:
            orders = map(tuple, all_places(profile.n_items).tolist())
            return max(map(self._try_order, orders), key=height)
        kemeny = Kemeny().aggregate(profile, deadline=self.data.deadline)
        starts = {
            tuple(np.argsort(consensus.ranking.ranks, kind="stable").tolist())
            for consensus in (kemeny, Borda().aggregate(profile))
        }
        return max((self._climb(self._try_order(start)) for start in sorted(starts)), key=height)

    def _climb(self, here: Candidate) -> Candidate:
        """Move single items, or exchange two, as long as that raises the likelihood."""
        while True:
            n = len(here.order)
            orders = set()
            for source, target in permutations(range(n), 2):
                rest = here.order[:source] + here.order[source + 1 :]
                orders.add((*rest[:target], here.order[source], *rest[target:]))
                if self.stages.name == "cayley":
                    swapped = list(here.order)
                    swapped[source], swapped[target] = swapped[target], swapped[source]
                    orders.add(tuple(swapped))
            best = max(map(self._try_order, sorted(orders)), key=attrgetter("log_likelihood"))
            if best.log_likelihood - here.log_likelihood <= 1e-12 * abs(here.log_likelihood):
                return here
            here = best
