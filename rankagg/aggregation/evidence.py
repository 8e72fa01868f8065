"""What is known at each stage of the chain from scores over rankings to votes, computed once."""

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

#: Results of pairs, which hold no rankings.
PairData = PairwiseMatrix | Comparisons
#: What files and other sources are read into at once.
WholeData = ScoreTable | Profile | PairData
Data = WholeData | ScoreSummary


# Counting takes some 80 bytes for each two items: 2 GB for so many.
MOST_ITEMS, BYTES_A_PAIR = 5_000, 80

# What sentences call what is in scores and in comparisons.
SCORED = Words("system", "task")
FOUGHT = Words("item", "battle", "battle")

#: Data, and what lists of orders and counts of them are.
Held = Data | Sequence[Any] | Mapping[Any, int]
ORDERS = (
    "a ScoreTable, ScoreSummary, Profile, PairwiseMatrix or Comparisons, or orders of labels, best "
    "first, as a list or as a mapping from order to count"
)
#: What one is to call where it is not certain what plain data are.
STATED = (
    "`Profile.from_orders` takes orders, `Profile.from_ranks` ranks, and `ScoreTable` scores with "
    "their direction."
)
#: What reads a file.
READERS = (
    "`ra.recognize(path).read()` reads a file, and `ra.read_scores(path, higher_is_better=True)` "
    'scores (False for errors). Orders stand in a list, as ["A > B > C"].'
)


def as_data(data: Any, parameter: str = "data") -> Any:
    """Return orders, and a mapping from order to count, as a profile; anything else comes back.

    An order is a list or tuple of labels, best first, in which a list or tuple holds tied ones; or
    a text such as "A > B = C", or "ABC" where all texts have the same letters. A label that an
    order leaves out is unranked in it. Arrays, frames, paths and other texts, and sequences of
    which it is not certain what they hold, are refused; `parameter` is what messages call the data.
    """
    if isinstance(data, Data):
        return data
    if isinstance(data, str | bytes | PathLike):
        raise InvalidInputError(
            parameter, "data that were read, or orders in a list", data, READERS
        )
    if isinstance(data, np.ndarray):
        told = Described(f"an array of shape {data.shape}")
        raise InvalidInputError(parameter, "data whose meaning is stated", told, STATED)
    if is_frame(data):
        remedy = (
            "`compare(frame, higher_is_better=True)` states it (False for errors), and so does "
            "`ScoreTable(frame, higher_is_better=True)`."
        )
        told = Described("a frame without the direction of its scores")
        raise InvalidInputError(parameter, "data whose meaning is stated", told, remedy)
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
        told = Described(f"{data!r:.60}")
        raise InvalidInputError(parameter, "orders of labels that are texts", told, STATED)
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
    """Say whether two texts are orders of the same letters."""
    return len(one) > 1 and len(set(one)) == len(one) and sorted(one) == sorted(other)


class Evidence:
    """A data set seen as scores, as rankings and as votes, as far as it holds them.

    Information only flows downhill: rankings follow from scores and votes from rankings, never
    the other way. A summary of scores holds their means and votes, but no rankings.

    Parameters
    ----------
    data : ScoreTable, ScoreSummary, Profile, PairwiseMatrix or Comparisons
        The data as given.
    tolerance : float, mapping or Series from task to float, default 0
        Passed to `ScoreTable.rankings`; a summary has been counted without.
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
        """Return the evidence that data are; evidence is what it is.

        Parameters
        ----------
        data : ScoreTable, ScoreSummary, Profile, PairwiseMatrix, Comparisons or Evidence
            The data, or what `as_data` makes some of.
        tolerance : float, mapping or Series from task to float, default 0
            As for the class; evidence has its own.
        higher_is_better : bool, mapping or Series from task to bool, optional
            The direction of scores in a DataFrame; it goes with nothing else.
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
        """The items that are ranked."""
        if isinstance(self.data, ScoreTable | ScoreSummary):
            return self.data.systems
        return self.data.items

    @property
    def has_scores(self) -> bool:
        """True where the data are scores."""
        return isinstance(self.data, ScoreTable)

    @property
    def has_rankings(self) -> bool:
        """True where the data are rankings, or scores that induce them."""
        return isinstance(self.data, ScoreTable | Profile)

    @property
    def summary(self) -> ScoreSummary | None:
        """What scores add up to, where the data are that."""
        return self.data if isinstance(self.data, ScoreSummary) else None

    @property
    def is_complete_and_strict(self) -> bool:
        """True where every ranking is known to rank all items, none of them tied."""
        if isinstance(self.data, ScoreSummary):
            return not self.data.n_missing and not self.votes.scaled_ties.any()
        return self.has_rankings and self.profile.is_complete and self.profile.is_strict

    @property
    def scores(self) -> ScoreTable:
        """The scores; raises `InformationLostError` where there are none."""
        if not isinstance(self.data, ScoreTable):
            raise InformationLostError(self._lost("scores"))
        return self.data

    @property
    def means(self) -> ScoreTable | ScoreSummary:
        """Scores, or what they add up to; raises `InformationLostError` where there are none."""
        if isinstance(self.data, ScoreTable | ScoreSummary):
            return self.data
        raise InformationLostError(self._lost("scores"))

    @cached_property
    def profile(self) -> Profile:
        """The rankings; raises `InformationLostError` where there are none."""
        if isinstance(self.data, ScoreTable):
            return self.data.rankings(self.tolerance)
        if isinstance(self.data, Profile):
            return self.data
        raise InformationLostError(self._lost("rankings"))

    def tolerance_for(self, task: Label) -> float:
        """Return the tolerance that is used for one task.

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
        """The policy of the data for unranked items; None for comparisons and plain votes."""
        return None if isinstance(self.data, Comparisons) else self.data.unranked

    def with_unranked(self, unranked: Unranked) -> Evidence:
        """Return the same data by another policy for unranked items.

        Parameters
        ----------
        unranked : {"uniform", "ignore", "last"}
            The policy; comparisons and votes, which are added up, stay as they are.
        """
        if isinstance(self.data, PairData) or self.data.unranked == unranked:
            return self
        return Evidence(self.data.with_unranked(unranked), self.tolerance)

    def read_by(self, rule: Aggregator) -> Evidence:
        """Return the data as a rule reads them: with absent items last, where it does that.

        Parameters
        ----------
        rule : Aggregator
            The rule.
        """
        return self.with_unranked("last") if rule.reads_unranked == "last" else self

    @property
    def has_gaps(self) -> bool:
        """Whether some ranking, or unit of scores, leaves an item unranked."""
        if isinstance(self.data, Profile):
            return self.data.has_unranked
        return isinstance(self.data, ScoreTable | ScoreSummary) and self.data.n_missing > 0

    @property
    def has_imputed_votes(self) -> bool:
        """Whether the data are votes in which absent items were not counted last."""
        data = self.data
        if not isinstance(data, PairwiseMatrix) or data.is_decided:
            return False
        return data.unranked in ("uniform", "ignore")

    @cached_property
    def votes(self) -> PairwiseMatrix:
        """The pairwise votes; raises `InvalidInputError` of more than 5,000 items."""
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
        """Whether votes are there or few enough to be counted."""
        return len(self.items) <= MOST_ITEMS or isinstance(self.data, PairwiseMatrix)

    @cached_property
    def _present(self) -> Bools | None:
        """Which items each ranking, or each item, is compared with; None where that is all."""
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
        present = np.asarray(met > 0)
        np.fill_diagonal(present, present.any(axis=1))
        return present

    @cached_property
    def parts(self) -> Parts:
        """The number of the group of each item: chains of comparisons join the items of one."""
        if self._present is None:
            return np.zeros(len(self.items), dtype=np.int32)
        return _parts_of_rows(self._present)

    @property
    def words(self) -> Words:
        """What sentences call what is in the data."""
        if isinstance(self.data, ScoreTable | ScoreSummary):
            return SCORED
        return FOUGHT if isinstance(self.data, Comparisons) else Words()

    @property
    def unit(self) -> str:
        """What compares items, in the singular."""
        if isinstance(self.data, ScoreTable | ScoreSummary):
            is_fine = isinstance(self.data, ScoreSummary) or self.data.is_instance_level
            return "instance" if is_fine else "task"
        return "comparison" if isinstance(self.data, PairData) else "ranking"

    def gaps(self, unit: str | None = None, *, by_policy: bool = True) -> tuple[str, ...]:
        """Return what to say of items in no ranking, and of groups that nothing joins.

        Parameters
        ----------
        unit : str, optional
            Another word for the `unit`.
        by_policy : bool, default True
            Whether the policy of the data places absent items; models look at what is there.
        """
        if self._present is None or not self.parts.any():
            return ()
        unseen = np.logical_not(self._present.any(axis=0))
        policy = self.unranked if by_policy else None
        return gap_notes(self.items, self.parts, unseen, unit or self.unit, policy)

    def _lost(self, what: str) -> str:
        if isinstance(self.data, Comparisons):
            return f"needs {what}; Comparisons do not hold them."
        remedy = " Read the scores with `read_scores`." if self.summary else ""
        return f"needs {what}; a {type(self.data).__name__} does not hold them.{remedy}"


def _parts_of_rows(present: Bools) -> Parts:
    """Return the parts of the columns of a table, where each row joins all columns that it has."""
    n = present.shape[1]
    part = np.arange(n, dtype=np.int32)
    size = max(1, CELLS_AT_ONCE // n)
    for start in range(0, len(present), size):
        block = present[start : start + size]
        # Most often the first column is together with each other one somewhere.
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
