"""One table of a study of confidence: how it is drawn, and what every method decides on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from scipy.stats import hypergeom

from rankagg._typing import Floats
from rankagg.core.items import ItemSet
from rankagg.core.scores import ScoreTable
from rankagg.exceptions import RankaggError
from rankagg.inference.units import Unit
from rankagg.studies.confidence.pair_methods import Judged, PairMethod, RankedTable, Ties
from rankagg.studies.journal import Row
from rankagg.studies.scores.score_models import ScoreModel, n_removed, without_proportion
from rankagg.studies.study import Cell

__all__ = ["JudgedCell", "Judging", "Truth", "imputed_proportions", "truths_of"]

# Proportions that differ by no more are equal.
EQUAL = 1e-9


@dataclass(frozen=True)
class JudgedCell(Cell):
    """One table of the grid."""

    # Where its scores come from.
    model: ScoreModel
    # The proportion of single scores that is removed.
    proportion: float
    # Its number among its like.
    repetition: int

    @property
    def key(self) -> tuple[str, float, int]:
        """What tells it apart, as plain data."""
        return self.model.identity, self.proportion, self.repetition

    def complete(self, seed: int) -> ScoreTable:
        """Return the scores before any is removed."""
        return self.model.draw(rng=self.generator(seed, "data"))

    def left(self, table: ScoreTable, seed: int) -> ScoreTable:
        """Return what is left of the scores."""
        rng = self.generator(seed, "missing")
        return without_proportion(table, self.proportion, whole_tasks=False, rng=rng)

    def judge(self, seed: int, ranked: RankedTable, method: PairMethod, alpha: float) -> Judged:
        """Return what a method says of the table."""
        return method._judge(ranked, alpha, self.generator(seed, f"{method!r} {alpha!r}"))


@dataclass(frozen=True, eq=False)
class Truth:
    """True proportions, row above column."""

    items: ItemSet
    # Shape (n, n). In (0, 1) where both are possible.
    proportions: Floats

    def of(self, items: ItemSet) -> Floats:
        """Return them in another order of the items."""
        at = np.array(self.items.indices(list(items)))
        reordered: Floats = self.proportions[np.ix_(at, at)]
        return reordered


Truths: TypeAlias = Mapping[tuple[str, Unit, Ties], Truth]


def truths_of(models: tuple[ScoreModel, ...], methods: tuple[PairMethod, ...]) -> Truths:
    """Return the true proportions that methods estimate, as far as models know them."""
    found = {}
    for model in models:
        for unit, ties in dict.fromkeys((method.unit, method.ties) for method in methods):
            try:
                frame = model.true_proportions(unit=unit, ties=ties)
            except RankaggError:
                # So will every method of that kind, and its row says why.
                continue
            if frame is not None:
                items = ItemSet(frame.index.tolist())
                found[model.identity, unit, ties] = Truth(items, frame.to_numpy(np.float64))
    return found


@dataclass(frozen=True)
class Judging:
    """What is tried on every cell."""

    methods: tuple[PairMethod, ...]
    # Their probabilities of error.
    alphas: tuple[float, ...]
    # Of all random numbers.
    seed: int
    # The true proportions, by the identity of the model, unit and ties.
    truths: Truths = field(repr=False)

    def run(self, cell: JudgedCell) -> list[Row]:
        """Draw a table, remove scores, and decide its pairs with every method."""
        complete = cell.complete(self.seed)
        ranked = RankedTable.of(cell.left(complete, self.seed))
        imputed: dict[Unit, Floats | None] = {}
        rows = []
        for alpha in self.alphas:
            for method in self.methods:
                if method.unit not in imputed:
                    imputed[method.unit] = self._imputed(cell, complete, method.unit)
                rows.append(self._row(cell, ranked, method, alpha, imputed[method.unit]))
        return rows

    def _row(
        self,
        cell: JudgedCell,
        ranked: RankedTable,
        method: PairMethod,
        alpha: float,
        imputed: Floats | None,
    ) -> Row:
        items = ranked.profile.items
        upper = np.triu_indices(len(items), k=1)
        row: Row = {
            "method": method.name,
            "alpha": alpha,
            "pairs": len(upper[0]),
            **dict.fromkeys(("comparisons", "width", "decided", "wrong", "covered")),
            **dict.fromkeys(("covered_imputed", "error")),
        }
        try:
            row["comparisons"] = ranked.comparisons(method.unit)
            judged = cell.judge(self.seed, ranked, method, alpha)
        except RankaggError as error:
            # The study goes on, and counts it.
            return {**row, "error": str(error)}
        truth = self.truths.get((cell.model.identity, method.unit, method.ties))
        true = None if truth is None else truth.of(items)
        row["decided"] = int(judged.above.sum())
        if true is not None:
            row["wrong"] = int((judged.above & (true <= 0.5 + EQUAL)).sum())
        if judged.lower is None or judged.upper is None:
            return row
        row["width"] = float((judged.upper - judged.lower)[upper].mean())
        for name, values in (("covered", true), ("covered_imputed", imputed)):
            if values is not None:
                inside = (judged.lower <= values + EQUAL) & (values <= judged.upper + EQUAL)
                row[name] = int(inside[upper].sum())
        return row

    def _imputed(self, cell: JudgedCell, complete: ScoreTable, unit: Unit) -> Floats | None:
        """Return the expected imputed proportions; None where they are not known."""
        truth = self.truths.get((cell.model.identity, unit, "half"))
        if truth is None or complete.n_missing:
            return None
        lost = n_removed(complete.values.size, cell.proportion)
        return imputed_proportions(truth.of(complete.systems), complete.n_units, lost)


def imputed_proportions(shares: Floats, n_rankings: int, n_lost: int) -> Floats:
    """Return the expected proportions of compatible permutations with row above column.

    Of all single scores so many are lost, each set of them with the same probability.

    Notes
    -----
    A ranking keeps k of its n items with hypergeometric probability, and each k of them alike. A
    missing item is before the one at rank r of k, from 0, in a share (r + 1)/(k + 1).
    """
    n = len(shares)
    if n_lost == 0 or n < 2:
        return shares
    k = np.arange(n + 1, dtype=np.float64)
    weight = hypergeom(n_rankings * n, n_rankings * n - n_lost, n).pmf(k)
    both, one = k * (k - 1) / (n * (n - 1)), k * (n - k) / (n * (n - 1))
    neither = 1.0 - both - 2.0 * one
    # The mean over others of how likely one is above the column's item, without the row's.
    above = shares - np.diag(np.diag(shares))
    others = (above.sum(axis=0)[None, :] - above) / max(n - 2, 1)
    # Only the column's item is there: 1 + (k - 1) others of it are before it, on average.
    constant, slope = weight @ (one / (k + 1)), weight @ (one * np.maximum(k - 1, 0) / (k + 1))
    column_only = constant + slope * others
    row_only = weight @ one - column_only.T
    result: Floats = (weight @ both) * shares + (weight @ neither) / 2 + column_only + row_only
    np.fill_diagonal(result, 0.5)
    return result
