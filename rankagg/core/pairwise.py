"""Pairwise votes: for every two items, the votes for one above the other."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from itertools import chain
from math import lcm
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankagg._typing import Floats, Integers, Label, Ranks, Unranked
from rankagg._validation import as_frame, as_matrix, check_number, check_unranked, whole_matrix
from rankagg.core import exact
from rankagg.core.items import ItemSet, counted
from rankagg.core.labels import square_labels
from rankagg.core.places import UNLISTED
from rankagg.core.rankings import PartialRanking, Permutation
from rankagg.core.results import html_table
from rankagg.core.tally import Scaled, add_votes, tally
from rankagg.core.value import Value, array_key, frozen_array
from rankagg.exceptions import Described, InvalidInputError

# Sums and squares of entries must be finite floats.
LARGEST_VOTES = 10**100
# Whole numbers below this need no further check, in any type.
SMALL_VOTES = 2**31

DIVIDE_VOTES = "Divide all entries by a common number."
# Block size in pairs.
PAIRS_AT_ONCE = 2**20


def _square_votes(values: ArrayLike, parameter: str) -> NDArray[Any]:
    """Return a square matrix with a zero diagonal, as integers if all entries are whole."""
    if (whole := _whole_votes(values)) is not None:
        return whole
    large = whole_matrix(values)
    matrix = as_matrix(values, parameter, nan=True) if large is None else large
    if matrix.shape[0] != matrix.shape[1]:
        raise InvalidInputError(parameter, "a square matrix", Described(f"shape {matrix.shape}"))
    np.fill_diagonal(matrix, 0)
    if large is None:
        matrix = as_matrix(matrix, parameter)
    shift = "Adding a constant to both entries of a pair changes no order."
    for wrong, allowed, remedy in (
        (matrix < 0, "free of negative numbers", shift),
        (matrix > LARGEST_VOTES, f"at most {LARGEST_VOTES:g}", DIVIDE_VOTES),
    ):
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            shown = Described(f"{float(matrix[row, column]):g} in row {row}, column {column}")
            raise InvalidInputError(parameter, allowed, shown, remedy)
    return matrix


def _whole_votes(values: ArrayLike) -> Integers | None:
    """Return a square array of small whole numbers in a narrow type; None for anything else.

    No other array of that size is made.
    """
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "iuf":
        return None
    if np.ma.is_masked(values) or values.ndim != 2 or values.shape[0] != values.shape[1]:
        return None
    parts: list[NDArray[Any]] = [np.zeros((0, len(values)), dtype=np.int8)]
    for rows in row_blocks(len(values)):
        given = np.array(values[rows])
        np.fill_diagonal(given[:, rows], 0)
        if not (given.min() >= 0 and float(given.max()) < SMALL_VOTES):  # or there is a NaN
            return None
        numbers = given.astype(np.int64, copy=False)
        if values.dtype.kind == "f" and not np.array_equal(numbers, given):
            return None
        parts.append(exact.narrow(numbers))
    return np.concatenate(parts)


def _rational_votes(won: NDArray[Any], tied: NDArray[Any]) -> tuple[list[Integers], int, float]:
    """Return both matrices as integers over one denominator, and their rounding step."""
    if won.dtype.kind == tied.dtype.kind == "i":
        return [won, tied], 1, 0.0
    if object not in (won.dtype, tied.dtype):
        both, denominator, step = exact.as_rational(np.stack([won, tied]).astype(np.float64))
        return list(both), denominator, step
    parts = [exact.as_rational(part) for part in (won, tied)]
    denominator = lcm(*(part.denominator for part in parts))
    scaled = [part.numerators.astype(object) * (denominator // part.denominator) for part in parts]
    return scaled, denominator, max(part.step for part in parts)


def row_blocks(n: int) -> Iterator[slice]:
    """Yield slices of the rows of an (n, n) array that bound temporary memory."""
    size = max(1, PAIRS_AT_ONCE // max(n, 1))
    for start in range(0, n, size):
        yield slice(start, start + size)


def sum_below(numbers: Integers, ranks: NDArray[np.integer]) -> int:
    """Return the sum of an (n, n) array over pairs with row ranked below column."""
    return sum(
        exact.sum_of(numbers[rows] * (ranks[rows, None] > ranks))
        for rows in row_blocks(len(numbers))
    )


def _fingerprint(labels: Iterable[Label], wins: Integers, ties: Integers, denominator: int) -> str:
    """Return the SHA-256 of items and votes in the documented form."""
    digest = sha256(f"rankagg.votes 1\n{len(wins)} {denominator}\n".encode())
    for text in chain(_label_lines(labels), _matrix_bytes(wins), _matrix_bytes(ties)):
        digest.update(text)
    return digest.hexdigest()


def _matrix_bytes(matrix: Integers) -> Iterator[bytes]:
    """Yield a line with the bytes per number, and all numbers, lowest byte first."""
    width = (int(matrix.max(initial=0)).bit_length() + 7) // 8
    yield b"%d\n" % width
    for rows in row_blocks(len(matrix)) if width else ():
        some: NDArray[Any] = matrix[rows]
        if some.dtype == object:
            yield b"".join(number.to_bytes(width, "little") for number in some.ravel().tolist())
        else:
            some = np.ascontiguousarray(some, dtype=some.dtype.newbyteorder("<"))
            yield some[..., None].view(np.uint8)[..., :width].tobytes()


def _label_lines(labels: Iterable[Label]) -> Iterator[bytes]:
    """Yield a line for each label: a text with its length, or an integer."""
    for label in labels:
        if isinstance(label, str):
            # Labels may hold half a surrogate pair.
            text = label.encode("utf-8", "surrogatepass")
            yield b"s%d:%b\n" % (len(text), text)
        else:
            yield b"i%d\n" % label


class PairwiseMatrix(Value):
    """Weighted votes between every two items; row is above column.

    Made by `Profile.pairwise`, or by `from_wins` from any non-negative matrix. ``+`` adds the
    matrices of two parts of the data. Votes are integers over one denominator, so sums and costs
    are exact (but see `rounding`).

    Attributes
    ----------
    items : ItemSet
        The items of rows and columns.
    unranked : {"uniform", "ignore", "last"} or None
        The policy for unranked items; None for a plain matrix.
    rounding : float
        The largest error of an entry, in votes; 0 if votes are exact. Weights that are no simple
        fractions are rounded to 12 digits (a grid of 2**-40 of the largest weight). Shares of
        unranked items among more than 100 items are rounded to a grid (near 2**-50 n**2) if
        their common denominator is too large for int64.
    denominator : int
        The denominator of the integers `scaled_wins`, `scaled_ties` and `scaled_comparisons`.
    is_decided : bool
        True if every ranking compares every two items, so that no policy changes a vote.
    """

    items: ItemSet
    unranked: Unranked | None
    rounding: float
    denominator: int
    is_decided: bool
    _weight: Fraction | None
    _shares: int  # the denominator of imputed votes before weighting
    # The integers in the narrowest types that hold them.
    _wins: Integers
    _ties: Integers
    # None if they follow from the votes.
    _given_comparisons: Integers | None
    _squares: Floats | None

    def __init__(
        self,
        *,
        items: ItemSet,
        wins: Integers,
        ties: Integers,
        comparisons: Integers | None = None,
        denominator: int = 1,
        squared_weights: Floats | None = None,
        unranked: Unranked | None = None,
        total_weight: Fraction | None = None,
        rounding: float = 0.0,
        is_decided: bool = False,
        shares: int = 1,
    ) -> None:
        # The votes are integers over the denominator.
        given = [wins, ties] if comparisons is None else [wins, ties, comparisons]
        arrays, denominator = exact.reduce_by(given, denominator)
        won, tied, *compared = (frozen_array(exact.narrow(array)) for array in arrays)
        if squared_weights is not None:
            np.fill_diagonal(squared_weights, 0.0)
            squared_weights = frozen_array(squared_weights)
        self._set(
            items=items,
            unranked=unranked,
            rounding=rounding,
            denominator=denominator,
            is_decided=is_decided,
            _weight=total_weight,
            _shares=shares,
            _wins=won,
            _ties=tied,
            _given_comparisons=compared[0] if compared else None,
            _squares=squared_weights,
        )

    @classmethod
    def from_wins(
        cls, wins: ArrayLike, *, items: Iterable[Label] | None = None, ties: ArrayLike | None = None
    ) -> PairwiseMatrix:
        """Create a matrix from votes for row above column, or from a linear ordering problem.

        Parameters
        ----------
        wins : array_like of float or int, shape (n, n)
            Non-negative finite numbers; the diagonal is ignored. Whole numbers may be of any size.
        items : iterable of str or int, optional
            The items of rows and columns; 0, 1, ..., n - 1 by default.
        ties : array_like of float, shape (n, n), optional
            A symmetric matrix of votes for ties.

        Raises
        ------
        InvalidInputError
            If a matrix is not square, or has a negative, infinite or missing entry.

        Examples
        --------
        >>> from rankagg import PairwiseMatrix
        >>> votes = PairwiseMatrix.from_wins([[0, 2], [1, 0]], items="AB")
        >>> votes.margins
        array([[ 0.,  1.],
               [-1.,  0.]])
        """
        wins, ties = as_frame(wins), as_frame(ties)
        items = square_labels(ties, square_labels(wins, items, "items"), "items")
        won = _square_votes(wins, "wins")
        tied = np.zeros(won.shape, np.int8) if ties is None else _square_votes(ties, "ties")
        if ties is not None and not (tied.shape == won.shape and np.array_equal(tied, tied.T)):
            allowed = f"symmetric and of shape {won.shape}"
            raise InvalidInputError("ties", allowed, Described(f"shape {tied.shape}"))
        item_set = ItemSet(range(len(won))) if items is None else ItemSet.coerce(items, ())
        if len(item_set) != len(won):
            raise InvalidInputError("items", counted(len(won), "label"), item_set)
        (scaled_wins, scaled_ties), denominator, step = _rational_votes(won, tied)
        return cls(
            items=item_set,
            wins=scaled_wins,
            ties=scaled_ties,
            denominator=denominator,
            rounding=3 * step / 2,  # a comparison is the sum of three numbers
        )

    def _key(self) -> tuple[Hashable, ...]:
        return (
            self.items,
            self.unranked,
            self.denominator,
            *(array_key(array) for array in (self._wins, self._ties, self._compared)),
        )

    # -- votes --------------------------------------------------------------------------------

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self.items)

    @property
    def is_exact(self) -> bool:
        """True if the integers are the given votes without rounding."""
        return self.rounding == 0

    @property
    def exact_weight(self) -> Fraction | None:
        """The summed weight of all rankings; None for a plain matrix."""
        return self._weight

    @property
    def total_weight(self) -> float | None:
        """The summed weight of all rankings as a float; None for a plain matrix."""
        return None if self._weight is None else float(self._weight)

    @cached_property
    def scaled_wins(self) -> Integers:
        """Votes that put row above column, as integers over `denominator`."""
        return frozen_array(exact.fit(self._wins))

    @cached_property
    def scaled_ties(self) -> Integers:
        """Votes that judge row and column equal, as integers over `denominator`."""
        return frozen_array(exact.fit(self._ties))

    @cached_property
    def scaled_comparisons(self) -> Integers:
        """The weight of the rankings that compare both, as integers over `denominator`."""
        return frozen_array(exact.fit(self._compared))

    @cached_property
    def _compared(self) -> Integers:
        if self._given_comparisons is not None:
            return self._given_comparisons
        against = exact.combine(self._wins, 1, self._wins.T, 1)
        return frozen_array(exact.narrow(exact.combine(against, 1, self._ties, 1)))

    @cached_property
    def squared_weights(self) -> Floats:
        """Sum of the squared weights of the rankings that compare row and column."""
        if self._squares is not None:
            return self._squares
        return cast(Floats, frozen_array(self.scaled_comparisons / float(self.denominator)))

    @cached_property
    def wins(self) -> Floats:
        """Votes that put row above column, shape (n, n)."""
        return self._in_votes(self.scaled_wins)

    @cached_property
    def ties(self) -> Floats:
        """Votes that judge row and column equal, shape (n, n)."""
        return self._in_votes(self.scaled_ties)

    @cached_property
    def comparisons(self) -> Floats:
        """Weight of the rankings that compare row and column, under any policy."""
        return self._in_votes(self.scaled_comparisons)

    @property
    def margins(self) -> Floats:
        """Votes for row above column minus votes for the reverse, shape (n, n)."""
        return self._in_votes(exact.combine(self.scaled_wins, 1, self.scaled_wins.T, -1)).copy()

    @property
    def proportion(self) -> Floats:
        """(wins + ties/2) / (wins + wins' + ties); NaN for pairs never compared."""
        total = self.wins + self.wins.T + self.ties
        with np.errstate(invalid="ignore", divide="ignore"):
            share = (self.wins + self.ties / 2) / total
        return cast(Floats, np.where(total > 0, share, np.nan))

    @property
    def never_compared(self) -> tuple[tuple[Label, Label], ...]:
        """The pairs of items that no ranking compares."""
        return self.items.pairs_where(np.triu(self.scaled_comparisons == 0, k=1))

    def _in_votes(self, scaled: Integers) -> Floats:
        # Python divides large integers without overflow.
        return cast(Floats, frozen_array((scaled / self.denominator).astype(np.float64)))

    @cached_property
    def lowest_terms(self) -> tuple[Integers, Integers, int]:
        """Wins and ties as integers in narrow types, and their least denominator."""
        (wins, ties), denominator = exact.reduce_by([self._wins, self._ties], self.denominator)
        return frozen_array(exact.narrow(wins)), frozen_array(exact.narrow(ties)), denominator

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the items, the wins and the ties, as 64 hexadecimal digits.

        Equal votes have the same value, however they were counted. The certificate format defines
        the hashed bytes.
        """
        return _fingerprint(self.items, *self.lowest_terms)

    def with_unranked(self, unranked: Unranked) -> PairwiseMatrix:
        """Return the votes by another policy, if every ranking compares every two items.

        Parameters
        ----------
        unranked : {"uniform", "ignore", "last"}
            See `Profile`.

        Raises
        ------
        InvalidInputError
            If the policy would change votes, which are already summed.
        """
        if check_unranked(unranked) == self.unranked:
            return self
        if not self.is_decided:
            allowed = f"{self.unranked!r} for votes that are already summed"
            remedy = "Call `with_unranked` on the rankings before `pairwise`."
            raise InvalidInputError("unranked", allowed, unranked, remedy)
        return self._with(unranked=unranked)

    # -- costs --------------------------------------------------------------------------------

    def exact_cost(
        self,
        ranking: PartialRanking,
        *,
        tie_cost: float = 0.0,
        consensus_tie_cost: float | None = None,
    ) -> Fraction:
        """Return the cost of a ranking as a fraction; see `cost`.

        Parameters
        ----------
        ranking : PartialRanking
            A ranking of the same items.
        tie_cost, consensus_tie_cost : float, optional
            As for `cost`.
        """
        if not isinstance(ranking, PartialRanking):
            raise InvalidInputError("ranking", "a PartialRanking or Permutation", ranking)
        self.items.require_same(ranking.items, "A ranking and the votes that judge it")
        ranks = ranking.ranks
        per_tie = exact.as_fraction(check_number(tie_cost, "tie_cost", low=0, high=1))
        if isinstance(ranking, Permutation):
            cost = Fraction(sum_below(self._wins, ranks))
        else:
            # P(i before j) is a whole number over 2(k + 1).
            over = 2 * (ranking.n_observed + 1)
            before = np.rint(ranking.pairwise_probabilities() * over).astype(np.int64)
            cost = Fraction(exact.sum_of(before.astype(object) * self._wins.T), over)
        if per_tie:
            cost += per_tie * exact.sum_of(np.triu(self._ties, k=1))
        if consensus_tie_cost is not None:
            price = check_number(consensus_tie_cost, "consensus_tie_cost", low=0, high=1)
            tied = (ranks[:, None] == ranks) & (ranks >= 0)
            np.fill_diagonal(tied, False)
            cost += (exact.as_fraction(price) - Fraction(1, 2)) * exact.sum_of(self._wins * tied)
            cost -= per_tie * exact.sum_of(np.triu(self._ties * tied, k=1))
        return cost / self.denominator

    def cost(
        self,
        ranking: PartialRanking,
        *,
        tie_cost: float = 0.0,
        consensus_tie_cost: float | None = None,
    ) -> float:
        """Return the weight of the votes that a ranking contradicts, its summed Kendall distance.

        Each unordered pair counts once. A pair that the ranking ties costs (W_ij + W_ji)/2, the
        average cost of breaking the tie at random. A tied ranking is thus never cheaper than the
        best strict one. Unranked items count as in a uniformly drawn compatible permutation.

        Parameters
        ----------
        ranking : PartialRanking
            A ranking of the same items.
        tie_cost : float, default 0
            The cost of a vote that ties two items, 0 to 1; 1/2 is the other convention.
        consensus_tie_cost : float, optional
            The cost of a vote on a pair that the ranking ties, 0 to 1, instead of the average. A
            vote that also ties that pair then costs nothing. See `Kemeny`.

        Returns
        -------
        float
            In votes.

        Raises
        ------
        ItemMismatchError
            If the ranking has other items, or the same items in another order.

        Examples
        --------
        >>> from rankagg import Permutation, Profile
        >>> votes = Profile.from_orders(["ABC", "BCA"], counts=[3, 2]).pairwise()
        >>> votes.cost(Permutation.from_order("ABC"))
        4.0
        """
        return float(
            self.exact_cost(ranking, tie_cost=tie_cost, consensus_tie_cost=consensus_tie_cost)
        )

    # -- sums ---------------------------------------------------------------------------------

    def __add__(self, other: object) -> PairwiseMatrix:
        if not isinstance(other, PairwiseMatrix):
            return NotImplemented
        self.items.require_same(other.items, "Added pairwise matrices")
        if self.unranked != other.unranked:
            allowed = f"the same policy in both matrices ({self.unranked!r} here)"
            raise InvalidInputError("unranked", allowed, other.unranked)
        (wins, ties, comparisons), denominator, shares, rounding = add_votes(
            (self._scaled, other._scaled),
            (self.denominator, other.denominator),
            (self._shares, other._shares),
        )
        rounding += Fraction(self.rounding) + Fraction(other.rounding)
        totals = (self._weight, other._weight)
        return PairwiseMatrix(
            items=self.items,
            wins=wins,
            ties=ties,
            comparisons=comparisons,
            denominator=denominator,
            squared_weights=self.squared_weights + other.squared_weights,
            unranked=self.unranked,
            total_weight=None if totals[0] is None or totals[1] is None else totals[0] + totals[1],
            rounding=exact.float_above(rounding),
            is_decided=self.is_decided and other.is_decided,
            shares=shares,
        )

    @property
    def _scaled(self) -> Scaled:
        return self.scaled_wins, self.scaled_ties, self.scaled_comparisons

    # -- display ------------------------------------------------------------------------------

    def __repr__(self) -> str:
        weight = "" if self.total_weight is None else f", total weight {self.total_weight:g}"
        items = counted(self.n_items, "item")
        return f"<PairwiseMatrix of {items}, unranked={self.unranked!r}{weight}>"

    def _repr_html_(self) -> str:
        rows = zip(self.items, self.wins, strict=True)
        cells = [(label, *(f"{votes:g}" for votes in row)) for label, row in rows]
        return html_table(["", *self.items], cells, named=True)


def count_votes(
    items: ItemSet, ranks: Ranks, counts: Integers, weights: Floats, unranked: Unranked
) -> PairwiseMatrix:
    """Count the votes of canonical ranks; see `Profile.pairwise`."""
    rational = exact.as_rational(weights)
    votes = exact.multiply(counts, rational.numerators)
    counted = tally(ranks, votes, shared=unranked == "uniform")
    denominator = counted.denominator * rational.denominator
    total, rounding = Fraction(exact.sum_of(votes), rational.denominator), Fraction(0)
    if rational.step:  # weights were rounded
        total = exact.total(counts, weights)
        rounding = Fraction(rational.step) / 2 * exact.sum_of(counts)
    return PairwiseMatrix(
        items=items,
        wins=counted.wins,
        ties=counted.ties,
        comparisons=counted.comparisons,
        denominator=denominator,
        squared_weights=None if (weights == 1).all() else _sum_squares(ranks, counts * weights**2),
        unranked=unranked,
        total_weight=total,
        rounding=exact.float_above(rounding + Fraction(counted.rounded, 2 * denominator)),
        is_decided=counted.is_decided,
        shares=counted.denominator,
    )


def _sum_squares(ranks: Ranks, squares: Floats) -> Floats:
    """Return the sum of `squares` over the rankings that compare row and column."""
    n = ranks.shape[1]
    if (ranks >= 0).all():
        return np.full((n, n), squares.sum())
    listed, unlisted = (ranks >= 0).astype(np.float64), (ranks == UNLISTED).astype(np.float64)
    weighed = (squares[:, None] * listed).T
    total = weighed @ listed
    if unlisted.any():
        # A sum keeps small terms that a difference of large ones would lose.
        mixed = weighed @ unlisted
        total += mixed + mixed.T
    return total
