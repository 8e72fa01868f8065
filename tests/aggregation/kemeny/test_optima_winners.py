"""Who can win, and the places of each item: found in small blocks, bounded in large ones."""

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation.kemeny import optima as module
from rankagg.aggregation.kemeny import optimal_relation
from rankagg.exceptions import OutOfTimeError

# The optima are CEBAD, CBAED, CAEDB, ACEDB, ADCEB and AEDCB: E follows no single other in all of
# them, and yet it is first in none.
LATE = np.array(
    [[0, 0, 0, 2, 1], [2, 0, 0, 1, 0], [0, 1, 0, 1, 1], [0, 2, 2, 0, 1], [0, 1, 0, 2, 0]]
)


def with_one_above(wins):
    """Return the votes with one more item, X, that beats all others."""
    n = len(wins)
    larger = np.zeros((n + 1, n + 1))
    larger[:n, :n] = wins
    larger[n, :n] = 1
    return ra.PairwiseMatrix.from_wins(larger, items="ABCDE"[:n] + "X")


def test_places_of_large_blocks_are_what_the_relation_leaves(monkeypatch):
    monkeypatch.setattr(module, "RANGED", 1)
    optima = ra.Kemeny().aggregate(with_one_above(LATE)).optima
    above = optima.relation().sum(axis=0)
    below = optima.relation().sum(axis=1)
    best, worst = optima.rank_ranges()
    assert best.tolist() == (1 + above).tolist()
    assert worst.tolist() == (6 - below).tolist()


@pytest.mark.parametrize(("ranged", "searched"), [(5, False), (4, True)])
def test_tables_serve_blocks_up_to_a_size(monkeypatch, ranged, searched):
    began = []
    monkeypatch.setattr(module, "RANGED", ranged)
    search = optimal_relation.can_lead
    monkeypatch.setattr(
        optimal_relation, "can_lead", lambda *args: began.append(1) or search(*args)
    )
    optima = ra.Kemeny().aggregate(ra.PairwiseMatrix.from_wins(LATE)).optima
    assert optima.winners() == (0, 2)
    assert bool(began) == searched
    late = ra.Kemeny().aggregate(ra.PairwiseMatrix.from_wins(LATE)).optima
    late.relation()
    with pytest.raises(OutOfTimeError):
        late.within(0).winners()
