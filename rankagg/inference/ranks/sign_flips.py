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
from rankagg.aggregation import Deadline
from rankagg.core import rounding_error
from rankagg.exceptions import InvalidInputError, OutOfTimeError
from rankagg.inference.intervals.methods import square
from rankagg.inference.one_pair import ALWAYS_ALL, SIGNS_HELD, VECTORS, all_signs, drawn_signs
from rankagg.inference.pair_values import Differences
from rankagg.inference.units import Block, Units

# Values that are held for all sign vectors; more are made again for each block of them.
SUMS_HELD = 20_000_000
# Rows from which on items are summed and not pairs, if all are there: fewer suffice where they and
# the pairs are so many together.
LONG_ROWS, SHORT_ROWS, PAIRED_VALUES = 1000, 64, 1_000_000
# Sums of pairs that are compared at each step, by default, and the fewest sign vectors then drawn.
SUMS_COMPARED, FEWEST_VECTORS = 10**9, 1024
# Sums that are compared at once: as many as a processor has at hand.
COMPARED = 65_536
# Sums are not scaled where the chance that all units agree on some pair by luck is larger, or where
# the square of the mean size of differences is more than this share of their mean square.
LUCK, ALIKE = 0.05, 0.95

NO_DEADLINE = Deadline()


def sign_flips(
    units: Units,
    n_vectors: int | None,
    rng: Generator,
    deadline: Deadline = NO_DEADLINE,
    *,
    scaled: bool = True,
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
    sums = FlippedSums.of(units, deadline, scaled=scaled)
    n, usual = len(units.items), VECTORS
    if n > 1:
        compared = SUMS_HELD if sums.is_paired else SUMS_COMPARED
        usual = min(VECTORS, max(FEWEST_VECTORS, compared // (n * n)))
    many = usual if n_vectors is None else n_vectors
    exact = sums.fits(max(many, min(ALWAYS_ALL, usual)))
    many, seed = sums.n_signs if exact else many, int(rng.integers(2**63))
    return SignFlips(sums, many, seed, is_exact=exact)


@dataclass(frozen=True, eq=False)
class FlippedSums:
    """Sums over units, of all pairs or of single numbers whose differences they are."""

    units: Units
    held: Block | None
    is_paired: bool
    n_units: int
    # Shape (n, n) each. What sums without their signs are multiplied by to be compared.
    scales: tuple[Floats, ...]
    # Shape (n, n). Sums that are no larger may come from rounding.
    least: Floats
    deadline: Deadline

    @classmethod
    def of(
        cls, units: Units, deadline: Deadline = NO_DEADLINE, *, scaled: bool = True
    ) -> FlippedSums:
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
                _check_time(deadline)
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
        found = [square(units, one, one, 0.0) for one in (*scales, least)]
        return cls(units, held, is_paired, n_units, tuple(found[:-1]), found[-1], deadline)

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
                _check_time(self.deadline)
                values = _weighted_differences(block)
                step = max(1, SIGNS_HELD // len(values))
                for low in range(0, many, step):
                    some = slice(low, min(low + step, many))
                    signs = _summed_signs(block.counts, some.stop - low, rng)
                    if start == low == 0:
                        signs[0] = block.counts
                    sums[some] += signs @ values
            yield sums

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
        return square(self.units, numbers, numbers, 0.0).astype(np.intp)


class _Tops(NamedTuple):
    """The largest sum of the pairs of each item under each sign vector."""

    # Shape (kinds, vectors, n).
    sizes: Floats
    # The other item of that pair.
    others: NDArray[np.int32]

    def copy(self) -> _Tops:
        return _Tops(self.sizes.copy(), self.others.copy())


class SignFlips:
    """What sums under other signs say of those observed, of all pairs."""

    def __init__(self, sums: FlippedSums, n_vectors: int, seed: int, *, is_exact: bool) -> None:
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
        seen = square(sums.units, seen, -seen, 0.0) if paired else seen[:, None] - seen
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
        return self._stepped(most, joint=True), self._stepped(most, joint=False)

    def _stepped(self, most: int, *, joint: bool) -> Bools:
        """Decide the pairs that pass a bar, and compare the others again until none does."""
        alone = np.eye(len(self._seen), dtype=bool)
        open_, tops = ~alone, self._tops.copy()
        while True:
            bars = _bars(tops.sizes.max(axis=2, keepdims=True) if joint else tops.sizes, most)
            kinds = zip(self.of.scales, bars, strict=True)
            passed = np.any([self._seen * scale > bar[:, None] for scale, bar in kinds], axis=0)
            if not (passed & open_).any():
                return ~(open_ | alone)
            open_ &= ~passed
            self._update(tops, open_)

    @cached_property
    def _tops(self) -> _Tops:
        """The largest sums of the pairs of each item."""
        shape = (len(self.of.scales), self.n_vectors, len(self._seen))
        tops = _Tops(np.zeros(shape), np.tile(np.arange(shape[2], dtype=np.int32), (*shape[:2], 1)))
        self._update(tops, ~np.eye(shape[2], dtype=bool))
        return tops

    def _update(self, tops: _Tops, open_: Bools) -> None:
        """Find the largest sums again where they are of pairs that are no longer open."""
        n, done = len(open_), 0
        step = max(1, COMPARED // n)
        for sums in self._sums():
            for kind, scale in enumerate(self.of.scales):
                size, other = (part[kind, done : done + len(sums)] for part in tops)
                weights = scale * open_
                vectors, items = np.nonzero(~open_[np.arange(n), other])
                for start in range(0, len(items), step):
                    _check_time(self.of.deadline)
                    at = vectors[start : start + step], items[start : start + step]
                    sizes = self.of.sizes(sums, *at)
                    sizes *= weights[at[1]]
                    largest = sizes.argmax(axis=1)
                    size[at], other[at] = sizes[np.arange(len(sizes)), largest], largest
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

    Shapes (kinds, vectors, families) and (kinds, families).
    """
    falling = -np.sort(-tops, axis=1)
    passing = np.zeros(tops.shape[2], dtype=np.intp)
    for more in 1 << np.arange(most.bit_length())[::-1]:
        tried = np.minimum(passing + more, most)
        bars = np.take_along_axis(falling, tried[None, None], axis=1)
        passing = np.where((tops > bars).any(axis=0).sum(axis=0) <= most, tried, passing)
    return np.take_along_axis(falling, passing[None, None], axis=1)[:, 0]


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


def _check_time(deadline: Deadline) -> None:
    if deadline.is_over:
        raise OutOfTimeError(
            "Sign flips were not compared in time. Raise `time_limit`, or lower `n_resamples`."
        )


def _inverse(values: Floats) -> Floats:
    """Return 1 over values, nought for nought."""
    return np.divide(1.0, values, out=np.zeros_like(values), where=values > 0)
