"""Estimates of a Bradley-Terry fit, their errors by independent units, and notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.sparse import csr_array, hstack

from rankagg._typing import Floats, Positions
from rankagg.core import ItemSet, counted, listed, plural, quantity, sentence
from rankagg.distributions.bradley_terry.contests import Contests, Model, Terms, Ties
from rankagg.distributions.bradley_terry.samples import Block, Sample
from rankagg.distributions.maximum import (
    FEWEST_UNITS,
    LEFT,
    UNKNOWN,
    Penalties,
    freed_score,
    inverse_information,
    less_mean,
)
from rankagg.exceptions import InvalidInputError

CovType = Literal["auto", "model", "robust", "cluster"]
# Numbers in the table of a batch of units.
MOST_HELD_AT_A_TIME = 4_000_000
TINY = float(np.finfo(np.float64).tiny)
# Share of the curvature of the tie parameter below which the rest is a rounding error.
FLAT = 1e-12


def estimates_of(
    sample: Sample,
    *,
    ties: Ties,
    names: tuple[str, ...],
    cov_type: CovType,
    penalties: Penalties,
    tol: float,
) -> dict[str, Any]:
    """Return the fields of the fit except its distribution; `names` are side and covariates."""
    items, contests, n = sample.items, sample.contests, len(sample.items)
    total = float(contests.totals.sum())
    effective = total**2 / float(contests.squares.sum())
    # Penalties are in observations, so that the unit of the weights changes nothing.
    ghost, ridge = (
        size * total / effective for size in (penalties.pseudo_rankings, penalties.ridge)
    )
    shown = contests.with_ghost(ghost) if ghost else contests
    model, data = Model(shown, ties, ridge), Model(contests, ties)
    peak = model.maximum(items, names, tol, is_plain=penalties.is_plain)
    # The ghost item is the last item.
    kept = np.delete(np.arange(model.n_parameters), slice(n, model.n))
    estimates = peak.parameters[kept]
    estimates[:n] -= estimates[:n].mean()
    kind = _errors_of(sample, ties, cov_type, penalties)
    inverse = inverse_information(peak.information, model.n, grounded=not penalties.ridge)
    inverse = less_mean(inverse, model.n)
    by_model = less_mean(inverse[np.ix_(kept, kept)], n) * (total / effective)
    covariance, counts, n_units = by_model, None, 0
    unknown = ""
    if kind != "model":
        counts = _unit_counts(sample, kind)
        n_units = round(counts.number[n]) if kind == "cluster" and counts is not None else 0
        try:
            meat = _meat_of(model, peak.parameters, inverse, sample, n_units)
            if not penalties.is_plain:
                penalty = peak.information.copy()
                penalty[np.ix_(kept, kept)] -= data.derivatives(estimates).information
                meat += penalty * (total / effective)
            covariance = less_mean((inverse @ meat @ inverse)[np.ix_(kept, kept)], n)
            _check_varies(covariance, by_model, items)
        except _NoErrors as error:
            if cov_type != "auto":
                raise InvalidInputError("cov_type", error.allowed, kind, error.reason) from None
            covariance, unknown = np.full_like(by_model, np.nan), UNKNOWN + error.reason
    degrees = np.full(len(kept), np.inf)
    if counts is not None:
        # Quantiles need at least one degree of freedom.
        freedom = np.maximum(counts.effective - 1.0, 1.0)
        degrees[:n], degrees[n:] = freedom[:n], freedom[n]
    units = np.ones(len(kept))
    units[n : n + contests.n_extras] = contests.units
    return {
        "names": (*map(str, items), *names, *(("log nu",) * data.has_tie)),
        "estimates": estimates / units,
        "covariance": covariance / np.outer(units, units),
        "log_likelihood": data.value(estimates) * effective / total,
        "n_parameters": len(kept) - 1,
        "n_observations": effective,
        "converged": peak.converged,
        "n_iterations": peak.n_iterations,
        "notes": (
            *_notes(sample, kind, counts, unknown),
            *_option_notes(sample, ties, penalties),
            *peak.notes(),
        ),
        "ties": ties,
        "cov_type": kind,
        "unit": sample.unit if kind == "cluster" else sample.single,
        "n_units": n_units,
        "_degrees_of_freedom": degrees,
    }


def _errors_of(sample: Sample, ties: Ties, cov_type: CovType, penalties: Penalties) -> CovType:
    """Return the source of the errors."""
    if cov_type == "cluster" and sample.blocks is None:
        allowed = "'auto', 'model' or 'robust' for comparisons without clusters"
        remedy = "State the cluster of each comparison, a judge or a prompt."
        raise InvalidInputError("cov_type", allowed, "cluster", remedy)
    if cov_type != "auto":
        return cov_type
    if sample.blocks is not None:
        return "cluster"
    # Half a win and weights have no likelihood.
    quasi = (ties == "half" and sample.contests.n_ties > 0) or sample.is_weighted
    return "robust" if quasi and penalties.is_plain and not sample.are_votes else "model"


def _notes(
    sample: Sample, kind: CovType, counts: _UnitCounts | None, unknown: str
) -> Iterator[str]:
    unit = str(sample.unit)
    yield "Log worths sum to 0; standard errors are for that contrast."
    if unknown:
        yield unknown
    elif kind == "cluster" and counts is not None:
        yield (
            f"Errors by the sandwich of {counted(round(counts.number[-1]), unit)}, with quantiles "
            "of Student's t by how many of them compare an item."
        )
    else:
        source = {"model": "model", "robust": "sandwich"}[kind]
        where = "votes have no units, and " if sample.are_votes else ""
        yield f"Errors by the {source}: {where}comparisons are taken as independent."
    if kind != "cluster" and sample.single is None:
        yield (
            "Errors are too small: comparisons from the same ranking or task depend on each other. "
            "Fit the rankings or scores themselves, with errors by independent units."
        )
    if kind == "cluster" and counts is not None:
        few = counts.number[:-1] < FEWEST_UNITS
        if few.any() and not unknown:
            yield (
                f"Fewer than {FEWEST_UNITS} {plural(unit)} compare "
                f"{listed(sample.items.where(few))}: below that number the measured coverage of "
                "intervals is too low."
            )
    if sample.is_weighted:
        yield "Weighted comparisons: the number of observations is the effective one."


def _option_notes(sample: Sample, ties: Ties, penalties: Penalties) -> Iterator[str]:
    if number := sample.contests.n_ties:
        quasi = "half a win for each. The likelihood is a quasi-likelihood, and so are AIC and BIC"
        how = "modeled (Davidson 1970)" if ties == "davidson" else quasi
        yield sentence("Ties ({}): {}.", quantity(number, "ties", "g"), how)
    if sample.n_dropped:
        yield f"Ties ({sample.n_dropped:g}): left out."
    yield from penalties.notes()


@dataclass(frozen=True, eq=False)
class _NoErrors(Exception):  # noqa: N818 - caught: a note, or the reason that an option fails
    """The reason why errors are unknown."""

    reason: str
    allowed: str = "'model' or 'robust' here"


@dataclass(frozen=True, eq=False)
class _Alone(Exception):  # noqa: N818 - caught, with another message
    """A unit with all the information on some direction, of shape (p,)."""

    unit: int
    direction: Floats


@dataclass(frozen=True, eq=False)
class _Parts:
    """Rows of contests, sorted by unit.

    The information of a unit is the sum of u u' over its rows u, and its score is the sum of
    `scores` times u.
    """

    # Number of the first unit, and the first row of each unit, with the end.
    begin: int
    starts: Positions
    # Shape (r, p) and (r,).
    rows: csr_array
    scores: Floats

    def sums(self, unit: int) -> tuple[Floats, Floats]:
        """Return the information and the score of a unit."""
        own = slice(self.starts[unit], self.starts[unit + 1])
        rows = self.rows[own]
        return (rows.T @ rows).toarray(), rows.T @ self.scores[own]


def _meat_of_units(
    model: Model, parameters: Floats, inverse: Floats, blocks: Iterable[Block], repeats: Floats
) -> Floats:
    """Return the covariance of the score from the differences between units.

    Liang and Zeger (1986) with the third correction of MacKinnon, Nielsen and Webb (2023): the
    score of a unit is divided by the share of the information that it leaves to the others, and
    the sum is multiplied by (g - 1)/g for g units.
    """
    meat, total, terms = np.zeros_like(inverse), 0.0, model.terms(parameters)
    for block in blocks:
        parts = _parts_of(model, terms, block)
        sizes = np.diff(parts.starts)
        number = repeats[parts.begin : parts.begin + len(sizes)]
        total += float(number[sizes > 0].sum())
        # Units of similar size are computed together.
        steps = np.ceil(np.log2(np.maximum(sizes, 1))).astype(np.int64)
        for step in np.unique(steps):
            width, members = 1 << int(step), np.flatnonzero(steps == step)
            for some, scores in _adjusted(parts, members, width, inverse):
                meat += (scores * number[some, None]).T @ scores
    return (total - 1.0) / total * meat


def _adjusted(
    parts: _Parts, members: Positions, width: int, inverse: Floats
) -> Iterator[tuple[Positions, Any]]:
    """Yield units of up to `width` rows, some at a time, with their adjusted scores."""
    is_large = width > len(inverse)
    number = 1 if is_large else max(MOST_HELD_AT_A_TIME // (width * len(inverse)), 1)
    for begin in range(0, len(members), number):
        some = members[begin : begin + number]
        if is_large:
            yield some, _large_unit(parts, int(some[0]), inverse)[None]
        else:
            yield some, _small_units(parts, some, width, inverse)


def _parts_of(model: Model, terms: Terms, block: Block) -> _Parts:
    factors, scores = _roots(model, terms, block.outcome, block.kind)
    each = len(scores) // len(block.kind)
    factors = factors * np.repeat(np.sqrt(block.weights), each)[:, None]
    rows: Any = model.contests.design[np.repeat(block.kind, each)].multiply(factors[:, :1])
    if model.has_tie:
        rows = hstack([rows, factors[:, 1:]])
    begin, end = int(block.unit[0]), int(block.unit[-1])
    starts = each * np.searchsorted(block.unit, np.arange(begin, end + 2))
    scores = scores * np.repeat(np.sqrt(block.weights), each)
    return _Parts(begin, starts, rows.tocsr(), scores)


def _roots(
    model: Model, terms: Terms, outcome: Positions, kind: Positions
) -> tuple[Floats, Floats]:
    """Return factors of log odds and tie in rows of contests of weight 1, and their scores.

    With a tie parameter each contest has two rows.
    """
    bend, slope = terms.bend[outcome, kind], terms.slope[outcome, kind]
    root = np.sqrt(np.maximum(bend, TINY))
    none = np.zeros_like(root)
    own = slope / root
    if not model.has_tie:
        return np.stack([root, none], axis=1), own
    tie, across = terms.tie_bend[outcome, kind], terms.mixed_bend[outcome, kind] / root
    rest = tie - across**2
    # For items far apart the second factor would be a rounding error.
    known = rest > FLAT * tie
    rest = np.sqrt(np.where(known, rest, 1.0))
    other = np.where(known, (terms.tie_slope[outcome, kind] - across * own) / rest, 0.0)
    factors = np.stack([root, across, none, np.where(known, rest, 0.0)], axis=1)
    return factors.reshape(-1, 2), np.stack([own, other], axis=1).ravel()


def _small_units(parts: _Parts, members: Positions, width: int, inverse: Floats) -> Any:
    """Return the adjusted scores of units of up to `width` rows, shape (g, p)."""
    at = parts.starts[members][:, None] + np.arange(width)
    there = at < parts.starts[members + 1][:, None]
    at, shape = np.where(there, at, 0), (*at.shape, len(inverse))
    rows: Any = parts.rows[at.ravel()].multiply(there.reshape(-1, 1)).tocsr()
    known = rows @ inverse
    if width == 1:
        shares = rows.multiply(known).sum(axis=1).reshape(-1, 1, 1)
    else:
        shares = known.reshape(shape) @ rows.toarray().reshape(shape).transpose(0, 2, 1)
    weights = _freed(shares, parts.scores[at] * there)
    if weights is None:
        least = np.linalg.eigvalsh(np.eye(width) - shares)[:, 0]
        raise _alone(parts, int(members[np.argmin(least)]), inverse)
    ends = np.arange(0, at.size + 1, width)
    scores = csr_array((weights.ravel(), np.arange(at.size), ends)) @ rows
    # A unit of one comparison has a score with few entries.
    return scores if width <= 2 else scores.toarray()


def _freed(shares: Floats, scores: Floats) -> Floats | None:
    """Divide scores, shape (g, q), by 1 minus the shares; None if a unit leaves nothing."""
    size = shares.shape[1]
    left = np.eye(size) - shares
    # The largest share is at most their sum.
    doubtful = np.trace(shares, axis1=1, axis2=2) > 0.5
    if doubtful.any() and np.linalg.eigvalsh(left[doubtful])[:, 0].min() < LEFT:
        return None
    if size == 1:
        return scores / left[:, 0]
    return np.asarray(np.linalg.solve(left, scores[:, :, None])[:, :, 0], dtype=np.float64)


def _alone(parts: _Parts, unit: int, inverse: Floats) -> _Alone:
    """Return the direction on which a unit has all the information."""
    information, _ = parts.sums(unit)
    values, directions = np.linalg.eig(np.eye(len(inverse)) - inverse @ information)
    return _Alone(parts.begin + unit, directions[:, int(np.argmin(values.real))].real)


def _large_unit(parts: _Parts, unit: int, inverse: Floats) -> Floats:
    """Return the adjusted score of a unit of many rows, shape (p,)."""
    score = freed_score(*parts.sums(unit), inverse)
    if score is None:
        raise _alone(parts, unit, inverse)
    return score


def _single_contests(contests: Contests) -> tuple[Block, Floats]:
    """Return a unit for each kind and outcome, and how many comparisons are like it."""
    outcome, kind = np.nonzero(contests.results)
    # Comparisons of a kind and an outcome with different weights are taken at their mean weight.
    weights = contests.squares[outcome, kind] / contests.results[outcome, kind]
    block = Block(np.arange(len(kind)), kind, outcome, weights)
    return block, contests.results[outcome, kind] / weights


class _UnitCounts(NamedTuple):
    """Numbers of units that compare each item, and of all units."""

    # Shape (n + 1,). Number of units of equal size with the same information; the last is of all.
    effective: Floats
    # Shape (n + 1,).
    number: Floats


def _counts_of_units(
    contests: Contests, blocks: Iterable[Block], repeats: Floats | None, power: int = 1
) -> _UnitCounts:
    """Return the numbers of units that compare each item, by powers of their weights.

    Carter, Schnepel and Steigerwald (2017), https://doi.org/10.1162/REST_a_00639.
    """
    n = contests.n_items
    total, squares, number = np.zeros((3, n + 1))
    for block in blocks:
        begin, size = int(block.unit[0]), len(block.unit)
        ends = contests.first[block.kind], contests.second[block.kind]
        # The last column is of all items.
        cells = np.tile(block.unit - begin, 3), np.concatenate([*ends, np.full(size, n)])
        shape = int(block.unit[-1]) - begin + 1, n + 1
        table: Any = csr_array((np.tile(block.weights**power, 3), cells), shape=shape)
        often = np.ones(shape[0]) if repeats is None else repeats[begin : begin + shape[0]]
        total += often @ table
        squares += often @ table.power(2)
        number += often @ (table > 0)
    return _UnitCounts(np.divide(total**2, squares, out=np.zeros(n + 1), where=squares > 0), number)


def _unit_counts(sample: Sample, kind: str) -> _UnitCounts | None:
    """Return the numbers of units by item; None for single comparisons of equal weights."""
    contests = sample.contests
    if kind == "cluster" and sample.blocks is not None:
        return _counts_of_units(contests, sample.blocks(), sample.repeats)
    if sample.singles is None:
        return None
    # A variance has the squared weights of comparisons.
    return _counts_of_units(contests, sample.singles(), None, power=2)


def _meat_of(
    model: Model, parameters: Floats, inverse: Floats, sample: Sample, n_units: int
) -> Floats:
    """Return the covariance of the score between units; of single comparisons for 0 units."""
    unit = str(sample.unit) if n_units else "comparison"
    if 0 < n_units < FEWEST_UNITS:
        many = counted(n_units, unit)
        reason = f"With {many} the variance between {plural(unit)} cannot be estimated."
        few = f"fewer than {FEWEST_UNITS} {plural(unit)}"
        raise _NoErrors(reason, f"'model' or 'robust' with {few}")
    try:
        if not n_units or sample.blocks is None or sample.repeats is None:
            single, numbers = _single_contests(sample.contests)
            return _meat_of_units(model, parameters, inverse, [single], numbers)
        return _meat_of_units(model, parameters, inverse, sample.blocks(), sample.repeats)
    except _Alone as alone:
        items, n = sample.items, len(sample.items)
        worths = alone.direction[:n] - np.median(alone.direction[:n])
        moved = np.abs(worths) > 1e-6 * np.abs(alone.direction).max()
        what = f"the worth of {listed(items.where(moved))}" if moved.any() else "an effect"
        if not n_units:
            reason = f"Only one comparison determines {what}, so its error is unknown."
            raise _NoErrors(reason, "'model' here") from None
        raise _NoErrors(
            f"Only {sample.named(alone.unit)} determines {what}, so the variance between "
            f"{plural(unit)} cannot be estimated. Leave it out, or collect others."
        ) from None


def _check_varies(sandwich: Floats, by_model: Floats, items: ItemSet) -> None:
    """Raise if a difference has variance 0, as for two items that always tie."""

    def of_differences(covariance: Floats) -> Floats:
        variances, own = np.diag(covariance)[:n], covariance[:n, :n]
        return variances[:, None] + variances - 2.0 * own

    n = len(items)
    unknown = of_differences(sandwich) <= 1e-10 * of_differences(by_model)
    np.fill_diagonal(unknown, False)
    if unknown.any():
        one, other = items.pairs_where(unknown)[0]
        reason = f"All results that compare {one!r} with {other!r} are the same."
        raise _NoErrors(reason, "'model' here")
