"""Evaluation logs of lm-evaluation-harness and Inspect as one long frame."""

from __future__ import annotations

import re
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import isfinite, nan
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import pandas as pd

from rankagg._typing import Label
from rankagg.core import counted, listed, shortened
from rankagg.exceptions import DataFormatError, DataWarning, InvalidInputError, shown, visible
from rankagg.io.tables.sources import (
    DISTINCT,
    MAX_BYTES,
    PER_BYTE,
    Sources,
    check_memory,
    decoded,
    files_at,
    json_content,
    opened,
    parse_json,
    read_text,
    text_lines,
)

LINES, WHOLE = (".jsonl", ".ndjson"), (".json", ".eval")
FORMATS = "lm-evaluation-harness (results, samples), Inspect (logs)"
KINDS: dict[type, str] = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    dict: "an object",
    list: "a list",
}
LARGEST_INTEGER, LARGEST_EPOCH = 2**63, 2**31
# Measured: bytes of memory for a row.
PER_ROW = 800
# Types of columns; all others hold labels.
TYPES = {
    "score": "float64",
    "error": "float64",
    "n": "Int64",
    "higher_is_better": "boolean",
    "epoch": "Int64",
}
SCORE = ["task", "metric", "run", "system", "instance", "epoch"]

# Names of files of lm-evaluation-harness; files of one run have the same time.
TIME = r"_(?P<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(\.\d+)?)"
SAMPLES = re.compile(rf"samples_(?P<task>.+){TIME}\.(jsonl|ndjson)(\.gz)?")
RESULTS = re.compile(rf".*{TIME}\.json(\.gz)?")
# Inspect: the version of its logs, scores of letters, samples in an archive, and metrics of the
# error of a mean or the spread of samples.
LOG_VERSION = 2
CONVERT = "Convert it with `inspect log convert --to json` first."
LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
IN_ARCHIVE = re.compile(r"samples/.+_epoch_\d+(\.json|/sample\.json)", re.DOTALL)
SPREADS = frozenset({"stderr", "bootstrap_stderr", "std", "var", "bootstrap_std"})


class _Row(NamedTuple):
    """The score of a system on a task or an instance."""

    system: str
    task: str
    metric: str = ""
    score: float = nan
    # The standard error, and the number of samples.
    error: float = nan
    n: int | None = None
    higher_is_better: bool | None = None
    instance: Label | None = None
    epoch: int | None = None
    # Settings that comparable runs share: version, examples shown, limit.
    settings: str = ""
    source: str = ""
    run: str = ""


@dataclass
class _Logs:
    """The contents of all files."""

    # Bytes of memory that reading a file may take.
    max_bytes: int
    rows: list[_Row] = field(default_factory=list)
    # Numbers of scores, samples, logs and files that are left out, with the reason.
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    # Files with fewer or more samples than they state.
    incomplete: list[str] = field(default_factory=list)
    # Tasks of runs of lm-evaluation-harness, by folder and time: a row and the directions.
    runs: dict[tuple[Path, str], dict[str, tuple[_Row, dict[str, Any]]]] = field(
        default_factory=dict
    )

    def add(self, row: _Row, score: object) -> None:
        """Add a score that is a finite number or a truth value; count any other as left out."""
        if not isinstance(score, bool | int | float):
            self.left_out["score", f"no number under {shortened(row.metric)}"] += 1
            return
        value = _float(score)
        if isinstance(score, int) and value != score:
            raise DataFormatError(
                f"{row.source}: {shown(row.metric)} of task {shown(row.task)} must be a number "
                f"that a 64-bit float holds. Got {shown(score)}.",
                "Subtract a common number first.",
            )
        if isfinite(value):
            check_memory(row.source, PER_ROW * len(self.rows), self.max_bytes)
            self.rows.append(row._replace(score=value))
        else:
            self.left_out["score", "not a finite number"] += 1

    def expect(self, source: str, number: int, stated: int | None) -> None:
        """Record a file with another number of samples than it states."""
        if stated is not None and number != stated:
            self.incomplete.append(f"{source} has {number} of {counted(stated, 'sample')}")


def read_evaluations(source: Sources, *, max_bytes: int = MAX_BYTES) -> pd.DataFrame:
    """Read logs of evaluations as one long frame: a row for each score of a system.

    Files of lm-evaluation-harness (``results_*.json`` and ``samples_*.jsonl`` in one folder) and
    logs of Inspect (``.json`` and ``.eval``) are recognized by their content, and may be mixed.

    Parameters
    ----------
    source : path or iterable of paths
        Files, patterns such as ``"logs/*.json"``, and folders, which are searched recursively.
        Other files in folders and patterns are counted and left out; a file given by its name must
        be one of these.
    max_bytes : int, default 2**30
        Bytes of memory that reading may take.

    Returns
    -------
    pandas.DataFrame
        With the columns

        * system, task, metric and score;
        * error, the standard error of the score, and n, the number of its samples, if the file
          states them;
        * higher_is_better, missing if the file does not state the direction;
        * instance and epoch of scores of single samples, missing for scores of tasks;
        * settings (version, examples shown, limit) and source, the file.

        Nothing is averaged or selected: `read_scores` makes a table of the rows of one metric.

    Raises
    ------
    DataFormatError
        If a file is damaged, has another version, contradicts itself or another file, or holds
        samples without the file that names their model.

    Warns
    -----
    DataWarning
        Of parts that are left out, files that lack samples, and settings that differ.

    Examples
    --------
    >>> import json
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import rankagg as ra
    >>> def results(model, arc, piqa):
    ...     return {
    ...         "model_name": model,
    ...         "results": {
    ...             "arc": {"acc,none": arc, "acc_stderr,none": 0.125},
    ...             "piqa": {"acc,none": piqa, "acc_stderr,none": 0.25},
    ...         },
    ...         "versions": {},
    ...         "higher_is_better": {"arc": {"acc": True}, "piqa": {"acc": True}},
    ...     }
    >>> with TemporaryDirectory() as folder:
    ...     for found in results("A", 0.5, 0.75), results("B", 0.25, 0.875):
    ...         path = Path(folder, f"results_{found['model_name']}.json")
    ...         _ = path.write_text(json.dumps(found))
    ...     frame = ra.read_evaluations(folder)
    >>> frame[["system", "task", "metric", "score", "error"]]
      system  task metric  score  error
    0      A   arc    acc  0.500  0.125
    1      A  piqa    acc  0.750  0.250
    2      B   arc    acc  0.250  0.125
    3      B  piqa    acc  0.875  0.250
    """
    logs, samples = _Logs(max_bytes), list[tuple[Path, list[tuple[int, str]]]]()
    files = _files(source, logs)
    for path, is_named in files:
        is_known = False
        if _ending_of(path) in LINES:
            text = read_text(path, max_bytes)[1]
            lines = [(k, line) for k, line in enumerate(text_lines(text), 1) if line.strip()]
            for number, line in lines[:1]:
                is_known = _is_sample(
                    parse_json(line, f"{path}, line {number}", DISTINCT, logs.max_bytes)
                )
            samples += [(path, lines)] if is_known else []
        else:
            is_known = _read_file(path, logs)
        if not is_known:
            if is_named:
                raise DataFormatError(f"{path} holds none of the formats that are read: {FORMATS}.")
            logs.left_out["file", f"none of the formats {FORMATS}"] += 1
    for path, lines in samples:  # after the runs that they belong to
        _read_documents(path, lines, logs)
    frame = pd.DataFrame(logs.rows, columns=pd.Index(_Row._fields), dtype=object).astype(TYPES)
    warned = [
        f"left out: {counted(number, what)} ({why})"
        for (what, why), number in logs.left_out.most_common()
    ]
    if logs.incomplete:
        others = len(logs.incomplete) - 1
        more = f", and {counted(others, 'more file')} lacks some" if others else ""
        warned.append(f"incomplete: {logs.incomplete[0]} that are stated{more}")
    warned += _check_rows(frame)
    if frame.empty:
        names = listed([str(path) for path, _ in files])
        raise InvalidInputError("source", "files with scores", names, "; ".join(warned))
    for sentence in warned:
        warnings.warn(f"{sentence}.", DataWarning, stacklevel=2)
    return frame.drop(columns="run")


# -- files -----------------------------------------------------------------------------------------


def seem_evaluations(files: Sequence[str]) -> bool:
    """Return whether files, or some in each folder or pattern, are named as evaluations."""
    with suppress(InvalidInputError):  # no path, which opening it reports
        below = [files_at(path, (".",)) for path in files]
        if len(below) == 1 and below[0][1]:
            return _ending_of(below[0][0][0][0]) == ".eval"
        return all(any(_ending_of(x) in LINES + WHOLE for x, _ in found) for found, _ in below)
    return False


def looks_like_evaluations(text: str) -> bool:
    """Return whether a text is a log of evaluations."""
    if text.lstrip()[:1] != "{":
        return False
    content = json_content(text)
    return any(test(content) for test in (_is_log, _is_results, _is_sample))


def _ending_of(path: Path) -> str:
    """Return the ending of a name, without that of compression."""
    return Path(path.name.lower().removesuffix(".gz")).suffix


def _files(source: Sources, logs: _Logs) -> list[tuple[Path, bool]]:
    """Return the files, and whether each was given by its name."""
    if not isinstance(source, str | PathLike) and not isinstance(source, Iterable):
        raise InvalidInputError("source", "paths, patterns or folders", source)
    given = [source] if isinstance(source, str | PathLike) else list(source)
    files: dict[Path, tuple[Path, bool]] = {}
    for path in given:
        below, is_named = files_at(path, (".",))
        if is_named:  # raise if there is no such file
            opened(below[0][0], lambda path: path.open("rb").close())
        for file, _ in below:
            if is_named or _ending_of(file) in LINES + WHOLE:
                files.setdefault(file.resolve(), (file, is_named))
            else:
                logs.left_out["file", "the ending of its name is not read"] += 1
    if not files:
        allowed = f"files that end in {', '.join(WHOLE + LINES)}, or folders with some"
        remedy = "Other data are read from one file, ranked lists from one or several."
        raise InvalidInputError("source", allowed, given[0] if len(given) == 1 else given, remedy)
    return list(files.values())


def _read_file(path: Path, logs: _Logs) -> bool:
    """Read a file with one object; return whether its format is known."""
    with opened(path, lambda path: path.open("rb")) as stream:
        is_archive = stream.read(4) == b"PK\x03\x04"
    if is_archive:
        _read_archive(path, logs)
        return True
    text = read_text(path, logs.max_bytes)[1]
    content = parse_json(text, str(path), DISTINCT, logs.max_bytes)
    if _is_log(content):
        parts = _find(str(path), content, "samples", kind=list) or []
        samples = [(f"{path}, sample {at}", one) for at, one in enumerate(parts, start=1)]
        _read_log(str(path), content, samples, logs)
    elif _is_results(content):
        _read_results(path, content, logs)
    else:
        return False
    return True


# -- lm-evaluation-harness -------------------------------------------------------------------------


def _is_results(content: object) -> bool:
    return (
        isinstance(content, dict)
        and isinstance(content.get("results"), dict)
        and not content.keys().isdisjoint({"versions", "configs", "higher_is_better"})
    )


def _is_sample(content: object) -> bool:
    return (
        isinstance(content, dict)
        and "doc_id" in content
        and not content.keys().isdisjoint({"filter", "metrics", "resps", "doc"})
    )


def _read_results(path: Path, content: dict[str, Any], logs: _Logs) -> None:
    """Add the results of a run, and keep its tasks for the samples."""
    source = str(path)
    system = _get(source, content, "model_name", kind=str)
    groups = _find(source, content, "group_subtasks", kind=dict) or {}
    results = _get(source, content, "results", kind=dict)
    run: dict[str, tuple[_Row, dict[str, Any]]] = {}
    for task in results:
        scores = _get(source, content, "results", task, kind=dict)
        better = _find(source, content, "higher_is_better", task, kind=dict) or {}
        for metric in better:
            _find(source, content, "higher_is_better", task, metric, kind=bool)
        n = _find(source, content, "n-samples", task, "effective", kind=int)
        about = {"version {}": ("versions", task), "{}-shot": ("n-shot", task)}
        settings = _settings(source, content, about)
        run[task] = _Row(system, task, n=n, settings=settings, source=source, run=source), better
        parts = _find(source, groups, task, kind=list) or []
        is_group = any(other in parts for other in results if other != task)
        for key, value in scores.items():
            metric, comma, chosen = key.partition(",")
            if comma and not metric.endswith("_stderr"):
                if is_group:
                    logs.left_out["score", "of a group of tasks that are here too"] += 1
                    continue
                error = _float(scores.get(f"{metric}_stderr,{chosen}"))
                logs.add(_metric_row(run[task], metric, chosen)._replace(error=error), value)
            elif not comma and isinstance(value, float):
                logs.left_out["score", "no metric and filter in its name"] += 1
    if named := RESULTS.fullmatch(path.name):
        key = path.parent.resolve(), named["time"]
        if key in logs.runs:
            raise DataFormatError(
                f"{source} and other results have the same time: move one to another folder."
            )
        logs.runs[key] = run


def _metric_row(task: tuple[_Row, dict[str, Any]], metric: str, chosen: str) -> _Row:
    """Return the row of a metric after a filter."""
    row, better = task
    name = metric if chosen in ("", "none") else f"{metric},{chosen}"
    return row._replace(metric=name, higher_is_better=better.get(metric))


def _read_documents(path: Path, lines: list[tuple[int, str]], logs: _Logs) -> None:
    """Add lines of samples, whose run and task are in the name of their file."""
    source, match = str(path), SAMPLES.fullmatch(path.name)
    if match is None:
        raise DataFormatError(
            f"{source} holds samples of lm-evaluation-harness, which name neither model nor task: "
            "their file must be named samples_TASK_TIME.jsonl, as by the harness, next to "
            "results_TIME.json."
        )
    task, time = match["task"], match["time"]
    run = logs.runs.get((path.parent.resolve(), time), {}).get(task)
    if run is None:
        raise DataFormatError(
            f"{source} needs the results of its run, which name the model and the directions: give "
            f"{path.with_name(f'results_{time}.json')} too, with task {task!r} in it."
        )
    documents = set()
    for number, line in lines:
        where = f"{source}, line {number}"
        part = _check(where, "the line", parse_json(line, where, DISTINCT, logs.max_bytes), dict)
        instance = _get(where, part, "doc_id", kind=(int, str))
        chosen = _find(where, part, "filter", kind=str) or ""
        documents.add(instance)
        for name in _get(where, part, "metrics", kind=list):
            if _check(where, "metrics", name, str) not in part:
                _refuse(where, "metrics", "names of members of the line", name)
            row = _metric_row(run, name, chosen)
            logs.add(row._replace(n=None, instance=instance, source=source), part[name])
    logs.expect(source, len(documents), run[0].n)


# -- Inspect ---------------------------------------------------------------------------------------


def _is_log(content: object) -> bool:
    return isinstance(content, dict) and {"version", "status", "eval"} <= content.keys()


def _read_log(
    source: str, content: dict[str, Any], samples: Iterable[tuple[str, Any]], logs: _Logs
) -> None:
    """Add a log: one evaluation of one model on one task."""
    version = content.get("version")
    if type(version) is not int or version != LOG_VERSION:
        _refuse(source, "version", str(LOG_VERSION), version, CONVERT)
    status = _get(source, content, "status", kind=str)
    if status != "success":
        logs.left_out["log", f"its status is {shortened(status)}"] += 1
        return
    about = {"version {}": ("eval", "task_version"), "limit {}": ("eval", "config", "limit")}
    base = _Row(
        system=_get(source, content, "eval", "model", kind=str),
        task=_get(source, content, "eval", "task", kind=str),
        settings=_settings(source, content, about),
        source=source,
        run=_find(source, content, "eval", "eval_id", kind=str) or source,
    )
    accurate = _read_metrics(source, content, base, logs)
    n_samples = _read_samples(samples, base, accurate, logs)
    # A log may be written without samples.
    if n_samples:
        stated = _find(source, content, "results", "completed_samples", kind=int)
        logs.expect(source, n_samples, stated)


def _read_metrics(source: str, content: dict[str, Any], base: _Row, logs: _Logs) -> set[str]:
    """Add metrics of the task; return the scorers that count right answers."""
    accurate: set[str] = set()
    for score in _find(source, content, "results", "scores", kind=list) or []:
        name = _get(source, score, "name", kind=str)
        reducer = _find(source, score, "reducer", kind=str)
        n = _find(source, score, "scored_samples", kind=int)
        values = {
            metric: _get(source, score, "metrics", metric, kind=dict).get("value")
            for metric in _get(source, score, "metrics", kind=dict)
        }
        has_mean = not values.keys().isdisjoint(("accuracy", "mean"))
        for metric, value in values.items():
            if metric in SPREADS:
                if metric != "stderr" or not has_mean:
                    logs.left_out["score", f"{metric} without a mean of samples"] += 1
                continue
            if metric == "accuracy":
                accurate |= {name, _find(source, score, "scorer", kind=str) or name}
            row = base._replace(
                metric=f"{name}/{metric}" + (f"/{reducer}" if reducer else ""),
                error=_float(values.get("stderr")) if metric in ("accuracy", "mean") else nan,
                n=n,
                higher_is_better=metric == "accuracy" or None,
            )
            logs.add(row, value)
    return accurate


def _read_samples(
    samples: Iterable[tuple[str, Any]], base: _Row, accurate: set[str], logs: _Logs
) -> int:
    """Add samples, and return their number."""
    by_metric: dict[str, list[tuple[_Row, object]]] = {}
    number = 0
    for where, sample in samples:
        number += 1
        scores = _find(where, sample, "scores", kind=dict)
        if sample.get("invalidation") is not None:
            logs.left_out["sample", "invalidated"] += 1
            continue
        if not scores:
            why = "no score" if sample.get("error") is None else "it ended in an error"
            logs.left_out["sample", why] += 1
            continue
        instance = _get(where, sample, "id", kind=(int, str))
        epoch = _get(where, sample, "epoch", kind=int)
        if not 0 <= epoch < LARGEST_EPOCH:
            _refuse(where, "epoch", "a whole number from 0 on", epoch)
        row = base._replace(instance=instance, epoch=epoch)
        for scorer in scores:
            value = _get(where, scores, scorer, kind=dict).get("value")
            # One value, or several by name.
            parts = value if isinstance(value, dict) else {"": value}
            for name, part in parts.items():
                metric = f"{scorer}/{name}" if isinstance(value, dict) else scorer
                by_metric.setdefault(metric, []).append((row, part))
    for metric, rows in by_metric.items():
        texts = {value for _, value in rows if isinstance(value, str)}
        are_letters = bool(texts) and texts <= LETTERS.keys()
        for row, value in rows:
            score = LETTERS[value] if are_letters and isinstance(value, str) else value
            better = are_letters or metric in accurate or None
            logs.add(row._replace(metric=metric, higher_is_better=better), score)
    return number


def _read_archive(path: Path, logs: _Logs) -> None:
    """Add a log that is an archive (.eval)."""
    name = str(path)

    def member(entry: str) -> Any:
        where = f"{name}, {entry}"
        # The archive states the size, and no more is unpacked.
        check_memory(where, PER_BYTE * archive.getinfo(entry).file_size, logs.max_bytes)
        return parse_json(decoded(where, archive.read(entry)), where, DISTINCT, logs.max_bytes)

    try:
        with opened(path, zipfile.ZipFile) as archive:
            entries = archive.namelist()
            if "header.json" in entries:
                kept = filter(IN_ARCHIVE.fullmatch, entries)
                samples = ((f"{name}, {entry}", member(entry)) for entry in kept)
                _read_log(name, member("header.json"), samples, logs)
            elif any(entry.startswith("_journal/") for entry in entries):
                logs.left_out["log", "it was not finished"] += 1
            else:
                raise DataFormatError(
                    f"{name} is an archive without `header.json`, so no log of Inspect."
                )
    except DataFormatError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
        why = f"is no archive, or is damaged or cut off: {str(error)[:200]}"
        raise DataFormatError(f"{name} {why}.") from None
    except (NotImplementedError, RuntimeError) as error:  # a newer compression, or a password
        raise DataFormatError(f"{name} cannot be unpacked here: {error}. {CONVERT}") from None


# -- members of objects ----------------------------------------------------------------------------


def _float(value: object) -> float:
    """Return a number or a truth value as a float, NaN for other values."""
    try:
        return float(value) if isinstance(value, int | float) else nan
    except OverflowError:
        return nan


def _refuse(where: str, path: str, allowed: str, value: object, remedy: str = "") -> NoReturn:
    """Raise an error with the allowed values of a member."""
    got = KINDS[type(value)] if isinstance(value, dict | list) else shown(value)
    raise DataFormatError(f"{where}: `{path}` must be {allowed}. Got {got}.", remedy)


def _check(where: str, path: str, value: object, kind: Any) -> Any:
    """Return a value of a type or several; integers are numbers, and no text is blank."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    fits = type(value) in kinds or (kind is float and type(value) is int)
    is_blank = isinstance(value, str) and not value.strip()
    is_large = kind is not float and type(value) is int and abs(value) >= LARGEST_INTEGER
    if not fits or is_blank or is_large:
        _refuse(where, path, " or ".join(KINDS[one] for one in kinds), value)
    return value


def _find(where: str, content: object, *keys: str, kind: Any) -> Any:
    """Return the value below keys, None if it is absent or null; refuse other types."""
    value: Any = content
    for at, key in enumerate(keys):
        value = _check(where, ".".join(keys[:at]) or "it", value, dict).get(key)
        if value is None:
            return None
    return _check(where, shortened(".".join(keys), 160), value, kind)


def _get(where: str, content: object, *keys: str, kind: Any) -> Any:
    """Return the value below keys; raise if it is missing."""
    value = _find(where, content, *keys, kind=kind)
    if value is None:
        raise DataFormatError(f"{where}: `{shortened('.'.join(keys), 160)}` is missing.")
    return value


def _settings(where: str, content: object, about: Mapping[str, Sequence[str]]) -> str:
    """Return the settings below keys in words, without absent ones."""
    settings = []
    for word, (*above, key) in about.items():
        value = (_find(where, content, *above, kind=dict) or {}).get(key)
        if value is not None and not isinstance(value, dict | list):
            settings.append(word.format(value))
    return visible(", ".join(settings))


# -- checks of all rows ----------------------------------------------------------------------------


def _check_rows(frame: pd.DataFrame) -> list[str]:
    """Check rows for contradictions, and return a clause if settings differ."""
    for row in frame[frame.duplicated(SCORE)].head(1).itertuples():
        where = f"system {shown(row.system)}, task {shown(row.task)}"
        if row.instance is not None:
            where += f", instance {shown(row.instance)}"
        raise DataFormatError(
            f"{row.source} or a file of the same run has two scores by {shown(row.metric)} for "
            f"{where}; each may occur once. Leave out one of the two."
        )
    stated = frame[frame["higher_is_better"].notna()]
    is_higher = stated["higher_is_better"].astype(bool)
    measure = ["task", "metric"]
    higher, lower = (stated[side].drop_duplicates(measure) for side in (is_higher, ~is_higher))
    for row in higher.merge(lower, on=measure, suffixes=("", "_lower")).head(1).itertuples():
        raise DataFormatError(
            f"{row.source} says that higher is better in {shown(row.metric)} of task "
            f"{shown(row.task)}, and {row.source_lower} that lower is: correct one of them, or "
            "read them separately."
        )
    settings = frame.groupby("task", sort=False)["settings"].unique()
    different = settings[settings.map(len) > 1]
    clauses = []
    for task, kinds in different.head(1).items():
        more = counted(len(different) - 1, "more task")
        more = f", and others on {more}" if len(different) > 1 else ""
        named = listed([kind or "not stated" for kind in kinds])
        clauses.append(f"settings differ: those of {shown(task)} are {named}{more}")
    return clauses
