"""The log likelihood of choices, with its gradient and information.

Luce's choice axiom gives one item of a set A the chance exp(lambda_i)/sum_A exp(lambda_j). Davidson
(1970) and Turner et al. (2020) let several be chosen together: a subset S of d items has the
weight delta_d prod_S exp(lambda_i/d). The sum of these over all subsets of d items is delta_d times
an elementary symmetric polynomial, so no subset is ever listed.

Parameters are the n log worths, then log delta_d for the sizes d > 1. The log likelihood is linear
in them less log sums of exponentials of linear functions, and so concave.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg.distributions.choices import Choices
from rankagg.distributions.elementary import elementary, leave_one_out

__all__ = ["Derivatives", "Likelihood", "bucket_weights"]


@dataclass(frozen=True, eq=False)
class Derivatives:
    """Value, gradient and information (minus the second derivatives) at some parameters."""

    value: float
    gradient: Floats
    information: Floats


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The log likelihood of choices, a function of log worths and log tie weights.

    Parameters
    ----------
    choices : Choices
        The choices.
    sizes : tuple of int
        Bucket sizes above 1 that may be chosen, ascending.
    ridge, tie_ridge : float, default 0
        Subtract ridge/2 times the sum of the squared log worths, and tie_ridge/2 times that of the
        squared log tie weights.
    """

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
        worths, shift = self._worths(parameters)
        if not self.sizes:
            logs = np.log(self.choices.sets.sums(worths))
            total = float(self.choices.weights @ logs)
        else:
            total = 0.0
            for x, weights in self._dense(parameters, shift):
                total += float(weights @ np.log(self._buckets(x, parameters).sum(axis=0)))
        total += shift * float(self.choices.weights.sum())
        return float(self.linear @ parameters) - total - self._penalty(parameters)

    def derivatives(self, parameters: Floats) -> Derivatives:
        """Return value, gradient and information."""
        expected, information = self._ties(parameters) if self.sizes else self._singles(parameters)
        gradient = self.linear - expected
        gradient -= self._ridges * parameters
        information = information + np.diag(self._ridges)
        return Derivatives(self.value(parameters), gradient, information)

    def expected(self, parameters: Floats) -> Floats:
        """Return what `linear` is on average under the parameters."""
        if self.sizes:
            return self._ties(parameters)[0]
        worths, _ = self._worths(parameters)
        rates = self.choices.weights / self.choices.sets.sums(worths)
        return worths * self.choices.sets.totals(rates)

    @property
    def _ridges(self) -> Floats:
        sizes = len(self.sizes)
        return np.concatenate([np.full(self.n, self.ridge), np.full(sizes, self.tie_ridge)])

    def _penalty(self, parameters: Floats) -> float:
        return float(self._ridges @ parameters**2) / 2.0

    def _worths(self, parameters: Floats) -> tuple[Floats, float]:
        """Return worths over the largest one, and its log."""
        shift = float(parameters[: self.n].max())
        return np.exp(parameters[: self.n] - shift), shift

    # -- one item a choice --------------------------------------------------------------------

    def _singles(self, parameters: Floats) -> tuple[Floats, Floats]:
        worths, _ = self._worths(parameters)
        sums = self.choices.sets.sums(worths)
        rates = self.choices.weights / sums
        expected = worths * self.choices.sets.totals(rates)
        both = self.choices.sets.both(rates / sums)
        return expected, np.diag(expected) - worths[:, None] * both * worths

    # -- several items a choice ---------------------------------------------------------------

    def _dense(self, parameters: Floats, shift: float) -> Iterator[tuple[Floats, Floats]]:
        """Go through the sets: log worths over the largest (-inf for no alternative), weights."""
        logs = parameters[: self.n] - shift
        done = 0
        for inside in self.choices.sets.tables():
            upto = done + len(inside)
            yield np.where(inside, logs, -np.inf), self.choices.weights[done:upto]
            done = upto

    def _buckets(self, x: Floats, parameters: Floats) -> Floats:
        """Return the summed weight of the choices of 1, and of each size, shape (1 + t, s)."""
        return bucket_weights(x, dict(zip(self.sizes, parameters[self.n :], strict=True)))

    def _ties(self, parameters: Floats) -> tuple[Floats, Floats]:
        n, t = self.n, len(self.sizes)
        _, shift = self._worths(parameters)
        deltas = {1: 1.0, **dict(zip(self.sizes, np.exp(parameters[n:]), strict=True))}
        expected = np.zeros(n + t)
        information = np.zeros((n + t, n + t))
        for logs, weights in self._dense(parameters, shift):
            total = self._buckets(logs, parameters).sum(axis=0)
            features = np.zeros((len(logs), n + t))  # expected in each set
            second = np.zeros((n + t, n + t))  # of products, summed over sets
            for k, (d, delta) in enumerate(deltas.items()):
                x = np.exp(logs / d)
                without = leave_one_out(x, d - 1)
                chosen = delta * x * without[d - 1] / total[:, None]
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
                second[:n, :n] += _pairs(x, weights * delta / d**2 / total, d)
            expected += weights @ features
            information += second - (features * weights[:, None]).T @ features
        return expected, information


def bucket_weights(logs: Floats, log_ties: dict[int, float]) -> Floats:
    """Return the summed weight of all choices of each size.

    Parameters
    ----------
    logs : ndarray of float, shape (s, n)
        Log worths; -inf for what is no alternative.
    log_ties : dict from int to float
        log delta_d for the sizes above 1.

    Returns
    -------
    ndarray of float, shape (1 + t, s)
        For one item, then for the sizes in their order.
    """
    rows = [np.exp(logs).sum(axis=1)]
    for d, log_delta in log_ties.items():
        rows.append(np.exp(log_delta) * elementary(np.exp(logs / d), d)[d])
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
