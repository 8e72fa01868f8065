"""Exact simultaneous tests of all differences, by flipping the signs of units.

Under the null hypothesis a unit's difference is as likely to be x as -x. One sign flips all
differences of a unit together, which keeps their dependence, so that no correction for the number
of pairs is needed. With T units there are 2^T sign vectors, and no p-value is below 2^(1 - T).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Generator, Label, Positions
from rankagg.core import counted, quantity, rounding_error, sentence
from rankagg.exceptions import InvalidInputError
from rankagg.inference.pair_values import Differences
from rankagg.inference.ranks.rank_results import Families
from rankagg.inference.units import Block, Units, square

# Random sign vectors by default, and the most that are always enumerated.
VECTORS, ALWAYS_ALL = 10_000, 4096
# Approximate number of signs drawn in one call, and most sums of all sign vectors in memory.
SIGNS_HELD, SUMS_HELD = 4_000_000, 100_000_000
# Default limits of the sums compared at each step, of items and of pairs, and the fewest sign
# vectors.
SUMS_COMPARED, PAIRS_COMPARED, FEWEST_VECTORS = 500_000_000, 20_000_000, 1024
# Values of pairs in memory, and sign vectors compared in one call, of all pairs and of one item.
PAIRED_VALUES, TOGETHER, AT_ONCE = 1_000_000, 96, 512
# Sums of at least this share of the bar are recomputed too.
NEXT = 0.97
# Sums are not scaled if the probability that all units agree on some pair by chance is larger, or
# if the squared mean size of differences is more than this share of their mean square.
LUCK, ALIKE = 0.05, 0.95
# Most differences in the test of symmetry, and its number of sign vectors.
MOST_CHECKED, TIMES = 200_000, 256
# Approximate level of the test of symmetry, and the harmless distance of the middle from the mean,
# relative to the mean.
LEVEL, NEAR = 0.02, 0.25

#: Function of an item and sign vectors that returns its sums with all items, shape (vectors, n).
Sums = Callable[[int, Positions], Floats]


def sign_flips(
    units: Units, n_vectors: int | None, rng: Generator, *, scaled: bool = True
) -> _SignFlips:
    """Test the sums of all differences by sign flips of units.

    The largest absolute sum over all pairs is compared with those under other signs. Pairs that
    reach the level are decided in the observed direction, and the others are compared again until
    none is decided (Romano and Wolf 2005). Units must be independent, and the differences of each
    jointly symmetric about a center.

    A noisy item would have all the largest sums. So, if `scaled`, sums are also compared after
    division by the root of the sum of squares of their pair, which signs do not change. A pair is
    decided if either sum passes its bar. Equally many sign vectors pass each bar, and a share of at
    most alpha passes one or both. Scaled sums can be large because all differences of a pair have
    the same size; if all its units agree in sign by chance that is an error. So a pair takes part
    only if enough units differ to make this rare over all pairs, and if sizes differ.

    If all items are equal (centers are zero) the family-wise error rate is at most alpha. For
    directions this holds for plain sums in the first step: with differences r e - c, random signs r
    and c >= 0, the signs s r turn r.e - 1.c into at least s.e - 1.c, the sum observed if r were s.

    If some units do not compare a pair, its plain sum is divided by the root of the sum of the
    squared weights of those that do.

    Fisher (1935), The Design of Experiments; Romano and Wolf (2005), "Exact and approximate
    stepdown methods for multiple hypothesis testing",
    https://doi.org/10.1198/016214504000000539.
    """
    if len(units.stratum_weights) > 1:
        remedy = (
            "Units of a fixed task need not be centered, so their signs cannot be flipped; use "
            "'hoeffding' or 'max-t', or `unit='task'` if the tasks are a sample."
        )
        raise InvalidInputError("method", "another one with fixed tasks", "sign-flips", remedy)
    flippable = _FlippableUnits.of(units, scaled=scaled)
    n, usual = len(units.items), VECTORS
    if n > 1:
        compared = SUMS_COMPARED if flippable.is_complete else PAIRS_COMPARED
        usual = min(VECTORS, max(FEWEST_VECTORS, compared // (n * n)))
    times = usual if n_vectors is None else n_vectors
    n_signs = 1 << min(max(flippable.n_units - 1, 0), 64)
    is_exact = flippable.held is not None and n_signs <= max(times, min(ALWAYS_ALL, usual))
    times, seed = n_signs if is_exact else times, int(rng.integers(2**63))
    return flippable.flip(times, np.random.default_rng(seed), is_exact=is_exact)


@dataclass(frozen=True, eq=False)
class _FlippableUnits:
    """Units whose signs are flipped, with the scales of their sums."""

    units: Units
    # Whether every unit compares every pair, so that sums of items are enough.
    is_complete: bool
    # The units with differences; None if they are too many for memory.
    held: Block | None
    n_units: int
    # Shape (n, n) each. Factors of absolute sums before they are compared.
    scales: tuple[Floats, ...]
    # Shape (n, n). Sums that are no larger may be rounding errors.
    least: Floats

    @classmethod
    def of(cls, units: Units, *, scaled: bool) -> _FlippableUnits:
        """Compute the scales of sums in one pass over the units."""
        first, second = units.pairs
        n_pairs = len(first)
        if np.issubdtype(units.source.rows.dtype, np.integer):
            units = units.compressed()
        source = units.source
        is_complete = isinstance(source, Differences) and source.is_complete
        if isinstance(source, Differences) and is_complete:
            centered = _Centered(source.rows, source.scale, source.numbers, source.is_bounded)
            units = replace(units, source=centered)
        is_held = is_complete or units.n_rows * n_pairs <= SUMS_HELD // 2
        held = units.all_blocks() if is_held else None
        # Over the units that compare each pair: sums of weights, squared weights, absolute weighted
        # differences and their squares, and the numbers of units and of nonzero differences.
        mass, masses, lengths, squares, many, apart = np.zeros((6, n_pairs))
        some = max(1, PAIRED_VALUES // max(n_pairs, 1))
        for block in [held] if held is not None else units.blocks():
            for start in range(0, len(block.values), some):
                values, counts, weights, _ = (part[start : start + some] for part in block)
                if is_complete:
                    values = 0.5 + values[:, first] - values[:, second]
                present = ~np.isnan(values)
                differences = np.nan_to_num(2.0 * values - 1.0)
                mass += (counts * weights) @ present
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
        if held is not None:
            # Units without differences change no sum.
            differ = np.nan_to_num(np.abs(held.values - 0.5)) > rounding_error(1.0)
            held = Block(*(part[differ.any(axis=1)] for part in held))
        n_units = units.n_units if held is None else int(held.counts.sum())
        # Differences in [-1, 1] are twice those of values, and two sums are compared.
        least = 4.0 * rounding_error(mass * units.sizes, units.n_rows)
        matrices = [square(len(units.items), one, one, 0.0) for one in (*scales, least)]
        return cls(units, is_complete, held, n_units, tuple(matrices[:-1]), matrices[-1])

    def flip(self, times: int, rng: Generator, *, is_exact: bool) -> _SignFlips:
        """Sum the units under sign vectors; the first one is the observed one."""
        held, n = self.held, len(self.units.items)
        if is_exact and held is not None:
            # Each repetition has a sign of its own.
            rows = np.repeat(np.arange(len(held.counts)), held.counts.astype(np.intp))
            ones = np.ones(len(rows))
            held = Block(held.values[rows], ones, held.weights[rows], held.strata[rows])
        columns = n if self.is_complete else len(self.units.pairs[0])
        if held is not None and not self.is_complete and _has_few_units(held, times):
            signs = np.concatenate(list(_signs(held, times, rng, is_exact)))
            totals = _by_units(n, signs, _weighted_differences(held))
            return _SignFlips(self, totals, None, times, is_exact)
        if times * columns > SUMS_HELD:
            allowed = f"at most {SUMS_HELD // columns:,} with {counted(n, 'item')}"
            remedy = "Use fewer, or `of='pairwise'`, or `method='hoeffding'`."
            raise InvalidInputError("n_resamples", allowed, times, remedy)
        sums = np.zeros((times, columns))
        for block in self.units.blocks() if held is None else [held]:
            values, done = _weighted_differences(block), 0
            for signs in _signs(block, times, rng, is_exact):
                sums[done : done + len(signs)] += signs @ values
                done += len(signs)
        if self.is_complete:
            return _SignFlips(self, _by_items(sums), sums, times, is_exact)
        return _SignFlips(self, _by_pairs(n, sums), None, times, is_exact)


def _has_few_units(held: Block, times: int) -> bool:
    """Return whether signs and values of units need less memory than sums of pairs."""
    rows, columns = held.values.shape
    return bool(rows * (times + columns) < times * columns)


def _by_items(sums: Floats) -> Sums:
    """Return a function that computes sums of pairs as differences of sums of items."""

    def of_item(i: int, vectors: Positions) -> Floats:
        rows = sums[vectors]
        return np.subtract(rows[:, [i]], rows, out=rows)

    return of_item


def _by_pairs(n: int, sums: Floats) -> Sums:
    """Return a function that selects sums of pairs."""
    numbers, turned = _pair_numbers(n)
    return lambda i, vectors: sums[vectors[:, None], numbers[i]] * turned[i]


def _by_units(n: int, signs: Floats, values: Floats) -> Sums:
    """Return a function that computes sums of pairs from signs and values of units."""
    numbers, turned = _pair_numbers(n)
    return lambda i, vectors: signs[vectors] @ (values[:, numbers[i]] * turned[i])


def _pair_numbers(n: int) -> tuple[Positions, Floats]:
    """Return the number of the pair of two items, and the sign of row above column."""
    numbers, places = np.arange(n * (n - 1) / 2), np.arange(float(n))
    return square(n, numbers, numbers, 0.0).astype(np.intp), np.sign(places - places[:, None])


class _Tops(NamedTuple):
    """The largest sum of undecided pairs of items under each sign vector, or a bound of it."""

    # Shape (r, vectors).
    sizes: Floats
    # The other item of that pair; the item itself if the size is a bound.
    others: NDArray[np.int32]
    # Shape (r,).
    items: Positions

    def of(self, items: Positions) -> _Tops:
        """Return a copy for some items."""
        return _Tops(self.sizes[items], self.others[items], items)


class _SignFlips:
    """Sign-flip tests of all pairs."""

    def __init__(
        self,
        units: _FlippableUnits,
        totals: Sums,
        sums: Floats | None,
        n_vectors: int,
        is_exact: bool,
    ) -> None:
        # Number of sign vectors, and whether they are all there are (up to reversal).
        self.n_vectors, self.is_exact = n_vectors, is_exact
        self._totals, self._sums, self.scales = totals, sums, units.scales
        first = np.zeros(1, dtype=np.intp)
        observed = np.zeros_like(units.least)
        if len(observed) > 1:
            observed = np.vstack([totals(i, first) for i in range(len(observed))])
        # Shape (n, n). Whether the sum of the differences has row above column.
        self.ahead = observed > units.least
        self._observed = np.abs(observed) - units.least

    def decided(self, alpha: float) -> tuple[Bools, Bools]:
        """Return the pairs decided as observed, among all pairs and among those of the row."""
        alone = np.zeros_like(self.ahead)
        if len(alone) < 2:
            return alone, alone
        # Most sign vectors that may reach a decided pair.
        most = int((np.arange(1, self.n_vectors + 1) / self.n_vectors <= alpha).sum())
        kinds = [self._largest(scale) for scale in self.scales]
        for i in range(len(alone)):
            alone[i] = self._step_down([tops.of(np.array([i])) for tops in kinds], most)
        return self._step_down(kinds, most), alone

    def families(self, alpha: float) -> Families:
        """Return the decisions on all pairs, and on those of each item."""
        together, mine = self.decided(alpha)
        alone = np.where(mine, self.ahead.astype(np.int8) - self.ahead.T, np.int8(0))
        return Families(self.ahead & together, alone, np.any(alone < 0, axis=1))

    def _largest(self, scale: Floats) -> _Tops:
        """Return the largest sums of the pairs of each item."""
        every, sums, vectors = np.arange(len(scale)), self._sums, np.arange(self.n_vectors)
        if sums is None:
            tops = np.empty((len(scale), self.n_vectors))
            others = np.empty(tops.shape, dtype=np.int32)
            for i in range(len(scale)):
                weights = np.where(every == i, -1.0, scale[i])
                tops[i], others[i] = self._largest_of_item(i, vectors, weights)
            return _Tops(tops, others, every)
        if (scale[~np.eye(len(scale), dtype=bool)] == scale[0, 1]).all():
            ends = sums.argmin(axis=1), sums.argmax(axis=1)
            down, up = (np.abs(sums - sums[vectors, end][:, None]).T for end in ends)
            others = np.where(down > up, *ends).astype(np.int32)
            return _Tops(np.maximum(down, up) * scale[0, 1], others, every)
        # Single precision takes half of the time.
        largest, most = float(np.abs(sums).max()) or 1.0, float(scale.max())
        weights, parts = (scale / most).astype(np.float32), []
        for start in range(0, self.n_vectors, TOGETHER):
            some = sums[start : start + TOGETHER] / largest
            numbers = np.ascontiguousarray(some.T, dtype=np.float32)
            tops = np.zeros_like(numbers)
            for i in every[:-1]:
                sizes = numbers[i + 1 :] - numbers[i]
                np.abs(sizes, out=sizes)
                sizes *= weights[i, i + 1 :, None]
                np.maximum(tops[i + 1 :], sizes, out=tops[i + 1 :])
                np.maximum(tops[i], sizes.max(axis=0), out=tops[i])
            parts.append(tops)
        error = 8.0 * float(np.finfo(np.float32).eps)
        bounds = np.concatenate(parts, axis=1).astype(np.float64) * (1.0 + error) + error
        others = np.repeat(every[:, None], self.n_vectors, axis=1).astype(np.int32)
        return _Tops(bounds * (largest * most), others, every)

    def _largest_of_item(
        self, item: int, vectors: Positions, weights: Floats
    ) -> tuple[Floats, Positions]:
        """Return the largest weighted sum of an item, and the other item of that pair.

        Pairs with weights below 0 are excluded.
        """
        largest, others = np.empty(len(vectors)), np.empty(len(vectors), dtype=np.intp)
        closed = np.minimum(weights, 0.0)
        for start in range(0, len(vectors), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            sizes = self._totals(item, vectors[part])
            np.abs(sizes, out=sizes)
            sizes *= weights
            sizes += closed
            others[part] = sizes.argmax(axis=1)
            largest[part] = np.take_along_axis(sizes, others[part, None], axis=1)[:, 0]
        return largest, others

    def _step_down(self, kinds: list[_Tops], most: int) -> Bools:
        """Decide pairs that pass a bar, and compare the others again until none passes.

        Each kind of sums has one bar for all of these pairs.
        """
        items = kinds[0].items
        observed = np.stack([(self._observed * scale)[items] for scale in self.scales])
        pairs = np.arange(len(self._observed)) != items[:, None]
        open_ = pairs.copy()
        while open_.any():
            largest = [
                self._sharpened(tops, scale, open_, most)
                for tops, scale in zip(kinds, self.scales, strict=True)
            ]
            bars = _bars(np.stack(largest), most)
            passed = open_ & (observed > bars[:, None, None]).any(axis=0)
            if not passed.any():
                break
            open_ &= ~passed
        return np.asarray(pairs & ~open_)

    def _sharpened(self, tops: _Tops, scale: Floats, open_: Bools, most: int) -> Floats:
        """Return the largest sums of undecided pairs, recomputed if they may change the bar."""
        sizes, others, items = tops
        sizes[~open_.any(axis=1)] = -np.inf
        while True:
            largest = sizes.max(axis=0)
            least = np.partition(largest, -1 - most)[-1 - most]
            # Those just below are likely needed next.
            rows, vectors = np.divmod(np.flatnonzero(sizes >= NEXT * least), sizes.shape[1])
            # Entries of decided pairs, and bounds.
            stale = ~open_[rows, others[rows, vectors]]
            rows, vectors = rows[stale], vectors[stale]
            if not (sizes[rows, vectors] >= least).any():
                return np.asarray(largest)
            for row in np.unique(rows):
                some = vectors[rows == row]
                weights = np.where(open_[row], scale[items[row]], -1.0)
                top = self._largest_of_item(items[row], some, weights)
                sizes[row, some], others[row, some] = top


def _bars(largest: Floats, most: int) -> Floats:
    """Return a bar for each kind of sums, such that at most `most` vectors pass one or more.

    Each bar is passed by the same number of sums. Shapes (kinds, vectors) and (kinds,).
    """
    top = np.argpartition(largest, -1 - most, axis=1)[:, -1 - most :]
    falling = -np.sort(-np.take_along_axis(largest, top, axis=1), axis=1)
    vectors = np.unique(top)
    # The least number of passing sums per kind with which each vector passes a bar.
    passes = np.min(
        [
            np.searchsorted(-bars, -sums[vectors], side="right")
            for bars, sums in zip(falling, largest, strict=True)
        ],
        axis=0,
    )
    return np.asarray(falling[:, min(most, int(np.sort(passes)[most]) - 1)])


class _Centered(Differences):
    """The numbers minus the mean of each row, as shares of the largest difference."""

    def values(self) -> Floats:
        """Return the numbers, shape (m, n)."""
        numbers = self._of(self.rows)
        middle = numbers.mean(axis=1, keepdims=True)
        return np.asarray((numbers - middle) / (2.0 * self.scale) + 0.5)


def _weighted_differences(block: Block) -> Floats:
    """Return differences in [-1, 1] times their weights, 0 for missing ones."""
    return np.nan_to_num(2.0 * block.values - 1.0) * block.weights[:, None]


def _inverse(values: Floats) -> Floats:
    """Return reciprocal values, 0 for 0."""
    return np.divide(1.0, values, out=np.zeros_like(values), where=values > 0)


def _signs(block: Block, times: int, rng: Generator, is_exact: bool) -> Iterator[Floats]:
    """Yield blocks of sign vectors; a repeated row has the sum of its signs."""
    size, counts = max(1, SIGNS_HELD // max(len(block.counts), 1)), block.counts.astype(np.int64)
    for start in range(0, times, size):
        stop = min(start + size, times)
        if is_exact:
            yield _all_signs(len(counts), start, stop)
            continue
        if (counts == 1).all():
            signs = _drawn_signs((stop - start, len(counts)), rng)
        else:
            drawn = rng.binomial(counts, 0.5, size=(stop - start, len(counts)))
            signs = (2 * drawn - counts).astype(np.float64)
        if start == 0:
            signs[0] = counts
        yield signs


def sign_vectors(
    n_units: int, n_vectors: int, rng: Generator
) -> tuple[int, bool, Iterator[Floats]]:
    """Return the number of sign vectors, whether they are all, and the vectors in blocks.

    They are all up to reversal if these are at most `n_vectors` or `ALWAYS_ALL`, otherwise random.
    Blocks have the shape (some, u); the first vector is the observed one.
    """
    free = max(n_units - 1, 0)
    is_exact = 2.0 ** min(free, 64) <= max(ALWAYS_ALL, n_vectors)
    times = 2**free if is_exact else n_vectors

    def blocks() -> Iterator[Floats]:
        size = max(1, SIGNS_HELD // max(n_units, 1))
        for start in range(0, times, size):
            stop = min(start + size, times)
            if is_exact:
                signs = _all_signs(n_units, start, stop)
            else:
                signs = _drawn_signs((stop - start, n_units), rng)
                signs[: start == 0] = 1.0
            yield signs

    return times, is_exact, blocks()


def _all_signs(n_units: int, start: int, stop: int) -> Floats:
    """Return sign vectors from the binary digits of their numbers; the first sign is +1."""
    signs = np.ones((stop - start, n_units))
    bits = np.arange(start, stop)[:, None] >> np.arange(max(n_units - 1, 0))
    signs[:, 1:] = 1.0 - 2.0 * (bits & 1)
    return signs


def _drawn_signs(shape: tuple[int, int], rng: Generator) -> Floats:
    """Draw signs, each from one byte."""
    bits = np.frombuffer(rng.bytes(shape[0] * shape[1]), dtype=np.uint8)
    return 1.0 - 2.0 * (bits & 1).reshape(shape).astype(np.float64)


# -- test of symmetry -----------------------------------------------------------------------------


def asymmetry_note(
    differences: Floats, pairs: Sequence[tuple[Label, Label]], remedy: str
) -> tuple[str, ...]:
    """Return a note if the differences of the pairs are significantly asymmetric.

    The statistic of a pair is the mean of the middle half of its differences minus the mean of all,
    in standard deviations. The sum of its squares over all pairs is compared with those under other
    signs of units, flipped about the middle. Large differences stay large under all signs, so that
    heavy tails and tasks on different scales are not significant.
    """
    step = max(1, -(-differences.size // MOST_CHECKED))
    rows = differences[:, ::step].T
    if not 0 < rows.size <= MOST_CHECKED:
        return ()
    present, error = ~np.isnan(rows), rounding_error(1.0, len(differences))
    rows = np.where(present, rows, 0.0)
    rows = rows / (np.abs(rows).max(axis=1, keepdims=True) + (rows == 0).all(axis=1)[:, None])
    means = rows.sum(axis=1, keepdims=True) / np.fmax(present.sum(axis=1, keepdims=True), 1)
    rows = np.where(present, rows - means, 0.0)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(TIMES, len(differences)))
    signs[0] = 1.0
    middle = _middle_mean(rows)
    turned, many = rows - middle[:, None], max(1, 10**6 // rows.size)
    observed = _lean(turned)
    pair, reached = int(np.argmax(np.abs(observed))), 0
    if abs(middle[pair]) <= NEAR * abs(means[pair, 0]):
        return ()
    for start in range(0, TIMES, many):
        lean = _lean(turned * signs[start : start + many, None])
        reached += int(((lean**2).sum(axis=1) >= (observed**2).sum() - error).sum())
        if reached > LEVEL * TIMES:
            return ()
    first, second = pairs[pair * step]
    many = int(present[pair].sum())
    above = quantity(int((rows[pair] > error).sum()), "differences above their mean", of=many)
    below = quantity(int((rows[pair] < -error).sum()), "differences below it", of=many)
    note = (
        "the differences are not symmetric, as the level assumes: of {} less {} {} lie above their "
        "mean and {} below it, so that decisions may be wrong more often than stated; {}"
    )
    return (sentence(note, first, second, above, below, remedy),)


def _middle_mean(values: Floats) -> Floats:
    """Return the mean of the middle half of each row."""
    n = values.shape[-1]
    return np.asarray(np.sort(values, axis=-1)[..., n // 4 : n - n // 4].mean(axis=-1))


def _lean(values: Floats) -> Floats:
    """Return for each row the middle mean minus the mean, in standard deviations."""
    off, spread = _middle_mean(values) - values.mean(axis=-1), values.std(axis=-1)
    return np.asarray(off / np.where(spread > rounding_error(1.0), spread, np.inf))
