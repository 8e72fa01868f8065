"""What a contest says under the three models of ties: log likelihood, slope and curvature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from scipy.special import expit, log_expit

from rankagg._typing import Floats

__all__ = ["TIES", "Terms", "Ties", "chances", "starting_tie", "terms_of"]

Ties: TypeAlias = Literal["half", "davidson", "rao-kupper"]
TIES: tuple[Ties, ...] = get_args(Ties)


@dataclass(frozen=True, eq=False)
class Terms:
    """The log likelihood of each outcome of each kind of contest, and its derivatives.

    All arrays have shape (3, c); those of the tie parameter are zeros where there is none.

    Attributes
    ----------
    value : ndarray of float
        The log likelihood of one contest of weight 1.
    slope, tie_slope : ndarray of float
        Its derivatives by the log odds of the first side, and by the tie parameter.
    bend, mixed_bend, tie_bend : ndarray of float
        Minus its second derivatives: by the log odds, by both, by the tie parameter.
    """

    value: Floats
    slope: Floats
    tie_slope: Floats
    bend: Floats
    mixed_bend: Floats
    tie_bend: Floats


def terms_of(model: Ties, odds: Floats, tie: float | None) -> Terms:
    """Return the terms at some log odds.

    Parameters
    ----------
    model : {"half", "davidson", "rao-kupper"}
        The model of ties.
    odds : ndarray of float, shape (c,)
        Log odds of the first side.
    tie : float or None
        The log of Davidson's nu, or of theta of Rao and Kupper (positive); None where no tie is
        modeled: then a tie counts as half a win for each.

    Returns
    -------
    Terms
    """
    if tie is None:
        return _half(odds)
    return _davidson(odds, tie) if model == "davidson" else _rao_kupper(odds, tie)


def _half(odds: Floats) -> Terms:
    up, down = expit(odds), expit(-odds)
    won, lost = log_expit(odds), log_expit(-odds)
    none = np.zeros((3, len(odds)))
    bend = np.broadcast_to(up * down, none.shape)
    return Terms(
        np.stack([won, (won + lost) / 2.0, lost]),
        np.stack([down, (down - up) / 2.0, -up]),
        none, bend, none, none,
    )  # fmt: skip


def _davidson(odds: Floats, tie: float) -> Terms:
    half = odds / 2.0
    total = np.logaddexp(np.logaddexp(half, -half), tie)
    won, tied, lost = np.exp(half - total), np.exp(tie - total), np.exp(-half - total)
    mean = (won - lost) / 2.0
    shape = (3, len(odds))
    # An exponential family: the curvature is the same whatever the outcome.
    return Terms(
        np.stack([half - total, tie - total, -half - total]),
        # 1/2 - (won - lost)/2, without cancellation.
        np.stack([lost + tied / 2.0, -mean, -won - tied / 2.0]),
        np.stack([-tied, won + lost, -tied]),
        np.broadcast_to((won * (lost + tied / 2.0) + lost * (won + tied / 2.0)) / 2.0, shape),
        np.broadcast_to(-mean * tied, shape),
        np.broadcast_to(tied * (won + lost), shape),
    )


def _rao_kupper(odds: Floats, tie: float) -> Terms:
    near, far = odds - tie, odds + tie
    # A tie lies between: expit(far) - expit(near) = expit(far) expit(-near) (1 - exp(-2 tie)).
    up, not_up, down, not_down = expit(near), expit(-near), expit(-far), expit(far)
    steep_near, steep_far = up * not_up, down * not_down
    between = np.log(-np.expm1(-2.0 * tie)) if tie > 0 else -np.inf
    growth = 2.0 / np.expm1(2.0 * tie) if tie > 0 else np.inf
    # The derivative of the growth, less its sign: 4 e^2t/(e^2t - 1)^2.
    fall = growth * (growth + 2.0)
    return Terms(
        np.stack([log_expit(near), log_expit(far) + log_expit(-near) + between, log_expit(-far)]),
        np.stack([not_up, down - up, -not_down]),
        np.stack([-not_up, up + down + growth, -not_down]),
        np.stack([steep_near, steep_near + steep_far, steep_far]),
        np.stack([-steep_near, steep_far - steep_near, steep_far]),
        np.stack([steep_near, steep_near + steep_far + fall, steep_far]),
    )


def chances(model: Ties, odds: Floats, tie: float | None) -> Floats:
    """Return the probabilities that the first wins, of a tie, and that the second wins.

    Parameters
    ----------
    model, odds, tie
        As for `terms_of`.

    Returns
    -------
    ndarray of float, shape (3, c)
        Without a tie parameter there are no ties.
    """
    if tie is None:
        return np.stack([expit(odds), np.zeros(len(odds)), expit(-odds)])
    return np.exp(terms_of(model, odds, tie).value)


def starting_tie(model: Ties, share: float) -> float:
    """Return the tie parameter under which so many contests of equals are ties."""
    share = min(max(share, 1e-12), 1.0 - 1e-9)
    if model == "davidson":
        return float(np.log(2.0 * share / (1.0 - share)))
    return float(2.0 * np.arctanh(share))
