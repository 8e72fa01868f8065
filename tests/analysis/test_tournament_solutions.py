"""Split Cycle against cycles one by one, the essential set against all extreme strategies."""

from fractions import Fraction
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.analysis.tournament import _essential_items, _undefeated_items
from rankagg.exceptions import InvalidInputError
from tests import strategies

# Small margins are often equal or draws, odd ones are no draws, and floats do not suit the last.
SIZES = {
    "small": st.integers(-3, 3),
    "wide": st.integers(-1000, 1000),
    "odd": st.integers(-40, 39).map(lambda k: 2 * k + 1),
}  # fmt: skip

# To shrink an example takes minutes where all strategies are enumerated.
as_found = settings(phases=[Phase.explicit, Phase.generate], max_examples=12)


@st.composite
def margins(draw, kinds=tuple(SIZES), *, max_size=5):
    """Draw a skew-symmetric matrix of integers, in an object array where they are large."""
    n = draw(st.integers(1, max_size))
    kind = SIZES[draw(st.sampled_from(kinds))]
    matrix = np.zeros((n, n), dtype=object)
    for i, j in combinations(range(n), 2):
        matrix[i, j] = draw(kind)
        matrix[j, i] = -matrix[i, j]
    return matrix if abs(matrix).max() > 2**60 else matrix.astype(np.int64)


def graph_of(matrix):
    """Return a graph with such margins."""
    items = "ABCDEF"[: len(matrix)]
    wins = np.maximum(matrix, 0).astype(np.float64)
    # A pair with votes each way is compared.
    return ra.TournamentGraph(ra.PairwiseMatrix.from_wins(wins + 1, items=items))


def chosen(mask):
    return set(np.flatnonzero(mask).tolist())


# -- twins ----------------------------------------------------------------------------------------


def undefeated_by_cycles(matrix):
    """Discard the weakest majorities of every cycle at once; return who is left undefeated."""
    n = len(matrix)
    arcs = {(i, j): int(matrix[i, j]) for i in range(n) for j in range(n) if matrix[i, j] > 0}
    discarded = set()
    for cycle in nx.simple_cycles(nx.DiGraph(list(arcs))):
        around = list(zip(cycle, (*cycle[1:], cycle[0]), strict=True))
        least = min(arcs[arc] for arc in around)
        discarded |= {arc for arc in around if arcs[arc] == least}
    return set(range(n)) - {j for i, j in set(arcs) - discarded}


def solved(rows, right):
    """Return the only solution of linear equations in fractions, None if there is not one."""
    table = np.vectorize(Fraction, otypes=[object])(np.column_stack([rows, right]))
    for k in range(len(table)):
        at = next((i for i in range(k, len(table)) if table[i, k]), None)
        if at is None:
            return None
        table[[k, at]] = table[[at, k]]
        table[k] /= table[k, k]
        others = np.arange(len(table)) != k
        table[others] -= np.outer(table[others, k], table[k])
    return table[:, -1].tolist()


def extreme_strategies(matrix):
    """Yield every extreme optimal strategy with its gains: n - 1 of the bounds are tight."""
    n = len(matrix)
    gains = [[int(matrix[i, j]) for i in range(n)] for j in range(n)]
    bounds = gains + np.eye(n, dtype=int).tolist()
    for tight in combinations(bounds, n - 1):
        strategy = solved([*tight, [1] * n], [0] * (n - 1) + [1])
        if strategy is None:
            continue
        gained = [sum(g * s for g, s in zip(row, strategy, strict=True)) for row in gains]
        if min(*strategy, *gained, 0) == 0:
            yield strategy, gained


def essential_by_enumeration(matrix):
    """Return who is played by an extreme optimal strategy, and who loses to one."""
    found = list(extreme_strategies(matrix))
    played = {i for strategy, _ in found for i, share in enumerate(strategy) if share > 0}
    losing = {i for _, gained in found for i, gain in enumerate(gained) if gain > 0}
    return played, losing


# -- Split Cycle ----------------------------------------------------------------------------------


@given(margins(max_size=6))
def test_split_cycle_discards_the_weakest_majorities_of_all_cycles(matrix):
    found = chosen(_undefeated_items(matrix))
    assert found == undefeated_by_cycles(matrix)
    assert found


# -- the essential set ----------------------------------------------------------------------------


@given(margins())
@as_found
def test_essential_items_are_played_by_some_optimal_strategy(matrix):
    played, losing = essential_by_enumeration(matrix)
    assert chosen(_essential_items(matrix)) == played
    # Laffond, Laslier and Le Breton (1997): that of odd margins has an odd number of items.
    assert not (matrix[np.triu_indices(len(matrix), k=1)] % 2).all() or len(played) % 2 == 1
    # Everybody else loses to an optimal strategy.
    assert played | losing == set(range(len(matrix)))
    assert not played & losing


@pytest.mark.parametrize("n", [3, 4, 5, 7, 10, 30])
def test_everybody_is_essential_where_all_are_alike(n):
    # Everybody beats the next half of the others: with an odd number all are alike.
    step = (np.arange(n) - np.arange(n)[:, None]) % n
    around = np.where(step == 0, 0, np.sign(n - 2 * step))
    assert _essential_items(around).all()
    assert _essential_items(np.zeros((n, n), dtype=np.int64)).all()
    upper = np.triu(np.random.default_rng(n).integers(-100, 101, (n, n)), k=1)
    assert _essential_items(upper - upper.T).any()


def test_margins_that_differ_too_much_in_size_are_refused():
    # Shares are 10**-18 : 10**-9 : 1.
    matrix = np.array([[0, 10**18, -(10**9)], [-(10**18), 0, 1], [10**9, -1, 0]], dtype=object)
    with pytest.raises(InvalidInputError, match="margins that floats can weigh"):
        _essential_items(matrix)


# -- both -----------------------------------------------------------------------------------------


@given(margins(("small", "wide"), max_size=6), st.data())
def test_a_condorcet_winner_is_alone(matrix, data):
    winner = data.draw(st.integers(0, len(matrix) - 1))
    matrix[winner] = np.abs(matrix[winner]) + 1
    matrix[:, winner] = -matrix[winner]
    matrix[winner, winner] = 0
    graph = graph_of(matrix)
    assert graph.condorcet_winner == graph.items[winner]
    assert graph.split_cycle_winners() == (graph.items[winner],)
    assert graph.essential_set() == (graph.items[winner],)
    assert chosen(_essential_items(matrix)) == {winner}


@given(strategies.profiles(min_size=2))
@as_found
def test_weights_are_exact_and_margins_need_comparisons(profile):
    graph = ra.TournamentGraph(profile)
    wins, denominator = graph.votes.scaled_wins, graph.votes.denominator
    matrix = np.where(graph.votes.scaled_comparisons > 0, wins - wins.T, 0)
    assert np.allclose(
        np.where(matrix != 0, graph.margins, 0), (matrix / denominator).astype(float)
    )
    assert graph.split_cycle_winners() == tuple(graph.items[i] for i in sorted(
        undefeated_by_cycles(matrix)))  # fmt: skip
    played = sorted(essential_by_enumeration(matrix)[0])
    assert graph.essential_set() == tuple(graph.items[i] for i in played)
