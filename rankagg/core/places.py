"""Places as arrays: every function works on m rankings of n items at once, shape (m, n).

A place counts from 0, the best. Ties share the best place of their bucket (0, 1, 1, 3).
Two negative codes say why an item has no place of its own:

* `UNRANKED`: the item was not observed; nothing is known about it.
* `UNLISTED`: the item was left off a top-k list; it stands below every listed item, and
  nothing is known about unlisted items among themselves.
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
#: At least this share of rows must show that 0 means not ranked; fewer may be slips.
SHARE_OF_SIGNS = 0.1


def competition_ranks(
    values: Floats, tolerance: Floats | float = 0.0, errors: Floats | None = None
) -> Ranks:
    """Turn numbers, smaller is better, into places; NaN becomes `UNRANKED`.

    A new bucket starts where the step between neighbors in sorted order exceeds `tolerance`
    (a number, or one per row with shape (m, 1)), or the errors of both, shape (m, n).
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
    with np.errstate(invalid="ignore", over="ignore"):  # a step may be too large for a float
        steps = ordered[:, 1:] - ordered[:, :-1] > tolerance
    starts[:, 1:] = np.where(steps, np.arange(1, n, dtype=np.int32), 0)
    ranks = np.empty((m, n), dtype=np.int32)
    ranks[rows, order] = np.maximum.accumulate(starts, axis=1)
    ranks[np.isnan(values)] = UNRANKED
    return ranks


def _are_permutations(values: Floats | Ranks) -> bool:
    """Say whether every row holds 1, 2, ..., n; False without looking where n is above 56."""
    n = values.shape[1]
    # NaN fails the first comparison, so that all values can be made integers.
    if n > 56 or not (values.size and values.min() == 1 and values.max() == n):
        return False
    whole = values.astype(np.int64)
    # n powers of two have this sum only if they are n different ones.
    sums = (np.int64(1) << whole).sum(axis=1)
    return bool((sums == 2 ** (n + 1) - 2).all() and (whole == values).all())


def comparable(ranks: Ranks) -> Ranks:
    """Return places that compare: unlisted items get n, unranked ones n + 1.

    Only pairs of observed items may be read from the result; two unlisted items look tied. It may
    be the array itself.
    """
    n = ranks.shape[1]
    if int(ranks.min(initial=0)) >= 0:
        return ranks.astype(np.int32, copy=False)
    return np.where(ranks >= 0, ranks, np.where(ranks == UNLISTED, n, n + 1)).astype(np.int32)


def pair_signs(ranks: Ranks) -> Ranks:
    """Return 1 where row is above column, -1 where below, 0 where tied or one is not listed."""
    listed = (ranks[:, None] >= 0) & (ranks >= 0)
    signs: Ranks = np.where(listed, np.sign(ranks - ranks[:, None]), 0)
    return signs


def discordances(ranks: Ranks) -> Positions:
    """Count the pairs of every row that are in the reverse order of the columns."""
    pairs = np.zeros(len(ranks), dtype=np.intp)
    for j in range(1, ranks.shape[1]):
        pairs += (ranks[:, :j] > ranks[:, [j]]).sum(axis=1)
    return pairs


def are_canonical(ranks: Ranks) -> Bools:
    """Say for each row whether it holds competition ranks and valid codes only."""
    if _are_permutations(ranks + 1):
        return np.ones(len(ranks), dtype=np.bool_)
    listed = np.where(ranks >= 0, ranks.astype(np.float64), np.nan)
    same = (competition_ranks(listed) == ranks) | (ranks < 0)
    canonical: Bools = ((ranks >= UNLISTED) & same).all(axis=1)
    return canonical


def mid_ranks(ranks: Ranks) -> Floats:
    """Return the mean place of each item's bucket; NaN where unranked.

    Unlisted items share the mean of the places below the listed ones: that is where a uniformly
    random order of them puts each on average.
    """
    doubled = doubled_places(ranks)
    mids = doubled / 2.0 - 1.0
    mids[doubled == 0] = np.nan
    return mids


def sample_compatible(ranks: Ranks, rng: Generator) -> Ranks:
    """Draw for each row a strict complete ranking, uniformly among the compatible ones.

    Every item gets a place of a uniformly random order. The unranked items keep theirs; the
    observed ones share the remaining places out according to their ranking, ties and unlisted
    items in random order. Each of the n!/k! (times factorials of buckets) outcomes is equally
    likely; the fair-coin shuffle of Himmi et al. (2023, Algorithm 1) is not uniform.
    """
    m, n = ranks.shape
    drawn = np.argsort(rng.random((m, n)), axis=1).astype(np.int64)
    observed = ranks != UNRANKED
    free = np.sort(np.where(observed, drawn, n), axis=1)
    # The order of the drawn places among observed items is independent of which places they are,
    # so it breaks the ties.
    key = np.where(observed, comparable(ranks).astype(np.int64) * n + drawn, (n + 2) * n)
    position = np.argsort(np.argsort(key, axis=1), axis=1)
    places = np.where(observed, np.take_along_axis(free, position, axis=1), drawn)
    return places.astype(np.int32)


def top_k_shares(ranks: Ranks, k: int) -> Floats:
    """Return each item's chance to be among the first k when ties are broken at random.

    Unranked items get 0; unlisted ones share what the listed leave.
    """
    listed = ranks >= 0
    start = np.where(ranks == UNLISTED, listed.sum(axis=1, keepdims=True), ranks)
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
    observed = int((ranks != UNRANKED).sum())
    return ways * factorial(len(ranks)) // factorial(observed)


def compatible_ranks(ranks: Ranks) -> Iterator[Ranks]:
    """Yield the places of every compatible permutation."""
    n = len(ranks)
    unranked = np.flatnonzero(ranks == UNRANKED).tolist()
    buckets = _tied_positions(ranks)
    for slots in combinations(range(n), len(unranked)):
        rest = [slot for slot in range(n) if slot not in slots]
        for newcomers in permutations(unranked):
            for broken in product(*(permutations(bucket) for bucket in buckets)):
                result = np.empty(n, dtype=np.int32)
                result[list(newcomers)] = slots
                result[list(chain.from_iterable(broken))] = rest
                yield result


# -- places of what people have: groups of labels, numbers, fewer items --------------------------


def from_orders(
    rows: Sequence[Sequence[Any]], items: Iterable[Label] | None
) -> tuple[Ranks, ItemSet] | None:
    """Return the places of strict orders, one ranking a row, and the items.

    None where an order names a label twice, or one that is no label or no item: who calls must
    say which. Labels that are neither plain text nor plain integers are left to the caller too.
    """
    labels = list(chain.from_iterable(rows))
    # By type first: True and 1.0 would be found where 1 is.
    kinds = set(map(type, labels))
    if not rows or not {str, int} >= kinds:
        return None
    codes, distinct = _coded_numbers(labels) if kinds == {int} else _coded(labels)
    item_set = ItemSet.coerce(items, distinct)
    try:
        position = np.array(item_set.indices(distinct), dtype=np.intp)
    except InvalidInputError:
        return None
    lengths = np.fromiter(map(len, rows), np.intp, len(rows))
    ranks = _scattered(position[codes], lengths, len(item_set))
    return None if ranks is None else (ranks, item_set)


def _coded(labels: list[Any]) -> tuple[Positions, list[Any]]:
    """Return a code for each label, and the labels that the codes stand for."""
    number: defaultdict[Label, int] = defaultdict(count().__next__)
    return np.fromiter(map(number.__getitem__, labels), np.intp, len(labels)), list(number)


def _coded_numbers(labels: list[int]) -> tuple[Positions, list[int]]:
    """Do the same for plain integers, which a table finds quicker where they are close."""
    try:
        numbers = np.array(labels, dtype=np.int64)
    except OverflowError:
        return _coded(labels)
    low = int(numbers.min())
    if int(numbers.max()) - low > len(labels):
        return _coded(labels)
    at = (numbers - low).astype(np.intp)
    occurs = np.zeros(int(at.max()) + 1, dtype=np.intp)
    occurs[at] = 1
    return (np.cumsum(occurs) - 1)[at], (np.flatnonzero(occurs) + low).tolist()


def _scattered(codes: Any, lengths: Any, n_items: int) -> Ranks | None:
    """Return the places of orders of items by number; None where one names an item twice."""
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
    """Return which zeros in ranks, shape (m, n), mean not ranked; None where it is not certain.

    The whole table has one convention. Where each row has the ranks 0, 1, ... of the items that it
    ranks, or different ones below n of which some are missing, 0 is the best. Where every row with
    a zero has a rank 1 too, and one row in ten has several zeros, or all ranks from 1, 0 means not
    ranked. Numbers that are no ranks, negative or with fractions other than 1/2, are only numbers.
    """
    zero: Bools = values == 0
    none: Bools = np.zeros_like(zero)
    if not zero.any() or (values < 0).any() or (values % 0.5 > 0).any():
        return none
    best = competition_ranks(values)
    listed = best >= 0
    fits = [((values == way) | ~listed).all(axis=1) for way in (best, mid_ranks(best))]
    if (fits[0] | fits[1]).all():
        return none
    ranked = listed & ~zero
    least = np.where(ranked, values, np.inf).min(axis=1, keepdims=True)
    shared = np.count_nonzero(values == least, axis=1)
    # Items that share rank 1 may have the mean rank.
    has_first = (least[:, 0] == 1) | (least[:, 0] == (shared + 1) / 2)
    has_zero, has_rank = zero.any(axis=1), ranked.any(axis=1)
    signs = has_first & ((zero.sum(axis=1) > 1) | (listed.all(axis=1) & ~has_zero))
    if not signs.any() and not listed.all() and values[listed].max() < values.shape[1]:
        # Ranks from 0 of which some are missing: no two of a row are equal.
        ordered = np.sort(values, axis=1)
        return None if (np.diff(ordered, axis=1) == 0).any() else none
    if (has_zero & has_rank & ~has_first).any():
        return None
    is_shown = np.count_nonzero(signs) >= SHARE_OF_SIGNS * np.count_nonzero(has_rank)
    return zero if signs.any() and is_shown else None


def _without_zeros(ranks: Floats) -> Floats:
    """Return ranks with NaN for the zeros that mean not ranked, with a warning."""
    not_ranked = zeros_not_ranked(ranks)
    if not_ranked is None:
        raise InvalidInputError(
            "ranks",
            "ranks from 1, or the ranks 0 to n - 1 in each row",
            Described("zeros that may be the best rank or mean not ranked"),
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
    """Refuse an array of integers below 0, such as the `ranks` of a profile, which hold codes."""
    if not (isinstance(ranks, np.ndarray) and ranks.dtype.kind == "i" and (ranks < 0).any()):
        return
    allowed = "an array of integers from 0 on, or of any floats"
    remedy = (
        "Below 0 the ranks of a profile hold codes, for which NaN stands here; "
        "`from_scores(..., higher_is_better=False)` takes any numbers."
    )
    raise InvalidInputError("ranks", allowed, int(ranks[ranks < 0][0]), remedy)


def closed_up(ranks: Ranks) -> Ranks:
    """Return places in which some items may be missing as places without gaps."""
    listed = np.where(ranks >= 0, ranks, np.nan).astype(np.float64)
    return np.where(ranks < 0, ranks, competition_ranks(listed))
