"""How often each item is ranked first."""

import numpy as np
import pandas as pd

import rankagg as ra
from rankagg.core.results import Result
from rankagg.plotting.sheet import PlotSheet


class FirstPlaces(Result):
    """How often each item is ranked first; it has no plot of the package.

    Attributes
    ----------
    items : ItemSet
        The items.
    firsts : array
        How many rankings have each of them first, ties included.
    """

    items: ra.ItemSet
    firsts: np.ndarray

    _schema = "my.first_places"

    def _facts(self):
        yield f"first places of {len(self.items)} items"

    def to_frame(self):
        table = pd.DataFrame({"first": self.firsts}, index=pd.Index(self.items, name="item"))
        return table.sort_values("first", ascending=False, kind="stable")

    def _content(self):
        return {"items": list(self.items), "first": self.firsts.tolist()}


def first_places(profile):
    """Count the first places of every item of a profile."""
    firsts = profile.counts @ (profile.ranks == 0)
    return FirstPlaces(items=profile.items, firsts=firsts)


def first_places_plot(result, *, ax=None):
    """Draw first places as bars, the most on top."""
    frame = result.to_frame().reset_index()
    sheet = PlotSheet(ax, width=40, height=2 * len(frame))  # in letters; the figure grows around it
    ax = sheet.ax
    ax.barh(range(len(frame)), frame["first"], gid="first")
    ax.set_yticks(range(len(frame)), sheet.names(frame["item"]))
    ax.invert_yaxis()
    return sheet.finish(axis="first places")
