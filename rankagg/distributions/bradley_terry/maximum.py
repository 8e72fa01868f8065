"""Maximum likelihood of contests: whether it exists, and Newton's method to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array

from rankagg._typing import Bools, Floats
from rankagg.core.items import ItemSet, counted, listed
from rankagg.distributions.bradley_terry.contests import (
    Contests,
    Terms,
    Ties,
    starting_tie,
    terms_of,
)
from rankagg.distributions.connectivity import components, solve_definite
from rankagg.exceptions import NotIdentifiedError

EPSILON = float(np.finfo(np.float64).eps)
HALVINGS = 60
# No parameter moves by more in the first step; the bound doubles where it holds back a good step.
REACH = 4.0
# How far from the maximum rounding may leave a parameter.
LOST = 1e-6


@dataclass(frozen=True, eq=False)
class Model:
    """Contests and how their ties are modeled: the log likelihood as a function of parameters.

    The parameters are n log worths, then k effects of the extras, then the tie parameter where
    there is one.
    """

    contests: Contests
    ties: Ties

    @property
    def has_tie(self) -> bool:
        """Whether there is a tie parameter."""
        return self.ties != "half" and self.contests.n_ties > 0

    @property
    def n_parameters(self) -> int:
        """The length of parameters; one less of them is free."""
        return self.contests.n_items + self.contests.n_extras + self.has_tie

    def start(self) -> Floats:
        """Return parameters to begin at: all are equal, ties are as frequent as they were."""
        start = np.zeros(self.n_parameters)
        if self.has_tie:
            share = self.contests.n_ties / float(self.contests.totals.sum())
            start[-1] = starting_tie(self.ties, share)
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
        """Return the log likelihood; minus infinity where the tie parameter is out of range."""
        tie = self.split(parameters)[2]
        if self.ties == "rao-kupper" and tie is not None and tie <= 0:
            return -np.inf
        # Outcomes that did not happen may have a log likelihood of minus infinity.
        values, results = self.terms(parameters).value, self.contests.results
        return float(np.sum(results * values, where=results > 0))

    def assemble(self, odds: Floats, mixed: Floats, tie: Floats) -> Floats:
        """Return `assemble` of all kinds of contests."""
        return assemble(self.contests, odds, mixed, tie, has_tie=self.has_tie)


def gradient_of(contests: Contests, odds: Floats, tie: Floats, *, has_tie: bool) -> Floats:
    """Return the sum of x and t with these factors, each of shape (c,).

    x is what the log odds of a kind of contest are made of, t the tie parameter.
    """
    first, second, n = contests.first, contests.second, contests.n_items
    worths = np.bincount(first, odds, n) - np.bincount(second, odds, n)
    parts = [worths, contests.extras.T @ odds, *([np.array([tie.sum()])] if has_tie else [])]
    return np.concatenate(parts)


def assemble(
    contests: Contests, odds: Floats, mixed: Floats, tie: Floats, *, has_tie: bool
) -> Floats:
    """Return the sum of x x', x t' + t x' and t t' with these factors, each of shape (c,)."""
    n, k = contests.n_items, contests.n_extras
    first, second, extras = contests.first, contests.second, contests.extras
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


@dataclass(frozen=True, eq=False)
class Peak:
    """Where a climb ended."""

    # Shape (p,). Log worths with sum 0, effects, tie parameter.
    parameters: Floats
    # The log likelihood there.
    value: float
    # Shape (p, p). Minus the second derivatives there.
    information: Floats
    n_iterations: int
    # True where no parameter would move by more than the tolerance, or than rounding leaves open.
    converged: bool
    # The largest log odds of any contest there, in absolute value.
    furthest: float


def climb(model: Model, *, steps: int, tolerance: float, start: Floats | None = None) -> Peak:
    """Climb by Newton steps, halved until the likelihood rises.

    The log likelihood is concave under all three models of ties. Whether it has a maximum is not
    asked here.
    """
    n, results = model.contests.n_items, model.contests.results
    here, reach = model.start() if start is None else start.copy(), REACH
    value = model.value(here)
    for step in range(steps + 1):
        terms = model.terms(here)
        with np.errstate(invalid="ignore"):
            gradient = gradient_of(
                model.contests,
                np.sum(results * terms.slope, axis=0),
                np.sum(results * terms.tie_slope, axis=0),
                has_tie=model.has_tie,
            )
            information = model.assemble(
                *(
                    np.sum(results * bend, axis=0)
                    for bend in (terms.bend, terms.mixed_bend, terms.tie_bend)
                )
            )
        at = _At(value, information, step, float(np.abs(model.odds(here)).max(initial=0.0)))
        direction = _direction(gradient, information, n)
        if direction is None:
            return _ended(here, n, at, converged=False)
        size = float(np.abs(direction).max())
        if size <= tolerance:
            return _ended(here, n, at, converged=True)
        if step == steps:
            return _ended(here, n, at, converged=False)
        if size > reach:
            direction *= reach / size
        part, risen = _part(model, here, direction, value, float(direction @ gradient))
        if part == 0.0:
            return _ended(here, n, at, converged=size <= LOST)
        here, value = here + part * direction, risen
        reach = max(reach * (2.0 if part == 1.0 and size > reach else part), REACH)
    raise AssertionError("the loop returns")


@dataclass(frozen=True, eq=False)
class _At:
    value: float
    information: Floats
    step: int
    furthest: float


def _ended(here: Floats, n: int, at: _At, *, converged: bool) -> Peak:
    centered = here.copy()
    centered[:n] -= centered[:n].mean()
    return Peak(centered, at.value, at.information, at.step, converged, at.furthest)


def _part(
    model: Model, here: Floats, direction: Floats, value: float, slope: float
) -> tuple[float, float]:
    """Return the part of a step with which the likelihood rises by enough, and its value there."""
    # Sums of this size are rounded by about so much.
    slack = 16.0 * EPSILON * abs(value)
    for halving in range(HALVINGS):
        part = 0.5**halving
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            reached = model.value(here + part * direction)
        if np.isfinite(reached) and reached >= value + 1e-4 * part * slope - slack:
            return part, reached
    return 0.0, value


def _direction(gradient: Floats, information: Floats, n: int) -> Floats | None:
    """Return the step to the maximum of the parabola; none where it has none to rounding."""
    moving = _moving(information, n)
    solved = solve_definite(information[np.ix_(moving, moving)], gradient[moving])
    if solved is None:
        return None
    direction = np.zeros(len(gradient))
    direction[moving] = solved
    direction[:n] -= direction[:n].mean()
    return direction if np.isfinite(direction).all() else None


def inverse(information: Floats, n: int) -> Floats:
    """Return the covariance of log worths less their mean, of effects and of the tie parameter."""
    moving = _moving(information, n)
    solved = solve_definite(information[np.ix_(moving, moving)], np.eye(len(moving)))
    covariance = np.zeros_like(information)
    covariance[np.ix_(moving, moving)] = np.nan if solved is None else solved
    covariance[:n] -= covariance[:n].mean(axis=0)
    covariance[:, :n] -= covariance[:, :n].mean(axis=1)[:, None]
    return (covariance + covariance.T) / 2.0


def _moving(information: Floats, n: int) -> NDArray[np.intp]:
    """Return all parameters but the log worth of which most is known: only differences matter."""
    held = int(np.argmax(np.diag(information)[:n]))
    return np.delete(np.arange(len(information)), held)


# What is left of a column beside the others, below which nothing is.
COLLINEAR = 1e-10
# Rows of constraints that are added at a time, and rounds of that.
BATCH, ROUNDS = 20_000, 100
# How far a direction of entries up to 1 may break a constraint, and what it must gain on one.
SLACK, GAIN = 1e-7, 1e-5
# Denominators that are tried for a direction of integers.
DENOMINATORS = 60

REMEDY = (
    "Leave such items out, or fit `ra.BradleyTerry.fit(comparisons.pairwise(), "
    "pseudo_rankings=0.5)`, which has no side and no covariates."
)


def check_connected(beats: Bools, items: ItemSet) -> None:
    """Raise where some group of items never lost to the others, and never tied with them.

    Worths then grow apart under all models of ties, whatever the side and covariates are (Ford
    1957).
    """
    parts = components(beats)
    if len(parts) <= 1:
        return
    met = beats | beats.T
    lonely = ~met.any(axis=1)
    facts = {
        "without a comparison": lonely,
        "never lost or tied": ~lonely & ~beats.any(axis=0),
        "never won or tied": ~lonely & ~beats.any(axis=1),
    }
    camps = components(met)
    told = [f"{what}: {listed(items.where(who))}" for what, who in facts.items() if who.any()]
    if sum(len(camp) > 1 for camp in camps) > 1:
        named = " | ".join(listed([items[i] for i in camp]) for camp in camps[:4] if len(camp) > 1)
        told.append(f"camps that never met: {named}")
    groups = " | ".join(listed([items[i] for i in part]) for part in parts[:8])
    more = f" | ... {counted(len(parts), 'group')} in all" if len(parts) > 8 else ""
    raise NotIdentifiedError(
        f"The worths have no finite maximum: no group here ever lost to a later one or tied with "
        f"it ({groups}{more}). {'; '.join([*told, ''])[:-2] + '. ' if told else ''}{REMEDY}"
    )


def check_distinct(model: Model, names: Sequence[str]) -> None:
    """Raise where a column of the extras says nothing beside items and earlier columns."""
    contests, n = model.contests, model.contests.n_items
    if not contests.n_extras:
        return
    plain = Model(contests, "half")
    ones = np.ones(len(contests.first))
    table = plain.assemble(ones, ones, ones)
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
        if left <= COLLINEAR * size:
            raise NotIdentifiedError(_same(name, names[:at], size))
        kept.append(column)


def _same(name: str, before: Sequence[str], size: float) -> str:
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


def check_endless(model: Model, items: ItemSet, names: Sequence[str]) -> None:
    """Raise where the likelihood rises for ever; the message says along what."""
    direction = endless_direction(model)
    if direction is None:
        return
    n = len(items)
    worths = direction[:n] - np.median(direction[:n])
    labels = [f"the effect of {name!r}" for name in names] + ["the tie parameter"] * model.has_tie
    told = []
    for sign, verb in ((1.0, "grow"), (-1.0, "fall")):
        moving = items.where(worths * sign > SLACK)
        parts = [f"the worths of {listed(moving)}"] if moving else []
        parts += [
            label
            for label, value in zip(labels, direction[n:], strict=True)
            if value * sign > SLACK
        ]
        if parts:
            told.append(f"{' and '.join(parts)} {verb}")
    raise NotIdentifiedError(
        f"The likelihood has no finite maximum: it rises for ever as {' and '.join(told)}. "
        "Leave out the side, the covariates or the items that separate the outcomes, take "
        "`ties='half'`, or collect comparisons that contradict."
    )


def endless_direction(model: Model) -> Floats | None:
    """Return a direction in which the likelihood rises for ever; None where none was found."""
    rows = _conditions(model)
    objective: Floats = np.asarray(rows.sum(axis=0), dtype=np.float64)
    size = float(np.abs(objective).max())
    if not size:
        return None
    objective /= size
    free = rows.shape[1]
    bounds = [(-1.0, 1.0)] * free
    bounds[0] = (0.0, 0.0)  # a constant says nothing
    used = np.zeros(rows.shape[0], dtype=bool)
    used[:: max(rows.shape[0] // BATCH, 1)] = True
    for _ in range(ROUNDS):
        inside = rows[used]
        table: Any = -inside  # sparse, which the stubs do not know
        found = linprog(-objective, table, np.zeros(inside.shape[0]), bounds=bounds)
        if found.x is None:
            return None
        direction = np.asarray(found.x, dtype=np.float64)
        gains = rows @ direction
        broken = gains < -SLACK
        if not (broken & ~used).any():
            return _checked(rows, direction)
        order = np.argsort(np.where(used, 0.0, gains), kind="stable")[:BATCH]
        used[order[gains[order] < -SLACK]] = True
    return None


def _checked(rows: csr_array, direction: Floats) -> Floats | None:
    """Return the direction, in small integers where it is such; None where it does not hold."""
    if float((rows @ direction).max()) < GAIN:
        return None
    for denominator in range(1, DENOMINATORS + 1):
        whole = np.rint(direction * denominator)
        if np.abs(direction * denominator - whole).max() > 1e-5:
            continue
        gains = rows @ whole
        if gains.min() >= -1e-12 and gains.max() > 0:
            return whole
    gains = rows @ direction
    return direction if gains.min() >= -SLACK else None


def _conditions(model: Model) -> csr_array:
    """Return rows r with r d >= 0 for every direction d along which nothing observed falls."""
    contests, n, k = model.contests, model.contests.n_items, model.contests.n_extras
    happened = contests.results > 0
    extras = contests.extras
    times = {"davidson": 2.0, "rao-kupper": 1.0, "half": 0.0}[model.ties]
    # Sign of the log odds, factor of the tie parameter, and which contests ask for it.
    asked = [
        (1.0, -times, happened[0]), (-1.0, -times, happened[2]),
        (1.0, times, happened[1]), (-1.0, times, happened[1]),
    ]  # fmt: skip
    if model.has_tie:
        asked += [(1.0, 0.0, happened[0]), (-1.0, 0.0, happened[2])]
    parts = []
    for sign, tie, which in asked:
        at = np.flatnonzero(which)
        number = len(at)
        columns = [contests.first[at], contests.second[at]]
        values = [np.full(number, sign), np.full(number, -sign)]
        for column in range(k):
            columns.append(np.full(number, n + column))
            values.append(sign * extras[at, column])
        if model.has_tie:
            columns.append(np.full(number, n + k))
            values.append(np.full(number, tie))
        width = len(columns)
        parts.append((np.stack(values, axis=1), np.stack(columns, axis=1), width))
    data = np.concatenate([values for values, _, _ in parts])
    where = np.concatenate([columns for _, columns, _ in parts])
    width = where.shape[1]
    return csr_array(
        (data.ravel(), where.ravel(), np.arange(len(data) + 1) * width),
        shape=(len(data), model.n_parameters),
    )
