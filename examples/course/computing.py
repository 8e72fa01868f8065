# /// script
# dependencies = ["rankagg", "marimo"]
#
# [tool.marimo.display]
# theme = "system"
# ///
"""Computing Kemeny: integer programs, cuts, branches, parts, and certificates that prove it."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(
    width="medium",
    app_title="Computing Kemeny",
    layout_file="slides.json",
    css_file="course.css",
)

with app.setup:
    from fractions import Fraction
    from itertools import combinations, permutations
    from math import factorial
    from time import process_time

    import marimo as mo
    import numpy as np
    import pulp

    import pictures
    import rankagg as ra


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # Computing Kemeny: integer programs, cuts, certificates

    Lecture 3 of 6.

    **After this lecture you can**

    - find a Kemeny consensus by brute force, by dynamic programming and as an integer program, and
      say how far each one goes;
    - explain the linear relaxation, its gap, cutting planes, and branch and bound;
    - take a problem apart along its majorities, and prove that this is right;
    - turn a dual solution into a *certificate*, and check one with paper and pencil;
    - say what NP-hard means here, and what a gap means.

    You need lecture 2: the cost of a ranking is the number of votes on pairs that it contradicts,
    $K(\sigma)=\sum_{i \text{ above } j} w_{ji}$, where $w_{ji}$ voters have $j$ above $i$.
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 1. Try all

    Sixty voters rank A, B and C: Condorcet's own example of 1785.
    """)


@app.cell
def _():
    jury = ra.datasets.load("condorcet_1785").pairwise()

    def brute_force(votes):
        orders = permutations(votes.items)
        rankings = [ra.Permutation.from_order(order, items=votes.items) for order in orders]
        return min((votes.cost(ranking), ranking.order) for ranking in rankings)

    by_hand = brute_force(jury)
    mo.show_code()
    return brute_force, by_hand, jury


@app.cell(hide_code=True)
def _(by_hand, jury):
    mo.vstack([jury, mo.md(f"The least cost is {by_hand[0]:g}, of {' > '.join(by_hand[1])}.")])


@app.cell(hide_code=True)
def _(by_hand, jury):
    assert by_hand == (76, ("B", "C", "A"))
    assert ra.Kemeny().aggregate(jury).cost == 76
    _rows = "\n".join(
        f"| {n} | {factorial(n):.3g} | {2**n * n:.3g} | {n * (n - 1) * (n - 2) // 3} |"
        for n in (5, 10, 15, 20, 30, 100)
    )
    mo.md(
        "That is over soon. How the work grows with the number of items:\n\n"
        "| n | rankings | steps over subsets | 3-cycles |\n|---|---|---|---|\n" + _rows
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 2. Subsets in place of rankings

    Which items stand first matters for the rest, but not in which order.
    Let $c(S)$ be the least cost of ordering a set $S$ that stands on top of all others.
    If $x$ is the last of $S$, then $x$ contradicts the votes of $x$ above the others of $S$:

    $$
    c(S) = \min_{x \in S}\; c(S \setminus x) + \sum_{y \in S \setminus x} w_{xy}.
    $$

    There are $2^n$ sets in place of $n!$ orders (Held and Karp's idea; Lawler 1964 for this
    problem).
    """)


@app.cell
def _():
    def over_subsets(votes):
        n, wins = len(votes.items), votes.wins
        cost = {0: 0.0}
        for chosen in range(1, 2**n):
            inside = [x for x in range(n) if chosen >> x & 1]
            cost[chosen] = min(
                cost[chosen ^ (1 << x)] + sum(wins[x, y] for y in inside) for x in inside
            )
        return cost[2**n - 1]

    human = ra.datasets.load("glue_human").rankings().pairwise()
    least = over_subsets(human)
    mo.show_code()
    return human, least


@app.cell(hide_code=True)
def _(human, least):
    assert least == ra.Kemeny(backend="subset-dp").aggregate(human).cost == 55
    mo.vstack(
        [
            mo.md(f"The least cost: {least:g}."),
            mo.md(r"""
    `ra.Kemeny(backend="subset-dp")` does this, for up to 20 items at a time.
    Can one do without exponential growth?
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 3. NP-hard

    Bartholdi, Tovey and Trick (1989) showed that it is NP-hard to find a Kemeny ranking; Dwork,
    Kumar, Naor and Sivakumar (2001) that **four voters** are enough for that.
    The problem is that of the *minimum feedback arc set*: reverse arcs of least total weight so
    that
    no cycle is left.

    Read the statement with care.

    - It is about the *worst* data and *growing* n. Real votes have an opinion in common.
    - It says nothing about 30 systems on 10 tasks.
    - It does say that no method will be fast *always*, unless P = NP. So a program must be able to
      stop and to tell the truth about what it knows.
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 4. An integer program

    Let $x_{ij} = 1$ if $i$ stands above $j$, and 0 if not.

    $$
    \min \sum_{i \ne j} w_{ji}\, x_{ij}
    $$


    $$
    x_{ij} + x_{ji} = 1, \qquad x_{ij} + x_{jk} + x_{ki} \le 2, \qquad x_{ij} \in \{0, 1\}.
    $$

    The first row says that each pair has one order.
    The second forbids cycles of three, and that is enough: on a longer cycle a chord makes a
    shorter
    one.
    """)


@app.cell
def _():
    def start(votes, category="Binary"):
        n = len(votes.items)
        model = pulp.LpProblem("Kemeny", pulp.LpMinimize)
        x = {
            (i, j): model.add_variable(f"x_{i}_{j}", 0, 1, category)
            for i, j in permutations(range(n), 2)
        }
        model += pulp.lpSum(float(votes.wins[j, i]) * x[i, j] for i, j in x)
        for i, j in combinations(range(n), 2):
            model += x[i, j] + x[j, i] == 1
        return model, x

    def forbid(model, x, cycles):
        for i, j, k in cycles:
            model += x[i, j] + x[j, k] + x[k, i] <= 2

    def solve(model):
        model.solve(pulp.HiGHS(msg=False))
        return pulp.value(model.objective)

    mo.show_code(position="above")
    return forbid, solve, start


@app.cell
def _(forbid, human, solve, start):
    def all_cycles(n):
        both = ((i, j, k) for a in combinations(range(n), 3) for i, j, k in (a, a[::-1]))
        return list(both)

    program, above = start(human)
    forbid(program, above, all_cycles(6))
    optimum = solve(program)
    n_above = [sum(above[j, i].value() for j in range(6) if j != i) for i in range(6)]
    order = [human.items[i] for i in np.argsort(n_above)]
    mo.show_code()
    return all_cycles, optimum, order


@app.cell(hide_code=True)
def _(all_cycles, human, optimum, order):
    assert optimum == 55
    assert human.cost(ra.Permutation.from_order(order, items=human.items)) == 55
    assert len(all_cycles(6)) == 6 * 5 * 4 / 3
    mo.vstack(
        [
            mo.md(f"The optimum is {optimum:g}: {' > '.join(order)}."),
            mo.md(r"""
    The rank of an item is one more than the number of items above it.
    (`ra.Kemeny().program(human)` is this program. Lecture 2 says that 18 rankings cost as little.)
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 5. The relaxation

    An integer program is hard; a linear one is not.
    Let $0 \le x_{ij} \le 1$: then more is allowed, so the least value can only fall.
    It is a **lower bound** for every ranking.
    """)


@app.cell
def _(all_cycles, forbid, human, solve, start):
    def relaxation(votes):
        model, x = start(votes, "Continuous")
        forbid(model, x, all_cycles(len(votes.items)))
        return solve(model), x

    bound, _ = relaxation(human)
    mo.show_code()
    return bound, relaxation


@app.cell(hide_code=True)
def _(bound):
    assert np.isclose(bound, 55)
    mo.vstack(
        [
            mo.md(f"The bound: {bound:g}."),
            mo.md(r"""
    The bound is the optimum: the linear program has *proved* it.
    That is so for most data that people rank.

    The smallest exceptions have six items. Take a **fence**: $a, b, c$ beat $x, y, z$ in pairs, and
    lose to the other two.
    """),
        ]
    )


@app.cell
def _(brute_force, relaxation):
    fence = np.zeros((6, 6))
    for post in range(3):
        fence[post, 3 + post] = 1
        fence[[3 + k for k in range(3) if k != post], post] = 1
    fence = ra.PairwiseMatrix.from_wins(fence, items=["a", "b", "c", "x", "y", "z"])
    fenced, halves = relaxation(fence)
    least_fenced = brute_force(fence)[0]
    return fence, fenced, halves, least_fenced


@app.cell(hide_code=True)
def _(fence, fenced, halves, least_fenced):
    assert np.isclose(fenced, 1.5)
    assert least_fenced == 2
    assert {round(2 * one.value()) for one in halves.values()} == {0, 1, 2}
    mo.vstack(
        [
            mo.md(f"The relaxation has {fenced:g}, the cheapest ranking {least_fenced:g}."),
            mo.Html(pictures.majority_graph(fence, ra.Kemeny().aggregate(fence).order)),
            mo.md(r"""
    The relaxation says 1.5, and every ranking contradicts 2 votes at least.
    Some $x_{ij}$ are $\frac12$: "half above". That is the **integrality gap**.
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 6. Cutting planes

    Of $n(n-1)(n-2)/3$ rows few matter.
    So begin with none, solve, and add those that the solution breaks: **cuts**.
    Stop where none is broken; the value is the same as with all rows.
    """)


@app.cell
def _(all_cycles, forbid, solve, start):
    def cut(votes):
        model, x = start(votes, "Continuous")
        n, rounds = len(votes.items), []
        while True:
            value, at = solve(model), {arc: one.value() for arc, one in x.items()}
            sums = {(i, j, k): at[i, j] + at[j, k] + at[k, i] for i, j, k in all_cycles(n)}
            broken = [cycle for cycle, total in sums.items() if total > 2 + 1e-6]
            rounds.append((value, len(broken)))
            if not broken:
                return rounds
            forbid(model, x, broken)

    twelve = ra.cultures.ImpartialCulture().sample(12, 4, rng=4).pairwise()
    rounds = cut(twelve)
    mo.show_code()
    return rounds, twelve


@app.cell(hide_code=True)
def _(all_cycles, relaxation, rounds, twelve):
    _exact = ra.Kemeny().aggregate(twelve)
    _majorities = np.minimum(twelve.wins, twelve.wins.T)[np.triu_indices(12, 1)].sum()
    _used = sum(number for _, number in rounds)
    assert np.isclose(rounds[0][0], _majorities)
    assert np.isclose(rounds[-1][0], relaxation(twelve)[0])
    assert rounds[-1][0] <= _exact.cost + 1e-6
    assert [value for value, _ in rounds] == sorted(value for value, _ in rounds)
    mo.vstack(
        [
            mo.md(
                "| bound | broken rows |\n|---|---|\n"
                + "\n".join(f"| {value:g} | {broken} |" for value, broken in rounds)
            ),
            mo.md(
                rf"""
    Each round: the bound, and the number of broken rows.
    The first bound, {rounds[0][0]:g}, is that of **majorities alone**: each pair costs its
    minority.
    The last is {rounds[-1][0]:g}; rows that were added: {_used} of {len(all_cycles(12))}. The
    optimum costs {_exact.cost:g}.

    Where 3-cycles end short there are other rows that every ranking keeps (Grötschel, Jünger and
    Reinelt 1985). For the fence: add up three cycles of four arcs. Every ranking contradicts an
    arc of each, so 3 in all, where the arcs that are in two cycles count twice. Halve that, and
    round up the remaining single arcs: every ranking contradicts $\frac32$ of the nine arcs
    at least, so 2 (Chvátal's rounding). `ra.Kemeny()` derives such rows by itself.
    """
            ),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 7. Branch and bound

    What if the bound is still too low?
    Choose a pair. In every ranking $i$ is above $j$ or below it: two **cases**, each with one more
    thing known, so with a better bound.
    A case whose bound reaches the cost of a known ranking is done.
    The proof is then a tree, and its bound the *least* bound of its leaves.
    """)


@app.cell
def _(all_cycles, fence, forbid, solve, start):
    def in_case(votes, above, below):
        model, x = start(votes, "Continuous")
        forbid(model, x, all_cycles(len(votes.items)))
        model += x[above, below] == 1
        return solve(model)

    first, fourth = 0, 3  # a and x
    cases = in_case(fence, first, fourth), in_case(fence, fourth, first)
    mo.show_code()
    return (cases,)


@app.cell(hide_code=True)
def _(cases, fence):
    assert np.allclose(cases, 2)
    assert ra.Kemeny().aggregate(fence).certificate.lower_bound == 2
    mo.vstack(
        [
            mo.md(f"The bounds of the two cases: {cases[0]:g} and {cases[1]:g}."),
            mo.md(r"""
    Both cases of the fence say 2, so no ranking costs less.
    (Here whole numbers would do, too: costs are whole, and 1.5 rounds up to 2. With a gap of more
    than 1 they do not.)
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 8. Taking the problem apart

    Let each item of $S$ beat each item outside by a strict majority.

    > **Theorem.** Every Kemeny ranking has all of $S$ above the rest.

    *Proof.* Otherwise some item outside stands right above one of $S$: go down from an item outside
    that has one of $S$ below it, until the kind changes.
    Swap the two. This pair now follows its majority, and no other pair has changed.
    So the cost falls by the margin, and the ranking was not optimal. ∎

    The finest such blocks are the strongly connected **components** of the graph that has an arc
    $i \to j$ unless $j$ beats $i$ (items that tie stay together).
    Solve each by itself and put them one above the other: costs across blocks are minorities,
    whatever happens inside.
    """)


@app.cell
def _():
    leaderboard = ra.Mallows(range(40), theta=0.3).sample(9, rng=1)
    votes = leaderboard.pairwise()
    parts = ra.TournamentGraph(votes).condensation()
    sizes = [len(part) for part in parts]
    mo.show_code()
    return leaderboard, parts, sizes, votes


@app.cell(hide_code=True)
def _(leaderboard, parts, sizes, votes):
    _exact = ra.Kemeny().aggregate(leaderboard)
    _inside = sum(
        ra.Kemeny().aggregate(leaderboard.restrict(part)).cost for part in parts if len(part) > 1
    )
    _place = {item: k for k, part in enumerate(parts) for item in part}
    _across = sum(
        min(votes.wins[i, j], votes.wins[j, i])
        for i, j in combinations(range(40), 2)
        if _place[votes.items[i]] != _place[votes.items[j]]
    )
    assert _inside + _across == _exact.cost
    assert max(sizes) < 20
    _places = [_place[item] for item in _exact.order]
    assert _places == sorted(_places)
    mo.vstack(
        [
            mo.md(f"Items in each part: {', '.join(map(str, sizes))}."),
            mo.md(
                rf"""
    Forty items fall into {len(parts)} parts, the largest of {max(sizes)}.
    Inside parts the cost is {_inside:g}, across them {_across:g}, and together {_exact.cost:g}:
    the optimum of all forty.
    That is why leaderboards are feasible: what is hard is a *large cyclic* part.
    """
            ),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 9. A dual bound is a proof

    A solver says "optimal". Why believe it, with its floating point and its million lines?
    Ask for a reason that can be checked without it.

    **Majorities alone.** Each pair costs at least its smaller number of votes.
    Of Condorcet's 60 voters: $27 + 18 + 25 = 70$. The ranking found costs 76.

    **A cycle.** A beats B, B beats C, C beats A. Every ranking places B > A, or C > B, or
    A > C: one at least of the three arcs *against* the majorities.
    Take $y$ votes off the price of each of these three. Every ranking gets cheaper by $y$ or more.
    So it costs at least $y$, and then its price at the lower prices:

    $$
    K(\sigma) \;\ge\; y + \sum_{\text{pairs}} \min(\text{prices after that}).
    $$

    Move $y$. Where is the bound best?
    """)


@app.cell(hide_code=True)
def _():
    weight = mo.ui.slider(0, 20, value=0, label="y", show_value=True, full_width=True)
    return (weight,)


@app.cell
def _(jury):
    def lower_bound(wins, cycles):
        price = [[Fraction(int(wins[j][i])) for j in range(len(wins))] for i in range(len(wins))]
        for i, j, k, y in cycles:
            assert y >= 0
            assert len({i, j, k}) == 3
            for above, below in ((i, j), (j, k), (k, i)):
                price[above][below] -= y
        pairs = combinations(range(len(wins)), 2)
        return sum(y for *_, y in cycles) + sum(min(price[i][j], price[j][i]) for i, j in pairs)

    best_bound = lower_bound(jury.wins, [(0, 2, 1, 6)])
    mo.show_code()
    return best_bound, lower_bound


@app.cell(hide_code=True)
def _(jury, lower_bound, weight):
    _names = "ABC"
    _rows = []
    for _above, _below in ((1, 0), (2, 1), (0, 2)):
        _against = int(jury.wins[_below, _above])
        _with = int(jury.wins[_above, _below])
        _rows.append(
            f"| {_names[_above]} > {_names[_below]} | {_against} - {weight.value} = "
            f"{_against - weight.value} | {_with} | {min(_against - weight.value, _with)} |"
        )
    _bound = lower_bound(jury.wins, [(0, 2, 1, weight.value)])
    assert _bound <= 76
    _table = mo.md(
        "| placing | contradicts | its reverse | the cheaper |\n|---|---|---|---|\n"
        + "\n".join(_rows)
        + f"\n\n**Bound: {weight.value} + {_bound - weight.value} = {_bound}.** "
        + ("It meets the cost, 76: B > C > A is optimal." if _bound == 76 else "The cost is 76.")
    )
    mo.vstack([weight, _table])


@app.cell(hide_code=True)
def _(best_bound, jury, lower_bound):
    assert best_bound == 76
    _bounds = [lower_bound(jury.wins, [(0, 2, 1, y)]) for y in range(13)]
    assert _bounds == [70, 71, 72, 73, 74, 75, 76, 76, 76, 76, 76, 75, 74]
    mo.md(r"""
    The function above is all that a checker needs: fractions, no solver.
    *Any* weights give a true bound. Wrong ones give a weak bound, never a false one.
    The best weights are the dual solution of the linear program, and weak duality is what we have
    just
    proved by hand.

    `show_steps` writes the proof out:
    """)


@app.cell
def _():
    steps = ra.teaching.show_steps(ra.Kemeny(), ra.datasets.load("condorcet_1785"))
    mo.show_code(
        mo.vstack([mo.plain(steps[3].to_frame()), mo.plain(steps[4].to_frame())]), position="above"
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 10. Certificates

    A `Certificate` is a ranking, its cost, a bound, and the reason: weighted cycles, derived rows
    and
    cases, all in integers over a common denominator.
    """)


@app.cell
def _(jury):
    certificate = ra.Kemeny().aggregate(jury).certificate
    proof = certificate.to_dict()["proofs"][0]["nodes"][0]["cycles"]
    denominator = certificate.to_dict()["weight_denominator"]
    holds = certificate.verify(jury)
    words = f"{certificate!r}\n{proof} / {denominator}: {holds}"
    mo.show_code()
    return certificate, denominator, holds, proof, words


@app.cell(hide_code=True)
def _(denominator, holds, jury, lower_bound, proof, words):
    assert holds
    _cycles = [(i, j, k, Fraction(y, denominator)) for i, j, k, y in proof]
    assert lower_bound(jury.wins, _cycles) == 76
    mo.vstack(
        [
            mo.plain_text(words),
            mo.md(r"""
    The cycle (0, 2, 1) is A > C > B > A with the weight 6, as in section 9: put it into
    `lower_bound` and get 76.
    Every answer of `ra.Kemeny` has been checked like this before you get it.

    What does a forger achieve?
    """),
        ]
    )


@app.cell
def _(certificate, jury):
    forged = certificate.to_dict()
    forged["cost"] = forged["lower_bound"] = "70"

    def judged(plain):
        try:
            return str(ra.Certificate.from_dict(plain).verify(jury))
        except (ra.exceptions.VerificationError, ra.exceptions.DataFormatError) as error:
            return f"refused: {error}"

    verdict = judged(forged)
    mo.show_code()
    return judged, verdict


@app.cell(hide_code=True)
def _(certificate, judged, verdict):
    assert verdict.startswith("refused")
    assert judged(certificate.to_dict()) == "True"
    mo.vstack(
        [
            mo.md(f"> {verdict}"),
            mo.md(r"""
    On the command line, and for people who trust nobody's package:

    ```console
    $ rankagg solve --dataset condorcet_1785 --certificate proof.json --votes votes.json
    $ rankagg verify proof.json --dataset condorcet_1785
    $ python check_certificate.py proof.json votes.json
    ```

    The last is a stand-alone checker of one file: Python's standard library, integers, nothing of
    this package. It was written from the specification of the format alone, and comes with the
    how-to *Check a certificate by hand*.
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 11. How far one gets

    Nine voters; opinions drawn uniformly, which is the worst case for parts, and from a Mallows
    model.
    """)


@app.cell
def _():
    def timed(profile, **limit):
        start_time = process_time()
        exact = ra.Kemeny(**limit).aggregate(profile)
        return round(process_time() - start_time, 2), exact.certificate

    sizes_tried = (20, 40, 60)
    uniform = {
        n: timed(ra.cultures.ImpartialCulture().sample(n, 9, rng=1), time_limit=2)
        for n in sizes_tried
    }
    mallows = {n: timed(ra.Mallows(range(n), theta=0.1).sample(9, rng=1)) for n in sizes_tried}
    return mallows, timed, uniform


@app.cell(hide_code=True)
def _(mallows, uniform):
    _rows = "\n".join(
        f"| {name} | {n} | {seconds:.2f} | {one.cost:g} | {one.lower_bound:g} | {one.n_cycles} |"
        for name, found in (("uniform", uniform), ("Mallows, θ = 0.1", mallows))
        for n, (seconds, one) in found.items()
    )
    assert all(one.status == "optimal" for _, one in mallows.values())
    assert all(one.lower_bound <= one.cost for _, one in uniform.values())
    mo.md(
        "| voters | items | CPU seconds | cost | bound | cycles |\n"
        f"|---|---|---|---|---|---|\n{_rows}\n\n"
        "Nobody needs to be afraid of a leaderboard of a hundred systems. Beyond, and on data "
        "without a common opinion, gaps stay open. Then stop, and say so."
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ### Anytime

    `time_limit` returns the best ranking so far *with* the best bound so far.
    A **gap** says: at most so much from the optimum.
    It does not say that a better ranking exists.
    """)


@app.cell
def _(timed):
    large = ra.cultures.ImpartialCulture().sample(150, 9, rng=1)
    stopped = timed(large, time_limit=0.5)[1]
    gap = (
        f"cost {stopped.cost:g}, bound {stopped.lower_bound:g}: {100 * stopped.relative_gap:.2f} %"
    )
    return gap, large, stopped


@app.cell(hide_code=True)
def _(gap, jury, large, stopped):
    assert stopped.verify(large.pairwise())
    assert stopped.relative_gap < 0.1
    _early = ra.Kemeny(time_limit=0).aggregate(jury).certificate
    assert (_early.status, _early.cost, _early.lower_bound) == ("gap", 76, 70)
    mo.vstack(
        [
            mo.md(gap[0].upper() + gap[1:]),
            mo.md(r"""
    The bound is verified, as always.
    Ask Condorcet's example with `time_limit=0`: cost 76, bound 70, a gap, and yet 76 *is* the
    optimum; only the proof was not there in time.

    So there are three answers to "is this the Kemeny consensus?": *yes, here is the proof*; *within
    so many per cent of it, here is the proof of that*; and that of most software, *here is a
    ranking*.
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## To read

    - Bartholdi, Tovey and Trick (1989), Voting schemes for which it can be difficult to tell who
      won
      the election, [doi:10.1007/BF00303169](https://doi.org/10.1007/BF00303169).
    - Dwork, Kumar, Naor and Sivakumar (2001), Rank aggregation methods for the web,
      [doi:10.1145/371920.372165](https://doi.org/10.1145/371920.372165).
    - Grötschel, Jünger and Reinelt (1984), A cutting plane algorithm for the linear ordering
      problem,
      [doi:10.1287/opre.32.6.1195](https://doi.org/10.1287/opre.32.6.1195); and (1985), Facets of
      the
      linear ordering polytope, *Mathematical Programming* 33, 43-60.
    - Chvátal (1973), Edmonds polytopes and a hierarchy of combinatorial problems,
      [doi:10.1016/0012-365X(73)90167-2](https://doi.org/10.1016/0012-365X%2873%2990167-2).
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    - Lawler (1964), A comment on minimum feedback arc sets, *IEEE Transactions on Circuit Theory*
      11: the idea of section 2.
    - Milosz and Hamel (2016), Medians of permutations: building constraints,
      [doi:10.1007/978-3-319-29221-2_23](https://doi.org/10.1007/978-3-319-29221-2_23).

    The how-to *Check a certificate by hand* has derived rows and cases too; the reference has the
    format of the two files.
    """)


if __name__ == "__main__":
    app.run()
