"""Everything that a page tells, computed once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rankagg._typing import Label, RNGLike, Unranked
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.defaults import default_aggregators
from rankagg.aggregation.evidence import Data
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.kemeny.optima import Optima
from rankagg.aggregation.result import Consensus
from rankagg.analysis.comparison import Comparison, compare
from rankagg.analysis.stability import Stability, stability
from rankagg.analysis.tournament import TournamentGraph
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.scores import ScoreTable
from rankagg.exceptions import InvalidInputError
from rankagg.inference.missing import MissingReport, missing_report
from rankagg.inference.ranks import RankIntervals, rank_intervals
from rankagg.inference.units import Unit

__all__ = ["Findings"]

# Leaving out more tasks than this one by one takes long, and changes little.
TASKS = 60


@dataclass(frozen=True)
class Findings:
    """What is known about a data set.

    Attributes
    ----------
    data : ScoreTable, Profile or PairwiseMatrix
        The data.
    comparison : Comparison
        Of all rules, an exact one among them.
    exact : Consensus
        The exact consensus.
    optima : Optima or None
        All optima; None where none is proved, or nobody looked.
    graph : TournamentGraph
        The majorities.
    ranks : RankIntervals or None
        Intervals for places; None for votes without rankings.
    missing : MissingReport or None
        What is missing; None for votes without rankings.
    stability : Stability or None
        The exact consensus without single tasks; None where there are too few or too many.
    unit : {"ranking", "instance", "task"}
        What the intervals took to be independent.
    """

    data: Data
    comparison: Comparison
    exact: Consensus
    optima: Optima | None
    graph: TournamentGraph
    ranks: RankIntervals | None
    missing: MissingReport | None
    stability: Stability | None
    unit: Unit

    @classmethod
    def of(
        cls,
        data: Data,
        aggregators: Iterable[Aggregator] | None,
        *,
        unranked: Unranked,
        tolerance: float | Mapping[Label, float],
        unit: Unit | None,
        delta: float,
        time_limit: float | None,
        optima: bool,
        rng: RNGLike,
    ) -> Findings:
        """Compute all of it."""
        exact_rule = Kemeny(unranked=unranked, time_limit=time_limit)
        given = default_aggregators(data, unranked) if aggregators is None else list(aggregators)
        for rule in given:
            if not isinstance(rule, Aggregator):
                raise InvalidInputError("aggregators", "aggregator objects such as Borda()", rule)
        rules = [rule for rule in given if not isinstance(rule, Kemeny)] + [exact_rule]
        comparison = compare(data, rules, unranked=unranked, tolerance=tolerance, rng=rng)
        exact = comparison[exact_rule.name]
        if exact.interrupted:
            raise KeyboardInterrupt
        chosen: Unit = unit or _default_unit(data)
        return cls(
            data=data,
            comparison=comparison,
            exact=exact,
            optima=exact.optima if optima and exact.is_proved else None,
            graph=TournamentGraph(comparison.votes),
            ranks=None if isinstance(data, PairwiseMatrix) else rank_intervals(
                data, unit=chosen, delta=delta, tolerance=tolerance, unranked=unranked
            ),
            missing=None if isinstance(data, PairwiseMatrix) else missing_report(data),
            stability=_stability(data, exact_rule, tolerance),
            unit=chosen,
        )  # fmt: skip

    @property
    def is_proved(self) -> bool:
        """Whether the exact consensus is proved optimal."""
        return bool(self.exact.is_proved)

    @property
    def winners(self) -> tuple[Label, ...]:
        """The first item of the exact consensus, or of all optima where they are known."""
        return self.exact.buckets[0] if self.optima is None else self.optima.winners()


def _default_unit(data: Data) -> Unit:
    """Return what is most plausibly independent: instances where there are some, else rankings."""
    return "instance" if isinstance(data, ScoreTable) and data.is_instance_level else "ranking"


def _stability(
    data: Data, rule: Kemeny, tolerance: float | Mapping[Label, float]
) -> Stability | None:
    if isinstance(data, PairwiseMatrix):
        return None
    if isinstance(data, ScoreTable):
        tasks = data.n_tasks
    else:
        tasks = len(data) if data.groups is None else len(set(data.groups))
    if not 2 <= tasks <= TASKS:
        return None
    return stability(data, rule, sizes=[], tolerance=tolerance)
