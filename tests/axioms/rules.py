"""The rules of the table, as the literature has them, and profiles one by one."""

from itertools import combinations_with_replacement, permutations

import pytest

import rankagg as ra

PARALLEL = {"tie_breaking": "parallel"}
RULES = (
    ra.Borda(), ra.Plurality(), ra.Veto(), ra.Dowdall(), ra.Approval(2), ra.Bucklin(),
    ra.InstantRunoff(**PARALLEL), ra.Coombs(**PARALLEL), ra.Baldwin(**PARALLEL), ra.Nanson(),
    ra.Black(), ra.Copeland(), ra.Minimax(), ra.Schulze(), ra.RankedPairs(**PARALLEL), ra.Young(),
    ra.Dodgson(), ra.Kemeny(),
)  # fmt: skip
NAMES = [axiom.name for axiom in ra.axioms.AXIOMS]


def plain(rule):
    return type(rule).__name__


def of(name):
    return next(rule for rule in RULES if plain(rule) == name)


def ballots(profile):
    """Return the ballots of a profile one by one."""
    return [
        ranking.order
        for ranking, count in zip(profile, profile.counts, strict=True)
        for _ in range(count)
    ]


def all_profiles(n, m):
    return combinations_with_replacement(list(permutations("ABCD"[:n])), m)


def some_slow(*every_run):
    """Return all rules as parameters: those named are tried in every run."""
    return [
        pytest.param(one, marks=() if plain(one) in every_run else pytest.mark.slow, id=plain(one))
        for one in RULES
    ]
