"""What all formats of evaluation logs hold alike: rows of scores, and members of objects."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from math import isfinite, nan
from typing import Any, NamedTuple, NoReturn, TypeVar, cast

from rankagg._typing import Label
from rankagg.core import counted, shortened
from rankagg.exceptions import DataFormatError, shown
from rankagg.io.strict_json import distinct, parse_json
from rankagg.io.tables.sources import check_memory, json_memory

T = TypeVar("T")

KINDS: dict[type, str] = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    dict: "an object",
    list: "a list",
}
# A sample of a log has these members, and of what else it holds only these are kept.
OF_SAMPLES = frozenset({"id", "epoch", "scores", "error", "invalidation"})
LARGEST_COUNT = 2**63
# Bytes of memory that a row takes in the end.
PER_ROW = 800


class Row(NamedTuple):
    """A score of a system on a task or an instance of it, and what belongs to it."""

    system: str
    task: str
    metric: str
    score: float = nan
    # The standard error, and the number of samples.
    error: float = nan
    n: int | None = None
    higher_is_better: bool | None = None
    instance: Label | None = None
    epoch: int | None = None
    # What makes scores of two runs comparable: version, examples shown, limit.
    settings: str = ""
    source: str = ""
    run: str = ""
    # What tells tasks of one name apart.
    dataset: str = ""
    # A checksum of what an instance asks.
    question: str = ""


class Found:
    """The rows of all files, and what was left out."""

    def __init__(self, max_bytes: int) -> None:
        # What reading a file, a line or a sample may take.
        self.max_bytes = max_bytes
        self.rows: list[Row] = []
        self.left_out: Counter[tuple[str, str]] = Counter()
        # Files with another number of samples than is stated.
        self.incomplete: list[str] = []

    def add(self, row: Row, score: object) -> None:
        """Take in a number or a truth value; count what is neither, or not finite."""
        if not isinstance(score, bool | int | float):
            self.left_out["score", f"no number under {shortened(row.metric)}"] += 1
            return
        value = measured(score)
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

    def expect(self, source: str, found: int, stated: int | None) -> None:
        """Keep what to say where a file has fewer or more samples than are stated."""
        if stated is not None and found != stated:
            self.incomplete.append(f"{source} has {found} of {counted(stated, 'sample')}")


def measured(value: object) -> float:
    """Return a number or a truth value as a float, NaN for all else."""
    if not isinstance(value, int | float):
        return nan
    try:
        return float(value)
    except OverflowError:
        return nan


# -- members of objects ----------------------------------------------------------------------------


def _kept(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, of a sample of a log only what is read of it."""
    content = distinct(pairs)
    if {"id", "epoch", "input", "target"} <= content.keys():
        return {key: content[key] for key in OF_SAMPLES & content.keys()}
    return content


def parsed(text: str, name: str, max_bytes: int) -> Any:
    """Return the content of a JSON text; raises where it takes too much memory."""
    check_memory(name, json_memory(text), max_bytes)
    return parse_json(text, name, json.JSONDecoder(object_pairs_hook=_kept))


def objects(
    source: str, lines: Iterable[tuple[int, str]], max_bytes: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects in lines, each with a name for messages."""
    for number, line in lines:
        name = f"{source}, line {number}"
        yield name, checked(name, "the line", parsed(line, name, max_bytes), dict)


def checked(where: str, path: str, value: object, kind: type[T]) -> T:
    """Return a value that is of a kind; whole numbers are numbers, and no text is blank."""
    fits = type(value) is kind or (kind is float and type(value) is int)
    if not fits or (isinstance(value, str) and not value.strip()):
        refuse(where, path, KINDS[kind], value)
    return cast(T, value)


def refuse(where: str, path: str, allowed: str, value: object, remedy: str = "") -> NoReturn:
    """Raise, with what must stand somewhere."""
    got = KINDS[type(value)] if isinstance(value, dict | list) else shown(value)
    raise DataFormatError(f"{where}: `{path}` must be {allowed}. Got {got}.", remedy)


def find(where: str, content: object, *keys: str, kind: type[T]) -> T | None:
    """Return what stands below keys, None where it is absent or null; refuse other kinds."""
    found: Any = content
    for at, key in enumerate(keys):
        found = checked(where, ".".join(keys[:at]) or "it", found, dict).get(key)
        if found is None:
            return None
    return checked(where, shortened(".".join(keys), 160), found, kind)


def get(where: str, content: object, *keys: str, kind: type[T], remedy: str = "") -> T:
    """Return what must stand below keys."""
    found = find(where, content, *keys, kind=kind)
    if found is None:
        path = shortened(".".join(keys), 160)
        raise DataFormatError(f"{where}: `{path}` is missing.", remedy)
    return found


def label_at(where: str, content: dict[str, Any], key: str) -> Label:
    """Return the label below a key, a whole number or a text."""
    label = content.get(key)
    return label if type(label) is int else get(where, content, key, kind=str)


def count_at(where: str, content: object, *keys: str) -> int | None:
    """Return the number of samples below keys; None where there is anything else."""
    above = find(where, content, *keys[:-1], kind=dict) or {}
    number = above.get(keys[-1])
    return number if type(number) is int and 0 <= number < LARGEST_COUNT else None


def setting(where: str, content: object, word: str, *keys: str) -> list[str]:
    """Return what is set below keys as words, nothing where it is absent."""
    above = find(where, content, *keys[:-1], kind=dict) or {}
    value = above.get(keys[-1])
    return [] if value is None or isinstance(value, dict | list) else [word.format(value)]
