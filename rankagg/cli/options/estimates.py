"""Tables of estimates with their errors, as boards publish them, in the place of data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click
import numpy as np
import pandas as pd
import scipy

import rankagg as ra
from rankagg._typing import Floats
from rankagg.cli.options.data_options import DATA_OPTIONS, Typed
from rankagg.cli.options.inputs import Input, read_input
from rankagg.cli.options.wording import option_of, options_named
from rankagg.core import counted, level_of, listed, said
from rankagg.exceptions import DataFormatError, visible
from rankagg.io.comparisons import key_of
from rankagg.io.tables.reading import read_table
from rankagg.io.tables.table import Table

#: What columns are called, in any case and with _ for blanks; the first word is looked for first.
CALLED = {
    "item": ("item", "model", "system", "name", "player", "team", "label"),
    "estimate": ("estimate", "rating", "elo", "score", "mean", "value", "coef", "arena score"),
    "std_err": ("std err", "se", "stderr", "std error", "standard error", "standard errors"),
    "lower": ("lower", "ci lower", "lower bound", "rating lower", "rating q025", "low"),
    "upper": ("upper", "ci upper", "upper bound", "rating upper", "rating q975", "high"),
}
# A center that is farther from its estimate, in parts of the length, is said to be.
SKEWED = 0.1


@dataclass(frozen=True, eq=False)
class Estimates:
    """Estimates of items, and how certain they are."""

    # What `rank_sets` takes.
    given: dict[str, Any]

    def rank_sets(self, **options: Any) -> ra.inference.RankIntervals:
        """Bound the ranks."""
        return ra.inference.rank_sets(**self.given, **options)


def read_estimates(
    *, estimates: str | None, covariance: str | None, ends_alpha: Any, **values: Any
) -> Input:
    """Read estimates, or data where none are named."""
    if estimates is None:
        for name, value in (("covariance", covariance), ("ends_alpha", ends_alpha)):
            if value is not None:
                raise click.UsageError(f"{option_of(name)} is for --estimates.")
        return read_input(**values)
    typed = Typed(**values)
    taken = ("format", "lower_is_better")
    if typed.files or typed.format != "auto":
        raise click.UsageError("--estimates FILE stands in the place of FILE and of --format.")
    for name in typed.given(*(str(one.name) for one in DATA_OPTIONS if one.name not in taken)):
        raise click.UsageError(f"{option_of(name)} has no meaning for --estimates.")
    higher = not typed.lower_is_better
    with options_named({"source": "--estimates"}):
        table = read_table(estimates)
    column = _column(table, "estimate")
    first = table.header[0] if table.header[0] != column else _column(table, "item")
    items = table.labels(_find(table, "item") or first, "item")
    if len(set(items)) < len(items):
        twice = next(item for at, item in enumerate(items) if item in items[:at])
        raise DataFormatError(f"{table.name} has {twice} twice; each row must be another item.")
    numbers = table.numbers(column, "estimate")
    given = {
        "estimates": dict(zip(items, numbers.tolist(), strict=True)),
        "higher_is_better": higher,
    }
    has_errors = covariance is not None or _find(table, "std_err") is not None
    if has_errors and ends_alpha is not None:
        raise click.UsageError("--ends-alpha has no meaning where there are standard errors.")
    if covariance is not None:
        given["covariance"], errors = _covariance(covariance), f"covariance: {covariance}"
    else:
        given["standard_errors"], errors = _errors(table, numbers, ends_alpha)
    lines = [
        f"estimates: {'higher' if higher else 'lower'} is better",
        f"read: {estimates}, {counted(len(items), 'item')}, estimates in column {column}",
        errors,
    ]
    return Input(Estimates(given), 0.0, tuple(map(visible, lines)), estimates)


def _find(table: Table, what: str) -> Any:
    """Return the column that is called so; None where there is none."""
    known = {key_of(name): name for name in reversed(table.header)}
    return next((known[word] for word in CALLED[what] if word in known), None)


def _column(table: Table, what: str) -> Any:
    if (found := _find(table, what)) is not None:
        return found
    words = ", ".join(word.replace(" ", "_") for word in CALLED[what])
    held = listed(table.header)
    raise DataFormatError(f"{table.name} has the columns {held}; one must be called {words}.")


def _errors(table: Table, estimates: Floats, ends_alpha: float | None) -> tuple[Floats, str]:
    """Return standard errors, and where they come from."""
    own, ends = _find(table, "std_err"), [_find(table, end) for end in ("lower", "upper")]
    if own is not None or None in ends:
        column = _column(table, "std_err")
        return table.numbers(column, "std_err"), f"standard errors: column {column}"
    both = " and ".join(map(str, ends))
    if ends_alpha is None:
        raise click.UsageError(
            f"{table.name} has ends of intervals ({both}) and no standard errors: say by "
            "--ends-alpha with which probability of error, 0.05 where they are of 95 %."
        )
    lower, upper = (table.numbers(end, "ends") for end in ends)
    line = said(
        "standard errors: {} and {} are taken for the ends of normal intervals of {}",
        *ends,
        level_of(ends_alpha),
    )
    skewed = np.abs(lower + upper - 2 * estimates) > SKEWED * (upper - lower)
    if skewed.any():
        line += f"; {counted(int(skewed.sum()), 'estimate')} not in the middle"
    return (upper - lower) / (2 * scipy.stats.norm.isf(ends_alpha / 2)), line


def _covariance(path: str) -> pd.DataFrame:
    """Return a table of items by items."""
    table = read_table(path)
    first, *columns = table.header
    items = table.labels(first, "item")
    values = table.stacked(columns, "covariance").values.reshape(len(columns), -1).T
    frame = pd.DataFrame(values, index=pd.Index(items), columns=pd.Index(columns))
    return frame[items] if set(items) == set(columns) else frame
