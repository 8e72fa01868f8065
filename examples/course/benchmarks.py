# /// script
# dependencies = ["rankagg", "marimo"]
#
# [tool.marimo.display]
# theme = "system"
# ///
"""Benchmarks, missing scores and uncertainty: from a table of scores to intervals of ranks."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(
    width="medium",
    app_title="Benchmarks, missing scores and uncertainty",
    layout_file="slides.json",
    css_file="course.css",
)

with app.setup:
    import marimo as mo
    import numpy as np
    import pandas as pd

    import page
    import rankagg as ra

    pd.set_option("display.max_rows", 30)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # Benchmarks, missing scores and uncertainty

    Lecture 6 of 6.

    **After this lecture you can**

    - say what a mean over tasks assumes, what ranks do not need, and what they pay for it;
    - choose between one and two levels, and between three assumptions about missing scores;
    - state an interval with its estimand, its independent unit and its level;
    - say how few tasks can decide anything, and what testing all pairs at once costs;
    - check how firm a ranking is: which tasks carry it, and how many would have to go.

    The questions are those of three papers on leaderboards (Shavrina and Malykh 2021, Colombo et
    al. 2022, Himmi et al. 2023); their own tables are among the data.
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 1. A mean has units

    Three systems, six tasks, lower is better; the tasks have different units.
    """)


@app.cell
def _():
    toy = ra.datasets.load("toy_tasks")
    return (toy,)


@app.cell(hide_code=True)
def _():
    factor = mo.ui.slider(
        steps=[0.001, 0.01, 0.1, 0.2, 0.5, 1, 2, 10, 100],
        value=1,
        label="Task3 times",
        show_value=True,
    )
    return (factor,)


@app.cell
def _(factor, toy):
    scaled = ra.studies.RescaledScores(factor=factor.value).corrupt(toy, ["Task3"])
    rankings = {
        rule.name: " > ".join(rule.aggregate(scaled).order)
        for rule in (ra.Mean(), ra.Borda(), ra.Kemeny())
    }
    return (rankings,)


@app.cell(hide_code=True)
def _(factor, rankings, toy):
    def _order(rule, by):
        return "".join(
            rule.aggregate(ra.studies.RescaledScores(factor=by).corrupt(toy, ["Task3"])).order
        )

    assert _order(ra.Mean(), 1) == "ABC"
    assert _order(ra.Mean(), 0.01) == "CBA"
    assert {_order(ra.Borda(), by) for by in (0.001, 0.1, 1, 100)} == {"CBA"}
    mo.vstack(
        [
            mo.plain(toy.to_frame()),
            mo.hstack([mo.md("Measure Task3 in another unit:"), factor], justify="start"),
            mo.plain(pd.Series(rankings, name="order").to_frame()),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    The mean turns the ranking round; the ranks within a task do not change under *any increasing*
    transformation of its scores, so rules on ranks cannot see the unit. That is the case for
    ranks. What they pay:

    - **The size of a difference is lost.** A tenth of a point counts as much as ten points. If
      all tasks have one scale and one kind of noise, the mean uses more of the data.
    - **Others matter.** By Borda the order of two systems can depend on who else is ranked (see
      the lecture on Borda).

    A geometric mean is free of units too, for positive scores where all tasks have one direction.
    But which *columns* one averages matters more than the kind of mean (Shavrina and Malykh 2021
    compare means over different columns; exercise 6).
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 2. One level or two

    A task has instances (sentences, images). Is every *instance* a vote, or every *task*?

    - **One level**: Borda over all instances. A task weighs as much as it has instances.
    - **Two levels**: Borda inside each task, then Borda over the rankings of the tasks. Tasks
      weigh the same.
    """)


@app.cell
def _():
    scores = [
        [71, 68, 80, 59, 77, 66, 30, 35, 48],
        [70, 61, 78, 55, 70, 60, 44, 47, 52],
        [42, 40, 51, 38, 44, 39, 39, 41, 44],
    ]
    instances = ra.ScoreTable(
        scores,
        systems=["A", "B", "C"],
        higher_is_better=True,
        tasks=["qa"] * 6 + ["translation"] * 2 + ["summary"],
        instances=[*range(6), 0, 1, 0],
    )
    levels = {
        "one level": ra.Borda().aggregate(instances).order,
        "two levels": ra.TwoLevel(ra.Borda(), ra.Borda()).aggregate(instances).order,
    }
    return (levels,)


@app.cell(hide_code=True)
def _(levels):
    assert levels["one level"][0] == "A"
    assert levels["two levels"][0] == "B"
    mo.vstack(
        [
            mo.plain(pd.Series(levels, name="order").map(" > ".join).to_frame()),
            mo.md(r"""
    A wins six of nine instances, all of them in `qa`; B wins two of three tasks. Neither is
    wrong. If tasks are what one wants to be good at, and their sizes an accident, take two
    levels. It is also what protects against tasks that are corrupted: with 20 systems on 20
    tasks, some of which rank in the reverse of the true order, rules on one level give way sooner
    (`ra.studies.CorruptionStudy`; Colombo et al. 2022, section 4.2).
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 3. Missing scores

    Ten systems on four tasks, 18 of 40 scores missing (Himmi et al. 2023, table 5).
    """)


@app.cell
def _():
    gaps = ra.datasets.load("xtreme_gaps")
    with ra.plotting.style():
        missing_map = ra.plotting.missingness_map(gaps)
    return gaps, missing_map


@app.cell(hide_code=True)
def _(gaps, missing_map):
    mo.Html(
        page.drawn(
            missing_map,
            "A map of scores, a row for each of ten systems and a column for each of four tasks: "
            f"observed or missing, and {gaps.n_missing} of {gaps.values.size} are missing.",
        )
    )


@app.cell
def _(gaps):
    averaged = ra.Mean().aggregate(gaps)
    return (averaged,)


@app.cell(hide_code=True)
def _(averaged, gaps):
    _means = gaps.describe("task")["mean"]
    assert averaged.buckets[0] == ("M7",)
    assert _means.idxmax() == "Sentence Retrieval"
    assert gaps.rankings()[3].rank("M7") == 3
    mo.vstack(
        [
            mo.plain_text(
                f"first {', '.join(averaged.buckets[0])}, last {', '.join(averaged.buckets[-1])}; "
                f"{averaged.notes[1]}"
            ),
            mo.md(f"""
    The mean puts M7 first. Its only score is on Sentence Retrieval, where scores are high (mean
    {_means.max():.0f} against {_means.min():.0f} on the hardest task), and there it is third of
    six. *A mean over what is present compares averages over different tasks.*

    Ranks within a task at least compare like with like. But what does a task say of a system that
    it did not score? Three assumptions:

    | policy | a missing system ... | right if |
    |---|---|---|
    | `"uniform"` | could be anywhere, each ranking that agrees as likely | nothing is known |
    | `"ignore"` | is not compared | missing has nothing to do with quality |
    | `"last"` | is below all that were scored | missing means failed |
    """),
        ]
    )


@app.cell
def _(gaps):
    policies = {
        policy: " ".join(
            "=".join(bucket) for bucket in ra.Borda().aggregate(gaps.with_unranked(policy)).buckets
        )
        for policy in ("uniform", "ignore", "last")
    }
    return (policies,)


@app.cell(hide_code=True)
def _(policies):
    assert len(set(policies.values())) == 3
    assert all(order.startswith("M0") for order in policies.values())
    mo.vstack(
        [
            mo.plain(pd.Series(policies, name="order").to_frame()),
            mo.md(r"""
    **The estimator of pairs.** Under `"uniform"` a task with $k$ ranked systems puts a missing
    one above the system at place $r$ (from 0) in

    $$\frac{r+1}{k+1}$$

    of its compatible permutations, however many systems are missing: the missing one is equally
    likely to fall into each of the $k+1$ gaps. (Himmi et al. print a formula with
    factorials in its place, which is wrong as it stands; none are needed.) Votes on a pair are
    the sum of such proportions over tasks.
    """),
        ]
    )


@app.cell
def _():
    partial = ra.PartialRanking.from_order("ABC", items="ABCDE")
    every = list(partial.compatible_permutations())
    counted = [np.mean([p.rank("D") < p.rank(label) for p in every]) for label in "ABC"]
    assert np.allclose(counted, [1 / 4, 2 / 4, 3 / 4])
    assert np.allclose(counted, partial.pairwise_probabilities()[3, :3])
    return (counted,)


@app.cell(hide_code=True)
def _(counted):
    mo.vstack(
        [
            mo.plain(pd.DataFrame([counted], index=["D above"], columns=list("ABC"))),
            mo.md(r"""
    Imputing makes a number of every gap. It does not make data: a pair that never met has an
    imputed proportion, and no evidence. `missing_report` says how much is missing, and
    `sensitivity` how much the ranking rests on the assumption: three policies, and completions
    drawn at random.
    """),
        ]
    )


@app.cell
def _(gaps):
    report = ra.analysis.missing_report(gaps)
    sensitive = ra.analysis.sensitivity(gaps, ra.Borda(), rng=0)
    return report, sensitive


@app.cell(hide_code=True)
def _(report, sensitive):
    assert len(report.never_compared) == 15
    assert report.groups[1] == ("M5",)
    assert repr(sensitive) == "<Sensitivity of Borda: 40 pairs flip>"
    mo.vstack(
        [
            mo.plain(sensitive.top(1).round(2)),
            mo.md(f"""
    {len(report.never_compared)} of 45 pairs never met, and M5 met nobody. 40 of 45 pairs change
    their order with the assumption. What is firm is the first place: M0 is first, or tied for it,
    under every policy, and leads in {sensitive.top(1)["share"]["M0"]:.0%} of completions.
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 4. Which rule bears gaps

    Take a complete table, remove scores at random, rank the rest, and compare with the *same
    rule's* ranking of the complete table.
    """)


@app.cell
def _():
    board = ra.datasets.load("superglue_human")
    study = ra.studies.MissingScoresStudy(
        data=[ra.studies.ObservedData(label="SuperGLUE", data=board)],
        rules=[ra.Mean(), ra.Borda()],
        policies=["uniform", "last"],
        proportions=[0, 0.1, 0.3, 0.5],
        n_repetitions=30,
        rng=0,
    )
    removed = study.run()
    with ra.plotting.style():
        curves = removed.plot()
    return board, curves, removed


@app.cell(hide_code=True)
def _(curves, removed):
    mo.Html(
        page.drawn(
            curves,
            "Lines with bands: the agreement (tau-b) of each rule with its own ranking of the full "
            "table, over the proportion of scores removed, 0 to 50 %. On average "
            + ", ".join(
                f"{rule} {tau:.2f}"
                for rule, tau in removed.by_method()["mean_tau"].groupby("method").mean().items()
            )
            + ".",
        )
    )


@app.cell(hide_code=True)
def _(removed):
    _mean = removed.by_method()["mean_tau"].groupby("method").mean()
    assert _mean["Borda, uniform"] == _mean.max()
    assert _mean["Mean"] == _mean.min()
    mo.md(f"""
    On this table the mean loses most (its tasks have different levels), and the policy must match
    the mechanism: scores vanish at random here, and "last" takes them for failures. Averaged over
    the four proportions tau is {_mean["Borda, uniform"]:.2f}, {_mean["Borda, last"]:.2f} and
    {_mean["Mean"]:.2f}. That is a finding about one table. Where all tasks have one scale, the
    mean may be the more robust.
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 5. How sure? First say of what

    "95 %" needs three things beside it:

    - the **estimand**: what the interval is of. The probability that $a$ beats $b$ on a task? On
      *another* task? Among the imputed?
    - the **unit**: what is independent. Tasks? Instances? Not four metrics of one instance.
    - the **level**: of this pair alone, or of all pairs together.
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Hoeffding's inequality needs nothing else. The mean $\hat p$ of $z$ independent values in
    $[0,1]$ obeys $P(|\hat p-p|\ge\varepsilon)\le 2e^{-2z\varepsilon^2}$ (its variance is at most
    $\frac1{4z}$), so with probability $1-\delta$

    $$|\hat p-p|\le\sqrt{\frac{\log(2/\delta)}{2z}},$$

    and a pair is decided where 1/2 is outside. For all $\binom n2$ pairs at once replace $\delta$
    by $\delta/\binom n2$.
    """)


@app.cell
def _():
    needed = pd.DataFrame(
        {
            f"n = {n}": {
                f"{0.5 + margin:.0%} of wins": ra.inference.comparisons_needed(
                    margin=margin, alpha=0.05, n_items=n
                )
                for margin in (0.05, 0.1, 0.2, 0.4)
            }
            for n in (2, 6, 20)
        }
    )
    return (needed,)


@app.cell(hide_code=True)
def _(needed):
    assert needed.loc["60% of wins", "n = 2"] == np.ceil(np.log(2 / 0.05) / (2 * 0.1**2))
    assert needed.loc["60% of wins", "n = 6"] == np.ceil(np.log(2 * 15 / 0.05) / (2 * 0.1**2))
    mo.vstack(
        [
            mo.plain(needed),
            mo.md(r"""
    So many comparisons decide all pairs of $n$ systems, by the share of wins that is observed. A
    benchmark has four to twenty tasks. Intervals that hold whatever the data are for hundreds of
    instances, not for tasks.

    **With missing scores** the count $z$ and the mean must be about the same thing. Averaging
    *imputed* values and counting *direct* comparisons (equation 4 of Himmi et al., read as an
    interval for who wins) covers neither:
    """),
        ]
    )


@app.cell
def _():
    confidence = ra.studies.ConfidenceStudy(
        data=[ra.studies.LatentModel(step=0.4, n_systems=6, n_tasks=1, n_instances=300)],
        methods=[
            ra.studies.PrintedRadius(radius="equation 4"),
            ra.studies.IntervalMethod(simultaneous="bonferroni"),
        ],
        alphas=[0.1],
        proportions=[0, 0.2],
        n_repetitions=20,
        rng=0,
    )
    covered = confidence.run().by_method()[["coverage", "decided"]]
    covered = covered.droplevel(["model", "alpha"])
    return (covered,)


@app.cell(hide_code=True)
def _(covered):
    assert covered["coverage"][0.0, "equation 4"] > 0.9
    assert covered["coverage"][0.2, "equation 4"] < 0.85
    assert covered["coverage"].xs("hoeffding, bonferroni", level="method").min() > 0.99
    mo.vstack(
        [
            mo.plain(covered.round(3).reset_index()),
            mo.md(f"""
    The level is 90 %. With a fifth of the scores missing,
    {covered["coverage"][0.2, "equation 4"]:.0%} of the intervals by equation 4 hold the
    probability that one system beats the other. `PairwiseIntervals` takes direct
    comparisons for both.
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 6. The wrong unit

    Two equal systems, 20 instances, four metrics that hardly differ. How often does a test at 5 %
    see a difference?
    """)


@app.cell
def _():
    rng = np.random.default_rng(0)

    def wrong(unit, n_tables=100):
        found = 0
        for _ in range(n_tables):
            base = np.repeat(rng.normal(size=(2, 20)), 4, axis=1)
            table = ra.ScoreTable(
                base + 0.1 * rng.normal(size=base.shape),
                systems=["A", "B"],
                higher_is_better=True,
                tasks=np.tile(["bleu", "rouge", "chrf", "meteor"], 20),
                instances=np.repeat(range(20), 4),
            )
            found += ra.paired_test(table, "A", "B", method="sign", unit=unit).p_value <= 0.05
        return found / n_tables

    false_alarms = {unit: wrong(unit) for unit in ("ranking", "instance")}
    return (false_alarms,)


@app.cell(hide_code=True)
def _(false_alarms):
    assert false_alarms["ranking"] > 0.2
    assert false_alarms["instance"] <= 0.1
    mo.vstack(
        [
            mo.plain(pd.DataFrame([false_alarms], index=["false alarms"])),
            mo.md(r"""
    Counting columns as if each were a new observation multiplies the data by four and the errors
    with them. No formula mends that afterwards, and no program can know it: the unit is yours to
    state.
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 7. Six tasks

    If nothing distinguishes two systems, a task's difference is as likely to be $x$ as $-x$.
    **Sign flips** turn all differences both ways: $2^T$ equally likely sums. The smallest
    two-sided p-value is $2/2^T$: with five tasks .0625. *With fewer than six tasks two-sided
    sign flips decide nothing at 5 %, whatever the scores*; one-sided ones can with five, 1/32.
    """)


@app.cell
def _(board):
    smallest = {n_tasks: 2 / 2**n_tasks for n_tasks in range(3, 11)}
    five = ra.rank_intervals(board.drop(tasks=board.tasks[5:]), rng=0)
    assert smallest[5] > 0.05 > smallest[6]
    assert five.decidable_from == 6
    return (five,)


@app.cell(hide_code=True)
def _(five):
    mo.vstack(
        [
            mo.plain_text(five.notes[0]),
            mo.md(r"""
    Sign flips turn the *whole* vector of a task's differences, so all pairs are tested at once: a
    pair is decided where hardly any flip gives so large a sum *for any pair*. Decided pairs bound
    the ranks. Ten tasks of SuperGLUE:
    """),
        ]
    )


@app.cell
def _(board):
    ranks = ra.rank_intervals(board, rng=0)
    with ra.plotting.style():
        forest = ranks.plot()
    return forest, ranks


@app.cell(hide_code=True)
def _(forest, ranks):
    mo.Html(
        page.drawn(
            forest,
            "Ranks as dots, and their 95 % intervals as lines: "
            + ", ".join(
                f"{item} {best} to {worst}"
                for item, best, worst in zip(ranks.items, ranks.best, ranks.worst, strict=True)
            )
            + ".",
        )
    )


@app.cell
def _(board):
    friedman = ra.inference.friedman(board)
    with ra.plotting.style():
        diagram = friedman.plot()
    return diagram, friedman


@app.cell(hide_code=True)
def _(diagram, friedman):
    mo.Html(
        page.drawn(
            diagram,
            "Mean ranks along an axis, and bars that join systems whose order is undecided: "
            + "; ".join(" with ".join(group) for group in friedman.groups())
            + ".",
        )
    )


@app.cell(hide_code=True)
def _(friedman, ranks):
    assert ranks.first == ("Human", "DeBERTa", "T5 + Meena")
    assert set(friedman.groups()[0]) == {*ranks.first, "T5"}
    assert friedman.f_p_value < 0.001
    mo.md(f"""
    By sign flips who may be first is {", ".join(ranks.first)}. The bars: Friedman's test with
    Nemenyi's critical difference, the usual picture (Demšar 2006); a bar joins systems that are
    *undecided*. Groups overlap: "undecided" is not transitive, and not the same as *equal*.

    Friedman's question is another: are there *any* differences? There are (p =
    {friedman.f_p_value:.1e}), and yet nobody knows who is first.
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 8. Many pairs

    Six systems make 15 pairs. Test each at 5 % and something will be "significant". Here are
    tables of six *equal* systems on ten tasks:
    """)


@app.cell
def _():
    equal, draws = ra.distributions.LatentScores(np.zeros(6)), np.random.default_rng(2)

    def any_pair(table):
        pairs = [(i, j) for i in range(6) for j in range(i)]
        return min(ra.paired_test(table, i, j).p_value for i, j in pairs) <= 0.05

    tables = [equal.sample(n_tasks=10, rng=draws) for _ in range(40)]
    alarms = {
        "each pair at 5 %": np.mean([any_pair(table) for table in tables]),
        "all pairs at once": np.mean(
            [bool(ra.rank_intervals(t, rng=0).decisions.pairs) for t in tables]
        ),
    }
    return (alarms,)


@app.cell(hide_code=True)
def _(alarms):
    assert alarms["each pair at 5 %"] > 0.25
    assert alarms["all pairs at once"] <= 0.15
    mo.vstack(
        [
            mo.plain(pd.DataFrame([alarms], index=["some pair differs"])),
            mo.md(r"""
    The share of tables in which *some* pair is called different. `rank_intervals`, `decisions()`
    and `paired_tests` hold the *family-wise* level: wrong anywhere in 5 of 100 tables at most.
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 9. Bootstrap shares

    For a rule without a theory, draw tasks with replacement and rank again.
    """)


@app.cell
def _(board):
    shares = ra.rank_shares(board, ra.Kemeny(), n_resamples=200, rng=0)
    return (shares,)


@app.cell(hide_code=True)
def _(shares):
    _first = shares.to_frame()["first_in_every"]
    assert _first.idxmax() == "Human"
    assert 0.4 < _first["Human"] < 0.95
    mo.vstack(
        [
            mo.plain(shares.to_frame().round(2)),
            mo.md(f"""
    Humans lead in {_first["Human"]:.0%} of resamples. That is a *share*, no confidence: the
    bootstrap of a largest deviation calls some of six equal systems different in half of the
    tables with six tasks. Shares show which places are shaky; they prove nothing.
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 10. Two systems, and power

    A paired test uses that both were run on the same tasks. State the effect and its interval,
    not only p.
    """)


@app.cell
def _(board):
    paired = ra.paired_test(board, "Human", "DeBERTa")
    return (paired,)


@app.cell
def _(board):
    apart = ra.inference.separation(board)
    return (apart,)


@app.cell(hide_code=True)
def _(apart, paired):
    _table = apart.to_frame()
    assert paired.lower < 0 < paired.upper
    assert (_table["difference"] < _table["detectable"]).all()
    mo.vstack(
        [
            mo.plain(paired.to_frame().round(2)),
            mo.plain(
                apart.to_frame()[["above", "below", "difference", "detectable", "needed"]].round(2)
            ),
            mo.md(f"""
    Human is {paired.effect:.2f} above DeBERTa, between {paired.lower:.1f} and {paired.upper:.1f}.
    No two neighbors differ by as much as ten tasks can detect. If differences and spreads are
    what they seem, telling the first two apart with 80 % power takes
    {_table["needed"].iloc[0]:.0f} of them. So **ten tasks do not decide the first places**, and few
    leaderboards have more.
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 11. How firm is it?

    Intervals are about *other* tasks. One may also ask of *these*: which of them carry the result?
    """)


@app.cell
def _(board):
    removal = ra.analysis.removal_radius(board, ra.Borda())
    agreement = ra.analysis.task_agreement(board)
    return agreement, removal


@app.cell(hide_code=True)
def _(agreement, board, removal):
    _report = ra.inference.dispersion_report(board.rankings())
    _stable = ra.stability(board, ra.Borda(), sizes=[]).influence()
    assert removal.overtaken.number == 2
    assert (_stable["winner"] == "Human").all()
    assert agreement.to_frame().index[0] == "MultiRC"
    assert "4.222" in str(_report)
    assert ra.Kemeny().aggregate(board).cost == 26
    mo.vstack(
        [
            removal.headline(),
            mo.plain(agreement.to_frame().head(3).round(2)),
            mo.md(r"""
    The number is proved: no single task does it, these two do. MultiRC agrees least with the
    ranking by the other tasks; it may be bad, or measure something else.

    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    How far tasks are from each other is the **dispersion**. Two tasks of this table order 4.2 of
    15 pairs differently on average (28 %), and the Kemeny consensus contradicts a task on 2.6.
    With $U$ the mean distance of two different rankings, for complete strict rankings
    $U/2\le\min_\sigma\frac1m\sum_v d(\sigma,v)\le U\frac{m-1}m$: if tasks disagree, *no*
    consensus is near all of them.

    **A checklist for a leaderboard.** Columns fixed before looking; direction stated; two levels
    or one, and why; what is missing and under which assumption; the unit; intervals for all ranks
    at once; how many tasks carry the first place.
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## To read

    - Colombo, Noiry, Irurozki and Clémençon (2022), What are the best systems? New perspectives
      on NLP benchmarking, [arXiv:2202.03799](https://arxiv.org/abs/2202.03799)
    - Demšar (2006), Statistical comparisons of classifiers over multiple data sets, Journal of
      Machine Learning Research 7
    - Friedman (1937), The use of ranks to avoid the assumption of normality,
      [doi:10.1080/01621459.1937.10503522](https://doi.org/10.1080/01621459.1937.10503522)
    - Himmi, Irurozki, Noiry, Clémençon and Colombo (2023), Towards more robust NLP system
      evaluation: handling missing scores in benchmarks,
      [arXiv:2305.10284](https://arxiv.org/abs/2305.10284)
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    - Hoeffding (1963), Probability inequalities for sums of bounded random variables,
      [doi:10.1080/01621459.1963.10500830](https://doi.org/10.1080/01621459.1963.10500830)
    - Shavrina and Malykh (2021), How not to lie with a benchmark: rearranging NLP leaderboards
    """)


if __name__ == "__main__":
    app.run()
