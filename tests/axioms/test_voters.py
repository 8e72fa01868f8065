"""Preferences over sets of winners against their definitions, pair by pair."""

from itertools import combinations, product

import pytest

import rankagg as ra
from rankagg.axioms.voters import EXTENSIONS, prefers
from rankagg.exceptions import InvalidInputError
from tests.axioms import brute_force

ITEMS = (0, 1, 2, 3)
SETS = [frozenset(s) for k in (1, 2, 3, 4) for s in combinations(ITEMS, k)]
ORDER = (2, 0, 3, 1)


def better(x, y):
    return ORDER.index(x) < ORDER.index(y)


def kelly(a, b):
    return a != b and all(x == y or better(x, y) for x in a for y in b)


def gardenfors(a, b):
    if a == b:
        return False
    if a < b:
        return all(better(x, y) for x in a for y in b - a)
    if b < a:
        return all(better(x, y) for x in a - b for y in b)
    return all(better(x, y) for x in a - b for y in b - a)


DEFINED = {
    "fishburn": lambda a, b: brute_force.prefers(ORDER, a, b),
    "gardenfors": gardenfors,
    "kelly": kelly,
    "optimist": lambda a, b: min(map(ORDER.index, a)) < min(map(ORDER.index, b)),
    "pessimist": lambda a, b: max(map(ORDER.index, a)) < max(map(ORDER.index, b)),
}


def test_extensions_are_as_defined_and_refine_each_other() -> None:
    for one, other in product(SETS, repeat=2):
        said = {name: prefers(ORDER, one, other, name) for name in EXTENSIONS}
        assert said == {name: DEFINED[name](one, other) for name in EXTENSIONS}
        assert said["kelly"] <= said["fishburn"] <= said["gardenfors"]


def test_the_extension_is_part_of_the_axiom() -> None:
    # Without the last voter A and B win and not A alone: better for an optimist's B > A only.
    with pytest.raises(InvalidInputError, match="extension of Participation"):
        ra.axioms.Participation(extension="fisher")
    assert ra.axioms.Participation(extension="kelly") != ra.axioms.Participation()
    asked = {"n_items": 3, "n_rankings": 3}
    for extension in EXTENSIONS:
        axiom = ra.axioms.Strategyproofness(extension=extension)
        found = ra.axioms.find_counterexample(ra.Borda(), axiom, **asked)
        assert found is not None
        assert found.verify()
