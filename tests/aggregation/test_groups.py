"""Groups that nothing joins are named wherever something orders across them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation.evidence import _parts_of_rows
from rankagg.core import graphs
from rankagg.core.graphs import gap_notes
from rankagg.exceptions import NotIdentifiedError

NAN = float("nan")
NAMES = ["Ada", "Bee", "Cid", "Dot", "Eve", "Fay"]
PANELS = ra.Profile.from_ranks(
    [
        [1, 2, 3, NAN, NAN, NAN],
        [2, 1, 3, NAN, NAN, NAN],
        [NAN, NAN, NAN, 1, 2, 3],
        [NAN, NAN, NAN, 1, 3, 2],
    ],
    items=NAMES,
)
BLOCKS = ra.ScoreTable(
    [[9, 8, NAN], [7, 6, NAN], [NAN, NAN, 5], [NAN, NAN, 4]],
    systems=NAMES[:4],
    tasks=["x", "y", "z"],
    higher_is_better=True,
)
JOINS = "no ranking joins {Ada, Bee, Cid} and {Dot, Eve, Fay}"
ALONE = "their order relative to each other rests on"


def merged(present: np.ndarray) -> list[set[int]]:
    """Return the groups by merging the sets of rows until none share an item."""
    groups = [{i} for i in range(present.shape[1])]
    for row in present:
        for i, j in combinations(np.flatnonzero(row).tolist(), 2):
            one, other = (next(g for g in groups if k in g) for k in (i, j))
            if one is not other:
                groups.remove(other)
                one |= other
    return groups


@pytest.mark.parametrize("at_once", [3, 2**20])
@pytest.mark.parametrize("n", [1, 2, 7, 70])
def test_parts_are_those_of_merging_rows_one_by_one(
    n: int, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graphs, "CELLS_AT_ONCE", at_once)
    rng = np.random.default_rng(n)
    for share in (0.0, 0.5 / n, 1 / n, 2 / n):
        present = rng.random((12, n)) < share
        part = _parts_of_rows(present)
        found = {frozenset(np.flatnonzero(part == k).tolist()) for k in set(part.tolist())}
        assert found == set(map(frozenset, merged(present)))


@pytest.mark.parametrize(
    ("rule", "policy", "rests"),
    [
        (ra.Borda(), "uniform", "the policy 'uniform' for absent items alone"),
        (ra.Kemeny(), "last", "the policy 'last' for absent items alone"),
        (ra.Copeland(), "ignore", "the policy 'ignore' for absent items alone"),
        (ra.InstantRunoff(), "ignore", "the policy 'last' for absent items alone"),
        (ra.distributions.PlackettLuceRanking(), "uniform", "no comparison"),
        (ra.distributions.MallowsRanking(), "ignore", "no comparison"),
    ],
    ids=str,
)
def test_every_rule_names_the_groups_of_rankings_once(rule, policy, rests) -> None:
    notes = rule.aggregate(PANELS.with_unranked(policy)).notes
    assert [note for note in notes if "joins" in note] == [f"{JOINS}: {ALONE} {rests}"]


def test_the_note_names_groups_in_the_words_of_the_data() -> None:
    groups = "{Ada, Bee} and {Cid, Dot}"
    uniform = "the policy 'uniform' for absent items alone"
    cases: list[tuple[Any, Any, str]] = [
        (ra.Mean(), BLOCKS, f"no task joins {groups}: {ALONE} no comparison"),
        (ra.Borda(), BLOCKS, f"no task joins {groups}: {ALONE} {uniform}"),
        (
            ra.Borda(),
            ra.ScoreSummary.from_scores(BLOCKS),
            f"no instance joins {groups}: {ALONE} {uniform}",
        ),
        # Imputed votes are everywhere, and join nothing.
        (
            ra.Kemeny(),
            BLOCKS.rankings().pairwise(),
            f"no comparison joins {groups}: {ALONE} {uniform}",
        ),
    ]
    wins = np.zeros((4, 4))
    wins[0, 1] = wins[3, 2] = 2
    plain = f"no comparison joins {groups}: {ALONE} no comparison"
    cases.append((ra.Kemeny(), ra.PairwiseMatrix.from_wins(wins, items=NAMES[:4]), plain))
    battles = ra.Comparisons.from_arrays(["Ada", "Cid"], ["Bee", "Dot"], [1, 0])
    cases.append((ra.Kemeny(), battles, plain))
    for rule, data, note in cases:
        assert rule.aggregate(data).notes[-1] == note


def test_no_note_is_made_if_chains_join_all_items() -> None:
    chain = ra.Profile.from_orders(["AB", "BC", "CD"], items="ABCD")
    # Listed items are above unlisted ones, so that a short list joins all.
    lists = ra.Profile.from_orders(["A", "D"], items="ABCD")
    lists = lists._replace(ranks=np.where(lists.ranks < 0, ra.UNLISTED, lists.ranks))
    ties = ra.PairwiseMatrix.from_wins(np.zeros((2, 2)), ties=[[0, 1], [1, 0]], items="AB")
    for data in (chain, lists, ties, chain.pairwise(), ra.Profile.from_orders(["A"])):
        assert not [note for note in ra.Kemeny().aggregate(data).notes if "joins" in note]


def test_items_in_no_ranking_are_no_group() -> None:
    data = ra.Profile.from_orders(["AB", "BA"], items="ABC")
    (note,) = ra.Borda().aggregate(data).notes
    assert note == "in no ranking, placed by the policy 'uniform' alone: C"
    two = ra.Profile.from_orders(["AB", "CD"], items="ABCDE")
    first, second = ra.Borda().aggregate(two.with_unranked("last")).notes[-2:]
    assert first == "in no ranking, placed by the policy 'last' alone: E"
    assert second.startswith("no ranking joins {A, B} and {C, D}: ")


def test_many_groups_and_large_ones_are_shortened() -> None:
    items, part = ra.ItemSet(range(30)), np.arange(30, dtype=np.int32) // 2
    (note,) = gap_notes(items, part, np.zeros(30, dtype=bool), "task")
    assert note.startswith("no task joins {0, 1}, {2, 3}, {4, 5}, {6, 7} and 11 more groups: ")
    (note,) = gap_notes(items, (part > 6).astype(np.int32), np.zeros(30, dtype=bool), "task")
    assert "{0, 1, 2, 3, 4, 5 and 8 more} and {14, 15, 16, 17, 18, 19 and 10 more}" in note


def test_counts_intervals_fits_and_explanations_have_the_note() -> None:
    last = f"{JOINS}: {ALONE} the policy 'last' for absent items alone"
    assert last in ra.InstantRunoff(tie_breaking="order").count(PANELS.with_unranked("last")).notes
    assert last in ra.STV(2).count(PANELS).notes
    none = f"{JOINS}: {ALONE} no comparison"
    assert none in ra.rank_intervals(PANELS).notes
    assert none in ra.rank_intervals(PANELS, of="pairwise").notes
    imputed = f"{JOINS}: {ALONE} the policy 'uniform' for absent items alone"
    assert imputed in ra.rank_intervals(PANELS, method="hoeffding").notes
    assert none in ra.PlackettLuce.fit(PANELS, pseudo_rankings=0.5).notes
    for data in (PANELS, BLOCKS, PANELS.with_unranked("ignore").pairwise()):
        fit = ra.BradleyTerry.fit(data, pseudo_rankings=0.5)
        assert "joins {Ada, Bee" in fit.notes[-1]
    with pytest.raises(NotIdentifiedError):
        ra.PlackettLuce.fit(PANELS)
    assert none in ra.Mallows.fit(PANELS).notes
    exact = ra.Kemeny().aggregate(PANELS)
    across, within = ra.explain(exact, "Ada", "Dot"), ra.explain(exact, "Ada", "Cid")
    assert (across.are_joined, within.are_joined) == (False, True)
    assert "groups      no chain of rankings joins Dot and Ada" in str(across)
    assert "joins" not in str(within)
