"""The dispersion of several consensuses beside the spread of the data and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from rankagg._typing import Tolerance, Unranked
from rankagg._validation import check_unranked
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.deadline import Deadline, time_limit_of
from rankagg.aggregation.evidence import Data, Evidence, PairData
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.result import Consensus
from rankagg.aggregation.two_level import default_aggregators
from rankagg.core.items import counted
from rankagg.core.names import said, stated
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.results import Direction, Result, plain_rows
from rankagg.exceptions import InformationLostError, InvalidInputError
from rankagg.inference.dispersion import dispersion, spread

# What two rankings may differ on, under each policy.
JUDGED: dict[Unranked, str] = {
    "uniform": "all pairs, with unranked items anywhere",
    "ignore": "the pairs that both compare",
    "last": "the pairs that both compare, with unranked items last",
}


def dispersion_report(
    data: Data,
    aggregators: Iterable[Aggregator] | None = None,
    *,
    unranked: Unranked = "uniform",
    tolerance: Tolerance = 0.0,
    time_limit: float | None = 60.0,
) -> DispersionReport:
    """Measure how far consensuses are from the rankings, and these from each other.

    Parameters
    ----------
    data : ScoreTable, ScoreSummary or Profile
        Rankings, or scores that rank, or what these add up to.
    aggregators : iterable of Aggregator, optional
        The rules; by default those that suit the data, exact Kemeny among them.
    unranked : {"uniform", "ignore", "last"}, default "uniform"
        The policy for unranked items of the distances, and of the default rules.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied.
    time_limit : float or None, default 60
        Seconds after which exact rules return the best ranking so far, and those that have none
        raise `OutOfTimeError`; None is never.

    Returns
    -------
    DispersionReport

    Raises
    ------
    InformationLostError
        For a PairwiseMatrix, which does not hold single rankings.

    Examples
    --------
    >>> import rankagg as ra
    >>> report = ra.dispersion_report(ra.datasets.load("tennessee"), [ra.Borda(), ra.Kemeny()])
    >>> report.to_frame()[["method", "total", "average", "normalized"]].round(3)
       method  total  average  normalized
    0   Borda  223.0     2.23       0.372
    1  Kemeny  207.0     2.07       0.345
    """
    deadline = Deadline.after(time_limit_of(time_limit))
    policy = check_unranked(unranked)
    evidence = Evidence(data, tolerance)
    if isinstance(data, PairData):
        raise InformationLostError("dispersion_report needs rankings; votes do not hold them.")
    rules = default_aggregators(data, policy) if aggregators is None else list(aggregators)
    for rule in rules:
        if not isinstance(rule, Aggregator):
            raise InvalidInputError("aggregators", "aggregator objects such as Borda()", rule)
        if rule.policy not in (None, policy):
            raise InvalidInputError(
                "aggregators", f"rules with unranked={policy!r}, as the distances", rule
            )
        if isinstance(rule, Kemeny) and rule.consensus_ties:
            raise InvalidInputError(
                "aggregators", "rules whose ties have no price: the bounds are of strict rankings",
                rule, "`Kemeny()` goes here; `compare` takes both.",
            )  # fmt: skip
        if isinstance(rule, Kemeny) and rule.constraints is not None:
            raise InvalidInputError(
                "aggregators", "rules without constraints: the bounds are of all rankings", rule
            )
    votes = evidence.votes(policy)
    assert votes.total_weight is not None, "votes that were counted here have a weight"
    return DispersionReport(
        consensuses=tuple(rule.aggregate(evidence, deadline=deadline) for rule in rules),
        votes=votes,
        unranked=policy,
        total_weight=votes.total_weight,
        least_weight=_least_weight(evidence),
        is_plain=evidence.is_complete_and_strict,
        spread=spread(evidence, unranked=policy),
        average_spread=spread(evidence, average=True, unranked=policy),
        normalized_spread=spread(evidence, normalized=True, unranked=policy),
    )


class DispersionReport(Result):
    """How far consensuses are from the rankings, within which bounds any ranking could be.

    Made by `dispersion_report`; it has no plot. All distances are Kendall's, each pair of items
    once, and exact.

    Attributes
    ----------
    consensuses : tuple of Consensus
        One per rule.
    votes : PairwiseMatrix
        The votes that distances are measured on.
    unranked : {"uniform", "ignore", "last"}
        The policy for unranked items.
    total_weight : float
        Of the rankings; totals divided by it are averages.
    least_weight : float
        Of a ranking.
    is_plain : bool
        True where all rankings are complete and strict.
    spread, average_spread, normalized_spread : float
        See `rankagg.spread`; with p = 0.
    """

    consensuses: tuple[Consensus, ...]
    votes: PairwiseMatrix
    unranked: Unranked
    total_weight: float = field(compare=False)
    least_weight: float = field(compare=False)
    is_plain: bool = field(compare=False)
    spread: float
    average_spread: float = field(compare=False)
    normalized_spread: float = field(compare=False)

    _schema = "rankagg.dispersion"
    _row = "method"
    _named_rows = False
    _number = "{:z.6g}"
    _formats: ClassVar[dict[str, str]] = {"ratio": "{:z.4f}"}
    _best: ClassVar[Mapping[str, Direction]] = dict.fromkeys(
        ("total", "average", "normalized", "discordant", "ratio"), "lowest"
    )

    @property
    def exact(self) -> Consensus | None:
        """The consensus of the exact rule; None where there is none among the rules."""
        return next((c for c in self.consensuses if c.certificate is not None), None)

    # -- bounds -------------------------------------------------------------------------------

    @cached_property
    def spread_bounds(self) -> tuple[float, float | None]:
        """What the spread S alone says of the least total: S/(2(W - w)) to S/W.

        W is the total and w the least weight of a ranking. For m equal rankings with U their
        mean distance this is m U/2 to (m - 1) U: Remark 2 of Colombo et al. (2022) for a finite
        sample. The upper bound is the mean over the rankings of their own total; it needs
        complete strict rankings and is None for others.
        """
        others = self.total_weight - self.least_weight
        lower = self.spread / (2.0 * others) if others > 1e-12 * self.total_weight else 0.0
        upper = self.spread / self.total_weight if self.is_plain else None
        return lower + self._cost_of_ties, upper

    @cached_property
    def pair_bounds(self) -> tuple[float, float]:
        """What the votes on single pairs say: sum of the smaller sides to half of all votes."""
        wins = self.votes.wins
        lower = float(np.triu(np.minimum(wins, wins.T), k=1).sum())
        upper = float(np.triu(wins + wins.T, k=1).sum() / 2.0)
        return lower + self._cost_of_ties, upper + self._cost_of_ties

    @property
    def _cost_of_ties(self) -> float:
        """What tied votes cost every ranking, by the exact rule's `tie_cost`."""
        per_tie = 0.0 if self.exact is None else self.exact.tie_cost
        return per_tie * float(np.triu(self.votes.ties, k=1).sum())

    # -- tables -------------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return one row per rule.

        Returns
        -------
        pandas.DataFrame
            method; total, average and normalized dispersion; discordant: the average that counts
            strictly discordant pairs only; ratio of the total to that of the exact rule, NaN
            without one.
        """
        best = None if self.exact is None else self._measure(self.exact, {})
        rows = []
        for consensus in self.consensuses:
            total = self._measure(consensus, {})
            rows.append(
                {
                    "method": consensus.aggregator.name,
                    "total": total,
                    "average": self._measure(consensus, {"average": True}),
                    "normalized": self._measure(consensus, {"normalized": True}),
                    "discordant": self._measure(consensus, {"average": True, "discordant": True}),
                    "ratio": np.nan if best is None else _ratio(total, best),
                }
            )
        return pd.DataFrame(rows)

    def _measure(self, consensus: Consensus, options: dict[str, bool]) -> float:
        # A tied vote costs what the exact rule says, so that the ratio is to its optimum.
        plain = self.exact is None or options.get("discordant", False)
        return dispersion(
            self.votes, consensus.ranking, unranked=self.unranked,
            tie_cost=0.0 if plain or self.exact is None else self.exact.tie_cost, **options,
        )  # fmt: skip

    def _content(self) -> dict[str, Any]:
        numbers = {
            name: None if np.isnan(value) else value
            for name, value in (
                ("spread", self.spread),
                ("average_spread", self.average_spread),
                ("normalized_spread", self.normalized_spread),
            )
        }
        certificate = None if self.exact is None else self.exact.certificate
        return {
            "unranked_policy": self.unranked,
            "total_weight": self.total_weight,
            **numbers,
            "bounds": {"spread": list(self.spread_bounds), "pairs": list(self.pair_bounds)},
            "certificate": None if certificate is None else certificate.summary(),
            "methods": plain_rows(self.to_frame()),
        }

    def _facts(self) -> list[str]:
        low, high = self.spread_bounds
        least, most = self.pair_bounds
        at, upper = self._stated, "no upper bound: ties or missing items"
        if high is not None:
            upper = at(high, "upper bound by the spread")
        lower, items = at(low, "lower bound by the spread"), self.votes.n_items
        bounds = at(least, "lower bound by pairs"), at(most, "upper bound by pairs")
        size = stated(items, "items", noun="item"), at(self.total_weight, "total weight", "g")
        lines = [
            said("{}, total weight {}; unranked items: {}", *size, self.unranked),
            self._spread_line(),
            said("optimal total, by the spread      {} to {}", lower, upper),
            said("optimal total, by single pairs    {} to {}", *bounds),
        ]
        if self.exact is not None and self.exact.certificate is not None:
            best = at(self._measure(self.exact, {}), "total of the exact consensus")
            what = "exact consensus" if self.exact.is_proved else "best ranking found"
            told = self.exact.certificate.summary()
            lines.append(said("{:<34}{}  ({})", f"total of the {what}", best, told))
        return [*lines, ""]

    def _spread_line(self) -> str:
        if np.isnan(self.average_spread) or np.isnan(self.normalized_spread):
            return "there are no two rankings to compare"
        what = "percent of pairs in which two differ"
        share = self._stated(100 * self.normalized_spread, what, ".3g")
        pairs = self._stated(self.average_spread, "pairs in which two differ", noun="pair")
        of = "all pairs" if self.is_plain else JUDGED[self.unranked]
        return said("two rankings differ on {} on average ({} % of {})", pairs, share, of)

    def _stated(self, number: float, what: str, form: str = ".6g", noun: str = "") -> str:
        return stated(number, what, form, noun, policy=self.unranked, weighted=True)

    def __repr__(self) -> str:
        return f"<DispersionReport of {counted(len(self.consensuses), 'method')}>"


def _least_weight(evidence: Evidence) -> float:
    summary = evidence.summary
    weights = evidence.profile.weights if summary is None else summary.weight_vector
    return float(weights.min())


def _ratio(total: float, best: float) -> float:
    if best:
        return total / best
    return 1.0 if total == 0 else float("inf")
