"""The majority graph against definitions, set by set."""

from fractions import Fraction
from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.analysis.tournament import _essential_lottery, _undefeated_items
from rankagg.exceptions import InvalidInputError, ItemMismatchError
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


def graphs():
    """Any tournament of five items or fewer with draws; margins 0 to 3."""
    return margins(("small",)).map(graph_of)


def beats(graph, a, b):
    votes = graph.votes
    i, j = graph.items.index(a), graph.items.index(b)
    return votes.wins[i, j] > votes.wins[j, i]


def subsets(items):
    for size in range(1, len(items) + 1):
        yield from combinations(items, size)


def dominates(graph, inside):
    return all(beats(graph, a, b) for a in inside for b in graph.items if b not in inside)


def is_undominated(graph, inside):
    return not any(beats(graph, b, a) for a in inside for b in graph.items if b not in inside)


# -- sets -----------------------------------------------------------------------------------------


@given(graph=graphs())
def test_smith_is_the_smallest_dominating_set(graph):
    assert graph.smith_set() == next(s for s in subsets(graph.items) if dominates(graph, s))


@given(graph=graphs())
def test_schwartz_is_the_union_of_the_smallest_undominated_sets(graph):
    sets = [set(s) for s in subsets(graph.items) if is_undominated(graph, s)]
    smallest = [s for s in sets if not any(other < s for other in sets)]
    assert set(graph.schwartz_set()) == set().union(*smallest)
    assert set(graph.schwartz_set()) <= set(graph.smith_set())


@given(graph=graphs())
def test_uncovered_items_equal_brute_force(graph):
    def covers(a, b):
        return beats(graph, a, b) and all(
            beats(graph, c, b) for c in graph.items if beats(graph, c, a)
        )

    expected = [b for b in graph.items if not any(covers(a, b) for a in graph.items if a != b)]
    assert list(graph.uncovered_set()) == expected
    assert expected


@given(graph=graphs())
def test_condorcet_winner_and_loser_equal_brute_force(graph):
    for found, wins in ((graph.condorcet_winner, True), (graph.condorcet_loser, False)):
        expected = [
            a
            for a in graph.items
            if all(beats(graph, *((a, b) if wins else (b, a))) for b in graph.items if b != a)
        ]
        assert [found] == (expected or [None])
    if graph.condorcet_winner is not None:
        assert graph.smith_set() == (graph.condorcet_winner,)


@given(graph=graphs())
def test_components_beat_all_later_ones_and_cannot_be_split(graph):
    groups = graph.condensation()
    assert sorted(item for group in groups for item in group) == sorted(graph.items)
    for k, group in enumerate(groups):
        later = [item for other in groups[k + 1 :] for item in other]
        assert all(beats(graph, a, b) for a in group for b in later)
        for part in subsets(group[:-1]):
            rest = [item for item in group if item not in part]
            for first, second in ((part, rest), (rest, part)):
                assert not all(beats(graph, a, b) for a in first for b in second)


@given(graph=graphs())
def test_all_cycles_are_listed(graph):
    found = graph.cycles(length=5)
    expected = set()
    for size in range(3, len(graph.items) + 1):
        for chosen in combinations(graph.items, size):
            for rest in permutations(chosen[1:]):
                cycle = (chosen[0], *rest)
                steps = zip(cycle, (*cycle[1:], cycle[0]), strict=True)
                if all(beats(graph, a, b) for a, b in steps):
                    expected.add(cycle)
    assert set(found) == expected
    assert len(found) == len(expected)
    assert graph.is_acyclic == (not expected)
    # Cycles with an item in common are one group.
    groups = [set(cycle) for cycle in expected]
    for cycle in expected:
        joined = set().union(*(group for group in groups if group & set(cycle)))
        groups = [group for group in groups if not group & joined] + [joined]
    assert {frozenset(group) for group in graph.cyclic_components()} == {
        frozenset(g) for g in groups
    }
    assert all(len(cycle) == 3 for cycle in graph.cycles())


def test_draws_alone_make_no_cycle():
    graph = ra.TournamentGraph(ra.PairwiseMatrix.from_wins([[0, 1], [1, 0]], items="AB"))
    assert graph.condensation() == (("A", "B"),)
    assert graph.cyclic_components() == ()
    assert "Condorcet cycles" not in graph.summary()


# -- rankings -------------------------------------------------------------------------------------


@given(graph=graphs(), data=st.data())
def test_feedback_arcs_weigh_the_cost_above_the_lower_bound(graph, data):
    order = data.draw(st.permutations(list(graph.items)))
    ranking = ra.Permutation.from_order(order, items=graph.items)
    arcs = graph.feedback_arcs(ranking)
    floor = np.triu(np.minimum(graph.votes.wins, graph.votes.wins.T), k=1).sum()
    assert arcs["margin"].sum() == pytest.approx(graph.votes.cost(ranking) - floor)
    for arc in arcs.itertuples():
        assert beats(graph, arc.above, arc.below)
        assert ranking.rank(arc.above) > ranking.rank(arc.below)


# -- out ------------------------------------------------------------------------------------------


@given(graph=graphs())
def test_the_networkx_graph_has_every_majority(graph):
    found = graph.to_networkx()
    assert list(found.nodes) == list(graph.items)
    expected = {(a, b) for a in graph.items for b in graph.items if a != b and beats(graph, a, b)}
    assert set(found.edges) == expected
    for a, b, facts in found.edges(data=True):
        i, j = graph.items.index(a), graph.items.index(b)
        assert facts["margin"] == graph.margins[i, j] == facts["votes_for"] - facts["votes_against"]
    assert len(graph.draws()) + len(expected) == len(graph.items) * (len(graph.items) - 1) // 2


def test_files_can_be_read_again(tmp_path):
    votes = ra.PairwiseMatrix.from_wins(
        [[0, 3, 1], [1, 0, 2], [2, 1, 0]], items=['a "b"', "c", "d"]
    )
    graph = ra.TournamentGraph(votes)
    nx.write_graphml(graph.to_networkx(), tmp_path / "graph.graphml")
    back = nx.read_graphml(tmp_path / "graph.graphml")
    assert dict(back.edges) == dict(graph.to_networkx().edges)
    assert '"a \\"b\\"" -> "c" [label="2"];' in graph.to_dot()
    assert graph.to_dot().startswith("digraph tournament {")


@given(graph=graphs())
def test_the_table_has_wins_losses_and_draws(graph):
    assert graph == ra.TournamentGraph(graph.votes)
    assert graph.to_dict()["smith_set"] == list(graph.smith_set())
    frame = graph.to_frame()
    assert (frame[["wins", "losses", "draws"]].sum(axis=1) == len(graph.items) - 1).all()
    assert frame["smith"].sum() == len(graph.smith_set())


def test_bad_data_and_rankings_are_refused():
    profile = ra.Profile.from_orders(["AB", "C"], items="ABC")
    ignored = ra.TournamentGraph(profile.with_unranked("ignore"))
    assert len(ignored.arcs()) == 1
    with pytest.raises(InvalidInputError, match="data that were read, or orders in a list"):
        ra.TournamentGraph("AB")
    with pytest.raises(ItemMismatchError):
        ignored.feedback_arcs(ra.Permutation.from_order("ABD"))
    with pytest.raises(InvalidInputError, match="`length` must be"):
        ignored.cycles(length=2)


# -- Split Cycle and the essential set ------------------------------------------------------------


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
def test_the_lottery_is_optimal_and_plays_all_that_an_optimal_strategy_plays(matrix):
    played, losing = essential_by_enumeration(matrix)
    lottery = _essential_lottery(matrix)
    assert chosen(lottery) == played
    assert (lottery @ matrix.astype(object) >= 0).all()
    # Laffond, Laslier and Le Breton (1997): that of odd margins has an odd number of items.
    assert not (matrix[np.triu_indices(len(matrix), k=1)] % 2).all() or len(played) % 2 == 1
    # Everybody else loses to an optimal strategy.
    assert played | losing == set(range(len(matrix)))
    assert not played & losing


@pytest.mark.parametrize("n", [3, 4, 5, 7, 10, 30])
def test_all_items_are_essential_in_symmetric_tournaments(n):
    # Everybody beats the next half of the others: with an odd number all are alike.
    step = (np.arange(n) - np.arange(n)[:, None]) % n
    around = np.where(step == 0, 0, np.sign(n - 2 * step))
    assert _essential_lottery(around).all()
    assert _essential_lottery(np.zeros((n, n), dtype=np.int64)).all()
    upper = np.triu(np.random.default_rng(n).integers(-100, 101, (n, n)), k=1)
    assert _essential_lottery(upper - upper.T).any()


def test_margins_beyond_float_precision_are_refused():
    # Shares are 10**-18 : 10**-9 : 1.
    matrix = np.array([[0, 10**18, -(10**9)], [-(10**18), 0, 1], [10**9, -1, 0]], dtype=object)
    with pytest.raises(InvalidInputError, match="margins that floats can weigh"):
        _essential_lottery(matrix)


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
    assert graph.essential_set().to_dict() == {graph.items[winner]: 1.0}
    assert chosen(_essential_lottery(matrix)) == {winner}


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
    assert list(graph.essential_set().index) == [graph.items[i] for i in played]


def test_a_tie_contradicts_no_majority():
    graph = ra.TournamentGraph(ra.Profile.from_orders(["ABC"]))
    tied = ra.PartialRanking.from_buckets(["AB", "C"])
    assert graph.feedback_arcs(tied).empty
    turned = ra.PartialRanking.from_buckets(["C", "AB"])
    assert graph.feedback_arcs(turned)["above"].tolist() == ["A", "B"]
