"""The generalized Mallows distribution, with a theta for each rank, and its fit."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import permutations
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from rankagg._typing import Floats, Generator, Integers64, Label, Ranks
from rankagg._validation import as_numbers, check_number
from rankagg.aggregation import Borda, Deadline, time_limit_of
from rankagg.aggregation.evidence import Held, as_data
from rankagg.aggregation.kemeny import Kemeny
from rankagg.core import (
    UNRANKED,
    Permutation,
    Profile,
    array_key,
    counted,
    frozen_array,
    permutation_of,
    places,
)
from rankagg.distributions.base import RankingDistribution, all_places
from rankagg.distributions.fit_result import FitResult
from rankagg.distributions.mallows.center import MallowsData, likelihood_interval
from rankagg.distributions.mallows.kendall_distances import (
    as_center,
    choice_probabilities,
    orders_from_stages,
    place_probabilities,
    sample_stages,
    stage_log_normalizers,
    stage_means,
    stage_variances,
)
from rankagg.exceptions import Described, InvalidInputError, OutOfTimeError

# Items of which all centers are tried.
MOST_CENTERS_TRIED = 6


class GeneralizedMallows(RankingDistribution):
    """Permutations whose ranks are filled one after another, each with its own care.

    For rank k + 1 there are n - k items left, k from 0. The chance that the item that is chosen
    passes over v of those that stand before it in the center is proportional to
    exp(-thetas[k] v). With all thetas alike this is `Mallows`. The probability of a ranking whose
    tail is unlisted is that of its compatible permutations together; other partial rankings and
    tied ones have none here.

    Parameters
    ----------
    center : Permutation or iterable of str or int
        The center; labels, best first.
    thetas : array_like of float, shape (n - 1,)
        Dispersion parameters, not negative and finite, from the first rank to the last but one;
        of each, phi = exp(-theta).

    References
    ----------
    Fligner and Verducci (1986), "Distance based ranking models",
    https://doi.org/10.1111/j.2517-6161.1986.tb01420.x.

    Examples
    --------
    >>> from rankagg import Permutation
    >>> from rankagg.distributions import GeneralizedMallows
    >>> mallows = GeneralizedMallows("ABC", thetas=[2.0, 0.0])  # sure of the winner only
    >>> mallows.rank_probabilities().round(3)
    array([[0.867, 0.067, 0.067],
           [0.117, 0.441, 0.441],
           [0.016, 0.492, 0.492]])
    """

    center: Permutation
    thetas: Floats

    def __init__(self, center: Permutation | Iterable[Label], thetas: ArrayLike) -> None:
        middle, values = as_center(center), as_numbers(thetas, "thetas")
        if len(values) != middle.n_items - 1:
            allowed = f"one number per rank but the last ({middle.n_items - 1} of them)"
            raise InvalidInputError("thetas", allowed, Described(counted(len(values), "number")))
        if not (np.isfinite(values) & (values >= 0)).all():
            raise InvalidInputError("thetas", "finite numbers that are not negative", values)
        self._set(items=middle.items, center=middle, thetas=frozen_array(values + 0.0))

    def _key(self) -> tuple[Hashable, ...]:
        return self.center, array_key(self.thetas)

    def _parameters(self) -> dict[str, Any]:
        return {"center": list(self.center.order), "thetas": self.thetas.tolist()}

    @property
    def _sizes(self) -> Any:
        return np.arange(self.n_items, 1, -1)

    # -- probabilities ------------------------------------------------------------------------

    @property
    def log_normalizer(self) -> float:
        """The log of the sum of exp(-thetas . v) over all permutations."""
        return float(stage_log_normalizers(self._sizes, self.thetas).sum())

    def _log_probs(self, ranks: Ranks) -> Floats:
        listed = ranks >= 0
        # Unlisted items follow in any order, which leaves the stages of the listed ones as they
        # are; those of the others sum to 1.
        order = np.argsort(places.comparable(ranks), axis=1, kind="stable")
        complete = np.argsort(order, axis=1).astype(np.int32)
        if (ranks == UNRANKED).any() or (complete != ranks)[listed].any():
            allowed = "strict rankings, complete or of the first items"
            told = Described("a ranking with ties or unranked items")
            remedy = "`Mallows` sums over what completes those."
            raise InvalidInputError("data", allowed, told, remedy)
        passed = _stages_from_places(complete[:, np.argsort(self.center.ranks)])
        terms = -self.thetas * passed - stage_log_normalizers(self._sizes, self.thetas)
        kept = np.arange(self.n_items - 1) < listed.sum(axis=1, keepdims=True)
        result: Floats = np.where(kept, terms, 0.0).sum(axis=1)
        return result

    # -- samples ------------------------------------------------------------------------------

    def _sample(self, size: int, rng: Generator) -> Ranks:
        drawn = _places_from_stages(sample_stages(self.thetas, size, rng)).T
        return np.ascontiguousarray(drawn[:, self.center.ranks])

    # -- summaries ----------------------------------------------------------------------------

    @property
    def mode(self) -> Permutation:
        """The center; as probable as others where a theta is 0."""
        return self.center

    def pairwise_probabilities(self) -> Floats:
        """Return P(row before column), shape (n, n), in O(n^3)."""
        place = self.center.ranks
        return _pair_probabilities(self.thetas)[np.ix_(place, place)]

    def rank_probabilities(self) -> Floats:
        """Return P(item i has rank k + 1) in row i and column k."""
        return place_probabilities(self.thetas)[self.center.ranks]

    def entropy(self) -> float:
        """Return the entropy in nats."""
        means = stage_means(self._sizes, self.thetas)
        return float(self.thetas @ means) + self.log_normalizer

    # -- inference ----------------------------------------------------------------------------

    @classmethod
    def fit(
        cls,
        data: Held,
        *,
        max_theta: float = 20.0,
        time_limit: float | None = None,
    ) -> GeneralizedMallowsFit:
        """Estimate center and thetas by maximum likelihood.

        Parameters
        ----------
        data : Profile
            Complete strict rankings.
        max_theta : float, default 20
            A theta has no finite maximum where all rankings agree at its rank; it is set to this,
            as are larger ones. Notes say so.
        time_limit : float, optional
            Seconds for the search of the center.

        Raises
        ------
        InvalidInputError
            If a ranking has ties or gaps.
        OutOfTimeError
            If the center was not found in time.
        """
        profile = as_data(data)
        if not isinstance(profile, Profile):
            raise InvalidInputError("data", "a Profile", data)
        if not (profile.is_complete and profile.is_strict) or profile.n_items < 2:
            allowed = "complete strict rankings of two or more items"
            remedy = "`Mallows.fit` takes partial and tied ones."
            raise InvalidInputError("data", allowed, profile, remedy)
        bound = check_number(max_theta, "max_theta", low=0, open_low=True)
        rankings = MallowsData.of(profile, Deadline.after(time_limit_of(time_limit)))
        search = _StagedSearch(rankings, bound)
        try:
            best = search.best()
        except OutOfTimeError:
            raise OutOfTimeError(
                "The center of GeneralizedMallows was not found in time: "
                f"{search.n_tried} were tried."
            ) from None
        center = permutation_of(np.argsort(best.order), profile.items)
        sizes = np.arange(profile.n_items, 1, -1)
        information = rankings.total * stage_variances(sizes, best.thetas)
        inside = best.thetas < bound
        variances = np.full(len(sizes), np.nan)
        variances[inside] = 1.0 / information[inside]
        notes = [
            f"Center: {center.to_text()}",
            "Standard errors and intervals are conditional on the center, which these rankings "
            "chose: with few rankings thetas are too high and intervals too narrow.",
            "All centers were tried."
            if profile.n_items <= MOST_CENTERS_TRIED
            else "The center is a local maximum.",
        ]
        agreed = best.means == 0.0
        for which, told in (
            (agreed, "No finite maximum at rank {where}: set to the bound {bound:g}."),
            (
                (best.thetas >= bound) & ~agreed,
                "The maximum is beyond the bound {bound:g} at rank {where}: raise `max_theta`.",
            ),
        ):
            if which.any():
                where = ", ".join(str(k + 1) for k in np.flatnonzero(which))
                notes.append(told.format(where=where, bound=bound))
        return GeneralizedMallowsFit(
            distribution=cls(center, best.thetas),
            names=tuple(f"theta {k + 1}" for k in range(profile.n_items - 1)),
            estimates=best.thetas,
            covariance=np.diag(variances),
            log_likelihood=best.log_likelihood,
            n_parameters=profile.n_items - 1,
            n_observations=rankings.total,
            converged=True,
            n_iterations=search.n_tried,
            notes=tuple(notes),
            _means=best.means,
        )

    def __repr__(self) -> str:
        shown = ", ".join(f"{theta:.3g}" for theta in self.thetas[:6])
        more = ", ..." if len(self.thetas) > 6 else ""
        center = self.center.to_text()
        return f"<GeneralizedMallows distribution: thetas {shown}{more}, center {center}>"


class GeneralizedMallowsFit(FitResult):
    """A fitted generalized Mallows distribution.

    Made by `GeneralizedMallows.fit`; one theta per rank but the last. Standard errors and
    intervals, which are by likelihood ratio, are conditional on the center, which the rankings
    chose: with few rankings the thetas are too high and their intervals too narrow. An upper bound
    is infinite where all rankings agree at a rank. `plot` draws them, as of all fits, by
    `rankagg.plotting.parameters_plot`.
    """

    distribution: GeneralizedMallows
    # Of each rank, of the items passed over.
    _means: Floats = field(compare=False)

    @property
    def thetas(self) -> Floats:
        """The fitted dispersion parameter of each rank but the last."""
        return self.distribution.thetas

    @property
    def center(self) -> Permutation:
        """The fitted center."""
        return self.distribution.center

    def _bounds(self, alpha: float) -> pd.DataFrame:
        rows = list[tuple[float, float]]()
        for size, mean, theta, error in zip(
            self.distribution._sizes, self._means, self.estimates, self.standard_errors, strict=True
        ):

            def height(at: float, size: int = size, mean: float = mean) -> float:
                log_normalizer = float(stage_log_normalizers(size, at))
                return -self.n_observations * (at * mean + log_normalizer)

            rows.append(likelihood_interval(height, theta, error, alpha))
        return pd.DataFrame(rows, pd.Index(self.names, name="parameter"), ["lower", "upper"])

    @property
    def _tests_zero(self) -> bool:
        # A center that is chosen to fit makes rankings look concentrated around it.
        return False


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A center with the thetas that are best for it."""

    order: tuple[int, ...]
    means: Floats  # items passed over
    thetas: Floats
    log_likelihood: float


@dataclass(eq=False)
class _StagedSearch:
    """The search for a center by the likelihood of its best thetas."""

    data: MallowsData
    bound: float
    n_tried: int = 0

    def _try_order(self, order: tuple[int, ...]) -> _Candidate:
        self.data.deadline.seconds_left()
        self.n_tried += 1
        total = self.data.total
        means = self.data.weights @ _stages_from_places(self.data.ranks[:, list(order)]) / total
        sizes = np.arange(len(order), 1, -1)
        thetas = np.array(list(map(self._theta, sizes.tolist(), means.tolist())))
        logs = stage_log_normalizers(sizes, thetas)
        return _Candidate(order, means, thetas, -total * float(thetas @ means + logs.sum()))

    @cached_property
    def _theta(self) -> Callable[[int, float], float]:
        """The theta of a size and a mean; many orders share the few that there are."""

        @cache
        def theta_of(size: int, mean: float) -> float:
            def excess(theta: float) -> float:
                return float(stage_means(size, theta)) - mean

            if excess(0.0) <= 0:
                return 0.0
            if excess(self.bound) >= 0:
                return self.bound
            return float(brentq(excess, 0.0, self.bound, xtol=1e-13))

        return theta_of

    def best(self) -> _Candidate:
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

    def _climb(self, here: _Candidate) -> _Candidate:
        """Move single items, as long as that raises the likelihood."""
        while True:
            n = len(here.order)
            orders = set()
            for source, target in permutations(range(n), 2):
                rest = here.order[:source] + here.order[source + 1 :]
                orders.add((*rest[:target], here.order[source], *rest[target:]))
            best = max(map(self._try_order, sorted(orders)), key=attrgetter("log_likelihood"))
            if best.log_likelihood - here.log_likelihood <= 1e-12 * abs(here.log_likelihood):
                return here
            here = best


def _places_from_stages(stages: NDArray[np.integer]) -> Ranks:
    """Return the place of each item of the center, shape (n, size)."""
    return np.argsort(orders_from_stages(stages), axis=0).astype(np.int32)


def _stages_from_places(places: Ranks) -> Integers64:
    """Return how many items each stage passes over; the inverse."""
    orders = np.argsort(places, axis=1)
    n = places.shape[1]
    stages = np.empty((len(places), n - 1), dtype=np.int64)
    for k in range(n - 1):
        stages[:, k] = (orders[:, k + 1 :] < orders[:, [k]]).sum(axis=1)
    return stages


def _pair_probabilities(thetas: Floats) -> Floats:
    """Return the chance that row comes before column, for items of the center, shape (n, n).

    It depends only on how many items are left before the first of the two, between them and
    behind them; one table of all these numbers serves all pairs.
    """
    n = len(thetas) + 1
    # first[a, b]: the chance that the first of two items is chosen before the second, with a
    # items before them and b between them, and the rest of those left behind.
    first = np.zeros((n, n))
    for left in range(2, n + 1):
        chance = choice_probabilities(thetas[n - left], left)
        upto = np.concatenate([[0.0], np.cumsum(chance)])
        grown = np.zeros((n, n))
        for a in range(left - 1):
            b = np.arange(left - 1 - a)
            behind = left - 2 - a - b
            step = chance[a] + np.zeros(len(b))
            if a:
                step += upto[a] * first[a - 1, b]
            between = upto[a + 1 + b] - upto[a + 1]
            step[1:] += (between * np.where(b > 0, first[a, b - 1], 0.0))[1:]
            step += np.where(behind > 0, (1.0 - upto[a + b + 2]) * first[a, b], 0.0)
            grown[a, b] = step
        first = grown
    before = np.zeros((n, n))
    for a in range(n):
        for c in range(a + 1, n):
            before[a, c] = first[a, c - a - 1]
            before[c, a] = 1.0 - before[a, c]
    # Sums of chances may be off by rounding.
    return np.clip(before, 0.0, 1.0)
