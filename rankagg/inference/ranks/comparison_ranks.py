"""Confidence intervals for ranks of items that were compared two at a time."""

from __future__ import annotations

import numpy as np
from scipy.stats import binom

from rankagg._typing import Floats, RNGLike
from rankagg._validation import as_generator, check_alpha
from rankagg.core.arithmetic.exact_sum import rounding_error
from rankagg.core.comparisons import Comparisons
from rankagg.core.items import counted
from rankagg.core.names import said, stated
from rankagg.exceptions import Described, InvalidInputError
from rankagg.inference.basis import Basis, assumption, by_p_values
from rankagg.inference.decisions import Decisions
from rankagg.inference.ranks.comparison_units import (
    ComparisonUnit,
    Scored,
    pair_majorities,
    scored,
    unit_of,
)
from rankagg.inference.ranks.families import Families
from rankagg.inference.ranks.result import Of, RankIntervals

__all__ = ["FEWEST", "kind_for", "ranks_of_comparisons"]

#: The method for each kind of rank.
METHOD = {"pairwise": "sign-test", "borda": "max-t", "mean": "max-t"}
DRAWS = 10_000
#: With fewer units the largest studentized difference is not known well enough.
FEWEST = 20


def ranks_of_comparisons(
    data: Comparisons,
    of: Of,
    method: str | None,
    *,
    alpha: float,
    unit: object,
    n_resamples: int | None,
    rng: RNGLike,
) -> RankIntervals:
    """Bound the ranks of compared items; see `rank_intervals`."""
    check_alpha(alpha)
    kind = unit_of(data, unit)
    if method not in (None, METHOD[of]):
        raise InvalidInputError(
            "method", f"{METHOD[of]!r} or None for of={of!r} of Comparisons", method
        )
    if of == "pairwise":
        return _by_majorities(data, kind, alpha)
    found = scored(data, kind, over_opponents=of == "borda")
    if found.n_units < FEWEST:
        raise InvalidInputError(
            "comparisons", f"in {FEWEST} {kind}s at least for of={of!r}",
            Described(counted(found.n_units, kind)),
            "With fewer the level is not kept: take of='pairwise', which is exact.",
        )  # fmt: skip
    families = _by_largest(found, alpha, n_resamples or DRAWS, as_generator(rng))
    what = "mean win rates over all opponents" if of == "borda" else "win rates"
    basis = Basis(
        method="max-t",
        assumes=assumption("max-t", kind),
        word=kind,
        n_units=found.n_units,
        decidable_from=FEWEST if data.n_items > 1 else None,
        is_possible=True,
    )
    decisions = Decisions(
        items=data.items,
        above=families.together,
        alpha=alpha,
        how=f"max-t intervals (multiplier bootstrap) of differences of {what}",
        is_approximate=True,
        basis=basis,
    )
    above = found.scores[:, None] > found.scores + rounding_error(1.0, len(data))
    least = int(found.effective.argmin())
    notes = data.connectivity().gaps
    if found.effective[least] < FEWEST and data.n_items > 1:
        number = stated(float(found.effective[least]), "effective units", ".1f")
        told = "the {}s that tell of {} count as {} of one size: little can be decided of it"
        notes = (*notes, said(told, kind, data.items[least], number))
    return RankIntervals.from_decisions(of, kind, above, decisions, notes, families=families)


def kind_for(data: Comparisons) -> Of:
    """Return what ranks can be by, where nobody says: win rates over all opponents if possible."""
    counts = data.counts + 2 * np.eye(data.n_items, dtype=np.int64)
    n_units = len(data) if data.clusters is None else data.n_clusters
    return "borda" if n_units >= FEWEST and bool((counts >= 2).all()) else "pairwise"


def _by_largest(found: Scored, alpha: float, n_draws: int, rng: np.random.Generator) -> Families:
    """Decide by the largest studentized difference, among all pairs and those of each item.

    Units get independent normal weights, so that what they add up to is normal with the estimated
    covariance.
    """
    covariance, n = found.covariance, len(found.scores)
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    drawn = rng.standard_normal((n_draws, n)) @ root.T
    studentized, error = found.studentized(), found.errors()
    largest = np.zeros(n_draws)
    alone, led = np.zeros((n, n), dtype=np.int8), np.zeros(n, dtype=bool)
    for i in range(n):
        steps = np.zeros((n_draws, n))
        np.divide(drawn[:, [i]] - drawn, error[i], out=steps, where=error[i] > 0)
        both = np.abs(steps).max(axis=1)
        np.maximum(largest, both, out=largest)
        limit = max(np.quantile(both, 1.0 - alpha), found.bonferroni(alpha / 2, n - 1))
        alone[i] = (studentized[i] > limit).astype(np.int8) - (studentized[i] < -limit)
        above = max(np.quantile(-steps.min(axis=1), 1.0 - alpha), found.bonferroni(alpha, n - 1))
        led[i] = bool((-studentized[i] > above).any())
    pairs = n * (n - 1) // 2
    limit = max(np.quantile(largest, 1.0 - alpha), found.bonferroni(alpha / 2, pairs))
    return Families(studentized > limit, alone, led)


def _by_majorities(data: Comparisons, unit: ComparisonUnit, alpha: float) -> RankIntervals:
    """Decide by exact sign tests of units, with Holm's procedure."""
    if unit == "comparison" and data.weights is not None and np.ptp(data.weights):
        raise InvalidInputError(
            "comparisons", "of equal weights for of='pairwise' and unit='comparison'", data,
            "A sign test counts comparisons: take of='mean', or clusters.",
        )  # fmt: skip
    won, n_units = pair_majorities(data, unit)
    n = data.n_items
    decided = won + won.T
    p_values: Floats = np.where(decided > 0, binom.sf(won - 1, decided, 0.5), 1.0)
    least = np.power(0.5, decided)
    families = Families.from_p_values(p_values, least, alpha)
    basis = Basis(
        method="sign-test",
        assumes=assumption("sign-test", unit),
        word=unit,
        n_units=n_units,
        decidable_from=by_p_values(alpha, n, 0.5),
        is_possible=bool(Families.from_p_values(least, least, alpha).together.any()),
    )
    decisions = Decisions(
        items=data.items,
        above=families.together,
        alpha=alpha,
        how=f"exact sign tests of {unit}s (Holm's procedure)",
        basis=basis,
    )
    warning = () if decisions.warning is None else (decisions.warning,)
    notes = (*warning, *data.connectivity().gaps)
    return RankIntervals.from_decisions(
        "pairwise", unit, won > won.T, decisions, notes, families=families
    )
