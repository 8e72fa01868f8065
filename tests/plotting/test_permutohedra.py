"""The permutohedron: neighbouring orders, the cheapest orders, and those of the consensus."""

from itertools import combinations, permutations
from operator import itemgetter

import matplotlib.pyplot as plt
import pytest

import rankagg as ra
from rankagg import plotting
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.theme import ACCENTS
from tests.plotting.reading import below, faults, notes, of_group


def texts(ax):
    return {text.get_text().split("\n")[0]: text for text in ax.texts if text.get_gid() == "order"}


def spots(ax):
    return {name: text.xy for name, text in texts(ax).items()}


@pytest.mark.parametrize("n", [1, 3, 4])
def test_lines_are_swaps_of_neighbours(n):
    items = "ABCD"[:n]
    ax = ra.teaching.show_steps(ra.Borda(), ra.Mallows(items, theta=0.5).sample(9, rng=n)).plot()
    at = spots(ax)
    assert at.keys() == {"".join(order) for order in permutations(items)}
    where = {tuple(map(float, spot)): name for name, spot in at.items()}
    swaps = of_group(ax, "swap")
    drawn = {
        frozenset(where[tuple(map(float, spot))] for spot in line.get_xydata()) for line in swaps
    }
    expected = {
        frozenset((a, b))
        for a, b in combinations(at, 2)
        if sum((a.index(x) < a.index(y)) != (b.index(x) < b.index(y))
               for x, y in combinations(items, 2)) == 1
    }  # fmt: skip
    assert drawn == expected
    rising = [sorted(map(tuple, line.get_xydata()), key=itemgetter(1)) for line in swaps]
    crossed = sum(
        (a[0] - c[0]) * (b[0] - d[0]) < 0
        for (a, b), (c, d) in combinations(rising, 2)
        if a[1] == c[1]
    )
    assert crossed == (8 if n == 4 else 0)
    assert faults(ax) == []


def test_the_cheapest_order_is_framed_and_the_consensus_marked():
    ax = ra.teaching.show_steps(ra.Borda(), ra.datasets.load("condorcet_1785")).plot()
    framed = {
        name for name, text in texts(ax).items()
        if plt.matplotlib.colors.to_hex(text.get_bbox_patch().get_edgecolor()).upper()
        == ACCENTS[1]
    }  # fmt: skip
    assert framed == {"BCA"}
    (mark,) = of_group(ax, "answer")
    x, y = spots(ax)["BAC"]
    assert mark.get_xdata()[0] == x
    assert y - 0.5 < mark.get_ydata()[0] < y
    assert "the consensus by Borda" in below(ax)


def test_a_consensus_without_some_item_marks_no_order():
    # C has no score. Its rank, -1, is below all others as a number, so C > A > B must not agree.
    nan = float("nan")
    table = ra.ScoreTable([[3, 2], [2, 1], [nan, nan]], systems="ABC", higher_is_better=True)
    consensus = ra.Mean().aggregate(table)
    assert not consensus.ranking.is_complete
    ax = plotting.permutohedron_plot(consensus)
    assert of_group(ax, "answer") == []
    assert "Mean leaves items out, so that no order is marked" in notes(ax)


def test_names_are_letters_with_a_key():
    ballots = ra.Profile.from_orders([["$x$ one", "x two", "y"], ["y", "$x$ one", "x two"]])
    ax = ra.teaching.show_steps(ra.Kemeny(), ballots).plot()
    assert spots(ax).keys() == {"".join(order) for order in permutations("ABC")}
    assert "A $x$ one, B x two, C y" in below(ax)
    numbers = ra.Profile.from_orders([[10, 11, 12]])
    assert "10 11 12" in spots(ra.teaching.show_steps(ra.Kemeny(), numbers).plot())


def test_five_items_are_refused():
    with pytest.raises(InvalidInputError, match="at most 4 items"):
        ra.teaching.show_steps(ra.Borda(), ra.Profile.from_orders(["ABCDE"])).plot()
