"""Search for counterexamples through all profiles up to a size, the smallest first."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement, islice, permutations, product
from math import comb, factorial
from string import ascii_uppercase
from time import monotonic

import numpy as np

from rankagg._typing import Integers64
from rankagg._validation import check_integer
from rankagg.aggregation import Aggregator, Deadline, check_rule, deadline_of
from rankagg.axioms import majorities, voters
from rankagg.axioms.ballots import Ballots, NotNeutralError, Order, Outcomes
from rankagg.axioms.base import Axiom, Witness, confirmed_witness
from rankagg.core import counted
from rankagg.exceptions import Described, InvalidInputError, OutOfTimeError, nearest

# The maximum number of profiles of a search, and the block size.
MOST_PROFILES, PROFILES_AT_ONCE = 3_000_000, 1 << 16
#: The table of products of orders is too large for more items.
MOST_ITEMS_SEARCHED = 6
#: All axioms with their default conventions.
AXIOMS: tuple[Axiom, ...] = (
    majorities.CondorcetWinner(),
    majorities.CondorcetLoser(),
    majorities.Smith(),
    majorities.Majority(),
    majorities.Pareto(),
    voters.Monotonicity(),
    voters.Participation(),
    voters.Reinforcement(),
    voters.RankingReinforcement(),
    majorities.CloneIndependence(),
    voters.ReversalSymmetry(),
    majorities.WinnerIndependence(),
    voters.RankingIndependence(),
    voters.LaterNoHarm(),
    voters.Strategyproofness(),
)
NAMES = {axiom.name: axiom for axiom in AXIOMS}
LOGGER = logging.getLogger("rankagg.axioms")
SECONDS_BETWEEN = 5.0


@lru_cache(maxsize=MOST_ITEMS_SEARCHED)
def _orders_renamed(n_items: int) -> tuple[tuple[Order, ...], Integers64]:
    """Return all orders, and a table of renamed orders.

    Entry (b, a) is the number of order a with the items renamed to their ranks in order b.
    """
    orders = np.array(list(permutations(range(n_items))))
    places = np.argsort(orders, axis=1)
    weights = n_items ** np.arange(n_items)[::-1]
    codes = orders @ weights  # ascending, as the orders are
    table = np.searchsorted(codes, places[:, orders] @ weights)
    return tuple(map(tuple, orders.tolist())), table


def _candidates(n_items: int, n_rankings: int, *, neutral: bool) -> int:
    # For a neutral rule, one of the ballots can be renamed to the first order.
    free = n_rankings - neutral
    return comb(factorial(n_items) + free - 1, free)


def _check_size(n_items: int, n_rankings: int, *, neutral: bool = True) -> None:
    """Raise unless all profiles of a size can be searched."""
    remedy = "In Python, `Axiom.check` checks single larger profiles, such as drawn ones."
    if n_items > MOST_ITEMS_SEARCHED:
        allowed = f"at most {MOST_ITEMS_SEARCHED} for a search"
        raise InvalidInputError("n_items", allowed, n_items, remedy)
    items = counted(n_items, "item")
    number = _candidates(n_items, n_rankings, neutral=neutral)
    if number > MOST_PROFILES:
        many = f"{number:.1e}" if number < 1e300 else "more than 1e+300"
        allowed = f"so small that a search has at most {MOST_PROFILES:,} candidate profiles"
        got = Described(f"{n_rankings}, {many} candidates of {items}")
        raise InvalidInputError("n_rankings", allowed, got, remedy)
    # Each profile is encoded as one 64-bit number.
    if factorial(n_items) ** n_rankings >= 2**63:
        most = next(m for m in range(63) if factorial(n_items) ** (m + 1) >= 2**63)
        allowed = f"at most {most} for a search with {items}"
        raise InvalidInputError("n_rankings", allowed, n_rankings, remedy)


def _profiles(n_items: int, n_rankings: int, *, neutral: bool = True) -> Iterator[Ballots]:
    """Iterate over all anonymous profiles of a size."""
    orders, _ = _orders_renamed(n_items)
    for rows in _classes(n_items, n_rankings) if neutral else _chunks(len(orders), n_rankings):
        for row in rows.tolist():
            yield Ballots.of(orders[number] for number in row)


def _chunks(kinds: int, length: int) -> Iterator[Integers64]:
    multisets = combinations_with_replacement(range(kinds), length)
    while chosen := list(islice(multisets, PROFILES_AT_ONCE)):
        yield np.array(chosen, dtype=np.int64).reshape(len(chosen), length)


def _classes(n_items: int, n_rankings: int) -> Iterator[Integers64]:
    """Yield one profile, as a row, of each class: the least one in lexicographic order.

    It contains the first order, since every ballot can be renamed to it.
    """
    kinds = factorial(n_items)
    _, table = _orders_renamed(n_items)
    weights = kinds ** np.arange(n_rankings, dtype=np.int64)[::-1]
    for rest in _chunks(kinds, n_rankings - 1):
        rows = np.hstack([np.zeros((len(rest), 1), dtype=np.int64), rest])
        own = rows @ weights
        least = own.copy()
        for at in range(1, n_rankings):
            renamed = np.sort(table[rows[:, at, None], rows], axis=1)
            np.minimum(least, renamed @ weights, out=least)
        yield rows[own == least]


def as_axiom(value: object, parameter: str = "axiom") -> Axiom:
    """Return an axiom given as an object or by its name."""
    if isinstance(value, Axiom):
        return value
    if isinstance(value, str) and value.casefold() in NAMES:
        return NAMES[value.casefold()]
    remedy = nearest(value, NAMES) or f"The names are {', '.join(NAMES)}."
    raise InvalidInputError(parameter, "an axiom or the name of one", value, remedy)


class _Progress:
    """A counter of searched profiles, with a time limit."""

    def __init__(self, name: str, total: int, deadline: Deadline) -> None:
        self._name = name
        self._total = total
        self._deadline = deadline
        self._start = self._logged = monotonic()
        self._searched = 0

    def check(self) -> None:
        """Raise `OutOfTimeError` if no time is left."""
        if self._deadline.is_over:
            raise OutOfTimeError(
                f"Not searched in time: {self._searched:,} profiles of at most {self._total:,} "
                f"candidates under {self._name}. Fewer items or rankings take less."
            )

    def step(self) -> None:
        """Count the next profile."""
        self.check()
        now = monotonic()
        if now - self._logged >= SECONDS_BETWEEN:
            self._logged = now
            progress = f"{self._searched:,} profiles of at most {self._total:,} candidates"
            LOGGER.info("%s: %s, %.0f s", self._name, progress, now - self._start)
        self._searched += 1


def _sizes(fewest_items: int, n_items: int, n_rankings: int) -> Iterator[tuple[int, int]]:
    """Return numbers of items and of ballots, few items first."""
    return product(range(fewest_items, n_items + 1), range(1, n_rankings + 1))


def count_profiles(
    n_items: int, n_rankings: int, fewest_items: int = 2, *, neutral: bool = True
) -> int:
    """Return the number of candidates, before duplicates are left out; raise if too many."""
    _check_size(n_items, n_rankings, neutral=neutral)
    return sum(
        _candidates(items, rankings, neutral=neutral)
        for items, rankings in _sizes(fewest_items, n_items, n_rankings)
    )


def find_counterexample(
    rule: Aggregator,
    axiom: Axiom | str,
    *,
    n_items: int,
    n_rankings: int,
    time_limit: float | None = None,
) -> Witness | None:
    """Find the smallest profile on which a rule breaks an axiom.

    The search covers all profiles of complete strict rankings up to a size, fewer items first, then
    fewer ballots. The order of ballots does not matter. Profiles that differ only in the names of
    items are searched once, unless the rule depends on names on up to 3 ballots.

    Parameters
    ----------
    rule : Aggregator
        The rule. Its random numbers come from the seed 0 for every profile.
    axiom : Axiom or str
        The axiom, or its name.
    n_items : int
        The maximum number of items.
    n_rankings : int
        The maximum number of ballots.
    time_limit : float, optional
        Seconds until `OutOfTimeError`, which states the number of searched profiles.

    Returns
    -------
    Witness or None
        None if no profile up to this size breaks the axiom; for neutral rules this is a proof.
        The changed profiles of an axiom (another ballot, one item less) are no larger, so the
        search never exceeds the size.

    Raises
    ------
    InvalidInputError
        If there are more than 3,000,000 candidate profiles, counted before duplicates are left out.
    OutOfTimeError
        If the time limit passes before the search ends.

    Notes
    -----
    The logger ``rankagg.axioms`` reports progress every 5 seconds. A profile takes about 1 ms, and
    about 10 ms with rules that solve integer programs (`Kemeny`, `Young`, `Dodgson`). Axioms that
    try every other ballot take longest.

    Examples
    --------
    >>> import rankagg as ra
    >>> print(ra.axioms.find_counterexample(ra.Borda(), "majority", n_items=3, n_rankings=5))
    Borda breaks the axiom "majority"
    profile    2 x A > B > C, 1 x B > C > A
    winners    A, B
    More than half of the ballots have A first, and A, B win.
    >>> ra.axioms.find_counterexample(ra.Schulze(), "majority", n_items=3, n_rankings=5) is None
    True
    """
    rule, axiom = check_rule(rule), as_axiom(axiom)
    n_items = check_integer(n_items, "n_items", low=1, high=axiom.most_items)
    n_rankings = check_integer(n_rankings, "n_rankings", low=1)
    return search_all(rule, [axiom], n_items, n_rankings, deadline_of(time_limit))[0]


def search_all(
    rule: Aggregator,
    axioms: Sequence[Axiom],
    n_items: int,
    n_rankings: int,
    deadline: Deadline,
    *,
    neutral: bool = True,
) -> list[Witness | None]:
    """Search all profiles up to a size for witnesses against several axioms."""
    fewest = min((axiom.fewest_items for axiom in axioms), default=n_items)
    total = count_profiles(n_items, n_rankings, fewest, neutral=neutral)
    progress = _Progress(rule.name, total, deadline)
    labels = ascii_uppercase[:n_items]
    outcomes = Outcomes(rule, labels, neutral=neutral, before_call=progress.check)
    witnesses: list[Witness | None] = [None] * len(axioms)
    try:
        for items, rankings in _sizes(fewest, n_items, n_rankings):
            applicable = [at for at, axiom in enumerate(axioms) if items >= axiom.fewest_items]
            if all(witnesses[at] for at in applicable):
                continue
            for ballots in _profiles(items, rankings, neutral=neutral):
                progress.step()
                for at in applicable:
                    witnesses[at] = witnesses[at] or confirmed_witness(
                        axioms[at], ballots, outcomes
                    )
    except NotNeutralError:
        return search_all(rule, axioms, n_items, n_rankings, deadline, neutral=False)
    return witnesses
