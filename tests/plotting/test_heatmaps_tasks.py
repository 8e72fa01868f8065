"""Agreement of tasks as a heat map: every cell is the tau of its row and column."""

import numpy as np
import pytest

import rankagg as ra
from rankagg import plotting
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.heatmaps import _tau_told
from rankagg.plotting.sheet import caption_of
from rankagg.testing.plots import collisions, cut_off, of_group


def table(values, tasks=None):
    return ra.ScoreTable(values, tasks=tasks, higher_is_better=True)


def caption(ax):
    return " ".join(caption_of(ax).split())


def test_tasks_that_agree_with_all_others_are_on_top() -> None:
    found = ra.task_agreement(ra.datasets.load("superglue_human"))
    ax = found.plot()
    names = [text.get_text() for text in ax.get_yticklabels()]
    rest = dict(zip(found.tasks, found.with_rest, strict=True))
    assert [rest[name] for name in names] == sorted(rest.values(), reverse=True)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["all others", *names]
    texts = [text for text in ax.texts if text.get_gid() == "tau"]
    assert len(texts) == 10 * 10  # nine pairs of each task, and all others
    tau = found.pairs()
    ticks = dict(zip(ax.get_xticks(), ["all others", *names], strict=True))
    for text in texts:
        x, y = text.get_position()
        row, column = names[int(y)], ticks[x]
        value = rest[row] if column == "all others" else tau.loc[row, column]
        assert text.get_text() == _tau_told(value)
    assert caption(ax).startswith("10 tasks on 6 systems; Kendall's W 0.52, mean tau of two tasks")
    assert not collisions(ax)
    assert not cut_off(ax)


def test_colors_tell_agreement_from_its_reverse() -> None:
    ax = ra.task_agreement(table([[1, 2, 9], [2, 3, 5], [3, 4, 1]], list("xyz"))).plot()
    (cells,) = of_group(ax, "cells")
    assert (cells.norm.vmin, cells.norm.vmax) == (-1, 1)
    like, unlike = cells.to_rgba(np.array([1.0, -1.0]))
    assert like[2] > like[0]
    assert unlike[0] > unlike[2]


def test_what_is_not_known_is_hatched_and_last() -> None:
    gap = np.nan
    rows = [[1, 2, gap, 1], [2, 3, gap, 1], [3, 1, gap, 1], [4, 4, 5, 1]]
    ax = ra.task_agreement(table(rows, ["x", "y", "one score", "all tied"])).plot()
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert set(names[2:]) == {"one score", "all tied"}
    hatched = [p for p in ax.patches if (p.get_gid() or "").startswith("unknown")]
    assert len(hatched) == 10 + 2  # all of two rows and columns but the diagonal, and all others
    assert "hatched" in caption(ax)
    assert "3 scores missing" in caption(ax)
    assert "hatched" not in caption(ra.task_agreement(table([[1, 2], [2, 3]])).plot())


@pytest.mark.parametrize("n", [2, 14, 40])
def test_names_neither_collide_nor_are_cut(n) -> None:
    names = [f"{'Task' if k % 3 else 'A task with a rather long name'} {k}$" for k in range(n)]
    scores = np.random.default_rng(n).normal(size=(5, n))
    ax = ra.task_agreement(table(scores, names)).plot()
    assert not collisions(ax)
    assert not cut_off(ax)
    assert not any(text.get_parse_math() for text in ax.get_yticklabels())
    assert bool([text for text in ax.texts if text.get_gid() == "tau"]) == (n <= 14)


def test_numbers_are_short() -> None:
    minus = "\N{MINUS SIGN}"
    values = (1.0, -1.0, 0.0, -0.001, 0.456, -0.5, 0.999)
    shown = ["1", f"{minus}1", "0", "0", ".46", f"{minus}.50", "1"]
    assert [_tau_told(value) for value in values] == shown


def test_bad_input_is_named() -> None:
    with pytest.raises(InvalidInputError, match="`agreement` must be a TaskAgreement"):
        plotting.task_agreement_plot(np.eye(3))
