"""The steps of rules that average scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import exp, fsum, log

import numpy as np

from rankagg._typing import Floats
from rankagg.aggregation.result import Consensus
from rankagg.core.arithmetic import exact
from rankagg.core.scores import ScoreTable
from rankagg.teaching.opening import Worked, scored
from rankagg.teaching.steps import Cell, Step, number, told
from rankagg.teaching.tables import Formula


def mean_steps(consensus: Consensus) -> Worked:
    """Add up the scores of each system, and divide by how many there are."""
    table = _table_of(consensus)
    values, weights = table.task_scores(signed=True), table.weight_vector
    rows, means = [], []
    for system, row in zip(table.systems, values, strict=True):
        there = [
            (Fraction(x), Fraction(float(w)))
            for x, w in zip(row.tolist(), weights.tolist(), strict=True) if not np.isnan(x)
        ]  # fmt: skip
        total = sum((x * w for x, w in there), Fraction(0))
        over = sum((w for _, w in there), Fraction(0))
        means.append(float(total / over) if over else np.nan)
        shown: tuple[Cell, ...] = (number(total), number(over), number(means[-1]))
        rows.append((str(system), *(shown if over else (0, 0, "none"))))
    step = Step(
        "The sums",
        ("The sum of the scores that are there, each times the weight of its task, over the sum "
         "of these weights.",),
        ("system", "sum", "weights", "mean"),
        tuple(rows),
    )  # fmt: skip
    return _done(table, step, np.array(means))


def median_steps(consensus: Consensus) -> Worked:
    """Order the scores of each system, and go to the middle of the weights."""
    table = _table_of(consensus)
    values, weights = table.task_scores(signed=True), table.weight_vector
    rows, medians = [], []
    for system, row in zip(table.systems, values, strict=True):
        ordered = sorted(
            (x, Fraction(float(w)).limit_denominator(10**9))
            for x, w in zip(row.tolist(), weights.tolist(), strict=True)
            if not np.isnan(x)
        )
        medians.append(_middle(ordered))
        listed = ", ".join(told(x) for x, _ in ordered) or "none"
        middle: Cell = "none" if np.isnan(medians[-1]) else number(medians[-1])
        rows.append((str(system), listed, middle))
    step = Step(
        "The middle",
        ("The scores in order. The median has half of the weight on either side; where two share "
         "the middle, it is their mean.",),
        ("system", "scores", "median"),
        tuple(rows),
    )  # fmt: skip
    return _done(table, step, np.array(medians))


def _middle(ordered: list[tuple[float, Fraction]]) -> float:
    """Return the median of values with weights, in order."""
    if not ordered:
        return np.nan
    half, running, low = sum(w for _, w in ordered) / Fraction(2), Fraction(0), None
    for value, weight in ordered:
        running += weight
        if low is None and running >= half:
            low = value
        if running > half:
            break
    assert low is not None, "the whole is more than its half"
    return (low + value) / 2


def _table_of(consensus: Consensus) -> ScoreTable:
    return consensus._evidence.scores


def _done(table: ScoreTable, step: Step, scores: Floats) -> Worked:
    lower = not all(table.higher_is_better.values())
    text = ["Where lower is better, scores are negated."] if lower else []
    values = table.task_scores(signed=True)
    return shown_scores(table, values, step, scores, order="The higher, the better.", text=text)


def shown_scores(
    table: ScoreTable,
    values: Floats,
    step: Step,
    scores: Floats,
    *,
    order: str,
    text: Sequence[str] = (),
) -> Worked:
    """Return the steps, from the scores of the tasks to the ranking by what was found."""
    rows = [
        (
            str(task),
            *("missing" if np.isnan(x) else number(x) for x in column),
            number(weight),
        )
        for task, column, weight in zip(table.tasks, values.T, table.weight_vector, strict=True)
    ]
    means = ["The score of a task is the mean over its instances."] * table.is_instance_level
    first = Step("The scores", (*means, *text), ("task", *table.systems, "weight"), tuple(rows))
    last = scored("The order", order, table.systems, scores)
    return Worked((first, step, last), scores)


Pairs = Sequence[tuple[float, Fraction]]


def geometric_mean_steps(consensus: Consensus) -> Worked:
    """Multiply the scores of each system, and take the root."""
    return _worked(
        consensus, "The products", "Each score is raised to the weight of its task; the mean is "
        "the root of the product whose degree is the sum of these weights.", _geometric, _product,
    )  # fmt: skip


def harmonic_mean_steps(consensus: Consensus) -> Worked:
    """Add up the inverse scores of each system, and divide the weights by the sum."""
    return _worked(
        consensus, "The sums of inverses", "The mean is the sum of the weights, divided by the sum "
        "of each weight over its score.", _harmonic, _quotient,
    )  # fmt: skip


def _geometric(there: Pairs) -> float:
    return exp(fsum(float(w) * log(x) for x, w in there) / float(sum(w for _, w in there)))


def _product(there: Pairs) -> str:
    whole = sum((w for _, w in there), Fraction(0))
    factors = " * ".join(told(x) if w == 1 else f"{told(x)}^{told(w)}" for x, w in there)
    return factors if whole == 1 else f"({factors})^(1/{told(whole)})"


def _harmonic(there: Pairs) -> float:
    return float(sum(w for _, w in there) / sum(w / Fraction(x) for x, w in there))


def _quotient(there: Pairs) -> str:
    whole = sum((w for _, w in there), Fraction(0))
    return f"{told(whole)}/({' + '.join(f'{told(w)}/{told(x)}' for x, w in there)})"


def _worked(
    consensus: Consensus,
    heading: str,
    sentence: str,
    mean_of: Callable[[Pairs], float],
    text_of: Callable[[Pairs], str],
) -> Worked:
    table = consensus._evidence.scores
    values = table.task_scores()
    weights = [exact.as_fraction(float(weight)) for weight in table.weight_vector]
    rows: list[tuple[Cell, ...]] = []
    means = []
    for system, row in zip(table.systems, values.tolist(), strict=True):
        there = [(x, w) for x, w in zip(row, weights, strict=True) if not np.isnan(x)]
        means.append(mean_of(there) if there else np.nan)
        said = (Formula(text_of(there)), number(means[-1])) if there else ("none", "none")
        rows.append((str(system), *said))
    step = Step(heading, (sentence,), ("system", "calculation", "mean"), tuple(rows))
    lower = not all(table.higher_is_better.values())
    scores = np.array(means) * (-1 if lower else 1)
    order = "Lower is better, so means are negated." if lower else "The higher, the better."
    return shown_scores(table, values, step, scores, order=order)
