"""A `ScoreSummary` as plain data, and back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, TypeVar

import numpy as np

from rankagg._typing import Label
from rankagg.core.items import ItemSet
from rankagg.core.sums.grouped_tally import GroupedTally
from rankagg.core.sums.task_tally import TaskTally
from rankagg.exceptions import DataFormatError

__all__ = [
    "GROUPED_VERSION", "SCHEMA", "VERSION", "fingerprint_of", "parsed", "plain_tasks", "sortable",
]  # fmt: skip

SCHEMA, VERSION, GROUPED_VERSION = "rankagg.score_summary", 1, 2

T = TypeVar("T")


def plain_tasks(
    tallies: Mapping[Label, TaskTally],
    grouped: Mapping[Label, GroupedTally],
    directions: Mapping[Label, bool],
    weights: Mapping[Label, float],
) -> list[dict[str, Any]]:
    """Return the plain data of all tasks; with groups these too, which make up the rest."""
    return [
        {
            "task": task,
            "higher_is_better": directions[task],
            "weight": weights[task],
            "tally": tally.to_dict(),
            **({"groups": grouped[task].to_dict()} if grouped else {}),
        }
        for task, tally in tallies.items()
    ]


def parsed(content: Mapping[str, Any], make: Callable[..., T]) -> T:
    """Return the summary of plain data; see `ScoreSummary.from_dict`."""
    if not isinstance(content, Mapping) or content.get("schema") != SCHEMA:
        raise DataFormatError(f"the plain data are not of the schema {SCHEMA!r}.")
    version = content.get("version")
    if version not in (VERSION, GROUPED_VERSION):
        raise DataFormatError(
            f"{SCHEMA}: version {version!r} is not known; {VERSION} and {GROUPED_VERSION} are."
        )
    try:
        parts = content["tasks"]
        if len({part["task"] for part in parts}) < len(parts):
            raise ValueError("a task stands there twice")
        return make(
            ItemSet(content["systems"]),
            {part["task"]: _tally(part, is_grouped=version == GROUPED_VERSION) for part in parts},
            higher_is_better={part["task"]: part["higher_is_better"] for part in parts},
            task_weights={part["task"]: part["weight"] for part in parts},
        )
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise DataFormatError(f"{SCHEMA}: not what a summary holds ({error}).") from None


def _tally(part: Mapping[str, Any], *, is_grouped: bool) -> TaskTally | GroupedTally:
    tally = TaskTally.from_dict(part["tally"])
    if is_grouped != ("groups" in part):
        raise ValueError("groups")
    if not is_grouped:
        return tally
    grouped = GroupedTally.from_dict(part["groups"])
    if len(grouped) != len(tally) or grouped.total != tally:
        raise ValueError("the groups do not add up to the whole")
    return grouped


def fingerprint_of(
    systems: ItemSet, tallies: Mapping[Label, TaskTally], directions: Mapping[Label, bool]
) -> str:
    """Return the fingerprint; see `ScoreSummary.fingerprint`."""
    order = sorted(range(len(systems)), key=lambda i: sortable(systems[i]))
    positions = np.array(order, dtype=np.int64)
    digest = sha256(f"{SCHEMA} {VERSION}\n".encode())
    digest.update(json.dumps([systems[i] for i in order]).encode())
    for task in sorted(tallies, key=sortable):
        content = [task, directions[task], tallies[task].reordered(positions).to_dict()]
        digest.update(f"\n{json.dumps(content)}".encode())
    return digest.hexdigest()


def sortable(label: Label) -> tuple[bool, Label]:
    """Return what labels are sorted by: numbers first, then text."""
    return isinstance(label, str), label
