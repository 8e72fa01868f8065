"""The worths of items that a choice model estimates."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from rankagg._typing import Floats
from rankagg.distributions.bradley_terry.result import BradleyTerryFit
from rankagg.distributions.plackett_luce.result import PlackettLuceFit
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.distributions.fit import notes_of
from rankagg.plotting.style.letters import widest
from rankagg.plotting.style.margins import name_letters, note_height, write_below
from rankagg.plotting.style.rows import interval_rows
from rankagg.plotting.style.theme import GRAY, canvas, plot_labels

__all__ = ["worths_plot"]


def worths_plot(
    fit: PlackettLuceFit | BradleyTerryFit, *, alpha: float = 0.05, ax: Axes | None = None
) -> Axes:
    """Draw estimated log worths with confidence intervals, the best item at the top.

    The line at 0 is the mean of all log worths, against which the intervals are. Tie parameters,
    the advantage of the side and covariates are no items; they stand in a note.

    Parameters
    ----------
    fit : PlackettLuceFit or BradleyTerryFit
        Made by `PlackettLuce.fit`, `BradleyTerry.fit` or `fit_bradley_terry`.
    alpha : float, default 0.05
        Of the intervals, `fit.conf_int(alpha)`; in (0, 1).
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
    >>> strengths = ra.PlackettLuce([1.0, 0.0, -1.0], items="ABC")
    >>> ax = plotting.worths_plot(ra.PlackettLuce.fit(strengths.sample(100, rng=0)))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['A', 'B', 'C']
    """
    if not isinstance(fit, PlackettLuceFit | BradleyTerryFit):
        raise InvalidInputError(
            "fit", "a fit with log worths", fit, "`PlackettLuce.fit(profile)` makes one."
        )
    bounds = fit.conf_int(alpha).to_numpy()
    items = fit.distribution.items
    n = len(items)
    order = np.argsort(-fit.estimates[:n], kind="stable")
    known = np.isfinite(bounds[order]).all(axis=1)
    names = plot_labels(items.at(order), name_letters(ax))
    notes = _sentences(fit, bounds, alpha)
    width, new = 32.0, ax is None
    height = 4.4 + 1.35 * n + note_height(notes, width)
    ax = canvas(ax, width + 4 + widest(names), height)
    ax.axvline(0.0, color=GRAY, linewidth=1.0, zorder=1, gid="mean")
    interval_rows(ax, names, fit.estimates[order], bounds[order], known)
    write_below(ax, notes, width if new else None, axis="log worth")
    return ax


def _sentences(fit: PlackettLuceFit | BradleyTerryFit, bounds: Floats, alpha: float) -> list[str]:
    n, share = fit.distribution.n_items, f"{100 * (1 - alpha):g} %"
    others = [
        f"{name}: {value:.2f} ({share}: {low:.2f} to {high:.2f})"
        for name, value, (low, high) in zip(
            fit.names[n:], fit.estimates[n:], bounds[n:], strict=True
        )
    ]
    what = "for ties" if isinstance(fit, PlackettLuceFit) else "beside worths"
    return [
        f"{type(fit.distribution).__name__}, with {share} intervals (Wald)",
        f"not drawn, {what}: {', '.join(others)}" if others else "",
        *notes_of(fit, are_known=bool(np.isfinite(bounds[:n]).all())),
    ]
