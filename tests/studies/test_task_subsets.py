"""Subsets of tasks: against a loop written from the paper's words, and the same for all."""

import numpy as np
import pytest
from scipy.stats import kendalltau

import rankagg as ra
from rankagg.studies.sources import _table_digest
from rankagg.studies.tables import _SubsetCell

TABLE = ra.ScoreTable(
    np.random.default_rng(3).normal(np.arange(6.0)[:, None] / 2, size=(6, 5)).round(1),
    systems="ABCDEF", tasks="vwxyz",
    higher_is_better={"v": True, "w": False, "x": True, "y": True, "z": True},
)  # fmt: skip
INSTANCES = ra.ScoreTable(
    np.random.default_rng(4).normal(size=(4, 9)), systems="ABCD",
    tasks=[task for task, n in zip("xyz", (2, 3, 4), strict=True) for _ in range(n)],
    instances=range(9), higher_is_better=True,
)  # fmt: skip
GAPS = ra.datasets.load("xtreme_gaps")
BOTH = (ra.Mean(), ra.Borda())


def make(data=TABLE, **changes):
    return ra.studies.TaskSubsetStudy(**({"data": data, "n_repetitions": 4, "rng": 2} | changes))


# -- the figures ----------------------------------------------------------------------------------


def mean_by_hand(columns):
    return columns.mean(axis=1)


def borda_by_hand(columns):
    """Return for every system how often it is above another, and half for ties."""
    above = (columns[:, None, :] > columns[None, :, :]).sum(axis=(1, 2))
    tied = (columns[:, None, :] == columns[None, :, :]).sum(axis=(1, 2))
    return above + tied / 2


def test_taus_follow_the_definition_of_the_paper():
    study = make(n_repetitions=3, sizes=[1, 2, 3, 4, 5])
    rows = study.run().to_frame().set_index(["size", "repetition", "method"])
    signed = TABLE.values * np.array([1, -1, 1, 1, 1])
    checked = 0
    for size in range(1, 6):
        for repetition in range(3):
            drawn = _SubsetCell(size, repetition).tasks(5, seed=2)
            assert len(set(drawn.tolist())) == size
            for method, by_hand in (("Mean", mean_by_hand), ("Borda", borda_by_hand)):
                truth, part = (np.round(by_hand(c), 9) for c in (signed, signed[:, drawn]))
                tau = kendalltau(part, truth).statistic
                assert rows.loc[(size, repetition, method), "tau"] == pytest.approx(tau)
                checked += 1
    assert checked == len(rows) == 30
    assert rows["tau"].nunique() > 10


def test_instances_stay_with_their_task():
    rules = (*BOTH, ra.TwoLevel(ra.Borda(), ra.Borda()))
    frame = make(INSTANCES, rules=rules, n_repetitions=6).run().to_frame()
    for row in frame.to_dict("records"):
        cell = _SubsetCell(row["size"], row["repetition"])
        kept = {INSTANCES.tasks[int(k)] for k in cell.tasks(3, seed=2)}
        part = INSTANCES.drop(tasks=[task for task in "xyz" if task not in kept])
        (rule,) = (rule for rule in rules if rule.name == row["method"])
        some, all_ = (rule.aggregate(table).ranking for table in (part, INSTANCES))
        assert row["tau"] == pytest.approx(ra.kendall_tau(some, all_), nan_ok=True)
        assert row["distance"] == ra.kendall_distance(some, all_, tie_cost=0.5)
        assert row["top1"] == ra.distances.top_k_agreement(some, all_, 1)


def test_subsets_of_a_size_have_equal_chances():
    cells = [_SubsetCell(2, k) for k in range(600)]
    drawn = [tuple(cell.tasks(4, seed=0).tolist()) for cell in cells]
    _, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(counts) == 6
    # Standard deviation 9.
    assert abs(counts - 100).max() < 38


# -- the same by any number of workers ------------------------------------------------------------


def test_the_digest_of_a_table_is_that_of_its_content():
    def table(values=TABLE.values, systems="ABCDEF", better=TABLE.higher_is_better):
        return ra.ScoreTable(values, systems=systems, tasks=list("vwxyz"), higher_is_better=better)

    assert _table_digest(table()) == _table_digest(TABLE)
    others = [
        TABLE, table(TABLE.values + np.eye(6, 5)), TABLE.with_task_weights({"x": 2.0}),
        table(better=True), table(systems="ABCDEG"), table(systems=range(6)),
        table(systems=list("012345")),
    ]  # fmt: skip
    assert len({_table_digest(other) for other in others}) == len(others)
    other_nan = np.frombuffer(np.uint64(0x7FF8000000000001).tobytes(), dtype=np.float64)[0]
    gaps = GAPS._with(values=np.where(GAPS.missing, other_nan, GAPS.values))
    assert _table_digest(gaps) == _table_digest(GAPS)


# -- unknown values are counted -------------------------------------------------------------------


def test_systems_without_a_score_on_a_subset_are_counted():
    result = make(GAPS, n_repetitions=8, sizes=[1]).run()
    frame = result.to_frame()
    for row in frame.query("method == 'Mean'").to_dict("records"):
        (task,) = _SubsetCell(1, row["repetition"]).tasks(GAPS.n_tasks, seed=2)
        assert row["n_ranked"] == GAPS.n_systems - GAPS.missing[:, task].sum()
    partly = (frame["n_ranked"] < GAPS.n_systems).sum()
    assert partly
    assert any(f"{partly} of 16 consensuses" in note for note in result.notes)


# -- input and plot -------------------------------------------------------------------------------
