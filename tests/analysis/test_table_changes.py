"""Changes between tables: new and lost systems, causes of moves, decided pairs."""

from itertools import permutations

import numpy as np
import pytest

import rankagg as ra
from rankagg.analysis import compare_tables
from rankagg.analysis.table_changes import _turns
from rankagg.exceptions import InvalidInputError


def table_of(values, systems, tasks, **options):
    return ra.ScoreTable(values, systems=systems, tasks=tasks, higher_is_better=True, **options)


OLD = table_of([[4, 4, 4], [3, 3, 3], [2, 2, 2], [1, 1, 1]], "ABCD", "xyz")


def test_each_cause_of_change_is_measured_by_itself():
    """Places are those of the rule on tables in which one thing after the other is changed."""
    new = table_of([[9, 1, 5], [3, 3, 3], [2, 6, 2], [5, 5, 5]], "CBDE", "xyw")
    found = compare_tables(OLD, new, ra.Borda())
    assert (found.came, found.gone) == (("E",), ("A",))
    assert (found.new_tasks, found.lost_tasks) == (("w",), ("z",))
    assert found.n_scores == 4  # of C and D on x and y
    frame = found.to_frame().loc[list("BCD")]
    assert frame["before"].tolist() == [2, 3, 4]
    assert frame["gone"].tolist() == [1, 1, 1]
    # B C D on x, y, z: C changes alone to 9 1 and D alone to 2 6.
    with_c = table_of([[3, 3, 3], [9, 1, 2], [1, 1, 1]], "BCD", "xyz")
    with_d = table_of([[3, 3, 3], [2, 2, 2], [2, 6, 1]], "BCD", "xyz")
    with_both = table_of([[3, 3, 3], [9, 1, 2], [2, 6, 1]], "BCD", "xyz")
    final = table_of([[3, 3, 3], [9, 1, 5], [2, 6, 2]], "BCD", "xyw")
    rank = {
        name: [ra.Borda().aggregate(table).ranking.rank(label) for label in "BCD"]
        for name, table in [("c", with_c), ("d", with_d), ("both", with_both), ("final", final)]
    }
    own = [0, 2 - rank["c"][1], 3 - rank["d"][2]]
    assert frame["own_scores"].tolist() == own
    total = np.array([1, 2, 3]) - rank["both"]
    assert frame["other_scores"].tolist() == (total - own).tolist()
    assert frame["tasks"].tolist() == (np.array(rank["both"]) - rank["final"]).tolist()
    causes = frame[["gone", "own_scores", "other_scores", "tasks", "came"]].sum(axis=1)
    assert causes.tolist() == frame["moved"].tolist()


def test_equal_tables_have_no_changes():
    found = compare_tables(OLD, OLD)
    assert not found.turns
    assert found.n_scores == 0
    assert not found.to_frame().drop(columns=["before", "after", "decided"]).to_numpy().any()
    assert "0 of 4 systems in both tables moved, by Kemeny" in found.summary()


def test_reversed_pairs_are_decided_by_the_test():
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 0.1, (3, 40))
    old = table_of(np.array([[2.0], [1], [0]]) + noise, "ABC", range(40))
    new = table_of(np.array([[0.0], [2], [1.9]]) + noise, "ABC", range(40))
    found = compare_tables(old, new, ra.Mean())
    turned = found.turned().set_index(["above", "below"])["decided"]
    assert turned["B", "A"]
    assert turned["C", "A"]
    assert ("B", "C") not in turned
    for turn in found.turns:
        test = ra.paired_test(new, turn.above, turn.below, rng=0)
        assert turn.p_value == test.p_value
        assert turn.decided == (test.p_value * 3 <= 0.05)
    assert "B is now above A: decided" in found.summary()


def test_six_agreeing_tasks_do_not_decide_one_of_three_pairs():
    noise = np.random.default_rng(0).normal(0, 0.1, 6)
    old = table_of([[1.0] * 6, [0.0] * 6, [-1.0] * 6], "ABC", "uvwxyz")
    new = table_of([[0.0] * 6, 1 + noise, [-1.0] * 6], "ABC", "uvwxyz")
    (turn,) = compare_tables(old, new, ra.Mean()).turns
    assert turn.p_value == 2 / 64
    assert not turn.decided
    assert compare_tables(old, new, ra.Mean(), alpha=0.1).turns[0].decided


def test_instances_gaps_and_policies_are_kept():
    values = np.random.default_rng(1).normal(size=(4, 6))
    values[0, 0] = values[2, 5] = np.nan
    options = {"instances": [1, 2, 1, 2, 1, 2]}
    old = table_of(values, "ABCD", list("xxyyzz"), **options).with_unranked("last")
    new = table_of(values[::-1] + 1, "DCBA", list("xxyyzz"), **options).with_unranked("last")
    found = compare_tables(old, new, ra.Borda())
    expected = [ra.Borda().aggregate(t).ranking.rank("A") for t in (old, new)]
    assert found.to_frame().loc["A", ["before", "after"]].tolist() == expected
    assert found.n_scores == 12
    assert not found.turns


@pytest.mark.parametrize(
    ("after", "message"),
    [
        (table_of([[1.0]], "Z", "x"), "a table with some system of `before`. Got none of A, B"),
        (ra.ScoreTable([[1.0]], systems="A", tasks="x", higher_is_better=False), "of 'x'"),
        (OLD.rankings(), "`after` must be a ScoreTable"),
    ],
)
def test_tables_that_cannot_be_compared_are_refused(after, message):
    with pytest.raises(InvalidInputError, match=message):
        compare_tables(OLD, after)


def optimal_ranks(table, label):
    """Return the ranks of a system in all optimal rankings, by trying every order."""
    votes = table.rankings().pairwise()
    orders = [
        ra.Permutation.from_order(o, items=table.systems) for o in permutations(table.systems)
    ]
    costs = [votes.cost(order) for order in orders]
    return {o.rank(label) for o, cost in zip(orders, costs, strict=True) if cost == min(costs)}


@pytest.mark.parametrize("seed", range(6))
def test_kemenys_own_scores_are_those_of_some_optimal_ranking(seed):
    """And moves that an optimal ranking does without are counted."""
    rng = np.random.default_rng(seed)
    old = table_of(rng.integers(0, 4, (5, 4)).astype(float), "ABCDE", "wxyz")
    new = table_of(rng.integers(0, 4, (5, 4)).astype(float), "ABCDE", "wxyz")
    found = compare_tables(old, new)
    frame = found.to_frame()
    for label in "ABCDE":
        values = old.values.copy()
        at = old.systems.index(label)
        values[at] = new.values[at]
        changed = table_of(values, "ABCDE", "wxyz")
        own = frame.loc[label, "before"] - frame.loc[label, "own_scores"]
        assert own in optimal_ranks(changed, label)
    chance = [
        label
        for label in "ABCDE"
        if frame.loc[label, "moved"]
        and spans_meet(optimal_ranks(old, label), optimal_ranks(new, label))
    ]
    text = " ".join(found.notes)
    assert text.startswith(f"{len(chance)} move") if chance else not text


def spans_meet(first, second):
    return min(first) <= max(second) and min(second) <= max(first)


def test_equal_votes_move_no_system():
    """Other scores of the same order are no cause, whichever optimal ranking is found."""
    old = table_of([[3, 1], [2, 3], [1, 2], [0, 0]], "ABCD", "xy")
    new = table_of([[3, 1], [2, 3], [1, 2], [0, -5]], "ABCD", "xy")
    found = compare_tables(old, new)
    assert found.n_scores == 1
    assert not found.to_frame().drop(columns=["before", "after", "decided"]).to_numpy().any()


def test_names_that_differ_in_case_alone_are_noted():
    old = table_of([[3, 1], [2, 3], [1, 2]], "ABC", ["ARC-c", "MMLU"])
    new = table_of([[3, 1], [2, 3], [1, 2]], ["A", "b", "C"], ["Arc-C", "GSM"])
    found = compare_tables(old, new)
    message = "{} are taken for two, though only case or blanks differ"
    assert found.notes[:2] == (
        message.format("systems 'B' and 'b'"),
        message.format("tasks 'ARC-c' and 'Arc-C'"),
    )
    assert f"note: {found.notes[0]}" in found.summary()


def test_a_test_in_favor_of_the_system_below_decides_nothing():
    after = ra.ScoreTable([[1.0] * 10, [2.0] * 10], systems="AB", higher_is_better=True)
    ranks = np.array([[2.0, 1.0], [1.0, 2.0]])
    (turn,) = _turns(after, after.systems, ranks, 0.05)
    assert (turn.above, turn.decided) == ("A", False)
    assert turn.p_value < 0.01
    (turn,) = _turns(after, after.systems, ranks[::-1], 0.05)
    assert (turn.above, turn.decided) == ("B", True)
