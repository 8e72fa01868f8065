# /// script
# dependencies = ["rankagg", "marimo"]
#
# [tool.marimo.display]
# theme = "system"
# ///
"""Exercises to the lecture consensus: distances and consensus."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(
    width="medium",
    app_title="Exercises: Distances and consensus",
    css_file="course.css",
)

with app.setup:
    from itertools import permutations

    import marimo as mo
    import numpy as np

    import page
    import quizzes
    import rankagg as ra

    CENTER = ra.Permutation.from_order("ABCDEF")
    OTHERS = [ra.Permutation.from_order(order) for order in permutations("ABCDEF")]
    swaps = np.array([ra.kendall_distance(CENTER, one) for one in OTHERS])
    footrule = np.array([ra.distances.spearman_footrule(CENTER, one) for one in OTHERS])


@app.cell(hide_code=True)
def _():
    solutions = mo.ui.dropdown(page.SOLUTIONS, value="folded", label="Solutions")
    return (solutions,)


@app.cell(hide_code=True)
def _(solutions):
    mo.vstack([mo.md("# Exercises: Distances and consensus"), solutions])


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **1. Warm up.** Take a number, count on paper, and unfold the solution.
    """)


@app.cell(hide_code=True)
def _():
    number = mo.ui.number(0, 999, value=1, label="number")
    number
    return (number,)


@app.cell(hide_code=True)
def _(number):
    mo.as_html(quizzes.quiz("kendall distance", rng=int(number.value)))


@app.cell(hide_code=True)
def _(solutions):
    _names = ["kendall_distance", "spearman_footrule", "cayley_distance", "ulam_distance"]
    _names += ["hamming_distance"]
    _center = ra.Permutation.from_order("ABCDEF")
    _others = [ra.Permutation.from_order(order) for order in permutations("ABCDEF")]
    _rows = []
    for _name in _names:
        _all = np.array([getattr(ra.distances, _name)(_center, one) for one in _others])
        _far = _all == _all.max()
        _example = next(one for one, far in zip(_others, _far, strict=True) if far)
        _rows.append(
            f"| {_name} | {_all.max():g} | {_far.sum()} | {''.join(_example.order)} "
            f"| {_all.mean():.4g} |"
        )
        if _name == "kendall_distance":
            assert _all.mean() == 6 * 5 / 4
        if _name == "spearman_footrule":
            assert np.isclose(_all.mean(), (36 - 1) / 3)
        if _name == "hamming_distance":
            assert _all.mean() == 5
    _table = "| distance | largest | rankings | one of them | mean |\n|---|---|---|---|---|\n"
    mo.vstack(
        [
            mo.md(r"""
    **2. As far as possible.** How far can a ranking of six items be from A > B > C > D > E > F by
    each
    distance, and how many rankings are as far? What is the mean distance of a ranking drawn
    uniformly? Find formulas for Kendall, footrule and Hamming.
    """),
            page.solution(
                mo.md(
                    _table
                    + "\n".join(_rows)
                    + "\n\nMeans: $n(n-1)/4$, as each pair is discordant with probability "
                    "$\\frac12$; $(n^2-1)/3$, the sum over items of the mean of $|i - j|$; and "
                    "$n-1$, as an item keeps its rank with probability $1/n$."
                ),
                solutions.value,
            ),
        ]
    )


@app.cell(hide_code=True)
def _(solutions):
    _two = ra.Profile.from_orders(["ABCD", "BADC"])
    _optima = ra.Kemeny().aggregate(_two).optima
    _first, _second = (ra.Permutation.from_order(order) for order in ("ABCD", "BADC"))
    _between = {
        "".join(order)
        for order in permutations("ABCD")
        if ra.kendall_distance(_first, ra.Permutation.from_order(order))
        + ra.kendall_distance(ra.Permutation.from_order(order), _second)
        == ra.kendall_distance(_first, _second)
    }
    assert _between == {"".join(one.order) for one in _optima}
    _reversed = ra.Kemeny().aggregate(ra.Profile.from_orders(["ABCD", "DCBA"])).optima.count()
    assert _reversed == 24
    mo.vstack(
        [
            mo.md(r"""
    **3. Two voters.** Which rankings are Kemeny optima of A > B > C > D and B > A > D > C?
    And of a ranking and its reverse?
    """),
            page.solution(
                mo.md(
                    f"{', '.join(sorted(_between))}: all rankings *between* the two, for which "
                    "the triangle inequality is an equality. Between a ranking and its reverse "
                    f"lie all {_reversed}."
                ),
                solutions.value,
            ),
        ]
    )


@app.cell(hide_code=True)
def _(four_solution, solutions):
    mo.vstack(
        [
            mo.md(r"""
    **4. Half of Diaconis and Graham.** Prove $D \le 2I$, and find a ranking of six items with
    $D = 2I$ that is as far from A > B > C > D > E > F as such a ranking can be.
    """),
            page.solution(
                mo.md(
                    "Walk from one ranking to the other by $I$ swaps of neighbors. Each moves "
                    "two items by one rank, and so changes $D$ by at most 2.\n\n"
                    f"{four_solution}"
                ),
                solutions.value,
            ),
        ]
    )


@app.cell(hide_code=True)
def _():
    _orders = ["".join(order) for order in permutations("ABCDEF")]
    _tight = np.flatnonzero(footrule == 2 * swaps)
    _most = swaps[_tight].max()
    _far = [_orders[k] for k in _tight if swaps[k] == _most]
    assert _most == 9
    assert _far == ["DEFABC"]
    four_solution = (
        f"Equality with the most swaps, {_most:g}: {', '.join(_far)}. No item is ever moved back."
    )
    return (four_solution,)


@app.cell(hide_code=True)
def _(solutions):
    _drawn = [ra.cultures.ImpartialCulture().sample(6, 7, rng=seed) for seed in range(20)]
    _ratios = [
        ra.FootruleOptimal().aggregate(one).cost / ra.Kemeny().aggregate(one).cost for one in _drawn
    ]
    assert max(_ratios) <= 2
    mo.vstack(
        [
            mo.md(r"""
    **5. Twice at most.** Show that the footrule median costs at most twice the Kemeny optimum. How
    bad is
    it on twenty profiles of seven random rankings of six items?
    """),
            page.solution(
                mo.md(
                    "Let $\\phi$ be the footrule median and $\\kappa$ Kemeny's. Sums over "
                    "voters obey $I(\\phi) \\le D(\\phi) \\le D(\\kappa) \\le 2 I(\\kappa)$; "
                    "the "
                    "middle step is the definition of $\\phi$.\n\n"
                    f"The worst of twenty ratios is {max(_ratios):.3f}, the mean "
                    f"{np.mean(_ratios):.3f}."
                ),
                solutions.value,
            ),
        ]
    )


@app.cell(hide_code=True)
def _(solutions):
    _judges = ra.Profile(
        [
            ra.PartialRanking.from_buckets(buckets, items="ABCD")
            for buckets in (["A", "BC", "D"], ["BC", "AD"], ["A", "BCD"])
        ]
    )
    _weak = ra.Kemeny(consensus_ties=True, tie_cost=0.5).aggregate(_judges)
    _strict = ra.Kemeny(tie_cost=0.5).aggregate(_judges)
    assert _weak.cost <= _strict.cost
    assert _weak.certificate.verify(_weak.pairwise)
    _answer = " > ".join(" = ".join(bucket) for bucket in _weak.buckets)
    mo.vstack(
        [
            mo.md(r"""
    **6. A consensus with ties.** Three judges say A > B = C > D, B = C > A = D and A > B = C = D.
    Which weak order is the median by Kemeny and Snell's distance ($p=\frac12$), and how much more
    does
    the best strict ranking cost?
    """),
            page.solution(
                mo.md(
                    f"{_answer}, at {_weak.cost:g}; optimal weak orders: "
                    f"{_weak.optima.count()}. A strict ranking costs {_strict.cost:g} at "
                    "least. `ra.Kemeny(consensus_ties=True, tie_cost=0.5)` finds and proves it."
                ),
                solutions.value,
            ),
        ]
    )


if __name__ == "__main__":
    app.run()
