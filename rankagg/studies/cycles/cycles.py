"""A grid of models and sizes: how often majorities are cyclic, and Borda and Kemeny disagree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from scipy.sparse.csgraph import connected_components

from rankagg._typing import Bools
from rankagg._validation import check_integer
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.positional import Borda
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.rankings.partial import PartialRanking, Permutation
from rankagg.cultures import StudyModel
from rankagg.distances import kendall_distance
from rankagg.exceptions import InvalidInputError
from rankagg.studies.cell_result import several
from rankagg.studies.cycles.cycle_result import CycleResult
from rankagg.studies.journal import FLAG, MISSING, NUMBER, TEXT, Kinds, Layout, Row
from rankagg.studies.study import Cell, Rows, Study

__all__ = ["CycleStudy", "CycleTrial", "ProfileCell"]

#: What a row holds, and the kinds of its values.
FIELDS: dict[str, Kinds] = {
    "method": TEXT,
    "winner": FLAG,
    "cycle": FLAG,
    "tied": FLAG,
    "finds_winner": FLAG + MISSING,
    "optimal": FLAG,
    "distance": NUMBER,
}
# Costs are sums of fractions; these are equal.
EQUAL = 1e-9


@dataclass(frozen=True)
class ProfileCell(Cell):
    """One drawn profile."""

    # What it is drawn from.
    model: StudyModel
    n_items: int
    n_rankings: int
    # Its number among its like.
    repetition: int

    @property
    def key(self) -> tuple[str, int, int, int]:
        """What tells it apart, as plain data."""
        return self.model.name, self.n_items, self.n_rankings, self.repetition


@dataclass(frozen=True)
class CycleTrial:
    """What is tried on every profile."""

    # Of all random numbers.
    seed: int
    deadline: Deadline = field(default_factory=Deadline)

    def run(self, cell: ProfileCell) -> list[Row]:
        """Draw a profile, look at its majorities, and hold Borda against Kemeny."""
        data = cell.model.draw(cell.n_items, cell.n_rankings, rng=cell.generator(self.seed, "data"))
        evidence = Evidence(data)
        votes = evidence.votes("uniform")
        beats = votes.wins > votes.wins.T
        n_beaten = beats.sum(axis=1)
        found = Borda().aggregate(evidence).ranking
        cyclic = _is_cyclic(beats)
        exact = self._kemeny(evidence) if cyclic else _majority_order(votes, beats)
        cost, least = votes.cost(found), votes.cost(exact)
        winner = np.flatnonzero(n_beaten == votes.n_items - 1)
        first = np.flatnonzero(found.ranks == 0)
        return [
            {
                "method": "Borda",
                "winner": bool(len(winner)),
                "cycle": cyclic,
                "tied": bool(n_beaten.sum() < votes.n_items * (votes.n_items - 1) // 2),
                "finds_winner": first.tolist() == winner.tolist() if len(winner) else None,
                "optimal": bool(cost <= least + EQUAL * (1 + least)),
                "distance": kendall_distance(found, exact, p=0.5),
            }
        ]

    def _kemeny(self, evidence: Evidence) -> PartialRanking:
        """Return an optimal ranking."""
        result = Kemeny().aggregate(evidence, deadline=self.deadline)
        if result.interrupted:
            raise KeyboardInterrupt
        if not result.is_proved:
            self.deadline.seconds_left()
        return result.ranking


def _is_cyclic(beats: Bools) -> bool:
    """Say whether some items beat one another in a circle: they are strongly connected."""
    number, _ = connected_components(beats, directed=True, connection="strong")
    return bool(number < len(beats))


def _majority_order(votes: PairwiseMatrix, beats: Bools) -> PartialRanking:
    """Return an order against no strict majority, which costs the least that any pair can."""
    # Whoever beats an item, over others too, is beaten by fewer.
    reach = beats.copy()
    for via in range(len(beats)):
        reach |= np.outer(reach[:, via], reach[via])
    order = np.argsort(reach.sum(axis=0), kind="stable")
    return Permutation(np.argsort(order), votes.items)


@dataclass(frozen=True, kw_only=True)
class CycleStudy(Study[ProfileCell, CycleResult]):
    """How often majorities are cyclic, and how often Borda and Kemeny disagree.

    Every combination of model and size is drawn `n_repetitions` times. Each profile is asked
    whether an item beats every other by a strict majority, whether strict majorities are cyclic,
    and whether Borda's ranking is one of the exact optima of Kemeny's rule. Probabilities that are
    known stand beside the shares: `condorcet_winner_probability` and `cycle_probability`.

    Parameters
    ----------
    models : sequence of StudyModel
        What profiles are drawn from: cultures, `MallowsModel` and others.
    n_items : sequence of int, default (3,)
        Sizes, each at least 2.
    n_rankings : sequence of int, default (3, 11, 101)
        How many rankings a profile has. With an even number majorities may tie.
    n_repetitions : int, default 1000
        Profiles for each combination.
    seed : int, default 0
        Of all random numbers.

    Raises
    ------
    InvalidInputError
        If a parameter is out of its range, two models are alike, or a model cannot give so many
        items.

    References
    ----------
    Guilbaud (1952), https://doi.org/10.3406/ecoap.1952.3831; Gehrlein (2002),
    https://doi.org/10.1023/A:1015551010381.

    Examples
    --------
    >>> from rankagg import cultures, studies
    >>> impartial = cultures.ImpartialCulture()
    >>> study = studies.CycleStudy(models=[impartial], n_rankings=[3], n_repetitions=50)
    >>> table = study.run().by_size().reset_index()
    >>> table[["n_items", "cycle", "cycle_exact", "optimal"]].round(3)
       n_items  cycle  cycle_exact  optimal
    0        3   0.08        0.056     0.82
    """

    models: Sequence[StudyModel]
    n_items: Sequence[int] = (3,)
    n_rankings: Sequence[int] = (3, 11, 101)
    n_repetitions: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        owner = "of CycleStudy"
        for name in ("models", "n_items", "n_rankings"):
            object.__setattr__(self, name, several(getattr(self, name), f"{name} {owner}"))
        check_integer(self.n_repetitions, f"n_repetitions {owner}", low=1)
        super().__post_init__()
        for size in self.n_items:
            check_integer(size, f"n_items {owner}", low=2)
        for number in self.n_rankings:
            check_integer(number, f"n_rankings {owner}", low=1)
        for model in self.models:
            if not isinstance(model, StudyModel):
                raise InvalidInputError("models", "objects such as ImpartialCulture()", model)
            if model.largest is not None and max(self.n_items) > model.largest:
                allowed = f"at most {model.largest}, the items of {model.name}"
                raise InvalidInputError("n_items", allowed, max(self.n_items))

    def cells(self) -> Iterator[ProfileCell]:
        """Iterate over the profiles of the grid, in the order of the results."""
        grid = product(self.models, self.n_items, self.n_rankings, range(self.n_repetitions))
        for model, n_items, n_rankings, repetition in grid:
            yield ProfileCell(model, int(n_items), int(n_rankings), repetition)

    def _trial(self) -> CycleTrial:
        return CycleTrial(self.seed)

    def _trial_until(self, deadline: Deadline) -> CycleTrial:
        return CycleTrial(self.seed, deadline)

    def _layout(self) -> Layout:
        return Layout(
            schema="rankagg.cycle_study",
            trial={"seed": self.seed},
            cell=(TEXT, (int,), (int,), (int,)),
            fields=FIELDS,
            label="method",
            labels=("Borda",),
        )

    def _result(self, rows: Rows[ProfileCell]) -> CycleResult:
        return CycleResult(study=self, _rows=rows)
