"""Likelihood of contests between two items, with sides, covariates and a model of ties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import expit, log_expit

from rankagg._typing import Bools, Floats, Positions
from rankagg.core import ItemSet
from rankagg.distributions.maximum import (
    EPSILON,
    Derivatives,
    LogLikelihood,
    Maximum,
    check_connected,
)
from rankagg.exceptions import NotIdentifiedError

# Rows of results: the first side won, a tie, the second side won.
OUTCOMES = 3
# Cells of a design that is small.
MOST_CELLS = 100_000
Ties = Literal["half", "davidson", "ignore"]


@dataclass(frozen=True, eq=False)
class Contests:
    """Kinds of contests (items, side and covariates), and their weights by outcome."""

    n_items: int
    # Shape (c,). Items on the two sides.
    first: Positions
    second: Positions
    # Shape (c, k). Side and covariates, each divided by its largest absolute value.
    extras: Floats
    # Shape (k,). These largest values.
    units: Floats
    # Shape (3, c). Summed weights of wins of the first, ties, and wins of the second.
    results: Floats
    # Shape (3, c). Summed squared weights.
    squares: Floats

    @property
    def n_extras(self) -> int:
        """Number of side and covariates."""
        return int(self.extras.shape[1])

    @property
    def totals(self) -> Floats:
        """Summed weights of each kind, shape (c,)."""
        return np.asarray(self.results.sum(axis=0))

    def with_ghost(self, votes: float) -> Contests:
        """Add an item with this many wins and losses against every other one."""
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
        """Summed weight of all ties."""
        return float(self.results[1].sum())

    def beats(self) -> Bools:
        """Return whether row ever won against column or tied with it, shape (n, n)."""
        beats = np.zeros((self.n_items, self.n_items), dtype=bool)
        won, tied, lost = self.results > 0
        up, down = won | tied, lost | tied
        beats[self.first[up], self.second[up]] = True
        beats[self.second[down], self.first[down]] = True
        return beats

    @cached_property
    def design(self) -> csr_array:
        """Coefficients of worths and extras in the log odds of the first side, (c, n + k)."""
        n, k, c = self.n_items, self.n_extras, len(self.first)
        columns = [self.first[:, None], self.second[:, None]]
        columns.append(np.broadcast_to(n + np.arange(k), (c, k)))
        values = [np.ones((c, 1)), -np.ones((c, 1)), self.extras]
        return csr_array(
            (np.hstack(values).ravel(), np.hstack(columns).ravel(), np.arange(c + 1) * (2 + k)),
            shape=(c, n + k),
        )

    @cached_property
    def factors(self) -> Any:
        """The design for sums over contests: dense if it is small, which is faster."""
        design = self.design
        return design.toarray() if np.prod(design.shape) <= MOST_CELLS else design


def _weighted_sum(design: Any, odds: Floats, tie: Floats, *, has_tie: bool) -> Floats:
    """Return the sum of odds x + tie t over the rows x of a design, t being the tie parameter."""
    return np.append(design.T @ odds, [tie.sum()] * has_tie)


class Terms(NamedTuple):
    """Log likelihood of each outcome of each kind of contest, and its derivatives.

    All arrays have shape (3, c); derivatives by the tie parameter are 0 without one.
    """

    # Log likelihood of one contest of weight 1.
    value: Floats
    # Derivatives by the log odds of the first side, and by the tie parameter.
    slope: Floats
    tie_slope: Floats
    # Minus the second derivatives: by the log odds, by both, by the tie parameter.
    bend: Floats
    mixed_bend: Floats
    tie_bend: Floats

    @classmethod
    def of(cls, odds: Floats, tie: float | None) -> Terms:
        """Return the terms at some log odds; without `tie`, a tie is half a win for each."""
        shape = (3, len(odds))
        if tie is None:
            up, down = expit(odds), expit(-odds)
            won, lost = log_expit(odds), log_expit(-odds)
            values, none = np.stack([won, (won + lost) / 2.0, lost]), np.zeros(shape)
            slopes = np.stack([down, (down - up) / 2.0, -up])
            return cls(values, slopes, none, np.broadcast_to(up * down, shape), none, none)
        half = odds / 2.0
        # Logs of probabilities near 1 must be exact, as they are multiplied with large counts.
        logs = np.stack(
            [
                -np.logaddexp(0.0, np.logaddexp(tie - half, -odds)),
                -np.logaddexp(0.0, np.logaddexp(half - tie, -half - tie)),
                -np.logaddexp(0.0, np.logaddexp(tie + half, odds)),
            ]
        )
        won, tied, lost = np.exp(logs)
        mean = (won - lost) / 2.0
        # In an exponential family the curvature does not depend on the outcome.
        return cls(
            logs,
            # 1/2 - (won - lost)/2, without cancellation.
            np.stack([lost + tied / 2.0, -mean, -won - tied / 2.0]),
            np.stack([-tied, won + lost, -tied]),
            np.broadcast_to((won * (lost + tied / 2.0) + lost * (won + tied / 2.0)) / 2.0, shape),
            np.broadcast_to(-mean * tied, shape),
            np.broadcast_to(tied * (won + lost), shape),
        )


@dataclass(frozen=True, eq=False)
class Model(LogLikelihood):
    """Log likelihood of contests as a concave function of the parameters.

    The parameters are n log worths, k effects of the extras, and the tie parameter, if any.
    """

    contests: Contests
    ties: Ties
    ridge: float = 0.0

    @property
    def n(self) -> int:
        """Number of items."""
        return self.contests.n_items

    @property
    def has_tie(self) -> bool:
        """Whether there is a tie parameter."""
        return self.ties == "davidson" and self.contests.n_ties > 0

    @property
    def n_parameters(self) -> int:
        """Number of parameters; all but one are free."""
        return self.contests.n_items + self.contests.n_extras + self.has_tie

    def start(self) -> Floats:
        """Return equal worths, and the tie parameter of the observed share of ties."""
        start = np.zeros(self.n_parameters)
        if self.has_tie:
            share = self.contests.n_ties / float(self.contests.totals.sum())
            share = min(max(share, 1e-12), 1.0 - 1e-9)
            start[-1] = np.log(2.0 * share / (1.0 - share))
        return start

    def terms(self, parameters: Floats) -> Terms:
        """Return the terms of each outcome of each kind of contest."""
        odds = self.contests.design @ parameters[: self.n + self.contests.n_extras]
        return Terms.of(odds, float(parameters[-1]) if self.has_tie else None)

    def value(self, parameters: Floats) -> float:
        """Return the log likelihood minus the ridge penalty."""
        worths = parameters[: self.n]
        return self._height(self.terms(parameters)) - self.ridge * float(worths @ worths) / 2.0

    def _height(self, terms: Terms) -> float:
        # Outcomes that did not occur may have a log likelihood of minus infinity.
        results = self.contests.results
        return float(np.sum(results * terms.value, where=results > 0))

    def derivatives(self, parameters: Floats) -> Derivatives:
        """Return value, gradient and information."""
        terms, contests, n = self.terms(parameters), self.contests, self.n
        results, pull = contests.results, self.ridge * parameters[:n]
        design, has_tie = contests.factors, self.has_tie
        with np.errstate(invalid="ignore"):
            sums = [np.sum(results * each, axis=0) for each in terms[1:]]
            # The gradient is a difference of terms of this size.
            sizes = (np.sum(results * np.abs(each), axis=0) for each in terms[1:3])
            gradient = _weighted_sum(design, *sums[:2], has_tie=has_tie)
            bend, mixed, tie = sums[2:]
            information = design.T @ (design * bend[:, None])
            if not isinstance(information, np.ndarray):
                information = information.toarray()
            if has_tie:
                across = design.T @ mixed
                information = np.block([[information, across[:, None]], [across, tie.sum()]])
            noise = _weighted_sum(abs(design), *sizes, has_tie=has_tie)
        noise[:n] += np.abs(pull)
        noise *= 4.0 * EPSILON * np.sqrt(len(contests.first) + 16.0)
        gradient[:n] -= pull
        information[np.arange(n), np.arange(n)] += self.ridge
        value = self._height(terms) - float(pull @ parameters[:n]) / 2.0
        return Derivatives(value, gradient, information, noise)

    def maximum(
        self, items: ItemSet, names: Sequence[str], tol: float, *, is_plain: bool
    ) -> Maximum:
        """Return the maximum of the likelihood, or raise if there is none.

        `names` are the names of side and covariates.
        """
        if is_plain:
            check_connected(
                self.contests.beats(),
                items,
                words=("without a comparison", "never lost or tied", "never won or tied"),
                loses="ever lost to a later one or tied with it",
                remedy="Leave such items out, or set `pseudo_rankings=0.5`: half a win and half a "
                "loss more for every item.",
                camps=True,
            )
        self._check_distinct(names)
        if self.has_tie and not self.contests.results[[0, 2]].any():
            raise NotIdentifiedError(
                "Every comparison is a tie, so the tie parameter has no finite maximum. Use "
                "`ties='half'`."
            )
        peak = self.maximize(tol)
        if names or self.has_tie:
            moved = peak.parameters.copy()
            moved[: self.n] -= np.median(moved[: self.n])
            labels = [*map(str, items), *["the ghost"] * (self.n - len(items)), *names, "log nu"]
            remedy = (
                "Leave out the side, the covariates or the items that separate the outcomes, take "
                "`ties='half'`, or collect comparisons that contradict."
            )
            peak.check_rises(labels[: len(moved)], moved, remedy)
        return peak

    def _check_distinct(self, names: Sequence[str]) -> None:
        """Raise if the side or a covariate is a linear combination of items and earlier ones."""
        if not self.contests.n_extras:
            return
        table = (self.contests.design.T @ self.contests.design).toarray()
        sizes = np.sqrt(np.diag(table))
        scale = np.where(sizes > 0, sizes, 1.0)
        table = table / scale / scale[:, None]
        # Each column is regressed on the columns before, without that of item 0.
        for at, name in enumerate(names, start=self.n):
            shared = table[1:at, at]
            solved, *_ = np.linalg.lstsq(table[1:at, 1:at], shared, rcond=None)
            if table[at, at] - shared @ solved <= 1e-10:
                raise NotIdentifiedError(_collinear(name, names[: at - self.n], sizes[at]))


def _collinear(name: str, before: Sequence[str], size: float) -> str:
    if name == "side":
        if not size:
            return "All comparisons are on neutral ground. Set `side=False`."
        return (
            "The advantage of the side is not identified: it is determined by the items that meet. "
            "Compare some items from both sides, or set `side=False`."
        )
    if not size:
        return f"Covariate {name!r} is 0 in every comparison. Leave it out."
    others = " and ".join(["the items", *map(repr, before)])
    return f"Covariate {name!r} is a linear combination of {others}. Leave it out."
