"""Confidence sets for ranks by estimates of any kind, whose errors are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
import scipy
from numpy.typing import ArrayLike

from rankagg._typing import Floats, Generator, Label, RNGLike
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
from rankagg.distributions.worths_fit import WorthsFit
from rankagg.exceptions import Described, InvalidInputError
from rankagg.inference.decisions import Basis, Decisions, by_p_values
from rankagg.inference.ranks.rank_results import Families, KnownUnit, RankIntervals
from rankagg.inference.ranks.scored_items import FEWEST, ScoredItems, by_largest, draws_of

#: Numbers of items: in their order, or by their labels.
ByItem: TypeAlias = ArrayLike | Mapping[Label, float]

# What is printed with some digits may have eigenvalues so far below 0, in parts of the largest.
ROUNDED = 1e-4


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

    Raises
    ------
    InvalidInputError
        If there are no errors, or two kinds of them, an estimate is missing, labels differ, or the
        covariance is none.

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
    asked = _Asked(check_alpha(alpha), n_resamples, as_generator(rng))
    errors = {"standard_errors": standard_errors, "covariance": covariance}
    given = [name for name, value in errors.items() if value is not None]
    if isinstance(estimates, FitResult):
        if given or sign < 0:
            name, value = (given[0], errors[given[0]]) if given else ("higher_is_better", False)
            raise InvalidInputError(name, "left out for a fit, which has its own", value)
        return asked.of_fit(estimates)
    items, values = _numbers_of(estimates, "estimates")
    if len(given) != 1:
        named = Described(" and ".join(given) or "neither")
        raise InvalidInputError("standard_errors", "given, or `covariance` in their place", named)
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
    found = ScoredItems(scores, matrix, np.full(len(items), np.inf), len(items))
    basis = Basis("max-t", "estimate", len(items), None, is_possible=True)
    notes = _notes(found, is_independent=is_independent)
    unit: KnownUnit | None = "estimate" if is_independent else None
    return asked.decided(items, found, values, basis, of="estimates", unit=unit, notes=notes)


def rank_multinomial(counts: ByItem, *, alpha: float = 0.05) -> RankIntervals:
    """Bound the ranks by the shares of choices, of which each named one item.

    Which of two items is named more often is a binomial of the choices that name one of them, so
    that each pair has an exact test, and Holm's procedure holds however these depend on each other.
    The level holds for any number of choices.

    Parameters
    ----------
    counts : array_like, Series or mapping, shape (n,)
        How often each item was chosen, in independent choices; labels as for `rank_sets`.
    alpha : float, default 0.05
        Probability that any bound is wrong, in (0, 1).

    Returns
    -------
    RankIntervals
        `estimate` is the share of each item.

    Raises
    ------
    InvalidInputError
        If counts are no whole numbers, or all 0.

    References
    ----------
    Bazylik, Mogstad, Romano, Shaikh and Wilhelm (2021), "Finite- and large-sample inference for
    ranks using multinomial data with an application to ranking political parties", cemmap working
    paper 40/21.

    Examples
    --------
    >>> import rankagg as ra
    >>> ranks = ra.inference.rank_multinomial({"A": 52, "B": 40, "C": 25, "D": 4})
    >>> ranks.to_frame()[["rank", "best", "worst"]]
          rank  best  worst
    item
    A        1     1      2
    B        2     1      3
    C        3     2      3
    D        4     4      4
    """
    level = check_alpha(alpha)
    items, chosen = _numbers_of(counts, "counts")
    check_entries(chosen, (chosen >= 0) & (chosen == np.rint(chosen)), "counts", "whole numbers")
    if not chosen.any():
        raise InvalidInputError("counts", "not all 0", Described("no choice"))
    rows, total = chosen[:, None], int(chosen.sum())
    p_values = np.asarray(scipy.stats.binom.sf(rows - 1.0, rows + chosen, 0.5))
    # How many choices are of a pair depends on the others: all pairs count, however few it has.
    families = Families.from_p_values(p_values, np.zeros_like(p_values), level)
    enough = by_p_values(level, len(items), 0.5)
    decisions = Decisions(
        items=items,
        above=families.together,
        alpha=level,
        how="exact binomial tests of pairs (Holm's procedure)",
        basis=Basis("binomial", "choice", total, enough, is_possible=total >= (enough or 1)),
    )
    known: dict[str, Any] = {"families": families, "estimate": chosen / total}
    notes = decisions.warnings
    return RankIntervals.from_decisions(
        "shares", "choice", rows > chosen, decisions, notes, **known
    )


@dataclass(frozen=True)
class _Asked:
    """What bounds are asked for."""

    alpha: float
    n_resamples: int | None
    rng: Generator

    def of_fit(self, fit: FitResult) -> RankIntervals:
        """Bound the ranks by the worths of a fit."""
        if not isinstance(fit, WorthsFit):
            allowed = "numbers, or a fit with worths (Bradley-Terry, Plackett-Luce)"
            raise InvalidInputError("estimates", allowed, fit)
        found, unit = worths_of(fit)
        basis = Basis("max-t", unit, found.n_units, FEWEST, is_possible=True)
        known: dict[str, Any] = {"of": "worths", "unit": unit, "notes": fit.notes}
        return self.decided(fit.distribution.items, found, found.scores, basis, **known)

    def decided(
        self, items: ItemSet, found: ScoredItems, estimate: Floats, basis: Basis, **known: Any
    ) -> RankIntervals:
        """Bound the ranks by what the largest differences decide."""
        times = self.n_resamples or draws_of(len(items))
        families = by_largest(found, self.alpha, times, self.rng)
        decisions = Decisions(
            items=items,
            above=families.together,
            alpha=self.alpha,
            how=f"step-down max-t tests of differences of {known['of']}",
            is_approximate=True,
            basis=basis,
        )
        above = found.scores[:, None] > found.scores
        return RankIntervals.from_decisions(
            above=above, decisions=decisions, families=families, estimate=estimate, **known
        )


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
    own = ItemSet.numbered(len(numbers)) if labels is None else ItemSet(labels)
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


def worths_of(fit: WorthsFit) -> tuple[ScoredItems, KnownUnit]:
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
        unit, n_units = fit.unit, fit.n_clusters or n_units
    found = ScoredItems(fit.estimates[:n], fit.covariance[:n, :n], effective, n_units)
    return found, cast(KnownUnit, unit)
