"""Evaluations: series of scores of systems on tasks and instances, by metric and run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from rankagg._typing import Label
from rankagg.core import ScoreTable, Value, array_key, counted, frozen_array, listed, shortened
from rankagg.exceptions import visible
from rankagg.io.evaluations.collected import (
    WHOLE_TASK,
    Collector,
    LeftOut,
    Scores,
    Series,
    with_distinct_tasks,
)
from rankagg.io.evaluations.selection import Selection, selected

if TYPE_CHECKING:
    import pandas as pd

By = Literal["task", "instance"]
Runs = Literal["mean", "first", "last", "each"]

# Reasons that are told by name.
REASONS = 8


class Evaluations(Value):
    """Scores of systems on tasks and on their instances, by one metric or several, in some runs.

    Made by `read_evaluations`. Nothing is averaged or chosen in it; `table` does that, and asks
    where there is a choice.

    Attributes
    ----------
    formats : tuple of (str, int)
        The formats, and how many files of each were read.
    left_out : tuple of LeftOut
        What was not read: its file, what it is, why, and how often.
    shortfalls : tuple of str
        Files that hold fewer or more samples than are stated, and how many.

    Examples
    --------
    Two runs of one model, which are averaged only when it is said:

    >>> import json
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import rankagg as ra
    >>> def log(model, run, accuracy):
    ...     scores = [{"name": "match", "scorer": "match",
    ...                "metrics": {"accuracy": {"name": "accuracy", "value": accuracy}}}]
    ...     return {"version": 2, "status": "success",
    ...             "eval": {"eval_id": run, "task": "arc", "model": model},
    ...             "results": {"scores": scores}}
    >>> with TemporaryDirectory() as folder:
    ...     for log_ in [log("A", "1", 0.5), log("A", "2", 0.75), log("B", "3", 0.25)]:
    ...         path = Path(folder, log_["eval"]["eval_id"] + ".json")
    ...         _ = path.write_text(json.dumps(log_))
    ...     evaluations = ra.read_evaluations(folder)
    >>> print(evaluations)
    Evaluations of 2 systems on 1 task: 3 scores
    read: 3 files of Inspect (logs)
    task        metric  better scores of  systems  runs  scores
     arc match/accuracy higher     tasks        2     3       3
    >>> chosen = evaluations.select(runs="mean")
    >>> chosen.table.to_frame()
         arc
    A  0.625
    B  0.250
    >>> chosen.notes[-1]
    'runs: the mean of 2 runs of A on arc'
    """

    formats: tuple[tuple[str, int], ...]
    left_out: tuple[LeftOut, ...]
    shortfalls: tuple[str, ...]
    _series: tuple[Series, ...]
    _instances: tuple[Label, ...]
    _scores: Scores
    _shared: tuple[str, ...]

    def __init__(self, collector: Collector, formats: Mapping[str, int]) -> None:
        named, shared = with_distinct_tasks(collector.all_series)
        self._set(
            formats=tuple(formats.items()),
            left_out=collector.left_out,
            shortfalls=tuple(collector.shortfalls),
            _series=tuple(named),
            _instances=tuple(collector.instances),
            _scores=Scores(*map(frozen_array, collector.scores())),
            _shared=tuple(shared),
        )

    def _key(self) -> tuple[Hashable, ...]:
        columns = tuple(array_key(column) for column in self._scores)
        return self.formats, self.left_out, self.shortfalls, self._series, self._instances, columns

    # -- what there is ------------------------------------------------------------------------

    @property
    def n_scores(self) -> int:
        """The number of scores, of tasks and of instances."""
        return len(self._scores.score)

    @cached_property
    def _used(self) -> list[Series]:
        used = np.unique(self._scores.series).tolist()
        return [self._series[number] for number in used]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, in the order in which they were read."""
        return tuple(dict.fromkeys(series.system for series in self._used))

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks, in the order in which they were read."""
        return tuple(dict.fromkeys(series.task for series in self._used))

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics of all tasks."""
        return tuple(dict.fromkeys(series.metric for series in self._used))

    @property
    def notes(self) -> tuple[str, ...]:
        """What was read and what was left out, a line each."""
        read = ", ".join(f"{counted(number, 'file')} of {name}" for name, number in self.formats)
        lines = [f"read: {read}"] if read else []
        if self._shared:
            lines.append(
                f"tasks: {listed(self._shared)} stand for several data sets, whose names are put "
                "in front"
            )
        if self.shortfalls:
            more = f" and {len(self.shortfalls) - 1} more" if len(self.shortfalls) > 1 else ""
            lines.append(f"incomplete: {self.shortfalls[0]} that are stated{more}")
        reasons: Counter[tuple[str, str]] = Counter()
        for one in self.left_out:
            reasons[one.what, one.why] += one.number
        told = reasons.most_common(REASONS)
        lines += [f"left out: {counted(n, what)} ({why})" for (what, why), n in told]
        if len(reasons) > REASONS:
            lines.append(f"left out: more, for {counted(len(reasons) - REASONS, 'other reason')}")
        return tuple(lines)

    # -- tables -------------------------------------------------------------------------------

    def table(
        self,
        *,
        metric: str | Iterable[str] | Mapping[str, str] | None = None,
        by: By | None = None,
        runs: Runs | None = None,
        groups: bool = False,
        higher_is_better: bool | Mapping[str, bool] | None = None,
    ) -> ScoreTable:
        """Return the scores as a table; `select` returns it with notes on what was done.

        Parameters
        ----------
        metric : str, iterable of str or mapping from task to str, optional
            The metric of every task: of several names the first one that a task has; tasks that
            have none are left out. Needed where a task has several.
        by : {"task", "instance"}, optional
            Scores of whole tasks as the files state them, or of their instances. By default of
            instances where all scores of tasks have them, else of tasks.
        runs : {"mean", "first", "last", "each"}, optional
            What becomes of several scores of one system on one task or instance: their mean, the
            one that was read first or last (in the order of files, then of epochs), or each run
            is a system of its own. Needed where there are several.
        groups : bool, default False
            Of a group of tasks of lm-evaluation-harness, take its own score, and not those of its
            tasks.
        higher_is_better : bool or mapping from metric to bool, optional
            The direction of metrics for which the files state none.

        Returns
        -------
        ScoreTable

        Raises
        ------
        InvalidInputError
            If there is a choice that nothing decides, which the message lists, or if instances of
            one name are different questions.
        """
        return self.select(
            metric=metric, by=by, runs=runs, groups=groups, higher_is_better=higher_is_better
        ).table

    def select(
        self,
        *,
        metric: str | Iterable[str] | Mapping[str, str] | None = None,
        by: By | None = None,
        runs: Runs | None = None,
        groups: bool = False,
        higher_is_better: bool | Mapping[str, bool] | None = None,
    ) -> Selection:
        """Return the table of `table`, and what was done to make it.

        Parameters
        ----------
        metric, by, runs, groups, higher_is_better
            As in `table`.

        Returns
        -------
        Selection
            With the attributes `table` and `notes`.
        """
        return selected(
            self._series,
            self._instances,
            self._scores,
            self.notes,
            metric=metric,
            by=by,
            runs=runs,
            groups=groups,
            higher_is_better=higher_is_better,
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per score.

        Returns
        -------
        pandas.DataFrame
            Columns system, task, metric, instance (missing where the score is that of a whole
            task), epoch, score, higher_is_better (missing where the file states nothing), run and
            source.
        """
        import pandas as pd  # noqa: PLC0415 - only for tables

        about = pd.DataFrame([asdict(series) for series in self._series])
        frame = about.iloc[self._scores.series].reset_index(drop=True)
        instances = np.array([*self._instances, None], dtype=object)
        frame["instance"] = instances[self._scores.instance]  # WHOLE_TASK is the last one
        frame["epoch"], frame["score"] = self._scores.epoch, self._scores.score
        names = ["system", "task", "metric", "instance", "epoch", "score", "higher_is_better"]
        return frame[[*names, "run", "source"]].astype({"higher_is_better": "boolean"})

    def overview(self) -> pd.DataFrame:
        """Return one row per task, metric, and kind of score.

        Returns
        -------
        pandas.DataFrame
            Columns task, metric, better ("higher", "lower", "" where the files state nothing),
            scores of ("tasks", "instances"), systems, runs and scores.
        """
        import pandas as pd  # noqa: PLC0415 - only for tables

        is_task = self._scores.instance == WHOLE_TASK
        n = len(self._series)
        found: dict[tuple[str, str, str], list[tuple[Series, int]]] = {}
        for kind, chosen in (("tasks", is_task), ("instances", ~is_task)):
            sizes = np.bincount(self._scores.series[chosen], minlength=n).tolist()
            for series, size in zip(self._series, sizes, strict=True):
                if size:
                    key = (series.task, series.metric, kind)
                    found.setdefault(key, []).append((series, size))
        better = {True: "higher", False: "lower", None: ""}
        rows = [
            {
                "task": shortened(task),
                "metric": shortened(metric),
                "better": better[_stated_direction(series for series, _ in members)],
                "scores of": kind,
                "systems": len({series.system for series, _ in members}),
                "runs": len({(series.system, series.run) for series, _ in members}),
                "scores": sum(size for _, size in members),
            }
            for (task, metric, kind), members in found.items()
        ]
        return pd.DataFrame(rows)

    # -- how it looks -------------------------------------------------------------------------

    def _head(self) -> str:
        return (
            f"Evaluations of {counted(len(self.systems), 'system')} on "
            f"{counted(len(self.tasks), 'task')}: {counted(self.n_scores, 'score')}"
        )

    def summary(self, *, rows: int | None = 30) -> str:
        """Return what was read as text.

        Parameters
        ----------
        rows : int or None, default 30
            How many rows of the overview to print at most; None prints all.

        Returns
        -------
        str
        """
        table = self.overview()
        shown = table if rows is None else table.head(rows)
        lines = [self._head(), *self.notes, shown.to_string(index=False)]
        if len(shown) < len(table):
            lines.append(f"... and {counted(len(table) - len(shown), 'more row')}")
        return visible("\n".join(lines))

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<{self._head()}>"

    def _repr_html_(self) -> str:
        return visible(self.overview().to_html(index=False, max_rows=60))


def _stated_direction(series: Iterable[Series]) -> bool | None:
    return next((s.higher_is_better for s in series if s.higher_is_better is not None), None)
