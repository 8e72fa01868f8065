"""Agreement of tasks as a heat map: every cell is the tau of its row and column."""

import numpy as np

import rankagg as ra
from rankagg.plotting.heatmaps import _tau_told
from tests.plotting.reading import column_labels, faults, notes, row_labels


def table(values, tasks=None):
    return ra.ScoreTable(values, tasks=tasks, higher_is_better=True)


def test_tasks_that_agree_with_all_others_are_on_top():
    found = ra.task_agreement(ra.datasets.load("superglue_human"))
    ax = found.plot()
    names = row_labels(ax)
    rest = dict(zip(found.tasks, found.with_rest, strict=True))
    assert [rest[name] for name in names] == sorted(rest.values(), reverse=True)
    assert column_labels(ax) == ["all others", *names]
    texts = [text for text in ax.texts if text.get_gid() == "tau"]
    assert len(texts) == 10 * 10  # nine pairs of each task, and all others
    tau = found.pairs()
    ticks = dict(zip(ax.get_xticks(), ["all others", *names], strict=True))
    for text in texts:
        x, y = text.get_position()
        row, column = names[int(y)], ticks[x]
        value = rest[row] if column == "all others" else tau.loc[row, column]
        assert text.get_text() == _tau_told(value)
    assert notes(ax).startswith("10 tasks on 6 systems; Kendall's W 0.52, mean tau of two tasks")
    assert faults(ax) == []


def test_what_is_not_known_is_hatched_and_last():
    gap = np.nan
    rows = [[1, 2, gap, 1], [2, 3, gap, 1], [3, 1, gap, 1], [4, 4, 5, 1]]
    ax = ra.task_agreement(table(rows, ["x", "y", "one score", "all tied"])).plot()
    names = row_labels(ax)
    assert set(names[2:]) == {"one score", "all tied"}
    hatched = [p for p in ax.patches if (p.get_gid() or "").startswith("unknown")]
    assert len(hatched) == 10 + 2  # all of two rows and columns but the diagonal, and all others
    assert "hatched" in notes(ax)
    assert "3 scores missing" in notes(ax)
    assert "hatched" not in notes(ra.task_agreement(table([[1, 2], [2, 3]])).plot())


def test_numbers_are_short():
    minus = "\N{MINUS SIGN}"
    values = (1.0, -1.0, 0.0, -0.001, 0.456, -0.5, 0.999)
    shown = ["1", f"{minus}1", "0", "0", ".46", f"{minus}.50", "1"]
    assert [_tau_told(value) for value in values] == shown
