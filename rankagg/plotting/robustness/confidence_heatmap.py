"""Estimated proportions of a table with missing scores, and which pairs a method decides."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from rankagg._validation import check_choice
from rankagg.aggregation.positional import Borda
from rankagg.core.items import counted
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.robustness.confidence import option_of
from rankagg.plotting.style.margins import add_height, letters_across, note_height, write_below
from rankagg.plotting.votes.heatmap import share_matrix
from rankagg.studies.confidence.confidence_result import ConfidenceResult

__all__ = ["confidence_heatmap"]


def confidence_heatmap(
    result: ConfidenceResult,
    *,
    method: str | None = None,
    model: str | None = None,
    alpha: float | None = None,
    proportion: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the estimated proportions of one table, row above column, with a dot on decided pairs.

    The table is the first of the study's repetitions. Systems are in the order of Borda's
    consensus of what is left of it, best first. A frame surrounds a cell where that has row above
    column although the proportion is below one half; pairs that nothing compares are hatched.

    Parameters
    ----------
    result : ConfidenceResult
        What a study of confidence found.
    method : str, optional
        The name of a method of the study; its first by default.
    model : str, optional
        The name of a model of the study; its first by default.
    alpha, proportion : float, optional
        A level and a proportion of the study; its first by default.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If the argument is no result of such a study, the study has nothing of that kind, or the
        method cannot judge the table.

    References
    ----------
    Himmi et al. (2023), "Towards more robust NLP system evaluation: handling missing scores in
    benchmarks", https://doi.org/10.48550/arXiv.2305.10284, figures 6 and 11. Their cells show how
    far the interval is from 1/2, where it leaves that outside.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> table = ra.datasets.load("superglue_human")
    >>> study = ra.ConfidenceStudy(
    ...     models=[ra.TableModel(label="SuperGLUE", table=table)],
    ...     methods=[ra.IntervalMethod(holm=True, method="clopper-pearson")],
    ...     proportions=[0.2],
    ...     n_repetitions=1,
    ... )
    >>> ax = plotting.confidence_heatmap(study.run())
    >>> len(ax.get_yticklabels())
    6
    """
    if not isinstance(result, ConfidenceResult):
        raise InvalidInputError(
            "result", "a ConfidenceResult", result, "`ConfidenceStudy.run` makes one."
        )
    study = result.study
    ways = {way.name: way for way in study.ways}
    models = {one.name: one for one in study.models}
    way = ways[check_choice(method or next(iter(ways)), list(ways), "method")]
    source = models[check_choice(model or next(iter(models)), list(models), "model")]
    level = option_of(alpha, study.alphas, "alpha")
    share = option_of(proportion, study.proportions, "proportion")
    ranked, judged = result._judged(source, share, level, way)
    order = Borda(unranked="uniform").aggregate(ranked.profile).ranking
    new = ax is None
    ax = share_matrix(
        judged.estimate, order, above=judged.above,
        label=f"estimated proportion of {way.unit}s\nwith row above column", ax=ax,
    )  # fmt: skip
    n = len(judged.items)
    pairs = counted(n * (n - 1) // 2, "pair")
    units = counted(round(ranked.comparisons(way.unit)), way.unit)
    before = order.ranks[:, None] < order.ranks
    framed = bool((before & (judged.estimate < 0.5)).any())
    notes = [
        f"{source.name}, {100 * share:g} % of the single scores removed at random",
        f"dot: decided by {way.name} at alpha {level:g}, {int(judged.above.sum())} of {pairs}, "
        f"from {units} each on average",
        "frame: below one half against the order of rows" if framed else "",
        "hatched: never compared" if np.isnan(judged.estimate).any() else "",
    ]
    width = max(20.0, 1.5 * n) if new else letters_across(ax)
    if new:
        add_height(ax, note_height(notes, width))
    write_below(ax, notes, width)
    return ax
