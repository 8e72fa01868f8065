"""How many of the first items of the exact consensus every method has among its own."""

from __future__ import annotations

from typing import Final

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rankagg.analysis.comparison.comparison import Comparison
from rankagg.core.items import counted
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.style.layout import GRID, rank_ticks, widest, write_below
from rankagg.plotting.style.theme import ACCENTS, GRAY, LINES, MARKERS, canvas, plot_labels

__all__ = ["overlap_plot"]

# Curves of so many points have a marker at each.
MARKED: Final = 12
WIDTH, HEIGHT = 34.0, 25.0


def overlap_plot(comparison: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw for every k how many of the exact consensus's first k each method has among its own.

    A dotted line shows what a ranking drawn at random has. Methods with the same curve share a
    line.

    Parameters
    ----------
    comparison : Comparison
        The consensuses, an exact one among them.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If no exact rule is among the methods.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> comparison = ra.compare(ra.datasets.load("superglue_human"))
    >>> ax = plotting.overlap_plot(comparison)
    >>> [text.get_text().split() for text in ax.get_legend().get_texts()]
    [['Copeland', 'Kemeny'], ['Mean', 'Borda'], ['at', 'random']]
    """
    if not isinstance(comparison, Comparison):
        raise InvalidInputError(
            "comparison", "a Comparison", comparison, "`rankagg.compare` makes one."
        )
    curves = comparison.overlap_curves()
    exact = comparison.exact
    assert exact is not None, "curves need an exact consensus"
    groups = _alike(curves)
    names = dict(zip(curves.columns, plot_labels(curves.columns, 24), strict=True))
    new = ax is None
    ax = canvas(ax, WIDTH + widest(names.values()) + 6, HEIGHT)
    handles = [
        _curve(ax, curves[group[0]], (number, len(groups)), "\n".join(names[m] for m in group))
        for number, group in enumerate(groups)
    ]
    total = comparison.votes.n_items
    if len(curves) == total:
        (line,) = ax.plot(
            curves.index, curves.index / total, color=GRAY, linestyle=":", zorder=1,
            label="at random", gid="random",
        )  # fmt: skip
        handles.append(line)
    _frame(ax, len(curves))
    lead = names[exact.aggregator.name]
    ax.set_ylabel(f"expected overlap with\n{lead}'s first k", parse_math=False)
    notes = _notes(comparison, len(curves))
    write_below(ax, notes, WIDTH if new else None, axis="k: how many of the first items")
    legend = ax.legend(
        handles=handles, loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False,
        borderaxespad=0, handlelength=3, fontsize="medium",
    )  # fmt: skip
    for text in legend.get_texts():
        text.set_parse_math(False)
    return ax


def _alike(curves: pd.DataFrame) -> list[list[str]]:
    """Return the methods in groups with one curve, the best on average first."""
    groups: list[list[str]] = []
    for method in curves:
        for group in groups:
            if (abs(curves[group[0]] - curves[method]) < 1e-9).all():
                group.append(str(method))
                break
        else:
            groups.append([str(method)])
    return sorted(groups, key=lambda group: -float(curves[group[0]].mean()))


def _curve(ax: Axes, curve: pd.Series[float], place: tuple[int, int], label: str) -> Line2D:
    """Draw a curve; later ones are narrower, so that earlier ones stay in sight below them."""
    number, total = place
    width = float(mpl.rcParams["lines.linewidth"])
    size = float(mpl.rcParams["lines.markersize"])
    fat = 1 + 0.9 * (total - 1 - number) / max(total - 1, 1)
    every = 1 if len(curve) <= MARKED else -(-len(curve) // 8)
    look = number % len(ACCENTS)
    (line,) = ax.plot(
        curve.index, curve, color=ACCENTS[look], linestyle=LINES[look], marker=MARKERS[look],
        markevery=(number % every, every), label=label, zorder=3, linewidth=fat * width,
        markersize=fat * size, gid=f"curve-{number}", clip_on=False,
        markerfacecolor=(ACCENTS[look], "white", GRAY)[number // len(ACCENTS) % 3],
    )  # fmt: skip
    return line


def _frame(ax: Axes, depth: int) -> None:
    ax.set_xlim(1 if depth > 1 else 0.5, max(depth, 1.5))
    ax.set_ylim(0, 1.03)
    ax.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1])
    ax.set_xticks(rank_ticks(depth))
    ax.grid(color=GRID, linewidth=0.5 * float(mpl.rcParams["lines.linewidth"]))
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def _notes(comparison: Comparison, depth: int) -> list[str]:
    """Say what the curves do not show."""
    exact, total = comparison.exact, comparison.votes.n_items
    notes = []
    if depth < total:
        notes.append(
            f"only {depth} of {counted(total, 'item')} {'is' if depth == 1 else 'are'} ranked by "
            "all methods"
        )
    if exact is not None and exact.is_proved is False:
        notes.append("the exact consensus is not proved optimal")
    return notes
