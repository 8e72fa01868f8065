"""One data set of a study: how it is drawn, and what every rule makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from rankagg._typing import Unranked
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.result import Consensus
from rankagg.distances import kendall_distance
from rankagg.distributions.study_model import StudyModel
from rankagg.exceptions import BlockTooLargeError, OutOfTimeError, RankaggError
from rankagg.studies.journal import Row
from rankagg.studies.policies import with_policy
from rankagg.studies.scores.missing import without_entries
from rankagg.studies.study import Cell

__all__ = ["AgainstOptimum", "DrawnCell"]

# Costs are sums of fractions; these are equal.
EQUAL = 1e-9


@dataclass(frozen=True)
class DrawnCell(Cell):
    """One drawn data set of the grid.

    Attributes
    ----------
    model : StudyModel
        What it is drawn from.
    n_items, n_rankings : int
        Its size.
    missing : float
        The share of items that each ranking has lost.
    repetition : int
        Its number among its like.
    """

    model: StudyModel
    n_items: int
    n_rankings: int
    missing: float
    repetition: int

    @property
    def key(self) -> tuple[str, int, int, float, int]:
        """What tells it apart, as plain data."""
        return self.model.name, self.n_items, self.n_rankings, self.missing, self.repetition


@dataclass(frozen=True)
class AgainstOptimum:
    """What is tried on every cell.

    Attributes
    ----------
    rules : tuple of Aggregator
        The rules that are held against the exact optimum.
    unranked : {"uniform", "ignore", "last"}
        Their common policy for unranked items.
    time_limit : float or None
        Seconds for the exact optimum of a cell, and the nearest.
    nearest : bool
        Whether to find the nearest of all optima to each result.
    seed : int
        Of all random numbers.
    """

    rules: tuple[Aggregator, ...]
    unranked: Unranked
    time_limit: float | None
    nearest: bool
    seed: int

    def run(self, cell: DrawnCell) -> list[Row]:
        """Draw the data of a cell and aggregate them with every rule.

        Raises
        ------
        KeyboardInterrupt
            If the user stopped the exact search, which by itself would return what it has.
        """
        data = cell.model.draw(cell.n_items, cell.n_rankings, rng=cell.generator(self.seed, "data"))
        data = without_entries(data, cell.missing, cell.generator(self.seed, "missing"))
        evidence = Evidence(data)
        votes = evidence.votes(self.unranked)
        # For the proof, and for the nearest of all optima after it.
        deadline = Deadline.after(self.time_limit)
        exact = Kemeny(unranked=self.unranked).aggregate(evidence, deadline=deadline)
        if exact.interrupted:
            raise KeyboardInterrupt
        results = [self._result(rule, evidence, cell) for rule in self.rules]
        costs = [votes.cost(r.ranking) if isinstance(r, Consensus) else None for r in results]
        best = min([exact.cost, *(cost for cost in costs if cost is not None)])
        return [
            {
                "method": rule.name,
                "cost": cost,
                **self._against(exact, best, cost),
                **self._distances(exact, result, deadline),
                "runtime": result.runtime if isinstance(result, Consensus) else None,
                "exact_runtime": exact.runtime,
                "error": None if isinstance(result, Consensus) else str(result),
            }
            for rule, result, cost in zip(self.rules, results, costs, strict=True)
        ]

    def _result(
        self, rule: Aggregator, evidence: Evidence, cell: DrawnCell
    ) -> Consensus | RankaggError:
        """Return the consensus, or the error that the rule ended with; a study goes on."""
        purpose = repr(with_policy(rule, self.unranked))
        try:
            result = rule.aggregate(evidence, rng=cell.generator(self.seed, purpose))
        except RankaggError as error:
            return error
        if result.interrupted:
            raise KeyboardInterrupt
        return result

    def _against(self, exact: Consensus, best: float, cost: float | None) -> Row:
        """Return the optimum, or what encloses it, and what a cost is beside it."""
        assert exact.certificate is not None, "the exact rule gives a certificate"
        proved = exact.certificate.status == "optimal"
        bound = exact.cost if proved else exact.certificate.lower_bound
        row: Row = {"optimum": best, "lower_bound": bound, "proved": proved}
        if cost is None:
            return {**row, "ratio": None, "ratio_high": None, "hit": None}
        above = cost > best + EQUAL * (1 + best)
        return {
            **row,
            "ratio": _ratio(cost, best),
            "ratio_high": _ratio(cost, bound),
            # A ranking as cheap as the cheapest that is known may be optimal, or not.
            "hit": False if above else (True if proved else None),
        }

    def _distances(
        self, exact: Consensus, result: Consensus | RankaggError, deadline: Deadline
    ) -> Row:
        row: Row = {"distance": None}
        if self.nearest:
            row["nearest"] = None
        if not isinstance(result, Consensus):
            return row
        row["distance"] = kendall_distance(result.ranking, exact.ranking, p=0.5)
        if self.nearest and exact.certificate is not None and not exact.certificate.gap:
            assert exact.optima is not None, "an exact rule knows its optima"
            try:
                nearest = exact.optima._until(deadline).nearest(result.ranking)
            except (BlockTooLargeError, OutOfTimeError):
                return row
            row["nearest"] = kendall_distance(result.ranking, nearest, p=0.5)
        return row


def _ratio(cost: float, least: float) -> float:
    if cost <= least + EQUAL * (1 + least):
        return 1.0
    return cost / least if least > 0 else inf
