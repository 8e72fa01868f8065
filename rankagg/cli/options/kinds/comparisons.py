"""Options of comparisons: the columns of the two sides, the outcome and what describes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from rankagg.cli.options.kinds.kind import Found, Kind, Option, Values
from rankagg.cli.options.names import OneOf
from rankagg.io.comparisons import read_comparisons

__all__ = ["COMPARISONS", "NAMES", "OPTIONS", "first_name"]


def _first_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the column of first items; where --first is something else, by its long name alone."""
    taken = {name for option in getattr(command, "__click_params__", ()) for name in option.opts}
    names = ["--first-side"] if "--first" in taken else ["--first", "--first-side"]
    about = "Comparisons: column of the items on the first side; needs --format comparisons."
    added: Callable[..., Any] = click.option(*names, "first_side", metavar="COLUMN", help=about)(
        command
    )
    return added


OPTIONS: list[Option] = [
    _first_option,
    click.option(
        "--second",
        "--second-side",
        "second",
        metavar="COLUMN",
        help="Comparisons: column of the items on the second side.",
    ),
    click.option(
        "--outcome",
        metavar="COLUMN",
        help="Comparisons: column of the winner, by side (left, model_a, 1, ...) or by name, or a "
        "tie.",
    ),
    click.option(
        "--outcome-is",
        type=OneOf(["side", "winner"]),
        help="Comparisons: what outcomes are, where words are sides and names too.",
    ),
    click.option(
        "--cluster",
        metavar="COLUMN",
        help="Comparisons: column of what they have in common, the judge or the prompt.",
    ),
    click.option(
        "--side",
        metavar="COLUMN",
        help="Comparisons: column of the side with the advantage; default: the first.",
    ),
    click.option(
        "--covariate",
        metavar="COLUMN",
        multiple=True,
        help="Comparisons: column of numbers that speak for the first side; may be repeated.",
    ),
]

# Values of these options.
COLUMNS = ("first_side", "second", "outcome", "outcome_is", "cluster", "side", "covariate")

#: Parameters of the reader, and what they are called here.
NAMES = {
    "first": "--first",
    "second": "--second",
    "outcome": "--outcome",
    "outcome_is": "--outcome-is",
    "cluster": "--cluster",
    "side": "--side",
    "covariates": "--covariate",
    "weight": "--weight",
    "first, second, outcome, weight, cluster, side and covariates": "the columns named",
}


def first_name() -> dict[str, str]:
    """Return what the column of first items is called on the command that runs."""
    context = click.get_current_context(silent=True)
    options = [] if context is None else context.command.params
    spelled = [option.opts[0] for option in options if option.name == "first_side"]
    return {"first": spelled[0]} if spelled else {}


def _read(values: Values) -> Found:
    called = {**NAMES, **first_name()}
    needed = {"first": "first_side", "second": "second", "outcome": "outcome"}
    missing = [called[name] for name, value in needed.items() if not values[value]]
    if missing:
        raise click.UsageError(
            f"--format comparisons needs the columns: give {' and '.join(missing)}."
        )
    if len(values["weight"]) > 1:
        raise click.UsageError("--format comparisons takes one --weight COLUMN.")
    columns = {name: values[name] for name in COLUMNS[1:-1]}
    weight = values["weight"][0] if values["weight"] else None
    return Found(
        read_comparisons(
            values["file"], first=values["first_side"], weight=weight,
            covariates=values["covariate"], **columns,
        )
    )  # fmt: skip


COMPARISONS = Kind("comparisons", "a table of comparisons", _read, takes=("weight", *COLUMNS))
