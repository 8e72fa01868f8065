"""What is noted of data that were read: directions, lists, and outcomes of comparisons."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import rankagg as ra

# Words in headings of scores of which lower is better.
_OF_LOWER = {
    *("loss", "error", "err", "perplexity", "ppl", "wer", "cer", "ter", "rmse", "mae", "mse"),
    *("latency", "time", "seconds", "cost", "rank"),
}
_SAYS_LOWER = re.compile(r"[↓⬇]|lower is better", re.IGNORECASE)


def directions_noted(table: ra.ScoreTable) -> list[str]:
    """Return a note of tasks on which lower seems better and higher is taken for it."""
    from rankagg.core import listing
    from rankagg.io.tables.look import BETWEEN

    higher = [task for task in table.tasks if table.higher_is_better[task]]
    words = {task: set(map(str.lower, BETWEEN.split(str(task)))) for task in higher}
    seem = [t for t in higher if _OF_LOWER & words[t] or _SAYS_LOWER.search(str(t))]
    taken = f"note: higher is taken for better on {listing(seem)}" if seem else ""
    return [f"{taken}; --lower TASK says otherwise"] if seem else []


def lists_noted(data: ra.Profile) -> str:
    """Return how many lists there are, and how many items they share."""
    from rankagg.core import counted

    lists, times = len(data), list(data.times_ranked().values())
    both = f"{times.count(lists)} in all of them, {times.count(1)} in one alone"
    return f"lists: {lists}, which name {counted(data.n_items, 'item')}: {both}"


def comparisons_noted(table: Any, given: dict[str, Any]) -> list[str]:
    """Return what outcomes are taken for, and the columns that are left out."""
    from rankagg.core import listing
    from rankagg.io.comparisons import describe_outcomes
    from rankagg.io.tables.columns import names_of

    taken = {name for value in given.values() for name in names_of(value)}
    left = [name for name in table.header if str(name) not in taken]
    meant, dropped = given.get("outcome_is"), given.get("drop_outcome", ())
    notes = [describe_outcomes(table, given["outcome"], meant, dropped)]
    if left:
        notes.append(f"left out: {listing(left)} (--cluster, --covariate take them)")
    return notes
