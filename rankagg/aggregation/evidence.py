"""Scores, rankings and pairwise votes of one data set, each computed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import scipy

from rankagg._typing import Bools, Directions, Label, Tolerance, Unranked
from rankagg._validation import is_frame
from rankagg.core import (
    ItemSet,
    PairwiseMatrix,
    PartialRanking,
    Profile,
    ScoreSummary,
    ScoreTable,
    Words,
    as_tolerance,
    counted,
)
from rankagg.core.comparisons import Comparisons
from rankagg.core.graphs import CELLS_AT_ONCE, CLOSED_AT_ONCE, Parts, connected_parts, gap_notes
from rankagg.exceptions import Described, InformationLostError, InvalidInputError

if TYPE_CHECKING:
    from rankagg.aggregation.base import Aggregator

#: Pairwise results, which hold no rankings.
PairData = PairwiseMatrix | Comparisons
#: Complete data, as read from files and other sources.
WholeData = ScoreTable | Profile | PairData
Data = WholeData | ScoreSummary


# Counting pairwise votes takes about 80 bytes per pair of items: 2 GB for this many.
MOST_ITEMS, BYTES_A_PAIR = 5_000, 80

# Nouns for messages about scores and about comparisons.
SCORED = Words("system", "task")
FOUGHT = Words("item", "battle", "battle")

#: Data, lists of orders, and mappings from order to count.
Held = Data | Sequence[Any] | Mapping[Any, int]
ORDERS = (
    "a ScoreTable, ScoreSummary, Profile, PairwiseMatrix or Comparisons, or orders of labels, best "
    "first, as a list or as a mapping from order to count"
)
#: The constructors to use if plain data are ambiguous.
STATED = (
    "`Profile.from_orders` takes orders, `Profile.from_ranks` ranks, and `ScoreTable` scores with "
    "their direction."
)
#: The functions that read a file.
READERS = (
    "`ra.recognize(path).read()` reads a file, and `ra.read_scores(path, higher_is_better=True)` "
    'scores (False for errors). Give orders in a list, as ["A > B > C"].'
)


def as_data(data: Any, parameter: str = "data") -> Any:
    """Convert orders, or a mapping from order to count, to a profile; keep other data.

    An order is a list or tuple of labels, best first, in which a list or tuple holds tied ones. It
    can also be a text such as "A > B = C", or "ABC" if all texts have the same letters. Labels
    missing from an order are unranked in it. Arrays, frames, paths, other texts and ambiguous
    sequences are refused. Messages call the data `parameter`.
    """
    if isinstance(data, Data):
        return data
    if isinstance(data, str | bytes | PathLike):
        raise InvalidInputError(
            parameter, "data that were read, or orders in a list", data, READERS
        )
    if isinstance(data, np.ndarray):
        got = Described(f"an array of shape {data.shape}")
        raise InvalidInputError(parameter, "data whose meaning is stated", got, STATED)
    if is_frame(data):
        remedy = (
            "`compare(frame, higher_is_better=True)` states it (False for errors), and so does "
            "`ScoreTable(frame, higher_is_better=True)`."
        )
        got = Described("a frame without the direction of its scores")
        raise InvalidInputError(parameter, "data whose meaning is stated", got, remedy)
    if isinstance(data, Mapping):
        orders, counts = list(data), list(data.values())
    elif isinstance(data, Sequence):
        orders, counts = list(data), None
    else:
        return data
    if not orders:
        raise InvalidInputError(parameter, "at least one order", data)
    if all(isinstance(order, PartialRanking) for order in orders):
        return Profile(orders, counts=counts)
    buckets = [_buckets(order, orders, parameter) for order in orders]
    labels = [label for order in buckets for bucket in order for label in bucket]
    if not any(isinstance(label, str) for label in labels):
        got = Described(f"{data!r:.60}")
        raise InvalidInputError(parameter, "orders of labels that are texts", got, STATED)
    items = ItemSet.coerce(None, labels)
    rankings = [PartialRanking.from_buckets(order, items=items) for order in buckets]
    return Profile(rankings, counts=counts)


def _buckets(order: object, orders: Sequence[Any], parameter: str) -> list[list[Any]]:
    """Return the groups of tied labels of an order, best first."""
    if isinstance(order, str):
        if ">" in order or "=" in order:
            groups = [[label.strip() for label in part.split("=")] for part in order.split(">")]
            if all(label for group in groups for label in group):
                return groups
        elif all(isinstance(one, str) and _alike(one, order) for one in orders):
            return [[letter] for letter in order]
    elif isinstance(order, list | tuple) and order:
        return [list(part) if isinstance(part, list | tuple) else [part] for part in order]
    allowed = 'orders such as ["A", "B", "C"] or "A > B > C"'
    raise InvalidInputError(parameter, allowed, order, STATED)


def _alike(one: str, other: str) -> bool:
    """Return whether two texts are orders of the same letters."""
    return len(one) > 1 and len(set(one)) == len(one) and sorted(one) == sorted(other)


class Evidence:
    """A data set as scores, as rankings and as votes, as far as it holds them.

    Rankings follow from scores, and votes from rankings, never the reverse. A summary of scores
    holds their means and votes, but no rankings.

    Parameters
    ----------
    data : ScoreTable, ScoreSummary, Profile, PairwiseMatrix or Comparisons
        The data as given.
    tolerance : float, mapping or Series from task to float, default 0
        Passed to `ScoreTable.rankings`; must be 0 for a summary.
    """

    def __init__(self, data: Held, tolerance: Tolerance = 0.0) -> None:
        data = as_data(data)
        if not isinstance(data, Data):
            raise InvalidInputError("data", ORDERS, data, STATED)
        if not (isinstance(tolerance, float) and tolerance == 0.0):
            tasks = data.tasks if isinstance(data, ScoreTable) else None
            tolerance = as_tolerance(tolerance, tasks)
        steps = tolerance.values() if isinstance(tolerance, Mapping) else [tolerance]
        if isinstance(data, ScoreSummary) and any(steps):
            allowed = "0 for a ScoreSummary, which was counted without"
            remedy = "Round the scores before they are added up, or read them with `read_scores`."
            raise InvalidInputError("tolerance", allowed, tolerance, remedy)
        self.data = data
        self.tolerance = tolerance

    @classmethod
    def of(
        cls,
        data: Held | Evidence,
        tolerance: Tolerance = 0.0,
        higher_is_better: Directions | None = None,
    ) -> Evidence:
        """Return the evidence for data; evidence is returned unchanged.

        Parameters
        ----------
        data : ScoreTable, ScoreSummary, Profile, PairwiseMatrix, Comparisons or Evidence
            The data, or orders as `as_data` takes them.
        tolerance : float, mapping or Series from task to float, default 0
            As for the class; evidence has its own.
        higher_is_better : bool, mapping or Series from task to bool, optional
            The direction of scores in a DataFrame; other data do not allow it.
        """
        if higher_is_better is not None:
            if not is_frame(data):
                allowed = "left out for data that are no DataFrame of scores"
                raise InvalidInputError("higher_is_better", allowed, higher_is_better)
            data = ScoreTable(cast(Any, data), higher_is_better=higher_is_better)
        if not isinstance(data, Evidence):
            return cls(data, tolerance)
        tolerance = as_tolerance(tolerance, None)
        if tolerance not in (0.0, data.tolerance):
            allowed = f"{data.tolerance!r}, or left out, for this evidence"
            remedy = "State it where the evidence is made."
            raise InvalidInputError("tolerance", allowed, tolerance, remedy)
        return data

    @property
    def items(self) -> ItemSet:
        """The ranked items."""
        if isinstance(self.data, ScoreTable | ScoreSummary):
            return self.data.systems
        return self.data.items

    @property
    def has_scores(self) -> bool:
        """True if the data are scores."""
        return isinstance(self.data, ScoreTable)

    @property
    def has_rankings(self) -> bool:
        """True if the data are rankings, or scores that induce them."""
        return isinstance(self.data, ScoreTable | Profile)

    @property
    def summary(self) -> ScoreSummary | None:
        """The summary of scores, if the data are one."""
        return self.data if isinstance(self.data, ScoreSummary) else None

    @property
    def is_complete_and_strict(self) -> bool:
        """True if every ranking is known to rank all items without ties."""
        if isinstance(self.data, ScoreSummary):
            return not self.data.n_missing and not self.votes.scaled_ties.any()
        return self.has_rankings and self.profile.is_complete and self.profile.is_strict

    @property
    def scores(self) -> ScoreTable:
        """The scores; raises `InformationLostError` if there are none."""
        if not isinstance(self.data, ScoreTable):
            raise InformationLostError(self._missing("scores"))
        return self.data

    @property
    def means(self) -> ScoreTable | ScoreSummary:
        """Scores or their summary; raises `InformationLostError` if there are none."""
        if isinstance(self.data, ScoreTable | ScoreSummary):
            return self.data
        raise InformationLostError(self._missing("scores"))

    @cached_property
    def profile(self) -> Profile:
        """The rankings; raises `InformationLostError` if there are none."""
        if isinstance(self.data, ScoreTable):
            return self.data.rankings(self.tolerance)
        if isinstance(self.data, Profile):
            return self.data
        raise InformationLostError(self._missing("rankings"))

    def tolerance_for(self, task: Label) -> float:
        """Return the tolerance of one task.

        Parameters
        ----------
        task : str or int
            A task of the table.
        """
        if isinstance(self.tolerance, Mapping):
            return self.tolerance.get(task, 0.0)
        return self.tolerance

    @property
    def unranked(self) -> Unranked | None:
        """The policy for unranked items; None for comparisons and plain votes."""
        return None if isinstance(self.data, Comparisons) else self.data.unranked

    def with_unranked(self, unranked: Unranked) -> Evidence:
        """Return the same data with another policy for unranked items.

        Parameters
        ----------
        unranked : {"uniform", "ignore", "last"}
            The policy; comparisons and votes are already counted and do not change.
        """
        if isinstance(self.data, PairData) or self.data.unranked == unranked:
            return self
        return Evidence(self.data.with_unranked(unranked), self.tolerance)

    def read_by(self, rule: Aggregator) -> Evidence:
        """Return the data as a rule reads them: absent items last, if the rule does so.

        Parameters
        ----------
        rule : Aggregator
            The rule.
        """
        return self.with_unranked("last") if rule.reads_unranked == "last" else self

    @property
    def has_gaps(self) -> bool:
        """Whether a ranking, or a unit of scores, leaves an item unranked."""
        if isinstance(self.data, Profile):
            return self.data.has_unranked
        return isinstance(self.data, ScoreTable | ScoreSummary) and self.data.n_missing > 0

    @property
    def has_imputed_votes(self) -> bool:
        """Whether the data are votes that do not count absent items last."""
        if not isinstance(self.data, PairwiseMatrix) or self.data.is_decided:
            return False
        return self.data.unranked in ("uniform", "ignore")

    @cached_property
    def votes(self) -> PairwiseMatrix:
        """The pairwise votes; raises `InvalidInputError` for more than 5,000 items."""
        if not self.counts_pairs:
            n = len(self.items)
            allowed = f"of at most {MOST_ITEMS:,} items where votes on all pairs are counted"
            memory = f"whose votes take {BYTES_A_PAIR * n**2 / 1e9:.0f} GB"
            size = Described(f"{counted(n, 'item', ',')}, {memory}")
            remedy = "Rules on places, as Borda, need none; or leave out what few lists name."
            raise InvalidInputError("data", allowed, size, remedy)
        if isinstance(self.data, PairwiseMatrix):
            return self.data
        if isinstance(self.data, ScoreTable):
            return self.profile.pairwise()
        return self.data.pairwise()

    @property
    def counts_pairs(self) -> bool:
        """Whether the votes are given, or the items few enough to count them."""
        return len(self.items) <= MOST_ITEMS or isinstance(self.data, PairwiseMatrix)

    @cached_property
    def _present(self) -> Bools | None:
        """The items in each ranking, or compared with each item; None if that is all."""
        data = self.data
        if isinstance(data, Profile):
            return None if data.is_complete else data.observed
        if isinstance(data, ScoreTable):
            return ~np.isnan(data.values).T if data.n_missing else None
        if isinstance(data, ScoreSummary):
            return np.asarray(sum(tally.both for tally in data.tallies.values()) > 0)
        if len(self.items) == 1 or (isinstance(data, PairwiseMatrix) and data.is_decided):
            return None
        met = data.counts if isinstance(data, Comparisons) else data.scaled_comparisons
        present = met > 0
        np.fill_diagonal(present, present.any(axis=1))
        return present

    @cached_property
    def parts(self) -> Parts:
        """The group number of each item; chains of comparisons join the items of a group."""
        if self._present is None:
            return np.zeros(len(self.items), dtype=np.int32)
        return _parts_of_rows(self._present)

    @property
    def words(self) -> Words:
        """Nouns for items, units and votes in messages."""
        if isinstance(self.data, ScoreTable | ScoreSummary):
            return SCORED
        return FOUGHT if isinstance(self.data, Comparisons) else Words()

    @property
    def unit(self) -> str:
        """The noun for one ranking, task, instance or comparison."""
        if isinstance(self.data, ScoreTable | ScoreSummary):
            is_fine = isinstance(self.data, ScoreSummary) or self.data.is_instance_level
            return "instance" if is_fine else "task"
        return "comparison" if isinstance(self.data, PairData) else "ranking"

    def gaps(self, unit: str | None = None, *, by_policy: bool = True) -> tuple[str, ...]:
        """Return notes on items in no ranking, and on groups that no comparison joins.

        Parameters
        ----------
        unit : str, optional
            The noun to use, by default the `unit`.
        by_policy : bool, default True
            Whether the policy of the data places absent items; models ignore absent items.
        """
        if self._present is None or not self.parts.any():
            return ()
        unseen = np.logical_not(self._present.any(axis=0))
        policy = self.unranked if by_policy else None
        return gap_notes(self.items, self.parts, unseen, unit or self.unit, policy)

    def gaps_of_ballots(self) -> tuple[str, ...]:
        """Return `gaps` for a count, in which ballots that name a single candidate leave none."""
        is_joined = np.count_nonzero(np.bincount(self.parts) > 1) < 2
        return () if self.unranked == "last" and is_joined else self.gaps()

    def _missing(self, what: str) -> str:
        if isinstance(self.data, Comparisons):
            return f"needs {what}; Comparisons do not hold them."
        remedy = " Read the scores with `read_scores`." if self.summary else ""
        return f"needs {what}; a {type(self.data).__name__} does not hold them.{remedy}"


def _parts_of_rows(present: Bools) -> Parts:
    """Return the connected parts of the columns of a table, if each row joins its columns."""
    n = present.shape[1]
    part = np.arange(n, dtype=np.int32)
    size = max(1, CELLS_AT_ONCE // n)
    for start in range(0, len(present), size):
        block = present[start : start + size]
        # Shortcut: usually the first column shares a row with every other one.
        if block[block[:, 0]].any(axis=0).all():
            return np.zeros(n, dtype=np.int32)
        rows, columns = block.nonzero()
        ends = part[block.argmax(axis=1)[rows]], part[columns]
        number = int(part.max()) + 1
        if number <= CLOSED_AT_ONCE:
            linked = np.zeros((number, number), dtype=bool)
            linked[ends] = True
            joined = connected_parts(linked)
        else:
            graph = scipy.sparse.coo_array((np.ones(len(rows)), ends), shape=(number, number))
            _, joined = scipy.sparse.csgraph.connected_components(graph, directed=False)
        part = joined[part]
        if not part.any():
            break
    return part
