"""Intervals for the theta of a Mallows distribution whose center is chosen by the data.

A center that is chosen to fit makes rankings look concentrated around it. So theta is tested
together with such a choice: the statistic is the cost of a consensus that is near Kemeny's and
quick, whose distribution is the same whatever the center is, and an interval holds every theta that
is not refuted (test inversion; Casella and Berger 2002, section 9.2).

* Where all majorities are those of the center, but for a chance of at most `DOUBT` times alpha, the
  summed minorities are the distance to the true center, whose distribution is known. That is so
  from some theta on, and the more rankings there are, the smaller it is.
* Below, distributions are simulated at several thetas together. Draws at one theta tell of another
  one, since their likelihoods depend on their distances to the center only (importance sampling
  with the mixture as proposal; Veach and Guibas 1995, https://doi.org/10.1145/218380.218498).

Where rankings have gaps, ties or weights, draws get the same ones. Gaps make the distribution
depend on the center a little; the fitted one stands for it.

Tails of the summed Kendall distance of independent Mallows rankings to their true center.

The distance is a sum of independent stages, and its distributions are an exponential family in
theta. So the saddlepoint of any value is the theta under which it is the mean, and the
approximation of Lugannani and Rice (1980, https://doi.org/10.2307/1426607), with the correction
for whole numbers of Daniels (1987, "Tail probability approximations", International Statistical
Review 55, 37-48), needs nothing but what the distribution says of itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log, sqrt

import numpy as np
from scipy import stats
from scipy.optimize import brentq
from scipy.special import logsumexp

from rankagg._typing import Floats, Generator, Ranks
from rankagg.core import UNRANKED, Permutation, Profile, places
from rankagg.distributions.mallows.kendall_distances import (
    distance_mean,
    distance_variance,
    mallows_log_normalizer,
    orders_from_stages,
    pair_stays,
    sample_stages,
)
from rankagg.distributions.mallows.uniformity import masked

# A distance so near to the mean, in standard deviations, is taken between two others.
CENTRAL = 1e-3


def tail_at_most(distance: float, n: int, m: int, theta: float) -> float:
    """Return P(D <= distance), D the summed distance of m rankings of n items to their center."""
    return 1.0 - tail_at_least(np.floor(distance) + 1.0, n, m, theta)


def tail_at_least(distance: float, n: int, m: int, theta: float) -> float:
    """Return P(D >= distance); see `tail_at_most`.

    Half counts are rounded up.
    """
    value, largest = float(np.ceil(distance)), m * n * (n - 1) / 2.0
    if value <= 0:
        return 1.0
    if value > largest:
        return 0.0
    if value == largest:
        return exp(-theta * largest - m * _log_normalizer(n, theta))
    deviation = (value - m * _mean_distance(n, theta)) / sqrt(m * distance_variance(n, abs(theta)))
    if abs(deviation) > CENTRAL:
        return _saddlepoint(value, n, m, theta)
    # The formula is 0/0 at the mean; it is smooth there.
    step = 2.0 * CENTRAL * sqrt(m * distance_variance(n, abs(theta)))
    return (_saddlepoint(value - step, n, m, theta) + _saddlepoint(value + step, n, m, theta)) / 2.0


def _saddlepoint(value: float, n: int, m: int, theta: float) -> float:
    other = _theta_at(value / m, n)
    tilt = theta - other  # positive above the mean
    gain = tilt * value + m * (_log_normalizer(n, theta) - _log_normalizer(n, other))
    root = np.sign(tilt) * sqrt(2.0 * max(gain, 0.0))
    # For whole numbers 1 - exp(-tilt) stands where the tilt would.
    scaled = -np.expm1(-tilt) * sqrt(m * distance_variance(n, abs(other)))
    tail = stats.norm.sf(root) + stats.norm.pdf(root) * (1.0 / scaled - 1.0 / root)
    return float(min(max(tail, 0.0), 1.0))


def log_doubt(n: int, m: int, theta: float) -> float:
    """Return the log of a bound on the chance that some majority is not that of the center.

    By Chernoff's bound, one for each pair of items: a majority of m votes, each right with chance
    p, is wrong or even with a chance of at most (4 p (1 - p))^(m/2).
    """
    right = pair_stays(n, theta)[1:]
    with np.errstate(divide="ignore"):
        logs = np.log(np.arange(n - 1, 0, -1)) + m / 2.0 * np.log(4.0 * right * (1.0 - right))
    return float(np.logaddexp.reduce(logs))


# The distribution of one ranking, for thetas of either sign: reversed rankings have the distance
# that is left of the largest, and minus theta.


def _log_normalizer(n: int, theta: float) -> float:
    turned = mallows_log_normalizer(n, abs(theta))
    return turned if theta >= 0 else turned - theta * n * (n - 1) / 2.0


def _mean_distance(n: int, theta: float) -> float:
    mean = distance_mean(n, abs(theta))
    return mean if theta >= 0 else n * (n - 1) / 2.0 - mean


def _theta_at(mean: float, n: int) -> float:
    """Return the theta under which one ranking has that mean distance."""
    # Beyond 700 nothing but the best ranking is left.
    high = 1.0
    while _mean_distance(n, high) > mean and high < 700.0:
        high *= 2.0
    low = -1.0
    while _mean_distance(n, low) < mean and low > -700.0:
        low *= 2.0
    return float(brentq(lambda at: _mean_distance(n, at) - mean, low, high, xtol=1e-14, rtol=1e-13))


# The share of alpha that is spent on the doubt whether majorities are those of the center.
DOUBT = 0.02
# Thetas at which distributions are simulated lie so many standard errors apart, and no more than
# that: where rankings hardly differ, numbers of exchanges change e-fold with 1. There are at most
# so many.
SPACING, WIDEST, MOST_POINTS = 1.5, 1.0, 200
# Draws at each: at least, at most, and in between what so many comparisons of places allow.
FEWEST, MOST, WORK = 150, 1500, 40_000_000
# Of more rankings votes are taken to be normal, with the mean and the covariance of all: they are
# drawn for so many comparisons of places, but for so many rankings at least.
NORMAL, FEWEST_ROWS = 2_000_000, 500
# Smaller alphas would take many more draws, and data of more comparisons much more time.
LEAST_ALPHA, MOST_WORK = 0.002, 20_000_000
# A theta at which hardly any ranking leaves the center.
CONCENTRATED = 50.0


@dataclass(frozen=True, eq=False)
class ThetaData:
    """Rankings as the statistic sees them; items in the order of the fitted center."""

    # Shape (n, n). Weight of the rankings with row above column.
    wins: Floats
    m: int
    # Shape (m, n). Places with codes where rankings have ties or gaps.
    pattern: Ranks | None = None
    # Shape (m,). None where all are equal.
    weights: Floats | None = None

    @classmethod
    def of(cls, profile: Profile, center: Permutation) -> ThetaData:
        """Return the data of a profile, one row for every copy of a ranking."""
        order = np.argsort(center.ranks)
        wins = profile.pairwise("ignore").wins[np.ix_(order, order)]
        equal = bool(np.ptp(profile.weights) == 0)
        wins = wins / profile.weights[0] if equal else wins
        plain = profile.is_complete and profile.is_strict
        if plain and equal:
            return cls(wins, profile.n_rankings)
        rows = np.repeat(np.arange(len(profile)), profile.counts)
        pattern = None if plain else profile.ranks[np.ix_(rows, order)]
        return cls(wins, len(rows), pattern, None if equal else profile.weights[rows])

    @property
    def n(self) -> int:
        """The number of items."""
        return len(self.wins)

    @property
    def is_plain(self) -> bool:
        """True for complete strict rankings of equal weight."""
        return self.pattern is None and self.weights is None

    @property
    def rows(self) -> int:
        """How many rankings a draw consists of."""
        if not self.is_plain:
            return self.m
        return min(self.m, max(NORMAL // max(self.n**2, 1), FEWEST_ROWS))

    @property
    def work(self) -> int:
        """Comparisons of places that one draw takes, or as much time as they would."""
        dear = 10 if self.pattern is not None else 3 if self.weights is not None else 1
        return dear * self.rows * self.n**2

    @property
    def minorities(self) -> float:
        """The summed votes against majorities."""
        return float(np.triu(np.minimum(self.wins, self.wins.T), k=1).sum())

    def drawn_wins(self, orders: Ranks, theta: float) -> Floats:
        """Return the wins of draws, from complete places of shape (s, rows, n)."""
        s, rows, n = orders.shape
        own = orders if self.pattern is None else _with_gaps(orders, self.pattern)
        wins = np.zeros((s, n, n))
        for i in range(n):
            others = slice(i + 1, n) if self.is_plain else slice(None)
            above = own[:, :, i, None] < own[:, :, others]
            if self.weights is None:
                wins[:, i, others] = above.sum(axis=1)
            else:
                wins[:, i, others] = np.einsum("m,smj->sj", self.weights, above)
        if not self.is_plain:
            return wins
        first, second = np.triu_indices(n, k=1)
        if rows < self.m:
            # As many votes as there are have that mean, and deviate by the root of their number.
            mean = pair_stays(n, theta)[second - first]
            off = (wins[:, first, second] - rows * mean) * sqrt(self.m / rows)
            wins[:, first, second] = self.m * mean + off
        wins[:, second, first] = self.m - wins[:, first, second]
        return wins

    def drawn_distances(self, passed: Floats, theta: float) -> Floats:
        """Return the distances of draws to their center, from those of `rows` rankings."""
        if self.rows == self.m:
            return passed
        mean = distance_mean(self.n, theta)
        return self.m * mean + (passed - self.rows * mean) * sqrt(self.m / self.rows)


def local_cost(wins: Floats, rng: Generator) -> Floats:
    """Return the cost of a quick consensus: by Borda points, neighbors exchanged as votes want.

    Points that are tied are ordered at random, and so no label plays a part. Exchanging is local
    Kemenization (Dwork et al. 2001, https://doi.org/10.1145/371920.372165).
    """
    s, n, _ = wins.shape
    points = (wins - wins.transpose(0, 2, 1)).sum(axis=2)
    # Sums of weights are equal but for rounding.
    points = np.round(points / max(1.0, float(np.abs(points).max(initial=0.0))), 9)
    order = np.lexsort((rng.random((s, n)), -points), axis=1)
    rows = np.arange(s)[:, None]
    for step in range(n):
        first = np.arange(step % 2, n - 1, 2)
        better, worse = order[:, first], order[:, first + 1]
        change = wins[rows, worse, better] > wins[rows, better, worse]
        order[:, first] = np.where(change, worse, better)
        order[:, first + 1] = np.where(change, better, worse)
    above, below = np.triu_indices(n, k=1)
    cost: Floats = wins[rows, order[:, below], order[:, above]].sum(axis=1)
    return cost


def _with_gaps(drawn: Ranks, ranks: Ranks) -> Floats:
    """Give draws the ties and gaps of rankings; NaN for an unranked item, unlisted ones tied."""
    place = places.comparable(ranks)
    return masked(drawn, ranks, np.where(ranks == UNRANKED, np.nan, place))


def is_feasible(data: ThetaData, alpha: float) -> bool:
    """Say whether an interval is known, or can be simulated in reasonable time."""
    if data.work <= MOST_WORK and alpha >= LEAST_ALPHA:
        return True
    certain = _certain_from(data, alpha)
    return _known(data, alpha, certain)[0] > certain


def invert(data: ThetaData, theta: float, alpha: float, rng: Generator) -> tuple[float, float]:
    """Return the ends of an interval for theta."""
    certain = _certain_from(data, alpha)
    lower, upper = _known(data, alpha, certain)
    if lower > certain:
        return lower, upper
    drawn = _Draws.around(data, min(theta, certain), alpha, certain, rng)
    low, high = drawn.ends(alpha, certain)
    if upper < certain:
        return low, high
    return min(low, certain), upper


def _certain_from(data: ThetaData, alpha: float) -> float:
    """Return the least theta at which the majorities are those of the center."""
    m, n = data.m, data.n
    if not data.is_plain:
        return inf
    allowed = log(DOUBT * alpha)
    if n < 2 or log_doubt(n, m, CONCENTRATED) > allowed:
        return inf
    return float(brentq(lambda at: log_doubt(n, m, at) - allowed, 0.0, CONCENTRATED))


def _known(data: ThetaData, alpha: float, certain: float) -> tuple[float, float]:
    """Return the thetas that the distance to the true center does not refute."""
    if certain == inf:
        return -inf, -inf
    m, n = data.m, data.n
    distance, side = data.minorities, (1.0 - DOUBT) * alpha / 2.0

    def too_small(at: float) -> float:
        return tail_at_most(distance, n, m, at) - side

    def too_large(at: float) -> float:
        return tail_at_least(distance, n, m, at) - side

    if too_large(certain) <= 0:
        return -inf, -inf
    high = max(2.0 * certain, 1.0)
    while too_large(high) > 0:
        high *= 2.0
    upper = float(brentq(too_large, certain, high))
    if too_small(certain) > 0:
        return -inf, upper
    return float(brentq(too_small, certain, upper)), upper


class _Draws:
    """Statistics and distances of draws at several thetas."""

    def __init__(self, data: ThetaData, alpha: float, rng: Generator) -> None:
        self.data, self.rng = data, rng
        number = min(max(WORK // max(data.work, 1), FEWEST), MOST)
        self.number = int(np.ceil(number * max(0.05 / alpha, 1.0)))
        self.observed = float(local_cost(data.wins[None], rng)[0])
        self.slack = 1e-9 * self.observed
        self.thetas: list[float] = []
        self.values: list[Floats] = []
        self.distances: list[Floats] = []

    @classmethod
    def around(
        cls, data: ThetaData, theta: float, alpha: float, certain: float, rng: Generator
    ) -> _Draws:
        """Draw at the estimate, then below it and above it as far as matters."""
        draws = cls(data, alpha, rng)
        m, n = data.m, data.n
        enough = alpha / 8.0
        # Beyond, hardly a draw has any exchange.
        theta = min(theta, log(100.0 * m * n))
        below, _ = draws.add(theta)
        at = theta
        while at > 0.0 and below > enough and len(draws.thetas) < MOST_POINTS:
            at = max(at - _step(n, m, at), 0.0)
            below, _ = draws.add(at)
        # A cost of 0 refutes no theta from above.
        at, above = theta, 1.0 if draws.observed > draws.slack else 0.0
        while at < certain and above > enough and len(draws.thetas) < MOST_POINTS:
            at = min(at + _step(n, m, at), certain)
            _, above = draws.add(at)
        return draws

    def add(self, theta: float) -> tuple[float, float]:
        """Draw at a theta; return the shares of draws at most and at least as far."""
        rows, n = self.data.rows, self.data.n
        # So many draws that their places fill an array of four million.
        size = max(1, 4_000_000 // (rows * n))
        values, distances = [], []
        for start in range(0, self.number, size):
            s = min(size, self.number - start)
            passed = sample_stages(np.full(n - 1, theta), s * rows, self.rng)
            summed = passed.reshape(n - 1, s, rows).sum(axis=(0, 2)).astype(np.float64)
            distances.append(self.data.drawn_distances(summed, theta))
            # Under one theta a permutation and its inverse have the same distribution.
            orders = orders_from_stages(passed).T.reshape(s, rows, n)
            values.append(local_cost(self.data.drawn_wins(orders, theta), self.rng))
        self.thetas.append(theta)
        self.values.append(np.concatenate(values))
        self.distances.append(np.concatenate(distances))
        at_most = self.values[-1] <= self.observed + self.slack
        at_least = self.values[-1] >= self.observed - self.slack
        return float(at_most.mean()), float(at_least.mean())

    def tails(self, theta: float) -> tuple[float, float]:
        """Return the chances of a statistic at most, and at least, the observed one.

        One more draw that is as extreme as the data keeps both from being too small.
        """
        values, distances = np.concatenate(self.values), np.concatenate(self.distances)
        logs = self._log_weights(theta, distances)
        logs = np.append(logs, logsumexp(logs) - log(len(logs)))
        weights = np.exp(logs - logsumexp(logs))
        at_most = np.append(values <= self.observed + self.slack, True)
        at_least = np.append(values >= self.observed - self.slack, True)
        return float(weights @ at_most), float(weights @ at_least)

    def _log_weights(self, theta: float, distances: Floats) -> Floats:
        m, n = self.data.m, self.data.n

        def log_densities(at: float) -> Floats:
            return -at * distances - m * mallows_log_normalizer(n, at)

        # Equal numbers of draws everywhere; what is common to all thetas cancels.
        mixture: Floats = logsumexp([log_densities(at) for at in self.thetas], axis=0)
        return log_densities(theta) - mixture

    def ends(self, alpha: float, certain: float) -> tuple[float, float]:
        """Return the least and the largest theta up to a bound that are not refuted."""
        low, high = min(self.thetas), max(self.thetas)
        side = alpha / 2.0

        def too_small(at: float) -> float:
            return self.tails(at)[0] - side

        def too_large(at: float) -> float:
            return self.tails(at)[1] - side

        if too_large(low) <= 0:
            return low, low
        upper = inf if self.observed == 0.0 else high
        if too_large(high) <= 0:
            upper = float(brentq(too_large, low, high, xtol=1e-6))
        if too_small(low) > 0:
            return low, upper
        if too_small(high) <= 0:
            return high, upper
        return float(brentq(too_small, low, high, xtol=1e-6)), upper


def _step(n: int, m: int, theta: float) -> float:
    """Return how far the next theta is: standard errors of an estimate around a known center."""
    information = m * distance_variance(n, theta)
    return min(SPACING / sqrt(information), WIDEST) if information > 0 else WIDEST
