# /// script
# dependencies = ["rankagg", "marimo"]
#
# [tool.marimo.display]
# theme = "system"
# ///
"""How sure is a leaderboard: draw its tasks again, and watch ranks and intervals."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="full", css_file="course.css", app_title="How sure is a leaderboard")

with app.setup:
    import marimo as mo

    import chances
    import page

    BOARDS = {
        "SuperGLUE, 10 tasks": "superglue_human",
        "GLUE, 10 tasks": "glue_human",
        "SuperGLUE, 13 metrics": "superglue_metrics",
    }


@app.cell
def _():
    mo.Html(
        page.heading(
            "How sure is a leaderboard?",
            "Its tasks could have been others. Draw tasks again, and see which ranks stay.",
        )
    )


@app.cell
def _():
    name = mo.ui.dropdown(BOARDS.keys(), value=next(iter(BOARDS)), label="Leaderboard")
    n_tasks = mo.ui.slider(
        steps=[5, 10, 20, 40, 80, 160], value=10, label="Tasks in a draw", show_value=True
    )
    draw = mo.ui.slider(1, 50, value=1, label="Draw", show_value=True)
    mo.hstack([name, n_tasks, draw], justify="start", align="end", gap=1.5, wrap=True)
    return draw, n_tasks, name


@app.cell
def _(n_tasks, name):
    profile = chances.board(BOARDS[name.value])
    truth = chances.true_ranks(profile)
    shares = chances.shares_of_ranks(profile, n_tasks.value)
    return profile, shares, truth


@app.cell
def _(draw, n_tasks, profile, shares, truth):
    one = chances.draw_tasks(profile, n_tasks.value, draw.value)
    mo.Html(page.prose(chances.draw_told(profile, truth, one, shares)))
    return (one,)


@app.cell
def _(one, profile, shares, truth):
    mo.Html(
        page.figure(
            chances.ranks_chart(profile, truth, one, shares),
            "Rows: items as all tasks rank them by Borda. Squares: how often an item takes a rank. "
            "Dot and line: its rank in this draw, and the 95 % interval that this draw gives.",
        )
    )


if __name__ == "__main__":
    app.run()
