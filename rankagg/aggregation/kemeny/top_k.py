"""The top-k list of least summed distance, by an integer program.

The cost of a list is the sum over its items of their cost above all others, minus their cost above
the items listed before them. That is linear in integer variables for listed items and for ordered
pairs of them. Rows that forbid cycles of three listed items are added if a solution has such a
cycle, and from the start if there are few items.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, permutations
from math import gcd
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Generator, Positions
from rankagg._validation import check_integer, check_number
from rankagg.aggregation.base import Needs, SearchingRule
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.kemeny.weak_proof import WeakProblem
from rankagg.aggregation.outcome import Outcome
from rankagg.core import as_ranking, counted
from rankagg.exceptions import InvalidInputError, SolverError

# The solver distinguishes sums below this.
MOST_COSTS = 2**31
# Up to this number of items all rows of three items are there from the start.
ALL_AT_ONCE = 20


@dataclass(frozen=True)
class TopK(SearchingRule):
    """The top-k list of least summed distance: k places, and all other items tied below.

    HiGHS finds a list of least cost as an integer program, among all weak orders that rank k items
    strictly and tie the rest. The list and its cost are checked in integers. That no other list
    costs less relies on the solver, so there is no certificate.

    It is not the beginning of Kemeny's ranking. On complete strict rankings the best list of one
    item is Borda's winner, and with more places majorities within the list count more and more.
    With k one less than the number of items it is Kemeny's rule.

    Parameters
    ----------
    k : int
        The number of listed items, at most the number of items.
    tie_cost : float, default 0.5
        Cost, 0 to 1, of a vote that ties two items if the list does not.
    consensus_tie_cost : float, optional
        Cost, 0 to 1, of a vote that orders two items if neither is listed; by default the
        `tie_cost`. p for both is K^(p) of Fagin, Kumar and Sivakumar.
    time_limit : float, optional
        Seconds after which `OutOfTimeError` is raised.

    Notes
    -----
    On complete strict rankings the costs of ties change no optimum: all lists tie equally many
    votes. Which of several optima is returned is unspecified, and whether there are others is not
    computed. Costs are integers over one denominator; if a solver's floats cannot hold them, a
    note bounds the distance of the list from the optimum.

    The program has about n^2 variables and rows. A list of one item takes no solver.

    References
    ----------
    Fagin, Kumar and Sivakumar (2003), doi:10.1137/S0895480102412856.

    Examples
    --------
    >>> from rankagg import Profile, TopK
    >>> votes = Profile.from_orders(["ABCD", "BCDA"], counts=[3, 2])
    >>> for k in (1, 3):
    ...     found = TopK(k).aggregate(votes)
    ...     print(found.buckets, found.cost)
    (('B',), ('A', 'C', 'D')) 10.5
    (('A',), ('B',), ('C',), ('D',)) 6.0
    """

    needs: ClassVar[Needs] = "votes"
    k: int
    tie_cost: float = 0.5
    consensus_tie_cost: float | None = None
    time_limit: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer(self.k, "k of TopK", low=1)
        check_number(self.tie_cost, "tie_cost of TopK", low=0, high=1)
        if self.consensus_tie_cost is not None:
            check_number(self.consensus_tie_cost, "consensus_tie_cost of TopK", low=0, high=1)

    @property
    def price_of_ties(self) -> float:
        """Cost of a vote that orders two unlisted items."""
        return self.tie_cost if self.consensus_tie_cost is None else self.consensus_tie_cost

    def _aggregate_within(self, evidence: Evidence, rng: Generator, deadline: Deadline) -> Outcome:
        votes = evidence.votes
        n = votes.n_items
        if self.k > n:
            raise InvalidInputError("k of TopK", f"at most the number of items, {n}", self.k)
        problem = WeakProblem.from_pairwise(votes, self.tie_cost, self.price_of_ties)
        gains = problem.above.astype(object) - problem.tied.astype(object)
        placed, within = _best_list(gains, self.k, deadline)
        ranks = np.full(n, self.k, dtype=np.int32)
        ranks[placed] = np.arange(self.k)
        off = counted(within / problem.denominator, "vote", ".2g")
        about = f"the list costs at most {off} more than the cheapest one"
        notes = (f"{about}: the solver's numbers hold no more digits",) if within else ()
        return Outcome(ranking=as_ranking(ranks, votes.items), notes=notes)


def _best_list(gains: NDArray[np.object_], k: int, deadline: Deadline) -> tuple[Positions, int]:
    """Return the positions of the k listed items, and a bound on their excess cost.

    `gains` is the cost of row above column minus that of tying the two, in Python integers.
    """
    n = len(gains)
    alone = gains.sum(axis=1).tolist()
    if k == 1:
        return np.array([alone.index(min(alone))], dtype=np.intp), 0
    # Solvers load late.
    from rankagg.aggregation.kemeny.pulp_programs import IntegerProgram  # noqa: PLC0415

    pairs = list(permutations(range(n), 2))
    back = [gains[j, i] for i, j in pairs]
    # All lists have equally many items and pairs, so costs may be shifted to begin at 0.
    least, most = min(alone), max(back)
    item_costs = [cost - least for cost in alone]
    pair_costs = [most - cost for cost in back]
    n_taken = k + k * (k - 1) // 2
    unit = gcd(*item_costs, *pair_costs) or 1
    times = -(-max(*item_costs, *pair_costs) * n_taken // (unit * MOST_COSTS))
    exact = times <= 1
    unit *= max(times, 1)

    def rounded(costs: list[int]) -> list[int]:
        return [(2 * cost + unit) // (2 * unit) for cost in costs]

    program = IntegerProgram()
    items = program.columns([1] * n, cost=rounded(item_costs)).tolist()
    columns = program.columns([1] * len(pairs), cost=rounded(pair_costs)).tolist()
    ahead = dict(zip(pairs, columns, strict=True))
    program.equal(dict.fromkeys(items, 1), k)
    for i in range(n):
        with_it = {ahead[pair]: 1 for j in range(n) if j != i for pair in ((i, j), (j, i))}
        program.equal({**with_it, items[i]: 1 - k}, 0)
    for i, j in combinations(range(n), 2):
        for item in (i, j):
            program.at_least({items[item]: 1, ahead[i, j]: -1, ahead[j, i]: -1}, 0)
    turns = list(permutations(range(n), 3)) if n <= ALL_AT_ONCE else []
    while True:
        for a, b, c in turns:
            # If b is listed, "ahead of" is transitive through b.
            program.at_least({ahead[a, c]: 1, ahead[a, b]: -1, ahead[b, c]: -1, items[b]: 1}, 0)
        values = program.solve(deadline).values
        if values is None:
            raise SolverError("The solver of an integer program found no list.")
        program.checked(values)
        listed = [i for i in range(n) if values[items[i]]]
        turns = _turns(listed, {pair: values[at] for pair, at in ahead.items()})
        if not turns:
            break
    behind = [sum(int(values[ahead[i, j]]) for j in listed if j != i) for i in listed]
    order = sorted(range(k), key=lambda at: -behind[at])
    return np.array(listed, dtype=np.intp)[order], 0 if exact else n_taken * unit


def _turns(listed: list[int], is_ahead: dict[tuple[int, int], Any]) -> list[tuple[int, int, int]]:
    """Return all cycles of three listed items, each in its three rotations."""
    return [
        (a, b, c)
        for a, b, c in permutations(listed, 3)
        if is_ahead[a, b] and is_ahead[b, c] and is_ahead[c, a]
    ]
