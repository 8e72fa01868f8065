# /// script
# dependencies = ["rankagg", "marimo"]
#
# [tool.marimo.display]
# theme = "system"
# ///
"""Exercises to the lecture computing: computing kemeny."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(
    width="medium",
    app_title="Exercises: Computing Kemeny",
    css_file="course.css",
)

with app.setup:
    from fractions import Fraction
    from itertools import combinations, permutations

    import marimo as mo
    import numpy as np

    import page
    import quizzes
    import rankagg as ra

    FENCE = np.zeros((6, 6))
    for post in range(3):
        FENCE[post, 3 + post] = 1
        FENCE[[3 + k for k in range(3) if k != post], post] = 1
    FENCE = ra.PairwiseMatrix.from_wins(FENCE, items=["a", "b", "c", "x", "y", "z"])

    def lower_bound(wins, cycles):
        """Return what weighted cycles prove, as the lecture does."""
        price = [[Fraction(int(wins[j][i])) for j in range(len(wins))] for i in range(len(wins))]
        for i, j, k, y in cycles:
            assert y >= 0
            assert len({i, j, k}) == 3
            for above, below in ((i, j), (j, k), (k, i)):
                price[above][below] -= y
        pairs = combinations(range(len(wins)), 2)
        return sum(y for *_, y in cycles) + sum(min(price[i][j], price[j][i]) for i, j in pairs)


@app.cell(hide_code=True)
def _():
    solutions = mo.ui.dropdown(page.SOLUTIONS, value="folded", label="Solutions")
    return (solutions,)


@app.cell(hide_code=True)
def _(solutions):
    mo.vstack([mo.md("# Exercises: Computing Kemeny"), solutions])


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **1. Warm up.** Take a number, find the Kemeny ranking on paper, and unfold the solution.
    """)


@app.cell(hide_code=True)
def _():
    number = mo.ui.number(0, 999, value=2, label="number")
    number
    return (number,)


@app.cell(hide_code=True)
def _(number):
    mo.as_html(quizzes.quiz("kemeny", rng=int(number.value)))


@app.cell(hide_code=True)
def _(solutions):
    mo.vstack(
        [
            mo.md(r"""
    **2. Three are enough.** Show that a 0-1 solution of the rows of section 4 is a ranking: that a
    tournament without a cycle of three has no cycle at all.
    """),
            page.solution(
                mo.md(
                    "Take a shortest cycle $v_1 \\to v_2 \\to \\dots \\to v_k \\to v_1$ with "
                    "$k \\ge 4$. The pair $v_1, v_3$ has an arc. If it is $v_3 \\to v_1$, then "
                    "$v_1, v_2, v_3$ is a cycle of three. If it is $v_1 \\to v_3$, leaving "
                    "$v_2$ out gives a shorter cycle. A tournament without cycles orders its "
                    "vertices: $x_{ij} = 1$ is transitive."
                ),
                solutions.value,
            ),
        ]
    )


@app.cell(hide_code=True)
def _(solutions):
    _votes = ra.datasets.load("three_cycle").pairwise()
    _found = {y: lower_bound(_votes.wins, [(0, 2, 1, Fraction(y, 2))]) for y in range(5)}
    assert max(_found.values()) == 4 == ra.Kemeny().aggregate(_votes).cost
    _best = max(_found, key=_found.get)
    assert Fraction(_best, 2) == 1
    mo.vstack(
        [
            mo.md(r"""
    **3. By hand.** Three voters: A > B > C, B > C > A, C > A > B. Prove that no ranking costs less
    than 4. Which weights of the cycle prove it?
    """),
            page.solution(
                mo.md(
                    "Majorities alone give 1 + 1 + 1 = 3. The arcs against the majorities cost "
                    f"2 each, and their reverses 1. With $y = {Fraction(_best, 2)}$ both "
                    "sides of every pair cost 1, so the bound is 1 + 3 = "
                    f"{max(_found.values())}. Less weight gives $3 + y$, more gives "
                    "$y + 3(2 - y)$, which falls."
                ),
                solutions.value,
            ),
        ]
    )


@app.cell(hide_code=True)
def _(solutions):
    _margins = FENCE.margins > 0
    _kept = [
        int(sum(_margins[i, j] for i, j in combinations(order, 2)))
        for order in permutations(range(6))
    ]
    assert _margins.sum() == 9
    assert max(_kept) == 7
    mo.vstack(
        [
            mo.md(r"""
    **4. Fences.** The fence of section 5 has nine arcs. Show that no ranking agrees with more than
    seven.
    How many of the 720 rankings do?
    """),
            page.solution(
                mo.md(
                    f"{_kept.count(7)} of 720 agree with {max(_kept)}, none with more.\n\n"
                    "Two of the three arcs $a \\to x$, $b \\to y$, $c \\to z$ form a cycle "
                    "with two others: $a \\to x \\to b \\to y \\to a$. Keep all three, and "
                    "each of the three cycles loses one of its other two arcs; these are six "
                    "different arcs, so three are lost. Keep two, and their cycle must lose "
                    "another arc: with the third that makes two. Keep one or none, and two are "
                    "lost at once."
                ),
                solutions.value,
            ),
        ]
    )


@app.cell(hide_code=True)
def _(solutions):
    _votes = ra.PairwiseMatrix.from_wins(
        [[0, 2, 1, 1], [1, 0, 2, 2], [2, 1, 0, 2], [2, 1, 1, 0]], items="ABCD"
    )
    _exact = ra.Kemeny().aggregate(_votes)
    _against = ra.TournamentGraph(_votes).feedback_arcs(_exact.ranking)
    assert _exact.cost == 6 + len(_against)
    _all = {"".join(one.order) for one in _exact.optima}
    assert all(order.index("D") > order.index("C") for order in _all)
    mo.vstack(
        [
            mo.md(r"""
    **5. Parts.** Three voters' majorities: A beats B; B beats C and D; C beats A and D; D beats A,
    all by
    2 to 1. Is there a set that beats all others? Which majorities does an optimum contradict?
    """),
            page.solution(
                mo.md(
                    "No: A > B > C > A and A > B > D > A are cycles, so all four are one part. "
                    f"The optima are {', '.join(sorted(_all))}, at {_exact.cost:g}: six "
                    f"minorities of 1, and 1 more for each of the majorities that are "
                    f"contradicted ({len(_against)})."
                ),
                solutions.value,
            ),
        ]
    )


@app.cell(hide_code=True)
def _(solutions):
    _profile = ra.cultures.ImpartialCulture().sample(7, 5, rng=8)
    _votes = _profile.pairwise()
    _exact = ra.Kemeny().aggregate(_votes)
    _plain = _exact.certificate.to_dict()
    _nodes = [node for proof in _plain["proofs"] for node in proof["nodes"]]
    assert all(set(node) <= {"cycles", "rows"} and not node["rows"] for node in _nodes)
    _cycles = [
        (i, j, k, Fraction(y, _plain["weight_denominator"]))
        for node in _nodes
        for i, j, k, y in node["cycles"]
    ]
    _bound = lower_bound(_votes.wins, _cycles)
    assert _bound == _exact.cost
    _weaker = lower_bound(_votes.wins, _cycles[1:])
    _stronger = lower_bound(_votes.wins, [(*_cycles[0][:3], 2 * _cycles[0][3]), *_cycles[1:]])
    assert _weaker <= _bound
    assert _stronger <= _bound
    mo.vstack(
        [
            mo.md(r"""
    **6. Check one yourself.** Take `ra.cultures.ImpartialCulture().sample(7, 5, rng=8)`, ask for
    the certificate, and check it with `lower_bound`. Then leave out a cycle, or double its weight.
    Can the bound rise?
    """),
            page.solution(
                mo.md(
                    f"{len(_cycles)} weighted cycles prove {_bound}, the cost of the ranking. "
                    f"Without the first of them: {_weaker}. With twice its weight: "
                    f"{_stronger}. A bound above the optimum is impossible, whatever the "
                    "weights: the argument of section 9 holds for all."
                ),
                solutions.value,
            ),
        ]
    )


if __name__ == "__main__":
    app.run()
