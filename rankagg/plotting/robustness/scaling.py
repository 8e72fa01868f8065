"""How far from the true order rules end when one task is rescaled."""

from __future__ import annotations

from itertools import product

from matplotlib.axes import Axes

from rankagg.exceptions import InvalidInputError
from rankagg.plotting.robustness.corruption_panels import Panel, corruption_panels
from rankagg.studies.corruption.scaling import ScalingResult

__all__ = ["scaling_plot"]


def scaling_plot(result: ScalingResult, *, ax: Axes | None = None) -> Axes:
    """Draw the distance to the true order against the factor of one task.

    A panel for each step, first where the task is rescaled alone, then where it is reversed as
    well, with a line for the mean of every rule in a band from the 5 % to the 95 % quantile of the
    tables.

    Parameters
    ----------
    result : ScalingResult
        The results of a study.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If the argument is no such result.

    References
    ----------
    Colombo et al. (2022), figure 7, https://doi.org/10.48550/arXiv.2202.03799.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> study = ra.ScalingStudy(steps=[0.1], factors=[1, 5, 10], n_repetitions=2)
    >>> ax = plotting.scaling_plot(study.run())
    >>> ax.get_xlabel()
    'factor of the scores of one task, of 20'
    """
    if not isinstance(result, ScalingResult):
        raise InvalidInputError(
            "result", "a ScalingResult", result, "`ScalingStudy.run` makes one."
        )
    table = result.by_method().reset_index().sort_values("factor", kind="stable")
    study = result.study
    panels = [
        Panel(
            f"{'reversed' if reverse else 'rescaled'}\nstep {step:g}",
            table[(table["reversed"] == reverse) & (table["step"] == step)],
        )
        for reverse, step in product(study.reversed, study.steps)
    ]
    notes = [f"factor of the scores of one task, of {study.n_tasks}"]
    if True in study.reversed:
        notes.append("reversed: the true order is reversed on that task, before it is rescaled")
    return corruption_panels(result, panels, "factor", notes, ax=ax)
