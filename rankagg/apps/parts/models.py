"""Distributions over all rankings of three or four items, by one parameter."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import rankagg as ra
from rankagg._validation import check_choice
from rankagg.apps.parts.pictures import Vertex, all_orders

MODELS = ("Mallows", "Plackett-Luce")


def make_model(model: str, center: str, strength: float) -> ra.Mallows | ra.PlackettLuce:
    """Return a distribution that is uniform at 0 and concentrates as the parameter grows.

    Examples
    --------
    >>> from rankagg.apps.parts.models import make_model, probabilities
    >>> probabilities(make_model("Mallows", "ABC", 0.0), "ABC").round(3)
    array([0.167, 0.167, 0.167, 0.167, 0.167, 0.167])
    """
    if check_choice(model, MODELS, "model") == "Mallows":
        return ra.Mallows(center, strength)
    return ra.PlackettLuce([-strength * place for place in range(len(center))], items=center)


def probabilities(model: ra.Mallows | ra.PlackettLuce, center: str) -> NDArray[np.float64]:
    """Return the probability of each order, as `all_orders` lists them."""
    orders = all_orders(center)
    found: NDArray[np.float64] = np.exp(model.log_probs(ra.Profile.from_orders(orders)))
    return found


def vertices(model: ra.Mallows | ra.PlackettLuce, center: str) -> dict[tuple[str, ...], Vertex]:
    """Return how each order is drawn: area in proportion to probability, the most probable full."""
    shares = probabilities(model, center)
    return {
        order: Vertex(share / shares.max(), "strong", f"probability {share:.3g}")
        for order, share in zip(all_orders(center), shares, strict=True)
    }


def told(model: ra.Mallows | ra.PlackettLuce, center: str) -> tuple[str, str]:
    """Say where the probability is, and what the model is."""
    shares = probabilities(model, center)
    top = ra.Permutation.from_order(center)
    away = np.array(
        [ra.kendall_distance(ra.Permutation.from_order(one), top) for one in all_orders(center)]
    )
    last = f"{' > '.join(reversed(center))} has {shares[-1]:.2%}"
    said = (
        f"{' > '.join(center)} has probability {shares[0]:.1%} and {last}; a ranking is "
        f"{float(shares @ away):.2f} swaps from the top on average."
    )
    if isinstance(model, ra.Mallows):
        return said, (
            "Mallows: each swap multiplies the probability by exp(-theta), which is "
            f"{model.phi:.2f}, so all rankings of a row are equal."
        )
    ratio = float(model.worths[0] / model.worths[1])
    return said, (
        "Plackett-Luce: choose the first, then the next of those left, in proportion to worth. "
        f"Each item has the worth of the next by the factor {ratio:.2f}; rankings of a row differ."
    )
