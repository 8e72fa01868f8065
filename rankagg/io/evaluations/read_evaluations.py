"""Evaluation logs of any of the formats, told apart by what is in them, as one long frame."""

from __future__ import annotations

import gzip
import json
import re
import warnings
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from glob import has_magic
from os import PathLike
from pathlib import Path
from typing import IO, cast

import pandas as pd

from rankagg.core import counted, listed
from rankagg.exceptions import DataFormatError, DataWarning, InvalidInputError, shown
from rankagg.io.evaluations import every_eval_ever, inspect_logs, lm_eval
from rankagg.io.evaluations.rows import Found, Row, parsed
from rankagg.io.tables.sources import (
    MAX_BYTES,
    PER_BYTE,
    Sources,
    decoded,
    files_at,
    opened,
    read_data,
)

LINES, WHOLE = (".jsonl", ".ndjson"), (".json", ".eval")
ENDINGS = frozenset(LINES + WHOLE)
PACKED_BY_GZIP = ".gz"
ZIP = b"PK\x03\x04"
FORMATS = "lm-evaluation-harness (results, samples), Inspect (logs), Every Eval Ever (aggregates)"
# Where a file begins with one of these, it is looked at whole.
EVALUATION_MARKS = ('"schema_version"', '"evaluation_results"', '"results"', '"eval"', '"doc_id"')

# Half of a character, which can be neither printed nor written.
HALF_CHARACTER = re.compile("[\ud800-\udfff]")

# The types of columns; all others hold labels.
TYPES = {
    "score": "float64",
    "error": "float64",
    "n": "Int64",
    "higher_is_better": "boolean",
    "epoch": "Int64",
}
# What serves only to check the rows.
INTERNAL = ["run", "dataset", "question"]
MEASURE = ["task", "dataset", "metric"]
SCORE = [*MEASURE, "run", "system", "instance", "epoch"]


def read_evaluations(source: Sources, *, max_bytes: int = MAX_BYTES) -> pd.DataFrame:
    """Read logs of evaluations as one long frame: a row for each score of a system.

    lm-evaluation-harness (``results_*.json``, and ``samples_*.jsonl`` beside them), logs of Inspect
    (``.json`` and ``.eval``) and aggregates of Every Eval Ever 0.3.0 are told apart by what is in
    them, and may be mixed.

    Parameters
    ----------
    source : path or iterable of paths
        Files, patterns such as ``"logs/*.json"``, and folders, which are searched through. Files of
        folders and patterns that hold something else are counted and left out; one that is given
        by its name must be one of these.
    max_bytes : int, default 2**30
        How many bytes of memory reading may take; what would take more is refused.

    Returns
    -------
    pandas.DataFrame
        With the columns

        * system, task, metric and score;
        * error, the standard error of the score, and n, the number of its samples, where the
          file states them;
        * higher_is_better, missing where the file does not state the direction;
        * instance and epoch of scores of single samples, missing for those of whole tasks;
        * settings (version, examples shown, limit) and source, the file.

        Nothing is averaged or chosen: `read_scores` makes a table of the rows of one metric.

    Raises
    ------
    DataFormatError
        If a file is damaged, of another version, says something twice or against another one, is
        a file of samples without the file that names their model, or if instances of one name are
        different questions.
    InvalidInputError
        If there is no such file, or none with a score.

    Warns
    -----
    DataWarning
        What was left out and why, which files lack samples, and on which tasks systems have
        different settings.

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
    >>> chosen = frame[frame["metric"] == "acc"]
    >>> ra.read_scores(
    ...     chosen, system="system", task="task", score="score", higher_is_better=True
    ... ).to_frame()
        arc   piqa
    A  0.50  0.750
    B  0.25  0.875
    """
    files, others = _files(source)
    found = Found(max_bytes)
    runs: dict[lm_eval.RunKey, lm_eval.Run] = {}
    samples: list[Path] = []
    for path, is_named in files:
        if _ending_of(path) in LINES and _holds_samples(path, max_bytes):
            samples.append(path)
        elif _ending_of(path) in LINES or not _read_file(path, found, runs):
            if is_named:
                raise DataFormatError(f"{path} holds none of the formats that are read: {FORMATS}.")
            found.left_out["file", f"none of the formats {FORMATS}"] += 1
    for path in samples:  # which belong to runs that are known by now
        lm_eval.read_documents(path, _lines_of(path, max_bytes), runs, found)
    if others:
        found.left_out["file", "its name ends in nothing that is read"] += others
    frame = pd.DataFrame(found.rows, columns=pd.Index(Row._fields), dtype=object).astype(TYPES)
    told = [*_told(found), *_checked(frame)]
    if frame.empty:
        names = listed([str(path) for path, _ in files])
        raise InvalidInputError("source", "files with scores", names, "; ".join(told))
    for sentence in told:
        warnings.warn(f"{sentence}.", DataWarning, stacklevel=2)
    return frame.drop(columns=INTERNAL)


# -- files -----------------------------------------------------------------------------------------


def seem_evaluations(files: Sequence[str]) -> bool:
    """Say whether files are folders, patterns, or called as only evaluations are, or several."""
    endings = {_ending_of(path) for path in map(Path, files) if not _is_many(path)}
    if len(files) > 1 or not endings:
        return endings <= ENDINGS
    return endings == {".eval"}


def _is_many(path: Path) -> bool:
    try:
        return path.is_dir() or (has_magic(str(path)) and not path.exists())
    except (OSError, ValueError):  # no path: what opens it says why
        return False


def _ending_of(path: Path) -> str:
    """Return what a name ends in, that of what is packed left out."""
    return Path(path.name.lower().removesuffix(PACKED_BY_GZIP)).suffix


def _lines_of(path: Path, max_bytes: int) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, with their numbers; one is held at a time."""
    unpack = gzip.open if path.name.lower().endswith(PACKED_BY_GZIP) else open
    number = 0
    with opened(path, lambda path: cast(IO[str], unpack(path, "rt", encoding="utf-8-sig"))) as file:
        try:
            # What is cut here is refused when it is parsed.
            longest = max_bytes // PER_BYTE + 1
            for number, line in enumerate(iter(partial(file.readline, longest), ""), start=1):
                if line.strip():
                    yield number, line
        except (ValueError, OSError, EOFError, zlib.error) as error:
            if isinstance(error, DataFormatError):
                raise
            raise DataFormatError(
                f"{path} cannot be read as UTF-8 beyond line {number}: {error}."
            ) from None


def _files(source: Sources) -> tuple[list[tuple[Path, bool]], int]:
    """Return the files, whether each was given by its name, and how many others there are."""
    if not isinstance(source, str | PathLike) and not isinstance(source, Iterable):
        raise InvalidInputError("source", "paths, patterns or folders", source)
    given = [source] if isinstance(source, str | PathLike) else list(source)
    found: dict[Path, tuple[Path, bool]] = {}
    others = 0
    for path in given:
        files, is_named = files_at(path, (".",))
        if is_named:  # what is not there is told when it is opened
            opened(files[0][0], lambda path: path.open("rb").close())
        for file, _ in files:
            if is_named or _ending_of(file) in ENDINGS:
                found.setdefault(file.resolve(), (file, is_named))
            else:
                others += 1
    if not found:
        allowed = f"files that end in {', '.join(WHOLE + LINES)}, or folders with some"
        remedy = "Other data are read from one file, and ranked lists from one or several."
        raise InvalidInputError("source", allowed, given[0] if len(given) == 1 else given, remedy)
    return list(found.values()), others


def _read_file(path: Path, found: Found, runs: dict[lm_eval.RunKey, lm_eval.Run]) -> bool:
    """Read a file that holds one object; return whether it is of a known format."""
    with opened(path, lambda path: path.open("rb")) as stream:
        is_archive = stream.read(len(ZIP)) == ZIP
    if is_archive:
        inspect_logs.read_archive(path, found)
        return True
    text = decoded(str(path), read_data(path, found.max_bytes)[1])
    content = parsed(text, str(path), found.max_bytes)
    if inspect_logs.is_log(content):
        inspect_logs.read_log(str(path), content, found)
    elif _is_aggregate(content):
        every_eval_ever.read_aggregate(str(path), content, found)
    elif _is_results(content):
        lm_eval.read_results(content, path, runs, found)
    else:
        return False
    return True


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


def _holds_samples(path: Path, max_bytes: int) -> bool:
    number, text = next(_lines_of(path, max_bytes), (0, "null"))
    return _is_sample(parsed(text, f"{path}, line {number}", max_bytes))


def _is_sample(content: object) -> bool:
    return (
        isinstance(content, dict)
        and "doc_id" in content
        and not content.keys().isdisjoint({"filter", "metrics", "resps", "doc"})
    )


def looks_like_evaluations(text: str) -> bool:
    """Say whether a text seems to be what an evaluation tool wrote."""
    if text.lstrip()[:1] != "{" or not any(mark in text for mark in EVALUATION_MARKS):
        return False
    tests = (inspect_logs.is_log, _is_aggregate, _is_results, _is_sample)
    for part in (text.lstrip().partition("\n")[0], text):
        try:
            content = json.loads(part)
        except (ValueError, RecursionError):
            continue
        return any(test(content) for test in tests)
    # What is cut off has begun like one.
    return '"evaluation_results"' in text or '"schema_version"' in text[:1000]


# -- what is seen only of all rows -----------------------------------------------------------------


def _told(found: Found) -> list[str]:
    """Say what was left out, and which files lack samples."""
    told = [
        f"left out: {counted(number, what)} ({why})"
        for (what, why), number in found.left_out.most_common()
    ]
    if found.incomplete:
        others = len(found.incomplete) - 1
        more = f", and {counted(others, 'more file')} lacks some" if others else ""
        told.append(f"incomplete: {found.incomplete[0]} that are stated{more}")
    return told


def _checked(frame: pd.DataFrame) -> list[str]:
    """Check the rows against each other, tell apart tasks of one name, and say what to note."""
    for column in ("system", "task", "metric", "instance"):
        for name in frame[column].unique():
            if isinstance(name, str) and (not name.strip() or HALF_CHARACTER.search(name)):
                at = frame[frame[column] == name].iloc[0]
                allowed = f"{column}s with a name of whole characters"
                raise DataFormatError(f"{at['source']} must have {allowed}. Got {shown(name)}.")
    _check_once(frame)
    _check_directions(frame)
    _check_questions(frame)
    told = []
    datasets = frame[frame["dataset"] != ""].groupby("task", sort=False)["dataset"].nunique()
    shared = datasets.index[datasets > 1]
    if len(shared):
        rows = frame["task"].isin(shared) & (frame["dataset"] != "")
        frame.loc[rows, "task"] = frame["dataset"] + ": " + frame["task"]
        told.append(f"tasks: the name of the data set is put in front of {listed(list(shared))}")
    settings = frame.groupby("task", sort=False)["settings"].unique()
    different = settings[settings.map(len) > 1]
    for task, kinds in different.head(1).items():
        more = counted(len(different) - 1, "more task")
        more = f", and others on {more}" if len(different) > 1 else ""
        named = listed([kind or "not stated" for kind in kinds])
        told.append(f"settings differ: those of {shown(task)} are {named}{more}")
    return told


def _check_once(frame: pd.DataFrame) -> None:
    for row in frame[frame.duplicated(SCORE)].head(1).itertuples():
        where = f"system {shown(row.system)}, task {shown(row.task)}"
        if row.instance is not None:
            where += f", instance {shown(row.instance)}"
        raise DataFormatError(
            f"{row.source} or a file of the same run has two scores by {shown(row.metric)} for "
            f"{where}; each may occur once. Leave out what was written or copied twice."
        )


def _check_directions(frame: pd.DataFrame) -> None:
    stated = frame[frame["higher_is_better"].notna()]
    is_higher = stated["higher_is_better"].astype(bool)
    higher, lower = (stated[side].drop_duplicates(MEASURE) for side in (is_higher, ~is_higher))
    both = higher.merge(lower, on=MEASURE, suffixes=("", "_lower"))
    for row in both.head(1).itertuples():
        raise DataFormatError(
            f"{row.source} says that higher is better in {shown(row.metric)} of task "
            f"{shown(row.task)}, and {row.source_lower} that lower is: mend one of them, or read "
            "them apart."
        )


def _check_questions(frame: pd.DataFrame) -> None:
    """Raise where files give one name to different questions, as their checksums tell."""
    asked = frame[frame["question"] != ""].drop_duplicates(["task", "instance", "question"])
    twice = asked[asked.duplicated(["task", "dataset", "instance"])]
    for row in twice.head(1).itertuples():
        raise DataFormatError(
            f"{row.source} has another question as instance {shown(row.instance)} of task "
            f"{shown(row.task)} than the files before it, as their checksums tell.",
            "Leave out the files of samples, or those of other versions of the task.",
        )
