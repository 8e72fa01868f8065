"""Pairs of which a proof shows, without any search, that all optima have them alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proofs.certificate import Certificate
from rankagg.aggregation.kemeny.proofs.nodes import Enumeration
from rankagg.aggregation.kemeny.proofs.persistency import closed
from rankagg.aggregation.kemeny.proofs.proof import fixed_below, forced_by
from rankagg.aggregation.kemeny.proofs.rows import Derived
from rankagg.aggregation.kemeny.relaxation.highs import HighsRelaxation, Live, why_not_highs
from rankagg.core.graphs import connected_parts
from rankagg.exceptions import SolverError

__all__ = ["FEW", "more_in_all", "open_cycles", "shown_in_all"]

#: So many items are quicker to enumerate than to relax.
FEW = 9

# An interior point of more rows takes longer than the searches that it saves.
MOST_CYCLES = 20_000

NEVER = Deadline()


def shown_in_all(
    problem: Problem,
    certificate: Certificate,
    deadline: Deadline = NEVER,
    live: Live | None = None,
) -> Bools:
    """Return pairs that all optima have.

    Parameters
    ----------
    problem : Problem
        Any integer costs.
    certificate : Certificate
        An optimal order of the problem, proved without constraints.
    deadline : Deadline
        When to give up with `OutOfTimeError`.
    live : Live, optional
        A solver, which loses what it has.

    Returns
    -------
    ndarray of bool, shape (n, n)
        Row before column in every optimum; closed under transitivity. There may be more.
    """
    always = _by_proofs(problem, certificate)
    rows = [proof.rows for proof in certificate.proofs]
    return more_in_all(problem, certificate.scaled_cost, always, rows, deadline, live=live)


def _by_proofs(problem: Problem, certificate: Certificate) -> Bools:
    """Return what the weights of the proofs show."""
    place = np.argsort(certificate.order)
    part = np.arange(problem.n)
    always = np.zeros((problem.n, problem.n), dtype=bool)
    for proof in certificate.proofs:
        items = np.array(proof.positions)
        part[items] = items[0]
        if Enumeration() in proof.nodes:
            continue
        inside = problem.restrict(items)
        best = inside.cost(np.argsort(place[items]))
        # Whatever has the column before the row costs more than the optimum.
        always[np.ix_(items, items)] = (forced_by(proof, inside) > best).T
    np.fill_diagonal(always, False)
    # Each part costs what it must, and so does each pair between parts.
    always |= (problem.margins < 0) & (part[:, None] != part)
    found = closed(always)
    assert found is not None, "an optimum has all of them"
    return found


def more_in_all(
    problem: Problem,
    best: int,
    always: Bools,
    rows: Iterable[Sequence[Derived]] = (),
    deadline: Deadline = NEVER,
    *,
    live: Live | None = None,
) -> Bools:
    """Add pairs that one set of weights shows, which is positive wherever weights can be.

    A vertex has few positive weights, an interior point of all optimal weights as many as any has.
    They are rounded and count exactly, as those of proofs do.

    Parameters
    ----------
    problem : Problem
        Any integer costs.
    best : int
        What an optimum costs.
    always : ndarray of bool, shape (n, n)
        Row before column in every optimum, as far as it is known; closed under transitivity.
    rows : iterable of sequence of Derived
        Rows that may help; each sequence is numbered from 0.
    deadline : Deadline
        When to give up with `OutOfTimeError`.
    live : Live, optional
        A solver, which loses what it has.

    Returns
    -------
    ndarray of bool, shape (n, n)
        Closed under transitivity. The same, where the solver can show no more.
    """
    blocks = np.bincount(connected_parts(~(always | always.T)))
    if blocks.max(initial=0) <= FEW or why_not_highs() is not None:
        return always
    cycles = open_cycles(always)
    if not 0 < len(cycles) <= MOST_CYCLES:
        return always
    relaxation = HighsRelaxation(problem, live)
    relaxation.fix(always)
    relaxation.add_cycles(cycles)
    for derived in rows:
        first = len(relaxation.derived)
        relaxation.derive([row.numbered_from(first) for row in derived])
    try:
        point = relaxation.solve_inside(deadline)
    except SolverError:
        return always  # an interior point is not always found
    found = fixed_below(problem, relaxation.weighting(point), always, best + 1)
    assert found is not None, "the optimum is left"
    return found


def open_cycles(decided: Bools) -> NDArray[np.intp]:
    """Return the cycles that an order can violate which has what is decided.

    Parameters
    ----------
    decided : ndarray of bool, shape (n, n)
        Pairs (row before column), closed under transitivity.

    Returns
    -------
    ndarray of int, shape (m, 3)
        Each with its least item first: no arc of it is decided, and two pairs or more are open.
    """
    n = len(decided)
    undecided = ~(decided | decided.T) & ~np.eye(n, dtype=bool)
    found = [np.zeros((0, 3), dtype=np.intp)]
    for first in range(n - 2):
        second = np.flatnonzero(~decided[first, first + 1 :]) + first + 1
        third = np.flatnonzero(~decided[first + 1 :, first]) + first + 1
        free = undecided[np.ix_(second, third)]
        number = free + undecided[first, second][:, None].astype(np.int8) + undecided[third, first]
        usable = ~decided[np.ix_(second, third)] & (second[:, None] != third) & (number >= 2)
        b, c = np.nonzero(usable)
        found.append(np.column_stack([np.full(len(b), first), second[b], third[c]]))
    return np.concatenate(found)
