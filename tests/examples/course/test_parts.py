"""What the apps compute, against slow and obvious answers."""

import re
from fractions import Fraction
from itertools import combinations, permutations
from math import exp, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chances
import pictures
import rankagg as ra
import voting

# -- ballots ------------------------------------------------------------------------------------


@st.composite
def written(draw):
    """Draw ballots as lists of groups, with how often each was cast; the first ranks all."""
    items = draw(st.permutations(["Ann", "Bo b", "C&D", "é", "5"]))[: draw(st.integers(2, 5))]
    found = []
    for k in range(draw(st.integers(1, 4))):
        order = draw(st.permutations(items))
        order = order if k == 0 else order[: draw(st.integers(1, len(items)))]
        cuts = draw(st.lists(st.booleans(), min_size=len(order) - 1, max_size=len(order) - 1))
        groups = [[order[0]]]
        for item, cut in zip(order[1:], cuts, strict=True):
            groups.append([item]) if cut else groups[-1].append(item)
        found.append((draw(st.integers(1, 10**6)), groups))
    return found


@given(written())
def test_ballots_that_are_written_are_those_that_are_read(cast) -> None:
    lines = [f" {count} :{' >'.join(' = '.join(g) for g in groups)} # x" for count, groups in cast]
    profile = voting.profile_of_text("\n\n".join(lines))
    assert list(profile.counts) == [count for count, _ in cast]
    for row, (_, groups) in zip(profile.ranks, cast, strict=True):
        # As everywhere a rank is the number of items above.
        rank = {item: sum(map(len, groups[:k])) for k, g in enumerate(groups) for item in g}
        assert list(row) == [rank.get(item, ra.UNLISTED) for item in profile.items]
    again = voting.profile_of_text(voting.ballots_as_text(profile))
    # Within a tie names come in the order of the items.
    assert again.reindex(profile.items).ranks.tolist() == profile.ranks.tolist()
    assert list(again.counts) == list(profile.counts)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "no ballot that names anyone"),
        ("3: A", "two are needed"),
        ("A > B\n\nA > > B", "line 3 needs a name here"),
        ("A >", "line 1 needs a name here"),
        ("A > B = A", "line 1: 'A' is named twice"),
        ("0: A > B", "line 1: a line must read"),
        ("-2: A > B", "line 1: a line must read"),
        ("1.5: A > B", "line 1: a line must read"),
        ("x: A > B", "line 1: a line must read"),
        ("3: A > B\n2: A, B", "line 2: between commas 'A' needs a rating"),
        ("B < A\nA < B", "Only '>' and '=' part items"),
        ("3;1;2\n3;2;1", "Only '>' and '=' part items"),
        (" > ".join(f"i{k}" for k in range(13)), "13 items; this page holds 12"),
    ],
)
def test_bad_ballots_are_refused_with_their_line(text, sentence) -> None:
    with pytest.raises((ValueError, ra.exceptions.DataFormatError), match=re.escape(sentence)):
        voting.profile_of_text(text)


def test_names_with_separators_are_in_brackets() -> None:
    profile = voting.profile_of_text("[Smith, Ann]\n2: Bo > [Smith, Ann]")
    assert tuple(profile.items) == ("Smith, Ann", "Bo")
    assert voting.ballots_as_text(profile) == "1: [Smith, Ann]\n2: Bo > [Smith, Ann]"


@pytest.mark.parametrize(
    "profile",
    [
        ra.Profile.from_orders([["a#b", "c"]]),
        ra.Profile.from_orders([["a\nb", "c"]]),
        ra.Profile.from_orders(["AB"], items="ABC"),
        ra.Profile.from_orders(["AB"], weights=[0.5]),
        ra.datasets.load("xtreme_gaps").rankings(),
    ],
)
def test_profiles_that_lines_cannot_express_are_refused(profile) -> None:
    with pytest.raises(ValueError, match=r"rename the item|a line cannot say"):
        voting.ballots_as_text(profile)


# -- outcomes -----------------------------------------------------------------------------------


def test_all_rules_for_ballots_are_listed_and_refusals_explained() -> None:
    names = {rule.name for rule in voting.every_rule()}
    assert {"Borda", "Kemeny", "Copeland", "Schulze", "Bucklin", "PickAPerm"} <= names
    assert not names & {"Mean", "Median", "TwoLevel", "TopK"}
    rows = voting.outcomes(voting.profile_of_text("3: A > B > C\n2: C"))
    listed = [name for _, rules in rows for name in rules.split(", ")]
    assert sorted(listed) == sorted(names)
    assert rows[0][1].startswith("Borda")


@settings(max_examples=15)
@given(st.lists(st.permutations("ABCD"), min_size=1, max_size=5))
def test_the_disagreement_is_that_of_the_two_rankings(orders) -> None:
    profile = ra.Profile.from_orders(orders)
    borda, kemeny = (rule.aggregate(profile).ranking for rule in (ra.Borda(), ra.Kemeny()))
    found = voting.disagreement(profile)
    pairs = [
        (a, b)
        for a, b in permutations("ABCD", 2)
        if kemeny.rank(a) < kemeny.rank(b) and borda.rank(a) >= borda.rank(b)
    ]
    assert ("agree" in found.verdict) == (not pairs) == (not found.reasons)
    if pairs:
        above, below = re.search(r"Kemeny has (\w) above (\w)", found.verdict).groups()
        assert (above, below) in pairs
        level = borda.rank(above) == borda.rank(below)
        relation = "level with" if level else "above"
        assert found.verdict.endswith(f"Borda {below} {relation} {above}.")
        assert f"differ on {len(pairs)} pair" in found.verdict


# -- the cycle ----------------------------------------------------------------------------------


@given(*[st.integers(0, 5)] * 3)
def test_the_sentence_on_rotated_orders_agrees_with_the_margins(a, b, c) -> None:
    found = voting.rotated(a, b, c)
    if a + b + c == 0:
        assert found.votes is None
        return
    beats = {"AB": a + c - b, "BC": a + b - c, "CA": b + c - a}
    for k, name in enumerate("ABC"):
        wins = [m if pair[0] == name else -m for pair, m in beats.items() if name in pair]
        own = (a, b, c)[k]
        assert found.verdict.startswith(f"{name} beats everybody") == all(m > 0 for m in wins)
        assert all(m > 0 for m in wins) == (2 * own > a + b + c)
        if found.verdict.startswith("Half"):
            assert (name in found.verdict.split("nobody beats ")[1]) == all(m >= 0 for m in wins)
    assert ("whoever is chosen" in found.verdict) == all(m > 0 for m in beats.values())
    costs = [
        sum(
            number * sum(order.index(x) > order.index(y) for x, y in combinations(ranking, 2))
            for order, number in (("ABC", a), ("BCA", b), ("CAB", c))
        )
        for ranking in permutations("ABC")
    ]
    others = costs.count(min(costs)) - 1
    assert f" contradicts {min(costs)} vote" in found.cost
    assert (f"and {others} other ranking" in found.cost) == (others > 0)


# -- manipulation -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [3, 4, 33])
def test_gains_of_ballots_are_those_of_borda_by_hand(seed) -> None:
    others = voting.electorate(seed)
    found = voting.results_of_ballots(others, "ABCD", ra.Borda())
    assert len(found) == 24
    places = {}
    for ballot in permutations("ABCD"):
        points = dict.fromkeys("ABCD", 0)
        for order in [*(one.order for one in others), ballot]:
            for k, item in enumerate(order):
                points[item] += 3 - k
        first = [item for item in "ABCD" if points[item] == max(points.values())]
        assert sorted(found[ballot].winners) == first
        places[ballot] = Fraction(sum("ABCD".index(one) + 1 for one in first), len(first))
    truth = places[tuple("ABCD")]
    for ballot, place in places.items():
        assert found[ballot].gain == (place < truth) - (place > truth)
    assert next(iter(found)) == tuple("ABCD")


def test_a_lone_voter_gains_nothing_and_some_electorate_can_be_manipulated() -> None:
    lone = ra.Profile.from_orders(["ABC", "CBA"])
    assert all(
        one.gain <= 0 for one in voting.results_of_ballots(lone, "ABC", ra.Kemeny()).values()
    )
    gains = voting.results_of_ballots(voting.electorate(33), "ABCD", ra.Borda())
    assert sum(one.gain > 0 for one in gains.values()) == 3


# -- pictures and models ------------------------------------------------------------------------


@pytest.mark.parametrize(("center", "edges"), [("ABC", 6), ("CABD", 36)])
def test_the_permutohedron_has_its_vertices_and_edges(center, edges) -> None:
    model = chances.make_model("Mallows", center, 0.4)
    svg = pictures.permutohedron(center, chances.vertices(model, center))
    orders = re.findall(r'data-order="(\w+)"', svg)
    assert sorted(orders) == sorted("".join(order) for order in permutations(center))
    assert svg.count("<line") == edges
    spots = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', svg)
    assert len(set(spots)) == len(orders)
    swaps = {
        order: sum(order.index(a) > order.index(b) for a, b in combinations(center, 2))
        for order in orders
    }
    heights = {swaps[order]: float(y) for order, (_, y) in zip(orders, spots, strict=True)}
    assert [heights[k] for k in sorted(heights)] == sorted(set(heights.values()))
    for order, (_, y) in zip(orders, spots, strict=True):
        assert float(y) == heights[swaps[order]]


@pytest.mark.parametrize("strength", [0.0, 0.7, 3.0])
def test_probabilities_are_those_of_the_definitions(strength) -> None:
    center = "ABCD"
    orders = pictures.all_orders(center)
    weights = [
        exp(-strength * sum(o.index(a) > o.index(b) for a, b in combinations(center, 2)))
        for o in orders
    ]
    found = chances.probabilities(chances.make_model("Mallows", center, strength), center)
    np.testing.assert_allclose(found, np.array(weights) / sum(weights))
    worth = {item: exp(-strength * k) for k, item in enumerate(center)}
    shares = [prod(worth[o[k]] / sum(worth[i] for i in o[k:]) for k in range(4)) for o in orders]
    found = chances.probabilities(chances.make_model("Plackett-Luce", center, strength), center)
    np.testing.assert_allclose(found, shares)


def test_the_majority_graph_marks_arrows_against_the_order() -> None:
    cycle = ra.Profile.from_orders(["ABC", "BCA", "CAB"]).pairwise()
    svg = pictures.majority_graph(cycle, ("A", "B", "C"))
    assert svg.count('class="with"') == 2
    assert svg.count('class="against"') == 1
    assert "C beats A by 1 (contradicted)" in svg
    tied = ra.Profile.from_orders(["<b>&x", "x&>b<"]).pairwise()
    svg = pictures.majority_graph(tied, tuple(tied.items))
    assert "<line" not in svg
    assert "&lt;" in svg


def test_draws_are_of_tasks_and_shares_are_those_of_many_draws() -> None:
    profile = chances.board("superglue_human")
    truth = chances.true_ranks(profile)
    assert list(truth) == [1, 2, 3, 4, 5, 6]
    shares = chances.shares_of_ranks(profile, 10)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    # The bootstrap of the library draws as many tasks as there are.
    bootstrap = ra.rank_shares(profile, ra.Borda(), n_resamples=400, rng=1).to_frame()
    assert abs(shares[0, 0] - float(bootstrap.iloc[0, 0])) < 0.15
    few, many = (chances.draw_tasks(profile, n, 1) for n in (10, 160))
    assert (many.worst - many.best).sum() < (few.worst - few.best).sum()
    assert list(chances.draw_tasks(profile, 10, 1).rank) == list(few.rank)
    assert any(
        list(chances.draw_tasks(profile, 10, seed).rank) != list(few.rank) for seed in (2, 3, 4)
    )
    svg = chances.ranks_chart(profile, truth, few, shares)
    assert svg.count("<rect") == 36
    assert svg.count("data-item") == 6
    # Items that tie share the better rank.
    tied = ra.Profile.from_ranks([[1, 2, 2]] * 3)
    assert chances.shares_of_ranks(tied, 2).tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 0]]
    assert chances.true_ranks(tied).tolist() == [1, 2, 2]
