"""Legends above plots, of plain text, no wider than the axes that they are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import ScaledTranslation

from rankagg.plotting.style.letters import widest
from rankagg.plotting.style.margins import letters_across, lines_of

__all__ = ["legend_above"]

# In multiples of the font size: a mark with the gap to its words, and the gap between columns.
MARK: Final = 2.4
BETWEEN: Final = 1.5
EDGE: Final = 0.3


def legend_above(
    ax: Axes, handles: Sequence[Any], *, new: bool, columns: int = 1, above: float = 0.0
) -> None:
    """Say above the axes what the marks mean.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where.
    handles : sequence of Artist
        The marks with their labels, which are plain text, whatever signs they hold.
    new : bool
        Whether the figure was made for the plot. Where not, there are fewer columns and longer
        labels have several lines if there is no room for them.
    columns : int, default 1
        How many marks stand beside each other.
    above : float, default 0
        How far above the axes the legend starts, in multiples of the font size.
    """
    labels = [str(handle.get_label()) for handle in handles]
    if not new:
        room = letters_across(ax) - 2 * EDGE
        while columns > 1 and _width(labels, columns) > room:
            columns -= 1
        if columns == 1:
            labels = ["\n".join(lines_of([label], room - MARK)) for label in labels]
    figure = ax.get_figure(root=True)
    assert figure is not None, "drawn axes are in a figure"
    raised = ScaledTranslation(
        0.0, above * float(mpl.rcParams["font.size"]) / 72, figure.dpi_scale_trans
    )
    legend = ax.legend(
        handles=handles, labels=labels, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=columns,
        bbox_transform=ax.transAxes + raised, frameon=False, borderaxespad=0.0, borderpad=EDGE,
        handletextpad=MARK - 2.0, columnspacing=BETWEEN, fontsize="medium",
    )  # fmt: skip
    for text in legend.get_texts():
        text.set_parse_math(False)


def _width(labels: Sequence[str], columns: int) -> float:
    """Return how wide a legend is, in multiples of the font size; marks go down its columns."""
    parts = [part for part in np.array_split(np.array(labels), columns) if len(part)]
    return sum(MARK + widest(part) for part in parts) + BETWEEN * (len(parts) - 1)
