# /// script
# dependencies = ["rankagg", "marimo"]
#
# [tool.marimo.display]
# theme = "system"
# ///
"""Questions: a small random profile, and one right answer."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", css_file="course.css", app_title="Questions")

with app.setup:
    import marimo as mo

    import quizzes


@app.cell
def _():
    topic = mo.ui.dropdown(quizzes.TOPICS.keys(), value="kemeny", label="Topic")
    number = mo.ui.number(0, 999_999, value=1, label="Number of the question")
    answer = mo.ui.text(label="Your answer", placeholder="such as BCA")
    return answer, number, topic


@app.cell
def _(answer, number, topic):
    asked = quizzes.quiz(topic.value, rng=int(number.value))
    verdict = ""
    try:
        if answer.value:
            verdict = "**Right.**" if asked.check(answer.value) else "**Wrong.**"
    except ValueError as error:
        verdict = str(error)
    mo.vstack(
        [
            mo.md("# Questions"),
            mo.hstack([topic, number], justify="start", wrap=True),
            mo.as_html(asked),
            answer,
            mo.md(verdict),
        ]
    )


if __name__ == "__main__":
    app.run()
