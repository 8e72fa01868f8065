"""Robust covariances of contests, by contest or unit, and the test of intransitivity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy
from scipy.sparse import csr_array

from rankagg._typing import Floats, Generator, Integers, Positions, RNGLike
from rankagg._validation import as_generator, check_integer
from rankagg.core import ItemSet, Result, counted, p_text, plain_rows
from rankagg.distributions.bradley_terry.contests import (
    Contests,
    OutcomeModel,
    Terms,
    chances,
)
from rankagg.distributions.bradley_terry.model import Model
from rankagg.distributions.bradley_terry.samples import Block
from rankagg.distributions.fit_result import holm
from rankagg.distributions.maximum import centered_covariance
from rankagg.exceptions import InvalidInputError

# Numbers in a table of a batch of units, or of drawn data sets.
MOST_HELD_AT_A_TIME = 4_000_000
# What a unit must leave to the others of any direction, so that they know it at all.
LEFT = 1e-8
TINY = float(np.finfo(np.float64).tiny)
# Curvature by the tie parameter, beside all of it, below which there is none of its own.
FLAT = 1e-12
POINTS = np.array([1.0, 0.5, 0.0])


@dataclass(frozen=True, eq=False)
class Alone(Exception):  # noqa: N818 - it is caught, and told in other words
    """A unit without which something is not known."""

    unit: int
    # Shape (p,). What only this unit knows.
    direction: Floats


@dataclass(frozen=True, eq=False)
class _Parts:
    """Equal contests of a unit put together, sorted by unit.

    `factors` with shape (r, e, 2) are such that the information of a part is the sum over r of
    u u', u being factor 0 times x and factor 1 times t; `scores` with shape (r, e) give its score
    as their sum times u.
    """

    # Shape (c, n + k). What the log odds of each kind of contest are made of.
    design: csr_array
    # The number of the first unit.
    begin: int
    kind: Positions
    starts: Positions
    factors: Floats
    scores: Floats


def meat_of_units(
    model: Model, parameters: Floats, inverse: Floats, blocks: Iterable[Block], repeats: Floats
) -> Floats:
    """Return the covariance of the score from what differs between units.

    Liang and Zeger (1986) with the third correction of MacKinnon, Nielsen and Webb (2023): the
    score of a unit is divided by the share of what is known that it leaves to the others, and the
    sum is multiplied by (g - 1)/g for g units.
    """
    meat, total, terms = np.zeros_like(inverse), 0.0, model.terms(parameters)
    design = model.contests.design()
    for block in blocks:
        parts = _parts_of(model, terms, design, block)
        sizes = np.diff(parts.starts)
        number = repeats[parts.begin : parts.begin + len(sizes)]
        total += float(number[sizes > 0].sum())
        # Units of about the same size go together.
        steps = np.ceil(np.log2(np.maximum(sizes, 1))).astype(np.int64)
        for step in np.unique(steps):
            width, members = 1 << int(step), np.flatnonzero(steps == step)
            for some, scores in _adjusted(model, parts, members, width, inverse):
                meat += (scores * number[some, None]).T @ scores
    return np.asarray((total - 1.0) / total * meat)


def _adjusted(
    model: Model, parts: _Parts, members: Positions, width: int, inverse: Floats
) -> Iterator[tuple[Positions, Floats]]:
    """Go through units of up to `width` parts, some at a time, with their adjusted scores."""
    rows, p = width * len(parts.factors), len(inverse)
    if rows > p:
        for unit in members.tolist():
            yield np.array([unit]), _large_unit(model, parts, unit, inverse)[None]
        return
    number = max(MOST_HELD_AT_A_TIME // (rows * p), 1)
    for begin in range(0, len(members), number):
        some = members[begin : begin + number]
        yield some, _small_units(model, parts, some, width, inverse)


def _parts_of(model: Model, terms: Terms, design: csr_array, block: Block) -> _Parts:
    begin, end = int(block.unit[0]), int(block.unit[-1])
    starts = np.searchsorted(block.unit, np.arange(begin, end + 2))
    factors, scores = _roots(model, terms, block.outcome, block.kind)
    roots = np.sqrt(block.weights)
    return _Parts(design, begin, block.kind, starts, factors * roots[:, None], scores * roots)


def _roots(
    model: Model, terms: Terms, outcome: Positions, kind: Positions
) -> tuple[Floats, Floats]:
    """Return factors of the information of contests of weight 1, and their scores in these."""
    bend, slope = terms.bend[outcome, kind], terms.slope[outcome, kind]
    root = np.sqrt(np.maximum(bend, TINY))
    none = np.zeros_like(root)
    own = slope / root
    if not model.has_tie:
        return np.stack([root, none], axis=1)[None], own[None]
    tie, across = terms.tie_bend[outcome, kind], terms.mixed_bend[outcome, kind] / root
    rest = tie - across**2
    # A win says one thing under Rao and Kupper's model: a second factor would be rounding.
    known = rest > FLAT * tie
    rest = np.sqrt(np.where(known, rest, 1.0))
    other = np.where(known, (terms.tie_slope[outcome, kind] - across * own) / rest, 0.0)
    factors = [
        np.stack([root, across], axis=1),
        np.stack([none, np.where(known, rest, 0.0)], axis=1),
    ]
    return np.stack(factors), np.stack([own, other])


def _small_units(
    model: Model, parts: _Parts, members: Positions, width: int, inverse: Floats
) -> Floats:
    """Return the adjusted scores of units of up to `width` parts, shape (g, p)."""
    at = parts.starts[members][:, None] + np.arange(width)
    there = at < parts.starts[members + 1][:, None]
    at = np.where(there, at, 0)
    factors, scores = parts.factors[:, at] * there[:, :, None], parts.scores[:, at] * there
    design, shape = parts.design[parts.kind[at].ravel()], (*at.shape, len(inverse))
    odds, tie = np.zeros(shape), np.eye(len(inverse))[-1]
    odds[..., : design.shape[1]] = design.toarray().reshape(*at.shape, -1)
    rows = _by_factors(factors, odds, tie)
    known = (design @ inverse[: design.shape[1]]).reshape(shape)
    shares = _by_factors(factors, known, inverse[-1]) @ rows.transpose(0, 2, 1)
    weights = _freed(shares, np.concatenate(list(scores), axis=1))
    if weights is None:
        raise _sole_witness(model, parts, members, shares, inverse)
    return np.asarray(np.einsum("gr,grp->gp", weights, rows))


def _by_factors(factors: Floats, odds: Floats, tie: Floats) -> Floats:
    """Return rows for log odds and tie with these factors, shape (g, r w, p)."""
    return np.concatenate([one[..., :1] * odds + one[..., 1:] * tie for one in factors], axis=1)


def _freed(shares: Floats, scores: Floats) -> Floats | None:
    """Return scores, shape (g, q), over what is left; None where a unit leaves nothing."""
    size = shares.shape[1]
    left = np.eye(size) - shares
    # No share is above their sum.
    doubtful = np.trace(shares, axis1=1, axis2=2) > 0.5
    if doubtful.any() and np.linalg.eigvalsh(left[doubtful])[:, 0].min() < LEFT:
        return None
    if size == 1:
        return scores / left[:, 0]
    return np.asarray(np.linalg.solve(left, scores[:, :, None])[:, :, 0], dtype=np.float64)


def _sole_witness(
    model: Model, parts: _Parts, members: Positions, shares: Floats, inverse: Floats
) -> Alone:
    """Return which unit leaves nothing, and of what."""
    values, _ = np.linalg.eigh(np.eye(shares.shape[1]) - shares)
    return _direction_of(model, parts, int(members[np.argmin(values[:, 0])]), inverse)


def _direction_of(model: Model, parts: _Parts, unit: int, inverse: Floats) -> Alone:
    information, _ = _unit_sums(model, parts, unit)
    values, directions = np.linalg.eig(np.eye(len(inverse)) - inverse @ information)
    return Alone(parts.begin + unit, directions[:, int(np.argmin(values.real))].real)


def _unit_sums(model: Model, parts: _Parts, unit: int) -> tuple[Floats, Floats]:
    """Return the information and the score of a unit."""
    own = slice(parts.starts[unit], parts.starts[unit + 1])
    kind, contests = parts.kind[own], model.contests
    first, second = contests.first[kind], contests.second[kind]
    inside = replace(contests, first=first, second=second, extras=contests.extras[kind])
    ahead, tie = parts.factors[:, own, 0], parts.factors[:, own, 1]
    pairs = ((ahead, ahead), (ahead, tie), (tie, tie))
    products = ((one * other).sum(axis=0) for one, other in pairs)
    information = inside.assemble(*products, has_tie=model.has_tie)
    sums = ((one * parts.scores[:, own]).sum(axis=0) for one in (ahead, tie))
    return information, inside.gradient(*sums, has_tie=model.has_tie)


def _large_unit(model: Model, parts: _Parts, unit: int, inverse: Floats) -> Floats:
    """Return the adjusted score of a unit of many parts, shape (p,)."""
    information, score = _unit_sums(model, parts, unit)
    shares = information @ inverse
    if np.trace(shares) > 0.5:
        # Its eigenvalues are those of a symmetric matrix that is similar.
        least = float(np.linalg.eigvals(np.eye(len(inverse)) - shares).real.min())
        if least < LEFT:
            raise _direction_of(model, parts, unit, inverse)
    return np.asarray(np.linalg.solve(np.eye(len(inverse)) - shares, score), dtype=np.float64)


def meat_of_contests(
    model: Model, parameters: Floats, inverse: Floats, contests: Contests
) -> Floats:
    """Return the same where every one of these contests, the first of the model's, is a unit."""
    results, squares = contests.results, contests.squares
    outcome, kind = np.nonzero(results)
    # Contests of a kind and an outcome that weigh differently are taken at their mean weight.
    weight = squares[outcome, kind] / results[outcome, kind]
    number = results[outcome, kind] / weight
    factors, scores = _roots(model, model.terms(parameters), outcome, kind)
    root = np.sqrt(weight)
    factors, scores = factors * root[:, None], scores * root
    known = _known(model.contests.design(), inverse)[kind]
    shares = np.einsum("rea,eab,seb->ers", factors, known, factors)
    weights = _freed(shares, scores.T)
    if weights is None:
        parts = _Parts(model.contests.design(), 0, kind, np.arange(len(kind) + 1), factors, scores)
        raise _sole_witness(model, parts, np.arange(len(kind)), shares, inverse)
    odds, tie = ((weights.T * factors[:, :, one]).sum(axis=0) for one in (0, 1))

    def summed(values: Floats) -> Floats:
        return np.asarray(np.bincount(kind, values, len(model.contests.first)), dtype=np.float64)

    products = map(summed, (number * odds**2, number * odds * tie, number * tie**2))
    meat = model.contests.assemble(*products, has_tie=model.has_tie)
    total = float(number.sum())
    return (total - 1.0) / total * meat


def _known(design: csr_array, inverse: Floats) -> Floats:
    """Return the covariance of log odds and tie parameter of each kind, shape (c, 2, 2)."""
    known = np.full((design.shape[0], 2, 2), inverse[-1, -1])
    step = max(MOST_HELD_AT_A_TIME // len(inverse), 1)
    for begin in range(0, len(known), step):
        part = slice(begin, begin + step)
        products = design[part] @ inverse[: design.shape[1]]
        odds = design[part].multiply(products[:, : design.shape[1]])
        known[part, 0, 0] = odds.sum(axis=1)
        known[part, 0, 1] = known[part, 1, 0] = products[:, -1]
    return known


class UnitCounts(NamedTuple):
    """How many units compare each item, and any."""

    # Shape (n + 1,). How many units of equal size would say as much; last of all items.
    effective: Floats
    # Shape (n + 1,).
    number: Floats


def counts_of_units(
    contests: Contests, blocks: Iterable[Block], repeats: Floats | None, power: int = 1
) -> UnitCounts:
    """Return how many units compare each item, by the powers of their weights.

    Carter, Schnepel and Steigerwald (2017), https://doi.org/10.1162/REST_a_00639.
    """
    n = contests.n_items
    total, squares, number = np.zeros((3, n + 1))
    for block in blocks:
        begin, size = int(block.unit[0]), len(block.unit)
        ends = contests.first[block.kind], contests.second[block.kind]
        # All items are one more.
        cells = np.tile(block.unit - begin, 3), np.concatenate([*ends, np.full(size, n)])
        shape = int(block.unit[-1]) - begin + 1, n + 1
        table: Any = csr_array((np.tile(block.weights**power, 3), cells), shape=shape)
        often = np.ones(shape[0]) if repeats is None else repeats[begin : begin + shape[0]]
        total += often @ table
        squares += often @ table.power(2)
        number += often @ (table > 0)
    effective = np.divide(total**2, squares, out=np.zeros(n + 1), where=squares > 0)
    return UnitCounts(effective, number)


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
        raise InvalidInputError("comparisons", allowed, "weighted comparisons", remedy)
    if ties in ("half", "probit") and contests.n_ties:
        allowed = "'davidson' or 'rao-kupper' for this test"
        remedy = "Data are drawn from the model, and half a win has none for ties."
        raise InvalidInputError("ties", allowed, ties, remedy)
    pairs = _Pairs(model, estimates)
    points, scores = pairs.of(contests.results[None])
    statistic = float(pairs.statistic(scores)[0])
    n_cycles = int(pairs.cycles(points)[0])
    generator = as_generator(rng)
    step = max(MOST_HELD_AT_A_TIME // (3 * len(contests.first)), 1)
    drawn, rounds = [], []
    for begin in range(0, number, step):
        data = pairs.draw(min(step, number - begin), generator)
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
        self.slopes = across @ centered_covariance(information, n)
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

    def draw(self, number: int, rng: Generator) -> Floats:
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
