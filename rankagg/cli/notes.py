"""Lines on data: kind, size, omissions, directions, lists and outcomes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import rankagg as ra
from rankagg.core import counted, listing
from rankagg.exceptions import visible
from rankagg.io.comparisons import describe_outcomes
from rankagg.io.tables.columns import names_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankagg._typing import Label
    from rankagg.aggregation import Data
    from rankagg.kinds import DataKind

# Words of which lower is better, at either end of a heading, or at its end alone.
_OF_LOWER = {
    *("perplexity", "ppl", "wer", "cer", "ter", "rmse", "mae", "mse", "latency", "ece", "toxicity"),
    *("fid", "nll", "brier", "eer", "lpips", "fvd", "kid", "perplexities"),
}
_LOWER_LAST = _OF_LOWER | {
    *("loss", "error", "errors", "err", "time", "runtime", "seconds", "cost", "rank"),
}
_SAYS_LOWER = re.compile(r"[↓⬇]|lower is better|error rate", re.IGNORECASE)
_SAYS_HIGHER = re.compile(r"[↑⬆]|higher is better|^(neg|non|1)?[-_\N{MINUS SIGN}]", re.IGNORECASE)
# Most tasks that are named.
_TASKS_NAMED = 40
# The type at the beginning of the representation of data.
_TYPE = re.compile(r"^\w+(?: of|:) ")


def input_lines(found: Data, kind: DataKind, typed: Any) -> list[str]:
    """Return lines on the data: kind, size, omissions, tasks and directions."""
    read = [visible(f"read: {typed.source}, {kind.what}: {size_of(found)}")]
    read += [f"left out: {listing(typed.drop)} (--drop)"] if typed.drop else []
    read += ["left out: all tasks not named by --only"] if typed.only else []
    read += [f"averaged: {', '.join(typed.groups)} (--group)"] if typed.groups else []
    if isinstance(found, ra.ScoreTable | ra.ScoreSummary):
        lines = [*read, *score_lines(found)]
        if typed.tolerance:
            lines.append(f"tolerance: scores within {typed.tolerance:g} are tied")
        elif isinstance(found, ra.ScoreTable) and (near := found.near_ties()):
            lines.append(
                f"note: {counted(near, 'pair')} of scores differ only beyond 7 significant "
                "digits; --tolerance would tie them"
            )
        return lines
    if isinstance(found, ra.PairwiseMatrix):
        return [*read, "votes: a number counts the votes for its row above its column"]
    roles = typed.given("count", "weight")
    read += [f"{role}s: {listing(names_of(names))}" for role, names in roles.items()]
    if isinstance(found, ra.Comparisons):
        return [*read, "ties: counted as ties, not as half a win for each side"]
    return read if kind.page else [*read, "ranks: 1 is the best"]


def size_of(data: Data) -> str:
    """Return the numbers of items, rankings and so on, without the type of the data."""
    return _TYPE.sub("", repr(data)[1:-1]).removesuffix(", unranked=None")


def score_lines(table: ra.ScoreTable | ra.ScoreSummary) -> list[str]:
    """Return the tasks and directions of scores, weights, and empty instances."""
    lower = [str(task) for task, higher in table.higher_is_better.items() if not higher]
    direction = "lower is better" if len(lower) == table.n_tasks else "higher is better"
    if 0 < len(lower) < table.n_tasks:
        direction += f", but lower is better on {', '.join(lower)}"
    lines = [visible(f"tasks: {listing(table.tasks, _TASKS_NAMED)}"), f"scores: {direction}"]
    weights = {task: weight for task, weight in table.task_weights.items() if weight != 1}
    if weights:
        stated = ", ".join(f"{task} {weight:g}" for task, weight in weights.items())
        lines.append(f"task weights other than 1: {stated}")
    if isinstance(table, ra.ScoreSummary) and table.n_empty:
        lines.append(f"left out: {counted(table.n_empty, 'instance')} without any score")
    return lines


def seem_lower(tasks: Iterable[Label]) -> list[Label]:
    """Return tasks whose names suggest that lower is better."""

    def seems_lower(task: str) -> bool:
        before, _, inside = re.sub(r"[(\[]", "\0", task.lower()).partition("\0")
        words = re.findall(r"[^\W_]+", before)
        is_named = _OF_LOWER & {*words[:1], *re.findall(r"[^\W_]+", inside)}
        seems = is_named or _LOWER_LAST & {*words[-1:]} or _SAYS_LOWER.search(task)
        return bool(seems) and not _SAYS_HIGHER.search(task)

    return [task for task in tasks if seems_lower(str(task))]


def lists_noted(data: ra.Profile) -> str:
    """Return the numbers of lists, of their items, and of items that they share."""
    lists, times = len(data), list(data.times_ranked().values())
    shared = f"{times.count(lists)} in all lists, {times.count(1)} in only one"
    return f"lists: {lists}, with {counted(data.n_items, 'item')}: {shared}"


def comparisons_noted(table: Any, given: dict[str, Any]) -> list[str]:
    """Return notes on the meaning of outcomes, and on columns left out."""
    meant, dropped = given.get("outcome_is"), given.get("drop_outcome", ())
    meaning = describe_outcomes(table, given["outcome"], meant, dropped)
    return [meaning, *columns_noted(table, given, "--cluster")]


def columns_noted(table: Any, given: dict[str, Any], option: str) -> list[str]:
    """Return a note on columns left out, which options such as `option` would name."""
    taken = {name for value in given.values() for name in names_of(value)}
    left = [name for name in table.header if str(name) not in taken]
    return [f"left out: {listing(left)}, not named by an option such as {option}"] if left else []
