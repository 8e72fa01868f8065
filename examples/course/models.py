# /// script
# dependencies = ["rankagg", "marimo"]
#
# [tool.marimo.display]
# theme = "system"
# ///
"""Rankings at random: Mallows, Plackett-Luce, battles and cultures, drawn, fitted and tested."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(
    width="medium",
    app_title="Rankings at random",
    layout_file="slides.json",
    css_file="course.css",
)

with app.setup:
    from itertools import permutations

    import marimo as mo
    import matplotlib.pyplot as plt
    import numpy as np
    import pandas as pd

    import page
    import rankagg as ra

    pd.set_option("display.max_rows", 30)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # Rankings at random

    Lecture 5 of 6.

    **After this lecture you can**

    - draw rankings from Mallows and Plackett-Luce models by hand, and say why the draws are right;
    - write down the likelihood of both, and explain why Kemeny's rule is Mallows' best center;
    - fit worths to ballots and to battles, and recognize data that do not identify them;
    - test whether a model fits, and notice when a "common opinion" is nothing but chance;
    - say what the cultures of the literature look like, and how often their majorities are cyclic.

    A model is needed wherever one asks *how sure*, *how often* or *what if*: for errors, for
    studies, for filling gaps.
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 1. No opinion at all

    If all $n!$ rankings are equally likely, how far is one from a given center? The number of
    permutations with $k$ inversions has the generating function

    $$\sum_k c_k x^k=\prod_{i=1}^{n}\,(1+x+\dots+x^{i-1}),$$

    because the $i$-th item is inserted among $i-1$ others, and passes $0, 1, \dots, i-1$ of them.
    So the distance has mean $n(n-1)/4$ and variance $n(n-1)(2n+5)/72$. For six items the numbers
    are 1, 5, 14, 29, 49, 71, 90, 101, 101, 90, 71, 49, 29, 14, 5, 1.
    """)


@app.cell
def _():
    counts = np.array(ra.distributions.kendall_distance_counts(6))
    ks = np.arange(len(counts))
    mean = counts @ ks / counts.sum()
    assert counts.tolist() == [*(half := [1, 5, 14, 29, 49, 71, 90, 101]), *half[::-1]]
    assert mean == 6 * 5 / 4
    assert np.isclose(counts @ (ks - mean) ** 2 / counts.sum(), 6 * 5 * 17 / 72)
    return counts, ks


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 2. Mallows

    There is a true ranking $c$, the *center*, and every pair in the wrong order makes a ranking
    $\varphi=e^{-\theta}$ times as likely:

    $$P(\sigma)=e^{-\theta\,d(\sigma,c)}\big/Z_n(\theta),$$

    $$Z_n(\theta)=\sum_\sigma e^{-\theta d(\sigma,c)}
    =\prod_{i=1}^{n}\frac{1-\varphi^i}{1-\varphi}.$$

    The product is that of section 1 with $x=\varphi$: no sum over $n!$ rankings is needed.
    With $\theta=0$ all rankings are equal; as $\theta$ grows, all agree.
    """)


@app.cell
def _():
    mallows = ra.Mallows("ABCD", theta=1.0)
    phi = np.exp(-1.0)
    by_product = np.prod([(1 - phi**i) / (1 - phi) for i in range(1, 5)])
    by_sum = ra.distributions.kendall_distance_counts(4) @ phi ** np.arange(7)
    assert np.isclose(by_product, by_sum)
    assert np.isclose(np.log(by_product), ra.distributions.mallows_log_normalizer(4, 1.0))
    return by_product, mallows


@app.cell(hide_code=True)
def _(by_product, mallows):
    assert np.isclose(mallows.prob(ra.Permutation.from_order("ABCD")), 1 / by_product)
    strength = mo.ui.slider(0, 2, step=0.1, value=0.5, label="θ", show_value=True)
    return (strength,)


@app.cell(hide_code=True)
def _(counts, ks, strength):
    _weights = counts * np.exp(-strength.value * ks)
    _share = _weights / _weights.sum()
    _model = ra.Mallows("ABCDEF", theta=strength.value)
    assert np.isclose(_share @ ks, _model.expected_distance())
    with ra.plotting.style():
        _, _ax = plt.subplots(figsize=(4.6, 2.4), layout="constrained")
        _ax.bar(ks, counts / counts.sum(), width=0.9, color="#8a97a5", label="no opinion (θ = 0)")
        _ax.bar(ks, _share, width=0.45, color="#0072B2", label=f"θ = {strength.value:g}")
        _ax.set(xlabel="Kendall distance to the center", ylabel="probability", ylim=(0, 0.5))
        _ax.legend()
    mo.vstack(
        [
            mo.hstack(
                [mo.md("How far is a draw of six items from the center?"), strength],
                justify="start",
            ),
            mo.Html(
                page.drawn(
                    _ax,
                    "Bars: the probability of each Kendall distance from 0 to 15. With θ = 0 they "
                    f"form a bell around 7.5; with θ = {strength.value:g} their mean is "
                    f"{_share @ ks:.2f}, and the highest is at {int(_share.argmax())}.",
                )
            ),
            mo.md(
                f"The center itself has probability **{_share[0]:.1%}**, more than any other "
                f"ranking; the mean distance is **{_share @ ks:.2f}**."
            ),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    The center is the most probable ranking, and yet nearly no draw is equal to it while θ is small.
    *Most probable* and *typical* are two things.
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 3. Drawing: repeated insertion

    The proof of the product is an algorithm. Insert the items of the center one after the other;
    let the $i$-th pass $v$ of the items that are there with probability proportional to
    $\varphi^v$. The distance is the sum of all $v$, and they are *independent*: so

    $$\mathbb E\,d=\sum_{i=1}^n\mathbb E\,v_i
    =\frac{n\varphi}{1-\varphi}-\sum_{i=1}^n\frac{i\varphi^i}{1-\varphi^i}.$$
    """)


@app.function
def insert_all(center, theta, rng):
    """Draw one ranking from a Mallows model by repeated insertion."""
    order = []
    for i, item in enumerate(center):
        weights = np.exp(-theta * np.arange(i + 1))
        passed = rng.choice(i + 1, p=weights / weights.sum())
        order.insert(i - passed, item)
    return "".join(order)


@app.cell
def _(mallows):
    rng = np.random.default_rng(0)
    drawn = pd.Series([insert_all("ABCD", 1.0, rng) for _ in range(2000)]).value_counts()
    every = ["".join(p) for p in permutations("ABCD")]
    expected = 2000 * np.exp(mallows.log_probs(ra.Profile.from_orders(every)))
    check = pd.DataFrame({"drawn": drawn.reindex(every, fill_value=0), "expected": expected})
    chi_square = ((check["drawn"] - check["expected"]) ** 2 / check["expected"]).sum()
    assert chi_square < 49.7  # 23 degrees of freedom: less in 999 of 1000 cases
    return check, chi_square


@app.cell(hide_code=True)
def _(check, chi_square, mallows):
    _phi, _i = mallows.phi, np.arange(1, 5)
    _mean = 4 * _phi / (1 - _phi) - (_i * _phi**_i / (1 - _phi**_i)).sum()
    assert np.isclose(_mean, mallows.expected_distance())
    mo.vstack(
        [
            mo.plain(check.round(1).head(8)),
            mo.md(f"""
    All 24 rankings together: χ² = {chi_square:.1f} with 23 degrees of freedom. `mallows.sample(m,
    rng=0)` does the same for many rankings at once. The mean distance by the formula is
    {_mean:.3f}, of at most 6.
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 4. Fitting: Kemeny is maximum likelihood

    Of $m$ rankings $v$ the log likelihood is

    $$\ell(c,\theta)=-\theta\sum_v d(v,c)-m\log Z_n(\theta).$$

    Whatever $\theta>0$ is, the best $c$ has the least summed distance: **the Kemeny optimum**.
    Then the best $\theta$ makes the expected distance equal to the observed mean.
    """)


@app.cell
def _():
    voters = ra.datasets.load("condorcet_1785")
    fit = ra.Mallows.fit(voters)
    observed = ra.Kemeny().aggregate(voters).cost / voters.n_rankings
    assert fit.distribution.center == ra.Kemeny().aggregate(voters).ranking
    assert np.isclose(fit.distribution.expected_distance(), observed)
    return (fit,)


@app.cell(hide_code=True)
def _(fit):
    mo.plain_text(fit.summary())


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Condorcet's sixty voters are close to no opinion at all: θ may be 0. The interval counts at 0
    that the center was *chosen* to fit. This matters. Here are ten rankings of eight items, drawn
    uniformly: there is no center.
    """)


@app.cell
def _():
    nobody = ra.distributions.Uniform("ABCDEFGH").sample(10, rng=3)
    spurious = ra.Mallows.fit(nobody)
    uniform = spurious.test_uniform(rng=0)
    return nobody, spurious, uniform


@app.cell(hide_code=True)
def _(fit, nobody, spurious, uniform):
    _low, _high = spurious.conf_int().loc["theta"]
    _given = ra.Mallows.fit(nobody, center=spurious.distribution.center).conf_int().loc["theta"]
    assert fit.conf_int().loc["theta", "lower"] == 0
    assert spurious.distribution.theta > 0.1
    assert uniform.p_value > 0.05
    assert _low == 0 < _given["lower"]
    mo.vstack(
        [
            uniform,
            mo.md(f"""
    The estimate is θ = {spurious.distribution.theta:.2f}, although the truth is 0, because the
    Kemeny optimum is nearer to these ten than a ranking chosen beforehand would be. The test
    compares with uniform samples that choose *their* center too: p = {uniform.p_value:.2f}. The
    likelihood-ratio interval is [{_low:.2f}, {_high:.2f}], since a chosen center takes n - 1
    degrees of freedom at θ = 0; with the same center *given* it would be
    [{_given["lower"]:.2f}, {_given["upper"]:.2f}], which leaves out the truth.

    **A consensus exists for every data set. That is no evidence of agreement.**
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 5. Generalized Mallows

    Voters may agree on the top and not on the tail. Fligner and Verducci (1986) give each place
    its own $\theta_j$: for $j=1,2,\dots$ let $V_j$ be the number of items *left over* that the
    center has above the one at place $j$; then $P\propto\exp(-\sum_j\theta_jV_j)$. The $V_j$ are
    independent again. The best center is no longer Kemeny's, and depends on all $\theta_j$.
    """)


@app.cell
def _():
    ballots = ra.datasets.load("tennessee")
    fits = {"Mallows": ra.Mallows.fit(ballots), "Plackett-Luce": ra.PlackettLuce.fit(ballots)}
    _grid = np.linspace(0, 20, 2001)

    def _staged(center):
        """Return the likelihood around a center, and the best theta of each place on a grid."""
        orders, height, thetas = ballots.ranks[:, center].argsort(axis=1), 0.0, []
        for j in range(3):
            passed = (orders[:, j + 1 :] < orders[:, [j]]).sum(axis=1)
            each = np.log(sum(np.exp(-_grid * v) for v in range(4 - j)))
            logs = -_grid * (ballots.counts @ passed) - ballots.n_rankings * each
            height, thetas = height + logs.max(), [*thetas, _grid[logs.argmax()]]
        return height, thetas

    _, thetas = max(_staged(center) for center in permutations(range(4)))
    return ballots, fits, thetas


@app.cell(hide_code=True)
def _(thetas):
    assert thetas[0] == 0
    assert thetas[2] == 20
    mo.vstack(
        [
            mo.md("θ of the three places: " + ", ".join(f"{theta:.2f}" for theta in thetas)),
            mo.md(r"""
    The voters of Tennessee: no agreement at all on the first place ($\theta_1=0$), some on the
    second, and a $\theta_3$ that grows without end (20 is where the grid stops):
    whoever has two cities left orders them as the center does. That is what geography does.
    These are not noisy copies of one truth.
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 6. Plackett-Luce

    Luce's **choice axiom** (1959): the odds of choosing $a$ rather than $b$ do not depend on what
    else is there. Then there are worths $w$ with

    $$P(a\text{ is chosen from }S)=\frac{w_a}{\sum_{b\in S}w_b},$$

    and a ranking is a sequence of choices from the remaining items (Plackett 1975):
    $\;P(\sigma)=\prod_j w_{\sigma_j}/\sum_{k\ge j}w_{\sigma_k}$.

    **The Gumbel trick.** Add independent Gumbel noise to the log worths and sort. The result is
    Plackett-Luce, because the largest of independent Gumbel variables is the $a$-th with
    probability $w_a/\sum w$, whatever its value. So items with latent scores and Gumbel noise
    *are* Plackett-Luce, and a draw is one line.
    """)


@app.cell
def _():
    worths = np.array([4.0, 2.0, 1.0, 1.0])
    strengths = ra.PlackettLuce(np.log(worths), items="ABCD")
    noise = np.random.default_rng(1).gumbel(size=(20_000, 4))
    order_of = np.argsort(-(np.log(worths) + noise), axis=1)
    first = np.bincount(order_of[:, 0], minlength=4) / 20_000
    assert np.allclose(first, worths / worths.sum(), atol=0.015)
    firsts = pd.DataFrame({"drawn": first, "expected": worths / 8}, index=list("ABCD"))
    return firsts, order_of, strengths, worths


@app.cell(hide_code=True)
def _(firsts, order_of, strengths, worths):
    _pairs = strengths.pairwise_probabilities()
    assert np.allclose(_pairs[0, 1], 4 / (4 + 2))
    assert np.allclose(strengths.rank_probabilities()[:, 0], worths / 8)
    _places = np.argsort(order_of, axis=1)
    assert abs((_places[:, 0] < _places[:, 1]).mean() - 2 / 3) < 0.015
    mo.plain(firsts.round(3))


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Two consequences. $P(a\succ b)=w_a/(w_a+w_b)$ in whatever company: pairs follow
    **Bradley-Terry**. And the model reads from the top: read from the bottom, a Plackett-Luce
    model is not one (exercise 3), while Mallows is the same both ways.

    **Fitting.** Only ratios of worths matter. Setting the derivative of the likelihood to zero
    gives

    $$w_a=\frac{\#\{\text{choices that }a\text{ won}\}}
    {\sum_{\text{choices with }a\text{ in }S}1\big/\sum_{b\in S}w_b},$$

    and repeating it is Hunter's (2004) MM algorithm: each step increases the likelihood.
    """)


@app.cell
def _(ballots):
    w = np.ones(4)
    orders = np.argsort(ballots.ranks, axis=1)
    for _ in range(200):
        won, rate = np.zeros(4), np.zeros(4)
        for order, count in zip(orders, ballots.counts, strict=True):
            for place in range(3):
                left = order[place:]
                won[order[place]] += count
                rate[left] += count / w[left].sum()
        w = won / rate
    by_hand = np.log(w) - np.log(w).mean()
    return (by_hand,)


@app.cell
def _(by_hand, fits):
    _estimate = fits["Plackett-Luce"].distribution.log_worths
    assert np.allclose(by_hand, _estimate, atol=1e-6)


@app.cell(hide_code=True)
def _(ballots, by_hand, fits):
    mo.vstack(
        [
            mo.plain(pd.DataFrame([by_hand.round(3)], columns=ballots.items)),
            mo.plain(fits["Plackett-Luce"].to_frame().round(3)),
            mo.md(r"""
    The same numbers, with standard errors. (The library does not use MM, which is slow where
    worths are far apart.)

    **When there is no estimate.** If some items never lose to the others, their worths grow
    without end. That is a property of the data, and it is checked before fitting:
    """),
        ]
    )


@app.cell
def _():
    unanimous = ra.Profile.from_orders(["ABC", "BAC"], counts=[3, 2])
    try:
        ra.PlackettLuce.fit(unanimous)
    except ra.exceptions.NotIdentifiedError as error:
        refusal = str(error)
    _shrunk = ra.PlackettLuce.fit(unanimous, pseudo_rankings=0.5)
    shrunken = dict(zip("ABC", _shrunk.distribution.log_worths.round(2).tolist(), strict=True))
    return refusal, shrunken


@app.cell(hide_code=True)
def _(refusal, shrunken):
    mo.vstack([mo.md(f"> {refusal}"), mo.plain(pd.DataFrame([shrunken]))])


@app.cell(hide_code=True)
def _(refusal):
    assert "no finite maximum" in refusal
    mo.md(r"""
    C never beats anybody. With `pseudo_rankings` the fit is drawn towards equal worths: a prior, in
    units of rankings, to be stated.
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 7. Battles

    Arenas compare two items at a time. The model is Bradley-Terry:
    $\operatorname{logit}P(a\text{ beats }b)=\lambda_a-\lambda_b$, plus whatever else decides:
    ties, the side, the length of an answer (`BradleyTerry.fit`). Elo ratings are $400/\ln 10$
    times $\lambda$.
    """)


@app.cell
def _():
    truth = np.array([1.0, 0.5, 0.0, -0.5, -1.0])
    _rng = np.random.default_rng(1)
    one = _rng.integers(0, 5, 1200)
    other = (one + _rng.integers(1, 5, 1200)) % 5
    chance = 1 / (1 + np.exp(truth[other] - truth[one]))
    result = np.where(_rng.random(1200) < chance, 1, -1)
    battles = ra.Comparisons(list("ABCDE"), one, other, result)
    arena = ra.BradleyTerry.fit(battles)
    estimated = arena.to_frame()[["estimate", "std_err", "lower", "upper"]]
    return arena, estimated, truth


@app.cell(hide_code=True)
def _(arena, estimated, truth):
    _table = arena.to_frame()
    assert ((_table["lower"] <= truth) & (truth <= _table["upper"])).all()
    mo.vstack(
        [
            mo.plain(estimated.round(2)),
            mo.md("""
    All five intervals hold the truth (1, .5, 0, -.5, -1). Battles of one judge are not
    independent: give them `clusters`.
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 8. Does the model fit?

    Two models can be compared by AIC, the log likelihood less the number of parameters (times
    -2). But the better of two may be bad. So look at what the model predicts and at what was
    observed: here, on each pair of cities, the share of voters that prefer the first.
    """)


@app.cell
def _(ballots, fits):
    shares = ballots.pairwise().wins / 100
    apart = {
        name: abs(one.distribution.pairwise_probabilities() - shares).max()
        for name, one in fits.items()
    }
    verdict = pd.DataFrame(
        {"AIC": {name: one.aic for name, one in fits.items()}, "worst pair": apart}
    )
    return (verdict,)


@app.cell(hide_code=True)
def _(ballots, fits, verdict):
    _probs = np.exp(fits["Plackett-Luce"].distribution.log_probs(ballots))
    assert verdict["AIC"].idxmin() == "Plackett-Luce"
    assert verdict["worst pair"].min() > 0.14
    assert len(ballots.counts) == 4
    mo.vstack(
        [
            mo.plain(verdict.round(2)),
            mo.md(f"""
    Each model misses some pair by 15 points or more. Another look: only 4 of 24 rankings occur.
    By Plackett-Luce these four together have probability {_probs.sum():.2f}; they are all of the
    votes. None of the two is a model of these voters, and AIC alone would not show it. Voters
    who rank cities by distance are a *culture* of another kind.
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 9. Cultures

    In the literature on voting a culture is a distribution over whole profiles. Voters of one
    profile may have something in common: an axis, a space of opinions, a contagion. Draw 200
    voters on four candidates, and look at which of the 24 rankings occur.
    """)


@app.cell
def _():
    cultures = {
        "Impartial: all rankings alike": ra.cultures.ImpartialCulture(),
        "Urn: what was drawn is drawn again": ra.cultures.UrnCulture(contagion=0.5),
        "Single-peaked (Walsh)": ra.cultures.SinglePeakedCulture(variant="walsh"),
        "Single-peaked (Conitzer)": ra.cultures.SinglePeakedCulture(variant="conitzer"),
        "Euclidean on a line": ra.cultures.EuclideanCulture(n_dimensions=1),
        "Euclidean in a plane": ra.cultures.EuclideanCulture(n_dimensions=2),
        "Anonymous: all counts alike": ra.cultures.AnonymousCulture(),
        "Mallows, normalized": ra.cultures.MallowsCulture(norm_phi=0.3),
    }
    culture = mo.ui.dropdown(cultures, value="Euclidean in a plane", label="Culture")
    seed = mo.ui.slider(1, 20, value=1, label="Draw", show_value=True)
    return culture, cultures, seed


@app.cell(hide_code=True)
def _(culture, seed):
    _profile = culture.value.sample(4, 200, rng=seed.value)
    _names = ["".join(one) for one in permutations("ABCD")]
    _orders = ["".join("ABCD"[item] for item in one.order) for one in _profile]
    _shares = pd.Series(_orders).value_counts(normalize=True)
    _axis = ra.analysis.single_peaked_axis(_profile)
    _graph = ra.TournamentGraph(_profile)
    with ra.plotting.style():
        _, _ax = plt.subplots(figsize=(6.4, 2.2), layout="constrained")
        _ax.bar(_names, _shares.reindex(_names, fill_value=0), color="#0072B2")
        _ax.set(ylabel="share of voters", xlim=(-0.6, 23.6))
        _ax.tick_params(axis="x", rotation=90)
    _peaked = "not single-peaked"
    if _axis:
        _peaked = f"single-peaked on the axis {'-'.join('ABCD'[item] for item in _axis)}"
    _first = _graph.condorcet_winner
    _winner = "no Condorcet winner" if _first is None else f"Condorcet winner {'ABCD'[_first]}"
    mo.vstack(
        [
            mo.hstack([culture, seed], justify="start", wrap=True, gap=1.5),
            mo.Html(
                page.drawn(
                    _ax,
                    "Bars: the share of voters that has each of the 24 rankings. "
                    f"{len(_shares)} of them occur; the highest bar is {_shares.index[0]}, with "
                    f"{_shares.iloc[0]:.0%}.",
                )
            ),
            mo.md(f"{len(_shares)} of 24 rankings occur; {_peaked}; {_winner}."),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    A ranking is single-peaked on an axis if, going away from its first item to either side,
    places only get worse. On an axis of $n$ items $2^{n-1}$ of $n!$ rankings are. Whoever says
    "random rankings" should say which: on the same eight items and a hundred voters the cultures
    differ widely.
    """)


@app.cell
def _(cultures):
    looks = pd.DataFrame(
        {
            name.split(":")[0]: {
                "different rankings": len(drawn_from.compress().counts),
                "mean distance of two": ra.inference.spread(
                    drawn_from, average=True, normalized=True
                ),
                "single-peaked": ra.analysis.single_peaked_axis(drawn_from) is not None,
            }
            for name, model in cultures.items()
            for drawn_from in [model.sample(8, 100, rng=1)]
        }
    ).T
    return (looks,)


@app.cell(hide_code=True)
def _(looks):
    _peaked = looks["single-peaked"].astype(bool)
    assert _peaked["Single-peaked (Walsh)"]
    assert _peaked["Single-peaked (Conitzer)"]
    assert _peaked["Euclidean on a line"]
    assert _peaked.sum() == 3
    assert looks["mean distance of two"].idxmin() == "Mallows, normalized"
    mo.vstack(
        [
            mo.plain(looks),
            mo.md(r"""
    A mean distance of .5 (of all pairs) is that of two rankings that have nothing to do with each
    other.
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 10. How often is there a cycle?

    Under the impartial culture with many voters and three candidates majorities are cyclic in
    8.77 % of profiles (Guilbaud 1952); under the anonymous culture in 1/16; on single-peaked
    profiles of an odd number of voters never (Black). `CycleStudy` counts, and puts the exact
    value beside it where one is known.
    """)


@app.cell
def _():
    study = ra.studies.CycleStudy(
        data=[
            ra.cultures.ImpartialCulture(),
            ra.cultures.AnonymousCulture(),
            ra.cultures.SinglePeakedCulture(),
            ra.cultures.EuclideanCulture(n_dimensions=2),
        ],
        n_rankings=[25],
        n_repetitions=80,
        rng=0,
    )
    cycles = study.run().by_method().droplevel(["n_items", "n_rankings"])
    cycle_shares = cycles[["cycle", "cycle_low", "cycle_high", "cycle_exact", "optimal"]]
    return cycle_shares, cycles


@app.cell(hide_code=True)
def _(cycle_shares, cycles):
    _known = cycles.dropna(subset=["cycle_exact"])
    assert (_known["cycle_low"] <= _known["cycle_exact"] + 1e-12).all()
    assert (_known["cycle_exact"] <= _known["cycle_high"]).all()
    assert cycles["cycle"]["single-peaked"] == 0
    assert round(ra.studies.cycle_probability(ra.cultures.ImpartialCulture(), 3), 4) == 0.0877
    assert ra.studies.cycle_probability(ra.cultures.AnonymousCulture(), 3) == 1 / 16
    mo.vstack(
        [
            mo.plain(cycle_shares.round(3)),
            mo.md(r"""
    `optimal` is how often Borda's ranking is a Kemeny optimum. Eighty profiles give wide
    intervals; they hold the exact value where one is known. So "paradoxes are rare" or "frequent"
    is a statement about a culture; the impartial one is chosen for its mathematics.
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## To read

    - Bradley and Terry (1952), Rank analysis of incomplete block designs,
      [doi:10.2307/2334029](https://doi.org/10.2307/2334029)
    - Fligner and Verducci (1986), Distance based ranking models,
      [doi:10.1111/j.2517-6161.1986.tb01420.x](https://doi.org/10.1111/j.2517-6161.1986.tb01420.x)
    - Guilbaud (1952), Les théories de l'intérêt général et le problème logique de l'agrégation,
      [doi:10.3406/ecoap.1952.3831](https://doi.org/10.3406/ecoap.1952.3831)
    - Hunter (2004), MM algorithms for generalized Bradley-Terry models,
      [doi:10.1214/aos/1079120141](https://doi.org/10.1214/aos/1079120141)
    - Luce (1959), Individual choice behavior
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    - Mallows (1957), Non-null ranking models,
      [doi:10.1093/biomet/44.1-2.114](https://doi.org/10.1093/biomet/44.1-2.114)
    - Plackett (1975), The analysis of permutations,
      [doi:10.2307/2346567](https://doi.org/10.2307/2346567)
    - Walsh (2015), Generating single peaked votes,
      [doi:10.48550/arXiv.1503.02766](https://doi.org/10.48550/arXiv.1503.02766)
    """)


if __name__ == "__main__":
    app.run()
