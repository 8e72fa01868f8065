"""Cast vote records: ballots as election offices publish them, cleaned step by step."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar, Literal, NamedTuple

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
from rankagg.io.ballot_columns import BallotLook, Spellings
from rankagg.io.tables.columns import MISSING_WORDS, names_of, warn_of_likeness
from rankagg.io.tables.reading import read_table
from rankagg.io.tables.sources import MAX_BYTES, TableSource, check_filled
from rankagg.io.tables.table import Table

POOLED = "write-in"
#: Codes of choices that name no item, or a write-in that is dropped.
BLANK = -1
OVERVOTE = -2
DROPPED = -3
# A candidate's number, as voting machines write it: "Ann Lee (12)".
NUMBERED = re.compile(r"(.*\S) ?\([0-9]+\)")
# Between two marks in one cell.
SEPARATOR = re.compile(r"\s*[,;/|&+\n]\s*")

Fates = NDArray[np.uint8]


class CleaningStep(NamedTuple):
    """A step from ballots to rankings."""

    # "undervote", "skipped choice", "overvote", "write-in", "repeated item", "after the end" or
    # "withdrawn candidate".
    step: str
    # The option that was applied, if any.
    treatment: str
    # Ballots on which it occurs.
    ballots: int
    # Choices in which it occurs.
    choices: int
    # Choices that are in no ranking because of it.
    left_out: int


class CastVotes(Result):
    r"""Cast votes as rankings, with the number of ballots that each cleaning step changed.

    It has no plot. If the file has counts, numbers of ballots are sums of counts.
    `n_unchanged + n_changed + n_blank + n_emptied == n_ballots`.

    Attributes
    ----------
    profile : Profile
        The rankings; ballots that became equal are one row with their count.
    n_ballots : int
        Ballots cast.
    n_changed : int
        Ballots with a choice that was left out or moved up.
    n_blank : int
        Ballots without any mark; they are in no ranking.
    n_emptied : int
        Spoilt ballots: with marks, but without a valid choice; they are in no ranking.
    steps : tuple
        The rows of `to_frame`, as attributes.
    choices : tuple
        The columns of choices, in order of preference.
    left_out_columns : tuple
        The columns that were not read as choices.
    spelled : tuple of (str, int)
        Texts that were not read as names of candidates, each with the number of choices.
    seats : int
        Number of seats, as BLT states; 0 if unknown.
    title : str
        The title of the election, as BLT states; empty if unknown.

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
    n_changed: int
    n_blank: int
    n_emptied: int
    steps: tuple[CleaningStep, ...]
    choices: tuple[Label, ...] = ()
    left_out_columns: tuple[Label, ...] = ()
    spelled: tuple[tuple[str, int], ...] = ()
    seats: int = 0
    title: str = ""

    _schema: ClassVar[str] = "rankagg.cast_votes"
    _row: ClassVar[str] = "step"

    @property
    def n_unchanged(self) -> int:
        """Ballots that are ranked as they were cast."""
        return self.n_ballots - self.n_changed - self.n_blank - self.n_emptied

    @property
    def n_choices(self) -> int:
        """Choices that the ballots offered, or in BLT those that they name."""
        return self.n_ranked + sum(step.left_out for step in self.steps)

    @property
    def n_ranked(self) -> int:
        """Choices that are in the rankings."""
        return int(self.profile.counts @ (self.profile.ranks >= 0).sum(axis=1))

    def _facts(self) -> Iterable[str]:
        if self.seats:
            yield ", ".join(filter(None, [self.title, counted(self.seats, "seat")]))
        if self.choices:
            gone = ", ".join(map(shown, self.left_out_columns))
            chosen = ", ".join(map(shown, self.choices))
            yield f"choices in order of preference: {chosen}" + (f"; left out: {gone}" * bool(gone))
        yield (
            f"{counted(self.n_ballots, 'ballot')} cast: {self.n_unchanged + self.n_changed} read "
            f"({self.n_unchanged} as cast, {self.n_changed} changed), "
            f"{self.n_blank} blank, {self.n_emptied} spoilt (no valid choice left)"
        )
        yield f"{counted(self.n_choices, 'choice')}: {self.n_ranked} ranked"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per step: treatment, ballots, choices, and choices left out.

        Returns
        -------
        pandas.DataFrame
        """
        return pd.DataFrame(self.steps, columns=CleaningStep._fields).set_index("step")

    def _below(self, rows: int | None = None) -> Iterable[str]:
        if self.spelled:
            chosen = self.spelled if rows is None else self.spelled[:rows]
            more = len(self.spelled) - len(chosen)
            texts = ", ".join(
                f"{repr(shortened(text)) if text else 'empty'} {number}" for text, number in chosen
            )
            yield f"read as no names: {texts}" + (f" ... and {more} more" if more else "")

    def lines(self) -> tuple[str, ...]:
        """Return one line for each fact, and for each step that changed ballots.

        Returns
        -------
        tuple of str
        """
        steps = [
            f"{one.step}: {counted(one.ballots, 'ballot')}, {counted(one.choices, 'choice')}"
            + (f", {one.treatment}" if one.treatment else "")
            for one in self.steps
            if one.ballots
        ]
        return (*self._facts(), *steps, *self._below())

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


@dataclass(frozen=True)
class _Reading:
    """Rules for reading the labels of a table."""

    name: str
    spellings: Spellings
    alias: Mapping[str, str]
    # All candidates, if they are given.
    items: ItemSet | None

    def names(self, labels: Iterable[Any]) -> dict[Any, Any]:
        """Return the name of each label; raise if two may be the same candidate.

        A number after a name, as in "Ann (12)", is left out unless it distinguishes two candidates.
        """
        raw = list(labels)
        texts = [x for x in raw if isinstance(x, str) and not self.spellings.kind_of(x)]
        plain = {x: match[1] for x in texts if (match := NUMBERED.fullmatch(x))}
        if len({*plain.values()}) < len(plain):
            plain = {}
        self._check_alias([*raw, *plain.values()])
        both = {*plain.values()} & {*raw}
        for label, name in plain.items():
            if name in both and label not in self.alias:
                raise DataFormatError(
                    f"{self.name}: {shown(label)} and {shown(name)} may be one candidate.",
                    f"Spell it in one way, or in Python give `alias={{{label!r}: {name!r}}}`.",
                )
        of = {x: plain.get(x, x) for x in raw}
        return {x: self.alias.get(x, self.alias.get(name, name)) for x, name in of.items()}

    def _check_alias(self, labels: list[Any]) -> None:
        """Raise unless aliases map labels to names."""
        if not isinstance(self.alias, Mapping):
            raise InvalidInputError("alias", "a mapping from spellings to names", self.alias)
        for spelling, name in self.alias.items():
            if spelling not in labels:
                hint = nearest(spelling, labels)
                raise InvalidInputError("alias", "spellings that occur", spelling, hint)
            if not isinstance(name, str) or not name.strip():
                raise InvalidInputError("alias", "names for spellings", name)

    def overvotes(self, labels: Iterable[Any]) -> set[str]:
        """Return labels of several names that occur alone elsewhere.

        Raise if only a part of a label is a name.
        """
        known = {str(x) for x in labels} | {*map(str, self.items or ())}
        texts = {x for x in labels if isinstance(x, str) and SEPARATOR.search(x)}
        texts -= {*self.alias, *map(str, self.items or ())}
        texts = {x for x in texts if not self.spellings.kind_of(x)}
        alone = known - texts
        joined = set()
        for text in sorted(texts):
            parts = SEPARATOR.split(text)
            are_names = [part in alone or bool(self.spellings.kind_of(part)) for part in parts]
            ends = [text[: one.start()] for one in SEPARATOR.finditer(text)]
            ends += [text[one.end() :] for one in SEPARATOR.finditer(text)]
            if all(are_names):
                joined.add(text)
            elif any(are_names) or known & {*ends}:
                raise DataFormatError(
                    f"{self.name}: {shown(text)} may be one name or two marks: a part is a name.",
                    "Correct it, or in Python give `items`, or this as a spelling of overvotes.",
                )
        return joined


class _Grid(NamedTuple):
    """Ballots times choices."""

    # The name of the table in messages.
    name: str
    # Positions in `texts`, shape (n_ballots, n_choices); -1 for an empty cell.
    cells: Positions
    texts: list[Any]
    # The count of each ballot.
    counts: Integers64
    # For each ballot; None without a column.
    weights: Floats | None
    groups: list[Label] | None
    # Columns of choices, and those that were left out.
    choices: Sequence[Label]
    left_out: Sequence[Label]


class _Marks(NamedTuple):
    """The meaning of each text of a grid, and last that of an empty cell."""

    # The position of a candidate, or `BLANK`, `OVERVOTE` or `DROPPED`.
    codes: Positions
    # Whether it is a write-in, kept or not.
    is_write_in: Bools
    # The candidates.
    items: list[Any]
    # The names of all marked candidates, including write-ins.
    names: list[Any]


def _read_marks(grid: _Grid, reading: _Reading, write_ins: str) -> _Marks:
    """Return the meaning of each text, and the candidates, the given ones first."""
    names, spellings, stated = reading.names(grid.texts), reading.spellings, reading.items
    kinds = {text: spellings.kind_of(text) for text in grid.texts}
    kinds |= dict.fromkeys(reading.overvotes(grid.texts), "overvote")
    instead = {"overvote": OVERVOTE, "undervote": BLANK}
    marked = list(dict.fromkeys(names[x] for x in grid.texts if kinds[x] not in instead))
    written = {x for x in marked if spellings.kind_of(x) == "write-in"}
    items = [x for x in marked if x not in written or write_ins == "keep"]
    items += [POOLED] * (write_ins == "pool" and bool(written))
    if stated is not None:
        others = [x for x in items if x not in stated]
        if strange := [x for x in others if x not in {*written, POOLED}]:
            raise DataFormatError(
                f"{grid.name} has {shown(strange[0])}, which is none of the given items "
                f"({listed(stated.labels)}).",
                nearest(strange[0], stated),
            )
        items = [*stated, *others]
    code_of = dict.fromkeys(written, DROPPED) | {name: k for k, name in enumerate(items)}
    if write_ins == "pool":
        code_of |= dict.fromkeys(written, code_of.get(POOLED, DROPPED))
    codes = [instead.get(kinds[x]) or code_of[names[x]] for x in grid.texts]
    is_written = [kinds[x] not in instead and names[x] in written for x in grid.texts]
    return _Marks(np.array([*codes, BLANK]), np.array([*is_written, False]), items, marked)


def _read_grid(
    table: Table,
    spellings: Spellings,
    named: Mapping[str, Label | None],
    choices: Iterable[Label] | None,
    drop: Iterable[Label],
) -> _Grid:
    """Return the ballots in a table; `named` are the columns of counts, weights and groups."""
    dropped, wanted = names_of(drop), None if choices is None else names_of(choices)
    table.check_columns(drop=dropped, choices=wanted, **named)
    count, weight, group = named.values()
    counts = np.ones(table.n_rows, np.int64) if count is None else table.counts(count, "count")
    if float(counts.astype(float).sum()) >= EXACT_LIMIT:
        raise DataFormatError(
            f"{table.name} states counts of ballots that add up to 2**53 or more; divide them."
        )
    weights = None if weight is None else table.weights(weight)
    if wanted is None:
        others = [*dropped, *(name for name in named.values() if name is not None)]
        look = BallotLook(table, others, spellings)
        wanted = look.find_choices(has_counts=(count, weight) != (None, None))
    if not wanted:
        raise DataFormatError(f"{table.name} has no columns of choices.")
    positions: dict[Any, int] = {}
    cells = np.empty((table.n_rows, len(wanted)), dtype=np.intp)
    for at, name in enumerate(wanted):
        column = table.coded(name, "choices", gaps=True)
        new = [positions.setdefault(label, len(positions)) for label in column.labels]
        cells[:, at] = np.array([*new, -1], dtype=np.intp)[column.codes]
    return _Grid(
        table.name,
        cells,
        list(positions),
        counts,
        weights,
        None if group is None else table.labels(group, "group"),
        wanted,
        [x for x in table.header if x not in (*wanted, *named.values())],
    )


def _unnamed_texts(grid: _Grid, marks: _Marks) -> tuple[tuple[str, int], ...]:
    """Return the texts that are no names of candidates, each with its number of choices."""
    is_name = (marks.codes >= 0) & ~marks.is_write_in
    repeated = np.broadcast_to(grid.counts[:, None], grid.cells.shape).ravel()
    size = len(is_name)
    times = np.bincount(grid.cells.ravel() % size, repeated, size).astype(int).tolist()
    numbers = [
        (str(text), number)
        for text, number, has_name in zip([*grid.texts, ""], times, is_name, strict=True)
        if number and not has_name
    ]
    return tuple(sorted(numbers, key=lambda one: (-one[1], one[0])))


class _Fate(IntEnum):
    """The result of cleaning for a choice."""

    RANKED = 0
    BLANK = 1
    OVERVOTE = 2
    WRITE_IN = 3
    TWICE = 4
    ENDED = 5


def _clean(codes: Positions, *, overvotes: str, skipped: str) -> tuple[Fates, Bools]:
    """Return the fate of each choice, and the skipped choices before the ballot's end.

    The policies may end a ballot. Before its end, overvotes and write-ins are removed, then
    repeated items.
    """
    blank = codes == BLANK
    # A blank choice is skipped if a mark follows.
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
    # Repeated codes of no item get another fate below.
    order = np.argsort(codes, axis=1, kind="stable")
    ordered = np.take_along_axis(codes, order, axis=1)
    again = np.where(ordered[:, 1:] == ordered[:, :-1], _Fate.TWICE, _Fate.RANKED)
    np.put_along_axis(fates, order[:, 1:], again, axis=1)
    fates[codes == DROPPED] = _Fate.WRITE_IN
    fates[codes == OVERVOTE] = _Fate.OVERVOTE
    fates[ended] = _Fate.ENDED
    fates[blank] = _Fate.BLANK
    return fates, gap & ~ended


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
    r"""Read cast vote records, and count the ballots that each cleaning step changed.

    A row is a ballot, and a column a choice; a cell names a candidate, or several, which is an
    overvote ("Ann, Bob" where both are names elsewhere).

    The steps, in their order: `overvotes` and `skipped` may end a ballot; before its end overvotes
    are removed, then write-ins if they are dropped, then repeated items; later choices move up. A
    ballot without a valid choice is in no ranking.

    Parameters
    ----------
    source : path, text stream or DataFrame
        As `read_ballots` takes it.
    choices : iterable of str or int, optional
        The columns of choices, in order of preference. By default those that share names and
        whose headings differ only in an ordinal ("1st choice", "Rank 2").
    count, weight, group : str or int, optional
        Columns of counts, weights, and groups, such as precincts.
    drop : iterable of str or int, optional
        Columns that are no choices.
    items : iterable of str or int, optional
        All candidates, in the order of the profile. A mark for another one is refused unless it is
        a write-in. By default all marked candidates.
    overvotes : {"end", "skip"}, default "end"
        An overvote ends its ballot, or the next choice moves up.
    skipped : {"close", "end", "end-after-two"}, default "close"
        Blank choices before a mark: later choices move up, or the first one ends its ballot, or
        two in a row do.
    write_ins : {"keep", "pool", "drop"}, default "keep"
        Write-ins are items as they are written, or one item "write-in", or removed.
    spellings : mapping, optional
        Spellings of "undervote", "overvote" and "write-in", for each kind with unusual ones.
        Capitals and signs between words make no difference. A name or number may follow
        "write-in". Empty cells are undervotes.
    alias : mapping, optional
        Other spellings of candidates, such as write-ins, each with the name to read.
        A number, as in "Ann (12)", is not part of the name, unless two names differ only in it.
    unranked : {"last", "uniform", "ignore"}, default "last"
        Candidates that a ballot does not name are below those that it names, or not observed; see
        `Profile.with_unranked`.
    max_bytes : int, default 2**30
        Bytes of memory that reading may take.

    Returns
    -------
    CastVotes
        The profile, and the numbers of ballots.

    Warns
    -----
    DataWarning
        Of nearly equal names, and of names that are words for a missing value ("NA").

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
    grid = _read_grid(table, spelled, named, choices, drop)
    marks = _read_marks(grid, _Reading(table.name, spelled, given, stated), write_ins)
    codes = marks.codes[grid.cells]
    fates, gaps = _clean(codes, overvotes=overvotes, skipped=skipped)
    ranked = fates == _Fate.RANKED
    if not ranked.any():
        raise DataFormatError(
            f"{table.name} has no ballot that ranks anything, of "
            f"{counted(int(grid.counts.sum()), 'ballot')}; are all spellings right?"
        )
    _warn_of_names(grid, marks)
    profile = _profile(grid, codes, marks.items, fates, max_bytes).with_unranked(unranked)
    policies = {"overvote": overvotes, "skipped choice": skipped, "write-in": write_ins}
    marked = (fates != _Fate.BLANK).any(axis=1)
    touched = (gaps | ((fates != _Fate.BLANK) & ~ranked)).any(axis=1)
    has_rank = ranked.any(axis=1)
    return CastVotes(
        profile=profile,
        n_ballots=int(grid.counts.sum()),
        n_changed=int(grid.counts @ (has_rank & touched)),
        n_blank=int(grid.counts @ ~marked),
        n_emptied=int(grid.counts @ (marked & ~has_rank)),
        steps=_steps(grid, marks, fates, gaps, policies),
        choices=tuple(grid.choices),
        left_out_columns=tuple(grid.left_out),
        spelled=_unnamed_texts(grid, marks),
    )


def _warn_of_names(grid: _Grid, marks: _Marks) -> None:
    warn_of_likeness(grid.name, marks.names, stacklevel=2, has_alias=True)
    for at, text in enumerate(grid.texts):
        if str(text).casefold() in MISSING_WORDS and marks.codes[at] >= 0:
            number = counted(int(np.count_nonzero(grid.cells == at)), "choice")
            warnings.warn(
                f"{grid.name}: {number} {shown(text)}, which is read as a name. If it means no "
                "choice, give it as a spelling of an undervote.",
                DataWarning,
                stacklevel=3,
            )


def _profile(
    grid: _Grid, codes: Positions, labels: list[Label], fates: Fates, max_bytes: int
) -> Profile:
    """Return the rankings, with equal ones in one row."""
    ranked = fates == _Fate.RANKED
    rows, columns = np.nonzero(ranked)
    rank = (np.cumsum(ranked, axis=1) - 1)[rows, columns]
    orders = np.full(codes.shape, -1, dtype=np.intp)
    orders[rows, rank] = codes[rows, columns]
    kept = np.flatnonzero(orders[:, 0] >= 0)
    # Ballots that differ in weight or group are never merged.
    table = pd.DataFrame(orders)
    for name, column in (("weight", grid.weights), ("group", grid.groups)):
        if column is not None:
            table[name] = column
    classes = table.iloc[kept].groupby(list(table), sort=False).ngroup().to_numpy()
    first = np.unique(classes, return_index=True)[1]
    counts = np.bincount(classes, weights=grid.counts[kept]).astype(np.int64)
    chosen = kept[first]
    filled = int(np.count_nonzero(orders[chosen] >= 0))
    n, m = len(labels), len(chosen)
    check_filled(grid.name, {"distinct ballots": m, "items": n}, filled, max_bytes)
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


def _steps(
    grid: _Grid, marks: _Marks, fates: Fates, gaps: Bools, policies: Mapping[str, str]
) -> tuple[CleaningStep, ...]:
    """Count the ballots and choices in which each step occurs, and the choices left out."""
    counts = grid.counts

    def number(choices: Bools) -> int:
        return int(counts @ choices.sum(axis=1))

    return tuple(
        CleaningStep(
            step,
            policies.get(step, ""),
            int(counts @ affected.any(axis=1)),
            number(affected),
            number(removed),
        )
        for step, affected, removed in (
            ("undervote", fates == _Fate.BLANK, fates == _Fate.BLANK),
            ("skipped choice", gaps, gaps & False),
            ("overvote", marks.codes[grid.cells] == OVERVOTE, fates == _Fate.OVERVOTE),
            ("write-in", marks.is_write_in[grid.cells], fates == _Fate.WRITE_IN),
            ("repeated item", fates == _Fate.TWICE, fates == _Fate.TWICE),
            ("after the end", fates == _Fate.ENDED, fates == _Fate.ENDED),
        )
    )
