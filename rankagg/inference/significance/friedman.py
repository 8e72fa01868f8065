"""Whether items rank alike: Friedman's test, of rankings or scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankagg._typing import Label, Tolerance
from rankagg.core.arithmetic.exact_sum import are_level
from rankagg.core.profile import Profile
from rankagg.core.scores import ScoreTable
from rankagg.exceptions import Described, InvalidInputError
from rankagg.inference.significance.average_ranks import average_ranks, rank_units
from rankagg.inference.significance.result import FriedmanTest
from rankagg.inference.units import Unit, rankings_of, units_of

__all__ = ["FriedmanTest", "friedman"]


def friedman(
    data: Profile | ScoreTable,
    *,
    unit: Unit = "ranking",
    tolerance: Tolerance = 0.0,
    instances: Sequence[Label] | None = None,
) -> FriedmanTest:
    """Test whether all items rank alike, from independent complete rankings.

    Parameters
    ----------
    data : Profile or ScoreTable
        Complete rankings, ties allowed; counts are independent repetitions. Or scores that rank.
    unit : {"ranking", "instance", "task"}, default "ranking"
        What is independent: each ranking, or each instance or task. Then the items of a unit are
        ranked once, by their average rank in its rankings.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied; see `ScoreTable.rankings`.
    instances : sequence, length m, optional
        The instance of each ranking of a Profile, for `unit="instance"`.

    Returns
    -------
    FriedmanTest

    Raises
    ------
    InvalidInputError
        If a ranking is incomplete, weights differ, all rankings tie all items, or there are less
        than two items or units.

    Notes
    -----
    With R_i the average mid-rank of item i of k in N rankings, and t over the sizes of groups of
    tied items in all of them, Kendall's W is

        12 N^2 sum_i (R_i - (k + 1)/2)^2 / (N^2 (k^3 - k) - N sum_t (t^3 - t)),

    chi-square is N(k - 1)W and F is (N - 1)W/(1 - W). These distributions hold for many rankings.

    References
    ----------
    Friedman (1937), https://doi.org/10.1080/01621459.1937.10503522; Kendall and Babington Smith
    (1939), https://doi.org/10.1214/aoms/1177732186; Iman and Davenport (1980),
    https://doi.org/10.1080/03610928008827904; Nemenyi (1963), "Distribution-free multiple
    comparisons", thesis, Princeton University; and for all of them Demšar (2006), "Statistical
    comparisons of classifiers over multiple data sets", Journal of Machine Learning Research 7.

    Examples
    --------
    >>> import rankagg as ra
    >>> test = ra.friedman(ra.datasets.load("superglue_human"))
    >>> test
    <FriedmanTest of 6 items in 10 rankings: chi-square 25.92, p = 9.25e-05, W = 0.518>
    >>> round(test.critical_difference(alpha=0.05), 3)
    2.384
    >>> test.groups(alpha=0.05)[1:]
    (('T5 + Meena', 'T5', 'PAI Albert'), ('T5', 'PAI Albert', 'NEZHA Plus'))
    """
    profile, known = rankings_of(data, tolerance, instances)
    _check(profile)
    units = units_of(profile, unit=unit, instances=known)
    ranks, counts = profile.ranks, profile.counts
    if units.clusters is not None:
        ranks = rank_units(ranks, counts, units.clusters)
        counts = np.ones(len(ranks), dtype=np.int64)
    if units.n_units < 2:
        raise InvalidInputError(
            "data", f"two {units.unit}s or more", Described(f"{units.n_units} {units.unit}")
        )
    found = average_ranks(ranks, counts)
    if np.isnan(found.kendall_w):
        raise InvalidInputError(
            "data", "rankings that tell items apart", Described(f"a tie of all in every {unit}")
        )
    return FriedmanTest(
        items=profile.items, average_ranks=found.values, n_rankings=found.n_rankings,
        kendall_w=found.kendall_w, unit=units.unit, notes=units.notes,
    )  # fmt: skip


def _check(profile: Profile) -> None:
    """Raise unless a profile has what Friedman's test is about."""
    if profile.n_items < 2:
        raise InvalidInputError("data", "rankings of two items or more", profile)
    complete = (profile.ranks >= 0).all(axis=1)
    if not complete.all():
        gaps = int(profile.counts[~complete].sum(dtype=object))
        raise InvalidInputError(
            "data", "complete rankings for Friedman's test",
            Described(f"{gaps} incomplete ones of {profile.n_rankings}"),
            "Leave out these rankings or the items that they lack, take `skillings_mack`, or make "
            "`PairwiseIntervals`, which compare the two items of a pair where both are ranked.",
        )  # fmt: skip
    if not are_level(profile.weights):
        low, high = profile.weights.min(), profile.weights.max()
        raise InvalidInputError(
            "data", "rankings of equal weight for Friedman's test",
            Described(f"weights from {low:g} to {high:g}"),
            "Make them equal (a ScoreTable's with `with_task_weights({})`), or make "
            "`PairwiseIntervals`, which take weights.",
        )  # fmt: skip
