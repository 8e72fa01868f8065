"""What is tested: differences of two systems, unit by unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankagg._pandas import table_remedy
from rankagg._typing import Floats, Label
from rankagg.core.arithmetic.exact_sum import are_level, rounding_error, scaled
from rankagg.core.scores import ScoreTable
from rankagg.exceptions import InvalidInputError
from rankagg.inference.basis import unit_word
from rankagg.inference.intervals.pair_values import PairValues
from rankagg.inference.units import Unit, units_from

__all__ = ["PairedSample", "paired_sample"]


@dataclass(frozen=True, eq=False)
class _ScoreDifferences(PairValues):
    """Scores, higher is better, that tell how far one system is above another, or both sizes."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    sign: float = -1.0

    @property
    def pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Positions of the two systems of each pair."""
        return self.first, self.second

    def values(self) -> Floats:
        """Return differences, or sums, themselves; NaN where one of the scores is missing."""
        scores: Floats = self.rows
        result: Floats = scores[:, self.first] + self.sign * scores[:, self.second]
        return result


@dataclass(frozen=True, eq=False)
class PairedSample:
    """Differences of the two systems of p pairs in u independent units."""

    # The two systems of each pair.
    pairs: tuple[tuple[Label, Label], ...]
    # Shape (u, p). How far the first of a pair is above the second, averaged over the columns of
    # a unit, times 2**shift; NaN where no column has the scores of both, and 0 where several have
    # scores whose means are equal up to rounding.
    differences: Floats
    # Shape (u, p). Both scores without their signs, averaged in the same way.
    sizes: Floats
    # Shape (p,). Units whose differences were made 0.
    n_level: NDArray[np.intp]
    # See `rankagg.core.arithmetic.exact_sum.scaled`.
    shift: int
    # Shape (u,). The weights of the units, on any scale.
    weights: Floats
    unit: Unit
    # The same for the reader.
    word: str
    # Every unit is one column, and all scores are 0 or 1.
    is_binary: bool
    # What the reader must know of the units.
    notes: tuple[str, ...]

    @property
    def is_weighted(self) -> bool:
        """True where units differ in weight."""
        return not are_level(self.weights)


def paired_sample(
    data: object,
    pairs: Sequence[tuple[Label, Label]],
    *,
    unit: Unit,
    instances: Sequence[Label] | None,
) -> PairedSample:
    """Return how far systems are above others in every unit."""
    if not isinstance(data, ScoreTable):
        raise InvalidInputError(
            "data", "a ScoreTable, which has the scores of both systems", data,
            table_remedy(data)
            or "Of rankings `PairwiseIntervals` says how often one is above the other.",
        )  # fmt: skip
    first, second = (
        np.array(data.systems.indices(labels), dtype=np.intp) for labels in zip(*pairs, strict=True)
    )
    if (first == second).any():
        raise InvalidInputError(
            "second", "another system than the first", pairs[int(np.argmax(first == second))][1]
        )
    scores = (data.values * data.signs).T
    source = _ScoreDifferences(scores, first, second)
    with np.errstate(over="ignore"):
        too_far = bool(np.isinf(source.values()).any())
    if too_far:
        raise InvalidInputError(
            "data", "scores whose differences are floats", float(np.nanmax(np.abs(scores))),
            "Divide all scores by a common number.",
        )  # fmt: skip
    asked = np.isin(np.arange(data.n_systems), [first, second])
    numbers, shift = scaled(np.where(asked, scores, np.nan))
    known = data.instances if instances is None else instances
    units = units_from(data.rankings(), source, unit=unit, fixed_tasks=False, instances=known)
    # A power of two changes no digit.
    weights = np.ldexp(units.weights, -np.frexp(units.weights.max())[1])
    units = replace(units, source=replace(source, rows=numbers), weights=weights)
    block = units.all_blocks()
    whole = replace(units, source=replace(source, rows=np.abs(numbers), sign=1.0)).all_blocks()
    # One column tells by two scores, which are compared as they are; several tell by means.
    columns = np.ones(len(scores)) if units.clusters is None else np.bincount(units.clusters)
    errors = rounding_error(whole.values, columns[:, None]) * (columns > 1)[:, None]
    level = (block.values != 0.0) & (np.abs(block.values) <= errors)
    answers = (np.isnan(scores) | (scores == 0.0) | (np.abs(scores) == 1.0)).all()
    return PairedSample(
        pairs=tuple(pairs),
        differences=np.where(level, 0.0, block.values),
        sizes=whole.values,
        n_level=level.sum(axis=0),
        shift=shift,
        weights=block.weights,
        unit=units.unit,
        word=_word(units.unit, is_task=not data.is_instance_level),
        is_binary=bool(answers) and bool((columns == 1).all()),
        notes=units.notes,
    )


def _word(unit: Unit, *, is_task: bool) -> str:
    """Return what a unit is: a column is a task, or an instance of one."""
    word = unit_word(unit, is_task=is_task)
    return "instance" if word == "ranking" else word
