"""The choice of a rule by halves of the voters, against halving by hand."""

from itertools import combinations

import numpy as np
import pytest

import rankagg as ra
from rankagg.analysis import choose_rule
from rankagg.analysis.rule_choice import _halves
from rankagg.exceptions import InvalidInputError

BALLOTS = ra.Profile.from_orders(["ABCD", "BADC", "DCBA"], counts=[4, 3, 2])


def test_halves_have_no_voter_in_common():
    halves = []

    class Seen(ra.Borda):
        def _aggregate(self, evidence, rng):
            halves.append(evidence.profile)
            return super()._aggregate(evidence, rng)

    choose_rule(BALLOTS, [Seen(), ra.Borda()], n_splits=30, rng=0)
    order = {tuple(row): i for i, row in enumerate(BALLOTS.ranks.tolist())}
    for first, second in zip(halves[::2], halves[1::2], strict=True):
        assert first.n_rankings == second.n_rankings == 4  # one of nine is left out
        both = np.zeros(3, dtype=int)
        for half in (first, second):
            for row, count in zip(half.ranks.tolist(), half.counts, strict=True):
                both[order[tuple(row)]] += count
        assert (both <= BALLOTS.counts).all()
        assert both.sum() == 8


def test_an_odd_task_is_in_neither_half():
    table = ra.ScoreTable(np.eye(3, 5), tasks="vwxyz", higher_is_better=True)
    for seed in range(5):
        first, second = _halves(table, 2, np.random.default_rng(seed))
        assert len(first.tasks) == len(second.tasks) == 2
        assert not set(first.tasks) & set(second.tasks)


@pytest.mark.parametrize("kind", ["families", "clusters"])
def test_what_depends_on_each_other_stays_in_one_half(kind):
    unit_of = [0, 1, 1, 2, 0, 3, 3, 3]
    scores = np.random.default_rng(0).normal(size=(3, 8))
    table = ra.ScoreTable(scores, higher_is_better=True)
    table = table.with_task_families(dict(enumerate(map(str, unit_of))))
    data = table if kind == "families" else table.rankings()
    columns = [tuple(row) for row in table.rankings().ranks.tolist()]
    for seed in range(9):
        halves = list(_halves(data, 2, np.random.default_rng(seed)))
        parts = [half.rankings() if kind == "families" else half for half in halves]
        sides = [sorted(map(tuple, part.ranks.tolist())) for part in parts]
        wanted = [
            sorted(row for row, unit in zip(columns, unit_of, strict=True) if unit in pair)
            for pair in combinations(range(4), 2)
        ]
        assert sides[0] in wanted
        assert sides[1] in wanted
        assert sorted(sides[0] + sides[1]) == sorted(columns)
    found = choose_rule(data, [ra.Borda(), ra.Plurality()], n_splits=3, rng=0)
    assert (found.unit, found.n_units) == ("cluster", 4)


def test_distances_are_those_between_the_halves():
    table = ra.ScoreTable(
        [[3.0, 1, 3, 2], [2, 2, 1, 2], [1, 3, 2, 1]], higher_is_better=True, tasks="wxyz"
    )
    found = choose_rule(table, [ra.Borda(), ra.Median()], n_splits=200, rng=3)
    pairs = {}
    for rule in (ra.Borda(), ra.Median()):
        for half in ("wx", "wy", "wz"):
            rest = [task for task in "wxyz" if task not in half]
            one, other = (rule.aggregate(table.drop(tasks=t)).ranking for t in (half, rest))
            distance = ra.kendall_distance(one, other, tie_cost=0.5, normalized=True)
            pairs.setdefault(rule.name, set()).add(round(distance, 9))
    for name, row in zip(found.rules, found.distances, strict=True):
        assert set(row.round(9)) == pairs[name]
    frame = found.to_frame()
    assert frame.index[0] == found.best
    np.testing.assert_allclose(
        frame.loc[list(found.rules), "distance"], found.distances.mean(axis=1)
    )


def test_the_seed_repeats_and_the_summary_states_the_splits():
    rules = [ra.Plurality(), ra.Borda()]
    assert choose_rule(BALLOTS, rules, rng=1) == choose_rule(BALLOTS, rules, rng=1)
    summary = choose_rule(BALLOTS, rules, n_splits=5, rng=1).summary()
    assert "two halves of 9 rankings most alike of 2 rules, in 5 random splits" in summary
    assert "not whether it is right" in summary


@pytest.mark.parametrize(
    ("data", "rules", "message"),
    [
        (BALLOTS, [ra.Borda()], "`rules` must be at least two rules"),
        (BALLOTS.pairwise(), [ra.Borda(), ra.Kemeny()], "whose voters can be halved"),
        (["A > B"], [ra.Borda(), ra.Kemeny()], "at least two voters, .* Got 1 ranking"),
        (
            {"A > B": 10**9, "B > A": 1},
            [ra.Borda(), ra.Kemeny()],
            "fewer than 1,000,000,000. Got 1,000,000,001 rankings",
        ),
    ],
)
def test_bad_data_and_rules_are_refused(data, rules, message):
    with pytest.raises(InvalidInputError, match=message):
        choose_rule(data, rules)
