"""Options that say how numbers are written in text."""

from __future__ import annotations

import click

from rankagg.cli.options.kinds.kind import Option
from rankagg.cli.options.names import OneOf

__all__ = ["NAMES", "OPTIONS"]

OPTIONS: list[Option] = [
    click.option(
        "--decimal",
        type=OneOf([".", ","]),
        help="Scores, ballots: what stands before decimals; default: a point.",
    ),
    click.option(
        "--percent", is_flag=True, help="Scores: 86.1% is 0.861; all of a column, or none."
    ),
    click.option(
        "--na",
        multiple=True,
        metavar="TEXT",
        help="Scores, ballots: a further word for a missing number; may be repeated.",
    ),
    click.option(
        "--errors",
        type=OneOf(["refuse", "drop"]),
        help="Scores: of 1.2 ± 0.3 or 1.2 (0.3) read the value, and leave the error out; default: "
        "refuse.",
    ),
]

#: Parameters of the readers, and what they are called here.
NAMES = {
    "decimal": "--decimal",
    "errors": "--errors",
    "missing": "--na",
    "percent": "--percent",
}
