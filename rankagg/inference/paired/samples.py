"""What is tested: differences of two systems, unit by unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankagg._pandas import table_remedy
from rankagg._typing import Floats, Label
from rankagg.core.scores.table import ScoreTable
from rankagg.exceptions import InvalidInputError
from rankagg.inference.basis import unit_word
from rankagg.inference.intervals.pair_values import PairValues
from rankagg.inference.units import Unit, units_from

__all__ = ["ROUNDING", "PairedSample", "paired_sample"]

# Differences below so much of the largest score are those of rounded floats, and none.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class _ScoreDifferences(PairValues):
    """Scores, higher is better, that tell how far one system is above another."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]

    @property
    def pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Positions of the two systems of each pair."""
        return self.first, self.second

    def values(self) -> Floats:
        """Return the differences themselves; NaN where one of the scores is missing."""
        scores: Floats = self.rows
        result: Floats = scores[:, self.first] - scores[:, self.second]
        return result


@dataclass(frozen=True, eq=False)
class PairedSample:
    """Differences of the two systems of p pairs in u independent units.

    Attributes
    ----------
    pairs : tuple of pairs of labels
        The two systems of each pair.
    differences : ndarray of float, shape (u, p)
        How far the first of a pair is above the second, averaged over the columns of a unit; NaN
        where no column has the scores of both, and 0 where no more than rounding is left.
    weights : ndarray of float, shape (u,)
        The weights of the units.
    unit : {"ranking", "instance", "task"}
        What is independent.
    word : str
        The same for the reader.
    is_binary : bool
        Every unit is one column, and all scores are 0 or 1.
    """

    pairs: tuple[tuple[Label, Label], ...]
    differences: Floats
    weights: Floats
    unit: Unit
    word: str
    is_binary: bool

    @property
    def is_weighted(self) -> bool:
        """True where units differ in weight."""
        return bool(np.ptp(self.weights) > ROUNDING * self.weights.max())


def paired_sample(
    data: object,
    pairs: Sequence[tuple[Label, Label]],
    *,
    unit: Unit,
    instances: Sequence[Label] | None,
) -> PairedSample:
    """Return how far systems are above others in every unit.

    Parameters
    ----------
    data : ScoreTable
        The scores.
    pairs : sequence of pairs of labels
        The two systems of each pair.
    unit : {"ranking", "instance", "task"}
        What is independent; see `paired_test`.
    instances : sequence, optional
        What columns are of one instance, in place of the table's own.

    Returns
    -------
    PairedSample

    Raises
    ------
    InvalidInputError
        If there are no scores, a system is unknown, or the data do not know the unit.
    """
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
    known = data.instances if instances is None else instances
    units = units_from(data.rankings(), source, unit=unit, fixed_tasks=False, instances=known)
    block = units.all_blocks()
    largest = np.nanmax(np.abs(scores), initial=0.0)
    differences = np.where(np.abs(block.values) <= ROUNDING * largest, 0.0, block.values)
    answers = (np.isnan(scores) | (scores == 0.0) | (np.abs(scores) == 1.0)).all()
    single = len(differences) == len(scores)
    return PairedSample(
        pairs=tuple(pairs),
        differences=differences,
        weights=block.weights,
        unit=units.unit,
        word=_word(units.unit, is_task=not data.is_instance_level),
        is_binary=bool(answers) and single,
    )


def _word(unit: Unit, *, is_task: bool) -> str:
    """Return what a unit is: a column is a task, or an instance of one."""
    word = unit_word(unit, is_task=is_task)
    return "instance" if word == "ranking" else word
