"""Changes between two versions of a table, and their causes."""

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
from rankagg.exceptions import Described, InvalidInputError, shown
from rankagg.inference.paired_test import run_on_pairs

#: Causes of moves, in the order in which they are applied.
CAUSES = ("gone", "own_scores", "other_scores", "tasks", "came")


class Turn(NamedTuple):
    """Two systems that changed places, with the test of their order in the second table."""

    above: Label
    below: Label
    p_value: float
    decided: bool


class TableChanges(Result):
    """Systems that came, went and moved between two versions of a table.

    Made by `compare_tables`; it has no plot.

    Parameters
    ----------
    rule : str
        Name of the rule that ranks both tables.
    items : ItemSet
        The systems in both.
    ranks : ndarray of float, shape (6, n)
        Their ranks, from 1, in the first table and after each cause of `to_frame`; NaN where
        unranked.
    turns : tuple of Turn
        The pairs that changed places.
    came, gone : tuple of labels
        Systems of the second table only, and of the first only.
    new_tasks, lost_tasks : tuple of labels
        Tasks of the second table only, and of the first only.
    n_scores : int
        Number of scores, of systems and tasks in both, that differ or are missing in one table.
    alpha : float
        Family-wise error rate of the decisions on pairs.
    notes : tuple of str
        Reasons why moves may be due to chance: no proof, or several optimal rankings.
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
    notes: tuple[str, ...]

    _schema: ClassVar[str] = "rankagg.table_changes"
    _row: ClassVar[str] = "system"

    def _facts(self) -> Iterator[str]:
        moved = int((self.ranks[0] != self.ranks[-1]).sum())
        systems = counted(len(self.items), "system")
        yield f"{moved} of {systems} in both tables moved, by {self.rule}"
        yield from (f"note: {note}" for note in self.notes)
        for name, labels in (
            ("systems that came", self.came),
            ("systems that went", self.gone),
            ("tasks that came", self.new_tasks),
            ("tasks that went", self.lost_tasks),
        ):
            yield f"{name}: {listed(labels) or 'none'}"
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
            Indexed by system, with its ranks "before" and "after", the places it "moved" (up is
            positive), and the places due to each cause, applied one after the other: systems that
            are "gone", its "own_scores" and "other_scores" that changed, the "tasks" that came and
            went or changed in weight, and systems that "came". "decided" is True where it changed
            places with a system and the new order of the two is significant.
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
            "above" and "below" in the second table, "p_value" of their paired test on it, and
            "decided": whether the new order is significant.
        """
        return pd.DataFrame(self.turns, columns=Turn._fields)

    def _content(self) -> Mapping[str, Any]:
        names = ("rule", "came", "gone", "new_tasks", "lost_tasks", "n_scores", "alpha", "notes")
        return {
            **self._plain(*names),
            "systems": plain_rows(self.to_frame().reset_index()),
            "pairs": plain_rows(self.turned()),
        }

    def _below(self, rows: int | None = 30) -> Iterable[str]:
        for turn in self.turns[:rows]:
            status = "decided" if turn.decided else "open"
            yield f"{turn.above} is now above {turn.below}: {status} (p = {p_text(turn.p_value)})"
        if rows is not None and len(self.turns) > rows:
            yield f"... and {counted(len(self.turns) - rows, 'more pair')}"


def compare_tables(
    before: ScoreTable, after: ScoreTable, rule: Aggregator | None = None, *, alpha: float = 0.05
) -> TableChanges:
    """Compare two versions of a table: systems that came, went and moved, and why.

    Parameters
    ----------
    before, after : ScoreTable
        Two versions with systems in common. A task of both must have the same direction.
    rule : Aggregator, optional
        Rule that ranks both; the exact `Kemeny()` by default.
    alpha : float, default 0.05
        Family-wise error rate of the decisions on all pairs of systems in both tables.

    Returns
    -------
    TableChanges
        A pair that changed places is decided if its paired test on the second table rejects, in
        favor of the system above, at `alpha` divided by the number of all pairs (Bonferroni).

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
    shared = [label for label in after.systems if label in before.systems]
    if not shared:
        problem = Described(f"none of {listed(before.systems)}")
        raise InvalidInputError("after", "a table with some system of `before`", problem)
    items = ItemSet(shared)
    tasks = [task for task in before.tasks if task in after.tasks]
    for task in tasks:
        if before.higher_is_better[task] != after.higher_is_better[task]:
            problem = Described(f"another direction of {task!r}")
            raise InvalidInputError("after", "of the same directions as `before`", problem)
    found = chosen.aggregate(before, rng=0), chosen.aggregate(after, rng=0)
    changed = _changed(before, after, items, tasks)
    first, last = found
    ranks = _ranks_by_cause((before, first), (after, last), items, changed)
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
        notes=(*_likenesses(before, after), *_notes(found, items)),
    )


def _changed(before: ScoreTable, after: ScoreTable, items: ItemSet, tasks: list[Label]) -> Bools:
    """Return which scores of systems and tasks in both differ, shape (n, k)."""
    old, new = (
        table.task_scores()[np.ix_(table.systems.indices(items), table.tasks.indices(tasks))]
        for table in (before, after)
    )
    return np.asarray((old != new) & ~(np.isnan(old) & np.isnan(new)))


def _ranks_by_cause(
    before: tuple[ScoreTable, Consensus],
    after: tuple[ScoreTable, Consensus],
    items: ItemSet,
    changed: Bools,
) -> Floats:
    """Return the ranks of the common systems at first and after each cause, shape (6, n).

    Kemeny's search in a mixed table starts from the ranking of the first table, so that no system
    moves where that is still optimal; tables of equal votes get equal ranks.
    """
    (old_table, first), (new_table, last) = before, after
    old, new = _cells(old_table, items), _cells(new_table, items)
    # Until the step of the tasks, removed tasks stay and new ones are absent.
    shared = set(old_table.tasks) & set(new_table.tasks)
    scored = pd.concat([_of_tasks(old, shared, False), _of_tasks(new, shared, True)], axis=1)
    without = _table_of(old, old_table)
    rule, known = first.rule, dict[bytes, Floats]()
    base = first if old_table.systems == items else rule.aggregate(without, rng=0)
    near = Near.of(rule, base, items)

    def ranks_of(table: ScoreTable, known_ranks: Floats | None = None) -> Floats:
        evidence = Evidence(table)
        votes = b"" if near is None else evidence.votes.wins.tobytes()
        if votes in known:
            return known[votes]
        ranks = known_ranks
        if ranks is None:
            ranks = _ranks_in(
                near.consensus(evidence, Deadline()) if near else rule.aggregate(table, rng=0),
                items,
            )
        if near is not None:
            known[votes] = ranks
        return ranks

    ends = [_ranks_in(consensus, items) for consensus in (first, last)]
    is_same = [set(table.systems) == set(items) for table in (old_table, new_table)]
    without_gone = ranks_of(without, ends[0] if is_same[0] else None)
    retasked = ranks_of(_table_of(new, new_table), ends[1] if is_same[1] else None)
    own, n, rows = without_gone.copy(), len(items), pd.concat([old, scored])
    for at in np.flatnonzero(changed.any(axis=1)).tolist():
        # The old scores of all other systems, and the new ones of this one.
        chosen = np.arange(n) + np.where(np.arange(n) == at, n, 0)
        own[at] = ranks_of(_table_of(rows.iloc[chosen], old_table))[at]
    return np.stack(
        [ends[0], without_gone, own, ranks_of(_table_of(scored, old_table)), retasked, ends[1]]
    )


def _cells(table: ScoreTable, items: ItemSet) -> pd.DataFrame:
    """Return the scores of some systems by task and instance; a task is its own instance."""
    tasks = table.tasks.at(table.unit_tasks)
    columns = list(zip(tasks, table.instances or tasks, strict=True))
    values = table.values[table.systems.indices(items)]
    return pd.DataFrame(values, index=list(items), columns=pd.Index(columns, tupleize_cols=False))


def _of_tasks(cells: pd.DataFrame, tasks: set[Label], inside: bool) -> pd.DataFrame:
    columns: list[Any] = cells.columns.tolist()
    return cells[[column for column in columns if (column[0] in tasks) == inside]]


def _table_of(cells: pd.DataFrame, like: ScoreTable) -> ScoreTable:
    """Return the columns with scores as a table, with the directions and policy of another."""
    cells = cells.loc[:, cells.notna().any(axis=0)]
    tasks, instances = zip(*cells.columns, strict=True)
    weights = {task: like.task_weights[task] for task in dict.fromkeys(tasks)}
    return ScoreTable(
        cells.to_numpy(),
        systems=list(cells.index),
        tasks=tasks,
        instances=instances if like.instances is not None else None,
        higher_is_better={task: like.higher_is_better[task] for task in weights},
        task_weights=weights,
    ).with_unranked(like.unranked)


def _ranks_in(consensus: Consensus, items: ItemSet) -> Floats:
    ranking = consensus.ranking
    return np.array([ranking.rank(label) or np.nan for label in items], dtype=np.float64)


def _likenesses(before: ScoreTable, after: ScoreTable) -> Iterator[str]:
    """Yield names that came where one went that differs in case and blanks alone."""
    for noun, old, new in (
        ("systems", before.systems, after.systems),
        ("tasks", before.tasks, after.tasks),
    ):
        gone = {_plain(label): label for label in old if label not in new}
        for label in new:
            if label not in old and (other := gone.get(_plain(label))) is not None:
                yield (
                    f"{noun} {shown(other)} and {shown(label)} are taken for two, though only case "
                    "or blanks differ"
                )


def _plain(label: Label) -> str:
    return "".join(str(label).casefold().split())


def _notes(consensuses: tuple[Consensus, Consensus], items: ItemSet) -> Iterator[str]:
    """Yield notes on rankings without proof, and on equally good ones."""
    if any(consensus.is_proved is False for consensus in consensuses):
        yield "a ranking is not proved optimal: moves may be those of the search"
        return
    optima = (consensus.optima for consensus in consensuses)
    ranges = [each.rank_ranges() for each in optima if each is not None]
    if len(ranges) < len(consensuses):
        return
    (best, worst), (new_best, new_worst) = (
        [end[consensus.items.indices(items)] for end in ends]
        for consensus, ends in zip(consensuses, ranges, strict=True)
    )
    first, last = (_ranks_in(consensus, items) for consensus in consensuses)
    open_moves = (first != last) & (best <= new_worst) & (new_best <= worst)
    if number := int(open_moves.sum()):
        yield (
            f"{counted(number, 'move')} may be by chance: several rankings are optimal, and some "
            "leave the system at its rank"
        )


def _turns(after: ScoreTable, items: ItemSet, ranks: Floats, alpha: float) -> Iterator[Turn]:
    """Yield the pairs that changed places, best first, each with its paired test."""
    n, (first, last) = len(items), ranks[[0, -1]]
    order = np.argsort(last, kind="stable")
    first, last = first[order], last[order]
    turned = np.argwhere((first[:, None] > first) & (last[:, None] < last))
    pairs = [(items[int(order[i])], items[int(order[j])]) for i, j in turned]
    for test in run_on_pairs(after, pairs, rng=0) if pairs else ():
        is_decided = test.p_value <= alpha / (n * (n - 1) / 2) and test.effect > 0
        yield Turn(test.first, test.second, test.p_value, is_decided)
