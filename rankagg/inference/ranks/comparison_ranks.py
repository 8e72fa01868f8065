"""Confidence intervals for ranks of items that were compared two at a time, in battles."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np
import scipy

from rankagg._typing import Floats, Integers, Positions, RNGLike
from rankagg._validation import (
    as_generator,
    check_alpha,
    check_choice,
    check_flag,
    check_integer,
)
from rankagg.core import counted, listed, rounding_error, said, stated
from rankagg.core.comparisons import Comparisons
from rankagg.exceptions import Described, InvalidInputError
from rankagg.inference.decisions import Basis, Decisions, by_p_values
from rankagg.inference.ranks.rank_results import Families, Of, RankIntervals, ranks_from_decisions
from rankagg.inference.ranks.rank_sets import FEWEST, ScoredItems

ComparisonUnit: TypeAlias = Literal["comparison", "cluster"]

# Below so many wins or losses the variance of a share is bounded from below.
FEW_WINS = 10
ANYTIME = "Majorities, of='pairwise', hold at every look."


def unit_of(data: Comparisons, unit: object) -> ComparisonUnit:
    """Return what is independent: what is asked for, else clusters where there are any."""
    if unit in (None, "ranking"):  # nobody said
        return "comparison" if data.clusters is None else "cluster"
    if unit not in ("comparison", "cluster"):
        raise InvalidInputError("unit", "'comparison' or 'cluster' for Comparisons", unit)
    if unit == "cluster" and data.clusters is None:
        remedy = "`cluster=` of `read_comparisons` names their column."
        allowed = "'comparison' for comparisons without clusters"
        raise InvalidInputError("unit", allowed, unit, remedy)
    return unit


def _unit_numbers(data: Comparisons, unit: ComparisonUnit) -> tuple[Positions, int]:
    """Return the unit of each comparison, numbered without gaps, and how many there are."""
    if unit == "comparison" or data.clusters is None:
        return np.arange(len(data)), len(data)
    present, members = np.unique(data.clusters, return_inverse=True)
    return members.astype(np.intp, copy=False), len(present)


def _score_items(data: Comparisons, unit: ComparisonUnit, *, over_opponents: bool) -> ScoredItems:
    """Return the win rate of every item, or the mean of its win rates over all opponents."""
    n = data.n_items
    weights = np.ones(len(data)) if data.weights is None else data.weights
    counts = data.counts.astype(np.float64)
    _check_met(data, counts, over_opponents=over_opponents)
    won = (data.outcomes.astype(np.float64) + 1.0) / 2.0
    # Both sides of each comparison: the item, its cell (the item against one opponent, or against
    # whomever it met), and whether it won, a tie half.
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
        # Residuals from an estimated share are too small by that.
        np.fill_diagonal(counts, 2)
        stretch, opponents = np.sqrt(counts / (counts - 1)).ravel() / (n - 1), n - 1
        total[:: n + 1] = 1.0
    share = gained / total
    scores = share.reshape(n, -1).sum(axis=1) / opponents
    sizes = opponents**2 / (squares / total**2).reshape(n, -1).sum(axis=1)
    # How far each comparison moves the score of the item on either side, and a whole win would.
    pulls = np.concatenate([weights / total[at] * stretch[at] for at in cells])
    moves = pulls * np.concatenate([share_won - share[at] for at, share_won in sides])
    members, n_units = _unit_numbers(data, unit)
    places, shape = (np.tile(members, 2), np.concatenate(items)), (n_units, n)
    influence = scipy.sparse.csr_array((moves, places), shape=shape)
    # Comparisons of a unit may all go the same way: it tells by the square of what it holds.
    pull = scipy.sparse.csr_array((pulls, places), shape=shape).power(2)
    effective = pull.sum(axis=0) ** 2 / pull.power(2).sum(axis=0)
    covariance = (influence.T @ influence).toarray() * (n_units / max(n_units - 1, 1))
    # Where nearly all was won or lost residuals say too little: no less than a binomial then.
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
        remedy = "Leave such items out with `restrict`, or take of='pairwise'."
        raise InvalidInputError("data", "of every item for of='mean'", names, remedy)
    rare = np.triu(counts < 2, k=1)
    if rare.any() and over_opponents:
        pairs = data.items.pairs_where(rare)
        one, other = pairs[0]
        shown = Described(f"{one} and {other} less often ({counted(len(pairs), 'such pair')})")
        remedy = "Take of='pairwise', or of='mean' for win rates over the comparisons as they are."
        allowed = "of every two items, twice at least, for of='borda'"
        raise InvalidInputError("data", allowed, shown, remedy)


def _pair_majorities(data: Comparisons, unit: ComparisonUnit) -> tuple[Integers, int]:
    """Return in how many units row won more than it lost against column, and how many there are."""
    n = data.n_items
    members, n_units = _unit_numbers(data, unit)
    low, high = np.minimum(data.first, data.second), np.maximum(data.first, data.second)
    weights = np.ones(len(data)) if data.weights is None else data.weights
    turned = np.where(data.first == low, data.outcomes, -data.outcomes)
    lead = weights * turned.astype(np.float64)
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
    """Bound the ranks of items in battles: of all at once, and of each alone.

    Parameters
    ----------
    data : Comparisons
        The battles.
    of : {"borda", "mean", "pairwise"}, default "borda"
        What "above" means. "borda": a larger mean, over all other items, of the win rate against
        each. "mean": a larger win rate over all comparisons of an item, whoever it met. A tie is
        half a win; both are decided by a bootstrap that gives units normal weights, from 20 units
        on. "pairwise": preferred in more than half of the units that favor one of the two, by
        exact sign tests.
    alpha : float, default 0.05
        Probability that any interval misses its rank, in (0, 1).
    unit : {"comparison", "cluster"}, optional
        What is independent; by default the clusters, where there are any.
    anytime : bool, default False
        For "pairwise": hold at every look together, so that one may stop when enough is decided,
        whichever pairs were compared next for whatever reason. Clusters are looked at when they
        are whole.
    n_resamples : int, optional
        Draws of the bootstrap: 10,000 by default, fewer of more than 200 items.
    rng : int or numpy.random.Generator, optional
        For the draws.

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm (2024), https://doi.org/10.1093/restud/rdad006; at every
    look Robbins (1970), https://doi.org/10.1214/aoms/1177696786.

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
    found = _score_items(data, kind, over_opponents=of == "borda")
    if found.n_units < FEWEST:
        few = Described(counted(found.n_units, kind))
        remedy = "With fewer the level is not kept: take of='pairwise', which is exact."
        allowed = f"in {FEWEST} {kind}s at least for of={of!r}"
        raise InvalidInputError("data", allowed, few, remedy)
    families = found.families(level, n_resamples, as_generator(rng))
    what = "mean win rates over all opponents" if of == "borda" else "win rates"
    enough = FEWEST if data.n_items > 1 else None
    decisions = Decisions(
        items=data.items,
        above=families.together,
        alpha=alpha,
        how=f"max-t intervals (multiplier bootstrap) of differences of {what}",
        basis=Basis("max-t", kind, found.n_units, enough, is_possible=True),
    )
    above = found.scores[:, None] > found.scores + rounding_error(1.0, len(data))
    least = int(found.effective.argmin())
    notes = data.connectivity().gaps
    if found.effective[least] < FEWEST and data.n_items > 1:
        number = stated(float(found.effective[least]), "effective units", ".1f")
        told = "the {}s that compare {} count as {} of equal size, too few to decide much of it"
        notes = (*notes, said(told, kind, data.items[least], number))
    return ranks_from_decisions(
        of, kind, above, decisions, notes, families=families, is_fought=True
    )


def kind_for(data: Comparisons) -> Of:
    """Return what ranks can be by, where nobody says: win rates over all opponents if possible."""
    counts = data.counts + 2 * np.eye(data.n_items, dtype=np.int64)
    n_units = len(data) if data.clusters is None else data.n_clusters
    return "borda" if n_units >= FEWEST and bool((counts >= 2).all()) else "pairwise"


def _mixed_sign_test(won: Any, decided: Any) -> Floats:
    """Return a p-value of "won no more often than not" that holds at every look.

    The likelihood ratio to 1/2, averaged over all larger chances to win, has a mean of 1 at most
    at every look, whichever pairs are compared; so it is ever more than 1/p with chance p at most
    (Robbins 1970).
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
        remedy = "A sign test counts comparisons: take of='mean', or clusters."
        allowed = "of equal weights for of='pairwise' and unit='comparison'"
        raise InvalidInputError("data", allowed, data, remedy)
    won, n_units = _pair_majorities(data, unit)
    decided = won + won.T
    p_values: Floats = np.where(decided > 0, scipy.stats.binom.sf(won - 1, decided, 0.5), 1.0)
    best = least = np.power(0.5, decided)
    if anytime:
        p_values, best = _mixed_sign_test(won, decided), _mixed_sign_test(decided, decided)
        least = np.zeros_like(p_values)  # more is to come
    families = Families.from_p_values(p_values, least, alpha)
    possible = bool(Families.from_p_values(best, least, alpha).together.any())
    enough = by_p_values(alpha, data.n_items, 0.5)
    how = "sign tests at every look" if anytime else "exact sign tests"
    decisions = Decisions(
        items=data.items,
        above=families.together,
        alpha=alpha,
        how=f"{how} of {unit}s (Holm's procedure)",
        basis=Basis("sign-test", unit, n_units, enough, possible),
    )
    notes = (*decisions.warnings, *data.connectivity().gaps)
    return ranks_from_decisions("pairwise", unit, won > won.T, decisions, notes, families=families)
