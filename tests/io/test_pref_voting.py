"""Profiles of pref_voting, there and back, where it is installed."""

import sys

import numpy as np
import pytest

import rankagg as ra
from rankagg.exceptions import InvalidInputError


def profiles():
    """Yield complete, tied, partial and top-k profiles."""
    rng = np.random.default_rng(4)
    for gaps in (0.0, 0.4):
        for _ in range(10):
            ranks = rng.integers(0, 4, size=(5, 4)).astype(float)
            ranks[rng.random(ranks.shape) < gaps] = np.nan
            ranks[:, 0] = np.nan_to_num(ranks[:, 0])
            yield ra.Profile.from_ranks(ranks, items="ABCD", counts=rng.integers(1, 9, size=5))
    yield ra.Mallows("ABCD", 0.3).sample(20, rng=0).compress()
    yield ra.Mallows((3, 1, 10, 2), 0.3).sample(20, rng=0).compress()


def test_profiles_come_back_and_rules_agree():
    pytest.importorskip("pref_voting", reason="pref_voting is not installed")
    from pref_voting.c1_methods import copeland  # noqa: PLC0415

    for profile in profiles():
        there = ra.io.to_pref_voting(profile)
        assert ra.io.from_pref_voting(there) == profile
        consensus = ra.Copeland().aggregate(profile.with_unranked("ignore"))
        assert {there.cmap[one] for one in copeland(there)} == set(consensus.ranking.buckets[0])


def test_what_is_left_out_is_last_where_preferences_are_extended():
    pytest.importorskip("pref_voting", reason="pref_voting is not installed")
    there = ra.io.to_pref_voting(ra.Profile.from_ranks([[1, np.nan, 2]], items="ABC"))
    there.use_extended_strict_preference()
    assert ra.io.from_pref_voting(there)[0].unlisted == ("B",)
    there = ra.io.to_pref_voting(ra.io.from_pref_voting(there))
    assert there.rankings[0].rmap == {"A": 1, "C": 2, "B": 4}


def test_other_things_are_refused(monkeypatch):
    weighted = ra.Profile.from_orders(["AB", "BA"], weights=[1, 2])
    if "pref_voting" in sys.modules:
        with pytest.raises(InvalidInputError, match="of equal weights"):
            ra.io.to_pref_voting(weighted)
        with pytest.raises(InvalidInputError, match="a profile of pref_voting"):
            ra.io.from_pref_voting(weighted)
    with pytest.raises(InvalidInputError, match="objects such as Profile"):
        ra.io.to_pref_voting([[0, 1]])
    monkeypatch.setitem(sys.modules, "pref_voting.profiles", None)
    with pytest.raises(InvalidInputError, match="pip install pref_voting"):
        ra.io.to_pref_voting(weighted)
