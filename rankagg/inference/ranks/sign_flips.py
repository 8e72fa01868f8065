"""Exact tests of many differences at once, by turning whole units round.

If nothing distinguishes two items, a unit's difference is as likely to be x as -x. One sign turns
all differences of a unit together, so their dependence is kept and no price is paid for the number
of pairs. With T units there are 2^T sign vectors, and no p-value is below 2^(1 - T).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Generator, Label, Positions
from rankagg.core import counted, rounding_error, said, stated
from rankagg.exceptions import InvalidInputError
from rankagg.inference.pair_values import Differences
from rankagg.inference.ranks.rank_results import Families
from rankagg.inference.units import Block, Units, square

# Sign vectors that are drawn by default, and that are always gone through where they are all.
VECTORS, ALWAYS_ALL = 10_000, 4096
# Signs that are drawn at one time, about, and numbers that are held for all sign vectors at most.
SIGNS_HELD, SUMS_HELD = 4_000_000, 100_000_000
# Sums that are compared at each step, by default, of items and of pairs, and the fewest sign
# vectors then drawn.
SUMS_COMPARED, PAIRS_COMPARED, FEWEST_VECTORS = 500_000_000, 20_000_000, 1024
# Values of pairs that are held at one time, and sign vectors that are compared at one time, of all
# pairs and of those of one item.
PAIRED_VALUES, TOGETHER, AT_ONCE = 1_000_000, 96, 512
# Sums that are so large a share of the bar are found again, too.
NEXT = 0.97
# Sums are not scaled where the chance that all units agree on some pair by luck is larger, or where
# the square of the mean size of differences is more than this share of their mean square.
LUCK, ALIKE = 0.05, 0.95
# Differences that asymmetry is looked for in at most, and how often their signs are turned.
LOOKED_AT, TIMES = 200_000, 256
# The share of tables of symmetric differences that are called asymmetric, about, and the distance
# of the middle from the mean, as a share of the mean, that does no harm.
LEVEL, NEAR = 0.02, 0.25

#: From an item and sign vectors to its sums with all items, shape (vectors, n).
Sums: TypeAlias = Callable[[int, Positions], Floats]


def sign_flips(
    units: Units, n_vectors: int | None, rng: Generator, *, scaled: bool = True
) -> _SignFlips:
    """Compare the sums of all differences with what they would be under other signs.

    The largest sum over all pairs, without its sign, is compared with those under other signs;
    the pairs that reach the level are decided as observed, and the others are compared again until
    none is (Romano and Wolf 2005). Units must be independent, and the differences of each, taken
    together, symmetric about a center.

    A noisy item would have all the largest sums. So, if `scaled`, sums are also compared after
    division by the root of the sum of squares of their pair, which no sign changes: a pair is
    decided where either passes its bar, both bars are passed by as many sign vectors, and one or
    both of them by alpha at most. Scaled sums can be large because the differences of a pair have
    one size; where all its units have one sign by luck that is an error. So pairs take part only
    where so many units differ that this is rare in all pairs together, and where sizes differ.

    Where all items are equal (centers are zero) the family-wise error rate is at most alpha. Of
    directions it is so for plain sums in the first step: with differences r e - c, random signs r
    and c >= 0, the signs s r make of r.e - 1.c at least s.e - 1.c, what would be observed if r were
    s.

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
    found = _Turned.of(units, scaled=scaled)
    n, usual = len(units.items), VECTORS
    if n > 1:
        compared = SUMS_COMPARED if found.is_complete else PAIRS_COMPARED
        usual = min(VECTORS, max(FEWEST_VECTORS, compared // (n * n)))
    times = usual if n_vectors is None else n_vectors
    n_signs = 1 << min(max(found.n_units - 1, 0), 64)
    is_exact = found.held is not None and n_signs <= max(times, min(ALWAYS_ALL, usual))
    times, seed = n_signs if is_exact else times, int(rng.integers(2**63))
    return found.flipped(times, np.random.default_rng(seed), is_exact=is_exact)


@dataclass(frozen=True, eq=False)
class _Turned:
    """Units whose signs are turned, and what their sums are compared by."""

    units: Units
    # Whether every unit tells of every pair, so that items are summed and not pairs.
    is_complete: bool
    # Those that tell some items apart; None where they are too many to be held.
    held: Block | None
    n_units: int
    # Shape (n, n) each. What sums without their signs are multiplied by to be compared.
    scales: tuple[Floats, ...]
    # Shape (n, n). Sums that are no larger may come from rounding.
    least: Floats

    @classmethod
    def of(cls, units: Units, *, scaled: bool) -> _Turned:
        """Go through the units once for what sums of each pair are compared by."""
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
        # Of the units that tell of each pair the weights and their squares, the sizes of weighted
        # differences and their squares, the number, and that of those that tell two items apart.
        told, masses, lengths, squares, many, apart = np.zeros((6, n_pairs))
        some = max(1, PAIRED_VALUES // max(n_pairs, 1))
        for block in [held] if held is not None else units.blocks():
            for start in range(0, len(block.values), some):
                values, counts, weights, _ = (part[start : start + some] for part in block)
                if is_complete:
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
        if held is not None:
            # The others change no sum.
            differ = np.nan_to_num(np.abs(held.values - 0.5)) > rounding_error(1.0)
            held = Block(*(part[differ.any(axis=1)] for part in held))
        n_units = units.n_units if held is None else int(held.counts.sum())
        # Of differences in [-1, 1], which are twice those of values, and of two sums.
        least = 4.0 * rounding_error(told * units.sizes, units.n_rows)
        matrices = [square(len(units.items), one, one, 0.0) for one in (*scales, least)]
        return cls(units, is_complete, held, n_units, tuple(matrices[:-1]), matrices[-1])

    def flipped(self, times: int, rng: Generator, *, is_exact: bool) -> _SignFlips:
        """Sum up the units under so many sign vectors; the first one is that observed."""
        held, n = self.held, len(self.units.items)
        if is_exact and held is not None:
            # Each repetition has its own sign.
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
            remedy = "Take fewer, or `of='pairwise'`, or `method='hoeffding'`."
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
    """Say whether signs and values of units are fewer numbers than sums of pairs."""
    rows, columns = held.values.shape
    return bool(rows * (times + columns) < times * columns)


def _by_items(sums: Floats) -> Sums:
    """Return how to find the sums of pairs as differences of those of items."""

    def of_item(i: int, vectors: Positions) -> Floats:
        rows = sums[vectors]
        return np.subtract(rows[:, [i]], rows, out=rows)

    return of_item


def _by_pairs(n: int, sums: Floats) -> Sums:
    """Return how to find the sums of pairs among themselves."""
    numbers, turned = _pair_numbers(n)
    return lambda i, vectors: sums[vectors[:, None], numbers[i]] * turned[i]


def _by_units(n: int, signs: Floats, values: Floats) -> Sums:
    """Return how to find the sums of pairs from the signs and the values of units."""
    numbers, turned = _pair_numbers(n)
    return lambda i, vectors: signs[vectors] @ (values[:, numbers[i]] * turned[i])


def _pair_numbers(n: int) -> tuple[Positions, Floats]:
    """Return where the pair of two items stands, and the sign of row above column."""
    numbers, places = np.arange(n * (n - 1) / 2), np.arange(float(n))
    return square(n, numbers, numbers, 0.0).astype(np.intp), np.sign(places - places[:, None])


class _Tops(NamedTuple):
    """The largest sum of the open pairs of some items under each sign vector, or a bound of it."""

    # Shape (r, vectors).
    sizes: Floats
    # The other item of that pair; the item itself where the size is a bound.
    others: NDArray[np.int32]
    # Shape (r,).
    items: Positions

    def of(self, items: Positions) -> _Tops:
        """Return those of some items, to be changed."""
        return _Tops(self.sizes[items], self.others[items], items)


class _SignFlips:
    """What sums under other signs say of those observed, of all pairs."""

    def __init__(
        self, turned: _Turned, totals: Sums, sums: Floats | None, n_vectors: int, is_exact: bool
    ) -> None:
        # Sign vectors that are gone through (the opposite ones say the same), and whether they are
        # all there are.
        self.n_vectors, self.is_exact = n_vectors, is_exact
        self._totals, self._sums, self.scales = totals, sums, turned.scales
        observed = np.zeros(1, dtype=np.intp)
        seen = np.zeros_like(turned.least)
        if len(seen) > 1:
            seen = np.vstack([totals(i, observed) for i in range(len(seen))])
        # Shape (n, n). The sum of the differences has row above column.
        self.ahead = seen > turned.least
        self._seen = np.abs(seen) - turned.least

    def decided(self, alpha: float) -> tuple[Bools, Bools]:
        """Return which pairs are decided as observed, of all and of the item of the row only."""
        alone = np.zeros_like(self.ahead)
        if len(alone) < 2:
            return alone, alone
        # So many sign vectors may reach what is decided.
        most = int((np.arange(1, self.n_vectors + 1) / self.n_vectors <= alpha).sum())
        kinds = [self._largest(scale) for scale in self.scales]
        for i in range(len(alone)):
            alone[i] = self._stepped([tops.of(np.array([i])) for tops in kinds], most)
        return self._stepped(kinds, most), alone

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
                tops[i], others[i] = self._found(i, vectors, weights)
            return _Tops(tops, others, every)
        if (scale[~np.eye(len(scale), dtype=bool)] == scale[0, 1]).all():
            ends = sums.argmin(axis=1), sums.argmax(axis=1)
            down, up = (np.abs(sums - sums[vectors, end][:, None]).T for end in ends)
            others = np.where(down > up, *ends).astype(np.int32)
            return _Tops(np.maximum(down, up) * scale[0, 1], others, every)
        # Half of the digits take half of the time.
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

    def _found(self, item: int, vectors: Positions, weights: Floats) -> tuple[Floats, Positions]:
        """Return the largest weighted sum of an item, but for weights below 0, and with whom."""
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

    def _stepped(self, kinds: list[_Tops], most: int) -> Bools:
        """Decide the pairs of some items that pass a bar, and compare the others until none does.

        One bar of each kind of sums is for all of these pairs.
        """
        items = kinds[0].items
        seen = np.stack([(self._seen * scale)[items] for scale in self.scales])
        pairs = np.arange(len(self._seen)) != items[:, None]
        open_ = pairs.copy()
        while open_.any():
            largest = [
                self._sharpened(tops, scale, open_, most)
                for tops, scale in zip(kinds, self.scales, strict=True)
            ]
            bars = _bars(np.stack(largest), most)
            passed = open_ & (seen > bars[:, None, None]).any(axis=0)
            if not passed.any():
                break
            open_ &= ~passed
        return np.asarray(pairs & ~open_)

    def _sharpened(self, tops: _Tops, scale: Floats, open_: Bools, most: int) -> Floats:
        """Return the largest sums of the open pairs, found again where they may tell the bar."""
        sizes, others, items = tops
        sizes[~open_.any(axis=1)] = -np.inf
        while True:
            largest = sizes.max(axis=0)
            least = np.partition(largest, -1 - most)[-1 - most]
            # Those just below will be next.
            rows, vectors = np.divmod(np.flatnonzero(sizes >= NEXT * least), sizes.shape[1])
            # Of pairs that are decided, or bounds.
            stale = ~open_[rows, others[rows, vectors]]
            rows, vectors = rows[stale], vectors[stale]
            if not (sizes[rows, vectors] >= least).any():
                return np.asarray(largest)
            for row in np.unique(rows):
                some = vectors[rows == row]
                weights = np.where(open_[row], scale[items[row]], -1.0)
                sizes[row, some], others[row, some] = self._found(items[row], some, weights)


def _bars(largest: Floats, most: int) -> Floats:
    """Return the bars that as many sums of each kind pass, and one or more of them `most` at most.

    Shapes (kinds, vectors) and (kinds,).
    """
    top = np.argpartition(largest, -1 - most, axis=1)[:, -1 - most :]
    falling = -np.sort(-np.take_along_axis(largest, top, axis=1), axis=1)
    vectors = np.unique(top)
    # With how many passing sums of each kind a vector passes a bar, by the first kind that does.
    passes = np.min(
        [
            np.searchsorted(-bars, -sums[vectors], side="right")
            for bars, sums in zip(falling, largest, strict=True)
        ],
        axis=0,
    )
    return np.asarray(falling[:, min(most, int(np.sort(passes)[most]) - 1)])


class _Centered(Differences):
    """The numbers themselves, less the mean of each row, in shares of the largest difference."""

    def values(self) -> Floats:
        """Return the numbers, shape (m, n)."""
        numbers = self._of(self.rows)
        middle = numbers.mean(axis=1, keepdims=True)
        centered: Floats = (numbers - middle) / (2.0 * self.scale) + 0.5
        return centered


def _weighted_differences(block: Block) -> Floats:
    """Return differences in [-1, 1] times their weights, nought where there is none."""
    differences = np.nan_to_num(2.0 * block.values - 1.0)
    return differences * block.weights[:, None]


def _inverse(values: Floats) -> Floats:
    """Return 1 over values, nought for nought."""
    return np.divide(1.0, values, out=np.zeros_like(values), where=values > 0)


def _signs(block: Block, times: int, rng: Generator, is_exact: bool) -> Iterator[Floats]:
    """Yield sign vectors, some at a time; of a row that is repeated the sum of its signs."""
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
    """Return how many sign vectors to go through, whether they are all, and them block by block.

    All but the opposite ones where they are no more, or than `ALWAYS_ALL`; else some that are
    drawn. Blocks have the shape (some, u); the first vector is that observed.
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
    """Return sign vectors by their numbers in binary, of which the first sign is always +1."""
    signs = np.ones((stop - start, n_units))
    bits = np.arange(start, stop)[:, None] >> np.arange(max(n_units - 1, 0))
    signs[:, 1:] = 1.0 - 2.0 * (bits & 1)
    return signs


def _drawn_signs(shape: tuple[int, int], rng: Generator) -> Floats:
    """Draw signs, each from one byte."""
    bits = np.frombuffer(rng.bytes(shape[0] * shape[1]), dtype=np.uint8)
    return 1.0 - 2.0 * (bits & 1).reshape(shape).astype(np.float64)


# -- what they assume -----------------------------------------------------------------------------


def asymmetry_note(
    differences: Floats, pairs: Sequence[tuple[Label, Label]], remedy: str
) -> tuple[str, ...]:
    """Return a note where differences contradict that those of each pair are symmetric.

    The mean of the middle half of the differences of a pair is held against the mean of all, in
    standard deviations; the sum of the squares of all pairs against those under other signs of
    whole units, turned about the middle. Large differences stay large under all signs, so that
    heavy tails and tasks on different scales are no contradiction.
    """
    step = max(1, -(-differences.size // LOOKED_AT))
    told = differences[:, ::step].T
    if not 0 < told.size <= LOOKED_AT:
        return ()
    there, error = ~np.isnan(told), rounding_error(1.0, len(differences))
    told = np.where(there, told, 0.0)
    told = told / (np.abs(told).max(axis=1, keepdims=True) + (told == 0).all(axis=1)[:, None])
    means = told.sum(axis=1, keepdims=True) / np.fmax(there.sum(axis=1, keepdims=True), 1)
    rows = np.where(there, told - means, 0.0)
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
    many = int(there[pair].sum())
    above = stated(int((rows[pair] > error).sum()), "differences above their mean", of=many)
    below = stated(int((rows[pair] < -error).sum()), "differences below it", of=many)
    note = (
        "the differences are not symmetric, as the level assumes: of {} less {} {} lie above their "
        "mean and {} below it, so that decisions may be wrong more often than they say; {}"
    )
    return (said(note, first, second, above, below, remedy),)


def _middle_mean(values: Floats) -> Floats:
    """Return the mean of the middle half of each row."""
    n = values.shape[-1]
    means: Floats = np.sort(values, axis=-1)[..., n // 4 : n - n // 4].mean(axis=-1)
    return means


def _lean(values: Floats) -> Floats:
    """Return for each row how far the middle is from the mean, in standard deviations."""
    off, spread = _middle_mean(values) - values.mean(axis=-1), values.std(axis=-1)
    lean: Floats = off / np.where(spread > rounding_error(1.0), spread, np.inf)
    return lean
