# /// script
# dependencies = ["rankagg", "marimo"]
#
# [tool.marimo.display]
# theme = "system"
# ///
"""Exercises to the lecture benchmarks: benchmarks, missing scores and uncertainty."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(
    width="medium",
    app_title="Exercises: Benchmarks, missing scores and uncertainty",
    css_file="course.css",
)

with app.setup:
    import marimo as mo
    import numpy as np

    import page
    import rankagg as ra

    TOY, GAPS = ra.datasets.load("toy_tasks"), ra.datasets.load("xtreme_gaps")


@app.cell(hide_code=True)
def _():
    solutions = mo.ui.dropdown(page.SOLUTIONS, value="folded", label="Solutions")
    return (solutions,)


@app.cell(hide_code=True)
def _(solutions):
    mo.vstack([mo.md("# Exercises: Benchmarks, missing scores and uncertainty"), solutions])


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **1.** On `toy_tasks`, by which factors of Task3 does the mean put A first?
    """)


@app.cell(hide_code=True)
def _(solutions):
    _scores = TOY.to_frame()
    _rest = _scores.drop(columns="Task3").sum(axis=1)
    _steps = {
        other: (_rest["A"] - _rest[other]) / (_scores["Task3"][other] - _scores["Task3"]["A"])
        for other in "BC"
    }
    _least = max(_steps.values())
    for _by in (0.99 * _least, 1.01 * _least):
        _first = (
            ra.Mean()
            .aggregate(ra.studies.RescaledScores(factor=_by).corrupt(TOY, ["Task3"]))
            .order[0]
        )
        assert (_first == "A") == (_by > _least)
    page.solution(
        mo.md(
            f"Lower is better. A's sum over the other tasks exceeds B's by "
            f"{_rest['A'] - _rest['B']:.2f} and C's by {_rest['A'] - _rest['C']:.2f}; on "
            f"Task3 A is lower by 3 and by 5. So A is first where the factor is above "
            f"{_steps['B']:.4f} (for B) and {_steps['C']:.4f} (for C): **above {_least:.4f}**."
        ),
        solutions.value,
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **2.** A task ranks $k$ of $N$ systems. Show that under `"uniform"` an unranked system gets
    $(N-1)/2$ Borda points. Where does that put M5 in `xtreme_gaps`, which has no score at all?
    """)


@app.cell(hide_code=True)
def _(solutions):
    _result = ra.Borda().aggregate(GAPS)
    _points = _result.scores[GAPS.systems.index("M5")]
    assert np.isclose(_points, 4 * 9 / 2)
    assert _result.ranking.rank("M5") == 6
    page.solution(
        mo.md(
            f"Reversing the unranked system's place in the list maps compatible permutations "
            f"to each other, so it is in the middle on average. M5 has 4 · 9/2 = {_points:g} "
            f"points and rank {_result.ranking.rank('M5')} of ten: ahead of four systems "
            f"that were run. That is what the assumption means. A system without any score is "
            "better left out."
        ),
        solutions.value,
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **3.** How many tasks does a two-sided sign test need if one system wins *all* of them: at 5
    %, at 1 %, and at 5 % for 15 pairs together by Bonferroni?
    """)


@app.cell(hide_code=True)
def _(solutions):
    def _least(alpha):
        return next(n for n in range(1, 50) if 2 / 2**n <= alpha)

    _answers = [_least(0.05), _least(0.01), _least(0.05 / 15)]
    assert _answers == [6, 8, 10]
    page.solution(
        mo.md(
            f"The p-value of $n$ wins out of $n$ is $2/2^n$: **{_answers[0]}**, "
            f"**{_answers[1]}** and **{_answers[2]}** tasks. Sign flips of whole tasks need "
            f"6 for all pairs, as they do not pay for each pair."
        ),
        solutions.value,
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **4.** Two systems answer the same questions; on a fifth of them only one is right. How many
    questions tell 80 % from 82 % accuracy with 80 % power? And 80 % from 85 %?
    """)


@app.cell(hide_code=True)
def _(solutions):
    _small, _large = (ra.inference.units_needed(d, differing=0.2) for d in (0.02, 0.05))
    assert 5.5 < _small / _large < 7
    page.solution(
        mo.md(
            f"`ra.inference.units_needed(0.02, differing=0.2)` gives **{_small}**, and {_large} "
            f"for five points: the number grows with the square of $1/d$, here by a factor of "
            f"{_small / _large:.1f}."
        ),
        solutions.value,
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **5.** With `superglue_metrics`, how few of 13 metrics have to go until Borda has another
    first? Why is that no test of 13 independent tasks?
    """)


@app.cell(hide_code=True)
def _(solutions):
    _table = ra.datasets.load("superglue_metrics")
    _found = ra.analysis.removal_radius(_table, ra.Borda())
    assert _found.overtaken.number == 1
    _said = _found.headline()
    page.solution(
        mo.md(
            f"{_said[0].upper()}{_said[1:]}. Several of the 13 columns are two metrics of "
            f"one task (of CB, MultiRC and ReCoRD): they rise and fall together, so "
            "there are fewer independent units than columns."
        ),
        solutions.value,
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **6.** Shavrina and Malykh (2021) have humans first on GLUE by the geometric mean. On
    `glue_human`, where all six have the same ten columns, where are humans by the arithmetic,
    geometric and harmonic mean?
    """)


@app.cell(hide_code=True)
def _(solutions):
    _glue = ra.datasets.load("glue_human")
    _rules = (ra.Mean(), ra.GeometricMean(), ra.HarmonicMean())
    _places = {rule.name: rule.aggregate(_glue).ranking.rank("Human") for rule in _rules}
    assert set(_places.values()) == {6}
    page.solution(
        mo.md(
            f"{', '.join(f'{name}: rank {place}' for name, place in _places.items())}, of "
            f"six. In print the models' means include the AX diagnostic, on which scores are "
            f"low, and the humans' do not. The new order came from the "
            "columns, not from the kind of mean."
        ),
        solutions.value,
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **7.** Prove $P(\text{missing above place } r)=(r+1)/(k+1)$ for $k$ ranked systems, and say
    why it does not depend on the number of *other* missing ones.
    """)


@app.cell(hide_code=True)
def _(solutions):
    for _n in (4, 5, 6):
        _partial = ra.PartialRanking.from_order("ABC", items="ABCDEF"[:_n])
        assert np.allclose(_partial.pairwise_probabilities()[3, :3], [0.25, 0.5, 0.75])
    page.solution(
        mo.md(
            r"""
    Look at the order of the missing system and the $k$ ranked ones alone. All compatible
    permutations are equally likely, and the other missing systems can be inserted into each such
    order in equally many ways. So each of the $k+1$ gaps is equally likely, and $r+1$ of them are
    above place $r$ (counted from 0). Computed for 4, 5 and 6 systems: 1/4, 1/2, 3/4 each time.
    """
        ),
        solutions.value,
    )


if __name__ == "__main__":
    app.run()
