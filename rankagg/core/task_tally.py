"""Sums over the scores of one task: integers, from which votes, points and moments follow.

A unit is one instance: the scores of all systems on it. All numbers add up over units, so neither
the order of these nor how they are cut into parts changes anything.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from functools import cached_property, partial
from itertools import pairwise
from math import lcm
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rankagg._numbers import ascii_number
from rankagg._typing import Bools, Floats, Integers
from rankagg.core.arithmetic import exact
from rankagg.core.arithmetic.exact import INT64_SAFE
from rankagg.core.arithmetic.exact_sum import exact_sums
from rankagg.core.tally import EXACT_ITEMS, grid, shares_fit
from rankagg.core.value import Value, array_key, frozen_array
from rankagg.kernels.counting import count_together
from rankagg.kernels.scores import count_scores

# A float is a whole number of 2**-1074 below 2**(1074 + 1024).
LARGEST_SCORE = 2**2098


def check_sums(tally: TaskTally) -> None:
    """Raise ValueError for sums that no scores have."""
    units = tally.n_units
    _need(units >= 0 and tally.n_empty >= 0, "the numbers of units")
    # No sum below is larger.
    _need(4 * len(tally) ** 2 * units < INT64_SAFE, "the numbers of units")
    _check_pairs(tally)
    _check_sizes(tally)
    if tally.shares is not None:
        _check_shares(tally, tally.shares, tally.squares)
    _check_grid(tally)
    for total, times in zip(tally.sums, tally.observed.tolist(), strict=True):
        _need(abs(total) <= times * LARGEST_SCORE, "a sum of scores")


def _need(holds: Any, what: str) -> None:
    if not np.all(holds):
        raise ValueError(f"no scores have these sums: {what}")


def _check_pairs(tally: TaskTally) -> None:
    wins, both, there = tally.wins, tally.both, tally.observed
    _need((wins >= 0) & (both >= 0) & (both <= tally.n_units), "counts of units")
    _need(both == both.T, "who is there with whom")
    _need(both <= np.minimum(there, there[:, None]), "who is there with whom")
    _need(wins + wins.T <= both, "who is above whom")
    _need(np.diagonal(wins) == 0, "who is above whom")
    _need(tally.neither >= 0, "who is absent with whom")


def _check_sizes(tally: TaskTally) -> None:
    n, sizes, units = len(tally), tally.sizes, tally.units_of_size
    _need((sizes > 0) & (sizes < n), "numbers of systems")
    _need(np.diff(sizes) > 0, "numbers of systems")
    _need((units > 0) & (units <= tally.n_units), "units by number of systems")
    complete = tally.n_units - int(units.sum())
    _need(complete >= 0, "units by number of systems")
    there = int((sizes * units).sum()) + n * complete
    _need(int(tally.observed.sum()) == there, "units by number of systems")
    # 2r + 2 is 2 to 2k, and k(k + 1) in all of a unit.
    most = 2 * (sizes * units)[:, None]
    _need((tally.placed >= 0) & (tally.placed <= most), "places")
    _need(tally.placed.sum(axis=1) == sizes * (sizes + 1) * units, "places")
    whole = tally.all_placed
    _need((whole >= 2 * complete) & (whole <= 2 * n * complete), "places of complete units")


def _check_shares(tally: TaskTally, shares: Any, squares: Any) -> None:
    n, sizes = len(tally), tally.sizes
    k = sizes[:, None, None]
    most = 2 * k * tally.units_of_size[:, None, None]
    _need((shares >= 0) & (shares <= most), "places beside absent systems")
    # Every unit of k systems counts its places once for each of the n - k others.
    _need(shares.sum(axis=1) == (n - sizes)[:, None] * tally.placed, "places beside absent systems")
    absent, rest = np.divmod(shares.sum(axis=2), (sizes * (sizes + 1))[:, None])
    _need((rest == 0) & (absent <= tally.units_of_size[:, None]), "places beside absent systems")
    _need(absent.sum(axis=0) == tally.n_units - tally.observed, "places beside absent systems")
    _need(np.diagonal(shares, axis1=1, axis2=2) == 0, "places beside absent systems")
    _need((squares >= 2 * shares) & (squares <= 2 * k * shares), "squares of places")


def _check_grid(tally: TaskTally) -> None:
    n = len(tally)
    parts = (tally.on_grid, tally.squares_on_grid)
    _need([(part is None) == (n <= EXACT_ITEMS) for part in parts], "shares on the grid")
    if tally.on_grid is None or tally.squares_on_grid is None:
        return
    most = tally.missed.T.astype(object) * grid(n)
    on_grid, squares = (part.astype(object) for part in parts if part is not None)
    _need((on_grid >= 0) & (on_grid <= most), "shares on the grid")
    # A square is rounded by itself, so it may be half a step above its share.
    _need((squares >= 0) & (squares <= on_grid + tally.missed.T), "shares on the grid")


Counts = NDArray[np.int64]

# Products of fewer steps are left to one thread; those of fewer units are not worth a call.
SINGLE, LEAST = 2**18, 64
# Units that lack the same systems are compared by themselves from this number on.
ALONE = 512


def sums_of(columns: Floats) -> ScoreSums:
    """Add up units."""
    present = ~np.isnan(columns)
    sums = ScoreSums(len(columns))
    if present.all():
        sums.add_alike(columns, np.arange(len(columns)))
    else:
        _add_by_pattern(sums, columns, present)
    return sums


class ScoreSums:
    """Sums over units as they come, by the number k of systems that are there."""

    def __init__(self, n: int) -> None:
        self.wins, self.both = _zeros(n, n), _zeros(n, n)
        self.units: dict[int, int] = defaultdict(int)
        self.placed: dict[int, Counts] = defaultdict(partial(_zeros, n))
        self.shares: dict[int, Counts] = defaultdict(partial(_zeros, n, n))
        self.squares: dict[int, Counts] = defaultdict(partial(_zeros, n, n))
        self.on_grid: Counts | None = None
        self.squares_on_grid: Counts | None = None
        if n > EXACT_ITEMS:
            self.on_grid, self.squares_on_grid = _zeros(n, n), _zeros(n, n)

    @property
    def sizes(self) -> list[int]:
        """The numbers of systems that occur, without none and all."""
        return sorted(k for k in self.units if 0 < k < len(self.wins))

    def _keeps_shares(self) -> bool:
        """Say whether shares are kept for each k; else they take no memory any more."""
        if sizes_fit(self.sizes, len(self.wins)):
            return True
        self.shares.clear()
        self.squares.clear()
        return False

    def add_alike(self, columns: Floats, there: NDArray[np.intp]) -> None:
        """Add units in which just the systems at these positions are, a row for each."""
        n, (k, m) = len(self.wins), columns.shape
        self.units[k] += m
        if not k:
            return
        wins, behind = count_scores(columns, leads=k < n)
        self.wins[np.ix_(there, there)] += wins
        self.both[np.ix_(there, there)] += m
        if k == n:
            return
        lacking = np.ix_(np.setdiff1d(np.arange(n), there), there)
        # 2r + 2 is k + 1 and what a system loses less what it wins.
        doubled = behind.astype(np.int64) + (k + 1)
        self.placed[k][there] += doubled.sum(axis=1)
        if self._keeps_shares():
            self.shares[k][lacking] += doubled.sum(axis=1)
            self.squares[k][lacking] += (doubled**2).sum(axis=1)
        if self.on_grid is not None and self.squares_on_grid is not None:
            for total, power in ((self.on_grid, 1), (self.squares_on_grid, 2)):
                total[lacking] += _rounded(doubled, k, n, power).sum(axis=1)

    def add_mixed(self, columns: Floats, present: Bools, sizes: NDArray[np.intp]) -> None:
        """Add units in which some systems are, ordered by their number; below 2**24 of them."""
        n = len(self.wins)
        wins, behind = count_scores(columns, leads=True)
        self.wins += wins
        self.both += count_together(present, present)
        starts = np.concatenate([[0], np.flatnonzero(np.diff(sizes)) + 1])
        for start, stop in pairwise([*starts.tolist(), len(sizes)]):
            k = int(sizes[start])
            self.units[k] += stop - start
            if k in (0, n):
                continue
            self._add_places(k, behind[:, start:stop], present[:, start:stop])
        if self.on_grid is not None and self.squares_on_grid is not None:
            doubled = (behind.astype(np.int64) + (sizes + 1)) * present
            once, absent = np.ones(len(sizes), dtype=np.int64), (~present).astype(np.float64)
            for on_grid, power in ((self.on_grid, 1), (self.squares_on_grid, 2)):
                units = _rounded(doubled, sizes, n, power).astype(np.float64)
                added = exact.exact_product(once, absent.T, units.T).astype(np.int64)
                np.add(on_grid, added, out=on_grid)

    def _add_places(self, k: int, behind: NDArray[np.int16], present: Bools) -> None:
        """Add 2r + 2 and its square for units with k systems."""
        n, m = behind.shape
        both_powers = np.empty((2, n, m))
        doubled, squared = both_powers
        np.add(behind, k + 1, out=doubled)
        doubled *= present
        np.multiply(doubled, doubled, out=squared)
        self.placed[k] += doubled.sum(axis=1).astype(np.int64)
        if self._keeps_shares():
            sums = _product((~present).astype(np.float64), both_powers.reshape(2 * n, m))
            self.shares[k] += sums[:, :n]
            self.squares[k] += sums[:, n:]


def sizes_fit(sizes: Sequence[int], n: int) -> bool:
    """Say whether shares of units of these sizes are exact over one denominator that is cheap."""
    return n <= EXACT_ITEMS or shares_fit(lcm(1, *(2 * (k + 1) for k in sizes)), n)


def _zeros(*shape: int) -> Counts:
    return np.zeros(shape, dtype=np.int64)


def _product(left: Floats, right: Floats) -> Counts:
    """Return products of whole numbers, whose sums floats hold, summed over the units."""
    width = SINGLE // (len(left) * len(right))
    m = left.shape[1] // max(width, 1) * width
    if width < LEAST:
        return np.rint(left @ right.T).astype(np.int64)
    total = left[:, m:] @ right[:, m:].T
    if m:
        mine, theirs = (part[:, :m].reshape(len(part), -1, width) for part in (left, right))
        total += np.matmul(mine.transpose(1, 0, 2), theirs.transpose(1, 2, 0)).sum(axis=0)
    return np.rint(total).astype(np.int64)


def _rounded(doubled: Counts, k: int | NDArray[np.intp], n: int, power: int) -> Counts:
    """Return powers of (r + 1)/(k + 1) as multiples of the grid of n items."""
    over = (2 * (k + 1)) ** power
    rounded: Counts = (doubled**power * grid(n) + over // 2) // over
    return rounded


def _add_by_pattern(sums: ScoreSums, columns: Floats, present: Bools) -> None:
    """Add units: those that lack the same systems together where they are many."""
    order, starts = _grouped(present)
    counts = np.diff(np.append(starts, len(order)))
    alone = counts >= ALONE
    for at in np.flatnonzero(alone):
        units = order[starts[at] : starts[at] + counts[at]]
        there = np.flatnonzero(present[:, units[0]])
        sums.add_alike(_taken(columns, units, there), there)
    if alone.all():
        return
    rest = order[np.repeat(~alone, counts)]
    sizes = present[:, rest].sum(axis=0)
    by_size = np.argsort(sizes, kind="stable")
    rest = rest[by_size]
    sums.add_mixed(columns[:, rest], present[:, rest], sizes[by_size])


def _taken(columns: Floats, units: NDArray[np.intp], there: NDArray[np.intp]) -> Floats:
    """Return some units and systems; a view where the units stand side by side."""
    first, last = units[0], units[-1]
    if last - first + 1 == len(units):
        return columns[there, first : last + 1]
    return columns[np.ix_(there, units)]


def _grouped(present: Bools) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return an order in which units with the same systems are together, and where each starts."""
    packed = np.packbits(present, axis=0)
    keys = np.zeros(packed.shape[1], dtype=np.uint64)
    if len(packed) <= 8:
        for byte in packed:
            keys = (keys << np.uint64(8)) | byte
    else:
        rows = np.ascontiguousarray(packed.T)
        whole = rows.view(np.dtype((np.void, rows.shape[1])))[:, 0]
        keys = np.unique(whole, return_inverse=True)[1].astype(np.uint64)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    return order, np.concatenate([[0], np.flatnonzero(ordered[1:] != ordered[:-1]) + 1])


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
    # rounded to the grid of `core.shares` by itself; None otherwise.
    on_grid: Integers | None
    squares_on_grid: Integers | None
    # Sums of the scores as given, in units of 2**-1074.
    sums: tuple[int, ...]

    def __init__(self, **fields: Any) -> None:
        n, sizes = len(fields["wins"]), fields["sizes"]
        if not sizes_fit(sizes.tolist(), n):
            fields["shares"] = fields["squares"] = None
        for value in fields.values():
            if isinstance(value, np.ndarray):
                frozen_array(value)
        self._set(**fields)

    @classmethod
    def of(cls, scores: Floats, *, higher_is_better: bool) -> Self:
        """Add up the scores of some units."""
        n = len(scores)
        sums = sums_of(scores if higher_is_better else -scores)
        sizes = sums.sizes
        tables: dict[str, Any] = {
            "sizes": sizes,
            "units_of_size": [sums.units[k] for k in sizes],
            "placed": [sums.placed[k] for k in sizes],
        }
        if sizes_fit(sizes, n):
            tables["shares"] = [sums.shares[k] for k in sizes]
            tables["squares"] = [sums.squares[k] for k in sizes]
        shapes = _shapes(len(sizes), n)
        arrays = {
            name: np.array(table, dtype=np.int64).reshape(shapes[name])
            for name, table in tables.items()
        }
        return cls(
            wins=sums.wins,
            both=sums.both,
            n_units=sum(units for k, units in sums.units.items() if k),
            n_empty=sums.units[0],
            on_grid=sums.on_grid,
            squares_on_grid=sums.squares_on_grid,
            sums=tuple(exact_sums(scores)),
            **{"shares": None, "squares": None, **arrays},
        )

    def _key(self) -> tuple[Hashable, ...]:
        return tuple(
            array_key(value) if isinstance(value, np.ndarray) else value
            for value in (getattr(self, name) for name in FIELDS)
        )

    def __len__(self) -> int:
        return len(self.wins)

    def __add__(self, other: object) -> TaskTally:
        if not isinstance(other, TaskTally) or len(other) != len(self):
            return NotImplemented
        n = len(self)
        sizes = np.union1d(self.sizes, other.sizes)
        mine, theirs = (np.searchsorted(sizes, part.sizes) for part in (self, other))
        tables: dict[str, Any] = {}
        for name in ("units_of_size", "placed", "shares", "squares"):
            one, two = getattr(self, name), getattr(other, name)
            if one is None or two is None or (name[0] == "s" and not sizes_fit(sizes.tolist(), n)):
                tables[name] = None
                continue
            tables[name] = np.zeros((len(sizes), *one.shape[1:]), dtype=np.int64)
            tables[name][mine] += one
            tables[name][theirs] += two
        for name in ("on_grid", "squares_on_grid"):
            one, two = getattr(self, name), getattr(other, name)
            tables[name] = None if one is None else exact.combine(one, 1, two, 1)
        return TaskTally(
            wins=self.wins + other.wins,
            both=self.both + other.both,
            n_units=self.n_units + other.n_units,
            n_empty=self.n_empty + other.n_empty,
            sizes=sizes,
            sums=tuple(a + b for a, b in zip(self.sums, other.sums, strict=True)),
            **tables,
        )

    # -- what follows -------------------------------------------------------------------------

    @property
    def n_bytes(self) -> int:
        """The memory of the arrays."""
        arrays = (getattr(self, name) for name in FIELDS)
        return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))

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
        fields: dict[str, Any] = {name: getattr(self, name) for name in FIELDS}
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
        plain: dict[str, Any] = {}
        for name in FIELDS:
            value = getattr(self, name)
            plain[name] = value.tolist() if isinstance(value, np.ndarray) else value
        plain["sums"] = [_as_text(total) for total in self.sums]
        return plain

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        """Return what `to_dict` gave; raises ValueError, TypeError or KeyError for other data."""
        n = len(plain["wins"])
        shapes = _shapes(len(plain["sizes"]), n)
        fields: dict[str, Any] = {name: plain[name] for name in FIELDS}
        for name, shape in shapes.items():
            if fields[name] is not None:
                array = np.array(fields[name], dtype=object).reshape(shape)
                if not all(type(number) is int for number in array.ravel()):
                    raise ValueError(name)
                fields[name] = exact.fit(array) if "grid" in name else array.astype(np.int64)
        fields["sums"] = tuple(_from_text(total) for total in fields["sums"])
        if len(fields["sums"]) != n or not all(
            type(fields[name]) is int for name in ("n_units", "n_empty")
        ):
            raise ValueError("sums")
        made = cls(**fields)
        fits = sizes_fit(made.sizes.tolist(), n)
        if any((table is not None) != fits for table in (made.shares, made.squares)):
            raise ValueError("shares")
        check_sums(made)
        return made


FIELDS = (
    "wins", "both", "n_units", "n_empty", "sizes", "units_of_size", "placed", "shares", "squares",
    "on_grid", "squares_on_grid", "sums",
)  # fmt: skip


# A sum of scores has no more hexadecimal digits, nor more zeros at its end in binary.
DIGITS, SHIFT = 600, 2200


def _as_text(total: int) -> str:
    zeros = (total & -total).bit_length() - 1 if total else 0
    return f"{total >> zeros:x}p{zeros}"


def _from_text(text: str) -> int:
    digits, _, zeros = text.partition("p")
    shift = int(ascii_number(zeros))
    # Checked before the number is made, which could fill the memory.
    if len(digits) > DIGITS or not 0 <= shift <= SHIFT:
        raise ValueError("sums")
    return int(ascii_number(digits), 16) << shift


def _shapes(size: int, n: int) -> dict[str, tuple[int, ...]]:
    square = (n, n)
    return {
        "wins": square, "both": square, "sizes": (size,), "units_of_size": (size,),
        "placed": (size, n), "shares": (size, *square), "squares": (size, *square),
        "on_grid": square, "squares_on_grid": square,
    }  # fmt: skip
