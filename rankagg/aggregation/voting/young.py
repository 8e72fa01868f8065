"""Young: the fewest votes to leave out until an item wins against all others."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from rankagg._typing import Unranked
from rankagg._validation import check_flag
from rankagg.aggregation.base import Aggregator, Needs, Outcome
from rankagg.aggregation.deadline import Deadline, time_limit_of
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.voting.leads import leads_of
from rankagg.aggregation.voting.ranked import by_points
from rankagg.aggregation.voting.units import Units
from rankagg.aggregation.voting.whole_program import least_cost

__all__ = ["Young"]

# The largest program: kinds of ballots times items.
MOST_CELLS = 10_000


@dataclass(frozen=True, kw_only=True)
class Young(Aggregator):
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
        time_limit_of(self.time_limit, " of Young")

    def _aggregate(self, evidence: Evidence, rng: np.random.Generator) -> Outcome:
        return self._aggregate_within(evidence, rng, Deadline())

    def _aggregate_within(
        self, evidence: Evidence, rng: np.random.Generator, deadline: Deadline
    ) -> Outcome:
        assert self.policy is not None, "the rule has one"
        units = Units.of(evidence.profile)
        ends = deadline.sooner(self.time_limit)
        kept = [self._kept(units, item, ends) for item in range(units.n_items)]
        points = [Fraction(number, units.denominator) for number in kept]
        return by_points(points, evidence.items)

    def _kept(self, units: Units, item: int, ends: Deadline) -> int:
        """Return the most units in which the item is unbeaten."""
        assert self.policy is not None, "the rule has one"
        leads, votes = units.merged(leads_of(units.ranks, item, self.policy))
        goal = 0 if self.weak else 1
        if min(units.sums(leads, votes), default=goal) >= goal:
            return units.whole
        units.check_size("Young", leads, MOST_CELLS)
        # One more number fulfills all rows by itself, at a cost that makes it the last resort.
        costs = np.append(np.full(len(votes), -1), units.whole + 1)
        rows = np.column_stack([leads.T, np.full(leads.shape[1], goal)]).astype(np.int64)
        cost = least_cost(
            costs, rows, np.full(len(rows), goal), np.append(votes, 1).astype(np.int64),
            time_limit=ends.seconds_left(),
        )  # fmt: skip
        return max(-cost, 0)
