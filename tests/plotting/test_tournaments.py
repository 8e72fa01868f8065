"""The majority graph: arrows from winner to loser, in the order of the ranking."""

from itertools import permutations
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given

import rankagg as ra
from rankagg import plotting
from rankagg.exceptions import InvalidInputError, ItemMismatchError
from rankagg.plotting.theme import plot_labels
from rankagg.plotting.tournaments import LINK_LOOKS, _Link
from tests.plotting.reading import drawn_quickly, faults, notes, one, row_labels
from tests.strategies import policies, profiles


def graph_of(profile, unranked="uniform"):
    return ra.TournamentGraph(profile.with_unranked(unranked))


def drawn(ax, kind):
    """Return the pairs of a kind: {(first, second): artist}, by positions."""
    found = {}
    for artist in ax.get_children():
        name, *pair = (artist.get_gid() or "").split("-")
        if name == kind:
            assert tuple(map(int, pair)) not in found
            found[tuple(map(int, pair))] = artist
    return found


def all_drawn(ax):
    return {kind: set(drawn(ax, kind)) for kind in LINK_LOOKS if drawn(ax, kind)}


def margins(ax):
    return {pair: float(text.get_text()) for pair, text in drawn(ax, "margin").items()}


def points(ax, n):
    return np.array([one(ax, f"item-{k}").get_xydata()[0] for k in range(n)])


def ends(arrow):
    """Return where an arrow starts and where its head points to, in data coordinates."""
    path = arrow.get_path()
    vertices = path.vertices[path.codes != path.CLOSEPOLY]
    start = vertices[0]
    return start, vertices[np.argmax(np.hypot(*(vertices - start).T))]


def nearest(points, spot):
    return int(np.argmin(np.hypot(*(points - spot).T)))


def kinds_by_hand(graph, ranking):
    """Return every pair by its kind, from the votes alone."""
    found = {}
    votes, ranks = graph.votes, ranking.ranks
    for i in range(len(ranks)):
        for j in range(len(ranks)):
            known = ranks[i] >= 0 and ranks[j] >= 0 and ranks[i] != ranks[j]
            above = known and ranks[i] < ranks[j]
            margin = votes.wins[i, j] - votes.wins[j, i]
            if votes.comparisons[i, j] and margin > 1e-9:
                kind = "open" if not known else ("with" if above else "against")
                found.setdefault(kind, set()).add((i, j))
            elif i != j and (not votes.comparisons[i, j] or abs(margin) <= 1e-9):
                kind = "level" if votes.comparisons[i, j] else "never"
                if above or (not known and i < j):
                    found.setdefault(kind, set()).add((i, j))
    return found


# -- few items -----------------------------------------------------------------------------------


@drawn_quickly
@given(profile=profiles(min_size=2, max_rows=3), unranked=policies)
def test_every_pair_is_drawn_by_its_kind(profile, unranked):
    graph = graph_of(profile, unranked)
    first, last = profile[0], profile[-1]
    ax = plotting.tournament_plot(graph, first, against=last)
    assert all_drawn(ax) == kinds_by_hand(graph, first)
    reversed_pairs = {
        frozenset(pair)
        for pair in permutations(range(profile.n_items), 2)
        if 0 <= first.ranks[pair[0]] < first.ranks[pair[1]]
        and 0 <= last.ranks[pair[1]] < last.ranks[pair[0]]
    }
    assert set(map(frozenset, drawn(ax, "differs"))) == reversed_pairs
    index = graph.items.index
    expected = {(index(a.above), index(a.below)): a.margin for a in graph.arcs().itertuples()}
    assert margins(ax) == pytest.approx(expected, rel=6e-3)
    mpl.pyplot.close("all")


def test_arrows_run_from_winner_to_loser():
    voters = ra.datasets.load("tennessee")
    graph = graph_of(voters)
    for ax in (graph.plot(), graph.plot(ranking=voters[0])):
        where = points(ax, 4)
        for kind in ("with", "against"):
            for (winner, loser), arrow in drawn(ax, kind).items():
                start, end = ends(arrow)
                assert nearest(where, start) == winner
                assert nearest(where, end) == loser
                assert arrow.get_arrowstyle().arrow.endswith("|>")


def test_items_are_clockwise_from_the_top_with_names_and_places():
    graph = graph_of(ra.datasets.load("tennessee"))
    buckets = [["Knoxville"], ["Memphis", "Nashville"]]
    ranking = ra.PartialRanking.from_buckets(buckets, items=graph.items)
    ax = plotting.tournament_plot(graph, ranking)
    turned = np.unwrap(np.pi / 2 - np.arctan2(*points(ax, 4).T[::-1]) + 1e-9) % (2 * np.pi)
    order = [graph.items[int(i)] for i in np.argsort(turned)]
    assert order == ["Knoxville", "Memphis", "Nashville", "Chattanooga"]
    np.testing.assert_allclose(np.sort(turned), np.arange(4) * np.pi / 2, atol=1e-6)
    for k, place, name in zip(graph.items.indices(order), "122\N{EN DASH}", order, strict=True):
        rank, label = one(ax, f"rank-{k}"), one(ax, f"name-{k}")
        assert (rank.get_text(), label.get_text()) == (place, name)
        assert rank.get_position() == tuple(points(ax, 4)[k])
        assert nearest(points(ax, 4), label.get_position()) == k


def test_margins_do_not_collide_on_eight_items():
    votes = ra.distributions.Uniform([f"item {k}" for k in range(8)]).sample(5, rng=0)
    profile = ra.Profile(list(votes), counts=[10_000] * 5)
    ax = plotting.tournament_plot(graph_of(profile), against=ra.Borda().aggregate(profile))
    assert len(margins(ax)) == 28
    assert faults(ax) == []


# -- many items ----------------------------------------------------------------------------------


def test_many_items_have_arcs_only_where_the_order_is_not_followed(thirty):
    graph = graph_of(thirty)
    borda, exact = ra.Borda().aggregate(thirty), ra.Kemeny().aggregate(thirty)
    expected = kinds_by_hand(graph, exact.ranking)
    mine, theirs = exact.ranking.ranks, borda.ranking.ranks
    differ = (mine[:, None] < mine) & (theirs[:, None] > theirs)
    pairs = {tuple(pair) for pair in np.argwhere(differ).tolist()}
    ax = plotting.tournament_plot(graph, exact, against=borda)
    bands = {tuple(sorted(pair)) for pair in drawn(ax, "differs")}
    assert bands == {tuple(sorted(pair)) for pair in pairs}
    shown = all_drawn(ax)
    assert shown.get("against", set()) == expected.get("against", set())
    assert shown["with"] == expected["with"] & pairs
    left = len(expected["with"] - pairs)
    assert f"the other {left} majorities agree with Kemeny" in notes(ax)
    hidden = len(expected["level"] - shown["level"])
    assert bool(hidden) == ("as many votes each way" in notes(ax))
    expected_labels = zip(range(1, 31), plot_labels(exact.order), strict=True)
    assert row_labels(ax) == [f"{place}  {name}" for place, name in expected_labels]
    heights = [points(ax, 30)[graph.items.index(item)][1] for item in exact.order]
    assert heights == list(range(30))
    assert faults(ax) == []


def test_arcs_run_from_winner_to_loser_with_the_margin_at_their_top():
    orders = ["ABCDEFGHIJ", "CABDEFGHIJ", "ABDCEFJGHI"]
    graph = graph_of(ra.Profile.from_orders(orders))
    ranking = ra.Permutation.from_order("ECBADFGHJI")
    ax = plotting.tournament_plot(graph, ranking)
    where = points(ax, 10)
    assert all_drawn(ax) == {"against": kinds_by_hand(graph, ranking)["against"]}
    assert set(margins(ax)) == set(drawn(ax, "against"))
    for (winner, loser), arrow in drawn(ax, "against").items():
        path = arrow.get_path()
        vertices = path.vertices[path.codes != path.CLOSEPOLY]
        assert vertices[0][1] == pytest.approx(where[winner][1], abs=0.01)
        head = vertices[np.argmin(vertices[:, 0] + 9 * (abs(vertices[:, 1] - where[loser][1])))]
        assert head[1] == pytest.approx(where[loser][1], abs=0.2)
        text = drawn(ax, "margin")[winner, loser]
        assert text.get_position()[1] == (where[winner][1] + where[loser][1]) / 2
        assert float(text.get_text()) == graph.margins[winner, loser]
    left = len(kinds_by_hand(graph, ranking)["with"])
    assert f"the other {left} majorities agree with the ranking" in notes(ax)


# -- odd input -----------------------------------------------------------------------------------


def test_margins_are_written_shortly():
    def text(margin):
        return _Link(0, 1, "with", False, margin).text

    assert [text(m) for m in (None, 2.0, 1e6, 2 - 1e-12, 0.04762, 1234.56)] == [
        "", "2", "1000000", "2", "0.0476", "1235",
    ]  # fmt: skip


def test_bad_input_is_named():
    graph = graph_of(ra.datasets.load("tennessee"))
    for bad in ("Borda", SimpleNamespace(ranking=1)):
        with pytest.raises(InvalidInputError, match="`against` must be a PartialRanking"):
            plotting.tournament_plot(graph, against=bad)
        with pytest.raises(InvalidInputError, match="`ranking` must be a PartialRanking"):
            plotting.tournament_plot(graph, bad)
    with pytest.raises(ItemMismatchError):
        plotting.tournament_plot(graph, ra.Permutation.from_order("ABCD"))
