"""One consensus of data of which several may be optimal, whatever the rule happened to meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankagg._typing import Bools, Ranks
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.optimal.optima import Optima
from rankagg.aggregation.kemeny.proofs.certificate import Certificate
from rankagg.aggregation.result import Consensus
from rankagg.core.items import ItemSet
from rankagg.core.profiles.profile import Profile
from rankagg.core.rankings.partial import Permutation
from rankagg.exceptions import OutOfTimeError

if TYPE_CHECKING:
    from rankagg.aggregation.kemeny.relaxation.highs import Live

__all__ = ["drawn_ranks", "in_random_order"]


def in_random_order(profile: Profile, rng: np.random.Generator) -> Profile:
    """Return the same rankings with the items numbered in a random order.

    A rule that returns one of several rankings may choose it by the numbers of the items; then
    chance chooses them.
    """
    numbers = rng.permutation(profile.n_items)
    return Profile._trusted(
        ItemSet(profile.items.at(numbers)),
        np.ascontiguousarray(profile.ranks[:, numbers]),
        counts=profile.counts,
        weights=profile.weights,
        groups=profile.groups,
    )


def drawn_ranks(
    consensus: Consensus,
    items: ItemSet,
    rng: np.random.Generator,
    deadline: Deadline,
    *,
    always: Bools | None = None,
    live: Live | None = None,
) -> tuple[Ranks, bool]:
    """Return the ranks in one of all optimal consensuses, see `draw_optimum`.

    Parameters
    ----------
    consensus : Consensus
        That of any rule; where its set of optima is not that of a proof, it is taken as it is.
    items : ItemSet
        The items in the order in which they are ranked.
    rng : numpy.random.Generator
        Draws it.
    deadline : Deadline
        For the drawing.
    always : ndarray of bool, shape (n, n), optional
        What all optima have, where it is known.
    live : Live, optional
        A solver, which loses what it has.

    Returns
    -------
    ranks : ndarray of int32, shape (n,)
    is_settled : bool
        False where an exact rule did not prove the consensus, or there was no time to draw one:
        then the ranking that was found counts.
    """
    found = consensus.ranking.reindex(items).ranks
    proof = consensus.certificate
    if proof is None:
        return found, True
    if proof.status != "optimal":
        return found, False
    every = consensus.optima
    if type(every) is not Optima or not isinstance(proof, Certificate):
        return found, True  # ties have a price, or constraints hold
    # The solver is loaded when something is solved.
    from rankagg.aggregation.kemeny.optimal.draw import draw_optimum  # noqa: PLC0415
    from rankagg.aggregation.kemeny.optimal.shown import shown_in_all  # noqa: PLC0415

    problem, first = every._problem, np.array(proof.order, dtype=np.intp)
    try:
        if always is None:
            always = shown_in_all(problem, proof, deadline, live)
        order = draw_optimum(problem, first, always, rng, deadline)
    except OutOfTimeError:
        return found, False
    return Permutation(np.argsort(order), every.items).reindex(items).ranks, True
