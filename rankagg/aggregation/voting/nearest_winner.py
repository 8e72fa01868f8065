"""Dodgson's and Young's rules, by the distance of each item from beating all others."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Generator
from rankagg.aggregation.base import Needs, SearchingRule
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.outcome import Outcome, by_points
from rankagg.aggregation.voting.rounds import distinct_ballots
from rankagg.core import Profile, canonical_profile, counted, exact
from rankagg.exceptions import Described, InvalidInputError, SolverError

# Most cells of a program, distinct ballots times items; and most units that solvers add exactly.
MOST_CELLS, MOST_UNITS = 10_000, 2**20
# D loses to each of A, B and C by one ballot, and each of these to another by five.
WIDER_CYCLE = "2 DABC, 3 ABCD, 2 DBCA, 3 BCAD, 3 DCAB, 2 CABD"


@dataclass(frozen=True)
class _WeighedBallots:
    """Distinct ballots, and their weights in units of the smallest ballot."""

    # Shape (t, n, n). Margin of the row item over the column item on each ballot.
    leads: NDArray[np.object_]
    # Shape (t,). Units of each ballot, and the units of a ballot of weight 1.
    votes: list[int]
    denominator: int

    @classmethod
    def of(cls, profile: Profile, rule: str) -> _WeighedBallots:
        """Return the ballots of a profile; raises if they are too many for a program."""
        ranks, merged, denominator = distinct_ballots(profile.ranks, profile)
        (merged,), denominator = exact.reduce_by([merged], denominator)
        if ranks.size > MOST_CELLS:
            raise InvalidInputError(
                f"data of {rule}",
                f"ballots of {counted(MOST_CELLS, 'cell')} at most, different ballots times items",
                Described(counted(ranks.size, "cell")),
                "The exact winner is hard to compute; Minimax and Borda approximate it.",
            )
        items, unranked = profile.items, profile.unranked
        alone = [canonical_profile(items, row[None], unranked=unranked).pairwise() for row in ranks]
        over = lcm(*(one.denominator for one in alone))
        leads = np.array(
            [
                (one.scaled_wins - one.scaled_wins.T).astype(object) * (over // one.denominator)
                for one in alone
            ]
        )
        largest, whole = max(1, int(np.abs(leads).max(initial=1))), exact.sum_of(merged)
        if whole * largest > MOST_UNITS:
            raise InvalidInputError(
                f"data of {rule}",
                f"{counted(MOST_UNITS // largest, 'ballot')} of the smallest weight at most",
                Described(counted(whole, "ballot")),
                "Whole weights make the fewest, and 'ignore' and 'last' impute no shares; "
                "Minimax and Borda take any number.",
            )
        return cls(leads, merged.tolist(), denominator)

    @cached_property
    def margins(self) -> list[list[int]]:
        """Margins of all ballots together, in units."""
        margins: list[list[int]] = np.tensordot(np.array(self.votes), self.leads, 1).tolist()
        return margins


@dataclass(frozen=True, kw_only=True)
class Dodgson(SearchingRule):
    """Dodgson's rule: rank by the fewest swaps of neighbors that make an item beat all others.

    The score is minus the number of swaps. An integer program finds it for each item that does not
    beat all others already.

    Parameters
    ----------
    time_limit : float, optional
        Seconds after which `OutOfTimeError` is raised.

    Notes
    -----
    In a ballot with ties an item passes a whole bucket, at one swap for each item in it, and leaves
    its own bucket at half a swap for each other item in it, as the Kendall distance counts ties;
    unlisted items are a bucket. Weights are numbers of ballots over their common denominator,
    whose inverse is the smallest ballot: a weight of 2 is twice the ballot, and each may change
    in another way. PuLP hands the program to HiGHS;
    the rows are checked again in integers. Beyond 10,000 different ballots times items, or 2**20
    smallest ballots, data are refused: the problem is complete for parallel access to NP.

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
    command_names: ClassVar = {"dodgson": {}}
    keeps: ClassVar = {
        "condorcet winner": "Fishburn (1977)",
        "pareto": "an item above another on all ballots needs fewer swaps for the same lead",
    }
    breaks: ClassVar = {
        "condorcet loser": "Brandt (2009)",
        "smith": "Fishburn (1977)",
        "monotonicity": "Fishburn (1977)",
        "clone independence": "Brandt (2009)",
    }
    counterexamples: ClassVar = {
        "condorcet loser": WIDER_CYCLE,
        "monotonicity": "1 CBAD, 1 CDAB, 1 BCDA, 3 ABCD",
        "participation": "2 ABCD, 1 BCDA, 1 CDAB",
        "reversal symmetry": "2 ABCD, 2 CADB, 1 DBAC, 2 DBCA",
        "smith": WIDER_CYCLE,
    }
    time_limit: float | None = None

    def _aggregate_within(self, evidence: Evidence, rng: Generator, deadline: Deadline) -> Outcome:
        profile = evidence.profile
        if profile.has_unranked:
            allowed = "'last' where ballots leave items unranked"
            remedy = "Swaps cannot pass an unranked item; `with_unranked` sets the policy."
            raise InvalidInputError("unranked of the data", allowed, profile.unranked, remedy)
        ballots = _WeighedBallots.of(profile, "Dodgson")
        halves = [_half_swaps(ballots, item, deadline) for item in range(profile.n_items)]
        points = [Fraction(-number, 2 * ballots.denominator) for number in halves]
        return by_points(points, evidence.items)


def _half_swaps(ballots: _WeighedBallots, item: int, deadline: Deadline) -> int:
    """Return twice the smallest number of swaps of units with which the item beats all others."""
    # Solvers load late.
    from rankagg.aggregation.kemeny.pulp_programs import IntegerProgram  # noqa: PLC0415

    margins = ballots.margins[item]
    behind = [other for other, margin in enumerate(margins) if margin <= 0 and other != item]
    if not behind:
        return 0
    program = IntegerProgram()
    rows: dict[int, dict[int, int]] = {other: {} for other in behind}
    for leads, count in zip(ballots.leads, ballots.votes, strict=True):
        # Gain of passing each other item: 2 if it was above, 1 if tied.
        gains = 1 - leads[item]
        gains[item] = 0
        # Each item passed on the way, from the bottom up, costs as much as it gains.
        efforts = {other: sum(gains[leads[other] >= 0]) for other in behind if gains[other]}
        lifts = sorted(set(efforts.values()))
        columns = program.columns([count] * len(lifts), cost=lifts).tolist()
        program.at_least(dict.fromkeys(columns, -1), -count)
        for other, effort in efforts.items():
            enough = [at for at, lift in zip(columns, lifts, strict=True) if lift >= effort]
            rows[other].update(dict.fromkeys(enough, gains[other]))
    for other, row in rows.items():
        program.at_least(row, 1 - margins[other])
    fewest = program.least(deadline)
    if fewest is None:
        raise SolverError("The solver of an integer program found no swaps.")
    return fewest


@dataclass(frozen=True, kw_only=True)
class Young(SearchingRule):
    """Young's rule: rank by the most votes that can be kept so that an item is unbeaten.

    The score of an item is the weight of the largest part of the ballots in which no majority is
    against it. An integer program finds it for each item that is beaten by all ballots.

    Parameters
    ----------
    time_limit : float, optional
        Seconds after which `OutOfTimeError` is raised.

    Notes
    -----
    Weights are numbers of ballots over their common denominator, whose inverse is the smallest
    ballot: a weight of 2 is twice the ballot, and a part of it may be kept. PuLP hands the
    program to HiGHS; the rows are checked again in
    integers. Beyond 10,000 different ballots times items, or a sum of 2**20 smallest ballots, data
    are refused: the problem is complete for parallel access to NP (Rothe, Spakowski and Vogel, of
    the strong rule).

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
    command_names: ClassVar = {"young": {}}
    keeps: ClassVar = {
        "condorcet winner": "Fishburn (1977)",
        "pareto": "an item below another on all ballots can keep none",
        "monotonicity": "an item that rises can keep the same ballots, and no other can keep more",
    }
    breaks: ClassVar = {"smith": "Fishburn (1977)"}
    counterexamples: ClassVar = {
        "clone independence": "1 ABCD, 1 BCAD, 1 DCAB",
        "condorcet loser": "1 ABCD, 1 BCAD, 1 DCAB",
        "participation": "1 ABCD, 2 ACBD, 1 CABD, 1 CBAD, 1 CDAB, 1 CDBA, 3 DBAC",
        "reversal symmetry": "1 ABCD, 1 ACDB, 1 DBCA",
        "smith": "1 ABCD, 1 BCAD, 1 DCAB",
    }
    time_limit: float | None = None

    def _aggregate_within(self, evidence: Evidence, rng: Generator, deadline: Deadline) -> Outcome:
        ballots = _WeighedBallots.of(evidence.profile, "Young")
        kept = [_most_kept(ballots, item, deadline) for item in range(len(evidence.items))]
        return by_points([Fraction(number, ballots.denominator) for number in kept], evidence.items)


def _most_kept(ballots: _WeighedBallots, item: int, deadline: Deadline) -> int:
    """Return the largest number of units in which the item is unbeaten."""
    # Solvers load late.
    from rankagg.aggregation.kemeny.pulp_programs import IntegerProgram  # noqa: PLC0415

    whole, margins = sum(ballots.votes), ballots.margins[item]
    if min(margins) >= 0:
        return whole
    program = IntegerProgram()
    removed = program.columns(ballots.votes, cost=1).tolist()
    for other, margin in enumerate(margins):
        if other != item:
            leads = (-ballots.leads[:, item, other]).tolist()
            program.at_least(dict(zip(removed, leads, strict=True)), -margin)
    fewest = program.least(deadline, below=whole)
    return 0 if fewest is None else whole - fewest
