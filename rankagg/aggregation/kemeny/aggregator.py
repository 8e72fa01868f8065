"""The rules of Kemeny and Slater: fewest contradicted votes or majorities, with a proof."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn

import numpy as np

from rankagg._typing import Generator, Positions, Tolerance
from rankagg._validation import check_choice, check_flag, check_number
from rankagg.aggregation.base import Guarantee, Needs, SearchingRule
from rankagg.aggregation.deadline import Deadline, until_stopped
from rankagg.aggregation.evidence import Data, Evidence
from rankagg.aggregation.kemeny.certificate import Certificate
from rankagg.aggregation.kemeny.constraints import NO_DEMANDS, Constraints
from rankagg.aggregation.kemeny.optima import Optima
from rankagg.aggregation.kemeny.parts import Effort, Warm, solve_parts
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.outcome import Outcome, proved_outcome
from rankagg.core import PairwiseMatrix, counted
from rankagg.exceptions import Described, InvalidInputError

if TYPE_CHECKING:
    import pulp

BackendName = Literal["cuts", "subset-dp", "pulp"]

# With this many items the complete integer program has 333,000 rows, with ties a million.
MOST_IN_PROGRAM = 100


@dataclass(frozen=True, kw_only=True)
class Kemeny(SearchingRule):
    """The exact Kemeny consensus: the ranking of least summed Kendall distance.

    It is strict, or a weak order if `consensus_ties` allows ties.

    The problem is split by strict majorities and each part is solved. A certificate proves the
    ranking; its cost and bound are computed in integers from the order and the proofs alone. If the
    proof is not complete, the certificate's status is "gap" instead of "optimal".

    Parameters
    ----------
    tie_cost : float, default 0
        Cost, 0 to 1, of a vote that ties two items if the consensus does not. It shifts the costs
        of all strict rankings by the same amount and changes no optimum among them.
    consensus_ties : bool, default False
        Whether the consensus may tie items: the exact optimum among all weak orders (bucket
        orders). It needs a cost of ties above 0.
    consensus_tie_cost : float, optional
        Cost, 0 to 1, of a vote that orders two items if the consensus ties them; by default the
        `tie_cost`. 0.5 for both is the distance of Kemeny and Snell, and maximises the mean tau_x
        of Emond and Mason; p for both is Fagin's K^(p).
    backend : {"cuts", "subset-dp", "pulp"}, default "cuts"
        "cuts": linear relaxation with lazily separated 3-cycles in HiGHS, rounding with insertion
        search, best-first branch and bound. "subset-dp": dynamic programming, parts of 20 items
        at most. "pulp": a solver of PuLP solves the complete integer program that `program`
        returns, and the search of "cuts" proves its ranking; practical up to about 60 items. With
        `consensus_ties` or `constraints` only "cuts".
    constraints : Constraints, optional
        Constraints on the consensus: the exact optimum among the rankings that satisfy them. If
        none does, an `InfeasibleError` names a minimal set of constraints in conflict. Not with
        `consensus_ties`: constraints refer to places, and tied items share one.
    time_limit : float, optional
        Seconds after which the best ranking so far is returned, with its bound and status "gap".
        Ctrl-C does the same.
    solver : pulp.LpSolver, optional
        For the backend "pulp": any solver of PuLP, such as ``pulp.GLPK_CMD(msg=False)``. By
        default HiGHS, or CBC if PuLP finds no HiGHS. The certificate is always computed and
        checked here: a ranking that the solver wrongly calls optimal has the status "gap".

    Notes
    -----
    If the proof takes long, a memetic search improves the ranking meanwhile. Under a time limit it
    takes a fifth of the time, or four fifths if the bound stalls and the search does not. Without a
    limit it takes a share of the expected work of the proof, the same in each run.

    Which of several optima is returned is unspecified. Long solves log their bounds to the logger
    "rankagg.kemeny" about once a second; it is silent unless configured.

    References
    ----------
    Kemeny (1959); Young and Levenglick (1978), doi:10.1137/0135023; cutting planes for linear
    ordering: Grötschel, Jünger and Reinelt (1984), doi:10.1287/opre.32.6.1195; ties: Emond and
    Mason (2002), doi:10.1002/mcda.313; Fagin et al. (2006), doi:10.1137/05063088X.

    Examples
    --------
    >>> from rankagg import Kemeny, Profile
    >>> consensus = Kemeny().aggregate(Profile.from_orders(["ABC", "BCA"], counts=[3, 2]))
    >>> consensus.order, consensus.cost, consensus.certificate.status
    (('A', 'B', 'C'), 4.0, 'optimal')
    >>> votes = Profile.from_ranks([[0, 0, 2], [0, 0, 2], [1, 0, 2]], items="ABC")
    >>> print(Kemeny(consensus_ties=True, tie_cost=0.5).aggregate(votes).ranking)
    1. A = B
    3. C
    """

    needs: ClassVar[Needs] = "votes"
    command_names: ClassVar = {"kemeny": {}}
    keeps: ClassVar = {
        "condorcet winner": "Young and Levenglick (1978)",
        "condorcet loser": "Felsenthal (2012)",
        "smith": "Fishburn (1977)",
        "majority": "Felsenthal (2012)",
        "pareto": "Felsenthal (2012)",
        "monotonicity": "Felsenthal (2012)",
        "reinforcement of rankings": "Young and Levenglick (1978)",
        "reversal symmetry": "optima are reversed, and an item first in all is last in none",
    }
    breaks: ClassVar = {"clone independence": "Tideman (1987)"}
    counterexamples: ClassVar = {
        "clone independence": "1 ABCD, 1 BCDA, 1 CDAB",
        "participation": "1 ABCD, 1 BCDA, 1 CDAB",
    }
    tie_cost: float = 0.0
    consensus_ties: bool = False
    consensus_tie_cost: float | None = None
    backend: BackendName = "cuts"
    constraints: Constraints | None = None
    time_limit: float | None = None
    solver: Any = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self.tie_cost, "tie_cost of Kemeny", low=0, high=1)
        check_choice(self.backend, ("cuts", "subset-dp", "pulp"), "backend of Kemeny")
        if self.solver is not None:
            import pulp  # noqa: PLC0415

            if self.backend != "pulp":
                self._refuse("solver", "None but for backend='pulp'", "Add `backend='pulp'`.")
            if not isinstance(self.solver, pulp.LpSolver):
                self._refuse("solver", "a solver object of PuLP, such as pulp.HiGHS(msg=False)")
        ties = check_flag(self.consensus_ties, "consensus_ties of Kemeny")
        if self.consensus_tie_cost is not None:
            check_number(self.consensus_tie_cost, "consensus_tie_cost of Kemeny", low=0, high=1)
            if not ties:
                remedy = "Add `consensus_ties=True`."
                self._refuse("consensus_tie_cost", "None for a strict consensus", remedy)
        elif ties and self.tie_cost == 0:
            allowed = "above 0 where the consensus may tie items, or it ties all at no cost"
            self._refuse("tie_cost", allowed, "Kemeny and Snell's is 0.5.")
        if not isinstance(self.constraints, Constraints | None):
            self._refuse("constraints", "Constraints")
        if ties and self.constraints is not None:
            remedy = "They refer to places, and tied items share one. Leave out one of both."
            self._refuse("constraints", "None where the consensus may tie items", remedy)
        if self.backend != "cuts" and (ties or self.constraints is not None):
            self._refuse("backend", "'cuts' where the consensus may tie items or is constrained")

    def _refuse(self, name: str, allowed: str, remedy: str = "") -> NoReturn:
        raise InvalidInputError(f"{name} of Kemeny", allowed, getattr(self, name), remedy)

    def program(self, data: Data | Evidence, *, tolerance: Tolerance = 0.0) -> pulp.LpProblem:
        """Return the integer program whose least objective is the cost of the consensus.

        For every two items, x_Ann_Bob is 1 if Ann is above Bob; with ``consensus_ties``,
        t_Ann_Bob is 1 if the two are tied. In names, signs that file formats do not allow become
        periods, and equal names get the position of the item.

        Parameters
        ----------
        data : ScoreTable, ScoreSummary, Profile, PairwiseMatrix, Comparisons or Evidence
            As for `aggregate`, of at most 100 items.
        tolerance : float, mapping or Series from task to float, default 0
            Scores that differ by at most this much are tied; see `ScoreTable.rankings`.

        Returns
        -------
        pulp.LpProblem
            A program for any solver of PuLP, or for ``writeLP`` and ``writeMPS``. Its coefficients
            are votes, as floats; PuLP writes 12 digits of them.

        Examples
        --------
        >>> from rankagg import Kemeny, Profile
        >>> program = Kemeny().program(Profile.from_orders(["ABC", "BCA"], counts=[3, 2]))
        >>> print(program.objective)
        2.0*x_A_B + 2.0*x_A_C + 3.0*x_B_A + 3.0*x_C_A + 5.0*x_C_B
        >>> [row.name for row in program.constraints()]
        ['pair_A_B', 'pair_A_C', 'pair_B_C', 'cycle_A_B_C', 'cycle_A_C_B']
        """
        from rankagg.aggregation.kemeny.pulp_programs import kemeny_program  # noqa: PLC0415

        evidence = Evidence.of(data, tolerance)
        if len(evidence.items) > MOST_IN_PROGRAM:
            size = Described(counted(len(evidence.items), "item"))
            allowed = f"of at most {MOST_IN_PROGRAM} items for the complete integer program"
            raise InvalidInputError("data", allowed, size, "Backend 'cuts' adds rows as needed.")
        votes = evidence.votes
        demands = self.constraints.over(votes.items) if self.constraints else NO_DEMANDS
        return kemeny_program(votes, self.tie_cost, self.price_of_ties, demands)

    @property
    def can_be_warm(self) -> bool:
        """Whether `solve` can reuse cycles from related votes."""
        return self.backend == "cuts" and not self.consensus_ties and self.constraints is None

    @property
    def is_strict(self) -> bool:
        """Whether the consensus never ties items."""
        return not self.consensus_ties

    @property
    def guarantee(self) -> Guarantee | None:
        """1, with ties broken at random; 1/(2q) if a tie costs q < 1/2; None under constraints.

        With ties broken at random, a vote on a tied pair costs 1/2 on average. So the optimum that
        pays q < 1/2 for it costs at most 1/(2q) times the cost of the best strict ranking.
        """
        if self.constraints is not None:
            return None
        price = self.price_of_ties
        if price is None or price >= 0.5:
            return Guarantee(1)
        return Guarantee(0.5 / price) if price else None

    @property
    def price_of_ties(self) -> float | None:
        """Cost of a vote that orders two items tied in the consensus; None if that is strict."""
        if not self.consensus_ties:
            return None
        return self.tie_cost if self.consensus_tie_cost is None else self.consensus_tie_cost

    def _aggregate_within(self, evidence: Evidence, rng: Generator, deadline: Deadline) -> Outcome:
        return self.solve(evidence.votes, deadline=deadline)

    def solve(
        self,
        votes: PairwiseMatrix,
        *,
        start: Positions | None = None,
        deadline: Deadline | None = None,
        warm: Warm | None = None,
    ) -> Outcome:
        """Solve the problem of pairwise votes.

        Parameters
        ----------
        votes : PairwiseMatrix
            The votes.
        start : ndarray of int, shape (n,), optional
            An order of the positions that is likely to be good, such as the consensus of similar
            votes.
        deadline : Deadline, optional
            When to stop, in addition to the rule's own time limit.
        warm : Warm, optional
            Cycles from votes on the same items, for a strict consensus by "cuts".
        """
        effort = Effort((deadline or Deadline()).sooner(self.time_limit))
        if self.time_limit is not None:
            limit = f"not proved optimal within the time limit of {self.time_limit:g} s"
            effort = replace(effort, unproved=limit)
        price = self.price_of_ties
        # Solvers load late.
        if price is not None:
            from rankagg.aggregation.kemeny.tied_optima import solve_weak  # noqa: PLC0415

            return solve_weak(
                votes, tie_cost=self.tie_cost, consensus_tie_cost=price, effort=effort
            )
        if self.constraints is not None:
            from rankagg.aggregation.kemeny.constrained import solve_constrained  # noqa: PLC0415

            return solve_constrained(
                votes, self.constraints, tie_cost=self.tie_cost, effort=effort, start=start
            )
        from rankagg.aggregation.kemeny.strict_search import enumerated, solve_cuts  # noqa: PLC0415

        problem, effort = effort.with_problem(lambda: Problem.from_pairwise(votes, self.tie_cost))
        backend = enumerated if self.backend == "subset-dp" else solve_cuts
        order = None
        if self.backend == "pulp":
            from rankagg.aggregation.kemeny.pulp_programs import order_by_pulp  # noqa: PLC0415

            program = self.program(votes)
            with until_stopped() as stop:
                start = order = order_by_pulp(program, votes.items, self.solver, effort.deadline)
            if stop.by_user:
                effort = replace(effort, deadline=Deadline.after(0))
        solved = solve_parts(problem, problem.components(), backend, effort, start=start, warm=warm)
        order = solved.order if order is None else order
        certificate = Certificate.build(
            votes, order.tolist(), solved.proofs, tie_cost=self.tie_cost, problem=problem
        )
        optima = Optima(items=votes.items, _problem=problem, _order=order)
        return proved_outcome(certificate, solved, effort, optima)


@dataclass(frozen=True, kw_only=True)
class Slater(SearchingRule):
    """The ranking that contradicts the fewest majorities, regardless of their size.

    It is Kemeny's ranking of a tournament in which each majority is one vote. The certificate
    refers to the votes that `tournament` returns, and its cost is the number of majorities
    contradicted. A pair without a majority costs nothing.

    Parameters
    ----------
    time_limit : float, optional
        Seconds after which the best ranking so far is returned, with its bound and status "gap".

    Notes
    -----
    Which of several optima is returned is unspecified; `Consensus.optima` is the set of all.

    References
    ----------
    Slater (1961), https://doi.org/10.1093/biomet/48.3-4.303.

    Examples
    --------
    >>> from rankagg import Profile, Slater
    >>> votes = Profile.from_orders(["ABCD", "BCDA", "DABC"], counts=[3, 2, 2])
    >>> consensus = Slater().aggregate(votes)
    >>> consensus.order, consensus.certificate.cost
    (('A', 'B', 'C', 'D'), 1.0)
    >>> consensus.certificate.verify(Slater.tournament(votes.pairwise()))
    True
    """

    needs: ClassVar[Needs] = "votes"
    command_names: ClassVar = {"slater": {}}
    time_limit: float | None = None

    @property
    def is_strict(self) -> bool:
        """True: the consensus never ties items."""
        return True

    @staticmethod
    def tournament(votes: PairwiseMatrix) -> PairwiseMatrix:
        """Return one vote for each majority, and none for a pair without one.

        Parameters
        ----------
        votes : PairwiseMatrix
            Any votes.
        """
        majority = votes.scaled_wins > votes.scaled_wins.T
        return PairwiseMatrix.from_wins(majority.astype(np.float64), items=votes.items)

    def _aggregate_within(self, evidence: Evidence, rng: Generator, deadline: Deadline) -> Outcome:
        tournament = self.tournament(evidence.votes)
        return Kemeny(time_limit=self.time_limit).solve(tournament, deadline=deadline)
