"""The plot of studies: lines at the numbers of the table, in panels."""

from dataclasses import replace

import numpy as np
import pytest

import rankagg as ra
from rankagg import plotting
from rankagg.exceptions import InvalidInputError
from tests.plotting.reading import faults, headings, legend_words, notes, of_group, one

S, C = ra.studies, ra.cultures
TABLE = ra.ScoreTable(
    np.random.default_rng(5).normal([[1.5], [1.0], [0.5], [0.0]], size=(4, 24)),
    systems=["Ant", "Bee", "Cat", "Dog"], tasks=np.repeat(["x", "y", "z"], 8).tolist(),
    instances=list(range(8)) * 3, higher_is_better=True,
)  # fmt: skip


BOARD = ra.datasets.load("superglue_human")
STUDIES = {
    "approximation": S.ApproximationStudy(
        rules=[ra.Borda(), ra.Copeland()], data=[C.MallowsCulture(phi=p) for p in (0.7, 0.9)],
        n_items=[4, 6], n_repetitions=3, rng=0,
    ),
    "cycles": S.CycleStudy(data=[C.ImpartialCulture()], n_repetitions=9, rng=0),
    "task subsets": S.TaskSubsetStudy(data=BOARD, sizes=[2, 5], n_repetitions=4, rng=0),
    "missing scores": S.MissingScoresStudy(
        data=BOARD, proportions=[0, 0.3, 0.6], n_repetitions=4, rng=0,
        removals=[S.RandomRemoval(), S.RemovalByScore()],
    ),
    "confidence": S.ConfidenceStudy(
        data=[S.LatentModel(step=s, n_systems=4, n_tasks=1) for s in (0.0, 0.5)],
        methods=[S.IntervalMethod(), S.IntervalMethod(holm=True)], n_repetitions=2, rng=0,
    ),
    "corruption": S.CorruptionStudy(
        data=BOARD, corruptions=[S.RescaledScores(factor=f) for f in (10, 100)],
        n_corrupted=[0, 4], n_repetitions=3, rng=0,
    ),
    "agreement": S.AgreementStudy(data=TABLE, rng=0),
}  # fmt: skip
#: What is along the axis, the heading of the first panel, and which rows of the table are its
#: first line.
USUAL = {
    "approximation": ("n_items", "phi = 0.7", {"phi": "Mallows, phi = 0.7", "method": "Borda"}),
    "cycles": ("n_rankings", "", {}),
    "task subsets": ("size", "", {"method": "Mean"}),
    "missing scores": (
        "proportion", "completely at random",
        {"removal": "completely at random", "method": "Mean"},
    ),
    "confidence": ("step", "alpha 0.01", {"alpha": 0.01, "method": "hoeffding"}),
    "corruption": ("n_corrupted", "factor = 10",
                   {"corruption": "rescaled, factor = 10", "method": "Mean"}),
    "agreement": ("k", "rules aggregate tasks",
                  {"scope": "tasks", "first": "Mean", "second": "Borda"}),
}  # fmt: skip


@pytest.fixture(scope="module")
def results():
    return {name: study.run() for name, study in STUDIES.items()}


@pytest.mark.parametrize("name", STUDIES)
def test_the_first_line_is_the_table(results, name):
    result, (x, heading, chosen) = results[name], USUAL[name]
    ax = plotting.study_plot(result)
    (y, curve), *_ = result.measures.curves.items()
    rows = result.by_method().reset_index()
    for column, value in chosen.items():
        rows = rows[rows["model" if column == "phi" else column] == value]
    line = one(ax, "line-0-0")
    np.testing.assert_allclose(line.get_ydata(), rows[y].astype(float))
    assert headings(ax)[0] == heading
    assert len(line.get_xdata()) == (2 if x == "step" else rows[x].nunique())
    assert ax.get_ylabel() == curve.label
    assert faults(ax) == []


def test_bands_end_at_their_columns_or_at_the_deviation(results):
    by_size = results["task subsets"].by_method().xs("Borda", level="method")
    (band,) = of_group(results["task subsets"].plot(), "band-0-1")
    heights = band.get_paths()[0].vertices[:, 1]
    ends = [
        by_size["mean_tau"] - by_size["std_tau"],
        (by_size["mean_tau"] + by_size["std_tau"]).clip(upper=1),
    ]
    for height in np.concatenate(ends):
        assert np.isclose(heights, height).any()
    shares = results["cycles"].by_method()
    (band,) = of_group(results["cycles"].plot(), "band-0-0")
    assert np.isclose(band.get_paths()[0].vertices[:, 1].max(), shares["cycle_high"].max())


def test_exactly_known_values_are_dotted(results):
    result = results["cycles"]
    ax = result.plot(y="winner")
    np.testing.assert_allclose(
        one(ax, "dotted-0-0").get_ydata(), result.by_method()["winner_exact"]
    )
    assert "dotted: known exactly" in legend_words(ax)
    assert not of_group(result.plot(y="optimal"), "dotted-0-0")
    assert set(one(results["corruption"].plot(), "dotted-0-0").get_ydata()) == {0.75}


def test_any_varying_number_may_be_the_axis(results):
    result = results["corruption"]
    ax = result.plot(x="factor")
    means = result.by_method()["mean_distance"].xs("Mean", level="method").to_numpy()
    assert headings(ax) == ["", "4 corrupted tasks"]
    np.testing.assert_allclose(one(ax, "line-1-0").get_ydata(), means[1::2])
    assert ax.get_xlabel() == "factor"
    ax = results["approximation"].plot(x="phi", y="hit_rate")
    assert headings(ax) == ["4 items", "6 items"]
    mixed = S.CorruptionStudy(
        data=BOARD, corruptions=[S.CopiedScores(), *STUDIES["corruption"].corruptions],
        n_corrupted=[1], n_repetitions=1, rng=0,
    )  # fmt: skip
    assert "not drawn, without factor: copied" in notes(mixed.run().plot())


def test_the_last_tick_is_not_lost_to_rounding(results):
    ax = results["missing scores"].plot(where={"removal": "low scores first"})
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["0", "0.2", "0.4", "0.6"]


def test_columns_without_panels_have_lines_of_their_own(results):
    result = results["missing scores"]
    words = ["Mean, completely at random", "Borda, completely at random"]
    words += ["Mean, low scores first", "Borda, low scores first"]
    assert legend_words(result.plot(panels=[]))[:4] == words
    assert headings(result.plot(panels="method")) == ["Mean", "Borda"]
    assert legend_words(result.plot(where={"removal": "low scores first"}))[:2] == ["Mean", "Borda"]


@pytest.fixture(scope="module")
def tables():
    """Return a study of a table as it is and drawn anew."""
    models = [
        ra.studies.ObservedData(label="as it is", data=TABLE),
        ra.studies.ResampledData(label="drawn", data=TABLE),
    ]
    return ra.studies.ConfidenceStudy(
        data=models, alphas=[0.2], proportions=[0.4, 0, 0.2], n_repetitions=4, rng=0
    ).run()


def of_one(tables, name, proportion):
    """Return the result of the study with one method and proportion alone."""
    methods = [one for one in tables.study.methods if one.name == name]
    study = replace(tables.study, methods=methods, proportions=[proportion])
    return replace(tables, study=study)


def test_the_heat_map_shows_the_estimates_in_the_order_of_borda(tables):
    ax = plotting.confidence_heatmap(of_one(tables, "hoeffding", 0.0))
    order = ra.Borda().aggregate(TABLE).ranking
    names = [label.get_text().split()[1] for label in ax.get_yticklabels()]
    assert names == sorted(TABLE.systems, key=order.rank)
    intervals = ra.PairwiseIntervals.from_data(TABLE, alpha=0.2)
    at = intervals.items.indices(names)
    drawn = ax.get_images()[0].get_array()
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose(drawn[off], intervals.estimate[np.ix_(at, at)][off])
    above = {
        (names[round(dot.get_ydata()[0])], names[round(dot.get_xdata()[0])])
        for dot in of_group(ax, "decided")
    }
    rows = intervals.to_frame()
    rows = rows[rows["outside"]]
    assert above == set(zip(rows["above"], rows["below"], strict=True))
    assert above


@pytest.mark.parametrize(
    ("draw", "options", "message"),
    [
        (plotting.study_plot, {"y": "power"}, "`y` must be"),
        (plotting.study_plot, {"x": "phi"}, "`x` must be .proportion. or"),
        (plotting.study_plot, {"panels": "step"}, "`panels`"),
        (plotting.study_plot, {"where": {"alpha": 0.01}}, "where.*alpha"),
        (plotting.study_plot, {"where": {"step": 1}}, "`where`"),
        (plotting.confidence_heatmap, {"model": "flickr"}, "`model`"),
    ],
)
def test_bad_input_is_named(tables, draw, options, message):
    with pytest.raises(InvalidInputError, match=message):
        draw(tables, **options)


def test_objects_that_are_no_study_result_are_refused():
    with pytest.raises(InvalidInputError, match=r"study\.run"):
        plotting.study_plot(TABLE)
