"""Battles for tests, and what their models say, written down battle by battle."""

import numpy as np
from scipy.special import expit

import rankagg as ra

MODELS = ["half", "davidson"]


def battles(m, n, seed, *, side=0.4, sides=True, covariate=True, ties=0.8, **arrays):
    """Return m random comparisons of n items with ties, sides and a covariate."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n, m)
    second = (first + rng.integers(1, n, m)) % n
    has_side = rng.choice([-1, 0, 1], m, p=[0.2, 0.2, 0.6]) if sides else np.ones(m, dtype=int)
    x = rng.normal(size=m).round(1)
    worths = np.linspace(0.7, -0.7, n)
    odds = worths[first] - worths[second] + side * has_side + 0.3 * x * covariate
    chances = np.stack([np.exp(odds / 2), np.full(m, ties), np.exp(-odds / 2)])
    chances /= chances.sum(axis=0)
    drawn = rng.random(m)
    outcomes = np.where(drawn < chances[0], 1, np.where(drawn < chances[:2].sum(axis=0), 0, -1))
    return ra.Comparisons(
        [chr(65 + i) for i in range(n)], first, second, outcomes,
        sides=has_side if sides else None, covariates={"x": x} if covariate else None, **arrays,
    )  # fmt: skip


def design(data, side, covariates):
    """Return what the log odds of each battle are made of."""
    rows = np.zeros((len(data), data.n_items))
    rows[np.arange(len(data)), data.first] += 1.0
    rows[np.arange(len(data)), data.second] -= 1.0
    extras = [data.sides if data.sides is not None else np.ones(len(data))] * side
    return np.column_stack([rows, *extras, *(data.covariates[name] for name in covariates)])


def log_probability(ties, odds, tie, outcome):
    """Return the log probability of the outcome of one battle."""
    if ties == "half":
        up, down = np.log(expit(odds)), np.log(expit(-odds))
        return {1: up, 0: (up + down) / 2, -1: down}[outcome]
    first, second, nu = np.exp(odds), 1.0, np.exp(tie)
    weight = {1: first, 0: nu * np.sqrt(first * second), -1: second}
    return np.log(weight[outcome] / sum(weight.values()))


def log_likelihood(data, ties, side, covariates, parameters):
    """Return the log likelihood of parameters: log worths, effects, tie parameter."""
    odds = design(data, side, covariates) @ (parameters[:-1] if ties != "half" else parameters)
    weights = np.ones(len(data)) if data.weights is None else data.weights
    total = 0.0
    for outcome in (1, 0, -1):
        these = data.outcomes == outcome
        total += weights[these] @ log_probability(ties, odds[these], parameters[-1], outcome)
    return total


def derivatives(ties, odds, tie, outcome, step=1e-4):
    """Return slope and curvature of one battle by log odds and tie, by differences."""

    def at(a, b):
        return log_probability(ties, odds + a * step, tie + b * step, outcome)

    slope = np.array([at(1, 0) - at(-1, 0), at(0, 1) - at(0, -1)]) / (2 * step)
    middle = at(0, 0)
    across = (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / 4
    bend = np.array(
        [[at(1, 0) - 2 * middle + at(-1, 0), across], [across, at(0, 1) - 2 * middle + at(0, -1)]]
    )
    return slope, bend / step**2


def jackknife(data, fit, *, ties, side, covariates, clusters):
    """Return the one-step jackknife covariance, battle by battle and cluster by cluster."""
    rows = design(data, side, covariates)
    p = len(fit.estimates)
    k = rows.shape[1]
    tie = fit.estimates[-1] if ties != "half" else 0.0
    weights = np.ones(len(data)) if data.weights is None else data.weights
    parts = {}
    for row, cluster, weight, outcome in zip(rows, clusters, weights, data.outcomes, strict=True):
        slope, bend = derivatives(ties, row @ fit.estimates[:k], tie, int(outcome))
        table = np.zeros((2, p))
        table[0, :k] = row
        if p > k:
            table[1, -1] = 1.0
        score, known = parts.get(cluster, (np.zeros(p), np.zeros((p, p))))
        score = score + weight * slope @ table
        known = known - weight * table.T @ bend @ table
        parts[cluster] = score, known
    inverse = np.linalg.pinv(sum(known for _, known in parts.values()), rcond=1e-10)
    meat = np.zeros((p, p))
    for score, known in parts.values():
        freed = np.linalg.solve(np.eye(p) - known @ inverse, score)
        meat += np.outer(freed, freed)
    number = len(parts)
    return inverse, (number - 1) / number * inverse @ meat @ inverse
