"""Mallows rankings whose dispersion means the same for every number of items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from rankagg._typing import Ranks
from rankagg._validation import check_number
from rankagg.core.rankings.partial import Permutation
from rankagg.distributions.cultures.culture import Culture
from rankagg.distributions.mallows.kendall_distances import stage_means
from rankagg.distributions.mallows.mallows import Mallows

__all__ = ["NormalizedMallowsCulture", "theta_of_norm_phi"]


@dataclass(frozen=True, kw_only=True)
class NormalizedMallowsCulture(Culture):
    """Mallows rankings around a uniform center, with the normalized dispersion parameter norm-phi.

    The expected Kendall distance to the center is norm-phi times n(n - 1)/4, that of uniform
    rankings. Under one phi = exp(-theta) rankings of more items are the more alike for their size;
    under one norm-phi they are not.

    Parameters
    ----------
    norm_phi : float
        In [0, 1]: 0 repeats the center, 1 is the impartial culture.

    References
    ----------
    Boehmer, Bredereck, Faliszewski, Niedermeier and Szufa (2021),
    https://doi.org/10.24963/ijcai.2021/9.

    Examples
    --------
    >>> import rankagg as ra
    >>> ra.NormalizedMallowsCulture(norm_phi=0.5).draw(10, 100, rng=0)
    <Profile of 100 rankings of 10 items, complete, strict>
    """

    norm_phi: float

    def __post_init__(self) -> None:
        check_number(self.norm_phi, "norm_phi of NormalizedMallowsCulture", low=0, high=1)

    def _ranks(self, n_items: int, n_rankings: int, rng: np.random.Generator) -> Ranks:
        center = Permutation.from_order(rng.permutation(n_items).tolist())
        if self.norm_phi == 0:
            return np.tile(center.ranks, (n_rankings, 1))
        theta = theta_of_norm_phi(n_items, float(self.norm_phi))
        return Mallows(center, theta=theta).sample(n_rankings, rng=rng).ranks


def theta_of_norm_phi(n_items: int, norm_phi: float) -> float:
    """Return theta = -log(phi) at which the expected distance is norm_phi times n(n - 1)/4.

    `norm_phi` is above 0.
    """
    if norm_phi == 1:
        return 0.0
    sizes = np.arange(2, n_items + 1)
    wanted = norm_phi * n_items * (n_items - 1) / 4.0

    def beyond(theta: float) -> float:
        return float(stage_means(sizes, theta).sum()) - wanted

    # Every stage has a mean below 1/(e^theta - 1).
    high = float(np.log1p((n_items - 1) / wanted))
    return float(brentq(beyond, 0.0, high, xtol=1e-14, rtol=1e-14))
