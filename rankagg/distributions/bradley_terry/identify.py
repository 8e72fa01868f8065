"""Whether contests determine the parameters; if not, what is missing is named.

The log likelihood is concave under all models of ties, so it has no maximum exactly where it rises
for ever along some direction (Rockafellar 1970, "Convex analysis", section 27). Along a direction
with log odds e of a contest and tie parameter t, a win of the first side never falls where e >= 0
(Davidson: and e >= 2 t; Rao and Kupper: e >= t), a win of the second where -e is, and a tie where
2 t >= |e| (Rao and Kupper: t >= |e|; half a win for each: e = 0).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

from rankagg._typing import Bools, Floats
from rankagg.core.items import ItemSet, counted, listed
from rankagg.distributions.bradley_terry.climb import Model
from rankagg.distributions.connectivity import components
from rankagg.exceptions import NotIdentifiedError

__all__ = ["check_connected", "check_distinct", "check_endless", "endless_direction"]

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
