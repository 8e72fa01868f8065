"""How often majorities were cyclic, beside what is known, and how often Borda was optimal."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rankagg._validation import check_alpha
from rankagg.core.items import counted
from rankagg.core.results import ROWS, plain_rows
from rankagg.studies.cell_result import CellResult
from rankagg.studies.cycles.closed_forms import known_cycle, known_winner, source_of

if TYPE_CHECKING:
    from rankagg.studies.cycles.cycles import CycleStudy

__all__ = ["CycleResult"]

GROUP = ["model", "n_items", "n_rankings"]


class CycleResult(CellResult):
    """How often majorities are cyclic, and how often Borda and Kemeny disagree.

    Made by `CycleStudy.run`; `plot` draws a `rankagg.plotting.cycle_plot`.

    Attributes
    ----------
    study : CycleStudy
        What was asked.
    """

    study: CycleStudy

    _schema = "rankagg.cycle_result"
    _plot = "cycle_plot"
    _row = "size"

    @cached_property
    def _frame(self) -> pd.DataFrame:
        frame = self._table_of([*GROUP, "repetition"]).drop(columns="method")
        frame["finds_winner"] = frame["finds_winner"].astype("boolean")
        frame["distance"] = frame["distance"].astype(np.float64)
        return frame

    def to_frame(self) -> pd.DataFrame:
        """Return one row per profile.

        Returns
        -------
        pandas.DataFrame
            model, n_items, n_rankings, repetition: the profile; winner: whether an item beats
            every other by a strict majority; cycle: whether strict majorities are cyclic; tied:
            whether two items tie in votes; finds_winner: whether Borda has that item alone in
            front, missing where there is none; optimal: whether Borda's ranking is an optimum of
            Kemeny's rule, a tied one only where every way to break its ties is; distance to the
            optimum that was found, in pairs, half for a tie in one.
        """
        return self._frame.copy()

    def by_size(self, *, alpha: float = 0.05) -> pd.DataFrame:
        """Return shares for every model and size, beside the probabilities that are known.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability of error of the Wilson intervals.

        Returns
        -------
        pandas.DataFrame
            Index: model, n_items, n_rankings. profiles: how many were drawn; winner, cycle and
            optimal: the shares of those with a Condorcet winner, with a cycle of strict
            majorities, and where Borda is optimal, each with its interval (winner_low,
            winner_high and so on); winner_exact and cycle_exact: their probabilities, missing
            where they are not known; tied: the share with tied items; finds_winner: the share of
            the profiles with a Condorcet winner where Borda has it alone in front (the Condorcet
            efficiency); mean_distance of Borda to an optimum.
        """
        check_alpha(alpha)
        from statsmodels.stats.proportion import proportion_confint  # noqa: PLC0415

        groups = self._frame.groupby(GROUP, sort=False)
        sizes = groups.size()
        table = pd.DataFrame({"profiles": sizes})
        known = {"winner": known_winner, "cycle": known_cycle}
        for name in ("winner", "cycle", "optimal"):
            hits = groups[name].sum().to_numpy(dtype=np.float64)
            table[name] = hits / sizes
            low, high = proportion_confint(hits, sizes.to_numpy(), alpha=alpha, method="wilson")
            table[f"{name}_low"], table[f"{name}_high"] = low, high
            if name in known:
                table[f"{name}_exact"] = np.array(
                    [known[name](*key) for key in self._sizes], dtype=np.float64
                )
        table["tied"] = groups["tied"].mean()
        table["finds_winner"] = groups["finds_winner"].mean().astype(np.float64)
        table["mean_distance"] = groups["distance"].mean()
        return table

    @property
    def _sizes(self) -> list[tuple[Any, int, int]]:
        """The models and sizes, in the order of the table."""
        return list(
            dict.fromkeys((cell.model, cell.n_items, cell.n_rankings) for cell in self._rows)
        )

    @property
    def _known(self) -> list[tuple[str, int, float | None, str]]:
        """Of which models and sizes anything is known: cycles in the limit, and who found it.

        Two items have no cycle, which nobody needed to find.
        """
        known = {
            (model, n_items): None
            for model, n_items, n_rankings in self._sizes
            if n_items > 2
            and (
                known_winner(model, n_items, n_rankings) is not None
                or known_cycle(model, n_items, n_rankings) is not None
            )
        }
        return [
            (model.name, n_items, known_cycle(model, n_items, None), source_of(model))
            for model, n_items in known
        ]

    def headline(self) -> str:
        """Return in one sentence how often majorities were cyclic, and Borda was not optimal."""
        frame = self._frame
        return (
            f"majorities are cyclic in {frame['cycle'].mean():.1%} of "
            f"{counted(len(frame), 'profile')}, and Borda's ranking is no Kemeny optimum in "
            f"{1 - frame['optimal'].mean():.1%}"
        )

    def _content(self) -> dict[str, Any]:
        return {
            "seed": self.study.seed,
            "repetitions": self.study.n_repetitions,
            "headline": self.headline(),
            "results": plain_rows(self.by_size().reset_index()),
            "known": [
                {"model": model, "n_items": size, "cycle_limit": limit, "source": source}
                for model, size, limit, source in self._known
            ],
        }

    def _table(self) -> pd.DataFrame:
        columns = ["winner", "winner_exact", "cycle", "cycle_exact", "finds_winner", "optimal"]
        return self.by_size()[columns].reset_index()

    def _below(self, rows: int | None = ROWS) -> list[str]:
        return [
            f"exact for {model}, {counted(n_items, 'item')}: {source}"
            + (f"; with ever more rankings {limit:.2%} are cyclic" if limit else "")
            for model, n_items, limit, source in self._known
        ]

    def _facts(self) -> list[str]:
        return [
            f"{counted(len(self.study.models), 'model')}, "
            f"{counted(self.study.n_repetitions, 'profile')} of each size, seed {self.study.seed}",
            self.headline(),
        ]
