"""Which items comparisons link."""

import numpy as np
from hypothesis import given

from rankagg import Comparisons
from tests.core.test_comparisons import BATTLES, comparisons


@given(comparisons())
def test_groups_are_those_of_who_reaches_whom(drawn):
    made, rows = drawn
    n = made.n_items
    leads, met = np.eye(n, dtype=bool), np.eye(n, dtype=bool)
    for one, other, outcome, _ in rows:
        leads[one, other] |= outcome >= 0
        leads[other, one] |= outcome <= 0
        met[one, other] = met[other, one] = True
    for middle in range(n):
        leads |= leads[:, [middle]] & leads[[middle]]
        met |= met[:, [middle]] & met[[middle]]
    found = made.connectivity()
    labels = made.items.labels
    strong = {frozenset(i for i in range(n) if leads[i, j] and leads[j, i]) for j in range(n)}
    weak = {frozenset(np.flatnonzero(row).tolist()) for row in met}
    groups = [frozenset(labels.index(x) for x in group) for group in found.groups]
    assert set(groups) == strong
    assert {frozenset(labels.index(x) for x in part) for part in found.parts} == weak
    # No item leads to one of a former group.
    for at, group in enumerate(groups):
        for former in groups[:at]:
            assert not leads[np.ix_(list(group), list(former))].any()
    assert found.n_comparisons == len(made)
    assert found.is_connected == (len(strong) == 1)
    assert found.is_linked == (len(weak) == 1)
    for label, wins, ties, losses in zip(labels, found.wins, found.ties, found.losses, strict=True):
        assert (label in found.never_lost) == (wins > 0 and not ties and not losses)
        assert (label in found.never_won) == (losses > 0 and not ties and not wins)
        assert (label in found.never_compared) == (wins + ties + losses == 0)


def test_connectivity_in_words():
    text = str(BATTLES.connectivity())
    assert "2 parts that no comparison joins: a, b, c | d" in text
    assert "in no comparison: d" in text
    joined = Comparisons.from_arrays("AB", "BA", [1, 1]).connectivity()
    assert "Chains of wins and ties lead from every item to every other." in str(joined)
    for number, more in ((8, ""), (9, " | ... 9 groups in all")):
        at = np.arange(number - 1)
        text = str(Comparisons.from_arrays(at, at + 1, at >= 0).connectivity())
        assert f": 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7{more}\n" in text


def test_an_item_that_only_tied_was_compared():
    battles = Comparisons.from_arrays("AA", "BC", [1, 0], items="ABCD")
    (note,) = battles.connectivity().gaps
    assert note == "in no comparison, so placed by nothing: D"
