# /// script
# dependencies = ["rankagg", "marimo"]
#
# [tool.marimo.display]
# theme = "system"
# ///
"""The Condorcet cycle: three groups of voters, and majorities that form a cycle."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="full", css_file="course.css", app_title="Condorcet cycle")

with app.setup:
    import marimo as mo

    import page
    import pictures
    import voting


@app.cell
def _():
    mo.Html(
        page.heading(
            "The Condorcet cycle",
            "Three groups of voters, three candidates. When is there no best one?",
        )
    )


@app.cell
def _():
    sizes = mo.ui.array(
        [
            mo.ui.slider(0, 60, value=value, label=order, show_value=True, full_width=True)
            for order, value in zip(
                ("A > B > C", "B > C > A", "C > A > B"), (25, 20, 15), strict=True
            )
        ]
    )
    mo.vstack(list(sizes))
    return (sizes,)


@app.cell
def _(sizes):
    found = voting.rotated(*sizes.value)
    mo.Html(page.prose(found.verdict, found.cost))
    return (found,)


@app.cell
def _(found):
    _picture = pictures.majority_graph(found.votes, found.order) if found.votes else ""
    mo.Html(page.figure(_picture, pictures.GRAPH_CAPTION if _picture else ""))


if __name__ == "__main__":
    app.run()
