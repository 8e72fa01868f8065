"""Ticks that are drawn: an axis keeps some beyond its limits, which it does not show."""

from __future__ import annotations


def only_drawn(ax):
    """Return the axes without the ticks beyond their limits; the picture stays the same."""
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        places = axis.get_majorticklocs()
        inside = [place for place in places if low <= place <= high]
        if len(inside) < len(places):
            axis.set_ticks(inside)
    return ax
