"""How far from the true order rules end as more tasks are corrupted."""

from __future__ import annotations

from matplotlib.axes import Axes

from rankagg._validation import check_number
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.robustness.corruption_panels import Panel, corruption_panels
from rankagg.studies.corruption.manipulation import BROKEN, ManipulationResult

__all__ = ["manipulation_plot"]


def manipulation_plot(
    result: ManipulationResult, *, threshold: float = BROKEN, ax: Axes | None = None
) -> Axes:
    """Draw the distance to the true order against the number of corrupted tasks.

    A panel for each step, with a line for the mean of every rule in a band from the 5 % to the
    95 % quantile of the tables. A rule breaks down where its line crosses the dashed one.

    Parameters
    ----------
    result : ManipulationResult
        The results of a study.
    threshold : float, default 0.75
        Where the dashed line is, from 0 to below 1; see `ManipulationResult.breakdown`.
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
    Colombo et al. (2022), figure 3, https://doi.org/10.48550/arXiv.2202.03799.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> study = ra.ManipulationStudy(steps=[0.1, 0.3], n_corrupted=[0, 10, 20], n_repetitions=2)
    >>> ax = plotting.manipulation_plot(study.run())
    >>> ax.get_xlabel()
    'corrupted tasks, of 20'
    """
    if not isinstance(result, ManipulationResult):
        raise InvalidInputError(
            "result", "a ManipulationResult", result, "`ManipulationStudy.run` makes one."
        )
    check_number(threshold, "threshold", low=0, high=1, open_high=True)
    table = result.by_method().reset_index().sort_values("n_corrupted", kind="stable")
    panels = [Panel(f"step {step:g}", table[table["step"] == step]) for step in result.study.steps]
    notes = [
        f"corrupted tasks, of {result.study.n_tasks}",
        f"dashed: {threshold:g}, beyond which a rule has broken down",
    ]
    return corruption_panels(result, panels, "n_corrupted", notes, threshold=threshold, ax=ax)
