"""lm-evaluation-harness: results of a run, and lines of samples, one file a task."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rankagg.core import counted, listed
from rankagg.exceptions import DataFormatError, visible
from rankagg.io.evaluations.collected import Collector, Series
from rankagg.io.strict_json import Field, fields_of_lines

# What stands beside the metrics of a task.
NO_METRICS = frozenset(
    {"alias", "name", "sample_len", "sample_count", "samples", "task", "version", " ", ""}
)
STANDARD_ERROR = re.compile(r"_stderr(,|$)")

RUN_TIME = r"(?P<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(\.\d+)?)"
SAMPLES = re.compile(rf"samples_(?P<task>.+)_{RUN_TIME}\.(jsonl|ndjson)(\.gz)?")
RESULTS = re.compile(rf".*_{RUN_TIME}\.json(\.gz)?")


@dataclass(frozen=True)
class Run:
    """What samples need of the results of their run."""

    system: str
    source: str
    path: Path
    # From tasks to metrics to whether higher is better.
    directions: dict[str, dict[str, bool]]
    # From tasks to what makes scores comparable.
    settings: dict[str, str]
    # From tasks to numbers of samples.
    sizes: dict[str, int]

    def series(self, task: str, metric: str, chosen: str, group: tuple[str, ...] = ()) -> Series:
        """Return the series of a metric after a filter."""
        return Series(
            system=self.system,
            task=task,
            metric=metric if chosen in ("", "none") else f"{metric},{chosen}",
            run=self.source,
            source=self.source,
            higher_is_better=self.directions.get(task, {}).get(metric),
            settings=self.settings.get(task, ""),
            group=group,
        )


def read_results(root: Field, path: Path, collector: Collector) -> Run:
    """Take in the results of a run, and return what samples need of it."""
    run = Run(_model(root), root.name, path, {}, {}, {})
    groups = _groups(root)
    for task, results in root.get("results").items():
        Field(task, "results.a task", root.name).text()
        run.directions[task] = _stated_directions(root, task)
        run.settings[task] = _settings_of_task(root, task)
        if (size := root.find_integer("n-samples", task, "effective")) is not None:
            run.sizes[task] = size
        for metric, chosen, value in _metrics(results, collector):
            # A group that has no parts here is a task.
            parts = tuple(part for part in groups.get(task, ()) if part != task)
            number = collector.series(run.series(task, metric, chosen, parts))
            collector.take(number, value)
    return run


def _metrics(results: Field, collector: Collector) -> Iterator[tuple[str, str, Field]]:
    """Yield metric, filter and value; older files have no filters."""
    found = [(key, part) for key, part in results.items() if key not in NO_METRICS]
    has_filters = any("," in key for key, _ in found)
    for key, value in found:
        if STANDARD_ERROR.search(key):
            collector.leave_out(results.name, "standard error", "scores alone are read")
        elif has_filters == ("," in key):
            metric, _, chosen = key.partition(",")
            yield metric, chosen, value
        else:
            collector.leave_out(results.name, "value", "no metric and filter in its name")


def _model(root: Field) -> str:
    given = root.find("config", "model_args")
    pretrained = ""
    if given is not None and isinstance(given.value, dict):
        pretrained = given.find_text("pretrained")
    elif given is not None and isinstance(given.value, str):
        found = re.search(r"(?:^|,)\s*pretrained=([^,]+)", given.value)
        pretrained = "" if found is None else found[1].strip()
    name = root.find_text("model_name") or pretrained or root.find_text("config", "model")
    if not name:
        raise DataFormatError(
            f"{root.name} does not name its model: `model_name` and `config.model` are missing."
        )
    return name


def _groups(root: Field) -> dict[str, list[str]]:
    """Return every group with all tasks and groups below it."""
    given = root.find("group_subtasks")
    direct = {} if given is None else dict(given.items())
    below = {
        name: [child.text() for child in children.elements()] for name, children in direct.items()
    }
    return {name: _all_below(name, below) for name, children in below.items() if children}


def _all_below(name: str, below: Mapping[str, Sequence[str]]) -> list[str]:
    found: dict[str, None] = {}
    waiting = list(below[name])
    while waiting:
        child = waiting.pop()
        if child not in found:
            found[child] = None
            waiting += below.get(child, ())
    return list(found)


def _stated_directions(root: Field, task: str) -> dict[str, bool]:
    """Return what the file says of metrics; older files say it in the settings of the task."""
    stated: dict[str, bool] = {}
    for metric in root.find_elements("configs", task, "metric_list"):
        name, better = metric.find("metric"), metric.find("higher_is_better")
        if name is not None and isinstance(name.value, str) and better is not None:
            stated[name.value] = better.flag()
    given = root.find("higher_is_better", task)
    for metric_name, told in () if given is None else given.items():
        stated.pop(metric_name, None)
        if told.value is not None:
            stated[metric_name] = told.flag()
    return stated


def _settings_of_task(root: Field, task: str) -> str:
    version, shots = (root.find(key, task) for key in ("versions", "n-shot"))
    told = []
    if version is not None and not isinstance(version.value, dict | list):
        told.append(f"version {version.value}")
    if shots is not None and not isinstance(shots.value, dict | list):
        told.append(f"{shots.value}-shot")
    if (size := root.find_integer("n-samples", task, "effective")) is not None:
        told.append(counted(size, "sample"))
    return visible(", ".join(told))


def read_documents(
    source: str,
    path: Path,
    lines: Iterable[tuple[int, str]],
    runs: Iterable[Run],
    collector: Collector,
) -> None:
    """Take in lines of samples, whose file says by its name what they belong to."""
    told = SAMPLES.fullmatch(path.name)
    if told is None:
        raise DataFormatError(
            f"{source} holds samples of lm-evaluation-harness, which name neither model nor task: "
            "their file must be called samples_TASK_TIME.jsonl, as the harness calls it, beside "
            "results_TIME.json."
        )
    run = _run_of(source, path, told["task"], told["time"], runs)
    numbers: dict[tuple[str, str], int] = {}
    documents: set[str | int] = set()
    for part in fields_of_lines(source, lines):
        filtered, content = part.find_text("filter"), part.find_text("doc_hash")
        instance = part.get("doc_id").label()
        documents.add(instance)
        for metric, value in _scored(part, run.directions[told["task"]]):
            key = (metric, filtered)
            if key not in numbers:
                numbers[key] = collector.series(run.series(told["task"], *key))
            collector.take(numbers[key], value, instance=instance, content=content)
    collector.expect(source, len(documents), run.sizes.get(told["task"], len(documents)))


def _run_of(source: str, path: Path, task: str, time: str, runs: Iterable[Run]) -> Run:
    found = [
        run
        for run in runs
        if run.path.parent.resolve() == path.parent.resolve()
        and (match := RESULTS.fullmatch(run.path.name)) is not None
        and match["time"] == time
        and task in run.directions
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise DataFormatError(
            f"{source} may belong to {listed([run.source for run in found])}: put one of them "
            "elsewhere."
        )
    raise DataFormatError(
        f"{source} needs the results of its run, which name the model and the directions: give "
        f"{path.parent / f'results_{time}.json'} too, with task {task!r} in it, or the folder."
    )


def _scored(part: Field, directions: Mapping[str, bool]) -> Iterator[tuple[str, Field]]:
    """Yield the metrics of a sample; lines of older versions do not list them."""
    metrics = part.find("metrics")
    if metrics is None:
        yield from ((name, part.get(name)) for name in directions if name in part.value)
        return
    for name in metrics.elements():
        yield name.text(), part.get(name.text())
