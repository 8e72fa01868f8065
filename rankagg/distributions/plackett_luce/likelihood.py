"""The Plackett-Luce likelihood, and whether it has a maximum."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array
from scipy.special import logsumexp

from rankagg._typing import Bools, Floats, Integers64, Positions, Ranks
from rankagg.distributions.finite_maximum import DIRECTION_SLACK, whole_directions
from rankagg.distributions.maximum import EPSILON, Derivatives, LogLikelihood
from rankagg.distributions.plackett_luce.choices import Choices, stage_masks

# A matrix is sparse where its rows have fewer than one in so many columns.
SPARSE_FROM = 8
# Log worths of one set that differ by no more: products of few of them are floats after a tilt.
TILTED_SPAN = 600.0


def _elementary(x: Floats, degree: int) -> Floats:
    """Return e_0, ..., e_degree of every row."""
    sums = np.zeros((degree + 1, len(x)))
    sums[0] = 1.0
    for column in x.T:
        for d in range(degree, 0, -1):
            sums[d] += column * sums[d - 1]
    return sums


def _log_elementary(logs: Floats, degree: int) -> Floats:
    """Return the logs of `_elementary` of exp(logs), which need not have floats."""
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
        """Where a constant changes nothing."""
        return not self.ridge

    def start(self) -> Floats:
        """Return equal worths, and ties as heavy as choices of one."""
        return np.zeros(self.n + len(self.sizes))

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
        # The terms whose difference the gradient is, as sums of so many are rounded.
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
        for items, inside in self.choices.sets.members():
            logs = np.where(inside, parameters[items], -np.inf)
            weights = self.choices.weights[done : done + len(logs)]
            done += len(logs)
            total = logsumexp(self._buckets(logs, parameters), axis=0)
            means = np.zeros_like(logs)  # expected of each item in each set, and of each tie
            ties = np.zeros((len(logs), t))
            second = np.zeros((n + t, n + t))  # of products, summed over sets
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
    """Return the sum over rows of weight times products of two columns."""
    sums = features.T @ (features * weights[:, None])
    table: Floats = sums if isinstance(sums, np.ndarray) else sums.toarray()
    return table


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


@dataclass(frozen=True, eq=False)
class DistinctChoices:
    """Different choices: from which alternatives, and what."""

    # Shape (k, n). A row per choice.
    alternatives: Bools
    chosen: Bools

    @classmethod
    def of(cls, tables: Iterable[tuple[Bools, Bools]], n: int) -> DistinctChoices:
        """Return the different rows of some tables of alternatives and chosen items."""
        parts = [np.zeros((0, 2 * n), dtype=bool)]
        parts += [np.unique(np.hstack(both), axis=0) for both in tables]
        rows = np.unique(np.concatenate(parts), axis=0)
        return cls(rows[:, :n], rows[:, n:])

    @classmethod
    def of_ranks(cls, ranks: Ranks) -> DistinctChoices:
        """Return the choices of rankings; places with codes, shape (m, n)."""
        return cls.of(((sets, chosen) for _, sets, chosen in stage_masks(ranks)), ranks.shape[1])

    def with_ghost(self) -> DistinctChoices:
        """Add an item that was chosen once against every other one, and once not."""
        k, n = self.alternatives.shape
        none, own = np.zeros((k, 1), dtype=bool), np.eye(n, dtype=bool)
        yes, no = np.ones((n, 1), dtype=bool), np.zeros((n, 1), dtype=bool)
        pairs = np.hstack([own, yes])
        ghost = np.hstack([np.zeros_like(own), yes])
        return DistinctChoices(
            np.vstack([np.hstack([self.alternatives, none]), pairs, pairs]),
            np.vstack([np.hstack([self.chosen, none]), np.hstack([own, no]), ghost]),
        )


def endless_choices(
    observed: DistinctChoices, sizes: tuple[int, ...], *, worths: bool = True, ties: bool = True
) -> Integers64 | None:
    """Return a direction in which the likelihood rises for ever; None where none was found."""
    n = observed.alternatives.shape[1]
    bounds = [(-1.0, 1.0) if worths else (0.0, 0.0)] * n
    bounds += [(-1.0, 1.0) if ties else (0.0, 0.0)] * len(sizes)
    if worths:
        bounds[0] = (0.0, 0.0)  # a constant says nothing
    own = _features(observed.chosen, sizes)
    objective = _gains(observed, own, sizes)
    rows = np.zeros((0, n + len(sizes)))

    direction = objective / max(float(np.abs(objective).max()), 1.0)
    # Buckets are too many to list: those that a direction breaks are added until there is none.
    for _ in range(200):
        cuts = _violated(observed, own, sizes, direction)
        if len(rows) and not len(cuts):
            whole = (row.astype(np.int64) for row in whole_directions(direction))
            return next((row for row in whole if _is_endless(observed, sizes, row)), None)
        rows = np.unique(np.vstack([rows, cuts, np.zeros((1, rows.shape[1]))]), axis=0)
        found = linprog(-objective, rows, np.zeros(len(rows)), bounds=bounds)
        if found.x is None or float(objective @ found.x) <= 1e-4:
            return None
        direction = np.asarray(found.x, dtype=np.float64)
    return None


def _features(chosen: Bools, sizes: tuple[int, ...]) -> Floats:
    """Return what log worths and log tie weights are multiplied with in the value of buckets."""
    size = chosen.sum(axis=1)
    tied = size[:, None] == np.array(sizes, dtype=np.int64)
    return np.hstack([chosen / size[:, None], tied.astype(np.float64)])


def _gains(observed: DistinctChoices, own: Floats, sizes: tuple[int, ...]) -> Floats:
    """Return the sum over choices and sizes of the value of a choice less the mean of the others.

    Along a direction without a loss it is 0 only where nothing is gained.
    """
    number = observed.alternatives.sum(axis=1)
    total = np.zeros(own.shape[1])
    for k, d in enumerate((1, *sizes)):
        possible = number >= d
        mean = np.zeros((int(possible.sum()), own.shape[1]))
        mean[:, : observed.alternatives.shape[1]] = (
            observed.alternatives[possible] / number[possible, None]
        )
        if k:
            mean[:, observed.alternatives.shape[1] + k - 1] = 1.0
        total += (own[possible] - mean).sum(axis=0)
    return total


def _best_buckets(
    observed: DistinctChoices, sizes: tuple[int, ...], worths: Floats | Integers64
) -> Iterator[tuple[Bools, Bools]]:
    """Go through the sizes: where they are possible, and the best bucket of each set."""
    order = np.argsort(-worths, kind="stable")
    sorted_sets = observed.alternatives[:, order]
    rank = np.cumsum(sorted_sets, axis=1)
    for d in (1, *sizes):
        best = np.zeros_like(sorted_sets)
        best[:, order] = sorted_sets & (rank <= d)
        yield rank[:, -1] >= d, best


def _violated(
    observed: DistinctChoices, own: Floats, sizes: tuple[int, ...], direction: Floats
) -> Floats:
    """Return the rows g that a direction breaks, where g times it must not exceed 0."""
    n = observed.alternatives.shape[1]
    cuts = [np.zeros((0, len(direction)))]
    for possible, best in _best_buckets(observed, sizes, direction[:n]):
        rows = _features(best[possible], sizes) - own[possible]
        cuts.append(rows[rows @ direction > DIRECTION_SLACK])
    return np.concatenate(cuts)


def _is_endless(observed: DistinctChoices, sizes: tuple[int, ...], whole: Integers64) -> bool:
    """Say in integers whether no choice loses along a direction, and some gain."""
    n = observed.alternatives.shape[1]
    unit = lcm(1, *sizes)
    worths = whole[:n]

    # Integers of any size: many sizes of buckets have a large common multiple.
    share = np.array([unit // d if d in (1, *sizes) else 0 for d in range(max(sizes) + 1)], object)
    bonus = dict(zip(sizes, (int(weight) * unit for weight in whole[n:]), strict=True))
    bonuses = np.array([bonus.get(d, 0) for d in range(max(sizes) + 1)], object)

    def values(buckets: Bools) -> NDArray[np.object_]:
        size = buckets.sum(axis=1)
        summed: NDArray[np.object_] = (buckets @ worths).astype(object)
        total: NDArray[np.object_] = summed * share[size] + bonuses[size]
        return total

    chosen = values(observed.chosen)
    gains = False
    for possible, best in _best_buckets(observed, sizes, worths):
        if (values(best[possible]) > chosen[possible]).any():
            return False
    for possible, worst in _best_buckets(observed, sizes, -worths):
        gains |= bool((values(worst[possible]) < chosen[possible]).any())
    return gains
