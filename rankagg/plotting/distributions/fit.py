"""What was fitted: each kind of fit draws what suits it."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from rankagg.distributions.fit_result import FitResult
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.style.letters import widest
from rankagg.plotting.style.margins import name_letters, note_height, write_below
from rankagg.plotting.style.rows import interval_rows
from rankagg.plotting.style.theme import canvas, plot_labels

__all__ = ["fit_plot", "notes_of", "parameters_plot"]


def fit_plot(fit: FitResult, *, alpha: float = 0.05, ax: Axes | None = None) -> Axes:
    """Draw a fitted distribution, as its own `plot` method does.

    Plackett-Luce and Bradley-Terry: log worths (`worths_plot`). Mallows: Kendall distances to the
    center (`distances_plot`). Generalized Mallows: thetas by rank (`thetas_plot`). Other fits:
    parameters (`parameters_plot`).

    Parameters
    ----------
    fit : FitResult
        Made by `fit` of a distribution.
    alpha : float, default 0.05
        Of the confidence intervals, in (0, 1).
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
    >>> votes = ra.PairwiseMatrix.from_wins([[0, 7, 9], [3, 0, 6], [1, 4, 0]], items="ABC")
    >>> ax = plotting.fit_plot(ra.BradleyTerry.fit(votes))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['A', 'B', 'C']
    """
    if not isinstance(fit, FitResult):
        raise InvalidInputError(
            "fit", "the result of a fit", fit, "`PlackettLuce.fit(profile)` makes one."
        )
    return fit.plot(alpha=alpha, ax=ax)


def parameters_plot(fit: FitResult, *, alpha: float = 0.05, ax: Axes | None = None) -> Axes:
    """Draw the estimates of all parameters of any fit, with confidence intervals.

    Parameters
    ----------
    fit : FitResult
        The fit.
    alpha : float, default 0.05
        Probability of error of the intervals, in (0, 1).
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If alpha is out of range.
    """
    bounds = fit.conf_int(alpha).to_numpy()
    known = np.isfinite(bounds).all(axis=1)
    names = plot_labels(fit.names, name_letters(ax))
    notes = [
        f"estimate, with {100 * (1 - alpha):g} % interval",
        *notes_of(fit, are_known=bool(known.all())),
    ]
    width, new = 32.0, ax is None
    height = 3 + 1.35 * len(names) + note_height(notes, width)
    ax = canvas(ax, width + 4 + widest(names), height)
    interval_rows(ax, names, fit.estimates, bounds, known)
    write_below(ax, notes[1:], width if new else None, axis=notes[0])
    return ax


def notes_of(fit: FitResult, *, are_known: bool) -> list[str]:
    """Return what the reader must know of a fit; `are_known` says that all have intervals."""
    return [
        "" if fit.converged else "note: the fit has not converged",
        "" if are_known else "note: an open point has no known error",
        *(f"note: {note}" for note in fit.notes),
    ]
