"""Log worths of items and reliabilities of judges, estimated together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit, log_expit

from rankagg._typing import Floats, Positions
from rankagg.core import ItemSet, listed
from rankagg.core.comparisons import Comparisons
from rankagg.distributions.maximum import check_connected
from rankagg.exceptions import InvalidInputError, NotIdentifiedError

# Smallest eigenvalue of the information, relative to the largest, that identifies the estimates.
LEAST_CURVATURE = 1e-11
# Newton steps after the optimizer, which stops where changes of the likelihood are rounding errors.
LAST_STEPS = 20


@dataclass(frozen=True, eq=False)
class _Judged:
    """Comparisons, and their likelihood at n log worths and k reliabilities.

    The ridge penalizes squared log worths and squared deviations of reliabilities from 1.
    """

    # Shape (m,). Items and judge of each comparison, its weight, and the part won by the first.
    first: Positions
    second: Positions
    judge: Positions
    weights: Floats
    won: Floats
    n: int
    k: int
    ridge: float

    def by_comparison(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Return the difference of log worths and the reliability in each comparison."""
        worths, reliabilities = parameters[: self.n], parameters[self.n :]
        return worths[self.first] - worths[self.second], reliabilities[self.judge]

    def value_and_slope(self, parameters: Floats) -> tuple[float, Floats]:
        """Return the negative log likelihood with the penalty, and its gradient."""
        gap, factor = self.by_comparison(parameters)
        odds, lost = factor * gap, self.weights - self.won
        excess = self.weights * expit(odds) - self.won
        by_item = np.bincount(self.first, excess * factor, self.n)
        by_item -= np.bincount(self.second, excess * factor, self.n)
        by_judge = np.bincount(self.judge, excess * gap, self.k)
        drawn = parameters - np.repeat([0.0, 1.0], [self.n, self.k])
        value = self.ridge / 2.0 * (drawn @ drawn)
        value -= self.won @ log_expit(odds) + lost @ log_expit(-odds)
        return float(value), np.concatenate([by_item, by_judge]) + self.ridge * drawn

    def curvature(self, parameters: Floats) -> Floats:
        """Return the second derivatives of the value, shape (n + k, n + k)."""
        (gap, factor), n = self.by_comparison(parameters), self.n
        chance = expit(factor * gap)
        bend = self.weights * chance * (1.0 - chance)
        mixed = bend * factor * gap + self.weights * chance - self.won
        ends, judges = np.concatenate([self.first, self.second]), np.tile(self.judge, 2)
        others = np.concatenate([self.second, self.first])
        pairs = csr_array((np.tile(bend * factor**2, 2), (ends, others)), shape=(n, n)).toarray()
        signed = np.concatenate([mixed, -mixed])
        across = csr_array((signed, (ends, judges)), shape=(n, self.k)).toarray()
        own = np.diag(np.bincount(self.judge, bend * gap**2, self.k))
        table = np.block([[np.diag(pairs.sum(axis=1)) - pairs, across], [across.T, own]])
        return table + self.ridge * np.eye(len(table))

    def unidentified(self, parameters: Floats) -> Floats:
        """Return directions along which the likelihood is constant: a shift, and a scale."""
        if self.ridge:
            return np.zeros((0, self.n + self.k))
        shift = np.repeat([1.0, 0.0], [self.n, self.k])
        scale = np.concatenate([parameters[: self.n], -parameters[self.n :]])
        scale[: self.n] -= scale[: self.n].mean()
        return np.stack([shift / np.linalg.norm(shift), scale / np.linalg.norm(scale)])


def fit_judges(
    data: Comparisons, worths: Floats, *, drops_ties: bool, ridge: float, tol: float
) -> dict[str, Any]:
    """Return the fields of a `BradleyTerryFit` with reliabilities, starting from these worths."""
    n_dropped = data.n_ties if drops_ties else 0
    if n_dropped:
        data = data.take(np.flatnonzero(data.outcomes))
    used, judge = np.unique(np.asarray(data.clusters), return_inverse=True)
    judges = ItemSet([data.cluster_labels[code] for code in used.tolist()])
    n, k = data.n_items, len(judges)
    if k < 2 or n < 2:
        remedy = "With one judge, `BradleyTerry.fit(comparisons)` is the same."
        raise InvalidInputError("judges", "two or more judges of two or more items", data, remedy)
    weights = np.ones(len(data)) if data.weights is None else data.weights
    weights = weights / weights.mean()
    won = weights * (1.0 + data.outcomes) / 2.0
    # The ridge is in observations, so that the unit of the weights changes nothing.
    effective = weights.sum() ** 2 / (weights**2).sum()
    scaled = ridge * len(data) / effective
    model = _Judged(data.first, data.second, judge, weights, won, n, k, scaled)
    optimum = minimize(
        model.value_and_slope,
        np.append(worths, np.ones(k)),
        jac=True,
        hess=model.curvature,
        method="trust-exact",
        options={"gtol": min(tol, 1e-8), "maxiter": 500},
    )
    # Reversing all signs changes nothing: the judges of most comparisons get positive ones.
    parameters, n_iterations = optimum.x, optimum.nit
    parameters *= -1.0 if weights @ np.sign(parameters[n:])[judge] < 0 else 1.0
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
    drawn = parameters - np.repeat([0.0, 1.0], [n, k])
    value -= model.ridge / 2.0 * (drawn @ drawn)
    estimates, jacobian = _normalized(parameters, n)
    return {
        "names": (*map(str, data.items), *(f"reliability of {name}" for name in judges)),
        "estimates": estimates,
        "covariance": jacobian @ inverse @ jacobian.T * (len(data) / effective),
        "log_likelihood": -value * effective / len(data),
        "n_parameters": n + k - 2,
        "n_observations": effective,
        "converged": converged,
        "n_iterations": n_iterations,
        "notes": tuple(_notes(data, ridge, judges.where(estimates[n:] < 0), n_dropped)),
        "ties": "ignore" if drops_ties else "half",
        "cov_type": "model",
        "unit": "comparison",
        "n_units": 0,
        "_degrees_of_freedom": np.full(n + k, np.inf),
        "_covariates": (),
        "judges": tuple(judges),
    }


def _inverse(model: _Judged, parameters: Floats, judges: ItemSet) -> Floats:
    """Return the inverse information, without the directions that are not identified."""
    curvature, constant = model.curvature(parameters), model.unidentified(parameters)
    held = curvature + np.trace(curvature) / len(curvature) * constant.T @ constant
    spectrum = np.linalg.eigvalsh(held)
    if spectrum[0] <= LEAST_CURVATURE * spectrum[-1]:
        most = judges[int(np.argmax(np.abs(parameters[model.n :])))]
        raise NotIdentifiedError(
            "The likelihood of worths and reliabilities has no finite maximum, or rounding hides "
            f"it; {most!r} is the most reliable judge. Set `ridge=0.1`, or leave that judge out."
        )
    return np.linalg.inv(held)


def _check_identified(model: _Judged, parameters: Floats, items: ItemSet, judges: ItemSet) -> None:
    """Raise if a reliability or a log worth has no finite maximum."""
    gap, factor = model.by_comparison(parameters)
    if not gap.any():
        raise NotIdentifiedError("All log worths are 0, so reliabilities are not identified.")
    first, lost = model.won > 0, model.won < model.weights
    agrees, contradicts = (
        np.bincount(model.judge, which & (gap != 0), model.k) > 0
        for which in (np.where(gap > 0, first, lost), np.where(gap > 0, lost, first))
    )
    if not (agrees & contradicts).all():
        raise NotIdentifiedError(
            "The reliability of judges who agree with the ranking, or contradict it, in every "
            f"comparison has no finite maximum: {listed(judges.where(~(agrees & contradicts)))}. "
            "Set `ridge=0.1`, leave them out, or collect more of their comparisons."
        )
    up, down = np.where(factor > 0, first, lost), np.where(factor > 0, lost, first)
    beats = np.zeros((model.n, model.n), dtype=bool)
    beats[model.first[up], model.second[up]] = True
    beats[model.second[down], model.first[down]] = True
    check_connected(
        beats,
        items,
        words=("without a comparison", "never lost or tied", "never won or tied"),
        loses="ever lost to a later one or tied with it, by the sign of each judge,",
        remedy="Set `ridge=0.1`, or leave such items out.",
    )


def _normalized(parameters: Floats, n: int) -> tuple[Floats, Floats]:
    """Scale log worths to sum 0 and reliabilities to mean square 1; add the Jacobian.

    A geometric mean would be uncertain with a reliability near 0, and so all log worths.
    """
    worths, factors = parameters[:n] - parameters[:n].mean(), parameters[n:]
    scale = np.sqrt((factors**2).mean())
    jacobian = np.eye(len(parameters))
    jacobian[:n, :n] -= 1.0 / n
    jacobian[:, n:] += np.outer(np.append(worths, -factors), factors / (factors @ factors))
    sizes = np.repeat([scale, 1.0 / scale], [n, len(factors)])
    return np.append(worths, factors) * sizes, jacobian * sizes[:, None]


def _notes(
    data: Comparisons, ridge: float, contrary: tuple[Any, ...], n_dropped: int
) -> Iterator[str]:
    yield "Log worths sum to 0, for a judge of reliability 1."
    yield "Reliabilities multiply log odds; the mean of their squares is 1."
    yield "Errors by the model: comparisons are independent given their judge."
    if ridge:
        yield f"Ridge {ridge:g}: log worths and errors shrink to 0, reliabilities to 1."
    if contrary:
        yield f"Judges who contradict the others (negative reliability): {listed(contrary)}."
    if n_dropped:
        yield f"Ties ({n_dropped}): left out."
    elif data.n_ties:
        yield f"Ties ({data.n_ties}): half a win for each, a quasi-likelihood."
    if data.weights is not None:
        yield "Weighted comparisons: the number of observations is the effective one."
