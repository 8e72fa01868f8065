"""The Plackett-Luce likelihood: its maximum, the covariance, and the score test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.special import logsumexp

from rankagg._typing import Bools, Floats, Positions
from rankagg.core import UNRANKED, Profile, canonical_profile
from rankagg.core.graphs import connected_parts
from rankagg.distributions.base import check_observed
from rankagg.distributions.maximum import (
    EPSILON,
    Derivatives,
    LogLikelihood,
    Maximum,
    Penalties,
    check_connected,
    inverse_information,
    less_mean,
)
from rankagg.distributions.plackett_luce.choices import Choices

# A matrix is sparse if its rows fill fewer than one in this many columns.
SPARSE_FROM = 8
# Largest span of log worths in a set whose scaled products neither overflow nor vanish.
TILTED_SPAN = 600.0


def _elementary(x: Floats, degree: int) -> Floats:
    """Return the elementary symmetric polynomials e_0, ..., e_degree of every row."""
    sums = np.zeros((degree + 1, len(x)))
    sums[0] = 1.0
    for column in x.T:
        for d in range(degree, 0, -1):
            sums[d] += column * sums[d - 1]
    return sums


def _log_elementary(logs: Floats, degree: int) -> Floats:
    """Return the logs of `_elementary` of exp(logs), which may overflow."""
    sums = np.full((degree + 1, len(logs)), -np.inf)
    sums[0] = 0.0
    for column in logs.T:
        for d in range(degree, 0, -1):
            sums[d] = np.logaddexp(sums[d], column + sums[d - 1])
    return sums


def _leave_one_out(x: Floats, degree: int) -> Floats:
    """Return e_0, ..., e_degree of every row without each entry in turn."""
    s, n = x.shape
    before = _running(x, degree)
    after = _running(x[:, ::-1], degree)[:, :, ::-1]
    without = np.zeros((degree + 1, s, n))
    for d in range(degree + 1):
        for k in range(d + 1):
            without[d] += before[k] * after[d - k]
    return without


def _running(x: Floats, degree: int) -> Floats:
    """Return the polynomials of the entries before each one, shape (degree + 1, s, n)."""
    s, n = x.shape
    sums = np.zeros((degree + 1, s, n))
    sums[0] = 1.0
    for j in range(1, n):
        sums[:, :, j] = sums[:, :, j - 1]
        for d in range(degree, 0, -1):
            sums[d, :, j] += x[:, j - 1] * sums[d - 1, :, j - 1]
    return sums


@dataclass(frozen=True, eq=False)
class Likelihood(LogLikelihood):
    """The log likelihood of choices, a function of log worths and log tie weights."""

    choices: Choices
    sizes: tuple[int, ...] = ()
    ridge: float = 0.0
    tie_ridge: float = 0.0

    @property
    def n(self) -> int:
        """The number of items."""
        return len(self.choices.won)

    @property
    def keeps_centered(self) -> bool:  # type: ignore[override]
        """Without a ridge, since a constant changes nothing then."""
        return not self.ridge

    def start(self) -> Floats:
        """Return equal worths, and tie weights of 1."""
        return np.zeros(self.n + len(self.sizes))

    @property
    def linear(self) -> Floats:
        """The coefficients of the parameters: the observed wins and ties."""
        tied = [self.choices.tied.get(d, 0.0) for d in self.sizes]
        return np.concatenate([self.choices.won, tied])

    def value(self, parameters: Floats) -> float:
        """Return the log likelihood minus the ridge penalty."""
        logs = parameters[: self.n]
        if not self.sizes:
            total = float(self.choices.weights @ self.choices.sets.log_sums(logs))
        else:
            total, done = 0.0, 0
            for items, inside in self.choices.sets.members():
                upto = done + len(inside)
                own = np.where(inside, logs[items], -np.inf)
                sums = logsumexp(self._buckets(own, parameters), axis=0)
                total += float(self.choices.weights[done:upto] @ sums)
                done = upto
        return float(self.linear @ parameters) - total - self._penalty(parameters)

    def derivatives(self, parameters: Floats) -> Derivatives:
        """Return value, gradient and information."""
        expected, information = self._ties(parameters) if self.sizes else self._singles(parameters)
        pull = self._ridges * parameters
        gradient = self.linear - expected - pull
        information = information + np.diag(self._ridges)
        # Rounding error of the terms of the gradient, as sums over the sets.
        noise = 4.0 * EPSILON * np.sqrt(len(self.choices.weights) + 16.0)
        noise = noise * (self.linear + expected + np.abs(pull))
        return Derivatives(self.value(parameters), gradient, information, noise)

    @property
    def _ridges(self) -> Floats:
        sizes = len(self.sizes)
        return np.concatenate([np.full(self.n, self.ridge), np.full(sizes, self.tie_ridge)])

    def _penalty(self, parameters: Floats) -> float:
        return float(self._ridges @ parameters**2) / 2.0

    # -- one item a choice --------------------------------------------------------------------

    def _singles(self, parameters: Floats) -> tuple[Floats, Floats]:
        expected, products = self.choices.sets.moments(parameters, self.choices.weights)
        # The rows sum to 0. Computing the diagonal from them avoids cancellation for rare wins.
        information = -products
        np.fill_diagonal(information, 0.0)
        np.fill_diagonal(information, -information.sum(axis=1))
        return expected, information

    # -- several items a choice ---------------------------------------------------------------

    def _buckets(self, logs: Floats, parameters: Floats) -> Floats:
        """Return the log weights of single choices and of each bucket size, shape (1 + t, s)."""
        return log_bucket_weights(logs, dict(zip(self.sizes, parameters[self.n :], strict=True)))

    def _ties(self, parameters: Floats) -> tuple[Floats, Floats]:
        n, t = self.n, len(self.sizes)
        expected = np.zeros(n + t)
        information = np.zeros((n + t, n + t))
        done = 0
        for items, inside in self.choices.sets.members():
            logs = np.where(inside, parameters[items], -np.inf)
            weights = self.choices.weights[done : done + len(logs)]
            done += len(logs)
            total = logsumexp(self._buckets(logs, parameters), axis=0)
            means = np.zeros_like(logs)  # expected shares of each item in each set
            ties = np.zeros((len(logs), t))
            second = np.zeros((n + t, n + t))  # second moments, summed over sets
            for k, d in enumerate((1, *self.sizes)):
                x, top = _tilted(logs, d)
                delta = parameters[n + k - 1] if k else 0.0
                rates = np.exp(delta + top - total)
                chosen = rates[:, None] * x * _leave_one_out(x, d - 1)[d - 1]
                means += chosen / d
                cross = np.bincount(items.ravel(), (weights[:, None] * chosen).ravel(), n) / d
                second[:n, :n] += np.diag(cross) / d
                if d == 1:
                    continue
                column = n + k - 1
                ties[:, k - 1] = chosen.sum(axis=1) / d
                second[:n, column] += cross
                second[column, :n] += cross
                second[column, column] += float(weights @ ties[:, k - 1])
                second[:n, :n] += _pair_products(items, x, weights * rates / d**2, d, n)
            last = np.broadcast_to(np.arange(n, n + t), ties.shape)
            features = _spread(np.hstack([items, last]), np.hstack([means, ties]), n + t)
            expected += weights @ features
            information += second - _gram(features, weights)
        return expected, information


def _spread(items: Positions, values: Floats, n: int) -> Any:
    """Return a matrix of n columns with the values of each row at its items, sparse if few."""
    s, k = items.shape
    if SPARSE_FROM * k < n:
        return csr_array((values.ravel(), items.ravel(), np.arange(s + 1) * k), shape=(s, n))
    table = np.zeros((s, n))
    np.put_along_axis(table, items, values, axis=1)
    return table


def _gram(features: Any, weights: Floats) -> Floats:
    """Return the weighted sums over rows of the products of two columns."""
    sums = features.T @ (features * weights[:, None])
    return sums if isinstance(sums, np.ndarray) else sums.toarray()


def _tilted(logs: Floats, d: int) -> tuple[Floats, Floats]:
    """Return exp(logs/d) of every row, scaled to a largest product of d of them of 1."""
    if d > logs.shape[1]:
        return np.zeros_like(logs), np.full(len(logs), -np.inf)
    top = -np.partition(-logs, d - 1, axis=1)[:, :d].mean(axis=1)
    enough = np.isfinite(top)
    shift = np.where(enough, top, 0.0)
    # Overflow ends in NaN, which the climb rejects.
    with np.errstate(over="ignore"):
        x = np.where(enough[:, None], np.exp((logs - shift[:, None]) / d), 0.0)
    return x, top


def log_bucket_weights(logs: Floats, log_ties: dict[int, float]) -> Floats:
    """Return the log of the summed weight of all choices of each size."""
    inside = logs > -np.inf
    span = np.where(inside, logs, -np.inf).max(axis=1, initial=-np.inf)
    span -= np.where(inside, logs, np.inf).min(axis=1, initial=np.inf)
    rows = []
    for d, log_delta in {1: 0.0, **log_ties}.items():
        if (span > TILTED_SPAN).any():
            rows.append(_log_elementary(logs / d, d)[d] + log_delta)
            continue
        x, top = _tilted(logs, d)
        possible = np.isfinite(top)
        sums = np.where(possible, _elementary(x, d)[d], 1.0)
        rows.append(np.where(possible, np.log(sums) + top + log_delta, -np.inf))
    return np.stack(rows)


def _pair_products(items: Positions, x: Floats, weights: Floats, d: int, n: int) -> Floats:
    """Return sum_s w_s x_si x_sj e_(d-2) without i and j, 0 on the diagonal, by items."""
    if d == 2:
        result = _gram(_spread(items, x, n), weights)
    else:
        result = np.zeros((n, n))
        for i in range(x.shape[1]):
            others = x.copy()
            others[:, i] = 0.0
            values = (weights * x[:, i])[:, None] * x * _leave_one_out(others, d - 2)[d - 2]
            np.add.at(result, (items[:, i, None], items), values)
    np.fill_diagonal(result, 0.0)
    return result


def _beats_graph(profile: Profile) -> Bools:
    """Return whether the row is above or tied with the column in a ranking, shape (n, n)."""
    # Equal weights, so that no ranking is lost by rounding.
    votes = canonical_profile(profile.items, profile.ranks).direct_pairwise()
    return votes.wins + votes.ties > 0


def _is_linked(together: Floats) -> bool:
    """Return whether chains of common sets connect all items."""
    return bool((connected_parts(together > 0) == 0).all())


@dataclass(frozen=True, eq=False)
class LuceMaximum:
    """Log worths and tie weights at the maximum, and their covariance."""

    profile: Profile
    data: Likelihood
    climb: Maximum
    # Log worths with sum 0, then the logs of the tie weights of these sizes.
    parameters: Floats
    sizes: tuple[int, ...]
    # Log likelihood of the data, and minus its second derivatives.
    value: float
    information: Floats
    # Of independent rankings whose weights sum to their effective number.
    covariance: Floats


def maximize_choices(profile: Profile, penalties: Penalties, tol: float) -> LuceMaximum:
    """Return the maximum of the likelihood of rankings, or raise if there is none.

    A ranking of weight 2 is the same as two rankings.
    """
    check_observed(profile)
    if not penalties.is_regular:
        check_connected(_beats_graph(profile), profile.items)
    choices = Choices.of(profile.ranks, profile.counts * profile.weights)
    sizes = tuple(sorted(d for d in choices.tied if d > 1))
    ghost = penalties.pseudo_rankings
    extended = choices.with_ghost(ghost) if ghost else choices
    penalized = Likelihood(extended, sizes, penalties.ridge, penalties.tie_ridge)
    climb = penalized.maximize(tol)
    data, names = Likelihood(choices, sizes), [f"log tie {d}" for d in sizes]
    n = data.n
    if sizes:  # Without ties the maximum exists.
        moved = np.delete(climb.parameters, slice(n, penalized.n))
        moved[:n] -= np.median(moved[:n])
        remedy = (
            "Use `pseudo_rankings=0.5`, a `ridge` or a `tie_ridge`, break ties if only ties were "
            "observed, or leave items out."
        )
        climb.check_rises([*map(str, profile.items), *names], moved, remedy)
    worths = climb.parameters[:n] - climb.parameters[:n].mean()
    parameters = np.concatenate([worths, climb.parameters[penalized.n :]])
    at = climb if penalties.is_plain else data.derivatives(parameters)
    covariance = _covariance(choices, at.information, climb.information, penalties)
    return LuceMaximum(
        profile, data, climb, parameters, sizes, at.value, at.information, covariance
    )


def score_at_equal_worths(profile: Profile, data: Likelihood) -> float:
    """Return the score statistic at equal worths and the most likely tie weights."""
    start = data.maximize(equal_worths=True).parameters if data.sizes else data.start()
    alike = data.derivatives(start)
    if profile.is_strict:
        # The exact covariance under the null hypothesis.
        inverse = inverse_information(_score_covariance(profile), data.n)
    else:
        inverse = inverse_information(alike.information, data.n)
    return float(alike.gradient @ inverse @ alike.gradient)


def _score_covariance(profile: Profile) -> Floats:
    """Return the covariance of the score if all orders of the observed items are as likely."""
    observed = profile.ranks != UNRANKED
    number = observed.sum(axis=1)
    chosen = np.minimum((profile.ranks >= 0).sum(axis=1), number - 1)
    # A choice from s items has the trace 1 - 1/s, divided equally among the items.
    traces = np.cumsum(1.0 - 1.0 / np.maximum(np.arange(profile.n_items + 1), 1.0))
    shares = (traces[number] - traces[number - chosen]) / np.maximum(number - 1, 1)
    rates = shares * profile.counts * profile.weights**2
    covariance: Floats = -(observed.T * (rates / number)) @ observed
    covariance[np.diag_indices(profile.n_items)] += rates @ observed
    return covariance


def _covariance(choices: Choices, own: Floats, penalized: Floats, penalties: Penalties) -> Floats:
    """Return the covariance of centered log worths and log tie weights.

    With a ridge it is from the information of the penalized likelihood. Pseudo-rankings are no
    data: they are used only if nothing else connects the items.
    """
    n = choices.n_items
    ghost = penalties.pseudo_rankings > 0
    if not (penalties.ridge or penalties.tie_ridge) and (
        not ghost or _is_linked(choices.sets.both(choices.weights))
    ):
        return less_mean(inverse_information(own, n), n)
    inverse = inverse_information(penalized, n + ghost, grounded=not penalties.ridge)
    keep = np.delete(np.arange(len(penalized)), slice(n, n + ghost))
    return less_mean(inverse[np.ix_(keep, keep)], n)
