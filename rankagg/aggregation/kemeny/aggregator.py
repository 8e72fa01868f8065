"""The Kemeny rule: the ranking that contradicts the fewest votes, with a proof."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Unranked
from rankagg._validation import check_choice, check_flag, check_number
from rankagg.aggregation.base import Aggregator, Guarantee, Needs, Outcome
from rankagg.aggregation.deadline import Deadline, time_limit_of
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.kemeny.certificate import Certificate
from rankagg.aggregation.kemeny.decomposition import majority_components
from rankagg.aggregation.kemeny.nodes import Enumeration
from rankagg.aggregation.kemeny.optima import Optima
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.progress import Progress
from rankagg.aggregation.kemeny.proof import Proof
from rankagg.aggregation.kemeny.solution import Backend, Solution, Task
from rankagg.aggregation.kemeny.subset_dp import SubsetTable
from rankagg.core.pairwise import PairwiseMatrix

__all__ = ["Kemeny"]

# What the certificate takes, in times that the problem takes to be stated, at 1,000 items.
CERTIFYING = 10

BackendName = Literal["cuts", "lazy", "naive", "subset-dp"]


# The solvers are loaded when something is solved.


def _solve_cuts(task: Task) -> Solution:
    from rankagg.aggregation.kemeny.branch_and_bound import solve_cuts  # noqa: PLC0415

    return solve_cuts(task)


def _solve_lazy(task: Task) -> Solution:
    from rankagg.aggregation.kemeny.pulp_models import solve_lazy  # noqa: PLC0415

    return solve_lazy(task)


def _solve_naive(task: Task) -> Solution:
    from rankagg.aggregation.kemeny.pulp_models import solve_naive  # noqa: PLC0415

    return solve_naive(task)


def _solve_subset_dp(task: Task) -> Solution:
    return Solution(SubsetTable(task.problem).order(), (Enumeration(),))


BACKENDS: dict[str, Backend] = {
    "cuts": _solve_cuts,
    "lazy": _solve_lazy,
    "naive": _solve_naive,
    "subset-dp": _solve_subset_dp,
}


@dataclass(frozen=True, kw_only=True)
class Kemeny(Aggregator):
    """The exact Kemeny consensus: a strict ranking of least summed Kendall distance.

    The problem is split by strict majorities, each part solved, and the whole proved by a
    certificate that is verified before it is returned. Where the proof is not complete, the
    certificate says "gap" instead of "optimal".

    Parameters
    ----------
    unranked : {"uniform", "ignore", "last"}, optional
        The policy for unranked items; by default that of the matrix where the data are one, and
        "uniform" otherwise.
    tie_cost : float, default 0
        What a vote that judges two items equal costs, 0 to 1. It shifts every cost by the same
        amount and changes no optimum.
    backend : {"cuts", "lazy", "naive", "subset-dp"}, default "cuts"
        "cuts": linear relaxation with lazily separated 3-cycles in HiGHS, rounding with insertion
        search, best-first branch and bound; where HiGHS cannot be loaded, in PuLP's CBC, which
        takes longer and is said in a note. "lazy": the same rows through PuLP's public interface
        and its CBC; no proof where the relaxation is fractional. "naive": the textbook integer
        program, all rows at once, tolerable to some 60 items. "subset-dp": dynamic programming,
        parts of 20 items at most.
    time_limit : float, optional
        Seconds after which the best ranking so far comes back, with its bound and status "gap".
        Ctrl-C does the same.
    verify : bool, default True
        Check the certificate before it is returned.

    Notes
    -----
    Which of several optima comes back is unspecified. Long solves tell their bounds to the logger
    "rankagg.kemeny" about once a second, which is silent unless configured.

    References
    ----------
    Kemeny (1959); Young and Levenglick (1978), doi:10.1137/0135023; cutting planes for linear
    ordering: Groetschel, Juenger and Reinelt (1984), doi:10.1287/opre.32.6.1195.

    Examples
    --------
    >>> from rankagg import Kemeny, Profile
    >>> consensus = Kemeny().aggregate(Profile.from_orders(["ABC", "BCA"], counts=[3, 2]))
    >>> consensus.order, consensus.cost, consensus.certificate.status
    (('A', 'B', 'C'), 4.0, 'optimal')
    """

    needs: ClassVar[Needs] = "votes"
    is_strict: ClassVar[bool] = True
    guarantee: ClassVar[Guarantee] = Guarantee(1)
    unranked: Unranked | None = None
    tie_cost: float = 0.0
    backend: BackendName = "cuts"
    time_limit: float | None = None
    verify: bool = True

    def __post_init__(self) -> None:
        self._check_policy()
        check_number(self.tie_cost, "tie_cost of Kemeny", low=0, high=1)
        check_choice(self.backend, tuple(BACKENDS), "backend of Kemeny")
        check_flag(self.verify, "verify of Kemeny")
        time_limit_of(self.time_limit, " of Kemeny")

    def _aggregate(self, evidence: Evidence, rng: np.random.Generator) -> Outcome:
        return self._aggregate_within(evidence, rng, Deadline())

    def _aggregate_within(
        self, evidence: Evidence, rng: np.random.Generator, deadline: Deadline
    ) -> Outcome:
        ends = deadline.sooner(self.time_limit)  # counting takes time too
        return self.solve(evidence.votes(self._stated_policy), deadline=ends)

    def solve(
        self,
        votes: PairwiseMatrix,
        *,
        start: NDArray[np.intp] | None = None,
        deadline: Deadline | None = None,
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
            When to stop; the rule's own time limit holds too.

        Returns
        -------
        Outcome
        """
        deadline = (deadline or Deadline()).sooner(self.time_limit)
        began = monotonic()
        problem = Problem.from_pairwise(votes, self.tie_cost)
        progress = Progress(problem)
        # Making the certificate and verifying it takes some times as long as this.
        deadline = deadline.later(-CERTIFYING * (monotonic() - began))
        order: list[int] = []
        proofs: list[Proof] = []
        notes: list[str] = []
        interrupted = False
        for part in majority_components(problem):
            if len(part) == 1:
                order.append(int(part[0]))
                continue
            inside = problem.restrict(part)
            solution = BACKENDS[self.backend](
                Task(inside, deadline, progress.of_part(inside), _within(start, part))
            )
            progress.close_part(inside, solution)
            if solution.interrupted:
                interrupted = True
                deadline = Deadline.after(0)  # the parts that are left get a quick order each
            notes += [note for note in solution.notes if note not in notes]
            order += part[solution.order].tolist()
            proofs.append(solution.proof(part))
        certificate = Certificate.build(votes, order, proofs, tie_cost=self.tie_cost)
        if self.verify:
            certificate.verify(votes)
        return Outcome(
            ranking=certificate.ranking,
            certificate=certificate,
            optima=Optima(
                items=votes.items, _problem=problem, _order=np.array(order, dtype=np.intp)
            ),
            notes=(
                *self._why_open(certificate, interrupted=interrupted, out_of_time=deadline.is_over),
                *notes,
            ),
            interrupted=interrupted and certificate.status != "optimal",
        )

    def _why_open(
        self, certificate: Certificate, *, interrupted: bool, out_of_time: bool
    ) -> tuple[str, ...]:
        if certificate.status == "optimal":
            return ()
        if interrupted:
            return ("interrupted: the best ranking so far, not proved optimal",)
        if self.time_limit is not None:
            return (f"not proved optimal within the time limit of {self.time_limit:g} s",)
        if out_of_time:
            return ("not proved optimal in time",)
        return (f"not proved optimal by the backend {self.backend!r}",)


def _within(start: NDArray[np.intp] | None, part: NDArray[np.intp]) -> NDArray[np.intp] | None:
    """Return the order that a part's items have in an order of all, as positions in the part."""
    if start is None:
        return None
    return np.argsort(np.argsort(start)[part])
