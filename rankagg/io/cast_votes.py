"""Cast vote records: ballots as election offices publish them, cleaned step by step."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Any, ClassVar, Literal, NamedTuple, NoReturn

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Integers64, Label, Positions, Unranked
from rankagg._validation import EXACT_LIMIT, check_choice, check_unranked
from rankagg.core import (
    UNRANKED,
    ItemSet,
    Profile,
    Result,
    canonical_profile,
    counted,
    listed,
    plain_rows,
    shortened,
)
from rankagg.exceptions import DataFormatError, DataWarning, InvalidInputError, nearest, shown
from rankagg.io.ballot_columns import found_choices
from rankagg.io.marks import BLANK, DROPPED, OVERVOTE, Reading, Spellings, marks_of
from rankagg.io.tables.columns import MISSING_WORDS, Coded, names_of, warn_of_likeness
from rankagg.io.tables.look import TableLook
from rankagg.io.tables.reading import read_table
from rankagg.io.tables.sources import MAX_BYTES, TableSource, check_filled
from rankagg.io.tables.table import Table

POOLED = "write-in"


class _CleaningStep(NamedTuple):
    """A step in which ballots became rankings."""

    # What was met: "undervote", "skipped choice", "overvote", "write-in", "repeated item" or
    # "after the end".
    step: str
    # What was done about it; empty where there is no choice.
    treatment: str
    # Ballots on which it occurs.
    ballots: int
    # Choices in which it occurs.
    choices: int
    # Those of the choices that are in no ranking because of it.
    left_out: int


class CastVotes(Result):
    r"""Cast votes as rankings, with the number of ballots that each step of the cleaning touched.

    It has no plot. All numbers of ballots are sums of counts where the file has counts.
    `n_unchanged + n_changed + n_blank + n_emptied == n_ballots`, and the choices that are ranked
    and those that the steps left out are all choices: `n_ranked + sum(left_out) == n_choices`.

    Attributes
    ----------
    profile : Profile
        The rankings; ballots that became equal are one row with their count.
    n_ballots : int
        Ballots that were read.
    n_unchanged : int
        Ballots that are ranked as they were cast.
    n_changed : int
        Ballots of which a choice was left out or moved up.
    n_blank : int
        Ballots without any mark; they are in no ranking.
    n_emptied : int
        Ballots with marks of which nothing is left; they are in no ranking.
    n_choices : int
        Choices that the ballots offered: ballots times choices.
    n_ranked : int
        Choices that are in the rankings.
    steps : tuple
        For each step what `to_frame` has in a row, as attributes.
    choices : tuple
        The columns that were read as choices, the first choice first.
    left_out_columns : tuple
        The columns that were not read as choices.
    spelled : tuple of (str, int)
        What was read as something else than the name of a candidate, as it is written, and in how
        many choices.

    Examples
    --------
    >>> from io import StringIO
    >>> from rankagg import read_cast_votes
    >>> text = "first,second,third\nAnn,Bob,\nAnn,overvote,Cid\nAnn,,Bob\n,,\n"
    >>> votes = read_cast_votes(StringIO(text))
    >>> votes.n_ballots, votes.n_unchanged, votes.n_changed, votes.n_blank
    (4, 1, 2, 1)
    """

    profile: Profile
    n_ballots: int
    n_unchanged: int
    n_changed: int
    n_blank: int
    n_emptied: int
    n_choices: int
    n_ranked: int
    steps: tuple[_CleaningStep, ...]
    choices: tuple[Label, ...]
    left_out_columns: tuple[Label, ...]
    spelled: tuple[tuple[str, int], ...]

    _schema: ClassVar[str] = "rankagg.cast_votes"
    _row: ClassVar[str] = "step"

    def _facts(self) -> Iterable[str]:
        gone = ", ".join(map(shown, self.left_out_columns))
        chosen = ", ".join(map(shown, self.choices))
        yield f"choices, the first first: {chosen}" + (f"; left out: {gone}" if gone else "")
        yield (
            f"{counted(self.n_ballots, 'cast ballot')}: {self.n_unchanged} as they were cast, "
            f"{self.n_changed} changed, {self.n_blank} blank, {self.n_emptied} with nothing left"
        )
        yield f"{counted(self.n_choices, 'choice')}: {self.n_ranked} ranked"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per step: treatment, ballots, choices, and choices left out.

        Returns
        -------
        pandas.DataFrame
        """
        return pd.DataFrame(self.steps, columns=_CleaningStep._fields).set_index("step")

    def _below(self, rows: int | None = None) -> Iterable[str]:
        if self.spelled:
            chosen = self.spelled if rows is None else self.spelled[:rows]
            more = len(self.spelled) - len(chosen)
            told = ", ".join(
                f"{repr(shortened(text)) if text else 'empty'} {number}" for text, number in chosen
            )
            yield f"read as no names: {told}" + (f" ... and {more} more" if more else "")

    def lines(self) -> tuple[str, ...]:
        """Return what was read in a line for each step that met anything.

        Returns
        -------
        tuple of str
        """
        told = [
            f"{one.step}: {counted(one.ballots, 'ballot')}, {counted(one.choices, 'choice')}"
            + (f", {one.treatment}" if one.treatment else "")
            for one in self.steps
            if one.ballots
        ]
        return (*self._facts(), *told, *self._below())

    def _content(self) -> Mapping[str, Any]:
        kinds = ("ballots", "unchanged", "changed", "blank", "emptied", "choices", "ranked")
        return {
            **{f"n_{kind}": getattr(self, f"n_{kind}") for kind in kinds},
            "choices": list(self.choices),
            "left_out_columns": list(self.left_out_columns),
            "items": list(self.profile.items),
            "steps": plain_rows(self.to_frame().reset_index()),
            "spelled": dict(self.spelled),
        }


class _Grid(NamedTuple):
    """Ballots times choices."""

    # What to call the table in messages.
    name: str
    # Shape (n_ballots, n_choices). The label that is marked, or `BLANK` or `OVERVOTE`.
    codes: Positions
    labels: list[Label]
    # Shape (n_labels,). Which of them are write-ins.
    is_write_in: Bools
    # Shape (n_ballots,). How often each ballot occurs.
    counts: Integers64
    # Of each ballot; None where there are none.
    weights: Floats | None
    groups: list[Label] | None
    # Spellings that are no names, and in how many choices they occur.
    spelled: tuple[tuple[str, int], ...]
    # Columns that were read as choices, and that were not read.
    choices: Sequence[Label]
    left_out: Sequence[Label]

    def apart(self) -> list[Positions]:
        """Return numbers of weights and groups: ballots that differ there are never merged."""
        parts = []
        if self.weights is not None:
            parts.append(np.unique(self.weights, return_inverse=True)[1].ravel())
        if self.groups is not None:
            parts.append(Coded.of(self.groups).codes)
        return parts

    def refuse(self, code: int, items: ItemSet) -> NoReturn:
        """Raise because a label is none of the stated items."""
        label = self.labels[code]
        raise DataFormatError(
            f"{self.name} names {shown(label)}, which is none of the stated "
            f"items ({listed(items.labels)}). {nearest(label, items)}".rstrip()
        )


def _read_grid(
    table: Table,
    reading: Reading,
    named: Mapping[str, Label | None],
    choices: Iterable[Label] | None,
    drop: Iterable[Label],
) -> _Grid:
    """Return the ballots in a table; `named` are the columns of counts, weights and groups."""
    gone, wanted = names_of(drop), None if choices is None else names_of(choices)
    for parameter, columns in (("drop", gone), ("choices", wanted or [])):
        for name in columns:
            table.position(name, parameter)
    special = [*gone, *(name for name in named.values() if name is not None)]
    if len({*special, *(wanted or [])}) < len(special) + len(wanted or []):
        raise InvalidInputError("columns", "named once each", [*(wanted or []), *special])
    count, weight, group = named.values()
    counts = np.ones(table.n_rows, np.int64) if count is None else table.counts(count, "count")
    if float(counts.astype(float).sum()) >= EXACT_LIMIT:
        raise DataFormatError(
            f"{table.name} states counts of ballots that add up to 2**53 or more; divide them."
        )
    weights = None if weight is None else table.weights(weight)
    if wanted is None:
        look, has_counts = TableLook(table, special), (count, weight) != (None, None)
        wanted = found_choices(look, reading.spellings, has_counts=has_counts)
    if not wanted:
        raise DataFormatError(f"{table.name} has no columns of choices.")
    together: dict[Any, int] = {}
    parts = []
    for column in (table.coded(name, "choices", gaps=True) for name in wanted):
        new = [together.setdefault(label, len(together)) for label in column.labels]
        parts.append(np.array([*new, BLANK], dtype=np.intp)[column.codes])
    marks = marks_of(Coded(np.concatenate(parts), list(together)), reading)
    times = np.tile(counts, len(wanted))
    spelled = [(text, int(times @ where)) for text, where in marks.special.items()]
    return _Grid(
        table.name,
        marks.codes.reshape(len(wanted), -1).T,
        marks.items,
        marks.is_write_in,
        counts,
        weights,
        None if group is None else table.labels(group, "group"),
        tuple(sorted((one for one in spelled if one[1]), key=lambda one: (-one[1], one[0]))),
        wanted,
        [x for x in table.header if x not in wanted],
    )


class _Fate(IntEnum):
    """What became of a choice."""

    RANKED = 0
    BLANK = 1
    OVERVOTE = 2
    WRITE_IN = 3
    TWICE = 4
    ENDED = 5


class _Cleaned(NamedTuple):
    """Ballots with what became of each choice."""

    # Shape (n_ballots, n_choices). A `_Fate` for each.
    fates: NDArray[np.uint8]
    # Shape (n_ballots, n_choices). Blank choices with a mark behind them, before the end of the
    # ballot.
    skipped: Bools


def _cleaned(codes: Positions, *, overvotes: str, skipped: str) -> _Cleaned:
    """Say what becomes of each choice.

    A ballot ends where a policy says so. Before its end overvotes and write-ins are taken off,
    then an item that stands there for the second time.
    """
    blank = codes == BLANK
    # A blank choice is skipped where any mark stands behind it.
    gap = blank & np.logical_or.accumulate(~blank[:, ::-1], axis=1)[:, ::-1]
    stop = np.zeros_like(blank)
    if overvotes == "end":
        stop |= codes == OVERVOTE
    if skipped == "end":
        stop |= gap
    elif skipped == "end-after-two":
        stop[:, 1:] |= gap[:, 1:] & gap[:, :-1]
    ended = np.zeros_like(blank)
    ended[:, 1:] = np.logical_or.accumulate(stop, axis=1)[:, :-1]
    fates = np.full(codes.shape, _Fate.RANKED, dtype=np.uint8)
    # What is no item, and comes twice, gets its own fate after that.
    fates[_again(codes)] = _Fate.TWICE
    fates[codes == DROPPED] = _Fate.WRITE_IN
    fates[codes == OVERVOTE] = _Fate.OVERVOTE
    fates[ended] = _Fate.ENDED
    fates[blank] = _Fate.BLANK
    return _Cleaned(fates, gap & ~ended)


def _again(codes: Positions) -> Bools:
    """Tell where a code stands that its ballot has had before."""
    order = np.argsort(codes, axis=1, kind="stable")
    ordered = np.take_along_axis(codes, order, axis=1)
    again = np.zeros(codes.shape, dtype=np.bool_)
    np.put_along_axis(again, order[:, 1:], ordered[:, 1:] == ordered[:, :-1], axis=1)
    return again


def read_cast_votes(
    source: TableSource,
    *,
    choices: Iterable[Label] | None = None,
    count: Label | None = None,
    weight: Label | None = None,
    group: Label | None = None,
    drop: Iterable[Label] = (),
    items: Iterable[Label] | None = None,
    overvotes: Literal["end", "skip"] = "end",
    skipped: Literal["close", "end", "end-after-two"] = "close",
    write_ins: Literal["keep", "pool", "drop"] = "keep",
    spellings: Mapping[str, Iterable[str]] | None = None,
    alias: Mapping[str, str] | None = None,
    unranked: Unranked = "last",
    max_bytes: int = MAX_BYTES,
) -> CastVotes:
    r"""Read ballots as election offices publish them, and count what each cleaning step touched.

    A row is a ballot, and a column a choice; a cell names a candidate, or several, which is an
    overvote ("Ann, Bob" where both are names elsewhere).

    The steps, in their order: a ballot ends where `overvotes` or `skipped` says so; before its end
    overvotes are taken off, then write-ins if they are dropped, then an item that its ballot has
    named before; what is left moves up. A ballot of which nothing is left is in no ranking.

    Parameters
    ----------
    source : path, text stream or DataFrame
        As `read_ballots` takes it.
    choices : iterable of str or int, optional
        The columns of choices, the first choice first. By default those that share names
        with each other, and whose headings are alike but for the ordinal that states their order
        ("1st choice", "Rank 2").
    count, weight, group : str or int, optional
        Columns with how often a ballot occurs, its weight, and its group, such as the precinct.
    drop : iterable of str or int, optional
        Columns that are no choices.
    items : iterable of str or int, optional
        All candidates, in the order that the profile shall have. A mark for another one that is no
        write-in is refused. By default whoever is marked.
    overvotes : {"end", "skip"}, default "end"
        An overvote ends its ballot, or the next choice moves up.
    skipped : {"close", "end", "end-after-two"}, default "close"
        Blank choices before a mark: later choices move up, or the first one ends its ballot, or
        two in a row do.
    write_ins : {"keep", "pool", "drop"}, default "keep"
        Write-ins are items as they are written, or one item "write-in", or taken off.
    spellings : mapping, optional
        How "undervote", "overvote" and "write-in" are written, for each kind that is written
        otherwise than usual. Capitals and what stands between words make no difference. A name
        or number may follow behind a write-in. Empty cells are undervotes.
    alias : mapping, optional
        Other spellings of candidates, such as of a write-in, each with the name that it is read as.
        A candidate's number, as in "Ann (12)", is no part of the name, unless it tells two apart.
    unranked : {"last", "uniform", "ignore"}, default "last"
        Candidates that a ballot does not name are below those that it names, or not observed; see
        `Profile.with_unranked`.
    max_bytes : int, default 2**30
        How many bytes of memory reading may take; what would take more is refused.

    Returns
    -------
    CastVotes
        The profile, and the counts.

    Raises
    ------
    DataFormatError
        If the file is not such a table, no ballot ranks anything, or it is not certain which
        columns are choices or counts.

    Warns
    -----
    DataWarning
        Of names that are nearly equal, and of those that are words for a missing value ("NA").

    Examples
    --------
    >>> from io import StringIO
    >>> from rankagg import read_cast_votes
    >>> text = "first,second,third\nAnn,Bob,Ann\nundervote,Bob,UWI\novervote,Cid,Cid\n"
    >>> votes = read_cast_votes(StringIO(text), overvotes="skip", write_ins="drop")
    >>> list(votes.profile)[:2]
    [<PartialRanking Ann > Bob; unlisted: Cid>, <PartialRanking Bob; unlisted: Ann, Cid>]
    >>> votes.to_frame()[["ballots", "choices", "left_out"]]
                    ballots  choices  left_out
    step
    undervote             1        1         1
    skipped choice        1        1         0
    overvote              1        1         1
    write-in              1        1         1
    repeated item         2        2         2
    after the end         0        0         0
    """
    check_choice(overvotes, ("end", "skip"), "overvotes")
    check_choice(skipped, ("close", "end", "end-after-two"), "skipped")
    check_choice(write_ins, ("keep", "pool", "drop"), "write_ins")
    check_unranked(unranked)
    spelled, given = Spellings.of(spellings), {} if alias is None else alias
    stated = None if items is None else ItemSet(items)
    table = read_table(source, blank_rows=True, max_bytes=max_bytes)
    named = {"count": count, "weight": weight, "group": group}
    reading = Reading(table.name, spelled, given, stated)
    grid = _read_grid(table, reading, named, choices, drop)
    codes, labels = _ranked_items(grid, write_ins, stated)
    cleaned = _cleaned(codes, overvotes=overvotes, skipped=skipped)
    if not (cleaned.fates == _Fate.RANKED).any():
        raise DataFormatError(
            f"{table.name} has no ballot that ranks anything, of "
            f"{counted(int(grid.counts.sum()), 'ballot')}; is every spelling right?"
        )
    _warn_of_names(table.name, grid)
    profile = _profile(grid, codes, labels, cleaned, max_bytes=max_bytes)
    profile = profile.with_unranked(unranked)
    policies = {"overvote": overvotes, "skipped choice": skipped, "write-in": write_ins}
    return _counted_steps(grid, cleaned, profile, policies)


def _ranked_items(
    grid: _Grid, write_ins: str, stated: ItemSet | None
) -> tuple[Positions, list[Label]]:
    """Return the codes of the choices and the items that these speak of."""
    new = np.arange(len(grid.labels))
    labels = list(grid.labels)
    if write_ins == "drop":
        new[grid.is_write_in] = DROPPED
    elif write_ins == "pool":
        new[grid.is_write_in] = len(labels)
        labels.append(POOLED)
    known = np.unique(new[new >= 0]).tolist()
    kept = [labels[code] for code in known]
    if stated is not None:
        strange = [
            at
            for at, label in enumerate(grid.labels)
            if label not in stated and not grid.is_write_in[at]
        ]
        if strange:
            grid.refuse(strange[0], stated)
        kept = [*stated, *(label for label in kept if label not in stated)]
    position = {label: at for at, label in enumerate(kept)}
    places = [position[labels[code]] if code >= 0 else DROPPED for code in new.tolist()]
    codes = np.array([*places, OVERVOTE, BLANK], dtype=np.intp)[grid.codes]
    return codes, kept


def _warn_of_names(name: str, grid: _Grid) -> None:
    warn_of_likeness(name, grid.labels, stacklevel=2, has_alias=True)
    for at, label in enumerate(grid.labels):
        if str(label).casefold() in MISSING_WORDS:
            number = counted(int(np.count_nonzero(grid.codes == at)), "choice")
            warnings.warn(
                f"{name}: {number} {shown(label)}, which is read as a name. If it means no choice, "
                "state it as a spelling of an undervote.",
                DataWarning,
                stacklevel=3,
            )


def _profile(
    grid: _Grid,
    codes: Positions,
    labels: list[Label],
    cleaned: _Cleaned,
    *,
    max_bytes: int,
) -> Profile:
    """Return the rankings, those that are equal in one row."""
    rows, columns = np.nonzero(cleaned.fates == _Fate.RANKED)
    rank = (np.cumsum(cleaned.fates == _Fate.RANKED, axis=1) - 1)[rows, columns]
    orders = np.full(codes.shape, -1, dtype=np.intp)
    orders[rows, rank] = codes[rows, columns]
    kept = np.flatnonzero(orders[:, 0] >= 0)
    keys = [*orders[kept].T, *(part[kept] for part in grid.apart())]
    first, counts = _merged(keys, grid.counts[kept])
    chosen = kept[first]
    filled = int(np.count_nonzero(orders[chosen] >= 0))
    n, m = len(labels), len(chosen)
    check_filled(grid.name, (m, "distinct ballots"), (n, "items"), filled, max_bytes=max_bytes)
    ranks = np.full((m, n), UNRANKED, dtype=np.int32)
    at, place = np.nonzero(orders[chosen] >= 0)
    ranks[at, orders[chosen][at, place]] = place
    return canonical_profile(
        ItemSet(labels),
        ranks,
        counts=counts,
        weights=None if grid.weights is None else grid.weights[chosen],
        groups=None if grid.groups is None else [grid.groups[row] for row in chosen.tolist()],
    )


def _merged(columns: list[Positions], counts: Integers64) -> tuple[Positions, Integers64]:
    """Return the first of every set of equal rows, and the summed counts of the set."""
    table = pd.DataFrame(dict(enumerate(columns)))
    key = table.groupby(list(table), sort=False).ngroup().to_numpy()
    first = np.flatnonzero(~table.duplicated())
    return first, np.bincount(key, weights=counts).astype(np.int64)


def _counted_steps(
    grid: _Grid, cleaned: _Cleaned, profile: Profile, policies: Mapping[str, str]
) -> CastVotes:
    fates, counts = cleaned.fates, grid.counts

    def ballots(choices: Bools) -> int:
        return int(counts @ choices.any(axis=1))

    def number(choices: Bools) -> int:
        return int(counts @ np.count_nonzero(choices, axis=1))

    none = np.zeros_like(cleaned.skipped)
    written = np.append(grid.is_write_in, [False, False])[grid.codes]
    met = {
        "undervote": (fates == _Fate.BLANK, fates == _Fate.BLANK),
        "skipped choice": (cleaned.skipped, none),
        "overvote": (grid.codes == OVERVOTE, fates == _Fate.OVERVOTE),
        "write-in": (written, fates == _Fate.WRITE_IN),
        "repeated item": (fates == _Fate.TWICE, fates == _Fate.TWICE),
        "after the end": (fates == _Fate.ENDED, fates == _Fate.ENDED),
    }
    steps = tuple(
        _CleaningStep(step, policies.get(step, ""), ballots(found), number(found), number(gone))
        for step, (found, gone) in met.items()
    )
    ranked = fates == _Fate.RANKED
    marked = (fates != _Fate.BLANK).any(axis=1)
    touched = (cleaned.skipped | ((fates != _Fate.BLANK) & ~ranked)).any(axis=1)
    has_rank = ranked.any(axis=1)
    return CastVotes(
        profile=profile,
        n_ballots=int(counts.sum()),
        n_unchanged=int(counts @ (has_rank & ~touched)),
        n_changed=int(counts @ (has_rank & touched)),
        n_blank=int(counts @ ~marked),
        n_emptied=int(counts @ (marked & ~has_rank)),
        n_choices=int(counts.sum()) * fates.shape[1],
        n_ranked=number(ranked),
        steps=steps,
        choices=tuple(grid.choices),
        left_out_columns=tuple(grid.left_out),
        spelled=grid.spelled,
    )
