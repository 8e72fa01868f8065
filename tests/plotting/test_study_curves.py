"""Tau against what was removed: lines, bands, and what is said below them."""

import numpy as np
import pytest

import rankagg as ra
from rankagg import plotting
from rankagg.exceptions import InvalidInputError
from rankagg.testing.plots import faults, of_group
from tests.conftest import slow_but
from tests.plotting.reading import notes

LATENT = ra.studies.LatentModel(step=0.2, n_systems=6, n_tasks=4, n_instances=None)
LEADERBOARD = ra.studies.ObservedData(label="SuperGLUE", data=ra.datasets.load("superglue_human"))


@pytest.fixture(scope="module")
def result():
    """Return a study of two models and two scales, in which systems get lost."""
    return ra.studies.MissingScoresStudy(
        data=[LEADERBOARD, LATENT],
        rules=[ra.Mean(), ra.Borda()], policies=["uniform", "last"],
        proportions=[0.9, 0, 0.3], scales=[1, 10], n_repetitions=8, rng=0,
    ).run()  # fmt: skip


@pytest.mark.parametrize(
    ("measure", "scale"), slow_but([("tau_true", 10)], [("tau", 1), ("tau_true", 10)])
)
def test_lines_are_means_and_bands_hold_the_middle_half(result, measure, scale):
    ax = plotting.missing_scores_plot(result, measure=measure, model=LATENT.name, scale=scale)
    frame = result.to_frame()
    frame = frame[(frame["model"] == LATENT.name) & (frame["scale"] == scale)]
    looks = set()
    for number, method in enumerate(result.study.methods):
        groups = frame[frame["method"] == method].groupby("proportion")[measure]
        (line,), (band,) = of_group(ax, f"curve-{number}"), of_group(ax, f"band-{number}")
        np.testing.assert_array_equal(line.get_xdata(), [0, 0.3, 0.9])
        np.testing.assert_allclose(line.get_ydata(), groups.mean())
        assert line.get_label() == method
        corners = band.get_paths()[0].vertices
        for at, values in groups:
            heights = corners[corners[:, 0] == at, 1]
            assert heights.min() == pytest.approx(values.quantile(0.25))
            assert heights.max() == pytest.approx(values.quantile(0.75))
        looks.add((line.get_color(), line.get_marker()))
    assert len(looks) == 3
    assert ("true ranking" in ax.get_ylabel()) == (measure == "tau_true")
    assert ("times 10" in notes(ax)) == (scale == 10)
    assert faults(ax) == []


def test_it_is_said_what_was_drawn_and_what_is_not_known(result):
    ax = result.plot()
    frame = result.to_frame()
    frame = frame[(frame["model"] == "SuperGLUE") & (frame["scale"] == 1)]
    unranked, undefined = int((frame["unranked"] > 0).sum()), int(frame["tau"].isna().sum())
    assert unranked
    assert undefined
    assert "SuperGLUE; mean and middle half of 8 tables each" in notes(ax)
    assert f"unranked systems, {unranked} time" in notes(ax)
    assert f"not defined for {undefined} of 72 rankings" in notes(ax)


def test_one_proportion_can_be_drawn():
    study = ra.studies.MissingScoresStudy(
        data=[LEADERBOARD], proportions=[0], n_repetitions=2, rng=0
    )
    assert study.run().plot().get_xlim() == (0, 0.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "rho"}, "`measure`"),
        ({"measure": "tau_true"}, "SuperGLUE has none"),
        ({"model": "GLUE"}, "`model`"),
        ({"scale": 3}, "`scale`"),
    ],
)
def test_bad_input_is_named(result, options, message):
    with pytest.raises(InvalidInputError, match=message):
        result.plot(**options)
