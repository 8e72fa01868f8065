"""Evaluations from the files of any of the formats, told apart by what is in them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rankagg.core.items import listed
from rankagg.exceptions import DataFormatError, InvalidInputError
from rankagg.io.evaluations import every_eval_ever, inspect_logs, lm_eval
from rankagg.io.evaluations.collected import Collector
from rankagg.io.evaluations.evaluations import Evaluations
from rankagg.io.evaluations.files import ENDINGS, EvaluationFile, Paths, find_files
from rankagg.io.evaluations.parts import Part, parse

__all__ = ["holds_evaluations", "looks_like_evaluations", "read_evaluations"]

EEE, LM_EVAL, INSPECT = "Every Eval Ever", "lm-evaluation-harness", "Inspect"
FORMATS = f"{EEE} (aggregates, samples), {LM_EVAL} (results, samples), {INSPECT} (logs)"


def read_evaluations(paths: Paths) -> Evaluations:
    """Read what evaluation tools write: scores of models on tasks, and on their instances.

    Every Eval Ever 0.3.0 (aggregates, and lines of samples beside them), lm-evaluation-harness
    (``results_*.json`` and ``samples_*.jsonl``) and logs of Inspect (``.json`` and ``.eval``) are
    told apart by what is in them, and may be mixed.

    Parameters
    ----------
    paths : path or iterable of paths
        Files, patterns such as ``"logs/*.json"``, and folders, which are searched through. Files of
        folders and patterns that hold something else are counted and left out; one that is given
        by its name must be one of these.

    Returns
    -------
    Evaluations
        All that was read, and what was left out and why. Its `table` is a `ScoreTable`.

    Raises
    ------
    DataFormatError
        If a file is damaged, of another version, says something twice or against another one, or
        is a file of samples without the file that names their model.
    InvalidInputError
        If there is no such file, or none with a score.

    Examples
    --------
    >>> import json
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import rankagg as ra
    >>> def results(model, **scores):
    ...     return {
    ...         "model_name": model,
    ...         "results": {task: {"acc,none": score} for task, score in scores.items()},
    ...         "versions": {},
    ...         "higher_is_better": {task: {"acc": True} for task in scores},
    ...     }
    >>> with TemporaryDirectory() as folder:
    ...     for name, found in [("A", results("A", arc=0.5, piqa=0.75)),
    ...                         ("B", results("B", arc=0.25, piqa=0.875))]:
    ...         _ = Path(folder, f"results_{name}.json").write_text(json.dumps(found))
    ...     evaluations = ra.read_evaluations(folder)
    >>> evaluations
    <Evaluations of 2 systems on 2 tasks: 4 scores>
    >>> evaluations.table().to_frame()
        arc   piqa
    A  0.50  0.750
    B  0.25  0.875
    """
    files, others = find_files(paths)
    collector = Collector()
    formats: Counter[str] = Counter()
    aggregates: dict[str, every_eval_ever.Evaluation] = {}
    runs: list[lm_eval.Run] = []
    samples: list[tuple[str, EvaluationFile]] = []
    for file in files:
        kind = _kind_of_lines(file) if _may_have_lines(file) else None
        if kind is not None:
            samples.append((kind, file))
        elif not file.has_lines:
            kind = _read_whole(file, collector, aggregates, runs)
        if kind is None:
            _refuse(file)
            collector.leave_out(file.name, "file", f"none of the formats {FORMATS}")
        else:
            formats[kind] += 1
    for kind, file in samples:  # which belong to what is known by now
        if kind.startswith(EEE):
            every_eval_ever.read_samples(file.name, file.lines(), aggregates, collector)
        else:
            lm_eval.read_samples(file.name, file.path, file.lines(), runs, collector)
    if others:
        collector.leave_out("", "file", "its name ends in nothing that is read", others)
    found = Evaluations.of(collector, formats)
    if not found.n_scores:
        raise InvalidInputError(
            "paths", "files with scores", listed([file.name for file in files]),
            "; ".join(found.notes),
        )  # fmt: skip
    return found


def _refuse(file: EvaluationFile) -> None:
    if file.is_named:
        raise DataFormatError(f"{file.name} holds none of the formats that are read: {FORMATS}.")


def _read_whole(
    file: EvaluationFile,
    collector: Collector,
    aggregates: dict[str, every_eval_ever.Evaluation],
    runs: list[lm_eval.Run],
) -> str | None:
    """Read a file that holds one object; return what it is, None where it is nothing known."""
    if file.is_zip():
        inspect_logs.read_archive(file.name, file.path, collector)
        return f"{INSPECT} (logs)"
    content = parse(file.name, file.text())
    root = Part(content, file.name)
    if inspect_logs.is_log(content):
        inspect_logs.read_log(root, collector)
        return f"{INSPECT} (logs)"
    if _is_aggregate(content):
        run, evaluation = every_eval_ever.read_aggregate(root, collector)
        if run in aggregates:
            raise DataFormatError(
                f"{file.name} and {aggregates[run].source} are of one evaluation, {run}: leave one "
                "of them out."
            )
        aggregates[run] = evaluation
        return f"{EEE} (aggregates)"
    if _is_results(content):
        runs.append(lm_eval.read_results(root, file.path, collector))
        return f"{LM_EVAL} (results)"
    return None


def _is_aggregate(content: object) -> bool:
    return isinstance(content, dict) and (
        "evaluation_results" in content or {"schema_version", "evaluation_id"} <= content.keys()
    )


def _is_results(content: object) -> bool:
    return (
        isinstance(content, dict)
        and isinstance(content.get("results"), dict)
        and not content.keys().isdisjoint({"versions", "configs", "higher_is_better"})
    )


def _may_have_lines(file: EvaluationFile) -> bool:
    """Say whether a file may hold one object a line; without a name, its first line says so."""
    if file.has_lines:
        return True
    if file.ending in ENDINGS or file.is_zip():
        return False
    first = next(file.lines(), None)
    try:
        return first is not None and _kind_of_line(json.loads(first[1])) is not None
    except (ValueError, RecursionError):
        return False


def _kind_of_lines(file: EvaluationFile) -> str | None:
    first = next(file.lines(), None)
    if first is None:
        return None
    return _kind_of_line(parse(f"{file.name}, line {first[0]}", first[1]))


def _kind_of_line(content: object) -> str | None:
    if not isinstance(content, dict):
        return None
    if {"schema_version", "sample_id"} <= content.keys() or (
        {"evaluation_id", "evaluation"} <= content.keys()
    ):
        return f"{EEE} (samples)"
    if "doc_id" in content and not content.keys().isdisjoint({"filter", "metrics", "resps", "doc"}):
        return f"{LM_EVAL} (samples)"
    return None


def holds_evaluations(path: Path) -> bool:
    """Say whether a file of lines begins as those of evaluations do; it is not read whole."""
    file = EvaluationFile(path, False)
    if not file.has_lines:
        return False
    try:
        return _kind_of_lines(file) is not None
    except DataFormatError:
        return False  # what reads tables says what is wrong


# Where a file begins with one of these, it is looked at whole.
MARKS = ('"schema_version"', '"evaluation_results"', '"results"', '"eval"', '"doc_id"')


def looks_like_evaluations(text: str) -> bool:
    """Say whether a text seems to be what an evaluation tool wrote."""
    if text.lstrip()[:1] != "{" or not any(mark in text for mark in MARKS):
        return False
    tests: tuple[Callable[[Any], bool], ...] = (
        inspect_logs.is_log, _is_aggregate, _is_results, lambda x: _kind_of_line(x) is not None,
    )  # fmt: skip
    for part in (text.lstrip().partition("\n")[0], text):
        try:
            content = json.loads(part)
        except (ValueError, RecursionError):
            continue
        return any(test(content) for test in tests)
    # What is cut off has begun like one.
    return '"evaluation_results"' in text or '"schema_version"' in text[:1000]
