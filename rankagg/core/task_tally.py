"""Sums over the scores of one task: integers, from which votes, points and moments follow.

A unit is one instance: the scores of all systems on it. All numbers add up over units, so neither
the order of these nor how they are cut into parts changes anything. Groups of units, by a fixed
hash of their labels, add up by themselves for a bootstrap, which draws groups again.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from math import lcm
from types import MappingProxyType
from typing import Any, Self, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg._typing import Floats, Integers, Integers64, Label, Positions, Unranked
from rankagg._validation import check_integer
from rankagg.core import exact
from rankagg.core.exact_sum import exact_sums
from rankagg.core.items import counted, raw_text
from rankagg.core.tally import EXACT_ITEMS, grid, shares_fit
from rankagg.core.value import Value, array_key, frozen_array
from rankagg.exceptions import InvalidInputError
from rankagg.kernels.counting import count_scores, count_together

Counts = Integers64
Keys = NDArray[np.uint64]

# Fixed for good, as summaries that are added up must have the same groups: 2**64 divided by the
# golden ratio, and the multipliers of the finalizer of SplitMix64.
GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7C15)
MULTIPLIERS = ((30, np.uint64(0xBF58476D1CE4E5B9)), (27, np.uint64(0x94D049BB133111EB)))
# Whole numbers that are the same instance as number and as text.
WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,19}")
#: A number of groups beyond all sense.
MOST_GROUPS = 10**6
#: Bytes that the tallies of all tasks and groups may take.
MOST_BYTES = 2**31


def _sizes_fit(sizes: Sequence[int], n: int) -> bool:
    """Say whether shares of units of these sizes are exact over one denominator that is cheap."""
    return n <= EXACT_ITEMS or shares_fit(lcm(1, *(2 * (k + 1) for k in sizes)), n)


def _rounded(doubled: Counts, k: Positions, n: int, power: int) -> Floats:
    """Return powers of (r + 1)/(k + 1) as multiples of the grid of n items."""
    over = (2 * (k + 1)) ** power
    rounded = (doubled**power * grid(n) + over // 2) // over
    return cast(Floats, rounded.astype(np.float64))


def _over_absent(absent: Floats, values: Floats) -> Integers:
    """Return the sums of whole numbers of each column over the units that lack the row."""
    if _are_alike(absent):
        lacking = absent.max(axis=1, initial=0).astype(np.int64)
        return np.outer(lacking, values.astype(np.int64).sum(axis=1))
    once = np.ones(absent.shape[1], dtype=np.int64)
    return exact.exact_product(once, absent.T, values.T)


def _are_alike(units: Floats) -> bool:
    return bool((units == units[:, :1]).all())


class TaskTally(Value):
    """Sums over the units of one task, for n systems.

    With k systems there, one at the mean place r (from 0) is before an absent one in
    1 - (r + 1)/(k + 1) of the compatible permutations. So of incomplete units 2r + 2 is summed up,
    for each k that occurs: `size` numbers k below n.
    """

    # Shape (n, n). Units in which row scores above column.
    wins: Counts
    # Shape (n, n). Units in which both are there; on the diagonal those in which one is.
    both: Counts
    # Units in which a system is there.
    n_units: int
    # Units without any score; they count nowhere else.
    n_empty: int
    # Shape (size,). The numbers k below n that occur, ascending.
    sizes: Counts
    # Shape (size,). How many units have so many systems.
    units_of_size: Counts
    # Shape (size, n). Sum of 2r + 2 over the units of a size, for the systems that are there.
    placed: Counts
    # Shape (size, n, n). The same, and of its square, where row is absent and column is there.
    # None where the sizes have no common denominator that is cheap.
    shares: Counts | None
    squares: Counts | None
    # Shape (n, n). Of more than 100 systems: the sums of (r + 1)/(k + 1) and of its square, each
    # rounded to the grid of `core.tally` by itself; None otherwise.
    on_grid: Integers | None
    squares_on_grid: Integers | None
    # Sums of the scores as given, in units of 2**-1074.
    sums: tuple[int, ...]

    def __init__(self, **fields: Any) -> None:
        n, sizes = len(fields["wins"]), fields["sizes"]
        if not _sizes_fit(sizes.tolist(), n):
            fields["shares"] = fields["squares"] = None
        for value in fields.values():
            if isinstance(value, np.ndarray):
                frozen_array(value)
        self._set(**fields)

    @classmethod
    def of(cls, scores: Floats, *, higher_is_better: bool) -> Self:
        """Add up the scores of some units."""
        columns = scores if higher_is_better else -scores
        n, m = columns.shape
        systems = (~np.isnan(columns)).sum(axis=0)
        order = np.argsort(systems, kind="stable")
        systems = systems[order]
        first, last = np.searchsorted(systems, [1, n])
        wins, _ = count_scores(columns if last == 0 else columns[:, order[last:]], leads=False)
        # Those in which some systems are, ordered by their number.
        columns, systems = columns[:, order[first:last]], systems[first:last]
        wins_of_some, behind = count_scores(columns, leads=True)
        present = ~np.isnan(columns)
        absent = (~present).astype(np.float64)
        # 2r + 2 is k + 1 and what a system loses less what it wins.
        doubled = (behind + (systems + 1)) * present
        sizes, starts, units = np.unique(systems, return_index=True, return_counts=True)
        is_exact = _sizes_fit(sizes.tolist(), n)
        placed, tables = np.zeros((len(sizes), n), np.int64), np.zeros((2, len(sizes), n, n))
        for at, (start, many) in enumerate(zip(starts.tolist(), units.tolist(), strict=True)):
            some = slice(start, start + many)
            values = doubled[:, some].T.astype(np.float64)
            placed[at] = values.sum(axis=0)
            if is_exact:
                lacking = absent[:, some]
                if _are_alike(lacking):  # one unit stands for all
                    values = np.array([values.sum(axis=0), (values**2).sum(axis=0)])
                    tables[:, at] = lacking[:, 0][:, None] * values[:, None]
                else:
                    tables[:, at] = lacking @ values, lacking @ values**2
        shares, squares = tables.astype(np.int64) if is_exact else (None, None)
        on_grid, squares_on_grid = None, None
        if n > EXACT_ITEMS:
            powers = (_rounded(doubled, systems, n, power) for power in (1, 2))
            on_grid, squares_on_grid = (_over_absent(absent, values) for values in powers)
        return cls(
            wins=wins + wins_of_some,
            both=count_together(present, present) + (m - last),
            n_units=m - int(first),
            n_empty=int(first),
            sizes=sizes,
            units_of_size=units,
            placed=placed,
            shares=shares,
            squares=squares,
            on_grid=on_grid,
            squares_on_grid=squares_on_grid,
            sums=tuple(exact_sums(scores)),
        )

    def _key(self) -> tuple[Hashable, ...]:
        values = self._fields().values()
        return tuple(array_key(v) if isinstance(v, np.ndarray) else v for v in values)

    def _fields(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in TaskTally.__annotations__}

    def __len__(self) -> int:
        return len(self.wins)

    def __add__(self, other: object) -> TaskTally:
        if not isinstance(other, TaskTally) or len(other) != len(self):
            return NotImplemented
        return _weighted(_stacked([self, other]), np.ones(2, dtype=np.int64))

    # -- what follows -------------------------------------------------------------------------

    @property
    def n_bytes(self) -> int:
        """The memory of the arrays."""
        return sum(v.nbytes for v in self._fields().values() if isinstance(v, np.ndarray))

    @property
    def observed(self) -> Counts:
        """Units in which each system is there, shape (n,)."""
        return np.diagonal(self.both)

    @cached_property
    def ties(self) -> Counts:
        """Units in which two systems have the same score, shape (n, n)."""
        ties = self.both - self.wins - self.wins.T
        np.fill_diagonal(ties, 0)
        return ties

    @cached_property
    def missed(self) -> Counts:
        """Units in which row is there and column is not, shape (n, n)."""
        missed: Counts = self.observed[:, None] - self.both
        return missed

    @cached_property
    def neither(self) -> Counts:
        """Units in which both are absent and another system is there, shape (n, n)."""
        neither: Counts = self.n_units - self.observed[:, None] - self.observed + self.both
        np.fill_diagonal(neither, 0)
        return neither

    def judged(self, unranked: Unranked) -> tuple[Counts, Counts]:
        """Return the units with row above column, and those that compare both, by a policy.

        By "last" an absent system is below one that is there; else nothing is said of it.
        """
        if unranked == "last":
            return self.wins + self.missed, self.n_units - self.neither
        return self.wins, self.both

    @cached_property
    def all_placed(self) -> Counts:
        """Sum of 2r + 2 over complete units, shape (n,)."""
        # In every unit it is k + 1 and what the system loses less what it wins.
        lead = self.wins.sum(axis=1) - self.wins.sum(axis=0)
        whole = self.both.sum(axis=1) + self.observed - lead
        complete: Counts = whole - self.placed.sum(axis=0)
        return complete

    def reordered(self, positions: Counts) -> TaskTally:
        """Return the same sums with the systems at these positions, in their order."""
        square = np.ix_(positions, positions)
        fields = self._fields()
        for name in ("wins", "both", "on_grid", "squares_on_grid"):
            fields[name] = None if fields[name] is None else fields[name][square]
        for name in ("shares", "squares"):
            fields[name] = None if fields[name] is None else fields[name][:, *square]
        fields["placed"] = self.placed[:, positions]
        fields["sums"] = tuple(self.sums[p] for p in positions.tolist())
        return TaskTally(**fields)

    # -- plain data ---------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; the sums as text, "3p1072" for 3 * 2**1072 in hexadecimal."""
        fields = self._fields().items()
        plain = {name: v.tolist() if isinstance(v, np.ndarray) else v for name, v in fields}
        plain["sums"] = [_as_text(total) for total in self.sums]
        return plain

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        """Return what `to_dict` gave."""
        n, size = len(plain["wins"]), len(plain["sizes"])
        shapes: dict[str, tuple[int, ...]] = {"sizes": (size,), "units_of_size": (size,)}
        shapes |= dict.fromkeys(("wins", "both", "on_grid", "squares_on_grid"), (n, n))
        shapes |= {"placed": (size, n), "shares": (size, n, n), "squares": (size, n, n)}
        fields = {name: plain[name] for name in cls.__annotations__}
        for name, shape in shapes.items():
            if fields[name] is not None:
                array = np.array(fields[name], dtype=object).reshape(shape)
                fields[name] = exact.fit(array) if "grid" in name else array.astype(np.int64)
        fields["sums"] = tuple(map(_from_text, fields["sums"]))
        return cls(**fields)


def _as_text(total: int) -> str:
    zeros = (total & -total).bit_length() - 1 if total else 0
    return f"{total >> zeros:x}p{zeros}"


def _from_text(text: str) -> int:
    digits, _, zeros = text.partition("p")
    return int(digits, 16) << int(zeros)


def weighted_sum(arrays: Sequence[Integers], votes: Sequence[int]) -> Integers:
    """Return the sum of arrays of integers, each times a whole number."""
    total = exact.multiply(arrays[0], votes[0])
    for array, vote in zip(arrays[1:], votes[1:], strict=True):
        if vote:
            total = exact.combine(total, 1, array, vote)
    return total


def _stacked(parts: Sequence[TaskTally]) -> dict[str, Any]:
    """Return the numbers of all parts, in one array for each name, with the sizes of all."""
    sizes = np.unique(np.concatenate([part.sizes for part in parts]))
    stack: dict[str, Any] = {"sizes": sizes}
    for name in ("n_units", "n_empty", "wins", "both"):
        stack[name] = np.array([getattr(part, name) for part in parts], dtype=np.int64)
    for name in ("on_grid", "squares_on_grid"):
        grids = [getattr(part, name) for part in parts]
        stack[name] = None if grids[0] is None else grids
    has_shares = _sizes_fit(sizes.tolist(), len(parts[0]))
    for name in ("units_of_size", "placed", "shares", "squares"):
        if name[0] == "s" and not has_shares:
            stack[name] = None
            continue
        tables = [getattr(part, name) for part in parts]
        stack[name] = np.zeros((len(parts), len(sizes), *tables[0].shape[1:]), dtype=np.int64)
        for target, part, table in zip(stack[name], parts, tables, strict=True):
            target[np.searchsorted(sizes, part.sizes)] = table
    stack["sums"] = np.array([part.sums for part in parts], dtype=object)
    return stack


def _weighted(stack: Mapping[str, Any], times: Counts) -> TaskTally:
    """Return the sum of stacked parts, each so many times."""
    fields: dict[str, Any] = {name: int(times @ stack[name]) for name in ("n_units", "n_empty")}
    for name in ("on_grid", "squares_on_grid"):
        grids = stack[name]
        fields[name] = None if grids is None else weighted_sum(grids, times.tolist())
    for name in ("wins", "both", "units_of_size", "placed", "shares", "squares"):
        fields[name] = None if stack[name] is None else np.tensordot(times, stack[name], axes=1)
    # Where shares are on the grid only, sizes without units change nothing but that they fit.
    if stack["shares"] is not None and not fields["units_of_size"].all():
        kept = np.flatnonzero(fields["units_of_size"])
        for name in ("units_of_size", "placed", "shares", "squares"):
            fields[name] = fields[name][kept]
        fields["sizes"] = stack["sizes"][kept]
    else:
        fields["sizes"] = stack["sizes"]
    fields["sums"] = tuple((times.astype(object) @ stack["sums"]).tolist())
    return TaskTally(**fields)


# -- groups of units -------------------------------------------------------------------------------


def check_groups(n_groups: object) -> int | None:
    """Return a number of groups, or None for none."""
    return (
        None if n_groups is None else check_integer(n_groups, "n_groups", low=2, high=MOST_GROUPS)
    )


def groups_of(keys: Keys, n_groups: int) -> Integers64:
    """Return the group of each key.

    References
    ----------
    Steele, Lea and Flood (2014), "Fast splittable pseudorandom number generators",
    https://doi.org/10.1145/2714064.2660195, gives the finalizer.

    Examples
    --------
    >>> groups_of(keys_of_labels(["1", 1, "one"]), 1000).tolist()
    [566, 566, 882]
    """
    mixed = keys + GOLDEN_RATIO
    for shift, factor in MULTIPLIERS:
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * factor
    mixed ^= mixed >> np.uint64(31)
    half = np.uint64(32)
    return (((mixed >> half) * np.uint64(n_groups)) >> half).astype(np.int64)


def keys_of_labels(labels: Sequence[Label]) -> Keys:
    """Return a key for each label: equal ones for 7 and "7", as files do not tell them apart."""
    keys = np.empty(len(labels), dtype=np.uint64)
    texts, places = [], []
    for at, label in enumerate(labels):
        text = raw_text(label)
        if WHOLE_NUMBER.fullmatch(text):
            keys[at] = int(text) & (2**64 - 1)
        else:
            texts.append(text)
            places.append(at)
    if texts:
        keys[places] = keys_of_texts(np.array(texts, dtype=object))
    return keys


def keys_of_texts(texts: NDArray[np.object_]) -> Keys:
    """Return the keys of texts that are no whole numbers: SipHash-2-4, mixed by pandas."""
    keys: Keys = pd.util.hash_array(texts, categorize=False)
    return keys


class GroupedTally(Value):
    """Sums over the units of one task, for each group of units."""

    n_groups: int
    _parts: dict[int, TaskTally]

    def __init__(self, n_groups: int, parts: Mapping[int, TaskTally]) -> None:
        ascending = {group: parts[group] for group in sorted(parts)}
        self._set(n_groups=n_groups, _parts=ascending)

    @classmethod
    def of(cls, scores: Floats, groups: Counts, n_groups: int, *, higher_is_better: bool) -> Self:
        """Add up the scores of some units."""
        order = np.argsort(groups, kind="stable")
        ordered = np.take(scores, order, axis=1)
        numbers, starts = np.unique(groups[order], return_index=True)
        stops = [*starts[1:].tolist(), len(order)]
        return cls(
            n_groups,
            {
                group: TaskTally.of(ordered[:, start:stop], higher_is_better=higher_is_better)
                for group, start, stop in zip(numbers.tolist(), starts, stops, strict=True)
            },
        )

    def _key(self) -> tuple[Hashable, ...]:
        return self.n_groups, tuple(self._parts.items())

    def __len__(self) -> int:
        return len(next(iter(self._parts.values())))

    def __add__(self, other: object) -> GroupedTally:
        if not isinstance(other, GroupedTally):
            return NotImplemented
        if other.n_groups != self.n_groups:
            raise InvalidInputError(
                "n_groups", f"{self.n_groups}, as in the other summary", other.n_groups
            )
        parts = dict(self._parts)
        for group, tally in other._parts.items():
            parts[group] = parts[group] + tally if group in parts else tally
        return GroupedTally(self.n_groups, parts)

    @property
    def parts(self) -> Mapping[int, TaskTally]:
        """The sums of each group that has units."""
        return MappingProxyType(self._parts)

    @cached_property
    def total(self) -> TaskTally:
        """The sums over all groups."""
        return _weighted(self._all_parts, np.ones(len(self._parts), dtype=np.int64))

    @property
    def n_units(self) -> int:
        """Units in which a system is there."""
        return sum(tally.n_units for tally in self._parts.values())

    @property
    def n_empty(self) -> int:
        """Units without any score."""
        return sum(tally.n_empty for tally in self._parts.values())

    @property
    def n_bytes(self) -> int:
        """The memory of all arrays."""
        return sum(tally.n_bytes for tally in self._parts.values())

    def reordered(self, positions: Counts) -> GroupedTally:
        """Return the same sums with the systems at these positions, in their order."""
        return GroupedTally(
            self.n_groups, {g: tally.reordered(positions) for g, tally in self._parts.items()}
        )

    # -- drawn again --------------------------------------------------------------------------

    def drawn(self, times: Counts) -> TaskTally | None:
        """Return the sums over groups of which each counts several times, or not at all."""
        counts = times[np.array(list(self._parts), dtype=np.intp)]
        n_units = int(counts @ self._all_parts["n_units"])
        return _weighted(self._all_parts, counts) if n_units else None

    @cached_property
    def _all_parts(self) -> dict[str, Any]:
        return _stacked(list(self._parts.values()))

    # -- plain data ---------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        parts = [[group, tally.to_dict()] for group, tally in self._parts.items()]
        return {"n_groups": self.n_groups, "parts": parts}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Return what `to_dict` gave."""
        parts = {group: TaskTally.from_dict(tally) for group, tally in plain["parts"]}
        return cls(plain["n_groups"], parts)


def check_room(n_bytes: int, n_groups: int, n_tasks: int, n_systems: int) -> None:
    """Raise where the tallies of groups take more than `MOST_BYTES` bytes."""
    if n_bytes > MOST_BYTES:
        fewer = max(n_groups * MOST_BYTES // n_bytes, 1)
        allowed = (
            f"at most about {fewer} with {counted(n_tasks, 'task')} of "
            f"{counted(n_systems, 'system')}: {n_bytes / 2**30:.1f} GiB of sums are more than "
            f"{MOST_BYTES / 2**30:g}"
        )
        remedy = "Take fewer groups, fewer tasks at a time, or leave `n_groups` out."
        raise InvalidInputError("n_groups", allowed, n_groups, remedy)
