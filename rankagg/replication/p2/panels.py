"""Several plots side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

__all__ = ["panels"]

# Inches of one.
WIDTH, HEIGHT = 4.6, 4.3


def panels(plots: Sequence[Callable[..., object]], columns: int = 2) -> Axes:
    """Draw plots in a grid, and return the first.

    Parameters
    ----------
    plots : sequence of callable
        Each draws on the axes that it is given as `ax`.
    columns : int, default 2
        How many stand in a row.

    Returns
    -------
    matplotlib.axes.Axes
    """
    wide = min(columns, len(plots))
    high = -(-len(plots) // wide)
    _, grid = plt.subplots(
        high, wide, figsize=(WIDTH * wide, HEIGHT * high), squeeze=False, layout="constrained"
    )
    for ax, plot in zip(grid.flat, plots, strict=False):
        plot(ax=ax)
    for ax in grid.flat[len(plots) :]:
        ax.remove()
    first: Axes = grid.flat[0]
    return first
