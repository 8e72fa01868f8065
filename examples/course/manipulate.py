# /// script
# dependencies = ["rankagg", "marimo"]
#
# [tool.marimo.display]
# theme = "system"
# ///
"""Manipulate me: one voter tries every ballot against every rule."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="full", css_file="course.css", app_title="Manipulate me")

with app.setup:
    import marimo as mo

    import page
    import pictures
    import rankagg as ra
    import voting

    NAMES = (
        "Borda Plurality Veto Dowdall InstantRunoff Coombs Baldwin Nanson Black Copeland Minimax "
        "Schulze RankedPairs Kemeny"
    )
    RULES = {name: getattr(ra, name) for name in NAMES.split()}
    HONEST = ("A", "B", "C", "D")


@app.cell
def _():
    mo.Html(
        page.heading(
            "Manipulate me", "You think A > B > C > D. Is that the ballot that serves you best?"
        )
    )


@app.cell
def _():
    rule = mo.ui.dropdown(RULES.keys(), value="Borda", label="Rule")
    ballot = mo.ui.dropdown(
        [" > ".join(order) for order in pictures.all_orders(HONEST)],
        value=" > ".join(HONEST),
        label="Your ballot",
    )
    others = mo.ui.slider(1, 40, value=33, label="Draw no.", show_value=True)
    mo.hstack([rule, ballot, others], justify="start", align="end", gap=1.5, wrap=True)
    return ballot, others, rule


@app.cell
def _(others, rule):
    profile = voting.electorate(others.value)
    results = voting.results_of_ballots(profile, HONEST, RULES[rule.value]())
    return profile, results


@app.cell
def _(ballot, profile, results, rule):
    chosen = tuple(ballot.value.split(" > "))
    mo.Html(
        page.prose(*voting.outcome(results, chosen, rule.value))
        + page.two_columns(voting.listed_ballots(profile), ("Others", "and their ballots"), 25)
    )
    return (chosen,)


@app.cell
def _(chosen, results):
    mo.Html(
        page.figure(
            pictures.permutohedron(HONEST, voting.vertices(results, chosen)),
            "Ballots in rows, by the number of swaps from the honest one. Large: better for you; "
            "small: worse; the ring: your ballot. Where several are first, their "
            "average place in your opinion counts, as if one were drawn at random.",
        )
    )


if __name__ == "__main__":
    app.run()
