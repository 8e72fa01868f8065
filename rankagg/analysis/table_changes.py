"""What changed from one version of a table to the next, and by whose scores systems moved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from rankagg._typing import Bools, Floats, Label
from rankagg._validation import check_alpha
from rankagg.aggregation import Aggregator, Consensus, Deadline, Evidence, check_rule
from rankagg.aggregation.kemeny import Kemeny
from rankagg.analysis.robustness.perturbation import Near
from rankagg.core import ItemSet, Result, ScoreTable, counted, level_of, listed, p_text, plain_rows
from rankagg.exceptions import Described, InvalidInputError
from rankagg.inference.paired_test import run_on_pairs

#: What moves a system, in the order in which it is applied.
CAUSES = ("gone", "own_scores", "other_scores", "tasks", "came")


class Turn(NamedTuple):
    """Two systems that changed places, and how sure their order in the second table is."""

    above: Label
    below: Label
    p_value: float
    decided: bool


class TableChanges(Result):
    """Who came, went and moved between two versions of a table, made by `compare_tables`.

    It has no plot.

    Parameters
    ----------
    rule : str
        The rule that ranks both tables.
    items : ItemSet
        The systems in both.
    ranks : ndarray of float, shape (6, n)
        Their ranks, from 1, in the first table and after each cause of `to_frame`; NaN where
        unranked.
    turns : tuple of Turn
        The pairs that changed places.
    came, gone : tuple of labels
        Systems of the second table alone, and of the first alone.
    new_tasks, lost_tasks : tuple of labels
        Tasks of the second table alone, and of the first alone.
    n_scores : int
        How many scores of systems and tasks in both differ, or are missing in one of them.
    alpha : float
        The probability that any pair is called decided which is not.
    """

    rule: str
    items: ItemSet
    ranks: Floats
    turns: tuple[Turn, ...]
    came: tuple[Label, ...]
    gone: tuple[Label, ...]
    new_tasks: tuple[Label, ...]
    lost_tasks: tuple[Label, ...]
    n_scores: int
    alpha: float

    _schema: ClassVar[str] = "rankagg.table_changes"
    _row: ClassVar[str] = "system"

    def _facts(self) -> Iterator[str]:
        moved = int((self.ranks[0] != self.ranks[-1]).sum())
        systems = counted(len(self.items), "system")
        yield f"{moved} of {systems} in both tables moved, by {self.rule}"
        for what, labels in (
            ("systems that came", self.came),
            ("systems that went", self.gone),
            ("tasks that came", self.new_tasks),
            ("tasks that went", self.lost_tasks),
        ):
            yield f"{what}: {listed(labels) or 'none'}"
        yield f"scores that changed, of systems and tasks in both: {self.n_scores:,}"
        decided = sum(turn.decided for turn in self.turns)
        yield (
            f"{counted(len(self.turns), 'pair')} changed places, {decided} of them decided in the "
            f"second table at level {level_of(self.alpha)} for all pairs together"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per system in both tables, by its rank in the second.

        Returns
        -------
        pandas.DataFrame
            Indexed by system, with its ranks "before" and "after", how far it "moved" (up is
            positive), and how many of these places are due to each cause, applied one after the
            other: systems that are "gone", its "own_scores" and "other_scores" that changed, the
            "tasks" that came and went with what they weigh, and systems that "came". "decided" says
            whether it changed places with a system and the order of the two is decided now.
        """
        first, last = self.ranks[[0, -1]]
        columns = {"before": first, "after": last, "moved": first - last}
        columns |= dict(zip(CAUSES, -np.diff(self.ranks, axis=0), strict=True))
        frame = pd.DataFrame(columns, index=pd.Index(self.items.labels, name="system"))
        decided = {label for turn in self.turns if turn.decided for label in turn[:2]}
        frame = frame.astype("Int64").assign(decided=[label in decided for label in self.items])
        return frame.sort_values(["after", "before"], kind="stable")

    def turned(self) -> pd.DataFrame:
        """Return the pairs of systems that changed places.

        Returns
        -------
        pandas.DataFrame
            With "above", which is above in the second table, and "below"; "p_value" of their paired
            test on the second table, and whether they are "decided".
        """
        return pd.DataFrame(self.turns, columns=Turn._fields)

    def _content(self) -> Mapping[str, Any]:
        names = ("rule", "came", "gone", "new_tasks", "lost_tasks", "n_scores", "alpha")
        return {
            **self._plain(*names),
            "systems": plain_rows(self.to_frame().reset_index()),
            "pairs": plain_rows(self.turned()),
        }

    def _below(self, rows: int | None = 30) -> Iterable[str]:
        for turn in self.turns[:rows]:
            told = "decided" if turn.decided else "open"
            yield f"{turn.above} is now above {turn.below}: {told} (p = {p_text(turn.p_value)})"
        if rows is not None and len(self.turns) > rows:
            yield f"... and {counted(len(self.turns) - rows, 'more pair')}"


def compare_tables(
    before: ScoreTable, after: ScoreTable, rule: Aggregator | None = None, *, alpha: float = 0.05
) -> TableChanges:
    """Say who came, went and moved from one version of a table to the next, and why.

    Parameters
    ----------
    before, after : ScoreTable
        Two versions with systems in common; a task in both has one direction.
    rule : Aggregator, optional
        What ranks both; the exact `Kemeny()` by default.
    alpha : float, default 0.05
        Of all pairs of systems in both, the probability that any is called decided which is not.

    Returns
    -------
    TableChanges
        A pair that changed places is decided where its paired test on the second table rejects at
        `alpha` over the number of all pairs (Bonferroni), in favor of the one above.

    Raises
    ------
    InvalidInputError
        If no system is in both tables, or a task has another direction in the second.

    Examples
    --------
    >>> import rankagg as ra
    >>> stated = {"tasks": "xy", "higher_is_better": True}
    >>> old = ra.ScoreTable([[3, 3], [2, 2], [1, 1]], systems="ABC", **stated)
    >>> new = ra.ScoreTable([[3, 3], [4, 4], [5, 1]], systems="ABD", **stated)
    >>> changes = ra.analysis.compare_tables(old, new)
    >>> changes.came, changes.gone
    (('D',), ('C',))
    >>> changes.to_frame()[["before", "after", "moved", "own_scores", "other_scores"]]
            before  after  moved  own_scores  other_scores
    system
    B            2      1      1           1             0
    A            1      3     -2           0            -1
    """
    for name, table in (("before", before), ("after", after)):
        if not isinstance(table, ScoreTable):
            raise InvalidInputError(name, "a ScoreTable", table)
    chosen = Kemeny() if rule is None else check_rule(rule)
    level = check_alpha(alpha)
    items = ItemSet(_shared(before.systems, after.systems, "system"))
    tasks = [task for task in before.tasks if task in after.tasks]
    for task in tasks:
        if before.higher_is_better[task] != after.higher_is_better[task]:
            told = Described(f"another direction of {task!r}")
            raise InvalidInputError("after", "of the same directions as `before`", told)
    found = chosen.aggregate(before, rng=0), chosen.aggregate(after, rng=0)
    changed = _changed(before, after, items, tasks)
    ranks = _ranks_by_cause((before, after), found, items, tasks, changed)
    return TableChanges(
        rule=chosen.name,
        items=items,
        ranks=ranks,
        turns=tuple(_turns(after, items, ranks, level)),
        came=tuple(label for label in after.systems if label not in before.systems),
        gone=tuple(label for label in before.systems if label not in after.systems),
        new_tasks=tuple(task for task in after.tasks if task not in before.tasks),
        lost_tasks=tuple(task for task in before.tasks if task not in after.tasks),
        n_scores=int(changed.sum()),
        alpha=level,
    )


def _shared(first: ItemSet, second: ItemSet, noun: str) -> list[Label]:
    shared = [label for label in second if label in first]
    if not shared:
        told = Described(f"none of {listed(first)}")
        raise InvalidInputError("after", f"a table with some {noun} of `before`", told)
    return shared


def _changed(before: ScoreTable, after: ScoreTable, items: ItemSet, tasks: list[Label]) -> Bools:
    """Return which scores of systems and tasks in both differ, shape (n, k)."""
    old, new = (
        table.task_scores()[np.ix_(table.systems.indices(items), table.tasks.indices(tasks))]
        for table in (before, after)
    )
    return np.asarray((old != new) & ~(np.isnan(old) & np.isnan(new)))


def _ranks_by_cause(
    tables: tuple[ScoreTable, ScoreTable],
    consensuses: tuple[Consensus, Consensus],
    items: ItemSet,
    tasks: list[Label],
    changed: Bools,
) -> Floats:
    """Return the ranks of the common systems at first and after each cause, shape (6, n).

    Kemeny's ranking of a mixed table starts from that of the first table without the systems that
    are gone, so no system moves where that is still optimal; equal votes get equal ranks.
    """
    (before, after), rule = tables, consensuses[0].rule
    first, last = (_ranks_in(consensus, items) for consensus in consensuses)
    old, new = (_cells(table, items) for table in tables)
    # Removed tasks stay, and new ones are absent, until the step of the tasks.
    scored = pd.concat(
        [
            old.loc[:, [cell[0] not in tasks for cell in old]],
            new.loc[:, [cell[0] in tasks for cell in new]],
        ],
        axis=1,
    )
    base_table = _table_of(old, before)
    base = consensuses[0] if before.systems == items else rule.aggregate(base_table, rng=0)
    near, known = Near.of(rule, base, items), {}

    def ranks_of(table: ScoreTable, ranks: Floats | None = None) -> Floats:
        if near is None:
            return _ranks_in(rule.aggregate(table, rng=0), items) if ranks is None else ranks
        evidence = Evidence(table)
        votes = evidence.votes.wins.tobytes()
        if votes not in known:
            if ranks is None:
                ranks = _ranks_in(near.consensus(evidence, Deadline()), items)
            known[votes] = ranks
        return known[votes]

    without = ranks_of(base_table, first if set(before.systems) == set(items) else None)
    retasked = ranks_of(_table_of(new, after), last if set(after.systems) == set(items) else None)
    own, n, rows = without.copy(), len(items), pd.concat([old, scored])
    for at in np.flatnonzero(changed.any(axis=1)).tolist():
        # The old scores of all other systems, and the new ones of this one.
        chosen = np.where(np.arange(n) == at, n, 0) + np.arange(n)
        own[at] = ranks_of(_table_of(rows.iloc[chosen], before))[at]
    return np.stack([first, without, own, ranks_of(_table_of(scored, before)), retasked, last])


def _cells(table: ScoreTable, items: ItemSet) -> pd.DataFrame:
    """Return the scores of some systems, by task and instance; a task is its own instance."""
    tasks = table.tasks.at(table.unit_tasks)
    columns = list(zip(tasks, table.instances or tasks, strict=True))
    values = table.values[table.systems.indices(items)]
    return pd.DataFrame(values, index=list(items), columns=pd.Index(columns, tupleize_cols=False))


def _table_of(cells: pd.DataFrame, like: ScoreTable) -> ScoreTable:
    """Return cells as a table, without what nobody has a score of, with directions of another."""
    cells = cells.loc[:, cells.notna().any(axis=0)]
    tasks, instances = zip(*cells.columns, strict=True)
    weights = {task: like.task_weights[task] for task in dict.fromkeys(tasks)}
    table = ScoreTable(
        cells.to_numpy(),
        systems=list(cells.index),
        tasks=tasks,
        instances=instances if like.instances is not None else None,
        higher_is_better={task: like.higher_is_better[task] for task in weights},
        task_weights=weights,
    )
    return table.with_unranked(like.unranked)


def _ranks_in(consensus: Consensus, items: ItemSet) -> Floats:
    ranking = consensus.ranking
    return np.array([ranking.rank(label) or np.nan for label in items], dtype=np.float64)


def _turns(after: ScoreTable, items: ItemSet, ranks: Floats, alpha: float) -> Iterator[Turn]:
    """Yield the pairs that changed places, best first, each with its paired test."""
    n, (first, last) = len(items), ranks[[0, -1]]
    order = np.argsort(last, kind="stable")
    first, last = first[order], last[order]
    turned = np.argwhere((first[:, None] > first) & (last[:, None] < last))
    pairs = [tuple(items.at(order[pair])) for pair in turned]
    for test in run_on_pairs(after, pairs, rng=0) if pairs else ():
        is_decided = test.p_value <= alpha / (n * (n - 1) / 2) and test.effect > 0
        yield Turn(test.first, test.second, test.p_value, is_decided)
