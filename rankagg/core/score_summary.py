"""Sums over scores that suffice for votes, means and intervals."""

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
from rankagg.core.task_tally import TaskTally, weighted_sum
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
    """Return a sort key of labels: numbers first, then text."""
    return isinstance(label, str), label


class ScoreSummary(ScoredTasks):
    """Sums over the scores of systems on the instances of tasks, without the scores.

    Made by `ScoreScan.summarize`, or `from_scores`. Means, Borda's rule, all rules on votes, exact
    Kemeny, `compare` and intervals take it like other data. Their results are the same to the last
    bit as from the scores. Methods that need single rankings raise `InformationLostError`.

    ``+`` adds the summaries of two parts of the data. Make sure that no instance is in both parts;
    this is not checked.

    Parameters
    ----------
    systems : ItemSet
        The systems.
    tallies : mapping from task to TaskTally
        The sums over the scores of each task.
    higher_is_better : bool, mapping or Series from task to bool
        The direction of the scores in these sums.
    task_weights : mapping or Series from task to float, optional
        Weights from 1e-100 to 1e100; tasks not named weigh 1.

    Attributes
    ----------
    systems : ItemSet
        The systems.
    tasks : ItemSet
        The tasks, in the order of first occurrence. Equality ignores the order.

    Notes
    -----
    A task takes 16 bytes for every two systems, and 16 more for each number of systems, below all
    of them, that occurs on an instance.

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
            raise InvalidInputError("tallies", "tallies of at least one task", dict(tallies))
        tasks = ItemSet(tallies)
        for task, tally in tallies.items():
            if len(tally) != len(systems) or not tally.n_units:
                allowed = f"of {counted(len(systems), 'system')}, with a score"
                raise InvalidInputError("tallies", allowed, Described(f"a tally of {task!r}"))
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
            The scores; `n_empty` counts the units without any.
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
        return (
            self.systems,
            self.unranked,
            tuple(
                (task, self._directions[task], self._weights[task], self._tallies[task])
                for task in sorted(self.tasks, key=_sortable)
            ),
        )

    # -- shape --------------------------------------------------------------------------------

    @property
    def tallies(self) -> Mapping[Label, TaskTally]:
        """The sums over the scores of each task."""
        return MappingProxyType(self._tallies)

    @property
    def n_units(self) -> int:
        """The number of instances with a score, of all tasks."""
        return sum(tally.n_units for tally in self._tallies.values())

    @property
    def n_empty(self) -> int:
        """The number of instances without any score; they count nowhere else."""
        return sum(tally.n_empty for tally in self._tallies.values())

    @property
    def n_missing(self) -> int:
        """The number of missing scores of instances with a score."""
        present = sum(int(tally.observed.sum()) for tally in self._tallies.values())
        return self.n_units * self.n_systems - present

    # -- votes and means ----------------------------------------------------------------------

    def pairwise(self) -> PairwiseMatrix:
        """Count the votes for one system above the other; see `Profile.pairwise`."""
        policy = self.unranked
        tallies, weights = list(self._tallies.values()), self.weight_vector
        rational = exact.as_rational(weights)
        votes = [int(vote) for vote in rational.numerators]
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
            # The weight of "row before column" for an absent row and a present column.
            if is_exact:
                terms = [
                    (placed, vote * (over // (2 * (k + 1))))
                    for part, vote in zip(tallies, votes, strict=True)
                    for k, placed in zip(
                        part.sizes.tolist(), cast(Integers, part.shares), strict=True
                    )
                ]
            else:
                terms = list(zip([part.on_grid for part in tallies], votes, strict=True))
            shares = weighted_sum(*zip(*terms, strict=True))
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
        denominator = over * rational.denominator
        rounding = Fraction(rational.step) / 2 * int(units.sum())
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
            # A single absent system is last, and thus compared with all.
            is_decided=not sizes or (policy == "last" and sizes[0] == self.n_systems - 1),
            shares=over,
        )

    def direct_pairwise(self) -> PairwiseMatrix:
        """Count the votes of units that compare both systems, without shares of absent ones."""
        return (self if self.unranked == "last" else self.with_unranked("ignore")).pairwise()

    def scaled_means(self, signed: bool) -> tuple[Floats, Floats, int]:  # noqa: D102
        # The sizes are those of the means, since the sums have no others.
        tallies = self._tallies.values()
        digits = max(abs(total).bit_length() for tally in tallies for total in tally.sums)
        shift = HIGHEST + FLOAT_PLACES - digits
        columns = []
        for task, tally in self._tallies.items():
            sign = -1 if signed and not self._directions[task] else 1
            pairs = zip(tally.sums, tally.observed.tolist(), strict=True)
            columns.append([_exact_mean(sign * total, count, shift) for total, count in pairs])
        means = np.array(columns, dtype=np.float64).T
        return means, np.abs(means), shift

    def by_task(self) -> dict[Label, ScoreSummary]:
        """Return the summary of each task."""
        return {task: self.with_tallies({task: tally}) for task, tally in self._tallies.items()}

    def with_tallies(
        self, tallies: Mapping[Label, TaskTally], task_weights: Mapping[Label, float] | None = None
    ) -> ScoreSummary:
        """Return a summary with other tallies of some of the tasks.

        Parameters
        ----------
        tallies : mapping from task to TaskTally
            The sums over the scores of each task.
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
        """Return the summary with the tasks sorted by label, numbers first."""
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
        for name, mine, theirs in (
            ("higher_is_better", self._directions, other._directions),
            ("task_weights", self._weights, other._weights),
        ):
            for task in mine:
                if theirs.get(task, mine[task]) != mine[task]:
                    raise InvalidInputError(
                        name, f"{mine[task]!r} for {task!r}, as in the other summary", theirs[task]
                    )
        tallies = dict(self._tallies)
        positions = np.array(other.systems.indices(self.systems.labels), dtype=np.int64)
        is_same = bool((positions == np.arange(len(positions))).all())
        for task, tally in other._tallies.items():
            added = tally if is_same else tally.reordered(positions)
            tallies[task] = tallies[task] + added if task in tallies else added
        return ScoreSummary(
            self.systems,
            tallies,
            higher_is_better={**other._directions, **self._directions},
            task_weights={**other._weights, **self._weights},
        ).with_unranked(self.unranked)

    # -- plain data ---------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON with a checksum; `from_dict` reads it."""
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
        """Return the summary from the plain data of `to_dict`.

        Parameters
        ----------
        data : mapping
            The plain data.

        Raises
        ------
        DataFormatError
            If the data have another schema or version, or a wrong checksum.
        """
        if not isinstance(data, Mapping) or data.get("schema") != SUMMARY_SCHEMA:
            raise DataFormatError(f"the plain data are not of the schema {SUMMARY_SCHEMA!r}.")
        if (version := data.get("version")) != SUMMARY_VERSION:
            allowed = f"`version` must be {SUMMARY_VERSION}"
            raise DataFormatError(f"{SUMMARY_SCHEMA}: {allowed}. Got {version!r}.")
        content = {name: value for name, value in data.items() if name != "check"}
        if data.get("check") != _checksum(content):
            raise DataFormatError(f"{SUMMARY_SCHEMA}: the data differ from their checksum.")
        return cls(
            ItemSet(data["systems"]),
            {part["task"]: TaskTally.from_dict(part["tally"]) for part in data["tasks"]},
            higher_is_better={part["task"]: part["higher_is_better"] for part in data["tasks"]},
            task_weights={part["task"]: part["weight"] for part in data["tasks"]},
        ).with_unranked(data["unranked"])

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of systems, directions and sums, as 64 hexadecimal digits.

        Equal scores have the same value, in any order, parts or format; weights are not included.
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

    # -- display ------------------------------------------------------------------------------

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
    """Return a sum of `exact_sums` divided by `count`, times 2**shift, rounded as means are."""
    places = shift - FLOAT_PLACES
    return (total << max(places, 0)) / (1 << max(-places, 0)) / count if count else nan
