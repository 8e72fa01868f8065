"""Differences of two systems in independent units, and exact tests of them.

McNemar's test is the sign test for right and wrong answers, with another effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import floor, sqrt
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from rankagg._typing import Floats, Generator, Integers64, Label, Positions
from rankagg._validation import table_remedy
from rankagg.aggregation import unlike_tasks
from rankagg.core import (
    ScoreTable,
    are_level,
    competition_ranks,
    quantity,
    rounding_error,
    scaled,
    sentence,
)
from rankagg.exceptions import InvalidInputError
from rankagg.inference.pair_values import PairValues
from rankagg.inference.ranks.sign_flips import sign_vectors
from rankagg.inference.units import Unit, Units
from rankagg.kernels.counting import doubled_places

PairedMethod = Literal["mcnemar", "sign-flips", "wilcoxon", "sign"]

# Most units that differ for an exact distribution of the sum of ranks.
EXACT_UNITS = 100
# Ends of intervals under all signs, for some pairs at a time.
ENDS_HELD = 2**18
# Up to so many means of two differences are all computed.
MEANS_HELD = 2**20


@dataclass(frozen=True, eq=False)
class _ScoreDifferences(PairValues):
    """Differences of two scores, higher is better, or with `sign=1` their sums."""

    first: Positions
    second: Positions
    sign: float = -1.0

    @property
    def pairs(self) -> tuple[Positions, Positions]:
        """Positions of the two systems of each pair."""
        return self.first, self.second

    def values(self) -> Floats:
        """Return unscaled differences or sums; NaN if one of the scores is missing."""
        scores = self.rows
        return scores[:, self.first] + self.sign * scores[:, self.second]


@dataclass(frozen=True, eq=False)
class PairedSample:
    """Differences of the two systems of p pairs in u independent units."""

    # The two systems of each pair.
    pairs: tuple[tuple[Label, Label], ...]
    # Shape (u, p). Score of the first minus score of the second, averaged over the columns of a
    # unit, times 2**shift; NaN if no column has both scores, 0 if means over several columns are
    # equal up to rounding.
    differences: Floats
    # Shape (u, p). Sums of the absolute scores, averaged in the same way.
    sizes: Floats
    # Shape (p,). Units whose differences were set to 0.
    n_level: Positions
    # See `rankagg.core.exact_sum.scaled`.
    shift: int
    # Shape (u,). The weights of the units, on any scale.
    weights: Floats
    # The independent unit, as printed: a column is a task, or an instance of one.
    unit: str
    # Every unit is one column, and all scores are 0 or 1.
    is_binary: bool
    # Caveats about the units.
    notes: tuple[str, ...]
    # Reasons against a mean of the differences.
    cautions: tuple[str, ...]

    @property
    def is_weighted(self) -> bool:
        """True if units differ in weight."""
        return not are_level(self.weights)

    @property
    def is_answers(self) -> bool:
        """True if scores are right and wrong answers of equal weight, as for McNemar's test."""
        return self.is_binary and not self.is_weighted

    def wins_and_losses(self, pair: int) -> tuple[int, int]:
        """Return the numbers of units with the first of a pair above, and the second."""
        return _wins_and_losses(self.differences[:, pair])


def checked_table(data: object, of: str, remedy: str = "") -> ScoreTable:
    """Return a table, or raise if the data are none."""
    if isinstance(data, ScoreTable):
        return data
    allowed = f"a ScoreTable, which has the scores of {of}"
    raise InvalidInputError("data", allowed, data, table_remedy(data) or remedy)


def paired_sample(data: object, pairs: Sequence[tuple[Label, Label]], unit: Unit) -> PairedSample:
    """Return the differences of the systems of each pair in every unit."""
    data = checked_table(
        data,
        "both systems",
        "For rankings `PairwiseIntervals` estimates how often one is above the other.",
    )
    first, second = (
        np.array(data.systems.indices(labels), dtype=np.intp) for labels in zip(*pairs, strict=True)
    )
    for one, other in pairs:
        if one == other:
            raise InvalidInputError("second", "another system than the first", other)
    scores = (data.values * data.signs).T
    source = _ScoreDifferences(scores, first, second)
    with np.errstate(over="ignore"):
        too_far = bool(np.isinf(source.values()).any())
    if too_far:
        far, remedy = float(np.nanmax(np.abs(scores))), "Divide all scores by a common number."
        raise InvalidInputError("data", "scores whose differences are floats", far, remedy)
    is_paired = np.isin(np.arange(data.n_systems), [first, second])
    numbers, shift = scaled(np.where(is_paired, scores, np.nan))
    units = Units.of_values(data.rankings(), source, unit, instances=data.instances)
    # A power of two causes no rounding.
    weights = np.ldexp(units.weights, -np.frexp(units.weights.max())[1])
    units = replace(units, source=replace(source, rows=numbers), weights=weights)
    block = units.all_blocks()
    sizes = replace(units, source=replace(source, rows=np.abs(numbers), sign=1.0)).all_blocks()
    # Scores of a single column are compared exactly; means over several are rounded.
    columns = np.ones(len(scores)) if units.clusters is None else np.bincount(units.clusters)
    errors = rounding_error(sizes.values, columns[:, None]) * (columns > 1)[:, None]
    level = (block.values != 0.0) & (np.abs(block.values) <= errors)
    answers = (np.isnan(scores) | (scores == 0.0) | (np.abs(scores) == 1.0)).all()
    of_task = units.unit == "ranking" and not data.is_instance_level
    word = "task" if of_task else units.unit
    return PairedSample(
        pairs=tuple(pairs),
        differences=np.where(level, 0.0, block.values),
        sizes=sizes.values,
        n_level=level.sum(axis=0),
        shift=shift,
        weights=block.weights,
        unit="instance" if word == "ranking" else word,
        is_binary=bool(answers) and bool((columns == 1).all()),
        notes=(*units.notes, *units.neighbor_notes(data)),
        cautions=tuple(unlike_tasks(data)),
    )


# -- tests of all pairs ---------------------------------------------------------------------------

# Effect, lower, upper, p-value, whether the p-value is exact, and the direction.
Figures = tuple[float, float, float, float, bool, int]


def compare_pairs(
    sample: PairedSample, method: PairedMethod, alpha: float, n_resamples: int, rng: Generator
) -> tuple[list[Figures], tuple[str, ...]]:
    """Test all pairs; raise if the method does not suit the scores."""
    if method == "mcnemar" and not sample.is_binary:
        only = "unless all scores are 0 or 1 and each column is a unit"
        remedy = "'sign-flips' flips the signs of averages over units."
        raise InvalidInputError("method", f"another one than 'mcnemar' {only}", method, remedy)
    if method != "sign-flips" and sample.is_weighted:
        remedy = "Make the weights equal with `with_task_weights({})`."
        raise InvalidInputError("method", "'sign-flips' if units differ in weight", method, remedy)
    d = sample.differences
    if method != "sign-flips":
        columns = zip(d.T, sample.sizes.T, ~np.isnan(d.T), strict=True)
        return [_test_pair(method, one[seen], size[seen], alpha) for one, size, seen in columns], ()
    flips = _flip_tests(d, sample.weights, alpha, n_resamples, rng, sizes=sample.sizes)
    level = alpha / len(sample.pairs)
    figures = [flips.of(p) for p in range(len(sample.pairs))]
    if flips.is_exact or flips.n_vectors * level >= 1:
        return figures, ()
    many = quantity(flips.n_vectors, "sign vectors", noun="sign vector")
    each = quantity(level, "alpha of each test", ".2g")
    return figures, (sentence("only {} for a level of {}: raise `n_resamples`", many, each),)


def _test_pair(method: PairedMethod, differences: Floats, sizes: Floats, alpha: float) -> Figures:
    """Test one pair by the differences of the units that have both scores."""
    if method == "wilcoxon":
        ranks = _signed_rank_p_value(differences, rounding_error(sizes))
        return *_hodges_lehmann(differences, alpha), *ranks
    n, wins, losses = len(differences), *_wins_and_losses(differences)
    if method == "mcnemar":
        ends = _difference_of_proportions(wins, losses, n, alpha)
        effect = (wins - losses) / n if n else np.nan
    else:
        ends = _share_interval(wins, losses, alpha)
        effect = wins / (wins + losses) if wins + losses else np.nan
    return effect, *ends, _binomial_p_value(wins, losses), True, int(np.sign(wins - losses))


def _wins_and_losses(differences: Floats) -> tuple[int, int]:
    """Return the numbers of units with the first above, and the second."""
    return int((differences > 0).sum()), int((differences < 0).sum())


# -- tests of one pair ----------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _binomial_p_value(wins: int, losses: int) -> float:
    """Return the two-sided p-value of wins and losses that are equally likely."""
    if not wins + losses:
        return 1.0
    return min(1.0, 2.0 * float(scipy.stats.binom.cdf(min(wins, losses), wins + losses, 0.5)))


@lru_cache(maxsize=4096)
def _share_interval(wins: int, losses: int, alpha: float) -> tuple[float, float]:
    """Return Clopper and Pearson's interval for the share of wins; [0, 1] without data."""
    if not wins + losses:
        return 0.0, 1.0
    interval = scipy.stats.binomtest(wins, wins + losses).proportion_ci(1.0 - alpha, method="exact")
    return float(interval.low), float(interval.high)


@lru_cache(maxsize=4096)
def _difference_of_proportions(
    wins: int, losses: int, n_units: int, alpha: float
) -> tuple[float, float]:
    """Return Tango's score interval for the difference of two paired proportions.

    It contains the differences d that the score test does not reject. With b wins and c losses in
    n units, (b - c - nd)^2 is then at most z^2 n (2q + d - d^2), where q is the most likely
    probability of a loss given d.

    Tango (1998), "Equivalence test and confidence interval for the difference in proportions for
    the paired-sample design",
    https://doi.org/10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B.
    """
    if n_units == 0:
        return -1.0, 1.0
    z = float(scipy.stats.norm.isf(alpha / 2.0))
    return -_largest_kept(losses, wins, n_units, z), _largest_kept(wins, losses, n_units, z)


def _largest_kept(wins: int, losses: int, n: int, z: float) -> float:
    """Return the largest difference that the score test does not reject."""
    seen = (wins - losses) / n

    def beyond(difference: float) -> float:
        # The most likely probability of a loss given the difference solves a quadratic equation.
        b = (2.0 * n - wins + losses) * difference - wins - losses
        c = -losses * difference * (1.0 - difference)
        loss = (sqrt(max(b * b - 8.0 * n * c, 0.0)) - b) / (4.0 * n)
        variance = n * max(2.0 * loss + difference * (1.0 - difference), 0.0)
        return n * (difference - seen) - z * sqrt(variance)

    if seen >= 1.0 or beyond(1.0) <= 0.0:
        return 1.0
    # Without variance the observed difference is a root too, but not the end.
    return float(scipy.optimize.brentq(beyond, seen + 1e-9 * (1.0 - seen), 1.0, xtol=1e-13))


class _FlipTests(NamedTuple):
    """Sign-flip tests of the mean differences of p pairs."""

    # Shape (p,). The weighted mean difference (NaN without units, 0 up to rounding), its two-sided
    # p-value, and its interval, infinite if too few units exclude nothing.
    mean: Floats
    p_value: Floats
    lower: Floats
    upper: Floats
    # Number of sign vectors, including the observed one.
    n_vectors: int
    # True if these are all sign vectors, up to reversal.
    is_exact: bool

    def of(self, pair: int) -> Figures:
        """Return the figures of one pair."""
        mean, ends = float(self.mean[pair]), (float(self.lower[pair]), float(self.upper[pair]))
        return mean, *ends, float(self.p_value[pair]), self.is_exact, int(mean > 0) - int(mean < 0)


def _flip_tests(
    differences: Floats,
    weights: Floats,
    alpha: float,
    n_vectors: int,
    rng: Generator,
    *,
    sizes: Floats | None = None,
) -> _FlipTests:
    """Test mean differences by flipping the signs of units.

    With signs s and weights w, a center c of the differences d is rejected if
    abs(sum s w (d - c)) reaches abs(sum w (d - c)) for a share of at most alpha of all s. For one s
    it does so between the mean of the flipped units and the mean of the others. So the ends of the
    interval are quantiles of such means, and it contains exactly the centers that are not rejected.
    It is exact for independent units whose differences are symmetric about their center (Hartigan
    1969). Random sign vectors include the observed one.

    Hartigan (1969), "Using subsample values as typical values",
    https://doi.org/10.1080/01621459.1969.10501057.
    """
    present = ~np.isnan(differences)
    weight = present * weights[:, None]
    values = np.where(present, differences, 0.0) * weights[:, None]
    total, mass = values.sum(axis=0), weight.sum(axis=0)
    terms = np.where(present, np.abs(differences if sizes is None else sizes), 0.0)
    least = rounding_error((terms * weights[:, None]).sum(axis=0), len(differences))
    times, is_exact, blocks = sign_vectors(len(differences), n_vectors, rng)
    width = values.shape[1]
    reached, lower, upper = np.empty((3, width))
    step = max(1, ENDS_HELD // times)
    # For several groups of pairs signs are held, in a byte each.
    signs = blocks if width <= step else [block.astype(np.int8) for block in blocks]
    for start in range(0, width, step):
        some = slice(start, start + step)
        rows = values[:, some].T, weight[:, some].T, least[some]
        reached[some], lower[some], upper[some] = _flip_group(signs, times, alpha, *rows)
    with np.errstate(invalid="ignore"):
        mean = np.where(np.abs(total) <= least, 0.0, total) / mass
    return _FlipTests(mean, reached / times, lower, upper, times, is_exact)


def _flip_group(
    signs: Iterable[NDArray[Any]],
    times: int,
    alpha: float,
    *rows: Floats,
) -> tuple[Floats, Floats, Floats]:
    """Return how many signs reach the sums of some pairs, and the ends of their intervals.

    The rows are those of differences and of weights, with the rounding error of each sum.
    """
    values, weight, least = rows
    total = values.sum(axis=1, keepdims=True)
    if (weight == weight[0]).all():
        weight = weight[:1]  # complete pairs have the same weights
    mass, start = weight.sum(axis=1, keepdims=True), 0
    reached, ends = np.zeros(len(values)), np.empty((2, len(values), times))
    for block in signs:
        across = block.T.astype(np.float64)
        columns = slice(start, start + len(block))
        start = columns.stop
        turned_sum, turned_mass = values @ across, weight @ across
        reached += (np.abs(turned_sum) >= np.abs(total) - 2.0 * least[:, None]).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            stay = (total + turned_sum) / (mass + turned_mass)
            turned = (total - turned_sum) / (mass - turned_mass)
        np.minimum(stay, turned, out=ends[0, :, columns])
        np.maximum(stay, turned, out=ends[1, :, columns])
        # All of a pair on one side: every center is as likely.
        is_one_side = mass - np.abs(turned_mass) <= rounding_error(mass, weight.shape[1])
        if is_one_side.any():
            where = np.broadcast_to(is_one_side, turned_sum.shape)
            ends[0, :, columns][where], ends[1, :, columns][where] = -np.inf, np.inf
    cut = int(np.floor(alpha * times + 1e-9))
    ends[0].partition(cut, axis=1)
    ends[1].partition(times - 1 - cut, axis=1)
    return reached, ends[0, :, cut], ends[1, :, times - 1 - cut]


def _signed_rank_p_value(
    differences: Floats, errors: Floats | None = None
) -> tuple[float, bool, int]:
    """Return Wilcoxon's two-sided p-value, whether it is exact, and its direction.

    Differences of zero are left out, and those of equal size have their mid-rank. The distribution
    is that of all signs of these ranks, so that it is valid with ties.

    Wilcoxon (1945), "Individual comparisons by ranking methods", https://doi.org/10.2307/3001968;
    Pratt (1959), "Remarks on zeros and ties in the Wilcoxon signed rank procedures",
    https://doi.org/10.1080/01621459.1959.10501526.
    """
    kept = differences[differences != 0.0]
    if not len(kept):
        return 1.0, True, 0
    sizes = np.abs(kept)
    moved = rounding_error(sizes) if errors is None else errors[differences != 0.0]
    doubled = doubled_places(competition_ranks(sizes[None, :], errors=moved[None, :]))[0]
    plus = int(doubled[kept > 0].sum())
    minus = int(doubled.sum()) - plus
    least, direction = min(plus, minus), int(np.sign(plus - minus))
    if len(kept) <= EXACT_UNITS:
        return min(1.0, 2.0 * float(_distribution(doubled)[: least + 1].sum())), True, direction
    # Continuity correction: half a step of the doubled sum.
    deviation = max(doubled.sum() / 2.0 - least - int(np.gcd.reduce(doubled)) / 2.0, 0.0)
    error = float(np.sqrt((doubled.astype(np.float64) ** 2).sum())) / 2.0
    return min(1.0, 2.0 * float(scipy.stats.norm.sf(deviation / error))), False, direction


def _hodges_lehmann(differences: Floats, alpha: float) -> tuple[float, float, float]:
    """Return the median of the Walsh averages, and an interval for the center.

    Walsh averages are the means of two differences, or of one with itself. The ends are those at
    ranks from the distribution without ties. For independent differences that are symmetric about
    one center they contain it with probability 1 - alpha or more, and with ties more often.

    Hodges and Lehmann (1963), "Estimates of location based on rank tests",
    https://doi.org/10.1214/aoms/1177704172.
    """
    n = len(differences)
    if not n:
        return np.nan, -np.inf, np.inf
    many = n * (n + 1) // 2
    end = _end_rank(n, alpha)
    ranks = [(many - 1) // 2, many // 2]
    if end >= 0:
        ranks += [end, many - 1 - end]
    if many <= MEANS_HELD:
        first, second = np.triu_indices(n)
        averages = np.sort(differences[first] / 2.0 + differences[second] / 2.0)[ranks].tolist()
    else:
        values, counts = np.unique(differences, return_counts=True)
        averages = [_walsh_average(values, counts, rank) for rank in ranks]
    center = (averages[0] + averages[1]) / 2.0
    if end < 0:
        return center, -np.inf, np.inf
    return center, averages[2], averages[3]


@lru_cache(maxsize=256)
def _end_rank(n: int, alpha: float) -> int:
    """Return the rank from 0 of the lower end among the Walsh averages; -1 if there is none."""
    if n <= 2 * EXACT_UNITS:
        # The largest sum of ranks that is rejected; 1e-15 is for rounding.
        tail = np.cumsum(_distribution(np.arange(1, n + 1)))
        return int(np.searchsorted(tail, alpha / 2.0 + 1e-15, side="right")) - 1
    middle = n * (n + 1) / 4.0
    error = sqrt(n * (n + 1) * (2 * n + 1) / 24.0)
    return max(floor(middle - float(scipy.stats.norm.isf(alpha / 2.0)) * error - 0.5), 0)


def _distribution(ranks: Integers64) -> Floats:
    """Return the probabilities of all sums of positive ranks under random signs."""
    chances = np.zeros(int(ranks.sum()) + 1)
    chances[0], reach = 1.0, 0
    for rank in ranks.tolist():
        # Halve in every step, so that nothing overflows.
        chances[: reach + 1] *= 0.5
        chances[rank : reach + rank + 1] += chances[: reach + 1].copy()
        reach += rank
    return chances


def _walsh_average(values: Floats, counts: Positions, rank: int) -> float:
    """Return an order statistic of the Walsh averages, by bisection to the last digits."""
    ends = np.concatenate([[0], np.cumsum(counts)])
    low, high = float(values[0]), float(values[-1])

    def upto(mean: float) -> int:
        """Return the number of Walsh averages that are no larger."""
        reach = ends[np.searchsorted(values, 2.0 * mean - values, side="right")]
        return (int(counts @ reach) + int(counts[values <= mean].sum())) // 2

    while True:
        middle = low + (high - low) / 2.0
        if not low < middle < high:
            return low if upto(low) > rank else high
        low, high = (low, middle) if upto(middle) > rank else (middle, high)
