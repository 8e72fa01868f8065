"""Options of cast votes: what the columns are, and what is done about marks that name no one."""

from __future__ import annotations

from collections.abc import Iterable

import click

from rankagg.cli.options.kinds.kind import Found, Kind, Option, Values
from rankagg.cli.options.names import OneOf
from rankagg.exceptions import InvalidInputError
from rankagg.io.cast_vote_grid import SPELLINGS
from rankagg.io.cast_votes import read_cast_votes

__all__ = ["CAST_VOTES", "NAMES", "OPTIONS"]

OPTIONS: list[Option] = [
    click.option(
        "--choice",
        multiple=True,
        metavar="COLUMN",
        help="Cast votes: a column of choices, the first choice first; to be repeated; default: "
        "all that are not named otherwise.",
    ),
    click.option("--ballot", metavar="COLUMN", help="Cast votes, long form: column of ballots."),
    click.option("--rank", metavar="COLUMN", help="Cast votes, long form: column of ranks."),
    click.option("--item", metavar="COLUMN", help="Cast votes, long form: column of candidates."),
    click.option(
        "--overvotes",
        type=OneOf(["end", "skip"]),
        help="Cast votes: an overvote ends its ballot (the default), or the next choice moves up.",
    ),
    click.option(
        "--skipped",
        type=OneOf(["close", "end", "end-after-two"]),
        help="Cast votes: behind a skipped choice later ones move up (the default), or it ends its "
        "ballot, or two in a row do.",
    ),
    click.option(
        "--write-ins",
        type=OneOf(["keep", "pool", "drop"]),
        help="Cast votes: write-ins are items (the default), or one item, or taken off.",
    ),
    click.option(
        "--spelling",
        multiple=True,
        metavar="KIND=TEXT",
        help="Cast votes: how an undervote, overvote or write-in is written, in place of the usual "
        "spellings of that kind; may be repeated.",
    ),
]

#: Parameters of the reader, and what they are called here.
NAMES = {
    "ballot": "--ballot",
    "ballot, rank and item": "--ballot, --rank and --item",
    "choices": "--choice",
    "columns": "columns",
    "item": "--item",
    "rank": "--rank",
    "spellings": "--spelling",
}


def _read(values: Values) -> Found:
    found = read_cast_votes(
        values["file"],
        choices=values["choice"] or None,
        ballot=values["ballot"],
        rank=values["rank"],
        item=values["item"],
        count=values["count"],
        drop=values["drop"],
        overvotes=values["overvotes"] or "end",
        skipped=values["skipped"] or "close",
        write_ins=values["write_ins"] or "keep",
        spellings=_spellings(values["spelling"]),
        left_out=values["left_out"] or "unlisted",
    )
    return Found(found.profile, found.lines())


def _spellings(texts: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for text in texts:
        kind, sign, spelling = text.partition("=")
        if not sign:
            allowed = f"KIND=TEXT, KIND one of {', '.join(SPELLINGS)}"
            raise InvalidInputError("--spelling", allowed, text)
        found.setdefault(kind, []).extend([spelling] if spelling.strip() else [])
    return found


CAST_VOTES = Kind(
    "cast-votes",
    "cast votes",
    _read,
    takes=(
        "choice", "ballot", "rank", "item", "overvotes", "skipped", "write_ins", "spelling",
        "count", "left_out", "drop",
    ),
)  # fmt: skip
