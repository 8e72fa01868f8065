"""Worths and reliabilities of judges, fitted together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit, log_expit

from rankagg._typing import Floats, Label, Positions
from rankagg.core import ItemSet, listed
from rankagg.core.comparisons import Comparisons
from rankagg.distributions.maximum import check_connected
from rankagg.exceptions import InvalidInputError, NotIdentifiedError

# Curvature, beside the largest, below which the data say nothing of a direction.
FLAT = 1e-11
# A reliability, beside the largest, that is none.
NO_RELIABILITY = 1e-7
# Newton's steps after the climb, which ends where differences of the likelihood are rounding.
LAST_STEPS = 20


class _Sums(NamedTuple):
    """Comparisons of the same two items by the same judge, put together; all of shape (c,)."""

    first: Positions
    second: Positions
    judge: Positions
    # Summed weight, and the part of it that the first item won.
    weights: Floats
    won: Floats


@dataclass(frozen=True, eq=False)
class _Judged:
    """The likelihood by n log worths and k reliabilities, which are its parameters.

    The ridge draws worths to 0 and reliabilities to 1.
    """

    sums: _Sums
    n: int
    k: int
    ridge: float

    def value_and_slope(self, parameters: Floats) -> tuple[float, Floats]:
        """Return the negative log likelihood, penalized, and its gradient."""
        sums, worths, reliabilities = self.sums, parameters[: self.n], parameters[self.n :]
        gap = worths[sums.first] - worths[sums.second]
        factor = reliabilities[sums.judge]
        odds = factor * gap
        lost = sums.weights - sums.won
        value = -(sums.won @ log_expit(odds) + lost @ log_expit(-odds))
        excess = sums.weights * expit(odds) - sums.won
        slope = np.bincount(sums.first, excess * factor, self.n)
        slope -= np.bincount(sums.second, excess * factor, self.n)
        by_judge = np.bincount(sums.judge, excess * gap, self.k)
        drawn = np.concatenate([worths, reliabilities - 1.0])
        value += self.ridge / 2.0 * (drawn @ drawn)
        return float(value), np.concatenate([slope, by_judge]) + self.ridge * drawn

    def curvature(self, parameters: Floats) -> Floats:
        """Return the second derivatives of the same, shape (n + k, n + k)."""
        sums, n, k = self.sums, self.n, self.k
        worths, factor = parameters[:n], parameters[n:][sums.judge]
        gap = worths[sums.first] - worths[sums.second]
        chance = expit(factor * gap)
        bend = sums.weights * chance * (1.0 - chance)
        ends = np.concatenate([sums.first, sums.second])
        other = np.concatenate([sums.second, sums.first])
        pairs = csr_array((np.tile(bend * factor**2, 2), (ends, other)), shape=(n, n)).toarray()
        mixed = bend * factor * gap + sums.weights * chance - sums.won
        cells = (ends, np.tile(sums.judge, 2))
        across = csr_array((np.concatenate([mixed, -mixed]), cells), shape=(n, k)).toarray()
        own = np.diag(np.bincount(sums.judge, bend * gap**2, k))
        of_items = np.diag(pairs.sum(axis=1)) - pairs
        table = np.block([[of_items, across], [across.T, own]])
        return np.asarray(table + self.ridge * np.eye(n + k))

    def free(self, parameters: Floats) -> Floats:
        """Return what leaves the likelihood as it is: worths moved together, or all made wider."""
        if self.ridge:
            return np.zeros((0, self.n + self.k))
        moved = np.repeat([1.0, 0.0], [self.n, self.k])
        wider = np.concatenate([parameters[: self.n], -parameters[self.n :]])
        wider[: self.n] -= wider[: self.n].mean()
        return np.stack([moved / np.linalg.norm(moved), wider / np.linalg.norm(wider)])


def fit_judges(
    data: Comparisons, worths: Floats, *, drops_ties: bool, ridge: float, tol: float
) -> dict[str, Any]:
    """Return the fields of a `BradleyTerryFit` with reliabilities; worths are where to begin."""
    n_dropped = data.n_ties if drops_ties else 0
    if n_dropped:
        data = data.take(np.flatnonzero(data.outcomes))
    used, judge = np.unique(np.asarray(data.clusters), return_inverse=True)
    judges = tuple(data.cluster_labels[code] for code in used.tolist())
    if len(judges) < 2 or data.n_items < 2:
        remedy = "With one judge, `BradleyTerry.fit(comparisons)` is the same."
        raise InvalidInputError("judges", "two or more judges of two or more items", data, remedy)
    weights = np.ones(len(data)) if data.weights is None else data.weights
    model = _Judged(_summed(data, judge, weights), data.n_items, len(judges), ridge)
    parameters, n_iterations = _climbed(model, np.append(worths, np.ones(model.k)), tol)
    if not ridge:
        _check_identified(model, parameters, data.items, judges)
    converged = False
    for _ in range(LAST_STEPS):
        inverse = _inverse(model, parameters, judges)
        value, slope = model.value_and_slope(parameters)
        step = inverse @ slope
        converged = bool(np.abs(step).max() <= tol * max(1.0, np.abs(parameters).max()))
        if converged:
            break
        parameters, n_iterations = parameters - step, n_iterations + 1
    drawn = parameters - np.repeat([0.0, 1.0], [model.n, model.k])
    value -= ridge / 2.0 * (drawn @ drawn)
    total, effective = weights.sum(), weights.sum() ** 2 / (weights**2).sum()
    estimates, gauge = _in_gauge(model, parameters)
    covariance = gauge @ inverse @ gauge.T * (total / effective)
    return {
        "names": (*map(str, data.items), *(f"reliability of {name}" for name in judges)),
        "estimates": estimates,
        "covariance": covariance,
        "log_likelihood": -value * effective / total,
        "n_parameters": model.n + model.k - 2,
        "n_observations": effective,
        "converged": converged,
        "n_iterations": n_iterations,
        "notes": tuple(_notes(data, ridge, estimates[model.n :], judges, n_dropped)),
        "ties": "ignore" if drops_ties else "half",
        "_has_side": False,
        "cov_type": "model",
        "unit": "comparison",
        "n_units": 0,
        "_degrees_of_freedom": np.full(model.n + model.k, np.inf),
        "_covariates": (),
        "judges": judges,
    }


def _summed(data: Comparisons, judge: Positions, weights: Floats) -> _Sums:
    """Put together what has the same likelihood."""
    swapped = data.first > data.second
    first, second = np.where(swapped, [data.second, data.first], [data.first, data.second])
    points = (1.0 + np.where(swapped, -data.outcomes, data.outcomes)) / 2.0
    kinds, kind = np.unique(np.stack([first, second, judge]), axis=1, return_inverse=True)
    kind = kind.ravel()
    total, won = (
        np.asarray(np.bincount(kind, each), dtype=np.float64)
        for each in (weights, weights * points)
    )
    return _Sums(kinds[0], kinds[1], kinds[2], total, won)


def _climbed(model: _Judged, start: Floats, tol: float) -> tuple[Floats, int]:
    """Return the maximum that is near the start."""
    mean = model.sums.weights.mean()
    sums = model.sums._replace(weights=model.sums.weights / mean, won=model.sums.won / mean)
    scaled = _Judged(sums, model.n, model.k, model.ridge / mean)
    found = minimize(
        scaled.value_and_slope,
        start,
        jac=True,
        hess=scaled.curvature,
        method="trust-exact",
        options={"gtol": min(tol, 1e-8), "maxiter": 500},
    )
    heard = np.bincount(sums.judge, sums.weights, model.k)
    # Worths and reliabilities of the other sign say the same; most comparisons are to agree.
    sign = -1.0 if heard @ np.sign(found.x[model.n :]) < 0 else 1.0
    return sign * found.x, found.nit


def _inverse(model: _Judged, parameters: Floats, judges: tuple[Label, ...]) -> Floats:
    """Return the inverse information, of what the likelihood determines."""
    curvature, free = model.curvature(parameters), model.free(parameters)
    held = curvature + np.trace(curvature) / len(curvature) * free.T @ free
    spectrum = np.linalg.eigvalsh(held)
    if spectrum[0] <= FLAT * spectrum[-1]:
        most = judges[int(np.argmax(np.abs(parameters[model.n :])))]
        raise NotIdentifiedError(
            "The likelihood of worths and reliabilities has no finite maximum, or rounding hides "
            f"it; {most!r} is the most reliable judge. Set `ridge=0.1`, or leave that judge out."
        )
    return np.asarray(np.linalg.inv(held))


def _check_identified(
    model: _Judged, parameters: Floats, items: ItemSet, judges: tuple[Label, ...]
) -> None:
    """Raise where a reliability or a worth has no finite maximum."""
    sums, n = model.sums, model.n
    gap = parameters[sums.first] - parameters[sums.second]
    if not gap.any():
        raise NotIdentifiedError("All items are level, so nothing is known of the judges.")
    lost = sums.weights - sums.won
    against = np.bincount(sums.judge, np.where(gap > 0, lost, sums.won) * (gap != 0), model.k)
    agreed = np.bincount(sums.judge, np.where(gap > 0, sums.won, lost) * (gap != 0), model.k)
    always = (against == 0) | (agreed == 0)
    if always.any():
        named = listed([name for name, is_so in zip(judges, always, strict=True) if is_so])
        raise NotIdentifiedError(
            "These judges agree with the ranking, or contradict it, in every comparison, so that "
            f"their reliability has no finite maximum: {named}. Set `ridge=0.1`, leave them out, "
            "or collect more of their comparisons."
        )
    factors = parameters[n:]
    none = np.abs(factors) <= NO_RELIABILITY * np.abs(factors).max()
    if none.any():
        named = listed([name for name, is_so in zip(judges, none, strict=True) if is_so])
        raise NotIdentifiedError(
            f"These judges say nothing of the ranking (reliability 0): {named}. Leave them out."
        )
    upright = factors[sums.judge] > 0
    up, down = np.where(upright, sums.won, lost) > 0, np.where(upright, lost, sums.won) > 0
    beats = np.zeros((n, n), dtype=bool)
    beats[sums.first[up], sums.second[up]] = True
    beats[sums.second[down], sums.first[down]] = True
    check_connected(
        beats,
        items,
        words=("without a comparison", "never lost or tied", "never won or tied"),
        loses="ever lost to a later one or tied with it, by the sign of each judge,",
        remedy="Set `ridge=0.1`, or leave such items out.",
    )


def _in_gauge(model: _Judged, parameters: Floats) -> tuple[Floats, Floats]:
    """Scale to worths with sum 0 and reliabilities with geometric mean 1; with the Jacobian.

    Errors hold the mean square of reliabilities: the geometric mean of some near 0 is hardly
    known, which would be an error of all worths together and would say nothing of their order.
    """
    n, k = model.n, model.k
    worths, factors = parameters[:n] - parameters[:n].mean(), parameters[n:]
    scale = np.exp(np.log(np.abs(factors)).mean())
    by_scale = np.concatenate([np.zeros(n), factors / (factors @ factors)])
    jacobian = np.zeros((n + k, n + k))
    jacobian[:n, :n] = np.eye(n) - 1.0 / n
    jacobian[n:, n:] = np.eye(k)
    jacobian += np.outer(np.concatenate([worths, -factors]), by_scale)
    sizes = np.repeat([scale, 1.0 / scale], [n, k])
    return np.concatenate([worths, factors]) * sizes, jacobian * sizes[:, None]


def _notes(
    data: Comparisons,
    ridge: float,
    reliabilities: Floats,
    judges: tuple[Label, ...],
    n_dropped: int,
) -> Iterator[str]:
    yield "Log worths sum to 0; they are those for a judge of reliability 1."
    yield "Reliabilities multiply log odds; the geometric mean of their absolute values is 1."
    yield (
        "Errors by the model: comparisons are taken for independent, given their judge, and the "
        "mean square of reliabilities for known."
    )
    if ridge:
        yield f"Ridge {ridge:g}: worths are drawn to 0 and reliabilities to 1, and so are errors."
    contrary = [
        name for name, value in zip(judges, reliabilities.tolist(), strict=True) if value < 0
    ]
    if contrary:
        yield f"Judges who contradict the others (negative reliability): {listed(contrary)}."
    if n_dropped:
        yield f"Ties ({n_dropped}): left out."
    elif data.n_ties:
        yield f"Ties ({data.n_ties}): half a win for each, a quasi-likelihood."
    if data.weights is not None:
        yield "Weighted comparisons: the number of observations is the effective one."
