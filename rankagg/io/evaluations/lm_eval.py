"""lm-evaluation-harness: results of a run, and lines of samples, one file a task."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rankagg.exceptions import DataFormatError, visible
from rankagg.io.evaluations.rows import (
    Found,
    Row,
    checked,
    count_at,
    find,
    get,
    label_at,
    measured,
    objects,
    refuse,
    setting,
)

STANDARD_ERROR = "_stderr"
RUN_TIME = r"(?P<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(\.\d+)?)"
SAMPLES = re.compile(rf"samples_(?P<task>.+)_{RUN_TIME}\.(jsonl|ndjson)(\.gz)?")
RESULTS = re.compile(rf".*_{RUN_TIME}\.json(\.gz)?")

# Folder and time, by which files of samples belong to results.
RunKey = tuple[Path, str]


@dataclass(frozen=True)
class Run:
    """What samples need of the results of their run."""

    source: str
    # What all rows of a task have, and the directions of its metrics.
    tasks: dict[str, tuple[Row, dict[str, Any]]] = field(default_factory=dict)

    def row(self, task: str, metric: str, chosen: str) -> Row:
        """Return a row of a metric after a filter."""
        row, directions = self.tasks[task]
        name = metric if chosen in ("", "none") else f"{metric},{chosen}"
        return row._replace(metric=name, higher_is_better=directions.get(metric))


def read_results(
    content: dict[str, Any], path: Path, runs: dict[RunKey, Run], found: Found
) -> None:
    """Take in the results of a run, and keep what samples need of it."""
    source = str(path)
    run = Run(source)
    system = get(source, content, "model_name", kind=str, remedy="Add it: it names the model.")
    groups = find(source, content, "group_subtasks", kind=dict) or {}
    results = get(source, content, "results", kind=dict)
    for task in results:
        scores = get(source, content, "results", task, kind=dict)
        directions = find(source, content, "higher_is_better", task, kind=dict) or {}
        for metric, better in directions.items():
            if better is not None:
                checked(source, f"higher_is_better.{task}.{metric}", better, bool)
        settings = setting(source, content, "version {}", "versions", task)
        settings += setting(source, content, "{}-shot", "n-shot", task)
        row = Row(
            system,
            task,
            "",
            n=count_at(source, content, "n-samples", task, "effective"),
            settings=visible(", ".join(settings)),
            source=source,
            run=source,
        )
        run.tasks[task] = row, directions
        parts = find(source, groups, task, kind=list) or []
        is_group = any(other in parts for other in results if other != task)
        for metric, chosen, value, error in _metrics(scores, found):
            if is_group:
                found.left_out["score", "of a group of tasks, which are here themselves"] += 1
            else:
                found.add(run.row(task, metric, chosen)._replace(error=measured(error)), value)
    named = RESULTS.fullmatch(path.name)
    if named is not None:
        key = path.parent.resolve(), named["time"]
        if key in runs:
            raise DataFormatError(
                f"{runs[key].source} and {source} are of one time: put one of them elsewhere."
            )
        runs[key] = run


def _metrics(results: dict[str, Any], found: Found) -> Iterator[tuple[str, str, object, object]]:
    """Yield metric, filter, value and standard error of what is called METRIC,FILTER."""
    for key, value in results.items():
        metric, comma, chosen = key.partition(",")
        if comma and not metric.endswith(STANDARD_ERROR):
            yield metric, chosen, value, results.get(f"{metric}{STANDARD_ERROR},{chosen}")
        elif not comma and isinstance(value, float):
            found.left_out["score", "no metric and filter in its name"] += 1


def read_documents(
    path: Path, lines: Iterable[tuple[int, str]], runs: Mapping[RunKey, Run], found: Found
) -> None:
    """Take in lines of samples, whose file says by its name what they belong to."""
    source = str(path)
    told = SAMPLES.fullmatch(path.name)
    if told is None:
        raise DataFormatError(
            f"{source} holds samples of lm-evaluation-harness, which name neither model nor task: "
            "their file must be called samples_TASK_TIME.jsonl, as the harness calls it, beside "
            "results_TIME.json."
        )
    task = told["task"]
    run = runs.get((path.parent.resolve(), told["time"]))
    if run is None or task not in run.tasks:
        raise DataFormatError(
            f"{source} needs the results of its run, which name the model and the directions: give "
            f"{path.with_name('results_' + told['time'] + '.json')} too, with task {task!r} in it."
        )
    whole, _ = run.tasks[task]
    documents = set()
    for where, part in objects(source, lines, found.max_bytes):
        instance = label_at(where, part, "doc_id")
        chosen = find(where, part, "filter", kind=str) or ""
        question = find(where, part, "doc_hash", kind=str) or ""
        documents.add(instance)
        for name in get(where, part, "metrics", kind=list):
            checked(where, "metrics", name, str)
            if name not in part:
                refuse(where, "metrics", "names of members of the line", name)
            row = run.row(task, name, chosen)._replace(
                n=None, instance=instance, source=source, question=question
            )
            found.add(row, part[name])
    found.expect(source, len(documents), whole.n)
