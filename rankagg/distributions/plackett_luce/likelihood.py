"""The Plackett-Luce likelihood, whether it has a maximum, and the way there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import lcm

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.special import logsumexp

from rankagg._typing import Bools, Floats, Ranks
from rankagg.distributions.connectivity import solve_definite
from rankagg.distributions.plackett_luce.choices import Choices, stage_masks


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


HALVINGS = 40
EPSILON = float(np.finfo(np.float64).eps)
NEWTON_STEPS = 100
# No parameter moves by more in the first step; the bound doubles whenever it holds a step back that
# the likelihood takes whole, and halves with a step. A parabola far from its maximum says little.
REACH = 4.0
# Moves below this are rounding.
LEAST_MOVE = 1e-13
# How far from the maximum rounding may leave a parameter.
LOST = 1e-6


@dataclass(frozen=True, eq=False)
class Maximum:
    """Where a climb ended."""

    # Shape (p,). Log worths with sum 0, then log tie weights.
    parameters: Floats
    # The log likelihood there.
    value: float
    # Shape (p, p). Minus the second derivatives there.
    information: Floats
    # The largest entry of the gradient.
    gradient_norm: float
    n_iterations: int
    # True where no parameter is further from the maximum than the tolerance, or than rounding
    # leaves open (at most `LOST`).
    converged: bool
    # True where no further step was found, though steps were left.
    stuck: bool = False


def newton(
    likelihood: Likelihood, steps: int, tolerance: float, *, equal_worths: bool = False
) -> Maximum:
    """Climb by Newton steps, halved until the likelihood rises.

    It has converged where no parameter would move by more than the tolerance, or where the gradient
    is nothing but rounding. With `equal_worths` only the tie weights move.
    """
    n = likelihood.n
    here = np.zeros(n + len(likelihood.sizes))
    reach = REACH
    for step in range(steps + 1):
        at = likelihood.derivatives(here)
        direction = _direction(likelihood, at, equal_worths=equal_worths)
        if direction is None:
            return _maximum(likelihood, here, at, step, stuck=True)
        size = float(np.abs(direction).max())
        moving = slice(n if equal_worths else 0, None)
        if size <= tolerance or _is_rounding(likelihood, at, moving):
            close = size <= max(tolerance, LOST)
            return _maximum(likelihood, here, at, step, converged=close, stuck=not close)
        if step == steps:
            return _maximum(likelihood, here, at, step)
        if size > reach:
            direction *= reach / size
        part = _part(likelihood, here, direction, at)
        if part == 0.0:
            return _maximum(likelihood, here, at, step, converged=size <= LOST, stuck=size > LOST)
        here = here + part * direction
        reach = max(reach * (2.0 if part == 1.0 and size > reach else part), REACH)
        if not likelihood.ridge:
            # A constant changes neither the value nor its derivatives.
            here[:n] -= here[:n].mean()
    raise AssertionError("the loop returns")


def _is_rounding(likelihood: Likelihood, at: Derivatives, moving: slice) -> bool:
    """Say whether every entry of the gradient is small beside the terms it is the difference of."""
    sums = likelihood.choices.weights.shape[0]
    noise = 4.0 * EPSILON * np.sqrt(sums + 16.0) * at.scale
    return bool((np.abs(at.gradient) <= noise)[moving].all())


def _direction(
    likelihood: Likelihood, at: Derivatives, *, equal_worths: bool = False
) -> Floats | None:
    """Return the step to the maximum of the parabola; none where it has none to rounding."""
    n = likelihood.n
    if equal_worths:
        moving = np.arange(n, len(at.gradient))
        matrix = at.information[np.ix_(moving, moving)]
    else:
        matrix, moving = _determined(at.information, n, grounded=not likelihood.ridge)
    solved = solve_definite(matrix, at.gradient[moving])
    if solved is None:
        return None
    direction = np.zeros(len(at.gradient))
    direction[moving] = solved
    if not (likelihood.ridge or equal_worths):
        direction[:n] -= direction[:n].mean()
    return direction if np.isfinite(direction).all() else None


def _determined(information: Floats, n: int, *, grounded: bool) -> tuple[Floats, NDArray[np.intp]]:
    """Return information that has an inverse, and which parameters it is of.

    Without a ridge the log worths are determined up to a constant, and one of them is held: the one
    of which most is known, so that its rounding does not reach the others. With one they sum to 0,
    and what is added says nothing about such.
    """
    if not grounded:
        full = information.copy()
        full[:n, :n] += float(np.trace(information[:n, :n])) / n**2
        return full, np.arange(len(full))
    moving = np.delete(np.arange(len(information)), int(np.argmax(np.diag(information)[:n])))
    return information[np.ix_(moving, moving)], moving


def _part(likelihood: Likelihood, here: Floats, direction: Floats, at: Derivatives) -> float:
    """Return the part of a step with which the likelihood rises by enough of what the slope says.

    It is halved until it does, or until there is nothing left of it: then 0. A value that is not
    finite is no rise.
    """
    slope = float(direction @ at.gradient)
    slack = 1e-12 * abs(at.value)
    for halving in range(HALVINGS):
        part = 0.5**halving
        # A step that is much too long may overflow.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            reached = likelihood.value(here + part * direction)
        if np.isfinite(reached) and reached >= at.value + 1e-4 * part * slope - slack:
            return part
    return 0.0


def minorize(
    likelihood: Likelihood, steps: int, tolerance: float, start: Floats | None = None
) -> Maximum:
    """Climb by raising what was observed more often than expected.

    Without ties these are the steps of Hunter (2004): each maximizes a function that lies below
    the likelihood and touches it. With ties they are those of generalized iterative scaling, for
    worths and for tie weights in turn. It has converged where no parameter would move by more than
    the tolerance in a Newton step, as there.
    """
    n = likelihood.n
    here = np.zeros(n + len(likelihood.sizes)) if start is None else start.copy()
    enough = max(tolerance, LEAST_MOVE)
    for step in range(steps + 1):
        moves = _moves(likelihood, here)
        moves[:n] -= moves[:n].mean()
        size = float(np.abs(moves).max())
        if size <= enough or step == steps or not np.isfinite(size):
            at = likelihood.derivatives(here)
            close = _is_close(likelihood, at, tolerance)
            lost = not np.isfinite(size) or _is_rounding(likelihood, at, slice(None))
            if close or lost or step == steps:
                return _maximum(likelihood, here, at, step, converged=close, stuck=lost)
            # Small steps may have a long way to go.
            enough = size / 4.0
        here[:n] += moves[:n]
        if likelihood.sizes:
            here[n:] += _moves(likelihood, here)[n:]
    raise AssertionError("the loop returns")


def _moves(likelihood: Likelihood, here: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        moves: Floats = np.log(likelihood.linear / likelihood.expected(here))
    return moves


def _is_close(likelihood: Likelihood, at: Derivatives, tolerance: float) -> bool:
    direction = _direction(likelihood, at)
    if direction is None:
        return False
    allowed = LOST if _is_rounding(likelihood, at, slice(None)) else tolerance
    return bool(np.abs(direction).max() <= max(allowed, tolerance))


def inverse_information(information: Floats, n: int, *, grounded: bool) -> Floats:
    """Return a covariance of differences of log worths and of tie weights; NaN if there is none."""
    matrix, kept = _determined(information, n, grounded=grounded)
    inverse = np.zeros_like(information)
    solved = solve_definite(matrix, np.eye(len(kept)))
    inverse[np.ix_(kept, kept)] = np.nan if solved is None else solved
    return inverse


def _maximum(
    likelihood: Likelihood,
    here: Floats,
    at: Derivatives,
    step: int,
    *,
    converged: bool = False,
    stuck: bool = False,
) -> Maximum:
    here = here.copy()
    if not likelihood.ridge:
        here[: likelihood.n] -= here[: likelihood.n].mean()
    norm = float(np.abs(at.gradient).max())
    return Maximum(here, at.value, at.information, norm, step, converged, stuck)


# Rounds of added constraints, and how far a direction may be off one of them.
ROUNDS, SLACK = 200, 1e-7
# What the objective of a direction is at least, entries being at most 1.
LEAST = 1e-4
# Denominators that are tried for the entries of a direction.
DENOMINATORS = 840


@dataclass(frozen=True, eq=False)
class Observed:
    """Different choices: from which alternatives, and what."""

    # Shape (k, n). A row per choice.
    alternatives: Bools
    chosen: Bools

    @classmethod
    def of(cls, tables: Iterable[tuple[Bools, Bools]], n: int) -> Observed:
        """Return the different rows of some tables of alternatives and chosen items."""
        parts = [np.zeros((0, 2 * n), dtype=bool)]
        parts += [np.unique(np.hstack(both), axis=0) for both in tables]
        rows = np.unique(np.concatenate(parts), axis=0)
        return cls(rows[:, :n], rows[:, n:])

    @classmethod
    def of_ranks(cls, ranks: Ranks) -> Observed:
        """Return the choices of rankings; places with codes, shape (m, n)."""
        return cls.of(((sets, chosen) for _, sets, chosen in stage_masks(ranks)), ranks.shape[1])

    def with_ghost(self) -> Observed:
        """Add an item that was chosen once against every other one, and once not."""
        k, n = self.alternatives.shape
        none, own = np.zeros((k, 1), dtype=bool), np.eye(n, dtype=bool)
        yes, no = np.ones((n, 1), dtype=bool), np.zeros((n, 1), dtype=bool)
        pairs = np.hstack([own, yes])
        ghost = np.hstack([np.zeros_like(own), yes])
        return Observed(
            np.vstack([np.hstack([self.alternatives, none]), pairs, pairs]),
            np.vstack([np.hstack([self.chosen, none]), np.hstack([own, no]), ghost]),
        )


def endless_direction(
    observed: Observed, sizes: tuple[int, ...], *, worths: bool = True, ties: bool = True
) -> NDArray[np.int64] | None:
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
    for _ in range(ROUNDS):
        cuts = _violated(observed, own, sizes, direction)
        if len(rows) and not len(cuts):
            return _exact(observed, sizes, direction)
        rows = np.unique(np.vstack([rows, cuts, -np.zeros((1, rows.shape[1]))]), axis=0)
        found = linprog(-objective, A_ub=rows, b_ub=np.zeros(len(rows)), bounds=bounds)
        if found.x is None or float(objective @ found.x) <= LEAST:
            return None
        direction = np.asarray(found.x, dtype=np.float64)
    return None


def _features(chosen: Bools, sizes: tuple[int, ...]) -> Floats:
    """Return what log worths and log tie weights are multiplied with in the value of buckets."""
    size = chosen.sum(axis=1)
    tied = size[:, None] == np.array(sizes, dtype=np.int64)
    return np.hstack([chosen / size[:, None], tied.astype(np.float64)])


def _gains(observed: Observed, own: Floats, sizes: tuple[int, ...]) -> Floats:
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


def _best(
    observed: Observed, sizes: tuple[int, ...], worths: Floats | NDArray[np.int64]
) -> Iterator[tuple[int, Bools, Bools]]:
    """Go through the sizes: number, where they are possible, and the best bucket of each set."""
    order = np.argsort(-worths, kind="stable")
    sorted_sets = observed.alternatives[:, order]
    rank = np.cumsum(sorted_sets, axis=1)
    for k, d in enumerate((1, *sizes)):
        best = np.zeros_like(sorted_sets)
        best[:, order] = sorted_sets & (rank <= d)
        yield k, rank[:, -1] >= d, best


def _violated(observed: Observed, own: Floats, sizes: tuple[int, ...], direction: Floats) -> Floats:
    """Return the rows g that a direction breaks, where g times it must not exceed 0."""
    n = observed.alternatives.shape[1]
    cuts = [np.zeros((0, len(direction)))]
    for _, possible, best in _best(observed, sizes, direction[:n]):
        rows = _features(best[possible], sizes) - own[possible]
        cuts.append(rows[rows @ direction > SLACK])
    return np.concatenate(cuts)


def _exact(
    observed: Observed, sizes: tuple[int, ...], direction: Floats
) -> NDArray[np.int64] | None:
    """Return a direction as whole numbers that were checked."""
    for denominator in range(1, DENOMINATORS + 1):
        whole = np.rint(direction * denominator)
        if np.abs(direction * denominator - whole).max() > 1e-5:
            continue
        candidate = whole.astype(np.int64)
        if _is_endless(observed, sizes, candidate):
            return candidate
    return None


def _is_endless(observed: Observed, sizes: tuple[int, ...], whole: NDArray[np.int64]) -> bool:
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
    for _, possible, best in _best(observed, sizes, worths):
        if (values(best[possible]) > chosen[possible]).any():
            return False
    for _, possible, worst in _best(observed, sizes, -worths):
        gains |= bool((values(worst[possible]) < chosen[possible]).any())
    return gains
