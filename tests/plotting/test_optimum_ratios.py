"""Ratios of a study: each row between its quantiles, with what is not known of it."""

from dataclasses import dataclass
from typing import ClassVar

import matplotlib as mpl
import numpy as np
import pytest

import rankagg as ra
from rankagg import plotting
from rankagg.aggregation import Aggregator, Needs, Outcome
from rankagg.core.names import percent
from rankagg.exceptions import InvalidInputError, NotIdentifiedError
from rankagg.testing.plots import collisions, faults, of_group
from tests.plotting.reading import headings, legend_words, notes, one, row_labels

CELL = ["model", "n_items", "n_rankings", "missing"]


def make(**changes):
    settings = {
        "rules": [ra.Borda(), ra.Copeland(), ra.KwikSort()],
        "models": [
            ra.cultures.MallowsCulture(phi=0.9),
            ra.studies.LatentModel(step=0.1, n_instances=None),
        ],
        "n_items": [5, 9],
        "n_rankings": [4],
        "n_repetitions": 7,
        "seed": 7,
    }
    return ra.studies.ApproximationStudy(**(settings | changes)).run()


@pytest.fixture(scope="module")
def small():
    return make()


@dataclass(frozen=True, kw_only=True)
class Stubborn(Aggregator):
    """Ranks as the items stand, and nothing that has more than five."""

    needs: ClassVar[Needs] = "votes"

    def _aggregate(self, evidence, rng):
        if len(evidence.items) > 5:
            raise NotIdentifiedError("too many items")
        return Outcome(scores=np.arange(len(evidence.items), dtype=float))


def parts(result):
    """Return the rows of a study in the order of its summary: [(cell, method, frame)]."""
    frame = result.to_frame()
    return [(key[:4], key[4], part) for key, part in frame.groupby([*CELL, "method"], sort=False)]


def right(ax):
    """Return the text of the right margin beside every row, and above all."""
    (axis,) = ax.child_axes
    texts = {t.get_loc(): t.label2.get_text() for t in axis.yaxis.get_major_ticks()}
    rows = [next(text for at, text in texts.items() if abs(at - y) < 1e-6) for y in ax.get_yticks()]
    return [*rows, texts[min(texts)]]


def test_rows_reach_from_quantile_to_quantile(small):
    ax = plotting.ratio_plot(small)
    rows = parts(small)
    assert row_labels(ax) == [method for _, method, _ in rows]
    for number, (_, _, part) in enumerate(rows):
        ratios = part["ratio"].to_numpy()
        for gid, quantiles in (("range", (0, 1)), ("quartiles", (0.25, 0.75)), ("median", (0.5,))):
            drawn = one(ax, f"{gid}-{number}")
            np.testing.assert_allclose(drawn.get_xdata(), np.quantile(ratios, quantiles))
            assert set(np.atleast_1d(drawn.get_ydata())) == {ax.get_yticks()[number]}
    low, high = ax.get_xlim()
    ratios = small.to_frame()["ratio"]
    assert low <= ratios.min()
    assert ratios.max() <= high


def test_every_cell_has_its_heading_above_its_rows(small):
    ax = plotting.ratio_plot(small)
    texts = of_group(ax, "heading")
    assert headings(ax) == [
        f"{model}: {n} items, 4 rankings"
        for model in ("Mallows, phi = 0.9", "Gumbel scores, step = 0.1, no instances")
        for n in (5, 9)
    ]
    ticks = ax.get_yticks()
    for k, text in enumerate(texts):
        height = text.get_position()[1]
        assert ticks[3 * k] - 1 < height < ticks[3 * k]
        assert k == 0 or ticks[3 * k - 1] + 1 < height
    missing = make(missing=[0.25], models=[ra.cultures.MallowsCulture(phi=0.9)], n_items=[5])
    assert headings(plotting.ratio_plot(missing)) == [
        "Mallows, phi = 0.9: 5 items, 4 rankings, 25% missing"
    ]
    rates = [percent(part["hit"].mean()) for _, _, part in parts(small)]
    assert right(ax) == [*rates, "optimal"]
    assert "proved" not in notes(ax)
    assert legend_words(ax) == ["lowest to highest", "middle half", "median"]
    assert "7 data sets" in notes(ax)


def test_means_that_are_not_proved_are_intervals():
    result = make(
        rules=[ra.Borda(), ra.Kemeny()], models=[ra.cultures.PlackettLuceCulture(spread=0.1)],
        n_items=[5, 30], n_rankings=[7], n_repetitions=6, seed=3, time_limit=0.0,
    )  # fmt: skip
    table = result.by_method()
    unproved = (table["unproved"] > 0).tolist()
    assert unproved[2:] == [True, True]
    ax = plotting.ratio_plot(result)
    texts = right(ax)
    for number, row in enumerate(table.itertuples()):
        means = of_group(ax, f"mean-{number}")
        assert bool(means) == unproved[number]
        if means:
            np.testing.assert_allclose(means[0].get_xdata(), [row.mean_ratio, row.mean_ratio_high])
            assert 0 < means[0].get_ydata()[0] - ax.get_yticks()[number] < 0.5
        part = parts(result)[number][2]
        known, text = part["hit"].count(), texts[number]
        expected = percent(part["hit"].mean()) if known else "\N{EN DASH}"
        assert text == expected + (f" of {known}" if 0 < known < 6 else "")
    assert f"{result.n_unproved} of 12 optima are not proved" in notes(ax)
    assert any("not all proved" in text for text in legend_words(ax))
    assert ax.get_xlim()[1] >= table["mean_ratio_high"].max()
    assert faults(ax) == []


@pytest.mark.parametrize("n", [2, pytest.param(12, marks=pytest.mark.slow)])
def test_rows_of_one_data_set_have_one_mark_and_three_rules_on_twelve_fit_a_page(n):
    models = [ra.cultures.MallowsCulture(phi=phi) for phi in np.arange(1, n + 1) / 20]
    ax = plotting.ratio_plot(make(models=models, n_items=[5], n_repetitions=1), over=None)
    assert len(row_labels(ax)) == 3 * n
    assert legend_words(ax) == ["ratio of the data set"]
    assert faults(ax) == []


def test_rules_that_failed_are_shown_and_counted():
    result = make(rules=[Stubborn(), ra.Borda()], models=[ra.cultures.MallowsCulture(phi=0.9)])
    ax = plotting.ratio_plot(result)
    assert not of_group(ax, "nothing-0")
    (words,) = of_group(ax, "nothing-2")
    assert words.get_position()[1] == ax.get_yticks()[2]
    assert not of_group(ax, "median-2")
    assert right(ax)[2] == "\N{EN DASH}, 7 failed"
    assert "could not rank the data 7 times" in notes(ax)
    assert not collisions(ax)


def test_where_only_the_optimum_costs_0_there_is_no_ratio():
    result = make(rules=[Stubborn(), ra.Borda()], n_items=[5],
                  models=[ra.cultures.MallowsCulture(phi=1e-9)])  # fmt: skip
    times = result.by_method()["no_ratio"].sum()
    assert 0 < times <= 7
    ax = plotting.ratio_plot(result)
    assert f"only the optimum costs 0 {times} times; those have no ratio" in notes(ax)
    others = len(result.to_frame()["ratio"].dropna()) - 7
    assert [t.get_text() for t in of_group(ax, "nothing-0")] == ["the optimum costs 0"] * (
        not others
    )
    assert not of_group(ax, "nothing-1")


def test_what_is_not_bounded_ends_in_an_arrow():
    # Nobody holds anything against a pair of the cycle.
    cycle = ra.Profile.from_orders(["AB", "BC", "CA"], items="ABC").with_unranked("ignore")
    result = make(models=[cycle], n_items=[3], time_limit=0.0)
    assert np.isinf(result.to_frame()["ratio_high"]).any()
    ax = plotting.ratio_plot(result)
    arrow = one(ax, "infinite-0")
    assert arrow.get_xdata()[0] == ax.get_xlim()[1]
    assert arrow.get_marker() == ">"
    assert np.isfinite(ax.get_xlim()).all()
    assert np.isfinite(one(ax, "range-0").get_xdata()).all()
    assert "not bounded from above" in legend_words(ax)


# -- lines over a parameter -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def grid():
    models = [ra.cultures.MallowsCulture(phi=phi) for phi in (0.6, 0.7, 0.8, 0.9)]
    return make(models=models, n_items=[3, 4, 5, 6, 7], n_repetitions=2)


def test_lines_go_through_the_means_over_a_parameter(grid):
    ax = plotting.ratio_plot(grid, over="phi")
    table = grid.by_method()["mean_ratio"]
    for panel, n_items in enumerate([3, 4, 5, 6, 7]):
        for number, rule in enumerate(grid.study.rules):
            line = one(ax, f"line-{panel}-{number}")
            means = table.xs((n_items, rule.name), level=("n_items", "method"))
            assert line.get_ydata() == pytest.approx(means.to_numpy())
    assert headings(ax) == [f"{n} items" for n in (3, 4, 5, 6, 7)]
    assert ax.get_xlabel() == "phi"
    assert "Mallows, 4 rankings" in notes(ax)
    hits = plotting.ratio_plot(grid, over="n_items", measure="hit_rate")
    rates = grid.by_method()["hit_rate"].xs("Mallows, phi = 0.7", level="model")
    rates = rates.xs(grid.study.rules[0].name, level="method")
    assert one(hits, "line-1-0").get_ydata() == pytest.approx(rates.to_numpy())


FIXED = ra.Profile.from_orders(["ABC", "BCA", "CAB"], counts=[4, 3, 2])
OTHER = ra.Profile.from_orders(["ABCD", "BCDA"], counts=[4, 3])
DRAWN = ra.cultures.MallowsCulture(phi=0.9)


def test_a_plot_is_no_longer_than_a_page(grid):
    # Of letters of 9 points; larger ones make a larger page.
    ax, longest = grid.plot(), 11 * mpl.rcParams["font.size"] / 9
    assert ax.get_xlabel() == "items"
    assert max(ax.figure.get_size_inches()) < longest
    models = [ra.Profile.from_orders(["ABC", "BCA", "CAB"], counts=[k, 1, 1]) for k in range(1, 21)]
    many = make(models=models, n_repetitions=1).plot()
    assert max(many.figure.get_size_inches()) < longest
    assert len(row_labels(many)) % 3 == 0
    assert f"the first {len(row_labels(many))} of 60 rows" in notes(many)
    assert "the first 6 of 21 panels" in notes(make(models=[*models, OTHER]).plot(over="n_items"))


@pytest.mark.parametrize(
    ("models", "told"),
    [
        pytest.param([FIXED, OTHER], "1 data set", marks=pytest.mark.slow),
        ([FIXED, DRAWN], "1 to 7 data sets"),
    ],
)
def test_captions_are_of_the_rows_that_are_drawn(models, told):
    result = make(models=models)
    sizes = result.to_frame().groupby([*CELL, "method"]).size()
    assert told.startswith(str(sizes.min()))
    assert f"{sizes.max()} data set" in told
    assert f"each row: {told};" in notes(result.plot())
    ax = plotting.ratio_plot(result, over="n_items", measure="hit_rate")
    assert f"{told} for every point" in notes(ax)
    bands = [one for one in ax.collections if str(one.get_gid()).startswith("band")]
    has_bands = any(path.vertices.size for band in bands for path in band.get_paths())
    assert ("bands: " in notes(ax)) == has_bands == (DRAWN in models)


def test_what_has_no_such_parameter_is_told(grid):
    models = [*grid.study.models[:2], ra.cultures.ImpartialCulture()]
    ax = make(models=models, n_items=[4], n_repetitions=1).plot(over="phi")
    assert "without phi, and not shown: impartial culture" in notes(ax)
    with pytest.raises(InvalidInputError, match=r"must be None or 'n_items' or 'phi'.*Got 'ph'"):
        grid.plot(over="ph")
