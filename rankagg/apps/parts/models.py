"""Distributions over all rankings of three or four items, by one parameter."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import rankagg as ra
from rankagg._validation import check_choice
from rankagg.apps.parts.permutohedron import Vertex, all_orders

__all__ = ["law", "probabilities", "told", "vertices"]

MODELS = ("Mallows", "Plackett-Luce")


def law(model: str, center: str, strength: float) -> ra.Mallows | ra.PlackettLuce:
    """Return a distribution that is uniform at 0 and concentrates as the parameter grows.

    Parameters
    ----------
    model : {"Mallows", "Plackett-Luce"}
        Mallows: exp(-strength) for each pair out of order. Plackett-Luce: each item is
        exp(strength) times as worthy as the next one.
    center : str
        One letter an item, best first.
    strength : float
        0 or more.

    Returns
    -------
    Mallows or PlackettLuce

    Examples
    --------
    >>> from rankagg.apps.parts.models import law, probabilities
    >>> probabilities(law("Mallows", "ABC", 0.0), "ABC").round(3)
    array([0.167, 0.167, 0.167, 0.167, 0.167, 0.167])
    """
    if check_choice(model, MODELS, "model") == "Mallows":
        return ra.Mallows(center, strength)
    return ra.PlackettLuce([-strength * place for place in range(len(center))], items=center)


def probabilities(law: ra.Mallows | ra.PlackettLuce, center: str) -> NDArray[np.float64]:
    """Return the probability of each order, as `all_orders` lists them.

    Parameters
    ----------
    law : Mallows or PlackettLuce
        The distribution.
    center : str
        One letter an item, best first.

    Returns
    -------
    ndarray of float
        They sum to 1.
    """
    orders = all_orders(center)
    found: NDArray[np.float64] = np.exp(law.log_probs(ra.Profile.from_orders(orders)))
    return found


def vertices(law: ra.Mallows | ra.PlackettLuce, center: str) -> dict[tuple[str, ...], Vertex]:
    """Return how each order is drawn: area in proportion to probability, the most probable full.

    Parameters
    ----------
    law : Mallows or PlackettLuce
        The distribution.
    center : str
        One letter an item, best first.

    Returns
    -------
    dict from order to Vertex
    """
    shares = probabilities(law, center)
    return {
        order: Vertex(share / shares.max(), "strong", f"probability {share:.3g}")
        for order, share in zip(all_orders(center), shares, strict=True)
    }


def told(law: ra.Mallows | ra.PlackettLuce, center: str) -> tuple[str, str]:
    """Say where the probability is, and what the model is.

    Parameters
    ----------
    law : Mallows or PlackettLuce
        The distribution.
    center : str
        One letter an item, best first.

    Returns
    -------
    tuple of str
        Two sentences.
    """
    shares = probabilities(law, center)
    top = ra.Permutation.from_order(center)
    away = np.array(
        [ra.kendall_distance(ra.Permutation.from_order(one), top) for one in all_orders(center)]
    )
    last = f"{' > '.join(reversed(center))} has {shares[-1]:.2%}"
    said = (
        f"{' > '.join(center)} has probability {shares[0]:.1%} and {last}; a ranking is "
        f"{float(shares @ away):.2f} swaps from the top on average."
    )
    if isinstance(law, ra.Mallows):
        return said, (
            f"Mallows: each swap multiplies the probability by exp(-theta) = {law.phi:.2f}, so all "
            "rankings of a row are equal."
        )
    ratio = float(law.worths[0] / law.worths[1])
    return said, (
        "Plackett-Luce: choose the first, then the next of those left, in proportion to worth. "
        f"Each item is {ratio:.2f} times as worthy as the next; rankings of a row differ."
    )
