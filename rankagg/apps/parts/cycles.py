"""Three groups of voters whose orders are rotations of each other."""

from __future__ import annotations

from dataclasses import dataclass

import rankagg as ra
from rankagg._typing import Label
from rankagg.core.items import counted, listed

__all__ = ["Rotated", "rotated"]

ORDERS = ("ABC", "BCA", "CAB")


@dataclass(frozen=True)
class Rotated:
    """What the majorities of such voters are."""

    # None where nobody votes.
    votes: ra.PairwiseMatrix | None
    order: tuple[Label, ...]
    # Whether there is a best candidate, and what the order of Kemeny costs.
    said: str
    cost: str


def rotated(first: int, second: int, third: int) -> Rotated:
    """Say what the majorities are among voters for ABC, BCA and CAB.

    Examples
    --------
    >>> from rankagg.apps.parts.cycles import rotated
    >>> print(rotated(1, 1, 1).said)
    A beats B, B beats C, and C beats A: whoever is chosen, a majority prefers somebody else.
    >>> print(rotated(2, 1, 1).said)
    Half of the voters are no majority: nobody beats A.
    >>> print(rotated(3, 1, 1).said)
    A beats everybody: 3 of 5 voters have A first, more than half.
    """
    sizes = (first, second, third)
    cast = [(order, size) for order, size in zip(ORDERS, sizes, strict=True) if size]
    total = sum(sizes)
    if not cast:
        return Rotated(None, (), "Nobody votes: move a slider.", "")
    profile = ra.Profile.from_orders(
        [order for order, _ in cast], items="ABC", counts=[size for _, size in cast]
    )
    votes = profile.pairwise()
    exact = ra.Kemeny().aggregate(profile)
    assert exact.optima is not None, "three items are proved"
    graph, n_optima = ra.TournamentGraph(votes), exact.optima.count()
    winner = graph.condorcet_winner
    if winner is not None:
        own = sizes["ABC".index(str(winner))]
        half = f"{own} of {counted(total, 'voter')} have {winner} first, more than half"
        said = f"{winner} beats everybody: {half}."
    elif graph.is_acyclic:
        unbeaten = votes.items.where((votes.margins >= 0).all(axis=1))
        said = f"Half of the voters are no majority: nobody beats {listed(unbeaten)}."
    else:
        said = (
            "A beats B, B beats C, and C beats A: whoever is chosen, a majority prefers "
            "somebody else."
        )
    price = (
        f"{' > '.join(map(str, exact.order))} contradicts {counted(exact.cost, 'vote', 'g')}; "
        "no ranking contradicts fewer"
    )
    more = f", and {counted(n_optima - 1, 'other ranking')} as few" if n_optima > 1 else ""
    return Rotated(votes, exact.order, said, f"Kemeny: {price}{more}.")
