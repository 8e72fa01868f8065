"""Exact tests of many differences at once, by turning whole units round.

If nothing distinguishes two items, a unit's difference is as likely to be x as -x. One sign turns
all differences of a unit together, so their dependence is kept and no price is paid for the number
of pairs. With T units there are 2^T sign vectors, and no p-value is below 2^(1 - T).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Generator, Positions
from rankagg.core import rounding_error
from rankagg.exceptions import InvalidInputError
from rankagg.inference.pair_values import Differences
from rankagg.inference.units import Block, Units, square

# Sign vectors that are drawn by default, and that are always gone through where they are all.
VECTORS, ALWAYS_ALL = 10_000, 4096
# Signs that are held at one time, about.
SIGNS_HELD = 4_000_000
# Values that are held for all sign vectors; more are made again for each block of them.
SUMS_HELD = 20_000_000
# Rows from which on items are summed and not pairs, if all are there: fewer suffice where they and
# the pairs are so many together.
LONG_ROWS, SHORT_ROWS, PAIRED_VALUES = 1000, 64, 1_000_000
# Sums of pairs that are compared at each step, by default, and the fewest sign vectors then drawn.
SUMS_COMPARED, FEWEST_VECTORS = 10**9, 1024
# Sums that are compared at once, and sign vectors: as many as a processor has at hand.
COMPARED, TOGETHER, TRIES = 65_536, 96, 5
# Sums are not scaled where the chance that all units agree on some pair by luck is larger, or where
# the square of the mean size of differences is more than this share of their mean square.
LUCK, ALIKE = 0.05, 0.95


def sign_flips(
    units: Units, n_vectors: int | None, rng: Generator, *, scaled: bool = True
) -> SignFlips:
    """Compare the sums of all differences with what they would be under other signs.

    The largest sum over all pairs, without its sign, is compared with those under other signs;
    the pairs that reach the level are decided as observed, and the others are compared again until
    none is (Romano and Wolf 2005). Units must be independent, and the differences of each, taken
    together, symmetric about a center.

    A noisy item would have all the largest sums. So, if `scaled`, sums are also compared after
    division by the root of the sum of squares of their pair, which no sign changes: a pair is
    decided where either passes its bar, both bars are passed by as many sign vectors, and one or
    both of them by alpha at most.

    Where all items are equal (centers are zero) the family-wise error rate is at most alpha. Where
    some are, that of plain sums is among these, by steps; the two kinds of sums would have to agree
    less within these pairs than in all for theirs to be larger. Of directions it is at most alpha
    for plain sums in the first step: with differences
    r e - c, random signs r and c >= 0, the signs s r make of r.e - 1.c at least s.e - 1.c, what
    would be observed if r were s. Scaled sums depend on c: those of a pair can be large because
    its differences have one size. Where all its units have one sign by luck that is an error,
    so pairs take part only where so many units differ that this is rare in all pairs together,
    and where sizes differ: of those that hardly do, how much they vary was not seen, as where what
    is rare did not happen.

    A pair that some units do not tell of has a plain sum that is scaled by the root of the squared
    weights of those that do.

    Fisher (1935), The Design of Experiments; Romano and Wolf (2005), "Exact and approximate
    stepdown methods for multiple hypothesis testing",
    https://doi.org/10.1198/016214504000000539.
    """
    if len(units.stratum_weights) > 1:
        remedy = (
            "Units of a fixed task need not be centered, so their signs cannot be turned; take "
            "'hoeffding' or 'max-t', or `unit='task'` where the tasks are a sample."
        )
        raise InvalidInputError("method", "another one with fixed tasks", "sign-flips", remedy)
    sums = _FlippedSums.of(units, scaled=scaled)
    n, usual = len(units.items), VECTORS
    if n > 1:
        compared = SUMS_HELD if sums.is_paired else SUMS_COMPARED
        usual = min(VECTORS, max(FEWEST_VECTORS, compared // (n * n)))
    many = usual if n_vectors is None else n_vectors
    exact = sums.fits(max(many, min(ALWAYS_ALL, usual)))
    many, seed = sums.n_signs if exact else many, int(rng.integers(2**63))
    return SignFlips(sums, many, seed, is_exact=exact)


@dataclass(frozen=True, eq=False)
class _FlippedSums:
    """Sums over units, of all pairs or of single numbers whose differences they are."""

    units: Units
    held: Block | None
    is_paired: bool
    n_units: int
    # Shape (n, n) each. What sums without their signs are multiplied by to be compared.
    scales: tuple[Floats, ...]
    # Shape (n, n). Sums that are no larger may come from rounding.
    least: Floats

    @classmethod
    def of(cls, units: Units, *, scaled: bool = True) -> _FlippedSums:
        """Hold the units where they are few; else go through them again and again."""
        first, second = units.pairs
        n_pairs = len(first)
        if np.issubdtype(units.source.rows.dtype, np.integer):
            units = units.compressed()
        source = units.source
        is_paired, is_long = True, units.n_rows > LONG_ROWS
        is_long |= units.n_rows > SHORT_ROWS and units.n_rows * n_pairs > PAIRED_VALUES
        if isinstance(source, Differences) and source.is_complete:
            centered = _Centered(source.rows, source.scale, source.numbers, source.is_bounded)
            units, is_paired = replace(units, source=centered), False
        is_held = units.n_rows * n_pairs <= SUMS_HELD if is_paired else not is_long
        held = units.all_blocks() if is_held else None
        # Of the units that tell of each pair the weights and their squares, the sizes of weighted
        # differences and their squares, the number, and that of those that tell two items apart.
        told, masses, lengths, squares, many, apart = np.zeros((6, n_pairs))
        some = max(1, PAIRED_VALUES // max(n_pairs, 1))
        for block in [held] if held is not None else units.blocks():
            for start in range(0, len(block.values), some):
                values, counts, weights, _ = (part[start : start + some] for part in block)
                if not is_paired:
                    values = 0.5 + values[:, first] - values[:, second]
                present = ~np.isnan(values)
                differences = np.nan_to_num(2.0 * values - 1.0)
                told += (counts * weights) @ present
                masses += (counts * weights**2) @ present
                lengths += (counts * weights) @ np.abs(differences)
                squares += (counts * weights**2) @ differences**2
                many += counts @ present
                apart += counts @ (np.abs(differences) > rounding_error(1.0))
        scales = [np.sqrt(_inverse(masses) * masses.max(initial=0.0))]
        if scaled:
            rare = np.exp2(1.0 - apart) * n_pairs <= LUCK
            rare &= lengths**2 <= ALIKE * many * squares
            scales += [np.where(rare, np.sqrt(_inverse(squares)), 0.0)] * bool(rare.any())
        held = None if held is None else _informative(held)
        n_units = units.n_units if held is None else int(held.counts.sum())
        # Of differences in [-1, 1], which are twice those of values, and of two sums.
        least = 4.0 * rounding_error(told * units.sizes, units.n_rows)
        found = [square(len(units.items), one, one, 0.0) for one in (*scales, least)]
        return cls(units, held, is_paired, n_units, tuple(found[:-1]), found[-1])

    def fits(self, n_vectors: int) -> bool:
        """Say whether so many sign vectors are all, but for the opposite ones."""
        return self.held is not None and self.n_signs <= n_vectors

    @property
    def n_signs(self) -> int:
        """How many sign vectors there are, but for the opposite ones."""
        return 1 << min(max(self.n_units - 1, 0), 64)

    def all_signs(self) -> Iterator[Floats]:
        """Go through all sign vectors, but for the opposite ones; the observed one first."""
        assert self.held is not None, "so few units are always held"
        values = _weighted_differences(self.held)
        values = np.repeat(values, self.held.counts.astype(np.intp), axis=0)
        size = max(1, SIGNS_HELD // max(values.shape[1], 1))
        for start in range(0, self.n_signs, size):
            yield all_signs(len(values), start, min(start + size, self.n_signs)) @ values

    def drawn_signs(self, times: int, rng: Generator) -> Iterator[Floats]:
        """Draw sign vectors; the first one is that observed."""
        columns = len(self.units.pairs[0] if self.is_paired else self.units.items)
        # How many are drawn at a time says which they are.
        size = max(1, SIGNS_HELD // max(columns, 1))
        for start in range(0, times, size):
            many = min(size, times - start)
            sums = np.zeros((many, columns))
            for block in [self.held] if self.held is not None else self.units.blocks():
                values = _weighted_differences(block)
                step = max(1, SIGNS_HELD // len(values))
                for low in range(0, many, step):
                    some = slice(low, min(low + step, many))
                    signs = _summed_signs(block.counts, some.stop - low, rng)
                    if start == low == 0:
                        signs[0] = block.counts
                    sums[some] += signs @ values
            yield sums

    def bounds(self, sums: Floats, scale: Floats) -> Floats:
        """Bound the largest sum without its sign of the pairs of each item, shape (n, vectors)."""
        n = len(scale)
        if self.is_paired:
            pairs = (np.abs(sums[:, self._numbers[i]]) * scale[i] for i in range(n))
            return np.stack([sizes.max(axis=1) for sizes in pairs])
        if (scale[~np.eye(n, dtype=bool)] == scale[0, 1]).all():
            ends = sums.max(axis=1, keepdims=True) - sums, sums - sums.min(axis=1, keepdims=True)
            return np.asarray(np.maximum(*ends).T * scale[0, 1])
        # Half of the digits take half of the time.
        largest, most = float(np.abs(sums).max()) or 1.0, float(scale.max())
        numbers = np.ascontiguousarray((sums / largest).T, dtype=np.float32)
        scale = (scale / most).astype(np.float32)
        tops = np.zeros_like(numbers)
        for i in range(n - 1):
            sizes = numbers[i + 1 :] - numbers[i]
            np.abs(sizes, out=sizes)
            sizes *= scale[i, i + 1 :, None]
            np.maximum(tops[i + 1 :], sizes, out=tops[i + 1 :])
            np.maximum(tops[i], sizes.max(axis=0), out=tops[i])
        error = 8.0 * float(np.finfo(np.float32).eps)
        return (tops.astype(np.float64) * (1.0 + error) + error) * (largest * most)

    def sizes(self, sums: Floats, vectors: Positions, items: Positions) -> Floats:
        """Return sums without their signs of all pairs of an item, under a vector for each item."""
        if self.is_paired:
            return np.abs(sums[vectors[:, None], self._numbers[items]])
        differences = sums[vectors]
        differences -= sums[vectors, items][:, None]
        return np.abs(differences, out=differences)

    @cached_property
    def _numbers(self) -> Positions:
        """Where the pair of two items stands; nought for one alone, which is never looked at."""
        numbers = np.arange(float(len(self.units.pairs[0])))
        return square(len(self.units.items), numbers, numbers, 0.0).astype(np.intp)


class _Tops(NamedTuple):
    """The largest sum of the open pairs of some items under each sign vector, or a bound of it."""

    # Shape (kinds, items, vectors).
    sizes: Floats
    # The other item of that pair; -1 where the size is a bound.
    others: NDArray[np.int32]
    items: slice

    def of(self, *, joint: bool) -> Floats:
        """Return the sizes of each item, or of all if `joint`."""
        return self.sizes.max(axis=1, keepdims=True) if joint else self.sizes


class SignFlips:
    """What sums under other signs say of those observed, of all pairs."""

    def __init__(self, sums: _FlippedSums, n_vectors: int, seed: int, *, is_exact: bool) -> None:
        self.of = sums
        # Sign vectors to go through (the opposite ones say the same), and whether they are all.
        self.n_vectors, self.is_exact = n_vectors, is_exact
        self._seed = seed
        self._held: list[Floats] | None = None
        columns = len(sums.units.pairs[0]) if sums.is_paired else len(sums.units.items)
        if n_vectors * columns <= SUMS_HELD:
            self._held = list(self._sums())
        seen = next(self._sums())[0]
        paired = sums.is_paired
        seen = square(len(sums.units.items), seen, -seen, 0.0) if paired else seen[:, None] - seen
        # Shape (n, n). The sum of the differences has row above column.
        self.ahead = seen > sums.least
        self._seen = np.abs(seen) - sums.least

    def decided(self, alpha: float) -> tuple[Bools, Bools]:
        """Return which pairs are decided as observed, of all and of the item of the row only."""
        if len(self._seen) < 2:
            alone = np.zeros_like(self.ahead)
            return alone, alone
        # So many sign vectors may reach what is decided.
        most = int((np.arange(1, self.n_vectors + 1) / self.n_vectors <= alpha).sum())
        # Shape (kinds, n, vectors). Bounds of the largest sum of the pairs of each item.
        tops = np.stack([self._bounds(scale) for scale in self.of.scales])
        n = len(self._seen)
        # Sums that are not held are made again for all items at once.
        few = n if self._held is None else max(1, COMPARED // self.n_vectors)
        parts = [slice(start, start + few) for start in range(0, n, few)]
        alone = np.vstack([self._stepped(tops[:, part].copy(), part, most) for part in parts])
        return self._stepped(tops, slice(0, n), most, joint=True), alone

    def _bounds(self, scale: Floats) -> Floats:
        """Bound the largest sums of the pairs of each item, shape (n, vectors)."""
        parts = (
            self.of.bounds(sums[start : start + TOGETHER], scale)
            for sums in self._sums()
            for start in range(0, len(sums), TOGETHER)
        )
        return np.concatenate(list(parts), axis=1)

    def _stepped(self, sizes: Floats, items: slice, most: int, *, joint: bool = False) -> Bools:
        """Decide the pairs that pass a bar, and compare the others again until none does.

        One bar is for all pairs if `joint`, else one for the pairs of each item.
        """
        seen = np.stack([(self._seen * scale)[items] for scale in self.of.scales])
        pairs = ~np.eye(len(self._seen), dtype=bool)[items]
        open_, tops = pairs.copy(), _Tops(sizes, np.full(sizes.shape, -1, dtype=np.int32), items)
        while True:
            self._sharpen(tops, open_, most, joint=joint)
            bars = _bars(tops.of(joint=joint), most)
            passed = open_ & (seen > bars[..., None]).any(axis=0)
            if not passed.any():
                return pairs & ~open_
            open_ &= ~passed

    def _sharpen(self, tops: _Tops, open_: Bools, most: int, *, joint: bool) -> None:
        """Find the sums again that may be among the largest, which alone tell the bars."""
        is_exact = (tops.others >= 0) & open_[np.arange(len(open_))[:, None], tops.others]
        # As far as bounds tell, and at last as far as the exact sums do.
        for is_last in (*[False] * TRIES, True):
            known = np.where(is_exact, tops.sizes, -np.inf) if is_last else tops.sizes
            known = known.max(axis=1, keepdims=True) if joint else known
            least = np.partition(known, -1 - most, axis=2)[..., [-1 - most]]
            found = np.flatnonzero((tops.sizes >= least) & ~is_exact)
            if not len(found):
                break
            where = np.unravel_index(found, is_exact.shape)
            self._update(tops, where, open_)
            is_exact[where] = True

    def _update(self, tops: _Tops, where: tuple[Positions, ...], open_: Bools) -> None:
        """Find some largest sums of the pairs of items, of the open pairs."""
        step, done = max(1, COMPARED // open_.shape[1]), 0
        for sums in self._sums():
            here = (where[2] >= done) & (where[2] < done + len(sums))
            for kind, scale in enumerate(self.of.scales):
                weights = scale[tops.items] * open_
                _, places, vectors = (part[here & (where[0] == kind)] for part in where)
                for start in range(0, len(places), step):
                    at, vector = (part[start : start + step] for part in (places, vectors))
                    sizes = self.of.sizes(sums, vector - done, at + tops.items.start)
                    sizes *= weights[at]
                    largest = sizes.argmax(axis=1)
                    tops.sizes[kind, at, vector] = sizes[np.arange(len(sizes)), largest]
                    tops.others[kind, at, vector] = largest
            done += len(sums)

    def _sums(self) -> Iterator[Floats]:
        """Go through the sums under all sign vectors, the same ones each time."""
        if self._held is not None:
            return iter(self._held)
        if self.is_exact:
            return self.of.all_signs()
        return self.of.drawn_signs(self.n_vectors, np.random.default_rng(self._seed))


def _bars(tops: Floats, most: int) -> Floats:
    """Return the bars that as many sums of each kind pass, and one or more of them `most` at most.

    Shapes (kinds, families, vectors) and (kinds, families).
    """
    largest = np.argpartition(tops, -1 - most, axis=2)[..., -1 - most :]
    # For each kind what all kinds have at its largest sums.
    beside = [np.take_along_axis(tops, mine[None], axis=2) for mine in largest]
    falling = -np.sort([-both[kind] for kind, both in enumerate(beside)], axis=2)
    passing = np.zeros(tops.shape[1], dtype=np.intp)
    for more in 1 << np.arange(most.bit_length())[::-1]:
        tried = np.minimum(passing + more, most)
        bars = np.take_along_axis(falling, tried[None, :, None], axis=2)
        above = [both > bars for both in beside]
        # Each sign vector once, by the first kind that passes.
        many = sum((b[kind] & ~b[:kind].any(axis=0)).sum(axis=1) for kind, b in enumerate(above))
        passing = np.where(many <= most, tried, passing)
    return np.take_along_axis(falling, passing[None, :, None], axis=2)[..., 0]


class _Centered(Differences):
    """The numbers themselves, less the mean of each row, in shares of the largest difference."""

    def values(self) -> Floats:
        """Return the numbers, shape (m, n)."""
        numbers = self._of(self.rows)
        middle = numbers.mean(axis=1, keepdims=True)
        centered: Floats = (numbers - middle) / (2.0 * self.scale) + 0.5
        return centered


def _informative(block: Block) -> Block:
    """Return the units that tell some items apart; the others do not change any sum."""
    told = (np.nan_to_num(np.abs(block.values - 0.5)) > rounding_error(1.0)).any(axis=1)
    return Block(*(part[told] for part in block))


def _weighted_differences(block: Block) -> Floats:
    """Return differences in [-1, 1] times their weights, nought where there is none."""
    differences = np.nan_to_num(2.0 * block.values - 1.0)
    return differences * block.weights[:, None]


def _summed_signs(counts: Floats, times: int, rng: Generator) -> Floats:
    """Draw for each row the sum of as many signs as its count, shape (times, u)."""
    if (counts == 1).all():
        return drawn_signs((times, len(counts)), rng)
    many = counts.astype(np.int64)
    return (2 * rng.binomial(many, 0.5, size=(times, len(many))) - many).astype(np.float64)


def _inverse(values: Floats) -> Floats:
    """Return 1 over values, nought for nought."""
    return np.divide(1.0, values, out=np.zeros_like(values), where=values > 0)


def all_signs(n_units: int, start: int, stop: int) -> Floats:
    """Return sign vectors by their numbers in binary, of which the first sign is always +1."""
    signs = np.ones((stop - start, n_units))
    bits = np.arange(start, stop)[:, None] >> np.arange(max(n_units - 1, 0))
    signs[:, 1:] = 1.0 - 2.0 * (bits & 1)
    return signs


def drawn_signs(shape: tuple[int, int], rng: Generator) -> Floats:
    """Draw signs, each from one byte."""
    bits = np.frombuffer(rng.bytes(shape[0] * shape[1]), dtype=np.uint8)
    return 1.0 - 2.0 * (bits & 1).reshape(shape).astype(np.float64)
