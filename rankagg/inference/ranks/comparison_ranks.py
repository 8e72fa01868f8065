"""Confidence intervals for ranks of items from pairwise comparisons (battles)."""

from __future__ import annotations

from typing import Any, Literal, cast, get_args

import numpy as np
import scipy

from rankagg._typing import Floats, Integers, Positions, RNGLike
from rankagg._validation import as_generator, check_alpha, check_choice, check_flag, check_integer
from rankagg.core import counted, listed, quantity, rounding_error, sentence
from rankagg.core.comparisons import Comparisons
from rankagg.exceptions import Described, InvalidInputError
from rankagg.inference.decisions import Basis, Decisions, by_p_values
from rankagg.inference.ranks.rank_results import Families, Of, RankIntervals, ranks_from_decisions
from rankagg.inference.ranks.rank_sets import FEWEST, ScoredItems

ComparisonUnit = Literal["comparison", "cluster"]

# With fewer wins or losses the variance of a share is bounded from below.
FEW_WINS = 10
ANYTIME = "Use majorities, of='pairwise', for sequential analyses."


def unit_of(data: Comparisons, unit: object) -> ComparisonUnit:
    """Return the given unit, or clusters by default if there are any."""
    if unit in (None, "ranking"):
        return "comparison" if data.clusters is None else "cluster"
    if unit not in ("comparison", "cluster"):
        raise InvalidInputError("unit", "'comparison' or 'cluster' for Comparisons", unit)
    if unit == "cluster" and data.clusters is None:
        remedy = "`cluster=` of `read_comparisons` names their column."
        allowed = "'comparison' for comparisons without clusters"
        raise InvalidInputError("unit", allowed, unit, remedy)
    return unit


def _unit_numbers(data: Comparisons, unit: ComparisonUnit) -> tuple[Positions, int]:
    """Return the number of the unit of each comparison, from 0, and the number of units."""
    if unit == "comparison" or data.clusters is None:
        return np.arange(len(data)), len(data)
    present, members = np.unique(data.clusters, return_inverse=True)
    return members.astype(np.intp, copy=False), len(present)


def _score_items(data: Comparisons, unit: ComparisonUnit, *, over_opponents: bool) -> ScoredItems:
    """Return the win rates of items, or the means of their win rates over all opponents."""
    n = data.n_items
    weights = np.ones(len(data)) if data.weights is None else data.weights
    counts = data.counts.astype(np.float64)
    _check_met(data, counts, over_opponents=over_opponents)
    won = (data.outcomes.astype(np.float64) + 1.0) / 2.0
    # Both sides of each comparison: the item, its cell (the item, with or without the opponent),
    # and its result, a tie as half a win.
    items, others = (data.first, data.second), (data.second, data.first)
    cells = [a * n + b if over_opponents else a for a, b in zip(items, others, strict=True)]
    sides = list(zip(cells, (won, 1.0 - won), strict=True))
    total, squares, gained = np.zeros((3, n * n if over_opponents else n))
    for at, share_won in sides:
        total += np.bincount(at, weights=weights, minlength=len(total))
        squares += np.bincount(at, weights=weights**2, minlength=len(total))
        gained += np.bincount(at, weights=weights * share_won, minlength=len(total))
    stretch, opponents = np.ones(n), 1
    if over_opponents:
        # Correct the residuals from an estimated share, which are too small.
        np.fill_diagonal(counts, 2)
        stretch, opponents = np.sqrt(counts / (counts - 1)).ravel() / (n - 1), n - 1
        total[:: n + 1] = 1.0
    share = gained / total
    scores = share.reshape(n, -1).sum(axis=1) / opponents
    sizes = opponents**2 / (squares / total**2).reshape(n, -1).sum(axis=1)
    # The influence of each comparison on the scores of both items, and its largest size.
    pulls = np.concatenate([weights / total[at] * stretch[at] for at in cells])
    moves = pulls * np.concatenate([share_won - share[at] for at, share_won in sides])
    members, n_units = _unit_numbers(data, unit)
    places, shape = (np.tile(members, 2), np.concatenate(items)), (n_units, n)
    influence = scipy.sparse.csr_array((moves, places), shape=shape)
    # Comparisons of a unit may all have the same result, so that its variance is that of its sum.
    pull = scipy.sparse.csr_array((pulls, places), shape=shape).power(2)
    effective = pull.sum(axis=0) ** 2 / pull.power(2).sum(axis=0)
    covariance = (influence.T @ influence).toarray() * (n_units / max(n_units - 1, 1))
    # Residuals are too small if nearly all was won or lost: use at least the binomial variance.
    few = sizes * np.minimum(scores, 1.0 - scores) < FEW_WINS
    shrunk = (scores * sizes + 2.0) / (sizes + 4.0)
    lacking = np.maximum(shrunk * (1.0 - shrunk) / sizes - covariance.diagonal(), 0.0)
    covariance[np.diag_indices(n)] += np.where(few, lacking, 0.0)
    return ScoredItems(scores, covariance, effective, n_units)


def _check_met(data: Comparisons, counts: Floats, *, over_opponents: bool) -> None:
    """Raise unless every item was compared, or every two items twice."""
    never = counts.sum(axis=1) == 0
    if never.any() and not over_opponents:
        names = Described(f"none of {listed(data.items.where(never))}")
        remedy = "Leave such items out with `restrict`, or use of='pairwise'."
        raise InvalidInputError("data", "of every item for of='mean'", names, remedy)
    rare = np.triu(counts < 2, k=1)
    if rare.any() and over_opponents:
        pairs = data.items.pairs_where(rare)
        one, other = pairs[0]
        shown = Described(f"{one} and {other} less often ({counted(len(pairs), 'such pair')})")
        remedy = "Use of='pairwise', or of='mean' for win rates over all comparisons."
        allowed = "of every two items, at least twice, for of='borda'"
        raise InvalidInputError("data", allowed, shown, remedy)


def _pair_majorities(data: Comparisons, unit: ComparisonUnit) -> tuple[Integers, int]:
    """Return the number of units that row won against column, and the number of all units."""
    n = data.n_items
    members, n_units = _unit_numbers(data, unit)
    low, high = np.minimum(data.first, data.second), np.maximum(data.first, data.second)
    weights = np.ones(len(data)) if data.weights is None else data.weights
    lead = weights * np.where(data.first == low, data.outcomes, -data.outcomes).astype(np.float64)
    cells = low * n + high
    if unit == "cluster":
        met, at = np.unique(members * (n * n) + cells, return_inverse=True)
        cells = met % (n * n)
        lead, weights = (np.bincount(at, weights=part).astype(float) for part in (lead, weights))
    least = rounding_error(weights, len(data))
    won, lost = (
        np.bincount(cells[side * lead > least], minlength=n * n).reshape(n, n) for side in (1, -1)
    )
    return (won + lost.T).astype(np.int64), n_units


def comparison_rank_intervals(
    data: Comparisons,
    *,
    of: Of = "borda",
    alpha: float = 0.05,
    unit: ComparisonUnit | None = None,
    anytime: bool = False,
    n_resamples: int | None = None,
    rng: RNGLike = None,
) -> RankIntervals:
    """Bound the ranks of items in battles, simultaneously and for each item alone.

    Parameters
    ----------
    data : Comparisons
        The battles.
    of : {"borda", "mean", "pairwise"}, default "borda"
        The meaning of "above". "borda": a larger mean of the win rates against all other items.
        "mean": a larger win rate over all comparisons of an item, whatever the opponents. A tie is
        half a win; both are decided by a multiplier bootstrap, which needs 20 units. "pairwise":
        preferred in more than half of the units that favor one of the two, by exact sign tests.
    alpha : float, default 0.05
        Probability that any interval misses its rank, in (0, 1).
    unit : {"comparison", "cluster"}, optional
        The independent unit; by default clusters if there are any.
    anytime : bool, default False
        For "pairwise": hold at all analyses together, so that sampling may stop at any time and may
        choose the next pairs by the results. Clusters must be complete at an analysis.
    n_resamples : int, optional
        Draws of the bootstrap: 10,000 by default, fewer for more than 200 items.
    rng : int or numpy.random.Generator, optional
        For the draws.

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm (2024), https://doi.org/10.1093/restud/rdad006; sequential
    analyses: Robbins (1970), https://doi.org/10.1214/aoms/1177696786.

    Examples
    --------
    >>> import rankagg as ra
    >>> battles = ra.Comparisons("AB", [0] * 12, [1] * 12, [1] * 11 + [-1])
    >>> ra.inference.comparison_rank_intervals(battles, of="pairwise").first
    ('A',)
    """
    if not isinstance(cast(object, data), Comparisons):
        remedy = "`rank_intervals` is for rankings and scores."
        raise InvalidInputError("data", "Comparisons", data, remedy)
    check_choice(of, get_args(Of), "of")
    level, kind = check_alpha(alpha), unit_of(data, unit)
    if n_resamples is not None:
        check_integer(n_resamples, "n_resamples", low=100)
    if check_flag(anytime, "anytime") and of != "pairwise":
        raise InvalidInputError("anytime", f"False for of={of!r}", anytime, ANYTIME)
    if of == "pairwise":
        return _by_sign_tests(data, kind, level, anytime=anytime)
    scored = _score_items(data, kind, over_opponents=of == "borda")
    if scored.n_units < FEWEST:
        few = Described(counted(scored.n_units, kind))
        remedy = "With fewer the level does not hold: use of='pairwise', which is exact."
        raise InvalidInputError("data", f"in at least {FEWEST} {kind}s for of={of!r}", few, remedy)
    families = scored.families(level, n_resamples, as_generator(rng))
    scores = "mean win rates over all opponents" if of == "borda" else "win rates"
    enough = FEWEST if data.n_items > 1 else None
    decisions = Decisions(
        items=data.items,
        above=families.together,
        alpha=alpha,
        how=f"max-t intervals (multiplier bootstrap) of differences of {scores}",
        basis=Basis("max-t", kind, scored.n_units, enough, is_possible=True),
    )
    above = scored.scores[:, None] > scored.scores + rounding_error(1.0, len(data))
    least = int(scored.effective.argmin())
    notes = data.connectivity().gaps
    if scored.effective[least] < FEWEST and data.n_items > 1:
        number = quantity(float(scored.effective[least]), "effective units", ".1f")
        note = "the {}s that compare {} count as {} of equal size, too few to decide much of it"
        notes = (*notes, sentence(note, kind, data.items[least], number))
    return ranks_from_decisions(
        of, kind, above, decisions, notes, families=families, is_fought=True
    )


def kind_for(data: Comparisons) -> Of:
    """Return the default of `of`: "borda" if possible, otherwise "pairwise"."""
    counts = data.counts + 2 * np.eye(data.n_items, dtype=np.int64)
    n_units = len(data) if data.clusters is None else data.n_clusters
    return "borda" if n_units >= FEWEST and bool((counts >= 2).all()) else "pairwise"


def _mixed_sign_test(won: Any, decided: Any) -> Floats:
    """Return an anytime-valid p-value of "won at most half of the decided units".

    The likelihood ratio to 1/2, averaged over all larger probabilities to win, has an expectation
    of at most 1 at all times, whichever pairs are compared. So it ever exceeds 1/p with a
    probability of at most p (Robbins 1970).
    """
    binomial = scipy.stats.binom
    logs = np.log(2.0) + binomial.logcdf(won, decided + 1, 0.5)
    logs -= np.log(decided + 1.0) + binomial.logpmf(won, decided, 0.5)
    return np.asarray(np.exp(-np.maximum(logs, 0.0)))


def _by_sign_tests(
    data: Comparisons, unit: ComparisonUnit, alpha: float, *, anytime: bool
) -> RankIntervals:
    """Decide by exact sign tests of units, with Holm's procedure."""
    if unit == "comparison" and data.weights is not None and np.ptp(data.weights):
        remedy = "A sign test counts comparisons: use of='mean', or clusters."
        allowed = "of equal weights for of='pairwise' and unit='comparison'"
        raise InvalidInputError("data", allowed, data, remedy)
    won, n_units = _pair_majorities(data, unit)
    decided = won + won.T
    p_values = np.where(decided > 0, scipy.stats.binom.sf(won - 1, decided, 0.5), 1.0)
    best = least = np.power(0.5, decided)
    if anytime:
        p_values, best = _mixed_sign_test(won, decided), _mixed_sign_test(decided, decided)
        least = np.zeros_like(p_values)  # later data may reject any hypothesis
    families = Families.from_p_values(p_values, least, alpha)
    possible = bool(Families.from_p_values(best, least, alpha).together.any())
    enough = by_p_values(alpha, data.n_items, 0.5)
    how = "anytime-valid sign tests" if anytime else "exact sign tests"
    decisions = Decisions(
        items=data.items,
        above=families.together,
        alpha=alpha,
        how=f"{how} of {unit}s (Holm's procedure)",
        basis=Basis("sign-test", unit, n_units, enough, possible),
    )
    notes = (*decisions.warnings, *data.connectivity().gaps)
    return ranks_from_decisions("pairwise", unit, won > won.T, decisions, notes, families=families)
