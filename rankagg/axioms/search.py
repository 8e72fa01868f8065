"""Search for the smallest profile on which a rule breaks an axiom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import factorial
from string import ascii_uppercase
from typing import Literal, TypeAlias

import numpy as np

from rankagg._typing import RNGLike
from rankagg._validation import as_generator, check_choice, check_integer
from rankagg.aggregation.base import Aggregator
from rankagg.axioms.ballots import Ballots, ballots_of, fewer, size, tallied
from rankagg.axioms.base import Axiom
from rankagg.axioms.enumeration import check_size, profiles
from rankagg.axioms.names import as_axiom
from rankagg.axioms.outcomes import NotNeutralError, Outcomes, check_aggregator
from rankagg.axioms.witness import Witness, witness_of

__all__ = ["Search", "find_counterexample", "labels_for", "sizes"]

Search: TypeAlias = Literal["all", "random"]

# Items that are drawn: their names are letters, and no rule is asked about more.
MOST_LETTERS = len(ascii_uppercase)
MOST_RANKINGS = 10_000
# More kinds of ballots than that make no simple witness.
MOST_KINDS = 50


def labels_for(n_items: int) -> tuple[str, ...]:
    """Return A, B, C, ...."""
    return tuple(ascii_uppercase[:n_items])


def sizes(fewest_items: int, n_items: int, n_rankings: int) -> Iterator[tuple[int, int]]:
    """Iterate over numbers of items and of ballots, few items first."""
    for items in range(fewest_items, n_items + 1):
        for rankings in range(1, n_rankings + 1):
            yield items, rankings


def find_counterexample(
    aggregator: Aggregator,
    axiom: Axiom | str,
    *,
    n_items: int,
    n_rankings: int,
    search: Search = "all",
    n_samples: int = 1000,
    rng: RNGLike = None,
) -> Witness | None:
    """Find a profile on which a rule breaks an axiom, the smallest where all are looked at.

    Parameters
    ----------
    aggregator : Aggregator
        The rule. Where it draws random numbers they come from the seed 0 for every profile.
    axiom : Axiom or str
        The axiom, or its name.
    n_items : int
        The most items of a profile.
    n_rankings : int
        The most ballots.
    search : {"all", "random"}, default "all"
        "all": every profile of complete strict rankings up to that size, fewer items first, then
        fewer ballots. The order of ballots does not matter, and of profiles that differ in the
        names of items one is looked at; a rule that takes notice of names on up to 3 ballots gets
        them all. "random": profiles of `n_items` items and of 1 to `n_rankings` ballots of a random
        number of kinds up to 50; of what is found ballots are taken away as long as some witness
        is left.
    n_samples : int, default 1000
        How many profiles are drawn where `search="random"`.
    rng : int, numpy.random.Generator or None, optional
        A seed or a generator for them (SPEC 7).

    Returns
    -------
    Witness or None
        None where no profile that was looked at breaks the axiom: after "all" that is proved for
        neutral rules, after "random" it says little. What an axiom compares a profile to (a
        changed ballot, an item less) is no larger, so nothing beyond the size is looked at.

    Raises
    ------
    InvalidInputError
        If there are more than 3,000,000 profiles to look at.

    Examples
    --------
    >>> import rankagg as ra
    >>> print(ra.find_counterexample(ra.Borda(), "majority", n_items=3, n_rankings=5))
    Borda breaks the axiom "majority"
    profile    2 x A > B > C, 1 x B > C > A
    winners    A, B
    More than half of the ballots have A first, and A, B win.
    >>> ra.find_counterexample(ra.Schulze(), "majority", n_items=3, n_rankings=5) is None
    True
    """
    rule, asked = check_aggregator(aggregator), as_axiom(axiom)
    most_items = check_integer(n_items, "n_items", low=1, high=asked.most_items or MOST_LETTERS)
    most_rankings = check_integer(
        n_rankings, "n_rankings", low=1, high=asked.most_rankings or MOST_RANKINGS
    )
    check_choice(search, ("all", "random"), "search")
    number = check_integer(n_samples, "n_samples", low=1)
    generator = as_generator(rng)
    if search == "random":
        drawn = (_draw(most_items, most_rankings, generator) for _ in range(number))
        return _drawn(rule, asked, most_items, drawn)
    outcomes = Outcomes(rule, labels_for(most_items), neutral=True)
    return search_all(outcomes, [asked], most_items, most_rankings)[0]


def search_all(
    outcomes: Outcomes, axioms: Sequence[Axiom], n_items: int, n_rankings: int
) -> list[Witness | None]:
    """Look at every profile up to a size for several axioms at once.

    Parameters
    ----------
    outcomes : Outcomes
        Those of the rule, asked under the names of items as needed.
    axioms : sequence of Axiom
        The axioms.
    n_items, n_rankings : int
        The most items, and ballots.

    Returns
    -------
    list of (Witness or None)
        For each axiom.
    """
    check_size(n_items, n_rankings, neutral=outcomes.neutral)
    fewest = min((axiom.fewest_items for axiom in axioms), default=n_items)
    found: dict[int, Witness] = {}
    try:
        for items, rankings in sizes(fewest, n_items, n_rankings):
            open_axioms = [
                at for at, axiom in enumerate(axioms)
                if at not in found and items >= axiom.fewest_items
            ]  # fmt: skip
            if not open_axioms:
                continue
            for ballots in profiles(items, rankings, neutral=outcomes.neutral):
                for at in open_axioms:
                    if at not in found:
                        witness = _confirmed(axioms[at], ballots, outcomes)
                        if witness is not None:
                            found[at] = witness
    except NotNeutralError:
        named = Outcomes(outcomes.aggregator, outcomes.labels)
        return search_all(named, axioms, n_items, n_rankings)
    return [found.get(at) for at in range(len(axioms))]


def _confirmed(axiom: Axiom, ballots: Ballots, outcomes: Outcomes) -> Witness | None:
    """Return a witness of which the rule was asked itself."""
    for case in axiom._cases(ballots, outcomes):
        if axiom._fails(case, outcomes):
            asked = Outcomes(outcomes.aggregator, outcomes.labels)
            if not axiom._holds_against(case, asked):
                raise NotNeutralError
            return witness_of(axiom, case, asked)
    return None


def _drawn(
    rule: Aggregator, axiom: Axiom, n_items: int, drawn: Iterator[Ballots]
) -> Witness | None:
    for ballots in drawn:
        # Each profile by itself, so that memory stays bounded.
        outcomes = Outcomes(rule, labels_for(n_items))
        witness = axiom._first(ballots, outcomes)
        if witness is not None:
            return _smaller(axiom, witness, outcomes)
    return None


def _draw(n_items: int, n_rankings: int, rng: np.random.Generator) -> Ballots:
    """Draw up to so many ballots, of one to so many kinds: few kinds make simple profiles."""
    number = int(rng.integers(1, n_rankings + 1))
    kinds = int(rng.integers(1, min(number, MOST_KINDS, factorial(n_items)) + 1))
    orders = rng.permuted(np.tile(np.arange(n_items), (kinds, 1)), axis=1).tolist()
    chosen = rng.integers(0, kinds, size=number).tolist()
    return tallied(tuple(orders[kind]) for kind in chosen)


def _smaller(axiom: Axiom, witness: Witness, outcomes: Outcomes) -> Witness:
    """Return a witness none of whose ballots can be spared."""
    ballots = ballots_of(witness.profile)
    shrinks = True
    while shrinks:
        shrinks = False
        for order, count in ballots:
            for copies in dict.fromkeys((count, (count + 1) // 2, 1)):
                rest = fewer(ballots, order, copies)
                found = axiom._first(rest, outcomes) if size(rest) else None
                if found is not None:
                    witness, ballots, shrinks = found, rest, True
                    break
            if shrinks:
                break
    return witness
