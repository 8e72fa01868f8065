"""Confidence intervals for ranks by the worths of a fit, also such that hold at every look."""

from __future__ import annotations

import numpy as np
import scipy

from rankagg._typing import Floats
from rankagg._validation import check_alpha, check_flag
from rankagg.distributions import BradleyTerryFit
from rankagg.distributions.plackett_luce.plackett_luce import PlackettLuceFit
from rankagg.distributions.worths_fit import WorthsFit
from rankagg.exceptions import InvalidInputError
from rankagg.inference.decisions import Basis, Decisions
from rankagg.inference.ranks.rank_results import Families, RankIntervals
from rankagg.inference.ranks.rank_sets import worths_of
from rankagg.inference.ranks.scored_items import FEWEST


def worth_rank_intervals(
    fit: BradleyTerryFit | PlackettLuceFit, *, alpha: float = 0.05, anytime: bool = False
) -> RankIntervals:
    """Bound the ranks by worths: of all items at once, and of each alone.

    Parameters
    ----------
    fit : BradleyTerryFit or PlackettLuceFit
        With known errors, by what is independent. With a ridge, as of
        `BradleyTerry.fit(..., ridge=0.25)`, there is one from the first comparisons on.
    alpha : float, default 0.05
        Probability that any interval misses its rank, in (0, 1).
    anytime : bool, default False
        Hold at every look together, so that one may stop when enough is decided, whatever was
        compared next for whatever reason.

    Returns
    -------
    RankIntervals

    Raises
    ------
    InvalidInputError
        If `fit` is something else, its errors are not known, or they take comparisons for
        independent that are not, as of votes that rankings were added up to.

    Notes
    -----
    Differences of log worths over their errors are taken for normal. Without `anytime` they are
    tested by Wald's tests, with it by the mixture of likelihood ratios of Robbins (1970), half
    normal with scale 1 over log worths. By Holm's procedure alpha is that of all pairs.

    References
    ----------
    Robbins (1970), https://doi.org/10.1214/aoms/1177696786; Mogstad, Romano, Shaikh and Wilhelm
    (2024), https://doi.org/10.1093/restud/rdad006.

    Examples
    --------
    >>> import rankagg as ra
    >>> votes = ra.PairwiseMatrix.from_wins([[0, 30, 38], [9, 0, 21], [2, 20, 0]], items="ABC")
    >>> ranks = ra.inference.worth_rank_intervals(ra.BradleyTerry.fit(votes), anytime=True)
    >>> ranks.first
    ('A',)
    """
    if not isinstance(fit, WorthsFit):
        raise InvalidInputError("fit", "a fit of Bradley-Terry or Plackett-Luce", fit)
    level, items = check_alpha(alpha), fit.distribution.items
    found, unit = worths_of(fit)
    how, tail = "Wald tests", scipy.stats.norm.sf(found.studentized())
    if check_flag(anytime, "anytime"):
        how, tail = "tests at every look", _mixed_tail(found.studentized(), found.errors())
    families = Families.from_p_values(tail, np.zeros_like(tail), level)
    decisions = Decisions(
        items=items,
        above=families.together,
        alpha=level,
        how=f"{how} of differences of worths (Holm's procedure)",
        is_approximate=True,
        basis=Basis("normal", unit, found.n_units, FEWEST, is_possible=True),
    )
    above, fought = found.scores[:, None] > found.scores, unit in ("comparison", "cluster")
    return RankIntervals.from_decisions(
        "worths", unit, above, decisions, fit.notes, families=families, is_fought=fought
    )


def _mixed_tail(z: Floats, errors: Floats) -> Floats:
    """Return a p-value of "row is not above column" that holds at every look.

    The likelihood ratio of a normal difference to 0, averaged over the differences that a half
    normal distribution of scale 1 puts above 0, has a mean of 1 at most at every look, whoever was
    compared for whatever reason; so it is ever more than 1/p with chance p at most.
    """
    ratio = 1.0 / np.where(errors > 0, errors, 1.0) ** 2
    shrunk = z * np.sqrt(ratio / (1.0 + ratio))
    logs = np.log(2.0) + scipy.special.log_ndtr(shrunk) + (shrunk**2 - np.log1p(ratio)) / 2.0
    return np.asarray(np.exp(-np.maximum(logs, 0.0)))
