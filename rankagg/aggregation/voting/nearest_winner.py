"""Black, Dodgson and Young: the item that beats all others, or how near each one is to that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, inf, lcm
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Generator, Integers, Integers64, Positions, Ranks, Unranked
from rankagg._validation import check_flag
from rankagg.aggregation.base import Aggregator, Needs, Outcome, SearchingRule, by_points
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.positional import Borda
from rankagg.core import UNRANKED, Profile, counted, exact, places
from rankagg.exceptions import Described, InvalidInputError, OutOfTimeError, SolverError
from rankagg.kernels.placing import doubled_places
from rankagg.kernels.rows import row_sums

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# Rows of a program with sums of this size are far from what the solver takes for equal.
MOST_UNITS = 2**20


@dataclass(frozen=True)
class WeighedBallots:
    """Different ballots, and how many of the smallest one each weighs."""

    # Shape (t, n). Places with codes.
    ranks: Ranks
    # Shape (t,). Numbers of the smallest ballot.
    votes: Integers
    # How many of these make a ballot of weight 1.
    denominator: int

    @classmethod
    def of(cls, profile: Profile) -> WeighedBallots:
        """Return the ballots of a profile, equal ones together."""
        votes, denominator = exact.as_votes(profile.counts, profile.weights)
        ranks, where = np.unique(profile.ranks, axis=0, return_inverse=True)
        merged = exact.count_cells(where.ravel(), votes, len(ranks))
        (merged,), denominator = exact.reduce_by([merged], denominator)
        return cls(ranks, merged, denominator)

    @property
    def n_items(self) -> int:
        """The number of items."""
        return int(self.ranks.shape[1])

    @property
    def whole(self) -> int:
        """The units of all ballots together."""
        return exact.sum_of(self.votes)

    def merged(self, rows: NDArray[Any]) -> tuple[NDArray[Any], Integers]:
        """Return the different rows, one a ballot, and the units of each."""
        if not rows.shape[1]:
            return rows[:1], np.array([self.whole], dtype=object)
        kinds, where = np.unique(rows, axis=0, return_inverse=True)
        return kinds, exact.count_cells(where.ravel(), self.votes, len(kinds))

    def sums(self, rows: NDArray[Any], votes: Integers) -> list[int]:
        """Return the sum of each column over all units, without overflow."""
        small = self.whole * int(np.abs(rows).max(initial=1)) < exact.INT64_SAFE
        kind = np.int64 if small else object
        sums: list[int] = (votes.astype(kind) @ rows.astype(kind)).tolist()
        return sums

    def check_size(self, rule: str, rows: NDArray[Any], most_cells: int) -> None:
        """Raise where a program of these rows is too large, or its sums are."""
        if rows.size > most_cells:
            raise InvalidInputError(
                f"data of {rule}",
                f"ballots of {counted(most_cells, 'cell')} at most, different ballots times items",
                Described(counted(rows.size, "cell")),
                "The exact winner is hard to compute; Minimax and Borda come near it.",
            )
        largest = int(np.abs(rows).max(initial=1))
        if self.whole * largest > MOST_UNITS:
            raise InvalidInputError(
                f"data of {rule}",
                f"{counted(MOST_UNITS // largest, 'ballot')} of the smallest weight at most",
                Described(counted(self.whole, "ballot")),
                "Whole weights make the fewest, and 'ignore' and 'last' impute no shares; "
                "Minimax and Borda take any number.",
            )


def leads_of(ranks: Ranks, item: int, unranked: Unranked) -> NDArray[Any]:
    """Return what each ballot says for an item against each other one."""
    if unranked == "last":
        ranks = places.unranked_last(ranks)
    codes = places.comparable(ranks)
    leads: NDArray[Any] = np.sign(codes - codes[:, [item]]).astype(np.int64)
    here = ranks != UNRANKED
    both = here & here[:, [item]]
    leads[~both] = 0
    if unranked == "uniform" and not here.all():
        known = row_sums(here)[:, None]
        over = lcm(*np.unique(known[known < ranks.shape[1]] + 1).tolist())
        # Larger whole numbers are those of Python.
        kind = np.int64 if over < 2**40 else object
        # An unranked item is above the place r of k with probability (r + 1)/(k + 1).
        more = doubled_places(ranks).astype(np.int64) - known - 1
        imputed = np.where(here, more, -more[:, [item]])
        imputed[here == here[:, [item]]] = 0
        leads = leads.astype(kind) * over + imputed.astype(kind) * over // (known + 1)
    return np.delete(leads, item, axis=1)


# The solver works to 1e-6; whole numbers below 2**20 keep clear of that.
SLACK = 1e-3
TIMED_OUT = 1


def least_cost(
    costs: Integers64,
    rows: Integers64 | csr_array,
    least: Integers64,
    upper: Integers64,
    *,
    time_limit: float = inf,
) -> int:
    """Return the least cost of whole numbers from 0 to `upper` that keep all rows.

    The solver's numbers are rounded, and held against every row in integers; that none cost less
    is the solver's bound, rounded up to a whole number.
    """
    # It takes a while to load, and few need it.
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415
    from scipy.sparse import csr_array  # noqa: PLC0415

    found = milp(
        costs.astype(np.float64),
        integrality=np.ones(len(costs), dtype=np.int64),
        bounds=Bounds(np.zeros(len(costs)), upper.astype(np.float64)),
        constraints=LinearConstraint(
            csr_array(rows.astype(np.float64)), least.astype(np.float64), np.inf
        ),
        options={"mip_rel_gap": 0.0, "time_limit": time_limit},
    )
    if found.status == TIMED_OUT:
        raise OutOfTimeError
    if found.x is None:
        raise SolverError(f"HiGHS gave no answer: {found.message}")
    numbers = np.rint(found.x).astype(np.int64)
    sums = rows @ numbers
    cost = int(costs @ numbers)
    if (sums < least).any() or (numbers < 0).any() or (numbers > upper).any():
        raise SolverError("HiGHS gave whole numbers that break a row.")
    if ceil(found.mip_dual_bound - SLACK) < cost:
        raise SolverError(f"HiGHS proved {found.mip_dual_bound} and gave {cost}.")
    return cost


# The largest program: kinds of ballots times items that are to be passed.
MOST_CELLS = 5_000


@dataclass(frozen=True, kw_only=True)
class Dodgson(SearchingRule):
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

    def _aggregate_within(self, evidence: Evidence, rng: Generator, deadline: Deadline) -> Outcome:
        units = WeighedBallots.of(evidence.profile)
        if self.policy != "last" and (units.ranks == UNRANKED).any():
            allowed = "'last' where ballots leave items unranked"
            remedy = "No swap is known to pass an unranked item."
            raise InvalidInputError("unranked of Dodgson", allowed, self.policy, remedy)
        codes = places.comparable(places.unranked_last(units.ranks))
        # The largest programs first: what is too large is refused before any is solved.
        behind = [len(_behind(_margins(units, codes, item))) for item in range(units.n_items)]
        halves = [0] * units.n_items
        for item in sorted(range(units.n_items), key=behind.__getitem__, reverse=True):
            halves[item] = _half_swaps(units, codes, item, deadline)
        points = [Fraction(-number, 2 * units.denominator) for number in halves]
        return by_points(points, evidence.items)


def _margins(units: WeighedBallots, codes: Ranks, item: int) -> NDArray[np.object_]:
    """Return the margins of an item over the others; over itself it is 1."""
    margins = np.array(units.sums(np.sign(codes - codes[:, [item]]), units.votes), dtype=object)
    margins[item] = 1
    return margins


def _behind(margins: NDArray[np.object_]) -> Positions:
    """Return the positions of the items that an item does not beat."""
    return np.flatnonzero(margins <= 0)


def _half_swaps(units: WeighedBallots, codes: Ranks, item: int, ends: Deadline) -> int:
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
    costs, rows, kind = _lifts_past(kinds[:, : len(behind)], kinds[:, len(behind) :])
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


def _lifts_past(efforts: Integers64, gains: Integers64) -> tuple[Integers64, Integers64, Positions]:
    """Return every lift of every kind of ballot that ends above an item to be passed."""
    ordered = np.sort(efforts, axis=1)
    fresh = ordered > 0
    fresh[:, 1:] &= ordered[:, 1:] > ordered[:, :-1]
    kind, at = np.nonzero(fresh)
    costs = ordered[kind, at]
    passed = efforts[kind] <= costs[:, None]
    return costs, np.where(passed, gains[kind], 0).T, kind


# The largest program: kinds of ballots times items.
MOST_YOUNG_CELLS = 10_000


@dataclass(frozen=True, kw_only=True)
class Young(SearchingRule):
    """Young's rule: rank by the most votes that can be kept so that an item is unbeaten.

    The score of an item is the weight of the largest part of the ballots in which no majority is
    against it. It is found by an integer program for each item that is beaten in the whole.

    Parameters
    ----------
    weak : bool, default True
        True: no majority may be against the item, as Young has it. False: it must beat all
        others (strong Young); where no part of the ballots does that, its score is 0.
    unranked : {"uniform", "ignore", "last"}, optional
        The policy for unranked items; by default "uniform".
    time_limit : float, optional
        Seconds after which `OutOfTimeError` is raised.

    Notes
    -----
    Weights are numbers of ballots over their common denominator, whose inverse is the smallest
    ballot: a weight of 2 is twice the ballot, and a part of it may be kept. HiGHS solves the
    program; what it keeps is checked in integers, and its bound must reach the next whole number.
    Beyond 10,000 different ballots times items, or a sum of 2**20 smallest ballots, data are
    refused: the problem is complete for parallel access to NP (Rothe, Spakowski and Vogel, of the
    strong rule).

    References
    ----------
    Young (1977), https://doi.org/10.1016/0022-0531(77)90012-6; Rothe, Spakowski and Vogel (2003),
    https://doi.org/10.1007/s00224-002-1093-z; Caragiannis et al. (2012), on its integer program,
    https://doi.org/10.1016/j.artint.2012.04.004.

    Examples
    --------
    >>> from rankagg import Profile, Young
    >>> cycle = Profile.from_orders(["ABC", "BCA", "CAB"], counts=[4, 3, 2])
    >>> Young().aggregate(cycle).scores
    array([8., 6., 4.])
    """

    needs: ClassVar[Needs] = "rankings"
    weak: bool = True
    unranked: Unranked | None = None
    time_limit: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_flag(self.weak, "weak of Young")

    def _aggregate_within(self, evidence: Evidence, rng: Generator, deadline: Deadline) -> Outcome:
        units = WeighedBallots.of(evidence.profile)
        kept = [self._kept(units, item, deadline) for item in range(units.n_items)]
        points = [Fraction(number, units.denominator) for number in kept]
        return by_points(points, evidence.items)

    def _kept(self, units: WeighedBallots, item: int, ends: Deadline) -> int:
        """Return the most units in which the item is unbeaten."""
        leads, votes = units.merged(leads_of(units.ranks, item, self._own_policy))
        goal = 0 if self.weak else 1
        if min(units.sums(leads, votes), default=goal) >= goal:
            return units.whole
        units.check_size("Young", leads, MOST_YOUNG_CELLS)
        # One more number fulfills all rows by itself, at a cost that makes it the last resort.
        costs = np.append(np.full(len(votes), -1), units.whole + 1)
        rows = np.column_stack([leads.T, np.full(leads.shape[1], goal)]).astype(np.int64)
        least, upper = np.full(len(rows), goal), np.append(votes, 1).astype(np.int64)
        cost = least_cost(costs, rows, least, upper, time_limit=ends.seconds_left())
        return max(-cost, 0)


@dataclass(frozen=True, kw_only=True)
class Black(Aggregator):
    """Black's rule: a Condorcet winner first, all others by Borda points.

    Parameters
    ----------
    unranked : {"uniform", "ignore", "last"}, optional
        The policy for unranked items; by default that of the matrix where the data are one, and
        "uniform" otherwise.

    Notes
    -----
    Scores are those of `Borda`; that of a Condorcet winner with no more points than another item is
    raised to one more than the most (a millionth more, of millions), and the result says so.

    References
    ----------
    Black (1958), The Theory of Committees and Elections,
    https://doi.org/10.1007/978-94-009-4225-7 (reprint).

    Examples
    --------
    >>> from rankagg import Black, Profile
    >>> consensus = Black().aggregate(Profile.from_orders(["ABC", "BCA"], counts=[3, 2]))
    >>> consensus.order, consensus.notes
    (('A', 'B', 'C'), ('the Condorcet winner A stands first; it has 6 points, the most are 7',))
    """

    needs: ClassVar[Needs] = "votes"
    unranked: Unranked | None = None

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        outcome = Borda(unranked=self.unranked)._aggregate(evidence, rng)
        assert outcome.scores is not None, "points are scores"
        wins = evidence.votes(self._stated_policy).scaled_wins
        winner = np.flatnonzero((wins > wins.T).sum(axis=1) == len(wins) - 1)
        points, most = outcome.scores.copy(), outcome.scores.max()
        if not len(winner):
            return replace(outcome, notes=("no Condorcet winner: by Borda points",))
        room = abs(most) / 2**20  # which no tie of scores bridges
        if (points + room >= points[winner]).sum() == 1:
            return outcome
        name, own = evidence.items[int(winner[0])], points[winner[0]]
        points[winner] = most + max(1.0, room)
        note = f"the Condorcet winner {name} stands first; it has {own:g} points, the most are"
        return Outcome(scores=points, notes=(f"{note} {most:g}",))
