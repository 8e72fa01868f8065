"""Probabilities of Condorcet winners and cycles that are known exactly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import asin, pi, sqrt

import numpy as np
from scipy.stats import binom

from rankagg._validation import check_integer, check_kind
from rankagg.core import counted
from rankagg.cultures import (
    AnonymousCulture,
    DataSource,
    EuclideanCulture,
    GroupSeparableCulture,
    ImpartialCulture,
    SingleCrossingCulture,
    SinglePeakedCulture,
)
from rankagg.exceptions import Described, InvalidInputError

SOURCES: Mapping[type[DataSource], str] = {
    ImpartialCulture: "Guilbaud (1952), Gehrlein and Fishburn (1976)",
    AnonymousCulture: "Gehrlein (2002)",
    SinglePeakedCulture: "Black (1948)",
    EuclideanCulture: "Black (1948)",
    GroupSeparableCulture: "Inada (1964)",
    SingleCrossingCulture: "Rothstein (1990)",
}


def condorcet_winner_probability(
    culture: DataSource, n_items: int, n_rankings: int | None = None
) -> float:
    """Return the probability that some item beats every other by a strict majority.

    It is known for three items under the impartial and the anonymous culture, for four under the
    impartial one where the number of rankings is odd, and for all sizes with an odd number on
    restricted domains, where it is 1.

    Parameters
    ----------
    culture : Culture
        What profiles are drawn from.
    n_items : int
        At least 2.
    n_rankings : int, optional
        At most 10,000; by default the limit for ever more rankings.

    Returns
    -------
    float

    Raises
    ------
    InvalidInputError
        If it is not known.

    References
    ----------
    Guilbaud (1952), https://doi.org/10.3406/ecoap.1952.3831, for the limit; Gehrlein and Fishburn
    (1976), "The probability of the paradox of voting: a computable solution", Journal of Economic
    Theory 13, 14-25; Gehrlein (2002), https://doi.org/10.1023/A:1015551010381, for the anonymous
    culture. On restricted domains Black (1948), https://doi.org/10.1086/256633, for single-peaked
    rankings; Inada (1964), "A note on the simple majority decision rule", Econometrica 32, for
    group-separable ones; Rothstein (1990), https://doi.org/10.1007/BF01376281, for single-crossing
    ones.

    Examples
    --------
    >>> import rankagg as ra
    >>> round(ra.studies.condorcet_winner_probability(ra.cultures.ImpartialCulture(), 3), 4)
    0.9123
    >>> round(ra.studies.condorcet_winner_probability(ra.cultures.AnonymousCulture(), 3, 3) * 28, 9)
    27.0
    """
    return _asked(known_winner, culture, n_items, n_rankings)


def cycle_probability(culture: DataSource, n_items: int, n_rankings: int | None = None) -> float:
    """Return the probability that strict majorities are cyclic.

    It is known for three items under the impartial and the anonymous culture where the number of
    rankings is odd, and in the limit; on restricted domains it is 0.

    Parameters
    ----------
    culture : Culture
        What profiles are drawn from.
    n_items : int
        At least 2.
    n_rankings : int, optional
        At most 10,000; by default the limit for ever more rankings.

    Returns
    -------
    float

    Raises
    ------
    InvalidInputError
        If it is not known.

    References
    ----------
    As for `condorcet_winner_probability`.

    Examples
    --------
    >>> import rankagg as ra
    >>> round(ra.studies.cycle_probability(ra.cultures.ImpartialCulture(), 3, 3) * 18, 9)
    1.0
    >>> round(ra.studies.cycle_probability(ra.cultures.ImpartialCulture(), 3), 4)
    0.0877
    >>> ra.studies.cycle_probability(ra.cultures.AnonymousCulture(), 3)
    0.0625
    """
    return _asked(known_cycle, culture, n_items, n_rankings)


def _asked(
    known: Callable[[DataSource, int, int | None], float | None],
    culture: DataSource,
    n_items: int,
    n_rankings: int | None,
) -> float:
    check_kind(culture, "culture", kind=DataSource, example="`ImpartialCulture()`")
    size = check_integer(n_items, "n_items", low=2)
    number = None if n_rankings is None else check_integer(n_rankings, "n_rankings", low=1)
    found = known(culture, size, number)
    if found is None:
        many = "ever more rankings" if number is None else counted(number, "ranking")
        given = Described(f"{culture.name}, {counted(size, 'item')} and {many}")
        allowed = "some whose probability is known"
        raise InvalidInputError("culture and sizes", allowed, given, "A CycleStudy estimates it.")
    return found


def known_winner(  # noqa: PLR0911
    model: DataSource, n_items: int, n_rankings: int | None
) -> float | None:
    """Return the probability of a Condorcet winner; None where it is not known."""
    odd = n_rankings is None or n_rankings % 2 == 1
    if n_items == 2 and odd and isinstance(model, ImpartialCulture | AnonymousCulture):
        return 1.0
    if _is_restricted(model):
        return 1.0 if odd and n_rankings is not None else None
    if n_rankings is not None and n_rankings > 10**4:
        return None
    if isinstance(model, ImpartialCulture) and n_items == 3:
        return _impartial(n_rankings)
    if isinstance(model, ImpartialCulture) and n_items == 4 and odd:
        # An item is beaten by all as often as it beats all.
        return 2.0 * _impartial(n_rankings) - 1.0
    if isinstance(model, AnonymousCulture) and n_items == 3:
        return _anonymous(n_rankings)
    return None


def known_cycle(model: DataSource, n_items: int, n_rankings: int | None) -> float | None:
    """Return the probability of a cycle of strict majorities; None where it is not known."""
    if n_items == 2 or _is_restricted(model):
        return 0.0
    if n_items > 3 or (n_rankings is not None and n_rankings % 2 == 0):
        return None
    winner = known_winner(model, n_items, n_rankings)
    return None if winner is None else 1.0 - winner


def source_of(model: DataSource) -> str:
    """Return who found what is known exactly of a model; the references are written out above."""
    return next((source for kind, source in SOURCES.items() if isinstance(model, kind)), "")


def _is_restricted(model: DataSource) -> bool:
    """Say whether strict majorities have no cycles, and are transitive without ties."""
    if isinstance(model, EuclideanCulture):
        return model.n_dimensions == 1
    return isinstance(model, SinglePeakedCulture | SingleCrossingCulture | GroupSeparableCulture)


def _impartial(n_rankings: int | None) -> float:
    """Return the probability of a Condorcet winner among three items, rankings uniform.

    Of an item and the two others, a ranking has it on the same side of both with probability 2/3,
    and then above or below with equal chance; else it has one of them above, either one alike.
    """
    if n_rankings is None:
        return 0.75 + 1.5 / pi * asin(1.0 / 3.0)
    most = n_rankings // 2 + 1
    total = 0.0
    for same in _likely(n_rankings, 2.0 / 3.0):
        apart = n_rankings - int(same)
        above = _likely(int(same), 0.5)
        # How many of the others have it above the first: it needs a majority over both.
        highest, lowest = above + apart - most, most - above
        chance = binom.cdf(highest, apart, 0.5) - binom.cdf(lowest - 1, apart, 0.5)
        inner = binom.pmf(above, same, 0.5) @ np.where(highest >= lowest, chance, 0.0)
        total += float(binom.pmf(same, n_rankings, 2.0 / 3.0) * inner)
    return 3.0 * total


def _likely(number: int, chance: float) -> np.ndarray:
    """Return the values of a binomial variable that have any weight."""
    # Beyond 12 standard deviations it has less weight than a rounding error.
    mean, reach = number * chance, 12.0 * sqrt(number * chance * (1.0 - chance)) + 12.0
    return np.arange(max(0, int(mean - reach)), min(number, int(mean + reach) + 1) + 1)


def _anonymous(n_rankings: int | None) -> float:
    """Return the probability of a Condorcet winner among three items, voting situations uniform."""
    if n_rankings is None:
        return 15.0 / 16.0
    n = n_rankings
    if n % 2:
        return 15 * (n + 3) ** 2 / (16 * (n + 2) * (n + 4))
    return 15 * n * (n + 2) * (n + 4) / (16 * (n + 1) * (n + 3) * (n + 5))
