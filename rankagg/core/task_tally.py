"""Integer sums over the scores of one task, from which votes, points and moments follow.

A unit is one instance: the scores of all systems on it. All numbers are sums over units, so the
order of the units and their division into parts do not matter.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from math import lcm
from typing import Any, Self, cast

import numpy as np

from rankagg._typing import Floats, Integers, Integers64, Positions, Unranked
from rankagg.core import exact
from rankagg.core.exact_sum import exact_sums
from rankagg.core.tally import EXACT_ITEMS, grid, shares_fit
from rankagg.core.value import Value, array_key, frozen_array
from rankagg.kernels.counting import count_scores, count_together

Counts = Integers64


def _sizes_fit(sizes: Sequence[int], n: int) -> bool:
    """Return whether units of these sizes have a cheap common denominator."""
    return n <= EXACT_ITEMS or shares_fit(lcm(1, *(2 * (k + 1) for k in sizes)), n)


def _rounded(doubled: Counts, k: Positions, n: int, power: int) -> Floats:
    """Return powers of (r + 1)/(k + 1) as multiples of the grid of n items."""
    over = (2 * (k + 1)) ** power
    return cast(Floats, ((doubled**power * grid(n) + over // 2) // over).astype(np.float64))


def _absent_sums(absent: Floats, values: Floats) -> Integers:
    """Return the sums of each column's values over the units without the row's system."""
    if _are_alike(absent):
        lacking = absent.max(axis=1, initial=0).astype(np.int64)
        return np.outer(lacking, values.astype(np.int64).sum(axis=1))
    return exact.exact_product(np.ones(absent.shape[1], dtype=np.int64), absent.T, values.T)


def _are_alike(units: Floats) -> bool:
    return bool((units == units[:, :1]).all())


class TaskTally(Value):
    """Sums over the units of one task, for n systems.

    With k systems present, one at the mean place r (from 0) is before an absent one in
    1 - (r + 1)/(k + 1) of the compatible permutations. For incomplete units the sums of 2r + 2
    are therefore kept, separately for each number k < n that occurs.
    """

    # Shape (n, n). Units in which row scores above column.
    wins: Counts
    # Shape (n, n). Units in which both are present; the diagonal counts units with one system.
    both: Counts
    # Units with any score.
    n_units: int
    # Units without any score; they count nowhere else.
    n_empty: int
    # Shape (size,). The numbers k < n that occur, ascending.
    sizes: Counts
    # Shape (size,). The number of units with k systems.
    units_of_size: Counts
    # Shape (size, n). Sum of 2r + 2 over the units of a size, for the present systems.
    placed: Counts
    # Shape (size, n, n). The same sum, and that of its square, if row is absent and column
    # present. None if the sizes have no cheap common denominator.
    shares: Counts | None
    squares: Counts | None
    # Shape (n, n). For more than 100 systems the sums of (r + 1)/(k + 1) and of its square, each
    # term rounded to the grid of `core.tally`; None otherwise.
    on_grid: Integers | None
    squares_on_grid: Integers | None
    # Sums of the given scores, in units of 2**-1074.
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
        # Incomplete units, ordered by their number of systems.
        columns, systems = columns[:, order[first:last]], systems[first:last]
        wins_of_some, behind = count_scores(columns, leads=True)
        present = ~np.isnan(columns)
        absent = (~present).astype(np.float64)
        # 2r + 2 = k + 1 + losses - wins.
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
                if _are_alike(lacking):  # all units lack the same systems
                    values = np.array([values.sum(axis=0), (values**2).sum(axis=0)])
                    tables[:, at] = lacking[:, 0][:, None] * values[:, None]
                else:
                    tables[:, at] = lacking @ values, lacking @ values**2
        shares, squares = tables.astype(np.int64) if is_exact else (None, None)
        on_grid, squares_on_grid = None, None
        if n > EXACT_ITEMS:
            powers = (_rounded(doubled, systems, n, power) for power in (1, 2))
            on_grid, squares_on_grid = (_absent_sums(absent, values) for values in powers)
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
        sizes = np.union1d(self.sizes, other.sizes)
        fields: dict[str, Any] = {"sizes": sizes}
        for name in ("n_units", "n_empty", "wins", "both"):
            fields[name] = getattr(self, name) + getattr(other, name)
        for name in ("on_grid", "squares_on_grid"):
            grids = getattr(self, name), getattr(other, name)
            fields[name] = None if grids[0] is None else exact.combine(grids[0], 1, grids[1], 1)
        has_shares = _sizes_fit(sizes.tolist(), len(self))
        for name in ("units_of_size", "placed", "shares", "squares"):
            if name[0] == "s" and not has_shares:
                fields[name] = None
                continue
            tables = getattr(self, name), getattr(other, name)
            fields[name] = np.zeros((len(sizes), *tables[0].shape[1:]), dtype=np.int64)
            for part, table in zip((self, other), tables, strict=True):
                fields[name][np.searchsorted(sizes, part.sizes)] += table
        fields["sums"] = tuple(a + b for a, b in zip(self.sums, other.sums, strict=True))
        return TaskTally(**fields)

    # -- derived counts -----------------------------------------------------------------------

    @property
    def observed(self) -> Counts:
        """Units with each system, shape (n,)."""
        return np.diagonal(self.both)

    @cached_property
    def ties(self) -> Counts:
        """Units in which two systems have the same score, shape (n, n)."""
        ties = self.both - self.wins - self.wins.T
        np.fill_diagonal(ties, 0)
        return ties

    @cached_property
    def missed(self) -> Counts:
        """Units with row and without column, shape (n, n)."""
        return self.observed[:, None] - self.both

    @cached_property
    def neither(self) -> Counts:
        """Units with scores, but none of row and column, shape (n, n)."""
        neither: Counts = self.n_units - self.observed[:, None] - self.observed + self.both
        np.fill_diagonal(neither, 0)
        return neither

    def judged(self, unranked: Unranked) -> tuple[Counts, Counts]:
        """Return the units with row above column, and those that compare both, by a policy.

        By "last" an absent system is below a present one; otherwise it is not compared.
        """
        if unranked == "last":
            return self.wins + self.missed, self.n_units - self.neither
        return self.wins, self.both

    @cached_property
    def all_placed(self) -> Counts:
        """Sum of 2r + 2 over complete units, shape (n,)."""
        # In every unit 2r + 2 = k + 1 + losses - wins.
        lead = self.wins.sum(axis=1) - self.wins.sum(axis=0)
        complete: Counts = self.both.sum(axis=1) + self.observed - lead - self.placed.sum(axis=0)
        return complete

    def reordered(self, positions: Counts) -> TaskTally:
        """Return the sums of the systems at these positions, in their order."""
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
        """Return plain data for JSON; sums are hexadecimal text, "3p1072" for 3 * 2**1072."""
        fields = self._fields().items()
        plain = {name: v.tolist() if isinstance(v, np.ndarray) else v for name, v in fields}
        plain["sums"] = [_as_text(total) for total in self.sums]
        return plain

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        """Return the tally that `to_dict` describes."""
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
    """Return the sum of integer arrays, each multiplied by its votes."""
    total = exact.multiply(arrays[0], votes[0])
    for array, vote in zip(arrays[1:], votes[1:], strict=True):
        if vote:
            total = exact.combine(total, 1, array, vote)
    return total
