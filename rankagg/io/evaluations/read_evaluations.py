"""Evaluations read from files of any of the formats, told apart by what is in them."""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import IO, cast

from rankagg.core import listed
from rankagg.exceptions import DataFormatError, InvalidInputError
from rankagg.io.evaluations import every_eval_ever, inspect_logs, lm_eval
from rankagg.io.evaluations.collected import Collector
from rankagg.io.evaluations.evaluations import Evaluations
from rankagg.io.strict_json import LENIENT, Field, parse_json
from rankagg.io.tables.sources import (
    MAX_BYTES,
    check_memory,
    decoded,
    files_at,
    json_memory,
    opened,
    read_data,
)

Paths = str | PathLike[str] | Iterable[str | PathLike[str]]

LINES, WHOLE = (".jsonl", ".ndjson"), (".json", ".eval")
ENDINGS = frozenset(LINES + WHOLE)
PACKED_BY_GZIP = ".gz"
ZIP = b"PK\x03\x04"


@dataclass(frozen=True)
class EvaluationFile:
    """A file that may hold evaluations."""

    path: Path
    # Whether it was given by its own name, and not by a folder or a pattern.
    is_named: bool
    # How many bytes of memory reading it whole may take.
    max_bytes: int = MAX_BYTES

    @property
    def name(self) -> str:
        """The path as it is told."""
        return str(self.path)

    @property
    def ending(self) -> str:
        """What the name ends in, that of what is packed left out."""
        return ending_of(self.path)

    @property
    def has_lines(self) -> bool:
        """Whether it holds one object a line."""
        return self.ending in LINES

    def text(self) -> str:
        """Return all of it."""
        _, data = read_data(self.path, self.max_bytes)
        text = decoded(self.name, data)
        check_memory(self.name, json_memory(text), self.max_bytes)
        return text

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the lines that are not blank, with their numbers; one is held at a time."""
        unpack = gzip.open if self.name.lower().endswith(PACKED_BY_GZIP) else open
        with opened(self.path, lambda path: cast(IO[bytes], unpack(path, "rb"))) as stream:
            number = 0
            try:
                for number, line in enumerate(stream, start=1):
                    text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                    if text.strip():
                        yield number, text
            except UnicodeDecodeError:
                raise DataFormatError(
                    f"{self.name}, line {number}, is not UTF-8. Save it as UTF-8."
                ) from None
            except (OSError, EOFError, zlib.error) as error:
                raise DataFormatError(
                    f"{self.name} cannot be read beyond line {number}: {error}."
                ) from None


def ending_of(path: Path) -> str:
    """Return what a name ends in, that of what is packed left out."""
    return Path(path.name.lower().removesuffix(PACKED_BY_GZIP)).suffix


def evaluation_files(paths: Paths, max_bytes: int = MAX_BYTES) -> tuple[list[EvaluationFile], int]:
    """Return the files of paths, patterns and folders, and how many others there are."""
    if not isinstance(paths, str | PathLike) and not isinstance(paths, Iterable):
        raise InvalidInputError("paths", "paths, patterns or folders", paths)
    given = [paths] if isinstance(paths, str | PathLike) else list(paths)
    found: dict[Path, EvaluationFile] = {}
    others = 0
    for path in given:
        files, is_named = files_at(path, "paths", (".",))
        if is_named:  # what is not there is told when it is opened
            opened(files[0][0], lambda path: path.open("rb").close())
        for file, _ in files:
            one = EvaluationFile(file, is_named, max_bytes)
            if is_named or one.ending in ENDINGS:
                found.setdefault(file.resolve(), one)
            else:
                others += 1
    if not found:
        allowed = f"files that end in {', '.join(WHOLE + LINES)}, or folders with some"
        remedy = "Other data are read from one file, and ranked lists from one or several."
        raise InvalidInputError("paths", allowed, given[0] if len(given) == 1 else given, remedy)
    return list(found.values()), others


EEE, LM_EVAL, INSPECT = "Every Eval Ever", "lm-evaluation-harness", "Inspect"
READ_FORMATS = f"{EEE} (aggregates, samples), {LM_EVAL} (results, samples), {INSPECT} (logs)"


def read_evaluations(paths: Paths, *, max_bytes: int = MAX_BYTES) -> Evaluations:
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
    max_bytes : int, default 2**30
        Bytes of memory that reading a file may take.

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
    files, others = evaluation_files(paths, max_bytes)
    collector = Collector()
    formats: Counter[str] = Counter()
    aggregates: dict[str, every_eval_ever.Evaluation] = {}
    runs: list[lm_eval.Run] = []
    samples: list[tuple[str, EvaluationFile]] = []
    for file in files:
        kind = _kind_of_lines(file) if file.has_lines or not file.ending else None
        if kind is not None:
            samples.append((kind, file))
        elif not file.has_lines:
            kind = _read_file(file, collector, aggregates, runs)
        if kind is None:
            if file.is_named:
                told = f"{file.name} holds none of the formats that are read: {READ_FORMATS}."
                raise DataFormatError(told)
            collector.leave_out(file.name, "file", f"none of the formats {READ_FORMATS}")
        else:
            formats[kind] += 1
    for kind, file in samples:  # which belong to what is known by now
        if kind.startswith(EEE):
            every_eval_ever.read_sample_lines(file.name, file.lines(), aggregates, collector)
        else:
            lm_eval.read_documents(file.name, file.path, file.lines(), runs, collector)
    if others:
        collector.leave_out("", "file", "its name ends in nothing that is read", others)
    found = Evaluations(collector, formats)
    if not found.n_scores:
        names = listed([file.name for file in files])
        raise InvalidInputError("paths", "files with scores", names, "; ".join(found.notes))
    return found


def _read_file(
    file: EvaluationFile,
    collector: Collector,
    aggregates: dict[str, every_eval_ever.Evaluation],
    runs: list[lm_eval.Run],
) -> str | None:
    """Read a file that holds one object; return what it is, None where it is nothing known."""
    with opened(file.path, lambda path: path.open("rb")) as stream:
        is_archive = stream.read(len(ZIP)) == ZIP
    if is_archive:
        inspect_logs.read_archive(file.name, file.path, collector)
        return f"{INSPECT} (logs)"
    content = parse_json(file.text(), file.name, LENIENT)
    root = Field(content, "", file.name)
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


def _kind_of_lines(file: EvaluationFile) -> str | None:
    try:
        number, text = next(file.lines(), (0, "null"))
        return _kind_of_line(parse_json(text, f"{file.name}, line {number}", LENIENT))
    except DataFormatError:
        # What has no ending, as the standard input, may be one document or an archive.
        if file.has_lines:
            raise
        return None


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
EVALUATION_MARKS = ('"schema_version"', '"evaluation_results"', '"results"', '"eval"', '"doc_id"')


def looks_like_evaluations(text: str) -> bool:
    """Say whether a text seems to be what an evaluation tool wrote."""
    if text.lstrip()[:1] != "{" or not any(mark in text for mark in EVALUATION_MARKS):
        return False
    tests = (inspect_logs.is_log, _is_aggregate, _is_results, _kind_of_line)
    for part in (text.lstrip().partition("\n")[0], text):
        try:
            content = json.loads(part)
        except (ValueError, RecursionError):
            continue
        return any(bool(test(content)) for test in tests)
    # What is cut off has begun like one.
    return '"evaluation_results"' in text or '"schema_version"' in text[:1000]
