"""Profiles of the package pref_voting, there and back; it is imported only here, where it is."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from rankagg._validation import check_kind
from rankagg.core import UNLISTED, UNRANKED, ItemSet, PartialRanking, Profile, competition_ranks
from rankagg.exceptions import Described, InvalidInputError


def to_pref_voting(profile: Profile) -> Any:
    """Return a profile as pref_voting has it, so that its voting rules can be asked.

    Parameters
    ----------
    profile : Profile
        Whole counts and equal weights. Unlisted items are put last together, unranked ones are
        left out; groups and clusters have no place there.

    Returns
    -------
    pref_voting.profiles.Profile or pref_voting.profiles_with_ties.ProfileWithTies
        The former where all rankings are complete and strict: there candidates are numbers, with
        the items for names. In the latter candidates are the items.

    Raises
    ------
    InvalidInputError
        If weights differ, or pref_voting is not installed.

    Examples
    --------
    >>> import rankagg as ra
    >>> from pref_voting.voting_methods import borda  # doctest: +SKIP
    >>> borda(ra.io.to_pref_voting(ra.datasets.load("tennessee")))  # doctest: +SKIP
    [1]
    """
    check_kind(profile, "profile", kind=Profile, example="Profile.from_orders(['AB', 'BA'])")
    strict, tied = _classes(profile)
    if len(set(profile.weights.tolist())) > 1:
        remedy = "Leave the weights out, or repeat rankings by `counts`."
        raise InvalidInputError("profile", "of equal weights", Described("others"), remedy)
    rows, counts = profile.ranks.copy(), [int(count) for count in profile.counts]
    names = list(profile.items)
    if profile.is_complete and profile.is_strict:
        orders = rows.argsort(axis=1).tolist()
        return strict(orders, rcounts=counts, cmap=dict(enumerate(names)))
    rows[rows == UNLISTED] = profile.n_items
    places = [{names[k]: int(row[k]) + 1 for k in np.flatnonzero(row != UNRANKED)} for row in rows]
    return tied(places, rcounts=counts, candidates=names)


def from_pref_voting(profile: Any) -> Profile:
    """Return a profile of pref_voting as one of this package.

    Parameters
    ----------
    profile : pref_voting.profiles.Profile or pref_voting.profiles_with_ties.ProfileWithTies
        Candidates that a ranking leaves out were not observed; where the profile uses extended
        strict preferences they are unlisted, below all others.

    Returns
    -------
    Profile
        Items are the names of the candidates.

    Raises
    ------
    InvalidInputError
        If it is something else, or pref_voting is not installed.
    """
    strict, tied = _classes(profile)
    if not isinstance(profile, (strict, tied)):
        raise InvalidInputError("profile", "a profile of pref_voting", profile)
    names = [profile.cmap[one] for one in profile.candidates]
    if isinstance(profile, strict):
        orders, counts = profile.rankings_counts
        return Profile.from_ranks(np.argsort(orders, axis=1), items=names, counts=counts)
    rankings, counts = profile.rankings_counts
    table = [[ranking.rmap.get(one, np.nan) for one in profile.candidates] for ranking in rankings]
    rows = competition_ranks(np.array(table, dtype=np.float64))
    if profile.using_extended_strict_preference:
        rows[rows == UNRANKED] = UNLISTED
    items = ItemSet(names)
    return Profile([PartialRanking(row, items) for row in rows], counts=counts)


def _classes(given: object) -> tuple[Any, Any]:
    try:
        strict, tied = map(
            import_module, ("pref_voting.profiles", "pref_voting.profiles_with_ties")
        )
    except ImportError:
        allowed, remedy = "left where pref_voting is installed", "pip install pref_voting"
        raise InvalidInputError("profile", allowed, given, remedy) from None
    return strict.Profile, tied.ProfileWithTies
