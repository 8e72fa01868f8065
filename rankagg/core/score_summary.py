"""What any number of scores add up to: enough for votes, means and intervals, and small."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from math import lcm, nan
from types import MappingProxyType
from typing import Any, Self, cast

import numpy as np
import pandas as pd

from rankagg._typing import Directions, Floats, Integers, Label, TaskWeights
from rankagg.core import exact
from rankagg.core.exact_sum import FLOAT_PLACES, HIGHEST
from rankagg.core.items import ItemSet, counted
from rankagg.core.labels import as_directions, as_task_weights
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.scored_tasks import ScoredTasks
from rankagg.core.scores import ScoreTable
from rankagg.core.tally import grid, shares_fit
from rankagg.core.task_tally import (
    TaskTally,
    weighted_sum,
)
from rankagg.exceptions import (
    DataFormatError,
    Described,
    InvalidInputError,
    ItemMismatchError,
    visible,
)

SUMMARY_SCHEMA = "rankagg.score_summary"
SUMMARY_VERSION = 1


def _sortable(label: Label) -> tuple[bool, Label]:
    """Return what labels are sorted by: numbers first, then text."""
    return isinstance(label, str), label


class ScoreSummary(ScoredTasks):
    """Sums over the scores of systems on the instances of tasks, without the scores.

    Made by `ScoreScan.summarize`, or `from_scores`. It goes wherever data go: means, Borda's rule,
    all rules on votes, exact Kemeny, `compare`, intervals. What follows is the same to the last bit
    as from the scores themselves. What needs single rankings raises `InformationLostError`.

    Summaries of two parts of the data add up with `+`; that an instance is in one part only is
    yours to know.

    Parameters
    ----------
    systems : ItemSet
        The systems.
    tallies : mapping from task to TaskTally
        What the scores of each task add up to.
    higher_is_better : bool, mapping or Series from task to bool
        The direction that they were counted with.
    task_weights : mapping or Series from task to float, optional
        Weights from 1e-100 to 1e100; tasks not named weigh 1.

    Attributes
    ----------
    systems : ItemSet
        The systems.
    tasks : ItemSet
        The tasks, in the order in which they first occur. The order is no part of the value.

    Notes
    -----
    A task takes 16 bytes for each two systems, and 16 more for each number of systems, other than
    all of them, that are there together on some instance.

    Examples
    --------
    >>> import rankagg as ra
    >>> table = ra.ScoreTable([[3, 3, 0], [1, 1, 9]], systems="AB", higher_is_better=True,
    ...                       tasks=["x", "x", "y"], instances=[0, 1, 0])
    >>> summary = ra.ScoreSummary.from_scores(table)
    >>> summary
    <ScoreSummary of 2 systems x 2 tasks, 3 instances, 0 of 6 scores missing>
    >>> ra.Borda().aggregate(summary)
    <Consensus by Borda: A > B>
    >>> summary + summary
    <ScoreSummary of 2 systems x 2 tasks, 6 instances, 0 of 12 scores missing>
    """

    _tallies: dict[Label, TaskTally]

    def __init__(
        self,
        systems: ItemSet,
        tallies: Mapping[Label, TaskTally],
        *,
        higher_is_better: Directions,
        task_weights: TaskWeights | None = None,
    ) -> None:
        if not tallies:
            raise InvalidInputError("tallies", "those of one task at least", dict(tallies))
        tasks = ItemSet(tallies)
        for task, tally in tallies.items():
            if len(tally) != len(systems) or not tally.n_units:
                allowed = f"of {counted(len(systems), 'system')}, with a score"
                raise InvalidInputError("tallies", allowed, Described(f"those of {task!r}"))
        weights = as_task_weights(task_weights, tasks)
        self._set(
            systems=systems,
            tasks=tasks,
            unranked="uniform",
            _tallies=dict(tallies),
            _directions=as_directions(higher_is_better, tasks),
            _weights=weights,
        )

    @classmethod
    def from_scores(cls, table: ScoreTable) -> Self:
        """Add up the scores of a table.

        Parameters
        ----------
        table : ScoreTable
            The scores; units without any are counted in `n_empty` and left out.
        """
        if not isinstance(table, ScoreTable):
            raise InvalidInputError("table", "a ScoreTable", table)
        tallies = {}
        for at, task in enumerate(table.tasks):
            units = np.flatnonzero(table.unit_tasks == at)
            scores, better = np.take(table.values, units, axis=1), table.higher_is_better[task]
            tallies[task] = TaskTally.of(scores, higher_is_better=better)
        return cls(
            table.systems,
            tallies,
            higher_is_better=table.higher_is_better,
            task_weights=table.task_weights,
        ).with_unranked(table.unranked)

    def _key(self) -> tuple[Hashable, ...]:
        tasks = sorted(self.tasks, key=_sortable)
        return (
            self.systems,
            self.unranked,
            tuple(
                (task, self._directions[task], self._weights[task], self._tallies[task])
                for task in tasks
            ),
        )

    # -- shape --------------------------------------------------------------------------------

    @property
    def tallies(self) -> Mapping[Label, TaskTally]:
        """What the scores of each task add up to."""
        return MappingProxyType(self._tallies)

    @property
    def n_units(self) -> int:
        """The number of instances of all tasks, without those that lack every score."""
        return sum(tally.n_units for tally in self._tallies.values())

    @property
    def n_empty(self) -> int:
        """The number of instances that lack every score; they count nowhere else."""
        return sum(tally.n_empty for tally in self._tallies.values())

    @property
    def n_missing(self) -> int:
        """The number of missing scores of the instances that have some."""
        present = sum(int(tally.observed.sum()) for tally in self._tallies.values())
        return self.n_units * self.n_systems - present

    # -- the way down -------------------------------------------------------------------------

    def pairwise(self) -> PairwiseMatrix:
        """Count for every two systems the votes for one above the other; see `Profile.pairwise`."""
        policy = self.unranked
        tallies, weights = list(self._tallies.values()), self.weight_vector
        importance = exact.as_rational(weights)
        votes = [int(vote) for vote in importance.numerators]
        sizes = sorted({k for part in tallies for k in part.sizes.tolist()})
        over = lcm(1, *(2 * (k + 1) for k in sizes)) if policy == "uniform" else 1
        is_exact = shares_fit(over, self.n_systems)
        if not is_exact:
            over = grid(self.n_systems)
        above, compared = zip(*(part.judged(policy) for part in tallies), strict=True)
        wins, comparisons = weighted_sum(above, votes), weighted_sum(compared, votes)
        ties = weighted_sum([part.ties for part in tallies], votes)
        missed = weighted_sum([part.missed for part in tallies], votes)
        if over > 1:
            # The weight of "row before column" where row is absent and column is there.
            if is_exact:
                held = [
                    (placed, vote * (over // (2 * (k + 1))))
                    for part, vote in zip(tallies, votes, strict=True)
                    for k, placed in zip(
                        part.sizes.tolist(), cast(Integers, part.shares), strict=True
                    )
                ]
            else:
                held = list(zip([part.on_grid for part in tallies], votes, strict=True))
            shares = weighted_sum(*zip(*held, strict=True))
            neither = weighted_sum([part.neither for part in tallies], votes)
            ahead = exact.combine(shares, 1, shares.T, -1)
            ahead = exact.combine(ahead, 1, missed, over)
            ahead = exact.combine(ahead, 1, neither, over // 2)
            wins = exact.combine(wins, over, ahead, 1)
            ties, comparisons = (exact.multiply(part, over) for part in (ties, comparisons))
        for array in (wins, ties, comparisons):
            np.fill_diagonal(array, 0)
        units = np.array([part.n_units for part in tallies])
        rounded = sum(
            vote * int(many)
            for part, vote in zip(tallies, votes, strict=True)
            for k, many in zip(part.sizes.tolist(), part.units_of_size, strict=True)
            if over > 1 and over % (2 * (k + 1))
        )
        denominator = over * importance.denominator
        rounding = Fraction(importance.step) / 2 * int(units.sum())
        squares = [w**2 * part for part, w in zip(compared, weights, strict=True)]
        return PairwiseMatrix(
            items=self.systems,
            wins=wins,
            ties=ties,
            comparisons=comparisons,
            denominator=denominator,
            squared_weights=np.sum(squares, axis=0, dtype=np.float64),
            unranked=policy,
            total_weight=exact.total(units, weights),
            rounding=exact.float_above(rounding + Fraction(rounded, 2 * denominator)),
            # One absent system is last, and compared with all.
            is_decided=not sizes or (policy == "last" and sizes[0] == self.n_systems - 1),
            shares=over,
        )

    def direct_pairwise(self) -> PairwiseMatrix:
        """Count the votes of those who compare both systems, without shares of absent ones."""
        return (self if self.unranked == "last" else self.with_unranked("ignore")).pairwise()

    def scaled_means(self, signed: bool) -> tuple[Floats, Floats, int]:  # noqa: D102
        # Sizes are those of the means, as sums know no others.
        tallies = self._tallies.values()
        digits = max(abs(total).bit_length() for tally in tallies for total in tally.sums)
        shift = HIGHEST + FLOAT_PLACES - digits
        columns = []
        for task, tally in self._tallies.items():
            sign = -1 if signed and not self._directions[task] else 1
            observed = tally.observed.tolist()
            pairs = zip(tally.sums, observed, strict=True)
            columns.append([_exact_mean(sign * total, count, shift) for total, count in pairs])
        means = np.array(columns, dtype=np.float64).T
        return means, np.abs(means), shift

    def by_task(self) -> dict[Label, ScoreSummary]:
        """Return the summary of each task."""
        return {task: self.with_tallies({task: tally}) for task, tally in self._tallies.items()}

    def with_tallies(
        self,
        tallies: Mapping[Label, TaskTally],
        task_weights: Mapping[Label, float] | None = None,
    ) -> ScoreSummary:
        """Return the summary of other sums over the scores of some of the tasks.

        Parameters
        ----------
        tallies : mapping from task to TaskTally
            The sums.
        task_weights : mapping from task to float, optional
            Other weights of these tasks.
        """
        weights = self._weights if task_weights is None else task_weights
        return ScoreSummary(
            self.systems,
            tallies,
            higher_is_better={task: self._directions[task] for task in tallies},
            task_weights={task: weights[task] for task in tallies},
        ).with_unranked(self.unranked)

    def sorted_by_task(self) -> ScoreSummary:
        """Return the same summary, the tasks in the order of their labels, numbers first."""
        return self.with_tallies(
            {task: self._tallies[task] for task in sorted(self.tasks, key=_sortable)}
        )

    # -- sums ---------------------------------------------------------------------------------

    def __add__(self, other: object) -> ScoreSummary:
        if not isinstance(other, ScoreSummary):
            return NotImplemented
        if set(self.systems) != set(other.systems):
            raise ItemMismatchError(
                "Added summaries must be of the same systems; only one has "
                f"{sorted(set(self.systems) ^ set(other.systems), key=_sortable)}."
            )
        if self.unranked != other.unranked:
            allowed = f"the same policy in both summaries ({self.unranked!r} here)"
            raise InvalidInputError("unranked", allowed, other.unranked)
        for what, mine, theirs in (
            ("higher_is_better", self._directions, other._directions),
            ("task_weights", self._weights, other._weights),
        ):
            for task in mine:
                if theirs.get(task, mine[task]) != mine[task]:
                    raise InvalidInputError(
                        what, f"{mine[task]!r} for {task!r}, as in the other summary", theirs[task]
                    )
        tallies = dict(self._tallies)
        positions = np.array(other.systems.indices(self.systems.labels), dtype=np.int64)
        is_same = bool((positions == np.arange(len(positions))).all())
        for task, tally in other._tallies.items():
            fitting = tally if is_same else tally.reordered(positions)
            tallies[task] = tallies[task] + fitting if task in tallies else fitting
        return ScoreSummary(
            self.systems,
            tallies,
            higher_is_better={**other._directions, **self._directions},
            task_weights={**other._weights, **self._weights},
        ).with_unranked(self.unranked)

    # -- plain data ---------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with a checksum; `from_dict` reads them."""
        content = {
            "schema": SUMMARY_SCHEMA,
            "version": SUMMARY_VERSION,
            "systems": list(self.systems),
            "unranked": self.unranked,
            "tasks": [
                {
                    "task": task,
                    "higher_is_better": self._directions[task],
                    "weight": self._weights[task],
                    "tally": tally.to_dict(),
                }
                for task, tally in self._tallies.items()
            ],
        }
        return {**content, "check": _checksum(content)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the summary that `to_dict` gave.

        Parameters
        ----------
        data : mapping
            The plain data.

        Raises
        ------
        DataFormatError
            If they are not such data, or were changed.
        """
        if not isinstance(data, Mapping) or data.get("schema") != SUMMARY_SCHEMA:
            raise DataFormatError(f"the plain data are not of the schema {SUMMARY_SCHEMA!r}.")
        if data.get("version") != SUMMARY_VERSION:
            version = data.get("version")
            known = f"{SUMMARY_VERSION} is"
            raise DataFormatError(f"{SUMMARY_SCHEMA}: version {version!r} is not known; {known}.")
        written = {name: value for name, value in data.items() if name != "check"}
        if data.get("check") != _checksum(written):
            raise DataFormatError(f"{SUMMARY_SCHEMA}: it was changed since it was written.")
        tallies = {part["task"]: TaskTally.from_dict(part["tally"]) for part in data["tasks"]}
        return cls(
            ItemSet(data["systems"]),
            tallies,
            higher_is_better={part["task"]: part["higher_is_better"] for part in data["tasks"]},
            task_weights={part["task"]: part["weight"] for part in data["tasks"]},
        ).with_unranked(data["unranked"])

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of systems, directions and sums, as 64 hexadecimal digits.

        The same for the same scores, however they were cut, ordered and stored; weights are no part
        of it.
        """
        systems = sorted(self.systems, key=_sortable)
        positions = np.array(self.systems.indices(systems), dtype=np.int64)
        digest = sha256(f"{SUMMARY_SCHEMA} {SUMMARY_VERSION}\n".encode())
        digest.update(json.dumps(systems).encode())
        for task in sorted(self.tasks, key=_sortable):
            tally = self._tallies[task].reordered(positions)
            content = [task, self._directions[task], tally.to_dict()]
            digest.update(f"\n{json.dumps(content)}".encode())
        return digest.hexdigest()

    # -- how it looks -------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return the mean scores as a DataFrame, systems x tasks."""
        return pd.DataFrame(
            self.task_scores(), index=list(self.systems.labels), columns=list(self.tasks.labels)
        )

    def __repr__(self) -> str:
        return (
            f"<ScoreSummary of {counted(self.n_systems, 'system')} x "
            f"{counted(self.n_tasks, 'task')}, {counted(self.n_units, 'instance')}, "
            f"{self.n_missing} of {counted(self.n_units * self.n_systems, 'score')} missing>"
        )

    def _repr_html_(self) -> str:
        return visible(self.to_frame().to_html(na_rep="", escape=True, max_rows=20, max_cols=20))


def _checksum(content: Mapping[str, Any]) -> str:
    return sha256(json.dumps(content, default=str, sort_keys=True).encode()).hexdigest()[:16]


def _exact_mean(total: int, count: int, shift: int) -> float:
    """Return a sum of `exact_sums` over so many terms, times 2**shift, rounded as means are."""
    places = shift - FLOAT_PLACES
    return (total << max(places, 0)) / (1 << max(-places, 0)) / count if count else nan
