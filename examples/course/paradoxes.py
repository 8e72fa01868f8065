# /// script
# dependencies = ["rankagg", "marimo"]
#
# [tool.marimo.display]
# theme = "system"
# ///
"""Voting rules and paradoxes: five rules with five winners, cycles, axioms and manipulation."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(
    width="medium",
    app_title="Voting rules and paradoxes",
    layout_file="slides.json",
    css_file="course.css",
)

with app.setup:
    from itertools import permutations, product

    import marimo as mo
    import numpy as np

    import pictures
    import rankagg as ra
    import voting


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # Voting rules and paradoxes

    Lecture 1 of 6.

    **After this lecture you can**

    - run plurality, a second round, instant runoff, Borda, Copeland and Kemeny on the same
      ballots;
    - explain Condorcet winners, losers and cycles, and say how often cycles occur;
    - state what one may ask of a rule (*axioms*), and find the smallest ballots on which a rule
      breaks one;
    - say exactly what the theorems of Arrow and of Gibbard and Satterthwaite exclude.

    `marimo edit paradoxes.py` shows the code of every slide; all of it needs
    `import rankagg as ra`.
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 1. Ballots

    A voter ranks the candidates, best first: that is a **ballot**.
    All ballots together are a **profile**.
    A rule that is **anonymous** does not ask who cast which ballot, so it is enough
    to count how often each ballot was cast.

    Twenty-five voters rank five candidates.
    Every candidate is the favorite of one group of voters.
    """)


@app.cell
def _():
    election = ra.Profile.from_orders(
        ["AEDCB", "BDCEA", "CEDBA", "EDCBA", "DABEC"], counts=[9, 6, 5, 3, 2], items="ABCDE"
    )
    return (election,)


@app.cell(hide_code=True)
def _(election):
    mo.vstack(
        [
            election,
            mo.md(r"""
    Decide for yourself before you go on: who should win?
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 2. First places only

    **Plurality** counts first places, and looks at nothing else.
    A **second round** between the two candidates with the most first places looks a little further.
    """)


@app.cell
def _(election):
    first_round = ra.Plurality().aggregate(election)
    finalists = first_round.order[:2]
    second_round = ra.Plurality().aggregate(election.restrict(finalists))
    both_rounds = f"first round   {' > '.join(first_round.order)}\n"
    both_rounds += f"second round  {' > '.join(second_round.order)}"
    return both_rounds, finalists, first_round, second_round


@app.cell(hide_code=True)
def _(both_rounds, finalists, first_round, second_round):
    assert first_round.order[0] == "A"
    assert finalists == ("A", "B")
    assert second_round.order == ("B", "A")
    assert list(second_round.scores) == [11, 14]
    mo.vstack(
        [
            mo.plain_text(both_rounds),
            mo.md(r"""
    A has the most first places, 9 of 25.
    In the second round B has 14 votes against 11: whoever had ranked C, D or E first now counts for
    A or B.

    **Instant runoff** takes out one candidate at a time: the one with the fewest first places.
    The ballots of that candidate go to the next one on them.
    """),
        ]
    )


@app.cell
def _(election):
    runoff_steps = ra.teaching.show_steps(ra.InstantRunoff(), election)
    return (runoff_steps,)


@app.cell(hide_code=True)
def _(election, runoff_steps):
    assert ra.InstantRunoff().aggregate(election).order[0] == "C"
    mo.vstack(
        [
            mo.plain(runoff_steps[1].to_frame()),
            mo.md(r"""
    The first two of the count, A and B, end up second and third.
    C, third in the count, collects what the others leave behind, and wins.
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 3. All places: Borda

    A **positional** rule gives points for places.
    Plurality gives 1, 0, 0, 0, 0.
    **Borda** (1784) gives $n-1$ points for the first of $n$ places, then one less for each place.
    """)


@app.cell
def _(election):
    borda_steps = ra.teaching.show_steps(ra.Borda(), election)
    return (borda_steps,)


@app.cell(hide_code=True)
def _(borda_steps, election):
    _borda = ra.Borda().aggregate(election)
    assert _borda.order[:2] == ("D", "E")
    assert list(_borda.scores) == [42, 36, 47, 63, 62]
    assert ra.Plurality().aggregate(election).order[-1] == "D"
    mo.vstack(
        [
            mo.plain(borda_steps[1].to_frame()),
            mo.md(r"""
    D wins by Borda with 63 points against 62 of E, and yet has the *fewest* first places.
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 4. Pairs: Condorcet, Copeland, Kemeny

    Condorcet (1785) asked about two candidates at a time.
    Let $w_{ij}$ be the number of ballots that have $i$ above $j$.
    Then $i$ **beats** $j$ if $w_{ij} > w_{ji}$, and the **margin** is $w_{ij} - w_{ji}$.
    """)


@app.cell
def _(election):
    votes = election.pairwise()
    majorities = ra.TournamentGraph(votes)
    winner_loser = [majorities.condorcet_winner, majorities.condorcet_loser]
    return votes, winner_loser


@app.cell(hide_code=True)
def _(election, votes, winner_loser):
    _exact = ra.Kemeny().aggregate(election)
    assert winner_loser == ["E", "A"]
    assert _exact.order == ("E", "D", "C", "B", "A")
    mo.vstack(
        [
            mo.hstack(
                [votes, mo.Html(pictures.majority_graph(votes, _exact.order))],
                widths="equal",
                align="center",
            ),
            mo.md(
                f"Condorcet winner {winner_loser[0]}, Condorcet loser {winner_loser[1]}. Arrows: "
                "who beats whom, and by what margin. In the circles: Kemeny's places."
            ),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    - A **Condorcet winner** beats every other candidate, a **Condorcet loser** loses to every other
      one. Here E beats all, and A, who wins by plurality, loses to all!
    - **Copeland** counts how many others a candidate beats.
    - **Kemeny** (1959) takes a ranking that contradicts as few votes as possible: it minimizes
      $$K(\sigma) = \sum_{i \text{ above } j \text{ in } \sigma} w_{ji}.$$
      Where the majorities order all candidates, as here, that order is the answer.
    """)


@app.cell
def _(election):
    exact = ra.Kemeny().aggregate(election)
    return (exact,)


@app.cell(hide_code=True)
def _(exact, votes):
    _copeland = ra.Copeland().aggregate(votes)
    assert _copeland.order == exact.order
    # Every pair of the optimum is decided by its majority.
    _minorities = np.minimum(votes.wins, votes.wins.T)[np.triu_indices(5, 1)].sum()
    assert exact.cost == exact.certificate.lower_bound == _minorities
    mo.vstack(
        [
            mo.plain_text(f"{' > '.join(exact.order)}\n{exact.certificate}"),
            mo.md(r"""
    The certificate proves that no ranking is cheaper; lecture 3 is about how.
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 5. Five rules, five winners

    Nobody changed a ballot.
    Move the sliders: how few voters does it take to give a rule another winner?
    """)


@app.cell(hide_code=True)
def _():
    sizes = mo.ui.array(
        [
            mo.ui.slider(0, 15, value=value, label=order, show_value=True, full_width=True)
            for order, value in zip(
                (
                    "A > E > D > C > B",
                    "B > D > C > E > A",
                    "C > E > D > B > A",
                    "E > D > C > B > A",
                    "D > A > B > E > C",
                ),
                (9, 6, 5, 3, 2),
                strict=True,
            )
        ]
    )
    return (sizes,)


@app.cell(hide_code=True)
def _(sizes):
    def winners(profile):
        """Return the winners of the five rules, tied ones together."""
        count = ra.Plurality().aggregate(profile)
        second = np.sort(count.scores)[-2]
        finalists = [x for x, n in zip(profile.items, count.scores, strict=True) if n >= second]
        final = ra.Plurality().aggregate(profile.restrict(finalists))
        return {
            "plurality": count.buckets[0],
            "second round": final.buckets[0],
            "instant runoff": ra.InstantRunoff().aggregate(profile).buckets[0],
            "Borda": ra.Borda().aggregate(profile).buckets[0],
            "Kemeny": ra.Kemeny().aggregate(profile).optima.winners(),
        }

    _orders = ("AEDCB", "BDCEA", "CEDBA", "EDCBA", "DABEC")
    _cast = [(order, size) for order, size in zip(_orders, sizes.value, strict=True) if size]
    if _cast:
        _found = winners(
            ra.Profile.from_orders(
                [order for order, _ in _cast], counts=[size for _, size in _cast], items="ABCDE"
            )
        )
        if sizes.value == [9, 6, 5, 3, 2]:
            assert [one for found in _found.values() for one in found] == list("ABCDE")
        _rows = "\n".join(f"| {rule} | {', '.join(found)} |" for rule, found in _found.items())
        _shown = mo.md(f"| rule | wins |\n|---|---|\n{_rows}")
    else:
        _shown = mo.md("Nobody votes: move a slider.")
    mo.hstack([mo.vstack(list(sizes)), _shown], widths=[2, 1], align="center", gap=2)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Malkevitch has used such a profile, with 55 voters, to open courses
    ([Who should win this election](https://www.york.cuny.edu/~malk/courses/elections/election-one.html)).
    The one above was found by drawing profiles until all five winners differed.

    **Plurality can elect the Condorcet loser; Borda cannot.**
    The Borda score of $i$ is the row sum $\sum_j w_{ij}$: each ballot gives one point for each
    candidate below.
    A Condorcet loser has less than half of the votes against each of the others, so less than the
    average of all scores, and somebody else has more.
    (Yet a Condorcet winner need not have the highest score, as E shows.)
    """)


@app.cell(hide_code=True)
def _(election, votes):
    assert (ra.Borda().aggregate(election).scores == votes.wins.sum(axis=1)).all()


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 6. The Condorcet cycle

    Three groups of voters, and three candidates in turn.
    As long as no group has half of all voters, whoever is chosen, a majority prefers somebody else.
    """)


@app.cell(hide_code=True)
def _():
    groups = mo.ui.array(
        [
            mo.ui.slider(0, 60, value=value, label=order, show_value=True, full_width=True)
            for order, value in zip(
                ("A > B > C", "B > C > A", "C > A > B"), (25, 20, 15), strict=True
            )
        ]
    )
    return (groups,)


@app.cell(hide_code=True)
def _(groups):
    _found = voting.rotated(*groups.value)
    _picture = pictures.majority_graph(_found.votes, _found.order) if _found.votes else ""
    mo.hstack(
        [mo.vstack([*groups, mo.md(f"{_found.verdict}\n\n{_found.cost}")]), mo.Html(_picture)],
        widths="equal",
        align="center",
        gap=2,
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Each voter is consistent, and the majority is not.
    This is **Condorcet's paradox**.
    It is no accident of three groups: *every* picture of who beats whom occurs
    (McGarvey 1953). For an arrow from $i$ to $j$ take two voters: $i > j > \text{the rest}$, and
    the rest in reverse $> i > j$. They agree on $i$ and $j$, and cancel on all other pairs.
    """)


@app.cell
def _():
    def two_voters(above, below, items):
        rest = [item for item in items if item not in (above, below)]
        return [(above, below, *rest), (*reversed(rest), above, below)]

    arrows = ["AB", "BC", "CD", "DA", "AC", "BD"]
    mcgarvey = ra.Profile.from_orders(
        [ballot for one, other in arrows for ballot in two_voters(one, other, "ABCD")]
    )
    drawn = ra.TournamentGraph(mcgarvey.pairwise())
    return arrows, drawn


@app.cell(hide_code=True)
def _(drawn):
    drawn


@app.cell(hide_code=True)
def _(arrows, drawn):
    _places = {item: k for k, item in enumerate("ABCD")}
    assert drawn.beats.sum() == len(arrows)
    assert all(drawn.beats[_places[one], _places[other]] for one, other in arrows)
    assert not drawn.is_acyclic
    mo.md(r"""
    ## 7. How often?

    **Impartial culture**: each voter draws one of the 6 rankings, all with the same probability.
    With three voters one can list all $6^3 = 216$ cases.
    """)


@app.cell
def _():
    orders = ["".join(order) for order in permutations("ABC")]
    cyclic = [
        ballots
        for ballots in product(orders, repeat=3)
        if not ra.TournamentGraph(ra.Profile.from_orders(ballots).pairwise()).is_acyclic
    ]
    return (cyclic,)


@app.cell(hide_code=True)
def _(cyclic):
    _limit = ra.studies.cycle_probability(ra.cultures.ImpartialCulture(), 3)
    assert len(cyclic) == 12
    assert np.isclose(
        len(cyclic) / 216, ra.studies.cycle_probability(ra.cultures.ImpartialCulture(), 3, 3)
    )
    assert np.isclose(_limit, 0.25 - 1.5 / np.pi * np.arcsin(1 / 3))
    assert round(100 * _limit, 2) == 8.77
    assert ra.studies.cycle_probability(ra.cultures.AnonymousCulture(), 3) == 1 / 16
    mo.vstack(
        [
            mo.md(r"""
    A cycle occurs in 12 of 216, or 5.6 %.
    With ever more voters the probability tends to
    $$\frac14 - \frac{3}{2\pi} \arcsin \frac13 \approx 8.77\,\%$$
    (Guilbaud 1952). The margins of A over B, B over C and C over A become normal variables with
    correlations $-\frac13$, and a cycle means that all three have the same sign.
    Under the **anonymous culture** all *counts* of the six rankings are equally probable, and the
    limit is $\frac1{16}$ (Gehrlein 2002).
    """),
        ]
    )


@app.cell
def _():
    study = ra.studies.CycleStudy(
        data=[ra.cultures.ImpartialCulture(), ra.cultures.AnonymousCulture()],
        n_rankings=[3, 25],
        n_repetitions=50,
        rng=0,
    ).run()
    counted = study.by_method().reset_index()
    columns = ["model", "n_rankings", "cycle", "cycle_exact", "cycle_low", "cycle_high"]
    return columns, counted


@app.cell(hide_code=True)
def _(columns, counted):
    mo.Html(counted[columns].round(3).to_html(index=False))


@app.cell(hide_code=True)
def _(counted):
    assert (counted["cycle_low"] <= counted["cycle_exact"]).all()
    assert (counted["cycle_exact"] <= counted["cycle_high"]).all()
    mo.md(r"""
    `cycle` counts in 50 drawn profiles, `cycle_exact` is computed, and the last two columns are a
    95 % interval for the probability.

    Real voters are not impartial.
    If candidates stand on a line, and every ballot ranks those on either side of its favorite
    lower the farther away they are, the profile is **single-peaked**, and Black (1948) proved:
    with an odd number of voters there is no cycle, and the favorite of the median voter beats all
    others.
    """)


@app.cell
def _():
    line = ra.cultures.SinglePeakedCulture().sample(7, 101, rng=3)
    axis = ra.analysis.single_peaked_axis(line)
    favorites = sorted(axis.index(ranking.order[0]) for ranking in line)
    median = axis[favorites[50]]
    beats_all = ra.TournamentGraph(line.pairwise()).condorcet_winner
    return axis, beats_all, line, median


@app.cell(hide_code=True)
def _(axis, beats_all, line, median):
    _graph = ra.TournamentGraph(line.pairwise())
    assert _graph.condorcet_winner == median
    assert _graph.is_acyclic
    mo.md(
        f"Drawn at random, 101 such ballots on the line {', '.join(map(str, axis))}: the "
        f"median voter's favorite is {median}, and {beats_all} beats all others."
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 8. Axioms and witnesses

    How to choose a rule?
    Say what a rule must never do: that is an **axiom**.
    A profile on which a rule does it is a **witness**, and one witness settles the matter.
    To keep an axiom is more: it needs a proof for all profiles.

    `find_counterexample` looks through all profiles up to a size, the smallest first.
    Does Borda elect everybody who beats all others?
    """)


@app.cell
def _():
    witness = ra.axioms.find_counterexample(ra.Borda(), "condorcet winner", n_items=3, n_rankings=5)
    return (witness,)


@app.cell(hide_code=True)
def _(witness):
    assert witness.verify()
    assert witness.profile.total_weight == 3
    mo.vstack(
        [
            witness,
            mo.md(r"""
    A tie is enough for a witness.
    Ask for others; "none" means that no profile of three candidates and up to five ballots shows a
    fault (for participation: of up to four candidates and four ballots).
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    RULES = (ra.Plurality(), ra.InstantRunoff(), ra.Borda(), ra.Copeland(), ra.Kemeny())
    ASKED = ["condorcet winner", "condorcet loser", "majority", "pareto", "reinforcement"]
    ASKED += ["clone independence", "later-no-harm", "strategyproofness", "participation"]
    rule_asked = mo.ui.dropdown({rule.name: rule for rule in RULES}, value="Copeland", label="rule")
    axiom_asked = mo.ui.dropdown(ASKED, value="clone independence", label="axiom")
    return axiom_asked, rule_asked


@app.cell(hide_code=True)
def _(axiom_asked, rule_asked):
    _axiom = next(one for one in ra.axioms.AXIOMS if one.name == axiom_asked.value)
    _size = (4, 4) if _axiom.name == "participation" else (3, 5)
    _found = ra.axioms.find_counterexample(
        rule_asked.value, _axiom, n_items=_size[0], n_rankings=_size[1]
    )
    assert _found is None or _found.verify()
    _none = f"None among all profiles of up to {_size[0]} candidates and {_size[1]} ballots."
    mo.vstack(
        [
            mo.hstack([rule_asked, axiom_asked], justify="start", wrap=True),
            mo.md(f"*{_axiom.name}*: {_axiom.definition}"),
            _found or mo.md(_none),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 9. More votes that hurt: monotonicity

    A rule is **monotonic** if a winner who rises on some ballots, all else in place, still wins.
    Instant runoff is not (Smith 1973): support can save the wrong opponent.
    """)


@app.cell
def _():
    before = ra.Profile.from_orders(["ABC", "CAB", "BCA", "BAC"], counts=[6, 5, 4, 2])
    after = ra.Profile.from_orders(["ABC", "CAB", "BCA"], counts=[6 + 2, 5, 4])
    runoffs = [ra.InstantRunoff().aggregate(profile) for profile in (before, after)]
    return after, before, runoffs


@app.cell(hide_code=True)
def _(after, before, runoffs):
    assert [one.order[0] for one in runoffs] == ["A", "C"]
    assert ra.Borda().aggregate(before).order[0] == ra.Borda().aggregate(after).order[0] == "A"
    mo.vstack(
        [
            mo.plain_text(
                f"before  {' > '.join(runoffs[0].order)}\nafter   {' > '.join(runoffs[1].order)}"
            ),
            mo.md(r"""
    Two voters with B > A > C move A up to the first place, and A loses.
    Before, C went out first, and A had 11 against 6 of B.
    After it, B has 4 first places and goes out, and C has 9 against 8 of A.

    Scoring rules are monotonic, and so are Copeland and Kemeny (Felsenthal 2012).
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 10. Better to stay at home: participation

    **Participation**: a voter never gets a worse outcome by voting.
    Fishburn and Brams (1983) called the contrary the **no-show paradox**.
    """)


@app.cell
def _():
    at_home = ra.Profile.from_orders(["ABC", "BAC", "CBA"], counts=[5, 4, 3])
    all_vote = ra.Profile.from_orders(["ABC", "BAC", "CBA"], counts=[5, 4, 3 + 2])
    turnouts = [ra.InstantRunoff().aggregate(profile) for profile in (at_home, all_vote)]
    return (turnouts,)


@app.cell(hide_code=True)
def _(turnouts):
    # The smallest one, as a search through all profiles of up to 4 candidates and 4 ballots finds.
    _missed = ra.axioms.Participation().check(
        ra.Kemeny(), ra.Profile.from_orders(["ABCD", "BCDA", "CDAB"])
    )
    assert [one.order[0] for one in turnouts] == ["B", "A"]
    assert _missed.verify()
    mo.vstack(
        [
            mo.plain_text(
                f"at home   {' > '.join(turnouts[0].order)}\n"
                f"all vote  {' > '.join(turnouts[1].order)}"
            ),
            mo.md(r"""
    Two more voters with C > B > A come, and the winner changes from B, their second, to A, their
    last.

    Moulin (1988) showed that this is the price of a principle. With four candidates or more and
    enough voters, *every* rule that elects one winner, and the Condorcet winner where there is
    one, breaks participation.
    Here is a witness against Kemeny, whose winners may tie: sets of winners are compared by
    Fishburn's extension (`ra.axioms.Participation`).
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    ra.axioms.Participation().check(ra.Kemeny(), ra.Profile.from_orders(["ABCD", "BCDA", "CDAB"]))


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 11. Two districts: reinforcement

    **Reinforcement**: if two electorates have winners in common, these and no others win in both
    together.
    Young (1975): the anonymous and neutral rules that keep it are the scoring rules, and those that
    break ties of one by another.
    So every rule that elects Condorcet winners breaks it, Kemeny's winners included:
    """)


@app.cell
def _():
    parted = ra.axioms.find_counterexample(ra.Kemeny(), "reinforcement", n_items=3, n_rankings=4)
    return (parted,)


@app.cell(hide_code=True)
def _(parted):
    assert parted.verify()
    assert (
        ra.axioms.find_counterexample(
            ra.Kemeny(), "reinforcement of rankings", n_items=3, n_rankings=4
        )
        is None
    )
    parted


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    But ask for *rankings* in place of winners, and Kemeny keeps it: costs of two electorates add
    up, so a ranking that is optimal in both is optimal in the sum, and no other is.
    Young and Levenglick (1978) proved more: Kemeny's rule is the *only* neutral one that
    has this property and agrees with majorities as Condorcet asked.
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 12. Clones and spoilers

    **Clones** are candidates that stand next to each other on every ballot.
    Does it pay to nominate your double?
    """)


@app.cell
def _():
    alone = ra.Profile.from_orders(["AB", "BA"], counts=[3, 2])
    cloned = ra.Profile.from_orders(["ABC", "BCA"], counts=[3, 2])
    scores = [ra.Borda().aggregate(profile) for profile in (alone, cloned)]
    return cloned, scores


@app.cell(hide_code=True)
def _(cloned, scores):
    assert [one.order[0] for one in scores] == ["A", "B"]
    assert ra.InstantRunoff().aggregate(cloned).order[0] == "A"
    assert ra.Kemeny().aggregate(cloned).order[0] == "A"
    mo.vstack(
        [
            mo.plain_text(
                f"alone       {' > '.join(scores[0].order)}\n"
                f"with clone  {' > '.join(scores[1].order)}"
            ),
            mo.md(r"""
    C is a clone of B, a little worse in all eyes, and C makes B win by Borda.
    With plurality clones do the reverse: they share votes, and both lose.
    Instant runoff, Schulze's rule and ranked pairs (nearly, where ties are broken in every way) are
    made to be independent of clones (Tideman 1987, Schulze 2011).
    """),
        ]
    )


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 13. Arrow's theorem

    In both examples somebody who does not win decided who does.
    **Independence of irrelevant alternatives** (IIA): how the outcome orders $x$ and $y$ depends on
    how voters order $x$ and $y$, and on nothing else.
    **Pareto**: if all voters have $x$ above $y$, so has the outcome.

    > **Theorem** (Arrow 1951, in this form 1963). Let there be at least three candidates and
    > finitely many voters, who may have any rankings. A rule that gives a ranking (ties allowed)
    > for every profile, and keeps Pareto and IIA, is a **dictatorship**: there is one voter whose
    > strict preferences the outcome always follows.

    It is about *rankings* as outcomes and *all* profiles; on single-peaked ones the majority is
    fine (section 7).
    Borda, Copeland and Kemeny keep Pareto and have no dictator. So each must break IIA:
    """)


@app.cell
def _():
    iia = "independence of irrelevant alternatives (rankings)"
    three = [ra.Borda(), ra.Copeland(), ra.Kemeny()]
    broken = [ra.axioms.find_counterexample(rule, iia, n_items=3, n_rankings=3) for rule in three]
    return broken, three


@app.cell(hide_code=True)
def _(broken):
    assert all(one.verify() for one in broken)
    broken[0]


@app.cell(hide_code=True)
def _(broken):
    broken[1]


@app.cell(hide_code=True)
def _(broken):
    broken[2]


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 14. Manipulation

    Borda is said to have answered to this that his scheme was for honest men only.
    In our election D wins by Borda with one point ahead of E.
    What can *one* voter do about it?
    """)


@app.cell
def _(election):
    manipulated = ra.axioms.Strategyproofness().check(ra.Borda(), election)
    return (manipulated,)


@app.cell(hide_code=True)
def _(election, manipulated):
    assert manipulated.verify()
    # The same voter does better still with D last and E kept second.
    _changed = ra.Profile.from_orders(
        ["AEDCB", "AEBCD", "BDCEA", "CEDBA", "EDCBA", "DABEC"],
        counts=[8, 1, 6, 5, 3, 2],
        items="ABCDE",
    )
    assert ra.Borda().aggregate(_changed).scores[3:].tolist() == [61, 62]
    assert ra.Borda().aggregate(election).order[0] == "D"
    manipulated


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    One voter with A > E > D > C > B says A > B > E > C > D: D loses two points and E one, which
    makes them level at 61.
    (With D last and E kept second, A > E > B > C > D, the same voter makes E win alone, 62 to 61.)

    > **Theorem** (Gibbard 1973, Satterthwaite 1975). Let there be at least three candidates, each
    > of whom wins on some profile. A rule that elects exactly one winner on every profile, and on
    > which no voter ever gains by a false ballot, is a dictatorship.

    It says that *some* profile can be manipulated, not that most can, or that it is easy to see.
    The app `manipulate.py` lets you try all 24 ballots of one voter.
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 15. The table

    Five rules against the axioms.
    A cross is a witness, the number of ballots of the smallest; "yes" is proved in the literature;
    a blank says that no profile of up to three candidates and four ballots breaks it.
    """)


@app.cell
def _(three):
    rules = [ra.Plurality(), ra.InstantRunoff(), *three]
    asked = [axiom for axiom in ra.axioms.AXIOMS if axiom.name != "group strategyproofness"]
    table = ra.axioms.axiom_table(rules, asked, n_items=3, n_rankings=4)
    return asked, rules, table


@app.cell(hide_code=True)
def _(asked, rules, table):
    def _cell(rule, axiom):
        found = table[rule.name, axiom]
        if found is not None:
            assert found.verify()
            return f"✗ {found.profile.total_weight:g}"
        return {True: "yes", False: "no (cited)"}.get(_proved.get((rule.name, axiom)), "")

    _frame = table.to_frame()
    _proved = {
        (row.rule, row.axiom): row.proved == "keeps"
        for row in _frame.itertuples()
        if isinstance(row.proved, str)
    }
    _head = "| axiom | " + " | ".join(rule.name for rule in rules) + " |\n|" + "---|" * 6
    _rows = [
        f"| {axiom.name} | " + " | ".join(_cell(rule, axiom.name) for rule in rules) + " |"
        for axiom in asked
    ]
    mo.md("\n".join([_head, *_rows]))


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    `print(table)` lists the witnesses and the sources.
    No column is without crosses: that is what the theorems say.

    Read the small print, too.
    A blank is no praise: instant runoff breaks participation (section 10) with more ballots,
    Copeland and Kemeny do with four candidates.
    And the witness against instant runoff and clones lives on a tie, in which clones go out
    together; where ties are followed both ways, `ra.InstantRunoff(tie_breaking="parallel")`, there
    is none.
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## To read

    - Arrow (1951, second edition 1963), *Social Choice and Individual Values*.
    - Black (1948), On the rationale of group decision-making,
      [doi:10.1086/256633](https://doi.org/10.1086/256633).
    - Felsenthal (2012), Review of paradoxes afflicting procedures for electing a single candidate,
      [doi:10.1007/978-3-642-20441-8_3](https://doi.org/10.1007/978-3-642-20441-8_3).
    - Fishburn and Brams (1983), Paradoxes of preferential voting,
      [doi:10.2307/2689808](https://doi.org/10.2307/2689808).
    - Gehrlein (2002), Condorcet's paradox and the likelihood of its occurrence,
      [doi:10.1023/A:1015551010381](https://doi.org/10.1023/A:1015551010381).
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    - Gibbard (1973), Manipulation of voting schemes,
      [doi:10.2307/1914083](https://doi.org/10.2307/1914083).
    - Guilbaud (1952), Les théories de l'intérêt général et le problème logique de l'agrégation,
      [doi:10.3406/ecoap.1952.3831](https://doi.org/10.3406/ecoap.1952.3831).
    - McGarvey (1953), A theorem on the construction of voting paradoxes,
      [doi:10.2307/1907926](https://doi.org/10.2307/1907926).
    - Moulin (1988), Condorcet's principle implies the no show paradox,
      [doi:10.1016/0022-0531(88)90253-0](https://doi.org/10.1016/0022-0531%2888%2990253-0).
    - Satterthwaite (1975), Strategy-proofness and Arrow's conditions,
      [doi:10.1016/0022-0531(75)90050-2](https://doi.org/10.1016/0022-0531%2875%2990050-2).
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    - Schulze (2011), A new monotonic, clone-independent, reversal symmetric, and
      Condorcet-consistent single-winner election method,
      [doi:10.1007/s00355-010-0475-4](https://doi.org/10.1007/s00355-010-0475-4).
    - Smith (1973), Aggregation of preferences with variable electorate,
      [doi:10.2307/1914033](https://doi.org/10.2307/1914033).
    - Tideman (1987), Independence of clones as a criterion for voting rules,
      [doi:10.1007/BF00433944](https://doi.org/10.1007/BF00433944).
    - Young (1975), Social choice scoring functions,
      [doi:10.1137/0128067](https://doi.org/10.1137/0128067).
    - Young and Levenglick (1978), A consistent extension of Condorcet's election principle,
      [doi:10.1137/0135023](https://doi.org/10.1137/0135023).

    `ra.axioms.find_counterexample` is described in the how-to *See which axioms a rule breaks*.
    """)


if __name__ == "__main__":
    app.run()
