"""Options of ballots, in tables and in the formats of PrefLib."""

from __future__ import annotations

from typing import Literal

import click

from rankagg import datasets
from rankagg.aggregation.evidence import WholeData
from rankagg.cli.options.kinds.kind import Found, Kind, Option, Values
from rankagg.cli.options.names import OneOf, labels_of
from rankagg.core.profile import Profile
from rankagg.exceptions import InvalidInputError
from rankagg.io.ballots import read_ballots
from rankagg.io.preflib import looks_like_preflib, read_preflib

__all__ = ["BALLOTS", "NAMES", "OPTIONS", "PREFLIB", "read_bundled"]

OPTIONS: list[Option] = [
    click.option(
        "--count",
        metavar="COLUMN",
        help="Ballots: column of counts; needs --format ballots or cast-votes.",
    ),
    click.option(
        "--left-out",
        type=OneOf(["unranked", "unlisted"]),
        help="Ballots: items left out are not observed (the default, but for cast votes), or below "
        "all listed ones.",
    ),
]

#: Parameters of the readers, and what they are called here.
NAMES = {"count": "--count"}


def _read(values: Values) -> Found:
    profile = read_ballots(
        values["file"],
        count=values["count"],
        drop=values["drop"],
        left_out=_left_out(values),
        decimal=values["decimal"] or ".",
        missing=values["na"],
    )
    return Found(profile)


def _read_preflib(values: Values) -> Found:
    profile = read_preflib(values["file"], left_out=_left_out(values))
    return Found(_without(profile, values["drop"]))


def read_bundled(values: Values) -> Found:
    """Read a bundled data set that holds no scores."""
    return Found(_without(datasets.load(values["dataset"]), values["drop"]))


def _left_out(values: Values) -> Literal["unranked", "unlisted"]:
    return "unlisted" if values["left_out"] == "unlisted" else "unranked"


def _without(data: WholeData, drop: tuple[str, ...]) -> WholeData:
    if not drop or not isinstance(data, Profile):
        return data
    out = labels_of("--drop", drop, data.items, "item")
    kept = [label for label in data.items if label not in out]
    if not kept:
        raise InvalidInputError("--drop", "fewer than all items", list(drop))
    return data.restrict(kept)


BALLOTS = Kind(
    "ballots",
    "a table of ballots; `--format cast-votes` reads those of election offices",
    _read,
    takes=("count", "left_out", "drop", "decimal", "na"),
)

PREFLIB = Kind(
    "preflib",
    "ballots in a PrefLib format",
    _read_preflib,
    takes=("left_out", "drop"),
    looks_so=looks_like_preflib,
)
