"""Equal contests put together: whoever met, from which side, under which covariates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats

if TYPE_CHECKING:
    from rankagg.core.comparisons.comparisons import Comparisons

__all__ = ["OUTCOMES", "Contests", "Entries", "contests_of"]

Positions = NDArray[np.intp]

# The rows of results: the first side won, a tie, the second side won.
OUTCOMES = 3
# Codes up to this, or up to so many times the rows, are counted in a table.
TABLE, TIMES = 1 << 22, 4


@dataclass(frozen=True, eq=False)
class Contests:
    """Kinds of contests, and how often each ended how.

    Attributes
    ----------
    n_items : int
        The number of items.
    first, second : ndarray of intp, shape (c,)
        Who met.
    extras : ndarray of float, shape (c, k)
        What is added to the log odds of the first beside worths: side and covariates, each over
        its largest value.
    units : ndarray of float, shape (k,)
        These largest values.
    results : ndarray of float, shape (3, c)
        Summed weights of wins of the first, ties, and wins of the second.
    squares : ndarray of float, shape (3, c)
        Summed squared weights.
    """

    n_items: int
    first: Positions
    second: Positions
    extras: Floats
    units: Floats
    results: Floats
    squares: Floats

    @property
    def n_extras(self) -> int:
        """The number of side and covariates."""
        return int(self.extras.shape[1])

    @property
    def totals(self) -> Floats:
        """Summed weights of each kind, shape (c,)."""
        totals: Floats = self.results.sum(axis=0)
        return totals

    @property
    def n_ties(self) -> float:
        """The summed weight of all ties."""
        return float(self.results[1].sum())

    def beats(self) -> Bools:
        """Return whether row ever won against column or tied with it, shape (n, n)."""
        n = self.n_items
        beats = np.zeros((n, n), dtype=bool)
        won, tied, lost = self.results > 0
        up, down = won | tied, lost | tied
        beats[self.first[up], self.second[up]] = True
        beats[self.second[down], self.first[down]] = True
        return beats

    def log_odds(self, worths: Floats, effects: Floats) -> Floats:
        """Return the log odds of the first side, shape (c,)."""
        odds: Floats = worths[self.first] - worths[self.second]
        return odds + self.extras @ effects if self.n_extras else odds


@dataclass(frozen=True, eq=False)
class Entries:
    """Single contests: of which kind each is, how it ended, and what it weighs.

    Attributes
    ----------
    kind : ndarray of intp, shape (m,)
        Position in the `Contests`.
    outcome : ndarray of intp, shape (m,)
        Row of their results: 0, 1 or 2.
    weights : ndarray of float, shape (m,)
        All positive.
    """

    kind: Positions
    outcome: Positions
    weights: Floats


def contests_of(
    comparisons: Comparisons, *, side: bool, covariates: Sequence[str], entries: bool
) -> tuple[Contests, Entries | None]:
    """Put equal contests together.

    Parameters
    ----------
    comparisons : Comparisons
        Contests in rows.
    side : bool
        True where the side is one of the extras.
    covariates : sequence of str
        Names of covariates; they follow the side.
    entries : bool
        Whether single contests are asked for.

    Returns
    -------
    Contests
    Entries or None
        In the order of the comparisons.
    """
    first, second = comparisons.first, comparisons.second
    outcome, weights = comparisons.outcomes, comparisons.weights
    columns = [comparisons.covariates[name] for name in covariates]
    sides = comparisons.sides if side else None
    n = len(comparisons.items)
    ended = 1 - outcome.astype(np.intp)
    key, size = first.astype(np.intp) * n + second, n * n
    digits: list[NDArray[Any]] = [*([] if sides is None else [sides]), *columns]
    for column in digits:
        labels, values = pd.factorize(column)
        if size > (1 << 60) // max(len(values), 1):
            key, known = pd.factorize(key)
            size = len(known)
        key, size = key * len(values) + labels, size * len(values)
    kind, at, results, squares = _counted(key, ended, size, weights)
    extras = [] if not side else [np.ones(len(at)) if sides is None else sides[at].astype(float)]
    extras += [column[at] for column in columns]
    table = np.stack(extras, axis=1) if extras else np.zeros((len(at), 0))
    # Effects are then of the size of log odds, whatever the unit of a covariate is.
    units = np.abs(table).max(axis=0, initial=0.0)
    units[units == 0] = 1.0
    table = table / units
    contests = Contests(
        n, first[at].astype(np.intp), second[at].astype(np.intp), table, units, results, squares
    )
    if not entries:
        return contests, None
    own = np.ones(len(key)) if weights is None else weights
    return contests, Entries(kind(), ended, own)


def _counted(
    key: Positions, ended: Positions, size: int, weights: Floats | None
) -> tuple[Callable[[], Positions], Positions, Floats, Floats]:
    """Return the kind of each row (when asked), a row of each kind, and sums by how it ended."""
    m = len(key)
    if size * OUTCOMES <= max(TABLE, TIMES * m):
        code, bins = key * OUTCOMES + ended, size * OUTCOMES
        counts = np.bincount(code, minlength=bins).reshape(size, OUTCOMES)
        present = counts.any(axis=1)
        row = np.empty(size, dtype=np.intp)
        row[key] = np.arange(m)
        at = row[present]

        def kind() -> Positions:
            return (np.cumsum(present) - 1)[key]

        kept: Positions | slice = np.flatnonzero(present)
    else:
        _, at, inverse = np.unique(key, return_index=True, return_inverse=True)
        code, bins = inverse * OUTCOMES + ended, len(at) * OUTCOMES
        counts = np.bincount(code, minlength=bins).reshape(len(at), OUTCOMES)

        def kind() -> Positions:
            return inverse

        kept = slice(None)

    def summed(values: Floats) -> Floats:
        sums = np.bincount(code, values, minlength=bins).reshape(-1, OUTCOMES)
        return np.ascontiguousarray(sums[kept].T)

    if weights is None:
        results = np.ascontiguousarray(counts[kept].T).astype(np.float64)
        return kind, at, results, results
    return kind, at, summed(weights), summed(weights**2)
