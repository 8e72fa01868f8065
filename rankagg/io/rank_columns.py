"""Which columns of a table are ranks of items: their cells are places."""

from __future__ import annotations

import warnings

import numpy as np

from rankagg._typing import Label
from rankagg.core import listed
from rankagg.core.rankings.canonical import zeros_not_ranked
from rankagg.core.rankings.places import competition_ranks, mid_ranks
from rankagg.exceptions import DataFormatError, DataWarning, shown
from rankagg.io.tables.look import KEYS, TableLook, in_brackets, may_be_counts

# More than this share of rows must be rankings.
FEWEST_RANKINGS = 0.5
#: Columns called so are items only where nothing else makes rankings.
NO_ITEMS = (*KEYS, "count", "ranking", "rank")


def rank_columns(look: TableLook, *, has_counts: bool = False) -> list[Label]:
    """Return the columns of ranks, [] where there are none.

    Two columns or more whose cells are places ("2", "2nd", "2nd choice", 0 or blank), none larger
    than the number of such columns, of which more than half of the rows are rankings. Columns
    without a name, or called voter, id, count and the like, are none, unless each row is a ranking
    with them and few are without. Empty columns are of items that nobody ranks where all other
    columns are ranks, or they are called "Question [Ann]". Ties are rankings where ballots have
    counts.
    """
    found = [at for at in look.numeric if not (look.values[at] % 0.5 > 0).any()]
    found = [at for at in found if np.nanmin(look.values[at]) >= 0 and look.names[at] != ""]
    called = {at for at in look.called(*NO_ITEMS, among=found) if not in_brackets(look.names[at])}
    items = _small(look, [at for at in found if at not in called])
    if _share_of_rankings(look, items, ties=has_counts) <= FEWEST_RANKINGS:
        items = _small(look, found)
        if _share_of_rankings(look, items, ties=has_counts) < 1:
            return []
    blank = [at for at in look.texts if np.isnan(look.values[at]).all()]
    if len(items) + len(blank) < len(look.names):
        blank = [at for at in blank if in_brackets(look.names[at])]
    return [look.names[at] for at in sorted([*items, *blank])]


def questions_of(look: TableLook) -> list[str]:
    """Return the questions in headings of places, such as "Rank them [Ann]"."""
    found = [in_brackets(look.names[at])[:1] for at in look.numeric]
    return list(dict.fromkeys(one[0] for one in found if one))


def _small(look: TableLook, columns: list[int]) -> list[int]:
    """Return the columns without a number that is larger than how many columns there are."""
    while large := {at for at in columns if np.nanmax(look.values[at]) > len(columns)}:
        columns = [at for at in columns if at not in large]
    return columns


def _share_of_rankings(look: TableLook, columns: list[int], *, ties: bool) -> float:
    """Return the share of the rows that rank anything that are rankings.

    Those are 1, 2 and so on once each, or (`ties`) ties have the best rank or the mean one. Zeros
    of unclear meaning are left out.
    """
    if len(columns) < 2:
        return 0.0
    rows = np.column_stack([look.values[at] for at in columns])
    not_ranked, has_zeros = zeros_not_ranked(rows), (rows == 0).any()
    if not_ranked is None or not_ranked.any():
        rows = np.where(rows == 0, np.nan, rows)
    elif has_zeros:
        rows = rows + 1
    rows = rows[~np.isnan(rows).all(axis=1)]
    # Zeros and ones are marks.
    if not len(rows) or (has_zeros and np.nanmax(rows) == 1):
        return 0.0
    if not ties:
        rows = np.sort(rows, axis=1)
        fits = (rows == np.arange(1, rows.shape[1] + 1)) | np.isnan(rows)
        return float(fits.all(axis=1).mean())
    best = competition_ranks(rows)
    ways = [((rows == way + 1) | np.isnan(rows)).all(axis=1) for way in (best, mid_ranks(best))]
    return float((ways[0] | ways[1]).mean())


def found_items(look: TableLook, *, has_counts: bool) -> list[Label]:
    """Return the columns of ranks; raises where one of the others may belong to the ballots."""
    name, items = look.table.name, rank_columns(look, has_counts=has_counts)
    if len(asked := questions_of(look)) > 1:
        raise DataFormatError(
            f"{name} has ranks of {' and of '.join(map(shown, asked))}: `drop` the columns of all "
            "questions but one."
        )
    if has_counts and len(look.names) == len(look.numeric) == 1:
        items = look.names
    if not items:
        for at in look.texts:
            # What is no place among places is named.
            numbers = np.isfinite(look.values[at])
            if numbers.any() and 2 * numbers.sum() >= np.count_nonzero(~np.isnan(look.values[at])):
                look.table.stacked([look.names[at]], "item")
        raise DataFormatError(
            f"{name} has no two columns of ranks: places from 1 on, none larger than the number of "
            "such columns, and 1, 2 and so on in most rows. `read_cast_votes` reads names of "
            "candidates in the order of preference; `Profile.from_ranks` takes any numbers of "
            "which less is better."
        )
    left = [(at, heading) for at, heading in enumerate(look.names) if heading not in items]
    for at, heading in left:
        values = look.values[at][~np.isnan(look.values[at])]
        seem = np.isin(values, np.arange(0, len(items) + 1.5, 0.5))
        is_number = look.counts_rows(at) and len(values) > len(items) + 1
        is_key = is_number or heading == "" or look.called(*KEYS, among=[at])
        is_asked = bool(found := in_brackets(heading)) and found[0] in asked
        if (2 * seem.sum() > len(values) and not is_key) or is_asked:
            raise DataFormatError(
                f"{name}: the column {shown(heading)} seems to hold ranks, and not all its cells "
                f"are places from 1 to {len(items) + 1}; mend them, or `drop` the column."
            )
    if not has_counts:
        for heading in look.may_count(items):
            raise DataFormatError(may_be_counts(name, heading))
    if left:
        told = f"left out: {', '.join(shown(heading) for _, heading in left)}"
        listing = listed([in_brackets(item)[1] if in_brackets(item) else item for item in items])
        warnings.warn(f"{name}: ranks of {listing}; {told}.", DataWarning, stacklevel=3)
    return items
