"""One table of a study of missing scores: what is removed from it, and how rankings change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb, isfinite
from typing import Any, Final

import numpy as np

from rankagg._typing import Floats
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.evidence import Evidence
from rankagg.core.rankings import places
from rankagg.core.rankings.partial import PartialRanking
from rankagg.core.rankings.places import UNRANKED
from rankagg.core.scores import ScoreTable
from rankagg.distances import kendall_tau
from rankagg.distributions.latent_scores import rescale_tasks
from rankagg.exceptions import RankaggError
from rankagg.studies.cell_result import with_policy
from rankagg.studies.journal import Row
from rankagg.studies.scores.score_models import ScoreModel, without_proportion
from rankagg.studies.study import Cell

__all__ = [
    "PAIR_MEASURES",
    "AfterRemoval",
    "Found",
    "RemovalCell",
    "label_of",
    "pair_field",
    "same_top_k",
    "taus",
    "top_k_overlaps",
]

# Shares are fractions of small numbers; these are equal.
EQUAL = 1e-9


def taus(rankings: Sequence[PartialRanking]) -> Floats:
    """Return tau-b of each two rankings, over all systems.

    Where a ranking leaves systems out, it stands for all permutations that are compatible with
    it: what is correlated is the mean order of every pair, so that every ranking is held against
    the others on the same pairs.
    """
    above, below = np.triu_indices(len(rankings[0].items), 1)
    orders = np.empty((len(rankings), len(above)))
    untied = np.empty(len(rankings))
    for row, ranking in enumerate(rankings):
        orders[row] = 2.0 * ranking.pairwise_probabilities()[above, below] - 1.0
        # Only what was observed can be tied: a permutation ties nothing.
        listed = ranking.ranks[ranking.ranks != places.UNRANKED]
        sizes = np.unique(listed, return_counts=True)[1]
        untied[row] = len(above) - (sizes * (sizes - 1) // 2).sum()
    scale = np.sqrt(np.outer(untied, untied))
    with np.errstate(invalid="ignore"):
        found: Floats = np.clip(_products(orders) / scale, -1.0, 1.0)
    return found


def top_k_overlaps(rankings: Sequence[PartialRanking], k: int) -> Floats:
    """Return the expected share of systems that each two top-k sets have in common."""
    shares = places.top_k_shares(np.stack([ranking.ranks for ranking in rankings]), k)
    return _products(shares) / k


def same_top_k(rankings: Sequence[PartialRanking], k: int) -> Floats:
    """Return the chance that each two top-k sets are the same, ties at rank k broken at random."""
    shares = places.top_k_shares(np.stack([ranking.ranks for ranking in rankings]), k)
    inside, possible = shares > 1 - EQUAL, shares > EQUAL
    sizes = np.rint(shares.sum(axis=1)).astype(int).tolist()
    ways = [
        comb(int((may & ~must).sum()), size - int(must.sum()))
        for must, may, size in zip(inside, possible, sizes, strict=True)
    ]
    found = np.zeros((len(rankings), len(rankings)))
    for row, one in enumerate(inside):
        for column, other in enumerate(inside):
            must, may = one | other, possible[row] & possible[column]
            if sizes[row] == sizes[column] and not (must & ~may).any() and must.sum() <= sizes[row]:
                alike = comb(int((may & ~must).sum()), sizes[row] - int(must.sum()))
                found[row, column] = alike / (ways[row] * ways[column])
    return found


def _products(rows: Floats) -> Floats:
    """Return the scalar product of each two rows; to the bit the same in every process."""
    found: Floats = np.einsum("ip,jp->ij", rows, rows, optimize=False)
    return found


#: How two methods are compared on the same table.
PAIR_MEASURES: Final = ("tau", "top1", "top3", "same_top3")


def label_of(rule: Aggregator) -> str:
    """Return the name of a rule with its policy for missing scores, where it has one."""
    policy = with_policy(rule, "uniform").policy
    return rule.name if policy is None else f"{rule.name}, {policy}"


def pair_field(measure: str, other: str) -> str:
    """Return the field of a row that compares its method with another."""
    return f"{measure} with {other}"


@dataclass(frozen=True)
class RemovalCell(Cell):
    """One table of the grid."""

    # Where its scores come from.
    model: ScoreModel
    # What the scores of one of its tasks are multiplied by.
    scale: float
    proportion: float
    # Its number among its like.
    repetition: int

    @property
    def key(self) -> tuple[str, float, float, int]:
        """What tells it apart, as plain data."""
        return self.model.identity, self.scale, self.proportion, self.repetition


@dataclass(frozen=True)
class Found:
    """What a method made of a table."""

    # None where it could not rank the table.
    ranking: PartialRanking | None
    # Whether the ranking of an exact method is proved optimal.
    proved: bool | None = None
    # What the method said that could not.
    error: str | None = None


@dataclass(frozen=True)
class AfterRemoval:
    """What is tried on every cell."""

    rules: tuple[Aggregator, ...]
    # Whether all scores of a system on a task are removed together.
    whole_tasks: bool
    # Of all random numbers.
    seed: int
    # What the methods made of the full tables of fixed models.
    full: Mapping[str, Sequence[Found]]

    def run(self, cell: RemovalCell) -> list[Row]:
        """Remove scores and rank with every method."""
        table = cell.model.draw(rng=cell.generator(self.seed, "data"))
        full = self.full.get(cell.model.identity)
        if full is None:
            full = self.rank(table, cell, "full data")
        left = without_proportion(
            self._scaled(table, cell), cell.proportion, whole_tasks=self.whole_tasks,
            rng=cell.generator(self.seed, "missing"),
        )  # fmt: skip
        found = self.rank(left, cell, "")
        lost = left.missing.all(axis=1) & ~table.missing.all(axis=1)
        shared = {"lost_systems": int(lost.sum()), "lost_tasks": table.n_tasks - left.n_tasks}
        truth = cell.model.true_ranking
        rankings = [one.ranking for one in (*full, *found)]
        agreement = _Agreement([*rankings, truth and truth.reindex(table.systems)])
        count, labels = len(self.rules), [label_of(rule) for rule in self.rules]
        return [
            {
                "method": label,
                **agreement.measures(position, position + count),
                "tau_ranked": _tau_ranked(full[position], found[position]),
                "tau_true": agreement.value("tau", position + count, 2 * count),
                "unranked": _unranked(found[position]),
                **shared,
                "proved": _both_proved(full[position], found[position]),
                "error": found[position].error or full[position].error,
                **{
                    pair_field(measure, other): agreement.value(
                        measure, position + count, number + count
                    )
                    for number, other in enumerate(labels)
                    for measure in PAIR_MEASURES
                },
            }
            for position, label in enumerate(labels)
        ]

    def rank(self, table: ScoreTable, cell: RemovalCell, purpose: str) -> list[Found]:
        """Return what every method makes of a table; a study goes on where one cannot rank it."""
        evidence = Evidence(table)
        return [self._found(rule, evidence, cell, purpose) for rule in self.rules]

    def _found(
        self, rule: Aggregator, evidence: Evidence, cell: RemovalCell, purpose: str
    ) -> Found:
        rng = cell.generator(self.seed, f"{purpose}{with_policy(rule, 'uniform')!r}")
        try:
            result = rule.aggregate(evidence, rng=rng)
        except RankaggError as error:
            return Found(None, error=f"{purpose}: {error}" if purpose else str(error))
        if result.interrupted:
            raise KeyboardInterrupt
        return Found(result.ranking, result.is_proved)

    def _scaled(self, table: ScoreTable, cell: RemovalCell) -> ScoreTable:
        if cell.scale == 1:
            return table
        task = table.tasks[int(cell.generator(self.seed, "task").integers(table.n_tasks))]
        return rescale_tasks(table, {task: cell.scale})


class _Agreement:
    """How much each two of some rankings agree; nothing of what is no ranking."""

    def __init__(self, rankings: Sequence[PartialRanking | None]) -> None:
        there = [ranking for ranking in rankings if ranking is not None]
        self._rows = np.cumsum([ranking is not None for ranking in rankings]) - 1
        self._there = [ranking is not None for ranking in rankings]
        self._tables: dict[str, Floats] = {}
        if there:
            three = min(3, len(there[0].items))
            self._tables = {
                "tau": taus(there),
                "top1": top_k_overlaps(there, 1),
                "top3": top_k_overlaps(there, three),
                "same_top3": same_top_k(there, three),
            }

    def value(self, measure: str, one: int, other: int) -> float | None:
        if not self._there[one] or not self._there[other]:
            return None
        value = float(self._tables[measure][self._rows[one], self._rows[other]])
        return value if isfinite(value) else None

    def measures(self, one: int, other: int) -> dict[str, Any]:
        return {measure: self.value(measure, one, other) for measure in PAIR_MEASURES}


def _tau_ranked(full: Found, found: Found) -> float | None:
    """Correlate over the systems that both rank."""
    if full.ranking is None or found.ranking is None:
        return None
    if not ((full.ranking.ranks != UNRANKED) & (found.ranking.ranks != UNRANKED)).any():
        return None
    tau = kendall_tau(found.ranking, full.ranking)
    return tau if isfinite(tau) else None


def _unranked(found: Found) -> int | None:
    return None if found.ranking is None else int((found.ranking.ranks == UNRANKED).sum())


def _both_proved(full: Found, found: Found) -> bool | None:
    if full.proved is None or found.proved is None:
        return None
    return full.proved and found.proved
