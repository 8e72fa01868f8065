"""Plots of matplotlib on a page that follows light and dark."""

from __future__ import annotations

from matplotlib.axes import Axes

from rankagg.report.figures import figure_of

__all__ = ["drawn"]

# Letters of the style "paper" have 8 points: this high they are beside the text of a page, in
# multiples of its own letters, and no lower than this on a telephone, where the plot scrolls.
POINTS, USUAL, LEAST = 8, 0.85, 0.7


def drawn(ax: Axes, alternative: str) -> str:
    """Return a plot as part of a page; its ground is that of the page.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg.apps.parts.drawings import drawn
    >>> with ra.plotting.style():
    ...     ax = ra.plotting.bump_chart(ra.compare(ra.datasets.load("tennessee")))
    >>> 'role="img" aria-label="Lines of ranks."' in drawn(ax, "Lines of ranks.")
    True
    """
    figure = ax.get_figure(root=True)
    assert figure is not None, "drawn axes are in a figure"
    picture = figure_of(lambda: ax, alternative, alternative).svg
    letters = float(figure.get_size_inches()[0]) * 72 / POINTS
    size = f"width:{USUAL * letters:.1f}rem;min-width:{LEAST * letters:.1f}rem"
    return f'<div class="ra-drawn" style="{size}">{picture}</div>'
