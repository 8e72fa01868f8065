"""The maximum of a likelihood of choices, or that there is none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rankagg.core.items import ItemSet, listed
from rankagg.distributions.plackett_luce.likelihood import Likelihood
from rankagg.distributions.plackett_luce.maximize import NEWTON_STEPS, Maximum, minorize, newton
from rankagg.distributions.plackett_luce.recession import Observed, endless_direction
from rankagg.exceptions import NotIdentifiedError

__all__ = ["find_maximum"]

# A log parameter beyond this may be on its way to infinity, where ties are modeled.
FAR = 10.0
# Steps of minorization-maximization after Newton's failed.
RESCUE = 20_000


def find_maximum(
    likelihood: Likelihood,
    items: ItemSet,
    observed: Callable[[], Observed],
    *,
    method: str,
    steps: int,
    tolerance: float,
) -> Maximum:
    """Climb to the maximum, by the other method too where the first one fails.

    Without ties there is a maximum, since the items were found connected (or there are
    pseudo-rankings or a ridge). With ties a climb that goes far, or does not arrive, is a reason
    to look for a direction in which the likelihood rises for ever.

    Parameters
    ----------
    likelihood : Likelihood
        What is climbed; of one item more than `items` with a ghost.
    items : ItemSet
        The items.
    observed : callable
        Returns the different choices, those of the ghost included.
    method : str
        "newton" or "mm".
    steps : int
        At most.
    tolerance : float
        See `newton`.

    Returns
    -------
    Maximum

    Raises
    ------
    NotIdentifiedError
        If the likelihood rises for ever; it says along what.
    """
    if method == "mm" and not likelihood.sizes:
        return minorize(likelihood, steps, tolerance)
    quick = newton(likelihood, steps if method == "newton" else NEWTON_STEPS, tolerance)
    if likelihood.sizes and (not quick.converged or np.abs(quick.parameters).max() > FAR):
        _check_ties(likelihood, items, observed())
    if method == "mm":
        return minorize(likelihood, steps, tolerance)
    # Steps that ran out because the caller wanted few are no failure of the method.
    ran_out = not quick.stuck and steps < NEWTON_STEPS
    if quick.converged or ran_out or likelihood.ridge or likelihood.tie_ridge:
        return quick
    slow = minorize(likelihood, RESCUE, tolerance, quick.parameters)
    return slow if slow.converged or slow.value > quick.value else quick


def _check_ties(likelihood: Likelihood, items: ItemSet, observed: Observed) -> None:
    sizes, free = likelihood.sizes, {"ties": not likelihood.tie_ridge}
    # Ties alone make the plainer sentence.
    direction = endless_direction(observed, sizes, worths=False, **free)
    if direction is None and not likelihood.ridge:
        direction = endless_direction(observed, sizes, **free)
    if direction is None:
        return
    n = likelihood.n
    worths = direction[:n] - int(np.median(direction[:n]))
    grows, falls = (_names(items, likelihood, worths, direction[n:], sign) for sign in (1, -1))
    parts = [f"{what} {verb}" for what, verb in ((grows, "grow"), (falls, "fall")) if what]
    raise NotIdentifiedError(
        f"The likelihood has no finite maximum: it rises for ever as {' and '.join(parts)}. Use "
        "`pseudo_rankings=0.5`, a `ridge` or a `tie_ridge`, break ties where nothing but ties was "
        "observed, or leave items out."
    )


def _names(
    items: ItemSet,
    likelihood: Likelihood,
    worths: NDArray[np.int64],
    ties: NDArray[np.int64],
    sign: int,
) -> str:
    named = items.where(worths[: len(items)] * sign > 0)
    sizes = [str(d) for d, value in zip(likelihood.sizes, ties, strict=True) if value * sign > 0]
    parts = [f"the worths of {listed(named)}"] if named else []
    parts += [f"the weights of ties of {' and '.join(sizes)}"] if sizes else []
    return " and ".join(parts)
