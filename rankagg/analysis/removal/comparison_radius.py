"""A few comparisons that decide which item has the best rating, found by their influence."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import field
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from rankagg._typing import Floats, Label, Positions
from rankagg.core import Result, named, plain_rows, quantity, sentence
from rankagg.core.comparisons import Comparisons
from rankagg.distributions.bradley_terry.bradley_terry import BradleyTerry, BradleyTerryFit
from rankagg.exceptions import InvalidInputError, NotIdentifiedError

# Candidates for the first place: the items with the next worths, and of these the ones that need
# the fewest removals to first order.
NEAREST = 10
MOST_RIVALS = 3
# Most fits until a pair is reversed.
MOST_FITS = 40


class ComparisonRadius(Result):
    """A small set of comparisons whose removal changes the best rating, or reverses a pair.

    Made by `removal_radius` of comparisons; it has no plot.

    Attributes
    ----------
    fit : BradleyTerryFit
        Fit to all comparisons.
    pair : tuple of two labels
        The overtaken item and the one that overtakes it; if no removal was found, the two that
        came nearest to it.
    noun : str
        Plural name of the comparisons.
    n_units : int
        Number of all comparisons.
    """

    fit: BradleyTerryFit
    pair: tuple[Label, Label]
    noun: str
    n_units: int
    _rows: pd.DataFrame = field(compare=False)

    _schema = "rankagg.comparison_radius"
    _row = "comparison"
    _named_rows = False

    @property
    def removed(self) -> Positions:
        """Positions of the comparisons to remove, the most influential first; may be empty."""
        return self._rows.index.to_numpy(np.intp)

    @property
    def n_removed(self) -> int | None:
        """Number of comparisons to remove, verified by a fit of the others; None if not found."""
        return len(self._rows) or None

    def to_frame(self) -> pd.DataFrame:
        """Return the comparisons to remove.

        Returns
        -------
        pandas.DataFrame
            As `Comparisons.to_frame`, the most influential first; the index has their positions.
        """
        return self._rows.copy()

    def headline(self) -> str:
        """Return a sentence on the number of comparisons to remove."""
        upper, lower = map(named, self.pair)
        every = quantity(self.n_units, "comparisons that may go", ",", self.noun.removesuffix("s"))
        change = f"put {lower} above {upper}"
        if self.n_removed is None:
            return sentence("no removal among the {} was found that would {}", every, change)
        taken = quantity(self.n_removed, "comparisons removed", ",", of=self.n_units)
        return sentence("removing {} of {} would {}; fewer may suffice", taken, every, change)

    def _table(self) -> pd.DataFrame:
        """Return equal comparisons as one row with their number."""
        if self._rows.empty:
            return pd.DataFrame()
        return self._rows.value_counts(["first", "second", "outcome"], sort=False).reset_index()

    def _content(self) -> dict[str, Any]:
        return {
            **self._plain("pair", "n_units", "n_removed"),
            "removed": plain_rows(self.to_frame().rename_axis("position").reset_index()),
        }

    def _facts(self) -> list[str]:
        return [sentence("BradleyTerry: {}", self.headline())]

    def __repr__(self) -> str:
        number = "none found" if self.n_removed is None else self.n_removed
        what = f"{self.pair[1]!r} above {self.pair[0]!r}"
        return f"<ComparisonRadius of {what}: {number} of {self.n_units}>"


def radius_of_comparisons(
    data: Comparisons, pair: tuple[Label, Label] | None = None
) -> ComparisonRadius:
    """Find few comparisons whose removal changes the best rating, or reverses a pair."""
    fit = BradleyTerry.fit(data, cov_type="model")
    worths = fit.log_worths
    if pair is None:
        first, *others = np.argsort(-worths, kind="stable")[: NEAREST + 1].tolist()
        needed = {other: len(_by_influence(data, fit, first, other)) for other in others}
        rivals = sorted(others, key=needed.__getitem__)[:MOST_RIVALS]
    else:
        first, *rivals = sorted(data.items.indices(list(pair)), key=lambda at: -worths[at])
    removed, ahead = np.arange(0), rivals[0]
    for rival in rivals:
        found = _removal(data, fit, (first, rival), (len(removed) or len(data)) - 1)
        if found is not None:
            removed, ahead = found, rival
    return ComparisonRadius(
        fit=fit,
        pair=(data.items[first], data.items[ahead]),
        noun="comparisons",
        n_units=len(data),
        _rows=data.to_frame().iloc[removed],
    )


def _without(data: Comparisons, removed: Positions) -> BradleyTerryFit | None:
    """Return the fit without some comparisons; None if it does not exist."""
    try:
        left = data.take(np.delete(np.arange(len(data)), removed))
        return BradleyTerry.fit(left, cov_type="model")
    except (NotIdentifiedError, InvalidInputError):
        return None


def _influence(data: Comparisons, fit: BradleyTerryFit, first: int, second: int) -> Floats:
    """Return the influence of each comparison on log worth `first` minus `second`.

    To first order this is the score of the comparison times the inverse information, as in the
    infinitesimal jackknife.
    """
    weights = np.ones(len(data)) if data.weights is None else data.weights
    # The covariance of a fit is that of the effective number of comparisons.
    inverse = fit.covariance * (weights.sum() / (weights**2).sum())
    across = inverse[:, first] - inverse[:, second]
    chance = expit(fit.log_worths[data.first] - fit.log_worths[data.second])
    excess = weights * ((1.0 + data.outcomes) / 2.0 - chance)
    return np.asarray(excess * (across[data.first] - across[data.second]))


def _by_influence(data: Comparisons, fit: BradleyTerryFit, first: int, second: int) -> Positions:
    """Return the most influential comparisons that close the gap to first order."""
    influence = _influence(data, fit, first, second)
    order = np.argsort(-influence, kind="stable")
    short = np.cumsum(influence[order]) <= fit.log_worths[first] - fit.log_worths[second]
    return order if short.all() else order[: int(np.argmin(short)) + 1]


def _removal(
    data: Comparisons, fit: BradleyTerryFit, pair: tuple[int, int], most: int
) -> Positions | None:
    """Return at most `most` comparisons whose removal reverses a pair; None if none is found.

    If the comparisons chosen to first order are too few, more are chosen by their influence on the
    fit of the others. Bisection then reduces the number.
    """
    upper, lower = pair

    def is_reversed(number: int) -> bool:
        left = _without(data, removed[:number])
        return left is not None and bool(left.log_worths[upper] < left.log_worths[lower])

    removed, current = np.arange(0), fit
    for _ in range(MOST_FITS):
        left = np.delete(np.arange(len(data)), removed)
        chosen = left[_by_influence(data.take(left), current, upper, lower)]
        removed = np.concatenate([removed, chosen])[:most]
        found = _without(data, removed)
        if found is None:
            return None
        if found.log_worths[upper] < found.log_worths[lower]:
            return removed[: bisect_left(range(1, len(removed)), True, key=is_reversed) + 1]
        if len(removed) == most:
            return None
        current = found
    return None
