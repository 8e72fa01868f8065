"""Maps of missing data: every cell is drawn, with its names and counts."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg import plotting
from tests.plotting.reading import (
    column_labels,
    drawn_quickly,
    legend_words,
    notes,
    one,
    row_labels,
)
from tests.strategies import profiles

NAN = float("nan")


def cells(ax):
    """Return the shares drawn, with their rows and columns by name and counts."""
    mesh, rows, columns = one(ax, "cells"), row_labels(ax), column_labels(ax)
    assert (mesh.norm.vmin, mesh.norm.vmax) == (0, 1)
    np.testing.assert_array_equal(ax.get_yticks(), range(len(rows)))
    np.testing.assert_array_equal(ax.get_xticks(), range(len(columns)))
    corners = mesh.get_coordinates()
    assert corners[0, 0].tolist() == [-0.5, -0.5]
    assert corners[-1, -1].tolist() == [len(columns) - 0.5, len(rows) - 0.5]
    assert ax.get_ylim() == (len(rows) - 0.5, -0.5)
    return mesh.get_array().reshape(len(rows), len(columns)), rows, columns


def named(texts):
    """Split 'A  2 of 3' into names and counts."""
    return [text.rsplit("  ", 1)[0] for text in texts], [text.rsplit("  ", 1)[1] for text in texts]


def table(values, instances=None):
    """Return scores of S0, S1, ...; the tasks are t0, t1, ..., each of so many instances."""
    values = np.array(values, dtype=float)
    n = values.shape[1]
    return ra.ScoreTable(
        values, systems=[f"S{k}" for k in range(len(values))], higher_is_better=True,
        tasks=[f"t{k // (instances or 1)}" for k in range(n)],
        instances=[k % instances for k in range(n)] if instances else None,
    )  # fmt: skip


def in_cells(ax):
    """Return the texts in the map, without the caption below it."""
    return [text for text in ax.texts if text.get_gid() != "caption"]


@drawn_quickly
@given(data=st.data())
def test_each_missing_score_is_dark(data):
    n, k = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 5))
    gone = np.array(data.draw(st.lists(st.booleans(), min_size=n * k, max_size=n * k)))
    gone = gone.reshape(n, k)
    gone[0, gone.all(axis=0)] = False
    scores = table(np.where(gone, NAN, 1.0))
    shares, rows, columns = cells(plotting.missingness_map(scores))
    names, counts = named(rows)
    order = [scores.systems.index(name) for name in names]
    np.testing.assert_array_equal(shares, gone[order])
    missing = gone.sum(axis=1)[order].tolist()
    assert counts == [f"{number} of {k}" for number in missing]
    assert missing == sorted(missing, reverse=True)
    assert columns == [f"t{j}  {gone[:, j].sum()} of {n}" for j in range(k)]
    plt.close("all")


def test_dark_is_missing_and_light_observed():
    ax = plotting.missingness_map(table([[1, NAN], [2, 3]]))
    mesh = one(ax, "cells")
    luminance = mesh.cmap([0.0, 1.0])[:, :3].mean(axis=1)
    assert luminance[0] > 0.95
    assert luminance[1] < 0.2
    assert legend_words(ax) == ["observed", "missing"]
    patches = ax.get_legend().get_patches()
    np.testing.assert_allclose(patches[0].get_facecolor(), mesh.cmap(0.0))
    np.testing.assert_allclose(patches[1].get_facecolor(), mesh.cmap(1.0))
    assert "1 of 4 cells is missing (25 %)" in notes(ax)


def test_tasks_with_instances_have_the_share_that_is_missing():
    values = np.ones((3, 12))
    values[0, 4:8] = NAN  # all of t1
    values[0, 8] = values[1, 9] = values[1, 10] = NAN
    ax = plotting.missingness_map(table(values, instances=4))
    shares, rows, columns = cells(ax)
    assert rows == ["S0  5 of 12", "S1  2 of 12", "S2  0 of 12"]
    assert columns == ["t0", "t1", "t2"]
    np.testing.assert_allclose(shares, [[0, 1, 0.25], [0, 0, 0.5], [0, 0, 0]])
    numbers = {text.get_position(): text.get_text() for text in in_cells(ax)}
    assert numbers == {(2, 0): "25", (2, 1): "50"}
    assert one(ax, "full-0-1").get_hatch()
    bar = next(axes for axes in ax.figure.axes if axes is not ax)
    assert bar.get_ylabel() == "share of instances missing"
    assert legend_words(ax) == ["observed", "missing in all"]
    assert "numbers: percent missing" in notes(ax)


@drawn_quickly
@given(profile=profiles(max_rows=4))
def test_few_rankings_have_a_column_each(profile):
    ax = plotting.missingness_map(profile)
    shares, rows, columns = cells(ax)
    names, counts = named(rows)
    order = [profile.items.index(name) for name in names]
    gone = (profile.ranks == ra.UNRANKED).T[order]
    np.testing.assert_array_equal(shares, gone)
    assert counts == [f"{k} of {profile.n_rankings}" for k in gone @ profile.counts]
    assert columns == [
        f"{k}" + (f" ({count} times)" if count > 1 else "")
        for k, count in enumerate(profile.counts, start=1)
    ]
    assert ("top-k" in notes(ax)) == profile.has_unlisted
    plt.close("all")


def many():
    """Return 70 different rankings that lack three sets of items."""
    rng = np.random.default_rng(0)
    rows = []
    for gone, times in (((), 10), ((4,), 40), ((1, 4), 20)):
        for _ in range(times):
            row = rng.permutation(6).astype(float)
            row[list(gone)] = NAN
            rows.append(row)
    return ra.Profile.from_ranks(rows, items="ABCDEF")


@pytest.mark.parametrize("as_report", [False, True])
def test_many_rankings_are_drawn_as_patterns(as_report):
    data = ra.analysis.missing_report(many()) if as_report else many()
    ax = plotting.missingness_map(data)
    shares, rows, columns = cells(ax)
    assert columns == ["40", "20", "10"]
    assert rows[:3] == ["E  60 of 70", "B  20 of 70", "A  0 of 70"]
    np.testing.assert_array_equal(shares[:2], [[1, 1, 0], [0, 1, 0]])
    assert not shares[2:].any()
    assert "a column: rankings that lack the same items, with their number" in notes(ax)
    assert "not drawn" not in notes(ax)


def test_rare_patterns_are_counted():
    rng = np.random.default_rng(1)
    values = np.where(rng.random((9, 300)) < 0.5, NAN, rng.random((9, 300)))
    values[0, :] = 1
    scores = table(values)
    found = ra.analysis.missing_report(scores).patterns()
    ax = plotting.missingness_map(scores)
    shares, rows, columns = cells(ax)
    assert columns == [str(units) for units in found["units"][:40]]
    for column, gone in enumerate(found["missing"][:40]):
        assert {named(rows)[0][row] for row in np.flatnonzero(shares[:, column])} == set(gone)
    rest = found["units"][40:]
    assert f"not drawn: {len(rest)} rarer patterns, of {rest.sum()} tasks together" in notes(ax)


def test_captions_state_complete_data_and_pairs_never_compared():
    ax = plotting.missingness_map(ra.datasets.load("superglue_human"))
    assert notes(ax).startswith("nothing is missing: all 60 cells are observed")
    assert legend_words(ax) == ["observed"]
    assert not cells(ax)[0].any()
    ax = plotting.missingness_map(table([[1, NAN], [NAN, 1], [1, 1]]))
    assert "1 of 3 pairs of items was never compared" in notes(ax)
