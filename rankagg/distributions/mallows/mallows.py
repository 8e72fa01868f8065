"""The Mallows distribution under three distances, and its fit."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import field
from functools import cached_property
from math import inf, log, sqrt
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
import scipy
from scipy.optimize import brentq

from rankagg._typing import Bools, Floats, Generator, Integers64, Label, Positions, Ranks, RNGLike
from rankagg._validation import as_generator, check_choice, check_integer, check_number
from rankagg.aggregation import Consensus, Deadline, Held, as_data, deadline_of
from rankagg.aggregation.kemeny import Kemeny
from rankagg.core import UNRANKED, PartialRanking, Permutation, Profile, as_ranking, places
from rankagg.distributions.base import (
    RankingDistribution,
    Uniform,
    check_observed,
    clusters_of,
    uncompressed,
)
from rankagg.distributions.fit_result import FitResult, SimulatedTest
from rankagg.distributions.mallows.center import MallowsData
from rankagg.distributions.mallows.compatible_sums import check_sums, log_sums
from rankagg.distributions.mallows.distances import (
    DISTANCES,
    DistanceMoments,
    DistanceName,
    ModelDistance,
)
from rankagg.distributions.maximum import CLUSTERED
from rankagg.exceptions import Described, InvalidInputError, OutOfTimeError


class Mallows(RankingDistribution):
    """Permutations whose probability falls exponentially with the distance from a center.

    P(sigma) = exp(-theta d(sigma, center))/Z(theta), with d the Kendall distance or another one.
    Under the Kendall distance the probability of a ranking with ties, unlisted or unranked items
    is the sum over its compatible permutations, missing at random. `complete` draws one of them
    by a Markov chain of 50 sweeps, so approximately in proportion to their probabilities. Other
    distances require complete strict rankings.

    Parameters
    ----------
    center : Permutation or iterable of str or int
        The center, best item first.
    theta : float
        The dispersion parameter, not negative and finite: phi = exp(-theta) is the factor for each
        unit of distance. At theta 0, phi 1, the distribution is uniform.
    distance : {"kendall", "footrule", "spearman"}, default "kendall"
        "kendall": number of discordant pairs. "footrule": sum of the displacements of items.
        "spearman": sum of the squared displacements.

    Notes
    -----
    Sums over all rankings are exact. This limits the squared Spearman distance to 16 items, and
    partial rankings to 14 unranked items.

    References
    ----------
    Mallows (1957), "Non-null ranking models", https://doi.org/10.1093/biomet/44.1-2.114; Diaconis
    (1988), "Group representations in probability and statistics", chapter 6.

    Examples
    --------
    >>> from rankagg import Mallows, Permutation
    >>> mallows = Mallows("ABC", theta=1.0)
    >>> round(mallows.prob(Permutation.from_order("ACB")), 4)
    0.1789
    >>> mallows.sample(3, rng=0)
    <Profile of 3 rankings of 3 items, complete, strict>
    >>> round(Mallows("ABCDEFGH", theta=1.0, distance="footrule").mean_distance, 3)
    2.472
    """

    center: Permutation
    theta: float
    distance: DistanceName

    def __init__(
        self,
        center: Permutation | Iterable[Label],
        theta: float,
        distance: DistanceName = "kendall",
    ) -> None:
        middle, at = _as_center(center), check_number(theta, "theta", low=0)
        kind = check_choice(distance, get_args(DistanceName), "distance")
        self._set(items=middle.items, center=middle, theta=at, distance=kind)

    @classmethod
    def from_phi(cls, center: Permutation | Iterable[Label], phi: float) -> Mallows:
        """Create the distribution from phi = exp(-theta), so theta = -log(phi).

        Parameters
        ----------
        center : Permutation or iterable of str or int
            The center.
        phi : float
            In (0, 1]; 1 is uniform.
        """
        return cls(center, abs(log(check_number(phi, "phi", low=0, high=1, open_low=True))))

    def _key(self) -> tuple[Hashable, ...]:
        return self.center, self.theta, self.distance

    def _parameters(self) -> dict[str, Any]:
        # Earlier files have no distance.
        kind = {} if self.distance == "kendall" else {"distance": self.distance}
        return {"center": list(self.center.order), "theta": self.theta, **kind}

    @property
    def _distance(self) -> ModelDistance:
        return DISTANCES[self.distance]

    @cached_property
    def _moments(self) -> DistanceMoments:
        return self._distance.moments(self.n_items, self.theta)

    @property
    def phi(self) -> float:
        """The dispersion parameter as a factor, phi = exp(-theta), in (0, 1]."""
        return float(np.exp(-self.theta))

    # -- probabilities ------------------------------------------------------------------------

    @property
    def log_normalizer(self) -> float:
        """Log Z(theta)."""
        return self._moments.log_normalizer

    def _log_probs(self, ranks: Ranks) -> Floats:
        check_sums(ranks, self.distance)
        in_order = ranks[:, self._order]
        if self.distance == "kendall":
            return log_sums(in_order, self.theta) - self.log_normalizer
        return -self.theta * self._distance.of(in_order) - self.log_normalizer

    def distance_probabilities(self) -> pd.Series[float]:
        """Return the probability of every distance to the center.

        Returns
        -------
        pandas.Series
            Index: the possible distances.
        """
        distances, counts = self._distance.log_counts(self.n_items)
        possible = np.isfinite(counts)
        chances = np.exp(counts - self.theta * distances - self.log_normalizer)[possible]
        return pd.Series(chances, index=pd.Index(distances[possible], name="distance"))

    @property
    def _order(self) -> Any:
        return np.argsort(self.center.ranks)

    # -- samples ------------------------------------------------------------------------------

    def _sample(self, size: int, rng: Generator) -> Ranks:
        drawn = self._distance.sample(self.n_items, self.theta, size, rng)
        return np.ascontiguousarray(drawn[:, self.center.ranks])

    def _complete(self, ranks: Ranks, rng: Generator) -> Ranks:
        if self.distance != "kendall":
            check_sums(ranks, self.distance)
        chain = _Completions(ranks[:, self._order], rng)
        for _ in range(50):
            chain.sweep(self.theta)
        return chain.places[:, self.center.ranks].astype(np.int32)

    # -- summaries ----------------------------------------------------------------------------

    @property
    def mode(self) -> Permutation:
        """The center; at theta = 0 all permutations are equally probable."""
        return self.center

    def pairwise_probabilities(self) -> Floats:
        """Return P(row before column), shape (n, n).

        In closed form for "kendall"; otherwise a sum over all rankings of up to 8 items.
        """
        table = self._distance.pairs(self.n_items, self.theta)
        place = self.center.ranks
        return super().pairwise_probabilities() if table is None else table[np.ix_(place, place)]

    def rank_probabilities(self) -> Floats:
        """Return P(item i has rank k + 1) in row i and column k, shape (n, n).

        As for `pairwise_probabilities`.
        """
        table = self._distance.places(self.n_items, self.theta)
        return super().rank_probabilities() if table is None else table[self.center.ranks]

    def entropy(self) -> float:
        """Return the entropy in nats: theta E[d] + log Z."""
        return self.theta * self.mean_distance + self.log_normalizer

    @property
    def mean_distance(self) -> float:
        """The expected distance to the center."""
        return self._moments.mean

    @property
    def distance_variance(self) -> float:
        """The variance of the distance to the center."""
        return self._moments.variance

    # -- inference ----------------------------------------------------------------------------

    @classmethod
    def fit(
        cls,
        data: Held,
        *,
        distance: DistanceName = "kendall",
        center: Literal["kemeny", "borda"] | Permutation | Iterable[Label] | None = None,
        time_limit: float | None = None,
    ) -> MallowsFit:
        """Estimate the center and the dispersion parameter theta of a Mallows distribution.

        Parameters
        ----------
        data : Profile
            The rankings; complete and strict for distances other than Kendall's. Ties, unlisted
            and unranked items are treated as unobserved parts of a complete strict ranking,
            missing at random.
        distance : str, default "kendall"
            As for `Mallows`.
        center : {"kemeny", "borda"}, Permutation or iterable of labels, optional
            Estimated by maximum likelihood by default. For complete strict rankings the estimate
            is the exact Kemeny consensus for "kendall", the order of the mean ranks for
            "spearman", and the best assignment of items to ranks for "footrule". "kemeny" and
            "borda" select that consensus, which may not maximize the likelihood. A ranking is
            used as given.
        time_limit : float, optional
            Seconds for the search of the center. When they run out, the center of complete strict
            rankings is the best ranking found, and a note states its bound.

        Raises
        ------
        OutOfTimeError
            If the center of partial or tied rankings was not found in time.
        InvalidInputError
            If all rankings agree with the center, so that theta has no finite maximum; if an item
            is in no ranking; or if a ranking has more than 14 unranked items.

        Examples
        --------
        >>> import rankagg as ra
        >>> fit = ra.Mallows.fit(ra.Mallows("ABCD", theta=1.0).sample(500, rng=0))
        >>> fit.distribution.center.order, round(fit.distribution.theta, 1)
        (('A', 'B', 'C', 'D'), 1.0)
        """
        profile = as_data(data)
        if not isinstance(profile, Profile):
            raise InvalidInputError("data", "a Profile", data)
        kind = check_choice(distance, get_args(DistanceName), "distance")
        check_observed(profile)
        rankings = MallowsData.of(profile, deadline_of(time_limit), kind)
        given = center if isinstance(center, str | None) else _as_center(center, profile.items)
        is_given = isinstance(given, Permutation)
        if isinstance(given, Permutation):
            profile.items.require_same(given.items, "A center and the rankings")
        try:
            searched = rankings.search_center(given)
        except OutOfTimeError:
            raise OutOfTimeError(
                "The center of Mallows was not found in time: the likelihood of partial and tied "
                "rankings did not reach its maximum."
            ) from None
        best, is_clustered = rankings.fitted_center(searched), clusters_of(profile) is not None
        known = best.information > 0 and not is_clustered
        fitted = cls(best.center, best.theta, kind)
        return MallowsFit(
            distribution=fitted,
            names=("theta",),
            estimates=np.array([best.theta]),
            covariance=np.array([[1.0 / best.information if known else np.nan]]),
            log_likelihood=best.log_likelihood,
            n_parameters=1,
            n_observations=rankings.total,
            converged=searched.converged,
            n_iterations=searched.n_iterations,
            notes=(
                *[CLUSTERED] * is_clustered,
                *_notes(rankings, fitted, best.log_likelihood, is_given),
                *searched.notes,
            ),
            consensus=searched.consensus,
            _center_is_given=is_given,
            data=profile,
            _rankings=rankings,
        )

    def __repr__(self) -> str:
        both = f"theta {self.theta:.4g}, phi {self.phi:.3g}"
        kind = "" if self.distance == "kendall" else f"{self.distance} distance, "
        return f"<Mallows distribution: {kind}{both}, center {self.center.to_text()}>"


def _as_center(
    center: PartialRanking | Iterable[Label], items: Iterable[Label] | None = None
) -> Permutation:
    """Return a center as a complete strict ranking."""
    if isinstance(center, PartialRanking):
        if not isinstance(ranking := as_ranking(center.ranks, center.items), Permutation):
            allowed = "complete and strict"
            remedy = "Break the ties first: each way gives another distribution."
            raise InvalidInputError("center", allowed, Described(repr(center)), remedy)
        return ranking
    return Permutation.from_order(center, items=items)


class _Completions:
    """Markov chain of completions of rankings; columns in the order of the center."""

    def __init__(self, ranks: Ranks, rng: Generator) -> None:
        self._rng = rng
        self._observed: Bools = ranks != UNRANKED
        self._code = places.comparable(ranks)
        alike = (self._code[:, :, None] == self._code[:, None, :]).sum(axis=2) > 1
        self._free = ~self._observed | alike
        self.places = places.sample_compatible(ranks, rng).astype(np.int64)

    def sweep(self, theta: float) -> None:
        """Redraw the place of every free item, given the others."""
        for item in range(self.places.shape[1]):
            rows = np.flatnonzero(self._free[:, item])
            if len(rows):
                self._draw(rows, item, theta)

    def _draw(self, rows: Positions, item: int, theta: float) -> None:
        m, n = len(rows), self.places.shape[1]
        now = self.places[rows]
        others = now - (now > now[:, [item]])  # places without the item; its own entry is unused
        later = np.where(np.arange(n) > item, 1, -1)
        steps = np.zeros((m, n), dtype=np.int64)
        keep = np.arange(n) != item
        np.put_along_axis(steps, others[:, keep], np.broadcast_to(later[keep], (m, n - 1)), axis=1)
        # At place c the item is after the others at places below c.
        cost = np.zeros((m, n), dtype=np.int64)
        cost[:, 1:] = np.cumsum(steps[:, : n - 1], axis=1)
        low, high = self._range(rows, item, others)
        at = np.arange(n)
        noise = self._rng.gumbel(size=(m, n))
        score = np.where((at >= low) & (at <= high), noise - theta * cost, -np.inf)
        chosen = score.argmax(axis=1)[:, None]
        moved = others + (others >= chosen)
        moved[:, [item]] = chosen
        self.places[rows] = moved

    def _range(
        self, rows: Positions, item: int, others: Integers64
    ) -> tuple[Integers64, Integers64]:
        """Return the first and the last place that the ranking allows the item."""
        n = others.shape[1]
        code, mine = self._code[rows], self._code[rows, item][:, None]
        bound = self._observed[rows] & self._observed[rows, item][:, None]
        better, worse = bound & (code < mine), bound & (code > mine)
        low = np.where(better, others + 1, 0).max(axis=1, keepdims=True)
        return low, np.where(worse, others, n - 1).min(axis=1, keepdims=True)


def _notes(data: MallowsData, fitted: Mallows, height: float, is_given: bool) -> Iterator[str]:
    yield f"Center: {fitted.center.to_text()}; phi = exp(-theta) = {fitted.phi:.3g}"
    yield (
        "Interval and standard error of theta, AIC and BIC are conditional on the center, which "
        f"{'is given' if is_given else 'is estimated'}."
    )
    # An estimated center takes n - 1 degrees of freedom near theta 0, not one.
    gain = 2.0 * (height - data.log_likelihood(fitted.center, 0.0))
    if not is_given and gain < (fitted.n_items - 2) ** 2:
        yield (
            "The center is estimated from few or scattered rankings: theta is likely too high, by "
            "half a standard error or more."
        )
    if fitted.theta == 0.0:
        yield "Theta is at its bound 0: the data are no closer to the center than chance."


class MallowsFit(FitResult):
    """A fitted Mallows distribution.

    Made by `Mallows.fit`. The only continuous parameter is the dispersion parameter theta, with
    phi = exp(-theta). Its standard error is conditional on the center, and so is the number of
    parameters in AIC and BIC. `plot` draws a `rankagg.plotting.distances_plot`.

    Attributes
    ----------
    consensus : Consensus or None
        For complete strict rankings the Kemeny consensus that is the center, with its proof and
        the set of all equally likely centers; or the Borda consensus. None for a given center, and
        for partial or tied rankings.
    data : Profile
        The rankings.

    Notes
    -----
    `conf_int` is a likelihood-ratio interval around the center, with one degree of freedom. At
    theta 0 all centers are equivalent, and an estimated one takes n - 1 degrees of freedom, as in
    Friedman's test. If that test does not reject theta 0, the lower bound is 0. Few or scattered
    rankings bias theta and its interval upwards; a note of the fit says so. For a profile with
    clusters of rankings the error and the interval are unknown.

    References
    ----------
    Pawitan (2001), "In All Likelihood", section 2.6; Friedman (1937),
    https://doi.org/10.1080/01621459.1937.10503522.
    """

    distribution: Mallows
    consensus: Consensus | None = field(compare=False)
    _center_is_given: bool = field(compare=False)
    data: Profile = field(compare=False)
    _rankings: MallowsData = field(compare=False)

    _plot = "distances_plot"

    @property
    def theta(self) -> float:
        """The fitted dispersion parameter."""
        return self.distribution.theta

    @property
    def center(self) -> Permutation:
        """The estimated or given center."""
        return self.distribution.center

    @property
    def center_is_given(self) -> bool:
        """True if the center was given, not estimated."""
        return self._center_is_given

    def log_likelihood_at(self, theta: float) -> float:
        """Return the log likelihood of another theta around the same center.

        Parameters
        ----------
        theta : float
            Not negative.
        """
        at = check_number(theta, "theta", low=0)
        return self._rankings.log_likelihood(self.distribution.center, at)

    def _bounds(self, alpha: float) -> pd.DataFrame:
        free = 1 if self.center_is_given else self.distribution.n_items - 1
        theta, error = self.distribution.theta, float(self.standard_errors[0])
        bounds = (np.nan, np.nan)
        if clusters_of(self.data) is None:
            bounds = _likelihood_interval(self.log_likelihood_at, theta, error, alpha, free)
        return pd.DataFrame([bounds], pd.Index(self.names, name="parameter"), ["lower", "upper"])

    @property
    def _tests_zero(self) -> bool:
        # For an estimated center `test_uniform` does.
        return self.center_is_given

    def test_uniform(self, *, n_resamples: int = 199, rng: RNGLike = None) -> SimulatedTest:
        """Test by simulation whether theta is 0, so that all permutations are equally likely.

        By chance alone, rankings look concentrated around an estimated center. So the center is
        estimated in every sample too. Samples have the ties and missing items of the data.

        Parameters
        ----------
        n_resamples : int, default 199
            Number of simulated samples.
        rng : int, numpy.random.Generator or None, optional
            A seed or a generator.
        """
        times = check_integer(n_resamples, "n_resamples", low=1)
        generator, rows = as_generator(rng), uncompressed(self.data)
        distance, uniform = self.distribution.distance, Uniform(rows.items)
        observed, drawn = _least_distance(rows, distance), np.zeros(times)
        for at in range(times):
            ranks = _masked(uniform.sample(len(rows), rng=generator).ranks, rows.ranks)
            drawn[at] = _least_distance(rows._replace(ranks=ranks), distance)
        return SimulatedTest(
            statistic=observed,
            expected=float(drawn.mean()),
            p_value=(1 + int((drawn <= observed * (1 + 1e-12)).sum())) / (1 + times),
            n_resamples=times,
        )


def _least_distance(profile: Profile, distance: DistanceName) -> float:
    if distance != "kendall":
        data = MallowsData.of(profile, Deadline(), distance)
        return data.mean_distance(data.nearest_center()[0])
    return Kemeny().aggregate(profile.direct_pairwise()).cost / profile.total_weight


def _masked(drawn: Ranks, ranks: Ranks) -> Ranks:
    """Return draws with the ties and gaps of rankings.

    The observed items of a row, sorted by their drawn places, get the row's sorted codes.
    """
    by_place = np.argsort(places.comparable(ranks), axis=1)
    order = np.argsort(np.where(ranks != UNRANKED, drawn, ranks.shape[1]), axis=1)
    result = np.empty_like(ranks)
    np.put_along_axis(result, order, np.take_along_axis(ranks, by_place, axis=1), axis=1)
    return result


def _likelihood_interval(
    log_likelihood: Callable[[float], float],
    theta: float,
    error: float,
    alpha: float,
    free_at_0: int = 1,
) -> tuple[float, float]:
    """Return the interval of thetas that a likelihood-ratio test does not reject.

    The likelihood is greatest at `theta`, and its standard error gives the first bracket. The test
    has one degree of freedom, and `free_at_0` at theta 0. The upper end is infinite if no ranking
    disagrees with the center.
    """
    height, limit = log_likelihood(theta), float(scipy.stats.norm.isf(alpha / 2.0))

    # The root of the ratio is nearly linear, so that an end takes few evaluations.
    def root(at: float) -> float:
        return sqrt(2.0 * max(height - log_likelihood(at), 0.0))

    def beyond(at: float) -> float:
        return root(at) - limit

    lower = 0.0
    if root(0.0) ** 2 > scipy.stats.chi2.isf(alpha, free_at_0):
        lower = float(brentq(beyond, 0.0, theta, rtol=1e-9))
    step = 1.5 * limit * error if error > 0 else 1.0
    while step < inf and beyond(theta + step) < 0:
        step *= 4.0
    upper = inf if step == inf else float(brentq(beyond, theta, theta + step, rtol=1e-9))
    return lower, upper
