# /// script
# dependencies = ["rankagg", "marimo"]
#
# [tool.marimo.display]
# theme = "system"
# ///
"""Mallows and Plackett-Luce: slide the parameter, and see all rankings."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="full", css_file="course.css", app_title="Mallows and Plackett-Luce")

with app.setup:
    import marimo as mo

    import chances
    import page
    import pictures


@app.cell
def _():
    mo.Html(
        page.heading(
            "Mallows and Plackett-Luce",
            "How probable is each ranking? The area of its circle says it.",
        )
    )


@app.cell
def _():
    model = mo.ui.dropdown(["Mallows", "Plackett-Luce"], value="Mallows", label="Model")
    n_items = mo.ui.dropdown({"3": 3, "4": 4}, value="4", label="Items")
    strength = mo.ui.slider(0, 3, step=0.1, value=0.7, label="Agreement (theta)", show_value=True)
    mo.hstack([model, n_items, strength], justify="start", align="end", gap=1.5, wrap=True)
    return model, n_items, strength


@app.cell
def _(model, n_items, strength):
    center = "ABCD"[: n_items.value]
    drawn = chances.make_model(model.value, center, strength.value)
    mo.Html(page.prose(*chances.model_told(drawn, center)))
    return center, drawn


@app.cell
def _(center, drawn):
    _picture = pictures.permutohedron(center, chances.vertices(drawn, center))
    mo.Html(
        page.figure(
            _picture,
            "All rankings, in rows by the number of swaps from the top; a line is one swap of "
            "neighbors.",
        )
    )


if __name__ == "__main__":
    app.run()
