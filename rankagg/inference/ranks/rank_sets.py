"""Confidence sets for ranks by estimates of any kind, whose errors are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, cast

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
from rankagg.core import ItemSet, axis_labels, counted, said, square_labels, stated
from rankagg.distributions import BradleyTerryFit, FitResult
from rankagg.distributions.bradley_terry.fit import UNKNOWN
from rankagg.distributions.fit_result import WorthsFit
from rankagg.exceptions import Described, InvalidInputError
from rankagg.inference.decisions import Basis, Decisions
from rankagg.inference.ranks.rank_results import (
    Families,
    KnownUnit,
    RankIntervals,
    ranks_from_decisions,
)

#: Numbers of items: in their order, or by their labels.
ByItem: TypeAlias = ArrayLike | Mapping[Label, float]

# What is printed with some digits may have eigenvalues so far below 0, in parts of the largest.
ROUNDED = 1e-4
#: With fewer units the largest studentized difference is not known well enough.
FEWEST = 20
# The fewest degrees of freedom, with which hardly anything is decided.
LEAST_DEGREES = 0.1
# So many units for each item tell how the differences of all pairs hang together.
UNITS_PER_ITEM = 5
# A variance of a difference that is less, in parts of those of both items, comes from rounding.
VARIANCE_ROUNDED = 2.0**-40
# How often errors are drawn: less often, but no less than the second, where draws of all pairs
# would be more than the third.
DRAWS, FEWEST_DRAWS, PAIRS_DRAWN = 10_000, 1_000, 5 * 10**8

# The largest errors of what is open, in some draws.
Again: TypeAlias = Callable[[Bools, Positions], Floats]


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
    """Bound the ranks by estimates with known errors: of all items at once, and of each alone.

    For boards that publish ratings with errors, and for fits. An item's rank is one more than the
    number of items that are truly above it. A pair is decided where its difference, in its own
    standard errors, is larger than the largest of normal errors with the same covariance is but
    with probability `alpha`; without the decided ones the others are compared again. For all ranks
    at once these are all pairs, for the rank of one item its own.

    Parameters
    ----------
    estimates : array_like, Series, mapping or fit, shape (n,)
        The index of a Series, or the keys of a mapping, are the items, else 0, 1, ..., n - 1. Of a
        fit of Bradley-Terry or Plackett-Luce it takes the log worths and their errors.
    standard_errors : array_like, Series or mapping, shape (n,), optional
        Of estimates that are independent of each other, which the result says.
    covariance : array_like or DataFrame, shape (n, n), optional
        Of the estimates, instead of standard errors. It may be singular, as that of ratings with
        the sum 0 or with one item as reference is.
    higher_is_better : bool, default True
        The direction of the estimates.
    alpha : float, default 0.05
        Probability that any bound is wrong, in (0, 1).
    n_resamples : int, optional
        Draws of the errors: 10,000 by default, fewer of more than 200 items.
    rng : int or numpy.random.Generator, optional
        For the draws.

    Returns
    -------
    RankIntervals
        `to_frame` has estimates, ranks, both kinds of bounds, and tiers; `top(k)` and `bottom(k)`
        are the confidence sets for the k best and the k worst items. A pair whose difference has no
        error is decided as it stands, and equal estimates never are.

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
    known: dict[str, Any]
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
        items, (found, unit) = fit.distribution.items, _worths_of(fit)
        values, basis = found.scores, Basis("max-t", str(unit), found.n_units, FEWEST, True)
        known = {"of": "worths", "unit": unit, "notes": fit.notes}
        known["is_fought"] = unit in ("comparison", "cluster")
    else:
        items, values = _numbers_of(estimates, "estimates")
        found, is_independent = _scored(items, values, sign, standard_errors, covariance)
        basis = Basis("max-t", "estimate", len(items), None, is_possible=True)
        known = {"of": "estimates", "unit": "estimate" if is_independent else None}
        known["notes"] = _notes(found, is_independent=is_independent)
    families = found.families(level, n_resamples, generator)
    decisions = Decisions(
        items=items,
        above=families.together,
        alpha=level,
        how=f"step-down max-t tests of differences of {known['of']}",
        basis=basis,
    )
    above = found.scores[:, None] > found.scores
    return ranks_from_decisions(
        above=above, decisions=decisions, families=families, estimate=values, **known
    )


def _scored(
    items: ItemSet, values: Floats, sign: float, standard_errors: Any, covariance: Any
) -> tuple[ScoredItems, bool]:
    """Return estimates with the covariance of their errors, and whether they are independent."""
    if (standard_errors is None) == (covariance is None):
        both = "neither" if covariance is None else "standard_errors and covariance"
        allowed = "given, or `covariance` in their place"
        raise InvalidInputError("standard_errors", allowed, Described(both))
    is_independent = covariance is None
    if is_independent:
        matrix = np.diag(spreads := _errors_of(standard_errors, items))
    else:
        matrix = _covariance_of(covariance, items)
        spreads = np.sqrt(np.fmax(matrix.diagonal(), 0.0))
    # A power of two changes no rank, and what is left has squares that are numbers.
    power = -int(np.frexp(max(np.abs(values).max(), spreads.max()))[1])
    matrix = np.ldexp(matrix, power) ** 2 if is_independent else np.ldexp(matrix, 2 * power)
    scores = sign * np.ldexp(values, power)
    return ScoredItems(scores, matrix, np.full(len(items), np.inf), len(items)), is_independent


def _numbers_of(
    values: Any, parameter: str, items: ItemSet | None = None
) -> tuple[ItemSet, Floats]:
    """Return items with a number each; in the order of known items, if there are some."""
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
    return items, numbers[_places_of(own, items, parameter)]


def _places_of(own: ItemSet, items: ItemSet, parameter: str) -> list[int]:
    """Return where the items stand among others, which must be the same."""
    if set(own) != set(items):
        items.require_same(own, f"estimates and {parameter}")
    return own.indices(items)


def _errors_of(values: Any, items: ItemSet) -> Floats:
    _, errors = _numbers_of(values, "standard_errors", items)
    check_entries(errors, errors >= 0, "standard_errors", "numbers of 0 or more")
    return errors


def _covariance_of(values: Any, items: ItemSet) -> Floats:
    labels = square_labels(values, None, "covariance")
    matrix = as_matrix(values, "covariance")
    if matrix.shape != (len(items), len(items)):
        allowed = f"a row and a column for each of {counted(len(items), 'item')}"
        raise InvalidInputError("covariance", allowed, Described(f"shape {matrix.shape}"))
    if labels is not None:
        places = _places_of(ItemSet(labels), items, "covariance")
        matrix = matrix[np.ix_(places, places)]
    least, most = np.linalg.eigvalsh(matrix)[[0, -1]]
    if np.abs(matrix - matrix.T).max() > ROUNDED * most or least < -ROUNDED * most:
        allowed = "symmetric, with no eigenvalue below 0"
        got = Described(f"a table with the least eigenvalue {least:g}")
        raise InvalidInputError("covariance", allowed, got)
    return np.asarray((matrix + matrix.T) / 2.0)


def _notes(found: ScoredItems, *, is_independent: bool) -> tuple[str, ...]:
    """Say what is taken for granted."""
    notes = ["no covariance is given: estimates are taken to be independent"] * is_independent
    differ = np.triu(found.scores[:, None] != found.scores)
    if known := int((differ & (found.errors() == 0)).sum()):
        pairs = stated(known, "pairs without an error", noun="pair")
        notes.append(said("{} differ without any error, and are decided as they stand", pairs))
    return tuple(notes)


# -- fits -----------------------------------------------------------------------------------------


def _worths_of(fit: WorthsFit) -> tuple[ScoredItems, KnownUnit]:
    """Return the log worths of a fit, and what its errors take for independent.

    They are normal, or Student's t by the degrees of freedom of an item, as the intervals of the
    fit are.
    """
    n = fit.distribution.n_items
    unit, effective, n_units = "ranking", np.full(n, np.inf), round(fit.n_observations)
    if not np.isfinite(fit.covariance[:n, :n]).all():
        reason = " ".join(note for note in fit.notes if note.startswith(UNKNOWN))
        raise InvalidInputError("fit", "one with known errors", Described("unknown ones"), reason)
    if isinstance(fit, BradleyTerryFit):
        if fit.unit is None:
            allowed = "one whose errors are by what is independent"
            remedy = (
                "Fit the rankings or scores themselves, with errors by the unit that they have."
            )
            shown = Described("one of pairs of rankings, which depend on each other")
            raise InvalidInputError("fit", allowed, shown, remedy)
        effective = fit.degrees_of_freedom[:n] + 1.0
        unit, n_units = fit.unit, fit.n_units or n_units
    found = ScoredItems(fit.estimates[:n], fit.covariance[:n, :n], effective, n_units)
    return found, cast(KnownUnit, unit)


# -- the order that differences decide -------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ScoredItems:
    """Scores of items, and the covariance of their errors."""

    # Shape (n,). Shares of wins, a tie half; or log worths; or estimates of any other kind.
    scores: Floats
    # Shape (n, n). Of the scores, from what units move them by.
    covariance: Floats
    # Shape (n,). How many units of one size would tell as much of each item: their shares of it
    # squared, (sum a)^2 / sum a^2, after Carter, Schnepel and Steigerwald (2017),
    # https://doi.org/10.1162/REST_a_00639. Infinite where the covariance is known.
    effective: Floats
    # How many units there are.
    n_units: int

    def errors(self) -> Floats:
        """Return the standard error of row less column."""
        own = self.covariance.diagonal()
        both = own[:, None] + own
        variance = both - 2.0 * self.covariance
        return np.sqrt(np.where(variance > VARIANCE_ROUNDED * both, variance, 0.0))

    def studentized(self) -> Floats:
        """Return row less column in standard errors, as normal as the number of units allows.

        A quotient that is as far out as one of Student's t is made a normal one as far out. Without
        an error it is infinite where the covariance is known, and 0 where that is an estimate.
        """
        difference, error = self.scores[:, None] - self.scores, self.errors()
        freedom = np.minimum(self.effective[:, None], self.effective) - 1.0
        known = np.where(
            np.isinf(freedom) & (difference != 0), np.copysign(np.inf, difference), 0.0
        )
        quotient = np.divide(difference, error, out=known, where=error > 0)
        tail = scipy.stats.t.sf(np.abs(quotient), np.maximum(freedom, LEAST_DEGREES))
        return np.asarray(np.sign(quotient) * scipy.stats.norm.isf(tail), dtype=np.float64)

    def bonferroni(self, alpha: float, n_hypotheses: int) -> float:
        """Return what one of some studentized differences exceeds with probability alpha at most.

        Minus infinity where the units are so many that they tell how differences hang together.
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

        A hypothesis is that row is not above column, so that each pair has two. What passes the
        largest difference of those that are open is decided, and the others are compared again
        until none does. Units get independent normal weights, so that what they add up to is normal
        with the estimated covariance.

        Romano and Wolf (2005), "Exact and approximate stepdown methods for multiple hypothesis
        testing", https://doi.org/10.1198/016214504000000539.
        """
        n, errors, seen = len(self.scores), self.errors(), self.studentized()
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
            sizes, largest = np.stack([seen[i], seen[:, i]]), np.maximum(highest, -lowest)
            again = partial(_largest_of_item, steps)
            above, below = draws.stepped(sizes, others[[i, i]], largest, again)
            alone[i] = above.astype(np.int8) - below
            led[i] = draws.passing(sizes[1], others[i], -lowest).any()
        return Families(draws.stepped(seen, others, every, draws.largest), alone, led)


@dataclass(frozen=True, eq=False)
class _ErrorDraws:
    """Drawn errors, and what the largest of them lets pass."""

    found: ScoredItems
    alpha: float
    # Shape (n, times).
    drawn: Floats
    # Shape (n, n). What differences are multiplied by; nought where they have no error.
    scale: Floats

    def steps(self, i: int, chosen: slice | Positions = slice(None)) -> Floats:
        """Return how far the error of an item is above each, in some draws, shape (n, draws)."""
        drawn = self.drawn[:, chosen]
        differences = drawn[i] - drawn
        differences *= self.scale[i][:, None]
        return np.asarray(differences)

    def largest(self, open_: Bools, chosen: Positions) -> Floats:
        """Return the largest error of the open differences, row less column, in some draws."""
        largest = np.full(len(chosen), -np.inf)
        for i in np.flatnonzero(open_.any(axis=1)).tolist():
            np.maximum(largest, self.steps(i, chosen)[open_[i]].max(axis=0), out=largest)
        return largest

    def passing(self, sizes: Floats, open_: Bools, largest: Floats) -> Bools:
        """Return which of the open hypotheses the largest errors of them seldom pass."""
        bar = self.found.bonferroni(self.alpha, int(open_.sum()))
        return open_ & (sizes > max(float(np.quantile(largest, 1.0 - self.alpha)), bar))

    def stepped(self, sizes: Floats, open_: Bools, largest: Floats, again: Again) -> Bools:
        """Decide what passes, and compare the others again until none does."""
        left, largest = open_, largest.copy()
        while (new := self.passing(sizes, left, largest)).any() and (left != new).any():
            left = left & ~new
            self._lower(largest, partial(again, left))
        return open_ & ~(left & ~new)

    def _lower(self, largest: Floats, again: Callable[[Positions], Floats]) -> None:
        """Find the largest errors again where they are so large that they tell the quantile."""
        many = min(int(self.alpha * len(largest)) + 2, len(largest))
        before = np.ones(len(largest), dtype=bool)
        while before[top := np.argpartition(largest, -many)[-many:]].any():
            chosen = top[before[top]]
            largest[chosen], before[chosen] = again(chosen), False


def _largest_of_item(steps: Floats, open_: Bools, chosen: Positions) -> Floats:
    """Return the largest error of the open differences of an item, above others and below."""
    above, below = open_
    some = steps[:, chosen]
    most = some[above].max(axis=0, initial=-np.inf)
    return np.asarray(np.maximum(most, -some[below].min(axis=0, initial=np.inf)))
