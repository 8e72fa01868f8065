"""What all formats say alike: series of scores, one for each system, task, metric and run."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from rankagg._typing import Label
from rankagg.core import counted, shortened
from rankagg.exceptions import DataFormatError, shown
from rankagg.io.strict_json import Field

# Stands where a score is that of a whole task.
WHOLE_TASK = -1


@dataclass(frozen=True)
class Series:
    """The scores of one system on one task by one metric in one run."""

    system: str
    task: str
    metric: str
    # The run, by what its file calls it.
    run: str
    source: str
    # What tells tasks of one name apart; "" where nothing does.
    dataset: str = ""
    # The direction; None where the file states none.
    higher_is_better: bool | None = None
    # What makes scores of two runs comparable: version, examples shown, samples.
    settings: str = ""
    # The tasks that this one is a summary of.
    group: tuple[str, ...] = ()


class LeftOut(NamedTuple):
    """What was not read."""

    source: str
    # What: "score", "file", "log".
    what: str
    why: str
    number: int


class Scores(NamedTuple):
    """Scores column by column; each is of a series, and of an instance where it is no task's."""

    series: np.ndarray
    instance: np.ndarray
    epoch: np.ndarray
    score: np.ndarray
    content: np.ndarray


class Collector:
    """Takes in what files say, and sees that nothing is said twice or against itself."""

    def __init__(self) -> None:
        self._series: dict[Hashable, int] = {}
        self.all_series: list[Series] = []
        self.instances: dict[Label, int] = {}
        self._left_out: Counter[tuple[str, str, str]] = Counter()
        self._directions: dict[Hashable, Series] = {}
        self._of_series, self._of_instance = array("q"), array("q")
        self._epoch, self._score, self._content = array("q"), array("d"), array("q")
        # Files that have fewer or more samples than are stated.
        self.shortfalls: list[str] = []

    def series(self, series: Series) -> int:
        """Return the number of a series; that of the same run in another file is the same."""
        key = (series.system, series.task, series.dataset, series.metric, series.run)
        number = self._series.setdefault(key, len(self.all_series))
        if number == len(self.all_series):
            self.all_series.append(series)
            self._check_direction(series)
        return number

    def _check_direction(self, series: Series) -> None:
        if series.higher_is_better is None:
            return
        measured = (series.task, series.dataset, series.metric)
        first = self._directions.setdefault(measured, series)
        if first.higher_is_better != series.higher_is_better:
            told = {True: "higher", False: "lower"}
            raise DataFormatError(
                f"{first.source} says that {told[bool(first.higher_is_better)]} is better in "
                f"{shown(series.metric)} of task {shown(series.task)}, and {series.source} that "
                f"{told[series.higher_is_better]} is: mend one of them, or read them apart."
            )

    def add(
        self,
        series: int,
        score: float,
        *,
        instance: Label | None = None,
        epoch: int = 0,
        content: str = "",
    ) -> None:
        """Take in a score; one that is no finite number is counted and left out."""
        if not isfinite(score):
            why = "no value" if score != score else "not a finite number"  # noqa: PLR0124 - NaN
            self.leave_out(self.all_series[series].source, "score", why)
            return
        code = WHOLE_TASK
        if instance is not None:
            code = self.instances.setdefault(instance, len(self.instances))
        self._of_series.append(series)
        self._of_instance.append(code)
        self._epoch.append(epoch)
        self._score.append(score)
        digest = blake2b(content.encode("utf-8", "surrogatepass"), digest_size=7).digest()
        self._content.append(int.from_bytes(digest, "big") + 1 if content else 0)

    def take(self, series: int, field: Field, **about: Any) -> None:
        """Take in a number or a truth value; count what is neither."""
        if isinstance(field.value, bool | int | float):
            self.add(series, field.measured(), **about)
            return
        kinds: dict[type, str] = {list: "a list", dict: "an object", str: "a text"}
        what = kinds.get(type(field.value), "null")
        why = f"{what}, no number, under {shortened(self.all_series[series].metric)}"
        self.leave_out(self.all_series[series].source, "score", why)

    def leave_out(self, source: str, what: str, why: str, number: int = 1) -> None:
        """Count what is not read."""
        self._left_out[source, what, why] += number

    def expect(self, source: str, found: int, stated: int) -> None:
        """Say so where a file has fewer or more samples than are stated."""
        if found != stated:
            self.shortfalls.append(f"{source} has {found} of {counted(stated, 'sample')}")

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """What was not read."""
        return tuple(LeftOut(*key, number) for key, number in self._left_out.items())

    def scores(self) -> Scores:
        """Return the scores; raises where one is there twice."""
        numbers = self._of_series, self._of_instance, self._epoch
        scores = Scores(*map(np.array, (*numbers, self._score, self._content)))
        self._check_once(scores)
        return scores

    def _check_once(self, scores: Scores) -> None:
        order = np.lexsort((scores.epoch, scores.instance, scores.series))
        keys = np.stack([scores.series, scores.instance, scores.epoch])[:, order]
        twice = np.flatnonzero((keys[:, 1:] == keys[:, :-1]).all(axis=0))
        if not len(twice):
            return
        at = int(order[twice[0]])
        series = self.all_series[int(scores.series[at])]
        where = f"system {shown(series.system)}, task {shown(series.task)}"
        if scores.instance[at] != WHOLE_TASK:
            where += f", instance {shown([*self.instances][int(scores.instance[at])])}"
        if scores.epoch[at]:
            where += f", epoch {int(scores.epoch[at])}"
        raise DataFormatError(
            f"{series.source} or a file of the same run has two scores by {shown(series.metric)} "
            f"for {where}; each may occur once. Leave out what was written or copied twice."
        )


def with_distinct_tasks(series: Sequence[Series]) -> tuple[list[Series], list[str]]:
    """Return the series with tasks of one name told apart by their data sets, and the names."""
    datasets: dict[str, set[str]] = {}
    for one in series:
        datasets.setdefault(one.task, set()).add(one.dataset)
    shared = [task for task, names in datasets.items() if len(names - {""}) > 1]
    named = [
        replace(one, task=f"{one.dataset}: {one.task}", dataset="")
        if one.task in set(shared) and one.dataset
        else replace(one, dataset="")
        for one in series
    ]
    return named, shared
