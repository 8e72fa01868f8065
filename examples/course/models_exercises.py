# /// script
# dependencies = ["rankagg", "marimo"]
#
# [tool.marimo.display]
# theme = "system"
# ///
"""Exercises to the lecture models: rankings at random."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(
    width="medium",
    app_title="Exercises: Rankings at random",
    css_file="course.css",
)

with app.setup:
    from itertools import permutations, product

    import marimo as mo
    import numpy as np

    import page
    import rankagg as ra


@app.cell(hide_code=True)
def _():
    solutions = mo.ui.dropdown(page.SOLUTIONS, value="folded", label="Solutions")
    return (solutions,)


@app.cell(hide_code=True)
def _(solutions):
    mo.vstack([mo.md("# Exercises: Rankings at random"), solutions])


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **1.** Write $Z_3(\theta)$ as a polynomial in $\varphi$, by listing the six rankings, and
    factor it.
    """)


@app.cell(hide_code=True)
def _(solutions):
    _counts = ra.distributions.kendall_distance_counts(3)
    assert _counts == np.polymul([1, 1], [1, 1, 1]).tolist()
    page.solution(
        mo.md(
            rf"""
    The distances of the six rankings from A > B > C are 0, 1, 1, 2, 2, 3 (counts {_counts}), so
    $Z_3=1+2\varphi+2\varphi^2+\varphi^3=(1+\varphi)(1+\varphi+\varphi^2)$.
    """
        ),
        solutions.value,
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **2.** Under Mallows, with what probability are two items that are *neighbors* in the center
    in the right order? Does it depend on $n$, or on where they stand?
    """)


@app.cell(hide_code=True)
def _(solutions):
    _model = ra.Mallows("ABCDEF", theta=0.7)
    _pairs = _model.pairwise_probabilities()
    _next = np.diag(_pairs, 1)
    assert np.allclose(_next, 1 / (1 + _model.phi))
    assert _pairs[0, 5] > _pairs[0, 1]
    page.solution(
        mo.md(
            rf"""
    $1/(1+\varphi)$, wherever they stand and whatever $n$ is. Exchanging the *labels* of two
    neighbors maps rankings with the right order one to one to those with the wrong order, and
    changes the distance by 1: no other pair changes, since the center has the two alike against
    all others. Computed for six items and $\theta=.7$: {
                ", ".join(f"{one:.4f}" for one in _next)
            }. Pairs farther apart in the center are safer: A is above F with {_pairs[0, 5]:.4f}.
    """
        ),
        solutions.value,
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **3.** Worths 3, 2, 1 of A, B, C. Compute the probability of A > B > C, and that of each item
    to be *last*. Show that choosing the last one does not follow Luce's axiom with worths 1/3,
    1/2, 1.
    """)


@app.cell(hide_code=True)
def _(solutions):
    _model = ra.PlackettLuce(np.log([3.0, 2.0, 1.0]), items="ABC")
    _top = _model.prob(ra.Permutation.from_order("ABC"))
    _last = _model.rank_probabilities()[:, 2]
    _inverse = np.array([1 / 3, 1 / 2, 1]) / (1 / 3 + 1 / 2 + 1)
    assert np.isclose(_top, 3 / 6 * 2 / 3)
    assert abs(_last - _inverse).max() > 0.02

    def _listed(values):
        return ", ".join(f"{one:.4f}" for one in values)

    page.solution(
        mo.md(
            rf"""
    $P(A\succ B\succ C)=\frac36\cdot\frac23=\frac13$ (computed: {_top:.4f}). Last are A, B, C with
    probability {_listed(_last)}; inverse worths would give {_listed(_inverse)}.
    On *pairs* the last one is chosen by inverse worths, so Luce's axiom from the bottom could only
    hold with these, and it does not.
    """
        ),
        solutions.value,
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **4.** Three voters draw their rankings of three candidates from the impartial culture. With
    what probability is there a Condorcet cycle? List all cases by computer.
    """)


@app.cell(hide_code=True)
def _(solutions):
    _orders = ["".join(one) for one in permutations("ABC")]
    _profiles = list(product(_orders, repeat=3))
    _cyclic = sum(
        ra.TournamentGraph(ra.Profile.from_orders(list(one))).condorcet_winner is None
        for one in _profiles
    )
    assert _cyclic == 12
    assert np.isclose(ra.studies.cycle_probability(ra.cultures.ImpartialCulture(), 3, 3), 12 / 216)
    page.solution(
        mo.md(
            f"{_cyclic} of {len(_profiles)} profiles: 1/18 = {_cyclic / len(_profiles):.4f}. "
            "The three voters must have the three rotations of one order: 2 orders, in 3! "
            "ways each."
        ),
        solutions.value,
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **5.** Nine of ten voters say A > B > C, one says A > C > B. Which of Mallows' θ and
    Plackett-Luce's worths are finite? Fit both.
    """)


@app.cell(hide_code=True)
def _(solutions):
    _votes = ra.Profile.from_orders(["ABC", "ACB"], counts=[9, 1])
    _fit = ra.Mallows.fit(_votes)
    try:
        ra.PlackettLuce.fit(_votes)
    except ra.exceptions.NotIdentifiedError as error:
        _said = str(error)
    assert "never beaten: A" in _said
    assert np.isclose(_fit.distribution.expected_distance(), 0.1)
    page.solution(
        mo.vstack(
            [
                mo.md(
                    f"Mallows has one parameter, and any disagreement makes it finite: "
                    f"θ = {_fit.distribution.theta:.2f}, which lets one expect a mean "
                    "distance of 0.1. Plackett-Luce has one for each item, and nobody ever "
                    "puts A below another:"
                ),
                mo.md(f"> {_said}"),
            ]
        ),
        solutions.value,
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **6.** Show that single-peaked profiles of an odd number of voters have a Condorcet winner:
    the favorite of the median voter. Check it on fifty draws.
    """)


@app.cell(hide_code=True)
def _(solutions):
    def _median_wins(seed):
        profile = ra.cultures.SinglePeakedCulture().sample(6, 15, rng=seed)
        axis = ra.analysis.single_peaked_axis(profile)
        peaks = sorted(axis.index(ranking.order[0]) for ranking in profile)
        return ra.TournamentGraph(profile).condorcet_winner == axis[peaks[7]]

    assert all(_median_wins(seed) for seed in range(50))
    page.solution(
        mo.md(
            r"""
    Let $p$ be the median peak, and $q$ any item to its right. All voters whose peak is $p$ or to
    the left of it prefer $p$ to $q$, and they are more than half; likewise on the left. In all of
    fifty draws of 15 voters on six items the winner was the median voter's favorite.
    """
        ),
        solutions.value,
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **7.** Seven tasks rank six systems, and a fit gives θ = 0.3. A colleague concludes that the
    tasks agree. What would you do first? Do it for uniform rankings, several times.
    """)


@app.cell(hide_code=True)
def _(solutions):
    _thetas = [
        ra.Mallows.fit(ra.distributions.Uniform("ABCDEF").sample(7, rng=seed)).distribution.theta
        for seed in range(40)
    ]
    _share = np.mean(np.array(_thetas) >= 0.3)
    assert 0.2 < _share < 0.8
    page.solution(
        mo.md(
            f"Ask for the result if there is no structure (`fit.test_uniform`). Of forty "
            f"samples of seven *uniform* rankings {_share:.0%} have an estimate of 0.3 or "
            f"more, the largest being {max(_thetas):.2f}. So 0.3 from seven tasks shows "
            "nothing."
        ),
        solutions.value,
    )


if __name__ == "__main__":
    app.run()
