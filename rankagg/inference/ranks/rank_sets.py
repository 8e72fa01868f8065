"""Confidence sets for ranks by estimates with known errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np
import scipy
from numpy.typing import ArrayLike

from rankagg._typing import Bools, Floats, Generator, Label, Positions, RNGLike
from rankagg._validation import (
    as_generator,
    as_matrix,
    as_numbers,
    check_alpha,
    check_entries,
    check_flag,
    check_integer,
)
from rankagg.core import ItemSet, axis_labels, counted, quantity, sentence, square_labels
from rankagg.distributions import BradleyTerryFit, FitResult
from rankagg.distributions.fit_result import WorthsFit
from rankagg.distributions.maximum import UNKNOWN
from rankagg.exceptions import Described, InvalidInputError
from rankagg.inference.decisions import Basis, Decisions
from rankagg.inference.ranks.rank_results import (
    Families,
    KnownUnit,
    RankIntervals,
    ranks_from_decisions,
)

#: Numbers of items: in their order, or by their labels.
ByItem = ArrayLike | Mapping[Label, float]

# Negative eigenvalues of a covariance up to this share of the largest are rounding errors.
ROUNDED = 1e-4
#: Fewest units for the quantile of the largest studentized difference.
FEWEST = 20
# The fewest degrees of freedom, with which hardly anything is decided.
LEAST_DEGREES = 0.1
# Units per item that are enough to estimate the dependence of the differences of all pairs.
UNITS_PER_ITEM = 5
# A smaller variance of a difference, relative to the sum of both variances, is a rounding error.
VARIANCE_ROUNDED = 2.0**-40
# Number of draws of the errors, the least number, and most draws times pairs.
DRAWS, FEWEST_DRAWS, PAIRS_DRAWN = 10_000, 1_000, 5 * 10**8

# Function that returns the largest errors of undecided hypotheses in some draws.
Again = Callable[[Bools, Positions], Floats]


def rank_sets(
    estimates: ByItem | WorthsFit,
    *,
    standard_errors: ByItem | None = None,
    covariance: ArrayLike | None = None,
    higher_is_better: bool = True,
    alpha: float = 0.05,
    n_resamples: int | None = None,
    rng: RNGLike = None,
) -> RankIntervals:
    """Bound ranks by estimates with known errors, simultaneously and for each item alone.

    For boards that publish ratings with errors, and for fits. An item's rank is one more than the
    number of items that are truly above it. A pair is decided if its difference, in its own
    standard errors, exceeds the 1 - `alpha` quantile of the largest of normal errors with the same
    covariance. The others are then compared again without the decided ones. Simultaneous ranks use
    all pairs, the rank of one item only its own pairs.

    Parameters
    ----------
    estimates : array_like, Series, mapping or fit, shape (n,)
        The items are the index of a Series or the keys of a mapping, otherwise 0, 1, ..., n - 1. A
        fit of Bradley-Terry or Plackett-Luce gives its log worths and their errors.
    standard_errors : array_like, Series or mapping, shape (n,), optional
        Of independent estimates; a note states this assumption.
    covariance : array_like or DataFrame, shape (n, n), optional
        Of the estimates, instead of standard errors. It may be singular, as for ratings with sum 0
        or with one item as reference.
    higher_is_better : bool, default True
        The direction of the estimates.
    alpha : float, default 0.05
        Probability that any bound is wrong, in (0, 1).
    n_resamples : int, optional
        Draws of the errors: 10,000 by default, fewer for more than 200 items.
    rng : int or numpy.random.Generator, optional
        For the draws.

    Returns
    -------
    RankIntervals
        `to_frame` has estimates, ranks, both kinds of bounds, and tiers; `top(k)` and `bottom(k)`
        are the confidence sets for the k best and the k worst items. A pair whose difference has no
        error is decided by its sign, and equal estimates are never decided.

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm (2024), "Inference for ranks with applications to mobility
    across neighbourhoods and academic achievement across countries",
    https://doi.org/10.1093/restud/rdad006.

    Examples
    --------
    >>> import rankagg as ra
    >>> ratings = {"A": 1262, "B": 1250, "C": 1190, "D": 1177}
    >>> sets = ra.inference.rank_sets(ratings, standard_errors=[6, 5, 7, 4], rng=0)
    >>> sets.to_frame().drop(columns=["marginal_best", "marginal_worst"])
          estimate  rank  best  worst  tier  separable
    item
    A       1262.0     1     1      2     1      False
    B       1250.0     2     1      2     1       True
    C       1190.0     3     3      4     2      False
    D       1177.0     4     3      4     2      False
    >>> sets.top(1), sets.bottom(2)
    (('A', 'B'), ('C', 'D'))
    """
    sign = 1.0 if check_flag(higher_is_better, "higher_is_better") else -1.0
    if n_resamples is not None:
        check_integer(n_resamples, "n_resamples", low=100)
    level, generator = check_alpha(alpha), as_generator(rng)
    options: dict[str, Any]
    if isinstance(estimates, FitResult):
        errors = {"standard_errors": standard_errors, "covariance": covariance}
        given = [name for name, value in errors.items() if value is not None]
        if given or sign < 0:
            name, value = (given[0], errors[given[0]]) if given else ("higher_is_better", False)
            raise InvalidInputError(name, "left out for a fit, which has its own", value)
        fit = cast(FitResult, estimates)
        if not isinstance(fit, WorthsFit):
            allowed = "numbers, or a fit with worths (Bradley-Terry, Plackett-Luce)"
            raise InvalidInputError("estimates", allowed, fit)
        items, (scored, unit) = fit.distribution.items, _scored_worths(fit)
        values, basis = scored.scores, Basis("max-t", str(unit), scored.n_units, FEWEST, True)
        is_fought = isinstance(fit, BradleyTerryFit) and unit in ("comparison", "cluster")
        options = {"of": "worths", "unit": unit, "notes": fit.notes, "is_fought": is_fought}
    else:
        items, values = _labelled_numbers(estimates, "estimates")
        scored, is_independent = _scored_estimates(items, values, sign, standard_errors, covariance)
        basis = Basis("max-t", "estimate", len(items), None, is_possible=True)
        options = {"of": "estimates", "unit": "estimate" if is_independent else None}
        options["notes"] = _notes(scored, is_independent=is_independent)
    families = scored.families(level, n_resamples, generator)
    decisions = Decisions(
        items=items,
        above=families.together,
        alpha=level,
        how=f"step-down max-t tests of differences of {options['of']}",
        basis=basis,
    )
    above = scored.scores[:, None] > scored.scores
    return ranks_from_decisions(
        above=above, decisions=decisions, families=families, estimate=values, **options
    )


def _scored_estimates(
    items: ItemSet, values: Floats, sign: float, standard_errors: Any, covariance: Any
) -> tuple[ScoredItems, bool]:
    """Return estimates with the covariance of their errors, and whether they are independent."""
    if (standard_errors is None) == (covariance is None):
        both = "neither" if covariance is None else "standard_errors and covariance"
        allowed = "given, or `covariance` in their place"
        raise InvalidInputError("standard_errors", allowed, Described(both))
    is_independent = covariance is None
    if is_independent:
        matrix = np.diag(spreads := _checked_errors(standard_errors, items))
    else:
        matrix = _checked_covariance(covariance, items)
        spreads = np.sqrt(np.fmax(matrix.diagonal(), 0.0))
    # Scale by a power of two, which changes no rank, so that squares do not overflow.
    power = -int(np.frexp(max(np.abs(values).max(), spreads.max()))[1])
    matrix = np.ldexp(matrix, power) ** 2 if is_independent else np.ldexp(matrix, 2 * power)
    scores = sign * np.ldexp(values, power)
    return ScoredItems(scores, matrix, np.full(len(items), np.inf), len(items)), is_independent


def _labelled_numbers(
    values: Any, parameter: str, items: ItemSet | None = None
) -> tuple[ItemSet, Floats]:
    """Return items with a number each, in the order of `items` if given."""
    labels = list(values) if isinstance(values, Mapping) else axis_labels(values, 0, None, "items")
    numbers = as_numbers(
        list(values.values()) if isinstance(values, Mapping) else values, parameter
    )
    check_entries(numbers, ~np.isnan(numbers), parameter, "numbers", "Leave the item out.")
    if labels is None and items is not None and len(numbers) != len(items):
        allowed = f"one number for each of {counted(len(items), 'item')}"
        raise InvalidInputError(parameter, allowed, Described(counted(len(numbers), "number")))
    own = ItemSet(range(len(numbers))) if labels is None else ItemSet(labels)
    if items is None or labels is None:
        return items or own, numbers
    return items, numbers[_positions(own, items, parameter)]


def _positions(own: ItemSet, items: ItemSet, parameter: str) -> list[int]:
    """Return the positions of the items in another order of the same items."""
    if set(own) != set(items):
        items.require_same(own, f"estimates and {parameter}")
    return own.indices(items)


def _checked_errors(values: Any, items: ItemSet) -> Floats:
    _, errors = _labelled_numbers(values, "standard_errors", items)
    check_entries(errors, errors >= 0, "standard_errors", "numbers of 0 or more")
    return errors


def _checked_covariance(values: Any, items: ItemSet) -> Floats:
    labels = square_labels(values, None, "covariance")
    matrix = as_matrix(values, "covariance")
    if matrix.shape != (len(items), len(items)):
        allowed = f"a row and a column for each of {counted(len(items), 'item')}"
        raise InvalidInputError("covariance", allowed, Described(f"shape {matrix.shape}"))
    if labels is not None:
        order = _positions(ItemSet(labels), items, "covariance")
        matrix = matrix[np.ix_(order, order)]
    least, most = np.linalg.eigvalsh(matrix)[[0, -1]]
    if np.abs(matrix - matrix.T).max() > ROUNDED * most or least < -ROUNDED * most:
        allowed = "symmetric, with no eigenvalue below 0"
        got = Described(f"a table with the least eigenvalue {least:g}")
        raise InvalidInputError("covariance", allowed, got)
    return (matrix + matrix.T) / 2.0


def _notes(scored: ScoredItems, *, is_independent: bool) -> tuple[str, ...]:
    """Return notes on the assumptions."""
    notes = ["no covariance is given: estimates are assumed independent"] * is_independent
    differ = np.triu(scored.scores[:, None] != scored.scores)
    if exact := int((differ & (scored.errors() == 0)).sum()):
        pairs = quantity(exact, "pairs without an error", noun="pair")
        notes.append(sentence("{} differ without error, and are decided by the sign", pairs))
    return tuple(notes)


# -- fits -----------------------------------------------------------------------------------------


def _scored_worths(fit: WorthsFit) -> tuple[ScoredItems, KnownUnit]:
    """Return the log worths of a fit, and the independent unit of its errors.

    Errors are normal, or Student's t by the degrees of freedom of an item, as for the intervals of
    the fit.
    """
    n = fit.distribution.n_items
    if not np.isfinite(fit.covariance[:n, :n]).all():
        reason = " ".join(note for note in fit.notes if note.startswith(UNKNOWN))
        raise InvalidInputError("fit", "one with known errors", Described("unknown ones"), reason)
    if fit.unit is None:
        remedy = "Fit the rankings or scores themselves, with errors by their unit."
        shown = Described("one of pairs of rankings, which depend on each other")
        raise InvalidInputError("fit", "one with errors by independent units", shown, remedy)
    effective, n_units = fit.degrees_of_freedom[:n] + 1.0, fit.n_units or round(fit.n_observations)
    scored = ScoredItems(fit.estimates[:n], fit.covariance[:n, :n], effective, n_units)
    return scored, cast(KnownUnit, fit.unit)


# -- decisions by differences ---------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ScoredItems:
    """Scores of items, and the covariance of their errors."""

    # Shape (n,). Shares of wins, a tie half; or log worths; or other estimates.
    scores: Floats
    # Shape (n, n). Of the scores.
    covariance: Floats
    # Shape (n,). Effective number of units of each item, (sum a)^2 / sum a^2 for their squared
    # shares a, after Carter, Schnepel and Steigerwald (2017),
    # https://doi.org/10.1162/REST_a_00639. Infinite if the covariance is known.
    effective: Floats
    # Number of units.
    n_units: int

    def errors(self) -> Floats:
        """Return the standard error of row minus column."""
        own = self.covariance.diagonal()
        both = own[:, None] + own
        variance = both - 2.0 * self.covariance
        return np.sqrt(np.where(variance > VARIANCE_ROUNDED * both, variance, 0.0))

    def studentized(self) -> Floats:
        """Return row minus column in standard errors, transformed from Student's t to normal.

        The transformation keeps the tail probability. With a standard error of 0 the quotient is
        infinite if the covariance is known, and 0 if it is estimated.
        """
        difference, error = self.scores[:, None] - self.scores, self.errors()
        freedom = np.minimum(self.effective[:, None], self.effective) - 1.0
        exact = np.where(
            np.isinf(freedom) & (difference != 0), np.copysign(np.inf, difference), 0.0
        )
        quotient = np.divide(difference, error, out=exact, where=error > 0)
        tail = scipy.stats.t.sf(np.abs(quotient), np.maximum(freedom, LEAST_DEGREES))
        return np.asarray(np.sign(quotient) * scipy.stats.norm.isf(tail), dtype=np.float64)

    def bonferroni(self, alpha: float, n_hypotheses: int) -> float:
        """Return the Bonferroni bound of the largest studentized difference at level alpha.

        Minus infinity if there are enough units to estimate the dependence of the differences.
        """
        if self.effective.min() >= UNITS_PER_ITEM * len(self.scores) or not n_hypotheses:
            return -np.inf
        return float(scipy.stats.norm.isf(alpha / n_hypotheses))

    def drawn(self, times: int, rng: Generator) -> Floats:
        """Draw normal errors with the covariance, which may be singular, shape (n, times)."""
        own, normal = self.covariance.diagonal(), rng.standard_normal((times, len(self.scores)))
        if np.array_equal(self.covariance, np.diag(own)):
            return np.ascontiguousarray((normal * np.sqrt(own)).T)
        values, vectors = np.linalg.eigh(self.covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        return np.ascontiguousarray((normal @ root.T).T)

    def families(self, alpha: float, n_draws: int | None, rng: Generator) -> Families:
        """Decide by the largest studentized difference, among all pairs and those of each item.

        A hypothesis is that row is not above column, so that each pair has two. Hypotheses that
        exceed the quantile of the largest error of the undecided ones are rejected, and the others
        are compared again until none is. In this multiplier bootstrap units get independent normal
        weights, so that sums are normal with the estimated covariance.

        Romano and Wolf (2005), "Exact and approximate stepdown methods for multiple hypothesis
        testing", https://doi.org/10.1198/016214504000000539.
        """
        n, errors, observed = len(self.scores), self.errors(), self.studentized()
        n_draws = n_draws or min(DRAWS, max(FEWEST_DRAWS, PAIRS_DRAWN // n**2))
        scale = np.divide(1.0, errors, out=np.zeros_like(errors), where=errors > 0)
        draws = _ErrorDraws(self, alpha, self.drawn(n_draws, rng), scale)
        others, every = ~np.eye(n, dtype=bool), np.full(n_draws, -np.inf)
        alone, led = np.zeros((n, n), dtype=np.int8), np.zeros(n, dtype=bool)
        for i in range(n):
            steps = draws.steps(i)
            highest, lowest = steps.max(axis=0), steps.min(axis=0)
            np.maximum(every, highest, out=every)
            # The item above each other one, and each other one above the item.
            sizes, largest = np.stack([observed[i], observed[:, i]]), np.maximum(highest, -lowest)
            again = partial(_largest_of_item, steps)
            above, below = draws.step_down(sizes, others[[i, i]], largest, again)
            alone[i] = above.astype(np.int8) - below
            led[i] = draws.passing(sizes[1], others[i], -lowest).any()
        return Families(draws.step_down(observed, others, every, draws.largest), alone, led)


@dataclass(frozen=True, eq=False)
class _ErrorDraws:
    """Random errors of items, and step-down tests by the largest of them."""

    items: ScoredItems
    alpha: float
    # Shape (n, times).
    drawn: Floats
    # Shape (n, n). Reciprocal standard errors of differences; 0 if there is no error.
    scale: Floats

    def steps(self, i: int, chosen: slice | Positions = slice(None)) -> Floats:
        """Return studentized errors of an item minus each, in some draws, shape (n, draws)."""
        drawn = self.drawn[:, chosen]
        differences = drawn[i] - drawn
        differences *= self.scale[i][:, None]
        return np.asarray(differences)

    def largest(self, open_: Bools, chosen: Positions) -> Floats:
        """Return the largest error of undecided differences, row minus column, in some draws."""
        largest = np.full(len(chosen), -np.inf)
        for i in np.flatnonzero(open_.any(axis=1)).tolist():
            np.maximum(largest, self.steps(i, chosen)[open_[i]].max(axis=0), out=largest)
        return largest

    def passing(self, sizes: Floats, open_: Bools, largest: Floats) -> Bools:
        """Return the undecided hypotheses that exceed the quantile of the largest errors."""
        bar = self.items.bonferroni(self.alpha, int(open_.sum()))
        return open_ & (sizes > max(float(np.quantile(largest, 1.0 - self.alpha)), bar))

    def step_down(self, sizes: Floats, open_: Bools, largest: Floats, again: Again) -> Bools:
        """Reject hypotheses that pass, and compare the others again until none passes."""
        left, largest = open_, largest.copy()
        while (new := self.passing(sizes, left, largest)).any() and (left != new).any():
            left = left & ~new
            self._lower(largest, partial(again, left))
        return open_ & ~(left & ~new)

    def _lower(self, largest: Floats, again: Callable[[Positions], Floats]) -> None:
        """Recompute the largest errors that determine the quantile."""
        many = min(int(self.alpha * len(largest)) + 2, len(largest))
        before = np.ones(len(largest), dtype=bool)
        while before[top := np.argpartition(largest, -many)[-many:]].any():
            chosen = top[before[top]]
            largest[chosen], before[chosen] = again(chosen), False


def _largest_of_item(steps: Floats, open_: Bools, chosen: Positions) -> Floats:
    """Return the largest error of the undecided differences of an item, in both directions."""
    above, below = open_
    some = steps[:, chosen]
    most = some[above].max(axis=0, initial=-np.inf)
    return np.asarray(np.maximum(most, -some[below].min(axis=0, initial=np.inf)))
