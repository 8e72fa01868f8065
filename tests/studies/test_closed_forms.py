"""Cycles of majorities: closed forms against going through all profiles."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, permutations
from math import asin, comb, factorial, pi, prod

import pytest

import rankagg as ra
from rankagg.exceptions import InvalidInputError

RESTRICTED = (
    ra.cultures.SinglePeakedCulture(),
    ra.cultures.SinglePeakedCulture(variant="conitzer"),
    ra.cultures.EuclideanCulture(n_dimensions=1),
)


def majorities(rankings, n):
    """Return the pairs that a strict majority has so."""
    margin = {
        (i, j): sum((r[i] < r[j]) - (r[i] > r[j]) for r in rankings)
        for i, j in permutations(range(n), 2)
    }
    return {pair for pair, lead in margin.items() if lead > 0}


def has_winner(beats, n):
    return any(all((i, j) in beats for j in range(n) if j != i) for i in range(n))


def has_cycle(beats, n):
    """Look for an order that no majority is against."""
    return not any(
        all(order.index(i) < order.index(j) for i, j in beats) for order in permutations(range(n))
    )


def enumerated(n, m, anonymous, asked):
    """Sum over all voting situations."""
    kinds = list(permutations(range(n)))
    total = Fraction(0)
    for situation in combinations_with_replacement(kinds, m):
        ways = factorial(m) // prod(factorial(c) for c in Counter(situation).values())
        weight = (
            Fraction(1, comb(m + len(kinds) - 1, m))
            if anonymous
            else Fraction(ways, len(kinds) ** m)
        )
        if asked(majorities(situation, n), n):
            total += weight
    return total


@pytest.mark.parametrize(
    "culture", [ra.cultures.ImpartialCulture(), ra.cultures.AnonymousCulture()], ids=repr
)
@pytest.mark.parametrize(("n", "m"), [(3, m) for m in range(1, 7)] + [(2, 3), (4, 3)])
def test_known_probabilities_are_those_of_all_profiles(culture, n, m):
    anonymous = culture == ra.cultures.AnonymousCulture()
    if (n, anonymous) == (4, True):
        with pytest.raises(InvalidInputError, match="culture and sizes"):
            ra.studies.condorcet_winner_probability(culture, n, m)
        return
    winner = enumerated(n, m, anonymous, has_winner)
    assert ra.studies.condorcet_winner_probability(culture, n, m) == pytest.approx(
        float(winner), abs=1e-13
    )
    if n < 4 and m % 2:
        cycle = enumerated(n, m, anonymous, has_cycle)
        assert ra.studies.cycle_probability(culture, n, m) == pytest.approx(float(cycle), abs=1e-13)


def test_published_probabilities_are_reproduced():
    """Those of Gehrlein and Fishburn (1976) for few rankings, and of Guilbaud (1952)."""
    impartial, anonymous = ra.cultures.ImpartialCulture(), ra.cultures.AnonymousCulture()
    assert ra.studies.cycle_probability(impartial, 3, 3) == pytest.approx(1 / 18)
    found = [ra.studies.cycle_probability(impartial, 3, m) for m in (5, 7, 9, 11)]
    assert [round(p, 5) for p in found] == [0.06944, 0.07502, 0.07798, 0.07981]
    assert ra.studies.cycle_probability(impartial, 3) == pytest.approx(
        0.25 - 1.5 * asin(1 / 3) / pi
    )
    assert round(100 * ra.studies.cycle_probability(impartial, 3), 2) == 8.77
    assert ra.studies.cycle_probability(anonymous, 3) == 1 / 16
    assert ra.studies.cycle_probability(anonymous, 3, 9999) == pytest.approx(1 / 16, abs=1e-4)
    assert ra.studies.condorcet_winner_probability(impartial, 4) == pytest.approx(0.8245, abs=1e-4)
    assert ra.studies.cycle_probability(impartial, 3, 2001) == pytest.approx(0.08774, abs=1e-4)


@pytest.mark.parametrize(
    ("culture", "n", "m"),
    [
        (ra.cultures.ImpartialCulture(), 5, 3),
        (ra.cultures.ImpartialCulture(), 3, 10**4 + 1),
        (ra.cultures.UrnCulture(contagion=0.1), 3, 3),
        (ra.cultures.MallowsCulture(phi=0.5), 3, 3),
        (ra.cultures.EuclideanCulture(), 3, None),
    ],
)
def test_unknown_probabilities_are_refused(culture, n, m):
    for ask in (ra.studies.cycle_probability, ra.studies.condorcet_winner_probability):
        with pytest.raises(InvalidInputError, match="A CycleStudy estimates it"):
            ask(culture, n, m)
    with pytest.raises(InvalidInputError, match="`culture`"):
        ra.studies.cycle_probability("impartial", 3)
