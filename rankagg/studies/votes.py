"""Studies of drawn profiles: distance of rules from the optimum, and frequency of cycles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import asin, inf, pi, sqrt
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import connected_components
from scipy.stats import binom

from rankagg._typing import Bools, Generator, RNGLike
from rankagg._validation import check_integer, check_kind, check_number
from rankagg.aggregation import Aggregator, Borda, Consensus, Deadline, Evidence
from rankagg.aggregation.kemeny import Kemeny
from rankagg.analysis.comparison.agreement import averaged_tasks
from rankagg.core import (
    UNRANKED,
    PairwiseMatrix,
    PartialRanking,
    Profile,
    ScoreTable,
    competition_ranks,
    counted,
    permutation_of,
)
from rankagg.cultures import (
    AnonymousCulture,
    DataSource,
    EuclideanCulture,
    ImpartialCulture,
    SinglePeakedCulture,
    checked,
)
from rankagg.distances import kendall_distance
from rankagg.exceptions import Described, InvalidInputError, RankaggError
from rankagg.studies.measures import Cell, Curve, Measures
from rankagg.studies.removal import n_removed
from rankagg.studies.study import ROUNDING, Row, Study, StudyResult


def _averaged(data: ScoreTable | Profile) -> ScoreTable | Profile:
    """Return data with the instances of every task averaged."""
    return averaged_tasks(data) if isinstance(data, ScoreTable) else data


# -- approximation --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _DrawnCell(Cell):
    """One drawn data set of the grid."""

    model: DataSource
    n_items: int = checked(check_integer, low=2)
    n_rankings: int = checked(check_integer, low=1)
    # The share of items missing from each ranking.
    missing: float = checked(check_number, default=0.0, low=0, high=1, open_high=True)
    repetition: int = 0


@dataclass(frozen=True, kw_only=True)
class ApproximationStudy(Study[_DrawnCell]):
    """Study of the cost of rules relative to the exact Kemeny optimum, on drawn data sets.

    Every combination of model, size, number of rankings and missing share is drawn
    `n_repetitions` times; each drawn data set is a cell that stays the same when the grid grows.

    Parameters
    ----------
    rules : sequence of Aggregator
        The rules to compare with the optimum.
    data : DataSource, distribution, Profile, ScoreTable, or a list of them
        The data sources: cultures, `LatentModel`, `ResampledData`, or your own. Profiles and tables
        are used unchanged, once unless `missing` is positive; the instances of a task are averaged.
    n_items : sequence of int, default (10,)
        Sizes, each at least 2. Data with a size of their own keep it.
    n_rankings : sequence of int, default (10,)
        The number of rankings, or tasks, of a data set.
    missing : sequence of float, default (0.0,)
        Shares of items, rounded to whole ones, that every ranking loses at random, in [0, 1).
    n_repetitions : int, default 100
        Data sets for each combination.
    rng : int, numpy.random.Generator or None, optional
        A seed; by default, and from a generator, one is drawn and kept.
    time_limit : float, optional
        Seconds for the exact optimum of one cell; none by default. Missing proofs are counted, and
        their ratios are intervals.

    Notes
    -----
    Rows: cost of a result in votes; optimum: the least known cost; lower_bound: proved lower bound,
    the optimum if `proved`; ratio of the cost to the optimum, both without half of the votes on
    pairs that a ranking leaves out, which every ranking contradicts. It is missing if that optimum
    is 0 and the cost is not, and without a proof the low end of an interval up to ratio_high. hit:
    whether the result is optimal, with ties only if every way to break them is; distance to the
    best known ranking, in pairs, half for a tie in one; runtime and exact_runtime in seconds,
    without counting the votes; error: the message of a rule that could not rank the data.

    Statistics: hit_rate; mean_ratio, max_ratio and mean_ratio_high, the upper bound of the mean
    ratio; mean_distance; median_runtime, median_exact_runtime.

    References
    ----------
    Ali and Meilă (2012), https://doi.org/10.1016/j.mathsocsci.2011.08.008, compare rules with the
    exact consensus in this way.

    Examples
    --------
    >>> import rankagg as ra
    >>> study = ra.studies.ApproximationStudy(
    ...     rules=[ra.Borda(), ra.Copeland()],
    ...     data=ra.cultures.MallowsCulture(phi=0.8),
    ...     n_items=[5, 10],
    ...     n_repetitions=20,
    ...     rng=0,
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

    _cell = _DrawnCell
    _fields: ClassVar = {
        "method": "str",
        **dict.fromkeys(("cost", "optimum", "lower_bound"), "float64"),
        "proved": "bool",
        **dict.fromkeys(("ratio", "ratio_high"), "float64"),
        "hit": "boolean",
        **dict.fromkeys(("distance", "runtime", "exact_runtime"), "float64"),
        "error": "str",
    }
    _measures = Measures(
        shares={"hit_rate": "hit"},
        statistics=(
            *("mean_ratio", "se_ratio", "max_ratio", "mean_ratio_high", "mean_distance"),
            *("median_runtime", "median_exact_runtime"),
        ),
        printed=("hit_rate", "hit_low", "hit_high", "mean_ratio", "max_ratio", "mean_distance"),
        curves={
            "mean_ratio": Curve(
                "mean cost, in multiples\nof the optimum", "se_ratio", least=1.0, most=None
            ),
            "hit_rate": Curve("share of optimal results", ends=("hit_low", "hit_high")),
            "mean_distance": Curve("pairs in another order\nthan one optimum", most=None),
        },
    )

    rules: Sequence[Aggregator]
    data: Any
    n_items: Sequence[int] = (10,)
    n_rankings: Sequence[int] = (10,)
    missing: Sequence[float] = (0.0,)
    n_repetitions: int = 100
    rng: RNGLike = None
    time_limit: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        scored = [rule.name for rule in self.rules if rule.needs == "scores"]
        for model in self._sources:
            if scored and model.gives != "scores":
                allowed = f"rules without scores, which {model.name} does not give"
                remedy = "Leave them out, or use a LatentModel."
                raise InvalidInputError("rules", allowed, scored, remedy)
        for share, size in product(self.missing, self.n_items):
            if n_removed(size, share) > size - 2:
                allowed = f"a share that leaves two of {counted(size, 'item')} in a ranking"
                raise InvalidInputError("missing", allowed, share)

    def _is_drawn(self, cell: _DrawnCell) -> bool:
        return not cell.model.is_fixed or cell.missing > 0

    def _try(self, cell: _DrawnCell, prepared: None) -> list[Row]:
        """Draw the data of a cell and aggregate them with every rule."""
        rng = cell.generator(self._seed, "data")
        data = _averaged(cell.model.sample(cell.n_items, cell.n_rankings, rng=rng))
        rng = cell.generator(self._seed, "missing")
        evidence = Evidence(_without_entries(data, cell.missing, rng))
        votes, deadline = evidence.votes, Deadline.after(self.time_limit)
        exact = self._aggregate(Kemeny(), evidence, None, deadline)
        assert exact.certificate is not None, "the exact rule gives a certificate"
        proved = exact.certificate.status == "optimal"
        results = self._attempts(evidence, cell)
        costs = [votes.cost(r.ranking) if isinstance(r, Consensus) else None for r in results]
        best = min([exact.cost, *(cost for cost in costs if cost is not None)])
        bound = exact.cost if proved else exact.certificate.lower_bound
        shared = {"optimum": best, "lower_bound": bound, "proved": proved}
        shared["exact_runtime"] = exact.runtime
        always, rows = _always_contradicted(evidence), list[Row]()
        for rule, result, cost in zip(self.rules, results, costs, strict=True):
            row = dict.fromkeys(self._fields) | {"method": rule.name, "cost": cost} | shared
            rows.append(row)
            if isinstance(result, RankaggError):
                row["error"] = str(result)
                continue
            assert cost is not None, "every ranking has a cost"
            ratio, high = (_over(cost - always, least - always) for least in (best, bound))
            above = cost > best + ROUNDING * (1 + best)
            row |= {
                "ratio": ratio,
                "ratio_high": inf if high is None and ratio is not None else high,
                # A ranking as cheap as the best known one may or may not be optimal.
                "hit": False if above else (True if proved else None),
                "distance": kendall_distance(result.ranking, exact.ranking, tie_cost=0.5),
                "runtime": result.runtime,
            }
        return rows

    def _headline(self, result: StudyResult) -> str:
        return f"optimum proved in {result.n_cells - result.n_unproved} of {result.n_cells}"

    def _notes(self, frame: pd.DataFrame) -> Iterable[str]:
        without = int((frame["cost"].notna() & frame["ratio"].isna()).sum())
        if not frame["proved"].all():
            yield "ratios to these are lower ends; mean_ratio_high is the upper end"
        if without:
            yield f"no ratio, as only the optimum costs 0, {counted(without, 'time')}"


def _over(cost: float, least: float) -> float | None:
    room = ROUNDING * (1 + abs(least))
    if cost <= least + room:
        return 1.0
    return cost / least if least > room else None


def _always_contradicted(evidence: Evidence) -> float:
    """Return half of the votes on pairs that a ranking leaves out; no ranking changes it."""
    profile = evidence.profile
    if profile.unranked != "uniform":
        return 0.0
    absent = (profile.ranks == UNRANKED).sum(axis=1)
    return float((profile.counts * profile.weights) @ (absent * (absent - 1))) / 4


def _without_entries(
    data: ScoreTable | Profile, share: float, rng: Generator
) -> ScoreTable | Profile:
    """Return data in which each ranking, or task, has lost a random share of its items."""
    n_items = data.n_systems if isinstance(data, ScoreTable) else data.n_items
    lost = n_removed(n_items, share)
    if lost == 0:
        return data
    rows = data.n_tasks if isinstance(data, ScoreTable) else len(data)
    # The lost items of every row, at random.
    gone = np.argsort(np.argsort(rng.random((rows, n_items)), axis=1), axis=1) < lost
    if isinstance(data, ScoreTable):
        return data.with_values(np.where(gone.T[:, data.unit_tasks], np.nan, data.values))
    left = np.where(gone | (data.ranks < 0), np.nan, data.ranks)
    return data._replace(ranks=competition_ranks(left))


# -- cycles ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _ProfileCell(Cell):
    """One drawn profile."""

    model: DataSource
    n_items: int = checked(check_integer, low=2)
    n_rankings: int = checked(check_integer, low=1)
    repetition: int = 0


@dataclass(frozen=True, kw_only=True)
class CycleStudy(Study[_ProfileCell]):
    """Study of the frequency of cyclic majorities and of disagreement of Borda and Kemeny.

    Every combination of model and size is drawn `n_repetitions` times. For each profile three
    questions are answered: Does an item beat every other by a strict majority? Are strict
    majorities cyclic? Is Borda's ranking one of the exact optima of Kemeny's rule? Next to the
    shares are the known probabilities: `condorcet_winner_probability` and `cycle_probability`.

    Parameters
    ----------
    data : DataSource, distribution, Profile, ScoreTable, or a list of them
        The sources of profiles: cultures and others. A profile is used unchanged, once.
    n_items : sequence of int, default (3,)
        Sizes, each at least 2.
    n_rankings : sequence of int, default (3, 11, 101)
        The number of rankings of a profile. With an even number majorities may tie.
    n_repetitions : int, default 1000
        Profiles for each combination.
    rng : int, numpy.random.Generator or None, optional
        A seed; by default, and from a generator, one is drawn and kept.

    Notes
    -----
    Rows and shares: winner: an item beats every other by a strict majority; cycle: strict
    majorities are cyclic; tied: two items tie in votes; finds_winner: the Condorcet winner is
    Borda's sole winner, missing if there is none (the Condorcet efficiency); optimal: Borda's
    ranking is an optimum of Kemeny's rule, with ties only if every way to break them is; distance
    to the optimum found, in pairs, half for a tie in one. winner_exact and cycle_exact are known
    probabilities.

    References
    ----------
    Guilbaud (1952), https://doi.org/10.3406/ecoap.1952.3831; Gehrlein (2002),
    https://doi.org/10.1023/A:1015551010381.

    Examples
    --------
    >>> from rankagg import cultures, studies
    >>> impartial = cultures.ImpartialCulture()
    >>> study = studies.CycleStudy(data=impartial, n_rankings=[3], n_repetitions=50, rng=0)
    >>> table = study.run().by_method().reset_index()
    >>> table[["n_items", "cycle", "cycle_exact", "optimal"]].round(3)
       n_items  cycle  cycle_exact  optimal
    0        3   0.08        0.056     0.82
    """

    _cell = _ProfileCell
    _fields: ClassVar = {
        **dict.fromkeys(("winner", "cycle", "tied", "optimal"), "bool"),
        "distance": "float64",
        "finds_winner": "boolean",
    }
    _measures = Measures(
        shares={"winner": "winner", "cycle": "cycle", "optimal": "optimal"},
        statistics=("tied", "finds_winner", "mean_distance"),
        lines=("model", "n_items"),
        printed=("winner", "winner_exact", "cycle", "cycle_exact", "finds_winner", "optimal"),
        curves={
            name: Curve(
                label,
                ends=(f"{name}_low", f"{name}_high"),
                dotted=dotted,
                dotted_is="known exactly",
            )
            for name, label, dotted in (
                ("cycle", "share with a Condorcet cycle", "cycle_exact"),
                ("winner", "share with a Condorcet winner", "winner_exact"),
                ("optimal", "share where Borda's ranking\nis a Kemeny optimum", ""),
            )
        },
        noun="profile",
    )

    data: Any
    n_items: Sequence[int] = (3,)
    n_rankings: Sequence[int] = (3, 11, 101)
    n_repetitions: int = 1000
    rng: RNGLike = None

    def _is_drawn(self, cell: _ProfileCell) -> bool:
        return not cell.model.is_fixed

    def _prepared(self, deadline: Deadline) -> Deadline:
        return deadline

    def _try(self, cell: _ProfileCell, prepared: Deadline) -> list[Row]:
        """Draw a profile, examine its majorities, and compare Borda with Kemeny."""
        rng = cell.generator(self._seed, "data")
        evidence = Evidence(_averaged(cell.model.sample(cell.n_items, cell.n_rankings, rng=rng)))
        votes = evidence.votes
        beats = votes.wins > votes.wins.T
        n_beaten = beats.sum(axis=1)
        found = Borda().aggregate(evidence).ranking
        # Items of a cycle are strongly connected.
        n_parts, _ = connected_components(beats, directed=True, connection="strong")
        cyclic = bool(n_parts < votes.n_items)
        exact = self._optimal(evidence, prepared) if cyclic else _majority_order(votes, beats)
        cost, least = votes.cost(found), votes.cost(exact)
        winner = np.flatnonzero(n_beaten == votes.n_items - 1)
        first = np.flatnonzero(found.ranks == 0)
        return [
            {
                "winner": bool(len(winner)),
                "cycle": cyclic,
                "tied": bool(n_beaten.sum() < votes.n_items * (votes.n_items - 1) // 2),
                "finds_winner": first.tolist() == winner.tolist() if len(winner) else None,
                "optimal": bool(cost <= least + ROUNDING * (1 + least)),
                "distance": kendall_distance(found, exact, tie_cost=0.5),
            }
        ]

    def _optimal(self, evidence: Evidence, deadline: Deadline) -> PartialRanking:
        """Return an optimal ranking."""
        result = self._aggregate(Kemeny(), evidence, None, deadline)
        if not result.is_proved:
            deadline.seconds_left()
        return result.ranking

    def _completed(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return shares with known probabilities."""
        sources = {source.name: source for source in self._sources}
        for name, known in (("winner", _known_winner), ("cycle", _known_cycle)):
            exact = [known(sources[model], *sizes) for model, *sizes in table.index]
            table[f"{name}_exact"] = np.array(exact, dtype=np.float64)
        return table

    def _headline(self, result: StudyResult) -> str:
        frame = result.to_frame()
        return (
            f"majorities are cyclic in {frame['cycle'].mean():.1%} of "
            f"{counted(len(frame), 'profile')}, and Borda's ranking is no Kemeny optimum in "
            f"{1 - frame['optimal'].mean():.1%}"
        )


def _majority_order(votes: PairwiseMatrix, beats: Bools) -> PartialRanking:
    """Return an order that contradicts no strict majority, so that every pair costs its least."""
    # An item that beats another, directly or through others, is beaten by fewer.
    reach = beats.copy()
    for via in range(len(beats)):
        reach |= np.outer(reach[:, via], reach[via])
    return permutation_of(np.argsort(np.argsort(reach.sum(axis=0), kind="stable")), votes.items)


# -- known probabilities --------------------------------------------------------------------------


def condorcet_winner_probability(
    culture: DataSource, n_items: int, n_rankings: int | None = None
) -> float:
    """Return the probability that some item beats every other by a strict majority.

    It is known for three items under the impartial and the anonymous culture, for four under the
    impartial one with an odd number of rankings, and for all sizes with an odd number of rankings
    on restricted domains, where it is 1.

    Parameters
    ----------
    culture : Culture
        The distribution of profiles.
    n_items : int
        The number of items, at least 2.
    n_rankings : int, optional
        The number of rankings, at most 10,000; by default the limit for infinitely many.

    Returns
    -------
    float
        The probability. Unknown ones are refused.

    References
    ----------
    Guilbaud (1952), https://doi.org/10.3406/ecoap.1952.3831, for the limit; Gehrlein and Fishburn
    (1976), "The probability of the paradox of voting: a computable solution", Journal of Economic
    Theory 13, 14-25; Gehrlein (2002), https://doi.org/10.1023/A:1015551010381, for the anonymous
    culture. On restricted domains Black (1948), https://doi.org/10.1086/256633, for single-peaked
    rankings; Rothstein (1990), https://doi.org/10.1007/BF01376281, for single-crossing ones.

    Examples
    --------
    >>> import rankagg as ra
    >>> round(ra.studies.condorcet_winner_probability(ra.cultures.ImpartialCulture(), 3), 4)
    0.9123
    >>> round(ra.studies.condorcet_winner_probability(ra.cultures.AnonymousCulture(), 3, 3) * 28, 9)
    27.0
    """
    return _probability(_known_winner, culture, n_items, n_rankings)


def cycle_probability(culture: DataSource, n_items: int, n_rankings: int | None = None) -> float:
    """Return the probability that strict majorities are cyclic.

    It is known for three items under the impartial and the anonymous culture with an odd number of
    rankings, and in the limit; on restricted domains it is 0.

    Parameters
    ----------
    culture : Culture
        The distribution of profiles.
    n_items : int
        The number of items, at least 2.
    n_rankings : int, optional
        The number of rankings, at most 10,000; by default the limit for infinitely many.

    Returns
    -------
    float
        The probability; unknown ones are refused. `condorcet_winner_probability` has the
        references.

    Examples
    --------
    >>> import rankagg as ra
    >>> round(ra.studies.cycle_probability(ra.cultures.ImpartialCulture(), 3, 3) * 18, 9)
    1.0
    >>> round(ra.studies.cycle_probability(ra.cultures.ImpartialCulture(), 3), 4)
    0.0877
    >>> ra.studies.cycle_probability(ra.cultures.AnonymousCulture(), 3)
    0.0625
    """
    return _probability(_known_cycle, culture, n_items, n_rankings)


def _probability(
    known: Callable[[DataSource, int, int | None], float | None],
    culture: DataSource,
    n_items: int,
    n_rankings: int | None,
) -> float:
    check_kind(culture, "culture", kind=DataSource, example="`ImpartialCulture()`")
    size = check_integer(n_items, "n_items", low=2)
    number = None if n_rankings is None else check_integer(n_rankings, "n_rankings", low=1)
    probability = known(culture, size, number)
    if probability is None:
        many = "infinitely many rankings" if number is None else counted(number, "ranking")
        given = Described(f"{culture.name}, {counted(size, 'item')} and {many}")
        allowed = "some whose probability is known"
        raise InvalidInputError("culture and sizes", allowed, given, "A CycleStudy estimates it.")
    return probability


def _known_winner(  # noqa: PLR0911
    model: DataSource, n_items: int, n_rankings: int | None
) -> float | None:
    """Return the probability of a Condorcet winner; None if it is not known."""
    odd = n_rankings is None or n_rankings % 2 == 1
    if n_items == 2 and odd and isinstance(model, ImpartialCulture | AnonymousCulture):
        return 1.0
    if _is_restricted(model):
        return 1.0 if odd and n_rankings is not None else None
    if n_rankings is not None and n_rankings > 10**4:
        return None
    if isinstance(model, ImpartialCulture) and n_items == 3:
        return _impartial(n_rankings)
    if isinstance(model, ImpartialCulture) and n_items == 4 and odd:
        # A Condorcet loser is as likely as a Condorcet winner.
        return 2.0 * _impartial(n_rankings) - 1.0
    if isinstance(model, AnonymousCulture) and n_items == 3:
        return _anonymous(n_rankings)
    return None


def _known_cycle(model: DataSource, n_items: int, n_rankings: int | None) -> float | None:
    """Return the probability of a cycle of strict majorities; None if it is not known."""
    if n_items == 2 or _is_restricted(model):
        return 0.0
    if n_items > 3 or (n_rankings is not None and n_rankings % 2 == 0):
        return None
    winner = _known_winner(model, n_items, n_rankings)
    return None if winner is None else 1.0 - winner


def _is_restricted(model: DataSource) -> bool:
    """Return whether strict majorities have no cycles, and are transitive without ties."""
    if isinstance(model, EuclideanCulture):
        return model.n_dimensions == 1
    return isinstance(model, SinglePeakedCulture)


def _impartial(n_rankings: int | None) -> float:
    """Return the probability of a Condorcet winner among three items for uniform rankings.

    A ranking has an item on the same side of both others with probability 2/3, and then above or
    below with equal probability. Else it is between them, in either order with equal probability.
    """
    if n_rankings is None:
        return 0.75 + 1.5 / pi * asin(1.0 / 3.0)
    most = n_rankings // 2 + 1
    total = 0.0
    for same in _likely(n_rankings, 2.0 / 3.0):
        apart = n_rankings - int(same)
        above = _likely(int(same), 0.5)
        # Bounds on the rankings with it above the first other, for a majority over both.
        highest, lowest = above + apart - most, most - above
        chance = binom.cdf(highest, apart, 0.5) - binom.cdf(lowest - 1, apart, 0.5)
        inner = binom.pmf(above, same, 0.5) @ np.where(highest >= lowest, chance, 0.0)
        total += float(binom.pmf(same, n_rankings, 2.0 / 3.0) * inner)
    return 3.0 * total


def _likely(number: int, chance: float) -> np.ndarray:
    """Return the values of a binomial variable of relevant probability."""
    # Beyond 12 standard deviations the probability is below the rounding error.
    mean, reach = number * chance, 12.0 * sqrt(number * chance * (1.0 - chance)) + 12.0
    return np.arange(max(0, int(mean - reach)), min(number, int(mean + reach) + 1) + 1)


def _anonymous(n_rankings: int | None) -> float:
    """Return the probability of a Condorcet winner among three items, anonymous culture."""
    if n_rankings is None:
        return 15.0 / 16.0
    n = n_rankings
    if n % 2:
        return 15 * (n + 3) ** 2 / (16 * (n + 2) * (n + 4))
    return 15 * n * (n + 2) * (n + 4) / (16 * (n + 1) * (n + 3) * (n + 5))
