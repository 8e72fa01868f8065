"""Notes on data that were read: directions, lists, and outcomes of comparisons."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import rankagg as ra

# Words in headings of scores for which lower is better.
_OF_LOWER = {
    *("loss", "error", "err", "perplexity", "ppl", "wer", "cer", "ter", "rmse", "mae", "mse"),
    *("latency", "time", "seconds", "cost", "rank"),
}
_SAYS_LOWER = re.compile(r"[↓⬇]|lower is better", re.IGNORECASE)


def directions_noted(table: ra.ScoreTable) -> list[str]:
    """Return a note on tasks whose names suggest that lower is better."""
    from rankagg.core import listing
    from rankagg.io.tables.look import BETWEEN

    higher = [task for task in table.tasks if table.higher_is_better[task]]
    words = {task: set(map(str.lower, BETWEEN.split(str(task)))) for task in higher}
    seem = [t for t in higher if _OF_LOWER & words[t] or _SAYS_LOWER.search(str(t))]
    note = "note: higher counts as better on {}; use --lower TASK if lower is better"
    return [note.format(listing(seem))] if seem else []


def lists_noted(data: ra.Profile) -> str:
    """Return the numbers of lists, of their items, and of items that they share."""
    from rankagg.core import counted

    lists, times = len(data), list(data.times_ranked().values())
    shared = f"{times.count(lists)} in all lists, {times.count(1)} in only one"
    return f"lists: {lists}, with {counted(data.n_items, 'item')}: {shared}"


def comparisons_noted(table: Any, given: dict[str, Any]) -> list[str]:
    """Return notes on the meaning of outcomes, and on columns left out."""
    from rankagg.core import listing
    from rankagg.io.comparisons import outcomes_taken
    from rankagg.io.tables.columns import names_of

    taken = {name for value in given.values() for name in names_of(value)}
    left = [name for name in table.header if str(name) not in taken]
    meant, dropped = given.get("outcome_is"), given.get("drop_outcome", ())
    notes = [outcomes_taken(table, given["outcome"], meant, dropped)]
    if left:
        notes.append(f"left out: {listing(left)}, not named by an option such as --cluster")
    return notes
