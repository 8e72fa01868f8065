"""How few comparisons decide which item has the best rating: looked for by their influence."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Label, Positions
from rankagg.core import Result, named, plain_rows, said, stated
from rankagg.core.comparisons import Comparisons
from rankagg.distributions.bradley_terry.bradley_terry import BradleyTerry, BradleyTerryFit
from rankagg.exceptions import InvalidInputError, NotIdentifiedError

# Items that are tried in place of the first: of those next to it by worth the ones that need the
# fewest removals by first order.
NEAREST = 10
MOST_RIVALS = 3
# Fits after which a search for one rival ends: it nears the number by steps and by halves.
MOST_FITS = 40


class ComparisonRadius(Result):
    """A few comparisons without which another item has the best rating, or a pair turns.

    Made by `removal_radius` of comparisons; it has no plot.

    Attributes
    ----------
    fit : BradleyTerryFit
        Of all comparisons.
    fit_without : BradleyTerryFit or None
        Of what is left; None where no removal was found.
    pair : tuple of two labels
        Who is overtaken, and by whom; where no removal was found, the two that were nearest to it.
    removed : ndarray of int, shape (k,)
        The positions of the comparisons to remove.
    n_comparisons : int
        The number of all comparisons.
    """

    fit: BradleyTerryFit
    fit_without: BradleyTerryFit | None
    pair: tuple[Label, Label]
    removed: Positions
    n_comparisons: int
    _rows: pd.DataFrame = field(compare=False)

    _schema = "rankagg.comparison_radius"
    _row = "comparison"
    _named_rows = False

    @property
    def n_removed(self) -> int | None:
        """How many comparisons were removed, as a fit of the others verified; None if none do."""
        return None if self.fit_without is None else len(self.removed)

    def to_frame(self) -> pd.DataFrame:
        """Return the comparisons to remove.

        Returns
        -------
        pandas.DataFrame
            As `Comparisons.to_frame`, those with the most influence first; the index has their
            positions.
        """
        return self._rows

    def headline(self) -> str:
        """Return in one sentence how many comparisons decide."""
        upper, lower = map(named, self.pair)
        every = stated(self.n_comparisons, "comparisons that may go", ",", "comparison")
        change = f"put {lower} above {upper}"
        if self.n_removed is None:
            return said("of the {} none were found whose removal would {}", every, change)
        taken = stated(self.n_removed, "comparisons removed", ",", of=self.n_comparisons)
        return said("removing {} of {} would {}; fewer may do", taken, every, change)

    def _table(self) -> pd.DataFrame:
        """Return equal comparisons as one row with their number."""
        if self._rows.empty:
            return pd.DataFrame()
        columns = [name for name in ("first", "second", "outcome") if name in self._rows]
        grouped = self._rows.groupby(columns, sort=False, observed=True).size()
        return grouped.rename("count").reset_index()

    def _content(self) -> dict[str, Any]:
        return {
            **self._plain("pair", "n_comparisons", "n_removed"),
            "removed": plain_rows(self.to_frame().rename_axis("position").reset_index()),
        }

    def _facts(self) -> list[str]:
        return [said("BradleyTerry: {}", self.headline())]

    def __repr__(self) -> str:
        number = "none found" if self.n_removed is None else self.n_removed
        what = f"{self.pair[1]!r} above {self.pair[0]!r}"
        return f"<ComparisonRadius of {what}: {number} of {self.n_comparisons}>"


def radius_of_comparisons(
    data: Comparisons, pair: tuple[Label, Label] | None = None
) -> ComparisonRadius:
    """Find a few comparisons without which another item is first by Bradley-Terry, or above."""
    fit = _fitted(data)
    worths = fit.log_worths
    if pair is None:
        first, *others = np.argsort(-worths, kind="stable")[: NEAREST + 1].tolist()
        needed = {other: _first_order(data, fit, first, other)[1] for other in others}
        rivals = sorted(others, key=needed.__getitem__)[:MOST_RIVALS]
    else:
        first, rival = sorted(data.items.indices(list(pair)), key=lambda at: -worths[at])
        rivals = [int(rival)]
    least: Positions | None = None
    ahead = rivals[0]
    for rival in rivals:
        most = len(data) - 1 if least is None else len(least) - 1
        found = _removal(data, fit, (int(first), rival), most)
        if found is not None:
            least, ahead = found, rival
    removed = np.array([], dtype=np.intp) if least is None else least
    return ComparisonRadius(
        fit=fit,
        fit_without=None if least is None else _fitted(_without(data, least)),
        pair=(data.items[int(first)], data.items[ahead]),
        removed=removed,
        n_comparisons=len(data),
        _rows=data.to_frame().iloc[removed],
    )


def _fitted(data: Comparisons) -> BradleyTerryFit:
    return BradleyTerry.fit(data, cov_type="model")


def _without(data: Comparisons, removed: Positions) -> Comparisons:
    return data.take(np.delete(np.arange(len(data)), removed))


def _gap(data: Comparisons, removed: Positions, pair: tuple[int, int]) -> tuple[float, Any]:
    """Return how far the first of a pair is above the other without some comparisons."""
    fit = _fitted(_without(data, removed))
    return float(fit.log_worths[pair[0]] - fit.log_worths[pair[1]]), fit


def _influence(data: Comparisons, fit: BradleyTerryFit, first: int, second: int) -> Floats:
    """Return by how much each comparison raises log worth `first` over `second`, to first order.

    It is the score of the comparison times the inverse information, as in the infinitesimal
    jackknife.
    """
    weights = np.ones(len(data)) if data.weights is None else data.weights
    total = float(weights.sum())
    # The errors of a fit count weights as the effective number of comparisons.
    inverse = fit.covariance * (total / float((weights**2).sum()))
    across = inverse[:, first] - inverse[:, second]
    odds = fit.log_worths[data.first] - fit.log_worths[data.second]
    points = (1.0 + data.outcomes) / 2.0
    excess = weights * (points - 1.0 / (1.0 + np.exp(-odds)))
    return np.asarray(excess * (across[data.first] - across[data.second]))


def _first_order(
    data: Comparisons, fit: BradleyTerryFit, first: int, second: int
) -> tuple[Positions, int]:
    """Return the comparisons by influence, and how many of them close the gap to first order."""
    influence = _influence(data, fit, first, second)
    order = np.argsort(-influence, kind="stable")
    gap = fit.log_worths[first] - fit.log_worths[second]
    reached = np.flatnonzero(np.cumsum(influence[order]) > gap)
    return order, int(reached[0]) + 1 if len(reached) else len(data)


def _removal(
    data: Comparisons, fit: BradleyTerryFit, pair: tuple[int, int], most: int
) -> Positions | None:
    """Return at most so many comparisons whose removal turns the pair, by fits; None if none.

    Where those by first order do not turn it, more are taken by their influence on the fit of what
    is left; what turns it is made smaller by halves.
    """
    removed = np.array([], dtype=np.intp)
    turned, fits = False, 0
    while not turned and fits < MOST_FITS:
        left = np.delete(np.arange(len(data)), removed)
        order, number = _first_order(data.take(left), fit, *pair)
        removed = np.concatenate([removed, left[order[:number]]])
        if len(removed) > most:
            removed = removed[:most]
        try:
            gap, fit = _gap(data, removed, pair)
        except (NotIdentifiedError, InvalidInputError):
            return None
        turned, fits = gap < 0, fits + 1
        if not turned and len(removed) == most:
            return None
    if not turned:
        return None
    low, high = 0, len(removed)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            gap, _ = _gap(data, removed[:middle], pair)
        except (NotIdentifiedError, InvalidInputError):
            break
        low, high = (low, middle) if gap < 0 else (middle, high)
    return removed[:high]
