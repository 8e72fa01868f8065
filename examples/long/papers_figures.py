"""Figures of what three papers conclude, from papers.csv and removal.csv.

python examples/long/papers_figures.py
"""

from hashlib import sha256
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.ticker import MaxNLocator

from rankagg import plotting

HERE = Path(__file__).parent
SOURCES = [HERE / "papers.csv", HERE / "removal.csv"]
# Color tells the rule, and so does the marker; one color is one rule in all figures.
LOOKS = {
    "mean": ("#D55E00", "s"),
    "Borda": ("#0072B2", "o"),
    "exact": ("#009E73", "^"),
    "Borda, two levels": ("#0072B2", "o"),
    "exact, two levels": ("#009E73", "^"),
}
BOARDS = ["XTREME", "SuperGLUE", "GLUE, first 40", "GEM"]
PLAIN, LOW_FIRST = "completely at random", "low scores first, strength = 5"


def panels(titles, x, y):
    """Return the axes of panels side by side, with one scale."""
    size = (2.1 * len(titles) + 0.4, 2.5)
    figure, row = plt.subplots(1, len(titles), figsize=size, sharey=True, layout="constrained")
    for axes, title in zip(row, titles, strict=True):
        axes.set_title(title, loc="left")
        axes.grid(color="#e4e4e4", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_xlabel(x)
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=x.startswith("tasks")))
    row[0].set_ylabel(y)
    return figure, row


def lines(axes, frame, style=None, suffix=""):
    """Draw a line for every method; two levels, or what is asked for, are dashed."""
    for method, part in frame.groupby("method", sort=False):
        color, marker = LOOKS[method]
        dashes = style or ("--" if "two" in method else "-")
        open_marker = {"markerfacecolor": "white"} if dashes == "--" else {}
        axes.plot(
            part["x"], part["value"], dashes, color=color, marker=marker, markersize=3.5,
            linewidth=1.2, label=method + suffix, **open_marker,
        )  # fmt: skip


def with_legend(figure, axes):
    """Return a figure with its legend below."""
    handles, labels = axes.get_legend_handles_labels()
    place = {"loc": "outside lower center", "ncols": 3 if len(labels) == 6 else len(labels)}
    figure.legend(handles, labels, frameon=False, **place)
    return figure


def draws(found):
    """Draw errors on the first paper's scores, by how many tasks are turned round."""
    found = found[(found["part"] == "corruption") & (found["case"] == "adversarial")]
    groups = dict(list(found.groupby("table", sort=False)))
    titles = [f"φ = {name.rpartition(' ')[2]}" for name in groups]
    figure, row = panels(titles, "tasks turned round, of 20", "distance to the truth")
    for axes, part in zip(row, groups.values(), strict=True):
        axes.axhline(0.75, color="#9a9a9a", linewidth=0.8)
        axes.axvline(10, color="#9a9a9a", linewidth=0.8, linestyle=":")
        lines(axes, part)
    return with_legend(figure, row[0])


def reversed_tasks(found):
    """Draw how far rules are led astray where tasks of leaderboards are reversed."""
    found = found[(found["part"] == "corruption") & (found["case"] == "reversed")]
    figure, row = panels(BOARDS, "tasks reversed", "distance to itself before")
    for axes, title in zip(row, BOARDS, strict=True):
        lines(axes, found[found["table"] == title])
    return with_legend(figure, row[0])


def missing(found, boards):
    """Draw how near rankings of incomplete scores are to those of all, by what goes."""
    names = {"Mean": "mean", "Borda, uniform": "Borda", "Kemeny(time_limit=10), uniform": "exact"}
    boards = boards[boards["method"].isin(list(names))].replace({"method": names})
    boards = boards.rename(
        columns={"model": "table", "removal": "case", "proportion": "x", "mean_tau": "value"}
    )
    gem = found[(found["part"] == "missing") & (found["table"] == "GEM")]
    both = pd.concat([boards, gem])
    titles = list(both["table"].unique())
    figure, row = panels(titles, "proportion missing", "tau with all scores")
    for axes, title in zip(row, titles, strict=True):
        for case, style, suffix in ((PLAIN, "-", ", at random"), (LOW_FIRST, "--", ", low first")):
            lines(axes, both[(both["table"] == title) & (both["case"] == case)], style, suffix)
    return with_legend(figure, row[0])


def subsets(found):
    """Draw how much nearer than the mean rules are to themselves on some of the tasks."""
    found = found[found["part"] == "subsets"]
    lead = found.pivot(index=["table", "x"], columns="method", values="value")
    lead = lead.sub(lead["mean"], axis=0)[["Borda", "exact"]]
    figure, row = panels(BOARDS, "tasks that are kept", "tau with all, less the mean's")
    for axes, title in zip(row, BOARDS, strict=True):
        axes.axhline(0, color=LOOKS["mean"][0], linewidth=1.2, label="mean")
        part = lead.loc[title].melt(ignore_index=False, value_name="value").reset_index()
        lines(axes, part)
    return with_legend(figure, row[0])


def draw_all():
    """Return the figures by name."""
    found, boards = map(pd.read_csv, SOURCES)
    return {
        "draws": draws(found),
        "reversed": reversed_tasks(found),
        "missing": missing(found, boards),
        "subsets": subsets(found),
    }


def drawn_from():
    """Return a digest of the numbers in each figure."""
    return sha256(b"".join(path.read_bytes() for path in SOURCES)).hexdigest()


if __name__ == "__main__":
    # The same numbers give the same bytes.
    with plotting.style("paper"), mpl.rc_context({"svg.hashsalt": "papers"}):
        for name, figure in draw_all().items():
            figure.savefig(
                HERE / f"papers_{name}.svg", metadata={"Date": None, "Description": drawn_from()}
            )
