"""Contests: who met whom from which side, what each model of ties says, and the likelihood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

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

# The rows of results: the first side won, a tie, the second side won.
OUTCOMES = 3
Ties: TypeAlias = Literal["half", "davidson", "ignore"]


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

    @classmethod
    def of(cls, odds: Floats, tie: float | None) -> Terms:
        """Return the terms at some log odds, with ties of Davidson's model or half a win each."""
        shape = (3, len(odds))
        if tie is None:
            up, down = expit(odds), expit(-odds)
            won, lost = log_expit(odds), log_expit(-odds)
            values, none = np.stack([won, (won + lost) / 2.0, lost]), np.zeros(shape)
            slopes = np.stack([down, (down - up) / 2.0, -up])
            return cls(values, slopes, none, np.broadcast_to(up * down, shape), none, none)
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
        # An exponential family: the curvature is the same whatever the outcome.
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
    """Contests and how their ties are modeled: the log likelihood as a function of parameters.

    The parameters are n log worths, then k effects of the extras, then the tie parameter where
    there is one. The log likelihood is concave.
    """

    contests: Contests
    ties: Ties
    ridge: float = 0.0

    @property
    def n(self) -> int:
        """The number of items."""
        return self.contests.n_items

    @property
    def has_tie(self) -> bool:
        """Whether there is a tie parameter."""
        return self.ties == "davidson" and self.contests.n_ties > 0

    @property
    def n_parameters(self) -> int:
        """The length of parameters; one less of them is free."""
        return self.contests.n_items + self.contests.n_extras + self.has_tie

    def start(self) -> Floats:
        """Return parameters to begin at: all are equal, ties are as frequent as they were."""
        start = np.zeros(self.n_parameters)
        if self.has_tie:
            share = self.contests.n_ties / float(self.contests.totals.sum())
            share = min(max(share, 1e-12), 1.0 - 1e-9)
            start[-1] = np.log(2.0 * share / (1.0 - share))
        return start

    def split(self, parameters: Floats) -> tuple[Floats, Floats, float | None]:
        """Return log worths, effects, and the tie parameter."""
        n, k = self.contests.n_items, self.contests.n_extras
        tie = float(parameters[-1]) if self.has_tie else None
        return parameters[:n], parameters[n : n + k], tie

    def odds(self, parameters: Floats) -> Floats:
        """Return the log odds of the first side of each kind of contest."""
        worths, effects, _ = self.split(parameters)
        return self.contests.log_odds(worths, effects)

    def terms(self, parameters: Floats) -> Terms:
        """Return what each outcome of each kind of contest says."""
        return Terms.of(self.odds(parameters), self.split(parameters)[2])

    def value(self, parameters: Floats) -> float:
        """Return the log likelihood, less the ridge."""
        worths = parameters[: self.n]
        return self._height(self.terms(parameters)) - self.ridge * float(worths @ worths) / 2.0

    def _height(self, terms: Terms) -> float:
        # Outcomes that did not happen may have a log likelihood of minus infinity.
        results = self.contests.results
        return float(np.sum(results * terms.value, where=results > 0))

    def derivatives(self, parameters: Floats) -> Derivatives:
        """Return value, gradient and information."""
        terms, contests, n = self.terms(parameters), self.contests, self.n
        results, pull = contests.results, self.ridge * parameters[:n]
        with np.errstate(invalid="ignore"):
            sums = [np.sum(results * each, axis=0) for each in terms[1:]]
            gradient = contests.gradient(*sums[:2], has_tie=self.has_tie)
            information = contests.assemble(*sums[2:], has_tie=self.has_tie)
            # The terms whose difference the gradient is, as sums of so many are rounded.
            size, tie = (np.sum(results * np.abs(each), axis=0) for each in terms[1:3])
        noise = np.zeros_like(gradient)
        noise[:n] = np.bincount(contests.first, size, n) + np.bincount(contests.second, size, n)
        noise[:n] += np.abs(pull)
        noise[n : n + contests.n_extras] = np.abs(contests.extras).T @ size
        noise[n + contests.n_extras :] = tie.sum()
        noise *= 4.0 * EPSILON * np.sqrt(len(contests.first) + 16.0)
        gradient[:n] -= pull
        information[np.arange(n), np.arange(n)] += self.ridge
        value = self._height(terms) - float(pull @ parameters[:n]) / 2.0
        return Derivatives(value, gradient, information, noise)

    def maximum(
        self, items: ItemSet, names: Sequence[str], tol: float, *, is_plain: bool
    ) -> Maximum:
        """Return the maximum of the likelihood, or raise where there is none.

        `names` are those of side and covariates.
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
                "Every comparison is a tie: the likelihood rises for ever with the tie parameter. "
                "Use `ties='half'`."
            )
        peak = self.maximize(tol)
        if names or self.has_tie:
            moved = peak.parameters.copy()
            moved[: self.n] -= np.median(moved[: self.n])
            # A ghost item comes after the items.
            labels = [*map(str, items), *["the ghost"] * (self.n - len(items)), *names, "log nu"]
            remedy = (
                "Leave out the side, the covariates or the items that separate the outcomes, take "
                "`ties='half'`, or collect comparisons that contradict."
            )
            peak.check_rises(labels[: len(moved)], moved, remedy)
        return peak

    def _check_distinct(self, names: Sequence[str]) -> None:
        """Raise where a column of the extras says nothing beside items and earlier columns."""
        contests, n = self.contests, self.contests.n_items
        if not contests.n_extras:
            return
        ones = np.ones(len(contests.first))
        table = contests.assemble(ones, ones, ones, has_tie=False)
        # Item 0 is held; what is left of a column after the ones before it are taken out.
        kept = np.arange(1, n).tolist()
        for at, name in enumerate(names):
            column = n + at
            size = float(table[column, column])
            left = size
            if size > 0:
                inside = table[np.ix_(kept, kept)]
                scale = 1.0 / np.sqrt(np.diag(inside))
                solved, *_ = np.linalg.lstsq(
                    scale[:, None] * inside * scale, scale * table[kept, column], rcond=None
                )
                left = size - float((scale * table[kept, column]) @ solved)
            if left <= 1e-10 * size:
                raise NotIdentifiedError(_collinear(name, names[:at], size))
            kept.append(column)


def _collinear(name: str, before: Sequence[str], size: float) -> str:
    if name == "side":
        if not size:
            return "All comparisons are on neutral ground. Set `side=False`."
        return (
            "The advantage of the first side cannot be told from the worths: who has it follows "
            "from who meets. Compare some items from both sides, or set `side=False`."
        )
    if not size:
        return f"Covariate {name!r} is 0 in every comparison. Leave it out."
    others = " and ".join(["the worths", *(f"{other!r}" for other in before)])
    return (
        f"The effect of covariate {name!r} cannot be told from {others}: it follows from them. "
        "Leave it out."
    )
