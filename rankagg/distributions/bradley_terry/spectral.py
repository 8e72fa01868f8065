"""Rank centrality: worths of Bradley-Terry by the stationary distribution of a walk."""

from __future__ import annotations

import numpy as np

from rankagg._typing import Floats
from rankagg.distributions.maximum import inverse_information


def stationary(rates: Floats) -> Floats:
    """Return times at each state, beside that at the first; rates from row to column.

    All lead to each other. States are taken out one after the other, which adds and multiplies but
    never subtracts.

    Grassmann, Taksar and Heyman (1985), https://doi.org/10.1287/opre.33.5.1107.
    """
    table = rates.copy()
    shares: Floats = np.ones(len(rates))
    for k in range(len(rates) - 1, 0, -1):
        table[:k, k] /= table[k, :k].sum()
        table[:k, :k] += np.outer(table[:k, k], table[k, :k])
    for k in range(1, len(rates)):
        shares[k] = shares[:k] @ table[:k, k]
    return shares


def spectral_worths(shares_won: Floats) -> Floats:
    """Return log worths with sum 0: the walk goes to those that win, as often as they do."""
    logs: Floats = np.log(stationary(shares_won.T))
    logs -= logs.mean()
    return logs


def spectral_covariance(logs: Floats, counts: Floats) -> Floats:
    """Return the covariance of log worths of so many comparisons of each pair.

    A share of wins that is off by e moves (w_i + w_j) e between the two items, and the walk carries
    that on; its variance is w_i w_j/(w_i + w_j)^2/n.
    """
    n, worths = len(logs), np.exp(logs - logs.max())
    met = counts > 0
    product, total = np.outer(worths, worths), worths[:, None] + worths
    carried = inverse_information(_laplacian(np.where(met, product / total, 0.0)), n)
    moved = np.divide(product, counts, out=np.zeros((n, n)), where=met)
    project = np.eye(n) - 1.0 / n
    return project @ carried @ _laplacian(moved) @ carried @ project


def _laplacian(table: Floats) -> Floats:
    return np.asarray(np.diag(table.sum(axis=1)) - table)
