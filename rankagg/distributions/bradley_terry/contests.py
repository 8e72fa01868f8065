"""Contests: who met whom from which side, and what each model of ties says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import expit, log_expit, log_ndtr, ndtr

from rankagg._typing import Bools, Floats, Positions
from rankagg.core.comparisons import Comparisons

# The rows of results: the first side won, a tie, the second side won.
OUTCOMES = 3
Ties: TypeAlias = Literal["half", "davidson", "rao-kupper", "ignore"]
TIE_MODELS: tuple[Ties, ...] = get_args(Ties)
Link: TypeAlias = Literal["logit", "probit"]
LINKS: tuple[Link, ...] = get_args(Link)

#: What outcomes have probabilities by: a model of ties, or normal values and half a win for a tie.
OutcomeModel: TypeAlias = Literal["half", "davidson", "rao-kupper", "probit"]


@dataclass(frozen=True, eq=False)
class Contests:
    """Kinds of contests, and how often each ended how."""

    n_items: int
    # Shape (c,). Who met.
    first: Positions
    second: Positions
    # Shape (c, k). What is added to the log odds of the first beside worths: side and covariates,
    # each over its largest value.
    extras: Floats
    # Shape (k,). These largest values.
    units: Floats
    # Shape (3, c). Summed weights of wins of the first, ties, and wins of the second.
    results: Floats
    # Shape (3, c). Summed squared weights.
    squares: Floats

    @property
    def n_extras(self) -> int:
        """The number of side and covariates."""
        return int(self.extras.shape[1])

    @property
    def totals(self) -> Floats:
        """Summed weights of each kind, shape (c,)."""
        totals: Floats = self.results.sum(axis=0)
        return totals

    def with_ghost(self, votes: float) -> Contests:
        """Add an item that wins and loses so many contests against every other one."""
        n, k = self.n_items, self.n_extras
        own = np.outer([votes, 0.0, votes], np.ones(n))
        return Contests(
            n + 1,
            np.append(self.first, np.arange(n)),
            np.append(self.second, np.full(n, n)),
            np.vstack([self.extras, np.zeros((n, k))]),
            self.units,
            np.hstack([self.results, own]),
            np.hstack([self.squares, own]),
        )

    @property
    def n_ties(self) -> float:
        """The summed weight of all ties."""
        return float(self.results[1].sum())

    def beats(self) -> Bools:
        """Return whether row ever won against column or tied with it, shape (n, n)."""
        n = self.n_items
        beats = np.zeros((n, n), dtype=bool)
        won, tied, lost = self.results > 0
        up, down = won | tied, lost | tied
        beats[self.first[up], self.second[up]] = True
        beats[self.second[down], self.first[down]] = True
        return beats

    def log_odds(self, worths: Floats, effects: Floats) -> Floats:
        """Return the log odds of the first side, shape (c,)."""
        odds = worths[self.first] - worths[self.second]
        return odds + self.extras @ effects if self.n_extras else odds

    def design(self) -> csr_array:
        """Return what the log odds of each kind of contest are made of, shape (c, n + k)."""
        n, k, c = self.n_items, self.n_extras, len(self.first)
        columns = [self.first[:, None], self.second[:, None]]
        columns.append(np.broadcast_to(n + np.arange(k), (c, k)))
        values = [np.ones((c, 1)), -np.ones((c, 1)), self.extras]
        return csr_array(
            (np.hstack(values).ravel(), np.hstack(columns).ravel(), np.arange(c + 1) * (2 + k)),
            shape=(c, n + k),
        )

    def gradient(self, odds: Floats, tie: Floats, *, has_tie: bool) -> Floats:
        """Return the sum of x and t with these factors, each of shape (c,).

        x is what the log odds of a kind of contest are made of, t the tie parameter.
        """
        n = self.n_items
        worths = np.bincount(self.first, odds, n) - np.bincount(self.second, odds, n)
        parts = [worths, self.extras.T @ odds, *([np.array([tie.sum()])] if has_tie else [])]
        return np.concatenate(parts)

    def assemble(self, odds: Floats, mixed: Floats, tie: Floats, *, has_tie: bool) -> Floats:
        """Return the sum of x x', x t' + t x' and t t' with these factors, each of shape (c,)."""
        n, k = self.n_items, self.n_extras
        first, second, extras = self.first, self.second, self.extras
        table = np.zeros((n + k + has_tie, n + k + has_tie))
        met = np.bincount(first * n + second, odds, n * n).reshape(n, n)
        met = met + met.T
        table[:n, :n] = -met
        table[np.arange(n), np.arange(n)] += met.sum(axis=1)
        columns = [(n + at, odds * extras[:, at]) for at in range(k)]
        if has_tie:
            columns.append((n + k, mixed))
            table[-1, -1] = tie.sum()
        for column, factors in columns:
            table[:n, column] = np.bincount(first, factors, n) - np.bincount(second, factors, n)
            table[n : n + k, column] = extras.T @ factors
        below = np.tril_indices(len(table), -1)
        table[below] = table.T[below]
        return table


def contests_of(
    comparisons: Comparisons, *, side: bool, covariates: Sequence[str]
) -> tuple[Contests, tuple[Positions, Positions, Floats]]:
    """Put equal contests together; what is returned too gives kind, result and weight of each."""
    first, second = comparisons.first, comparisons.second
    outcome, weights = comparisons.outcomes, comparisons.weights
    columns = [comparisons.covariates[name] for name in covariates]
    sides = comparisons.sides if side else None
    n = len(comparisons.items)
    ended = 1 - outcome.astype(np.intp)
    key = first.astype(np.int64) * n + second
    asked: list[NDArray[Any]] = [*([] if sides is None else [sides]), *columns]
    for column in asked:
        labels, values = pd.factorize(column)
        key = pd.factorize(key, sort=True)[0] * len(values) + labels
    kind, values = pd.factorize(key, sort=True)
    at, size = np.empty(len(values), dtype=np.intp), len(values) * OUTCOMES
    at[kind[::-1]] = np.arange(len(key))[::-1]

    def summed(amounts: Floats | None) -> Floats:
        sums = np.bincount(kind * OUTCOMES + ended, amounts, minlength=size)
        return np.ascontiguousarray(sums.reshape(-1, OUTCOMES).T, dtype=np.float64)

    results = summed(weights)
    squares = results if weights is None else summed(weights**2)
    extras = [] if not side else [np.ones(len(at)) if sides is None else sides[at].astype(float)]
    extras += [column[at] for column in columns]
    table = np.stack(extras, axis=1) if extras else np.zeros((len(at), 0))
    # Effects are then of the size of log odds, whatever the unit of a covariate is.
    units = np.abs(table).max(axis=0, initial=0.0)
    units[units == 0] = 1.0
    table = table / units
    contests = Contests(
        n, first[at].astype(np.intp), second[at].astype(np.intp), table, units, results, squares
    )
    own = np.ones(len(key)) if weights is None else weights
    return contests, (kind, ended, own)


class Terms(NamedTuple):
    """The log likelihood of each outcome of each kind of contest, and its derivatives.

    All arrays have shape (3, c); those of the tie parameter are zeros where there is none.
    """

    # The log likelihood of one contest of weight 1.
    value: Floats
    # Its derivatives by the log odds of the first side, and by the tie parameter.
    slope: Floats
    tie_slope: Floats
    # Minus its second derivatives: by the log odds, by both, by the tie parameter.
    bend: Floats
    mixed_bend: Floats
    tie_bend: Floats


def terms_of(model: OutcomeModel, odds: Floats, tie: float | None) -> Terms:
    """Return the terms at some log odds, or normal quantiles."""
    if model == "probit":
        return _normal_values(odds)
    if tie is None:
        return _half_wins(odds)
    return _davidson(odds, tie) if model == "davidson" else _rao_kupper(odds, tie)


def _half_wins(odds: Floats) -> Terms:
    up, down = expit(odds), expit(-odds)
    won, lost = log_expit(odds), log_expit(-odds)
    none = np.zeros((3, len(odds)))
    bend = np.broadcast_to(up * down, none.shape)
    values = np.stack([won, (won + lost) / 2.0, lost])
    return Terms(values, np.stack([down, (down - up) / 2.0, -up]), none, bend, none, none)


def _normal_values(quantile: Floats) -> Terms:
    won, lost = log_ndtr(quantile), log_ndtr(-quantile)
    density = -(quantile**2) / 2.0 - np.log(2.0 * np.pi) / 2.0
    up, down = np.exp(density - won), np.exp(density - lost)
    bend_up, bend_down = up * (up + quantile), down * (down - quantile)
    none = np.zeros((3, len(quantile)))
    values = np.stack([won, (won + lost) / 2.0, lost])
    slopes = np.stack([up, (up - down) / 2.0, -down])
    bends = np.stack([bend_up, (bend_up + bend_down) / 2.0, bend_down])
    return Terms(values, slopes, none, bends, none, none)


def _davidson(odds: Floats, tie: float) -> Terms:
    half = odds / 2.0
    # Logs of what is nearly 1 must be exact: they may be multiplied with large counts.
    logs = np.stack(
        [
            -np.logaddexp(0.0, np.logaddexp(tie - half, -odds)),
            -np.logaddexp(0.0, np.logaddexp(half - tie, -half - tie)),
            -np.logaddexp(0.0, np.logaddexp(tie + half, odds)),
        ]
    )
    won, tied, lost = np.exp(logs)
    mean = (won - lost) / 2.0
    shape = (3, len(odds))
    # An exponential family: the curvature is the same whatever the outcome.
    return Terms(
        logs,
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


def chances(model: OutcomeModel, odds: Floats, tie: float | None) -> Floats:
    """Return the probabilities that the first wins, of a tie, and that the second wins."""
    if tie is None:
        share = ndtr if model == "probit" else expit
        return np.stack([share(odds), np.zeros(len(odds)), share(-odds)])
    return np.exp(terms_of(model, odds, tie).value)
