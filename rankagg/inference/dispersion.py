"""Dispersion around a consensus and spread: mean distances of rankings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Tolerance
from rankagg._validation import check_flag, check_number
from rankagg.aggregation import (
    Aggregator,
    Consensus,
    Data,
    Evidence,
    PairData,
    check_rule,
    deadline_of,
)
from rankagg.aggregation.kemeny import Kemeny
from rankagg.aggregation.two_level import default_rules
from rankagg.core import (
    UNLISTED,
    UNRANKED,
    PairwiseMatrix,
    PartialRanking,
    Profile,
    Result,
    ScoreSummary,
    TaskTally,
    counted,
    grid,
    places,
    plain_rows,
    quantity,
    sentence,
)
from rankagg.exceptions import InformationLostError, InvalidInputError


@dataclass(frozen=True, eq=False)
class _SingleRankings:
    """Sums over single rankings."""

    # Shape (k,). Number of rankings of each weight.
    counts: Floats
    weights: Floats
    # Sum of w^2 P(i before j) P(j before i) over rankings and their unordered pairs of items; 0
    # unless the policy is "uniform".
    self_distance: float
    # Shape (n, n). Sum of w^2 over the rankings that compare row and column; None if all do.
    judged: Floats | None

    @classmethod
    def of_profile(cls, profile: Profile, votes: PairwiseMatrix) -> _SingleRankings:
        """Return the sums over rankings."""
        itself, judged = 0.0, None if profile.is_complete else votes.squared_weights
        if not profile.is_complete and profile.unranked == "uniform":
            squares = (profile.counts * profile.weights**2)[:, None]
            gone = (profile.ranks == UNRANKED).astype(np.float64)
            # One item of a pair unranked, or both.
            n_ranked = (profile.ranks != UNRANKED).sum(axis=1, keepdims=True)
            share = (places.mid_ranks(profile.ranks) + 1.0) / (n_ranked + 1.0)
            one = (squares * np.where(gone > 0, 0.0, share * (1.0 - share))).T @ gone
            itself = _over_pairs(one + one.T + (squares * gone).T @ gone / 4.0)
            off = (profile.ranks == UNLISTED).astype(np.float64)
            judged = squares.sum() - (squares * off).T @ off if off.any() else None
        return cls(profile.counts.astype(np.float64), profile.weights, itself, judged)

    @classmethod
    def of_summary(cls, summary: ScoreSummary, votes: PairwiseMatrix) -> _SingleRankings:
        """Return the sums over the rankings of a summary of scores."""
        tallies, weights = list(summary.tallies.values()), summary.weight_vector
        itself, is_shared = 0.0, summary.unranked == "uniform"
        for tally, square in zip(tallies, (weights**2).tolist(), strict=True):
            if is_shared and len(tally.sizes):
                one = _variances_of(tally)
                itself += square * _over_pairs(one + one.T + tally.neither / 4.0)
        counts = np.array([tally.n_units for tally in tallies], dtype=np.float64)
        all_judge = is_shared or not summary.n_missing
        return cls(counts, weights, itself, None if all_judge else votes.squared_weights)

    @property
    def weight_of_pairs(self) -> float:
        """The weight of the ordered pairs of different rankings, (sum w)^2 - sum w^2.

        It is a sum of products, small weights first, since a difference of squares would cancel.
        """
        order = np.argsort(self.weights, kind="stable")
        counts, weights = self.counts[order], self.weights[order]
        mass = counts * weights
        lighter = np.concatenate([[0.0], np.cumsum(mass)[:-1]])
        return float(2.0 * mass @ lighter + (counts * (counts - 1.0)) @ weights**2)

    def weight_of_judgments(self, votes: PairwiseMatrix) -> float:
        """Return the weight of all pairs of items over all ordered pairs of different rankings.

        A pair of items counts if both rankings compare it.
        """
        n = votes.n_items
        if self.judged is None:
            return n * (n - 1) / 2 * self.weight_of_pairs
        judged = votes.wins + votes.wins.T + votes.ties
        # With a single ranking only rounding errors of the squares and of the votes remain.
        pairs = judged**2 - self.judged
        least = judged * (1e-13 * judged + 3.0 * votes.rounding)
        return _over_pairs(np.where(pairs > least, pairs, 0.0))


def _over_pairs(values: Floats) -> float:
    """Return the sum over all unordered pairs of items."""
    return float(np.triu(values, k=1).sum())


def dispersion(
    data: Data | Evidence,
    ranking: PartialRanking,
    *,
    average: bool = False,
    normalized: bool = False,
    discordant: bool = False,
    tie_cost: float = 0.0,
    tolerance: Tolerance = 0.0,
) -> float:
    """Return the total Kendall distance of a ranking to the data.

    Parameters
    ----------
    data : ScoreTable, ScoreSummary, Profile, PairwiseMatrix, Comparisons or Evidence
        Rankings, scores that give rankings, or their votes. Counts and weights multiply distances.
    ranking : PartialRanking
        Any ranking of the same items, such as `consensus.ranking`.
    average : bool, default False
        Divide by the total weight of the rankings: the mean distance, in pairs of items.
    normalized : bool, default False
        Divide by the weight of all judgments, n(n - 1)/2 for each complete ranking. The result is
        the share of judgments that the ranking contradicts, from 0 to 1; `average` has no effect.
    discordant : bool, default False
        Count only pairs that the ranking orders strictly and a vote orders the other way. A pair
        that the ranking ties then costs nothing, instead of the mean cost of breaking the tie at
        random.
    tie_cost : float, default 0
        Cost of a vote that ties two items, from 0 to 1; not with `discordant`.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by at most this much are tied; see `ScoreTable.rankings`.

    Returns
    -------
    float
        In votes on pairs; NaN if the divisor is 0.

    Raises
    ------
    ItemMismatchError
        If the ranking is over other items.
    InvalidInputError
        If the options do not go together.

    See Also
    --------
    PairwiseMatrix.cost : The same for votes.

    References
    ----------
    Colombo et al. (2022), "What are the best systems? New perspectives on NLP benchmarking",
    appendix C, https://doi.org/10.48550/arXiv.2202.03799; its table counts discordant pairs.

    Examples
    --------
    >>> import rankagg as ra
    >>> profile = ra.Profile.from_orders(["ABC", "BCA"], counts=[3, 2])
    >>> best = ra.Permutation.from_order("ABC")
    >>> ra.dispersion(profile, best), ra.dispersion(profile, best, average=True)
    (4.0, 0.8)
    >>> round(ra.dispersion(profile, best, normalized=True), 4)
    0.2667
    """
    strict_only = check_flag(discordant, "discordant")
    per_tie = check_number(tie_cost, "tie_cost", low=0, high=1)
    if strict_only and per_tie:
        raise InvalidInputError("tie_cost", "0 if only discordant pairs count", tie_cost)
    votes = Evidence.of(data, tolerance).votes
    total = _discordant(votes, ranking) if strict_only else votes.cost(ranking, tie_cost=per_tie)
    if check_flag(normalized, "normalized"):
        return _share_of(total, _over_pairs(votes.wins + votes.wins.T + votes.ties))
    if not check_flag(average, "average"):
        return total
    if votes.total_weight is None:
        needed = "An average needs the total weight of the rankings"
        raise InformationLostError(f"{needed}; a plain PairwiseMatrix does not hold it.")
    return total / votes.total_weight


def _discordant(votes: PairwiseMatrix, ranking: PartialRanking) -> float:
    if not isinstance(ranking, PartialRanking):
        raise InvalidInputError("ranking", "a PartialRanking or Permutation", ranking)
    votes.items.require_same(ranking.items, "A ranking and the votes")
    place = places.comparable(ranking.ranks[None, :])[0]
    ranked = ranking.ranks != UNRANKED
    below = (place[:, None] > place[None, :]) & ranked[:, None] & ranked[None, :]
    return float(votes.wins[below].sum())


def spread(
    data: Data | Evidence,
    *,
    average: bool = False,
    normalized: bool = False,
    tie_cost: float = 0.0,
    tolerance: Tolerance = 0.0,
) -> float:
    """Return the exact total Kendall distance over all ordered pairs of different rankings.

    Parameters
    ----------
    data : ScoreTable, ScoreSummary, Profile or Evidence
        Rankings, with counts as repetitions; weights multiply: w_s w_t d(s, t). For a summary, the
        rankings of its instances; under "uniform" the result is equal up to rounding.
    average : bool, default False
        Divide by the weight of the ordered pairs of rankings, (sum w)^2 - sum w^2: the mean
        distance of two different rankings, in pairs of items.
    normalized : bool, default False
        Divide by the weight of the pairs of judgments: the share in which two rankings
        contradict each other, from 0 to 1. For complete rankings it is the average divided by
        n(n - 1)/2.
    tie_cost : float, default 0
        Cost of a pair of items that exactly one of two rankings ties, from 0 to 1.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by at most this much are tied; see `ScoreTable.rankings`.

    Returns
    -------
    float
        NaN if the divisor is 0, as with one ranking.

    Raises
    ------
    InformationLostError
        For a PairwiseMatrix, which does not hold single rankings.

    Notes
    -----
    The sum is 2 sum_{i<j} W_ij W_ji, with W_ij the weight of the rankings with i above j. It takes
    time O(m n^2) instead of O(m^2 n log n). Ties add 2 c sum_{i<j} T_ij (W_ij + W_ji). Under the
    policy "uniform" a ranking with missing items disagrees with its own second imputation; those
    terms are subtracted. Under "ignore" pairs count if both rankings compare them.

    References
    ----------
    Colombo et al. (2022), appendix C, https://doi.org/10.48550/arXiv.2202.03799, where it is
    sampled.

    Examples
    --------
    >>> import rankagg as ra
    >>> profile = ra.Profile.from_orders(["ABC", "BCA"], counts=[3, 2])
    >>> ra.inference.spread(profile), ra.inference.spread(profile, average=True)
    (24.0, 1.2)
    """
    penalty = check_number(tie_cost, "tie_cost", low=0, high=1)
    evidence = Evidence.of(data, tolerance)
    total, single = _spread_of(evidence, penalty)
    if check_flag(normalized, "normalized"):
        return _share_of(total, single.weight_of_judgments(evidence.votes))
    return _share_of(total, single.weight_of_pairs) if check_flag(average, "average") else total


def _spread_of(evidence: Evidence, tie_cost: float = 0.0) -> tuple[float, _SingleRankings]:
    """Return the total distance, and the sums over single rankings."""
    votes = evidence.votes
    try:
        if evidence.summary:
            single = _SingleRankings.of_summary(evidence.summary, votes)
        else:
            single = _SingleRankings.of_profile(evidence.profile, votes)
    except InformationLostError as error:
        raise InformationLostError(f"spread {error}") from None
    total = max(2.0 * (_over_pairs(votes.wins * votes.wins.T) - single.self_distance), 0.0)
    if tie_cost:
        total += 2.0 * tie_cost * _over_pairs(votes.ties * (votes.wins + votes.wins.T))
    return total, single


def _share_of(total: float, weight: float) -> float:
    return total / weight if weight > 0 else float("nan")


def dispersion_report(
    data: Data,
    rules: Iterable[Aggregator] | None = None,
    *,
    tolerance: Tolerance = 0.0,
    time_limit: float | None = None,
) -> DispersionReport:
    """Measure the distances of consensuses from the rankings, and of rankings from each other.

    Parameters
    ----------
    data : ScoreTable, ScoreSummary or Profile
        Rankings, scores that give rankings, or a summary of scores.
    rules : iterable of Aggregator, optional
        The rules; by default those that suit the data, including exact Kemeny.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by at most this much are tied.
    time_limit : float, optional
        Seconds after which exact rules return the best ranking so far, and those that have none
        raise `OutOfTimeError`; None for no limit.

    Raises
    ------
    InformationLostError
        For a PairwiseMatrix, which does not hold single rankings.

    Examples
    --------
    >>> import rankagg as ra
    >>> votes = ra.datasets.load("tennessee")
    >>> report = ra.inference.dispersion_report(votes, [ra.Borda(), ra.Kemeny()])
    >>> report.to_frame()[["rule", "total", "average", "normalized"]].round(3)
       rule  total  average  normalized
    0   Borda  223.0     2.23       0.372
    1  Kemeny  207.0     2.07       0.345
    """
    deadline = deadline_of(time_limit)
    evidence = Evidence(data, tolerance)
    if isinstance(data, PairData):
        raise InformationLostError("dispersion_report needs rankings; votes do not hold them.")
    rules = default_rules(data) if rules is None else list(rules)
    for rule in rules:
        check_rule(rule, "rules")
        if isinstance(rule, Kemeny) and rule.consensus_ties:
            allowed = "rules without `consensus_ties`, since the bounds are for strict rankings"
            remedy = "Use `Kemeny()` here; `compare` takes both."
            raise InvalidInputError("rules", allowed, rule, remedy)
        if isinstance(rule, Kemeny) and rule.constraints is not None:
            allowed = "rules without constraints, since the bounds are over all rankings"
            raise InvalidInputError("rules", allowed, rule)
    votes = evidence.votes
    assert votes.total_weight is not None, "votes that were counted here have a weight"
    summary = evidence.summary
    weights = evidence.profile.weights if summary is None else summary.weight_vector
    total, single = _spread_of(evidence)
    return DispersionReport(
        consensuses=tuple(rule.aggregate(evidence, deadline=deadline) for rule in rules),
        votes=votes,
        total_weight=votes.total_weight,
        spread=total,
        _least_weight=float(weights.min()),
        _is_plain=evidence.is_complete_and_strict,
        _spread_weights=(single.weight_of_pairs, single.weight_of_judgments(votes)),
    )


class DispersionReport(Result):
    """Distances of consensuses from the rankings, with bounds of the least distance.

    Made by `dispersion_report`; it has no plot. All distances are exact Kendall distances, each
    pair of items counted once.

    Attributes
    ----------
    consensuses : tuple of Consensus
        One per rule.
    votes : PairwiseMatrix
        The votes that define the distances.
    total_weight : float
        Of the rankings; totals divided by it are averages.
    spread : float
        See `rankagg.inference.spread`; with `tie_cost` 0.
    """

    consensuses: tuple[Consensus, ...]
    votes: PairwiseMatrix
    total_weight: float = field(compare=False)
    spread: float
    # Least weight of a ranking.
    _least_weight: float = field(compare=False)
    # Whether all rankings are complete and strict.
    _is_plain: bool = field(compare=False)
    # Divisors of the spread: the weight of pairs of rankings, and of pairs of judgments.
    _spread_weights: tuple[float, float] = field(compare=False)

    _schema = "rankagg.dispersion"
    _row = "rule"
    _named_rows = False
    _number = "{:z.6g}"
    _formats: ClassVar = {"ratio": "{:z.4f}".format}
    _best: ClassVar = dict.fromkeys(
        ("total", "average", "normalized", "discordant", "ratio"), "lowest"
    )

    @property
    def exact(self) -> Consensus | None:
        """The consensus of the exact rule; None if there is none among the rules."""
        return next((c for c in self.consensuses if c.certificate is not None), None)

    @property
    def average_spread(self) -> float:
        """The mean distance of two different rankings; see `rankagg.inference.spread`."""
        return _share_of(self.spread, self._spread_weights[0])

    @property
    def normalized_spread(self) -> float:
        """The share of pairs of judgments in which two rankings contradict each other."""
        return _share_of(self.spread, self._spread_weights[1])

    # -- bounds -------------------------------------------------------------------------------

    @cached_property
    def spread_bounds(self) -> tuple[float, float | None]:
        """Bounds of the least total by the spread S: S/(2(W - w)) and S/W.

        W is the total and w the least weight of a ranking. For m equal rankings with mean distance
        U this is m U/2 to (m - 1) U: Remark 2 of Colombo et al. (2022) for a finite sample. The
        upper bound is the mean of the totals of the rankings themselves; it requires complete
        strict rankings and is None for others.
        """
        others = self.total_weight - self._least_weight
        lower = self.spread / (2.0 * others) if others > 1e-12 * self.total_weight else 0.0
        upper = self.spread / self.total_weight if self._is_plain else None
        return lower + self._cost_of_ties, upper

    @cached_property
    def pair_bounds(self) -> tuple[float, float]:
        """Bounds of the least total by single pairs: the smaller sides, and half of all votes."""
        wins = self.votes.wins
        lower, upper = _over_pairs(np.minimum(wins, wins.T)), _over_pairs(wins + wins.T) / 2.0
        return lower + self._cost_of_ties, upper + self._cost_of_ties

    @property
    def _cost_of_ties(self) -> float:
        """The cost of tied votes for every ranking, by the `tie_cost` of the exact rule."""
        return (0.0 if self.exact is None else self.exact.tie_cost) * _over_pairs(self.votes.ties)

    # -- tables -------------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return one row per rule.

        Returns
        -------
        pandas.DataFrame
            rule; total, average and normalized dispersion; discordant, the average that counts
            only strictly discordant pairs; ratio of the total to that of the exact rule, NaN
            without one.
        """
        best = None if self.exact is None else self._measure(self.exact)
        rows = []
        for consensus in self.consensuses:
            total = self._measure(consensus)
            ratio = np.nan if best is None else 1.0 if total == best == 0 else np.inf
            rows.append(
                {
                    "rule": consensus.rule.name,
                    "total": total,
                    "average": self._measure(consensus, average=True),
                    "normalized": self._measure(consensus, normalized=True),
                    "discordant": self._measure(consensus, average=True, discordant=True),
                    "ratio": total / best if best else ratio,
                }
            )
        return pd.DataFrame(rows)

    def _measure(self, consensus: Consensus, **options: Any) -> float:
        # Use the tie cost of the exact rule, so that the ratio is to its optimum.
        if self.exact is not None and "discordant" not in options:
            options["tie_cost"] = self.exact.tie_cost
        return dispersion(self.votes, consensus.ranking, **options)

    def _content(self) -> dict[str, Any]:
        certificate = None if self.exact is None else self.exact.certificate
        return {
            "unranked_policy": self.votes.unranked,
            **self._plain("total_weight", "spread", "average_spread", "normalized_spread"),
            "bounds": {"spread": list(self.spread_bounds), "pairs": list(self.pair_bounds)},
            "certificate": None if certificate is None else certificate.summary(),
            "rules": plain_rows(self.to_frame()),
        }

    def _facts(self) -> list[str]:
        low, high = self.spread_bounds
        least, most = self.pair_bounds
        at, upper = self._stated, "no upper bound: ties or missing items"
        if high is not None:
            upper = at(high, "upper bound by the spread")
        lower, items = at(low, "lower bound by the spread"), self.votes.n_items
        bounds = at(least, "lower bound by pairs"), at(most, "upper bound by pairs")
        size = quantity(items, "items", noun="item"), at(self.total_weight, "total weight", "g")
        lines = [
            sentence("{}, total weight {}; unranked items: {}", *size, self.votes.unranked),
            self._spread_line(),
            sentence("optimal total, by the spread      {} to {}", lower, upper),
            sentence("optimal total, by single pairs    {} to {}", *bounds),
        ]
        if self.exact is not None and self.exact.certificate is not None:
            best = at(self._measure(self.exact), "total of the exact consensus")
            name = "exact consensus" if self.exact.is_proved else "best ranking found"
            proof = self.exact.certificate.summary()
            lines.append(sentence("{:<34}{}  ({})", f"total of the {name}", best, proof))
        return [*lines, ""]

    def _spread_line(self) -> str:
        if np.isnan(self.average_spread) or np.isnan(self.normalized_spread):
            return "there are no two rankings to compare"
        what = "percent of pairs in which two differ"
        share = self._stated(100 * self.normalized_spread, what, ".3g")
        pairs = self._stated(self.average_spread, "pairs in which two differ", noun="pair")
        of = {
            "uniform": "all pairs, with unranked items anywhere",
            "ignore": "the pairs that both compare",
            "last": "the pairs that both compare, with unranked items last",
        }[self.votes.unranked or "uniform"]
        of = "all pairs" if self._is_plain else of
        return sentence("two rankings differ on {} on average ({} % of {})", pairs, share, of)

    def _stated(self, number: float, what: str, form: str = ".6g", noun: str = "") -> str:
        return quantity(number, what, form, noun, policy=self.votes.unranked, weighted=True)

    def __repr__(self) -> str:
        return f"<DispersionReport of {counted(len(self.consensuses), 'rule')}>"


def _variances_of(tally: TaskTally) -> Floats:
    """Return shares of columns before absent rows less their squares, summed over units."""
    if tally.shares is None or tally.squares is None:
        # Rounded sums are integers on a grid.
        parts = (np.asarray(tally.on_grid), np.asarray(tally.squares_on_grid))
        share, square = (part.astype(np.float64) / grid(len(tally)) for part in parts)
        return share - square
    over = (2.0 * (tally.sizes + 1))[:, None, None]
    variances: Floats = (tally.shares / over).sum(axis=0) - (tally.squares / over**2).sum(axis=0)
    return variances
