# /// script
# dependencies = ["rankagg", "marimo"]
#
# [tool.marimo.display]
# theme = "system"
# ///
"""Exercises to the lecture paradoxes: voting rules and paradoxes."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(
    width="medium",
    app_title="Exercises: Voting rules and paradoxes",
    css_file="course.css",
)

with app.setup:
    from itertools import permutations, product

    import marimo as mo
    import numpy as np
    from scipy.optimize import linprog

    import page
    import quizzes
    import rankagg as ra

    ELECTION = ra.Profile.from_orders(
        ["AEDCB", "BDCEA", "CEDBA", "EDCBA", "DABEC"], counts=[9, 6, 5, 3, 2], items="ABCDE"
    )


@app.cell(hide_code=True)
def _():
    solutions = mo.ui.dropdown(page.SOLUTIONS, value="folded", label="Solutions")
    return (solutions,)


@app.cell(hide_code=True)
def _(solutions):
    mo.vstack([mo.md("# Exercises: Voting rules and paradoxes"), solutions])


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **1. Warm up.** Take a topic and a number, answer on paper, and unfold the solution.
    """)


@app.cell(hide_code=True)
def _():
    _parallel = ra.InstantRunoff(tie_breaking="parallel")
    assert (
        ra.axioms.find_counterexample(_parallel, "clone independence", n_items=3, n_rankings=4)
        is None
    )


@app.cell(hide_code=True)
def _():
    topic = mo.ui.dropdown(
        ["borda", "condorcet winner", "copeland", "cycle", "kemeny"],
        value="condorcet winner",
        label="topic",
    )
    number = mo.ui.number(0, 999, value=3, label="number")
    mo.hstack([topic, number], justify="start", wrap=True)
    return number, topic


@app.cell(hide_code=True)
def _(number, topic):
    mo.as_html(quizzes.quiz(topic.value, rng=int(number.value)))


@app.cell(hide_code=True)
def _():
    # Weights of places that never rise; the sum of points of one candidate less any other's.
    _ranks = np.array([[row.order.index(x) for x in "ABCDE"] for row in ELECTION])
    _counts = np.zeros((5, 5))
    for _row, _number in zip(_ranks, ELECTION.counts, strict=True):
        for _item, _rank in enumerate(_row):
            _counts[_item, _rank] += _number
    _lines = []
    for _item, _name in enumerate("ABCDE"):
        _others = [k for k in range(5) if k != _item]
        # Weights fall: w[k+1] <= w[k]; the least lead t is made as large as possible.
        _lead = np.hstack([_counts[_others] - _counts[_item], np.ones((4, 1))])
        _fall = np.hstack([np.eye(5)[1:] - np.eye(5)[:-1], np.zeros((4, 1))])
        _best = linprog(
            [0] * 5 + [-1],
            A_ub=np.vstack([_lead, _fall]),
            b_ub=np.zeros(8),
            bounds=[(1, 1), (0, 1), (0, 1), (0, 1), (0, 0), (None, None)],
        )
        assert _best.success
        if _best.x[5] > 1e-9:
            _weights = [round(float(w), 3) for w in _best.x[:5]]
            _winner = ra.Positional(_best.x[:5].tolist()).aggregate(ELECTION).buckets[0]
            assert _winner == (_name,)
            _lines.append(f"- {_name} wins with weights {_weights}, by {_best.x[5]:.2f} points;")
        else:
            _lines.append(
                f"- {_name} wins alone with no weights: its best lead is {_best.x[5]:.2f};"
            )
    weights_solution = "\n".join(_lines)
    return (weights_solution,)


@app.cell(hide_code=True)
def _(solutions, weights_solution):
    mo.vstack(
        [
            mo.md(r"""
    **2. Points to order.** A positional rule has weights $1 = w_1 \ge w_2 \ge \dots \ge w_5 = 0$.
    Which of the five candidates of section 1 can win alone by a suitable choice of weights?
    (A linear program for each candidate; `ra.Positional` checks it.)
    """),
            page.solution(
                mo.md(
                    "The lead over the best of the others is linear in the weights once it is "
                    "asked for each of them, so maximize a lower bound of all leads:\n\n"
                    + weights_solution
                ),
                solutions.value,
            ),
        ]
    )


@app.cell(hide_code=True)
def _(solutions):
    _others = [ra.Coombs(), ra.Nanson(), ra.Black(), ra.Bucklin(), ra.Schulze(), ra.Veto()]
    _rows = "\n".join(
        f"| {rule.name} | {', '.join(rule.aggregate(ELECTION).buckets[0])} |" for rule in _others
    )
    assert ra.Nanson().aggregate(ELECTION).order[0] == "E"
    mo.vstack(
        [
            mo.md(r"""
    **3. More rules.** Who wins the election by Coombs, Nanson, Black, Bucklin, Schulze and veto?
    For which of them could you say so without counting?
    """),
            page.solution(
                mo.md(
                    f"| rule | wins |\n|---|---|\n{_rows}\n\nNanson, Black and Schulze elect "
                    "every Condorcet winner, so E. The others have to be counted."
                ),
                solutions.value,
            ),
        ]
    )


@app.cell(hide_code=True)
def _(solutions):
    def _loser_wins(a, b, c):
        profile = ra.Profile.from_orders(["ABC", "BCA", "CBA"], counts=[a, b, c])
        loser = ra.TournamentGraph(profile.pairwise()).condorcet_loser
        return loser == "A" and ra.Plurality().aggregate(profile).buckets[0] == ("A",)

    _found = min(
        (counts for counts in product(range(1, 6), repeat=3) if _loser_wins(*counts)), key=sum
    )
    assert _found == (3, 2, 2)
    _runoff = ra.InstantRunoff(tie_breaking="parallel")
    assert (
        ra.axioms.find_counterexample(_runoff, "condorcet loser", n_items=3, n_rankings=7) is None
    )
    mo.vstack(
        [
            mo.md(r"""
    **4. The worst winner.** Find the smallest electorate of the kinds A > B > C, B > C > A and
    C > B > A in which plurality elects a Condorcet loser alone.
    Show that instant runoff never does, if ties are broken somehow.
    """),
            page.solution(
                mo.md(
                    f"Groups of {_found[0]}, {_found[1]} and {_found[2]}. A must have more "
                    "first places than B and than C, and less than half of all: with a = 2 the "
                    "others have at most 1 each, which is no majority.\n\nThe last round of "
                    "instant runoff is between two candidates, and the Condorcet loser loses "
                    "it whoever the other one is."
                ),
                solutions.value,
            ),
        ]
    )


@app.cell(hide_code=True)
def _(solutions):
    _kinds = ["".join(order) for order in permutations("ABC")]
    _situations = [counts for counts in product(range(4), repeat=6) if sum(counts) == 3]
    _cyclic = [
        counts
        for counts in _situations
        if not ra.TournamentGraph(
            ra.Profile.from_orders(
                [one for one, count in zip(_kinds, counts, strict=True) for _ in range(count)]
            ).pairwise()
        ).is_acyclic
    ]
    assert np.isclose(
        len(_cyclic) / len(_situations),
        ra.studies.cycle_probability(ra.cultures.AnonymousCulture(), 3, 3),
    )
    assert len(_cyclic) * 6 == 12
    mo.vstack(
        [
            mo.md(r"""
    **5. Anonymous voters.** Three voters, three candidates.
    How probable is a cycle if all counts of the six rankings are equally probable?
    Why is that less than $12/216$?
    """),
            page.solution(
                mo.md(
                    f"{len(_cyclic)} of {len(_situations)}, or "
                    f"{len(_cyclic) / len(_situations):.3f}. Each of the two cyclic counts has "
                    "three different ballots, which can be cast in 3! = 6 ways: 12 of 216. "
                    "Counts with equal ballots come about in fewer ways, so the anonymous "
                    "culture gives them more weight."
                ),
                solutions.value,
            ),
        ]
    )


@app.cell(hide_code=True)
def _(solutions):
    _cities = ra.datasets.load("tennessee")
    _counts = {row.order: int(count) for row, count in zip(_cities, _cities.counts, strict=True)}
    _kinds = []
    for _order, _count in _counts.items():
        if _order[0] == "Memphis":
            _kinds.append((("Memphis", "Memphis II", *_order[1:]), 22))
            _kinds.append((("Memphis II", "Memphis", *_order[1:]), _count - 22))
        else:
            assert _order[-1] == "Memphis"
            _kinds.append(((*_order, "Memphis II"), _count))
    _cloned = ra.Profile.from_orders(
        [order for order, _ in _kinds], counts=[count for _, count in _kinds]
    )
    _halves = [21 if "Memphis" in order[0] else count for order, count in _kinds]
    _asked = [ra.Plurality(), ra.InstantRunoff(), ra.Borda(), ra.Copeland(), ra.Kemeny()]
    _pairs = {
        rule.name: [rule.aggregate(one).buckets[0] for one in (_cities, _cloned)] for rule in _asked
    }
    assert _pairs["Plurality"] == [("Memphis",), ("Nashville",)]
    assert all(one == two for name, (one, two) in _pairs.items() if name != "Plurality")
    _even = ra.Profile.from_orders([order for order, _ in _kinds], counts=_halves)
    assert ra.InstantRunoff().aggregate(_even).buckets[0] == ("Nashville",)
    _rows = "\n".join(
        f"| {name} | {', '.join(one)} | {', '.join(two)} |" for name, (one, two) in _pairs.items()
    )
    mo.vstack(
        [
            mo.md(r"""
    **6. A second Memphis.** In `ra.datasets.load("tennessee")` a hundred voters choose a capital.
    A suburb, Memphis II, stands too: 20 of the 42 voters of Memphis rank it first, and everybody
    has the two next to each other.
    Under which of the five rules does the winner change?
    """),
            page.solution(
                mo.md(
                    f"| rule | without | with the clone |\n|---|---|---|\n{_rows}\n\n"
                    "Instant runoff keeps its winner as long as one clone goes out at a time. "
                    "With 21 voters each they tie, go out together, and Nashville wins: how "
                    "ties are broken is part of a rule."
                ),
                solutions.value,
            ),
        ]
    )


@app.cell(hide_code=True)
def _(solutions):
    assert all(
        ra.axioms.find_counterexample(rule, axiom, n_items=3, n_rankings=3) is None
        for rule in (ra.Borda(), ra.Veto())
        for axiom in ("monotonicity", "participation", "reinforcement")
    )
    mo.vstack(
        [
            mo.md(r"""
    **7. A proof.** Show that a positional rule with weights $w_1 \ge \dots \ge w_n$ is monotonic
    and keeps reinforcement.
    """),
            page.solution(
                mo.md(
                    "A winner who rises gets no fewer points, and whoever is passed gets no "
                    "more; all else stays. So the winner's lead over each of the others does "
                    "not shrink.\n\n"
                    "Points of two electorates add up. If $x$ has the most points in both, "
                    "then in the sum nobody has more than $x$, and whoever has as many must "
                    "have as many in both."
                ),
                solutions.value,
            ),
        ]
    )


if __name__ == "__main__":
    app.run()
