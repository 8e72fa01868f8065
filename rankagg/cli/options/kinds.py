"""Kinds of data on the command line: what each is called, and which options it has no use for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from rankagg.cli.options.cast_votes import CAST_VOTES
from rankagg.cli.options.comparisons import COMPARISONS
from rankagg.cli.options.evaluations import EVALUATION_NAMES
from rankagg.cli.options.text_numbers import TEXT_NUMBERS

__all__ = ["check_meaning"]

COLUMNS = ("system", "instance", "task", "score", "lower", "lower_is_better")
ON_SCORES = ("weight", "group", "tolerance")
ON_BALLOTS = ("count", "left_out")
OTHERS = (*CAST_VOTES, *COMPARISONS, *TEXT_NUMBERS)

#: Values that say nothing of each kind.
REFUSED = {
    "scores": (*ON_BALLOTS, *CAST_VOTES, *COMPARISONS),
    "ballots": (*COLUMNS, *ON_SCORES, *CAST_VOTES, *COMPARISONS, "percent", "errors"),
    "cast-votes": (*COLUMNS, *ON_SCORES, *COMPARISONS, *TEXT_NUMBERS),
    "comparisons": (
        *COLUMNS, "group", "tolerance", *ON_BALLOTS, "drop", *CAST_VOTES, *TEXT_NUMBERS,
    ),
    "preflib": (*COLUMNS, *ON_SCORES, "count", *OTHERS),
    "matrix": (*COLUMNS, *ON_SCORES, *ON_BALLOTS, "drop", *OTHERS),
    "votes": (*COLUMNS, *ON_SCORES, *ON_BALLOTS, "drop", *OTHERS),
    "summary": (*COLUMNS, "group", "tolerance", *ON_BALLOTS, "drop", *OTHERS),
    "evaluations": ("system", "instance", "task", "score", *ON_BALLOTS, *OTHERS),
    "bundled scores": (*COLUMNS, *ON_BALLOTS, *OTHERS),
    "bundled ballots": (*COLUMNS, *ON_SCORES, *ON_BALLOTS, *OTHERS),
}  # fmt: skip

#: What each kind is, for messages.
MEANING = {
    "scores": "a table of scores; `--format ballots` reads ballots, `--format comparisons` results "
    "of pairs",
    "ballots": "a table of ballots; `--format cast-votes` reads those of election offices",
    "cast-votes": "cast votes",
    "comparisons": "a table of comparisons",
    "preflib": "ballots in a PrefLib format",
    "matrix": "a linear ordering matrix",
    "votes": "votes as JSON",
    "summary": "sums of scores, which were counted with directions of their own",
    "evaluations": "evaluations, which name systems, tasks and instances themselves",
    "bundled scores": "--dataset, which knows its columns and directions",
    "bundled ballots": "--dataset with ballots",
}


def check_meaning(kind: str, values: Mapping[str, Any]) -> None:
    """Raise where an option is given that has no meaning for a kind of data."""
    own = () if kind == "evaluations" else EVALUATION_NAMES
    for option in (*REFUSED[kind], *own):
        if values[option]:
            typed = option.replace("_", "-")
            raise click.UsageError(f"--{typed} has no meaning for {MEANING[kind]}.")
