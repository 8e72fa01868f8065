"""Missing scores, pairs never compared, and the assumption of each policy for gaps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from rankagg._typing import Bools, Floats, Integers64, Label, Unranked
from rankagg._validation import table_remedy
from rankagg.aggregation import as_data
from rankagg.core import (
    ROWS,
    ItemSet,
    Profile,
    Result,
    ScoreSummary,
    ScoreTable,
    counted,
    exact,
    label_numbers,
    listed,
    part_of,
    quantity,
    sentence,
    shortened,
)
from rankagg.core.graphs import connected_parts
from rankagg.exceptions import InformationLostError, InvalidInputError

ASSUMPTIONS: dict[Unranked, str] = {
    "uniform": "a missing item would have had any rank with equal probability, so its expected "
    "rank is the middle. Moves items with many gaps to the middle of the consensus.",
    "ignore": "gaps do not depend on how well an item would have done. Pairs that were never "
    "compared stay open; few comparisons count as much as they are.",
    "last": "a missing item would have been last. Right if it failed or was declined; a penalty if "
    "nobody tried it.",
}


def missing_report(data: ScoreTable | ScoreSummary | Profile) -> MissingReport:
    """Report missing scores and pairs that were never compared.

    Parameters
    ----------
    data : ScoreTable, ScoreSummary or Profile
        A cell is one item in one unit: a score, or a rank in a ranking (with its count). Items
        left off a top-k list are not missing: they are below the listed ones. A summary does not
        hold which items are missing together.

    Examples
    --------
    >>> import rankagg as ra
    >>> nan = float("nan")
    >>> table = ra.ScoreTable([[.9, .8, nan], [.7, .9, .6], [nan, nan, .8]], systems="ABC",
    ...                       tasks=["x", "y", "z"], higher_is_better=True)
    >>> report = ra.analysis.missing_report(table)
    >>> report.never_compared
    (('A', 'C'),)
    >>> report.to_frame()[["missing", "tasks_absent", "compared_with"]]
          missing  tasks_absent  compared_with
    item
    A           1             1              1
    B           0             0              2
    C           2             2              1
    """
    data = as_data(data)
    names = by_task = sizes = patterns = None
    if isinstance(data, ScoreSummary):
        votes, n_units, unit = data.direct_pairwise(), data.n_units, "instance"
        names, tallies = tuple(data.tasks), data.tallies.values()
        sizes = np.array([tally.n_units for tally in tallies], dtype=np.int64)
        by_task = np.stack([tally.n_units - tally.observed for tally in tallies], axis=1)
        missing = by_task.sum(axis=1)
    else:
        tasks: Sequence[Any] | None
        if isinstance(data, ScoreTable):
            unit = "instance" if data.is_instance_level else "task"
            profile, tasks = data.rankings(), data.tasks.at(data.unit_tasks)
        elif isinstance(data, Profile):
            unit, profile, tasks = "ranking", data, data.groups
        else:
            raise InvalidInputError("data", "a ScoreTable or a Profile", data, table_remedy(data))
        votes, n_units = profile.direct_pairwise(), profile.n_rankings
        gone = ~profile.observed
        missing, patterns = profile.counts @ gone, _patterns(gone, profile.counts)
        if tasks is not None:
            names = tuple(dict.fromkeys(tasks))
            of_task = label_numbers(tasks)
            by_task = np.zeros((profile.n_items, len(names)), dtype=np.int64)
            np.add.at(by_task.T, of_task, profile.counts[:, None] * gone)
            sizes = exact.count_cells(of_task, profile.counts, len(names)).astype(np.int64)
    return MissingReport(
        items=votes.items,
        tasks=names,
        unit=unit,
        n_units=n_units,
        missing=missing,
        missing_by_task=by_task,
        task_sizes=sizes,
        comparisons=votes.comparisons,
        _patterns=patterns,
    )


class MissingReport(Result):
    """Missing cells by item and task.

    Made by `missing_report`. `plot` draws a `rankagg.plotting.missingness_map`: of tasks, or of
    patterns where there are no tasks.

    Attributes
    ----------
    items : ItemSet
        The items.
    tasks : tuple or None
        The tasks, in the order in which they first occur; None where there are none.
    unit : str
        The unit of a cell: "task", "instance" or "ranking".
    n_units : int
        Number of units, with counts.
    missing : ndarray of int, shape (n,)
        Number of units in which each item is missing.
    missing_by_task : ndarray of int, shape (n, k), or None
        The same within each task.
    task_sizes : ndarray of int, shape (k,), or None
        Number of units of each task.
    comparisons : ndarray of float, shape (n, n)
        Summed weights of the rankings that compare row and column.
    """

    items: ItemSet
    tasks: tuple[Any, ...] | None
    unit: str
    n_units: int
    missing: Integers64
    missing_by_task: Integers64 | None
    task_sizes: Integers64 | None
    comparisons: Floats
    _patterns: tuple[tuple[int, tuple[int, ...]], ...] | None

    _schema = "rankagg.missing"
    _plot = "missingness_map"

    # -- counts -------------------------------------------------------------------------------

    @property
    def n_missing(self) -> int:
        """Number of missing cells."""
        return int(self.missing.sum())

    @property
    def n_cells(self) -> int:
        """Number of all cells."""
        return self.n_units * len(self.items)

    @cached_property
    def never_compared(self) -> tuple[tuple[Label, Label], ...]:
        """The pairs that no ranking compares."""
        return self.items.pairs_where(np.triu(self.comparisons == 0, k=1))

    @cached_property
    def groups(self) -> tuple[tuple[Label, ...], ...]:
        """The connected components of the comparisons, the largest first.

        The order of two items of different components is unknown without an assumption.
        """
        label = connected_parts(self.comparisons > 0)
        groups = (self.items.where(label == number) for number in np.unique(label))
        return tuple(sorted(groups, key=len, reverse=True))

    @property
    def absent(self) -> Bools:
        """True where an item is missing in all units of a task, shape (n, k)."""
        return np.asarray(self.by_task() == 1)

    # -- tables -------------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return one row per item, in the order of the items.

        Returns
        -------
        pandas.DataFrame
            observed and missing: numbers of units; share: of missing units; compared_with: number
            of other items that it is compared with; and, where there are tasks, tasks_absent and
            tasks_partly: number of tasks with all units missing, and with some.
        """
        columns = {
            "observed": self.n_units - self.missing,
            "missing": self.missing,
            "share": self.missing / self.n_units,
        }
        if self.missing_by_task is not None:
            columns["tasks_absent"] = self.absent.sum(axis=1)
            columns["tasks_partly"] = ((self.missing_by_task > 0) & ~self.absent).sum(axis=1)
        columns["compared_with"] = (self.comparisons > 0).sum(axis=1)
        return pd.DataFrame(columns, index=self._index())

    def by_task(self) -> pd.DataFrame:
        """Return the share of missing units, items x tasks."""
        if self.missing_by_task is None or self.task_sizes is None:
            raise InvalidInputError("data", "data with tasks", self)
        shares = self.missing_by_task / self.task_sizes
        return pd.DataFrame(shares, index=self._index(), columns=list(self.tasks or ()))

    def patterns(self) -> pd.DataFrame:
        """Return which items are missing together, the most frequent pattern first.

        Returns
        -------
        pandas.DataFrame
            units: number with the pattern; missing: a tuple of items.

        Raises
        ------
        InformationLostError
            If the data were a summary.
        """
        if self._patterns is None:
            raise InformationLostError(
                "Patterns need the scores; a ScoreSummary does not hold them. Read the scores with "
                "`read_scores`."
            )
        rows = [
            {"units": units, "missing": tuple(self.items[i] for i in gone)}
            for units, gone in self._patterns
        ]
        return pd.DataFrame(rows)

    def _index(self) -> pd.Index[Any]:
        return pd.Index(list(self.items), name="item")

    def _content(self) -> dict[str, Any]:
        sizes = self._plain("unit", "n_units", "n_cells", "n_missing")
        items = self.to_frame().reset_index().to_dict("records")
        pairs = self._plain("never_compared", "groups")
        return {**sizes, "items": items, **pairs, "assumptions": dict(ASSUMPTIONS)}

    # -- text ---------------------------------------------------------------------------------

    def _table(self) -> pd.DataFrame:
        frame = self.to_frame()
        return frame[frame["missing"] > 0].sort_values("missing", ascending=False, kind="stable")

    def _facts(self) -> list[str]:
        share = 100 * self.n_missing / self.n_cells
        cells = part_of(self.n_missing, "cells missing", self.n_cells, "cells", "cell")
        percent = quantity(share, "percent of cells missing", ".3g", of=self.n_cells)
        items = quantity(len(self.items), "items", noun="item")
        units = quantity(self.n_units, "units", noun=self.unit)
        return [sentence("{} missing ({} %): {}, {}", cells, percent, items, units)]

    def _below(self, rows: int | None = ROWS) -> list[str]:
        lines = self._comparison_lines(rows)
        if self.n_missing:
            lines += [f"{policy:<8}assumes: {text}" for policy, text in ASSUMPTIONS.items()]
        return lines

    def _comparison_lines(self, limit: int | None) -> list[str]:
        lines = ["all pairs of items were compared"]
        if self.never_compared:
            pairs = [f"{shortened(a)} and {shortened(b)}" for a, b in self.never_compared[:limit]]
            left = len(self.never_compared) - len(pairs)
            number = quantity(left, "pairs not listed", of=len(self.never_compared))
            more = sentence("; and {} more", number) if left else ""
            lines = [sentence("never compared: {}{}", "; ".join(pairs), more)]
        if len(self.groups) > 1:
            parts = " | ".join(map(listed, self.groups[:limit]))
            lines.append(f"no chain of comparisons connects: {parts}")
        return lines

    def __repr__(self) -> str:
        return f"<MissingReport: {self.n_missing} of {counted(self.n_cells, 'cell')} missing>"


def _patterns(gone: Bools, counts: Integers64) -> tuple[tuple[int, tuple[int, ...]], ...]:
    kinds, where = np.unique(gone, axis=0, return_inverse=True)
    units = np.bincount(where.ravel(), weights=counts).astype(np.int64)
    order = np.argsort(-units, kind="stable")
    return tuple((int(units[k]), tuple(np.flatnonzero(kinds[k]).tolist())) for k in order)
