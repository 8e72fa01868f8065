"""The log likelihood of choices, with its gradient and information.

Luce's choice axiom gives one item of a set A the chance exp(lambda_i)/sum_A exp(lambda_j). Davidson
(1970) and Turner et al. (2020) let several be chosen together: a subset S of d items has the
weight delta_d prod_S exp(lambda_i/d). The sum of these over all subsets of d items is delta_d times
an elementary symmetric polynomial, so no subset is ever listed.

Parameters are the n log worths, then log delta_d for the sizes d > 1. The log likelihood is linear
in them less log sums of exponentials of linear functions, and so concave.

Elementary symmetric polynomials: sums of products over all subsets of a size.

All by additions and products of numbers that are not negative, so nothing cancels. Rows are
independent; a 0 is as good as no entry.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from rankagg._typing import Floats
from rankagg.distributions.plackett_luce.choices import Choices

__all__ = [
    "Derivatives",
    "Likelihood",
    "elementary",
    "leave_one_out",
    "log_bucket_weights",
    "log_elementary",
]


def elementary(x: Floats, degree: int) -> Floats:
    """Return e_0, ..., e_degree of every row."""
    sums = np.zeros((degree + 1, len(x)))
    sums[0] = 1.0
    for column in x.T:
        for d in range(degree, 0, -1):
            sums[d] += column * sums[d - 1]
    return sums


def log_elementary(logs: Floats, degree: int) -> Floats:
    """Return the logs of `elementary` of exp(logs), which need not have floats."""
    sums = np.full((degree + 1, len(logs)), -np.inf)
    sums[0] = 0.0
    for column in logs.T:
        for d in range(degree, 0, -1):
            sums[d] = np.logaddexp(sums[d], column + sums[d - 1])
    return sums


def leave_one_out(x: Floats, degree: int) -> Floats:
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


# Log worths of one set that differ by no more: products of few of them are floats after a tilt.
NARROW = 600.0


@dataclass(frozen=True, eq=False)
class Derivatives:
    """Value, gradient and information (minus the second derivatives) at some parameters.

    `scale` is the size of the terms whose difference the gradient is, and so of its rounding.
    """

    value: float
    gradient: Floats
    information: Floats
    scale: Floats


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The log likelihood of choices, a function of log worths and log tie weights."""

    choices: Choices
    sizes: tuple[int, ...] = ()
    ridge: float = 0.0
    tie_ridge: float = 0.0

    @property
    def n(self) -> int:
        """The number of items."""
        return self.choices.n_items

    @property
    def linear(self) -> Floats:
        """What the parameters are multiplied with: the observed wins and ties."""
        tied = [self.choices.tied.get(d, 0.0) for d in self.sizes]
        return np.concatenate([self.choices.won, tied])

    def value(self, parameters: Floats) -> float:
        """Return the log likelihood, less the ridge."""
        logs = parameters[: self.n]
        if not self.sizes:
            total = float(self.choices.weights @ self.choices.sets.log_sums(logs))
        else:
            total, done = 0.0, 0
            for inside in self.choices.sets.tables():
                upto = done + len(inside)
                sums = logsumexp(self._buckets(np.where(inside, logs, -np.inf), parameters), axis=0)
                total += float(self.choices.weights[done:upto] @ sums)
                done = upto
        return float(self.linear @ parameters) - total - self._penalty(parameters)

    def derivatives(self, parameters: Floats) -> Derivatives:
        """Return value, gradient and information."""
        expected, information = self._ties(parameters) if self.sizes else self._singles(parameters)
        pull = self._ridges * parameters
        gradient = self.linear - expected - pull
        information = information + np.diag(self._ridges)
        scale = self.linear + expected + np.abs(pull)
        return Derivatives(self.value(parameters), gradient, information, scale)

    def expected(self, parameters: Floats) -> Floats:
        """Return what `linear` is on average under the parameters."""
        if self.sizes:
            return self._ties(parameters)[0]
        return self.choices.sets.expected(parameters, self.choices.weights)

    @property
    def _ridges(self) -> Floats:
        sizes = len(self.sizes)
        return np.concatenate([np.full(self.n, self.ridge), np.full(sizes, self.tie_ridge)])

    def _penalty(self, parameters: Floats) -> float:
        return float(self._ridges @ parameters**2) / 2.0

    # -- one item a choice --------------------------------------------------------------------

    def _singles(self, parameters: Floats) -> tuple[Floats, Floats]:
        expected, products = self.choices.sets.moments(parameters, self.choices.weights)
        # The rows sum to 0. Said of the diagonal nothing cancels, however rare a win may be.
        information = -products
        np.fill_diagonal(information, 0.0)
        np.fill_diagonal(information, -information.sum(axis=1))
        return expected, information

    # -- several items a choice ---------------------------------------------------------------

    def _buckets(self, logs: Floats, parameters: Floats) -> Floats:
        """Return the log weight of the choices of 1, and of each size, shape (1 + t, s)."""
        return log_bucket_weights(logs, dict(zip(self.sizes, parameters[self.n :], strict=True)))

    def _ties(self, parameters: Floats) -> tuple[Floats, Floats]:
        n, t = self.n, len(self.sizes)
        expected = np.zeros(n + t)
        information = np.zeros((n + t, n + t))
        done = 0
        for inside in self.choices.sets.tables():
            logs = np.where(inside, parameters[:n], -np.inf)
            weights = self.choices.weights[done : done + len(logs)]
            done += len(logs)
            buckets = self._buckets(logs, parameters)
            total = logsumexp(buckets, axis=0)
            features = np.zeros((len(logs), n + t))  # expected in each set
            second = np.zeros((n + t, n + t))  # of products, summed over sets
            for k, d in enumerate((1, *self.sizes)):
                x, top = _tilted(logs, d)
                delta = parameters[n + k - 1] if k else 0.0
                rates = np.exp(delta + top - total)
                without = leave_one_out(x, d - 1)
                chosen = rates[:, None] * x * without[d - 1]
                features[:, :n] += chosen / d
                second[:n, :n] += np.diag(weights @ chosen) / d**2
                if d == 1:
                    continue
                column = n + k - 1
                features[:, column] = chosen.sum(axis=1) / d
                cross = weights @ chosen / d
                second[:n, column] += cross
                second[column, :n] += cross
                second[column, column] += float(weights @ features[:, column])
                second[:n, :n] += _pairs(x, weights * rates / d**2, d)
            expected += weights @ features
            information += second - (features * weights[:, None]).T @ features
        return expected, information


def _tilted(logs: Floats, d: int) -> tuple[Floats, Floats]:
    """Return exp(logs/d) of every row, times what makes the largest product of d of them 1."""
    if d > logs.shape[1]:
        return np.zeros_like(logs), np.full(len(logs), -np.inf)
    top: Floats = -np.partition(-logs, d - 1, axis=1)[:, :d].mean(axis=1)
    enough = np.isfinite(top)
    shift = np.where(enough, top, 0.0)
    # What overflows is no number in the end, and the climb does not go there.
    with np.errstate(over="ignore"):
        x: Floats = np.where(enough[:, None], np.exp((logs - shift[:, None]) / d), 0.0)
    return x, top


def log_bucket_weights(logs: Floats, log_ties: dict[int, float]) -> Floats:
    """Return the log of the summed weight of all choices of each size."""
    inside = logs > -np.inf
    span = np.where(inside, logs, -np.inf).max(axis=1, initial=-np.inf)
    span -= np.where(inside, logs, np.inf).min(axis=1, initial=np.inf)
    rows = []
    for d, log_delta in {1: 0.0, **log_ties}.items():
        if (span > NARROW).any():
            rows.append(log_elementary(logs / d, d)[d] + log_delta)
            continue
        x, top = _tilted(logs, d)
        possible = np.isfinite(top)
        sums = np.where(possible, elementary(x, d)[d], 1.0)
        rows.append(np.where(possible, np.log(sums) + top + log_delta, -np.inf))
    return np.stack(rows)


def _pairs(x: Floats, weights: Floats, d: int) -> NDArray[np.float64]:
    """Return sum_s w_s x_si x_sj e_(d-2) without i and j, 0 on the diagonal."""
    n = x.shape[1]
    result: Floats = (x * weights[:, None]).T @ x
    if d > 2:
        for i in range(n):
            others = x.copy()
            others[:, i] = 0.0
            without = leave_one_out(others, d - 2)[d - 2]
            result[i] = ((weights * x[:, i])[:, None] * x * without).sum(axis=0)
    np.fill_diagonal(result, 0.0)
    return result
