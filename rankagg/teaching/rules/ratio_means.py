"""The steps of the geometric and the harmonic mean of scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import exp, fsum, log

import numpy as np

from rankagg.aggregation.result import Consensus
from rankagg.core.arithmetic import exact
from rankagg.teaching.rules.scores import shown_scores
from rankagg.teaching.step import Cell, Formula, Step, number, told
from rankagg.teaching.worked import Worked

__all__ = ["geometric_mean_steps", "harmonic_mean_steps"]

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
