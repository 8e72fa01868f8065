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

Pairs = Sequence[tuple[float, Fraction]]


def mean_steps(consensus: Consensus) -> Worked:
    """Add up the scores of each system, and divide by how many there are."""

    def work(there: Pairs) -> tuple[float, list[Cell]]:
        total = sum((Fraction(x) * w for x, w in there), Fraction(0))
        over = sum((w for _, w in there), Fraction(0))
        return float(total / over), [number(total), number(over)]

    text = "The sum of the scores that are there, each times the weight of its task, over the sum "
    step = ("The sums", f"{text}of these weights.", ("sum", "weights", "mean"), (0, 0))
    return _signed(consensus, step, work)


def median_steps(consensus: Consensus) -> Worked:
    """Order the scores of each system, and go to the middle of the weights."""

    def work(there: Pairs) -> tuple[float, list[Cell]]:
        ordered = sorted((x, w.limit_denominator(10**9)) for x, w in there)
        return _middle(ordered), [", ".join(told(x) for x, _ in ordered)]

    text = "The scores in order. The median has half of the weight on either side; where two share "
    step = ("The middle", f"{text}the middle, it is their mean.", ("scores", "median"), ("none",))
    return _signed(consensus, step, work)


# A heading, a sentence, the columns beside the system, and the cells where no score is there.
Work = tuple[str, str, tuple[str, ...], tuple[Cell, ...]]


def _by_system(
    table: ScoreTable,
    values: Floats,
    weights: Sequence[Fraction],
    step: Work,
    work: Callable[[Pairs], tuple[float, list[Cell]]],
) -> tuple[Step, Floats]:
    """Return a step with a row for each system, and the means that it comes to."""
    (heading, text, columns, empty), rows, means = step, [], []
    for system, row in zip(table.systems, values.tolist(), strict=True):
        there = [(x, w) for x, w in zip(row, weights, strict=True) if not np.isnan(x)]
        mean, cells = work(there) if there else (np.nan, list(empty))
        means.append(mean)
        rows.append((str(system), *cells, number(mean) if there else "none"))
    return Step(heading, (text,), ("system", *columns), tuple(rows)), np.array(means)


def _signed(
    consensus: Consensus, step: Work, work: Callable[[Pairs], tuple[float, list[Cell]]]
) -> Worked:
    table = consensus._evidence.scores
    weights = [Fraction(float(weight)) for weight in table.weight_vector]
    values = table.task_scores(signed=True)
    done, means = _by_system(table, values, weights, step, work)
    lower = not all(table.higher_is_better.values())
    text = ["Where lower is better, scores are negated."] if lower else []
    return shown_scores(table, values, done, means, order="The higher, the better.", text=text)


def _middle(ordered: list[tuple[float, Fraction]]) -> float:
    """Return the median of values with weights, in order."""
    half, running, low = sum(w for _, w in ordered) / Fraction(2), Fraction(0), None
    for value, weight in ordered:
        running += weight
        if low is None and running >= half:
            low = value
        if running > half:
            break
    assert low is not None, "the whole is more than its half"
    return (low + value) / 2


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


def geometric_mean_steps(consensus: Consensus) -> Worked:
    """Multiply the scores of each system, and take the root."""
    text = "Each score is raised to the weight of its task; the mean is the root of the product "
    text += "whose degree is the sum of these weights."
    return _positive(consensus, "The products", text, _geometric, _product)


def harmonic_mean_steps(consensus: Consensus) -> Worked:
    """Add up the inverse scores of each system, and divide the weights by the sum."""
    text = "The mean is the sum of the weights, divided by the sum of each weight over its score."
    return _positive(consensus, "The sums of inverses", text, _harmonic, _quotient)


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


def _positive(
    consensus: Consensus,
    heading: str,
    text: str,
    mean_of: Callable[[Pairs], float],
    text_of: Callable[[Pairs], str],
) -> Worked:
    table = consensus._evidence.scores
    values = table.task_scores()
    weights = [exact.as_fraction(float(weight)) for weight in table.weight_vector]
    done, means = _by_system(
        table,
        values,
        weights,
        (heading, text, ("calculation", "mean"), ("none",)),
        lambda there: (mean_of(there), [Formula(text_of(there))]),
    )
    lower = not all(table.higher_is_better.values())
    order = "Lower is better, so means are negated." if lower else "The higher, the better."
    return shown_scores(table, values, done, -means if lower else means, order=order)
