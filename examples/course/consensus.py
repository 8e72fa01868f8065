# /// script
# dependencies = ["rankagg", "marimo"]
#
# [tool.marimo.display]
# theme = "system"
# ///
"""Distances and consensus: how far apart rankings are, and the rankings nearest to all."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(
    width="medium",
    app_title="Distances and consensus",
    layout_file="slides.json",
    css_file="course.css",
)

with app.setup:
    from itertools import combinations, permutations, product

    import marimo as mo
    import numpy as np

    import rankagg as ra
    from pictures import Vertex, permutohedron


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # Distances and consensus

    Lecture 2 of 6.

    **After this lecture you can**

    - compute six distances between rankings, and say what each of them counts;
    - prove the inequality of Diaconis and Graham, and use it;
    - measure rankings with ties, and say why a tie costs one half;
    - define Kemeny's consensus as a median and as a maximum likelihood estimate;
    - report *all* optimal rankings, and what they agree on.

    A ranking $\sigma$ of $n$ items gives each item $i$ its rank $\sigma(i)$, 1 for the best.
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 1. Kendall's distance

    Count the pairs of items that two rankings order differently (Kendall 1938):

    $$
    d(\sigma,\tau)=\#\{\,i<j : (\sigma(i)-\sigma(j))\,(\tau(i)-\tau(j)) < 0\,\}.
    $$

    It is also the least number of *swaps of neighbors* that turn one into the other: each swap
    changes one pair, and as long as rankings differ some neighbors are in the wrong order.
    """)


@app.cell
def _():
    first = ra.Permutation.from_order("ABCDE")
    second = ra.Permutation.from_order("BADEC")
    apart = ra.kendall_distance(first, second)
    tau = ra.kendall_tau(first, second)
    return apart, first, second, tau


@app.cell(hide_code=True)
def _(apart, first, second, tau):
    _pairs = [
        f"{i}{j}"
        for i, j in combinations("ABCDE", 2)
        if second.order.index(i) > second.order.index(j)
    ]
    assert _pairs == ["AB", "CD", "CE"]
    assert apart == len(_pairs)
    assert np.isclose(tau, 1 - 2 * apart / 10)
    assert ra.kendall_distance(first, second.reverse()) == 10 - apart
    mo.vstack(
        [
            mo.plain_text(f"distance {apart:g}, tau {tau}"),
            mo.md(r"""
    The pairs are AB, CD and CE.
    **Kendall's tau** is the same on another scale: $\tau = 1 - 2d/\binom n2$, from 1 for equal
    rankings to $-1$ for reversed ones.
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 2. The permutohedron, and five other distances

    Join all rankings that are one swap of neighbors apart: that is the **permutohedron**.
    Kendall's distance is the number of steps.
    Choose a ranking; its row is its distance from A > B > C > D, and the table has the other
    distances.
    """)


@app.cell(hide_code=True)
def _():
    chosen = mo.ui.dropdown(
        ["".join(order) for order in permutations("ABCD")], value="DABC", label="ranking"
    )
    return (chosen,)


@app.cell(hide_code=True)
def _(chosen):
    _center, _other = ra.Permutation.from_order("ABCD"), ra.Permutation.from_order(chosen.value)
    _vertices = {
        order: Vertex(
            0.35,
            "strong" if "".join(order) in ("ABCD", chosen.value) else "faint",
            "",
            "".join(order) == chosen.value,
        )
        for order in permutations("ABCD")
    }
    _moved = _center.ranks - _other.ranks
    _rows = [
        ("Kendall", "swaps of neighbors", ra.kendall_distance(_center, _other), 6),
        (
            "footrule",
            r"$\sum_i \lvert\sigma(i)-\tau(i)\rvert$",
            ra.distances.spearman_footrule(_center, _other),
            8,
        ),
        ("Spearman", r"$\sum_i (\sigma(i)-\tau(i))^2$", float((_moved**2).sum()), 20),
        ("Cayley", "exchanges of any two items", ra.distances.cayley_distance(_center, _other), 3),
        (
            "Ulam",
            "items taken out and put in elsewhere",
            ra.distances.ulam_distance(_center, _other),
            3,
        ),
        ("Hamming", "items with another rank", ra.distances.hamming_distance(_center, _other), 4),
    ]
    assert all(0 <= value <= most for _, _, value, most in _rows)
    _table = "\n".join(f"| {a} | {b} | {c:g} | {d} |" for a, b, c, d in _rows)
    mo.hstack(
        [
            mo.vstack(
                [chosen, mo.md(f"| distance | counts | here | most |\n|---|---|---|---|\n{_table}")]
            ),
            mo.Html(permutohedron("ABCD", _vertices)),
        ],
        widths="equal",
        align="center",
        gap=2,
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    DABC moves one item three places: 3 swaps, but a single insertion (Ulam), and every item has
    another rank (Hamming).
    DBCA is one exchange of two items (Cayley) and five swaps.
    So "near" depends on what went wrong: a slip between neighbors, or an item that was misread.

    **Spearman's rho** is $1 - 6 \sum_i (\sigma(i)-\tau(i))^2/(n^3-n)$.
    The square root of that sum is the straight line between two corners, where Kendall walks along
    edges.

    How many rankings of four items are 0, 1, 2, ... swaps away?
    """)


@app.cell
def _():
    rows = ra.distributions.kendall_distance_counts(4)
    return (rows,)


@app.cell(hide_code=True)
def _(rows):
    _c = ra.Permutation.from_order("ABCD")
    _d = [int(ra.kendall_distance(_c, ra.Permutation.from_order(o))) for o in permutations("ABCD")]
    assert list(rows) == list(np.bincount(_d)) == [1, 3, 5, 6, 5, 3, 1]
    assert list(rows) == list(np.convolve(np.convolve([1, 1], [1, 1, 1]), [1, 1, 1, 1]))
    _all = [ra.Permutation.from_order(order) for order in permutations("ABCD")]
    assert np.isclose(
        ra.distances.spearman_rho(_c, _all[9]),
        1 - 6 * float(((_c.ranks - _all[9].ranks) ** 2).sum()) / 60,
    )
    mo.vstack(
        [
            mo.plain_text(str(rows)),
            mo.md(r"""
    These numbers are the coefficients of $(1+q)(1+q+q^2)(1+q+q^2+q^3)$: put the items into the
    ranking one after another, and the $k$-th passes 0 to $k-1$ others.
    With $q = e^{-\theta}$ the product is the constant of Mallows' model (lecture 5).
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 3. What a distance should be

    A **metric** is 0 for equal rankings only, symmetric, and keeps the triangle inequality.
    **Right-invariant** means that names of items do not matter:
    $d(\sigma\pi, \tau\pi) = d(\sigma,\tau)$ for every renaming $\pi$ of items.
    **Left-invariant** means that names of *ranks* do not matter: $d(\pi\sigma,
    \pi\tau)=d(\sigma,\tau)$.
    The first is a must; the second says that a mistake at the top is no worse than one at the
    bottom,
    and that neighboring ranks are nothing special.
    Let us try all of $S_4$.
    """)


@app.cell
def _():
    distances = [ra.kendall_distance, ra.distances.spearman_footrule, ra.distances.cayley_distance]
    distances += [ra.distances.ulam_distance, ra.distances.hamming_distance]
    everything = [ra.Permutation.from_order(order) for order in permutations("ABCD")]
    tables = {
        d.__name__: np.array([[d(one, other) for other in everything] for one in everything])
        for d in distances
    }
    return distances, everything, tables


@app.cell(hide_code=True)
def _(everything, tables):
    _ranks = np.array([one.ranks for one in everything])
    _at = {tuple(row): k for k, row in enumerate(_ranks.tolist())}
    # Every renaming as a permutation of the 24 rankings.
    _items = np.array([[_at[tuple(row[list(pi)])] for row in _ranks] for pi in _at])
    _places = np.array([[_at[tuple(np.array(pi)[row])] for row in _ranks] for pi in _at])

    def _same(table, moves):
        return all((table[np.ix_(move, move)] == table).all() for move in moves)

    _lines = []
    for _name, _table in tables.items():
        assert (_table == _table.T).all()
        assert ((_table == 0) == np.eye(24, dtype=bool)).all()
        assert (_table[:, :, None] + _table[None] >= _table[:, None, :]).all()
        _right, _left = _same(_table, _items), _same(_table, _places)
        assert _right
        assert _left == (_name in ("cayley_distance", "hamming_distance"))
        _lines.append(
            f"| {_name} | yes | yes | {'yes' if _left else 'no'} | {_table.max():g} "
            f"| {_table.mean():.3g} |"
        )
    mo.md(
        "| distance | metric | right-invariant | left-invariant | largest | mean |\n"
        "|---|---|---|---|---|---|\n" + "\n".join(_lines)
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Each "yes" was checked for all $24^3$ triples and all 24 renamings.
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 4. Diaconis and Graham

    Let $I$ be Kendall's distance, $T$ Cayley's and $D$ the footrule. Then always

    $$
    I + T \;\le\; D \;\le\; 2I
    $$

    (Diaconis and Graham 1977).
    The right half is quick: a swap of neighbors changes two ranks by 1, so $D$ by 2 at most.
    Check all of it on $S_6$, and see how far apart the two can be:
    """)


@app.cell
def _():
    center = ra.Permutation.from_order("ABCDEF")
    others = [ra.Permutation.from_order(order) for order in permutations("ABCDEF")]
    swaps = np.array([ra.kendall_distance(center, one) for one in others])
    exchanges = np.array([ra.distances.cayley_distance(center, one) for one in others])
    footrule = np.array([ra.distances.spearman_footrule(center, one) for one in others])
    holds = (swaps + exchanges <= footrule).all() and (footrule <= 2 * swaps).all()
    return exchanges, footrule, holds, swaps


@app.cell(hide_code=True)
def _(exchanges, footrule, holds, swaps):
    assert holds
    assert len(swaps) == 720
    _attained = [int((footrule == 2 * swaps).sum()), int((footrule == swaps + exchanges).sum())]
    assert all(_attained)
    _head = "| swaps | " + " | ".join(f"{k}" for k in range(16)) + " |\n|" + "---|" * 17
    _low = " | ".join(f"{footrule[swaps == k].min():g}" for k in range(16))
    _high = " | ".join(f"{footrule[swaps == k].max():g}" for k in range(16))
    mo.vstack(
        [
            mo.md(
                f"{_head}\n| least footrule | {_low} |\n| largest footrule | {_high} |\n\n"
                f"The inequalities hold for all 720. {_attained[0]} rankings reach the upper bound "
                f"and {_attained[1]} the lower one, so neither can be improved. Hence the two "
                "distances are never apart by more than a factor of 2, and the median of the one "
                "is a 2-approximation of the median of the other (exercise 5)."
            ),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 5. Ties

    A **weak order** puts items into buckets.
    A pair that one ranking ties and the other does not: is that agreement or disagreement?
    Charge $p$ for it (Fagin et al. 2006, $K^{(p)}$):

    $$
    K^{(p)} = \#\{\text{pairs in opposite orders}\} + p\,\#\{\text{pairs that exactly one ties}\}.
    $$

    Between A > B and B > A lies the tie A = B.
    The detour must not be shorter: $1 \le p + p$, so $p \ge \frac12$.
    """)


@app.cell
def _():
    ab, ba = ra.PartialRanking.from_order("AB"), ra.PartialRanking.from_order("BA", items="AB")
    tie = ra.PartialRanking.from_buckets(["AB"])

    def detour(p):
        through = ra.kendall_distance(ab, tie, tie_cost=p) + ra.kendall_distance(
            tie, ba, tie_cost=p
        )
        return ra.kendall_distance(ab, ba, tie_cost=p), through

    both = {p: detour(p) for p in (0, 0.25, 0.5, 1)}
    return (both,)


@app.cell(hide_code=True)
def _(both):
    # The 13 weak orders of three items, by the signs of their pairs.
    _weak = {}
    for _levels in product(range(3), repeat=3):
        _buckets = [
            [x for x, level in zip("ABC", _levels, strict=True) if level == k] for k in range(3)
        ]
        _one = ra.PartialRanking.from_buckets([b for b in _buckets if b], items="ABC")
        _signs = tuple(int(np.sign(_levels[j] - _levels[i])) for i, j in combinations(range(3), 2))
        _weak[_signs] = _one
    assert len(_weak) == 13
    _signs = np.array(list(_weak))
    for _p in (0.25, 0.5, 1.0):
        _d = np.array(
            [
                [ra.kendall_distance(a, b, tie_cost=_p) for b in _weak.values()]
                for a in _weak.values()
            ]
        )
        _sums = _d[:, :, None] + _d[None]
        assert (_sums >= _d[:, None, :]).all() == (_p >= 0.5)
        if _p == 0.5:
            # Equality holds exactly for what is between, pair by pair.
            _lower = np.minimum(_signs[:, None, None], _signs[None, None])
            _upper = np.maximum(_signs[:, None, None], _signs[None, None])
            _between = ((_lower <= _signs[None, :, None]) & (_signs[None, :, None] <= _upper)).all(
                -1
            )
            assert (np.isclose(_sums, _d[:, None, :]) == _between).all()
            assert _d[_d > 0].min() == 0.5
    assert [direct <= through for direct, through in both.values()] == [False, False, True, True]
    mo.md(
        "| p | from A > B to B > A | by way of A = B |\n|---|---|---|\n"
        + "\n".join(
            f"| {p:g} | {direct:g} | {through:g} |" for p, (direct, through) in both.items()
        )
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    From $p = \frac12$ on $K^{(p)}$ is a metric; below it is none.
    And $\frac12$ is the only price that follows from axioms.
    **Kemeny and Snell** (1962) asked of a distance of weak orders that

    1. it is a metric, and the detour over $\beta$ costs nothing exactly if $\beta$ is *between* the
       other two: every pair as in one of them, or tied where they are opposite;
    2. names of items do not matter;
    3. where two rankings agree but on a block of neighboring items, only the block counts;
    4. the smallest positive distance is 1.

    One distance does, twice $K^{(1/2)}$: a pair in opposite orders costs 2, and a tie in one of the
    rankings 1.
    (All 13 weak orders of three items have been tried here against 1.)
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 6. Gaps

    A **partial ranking** leaves items out. There are two kinds of silence.

    - A *top-k list* says that all others are **below**: `from_top_k`.
    - A system that was not run on a task is **unranked**: its rank is not known.

    What is one to think of an unranked item? *All* rankings that agree with the observed part, its
    **compatible permutations**, are taken as equally probable (policy `"uniform"`).
    """)


@app.cell
def _():
    partial = ra.PartialRanking.from_order("AB", items="ABC")
    completions = ["".join(one.order) for one in partial.compatible_permutations()]
    above = partial.pairwise_probabilities()
    return above, completions, partial


@app.cell(hide_code=True)
def _(above, completions, partial):
    assert sorted(completions) == ["ABC", "ACB", "CAB"]
    assert np.allclose(above[2], [1 / 3, 2 / 3, 0])
    _longer = ra.PartialRanking.from_order("ABCD", items="ABCDEFG").pairwise_probabilities()
    # An unranked item is above the one of rank r (from 0) among k with probability (r+1)/(k+1).
    assert np.allclose(_longer[4, :4], [(r + 1) / 5 for r in range(4)])
    assert partial.n_compatible_permutations == 3
    mo.vstack(
        [
            mo.plain_text(
                f"{', '.join(completions)}\n"
                f"C above A: {above[2, 0]:.3f}, C above B: {above[2, 1]:.3f}"
            ),
            mo.md(r"""
    C is above A in one of the three, and above B in two.
    With $k$ ranked items, an unranked one stands above the item of rank $r$ in $r/(k+1)$ of all
    completions: it is put into any of $k+1$ gaps.
    So a gap costs a fraction of a vote, and no completion need ever be listed.
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 7. A consensus is a median

    Given rankings $\tau_1,\dots,\tau_m$ and a distance, take

    $$
    \hat\sigma = \arg\min_\sigma \sum_{v=1}^m d(\sigma, \tau_v).
    $$

    As a median of numbers minimizes summed distances, so this is a **median ranking**.
    With Kendall's distance it is **Kemeny's rule**: the sum counts the votes on pairs that
    $\sigma$ contradicts, $\sum_{i \text{ above } j} w_{ji}$.
    Other distances have other medians. Here are nine voters, and all medians by trying all 24
    orders.
    """)


@app.cell
def _(everything):
    nine = ra.Profile.from_orders(["CABD", "ACBD", "DCBA", "CADB"], counts=[3, 1, 4, 1])

    def medians(distance, profile, candidates):
        cost = {
            "".join(one.order): sum(
                n * distance(one, vote) for vote, n in zip(profile, profile.counts, strict=True)
            )
            for one in candidates
        }
        return [order for order, value in cost.items() if value == min(cost.values())]

    kemeny_by_hand = medians(ra.kendall_distance, nine, everything)
    return kemeny_by_hand, medians, nine


@app.cell(hide_code=True)
def _(distances, everything, kemeny_by_hand, medians, nine):
    def _squares(one, other):
        places = [(one.order.index(x), other.order.index(x)) for x in "ABCD"]
        return sum((a - b) ** 2 for a, b in places)

    _found = {d.__name__: medians(d, nine, everything) for d in distances}
    _found["Spearman, squared"] = medians(_squares, nine, everything)
    assert all(len(orders) == 1 for orders in _found.values())
    assert len({orders[0] for orders in _found.values()}) == 6
    assert ["".join(ra.Kemeny().aggregate(nine).order)] == kemeny_by_hand
    assert ["".join(ra.Borda().aggregate(nine).order)] == _found["Spearman, squared"]
    assert ["".join(ra.FootruleOptimal().aggregate(nine).order)] == _found["spearman_footrule"]
    _rows = "\n".join(f"| {name} | {' > '.join(orders[0])} |" for name, orders in _found.items())
    mo.vstack(
        [
            mo.md(
                f"| distance | median |\n|---|---|\n{_rows}\n\n"
                "Six distances, six consensus rankings. The last one is Borda's (lecture 4), and "
                "`ra.FootruleOptimal` finds the second as an assignment of items to ranks. Why "
                "then Kendall's? Because of the axioms of section 5, because of Young and "
                "Levenglick's theorem (lecture 1), and because of likelihood."
            ),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 8. Kemeny's consensus as maximum likelihood

    Condorcet (1785) thought of voters as judges: there is a true order $\sigma$, and a voter gets
    each pair right with probability $p > \frac12$.
    Take the votes that are rankings. With $\varphi = (1-p)/p$ they have

    $$
    P(\tau) = \frac{p^{\binom n2 - d}(1-p)^{d}}{\text{const}}
    = \frac{\varphi^{\,d(\sigma,\tau)}}{Z(\varphi)},
    $$

    which is the **Mallows model**.
    The likelihood of all votes is $\varphi^{\sum_v d(\sigma,\tau_v)}/Z^m$, and $Z$ does not depend
    on $\sigma$ (why? right-invariance!).
    So whatever $p > \frac12$ is, the most likely truth is the ranking with the least
    $\sum_v d(\sigma,\tau_v)$ (Young 1988).
    """)


@app.cell
def _():
    jury = ra.datasets.load("condorcet_1785")
    fit = ra.Mallows.fit(jury)
    likelihoods = {
        order: ra.Mallows(order, theta=fit.distribution.theta).log_prob(jury)
        for order in ("ABC", "ACB", "BAC", "BCA", "CAB", "CBA")
    }
    listing = "\n".join(f"{order}  {value:.2f}" for order, value in likelihoods.items())
    return fit, jury, likelihoods, listing


@app.cell(hide_code=True)
def _(fit, jury, likelihoods, listing):
    _votes = jury.pairwise()
    _costs = {order: _votes.cost(ra.Permutation.from_order(order)) for order in likelihoods}
    assert max(likelihoods, key=likelihoods.get) == min(_costs, key=_costs.get) == "BCA"
    _theta = fit.distribution.theta
    assert all(
        np.isclose(likelihoods[one] - likelihoods["BCA"], -_theta * (_costs[one] - _costs["BCA"]))
        for one in _costs
    )
    assert "".join(fit.distribution.center.order) == "BCA"
    _p = 1 / (1 + fit.distribution.phi)
    mo.vstack(
        [
            mo.plain_text(listing),
            mo.md(
                rf"""
    The best center is B > C > A, the Kemeny consensus.
    $\hat\varphi = {fit.distribution.phi:.3f}$: these voters would be right on a pair with
    probability
    $p = 1/(1+\varphi) = {_p:.2f}$.
    Mind the question, too: this is the most likely *order*.
    Who is most likely *first* is another one, and with $p$ near $\frac12$ its answer is Borda's
    winner
    (Young 1988).
    """
            ),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 9. The costs of all rankings

    A hundred voters rank four cities (`tennessee`).
    Below, the larger a circle, the *fewer* votes its ranking contradicts; the best order has a ring
    and stands on top.
    """)


@app.cell(hide_code=True)
def _():
    _cities = ra.datasets.load("tennessee")
    _votes = _cities.pairwise()
    _best = ra.Kemeny().aggregate(_cities)
    _costs = {
        order: _votes.cost(ra.Permutation.from_order(order, items=_cities.items))
        for order in permutations(_best.order)
    }
    _worst = max(_costs.values())
    assert min(_costs.values()) == _best.cost
    # The reverse of the best is the worst: the two costs sum to all votes.
    assert _costs[_best.order[::-1]] == _worst
    assert _worst + _best.cost == 6 * 100
    _vertices = {
        order: Vertex(
            (_worst - cost) / (_worst - _best.cost), "strong", f"cost {cost:g}", cost == _best.cost
        )
        for order, cost in _costs.items()
    }
    mo.hstack(
        [
            mo.Html(permutohedron(_best.order, _vertices)),
            mo.md(
                f"{' > '.join(_best.order)} costs {_best.cost:g} of 600 votes. Costs rise "
                "gently with the distance: one swap of neighbors changes the cost by the margin of "
                "that pair, and by nothing else. Local search lives on that, and lecture 3 needs "
                "more, as valleys need not be unique."
            ),
        ],
        widths="equal",
        align="center",
        gap=2,
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 10. Several optima

    Three voters, A > B > C, B > C > A and C > A > B: three rankings cost 4, and no reason prefers
    one of them.
    Software that prints one hides that. Here every exact consensus knows all of them.
    """)


@app.cell
def _():
    benchmark = ra.Kemeny().aggregate(ra.datasets.load("glue_human"))
    optima = benchmark.optima
    return benchmark, optima


@app.cell(hide_code=True)
def _(benchmark, optima):
    _votes = benchmark.pairwise
    _all = list(optima)
    assert len(_all) == optima.count() == 18
    assert all(_votes.cost(one) == benchmark.cost for one in _all)
    _best, _worst = optima.rank_ranges()
    _places = np.array([one.ranks + 1 for one in _all])
    assert (_places.min(axis=0) == _best).all()
    assert (_places.max(axis=0) == _worst).all()
    assert set(optima.winners()) == {one.order[0] for one in _all}
    _rows = "\n".join(
        f"| {item} | {low} | {high} |"
        for item, low, high in zip(optima.items, _best, _worst, strict=True)
    )
    mo.vstack(
        [
            mo.plain_text(f"{' > '.join(benchmark.order)}\n{optima.count()} optima"),
            mo.md(
                f"""
    Six systems, ten tasks, 18 optimal rankings.
    Ranks of each among all of them:

    | system | best | worst |
    |---|---|---|
    {_rows}
    """.replace("\n    ", "\n")
            ),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ### What all optima agree on

    `relation` says for each pair whether *every* optimum has the row above the column.
    That part of the result does not depend on chance, and it is what one should report.
    """)


@app.cell
def _(optima):
    always = optima.relation()
    agreed = [
        f"{optima.items[i]} above {optima.items[j]}" for i, j in zip(*always.nonzero(), strict=True)
    ]
    return agreed, always


@app.cell(hide_code=True)
def _(agreed, always, optima):
    _all = np.array([one.ranks for one in optima])
    assert (always == (_all[:, :, None] < _all[:, None, :]).all(axis=0)).all()
    assert len(agreed) + optima.n_undecided_pairs == 15
    mo.vstack(
        [
            mo.plain_text("\n".join(agreed)),
            mo.md(
                "T5 is above the humans in every optimum; whether DeBERTa is above T5 is open. "
                "Nine of 15 pairs are decided."
            ),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Some agreement can be seen without solving anything:

    - **Pareto.** If all voters have $i$ above $j$, so have all optima.
    - **Blocks** (the extended Condorcet principle of Truchon 1998): if each item of a set $S$ beats
      each item outside, all optima have $S$ above the rest.
      Proof: take a ranking with some item of $S$ right below one outside. Swapping the two
      neighbors
      changes this pair only, and saves its margin.
    - But a **single** majority binds nobody: Kemeny may put $i$ below $j$ although $i$ beats $j$,
      if
      a cycle goes through them.

    Lecture 3 uses the second to take large problems apart.
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## To read

    - Diaconis and Graham (1977), Spearman's footrule as a measure of disarray,
      [doi:10.1111/j.2517-6161.1977.tb01624.x](https://doi.org/10.1111/j.2517-6161.1977.tb01624.x).
    - Diaconis (1988), *Group Representations in Probability and Statistics*, chapter 6.
    - Emond and Mason (2002), A new rank correlation coefficient with application to the consensus
      ranking problem, [doi:10.1002/mcda.313](https://doi.org/10.1002/mcda.313).
    - Fagin, Kumar, Mahdian, Sivakumar and Vee (2006), Comparing partial rankings,
      [doi:10.1137/05063088X](https://doi.org/10.1137/05063088X).
    - Kemeny (1959), Mathematics without numbers, *Daedalus* 88; Kemeny and Snell (1962),
      *Mathematical Models in the Social Sciences*.
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    - Kendall (1938), A new measure of rank correlation,
      [doi:10.1093/biomet/30.1-2.81](https://doi.org/10.1093/biomet/30.1-2.81).
    - Mallows (1957), Non-null ranking models,
      [doi:10.1093/biomet/44.1-2.114](https://doi.org/10.1093/biomet/44.1-2.114).
    - Young (1988), Condorcet's theory of voting,
      [doi:10.2307/1961757](https://doi.org/10.2307/1961757).
    - Young and Levenglick (1978), A consistent extension of Condorcet's election principle,
      [doi:10.1137/0135023](https://doi.org/10.1137/0135023).
    """)


if __name__ == "__main__":
    app.run()
