"""Single-peaked and single-crossing profiles, and their axes."""

from __future__ import annotations

import numpy as np

from rankagg._typing import Integers64, Label, Ranks
from rankagg.aggregation import Held, as_data
from rankagg.core import ItemSet, Profile, canonical_profile, discordances
from rankagg.exceptions import Described, InvalidInputError


def _different_rankings(data: object) -> tuple[ItemSet, Ranks]:
    """Return the items, and the ranks of the distinct rankings in order of occurrence."""
    profile = as_data(data)
    if not isinstance(profile, Profile):
        raise InvalidInputError("data", "a Profile, or orders", data)
    if not (profile.is_complete and profile.is_strict):
        remedy = "`sample_compatible` completes rankings at random; the answer is for the draw."
        found = Described(repr(profile))
        raise InvalidInputError("data", "complete and strict rankings", found, remedy)
    _, first = np.unique(profile.ranks, axis=0, return_index=True)
    return profile.items, profile.ranks[np.sort(first)]


def single_crossing_order(data: Held) -> Profile | None:
    """Return the distinct rankings in single-crossing order.

    Along it each pair is reversed at most once. Majorities are then
    transitive if no two items tie: they are those of the middle ranking.
    Time is proportional to rankings times squared items.

    Parameters
    ----------
    data : Profile, or orders
        Complete and strict rankings. Counts and weights are ignored.

    Returns
    -------
    Profile or None
        Each distinct ranking once; only the reverse is another such order. None if no such order
        exists.

    References
    ----------
    Gans and Smart (1996), https://doi.org/10.1016/0047-2727(95)01503-5; Elkind, Lackner and Peters
    (2022), "Preference restrictions in computational social choice: a survey",
    https://doi.org/10.48550/arXiv.2205.09092.

    Examples
    --------
    >>> import rankagg as ra
    >>> profile = ra.Profile.from_orders(["BAC", "CBA", "ABC", "BCA", "BAC"])
    >>> ["".join(ranking.order) for ranking in ra.analysis.single_crossing_order(profile)]
    ['CBA', 'BCA', 'BAC', 'ABC']
    >>> ra.analysis.single_crossing_order(ra.Profile.from_orders(["ABC", "BCA", "CAB"])) is None
    True
    """
    items, ranks = _different_rankings(data)
    # Distances add up along such an order, so the farthest ranking from any other is an end.
    end = int(np.argmax(_distances(ranks, ranks[0])))
    from_end = _distances(ranks, ranks[end])
    ordered = ranks[np.argsort(from_end, kind="stable")]
    steps = sum(int(_distances(ordered[[k]], ordered[k - 1])[0]) for k in range(1, len(ranks)))
    if steps != from_end.max():
        return None
    return canonical_profile(items, ordered)


def _distances(ranks: Ranks, center: Ranks) -> Integers64:
    """Count for every row the pairs that it orders differently."""
    return discordances(ranks[:, np.argsort(center)])


def single_peaked_axis(data: Held) -> tuple[Label, ...] | None:
    """Return an axis on which every ranking decreases on both sides of its peak.

    No ranking then puts the middle one of three items on the axis below both others, and
    majorities have no Condorcet cycles. Time is proportional to rankings times items.

    Parameters
    ----------
    data : Profile, or orders
        Complete and strict rankings. Counts and weights are ignored.

    Returns
    -------
    tuple of labels or None
        The items in order of the axis; its reverse is an axis too. None if no axis exists.

    References
    ----------
    Black (1948), https://doi.org/10.1086/256633; Escoffier, Lang and Öztürk (2008),
    "Single-peaked consistency and its complexity", Proceedings of ECAI 2008, 366-370.

    Examples
    --------
    >>> import rankagg as ra
    >>> ra.analysis.single_peaked_axis(ra.Profile.from_orders(["BACD", "CBDA", "CDBA"]))
    ('A', 'B', 'C', 'D')
    >>> ra.analysis.single_peaked_axis(ra.Profile.from_orders(["ABC", "BCA", "CAB"])) is None
    True
    """
    items, ranks = _different_rankings(data)
    axis = _axis(ranks)
    return None if axis is None else items.at(axis)


def _axis(ranks: Ranks) -> list[int] | None:
    """Return the items in order of an axis, placed from the outside in; None if none exists.

    An item that some ranking has last among the remaining ones is at an end of these. An item
    makes a valley where a ranking puts items on both of its sides above it, which are known when
    it is placed.
    """
    search = _AxisSearch(ranks)
    left: list[int] = []
    right: list[int] = []
    while search.n_left > 1:
        ends = search.last_items()
        if len(ends) > 2:
            return None
        # One or two items at the ends, and which of them is on the left.
        ways = [
            [(item, on_left ^ bool(k)) for k, item in enumerate(ends)] for on_left in (True, False)
        ]
        ways = [way for way in ways if all(search.fits(*placed) for placed in way)]
        if not ways:
            return None
        # With two ways every ranking has all remaining items above all placed ones.
        for item, on_left in ways[0]:
            (left if on_left else right).append(item)
            search.place(item, on_left)
    middle = search.last_items() if search.n_left else []
    return left + middle + right[::-1]


class _AxisSearch:
    """The placed items, and each ranking's best item on both sides and in between."""

    def __init__(self, ranks: Ranks) -> None:
        self._ranks = ranks
        self._orders = np.argsort(ranks, axis=1)
        n_rankings, self.n_left = ranks.shape
        self._is_left = np.ones(self.n_left, dtype=bool)
        # The best rank on each side, and the last and first rank of the rest.
        nothing = np.full(n_rankings, self.n_left)
        self._best = {True: nothing, False: nothing.copy()}
        self._last = np.full(n_rankings, self.n_left - 1)
        self._first = np.zeros(n_rankings, dtype=np.intp)

    def last_items(self) -> list[int]:
        """Return the items that some ranking has last among the remaining ones."""
        self._move(self._last, -1)
        items: list[int] = np.unique(self._orders[np.arange(len(self._last)), self._last]).tolist()
        return items

    def fits(self, item: int, on_left: bool) -> bool:
        """Return whether no ranking has items on both sides above an item."""
        own = self._ranks[:, item]
        # The item itself remains: where it is the first, none between is above it.
        within = self._first < own
        outside = self._best[not on_left] < own
        return not ((self._best[on_left] < own) & (within | outside)).any()

    def place(self, item: int, on_left: bool) -> None:
        """Place an item."""
        self._best[on_left] = np.minimum(self._best[on_left], self._ranks[:, item])
        self._is_left[item] = False
        self.n_left -= 1
        if self.n_left:
            self._move(self._first, 1)

    def _move(self, places: np.ndarray, step: int) -> None:
        """Move to the next place of a remaining item; all steps visit each place once."""
        active = np.arange(len(places))
        while len(active):
            active = active[~self._is_left[self._orders[active, places[active]]]]
            places[active] += step
