"""What a study of confidence found: one row per table, method and level, and their summaries."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import pandas as pd

from rankagg.core.items import counted
from rankagg.core.results import ROWS, plain_rows
from rankagg.studies.cell_result import CellResult
from rankagg.studies.confidence.judged_cells import JudgedCell
from rankagg.studies.confidence.pair_methods import Judged, PairMethod, RankedTable
from rankagg.studies.scores.score_models import ScoreModel

if TYPE_CHECKING:
    from rankagg.studies.confidence.confidence import ConfidenceStudy

__all__ = ["ConfidenceResult"]

CELL: Final = ["model", "proportion", "repetition"]
GROUP: Final = ["model", "proportion", "alpha", "method"]
COUNTS: Final = ["decided", "wrong", "covered", "covered_imputed"]


class ConfidenceResult(CellResult):
    """How many pairs methods decided, how many wrongly, and how often their intervals covered.

    Made by `ConfidenceStudy.run`; `plot` draws a `rankagg.plotting.confidence_plot`.

    Attributes
    ----------
    study : ConfidenceStudy
        What was asked.
    """

    study: ConfidenceStudy

    _schema = "rankagg.confidence_result"
    _plot = "confidence_plot"
    _row = "method"

    @cached_property
    def _frame(self) -> pd.DataFrame:
        frame = self._table_of(CELL)
        names = {model.identity: model.name for model in self.study.models}
        frame["model"] = frame["model"].map(names)
        frame[["comparisons", "width"]] = frame[["comparisons", "width"]].astype(np.float64)
        frame[COUNTS] = frame[COUNTS].astype("Int64")
        return frame

    def to_frame(self) -> pd.DataFrame:
        """Return one row per table, level and method.

        Returns
        -------
        pandas.DataFrame
            model, proportion, repetition: the table; method; alpha; pairs: how many there are;
            comparisons: mean number of units that compare a pair; width: mean width of the
            intervals, which end at 0 and 1; decided: pairs that are; wrong: those of them whose
            true proportion is on the other side of 1/2, or equal to it; covered: intervals that
            hold the true proportion of the units that compare the two; covered_imputed: those that
            hold the expected proportion of compatible permutations. What is not known, and
            intervals of a method that has none, are missing. error: what a method said that could
            not judge the table.
        """
        return self._frame.copy()

    @property
    def n_failed(self) -> int:
        """How often a method could not judge a table."""
        return int(self._frame["decided"].isna().sum())

    def by_method(self) -> pd.DataFrame:
        """Return what the repetitions say of every method at every level.

        Returns
        -------
        pandas.DataFrame
            Index: model, proportion, alpha, method. tables; failed: those that the method could
            not judge; comparisons: mean number of units that compare a pair; width: mean width;
            decided: mean share of pairs, with its standard error se_decided; wrong: share of the
            decided pairs; any_wrong: share of the tables with a wrong decision; coverage: share of
            the intervals that hold the true proportion; covers_all: share of the tables where all
            of them do; coverage_imputed and covers_all_imputed: likewise for the expected
            proportion of compatible permutations.
        """
        frame = self._frame.astype(dict.fromkeys(COUNTS, np.float64))
        pairs = frame["pairs"]
        frame["decided_share"] = frame["decided"] / pairs
        frame["any_wrong"] = _flag(frame["wrong"], frame["wrong"] > 0)
        kinds = {"": "covered", "_imputed": "covered_imputed"}
        for suffix, name in kinds.items():
            frame[f"all{suffix}"] = _flag(frame[name], frame[name] == pairs)
            frame[f"share{suffix}"] = frame[name] / pairs
        groups = frame.groupby(GROUP, sort=False)
        decided = groups["decided"].sum()
        table = {
            "tables": groups.size(),
            "failed": groups.size() - groups["decided"].count(),
            "comparisons": groups["comparisons"].mean(),
            "width": groups["width"].mean(),
            "decided": groups["decided_share"].mean(),
            "se_decided": groups["decided_share"].sem(),
            "wrong": groups["wrong"].sum(min_count=1) / decided.where(decided > 0),
            "any_wrong": groups["any_wrong"].mean(),
            **{
                f"{name}{suffix}": groups[f"{column}{suffix}"].mean()
                for suffix in kinds
                for name, column in (("coverage", "share"), ("covers_all", "all"))
            },
        }
        return pd.DataFrame(table)

    def _judged(
        self, model: ScoreModel, proportion: float, alpha: float, method: PairMethod
    ) -> tuple[RankedTable, Judged]:
        """Return the first table of a model, and what a method says of its pairs."""
        cell = JudgedCell(model, proportion, 0)
        seed = self.study.seed
        ranked = RankedTable.of(cell.left(cell.complete(seed), seed))
        return ranked, cell.judge(seed, ranked, method, alpha)

    def _content(self) -> dict[str, Any]:
        return {
            "seed": self.study.seed,
            "tables": self.n_cells,
            "failed": self.n_failed,
            "methods": [method.name for method in self.study.ways],
            "results": plain_rows(self.by_method().reset_index()),
        }

    def _table(self) -> pd.DataFrame:
        table = self.by_method().reset_index()
        shown = [*GROUP, "width", "decided", "wrong", "any_wrong", "coverage", "covers_all"]
        if self.study.proportions != (0.0,):
            shown.append("coverage_imputed")
        # What is known of no model is left out.
        return table[[name for name in shown if name in GROUP or table[name].notna().any()]]

    def _printed(self, table: pd.DataFrame) -> str:
        """Return for every model, proportion and level what each method does."""
        lines = []
        for case, part in table.groupby(GROUP[:-1], sort=False):
            model, proportion, alpha = cast("tuple[str, float, float]", case)
            gaps = f", {100 * proportion:g} % removed" if proportion else ""
            shown = part.drop(columns=GROUP[:-1]).set_index("method").rename_axis(None)
            text = shown.to_string(na_rep="-", float_format=self._number.format)
            lines += ["", f"{model}{gaps}, alpha {alpha:g}:", text]
        return "\n".join(lines)

    def _facts(self) -> Iterable[str]:
        study = self.study
        yield (
            f"{counted(len(study.ways), 'method')} on {counted(self.n_cells, 'table')}, "
            f"{counted(len(study.alphas), 'level')}, seed {study.seed}"
        )
        if any(study.proportions):
            yield "a proportion of the single scores removed at random"
        yield (
            "decided: mean share of pairs; wrong: share of these; any_wrong, covers_all: shares of "
            "tables"
        )
        if self._frame["wrong"].isna().all():
            yield "true proportions are not known"
        if self.n_failed:
            yield f"methods could not judge the table {counted(self.n_failed, 'time')}"

    def _below(self, rows: int | None = ROWS) -> Iterable[str]:
        """Say of every method whether it held its level where that is hardest."""
        table = self.by_method().reset_index()
        table = table[table["any_wrong"].notna()]
        beyond = (table["any_wrong"] - table["alpha"]).sort_values(ascending=False, kind="stable")
        worst = table.loc[beyond.index].drop_duplicates("method")
        lines = [
            f"{row['method']}: wrong decisions in {100 * row['any_wrong']:.1f} % of the tables at "
            f"alpha {row['alpha']:g} ({row['model']}), at worst"
            for row in worst.sort_index().to_dict("records")
        ]
        return lines[:rows]


def _flag(known: pd.Series[float], is_true: pd.Series[bool]) -> pd.Series[float]:
    """Return 1 or 0; NaN where nothing is known."""
    return is_true.astype(np.float64).where(known.notna())
