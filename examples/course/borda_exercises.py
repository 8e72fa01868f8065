# /// script
# dependencies = ["rankagg", "marimo"]
#
# [tool.marimo.display]
# theme = "system"
# ///
"""Exercises to the lecture borda: borda as an approximation."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(
    width="medium",
    app_title="Exercises: Borda as an approximation",
    css_file="course.css",
)

with app.setup:
    from itertools import combinations_with_replacement, permutations

    import marimo as mo
    import numpy as np

    import page
    import rankagg as ra

    def tail(n_items, n_voters):
        """Return ballots that put A above a tail of items, all but one."""
        items = [f"X{k}" for k in range(1, n_items + 1)]
        orders = [["A", *items], [*items, "A"]]
        return ra.Profile.from_orders(orders, counts=[n_voters - 1, 1])


@app.cell(hide_code=True)
def _():
    solutions = mo.ui.dropdown(page.SOLUTIONS, value="folded", label="Solutions")
    return (solutions,)


@app.cell(hide_code=True)
def _(solutions):
    mo.vstack([mo.md("# Exercises: Borda as an approximation"), solutions])


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **1.** Ballots: 3 of A > B > C > D, 2 of B > C > D > A. Compute Borda's and Kemeny's rankings by
    hand, and the ratio of their costs.
    """)


@app.cell(hide_code=True)
def _(solutions):
    _votes = ra.Profile.from_orders(["ABCD", "BCDA"], counts=[3, 2])
    _both = ra.compare(_votes, [ra.Borda(), ra.Kemeny()])
    assert _both["Kemeny"].order == tuple("ABCD")
    assert _both["Borda"].order == tuple("BACD")
    page.solution(
        mo.vstack(
            [
                ra.teaching.show_steps(ra.Borda(), _votes),
                mo.md(
                    f"Three of five voters have A above everything, so Kemeny keeps A first, "
                    f"at a cost of {_both['Kemeny'].cost:g}. Borda's ranking turns A and B "
                    f"round and costs {_both['Borda'].cost:g}: the ratio is "
                    f"{_both['Borda'].cost / _both['Kemeny'].cost:.3f}."
                ),
            ]
        ),
        solutions.value,
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **2.** What is the fewest voters on three candidates such that Borda and Kemeny each have a
    single winner, and not the same one?
    """)


@app.cell(hide_code=True)
def _(solutions):
    def _parts(votes):
        borda = ra.Borda().aggregate(votes).buckets[0]
        firsts = ra.Kemeny().aggregate(votes).optima.winners()
        return len(borda) == len(firsts) == 1 and borda != tuple(firsts)

    _found = next(
        votes
        for m in range(1, 6)
        for chosen in combinations_with_replacement(["".join(p) for p in permutations("ABC")], m)
        for votes in [ra.Profile.from_orders(list(chosen))]
        if chosen[0] == "ABC" and _parts(votes)
    )
    assert _found.n_rankings == 5
    _ballots = ", ".join(" > ".join(one.order) for one in _found)
    page.solution(
        mo.md(
            f"Trying all profiles, by number of voters: **{_found.n_rankings}**, first with "
            f"{_ballots}. (One may name the candidates so that one voter has A > B > C.)"
        ),
        solutions.value,
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **3.** Prove $d(\text{Borda}) \le 6\,d(K)$. *Hint:* let $b(i)$ be the mean place of item $i$.
    First show $\sum_v\sum_i|b(i)-v(i)|\le 2F(K)$, and then that a ranking sorted by $b$ is the
    permutation nearest to $b$.
    """)


@app.cell(hide_code=True)
def _(solutions):
    _rng = np.random.default_rng(0)
    _worst = 0.0
    for _ in range(200):
        _votes = np.argsort(_rng.random((5, 5)), axis=1)
        _sorted = np.argsort(np.argsort(_votes.sum(axis=0), kind="stable"))
        _all = np.array(list(permutations(range(5))))
        _least = abs(_all[:, None] - _votes[None]).sum(axis=(1, 2)).min()
        _worst = max(_worst, abs(_sorted - _votes).sum() / _least)
        _b = _votes.mean(axis=0)
        assert np.isclose(abs(_sorted - _b).sum(), abs(_all - _b).sum(axis=1).min())
        assert abs(_b - _votes).sum() <= 2 * _least
    assert 1 < _worst <= 3
    page.solution(
        mo.md(rf"""
    1. $b(i)-K(i)$ is the mean of $v(i)-K(i)$ over the votes, so
       $|b(i)-K(i)|\le\frac1m\sum_v|v(i)-K(i)|$.
    2. Sum over items: $m\sum_i|b(i)-K(i)|\le F(K)$. With the triangle inequality,
       $\sum_v\sum_i|b(i)-v(i)|\le 2F(K)$.
    3. Sorting both sides minimizes $\sum_i|\sigma(i)-b(i)|$ over permutations $\sigma$ (if two
       items stand the wrong way round, exchanging them does not make the sum larger). So for
       Borda's $\sigma$: $m\sum_i|\sigma(i)-b(i)|\le m\sum_i|K(i)-b(i)|\le F(K)$.
    4. Together $F(\sigma)\le F(K)+2F(K)=3F(K)$.
    5. $d(\sigma)\le F(\sigma)\le 3F(K)\le 6\,d(K)$. $\square$

    Steps 2 and 3 were just checked on 200 random profiles; the largest
    $F(\text{{Borda}})/\min F$ among them is {_worst:.2f}.
    """),
        solutions.value,
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **4.** Prove the ratio $2(1-\frac1m)$ of section 8, for $n$ a multiple of $m \ge 2$.
    """)


@app.cell(hide_code=True)
def _(solutions):
    for _m in (2, 3, 7):
        _both = ra.compare(tail(2 * _m, _m), [ra.Borda(), ra.Kemeny()])
        assert _both["Borda"].ranking.rank("A") == 3 or _m == 2
        assert np.isclose(_both["Borda"].cost, 4 * _m * (1 - 1 / _m))
        assert _both["Kemeny"].cost == 2 * _m
    page.solution(
        mo.md(r"""
    A has $(m-1)n$ points, and $X_j$ has $m(n-j)+1$. So $X_j$ is above A where $mj<n+1$, that is
    for $j\le n/m=:k$. A falls by $k$ places. Each of the $m-1$ voters now contradicts $k$ pairs,
    the last one $n-k$: $\;(m-1)k+n-k=n\frac{m-1}{m}+n-\frac nm=2n(1-\frac1m)$. Keeping A on top
    costs $n$, and nothing less does: for each pair (A, $X_j$) at least one vote is contradicted.

    (With $m=2$ the pairs are level and every place of A costs the same.)
    """),
        solutions.value,
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **5.** Show that Borda never puts a Condorcet winner last, and never a Condorcet loser first.
    Look for a counterexample by computer, too.
    """)


@app.cell(hide_code=True)
def _(solutions):
    _loser = ra.axioms.find_counterexample(ra.Borda(), "condorcet loser", n_items=4, n_rankings=4)
    _winner = ra.axioms.find_counterexample(ra.Borda(), "condorcet winner", n_items=3, n_rankings=5)
    assert _loser is None
    _text = ", ".join(
        f"{count} x {' > '.join(one.order)}"
        for count, one in zip(_winner.profile.counts, _winner.profile, strict=True)
    )
    _text += "."
    assert _winner is not None
    page.solution(
        mo.vstack(
            [
                mo.md(r"""
    The points of all items add up to $m\binom n2$, so the average is $m\frac{n-1}2$. A Condorcet
    winner has more than half of the votes on each of its $n-1$ pairs, so it is above the average,
    and somebody is below. A Condorcet loser is below the average, and somebody is above.

    A search through all profiles of up to four items and four ballots finds no Condorcet loser that
    Borda elects. It finds a Condorcet winner that is not alone in front:
    """),
                mo.md(f"> {_text} {_winner.sentence}"),
            ]
        ),
        solutions.value,
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **6.** A leaderboard company wants its model above a rival by Borda. It may add systems, nothing
    else. On `borda_fails_condorcet`, remove C. What happens to the order of A and B, and what would
    adding copies of C do?
    """)


@app.cell(hide_code=True)
def _(solutions):
    _votes = ra.datasets.load("borda_fails_condorcet")
    _with, _without = ra.Borda().aggregate(_votes), ra.Borda().aggregate(_votes.restrict("AB"))
    _more = ra.Profile.from_orders(["ABCDE", "BCDEA"], counts=[3, 2])
    _points = dict(zip("ABCDE", ra.Borda().aggregate(_more).scores, strict=True))
    assert _with.order[0] == "B"
    assert _without.order[0] == "A"
    assert _points["B"] - _points["A"] == 5 > _with.scores[1] - _with.scores[0] == 1
    page.solution(
        mo.md(
            f"With C: {' > '.join(_with.order)}. Without C: {' > '.join(_without.order)}. "
            f"With two copies D, E of C behind it, B leads by "
            f"{_points['B'] - _points['A']:g} points in place of "
            f"{_with.scores[1] - _with.scores[0]:g}. Each copy of C "
            f"gives B 2 points more over A. No ballot changed its mind on A and B. By Kemeny A "
            f"stays first: {' > '.join(ra.Kemeny().aggregate(_more).order)}."
        ),
        solutions.value,
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **7.** Local search can get stuck. Find data on which `InsertionSearch` misses the optimum,
    and say by how much.
    """)


@app.cell(hide_code=True)
def _(solutions):
    _culture = ra.cultures.ImpartialCulture()
    _draws = (_culture.sample(10, 7, rng=seed) for seed in range(100))
    _missed = next(
        (votes, found)
        for votes in _draws
        for found in [ra.compare(votes, [ra.InsertionSearch(), ra.Kemeny()])]
        if found["InsertionSearch"].cost > found["Kemeny"].cost
    )[1]
    _text = " > ".join(map(str, _missed["InsertionSearch"].order))
    assert _missed["Kemeny"].certificate.status == "optimal"
    page.solution(
        mo.md(
            f"Among random profiles of 10 items and 7 rankings the first such one: no move "
            f"of one item makes {_text} cheaper than {_missed['InsertionSearch'].cost:g}, "
            f"and the optimum costs {_missed['Kemeny'].cost:g}. Only the certificate of "
            f"`Kemeny` can tell."
        ),
        solutions.value,
    )


if __name__ == "__main__":
    app.run()
