"""Places as arrays of m rankings of n items, shape (m, n).

Places count from 0, the best. Ties share the best place of their bucket (0, 1, 1, 3).
Two negative codes mark items without a place:

* `UNRANKED`: the item was not observed; nothing is known about it.
* `UNLISTED`: the item was left off a top-k list. It is below every listed item, and unlisted
  items are not compared with each other.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations, count, permutations, product
from math import factorial, prod
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from rankagg._typing import Bools, Floats, Generator, Label, Positions, Ranks
from rankagg._validation import as_frame, as_matrix, check_number
from rankagg.core.items import ItemSet, counted
from rankagg.core.labels import axis_labels
from rankagg.exceptions import DataWarning, Described, InvalidInputError
from rankagg.kernels.counting import doubled_places

UNRANKED: Final = -1
UNLISTED: Final = -2
#: At least this share of rows must indicate that 0 means not ranked; fewer may be errors.
SHARE_OF_SIGNS = 0.1


def competition_ranks(
    values: Floats, tolerance: Floats | float = 0.0, errors: Floats | None = None
) -> Ranks:
    """Return the places of numbers, smaller is better; NaN becomes `UNRANKED`.

    A new bucket starts if the step between neighbors in sorted order exceeds `tolerance` (a
    number, or one per row with shape (m, 1)), or the summed errors of both, shape (m, n).
    """
    m, n = values.shape
    if errors is None and np.ndim(tolerance) == 0 and tolerance == 0 and _are_permutations(values):
        return values.astype(np.int32) - np.int32(1)
    rows = np.arange(m)[:, None]
    order = np.argsort(values, axis=1, kind="stable")  # NaN sorts last
    ordered = values[rows, order]
    starts = np.zeros((m, n), dtype=np.int32)
    if errors is not None:
        errors = errors[rows, order]
        tolerance = errors[:, :-1] + errors[:, 1:]
    with np.errstate(invalid="ignore", over="ignore"):  # a step may overflow
        steps = ordered[:, 1:] - ordered[:, :-1] > tolerance
    starts[:, 1:] = np.where(steps, np.arange(1, n, dtype=np.int32), 0)
    ranks = np.empty((m, n), dtype=np.int32)
    ranks[rows, order] = np.maximum.accumulate(starts, axis=1)
    ranks[np.isnan(values)] = UNRANKED
    return ranks


def _are_permutations(values: Floats | Ranks) -> bool:
    """Return whether every row is a permutation of 1, ..., n; False for n > 56."""
    n = values.shape[1]
    # NaN fails the first comparison, so all values can be converted to integers.
    if n > 56 or not (values.size and values.min() == 1 and values.max() == n):
        return False
    integers = values.astype(np.int64)
    # n powers of two have this sum only if all are different.
    sums = (np.int64(1) << integers).sum(axis=1)
    return bool((sums == 2 ** (n + 1) - 2).all() and (integers == values).all())


def comparable(ranks: Ranks) -> Ranks:
    """Return places with n for unlisted items and n + 1 for unranked ones.

    Compare only observed items in the result; two unlisted items look tied. The result may be
    the array itself.
    """
    n = ranks.shape[1]
    if int(ranks.min(initial=0)) >= 0:
        return ranks.astype(np.int32, copy=False)
    return np.where(ranks >= 0, ranks, np.where(ranks == UNLISTED, n, n + 1)).astype(np.int32)


def pair_signs(ranks: Ranks) -> Ranks:
    """Return 1 if row is above column, -1 if below, 0 if tied or one is not listed."""
    return np.where((ranks[:, None] >= 0) & (ranks >= 0), np.sign(ranks - ranks[:, None]), 0)


def discordances(ranks: Ranks) -> Positions:
    """Count the pairs of every ranking that are in the reverse order of the columns."""
    pairs = np.zeros(len(ranks), dtype=np.intp)
    for j in range(1, ranks.shape[1]):
        pairs += (ranks[:, :j] > ranks[:, [j]]).sum(axis=1)
    return pairs


def are_canonical(ranks: Ranks) -> Bools:
    """Return for each row whether it has competition ranks and valid codes only."""
    if _are_permutations(ranks + 1):
        return np.ones(len(ranks), dtype=np.bool_)
    listed = np.where(ranks >= 0, ranks.astype(np.float64), np.nan)
    same = (competition_ranks(listed) == ranks) | (ranks < 0)
    canonical: Bools = ((ranks >= UNLISTED) & same).all(axis=1)
    return canonical


def mid_ranks(ranks: Ranks) -> Floats:
    """Return the mean place of each item's bucket; NaN for unranked items.

    Unlisted items have the mean of the places below the listed ones, the expected place in a
    uniformly random order of them.
    """
    doubled = doubled_places(ranks)
    mids = doubled / 2.0 - 1.0
    mids[doubled == 0] = np.nan
    return mids


def sample_compatible(ranks: Ranks, rng: Generator) -> Ranks:
    """Draw a strict complete ranking for each row, uniformly among the compatible ones.

    Every item gets a place of a uniformly random order. The unranked items keep it. The observed
    items take the remaining places in the order of their ranking; ties and unlisted items are in
    random order. Each of the n!/k! (times factorials of buckets) outcomes is equally likely; the
    fair-coin shuffle of Himmi et al. (2023, Algorithm 1) is not uniform.
    """
    m, n = ranks.shape
    drawn = np.argsort(rng.random((m, n)), axis=1).astype(np.int64)
    observed = ranks != UNRANKED
    free = np.sort(np.where(observed, drawn, n), axis=1)
    # The order of the observed items' draws is independent of the set of their places, so it can
    # break ties.
    key = np.where(observed, comparable(ranks).astype(np.int64) * n + drawn, (n + 2) * n)
    position = np.argsort(np.argsort(key, axis=1), axis=1)
    return np.where(observed, np.take_along_axis(free, position, axis=1), drawn).astype(np.int32)


def top_k_shares(ranks: Ranks, k: int) -> Floats:
    """Return each item's probability to be among the first k with ties broken at random.

    Unranked items have 0; unlisted ones share the places below the listed items.
    """
    start = np.where(ranks == UNLISTED, (ranks >= 0).sum(axis=1, keepdims=True), ranks)
    sizes = 2 * (mid_ranks(ranks) - start) + 1
    shares = np.clip((k - start) / sizes, 0.0, 1.0)
    shares[ranks == UNRANKED] = 0.0
    return shares


def _tied_positions(ranks: Ranks) -> list[list[int]]:
    """Return positions of tied items, best bucket first, unlisted items last."""
    buckets = [np.flatnonzero(ranks == place) for place in np.unique(ranks[ranks >= 0])]
    unlisted = np.flatnonzero(ranks == UNLISTED)
    return [bucket.tolist() for bucket in (*buckets, unlisted) if len(bucket)]


def count_compatible(ranks: Ranks) -> int:
    """Return the number of compatible permutations."""
    ways = prod(factorial(len(bucket)) for bucket in _tied_positions(ranks))
    return ways * factorial(len(ranks)) // factorial(int((ranks != UNRANKED).sum()))


def compatible_ranks(ranks: Ranks) -> Iterator[Ranks]:
    """Yield the places of every compatible permutation."""
    n = len(ranks)
    unranked = np.flatnonzero(ranks == UNRANKED).tolist()
    buckets = _tied_positions(ranks)
    for slots in combinations(range(n), len(unranked)):
        rest = [slot for slot in range(n) if slot not in slots]
        for inserted in permutations(unranked):
            for strict in product(*(permutations(bucket) for bucket in buckets)):
                result = np.empty(n, dtype=np.int32)
                result[list(inserted)] = slots
                result[list(chain.from_iterable(strict))] = rest
                yield result


# -- places from orders, from numbers and of fewer items ------------------------------------------


def from_orders(
    rows: Sequence[Sequence[Any]], items: Iterable[Label] | None
) -> tuple[Ranks, ItemSet] | None:
    """Return the places of strict orders, one ranking a row, and the items.

    Return None if an order names a label twice, an unknown item, or an object that is neither a
    plain str nor a plain int. The caller handles these.
    """
    labels = list(chain.from_iterable(rows))
    # By type first, since True and 1.0 equal 1.
    kinds = set(map(type, labels))
    if not rows or not {str, int} >= kinds:
        return None
    codes, distinct = _integer_codes(labels) if kinds == {int} else _label_codes(labels)
    item_set = ItemSet.coerce(items, distinct)
    try:
        position = np.array(item_set.indices(distinct), dtype=np.intp)
    except InvalidInputError:
        return None
    lengths = np.fromiter(map(len, rows), np.intp, len(rows))
    ranks = strict_ranks(position[codes], lengths, len(item_set))
    return None if ranks is None else (ranks, item_set)


def _label_codes(labels: list[Any]) -> tuple[Positions, list[Any]]:
    """Return a code for each label, and the label of each code."""
    number: defaultdict[Label, int] = defaultdict(count().__next__)
    return np.fromiter(map(number.__getitem__, labels), np.intp, len(labels)), list(number)


def _integer_codes(labels: list[int]) -> tuple[Positions, list[int]]:
    """Return `_label_codes` of plain integers; a lookup table is faster if they are dense."""
    try:
        numbers = np.array(labels, dtype=np.int64)
    except OverflowError:
        return _label_codes(labels)
    low = int(numbers.min())
    if int(numbers.max()) - low > len(labels):
        return _label_codes(labels)
    at = (numbers - low).astype(np.intp)
    occurs = np.zeros(int(at.max()) + 1, dtype=np.intp)
    occurs[at] = 1
    return (np.cumsum(occurs) - 1)[at], (np.flatnonzero(occurs) + low).tolist()


def strict_ranks(codes: Any, lengths: Any, n_items: int) -> Ranks | None:
    """Return the ranks in strict orders of item numbers; None if an order has an item twice."""
    m = len(lengths)
    if len(codes) == m * n_items and (lengths == n_items).all():
        orders = codes.reshape(m, n_items)
        ranks = np.full((m, n_items), UNRANKED, dtype=np.int32)
        np.put_along_axis(ranks, orders, np.arange(n_items, dtype=np.int32)[None, :], axis=1)
        return None if (ranks == UNRANKED).any() else ranks
    row = np.repeat(np.arange(m), lengths)
    place = np.arange(len(codes)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    ranks = np.full((m, n_items), UNRANKED, dtype=np.int32)
    ranks[row, codes] = place
    return ranks if np.array_equal((ranks >= 0).sum(axis=1), lengths) else None


def from_table(
    ranks: ArrayLike, items: Iterable[Label] | None, tolerance: float, *, are_ranks: bool
) -> tuple[Ranks, ItemSet]:
    """Return the places of numbers, one ranking a row; see `Profile.from_ranks`."""
    if are_ranks:
        refuse_codes(ranks)
    ranks = as_frame(ranks)
    items = axis_labels(ranks, 1, items, "items")
    values = as_matrix(ranks, "ranks", nan=True)
    if values.shape[0] == 0 or values.shape[1] == 0:
        allowed = "a table with at least one row and one column"
        raise InvalidInputError("ranks", allowed, Described(f"shape {values.shape}"))
    item_set = ItemSet.coerce(range(values.shape[1]) if items is None else items, ())
    if len(item_set) != values.shape[1]:
        allowed = f"one number per item ({len(item_set)} of them) in each row"
        raise InvalidInputError("ranks", allowed, Described(f"shape {values.shape}"))
    step = check_number(tolerance, "tolerance", low=0)
    if are_ranks:
        values = _without_zeros(values)
    return competition_ranks(values, step), item_set


def zeros_not_ranked(values: Floats) -> Bools | None:
    """Return which zeros in ranks, shape (m, n), mean not ranked; None if that is ambiguous.

    All rows have one convention. 0 is the best rank if each row has the ranks 0, 1, ..., of the
    items that it ranks, or distinct ranks below n with gaps. 0 means not ranked if every row with
    a zero also has a rank 1, and one row in ten has several zeros, or all ranks from 1. Numbers
    that are negative, or have fractions other than 1/2, are no ranks; 0 is then a number too.
    Rows of 0 and 1 may also be marks.
    """
    zero: Bools = values == 0
    none: Bools = np.zeros_like(zero)
    if not zero.any() or (values < 0).any() or (values % 0.5 > 0).any():
        return none
    best = competition_ranks(values)
    listed = best >= 0
    fits = [((values == ranks) | ~listed).all(axis=1) for ranks in (best, mid_ranks(best))]
    if (fits[0] | fits[1]).all():
        return None if values[listed].max() == 1 else none
    ranked = listed & ~zero
    least = np.where(ranked, values, np.inf).min(axis=1, keepdims=True)
    shared = np.count_nonzero(values == least, axis=1)
    # Items tied at rank 1 may have the mean rank.
    has_first = (least[:, 0] == 1) | (least[:, 0] == (shared + 1) / 2)
    has_zero, has_rank = zero.any(axis=1), ranked.any(axis=1)
    signs = has_first & ((zero.sum(axis=1) > 1) | (listed.all(axis=1) & ~has_zero))
    if not signs.any() and not listed.all() and values[listed].max() < values.shape[1]:
        # Ranks from 0 with gaps: no two of a row are equal.
        return None if (np.diff(np.sort(values, axis=1), axis=1) == 0).any() else none
    if (has_zero & has_rank & ~has_first).any():
        return None
    is_frequent = np.count_nonzero(signs) >= SHARE_OF_SIGNS * np.count_nonzero(has_rank)
    return zero if signs.any() and is_frequent else None


def _without_zeros(ranks: Floats) -> Floats:
    """Return ranks with NaN for zeros that mean not ranked; warn about their number."""
    not_ranked = zeros_not_ranked(ranks)
    if not_ranked is None:
        raise InvalidInputError(
            "ranks",
            "ranks from 1, or the ranks 0 to n - 1 in each row",
            Described("zeros that may be the best rank, or mean not ranked"),
            "Add 1 to all ranks, or replace zeros by NaN; "
            "`from_scores(..., higher_is_better=False)` takes any numbers.",
        )
    if not not_ranked.any():
        return ranks
    number = counted(int(np.count_nonzero(not_ranked)), "cell")
    warnings.warn(
        f"{number} with rank 0 read as not ranked, as ranks begin at 1.", DataWarning, stacklevel=4
    )
    return np.where(not_ranked, np.nan, ranks)


def refuse_codes(ranks: object) -> None:
    """Raise for an array with negative integers, which are codes in `ranks` of a profile."""
    if not (isinstance(ranks, np.ndarray) and ranks.dtype.kind == "i" and (ranks < 0).any()):
        return
    allowed = "an array of integers from 0 on, or of any floats"
    remedy = (
        "Replace negative codes in the `ranks` of a profile by NaN; "
        "`from_scores(..., higher_is_better=False)` takes any numbers."
    )
    raise InvalidInputError("ranks", allowed, int(ranks[ranks < 0][0]), remedy)


def close_gaps(ranks: Ranks) -> Ranks:
    """Return places without the gaps that removed items leave."""
    listed = np.where(ranks >= 0, ranks, np.nan).astype(np.float64)
    return np.where(ranks < 0, ranks, competition_ranks(listed))
