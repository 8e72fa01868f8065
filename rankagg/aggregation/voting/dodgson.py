"""Dodgson: the fewest swaps of neighbors until an item beats all others."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Ranks, Unranked
from rankagg.aggregation.base import Aggregator, Needs, Outcome
from rankagg.aggregation.deadline import Deadline, time_limit_of
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.voting.ranked import by_points
from rankagg.aggregation.voting.units import Units
from rankagg.aggregation.voting.whole_program import least_cost
from rankagg.core.rankings import places
from rankagg.core.rankings.places import UNRANKED
from rankagg.exceptions import InvalidInputError

__all__ = ["Dodgson"]

# The largest program: kinds of ballots times items that are to be passed.
MOST_CELLS = 5_000


@dataclass(frozen=True, kw_only=True)
class Dodgson(Aggregator):
    """Dodgson's rule: rank by the fewest swaps of neighbors that make an item beat all others.

    The score is minus the number of swaps. It is found by an integer program for each item that
    does not beat all others from the start.

    Parameters
    ----------
    unranked : {"uniform", "ignore", "last"}, optional
        Under "last" unranked items are unlisted. Other policies take ballots only in which no
        item is unranked, as no swap is known to pass one.
    time_limit : float, optional
        Seconds after which `OutOfTimeError` is raised.

    Notes
    -----
    In a ballot with ties an item passes a whole bucket, at one swap for each item in it, and leaves
    its own bucket at half a swap for each other item in it, as the Kendall distance counts ties;
    unlisted items are a bucket. Weights are numbers of ballots over their common denominator,
    whose inverse is the smallest ballot: a weight of 2 is twice the ballot, and each may change
    in another way. HiGHS solves the program; its swaps are checked in integers, and its bound
    must reach the next whole number. Beyond 5,000 different ballots times items to pass, or
    2**20/(2n - 2) smallest ballots of n items (131,072 of five), data are refused: the problem is
    complete for parallel access to NP.

    References
    ----------
    Dodgson (1876), "A method of taking votes on more than two issues"; for the integer program
    Bartholdi, Tovey and Trick (1989), https://doi.org/10.1007/BF00303169; for the complexity
    Hemaspaandra, Hemaspaandra and Rothe (1997), https://doi.org/10.1145/268999.269002.

    Examples
    --------
    >>> from rankagg import Dodgson, Profile
    >>> cycle = Profile.from_orders(["ABC", "BCA", "CAB"], counts=[4, 3, 2])
    >>> Dodgson().aggregate(cycle).scores
    array([-1., -2., -3.])
    """

    needs: ClassVar[Needs] = "rankings"
    unranked: Unranked | None = None
    time_limit: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        time_limit_of(self.time_limit, " of Dodgson")

    def _aggregate(self, evidence: Evidence, rng: np.random.Generator) -> Outcome:
        return self._aggregate_within(evidence, rng, Deadline())

    def _aggregate_within(
        self, evidence: Evidence, rng: np.random.Generator, deadline: Deadline
    ) -> Outcome:
        units = Units.of(evidence.profile)
        if self.policy != "last" and (units.ranks == UNRANKED).any():
            raise InvalidInputError(
                "unranked of Dodgson", "'last' where ballots leave items unranked", self.policy,
                "No swap is known to pass an unranked item.",
            )  # fmt: skip
        codes = places.comparable(places.unranked_last(units.ranks))
        ends = deadline.sooner(self.time_limit)
        # The largest programs first: what is too large is refused before any is solved.
        behind = [len(_behind(_margins(units, codes, item))) for item in range(units.n_items)]
        halves = [0] * units.n_items
        for item in sorted(range(units.n_items), key=behind.__getitem__, reverse=True):
            halves[item] = _half_swaps(units, codes, item, ends)
        points = [Fraction(-number, 2 * units.denominator) for number in halves]
        return by_points(points, evidence.items)


def _margins(units: Units, codes: Ranks, item: int) -> NDArray[np.object_]:
    """Return the margins of an item over the others; over itself it is 1."""
    margins = np.array(units.sums(np.sign(codes - codes[:, [item]]), units.votes), dtype=object)
    margins[item] = 1
    return margins


def _behind(margins: NDArray[np.object_]) -> NDArray[np.intp]:
    """Return the positions of the items that an item does not beat."""
    return np.flatnonzero(margins <= 0)


def _half_swaps(units: Units, codes: Ranks, item: int, ends: Deadline) -> int:
    """Return twice the fewest swaps of single units until the item beats all others."""
    own = codes[:, [item]]
    margins = _margins(units, codes, item)
    behind = _behind(margins)
    if not len(behind):
        return 0
    # What a unit gains over the others by passing them: from below to above, or out of a tie.
    gains = np.where(codes < own, 2, codes == own).astype(np.int64)
    gains[:, item] = 0
    ahead = [(gains * (codes >= codes[:, [other]])).sum(axis=1) for other in behind]
    efforts = np.stack(ahead, axis=1) * (gains[:, behind] > 0)
    kinds, votes = units.merged(np.hstack([efforts, gains[:, behind]]))
    units.check_size("Dodgson", kinds[:, : len(behind)], MOST_CELLS)
    costs, rows, kind = _lifts(kinds[:, : len(behind)], kinds[:, len(behind) :])
    # It takes a while to load, and few need it.
    from scipy.sparse import csr_array, vstack  # noqa: PLC0415

    lifts = np.arange(len(kind))
    once = csr_array((np.full(len(kind), -1), (kind, lifts)), shape=(len(kinds), len(kind)))
    least = np.concatenate([1 - margins[behind], -votes]).astype(np.int64)
    upper = votes[kind].astype(np.int64)
    return least_cost(
        costs,
        vstack([csr_array(rows), once], format="csr"),
        least,
        upper,
        time_limit=ends.seconds_left(),
    )


def _lifts(
    efforts: NDArray[np.int64], gains: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.intp]]:
    """Return every lift of every kind of ballot that ends above an item to be passed.

    Parameters
    ----------
    efforts : ndarray of int64, shape (t, d)
        Half swaps until each item is passed; 0 for one that is below.
    gains : ndarray of int64, shape (t, d)
        What passing it adds to the margin.

    Returns
    -------
    costs : ndarray of int64, shape (v,)
        Half swaps of each lift.
    gained : ndarray of int64, shape (d, v)
        What it adds to each margin.
    kind : ndarray of int, shape (v,)
        The kind of its ballot.
    """
    ordered = np.sort(efforts, axis=1)
    fresh = ordered > 0
    fresh[:, 1:] &= ordered[:, 1:] > ordered[:, :-1]
    kind, at = np.nonzero(fresh)
    costs = ordered[kind, at]
    passed = efforts[kind] <= costs[:, None]
    return costs, np.where(passed, gains[kind], 0).T, kind
