"""The pairwise heat map: each share in its cell, in the order of the consensus."""

import numpy as np
import pytest

import rankagg as ra
from rankagg import plotting
from rankagg.exceptions import ItemMismatchError
from rankagg.testing.plots import of_group
from tests.plotting.reading import column_labels, row_labels


def drawn(ax):
    """Return the shares that the image shows."""
    (image,) = ax.get_images()
    return image.get_array()


def test_cells_hold_the_shares_in_consensus_order():
    voters = ra.datasets.load("tennessee")
    votes = voters.pairwise()
    ax = plotting.pairwise_heatmap(votes)
    order = ["Nashville", "Chattanooga", "Knoxville", "Memphis"]
    at = votes.items.indices(order)
    expected = votes.proportion[np.ix_(at, at)]
    cells = drawn(ax)
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose(cells[off], expected[off])
    assert cells.mask[np.diag_indices(4)].all()
    assert column_labels(ax) == order
    assert row_labels(ax) == [f"{place}  {name}" for place, name in enumerate(order, start=1)]
    numbers = {t.get_position(): t.get_text() for t in of_group(ax, "share")}
    for i in range(4):
        for j in range(4):
            if i != j:
                assert numbers[j, i] == f"{100 * expected[i, j]:.0f}"


def test_majorities_that_the_consensus_contradicts_are_framed():
    voters = ra.datasets.load("condorcet_1785")
    ax = plotting.pairwise_heatmap(voters.pairwise())
    (frame,) = of_group(ax, "against")
    row, column = round(frame.get_y() + 0.44), round(frame.get_x() + 0.44)
    names = column_labels(ax)
    assert (names[row], names[column]) == ("B", "A")  # 33 of 60 have A above B
    borda = ra.Borda().aggregate(ra.datasets.load("borda_fails_condorcet"))
    assert len(of_group(plotting.pairwise_heatmap(borda.pairwise, borda), "against")) == 1


def test_decided_pairs_have_a_dot():
    profile = ra.Profile.from_orders(["ABC", "BAC"], counts=[60, 50])
    decisions = ra.PairwiseIntervals.from_data(profile, method="clopper-pearson").decisions()
    assert set(decisions.pairs) == {("A", "C"), ("B", "C")}
    ax = plotting.pairwise_heatmap(profile.pairwise(), decisions=decisions)
    dots = {(round(y), round(x)) for d in of_group(ax, "decided") for x, y in d.get_xydata()}
    assert dots == {(0, 2), (1, 2)}


@pytest.mark.parametrize("policy", ["ignore", "uniform", "last"])
def test_pairs_that_nobody_compared_are_hatched_whatever_is_imputed(policy):
    profile = ra.Profile.from_ranks([[1, 2, np.nan], [np.nan, np.nan, 1]])
    votes = profile.pairwise(policy)
    ax = plotting.pairwise_heatmap(votes)
    hatched = [p for p in ax.patches if p.get_hatch()]
    assert len(hatched) == 4
    assert int(drawn(ax).mask.sum()) == 3 + 4
    assert not [t for t in of_group(ax, "share") if "nan" in t.get_text()]


def test_colors_part_at_one_half_and_gray_prints_tell_the_sides():
    ax = plotting.pairwise_heatmap(ra.datasets.load("tennessee").pairwise())
    (image,) = ax.get_images()
    assert image.get_clim() == (0, 1)
    red, _, blue, _ = np.array(image.cmap([0.3, 0.5, 0.7])).T
    assert red[0] > blue[0]
    assert blue[2] > red[2]
    assert abs(red[1] - blue[1]) < 0.05
    light = image.cmap(np.linspace(0, 1, 5))[:, :3] @ [0.3, 0.59, 0.11]
    assert light.argmax() == 2
    assert light[0] > light[4] + 0.2


def test_rankings_and_decisions_are_of_the_same_items():
    votes, other = ra.datasets.load("tennessee").pairwise(), ra.Permutation.from_order("ABCD")
    none = np.zeros((4, 4), dtype=bool)
    decisions = ra.inference.Decisions(items=other.items, above=none, alpha=0.05, how="by hand")
    for options in ({"ranking": other}, {"decisions": decisions}):
        with pytest.raises(ItemMismatchError):
            plotting.pairwise_heatmap(votes, **options)
