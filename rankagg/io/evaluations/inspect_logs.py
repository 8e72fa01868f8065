"""Logs of Inspect: one evaluation of one model on one task, as JSON or as an archive of it."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from rankagg.core import shortened
from rankagg.exceptions import DataFormatError, visible
from rankagg.io.evaluations.collected import Collector, Series
from rankagg.io.strict_json import LENIENT, Field, parse_json
from rankagg.io.tables.sources import opened

LOG_VERSION = 2
CONVERT = "Convert it with `inspect log convert --to json` first."

# What scorers say of an answer, and what it counts: the format defines these.
LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
# The share of right answers, by the format's own words.
ACCURACY = "accuracy"
# Metrics that say how far a score may be off.
SPREADS = frozenset({"stderr", "std", "var", "bootstrap_stderr", "bootstrap_std"})

SAMPLE = re.compile(r"samples/.+_epoch_\d+(\.json|/sample\.json)", re.DOTALL)
# An archive of so many bytes may hold so many times more, and this much in any case.
RATIO, LARGEST = 200, 2**28
LARGEST_EPOCH = 2**31


def is_log(content: object) -> bool:
    """Say whether plain data look like a log."""
    return isinstance(content, dict) and {"version", "status", "eval"} <= content.keys()


def read_log(root: Field, collector: Collector, samples: Iterable[Field] | None = None) -> None:
    """Take in a log; its samples are in it, but for those of an archive."""
    samples = root.find_elements("samples") if samples is None else samples
    version = root.get("version")
    if type(version.value) is not int or version.value != LOG_VERSION:
        version.refuse(str(LOG_VERSION), CONVERT)
    status = root.get("status").text()
    if status != "success":
        collector.leave_out(root.name, "log", f"its status is {shortened(status)}")
        return
    spec = root.get("eval")
    run = spec.find_text("eval_id") or spec.find_text("run_id") or root.name
    base = Series(
        system=spec.get("model").text(),
        task=spec.get("task").text(),
        metric="",
        run=run,
        source=root.name,
        settings=_settings_of_log(spec),
    )
    accurate = _read_results(root, base, collector)
    n_samples = _read_samples(samples, base, accurate, collector)
    stated = root.find_integer("results", "completed_samples")
    # A log may be written without samples.
    if n_samples and stated is not None:
        collector.expect(root.name, n_samples, stated)


def _settings_of_log(spec: Field) -> str:
    told = []
    version, limit = spec.find("task_version"), spec.find("config", "limit")
    if version is not None and not isinstance(version.value, dict | list):
        told.append(f"version {version.value}")
    if limit is not None:
        told.append(f"limit {limit.value}")
    return visible(", ".join(told))


def _read_results(root: Field, base: Series, collector: Collector) -> set[str]:
    """Take in metrics of the task; return the scorers whose right answers are counted."""
    accurate: set[str] = set()
    for score in root.find_elements("results", "scores"):
        name, scorer, reducer = score.get("name"), score.find_text("scorer"), score.find("reducer")
        for metric, part in score.get("metrics").items():
            kind = (part.find_text("name") or metric).rpartition("/")[2]
            if kind in SPREADS:
                collector.leave_out(root.name, "standard error", "scores alone are read")
                continue
            label = f"{name.text()}/{metric}"
            if reducer is not None:
                label += f"/{reducer.text()}"
            is_accuracy = kind == ACCURACY
            if is_accuracy:
                accurate |= {name.text(), scorer}
            series = replace(base, metric=label, higher_is_better=True if is_accuracy else None)
            number = collector.series(series)
            value = part.get("value")
            if value.value is None:
                collector.leave_out(root.name, "score", "no value")
            else:
                collector.add(number, value.number())
    return accurate


def _read_samples(
    samples: Iterable[Field], base: Series, accurate: set[str], collector: Collector
) -> int:
    """Take in samples, and return how many there are."""
    found: dict[str, list[tuple[str | int, int, Field]]] = {}
    number = 0
    for number, sample in enumerate(samples, start=1):  # noqa: B007 - returned
        if sample.find("invalidation") is not None:
            collector.leave_out(base.source, "sample", "invalidated")
            continue
        scores = sample.find("scores")
        if scores is None or not scores.content():
            why = "no score" if sample.find("error") is None else "it ended in an error"
            collector.leave_out(base.source, "sample", why)
            continue
        instance, epoch = sample.get("id").label(), _epoch(sample)
        for scorer, score in scores.items():
            for metric, value in _scorer_values(scorer, score.get("value")):
                found.setdefault(metric, []).append((instance, epoch, value))
    for metric, rows in found.items():
        _add_all(metric, rows, base, accurate, collector)
    return number


def _epoch(sample: Field) -> int:
    epoch = sample.get("epoch")
    if type(epoch.value) is not int or not 0 <= epoch.value < LARGEST_EPOCH:
        epoch.refuse("a whole number from 0 on")
    return int(epoch.value)


def _scorer_values(scorer: str, value: Field) -> Iterator[tuple[str, Field]]:
    """Yield what a scorer says: one value, or several by name."""
    if isinstance(value.value, dict):
        yield from ((f"{scorer}/{name}", part) for name, part in value.items())
    else:
        yield scorer, value


def _add_all(
    metric: str,
    rows: list[tuple[str | int, int, Field]],
    base: Series,
    accurate: set[str],
    collector: Collector,
) -> None:
    texts = {value.value for _, _, value in rows if isinstance(value.value, str)}
    are_letters = bool(texts) and texts <= LETTERS.keys()
    is_right = are_letters or metric in accurate
    series = replace(base, metric=metric, higher_is_better=True if is_right else None)
    number = collector.series(series)
    for instance, epoch, part in rows:
        value = part.value
        if isinstance(value, str) and are_letters:
            collector.add(number, LETTERS[value], instance=instance, epoch=epoch)
        else:
            collector.take(number, part, instance=instance, epoch=epoch)


def read_archive(name: str, path: Path, collector: Collector) -> None:
    """Take in a log that is an archive (.eval)."""
    try:
        with opened(path, zipfile.ZipFile) as archive:
            members = set(archive.namelist())
            if "header.json" not in members:
                if any(member.startswith("_journal/") for member in members):
                    collector.leave_out(name, "log", "it was not finished")
                    return
                raise DataFormatError(
                    f"{name} is an archive without `header.json`, so no log of Inspect."
                )
            entries = {info.filename: info.file_size for info in archive.infolist()}
            limit = max(LARGEST, RATIO * path.stat().st_size)
            kept = [entry for entry in entries if SAMPLE.fullmatch(entry)]
            if sum(entries[entry] for entry in (*kept, "header.json")) > limit:
                raise DataFormatError(
                    f"{name} would take more than {limit} bytes: unpack it first."
                )
            root = Field(_member(archive, name, "header.json"), "", name)
            samples = (Field(_member(archive, name, at), "", f"{name}, {at}") for at in kept)
            read_log(root, collector, samples)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
        if isinstance(error, DataFormatError):
            raise
        why = f"is no archive, or is damaged or cut off: {str(error)[:200]}"
        raise DataFormatError(f"{name} {why}.") from None
    except (NotImplementedError, RuntimeError) as error:  # a newer compression, or a password
        raise DataFormatError(f"{name} cannot be unpacked here: {error}. {CONVERT}") from None


def _member(archive: zipfile.ZipFile, name: str, entry: str) -> object:
    with archive.open(entry) as stream:
        data = stream.read()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataFormatError(f"{name}, {entry}, is not UTF-8.") from None
    return parse_json(text, f"{name}, {entry}", LENIENT)
