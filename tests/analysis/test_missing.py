"""Missing data, against counting cell by cell."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.analysis.missing import ASSUMPTIONS
from rankagg.exceptions import InvalidInputError
from tests import oracles, strategies
from tests.io.scan.scan_files import drawn

NAN = float("nan")
LETTERS = "ABCDEF"


# -- the slow twins -------------------------------------------------------------------------------


def cells_of(data):
    """Return one row of booleans (is it missing?) and a task for each unit, counts written out."""
    if isinstance(data, ra.ScoreTable):
        return [
            ([bool(np.isnan(score)) for score in data.values[:, u]], data.tasks[int(task)])
            for u, task in enumerate(data.unit_tasks)
        ]
    groups = data.groups or [None] * len(data)
    return [
        ([place is None for place in oracles.as_places(ranking)], group)
        for ranking, count, group in zip(data, data.counts, groups, strict=True)
        for _ in range(count)
    ]


def rankings_of(data):
    return data.rankings() if isinstance(data, ra.ScoreTable) else data


def compared(data):
    """Return the summed weight of comparisons of each pair of positions."""
    profile = rankings_of(data)
    _, _, comparisons = oracles.pairwise_votes(profile, "ignore")
    return comparisons


def connected(data):
    """Return the sets of items that chains of comparisons connect."""
    comparisons = compared(data)
    return nx.connected_components(nx.from_numpy_array(np.array(comparisons) > 0))


@st.composite
def tables(draw, *, instances):
    values = draw(strategies.score_arrays(draw(st.integers(1, 5)), draw(st.integers(1, 6))))
    columns = values.shape[1]
    tasks = draw(st.lists(st.sampled_from("xyz"), min_size=columns, max_size=columns))
    tasks = tasks if instances else list(range(columns))
    for task in set(tasks):
        assume(not np.isnan(values[:, [t == task for t in tasks]]).all())
    return ra.ScoreTable(
        values, systems=LETTERS[: len(values)], tasks=tasks, higher_is_better=True,
        instances=list(range(columns)) if instances else None,
    )  # fmt: skip


anything = st.one_of(
    tables(instances=False),
    tables(instances=True),
    strategies.profiles(),
    strategies.profiles(groups=True),
)


# -- counts ---------------------------------------------------------------------------------------


@given(anything)
@example(ra.Profile.from_orders(["A", "BC"]))  # the larger group second
def test_cells_pairs_and_patterns_are_counted_one_by_one(data):
    report = ra.analysis.missing_report(data)
    cells = cells_of(data)
    n = len(report.items)
    missing = [sum(row[i] for row, _ in cells) for i in range(n)]
    assert report.missing.tolist() == missing
    assert report.n_missing == sum(missing)
    assert report.n_units == len(cells)
    assert report.n_cells == len(cells) * n
    frame = report.to_frame()
    assert frame.index.tolist() == list(report.items)
    assert frame["missing"].tolist() == missing
    assert frame["observed"].tolist() == [len(cells) - gone for gone in missing]
    assert frame["share"].tolist() == pytest.approx([gone / len(cells) for gone in missing])
    comparisons = compared(data)
    np.testing.assert_allclose(report.comparisons, np.array(comparisons, dtype=float))
    never = [pair for pair in oracles.pairs(n) if not comparisons[pair[0]][pair[1]]]
    assert report.never_compared == tuple((report.items[i], report.items[j]) for i, j in never)
    partners = [sum(bool(comparisons[i][j]) for j in range(n) if j != i) for i in range(n)]
    assert frame["compared_with"].tolist() == partners
    # Chains of comparisons connect groups.
    expected = {frozenset(report.items[i] for i in group) for group in connected(data)}
    assert {frozenset(group) for group in report.groups} == expected
    sizes = [len(group) for group in report.groups]
    assert sizes == sorted(sizes, reverse=True)
    assert all(list(group) == sorted(group) for group in report.groups)
    # What is missing together.
    patterns = report.patterns()
    together = Counter(
        tuple(item for item, gone in zip(report.items, row, strict=True) if gone)
        for row, _ in cells
    )
    assert dict(zip(patterns["missing"], patterns["units"], strict=True)) == together
    assert patterns["units"].is_monotonic_decreasing
    as_dict = report.to_dict()
    assert (as_dict["unit"], as_dict["n_cells"]) == (report.unit, report.n_cells)
    assert [row["missing"] for row in as_dict["items"]] == missing
    assert set(as_dict["assumptions"]) == {"uniform", "ignore", "last"}


@given(st.one_of(tables(instances=False), tables(instances=True), strategies.profiles(groups=True)))
def test_cells_are_counted_within_each_task(data):
    report = ra.analysis.missing_report(data)
    cells = cells_of(data)
    tasks = list(dict.fromkeys(task for _, task in cells))
    assert report.tasks == tuple(tasks)
    rows = {task: [row for row, own in cells if own == task] for task in tasks}
    n = len(report.items)
    missing = [[sum(row[i] for row in rows[task]) for task in tasks] for i in range(n)]
    sizes = [len(rows[task]) for task in tasks]
    assert report.task_sizes.tolist() == sizes
    assert report.missing_by_task.tolist() == missing
    shares = report.by_task()
    assert shares.columns.tolist() == tasks
    assert shares.index.tolist() == list(report.items)
    np.testing.assert_allclose(shares, np.array(missing) / sizes)
    absent = [[gone == size for gone, size in zip(row, sizes, strict=True)] for row in missing]
    assert report.absent.tolist() == absent
    frame = report.to_frame()
    assert frame["tasks_absent"].tolist() == [sum(row) for row in absent]
    partly = [
        sum(0 < gone < size for gone, size in zip(row, sizes, strict=True)) for row in missing
    ]
    assert frame["tasks_partly"].tolist() == partly


# -- examples -------------------------------------------------------------------------------------

GAPS = ra.ScoreTable(
    [[0.9, 0.8, NAN], [0.7, 0.9, NAN], [NAN, NAN, 0.8], [NAN, NAN, 0.1]],
    systems="ABCD",
    tasks=["x", "y", "z"],
    higher_is_better=True,
)


def test_items_off_a_list_are_not_missing():
    lists = ra.Profile([ra.PartialRanking.from_top_k("A", items="ABC")])
    report = ra.analysis.missing_report(lists)
    assert report.n_missing == 0
    assert report.never_compared == (("B", "C"),)
    assert report.groups == (("A", "B", "C"),)
    assert report.patterns().to_dict("list") == {"units": [1], "missing": [()]}
    text = report.summary().splitlines()
    assert text == ["0 of 3 cells missing (0 %): 3 items, 1 ranking", "never compared: B and C"]


# -- the summary ----------------------------------------------------------------------------------


def test_summary_lists_missing_scores_and_assumptions():
    lines = ra.analysis.missing_report(GAPS).summary().splitlines()
    assert lines[0] == "6 of 12 cells missing (50 %): 4 items, 3 tasks"
    # Those with the largest gaps first, in the order of the items otherwise.
    assert [line.split()[0] for line in lines[2:6]] == ["C", "D", "A", "B"]
    assert lines[6] == "never compared: A and C; A and D; B and C; B and D"
    assert lines[7] == "no chain of comparisons connects: A, B | C, D"
    assert lines[8:] == [f"{policy:<8}assumes: {text}" for policy, text in ASSUMPTIONS.items()]
    cut = ra.analysis.missing_report(GAPS).summary(rows=1)
    assert "... and 3 more items" in cut
    assert "never compared: A and C; and 3 more" in cut
    one = ra.analysis.missing_report(ra.Profile.from_orders(["ABC", "AB"]))
    assert repr(one) == "<MissingReport: 1 of 6 cells missing>"
    # Only items with gaps are printed.
    assert [line.split()[0] for line in one.summary().splitlines()[2:3]] == ["C"]
    assert "all pairs of items were compared" in one.summary()


# -- refusals -------------------------------------------------------------------------------------


def test_questions_that_the_data_cannot_answer_are_refused():
    for data in (GAPS.rankings().pairwise(), None):
        with pytest.raises(InvalidInputError, match="`data` must be a ScoreTable or a Profile"):
            ra.analysis.missing_report(data)
    report = ra.analysis.missing_report(ra.Profile.from_orders(["AB", "A"]))
    with pytest.raises(InvalidInputError, match="data with tasks"):
        report.by_task()
    with pytest.raises(InvalidInputError, match="data with tasks"):
        _ = report.absent


@pytest.mark.parametrize("seed", range(3))
def test_summed_scores_give_the_report_of_the_table(seed):
    table = drawn(seed)
    found = ra.analysis.missing_report(ra.ScoreSummary.from_scores(table))
    expected = ra.analysis.missing_report(table)
    assert found.to_frame().equals(expected.to_frame())
    assert found.by_task().equals(expected.by_task())
    assert found.to_dict() == expected.to_dict()
    assert found.summary() == expected.summary()
    with pytest.raises(ra.exceptions.InformationLostError, match="read_scores"):
        found.patterns()
