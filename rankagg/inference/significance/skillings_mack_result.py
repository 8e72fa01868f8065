"""The result of Skillings and Mack's test."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg.core.items import ItemSet, counted
from rankagg.core.names import said, stated
from rankagg.core.results import Result
from rankagg.inference.units import Unit

__all__ = ["SkillingsMackTest"]


class SkillingsMackTest(Result):
    """Skillings and Mack's test: whether all items rank alike in rankings that may lack some.

    Made by `skillings_mack`; it has no plot.

    Attributes
    ----------
    items : ItemSet
        The k items.
    points : ndarray of float, shape (k,)
        The sum of the points of each item: below 0 where it ranks better than by chance.
    n_ranked : ndarray of int, shape (k,)
        In how many units it is ranked.
    n_rankings : int
        The number of independent units.
    n_telling : int
        Those that tell two items apart.
    statistic : float
        Skillings and Mack's; Friedman's chi-square where nothing is missing.
    df : int
        Degrees of freedom: items less parts that no chain of units links.
    chi2_p_value : float
        By the chi-square distribution, for many units.
    simulated_p_value : float or None
        By random orders within units, the observed one among them; None where none were drawn.
    n_resamples : int
        How many orders there were; 0 where none were drawn.
    unit : {"ranking", "instance", "task"}
        What was taken to be independent.
    notes : tuple of str
        What the reader must know.
    """

    items: ItemSet
    points: Floats
    n_ranked: NDArray[np.intp]
    n_rankings: int
    n_telling: int
    statistic: float
    df: int
    chi2_p_value: float
    simulated_p_value: float | None
    n_resamples: int
    unit: Unit
    notes: tuple[str, ...]

    _schema: ClassVar[str] = "rankagg.skillings_mack"

    @property
    def p_value(self) -> float:
        """The simulated p-value, or that of chi-square where nothing was drawn."""
        return self.chi2_p_value if self.simulated_p_value is None else self.simulated_p_value

    @property
    def average_points(self) -> Floats:
        """The points of each item per unit that ranks it, shape (k,); NaN where none does."""
        with np.errstate(invalid="ignore"):
            average: Floats = self.points / self.n_ranked
        return average

    def to_frame(self) -> pd.DataFrame:
        """Return one row per item: points per unit, and the units, the best first."""
        index = pd.Index(list(self.items), name="item")
        columns = {"average_points": self.average_points, "n_ranked": self.n_ranked}
        frame = pd.DataFrame(columns, index=index)
        return frame.sort_values("average_points", kind="stable")

    def _content(self) -> dict[str, Any]:
        average = [None if np.isnan(x) else float(x) for x in self.average_points]
        return {
            "items": list(self.items),
            "average_points": average,
            "n_ranked": self.n_ranked.tolist(),
            "n_rankings": self.n_rankings,
            "n_telling": self.n_telling,
            "unit": self.unit,
            "statistic": self.statistic,
            "df": self.df,
            "p_value": self.p_value,
            "chi2_p_value": self.chi2_p_value,
            "simulated_p_value": self.simulated_p_value,
            "n_resamples": self.n_resamples,
            "notes": list(self.notes),
        }

    def _facts(self) -> list[str]:
        units = stated(self.n_rankings, "rankings", noun="ranking")
        telling = stated(self.n_telling, "rankings that tell items apart", of=self.n_rankings)
        size = said("{} in {}, {}", stated(len(self.items), "items", noun="item"), units, telling)
        value, df = stated(self.statistic, "Skillings-Mack", ".4g"), stated(self.df, "freedom")
        p_value = stated(self.chi2_p_value, "p-value", ".3g")
        lines = [
            said("{} of which tell items apart; independent: {}s", size, self.unit),
            *(said("note: {}", note) for note in self.notes),
            said("Skillings, Mack  {}, df {}, p {} by chi-square", value, df, p_value),
        ]
        if self.simulated_p_value is not None:
            simulated = stated(self.simulated_p_value, "simulated p-value", ".3g")
            draws = stated(self.n_resamples, "draws", noun="draw")
            told = "simulated        p {}, of {} of orders within {}s"
            lines.append(said(told, simulated, draws, self.unit))
        return lines

    def __repr__(self) -> str:
        how = "chi-square" if self.simulated_p_value is None else "simulated"
        return (
            f"<SkillingsMackTest of {counted(len(self.items), 'item')} in "
            f"{counted(self.n_rankings, 'ranking')}: {self.statistic:.4g}, df {self.df}, "
            f"p = {self.p_value:.3g} ({how})>"
        )
