"""A second opinion of all results of experiments: each sheet and figure, on small tables.

Opinions are computed from the papers' words in `opinions_p1`, `opinions_p2` and `opinions_p3`. The
distribution of drawn scores and subsets is tested in `tests/studies`.
"""

from functools import cache, partial

import matplotlib.pyplot as plt
import numpy as np
import pytest

import rankagg as ra
from rankagg.plotting.sheet import PlotSheet
from replication import p1, p2
from replication.experiment import Bench
from replication.p1 import INSTANCE_TABLES
from replication.published import as_text
from replication.run import EXPERIMENTS
from tests.examples.papers import independent, opinions_p1, opinions_p2, opinions_p3

PAPERS = opinions_p1, opinions_p2, opinions_p3
SHEETS, CURVES, PANELS, PLACES = (
    {name: one for paper in PAPERS for name, one in getattr(paper, kind, {}).items()}
    for kind in ("SHEETS", "CURVES", "PANELS", "PLACES")
)
CELLS, COLUMNS = opinions_p2.CELLS, opinions_p3.COLUMNS
#: Experiments whose numbers are all in rows, which `test_published` holds against references.
NO_SHEET = {
    "p1-remark-1", "p1-tables-4-5", "p1-section-3.2", "p1-equation-3", "p2-equation-6",
}  # fmt: skip
#: The experiments of sheets and figures that have other names.
HANDED_ON_BY = {
    "p1-table-6": "p1-tables-3-6",
    **{f"p1-figure-{number}": "p1-section-5.3" for number in (4, 6, 10, 11)},
    "p2-figure-6": "p2-figure-4", "p2-figure-11": "p2-figure-4", "p2-tables-1-2": "p2-figure-2",
    "p2-table-1": "p2-figure-2", "p2-table-3": "p2-figure-5", "p2-figure-10": "p2-figure-5",
    "p2-sizes": "p2-figure-7", "p3-columns": "p3-section-4", "p3-rules": "p3-consensus",
    "p3-xtreme-policies": "p3-consensus", "p3-rank-intervals": "p3-consensus",
}  # fmt: skip
#: The rules by the papers' names, and two of them.
CALLED = {
    "Mean, Borda": "mean and one level",
    "Mean, TwoLevel(Borda, Borda)": "mean and two levels",
    "Borda, TwoLevel(Borda, Borda)": "one level and two levels",
    "Mean": "mean", "Borda": "one level", "Borda, uniform": "one level", "Kemeny": "exact",
    "TwoLevel(Borda, Borda)": "two levels", "TwoLevel(Borda, Borda), uniform": "two levels",
    "TwoLevel(Borda, Kemeny)": "exact of tasks",
}  # fmt: skip


class SmallTables(dict):
    """Small tables in the place of those of the papers, with ties and gaps."""

    __hash__ = object.__hash__  # opinions are computed once
    rankings = ()  # of no run of the authors

    def content_of(self, file):
        """There is no file of the authors."""


def scores(rng, n_systems, n_units, *, gaps=0.0, step=0.5):
    """Draw scores of few values, of systems that differ, in random order."""
    heights = rng.permutation(n_systems)[:, None]
    # Multiples of 0.4 are tied, and their means hold rounding.
    values = 0.4 * ((50 + step * heights + rng.gumbel(size=(n_systems, n_units))) / 0.4).round()
    gone = rng.random(values.shape) < gaps
    # So that every system and every unit keep a score.
    gone[0], gone[:, 0] = False, False
    return np.where(gone, np.nan, values)


def board(rng, n_systems, tasks, **options):
    names = [f"S{at}" for at in range(n_systems)]
    values = scores(rng, n_systems, len(tasks), **options)
    return ra.ScoreTable(values, systems=names, tasks=list(tasks), higher_is_better=True)


def with_instances(rng, n_systems, tasks, n_instances, **options):
    names = [f"S{at}" for at in range(n_systems)]
    each = [(task, number) for task in tasks for number in range(n_instances)]
    signs = [-1 if task == "lower" else 1 for task, _ in each]
    return ra.ScoreTable(
        signs * scores(rng, n_systems, len(each), **options),
        systems=names,
        tasks=[task for task, _ in each],
        instances=[number for _, number in each],
        higher_is_better={task: task != "lower" for task in tasks},
    )


@cache
def small_tables():
    """Return a table for each of the papers': some hard to tell apart, some easy to decide."""
    rng = np.random.default_rng(0)
    data = SmallTables()
    boards = {"GLUE": (11, 8, 0.2), "SuperGLUE": (6, 8, 1.0), "XTREME": (5, 4, 0.2)}
    for name, (n_systems, n_tasks, step) in boards.items():
        tasks = "abcdefgh"[:n_tasks]
        data[name] = board(rng, n_systems, tasks, step=step)
        total = ra.ScoreTable(
            data[name].values.mean(axis=1, keepdims=True), systems=data[name].systems,
            tasks=["Score"], higher_is_better=True,
        )  # fmt: skip
        if name == "XTREME":
            data["XTREME Score"] = total
        else:
            data[f"{name} with Score"] = ra.ScoreTable(
                np.hstack([total.values, data[name].values]), systems=data[name].systems,
                tasks=["Score", *tasks], higher_is_better=True,
            )  # fmt: skip
    data["XTREME with gaps"] = board(rng, 6, ("Score", *"abcd"), gaps=0.4)
    data["GEM"] = board(rng, 5, "abcdef")
    data["GEM of 22"] = board(rng, 7, "abc")
    data["GEM BLEU"] = board(rng, 5, "abcdefghi", gaps=0.2, step=3.0)
    data["dialogue with gaps"] = with_instances(rng, 5, ("a", "b", "c"), 8, gaps=0.2, step=2.0)
    for number, file in enumerate(INSTANCE_TABLES.values()):
        judged = ["H: a judgment"] if number % 2 == 0 else []
        tasks = ("a", "lower", "c", *judged)
        n_instances, step = (30, 1.0) if file in ("sum_eval", "tac_08") else (4, 0.2)
        n_systems = 4 + number % 4 + 4 * (number == 8)
        data[file] = with_instances(rng, n_systems, tasks, n_instances, step=step)
    return data


@pytest.fixture(scope="module")
def run():
    """Return a function that runs an experiment on small tables once."""
    models = {
        phi: ra.studies.LatentModel(step=phi, n_systems=5, n_tasks=5, n_instances=3)
        for phi in p1.MODELS
    }
    by_name = {one.name: one for one in EXPERIMENTS}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(p1, "MODELS", models)
        few = {"n_systems": 6, "n_tasks": 5, "n_instances": 4}
        patch.setattr(p2, "LatentModel", partial(ra.studies.LatentModel, **few))
        # Laying out takes longest, and moves no number.
        patch.setattr(PlotSheet, "_laid_out", lambda sheet: (60.0, 40.0))
        yield cache(lambda name: by_name[name].run(Bench(small_tables(), quick=True)))


def first(names):
    """Return names; all but the first are for slow tests."""
    one, *others = names
    return [one, *(pytest.param(name, marks=pytest.mark.slow) for name in others)]


def experiment_of(name):
    """Return the experiment that hands on a sheet or figure: by name, or the beginning of it."""
    begins = {one.name: one.name for one in EXPERIMENTS} | HANDED_ON_BY
    known = [begin for begin in begins if f"{name}-".startswith(f"{begin}-")]
    return begins[max(known, key=len)]


@pytest.mark.slow
def test_every_sheet_and_figure_has_a_second_opinion(run):
    sheets, pictures = set(), set()
    for one in EXPERIMENTS:
        found = run(one.name)
        assert bool(found.sheets) == (one.name not in NO_SHEET)
        for handed_on, names in ((found.sheets, sheets), (found.pictures, pictures)):
            assert {experiment_of(each.name) for each in handed_on} <= {one.name}
            names |= {each.name for each in handed_on}
    assert sheets == set(SHEETS)
    drawn = [*CURVES, *PANELS, *PLACES, *CELLS, *COLUMNS]
    assert sorted(drawn) == sorted(pictures)


def same(cell, expected):
    if isinstance(cell, str) and not isinstance(expected, str):
        return cell == as_text(float(expected))
    if isinstance(expected, str):
        return CALLED.get(cell, cell) == expected
    return float(cell) == pytest.approx(float(expected), rel=1e-9, abs=1e-9, nan_ok=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", SHEETS)
def test_sheet_equals_the_definition_of_the_paper(name, run):
    (frame,) = (sheet.frame for sheet in run(experiment_of(name)).sheets if sheet.name == name)
    opinions = [row if isinstance(row, list) else [row] for row in SHEETS[name](small_tables())]
    assert len(frame) == len(opinions)
    if "quantity" in frame:
        # Facts below each other are in any order.
        frame = frame.sort_values("quantity")
        opinions.sort(key=lambda rows: rows[0]["quantity"])
    for cells, rows in zip(frame.to_dict("records"), opinions, strict=True):
        # What an opinion is silent about is nowhere: a table joined of parts has gaps.
        apart = []
        for row in rows:
            known = dict.fromkeys(cells, np.nan) | row
            assert set(known) == set(cells)
            apart.append(
                {key: (x, known[key]) for key, x in cells.items() if not same(x, known[key])}
            )
        assert {} in apart, (cells, apart[:3])
    columns = {key for rows in opinions for key in rows[0]}
    assert columns == set(frame.columns)


#: Of experiments whose rows another program computes, what it finds on these tables.
ROWS = {
    "p1-section-5.3": independent.p1_instances,
    "p1-figure-8": lambda data: independent.p1_subsets(data, 3),
    "p1-figure-9": lambda data: independent.p1_subsets(data, 3),
}


@pytest.mark.parametrize("name", first(ROWS))
def test_rows_follow_their_definition(name, run):
    found, expected = run(name).values, ROWS[name](small_tables())
    assert found
    for key, value in found.items():
        if not key[1].startswith("sizes of subsets, "):  # those are in the sheet
            assert value == pytest.approx(expected[key], abs=1e-9, nan_ok=True), key


def test_optima_are_those_of_all_orders(run):
    found = {key[1]: value for key, value in run("p1-exact").values.items()}
    for name in p1.BOARDS:
        votes = independent.wins(independent.higher(small_tables()[name])[0])
        _, first, _, _, number = independent.optima(votes)
        assert found[f"optima, {name}"] == number
        assert found[f"systems first in an optimum, {name}"] == first.sum()
        assert found[f"it is the only optimum, {name}"] == ("yes" if number == 1 else "no")


@pytest.fixture
def axes(run):
    """Return a function that draws a picture and returns its axes."""
    figures = []

    def draw(name):
        found = run(experiment_of(name)).pictures
        (picture,) = (picture for picture in found if picture.name == name)
        figures.append(picture.draw().figure)
        return figures[-1].axes

    yield draw
    for figure in figures:
        plt.close(figure)


def close(numbers):
    return pytest.approx(np.array(numbers, dtype=float), rel=1e-9, abs=1e-9, nan_ok=True)


def lines(ax):
    return {line.get_gid(): line for line in ax.get_lines()}


@pytest.mark.slow
@pytest.mark.parametrize("name", CURVES)
def test_curves_equal_the_definition_of_the_paper(name, axes):
    opinion, drawn = CURVES[name](small_tables()), axes(name)
    assert [ax.get_title(loc="left") for ax in drawn] == list(opinion)
    for ax, curves in zip(drawn, opinion.values(), strict=True):
        found = {str(gid): line for gid, line in lines(ax).items()}
        drawn_lines = [line for gid, line in found.items() if gid.startswith(("curve-", "line-"))]
        assert len(drawn_lines) == len(curves)
        legend = [text.get_text() for text in ax.get_legend().get_texts()]
        shades = {str(part.get_gid()): part for part in ax.collections}
        for line, label in zip(drawn_lines, legend, strict=False):
            points = curves[CALLED.get(label, label)]
            # Whatever is not defined is not drawn.
            middle, *ends = np.array(list(points.values())).T
            assert line.get_ydata() == close(middle), label
            _, number = str(line.get_gid()).split("-", 1)
            is_shaded = f"band-{number}" in shades and shades[f"band-{number}"].get_paths()
            if is_shaded and f"low-{number}" not in found:
                corners = shades[f"band-{number}"].get_paths()[0].vertices[:, 1]
                known = np.concatenate(ends)[np.isfinite(np.concatenate(ends))]
                assert all(np.isclose(corners, height).any() for height in known), label
            for kind, heights in zip(("low", "high"), ends, strict=True):
                if f"{kind}-{number}" in found:
                    assert found[f"{kind}-{number}"].get_ydata() == close(heights), (label, kind)


@pytest.mark.parametrize("name", first(PANELS))
def test_panels_equal_the_definition_of_the_paper(name, axes):
    (ax,), opinion = axes(name), PANELS[name](small_tables())
    found = {gid: line for gid, line in lines(ax).items() if str(gid).startswith("line-")}
    assert set(found) == {
        f"line-{panel}-{at}" for panel, curves in enumerate(opinion) for at in range(len(curves))
    }
    for panel, curves in enumerate(opinion):
        for at, curve in enumerate(curves):
            heights = found[f"line-{panel}-{at}"].get_ydata()
            for height, answers in zip(heights, curve, strict=True):
                assert any(height == pytest.approx(answer, abs=1e-9) for answer in answers)


@pytest.mark.parametrize("name", first(PLACES))
def test_ranks_and_bounds_equal_those_of_all_signs(name, axes):
    (ax,), opinion = axes(name), PLACES[name](small_tables())
    found = lines(ax)
    rows = [
        (*found[f"point-{row}"].get_xdata(), *found[f"bar-{row}"].get_xdata())
        for row in range(len(opinion))
    ]
    assert rows == [tuple(row) for row in opinion]
    assert [int(label.get_text().split()[0]) for label in ax.get_yticklabels()] == [
        row[0] for row in opinion
    ]


@pytest.mark.parametrize("name", first(CELLS))
def test_cells_are_the_proportions_of_the_first_table(name, axes):
    shown = CELLS[name]
    drawn = [ax for ax in axes(name) if any(text.get_gid() == "share" for text in ax.texts)]
    assert len(drawn) == len(shown)
    for ax, data in zip(drawn, shown, strict=True):
        systems, shares, decided, ranks = opinions_p2.first_table(small_tables(), data)
        labels = [label.get_text().split() for label in ax.get_yticklabels()]
        order = [systems.index(label) for _, label in labels]
        assert [int(rank) for rank, _ in labels] == [ranks[at] for at in order] == sorted(ranks)
        numbers = [text for text in ax.texts if text.get_gid() == "share"]
        texts = {text.get_position(): text.get_text() for text in numbers}
        n = len(systems)
        assert len(texts) == n * (n - 1)
        for (column, row), text in texts.items():
            share = 100 * shares[order[int(row)], order[int(column)]]
            assert abs(float(text) - share) <= 0.5 + 1e-9
        dots = [line.get_xydata()[0] for line in ax.get_lines() if line.get_gid() == "decided"]
        assert {(order[round(y)], order[round(x)]) for x, y in dots} == decided


@pytest.mark.parametrize("name", first(COLUMNS))
def test_places_by_rules_are_those_of_their_scores(name, axes):
    drawn, opinion = axes(name), COLUMNS[name]()
    assert [" ".join(ax.get_title(loc="left").split()) for ax in drawn] == list(opinion)
    for ax, columns in zip(drawn, opinion.values(), strict=True):
        items = sorted(gid for gid in lines(ax) if str(gid).startswith("item-"))
        slots = np.array([lines(ax)[item].get_ydata() for item in items])
        for column, answers in zip(slots.T, columns, strict=True):
            assert sorted(column) == list(range(len(answers[0])))
            # Tied systems are next to each other in some order.
            better = [(column[:, None] < column)[s[:, None] > s].all() for s in answers]
            assert any(better)
