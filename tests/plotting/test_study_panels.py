"""Panels of studies: what methods decide, and how far corrupted scores lead."""

from itertools import product

import numpy as np
import pytest

import rankagg as ra
from rankagg import plotting
from rankagg.exceptions import InvalidInputError
from rankagg.testing.plots import faults, of_group
from tests.plotting.reading import column_labels, headings, notes, one

METHODS = [
    ra.studies.PrintedRadius(radius="equation 4"),
    ra.studies.IntervalMethod(),
    ra.studies.IntervalMethod(holm=True),
]
TABLE = ra.ScoreTable(
    np.random.default_rng(5).normal([[1.5], [1.0], [0.5], [0.0]], size=(4, 24)),
    systems=["Ant", "Bee", "Cat", "Dog"], tasks=np.repeat(["x", "y", "z"], 8).tolist(),
    instances=list(range(8)) * 3, higher_is_better=True,
)  # fmt: skip


@pytest.fixture(scope="module")
def latent():
    """Return a study of two sizes and three steps."""
    models = [
        ra.studies.LatentModel(step=step, n_systems=5, n_tasks=1, n_instances=size)
        for size in (20, 80) for step in (1.0, 0.0, 0.4)
    ]  # fmt: skip
    return ra.studies.ConfidenceStudy(
        data=models,
        methods=METHODS,
        alphas=[0.05, 0.3],
        proportions=[0, 0.3],
        n_repetitions=2,
        rng=0,
    ).run()


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


def heights(ax, panel, method):
    line = one(ax, f"line-{panel}-{method}")
    return line.get_xdata(), line.get_ydata()


@pytest.mark.parametrize(
    ("measure", "alpha", "proportion"),
    [("coverage", 0.3, 0.3), pytest.param("any_wrong", 0.05, 0, marks=pytest.mark.slow)],
)
def test_lines_are_the_table_in_the_order_of_the_steps(latent, measure, alpha, proportion):
    ax = latent.plot(measure=measure, alpha=alpha, proportion=proportion)
    table = latent.by_method().xs((proportion, alpha), level=("proportion", "alpha"))[measure]
    for panel, size in enumerate((20, 80)):
        for number, method in enumerate(METHODS):
            x, y = heights(ax, panel, number)
            names = [
                ra.studies.LatentModel(step=step, n_systems=5, n_tasks=1, n_instances=size).name
                for step in (0.0, 0.4, 1.0)
            ]
            np.testing.assert_array_equal(y, [table[name, method.name] for name in names])
            assert (x[1] - x[0]) / (x[2] - x[0]) == pytest.approx(0.4)
    assert headings(ax) == ["20 comparisons", "80 comparisons"]
    promised = of_group(ax, "dashed")
    values = {"any_wrong": alpha, "coverage": 1 - alpha, "covers_all": 1 - alpha}
    assert [line.get_ydata()[0] for line in promised] == [values[m] for m in values if m == measure]
    assert f"alpha {alpha:g}" in notes(ax)
    assert ("30 % of the single scores removed" in notes(ax)) == (proportion == 0.3)
    has_none = measure in ("coverage", "covers_all", "width")
    assert ("methods without intervals are not drawn" in notes(ax)) == has_none
    assert faults(ax) == []


def test_along_proportions_there_is_a_panel_for_each_model(tables):
    ax = tables.plot()
    assert headings(ax) == ["as it is", "drawn"]
    table = tables.by_method()["decided"].droplevel("alpha")
    for panel, model in enumerate(("as it is", "drawn")):
        for number, method in enumerate(tables.study.ways):
            _, y = heights(ax, panel, number)
            expected = [table[model, share, method.name] for share in (0, 0.2, 0.4)]
            np.testing.assert_array_equal(y, expected)
    assert "proportion of single scores removed" in notes(ax)


def test_models_stand_side_by_side(tables):
    ax = tables.plot(along="model", measure="coverage", proportion=0.2)
    table = tables.by_method()["coverage"].xs(0.2, level="proportion").droplevel("alpha")
    seen = []
    for number, method in enumerate(tables.study.ways):
        x, y = heights(ax, 0, number)
        assert np.isnan(y[0])
        np.testing.assert_array_equal(y[1], table["drawn", method.name])
        seen.append(x[1])
    assert (np.diff(seen) > 0).all()
    assert column_labels(ax) == ["as it is", "drawn"]
    assert faults(ax) == []


def test_headings_say_what_differs():
    sizes = [{"n_tasks": 1, "n_instances": 20}, {"n_tasks": 20, "n_instances": None}]
    models = [
        ra.studies.LatentModel(step=step, n_systems=n, **size)
        for size in sizes for n in (3, 4) for step in (0, 1)
    ]  # fmt: skip
    result = ra.studies.ConfidenceStudy(data=models, methods=METHODS, n_repetitions=1, rng=0).run()
    ax = result.plot()
    assert [heading.replace("\n", " ") for heading in headings(ax)] == [
        "1 task, 3 systems", "1 task, 4 systems", "20 tasks, 3 systems", "20 tasks, 4 systems",
    ]  # fmt: skip
    assert [len(heights(ax, panel, 0)[0]) for panel in range(4)] == [2] * 4
    assert faults(ax) == []


def test_mechanisms_have_panels_of_their_own():
    mechanisms = [ra.studies.RandomRemoval(), ra.studies.RemovalByScore(strength=9)]
    result = ra.studies.ConfidenceStudy(
        data=[ra.studies.ResampledData(label="drawn", data=TABLE)], methods=METHODS, alphas=[0.2],
        proportions=[0, 0.4], removals=mechanisms, n_repetitions=2, rng=0,
    ).run()  # fmt: skip
    table = result.by_method()["decided"].droplevel(["model", "alpha"])
    names = [mechanism.name for mechanism in mechanisms]
    for ax, shares in ((result.plot(), [0, 0.4]), (result.plot(along="model"), [0])):
        assert headings(ax) == names
        for panel, name in enumerate(names):
            for number, method in enumerate(METHODS):
                _, y = heights(ax, panel, number)
                np.testing.assert_array_equal(y, [table[x, name, method.name] for x in shares])
        assert faults(ax) == []
    frame = result.to_frame().set_index(["removal", "proportion", "repetition", "method"])
    for name in names:
        ax = plotting.confidence_heatmap(result, removal=name, proportion=0.4, method="hoeffding")
        assert f"40 % of the single scores removed, {name}" in notes(ax)
        assert len(of_group(ax, "decided")) == frame.loc[(name, 0.4, 0, "hoeffding"), "decided"]
    with pytest.raises(InvalidInputError, match="`removal`"):
        plotting.confidence_heatmap(result, removal="by task")


@pytest.mark.parametrize("name", ["equation 4", "hoeffding, holm, by instance"])
def test_the_heat_map_marks_what_the_study_decided(tables, name):
    ax = plotting.confidence_heatmap(tables, method=name, model="drawn", proportion=0.2)
    frame = tables.to_frame().set_index(["model", "proportion", "repetition", "method"])
    decided = frame.loc[("drawn", 0.2, 0, name), "decided"]
    assert len(of_group(ax, "decided")) == decided
    assert f"decided by {name} at alpha 0.2, {decided} of 6 pairs" in notes(ax)
    assert "drawn, 20 % of the single scores removed" in notes(ax)
    assert ("from 8 instances" in notes(ax)) == name.endswith("instance")


def test_the_heat_map_shows_the_estimates_in_the_order_of_borda(tables):
    ax = plotting.confidence_heatmap(tables, method="hoeffding", proportion=0)
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
        (plotting.confidence_plot, {"measure": "power"}, "`measure`"),
        (plotting.confidence_plot, {"along": "alpha"}, "`along`"),
        (plotting.confidence_plot, {"along": "step"}, "`along` must be .proportion. or .model."),
        (plotting.confidence_plot, {"alpha": 0.01}, "`alpha`"),
        (plotting.confidence_plot, {"along": "model", "proportion": 0.3}, "`proportion`"),
        (plotting.confidence_heatmap, {"method": "wilson"}, "`method`"),
        (plotting.confidence_heatmap, {"model": "flickr"}, "`model`"),
        (plotting.confidence_heatmap, {"alpha": 0.1}, "`alpha`"),
        (plotting.confidence_heatmap, {"proportion": 0.1}, "`proportion`"),
    ],
)
def test_bad_input_is_named(tables, draw, options, message):
    with pytest.raises(InvalidInputError, match=message):
        draw(tables, **options)


# -- corrupted scores -----------------------------------------------------------------------------

MODELS = [
    ra.studies.LatentModel(step=step, n_systems=5, n_tasks=6, n_instances=3) for step in (0.2, 1.0)
]
TURNED = [
    ra.studies.RescaledScores(factor=by, after=ra.studies.ReversedScores()) for by in (1, 4, 9)
]
SCALED = [ra.studies.RescaledScores(factor=by) for by in (1, 4, 9)]


def corrupted(**changes):
    settings = {"corruptions": [ra.studies.ReversedScores()], "models": MODELS, "n_repetitions": 4}
    return ra.studies.CorruptionStudy(**settings | changes).run()


@pytest.fixture(scope="module")
def many():
    return corrupted(n_corrupted=[6, 0, 3])


@pytest.fixture(scope="module")
def scaled():
    return corrupted(corruptions=SCALED + TURNED, n_corrupted=[1])


def assert_drawn(ax, result, cases, along):
    """Compare every line and band with the repetitions; panels stand in the order of cases."""
    frame = result.to_frame()
    for number, case in enumerate(cases):
        inside = frame[np.logical_and.reduce([frame[name].isin(x) for name, x in case.items()])]
        for position, rule in enumerate(result.study.rules):
            of_rule = inside[inside["method"] == rule.name]
            groups = of_rule.groupby(along, sort=along == "n_corrupted")["distance"]
            line = one(ax, f"line-{number}-{position}")
            np.testing.assert_allclose(line.get_ydata(), groups.mean())
            (path,) = one(ax, f"band-{number}-{position}").get_paths()
            for q in (0.05, 0.95):
                for point in zip(line.get_xdata(), groups.quantile(q), strict=True):
                    assert np.isclose(path.vertices, point).all(axis=1).any()


def test_lines_and_bands_over_the_number_of_corrupted_tasks(many):
    ax = plotting.corruption_plot(many)
    assert_drawn(ax, many, [{"model": [model.name]} for model in MODELS], "n_corrupted")
    assert headings(ax) == ["step = 0.2", "step = 1"]
    said = notes(ax)
    assert "corrupted tasks" in said
    assert "Gumbel scores, 5 systems, 6 tasks, 3 instances, reversed, 4 tables for" in said
    assert "distance to the true order" in said


def test_lines_and_bands_over_a_number_in_the_corruption(scaled):
    ax = plotting.corruption_plot(scaled)
    cases = [
        {"model": [model.name], "corruption": [corruption.name for corruption in kind]}
        for model, kind in product(MODELS, (SCALED, TURNED))
    ]
    assert_drawn(ax, scaled, cases, "corruption")
    assert headings(ax) == [
        "step = 0.2", "step = 0.2,\nafter reversed", "step = 1", "step = 1,\nafter reversed",
    ]  # fmt: skip
    assert "3 instances, rescaled, 1 corrupted task, 4 tables" in notes(ax)
    assert ax.get_xlabel() == "factor"


def test_lines_over_a_parameter_of_the_models(many):
    ax = plotting.corruption_plot(many, over="step")
    assert headings(ax) == ["6 corrupted tasks", "", "3 corrupted tasks"]
    assert_drawn(ax, many, [{"n_corrupted": [number]} for number in (6, 0, 3)], "model")
    with pytest.raises(InvalidInputError, match="`over` must be 'n_corrupted' or 'step'"):
        many.plot(over="factor")


def test_what_has_no_such_number_is_told():
    result = corrupted(corruptions=[*SCALED, ra.studies.CopiedScores()], models=MODELS[:1],
                       n_corrupted=[2])  # fmt: skip
    assert "without factor, and not shown: copied" in notes(result.plot())


def test_more_panels_than_a_page_holds_are_told():
    kinds = [ra.studies.NoisyScores(share=share) for share in np.linspace(0, 1, 7)]
    ax = corrupted(
        corruptions=kinds, models=MODELS[:1], n_corrupted=[0, 3], n_repetitions=1,
        rules=[ra.Borda()],
    ).plot(over="n_corrupted")  # fmt: skip
    assert "the first 6 of 7 panels" in notes(ax)
    assert len(headings(ax)) == 6


def test_ticks_stand_at_their_numbers(scaled):
    ax = plotting.corruption_plot(scaled)
    numbers = np.array([float(label) for label in column_labels(ax)])
    assert len(numbers) == 4 * 4
    parts = zip(np.split(ax.get_xticks(), 4), np.split(numbers, 4), strict=True)
    for panel, (ticks, shown) in enumerate(parts):
        line = one(ax, f"line-{panel}-0").get_xdata()
        np.testing.assert_allclose(ticks, np.interp(shown, [1, 4, 9], line))


def test_the_threshold_is_drawn_where_it_is(many):
    ax = plotting.corruption_plot(many, threshold=0.5)
    assert set(one(ax, "dashed").get_ydata()) == {0.5}
    assert "dashed: 0.5" in notes(ax)
    with pytest.raises(InvalidInputError, match="threshold"):
        plotting.corruption_plot(many, threshold=1)


def test_what_is_not_proved_is_said():
    model = ra.studies.LatentModel(step=0.01, n_systems=40, n_tasks=9, n_instances=1)
    result = corrupted(rules=[ra.Kemeny()], models=[model], n_corrupted=[4],
                       n_repetitions=1, time_limit=0.0)  # fmt: skip
    ax = result.plot()
    assert "an optimum was not proved 1 time" in notes(ax)
    assert len(one(ax, "line-0-0").get_xdata()) == 1
    assert faults(ax) == []
