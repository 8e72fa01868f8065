"""What proofs of parts prove of the whole, with constraints and without."""

from __future__ import annotations

import numpy as np

from rankagg._typing import Bools
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proofs.demands import Demands
from rankagg.aggregation.kemeny.proofs.nodes import Enumeration, Persistent
from rankagg.aggregation.kemeny.proofs.proof import Proof
from rankagg.check_certificate import UNLIMITED, Work
from rankagg.core.arithmetic import exact
from rankagg.exceptions import VerificationError

__all__ = ["total_bound"]


def total_bound(
    problem: Problem, proofs: tuple[Proof, ...], demands: Demands, work: Work = UNLIMITED
) -> int:
    """Return what no order costs less than that keeps to the demands.

    Every pair costs at least its cheaper direction, or the one that is demanded; each proof
    replaces the share of the pairs inside its part by what it proves about them.

    Parameters
    ----------
    problem : Problem
        Of all items.
    proofs : tuple of Proof
        For disjoint parts of the items, and of the markers where there are some.
    demands : Demands
        The constraints.
    work : Work, optional
        What it may take.

    Returns
    -------
    int
        In the units of `Problem.costs`.

    Raises
    ------
    VerificationError
        If a proof does not hold, or the demands contradict each other.
    """
    if not demands:
        bounds = ((proof, proof.part_of(problem)) for proof in proofs)
        return problem.floor + sum(
            proof.bound_of(part, None, work) - part.floor for proof, part in bounds
        )
    whole = demands.with_markers(problem)
    decided = demands.decided(problem.n)
    if decided is None:
        raise VerificationError("The constraints that are stated contradict each other.")
    bound = problem.floor + _extra(whole, decided)
    for proof in proofs:
        part = proof.part_of(whole)
        positions = np.array(proof.positions)
        inside = decided[np.ix_(positions, positions)]
        _check_nodes(proof, is_free=not inside.any() and positions.max() < problem.n)
        bound += proof.bound_of(part, inside, work) - part.floor - _extra(part, inside)
    return bound


def _extra(problem: Problem, decided: Bools) -> int:
    """Return what decided pairs cost more than their cheaper direction."""
    return exact.sum_of(problem.margins[decided & (problem.margins > 0)])


def _check_nodes(proof: Proof, *, is_free: bool) -> None:
    """Raise where a proof moves items that constraints hold, or takes all orders."""
    if not is_free and any(isinstance(node, Persistent | Enumeration) for node in proof.nodes):
        raise VerificationError(
            "A proof uses an exchange, a cut or an enumeration where constraints hold items."
        )
