"""How far rankings are from the center of a Mallows distribution, and how far it has them."""

from __future__ import annotations

from math import ceil
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, PercentFormatter
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg.distributions.mallows.fit import MallowsFit
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.distributions.distance_distributions import (
    distance_probabilities,
    known_distances,
    spread_distances,
)
from rankagg.plotting.distributions.fit import notes_of
from rankagg.plotting.style.legends import legend_above
from rankagg.plotting.style.margins import note_height, write_below
from rankagg.plotting.style.theme import ACCENTS, canvas

__all__ = ["distances_plot"]

# More distances than that share bars.
BARS = 30
# The tails of the distribution that are left out.
TAIL = 5e-4
PALE = "#bcd7ea"


def distances_plot(fit: MallowsFit, *, alpha: float = 0.05, ax: Axes | None = None) -> Axes:
    """Draw the Kendall distances of rankings to the fitted center, and those expected.

    Rankings with ties or unlisted items have no distance of their own: theirs are spread as the
    fitted distribution has them, given what was observed, and hatched. Where items are unranked the
    distribution stands alone, and a note says so.

    Parameters
    ----------
    fit : MallowsFit
        Made by `Mallows.fit`.
    alpha : float, default 0.05
        Of the interval of theta, which is printed; in (0, 1).
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If `fit` is something else, or alpha is out of range.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> fit = ra.Mallows.fit(ra.Mallows("ABCD", theta=1.0).sample(500, rng=0))
    >>> ax = plotting.distances_plot(fit)
    >>> ax.get_ylabel()
    'share of rankings'
    """
    if not isinstance(fit, MallowsFit):
        raise InvalidInputError("fit", "a fit of Mallows", fit, "`Mallows.fit(profile)` makes one.")
    low, high = fit.conf_int(alpha).to_numpy()[0]
    fitted, data = fit.distribution, fit._data
    expected = distance_probabilities(fitted.n_items, fitted.theta)
    ranks = data.ranks[:, np.argsort(fitted.center.ranks)]
    spread = spread_distances(ranks, data.weights, fitted.theta)
    parts = [] if spread is None else [known_distances(ranks, data.weights), spread]
    starts, step = _bins(expected, [part / data.total for part in parts])
    together = f", {step} in a bar" if step > 1 else ""
    notes = [
        f"theta {fitted.theta:.3g} ({100 * (1 - alpha):g} %: {low:.3g} to {high:.3g})",
        "" if parts else "note: the distribution alone, since items are unranked in some rankings",
        *notes_of(fit, are_known=True),
    ]
    width, new = 32.0, ax is None
    ax = canvas(ax, width + 7, 24.4 + note_height(notes, width))
    marks = _draw_bars(ax, [part / data.total for part in parts], starts, step)
    marks += ax.plot(
        starts + (step - 1) / 2, _summed(expected, starts, step), color=ACCENTS[1], marker="D",
        label="fitted distribution", gid="expected",
    )  # fmt: skip
    legend_above(ax, marks, new=new, columns=2)
    ax.set_ylim(bottom=0.0)
    ax.set_ylabel("share of rankings")
    ax.yaxis.set_major_formatter(PercentFormatter(1.0))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    write_below(ax, notes, width if new else None, axis=f"Kendall distance to the center{together}")
    return ax


def _draw_bars(ax: Axes, parts: list[Floats], starts: NDArray[np.intp], step: int) -> list[Any]:
    """Draw the rankings with a distance, and on them the others; return what the legend needs."""
    looks: tuple[dict[str, Any], ...] = (
        {"fc": PALE, "label": "rankings", "gid": "known"},
        {
            "fc": "white",
            "hatch": "////",
            "label": "rankings with ties, imputed",
            "gid": "spread",
        },
    )
    marks: list[Any] = []
    floor = np.zeros(len(starts))
    for part, look in zip(parts, looks, strict=False):
        heights = _summed(part, starts, step)
        if heights.any():
            bars = ax.bar(
                starts + (step - 1) / 2, heights, bottom=floor, width=0.86 * step, ec=ACCENTS[0],
                lw=0.5 * float(mpl.rcParams["lines.linewidth"]), **look,
            )  # fmt: skip
            marks.append(bars)
        floor += heights
    return marks


def _bins(expected: Floats, parts: list[Floats]) -> tuple[NDArray[np.intp], int]:
    """Return where bins start, and how many distances each holds.

    They hold every known distance, and all of what the distribution says but its tails.
    """
    below = np.cumsum(expected)
    low, high = (int(k) for k in np.searchsorted(below, [TAIL, 1.0 - TAIL]))
    high = min(high, len(expected) - 1)
    for part, least in zip(parts, (0.0, TAIL / 10), strict=False):
        seen = np.flatnonzero(part > least)
        if len(seen):
            low, high = min(low, int(seen[0])), max(high, int(seen[-1]))
    step = ceil((high - low + 1) / BARS)
    return np.arange(low - low % step, high + 1, step), step


def _summed(shares: Floats, starts: NDArray[np.intp], step: int) -> Floats:
    end = min(int(starts[-1]) + step, len(shares))
    sums: Floats = np.add.reduceat(shares[:end], starts)
    return sums
