"""The log likelihood of contests, and whether it has one maximum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, hstack, vstack

from rankagg._typing import Floats
from rankagg.core import ItemSet
from rankagg.distributions.bradley_terry.contests import Contests, OutcomeModel, Terms, terms_of
from rankagg.distributions.finite_maximum import (
    DIRECTION_SLACK,
    check_connected,
    rises_for_ever,
    whole_directions,
)
from rankagg.distributions.maximum import (
    EPSILON,
    FAR_PARAMETER,
    Derivatives,
    LogLikelihood,
    Maximum,
    newton,
)
from rankagg.exceptions import NotIdentifiedError


@dataclass(frozen=True, eq=False)
class Model(LogLikelihood):
    """Contests and how their ties are modeled: the log likelihood as a function of parameters.

    The parameters are n log worths, then k effects of the extras, then the tie parameter where
    there is one. The log likelihood is concave under all three models of ties.
    """

    contests: Contests
    ties: OutcomeModel
    ridge: float = 0.0

    @property
    def n(self) -> int:
        """The number of items."""
        return self.contests.n_items

    @property
    def has_tie(self) -> bool:
        """Whether there is a tie parameter."""
        return self.ties in ("davidson", "rao-kupper") and self.contests.n_ties > 0

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
            odds = np.log(2.0 * share / (1.0 - share))
            start[-1] = odds if self.ties == "davidson" else 2.0 * np.arctanh(share)
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
        return terms_of(self.ties, self.odds(parameters), self.split(parameters)[2])

    def value(self, parameters: Floats) -> float:
        """Return the log likelihood, less the ridge; minus infinity where ties are out of range."""
        worths, _, tie = self.split(parameters)
        if self.ties == "rao-kupper" and tie is not None and tie <= 0:
            return -np.inf
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


def maximum_of(
    model: Model, items: ItemSet, names: Sequence[str], tol: float, *, is_plain: bool
) -> Maximum:
    """Return the maximum of the likelihood, or raise where there is none."""
    if is_plain:
        check_connected(
            model.contests.beats(),
            items,
            words=("without a comparison", "never lost or tied", "never won or tied"),
            loses="ever lost to a later one or tied with it",
            remedy="Leave such items out, or set `pseudo_rankings=0.5`: half a win and half a "
            "loss more for every item.",
            camps=True,
        )
    _check_distinct(model, names)
    if model.has_tie and not model.contests.results[[0, 2]].any():
        raise NotIdentifiedError(
            "Every comparison is a tie: the likelihood rises for ever with the tie parameter. Use "
            "`ties='half'`."
        )
    peak = newton(model, tol)
    furthest = np.abs(model.odds(peak.parameters)).max(initial=0.0)
    if (
        not peak.converged
        or max(furthest, abs(model.split(peak.parameters)[2] or 0.0)) > FAR_PARAMETER
    ):
        _check_endless(model, items, names)
    return peak


def _check_distinct(model: Model, names: Sequence[str]) -> None:
    """Raise where a column of the extras says nothing beside items and earlier columns."""
    contests, n = model.contests, model.contests.n_items
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
            return (
                "The side has no advantage to show: all comparisons are on neutral ground. Set "
                "`side=False`."
            )
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


def _check_endless(model: Model, items: ItemSet, names: Sequence[str]) -> None:
    """Raise where the likelihood rises for ever; the message says along what."""
    direction = _endless_contests(model)
    if direction is None:
        return
    # A ghost item comes after the items.
    n = model.n
    worths = direction[: len(items)] - np.median(direction[: len(items)])
    labels = [f"the effect of {name!r}" for name in names] + ["the tie parameter"] * model.has_tie

    def beside(sign: int) -> list[str]:
        moves = zip(labels, direction[n:], strict=True)
        return [label for label, value in moves if value * sign > DIRECTION_SLACK]

    remedy = (
        "Leave out the side, the covariates or the items that separate the outcomes, take "
        "`ties='half'`, or collect comparisons that contradict."
    )
    raise rises_for_ever(worths, items, beside, remedy)


def _endless_contests(model: Model) -> Floats | None:
    """Return a direction in which the likelihood rises for ever; None where none was found."""
    rows: Any = _conditions(model)
    objective = np.asarray(rows.sum(axis=0), dtype=np.float64)
    size = float(np.abs(objective).max())
    if not size:
        return None
    bounds = [(-1.0, 1.0)] * rows.shape[1]
    # A constant says nothing, and a ridge holds worths.
    held = model.n if model.ridge else 1
    bounds[:held] = [(0.0, 0.0)] * held
    found = linprog(-objective / size, -rows, np.zeros(rows.shape[0]), bounds=bounds)
    if found.x is None or float((rows @ found.x).max()) < 1e-5:
        return None
    for whole in whole_directions(found.x):
        gains = rows @ whole
        if gains.min() >= -1e-12 and gains.max() > 0:
            return whole
    direction: Floats = found.x
    return direction if (rows @ direction).min() >= -DIRECTION_SLACK else None


def _conditions(model: Model) -> csr_array:
    """Return rows r with r d >= 0 for every direction d along which nothing observed falls."""
    won, tied, lost = model.contests.results > 0
    times = {"davidson": 2.0, "rao-kupper": 1.0}.get(model.ties, 0.0)
    # Sign of the log odds, factor of the tie parameter, and which contests ask for it.
    asked = [(1.0, -times, won), (-1.0, -times, lost), (1.0, times, tied), (-1.0, times, tied)]
    if model.has_tie:
        asked += [(1.0, 0.0, won), (-1.0, 0.0, lost)]
    design, parts = model.contests.design(), []
    for sign, tie, which in asked:
        rows = sign * design[which]
        if model.has_tie:
            rows = hstack([rows, csr_array(np.full((rows.shape[0], 1), tie))])
        parts.append(rows)
    return csr_array(vstack(parts))
