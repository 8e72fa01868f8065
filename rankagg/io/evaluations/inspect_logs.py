"""Logs of Inspect: one evaluation of one model on one task, as JSON or as an archive of it."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from math import nan
from pathlib import Path
from typing import Any

from rankagg._typing import Label
from rankagg.core import shortened
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
    parsed,
    refuse,
    setting,
)
from rankagg.io.tables.sources import PER_BYTE, check_memory, decoded, opened

LOG_VERSION = 2
CONVERT = "Convert it with `inspect log convert --to json` first."

# What scorers say of an answer, and what it counts: the format defines these.
LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
# The share of right answers, by the format's own words.
ACCURACY = "accuracy"
MEANS = frozenset({ACCURACY, "mean"})
# Metrics that say how far a mean may be off, or how samples spread.
SPREADS = frozenset({"stderr", "bootstrap_stderr", "std", "var", "bootstrap_std"})

SAMPLE = re.compile(r"samples/.+_epoch_\d+(\.json|/sample\.json)", re.DOTALL)
LARGEST_EPOCH = 2**31

Samples = Iterable[tuple[str, dict[str, Any]]]


def is_log(content: object) -> bool:
    """Say whether plain data look like a log."""
    return isinstance(content, dict) and {"version", "status", "eval"} <= content.keys()


def read_log(
    source: str, content: dict[str, Any], found: Found, samples: Samples | None = None
) -> None:
    """Take in a log; its samples are in it, but for those of an archive."""
    version = content.get("version")
    if type(version) is not int or version != LOG_VERSION:
        refuse(source, "version", str(LOG_VERSION), version, CONVERT)
    status = get(source, content, "status", kind=str)
    if status != "success":
        found.left_out["log", f"its status is {shortened(status)}"] += 1
        return
    spec = get(source, content, "eval", kind=dict)
    settings = setting(source, spec, "version {}", "task_version")
    settings += setting(source, spec, "limit {}", "config", "limit")
    base = Row(
        system=get(source, spec, "model", kind=str),
        task=get(source, spec, "task", kind=str),
        metric="",
        settings=visible(", ".join(settings)),
        source=source,
        run=find(source, spec, "eval_id", kind=str) or source,
    )
    accurate = _read_results(source, content, base, found)
    if samples is None:
        inside = find(source, content, "samples", kind=list) or []
        samples = ((f"{source}, sample {at}", one) for at, one in enumerate(inside, start=1))
    n_samples = _read_samples(samples, base, accurate, found)
    # A log may be written without samples.
    if n_samples:
        found.expect(source, n_samples, count_at(source, content, "results", "completed_samples"))


def _read_results(source: str, content: dict[str, Any], base: Row, found: Found) -> set[str]:
    """Take in metrics of the task; return the scorers whose right answers are counted."""
    accurate: set[str] = set()
    for score in find(source, content, "results", "scores", kind=list) or []:
        name = get(source, score, "name", kind=str)
        reducer = find(source, score, "reducer", kind=str)
        n = count_at(source, score, "scored_samples")
        metrics = get(source, score, "metrics", kind=dict)
        error = measured((find(source, metrics, "stderr", kind=dict) or {}).get("value"))
        used = "stderr" if MEANS & metrics.keys() else ""
        for metric in metrics:
            value = get(source, metrics, metric, kind=dict).get("value")
            if metric in SPREADS:
                if metric != used:
                    found.left_out["score", f"{metric} of no mean of samples"] += 1
                continue
            is_accuracy = metric == ACCURACY
            if is_accuracy:
                accurate |= {name, find(source, score, "scorer", kind=str) or name}
            row = base._replace(
                metric=f"{name}/{metric}" + (f"/{reducer}" if reducer else ""),
                error=error if metric in MEANS else nan,
                n=n,
                higher_is_better=is_accuracy or None,
            )
            found.add(row, value)
    return accurate


def _read_samples(samples: Samples, base: Row, accurate: set[str], found: Found) -> int:
    """Take in samples, and return how many there are."""
    by_metric: dict[str, list[tuple[Label, int, object]]] = {}
    number = 0
    for number, (where, sample) in enumerate(samples, start=1):  # noqa: B007 - returned
        checked(where, "the sample", sample, dict)
        if sample.get("invalidation") is not None:
            found.left_out["sample", "invalidated"] += 1
            continue
        scores = find(where, sample, "scores", kind=dict)
        if not scores:
            why = "no score" if sample.get("error") is None else "it ended in an error"
            found.left_out["sample", why] += 1
            continue
        instance, epoch = label_at(where, sample, "id"), sample.get("epoch")
        if type(epoch) is not int or not 0 <= epoch < LARGEST_EPOCH:
            refuse(where, "epoch", "a whole number from 0 on", epoch)
        for metric, value in _values(where, scores):
            by_metric.setdefault(metric, []).append((instance, epoch, value))
    for metric, rows in by_metric.items():
        texts = {value for _, _, value in rows if isinstance(value, str)}
        are_letters = bool(texts) and texts <= LETTERS.keys()
        is_right = are_letters or metric in accurate
        row = base._replace(metric=metric, higher_is_better=is_right or None)
        for instance, epoch, value in rows:
            score = LETTERS[value] if are_letters and isinstance(value, str) else value
            found.add(row._replace(instance=instance, epoch=epoch), score)
    return number


def _values(where: str, scores: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """Yield what scorers say: one value each, or several by name."""
    for scorer in scores:
        value = get(where, scores, scorer, kind=dict).get("value")
        if isinstance(value, dict):
            yield from ((f"{scorer}/{name}", part) for name, part in value.items())
        else:
            yield scorer, value


def read_archive(path: Path, found: Found) -> None:
    """Take in a log that is an archive (.eval)."""
    name = str(path)
    try:
        with opened(path, zipfile.ZipFile) as archive:
            entries = archive.namelist()
            if "header.json" not in entries:
                if any(entry.startswith("_journal/") for entry in entries):
                    found.left_out["log", "it was not finished"] += 1
                    return
                raise DataFormatError(
                    f"{name} is an archive without `header.json`, so no log of Inspect."
                )
            kept = [entry for entry in entries if SAMPLE.fullmatch(entry)]
            limit = found.max_bytes
            samples = ((f"{name}, {at}", _member(archive, name, at, limit)) for at in kept)
            read_log(name, _member(archive, name, "header.json", limit), found, samples)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
        if isinstance(error, DataFormatError):
            raise
        why = f"is no archive, or is damaged or cut off: {str(error)[:200]}"
        raise DataFormatError(f"{name} {why}.") from None
    except (NotImplementedError, RuntimeError) as error:  # a newer compression, or a password
        raise DataFormatError(f"{name} cannot be unpacked here: {error}. {CONVERT}") from None


def _member(archive: zipfile.ZipFile, name: str, entry: str, max_bytes: int) -> Any:
    where = f"{name}, {entry}"
    # No more is unpacked than is stated.
    check_memory(where, PER_BYTE * archive.getinfo(entry).file_size, max_bytes)
    with archive.open(entry) as stream:
        return parsed(decoded(where, stream.read()), where, max_bytes)
