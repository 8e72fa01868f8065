# /// script
# dependencies = ["rankagg", "marimo"]
#
# [tool.marimo.display]
# theme = "system"
# ///
"""The voting laboratory: edit ballots, and see at once what every rule makes of them."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="full", css_file="course.css", app_title="Voting laboratory")

with app.setup:
    import io

    import marimo as mo

    import page
    import pictures
    import rankagg as ra
    import voting
    from rankagg.exceptions import RankaggError

    EXAMPLES = {
        "Capital of Tennessee": "tennessee",
        "Borda passes over a majority winner": "borda_fails_condorcet",
        "Condorcet's example of 1785": "condorcet_1785",
        "A cycle of three": "three_cycle",
        "Tasks that vote on language models": "superglue_human",
    }
    VIEWS = ["majorities", "every rule", "why they differ"]


@app.function
def text_of(example, uploaded=None):
    """Return the ballots to begin with: of a PrefLib file where there is one, or an example."""
    if uploaded is not None:
        source = io.StringIO(uploaded.decode("utf-8-sig"))
        return voting.ballots_as_text(ra.read_preflib(source))
    data = ra.datasets.load(EXAMPLES[example])
    profile = data.rankings() if isinstance(data, ra.ScoreTable) else data
    return voting.ballots_as_text(profile.compress())


@app.cell
def _():
    mo.Html(
        page.heading(
            "The voting laboratory",
            "Change a ballot or a number of voters. What changes, and for which rule?",
        )
    )


@app.cell
def _():
    example = mo.ui.dropdown(EXAMPLES.keys(), value=next(iter(EXAMPLES)), label="Example")
    file = mo.ui.file(
        [".soc", ".soi", ".toc", ".toi"], label="or a PrefLib file", max_size=1_000_000
    )
    view = mo.ui.dropdown(VIEWS, value=VIEWS[0], label="Show")
    mo.hstack([example, view, file], justify="start", align="end", gap=1, wrap=True)
    return example, file, view


@app.cell
def _(example, file):
    try:
        start, _problem = text_of(example.value, file.contents()), None
    except (RankaggError, UnicodeDecodeError) as error:
        start, _problem = "", mo.Html(page.refusal(error))
    text = mo.ui.text_area(
        start,
        label="Ballots, one a line, such as 42: A > B = C",
        rows=min(max(start.count("\n") + 2, 5), 12),
        debounce=250,
        full_width=True,
    )
    mo.vstack([_problem, text]) if _problem else text
    return (text,)


@app.cell
def _(text):
    try:
        profile = voting.profile_of_text(text.value)
        found, _problem = voting.disagreement(profile), None
    except RankaggError as error:
        profile = found = None
        _problem = mo.Html(page.refusal(error))
    mo.stop(_problem is not None, _problem)
    mo.Html(page.prose(found.verdict, found.votes))
    return found, profile


@app.cell
def _(found, profile, view):
    if view.value == "every rule":
        _shown = page.two_columns(voting.outcomes(profile), ("Outcome", "Rules"), 45)
    elif view.value == "why they differ":
        _title = "Why, on the first pair on which Borda and Kemeny differ"
        _shown = page.reasons(_title, found.reasons)
    else:
        _shown = pictures.majority_graph(profile.pairwise(), found.kemeny)
    _caption = pictures.GRAPH_CAPTION if view.value == VIEWS[0] else ""
    mo.Html(page.figure(_shown, _caption))


if __name__ == "__main__":
    app.run()
