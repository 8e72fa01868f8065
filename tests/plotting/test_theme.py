"""The contract suite for every plot that is there."""

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
from rankagg.testing.plots import Picture, PlotContract, faults, faults_on_given_axes, of_group

SYSTEMS = ("Ant", "Bee", "Cat", "Dog")
ODD = ("$x^2$", "a_b$ \\frac{", "<b>\nx</b>", "W" * 200)
PLOTS = sorted(set(dir(plotting)) - {"style"})
OF_METHODS = ("agreement", "confidence", "cycle", "distances", "goodness", "manipulation",
              "missing_scores", "models", "overlap", "ratio", "scaling", "task_subset",
              "thetas")  # fmt: skip
NAMED = [name for name in PLOTS if name.removesuffix("_plot") not in OF_METHODS]


def data_of(systems):
    """Return rankings and scores of four systems."""
    profile = ra.Mallows(systems, theta=0.8).sample(60, rng=1)
    noise = np.random.default_rng(5).normal([[1.5], [1.0], [0.5], [0.0]], size=(4, 9))
    return profile, ra.ScoreTable(noise, systems=systems, higher_is_better=True)


PROFILE, SCORES = data_of(SYSTEMS)


def rows(ax):
    """Return the numbers at which the points of rows stand."""
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


TESTS = ra.paired_tests(SCORES, "Bee")
SEPARATION = ra.separation(SCORES)
AGREEMENT = ra.task_agreement(SCORES)
# In the order of rows: with all others, then with the other tasks.
BY_REST = np.argsort(-AGREEMENT.with_rest, kind="stable")
TAU = [[AGREEMENT.with_rest[t], *(AGREEMENT.tau[t, u] for u in BY_REST if u != t)] for t in BY_REST]
VOTES = PROFILE.pairwise()
COSTS = sorted(VOTES.cost(ra.Permutation.from_order(order)) for order in permutations(SYSTEMS))


@cache
def results(systems=SYSTEMS):
    """Return what is drawn, made once."""
    profile, scores = data_of(systems)
    holes = ra.ScoreTable(
        [[1.0, 2.0, np.nan], [2.0, np.nan, 1.0], [3.0, 1.0, 2.0], [4.0, 3.0, np.nan]],
        systems=systems, tasks=["x", "y", "z"], higher_is_better=True,
    )  # fmt: skip
    study = ra.studies.ApproximationStudy(
        aggregators=[ra.Borda(), ra.Copeland()], models=[ra.cultures.MallowsCulture(phi=0.9)],
        n_items=[5], n_rankings=[5], n_repetitions=5,
    )  # fmt: skip
    incomplete = ra.studies.MissingScoresStudy(
        models=[ra.studies.Observed(label="Scores", data=scores)], proportions=[0, 0.2, 0.4],
        n_repetitions=5,
    )  # fmt: skip
    confidence = ra.studies.ConfidenceStudy(
        models=[ra.studies.LatentModel(step=step, n_systems=4, n_tasks=1) for step in (0, 0.5, 1)],
        alphas=[0.1], proportions=[0.2], n_repetitions=2,
    ).run()  # fmt: skip
    comparison = ra.compare(profile)
    worths = ra.PlackettLuce.fit(profile)
    return {
        plotting.bump_chart: comparison,
        plotting.overlap_plot: comparison,
        plotting.rank_distribution_plot: ra.rank_shares(scores, n_resamples=100, rng=0),
        plotting.permutohedron_plot: ra.teaching.show_steps(ra.Kemeny(), profile),
        plotting.pairwise_heatmap: profile.pairwise(),
        plotting.tournament_plot: ra.TournamentGraph(profile.pairwise()),
        plotting.missingness_map: ra.missing_report(holes),
        plotting.forest_plot: ra.rank_intervals(scores, of="borda"),
        plotting.intervals_heatmap: ra.PairwiseIntervals.from_data(profile),
        plotting.critical_difference_diagram: ra.friedman(profile),
        plotting.effects_plot: ra.paired_tests(scores, systems[1]),
        plotting.separation_plot: ra.separation(scores),
        plotting.task_agreement_plot: ra.task_agreement(scores),
        plotting.robustness_plot: ra.stability(scores, ra.Borda(), rng=0),
        plotting.ratio_plot: study.run(),
        plotting.missing_scores_plot: incomplete.run(),
        plotting.confidence_plot: confidence,
        plotting.confidence_heatmap: confidence,
        plotting.task_subset_plot: ra.studies.TaskSubsetStudy(data=scores, n_repetitions=9).run(),
        plotting.agreement_plot: ra.studies.AgreementStudy(data=scores).run(),
        plotting.cycle_plot: ra.studies.CycleStudy(
            models=[ra.cultures.ImpartialCulture()], n_repetitions=9
        ).run(),
        plotting.corruption_plot: ra.studies.CorruptionStudy(
            models=[ra.studies.Observed(label="Scores", data=scores)],
            corruptions=[ra.studies.Reversed(), ra.studies.Noisy(after=ra.studies.Copied())],
            n_repetitions=3,
        ).run(),
        plotting.fit_plot: worths,
        plotting.parameters_plot: worths,
        plotting.worths_plot: worths,
        plotting.distances_plot: ra.Mallows.fit(profile),
        plotting.memberships_plot: ra.fit_mixture(profile, 2, n_starts=2, rng=0),
        plotting.thetas_plot: ra.GeneralizedMallows.fit(profile),
        plotting.models_plot: ra.compare_models(
            profile, ["uniform", "mallows-kendall"], n_folds=2, n_resamples=3, rng=0
        ),
        plotting.goodness_plot: ra.goodness_of_fit(
            ra.Mallows.fit(profile), profile, n_resamples=3, rng=0
        ),
    }


def picture(plot, labels=(), drawn=None, data=()):
    return Picture(lambda ax: plot(results()[plot], ax=ax), labels, drawn, data)


OF_SYSTEMS = (
    "bump_chart", "rank_distribution_plot", "pairwise_heatmap", "tournament_plot",
    "missingness_map", "intervals_heatmap", "fit_plot", "parameters_plot", "worths_plot",
)  # fmt: skip
WITHOUT_NAMES = ("robustness", "distances", "memberships", "thetas", "goodness")


class TestPlots(PlotContract):
    pictures = (
        *(picture(getattr(plotting, name), SYSTEMS) for name in OF_SYSTEMS),
        *(picture(getattr(plotting, f"{name}_plot")) for name in WITHOUT_NAMES),
        picture(plotting.overlap_plot, ["Borda"]),
        picture(plotting.permutohedron_plot, ["A Ant, B Bee"], costs, COSTS),
        picture(plotting.forest_plot, SYSTEMS, rows, [1, 2, 3, 4]),
        picture(plotting.critical_difference_diagram, SYSTEMS),
        picture(plotting.effects_plot, ["Ant", "Cat"], rows, sorted(TESTS.to_frame()["effect"])),
        picture(plotting.separation_plot, ["Ant / Bee"], rows, sorted(SEPARATION.needed)),
        picture(plotting.task_agreement_plot, ["all others"], tau, np.ravel(TAU)),
        picture(plotting.ratio_plot, ["Borda", "Copeland"]),
        picture(plotting.missing_scores_plot, ["Mean", "Borda, uniform"]),
        picture(plotting.confidence_plot, ["figure 4", "20 comparisons"]),
        picture(plotting.confidence_heatmap, ["0.8"]),
        picture(plotting.task_subset_plot, ["Mean", "Borda"]),
        picture(plotting.agreement_plot, ["Mean / Borda", "at random"]),
        picture(plotting.cycle_plot, ["impartial culture, 3 items", "known exactly"]),
        picture(plotting.corruption_plot, ["Mean", "reversed"]),
        picture(plotting.models_plot, ["uniform", "mallows-kendall"]),
    )


# Rows with a legend, headings in rows, panels with headings, and numbers in cells.
@pytest.mark.parametrize("name", ["ratio", "corruption", "task_agreement"])
def test_given_axes_of_a_column_hold_all_texts(name):
    assert faults_on_given_axes(picture(getattr(plotting, f"{name}_plot"))) == []


def test_every_public_plot_has_a_contract():
    public = {getattr(plotting, name) for name in PLOTS}
    assert {one for one in public if callable(one)} == set(results())
    assert len(TestPlots.pictures) == len(results())


def test_seven_methods_look_different_and_the_next_ones_are_filled_differently():
    looks = [method_look(number) for number in range(14)]
    for part in (looks[:7], looks[7:]):
        assert all(len({str(look[key]) for look in part}) == 7 for key in ("color", "ls", "marker"))
    assert len({str(sorted(look.items(), key=str)) for look in looks}) == 14


# Of other plots the names are those of rules and models.
@pytest.mark.parametrize("name", NAMED)
def test_odd_names_are_plain_text_that_fits(name):
    plot = getattr(plotting, name)
    ax = plot(results(ODD)[plot])
    assert faults(ax) == []
    formulas = [text for text in ax.figure.findobj(Text) if "$" in text.get_text()]
    assert not any(text.get_parse_math() for text in formulas)


@pytest.mark.parametrize("name", PLOTS)
def test_other_objects_axes_and_levels_are_refused(name):
    plot = getattr(plotting, name)
    parameters = inspect.signature(plot).parameters
    with pytest.raises(InvalidInputError, match=f"`{next(iter(parameters))}` must be"):
        plot(object())
    with pytest.raises(InvalidInputError, match="matplotlib axes"):
        plot(results()[plot], ax="here")
    if "alpha" in parameters and parameters["alpha"].default is not None:
        for alpha in (0, 1, 95):
            with pytest.raises(InvalidInputError, match="alpha"):
                plot(results()[plot], alpha=alpha)


CROWDED = {
    "separation_plot": ra.separation,
    "worths_plot": lambda scores: ra.PlackettLuce.fit(scores.rankings()),
    "pairwise_heatmap": lambda scores: scores.rankings().pairwise(),
    "critical_difference_diagram": ra.friedman,
}
MORE_CROWDED = {
    "bump_chart": ra.compare,
    "effects_plot": lambda scores: ra.paired_tests(scores, scores.systems[3]),
    "forest_plot": partial(ra.rank_intervals, of="borda"),
    "intervals_heatmap": ra.PairwiseIntervals.from_data,
    "missingness_map": ra.missing_report,
    "overlap_plot": ra.compare,
    "rank_distribution_plot": partial(ra.rank_shares, aggregator=ra.Borda(), n_resamples=50, rng=0),
}


@pytest.mark.parametrize(
    "name", [*CROWDED, *(pytest.param(name, marks=pytest.mark.slow) for name in MORE_CROWDED)]
)
def test_thirty_names_neither_collide_nor_are_cut(name, thirty):
    ax = getattr(plotting, name)((CROWDED | MORE_CROWDED)[name](thirty))
    assert faults(ax) == []
    # Numbers would be too small to be read.
    assert not of_group(ax, "share")
