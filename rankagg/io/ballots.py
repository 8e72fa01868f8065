"""Rankings in tables: ranks with one row per ballot, and ranked lists."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Iterable
from dataclasses import replace
from os import PathLike
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Literal, TextIO, cast

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Label, Unranked
from rankagg._validation import check_integer, check_unranked
from rankagg.core import Profile, counted, listed, raw_text
from rankagg.core.places import zeros_not_ranked
from rankagg.exceptions import DataFormatError, DataWarning, InvalidInputError, shown
from rankagg.io.ballot_columns import BallotLook
from rankagg.io.blt import blt_text
from rankagg.io.output_files import guard_frame, write_text
from rankagg.io.preflib import preflib_text
from rankagg.io.tables.columns import RANKS, NumberStyle, names_of, warn_of_likeness
from rankagg.io.tables.look import CALLED
from rankagg.io.tables.reading import read_table
from rankagg.io.tables.sources import (
    MAX_BYTES,
    TableSource,
    check_filled,
    is_any_frame,
    read_text,
    text_lines,
)

if TYPE_CHECKING:
    from rankagg.io.tables.table import Table

# Endings of PrefLib's files.
PREFLIB = (".soc", ".soi", ".toc", ".toi")


def read_ballots(
    source: TableSource,
    *,
    count: Label | None = None,
    weight: Label | None = None,
    group: Label | None = None,
    drop: Iterable[Label] = (),
    unranked: Unranked = "last",
    decimal: Literal[".", ","] = ".",
    missing: Iterable[str] = (),
    max_bytes: int = MAX_BYTES,
) -> Profile:
    r"""Read a table of ranks: smaller is better, equal is tied, empty is not ranked.

    "2nd", "2nd choice" and "Second choice" are read as 2, and the heading "Question [Ann]" as
    "Ann". Items are the columns of ranks: two or more whose cells are places, none of them larger
    than the number of such columns. Other columns are left out, with a warning.

    Parameters
    ----------
    source : path, text stream or DataFrame
        A UTF-8 text file with a header, its cells separated by commas, tabs or semicolons, or
        another file or a frame as `read_scores` takes them.
    count, weight, group : str or int, optional
        Columns of counts, weights, and groups.
    drop : iterable of str or int, optional
        Columns that are no items, such as the voter's name; then all others are items.
    unranked : {"last", "uniform", "ignore"}, default "last"
        Meaning of an empty cell: below all items that the ballot ranks, or not observed; see
        `Profile.with_unranked`.
    decimal : {".", ","}, default "."
        The decimal separator in text.
    missing : iterable of str, optional
        Additional words for an item that is not ranked.
    max_bytes : int, default 2**30
        Bytes of memory that reading may take.

    Returns
    -------
    Profile

    Warns
    -----
    DataWarning
        Of columns and blank ballots that are left out, of cells read as not ranked, and of likely
        mistakes: one place in words twice, rows without a rank 1, nearly equal names of items.

    Examples
    --------
    >>> from io import StringIO
    >>> from rankagg import read_ballots
    >>> list(read_ballots(StringIO("A,B,C,count\n1,2,,10\n2,1,2,5\n"), count="count"))
    [<PartialRanking A > B; unlisted: C>, <PartialRanking B > A = C>]
    """
    check_unranked(unranked)
    dropped = names_of(drop)
    special = [name for name in (count, weight, group) if name is not None]
    style = replace(NumberStyle.of(decimal, missing), ordinals=True)
    table = read_table(
        source, style=style, blank_rows=not (dropped or special), max_bytes=max_bytes
    )
    table.check_columns(count=count, weight=weight, group=group, drop=dropped)
    counts = None if count is None else table.counts(count, "count")
    weights = None if weight is None else table.numbers(weight, "weight")
    groups = None if group is None else table.labels(group, "group")
    look = BallotLook(table, [*dropped, *special])
    if dropped:
        items = [name for name in look.names if name != ""]
        if len(items) < len(look.names):
            _warn(table.name, "the column without a name is read as names of rows")
    else:
        items = look.find_items(has_counts=bool(special))
    if not items:
        raise DataFormatError(f"{table.name} has no item columns.")
    column = table.stacked(items, "item")
    column.warn(table.name, style.missing)
    ranks = _read_zeros(table.name, column.values.reshape(len(items), -1).T)
    blank = np.isnan(ranks).all(axis=1)
    kept = np.flatnonzero(~blank)
    if not len(kept):
        raise DataFormatError(f"{table.name} has no ballot that ranks anything.")
    if n_blank := int((np.ones(len(ranks)) if counts is None else counts)[blank].sum()):
        _warn(table.name, f"{counted(n_blank, 'blank ballot')}, in no ranking")
    ranks = ranks[kept]
    tied = counted(int((np.sort(ranks)[:, 1:] == np.sort(ranks)[:, :-1]).any(axis=1).sum()), "row")
    if {look.names[at] for at in look.ordinals} & {*items} and not tied.startswith("0 "):
        _warn(table.name, f"{tied} with one place for several items, which are tied there")
    if dropped:
        _warn_of_scores(table.name, ranks)
    names = list(map(look.item_name, items))
    warn_of_likeness(table.name, names, stacklevel=1)
    profile = Profile.from_ranks(
        ranks,
        items=names,
        counts=None if counts is None else counts[kept],
        weights=None if weights is None else weights[kept],
        groups=None if groups is None else [groups[row] for row in kept.tolist()],
    )
    return profile.with_unranked(unranked)


def _warn(name: str, what: str, stacklevel: int = 3) -> None:
    warnings.warn(f"{name}: {what}.", DataWarning, stacklevel=stacklevel)


def _read_zeros(name: str, ranks: Floats) -> Floats:
    """Return ranks with NaN for a 0 that means not ranked; raise if its meaning is unclear."""
    not_ranked = zeros_not_ranked(ranks)
    if not_ranked is None:
        raise DataFormatError(
            f"{name}: the rank 0 may be the best, or mean not ranked. Add 1 to all ranks, or leave "
            "the cells with 0 empty."
        )
    number = int(np.count_nonzero(not_ranked))
    if number:
        cells = counted(number, "cell")
        _warn(name, f"{cells} with rank 0 read as not ranked, as ranks begin at 1", stacklevel=4)
    elif (ranks == 0).any() and not (ranks < 0).any():
        _warn(name, "ranks begin at 0, which is the best", stacklevel=4)
    return np.where(not_ranked, np.nan, ranks)


def _warn_of_scores(name: str, ranks: Floats) -> None:
    least = np.nanmin(ranks, axis=1, keepdims=True)
    # Items that share the best rank may have the mean one.
    most = (np.count_nonzero(ranks == least, axis=1) + 1) / 2
    if (odd := np.count_nonzero(least[:, 0] > most)) * 2 > len(ranks):
        rows = counted(len(ranks), "row")
        sentence = f"{name}: {odd} of {rows} have no rank 1: are these ranks, not scores?"
        warnings.warn(sentence, DataWarning, stacklevel=3)


def read_rankings(
    source: TableSource | Iterable[str | PathLike[str]],
    *,
    ranking: Label | None = None,
    item: Label | None = None,
    rank: Label | None = None,
    drop: Iterable[Label] = (),
    unranked: Unranked = "last",
    max_bytes: int = MAX_BYTES,
) -> Profile:
    r"""Read ranked lists, such as of genes, documents or teams.

    There are three forms:

    * long (`ranking`, `item` and `rank`): one row for each item of a list;
    * a column for each list (default): its cells name items, best first, and are empty at the end;
    * a file for each list (several paths): one item a line, best first, without a header.

    Parameters
    ----------
    source : path, text stream, DataFrame, or iterable of paths
        A table as `read_scores` takes it, or a file for each list.
    ranking, item, rank : str or int, optional
        The columns of lists, items and ranks; smaller is better, equal ranks are ties, and "2nd"
        is read as 2.
    drop : iterable of str or int, optional
        Columns that are no lists.
    unranked : {"last", "uniform", "ignore"}, default "last"
        Items that a list does not name are below those that it names, or not observed; see
        `Profile.with_unranked`.
    max_bytes : int, default 2**30
        Bytes of memory that reading may take.

    Returns
    -------
    Profile
        One ranking for each list, whose name is its group; `times_ranked` says how many lists
        name each item.

    Warns
    -----
    DataWarning
        Of likely mistakes: nearly equal names, a column that counts its rows, one rank twice in a
        list, further columns of the long form.

    Examples
    --------
    >>> from io import StringIO
    >>> from rankagg import read_rankings
    >>> lists = read_rankings(StringIO("lab1,lab2\nTP53,MYC\nMYC,TP53\nEGFR,\n"))
    >>> list(lists), lists.groups
    ([<Permutation TP53 > MYC > EGFR>, <PartialRanking MYC > TP53; unlisted: EGFR>], ('lab1', 'lab2'))
    >>> lists.times_ranked()
    {'EGFR': 1, 'MYC': 2, 'TP53': 2}
    >>> long = StringIO("study,gene,rank\ns1,MYC,1\ns1,TP53,2\ns2,MYC,1\n")
    >>> list(read_rankings(long, ranking="study", item="gene", rank="rank"))
    [<Permutation MYC > TP53>, <PartialRanking MYC; unlisted: TP53>]
    """  # noqa: E501 - printed in one line
    check_unranked(unranked)
    if not (isinstance(source, str | PathLike) or hasattr(source, "read") or is_any_frame(source)):
        read = [read_text(path, max_bytes) for path in cast(Iterable[Any], source)]
        orders = [_items_in(*each) for each in read]
        profile = _profile_of_orders("source", [PurePath(name).stem for name, _ in read], orders)
        return profile.with_unranked(unranked)
    table, dropped = read_table(source, style=RANKS, max_bytes=max_bytes), names_of(drop)
    table.check_columns(drop=dropped)
    long = (ranking, item, rank)
    if any(name is not None for name in long):
        if None in long or len(set(long)) < 3:
            allowed = "three different columns (long form), or not given"
            raise InvalidInputError("ranking, item and rank", allowed, long)
        rest = [name for name in table.header if name not in (*long, *dropped)]
        if rest:
            what = "neither lists, items nor ranks, so each list has the rows of all values"
            _warn(table.name, f"{listed(rest)}: {what}")
        return _profile_of_rows(table, *long).with_unranked(unranked)
    lists = [name for name in table.header if name not in dropped]
    orders = list[list[Any]]()
    for name in lists:
        codes, labels = table.coded(name, "ranking", gaps=True)
        below = np.flatnonzero((codes[:-1] < 0) & (codes[1:] >= 0))
        if len(below):
            what = "names an item below an empty cell; a list has empty cells at its end alone"
            raise table.error(int(below[0]) + 1, name, what)
        orders.append([labels[code] for code in codes[codes >= 0].tolist()])
    return _profile_of_orders(table.name, lists, orders).with_unranked(unranked)


def _items_in(name: str, text: str) -> list[str]:
    """Return the items of a list, one a line; raise if lines hold more than names of items."""
    items = [x for line in text_lines(text) if (x := line.strip())]
    heading = {word for role in ("item", "rank") for word in CALLED[role].split()}
    notes = [x for x in items if x[0] == "#" or "\t" in x]
    if notes or (items and items[0].lower() in heading):
        what = f"has the line {shown((notes or items)[0])}; each line must be the name of an item"
        remedy = "Remove headings, comments and further columns; a table has `read_rankings` too."
        raise DataFormatError(f"{name} {what}.", remedy)
    if len(items) > 1 and all(re.match(rf"{at}[.):]? ", x) for at, x in enumerate(items, 1)):
        what = f"has lines that begin with their places, such as {shown(items[0])}"
        raise DataFormatError(f"{name} {what}.", "Remove the places.")
    return items


def _profile_of_rows(table: Table, ranking: Any, item: Any, rank: Any) -> Profile:
    lists, items = table.coded(ranking, "ranking"), table.coded(item, "item")
    numbers = table.numbers(rank, "rank")
    what = "is missing; leave out rows of items that are not listed"
    table.check_cells(np.isnan(numbers), rank, what)
    again = pd.Series(lists.codes * len(items.labels) + items.codes).duplicated().to_numpy()
    table.check_cells(again, rank, "is of an item that its list has before; each may occur once")
    sizes = {"lists": len(lists.labels), "items": len(items.labels)}
    check_filled(table.name, sizes, len(numbers), table.max_bytes)
    warn_of_likeness(table.name, items.labels, stacklevel=2)
    twice = pd.DataFrame({"list": lists.codes, "rank": numbers}).duplicated().to_numpy()
    if twice.any():
        row, more = int(np.argmax(twice)), len({*lists.codes[twice].tolist()}) - 1
        what = f"the list {shown(lists.labels[lists.codes[row]])} has rank {numbers[row]:g} twice"
        what += f" (and {counted(more, 'more such list')})" if more else ""
        _warn(table.name, f"{what}: items of one rank are tied", stacklevel=4)
    ranks = np.full((len(lists.labels), len(items.labels)), np.nan)
    ranks[lists.codes, items.codes] = numbers
    return Profile.from_ranks(ranks, items=items.labels, groups=lists.labels)


def _profile_of_orders(name: str, lists: list[Any], orders: list[list[Any]]) -> Profile:
    for label, order in zip(lists, orders, strict=True):
        if len(set(order)) < len(order) or not order:
            twice = next((x for at, x in enumerate(order) if x in order[:at]), None)
            what = f"names {shown(twice)} twice" if order else "names nothing"
            raise DataFormatError(f"{name}: the list {shown(label)} {what}.")
        if len(order) > 1 and order == list(map(type(order[0]), range(1, len(order) + 1))):
            what = "names 1 and so on in order: drop the column if these are places"
            _warn(name, f"the list {shown(label)} {what}", stacklevel=4)
    warn_of_likeness(name, dict.fromkeys(x for order in orders for x in order), stacklevel=2)
    return Profile.from_orders(orders, groups=lists)


def write_ballots(
    profile: Profile, target: str | PathLike[str] | TextIO, *, title: str = "", seats: int = 1
) -> None:
    r"""Write ballots as CSV, in a PrefLib format, or as BLT, by the ending of the path.

    - **.csv**, or none, and streams: ranks from 1 with columns `count`, and `weight` and `group`
      if there are some; an item that is not ranked is an empty cell. Labels that a spreadsheet
      would run as formulas get an apostrophe in front, which `read_ballots` removes.
    - **.soc, .soi, .toc, .toi**: strict (s) or with ties (t), complete (c) or not (i). Equal
      ballots are one line with their count; there are no weights and no groups.
    - **.blt**: counts, or weights with a line for each ballot; whole weights are read as counts.
      There are no groups.

    Parameters
    ----------
    profile : Profile
        Rankings with unranked or unlisted items, not both: files cannot distinguish them, and
        readers have the parameter `unranked`.
    target : path or text stream
        The file to write.
    title : str, optional
        Title of the election, which CSV does not hold.
    seats : int, default 1
        Number of seats, which only BLT holds.

    Raises
    ------
    InvalidInputError
        If the format cannot hold the profile, its labels or the title, or the ending is unknown.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import rankagg as ra
    >>> ballots = ra.Profile.from_orders(["AB", "BCA"], counts=[2, 1])
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "council.blt"
    ...     ra.io.write_ballots(ballots, path, title="Council", seats=2)
    ...     path.read_text().splitlines()
    ['3 2', '2 1 2 0', '1 2 3 1 0', '0', '"A"', '"B"', '"C"', '"Council"']
    """
    seats = check_integer(seats, "seats", low=1)
    if profile.has_unranked and profile.has_unlisted:
        raise InvalidInputError("profile", "free of unranked or of unlisted items", profile)
    if profile.clusters is not None:
        raise InvalidInputError("profile", "free of clusters: `with_clusters(None)`", profile)
    path = Path(target) if isinstance(target, str | PathLike) else Path()
    ending = path.suffix.lower()
    if ending in (*PREFLIB, ".blt"):
        is_weighted = ending in PREFLIB and (profile.weights != 1).any()
        if is_weighted or profile.groups is not None:
            allowed = f"free of {'weights' if is_weighted else 'groups'} in a file {ending}"
            raise InvalidInputError("profile", allowed, profile, "A .csv file holds them.")
        if (profile.ranks < 0).all(axis=1).any():
            raise InvalidInputError("profile", "free of empty ballots", profile)
        is_blt = ending == ".blt"
        text = blt_text(profile, title, seats) if is_blt else preflib_text(profile, path, title)
    elif ending in ("", ".csv"):
        text = _csv_text(profile)
    else:
        allowed = f"a name that ends in .csv, {', '.join(PREFLIB)} or .blt"
        raise InvalidInputError("target", allowed, str(path))
    if isinstance(target, str | PathLike):
        write_text(target, text)
    else:
        target.write(text)


def _csv_text(profile: Profile) -> str:
    """Return rankings as a table of ranks with counts, weights and groups."""
    labels = [raw_text(label) for label in (*profile.items, *(profile.groups or ()))]
    for label in labels:
        if label != label.strip() or "\r" in label:
            allowed = "labels without blanks around them and without line breaks"
            raise InvalidInputError("items and groups", allowed, label)
    frame = pd.DataFrame(profile.ranks + 1, columns=list(profile.items)).astype("Int64")
    frame = frame.mask(profile.ranks < 0)
    extra = {"count": profile.counts}
    if (profile.weights != 1).any():
        extra["weight"] = profile.weights  # type: ignore[assignment]
    if profile.groups is not None:
        extra["group"] = list(profile.groups)  # type: ignore[assignment]
    for name, column in extra.items():
        if name in profile.items:
            raise InvalidInputError("items", f"free of the column name {name!r}", name)
        frame[name] = column
    # A semicolon or tab in a label must not look like the delimiter.
    doubtful = any(set(";\t") & set(label) for label in labels)
    quoting: Literal[0, 2] = csv.QUOTE_NONNUMERIC if doubtful else csv.QUOTE_MINIMAL
    return guard_frame(frame).to_csv(index=False, quoting=quoting, lineterminator="\n")
