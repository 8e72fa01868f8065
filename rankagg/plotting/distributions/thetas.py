"""How concentrated a generalized Mallows distribution is at every rank."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from rankagg._typing import Floats
from rankagg.distributions.mallows.generalized_fit import GeneralizedMallowsFit
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.distributions.fit import notes_of
from rankagg.plotting.style.margins import note_height, rank_ticks, write_below
from rankagg.plotting.style.rows import GRID, SOLID
from rankagg.plotting.style.theme import INK, canvas

__all__ = ["thetas_plot"]


def thetas_plot(fit: GeneralizedMallowsFit, *, alpha: float = 0.05, ax: Axes | None = None) -> Axes:
    """Draw theta by the rank that is filled, with confidence intervals.

    The larger theta, the closer is the choice for that rank to the center; at 0 it is left to
    chance, and intervals end there. A theta without a finite maximum is an open triangle at the
    upper edge.

    Parameters
    ----------
    fit : GeneralizedMallowsFit
        Made by `GeneralizedMallows.fit`.
    alpha : float, default 0.05
        Of the intervals, which are conditional on the center; in (0, 1).
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
    >>> mallows = ra.GeneralizedMallows("ABCD", thetas=[2.0, 1.0, 0.5])
    >>> ax = plotting.thetas_plot(ra.GeneralizedMallows.fit(mallows.sample(200, rng=0)))
    >>> ax.get_ylabel()
    'theta = -log(phi)'
    """
    if not isinstance(fit, GeneralizedMallowsFit):
        raise InvalidInputError(
            "fit", "a fit with thetas by rank", fit, "`GeneralizedMallows.fit(profile)` makes one."
        )
    bounds = fit.conf_int(alpha).clip(lower=0.0).to_numpy()
    thetas, known = fit.estimates, np.isfinite(bounds).all(axis=1)
    n = len(thetas)
    notes = [
        f"thetas with {100 * (1 - alpha):g} % intervals (Wald)",
        *notes_of(fit, are_known=True),
    ]
    width, new = min(max(28.0, 1.2 * n), 44.0), ax is None
    ax = canvas(ax, width + 7, 21.4 + note_height(notes, width))
    # Thetas without a maximum are at a bound that is none of the data's.
    top = 1.12 * float(bounds[known].max(initial=0.0)) or 1.0
    _draw(ax, thetas, bounds, known, top)
    ax.set_xlim(0.4, n + 0.6)
    ax.set_ylim(0.0, top)
    ax.set_xticks(rank_ticks(n))
    ax.set_ylabel("theta = -log(phi)")
    ax.grid(axis="y", color=GRID, linewidth=0.5 * float(mpl.rcParams["lines.linewidth"]))
    ax.set_axisbelow(True)
    write_below(ax, notes, width if new else None, axis="rank that is filled")
    return ax


def _draw(ax: Axes, thetas: Floats, bounds: Floats, known: np.ndarray, top: float) -> None:
    width = float(mpl.rcParams["lines.linewidth"])
    for k, theta in enumerate(thetas):
        x = k + 1
        if not known[k]:
            ax.plot(
                x, top, marker="^", markersize=6 * width, markerfacecolor="white", clip_on=False,
                markeredgecolor=INK, markeredgewidth=width, linestyle="none", zorder=4,
                gid=f"unbounded-{k}",
            )  # fmt: skip
            continue
        ax.plot(
            [x, x], bounds[k], color=SOLID["color"], linewidth=2 * width, marker="_",
            markersize=4 * width, markeredgewidth=width, solid_capstyle="butt", gid=f"bar-{k}",
        )  # fmt: skip
        # Half of a point at 0 would be cut off.
        ax.plot(
            x, theta, marker="o", linestyle="none", zorder=3, clip_on=False, gid=f"point-{k}",
            **SOLID,
        )  # fmt: skip
