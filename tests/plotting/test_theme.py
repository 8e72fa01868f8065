"""The contract suite for every public plot."""

import inspect
from functools import cache, partial
from itertools import permutations

import numpy as np
import pytest
from matplotlib.text import Text

import rankagg as ra
from rankagg import plotting
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.theme import method_look
from rankagg.testing.plots import Picture, PlotContract, _faults_on_given_axes
from tests.plotting.reading import faults, of_group

SYSTEMS = ("Ant", "Bee", "Cat", "Dog")
ODD = ("$x^2$", "a_b$ \\frac{", "<b>\nx</b>", "W" * 200)
PLOTS = sorted(set(dir(plotting)) - {"style"})
OF_METHODS = ("distances", "goodness", "models", "overlap", "rule_choice", "study")
NAMED = [name for name in PLOTS if name.removesuffix("_plot") not in OF_METHODS]


def data_of(systems):
    """Return rankings and scores of four systems."""
    profile = ra.Mallows(systems, theta=0.8).sample(60, rng=1)
    noise = np.random.default_rng(5).normal([[1.5], [1.0], [0.5], [0.0]], size=(4, 9))
    return profile, ra.ScoreTable(noise, systems=systems, higher_is_better=True)


PROFILE, SCORES = data_of(SYSTEMS)


def rows(ax):
    """Return the positions of the points of rows."""
    points = [line for line in ax.get_lines() if (line.get_gid() or "").startswith("point")]
    return sorted(line.get_xdata()[0] for line in points)


def costs(ax):
    """Return the numbers under the orders."""
    orders = [text.get_text() for text in ax.texts if text.get_gid() == "order"]
    return sorted(float(order.split("\n")[1]) for order in orders)


def tau(ax):
    """Return the numbers of all cells."""
    (cells,) = of_group(ax, "cells")
    return cells.get_array().compressed()


TESTS = ra.inference.paired_tests(SCORES, "Bee")
SEPARATION = ra.inference.separation(SCORES)
AGREEMENT = ra.analysis.task_agreement(SCORES)
# In the order of rows: with all others, then with the other tasks.
BY_REST = np.argsort(-AGREEMENT.with_rest, kind="stable")
TAU = [[AGREEMENT.with_rest[t], *(AGREEMENT.tau[t, u] for u in BY_REST if u != t)] for t in BY_REST]
VOTES = PROFILE.pairwise()
COSTS = sorted(VOTES.cost(ra.Permutation.from_order(order)) for order in permutations(SYSTEMS))


@cache
def comparison(systems):
    return ra.compare(data_of(systems)[0])


@cache
def worths(systems):
    return ra.PlackettLuce.fit(data_of(systems)[0])


def missing(systems):
    holes = ra.ScoreTable(
        [[1.0, 2.0, np.nan], [2.0, np.nan, 1.0], [3.0, 1.0, 2.0], [4.0, 3.0, np.nan]],
        systems=systems, tasks=["x", "y", "z"], higher_is_better=True,
    )  # fmt: skip
    return ra.analysis.missing_report(holes)


@cache
def confidence(_):
    return ra.studies.ConfidenceStudy(
        data=[ra.studies.LatentModel(step=step, n_systems=4, n_tasks=1) for step in (0, 0.5, 1)],
        alphas=[0.1], proportions=[0.2], n_repetitions=2, rng=0,
    ).run()  # fmt: skip


def observed(systems):
    return ra.studies.ObservedData(label="Scores", data=data_of(systems)[1])


def corrupted(systems):
    return ra.studies.CorruptionStudy(
        data=[observed(systems)],
        corruptions=[
            ra.studies.ReversedScores(),
            ra.studies.NoisyScores(after=ra.studies.CopiedScores()),
        ],
        n_repetitions=2,
        rng=0,
    ).run()


def goodness(profile):
    return ra.distributions.goodness_of_fit(ra.Mallows.fit(profile), profile, n_resamples=3, rng=0)


def compared(profile):
    laws = ["uniform", "mallows-kendall"]
    return ra.distributions.compare_models(profile, laws, n_folds=2, n_resamples=3, rng=0)


# What makes that which is drawn: from the names of systems, from rankings, or from scores.
OF_NAMES = {
    plotting.bump_chart: comparison,
    plotting.overlap_plot: comparison,
    plotting.missingness_map: missing,
    plotting.study_plot: corrupted,
    plotting.confidence_heatmap: confidence,
    plotting.parameters_plot: worths,
    plotting.worths_plot: worths,
}
OF_RANKINGS = {
    plotting.permutohedron_plot: partial(ra.teaching.show_steps, ra.Kemeny()),
    plotting.pairwise_heatmap: ra.Profile.pairwise,
    plotting.tournament_plot: ra.TournamentGraph,
    plotting.intervals_heatmap: ra.PairwiseIntervals.from_data,
    plotting.pair_intervals_plot: ra.PairwiseIntervals.from_data,
    plotting.list_ranks_plot: ra.inference.robust_rank_aggregation,
    plotting.rule_choice_plot: partial(
        ra.analysis.choose_rule, rules=[ra.Borda(), ra.Copeland()], n_splits=5, rng=0
    ),
    plotting.critical_difference_diagram: ra.inference.friedman,
    plotting.distances_plot: ra.Mallows.fit,
    plotting.memberships_plot: partial(ra.Mixture.fit, n_components=2, n_starts=1, rng=0),
    plotting.models_plot: compared,
    plotting.goodness_plot: goodness,
}
OF_SCORES = {
    plotting.rank_distribution_plot: partial(ra.rank_shares, n_resamples=30, rng=0),
    plotting.forest_plot: partial(ra.rank_intervals, of="borda"),
    plotting.effects_plot: lambda scores: ra.inference.paired_tests(scores, scores.systems[1]),
    plotting.separation_plot: ra.inference.separation,
    plotting.new_task_plot: partial(ra.inference.new_task_ranks, alpha=0.3),
    plotting.task_agreement_plot: ra.analysis.task_agreement,
    plotting.robustness_plot: partial(ra.stability, rule=ra.Borda(), n_samples=5, rng=0),
}


@cache
def result(plot, systems=SYSTEMS):
    """Return what is drawn, made once."""
    if plot in OF_NAMES:
        return OF_NAMES[plot](systems)
    profile, scores = data_of(systems)
    return OF_RANKINGS[plot](profile) if plot in OF_RANKINGS else OF_SCORES[plot](scores)


# Of plots that are built alike one is quick; tests of each one's data check its texts, too.
QUICK = {
    "bump_chart", "critical_difference_diagram", "distances_plot", "forest_plot",
    "missingness_map", "pairwise_heatmap", "permutohedron_plot",
    "study_plot", "tournament_plot",
}  # fmt: skip


# A chart, rows, a diagram, a matrix, and panels of these go through the complete contract.
WHOLE = {
    "bump_chart", "critical_difference_diagram", "forest_plot", "pairwise_heatmap", "study_plot",
}  # fmt: skip


def rows_of(names):
    """Return names of plots, most of them marked as slow."""
    slow = pytest.mark.slow
    return [name if name in QUICK else pytest.param(name, marks=slow) for name in names]


def picture(plot, labels=(), drawn=None, data=()):
    found = Picture(lambda ax: plot(result(plot), ax=ax), labels, drawn, data)
    return found if plot.__name__ in WHOLE else pytest.param(found, marks=pytest.mark.slow)


OF_SYSTEMS = (
    "bump_chart", "rank_distribution_plot", "pairwise_heatmap", "tournament_plot",
    "missingness_map", "intervals_heatmap", "parameters_plot", "worths_plot",
    "list_ranks_plot", "new_task_plot",
)  # fmt: skip
WITHOUT_NAMES = ("robustness", "distances", "memberships", "goodness")


class TestPlots(PlotContract):
    pictures = (
        *(picture(getattr(plotting, name), SYSTEMS) for name in OF_SYSTEMS),
        *(picture(getattr(plotting, f"{name}_plot")) for name in WITHOUT_NAMES),
        picture(plotting.overlap_plot, ["Borda"]),
        picture(plotting.pair_intervals_plot, ["Ant / "]),
        picture(plotting.rule_choice_plot, ["Borda", "Copeland"]),
        picture(plotting.permutohedron_plot, ["A Ant, B Bee"], costs, COSTS),
        picture(plotting.forest_plot, SYSTEMS, rows, [1, 2, 3, 4]),
        picture(plotting.critical_difference_diagram, SYSTEMS),
        picture(plotting.effects_plot, ["Ant", "Cat"], rows, sorted(TESTS.to_frame()["effect"])),
        picture(plotting.separation_plot, ["Ant / Bee"], rows, sorted(SEPARATION.needed)),
        picture(plotting.task_agreement_plot, ["all others"], tau, np.ravel(TAU)),
        picture(plotting.study_plot, ["Mean", "reversed"]),
        picture(plotting.confidence_heatmap, ["0.8"]),
        picture(plotting.models_plot, ["uniform", "mallows-kendall"]),
    )


# Rows with a legend, headings in rows, panels with headings, and numbers in cells.
@pytest.mark.parametrize("name", rows_of(["study_plot", "task_agreement_plot"]))
def test_given_axes_of_a_column_hold_all_texts(name):
    plot = getattr(plotting, name)
    assert _faults_on_given_axes(Picture(lambda ax: plot(result(plot), ax=ax))) == []


def test_every_public_plot_has_a_contract():
    public = {getattr(plotting, name) for name in PLOTS}
    made = [*OF_NAMES, *OF_RANKINGS, *OF_SCORES]
    assert {one for one in public if callable(one)} == set(made)
    assert len(TestPlots.pictures) == len(made)


def test_seven_methods_look_different_and_the_next_have_other_fills():
    looks = [method_look(number) for number in range(14)]
    for part in (looks[:7], looks[7:]):
        assert all(len({str(look[key]) for look in part}) == 7 for key in ("color", "ls", "marker"))
    assert len({str(sorted(look.items(), key=str)) for look in looks}) == 14


# Of other plots the names are those of rules and models.
@pytest.mark.parametrize("name", rows_of(NAMED))
def test_odd_names_are_plain_text_that_fits(name):
    plot = getattr(plotting, name)
    ax = plot(result(plot, ODD))
    assert faults(ax) == []
    formulas = [text for text in ax.figure.findobj(Text) if "$" in text.get_text()]
    assert not any(text.get_parse_math() for text in formulas)


def test_other_objects_are_refused():
    for plot in (getattr(plotting, name) for name in PLOTS):
        parameter = next(iter(inspect.signature(plot).parameters))
        with pytest.raises(InvalidInputError, match=f"`{parameter}` must be"):
            plot(object())


# What the others draw is dear to make.
@pytest.mark.parametrize("name", rows_of(PLOTS))
def test_other_axes_and_levels_are_refused(name):
    plot = getattr(plotting, name)
    parameters = inspect.signature(plot).parameters
    with pytest.raises(InvalidInputError, match="Matplotlib axes"):
        plot(result(plot), ax="here")
    if "alpha" in parameters and parameters["alpha"].default is not None:
        for alpha in (0, 1, 95):
            with pytest.raises(InvalidInputError, match="alpha"):
                plot(result(plot), alpha=alpha)


CROWDED = {
    "separation_plot": ra.inference.separation,
    "critical_difference_diagram": ra.inference.friedman,
    "bump_chart": ra.compare,
    "rank_distribution_plot": partial(ra.rank_shares, rule=ra.Borda(), n_resamples=50, rng=0),
}


@pytest.mark.parametrize(
    "name",
    ["critical_difference_diagram",
     *(pytest.param(name, marks=pytest.mark.slow)
       for name in CROWDED if name != "critical_difference_diagram")],
)  # fmt: skip
def test_thirty_names_neither_collide_nor_are_cut(name, thirty):
    ax = getattr(plotting, name)(CROWDED[name](thirty))
    assert faults(ax) == []
    # Numbers would be too small to be read.
    assert not of_group(ax, "share")
