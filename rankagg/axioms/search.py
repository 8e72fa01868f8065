"""Search for counterexamples through all profiles up to a size, the smallest first."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement, islice, permutations
from math import comb, factorial
from string import ascii_uppercase
from time import monotonic

import numpy as np

from rankagg._typing import Integers64
from rankagg._validation import check_integer
from rankagg.aggregation import Aggregator, Deadline, check_rule, time_limit_of
from rankagg.axioms import majorities, voters
from rankagg.axioms.ballots import Ballots, NotNeutralError, Order, Outcomes
from rankagg.axioms.base import Axiom, Witness, confirmed_witness
from rankagg.core import counted
from rankagg.exceptions import Described, InvalidInputError, OutOfTimeError, nearest

# How many profiles are looked through at most, and how many at once.
MOST_PROFILES, PROFILES_AT_ONCE = 3_000_000, 1 << 16
#: More items have more orders than there is room for in a table of their products.
MOST_ITEMS_SEARCHED = 6
#: Each axiom as it is unless another convention is asked for.
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
    """Return all orders, and the table of what each becomes in the names of another.

    Entry (b, a) is the number of order a after the items were named by their ranks in order b.
    """
    orders = np.array(list(permutations(range(n_items))))
    places = np.argsort(orders, axis=1)
    weights = n_items ** np.arange(n_items)[::-1]
    codes = orders @ weights  # ascending, as the orders are
    named = places[:, orders] @ weights
    table: Integers64 = np.searchsorted(codes, named)
    return tuple(tuple(order) for order in orders.tolist()), table


def _candidates(n_items: int, n_rankings: int, *, neutral: bool) -> int:
    # Up to the names of items one of the ballots is the first order.
    free = n_rankings - neutral
    return comb(factorial(n_items) + free - 1, free)


def _check_size(n_items: int, n_rankings: int, *, neutral: bool = True) -> None:
    """Raise unless all profiles of a size can be looked through."""
    remedy = "`check` of an axiom looks at larger profiles one by one, such as drawn ones."
    if n_items > MOST_ITEMS_SEARCHED:
        allowed = f"at most {MOST_ITEMS_SEARCHED} for a search"
        raise InvalidInputError("n_items", allowed, n_items, remedy)
    what = counted(n_items, "item")
    number = _candidates(n_items, n_rankings, neutral=neutral)
    if number > MOST_PROFILES:
        many = f"{number:.1e}" if number < 1e300 else "more than 1e+300"
        allowed = f"so small that a search has at most {MOST_PROFILES:,} profiles to see"
        got = Described(f"{n_rankings}, {many} profiles of {what}")
        raise InvalidInputError("n_rankings", allowed, got, remedy)
    # Profiles are compared as one number each.
    if factorial(n_items) ** n_rankings >= 2**63:
        most = next(m for m in range(63) if factorial(n_items) ** (m + 1) >= 2**63)
        allowed = f"at most {most} for a search with {what}"
        raise InvalidInputError("n_rankings", allowed, n_rankings, remedy)


def _profiles(n_items: int, n_rankings: int, *, neutral: bool = True) -> Iterator[Ballots]:
    """Iterate over all anonymous profiles of a size."""
    orders, _ = _orders_renamed(n_items)
    of_size = _classes(n_items, n_rankings) if neutral else _chunks(len(orders), n_rankings)
    for rows in of_size:
        for row in rows.tolist():
            yield Ballots.of(orders[number] for number in row)


def _chunks(kinds: int, length: int) -> Iterator[Integers64]:
    multisets = combinations_with_replacement(range(kinds), length)
    while chosen := list(islice(multisets, PROFILES_AT_ONCE)):
        yield np.array(chosen, dtype=np.int64).reshape(len(chosen), length)


def _classes(n_items: int, n_rankings: int) -> Iterator[Integers64]:
    """Yield one profile a row of each class: the least one in lexicographic order.

    It has the first order among its ballots, as every ballot can be named so.
    """
    kinds = factorial(n_items)
    _, table = _orders_renamed(n_items)
    weights = kinds ** np.arange(n_rankings, dtype=np.int64)[::-1]
    for rest in _chunks(kinds, n_rankings - 1):
        rows = np.hstack([np.zeros((len(rest), 1), dtype=np.int64), rest])
        own = rows @ weights
        least = own.copy()
        for at in range(1, n_rankings):
            named = np.sort(table[rows[:, at, None], rows], axis=1)
            np.minimum(least, named @ weights, out=least)
        yield rows[own == least]


def as_axiom(value: object, parameter: str = "axiom") -> Axiom:
    """Return an axiom given as itself or by its name."""
    if isinstance(value, Axiom):
        return value
    if isinstance(value, str) and value.casefold() in NAMES:
        return NAMES[value.casefold()]
    remedy = nearest(value, NAMES) or f"The names are {', '.join(NAMES)}."
    raise InvalidInputError(parameter, "an axiom or the name of one", value, remedy)


class _Pace:
    """Counts profiles, and stops when the time is over."""

    def __init__(self, name: str, total: int, deadline: Deadline) -> None:
        self._name = name
        self._total = total
        self._deadline = deadline
        self._start = self._told = monotonic()
        self._seen = 0

    def check(self) -> None:
        """Raise `OutOfTimeError` where no time is left."""
        if self._deadline.is_over:
            raise OutOfTimeError(
                f"Not searched in time: {self._seen:,} of {self._total:,} profiles were looked at "
                f"under {self._name}. Fewer items or rankings take less."
            )

    def step(self) -> None:
        """Count one profile that is about to be looked at."""
        self.check()
        now = monotonic()
        if now - self._told >= SECONDS_BETWEEN:
            self._told = now
            seen = f"{self._seen:,} of at most {self._total:,} profiles"
            LOGGER.info("%s: %s, %.0f s", self._name, seen, now - self._start)
        self._seen += 1


def _sizes(fewest_items: int, n_items: int, n_rankings: int) -> Iterator[tuple[int, int]]:
    """Iterate over numbers of items and of ballots, few items first."""
    for items in range(fewest_items, n_items + 1):
        for rankings in range(1, n_rankings + 1):
            yield items, rankings


def number_to_see(
    n_items: int, n_rankings: int, fewest_items: int = 2, *, neutral: bool = True
) -> int:
    """Return how many profiles a whole search has at most; raise where they are too many."""
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

    All profiles of complete strict rankings up to a size are looked at, fewer items first, then
    fewer ballots. The order of ballots does not matter, and of profiles that differ in the names
    of items one is looked at; a rule that takes notice of names on up to 3 ballots gets them all.

    Parameters
    ----------
    rule : Aggregator
        The rule. Where it draws random numbers they come from the seed 0 for every profile.
    axiom : Axiom or str
        The axiom, or its name.
    n_items : int
        The most items of a profile.
    n_rankings : int
        The most ballots.
    time_limit : float, optional
        Seconds after which `OutOfTimeError` says how many profiles have been looked at.

    Returns
    -------
    Witness or None
        None where no profile of that size breaks the axiom, which is proved for neutral rules. What
        an axiom compares a profile to (a changed ballot, an item less) is no larger, so nothing
        beyond the size is looked at.

    Raises
    ------
    InvalidInputError
        If there are more than 3,000,000 profiles to look at.
    OutOfTimeError
        If the time limit passes before anything is found.

    Notes
    -----
    The logger ``rankagg.axioms`` tells every 5 seconds how far the search is. A profile takes about
    a millisecond, and some ten with rules that are integer programs (`Kemeny`, `Young`, `Dodgson`);
    axioms that try every other ballot take the longest.

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
    rule, asked = check_rule(rule), as_axiom(axiom)
    most_items = check_integer(n_items, "n_items", low=1, high=asked.most_items)
    most_rankings = check_integer(n_rankings, "n_rankings", low=1)
    deadline = Deadline.after(time_limit_of(time_limit))
    return search_all(rule, [asked], most_items, most_rankings, deadline)[0]


def search_all(
    rule: Aggregator,
    axioms: Sequence[Axiom],
    n_items: int,
    n_rankings: int,
    deadline: Deadline,
    *,
    neutral: bool = True,
) -> list[Witness | None]:
    """Look at every profile up to a size for several axioms at once."""
    fewest = min((axiom.fewest_items for axiom in axioms), default=n_items)
    pace = _Pace(rule.name, number_to_see(n_items, n_rankings, fewest, neutral=neutral), deadline)
    labels = ascii_uppercase[:n_items]
    outcomes = Outcomes(rule, labels, neutral=neutral, before_asking=pace.check)
    found: dict[int, Witness] = {}
    try:
        for items, rankings in _sizes(fewest, n_items, n_rankings):
            speak = [at for at, axiom in enumerate(axioms) if items >= axiom.fewest_items]
            if all(at in found for at in speak):
                continue
            for ballots in _profiles(items, rankings, neutral=neutral):
                pace.step()
                for at in speak:
                    if at not in found and (
                        one := confirmed_witness(axioms[at], ballots, outcomes)
                    ):
                        found[at] = one
    except NotNeutralError:
        return search_all(rule, axioms, n_items, n_rankings, deadline, neutral=False)
    return [found.get(at) for at in range(len(axioms))]
