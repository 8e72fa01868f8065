"""What a study found of each rule in each cell of its grid, as it is drawn."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final

import numpy as np

from rankagg._typing import Floats
from rankagg.core.items import counted
from rankagg.plotting.style.theme import NO_RANK
from rankagg.studies.approximation.study_result import StudyResult

__all__ = ["RatioRow", "ratio_rows"]

CELL: Final = ["model", "n_items", "n_rankings", "missing"]
# Stands for an infinite ratio while quantiles are taken.
HUGE: Final = 1e250


@dataclass(frozen=True, eq=False)
class RatioRow:
    """One rule in one cell of the grid.

    Attributes
    ----------
    heading : str
        The cell.
    method : str
        The rule.
    quantiles : ndarray of float, shape (5,)
        Lowest ratio, quartiles and highest; NaN where the rule ranked nothing.
    mean : tuple of float or None
        What the mean ratio is at least and at most, where not all optima are proved.
    hits : str
        How often the rule hit the optimum, and how often it failed.
    """

    heading: str
    method: str
    quantiles: Floats
    mean: tuple[float, float] | None
    hits: str

    @property
    def numbers(self) -> Floats:
        """All that is drawn along the axis."""
        return np.array([*self.quantiles, *(self.mean or ())])


def ratio_rows(result: StudyResult) -> list[RatioRow]:
    """Return a row for each rule in each cell of the grid, in the order of the study.

    Parameters
    ----------
    result : StudyResult
        What the study found.

    Returns
    -------
    list of RatioRow
    """
    frame = result.to_frame()
    table = result.by_method().to_dict("index")
    rows: list[RatioRow] = []
    for key, part in frame.groupby([*CELL, "method"], sort=False):
        values = table[key]
        ratios = part["ratio"].dropna().clip(upper=HUGE)
        quantiles = np.full(5, np.nan)
        if len(ratios):
            quantiles = np.quantile(ratios, [0, 0.25, 0.5, 0.75, 1])
        quantiles[quantiles > HUGE / 1e6] = np.inf
        mean = (float(values["mean_ratio"]), float(values["mean_ratio_high"]))
        known = int(part["hit"].count())
        hits = f"{100 * values['hit_rate']:.0f} %" if known else NO_RANK
        if 0 < known < len(part):
            hits += f" of {known}"
        if values["failed"]:
            hits += f", {values['failed']:.0f} failed"
        rows.append(
            RatioRow(
                _heading(key[:4]), str(key[4]), quantiles,
                mean if values["unproved"] and np.isfinite(mean[0]) else None, hits,
            )
        )  # fmt: skip
    return rows


def _heading(cell: tuple[Hashable, ...]) -> str:
    model, n_items, n_rankings, missing = cell
    gaps = f", {missing:.0%} missing" if missing else ""
    return f"{model}: {counted(n_items, 'item')}, {counted(n_rankings, 'ranking')}{gaps}"
