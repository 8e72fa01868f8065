"""What a plot shows, read back from its artists: texts, their boxes, and whether they collide."""

from __future__ import annotations

from itertools import combinations

from matplotlib.text import Text


def texts(ax):
    """Return all visible, non-empty texts of a figure, drawn, with their boxes in pixels."""
    figure = ax.figure
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    found = [
        text
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and _is_shown(text)
    ]
    return [(text.get_text(), text.get_window_extent(renderer)) for text in found]


def _is_shown(text):
    """Say whether a text is drawn: tick labels beyond the limits and hidden axes are not."""
    axes = text.axes
    if axes is None:
        return True
    for axis in (axes.xaxis, axes.yaxis):
        ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
        labels = [label for tick in ticks for label in (tick.label1, tick.label2)]
        if any(text is label for label in labels):
            drawn = {id(tick) for tick in axis._update_ticks()}
            own = next(tick for tick in ticks if text in (tick.label1, tick.label2))
            return axis.get_visible() and id(own) in drawn
    return True


def collisions(ax, slack=0.5):
    """Return the pairs of texts whose boxes overlap by more than `slack` pixels either way."""
    return [
        (one, two)
        for (one, first), (two, second) in combinations(texts(ax), 2)
        if min(first.x1, second.x1) - max(first.x0, second.x0) > slack
        and min(first.y1, second.y1) - max(first.y0, second.y0) > slack
    ]


def cut_off(ax, slack=1.0):
    """Return the texts that reach beyond the figure."""
    width, height = ax.figure.canvas.get_width_height()
    return [
        text
        for text, box in texts(ax)
        if box.x0 < -slack or box.y0 < -slack or box.x1 > width + slack or box.y1 > height + slack
    ]


def of_group(ax, gid):
    """Return the artists with a group id, in the order drawn."""
    return [artist for artist in ax.get_children() if artist.get_gid() == gid]
