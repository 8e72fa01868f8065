"""The test of intransitivity: results of pairs against those that worths explain."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import scipy
from scipy.sparse import csr_array

from rankagg._typing import Floats, Generator, Integers, RNGLike
from rankagg._validation import as_generator, check_integer
from rankagg.core import ItemSet, Result, counted, p_text, plain_rows
from rankagg.distributions.bradley_terry.contests import Contests, OutcomeModel, chances
from rankagg.distributions.bradley_terry.model import Model
from rankagg.distributions.fit_result import holm
from rankagg.distributions.maximum import inverse_information, less_mean
from rankagg.exceptions import Described, InvalidInputError

# Numbers in a table of drawn data sets.
MOST_DRAWN_AT_A_TIME = 4_000_000
POINTS = np.array([1.0, 0.5, 0.0])


class Intransitivity(Result):
    """What pairs did against what worths let expect, and how many cycles of three there are.

    Made by `BradleyTerryFit.intransitivity`; it has no plot. The statistic adds up, over pairs, the
    squared score of a log odds of their own over its variance (Rao 1948,
    https://doi.org/10.1017/S0305004100023987); the other one is the number of cycles of three
    (Kendall and Babington Smith 1940, https://doi.org/10.2307/2332613). Their distributions are
    those of data drawn from the fitted model, whose scores are freed of what estimation takes up.
    Comparisons are taken for independent.

    Attributes
    ----------
    items : ItemSet
        The items.
    first, second : ndarray of int, shape (k,)
        Positions of the items of each pair that met.
    n_comparisons, points, expected : ndarray of float, shape (k,)
        How often the pair met, the points of its first item (a tie is half a point), and what the
        model expects.
    residuals : ndarray of float, shape (k,)
        The score of the pair over its standard error; NaN where the pair decides a parameter alone.
    statistic, expected_statistic, p_value : float
        Of all pairs together: observed, mean of the draws, and the share of the draws with as much.
    n_triples : int
        Triples of items that all met.
    n_cycles : int
        Those whose majorities are a cycle.
    expected_cycles, cycles_p_value : float
        The mean of the draws, and the share of the draws with as many.
    n_resamples : int
        Draws.
    """

    items: ItemSet
    first: Integers
    second: Integers
    n_comparisons: Floats
    points: Floats
    expected: Floats
    residuals: Floats
    statistic: float
    expected_statistic: float
    p_value: float
    n_triples: int
    n_cycles: int
    expected_cycles: float
    cycles_p_value: float
    n_resamples: int

    _schema = "rankagg.intransitivity"
    _row = "pair"
    _named_rows = False

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair, the most surprising first.

        Returns
        -------
        pandas.DataFrame
            first, second, comparisons, points, expected, residual, p_value (normal), p_holm.
        """
        known = np.isfinite(self.residuals)
        p_values = np.full(len(self.first), np.nan)
        p_values[known] = 2.0 * scipy.stats.norm.sf(np.abs(self.residuals[known]))
        adjusted = p_values.copy()
        if known.any():
            adjusted[known] = holm(p_values[known])
        frame = pd.DataFrame(
            {
                "first": list(self.items.at(self.first)),
                "second": list(self.items.at(self.second)),
                "comparisons": self.n_comparisons,
                "points": self.points,
                "expected": self.expected,
                "residual": self.residuals,
                "p_value": p_values,
                "p_holm": adjusted,
            }
        )
        order = np.argsort(-np.abs(np.where(known, self.residuals, 0.0)), kind="stable")
        return frame.iloc[order].reset_index(drop=True)

    def _content(self) -> dict[str, Any]:
        numbers = self._plain(
            *("statistic", "expected_statistic", "p_value", "n_triples", "n_cycles"),
            *("expected_cycles", "cycles_p_value", "n_resamples"),
        )
        return {"items": list(self.items), **numbers, "pairs": plain_rows(self.to_frame())}

    def _facts(self) -> list[str]:
        return [
            f"{counted(len(self.first), 'pair')}: statistic {self.statistic:.4g}, expected "
            f"{self.expected_statistic:.4g} if worths explain all (p = {p_text(self.p_value)})",
            f"{counted(self.n_cycles, 'cycle')} of three among {self.n_triples} triples that all "
            f"met, expected {self.expected_cycles:.3g} (p = {p_text(self.cycles_p_value)})",
            f"by {counted(self.n_resamples, 'data set')} drawn from the model",
        ]


def intransitivity_of(
    contests: Contests,
    ties: OutcomeModel,
    estimates: Floats,
    *,
    items: ItemSet,
    n_resamples: int,
    rng: RNGLike,
) -> Intransitivity:
    """Return the test; see `BradleyTerryFit.intransitivity`."""
    number = check_integer(n_resamples, "n_resamples", low=1)
    model = Model(contests, ties)
    if (contests.squares != contests.results).any():
        allowed = "without weights for this test"
        remedy = "Weights are no counts: fit without them."
        raise InvalidInputError("data", allowed, Described("weighted comparisons"), remedy)
    if ties in ("half", "probit") and contests.n_ties:
        allowed = "'davidson' or 'rao-kupper' for this test"
        remedy = "Data are drawn from the model, and half a win has none for ties."
        raise InvalidInputError("ties", allowed, ties, remedy)
    pairs = _Pairs(model, estimates)
    points, scores = pairs.of(contests.results[None])
    statistic = float(pairs.statistic(scores)[0])
    n_cycles = int(pairs.cycles(points)[0])
    generator = as_generator(rng)
    step = max(MOST_DRAWN_AT_A_TIME // (3 * len(contests.first)), 1)
    drawn, rounds = [], []
    for begin in range(0, number, step):
        data = pairs.sample(min(step, number - begin), generator)
        their_points, their_scores = pairs.of(data)
        drawn.append(pairs.statistic(their_scores))
        rounds.append(pairs.cycles(their_points))
    statistics, cycles = np.concatenate(drawn), np.concatenate(rounds)
    # Rounding must not tell equal statistics apart.
    as_much = int((statistics >= statistic * (1.0 - 1e-9)).sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        residuals = np.where(pairs.known, scores[0] / np.sqrt(pairs.free), np.nan)
    return Intransitivity(
        items=items,
        first=pairs.first,
        second=pairs.second,
        n_comparisons=pairs.totals,
        points=points[0],
        expected=pairs.expected,
        residuals=residuals,
        statistic=statistic,
        expected_statistic=float(statistics.mean()),
        p_value=(1 + as_much) / (1 + number),
        n_triples=pairs.n_triples,
        n_cycles=n_cycles,
        expected_cycles=float(cycles.mean()),
        cycles_p_value=(1 + int((cycles >= n_cycles).sum())) / (1 + number),
        n_resamples=number,
    )


class _Pairs:
    """The pairs that met, and what the fitted model says of them."""

    def __init__(self, model: Model, estimates: Floats) -> None:
        contests, n = model.contests, model.contests.n_items
        self.n, self.has_tie = n, model.has_tie
        low = np.minimum(contests.first, contests.second)
        high = np.maximum(contests.first, contests.second)
        codes, pair = np.unique(low * n + high, return_inverse=True)
        self.first, self.second = codes // n, codes % n
        kinds, c = np.arange(len(pair)), len(pair)
        # The points of the item that comes first among the items, whichever side it was on.
        self.sign = np.where(contests.first == low, 1.0, -1.0)
        self.to_pairs: Any = csr_array((np.ones(c), (kinds, pair)), shape=(c, len(codes)))
        self.counts = np.rint(contests.totals).astype(np.int64)
        self.totals: Floats = self.counts.astype(np.float64) @ self.to_pairs
        terms = model.terms(estimates)
        self.slope, self.tie_slope = terms.slope, terms.tie_slope
        probabilities = chances(model.ties, model.odds(estimates), model.split(estimates)[2])
        self.probabilities = (probabilities / probabilities.sum(axis=0)).T
        self.expected = self._turned(self.counts * (self.probabilities @ POINTS))
        # What a contest is expected to tell, by its log odds and by the tie parameter.
        weights = self.counts * self.probabilities.T
        odds = (weights * self.slope**2).sum(axis=0)
        mixed = (weights * self.slope * self.tie_slope).sum(axis=0)
        tie = (weights * self.tie_slope**2).sum(axis=0)
        information = contests.assemble(odds, mixed, tie, has_tie=model.has_tie)
        self.variance = odds @ self.to_pairs
        self.rows: Any = contests.design()
        across = (self.to_pairs.multiply((self.sign * odds)[:, None]).T @ self.rows).toarray()
        if model.has_tie:
            across = np.column_stack([across, (self.sign * mixed) @ self.to_pairs])
        # How much scores of pairs follow from those of the parameters.
        self.slopes = across @ less_mean(inverse_information(information, n), n)
        self.free = self.variance - (self.slopes * across).sum(axis=1)
        self.known = self.free > 1e-9 * self.variance
        met = np.zeros((n, n))
        met[self.first, self.second] = met[self.second, self.first] = 1.0
        self.n_triples = int(np.rint(((met @ met) * met).sum() / 6.0))

    def _turned(self, points: Floats) -> Floats:
        """Return the points of the first item of each pair from those of first sides."""
        turned = np.where(self.sign < 0, self.counts - points, points)
        summed: Floats = turned @ self.to_pairs
        return summed

    def sample(self, number: int, rng: Generator) -> Floats:
        """Return results of drawn data, shape (number, 3, c)."""
        shape = (number, len(self.counts))
        drawn = rng.multinomial(self.counts, self.probabilities, size=shape)
        return np.moveaxis(drawn, 2, 1).astype(np.float64)

    def of(self, results: Floats) -> tuple[Floats, Floats]:
        """Return points and freed scores of each pair, shape (b, k), of results (b, 3, c)."""
        points = self._turned(np.einsum("boc,o->bc", results, POINTS))
        slopes = np.einsum("boc,oc->bc", results, self.slope)
        by_parameter = slopes @ self.rows
        if self.has_tie:
            tie = np.einsum("boc,oc->b", results, self.tie_slope)
            by_parameter = np.column_stack([by_parameter, tie])
        return points, (slopes * self.sign) @ self.to_pairs - by_parameter @ self.slopes.T

    def statistic(self, scores: Floats) -> Floats:
        """Return the sum over pairs of squared scores over their variances, shape (b,)."""
        total: Floats = (scores**2 / self.variance).sum(axis=1)
        return total

    def cycles(self, points: Floats) -> Floats:
        """Return how many triples are a majority cycle, shape (b,)."""
        beats = np.zeros((len(points), self.n, self.n), dtype=np.float32)
        beats[:, self.first, self.second] = points > self.totals / 2.0
        beats[:, self.second, self.first] = points < self.totals / 2.0
        closed = (beats @ beats) * beats.transpose(0, 2, 1)
        rounds: Floats = np.rint(closed.sum(axis=(1, 2), dtype=np.float64) / 3.0)
        return rounds
