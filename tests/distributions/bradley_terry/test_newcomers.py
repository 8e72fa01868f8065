"""Items without a rating: by hand, and by connectivity in small tables of wins."""

import numpy as np
import pytest

import rankagg as ra
from rankagg.distributions.bradley_terry.newcomers import without_newcomers


def leads_to(beats):
    """Return who reaches whom by any number of wins, step by step."""
    reach = np.eye(len(beats), dtype=bool) | beats
    for _ in beats:
        reach = reach | (reach.astype(int) @ reach.astype(int) > 0)
    return reach


@pytest.mark.parametrize("seed", range(60))
def test_rated_items_are_the_largest_strongly_connected_group(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j and rng.random() < 0.35]
    pairs = pairs or [(0, 1)]
    ties = rng.random(len(pairs)) < 0.2
    first, second = np.transpose(pairs)
    data = ra.Comparisons("ABCDEFGH"[:n], first, second, np.where(ties, 0, 1))
    beats = np.zeros((n, n), dtype=bool)
    beats[first, second] = True
    beats[second[ties], first[ties]] = True
    both = leads_to(beats) & leads_to(beats).T
    group = both[np.argmax(both.sum(axis=1))]
    rated, newcomers = without_newcomers(data)
    if 2 * group.sum() <= n:
        assert rated is data
        assert newcomers.empty
        return
    assert rated.items.labels == data.items.where(group)
    inside = group[first] & group[second]
    assert rated == data.take(inside).restrict(rated.items)
    for item, row in newcomers.iterrows():
        at = data.items.index(item)
        won = (first == at) & group[second] & ~ties
        lost = (second == at) & group[first] & ~ties
        assert (row["wins"], row["ties"], row["losses"]) == (won.sum(), 0, lost.sum())
        assert row["battles"] == won.sum() + lost.sum()
        word = "won every" if won.any() else "lost every" if lost.any() else "no battle with"
        assert row["reason"].startswith(word)
    ra.BradleyTerry.fit(rated)


def often(*few, times=20):
    """Return comparisons of A, B and C, each pair twice `times`, and a few others."""
    pairs = [(a, b) for a in "ABC" for b in "ABC" if a != b] * times + list(few)
    return ra.Comparisons.from_arrays(*zip(*pairs, strict=True), [1] * len(pairs))


def test_few_battles_are_below_a_tenth_of_the_median():
    few = [("R", "A"), ("A", "R"), ("R", "B"), ("C", "R")]
    rated, newcomers = without_newcomers(often(*few))
    assert rated == often()
    # The items in the middle have 80 or 81 battles: a tenth is 8.1, and R has 4.
    assert newcomers.loc["R", "reason"] == "fewer than 9 battles"
    assert without_newcomers(often(*few * 3))[1].empty
    # Where all have few, nobody has too few.
    assert without_newcomers(often(*few, times=1))[1].empty


def test_an_item_that_lost_only_to_a_newcomer_is_unrated():
    unbeaten = [("S", "A"), ("S", "B"), ("S", "C")] * 20
    rated, newcomers = without_newcomers(often(("R", "A"), ("A", "R"), ("R", "S"), *unbeaten))
    assert rated == often()
    assert newcomers["battles"].to_dict() == {"R": 2, "S": 60}
    assert newcomers.loc["S", "reason"] == "won every battle: no finite rating"
