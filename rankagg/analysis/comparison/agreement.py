"""How alike rankings are: all with all, and as lines of a rank-flow chart."""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg._typing import Ranks
from rankagg._validation import check_choice, check_integer
from rankagg.core.rankings.partial import PartialRanking
from rankagg.core.rankings.places import UNRANKED
from rankagg.distances import kendall_distance, kendall_tau, tau_ap, top_k_agreement
from rankagg.distances.agreement import overlaps

if TYPE_CHECKING:
    from rankagg.aggregation.kemeny.optima import Optima
    from rankagg.aggregation.kemeny.weak_optima import WeakOptima

__all__ = [
    "GAP",
    "Measure",
    "agreement_matrix",
    "agreement_of",
    "distances_to_optima",
    "flow_slots",
    "moves",
    "overlap_curves",
]

Measure: TypeAlias = Literal["tau", "tau_ap", "distance"]
Rankings: TypeAlias = Mapping[str, PartialRanking]


def agreement_matrix(rankings: Rankings, measure: Measure = "tau") -> pd.DataFrame:
    """Return tau-b, the AP correlation, or the distance of all pairs of rankings."""
    check_choice(measure, get_args(Measure), "measure")
    names = list(rankings)
    table = pd.DataFrame(0.0, index=pd.Index(names, name="method"), columns=names)
    for a in names:
        for b in names:
            both = rankings[a], rankings[b]
            if measure == "distance":
                table.loc[a, b] = 0.0 if a == b else kendall_distance(*both, p=0.5)
            else:
                table.loc[a, b] = (kendall_tau if measure == "tau" else tau_ap)(*both)
    return table


def agreement_of(first: PartialRanking, second: PartialRanking) -> dict[str, float]:
    """Return how alike two rankings of the same items are."""
    if not ((first.ranks != UNRANKED) & (second.ranks != UNRANKED)).any():
        return {"distance": nan, "tau": nan, "top1": nan}
    return {
        "distance": kendall_distance(first, second, p=0.5),
        "tau": kendall_tau(first, second),
        "top1": top_k_agreement(first, second, 1),
    }


def overlap_curves(
    rankings: Rankings, reference: PartialRanking, *, from_top: bool = True
) -> pd.DataFrame:
    """Return for every k the expected share of the reference's first k among each ranking's."""
    depths = range(1, min(r.n_observed for r in (reference, *rankings.values())) + 1)
    curves = {}
    for name, ranking in rankings.items():
        shares = overlaps(ranking, reference, from_top=from_top)
        check_integer(len(depths), "k", low=1, high=len(shares))  # ranked by both
        curves[name] = shares[: len(depths)]
    return pd.DataFrame(curves, index=pd.Index(depths, name="k"))


def distances_to_optima(rankings: Rankings, optima: Optima | WeakOptima) -> pd.DataFrame:
    """Return each ranking's Kendall distance to the nearest and to the farthest exact optimum."""
    rows = [
        {
            "nearest": kendall_distance(ranking, optima.nearest(ranking), p=0.5),
            "farthest": kendall_distance(ranking, optima.farthest(ranking), p=0.5),
        }
        for ranking in rankings.values()
    ]
    return pd.DataFrame(rows, index=pd.Index(list(rankings), name="method"))


#: The empty slots between ranked and unranked items.
GAP = 1.0


def flow_slots(ranks: Ranks) -> NDArray[np.float64]:
    """Return a height for every item in every column, ties in the order of the column before.

    The first column looks to the second one, so that lines out of a tie do not cross.
    """
    slots = np.empty(ranks.shape)
    n = ranks.shape[1]
    before = np.where(ranks[-1] >= 0, ranks[-1], n).astype(np.float64)
    for column in (*range(len(ranks) - 1, -1, -1), *range(len(ranks))):
        listed = np.where(ranks[column] >= 0, ranks[column], n)
        order = np.lexsort((np.arange(n), before, listed))
        slots[column, order] = np.arange(n)
        before = slots[column].copy()
    slots[ranks < 0] += GAP
    return slots


def moves(ranks: Ranks) -> NDArray[np.intp]:
    """Return by how many ranks every item moves between columns; unranked ones stand last."""
    listed = np.where(ranks >= 0, ranks, ranks.shape[1])
    width: NDArray[np.intp] = listed.max(axis=0) - listed.min(axis=0)
    return width
