"""A grid of models, sizes and rules: how near every rule comes to the proved optimum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf

from rankagg._typing import Unranked
from rankagg._validation import check_flag, check_integer, check_number
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.result import Consensus
from rankagg.core.items import counted
from rankagg.cultures import StudyModel
from rankagg.distances import kendall_distance
from rankagg.exceptions import BlockTooLargeError, InvalidInputError, OutOfTimeError, RankaggError
from rankagg.studies.approximation.study_result import StudyResult
from rankagg.studies.cell_result import check_rules, several, with_policy
from rankagg.studies.journal import FLAG, MISSING, NUMBER, TEXT, Kinds, Layout, Row
from rankagg.studies.scores.score_models import n_removed, without_entries
from rankagg.studies.study import Cell, Rows, Study

__all__ = ["AgainstOptimum", "ApproximationStudy", "DrawnCell"]

# Costs are sums of fractions; these are equal.
EQUAL = 1e-9


@dataclass(frozen=True)
class DrawnCell(Cell):
    """One drawn data set of the grid."""

    # What it is drawn from.
    model: StudyModel
    n_items: int
    n_rankings: int
    # The share of items that each ranking has lost.
    missing: float
    # Its number among its like.
    repetition: int

    @property
    def key(self) -> tuple[str, int, int, float, int]:
        """What tells it apart, as plain data."""
        return self.model.name, self.n_items, self.n_rankings, self.missing, self.repetition


@dataclass(frozen=True)
class AgainstOptimum:
    """What is tried on every cell."""

    # The rules that are held against the exact optimum.
    rules: tuple[Aggregator, ...]
    # Their common policy for unranked items.
    unranked: Unranked
    # Seconds for the exact optimum of a cell, and the nearest.
    time_limit: float | None
    # Whether to find the nearest of all optima to each result.
    nearest: bool
    # Of all random numbers.
    seed: int

    def run(self, cell: DrawnCell) -> list[Row]:
        """Draw the data of a cell and aggregate them with every rule."""
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


#: What a row holds, and the kinds of its values.
FIELDS: dict[str, Kinds] = {
    "method": TEXT,
    "cost": NUMBER + MISSING,
    "optimum": NUMBER,
    "lower_bound": NUMBER,
    "proved": FLAG,
    "ratio": NUMBER + MISSING,
    "ratio_high": NUMBER + MISSING,
    "hit": FLAG + MISSING,
    "distance": NUMBER + MISSING,
    "runtime": NUMBER + MISSING,
    "exact_runtime": NUMBER,
    "error": TEXT + MISSING,
}
NEAREST: dict[str, Kinds] = {"nearest": NUMBER + MISSING}


@dataclass(frozen=True, kw_only=True)
class ApproximationStudy(Study[DrawnCell, StudyResult]):
    """How near rules come to the exact Kemeny optimum, over a grid of drawn data sets.

    Every combination of model, size, number of rankings and missing share is drawn
    `n_repetitions` times; each drawn data set is a cell. The random numbers of a cell depend on the
    seed and on the cell alone, and those of a rule on the rule as well: a study gives the same
    costs whatever the number of workers, and a cell stays what it is when the grid grows.

    Parameters
    ----------
    aggregators : sequence of Aggregator
        The rules to hold against the optimum, with one policy for unranked items.
    models : sequence of StudyModel
        What data are drawn from: `MallowsModel`, `PlackettLuceModel`, `GumbelModel`,
        `ResampleModel`, or your own.
    n_items : sequence of int
        Sizes, each at least 2.
    n_rankings : sequence of int, default (10,)
        How many rankings, or tasks, a data set has.
    missing : sequence of float, default (0.0,)
        Shares of items, rounded to whole ones, that every ranking loses at random, in [0, 1).
    n_repetitions : int, default 100
        Data sets for each combination.
    seed : int, default 0
        Of all random numbers.
    time_limit : float, optional
        Seconds for the exact optimum of one cell, and the nearest of all; none by default. What is
        not proved in time is counted, and its ratio is an interval.
    nearest : bool, default False
        Find the distance to the nearest of all optima too; it can take longer than all the rest.

    Raises
    ------
    InvalidInputError
        If a parameter is out of its range, two models or two rules are alike, a rule needs scores
        and a model gives rankings, or a model cannot give so many items.

    References
    ----------
    Ali and Meilă (2012), https://doi.org/10.1016/j.mathsocsci.2011.08.008, compare rules with the
    exact consensus in this way.

    Examples
    --------
    >>> import rankagg as ra
    >>> study = ra.studies.ApproximationStudy(
    ...     aggregators=[ra.Borda(), ra.Copeland()],
    ...     models=[ra.studies.MallowsModel(phi=0.8)],
    ...     n_items=[5, 10],
    ...     n_repetitions=20,
    ... )
    >>> result = study.run()
    >>> result.by_method()[["cells", "hit_rate", "mean_ratio"]].round(3).reset_index(
    ...     ["n_items", "method"]
    ... ).reset_index(drop=True)
       n_items    method  cells  hit_rate  mean_ratio
    0        5     Borda     20      0.60       1.022
    1        5  Copeland     20      0.85       1.005
    2       10     Borda     20      0.10       1.023
    3       10  Copeland     20      0.45       1.009
    """

    aggregators: Sequence[Aggregator]
    models: Sequence[StudyModel]
    n_items: Sequence[int]
    n_rankings: Sequence[int] = (10,)
    missing: Sequence[float] = (0.0,)
    n_repetitions: int = 100
    seed: int = 0
    time_limit: float | None = None
    nearest: bool = False

    def __post_init__(self) -> None:
        owner = "of ApproximationStudy"
        for name in ("aggregators", "models", "n_items", "n_rankings", "missing"):
            object.__setattr__(self, name, several(getattr(self, name), f"{name} {owner}"))
        check_integer(self.n_repetitions, f"n_repetitions {owner}", low=1)
        super().__post_init__()
        check_flag(self.nearest, f"nearest {owner}")
        if self.time_limit is not None:
            check_number(self.time_limit, f"time_limit {owner}", low=0)
        for size in self.n_items:
            check_integer(size, f"n_items {owner}", low=2)
        for number in self.n_rankings:
            check_integer(number, f"n_rankings {owner}", low=1)
        for share in self.missing:
            check_number(share, f"missing {owner}", low=0, high=1, open_high=True)
        self._check_rules()
        self._check_models()

    def _check_rules(self) -> None:
        check_rules(self.aggregators)
        policies = sorted(
            {str(rule.policy) for rule in self.aggregators if rule.policy is not None}
        )
        if len(policies) > 1:
            raise InvalidInputError(
                "aggregators", "rules with one policy for unranked items", policies,
                "Give all of them the same `unranked=`.",
            )  # fmt: skip

    def _check_models(self) -> None:
        for model in self.models:
            if not isinstance(model, StudyModel):
                raise InvalidInputError(
                    "models", "objects such as MallowsModel(phi=0.8)", model,
                    "A profile of your own goes into a ResampleModel.",
                )  # fmt: skip
            greedy = [rule.name for rule in self.aggregators if rule.needs == "scores"]
            if greedy and model.gives != "scores":
                raise InvalidInputError(
                    "aggregators", f"rules without scores, which {model.name} does not give",
                    greedy,
                    "Leave them out, or take a GumbelModel.",
                )  # fmt: skip
            if model.largest is not None and max(self.n_items) > model.largest:
                allowed = f"at most {model.largest}, the items of {model.name}"
                raise InvalidInputError("n_items", allowed, max(self.n_items))
        for share, size in product(self.missing, self.n_items):
            if n_removed(size, share) > size - 2:
                raise InvalidInputError(
                    "missing",
                    f"a share that leaves two of {counted(size, 'item')} in a ranking",
                    share,
                )

    @property
    def unranked(self) -> Unranked:
        """The policy for unranked items: that of the rules, "uniform" where none has one."""
        policies = [rule.policy for rule in self.aggregators if rule.policy is not None]
        return policies[0] if policies else "uniform"

    def cells(self) -> Iterator[DrawnCell]:
        """Iterate over the data sets of the grid, in the order of the results."""
        grid = product(
            self.models, self.n_items, self.n_rankings, self.missing, range(self.n_repetitions)
        )
        for model, n_items, n_rankings, missing, repetition in grid:
            yield DrawnCell(model, int(n_items), int(n_rankings), float(missing), repetition)

    def _trial(self) -> AgainstOptimum:
        return AgainstOptimum(
            rules=tuple(self.aggregators),
            unranked=self.unranked,
            time_limit=self.time_limit,
            nearest=self.nearest,
            seed=self.seed,
        )

    def _layout(self) -> Layout:
        trial = {
            "rules": [repr(with_policy(rule, self.unranked)) for rule in self.aggregators],
            "unranked_policy": self.unranked,
            "time_limit": self.time_limit,
            "nearest": self.nearest,
            "seed": self.seed,
        }
        return Layout(
            schema="rankagg.approximation_study",
            trial=trial,
            cell=(TEXT, (int,), (int,), NUMBER, (int,)),
            fields={**FIELDS, **(NEAREST if self.nearest else {})},
            label="method",
            labels=tuple(rule.name for rule in self.aggregators),
        )

    def _result(self, rows: Rows[DrawnCell]) -> StudyResult:
        return StudyResult(study=self, _rows=rows)
