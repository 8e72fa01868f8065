"""Ballots as tables of ranks: one row per ballot, one column per item."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from os import PathLike
from typing import Literal, TextIO

import numpy as np

from rankagg import _pandas as pd
from rankagg._typing import Label
from rankagg._validation import check_choice
from rankagg.core.items import raw_text
from rankagg.core.profile import Profile
from rankagg.core.rankings.places import UNLISTED, UNRANKED
from rankagg.exceptions import DataFormatError, InvalidInputError
from rankagg.io.output_files import guard_frame, write_text
from rankagg.io.tables.columns import NumberStyle, names_of, warn_of_style
from rankagg.io.tables.sources import TableSource, read_table


def read_ballots(
    source: TableSource,
    *,
    count: Label | None = None,
    weight: Label | None = None,
    group: Label | None = None,
    drop: Iterable[Label] = (),
    left_out: Literal["unranked", "unlisted"] = "unranked",
    decimal: Literal[".", ","] = ".",
    missing: Iterable[str] = (),
) -> Profile:
    r"""Read a table of ranks: smaller is better, equal is tied, empty is not ranked.

    Parameters
    ----------
    source : path, text stream or DataFrame
        A UTF-8 text file with a header, its cells separated by commas, tabs or semicolons, or
        another file or a frame as `read_scores` takes them.
    count, weight, group : str or int, optional
        Columns with how often a ballot occurs, its weight, and its group.
    drop : iterable of str or int, optional
        Columns that are no items, such as the voter's name.
    left_out : {"unranked", "unlisted"}, default "unranked"
        What an empty cell means: not observed, or below all that the ballot lists.
    decimal : {".", ","}, default "."
        What stands before decimals in text.
    missing : iterable of str, optional
        Words for an item that is not ranked, beside the usual ones, as they are written.

    Returns
    -------
    Profile

    Raises
    ------
    DataFormatError
        If the file is not such a table, a ballot ranks nothing, or a whole number is beyond what a
        64-bit float holds; the message names the row.

    Warns
    -----
    DataWarning
        How many cells were read by `missing`.

    Examples
    --------
    >>> from io import StringIO
    >>> from rankagg import read_ballots
    >>> list(read_ballots(StringIO("A,B,C,count\n1,2,,10\n2,1,2,5\n"), count="count"))
    [<PartialRanking A > B; unranked: C>, <PartialRanking B > A = C>]
    """
    code = check_choice(left_out, ("unranked", "unlisted"), "left_out")
    table = read_table(source, style=NumberStyle.of(decimal, missing))
    gone = names_of(drop)
    for name in gone:
        table.position(name, "drop")
    special = [name for name in (count, weight, group) if name is not None]
    if len({*gone, *special}) < len(gone) + len(special):
        allowed = "different columns"
        raise InvalidInputError("count, weight, group and drop", allowed, [*special, *gone])
    counts = None if count is None else table.counts(count, "count")
    weights = None if weight is None else table.numbers(weight, "weight")
    groups = None if group is None else table.labels(group, "group")
    others = {*gone, *special}
    items = [name for name in table.header if name not in others]
    if not items:
        raise DataFormatError(f"{table.name} has no item columns.")
    column = table.stacked(items, "item")
    warn_of_style(table.name, column.said, stacklevel=2)
    ranks = column.values.reshape(len(items), -1).T
    empty = np.isnan(ranks).all(axis=1)
    if empty.any():
        place = table.place(int(np.argmax(empty)))
        raise DataFormatError(f"{place} ranks nothing; leave such ballots out.")
    profile = Profile.from_ranks(ranks, items=items, counts=counts, weights=weights, groups=groups)
    if code == "unranked":
        return profile
    unlisted = np.where(profile.ranks == UNRANKED, np.int32(UNLISTED), profile.ranks)
    return profile._replace(ranks=unlisted)


def write_ballots(profile: Profile, target: str | PathLike[str] | TextIO) -> None:
    """Write rankings as a CSV file of ranks from 1 with a column `count`.

    Weights and groups, where there are any, are columns `weight` and `group`; an unranked item is
    an empty cell. Labels that a spreadsheet would run as formulas get an apostrophe in front, which
    `read_ballots` takes away.

    Parameters
    ----------
    profile : Profile
        Rankings without unlisted items: the file could not tell those from unranked ones.
    target : path or text stream
        The file to write.

    Raises
    ------
    InvalidInputError
        If the profile has unlisted items, or an item is called like one of the extra columns.
    """
    if profile.has_unlisted:
        raise InvalidInputError("profile", "free of unlisted items", profile)
    for label in (*profile.items, *(profile.groups or ())):
        if raw_text(label) != raw_text(label).strip() or "\r" in raw_text(label):
            allowed = "labels without blanks around them and without line breaks"
            raise InvalidInputError("items and groups", allowed, label)
    frame = pd.DataFrame(profile.ranks + 1, columns=list(profile.items)).astype("Int64")
    frame = frame.mask(profile.ranks == UNRANKED)
    extra = {"count": profile.counts}
    if (profile.weights != 1).any():
        extra["weight"] = profile.weights  # type: ignore[assignment]
    if profile.groups is not None:
        extra["group"] = list(profile.groups)  # type: ignore[assignment]
    for name, column in extra.items():
        if name in profile.items:
            raise InvalidInputError("items", f"free of the column name {name!r}", name)
        frame[name] = column
    # A semicolon or tab in a label must not look like what separates the cells.
    doubtful = any(
        set(";\t") & set(raw_text(label)) for label in (*profile.items, *(profile.groups or ()))
    )
    quoting: Literal[0, 2] = csv.QUOTE_NONNUMERIC if doubtful else csv.QUOTE_MINIMAL
    text = guard_frame(frame).to_csv(index=False, quoting=quoting, lineterminator="\n")
    if isinstance(target, str | PathLike):
        write_text(target, text)
    else:
        target.write(text)
