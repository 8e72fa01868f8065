"""Standard errors that hold though contests of a cluster are not independent.

The scores of a cluster are added up, and what they vary between clusters stands between two
inverses of the information (Liang and Zeger 1986). A cluster pulls the estimate towards itself, so
that its own score comes out too small; each is therefore divided by what the cluster leaves to the
others, which is the one-step delete-a-cluster jackknife (Bell and McCaffrey 2002; MacKinnon,
Nielsen and Webb 2023).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg.distributions.bradley_terry.climb import Model, assemble, gradient_of
from rankagg.distributions.bradley_terry.contests import OUTCOMES, Contests, Entries, Terms

__all__ = ["Alone", "cluster_covariance", "effective_clusters", "separate_covariance"]

Positions = NDArray[np.intp]

# Numbers in a table of a batch of clusters.
BATCH = 4_000_000
# What a cluster must leave to the others of any direction, so that they know it at all.
LEFT = 1e-8
TINY = float(np.finfo(np.float64).tiny)
# Curvature by the tie parameter, beside all of it, below which there is none of its own.
FLAT = 1e-12


@dataclass(frozen=True, eq=False)
class Alone(Exception):  # noqa: N818 - it is caught, and told in other words
    """A cluster without which something is not known."""

    cluster: int
    # Shape (p,). What only this cluster knows.
    direction: Floats


@dataclass(frozen=True, eq=False)
class _Parts:
    """Equal contests of a cluster put together, sorted by cluster.

    `factors` with shape (r, e, 2) are such that the information of a part is the sum over r of
    u u', u being factor 0 times x and factor 1 times t; `scores` with shape (r, e) give its score
    as their sum times u.
    """

    kind: Positions
    starts: Positions
    factors: Floats
    scores: Floats


def cluster_covariance(
    model: Model, parameters: Floats, inverse: Floats, entries: Entries, clusters: Positions
) -> Floats:
    """Return the covariance of estimates from what differs between clusters."""
    parts = _parts(model, model.terms(parameters), entries, clusters)
    sizes = np.diff(parts.starts)
    columns, p = len(parts.factors), len(inverse)
    meat = np.zeros_like(inverse)
    # Clusters of about the same size go together.
    steps = np.ceil(np.log2(np.maximum(sizes, 1))).astype(np.int64)
    for step in np.unique(steps):
        width, members = 1 << int(step), np.flatnonzero(steps == step)
        if width * columns > p:
            for cluster in members.tolist():
                score = _large(model, parts, cluster, inverse)
                meat += np.outer(score, score)
            continue
        number = max(BATCH // max((width * columns) ** 2, p), 1)
        for begin in range(0, len(members), number):
            scores = _small(model, parts, members[begin : begin + number], width, inverse)
            meat += scores.T @ scores
    total = len(sizes)
    covariance: Floats = (total - 1) / total * (inverse @ meat @ inverse)
    return (covariance + covariance.T) / 2.0


def _parts(model: Model, terms: Terms, entries: Entries, clusters: Positions) -> _Parts:
    kinds = len(model.contests.first)
    code = (clusters * kinds + entries.kind) * OUTCOMES + entries.outcome
    codes, inverse = np.unique(code, return_inverse=True)
    weights = np.bincount(inverse, entries.weights)
    outcome, kind = codes % OUTCOMES, codes // OUTCOMES % kinds
    cluster = codes // (OUTCOMES * kinds)
    starts = np.searchsorted(cluster, np.arange(int(cluster[-1]) + 2))
    factors, scores = _roots(model, terms, outcome, kind)
    roots = np.sqrt(weights)
    return _Parts(kind, starts, factors * roots[:, None], scores * roots)


def _roots(
    model: Model, terms: Terms, outcome: Positions, kind: Positions
) -> tuple[Floats, Floats]:
    """Return factors of the information of contests of weight 1, and their scores in these."""
    bend, slope = terms.bend[outcome, kind], terms.slope[outcome, kind]
    root = np.sqrt(np.maximum(bend, TINY))
    none = np.zeros_like(root)
    own = slope / root
    if not model.has_tie:
        return np.stack([root, none], axis=1)[None], own[None]
    tie, across = terms.tie_bend[outcome, kind], terms.mixed_bend[outcome, kind] / root
    rest = tie - across**2
    # A win says one thing under Rao and Kupper's model: a second factor would be rounding.
    known = rest > FLAT * tie
    rest = np.sqrt(np.where(known, rest, 1.0))
    other = np.where(known, (terms.tie_slope[outcome, kind] - across * own) / rest, 0.0)
    factors = [
        np.stack([root, across], axis=1),
        np.stack([none, np.where(known, rest, 0.0)], axis=1),
    ]
    return np.stack(factors), np.stack([own, other])


def _small(model: Model, parts: _Parts, members: Positions, width: int, inverse: Floats) -> Floats:
    """Return the adjusted scores of clusters of up to `width` parts, shape (g, p)."""
    contests, n, k = model.contests, model.contests.n_items, model.contests.n_extras
    at = parts.starts[members][:, None] + np.arange(width)
    there = at < parts.starts[members + 1][:, None]
    at = np.where(there, at, 0)
    kind = parts.kind[at]
    factors, scores = parts.factors[:, at] * there[:, :, None], parts.scores[:, at] * there
    shares = _shares(model, inverse, kind, factors)
    weights = _freed(shares, np.concatenate(list(scores), axis=1))
    if weights is None:
        raise _alone(model, parts, members, shares, inverse)
    # What the scores of the clusters are in terms of log odds and of the tie parameter.
    weights = weights.reshape(len(members), len(factors), width).transpose(1, 0, 2)
    odds, tie = ((weights * factors[..., one]).sum(axis=0) for one in (0, 1))
    adjusted = np.zeros((len(members), n + k + model.has_tie))
    cell = np.arange(len(members))[:, None] * n
    ahead, behind = (
        np.bincount((cell + ends[kind]).ravel(), odds.ravel(), len(members) * n)
        for ends in (contests.first, contests.second)
    )
    adjusted[:, :n] = (ahead - behind).reshape(len(members), n)
    if k:
        adjusted[:, n : n + k] = np.einsum("gw,gwk->gk", odds, contests.extras[kind])
    if model.has_tie:
        adjusted[:, -1] = tie.sum(axis=1)
    return adjusted


def _shares(model: Model, inverse: Floats, kind: Positions, factors: Floats) -> Floats:
    """Return how much of what is known the parts of clusters hold: I less what they leave.

    `kind` has shape (g, w), `factors` (r, g, w, 2), the result (g, r w, r w).
    """
    contests, n, k = model.contests, model.contests.n_items, model.contests.n_extras
    first, second, extras = contests.first[kind], contests.second[kind], contests.extras[kind]
    # The inverse times the log odds of each part: its entries for items, extras and tie.
    one, other = (first[:, :, None], second[:, :, None])
    a, b = first[:, None, :], second[:, None, :]
    odds = inverse[one, a] - inverse[one, b] - inverse[other, a] + inverse[other, b]
    if k:
        beside = inverse[:, n : n + k]
        mixed = beside[first] - beside[second]
        cross = np.einsum("gwk,gvk->gwv", mixed, extras)
        odds += cross + cross.transpose(0, 2, 1)
        odds += np.einsum("gwk,kl,gvl->gwv", extras, inverse[n : n + k, n : n + k], extras)
    blocks = []
    tie = None
    if model.has_tie:
        tie = inverse[first, -1] - inverse[second, -1] + extras @ inverse[n : n + k, -1]
    for left in factors:
        row = []
        for right in factors:
            block = odds * left[:, :, None, 0] * right[:, None, :, 0]
            if tie is not None:
                block += (left[..., 0] * tie)[:, :, None] * right[:, None, :, 1]
                block += left[:, :, None, 1] * (right[..., 0] * tie)[:, None, :]
                block += inverse[-1, -1] * left[:, :, None, 1] * right[:, None, :, 1]
            row.append(block)
        blocks.append(np.concatenate(row, axis=2))
    return np.concatenate(blocks, axis=1)


def _freed(shares: Floats, scores: Floats) -> Floats | None:
    """Return scores, shape (g, q), over what is left; None where a cluster leaves nothing."""
    size = shares.shape[1]
    left = np.eye(size) - shares
    # No share is above their sum.
    doubtful = np.trace(shares, axis1=1, axis2=2) > 0.5
    if doubtful.any() and np.linalg.eigvalsh(left[doubtful])[:, 0].min() < LEFT:
        return None
    if size == 1:
        return scores / left[:, 0]
    return np.asarray(np.linalg.solve(left, scores[:, :, None])[:, :, 0], dtype=np.float64)


def _alone(
    model: Model, parts: _Parts, members: Positions, shares: Floats, inverse: Floats
) -> Alone:
    """Return which cluster leaves nothing, and of what."""
    values, _ = np.linalg.eigh(np.eye(shares.shape[1]) - shares)
    return _direction_of(model, parts, int(members[np.argmin(values[:, 0])]), inverse)


def _direction_of(model: Model, parts: _Parts, cluster: int, inverse: Floats) -> Alone:
    information, _ = _sums(model, parts, cluster)
    values, directions = np.linalg.eig(np.eye(len(inverse)) - inverse @ information)
    return Alone(cluster, directions[:, int(np.argmin(values.real))].real)


def _sums(model: Model, parts: _Parts, cluster: int) -> tuple[Floats, Floats]:
    """Return the information and the score of a cluster."""
    own = slice(parts.starts[cluster], parts.starts[cluster + 1])
    kind, contests = parts.kind[own], model.contests
    none = np.zeros((OUTCOMES, 0))
    inside = Contests(
        contests.n_items, contests.first[kind], contests.second[kind], contests.extras[kind],
        contests.units,
        none, none,
    )  # fmt: skip
    ahead, tie = parts.factors[:, own, 0], parts.factors[:, own, 1]
    information = assemble(
        inside, (ahead**2).sum(axis=0), (ahead * tie).sum(axis=0), (tie**2).sum(axis=0),
        has_tie=model.has_tie,
    )  # fmt: skip
    scores = parts.scores[:, own]
    score = gradient_of(
        inside, (ahead * scores).sum(axis=0), (tie * scores).sum(axis=0), has_tie=model.has_tie
    )
    return information, score


def _large(model: Model, parts: _Parts, cluster: int, inverse: Floats) -> Floats:
    """Return the adjusted score of a cluster of many parts, shape (p,)."""
    information, score = _sums(model, parts, cluster)
    shares = information @ inverse
    if np.trace(shares) > 0.5:
        # Its eigenvalues are those of a symmetric matrix that is similar.
        least = float(np.linalg.eigvals(np.eye(len(inverse)) - shares).real.min())
        if least < LEFT:
            raise _direction_of(model, parts, cluster, inverse)
    return np.asarray(np.linalg.solve(np.eye(len(inverse)) - shares, score), dtype=np.float64)


def separate_covariance(model: Model, parameters: Floats, inverse: Floats) -> Floats:
    """Return the covariance of estimates where every contest is a cluster of its own."""
    contests = model.contests
    results, squares = contests.results, contests.squares
    outcome, kind = np.nonzero(results)
    # Contests of a kind and an outcome that weigh differently are taken at their mean weight.
    weight = squares[outcome, kind] / results[outcome, kind]
    number = results[outcome, kind] / weight
    factors, scores = _roots(model, model.terms(parameters), outcome, kind)
    root = np.sqrt(weight)
    factors, scores = factors * root[:, None], scores * root
    shares = _shares(model, inverse, kind[:, None], factors[:, :, None])
    weights = _freed(shares, scores.T)
    if weights is None:
        parts = _Parts(kind, np.arange(len(kind) + 1), factors, scores)
        raise _alone(model, parts, np.arange(len(kind)), shares, inverse)
    odds, tie = ((weights.T * factors[:, :, one]).sum(axis=0) for one in (0, 1))

    def summed(values: Floats) -> Floats:
        return np.asarray(np.bincount(kind, values, len(contests.first)), dtype=np.float64)

    meat = model.assemble(
        summed(number * odds**2), summed(number * odds * tie), summed(number * tie**2)
    )
    total = float(number.sum())
    covariance: Floats = (total - 1.0) / total * (inverse @ meat @ inverse)
    return (covariance + covariance.T) / 2.0


def effective_clusters(
    first: Positions, second: Positions, clusters: Positions, weights: Floats | None, n: int
) -> tuple[Floats, Positions]:
    """Return how many clusters of equal size would say as much, of each item and of all.

    References
    ----------
    Carter, Schnepel and Steigerwald (2017), https://doi.org/10.1162/REST_a_00639.
    """
    both = np.concatenate([clusters * n + first, clusters * n + second])
    twice = None if weights is None else np.concatenate([weights, weights])
    cells, where = np.unique(both, return_inverse=True)
    sums = np.bincount(where, twice)
    item = cells % n
    total = np.append(np.bincount(item, sums, n), 0.0)
    squares = np.append(np.bincount(item, sums**2, n), 0.0)
    sizes = np.bincount(clusters, weights)
    total[n], squares[n] = sizes.sum(), (sizes**2).sum()
    effective: Floats = total**2 / squares
    return effective, np.bincount(item, minlength=n)
