"""What the scores of one task add up to: integers, from which votes, points and intervals follow.

A unit is one instance: the scores of all systems on it. All numbers add up over units, so neither
the order of these nor how they are cut into parts changes anything.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rankagg._numbers import ascii_number
from rankagg._typing import Floats, Integers
from rankagg.core.arithmetic import exact
from rankagg.core.arithmetic.exact_sum import exact_sums
from rankagg.core.sums.checks import check_sums
from rankagg.core.sums.score_sums import sizes_fit, sums_of
from rankagg.core.value import Value, array_key, frozen_array

__all__ = ["TaskTally"]

Counts = NDArray[np.int64]


class TaskTally(Value):
    """Sums over the units of one task, for n systems.

    With k systems there, one at the mean place r (from 0) is before an absent one in
    1 - (r + 1)/(k + 1) of the compatible permutations. So of incomplete units 2r + 2 is summed up,
    for each k that occurs: `size` numbers k below n.

    Attributes
    ----------
    wins : ndarray of int64, shape (n, n)
        Units in which row scores above column.
    both : ndarray of int64, shape (n, n)
        Units in which both are there; on the diagonal those in which one is.
    n_units : int
        Units in which a system is there.
    n_empty : int
        Units without any score; they count nowhere else.
    sizes : ndarray of int64, shape (size,)
        The numbers k below n that occur, ascending.
    units_of_size : ndarray of int64, shape (size,)
        How many units have so many systems.
    placed : ndarray of int64, shape (size, n)
        Sum of 2r + 2 over the units of a size, for the systems that are there.
    shares, squares : ndarray of int64, shape (size, n, n), or None
        The same, and of its square, where row is absent and column is there. None where the
        sizes have no common denominator that is cheap.
    on_grid, squares_on_grid : ndarray of int, shape (n, n), or None
        Of more than 100 systems: the sums of (r + 1)/(k + 1) and of its square, each rounded to
        the grid of `core.shares` by itself; None otherwise.
    sums : tuple of int, length n
        Sums of the scores as given, in units of 2**-1074.
    """

    wins: Counts
    both: Counts
    n_units: int
    n_empty: int
    sizes: Counts
    units_of_size: Counts
    placed: Counts
    shares: Counts | None
    squares: Counts | None
    on_grid: Integers | None
    squares_on_grid: Integers | None
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
        """Add up the scores of some units.

        Parameters
        ----------
        scores : ndarray of float, shape (n, m)
            Finite scores of n systems on m units, NaN where missing.
        higher_is_better : bool
            The direction of the task.

        Returns
        -------
        TaskTally
        """
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
