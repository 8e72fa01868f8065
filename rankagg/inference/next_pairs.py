"""Which items to compare next: what one more comparison is expected to tell of an order."""

from __future__ import annotations

from typing import cast

import numpy as np
import pandas as pd
from scipy.special import ndtr, owens_t

from rankagg._typing import Floats, Integers, Label
from rankagg._validation import check_integer
from rankagg.distributions import BradleyTerryFit
from rankagg.distributions.bradley_terry.contests import chances, terms_of
from rankagg.distributions.plackett_luce.plackett_luce import PlackettLuceFit
from rankagg.distributions.worths_fit import WorthsFit
from rankagg.exceptions import Described, InvalidInputError


def next_pairs(
    fit: WorthsFit,
    n_pairs: int = 1,
    *,
    k: int | None = None,
    pair: tuple[Label, Label] | None = None,
) -> pd.DataFrame:
    """Say which items to compare next, so that most is learned of their order.

    Parameters
    ----------
    fit : BradleyTerryFit or PlackettLuceFit
        What is known. Few comparisons have no finite maximum, or errors, without a ridge:
        `BradleyTerry.fit(comparisons, ridge=0.25, cov_type="model")`.
    n_pairs : int, default 1
        How many comparisons, each chosen as if those before it were made; a pair may repeat.
    k : int, optional
        Learn who is among the first so many; by default the whole order.
    pair : tuple of two labels, optional
        Learn which of these two is above the other.

    Returns
    -------
    pandas.DataFrame
        A row per comparison. first, second: whom to compare; above: the probability that first is
        above second by what is known; gain: by how much the expected number of pairs in the wrong
        order falls; left: what is left of it.

    Raises
    ------
    InvalidInputError
        If the fit has no errors, `k` or `pair` are out of range, or both are given.

    Notes
    -----
    Pairs that count are all, each of the first k with each other item, or the one. A difference of
    log worths is estimated as d with variance v. If its true value is normal about d with variance
    v, an estimate with variance u about it has the wrong sign with probability
    2 T(d/sqrt(u + v), sqrt(u/v)), where T is the function of Owen (1956); the sum over pairs is the
    expected number in the wrong order. At first u = v. A comparison that tells w of log odds, p(1 -
    p) without ties, changes the covariance C of the log worths, which u is of, to
    C - c c' w/(1 + w u), c being the difference of the two columns. Taken is the pair for which the
    falls of all u, times the slopes of the probabilities, sum to most. No side has the advantage.

    References
    ----------
    Owen (1956), "Tables for computing bivariate normal probabilities",
    https://doi.org/10.1214/aoms/1177728074.

    Examples
    --------
    >>> import rankagg as ra
    >>> votes = ra.PairwiseMatrix.from_wins([[0, 6, 9], [5, 0, 9], [1, 2, 0]], items="ABC")
    >>> ra.inference.next_pairs(ra.BradleyTerry.fit(votes), 2, k=1).round(3)
      first second  above   gain   left
    0     A      B  0.692  0.006  0.249
    1     A      B  0.692  0.006  0.243
    """
    if not isinstance(fit, WorthsFit):
        raise InvalidInputError("fit", "a fit of Bradley-Terry or Plackett-Luce", fit)
    times = check_integer(n_pairs, "n_pairs", low=1)
    items, n = fit.distribution.items, fit.distribution.n_items
    worths, covariance = fit.estimates[:n], fit.covariance[:n, :n]
    known = _variances_of_differences(covariance)
    off = ~np.eye(n, dtype=bool)
    if not (np.isfinite(covariance).all() and (known[off] > 0).all()):
        remedy = "`BradleyTerry.fit(..., ridge=0.25, cov_type='model')` has them for any data."
        raise InvalidInputError("fit", "a fit with errors", Described("unknown ones"), remedy)
    distance = worths[:, None] - worths
    above, told = ndtr(distance / np.sqrt(known + ~off)), _information(fit, distance)
    # Pairs that count, the better item first.
    first, second = _wanted(fit, k, pair)
    truth, apart = known[first, second], distance[first, second]
    rows = []
    risk = _wrong(apart, truth, truth).sum()
    for _ in range(times):
        now = _variances_of_differences(covariance)
        slopes = np.zeros((n, n))
        slopes[first, second] = _slope(apart, truth, now[first, second])
        slopes += slopes.T
        pull = covariance @ (np.diag(slopes.sum(axis=1)) - slopes) @ covariance
        gains = told * _variances_of_differences(pull) / (1.0 + told * now)
        gains = np.where(off & (distance >= 0), gains, -1.0)
        i, j = (int(at) for at in np.unravel_index(np.argmax(gains), gains.shape))
        column = covariance[i] - covariance[j]
        share = told[i, j] / (1.0 + told[i, j] * now[i, j])
        covariance = covariance - share * np.outer(column, column)
        before, left = risk, _variances_of_differences(covariance)[first, second]
        risk = _wrong(apart, truth, left).sum()
        rows.append((items[i], items[j], above[i, j], before - risk, risk))
    return pd.DataFrame(rows, columns=["first", "second", "above", "gain", "left"])


def _variances_of_differences(covariance: Floats) -> Floats:
    """Return the variance of row less column, shape (n, n)."""
    own = covariance.diagonal()
    return own[:, None] + own - 2.0 * covariance


def _wanted(
    fit: WorthsFit, k: int | None, pair: tuple[Label, Label] | None
) -> tuple[Integers, Integers]:
    """Return the pairs that count, as positions."""
    n, items = fit.distribution.n_items, fit.distribution.items
    order = np.argsort(-fit.estimates[:n], kind="stable")
    if pair is not None:
        if k is not None:
            raise InvalidInputError("k", "None where a pair is given", k)
        if isinstance(pair, str) or len(pair) != 2 or pair[0] == pair[1]:
            raise InvalidInputError("pair", "two different items", pair)
        return tuple(np.array([items.index(label)]) for label in pair)  # type: ignore[return-value]
    first, second = np.triu_indices(n, k=1)
    if k is not None:
        last = check_integer(k, "k", low=1, high=n - 1)
        across = (first < last) & (second >= last)
        first, second = first[across], second[across]
    return order[first], order[second]


def _information(fit: WorthsFit, odds: Floats) -> Floats:
    """Return what a comparison at these log odds is expected to tell of them."""
    if isinstance(fit, BradleyTerryFit):
        tie = fit.tie
    else:
        tie = cast(PlackettLuceFit, fit).distribution.log_ties.get(2)
    likely, terms = chances(odds.ravel(), tie), terms_of(odds.ravel(), tie)
    told: Floats = (likely * terms.slope**2).sum(axis=0).reshape(odds.shape)
    return told


def _wrong(d: Floats, v: Floats, u: Floats) -> Floats:
    """Return the chance that a true difference and an estimate of it differ in sign."""
    return np.asarray(2.0 * owens_t(d / np.sqrt(u + v), np.sqrt(u / v)))


def _slope(d: Floats, v: Floats, u: Floats) -> Floats:
    """Return the derivative of that by u."""
    h, ratio = np.abs(d) / np.sqrt(u + v), np.sqrt(u / v)
    spread = np.exp(-(d**2) / v / 2.0) / (2.0 * np.pi * ratio)
    shift = h * np.exp(-(h**2) / 2.0) / np.sqrt(2.0 * np.pi) * (ndtr(ratio * h) - 0.5)
    slope: Floats = (spread + shift) / (u + v)
    return slope
