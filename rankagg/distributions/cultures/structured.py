"""Cultures on restricted domains: single-peaked, single-crossing and group-separable profiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from rankagg._typing import Ranks
from rankagg._validation import check_choice
from rankagg.distributions.cultures.culture import Culture, ranks_of_orders

__all__ = ["GroupSeparableCulture", "SingleCrossingCulture", "SinglePeakedCulture"]


@dataclass(frozen=True, kw_only=True)
class SinglePeakedCulture(Culture):
    """Rankings that fall off to both sides of a peak on an axis, which is drawn uniformly.

    Given the axis, rankings are independent. Under both variants there is a Condorcet winner
    wherever no two items tie.

    Parameters
    ----------
    variant : {"walsh", "conitzer"}, default "walsh"
        "walsh": all rankings that are single-peaked on the axis are equally probable. "conitzer":
        the peak is uniform, and the next item is the left or the right neighbor of those above it
        with equal chance, while there are both; extreme peaks are more frequent than under the
        other.

    References
    ----------
    Walsh (2015), https://doi.org/10.48550/arXiv.1503.02766; Conitzer (2009),
    https://doi.org/10.1613/jair.2606.

    Examples
    --------
    >>> import rankagg as ra
    >>> profile = ra.SinglePeakedCulture(variant="conitzer").draw(6, 100, rng=0)
    >>> ra.single_peaked_axis(profile)
    (1, 5, 0, 2, 3, 4)
    """

    variant: Literal["walsh", "conitzer"] = "walsh"

    def __post_init__(self) -> None:
        check_choice(self.variant, ("walsh", "conitzer"), "variant of SinglePeakedCulture")

    def _ranks(self, n_items: int, n_rankings: int, rng: np.random.Generator) -> Ranks:
        on_axis = (_walsh if self.variant == "walsh" else _conitzer)(n_items, n_rankings, rng)
        return ranks_of_orders(rng.permutation(n_items)[on_axis])


def _walsh(n_items: int, n_rankings: int, rng: np.random.Generator) -> Ranks:
    """Draw orders of positions on the axis, from the worst: one end of the rest or the other."""
    left = rng.integers(0, 2, (n_rankings, n_items - 1), dtype=np.int32)
    lefts = np.cumsum(left, axis=1, dtype=np.int32)
    steps = np.arange(1, n_items, dtype=np.int32)
    orders = np.empty((n_rankings, n_items), dtype=np.int32)
    # After so many steps that many are gone on either side.
    orders[:, :0:-1] = np.where(left == 1, lefts - 1, n_items - (steps - lefts))
    orders[:, 0] = lefts[:, -1]
    return orders


def _conitzer(n_items: int, n_rankings: int, rng: np.random.Generator) -> Ranks:
    """Draw orders of positions on the axis, from the peak: a neighbor on the left or the right."""
    peak = rng.integers(0, n_items, (n_rankings, 1), dtype=np.int32)
    coins = rng.integers(0, 2, (n_rankings, n_items - 1), dtype=np.int32)
    steps = np.arange(1, n_items, dtype=np.int32)
    lefts = np.cumsum(coins, axis=1, dtype=np.int32)
    # Where one side is used up, all others are of the other.
    lefts = np.clip(lefts, steps - (n_items - 1 - peak), peak)
    left = np.diff(lefts, axis=1, prepend=0) == 1
    return np.hstack([peak, np.where(left, peak - lefts, peak + steps - lefts)])


@dataclass(frozen=True, kw_only=True)
class SingleCrossingCulture(Culture):
    """Rankings from a chain on which every two items change places once.

    The chain starts at a uniform ranking and ends at its reverse; each next ranking swaps two
    neighbors that were not swapped before, all such pairs with equal chance. Every ranking of the
    profile is drawn from the 1 + n(n - 1)/2 rankings of the chain uniformly and independently. It
    is not the uniform distribution over single-crossing profiles.

    References
    ----------
    Szufa, Faliszewski, Skowron, Slinko and Talmon (2020), "Drawing a map of elections in the space
    of statistical cultures", Proceedings of AAMAS 2020, 1341-1349.

    Examples
    --------
    >>> import rankagg as ra
    >>> ra.SingleCrossingCulture().draw(4, 100, rng=0).compress()
    <Profile of 100 rankings (7 rows) of 4 items, complete, strict>
    """

    def _ranks(self, n_items: int, n_rankings: int, rng: np.random.Generator) -> Ranks:
        wanted = rng.integers(0, 1 + n_items * (n_items - 1) // 2, n_rankings)
        places, which = np.unique(wanted, return_inverse=True)
        orders = _on_chain(n_items, places.tolist(), rng)
        return ranks_of_orders(rng.permutation(n_items)[orders])[which]


def _on_chain(n_items: int, wanted: list[int], rng: np.random.Generator) -> Ranks:
    """Draw a chain of orders from 0, 1, ... to its reverse, and return those at some places."""
    order = list(range(n_items))
    # Where neighbors still stand in their first order, and the place of each such place there.
    rising = list(range(n_items - 1))
    index = list(range(n_items - 1))
    found = np.empty((len(wanted), n_items), dtype=np.int32)
    coins = rng.random(wanted[-1]).tolist()
    done = 0
    for row, place in enumerate(wanted):
        for coin in coins[done:place]:
            at = rising[int(coin * len(rising))]
            order[at], order[at + 1] = order[at + 1], order[at]
            for near in range(max(at - 1, 0), min(at + 2, n_items - 1)):
                _note(near, order[near] < order[near + 1], rising, index)
        done = place
        found[row] = order
    return found


def _note(place: int, rises: bool, rising: list[int], index: list[int]) -> None:
    """Keep a list without order, of places, and where each stands in it (-1 for nowhere)."""
    if rises and index[place] < 0:
        index[place] = len(rising)
        rising.append(place)
    elif not rises and index[place] >= 0:
        hole, last = index[place], rising.pop()
        if last != place:
            rising[hole], index[last] = last, hole
        index[place] = -1


@dataclass(frozen=True, kw_only=True)
class GroupSeparableCulture(Culture):
    """Rankings that read the leaves of one tree, each node from the left or from the right.

    Items are put on the leaves of a binary tree uniformly. Every ranking reverses every inner node
    with probability 1/2, independently: its 2^(n - 1) rankings are equally probable.

    Parameters
    ----------
    tree : {"balanced", "caterpillar"}, default "balanced"
        "balanced": every node halves its leaves, but for one. "caterpillar": every node splits off
        one leaf.

    References
    ----------
    Inada (1964), "A note on the simple majority decision rule", Econometrica 32, 525-531;
    Faliszewski, Karpov and Obraztsova (2022), https://doi.org/10.1007/s10458-022-09549-7, for the
    trees.

    Examples
    --------
    >>> import rankagg as ra
    >>> ra.GroupSeparableCulture(tree="caterpillar").draw(4, 1000, rng=0).compress()
    <Profile of 1000 rankings (8 rows) of 4 items, complete, strict>
    """

    tree: Literal["balanced", "caterpillar"] = "balanced"

    def __post_init__(self) -> None:
        check_choice(self.tree, ("balanced", "caterpillar"), "tree of GroupSeparableCulture")

    def _ranks(self, n_items: int, n_rankings: int, rng: np.random.Generator) -> Ranks:
        ranks = np.zeros((n_rankings, n_items), dtype=np.int32)
        nodes = [(0, n_items)]
        while nodes:
            start, end = nodes.pop()
            if end - start < 2:
                continue
            middle = start + 1 if self.tree == "caterpillar" else (start + end + 1) // 2
            turned = rng.integers(0, 2, (n_rankings, 1), dtype=np.int32)
            # What comes second stands behind all of what comes first.
            ranks[:, start:middle] += turned * (end - middle)
            ranks[:, middle:end] += (1 - turned) * (middle - start)
            nodes += [(start, middle), (middle, end)]
        return ranks[:, rng.permutation(n_items)]
