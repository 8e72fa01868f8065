"""How many of their first or last systems pairs of rules have in common, rank by rank."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from matplotlib.axes import Axes

from rankagg._validation import check_choice
from rankagg.core.items import counted
from rankagg.exceptions import InvalidInputError
from rankagg.plotting.robustness.bands import Band, draw_bands, frame_curves
from rankagg.plotting.style.legends import legend_above
from rankagg.plotting.style.letters import widest
from rankagg.plotting.style.margins import rank_ticks, write_below
from rankagg.plotting.style.theme import GRAY, canvas, plot_labels
from rankagg.studies.agreement.agreement_result import AgreementResult, Scope

__all__ = ["agreement_plot"]

WIDTH, HEIGHT = 36.0, 28.0
Curve = Literal["top", "last", "top_tau"]
SAID = {
    "top": "expected share of the first k\nthat both rules have",
    "last": "expected share of the last k\nthat both rules have",
    "top_tau": "tau-b over the systems that both\nrules have among their first k",
}
WHERE = {
    "tasks": "the rules aggregate tasks",
    "instances": "the rules aggregate all instances",
    "within": "the rules aggregate the instances of one task: mean over tasks; bands: one standard "
    "deviation either way",
}


def agreement_plot(
    result: AgreementResult,
    *,
    scope: Scope | None = None,
    curve: Curve = "top",
    ax: Axes | None = None,
) -> Axes:
    """Draw for every k how far pairs of rules agree on their first, or last, k systems.

    Parameters
    ----------
    result : AgreementResult
        The results of a study.
    scope : {"tasks", "instances", "within"}, optional
        What the rules aggregate: tasks, all instances, or the instances of one task, with a mean
        over tasks in a band of one standard deviation; by default all instances where there are
        some.
    curve : {"top", "last", "top_tau"}, default "top"
        The expected share that the first k, or the last k, have in common, with a dotted line for
        rankings at random; or tau-b over the systems that both have among their first k.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If the argument is no such result, or the rules were not compared there.

    References
    ----------
    Colombo et al. (2022), "What are the best systems? New perspectives on NLP benchmarking",
    https://doi.org/10.48550/arXiv.2202.03799, figures 4, 10 and 11.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> result = ra.AgreementStudy(data=ra.datasets.load("xtreme_human")).run()
    >>> ax = plotting.agreement_plot(result)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['Mean / Borda', 'at random']
    """
    if not isinstance(result, AgreementResult):
        raise InvalidInputError(
            "result", "an AgreementResult", result, "`AgreementStudy.run` makes one."
        )
    known = result.scopes
    usual: Scope = "instances" if "instances" in known else known[0]
    where = usual if scope is None else check_choice(scope, known, "scope")
    what: Curve = check_choice(curve, get_args(Curve), "curve")
    bands = _bands(result, where, what)
    new = ax is None
    ax = canvas(ax, max(WIDTH, widest(band.name for band in bands) + 8), HEIGHT + len(bands))
    handles = draw_bands(ax, bands)
    total = result.study.data.n_systems
    depths = bands[0].at
    if what != "top_tau" and len(depths) == total:
        (line,) = ax.plot(
            depths, depths / total, color=GRAY, linestyle=":", zorder=1, label="at random",
            gid="random",
        )  # fmt: skip
        handles.append(line)
    frame_curves(ax, bands, start=None if what == "top_tau" else 0.0)
    ax.set_xticks(rank_ticks(len(depths)))
    ax.set_ylabel(SAID[what])
    # On all instances every rule is there.
    notes = [note for note in result.notes if where != "instances" or "instances only" not in note]
    along = f"k, of {counted(total, 'system')}"
    write_below(ax, [WHERE[where], *notes], WIDTH - 4 if new else None, axis=along)
    legend_above(ax, handles, new=new)
    return ax


def _bands(result: AgreementResult, scope: Scope, curve: Curve) -> list[Band]:
    table = result.by_k().loc[scope]
    pairs = list(dict.fromkeys(key[:2] for key in table.index))
    names = plot_labels((f"{first} / {second}" for first, second in pairs), 56)
    least = -1.0 if curve == "top_tau" else 0.0
    bands = []
    for pair, name in zip(pairs, names, strict=True):
        part = table.loc[pair]
        mean, std = part[curve].to_numpy(), part[f"std_{curve}"].to_numpy()
        bands.append(
            Band(
                name,
                part.index.to_numpy(dtype=np.float64),
                mean,
                np.maximum(mean - std, least),
                np.minimum(mean + std, 1.0),
            )
        )
    return bands
